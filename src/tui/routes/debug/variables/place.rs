//! Where values belong, and where one of them is among them.

use debugger::{SessionId, StopId, previews::short_type};

/// Names from the root to a node.
pub type Path = Vec<String>;

/// Where values belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValuePlace {
    pub session: SessionId,
    /// The stop they are true of.
    pub stop: StopId,
    /// The function they are in, so that values are compared with those of the same function.
    pub frame: String,
    /// The thread whose variables they are: another one in the same function has its own.
    pub thread: Option<i64>,
}

/// The expression of a part of what another one means: a field, or an element where the number is its place (in a map it is not).
pub(super) fn way(holder: &str, of_type: Option<&str>, name: &str) -> Option<String> {
    let is_field = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_field {
        return Some(format!("{holder}.{name}"));
    }
    let of_type = short_type(of_type?);
    let is_row = ["vector<", "array<", "deque<"]
        .iter()
        .any(|row| of_type.starts_with(row));
    let is_element = name.starts_with('[') && (is_row || of_type.ends_with(']'));
    is_element.then(|| format!("{holder}{name}"))
}
