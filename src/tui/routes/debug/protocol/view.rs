//! How messages look: time, direction, what it is, its number, how long the answer took or has been waited for, and the beginning of
//! its text.

use debugger::{timings::time, traffic::Passed};

use super::ProtocolPane;
use crate::debug_prelude::*;

/// Below this width there is no room for numbers.
const NARROW: usize = 56;
/// From this width on there is room for the text.
const WIDE: usize = 70;

impl ProtocolPane {
    pub(super) fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let (held, dropped) = self.model.counts();
        let shown = self.model.shown.len();
        let badge = match (held, shown == held) {
            (0, _) => String::new(),
            (held, true) => held.to_string(),
            (held, false) => format!("{shown} of {held}"),
        };
        let remark = match dropped {
            0 => String::new(),
            count => format!("{count} older ones are gone"),
        };
        let inner = panel(canvas, area, Self::TITLE, &badge, &remark);
        let inner = self.typing.draw(canvas, inner, &self.model.filter);
        if shown == 0 {
            let lines = if held == 0 {
                ["Nothing was said yet", "F5 starts a program"]
            } else {
                ["No message has this in it", "Esc shows all"]
            };
            return empty(canvas, inner, &lines);
        }
        let (model, several) = (&self.model, canvas.state.sessions.len() > 1);
        let now = SystemTime::now();
        list_of(canvas, shown)
            .lively()
            .cells(canvas, inner, &mut self.list, |at, cells| {
                let Some(message) = model.message(at) else {
                    return;
                };
                let took = model.took(message).map(time);
                let took = match waiting(message, now, canvas) {
                    Some(age) => (age, canvas.theme.warning),
                    None => (took.unwrap_or_default(), canvas.theme.number),
                };
                draw_row(message, took, several, cells);
            });
    }
}

/// How long a request of ours waits for its answer by now, where that is long.
fn waiting(message: &Passed, now: SystemTime, view: &View) -> Option<String> {
    if !message.sent || message.kind != "request" {
        return None;
    }
    let session = view.state.session(message.session)?;
    let asked = session.pending.iter().find(|p| p.seq == message.seq)?;
    Some(format!("{}{}", asked.age(now), view.symbols.ellipsis))
}

fn draw_row(
    message: &Passed,
    (took, took_style): (String, Style),
    several: bool,
    cells: &mut Cells,
) {
    let (theme, width) = (cells.view.theme.clone(), cells.room());
    let at = message.at_us / 1_000;
    let at = format!("{:>5}.{:03}", at / 1_000, at % 1_000);
    let way = if message.sent { "->" } else { "<-" };
    cells
        .column(&at, 10, theme.muted)
        .column(way, 3, theme.accent);
    if several {
        cells.column(&message.session.to_string(), 10, theme.muted);
    }
    let kind = match message.kind.as_str() {
        "request" => theme.keyword,
        "event" => theme.string,
        "response" if message.success == Some(false) => theme.error,
        _ => theme.text,
    };
    let name = if message.name.is_empty() {
        "(no message)"
    } else {
        &message.name
    };
    let narrow = width < NARROW;
    cells
        .column(name, if narrow { 18 } else { 24 }, kind)
        .skip(1);
    let number = match message.request_seq {
        Some(request) => format!("{} ({request})", message.seq),
        None => message.seq.to_string(),
    };
    if !narrow {
        cells.column(&number, 12, theme.muted);
    }
    cells.column(&took, 9, took_style);
    if width >= WIDE {
        let why = match (message.kind.as_str(), message.success) {
            ("response", Some(false)) => "refused ",
            _ => "",
        };
        cells.skip(1).error(why).muted(&message.text);
    }
}
