//! The test page: boxes, colours, looks of text, wide and combining characters; and room for what a frame cannot hold.

use super::samples::Samples;
use super::sequences::PICTURE_CELLS;
use crate::{kit::prelude::*, term::probe::Pictures, widgets::panel::Panel};

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
pub fn draw(buf: &mut Buffer, area: Rect, pictures: Option<Pictures>, view: &View) -> Places {
    let mut places = Places::default();
    let mut next = 0;
    let label = |buf: &mut Buffer, next: u16, text: &str| {
        let row = paint::row(area, next);
        paint::text(buf, paint::first(row, LABEL), text, view.theme.muted);
        paint::from(row, LABEL)
    };
    let place = |row: Rect| (!row.is_empty()).then_some((row.x, row.y));
    let samples = Samples::of(&view.theme);

    let mut at = label(buf, next, "text");
    for (name, modifier) in [
        ("bold", Modifier::BOLD),
        ("dim", Modifier::DIM),
        ("italic", Modifier::ITALIC),
        ("underlined", Modifier::UNDERLINED),
        ("struck", Modifier::CROSSED_OUT),
        ("reversed", Modifier::REVERSED),
    ] {
        let used = paint::text(buf, at, name, Style::new().add_modifier(modifier));
        at = paint::from(at, used + 2);
    }
    next += 1;
    let bars = [
        ("16 colours", &samples.named),
        ("256 colours", &samples.cube),
        ("24 bits", &samples.hues),
    ];
    for (name, styles) in bars {
        let mut at = label(buf, next, name);
        if styles.is_empty() {
            paint::text(buf, at, "not without colours", view.theme.muted);
        }
        for style in styles {
            at = paint::from(at, paint::text(buf, at, "  ", *style));
        }
        next += 1;
    }
    next += 1;
    for (name, text) in WIDTHS {
        let at = label(buf, next, name);
        let used = paint::text(buf, at, text, view.theme.text);
        paint::text(buf, paint::from(at, used), "|", view.theme.accent);
        let says = format!(" the bar stands right behind it, at {used} cells");
        view.cut(buf, paint::from(at, used + 1), &says, view.theme.muted);
        next += 1;
    }
    next += 1;
    let frame = Rect {
        y: area.y.saturating_add(next),
        height: 3.min(area.height.saturating_sub(next)),
        ..paint::first(paint::from(area, LABEL), 30)
    };
    label(buf, next, "frame");
    if frame.height == 3 && frame.width > 8 {
        Panel::new(view.look(), "closed all around").draw(buf, frame);
    }
    next += 4;
    places.link = place(label(buf, next, "link"));
    places.underlines = place(label(buf, next + 1, "underlines"));
    places.large = place(label(buf, next + 2, "large text"));
    next += 4;
    let at = label(buf, next, "picture");
    let (columns, rows) = PICTURE_CELLS;
    match pictures {
        Some(_) if at.width >= columns && next + rows <= area.height => places.picture = place(at),
        Some(_) => {
            paint::text(buf, at, "no room: make the window larger", view.theme.muted);
        }
        None => {
            let why = "this terminal announces no way to show one";
            view.cut(buf, at, why, view.theme.muted);
        }
    }
    let last = paint::row(area, area.height.saturating_sub(1));
    if next + rows < area.height {
        let hint = "p paints links, underlines, large text and the picture; n sends a notification";
        view.cut(buf, last, hint, view.theme.accent);
    }
    places
}
