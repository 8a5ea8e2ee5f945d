//! Breakpoints: as we ask for them, and as the adapter says they became.

use super::source::Source;
use crate::tolerant::{open_enum, record};

record! {
    /// Properties of a breakpoint or logpoint passed to the `setBreakpoints` request.
    SourceBreakpoint {
        /// The source line of the breakpoint or logpoint.
        line: i64,
        /// Start position within source line of the breakpoint or logpoint.
        column: Option<i64>,
        /// The expression for conditional breakpoints.
        condition: Option<String>,
        /// The expression that controls how many hits of the breakpoint are ignored.
        hit_condition: Option<String>,
        /// If this attribute exists and is non-empty, the debug adapter must not 'break' (stop).
        log_message: Option<String>,
        /// The mode of this breakpoint.
        mode: Option<String>,
    }

    /// Properties of a breakpoint passed to the `setFunctionBreakpoints` request.
    FunctionBreakpoint {
        /// The name of the function.
        name: String,
        /// An expression for conditional breakpoints.
        condition: Option<String>,
        /// An expression that controls how many hits of the breakpoint are ignored.
        hit_condition: Option<String>,
    }

    /// Properties of a data breakpoint passed to the `setDataBreakpoints` request.
    DataBreakpoint {
        /// An id representing the data.
        data_id: String,
        /// The access type of the data.
        access_type: Option<DataBreakpointAccessType>,
        /// An expression for conditional breakpoints.
        condition: Option<String>,
        /// An expression that controls how many hits of the breakpoint are ignored.
        hit_condition: Option<String>,
    }

    /// Properties of a breakpoint passed to the `setInstructionBreakpoints` request.
    InstructionBreakpoint {
        /// The instruction reference of the breakpoint.
        instruction_reference: String,
        /// The offset from the instruction reference in bytes.
        offset: Option<i64>,
        /// An expression for conditional breakpoints.
        condition: Option<String>,
        /// An expression that controls how many hits of the breakpoint are ignored.
        hit_condition: Option<String>,
        /// The mode of this breakpoint.
        mode: Option<String>,
    }

    /// Information about a breakpoint created in `setBreakpoints`, `setFunctionBreakpoints`,
    /// `setInstructionBreakpoints`, or `setDataBreakpoints` requests.
    Breakpoint {
        /// The identifier for the breakpoint.
        id: Option<i64>,
        /// If true, the breakpoint could be set (but not necessarily at the desired location).
        verified: bool,
        /// A message about the state of the breakpoint.
        message: Option<String>,
        /// The source where the breakpoint is located.
        source: Option<Source>,
        /// The start line of the actual range covered by the breakpoint.
        line: Option<i64>,
        /// Start position of the source range covered by the breakpoint.
        column: Option<i64>,
        /// The end line of the actual range covered by the breakpoint.
        end_line: Option<i64>,
        /// End position of the source range covered by the breakpoint.
        end_column: Option<i64>,
        /// A memory reference to where the breakpoint is set.
        instruction_reference: Option<String>,
        /// The offset from the instruction reference.
        offset: Option<i64>,
        /// A machine-readable explanation of why a breakpoint may not be verified.
        /// Values: `pending`, `failed`.
        reason: Option<String>,
    }

    /// Properties of a breakpoint location returned from the `breakpointLocations` request.
    BreakpointLocation {
        /// Start line of breakpoint location.
        line: i64,
        /// The start position of a breakpoint location.
        column: Option<i64>,
        /// The end line of breakpoint location if the location covers a range.
        end_line: Option<i64>,
        /// The end position of a breakpoint location (if the location covers a range).
        end_column: Option<i64>,
    }

    /// An `ExceptionFilterOptions` is used to specify an exception filter together with a condition
    /// for the `setExceptionBreakpoints` request.
    ExceptionFilterOptions {
        /// ID of an exception filter returned by the `exceptionBreakpointFilters` capability.
        filter_id: String,
        /// An expression for conditional exceptions.
        condition: Option<String>,
        /// The mode of this exception breakpoint.
        mode: Option<String>,
    }

    /// An `ExceptionOptions` assigns configuration options to a set of exceptions.
    ExceptionOptions {
        /// A path that selects a single or multiple exceptions in a tree.
        path: Option<Vec<ExceptionPathSegment>>,
        /// Condition when a thrown exception should result in a break.
        break_mode: ExceptionBreakMode,
    }

    /// An `ExceptionPathSegment` represents a segment in a path that is used to match leafs or
    /// nodes in a tree of exceptions.
    ExceptionPathSegment {
        /// If false or missing this segment matches the names provided, otherwise it matches
        /// anything except the names provided.
        negate: Option<bool>,
        /// Depending on the value of `negate` the names that should match or not match.
        names: Vec<String>,
    }
}

open_enum! {
    /// This enumeration defines all possible access types for data breakpoints.
    DataBreakpointAccessType {
        /// `read`.
        Read,
        /// `write`.
        Write,
        /// `readWrite`.
        ReadWrite,
    }

    /// This enumeration defines all possible conditions when a thrown exception should result in a
    /// break.
    ExceptionBreakMode {
        /// `never`.
        Never,
        /// `always`.
        Always,
        /// `unhandled`.
        Unhandled,
        /// `userUnhandled`.
        UserUnhandled,
    }
}
