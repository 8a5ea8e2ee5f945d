//! How one row of the stack looks.

use base::text::width::{ELLIPSIS, truncate_start};
use debugger::state::{FrameRef, stop_word};

use super::model::{Entry, Row, is_subtle, name_of, place_of};
use crate::debug_prelude::*;

pub(super) fn draw_row(
    entry: &Entry,
    session: &Session,
    in_focus: bool,
    selected: Option<FrameRef>,
    cells: &mut Cells,
) {
    let (theme, symbols) = (cells.view.theme.clone(), cells.view.symbols);
    // Deep trees leave room for what the rows say.
    cells.skip((usize::from(entry.depth) * 2).min(cells.room() / 3));
    match &entry.row {
        Row::Session { open } => {
            let style = if in_focus {
                theme.title_focused
            } else {
                theme.text
            };
            let doing = session_row::doing(session);
            let end = (doing.as_str(), session_row::style_of(session, &theme));
            cells.muted(&format!("{} ", symbols.fold(*open)));
            two_ends(&session_row::title(session), style, end, cells);
        }
        Row::Ended { count } => {
            cells
                .skip(2)
                .muted(&format!("{} {count} ended", symbols.ended));
        }
        Row::Thread { id, open } => {
            let thread = session.threads.iter().find(|t| t.id == *id);
            let name = session.thread_name(*id);
            let stop = session.current_stop();
            let cause = stop.filter(|s| s.thread_id == Some(*id));
            let end = match (cause, thread.is_none_or(|t| t.stopped)) {
                (Some(stop), _) => (stop_word(&stop.reason), theme.info),
                (None, true) => ("stopped", theme.muted),
                (None, false) => ("running", theme.success),
            };
            cells.muted(&format!("{} ", symbols.fold(*open)));
            two_ends(&name, theme.text, end, cells);
        }
        Row::Frame { thread, index, id } => {
            let stack = session.current_stop().and_then(|s| s.stacks.get(thread));
            let Some(frame) = stack.and_then(|s| s.frames.get(*index)) else {
                return;
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
            cells.skip(2).put(&format!("{sign} "), theme.arrow);
            let place = place_of(frame);
            two_ends(&name_of(frame), style, (&place, theme.muted), cells);
        }
        Row::Folded { count, .. } => {
            let text = format!("{} {count} library frames", symbols.more);
            cells.skip(4).muted(&text);
        }
        Row::More { loaded, total, .. } => {
            let text = format!("{} {}", symbols.more, more(*loaded, *total));
            cells.skip(4).accent(&text);
        }
        Row::Note { text, .. } => {
            cells.skip(4).muted(text);
        }
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
fn two_ends(name: &str, style: Style, end: (&str, Style), cells: &mut Cells) {
    let room = cells.room();
    let text = sanitise(end.0);
    let least = room.saturating_sub(width(&sanitise(name)) + 1);
    let (text, _) = truncate_start(&text, least.max(room / 2));
    let text = text.replace(ELLIPSIS, cells.view.symbols.ellipsis);
    let wide = width(&text);
    let name = cut(name, room.saturating_sub(wide + 1), &cells.view);
    cells.put(&name, style);
    cells.skip(cells.room().saturating_sub(wide));
    cells.put(&text, end.1);
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
