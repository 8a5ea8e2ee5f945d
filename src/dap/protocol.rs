//! What an adapter may be asked.
//!
//! Protocol version 1.71. A test compares [`crate::requests`] and [`crate::types`] with a schema file when one is given.

use super::{requests, types::Capabilities};

#[cfg(test)]
mod tests;

/// The capability a request depends on; `None` when it may always be sent.
///
/// Sending a request that is not declared is not merely pointless: some adapters exit on it.
pub fn capability_for(command: &str) -> Option<fn(&Capabilities) -> bool> {
    match command {
        // The filters are what there is to choose from; without any the request has nothing to say.
        "setExceptionBreakpoints" => Some(|adapter| {
            !adapter.exception_breakpoint_filters.is_empty() || adapter.supports_exception_options
        }),
        _ => requests::capability_for(command),
    }
}
