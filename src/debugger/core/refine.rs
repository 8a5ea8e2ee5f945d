//! Conditions, hit counts and messages that an adapter does not know: evaluated, counted and printed by us.
//!
//! Such a breakpoint is sent plainly, so the program stops there each time. Before anyone sees the stop it is judged here:
//! which breakpoints were hit, which of them mean it, what they print. If none wants the program to stand still, it goes on;
//! several threads that stop at once go on together.
//! A step ends at such a breakpoint where going on would lose the step.
//!
//! A debugger may take a condition that it cannot evaluate, and stop each time: one that compares what is shown is looked at here as well.

use super::{
    frames::plain_names,
    live::Hits,
    prelude::*,
    printed::spoken,
    references::pointers_in,
    rules::{Part, is_true, pieces, reached},
};
use crate::{
    adapters::stop_text,
    hits::is_named_in_text,
    previews::path::Path,
    records::{FRAMES, Recorded, RecordedFrame},
};

/// A stop under judgement.
pub struct StopCandidate {
    pub session: SessionId,
    pub stop: StoppedEvent,
    /// The innermost frame, where it was needed, and those around it, where they are recorded.
    pub stack: Vec<StackFrame>,
    pub follow: Follow,
    /// Where nothing is wished for it stopped at what was taken away.
    is_kept: bool,
    /// Which breakpoints are there was not known before.
    pub is_first: bool,
}

impl Owner {
    /// Takes over a stop of which it is not clear whether anyone is to see it.
    /// `stack` is what is known of its stack already.
    pub fn judge(&mut self, id: SessionId, stop: &StoppedEvent, stack: Vec<StackFrame>) -> bool {
        let Some((session, live)) = self.session(id).zip(self.live(id)) else {
            return false;
        };
        if !stop.reason.contains("breakpoint") || session.phase == Phase::Stopped {
            return false;
        }
        let (can, personality) = (&session.capabilities, &live.personality);
        let Some(follow) = self.follow(id) else {
            return false;
        };
        let is_doubtful = |b: &Breakpoint| b.condition.as_ref().is_some_and(|c| follow.decides(c));
        let ours_of = |b: &Breakpoint| Ours::of(b, can, personality, live.shared.contains(&b.id));
        let ours = |b: &&Breakpoint| b.enabled && (ours_of(b).any() || is_doubtful(b));
        let told = |b: &&Breakpoint| b.answers.contains_key(&id);
        let refined: Vec<&Breakpoint> = self.breakpoints().filter(ours).filter(told).collect();
        let (description, text) = (stop.description.as_deref(), stop.text.as_deref());
        // A program may be made to stop where it begins by a breakpoint that nobody sees.
        let at_entry = live.plan.wants_entry && session.stop.is_none();
        let is_kept = !at_entry
            && personality
                .kept_stops
                .fit(&stop_text(&stop.reason, description, text));
        if refined.is_empty() && !is_kept {
            return false;
        }
        let ids = stop.hit_breakpoint_ids.as_deref().unwrap_or_default();
        let hit: Option<Vec<BreakpointId>> = ids
            .iter()
            .map(|hit| live.by_adapter_id.get(hit).copied())
            .collect();
        // What nobody wished for is the session's own.
        let Some(hit) = hit else { return false };
        let hit = self.all_at(id, &hit);
        let meant: Vec<_> = refined
            .into_iter()
            .filter(|b| hit.is_empty() || hit.contains(&b.id))
            .collect();
        let by_place = hit.is_empty();
        // A place tells nothing of the program's own entry, nor of data.
        let placeless = live.plan.entry_function.is_some() || stop.reason.contains("data");
        let is_unproven = !placeless && self.is_alone_unproven(id, ids);
        if (meant.is_empty() && !is_kept && !is_unproven) || (by_place && placeless) {
            return false;
        }
        // What is over the limit of its breakpoint goes on without a question.
        let records = |b: &&Breakpoint| self.has_room(id, b);
        let evaluates = |b: &&Breakpoint| {
            let ours = ours_of(b);
            ours.condition || ours.message || is_doubtful(b) || records(b)
        };
        let levels = if meant.iter().any(records) { FRAMES } else { 1 };
        let needs_frame = by_place || is_unproven || meant.iter().any(evaluates);
        let known = live.judged_at.as_ref();
        let known = known.filter(|(thread, at, _)| *thread == stop.thread_id && *at == hit);
        let known = known.filter(|_| stack.is_empty() && !is_unproven && !by_place);
        let stack = known.map_or(stack, |(.., frame)| vec![frame.clone()]);
        let place = match (needs_frame && stack.len() < levels, stop.thread_id) {
            (true, None) => return false,
            (true, Some(thread_id)) => Some(follow.stack(thread_id, levels as i64)),
            (false, _) => None,
        };
        let Some(case) = self.case(id, stop) else {
            return false;
        };
        let case = StopCandidate {
            stack,
            is_kept,
            ..case
        };
        let Some(place) = place else {
            self.located(case, hit);
            return true;
        };
        self.spawn(place, move |owner, answer| {
            let mut stack = answer.map(|r| r.stack_frames).unwrap_or_default();
            stack.truncate(levels);
            let hit = match stack.first() {
                Some(frame) if by_place => owner.hit_there(&case, frame),
                Some(frame) if is_unproven => {
                    let named = case.stop.hit_breakpoint_ids.as_deref();
                    owner.seen_at(case.session, named.unwrap_or_default(), frame);
                    owner.all_at(case.session, &hit)
                }
                _ => hit,
            };
            plain_names(Some(&case.follow.personality), &mut stack);
            // A function's name may stand for several, and a line of a template is in several.
            let is_line = |id: &BreakpointId| {
                let known = owner.breakpoint(*id);
                known.is_ok_and(|known| matches!(known.site, BreakpointSite::Source { .. }))
            };
            let stays = case.follow.personality.frame_numbers_stay && hit.iter().all(is_line);
            let frame = stack.first().filter(|it| stays && !it.name.contains('<'));
            if let Some((frame, live)) = frame.zip(owner.live_mut(case.session)) {
                live.judged_at = Some((case.stop.thread_id, hit.clone(), frame.clone()));
            }
            let is_first = is_unproven;
            owner.located(
                StopCandidate {
                    stack,
                    is_first,
                    ..case
                },
                hit,
            );
        });
        true
    }

    /// A stop that is to be judged.
    pub fn case(&mut self, id: SessionId, stop: &StoppedEvent) -> Option<StopCandidate> {
        let follow = self.follow(id)?;
        self.live_mut(id)?.judging += 1;
        Some(StopCandidate {
            session: id,
            stop: stop.clone(),
            stack: Vec::new(),
            follow,
            is_kept: false,
            is_first: false,
        })
    }

    /// One stop less is under judgement; none where the session is ending, and nothing more comes of it.
    pub fn after_judgement(&mut self, id: SessionId) -> Option<&mut Live> {
        let live = self.live_mut(id)?;
        live.judging = live.judging.saturating_sub(1);
        Some(live).filter(|live| !live.ending)
    }

    /// Judges a stop that is not what it was taken for.
    pub fn judge_on(&mut self, case: StopCandidate) {
        self.after_judgement(case.session);
        if !self.judge(case.session, &case.stop, case.stack) {
            if let Some(live) = self.live_mut(case.session) {
                // What was asked for meanwhile has what it wants.
                live.pause_asked = false;
            }
            self.stand(case.session, case.stop);
        }
    }

    /// The breakpoints that a thread stands at, or the one that is named: then it is there, and not where it was wanted.
    fn hit_there(&mut self, case: &StopCandidate, frame: &StackFrame) -> Vec<BreakpointId> {
        let here = self.hit_at(case.session, frame);
        if !here.is_empty() {
            return here;
        }
        let named = self
            .breakpoints()
            .filter(|b| is_named_in_text(b, &case.stop))
            .filter_map(|b| Some((b.id, b.answers.get(&case.session)?.clone())));
        let named: Vec<_> = named.collect();
        for (breakpoint, answer) in &named {
            let line = Some(frame.line);
            let answer = BreakpointAnswer {
                line,
                ..answer.clone()
            };
            self.hub.answered(*breakpoint, case.session, answer);
        }
        named.into_iter().map(|(id, _)| id).collect()
    }

    /// The breakpoints that a thread stands at, where the adapter does not say.
    pub fn hit_at(&self, id: SessionId, frame: &StackFrame) -> Vec<BreakpointId> {
        let told = self.breakpoints().filter(|b| b.enabled);
        told.filter_map(|b| Some((b, b.answers.get(&id)?)))
            .filter(|(b, answer)| match &b.site {
                BreakpointSite::Source { path, line, .. } => {
                    let there = frame.path();
                    there.is_some_and(|p| path.as_os_str() == p)
                        && answer.line.unwrap_or(*line) == frame.line
                }
                site @ BreakpointSite::Function { .. } => site.is_function(&frame.name),
                BreakpointSite::Instruction { reference, .. } => {
                    frame.instruction_pointer_reference.as_ref() == Some(reference)
                }
                BreakpointSite::Data { .. } => false,
            })
            .map(|(b, _)| b.id)
            .collect()
    }

    /// It is known which breakpoints were hit: their conditions are evaluated.
    fn located(&mut self, case: StopCandidate, hit: Vec<BreakpointId>) {
        if hit.is_empty() {
            // Something else stopped it.
            let wanted = !case.is_kept;
            return self.judged(case, wanted);
        }
        let conditions = self
            .wishes_of(&case, &hit)
            .into_iter()
            .filter_map(|(wish, ours)| {
                let condition = wish.condition.clone()?;
                if let Some(holds) = case.holds(&condition) {
                    return Some(async move { (wish.id, holds.await.ok_or(None)) }.boxed());
                }
                if !ours.condition {
                    return None;
                }
                let value = case.value(&condition);
                let holds = async move { value.await.map(|value| is_true(&value)).map_err(Some) };
                Some(async move { (wish.id, holds.await) }.boxed())
            });
        let conditions: Vec<_> = conditions.collect();
        if conditions.is_empty() {
            return self.weighed(case, &hit, &[]);
        }
        self.spawn(join_all(conditions), move |owner, conditions| {
            owner.weighed(case, &hit, &conditions);
        });
    }

    /// The conditions are known: hits are counted, and what is to be printed is evaluated.
    fn weighed(
        &mut self,
        mut case: StopCandidate,
        hit: &[BreakpointId],
        conditions: &[(BreakpointId, Result<bool, Option<String>>)],
    ) {
        let session = case.session;
        let number = |wish: &Breakpoint| wish.answers.get(&session)?.adapter_id;
        let mut standing = Vec::new();
        let mut messages = Vec::new();
        let mut records = Vec::new();
        let wishes = self.wishes_of(&case, hit);
        if case.is_first {
            let of = |id| conditions.iter().find(|(of, _)| *of == id);
            let holds = |id| Some(*of(id)?.1.as_ref().unwrap_or(&true));
            self.count_from(session, &wishes, holds);
        }
        for (wish, ours) in wishes {
            match conditions.iter().find(|(id, _)| *id == wish.id) {
                Some((_, Ok(true))) | None => {}
                Some((_, Ok(false))) => continue,
                Some((_, Err(why))) => {
                    let condition = wish.condition.as_deref().unwrap_or_default();
                    let told = why.clone();
                    let told = told.or_else(|| self.complaint(case.session, condition));
                    // What the adapter took without a word may well hold.
                    let absent = || "nothing there has such a name or such parts".to_owned();
                    if let Some(why) = told.or_else(|| ours.condition.then(absent)) {
                        self.condition_broken(case.session, condition, &[wish.id], &why);
                        standing.push(number(&wish));
                        continue;
                    }
                }
            }
            if (ours.hits || ours.once) && !self.count(case.session, &wish, ours.once) {
                continue;
            }
            if wish.stops() {
                standing.push(number(&wish));
            }
            if let Some(record) = &wish.record
                && let Some(row) = self.within_limit(&case, &wish, record)
            {
                records.push((row, record.expressions.clone()));
            }
            if let Some(message) = wish.log_message.clone().filter(|_| ours.message) {
                messages.push((self.row(&case, &wish), wish, message));
            }
        }
        let stands = !standing.is_empty();
        if hit.len() > 1 && stands {
            case.stop.hit_breakpoint_ids = Some(standing.into_iter().flatten().collect());
        }
        if messages.is_empty() && records.is_empty() {
            return self.judged(case, stands);
        }
        let texts = messages.iter().flat_map(|(.., message)| pieces(message));
        let texts = texts.filter_map(|part| match part {
            Part::Expression(expression) => Some(expression.to_owned()),
            Part::Text(_) => None,
        });
        let recorded = records.iter().flat_map(|(_, all)| all.clone());
        let values = case.shown(texts.chain(recorded).collect(), !conditions.is_empty());
        self.spawn(values, move |owner, values| {
            let mut values = values.into_iter();
            let stack: Arc<Vec<_>> = Arc::new(case.stack.iter().map(RecordedFrame::of).collect());
            let mut chunks = Vec::new();
            for (row, wish, message) in messages {
                let (text, values) = filled_in(&message, &mut values);
                let stack = Arc::clone(&stack);
                if wish.record.is_none() {
                    let row = Recorded {
                        values,
                        stack,
                        ..row
                    };
                    owner.keep_logged(case.session, row);
                }
                chunks.push(OutputChunk {
                    line: wish.shown_line(),
                    ..spoken(format!("{text}\n"))
                });
            }
            owner.printed(case.session, chunks);
            let records = records.into_iter().map(|(row, expressions)| Recorded {
                values: values.by_ref().take(expressions.len()).collect(),
                stack: Arc::clone(&stack),
                ..row
            });
            owner.keep_records(case.session, records.collect());
            owner.judged(case, stands);
        });
    }

    /// One more hit; whether it is one that is meant, which is the first one where those before were passed over.
    fn count(&mut self, session: SessionId, wish: &Breakpoint, once: bool) -> bool {
        let (Some(live), Some(rule)) = (self.live_mut(session), &wish.hit_condition) else {
            return true;
        };
        let hits = live
            .hits
            .entry(wish.id)
            .or_insert_with(|| Hits::none(wish, rule));
        if hits.site != wish.site || hits.rule != *rule {
            *hits = Hits::none(wish, rule);
        }
        hits.count += 1;
        let rule = if once { "1" } else { rule };
        reached(rule, hits.count).unwrap_or(true)
    }

    /// The verdict: everyone sees the stop, or the program goes on.
    pub fn judged(&mut self, mut case: StopCandidate, wanted: bool) {
        let id = case.session;
        let stopped = self.session(id).is_none_or(|s| s.phase == Phase::Stopped);
        let Some(live) = self.after_judgement(id) else {
            return;
        };
        if !wanted && stopped {
            // Another thread's stop is being looked at; this one waits for the same `continue`.
            if let Some(thread) = case.stop.thread_id {
                self.mark_stopped(id, thread);
            }
            return;
        }
        let paused = mem::take(&mut live.pause_asked);
        let outlasts = live.personality.steps_outlast_stops;
        let stepping = live.resumed.is_some_and(Resume::is_step) && !outlasts;
        if wanted || paused || stepping {
            if !wanted {
                let reason = if paused { "pause" } else { "step" };
                reason.clone_into(&mut case.stop.reason);
            }
            live.held_threads.clear();
            return self.stand(id, case.stop);
        }
        live.held_threads.push(case.stop.thread_id.unwrap_or(0));
        // What else stopped at the same moment is on its way already.
        self.spawn(std::future::ready(()), move |owner, ()| owner.go_on(case));
    }

    /// Lets the threads go on that stand at breakpoints which were not meant, once there is no other stop to be judged.
    fn go_on(&mut self, mut case: StopCandidate) {
        let id = case.session;
        let stopped = self.is_in(id, Phase::Stopped);
        let Some(live) = self.live_mut(id).filter(|l| l.judging == 0 && !l.ending) else {
            return;
        };
        let mut threads = mem::take(&mut live.held_threads);
        if case.stop.all_threads_stopped == Some(true) {
            threads.truncate(1);
        }
        if threads.is_empty() {
            return;
        }
        if stopped {
            // Another one stands for everyone to see; these wait with it.
            for thread in threads {
                self.mark_stopped(id, thread);
            }
            return;
        }
        if mem::take(&mut live.pause_asked) {
            "pause".clone_into(&mut case.stop.reason);
            return self.stand(id, case.stop);
        }
        live.resumes += 1;
        // A step was kept by its debugger.
        let onward = live.resumed.filter(|how| !how.is_step());
        let onward = onward.unwrap_or(Resume::Continue);
        let answers: Vec<_> = threads
            .into_iter()
            .map(|thread| {
                let arguments = json!({ "threadId": thread });
                let follow = &case.follow;
                follow.client.send_raw(onward.command(), arguments)
            })
            .collect();
        let follow = case.follow.clone();
        let thread = case.stop.thread_id.unwrap_or(0);
        let work = async move {
            let refused = join_all(answers).await.iter().all(Result::is_err);
            // An adapter that refuses may just have gone on already.
            refused && follow.stack(thread, 1).await.is_ok()
        };
        self.spawn(work, move |owner, stands| {
            let shown = owner.session(id).is_none_or(|s| s.phase == Phase::Stopped);
            if stands && !shown {
                owner.stand(id, case.stop);
            }
        });
    }
}

impl StopCandidate {
    /// Whether a condition holds by what is shown; `None` of what we know nothing of.
    fn holds(&self, condition: &str) -> Option<BoxFuture<'static, Option<bool>>> {
        let follow = self.follow.clone();
        let path = follow.path(condition).filter(Path::decides)?;
        let arguments = follow.watched("", self.stack.first().map(|frame| frame.id));
        // By the debugger, where we do not know.
        let value = self.value(condition);
        let holds = async move {
            match follow.walk(&arguments, &path).await {
                Some(answer) => Some(is_true(&answer.ok()?.result)),
                None => value.await.ok().map(|value| is_true(&value)),
            }
        };
        Some(holds.boxed())
    }

    /// An expression's value in the innermost frame, as the adapter tells it.
    fn value(
        &self,
        expression: &str,
    ) -> impl Future<Output = Result<String, String>> + Send + use<> {
        let (follow, expression) = (self.follow.clone(), expression.to_owned());
        let frame = self.stack.first().map(|frame| frame.id);
        async move {
            let value = follow.evaluated(&expression, frame).await;
            value.map(|answer| answer.result)
        }
    }

    /// Expressions, and what their values show: one after the other where a function that is called for one makes the debugger forget its
    /// frames, as one may have been before.
    fn shown(
        &self,
        expressions: Vec<String>,
        mut has_called: bool,
    ) -> impl Future<Output = Vec<(String, Outcome)>> + Send + use<> {
        // Here the program stands, whenever it was let go last.
        let follow = Follow {
            moved: CancellationToken::new(),
            pointers: pointers_in(&self.follow.personality, self.stack.first()),
            ..self.follow.clone()
        };
        let mut frame = self.stack.first().map(|frame| frame.id);
        let thread = self.stop.thread_id;
        async move {
            let forgets = follow.personality.call_stops.any();
            let Some(thread) = thread.filter(|_| forgets) else {
                let follow = &follow;
                let values = expressions.into_iter().map(async |expression| {
                    let value = follow.outcome(&expression, frame).await;
                    (expression, value)
                });
                return join_all(values).await;
            };
            let mut values = Vec::with_capacity(expressions.len());
            for expression in expressions {
                if has_called {
                    let stack = follow.stack(thread, 1).await;
                    let innermost = stack.ok().and_then(|it| Some(it.stack_frames.first()?.id));
                    frame = innermost.or(frame);
                }
                has_called = expression.contains('(');
                let value = follow.outcome(&expression, frame).await;
                values.push((expression, value));
            }
            values
        }
    }

    /// Whether its place was asked for, and told.
    pub fn stands_somewhere(&self) -> bool {
        !self.stack.is_empty()
    }
}

/// A message with the values of its `{expressions}`, and these, which come next.
fn filled_in(
    message: &str,
    all: &mut impl Iterator<Item = (String, Outcome)>,
) -> (String, Vec<(String, Outcome)>) {
    let (mut text, mut values) = (String::new(), Vec::new());
    for part in pieces(message) {
        match part {
            Part::Text(part) => text.push_str(part),
            Part::Expression(_) => {
                let value = all.next();
                match value.as_ref().map(|(_, value)| value) {
                    Some(Outcome::Value(shown)) => text.push_str(shown),
                    Some(Outcome::Error(why)) => text.extend(["<", why, ">"]),
                    None => {}
                }
                values.extend(value);
            }
        }
    }
    (text, values)
}
