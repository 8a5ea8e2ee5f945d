//! When the actions of a desk can be used, and what is said when they cannot.

use super::{desk::ProfileDesk, model::Shown};
use crate::kit::prelude::*;

gates! { ProfileDesk, s;
    has_profile: s.shown.is_some(), "There is no profile yet.";
    has_function: s.function().is_some(), "Select a function first.";
    has_matches: s.matches.is_some(), "Nothing is searched for: / begins.";
    is_threaded: s.shows(|shown| shown.profile.threads.len() > 1), "The profile has one thread only.";
    is_debugged: s.shows(|shown| shown.debuggers.contains(&true)), "None of its threads is a debugger's.";
    is_noted: !s.all_notes().is_empty(), "There is nothing to note.";
}

impl ProfileDesk {
    fn shows(&self, what: impl Fn(&Shown) -> bool) -> bool {
        self.shown.as_ref().is_some_and(what)
    }
}

pub fn has_threads(s: &ProfileDesk, view: &View<'_>) -> Enabled {
    has_profile(s, view).and_then(|()| is_threaded(s, view))
}

pub fn has_debuggers(s: &ProfileDesk, view: &View<'_>) -> Enabled {
    has_profile(s, view).and_then(|()| is_debugged(s, view))
}

pub fn has_notes(s: &ProfileDesk, view: &View<'_>) -> Enabled {
    has_profile(s, view).and_then(|()| is_noted(s, view))
}
