//! One profile into another: for what is handed over in parts while it is taken.
//!
//! Frames and stacks that are there already are kept once, as [`Builder`] does. Threads are the caller's to say: a part knows only its own.

use crate::profile::prelude::*;

impl Builder {
    /// Adds the samples of `part` whose stacks `wants` wants, as those of `thread`, `after` nanoseconds from the beginning on; gives how
    /// many there were and what they weigh. The weights of both must count the same.
    pub fn add(
        &mut self,
        part: &Profile,
        thread: ThreadId,
        after: u64,
        mut wants: impl FnMut(StackId) -> bool,
    ) -> (u64, u64) {
        let frames: Vec<_> = part
            .frames
            .iter()
            .map(|frame| self.frame(frame.clone()))
            .collect();
        // A caller comes before what it calls: its new number is known by then.
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(part.stacks.len());
        for stack in &part.stacks {
            let parent = stack.parent.and_then(|parent| slots::at(&stacks, parent.0));
            let frame = frames.get(stack.frame.0 as usize);
            stacks.push(frame.map(|frame| self.stack(parent, *frame)));
        }
        let (mut count, mut weight) = (0, 0_u64);
        for sample in &part.samples {
            let Some(stack) = slots::at(&stacks, sample.stack.0) else {
                continue;
            };
            if !wants(sample.stack) {
                continue;
            }
            count += 1;
            weight = weight.saturating_add(sample.weight);
            let at = match sample.at {
                Sample::NO_TIME => Sample::NO_TIME,
                at => after.saturating_add(at),
            };
            self.sample(Sample {
                stack,
                thread,
                weight: sample.weight,
                at,
            });
        }
        (count, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, Thread, Unit};
    use super::*;

    fn part(names: &[&str], at: u64) -> Profile {
        let mut builder = Builder::new(Unit::Nanoseconds);
        let thread = builder.thread(Thread::default());
        let frames: Vec<_> = names
            .iter()
            .map(|name| {
                builder.frame(Frame {
                    name: (*name).into(),
                    ..Frame::default()
                })
            })
            .collect();
        let stack = builder.stack_of(frames).unwrap();
        builder.sample(Sample {
            stack,
            thread,
            weight: 5,
            at,
        });
        builder.finish()
    }

    #[test]
    fn equal_stacks_of_parts_are_one_and_come_one_after_the_other() {
        let mut whole = Builder::new(Unit::Nanoseconds);
        let thread = whole.thread(Thread::default());
        let (one, other) = (part(&["main", "a"], 3), part(&["main", "b"], 4));
        assert_eq!(whole.add(&one, thread, 0, |_| true), (1, 5));
        assert_eq!(whole.add(&one, thread, 10, |_| true), (1, 5));
        assert_eq!(
            whole.add(&other, thread, Sample::NO_TIME - 1, |_| true),
            (1, 5)
        );
        assert_eq!(whole.add(&other, thread, 20, |_| false), (0, 0));
        let whole = whole.finish();
        assert_eq!((whole.frames.len(), whole.stacks.len()), (3, 3));
        let times: Vec<u64> = whole.samples.iter().map(|sample| sample.at).collect();
        assert_eq!(times, [3, 13, Sample::NO_TIME]);
        assert_eq!(whole.total(), 15);
    }
}
