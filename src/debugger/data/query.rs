//! What is wanted of a value: how it is to be shown, which rows, columns and characters.

use super::code::unquoted;
use crate::prelude::*;

/// A number of a question as a place in a list here.
pub(crate) fn place(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// A way to look at a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Rows and columns.
    Table,
    /// What is in each column.
    Stats,
    /// Numbers in their order, and how they are distributed.
    Series,
    Text,
    Bytes,
    /// A picture.
    Image,
    /// Its parts.
    Tree,
}

impl View {
    /// Those that can be asked for, in their order.
    pub const NAMES: [&'static str; 6] = ["table", "stats", "series", "text", "bytes", "image"];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or("tree")
    }
}

/// What is wanted of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Query {
    /// How it is to be shown; none = as fits best.
    pub view: Option<View>,
    /// Rows from, and up to but not including; characters of a text, bytes.
    pub rows: (u64, u64),
    /// Columns from, and up to but not including.
    pub columns: (u64, u64),
    /// Column to sort by, with a `-` before it from the largest to the smallest.
    pub sort: Option<String>,
    /// Which rows; see [`Term::read`](super::Term::read).
    pub filter: Option<String>,
    /// Column to plot; none = the first with numbers.
    pub column: Option<String>,
    /// How many points of a plot.
    pub points: u32,
    /// Width and height of a picture, at most.
    pub pixels: (u32, u32),
    /// With what it is to be compared; see [`Other`](super::compare::Other).
    pub compare: Option<String>,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            view: None,
            rows: (0, 50),
            columns: (0, 50),
            sort: None,
            filter: None,
            column: None,
            points: 2_000,
            pixels: (320, 320),
            compare: None,
        }
    }
}

impl Query {
    /// The column to sort by, and whether from the largest to the smallest.
    pub fn order(&self) -> Option<(&str, bool)> {
        let sort = self.sort.as_deref()?;
        Some(match sort.strip_prefix('-') {
            Some(name) => (name, true),
            None => (sort, false),
        })
    }

    /// A question in a line: an expression, and behind it what is wanted: `orders --as table --rows 0..50 --sort -price`.
    pub fn written(line: &str) -> Result<(String, Self), String> {
        let mut parts = line.split(" --");
        let expression = parts.next().unwrap_or_default().trim().to_owned();
        let mut query = Self::default();
        for part in parts {
            let (name, value) = part.trim().split_once(' ').unwrap_or((part, ""));
            let value = value.trim();
            let range = || Self::range(value).ok_or_else(|| format!("{name} is a range: 0..50"));
            match name {
                "as" => {
                    let names = || format!("--as is one of {}", View::NAMES.join(", "));
                    query.view = Some(View::named(value).ok_or_else(names)?);
                }
                "rows" => query.rows = range()?,
                "columns" => query.columns = range()?,
                "sort" => query.sort = Some(unquoted(value)),
                "filter" => query.filter = Some(unquoted(value)),
                "column" => query.column = Some(unquoted(value)),
                "compare" => query.compare = Some(unquoted(value)),
                _ => {
                    let names =
                        "there are --as, --rows, --columns, --sort, --filter, --column, --compare";
                    return Err(names.to_owned());
                }
            }
        }
        Ok((expression, query))
    }

    /// Whether what it is answered serves another question: the same rows in the same order.
    pub fn is_like(&self, other: &Self) -> bool {
        let order = |query: &Self| (query.sort.clone(), query.filter.clone());
        self.rows == other.rows && order(self) == order(other)
    }

    /// Rows as a person writes them: `0..50`, `..50`, `0..=49`.
    pub fn range(text: &str) -> Option<(u64, u64)> {
        let (from, to) = text.trim().split_once("..")?;
        let from = if from.is_empty() {
            0
        } else {
            from.parse().ok()?
        };
        let to = to.strip_prefix('=').map_or_else(
            || to.parse().ok(),
            |last| last.parse::<u64>().ok()?.checked_add(1),
        )?;
        (from <= to).then_some((from, to))
    }
}
