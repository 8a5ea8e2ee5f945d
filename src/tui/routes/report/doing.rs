//! What keys and answers change, and the work they ask for.

use debugger::Severity;
use diagnostics::{
    profile::{export, work},
    report::{self, Bundle, Extra, Level, Plan, Request},
};

use super::{
    Busy, Field, Found, Mode, Opening, Read, ReportBegin, ReportRoute, Shown, Wrote,
    browse::Browse,
    model::{Model, Row},
};
use crate::{kit::prelude::*, routes::performance};

const FIND: &str = "report.find";
const WRITE: &str = "report.write";
const READ: &str = "report.read";
const OPEN: &str = "report.open";
const LIST: &str = "report.list";

/// Bytes of a member that are shown.
const SHOWN: u64 = 512 * 1024;
/// Reports that are offered.
const OFFERED: usize = 200;
/// Progress is told this often.
const OFTEN: Duration = Duration::from_millis(60);

impl ReportRoute {
    pub(super) fn show(&mut self, shown: bool, cx: &mut Cx<'_>) {
        let is_missing = self.model.is_none() || self.is_stale;
        if shown && !self.shown && is_missing && self.browse.is_none() {
            self.find(cx);
        } else if !shown && self.shown {
            for work in [FIND, READ, OPEN, LIST] {
                cx.end_work(work);
            }
            // A report that is being written is written: leaving the screen is no reason to lose it.
            if !matches!(self.busy, Busy::Writing(..)) {
                self.busy = Busy::No;
                // What was not counted to the end is counted anew.
                if self.model.as_ref().is_some_and(|model| !model.complete) {
                    self.model = None;
                }
            }
        }
        self.shown = shown;
    }

    pub(super) fn begin(&mut self, begin: &ReportBegin, cx: &mut Cx<'_>) {
        self.fast = begin.fast;
        self.request = Some(begin.request.clone());
        match &begin.file {
            Some(file) => {
                cx.end_work(FIND);
                (self.busy, self.model) = (Busy::No, None);
                self.open(file.clone(), cx);
            }
            None => self.find(cx),
        }
    }

    /// Looks for everything and counts the secrets in it.
    pub(super) fn find(&mut self, cx: &mut Cx<'_>) {
        if matches!(self.busy, Busy::Writing(..)) {
            return;
        }
        if let Some(model) = self.model.take() {
            self.off = model.off();
        }
        (self.failed, self.text) = (None, None);
        (self.busy, self.is_stale) = (Busy::Finding, false);
        let (request, profile) = (self.request.clone(), self.profile.clone());
        let layout = Arc::clone(cx.view.omp);
        let state = cx.view.state;
        let state = (!state.sessions.is_empty()).then(|| state.clone());
        cx.work(FIND, move |teller| {
            let mut request = request.unwrap_or_else(|| Request::of_process((*layout).clone()));
            if let Some(mut state) = state {
                // What was typed before is the person's own.
                state.memory.clear();
                if let Ok(state) = serde_json::to_value(&state) {
                    request.extras.push(Extra::Debug(state));
                }
            }
            let taken = profile.map(|profile| export::members(&profile, teller.cancel()));
            let taken = match taken.transpose() {
                Ok(taken) => taken.unwrap_or_default(),
                Err(error) => {
                    teller.tell(Found::Failed(format!(
                        "The profile that was taken: {error}"
                    )));
                    return;
                }
            };
            // And what the screen was busy with of late.
            let profiles = taken.into_iter().chain(work::members());
            let profiles = profiles.map(|(name, bytes)| Extra::Profile(name, bytes));
            request.extras.extend(profiles);
            let redactor = request.redactor();
            let plan = match Plan::find(&request, teller.cancel()) {
                Ok(plan) => Arc::new(plan),
                Err(why) => {
                    teller.tell(Found::Failed(why));
                    return;
                }
            };
            if !teller.tell(Found::Plan(Arc::clone(&plan), redactor.clone())) {
                return;
            }
            let mut counted = Vec::new();
            let mut last = Instant::now();
            let cancel = teller.cancel();
            let done = report::pack(&plan, Some(&redactor), None, cancel, &mut |step| {
                counted.extend_from_slice(step.packed);
                if last.elapsed() >= OFTEN {
                    last = Instant::now();
                    let counted = std::mem::take(&mut counted);
                    teller.tell(Found::Counted(counted, step.done, step.total));
                }
            });
            match done {
                Ok(outcome) => teller.tell(Found::Done(outcome)),
                Err(error) => teller.tell(Found::Failed(error.to_string())),
            };
        });
    }

    pub(super) fn told(&mut self, told: &Told, cx: &mut Cx<'_>) {
        if let Some(profile) = performance::taken(told) {
            self.profile = Some(Arc::clone(profile));
            self.is_stale = true;
        } else if let Some(found) = told.of::<Found>(FIND) {
            self.found(found);
        } else if let Some(wrote) = told.of::<Wrote>(WRITE) {
            self.wrote(wrote, cx);
        } else if let Some(read) = told.of::<Read>(READ) {
            self.read(read);
        } else if let Some(opened) = told.of::<Result<Bundle, String>>(OPEN) {
            self.opened(opened, cx);
        } else if let Some(files) = told.of::<Vec<(PathBuf, u64)>>(LIST) {
            if let Mode::Opening(opening) = &mut self.mode {
                opening.list.home(files.len());
                opening.files = Some(files.clone());
            }
        } else {
            return;
        }
        if self.shown {
            cx.redraw();
        }
    }

    pub(super) fn found(&mut self, found: &Found) {
        match found {
            Found::Plan(plan, redactor) => {
                let model = Model::new(Arc::clone(plan), &self.off);
                self.busy = Busy::Counting(0, plan.size());
                self.redactor = Some(redactor.clone());
                let at = self.list.selected().unwrap_or(0);
                self.list.select((!model.rows().is_empty()).then_some(at));
                self.model = Some(model);
            }
            Found::Counted(packed, done, total) => {
                self.busy = Busy::Counting(*done, *total);
                if let Some(model) = &mut self.model {
                    model.learn(packed);
                }
            }
            Found::Done(outcome) => {
                self.busy = Busy::No;
                if let Some(model) = &mut self.model {
                    model.learn(&outcome.packed);
                    model.complete(outcome.notes.clone());
                }
            }
            Found::Failed(why) => {
                self.busy = Busy::No;
                self.failed = Some(clean(why));
            }
        }
    }

    // Writing.

    pub(super) fn ask_target(&mut self, cx: &Cx<'_>) {
        let name = report::name_of_report(jiff::Timestamp::now());
        let path = cx.view.omp.reports.join(name);
        self.mode = Mode::Target(Field::new(path.to_string_lossy()));
    }

    fn write(&mut self, path: PathBuf, cx: &mut Cx<'_>) {
        let (Some(model), Some(redactor)) = (&self.model, self.redactor.clone()) else {
            return;
        };
        let off = model.off();
        let plan = Arc::clone(model.plan());
        let level = if self.fast { Level::Fast } else { Level::Small };
        (self.failed, self.written) = (None, None);
        self.busy = Busy::Writing(0, model.sum().size);
        cx.work(WRITE, move |teller| {
            let mut plan = (*plan).clone();
            plan.leave_out(&off);
            let mut last = Instant::now();
            let cancel = teller.cancel();
            let how = (level, false);
            let done = report::write(&plan, Some(&redactor), &path, how, cancel, &mut |step| {
                if last.elapsed() >= OFTEN {
                    last = Instant::now();
                    teller.tell(Wrote::Some(step.done, step.total));
                }
            });
            match done {
                Ok(written) => teller.tell(Wrote::Done(written)),
                Err(error) => teller.tell(Wrote::Failed(error.to_string())),
            };
        });
    }

    fn wrote(&mut self, wrote: &Wrote, cx: &mut Cx<'_>) {
        match wrote {
            Wrote::Some(done, total) => self.busy = Busy::Writing(*done, *total),
            Wrote::Done(written) => {
                self.busy = Busy::No;
                cx.info(format!(
                    "The report is written: {} ({}).",
                    sanitise(&written.path.to_string_lossy()),
                    amount::size(written.outcome.written)
                ));
                self.written = Some(written.clone());
            }
            Wrote::Failed(why) => {
                self.busy = Busy::No;
                let text = clean(why);
                cx.emit(Effect::Notify {
                    severity: Severity::Error,
                    text: text.clone(),
                    hint: None,
                });
                self.failed = Some(text);
            }
        }
    }

    // Looking.

    pub(super) fn current_row(&self) -> Option<Row> {
        let model = self.model.as_ref().filter(|_| self.browse.is_none())?;
        model.rows().get(self.list.selected()?).copied()
    }

    pub(super) fn switch(&mut self) {
        let Some(row) = self.current_row() else {
            return;
        };
        if let Some(model) = &mut self.model {
            model.switch(row);
            self.list.move_by(1, model.rows().len());
        }
    }

    pub(super) fn look(&mut self, cx: &mut Cx<'_>) {
        if self.text.take().is_some() {
            return;
        }
        self.look_anew(cx);
    }

    fn look_anew(&mut self, cx: &mut Cx<'_>) {
        if let Some(browse) = &self.browse {
            let Some((number, entry)) = browse.current() else {
                return;
            };
            let (path, name) = (browse.path.clone(), entry.name.clone());
            cx.work(READ, move |teller| {
                let content = Bundle::read(&path, number, SHOWN, teller.cancel());
                let content = content.map_err(|error| error.to_string());
                teller.tell(Read { name, content });
            });
            return;
        }
        let row = self.current_row();
        let (Some(model), Some(row)) = (&mut self.model, row) else {
            return;
        };
        let index = match row {
            Row::Artifacts => {
                let at = model.fold();
                self.list.select(at);
                return;
            }
            Row::Note(_) => return,
            Row::Member(index) => index,
        };
        let (plan, redactor) = (Arc::clone(model.plan()), self.redactor.clone());
        cx.work(READ, move |teller| {
            let name = plan.members.get(index).map(|member| member.name.clone());
            let content = report::beginning(&plan, index, redactor.as_ref(), SHOWN);
            teller.tell(Read {
                name: name.unwrap_or_default(),
                content: content.map_err(|error| error.to_string()),
            });
        });
    }

    fn read(&mut self, read: &Read) {
        let (text, remark) = match &read.content {
            Ok(content) => {
                let remark = if content.is_cut() {
                    format!("the beginning of {}", amount::size(content.size))
                } else {
                    amount::size(content.size)
                };
                (sanitise_block(&content.text()), remark)
            }
            Err(why) => (clean(why), "cannot be read".to_owned()),
        };
        let mut view = TextView::new(&text);
        view.home();
        self.text = Some(Shown {
            name: clean(&read.name),
            text: view,
            remark,
        });
    }

    // Reports that are there.

    pub(super) fn ask_report(&mut self, cx: &mut Cx<'_>) {
        self.mode = Mode::Opening(Opening::default());
        let folder = cx.view.omp.reports.clone();
        let written = self.written.as_ref().map(|written| written.path.clone());
        cx.work(LIST, move |teller| {
            teller.tell(report::reports_in(&folder, written, OFFERED));
        });
    }

    fn open(&mut self, path: PathBuf, cx: &mut Cx<'_>) {
        (self.text, self.failed) = (None, None);
        self.browse = Some(Browse::new(path.clone()));
        cx.work(OPEN, move |teller| {
            let opened = Bundle::open(&path, teller.cancel());
            teller.tell(opened.map_err(|error| error.to_string()));
        });
    }

    fn opened(&mut self, opened: &Result<Bundle, String>, cx: &mut Cx<'_>) {
        match opened {
            Ok(bundle) => {
                for note in &bundle.notes {
                    cx.warn(clean(note));
                }
                if let Some(browse) = &mut self.browse {
                    browse.list.home(bundle.entries.len());
                    browse.bundle = Some(bundle.clone());
                }
            }
            Err(why) => {
                self.browse = None;
                self.failed = Some(clean(why));
                if self.model.is_none() && self.busy == Busy::No {
                    // There is a new report to go on with.
                    let failed = self.failed.take();
                    self.find(cx);
                    self.failed = failed;
                }
            }
        }
    }

    // Typing.

    pub(super) fn ask_session(&mut self) {
        let session = self.model.as_ref().and_then(|m| m.plan().session.as_ref());
        let path = session.map(|session| session.path.to_string_lossy().into_owned());
        self.mode = Mode::Session(Field::proposing(path.unwrap_or_default()));
    }

    pub(super) fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let leaves = leaves(key);
        if leaves {
            self.mode = Mode::Browse;
            return true;
        }
        if key.code == KeyCode::Enter {
            self.enter(cx);
            return true;
        }
        match &mut self.mode {
            Mode::Browse => false,
            Mode::Target(field) | Mode::Session(field) | Mode::Search(field) => field.key(key),
            Mode::Opening(opening) => {
                let len = opening.files.as_ref().map_or(0, Vec::len);
                match key.code {
                    KeyCode::Up => opening.list.move_by(-1, len),
                    KeyCode::Down => opening.list.move_by(1, len),
                    KeyCode::PageUp => opening.list.page_by(-1, len),
                    KeyCode::PageDown => opening.list.page_by(1, len),
                    _ => return opening.field.key(key),
                }
                true
            }
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        match std::mem::take(&mut self.mode) {
            Mode::Browse => {}
            Mode::Target(field) => {
                let typed = field.text().trim();
                if !typed.is_empty() {
                    self.write(self.path(typed, cx), cx);
                }
            }
            Mode::Session(field) => {
                let typed = field.text().trim().to_owned();
                let layout = Arc::clone(cx.view.omp);
                let request = self.request.take();
                let mut request = request.unwrap_or_else(|| Request::of_process((*layout).clone()));
                request.session = (!typed.is_empty()).then_some(typed);
                self.request = Some(request);
                self.find(cx);
            }
            Mode::Opening(opening) => {
                let typed = opening.field.text().trim();
                if !typed.is_empty() {
                    self.open(self.path(typed, cx), cx);
                    return;
                }
                let at = opening.list.selected().unwrap_or(0);
                let file = opening.files.as_ref().and_then(|files| files.get(at));
                if let Some((path, _)) = file {
                    self.open(path.clone(), cx);
                }
            }
            Mode::Search(field) => {
                if let Some(shown) = &mut self.text {
                    let _ = shown.text.search(field.text(), false);
                }
            }
        }
    }

    /// What a person typed, from their folder on.
    fn path(&self, typed: &str, cx: &Cx<'_>) -> PathBuf {
        let home = self.request.as_ref().and_then(|r| r.variables.get("HOME"));
        match (typed.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Path::new(home).join(rest),
            (Some(rest), None) => std::env::home_dir().unwrap_or_default().join(rest),
            _ => cx.view.project.join(typed),
        }
    }

    pub(super) fn next_match(&mut self, step: isize) {
        if let Some(shown) = &mut self.text {
            shown.text.next_match(step);
        }
    }

    pub(super) fn copy(&self, cx: &mut Cx<'_>) {
        let (text, what) = if let Some(shown) = &self.text {
            (shown.text.text(), format!("text of {}", shown.name))
        } else {
            let browsed = self.browse.as_ref().map(|browse| &browse.path);
            let written = self.written.as_ref().map(|written| &written.path);
            let Some(path) = browsed.or(written) else {
                return;
            };
            let path = clean_path(path);
            (path, "path of the report".to_owned())
        };
        cx.copy(text, what);
    }

    // Moving.

    /// Closes what is open; false when nothing was.
    pub(super) fn leave_something(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.text.take().is_some() {
            return true;
        }
        if matches!(self.busy, Busy::Writing(..)) {
            cx.end_work(WRITE);
            cx.info("Writing was stopped; nothing is left of it.");
            self.busy = Busy::No;
            return true;
        }
        if self.browse.take().is_some() {
            cx.end_work(OPEN);
            if self.model.is_none() && self.busy == Busy::No {
                self.find(cx);
            }
            return true;
        }
        self.failed.take().is_some()
    }
}

impl Scrolls for ReportRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        if let Some(shown) = &mut self.text {
            return Scrolled::Text(&mut shown.text);
        }
        if let Some(browse) = &mut self.browse {
            let len = browse.len();
            return Scrolled::Rows(&mut browse.list, len);
        }
        let len = self.model.as_ref().map_or(0, |model| model.rows().len());
        Scrolled::Rows(&mut self.list, len)
    }

    /// What is shown in full goes with the selection; a second click opens and closes it.
    fn click(&mut self, (column, row): (u16, u16), cx: &mut Cx<'_>) -> bool {
        let list = match &mut self.browse {
            Some(browse) => &mut browse.list,
            None => &mut self.list,
        };
        let Some(at) = list.row_at(column, row) else {
            return false;
        };
        let again = list.selected() == Some(at);
        list.select(Some(at));
        if again {
            self.look(cx);
        } else if self.text.is_some() {
            self.look_anew(cx);
        }
        true
    }
}
