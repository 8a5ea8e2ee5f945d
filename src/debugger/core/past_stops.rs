//! Looking back: when a stop is kept, the table of stops, and one of them as it was seen.
//!
//! What is kept, and how, is `debugger/history`. A recording that is played has all its stops from the beginning.

use super::{idle, prelude::*};
use crate::{
    history::{Present, Stops},
    state::Past,
};

impl Owner {
    /// Before a change of a session is told: what it ends is kept.
    pub fn keep_stop(&mut self, id: SessionId, change: &Change) {
        let Some(session) = self.hub.state.sessions.iter_mut().find(|s| s.id == id) else {
            return;
        };
        let stands = session.phase == Phase::Stopped;
        let history = self.histories.entry(id).or_default();
        match change {
            Change::Stopped { .. } | Change::LookedAt { .. } => {
                // The new one is to take its place in a moment.
                let before = session.stop.take().filter(|stop| !stop.momentary);
                let printed = session.output.total_bytes;
                let before = before.map(|stop| (stop, session.threads.clone(), printed));
                history.turn(before, idle::now());
            }
            Change::Phase { phase, .. } if stands && *phase != Phase::Stopped => {
                history.left(Some(session.output.total_bytes));
            }
            Change::Phase { phase, .. } if !stands && *phase == Phase::Stopped => {
                history.left(None);
            }
            Change::Ended { .. } if stands => history.left(Some(session.output.total_bytes)),
            _ => {}
        }
    }

    pub fn stops(&self, session: Option<SessionId>) -> Result<Reply> {
        let session = self.meant(session)?;
        if let Some(stops) = self.stops_of_recording(session.id) {
            let stops = Box::new(stops);
            return Ok(Reply::Stops { stops });
        }
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

    /// One stop as it was seen.
    pub fn look_back(&self, session: Option<SessionId>, number: u64) -> Result<Reply> {
        let mut session = self.meant(session)?;
        let (asked, mut of) = (number, None);
        let mut number = number;
        let mut beside = Vec::new();
        if let Some(found) = self.stop_of_recording(session.id, number) {
            let found = found?;
            session = self.meant(Some(found.session))?;
            (number, of, beside) = (found.number, Some(found.of), found.beside);
        }
        let none = History::default();
        let history = self.histories.get(&session.id).unwrap_or(&none);
        let present = present(session);
        let mut seen = history.find(number, present)?;
        seen.stop.past = Some(Past {
            number: asked,
            of: of.take().unwrap_or_else(|| history.count(present)),
            ended: session.phase == Phase::Terminated,
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
            beside,
        })
    }

    /// What was opened of a value at a stop of the past; none when the adapter is to be asked.
    pub fn opened_then(
        &self,
        session: &Session,
        stop: StopId,
        reference: i64,
        page: Option<Page>,
    ) -> Option<Result<Reply>> {
        if session.stop_id() == Some(stop) {
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
            None => Err(DebuggerError::stale(
                "not recorded: it was not opened at that stop",
            )),
        })
    }
}

/// The stop that the state has.
fn present(session: &Session) -> Option<Present<'_>> {
    Some(Present {
        stop: session.stop.as_ref().filter(|stop| !stop.momentary)?,
        threads: &session.threads,
        printed: session.output.total_bytes,
    })
}
