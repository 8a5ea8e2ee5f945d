//! What came of each breakpoint: how often it was hit, whether it went to another line, whether its condition can be evaluated.
//!
//! Adapters keep silent about much of this, so a run that told only their words would end with nothing to say about the one stop
//! that was wanted and never came.

use debugger::{
    hits::{NEVER_HIT, condition_failed, stands_at, why_never},
    pending_breakpoints,
};

use super::{prelude::*, summary::Missed};

impl Runner {
    /// A stop counts for every breakpoint that is where it is, whatever the adapter calls its reason.
    pub(super) fn reckon(&mut self, session: SessionId, stop: StopId) {
        let Some((known, now)) = self.at(session, stop) else {
            return;
        };
        let hit: Vec<_> = self
            .state
            .breakpoints
            .iter()
            .filter(|b| stands_at(b, known, now))
            .map(|b| b.id.0)
            .collect();
        self.reckoning.hits.extend(hit);
    }

    /// Some adapters stop when a condition is broken, and say so to nobody: it is evaluated once where the program stands.
    pub(super) async fn try_condition(&mut self, session: SessionId, stop: StopId, id: u64) {
        let of = |b: &&Breakpoint| b.id.0 == id;
        let Some(breakpoint) = self.state.breakpoints.iter().find(of) else {
            return;
        };
        if breakpoint.never_hit.is_some() {
            // It was said already.
            return;
        }
        let (label, condition) = (breakpoint.label(), breakpoint.condition.clone());
        let Some(condition) = condition.filter(|_| self.reckoning.tried.insert(id)) else {
            return;
        };
        let frame_id = self
            .at(session, stop)
            .and_then(|(_, now)| now.selected)
            .map(|selected| selected.frame_id);
        let evaluate = Command::Evaluate {
            session: Some(session),
            frame_id,
            expression: condition.clone(),
            context: "watch".to_owned(),
        };
        if let Err(error) = self.core.request(evaluate).await
            && self.at(session, stop).is_some()
        {
            let why = self.clean(None, error.what);
            self.warn(
                condition_failed(&condition, Some(&label), &why),
                "it stops there as if there were no condition: correct it, or leave it out",
            )
            .await;
        }
    }

    /// Says that a breakpoint is not where it was wanted. Once for each.
    pub(super) async fn warn_moved(&mut self, state: &BreakpointState) {
        let (Some(wanted), Some(line)) = (state.requested_line, state.line) else {
            return;
        };
        if !self.reckoning.moved.insert(state.id) {
            return;
        }
        let file = state.file.as_deref().unwrap_or_default();
        let label = file.rsplit('/').next().unwrap_or(file);
        let path = Path::new(file);
        let why = Some(path).filter(|path| path.is_file());
        let why = why.and_then(|path| pending_breakpoints::of_line(path, wanted));
        let why =
            why.unwrap_or_else(|| "the line that was asked for has no code of its own".to_owned());
        self.warn(
            format!("The breakpoint {label}:{wanted} was moved to line {line}."),
            &why,
        )
        .await;
    }

    pub(super) async fn warn(&mut self, text: String, hint: &str) {
        let warning = Event::warning(text, Some(hint.to_owned()));
        self.tell(warning).await;
    }

    /// Those that were in place and never hit, each with what may be the reason. The core has warned of those with conditions.
    pub(super) fn never_hit(&self, ending: &Ending) -> Vec<Missed> {
        let silent = self.state.breakpoints.iter().filter(|b| {
            let is_hit = self.reckoning.hits.contains(&b.id.0);
            b.enabled && !is_hit && !self.is_for_failures(b.id)
        });
        silent
            .filter_map(|breakpoint| {
                let told = self.breakpoints_told.get(&breakpoint.id);
                let (session, told) = told.filter(|(_, told)| told.verified)?;
                let known = breakpoint.never_hit.as_deref();
                let known = known.map(|why| why.strip_prefix(NEVER_HIT).unwrap_or(why));
                let session = self.state.session(*session);
                let seen =
                    session.and_then(|session| pending_breakpoints::why_never(breakpoint, session));
                Some(Missed {
                    id: breakpoint.id.0,
                    at: told.place(),
                    condition: breakpoint.condition.clone(),
                    hit_condition: breakpoint.hit_condition.clone(),
                    diagnosis: seen
                        .or_else(|| Some(known?.to_owned()))
                        .unwrap_or_else(|| why_never(breakpoint, *ending == Ending::Ended)),
                })
            })
            .collect()
    }
}
