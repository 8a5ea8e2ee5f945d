//! What a source of samples is asked for, and what it gives.

use crate::profile::prelude::*;

/// The rates that can be asked for, in samples a second.
pub const RATES: std::ops::RangeInclusive<u32> = 1..=1000;

/// The rate that is used when none is asked for: a hundred.
pub const RATE: u32 = 100;

/// Which time is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// That in which a thread has a processor.
    #[default]
    Cpu,
    /// All of it: a thread that waits is counted as well, with what it waits for.
    Wall,
}

/// How it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Times a second, of [`RATES`].
    pub rate: u32,
    /// Which time is counted.
    pub clock: Clock,
    /// Only this thread; nothing = all, those that begin later too.
    pub thread: Option<u32>,
    /// The processes that it starts and has started as well.
    pub children: bool,
    /// The inspector of a runtime may be opened when it is closed: somebody agreed to a port in that program.
    pub may_open: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rate: RATE,
            clock: Clock::Cpu,
            thread: None,
            children: false,
            may_open: false,
        }
    }
}

impl Options {
    /// From one look to the next.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(1) / self.rate.max(1)
    }
}

base::kinds! {
    /// Where samples come from.
    pub enum Source {
        /// A timer of our own, for omp-debug itself.
        Own = ["own", "a timer of its own"],
        /// Perf events, read by ourselves.
        Native = ["native", "samples of the kernel"],
        /// The program py-spy.
        PySpy = ["py-spy", "the program py-spy"],
        /// The inspector of a runtime.
        Inspector = ["inspector", "the inspector of its runtime"],
        /// `/proc`: states of threads, no functions.
        Proc = ["proc", "states of threads in /proc"],
    }
    fn row(self) -> [&'static str; 2];
}

impl Source {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        self.row()[0]
    }

    /// What it is, for a sentence.
    pub fn about(self) -> &'static str {
        self.row()[1]
    }
}

impl std::str::FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|source| source.name() == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("{text:?} is no source of samples: there are {names}")
            })
    }
}

/// The programs of others, where they are looked for, and where files may be put meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// The environment: PATH, and what helpers are started with.
    pub env: BTreeMap<String, String>,
    /// Folders of programs that are looked at after PATH: those of the environments that we manage.
    pub folders: Vec<PathBuf>,
}

impl Tools {
    /// Those of PATH, and those of the environments that omp-debug keeps for adapters in its folder for data.
    pub fn of(env: &BTreeMap<String, String>, data_dir: &Path) -> Self {
        let environments = std::fs::read_dir(data_dir.join("adapters"));
        let mut folders: Vec<PathBuf> = environments
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
            .filter(|folder| folder.is_dir())
            .collect();
        folders.sort();
        Self {
            env: env.clone(),
            folders,
        }
    }
}

/// What looking at a process gives.
pub type Result<T, E = SampleError> = std::result::Result<T, E>;

/// Why there are no samples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// The process cannot be looked at at all.
    #[error(transparent)]
    Target(#[from] ProcessError),
    /// This source cannot do it for this process or these options.
    #[error("{0}")]
    Unfit(String),
    /// The kernel does not permit it, what is needed is not here, or it did not work; the sentence says which rule it was, how to
    /// get it, what was done.
    #[error("{0}")]
    Failed(String),
}

impl SampleError {
    pub(super) fn failed(what: &str, why: impl Display) -> Self {
        Self::Failed(format!("{what}: {why}"))
    }

    /// Makes an error that says what failed, from the one that says why.
    pub(super) fn about<E: Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |why| Self::failed(what, why)
    }
}

/// What was seen since the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleBatch {
    /// Samples that went into the builder.
    pub samples: u64,
    /// Samples that were lost on the way.
    pub lost: u64,
    /// There will be no more: the process has ended.
    pub ended: bool,
}

/// A source at work on one process. Dropping it ends it without leaving anything behind.
pub trait Sampler: Send {
    /// Whether there is something to see before the end.
    fn is_live(&self) -> bool {
        true
    }

    /// Waits until about `patience` is over or the process has ended, and puts what was seen meanwhile into the builder.
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch>;

    /// Stops looking, and puts the rest into the builder.
    fn finish(self: Box<Self>, into: &mut Builder) -> Result<SampleBatch>;
}
