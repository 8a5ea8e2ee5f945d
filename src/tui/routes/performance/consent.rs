//! The question before the inspector of a program is opened, which is a port in a process of others.

use diagnostics::profile::take::Request;

use super::settled;
use crate::{kit::prelude::*, overlays::confirm::Answering};

const ANSWERS: [&str; 3] = ["Neither", "Machine code only", "Open it"];

/// It.
pub struct Consent {
    /// What is to be taken, without the inspector.
    pub(super) request: Request,
    /// What will happen, a paragraph each.
    pub(super) lines: Vec<String>,
    /// Which of [`ANSWERS`] is chosen.
    pub(super) choice: Answering,
}

impl Surface for Consent {
    const TITLE: &'static str = "Inspector";
    const ACTIONS: &'static [Action<Self>] = rows![
        "inspector.next" "choose" ["right", "tab", "down"]: Footer => |s, _| s.choice.step(ANSWERS.len(), false);
        "inspector.previous" "choose" ["left", "shift-tab", "up"] => |s, _| s.choice.step(ANSWERS.len(), true);
        "inspector.answer" "answer" ["enter"]: Footer => |s, cx| {
            cx.emit(Effect::Close);
            let mut request = s.request.clone();
            request.options.may_open = s.choice.chosen() == 2;
            if s.choice.chosen() > 0 {
                cx.emit(settled(request));
            }
        };
        "inspector.without" "profile without it" ["n"]: Footer => |s, cx| {
            cx.emit(Effect::Close);
            cx.emit(settled(s.request.clone()));
        };
    ];

    fn deaf_until(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.choice.deaf_until(now, typed)
    }

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let title = "Open its inspector?";
        self.choice
            .draw(frame, area, view, title, &self.lines, &ANSWERS);
    }
}
