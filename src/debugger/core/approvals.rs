//! What waits for a person's consent: shown in the state, answered by [`Command::Decide`], bound to what exactly was asked where, and refused
//! when nobody answers.

use base::text::hex::digits;
use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{
    guard::{Grant, PendingApproval, is_one},
    idle::now,
    prelude::*,
    refusals::denied,
};
use crate::{
    ids::ApprovalId,
    permission::{Approval, Consent, operation, rules::Ruling},
    tool::place,
};

/// Things of one actor that may wait at a time.
const MOST: usize = 16;
/// Bytes of memory that are shown before and after.
const BYTES: usize = 256;

impl Owner {
    /// Whether a person allowed it before.
    pub fn is_granted(
        &self,
        actor: &Actor,
        action: &str,
        subject: &str,
        command: &Command,
    ) -> bool {
        let here = self.standing(command);
        self.guard.grants.iter().any(|grant| {
            grant.actor == *actor
                && (grant.stop.is_none() || grant.stop == here)
                && grant.what.of(action, subject).is_some()
        })
    }

    /// Where the program stands that a command is about.
    fn standing(&self, command: &Command) -> Option<StopId> {
        match command.session() {
            Some(_) => self.scene(command).1,
            None => self.hub.state.focused()?.stop_id(),
        }
    }

    /// The command, to be done where it was asked for, whichever frame somebody looks at by then.
    fn placed(&self, mut command: Command) -> Command {
        let meant = command.session().and_then(|s| self.meant(s).ok());
        let selected = meant.and_then(|s| s.current_stop()?.selected);
        let Some(at) = selected else { return command };
        match &mut command {
            Command::Evaluate { frame_id: id, .. }
            | Command::DataBreakpointInfo { frame_id: id, .. } => id.get_or_insert(at.frame_id),
            Command::Continue { thread, .. }
            | Command::Step { thread, .. }
            | Command::StepInto { thread, .. } => thread.get_or_insert(at.thread_id),
            _ => return command,
        };
        command
    }

    /// Lets a command wait for consent.
    pub fn ask_consent(&mut self, operation: Operation, command: Command, reply: Answer) {
        let command = self.placed(command);
        let Command::WriteMemory {
            session,
            memory_reference,
            offset,
            data,
            ..
        } = &command
        else {
            let subject = operation::subject(&command, &self.hub.state);
            return self.put(operation, command, &subject, reply);
        };
        // A person is to see what is overwritten.
        let new = BASE64_STANDARD.decode(data).unwrap_or_default();
        let arguments = ReadMemoryArguments {
            memory_reference: memory_reference.clone(),
            offset: *offset,
            count: i64::try_from(new.len().min(BYTES)).unwrap_or_default(),
        };
        let client = self.capable::<ReadMemory>(*session, Action::Inspect, "memory reads");
        let answer = client
            .ok()
            .map(|(_, client)| client.send::<ReadMemory>(&arguments));
        let place = operation::subject(&command, &self.hub.state);
        let place = place.split(' ').next().unwrap_or_default().to_owned();
        let read = async move { answer?.await.ok()?.data };
        let asked = self.hash(operation, &command);
        self.spawn(read, move |owner, old| {
            if owner.hash(operation, &command) != asked {
                return owner.answer(Err(moved_on()), reply);
            }
            let old = old.and_then(|old| BASE64_STANDARD.decode(old).ok());
            let old = old.map_or_else(|| "(cannot be read)".to_owned(), |old| hex(&old));
            let subject = format!("{place}, {} bytes\n- {old}\n+ {}", new.len(), hex(&new));
            owner.put(operation, command, &subject, reply);
        });
    }

    fn put(&mut self, operation: Operation, command: Command, subject: &str, mut reply: Answer) {
        let actor = self.actor();
        let own = self.guard.waiting.iter();
        if own.filter(|w| w.by.caller.actor == actor).count() >= MOST {
            let why = format!("{MOST} things that you asked for wait for consent already");
            self.note(&command, operation, "denied", &why);
            return self.answer(Err(denied(&why)), reply);
        }
        self.guard.asked += 1;
        let id = ApprovalId(self.guard.asked);
        let (session, stop) = self.scene(&command);
        let hash = self.hash(operation, &command);
        let shown = self.guard.show(subject);
        let limit = self.config.consent_limit;
        let expires_ms = now().saturating_add(limit.as_millis() as u64);
        let frame = session
            .and_then(|id| self.session(id))
            .filter(|s| s.current_stop().is_some())
            .and_then(|s| s.current_frame());
        let place = frame.map(|frame| format!("{} {}", place(frame), frame.name));
        let (risk, warning) = operation::risk(operation);
        let approval = Box::new(Approval {
            id,
            actor,
            session,
            stop,
            action: operation.action.to_owned(),
            tier: operation.tier,
            warning: format!("{risk:?} risk. {warning}"),
            risk,
            // What is not shown as it is cannot be changed from what is shown.
            editable: shown == subject && operation::edited(&command, subject).is_some(),
            subject: shown,
            subject_bytes: subject.len() as u64,
            place: place
                .map(|place| self.guard.show(&place))
                .unwrap_or_default(),
            hash: hash.clone(),
            expires_ms,
        });
        self.note(&command, operation, "asked", "");
        self.shared(SharingChange::Asked { approval });
        let (answer, settled) = oneshot::channel();
        // Whoever asked may go, or give up: then nobody need be asked any more.
        let waited = async move {
            tokio::select! {
                answered = settled => {
                    let _ = reply.send(answered.unwrap_or_else(|_closed| Err(gone())));
                }
                () = reply.closed() => {}
            }
        };
        self.spawn(waited, move |owner, ()| owner.withdraw(|w| w.id == id));
        let now = Instant::now();
        let waiting = PendingApproval {
            id,
            by: self.by.clone().unwrap_or_default(),
            terms: self.terms.clone(),
            command,
            operation,
            hash,
            expires: now.checked_add(limit).unwrap_or(now),
            answer,
        };
        self.guard.waiting.push(waiting);
    }

    /// A person's answer.
    pub fn decide(&mut self, id: ApprovalId, consent: Consent) -> Result<Reply> {
        if !self.actor().is_human() {
            return Err(denied("only a person may answer what waits for consent"));
        }
        let mut waiting = self.guard.waiting.iter().enumerate();
        let Some((index, waiting)) = waiting.find(|(_, waiting)| waiting.id == id) else {
            return Err(DebuggerError::stale(format!(
                "{id} waits no longer: it was settled or withdrawn."
            )));
        };
        let actor = waiting.by.caller.actor.clone();
        let grant = |stop, pattern: Option<&str>| -> Result<_> {
            let mut what = Rules::default();
            let added = what.add(waiting.operation.action, pattern, Ruling::Allow);
            added?;
            let actor = actor.clone();
            Ok(Grant { actor, stop, what })
        };
        let (mut granted, mut edited) = (None, None);
        match &consent {
            Consent::ThisStop => {
                let stop = self.standing(&waiting.command);
                granted = stop.map(|_| grant(stop, None)).transpose()?;
            }
            Consent::Always { pattern } => granted = Some(grant(None, Some(pattern))?),
            Consent::Edited { subject } => {
                let command = operation::edited(&waiting.command, subject);
                edited = Some(command.ok_or_else(|| {
                    DebuggerError::usage(format!(
                        "{id} cannot be done with the subject {subject:?}."
                    ))
                    .hint("allow it as it is, or deny it")
                })?);
            }
            Consent::Once | Consent::Deny { .. } | Consent::Abort => {}
        }
        let waiting = self.guard.waiting.remove(index);
        match consent {
            Consent::Deny { reason } => {
                let reason = reason.filter(|reason| !reason.trim().is_empty());
                let reason = reason.map(|r| self.guard.show(&r));
                let why = match &reason {
                    Some(reason) => format!("a person refused it: {reason}"),
                    None => "a person refused it".to_owned(),
                };
                self.refuse(waiting, "denied", &why);
            }
            Consent::Abort => {
                let why = "a person ended your part in this session";
                self.refuse(waiting, "aborted", why);
                let is_out = |other: &Actor| is_one(other, &actor);
                self.refuse_waiting("expired", why, |w| is_out(&w.by.caller.actor));
                self.guard.grants.retain(|grant| !is_out(&grant.actor));
                if self.driver().is_some_and(is_out) {
                    self.set_driver(None);
                }
                self.guard.shut_out.push(actor);
            }
            _ => self.proceed(waiting, edited, granted),
        }
        Ok(Reply::Done)
    }

    /// Does what a person allowed, or made of it, if everything is as it was when it was asked. Otherwise nothing is allowed by it.
    fn proceed(
        &mut self,
        waiting: PendingApproval,
        edited: Option<Command>,
        granted: Option<Grant>,
    ) {
        let PendingApproval {
            id,
            by,
            terms,
            command,
            operation,
            hash,
            answer,
            ..
        } = waiting;
        self.on_behalf(Some(by), terms, |owner| {
            let actor = owner.actor();
            let is_request = matches!(command, Command::RequestControl { .. });
            let refused = if owner.hash(operation, &command) != hash {
                Err(moved_on())
            } else if operation.drives && !is_request {
                owner.may_drive(&actor)
            } else {
                Ok(())
            };
            let (command, decision) = match edited {
                _ if refused.is_err() => (command, "stale"),
                Some(edited) => (edited, "edited"),
                None => (command, "approved"),
            };
            owner.note(&command, operation, decision, "");
            owner.shared(SharingChange::Settled {
                approval: id,
                decision: decision.to_owned(),
            });
            if let Err(error) = refused {
                return owner.answer(Err(error), answer);
            }
            owner.guard.grants.extend(granted);
            if is_request {
                owner.set_driver(Some(actor));
                let _ = answer.send(Ok(Reply::Done));
            } else {
                owner.drives(&actor, operation);
                owner.command(command, answer);
            }
        });
    }

    /// Refuses one thing that waited.
    fn refuse(&mut self, waiting: PendingApproval, decision: &str, why: &str) {
        self.refuse_with(waiting, decision, why, denied(why));
    }

    /// What can no longer be done as it was asked waits no longer.
    pub fn refuse_stale(&mut self) {
        if self.guard.waiting.is_empty() {
            return;
        }
        let waiting = mem::take(&mut self.guard.waiting);
        let is_fresh = |w: &PendingApproval| self.hash(w.operation, &w.command) == w.hash;
        let (fresh, stale): (_, Vec<_>) = waiting.into_iter().partition(is_fresh);
        self.guard.waiting = fresh;
        for waiting in stale {
            self.refuse_with(waiting, "stale", "", moved_on());
        }
    }

    fn refuse_with(
        &mut self,
        waiting: PendingApproval,
        decision: &str,
        why: &str,
        error: DebuggerError,
    ) {
        let PendingApproval {
            id,
            by,
            command,
            operation,
            answer,
            ..
        } = waiting;
        self.on_behalf(Some(by), None, |owner| {
            owner.note(&command, operation, decision, why);
        });
        self.shared(SharingChange::Settled {
            approval: id,
            decision: decision.to_owned(),
        });
        self.answer(Err(error), answer);
    }

    /// Refuses all of these, because nobody answers.
    pub fn refuse_waiting(
        &mut self,
        decision: &str,
        why: &str,
        which: impl Fn(&PendingApproval) -> bool,
    ) {
        let all = &mut self.guard.waiting;
        let refused: Vec<_> = all.extract_if(.., |waiting| which(waiting)).collect();
        for waiting in refused {
            self.refuse(waiting, decision, why);
        }
    }

    /// Whoever asked for these does not want them any more.
    pub fn withdraw(&mut self, which: impl Fn(&PendingApproval) -> bool) {
        self.refuse_waiting("withdrawn", "whoever asked wants it no more", which);
    }
}

fn moved_on() -> DebuggerError {
    DebuggerError::stale("stale_stop: the program moved on while a person was asked.")
        .hint("look at where it is, and ask again")
}

/// Bytes as people read them; what is too long is cut.
fn hex(bytes: &[u8]) -> String {
    let shown = digits(bytes.get(..BYTES).unwrap_or(bytes));
    if bytes.len() > BYTES {
        return format!("{shown} …");
    }
    shown
}
