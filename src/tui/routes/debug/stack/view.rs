//! How one row of the stack looks.

use base::text::width::{ELLIPSIS, truncate_start, truncate_with};
use debugger::state::FrameRef;

use super::model::{Entry, Row, is_subtle, name_of, place_of};
use crate::{routes::debug::kit::prelude::*, theme::Look};

pub(super) fn draw_row<'a>(
    entry: &'a Entry,
    session: &'a Session,
    in_focus: bool,
    selected: Option<FrameRef>,
    cells: u16,
    look: Look<'a>,
) -> Line<'a> {
    let cells = usize::from(cells);
    // Deep trees leave room for what the rows say.
    let indent = (usize::from(entry.depth) * 2).min(cells / 3);
    let mut line = row_line(entry, session, in_focus, selected, cells - indent, look);
    if indent > 0 {
        line.spans.insert(0, Span::raw(" ".repeat(indent)));
    }
    line
}

fn row_line<'a>(
    entry: &'a Entry,
    session: &'a Session,
    in_focus: bool,
    selected: Option<FrameRef>,
    cells: usize,
    look: Look<'a>,
) -> Line<'a> {
    let (theme, symbols) = (look.theme, look.symbols);
    let fold = |open: bool| {
        let sign = symbols.fold(open);
        vec![Span::styled(format!("{sign} "), theme.muted)]
    };
    match &entry.row {
        Row::Session { open } => {
            let style = if in_focus {
                theme.title_focused
            } else {
                theme.text
            };
            two_ends(
                fold(*open),
                &session_row::title(session),
                style,
                &session_row::doing(session),
                session_row::style_of(session, theme),
                cells,
                look,
            )
        }
        Row::Ended { count } => {
            Line::styled(format!("  {} {count} ended", symbols.ended), theme.muted)
        }
        Row::Thread { id, open } => {
            let thread = session.threads.iter().find(|t| t.id == *id);
            let name = thread.map_or_else(|| format!("thread {id}"), |t| t.name.clone());
            let stop = session.current_stop();
            let cause = stop.filter(|s| s.thread_id == Some(*id));
            let (state, style) = match (cause, thread.is_none_or(|t| t.stopped)) {
                (Some(stop), _) => (session_row::stop_word(&stop.reason).to_owned(), theme.info),
                (None, true) => ("stopped".to_owned(), theme.muted),
                (None, false) => ("running".to_owned(), theme.success),
            };
            two_ends(fold(*open), &name, theme.text, &state, style, cells, look)
        }
        Row::Frame { thread, index, id } => {
            let stack = session.current_stop().and_then(|s| s.stacks.get(thread));
            let Some(frame) = stack.and_then(|s| s.frames.get(*index)) else {
                return Line::default();
            };
            let chosen = selected
                == Some(FrameRef {
                    thread_id: *thread,
                    frame_id: *id,
                });
            let sign = match (*index, chosen) {
                (0, _) => symbols.arrow,
                (_, true) => symbols.frame_arrow,
                _ => " ",
            };
            let style = match (chosen, is_subtle(frame)) {
                (true, _) => theme.title_focused,
                (false, true) => theme.muted,
                (false, false) => theme.text,
            };
            let lead = vec![
                Span::raw("  "),
                Span::styled(format!("{sign} "), theme.arrow),
            ];
            two_ends(
                lead,
                &name_of(frame),
                style,
                &place_of(frame),
                theme.muted,
                cells,
                look,
            )
        }
        Row::Folded { count, .. } => Line::styled(
            format!("    {} {count} library frames", symbols.more),
            theme.muted,
        ),
        Row::More { loaded, total, .. } => Line::styled(
            format!("    {} {}", symbols.more, more(*loaded, *total)),
            theme.accent,
        ),
        Row::Note { text, .. } => Line::styled(format!("    {}", sanitise(text)), theme.muted),
    }
}

/// From here on a total is none: more frames than any stack has.
const INVENTED: usize = 1_000_000;

/// What is said of frames that are still to be loaded. A total is an invitation to ask for more and need not be true (DAP, `stackTrace`):
/// adapters that do not know it name a million.
fn more(loaded: usize, total: Option<i64>) -> String {
    let total = total.and_then(|total| usize::try_from(total).ok());
    let left = total.filter(|total| *total < INVENTED);
    match left.and_then(|total| total.checked_sub(loaded)) {
        Some(left) if left > 0 => {
            let left = counted(left, "more frame");
            format!("{left}, Enter loads them")
        }
        _ => format!(
            "more frames, Enter loads them ({} so far)",
            thousands(loaded as u64)
        ),
    }
}

/// A name at the left and a place at the right end of a row; the name gives way first, but keeps half of the row.
fn two_ends<'a>(
    mut lead: Vec<Span<'a>>,
    name: &str,
    name_style: Style,
    end: &str,
    end_style: Style,
    cells: usize,
    look: Look<'_>,
) -> Line<'a> {
    let used: usize = lead.iter().map(|s| width(&s.content)).sum();
    let room = cells.saturating_sub(used);
    let (name, end) = (sanitise(name), sanitise(end));
    let end_room = room.saturating_sub(width(&name) + 1).max(room / 2);
    let (end, end_cells) = truncate_start(&end, end_room);
    let end = end.replace(ELLIPSIS, look.symbols.ellipsis);
    let (name, name_cells) = truncate_with(
        &name,
        room.saturating_sub(end_cells + 1),
        look.symbols.ellipsis,
    );
    let gap = room.saturating_sub(name_cells + end_cells);
    lead.push(Span::styled(name.into_owned(), name_style));
    lead.push(Span::raw(" ".repeat(gap)));
    lead.push(Span::styled(end, end_style));
    Line::from(lead)
}

#[cfg(test)]
mod tests {
    use super::super::name_of;
    use super::*;
    use dap::types::StackFrame;

    #[test]
    fn a_name_that_was_cut_is_mended_and_no_other() {
        for (name, whole) in [
            ("Timeout {.tick", "Timeout.tick"),
            ("Shop {name: 'a.b.sell", "Shop.sell"),
            ("main::{closure#0}", "main::{closure#0}"),
            ("a::{lambda()#1}::operator()", "a::{lambda()#1}::operator()"),
            ("{.x", "{.x"),
            ("odd {", "odd {"),
            ("odd {x.", "odd {x."),
            ("", ""),
        ] {
            let frame = StackFrame {
                name: name.to_owned(),
                ..StackFrame::default()
            };
            assert_eq!(name_of(&frame), whole);
        }
    }

    #[test]
    fn a_total_that_nobody_can_know_is_not_repeated() {
        assert_eq!(more(20, Some(990)), "970 more frames, Enter loads them");
        assert_eq!(more(20, Some(21)), "1 more frame, Enter loads them");
        for unknown in [None, Some(1_000_000), Some(i64::MAX), Some(-1), Some(20)] {
            assert_eq!(
                more(20, unknown),
                "more frames, Enter loads them (20 so far)"
            );
        }
    }
}
