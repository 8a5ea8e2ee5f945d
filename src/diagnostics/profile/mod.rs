//! Where time (or memory) went: stacks and what each of them weighs.
//!
//! A [`Profile`] is the one shape that everything is turned into, whether it was sampled here or read from a file of another tool, and from
//! which every view and export is made. Equal frames and equal stacks are kept once: a million samples are a million [`Sample`]s of 24
//! bytes, whatever their depth. Beyond [`MOST_SAMPLES`] equal ones near each other become one: no weight is lost, only the
//! exact moment.
//!
//! [`import`] reads what other tools wrote, [`export`] writes what they read, [`tree`] merges stacks into what a flame graph, a table
//! and a list of callers show, [`words`] says weights for people.

/// Numbers in lists, each kind a type of its own.
macro_rules! ids {
    ($($(#[$about:meta])* $name:ident)+) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    )+ };
}

pub mod export;
pub mod import;
mod merge;
mod prelude;
mod thin;
pub mod tree;
mod wire;
pub mod words;

pub mod sample;
pub mod take;
pub mod work;

use std::hash::Hash;

use crate::prelude::*;

/// So many samples are kept one by one: 96 MB.
pub const MOST_SAMPLES: usize = 4_000_000;

/// What the weights of a profile count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Times a stack was seen.
    #[default]
    Samples,
    Nanoseconds,
    Bytes,
    /// Anything else that was counted.
    Count,
}

/// A function, and where its source is as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function's name, as its tool wrote it: foreign text.
    pub name: Arc<str>,
    /// The source file or URL.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The library, program or package it belongs to.
    pub module: Option<Arc<str>>,
}

impl Frame {
    /// Of which nothing else is known.
    fn named(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

ids! {
    /// A frame of [`Profile::frames`].
    FrameId
    /// A stack of [`Profile::stacks`].
    StackId
    /// A thread of [`Profile::threads`].
    ThreadId
}

/// A stack: its innermost frame, on top of what called it. A caller always has a smaller number than what it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stack {
    /// Who called; nothing for the outermost frame.
    pub parent: Option<StackId>,
    /// The innermost frame.
    pub frame: FrameId,
}

/// One thread, task or process that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its process.
    pub pid: Option<u32>,
    /// Its number in the system.
    pub tid: Option<u64>,
    /// Its name: foreign text.
    pub name: Arc<str>,
}

/// One look at one thread, or several equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What it was doing.
    pub stack: StackId,
    pub thread: ThreadId,
    /// How much, in the profile's [`Unit`].
    pub weight: u64,
    /// When, in nanoseconds since the beginning; [`Sample::NO_TIME`] when that is not known.
    pub at: u64,
}

impl Sample {
    /// For [`Sample::at`].
    pub const NO_TIME: u64 = u64::MAX;
}

/// Stacks with their weights.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// What was profiled, for a title: foreign text.
    pub name: String,
    /// What the weights count.
    pub unit: Unit,
    /// When it began.
    pub started: Option<SystemTime>,
    /// How long it was looked at.
    pub duration: Option<Duration>,
    /// From one look to the next.
    pub interval: Option<Duration>,
    /// How many samples were lost on the way.
    pub lost: u64,
    /// How long of [`Profile::duration`] it stood still while it was looked at; the first note says why.
    pub stood: Duration,
    /// What a reader should know: what was cut, what could not be seen.
    pub notes: Vec<String>,
    /// The threads, by their ids.
    pub threads: Vec<Thread>,
    /// The frames, by their ids.
    pub frames: Vec<Frame>,
    /// The stacks, by their ids; a caller comes before what it calls.
    pub stacks: Vec<Stack>,
    /// The samples, in the order in which they were taken.
    pub samples: Vec<Sample>,
}

impl Profile {
    /// Which of the threads belong to a debugger that works inside of the program. Those of debugpy begin in one file of it, and nearly all
    /// are called `pydevd.Reader` and the like (<https://github.com/fabioz/PyDev.Debugger>, `PyDBDaemonThread`).
    pub fn debuggers(&self) -> Vec<bool> {
        const NAME: &str = "pydevd.";
        const BEGINS: &str = "/pydevd_daemon_thread.py";
        let begins: Vec<bool> = self
            .frames
            .iter()
            .map(|frame| frame.file.as_deref().is_some_and(|f| f.ends_with(BEGINS)))
            .collect();
        // A caller comes before what it calls: what it is is known by then.
        let mut stacks: Vec<bool> = Vec::with_capacity(self.stacks.len());
        for stack in &self.stacks {
            let above = stack
                .parent
                .is_some_and(|above| slots::at(&stacks, above.0));
            stacks.push(above || slots::at(&begins, stack.frame.0));
        }
        let mut threads: Vec<bool> = self
            .threads
            .iter()
            .map(|thread| thread.name.starts_with(NAME))
            .collect();
        for sample in &self.samples {
            if slots::at(&stacks, sample.stack.0) {
                slots::put(&mut threads, sample.thread.0, true);
            }
        }
        threads
    }

    /// Whether the innermost frame of a stack has this name.
    fn is_in(&self, name: &str) -> impl Fn(StackId) -> bool {
        let named: Vec<bool> = self.frames.iter().map(|f| &*f.name == name).collect();
        move |stack| {
            let stack = self.stack(stack);
            stack.is_some_and(|stack| slots::at(&named, stack.frame.0))
        }
    }

    /// How many looks its samples are: what was seen several times counts as often.
    pub fn seen(&self) -> u64 {
        match self.unit {
            Unit::Samples => self.total(),
            _ => self.samples.len() as u64,
        }
    }

    /// Whether what they weigh can be set side by side; else why not, in a sentence. Times and samples are parts of a time both.
    pub fn comparable(&self, base: &Self) -> Result<(), String> {
        let kind = |unit| match unit {
            Unit::Samples | Unit::Nanoseconds => "time",
            Unit::Bytes => "memory",
            Unit::Count => "something else that was counted",
        };
        let (now, before) = (kind(self.unit), kind(base.unit));
        if now == before {
            return Ok(());
        }
        Err(format!(
            "{:?} is of {before} and {:?} of {now}: they cannot be compared",
            sanitise(&base.name),
            sanitise(&self.name)
        ))
    }

    /// A frame by its id.
    pub fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get(id.0 as usize)
    }

    /// A stack by its id.
    pub fn stack(&self, id: StackId) -> Option<Stack> {
        self.stacks.get(id.0 as usize).copied()
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        self.samples
            .iter()
            .fold(0, |sum, sample| sum.saturating_add(sample.weight))
    }

    /// The frames of a stack, the innermost first.
    pub fn frames_of(&self, stack: StackId) -> impl Iterator<Item = FrameId> + '_ {
        let stacks = std::iter::successors(self.stack(stack), |here| self.stack(here.parent?));
        stacks.map(|stack| stack.frame)
    }
}

/// Makes a [`Profile`], keeping equal things once.
#[derive(Debug, Default)]
pub struct Builder {
    profile: Profile,
    slices: thin::Slices,
    /// How many samples there may be before they are thinned, [`MOST_SAMPLES`] at least.
    room: usize,
    threads: HashMap<Thread, u32>,
    frames: HashMap<Frame, u32>,
    stacks: HashMap<Stack, u32>,
}

impl Builder {
    /// A profile without samples, whose weights count `unit`.
    pub fn new(unit: Unit) -> Self {
        Self {
            profile: Profile {
                unit,
                ..Profile::default()
            },
            ..Self::default()
        }
    }

    /// What is not made of samples: name, times, notes.
    pub fn about(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// The thread's id, a new one if it was not there.
    pub fn thread(&mut self, thread: Thread) -> ThreadId {
        let threads = &mut self.profile.threads;
        ThreadId(number_in(&mut self.threads, threads, thread))
    }

    /// The frame's id, a new one if it was not there.
    pub fn frame(&mut self, frame: Frame) -> FrameId {
        FrameId(number_in(&mut self.frames, &mut self.profile.frames, frame))
    }

    /// The stack of `frame`, called by `parent`.
    pub fn stack(&mut self, parent: Option<StackId>, frame: FrameId) -> StackId {
        let stack = Stack { parent, frame };
        StackId(number_in(&mut self.stacks, &mut self.profile.stacks, stack))
    }

    /// The stack of these frames, the outermost first; nothing when there is none.
    pub fn stack_of(&mut self, frames: impl IntoIterator<Item = FrameId>) -> Option<StackId> {
        frames
            .into_iter()
            .fold(None, |parent, frame| Some(self.stack(parent, frame)))
    }

    /// The stack of these frames, the outermost first.
    pub fn stack_of_frames(&mut self, frames: impl IntoIterator<Item = Frame>) -> Option<StackId> {
        frames.into_iter().fold(None, |parent, frame| {
            let frame = self.frame(frame);
            Some(self.stack(parent, frame))
        })
    }

    /// One more sample.
    pub fn sample(&mut self, sample: Sample) {
        self.profile.samples.push(sample);
        if self.profile.samples.len() >= self.room.max(MOST_SAMPLES) {
            self.room = self.slices.thin(&mut self.profile.samples);
        }
    }

    /// The profile so far, for a view of one that is still being taken.
    pub fn so_far(&self) -> &Profile {
        &self.profile
    }

    /// The profile.
    pub fn finish(mut self) -> Profile {
        self.profile.notes.extend(self.slices.note());
        self.profile
    }
}

/// The number of an item in a list, a new one if it was not there.
fn number_in<T: Clone + Eq + Hash>(known: &mut HashMap<T, u32>, list: &mut Vec<T>, item: T) -> u32 {
    let next = number(list.len());
    *known.entry(item).or_insert_with_key(|item| {
        list.push(item.clone());
        next
    })
}

/// A profile has fewer than four thousand million of anything: each was read from memory.
fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// A time as samples count it.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
