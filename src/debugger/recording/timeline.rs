//! One time for all sessions of a recording: what happened in any of them in the order in which it was written down, and where each
//! stop is in it.
//!
//! The order is that of the lines of the file, for times may be missing or go back; times say only how long it took from one moment to
//! the next. A [`Clock`] is the place in it that everybody who plays one of the sessions goes by.

use std::time::Duration;

use tokio::sync::watch;

use super::{format::is_event, track::Track};

/// The longest that nothing happens while it is played at speed 1; longer pauses are shortened to this.
const LONGEST: Duration = Duration::from_secs(3);
/// How long a stop lasts in a recording without times.
const USUAL: Duration = Duration::from_secs(1);

/// Milliseconds by which messages of several connections may be out of order, for each is written down by its own reader.
const TOLERATED: u64 = 1000;

/// What happens at a moment, by the part of the session that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// The session begins.
    Born,
    /// The client lets it go on, or ends it: this part begins.
    Goes,
    /// The adapter says something: which event of the part.
    Event(usize),
}

/// One moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Line of the file.
    line: usize,
    /// In milliseconds since the beginning of the recording.
    at: Option<u64>,
    /// Whose, as [`super::Recording::track`] counts.
    pub track: usize,
    pub part: usize,
    pub what: MomentKind,
}

/// A stop among those of all sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopPlace {
    /// Whose, from 0: the first session, then the others in the order they began.
    pub track: usize,
    /// Which of that session's stops, from 1.
    pub number: usize,
    /// Index of the moment at which it came.
    moment: usize,
    /// How many moments have passed when all that was said at it before anything went on is told.
    pub(super) settled: usize,
}

/// What a session is like at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// It has not begun.
    Unborn,
    /// Its program runs.
    Runs,
    /// It stands at this stop, from 1 among those of all sessions.
    Stands(usize),
    /// It is over.
    Ended,
}

/// The whole of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordingTimeline {
    pub moments: Vec<Moment>,
    /// Indexes of the moments of each session.
    pub of_track: Vec<Vec<usize>>,
    /// The stops of all sessions in their order.
    pub stops: Vec<StopPlace>,
    /// At which moments a session goes on or ends.
    leaves: Vec<bool>,
    /// At which moment the program of each session exited, and at which the session ended.
    pub exited: Vec<Option<usize>>,
    pub ended: Vec<Option<usize>>,
    /// Moments that are much before one ahead of them.
    pub backwards: usize,
}

impl RecordingTimeline {
    pub fn new(tracks: &[&Track]) -> Self {
        let mut moments: Vec<Moment> = tracks
            .iter()
            .enumerate()
            .flat_map(|(number, track)| of(number, track))
            .collect();
        moments.sort_by_key(|moment| moment.line);
        let mut score = Self {
            of_track: vec![Vec::new(); tracks.len()],
            exited: vec![None; tracks.len()],
            ended: vec![None; tracks.len()],
            ..Self::default()
        };
        let mut counts = vec![0; tracks.len()];
        let mut stopped_in = vec![None; tracks.len()];
        let mut ends = Vec::with_capacity(moments.len());
        let mut leaves = Vec::with_capacity(moments.len());
        let mut latest = 0;
        for (index, moment) in moments.iter().enumerate() {
            let at = moment.at.unwrap_or(latest);
            score.backwards += usize::from(at.saturating_add(TOLERATED) < latest);
            latest = latest.max(at);
            if let Some(own) = score.of_track.get_mut(moment.track) {
                own.push(index);
            }
            let event = match moment.what {
                MomentKind::Event(event) => tracks
                    .get(moment.track)
                    .and_then(|track| track.parts.get(moment.part)?.events.get(event)),
                MomentKind::Born | MomentKind::Goes => None,
            };
            let is = |name| event.is_some_and(|event| is_event(event, name));
            let mut first_stop = false;
            if is("stopped")
                && let (Some(seen), Some(count)) = (
                    stopped_in.get_mut(moment.track),
                    counts.get_mut(moment.track),
                )
                && *seen != Some(moment.part)
            {
                // Another thread that stops while one stands is no stop of its own.
                *seen = Some(moment.part);
                *count += 1;
                first_stop = true;
                score.stops.push(StopPlace {
                    track: moment.track,
                    number: *count,
                    moment: index,
                    settled: index,
                });
            }
            let left = moment.what == MomentKind::Goes || is("terminated") || is("exited");
            leaves.push(left);
            for (name, of) in [
                ("exited", &mut score.exited),
                ("terminated", &mut score.ended),
            ] {
                if is(name)
                    && let Some(first) = of.get_mut(moment.track)
                {
                    first.get_or_insert(index);
                }
            }
            ends.push(first_stop || left);
        }
        for stop in &mut score.stops {
            let behind = stop.moment + 1;
            let rest = ends.iter().skip(behind).take_while(|ends| !**ends).count();
            stop.settled = behind + rest;
        }
        (score.moments, score.leaves) = (moments, leaves);
        score
    }

    /// When a stop came, in milliseconds since the beginning of the recording.
    pub fn time_of(&self, stop: &StopPlace) -> Option<u64> {
        self.moments.get(stop.moment)?.at
    }

    /// When a session began, likewise.
    pub fn birth_of(&self, track: usize) -> Option<u64> {
        let own = self.of_track.get(track)?;
        self.moments.get(*own.first()?)?.at
    }

    /// The last stop that has come when so many moments have passed, from 1; 0 = none.
    pub fn here(&self, passed: usize) -> usize {
        self.stops.partition_point(|stop| stop.moment < passed)
    }

    /// Whether the session of a stop has not gone on by then.
    pub fn rests(&self, stop: &StopPlace, passed: usize) -> bool {
        let own = self.of_track.get(stop.track).map_or(&[][..], Vec::as_slice);
        let (behind, until) = (
            own.partition_point(|moment| *moment <= stop.moment),
            own.partition_point(|moment| *moment < passed),
        );
        let since = own.get(behind..until).unwrap_or_default();
        let leaves = |moment: &usize| self.leaves.get(*moment) == Some(&true);
        !since.iter().any(leaves)
    }

    /// The stop at which a session stands by then, from 1 among those of all sessions.
    pub fn stands(&self, track: usize, passed: usize) -> Option<usize> {
        let come = self.stops.get(..self.here(passed))?;
        let last = come.iter().rposition(|stop| stop.track == track)?;
        let stop = come.get(last)?;
        self.rests(stop, passed).then_some(last + 1)
    }

    /// Whether a session has begun when so many moments have passed.
    pub fn has_begun(&self, track: usize, passed: usize) -> bool {
        let first = self.of_track.get(track).and_then(|own| own.first());
        track == 0 || first.is_some_and(|first| *first < passed)
    }

    /// What a session is like when a stop (from 1 among those of all sessions) is looked at.
    pub fn like(&self, track: usize, stop: usize) -> Option<Like> {
        let passed = self.stops.get(stop.checked_sub(1)?)?.settled;
        Some(if has_passed(&self.ended, track, passed) {
            Like::Ended
        } else if !self.has_begun(track, passed) {
            Like::Unborn
        } else {
            match self.stands(track, passed) {
                Some(stop) => Like::Stands(stop),
                None => Like::Runs,
            }
        })
    }

    /// How long it is from the moment before one to that moment.
    pub fn wait(&self, moment: usize) -> Duration {
        let Some(before) = moment.checked_sub(1).and_then(|at| self.moments.get(at)) else {
            return Duration::ZERO;
        };
        let now = self.moments.get(moment).and_then(|moment| moment.at);
        // Whether all is told of a stop by then, and not before.
        let settles = || {
            self.stops
                .binary_search_by_key(&moment, |stop| stop.settled)
                .is_ok()
        };
        match now.zip(before.at) {
            Some((to, from)) => Duration::from_millis(to.saturating_sub(from)).min(LONGEST),
            None if settles() => USUAL,
            None => Duration::ZERO,
        }
    }
}

/// Whether what a session has such a moment of is over when so many moments have passed.
pub fn has_passed(moments: &[Option<usize>], track: usize, passed: usize) -> bool {
    let moment = moments.get(track).copied().flatten();
    moment.is_some_and(|moment| moment < passed)
}

/// The moments of one session.
fn of(number: usize, track: &Track) -> Vec<Moment> {
    let mut moments = Vec::new();
    for (part, what) in track.parts.iter().enumerate() {
        let begins = match part {
            0 if number == 0 => None,
            0 => Some(MomentKind::Born),
            _ => Some(MomentKind::Goes),
        };
        let moment = |line, at, what| Moment {
            line,
            at,
            track: number,
            part,
            what,
        };
        moments.extend(begins.map(|begins| moment(what.line, what.began, begins)));
        let said = what.lines.iter().zip(&what.times).enumerate();
        moments
            .extend(said.map(|(event, (line, at))| moment(*line, *at, MomentKind::Event(event))));
    }
    moments
}

/// How much of a recording has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Moments.
    pub passed: usize,
    /// There is nothing more: what has no end in the recording ends here.
    pub over: bool,
}

/// The time that all sessions of a recording have in common.
#[derive(Debug, Default)]
pub struct Clock {
    /// How fast it goes by itself; 0 = not at all.
    pub tempo: watch::Sender<u32>,
    pub now: watch::Sender<Now>,
}
