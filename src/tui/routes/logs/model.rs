//! The entries that are held: a window on a log of any size, and the rows they make.
//!
//! The window grows by pages at both ends and by what is appended; when it has grown enough, the page that comes begins a new
//! one. So memory is bounded at any depth.

use std::sync::Mutex;

use diagnostics::logs::{Cursor, Entry, Filter, JUMP, Level, Log, Page, Window, name_of};

use crate::prelude::*;

/// Entries that are held.
const MOST: usize = 5_000;
/// Bytes of text that are held.
const MOST_BYTES: usize = 6 * 1024 * 1024;
/// So many entries are looked at for the place of one that comes late.
const LATE: usize = 500;
/// A silence that is marked, in milliseconds.
const GAP: i64 = 5 * 60_000;

/// The open log; pages of it are read one after the other.
pub type OpenLog = Arc<Mutex<Option<Log>>>;

/// What was found when a log was opened.
#[derive(Debug)]
pub struct Opened {
    /// The newest page.
    pub page: Page,
    /// Its files by their numbers.
    pub files: Vec<PathBuf>,
    /// Short names of them, where entries do not tell otherwise whose they are.
    pub names: Vec<String>,
    /// What a reader should know: nothing there, files that cannot be read.
    pub notes: Vec<String>,
}

/// Who an entry is: its file and where it begins there.
pub type Key = (usize, u64);

/// An entry with its time as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// As read.
    pub entry: Entry,
    /// `2026-08-21 14:03:22.118`, local; empty without a time.
    pub stamp: String,
}

impl Item {
    fn new(entry: Entry) -> Self {
        Self {
            stamp: entry.time.map(format_time).unwrap_or_default(),
            entry,
        }
    }

    /// Who it is.
    pub fn key(&self) -> Key {
        (self.entry.source, self.entry.offset)
    }

    /// `2026-08-21`.
    pub fn day(&self) -> &str {
        self.stamp.get(..10).unwrap_or_default()
    }
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// There is more before.
    Older,
    /// A day or a file begins with this entry.
    Border(usize),
    /// So long nothing was written.
    Gap(i64),
    Entry(usize),
    /// There is more behind.
    Newer,
}

/// The window.
#[derive(Debug, Default)]
pub struct Model {
    pub items: Vec<Item>,
    pub rows: Vec<Row>,
    /// The log's files by their numbers.
    pub files: Vec<PathBuf>,
    /// What they are called beside their entries, if that is needed to tell whose these are.
    pub names: Vec<String>,
    /// Whether an entry that is held tells its process.
    pub has_pids: bool,
    /// Where older entries are read; none = nobody knows any more.
    pub before: Option<Cursor>,
    /// Where newer entries are read.
    pub after: Option<Cursor>,
    /// Whether the log's beginning is among them.
    pub at_start: bool,
    /// Whether what is appended comes right behind them.
    pub at_end: bool,
    bytes: usize,
    /// Where the last entry of each file begins.
    last: HashMap<usize, u64>,
    /// The level that was appended last to each file, shown or not.
    levels: HashMap<usize, Level>,
}

impl Model {
    /// Rows in all.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The entry in a row.
    pub fn at(&self, row: usize) -> Option<&Item> {
        match self.rows.get(row)? {
            Row::Entry(index) => self.items.get(*index),
            _ => None,
        }
    }

    /// The row of an entry.
    pub fn row_of(&self, key: Key) -> Option<usize> {
        self.rows
            .iter()
            .position(|row| matches!(row, Row::Entry(i) if self.items.get(*i).is_some_and(|item| item.key() == key)))
    }

    /// The row of the entry with this number.
    pub fn row_of_index(&self, index: usize) -> Option<usize> {
        self.rows.iter().position(|row| *row == Row::Entry(index))
    }

    /// The newest page.
    pub fn open(&mut self, opened: Opened) {
        self.files = opened.files;
        self.names = opened.names;
        self.replace(opened.page.entries);
        self.before = Some(opened.page.before);
        self.after = None;
        (self.at_start, self.at_end) = (opened.page.reached_end, true);
        self.lay_out();
    }

    /// The oldest page.
    pub fn first(&mut self, page: Page) {
        self.replace(page.entries);
        self.before = Some(page.before);
        self.after = Some(page.after);
        (self.at_start, self.at_end) = (true, page.reached_end);
        self.lay_out();
    }

    /// Entries around one that was searched; gives its row.
    pub fn window(&mut self, window: Window) -> Option<usize> {
        self.replace(window.entries);
        self.before = Some(window.before);
        self.after = Some(window.after);
        (self.at_start, self.at_end) = window.reached;
        self.lay_out();
        self.row_of_index(window.at)
    }

    /// The page before; gives how many entries came.
    pub fn older(&mut self, page: Page) -> usize {
        let came = page.entries.len();
        if self.is_full() && came > 0 {
            self.let_go();
            self.after = Some(page.after);
            self.at_end = false;
        }
        let entries: Vec<Item> = page.entries.into_iter().map(Item::new).collect();
        for item in &entries {
            self.track(item);
        }
        self.items.splice(0..0, entries);
        self.before = Some(page.before);
        self.at_start = page.reached_end;
        self.lay_out();
        came
    }

    /// The page behind.
    pub fn newer(&mut self, page: Page) {
        if self.is_full() && !page.entries.is_empty() {
            self.let_go();
            self.before = Some(page.before);
            self.at_start = false;
        }
        for entry in page.entries {
            self.push(entry);
        }
        self.after = Some(page.after);
        self.at_end = page.reached_end;
        self.lay_out();
    }

    /// What was appended: new entries, and those that became longer. Gives how many new ones are shown and how many are not.
    /// While `held`, nothing is let go for them: those that do not fit are read again later.
    pub fn append(&mut self, entries: Vec<Entry>, filter: &Filter, held: bool) -> (u64, u64) {
        let (mut shown, mut hidden) = (0, 0);
        // Of a flood only the end is kept, and need not be made ready to be shown.
        let skipped = if held {
            0
        } else {
            entries.len().saturating_sub(MOST)
        };
        for (number, entry) in entries.into_iter().enumerate() {
            let key = (entry.source, entry.offset);
            if self.last.get(&key.0).is_some_and(|last| *last >= key.1)
                && let Some(back) = self
                    .items
                    .iter()
                    .rev()
                    .take(1_000)
                    .position(|i| i.key() == key)
            {
                let index = self.items.len() - 1 - back;
                if let Some(item) = self.items.get_mut(index) {
                    self.bytes = self.bytes.saturating_sub(weight(item));
                    *item = Item::new(entry);
                    self.bytes += weight(item);
                }
                continue;
            }
            let behind = self.levels.get(&entry.source).copied();
            if let Some(level) = entry.level {
                self.levels.insert(entry.source, level);
            }
            if !filter.takes_with(behind, &entry) {
                hidden += 1;
                continue;
            }
            shown += 1;
            if number < skipped {
                self.let_go();
                self.before = None;
                self.at_start = false;
                continue;
            }
            if self.at_end && held && self.is_full() {
                self.at_end = false;
                self.after = None;
            }
            if self.at_end {
                self.push(entry);
            }
        }
        if self.is_full() && !held {
            let old = (self.items.len() / 2).max(self.items.len().saturating_sub(MOST / 2));
            for item in self.items.drain(..old) {
                self.bytes = self.bytes.saturating_sub(weight(&item));
            }
            self.before = None;
            self.at_start = false;
        }
        self.lay_out();
        (shown, hidden)
    }

    fn let_go(&mut self) {
        self.items.clear();
        self.bytes = 0;
    }

    fn is_full(&self) -> bool {
        self.items.len() >= MOST || self.bytes >= MOST_BYTES
    }

    /// Adds an entry to the size, and to the last offset of its source.
    fn track(&mut self, item: &Item) {
        self.bytes += weight(item);
        let (source, offset) = item.key();
        let last = self.last.entry(source).or_default();
        *last = offset.max(*last);
    }

    fn push(&mut self, entry: Entry) {
        let item = Item::new(entry);
        self.track(&item);
        // What was appended late by another process or thread stands where it belongs.
        let is_earlier = |other: &Item| match (item.entry.time, other.entry.time) {
            (Some(time), Some(other)) => time < other && other - time <= JUMP,
            _ => false,
        };
        let late = self.items.iter().rev().take(LATE);
        let late = late.take_while(|other| is_earlier(other)).count();
        let at = self.items.len() - late;
        self.items.insert(at, item);
    }

    fn replace(&mut self, entries: Vec<Entry>) {
        self.let_go();
        for entry in entries {
            self.push(entry);
        }
    }

    fn lay_out(&mut self) {
        self.rows.clear();
        if !self.at_start {
            self.rows.push(Row::Older);
        }
        self.has_pids = self.items.iter().any(|item| item.entry.pid.is_some());
        let mut last: Option<&Item> = None;
        for (index, item) in self.items.iter().enumerate() {
            let is_timed = !item.day().is_empty();
            let new_day = is_timed && last.is_none_or(|last| last.day() != item.day());
            let gap = last
                .and_then(|last| Some(item.entry.time? - last.entry.time?))
                .filter(|gap| *gap >= GAP);
            if let (Some(gap), false) = (gap, new_day) {
                self.rows.push(Row::Gap(gap));
            }
            if new_day || item.entry.offset == 0 {
                self.rows.push(Row::Border(index));
            }
            self.rows.push(Row::Entry(index));
            // What has no time is of no other day.
            last = Some(item).filter(|item| item.entry.time.is_some()).or(last);
        }
        if !self.at_end && !self.items.is_empty() {
            self.rows.push(Row::Newer);
        }
    }
}

fn weight(item: &Item) -> usize {
    item.entry.text.len() + item.entry.message.len() + 200
}

/// An entry in full: what is known of it, its message, its members, the lines that follow it.
pub fn pretty(item: &Item, file: Option<&PathBuf>) -> String {
    let entry = &item.entry;
    let (members, more) = entry.parts();
    let mut head = Vec::new();
    if !item.stamp.is_empty() {
        head.push(item.stamp.clone());
    }
    head.extend(entry.level.map(|level| level.name().to_owned()));
    head.extend(entry.pid.map(|pid| format!("process {pid}")));
    if let Some(file) = file {
        head.push(format!("{} at byte {}", name_of(file), entry.offset));
    }
    let mut lines = vec![head.join("  "), String::new()];
    lines.extend(entry.message.lines().map(str::to_owned));
    if !members.is_empty() {
        lines.push(String::new());
    }
    for (name, value) in &members {
        member(&mut lines, 0, name, value);
    }
    if !more.trim().is_empty() {
        lines.push(String::new());
        lines.extend(more.lines().map(str::to_owned));
    }
    if entry.cut {
        lines.push(String::new());
        lines.push(format!("… this is the beginning of {} bytes", entry.length));
    }
    lines.join("\n")
}

/// Members deeper than this stay on one line.
const DEEPEST: usize = 12;

fn member(lines: &mut Vec<String>, depth: usize, name: &str, value: &serde_json::Value) {
    use serde_json::Value;
    let indent = "  ".repeat(depth);
    match value {
        Value::String(text) if text.contains('\n') => {
            lines.push(format!("{indent}{name}:"));
            lines.extend(text.lines().map(|line| format!("{indent}  {line}")));
        }
        Value::String(text) => lines.push(format!("{indent}{name}: {text}")),
        Value::Object(members) if !members.is_empty() && depth < DEEPEST => {
            lines.push(format!("{indent}{name}:"));
            for (name, value) in members {
                member(lines, depth + 1, name, value);
            }
        }
        Value::Array(items) if !items.is_empty() && depth < DEEPEST => {
            lines.push(format!("{indent}{name}:"));
            for (number, value) in items.iter().enumerate() {
                member(lines, depth + 1, &number.to_string(), value);
            }
        }
        other => lines.push(format!("{indent}{name}: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::logs::Log;

    const MINUTE: i64 = 60_000;

    pub fn entry(offset: u64, minutes: i64, text: &str) -> Entry {
        Entry {
            source: 0,
            offset,
            length: text.len() as u64,
            time: Some(1_787_300_000_000 + minutes * MINUTE),
            level: Some(Level::Info),
            pid: Some(7),
            message: text.to_owned(),
            text: text.to_owned(),
            cut: false,
        }
    }

    fn page(entries: Vec<Entry>, reached_end: bool) -> Page {
        let log = Log::new([]);
        Page {
            entries,
            before: log.start(),
            after: log.end(),
            reached_end,
            read: 0,
        }
    }

    fn opened(entries: Vec<Entry>) -> Model {
        let mut model = Model::default();
        model.open(Opened {
            page: page(entries, false),
            files: vec!["a.log".into()],
            names: Vec::new(),
            notes: Vec::new(),
        });
        model
    }

    #[test]
    fn a_day_a_silence_and_older_entries_are_rows() {
        let model = opened(vec![
            entry(10, 0, "a"),
            entry(20, 1, "b"),
            entry(30, 20, "c"),
        ]);
        assert_eq!(
            model.rows,
            [
                Row::Older,
                Row::Border(0),
                Row::Entry(0),
                Row::Entry(1),
                Row::Gap(19 * MINUTE),
                Row::Entry(2)
            ]
        );
    }

    #[test]
    fn a_page_before_goes_in_front_and_the_beginning_has_no_row_for_more() {
        let mut model = opened(vec![entry(10, 0, "b")]);
        assert_eq!(model.older(page(vec![entry(0, -1, "a")], true)), 1);
        let texts: Vec<_> = model.items.iter().map(|i| i.entry.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(model.rows.first(), Some(&Row::Border(0)));
        assert!(model.at_start);
    }

    #[test]
    fn what_is_appended_without_a_level_goes_with_what_was_before_it() {
        let mut model = opened(vec![]);
        let filter = Filter::default().level(Some(Level::Warn));
        let lines = [
            ("plain", None),
            ("quiet", Some(Level::Info)),
            ("of quiet", None),
            ("bad", Some(Level::Error)),
            ("of bad", None),
        ];
        let news = (1..).zip(lines).map(|(n, (text, level))| Entry {
            level,
            ..entry(n * 10, 0, text)
        });
        model.at_end = true;
        // A batch may end anywhere.
        let counts: Vec<_> = news
            .map(|entry| model.append(vec![entry], &filter, false))
            .collect();
        assert_eq!(counts, [(1, 0), (0, 1), (0, 1), (1, 0), (1, 0)]);
        let texts: Vec<_> = model.items.iter().map(|i| i.entry.text.as_str()).collect();
        assert_eq!(texts, ["plain", "bad", "of bad"]);
    }

    #[test]
    fn what_is_appended_is_filtered_and_what_grew_is_replaced() {
        let mut model = opened(vec![entry(10, 0, "a")]);
        let filter = Filter::default().grep("x").unwrap();
        let news = vec![
            entry(10, 0, "a\n  at b"),
            entry(20, 1, "x"),
            entry(30, 1, "y"),
        ];
        assert_eq!(model.append(news, &filter, false), (1, 1));
        let texts: Vec<_> = model.items.iter().map(|i| i.entry.text.as_str()).collect();
        assert_eq!(texts, ["a\n  at b", "x"]);
    }

    #[test]
    fn a_flood_does_not_fill_the_memory() {
        let flood = |from: u64| {
            (from..from + 20_000)
                .map(|n| entry(10 * n + 10, 0, "x"))
                .collect()
        };
        let mut model = opened(Vec::new());
        model.append(flood(0), &Filter::default(), false);
        assert!(model.items.len() <= MOST && model.before.is_none());
        let mut held = opened(Vec::new());
        assert_eq!(held.append(flood(0), &Filter::default(), true).0, 20_000);
        assert_eq!(held.items.len(), MOST);
        assert!(!held.at_end, "the rest is read again when it is wanted");
    }

    #[test]
    fn an_entry_in_full_has_its_members_and_their_lines() {
        let text = r#"{"message":"m","error":{"stack":"Error: x\n    at y"},"n":[1]}"#;
        let item = Item::new(Entry {
            message: "m".into(),
            ..entry(0, 0, text)
        });
        let full = pretty(&item, None);
        let body: Vec<_> = full.lines().skip(2).collect();
        assert_eq!(
            body,
            [
                "m",
                "",
                "error:",
                "  stack:",
                "    Error: x",
                "        at y",
                "n:",
                "  0: 1"
            ]
        );
    }
}
