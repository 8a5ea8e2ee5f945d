//! What is on the screen.

/// A colour and its attributes, for tests of themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub foreground: vt100::Color,
    pub background: vt100::Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub reverse: bool,
}

/// The screen as it was at one moment.
#[derive(Clone)]
pub struct Screen(pub(super) vt100::Screen);

impl Screen {
    pub fn text(&self) -> String {
        self.0.contents()
    }

    /// One row's text, blanks at its end included.
    pub fn row(&self, row: u16) -> String {
        let (_, columns) = self.0.size();
        self.0
            .rows(0, columns)
            .nth(usize::from(row))
            .unwrap_or_default()
    }

    /// One row cell by cell: a wide character is followed by a blank, of a cluster only the first
    /// character is kept.
    pub fn cells(&self, row: u16) -> Vec<char> {
        let (_, columns) = self.0.size();
        let first = |column| {
            let cell = self.0.cell(row, column)?;
            cell.contents().chars().next()
        };
        (0..columns).map(|c| first(c).unwrap_or(' ')).collect()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// (column, row) of the first cell of `text` within one row, from 0.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        let (rows, columns) = self.0.size();
        (0..rows).find_map(|row| {
            // Cells and not characters: a wide character fills two, a cluster only one.
            let mut starts = Vec::new();
            let mut line = String::new();
            for column in 0..columns {
                let cell = self.0.cell(row, column)?;
                if cell.is_wide_continuation() {
                    continue;
                }
                starts.push((line.len(), column));
                line.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
            let at = line.find(text)?;
            let (_, column) = starts.iter().rev().find(|(start, _)| *start <= at)?;
            Some((*column, row))
        })
    }

    pub fn style(&self, column: u16, row: u16) -> Style {
        let cell = self.0.cell(row, column).expect("a cell on the screen");
        Style {
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            reverse: cell.inverse(),
        }
    }

    /// The style of the first cell of `text`.
    pub fn style_of(&self, text: &str) -> Style {
        let (column, row) = self
            .find(text)
            .unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{}", self.text()));
        self.style(column, row)
    }

    /// (column, row), from 0; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let (row, column) = self.0.cursor_position();
        (!self.0.hide_cursor()).then_some((column, row))
    }

    pub fn is_alternate(&self) -> bool {
        self.0.alternate_screen()
    }

    /// (columns, rows).
    pub fn size(&self) -> (u16, u16) {
        let (rows, columns) = self.0.size();
        (columns, rows)
    }
}

/// The screen in a frame, for failures. Rows without a word are counted: what shows only a part of a failure shows those with words.
pub(super) fn framed(screen: &vt100::Screen) -> String {
    let (_, columns) = screen.size();
    let line = "─".repeat(usize::from(columns));
    let rows: Vec<_> = screen.rows(0, columns).collect();
    let has_words = |row: &String| row.contains(char::is_alphanumeric);
    let parts = rows.chunk_by(|a, b| has_words(a) == has_words(b));
    let shown = parts.map(|part| match part {
        [row, rest @ ..] if !has_words(row) && !rest.is_empty() => {
            format!("│{row}\n│ … {} more without a word", rest.len())
        }
        _ => format!("│{}", part.join("\n│")),
    });
    let shown: Vec<_> = shown.collect();
    format!("┌{line}\n{}\n└{line}", shown.join("\n"))
}
