//! Where the program is: threads, frames, scopes, targets of jumps and steps, instructions, exceptions.

use super::source::Source;
use crate::tolerant::{Id, open_enum, record};

record! {
    Thread {
        /// Unique identifier for the thread.
        id: i64 = "id",
        /// The name of the thread.
        name: String = "name",
    }

    /// A Stackframe contains the source location.
    StackFrame {
        /// An identifier for the stack frame.
        id: i64 = "id",
        /// The name of the stack frame, typically a method name.
        name: String = "name",
        /// The source of the frame.
        source: Option<Source> = "source",
        /// The line within the source of the frame.
        line: i64 = "line",
        /// Start position of the range covered by the stack frame.
        column: i64 = "column",
        /// The end line of the range covered by the stack frame.
        end_line: Option<i64> = "endLine",
        /// End position of the range covered by the stack frame.
        end_column: Option<i64> = "endColumn",
        /// Indicates whether this frame can be restarted with the `restartFrame` request.
        can_restart: Option<bool> = "canRestart",
        /// A memory reference for the current instruction pointer in this frame.
        instruction_pointer_reference: Option<String> = "instructionPointerReference",
        /// The module associated with this frame, if any.
        module_id: Option<Id> = "moduleId",
        /// A hint for how to present this frame in the UI.
        /// Values: `normal`, `label`, `subtle`.
        presentation_hint: Option<String> = "presentationHint",
    }

    /// Provides formatting information for a stack frame.
    StackFrameFormat {
        /// Display the value in hex.
        hex: Option<bool> = "hex",
        /// Displays parameters for the stack frame.
        parameters: Option<bool> = "parameters",
        /// Displays the types of parameters for the stack frame.
        parameter_types: Option<bool> = "parameterTypes",
        /// Displays the names of parameters for the stack frame.
        parameter_names: Option<bool> = "parameterNames",
        /// Displays the values of parameters for the stack frame.
        parameter_values: Option<bool> = "parameterValues",
        /// Displays the line number of the stack frame.
        line: Option<bool> = "line",
        /// Displays the module of the stack frame.
        module: Option<bool> = "module",
        /// Includes all stack frames, including those the debug adapter might otherwise hide.
        include_all: Option<bool> = "includeAll",
    }

    /// A `Scope` is a named container for variables.
    Scope {
        /// Name of the scope such as 'Arguments', 'Locals', or 'Registers'.
        name: String = "name",
        /// A hint for how to present this scope in the UI.
        /// Values: `arguments`, `locals`, `registers`, `returnValue`.
        presentation_hint: Option<String> = "presentationHint",
        /// The variables of this scope can be retrieved by passing the value of
        /// `variablesReference` to the `variables` request as long as execution remains suspended.
        variables_reference: i64 = "variablesReference",
        /// The number of named variables in this scope.
        named_variables: Option<i64> = "namedVariables",
        /// The number of indexed variables in this scope.
        indexed_variables: Option<i64> = "indexedVariables",
        /// If true, the number of variables in this scope is large or expensive to retrieve.
        expensive: bool = "expensive",
        /// The source for this scope.
        source: Option<Source> = "source",
        /// The start line of the range covered by this scope.
        line: Option<i64> = "line",
        /// Start position of the range covered by the scope.
        column: Option<i64> = "column",
        /// The end line of the range covered by this scope.
        end_line: Option<i64> = "endLine",
        /// End position of the range covered by the scope.
        end_column: Option<i64> = "endColumn",
    }

    /// A `StepInTarget` can be used in the `stepIn` request and determines into which single target
    /// the `stepIn` request should step.
    StepInTarget {
        /// Unique identifier for a step-in target.
        id: i64 = "id",
        /// The name of the step-in target (shown in the UI).
        label: String = "label",
        /// The line of the step-in target.
        line: Option<i64> = "line",
        /// Start position of the range covered by the step in target.
        column: Option<i64> = "column",
        /// The end line of the range covered by the step-in target.
        end_line: Option<i64> = "endLine",
        /// End position of the range covered by the step in target.
        end_column: Option<i64> = "endColumn",
    }

    /// A `GotoTarget` describes a code location that can be used as a target in the `goto` request.
    GotoTarget {
        /// Unique identifier for a goto target.
        id: i64 = "id",
        /// The name of the goto target (shown in the UI).
        label: String = "label",
        /// The line of the goto target.
        line: i64 = "line",
        /// The column of the goto target.
        column: Option<i64> = "column",
        /// The end line of the range covered by the goto target.
        end_line: Option<i64> = "endLine",
        /// The end column of the range covered by the goto target.
        end_column: Option<i64> = "endColumn",
        /// A memory reference for the instruction pointer value represented by this target.
        instruction_pointer_reference: Option<String> = "instructionPointerReference",
    }

    /// Represents a single disassembled instruction.
    DisassembledInstruction {
        /// The address of the instruction.
        address: String = "address",
        /// Raw bytes representing the instruction and its operands, in an implementation-defined
        /// format.
        instruction_bytes: Option<String> = "instructionBytes",
        /// Text representing the instruction and its operands, in an implementation-defined format.
        instruction: String = "instruction",
        /// Name of the symbol that corresponds with the location of this instruction, if any.
        symbol: Option<String> = "symbol",
        /// Source location that corresponds to this instruction, if any.
        location: Option<Source> = "location",
        /// The line within the source location that corresponds to this instruction, if any.
        line: Option<i64> = "line",
        /// The column within the line that corresponds to this instruction, if any.
        column: Option<i64> = "column",
        /// The end line of the range that corresponds to this instruction, if any.
        end_line: Option<i64> = "endLine",
        /// The end column of the range that corresponds to this instruction, if any.
        end_column: Option<i64> = "endColumn",
        /// A hint for how to present the instruction in the UI.
        /// Values: `normal`, `invalid`.
        presentation_hint: Option<String> = "presentationHint",
    }

    /// Detailed information about an exception that has occurred.
    ExceptionDetails {
        /// Message contained in the exception.
        message: Option<String> = "message",
        /// Short type name of the exception object.
        type_name: Option<String> = "typeName",
        /// Fully-qualified type name of the exception object.
        full_type_name: Option<String> = "fullTypeName",
        /// An expression that can be evaluated in the current scope to obtain the exception object.
        evaluate_name: Option<String> = "evaluateName",
        /// Stack trace at the time the exception was thrown.
        stack_trace: Option<String> = "stackTrace",
        /// Details of the exception contained by this exception, if any.
        inner_exception: Option<Vec<ExceptionDetails>> = "innerException",
    }
}

open_enum! {
    /// The granularity of one 'step' in the stepping requests `next`, `stepIn`, `stepOut`, and
    /// `stepBack`.
    SteppingGranularity {
        /// The step should allow the program to run until the current statement has finished
        /// executing.
        Statement = "statement",
        /// The step should allow the program to run until the current source line has executed.
        Line = "line",
        /// The step should allow one instruction to execute (e.g. one x86 instruction).
        Instruction = "instruction",
    }
}

impl StackFrame {
    /// The file that it is in.
    pub fn path(&self) -> Option<&str> {
        self.source.as_ref()?.path.as_deref()
    }

    /// What its source is called: the file, or else the name that its adapter has for it.
    pub fn file(&self) -> Option<&str> {
        let source = self.source.as_ref()?;
        source.path.as_deref().or(source.name.as_deref())
    }
}
