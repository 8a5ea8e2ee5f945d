//! Steps that keep to the person's own code, where a debugger cannot be told to: one that ends in what others wrote goes on until it is
//! back. js-debug can be told, but then passes over what is thrown there, such as a failed assertion of Node's.

use super::{frames::is_others, prelude::*, refine::StopCandidate};
use crate::command::StepKind;

/// Frames that are looked at.
const FRAMES: i64 = 100;
/// How often one step goes on.
const MOST: u32 = 100;

impl Owner {
    /// Takes over the end of a step that began in the person's own code: it may have left that.
    pub(super) fn judge_step(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        let went_on = self.live(id).and_then(|live| live.own_step);
        let is_one = stop.reason == "step" && went_on.is_some_and(|times| times < MOST);
        let Some(thread_id) = stop.thread_id.filter(|_| is_one) else {
            return false;
        };
        let Some(case) = self.case(id, stop) else {
            return false;
        };
        let stack = case.follow.stack(thread_id, FRAMES);
        self.spawn(stack, move |owner, stack| {
            let frames = stack.map(|stack| stack.stack_frames).unwrap_or_default();
            owner.step_judged(case, thread_id, onward(&frames));
        });
        true
    }

    /// Everyone sees where the step ended, or it goes on.
    fn step_judged(&mut self, mut case: StopCandidate, thread: i64, onward: Option<Resume>) {
        let id = case.session;
        let Some(live) = self.after_judgement(id) else {
            return;
        };
        let paused = mem::take(&mut live.pause_asked);
        let Some(how) = onward.filter(|_| !paused) else {
            if paused {
                "pause".clone_into(&mut case.stop.reason);
            }
            return self.stand(id, case.stop);
        };
        live.own_step = live.own_step.map(|times| times + 1);
        live.resumed = Some(how);
        if !how.is_step() {
            live.stepped = None;
            self.phase(id, Phase::Running, None);
        }
        let arguments = json!({ "threadId": thread });
        let follow = &case.follow;
        let request = follow
            .client
            .send_raw(how.command(), arguments, follow.timeout);
        self.spawn(request, move |owner, answer| {
            let refused = matches!(answer, Err(RequestError::Failed { .. }));
            if refused && owner.is_in(id, Phase::Running) {
                owner.stand(id, case.stop);
            }
        });
    }
}

/// How a step goes on that ended there: out of what others wrote, or as the program does where nothing of the person's waits for that.
fn onward(frames: &[StackFrame]) -> Option<Resume> {
    let (first, outer) = frames.split_first()?;
    // What is behind a label does not wait: it will be called when it is its turn.
    let is_label = |frame: &StackFrame| frame.presentation_hint.as_deref() == Some("label");
    let mut outer = outer.iter().take_while(|frame| !is_label(frame));
    let is_own = |frame: &StackFrame| frame.path().is_some() && !is_others(frame);
    is_others(first).then(|| {
        if outer.any(is_own) {
            Resume::Step(StepKind::Out, Granularity::Line)
        } else {
            Resume::Continue
        }
    })
}
