//! Taking a profile from beginning to end: who, how long, what to show meanwhile, and two ways to end it sooner.
//!
//! [`take`] blocks until it is over and is made for a thread that may: work of the screen, or a front end without one. Where the samples come
//! from is left to [`super::sample`], what is made of them to whoever asked.

use std::sync::atomic::AtomicBool;

use super::sample::{self, Options, SampleError, Sampler, Source, Standing, Target, Tools};
use crate::profile::prelude::*;

/// How long a source is left alone between two looks whether it should end.
const SLICE: Duration = Duration::from_millis(50);
/// From one view of an unfinished profile to the next.
const NEWS: Duration = Duration::from_millis(250);
/// How long a process may take from the end of its samples to its own: on a busy machine it waits for its turn between the two.
const END: Duration = Duration::from_secs(1);

/// Which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessChoice {
    /// The one of this number.
    Pid(u32),
    /// The one of this number that was started then ([`Target::started`]): no other that got its number since.
    Chosen {
        /// Its number.
        pid: u32,
        started: u64,
    },
    Own,
}

/// Whether a debugger holds the process just now, told by whoever debugs it: a debugger inside of the program stops it in a way that the
/// system does not see. Clones are one and the same.
#[derive(Clone, Debug, Default)]
pub struct DebuggerHold(Arc<AtomicBool>);

impl DebuggerHold {
    /// It is held from now on, or goes on.
    pub fn set(&self, is_held: bool) {
        self.0.store(is_held, Ordering::Relaxed);
    }

    /// Whether it is held.
    pub fn is_held(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl PartialEq for DebuggerHold {
    fn eq(&self, other: &Self) -> bool {
        self.is_held() == other.is_held()
    }
}

impl Eq for DebuggerHold {}

/// What is to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose profile.
    pub who: ProcessChoice,
    /// How it is looked at.
    pub options: Options,
    /// For how long; nothing = until it is stopped or the process ends.
    pub duration: Option<Duration>,
    /// Where the samples must come from; nothing = from where most can be seen.
    pub with: Option<Source>,
    /// Whether its debugger holds it, as far as somebody tells.
    pub held: DebuggerHold,
}

impl Request {
    /// A profile of this process until somebody stops it.
    pub fn of(who: ProcessChoice) -> Self {
        Self {
            who,
            options: Options::default(),
            duration: None,
            with: None,
            held: DebuggerHold::default(),
        }
    }

    /// The process, if it can be looked at.
    pub fn target(&self) -> Result<Target, ProcessError> {
        match self.who {
            ProcessChoice::Pid(pid) => Target::look(pid),
            ProcessChoice::Chosen { pid, started } => Target::look_again(pid, started),
            ProcessChoice::Own => Target::look(std::process::id()),
        }
    }
}

/// A profile that is being taken.
#[derive(Debug)]
pub struct Live<'a> {
    /// What there is so far.
    pub profile: &'a Profile,
    /// The process.
    pub target: &'a Target,
    /// Where the samples come from.
    pub source: Source,
    /// False: this source shows its samples only at the end.
    pub is_live: bool,
    /// How long it is taken by now.
    pub elapsed: Duration,
    /// Samples so far.
    pub samples: u64,
    /// Lost ones so far.
    pub lost: u64,
    /// Why it stands still just now, if it does.
    pub standing: Option<Standing>,
}

/// Why there is no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeError {
    /// The process cannot be looked at, or nothing can look at it.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// It was looked at, and there was nothing to see.
    #[error("{0}")]
    Nothing(String),
    /// Nobody wants it any more.
    #[error("taking the profile was cancelled")]
    Cancelled,
}

impl From<ProcessError> for TakeError {
    fn from(error: ProcessError) -> Self {
        Self::Sample(error.into())
    }
}

/// Takes a profile. `stop` ends it and keeps what there is, `drop_it` ends it for nothing; `news` is told of it some times a second, and ends
/// it for nothing as well when it answers false.
pub fn take(
    request: &Request,
    tools: &Tools,
    stop: &Cancel,
    drop_it: &Cancel,
    news: &mut dyn FnMut(&Live<'_>) -> bool,
) -> Result<Profile, TakeError> {
    let target = request.target()?;
    let mut failed = Vec::new();
    let mut notes = Vec::new();
    loop {
        let begun = sample::begin(&target, &request.options, request.with, &failed, tools)?;
        let mut builder = Builder::new(Unit::Samples);
        let about = builder.about();
        about.name = target.title();
        about.started = Some(SystemTime::now());
        about.interval = Some(request.options.interval());
        about.notes.clone_from(&notes);
        about.notes.extend(begun.notes);
        let taken = with(
            (begun.source, begun.sampler),
            builder,
            &target,
            request,
            [stop, drop_it],
            news,
        );
        match taken {
            // What a program says only once it runs: the next best one is used.
            Err(TakeError::Sample(error))
                if request.with.is_none() && !matches!(error, SampleError::Target(_)) =>
            {
                notes.push(sample::not_used(begun.source, &error));
                failed.push(begun.source);
            }
            done => return done,
        }
    }
}

/// Takes it with one source; what that could not do is an error only while there are no samples.
fn with(
    (source, mut sampler): (Source, Box<dyn Sampler>),
    mut builder: Builder,
    target: &Target,
    request: &Request,
    [stop, drop_it]: [&Cancel; 2],
    news: &mut dyn FnMut(&Live<'_>) -> bool,
) -> Result<Profile, TakeError> {
    let mut state = State {
        began: Instant::now(),
        source,
        is_live: sampler.is_live(),
        samples: 0,
        lost: 0,
        ended: false,
        standing: None,
        looked: Instant::now(),
        stood: Duration::ZERO,
        why: None,
    };
    let mut told: Option<Instant> = None;
    let mut heard_end = false;
    while !state.is_over(request.duration) && !stop.is_cancelled() {
        state.look(request, target, builder.about());
        if drop_it.is_cancelled() {
            return Err(TakeError::Cancelled);
        }
        let slice = state.slice(request.duration);
        let taken = sampler.take(slice, &mut builder);
        heard_end |= taken.as_ref().is_ok_and(|taken| taken.ended);
        let is_well = state.add(taken, "it ended too early", builder.about())?;
        state.ended |= !is_well;
        if told.is_none_or(|at| at.elapsed() >= NEWS) {
            told = Some(Instant::now());
            if !news(&state.live(&builder, target)) {
                return Err(TakeError::Cancelled);
            }
        }
    }
    state.look(request, target, builder.about());
    let elapsed = state.began.elapsed();
    let rest = sampler.finish(&mut builder);
    state.add(rest, "it may lack its end", builder.about())?;
    news(&state.live(&builder, target));
    let about = builder.about();
    about.duration = Some(elapsed);
    // Only what heard of an end may have to wait for it; a source that failed, or was ended by us, says nothing of the process.
    let is_gone = if heard_end {
        target.ends_within(END)
    } else {
        state.ended && !target.is_there()
    };
    if is_gone {
        let note = format!(
            "{} ended after {:.1} s",
            target.title(),
            elapsed.as_secs_f64()
        );
        // What makes it shorter than was asked for is read first, after what makes it another thing than it looks.
        let at = usize::from(!about.stood.is_zero()).min(about.notes.len());
        about.notes.insert(at, note);
    }
    let profile = builder.finish();
    if profile.samples.is_empty() {
        let is_still = state.stood * 10 > elapsed * 9;
        return Err(TakeError::Nothing(nothing(target, &profile, is_still)));
    }
    Ok(profile)
}

/// How far it is.
struct State {
    began: Instant,
    source: Source,
    is_live: bool,
    samples: u64,
    lost: u64,
    ended: bool,
    /// Why it stood still at the last look, and when that was.
    standing: Option<Standing>,
    looked: Instant,
    /// How long it stood still so far.
    stood: Duration,
    /// Why it stood still the last time; the first note says so.
    why: Option<Standing>,
}

impl State {
    /// Looks whether it stands still. A profile of that time shows a place and no work, which is the first thing to know of it.
    fn look(&mut self, request: &Request, target: &Target, about: &mut Profile) {
        let since = std::mem::replace(&mut self.looked, Instant::now());
        if self.standing.is_some() {
            self.stood += self.looked.saturating_duration_since(since);
        }
        self.standing = if request.held.is_held() {
            Some(Standing::Debugger)
        } else {
            target.standing()
        };
        let is_noted = self.why.is_some();
        self.why = self.standing.or(self.why);
        let Some(why) = self.why else { return };
        let note = stood(target, why, self.stood, self.began.elapsed());
        about.stood = self.stood;
        match about.notes.first_mut() {
            Some(first) if is_noted => *first = note,
            _ => about.notes.insert(0, note),
        }
    }

    fn is_over(&self, duration: Option<Duration>) -> bool {
        self.ended || duration.is_some_and(|duration| self.began.elapsed() >= duration)
    }

    fn slice(&self, duration: Option<Duration>) -> Duration {
        duration.map_or(SLICE, |duration| {
            SLICE.min(duration.saturating_sub(self.began.elapsed()))
        })
    }

    /// Whether it went well. If not, what there is so far is worth more than nothing; only without that it is an error.
    fn add(
        &mut self,
        taken: Result<sample::SampleBatch, SampleError>,
        trouble: &str,
        about: &mut Profile,
    ) -> Result<bool, SampleError> {
        match taken {
            Ok(taken) => {
                self.samples += taken.samples;
                self.lost += taken.lost;
                self.ended |= taken.ended;
                Ok(true)
            }
            Err(error) if self.samples > 0 => {
                about.notes.push(format!("{trouble}: {error}"));
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn live<'a>(&self, builder: &'a Builder, target: &'a Target) -> Live<'a> {
        Live {
            profile: builder.so_far(),
            target,
            source: self.source,
            is_live: self.is_live,
            elapsed: self.began.elapsed(),
            samples: self.samples,
            lost: self.lost,
            standing: self.standing,
        }
    }
}

/// How long it stood still, why, and what to do.
fn stood(target: &Target, why: Standing, stood: Duration, all: Duration) -> String {
    let time = |time: Duration| words::time(nanoseconds(time));
    let (by, remedy) = match why {
        Standing::Debugger => ("its debugger", "continue it".to_owned()),
        Standing::Signal => (
            "a signal",
            format!("let it go on (kill -CONT {})", target.pid),
        ),
    };
    format!(
        "{} was stopped by {by} for {} of {}: that time shows where it stood, not what takes time; {remedy} and take the profile again",
        target.title(),
        time(stood),
        time(all)
    )
}

/// Why nothing was seen, as far as that is known.
fn nothing(target: &Target, profile: &Profile, is_still: bool) -> String {
    let mut text = if is_still && target.is_there() {
        format!("{} stood still, and nothing was to be seen", target.title())
    } else if target.is_there() {
        format!(
            "{} took no processor time while it was looked at: look longer, or count the time in which it waits as well (--wall)",
            target.title()
        )
    } else {
        format!("{} ended before anything was seen of it", target.title())
    };
    for note in &profile.notes {
        text.push_str("; ");
        text.push_str(note);
    }
    text
}
