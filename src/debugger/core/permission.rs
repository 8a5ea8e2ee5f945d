//! What others than the person may do: each of their commands is judged before it is done, and written down.
//!
//! The person's own commands come through without any of it, as long as nobody else drives.

use base::text::hex::hexadecimal;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{breakpoints::normal, guard::is_one, idle::now, prelude::*, refusals::denied};
use crate::permission::{
    AuditEntry, Mode,
    decide::{Verdict, decide, mode_of},
    operation,
};

impl Owner {
    /// Who acts now.
    pub fn actor(&self) -> Actor {
        let by = self.by.as_ref();
        by.map(|by| by.caller.actor.clone()).unwrap_or_default()
    }

    /// What was looked at to judge a command: the session that it means, and where that stands.
    pub fn scene(&self, command: &Command) -> (Option<SessionId>, Option<StopId>) {
        let session = command.session().and_then(|s| self.meant(s).ok());
        let stop = session.and_then(Session::stop_id);
        (session.map(|s| s.id), stop)
    }

    /// What consent is bound to. With the words for it: a breakpoint's number may be another one's by then.
    pub fn hash(&self, operation: Operation, command: &Command) -> String {
        let subject = operation::subject(command, &self.hub.state);
        let whole = (self.scene(command), operation.action, subject, command);
        hexadecimal(&Sha256::digest(
            serde_json::to_vec(&whole).unwrap_or_default(),
        ))
    }

    fn operation(&self, command: &Command) -> Operation {
        operation::of(command, &self.hub.state, |spec| self.changed_by(spec))
    }

    /// The breakpoint that there is where a spec wants one.
    fn changed_by(&self, spec: &BreakpointSpec) -> Option<&Breakpoint> {
        let site = match &spec.site {
            BreakpointSite::Source { path, line, column } => BreakpointSite::Source {
                path: normal(&self.config.context.cwd, path),
                line: *line,
                column: *column,
            },
            other => other.clone(),
        };
        let mut known = self.breakpoints();
        known.find(|b| spec.id.map_or(b.site == site, |id| b.id == id))
    }

    /// Whether a command is done (none), has to be asked about, or is refused.
    pub fn weigh(&mut self, command: &Command) -> Result<Option<Operation>> {
        let by = self.by.clone().unwrap_or_default();
        let actor = &by.caller.actor;
        let operation = self.operation(command);
        let scene = self.scene(command);
        if let Some(expected) = by.caller.expected_stop {
            let is_current = is_current(operation, expected, scene);
            self.written(command, operation, "stale", is_current)?;
        }
        if actor.is_human() {
            self.drives(actor, operation);
            return Ok(None);
        }
        let admitted = self.admitted(actor);
        self.written(command, operation, "denied", admitted)?;
        if operation.drives {
            let may_drive = self.may_drive(actor);
            self.written(command, operation, "denied", may_drive)?;
        }
        let is_part =
            operation.action.is_empty() || operation.tier == Tier::Read && by.action.is_some();
        let subject = operation::subject(command, &self.hub.state);
        let verdict = if is_part {
            Verdict::Allow
        } else {
            self.verdict(&by, operation.tier, operation.action, &subject)
        };
        let drives = self.driver() == Some(actor);
        if drives {
            self.guard.acted = Instant::now();
        }
        match verdict {
            Verdict::Ask => {
                if !self.is_granted(actor, operation.action, &subject, command) {
                    return Ok(Some(operation));
                }
                self.note(command, operation, "approved", "as before");
            }
            Verdict::Allow if operation.tier > Tier::Read => {
                self.note(command, operation, "allowed", "");
            }
            Verdict::Allow => {}
            Verdict::Deny(why) => {
                self.note(command, operation, "denied", &why);
                return Err(denied(&why));
            }
        }
        self.drives(actor, operation);
        Ok(None)
    }

    /// A refusal, once it is in the audit.
    fn written(
        &mut self,
        command: &Command,
        operation: Operation,
        decision: &str,
        checked: Result<()>,
    ) -> Result<()> {
        if let Err(error) = &checked {
            self.note(command, operation, decision, &error.what);
        }
        checked
    }

    /// Refuses whom a person wants nothing more from.
    fn admitted(&self, actor: &Actor) -> Result<()> {
        if !self.guard.shut_out.iter().any(|out| is_one(out, actor)) {
            return Ok(());
        }
        Err(denied("a person ended your part in this session")
            .hint("only a person can let you in again, by setting the permission mode"))
    }

    /// The decision, with the mode that holds for this one.
    pub fn verdict(&self, by: &Asker, tier: Tier, action: &str, subject: &str) -> Verdict {
        let actor = &by.caller.actor;
        let mode = match self.mode_of(by) {
            // Whoever was given control is not asked about each step.
            Mode::Ask if self.driver() == Some(actor) => Mode::Drive,
            mode => mode,
        };
        let verdict = decide(mode, &self.guard.rules, actor, tier, action, subject);
        verdict.closed(self.guard.answering > 0)
    }

    /// The mode that holds for someone.
    pub fn mode_of(&self, by: &Asker) -> Mode {
        mode_of(
            self.hub.state.sharing.mode,
            by.caller.mode,
            by.caller.actor.kind,
        )
    }

    /// Whether an action that only looks may be done.
    pub fn may_look(&mut self, by: &Asker, action: &'static str) -> Result<()> {
        let actor = &by.caller.actor;
        if actor.is_human() {
            return Ok(());
        }
        self.admitted(actor)?;
        let why = match self.verdict(by, Tier::Read, action, "") {
            Verdict::Allow => return Ok(()),
            Verdict::Ask => {
                format!("a rule says to ask about {action}, and looking is allowed or denied")
            }
            Verdict::Deny(why) => why,
        };
        let entry = self.entry(actor.clone(), action, Tier::Read, "denied", &why);
        self.write_down(entry);
        Err(denied(&why))
    }

    pub fn shared(&mut self, change: SharingChange) {
        self.hub.publish(EventKind::Sharing { change });
    }

    /// Someone came; where a person sits who can answer, what has to be asked about is asked.
    pub fn came(&mut self, actor: Actor, answers: bool) {
        self.guard.answering += usize::from(answers);
        if is_announced(&actor) && !self.hub.state.sharing.actors.contains(&actor) {
            self.shared(SharingChange::Joined { actor });
        }
    }

    /// Someone went, with all that they waited for and held.
    pub fn went(&mut self, actor: &Actor, answers: bool) {
        self.guard.answering -= usize::from(answers);
        self.withdraw(|waiting| waiting.by.caller.actor == *actor);
        if *actor != Actor::default() {
            self.guard.grants.retain(|grant| grant.actor != *actor);
            if self.driver() == Some(actor) {
                self.set_driver(None);
            }
        }
        if self.hub.state.sharing.actors.contains(actor) {
            let actor = actor.clone();
            self.shared(SharingChange::Left { actor });
        }
        if self.guard.answering == 0 {
            self.refuse_waiting(
                "expired",
                "nobody is there any more who could give consent",
                |_| true,
            );
        }
    }

    /// Anyone may allow less; a person alone allows more, and lets in again whom a person had shut out.
    pub fn set_mode(&mut self, mode: Mode) -> Result<Reply> {
        let actor = self.actor();
        let before = self.hub.state.sharing.mode;
        if !actor.is_human() && mode > before {
            let why =
                format!("only a person may raise the permission mode from {before} to {mode}");
            let entry = self.entry(actor, "set_mode", Tier::Exec, "denied", &why);
            self.write_down(entry);
            return Err(denied(&why));
        }
        if actor.is_human() {
            self.guard.shut_out.clear();
        }
        if mode != before {
            self.shared(SharingChange::Mode { mode });
            let change = format!("{before} to {mode}");
            let entry = self.entry(actor, "set_mode", Tier::Exec, "mode", &change);
            self.write_down(entry);
        }
        Ok(Reply::Done)
    }

    /// When the next wait for consent, or the driver's time, is over.
    pub fn guard_at(&self) -> impl Iterator<Item = Instant> {
        let waiting = self.guard.waiting.iter().map(|waiting| waiting.expires);
        waiting.chain(iter::once_with(|| self.lease_ends()).flatten())
    }

    /// Ends what was waited for too long.
    pub fn expire(&mut self) {
        let now = Instant::now();
        let limit = self.config.consent_limit.as_secs_f64();
        self.refuse_waiting(
            "expired",
            &format!("nobody answered within {limit} s, which is a refusal"),
            |waiting| waiting.expires <= now,
        );
        if self.lease_ends().is_some_and(|at| at <= now) {
            self.set_driver(None);
        }
    }

    /// A line of the audit about a command.
    pub fn note(&mut self, command: &Command, operation: Operation, decision: &str, note: &str) {
        let subject = operation::subject(command, &self.hub.state);
        let entry = AuditEntry {
            subject: self.guard.show(&subject),
            session: self.scene(command).0,
            hash: self.hash(operation, command),
            ..self.entry(
                self.actor(),
                operation.action,
                operation.tier,
                decision,
                note,
            )
        };
        self.write_down(entry);
    }

    pub fn entry(
        &self,
        actor: Actor,
        action: &str,
        tier: Tier,
        decision: &str,
        note: &str,
    ) -> AuditEntry {
        AuditEntry {
            time_ms: now(),
            actor,
            action: action.to_owned(),
            tier,
            subject: String::new(),
            session: None,
            decision: decision.to_owned(),
            note: self.guard.show(note),
            hash: String::new(),
        }
    }

    pub fn write_down(&mut self, entry: AuditEntry) {
        let trouble = self.guard.audit.add(&entry);
        let entry = Box::new(entry);
        self.shared(SharingChange::Audited { entry });
        if let Some(trouble) = trouble {
            self.warn(None, trouble);
        }
    }
}

/// Whether others are told that one comes and goes: a script does with each call, and the person is always there.
fn is_announced(actor: &Actor) -> bool {
    actor.kind != ActorKind::Script && *actor != Actor::default()
}

/// Refuses to move or change a program that stands elsewhere than where the asker looked at it. What begins a session, or stops a program
/// that runs, has no such place.
fn is_current(
    operation: Operation,
    expected: StopId,
    (_, stop): (Option<SessionId>, Option<StopId>),
) -> Result<()> {
    let has_place = !["launch", "attach", "replay", "pause"].contains(&operation.action);
    let changes = operation.drives || operation.tier == Tier::Exec;
    if !changes || !has_place || stop == Some(expected) {
        return Ok(());
    }
    let now = match stop {
        Some(stop) => format!("it stands at {stop} now"),
        None => "it does not stand still now".to_owned(),
    };
    Err(DebuggerError::stale(format!(
        "stale_stop: the program has moved on since {expected}: {now}."
    ))
    .hint("look at where it is before you go on"))
}
