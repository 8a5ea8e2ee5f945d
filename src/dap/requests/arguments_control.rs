//! Arguments of the requests that start, end, configure and steer a session.

use serde_json::Value;

use crate::{
    tolerant::record,
    types::{
        DataBreakpoint, ExceptionFilterOptions, ExceptionOptions, FunctionBreakpoint,
        InstructionBreakpoint, Source, SourceBreakpoint, SteppingGranularity,
    },
};

record! {
    /// Arguments for `cancel` request.
    CancelArguments {
        /// The ID (attribute `seq`) of the request to cancel.
        request_id: Option<i64>,
        /// The ID (attribute `progressId`) of the progress to cancel.
        progress_id: Option<String>,
    }

    /// Arguments for `initialize` request.
    InitializeArguments {
        /// The ID of the client using this adapter.
        client_id: Option<String> = "clientID",
        /// The human-readable name of the client using this adapter.
        client_name: Option<String>,
        /// The ID of the debug adapter.
        adapter_id: String = "adapterID",
        /// The ISO-639 locale of the client using this adapter, e.g. en-US or de-CH.
        locale: Option<String>,
        /// If true all line numbers are 1-based (default).
        lines_start_at1: Option<bool>,
        /// If true all column numbers are 1-based (default).
        columns_start_at1: Option<bool>,
        /// Determines in what format paths are specified.
        /// Values: `path`, `uri`.
        path_format: Option<String>,
        /// Client supports the `type` attribute for variables.
        supports_variable_type: Option<bool>,
        /// Client supports the paging of variables.
        supports_variable_paging: Option<bool>,
        /// Client supports the `runInTerminal` request.
        supports_run_in_terminal_request: Option<bool>,
        /// Client supports memory references.
        supports_memory_references: Option<bool>,
        /// Client supports progress reporting.
        supports_progress_reporting: Option<bool>,
        /// Client supports the `invalidated` event.
        supports_invalidated_event: Option<bool>,
        /// Client supports the `memory` event.
        supports_memory_event: Option<bool>,
        /// Client supports the `argsCanBeInterpretedByShell` attribute on the `runInTerminal`
        /// request.
        supports_args_can_be_interpreted_by_shell: Option<bool>,
        /// Client supports the `startDebugging` request.
        supports_start_debugging_request: Option<bool>,
        /// The client will interpret ANSI escape sequences in the display of `OutputEvent.output`
        /// and `Variable.value` fields when `Capabilities.supportsANSIStyling` is also enabled.
        supports_ansi_styling: Option<bool> = "supportsANSIStyling",
    }

    /// Arguments for `restart` request.
    RestartArguments {
        /// The latest version of the `launch` or `attach` configuration.
        arguments: Option<Value>,
    }

    /// Arguments for `disconnect` request.
    DisconnectArguments {
        /// A value of true indicates that this `disconnect` request is part of a restart sequence.
        restart: Option<bool>,
        /// Indicates whether the debuggee should be terminated when the debugger is disconnected.
        terminate_debuggee: Option<bool>,
        /// Indicates whether the debuggee should stay suspended when the debugger is disconnected.
        suspend_debuggee: Option<bool>,
    }

    /// Arguments for `terminate` request.
    TerminateArguments {
        /// A value of true indicates that this `terminate` request is part of a restart sequence.
        restart: Option<bool>,
    }

    /// Arguments for `breakpointLocations` request.
    BreakpointLocationsArguments {
        /// The source location of the breakpoints; either `source.path` or `source.sourceReference`
        /// must be specified.
        source: Source,
        /// Start line of range to search possible breakpoint locations in.
        line: i64,
        /// Start position within `line` to search possible breakpoint locations in.
        column: Option<i64>,
        /// End line of range to search possible breakpoint locations in.
        end_line: Option<i64>,
        /// End position within `endLine` to search possible breakpoint locations in.
        end_column: Option<i64>,
    }

    /// Arguments for `setBreakpoints` request.
    SetBreakpointsArguments {
        /// The source location of the breakpoints; either `source.path` or `source.sourceReference`
        /// must be specified.
        source: Source,
        /// The code locations of the breakpoints.
        breakpoints: Option<Vec<SourceBreakpoint>>,
        /// Deprecated: The code locations of the breakpoints.
        lines: Option<Vec<i64>>,
        /// A value of true indicates that the underlying source has been modified which results in
        /// new breakpoint locations.
        source_modified: Option<bool>,
    }

    /// Arguments for `setFunctionBreakpoints` request.
    SetFunctionBreakpointsArguments {
        /// The function names of the breakpoints.
        breakpoints: Vec<FunctionBreakpoint>,
    }

    /// Arguments for `setExceptionBreakpoints` request.
    SetExceptionBreakpointsArguments {
        /// Set of exception filters specified by their ID.
        filters: Vec<String>,
        /// Set of exception filters and their options.
        filter_options: Option<Vec<ExceptionFilterOptions>>,
        /// Configuration options for selected exceptions.
        exception_options: Option<Vec<ExceptionOptions>>,
    }

    /// Arguments for `dataBreakpointInfo` request.
    DataBreakpointInfoArguments {
        /// Reference to the variable container if the data breakpoint is requested for a child of
        /// the container.
        variables_reference: Option<i64>,
        /// The name of the variable's child to obtain data breakpoint information for.
        name: String,
        /// When `name` is an expression, evaluate it in the scope of this stack frame.
        frame_id: Option<i64>,
        /// If specified, a debug adapter should return information for the range of memory
        /// extending `bytes` number of bytes from the address or variable specified by `name`.
        bytes: Option<i64>,
        /// If `true`, the `name` is a memory address and the debugger should interpret it as a
        /// decimal value, or hex value if it is prefixed with `0x`.
        as_address: Option<bool>,
        /// The mode of the desired breakpoint.
        mode: Option<String>,
    }

    /// Arguments for `setDataBreakpoints` request.
    SetDataBreakpointsArguments {
        /// The contents of this array replaces all existing data breakpoints.
        breakpoints: Vec<DataBreakpoint>,
    }

    /// Arguments for `setInstructionBreakpoints` request.
    SetInstructionBreakpointsArguments {
        /// The instruction references of the breakpoints.
        breakpoints: Vec<InstructionBreakpoint>,
    }

    /// Arguments for `continue` and `reverseContinue` requests.
    ContinueArguments {
        /// Specifies the active thread.
        thread_id: i64,
        /// If this flag is true, execution is resumed only for the thread with given `threadId`.
        single_thread: Option<bool>,
    }

    /// Arguments for `next`, `stepOut` and `stepBack` requests.
    StepArguments {
        /// Specifies the thread for which to resume execution for one step (of the given
        /// granularity).
        thread_id: i64,
        /// If this flag is true, all other suspended threads are not resumed.
        single_thread: Option<bool>,
        /// Stepping granularity.
        granularity: Option<SteppingGranularity>,
    }

    /// Arguments for `stepIn` request.
    StepInArguments {
        /// Specifies the thread for which to resume execution for one step-into (of the given
        /// granularity).
        thread_id: i64,
        /// If this flag is true, all other suspended threads are not resumed.
        single_thread: Option<bool>,
        /// Id of the target to step into.
        target_id: Option<i64>,
        /// Stepping granularity.
        granularity: Option<SteppingGranularity>,
    }

    /// Arguments for `restartFrame` request.
    RestartFrameArguments {
        /// Restart the stack frame identified by `frameId`.
        frame_id: i64,
    }

    /// Arguments for `goto` request.
    GotoArguments {
        /// Set the goto target for this thread.
        thread_id: i64,
        /// The location where the debuggee will continue to run.
        target_id: i64,
    }
}
