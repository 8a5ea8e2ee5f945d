//! What the debuggee's terminal shows: the bytes it was sent, interpreted. Only cells come out, each made safe.
//!
//! Questions that a program asks its terminal are found here as well, because what they are about stands on the screen.

use std::cell::Cell;

use base::text::{
    ansi::{Colour, Style},
    width::{grapheme_width, is_plain},
};
use debugger::terminal::Terminal;

use crate::{debug_prelude::*, theme::Theme};

/// Lines kept above the screen.
const SCROLLBACK: usize = 5_000;
/// Bytes interpreted in one go; of what comes faster than it can be read, only the end is.
const MOST: usize = 128 * 1024;
/// A control sequence that is longer is none that we answer.
const LONGEST: usize = 16;
/// Fewest rows and columns that are emulated: what scrolls needs two rows, a wide character two columns.
const LEAST: (u16, u16) = (2, 2);

/// A terminal as it looks.
pub struct Emulator {
    parser: vt100::Parser,
    /// Up to which byte it was fed.
    fed: u64,
}

fn sized(rows: u16, columns: u16) -> (u16, u16) {
    (rows.max(LEAST.0), columns.max(LEAST.1))
}

/// What a program asks its terminal.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// Where the cursor is.
    Cursor,
    /// Something that is always answered like this.
    Known(&'static str),
}

impl Emulator {
    pub fn new(rows: u16, columns: u16) -> Self {
        let (rows, columns) = sized(rows, columns);
        Self {
            parser: vt100::Parser::new(rows, columns, SCROLLBACK),
            fed: 0,
        }
    }

    /// Takes in what is new. What the program asked comes back answered, each with where the question ended.
    pub fn feed(&mut self, terminal: &Terminal) -> Vec<(u64, String)> {
        let size = sized(terminal.rows, terminal.columns);
        if self.parser.screen().size() != size {
            // Read anew, what is held is laid out for the new width, and nothing is cut in half.
            *self = Self::new(size.0, size.1);
        }
        let (mut at, mut text) = terminal.since(self.fed);
        if let Some(excess) = text.len().checked_sub(MOST) {
            let bytes = text.as_bytes().get(excess..).unwrap_or_default();
            let line = memchr::memchr(b'\n', bytes).map_or(0, |end| end + 1);
            let from = text.ceil_char_boundary(excess + line);
            (at, text) = (at + from as u64, text.get(from..).unwrap_or_default());
        }
        if at != self.fed {
            // What is missing may have changed anything.
            *self = Self::new(size.0, size.1);
        }
        let mut answers = Vec::new();
        loop {
            let (end, question) = next(text);
            let (whole, rest) = text.split_at_checked(end).unwrap_or((text, ""));
            self.parser.process(whole.as_bytes());
            (at, text) = (at + end as u64, rest);
            let Some(question) = question else {
                self.fed = at;
                return answers;
            };
            answers.push((at, self.answer(question)));
        }
    }

    fn answer(&self, question: Question) -> String {
        match question {
            Question::Cursor => {
                let (row, column) = self.parser.screen().cursor_position();
                format!("\x1b[{};{}R", row + 1, column + 1)
            }
            Question::Known(answer) => answer.to_owned(),
        }
    }

    /// Scrolls by lines, up when negative.
    pub fn scroll(&mut self, by: isize) {
        let at = self.parser.screen().scrollback();
        let to = at.saturating_add_signed(by.saturating_neg());
        self.parser.screen_mut().set_scrollback(to);
    }

    pub fn scroll_to_end(&mut self) {
        self.parser.screen_mut().set_scrollback(0);
    }

    /// Lines that it is scrolled up by.
    pub fn scrolled(&self) -> usize {
        self.parser.screen().scrollback()
    }

    /// What is in sight, for the clipboard.
    pub fn text(&self) -> String {
        let text = self.parser.screen().contents();
        let lines = text.lines().map(|line| sanitise(line.trim_end()));
        joined(lines, "\n")
    }

    /// Whether cursor keys are sent in their second form.
    pub fn application_cursor(&self) -> bool {
        self.parser.screen().application_cursor()
    }

    /// Whether pasted text is to be marked as such.
    pub fn bracketed_paste(&self) -> bool {
        self.parser.screen().bracketed_paste()
    }

    /// Row and column of the cursor, where one is to be seen.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let screen = self.parser.screen();
        (!screen.hide_cursor() && screen.scrollback() == 0).then(|| screen.cursor_position())
    }

    /// Draws the rows around the cursor where there is no room for all. Gives the row of the terminal that is drawn first.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, theme: &Theme) -> u16 {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        let first = match screen.scrollback() {
            0 => (screen.cursor_position().0 + 1).saturating_sub(area.height),
            _ => 0,
        };
        let last = Cell::new((Style::default(), theme.program_style(Style::default())));
        for (y, row) in (0..area.height).zip(first..rows) {
            let mut column = 0;
            while column < columns.min(area.width) {
                let Some(cell) = screen.cell(row, column) else {
                    break;
                };
                let asked = style(cell);
                if last.get().0 != asked {
                    last.set((asked, theme.program_style(asked)));
                }
                let wide = cell.is_wide() && column + 1 < columns.min(area.width);
                let cells = 1 + u16::from(wide);
                put(
                    buffer,
                    (area.x + column, area.y + y),
                    cell,
                    cells,
                    last.get().1,
                );
                column += cells;
            }
        }
        first
    }
}

/// One cell, or two for a wide character. What is not as wide as it should be is not shown: it would move what stands beside it.
fn put(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    cell: &vt100::Cell,
    cells: u16,
    style: ratatui::style::Style,
) {
    let foreign = cell.contents();
    let safe = sanitise(foreign);
    // The character by itself, where what was laid over it is more than marks.
    let base = foreign.get(..foreign.ceil_char_boundary(1));
    let base = base.filter(|base| is_plain(base)).unwrap_or("?");
    let symbol = [safe.as_ref(), base]
        .into_iter()
        .find(|text| grapheme_width(text) == usize::from(cells))
        .unwrap_or(if foreign.is_empty() { " " } else { "?" });
    for (index, x) in (x..).take(usize::from(cells)).enumerate() {
        if let Some(target) = buffer.cell_mut((x, y)) {
            target.reset();
            // A wide symbol covers the cell behind its own.
            target.set_symbol(if index == 0 { symbol } else { " " });
            target.set_style(style);
        }
    }
}

fn style(cell: &vt100::Cell) -> Style {
    let colour = |colour| match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(Colour::Indexed(index)),
        vt100::Color::Rgb(r, g, b) => Some(Colour::Rgb(r, g, b)),
    };
    Style {
        fg: colour(cell.fgcolor()),
        bg: colour(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        reverse: cell.inverse(),
        strike: false,
    }
}

/// Where the first question in a text ends: `ESC [ 6 n` and its like. Without one, where what may become one begins, or the text
/// ends.
fn next(text: &str) -> (usize, Option<Question>) {
    let bytes = text.as_bytes();
    for start in memchr::memchr_iter(b'\x1b', bytes) {
        let rest = bytes.get(start + 1..).unwrap_or_default();
        let Some(rest) = rest.strip_prefix(b"[") else {
            if rest.is_empty() {
                return (start, None);
            }
            continue;
        };
        let is_parameter = |b: &u8| matches!(b, 0x20..=0x3f);
        let length = rest.iter().take_while(|b| is_parameter(b)).count();
        let (parameters, last) = (rest.get(..length).unwrap_or_default(), rest.get(length));
        let question = match (parameters, last) {
            (_, None) if length < LONGEST => return (start, None),
            (b"6" | b"?6", Some(b'n')) => Question::Cursor,
            (b"5", Some(b'n')) => Question::Known("\x1b[0n"),
            // A VT102.
            (b"" | b"0", Some(b'c')) => Question::Known("\x1b[?6c"),
            (b">" | b">0", Some(b'c')) => Question::Known("\x1b[>0;0;0c"),
            _ => continue,
        };
        return (start + 2 + length + 1, Some(question));
    }
    (text.len(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fed(text: &str) -> (Emulator, Vec<(u64, String)>) {
        let mut terminal = Terminal::new(4, 20);
        terminal.push(text);
        let mut emulator = Emulator::new(4, 20);
        let answers = emulator.feed(&terminal);
        (emulator, answers)
    }

    #[test]
    fn questions_are_answered_from_where_they_were_asked() {
        let (_, answers) = fed("ab\x1b[6n\r\ncde\x1b[6n\x1b[c\x1b[5n\x1b[>c");
        let texts: Vec<_> = answers.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "\x1b[1;3R",
                "\x1b[2;4R",
                "\x1b[?6c",
                "\x1b[0n",
                "\x1b[>0;0;0c"
            ]
        );
        assert_eq!(answers[0].0, 6);
    }

    #[test]
    fn a_question_in_two_pieces_is_one() {
        let mut terminal = Terminal::new(4, 20);
        let mut emulator = Emulator::new(4, 20);
        for (piece, count) in [("x\x1b", 0), ("[6", 0), ("n", 1), ("y", 0)] {
            terminal.push(piece);
            assert_eq!(emulator.feed(&terminal).len(), count, "{piece:?}");
        }
        assert_eq!(emulator.text(), "xy");
    }

    #[test]
    fn what_is_not_answered_is_what_the_screen_shows() {
        let (emulator, answers) =
            fed("\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[31mred\x1b[0m\u{202e}x\x1b[3;1H\u{4f60}!");
        assert!(answers.is_empty());
        let area = Rect::new(0, 0, 20, 4);
        let mut buffer = Buffer::empty(area);
        emulator.draw(&mut buffer, area, &Theme::dark());
        let row = |y| -> String { (0..20).map(|x| buffer[(x, y)].symbol()).collect() };
        assert!(row(0).starts_with("red"), "{:?}", row(0));
        assert!(!row(0).contains('\u{202e}'));
        assert_eq!(buffer[(0, 2)].symbol(), "\u{4f60}");
        assert_eq!(buffer[(2, 2)].symbol(), "!");
    }

    /// More where somebody looks for trouble on purpose.
    fn cases() -> u32 {
        let asked = std::env::var("PROPTEST_CASES").ok();
        asked.and_then(|text| text.parse().ok()).unwrap_or(300)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]
        #[test]
        fn nothing_that_a_program_prints_breaks_it(
            pieces in prop::collection::vec(
                prop_oneof!["[ -~\u{4f60}\u{301}\u{200b}\u{202e}\r\n\t\u{8}]{0,12}",
                    "\u{1b}\\[[0-9;?>]{0,8}[@-~]", "\u{1b}[@-_78=>()#]"], 0..40),
            sizes in prop::collection::vec((0u16..12, 0u16..30), 1..5),
            scroll in -50isize..50,
        ) {
            let mut terminal = Terminal::default();
            let mut emulator = Emulator::new(0, 0);
            for (index, piece) in pieces.iter().enumerate() {
                if let Some((rows, columns)) = sizes.get(index % (sizes.len() * 3)) {
                    (terminal.rows, terminal.columns) = (*rows, *columns);
                }
                terminal.push(piece);
                for (_, answer) in emulator.feed(&terminal) {
                    prop_assert!(answer.starts_with("\x1b["));
                }
                emulator.scroll(scroll);
                let area = Rect::new(0, 0, 20, 6);
                let mut buffer = Buffer::empty(area);
                emulator.draw(&mut buffer, area, &Theme::dark());
                for cell in &buffer.content {
                    prop_assert!(!cell.symbol().chars().any(char::is_control));
                }
            }
        }
    }
}
