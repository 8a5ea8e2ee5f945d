//! What keys and answers change, and the work they ask for.

use debugger::{Command, Severity};
use diagnostics::{
    profile::{Profile, export, work},
    report::{self, Bundle, Content, Extra, Level, Note, Packed, Plan, Request, WrittenReport},
};

use super::{
    Busy, FIND, HANG, MemberText, OPEN, READ, ReportRoute,
    browse::Browse,
    model::{Model, Row},
};
use crate::prelude::*;

pub const WRITE: &str = "report.write";

/// Bytes of a member that are shown.
const SHOWN: u64 = 512 * 1024;
/// Progress is told this often.
const OFTEN: Duration = Duration::from_millis(60);

impl ReportRoute {
    /// Looks for everything and counts the secrets in it.
    pub(super) fn find(&mut self, cx: &Cx) {
        if matches!(self.busy, Busy::Writing(..)) {
            return;
        }
        self.forget();
        self.text = None;
        self.find_more(cx);
    }

    /// Drops the plan; what was left out of it stays left out of the next.
    pub(super) fn forget(&mut self) {
        if let Some(model) = self.model.take() {
            self.off = model.names_off();
        }
    }

    /// The same, while what is there and is read stays on the screen.
    pub(super) fn find_more(&mut self, cx: &Cx) {
        (self.busy, self.is_stale, self.failed) = (Busy::Finding, false, None);
        let (request, profile) = (self.request.clone(), self.profile.clone());
        let layout = Arc::clone(&cx.view.omp);
        let state = &cx.view.state;
        let live = state.focused().filter(|s| s.phase.is_live());
        if let Some(session) = live.filter(|s| self.hang.as_ref().is_none_or(|h| h.0 != s.id)) {
            // Found again when it is known.
            let session = session.id;
            self.hang = Some((session, None));
            let (session, threads) = (Some(session), None);
            cx.emit(Effect::ask(HANG, 0, Command::Hang { session, threads }));
        }
        let hang = self.hang.clone().and_then(|(_, text)| text);
        let state = (!state.sessions.is_empty()).then(|| (**state).clone());
        cx.work(FIND, move |teller| {
            let mut request = request.unwrap_or_else(|| Request::of_process((*layout).clone()));
            request.extras.extend(hang.map(Extra::Hang));
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
                    let why = format!("The profile that was taken: {error}");
                    teller.call(move |s: &mut Self, _| s.not_found(&why));
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
                    teller.call(move |s: &mut Self, _| s.not_found(&why));
                    return;
                }
            };
            let found = (Arc::clone(&plan), redactor.clone());
            if !teller.call(|s: &mut Self, _| s.planned(found.0, found.1)) {
                return;
            }
            let mut counted = Vec::new();
            let mut last = Instant::now();
            let cancel = teller.cancel();
            let done = report::pack(&plan, Some(&redactor), None, cancel, &mut |step| {
                counted.extend_from_slice(step.packed);
                if last.elapsed() >= OFTEN {
                    last = Instant::now();
                    let counted = mem::take(&mut counted);
                    let busy = Busy::Counting(step.done, step.total);
                    teller.call(move |s: &mut Self, _| s.counted(busy, &counted, None));
                }
            });
            teller.call(|s: &mut Self, _| match done {
                Ok(outcome) => s.counted(Busy::No, &outcome.packed, Some(outcome.notes)),
                Err(error) => s.not_found(&error.to_string()),
            });
        });
    }

    /// A profile was taken on the screen: a report takes it along.
    pub fn take_along(&mut self, profile: Arc<Profile>) {
        self.profile = Some(profile);
        self.is_stale = true;
    }

    pub(super) fn planned(&mut self, plan: Arc<Plan>, redactor: Redactor) {
        self.busy = Busy::Counting(0, plan.size());
        self.redactor = Some(redactor);
        let row = self.current_row();
        let before = self.model.take();
        let model = match &before {
            Some(before) => Model::new(plan, &before.names_off(), Some(before.folded)),
            None => Model::new(plan, &self.off, None),
        };
        let same = before
            .zip(row)
            .and_then(|(before, row)| model.row_of_same_member(row, &before));
        let at = same.or_else(|| self.list.selected()).unwrap_or(0);
        self.list.select((!model.rows.is_empty()).then_some(at));
        self.model = Some(model);
    }

    /// Secrets were counted in some members; with what is to be noted, in all of them.
    pub(super) fn counted(&mut self, busy: Busy, packed: &[Packed], notes: Option<Vec<Note>>) {
        self.busy = busy;
        if let Some(model) = &mut self.model {
            model.learn(packed);
            if let Some(notes) = notes {
                model.complete(notes);
            }
        }
    }

    fn not_found(&mut self, why: &str) {
        self.busy = Busy::No;
        self.forget();
        self.failed = Some(clean(why));
    }

    // Writing.

    pub(super) fn write(&mut self, path: PathBuf, cx: &Cx) {
        let (Some(model), Some(redactor)) = (&self.model, self.redactor.clone()) else {
            return;
        };
        let off = model.names_off();
        let plan = Arc::clone(&model.plan);
        let level = if self.fast { Level::Fast } else { Level::Small };
        (self.failed, self.written) = (None, None);
        self.busy = Busy::Writing(0, model.sum().size);
        let write = move |teller: &Teller| {
            let mut plan = (*plan).clone();
            plan.leave_out(&off);
            let progress = teller.progress(|s: &mut Self, done, all| {
                s.busy = Busy::Writing(done, all);
            });
            let cancel = teller.cancel();
            let how = (level, false);
            let done = report::write(&plan, Some(&redactor), &path, how, cancel, &mut |step| {
                progress(step.done, step.total);
            });
            done.map_err(|error| error.to_string())
        };
        cx.finding(WRITE, write, Self::wrote);
    }

    fn wrote(&mut self, written: Result<WrittenReport, String>, cx: &Cx) {
        self.busy = Busy::No;
        match written {
            Ok(written) => {
                cx.info(format!(
                    "The report is written: {} ({}).",
                    sanitise(&written.path.to_string_lossy()),
                    amount::size(written.outcome.written)
                ));
                self.written = Some(written);
            }
            Err(why) => {
                let text = clean(&why);
                cx.emit(Effect::notice(Severity::Error, text.clone()));
                self.failed = Some(text);
            }
        }
    }

    // Looking.

    pub(super) fn current_row(&self) -> Option<Row> {
        let model = self.model.as_ref().filter(|_| self.browse.is_none())?;
        model.rows.get(self.list.selected()?).copied()
    }

    pub(super) fn switch(&mut self) {
        let Some(row) = self.current_row() else {
            return;
        };
        if let Some(model) = &mut self.model {
            model.switch(row);
            self.list.move_by(1, model.rows.len());
        }
    }

    pub(super) fn look(&mut self, cx: &Cx) {
        if self.text.take().is_some() {
            return;
        }
        self.look_anew(cx);
    }

    fn look_anew(&mut self, cx: &Cx) {
        if let Some(browse) = &self.browse {
            let Some((number, entry)) = browse.current() else {
                return;
            };
            let (path, name) = (browse.path.clone(), entry.name.clone());
            let read = move |teller: &Teller| {
                let content = Bundle::read(&path, number, SHOWN, teller.cancel());
                (name, content.map_err(|error| error.to_string()))
            };
            return cx.finding(READ, read, Self::read);
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
        let (plan, redactor) = (Arc::clone(&model.plan), self.redactor.clone());
        let read = move |_: &Teller| {
            let name = plan.members.get(index).map(|member| member.name.clone());
            let content = report::beginning(&plan, index, redactor.as_ref(), SHOWN);
            let content = content.map_err(|error| error.to_string());
            (name.unwrap_or_default(), content)
        };
        cx.finding(READ, read, Self::read);
    }

    fn read(&mut self, (name, content): (String, Result<Content, String>), _cx: &Cx) {
        let (text, remark) = match content {
            Ok(content) => {
                let remark = if content.is_cut() {
                    format!("the beginning of {}", amount::size(content.size))
                } else {
                    amount::size(content.size)
                };
                (sanitise_block(&content.text()), remark)
            }
            Err(why) => (clean(&why), "cannot be read".to_owned()),
        };
        self.text = Some(MemberText {
            name: clean(&name),
            text: TextView::new(&text),
            remark,
        });
    }

    // Reports that are there.

    pub(super) fn open(&mut self, path: PathBuf, cx: &Cx) {
        (self.text, self.failed) = (None, None);
        self.browse = Some(Browse::new(path.clone()));
        let open = move |teller: &Teller| {
            let opened = Bundle::open(&path, teller.cancel());
            opened.map_err(|error| error.to_string())
        };
        cx.finding(OPEN, open, Self::opened);
    }

    fn opened(&mut self, opened: Result<Bundle, String>, cx: &Cx) {
        match opened {
            Ok(bundle) => {
                for note in &bundle.notes {
                    cx.warn(clean(note));
                }
                if let Some(browse) = &mut self.browse {
                    browse.list.home(bundle.entries.len());
                    browse.bundle = Some(bundle);
                }
            }
            Err(why) => {
                self.browse = None;
                self.failed = Some(clean(&why));
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

    pub(super) fn take_session(&mut self, typed: &str, cx: &Cx) {
        let layout = Arc::clone(&cx.view.omp);
        let request = self.request.take();
        let mut request = request.unwrap_or_else(|| Request::of_process((*layout).clone()));
        request.session = (!typed.is_empty()).then(|| typed.to_owned());
        self.request = Some(request);
        self.find(cx);
    }

    pub(super) fn copy(&mut self, cx: &Cx) {
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
}

impl Scrolls for ReportRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match self.text {
            Some(ref mut shown) => Scrolled::Text(&mut shown.text),
            None => self.listed(),
        }
    }

    fn listed(&mut self) -> Scrolled<'_> {
        if let Some(browse) = &mut self.browse {
            let len = browse.len();
            return Scrolled::Rows(&mut browse.list, len);
        }
        let len = self.model.as_ref().map_or(0, |model| model.rows.len());
        Scrolled::Rows(&mut self.list, len)
    }

    fn clicked(&mut self, again: bool, cx: &Cx) {
        if again {
            self.look(cx);
        } else if self.text.is_some() {
            self.look_anew(cx);
        }
    }
}
