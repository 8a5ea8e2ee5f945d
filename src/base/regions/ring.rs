//! Where regions are kept: a ring that writers share without waiting for each other.
//!
//! A slot has a number that is odd while it is written and tells afterwards which record it holds. A writer that finds its slot being
//! written, which takes ten thousand other records meanwhile, drops its own and counts it; a reader skips what changes under it.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// How many regions are kept.
pub const CAPACITY: usize = 10_000;

/// One region, times in nanoseconds since the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub path: u128,
    pub start: u64,
    pub duration: u64,
    pub own: u64,
    pub busy: u64,
}

/// One line of the processor's cache: a record that lay across two would make it fetch both.
#[repr(align(64))]
struct Slot {
    number: AtomicU64,
    words: [AtomicU64; 6],
}

/// Records in slots. All zeros when it is new, so that a page of a static one takes memory only once something was recorded there.
pub struct Ring {
    slots: [Slot; CAPACITY],
    next: AtomicU64,
    missed: AtomicU64,
}

/// This process's.
pub static RING: Ring = Ring::new();

/// How many regions could not be kept because their slot was being written.
pub fn missed() -> u64 {
    RING.missed.load(Ordering::Relaxed)
}

impl Ring {
    #[expect(
        clippy::large_stack_arrays,
        reason = "it is made by the compiler, for statics"
    )]
    pub const fn new() -> Self {
        Self {
            slots: [const {
                Slot {
                    number: AtomicU64::new(0),
                    words: [const { AtomicU64::new(0) }; 6],
                }
            }; CAPACITY],
            next: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        }
    }

    #[inline]
    pub fn record(&self, record: Record) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = self.slots.get((number % CAPACITY as u64) as usize) else {
            return;
        };
        let done = 2 * (number + 1);
        let was = slot.number.load(Ordering::Relaxed);
        let free = was.is_multiple_of(2) && was < done;
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        if !free
            || slot
                .number
                .compare_exchange(was, done - 1, success, failure)
                .is_err()
        {
            self.missed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        fence(Ordering::Release);
        // One by one: we are compiled for size, and a loop would cost more than what it does.
        let [high, low, start, duration, own, busy] = &slot.words;
        high.store((record.path >> 64) as u64, Ordering::Relaxed);
        low.store(record.path as u64, Ordering::Relaxed);
        start.store(record.start, Ordering::Relaxed);
        duration.store(record.duration, Ordering::Relaxed);
        own.store(record.own, Ordering::Relaxed);
        busy.store(record.busy, Ordering::Relaxed);
        slot.number.store(done, Ordering::Release);
    }

    /// All that are kept, in no order.
    pub fn all(&self) -> impl Iterator<Item = Record> + '_ {
        self.slots.iter().filter_map(|slot| {
            let before = slot.number.load(Ordering::Acquire);
            if before == 0 || before % 2 == 1 {
                return None;
            }
            let [high, low, start, duration, own, busy] = slot
                .words
                .each_ref()
                .map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            (slot.number.load(Ordering::Relaxed) == before).then_some(Record {
                path: (u128::from(high) << 64) | u128::from(low),
                start,
                duration,
                own,
                busy,
            })
        })
    }
}
