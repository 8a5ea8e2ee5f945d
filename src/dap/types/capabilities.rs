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
        $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal,
    )* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// Everything as it was declared, by its name on the wire; also what the protocol does not know.
            pub declared: Map<String, Value>,
        }

        record!(@read $name { $( $field = $key, )* });
    };
}

capabilities! {
    /// Information about the capabilities of a debug adapter.
    Capabilities {
        /// The debug adapter supports the `configurationDone` request.
        supports_configuration_done_request: bool = "supportsConfigurationDoneRequest",
        /// The debug adapter supports function breakpoints.
        supports_function_breakpoints: bool = "supportsFunctionBreakpoints",
        /// The debug adapter supports conditional breakpoints.
        supports_conditional_breakpoints: bool = "supportsConditionalBreakpoints",
        /// The debug adapter supports breakpoints that break execution after a specified number of
        /// hits.
        supports_hit_conditional_breakpoints: bool = "supportsHitConditionalBreakpoints",
        /// The debug adapter supports a (side effect free) `evaluate` request for data hovers.
        supports_evaluate_for_hovers: bool = "supportsEvaluateForHovers",
        /// Available exception filter options for the `setExceptionBreakpoints` request.
        exception_breakpoint_filters: Vec<ExceptionBreakpointsFilter> = "exceptionBreakpointFilters",
        /// The debug adapter supports stepping back via the `stepBack` and `reverseContinue`
        /// requests.
        supports_step_back: bool = "supportsStepBack",
        /// The debug adapter supports setting a variable to a value.
        supports_set_variable: bool = "supportsSetVariable",
        /// The debug adapter supports restarting a frame.
        supports_restart_frame: bool = "supportsRestartFrame",
        /// The debug adapter supports the `gotoTargets` request.
        supports_goto_targets_request: bool = "supportsGotoTargetsRequest",
        /// The debug adapter supports the `stepInTargets` request.
        supports_step_in_targets_request: bool = "supportsStepInTargetsRequest",
        /// The debug adapter supports the `completions` request.
        supports_completions_request: bool = "supportsCompletionsRequest",
        /// The set of characters that should automatically trigger a completion request in a REPL.
        completion_trigger_characters: Vec<String> = "completionTriggerCharacters",
        /// The debug adapter supports the `modules` request.
        supports_modules_request: bool = "supportsModulesRequest",
        /// The set of additional module information exposed by the debug adapter.
        additional_module_columns: Vec<ColumnDescriptor> = "additionalModuleColumns",
        /// Checksum algorithms supported by the debug adapter.
        supported_checksum_algorithms: Vec<ChecksumAlgorithm> = "supportedChecksumAlgorithms",
        /// The debug adapter supports the `restart` request.
        supports_restart_request: bool = "supportsRestartRequest",
        /// The debug adapter supports `exceptionOptions` on the `setExceptionBreakpoints` request.
        supports_exception_options: bool = "supportsExceptionOptions",
        /// The debug adapter supports a `format` attribute on the `stackTrace`, `variables`, and
        /// `evaluate` requests.
        supports_value_formatting_options: bool = "supportsValueFormattingOptions",
        /// The debug adapter supports the `exceptionInfo` request.
        supports_exception_info_request: bool = "supportsExceptionInfoRequest",
        /// The debug adapter supports the `terminateDebuggee` attribute on the `disconnect`
        /// request.
        support_terminate_debuggee: bool = "supportTerminateDebuggee",
        /// The debug adapter supports the `suspendDebuggee` attribute on the `disconnect` request.
        support_suspend_debuggee: bool = "supportSuspendDebuggee",
        /// The debug adapter supports the delayed loading of parts of the stack, which requires
        /// that both the `startFrame` and `levels` arguments and the `totalFrames` result of the
        /// `stackTrace` request are supported.
        supports_delayed_stack_trace_loading: bool = "supportsDelayedStackTraceLoading",
        /// The debug adapter supports the `loadedSources` request.
        supports_loaded_sources_request: bool = "supportsLoadedSourcesRequest",
        /// The debug adapter supports log points by interpreting the `logMessage` attribute of the
        /// `SourceBreakpoint`.
        supports_log_points: bool = "supportsLogPoints",
        /// The debug adapter supports the `terminateThreads` request.
        supports_terminate_threads_request: bool = "supportsTerminateThreadsRequest",
        /// The debug adapter supports the `setExpression` request.
        supports_set_expression: bool = "supportsSetExpression",
        /// The debug adapter supports the `terminate` request.
        supports_terminate_request: bool = "supportsTerminateRequest",
        /// The debug adapter supports data breakpoints.
        supports_data_breakpoints: bool = "supportsDataBreakpoints",
        /// The debug adapter supports the `readMemory` request.
        supports_read_memory_request: bool = "supportsReadMemoryRequest",
        /// The debug adapter supports the `writeMemory` request.
        supports_write_memory_request: bool = "supportsWriteMemoryRequest",
        /// The debug adapter supports the `disassemble` request.
        supports_disassemble_request: bool = "supportsDisassembleRequest",
        /// The debug adapter supports the `cancel` request.
        supports_cancel_request: bool = "supportsCancelRequest",
        /// The debug adapter supports the `breakpointLocations` request.
        supports_breakpoint_locations_request: bool = "supportsBreakpointLocationsRequest",
        /// The debug adapter supports the `clipboard` context value in the `evaluate` request.
        supports_clipboard_context: bool = "supportsClipboardContext",
        /// The debug adapter supports stepping granularities (argument `granularity`) for the
        /// stepping requests.
        supports_stepping_granularity: bool = "supportsSteppingGranularity",
        /// The debug adapter supports adding breakpoints based on instruction references.
        supports_instruction_breakpoints: bool = "supportsInstructionBreakpoints",
        /// The debug adapter supports `filterOptions` as an argument on the
        /// `setExceptionBreakpoints` request.
        supports_exception_filter_options: bool = "supportsExceptionFilterOptions",
        /// The debug adapter supports the `singleThread` property on the execution requests
        /// (`continue`, `next`, `stepIn`, `stepOut`, `reverseContinue`, `stepBack`).
        supports_single_thread_execution_requests: bool = "supportsSingleThreadExecutionRequests",
        /// The debug adapter supports the `asAddress` and `bytes` fields in the
        /// `dataBreakpointInfo` request.
        supports_data_breakpoint_bytes: bool = "supportsDataBreakpointBytes",
        /// Modes of breakpoints supported by the debug adapter, such as 'hardware' or 'software'.
        breakpoint_modes: Vec<BreakpointMode> = "breakpointModes",
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
        filter: String = "filter",
        /// The name of the filter option.
        label: String = "label",
        /// A help text providing additional information about the exception filter.
        description: Option<String> = "description",
        /// Initial value of the filter option.
        default: Option<bool> = "default",
        /// Controls whether a condition can be specified for this filter option.
        supports_condition: Option<bool> = "supportsCondition",
        /// A help text providing information about the condition.
        condition_description: Option<String> = "conditionDescription",
    }

    /// A `ColumnDescriptor` specifies what module attribute to show in a column of the modules
    /// view and how to format it.
    ColumnDescriptor {
        /// Name of the attribute rendered in this column.
        attribute_name: String = "attributeName",
        /// Header UI label of column.
        label: String = "label",
        /// Format to use for the rendered values in this column.
        format: Option<String> = "format",
        /// Datatype of values in this column.
        /// Values: `string`, `number`, `boolean`, `unixTimestampUTC`.
        type_: Option<String> = "type",
        /// Width of this column in characters (hint only).
        width: Option<i64> = "width",
    }

    /// A `BreakpointMode` is provided as a option when setting breakpoints on sources or
    /// instructions.
    BreakpointMode {
        /// The internal ID of the mode.
        mode: String = "mode",
        /// The name of the breakpoint mode.
        label: String = "label",
        /// A help text providing additional information about the breakpoint mode.
        description: Option<String> = "description",
        /// Describes one or more type of breakpoint this mode applies to.
        applies_to: Vec<BreakpointModeApplicability> = "appliesTo",
    }
}

open_enum! {
    /// Describes one or more type of breakpoint a `BreakpointMode` applies to.
    BreakpointModeApplicability {
        /// In `SourceBreakpoint`s.
        Source = "source",
        /// In exception breakpoints applied in the `ExceptionFilterOptions`.
        Exception = "exception",
        /// In data breakpoints requested in the `DataBreakpointInfo` request.
        Data = "data",
        /// In `InstructionBreakpoint`s.
        Instruction = "instruction",
    }
}
