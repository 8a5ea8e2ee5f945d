//! Rows, sums and lines of what an adapter tells of a value's parts, without asking anything.

use std::cmp::Ordering;

use super::{Column, Series, Stat, Table, place, shown};
use crate::prelude::*;

/// Points of a histogram.
const BINS: usize = 40;

/// What an adapter shows of a value that has no parts worth a cell of their own, as a cell.
pub fn cell(text: &str) -> Value {
    let text = text.trim();
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    if let Some(inside) = quoted {
        return serde_json::from_slice(text.as_bytes()).unwrap_or_else(|_| inside.into());
    }
    match text {
        "true" | "True" => return true.into(),
        "false" | "False" => return false.into(),
        "nil" | "null" | "None" | "nullptr" => return Value::Null,
        _ => {}
    }
    let number = text.parse::<i64>().map(Value::from);
    number.unwrap_or_else(|_| match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number.into(),
        _ => json!({ "shown": text }),
    })
}

/// A table that was read up to some row.
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<Column>,
    /// What the rows are called.
    pub labels: Vec<String>,
    pub rows: Vec<Vec<Value>>,
    /// The place of the first of them.
    pub first: u64,
    pub total: u64,
}

impl Rows {
    fn column(&self, name: &str) -> Result<usize> {
        let at = self.columns.iter().position(|column| column.name == name);
        at.ok_or_else(|| {
            let text = format!("There is no column '{name}'.");
            DebuggerError::usage(text)
        })
    }

    /// Leaves the rows that are wanted, in their order.
    pub fn ordered(mut self, query: &Query) -> Result<Self> {
        let mut all: Vec<_> = mem::take(&mut self.rows)
            .into_iter()
            .zip(mem::take(&mut self.labels))
            .collect();
        for term in query.terms() {
            let column = term
                .0
                .as_deref()
                .map(|name| self.column(name))
                .transpose()?;
            all.retain(|(row, _)| match column {
                Some(at) => row.get(at).is_some_and(|cell| term.holds(cell)),
                None => row.iter().any(|cell| term.holds(cell)),
            });
        }
        if let Some((name, descending)) = query.order() {
            let at = self.column(name)?;
            all.sort_by(|(a, _), (b, _)| {
                let (a, b) = (
                    a.get(at).unwrap_or(&Value::Null),
                    b.get(at).unwrap_or(&Value::Null),
                );
                let none = a.is_null().cmp(&b.is_null());
                let order = compare(a, b);
                none.then(if descending { order.reverse() } else { order })
            });
        }
        self.total = all.len() as u64;
        (self.rows, self.labels) = all.into_iter().unzip();
        Ok(self)
    }

    /// As it was asked for.
    pub fn seen(self, view: View, query: &Query) -> Result<Content> {
        let columns = self.columns.iter().enumerate();
        Ok(match view {
            View::Stats => {
                let stats = columns.map(|(at, column)| self.stat(at, column).0);
                Content::Stats(stats.collect())
            }
            View::Series => {
                let at = match &query.column {
                    Some(name) => self.column(name)?,
                    None => self
                        .numbers()
                        .ok_or_else(|| DebuggerError::usage("There is no column of numbers."))?,
                };
                Content::Series(Box::new(self.series(at, query)?))
            }
            _ => {
                let (from, to) = query.rows;
                let (left, right) = query.columns;
                let skip = place(from.saturating_sub(self.first));
                let count = place(to.saturating_sub(from));
                let left = place(left);
                let wide = place(right).saturating_sub(left);
                let width = self.columns.len() as u64;
                let cut = |row: Vec<Value>| row.into_iter().skip(left).take(wide).collect();
                Content::Table(Table {
                    columns: self.columns.into_iter().skip(left).take(wide).collect(),
                    first_column: left as u64,
                    width,
                    first: from.min(self.total),
                    total: self.total,
                    all: self.total,
                    labels: self.labels.into_iter().skip(skip).take(count).collect(),
                    rows: self
                        .rows
                        .into_iter()
                        .skip(skip)
                        .take(count)
                        .map(cut)
                        .collect(),
                })
            }
        })
    }

    /// The first column of numbers.
    pub fn numbers(&self) -> Option<usize> {
        let has = |at: &usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(*at));
            cells.take(20).any(Value::is_number)
        };
        (0..self.columns.len()).find(has)
    }

    fn stat(&self, at: usize, column: &Column) -> (Stat, Vec<f64>) {
        let cells: Vec<_> = self.rows.iter().filter_map(|row| row.get(at)).collect();
        let is_none = |cell: &&&Value| cell.is_null() || shown(cell).eq_ignore_ascii_case("nan");
        let values: Vec<_> = cells.iter().filter(|c| !is_none(c)).copied().collect();
        let numbers: Vec<f64> = values.iter().filter_map(|cell| cell.as_f64()).collect();
        let is_numeric = !numbers.is_empty() && numbers.len() == values.len();
        let count = numbers.len() as f64;
        let mean = is_numeric.then(|| numbers.iter().sum::<f64>() / count);
        let spread = |mean: f64| {
            let squares = numbers.iter().map(|n| (n - mean).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        };
        let distinct: BTreeSet<_> = values.iter().map(|cell| shown(cell)).collect();
        let least = values.iter().min_by(|a, b| compare(a, b));
        let most = values.iter().max_by(|a, b| compare(a, b));
        let stat = Stat {
            name: column.name.clone(),
            type_name: column.type_name.clone(),
            count: self.rows.len() as u64,
            none: (self.rows.len() - values.len()) as u64,
            min: least.map(|cell| (*cell).clone()).unwrap_or_default(),
            max: most.map(|cell| (*cell).clone()).unwrap_or_default(),
            mean,
            deviation: mean.map(spread),
            distinct: distinct.len() as u64,
            distinct_more: false,
        };
        (stat, numbers)
    }

    fn series(&self, at: usize, query: &Query) -> Result<Series> {
        let column = self.columns.get(at).cloned().unwrap_or_default();
        let (stat, numbers) = self.stat(at, &column);
        let bounds = |of: &[f64]| {
            let low = of.iter().copied().reduce(f64::min)?;
            Some((low, of.iter().copied().fold(low, f64::max)))
        };
        let (low, high) = bounds(&numbers)
            .ok_or_else(|| DebuggerError::usage("There are no numbers in this column."))?;
        let step = self
            .rows
            .len()
            .div_ceil((query.points as usize / 2).max(1))
            .max(1);
        let of_rows = |rows: &[Vec<Value>]| {
            let cells = rows.iter().filter_map(|row| row.get(at)?.as_f64());
            bounds(&cells.collect::<Vec<_>>())
        };
        let mut bins = vec![0; BINS];
        let wide = (high - low) / BINS as f64;
        for number in &numbers {
            let at = if wide > 0.0 {
                ((number - low) / wide) as usize
            } else {
                0
            };
            if let Some(bin) = bins.get_mut(at.min(BINS - 1)) {
                *bin += 1;
            }
        }
        Ok(Series {
            stat,
            step: step as u64,
            points: self.rows.chunks(step).map(of_rows).collect(),
            bins,
            low,
            high,
        })
    }
}

/// Numbers before all else, by their size; what is no number by its text.
fn compare(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => shown(a).cmp(&shown(b)),
    }
}
