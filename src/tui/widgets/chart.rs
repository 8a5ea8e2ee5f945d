//! A run of values as bars, the newest at the right edge.
//!
//! Leaves to others: titles, scales, and where the values are from.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    symbols::bar,
    widgets::{Sparkline, Widget as _},
};

use super::paint::Parts as _;
use crate::theme::Look;

/// Draws the values that fit, `most` as high as the area; older ones leave at the left.
pub fn bars(buffer: &mut Buffer, area: Rect, values: &[u64], most: u64, look: Look<'_>) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let shown = values.len().min(usize::from(area.width));
    let values = values.get(values.len() - shown..).unwrap_or_default();
    let bars = look.symbols.bars;
    let set = bar::Set {
        empty: " ",
        one_eighth: bars[0],
        one_quarter: bars[1],
        three_eighths: bars[2],
        half: bars[3],
        five_eighths: bars[4],
        three_quarters: bars[5],
        seven_eighths: bars[6],
        full: bars[7],
    };
    let line = Sparkline::default()
        .data(values)
        .max(most)
        .bar_set(set)
        .style(look.theme.info);
    line.render(area.last(shown as u16), buffer);
}
