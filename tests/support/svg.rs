//! A screen as a picture: its cells with colours and attributes as an SVG file that looks the same in every browser.
//!
//! Text stands where its cell is whatever font the reader has: each run of one style has its own place and length. Lines of
//! frames and blocks of charts are drawn as shapes, because fonts leave gaps between them.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop at once and say where"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use crate::support::pty::{Screen, Style};

/// A cell, in tenths of a pixel: whole numbers, so that the file is the same on every machine.
const CELL: (u32, u32) = (84, 180);
/// From the cell's top to the line that letters stand on.
const BASELINE: u32 = 134;
/// Around the screen.
const MARGIN: u32 = 120;

const FOREGROUND: &str = "#d4d7dd";
const BACKGROUND: &str = "#16181d";
/// The sixteen colours that a terminal's reader chooses.
const PALETTE: [&str; 16] = [
    "#2b303b", "#e06c75", "#8cc265", "#e5c07b", "#5ba3f5", "#c678dd", "#42b8c5", "#d4d7dd",
    "#6b7280", "#ff7b86", "#a5e075", "#f0d08a", "#7ab7ff", "#de98f0", "#5fd7e0", "#ffffff",
];

/// What the picture says of itself, and the rows of the screen that it shows.
pub fn draw(screen: &Screen, title: &str, rows: Range<u16>) -> String {
    let columns = u32::from(screen.size().0);
    let height = u32::from(rows.end - rows.start) * CELL.1;
    let (width, height) = (columns * CELL.0 + 2 * MARGIN, height + 2 * MARGIN);
    let mut classes = Classes::default();
    let (mut shapes, mut texts) = (String::new(), String::new());
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for (index, row) in rows.enumerate() {
        let top = MARGIN + u32::try_from(index).unwrap() * CELL.1;
        let cells = row_of(screen, row);
        backgrounds(&cells, top, &mut shapes);
        marks(&cells, top, &mut shapes, &mut lines);
        text(&cells, top, &mut texts, &mut classes);
    }
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n<title>{}</title>\n",
        escaped(title),
        w = pixels(width),
        h = pixels(height),
    );
    let _ = writeln!(
        out,
        "<style>text{{font:14px ui-monospace,'DejaVu Sans Mono','SF Mono',Menlo,Consolas,'Liberation Mono',monospace;fill:{FOREGROUND}}}path{{fill:none}}{}</style>",
        classes.css()
    );
    let _ = writeln!(
        out,
        "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>"
    );
    out.push_str(&shapes);
    for (stroke, path) in &lines {
        let _ = writeln!(out, "<path {stroke} d=\"{path}\"/>");
    }
    out.push_str(&texts);
    out.push_str("</svg>\n");
    out
}

/// A character, its colours as they are seen, and how it looks.
#[derive(Clone, PartialEq)]
struct Cell {
    character: char,
    foreground: String,
    background: Option<String>,
    style: Style,
}

impl Cell {
    fn looks_as(&self, other: &Self) -> bool {
        (self.foreground == other.foreground) && Self::looks(self.style) == Self::looks(other.style)
    }

    fn looks(style: Style) -> [bool; 4] {
        [style.bold, style.dim, style.italic, style.underline]
    }
}

fn row_of(screen: &Screen, row: u16) -> Vec<Cell> {
    let characters = screen.cells(row).into_iter().zip(0..);
    let cell = |(character, column)| {
        let style = screen.style(column, row);
        let foreground = colour(style.foreground);
        let background = colour(style.background);
        let (foreground, background) = if style.reverse {
            (
                background.unwrap_or_else(|| BACKGROUND.to_owned()),
                Some(foreground.unwrap_or_else(|| FOREGROUND.to_owned())),
            )
        } else {
            (
                foreground.unwrap_or_else(|| FOREGROUND.to_owned()),
                background,
            )
        };
        Cell {
            character,
            foreground,
            background,
            style,
        }
    };
    characters.map(cell).collect()
}

/// None = the terminal's own.
fn colour(colour: vt100::Color) -> Option<String> {
    Some(match colour {
        vt100::Color::Default => return None,
        vt100::Color::Rgb(red, green, blue) => hex([red, green, blue]),
        vt100::Color::Idx(index @ 0..=15) => PALETTE[usize::from(index)].to_owned(),
        vt100::Color::Idx(index @ 16..=231) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = index - 16;
            hex([level(n / 36), level(n / 6 % 6), level(n % 6)])
        }
        vt100::Color::Idx(index) => hex([8 + 10 * (index - 232); 3]),
    })
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn backgrounds(cells: &[Cell], top: u32, shapes: &mut String) {
    for (begin, run) in runs(cells, |one, next| one.background == next.background) {
        if let Some(fill) = &run[0].background {
            rectangle(shapes, fill, left(begin), top, width(run.len()), CELL.1);
        }
    }
}

/// Lines and blocks, as shapes.
fn marks(cells: &[Cell], top: u32, shapes: &mut String, lines: &mut BTreeMap<String, String>) {
    for (begin, run) in runs(cells, |one, next| one == next) {
        let cell = &run[0];
        let (x, long) = (left(begin), width(run.len()));
        if let Some((down, high)) = block(cell.character) {
            rectangle(shapes, &cell.foreground, x, top + down, long, high);
        }
        let Some(arms) = arms(cell.character) else {
            continue;
        };
        let dim = if cell.style.dim {
            " opacity=\".6\""
        } else {
            ""
        };
        let thick = if matches!(cell.character, '┃' | '━') {
            3
        } else {
            1
        };
        let stroke = format!(
            "stroke=\"{}\" stroke-width=\"{thick}\"{dim}",
            cell.foreground
        );
        let path = lines.entry(stroke).or_default();
        if cell.character == '─' || cell.character == '━' {
            let _ = write!(
                path,
                "M{} {}h{}",
                pixels(x),
                pixels(top + CELL.1 / 2),
                pixels(long)
            );
            continue;
        }
        for at in 0..run.len() {
            arms_of_one(path, arms, x + width(at), top);
        }
    }
}

/// Lines from a cell's middle to its sides: up, right, down, left.
fn arms(character: char) -> Option<[bool; 4]> {
    Some(match character {
        '─' | '━' => [false, true, false, true],
        '│' | '┃' => [true, false, true, false],
        '╭' | '┌' => [false, true, true, false],
        '╮' | '┐' => [false, false, true, true],
        '╰' | '└' => [true, true, false, false],
        '╯' | '┘' => [true, false, false, true],
        '├' => [true, true, true, false],
        '┤' => [true, false, true, true],
        '┬' => [false, true, true, true],
        '┴' => [true, true, false, true],
        '┼' => [true; 4],
        _ => return None,
    })
}

fn arms_of_one(path: &mut String, [up, right, down, left]: [bool; 4], x: u32, top: u32) {
    let (middle, centre) = (x + CELL.0 / 2, top + CELL.1 / 2);
    let (bottom, end) = (top + CELL.1, x + CELL.0);
    if [up, right, down, left] == [true, false, true, false] {
        let _ = write!(
            path,
            "M{} {}v{}",
            pixels(middle),
            pixels(top),
            pixels(CELL.1)
        );
        return;
    }
    // A corner is one curve, and what meets in the middle is several.
    let sides = [
        (up, (middle, top)),
        (down, (middle, bottom)),
        (left, (x, centre)),
        (right, (end, centre)),
    ];
    let points: Vec<_> = sides.iter().filter(|(there, _)| *there).collect();
    for pair in points.chunks(2) {
        let from = pair[0].1;
        let to = pair.get(1).map_or((middle, centre), |(_, point)| *point);
        let _ = write!(
            path,
            "M{} {}Q{} {} {} {}",
            pixels(from.0),
            pixels(from.1),
            pixels(middle),
            pixels(centre),
            pixels(to.0),
            pixels(to.1)
        );
    }
}

/// How far below the cell's top a block begins, and how high it is.
fn block(character: char) -> Option<(u32, u32)> {
    let eighths = match character {
        '▁'..='█' => u32::from(character) - u32::from('▁') + 1,
        '▀' => return Some((0, CELL.1 / 2)),
        _ => return None,
    };
    let high = CELL.1 * eighths / 8;
    Some((CELL.1 - high, high))
}

fn text(cells: &[Cell], top: u32, texts: &mut String, classes: &mut Classes) {
    let mut spans = String::new();
    // Blanks are not drawn, and what no font has in the width of a cell stands alone.
    let is_drawn = |cell: &Cell| {
        !cell.character.is_whitespace()
            && arms(cell.character).is_none()
            && block(cell.character).is_none()
    };
    let mut at = 0;
    while at < cells.len() {
        if !is_drawn(&cells[at]) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while cells[at].character.is_ascii() && end < cells.len() {
            let goes_on =
                |cell: &Cell| cell.character.is_ascii_graphic() && cell.looks_as(&cells[at]);
            // One blank between two words belongs to them.
            let blank = cells[end].character == ' ' && cells[end].looks_as(&cells[at]);
            if goes_on(&cells[end]) {
                end += 1;
            } else if blank && cells.get(end + 1).is_some_and(goes_on) {
                end += 2;
            } else {
                break;
            }
        }
        let run: String = cells[at..end].iter().map(|cell| cell.character).collect();
        let length = if end - at > 1 {
            format!(
                " textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                pixels(width(end - at))
            )
        } else {
            String::new()
        };
        let class = classes.of(&cells[at]);
        let class = if class.is_empty() {
            class
        } else {
            format!(" class=\"{class}\"")
        };
        let _ = write!(
            spans,
            "<tspan x=\"{}\"{length}{class}>{}</tspan>",
            pixels(left(at)),
            escaped(&run)
        );
        at = end;
    }
    if !spans.is_empty() {
        let y = pixels(top + BASELINE);
        let _ = writeln!(
            texts,
            "<text xml:space=\"preserve\" y=\"{y}\">{spans}</text>"
        );
    }
}

/// Looks of text by the names that they have in the picture.
#[derive(Default)]
struct Classes {
    rules: Vec<String>,
}

impl Classes {
    fn of(&mut self, cell: &Cell) -> String {
        let mut rule = String::new();
        if cell.foreground != FOREGROUND {
            let _ = write!(rule, "fill:{};", cell.foreground);
        }
        for (is_so, what) in Cell::looks(cell.style).into_iter().zip([
            "font-weight:bold;",
            "opacity:.6;",
            "font-style:italic;",
            "text-decoration:underline;",
        ]) {
            if is_so {
                rule.push_str(what);
            }
        }
        if rule.is_empty() {
            return rule;
        }
        let known = self.rules.iter().position(|known| *known == rule);
        let index = known.unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        });
        format!("s{index}")
    }

    fn css(&self) -> String {
        let mut css = String::new();
        for (index, rule) in self.rules.iter().enumerate() {
            let _ = write!(css, ".s{index}{{{}}}", rule.trim_end_matches(';'));
        }
        css
    }
}

/// Cells that are alike, with the column where they begin.
fn runs(cells: &[Cell], alike: impl Fn(&Cell, &Cell) -> bool) -> Vec<(usize, &[Cell])> {
    let mut begin = 0;
    let runs = cells.chunk_by(alike).map(|run| {
        let at = begin;
        begin += run.len();
        (at, run)
    });
    runs.collect()
}

fn rectangle(shapes: &mut String, fill: &str, x: u32, y: u32, wide: u32, high: u32) {
    let [x, y, wide, high] = [x, y, wide, high].map(pixels);
    let _ = writeln!(
        shapes,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"{fill}\"/>"
    );
}

fn width(cells: usize) -> u32 {
    u32::try_from(cells).unwrap() * CELL.0
}

fn left(column: usize) -> u32 {
    MARGIN + width(column)
}

/// Tenths of a pixel, as SVG writes them.
fn pixels(tenths: u32) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
