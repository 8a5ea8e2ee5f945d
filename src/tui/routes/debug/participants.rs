//! Who else is at this core: what the header says of them, and who made the program go.

use super::prelude::*;
use debugger::permission::{Actor, ActorKind, Sharing};

/// What actors do to a program, by the names of the actions, as the header says it.
const MOVES: [(&str, &str); 12] = [
    ("continue", "continued"),
    ("step_over", "stepped"),
    ("step_in", "stepped in"),
    ("step_out", "stepped out"),
    ("step_back", "stepped back"),
    ("reverse_continue", "run backwards"),
    ("run_to", "run to here"),
    ("goto", "moved here"),
    ("pause", "paused"),
    ("launch", "started"),
    ("attach", "attached to"),
    ("restart", "restarted"),
];

/// Who made the program stand where it does, and how: `stepped`.
#[derive(Debug)]
pub struct LastMove {
    stop: StopId,
    did: &'static str,
    actor: Actor,
}

impl LastMove {
    /// That of a session which has just stopped; none where it was the person's.
    pub fn to(stop: StopId, session: SessionId, sharing: &Sharing) -> Option<Self> {
        let actor = foreign_driver(sharing)?;
        let did = sharing.audit.iter().rev().find_map(|entry| {
            let done = !["asked", "denied", "aborted", "expired", "stale"]
                .contains(&entry.decision.as_str());
            let ours = entry.actor == *actor && entry.session.is_none_or(|of| of == session);
            let known = MOVES.iter().find(|(action, _)| *action == entry.action)?;
            (done && ours).then_some(known.1)
        })?;
        let actor = actor.clone();
        Some(Self { stop, did, actor })
    }
}

/// The driver, where that is no person.
pub fn foreign_driver(sharing: &Sharing) -> Option<&Actor> {
    sharing.driver.as_ref().filter(|driver| !driver.is_human())
}

/// Those who are here besides people.
pub fn others(sharing: &Sharing) -> impl Iterator<Item = &Actor> {
    sharing.actors.iter().filter(|actor| !actor.is_human())
}

/// An actor's name, without its version.
pub fn name(actor: &Actor) -> String {
    let whole = actor.to_string();
    let end = whole.find(|c: char| c.is_ascii_digit() || c == '/');
    let short = whole
        .get(..end.unwrap_or(whole.len()))
        .unwrap_or_default()
        .trim();
    clean(if short.is_empty() { &whole } else { short })
}

/// What the header says of others, the most important first; nothing while nobody else is here.
pub fn told(moved: Option<&LastMove>, view: &View) -> Vec<Span<'static>> {
    let (sharing, theme) = (&view.state.sharing, &view.theme);
    let driver = foreign_driver(sharing);
    let stop = view.session().and_then(|session| session.current_stop());
    let moved = moved.filter(|moved| stop.is_some_and(|stop| stop.id == moved.stop));
    let mut told = Vec::new();
    let mut tell = |text: String, style| told.push(Span::styled(format!(" · {text}"), style));
    let strong = theme.accent.add_modifier(Modifier::BOLD);
    match (driver, moved) {
        (Some(driver), Some(moved)) if *driver == moved.actor => {
            tell(format!("{} drives: {}", name(driver), moved.did), strong);
        }
        (driver, moved) => {
            if let Some(driver) = driver {
                tell(format!("{} drives", name(driver)), strong);
            }
            if let Some(moved) = moved {
                tell(
                    format!("{} by {}", moved.did, name(&moved.actor)),
                    theme.info,
                );
            }
        }
    }
    let watching = |kind| {
        let watching = others(sharing).filter(|actor| Some(*actor) != driver);
        watching.filter(|actor| actor.kind == kind).count()
    };
    for (kind, name) in [(ActorKind::Agent, "agent"), (ActorKind::Script, "script")] {
        match watching(kind) {
            0 => {}
            1 => tell(format!("1 {name} watches"), theme.muted),
            count => tell(format!("{count} {name}s watch"), theme.muted),
        }
    }
    if driver.or_else(|| others(sharing).next()).is_some() {
        tell(sharing.mode.to_string(), theme.muted);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use debugger::permission::{AuditEntry, Mode, Tier};

    fn actor(kind: ActorKind, name: &str, connection: u64) -> Actor {
        Actor {
            kind,
            name: name.into(),
            connection,
        }
    }

    fn said(stage: &Stage) -> String {
        let sharing = &stage.state.sharing;
        said_of(
            LastMove::to(StopId(1), SessionId(1), sharing).as_ref(),
            stage,
        )
    }

    fn said_of(moved: Option<&LastMove>, stage: &Stage) -> String {
        let told = told(moved, &stage.view());
        told.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn nothing_is_said_of_others_while_nobody_is_there() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        assert_eq!(said(&stage), "");
        let sharing = &mut stage.state.sharing;
        sharing.mode = Mode::Auto;
        sharing.driver = Some(Actor::default());
        assert_eq!(said(&stage), "");
    }

    #[test]
    fn who_drives_who_watches_and_what_they_may_do_is_said() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        let claude = actor(ActorKind::Agent, "claude-code 2.1", 3);
        let sharing = &mut stage.state.sharing;
        sharing.actors = vec![claude.clone(), actor(ActorKind::Agent, "claude-code", 4)];
        assert_eq!(said(&stage), " · 2 agents watch · ask");
        let sharing = &mut stage.state.sharing;
        sharing.driver = Some(claude);
        sharing.actors.push(actor(ActorKind::Script, "", 5));
        sharing.mode = Mode::Drive;
        assert_eq!(
            said(&stage),
            " · claude-code drives · 1 agent watches · 1 script watches · drive"
        );
    }

    #[test]
    fn who_made_it_go_last_is_said_unless_it_was_the_person() {
        let did = |actor: &Actor, action: &str, session, decision: &str| AuditEntry {
            time_ms: 0,
            actor: actor.clone(),
            action: action.into(),
            tier: Tier::Control,
            subject: String::new(),
            session,
            decision: decision.into(),
            note: String::new(),
            hash: String::new(),
        };
        let claude = actor(ActorKind::Agent, "claude-code 2.1", 3);
        let (ours, others) = (Some(SessionId(1)), Some(SessionId(2)));
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        let audit = &mut stage.state.sharing.audit;
        audit.push_back(did(&claude, "step_over", ours, "allowed"));
        audit.push_back(did(&claude, "evaluate", ours, "allowed"));
        audit.push_back(did(&claude, "continue", others, "allowed"));
        audit.push_back(did(&claude, "continue", ours, "denied"));
        assert_eq!(said(&stage), "");
        stage.state.sharing.driver = Some(claude);
        assert_eq!(said(&stage), " · claude-code drives: stepped · ask");
        let moved = LastMove::to(StopId(1), SessionId(1), &stage.state.sharing);
        stage.state.sharing.driver = Some(Actor::default());
        assert_eq!(said_of(moved.as_ref(), &stage), " · stepped by claude-code");
        let earlier = LastMove {
            stop: StopId(0),
            ..moved.unwrap()
        };
        assert_eq!(said_of(Some(&earlier), &stage), "");
    }
}
