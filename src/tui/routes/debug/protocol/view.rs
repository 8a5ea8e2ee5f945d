//! How messages look: time, direction, what it is, its number, how long the answer took or has been waited for, and the beginning of
//! its text.

use std::time::SystemTime;

use debugger::{timings::time, traffic::Passed};

use super::ProtocolPane;
use crate::routes::debug::kit::prelude::*;

/// Below this width there is no room for numbers.
const NARROW: u16 = 56;
/// From this width on there is room for the text.
const WIDE: u16 = 70;

impl ProtocolPane {
    pub(super) fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let (held, dropped) = self.model.counts();
        let shown = self.model.shown().len();
        let badge = match (held, shown == held) {
            (0, _) => String::new(),
            (held, true) => held.to_string(),
            (held, false) => format!("{shown} of {held}"),
        };
        let remark = match dropped {
            0 => String::new(),
            count => format!("{count} older ones are gone"),
        };
        let inner = panel(buf, area, Self::TITLE, &badge, &remark, view);
        let inner = self.typing.draw(buf, inner, self.model.filter(), view);
        if shown == 0 {
            let lines = if held == 0 {
                ["Nothing was said yet", "F5 starts a program"]
            } else {
                ["No message has this in it", "Esc shows all"]
            };
            empty(buf, inner, &lines, view);
            return;
        }
        let (model, several) = (&self.model, view.state.sessions.len() > 1);
        let now = SystemTime::now();
        list_of(view, shown).draw(buf, inner, &mut self.list, |row| {
            let Some(message) = model.message(row.index) else {
                return Line::default();
            };
            // The selected row has looks of its own.
            let plain = row.selected && view.focused;
            let took = model.took(message).map(time);
            let took = match waiting(message, now, view) {
                Some(age) => (age, view.theme.warning),
                None => (took.unwrap_or_default(), view.theme.number),
            };
            draw_row(message, took, (plain, several), row.width, view)
        });
    }
}

/// How long a request of ours waits for its answer by now, where that is long.
fn waiting(message: &Passed, now: SystemTime, view: &View<'_>) -> Option<String> {
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
    (plain, several): (bool, bool),
    width: u16,
    view: &View<'_>,
) -> Line<'static> {
    let theme = view.theme;
    let style = |style| if plain { theme.text } else { style };
    let mut cells = Cells::new(width, view);
    let at = message.at_us / 1_000;
    cells.column(
        &format!("{:>5}.{:03}", at / 1_000, at % 1_000),
        10,
        style(theme.muted),
    );
    let way = if message.sent { "->" } else { "<-" };
    cells.column(way, 3, style(theme.accent));
    if several {
        cells.column(&message.session.to_string(), 10, style(theme.muted));
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
    cells.column(name, if narrow { 18 } else { 24 }, style(kind));
    cells.skip(1);
    let number = match message.request_seq {
        Some(request) => format!("{} ({request})", message.seq),
        None => message.seq.to_string(),
    };
    if !narrow {
        cells.column(&number, 12, style(theme.muted));
    }
    cells.column(&took, 9, style(took_style));
    if width >= WIDE {
        let why = match (message.kind.as_str(), message.success) {
            ("response", Some(false)) => "refused ",
            _ => "",
        };
        cells.skip(1).put(why, style(theme.error));
        cells.put(&message.text, style(theme.muted));
    }
    cells.line()
}
