//! Members of JSON that may be missing, or of another type than expected.

use serde_json::Value;

/// A member; null when it is not there.
pub fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// A text.
pub fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// A whole number, zero or more.
pub fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

/// The items of a list; none when it is not a list.
pub fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    member(value, name).as_array().into_iter().flatten()
}
