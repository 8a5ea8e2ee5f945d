//! Two values beside each other: what stands for the other one, and in which rows they differ.

use std::{borrow::Cow, ops::Range, time::Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{Column, Piece, Table, parts::cell, place, shown};
use crate::prelude::*;

/// Rows up to which what was put in between, or taken out, moves those behind it; of a longer table each row is compared with the one
/// of its number.
pub const WHOLE: u64 = 1_000;
/// Columns that only one of them has, of which the names are told.
const NAMED: usize = 8;
/// How long the rows of two values are brought together.
const PATIENCE: Duration = Duration::from_millis(200);

/// With what a value is compared, as it is written: `stop 3`, `frame 1`, `thread 5`, another expression, or one that is there:
/// `thread 5 frame 1 total`. Frames are counted from the innermost, which is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Other {
    pub stop: Option<u64>,
    pub thread: Option<i64>,
    pub frame: Option<usize>,
    pub expression: Option<String>,
}

impl Other {
    /// Reads it.
    pub fn read(text: &str) -> Self {
        let mut other = Self::default();
        let mut rest = text.trim();
        while let Some((word, behind)) = rest.split_once(' ') {
            let (number, then) = behind.split_once(' ').unwrap_or((behind, ""));
            let is_taken = match word {
                "stop" => number.parse().map(|n| other.stop = Some(n)).is_ok(),
                "thread" => number.parse().map(|n| other.thread = Some(n)).is_ok(),
                "frame" => number.parse().map(|n| other.frame = Some(n)).is_ok(),
                _ => false,
            };
            if !is_taken {
                break;
            }
            rest = then.trim_start();
        }
        other.expression = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
        other
    }
}

/// What differs between a value as it `was` and as it is `now`: cell by cell where both are tables, in the columns that both have, otherwise
/// line by line. Rows have a sign before their names: `~` changed, `+` came, `-` went. `with` says what it was, in words.
pub fn compare(was: &Data, now: &Data, with: &str, query: &Query) -> Data {
    let mut others = Vec::new();
    let (mut table, pairs, is_page, of) = match (&was.content, &now.content) {
        (Content::Table(a), Content::Table(b)) if has_common(a, b) => {
            let (a, b) = if names(a) == names(b) {
                (Cow::Borrowed(a), Cow::Borrowed(b))
            } else {
                let lacking = [(a, b, format!("in {with}")), (b, a, "here".to_owned())];
                others.extend(
                    lacking
                        .iter()
                        .filter_map(|(of, other, place)| only_in(of, other, place)),
                );
                // Of several columns of one name the first stands for all.
                let (was, mut seen) = (names(a), BTreeSet::new());
                let mut shared = names(b);
                shared.retain(|name| was.contains(name) && seen.insert(*name));
                (Cow::Owned(only(a, &shared)), Cow::Owned(only(b, &shared)))
            };
            let (a, b) = (&*a, &*b);
            let is_whole = |t: &Table| t.first == 0 && t.rows.len() as u64 == t.total;
            let is_page = !(is_whole(a) && is_whole(b));
            let table = Table {
                total: a.total.max(b.total),
                all: a.all.max(b.all),
                labels: Vec::new(),
                rows: Vec::new(),
                ..b.clone()
            };
            let range = if is_page {
                query.rows.0..query.rows.1
            } else {
                0..WHOLE
            };
            let is_named = has_names(a) || has_names(b);
            let (a, b) = (rows(a, &range, is_named), rows(b, &range, is_named));
            (table, pairs(a, b, is_page), is_page, "rows")
        }
        _ => {
            let table = Table {
                columns: vec![column(with), column("now")],
                width: 2,
                ..Table::default()
            };
            (table, pairs(lines(was), lines(now), false), false, "lines")
        }
    };
    let is_table = of == "rows";
    let all = pairs.len() as u64;
    let differ = pairs.iter().filter(|pair| pair.sign() != ' ').count();
    table.first = query.rows.0.min(all);
    let mut notes = if is_page {
        let first = query.rows.0;
        table.first = first;
        vec![format!(
            "{differ} of the rows {first}..{} differ from {with}.",
            first + all
        )]
    } else {
        (table.total, table.all) = (all, all);
        vec![format!("{differ} of {all} {of} differ from {with}.")]
    };
    notes.extend(others);
    notes.extend(now.notes.iter().cloned());
    let skip = if is_page { 0 } else { place(table.first) };
    let some = place(query.rows.1.saturating_sub(query.rows.0));
    let sight = pairs.into_iter().skip(skip).take(some);
    (table.labels, table.rows) = sight.map(|pair| pair.row(is_table)).unzip();
    Data {
        kind: now.kind.clone(),
        shape: now.shape.clone(),
        views: vec![View::Table],
        view: Some(View::Table),
        notes,
        content: Content::Table(table),
    }
}

fn names(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| &*column.name).collect()
}

fn has_common(a: &Table, b: &Table) -> bool {
    let (was, now) = (names(a), names(b));
    was == now || was.iter().any(|name| now.contains(name))
}

/// A table of these columns of another one.
fn only(table: &Table, columns: &[&str]) -> Table {
    let place = |name: &&str| {
        table
            .columns
            .iter()
            .position(|column| column.name == **name)
    };
    let places: Vec<usize> = columns.iter().filter_map(place).collect();
    let rows = table.rows.iter().map(|row| pick(row, &places));
    Table {
        columns: pick(&table.columns, &places),
        first_column: 0,
        width: places.len() as u64,
        rows: rows.collect(),
        ..table.clone()
    }
}

fn pick<T: Clone>(all: &[T], places: &[usize]) -> Vec<T> {
    places
        .iter()
        .filter_map(|at| all.get(*at).cloned())
        .collect()
}

/// Says which columns the other table does not have.
fn only_in(table: &Table, other: &Table, place: &str) -> Option<String> {
    let (mut all, others) = (names(table), names(other));
    all.retain(|name| !others.contains(name));
    let some = all
        .iter()
        .take(NAMED)
        .map(|name| format!("`{name}`"))
        .joined(", ");
    let more = if all.len() > NAMED { ", …" } else { "" };
    (!all.is_empty()).then(|| format!("Columns only {place}: {some}{more}."))
}

fn column(name: &str) -> Column {
    Column {
        name: name.to_owned(),
        ..Column::default()
    }
}

/// A row: what it is called, whether that is more than its place, and its cells.
#[derive(PartialEq)]
struct Row(String, bool, Vec<Value>);

/// A row as it was and as it is.
struct Pair(Option<Row>, Option<Row>);

/// Whether rows are called something else than their places. Then those called by a number are, too: a row that was taken out of
/// a `DataFrame` leaves the others their names.
fn has_names(table: &Table) -> bool {
    let mut labels = table.labels.iter().zip(table.first..);
    labels.any(|(label, at)| *label != at.to_string())
}

fn rows(table: &Table, range: &Range<u64>, is_named: bool) -> Vec<Row> {
    let rows = table.labels.iter().zip(&table.rows).zip(table.first..);
    let rows = rows.filter(|(_, at)| range.contains(at));
    rows.map(|((label, cells), _)| Row(label.clone(), is_named, cells.clone()))
        .collect()
}

/// A value in lines; JSON as a person writes it, so that there are some.
fn lines(data: &Data) -> Vec<Row> {
    let text = match &data.content {
        Content::Text(piece) => {
            let json: Option<Value> = serde_json::from_slice(piece.data.as_bytes()).ok();
            let json = json.filter(|json| json.is_object() || json.is_array());
            json.and_then(|json| serde_json::to_string_pretty(&json).ok())
                .unwrap_or_else(|| piece.data.clone())
        }
        _ => data.told(),
    };
    let lines = text.lines().zip(1..);
    lines
        .map(|(line, at): (_, usize)| Row(at.to_string(), false, vec![line.into()]))
        .collect()
}

/// Brings rows together: those of a page by their numbers, others so that what was put in between moves those behind it.
fn pairs(was: Vec<Row>, now: Vec<Row>, is_page: bool) -> Vec<Pair> {
    let key = |rows: &[Row]| {
        let keys = rows.iter().map(|Row(label, is_name, cells)| {
            let name = Some(label).filter(|_| *is_name);
            format!("{name:?}{}", json!(cells))
        });
        keys.collect::<Vec<_>>()
    };
    let operations = if is_page {
        vec![DiffOp::Replace {
            old_index: 0,
            old_len: was.len(),
            new_index: 0,
            new_len: now.len(),
        }]
    } else {
        let end = Some(Instant::now() + PATIENCE);
        capture_diff_slices_deadline(Algorithm::Myers, &key(&was), &key(&now), end)
    };
    let (mut was, mut now) = (was.into_iter(), now.into_iter());
    let mut found = Vec::new();
    for operation in operations {
        let (old, new) = (operation.old_range().len(), operation.new_range().len());
        for at in 0..old.max(new) {
            let before = if at < old { was.next() } else { None };
            let after = if at < new { now.next() } else { None };
            match (before, after) {
                // Rows of other names are not the same row changed.
                (Some(a), Some(b)) if (a.1 || b.1) && a.0 != b.0 => {
                    found.extend([Pair(Some(a), None), Pair(None, Some(b))]);
                }
                (before, after) => found.push(Pair(before, after)),
            }
        }
    }
    found
}

impl Pair {
    fn sign(&self) -> char {
        match self {
            Self(None, _) => '+',
            Self(_, None) => '-',
            Self(Some(was), Some(now)) if was.2 == now.2 => ' ',
            _ => '~',
        }
    }

    /// What it is called, and its cells: of a table each with what it was where it is another one, of a text both lines.
    fn row(self, is_table: bool) -> (String, Vec<Value>) {
        let sign = self.sign();
        let Self(was, now) = self;
        let label = now.as_ref().or(was.as_ref()).map(|row| row.0.clone());
        let label = format!("{sign} {}", label.unwrap_or_default());
        let cells = |row: Option<Row>| row.map_or_else(Vec::new, |row| row.2);
        let (was, now) = (cells(was), cells(now));
        if !is_table {
            let line = |cells: Vec<Value>| cells.into_iter().next().unwrap_or_else(|| "".into());
            return (label, vec![line(was), line(now)]);
        }
        let row = match sign {
            '-' => was,
            '~' => was.into_iter().zip(now).map(both).collect(),
            _ => now,
        };
        (label, row)
    }
}

/// A cell as it was and as it is.
fn both((was, now): (Value, Value)) -> Value {
    if was == now {
        return now;
    }
    let plain = |cell: &Value| {
        if cell.is_null() {
            "none".into()
        } else {
            shown(cell).into_owned()
        }
    };
    json!({"shown": format!("{} → {}", plain(&was), plain(&now)), "was": was, "now": now})
}

/// What only a debugger's tree shows of a value, as a table: its parts and what they show; a value without parts as a text.
pub fn of_parts(kind: String, value: String, parts: Option<Vec<(String, String)>>) -> Data {
    let content = match parts {
        None => Content::Text(Piece {
            total: value.chars().count() as u64,
            data: value,
            ..Piece::default()
        }),
        Some(parts) => {
            let total = parts.len() as u64;
            let rows = parts.into_iter();
            let (labels, rows) = rows.map(|(name, text)| (name, vec![cell(&text)])).unzip();
            Content::Table(Table {
                columns: vec![column("value")],
                width: 1,
                total,
                all: total,
                labels,
                rows,
                ..Table::default()
            })
        }
    };
    Data {
        kind,
        content,
        ..Data::default()
    }
}
