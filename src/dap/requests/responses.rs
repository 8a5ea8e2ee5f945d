//! Bodies of the successful responses that have one.

use crate::{
    tolerant::record,
    types::{
        Breakpoint, BreakpointLocation, CompletionItem, DataBreakpointAccessType,
        DisassembledInstruction, ExceptionBreakMode, ExceptionDetails, GotoTarget, Module, Scope,
        Source, StackFrame, StepInTarget, Thread, Variable, VariablePresentationHint,
    },
};

record! {
    /// Response to `breakpointLocations` request.
    BreakpointLocationsResponse {
        /// Sorted set of possible breakpoint locations.
        breakpoints: Vec<BreakpointLocation>,
    }

    /// Response to `setBreakpoints` request.
    SetBreakpointsResponse {
        /// Information about the breakpoints.
        breakpoints: Vec<Breakpoint>,
    }

    /// Response to `setExceptionBreakpoints` request.
    SetExceptionBreakpointsResponse {
        /// Information about the exception breakpoints or filters.
        breakpoints: Option<Vec<Breakpoint>>,
    }

    /// Response to `dataBreakpointInfo` request.
    DataBreakpointInfoResponse {
        /// An identifier for the data on which a data breakpoint can be registered with the
        /// `setDataBreakpoints` request or null if no data breakpoint is available.
        data_id: Option<String>,
        /// UI string that describes on what data the breakpoint is set on or why a data breakpoint
        /// is not available.
        description: String,
        /// Attribute lists the available access types for a potential data breakpoint.
        access_types: Option<Vec<DataBreakpointAccessType>>,
        /// Attribute indicates that a potential data breakpoint could be persisted across sessions.
        can_persist: Option<bool>,
    }

    /// Response to `continue` request.
    ContinueResponse {
        /// If omitted or set to `true`, this response signals to the client that all threads have
        /// been resumed.
        all_threads_continued: Option<bool>,
    }

    /// Response to `stackTrace` request.
    StackTraceResponse {
        /// The frames of the stack frame.
        stack_frames: Vec<StackFrame>,
        /// The total number of frames available in the stack.
        total_frames: Option<i64>,
    }

    /// Response to `scopes` request.
    ScopesResponse {
        /// The scopes of the stack frame.
        scopes: Vec<Scope>,
    }

    /// Response to `variables` request.
    VariablesResponse {
        /// All (or a range) of variables for the given variable reference.
        variables: Vec<Variable>,
    }

    /// Response to `source` request.
    SourceResponse {
        /// Content of the source reference.
        content: String,
        /// Content type (MIME type) of the source.
        mime_type: Option<String>,
    }

    /// Response to `threads` request.
    ThreadsResponse {
        threads: Vec<Thread>,
    }

    /// Response to `modules` request.
    ModulesResponse {
        /// All modules or range of modules.
        modules: Vec<Module>,
        /// The total number of modules available.
        total_modules: Option<i64>,
    }

    /// Response to `loadedSources` request.
    LoadedSourcesResponse {
        /// Set of loaded sources.
        sources: Vec<Source>,
    }

    /// Response to `evaluate` request.
    EvaluateResponse {
        /// The result of the evaluate request: all of it, for the one who may want all.
        result: String,
        /// The type of the evaluate result.
        type_: Option<String>,
        /// Properties of an evaluate result that can be used to determine how to render the result
        /// in the UI.
        presentation_hint: Option<VariablePresentationHint>,
        /// If `variablesReference` is > 0, the evaluate result is structured and its children can
        /// be retrieved by passing `variablesReference` to the `variables` request as long as
        /// execution remains suspended.
        variables_reference: i64,
        /// The number of named child variables.
        named_variables: Option<i64>,
        /// The number of indexed child variables.
        indexed_variables: Option<i64>,
        /// A memory reference to a location appropriate for this result.
        memory_reference: Option<String>,
        /// A reference that allows the client to request the location where the returned value is
        /// declared.
        value_location_reference: Option<i64>,
        /// What it shows in one line where `result` does not say it: made by us and no property of the protocol.
        preview: Option<String>,
    }

    /// Response to `setExpression` request.
    SetExpressionResponse {
        /// The new value of the expression.
        value: String = "value" | "result" by read_value,
        /// The type of the value.
        type_: Option<String>,
        /// Properties of a value that can be used to determine how to render the result in the UI.
        presentation_hint: Option<VariablePresentationHint>,
        /// If `variablesReference` is > 0, the evaluate result is structured and its children can
        /// be retrieved by passing `variablesReference` to the `variables` request as long as
        /// execution remains suspended.
        variables_reference: Option<i64>,
        /// The number of named child variables.
        named_variables: Option<i64>,
        /// The number of indexed child variables.
        indexed_variables: Option<i64>,
        /// A memory reference to a location appropriate for this result.
        memory_reference: Option<String>,
        /// A reference that allows the client to request the location where the new value is
        /// declared.
        value_location_reference: Option<i64>,
    }

    /// Response to `stepInTargets` request.
    StepInTargetsResponse {
        /// The possible step-in targets of the specified source location.
        targets: Vec<StepInTarget>,
    }

    /// Response to `gotoTargets` request.
    GotoTargetsResponse {
        /// The possible goto targets of the specified location.
        targets: Vec<GotoTarget>,
    }

    /// Response to `completions` request.
    CompletionsResponse {
        /// The possible completions for .
        targets: Vec<CompletionItem>,
    }

    /// Response to `exceptionInfo` request.
    ExceptionInfoResponse {
        /// ID of the exception that was thrown.
        exception_id: String,
        /// Descriptive text for the exception.
        description: Option<String>,
        /// Mode that caused the exception notification to be raised.
        break_mode: ExceptionBreakMode,
        /// Detailed information about the exception.
        details: Option<ExceptionDetails>,
    }

    /// Response to `readMemory` request.
    ReadMemoryResponse {
        /// The address of the first byte of data returned.
        address: String,
        /// The number of unreadable bytes encountered after the last successfully read byte.
        unreadable_bytes: Option<i64>,
        /// The bytes read from memory, encoded using base64.
        data: Option<String>,
    }

    /// Response to `writeMemory` request.
    WriteMemoryResponse {
        /// Property that should be returned when `allowPartial` is true to indicate the offset of
        /// the first byte of data successfully written.
        offset: Option<i64>,
        /// Property that should be returned when `allowPartial` is true to indicate the number of
        /// bytes starting from address that were successfully written.
        bytes_written: Option<i64>,
    }

    /// Response to `disassemble` request.
    DisassembleResponse {
        /// The list of disassembled instructions.
        instructions: Vec<DisassembledInstruction>,
    }

    /// Response to `locations` request.
    LocationsResponse {
        /// The source containing the location; either `source.path` or `source.sourceReference`
        /// must be specified.
        source: Source,
        /// The line number of the location.
        line: i64,
        /// Position of the location within the `line`.
        column: Option<i64>,
        /// End line of the location, present if the location refers to a range.
        end_line: Option<i64>,
        /// End position of the location within `endLine`, present if the location refers to a
        /// range.
        end_column: Option<i64>,
    }
}
