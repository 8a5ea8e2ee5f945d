//! What is known of others than the person: what they may do, what they asked, and what waits for consent.

use base::text::sanitise::sanitise_block;

use super::prelude::*;
use crate::{ids::ApprovalId, permission::audit::Audit};

/// Characters of a subject that are kept in the audit, and shown.
const SHOWN: usize = 2_000;

/// A subject of more bytes than that is shown by its beginning alone.
const LONG: usize = 10 * 1024;

/// Characters of that beginning.
const BEGINNING: usize = 200;

/// Something that waits.
pub struct PendingApproval {
    pub id: ApprovalId,
    pub by: Arc<Asker>,
    pub terms: Option<Terms>,
    pub command: Command,
    pub operation: Operation,
    pub hash: String,
    pub expires: Instant,
    pub answer: Answer,
}

/// What a person allowed for more than once.
pub struct Grant {
    pub actor: Actor,
    /// Until the program goes on.
    pub stop: Option<StopId>,
    pub what: Rules,
}

/// What others may do, and what they asked.
pub struct Guard {
    pub rules: Rules,
    /// What waits for consent, as in the state.
    pub waiting: Vec<PendingApproval>,
    /// What a person allowed beyond the one command.
    pub grants: Vec<Grant>,
    /// From whom nothing is taken any more.
    pub shut_out: Vec<Actor>,
    /// People who can answer.
    pub answering: usize,
    /// When the driver last did something.
    pub acted: Instant,
    pub asked: u64,
    pub audit: Audit,
    redactor: Redactor,
}

impl Guard {
    pub fn new(config: &CoreConfig, redactor: Redactor) -> Self {
        Self {
            rules: config.rules.clone(),
            waiting: Vec::new(),
            grants: Vec::new(),
            shut_out: Vec::new(),
            answering: 0,
            acted: Instant::now(),
            asked: 0,
            audit: Audit::new(config.audit_dir.clone()),
            redactor,
        }
    }

    /// Fit to be shown and kept: without secrets, in characters that can be shown, and not too long.
    pub fn show(&self, text: &str) -> String {
        let (characters, note) = if text.len() > LONG {
            (BEGINNING, format!("… ({} bytes in all)", text.len()))
        } else {
            (SHOWN, String::new())
        };
        let clean = sanitise_block(&self.redactor.redact(text));
        let mut shown: String = clean.chars().take(characters).collect();
        if note.is_empty() && shown.len() < clean.len() {
            shown.pop();
            shown.push('…');
        }
        shown + &note
    }
}

/// Whether two are the same to a person, whichever their connections.
pub fn is_one(one: &Actor, other: &Actor) -> bool {
    (one.kind, &one.name) == (other.kind, &other.name)
}
