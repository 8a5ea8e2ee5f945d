//! Which breakpoints a stop is at, and what is said of those that nothing stopped at.
//!
//! Adapters keep silent about conditions that they cannot evaluate, so that a program may run past the one stop that was wanted.
//! The sentences are here for all fronts; when they are due is the core's to say, and `run`'s for its summary.

use super::state::DATA_BREAKPOINT;
use crate::prelude::*;
use dap::types::StoppedEvent;

/// Whether a stop is at a breakpoint: the adapter says so, or it is where the program stands.
pub fn stands_at(breakpoint: &Breakpoint, session: &Session, stop: &Stop) -> bool {
    is_named(breakpoint, session, stop) || is_here(breakpoint, stop)
}

/// Whether the adapter names the breakpoint as hit.
pub fn is_named(breakpoint: &Breakpoint, session: &Session, stop: &Stop) -> bool {
    let answer = breakpoint.answers.get(&session.id);
    answer
        .and_then(|a| a.adapter_id)
        .is_some_and(|id| stop.hit_breakpoint_ids.contains(&id))
}

/// Before the reason why a breakpoint with a condition was never hit.
pub const NEVER_HIT: &str = "never hit: ";

/// Whether an adapter that gives breakpoints no ids names this one, by file and line, in the text of a stop.
pub fn is_named_in_text(breakpoint: &Breakpoint, stopped: &StoppedEvent) -> bool {
    let words = stopped.description.as_ref().or(stopped.text.as_ref());
    match (&breakpoint.site, words) {
        (BreakpointSite::Source { path, line, .. }, Some(words)) if breakpoint.enabled => {
            format!("{words} ").contains(&format!("{}:{line} ", path.display()))
        }
        _ => false,
    }
}

/// Whether the innermost frame of the selected thread stands where an enabled breakpoint is.
pub fn is_here(breakpoint: &Breakpoint, stop: &Stop) -> bool {
    let stack = stop.selected.and_then(|s| stop.stacks.get(&s.thread_id));
    let Some(frame) = stack.and_then(|s| s.frames.first()) else {
        return false;
    };
    breakpoint.enabled
        && match &breakpoint.site {
            BreakpointSite::Source { path, .. } => {
                let source = frame.path();
                source.is_some_and(|source| path == Path::new(source))
                    && breakpoint.shown_line() == Some(frame.line)
            }
            BreakpointSite::Function { name } => {
                frame.source.is_some() && frame.name.starts_with(name.as_str())
            }
            _ => false,
        }
}

/// The breakpoint that stopped the program: as the adapter says, or else the one that is where it stopped.
pub fn stopped_by<'a>(session: &Session, stop: &Stop, state: &'a State) -> Option<&'a Breakpoint> {
    if !stop.reason.contains("breakpoint") {
        return None;
    }
    if stop.reason == DATA_BREAKPOINT {
        let data = state.data_hits(session.id, &stop.hit_breakpoint_ids);
        return data.first().copied();
    }
    let all = || state.breakpoints.iter();
    all()
        .find(|b| is_named(b, session, stop))
        .or_else(|| all().find(|b| is_here(b, stop)))
}

/// What may be the reason that nothing stopped at a breakpoint that was in place. `ended`: the program came to its own end, and
/// was not ended.
pub fn why_never(breakpoint: &Breakpoint, ended: bool) -> String {
    let by = if ended {
        ""
    } else {
        " before the run was ended"
    };
    let missed = match breakpoint.site {
        BreakpointSite::Function { .. } => "no function of that name was called",
        _ => "the program did not come there",
    };
    match (&breakpoint.condition, &breakpoint.hit_condition) {
        (Some(condition), _) => format!(
            "{missed}{by}, or `{condition}` was never true, or it cannot be evaluated there"
        ),
        (None, Some(count)) => format!("{missed} so often ({count}){by}"),
        (None, None)
            if breakpoint
                .log_message
                .as_deref()
                .is_some_and(|m| m.contains('{')) =>
        {
            format!("{missed}{by}, or an expression in its text cannot be evaluated")
        }
        (None, None) => format!("{missed}{by}"),
    }
}

/// Why a breakpoint never stops whose condition could not be evaluated, as a clause.
pub fn condition_is_broken(why: &str) -> String {
    format!("its condition could not be evaluated: {why}")
}

/// The sentence for a condition that could not be evaluated. `at`: the breakpoint's label, where it is known; an adapter may not say which
/// condition it is.
pub fn condition_failed(condition: &str, at: Option<&str>, why: &str) -> String {
    if condition.is_empty() {
        return format!("The condition of a breakpoint could not be evaluated: {why}");
    }
    let of = at.map(|at| format!(" of {at}")).unwrap_or_default();
    format!("The condition `{condition}`{of} could not be evaluated: {why}")
}
