//! What omp-debug itself is busy with: named regions of its own code, the last ten thousand of them.
//!
//! Every room may say [`region!`](crate::region) where something worth knowing begins; it is recorded when the guard is dropped. Work that
//! waits in between (a task that awaits) is recorded by [`during`], which knows on whichever thread it is polled what belongs to it: its
//! regions are told from those of another task that has the thread meanwhile. Something that began and ended elsewhere (a question to an
//! adapter, and its answer) is noted by [`note`].
//!
//! A region costs two looks at the clock and no lock. Reading them, and what to make of them, is left to
//! `diagnostics::profile::work`. This is a shelf of the pantry: it uses no other room.

mod ring;

use std::{
    cell::Cell,
    future::Future,
    marker::PhantomData,
    sync::{
        OnceLock, PoisonError, RwLock,
        atomic::{AtomicU16, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use ring::{RING, Record};

pub use ring::{CAPACITY, missed};

/// The most names there can be; what comes after is recorded as `other`.
const MOST_NAMES: usize = 4096;
/// The most regions inside of each other that are told apart; deeper ones take the place of the innermost.
pub const DEPTH: usize = 8;
const BITS: u32 = 16;

/// Begins a region that ends with the scope: `let _region = region!("frame");`
#[macro_export]
macro_rules! region {
    ($name:literal) => {{
        static SITE: $crate::regions::Site = $crate::regions::Site::new($name);
        $crate::regions::enter(SITE.label())
    }};
}

/// The name of a region, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u16);

/// The names, by their numbers less one.
static NAMES: RwLock<Vec<&'static str>> = RwLock::new(Vec::new());

impl Label {
    /// The label of this name, a new one if there was none.
    pub fn of(name: &'static str) -> Self {
        let place = |names: &[&'static str]| names.iter().position(|known| *known == name);
        let found = place(&NAMES.read().unwrap_or_else(PoisonError::into_inner));
        if let Some(index) = found {
            return Self::at(index);
        }
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        let index = place(&names).unwrap_or_else(|| {
            if names.len() < MOST_NAMES {
                names.push(name);
            } else if let Some(last) = names.last_mut() {
                *last = "other";
            }
            names.len().saturating_sub(1)
        });
        Self::at(index)
    }

    fn at(index: usize) -> Self {
        Self(u16::try_from(index + 1).unwrap_or(u16::MAX))
    }
}

/// A place in the code where a region begins; it looks up its name once.
#[derive(Debug)]
pub struct Site {
    name: &'static str,
    label: AtomicU16,
}

impl Site {
    /// A place that begins regions of this name.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            label: AtomicU16::new(0),
        }
    }

    /// Its label.
    #[inline]
    pub fn label(&self) -> Label {
        match self.label.load(Ordering::Relaxed) {
            0 => {
                let label = Label::of(self.name);
                self.label.store(label.0, Ordering::Relaxed);
                label
            }
            known => Label(known),
        }
    }
}

/// Labels from the outermost to the innermost, sixteen bits each, the innermost in the lowest ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Path(u128);

impl Path {
    #[inline]
    fn with(self, label: Label) -> Self {
        let full = self.0 >> (u128::BITS - BITS) != 0;
        let outer = if full {
            self.0 & !u128::from(u16::MAX)
        } else {
            self.0 << BITS
        };
        Self(outer | u128::from(label.0))
    }

    fn names(self) -> Vec<&'static str> {
        let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
        (0..DEPTH as u32)
            .rev()
            .filter_map(|level| {
                let number = (self.0 >> (level * BITS)) as u16;
                names.get(usize::from(number).checked_sub(1)?).copied()
            })
            .collect()
    }
}

/// Nanoseconds since the first region.
#[inline]
fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    nanoseconds(BEGAN.get_or_init(Instant::now).elapsed())
}

#[inline]
fn nanoseconds(time: Duration) -> u64 {
    // 584 years are enough; numbers of 128 bits would take longer to multiply than all the rest here.
    time.as_secs()
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::from(time.subsec_nanos()))
}

/// The region that a thread is in.
#[derive(Clone, Copy, Debug)]
struct Here {
    path: Path,
    /// Tells regions apart; 0 = none.
    id: u64,
    /// How many regions inside of it are open: more than one when several futures are awaited together.
    open: u32,
    /// When the first of those was opened.
    since: u64,
    /// Nanoseconds that were spent in regions inside of it, each counted once however many there were.
    covered: u64,
}

impl Here {
    const NOWHERE: Self = Self {
        path: Path(0),
        id: 0,
        open: 0,
        since: 0,
        covered: 0,
    };

    #[inline]
    fn inside(&mut self, label: Label, now: u64) -> Self {
        if self.open == 0 {
            self.since = now;
        }
        self.open += 1;
        Self {
            path: self.path.with(label),
            id: next_id(),
            ..Self::NOWHERE
        }
    }

    #[inline]
    fn left(&mut self, now: u64) {
        if self.open == 1 {
            self.covered += now.saturating_sub(self.since);
        }
        self.open = self.open.saturating_sub(1);
    }

    /// What it took itself, of this many nanoseconds.
    #[inline]
    fn own(&self, duration: u64, now: u64) -> u64 {
        let open = if self.open > 0 {
            now.saturating_sub(self.since)
        } else {
            0
        };
        duration.saturating_sub(self.covered + open)
    }
}

thread_local! {
    static HERE: Cell<Here> = const { Cell::new(Here::NOWHERE) };
    static IDS: Cell<u64> = const { Cell::new(0) };
}

/// Never the same twice, without anything that threads share after the first.
#[inline]
fn next_id() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    let id = match IDS.get() {
        0 => THREADS.fetch_add(1, Ordering::Relaxed) << 40,
        id => id + 1,
    };
    IDS.set(id);
    id
}

/// A region that lasts until this is dropped, on the thread that began it: a task that awaits uses [`during`].
#[derive(Debug)]
#[must_use = "a region ends when its guard is dropped"]
pub struct Region {
    outer: Here,
    id: u64,
    start: u64,
    thread: PhantomData<*const ()>,
}

/// Begins a region.
#[inline]
pub fn enter(label: Label) -> Region {
    let start = now();
    let mut outer = HERE.get();
    let here = outer.inside(label, start);
    HERE.set(here);
    Region {
        outer,
        id: here.id,
        start,
        thread: PhantomData,
    }
}

impl Drop for Region {
    #[inline]
    fn drop(&mut self) {
        let here = HERE.get();
        // Dropped out of turn: the one around it was dropped first, and recorded what there was.
        if here.id != self.id {
            return;
        }
        let end = now();
        let duration = end.saturating_sub(self.start);
        RING.record(Record {
            path: here.path.0,
            start: self.start,
            duration,
            own: here.own(duration, end),
            busy: duration,
        });
        self.outer.left(end);
        HERE.set(self.outer);
    }
}

/// Puts back what the thread was in, even when what was polled panicked.
struct PutBack(Here);

impl Drop for PutBack {
    fn drop(&mut self) {
        HERE.set(self.0);
    }
}

/// A region of a task, which has a thread only now and then.
struct Span {
    label: Label,
    here: Here,
    parent: u64,
    start: u64,
    busy: u64,
    began: bool,
}

impl Span {
    fn poll<T>(&mut self, poll: impl FnOnce() -> T) -> T {
        let now_on = now();
        if !self.began {
            let mut outer = HERE.get();
            self.began = true;
            self.start = now_on;
            self.parent = outer.id;
            self.here = outer.inside(self.label, now_on);
            HERE.set(outer);
        }
        let back = PutBack(HERE.replace(self.here));
        let result = poll();
        self.here = HERE.get();
        drop(back);
        self.busy += now().saturating_sub(now_on);
        result
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if !self.began {
            return;
        }
        let end = now();
        let duration = end.saturating_sub(self.start);
        RING.record(Record {
            path: self.here.path.0,
            start: self.start,
            duration,
            own: self.here.own(duration, end),
            busy: self.busy,
        });
        let mut outer = HERE.get();
        // The region it was begun in may be gone, or be on another thread.
        if outer.id == self.parent {
            outer.left(end);
            HERE.set(outer);
        }
    }
}

/// The future as a region, from its first poll until it is ready or dropped.
pub async fn during<F: Future>(label: Label, future: F) -> F::Output {
    let mut span = Span {
        label,
        here: Here::NOWHERE,
        parent: 0,
        start: 0,
        busy: 0,
        began: false,
    };
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| span.poll(|| future.as_mut().poll(cx))).await
}

/// Notes something that was only waited for, from `start` until now, under these labels, the outermost first.
pub fn note(labels: &[Label], start: Instant) {
    let duration = nanoseconds(start.elapsed());
    let path = labels
        .iter()
        .fold(Path::default(), |path, label| path.with(*label));
    RING.record(Record {
        path: path.0,
        start: now().saturating_sub(duration),
        duration,
        own: duration,
        busy: 0,
    });
}

/// A region that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its name and those around it, the outermost first.
    pub path: Vec<&'static str>,
    /// When it began, since the first region of this process.
    pub start: Duration,
    /// How long it took, with all that was inside of it.
    pub duration: Duration,
    /// How long it took without the regions inside of it.
    pub own: Duration,
    /// How long it had a thread: less than `duration` when it waited.
    pub busy: Duration,
}

impl Ended {
    /// When it ended, since the first region of this process.
    pub fn end(&self) -> Duration {
        self.start + self.duration
    }
}

/// The regions that ended within this time, in the order in which they ended.
pub fn ended_within(last: Duration) -> Vec<Ended> {
    let from = now().saturating_sub(nanoseconds(last));
    let mut found: Vec<Ended> = RING
        .all()
        .filter(|record| record.start.saturating_add(record.duration) >= from)
        .map(|record| Ended {
            path: Path(record.path).names(),
            start: Duration::from_nanos(record.start),
            duration: Duration::from_nanos(record.duration),
            own: Duration::from_nanos(record.own),
            busy: Duration::from_nanos(record.busy),
        })
        .collect();
    found.sort_by_key(Ended::end);
    found
}

#[cfg(test)]
mod tests;
