//! Key hints on one line: the most important ones that fit, in their own order.

use base::text::width::width;
use ratatui::{buffer::Buffer, layout::Rect};

use super::paint::{self, Parts as _};
use crate::theme::Look;

/// Cells between two hints.
const GAP: usize = 2;

/// One hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint<'a> {
    /// The key as a person reads it: "F10", "ctrl-p".
    pub key: &'a str,
    /// What it does, in a word or two.
    pub title: &'a str,
    /// Whether it would do that now.
    pub enabled: bool,
    /// Lower ones are left out last.
    pub priority: u8,
}

/// Draws the hints that fit and `…` for the others. Returns where each drawn one is, by its number in `hints`.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    hints: &[Hint<'_>],
    look: Look<'_>,
) -> Vec<(Rect, usize)> {
    let area = area.row(0);
    let chosen = choose(hints, usize::from(area.width), width(look.symbols.ellipsis));
    let mut places = Vec::with_capacity(chosen.len());
    let mut used = 0;
    for index in &chosen {
        let Some(hint) = hints.get(*index) else {
            continue;
        };
        if used > 0 {
            used += GAP as u16;
        }
        let start = used;
        let (key, title) = if hint.enabled {
            (look.theme.key_hint_key, look.theme.key_hint_text)
        } else {
            (look.theme.key_hint_disabled, look.theme.key_hint_disabled)
        };
        for (text, style) in [(hint.key, key), (" ", title), (hint.title, title)] {
            used += paint::text(buffer, area.after(used), text, style);
        }
        places.push((area.after(start).first(used - start), *index));
    }
    if chosen.len() < hints.len() {
        let at = if used > 0 { used + 1 } else { 0 };
        paint::text(
            buffer,
            area.after(at),
            look.symbols.ellipsis,
            look.theme.key_hint_text,
        );
    }
    places
}

/// Numbers of the hints that fit `room` cells, in order of `hints`.
fn choose(hints: &[Hint<'_>], room: usize, ellipsis: usize) -> Vec<usize> {
    let cells = |hint: &Hint<'_>| width(hint.key) + 1 + width(hint.title);
    let total: usize = hints.iter().map(|hint| cells(hint) + GAP).sum();
    if total.saturating_sub(GAP) <= room {
        return (0..hints.len()).collect();
    }
    let room = room.saturating_sub(ellipsis + 1);
    let mut by_priority: Vec<(usize, &Hint<'_>)> = hints.iter().enumerate().collect();
    by_priority.sort_by_key(|(index, hint)| (hint.priority, *index));
    let mut taken = 0;
    let mut chosen = Vec::new();
    for (index, hint) in by_priority {
        let more = cells(hint) + if chosen.is_empty() { 0 } else { GAP };
        // A shorter, less important hint does not take the place of one that was left out: hints would jump about.
        if taken + more > room {
            break;
        }
        taken += more;
        chosen.push(index);
    }
    chosen.sort_unstable();
    chosen
}
