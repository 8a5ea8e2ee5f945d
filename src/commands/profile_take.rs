//! `omp-debug profile --pid N` and `--self`: a profile taken without a screen.
//!
//! It ends after its time, with the process, or on Ctrl-C, and is kept in all three cases; a second Ctrl-C drops it. What is made of it is
//! left to the caller, as for one that is read from a file.

use super::{prelude::*, profile::ProfileArgs, setup::at_interrupts};
use crate::diagnostics::profile::{
    Profile,
    sample::{Clock, Options, RATE, SampleError, Tools},
    take::{Held, Live, Request, TakeError, Who, take},
};

/// How long it is taken when nobody says.
const SECONDS: Duration = Duration::from_secs(10);
/// From one line about the progress to the next.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long work waits for who looks at it.
const BEGINNING: Duration = Duration::from_secs(5);

/// What is to be taken.
pub fn request(args: &ProfileArgs) -> Request {
    Request {
        who: args.pid.map_or(Who::Own, Who::Pid),
        options: Options {
            rate: args.rate.unwrap_or(RATE),
            clock: if args.wall { Clock::Wall } else { Clock::Cpu },
            thread: args.thread,
            children: args.children,
            may_open: args.inspect,
        },
        duration: Some(args.seconds.unwrap_or(SECONDS)),
        with: args.with,
        held: Held::default(),
    }
}

/// Takes a profile, and says how far it is when somebody may be looking.
pub fn run(args: &ProfileArgs, tools: &Tools) -> Result<Profile> {
    let mut request = request(args);
    if args.itself {
        // Without a screen there is nothing that takes time.
        request.options.clock = Clock::Wall;
    }
    let (stop, drop_it) = (Cancel::default(), Cancel::default());
    // The first one stops it, the second drops it.
    let mut wanted = [stop.clone(), drop_it.clone()].into_iter();
    at_interrupts(move || wanted.by_ref().take(1).for_each(|cancel| cancel.cancel()))?;
    let is_watched = std::io::stderr().is_terminal();
    let mut told: Option<Instant> = None;
    let mut news = |live: &Live<'_>| {
        if is_watched && told.is_none_or(|at| at.elapsed() >= PROGRESS) {
            if told.is_none() {
                let total = request.duration.unwrap_or_default().as_secs_f64();
                warn(&format!(
                    "looking at {} with {} for {total} s; Ctrl-C ends it sooner",
                    live.target.title(),
                    live.source.about()
                ));
            } else if live.is_live {
                warn(&format!(
                    "{:.0} s, {} samples, {} lost",
                    live.elapsed.as_secs_f64(),
                    live.samples,
                    live.lost
                ));
            }
            told = Some(Instant::now());
        }
        true
    };
    take(&request, tools, &stop, &drop_it, &mut news).map_err(|error| {
        let usage = matches!(error, TakeError::Sample(SampleError::Unfit(_)));
        Failure::blaming(usage, error)
    })
}

/// Takes a profile while `work` is done, from before its beginning to its end.
pub fn beside<T>(
    request: &Request,
    tools: &Tools,
    work: impl FnOnce() -> T,
) -> (Result<Profile, TakeError>, T) {
    let (stop, never) = (Cancel::default(), Cancel::default());
    let (began, beginning) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| {
            take(request, tools, &stop, &never, &mut |_| {
                // Only the first one is waited for.
                let _ = began.send(());
                true
            })
        });
        let _ = beginning.recv_timeout(BEGINNING);
        let done = work();
        stop.cancel();
        let profile = taking.join().unwrap_or(Err(TakeError::Cancelled));
        (profile, done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commands::cli::Cli, diagnostics::profile::sample::Source};
    use clap::Parser as _;

    #[test]
    fn options_become_a_request_or_a_sentence() {
        let wanted = ProfileArgs {
            pid: Some(7),
            seconds: Some(Duration::from_millis(500)),
            rate: Some(50),
            wall: true,
            with: Some(Source::PySpy),
            ..ProfileArgs::default()
        };
        let taken = request(&wanted);
        assert_eq!(taken.who, Who::Pid(7));
        assert_eq!(taken.duration, Some(Duration::from_millis(500)));
        assert_eq!((taken.options.rate, taken.options.clock), (50, Clock::Wall));
        assert_eq!(taken.with, Some(Source::PySpy));
        let own = request(&ProfileArgs::default());
        assert_eq!((own.who, own.options.rate), (Who::Own, RATE));
        for [option, value, said] in [
            ["--seconds", "0", "between 0.01 and 86400"],
            ["--seconds", "NaN", "between 0.01 and 86400"],
            ["--rate", "0", "1..=1000"],
            ["--with", "magic", "there are own, native, perf"],
        ] {
            let words = ["omp-debug", "profile", "--self", option, value];
            let error = Cli::try_parse_from(words).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
