//! A row of names, one of them active.

use base::text::{sanitise::sanitise, width::width};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::{buffer::Buffer, layout::Rect};

use super::paint::{self, Parts as _};
use crate::theme::Look;

/// Draws the names into one row, scrolled so that the active one is in sight. Returns where each drawn one is.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    names: &[&str],
    active: usize,
    look: Look<'_>,
) -> Vec<(Rect, usize)> {
    let area = area.row(0);
    let room = usize::from(area.width);
    let cells: Vec<usize> = names
        .iter()
        .map(|name| width(&sanitise(name)) + 2)
        .collect();
    let before = |from: usize| {
        cells
            .iter()
            .take(active + 1)
            .skip(from)
            .map(|cells| cells + 1)
            .sum::<usize>()
    };
    let first = (0..=active.min(names.len()))
        .find(|from| before(*from) <= room + 1)
        .unwrap_or(active);
    let mut places = Vec::new();
    let mut used = 0;
    for (index, name) in names.iter().enumerate().skip(first) {
        if used >= area.width {
            break;
        }
        if index > first {
            used += paint::text(
                buffer,
                area.after(used),
                look.symbols.vertical,
                look.theme.border,
            );
        }
        let start = used;
        let style = if index == active {
            look.theme.selection
        } else {
            look.theme.muted
        };
        for part in [" ", name, " "] {
            used += paint::text(buffer, area.after(used), part, style);
        }
        if used > start {
            places.push((area.after(start).first(used - start), index));
        }
    }
    places
}

/// Which tab an event clicks, of those last drawn.
pub fn clicked(places: &[(Rect, usize)], event: &MouseEvent) -> Option<usize> {
    let index = at(places, (event.column, event.row))?;
    matches!(event.kind, MouseEventKind::Down(MouseButton::Left)).then_some(index)
}

/// What is at a cell, of things and the places where they were drawn.
pub fn at<T: Copy>(places: &[(Rect, T)], at: (u16, u16)) -> Option<T> {
    let (_, thing) = places.iter().find(|(place, _)| place.contains(at.into()))?;
    Some(*thing)
}
