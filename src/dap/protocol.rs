//! The protocol's lists: what can be asked, what can be told, what can be declared.
//!
//! Protocol version 1.71. A test compares these lists and [`crate::types`] with a schema file when one is given.

use super::{requests, tolerant::Record, types::Capabilities};

#[cfg(test)]
mod tests;

/// Every request a client can send.
pub const REQUESTS: &[&str] = requests::COMMANDS;

/// Every request an adapter can send.
pub const REVERSE_REQUESTS: &[&str] = &["runInTerminal", "startDebugging"];

/// Every event.
pub const EVENTS: &[&str] = &[
    "breakpoint",
    "capabilities",
    "continued",
    "exited",
    "initialized",
    "invalidated",
    "loadedSource",
    "memory",
    "module",
    "output",
    "process",
    "progressEnd",
    "progressStart",
    "progressUpdate",
    "stopped",
    "terminated",
    "thread",
];

/// Every capability an adapter can declare.
pub const CAPABILITIES: &[&str] = Capabilities::PROPERTIES;

/// The capability a request depends on; `None` when it may always be sent.
///
/// Sending a request that is not declared is not merely pointless: some adapters exit on it.
pub fn capability_for(command: &str) -> Option<fn(&Capabilities) -> bool> {
    Some(match command {
        "breakpointLocations" => |it| it.supports_breakpoint_locations_request,
        "cancel" => |it| it.supports_cancel_request,
        "completions" => |it| it.supports_completions_request,
        "configurationDone" => |it| it.supports_configuration_done_request,
        "dataBreakpointInfo" | "setDataBreakpoints" => |it| it.supports_data_breakpoints,
        "disassemble" => |it| it.supports_disassemble_request,
        "exceptionInfo" => |it| it.supports_exception_info_request,
        "goto" | "gotoTargets" => |it| it.supports_goto_targets_request,
        "loadedSources" => |it| it.supports_loaded_sources_request,
        "modules" => |it| it.supports_modules_request,
        "readMemory" => |it| it.supports_read_memory_request,
        "restart" => |it| it.supports_restart_request,
        "restartFrame" => |it| it.supports_restart_frame,
        "reverseContinue" | "stepBack" => |it| it.supports_step_back,
        // The filters are what there is to choose from; without any the request has nothing to say.
        "setExceptionBreakpoints" => {
            |it| !it.exception_breakpoint_filters.is_empty() || it.supports_exception_options
        }
        "setExpression" => |it| it.supports_set_expression,
        "setFunctionBreakpoints" => |it| it.supports_function_breakpoints,
        "setInstructionBreakpoints" => |it| it.supports_instruction_breakpoints,
        "setVariable" => |it| it.supports_set_variable,
        "stepInTargets" => |it| it.supports_step_in_targets_request,
        "terminate" => |it| it.supports_terminate_request,
        "terminateThreads" => |it| it.supports_terminate_threads_request,
        "writeMemory" => |it| it.supports_write_memory_request,
        _ => return None,
    })
}
