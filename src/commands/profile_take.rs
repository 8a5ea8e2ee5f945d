//! `omp-debug profile --pid N` and `--self`: a profile taken without a screen.
//!
//! It ends after its time, with the process, or on Ctrl-C, and is kept in all three cases; a second Ctrl-C drops it. What is made of it is
//! left to the caller, as for one that is read from a file.

use super::{prelude::*, profile::ProfileArgs, setup::at_interrupts};
use crate::diagnostics::profile::{
    Profile,
    sample::{Clock, Options, RATE, RATES, SampleError, Tools},
    take::{Held, Live, Request, TakeError, Who, take},
};

/// How long it is taken when nobody says.
const SECONDS: f64 = 10.0;
/// The longest that can be asked for, in seconds: a day.
const LONGEST: f64 = 86_400.0;
/// From one line about the progress to the next.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long work waits for who looks at it.
const BEGINNING: Duration = Duration::from_secs(5);

/// What is to be taken; the error is a sentence.
pub fn request(args: &ProfileArgs) -> Result<Request, String> {
    let seconds = args.seconds.unwrap_or(SECONDS);
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(format!(
            "--seconds {seconds} is no time to look: give more than 0 and at most {LONGEST}"
        ));
    }
    let rate = args.rate.unwrap_or(RATE);
    if !RATES.contains(&rate) {
        let (least, most) = (RATES.start(), RATES.end());
        return Err(format!(
            "--rate {rate}: give {least} to {most} looks a second"
        ));
    }
    let with = args.with.as_deref().map(str::parse).transpose();
    Ok(Request {
        who: args.pid.map_or(Who::Own, Who::Pid),
        options: Options {
            rate,
            clock: if args.wall { Clock::Wall } else { Clock::Cpu },
            thread: args.thread,
            children: args.children,
            may_open: args.inspect,
        },
        duration: Some(Duration::from_secs_f64(seconds)),
        with: with.map_err(|why| format!("--with {why}"))?,
        held: Held::default(),
    })
}

/// Takes a profile, and says how far it is when somebody may be looking.
pub fn run(args: &ProfileArgs, tools: &Tools) -> Result<Profile> {
    let mut request = request(args).map_err(Failure::usage)?;
    if args.itself {
        // Without a screen there is nothing that takes time.
        request.options.clock = Clock::Wall;
    }
    let (stop, drop_it) = (Cancel::default(), Cancel::default());
    // The first one stops it, the second drops it.
    let mut wanted = [stop.clone(), drop_it.clone()].into_iter();
    let listened =
        at_interrupts(move || wanted.by_ref().take(1).for_each(|cancel| cancel.cancel()));
    listened.map_err(|error| Failure::failed(format!("Ctrl-C cannot be waited for: {error}")))?;
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
    use crate::diagnostics::profile::sample::Source;

    #[test]
    fn options_become_a_request_or_a_sentence() {
        let wanted = ProfileArgs {
            pid: Some(7),
            seconds: Some(0.5),
            rate: Some(50),
            wall: true,
            with: Some("py-spy".to_owned()),
            ..ProfileArgs::default()
        };
        let taken = request(&wanted).unwrap();
        assert_eq!(taken.who, Who::Pid(7));
        assert_eq!(taken.duration, Some(Duration::from_millis(500)));
        assert_eq!((taken.options.rate, taken.options.clock), (50, Clock::Wall));
        assert_eq!(taken.with, Some(Source::PySpy));
        let own = request(&ProfileArgs::default()).unwrap();
        assert_eq!((own.who, own.options.rate), (Who::Own, RATE));
        for (wanted, said) in [
            (
                ProfileArgs {
                    seconds: Some(0.0),
                    ..ProfileArgs::default()
                },
                "--seconds 0 ",
            ),
            (
                ProfileArgs {
                    seconds: Some(f64::NAN),
                    ..ProfileArgs::default()
                },
                "--seconds NaN ",
            ),
            (
                ProfileArgs {
                    rate: Some(0),
                    ..ProfileArgs::default()
                },
                "--rate 0: give 1 to 1000",
            ),
            (
                ProfileArgs {
                    with: Some("magic".to_owned()),
                    ..ProfileArgs::default()
                },
                "--with \"magic\" is no source of samples: there are own, native, perf",
            ),
        ] {
            let error = request(&wanted).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
