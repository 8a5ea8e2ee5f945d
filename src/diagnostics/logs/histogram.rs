//! How many entries there are at which time, by level, in bounded memory whatever the times are.

use std::collections::BTreeMap;

use super::record::Level;
use crate::slots;

/// Entries of one stretch of time: errors and worse, warnings, information, the rest.
pub type Counts = [u64; 4];

/// Stretches that are kept; with more of them each becomes twice as long.
const MOST: usize = 4096;
/// The shortest stretch is 2 to this power, in milliseconds.
const FINEST: u32 = 4;
/// When all but one entry in this many stand close together, the others are left out of the picture.
const RARE: u64 = 1000;
/// They do when the whole is this much longer.
const SPREAD: i64 = 20;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    shift: u32,
    stretches: BTreeMap<i64, Counts>,
    /// The last stretch that something was added to: logs are nearly in order.
    last: Option<(i64, Counts)>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            shift: FINEST,
            stretches: BTreeMap::new(),
            last: None,
        }
    }
}

/// A part of a histogram as columns of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// When the first begins, in milliseconds since 1970.
    pub start: i64,
    /// When the last ends.
    pub end: i64,
    /// What is in each.
    pub counts: Vec<Counts>,
}

impl Columns {
    /// When a column begins.
    pub fn time_of(&self, column: usize) -> i64 {
        let count = self.counts.len().max(1) as i128;
        let span = i128::from(self.end) - i128::from(self.start);
        // Rounded up: the moment before is the column before.
        let offset = (span * column as i128 + count - 1) / count;
        self.start.saturating_add(offset as i64)
    }

    /// The column of a time; nothing when it is outside.
    pub fn column_of(&self, time: i64) -> Option<usize> {
        if time < self.start || time >= self.end {
            return None;
        }
        let span = i128::from(self.end) - i128::from(self.start);
        let offset = (i128::from(time) - i128::from(self.start)) * self.counts.len() as i128 / span;
        usize::try_from(offset).ok()
    }
}

/// Which of the counts a level belongs to.
fn class(level: Option<Level>) -> usize {
    match level {
        Some(Level::Error | Level::Fatal) => 0,
        Some(Level::Warn) => 1,
        Some(Level::Info) => 2,
        _ => 3,
    }
}

impl Histogram {
    /// Counts an entry.
    pub fn add(&mut self, time: i64, level: Option<Level>) {
        let key = time >> self.shift;
        if self.last.is_none_or(|(last, _)| last != key) {
            self.settle();
        }
        // Settling may have made stretches longer.
        let new = || (time >> self.shift, Counts::default());
        let (_, counts) = self.last.get_or_insert_with(new);
        slots::add(counts, class(level), 1);
    }

    /// Adds what another one has counted.
    pub fn merge(&mut self, mut other: Self) {
        self.settle();
        other.settle();
        while other.shift < self.shift {
            other.coarsen();
        }
        while self.shift < other.shift {
            self.coarsen();
        }
        for (key, counts) in other.stretches {
            put(&mut self.stretches, key, counts);
        }
        while self.stretches.len() > MOST {
            self.coarsen();
        }
    }

    fn settle(&mut self) {
        if let Some((key, counts)) = self.last.take() {
            put(&mut self.stretches, key, counts);
            while self.stretches.len() > MOST {
                self.coarsen();
            }
        }
    }

    fn coarsen(&mut self) {
        self.shift += 1;
        let mut coarse = BTreeMap::new();
        for (key, counts) in std::mem::take(&mut self.stretches) {
            put(&mut coarse, key >> 1, counts);
        }
        self.stretches = coarse;
    }

    /// When the picture begins, in milliseconds since 1970; nothing when there is no entry with a time.
    pub fn start(&mut self) -> Option<i64> {
        self.settle();
        let (first, _) = range(self.stretches.iter())?;
        Some(first << self.shift)
    }

    /// The whole as so many columns, and before it `older` entries, which were not counted; nothing when none was. It is asked for in every
    /// frame: nothing that was counted is copied for it.
    pub fn columns(
        &mut self,
        older: impl Iterator<Item = (i64, Option<Level>)>,
        count: usize,
    ) -> Option<Columns> {
        let start = self.start()? >> self.shift;
        let mut before = BTreeMap::new();
        for (time, level) in older {
            let counts: &mut Counts = before.entry(time >> self.shift).or_default();
            slots::add(counts, class(level), 1);
        }
        if before.is_empty() {
            return picture(self.stretches.iter(), self.shift, count);
        }
        let all = before.iter().chain(self.stretches.range(start..));
        picture(all, self.shift, count)
    }
}

/// Stretches in the order of time as so many columns.
fn picture<'a>(
    stretches: impl DoubleEndedIterator<Item = (&'a i64, &'a Counts)> + Clone,
    shift: u32,
    count: usize,
) -> Option<Columns> {
    let (first, last) = range(stretches.clone())?;
    let mut columns = Columns {
        start: first << shift,
        end: (last + 1) << shift,
        counts: vec![Counts::default(); count],
    };
    let shown = stretches.filter(|(key, _)| (first..=last).contains(*key));
    for (key, counts) in shown {
        let middle = (key << shift) + (1 << shift) / 2;
        if let Some(column) = columns.column_of(middle)
            && let Some(sum) = columns.counts.get_mut(column)
        {
            add(sum, *counts);
        }
    }
    Some(columns)
}

/// The first and the last stretch that are worth a picture: a few entries of another century would leave one column for the rest.
fn range<'a>(
    stretches: impl DoubleEndedIterator<Item = (&'a i64, &'a Counts)> + Clone,
) -> Option<(i64, i64)> {
    let first = *stretches.clone().next()?.0;
    let last = *stretches.clone().next_back()?.0;
    let total: u64 = stretches.clone().flat_map(|(_, counts)| counts).sum();
    let few = total / RARE;
    let low = edge(stretches.clone(), few)?;
    let high = edge(stretches.rev(), few)?;
    let close = high.saturating_sub(low).saturating_add(1);
    if low <= high && last.saturating_sub(first) / SPREAD > close {
        Some((low, high))
    } else {
        Some((first, last))
    }
}

/// The first stretch up to which there are more than a few entries.
fn edge<'a>(mut stretches: impl Iterator<Item = (&'a i64, &'a Counts)>, few: u64) -> Option<i64> {
    let mut seen = 0;
    stretches
        .find(|(_, counts)| {
            seen += counts.iter().sum::<u64>();
            seen > few
        })
        .map(|(key, _)| *key)
}

fn put(stretches: &mut BTreeMap<i64, Counts>, key: i64, counts: Counts) {
    add(stretches.entry(key).or_default(), counts);
}

fn add(sum: &mut Counts, counts: Counts) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_however_long_the_time_is() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        for n in 0..100_000_i64 {
            let level = (n % 10 == 0).then_some(Level::Error);
            let to = if n % 2 == 0 { &mut one } else { &mut other };
            to.add(1_787_300_000_000 + n * 997, level);
        }
        one.merge(other);
        assert!(one.stretches.len() <= MOST);
        let columns = one.columns(std::iter::empty(), 60).unwrap();
        let sum = columns.counts.iter().fold(Counts::default(), |mut sum, c| {
            add(&mut sum, *c);
            sum
        });
        assert_eq!(sum, [10_000, 0, 0, 90_000]);
        // 1500 each on the average, in whole stretches of time.
        assert!(columns.counts.iter().all(|c| (1..3000).contains(&c[3])));
        assert_eq!(columns.column_of(columns.time_of(33)), Some(33));
    }

    #[test]
    fn a_few_entries_of_another_time_do_not_flatten_the_rest() {
        let mut histogram = Histogram::default();
        histogram.add(0, None);
        for n in 0..10_000 {
            histogram.add(1_787_300_000_000 + n * 10, None);
        }
        let none = std::iter::empty;
        let columns = histogram.columns(none(), 10).unwrap();
        assert!(columns.start > 1_787_000_000_000);
        assert!(columns.counts.iter().all(|counts| counts[3] > 500));
        assert_eq!(Histogram::default().columns(none(), 10), None);
    }

    #[test]
    fn older_entries_stand_before_those_that_were_counted() {
        let mut histogram = Histogram::default();
        for n in 0..1000 {
            histogram.add(1_787_300_000_000 + n * 10, None);
        }
        let start = histogram.start().unwrap();
        let counted = histogram.columns(std::iter::empty(), 10).unwrap();
        assert_eq!(counted.start, start);
        let older = (1..=1000).map(|n| (start - n * 10, Some(Level::Error)));
        let all = histogram.columns(older, 20).unwrap();
        assert!(all.start < start && all.end == counted.end);
        let sum = |from: usize, to: usize, class: usize| -> u64 {
            all.counts[from..to].iter().map(|c| c[class]).sum()
        };
        assert!(sum(0, 9, 0) > 800 && sum(0, 20, 0) == 1000);
        assert!(sum(11, 20, 3) > 800 && sum(0, 20, 3) == 1000);
        // It is a picture: what was counted stays what it was.
        assert_eq!(histogram.columns(std::iter::empty(), 10), Some(counted));
    }
}
