//! What is seen, as a file: a table as CSV or JSON (by the file's ending) and a long text, page by page; a picture as PNG.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use debugger::data::{Content, Query, Table, View as ViewMode, shown};
use serde_json::{Map, Value};

use super::{DataView, text::PIECE};
use crate::debug_prelude::*;

/// Rows that are asked for together, and bytes after which no more are.
const ROWS: u64 = 400;
const MOST: usize = 64 << 20;

/// A file on its way.
pub struct Saving {
    path: PathBuf,
    pub number: u64,
    query: Query,
    way: ViewMode,
    out: Vec<u8>,
    rows: u64,
}

impl Saving {
    fn is_json(&self) -> bool {
        self.path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json") && !is_piece(self.way))
    }
}

/// Whether it comes in pieces and not in rows.
fn is_piece(way: ViewMode) -> bool {
    [ViewMode::Bytes, ViewMode::Text].contains(&way)
}

/// Asks for the name of the file.
pub fn ask(view: &mut DataView, cx: &Cx) {
    let ending = match (view.way, view.seen().and_then(super::Shows::saved)) {
        (_, Some((ending, _))) => ending,
        (Some(ViewMode::Bytes), None) => "bin",
        (Some(ViewMode::Text), None) => "txt",
        _ => "csv",
    };
    let name: String = view
        .expression
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .take(40)
        .collect();
    let folder = cx.view.project.clone();
    let then = move |text: &str| {
        let path = folder.join(text);
        vec![Effect::on("data.begin", |view: &mut DataView, cx| {
            begin(view, path, cx);
        })]
    };
    let hint = "Its ending says how a table is written: .csv or .json.";
    cx.open(prompt(
        "Save what is seen as",
        hint,
        format!("{name}.{ending}"),
        Some("the name of a file"),
        then,
    ));
}

/// The name is there.
fn begin(view: &mut DataView, path: PathBuf, cx: &Cx) {
    if let Some((_, bytes)) = view.seen().and_then(super::Shows::saved) {
        return cx.emit(write(path, bytes, String::new()));
    }
    let way = view.way.unwrap_or(ViewMode::Table);
    let (sort, filter) = view.seen().map(super::Shows::order).unwrap_or_default();
    let query = Query {
        view: Some(if way == ViewMode::Stats {
            ViewMode::Table
        } else {
            way
        }),
        rows: (0, if is_piece(way) { PIECE } else { ROWS }),
        columns: (0, 1_000),
        sort,
        filter,
        ..Query::default()
    };
    let mut saving = Saving {
        path,
        number: 0,
        query,
        way,
        out: Vec::new(),
        rows: 0,
    };
    let ask = next(&mut saving, view);
    view.saving = Some(saving);
    cx.emit(ask);
}

fn next(saving: &mut Saving, view: &DataView) -> Effect {
    saving.number = ticket();
    Effect::ask(
        super::OWNER,
        saving.number,
        view.command(saving.query.clone()),
    )
}

/// A page of it came.
pub fn go_on(view: &mut DataView, result: &CoreAnswer, cx: &Cx) {
    let Some(mut saving) = view.saving.take() else {
        return;
    };
    let data = match result {
        Ok(Reply::Data { data }) => data,
        Ok(_) => return,
        Err(error) => {
            return cx.warn(format!("It was not saved: {}", with_hint(error)));
        }
    };
    let (got, total) = match &data.content {
        Content::Table(table) => {
            add(&mut saving, table);
            (table.rows.len() as u64, table.total)
        }
        Content::Text(piece) => {
            let mut got = 0;
            if piece.follows(saving.rows) {
                saving.out.extend(piece.data.as_bytes());
                got = piece.end().saturating_sub(saving.rows);
            }
            (got, piece.total)
        }
        Content::Bytes(piece) => {
            let bytes = STANDARD.decode(&piece.data).unwrap_or_default();
            saving.out.extend(&bytes);
            (bytes.len() as u64, piece.total)
        }
        _ => return,
    };
    saving.rows += got;
    if got > 0 && saving.rows < total && saving.out.len() < MOST && !view.past {
        let many = saving.query.rows.1 - saving.query.rows.0;
        saving.query.rows = (saving.rows, saving.rows + many);
        let ask = next(&mut saving, view);
        view.saving = Some(saving);
        return cx.emit(ask);
    }
    let rest = match saving.rows {
        rows if rows < total => format!(", the first {} of {}", thousands(rows), thousands(total)),
        _ => String::new(),
    };
    if saving.is_json() {
        saving.out.extend(b"\n]\n");
    }
    cx.emit(write(saving.path, saving.out, rest));
}

/// Adds rows to what is to be written.
fn add(saving: &mut Saving, table: &Table) {
    let names = || table.columns.iter().map(|column| column.name.as_str());
    if saving.is_json() {
        for row in &table.rows {
            let plain = |cell: &Value| match cell {
                Value::Object(fields) if !fields.contains_key("frames") => shown(cell).into(),
                _ => cell.clone(),
            };
            let fields: Map<_, _> = names()
                .map(str::to_owned)
                .zip(row.iter().map(plain))
                .collect();
            let before = if saving.out.is_empty() {
                b"[\n"
            } else {
                b",\n"
            };
            saving.out.extend(before);
            saving
                .out
                .extend(Value::from(fields).to_string().into_bytes());
        }
        return;
    }
    if saving.out.is_empty() {
        line(
            saving,
            std::iter::once(String::new()).chain(names().map(field)),
        );
    }
    for (label, row) in table.labels.iter().zip(&table.rows) {
        let cells = row.iter().map(|cell| field(&shown(cell)));
        line(saving, std::iter::once(field(label)).chain(cells));
    }
}

/// Adds a line of CSV.
fn line(saving: &mut Saving, fields: impl Iterator<Item = String>) {
    saving.out.extend(joined(fields, ",").into_bytes());
    saving.out.extend(b"\r\n");
}

/// A field of CSV (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn write(path: PathBuf, bytes: Vec<u8>, rest: String) -> Effect {
    Effect::work("data.write", move |teller| {
        let name = clean_path(&path);
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path);
        let done = file.and_then(|mut file| file.write_all(&bytes));
        teller.call(move |_: &mut DataView, cx| match done {
            Ok(()) => cx.info(format!("Saved as {name}{rest}.")),
            Err(error) => cx.warn(format!("{name} was not written: {error}.")),
        });
    })
}
