//! One zero-sized type per request of the protocol, tying a command to its arguments and its answer.
//!
//! The table at the end is the whole list; [`crate::protocol`] takes its list of commands from it. The requests
//! that adapters make of us are in [`reverse`]. Whether an adapter may be asked is a question for
//! [`crate::protocol::capability_for`].

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{tolerant::record, types::Capabilities};

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
    ($( $(#[$meta:meta])* $name:ident = $command:literal: $arguments:ty => $response:ty, )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl DapRequest for $name {
                const COMMAND: &'static str = $command;
                type Arguments = $arguments;
                type Response = $response;
            }
        )*

        /// Every command a client can send.
        pub(crate) const COMMANDS: &[&str] = &[$($command),*];
    };
}

requests! {
    /// The `cancel` request is used by the client in two situations.
    Cancel = "cancel": CancelArguments => Empty,
    /// The `initialize` request is sent as the first request from the client to the debug adapter
    /// in order to configure it with client capabilities and to retrieve capabilities from the
    /// debug adapter.
    Initialize = "initialize": InitializeArguments => Capabilities,
    /// This request indicates that the client has finished initialization of the debug adapter.
    ConfigurationDone = "configurationDone": () => Empty,
    /// This launch request is sent from the client to the debug adapter to start the debuggee with
    /// or without debugging (if `noDebug` is true).
    Launch = "launch": Value => Empty,
    /// The `attach` request is sent from the client to the debug adapter to attach to a debuggee
    /// that is already running.
    Attach = "attach": Value => Empty,
    /// Restarts a debug session.
    Restart = "restart": RestartArguments => Empty,
    /// The `disconnect` request asks the debug adapter to disconnect from the debuggee (thus ending
    /// the debug session) and then to shut down itself (the debug adapter).
    Disconnect = "disconnect": DisconnectArguments => Empty,
    /// The `terminate` request is sent from the client to the debug adapter in order to shut down
    /// the debuggee gracefully.
    Terminate = "terminate": TerminateArguments => Empty,
    /// The `breakpointLocations` request returns all possible locations for source breakpoints in a
    /// given range.
    BreakpointLocations = "breakpointLocations": BreakpointLocationsArguments => BreakpointLocationsResponse,
    /// Sets multiple breakpoints for a single source and clears all previous breakpoints in that
    /// source.
    SetBreakpoints = "setBreakpoints": SetBreakpointsArguments => SetBreakpointsResponse,
    /// Replaces all existing function breakpoints with new function breakpoints.
    SetFunctionBreakpoints = "setFunctionBreakpoints": SetFunctionBreakpointsArguments => SetFunctionBreakpointsResponse,
    /// The request configures the debugger's response to thrown exceptions.
    SetExceptionBreakpoints = "setExceptionBreakpoints": SetExceptionBreakpointsArguments => SetExceptionBreakpointsResponse,
    /// Obtains information on a possible data breakpoint that could be set on an expression or
    /// variable.
    DataBreakpointInfo = "dataBreakpointInfo": DataBreakpointInfoArguments => DataBreakpointInfoResponse,
    /// Replaces all existing data breakpoints with new data breakpoints.
    SetDataBreakpoints = "setDataBreakpoints": SetDataBreakpointsArguments => SetDataBreakpointsResponse,
    /// Replaces all existing instruction breakpoints.
    SetInstructionBreakpoints = "setInstructionBreakpoints": SetInstructionBreakpointsArguments => SetInstructionBreakpointsResponse,
    /// The request resumes execution of all threads.
    Continue = "continue": ContinueArguments => ContinueResponse,
    /// The request executes one step (in the given granularity) for the specified thread and allows
    /// all other threads to run freely by resuming them.
    Next = "next": NextArguments => Empty,
    /// The request resumes the given thread to step into a function/method and allows all other
    /// threads to run freely by resuming them.
    StepIn = "stepIn": StepInArguments => Empty,
    /// The request resumes the given thread to step out (return) from a function/method and allows
    /// all other threads to run freely by resuming them.
    StepOut = "stepOut": StepOutArguments => Empty,
    /// The request executes one backward step (in the given granularity) for the specified thread
    /// and allows all other threads to run backward freely by resuming them.
    StepBack = "stepBack": StepBackArguments => Empty,
    /// The request resumes backward execution of all threads.
    ReverseContinue = "reverseContinue": ReverseContinueArguments => Empty,
    /// The request restarts execution of the specified stack frame.
    RestartFrame = "restartFrame": RestartFrameArguments => Empty,
    /// The request sets the location where the debuggee will continue to run.
    Goto = "goto": GotoArguments => Empty,
    /// The request suspends the debuggee.
    Pause = "pause": PauseArguments => Empty,
    /// The request returns a stacktrace from the current execution state of a given thread.
    StackTrace = "stackTrace": StackTraceArguments => StackTraceResponse,
    /// The request returns the variable scopes for a given stack frame ID.
    Scopes = "scopes": ScopesArguments => ScopesResponse,
    /// Retrieves all child variables for the given variable reference.
    Variables = "variables": VariablesArguments => VariablesResponse,
    /// Set the variable with the given name in the variable container to a new value.
    SetVariable = "setVariable": SetVariableArguments => SetVariableResponse,
    /// The request retrieves the source code for a given source reference.
    SourceRequest = "source": SourceArguments => SourceResponse,
    /// The request retrieves a list of all threads.
    Threads = "threads": () => ThreadsResponse,
    /// The request terminates the threads with the given ids.
    TerminateThreads = "terminateThreads": TerminateThreadsArguments => Empty,
    /// Modules can be retrieved from the debug adapter with this request which can either return
    /// all modules or a range of modules to support paging.
    Modules = "modules": ModulesArguments => ModulesResponse,
    /// Retrieves the set of all sources currently loaded by the debugged process.
    LoadedSources = "loadedSources": () => LoadedSourcesResponse,
    /// Evaluates the given expression in the context of a stack frame.
    Evaluate = "evaluate": EvaluateArguments => EvaluateResponse,
    /// Evaluates the given `value` expression and assigns it to the `expression` which must be a
    /// modifiable l-value.
    SetExpression = "setExpression": SetExpressionArguments => SetExpressionResponse,
    /// This request retrieves the possible step-in targets for the specified stack frame.
    StepInTargets = "stepInTargets": StepInTargetsArguments => StepInTargetsResponse,
    /// This request retrieves the possible goto targets for the specified source location.
    GotoTargets = "gotoTargets": GotoTargetsArguments => GotoTargetsResponse,
    /// Returns a list of possible completions for a given caret position and text.
    Completions = "completions": CompletionsArguments => CompletionsResponse,
    /// Retrieves the details of the exception that caused this event to be raised.
    ExceptionInfo = "exceptionInfo": ExceptionInfoArguments => ExceptionInfoResponse,
    /// Reads bytes from memory at the provided location.
    ReadMemory = "readMemory": ReadMemoryArguments => ReadMemoryResponse,
    /// Writes bytes to memory at the provided location.
    WriteMemory = "writeMemory": WriteMemoryArguments => WriteMemoryResponse,
    /// Disassembles code stored at the provided location.
    Disassemble = "disassemble": DisassembleArguments => DisassembleResponse,
    /// Looks up information about a location reference previously returned by the debug adapter.
    Locations = "locations": LocationsArguments => LocationsResponse,
}
