//! Work: what omp-debug itself was busy with in the last half minute, on the same desk as every profile.

use diagnostics::profile::{Profile, work};

use super::performance::{ProfileDesk, Works};
use crate::{action::Layer, prelude::*};

const WORKS: Works = Works {
    build: "work.build",
    save: "work.save",
    base: "work.base",
    find: "work.find",
    choose: "work.choose",
    stem: "work-profile",
};

/// The work that looks.
const LOOK: &str = "work.look";
/// How far back is looked, as omp does.
const LAST: Duration = Duration::from_secs(30);

/// The route.
pub struct WorkRoute {
    desk: ProfileDesk,
}

impl Default for WorkRoute {
    fn default() -> Self {
        Self {
            desk: ProfileDesk::new(WORKS),
        }
    }
}

impl WorkRoute {
    fn look(cx: &Cx) {
        let look = |_: &Teller| Arc::new(work::snapshot(LAST));
        cx.finding(LOOK, look, Self::show);
    }

    /// Shows what was recorded; a recording without anything in it shows that.
    pub fn show(&mut self, profile: Arc<Profile>, cx: &Cx) {
        if profile.samples.is_empty() {
            self.desk.clear();
            cx.redraw();
        } else {
            self.desk.show(profile, None, cx);
        }
    }
}

impl Surface for WorkRoute {
    table! { "Work", s, cx;
        "work.look" "look again at the last 30 s" ["r"], Bar("look again") => Self::look(cx);
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        if self.desk.has_profile() {
            return self.desk.fill(canvas, area);
        }
        let lines = [
            "omp-debug did nothing worth a mention in the last 30 s",
            "",
            "r looks again: requests, frames, searches and other work of its own are recorded as they end",
        ];
        empty(canvas, area, &lines);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Shown => Self::look(cx),
            Msg::Progress(told) => told.call(self, cx),
            _ => {}
        }
        self.desk.on_msg(msg, cx);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        self.desk.on_mouse(event, cx)
    }

    fn inner(&self) -> Option<&dyn Layer> {
        Some(&self.desk)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Layer> {
        Some(&mut self.desk)
    }
}
