//! The test page: boxes, colours, looks of text, wide and combining characters; and room for what a frame cannot hold.

use super::samples::Samples;
use super::sequences::PICTURE_CELLS;
use crate::{prelude::*, term::probe::Pictures, widgets::panel::Panel};

/// Where there is room for what is painted by hand; column and row of the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    pub link: Option<(u16, u16)>,
    pub underlines: Option<(u16, u16)>,
    pub large: Option<(u16, u16)>,
    pub picture: Option<(u16, u16)>,
}

/// Text of which the cells are known, and how many they are.
const WIDTHS: [(&str, &str); 6] = [
    ("wide", "漢字かな한글"),
    ("combining", "e\u{301} a\u{308} o\u{302} n\u{303}"),
    ("emoji", "😀 🦀 ⚠\u{fe0f} 1\u{fe0f}\u{20e3}"),
    ("joined emoji", "👩\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 🇪🇺"),
    ("box", "├─┼─┤ ╔═╗ ░▒▓█ ▁▂▃▄▅▆▇█"),
    ("symbols", "← ↑ → ↓ ✓ ✗ ● ○ ◆ … ∞ ≠"),
];
const LABEL: u16 = 14;

/// Draws the page and says where there is room for the rest.
pub fn draw(canvas: &Canvas, area: Rect, pictures: Option<Pictures>) -> Places {
    let mut places = Places::default();
    let mut next = 0;
    let label = |next: u16, text: &str| {
        let row = area.row(next);
        canvas.text(row.first(LABEL), text, canvas.theme.muted);
        row.after(LABEL)
    };
    let place = |row: Rect| (!row.is_empty()).then_some((row.x, row.y));
    let samples = Samples::of(&canvas.theme);

    let mut at = label(next, "text");
    for (name, modifier) in [
        ("bold", Modifier::BOLD),
        ("dim", Modifier::DIM),
        ("italic", Modifier::ITALIC),
        ("underlined", Modifier::UNDERLINED),
        ("struck", Modifier::CROSSED_OUT),
        ("reversed", Modifier::REVERSED),
    ] {
        let used = canvas.text(at, name, Style::new().add_modifier(modifier));
        at = at.after(used + 2);
    }
    next += 1;
    let bars = [
        ("16 colours", &samples.named),
        ("256 colours", &samples.cube),
        ("24 bits", &samples.hues),
    ];
    for (name, styles) in bars {
        let mut at = label(next, name);
        if styles.is_empty() {
            canvas.text(at, "not without colours", canvas.theme.muted);
        }
        for style in styles {
            at = at.after(canvas.text(at, "  ", *style));
        }
        next += 1;
    }
    next += 1;
    for (name, text) in WIDTHS {
        let at = label(next, name);
        let used = canvas.text(at, text, canvas.theme.text);
        canvas.text(at.after(used), "|", canvas.theme.accent);
        let says = format!(" the bar stands right behind it, at {used} cells");
        canvas.cut(at.after(used + 1), &says, canvas.theme.muted);
        next += 1;
    }
    next += 1;
    let frame = Rect {
        y: area.y.saturating_add(next),
        height: 3.min(area.height.saturating_sub(next)),
        ..area.after(LABEL).first(30)
    };
    label(next, "frame");
    if frame.height == 3 && frame.width > 8 {
        Panel::new(canvas.look(), "closed all around").draw(&mut canvas.cells(), frame);
    }
    next += 4;
    places.link = place(label(next, "link"));
    places.underlines = place(label(next + 1, "underlines"));
    places.large = place(label(next + 2, "large text"));
    next += 4;
    let at = label(next, "picture");
    let (columns, rows) = PICTURE_CELLS;
    match pictures {
        Some(_) if at.width >= columns && next + rows <= area.height => places.picture = place(at),
        Some(_) => {
            canvas.text(at, "no room: make the window larger", canvas.theme.muted);
        }
        None => {
            let why = "this terminal announces no way to show one";
            canvas.cut(at, why, canvas.theme.muted);
        }
    }
    let last = area.row(area.height.saturating_sub(1));
    if next + rows < area.height {
        let hint = "p paints links, underlines, large text and the picture; n sends a notification";
        canvas.cut(last, hint, canvas.theme.accent);
    }
    places
}
