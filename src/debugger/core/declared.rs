//! Places that adapters tell on request alone: where a variable or a value is declared, where something was printed.
//!
//! There is no capability for it: who gives a reference answers for it. The answer goes straight to the asker.

use dap::requests::{Locations, LocationsArguments};

use super::{
    inspect::{stale, stop_of},
    live::Answer,
    machine::refuse,
    owner::Owner,
};
use crate::prelude::*;

impl Owner {
    pub(super) fn location(
        &self,
        session: Option<SessionId>,
        stop: Option<StopId>,
        reference: i64,
        reply: Answer,
    ) {
        // What was printed may be asked for while the program runs on.
        let action = match stop {
            Some(_) => Action::Inspect,
            None => Action::Source,
        };
        let asked = self
            .allowed(session, action)
            .and_then(|(session, client)| match stop {
                Some(stop) if stop_of(session)? != stop => Err(stale()),
                _ => Ok(client),
            });
        match asked {
            Ok(client) => {
                let arguments = LocationsArguments {
                    location_reference: reference,
                };
                self.ask::<Locations>(&client, &arguments, reply, |location| Reply::Location {
                    location: Box::new(location),
                });
            }
            Err(error) => refuse(reply, error),
        }
    }
}

/// A reference as adapters write it; some write 0 for none.
pub(super) fn reference(told: Option<i64>) -> Option<i64> {
    told.filter(|reference| *reference > 0)
}
