//! Heap profiles: which stacks allocated how much. [`heaptrack`] reads what `heaptrack_interpret` writes, which a normal run of `heaptrack` has done
//! already; jemalloc's are read as pprof once `jeprof` or `jemalloc_pprof` has named their addresses.
//!
//! They become [`Allocations`]: a [`Profile`] whose weights are bytes, and beside it how many blocks those are, what was allocated in all
//! and what was never freed. What is worth showing of them as a summary is left to `memory::heap`.

pub mod heaptrack;

use crate::profile::import::prelude::*;

/// What its files are called.
pub const TITLE: &str = "heaptrack recording";

/// What allocations come to; of one stack, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Bytes that were held: at the peak where the tool knows it, else when the file was written.
    pub bytes: u64,
    /// Blocks of them.
    pub blocks: u64,
    /// Bytes that were allocated from beginning to end.
    pub allocated: u64,
    /// How often something was allocated.
    pub calls: u64,
    /// Bytes that were never freed.
    pub leaked: u64,
    /// Blocks of them.
    pub leaked_blocks: u64,
    /// How often something was freed right after it was allocated.
    pub temporary: u64,
}

impl Figures {
    /// Adds another one's.
    pub fn add(&mut self, other: &Self) {
        let sum = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        sum(&mut self.bytes, other.bytes);
        sum(&mut self.blocks, other.blocks);
        sum(&mut self.allocated, other.allocated);
        sum(&mut self.calls, other.calls);
        sum(&mut self.leaked, other.leaked);
        sum(&mut self.leaked_blocks, other.leaked_blocks);
        sum(&mut self.temporary, other.temporary);
    }
}

/// What one stack allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Who allocated.
    pub stack: StackId,
    /// How much.
    pub figures: Figures,
}

/// A heap profile.
#[derive(Debug)]
pub struct Allocations {
    /// The stacks, with the held bytes as samples.
    pub profile: Profile,
    /// All stacks that allocated anything, also those that hold nothing any more.
    pub sites: Vec<Site>,
}

impl Allocations {
    /// Puts it together: every stack that holds something becomes a sample.
    fn new(mut builder: Builder, sites: Vec<Site>) -> Self {
        let thread = builder.thread(Thread::default());
        let holds = sites.iter().any(|site| site.figures.bytes > 0);
        // A program that gave back all of it still has something to show.
        let weight = |figures: &Figures| {
            if holds {
                figures.bytes
            } else {
                figures.allocated
            }
        };
        for site in &sites {
            let weight = weight(&site.figures);
            if weight > 0 {
                builder.sample(Sample {
                    stack: site.stack,
                    thread,
                    weight,
                    at: Sample::NO_TIME,
                });
            }
        }
        let about = builder.about();
        about.unit = Unit::Bytes;
        let counted = if holds {
            "bytes that were held when most were held"
        } else {
            "bytes that were allocated from beginning to end: none is held any more"
        };
        about.notes.insert(0, format!("{TITLE}: {counted}"));
        Self {
            profile: builder.finish(),
            sites,
        }
    }

    /// All together.
    pub fn total(&self) -> Figures {
        let mut total = Figures::default();
        for site in &self.sites {
            total.add(&site.figures);
        }
        total
    }

    /// For a flame graph.
    pub(super) fn into_profile(mut self) -> Result<Profile> {
        let total = self.total();
        self.profile.notes.push(format!(
            "{} never freed, {}, {} of them temporary",
            words::weight(total.leaked, Unit::Bytes),
            amount::count(total.calls, "allocation", "allocations"),
            words::number(total.temporary)
        ));
        some(self.profile, TITLE)
    }
}

/// The time a tool wrote down, in milliseconds, as a sentence knows it.
fn after(milliseconds: u64) -> String {
    words::time(nanoseconds(Duration::from_millis(milliseconds)))
}

#[cfg(test)]
mod tests;
