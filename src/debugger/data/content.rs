//! What is seen of a value: a page of a table, columns in numbers, a line, a piece of a text, a picture.

use super::query::View;
use crate::prelude::*;

/// A value looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Data {
    /// What it is, in the words of its language: `DataFrame`, `list`, `Vec<Order>`.
    pub kind: String,
    /// How large: `1000000 × 8`.
    pub shape: Option<String>,
    /// The ways to look at it, the one that fits best first.
    pub views: Vec<View>,
    /// The way that was taken.
    pub view: Option<View>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is seen.
    pub content: Content,
}

impl Data {
    /// Bytes that it takes, roughly.
    pub fn weight(&self) -> usize {
        match &self.content {
            Content::Table(table) => {
                let cells = table.rows.iter().flatten();
                cells
                    .map(|cell| 40 + cell.as_str().map_or(0, str::len))
                    .sum()
            }
            Content::Text(piece) | Content::Bytes(piece) => piece.data.len(),
            Content::Image(picture) => picture.rgb.len(),
            Content::Series(series) => series.points.len() * 24,
            Content::None | Content::Stats(_) => 1_000,
        }
    }
}

/// What is seen of a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// It has only parts.
    #[default]
    None,
    /// Some rows.
    Table(Table),
    /// Columns in numbers.
    Stats(Vec<Stat>),
    /// A line.
    Series(Box<Series>),
    /// A piece of a text.
    Text(Piece),
    /// Some bytes, in base64.
    Bytes(Piece),
    /// A picture.
    Image(Picture),
}

/// A page of a table. A cell is what JSON has: text, a number, a truth, null, and for all else `{"shown": text}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// The columns of this page.
    pub columns: Vec<Column>,
    /// The number of the first of them.
    pub first_column: u64,
    /// How many columns there are.
    pub width: u64,
    /// The place of the first row, in the order that is shown.
    pub first: u64,
    /// How many rows there are in it.
    pub total: u64,
    /// How many rows there are, those that a filter hides among them.
    pub all: u64,
    /// What the rows are called.
    pub labels: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Column {
    pub name: String,
    /// What is in it.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// A column in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stat {
    pub name: String,
    /// What is in it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// How many rows.
    pub count: u64,
    /// How many of them have no value, or NaN.
    pub none: u64,
    /// The smallest value.
    pub min: Value,
    /// The largest.
    pub max: Value,
    pub mean: Option<f64>,
    /// How far they are from it, on the average: the standard deviation.
    pub deviation: Option<f64>,
    /// How many different values.
    pub distinct: u64,
    /// There may be more of them: not all rows were counted.
    pub distinct_more: bool,
}

/// Numbers in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// What they add up to.
    #[serde(flatten)]
    pub stat: Stat,
    /// How many numbers each point stands for.
    pub step: u64,
    /// The smallest and the largest of them; none where there is no number.
    pub points: Vec<Option<(f64, f64)>>,
    /// How many numbers lie in each of these parts of the way from the smallest to the largest.
    pub bins: Vec<u64>,
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

/// A piece of a text, or some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Piece {
    /// Where it begins.
    pub first: u64,
    /// Where it ends, where the program says so: it counts in characters of its own (UTF-16, bytes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// How long the whole is.
    pub total: u64,
    /// It; bytes in base64.
    pub data: String,
}

impl Piece {
    /// Whether it goes on where a text is known up to.
    pub fn follows(&self, known: u64) -> bool {
        self.first == known && !self.data.is_empty() && self.end() > known
    }

    /// Where a text ends, in the characters that the program counts.
    pub fn end(&self) -> u64 {
        let count = self.data.chars().count() as u64;
        let ours = || self.first.saturating_add(count);
        self.end.unwrap_or_else(ours).min(self.total)
    }
}

/// A picture, made small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Picture {
    /// How wide the whole is.
    pub width: u32,
    /// How high.
    pub height: u32,
    /// How wide this is.
    pub w: u32,
    /// How high.
    pub h: u32,
    /// Red, green and blue of each point, in base64.
    pub rgb: String,
}

/// What a cell shows.
pub fn shown(cell: &Value) -> std::borrow::Cow<'_, str> {
    match cell {
        Value::String(text) => text.as_str().into(),
        Value::Null => "".into(),
        Value::Object(fields) => match fields.text_of("shown") {
            Some(text) => text.into(),
            None => cell.to_string().into(),
        },
        other => other.to_string().into(),
    }
}
