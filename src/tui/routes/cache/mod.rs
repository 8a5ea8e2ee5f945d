//! Clearing the artifact cache: what is old, how old that is, what of it is spared; then a question with the same numbers, a bar
//! while it goes, and a way back.
//!
//! [`doing`] clears and brings back, [`view`] draws. What may go at all is decided in `diagnostics::artifacts`.

mod doing;
mod view;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::doing::Doing;
use crate::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::app::effect::{Effect, RouteId};
use crate::app::msg::Msg;
use crate::app::work::{Teller, Work};
use crate::routes::debug::kit::{row, wheel};
use crate::widgets::list::ListState;
use base::text::sanitise::sanitise;
use diagnostics::Cancel;
use diagnostics::artifacts::{
    self, Batch, DAYS, Found, How, Plan, Progress, Scan, Spot, Totals, age,
};

/// The work that measures.
const SCAN: &str = "cache.scan";
/// Ages that are offered, in days.
const AGES: [u64; 9] = [0, 1, 7, 14, DAYS, 60, 90, 180, 365];

enum Told {
    Progress(usize, usize),
    Done(Result<(Scan, Vec<Batch>, Vec<String>), String>),
}

/// What is being done to folders.
#[derive(Debug, Default)]
enum Phase {
    #[default]
    Idle,
    /// What, how far, and how to stop it.
    Busy(&'static str, Progress, Cancel),
}

/// The route.
#[derive(Debug)]
pub struct CacheRoute {
    scan: Option<Scan>,
    plan: Plan,
    /// Folders of the plan that are to stay.
    spared: HashSet<Spot>,
    days: u64,
    how: How,
    batches: Vec<Batch>,
    scanning: Option<(usize, usize)>,
    failed: Option<String>,
    phase: Phase,
    /// What came of the last thing done, the most important sentence first.
    result: Vec<String>,
    now: i64,
    list: ListState,
}

impl Default for CacheRoute {
    fn default() -> Self {
        Self {
            scan: None,
            plan: Plan::default(),
            spared: HashSet::new(),
            days: DAYS,
            how: How::Trash,
            batches: Vec::new(),
            scanning: None,
            failed: None,
            phase: Phase::Idle,
            result: Vec::new(),
            now: 0,
            list: ListState::default(),
        }
    }
}

fn is_idle(s: &CacheRoute) -> Enabled {
    match s.phase {
        Phase::Idle => Ok(()),
        Phase::Busy(..) => Err("Wait until it is done; Esc stops it."),
    }
}

fn can_clear(s: &CacheRoute, _: &View<'_>) -> Enabled {
    is_idle(s)?;
    if s.chosen().next().is_some() {
        Ok(())
    } else {
        Err("Nothing is to be cleared: - asks for a shorter age.")
    }
}

fn can_undo(s: &CacheRoute, _: &View<'_>) -> Enabled {
    is_idle(s)?;
    if s.batches.is_empty() {
        Err("The trash is empty.")
    } else {
        Ok(())
    }
}

fn on_folder(s: &CacheRoute, _: &View<'_>) -> Enabled {
    s.current().map(|_| ()).ok_or("Select a folder first.")
}

fn idle(s: &CacheRoute, _: &View<'_>) -> Enabled {
    is_idle(s)
}

impl CacheRoute {
    fn current(&self) -> Option<&Found> {
        self.plan.clear.get(self.list.selected()?)
    }

    /// What goes: the plan without what is spared.
    fn chosen(&self) -> impl Iterator<Item = &Found> {
        self.plan
            .clear
            .iter()
            .filter(|found| !self.spared.contains(&found.spot))
    }

    fn totals(&self) -> Totals {
        Totals::of(self.chosen())
    }

    fn age(&self) -> Duration {
        Duration::from_secs(self.days * 86_400)
    }

    fn decide(&mut self) {
        if let Some(scan) = &self.scan {
            let selected = self.current().map(|found| found.spot.clone());
            self.plan = Plan::make(scan, self.age(), self.now);
            let at = self
                .plan
                .clear
                .iter()
                .position(|found| Some(&found.spot) == selected.as_ref());
            self.list
                .select(at.or_else(|| (!self.plan.clear.is_empty()).then_some(0)));
        }
    }

    fn change_age(&mut self, by: isize) {
        let at = AGES.iter().position(|days| *days == self.days).unwrap_or(4);
        let at = at.saturating_add_signed(by).min(AGES.len() - 1);
        self.days = AGES.get(at).copied().unwrap_or(DAYS);
        self.decide();
    }

    fn reload(&mut self, cx: &mut Cx<'_>) {
        self.scanning = Some((0, 0));
        let ground = Arc::clone(cx.view.ground);
        cx.emit(Effect::Work(Work::new(SCAN, move |teller: &Teller| {
            let progress = |done: usize, of: usize| {
                if done.is_multiple_of(16) {
                    teller.tell(Told::Progress(done, of));
                }
            };
            let scan = artifacts::scan(&ground, &progress, teller.cancel());
            let mut wrong = Vec::new();
            let batches = artifacts::batches(&ground, &mut |why| wrong.push(why));
            teller.tell(Told::Done(match scan {
                Ok(scan) => Ok((scan, batches, wrong)),
                Err(error) => Err(error.to_string()),
            }));
        })));
    }

    fn told(&mut self, told: &Told) {
        match told {
            Told::Progress(done, of) => self.scanning = Some((*done, *of)),
            Told::Done(Ok((scan, batches, wrong))) => {
                self.scanning = None;
                self.failed = None;
                self.now = age::now();
                self.scan = Some(scan.clone());
                self.batches.clone_from(batches);
                self.result.extend(wrong.iter().cloned());
                self.decide();
            }
            Told::Done(Err(why)) => {
                self.scanning = None;
                self.failed = Some(why.clone());
            }
        }
    }

    fn spare(&mut self) {
        if let Some(spot) = self.current().map(|found| found.spot.clone())
            && !self.spared.remove(&spot)
        {
            self.spared.insert(spot);
        }
        self.list.move_by(1, self.plan.clear.len());
    }

    fn spare_all(&mut self) {
        if self.chosen().next().is_some() {
            self.spared
                .extend(self.plan.clear.iter().map(|found| found.spot.clone()));
        } else {
            self.spared.clear();
        }
    }
}

impl Surface for CacheRoute {
    const TITLE: &'static str = "Clear cache";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "cache.clear",
            "clear what is listed",
            &["enter", "c"],
            Show::Bar("clear"),
            can_clear,
            Self::ask,
        ),
        row(
            "cache.spare",
            "spare this one, or not",
            &["space"],
            Show::Bar("spare"),
            on_folder,
            |s, _| s.spare(),
        ),
        row(
            "cache.younger",
            "a shorter age",
            &["-", "left"],
            Show::Footer,
            idle,
            |s, _| s.change_age(-1),
        ),
        row(
            "cache.older",
            "a longer age",
            &["+", "=", "right"],
            Show::Footer,
            idle,
            |s, _| s.change_age(1),
        ),
        row(
            "cache.undo",
            "bring back what was cleared last",
            &["u"],
            Show::Footer,
            can_undo,
            Self::undo,
        ),
        row(
            "cache.empty-trash",
            "empty the trash",
            &["E"],
            Show::Footer,
            can_undo,
            Self::ask_to_empty,
        ),
        row(
            "cache.trash",
            "into the trash, or delete at once",
            &["T"],
            Show::Footer,
            idle,
            |s, _| {
                s.how = match s.how {
                    How::Trash => How::Delete,
                    How::Delete => How::Trash,
                };
            },
        ),
        row(
            "cache.spare-all",
            "spare all, or none",
            &["a"],
            Show::HelpOnly,
            on_folder,
            |s, _| s.spare_all(),
        ),
        row(
            "cache.browse",
            "look at all artifacts",
            &["f"],
            Show::HelpOnly,
            always,
            |_, cx| {
                cx.emit(Effect::Go(RouteId::Artifacts));
            },
        ),
        row(
            "cache.desktop",
            "open with the desktop",
            &["o"],
            Show::HelpOnly,
            on_folder,
            |s, cx| {
                if let Some(found) = s.current() {
                    cx.emit(Effect::OpenExternally(found.spot.path()));
                }
            },
        ),
        row(
            "cache.copy",
            "copy the path",
            &["y"],
            Show::HelpOnly,
            on_folder,
            |s, cx| {
                if let Some(found) = s.current() {
                    cx.emit(Effect::Copy {
                        text: sanitise(&found.spot.path().display().to_string()).into_owned(),
                        what: "path".to_owned(),
                    });
                }
            },
        ),
        row(
            "cache.reload",
            "measure anew",
            &["r"],
            Show::HelpOnly,
            idle,
            Self::reload,
        ),
        row(
            "cache.up",
            "up",
            &["up", "k"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.move_by(-1, s.plan.clear.len());
            },
        ),
        row(
            "cache.down",
            "down",
            &["down", "j"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.move_by(1, s.plan.clear.len());
            },
        ),
        row(
            "cache.page-up",
            "a page up",
            &["pageup", "ctrl-b"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.page_by(-1, s.plan.clear.len());
            },
        ),
        row(
            "cache.page-down",
            "a page down",
            &["pagedown", "ctrl-f"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.page_by(1, s.plan.clear.len());
            },
        ),
        row(
            "cache.first",
            "first",
            &["home", "g"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.home(s.plan.clear.len());
            },
        ),
        row(
            "cache.last",
            "last",
            &["end", "G"],
            Show::HelpOnly,
            always,
            |s, _| {
                s.list.end(s.plan.clear.len());
            },
        ),
        row(
            "cache.back",
            "stop what is being done, then back",
            &["esc"],
            Show::HelpOnly,
            always,
            |s, cx| {
                if let Phase::Busy(_, _, cancel) = &s.phase {
                    cancel.cancel();
                } else {
                    cx.emit(Effect::Invoke("app.back".to_owned()));
                }
            },
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw(frame.buffer_mut(), area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(RouteId::Cache) => self.reload(cx),
            Msg::Shown(_) if self.scanning.take().is_some() => cx.emit(Effect::EndWork(SCAN)),
            Msg::Told(told) => {
                if let Some(told) = told.of::<Told>(SCAN) {
                    self.told(told);
                    cx.redraw();
                } else if let Some(doing) = told.of::<Doing>(doing::WORK) {
                    self.done(doing, cx);
                    cx.redraw();
                }
            }
            _ => {}
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if let Some(by) = wheel(&event) {
            self.list.scroll_by(by, self.plan.clear.len());
        } else if event.kind == MouseEventKind::Down(MouseButton::Left)
            && let Some(at) = self.list.row_at(event.column, event.row)
        {
            if self.list.selected() == Some(at) {
                self.spare();
            }
            self.list.select(Some(at));
        } else {
            return false;
        }
        cx.redraw();
        true
    }
}

#[cfg(test)]
mod tests;
