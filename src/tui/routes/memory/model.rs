//! What is shown: a process with its samples and marks, or a heap file; as tables whose rows are built one by one.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::kit::prelude::*;
use diagnostics::memory::Sample;
use diagnostics::memory::growth::{Growth, Mark, trend};
use diagnostics::memory::heap::text::about;
use diagnostics::memory::heap::{Difference, Heap, More, compare};
use diagnostics::memory::text::Report;

use super::table::{Cell, OF_ALLOCATIONS, OF_HEAP, OF_PROCESS, Tab};

/// Samples that are kept: ten minutes.
const KEPT: usize = 600;
/// Samples that a trend is made of: one minute.
const TREND: usize = 60;

/// A process.
#[derive(Clone, Debug, Default, PartialEq)]
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

    /// Bytes a second that it held more of lately, where that is a steady climb.
    pub fn climb(&self) -> Option<f64> {
        let skip = self.samples.len().saturating_sub(TREND);
        let last: Vec<_> = self.samples.iter().skip(skip).copied().collect();
        trend(&last)
            .filter(|(slope, fit)| *slope >= 1024.0 && *fit > 0.8)
            .map(|(slope, _)| slope)
    }
}

/// A heap file, and an older one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeapFile {
    /// What is in it.
    pub heap: Box<Heap>,
    /// The older one.
    pub since: Option<Older>,
    /// What came and went.
    pub differences: Vec<Difference>,
}

/// What a heap file is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Older {
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: u64,
    /// Bytes in all of what is in it.
    pub total: u64,
}

/// What is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Subject {
    /// Nothing was chosen.
    #[default]
    Nothing,
    /// A process.
    Process(Box<Process>),
    /// A heap file that is being read: its path, percent.
    Reading(PathBuf, u64),
    /// A heap file.
    Heap(HeapFile),
}

/// All that is shown.
#[derive(Debug, Default, PartialEq)]
pub struct Model {
    /// What is looked at.
    pub subject: Subject,
    tab: Tab,
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
            Subject::Heap(file) if file.heap.format.is_of_allocations() => OF_ALLOCATIONS,
            Subject::Heap(_) => OF_HEAP,
            Subject::Nothing | Subject::Reading(..) => &[],
        }
    }

    /// The one that is shown.
    pub fn tab(&self) -> Tab {
        self.tab
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
        self.order = tab.first_order();
        self.reverse = false;
        self.lay();
    }

    /// Shows the next tab, or the one before.
    pub fn turn(&mut self, by: isize) {
        let tabs = self.tabs();
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let next = (at as isize + by).rem_euclid(tabs.len().max(1) as isize);
        if let Some(tab) = tabs.get(next as usize) {
            self.turn_to(*tab);
        }
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

    fn lay(&mut self) {
        let mut rows: Vec<usize> = (0..self.count()).collect();
        match self.order {
            Some(0) => rows.sort_by_cached_key(|row| self.name_of(*row).into_owned()),
            Some(column) => {
                let is_number = self
                    .tab
                    .columns()
                    .1
                    .get(column - 1)
                    .is_some_and(|c| c.is_number);
                // The largest first, words from A on; what is equal stays as it came.
                if is_number {
                    rows.sort_by_cached_key(|row| Reverse(self.cell_of(*row, column - 1).key()));
                } else {
                    rows.sort_by_cached_key(|row| self.cell_of(*row, column - 1).key());
                }
            }
            None => {}
        }
        if self.reverse {
            rows.reverse();
        }
        self.rows = rows;
    }

    /// Whether the tab has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows of the tab.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The name in a row; foreign text.
    pub fn name(&self, row: usize) -> Cow<'_, str> {
        match self.rows.get(row) {
            Some(at) => self.name_of(*at),
            None => Cow::Borrowed(""),
        }
    }

    /// A value in a row.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        match self.rows.get(row) {
            Some(at) => self.cell_of(*at, column),
            None => Cell::Nothing,
        }
    }

    /// What else is known of a row; foreign text.
    pub fn foot(&self, row: usize) -> String {
        let at = self.rows.get(row).copied().unwrap_or(usize::MAX);
        match (&self.subject, self.tab) {
            (Subject::Heap(file), Tab::Sites) => {
                let Some(object) = file.heap.largest.get(at) else {
                    return String::new();
                };
                let mut parts = vec![format!("called by {}", object.held_by.join(" < "))];
                if object.held_by.is_empty() {
                    parts = vec!["called by nobody that is known".to_owned()];
                }
                parts.extend(Some(about(object)).filter(|text| !text.is_empty()));
                parts.join("; ")
            }
            (Subject::Heap(file), Tab::Largest) => {
                let Some(object) = file.heap.largest.get(at) else {
                    return String::new();
                };
                if object.held_by.is_empty() {
                    return "held by the roots".to_owned();
                }
                format!("held by {}", object.held_by.join(" < "))
            }
            _ => self.name(row).into_owned(),
        }
    }

    /// A row as text, for a clipboard.
    pub fn row_text(&self, row: usize) -> String {
        let (_, columns) = self.tab.columns();
        let mut parts = vec![self.name(row).into_owned()];
        for (at, column) in columns.iter().enumerate() {
            let text = self.cell(row, at).text();
            if !text.is_empty() {
                parts.push(format!("{} {text}", column.title));
            }
        }
        parts.join("  ")
    }

    fn report(&self) -> Option<&Report> {
        match &self.subject {
            Subject::Process(process) => process.report.as_deref(),
            _ => None,
        }
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

    fn count(&self) -> usize {
        let of_report = |count: fn(&Report) -> usize| self.report().map_or(0, count);
        match self.tab {
            Tab::Groups => of_report(|r| r.groups.len()),
            Tab::Growth => self.growth().map_or(0, |growth| growth.rows.len()),
            Tab::Mappings => of_report(|r| r.mappings.len()),
            Tab::Threads => of_report(|r| r.threads.rows.len()),
            Tab::Files => of_report(|r| r.files.rows.len()),
            Tab::Limits => of_report(|r| r.limits.len()),
            Tab::Classes | Tab::Functions => self.heap().map_or(0, |file| file.heap.classes.len()),
            Tab::Sources => self.heap().map_or(0, |file| file.heap.files.len()),
            Tab::Largest | Tab::Sites => self.heap().map_or(0, |file| file.heap.largest.len()),
            Tab::Differences | Tab::Changes => self.heap().map_or(0, |file| file.differences.len()),
        }
    }

    fn name_of(&self, at: usize) -> Cow<'_, str> {
        let name = match self.tab {
            Tab::Groups => self
                .report()
                .and_then(|r| Some(Cow::Owned(r.groups.get(at)?.title()))),
            Tab::Growth => self
                .growth()
                .and_then(|g| Some(Cow::Owned(g.rows.get(at)?.title()))),
            Tab::Mappings => self.report().and_then(|r| {
                let mapping = r.mappings.get(at)?;
                let name = match mapping.name.as_str() {
                    "" => mapping.kind.word(),
                    name => name,
                };
                Some(Cow::Borrowed(name))
            }),
            Tab::Threads => self
                .report()
                .and_then(|r| Some(Cow::Borrowed(r.threads.rows.get(at)?.name.as_str()))),
            Tab::Files => self
                .report()
                .and_then(|r| Some(Cow::Borrowed(r.files.rows.get(at)?.target.as_str()))),
            Tab::Limits => self
                .report()
                .and_then(|r| Some(Cow::Borrowed(r.limits.get(at)?.name.as_str()))),
            Tab::Sources => self
                .heap()
                .and_then(|f| Some(Cow::Borrowed(f.heap.files.get(at)?.name.as_str()))),
            Tab::Classes | Tab::Functions => self
                .heap()
                .and_then(|f| Some(Cow::Borrowed(f.heap.classes.get(at)?.name.as_str()))),
            Tab::Largest | Tab::Sites => self.heap().and_then(|f| {
                let object = f.heap.largest.get(at)?;
                Some(if object.name == object.class || object.name.is_empty() {
                    Cow::Borrowed(object.class.as_str())
                } else {
                    Cow::Owned(format!("{} {}", object.class, object.name))
                })
            }),
            Tab::Differences | Tab::Changes => self
                .heap()
                .and_then(|f| Some(Cow::Borrowed(f.differences.get(at)?.name.as_str()))),
        };
        name.unwrap_or_default()
    }

    fn cell_of(&self, at: usize, column: usize) -> Cell<'_> {
        self.value(at, column).unwrap_or(Cell::Nothing)
    }

    fn value(&self, at: usize, column: usize) -> Option<Cell<'_>> {
        Some(match self.tab {
            Tab::Groups => {
                let group = self.report()?.groups.get(at)?;
                let f = &group.figures;
                let sizes = [f.size, f.rss, f.pss, f.uss, f.swap];
                match column.checked_sub(1) {
                    None => Cell::Count(group.mappings as u64),
                    Some(at) => Cell::Bytes(*sizes.get(at)?),
                }
            }
            Tab::Growth => {
                let row = self.growth()?.rows.get(at)?;
                let c = &row.change;
                let changes = [c.size, c.rss, c.pss, c.uss, c.swap];
                match column.checked_sub(1) {
                    None => Cell::Plus(row.mappings.1 as i64 - row.mappings.0 as i64),
                    Some(at) => Cell::Change(*changes.get(at)?),
                }
            }
            Tab::Mappings => {
                let mapping = self.report()?.mappings.get(at)?;
                let f = &mapping.figures;
                let sizes = [f.size, f.rss, f.pss, f.uss, f.swap];
                match column {
                    0 => Cell::Address(mapping.start),
                    1 => Cell::Text(mapping.access.text()),
                    _ => Cell::Bytes(*sizes.get(column - 2)?),
                }
            }
            Tab::Threads => {
                let thread = self.report()?.threads.rows.get(at)?;
                match column {
                    0 => Cell::Count(u64::from(thread.tid)),
                    1 => Cell::Time(thread.cpu_ms),
                    _ => Cell::Text(thread.state),
                }
            }
            Tab::Files => {
                let file = self.report()?.files.rows.get(at)?;
                match column {
                    0 => Cell::Count(u64::from(file.fd)),
                    _ => Cell::Text(&file.kind),
                }
            }
            Tab::Limits => {
                let limit = self.report()?.limits.get(at)?;
                match column {
                    0 => match limit.used {
                        Some(used) => Cell::Limit(Some(used), &limit.unit),
                        None => Cell::Nothing,
                    },
                    1 => Cell::Limit(limit.soft, &limit.unit),
                    _ => Cell::Limit(limit.hard, &limit.unit),
                }
            }
            Tab::Functions | Tab::Sources => {
                let heap = &self.heap()?.heap;
                let all = if self.tab == Tab::Functions {
                    &heap.classes
                } else {
                    &heap.files
                };
                let class = all.get(at)?;
                match column {
                    0 | 1 => of_more(class.more, column),
                    2 => Cell::Count(class.count),
                    3 => Cell::Bytes(class.shallow),
                    _ => Cell::Bytes(class.retained),
                }
            }
            Tab::Sites => {
                let site = self.heap()?.heap.largest.get(at)?;
                match column {
                    0 | 1 => of_more(site.more, column),
                    2 => Cell::Count(site.id),
                    _ => Cell::Bytes(site.shallow),
                }
            }
            Tab::Classes => {
                let class = self.heap()?.heap.classes.get(at)?;
                match column {
                    0 => Cell::Count(class.count),
                    1 => Cell::Bytes(class.shallow),
                    _ => Cell::Bytes(class.retained),
                }
            }
            Tab::Largest => {
                let object = self.heap()?.heap.largest.get(at)?;
                match column {
                    0 => Cell::Count(object.id),
                    1 => Cell::Bytes(object.shallow),
                    _ => Cell::Bytes(object.retained),
                }
            }
            Tab::Differences | Tab::Changes => {
                let row = self.heap()?.differences.get(at)?;
                match column {
                    0 => Cell::Plus(row.count),
                    1 => Cell::Change(row.shallow),
                    _ => Cell::Change(row.retained),
                }
            }
        })
    }
}

/// How often something was allocated, and what of it was never freed; nothing where the tool does not count it.
fn of_more(more: Option<More>, column: usize) -> Cell<'static> {
    let more = more.unwrap_or_default();
    if column == 0 {
        more.calls.map_or(Cell::Nothing, Cell::Count)
    } else {
        more.leaked.map_or(Cell::Nothing, Cell::Bytes)
    }
}
