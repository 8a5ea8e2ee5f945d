//! Numbers of the mirror's own for frames, values and sources. None is ever used twice, so that one of an earlier stop is known to be
//! stale, whatever its adapter calls things now.

use std::collections::HashMap;

use debugger::SessionId;

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReferenceTarget {
    /// A frame, by its adapter's number.
    Frame(i64),
    /// The parts of a scope or a value, by its adapter's reference.
    Parts(i64),
    /// A text that the adapter has, and no file.
    Source(SessionId, i64),
}

/// The numbers that an editor was given.
#[derive(Debug, Default)]
pub(super) struct Ids {
    last: i64,
    held: HashMap<i64, ReferenceTarget>,
    known: HashMap<ReferenceTarget, i64>,
}

impl Ids {
    /// The number for it: the same as before, as long as it is the same.
    pub(super) fn give(&mut self, held: ReferenceTarget) -> i64 {
        let Self {
            last,
            held: all,
            known,
        } = self;
        *known.entry(held).or_insert_with(|| {
            *last += 1;
            all.insert(*last, held);
            *last
        })
    }

    /// What a number stands for now.
    pub(super) fn get(&self, id: i64) -> Option<ReferenceTarget> {
        self.held.get(&id).copied()
    }

    /// The program has moved on: what was true of its stop is no more.
    pub(super) fn drop_stop(&mut self) {
        let stays = |held: &ReferenceTarget| matches!(held, ReferenceTarget::Source(..));
        self.held.retain(|_, held| stays(held));
        self.known.retain(|held, _| stays(held));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_stable_within_a_stop_and_never_used_again() {
        let mut ids = Ids::default();
        let source = ReferenceTarget::Source(SessionId(1), 7);
        let [frame, parts] =
            [ReferenceTarget::Frame(7), ReferenceTarget::Parts(7)].map(|held| ids.give(held));
        let text = ids.give(source);
        assert_eq!(ids.give(ReferenceTarget::Parts(7)), parts);
        assert_eq!(ids.get(frame), Some(ReferenceTarget::Frame(7)));
        ids.drop_stop();
        assert_eq!((ids.get(frame), ids.get(parts)), (None, None));
        assert_eq!(ids.get(text), Some(source));
        assert!(ids.give(ReferenceTarget::Frame(7)) > text);
    }
}
