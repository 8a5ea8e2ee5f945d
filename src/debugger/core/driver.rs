//! Who drives: the one actor who makes the program go on, stand still, begin, end or change. Nobody does until an agent begins to, or a
//! person takes control; people and what they typed take it by doing so, agents where it is free or a person gives it to them.

use tokio::time::Instant;

use super::{prelude::*, refusals::denied};
use crate::permission::decide::Verdict;

/// What asking for control is.
const REQUEST: Operation = Operation {
    action: "request_control",
    tier: Tier::Control,
    drives: true,
};

impl Owner {
    /// Who drives, where anyone does.
    pub fn driver(&self) -> Option<&Actor> {
        self.hub.state.sharing.driver.as_ref()
    }

    /// Someone drives from now on, or nobody.
    pub fn set_driver(&mut self, driver: Option<Actor>) {
        self.guard.acted = Instant::now();
        let before = self.driver().cloned();
        if before == driver {
            return;
        }
        let name = |actor: &Option<Actor>| {
            actor
                .as_ref()
                .map_or_else(|| "nobody".to_owned(), Actor::to_string)
        };
        let change = format!("{} after {}", name(&driver), name(&before));
        let who = driver.clone().or(before).unwrap_or_default();
        self.shared(SharingChange::Driver { driver });
        let entry = self.entry(who, "control", Tier::Control, "driver", &change);
        self.write_down(entry);
    }

    /// Someone does what only the driver does: an agent drives from now on, a person, or what one typed, where anyone did.
    pub fn drives(&mut self, actor: &Actor, operation: Operation) {
        let is_shared = actor.kind == ActorKind::Agent || self.driver().is_some();
        if operation.drives && is_shared {
            self.set_driver(Some(actor.clone()));
        }
    }

    /// Refuses an agent while someone else drives.
    pub fn may_drive(&self, actor: &Actor) -> Result<()> {
        match self.driver() {
            Some(driver) if driver != actor && actor.kind == ActorKind::Agent => {
                Err(DebuggerError::new(
                    ErrorKind::NotDriver,
                    format!(
                        "not_driver: {} drives this program, and you do not.",
                        driver.to_others()
                    ),
                )
                .hint("ask with request_control and a reason; looking needs no control"))
            }
            _ => Ok(()),
        }
    }

    /// When an agent that does nothing drives no more.
    pub fn lease_ends(&self) -> Option<Instant> {
        let driver = self.driver()?;
        let lease = (driver.kind == ActorKind::Agent).then_some(self.config.lease)?;
        self.guard.acted.checked_add(lease)
    }

    /// Asks to drive, or simply does where that is the asker's to decide.
    pub fn request_control(&mut self, reason: String) -> Handled {
        let by = self.by.clone().unwrap_or_default();
        let actor = by.caller.actor.clone();
        let driver = self.driver();
        let (is_free, is_own) = (driver.is_none(), driver == Some(&actor));
        if actor.is_human() || is_own {
            self.set_driver(Some(actor));
            return at_once(Ok(Reply::Done));
        }
        let subject = reason.clone();
        let command = Command::RequestControl { reason };
        let mut verdict = self.verdict(&by, REQUEST.tier, REQUEST.action, &subject);
        if verdict == Verdict::Ask && self.is_granted(&actor, REQUEST.action, &subject, &command) {
            verdict = Verdict::Allow;
        }
        let asked = match verdict {
            Verdict::Allow if is_free || actor.kind == ActorKind::Script => {
                self.note(&command, REQUEST, "allowed", "");
                self.set_driver(Some(actor));
                return at_once(Ok(Reply::Done));
            }
            // It is somebody's, whatever the mode.
            Verdict::Allow => Verdict::Ask.closed(self.guard.answering > 0),
            other => other,
        };
        if let Verdict::Deny(why) = asked {
            self.note(&command, REQUEST, "denied", &why);
            return Err(denied(&why));
        }
        held(|owner, answer| owner.ask_consent(REQUEST, command, answer))
    }

    /// Gives control up.
    pub fn release_control(&mut self) -> Result<Reply> {
        if self.driver() != Some(&self.actor()) {
            return Err(DebuggerError::state("You do not drive."));
        }
        self.set_driver(None);
        Ok(Reply::Done)
    }
}
