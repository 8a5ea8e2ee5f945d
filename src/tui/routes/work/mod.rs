//! Work: what omp-debug itself was busy with, on the same desk as every profile.

use std::sync::Arc;

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::performance::Works;
use super::performance::desk::ProfileDesk;
use crate::diagnostics::profile::Profile;
use crate::tui::action::{Action, Cx, Layer, Surface, View};
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::kit::empty;

static WORKS: Works = Works {
    build: "work.build",
    save: "work.save",
    base: "work.base",
    find: "work.find",
    stem: "work-profile",
};

/// The route.
pub struct WorkRoute {
    desk: ProfileDesk,
}

impl Default for WorkRoute {
    fn default() -> Self {
        Self {
            desk: ProfileDesk::new(&WORKS),
        }
    }
}

impl WorkRoute {
    /// Shows what was recorded; a recording without anything in it shows that.
    pub fn show(&mut self, profile: Arc<Profile>, cx: &mut Cx<'_>) {
        if profile.samples().is_empty() {
            self.desk.clear();
            cx.redraw();
        } else {
            self.desk.show(profile, None, cx);
        }
    }
}

impl Surface for WorkRoute {
    const TITLE: &'static str = "Work";
    const ACTIONS: &'static [Action<Self>] = &[];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        if self.desk.has_profile() {
            self.desk.render(frame, area, view);
            return;
        }
        let lines = [
            "Nothing was recorded",
            "",
            "What omp-debug itself does is shown here once something records it",
        ];
        empty(frame.buffer_mut(), area, &lines, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        self.desk.on_msg(msg, cx);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        self.desk.on_mouse(event, cx)
    }

    fn inner(&self) -> Option<&dyn Layer> {
        Some(&self.desk)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Layer> {
        Some(&mut self.desk)
    }
}
