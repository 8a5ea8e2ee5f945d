//! What actors that are not people may do.

use super::actor::Actor;
use crate::event::EventKind;
use crate::permission::{Mode, SharingChange};

impl Actor {
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let change = SharingChange::Mode { mode };
        self.hub.publish(EventKind::Sharing { change });
    }
}
