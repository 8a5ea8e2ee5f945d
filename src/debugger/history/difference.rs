//! What is otherwise at a stop than at the one before: the locals of the frames that were shown.

use dap::types::Scope;

use crate::prelude::*;

/// Changes told of one step; more are counted.
const MOST_CHANGES: usize = 40;

/// Bytes told of a value that changed.
pub const MOST_VALUE: usize = 200;

/// How the locals of a stop differ from those of the stop before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "compared", rename_all = "snake_case")]
pub enum Difference {
    /// One of the two has no locals that are known, or there is none before.
    #[default]
    Unknown,
    /// The stop before was in another function.
    OtherFunction,
    /// The same function.
    Locals {
        /// What changed, in the order of the scopes.
        changes: Vec<ValueChange>,
        /// Changes beyond those told.
        more: usize,
    },
}

/// A local that is otherwise than before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueChange {
    pub name: String,
    /// Its value before; none = it was not there.
    pub old: Option<String>,
    /// Its value then; none = it is gone.
    pub new: Option<String>,
}

/// The frame that was shown: the selected one, or else the innermost that is known.
pub(crate) fn shown_frame(stop: &Stop) -> Option<&StackFrame> {
    let Some(selected) = stop.selected else {
        let stack = match stop.thread_id {
            Some(thread) => stop.stacks.get(&thread),
            None => stop.stacks.values().next(),
        };
        return stack?.frames.first();
    };
    let stack: &Stack = stop.stacks.get(&selected.thread_id)?;
    let mut frames = stack.frames.iter();
    frames.find(|frame| frame.id == selected.frame_id)
}

/// How the locals of the frames shown at two stops differ.
pub fn difference(before: Option<&Stop>, stop: &Stop) -> Difference {
    let known = |stop| {
        let frame = shown_frame(stop)?;
        Some((frame, stop.frames.get(&frame.id)?))
    };
    let (Some((old_frame, old)), Some((frame, new))) = (before.and_then(known), known(stop)) else {
        return Difference::Unknown;
    };
    if old_frame.name != frame.name || old_frame.file() != frame.file() {
        return Difference::OtherFunction;
    }
    let (old, new) = (locals(old), locals(new));
    let mut changes = Vec::new();
    for (name, value) in &new {
        let before = old.iter().find(|(other, _)| other == name);
        if before.is_none_or(|(_, before)| before != value) {
            changes.push(ValueChange {
                name: name.text.to_owned(),
                old: before.map(|(_, value)| cut(value)),
                new: Some(cut(value)),
            });
        }
    }
    let gone = old
        .iter()
        .filter(|(name, _)| new.iter().all(|(other, _)| other != name));
    changes.extend(gone.map(|(name, value)| ValueChange {
        name: name.text.to_owned(),
        old: Some(cut(value)),
        new: None,
    }));
    let more = changes.len().saturating_sub(MOST_CHANGES);
    changes.truncate(MOST_CHANGES);
    Difference::Locals { changes, more }
}

/// What tells a local from others: a scope may have several of one name, the inner one first.
#[derive(PartialEq, Eq)]
struct Name<'a> {
    scope: &'a str,
    text: &'a str,
    nth: usize,
}

fn locals(scopes: &FrameScopes) -> Vec<(Name<'_>, &str)> {
    let mut found: Vec<(Name<'_>, &str)> = Vec::new();
    for scope in &scopes.scopes {
        let mut times: HashMap<&str, usize> = HashMap::new();
        // What has no value is a heading of the adapter's for others.
        let values = scope.variables.iter().flatten();
        for variable in values.filter(|variable| !variable.value.is_empty()) {
            let nth = times.entry(&variable.name).or_default();
            found.push((
                Name {
                    scope: &scope.scope.name,
                    text: &variable.name,
                    nth: *nth,
                },
                &variable.value,
            ));
            *nth += 1;
        }
    }
    found
}

/// Whether it is what a module's own statements declare.
pub fn is_module(scope: &Scope) -> bool {
    scope.name == "Module"
}

/// Which scopes are a frame's own, and loaded with it: those that say so, what a function gave back, or else the first, and of a
/// module's own statements the module, which is no more than they declare, however much an adapter expects there.
pub fn own_scopes(scopes: &[Scope]) -> Vec<bool> {
    let own = |s: &Scope| {
        !s.expensive
            && s.variables_reference != 0
            && (matches!(
                s.presentation_hint.as_deref(),
                Some("locals" | "arguments" | "returnValue")
            ) || matches!(s.name.as_str(), "Locals" | "Local" | "Arguments"))
    };
    // A function's frame has a scope of its own, however little is in it.
    let is_outermost = !scopes.iter().any(|s| s.name.starts_with("Local"));
    let of_module = |s: &Scope| is_outermost && is_module(s) && s.variables_reference != 0;
    let are_told = scopes.iter().any(own);
    // A function without variables has its registers first.
    let is_first = |i, s: &Scope| {
        let is_one = !s.expensive && s.presentation_hint.as_deref() != Some("registers");
        !are_told && i == 0 && is_one && s.variables_reference != 0
    };
    let all = scopes.iter().enumerate();
    all.map(|(i, s)| own(s) || of_module(s) || is_first(i, s))
        .collect()
}

/// The beginning of a text that may be large.
pub fn cut(text: &str) -> String {
    match text.get(..text.floor_char_boundary(MOST_VALUE)) {
        Some(head) if head.len() < text.len() => format!("{head}…"),
        _ => text.to_owned(),
    }
}
