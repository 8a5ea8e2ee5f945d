//! How one line of output looks: its category's letter, the program's colours, what is searched, where it is cut.

use std::ops::Range;

use base::text::{
    ansi,
    sanitise::TAB_WIDTH,
    width::{is_plain, take_columns},
};
use debugger::OutputLine;

use crate::debug_prelude::*;

/// Cells that a group is moved in.
const INDENT: usize = 2;
/// Bytes of one line that are looked at: a line without end must not stop the screen.
const LINE_REACH: usize = 16 * 1024;

/// Cells of a line's own text when `cells` are there for all lines.
pub fn room_of(line: &OutputLine, cells: usize) -> usize {
    cells
        .saturating_sub(usize::from(line.depth) * INDENT)
        .max(8)
}

/// The part of a line that the screen looks at.
pub fn near(line: &OutputLine) -> &str {
    let end = line.text.floor_char_boundary(LINE_REACH);
    line.text.get(..end).unwrap_or_default()
}

/// Finds without regard to case, unless the needle has capitals.
pub fn find(text: &str, needle: &str) -> Option<Range<usize>> {
    if needle.chars().any(char::is_uppercase) || !needle.is_ascii() {
        return text.find(needle).map(|at| at..at + needle.len());
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let at = text
        .windows(needle.len())
        .position(|w| w.eq_ignore_ascii_case(needle))?;
    Some(at..at + needle.len())
}

/// The letter of a category and what it stands for: colour is never the only sign.
pub fn letter(category: &str) -> (&'static str, &'static str) {
    match category {
        "stdout" => (" ", ""),
        "stderr" => ("e", "stderr"),
        "important" => ("!", "important"),
        "telemetry" => ("t", "telemetry"),
        _ => ("d", "debugger"),
    }
}

fn style_of(category: &str, view: &View) -> Style {
    match category {
        "stdout" => view.theme.stdout,
        "stderr" => view.theme.stderr,
        "important" => view.theme.warning,
        "telemetry" => view.theme.muted,
        _ => view.theme.console,
    }
}

/// One row of a line.
pub fn draw_line<'a>(
    line: &'a OutputLine,
    start: ansi::Style,
    part: usize,
    wrapped: usize,
    needle: Option<&str>,
    view: &View,
) -> Line<'a> {
    let ((letter, _), base) = (letter(&line.category), style_of(&line.category, view));
    let mut spans = vec![
        Span::styled(if part == 0 { letter } else { " " }, base),
        Span::raw(" ".repeat(1 + usize::from(line.depth) * INDENT)),
    ];
    let text = near(line);
    if wrapped == 0 && needle.is_none() && is_plain(text) {
        let style = base.patch(view.theme.program_style(start));
        spans.push(Span::styled(text, style));
        return Line::from(spans);
    }
    let parsed = ansi::parse(text, start, TAB_WIDTH);
    let plain = parsed.plain();
    let range = match wrapped {
        0 => 0..plain.len(),
        _ => wrap(&plain, room_of(line, wrapped))
            .get(part)
            .cloned()
            .unwrap_or(0..0),
    };
    let hit = needle.and_then(|n| find(&plain, n));
    let mut at = 0;
    for run in &parsed.runs {
        let style = base.patch(view.theme.program_style(run.style));
        let (from, to) = (at, at + run.text.len());
        at = to;
        // Cut where the row begins and ends, and where what is searched does.
        let mut cuts = vec![from.max(range.start).min(to), to.min(range.end).max(from)];
        if let Some(hit) = &hit {
            let ends = [hit.start, hit.end];
            cuts.extend(
                ends.into_iter()
                    .filter(|c| *c > from.max(range.start) && *c < to.min(range.end)),
            );
        }
        cuts.sort_unstable();
        for pair in cuts.windows(2) {
            let &[a, b] = pair else { continue };
            let Some(text) = plain.get(a..b).filter(|t| !t.is_empty()) else {
                continue;
            };
            let inside = hit.as_ref().is_some_and(|h| h.start <= a && b <= h.end);
            let mark = if inside {
                view.theme.search_match
            } else {
                Style::new()
            };
            spans.push(Span::styled(text.to_owned(), style.patch(mark)));
        }
    }
    Line::from(spans)
}

/// How a session ended, so that nobody can miss it.
pub fn end_line(session: &Session, room: usize, view: &View) -> Line<'static> {
    let mut cells = Cells::new(room, view);
    let (symbol, style) = match session.exit_code {
        Some(0) => (view.symbols.success, view.theme.success),
        Some(_) => (view.symbols.error, view.theme.error),
        None => (view.symbols.ended, view.theme.muted),
    };
    cells.put(symbol, style).skip(1);
    let mut ended = session.ended.clone().unwrap_or_default();
    if let Some(code) = session.exit_code {
        cells.put(&format!("exit code {code}"), style).skip(2);
        // It may say the same.
        ended = ended.replace(&format!(" with exit code {code}"), "");
    }
    cells.muted(&ended);
    cells.line()
}

/// Says in front of a row whose line it is, in so many cells.
pub fn say_whose(line: &mut Line<'_>, session: SessionId, part: usize, cells: usize, view: &View) {
    let Some(digits) = cells.checked_sub(1) else {
        return;
    };
    let name = if part == 0 {
        session.0.to_string()
    } else {
        String::new()
    };
    let mark = format!("{name:>digits$}{}", view.symbols.vertical);
    line.spans.insert(0, Span::styled(mark, view.theme.muted));
}

pub fn dropped_line(
    dropped: u64,
    sessions: &[&Session],
    room: usize,
    view: &View,
) -> Line<'static> {
    let mut cells = Cells::new(room, view);
    let bytes = counted(dropped, "byte");
    let mut spills = sessions.iter().filter_map(|s| s.output.spill.as_ref());
    let text = match (sessions, spills.next()) {
        ([_], Some(path)) => format!("{bytes} dropped from this view, all in {}", path.display()),
        (_, Some(_)) => format!("{bytes} dropped from this view, each session's file has them"),
        (_, None) => format!("{bytes} dropped from this view"),
    };
    if sessions.iter().any(|s| s.output.spill.is_some()) {
        cells.remark("o opens it");
    }
    cells.warning(view.symbols.more).skip(1).muted(&text);
    cells.line()
}

/// Shows that a row goes on beyond the right edge.
pub fn mark_cut<'a>(line: Line<'a>, room: usize, left: usize, view: &View) -> Line<'a> {
    let cells: usize = line.spans.iter().map(|s| width(&s.content)).sum();
    if cells <= left + room || room == 0 {
        return line;
    }
    let mark = view.symbols.ellipsis;
    let mut keep = left + room - width(mark).min(room);
    let mut spans = Vec::new();
    for span in line.spans {
        let cells = width(&span.content);
        if cells >= keep {
            let kept = take_columns(&span.content, 0, keep).into_owned();
            spans.push(Span::styled(kept, span.style));
            break;
        }
        keep -= cells;
        spans.push(span);
    }
    spans.push(Span::styled(mark, view.theme.muted));
    Line::from(spans)
}
