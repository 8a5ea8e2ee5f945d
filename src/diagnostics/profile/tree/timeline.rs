//! How much was measured when: the strip above a flame graph.

use super::options::{IDLE, Options};
use crate::profile::prelude::*;

/// Columns that weights are counted in; what is drawn has fewer.
const COLUMNS: usize = 512;

/// Weights by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// From the first sample to the end of the last, in nanoseconds since the beginning.
    pub span: (u64, u64),
    weights: Vec<u64>,
}

impl Timeline {
    /// Counts the samples that [`Options`] let through, of all times; nothing when their times are not known.
    pub fn of(profile: &Profile, options: &Options) -> Option<Self> {
        let is_debuggers = options.debuggers_of(profile);
        let is_shown = |sample: &&Sample| {
            sample.at != Sample::NO_TIME
                && !is_debuggers(sample)
                && options.thread.is_none_or(|thread| thread == sample.thread)
        };
        let times = || profile.samples.iter().filter(is_shown).map(|s| s.at);
        let (from, to) = (times().min()?, times().max()?);
        if from == to {
            return None;
        }
        let is_idle = profile.is_in(IDLE);
        let mut weights = vec![0_u64; COLUMNS];
        let width = (to - from + 1).div_ceil(COLUMNS as u64).max(1);
        for sample in profile.samples.iter().filter(is_shown) {
            if !options.idle && is_idle(sample.stack) {
                continue;
            }
            slots::add(&mut weights, (sample.at - from) / width, sample.weight);
        }
        Some(Self {
            span: (from, to + 1),
            weights,
        })
    }

    /// The weights of `count` columns, from the first to the last moment.
    pub fn columns(&self, count: usize) -> Vec<u64> {
        let mut columns = vec![0_u64; count];
        let used = self.used();
        for (at, weight) in self.weights.iter().take(used).enumerate() {
            // A column that is wider than one of ours is spread over what it covers.
            let first = at * count / used;
            let last = ((at + 1) * count / used).max(first + 1);
            let share = weight / (last - first) as u64;
            for column in columns.iter_mut().take(last).skip(first) {
                *column = column.saturating_add(share.max(u64::from(*weight > 0)));
            }
        }
        columns
    }

    /// The time at which a column of `count` begins.
    pub fn time_of(&self, column: usize, count: usize) -> u64 {
        let (from, to) = self.span;
        let part = u128::from(to - from) * column as u128 / count.max(1) as u128;
        from.saturating_add(u64::try_from(part).unwrap_or(u64::MAX))
    }

    /// Columns that the span really reaches.
    fn used(&self) -> usize {
        let (from, to) = self.span;
        let width = (to - from).div_ceil(COLUMNS as u64).max(1);
        usize::try_from((to - from).div_ceil(width)).map_or(COLUMNS, |used| used.clamp(1, COLUMNS))
    }
}
