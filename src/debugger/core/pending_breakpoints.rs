//! Breakpoints that no adapter placed, or not where they were wanted: why, when somebody asks, and once a tree of sessions is over.
//!
//! What is known of the reasons is in `debugger/unplaced`. It reads files, the program among them: that is done elsewhere, and what
//! is found is told when it is there.

use super::prelude::*;
use crate::{pending_breakpoints, reachability};

/// Breakpoints that a person is told of when a program has ended; of the others their row says it.
const MOST_TOLD: usize = 5;

/// A breakpoint, the session in whose view it is not in place, and what its adapter said.
struct PendingCase {
    breakpoint: Breakpoint,
    session: Session,
    message: Option<String>,
}

impl PendingCase {
    fn why(&self) -> String {
        pending_breakpoints::why(&self.breakpoint, &self.session, self.message.as_deref())
    }

    /// Whether it was meant for this program: what a project keeps (`kept`) may be another program's.
    fn is_meant(&self, kept: bool) -> bool {
        let table = Table::builtin();
        let types = table.get(&self.session.adapter);
        let types = types.map(|adapter| adapter.file_types.as_slice());
        let target = self.session.target.as_ref();
        !kept
            || self.breakpoint.passing.is_some()
            || reachability::any(
                std::slice::from_ref(&self.breakpoint.site),
                target,
                types.unwrap_or_default(),
            )
    }
}

impl Owner {
    /// Answers why a breakpoint is not in place.
    pub fn explain(&self, id: BreakpointId) -> Handled {
        let breakpoint = self.breakpoint(id)?;
        if let BreakpointSite::Source { path, .. } = &breakpoint.site
            && let Some((asked, real)) = breakpoint.moved()
        {
            let path = path.clone();
            return explained(move || pending_breakpoints::why_moved(&path, asked, real));
        }
        if breakpoint.answers.values().any(|a| a.verified) {
            return Err(DebuggerError::state("It is in place."));
        }
        let told = breakpoint.answers.iter().next();
        let session = match told {
            Some((session, _)) => self.session(*session),
            None => self.hub.state.focused(),
        };
        let session = session.ok_or_else(|| {
            let hint = "start the program; it is told of it then";
            DebuggerError::state("No adapter was told of it yet.").hint(hint)
        })?;
        let case = PendingCase {
            breakpoint: breakpoint.clone(),
            session: session.clone(),
            message: told.and_then(|(_, answer)| answer.message.clone()),
        };
        explained(move || case.why())
    }

    /// Says of each breakpoint that no session of a tree had in place what may be the reason. `tree` is over; `had` are those that
    /// were in place somewhere in it.
    pub fn tell_never_placed(&mut self, tree: &[SessionId], had: &BTreeSet<BreakpointId>) {
        let cases: Vec<PendingCase> = self
            .breakpoints()
            .filter(|b| b.enabled && !b.temporary && !had.contains(&b.id))
            .filter(|b| b.never_hit.is_none())
            .filter_map(|b| {
                let mut told = tree.iter().filter_map(|s| Some((*s, b.answers.get(s)?)));
                let first = told.clone().next()?;
                if told.any(|(_, answer)| answer.verified || answer.foreign) {
                    return None;
                }
                // One of them may know more of the file than the first.
                let loaded = |s: &&Session| match &b.site {
                    BreakpointSite::Source { path, .. } => s.has_loaded(path),
                    _ => false,
                };
                let mut all = tree.iter().filter_map(|s| self.session(*s));
                let mut session = all.find(loaded).or_else(|| self.session(first.0))?.clone();
                // In a moment it is.
                session.phase = Phase::Terminated;
                Some(PendingCase {
                    breakpoint: b.clone(),
                    session,
                    message: first.1.message.clone(),
                })
            })
            .collect();
        if cases.is_empty() {
            return;
        }
        let kept = self.project.is_some();
        self.explaining += 1;
        let found = tasks::blocking(move || {
            let reasons = cases
                .iter()
                .map(|case| (case.breakpoint.id, case.why(), case.is_meant(kept)));
            reasons.collect::<Vec<_>>()
        });
        self.spawn(found, |owner, found| {
            owner.explaining = owner.explaining.saturating_sub(1);
            let mut told = 0;
            for (breakpoint, why, is_meant) in found.unwrap_or_default() {
                // The next program of a command may have placed it in the meantime.
                let now = owner.breakpoint(breakpoint);
                if now.is_ok_and(|b| b.answers.values().any(|answer| answer.verified)) {
                    continue;
                }
                let untold = is_meant && told < MOST_TOLD;
                told += usize::from(untold);
                owner.hub.publish(EventKind::BreakpointNeverHit {
                    breakpoint,
                    why: format!("never in place: {why}"),
                    untold,
                });
            }
        });
    }
}

/// Reads files, and perhaps large ones.
fn explained(why: impl FnOnce() -> String + Send + 'static) -> Handled {
    later(async move {
        let text = tasks::blocking(why).await?;
        Ok(Reply::Explained { text })
    })
}
