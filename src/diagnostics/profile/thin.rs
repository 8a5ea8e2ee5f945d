//! Keeps the samples of a profile bounded: equal ones within a slice of time become one.

use super::{MOST_SAMPLES, Sample};

/// Slices that the time so far is cut into at first.
const SLICES: u64 = 16_384;

/// How wide the slices are by now.
#[derive(Debug, Default)]
pub struct Slices {
    /// Nanoseconds; 0 = nothing was merged yet.
    width: u64,
}

impl Slices {
    /// Merges samples of equal stack and thread within slices of time, wider ones until a quarter is left or all time is one
    /// slice; gives at how many samples to do so again.
    pub fn thin(&mut self, samples: &mut Vec<Sample>) -> usize {
        let wanted = samples.len() / 4;
        let timed = samples
            .iter()
            .map(|s| s.at)
            .filter(|at| *at != Sample::NO_TIME);
        let last = timed.max().unwrap_or(0);
        self.width = if self.width == 0 {
            (last / SLICES).max(1)
        } else {
            self.width
        };
        loop {
            let width = self.width;
            merge(samples, width);
            if samples.len() <= wanted || width > last {
                // What cannot be merged any more is left to grow: each is a stack of its own.
                return samples.len().saturating_mul(2);
            }
            self.width = width.saturating_mul(4);
        }
    }

    /// What a reader should know of it.
    pub fn note(&self) -> Option<String> {
        (self.width > 0).then(|| {
            let width = super::words::time(self.width);
            format!(
                "There are more than {MOST_SAMPLES} samples: equal ones within {width} are shown as one"
            )
        })
    }
}

/// Merges equal samples within each slice into the first of them. Cost is one look at each: of every stack it is remembered where
/// it was met last.
fn merge(samples: &mut Vec<Sample>, width: u64) {
    let stacks = samples.iter().map(|s| s.stack.0).max().unwrap_or(0) as usize + 1;
    let mut met: Vec<(u64, usize)> = vec![(0, usize::MAX); stacks];
    let mut kept = 0;
    for at in 0..samples.len() {
        let Some(sample) = samples.get(at).copied() else {
            break;
        };
        let slice = sample.at / width;
        let Some(last) = met.get_mut(sample.stack.0 as usize) else {
            continue;
        };
        let before = samples
            .get_mut(last.1)
            .filter(|before| last.0 == slice && before.thread == sample.thread);
        if let Some(before) = before {
            before.weight = before.weight.saturating_add(sample.weight);
            continue;
        }
        *last = (slice, kept);
        if let Some(place) = samples.get_mut(kept) {
            *place = sample;
        }
        kept += 1;
    }
    samples.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::super::{StackId, ThreadId};
    use super::*;

    fn sample(stack: u32, at: u64) -> Sample {
        Sample {
            stack: StackId(stack),
            thread: ThreadId(0),
            weight: 1,
            at,
        }
    }

    #[test]
    fn no_weight_is_lost_and_time_stays_in_order() {
        let mut samples: Vec<_> = (0..100_000)
            .map(|i| sample(u32::try_from(i % 5).unwrap(), i * 1000))
            .collect();
        let mut slices = Slices::default();
        slices.thin(&mut samples);
        assert!(samples.len() <= 25_000, "{}", samples.len());
        assert_eq!(samples.iter().map(|s| s.weight).sum::<u64>(), 100_000);
        assert!(samples.windows(2).all(|w| {
            w.first().map(|s| s.at / slices.width) <= w.last().map(|s| s.at / slices.width)
        }));
        assert!(slices.note().is_some());
    }

    #[test]
    fn without_times_equal_stacks_become_one() {
        let mut samples: Vec<_> = (0..1000).map(|i| sample(i % 3, Sample::NO_TIME)).collect();
        let room = Slices::default().thin(&mut samples);
        assert_eq!((samples.len(), room), (3, 6));
    }

    #[test]
    fn what_cannot_be_merged_stays() {
        let mut samples: Vec<_> = (0..1000).map(|i| sample(i, u64::from(i))).collect();
        Slices::default().thin(&mut samples);
        assert_eq!(samples.len(), 1000);
    }
}
