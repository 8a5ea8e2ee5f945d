//! Breakpoints that record instead of stopping, and the table of what they, and logpoints, recorded in a session.
//!
//! Who stops, evaluates and goes on is the core (`core::refine`). What to record is a [`Record`]; here is what was recorded, within
//! bounds ([`Records`]), and the same as data, so that it is shown, plotted and saved as any other data is.

use std::time::Instant;

use crate::{
    core::{Part, pieces},
    data::{Column, parts},
    prelude::*,
    record::Record,
};

/// Rows kept of a session, and their bytes, roughly counted; the oldest are let go.
const ROWS: usize = 10_000;
const BYTES: usize = 4 << 20;
/// Frames kept of a stack.
pub(crate) const FRAMES: usize = 8;
/// Bytes kept of a value.
const VALUE: usize = 1_000;
/// Columns of values.
const COLUMNS: usize = 60;
/// Columns that each row has.
const OWN: [&str; 4] = ["time", "thread", "where", "skipped"];

/// A frame of a stack that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFrame {
    pub function: String,
    /// Path or name of its source.
    pub file: Option<String>,
    pub line: i64,
}

impl RecordedFrame {
    /// Of a frame.
    pub fn of(frame: &StackFrame) -> Self {
        Self {
            function: frame.name.clone(),
            file: frame.file().map(str::to_owned),
            line: frame.line,
        }
    }
}

impl fmt::Display for RecordedFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self
            .file
            .as_deref()
            .map(|file| file.rsplit(['/', '\\']).next());
        match name.flatten() {
            Some(name) => write!(f, "{name}:{} {}", self.line, self.function),
            None => f.write_str(&self.function),
        }
    }
}

/// How what a logpoint prints reads: its text, with anything where its `{expressions}` stand; adapters may put a heading before it.
#[derive(Debug)]
pub struct Template {
    message: String,
    names: Vec<String>,
    shortest: Regex,
    longest: Regex,
    /// It has words of its own, and not expressions only.
    has_words: bool,
}

impl Template {
    /// Of a logpoint's text.
    pub fn of(message: &str) -> Option<Self> {
        let (mut names, mut reads, mut has_words) = (Vec::new(), String::new(), false);
        for part in pieces(message) {
            match part {
                Part::Text(text) => {
                    reads.push_str(&regex::escape(text));
                    has_words |= !text.trim().is_empty();
                }
                Part::Expression(expression) => {
                    reads.push_str("((?s:.*?))");
                    names.push(expression.to_owned());
                }
            }
        }
        let reads = format!("^(?:> [^\n]*?: )?({reads})$");
        Some(Self {
            message: message.to_owned(),
            names,
            longest: Regex::new(&format!("(?U){reads}")).ok()?,
            shortest: Regex::new(&reads).ok()?,
            has_words,
        })
    }

    /// What it printed, if it was this logpoint, at `line`.
    pub fn printed<'t>(&self, chunk: &'t OutputChunk, line: Option<i64>) -> Option<&'t str> {
        let text = chunk.text.trim_end_matches(['\r', '\n']);
        let from_here = chunk.line.is_some() && chunk.line == line;
        let from_program = matches!(chunk.category.as_str(), "stdout" | "stderr") && !from_here;
        if !self.has_words && !from_here && (from_program || text.is_empty()) {
            return None;
        }
        Some(self.shortest.captures(text)?.get(1)?.as_str())
    }

    /// The values in what it printed, where it can be read in one way only.
    pub fn values(&self, printed: &str) -> Option<Vec<(String, Outcome)>> {
        let (short, long) = (
            self.shortest.captures(printed)?,
            self.longest.captures(printed)?,
        );
        let values = self.names.iter().zip(2..).map(|(name, at)| {
            let value = short.get(at)?;
            (Some(value) == long.get(at))
                .then(|| (name.clone(), Outcome::Value(value.as_str().to_owned())))
        });
        values
            .collect::<Option<Vec<_>>>()
            .filter(|all| !all.is_empty())
    }
}

/// What was recorded at one hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// From 1, over the life of the session.
    pub number: u64,
    pub breakpoint: BreakpointId,
    /// Microseconds since the session began.
    pub at: u64,
    pub thread_id: Option<i64>,
    /// The thread's name, where it is known.
    pub thread: Option<String>,
    /// Expressions and what they came to.
    pub values: Vec<(String, Outcome)>,
    /// Innermost first.
    pub stack: Arc<Vec<RecordedFrame>>,
    /// Hits of this breakpoint since its last row that were over its limit, and only counted.
    pub skipped: u64,
}

impl Recorded {
    fn weight(&self) -> usize {
        let values = self.values.iter().map(|(name, value)| {
            let (Outcome::Value(text) | Outcome::Error(text)) = value;
            name.len() + text.len() + 64
        });
        160 + values.sum::<usize>()
    }

    fn cell(&self, column: &str) -> Value {
        let found = self.values.iter().find(|(name, _)| named(name) == column);
        match found {
            Some((_, Outcome::Value(text))) => parts::cell(text),
            Some((_, Outcome::Error(why))) => json!({ "shown": format!("<{why}>") }),
            None => Value::Null,
        }
    }
}

/// What a column of values is called: never as one of ours.
fn named(expression: &str) -> String {
    let mark = if OWN.contains(&expression) { " =" } else { "" };
    format!("{expression}{mark}")
}

/// The hits of one breakpoint within its limit.
#[derive(Debug, Default)]
struct Limit {
    /// When the last ones were recorded, as many as a second may have.
    taken: VecDeque<Instant>,
    skipped: u64,
    all_skipped: u64,
}

/// The table of a session.
#[derive(Debug, Default)]
pub struct Records {
    rows: VecDeque<Arc<Recorded>>,
    bytes: usize,
    /// How many there were.
    count: u64,
    limits: BTreeMap<BreakpointId, Limit>,
    /// How logpoints read that adapters print.
    templates: BTreeMap<BreakpointId, Template>,
}

impl Records {
    /// Whether one more hit is within the limit.
    pub fn has_room(&self, id: BreakpointId, record: &Record, now: Instant) -> bool {
        self.limits.get(&id).is_none_or(|limit| {
            let oldest = limit.taken.len().checked_sub(record.per_second as usize);
            let oldest = oldest.and_then(|at| limit.taken.get(at));
            oldest.is_none_or(|at| now.duration_since(*at) >= Duration::from_secs(1))
        })
    }

    /// One more hit; how many were skipped before it. None where it is over the limit, or not placed: it is counted.
    pub fn take(
        &mut self,
        id: BreakpointId,
        record: &Record,
        now: Instant,
        placed: bool,
    ) -> Option<u64> {
        let has_room = placed && self.has_room(id, record, now);
        let limit = self.limits.entry(id).or_default();
        if !has_room {
            limit.skipped += 1;
            limit.all_skipped += 1;
            return None;
        }
        limit.taken.push_back(now);
        while limit.taken.len() > record.per_second as usize {
            limit.taken.pop_front();
        }
        Some(mem::take(&mut limit.skipped))
    }

    /// Hits of all breakpoints that were over their limits.
    pub fn skipped(&self) -> u64 {
        self.limits.values().map(|limit| limit.all_skipped).sum()
    }

    /// What an adapter printed for a logpoint, as values.
    pub fn read(
        &mut self,
        logpoint: &Breakpoint,
        chunk: &OutputChunk,
    ) -> Option<Vec<(String, Outcome)>> {
        let message = logpoint.log_message.as_ref()?;
        if self
            .templates
            .get(&logpoint.id)
            .is_none_or(|known| known.message != *message)
        {
            self.templates.insert(logpoint.id, Template::of(message)?);
        }
        let template = self.templates.get(&logpoint.id)?;
        template.values(template.printed(chunk, logpoint.shown_line())?)
    }

    /// Keeps a row, and gives it its number.
    pub fn keep(&mut self, mut row: Recorded) -> Arc<Recorded> {
        self.count += 1;
        row.number = self.count;
        for (_, value) in &mut row.values {
            let (Outcome::Value(text) | Outcome::Error(text)) = value;
            if text.len() > VALUE {
                text.truncate(text.floor_char_boundary(VALUE));
                text.push('…');
            }
        }
        // Most hits have the stack of the one before.
        match self.rows.back().filter(|last| last.stack == row.stack) {
            Some(last) => row.stack = Arc::clone(&last.stack),
            None => self.bytes += row.stack.len() * 120,
        }
        self.bytes += row.weight();
        let row = Arc::new(row);
        self.rows.push_back(Arc::clone(&row));
        while self.rows.len() > ROWS || self.bytes > BYTES {
            let Some(gone) = self.rows.pop_front() else {
                break;
            };
            let shared = self
                .rows
                .front()
                .is_some_and(|next| Arc::ptr_eq(&next.stack, &gone.stack));
            let stack = if shared { 0 } else { gone.stack.len() * 120 };
            self.bytes = self.bytes.saturating_sub(gone.weight() + stack);
        }
        row
    }

    /// All as they are now, to be looked at elsewhere.
    pub fn seen(&self) -> RecordsSnapshot {
        RecordsSnapshot {
            rows: self.rows.iter().cloned().collect(),
            count: self.count,
            skipped: self.skipped(),
        }
    }
}

/// See [`Records::seen`].
#[derive(Debug, Default)]
pub struct RecordsSnapshot {
    rows: Vec<Arc<Recorded>>,
    count: u64,
    skipped: u64,
}

impl RecordsSnapshot {
    /// As data.
    pub fn data(self, query: &Query) -> Result<Data> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self.rows.iter().flat_map(|row| &row.values) {
            let name = named(name);
            if names.len() < COLUMNS && !names.contains(&name) {
                names.push(name);
            }
        }
        let gaps = self.rows.iter().any(|row| row.skipped > 0);
        let rows = self.rows.iter().map(|row| {
            let place = row.stack.first().map(ToString::to_string);
            let thread = row.thread.clone().map(Value::from);
            let mut cells = vec![
                json!(row.at as f64 / 1e6),
                thread
                    .or_else(|| row.thread_id.map(Value::from))
                    .unwrap_or_default(),
                json!({ "shown": place.unwrap_or_default(), "frames": row.stack }),
            ];
            cells.extend(names.iter().map(|name| row.cell(name)));
            cells.extend(gaps.then(|| row.skipped.into()));
            cells
        });
        let rows: Vec<_> = rows.collect();
        let has_numbers = |at: usize| {
            rows.iter()
                .any(|row| row.get(at).is_some_and(Value::is_number))
        };
        let numeric = names.iter().zip(3..).find(|(_, at)| has_numbers(*at));
        let numeric = numeric.map(|(name, _)| name.clone());
        let [time, thread, place, skipped] = OWN.map(str::to_owned);
        let mut columns = vec![time, thread, place];
        columns.append(&mut names);
        columns.extend(gaps.then_some(skipped));
        let columns = columns.into_iter().map(|name| Column {
            name,
            ..Column::default()
        });
        let kept = rows.len() as u64;
        let table = parts::Rows {
            columns: columns.collect(),
            labels: self.rows.iter().map(|row| row.number.to_string()).collect(),
            rows,
            first: 0,
            total: kept,
        };
        let view = query
            .view
            .filter(|view| *view != View::Tree)
            .unwrap_or(View::Table);
        let let_go = self.count - kept;
        let mut notes = Vec::new();
        if let_go > 0 {
            notes.push(format!("the first {let_go} are no longer kept"));
        }
        if self.skipped > 0 {
            notes.push(format!(
                "{} hits were over the limit, and only counted",
                self.skipped
            ));
        }
        let mut views = vec![View::Table, View::Stats];
        views.extend(numeric.as_ref().map(|_| View::Series));
        let mut query = query.clone();
        query.column = query.column.or(numeric);
        let mut content = table.ordered(&query)?.seen(view, &query)?;
        if let Content::Table(table) = &mut content {
            table.all = kept;
        }
        Ok(Data {
            kind: "records".to_owned(),
            shape: Some(self.count.to_string()),
            views,
            view: Some(view),
            notes,
            content,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_a_logpoint_are_those_of_the_only_reading() {
        let values = |message: &str, printed: &str| {
            let found = Template::of(message).unwrap().values(printed)?;
            Some(
                found
                    .iter()
                    .map(|(name, value)| format!("{name}={value:?}"))
                    .joined(" "),
            )
        };
        let told = values("x {a} of {b[1]}", "x 3 of 4").unwrap();
        assert_eq!(told, "a=Value(\"3\") b[1]=Value(\"4\")");
        for (message, printed) in [
            ("x {a} of {b}", "x 3 of 4 of 5"),
            ("{a}{b}", "12"),
            ("no value", "no value"),
            ("x {a}", "y 3"),
        ] {
            assert_eq!(values(message, printed), None, "{message} {printed}");
        }
    }

    #[test]
    fn the_oldest_rows_are_let_go_and_long_values_are_cut() {
        let mut records = Records::default();
        let row = |text: String, line| Recorded {
            values: vec![("time".to_owned(), Outcome::Value(text))],
            stack: Arc::new(vec![RecordedFrame {
                line,
                ..RecordedFrame::default()
            }]),
            ..Recorded::default()
        };
        for number in 0..ROWS as i64 + 5 {
            records.keep(row(number.to_string(), number / 3));
        }
        let data = records.seen().data(&Query::default()).unwrap();
        assert_eq!(data.notes, ["the first 5 are no longer kept"]);
        let Content::Table(table) = data.content else {
            panic!("it is a table");
        };
        assert_eq!((table.all, table.labels[0].as_str()), (ROWS as u64, "6"));
        assert_eq!(table.columns[3].name, "time =", "ours is another");
        for number in 0..ROWS as i64 {
            records.keep(row("ä".repeat(5_000), number));
            assert!(records.bytes <= BYTES);
        }
        let held: usize = records.rows.iter().map(|row| row.weight() + 120).sum();
        assert_eq!(held, records.bytes);
        assert!(records.rows.len() > 1_000 && records.rows.len() < ROWS);
    }

    #[test]
    fn no_second_has_more_than_the_limit() {
        let (mut records, record) = (Records::default(), Record::written("3/s x").unwrap());
        let start = Instant::now();
        let id = BreakpointId(1);
        let mut taken = Vec::new();
        for ms in (0..4_000).step_by(50) {
            let now = start + Duration::from_millis(ms);
            taken.extend(
                records
                    .take(id, &record, now, true)
                    .map(|skipped| (ms, skipped)),
            );
        }
        let first: Vec<_> = taken.iter().take(5).copied().collect();
        assert_eq!(first, [(0, 0), (50, 0), (100, 0), (1_000, 17), (1_050, 0)]);
        assert_eq!(records.skipped(), 80 - taken.len() as u64);
    }
}
