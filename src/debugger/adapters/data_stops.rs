//! Data breakpoints of an adapter that reports them as stops at a place.

use crate::{pattern::Pattern, prelude::*};

/// Data breakpoints as the debugger's own command line knows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataStops {
    /// The text of such a stop (`reason: description text`), with the `number` of the breakpoint as a group.
    pub stop: Pattern,
    /// The command that lists them.
    pub list: String,
    /// The line of its answer that begins one of them, with its `number`.
    pub row: Pattern,
    /// Its `dataId` for the adapter, in which `$name` is a group of the row.
    pub data_id: String,
}

impl DataStops {
    /// The number of the breakpoint at which a text says that it stopped, below 0: those at places are numbered by themselves.
    pub fn hit(&self, told: &str) -> Option<i64> {
        numbered(&self.stop.captures(told)?)
    }

    /// Each `dataId` in what the command answered, in small letters, with its number.
    pub fn listed(&self, answer: &str) -> BTreeMap<String, i64> {
        let rows = answer.lines().filter_map(|line| self.row.captures(line));
        rows.filter_map(|row| {
            let mut data_id = String::new();
            row.expand(&self.data_id, &mut data_id);
            Some((data_id.to_ascii_lowercase(), numbered(&row)?))
        })
        .collect()
    }
}

fn numbered(found: &regex::Captures<'_>) -> Option<i64> {
    let number: i64 = found.name("number")?.as_str().parse().ok()?;
    Some(-number)
}
