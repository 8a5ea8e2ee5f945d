//! What is shown: a process with its samples and marks, or a heap file; as tables whose rows are built one by one.

use diagnostics::memory::{
    Figures, Sample,
    growth::{Growth, Mark},
    heap::{
        Heap,
        compare::{Difference, compare},
    },
    text::Report,
};

use super::table::{Cell, OF_HEAP, OF_PROCESS, Tab};
use crate::prelude::*;

/// Samples that are kept: ten minutes.
const KEPT: usize = 600;

/// A process.
#[derive(Debug, Default, PartialEq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, once that is known: see `Who::started`.
    pub started: Option<u64>,
    /// Samples with their times in milliseconds, the newest last.
    pub samples: VecDeque<(i64, Sample)>,
    /// What was read last.
    pub report: Option<Box<Report>>,
    /// The first mark.
    pub from: Option<Mark>,
    /// The second one.
    pub to: Option<Mark>,
    /// Why there are no more samples.
    pub ended: Option<String>,
}

impl Process {
    /// Takes in a sample.
    pub fn sample(&mut self, at: i64, sample: Sample) {
        self.samples.push_back((at, sample));
        while self.samples.len() > KEPT {
            self.samples.pop_front();
        }
    }

    /// Takes in a mark: the first, the second; then the second one becomes the first.
    pub fn mark(&mut self, mark: Mark) {
        if self.from.is_none() {
            self.from = Some(mark);
        } else {
            if let Some(older) = self.to.take() {
                self.from = Some(older);
            }
            self.to = Some(mark);
        }
        self.compare();
    }

    /// Forgets both marks.
    pub fn forget_marks(&mut self) {
        (self.from, self.to) = (None, None);
        self.compare();
    }

    fn compare(&mut self) {
        let Some(report) = &mut self.report else {
            return;
        };
        report.growth = self.from.as_ref().map(|from| match &self.to {
            Some(to) => Growth::between(from, to),
            None => Growth::between(from, &report.mark()),
        });
    }
}

/// A heap file, and an older one.
#[derive(Debug, Default, PartialEq)]
pub struct HeapFile {
    pub heap: Box<Heap>,
    pub since: Option<Older>,
    /// What came and went.
    pub differences: Vec<Difference>,
}

/// What a heap file is compared with.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Older {
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: u64,
    /// Bytes in all of what is in it.
    pub total: u64,
}

/// What is looked at.
#[derive(Debug, Default, PartialEq)]
pub enum Subject {
    /// Nothing was chosen.
    #[default]
    Nothing,
    Process(Box<Process>),
    /// A heap file that is being read: its path, percent.
    Reading(PathBuf, u64),
    /// A heap file.
    Heap(HeapFile),
}

/// All that is shown.
#[derive(Debug, Default)]
pub struct Model {
    /// What is looked at.
    pub subject: Subject,
    pub tab: Tab,
    /// The column that the rows are sorted by (0 = the name), and whether the other way round.
    order: Option<usize>,
    reverse: bool,
    /// The rows in their order.
    rows: Vec<usize>,
}

impl Model {
    /// The tabs there are.
    pub fn tabs(&self) -> &'static [Tab] {
        match &self.subject {
            Subject::Process(_) => OF_PROCESS,
            Subject::Heap(_) => OF_HEAP,
            Subject::Nothing | Subject::Reading(..) => &[],
        }
    }

    /// The column that the rows are sorted by (0 = the name), if any, and whether the other way round.
    pub fn order(&self) -> (Option<usize>, bool) {
        (self.order, self.reverse)
    }

    /// Looks at something else.
    pub fn show(&mut self, subject: Subject) {
        self.subject = subject;
        let first = self.tabs().first().copied().unwrap_or_default();
        self.turn_to(first);
    }

    /// Shows another tab.
    pub fn turn_to(&mut self, tab: Tab) {
        self.tab = tab;
        self.order = tab.spec().3;
        self.reverse = false;
        self.lay();
    }

    /// Shows the next tab, or the one before.
    pub fn turn(&mut self, by: isize) {
        self.turn_to(beside(self.tabs(), self.tab, by));
    }

    /// Sorts by the next column.
    pub fn sort_on(&mut self) {
        let columns = self.tab.columns().1.len() + 1;
        self.order = Some(self.order.map_or(0, |order| (order + 1) % columns));
        self.reverse = false;
        self.lay();
    }

    /// Sorts the other way round.
    pub fn reverse(&mut self) {
        self.reverse = !self.reverse;
        self.lay();
    }

    /// What is there has changed.
    pub fn changed(&mut self) {
        if let Subject::Process(process) = &mut self.subject {
            process.compare();
        }
        self.lay();
    }

    /// Compares the heap file with an older one.
    pub fn compare_with(&mut self, older: &Heap) {
        if let Subject::Heap(file) = &mut self.subject {
            file.differences = compare(older, &file.heap);
            file.since = Some(Older {
                path: older.path.clone(),
                file_bytes: older.file_bytes,
                total: older.total,
            });
            let last = self.tabs().last().copied();
            self.turn_to(last.unwrap_or_default());
        }
    }

    /// Lays the rows in their order: the largest first, words from A on; what is equal stays as it came.
    fn lay(&mut self) {
        let (_, columns) = self.tab.columns();
        let key = |name: Cow<'_, str>, cells: &[Cell<'_>]| match self.order {
            None => (0, String::new()),
            Some(0) => (0, name.into_owned()),
            Some(column) => {
                let cell = cells.get(column - 1).copied().unwrap_or(Cell::Nothing);
                let (number, text) = cell.key();
                let is_number = columns.get(column - 1).is_some_and(|c| c.is_number);
                (if is_number { -number } else { number }, text)
            }
        };
        let keys = (0..).map_while(|at| {
            let (name, cells) = self.record(at)?;
            Some((key(name, &cells), at))
        });
        let mut rows: Vec<_> = keys.collect();
        rows.sort_unstable();
        self.rows = rows.into_iter().map(|(_, at)| at).collect();
        if self.reverse {
            self.rows.reverse();
        }
    }

    /// Whether the tab has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows of the tab.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn shown(&self, row: usize) -> (Cow<'_, str>, Vec<Cell<'_>>) {
        let record = self.rows.get(row).and_then(|at| self.record(*at));
        record.unwrap_or_default()
    }

    /// What else is known of a row; foreign text.
    pub fn foot(&self, row: usize) -> String {
        let at = self.rows.get(row).copied().unwrap_or(usize::MAX);
        match (&self.subject, self.tab) {
            (Subject::Heap(file), Tab::Largest) => {
                let held_by = file
                    .heap
                    .largest
                    .get(at)
                    .map(|object| object.held_by.as_slice());
                match held_by {
                    None => String::new(),
                    Some([]) => "held by the roots".to_owned(),
                    Some(holders) => format!("held by {}", holders.join(" < ")),
                }
            }
            _ => self.shown(row).0.into_owned(),
        }
    }

    /// A row as text, for a clipboard.
    pub fn row_text(&self, row: usize) -> String {
        let (_, columns) = self.tab.columns();
        let (name, cells) = self.shown(row);
        let mut parts = vec![name.into_owned()];
        for (column, cell) in columns.iter().zip(cells) {
            let text = cell.text();
            if !text.is_empty() {
                parts.push(format!("{} {text}", column.title));
            }
        }
        parts.join("  ")
    }

    /// The process that is looked at, if it is one.
    pub fn process(&self) -> Option<&Process> {
        match &self.subject {
            Subject::Process(process) => Some(process),
            _ => None,
        }
    }

    /// The same.
    pub fn process_mut(&mut self) -> Option<&mut Process> {
        match &mut self.subject {
            Subject::Process(process) => Some(process),
            _ => None,
        }
    }

    fn report(&self) -> Option<&Report> {
        self.process()?.report.as_deref()
    }

    /// What grew, when there are marks.
    pub fn growth(&self) -> Option<&Growth> {
        self.report()?.growth.as_ref()
    }

    fn heap(&self) -> Option<&HeapFile> {
        match &self.subject {
            Subject::Heap(file) => Some(file),
            _ => None,
        }
    }

    /// What a row is called, and its cells.
    fn record(&self, at: usize) -> Option<(Cow<'_, str>, Vec<Cell<'_>>)> {
        use Cell::{Address, Bytes, Change, Count, Limit, Nothing, Plus, Text, Time};
        let sizes = |f: &Figures| [f.size, f.rss, f.pss, f.uss, f.swap].map(Bytes);
        Some(match self.tab {
            Tab::Groups => {
                let group = self.report()?.groups.get(at)?;
                let count = [Count(group.mappings as u64)];
                let cells = [&count[..], &sizes(&group.figures)].concat();
                (group.title().into(), cells)
            }
            Tab::Growth => {
                let row = self.growth()?.rows.get(at)?;
                let c = &row.change;
                let count = [Plus(row.mappings.1 as i64 - row.mappings.0 as i64)];
                let changes = [c.size, c.rss, c.pss, c.uss, c.swap].map(Change);
                (row.title().into(), [&count[..], &changes].concat())
            }
            Tab::Mappings => {
                let mapping = self.report()?.mappings.get(at)?;
                let name = match mapping.name.as_str() {
                    "" => mapping.kind.word(),
                    name => name,
                };
                let place = [Address(mapping.start), Text(&mapping.access)];
                let cells = [&place[..], &sizes(&mapping.figures)].concat();
                (name.into(), cells)
            }
            Tab::Threads => {
                let thread = self.report()?.detail.threads.rows.get(at)?;
                let number = Count(thread.tid.into());
                let cells = vec![number, Time(thread.cpu_ms), Text(thread.state)];
                (thread.name.as_str().into(), cells)
            }
            Tab::Files => {
                let file = self.report()?.detail.files.rows.get(at)?;
                let cells = vec![Count(file.fd.into()), Text(&file.kind)];
                (file.target.as_str().into(), cells)
            }
            Tab::Limits => {
                let limit = self.report()?.detail.limits.get(at)?;
                let of = |value| Limit(value, &limit.unit);
                let used = limit.used.map_or(Nothing, |used| of(Some(used)));
                let cells = vec![used, of(limit.soft), of(limit.hard)];
                (limit.name.as_str().into(), cells)
            }
            Tab::Classes => {
                let class = self.heap()?.heap.classes.get(at)?;
                let sizes = [Bytes(class.shallow), Bytes(class.retained)];
                let counted = [&[Count(class.count)][..], &sizes].concat();
                (class.name.as_str().into(), counted)
            }
            Tab::Largest => {
                let object = self.heap()?.heap.largest.get(at)?;
                let name = match object.name.as_str() {
                    "" => object.class.as_str().into(),
                    name if *name == object.class => name.into(),
                    name => format!("{} {name}", object.class).into(),
                };
                let cells = vec![
                    Count(object.id),
                    Bytes(object.shallow),
                    Bytes(object.retained),
                ];
                (name, cells)
            }
            Tab::Differences => {
                let row = self.heap()?.differences.get(at)?;
                let cells = vec![Plus(row.count), Change(row.shallow), Change(row.retained)];
                (row.name.as_str().into(), cells)
            }
        })
    }
}
