//! What the screen says of others at the same core: a message when someone comes, goes or takes over, and the note of what waits for an
//! answer.

use debugger::{
    EventKind, Severity,
    permission::{ActorKind, Sharing, SharingChange},
};

use super::{App, global::Global};
use crate::{
    action::{Layer, Surface as _, keymap},
    prelude::*,
    routes::debug::{
        participants,
        popups::approval::{self, ApprovalCard},
    },
};

/// A message: how much it matters, what it says, and what to do about it.
type SharingNotice = (Severity, String, Option<&'static str>);

/// What there is to say of a change, as things were before it; `joined` where the core is another process's.
pub fn news(before: &Sharing, event: &EventKind, joined: bool) -> Option<SharingNotice> {
    let EventKind::Sharing { change } = event else {
        return None;
    };
    let drove = participants::foreign_driver(before);
    let (text, hint) = match change {
        SharingChange::Driver { driver } => match (driver, drove) {
            (Some(new), _) if !new.is_human() && Some(new) != drove => {
                (format!("{new} drives now."), Some("F2 takes control"))
            }
            (Some(new), Some(old)) => {
                // A person who came over a connection is at a screen that joined.
                let is_here = (new.connection != 0) == joined;
                let who = if is_here {
                    "You drive"
                } else {
                    "Another screen drives"
                };
                let text = format!("{who} now; {old} no longer does.");
                (text, Some("Shift-F2 lets go of control"))
            }
            (None, Some(old)) => (format!("{old} no longer drives."), None),
            _ => return None,
        },
        SharingChange::Joined { actor } if actor.kind == ActorKind::Agent => {
            let mode = before.mode;
            (format!("{actor} is here now; its mode is {mode}."), None)
        }
        SharingChange::Left { actor } if actor.kind == ActorKind::Agent => {
            (format!("{actor} has left."), None)
        }
        SharingChange::Mode { mode } if *mode != before.mode => {
            (format!("The mode for agents is {mode} now."), None)
        }
        SharingChange::Settled { approval, decision } if decision == "expired" => {
            let mut waited = before.approvals.iter();
            let waited = waited.find(|waiting| waiting.id == *approval)?;
            let action = waited.action.replace('_', " ");
            let text = format!(
                "Nobody answered {} in time: {action} is refused.",
                waited.actor
            );
            return Some((Severity::Warning, text, Some("U shows the audit")));
        }
        _ => return None,
    };
    Some((Severity::Info, text, hint))
}

impl App {
    /// Draws what waits for an answer, unless its card is open.
    pub(super) fn draw_asked(&mut self, canvas: &Canvas, area: Rect) {
        let mut overlays = self.overlays.iter();
        let newest = self
            .world
            .state
            .sharing
            .approvals
            .iter()
            .map(|asked| asked.id)
            .max();
        if overlays.any(|layer| layer.title() == ApprovalCard::TITLE) {
            self.put_aside = newest;
            return;
        }
        let rows = self.keymap.applied(Global.rows(canvas));
        let row = rows.iter().find(|row| row.id == "app.answer");
        let typed = self.overlays.is_empty() && self.shown().is_some_and(Layer::every_key_taken);
        // Where all keys are the program's, there is the mouse.
        let key = row.and_then(|row| row.keys.first()).filter(|_| !typed);
        let key = key.map_or_else(|| "a click".to_owned(), keymap::pretty);
        let place = approval::note(canvas, area, &key, newest > self.put_aside);
        self.targets
            .extend(place.map(|place| (place, "app.answer")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::effect::Effect;
    use crate::action::msg::Msg;
    use crate::app::AppEvent;
    use crate::app::tests::{app, key, screen};
    use crate::routes::debug::kit::test::asked;
    use crossterm::event::KeyCode;
    use debugger::ids::ApprovalId;
    use debugger::permission::{Actor, Consent, Mode};
    use debugger::{Command, Event};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn happen(app: &mut App, seq: u64, change: SharingChange) {
        let kind = EventKind::Sharing { change };
        let events = Arc::new(vec![Event { seq, kind }]);
        app.update(AppEvent::Msg(Msg::Events(events)), Instant::now());
    }

    /// Keys go where they went, whatever is asked meanwhile; the card has them once its own key was pressed.
    #[test]
    fn what_is_asked_takes_no_key_until_its_own_is_pressed() {
        let mut app = app();
        app.update(key(KeyCode::Char(':')), Instant::now());
        app.update(key(KeyCode::Char('s')), Instant::now());
        let approval = Box::new(asked(1, "total()"));
        happen(&mut app, 1, SharingChange::Asked { approval });
        for letter in "os".chars() {
            let effects = app.update(key(KeyCode::Char(letter)), Instant::now());
            assert!(effects.is_empty());
        }
        let text = screen(&mut app, 100, 30);
        assert!(text.contains("sos"), "{text}");
        assert!(
            text.contains("F3 answers") && !text.contains("this stop"),
            "{text}"
        );
        app.update(key(KeyCode::F(3)), Instant::now());
        let text = screen(&mut app, 100, 30);
        assert!(text.contains("o once  s all such here"), "{text}");
        let effects = app.update(key(KeyCode::Char('s')), Instant::now());
        let [
            Effect::Core {
                command: Command::Decide { approval, consent },
                ..
            },
        ] = effects.as_slice()
        else {
            panic!("{} effects", effects.len());
        };
        assert_eq!((*approval, consent), (ApprovalId(1), &Consent::ThisStop));
        // Behind the card, what was typed is there as it was.
        assert!(screen(&mut app, 100, 30).contains("sos"));
    }

    /// What was looked at and not answered is no longer in the way.
    #[test]
    fn what_is_put_aside_is_a_line_until_more_is_asked() {
        let mut app = app();
        let approval = Box::new(asked(1, "total()"));
        happen(&mut app, 1, SharingChange::Asked { approval });
        let framed = |app: &mut App| screen(app, 100, 30).contains("╭─ claude-code asks");
        assert!(framed(&mut app));
        app.update(key(KeyCode::F(3)), Instant::now());
        screen(&mut app, 100, 30);
        app.update(key(KeyCode::Esc), Instant::now());
        let text = screen(&mut app, 100, 30);
        assert!(
            text.contains("claude-code asks: evaluate total()") && !framed(&mut app),
            "{text}"
        );
        let approval = Box::new(asked(2, "count()"));
        happen(&mut app, 2, SharingChange::Asked { approval });
        assert!(framed(&mut app));
    }

    /// The time that is left is drawn anew once a second, and nothing wakes the screen once all is answered.
    #[test]
    fn the_time_left_costs_one_frame_a_second_while_something_waits() {
        let mut app = app();
        assert_eq!(app.deadline(), None);
        let approval = Box::new(asked(1, "total()"));
        happen(&mut app, 1, SharingChange::Asked { approval });
        let due = app.deadline().unwrap();
        assert!(due <= Instant::now() + Duration::from_secs(1));
        assert!(app.take_dirty());
        app.update(
            AppEvent::Deadline,
            due.checked_sub(Duration::from_millis(1)).unwrap(),
        );
        assert!(!app.take_dirty(), "it was drawn early");
        app.update(AppEvent::Deadline, due);
        assert!(app.take_dirty());
        assert_eq!(app.deadline(), Some(due + Duration::from_secs(1)));
        let decision = "expired".to_owned();
        let approval = ApprovalId(1);
        happen(&mut app, 2, SharingChange::Settled { approval, decision });
        assert_eq!(app.deadline(), None);
        let text = screen(&mut app, 100, 30);
        assert!(
            text.contains("Nobody answered claude-code in time: evaluate is refused."),
            "{text}"
        );
    }

    fn said(before: &Sharing, change: SharingChange) -> Option<String> {
        news(before, &EventKind::Sharing { change }, false).map(|(_, text, _)| text)
    }

    #[test]
    fn one_message_says_who_drives_now() {
        let agent = Actor {
            kind: ActorKind::Agent,
            name: "claude-code".into(),
            connection: 3,
        };
        let mut sharing = Sharing::default();
        let driver = |driver: Option<&Actor>| SharingChange::Driver {
            driver: driver.cloned(),
        };
        let person = Actor::default();
        assert_eq!(said(&sharing, driver(Some(&person))), None);
        let text = said(&sharing, driver(Some(&agent)));
        assert_eq!(text.as_deref(), Some("claude-code drives now."));
        sharing.driver = Some(agent.clone());
        let text = said(&sharing, driver(Some(&person)));
        assert_eq!(
            text.as_deref(),
            Some("You drive now; claude-code no longer does.")
        );
        let change = driver(Some(&person));
        let text = news(&sharing, &EventKind::Sharing { change }, true);
        let text = text.map(|(_, text, _)| text);
        assert_eq!(
            text.as_deref(),
            Some("Another screen drives now; claude-code no longer does.")
        );
        let text = said(&sharing, driver(None));
        assert_eq!(text.as_deref(), Some("claude-code no longer drives."));
        assert_eq!(
            said(&sharing, SharingChange::Mode { mode: Mode::Ask }),
            None
        );
        let text = said(&sharing, SharingChange::Mode { mode: Mode::Auto });
        assert_eq!(text.as_deref(), Some("The mode for agents is auto now."));
    }
}
