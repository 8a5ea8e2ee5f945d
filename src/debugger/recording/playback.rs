//! One session of a recording as it is played: what is known of it, and the way through the time that it shares with the others.
//!
//! Who speaks for it is in `play`.

use std::sync::atomic::AtomicUsize;

use super::{
    format::ONCE_MORE,
    read::Recording,
    seen::asked,
    stops::Ending,
    timeline::{Clock, Like, Now, StopPlace},
    track::Track,
};
use dap::requests::SetBreakpointsArguments;

use crate::{adapters::Personality, history::RecordedStop, prelude::*};

/// Moments that are passed at once at most when there is no time between them.
const AT_ONCE: usize = 256;
/// Breakpoints of a recording that are looked at.
const MOST_BREAKPOINTS: usize = 10_000;

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

    /// The lines at which any of its sessions had breakpoints, each for this run only. What they evaluated is left out: a program that is
    /// started later would be asked it, and a recording may be anybody's.
    pub fn breakpoints(&self) -> Vec<BreakpointSpec> {
        let parts = self.recording.tracks().flat_map(|track| &track.parts);
        let told = parts.flat_map(|part| asked(part, "setBreakpoints"));
        let told = told.filter_map(|(arguments, _)| {
            serde_json::from_value::<SetBreakpointsArguments>(arguments).ok()
        });
        let lines = told.flat_map(|told| {
            let path = told.source.path.unwrap_or_default();
            let wishes = told.breakpoints.into_iter().flatten();
            wishes.map(move |wish| (path.clone(), wish.line))
        });
        let lines: BTreeSet<_> = lines.take(MOST_BREAKPOINTS).collect();
        let specs = lines.into_iter().map(|(path, line)| BreakpointSpec {
            for_this_run: true,
            ..BreakpointSpec::line(path, line)
        });
        specs.collect()
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

    /// How what was recorded is shown.
    pub fn personality(&self) -> Personality {
        self.track().personality()
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
    pub fn places(&self) -> &[StopPlace] {
        &self.recording.score.stops
    }

    /// The stop that came last in any session, from 1; 0 = none yet.
    pub fn here(&self) -> usize {
        self.recording.score.here(self.now().passed)
    }

    /// Whether the stop that came last is one of this session.
    pub fn is_here(&self) -> bool {
        let last = self.here().checked_sub(1);
        let place = last.and_then(|last| self.places().get(last));
        place.is_some_and(|place| place.track == self.track)
    }

    /// The stop at which it stands, from 1 among those of all sessions.
    pub fn stands(&self) -> Option<usize> {
        let now = self.now();
        let stop = self.recording.score.stands(self.track, now.passed);
        stop.filter(|_| !now.over)
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
        let score = &self.recording.score;
        score.has_begun(self.track, self.now().passed)
    }

    /// Whether there is nothing more of the recording.
    pub fn is_over(&self) -> bool {
        self.now().over
    }

    /// How much of the recording has passed.
    pub(super) fn now(&self) -> Now {
        *self.clock.now.borrow()
    }

    /// Whether nothing has gone on since the stop that came last.
    fn rests(&self) -> bool {
        let (now, score) = (self.now(), &self.recording.score);
        let last = score.here(now.passed).checked_sub(1);
        let stop = last.and_then(|last| score.stops.get(last));
        !now.over && stop.is_some_and(|stop| score.rests(stop, now.passed))
    }

    /// Goes on to the next stop of any session, or to the end. False: this is the end.
    pub fn forward(&self) -> bool {
        let score = &self.recording.score;
        self.clock.now.send_if_modified(|now| {
            let was = *now;
            match score.stops.get(score.here(now.passed)) {
                Some(stop) => now.passed = stop.settled,
                None => {
                    *now = Now {
                        passed: score.moments.len(),
                        over: true,
                    }
                }
            }
            *now != was
        })
    }

    /// Goes back to the stop before. False: this is the first one.
    pub fn back(&self) -> bool {
        let (rests, score) = (self.rests(), &self.recording.score);
        self.clock.now.send_if_modified(|now| {
            let here = score.here(now.passed);
            let wanted = here.checked_sub(if rests { 2 } else { 1 });
            let Some(stop) = wanted.and_then(|at| score.stops.get(at)) else {
                return false;
            };
            *now = Now {
                passed: stop.settled,
                over: false,
            };
            true
        })
    }

    /// How fast all sessions of the recording go on by themselves: 1 = as it was, 0 = not at all. What is paused
    /// between two stops goes to the next one at once.
    pub fn set_speed(&self, speed: u32) {
        let before = self.clock.tempo.send_replace(speed);
        if speed == 0 && before > 0 && !self.rests() {
            self.forward();
        }
    }

    /// How fast it goes on by itself.
    pub fn speed(&self) -> u32 {
        *self.clock.tempo.borrow()
    }

    /// How long it is to the next moment at the speed there is; none when it stands, or when there is no more.
    pub(super) fn due(&self) -> Option<Duration> {
        let (speed, now, score) = (self.speed(), self.now(), &self.recording.score);
        let more = speed > 0 && now.passed < score.moments.len();
        more.then(|| score.wait(now.passed) / speed)
    }

    /// The next moment, and those that come with it.
    pub(super) fn tick(&self) {
        let score = &self.recording.score;
        self.clock.now.send_modify(|now| {
            for _ in 0..AT_ONCE {
                now.passed = (now.passed + 1).min(score.moments.len());
                if score.wait(now.passed) > Duration::ZERO {
                    break;
                }
            }
        });
    }

    /// At the end of what is played by itself. True: the last stop is still there to be looked at.
    pub(super) fn at_end(&self) -> bool {
        let rests = self.rests();
        if !rests {
            self.clock.now.send_if_modified(|now| {
                now.passed = self.recording.score.moments.len();
                !mem::replace(&mut now.over, true)
            });
        }
        rests
    }
}
