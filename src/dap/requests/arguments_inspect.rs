//! Arguments of the requests that look at a stopped program or change its data.

use crate::{
    tolerant::record,
    types::{Source, StackFrameFormat, ValueFormat},
};

record! {
    /// Arguments for `pause` request.
    PauseArguments {
        /// Pause execution for this thread.
        thread_id: i64 = "threadId",
    }

    /// Arguments for `stackTrace` request.
    StackTraceArguments {
        /// Retrieve the stacktrace for this thread.
        thread_id: i64 = "threadId",
        /// The index of the first frame to return; if omitted frames start at 0.
        start_frame: Option<i64> = "startFrame",
        /// The maximum number of frames to return.
        levels: Option<i64> = "levels",
        /// Specifies details on how to format the returned `StackFrame.name`.
        format: Option<StackFrameFormat> = "format",
    }

    /// Arguments for `scopes` request.
    ScopesArguments {
        /// Retrieve the scopes for the stack frame identified by `frameId`.
        frame_id: i64 = "frameId",
    }

    /// Arguments for `variables` request.
    VariablesArguments {
        /// The variable for which to retrieve its children.
        variables_reference: i64 = "variablesReference",
        /// Filter to limit the child variables to either named or indexed.
        /// Values: `indexed`, `named`.
        filter: Option<String> = "filter",
        /// The index of the first variable to return; if omitted children start at 0.
        start: Option<i64> = "start",
        /// The number of variables to return.
        count: Option<i64> = "count",
        /// Specifies details on how to format the Variable values.
        format: Option<ValueFormat> = "format",
    }

    /// Arguments for `setVariable` request.
    SetVariableArguments {
        /// The reference of the variable container.
        variables_reference: i64 = "variablesReference",
        /// The name of the variable in the container.
        name: String = "name",
        /// The value of the variable.
        value: String = "value",
        /// Specifies details on how to format the response value.
        format: Option<ValueFormat> = "format",
    }

    /// Arguments for `source` request.
    SourceArguments {
        /// Specifies the source content to load.
        source: Option<Source> = "source",
        source_reference: i64 = "sourceReference",
    }

    /// Arguments for `terminateThreads` request.
    TerminateThreadsArguments {
        /// Ids of threads to be terminated.
        thread_ids: Option<Vec<i64>> = "threadIds",
    }

    /// Arguments for `modules` request.
    ModulesArguments {
        /// The index of the first module to return; if omitted modules start at 0.
        start_module: Option<i64> = "startModule",
        /// The number of modules to return.
        module_count: Option<i64> = "moduleCount",
    }

    /// Arguments for `evaluate` request.
    EvaluateArguments {
        /// The expression to evaluate.
        expression: String = "expression",
        /// Evaluate the expression in the scope of this stack frame.
        frame_id: Option<i64> = "frameId",
        /// The contextual line where the expression should be evaluated.
        line: Option<i64> = "line",
        /// The contextual column where the expression should be evaluated.
        column: Option<i64> = "column",
        /// The contextual source in which the `line` is found.
        source: Option<Source> = "source",
        /// The context in which the evaluate request is used.
        /// Values: `watch`, `repl`, `hover`, `clipboard`, `variables`.
        context: Option<String> = "context",
        /// Specifies details on how to format the result.
        format: Option<ValueFormat> = "format",
    }

    /// Arguments for `setExpression` request.
    SetExpressionArguments {
        /// The l-value expression to assign to.
        expression: String = "expression",
        /// The value expression to assign to the l-value expression.
        value: String = "value",
        /// Evaluate the expressions in the scope of this stack frame.
        frame_id: Option<i64> = "frameId",
        /// Specifies how the resulting value should be formatted.
        format: Option<ValueFormat> = "format",
    }

    /// Arguments for `stepInTargets` request.
    StepInTargetsArguments {
        /// The stack frame for which to retrieve the possible step-in targets.
        frame_id: i64 = "frameId",
    }

    /// Arguments for `gotoTargets` request.
    GotoTargetsArguments {
        /// The source location for which the goto targets are determined.
        source: Source = "source",
        /// The line location for which the goto targets are determined.
        line: i64 = "line",
        /// The position within `line` for which the goto targets are determined.
        column: Option<i64> = "column",
    }

    /// Arguments for `completions` request.
    CompletionsArguments {
        /// Returns completions in the scope of this stack frame.
        frame_id: Option<i64> = "frameId",
        /// One or more source lines.
        text: String = "text",
        /// The position within `text` for which to determine the completion proposals.
        column: i64 = "column",
        /// A line for which to determine the completion proposals.
        line: Option<i64> = "line",
    }

    /// Arguments for `exceptionInfo` request.
    ExceptionInfoArguments {
        /// Thread for which exception information should be retrieved.
        thread_id: i64 = "threadId",
    }

    /// Arguments for `readMemory` request.
    ReadMemoryArguments {
        /// Memory reference to the base location from which data should be read.
        memory_reference: String = "memoryReference",
        /// Offset (in bytes) to be applied to the reference location before reading data.
        offset: Option<i64> = "offset",
        /// Number of bytes to read at the specified location and offset.
        count: i64 = "count",
    }

    /// Arguments for `writeMemory` request.
    WriteMemoryArguments {
        /// Memory reference to the base location to which data should be written.
        memory_reference: String = "memoryReference",
        /// Offset (in bytes) to be applied to the reference location before writing data.
        offset: Option<i64> = "offset",
        /// Property to control partial writes.
        allow_partial: Option<bool> = "allowPartial",
        /// Bytes to write, encoded using base64.
        data: String = "data",
    }

    /// Arguments for `disassemble` request.
    DisassembleArguments {
        /// Memory reference to the base location containing the instructions to disassemble.
        memory_reference: String = "memoryReference",
        /// Offset (in bytes) to be applied to the reference location before disassembling.
        offset: Option<i64> = "offset",
        /// Offset (in instructions) to be applied after the byte offset (if any) before
        /// disassembling.
        instruction_offset: Option<i64> = "instructionOffset",
        /// Number of instructions to disassemble starting at the specified location and offset.
        instruction_count: i64 = "instructionCount",
        /// If true, the adapter should attempt to resolve memory addresses and other values to
        /// symbolic names.
        resolve_symbols: Option<bool> = "resolveSymbols",
    }

    /// Arguments for `locations` request.
    LocationsArguments {
        /// Location reference to resolve.
        location_reference: i64 = "locationReference",
    }
}
