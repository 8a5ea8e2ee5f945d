//! How one breakpoint looks: sign, place, what narrows it, and why it is not in place.

use crate::{debug_prelude::*, widgets::gutter::Mark};
use base::text::width::truncate_path;
use dap::types::DataBreakpointAccessType as Access;
use debugger::BreakpointStatus;

/// The sign of a breakpoint, here and in the source's gutter.
pub(crate) fn mark_of(breakpoint: &Breakpoint) -> Mark {
    match breakpoint.status() {
        BreakpointStatus::Disabled => Mark::Disabled,
        BreakpointStatus::Unverified => Mark::Unverified,
        _ if !breakpoint.stops() => Mark::Logpoint,
        _ if breakpoint.condition.is_some() || breakpoint.hit_condition.is_some() => {
            Mark::Conditional
        }
        BreakpointStatus::Pending => Mark::Unverified,
        BreakpointStatus::Verified => Mark::Breakpoint,
    }
}

/// `src/shop.py:12` as people say it here, or the function.
pub fn place(b: &Breakpoint, view: &View) -> String {
    match &b.site {
        BreakpointSite::Source { path, .. } => {
            format!(
                "{}:{}",
                relative(path, view),
                b.shown_line().unwrap_or_default()
            )
        }
        site => site.to_string(),
    }
}

/// On which access to its data one stops.
pub(crate) fn access_of(access: &Access) -> String {
    match access {
        Access::Read => "when it is read".to_owned(),
        Access::Write => "when it is changed".to_owned(),
        Access::ReadWrite => "when it is read or changed".to_owned(),
        Access::Other(word) => word.clone(),
    }
}

/// What narrows a breakpoint, in words.
fn refinements(b: &Breakpoint, view: &View) -> String {
    let mut parts = Vec::new();
    if let BreakpointSite::Data {
        access: Some(access),
        ..
    } = &b.site
    {
        parts.push(access_of(access));
    }
    if let Some(condition) = &b.condition {
        parts.push(format!("if {condition}"));
    }
    if let Some(hits) = &b.hit_condition {
        parts.push(format!("hits {hits}"));
    }
    if let Some(text) = &b.log_message {
        parts.push(format!("log \"{text}\""));
    }
    if let Some(record) = &b.record {
        let session = view.session().map(|s| s.id);
        let hits = session.map_or(0, |id| view.state.recorded_hits(id, Some(b.id)));
        let so_far = match hits {
            0 => String::new(),
            hits => format!(" ({} recorded)", thousands(hits)),
        };
        parts.push(format!("records {record}{so_far}"));
    }
    parts.extend(b.mode.as_ref().map(|mode| format!("mode {mode}")));
    parts.join(", ")
}

/// Cells of a row with its [`mark`].
pub const MARK: std::ops::Range<u16> = 2..5;

pub fn mark(on: bool) -> &'static str {
    if on { "[x]" } else { "[ ]" }
}

pub fn draw_breakpoint(b: &Breakpoint, concerns: bool, places: usize, cells: &mut Cells) {
    let view = cells.view.clone();
    let theme = &view.theme;
    let (symbol, style) = mark_of(b).look(view.look());
    cells
        .put(symbol, style)
        .skip(1)
        .put(mark(b.enabled), theme.text_if(b.enabled))
        .skip(1);
    let place = place(b, &view);
    // Data has a short name, and more to say of it.
    let places = match b.site {
        BreakpointSite::Data { .. } => places.min(width(&place)),
        _ => places,
    };
    cells.column(
        &truncate_path(&place, places.min(cells.room()), view.symbols.ellipsis),
        places,
        theme.text_if(b.enabled && concerns),
    );
    if let Some((asked, _)) = b.moved() {
        let told = format!("moved from {asked}: no code there");
        cells.skip(2).warning(&told);
    }
    let more = refinements(b, &view);
    if !more.is_empty() {
        cells.skip(2).put(&more, theme.conditional);
    }
    if let Some(by) = &b.by {
        cells.skip(2).accent(&format!("set by {by}"));
    }
    let message = b
        .message()
        .filter(|_| b.status() == BreakpointStatus::Unverified);
    if let Some(message) = message {
        let style = if concerns { theme.warning } else { theme.muted };
        cells.skip(2).put(message, style);
    } else if let Some(why) = b.never_hit.as_ref().filter(|_| b.enabled) {
        cells.skip(2).warning(why);
    } else if b.status() == BreakpointStatus::Unverified {
        cells.skip(2).warning("the adapter could not place it");
    }
}
