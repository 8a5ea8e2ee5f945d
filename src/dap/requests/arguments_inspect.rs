//! Arguments of the requests that look at a stopped program or change its data.

use crate::{
    tolerant::record,
    types::{Source, StackFrameFormat, ValueFormat},
};

record! {
    /// Arguments for `pause` request.
    PauseArguments {
        /// Pause execution for this thread.
        thread_id: i64,
    }

    /// Arguments for `stackTrace` request.
    StackTraceArguments {
        /// Retrieve the stacktrace for this thread.
        thread_id: i64,
        /// The index of the first frame to return; if omitted frames start at 0.
        start_frame: Option<i64>,
        /// The maximum number of frames to return.
        levels: Option<i64>,
        /// Specifies details on how to format the returned `StackFrame.name`.
        format: Option<StackFrameFormat>,
    }

    /// Arguments for `scopes` request.
    ScopesArguments {
        /// Retrieve the scopes for the stack frame identified by `frameId`.
        frame_id: i64,
    }

    /// Arguments for `variables` request.
    VariablesArguments {
        /// The variable for which to retrieve its children.
        variables_reference: i64,
        /// Filter to limit the child variables to either named or indexed.
        /// Values: `indexed`, `named`.
        filter: Option<String>,
        /// The index of the first variable to return; if omitted children start at 0.
        start: Option<i64>,
        /// The number of variables to return.
        count: Option<i64>,
        /// Specifies details on how to format the Variable values.
        format: Option<ValueFormat>,
    }

    /// Arguments for `setVariable` request.
    SetVariableArguments {
        /// The reference of the variable container.
        variables_reference: i64,
        /// The name of the variable in the container.
        name: String,
        /// The value of the variable.
        value: String,
        /// Specifies details on how to format the response value.
        format: Option<ValueFormat>,
    }

    /// Arguments for `source` request.
    SourceArguments {
        /// Specifies the source content to load.
        source: Option<Source>,
        source_reference: i64,
    }

    /// Arguments for `terminateThreads` request.
    TerminateThreadsArguments {
        /// Ids of threads to be terminated.
        thread_ids: Option<Vec<i64>>,
    }

    /// Arguments for `modules` request.
    ModulesArguments {
        /// The index of the first module to return; if omitted modules start at 0.
        start_module: Option<i64>,
        /// The number of modules to return.
        module_count: Option<i64>,
    }

    /// Arguments for `evaluate` request.
    EvaluateArguments {
        /// The expression to evaluate.
        expression: String,
        /// Evaluate the expression in the scope of this stack frame.
        frame_id: Option<i64>,
        /// The contextual line where the expression should be evaluated.
        line: Option<i64>,
        /// The contextual column where the expression should be evaluated.
        column: Option<i64>,
        /// The contextual source in which the `line` is found.
        source: Option<Source>,
        /// The context in which the evaluate request is used.
        /// Values: `watch`, `repl`, `hover`, `clipboard`, `variables`.
        context: Option<String>,
        /// Specifies details on how to format the result.
        format: Option<ValueFormat>,
    }

    /// Arguments for `setExpression` request.
    SetExpressionArguments {
        /// The l-value expression to assign to.
        expression: String,
        /// The value expression to assign to the l-value expression.
        value: String,
        /// Evaluate the expressions in the scope of this stack frame.
        frame_id: Option<i64>,
        /// Specifies how the resulting value should be formatted.
        format: Option<ValueFormat>,
    }

    /// Arguments for `stepInTargets` request.
    StepInTargetsArguments {
        /// The stack frame for which to retrieve the possible step-in targets.
        frame_id: i64,
    }

    /// Arguments for `gotoTargets` request.
    GotoTargetsArguments {
        /// The source location for which the goto targets are determined.
        source: Source,
        /// The line location for which the goto targets are determined.
        line: i64,
        /// The position within `line` for which the goto targets are determined.
        column: Option<i64>,
    }

    /// Arguments for `completions` request.
    CompletionsArguments {
        /// Returns completions in the scope of this stack frame.
        frame_id: Option<i64>,
        /// One or more source lines.
        text: String,
        /// The position within `text` for which to determine the completion proposals.
        column: i64,
        /// A line for which to determine the completion proposals.
        line: Option<i64>,
    }

    /// Arguments for `exceptionInfo` request.
    ExceptionInfoArguments {
        /// Thread for which exception information should be retrieved.
        thread_id: i64,
    }

    /// Arguments for `readMemory` request.
    ReadMemoryArguments {
        /// Memory reference to the base location from which data should be read.
        memory_reference: String,
        /// Offset (in bytes) to be applied to the reference location before reading data.
        offset: Option<i64>,
        /// Number of bytes to read at the specified location and offset.
        count: i64,
    }

    /// Arguments for `writeMemory` request.
    WriteMemoryArguments {
        /// Memory reference to the base location to which data should be written.
        memory_reference: String,
        /// Offset (in bytes) to be applied to the reference location before writing data.
        offset: Option<i64>,
        /// Property to control partial writes.
        allow_partial: Option<bool>,
        /// Bytes to write, encoded using base64.
        data: String,
    }

    /// Arguments for `disassemble` request.
    DisassembleArguments {
        /// Memory reference to the base location containing the instructions to disassemble.
        memory_reference: String,
        /// Offset (in bytes) to be applied to the reference location before disassembling.
        offset: Option<i64>,
        /// Offset (in instructions) to be applied after the byte offset (if any) before
        /// disassembling.
        instruction_offset: Option<i64>,
        /// Number of instructions to disassemble starting at the specified location and offset.
        instruction_count: i64,
        /// If true, the adapter should attempt to resolve memory addresses and other values to
        /// symbolic names.
        resolve_symbols: Option<bool>,
    }

    /// Arguments for `locations` request.
    LocationsArguments {
        /// Location reference to resolve.
        location_reference: i64,
    }
}
