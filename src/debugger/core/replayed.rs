//! Recordings that are played: all their sessions go by one time, and what that time makes of them.
//!
//! Who speaks for each session, and the time itself, is in `debugger/recording`. A session that has ended in a recording is kept as it is,
//! for time may go back; all of them go when the recording is over.

use super::{
    prelude::*,
    start::{absolute, file_name},
};
use crate::{
    exit,
    history::{PastStop, SiblingSnapshot, Stops},
    recording::{Like, Playback, open},
};

/// The greatest speed at which a recording is played.
const FASTEST: u32 = 64;

/// A stop of a recording of several sessions.
pub struct ReplayedStop {
    pub session: SessionId,
    /// Among the stops of that session, from 1.
    pub number: u64,
    /// Stops of all sessions.
    pub of: u64,
    /// What the other sessions are like.
    pub beside: Vec<SiblingSnapshot>,
}

impl Owner {
    /// Opens a recording, off this task.
    pub fn replay(&self, path: &Path, folder: Option<PathBuf>) -> Handled {
        let path = absolute(path, &self.config.context.cwd);
        let folder = folder
            .or_else(|| path.parent().map(Path::to_owned))
            .unwrap_or_default();
        let context = self.config.context.clone();
        let read = tasks::blocking(move || open(&path, &folder, &context));
        onward(read, |owner, read| {
            let recording = read??;
            owner.replay_recording(Playback::new(Arc::new(recording)))
        })
    }

    pub fn replay_recording(&mut self, playback: Playback) -> Handled {
        let session = recorded_session(&playback);
        if let Some((first, more)) = playback.notes().split_first() {
            let more = match more.len() {
                0 => String::new(),
                count => format!(" And {count} more: see `omp-debug replay --print`."),
            };
            let text = format!("The recording is not whole. {first}{more}");
            self.warn(None, text);
        }
        for spec in playback.breakpoints() {
            let is_kept = |b: &Breakpoint| b.site == spec.site;
            if !self.breakpoints().any(is_kept)
                && let Ok(breakpoint) = self.wished(spec)
            {
                let breakpoint = Box::new(breakpoint);
                self.hub.publish(EventKind::BreakpointSet { breakpoint });
            }
        }
        self.start(session, Origin::Replay(playback))
    }

    /// One of the other sessions of a recording is told of by the first.
    pub fn recorded_child(&mut self, first: SessionId, track: Option<u64>) {
        let Some(playback) = self.playback(first) else {
            return;
        };
        let track = track.and_then(|track| usize::try_from(track).ok());
        let Some(playback) = track.and_then(|track| playback.other(track)) else {
            return;
        };
        let number = playback.parent();
        let family = self.with(&playback);
        let parent = family
            .iter()
            .find(|(_, other)| Some(other.number()) == number);
        let session = Session {
            parent: parent.map(|(id, _)| *id),
            ..recorded_session(&playback)
        };
        self.open(session, Origin::Replay(playback), None);
    }

    /// What is played in a session, if that is a recording.
    pub fn playback(&self, id: SessionId) -> Option<&Playback> {
        match self.origins.get(&id) {
            Some(Origin::Replay(playback)) => Some(playback),
            _ => None,
        }
    }

    /// The sessions of a recording, in the order they were opened.
    fn with(&self, playback: &Playback) -> Vec<(SessionId, &Playback)> {
        let sessions = self.hub.state.sessions.iter();
        let played = sessions.filter_map(|s| Some((s.id, self.playback(s.id)?)));
        played
            .filter(|(_, other)| other.is_with(playback))
            .collect()
    }

    /// The sessions of a recording that came out of no other; none of what is no recording.
    pub fn recorded_roots(&self, id: SessionId) -> Vec<SessionId> {
        let Some(playback) = self.playback(id) else {
            return Vec::new();
        };
        let all = self.with(playback).into_iter();
        all.filter(|(_, other)| other.parent().is_none())
            .map(|(id, _)| id)
            .collect()
    }

    /// The session that is meant, if it is a recording.
    pub fn recorded(&self, session: Option<SessionId>) -> Option<SessionId> {
        let id = self.meant(session).ok()?.id;
        self.playback(id).map(|_| id)
    }

    /// The time of a recording goes on to the next stop, or back to the one before.
    pub fn go_in_recording(&mut self, id: SessionId, backwards: bool) -> Result<Reply> {
        gate::check(self.meant(Some(id))?, Action::Resume)?;
        let Some(playback) = self.playback(id).cloned() else {
            return Err(DebuggerError::state("This is no recording."));
        };
        let stood: Vec<_> = self
            .with(&playback)
            .into_iter()
            .map(|(id, played)| (id, played.stands()))
            .collect();
        if playback.is_over() {
            let over = DebuggerError::state("The recording is over.");
            return Err(over.hint("restart it to play it again"));
        }
        let moved = if backwards {
            playback.back()
        } else {
            playback.forward()
        };
        if !moved {
            return Err(DebuggerError::state(
                "this is the first stop of the recording",
            ));
        }
        // What stands elsewhere, or not any more, is on its way until its player says where it is.
        for (id, stands) in stood {
            let now = self.playback(id).and_then(Playback::stands);
            if now != stands && self.is_in(id, Phase::Stopped) {
                self.phase(id, Phase::Running, None);
            }
        }
        let here = self.session_here(&playback).filter(|_| !playback.is_over());
        if let Some(here) = here
            && self.hub.state.focus != Some(here)
        {
            let session = Some(here);
            self.hub.publish(EventKind::Focus { session });
        }
        Ok(Reply::Session {
            session: here.unwrap_or(id),
        })
    }

    /// The session whose stop came last.
    fn session_here(&self, playback: &Playback) -> Option<SessionId> {
        let all = self.with(playback);
        all.iter()
            .find(|(_, played)| played.is_here())
            .map(|(id, _)| *id)
    }

    /// Whether all sessions of a recording have ended, and others are still to begin.
    pub fn begins_later(&self, id: SessionId) -> bool {
        let Some(playback) = self.playback(id).filter(|played| !played.is_over()) else {
            return false;
        };
        let all = self.with(playback);
        let lives = |id| self.session(id).is_some_and(|s| s.phase.is_live());
        all.iter()
            .all(|(id, _)| self.live.contains_key(id) && !lives(*id))
    }

    /// A session of a recording begins, or time went back to before that, or to before its end.
    pub fn recorded_life(&mut self, id: SessionId, lives: bool) {
        let Some(phase) = self.session(id).map(|s| s.phase) else {
            return;
        };
        let is_starting = matches!(phase, Phase::Initializing | Phase::Configured);
        let is_played = self.playback(id).is_some();
        let Some(live) = self.live_mut(id) else {
            return;
        };
        // One that is starting finds out by itself.
        let is_so = lives && phase.is_live();
        if !is_played || live.ending || is_starting || is_so {
            return;
        }
        live.ended_by_program = None;
        let phase = if lives {
            Phase::Running
        } else {
            Phase::NotStarted
        };
        let change = Change::Phase {
            phase,
            activity: None,
        };
        // Nothing else can move a session that has ended.
        self.hub.publish(EventKind::Session {
            session: id,
            change,
        });
    }

    /// The program of a recorded session has ended; false = there is nothing more of the recording, and it ends as any other.
    pub fn ends_in_recording(&mut self, id: SessionId) -> bool {
        let Some(playback) = self.playback(id).cloned() else {
            return false;
        };
        let Some(live) = self.live_mut(id).filter(|live| !live.ending) else {
            return false;
        };
        if playback.is_over() {
            self.let_ended_go(&playback);
            return false;
        }
        live.ended_by_program = Some(false);
        let code = self.session(id).and_then(|s| s.exit_code);
        let why = match code {
            Some(code) => format!("The program ended with {}.", exit::words(code)),
            None => "The program ended.".to_owned(),
        };
        self.change(id, Change::Ended { why });
        self.refocus(id);
        true
    }

    /// The recording is over: what had ended before goes, too.
    fn let_ended_go(&mut self, playback: &Playback) {
        let all: Vec<_> = self.with(playback).iter().map(|(id, _)| *id).collect();
        for id in all {
            let has_ended = self.session(id).is_some_and(|s| !s.phase.is_live());
            let live = self.live_mut(id).filter(|live| !live.ending);
            if let Some(live) = live.filter(|_| has_ended) {
                live.ending = true;
                live.ended_by_program.get_or_insert(false);
                self.release(id);
            }
        }
    }

    /// Whether a session ended because its recording does.
    pub fn is_cut_short(&self, id: SessionId) -> bool {
        self.playback(id)
            .is_some_and(|played| played.is_over() && !played.ending().ended)
    }

    /// Lets a recording go on by itself, or no longer.
    pub fn play(&mut self, session: Option<SessionId>, speed: u32) -> Result<Reply> {
        let id = self.meant(session)?.id;
        let Some(playback) = self.playback(id).cloned() else {
            return Err(DebuggerError::capability(
                "Only a recording can be played; this session is a live one.",
            ));
        };
        let speed = speed.min(FASTEST);
        playback.set_speed(speed);
        let all: Vec<_> = self.with(&playback).iter().map(|(id, _)| *id).collect();
        for session in all {
            self.change(session, Change::Speed { speed });
        }
        Ok(Reply::Done)
    }

    /// A pause is the end of playing by itself.
    pub fn pause_playing(&mut self, id: SessionId) -> Result<Reply> {
        let session = self.meant(Some(id))?;
        if session.speed == 0 {
            gate::check(session, Action::Pause)?;
            return Err(
                DebuggerError::state("The recording does not go on by itself.")
                    .hint("continue goes to the next stop in it"),
            );
        }
        self.play(Some(id), 0)
    }

    /// The stops of all sessions of a recording; none where there is one only.
    pub fn stops_of_recording(&self, id: SessionId) -> Option<Stops> {
        let playback = self.playback(id).filter(|played| played.is_tree())?;
        let all = self.with(playback);
        let mut rows: Vec<Option<(SessionId, Vec<PastStop>)>> = Vec::new();
        for (id, played) in all {
            let stops = self.histories.get(&id).map(|h| h.table(None).stops);
            let at = played.number();
            if rows.len() <= at {
                rows.resize_with(at + 1, || None);
            }
            if let Some(row) = rows.get_mut(at) {
                *row = stops.map(|stops| (id, stops));
            }
        }
        let places = playback.places().iter().zip(1..);
        let stops = places.filter_map(|(place, number)| {
            let (id, own) = rows.get_mut(place.track)?.as_mut()?;
            let stop = own.get_mut(place.number.checked_sub(1)?)?;
            Some(PastStop {
                number,
                session: Some(*id),
                ..mem::take(stop)
            })
        });
        let stands = self
            .session_here(playback)
            .is_some_and(|here| self.is_in(here, Phase::Stopped));
        Some(Stops {
            stops: stops.collect(),
            let_go: 0,
            here: u64::try_from(playback.here()).ok().filter(|n| *n > 0),
            stands,
            recorded: true,
        })
    }

    /// A stop by its number among those of all sessions of a recording; none where there is one session only.
    pub fn stop_of_recording(&self, id: SessionId, number: u64) -> Option<Result<ReplayedStop>> {
        let playback = self.playback(id).filter(|played| played.is_tree())?;
        let unknown = || DebuggerError::usage(format!("There was no stop {number}."));
        Some(self.found(playback, number).ok_or_else(unknown))
    }

    fn found(&self, playback: &Playback, number: u64) -> Option<ReplayedStop> {
        let index = usize::try_from(number).ok()?;
        let place = playback.places().get(index.checked_sub(1)?)?;
        let all = self.with(playback);
        let whose = all.iter().find(|(_, other)| other.number() == place.track);
        let session = whose.map(|(id, _)| *id)?;
        let others = all.iter().filter(|(id, _)| *id != session);
        let beside = others.filter_map(|(id, other)| self.beside(*id, other, index));
        Some(ReplayedStop {
            session,
            number: u64::try_from(place.number).ok()?,
            of: u64::try_from(playback.places().len()).ok()?,
            beside: beside.collect(),
        })
    }

    /// What another session is like at a stop of a recording.
    fn beside(
        &self,
        session: SessionId,
        played: &Playback,
        stop: usize,
    ) -> Option<SiblingSnapshot> {
        let like = played.like(stop)?;
        let seen = match like {
            Like::Stands(at) => {
                let place = played.places().get(at.checked_sub(1)?)?;
                let own = u64::try_from(place.number).ok()?;
                let found = self.histories.get(&session)?.find(own, None).ok()?;
                Some(Box::new(found))
            }
            _ => None,
        };
        Some(SiblingSnapshot {
            session,
            phase: match like {
                Like::Unborn => Phase::NotStarted,
                Like::Runs => Phase::Running,
                Like::Stands(_) => Phase::Stopped,
                Like::Ended => Phase::Terminated,
            },
            exit_code: played.ending().exit_code.filter(|_| like == Like::Ended),
            seen,
        })
    }
}

fn recorded_session(playback: &Playback) -> Session {
    let program = PathBuf::from(playback.program());
    Session {
        name: file_name(&program),
        kind: StartKind::Launch,
        target: playback.program().to_owned(),
        cwd: program.parent().map(Path::to_owned).unwrap_or_default(),
        recorded: true,
        speed: playback.speed(),
        ..Session::default()
    }
}
