//! Where the program is: threads, frames, scopes, targets of jumps and steps, instructions, exceptions.

use super::source::Source;
use crate::tolerant::{Id, open_enum, record};

record! {
    Thread {
        /// Unique identifier for the thread.
        id: i64,
        /// The name of the thread.
        name: String,
    }

    /// A Stackframe contains the source location.
    StackFrame {
        /// An identifier for the stack frame.
        id: i64,
        /// The name of the stack frame, typically a method name.
        name: String,
        /// The source of the frame.
        source: Option<Source>,
        /// The line within the source of the frame.
        line: i64,
        /// Start position of the range covered by the stack frame.
        column: i64,
        /// The end line of the range covered by the stack frame.
        end_line: Option<i64>,
        /// End position of the range covered by the stack frame.
        end_column: Option<i64>,
        /// Indicates whether this frame can be restarted with the `restartFrame` request.
        can_restart: Option<bool>,
        /// A memory reference for the current instruction pointer in this frame.
        instruction_pointer_reference: Option<String>,
        /// The module associated with this frame, if any.
        module_id: Option<Id>,
        /// A hint for how to present this frame in the UI.
        /// Values: `normal`, `label`, `subtle`.
        presentation_hint: Option<String>,
    }

    /// Provides formatting information for a stack frame.
    StackFrameFormat {
        /// Display the value in hex.
        hex: Option<bool>,
        /// Displays parameters for the stack frame.
        parameters: Option<bool>,
        /// Displays the types of parameters for the stack frame.
        parameter_types: Option<bool>,
        /// Displays the names of parameters for the stack frame.
        parameter_names: Option<bool>,
        /// Displays the values of parameters for the stack frame.
        parameter_values: Option<bool>,
        /// Displays the line number of the stack frame.
        line: Option<bool>,
        /// Displays the module of the stack frame.
        module: Option<bool>,
        /// Includes all stack frames, including those the debug adapter might otherwise hide.
        include_all: Option<bool>,
    }

    /// A `Scope` is a named container for variables.
    Scope {
        /// Name of the scope such as 'Arguments', 'Locals', or 'Registers'.
        name: String,
        /// A hint for how to present this scope in the UI.
        /// Values: `arguments`, `locals`, `registers`, `returnValue`.
        presentation_hint: Option<String>,
        /// The variables of this scope can be retrieved by passing the value of
        /// `variablesReference` to the `variables` request as long as execution remains suspended.
        variables_reference: i64,
        /// The number of named variables in this scope.
        named_variables: Option<i64>,
        /// The number of indexed variables in this scope.
        indexed_variables: Option<i64>,
        /// If true, the number of variables in this scope is large or expensive to retrieve.
        expensive: bool,
        /// The source for this scope.
        source: Option<Source>,
        /// The start line of the range covered by this scope.
        line: Option<i64>,
        /// Start position of the range covered by the scope.
        column: Option<i64>,
        /// The end line of the range covered by this scope.
        end_line: Option<i64>,
        /// End position of the range covered by the scope.
        end_column: Option<i64>,
    }

    /// A `StepInTarget` can be used in the `stepIn` request and determines into which single target
    /// the `stepIn` request should step.
    StepInTarget {
        /// Unique identifier for a step-in target.
        id: i64,
        /// The name of the step-in target (shown in the UI).
        label: String,
        /// The line of the step-in target.
        line: Option<i64>,
        /// Start position of the range covered by the step in target.
        column: Option<i64>,
        /// The end line of the range covered by the step-in target.
        end_line: Option<i64>,
        /// End position of the range covered by the step in target.
        end_column: Option<i64>,
    }

    /// A `GotoTarget` describes a code location that can be used as a target in the `goto` request.
    GotoTarget {
        /// Unique identifier for a goto target.
        id: i64,
        /// The name of the goto target (shown in the UI).
        label: String,
        /// The line of the goto target.
        line: i64,
        /// The column of the goto target.
        column: Option<i64>,
        /// The end line of the range covered by the goto target.
        end_line: Option<i64>,
        /// The end column of the range covered by the goto target.
        end_column: Option<i64>,
        /// A memory reference for the instruction pointer value represented by this target.
        instruction_pointer_reference: Option<String>,
    }

    /// Represents a single disassembled instruction.
    DisassembledInstruction {
        /// The address of the instruction.
        address: String,
        /// Raw bytes representing the instruction and its operands, in an implementation-defined
        /// format.
        instruction_bytes: Option<String>,
        /// Text representing the instruction and its operands, in an implementation-defined format.
        instruction: String,
        /// Name of the symbol that corresponds with the location of this instruction, if any.
        symbol: Option<String>,
        /// Source location that corresponds to this instruction, if any.
        location: Option<Source>,
        /// The line within the source location that corresponds to this instruction, if any.
        line: Option<i64>,
        /// The column within the line that corresponds to this instruction, if any.
        column: Option<i64>,
        /// The end line of the range that corresponds to this instruction, if any.
        end_line: Option<i64>,
        /// The end column of the range that corresponds to this instruction, if any.
        end_column: Option<i64>,
        /// A hint for how to present the instruction in the UI.
        /// Values: `normal`, `invalid`.
        presentation_hint: Option<String>,
    }

    /// Detailed information about an exception that has occurred.
    ExceptionDetails {
        /// Message contained in the exception.
        message: Option<String>,
        /// Short type name of the exception object.
        type_name: Option<String>,
        /// Fully-qualified type name of the exception object.
        full_type_name: Option<String>,
        /// An expression that can be evaluated in the current scope to obtain the exception object.
        evaluate_name: Option<String>,
        /// Stack trace at the time the exception was thrown.
        stack_trace: Option<String>,
        /// Details of the exception contained by this exception, if any.
        inner_exception: Option<Vec<ExceptionDetails>>,
    }
}

open_enum! {
    /// The granularity of one 'step' in the stepping requests `next`, `stepIn`, `stepOut`, and
    /// `stepBack`.
    SteppingGranularity {
        /// The step should allow the program to run until the current statement has finished
        /// executing.
        Statement,
        /// The step should allow the program to run until the current source line has executed.
        Line,
        /// The step should allow one instruction to execute (e.g. one x86 instruction).
        Instruction,
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
