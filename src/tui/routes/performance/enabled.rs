//! When the actions of a desk can be used, and what is said when they cannot.

use super::desk::ProfileDesk;
use crate::kit::prelude::*;

pub(super) fn has_profile(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    when(s.shown.is_some(), "There is no profile yet.")
}

pub(super) fn has_function(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    when(s.function().is_some(), "Select a function first.")
}

pub(super) fn has_threads(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    match &s.shown {
        Some(shown) if shown.profile.threads().len() > 1 => Ok(()),
        Some(_) => Err("The profile has one thread only."),
        None => Err("There is no profile yet."),
    }
}

pub(super) fn has_matches(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    when(s.matches.is_some(), "Nothing is searched for: / begins.")
}

pub(super) fn has_debuggers(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    match &s.shown {
        Some(shown) if shown.debuggers.contains(&true) => Ok(()),
        Some(_) => Err("None of its threads is a debugger's."),
        None => Err("There is no profile yet."),
    }
}

pub(super) fn has_notes(s: &ProfileDesk, _: &View<'_>) -> Enabled {
    match s.profile() {
        Some(_) if !s.all_notes().is_empty() => Ok(()),
        Some(_) => Err("There is nothing to note."),
        None => Err("There is no profile yet."),
    }
}
