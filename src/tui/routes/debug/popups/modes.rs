//! Which of its modes an adapter is to take.

use dap::types::BreakpointMode;

use crate::debug_prelude::*;

/// A popup with an adapter's usual way and its modes.
pub fn choose_mode(
    title: &'static str,
    usual: &str,
    modes: &[BreakpointMode],
    then: impl Fn(Option<String>) -> Vec<Effect> + Clone + 'static,
) -> chooser::Chooser {
    let choice = |name: &str, more: &str, mode: Option<String>| {
        let then = then.clone();
        Choice::new(name, more, move || then(mode.clone()))
    };
    let others = modes.iter().map(|mode| {
        let more = mode.description.as_deref().unwrap_or_default();
        choice(name_of(mode), more, Some(mode.mode.clone()))
    });
    let all = std::iter::once(choice(usual, "", None)).chain(others);
    chooser::of(title, all.collect())
}

/// A mode as people call it.
pub fn name_of(mode: &BreakpointMode) -> &str {
    if mode.label.is_empty() {
        &mode.mode
    } else {
        &mode.label
    }
}
