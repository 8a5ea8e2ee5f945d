//! Which source for which process: the one that sees most of it first, and what each lacked said beside the profile.

use super::{
    allowed::Allowed,
    inspector::Inspector,
    own::OwnSampler,
    prelude::*,
    py_spy::PySpy,
    sampler::{Clock, Source, Tools},
    states::States,
    target::Runtime,
    waiting::WaitingSampler,
};

/// A source at work.
pub struct Begun {
    pub source: Source,
    pub sampler: Box<dyn Sampler>,
    /// What the one who reads the profile should know: what could not be used and why, what cannot be seen.
    pub notes: Vec<String>,
}

/// The sources for a process, the one that sees most first.
fn order(target: &Target) -> &'static [Source] {
    if target.pid == std::process::id() {
        return &[Source::Own, Source::Native, Source::Proc];
    }
    match target.runtime {
        Runtime::Python => &[Source::PySpy, Source::Native, Source::Proc],
        Runtime::Node | Runtime::Deno => &[Source::Inspector, Source::Native, Source::Proc],
        Runtime::Native | Runtime::Bun => &[Source::Native, Source::Proc],
    }
}

/// Starts the best source for a process that is none of `failed`, or the one that is asked for and no other.
pub fn begin(
    target: &Target,
    options: &Options,
    with: Option<Source>,
    failed: &[Source],
    tools: &Tools,
) -> Result<Begun> {
    if let Some(thread) = options.thread {
        target.check_thread(thread)?;
    }
    let allowed = Allowed::look();
    let tracer = target.tracer.iter().map(|tracer| {
        format!(
            "{} is held by {} ({}): it is looked at without attaching to it",
            target.title(),
            tracer.name,
            tracer.pid
        )
    });
    let mut notes: Vec<String> = tracer.collect();
    let mut last = None;
    let order = with
        .as_ref()
        .map_or_else(|| order(target), std::slice::from_ref);
    let fit = order.iter().filter(|fit| !failed.contains(fit));
    for source in fit.copied() {
        match start(source, target, options, &allowed, tools) {
            Ok(sampler) => {
                if with.is_none() && (!notes.is_empty() || last.is_some()) {
                    notes.push(format!("used: {}", source.about()));
                }
                notes.extend(unseen(target, source).map(str::to_owned));
                return Ok(Begun {
                    source,
                    sampler,
                    notes,
                });
            }
            Err(error) if with.is_some() || matches!(error, SampleError::Target(_)) => {
                return Err(error);
            }
            // A build without it is no news for who uses it.
            Err(error @ SampleError::Unfit(_)) if source == Source::Native => last = Some(error),
            Err(error) => {
                notes.push(not_used(source, &error));
                last = Some(error);
            }
        }
    }
    Err(last.unwrap_or_else(|| SampleError::Unfit("there is no source of samples".to_owned())))
}

/// Says why a source gave nothing.
pub fn not_used(source: Source, error: &SampleError) -> String {
    format!("not used: {} ({error})", source.about())
}

fn start(
    source: Source,
    target: &Target,
    options: &Options,
    allowed: &Allowed,
    tools: &Tools,
) -> Result<Box<dyn Sampler>> {
    let sampler: Box<dyn Sampler> = match source {
        Source::Own => Box::new(OwnSampler::start(target, options)?),
        #[cfg(feature = "profile-native")]
        Source::Native => Box::new(super::native::Native::start(target, options, allowed)?),
        #[cfg(not(feature = "profile-native"))]
        Source::Native => {
            return Err(SampleError::Unfit(
                "this omp-debug was built without its own reader of samples (feature profile-native)"
                    .to_owned(),
            ));
        }
        Source::PySpy if target.runtime != Runtime::Python => {
            return Err(SampleError::Unfit(format!(
                "py-spy looks into Python, and {} does not run it",
                target.title()
            )));
        }
        Source::PySpy => Box::new(PySpy::start(target, options, allowed, tools)?),
        Source::Inspector => Box::new(Inspector::start(target, options)?),
        Source::Proc => Box::new(States::start(target, options)),
    };
    let adds_waiting = matches!(source, Source::Own | Source::Native);
    Ok(if adds_waiting && options.clock == Clock::Wall {
        Box::new(WaitingSampler::with(sampler, target, options))
    } else {
        sampler
    })
}

/// What a source cannot see of a process.
fn unseen(target: &Target, source: Source) -> Option<&'static str> {
    match (source, target.runtime) {
        (Source::Proc, _) => Some(States::NOTE),
        (Source::Own, _) => Some("what runs inside of the C library is not seen"),
        (Source::Native, Runtime::Python) => Some(
            "functions of Python are seen as those of its interpreter; `python -X perf` (3.12 and newer) names them, and py-spy does",
        ),
        (Source::Inspector, _) => {
            Some("machine code is seen as (program): --with native shows its functions")
        }
        (Source::Native, Runtime::Node) => Some(
            "functions of JavaScript have no names unless the program was started with `node --perf-basic-prof`; its inspector names them, and `node --cpu-prof` writes a profile that opens here",
        ),
        (Source::Native, Runtime::Deno) => Some(
            "functions of JavaScript have no names; started with `deno run --inspect` they are seen through its inspector",
        ),
        (Source::Native, Runtime::Bun) => Some(
            "functions of JavaScript have no names; `bun --cpu-prof` writes a profile that opens here",
        ),
        _ => None,
    }
}
