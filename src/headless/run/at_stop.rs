//! What is done at a stop: it is told, what must be true is checked, and the program goes on: a step, a step of the path, or to its
//! next stop.

use debugger::{gate::RUNNING, hits::stands_at, state::TEST_FAILED};

use super::{
    asserts, compact,
    ending::END_PATIENCE,
    events::{AssertionFailed, Evaluation, TraceStarted, TraceStep},
    prelude::*,
    stops::{Capture, Captured},
    trace::Trace,
};

/// What a stop is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopKind {
    Breakpoint,
    Exception,
    Step,
    Other,
}

impl Runner {
    /// One stop: told, and left.
    pub(super) async fn stopped(&mut self, session: SessionId, stop: StopId) -> Option<Ending> {
        if !self.stack_known(session, stop).await {
            return None;
        }
        let (_, now) = self.at(session, stop)?;
        let what = self.what(session, now);
        let thread = now.thread_id.or_else(|| now.selected.map(|s| s.thread_id));
        let test_failure = self.is_test_failure(session, now, what);
        self.reckon(session, stop);
        // Only the steps that were asked for after the last of them go on.
        let enough = self.enough();
        let what = match what {
            StopKind::Breakpoint if enough && self.stepping.contains_key(&session) => {
                StopKind::Step
            }
            what => what,
        };
        if enough && what != StopKind::Step {
            self.end_path(session, what).await;
            return Some(Ending::MaxStops);
        }
        let is_step = what == StopKind::Step;
        if self.trace.as_ref().is_some_and(|t| t.session == session) && is_step {
            return self.trace_step(session, stop, thread).await;
        }
        let changes = self.options.diff_vars || self.options.compact;
        let in_full = !is_step || self.options.capture_each_step;
        let capture = Capture {
            locals: in_full && (is_step || self.options.capture_locals),
            evaluations: !is_step || self.options.eval_after_step,
            changes: changes && (in_full || self.options.diff_vars),
            stack: in_full,
        };
        let is_exception = what == StopKind::Exception;
        let captured = self
            .capture(session, stop, capture, is_exception, test_failure)
            .await?;
        let exception = if is_exception {
            self.exception(session, stop)
        } else {
            None
        };
        if let Some(exception) = &exception
            && !test_failure
            && self.unwinds(session, stop, exception)
        {
            return self.resume(session, thread).await;
        }
        if what == StopKind::Breakpoint
            && let Some(id) = captured.halt.id
        {
            self.try_condition(session, stop, id).await;
        }
        let Captured {
            mut halt,
            asserted,
            function,
            ..
        } = captured;
        let location = halt.location.clone();
        halt.exception = exception.map(Box::new);
        self.tell_halt(session, stop, what, halt).await;
        if let Some(ending) = self.check(asserted, location.clone(), thread).await {
            return Some(ending);
        }
        self.end_path(session, what).await;
        if !is_step {
            self.stops_told += 1;
        }
        self.test_failed |= test_failure;
        self.go_on(session, stop, thread, what, &function).await
    }

    /// A path that comes to such a stop is over.
    async fn end_path(&mut self, session: SessionId, what: StopKind) {
        if let Some(trace) = self.trace.take_if(|t| t.session == session) {
            let reason = match what {
                StopKind::Exception => "exception",
                _ => "breakpoint",
            };
            self.complete(trace, reason).await;
        }
    }

    async fn tell_halt(
        &mut self,
        session: SessionId,
        stop: StopId,
        what: StopKind,
        mut halt: Halt,
    ) {
        let event = match what {
            StopKind::Breakpoint => Event::BreakpointHit(Box::new(halt)),
            StopKind::Exception => Event::ExceptionThrown(Box::new(halt)),
            StopKind::Step => {
                let (_, made) = self.stepping.get(&session).copied().unwrap_or_default();
                halt.step = Some(made);
                self.printer.tally.stepped();
                Event::StepCompleted(Box::new(halt))
            }
            StopKind::Other => {
                if let Some((_, now)) = self.at(session, stop) {
                    halt.reason = Some(now.reason.clone());
                    halt.description = now.description.clone().or_else(|| now.text.clone());
                }
                Event::Stopped(Box::new(halt))
            }
        };
        self.tell(event).await;
    }

    fn what(&self, session: SessionId, stop: &Stop) -> StopKind {
        let stepping = self.stepping.contains_key(&session)
            || self.trace.as_ref().is_some_and(|t| t.session == session);
        match stop.reason.as_str() {
            "exception" | "signal" => StopKind::Exception,
            TEST_FAILED => StopKind::Breakpoint,
            // Some debuggers call a sanitizer's report a breakpoint.
            _ if stop.exception.is_some() => StopKind::Exception,
            // Some adapters say so of the end of a step as well.
            "breakpoint" if stepping && !self.is_at_breakpoint(session, stop) => StopKind::Step,
            reason if reason.contains("breakpoint") => StopKind::Breakpoint,
            "step" | "" if stepping => StopKind::Step,
            _ => StopKind::Other,
        }
    }

    /// Whether a breakpoint is where the program stands, or the adapter says which it was.
    fn is_at_breakpoint(&self, session: SessionId, stop: &Stop) -> bool {
        let session = self.state.session(session);
        !stop.hit_breakpoint_ids.is_empty()
            || session.is_some_and(|session| {
                let mut all = self.state.breakpoints.iter();
                all.any(|b| b.stops() && stands_at(b, session, stop))
            })
    }

    /// Whether a stop is where a test's failure is raised.
    fn is_test_failure(&self, session: SessionId, stop: &Stop, what: StopKind) -> bool {
        let root = self.state.session(self.state.root_of(session));
        let Some(typed) = root.and_then(|root| root.typed.as_deref()) else {
            return false;
        };
        let frame = || stop.stacks.get(&stop.thread_id?)?.frames.first();
        match what {
            StopKind::Exception => typed.exceptions,
            StopKind::Breakpoint => frame().is_some_and(|frame| {
                let mut functions = typed.functions.iter();
                functions.any(|name| frame.name.contains(name.as_str()))
            }),
            StopKind::Step | StopKind::Other => false,
        }
    }

    /// Whether a breakpoint is one that nobody set: where tests fail.
    pub(super) fn is_for_failures(&self, id: BreakpointId) -> bool {
        let breakpoint = self.state.breakpoint(id);
        let typed = self
            .state
            .sessions
            .iter()
            .filter_map(|s| s.typed.as_deref());
        breakpoint.is_some_and(|b| typed.into_iter().any(|typed| typed.is_failure(&b.site)))
    }

    /// What must be true is; or the event that it is not.
    async fn check(
        &mut self,
        asserted: Vec<(String, Evaluation)>,
        location: Option<Location>,
        thread_id: Option<i64>,
    ) -> Option<Ending> {
        let (expression, evaluation) = asserted
            .into_iter()
            .find(|(_, e)| e.result.as_deref().is_none_or(asserts::is_falsy))?;
        let failed = AssertionFailed {
            expression,
            evaluation,
            location,
            thread_id,
        };
        self.tell(Event::AssertionFailed(Box::new(failed))).await;
        Some(Ending::Assertion)
    }

    /// After a stop: the path, the steps, or the next stop.
    async fn go_on(
        &mut self,
        session: SessionId,
        stop: StopId,
        thread: Option<i64>,
        what: StopKind,
        function: &Location,
    ) -> Option<Ending> {
        if what != StopKind::Step
            && let Some(tracing) = self.options.trace.clone()
            && !self.traced
            && what != StopKind::Exception
        {
            self.traced = true;
            let depth = self.depth(session, stop).await;
            let mut at = Some(function.clone()).filter(|f| !f.function.is_empty());
            if let Some(at) = at.as_mut().filter(|_| self.options.compact) {
                compact::shorten(at, &self.options.cwd);
            }
            let trace = Trace::new(
                session,
                depth,
                at.as_ref(),
                tracing.limit,
                self.options.compact,
            );
            self.trace = Some(trace);
            let started = TraceStarted {
                thread_id: thread,
                location: at,
                into: tracing.into,
                limit: tracing.limit,
            };
            self.tell(Event::TraceStarted(started)).await;
            return self.step(session, thread, tracing.into).await;
        }
        let (left, made) = match (what, self.stepping.get(&session).copied()) {
            // A stop on the way of the steps is not a reason to begin anew.
            (StopKind::Step, Some(steps)) => steps,
            (_, Some((left, made))) if left > 0 => (left, made),
            (StopKind::Step, None) => (0, 0),
            _ => (self.options.steps, 0),
        };
        if left > 0 {
            self.stepping.insert(session, (left - 1, made + 1));
            return self.step(session, thread, false).await;
        }
        self.stepping.remove(&session);
        self.leave(session, thread).await
    }

    /// All of a stop is done: to the next one, or there are enough.
    async fn leave(&mut self, session: SessionId, thread: Option<i64>) -> Option<Ending> {
        if self.enough() {
            return Some(Ending::MaxStops);
        }
        let known = self.state.session(session);
        if known.is_some_and(|known| known.post_mortem) {
            // A core dump has no other stop.
            return Some(Ending::Ended);
        }
        self.resume(session, thread).await
    }

    /// Whether as many stops were told as were asked for.
    fn enough(&self) -> bool {
        let most = self.options.max_stops;
        most.is_some_and(|most| self.stops_told >= most)
    }

    async fn step(
        &mut self,
        session: SessionId,
        thread: Option<i64>,
        into: bool,
    ) -> Option<Ending> {
        let kind = if into {
            StepKind::In
        } else {
            self.options.step_kind
        };
        let command = Command::Step {
            session: Some(session),
            thread,
            kind,
            granularity: Granularity::Line,
        };
        self.moved(session, command).await
    }

    async fn resume(&mut self, session: SessionId, thread: Option<i64>) -> Option<Ending> {
        let command = Command::Continue {
            session: Some(session),
            thread,
        };
        self.moved(session, command).await
    }

    /// Sends what makes the program move. A program that is gone need not.
    async fn moved(&mut self, session: SessionId, command: Command) -> Option<Ending> {
        let stands_at = |runner: &Self| runner.state.session(session)?.stop_id();
        let before = stands_at(self);
        let answer = self.core.request(command).await;
        let Err(error) = answer else {
            return None;
        };
        // It was let go by somebody else, and its next stop is on its way.
        if error.what == RUNNING {
            return None;
        }
        // What happened meanwhile decides: the session may be over.
        self.until(|runner| runner.pending.is_empty()).await;
        let still = stands_at(self);
        (still.is_some() && still == before).then_some(Ending::Failed(error))
    }

    async fn trace_step(
        &mut self,
        session: SessionId,
        stop: StopId,
        thread: Option<i64>,
    ) -> Option<Ending> {
        let capture = Capture {
            locals: false,
            evaluations: self.options.eval_after_step,
            changes: self.options.diff_vars,
            stack: false,
        };
        let depth = self.depth(session, stop).await;
        let captured = self.capture(session, stop, capture, false, false).await?;
        self.printer.tally.stepped();
        let Captured {
            halt,
            asserted,
            until,
            ..
        } = captured;
        let location = halt.location.clone();
        let tracing = self.options.trace.clone()?;
        let trace = self.trace.as_mut()?;
        if trace.returned(depth) {
            let trace = self.trace.take()?;
            self.complete(trace, "function_return").await;
            return self.leave(session, thread).await;
        }
        let here = TraceStep {
            location: halt.location,
            changes: halt.changes,
            evaluations: halt.evaluations,
            ..TraceStep::default()
        };
        let told = trace.step(here, depth);
        let at_limit = trace.at_limit();
        if let Some(told) = told {
            self.tell(Event::TraceStep(Box::new(told))).await;
        }
        if let Some(ending) = self.check(asserted, location, thread).await {
            return Some(ending);
        }
        let is_true = until
            .and_then(|u| u.result)
            .is_some_and(|text| !asserts::is_falsy(&text));
        let reason = if is_true {
            Some("expression_true")
        } else {
            at_limit.then_some("limit_reached")
        };
        match reason {
            Some(reason) => {
                let trace = self.trace.take()?;
                self.complete(trace, reason).await;
                self.leave(session, thread).await
            }
            None => self.step(session, thread, tracing.into).await,
        }
    }

    pub(super) async fn complete(&mut self, trace: Trace, reason: &'static str) {
        for event in trace.complete(reason) {
            self.tell(event).await;
        }
    }

    /// How many frames there are at a stop.
    async fn depth(&mut self, session: SessionId, stop: StopId) -> i64 {
        const DEEPEST: i64 = 1000;
        let known = |runner: &Self| {
            let (_, now) = runner.at(session, stop)?;
            let stack = now.stacks.get(&now.selected?.thread_id)?;
            let here = stack.frames.len() as i64;
            Some((
                stack.total.unwrap_or(here),
                stack.complete || stack.total.is_some(),
            ))
        };
        if let Some((_, false)) = known(self) {
            let command = Command::StackTrace {
                session: Some(session),
                thread: None,
                levels: DEEPEST,
            };
            // The frames come as an event before the answer.
            let _ = self.core.request(command).await;
            let _ = tokio::time::timeout(
                END_PATIENCE,
                self.until(|r| known(r).is_none_or(|(n, all)| all || n >= DEEPEST)),
            )
            .await;
        }
        known(self).map_or(0, |(depth, _)| depth)
    }
}
