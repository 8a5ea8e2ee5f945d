//! A yes-or-no question before something that cannot be taken back.

use base::text::width::wrap_hanging;

use super::{room::popup, rows::table};
use crate::{
    action::prelude::*,
    widgets::{panel::Panel, popup::centred},
};

/// How long nobody may have typed before a question takes a key: it may come unasked, in the middle of a word.
const MOMENT: Duration = Duration::from_millis(600);

/// The answer that is chosen by arrows and given by Enter. The first one is harmless, and chosen until somebody moves away from
/// it: no word or key that was meant for something else agrees to anything.
#[derive(Debug, Default)]
pub struct Answering {
    pub chosen: usize,
    /// When it takes keys; nothing while it was not shown.
    listens: Option<Instant>,
    heard: bool,
}

impl Answering {
    /// What is said while no key is taken.
    pub const DEAF: &'static str = "One moment: keys that were typed before are no answer.";

    /// For a question that a person called up: the next key is for it.
    pub fn listening() -> Self {
        Self {
            heard: true,
            ..Self::default()
        }
    }

    /// Whether keys are taken.
    pub fn hears(&self) -> bool {
        self.heard
    }

    /// The next one, or the one before.
    pub fn step(&mut self, answers: usize, back: bool) {
        self.chosen = (self.chosen + if back { answers - 1 } else { 1 }) % answers;
    }

    /// See [`Surface::deaf_until`].
    pub fn deaf_until(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.heard |= self.listens.is_some_and(|at| at <= now);
        if self.heard {
            return None;
        }
        if typed || self.listens.is_none() {
            self.listens = Some(now + MOMENT);
        }
        self.listens
    }

    /// Draws the question with its answers.
    pub fn draw(
        &self,
        canvas: &Canvas,
        area: Rect,
        title: &str,
        lines: &[String],
        answers: &[&str],
    ) {
        if !self.heard {
            let wait = [("", Self::DEAF)];
            return question(canvas, area, title, lines, &wait);
        }
        let mark = |n| {
            if n == self.chosen {
                canvas.symbols.collapsed
            } else {
                " "
            }
        };
        let mut keys: Vec<_> = (0..).map(mark).zip(answers.iter().copied()).collect();
        let arrows = if canvas.symbols.unicode {
            "←→"
        } else {
            "Left, Right"
        };
        keys.extend([(arrows, "choose"), ("Enter", "answers")]);
        question(canvas, area, title, lines, &keys);
    }
}

/// The question.
#[derive(Default)]
pub struct Confirm {
    /// What it is about.
    pub title: String,
    /// What will happen, one paragraph each.
    pub lines: Vec<String>,
    /// What yes means, as a verb: `remove all`.
    pub yes_label: String,
    /// What is done then.
    pub on_yes: Vec<Effect>,
    /// The answer, no until it is changed.
    pub choice: Answering,
}

impl Surface for Confirm {
    table! { "Question", s, cx;
        "confirm.choose" "choose" ["right" "left" "tab" "shift-tab" "down" "up"], Footer => s.choice.step(2, false);
        "confirm.answer" "answer" ["enter"], Footer => {
            cx.close();
            if s.choice.chosen == 1 {
                for effect in mem::take(&mut s.on_yes) {
                    cx.emit(effect);
                }
            }
        };
        "confirm.no" "no" ["n"], Footer => cx.close();
    }

    fn deaf_until(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.choice.deaf_until(now, typed)
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let yes = format!("Yes, {}", self.yes_label);
        let answers = ["No, leave it", &yes];
        self.choice
            .draw(canvas, area, &self.title, &self.lines, &answers);
    }
}

/// Wraps a line; what stands further in goes on a little further in still, so that no part of it looks like a line of its own.
fn hanging(line: &str, room: usize) -> Vec<String> {
    let indent = match line.len() - line.trim_start_matches(' ').len() {
        0 => 0,
        within => within + 2,
    };
    let ranges = wrap_hanging(line, room, indent).into_iter();
    let mut rows: Vec<String> = ranges
        .filter_map(|range| line.get(range).map(str::to_owned))
        .collect();
    for row in rows.iter_mut().skip(1) {
        row.insert_str(0, &" ".repeat(indent));
    }
    rows
}

/// Draws a small box with paragraphs and the keys that answer.
pub fn question(canvas: &Canvas, area: Rect, title: &str, lines: &[String], keys: &[(&str, &str)]) {
    let look = canvas.look();
    let answers: usize = keys.iter().map(|(k, t)| width(k) + width(t) + 4).sum();
    let widest = lines
        .iter()
        .map(|l| width(l))
        .chain([answers, width(title) + 4])
        .max()
        .unwrap_or(0);
    let room = usize::from(area.width.saturating_sub(6)).clamp(1, 72);
    let text: Vec<String> = lines
        .iter()
        .flat_map(|line| hanging(line, widest.min(room).max(1)))
        .collect();
    let place = centred(area, (widest.min(room) + 4) as u16, text.len() as u16 + 4);
    let inner = popup(canvas, place, Panel::new(look, title));
    let inner = inner.after(1);
    // Answers before explanations when there is no room for both.
    let shown = text.len().min(usize::from(inner.height.saturating_sub(2)));
    for (row, line) in (0..).zip(text.iter().take(shown)) {
        canvas.text(inner.row(row), line, look.theme.text);
    }
    // Nobody is to agree to what they did not see without knowing that there is more.
    let hidden = text.len() - shown;
    if hidden > 0 && shown > 0 {
        let last = inner.row(shown as u16 - 1);
        let more = format!("{} more lines: make the window higher", hidden + 1);
        canvas.clear(last, look.theme.overlay_bg);
        canvas.text(last, &more, look.theme.warning);
    }
    let answers = inner.row(inner.height.saturating_sub(1));
    let mut used = 0;
    for (key, title) in keys {
        let title_style = if *key == canvas.symbols.collapsed {
            look.theme.selection
        } else {
            look.theme.key_hint_text
        };
        for (text, style) in [
            (*key, look.theme.key_hint_key),
            (" ", look.theme.key_hint_text),
            (*title, title_style),
        ] {
            used += canvas.text(answers.after(used), text, style);
        }
        used += 3;
    }
}
