//! The actions at work: one function each, over the core's commands.
//!
//! | file | actions |
//! |---|---|
//! | `start` | launch, attach, terminate, sessions, output |
//! | `control` | continue, the steps, pause |
//! | `breakpoints` | all that set and remove |
//! | `inspect` | stack, threads, scopes, variables, evaluation, what data can be watched |
//! | `data` | values as tables, lines, texts |
//! | `agent_actions` | what an agent needs beside the 28 |
//! | `machine` | instructions, memory, modules, sources, requests of the adapter's own |

mod agent_actions;
mod breakpoints;
mod control;
mod data;
mod inspect;
mod machine;
mod start;

use super::{arguments::Arguments, snapshot, summary::Summary, table::Op, turn::Turn};
use crate::{command::StepKind, prelude::*};

/// What an action gave, before it is put into its final form.
pub(super) struct Done {
    /// For people and models.
    pub text: String,
    /// For machines, by their names there.
    pub fields: Map<String, Value>,
    /// The session it was about, when that is not simply the focused one.
    pub session: Option<SessionId>,
}

impl Done {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            fields: Map::new(),
            session: None,
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // Everything here has texts as keys, so this cannot fail.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.fields.insert(name.to_owned(), value);
        self
    }

    pub(super) fn about(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }
}

/// Does what the turn's action says.
pub(super) async fn run(turn: &mut Turn, arguments: &Arguments) -> Result<Done> {
    match turn.row.op {
        Op::Launch => start::launch(turn, arguments).await,
        Op::Attach => start::attach(turn, arguments).await,
        Op::SetBreakpoint | Op::SetInstructionBreakpoint | Op::SetDataBreakpoint | Op::RecordAt => {
            breakpoints::set(turn, arguments).await
        }
        Op::RemoveBreakpoint | Op::RemoveInstructionBreakpoint | Op::RemoveDataBreakpoint => {
            breakpoints::remove(turn, arguments).await
        }
        Op::DataBreakpointInfo => inspect::data_breakpoint_info(turn, arguments).await,
        Op::Continue => control::resume(turn, None).await,
        Op::StepOver => control::resume(turn, Some(StepKind::Over)).await,
        Op::StepIn => control::resume(turn, Some(StepKind::In)).await,
        Op::StepOut => control::resume(turn, Some(StepKind::Out)).await,
        Op::Pause => control::pause(turn).await,
        Op::Evaluate => inspect::evaluate(turn, arguments).await,
        Op::StackTrace => inspect::stack_trace(turn, arguments).await,
        Op::Threads => inspect::threads(turn).await,
        Op::Scopes => inspect::scopes(turn, arguments).await,
        Op::Variables => inspect::variables(turn, arguments).await,
        Op::Disassemble => machine::disassemble(turn, arguments).await,
        Op::ReadMemory => machine::read_memory(turn, arguments).await,
        Op::WriteMemory => machine::write_memory(turn, arguments).await,
        Op::Modules => machine::modules(turn, arguments).await,
        Op::LoadedSources => machine::loaded_sources(turn).await,
        Op::CustomRequest => machine::custom_request(turn, arguments).await,
        Op::Output => start::output(turn).await,
        Op::Terminate => start::terminate(turn).await,
        Op::Sessions => Ok(start::sessions(turn)),
        Op::Snapshot => snapshot::snapshot(turn).await,
        Op::Wait => agent_actions::wait(turn, arguments).await,
        // What happened is told with every answer.
        Op::Events => Ok(Done::new("")),
        Op::Source => agent_actions::source(turn, arguments).await,
        Op::Breakpoints => Ok(agent_actions::breakpoints(turn)),
        Op::Peek => agent_actions::peek(turn, arguments).await,
        Op::Data | Op::Records => data::data(turn, arguments).await,
        Op::RunTo => agent_actions::run_to(turn, arguments).await,
        Op::StepBack => control::resume(turn, Some(StepKind::Back)).await,
        Op::ExceptionBreakpoints => agent_actions::exception_breakpoints(turn, arguments).await,
        Op::SetVariable => agent_actions::set_variable(turn, arguments).await,
        Op::Restart => agent_actions::restart(turn).await,
        Op::RequestControl => {
            let reason = arguments.owned("reason").unwrap_or_default();
            agent_actions::control(turn, Command::RequestControl { reason }).await
        }
        Op::ReleaseControl => agent_actions::control(turn, Command::ReleaseControl).await,
        Op::Hang => agent_actions::hang(turn).await,
    }
}

/// The lines of a session's snapshot, and what else there is to say.
fn with_snapshot(turn: &Turn, session: SessionId, line: &str) -> String {
    let mut lines = turn
        .state
        .session(session)
        .map(|s| Summary::of(&turn.state, s).lines())
        .unwrap_or_default();
    lines.push(line.to_owned());
    lines.join("\n")
}

/// The core answered something that the command never gives.
pub(super) fn odd(reply: &Reply) -> DebuggerError {
    DebuggerError::new(
        Kind::Adapter,
        format!("The core gave an answer that does not fit: {reply:?}"),
    )
}
