//! Steps that keep to the person's own code, where a debugger cannot be told to: one that ends in what others wrote goes on until it is
//! back. js-debug can be told, but then passes over what is thrown there, such as a failed assertion of Node's. Native debuggers know of
//! calls that they are not to step into; a step out of `main`, or of a closure that a library called, ends in the caller all the same.

use super::{
    frames::{is_others, is_own},
    prelude::*,
    refine::StopCandidate,
};
use crate::command::StepKind;

/// Frames that are looked at.
const FRAMES: i64 = 100;
/// How often one step goes on.
const MOST: u32 = 100;

impl Owner {
    /// Takes over the end of a step that began in the person's own code: it may have left that.
    pub fn judge_step(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        let went_on = self.live(id).and_then(|live| live.own_step);
        let is_one = stop.reason == "step" && went_on.is_some_and(|times| times < MOST);
        let Some(thread_id) = stop.thread_id.filter(|_| is_one) else {
            return false;
        };
        let Some(case) = self.case(id, stop) else {
            return false;
        };
        let native = case.follow.personality.own_filters;
        let follow = case.follow.clone();
        let onward = async move {
            // Most steps end in the person's own code: then one frame is enough.
            let first = follow.stack(thread_id, 1).await.ok()?.stack_frames;
            if wrote(native, first.first()?) {
                return None;
            }
            let frames = follow.stack(thread_id, FRAMES).await.ok()?.stack_frames;
            onward(native, &frames)
        };
        self.spawn(onward, move |owner, onward| {
            owner.step_judged(case, thread_id, onward);
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
        // Where one thread runs alone, the others stay where they are.
        let arguments = self.session(id).map(|it| how.arguments(it, thread));
        let Some(Ok(arguments)) = arguments else {
            return self.stand(id, case.stop);
        };
        let follow = &case.follow;
        let request = follow.client.send_raw(how.command(), arguments);
        self.spawn(request, move |owner, answer| {
            let refused = matches!(answer, Err(RequestError::Failed { .. }));
            if refused && owner.is_in(id, Phase::Running) {
                owner.stand(id, case.stop);
            }
        });
    }
}

/// Whether the person wrote it, as far as that can be known: of a native program, whether its source is there and is no library's.
pub fn wrote(native: bool, frame: &StackFrame) -> bool {
    if native {
        is_own(frame)
    } else {
        frame.path().is_some() && !is_others(frame)
    }
}

/// How a step goes on that ended there: out of what others wrote, or as the program does where nothing of the person's waits for that.
fn onward(native: bool, frames: &[StackFrame]) -> Option<Resume> {
    let (first, outer) = frames.split_first()?;
    // What is behind a label does not wait: it will be called when it is its turn.
    let is_label = |frame: &StackFrame| frame.presentation_hint.as_deref() == Some("label");
    let mut outer = outer.iter().take_while(|frame| !is_label(frame));
    let is_foreign = if native {
        !is_own(first)
    } else {
        is_others(first)
    };
    is_foreign.then(|| {
        if outer.any(|frame| wrote(native, frame)) {
            Resume::Step(StepKind::Out, Granularity::Line)
        } else {
            Resume::Continue
        }
    })
}
