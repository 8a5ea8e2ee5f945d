//! A value, or a part of one, as far as it is known.

use dap::types::Variable;

/// Parts of a value that are asked for: one more than are shown, so that the others are known to be there.
pub const MOST_PARTS: usize = MOST_SHOWN + 1;

/// Parts of one value that are shown.
pub const MOST_SHOWN: usize = 8;

/// Characters of the debugger's own text that are looked at.
const LONGEST_TEXT: usize = 400;

/// A value and what is known of its parts.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub name: String,
    /// The debugger's own text of it.
    pub value: String,
    /// Its type, as the debugger writes it.
    pub type_name: String,
    /// For its parts; 0 = it has none.
    pub reference: i64,
    /// Elements announced.
    pub indexed: Option<i64>,
}

impl From<&Variable> for Part {
    fn from(variable: &Variable) -> Self {
        Self {
            name: variable.name.clone(),
            // Older versions of LLDB begin a summary with a space.
            value: variable
                .value
                .trim_start()
                .chars()
                .take(LONGEST_TEXT)
                .collect(),
            type_name: variable.type_.clone().unwrap_or_default(),
            reference: variable.variables_reference,
            indexed: variable.indexed_variables,
        }
    }
}

impl Part {
    /// The first parts of a value, of what was answered to a request for them.
    pub fn parts_of(variables: &[Variable]) -> Vec<Self> {
        let parts = variables.iter().take(MOST_PARTS).map(Self::from);
        parts.filter(|part| !is_plumbing(&part.name)).collect()
    }
}

/// Names of parts that a compiler or a debugger made.
pub fn is_plumbing(name: &str) -> bool {
    name == "[raw]" || name.starts_with("_vptr")
}
