//! What an adapter says of a run and of a stop while it evaluates, and where the program stands when that is over.

use crate::{
    adapters::stop_text,
    core::{frames::plain_names, prelude::*},
};

impl Owner {
    /// Looks where the program stands after it ran for an evaluation.
    pub fn settle(&mut self, id: SessionId, then: impl FnOnce(&mut Self, bool) + Send + 'static) {
        let stop = self.current_stop(id).cloned();
        let Some((stop, live)) = stop.zip(self.live.get_mut(&id)) else {
            return then(self, false);
        };
        let Some(client) = &live.client else {
            return then(self, false);
        };
        let own = &mut live.evaluations;
        (own.ran, own.busy) = (false, true);
        let (held, turn) = (own.held_back.take(), own.turn);
        // In the order in which they were asked for: what counts its frames gives them the same numbers.
        let mut stacks: Vec<_> = stop.stacks.iter().collect();
        stacks.sort_by_key(|(_, stack)| stack.frames.first().map(|f| f.id));
        let asked = stacks.into_iter().map(|(thread, stack)| {
            let levels = FIRST_FRAMES.max(stack.frames.len() as i64);
            let answer = ask_stack(client, *thread, levels);
            let thread = *thread;
            async move { (thread, answer.await.map(|r| Stack::of(r, levels).frames)) }
        });
        let asked: Vec<_> = asked.collect();
        self.spawn(join_all(asked), move |owner, answers| {
            let Some(own) = owner.evaluations_of(id, turn) else {
                return then(owner, true);
            };
            own.busy = false;
            let now = owner.current_stop(id);
            if now.is_none_or(|now| now.id != stop.id) {
                then(owner, true);
                return owner.next_evaluation(id);
            }
            let at = held
                .as_ref()
                .and_then(|held| held.thread_id)
                .or(stop.thread_id);
            let personality = owner.client_and_personality(id).map(|(_, p)| p);
            let mut moved = false;
            let mut now = Vec::new();
            for (thread, answer) in answers {
                let before = stop
                    .stacks
                    .get(&thread)
                    .map(|stack| stack.frames.as_slice());
                let mut frames = answer.unwrap_or_default();
                plain_names(personality.as_deref(), &mut frames);
                let is_same = before.is_some_and(|before| same_place(before, &frames));
                // Other threads may run on while one of them calls a function.
                moved |= !is_same && at == Some(thread);
                now.push((thread, frames));
            }
            match held {
                Some(held) if moved => {
                    let unasked = owner.live(id).map_or(0, |l| l.evaluations.unasked);
                    owner.drop_evaluations(id);
                    if let Some(live) = owner.live_mut(id) {
                        live.evaluations.unasked = unasked;
                    }
                    owner.stopped_now(id, held);
                }
                _ => owner.renew(id, &stop, now),
            }
            then(owner, moved);
            owner.next_evaluation(id);
        });
    }

    /// The program stands where it stood, but the adapter has new numbers for its frames.
    fn renew(&mut self, id: SessionId, stop: &Stop, now: Vec<(i64, Vec<StackFrame>)>) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let own = &mut live.evaluations;
        own.renewed = true;
        own.unanswered = None;
        // What was there before it cannot be opened any more.
        let closed = mem::take(&mut own.opened);
        let mut renamed = HashMap::new();
        let mut changes = Vec::new();
        for (thread_id, frames) in now {
            let Some(before) = stop.stacks.get(&thread_id) else {
                continue;
            };
            for (old, new) in before.frames.iter().zip(&frames) {
                if old.id != new.id {
                    renamed.insert(old.id, new.id);
                }
            }
            let stack = Stack {
                frames,
                ..before.clone()
            };
            changes.push(Change::Stack {
                stop: stop.id,
                thread_id,
                stack,
            });
        }
        for told in own.frames.values_mut() {
            *told = renamed.get(told).copied().unwrap_or(*told);
        }
        own.frames.extend(&renamed);
        if let Some(at) = stop.selected
            && let Some(frame_id) = renamed.get(&at.frame_id).copied()
        {
            let frame = FrameRef { frame_id, ..at };
            changes.push(Change::Selected {
                stop: stop.id,
                frame,
            });
        }
        for (watch, value) in closed {
            let value = WatchValue {
                variables_reference: 0,
                declared: None,
                ..value
            };
            changes.push(Change::Watch {
                stop: stop.id,
                watch,
                value,
            });
        }
        for change in changes {
            self.change(id, change);
        }
    }

    /// Whether a stop belongs to an evaluation: it is looked at when that is over.
    pub fn held_back(&mut self, id: SessionId, body: &StoppedEvent) -> bool {
        let (description, text) = (body.description.as_deref(), body.text.as_deref());
        let Some((session, live)) = self.session(id).zip(self.live(id)) else {
            return false;
        };
        let stands = session.phase == Phase::Stopped;
        let told = stop_text(&body.reason, description, text);
        let is_call = live.personality.call_stops.fit(&told);
        if is_call && live.judging_calls > 0 {
            if let Some(live) = self.live_mut(id) {
                live.judging_calls -= 1;
            }
            return true;
        }
        let Some(stop) = &session.stop else {
            return false;
        };
        let here = [stop.thread_id, stop.selected.map(|at| at.thread_id)];
        if body.thread_id.is_some() && !here.contains(&body.thread_id) {
            return false;
        }
        let own = &live.evaluations;
        let during = stands && own.open > 0;
        let call = is_call && (stands || live.ran_alone);
        if !during && !call {
            return false;
        }
        let over = !during || own.unanswered.is_some();
        if !stands {
            // A command of the debugger's own called a function.
            self.phase(id, Phase::Stopped, None);
        }
        if let Some(live) = self.live_mut(id) {
            live.threads_owed |= !stands;
            live.evaluations.ran = true;
            live.evaluations.held_back = Some(body.clone());
        }
        if over {
            self.settle(id, |_, _| {});
        }
        true
    }

    /// Whether what an adapter says of a run belongs to an evaluation.
    pub fn runs_for_us(&mut self, id: SessionId) -> bool {
        let stands = self.is_in(id, Phase::Stopped);
        let Some(live) = self.live_mut(id) else {
            return false;
        };
        let during = stands && live.evaluations.open > 0;
        let judges = live.judging > 0 && live.personality.call_stops.any();
        live.evaluations.ran |= during;
        live.ran_alone |= !during && !judges;
        live.judging_calls += u32::from(judges);
        during || judges
    }
}

/// Whether two stacks are of one place.
fn same_place(before: &[StackFrame], now: &[StackFrame]) -> bool {
    let key = |f: &StackFrame| {
        (
            f.name.clone(),
            f.line,
            f.instruction_pointer_reference.clone(),
        )
    };
    before.len() == now.len() && before.iter().map(key).eq(now.iter().map(key))
}
