//! The question before the inspector of a program is opened, which is a port in a process of others.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::settled;
use crate::diagnostics::profile::take::Request;
use crate::tui::action::{Action, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::overlays::confirm::question;

/// It.
pub struct Consent {
    /// What is to be taken, without the inspector.
    pub(super) request: Request,
    /// What will happen, a paragraph each.
    pub(super) lines: Vec<String>,
}

impl Surface for Consent {
    const TITLE: &'static str = "Inspector";
    const ACTIONS: &'static [Action<Self>] = &[
        Action {
            id: "inspector.open",
            title: "open the inspector, and profile",
            // Not Enter: a port is not to be opened by a key that was meant for something else.
            keys: &["y"],
            show: Show::Footer,
            enabled: always,
            run: |s, cx| {
                let mut request = s.request.clone();
                request.options.may_open = true;
                cx.emit(Effect::Close);
                cx.emit(settled(request));
            },
        },
        Action {
            id: "inspector.without",
            title: "profile without it",
            keys: &["n"],
            show: Show::Footer,
            enabled: always,
            run: |s, cx| {
                cx.emit(Effect::Close);
                cx.emit(settled(s.request.clone()));
            },
        },
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let keys = [
            ("y", "open it"),
            ("n", "machine code only"),
            ("Esc", "neither"),
        ];
        let title = "Open its inspector?";
        question(frame, area, view, title, &self.lines, &keys);
    }
}
