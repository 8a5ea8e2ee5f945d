//! One session of a recording as it is played: what is known of it, and the way through the time that it shares with the others.
//!
//! Who speaks for it is in `play`.

use std::sync::{Arc, atomic::AtomicUsize};

use super::{
    Ending, ONCE_MORE, Recording,
    timeline::{Clock, Like, Place},
    track::Track,
};
use crate::{history::RecordedStop, ids::StopId};

/// One session of a recording, to be played.
#[derive(Clone, Debug)]
pub struct Playback {
    pub(super) recording: Arc<Recording>,
    /// As [`Recording::track`] counts.
    pub(super) track: usize,
    pub(super) clock: Arc<Clock>,
    /// The stop of its own that this one is at, from 1; 0 before the first.
    pub(super) at: Arc<AtomicUsize>,
}

impl Playback {
    /// The first session of a recording, from its beginning.
    pub fn new(recording: Arc<Recording>) -> Self {
        Self {
            recording,
            track: 0,
            clock: Arc::default(),
            at: Arc::default(),
        }
    }

    /// The same from its beginning.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::new(Arc::clone(&self.recording))
    }

    /// Another session of the same recording, by its number; none when there is no such.
    pub fn other(&self, track: usize) -> Option<Self> {
        self.recording.track(track).map(|_| Self {
            recording: Arc::clone(&self.recording),
            track,
            clock: Arc::clone(&self.clock),
            at: Arc::default(),
        })
    }

    pub(super) fn track(&self) -> &Track {
        self.recording
            .track(self.track)
            .unwrap_or(&self.recording.root)
    }

    /// Which session of the recording it is, from 0.
    pub fn number(&self) -> usize {
        self.track
    }

    /// The number of the session that it came out of.
    pub fn parent(&self) -> Option<usize> {
        self.track().parent
    }

    /// Whether both go by one clock.
    pub fn is_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.clock, &other.clock)
    }

    /// What is played, for people.
    pub fn name(&self) -> String {
        format!("recording of {}", self.track().adapter)
    }

    /// What was debugged.
    pub fn program(&self) -> &str {
        &self.track().program
    }

    /// What is missing in the recording.
    pub fn notes(&self) -> Vec<&str> {
        let notes = self.recording.notes.iter().map(String::as_str);
        notes.filter(|note| *note != ONCE_MORE).collect()
    }

    /// At which of its own stops it is, from 1.
    pub fn at(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.at)
    }

    /// All its own stops; `id` gives each a number that no other stop has.
    pub fn stops(&self, id: impl FnMut() -> StopId) -> Vec<RecordedStop> {
        self.track().seen(id)
    }

    /// The stops of all sessions, in order.
    pub fn places(&self) -> &[Place] {
        self.recording.places()
    }

    /// The stop that came last in any session, from 1; 0 = none yet.
    pub fn here(&self) -> usize {
        self.clock.here(&self.recording.score)
    }

    /// Whether the stop that came last is one of this session.
    pub fn is_here(&self) -> bool {
        let last = self.here().checked_sub(1);
        let place = last.and_then(|last| self.places().get(last));
        place.is_some_and(|place| place.track == self.track)
    }

    /// The stop at which it stands, from 1 among those of all sessions.
    pub fn stands(&self) -> Option<usize> {
        self.clock.stands(self.track, &self.recording.score)
    }

    /// What it is like when a stop (from 1 among those of all sessions) is looked at.
    pub fn like(&self, stop: usize) -> Option<Like> {
        self.recording.score.like(self.track, stop)
    }

    /// How it ended, where the recording has it.
    pub fn ending(&self) -> Ending {
        self.recording.ending(self.track + 1)
    }

    /// Whether there are other sessions beside it.
    pub fn is_tree(&self) -> bool {
        !self.recording.children.is_empty()
    }

    /// Whether it has begun by now.
    pub fn has_begun(&self) -> bool {
        let own = self.recording.score.of_track.get(self.track);
        let first = own.and_then(|own| own.first());
        self.track == 0 || first.is_some_and(|first| *first < self.clock.now().passed)
    }

    /// Whether there is nothing more of the recording.
    pub fn is_over(&self) -> bool {
        self.clock.now().over
    }

    /// Goes on to the next stop of any session, or to the end. False: this is the end.
    pub fn forward(&self) -> bool {
        self.clock.forward(&self.recording.score)
    }

    /// Goes back to the stop before. False: this is the first one.
    pub fn back(&self) -> bool {
        self.clock.back(&self.recording.score)
    }

    /// How fast all sessions of the recording go on by themselves: 1 = as it was, 0 = not at all.
    pub fn set_speed(&self, speed: u32) {
        self.clock.set_speed(speed, &self.recording.score);
    }

    /// How fast it goes on by itself.
    pub fn speed(&self) -> u32 {
        self.clock.speed()
    }
}
