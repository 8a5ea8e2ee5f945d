//! A text that needs more than a line, in full over the screen.

use super::{
    cells::wrapped,
    room::dialog,
    rows::table,
    scroll::{Scrolls, moves, rolls},
};
use crate::action::prelude::*;

/// Cells of a line of a note.
const NOTE_WIDTH: usize = 70;

/// The popup.
#[derive(Debug)]
pub struct Sheet {
    title: String,
    remark: String,
    text: String,
    shown: TextView,
}

impl Sheet {
    /// Lines that are safe, as they are; `remark` stands at the title's end.
    pub fn new(title: String, remark: String, text: String) -> Self {
        Self {
            title,
            remark,
            shown: TextView::new(&text),
            text,
        }
    }
}

/// Shows a text of ours that is too long for a line; `remark` stands at the title's end.
pub fn note(title: &str, remark: String, text: &str) -> Effect {
    Effect::open(Sheet {
        shown: TextView::new(&wrapped(text, NOTE_WIDTH).join("\n")),
        ..Sheet::new(title.to_owned(), remark, sanitise_block(text))
    })
}

/// Draws a text as a dialog, as high as there is room for.
pub fn draw(
    canvas: &Canvas,
    area: Rect,
    cells: u16,
    (title, remark): (&str, &str),
    text: &mut TextView,
) {
    let rows = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let high = rows.clamp(4, (area.height * 4 / 5).max(4));
    let inner = dialog(canvas, area, (cells, high), title, remark);
    text.show(canvas, inner);
}

impl Scrolls for Sheet {
    moves!(text shown);
}

impl Surface for Sheet {
    table! { "Message", s, cx;
        "message.copy" "copy" ["y"], Footer => cx.copy(s.text.clone(), s.title.clone());
        scroll "message";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        draw(
            canvas,
            area,
            96,
            (&self.title, &self.remark),
            &mut self.shown,
        );
    }

    rolls!();
}
