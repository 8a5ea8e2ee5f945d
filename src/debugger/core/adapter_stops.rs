//! What an adapter means by a stop, in the words that all share; and stops of its own making, which nobody is to see.

use super::{frames::first_thread, jumps::NO_REASON, prelude::*};
use crate::{
    adapters::stop_text,
    exit,
    hits::is_named_in_text,
    state::{CORE_DUMP, DATA_BREAKPOINT, NO_HISTORY},
};

impl Owner {
    /// The stop as it is meant, unless it is left again; `asked` says that a pause was under way.
    pub fn meant_stop(
        &mut self,
        id: SessionId,
        mut body: StoppedEvent,
        asked: bool,
    ) -> Option<StoppedEvent> {
        self.answer_at_once(id);
        let dead = self.is_core(id);
        let live = self.live.get_mut(&id)?;
        let mut reason = mem::take(&mut body.reason);
        let personality = Arc::clone(&live.personality);
        let (description, text) = (body.description.as_deref(), body.text.as_deref());
        let told = stop_text(&reason, description, text);
        let is_pause = personality.is_pause(&told);
        let data_stops = personality.data_stops.as_ref();
        let is_data = data_stops.is_some_and(|data| data.stop.is_match(&told));
        // The first stop is the one behind it.
        let own = live.stops == 0 && personality.own_stops.fit(&told);
        live.stops += u64::from(!own);
        // Of a death nothing may be told but a stop without a thread.
        if body.thread_id.is_some() {
            live.signal = exit::signal_named(&reason);
            let mut words = told.split(|c: char| !c.is_ascii_alphanumeric());
            live.signal_in_words = words.find_map(exit::signal_named);
        }
        let first = live.stops == 1;
        let is_refused = personality.refused_steps.fit(&told);
        let is_broken = personality.broken_condition(&told).is_some();
        if is_refused || is_broken {
            "breakpoint".clone_into(&mut reason);
            (body.description, body.text) = (None, None);
            live.stepped = None;
        }
        if is_broken {
            self.condition_in_words(id, &told, false);
        }
        let live = self.live.get_mut(&id)?;
        // Where a breakpoint that was taken away stops it first, the pause has what it wants, and comes no more.
        let all = &self.hub.state.breakpoints;
        let is_kept = asked
            && personality.kept_stops.fit(&told)
            && !all.iter().any(|b| is_named_in_text(b, &body));
        // LLDB calls it a step, too, when a pause meets a thread one instruction from its breakpoint.
        let is_step_of_nobody = reason == "step" && !live.resumed.is_some_and(Resume::is_step);
        if asked && (is_pause || is_kept || is_step_of_nobody) {
            "pause".clone_into(&mut reason);
        } else if is_pause && matches!(live.resumed, Some(Resume::RestartFrame(_))) {
            // js-debug says so when it hears of the frame before it has the answer.
            "restart".clone_into(&mut reason);
        }
        if live.resumed.is_some_and(Resume::is_backwards) && reason == NO_REASON {
            // The beginning of what was recorded.
            NO_HISTORY.clone_into(&mut reason);
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
            return None;
        }
        let unasked = own || is_extra;
        let entry_step = personality
            .launch
            .entry_step
            .clone()
            .filter(|_| first && live.plan.wants_entry && !reason.contains("breakpoint"));
        let left_by = entry_step.or_else(|| unasked.then(|| "continue".to_owned()));
        if let Some(request) = left_by {
            let thread = body.thread_id.unwrap_or(0);
            // Before its breakpoints are on their way the program would pass them.
            if live.handshake.configuring {
                self.go_onward(id, &request, thread);
            } else {
                live.left_by = Some((request, thread));
            }
            return None;
        }
        if let Some(number) = data_stops.and_then(|data| data.hit(&told))
            && live.by_adapter_id.contains_key(&number)
        {
            (body.hit_breakpoint_ids, body.description) = (Some(vec![number]), None);
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
        if is_refused {
            let text = "The step before is not over: a breakpoint interrupted it.";
            let hint = Some("continue goes on with it".to_owned());
            self.say(Some(id), Severity::Warning, text, hint);
        }
        Some(body)
    }

    /// Has the place tell what a pause is that nobody asked for: js-debug takes a breakpoint for one that is set where the program
    /// just runs.
    pub fn judge_pause(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        // What becomes of it may be told after the stop.
        let is_doubtful = stop.reason == "pause"
            && !self.is_in(id, Phase::Stopped)
            && self.breakpoints().any(|b| b.enabled);
        let Some(thread) = stop.thread_id.filter(|_| is_doubtful) else {
            return false;
        };
        let Some(mut case) = self.case(id, stop) else {
            return false;
        };
        let stack = case.follow.stack(thread, 1);
        self.spawn(stack, move |owner, answer| {
            let frames = answer.map(|r| r.stack_frames).unwrap_or_default();
            if let Some(frame) = frames.first()
                && !owner.hit_at(id, frame).is_empty()
            {
                "breakpoint".clone_into(&mut case.stop.reason);
                case.stop.description = None;
            }
            owner.judge_on(case);
        });
        true
    }

    /// Leaves a stop that is none of ours by this request.
    pub fn go_onward(&self, id: SessionId, request: &str, thread: i64) {
        if let Some(client) = self.live(id).and_then(|live| live.client.as_ref()) {
            drop(client.send_raw(request, serde_json::json!({ "threadId": thread })));
        }
    }

    /// Whether it is a core dump that is looked at.
    pub fn is_core(&self, id: SessionId) -> bool {
        self.session(id).is_some_and(|session| session.post_mortem)
    }

    /// What a core dump was taken of stands still for ever, and not every adapter says so.
    pub fn stand_dead(&self, id: SessionId) {
        let Some(client) = self.client(id) else {
            return;
        };
        let threads = ask_threads(&client);
        self.spawn(threads, move |owner, answer| {
            let told = owner.live(id).is_none_or(|live| live.stops > 0);
            let Some(thread) = first_thread(&answer) else {
                return owner.warn_with(
                    id,
                    "The core dump names no thread: there is nothing to look at.",
                    "see whether it is of that program, and whole",
                );
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
}

/// Whether a program that goes on with this signal dies of it, unless it handles even that.
pub fn is_deadly(number: i32) -> bool {
    matches!(
        number,
        libc::SIGILL | libc::SIGABRT | libc::SIGBUS | libc::SIGFPE | libc::SIGSEGV | libc::SIGSYS
    )
}
