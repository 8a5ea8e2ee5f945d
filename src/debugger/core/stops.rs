//! Stops, and what everyone sees of them: the stack, the threads, the innermost frame's scopes and variables, the watches.
//!
//! Requests that do not depend on each other go out together. All that is loaded comes as events stamped with the stop it is
//! true of. What one asker wants is in `inspect` and `evaluate`.

use dap::types::{ContinuedEvent, InvalidatedAreas, InvalidatedEvent, Scope};

use super::{
    frames::{first_thread, pick_frame},
    prelude::*,
};
use crate::{
    causes,
    history::own_scopes,
    state::{CORE_DUMP, DATA_BREAKPOINT, ScopeVariables},
};

/// Elements of a scope asked for at once, where a scope can be paged at all.
const FIRST_PAGE: usize = 100;

impl Owner {
    pub fn stopped(&mut self, id: SessionId, body: StoppedEvent) {
        if let Some(halted) = self.live(id).and_then(|live| live.halted.as_ref()) {
            return halted.cancel();
        }
        if !self.ask_for_others(id, &body) {
            self.take_stop(id, body);
        }
    }

    pub fn take_stop(&mut self, id: SessionId, body: StoppedEvent) {
        if !self.held_back(id, &body) {
            self.stopped_now(id, body);
        }
    }

    /// Nothing that comes before it is under way any more: others judge whether anyone is to see it.
    pub fn stopped_now(&mut self, id: SessionId, body: StoppedEvent) {
        let live = self.live_mut(id);
        let asked = live.is_some_and(|live| mem::take(&mut live.pause_asked));
        let Some(body) = self.meant_stop(id, body, asked) else {
            return;
        };
        let is_judged = !asked
            && (self.judge_step(id, &body)
                || self.judge_exception(id, &body)
                || self.judge_failure(id, &body)
                || self.judge_pause(id, &body)
                || self.judge(id, &body, Vec::new()));
        if !is_judged {
            self.stand(id, body);
        }
    }

    /// The program stands still for everyone to see.
    pub fn stand(&mut self, id: SessionId, mut body: StoppedEvent) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        // Where the stack may tell of an exception, that comes first.
        let stack_tells = live.personality.own_filters;
        let momentary = mem::take(&mut live.pause_is_momentary);
        // They stand with this one.
        live.held_threads.clear();
        let first = live.stops == 1;
        let mut reason = mem::take(&mut body.reason);
        let at_entry = live.plan.entry_function.take().is_some();
        if at_entry && first && reason.contains("breakpoint") {
            "entry".clone_into(&mut reason);
        }
        let mut hits = body.hit_breakpoint_ids.take().unwrap_or_default();
        // A function may be several to its adapter, one for each type that it is made with; everybody knows the number of one.
        for hit in &mut hits {
            let wish = live.by_adapter_id.get(hit);
            let wish = wish.and_then(|wish| self.hub.state.breakpoint(*wish));
            let known = wish.and_then(|wish| wish.answers.get(&id)?.adapter_id);
            *hit = known.unwrap_or(*hit);
        }
        let goal = live.goal.take();
        let is_there = |goal| {
            let (known, all) = (&live.by_adapter_id, &self.hub.state.breakpoints);
            reason.contains("breakpoint") && reached(goal, &hits, known, all)
        };
        let mut missed = None;
        match goal {
            Some((goal, name)) if is_there(goal) => {
                name.clone_into(&mut reason);
                // Its number may be that of another one as well.
                hits.clear();
            }
            Some((goal, "cursor")) if reason != "pause" => missed = self.breakpoint(goal).ok(),
            _ => {}
        }
        let missed = missed.map(Breakpoint::label);
        let already = self.is_in(id, Phase::Stopped);
        let keeps_focus = body.preserve_focus_hint == Some(true);
        // The one that is to be looked at may come behind others, of which one is shown.
        let shown_unfocused =
            self.live(id).is_some_and(|live| live.shown_unfocused) && !hits.is_empty();
        if already && (keeps_focus || shown_unfocused) {
            // One more thread stands still; the person stays where they are.
            if let Some(thread) = body.thread_id {
                self.mark_stopped(id, thread);
            }
            if let Some(live) = self.live_mut(id).filter(|_| !hits.is_empty()) {
                (body.reason, body.hit_breakpoint_ids) = (reason, Some(hits));
                body.preserve_focus_hint = None;
                live.queued_stops.push_back(body);
            }
            return;
        }
        if let Some(live) = self.live_mut(id) {
            live.shown_unfocused = keeps_focus;
            live.queued_stops.clear();
        }
        let data = if reason == DATA_BREAKPOINT {
            self.hub.state.data_hits(id, &hits)
        } else {
            Vec::new()
        };
        let momentary = momentary && reason == "pause";
        let data: Vec<String> = data.iter().map(|b| b.site.to_string()).collect();
        // Of a part the adapter knows the last name alone.
        let whole = |text: String| match (text.split_once(": "), &*data) {
            (Some((part, said)), [name]) if name.ends_with(part) => format!("{name}: {said}"),
            _ => text,
        };
        let text = body.text.map(whole);
        let stop = Stop {
            id: self.next_stop(),
            thread_id: body.thread_id,
            reason,
            description: body.description,
            text: text.or_else(|| (!data.is_empty()).then(|| data.join(", "))),
            all_threads_stopped: body.all_threads_stopped.unwrap_or(false),
            hit_breakpoint_ids: hits,
            momentary,
            ..Stop::default()
        };
        let stop = Box::new(stop);
        if let Some(live) = self.live_mut(id) {
            live.stood.cancel();
        }
        let (stop_id, thread, exception) = (stop.id, stop.thread_id, stop.reason == "exception");
        let nameless = matches!(stop.reason.as_str(), "signal" | CORE_DUMP)
            && stop.description.is_none()
            && stop.text.is_none();
        let reason = stop.reason.clone();
        self.forget_numbers(id);
        if momentary {
            self.change(id, Change::LookedAt { stop });
            return self.load_stop(id, stop_id, thread);
        }
        self.change(id, Change::Stopped { stop });
        if let Some(line) = missed {
            self.inform(id, format!("The cursor's line was not reached: {line}."));
        }
        self.tell_unfinished_step(id, thread);
        self.stop_to_place(id, stop_id, &reason);
        self.load_stop(id, stop_id, thread);
        if exception && !stack_tells {
            self.ask_exception(id, stop_id, thread, None);
        }
        if nameless {
            self.ask_signal(id, stop_id);
        }
        self.ask_unkept(id, stop_id, &reason);
        self.drop_temporary(id);
        if at_entry {
            self.resend(&[Which::Functions], |_| {});
        }
        // The session that stopped is where the person looks, unless they already look at another stop.
        let focus_is_stopped = self
            .hub
            .state
            .focused()
            .is_some_and(|s| s.id != id && s.phase == Phase::Stopped);
        // In a recording it is the one whose stop it is in the time of all.
        let elsewhere = match self.playback(id) {
            Some(played) => !played.is_here(),
            None => focus_is_stopped,
        };
        if !elsewhere && self.hub.state.focus != Some(id) {
            self.hub.focus(id);
        }
    }

    /// Loads what everyone wants to see at a stop: the stack, the threads, the innermost frame.
    pub fn load_stop(&mut self, id: SessionId, stop: StopId, thread: Option<i64>) {
        let Some(client) = self.client(id) else {
            return;
        };
        let Some(thread) = thread else {
            // The adapter did not say which thread: ask which there are, and take the first.
            self.hold_evaluations(id);
            let answer = ask_threads(&client);
            return self.spawn(answer, move |owner, answer| {
                let first = first_thread(&answer);
                let has_signal = owner.live(id).is_some_and(|l| l.signal.is_some());
                let is_dead = has_signal && answer.is_ok() && first.is_none();
                owner.threads_loaded(id, stop, answer);
                match first {
                    Some(thread) => owner.load_stack(id, stop, thread, FIRST_FRAMES),
                    // It stood at a signal, went on, and has no threads any more.
                    None if is_dead => owner.terminated(id),
                    None => owner.change(
                        id,
                        Change::StopTrouble {
                            stop,
                            trouble: "Debugger reported no threads.".to_owned(),
                        },
                    ),
                }
                owner.release_evaluations(id);
            });
        };
        if let Some(live) = self.live.get_mut(&id) {
            live.threads_owed = self.config.threads_at_stops;
        }
        self.load_stack(id, stop, thread, FIRST_FRAMES);
    }

    /// Asks for the threads of a stop once its stack and locals are there or cannot be had: adapters answer one request
    /// after the other, and the list of threads is what a person misses least.
    fn load_owed_threads(&mut self, id: SessionId) {
        let Some(stop) = self.current_stop(id).map(|s| s.id) else {
            return;
        };
        let Some(live) = self.live_mut(id).filter(|l| l.threads_owed) else {
            return;
        };
        live.threads_owed = false;
        let Some(client) = live.client.clone() else {
            return;
        };
        let threads = ask_threads(&client);
        self.spawn(threads, move |owner, answer| {
            owner.threads_loaded(id, stop, answer);
        });
    }

    /// Asks for the stack. Until it is there, no expression knows its frame.
    fn load_stack(&mut self, id: SessionId, stop: StopId, thread_id: i64, levels: i64) {
        let Some(client) = self.client(id) else {
            return;
        };
        self.hold_evaluations(id);
        let answer = ask_stack(&client, thread_id, levels);
        self.spawn(answer, move |owner, answer| {
            match answer {
                Ok(response) => owner.stack_loaded(id, stop, thread_id, levels, response),
                Err(error) => {
                    owner.change(
                        id,
                        Change::StopTrouble {
                            stop,
                            trouble: format!("The stack could not be read: {error}"),
                        },
                    );
                    owner.load_owed_threads(id);
                }
            }
            owner.release_evaluations(id);
        });
    }

    pub fn stack_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        thread_id: i64,
        levels: i64,
        response: StackTraceResponse,
    ) {
        let Some(session) = self.session(id) else {
            return;
        };
        let Some(now) = session.current_stop().filter(|s| s.id == stop) else {
            return;
        };
        let stack = self.stack_of(id, response, levels);
        let frames = &stack.frames;
        let is_hook = frames
            .first()
            .is_some_and(|frame| causes::is_hook(&frame.name));
        let unwind = matches!(
            now.reason.as_str(),
            "exception" | "pause" | "entry" | CORE_DUMP
        ) || now.reason.contains("signal")
            || is_hook;
        let is_there =
            |at: &FrameRef| at.thread_id == thread_id && frames.iter().any(|f| f.id == at.frame_id);
        let select = now.selected.filter(is_there).map(|at| at.frame_id);
        let first_selection = now.selected.is_none_or(|s| s.thread_id == thread_id);
        let own = || self.own_frame(id, frames, unwind);
        let frame = select.or_else(own).or_else(|| pick_frame(frames, unwind));
        self.change(
            id,
            Change::Stack {
                stop,
                thread_id,
                stack,
            },
        );
        self.tell_cause(id);
        if first_selection && let Some(frame_id) = frame {
            self.inspect(
                id,
                stop,
                FrameRef {
                    thread_id,
                    frame_id,
                },
                false,
            );
            self.stop_placed(id, stop);
        } else {
            self.load_owed_threads(id);
        }
    }

    pub fn threads_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        answer: Result<ThreadsResponse, RequestError>,
    ) {
        let (Ok(response), Some(session)) = (answer, self.session(id)) else {
            return;
        };
        let standing = session.current_stop().filter(|s| s.id == stop);
        let all = standing.is_some_and(|s| s.all_threads_stopped);
        let one = standing.and_then(|s| s.thread_id);
        let threads = response
            .threads
            .into_iter()
            .map(|t| Thread {
                stopped: standing.is_some()
                    && (all
                        || one == Some(t.id)
                        || session
                            .threads
                            .iter()
                            .any(|old| old.id == t.id && old.stopped)),
                id: t.id,
                name: t.name,
            })
            .collect();
        self.change(id, Change::Threads { threads });
    }

    /// Selects a frame and loads its scopes, first variables and the watches in it.
    pub fn inspect(&mut self, id: SessionId, stop: StopId, frame: FrameRef, asked: bool) {
        self.change(id, Change::Selected { stop, frame });
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id, asked);
    }

    pub fn load_frame(&mut self, id: SessionId, stop: StopId, frame_id: i64) {
        let Some(client) = self.client(id) else {
            return;
        };
        self.hold_evaluations(id);
        self.is_fresh(id);
        let scopes = client.send::<Scopes>(&ScopesArguments { frame_id });
        self.spawn(scopes, move |owner, scopes| {
            owner.scopes_loaded(id, stop, frame_id, scopes, None);
        });
    }

    /// The scopes of a frame are here: their variables are asked for, all at once. By the owner and nobody else: what would
    /// reach the adapter behind a request that resumes the program makes some remember frames that are no more.
    pub fn scopes_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        scopes: Result<ScopesResponse, RequestError>,
        reply: Option<Answer>,
    ) {
        let current = self.current_stop(id).is_some_and(|s| s.id == stop);
        let (true, Some(follow)) = (current, self.follow(id)) else {
            self.release_evaluations(id);
            if let Some(reply) = reply {
                let _ = reply.send(Err(stale()));
            }
            return;
        };
        let (scopes, trouble) = match scopes {
            Ok(ScopesResponse { mut scopes }) => {
                // What a function gave back is what was waited for.
                scopes.sort_by_key(|scope| {
                    let hint = scope.presentation_hint.as_deref();
                    hint != Some("returnValue")
                });
                (scopes, None)
            }
            Err(error) => (
                Vec::new(),
                Some(format!("The scopes could not be read: {error}")),
            ),
        };
        self.spawn(
            join_all(variables_of(&follow, scopes)),
            move |owner, scopes| {
                let scopes = FrameScopes { scopes, trouble };
                owner.change(
                    id,
                    Change::Frame {
                        stop,
                        frame_id,
                        scopes: scopes.clone(),
                    },
                );
                owner.load_owed_threads(id);
                owner.release_evaluations(id);
                owner.load_previews(id, stop, frame_id, &scopes);
                if let Some(reply) = reply {
                    let _ = reply.send(match &scopes.trouble {
                        Some(trouble) => Err(DebuggerError::adapter(trouble.clone())),
                        None => Ok(Reply::Scopes { scopes }),
                    });
                }
            },
        );
    }

    pub fn client_and_personality(&self, id: SessionId) -> Option<(Client, Arc<Personality>)> {
        self.client(id).zip(self.personality(id))
    }

    pub fn personality(&self, id: SessionId) -> Option<Arc<Personality>> {
        Some(Arc::clone(&self.live(id)?.personality))
    }

    /// Values may have changed: what was loaded for the selected frame is loaded again.
    pub fn reload_frame(&mut self, id: SessionId, asked: bool) {
        let Some((stop, frame)) = self
            .current_stop(id)
            .and_then(|s| Some((s.id, s.selected?)))
        else {
            return;
        };
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id, asked);
    }

    pub fn continued(&mut self, id: SessionId, body: &ContinuedEvent) {
        if self.runs_for_us(id) {
            return;
        }
        // An absent flag means all threads (the protocol's default for adapters of old).
        let all = body.all_threads_continued.unwrap_or(true);
        if let Some(live) = self.live_mut(id).filter(|_| all) {
            live.queued_stops.clear();
        }
        let Some(session) = self.session(id) else {
            return;
        };
        let ours = session.stop.as_ref().and_then(|s| s.thread_id);
        if session.phase == Phase::Stopped && (all || body.thread_id == ours) {
            let activity = session.activity.clone();
            self.phase(id, Phase::Running, activity.as_deref());
        } else {
            self.change(
                id,
                Change::Continued {
                    thread_id: body.thread_id,
                    all_threads: all,
                },
            );
        }
    }

    pub fn invalidated(&mut self, id: SessionId, body: &InvalidatedEvent) {
        let Some((stop, thread)) = self
            .session(id)
            .and_then(|s| s.current_stop().map(|stop| (stop.id, s.current_thread())))
        else {
            return;
        };
        if self.reloads_later(id) {
            return;
        }
        let areas = body.areas.clone().unwrap_or_default();
        let hit = |area: &InvalidatedAreas| {
            areas.is_empty() || areas.contains(area) || areas.contains(&InvalidatedAreas::All)
        };
        if hit(&InvalidatedAreas::Stacks) || hit(&InvalidatedAreas::Threads) {
            self.load_stop(id, stop, thread);
        } else if hit(&InvalidatedAreas::Variables) {
            self.reload_frame(id, false);
        }
    }
}

/// Whether a stop at a breakpoint is the end of a run to a line: that one was hit and no other. Where the adapter does
/// not say which it was, only if there is no other.
fn reached(
    goal: BreakpointId,
    hits: &[i64],
    by_adapter_id: &HashMap<i64, BreakpointId>,
    breakpoints: &[Breakpoint],
) -> bool {
    if hits.is_empty() {
        return breakpoints
            .iter()
            .all(|b| b.id == goal || !b.enabled || !b.stops());
    }
    hits.iter().all(|hit| by_adapter_id.get(hit) == Some(&goal))
}

/// Asks for the variables of those scopes that are the frame's own: sent now, awaited by whoever takes the futures.
fn variables_of(
    follow: &Follow,
    scopes: Vec<Scope>,
) -> Vec<impl Future<Output = ScopeVariables> + Send + use<>> {
    let wanted = own_scopes(&scopes);
    scopes
        .into_iter()
        .zip(wanted)
        .map(|(scope, wanted)| {
            let answer = wanted.then(|| {
                let is_long = scope
                    .indexed_variables
                    .is_some_and(|n| n > FIRST_PAGE as i64);
                let page = is_long.then_some((0, FIRST_PAGE));
                follow.parts_of(scope.variables_reference, page)
            });
            let follow = follow.clone();
            async move {
                let (variables, trouble) = match answer {
                    None => (None, None),
                    Some(answer) => match follow.variables(answer.await).await {
                        Ok(VariablesResponse { mut variables }) => {
                            name_variables(&follow.personality, &scope.name, &mut variables);
                            (Some(variables), None)
                        }
                        Err(error) => (None, Some(error.to_string())),
                    },
                };
                ScopeVariables {
                    scope,
                    variables,
                    trouble,
                }
            }
        })
        .collect()
}

/// Gives the variables of a scope the expressions that mean them, where the adapter tells none.
fn name_variables(personality: &Personality, scope: &str, variables: &mut [Variable]) {
    let Some(target) = personality.scope_targets.get(scope) else {
        return;
    };
    let is_word = |name: &str| {
        let name = name.strip_prefix('$').unwrap_or(name);
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    for variable in variables {
        if variable.evaluate_name.is_none() && is_word(&variable.name) {
            variable.evaluate_name = Some(target.replace("${name}", &variable.name));
        }
    }
}
