//! Cells as escape sequences.
//!
//! What the library's own backend writes, without a formatting call for each cell: that took a third of a frame's time. It does
//! not look at `NO_COLOR` either: themes leave colours out by themselves, and the library's way of doing so writes parameters
//! that a terminal reads as "reset all", so that a reversed selection disappears.

use std::io::Write as _;

use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};

/// Appends what draws `cells`, each with its column and row, and then resets all looks.
pub fn write<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = (u16, u16, &'a Cell)>) {
    let mut next = None;
    let mut shown = &Cell::EMPTY;
    for (x, y, cell) in cells {
        if next != Some((x, y)) {
            sequence(
                out,
                format_args!("{};{}H", u32::from(y) + 1, u32::from(x) + 1),
            );
        }
        next = Some((x.saturating_add(1), y));
        if cell.modifier != shown.modifier {
            write_modifiers(out, shown.modifier, cell.modifier);
        }
        if cell.fg != shown.fg {
            write_colour(out, Layer::Text, cell.fg);
        }
        if cell.bg != shown.bg {
            write_colour(out, Layer::Background, cell.bg);
        }
        if cell.underline_color != shown.underline_color {
            write_colour(out, Layer::Underline, cell.underline_color);
        }
        shown = cell;
        match cell.symbol().as_bytes() {
            [byte] => out.push(*byte),
            bytes => out.extend_from_slice(bytes),
        }
    }
    out.extend_from_slice(b"\x1b[0m");
}

fn sequence(out: &mut Vec<u8>, parameters: std::fmt::Arguments<'_>) {
    out.extend_from_slice(b"\x1b[");
    // Writing to memory cannot fail.
    let _ = out.write_fmt(parameters);
}

/// The colours that have names, in the order of their indexes.
pub const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// What a colour is of.
#[derive(Clone, Copy)]
enum Layer {
    Text = 38,
    Background = 48,
    Underline = 58,
}

fn write_colour(out: &mut Vec<u8>, layer: Layer, colour: Color) {
    let code = layer as u8;
    let index = match colour {
        // The code after the layer's own resets it.
        Color::Reset => return sequence(out, format_args!("{}m", code + 1)),
        Color::Rgb(r, g, b) => return sequence(out, format_args!("{code};2;{r};{g};{b}m")),
        Color::Indexed(index) => index,
        named => NAMED.iter().position(|one| *one == named).unwrap_or(0) as u8,
    };
    sequence(out, format_args!("{code};5;{index}m"));
}

/// Each modifier, the code that begins it and the one that ends it. Ending bold ends dim too, and the other way round.
const MODIFIERS: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

fn write_modifiers(out: &mut Vec<u8>, from: Modifier, to: Modifier) {
    let mut on = from;
    for (modifier, _, end) in MODIFIERS {
        if on.contains(modifier) && !to.contains(modifier) {
            sequence(out, format_args!("{end}m"));
            for (other, _, its_end) in MODIFIERS {
                if its_end == end {
                    on.remove(other);
                }
            }
        }
    }
    for (modifier, begin, _) in MODIFIERS {
        if to.contains(modifier) && !on.contains(modifier) {
            sequence(out, format_args!("{begin}m"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::backend::{Backend as _, CrosstermBackend};
    use ratatui::style::Style;

    const COLOURS: [Color; 6] = [
        Color::Reset,
        Color::Black,
        Color::Gray,
        Color::LightCyan,
        Color::Indexed(200),
        Color::Rgb(1, 2, 3),
    ];

    fn cell(symbol: &str, fg: usize, bg: usize, modifier: u16) -> Cell {
        let style = Style::new()
            .fg(COLOURS[fg])
            .bg(COLOURS[bg])
            .add_modifier(Modifier::from_bits_truncate(modifier));
        let mut cell = Cell::EMPTY;
        cell.set_symbol(symbol).set_style(style);
        cell
    }

    fn seen(bytes: &[u8]) -> Vec<Option<vt100::Cell>> {
        let mut terminal = vt100::Parser::new(3, 12, 0);
        terminal.process(bytes);
        let places = (0..3).flat_map(|y| (0..12).map(move |x| (y, x)));
        let cells = places.map(|(y, x)| terminal.screen().cell(y, x).cloned());
        cells.collect()
    }

    proptest! {
        #[test]
        fn a_terminal_shows_what_the_library_would_have_written(
            cells in prop::collection::vec((0u16..12, 0u16..3, "[a-z é]", 0usize..6, 0usize..6, 0u16..512), 0..20)
        ) {
            crossterm::style::force_color_output(true);
            let cells: Vec<_> = cells
                .into_iter()
                .map(|(x, y, symbol, fg, bg, modifier)| (x, y, cell(&symbol, fg, bg, modifier)))
                .collect();
            let content = || cells.iter().map(|(x, y, cell)| (*x, *y, cell));
            let mut ours = Vec::new();
            write(&mut ours, content());
            let mut theirs = Vec::new();
            CrosstermBackend::new(&mut theirs).draw(content()).unwrap();
            prop_assert!(seen(&ours) == seen(&theirs), "{:?}", String::from_utf8_lossy(&ours));
        }
    }

    #[test]
    fn neighbours_of_one_look_are_only_their_text() {
        let cells = [cell("a", 1, 0, 1), cell("b", 1, 0, 1), cell("c", 0, 0, 0)];
        let content = cells
            .iter()
            .enumerate()
            .map(|(x, cell)| (x as u16, 1, cell));
        let mut out = Vec::new();
        write(&mut out, content);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\x1b[2;1H\x1b[1m\x1b[38;5;0mab\x1b[22m\x1b[39mc\x1b[0m"
        );
    }
}
