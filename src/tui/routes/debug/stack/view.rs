//! How one row of the stack looks.

use ratatui::text::{Line, Span};

use super::model::{Entry, Row, is_subtle, place_of};
use crate::debugger::Session;
use crate::debugger::state::FrameRef;
use crate::text::sanitise::sanitise;
use crate::text::width::{ELLIPSIS, truncate_start, truncate_with, width};
use crate::tui::routes::debug::family;
use crate::tui::theme::Look;

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
    match &entry.row {
        Row::Session { open } => {
            let sign = if *open {
                symbols.expanded
            } else {
                symbols.collapsed
            };
            let style = if in_focus {
                theme.title_focused
            } else {
                theme.text
            };
            two_ends(
                vec![Span::styled(format!("{sign} "), theme.muted)],
                &family::title(session),
                style,
                &family::doing(session),
                family::style_of(session, theme),
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
                (Some(stop), _) => (stop_word(&stop.reason).to_owned(), theme.info),
                (None, true) => ("stopped".to_owned(), theme.muted),
                (None, false) => ("running".to_owned(), theme.success),
            };
            let sign = if *open {
                symbols.expanded
            } else {
                symbols.collapsed
            };
            two_ends(
                vec![Span::styled(format!("{sign} "), theme.muted)],
                &name,
                theme.text,
                &state,
                style,
                cells,
                look,
            )
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
                &frame.name,
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
        Row::More { loaded, total, .. } => {
            let of = total
                .filter(|t| *t > *loaded as i64)
                .map_or_else(String::new, |t| format!(" of {t}"));
            Line::styled(
                format!("    {} more frames ({loaded}{of} loaded)", symbols.more),
                theme.accent,
            )
        }
        Row::Note { text, .. } => Line::styled(format!("    {}", sanitise(text)), theme.muted),
    }
}

/// A name at the left and a place at the right end of a row; the name gives way first, but keeps half of the row.
fn two_ends<'a>(
    mut lead: Vec<Span<'a>>,
    name: &str,
    name_style: ratatui::style::Style,
    end: &str,
    end_style: ratatui::style::Style,
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

/// Why it stopped, in words people use.
pub fn stop_word(reason: &str) -> &str {
    match reason {
        "" => "stopped",
        "step" => "stepped",
        "pause" => "paused",
        "cursor" => "reached the cursor",
        "function breakpoint" | "instruction breakpoint" | "breakpoint" => "breakpoint",
        "no-history" => "as far back as was kept",
        "goto" => "jumped",
        "frame_entry" | "restart" => "at the frame's beginning",
        other => other,
    }
}
