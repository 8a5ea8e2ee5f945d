//! One message of the protocol in full, in lines, without secrets; or another text that needs more than a line.

use debugger::{timings::time, traffic::Passed};

use serde_json::Value;

use crate::routes::debug::kit::prelude::*;

/// Cells of a line of a note.
const NOTE_WIDTH: usize = 70;

/// The popup.
#[derive(Debug)]
pub struct MessageView {
    title: String,
    remark: String,
    text: String,
    shown: TextView,
}

/// Opens a message; `took` is how long its answer took, in microseconds.
pub fn open(message: &Passed, took: Option<u64>, cx: &mut Cx<'_>) {
    let way = if message.sent { "to" } else { "from" };
    let took = took.map_or_else(String::new, |us| format!(", answered in {}", time(us)));
    let text = pretty(message);
    let title = format!("Message {}", message.number);
    let remark = format!("{way} the adapter, {} B{took}", message.length);
    cx.open(MessageView {
        remark,
        ..of_text(&title, &text)
    });
}

/// A message in lines; what is no JSON as it is.
pub fn pretty(message: &Passed) -> String {
    serde_json::from_str::<Value>(&message.text)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| message.text.clone())
}

/// Shows a text of ours that is too long for a line; `remark` stands at the title's end.
pub fn note(title: &str, remark: String, text: &str) -> Effect {
    Effect::Open(Box::new(MessageView {
        remark,
        shown: TextView::new(&wrapped(text, NOTE_WIDTH).join("\n")),
        ..of_text(title, text)
    }))
}

/// A text as it came, in its own lines.
pub fn of_text(title: &str, text: &str) -> MessageView {
    let text = sanitise_block(text);
    MessageView {
        title: title.to_owned(),
        remark: String::new(),
        shown: TextView::new(&text),
        text,
    }
}

/// Draws a text as a dialog, as high as there is room for.
pub(super) fn sheet(
    buf: &mut Buffer,
    area: Rect,
    cells: u16,
    (title, remark): (&str, &str),
    text: &mut TextView,
    view: &View<'_>,
) {
    let rows = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let high = rows.clamp(4, (area.height * 4 / 5).max(4));
    let inner = dialog(buf, area, (cells, high), title, remark, view);
    text.draw(buf, inner, view.look());
}

impl Scrolls for MessageView {
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Text(&mut self.shown)
    }
}

impl Surface for MessageView {
    const TITLE: &'static str = "Message";
    const ACTIONS: &'static [Action<Self>] = rows! {
        "message.copy" "copy" ["y"], Footer => |s, cx| cx.copy(s.text.clone(), s.title.clone());
        scroll "message";
    };

    fn fill(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        sheet(
            buf,
            area,
            96,
            (&self.title, &self.remark),
            &mut self.shown,
            view,
        );
    }

    rolls!();
}
