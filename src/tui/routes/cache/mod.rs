//! Clearing the artifact cache: what is old, how old that is, what of it is spared; then a question with the same numbers, a bar
//! while it goes, and a way back.
//!
//! [`clear`] clears and brings back, [`view`] draws. What may go at all is decided in `diagnostics::artifacts`.

mod clear;
mod view;

use diagnostics::artifacts::{
    self, ArtifactFolder, ArtifactLocation, Batch, DAYS, Plan, Progress, Scan, Totals, age,
};

use crate::{prelude::*, routes::artifacts::scan};

/// The work that measures.
const SCAN: &str = "cache.scan";
/// Ages that are offered, in days.
const AGES: [u64; 9] = [0, 1, 7, 14, DAYS, 60, 90, 180, 365];
/// Where [`DAYS`] is among them.
const USUAL: usize = 4;

/// What is being done to folders.
#[derive(Debug, Default)]
enum Phase {
    #[default]
    Idle,
    /// What, how far, and how to stop it.
    Busy(&'static str, Progress, Cancel),
}

/// The route.
#[derive(Debug, Default)]
pub struct CacheRoute {
    scan: Option<Scan>,
    plan: Plan,
    /// Folders of the plan that are to stay.
    spared: HashSet<ArtifactLocation>,
    /// Steps of [`AGES`] from the usual age.
    older: isize,
    batches: Vec<Batch>,
    scanning: Option<(usize, usize)>,
    failed: Option<String>,
    phase: Phase,
    /// What came of the last thing done, the most important sentence first.
    result: Vec<String>,
    now: i64,
    list: ListState,
}

gates! { CacheRoute, s;
    idle: matches!(s.phase, Phase::Idle), "Wait until it is done; Esc stops it.";
    can_clear after idle: s.chosen().next(), "Nothing is to be cleared: - asks for a shorter age.";
 can_undo after idle: !s.batches.is_empty(), "The trash is empty.";
 on_folder: s.current().is_some(), "Select a folder first.";
}

impl CacheRoute {
    fn current(&self) -> Option<&ArtifactFolder> {
        self.plan.clear.get(self.list.selected()?)
    }

    /// What goes: the plan without what is spared.
    fn chosen(&self) -> impl Iterator<Item = &ArtifactFolder> {
        self.plan
            .clear
            .iter()
            .filter(|found| !self.spared.contains(&found.spot))
    }

    fn totals(&self) -> Totals {
        Totals::of(self.chosen())
    }

    fn age(&self) -> Duration {
        let days = AGES.get(USUAL.saturating_add_signed(self.older));
        Duration::from_secs(days.unwrap_or(&DAYS) * 86_400)
    }

    fn decide(&mut self) {
        if let Some(scan) = &self.scan {
            let selected = self.current().map(|found| found.spot.clone());
            self.plan = Plan::make(scan, self.age(), self.now);
            self.list.reselect(&self.plan.clear, |found| {
                Some(&found.spot) == selected.as_ref()
            });
        }
    }

    fn change_age(&mut self, by: isize) {
        let most = (AGES.len() - USUAL - 1) as isize;
        self.older = (self.older + by).clamp(-(USUAL as isize), most);
        self.decide();
    }

    fn reload(&mut self, cx: &Cx) {
        self.scanning = Some((0, 0));
        let ground = Arc::clone(&cx.view.artifact_root);
        cx.work(SCAN, move |teller| {
            let scan = scan(&ground, teller, |s: &mut Self| &mut s.scanning);
            let mut wrong = Vec::new();
            let batches = artifacts::batches(&ground, &mut |why| wrong.push(why));

            teller.call(|s: &mut Self, _| {
                s.batches = batches;
                s.result.extend(wrong);
                s.scanned(scan);
            });
        });
    }

    fn scanned(&mut self, scan: Result<Scan, String>) {
        self.scanning = None;
        self.now = age::now();
        self.failed = scan.as_ref().err().cloned();
        if let Ok(scan) = scan {
            self.scan = Some(scan);
            self.decide();
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

impl Scrolls for CacheRoute {
    moves!(list, plan.clear.len());

    fn clicked(&mut self, again: bool, _cx: &Cx) {
        if again {
            let at = self.list.selected();
            self.spare();
            self.list.select(at);
        }
    }
}

impl Browser for CacheRoute {
    table! { "Clear cache", s, cx;
        "cache.clear" "clear what is listed" ["enter" "c"], Bar("clear") if can_clear => Self::ask;
        "cache.spare" "spare this one, or not" ["space"], Bar("spare") if on_folder => s.spare();
        "cache.younger" "a shorter age" ["-" "left"], Footer if idle => s.change_age(-1);
        "cache.older" "a longer age" ["+" "=" "right"], Footer if idle => s.change_age(1);
        "cache.undo" "bring back what was cleared last" ["u"], Footer if can_undo => Self::undo;
        "cache.empty-trash" "empty the trash" ["E"], Footer if can_undo => Self::ask_to_empty;
        "cache.spare-all" "spare all, or none" ["a"] if on_folder => s.spare_all();
        "cache.browse" "look at all artifacts" ["f"] -> ARTIFACTS;
        "cache.desktop" "open with the desktop" ["o"] if on_folder => {
            if let Some(found) = s.current() {
                cx.emit(Effect::OpenExternally(found.spot.path()));
            }
        };
        "cache.copy" "copy the path" ["y"] if on_folder => {
            if let Some(found) = s.current() {
                cx.copy(clean_path(&found.spot.path()), "path");
            }
        };
        "cache.reload" "measure anew" ["r"] if idle => Self::reload;
        lines "cache" "up" "down";
        ends "cache" "first" "last";
        "cache.back" "stop what is being done, then back" ["esc"] => {
            if let Phase::Busy(_, _, cancel) = &s.phase {
                cancel.cancel();
            } else {
                cx.back();
            }
        };
    }

    type Begin = ();

    fn show(&mut self, shown: bool, cx: &Cx) {
        if shown {
            self.reload(cx);
        } else if self.scanning.take().is_some() {
            cx.end_work(SCAN);
        }
    }
}

#[cfg(test)]
mod tests;
