//! One stop a line: what one line means may begin at several places of the machine's code (each `println!` of Rust has three), and some
//! debuggers stop at every one of them. Where the program has just stood at the line it goes on as it was let go.
//!
//! It stands again at a place that it comes to for the second time: that is the loop's next turn, or another call.

use super::{frames::plain_names, prelude::*};

/// Threads of which it is known where they stood.
const THREADS: usize = 256;

/// A thread at a line's breakpoints.
pub(super) struct LineStop {
    hits: Vec<i64>,
    function: String,
    /// Where it stood first, and where it went on by itself.
    places: Vec<String>,
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
        let is_one = live.personality.repeats_lines
            && session.phase != Phase::Stopped
            && !hits.is_empty()
            && hits.iter().all(is_line);
        let case = stop
            .thread_id
            .filter(|_| is_one)
            .and_then(|thread| Some((thread, self.case(id, stop)?)));
        let Some((thread, mut case)) = case else {
            let thread = stop.thread_id.unwrap_or_default();
            if let Some(live) = self.live_mut(id) {
                live.line_stops.remove(&thread);
            }
            return false;
        };
        let stack = case.follow.stack(thread, 1);
        self.spawn(stack, move |owner, answer| {
            let mut frames = answer.map(|r| r.stack_frames).unwrap_or_default();
            plain_names(Some(&case.follow.personality), &mut frames);
            let now = frames.first().and_then(|frame| {
                Some(LineStop {
                    hits,
                    function: frame.name.clone(),
                    places: vec![frame.instruction_pointer_reference.clone()?],
                })
            });
            if owner
                .live_mut(id)
                .is_some_and(|live| live.passes(thread, now))
            {
                case.repeats = true;
                return owner.judged(case, false);
            }
            case.stack = frames;
            owner.judge_on(case);
        });
        true
    }
}

impl Live {
    /// Whether a thread stands at one more place of the line that it stood at; else this is the line it stands at.
    fn passes(&mut self, thread: i64, now: Option<LineStop>) -> bool {
        let goes_on = match self.resumed {
            Some(how @ Resume::Step(..)) => !how.by_instruction() && !how.is_backwards(),
            Some(Resume::Continue) | None => true,
            _ => false,
        };
        let Some(now) = now else { return false };
        if let Some(last) = self.line_stops.get_mut(&thread).filter(|_| goes_on)
            && (&last.hits, &last.function) == (&now.hits, &now.function)
            && !last.places.iter().any(|place| now.places.contains(place))
        {
            last.places.extend(now.places);
            return true;
        }
        if self.line_stops.len() >= THREADS {
            self.line_stops.clear();
        }
        self.line_stops.insert(thread, now);
        false
    }
}
