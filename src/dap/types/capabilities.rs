//! What an adapter can do, and the modes and columns it names while saying so.
//!
//! A capability that is absent is `false` or empty, as the protocol defines it, so these fields are plain values and
//! not options. What was literally declared, unknown names included, stays readable in [`Capabilities::declared`].

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

use super::source::ChecksumAlgorithm;
use crate::tolerant::{Record, Tolerant, open_enum, read_field, record};

macro_rules! capabilities {
    ($(#[$meta:meta])* $name:ident { $(
        $(#[$field_meta:meta])* $field:ident: $type:ty $(= $key:literal)?,
    )* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// Everything as it was declared, by its name on the wire; also what the protocol does not know.
            pub declared: Map<String, Value>,
        }

        record!(@read $name { $( $field $(= $key)?, )* });
    };
}

capabilities! {
    /// Information about the capabilities of a debug adapter.
    Capabilities {
        /// The debug adapter supports the `configurationDone` request.
        supports_configuration_done_request: bool,
        /// The debug adapter supports function breakpoints.
        supports_function_breakpoints: bool,
        /// The debug adapter supports conditional breakpoints.
        supports_conditional_breakpoints: bool,
        /// The debug adapter supports breakpoints that break execution after a specified number of
        /// hits.
        supports_hit_conditional_breakpoints: bool,
        /// The debug adapter supports a (side effect free) `evaluate` request for data hovers.
        supports_evaluate_for_hovers: bool,
        /// Available exception filter options for the `setExceptionBreakpoints` request.
        exception_breakpoint_filters: Vec<ExceptionBreakpointsFilter>,
        /// The debug adapter supports stepping back via the `stepBack` and `reverseContinue`
        /// requests.
        supports_step_back: bool,
        /// The debug adapter supports setting a variable to a value.
        supports_set_variable: bool,
        /// The debug adapter supports restarting a frame.
        supports_restart_frame: bool,
        /// The debug adapter supports the `gotoTargets` request.
        supports_goto_targets_request: bool,
        /// The debug adapter supports the `stepInTargets` request.
        supports_step_in_targets_request: bool,
        /// The debug adapter supports the `completions` request.
        supports_completions_request: bool,
        /// The set of characters that should automatically trigger a completion request in a REPL.
        completion_trigger_characters: Vec<String>,
        /// The debug adapter supports the `modules` request.
        supports_modules_request: bool,
        /// The set of additional module information exposed by the debug adapter.
        additional_module_columns: Vec<ColumnDescriptor>,
        /// Checksum algorithms supported by the debug adapter.
        supported_checksum_algorithms: Vec<ChecksumAlgorithm>,
        /// The debug adapter supports the `restart` request.
        supports_restart_request: bool,
        /// The debug adapter supports `exceptionOptions` on the `setExceptionBreakpoints` request.
        supports_exception_options: bool,
        /// The debug adapter supports a `format` attribute on the `stackTrace`, `variables`, and
        /// `evaluate` requests.
        supports_value_formatting_options: bool,
        /// The debug adapter supports the `exceptionInfo` request.
        supports_exception_info_request: bool,
        /// The debug adapter supports the `terminateDebuggee` attribute on the `disconnect`
        /// request.
        support_terminate_debuggee: bool,
        /// The debug adapter supports the `suspendDebuggee` attribute on the `disconnect` request.
        support_suspend_debuggee: bool,
        /// The debug adapter supports the delayed loading of parts of the stack, which requires
        /// that both the `startFrame` and `levels` arguments and the `totalFrames` result of the
        /// `stackTrace` request are supported.
        supports_delayed_stack_trace_loading: bool,
        /// The debug adapter supports the `loadedSources` request.
        supports_loaded_sources_request: bool,
        /// The debug adapter supports log points by interpreting the `logMessage` attribute of the
        /// `SourceBreakpoint`.
        supports_log_points: bool,
        /// The debug adapter supports the `terminateThreads` request.
        supports_terminate_threads_request: bool,
        /// The debug adapter supports the `setExpression` request.
        supports_set_expression: bool,
        /// The debug adapter supports the `terminate` request.
        supports_terminate_request: bool,
        /// The debug adapter supports data breakpoints.
        supports_data_breakpoints: bool,
        /// The debug adapter supports the `readMemory` request.
        supports_read_memory_request: bool,
        /// The debug adapter supports the `writeMemory` request.
        supports_write_memory_request: bool,
        /// The debug adapter supports the `disassemble` request.
        supports_disassemble_request: bool,
        /// The debug adapter supports the `cancel` request.
        supports_cancel_request: bool,
        /// The debug adapter supports the `breakpointLocations` request.
        supports_breakpoint_locations_request: bool,
        /// The debug adapter supports the `clipboard` context value in the `evaluate` request.
        supports_clipboard_context: bool,
        /// The debug adapter supports stepping granularities (argument `granularity`) for the
        /// stepping requests.
        supports_stepping_granularity: bool,
        /// The debug adapter supports adding breakpoints based on instruction references.
        supports_instruction_breakpoints: bool,
        /// The debug adapter supports `filterOptions` as an argument on the
        /// `setExceptionBreakpoints` request.
        supports_exception_filter_options: bool,
        /// The debug adapter supports the `singleThread` property on the execution requests
        /// (`continue`, `next`, `stepIn`, `stepOut`, `reverseContinue`, `stepBack`).
        supports_single_thread_execution_requests: bool,
        /// The debug adapter supports the `asAddress` and `bytes` fields in the
        /// `dataBreakpointInfo` request.
        supports_data_breakpoint_bytes: bool,
        /// Modes of breakpoints supported by the debug adapter, such as 'hardware' or 'software'.
        breakpoint_modes: Vec<BreakpointMode>,
        /// The debug adapter supports ANSI escape sequences in styling of `OutputEvent.output` and
        /// `Variable.value` fields.
        supports_ansi_styling: bool = "supportsANSIStyling",
    }
}
impl Capabilities {
    /// Takes over what a `capabilities` event declares; what it does not mention stays as it was.
    pub fn merge(&mut self, changes: &Self) {
        for (name, value) in &changes.declared {
            // A value of the wrong kind is as good as none, and reading a value that was parsed once cannot fail.
            drop(self.read(name, value.clone()));
            self.declared.insert(name.clone(), value.clone());
        }
    }
}

impl Tolerant for Capabilities {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let declared: Option<Map<String, Value>> = Tolerant::tolerant(deserializer)?;
        Ok(declared.map(|declared| {
            let mut capabilities = Self::default();
            capabilities.merge(&Self {
                declared,
                ..Self::default()
            });
            capabilities
        }))
    }
}

impl<'de> Deserialize<'de> for Capabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        for (name, value) in &self.declared {
            if !Self::PROPERTIES.contains(&name.as_str()) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

record! {
    /// An `ExceptionBreakpointsFilter` is shown in the UI as an filter option for configuring how
    /// exceptions are dealt with.
    ExceptionBreakpointsFilter {
        /// The internal ID of the filter option.
        filter: String,
        /// The name of the filter option.
        label: String,
        /// A help text providing additional information about the exception filter.
        description: Option<String>,
        /// Initial value of the filter option.
        default: Option<bool>,
        /// Controls whether a condition can be specified for this filter option.
        supports_condition: Option<bool>,
        /// A help text providing information about the condition.
        condition_description: Option<String>,
    }

    /// A `ColumnDescriptor` specifies what module attribute to show in a column of the modules
    /// view and how to format it.
    ColumnDescriptor {
        /// Name of the attribute rendered in this column.
        attribute_name: String,
        /// Header UI label of column.
        label: String,
        /// Format to use for the rendered values in this column.
        format: Option<String>,
        /// Datatype of values in this column.
        /// Values: `string`, `number`, `boolean`, `unixTimestampUTC`.
        type_: Option<String>,
        /// Width of this column in characters (hint only).
        width: Option<i64>,
    }

    /// A `BreakpointMode` is provided as a option when setting breakpoints on sources or
    /// instructions.
    BreakpointMode {
        /// The internal ID of the mode.
        mode: String,
        /// The name of the breakpoint mode.
        label: String,
        /// A help text providing additional information about the breakpoint mode.
        description: Option<String>,
        /// Describes one or more type of breakpoint this mode applies to.
        applies_to: Vec<BreakpointModeApplicability>,
    }
}

open_enum! {
    /// Describes one or more type of breakpoint a `BreakpointMode` applies to.
    BreakpointModeApplicability {
        /// In `SourceBreakpoint`s.
        Source,
        /// In exception breakpoints applied in the `ExceptionFilterOptions`.
        Exception,
        /// In data breakpoints requested in the `DataBreakpointInfo` request.
        Data,
        /// In `InstructionBreakpoint`s.
        Instruction,
    }
}
