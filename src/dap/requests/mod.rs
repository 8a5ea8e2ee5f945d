//! One zero-sized type per request of the protocol, tying a command to its arguments and its answer.
//!
//! The table at the end is the whole list, with the capability that an adapter has to have for a request. The requests
//! that adapters make of us are in [`reverse`]. Whether an adapter may be asked is a question for
//! [`crate::protocol::capability_for`].

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    tolerant::{record, wire_name},
    types::Capabilities,
};

mod arguments_control;
mod arguments_inspect;
mod responses;
pub mod reverse;

pub use arguments_control::*;
pub use arguments_inspect::*;
pub use responses::*;

/// A request: what it is called on the wire, what it carries, what comes back.
pub trait DapRequest {
    /// The `command` on the wire.
    const COMMAND: &'static str;
    /// What is sent; `()` sends no `arguments` at all.
    type Arguments: Serialize;
    /// The body of a successful response; its default stands for a body that is absent.
    type Response: DeserializeOwned + Default;
}

record! {
    /// The body of a response of which only the success matters; whatever it holds is ignored.
    Empty {
    }
}

macro_rules! requests {
    ($( $(#[$meta:meta])* $name:ident $(= $command:literal)? $(if $capability:ident)?: $arguments:ty => $response:ty, )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl DapRequest for $name {
                const COMMAND: &'static str = wire_name!($name $(= $command)?);
                type Arguments = $arguments;
                type Response = $response;
            }
        )*

        /// Every command a client can send.
        pub(crate) const COMMANDS: &[&str] = &[$($name::COMMAND),*];

        /// The capability that stands for a command in the table.
        pub(crate) fn capability_for(command: &str) -> Option<fn(&Capabilities) -> bool> {
            $( $( if command == $name::COMMAND {
                return Some(|adapter| adapter.$capability);
            } )? )*
            None
        }
    };
}

requests! {
    /// The `cancel` request is used by the client in two situations.
    Cancel if supports_cancel_request: CancelArguments => Empty,
    /// The `initialize` request is sent as the first request from the client to the debug adapter
    /// in order to configure it with client capabilities and to retrieve capabilities from the
    /// debug adapter.
    Initialize: InitializeArguments => Capabilities,
    /// This request indicates that the client has finished initialization of the debug adapter.
    ConfigurationDone if supports_configuration_done_request: () => Empty,
    /// This launch request is sent from the client to the debug adapter to start the debuggee with
    /// or without debugging (if `noDebug` is true).
    Launch: Value => Empty,
    /// The `attach` request is sent from the client to the debug adapter to attach to a debuggee
    /// that is already running.
    Attach: Value => Empty,
    /// Restarts a debug session.
    Restart if supports_restart_request: RestartArguments => Empty,
    /// The `disconnect` request asks the debug adapter to disconnect from the debuggee (thus ending
    /// the debug session) and then to shut down itself (the debug adapter).
    Disconnect: DisconnectArguments => Empty,
    /// The `terminate` request is sent from the client to the debug adapter in order to shut down
    /// the debuggee gracefully.
    Terminate if supports_terminate_request: TerminateArguments => Empty,
    /// The `breakpointLocations` request returns all possible locations for source breakpoints in a
    /// given range.
    BreakpointLocations if supports_breakpoint_locations_request: BreakpointLocationsArguments => BreakpointLocationsResponse,
    /// Sets multiple breakpoints for a single source and clears all previous breakpoints in that
    /// source.
    SetBreakpoints: SetBreakpointsArguments => SetBreakpointsResponse,
    /// Replaces all existing function breakpoints with new function breakpoints.
    SetFunctionBreakpoints if supports_function_breakpoints: SetFunctionBreakpointsArguments => SetBreakpointsResponse,
    /// The request configures the debugger's response to thrown exceptions.
    SetExceptionBreakpoints: SetExceptionBreakpointsArguments => SetExceptionBreakpointsResponse,
    /// Obtains information on a possible data breakpoint that could be set on an expression or
    /// variable.
    DataBreakpointInfo if supports_data_breakpoints: DataBreakpointInfoArguments => DataBreakpointInfoResponse,
    /// Replaces all existing data breakpoints with new data breakpoints.
    SetDataBreakpoints if supports_data_breakpoints: SetDataBreakpointsArguments => SetBreakpointsResponse,
    /// Replaces all existing instruction breakpoints.
    SetInstructionBreakpoints if supports_instruction_breakpoints: SetInstructionBreakpointsArguments => SetBreakpointsResponse,
    /// The request resumes execution of all threads.
    Continue: ContinueArguments => ContinueResponse,
    /// The request executes one step (in the given granularity) for the specified thread and allows
    /// all other threads to run freely by resuming them.
    Next: StepArguments => Empty,
    /// The request resumes the given thread to step into a function/method and allows all other
    /// threads to run freely by resuming them.
    StepIn: StepInArguments => Empty,
    /// The request resumes the given thread to step out (return) from a function/method and allows
    /// all other threads to run freely by resuming them.
    StepOut: StepArguments => Empty,
    /// The request executes one backward step (in the given granularity) for the specified thread
    /// and allows all other threads to run backward freely by resuming them.
    StepBack if supports_step_back: StepArguments => Empty,
    /// The request resumes backward execution of all threads.
    ReverseContinue if supports_step_back: ContinueArguments => Empty,
    /// The request restarts execution of the specified stack frame.
    RestartFrame if supports_restart_frame: RestartFrameArguments => Empty,
    /// The request sets the location where the debuggee will continue to run.
    Goto if supports_goto_targets_request: GotoArguments => Empty,
    /// The request suspends the debuggee.
    Pause: PauseArguments => Empty,
    /// The request returns a stacktrace from the current execution state of a given thread.
    StackTrace: StackTraceArguments => StackTraceResponse,
    /// The request returns the variable scopes for a given stack frame ID.
    Scopes: ScopesArguments => ScopesResponse,
    /// Retrieves all child variables for the given variable reference.
    Variables: VariablesArguments => VariablesResponse,
    /// Set the variable with the given name in the variable container to a new value.
    SetVariable if supports_set_variable: SetVariableArguments => SetExpressionResponse,
    /// The request retrieves the source code for a given source reference.
    SourceRequest = "source": SourceArguments => SourceResponse,
    /// The request retrieves a list of all threads.
    Threads: () => ThreadsResponse,
    /// The request terminates the threads with the given ids.
    TerminateThreads if supports_terminate_threads_request: TerminateThreadsArguments => Empty,
    /// Modules can be retrieved from the debug adapter with this request which can either return
    /// all modules or a range of modules to support paging.
    Modules if supports_modules_request: ModulesArguments => ModulesResponse,
    /// Retrieves the set of all sources currently loaded by the debugged process.
    LoadedSources if supports_loaded_sources_request: () => LoadedSourcesResponse,
    /// Evaluates the given expression in the context of a stack frame.
    Evaluate: EvaluateArguments => EvaluateResponse,
    /// Evaluates the given `value` expression and assigns it to the `expression` which must be a
    /// modifiable l-value.
    SetExpression if supports_set_expression: SetExpressionArguments => SetExpressionResponse,
    /// This request retrieves the possible step-in targets for the specified stack frame.
    StepInTargets if supports_step_in_targets_request: StepInTargetsArguments => StepInTargetsResponse,
    /// This request retrieves the possible goto targets for the specified source location.
    GotoTargets if supports_goto_targets_request: GotoTargetsArguments => GotoTargetsResponse,
    /// Returns a list of possible completions for a given caret position and text.
    Completions if supports_completions_request: CompletionsArguments => CompletionsResponse,
    /// Retrieves the details of the exception that caused this event to be raised.
    ExceptionInfo if supports_exception_info_request: ExceptionInfoArguments => ExceptionInfoResponse,
    /// Reads bytes from memory at the provided location.
    ReadMemory if supports_read_memory_request: ReadMemoryArguments => ReadMemoryResponse,
    /// Writes bytes to memory at the provided location.
    WriteMemory if supports_write_memory_request: WriteMemoryArguments => WriteMemoryResponse,
    /// Disassembles code stored at the provided location.
    Disassemble if supports_disassemble_request: DisassembleArguments => DisassembleResponse,
    /// Looks up information about a location reference previously returned by the debug adapter.
    Locations: LocationsArguments => LocationsResponse,
}
