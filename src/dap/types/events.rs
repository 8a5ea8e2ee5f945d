//! The bodies of all events, each under the name the protocol gives the event.

use serde_json::Value;

use super::{
    breakpoints::Breakpoint,
    capabilities::Capabilities,
    source::{Module, Source},
};
use crate::tolerant::{open_enum, record};

record! {
    /// This event indicates that the debug adapter is ready to accept configuration requests (e.g.
    /// `setBreakpoints`, `setExceptionBreakpoints`).
    InitializedEvent {
    }

    /// The event indicates that the execution of the debuggee has stopped due to some condition.
    StoppedEvent {
        /// The reason for the event.
        /// Values: `step`, `breakpoint`, `exception`, `pause`, `entry`, `goto`, `function
        /// breakpoint`, `data breakpoint`, `instruction breakpoint`.
        reason: String = "reason",
        /// The full reason for the event, e.g. 'Paused on exception'.
        description: Option<String> = "description",
        /// The thread which was stopped.
        thread_id: Option<i64> = "threadId",
        /// A value of true hints to the client that this event should not change the focus.
        preserve_focus_hint: Option<bool> = "preserveFocusHint",
        /// Additional information.
        text: Option<String> = "text",
        /// If `allThreadsStopped` is true, a debug adapter can announce that all threads have
        /// stopped.
        all_threads_stopped: Option<bool> = "allThreadsStopped",
        /// Ids of the breakpoints that triggered the event.
        hit_breakpoint_ids: Option<Vec<i64>> = "hitBreakpointIds",
    }

    /// The event indicates that the execution of the debuggee has continued.
    ContinuedEvent {
        /// The thread which was continued.
        thread_id: Option<i64> = "threadId",
        /// If omitted or set to `true`, this event signals to the client that all threads have been
        /// resumed.
        all_threads_continued: Option<bool> = "allThreadsContinued",
    }

    /// The event indicates that the debuggee has exited and returns its exit code.
    ExitedEvent {
        /// The exit code returned from the debuggee.
        exit_code: i64 = "exitCode",
    }

    /// The event indicates that debugging of the debuggee has terminated.
    TerminatedEvent {
        /// A debug adapter may set `restart` to true (or to an arbitrary object) to request that
        /// the client restarts the session.
        restart: Option<Value> = "restart",
    }

    /// The event indicates that a thread has started or exited.
    ThreadEvent {
        /// The reason for the event.
        /// Values: `started`, `exited`.
        reason: String = "reason",
        /// The identifier of the thread.
        thread_id: i64 = "threadId",
    }

    /// The event indicates that the target has produced some output.
    OutputEvent {
        /// The output category.
        /// Values: `console`, `important`, `stdout`, `stderr`, `telemetry`.
        category: Option<String> = "category",
        /// The output to report.
        output: String = "output",
        /// Support for keeping an output log organized by grouping related messages.
        /// Values: `start`, `startCollapsed`, `end`.
        group: Option<String> = "group",
        /// If an attribute `variablesReference` exists and its value is > 0, the output contains
        /// objects which can be retrieved by passing `variablesReference` to the `variables`
        /// request as long as execution remains suspended.
        variables_reference: Option<i64> = "variablesReference",
        /// The source location where the output was produced.
        source: Option<Source> = "source",
        /// The source location's line where the output was produced.
        line: Option<i64> = "line",
        /// The position in `line` where the output was produced.
        column: Option<i64> = "column",
        /// Additional data to report.
        data: Option<Value> = "data",
        /// A reference that allows the client to request the location where the new value is
        /// declared.
        location_reference: Option<i64> = "locationReference",
    }

    /// The event indicates that some information about a breakpoint has changed.
    BreakpointEvent {
        /// The reason for the event.
        /// Values: `changed`, `new`, `removed`.
        reason: String = "reason",
        /// The `id` attribute is used to find the target breakpoint, the other attributes are used
        /// as the new values.
        breakpoint: Breakpoint = "breakpoint",
    }

    /// The event indicates that some information about a module has changed.
    ModuleEvent {
        /// The reason for the event.
        /// Values: `new`, `changed`, `removed`.
        reason: String = "reason",
        /// The new, changed, or removed module.
        module: Module = "module",
    }

    /// The event indicates that some source has been added, changed, or removed from the set of all
    /// loaded sources.
    LoadedSourceEvent {
        /// The reason for the event.
        /// Values: `new`, `changed`, `removed`.
        reason: String = "reason",
        /// The new, changed, or removed source.
        source: Source = "source",
    }

    /// The event indicates that the debugger has begun debugging a new process.
    ProcessEvent {
        /// The logical name of the process.
        name: String = "name",
        /// The process ID of the debugged process, as assigned by the operating system.
        system_process_id: Option<i64> = "systemProcessId",
        /// If true, the process is running on the same computer as the debug adapter.
        is_local_process: Option<bool> = "isLocalProcess",
        /// Describes how the debug engine started debugging this process.
        /// Values: `launch`, `attach`, `attachForSuspendedLaunch`.
        start_method: Option<String> = "startMethod",
        /// The size of a pointer or address for this process, in bits.
        pointer_size: Option<i64> = "pointerSize",
    }

    /// The event indicates that one or more capabilities have changed.
    CapabilitiesEvent {
        /// The set of updated capabilities.
        capabilities: Capabilities = "capabilities",
    }

    /// The event signals that a long running operation is about to start and provides additional
    /// information for the client to set up a corresponding progress and cancellation UI.
    ProgressStartEvent {
        /// An ID that can be used in subsequent `progressUpdate` and `progressEnd` events to make
        /// them refer to the same progress reporting.
        progress_id: String = "progressId",
        /// Short title of the progress reporting.
        title: String = "title",
        /// The request ID that this progress report is related to.
        request_id: Option<i64> = "requestId",
        /// If true, the request that reports progress may be cancelled with a `cancel` request.
        cancellable: Option<bool> = "cancellable",
        /// More detailed progress message.
        message: Option<String> = "message",
        /// Progress percentage to display.
        percentage: Option<f64> = "percentage",
    }

    /// The event signals that the progress reporting needs to be updated with a new message and/or
    /// percentage.
    ProgressUpdateEvent {
        /// The ID that was introduced in the initial `progressStart` event.
        progress_id: String = "progressId",
        /// More detailed progress message.
        message: Option<String> = "message",
        /// Progress percentage to display.
        percentage: Option<f64> = "percentage",
    }

    /// The event signals the end of the progress reporting with a final message.
    ProgressEndEvent {
        /// The ID that was introduced in the initial `ProgressStartEvent`.
        progress_id: String = "progressId",
        /// More detailed progress message.
        message: Option<String> = "message",
    }

    /// This event signals that some state in the debug adapter has changed and requires that the
    /// client needs to re-render the data snapshot previously requested.
    InvalidatedEvent {
        /// Set of logical areas that got invalidated.
        areas: Option<Vec<InvalidatedAreas>> = "areas",
        /// If specified, the client only needs to refetch data related to this thread.
        thread_id: Option<i64> = "threadId",
        /// If specified, the client only needs to refetch data related to this stack frame (and the
        /// `threadId` is ignored).
        stack_frame_id: Option<i64> = "stackFrameId",
    }

    /// This event indicates that some memory range has been updated.
    MemoryEvent {
        /// Memory reference of a memory range that has been updated.
        memory_reference: String = "memoryReference",
        /// Starting offset in bytes where memory has been updated.
        offset: i64 = "offset",
        /// Number of bytes updated.
        count: i64 = "count",
    }
}

open_enum! {
    /// Logical areas that can be invalidated by the `invalidated` event.
    InvalidatedAreas {
        /// All previously fetched data has become invalid and needs to be refetched.
        All = "all",
        /// Previously fetched stack related data has become invalid and needs to be refetched.
        Stacks = "stacks",
        /// Previously fetched thread related data has become invalid and needs to be refetched.
        Threads = "threads",
        /// Previously fetched variable data has become invalid and needs to be refetched.
        Variables = "variables",
    }
}
