//! Looking back: when a stop is kept, the table of stops, and one of them as it was seen.
//!
//! What is kept, and how, is `debugger/history`. A recording that is played has all its stops from the beginning.

use super::actor::Actor;
use super::idle;
use super::live::Origin;
use crate::debugger::command::{Page, Reply};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::Change;
use crate::debugger::history::{History, Past, Present, Stops, lock};
use crate::debugger::ids::{SessionId, StopId};
use crate::debugger::state::{Outcome, Phase, Session, WatchValue};

/// The greatest speed at which a recording is played.
const FASTEST: u32 = 64;

impl Actor {
    /// Before a change of a session is told: what it ends is kept.
    pub(super) fn keep_stop(&mut self, id: SessionId, change: &Change) {
        let Some(session) = self.hub.state.sessions.iter_mut().find(|s| s.id == id) else {
            return;
        };
        let stands = session.phase == Phase::Stopped;
        let history = self.histories.entry(id).or_default();
        match change {
            Change::Stopped { .. } => {
                // The new one is to take its place in a moment.
                let before = session.stop.take();
                let printed = session.output.total_bytes;
                let before = before.map(|stop| (stop, session.threads.clone(), printed));
                history.turn(before, idle::now());
            }
            Change::Phase { phase, .. } if stands && *phase != Phase::Stopped => {
                history.left(session.output.total_bytes);
            }
            Change::Phase { phase, .. } if !stands && *phase == Phase::Stopped => history.stayed(),
            Change::Ended { .. } if stands => history.left(session.output.total_bytes),
            _ => {}
        }
    }

    pub(super) fn stops(&self, session: Option<SessionId>) -> Result<Reply, DebuggerError> {
        let session = self.meant(session)?;
        let stops = self.histories.get(&session.id).map(|history| {
            Box::new(Stops {
                stands: session.phase == Phase::Stopped,
                ..history.table(present(session))
            })
        });
        Ok(Reply::Stops {
            stops: stops.unwrap_or_default(),
        })
    }

    /// Lets a recording go on by itself, or no longer.
    pub(super) fn play(
        &mut self,
        session: Option<SessionId>,
        speed: u32,
    ) -> Result<Reply, DebuggerError> {
        let id = self.meant(session)?.id;
        let Some(Origin::Replay(playback)) = self.origins.get(&id) else {
            return Err(DebuggerError::new(
                Kind::Capability,
                "Only a recording can be played; this session is a live one.",
            ));
        };
        let speed = speed.min(FASTEST);
        playback.set_speed(speed);
        let root = self.hub.state.root_of(id);
        let sessions = self.hub.state.sessions.iter().map(|s| s.id);
        let tree: Vec<_> = sessions
            .filter(|s| self.hub.state.root_of(*s) == root)
            .collect();
        for session in tree {
            self.change(session, Change::Speed { speed });
        }
        Ok(Reply::Done)
    }

    /// A pause is the end of playing by itself; true = that was all there was to do, for the program stands.
    pub(super) fn pause_playing(&mut self, session: Option<SessionId>) -> bool {
        let plays = |s: &Session| s.recorded && s.speed > 0;
        let Ok(stands) = self
            .meant(session)
            .map(|s| plays(s).then_some(s.phase == Phase::Stopped))
        else {
            return false;
        };
        // It is a recording, so that this cannot be refused.
        stands.is_some() && self.play(session, 0).is_ok() && stands == Some(true)
    }

    /// One stop as it was seen.
    pub(super) fn look_back(
        &self,
        session: Option<SessionId>,
        number: u64,
    ) -> Result<Reply, DebuggerError> {
        let session = self.meant(session)?;
        let none = History::default();
        let history = self.histories.get(&session.id).unwrap_or(&none);
        let present = present(session);
        let mut seen = history
            .find(number, present)
            .map_err(|why| DebuggerError::new(Kind::Usage, why))?;
        seen.stop.past = Some(Past {
            number,
            of: history.count(present),
        });
        for watch in &self.hub.state.watches {
            let unknown = || WatchValue {
                result: Outcome::Error("not recorded".to_owned()),
                ..WatchValue::default()
            };
            seen.stop.watches.entry(watch.id).or_insert_with(unknown);
        }
        Ok(Reply::Seen {
            session: session.id,
            output: history.output_until(number),
            seen: Box::new(seen),
        })
    }

    /// What was opened of a value at a stop of the past; none when the adapter is to be asked.
    pub(super) fn opened_then(
        &self,
        session: &Session,
        stop: StopId,
        reference: i64,
        page: Option<Page>,
    ) -> Option<Result<Reply, DebuggerError>> {
        if session.current_stop().is_some_and(|s| s.id == stop) {
            return None;
        }
        let history = self.histories.get(&session.id)?;
        let last = || {
            let is_last = session.stop.as_ref().is_some_and(|s| s.id == stop);
            is_last.then(|| history.opened())
        };
        let pages = history.pages_of(stop).or_else(last)?;
        let found = lock(&pages).find(reference, page).map(<[_]>::to_vec);
        Some(match found {
            Some(variables) => Ok(Reply::Variables { variables }),
            None => Err(DebuggerError::new(
                Kind::Stale,
                "not recorded: it was not opened at that stop",
            )),
        })
    }
}

/// The stop that the state has.
fn present(session: &Session) -> Option<Present<'_>> {
    Some(Present {
        stop: session.stop.as_ref()?,
        threads: &session.threads,
        printed: session.output.total_bytes,
    })
}
