//! One stop a line: a line may have several locations in the machine's code (each `println!` of Rust has three), and some debuggers stop at
//! every one of them. A thread that has just stopped at the line, in the same call, goes on as it was let go.
//!
//! It stops again at an address that is not higher than the last one: that is the loop's next iteration. Of an inlined function the call is
//! not known; it stops at each location.

use super::prelude::*;
use crate::address;

/// Threads whose last stop is kept.
const THREADS: usize = 256;

/// A thread at a line's breakpoints.
pub(super) struct LineStop {
    hits: Vec<i64>,
    /// As the adapter names it: what tells functions of one name apart may be at the end of it.
    function: String,
    /// Where the call goes back to.
    caller: Option<String>,
    /// The location where it stopped last, or went on by itself.
    address: u64,
}

impl Owner {
    /// Takes over a stop at breakpoints of lines, to see whether the line was stopped at already.
    pub(super) fn judge_line(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        let Some((session, live)) = self.session(id).zip(self.live(id)) else {
            return false;
        };
        let is_line = |hit: &i64| {
            let ours = live.by_adapter_id.get(hit);
            let ours = ours.and_then(|id| self.hub.state.breakpoint(*id));
            ours.is_some_and(|b| matches!(b.site, BreakpointSite::Source { .. }))
        };
        let hits = stop.hit_breakpoint_ids.clone().unwrap_or_default();
        let is_one = live.personality.stops_at_each_location
            && session.phase != Phase::Stopped
            && !hits.is_empty()
            && hits.iter().all(is_line);
        let case = stop
            .thread_id
            .filter(|_| is_one)
            .and_then(|thread| Some((thread, self.case(id, stop)?)));
        let Some((thread, mut case)) = case else {
            let thread = stop.thread_id.unwrap_or_default();
            // A step into a call of the line comes back to it.
            if let Some(live) = self.live_mut(id).filter(|_| stop.reason != "step") {
                live.line_stops.remove(&thread);
            }
            return false;
        };
        let stack = case.follow.stack(thread, 2);
        self.spawn(stack, move |owner, answer| {
            let frames = answer.map(|r| r.stack_frames).unwrap_or_default();
            let now = frames.first().and_then(|frame| {
                let caller = frames.get(1);
                let location = frame.instruction_pointer_reference.as_deref()?;
                Some(LineStop {
                    hits,
                    function: frame.name.clone(),
                    caller: caller.and_then(|c| c.instruction_pointer_reference.clone()),
                    address: address::number(location)?,
                })
            });
            case.stack = frames.into_iter().take(1).collect();
            let live = owner.live_mut(id);
            if !live.is_some_and(|live| live.passes(thread, now)) {
                return owner.judge_on(case);
            }
            let follow = case.follow.clone();
            let alone = async move { follow.stands_alone().await };
            owner.spawn(alone, move |owner, alone| {
                if !alone {
                    return owner.judge_on(case);
                }
                case.repeats = true;
                owner.judged(case, false);
            });
        });
        true
    }
}

impl Follow {
    /// Whether no other thread has stopped, where the debugger tells of one thread only.
    async fn stands_alone(&self) -> bool {
        let Some(expression) = &self.personality.stopped_threads else {
            return true;
        };
        // Which is quicker than to ask why they stand.
        let threads = ask_threads(&self.client, self.timeout).await;
        if threads.is_ok_and(|all| all.threads.len() == 1) {
            return true;
        }
        let arguments = self.watched(expression, None);
        let answer = self.client.send::<Evaluate>(&arguments, self.timeout).await;
        answer.is_ok_and(|answer| answer.result == "1")
    }
}

impl Live {
    /// Whether a thread is at one more location of the line that it stopped at; else this is the line it stops at.
    fn passes(&mut self, thread: i64, now: Option<LineStop>) -> bool {
        let goes_on = match self.resumed {
            Some(how @ Resume::Step(..)) => {
                let is_by_line = !how.by_instruction() && !how.is_backwards();
                is_by_line && self.stepped == Some(thread)
            }
            Some(Resume::Continue) | None => true,
            _ => false,
        };
        let Some(now) = now else { return false };
        if let Some(last) = self.line_stops.get_mut(&thread).filter(|_| goes_on)
            && (&last.hits, &last.function, &last.caller) == (&now.hits, &now.function, &now.caller)
            && last.address < now.address
        {
            last.address = now.address;
            return true;
        }
        if self.line_stops.len() >= THREADS {
            self.line_stops.clear();
        }
        self.line_stops.insert(thread, now);
        false
    }
}
