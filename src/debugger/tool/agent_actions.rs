//! The actions beyond omp's 28, which an agent or a script needs: rows of the same table ([`super::table`]).

use futures_util::future::ready;

use super::{
    run::{Done, agent_actions, breakpoints, by, control, data},
    snapshot,
    table::{ALWAYS, ActionRow, LISTS, PLACE, RESUME, ROW},
};
use crate::{
    command::{Command, StepKind},
    gate,
    permission::Tier,
};

/// What omp's tool does not have, and an agent needs.
pub const FURTHER: &[ActionRow] = &[
    ActionRow {
        name: "snapshot",
        does: by!(snapshot::snapshot),
        help: "All about where the program stands, in one answer: why it stopped, the lines around, the frames, the locals and what changed in them, watches, and what was printed since the last stop.",
        ..ALWAYS
    },
    ActionRow {
        name: "wait",
        does: by!(agent_actions::wait),
        help: "Wait until the program stops or ends, or until `timeout` is over (it then says that the program still runs).",
        optional: &["after_stop"],
        ..ALWAYS
    },
    ActionRow {
        name: "events",
        // What happened is told with every answer.
        does: |_, _| Box::pin(ready(Ok(Done::new("")))),
        help: "What happened after the event `since`: stops, ends, breakpoints, lost output.",
        optional: &["since"],
        ..ALWAYS
    },
    ActionRow {
        name: "source",
        does: by!(agent_actions::source),
        help: "Lines of a source, as the debugger has it; without `file` around the place where the program stands.",
        optional: &["file", "line", "levels"],
        ..ALWAYS
    },
    ActionRow {
        name: "breakpoints",
        does: |turn, _| Box::pin(ready(Ok(agent_actions::breakpoints(turn)))),
        help: "List all breakpoints, whose they are and whether they are in place.",
        ..ALWAYS
    },
    ActionRow {
        name: "evaluate_hover",
        does: by!(agent_actions::peek),
        help: "Read a value by a name, a member or an index (`order.items[0].price`); nothing is called, and anything else is refused.",
        tier: Tier::EvalSafe,
        required: &["expression"],
        optional: &["frame_id"],
        request: Some("evaluate"),
        ..ROW
    },
    ActionRow {
        name: "data",
        does: by!(data::data),
        help: "Look at a value as data, a page at a time: rows of a table (lists of records, frames, arrays, maps), what its columns add up to, a line of numbers, a text. Programs in Python and JavaScript make the page themselves, by code that only reads.",
        tier: Tier::EvalSafe,
        required: &["expression"],
        optional: &[
            "as", "rows", "columns", "sort", "filter", "column", "compare", "frame_id",
        ],
        request: Some("evaluate"),
        ..ROW
    },
    ActionRow {
        name: "record_at",
        does: by!(breakpoints::set),
        help: "Record values, the stack and the time whenever a line or a function is reached, and go on; at most 100 times a second. `records` shows them.",
        tier: Tier::Exec,
        required: &["record"],
        choice: Some(PLACE),
        optional: &["file", "line", "function", "condition", "hit_condition"],
        request: Some("setBreakpoints"),
        ..ALWAYS
    },
    ActionRow {
        name: "records",
        does: by!(data::data),
        help: "What breakpoints recorded instead of stopping: rows of a table, what its columns add up to, a line of numbers.",
        optional: &["as", "rows", "columns", "sort", "filter", "column"],
        ..ALWAYS
    },
    ActionRow {
        name: "run_to",
        does: by!(agent_actions::run_to),
        help: "Run until this line is reached.",
        required: &["file", "line"],
        request: Some("continue"),
        ..RESUME
    },
    ActionRow {
        name: "step_back",
        does: |turn, _| Box::pin(control::resume(turn, Some(StepKind::Back))),
        help: "Go back to the line before, where the adapter has recorded it.",
        request: Some("stepBack"),
        noun: Some("stepping back"),
        ..RESUME
    },
    ActionRow {
        name: "set_exception_breakpoints",
        does: by!(agent_actions::exception_breakpoints),
        help: "Choose on which exceptions to stop, by the adapter's filters or by names of types; an empty list is none.",
        tier: Tier::Control,
        required: &["filters"],
        ..ALWAYS
    },
    ActionRow {
        name: "set_variable",
        does: by!(agent_actions::set_variable),
        help: "Give a variable another value; a local of the frame, or a part of `variable_ref`.",
        tier: Tier::Exec,
        required: &["name", "value"],
        optional: &["variable_ref", "scope_id", "frame_id"],
        request: Some("setVariable"),
        gate: Some(gate::Action::Modify),
        ..ROW
    },
    ActionRow {
        name: "restart",
        does: by!(agent_actions::restart),
        help: "End the program and start it again in the same way, breakpoints in place.",
        tier: Tier::Exec,
        gate: Some(gate::Action::Restart),
        ..ROW
    },
    ActionRow {
        name: "request_control",
        does: |turn, arguments| {
            let reason = arguments.owned("reason").unwrap_or_default();
            Box::pin(agent_actions::control(
                turn,
                Command::RequestControl { reason },
            ))
        },
        help: "Ask to drive the program, with a reason; a person may be asked.",
        tier: Tier::Control,
        optional: &["reason"],
        ..ALWAYS
    },
    ActionRow {
        name: "release_control",
        does: |turn, _| Box::pin(agent_actions::control(turn, Command::ReleaseControl)),
        help: "Drive the program no more.",
        tier: Tier::Control,
        ..ALWAYS
    },
    ActionRow {
        name: "hang",
        does: by!(agent_actions::hang),
        help: "Why the program hangs: all threads, goroutines or tasks merged by equal stacks, who waits for whom, deadlocks, and who is busy. One that runs is stopped for a moment, and goes on.",
        tier: Tier::Control,
        request: Some("stackTrace"),
        ..LISTS
    },
];
