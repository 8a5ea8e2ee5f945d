//! Artifacts: what sessions of omp left in files; one folder after the other, and what is in each.
//!
//! [`inside`] looks into one folder, [`mod@rows`] says how a folder looks as a row, [`view`] draws. Measuring is done in
//! `diagnostics::artifacts`; what is old is cleared in the route beside this one.

mod inside;
pub mod rows;
mod view;

use std::cmp::Reverse;

use diagnostics::artifacts::{self, ArtifactFolder, ArtifactRoot, Scan, age};

use self::inside::Inside;
use crate::{action::msg::WorkProgress, prelude::*};

/// The work that measures.
const SCAN: &str = "artifacts.scan";
/// Folders measured between two frames of progress.
const STEP: usize = 16;

/// In which order folders stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Newest,
    Largest,
    Title,
}

/// The route.
#[derive(Debug, Default)]
pub struct ArtifactsRoute {
    found: Vec<ArtifactFolder>,
    others: u64,
    notes: Vec<String>,
    failed: Option<String>,
    /// Whether the folders were ever measured.
    known: bool,
    /// How far the measuring is.
    scanning: Option<(usize, usize)>,
    order: Order,
    now: i64,
    list: ListState,
    inside: Option<Inside>,
}

/// Looks through all artifacts; the route is told how far it is.
pub fn scan<R: 'static>(
    ground: &ArtifactRoot,
    teller: &Teller,
    show: fn(&mut R) -> &mut Option<(usize, usize)>,
) -> Result<Scan, String> {
    let progress = |done: usize, of: usize| {
        if done.is_multiple_of(STEP) {
            teller.call(move |route: &mut R, _| *show(route) = Some((done, of)));
        }
    };
    let scan = artifacts::scan(ground, &progress, teller.cancel());
    scan.map_err(|error| error.to_string())
}

gates! { ArtifactsRoute, s;
    on_folder: s.current().is_some(), "Select a folder first.";
}

impl ArtifactsRoute {
    fn current(&self) -> Option<&ArtifactFolder> {
        self.found.get(self.list.selected()?)
    }

    fn sort(&mut self) {
        let selected = self.current().map(|found| found.spot.clone());
        let found = &mut self.found;
        match self.order {
            Order::Newest => found.sort_by_key(|found| Reverse(found.tally.newest)),
            Order::Largest => found.sort_by_key(|found| Reverse(found.tally.bytes)),
            Order::Title => found.sort_by_key(|found| found.name().to_lowercase()),
        }
        let at = found
            .iter()
            .position(|found| Some(&found.spot) == selected.as_ref());
        self.list.select(at.or_else(|| self.list.selected()));
    }

    fn reload(&mut self, cx: &Cx) {
        self.scanning = Some((0, 0));
        let ground = Arc::clone(&cx.view.artifact_root);
        cx.work(SCAN, move |teller| {
            let scan = scan(&ground, teller, |s: &mut Self| &mut s.scanning);
            teller.call(|s: &mut Self, _| s.scanned(scan));
        });
        if let Some(inside) = &self.inside {
            inside.reload(cx);
        }
    }

    fn scanned(&mut self, scan: Result<Scan, String>) {
        self.scanning = None;
        self.now = age::now();
        match scan {
            Ok(scan) => {
                self.failed = None;
                self.others = scan.others;
                self.notes = scan.notes;
                let selected = self.current().map(|found| found.spot.clone());
                self.found = scan.found;
                let first = !mem::replace(&mut self.known, true);
                let at = self.found.iter().position(|found| match &selected {
                    Some(spot) => found.spot == *spot,
                    // What one comes for is most often the session one has just left.
                    None => first && found.own,
                });
                self.list
                    .select(at.or_else(|| (!self.found.is_empty()).then_some(0)));
                self.sort();
            }
            Err(why) => self.failed = Some(why),
        }
    }

    fn open(&mut self, cx: &Cx) {
        if let Some(inside) = &mut self.inside {
            inside.open(cx);
        } else if let Some(found) = self.current() {
            let inside = Inside::new(found.spot.clone(), found.name().to_owned());
            inside.reload(cx);
            self.inside = Some(inside);
        }
    }

    fn path(&self) -> Option<PathBuf> {
        match &self.inside {
            Some(inside) => Some(inside.path()),
            None => Some(self.current()?.spot.path()),
        }
    }
}

impl Scrolls for ArtifactsRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match &mut self.inside {
            Some(inside) => inside.scrolled(),
            None => Scrolled::Rows(&mut self.list, self.found.len()),
        }
    }

    /// A second click on the same row opens it.
    fn clicked(&mut self, again: bool, cx: &Cx) {
        if again {
            self.open(cx);
        }
    }
}

impl Browser for ArtifactsRoute {
    table! { "Artifacts", s, cx;
        "artifacts.open" "look inside" ["enter" "right"], Bar("open") if on_folder => Self::open;
        "artifacts.desktop" "open with the desktop" ["o"], Bar("desktop") if on_folder => {
            if let Some(path) = s.path() {
                cx.info(format!("Opening {}", path.display()));
                cx.emit(Effect::OpenExternally(path));
            }
        };
        "artifacts.clear" "clear old ones" ["c" "x"], Bar("clear") -> CACHE;
        "artifacts.copy" "copy the path" ["y" "ctrl-c"], Footer if on_folder => {
            if let Some(path) = s.path() {
                cx.copy(clean_path(&path), "path");
            }
        };
        "artifacts.sort" "newest, largest or by title" ["s"], Footer if on_folder => {
            s.order = beside(&[Order::Newest, Order::Largest, Order::Title], s.order, 1);
            s.sort();
        };
        "artifacts.own" "this terminal's session" ["t"], Footer if |s, _| s.found.iter().any(|found| found.own).or_why("The session of this terminal has no artifacts, or omp never ran here.") => {
            s.inside = None;
            let at = s.found.iter().position(|found| found.own);
            s.list.select(at);
        };
        "artifacts.edit" "open a file in the editor" ["e"] if on_folder => match s.inside.as_ref().and_then(Inside::file) {
            Some(path) => cx.emit(Effect::Edit { path, line: 1 }),
            None => cx.warn("Select a file first: Enter looks into a folder."),
        };
        "artifacts.reload" "measure anew" ["r"] => Self::reload;
        lines "artifacts" "up" "down";
        ends "artifacts" "first" "last";
        "artifacts.leave" "out of what is open" ["left" "backspace"] => {
            s.leave(cx);
        };
        back "artifacts" "out of what is open, then back";
    }

    type Begin = ();

    fn leave(&mut self, cx: &Cx) -> bool {
        let Some(inside) = &mut self.inside else {
            return false;
        };
        if !inside.leave(cx) {
            cx.end_work(inside::LIST);
            self.inside = None;
        }
        true
    }

    fn on_progress(&mut self, told: &WorkProgress, cx: &Cx) {
        told.call(self, cx);
        if let Some(inside) = &mut self.inside {
            told.call(inside, cx);
        }
    }

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
