//! Who may do what: the driver, the mode, and what waits for consent.

use super::actor::Actor;
use crate::command::Reply;
use crate::error::DebuggerError;
use crate::event::EventKind;
use crate::permission::{Mode, SharingChange};

impl Actor {
    fn shared(&mut self, change: SharingChange) {
        self.hub.publish(EventKind::Sharing { change });
    }

    pub(super) fn set_mode(&mut self, mode: Mode) -> Result<Reply, DebuggerError> {
        self.shared(SharingChange::Mode { mode });
        Ok(Reply::Done)
    }
}
