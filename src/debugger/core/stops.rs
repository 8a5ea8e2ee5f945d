//! Stops, and their end: which of them a person sees, and what is asked at once because of them.

use dap::types::{ContinuedEvent, InvalidatedAreas, InvalidatedEvent};

use super::{frames::first_thread, prelude::*};
use crate::{
    adapters::stop_text,
    exit,
    state::{CORE_DUMP, DATA_BREAKPOINT},
};

impl Owner {
    pub(super) fn stopped(&mut self, id: SessionId, body: StoppedEvent) {
        if !self.held_back(id, &body) {
            self.stopped_now(id, body);
        }
    }

    pub(super) fn stopped_now(&mut self, id: SessionId, mut body: StoppedEvent) {
        let dead = self.is_core(id);
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        let mut reason = mem::take(&mut body.reason);
        let personality = Arc::clone(&live.personality);
        let (description, text) = (body.description.as_deref(), body.text.as_deref());
        let told = stop_text(&reason, description, text);
        let is_pause = personality.is_pause(&told);
        let is_data = personality.data_stops.fit(&told);
        // The first stop is the one behind it.
        let own = live.stops == 0 && personality.own_stops.fit(&told);
        live.stops += u64::from(!own);
        // Of a death nothing may be told but a stop without a thread.
        if body.thread_id.is_some() {
            live.signal = exit::signal_named(&reason);
        }
        let first = live.stops == 1;
        let asked = mem::take(&mut live.pause_asked);
        // Where a breakpoint that was taken away stops it first, the pause has what it wants, and comes no more.
        let at = format!("{} ", description.or(text).unwrap_or_default());
        let is_ours = |b: &Breakpoint| match &b.site {
            BreakpointSite::Source { path, line, .. } => {
                b.enabled && at.contains(&format!("{}:{line} ", path.display()))
            }
            _ => false,
        };
        let is_kept = asked
            && personality.kept_stops.fit(&told)
            && !self.hub.state.breakpoints.iter().any(is_ours);
        // LLDB calls it a step, too, when a pause meets a thread one instruction from its breakpoint.
        let is_step_of_nobody = reason == "step" && !live.resumed.is_some_and(Resume::is_step);
        if asked && (is_pause || is_kept || is_step_of_nobody) {
            "pause".clone_into(&mut reason);
        } else if is_pause && matches!(live.resumed, Some(Resume::RestartFrame(_))) {
            // js-debug says so when it hears of the frame before it has the answer.
            "restart".clone_into(&mut reason);
        }
        // Only a stop of the adapter's own making is passed over: never a breakpoint, and never a crash.
        let is_extra = first
            && !dead
            && !asked
            && (is_pause || matches!(reason.as_str(), "" | "attach" | "entry" | "step"))
            && live.kind == StartKind::Attach
            && !live.plan.wants_entry
            && personality.attach_extra_stop;
        if own && live.kind == StartKind::Launch {
            // The end of the configuration lets it go on: one word more would carry it past the next stop.
            return;
        }
        let unasked = own || is_extra;
        let entry_step = personality
            .launch
            .entry_step
            .clone()
            .filter(|_| first && live.plan.wants_entry && !reason.contains("breakpoint"));
        let onward = entry_step.or_else(|| unasked.then(|| "continue".to_owned()));
        if let Some(onward) = onward {
            let thread = body.thread_id.unwrap_or(0);
            // Before its breakpoints are on their way the program would pass them.
            if live.handshake.configuring {
                self.go_onward(id, &onward, thread);
            } else {
                live.onward = Some((onward, thread));
            }
            return;
        }
        // A breakpoint that nobody wished for is a filter's, or where the program begins.
        let hits = body.hit_breakpoint_ids.as_deref().unwrap_or_default();
        let wished = hits.iter().any(|hit| live.by_adapter_id.contains_key(hit));
        let filters = hits.iter().any(|hit| live.filter_breakpoints.contains(hit))
            || (live.nameless_filters && !hits.is_empty());
        let unwished =
            personality.own_filters && reason.contains("breakpoint") && !is_data && !wished;
        let at_entry = first && live.plan.wants_entry && live.kind == StartKind::Launch;
        if unwished && (at_entry || filters) {
            if at_entry { "entry" } else { "exception" }.clone_into(&mut reason);
            (body.description, body.text) = (None, None);
        }
        if dead && matches!(reason.as_str(), "" | "attach" | "pause" | "entry" | "step") {
            CORE_DUMP.clone_into(&mut reason);
        }
        if is_data {
            DATA_BREAKPOINT.clone_into(&mut reason);
        }
        body.reason = reason;
        body.description = personality.said(body.description);
        let is_judged = !asked
            && (self.judge_step(id, &body)
                || self.judge_failure(id, &body)
                || self.judge(id, &body));
        if !is_judged {
            self.stand(id, body);
        }
    }

    /// Leaves a stop that is none of ours by this request.
    pub(super) fn go_onward(&self, id: SessionId, request: &str, thread: i64) {
        if let Some(client) = self.live(id).and_then(|live| live.client.as_ref()) {
            drop(client.send_raw(
                request,
                serde_json::json!({ "threadId": thread }),
                self.config.request_timeout,
            ));
        }
    }

    /// Whether it is a core dump that is looked at.
    pub(super) fn is_core(&self, id: SessionId) -> bool {
        self.session(id).is_some_and(|session| session.post_mortem)
    }

    /// What a core dump was taken of stands still for ever, and not every adapter says so.
    pub(super) fn stand_dead(&self, id: SessionId) {
        let Some(client) = self.client(id) else {
            return;
        };
        let threads = ask_threads(&client, self.config.request_timeout);
        self.spawn(threads, move |owner, answer| {
            let told = owner.live(id).is_none_or(|live| live.stops > 0);
            let Some(thread) = first_thread(&answer) else {
                return;
            };
            if !told {
                owner.stand(
                    id,
                    StoppedEvent {
                        reason: CORE_DUMP.to_owned(),
                        thread_id: Some(thread),
                        all_threads_stopped: Some(true),
                        ..StoppedEvent::default()
                    },
                );
            }
        });
    }

    /// The program stands still for everyone to see.
    pub(super) fn stand(&mut self, id: SessionId, body: StoppedEvent) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        // Where the stack may tell of an exception, that comes first.
        let stack_tells = live.personality.own_filters;
        let momentary = mem::take(&mut live.pause_is_momentary);
        let first = live.stops == 1;
        let mut reason = body.reason;
        let at_entry = live.plan.entry_function.take().is_some();
        if at_entry && first && reason.contains("breakpoint") {
            "entry".clone_into(&mut reason);
        }
        let hits = body.hit_breakpoint_ids.unwrap_or_default();
        if let Some(goal) = live.run_to.take()
            && reason.contains("breakpoint")
            && reached(
                goal,
                &hits,
                &live.by_adapter_id,
                &self.hub.state.breakpoints,
            )
        {
            "cursor".clone_into(&mut reason);
        }
        let already = self.is_in(id, Phase::Stopped);
        if already && body.preserve_focus_hint == Some(true) {
            // One more thread stands still; the person stays where they are.
            if let Some(thread) = body.thread_id {
                self.mark_stopped(id, thread);
            }
            return;
        }
        let data = if reason == DATA_BREAKPOINT {
            self.hub.state.data_hits(id, &hits)
        } else {
            Vec::new()
        };
        let momentary = momentary && reason == "pause";
        let data: Vec<String> = data.iter().map(|b| b.site.to_string()).collect();
        let stop = Stop {
            id: self.next_stop(),
            thread_id: body.thread_id,
            reason,
            description: body.description,
            text: body
                .text
                .or_else(|| (!data.is_empty()).then(|| data.join(", "))),
            all_threads_stopped: body.all_threads_stopped.unwrap_or(false),
            hit_breakpoint_ids: hits,
            momentary,
            ..Stop::default()
        };
        let stop = Box::new(stop);
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

    pub(super) fn mark_stopped(&mut self, id: SessionId, thread: i64) {
        let Some(session) = self.session(id) else {
            return;
        };
        let mut threads = session.threads.clone();
        for t in threads.iter_mut().filter(|t| t.id == thread) {
            t.stopped = true;
        }
        self.change(id, Change::Threads { threads });
    }

    pub(super) fn continued(&mut self, id: SessionId, body: &ContinuedEvent) {
        if self.runs_for_us(id) {
            return;
        }
        let Some(session) = self.session(id) else {
            return;
        };
        // An absent flag means all threads (the protocol's default for adapters of old).
        let all = body.all_threads_continued.unwrap_or(true);
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

    pub(super) fn invalidated(&mut self, id: SessionId, body: &InvalidatedEvent) {
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

/// Whether a program that goes on with this signal dies of it, unless it handles even that.
pub(super) fn is_deadly(number: i32) -> bool {
    matches!(
        number,
        libc::SIGILL | libc::SIGABRT | libc::SIGBUS | libc::SIGFPE | libc::SIGSEGV | libc::SIGSYS
    )
}
