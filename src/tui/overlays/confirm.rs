//! A yes-or-no question before something that cannot be taken back.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::text::width::{width, wrap};
use crate::tui::action::{Action, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::widgets::panel::Panel;
use crate::tui::widgets::{paint, popup};

/// The question.
pub struct Confirm {
    /// What it is about.
    pub title: String,
    /// What will happen, one paragraph each.
    pub lines: Vec<String>,
    /// What yes means, as a verb: `remove all`.
    pub yes_label: String,
    /// What is done then.
    pub on_yes: Vec<Effect>,
}

impl Surface for Confirm {
    const TITLE: &'static str = "Question";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "confirm.yes",
            title: "yes",
            // Not Enter: what cannot be taken back is not to be met by a key that was meant for something else.
            keys: &["y"],
            show: Show::Footer,
            enabled: always,
            run: |s, cx| {
                cx.emit(Effect::Close);
                for effect in std::mem::take(&mut s.on_yes) {
                    cx.emit(effect);
                }
            },
        },
        Action {
            id: "confirm.no",
            title: "no",
            keys: &["n"],
            show: Show::Footer,
            enabled: always,
            run: |_, cx| cx.emit(Effect::Close),
        },
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let keys = [("y", self.yes_label.as_str()), ("n", "leave it")];
        question(frame, area, view, &self.title, &self.lines, &keys);
    }
}

/// Draws a small box with paragraphs and the keys that answer.
pub fn question(
    frame: &mut Frame<'_>,
    area: Rect,
    view: &View<'_>,
    title: &str,
    lines: &[String],
    keys: &[(&str, &str)],
) {
    let look = view.look();
    let answers: usize = keys.iter().map(|(k, t)| width(k) + width(t) + 4).sum();
    let widest = lines
        .iter()
        .map(|l| width(l))
        .chain([answers, width(title) + 4])
        .max()
        .unwrap_or(0);
    let room = usize::from(area.width.saturating_sub(6)).clamp(1, 72);
    let text: Vec<&str> = lines
        .iter()
        .flat_map(|line| {
            wrap(line, widest.min(room).max(1))
                .into_iter()
                .filter_map(move |range| line.get(range))
        })
        .collect();
    let place = popup::centred(area, (widest.min(room) + 4) as u16, text.len() as u16 + 4);
    let buffer = frame.buffer_mut();
    let inner = popup::draw(buffer, place, Panel::new(look, title), look);
    let inner = paint::from(inner, 1);
    // Answers before explanations when there is no room for both.
    let shown = text.len().min(usize::from(inner.height.saturating_sub(2)));
    for (row, line) in (0..).zip(text.iter().take(shown)) {
        paint::text(buffer, paint::row(inner, row), line, look.theme.text);
    }
    // Nobody is to agree to what they did not see without knowing that there is more.
    let hidden = text.len() - shown;
    if hidden > 0 && shown > 0 {
        let last = paint::row(inner, shown as u16 - 1);
        let more = format!("{} more lines: make the window higher", hidden + 1);
        paint::clear(buffer, last, look.theme.overlay_bg);
        paint::text(buffer, last, &more, look.theme.warning);
    }
    let answers = paint::row(inner, inner.height.saturating_sub(1));
    let mut used = 0;
    for (key, title) in keys {
        used += paint::text(
            buffer,
            paint::from(answers, used),
            key,
            look.theme.key_hint_key,
        );
        used += paint::text(
            buffer,
            paint::from(answers, used),
            " ",
            look.theme.key_hint_text,
        );
        used += paint::text(
            buffer,
            paint::from(answers, used),
            title,
            look.theme.key_hint_text,
        );
        used += 3;
    }
}
