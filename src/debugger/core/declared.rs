//! Places that adapters tell on request alone: where a variable or a value is declared, where something was printed.
//!
//! There is no capability for it: who gives a reference answers for it. The answer goes straight to the asker.

use dap::requests::{Locations, LocationsArguments};

use super::{
    handled::{Handled, later},
    owner::Owner,
    refusals::still_at,
};
use crate::prelude::*;

impl Owner {
    pub(super) fn location(
        &self,
        session: Option<SessionId>,
        stop: Option<StopId>,
        location_reference: i64,
    ) -> Handled {
        // What was printed may be asked for while the program runs on.
        let action = match stop {
            Some(_) => Action::Inspect,
            None => Action::Source,
        };
        let (session, client) = self.allowed(session, action)?;
        if let Some(stop) = stop {
            still_at(session, stop)?;
        }
        let arguments = LocationsArguments { location_reference };
        let answer = client.send::<Locations>(&arguments, self.config.request_timeout);
        later(async move {
            let location = Box::new(answer.await?);
            Ok(Reply::Location { location })
        })
    }
}

/// A reference as adapters write it; some write 0 for none.
pub(super) fn reference(told: Option<i64>) -> Option<i64> {
    told.filter(|reference| *reference > 0)
}
