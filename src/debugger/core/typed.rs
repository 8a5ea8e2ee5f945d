//! Commands as they are typed: what has to be built is built, what they run in the end is started, one after the other, and where a
//! test fails is told from what a runner raises for itself. Which command comes to what is in [`crate::runners`].

use std::sync::PoisonError;

use dap::{process::Exit, transport::next_text};
use futures_util::future::join;

use super::{
    breakpoints,
    frames::is_own,
    prelude::*,
    session_tasks::{self, TaskOwner},
};
use crate::{
    exceptions,
    runners::{
        self, Finished, Plan, RunnerQuery, Start, Step, Trouble,
        expected::{self, Expected},
        problems::Problem,
    },
    state::{TEST_FAILED, TypedCommand},
};

/// Frames of a native program in which the test is looked for that a panic comes from.
const NATIVE_FRAMES: i64 = 200;
/// Characters of what a step is at.
const LONGEST: usize = 80;

/// Tasks that go on beside what is debugged.
type BackgroundTasks = Arc<Mutex<Vec<Arc<Background>>>>;

impl Owner {
    /// Finds out what a command comes to, and then goes for its adapter.
    pub fn prepare_typed(&mut self, id: SessionId, origin: Origin) {
        let spec = match &origin {
            Origin::Launch(spec) if !spec.command.is_empty() => spec.clone(),
            _ => return self.prepare(id, origin, false),
        };
        let Some(over) = self.live(id).map(|live| live.over.clone()) else {
            return;
        };
        let doing = format!("building for {}", spec.command.join(" "));
        self.phase(id, Phase::Initializing, Some(&doing));
        let (config, whose) = (Arc::clone(&self.config), self.whose(id));
        let beside = BackgroundTasks::default();
        let asked = spec.clone();
        let work = async move {
            let (kept, until) = (Arc::clone(&beside), over.clone());
            let steps: runners::Steps = Box::new(move |step| {
                Box::pin(run(step, whose.clone(), until.clone(), Arc::clone(&kept)))
            });
            let trouble = Mutex::default();
            let ask = RunnerQuery {
                own: config.supervisor.as_deref(),
                command: asked.command.clone(),
                rest: Vec::new(),
                cwd: asked
                    .cwd
                    .clone()
                    .unwrap_or_else(|| config.context.cwd.clone()),
                base: asked,
                context: &config.context,
                steps: &steps,
                trouble: &trouble,
            };
            let plan = over.run_until_cancelled(runners::plan(ask)).await;
            let plan = plan.unwrap_or_else(|| Err(taken_back()));
            let trouble = trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
            (plan, trouble, beside)
        };
        self.spawn(work, move |owner, (plan, trouble, beside)| {
            owner.planned(id, &spec, plan, trouble, &beside);
        });
    }

    /// What a step of a start that is under way is at.
    pub fn builds(&mut self, id: SessionId, doing: &str) {
        if self
            .live(id)
            .is_some_and(|live| live.generation == 0 && !live.ending)
        {
            let doing: String = sanitise(doing).chars().take(LONGEST).collect();
            self.phase(id, Phase::Initializing, Some(&format!("building: {doing}")));
        }
    }

    fn planned(
        &mut self,
        id: SessionId,
        spec: &LaunchSpec,
        plan: Result<Plan>,
        trouble: Trouble,
        beside: &BackgroundTasks,
    ) {
        let mut typed = TypedCommand {
            command: spec.command.clone(),
            problems: trouble.problems,
            filters: spec.exception_filters.clone(),
            ..TypedCommand::default()
        };
        let mut plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                self.tell_typed(id, typed);
                if let Some(exit_code) = trouble.code {
                    self.change(id, Change::Exited { exit_code });
                }
                return self.fail_start(id, error);
            }
        };
        typed.fails_with = plan.fails_with;
        if let Some(note) = plan.note.take() {
            self.inform(id, note);
        }
        if spec.ignores_failures {
            let off = |&filter: &&str| ExceptionFilter {
                off: true,
                ..ExceptionFilter::named(filter)
            };
            let failures = plan.exceptions.iter().chain(&[exceptions::TEST_ERROR]);
            typed.filters.extend(failures.map(off));
        } else {
            typed.exceptions = !plan.exceptions.is_empty();
            for &filter in &plan.exceptions {
                // One that was switched off stays so.
                if typed.filters.iter().all(|chosen| chosen.filter != filter) {
                    typed.filters.push(ExceptionFilter::named(filter));
                }
            }
            typed.functions = plan.functions.iter().map(|&name| name.to_owned()).collect();
        }
        for name in typed.functions.clone() {
            let at = BreakpointSpec::at(BreakpointSite::Function { name });
            let handled = self.set_breakpoint(at.for_this_run());
            self.unanswered(handled);
        }
        let first = plan.starts.pop_front();
        let Some((live, first)) = self.live_mut(id).zip(first) else {
            return;
        };
        live.background.append(&mut lock(beside));
        (live.next, live.goes_on) = (plan.starts, plan.goes_on);
        let origin = self.start_of(first, &mut typed);
        if let Some(live) = self.live_mut(id) {
            (live.kind, live.origin) = (typed.kind, origin.clone());
        }
        self.tell_typed(id, typed);
        self.prepare(id, origin, false);
    }

    /// How one of a command's programs is started, and what of it is worth telling.
    fn start_of(&self, start: Start, typed: &mut TypedCommand) -> Origin {
        match start {
            Start::Launch(mut spec) => {
                let cwd = self.directory(spec.cwd.as_deref());
                if !spec.program.as_os_str().is_empty() {
                    spec.program = breakpoints::normal(&cwd, &spec.program);
                }
                spec.cwd = Some(cwd);
                let is_ignored = |f: &ExceptionFilter| f.off && f.filter == exceptions::TEST_ERROR;
                if typed.filters.iter().any(is_ignored) {
                    spec.env.push((exceptions::GTEST_BREAKS.to_owned(), None));
                }
                spec.exception_filters = typed.wanted();
                typed.part.clone_from(&spec.part);
                (typed.kind, typed.target) = (StartKind::Launch, spec.program.lossy());
                Origin::Launch(*spec)
            }
            Start::Attach(mut spec) => {
                spec.exception_filters = typed.wanted();
                (typed.kind, typed.target) = (StartKind::Attach, spec.target().unwrap_or_default());
                Origin::Attach(*spec)
            }
        }
    }

    /// Keeps for commands, and for their next run, which of their own filters a person has switched off.
    pub fn keep_choice(&mut self, filters: Option<&[ExceptionFilter]>) {
        let is_off = |name: &str| {
            let mut all = filters.into_iter().flatten();
            all.any(|filter| filter.off && filter.filter == name)
        };
        let sessions = self.hub.state.sessions.iter();
        let typed = sessions.filter_map(|one| Some((one.id, (**one.typed.as_ref()?).clone())));
        for (id, mut typed) in typed.collect::<Vec<_>>() {
            for filter in &mut typed.filters {
                filter.off = is_off(&filter.filter);
            }
            if let Some(Origin::Launch(spec)) = self.origins.get_mut(&id) {
                spec.exception_filters.clone_from(&typed.filters);
            }
            self.tell_typed(id, typed);
        }
    }

    fn tell_typed(&mut self, id: SessionId, typed: TypedCommand) {
        let typed = Box::new(typed);
        self.change(id, Change::Typed { typed });
    }

    /// Tells which sources the program of a command could not read: runners find out only when they run them.
    pub fn tell_problems(&mut self, id: SessionId, problems: Vec<Problem>) {
        let typed = self.session(id).and_then(|one| one.typed.as_deref());
        let typed = typed.filter(|typed| !problems.is_empty() && problems != typed.problems);
        if let Some(typed) = typed {
            let typed = TypedCommand {
                problems,
                ..typed.clone()
            };
            self.tell_typed(id, typed);
        }
    }

    /// Starts the next program of a command whose last one has ended by itself.
    pub fn begin_next(&mut self, id: SessionId) {
        let Some((live, session)) = self.live.get_mut(&id).zip(self.hub.state.session(id)) else {
            return;
        };
        let (mut next, goes_on) = (mem::take(&mut live.next), live.goes_on);
        let is_over =
            live.ended_by_program != Some(false) || !goes_on && session.exit_code != Some(0);
        let (false, None, Some(mut typed)) = (is_over, &self.shutting_down, session.typed.clone())
        else {
            return;
        };
        let (session, Some(start)) = (session.clone(), next.pop_front()) else {
            return;
        };
        let origin = self.start_of(start, &mut typed);
        let session = Session {
            name: typed.title().unwrap_or(session.name),
            kind: typed.kind,
            target: typed.target.clone(),
            cwd: session.cwd,
            exception_filters: typed.wanted(),
            typed: Some(typed),
            ..Session::default()
        };
        let asked = self.origins.get(&id).cloned();
        let new = self.open(session, origin, None);
        // Started again, it is the whole command.
        self.origins.extend(asked.map(|asked| (new, asked)));
        if let Some(live) = self.live_mut(new) {
            (live.next, live.goes_on) = (next, goes_on);
        }
        self.hub.focus(new);
    }

    /// The exception filters of a child. What a package manager raises for itself, or a runner that tests in processes of their own, is
    /// nobody's failure, and much.
    pub fn filters_below(&self, parent: &Session, name: &str) -> Vec<ExceptionFilter> {
        const MANAGERS: [&str; 6] = ["npm", "npx", "yarn", "pnpm", "corepack", "vitest"];
        let is_manager = MANAGERS.iter().any(|manager| name.starts_with(manager));
        match self.typed(parent.id) {
            Some(_) if is_manager => Vec::new(),
            Some(typed) => typed.wanted(),
            None => parent.exception_filters.clone(),
        }
    }

    /// The command that a session belongs to.
    pub fn typed(&self, id: SessionId) -> Option<&TypedCommand> {
        let root = self.root_of(id);
        self.session(root)?.typed.as_deref()
    }

    /// Takes over a stop that may be where a test fails: runners raise and catch much of their own, and tell a failure to a test's parents
    /// in the way in which they tell it to the test.
    pub fn judge_failure(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        let Some((typed, live)) = self.typed(id).zip(self.live(id)) else {
            return false;
        };
        let hits = stop.hit_breakpoint_ids.as_deref().unwrap_or_default();
        let hit = |hit: &i64| {
            let id = live.by_adapter_id.get(hit);
            let mut all = self.breakpoints();
            all.any(|b| Some(&b.id) == id && typed.is_failure(&b.site))
        };
        let is_one = match stop.reason.as_str() {
            "exception" => typed.exceptions,
            reason => {
                reason.contains("breakpoint")
                    && !typed.functions.is_empty()
                    && (hits.is_empty() || hits.iter().any(hit))
            }
        };
        let functions = typed.functions.clone();
        // What a panic passes on its way to the test is long in itself.
        let levels = if live.personality.own_filters {
            NATIVE_FRAMES
        } else {
            FIRST_FRAMES
        };
        let questions = self.questions(id);
        let names = functions.clone();
        let Some(thread_id) = stop.thread_id.filter(|_| is_one) else {
            return false;
        };
        let Some(mut case) = self.case(id, stop) else {
            return false;
        };
        let stack = case.follow.stack(thread_id, levels);
        let frames = async move {
            let stack = stack.await;
            let frames = stack.map(|stack| stack.stack_frames).unwrap_or_default();
            let read = move || (expected::judged(&frames), frames);
            let (expected, frames) = tasks::blocking(read).await.unwrap_or_default();
            let failed = frames.first().filter(|frame| is_of(&names, &frame.name));
            let said = match (&questions, failed) {
                (Some(questions), Some(frame)) => questions.failure(frame.id).await,
                _ => None,
            };
            let is_expected = match (expected, questions, frames.first()) {
                (Expected::Saying(part), Some(questions), Some(first)) => {
                    let said = questions.panic_text(Some(first.id)).await;
                    said.is_none_or(|said| said.contains(&part))
                }
                (expected, ..) => expected != Expected::No,
            };
            (is_expected, said, frames)
        };
        self.spawn(frames, move |owner, (is_expected, said, frames)| {
            let first = frames.first().map_or("", |frame| frame.name.as_str());
            let is_named = is_of(&functions, first);
            if case.stop.reason != "exception" && !is_named {
                return owner.judge_on(case);
            }
            let is_repeated = is_named && frames.get(1).is_some_and(|outer| outer.name == first);
            // What fails by a panic stops where that is told.
            let is_told_later = is_named && expected::is_unwinding(&frames);
            let is_quiet =
                is_repeated || is_told_later || !is_named && !frames.is_empty() && is_expected;
            let Some(said) = said.filter(|_| !is_quiet) else {
                return owner.judged(case, !is_quiet);
            };
            // The breakpoint is nobody's but ours.
            TEST_FAILED.clone_into(&mut case.stop.reason);
            (case.stop.hit_breakpoint_ids, case.stop.description) = (None, None);
            case.stop.text = Some(said.clone()).filter(|said| !said.is_empty());
            owner.judged(case, true);
            let now = owner.current_stop(id);
            if let Some(stop) = now.filter(|s| s.reason == TEST_FAILED).map(|s| s.id) {
                owner.tell_exception(
                    id,
                    stop,
                    TEST_FAILED.to_owned(),
                    Some(said).filter(|said| !said.is_empty()),
                );
            }
        });
        true
    }

    /// The frame to show of a stop of a command: where a test failed, or what failed in it, is in the person's own code.
    pub fn own_frame(&self, id: SessionId, frames: &[StackFrame], unwind: bool) -> Option<i64> {
        let typed = self.typed(id)?;
        let first = frames.first()?;
        let is_failure = || is_of(&typed.functions, &first.name);
        let own = frames
            .iter()
            .find(|frame| is_own(frame))
            .map(|frame| frame.id);
        own.filter(|_| unwind || is_failure())
    }
}

/// Runs a step to its end, or until it is ready when it goes on.
async fn run(
    step: Step,
    whose: TaskOwner,
    over: CancellationToken,
    beside: BackgroundTasks,
) -> Result<Finished> {
    let Step { task, is_read } = step;
    if task.background {
        let said = Arc::<Mutex<String>>::default();
        let goes_on = session_tasks::run(task, whose, over, Some(Arc::clone(&said))).await?;
        lock(&beside).extend(goes_on);
        let stdout = lock(&said).clone();
        return Ok(Finished {
            stdout,
            ..Finished::default()
        });
    }
    let heading = format!("> {}\n", task.label);
    whose.tell(Sent::Task(heading)).await;
    let failed =
        |error| DebuggerError::program(format!("{} could not be run: {error}.", task.label));
    let (mut child, mut guard) =
        session_tasks::spawn(&task, whose.supervisor.as_deref()).map_err(failed)?;
    let stdout = read(child.stdout.take(), (!is_read).then_some(&whose));
    let both = join(stdout, read(child.stderr.take(), Some(&whose)));
    let done = async { (both.await, child.wait().await) };
    let Some(((stdout, stderr), status)) = over.run_until_cancelled(done).await else {
        return Err(taken_back());
    };
    let trouble = guard.trouble();
    guard.ended();
    match (trouble, status) {
        (None, Ok(status)) => Ok(Finished {
            code: Exit::from(status).code_in_shell().map_or(0, i64::from),
            stdout,
            stderr,
        }),
        (Some(why), _) => Err(failed(io::Error::other(why))),
        (None, Err(error)) => Err(failed(error)),
    }
}

/// What a stream says to its end; told as it comes, when somebody is to see it.
async fn read(stream: Option<impl AsyncRead + Unpin>, told: Option<&TaskOwner>) -> String {
    let (mut all, mut buffer) = (String::new(), BytesMut::new());
    let Some(mut stream) = stream else {
        return all;
    };
    while let Some(text) = next_text(&mut stream, &mut buffer).await {
        all.push_str(&text);
        let Some(whose) = told else { continue };
        let mut lines = text.lines().rev().map(str::trim);
        if let Some(last) = lines.find(|line| !line.is_empty()) {
            whose.tell(Sent::Doing(last.to_owned())).await;
        }
        whose.tell(Sent::Task(text)).await;
    }
    all
}

/// Whether a frame is one of these functions'.
fn is_of(functions: &[String], frame: &str) -> bool {
    functions.iter().any(|name| frame.contains(name.as_str()))
}
