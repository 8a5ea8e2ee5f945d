//! What the core only hands on to an adapter: a line for each request, with all that is to be known of it.
//!
//! [`Command::request`](crate::Command::request) takes any request of the protocol. What it may do is judged by its row here, never by
//! what the asker says of it; one without a row is judged as a request of the adapter's own is.

use dap::requests::{
    BreakpointLocations, DapRequest, Disassemble, Goto, GotoTargets, LoadedSources, Locations,
    Modules, ReadMemory, StepInTargets, TerminateThreads,
};

use crate::{
    command::{Command, given},
    gate::Action,
    permission::{Operation, Tier},
};

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct RequestRow {
    /// Its name on the wire.
    pub request: &'static str,
    /// What it is for consent.
    pub operation: Operation,
    /// What the state machine knows it as.
    pub gate: Action,
    /// How the refusal names what an adapter without it cannot do.
    pub noun: &'static str,
    /// Whether it is asked of a stop.
    pub of_a_stop: bool,
}

macro_rules! rows {
    ($($request:ident: $tier:ident $($drives:ident)? $action:literal, $gate:ident $($of_a_stop:ident)?, $noun:literal;)*) => {
        const ROWS: &[RequestRow] = &[$(RequestRow {
            request: $request::COMMAND,
            operation: Operation { action: $action, tier: Tier::$tier, drives: given!($($drives)?) },
            gate: Action::$gate,
            noun: $noun,
            of_a_stop: given!($($of_a_stop)?),
        },)*];
    };
}

rows! {
    BreakpointLocations: Read "", Source, "telling where breakpoints can be";
    Disassemble: Read "disassemble", Inspect of_a_stop, "disassembly";
    Goto: Exec drives "goto", Resume, "jumping to a line";
    GotoTargets: Read "", Inspect of_a_stop, "jumping to a line";
    LoadedSources: Read "loaded_sources", List, "loaded sources";
    // What was printed may be asked for while the program runs on. Every adapter that gives a reference answers for it.
    Locations: Read "", Source, "telling where something is declared";
    Modules: Read "modules", List, "module introspection";
    ReadMemory: Read "read_memory", Inspect of_a_stop, "memory reads";
    StepInTargets: Read "", Inspect of_a_stop, "choosing the call to step into";
    TerminateThreads: Exec drives "terminate_threads", List, "ending threads";
}

/// Whether a command is asked of a stop: what it is about is no more when one looks back at another.
pub fn is_of_a_stop(command: &Command) -> bool {
    match command {
        Command::Request { request, stop, .. } => {
            stop.is_some() || row(request).is_some_and(|row| row.of_a_stop)
        }
        other => other.row().1,
    }
}

/// The row of a request; none = nothing is known of it.
pub fn row(request: &str) -> Option<&'static RequestRow> {
    ROWS.iter().find(|row| row.request == request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{permission::operation, state::State};

    fn judged(request: &str) -> (&'static str, Tier, bool) {
        let command = Command::Request {
            session: None,
            stop: None,
            request: request.to_owned(),
            arguments: serde_json::json!({"expression": "1"}),
        };
        let told = operation::of(&command, &State::default(), |_| None);
        (told.action, told.tier, told.drives)
    }

    #[test]
    fn a_request_is_judged_by_its_row_and_one_without_as_any_of_the_adapters_own() {
        assert_eq!(judged("readMemory"), ("read_memory", Tier::Read, false));
        assert_eq!(judged("goto"), ("goto", Tier::Exec, true));
        for request in ["evaluate", "setVariable", "ReadMemory", "", "its own"] {
            let custom = ("custom_request", Tier::Exec, true);
            assert_eq!(judged(request), custom, "{request}");
        }
    }

    #[test]
    fn no_request_has_two_rows() {
        for (at, one) in ROWS.iter().enumerate() {
            assert!(
                ROWS.iter()
                    .take(at)
                    .all(|other| other.request != one.request)
            );
        }
    }
}
