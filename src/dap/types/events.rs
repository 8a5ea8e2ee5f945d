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
        reason: String,
        /// The full reason for the event, e.g. 'Paused on exception'.
        description: Option<String>,
        /// The thread which was stopped.
        thread_id: Option<i64>,
        /// A value of true hints to the client that this event should not change the focus.
        preserve_focus_hint: Option<bool>,
        /// Additional information.
        text: Option<String>,
        /// If `allThreadsStopped` is true, a debug adapter can announce that all threads have
        /// stopped.
        all_threads_stopped: Option<bool>,
        /// Ids of the breakpoints that triggered the event.
        hit_breakpoint_ids: Option<Vec<i64>>,
    }

    /// The event indicates that the execution of the debuggee has continued.
    ContinuedEvent {
        /// The thread which was continued.
        thread_id: Option<i64>,
        /// If omitted or set to `true`, this event signals to the client that all threads have been
        /// resumed.
        all_threads_continued: Option<bool>,
    }

    /// The event indicates that the debuggee has exited and returns its exit code.
    ExitedEvent {
        /// The exit code returned from the debuggee.
        exit_code: i64,
    }

    /// The event indicates that debugging of the debuggee has terminated.
    TerminatedEvent {
        /// A debug adapter may set `restart` to true (or to an arbitrary object) to request that
        /// the client restarts the session.
        restart: Option<Value>,
    }

    /// The event indicates that a thread has started or exited.
    ThreadEvent {
        /// The reason for the event.
        /// Values: `started`, `exited`.
        reason: String,
        /// The identifier of the thread.
        thread_id: i64,
    }

    /// The event indicates that the target has produced some output.
    OutputEvent {
        /// The output category.
        /// Values: `console`, `important`, `stdout`, `stderr`, `telemetry`.
        category: Option<String>,
        /// The output to report.
        output: String,
        /// Support for keeping an output log organized by grouping related messages.
        /// Values: `start`, `startCollapsed`, `end`.
        group: Option<String>,
        /// If an attribute `variablesReference` exists and its value is > 0, the output contains
        /// objects which can be retrieved by passing `variablesReference` to the `variables`
        /// request as long as execution remains suspended.
        variables_reference: Option<i64>,
        /// The source location where the output was produced.
        source: Option<Source>,
        /// The source location's line where the output was produced.
        line: Option<i64>,
        /// The position in `line` where the output was produced.
        column: Option<i64>,
        /// Additional data to report.
        data: Option<Value>,
        /// A reference that allows the client to request the location where the new value is
        /// declared.
        location_reference: Option<i64>,
    }

    /// The event indicates that some information about a breakpoint has changed.
    BreakpointEvent {
        /// The reason for the event.
        /// Values: `changed`, `new`, `removed`.
        reason: String,
        /// The `id` attribute is used to find the target breakpoint, the other attributes are used
        /// as the new values.
        breakpoint: Breakpoint,
    }

    /// The event indicates that some information about a module has changed.
    ModuleEvent {
        /// The reason for the event.
        /// Values: `new`, `changed`, `removed`.
        reason: String,
        /// The new, changed, or removed module.
        module: Module,
    }

    /// The event indicates that some source has been added, changed, or removed from the set of all
    /// loaded sources.
    LoadedSourceEvent {
        /// The reason for the event.
        /// Values: `new`, `changed`, `removed`.
        reason: String,
        /// The new, changed, or removed source.
        source: Source,
    }

    /// The event indicates that the debugger has begun debugging a new process.
    ProcessEvent {
        /// The logical name of the process.
        name: String,
        /// The process ID of the debugged process, as assigned by the operating system.
        system_process_id: Option<i64>,
        /// If true, the process is running on the same computer as the debug adapter.
        is_local_process: Option<bool>,
        /// Describes how the debug engine started debugging this process.
        /// Values: `launch`, `attach`, `attachForSuspendedLaunch`.
        start_method: Option<String>,
        /// The size of a pointer or address for this process, in bits.
        pointer_size: Option<i64>,
    }

    /// The event indicates that one or more capabilities have changed.
    CapabilitiesEvent {
        /// The set of updated capabilities.
        capabilities: Capabilities,
    }

    /// The event signals that a long running operation is about to start and provides additional
    /// information for the client to set up a corresponding progress and cancellation UI.
    ProgressStartEvent {
        /// An ID that can be used in subsequent `progressUpdate` and `progressEnd` events to make
        /// them refer to the same progress reporting.
        progress_id: String,
        /// Short title of the progress reporting.
        title: String,
        /// The request ID that this progress report is related to.
        request_id: Option<i64>,
        /// If true, the request that reports progress may be cancelled with a `cancel` request.
        cancellable: Option<bool>,
        /// More detailed progress message.
        message: Option<String>,
        /// Progress percentage to display.
        percentage: Option<f64>,
    }

    /// The event signals that the progress reporting needs to be updated with a new message and/or
    /// percentage.
    ProgressUpdateEvent {
        /// The ID that was introduced in the initial `progressStart` event.
        progress_id: String,
        /// More detailed progress message.
        message: Option<String>,
        /// Progress percentage to display.
        percentage: Option<f64>,
    }

    /// The event signals the end of the progress reporting with a final message.
    ProgressEndEvent {
        /// The ID that was introduced in the initial `ProgressStartEvent`.
        progress_id: String,
        /// More detailed progress message.
        message: Option<String>,
    }

    /// This event signals that some state in the debug adapter has changed and requires that the
    /// client needs to re-render the data snapshot previously requested.
    InvalidatedEvent {
        /// Set of logical areas that got invalidated.
        areas: Option<Vec<InvalidatedAreas>>,
        /// If specified, the client only needs to refetch data related to this thread.
        thread_id: Option<i64>,
        /// If specified, the client only needs to refetch data related to this stack frame (and the
        /// `threadId` is ignored).
        stack_frame_id: Option<i64>,
    }

    /// This event indicates that some memory range has been updated.
    MemoryEvent {
        /// Memory reference of a memory range that has been updated.
        memory_reference: String,
        /// Starting offset in bytes where memory has been updated.
        offset: i64,
        /// Number of bytes updated.
        count: i64,
    }
}

open_enum! {
    /// Logical areas that can be invalidated by the `invalidated` event.
    InvalidatedAreas {
        /// All previously fetched data has become invalid and needs to be refetched.
        All,
        /// Previously fetched stack related data has become invalid and needs to be refetched.
        Stacks,
        /// Previously fetched thread related data has become invalid and needs to be refetched.
        Threads,
        /// Previously fetched variable data has become invalid and needs to be refetched.
        Variables,
    }
}
