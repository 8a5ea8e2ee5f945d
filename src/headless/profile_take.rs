//! `omp-debug profile --pid N` and `--self`: a profile taken without a screen.
//!
//! It ends after its time, with the process, or on Ctrl-C, and is kept in all three cases; a second Ctrl-C drops it. What is made of it is
//! left to the caller, as for one that is read from a file.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use diagnostics::Cancel;
use diagnostics::profile::Profile;
use diagnostics::profile::sample::{Clock, Options, RATE, RATES, SampleError, Tools};
use diagnostics::profile::take::{Held, Live, Request, TakeError, Who, take};

/// How long it is taken when nobody says.
pub const SECONDS: f64 = 10.0;
/// The longest that can be asked for, in seconds: a day.
const LONGEST: f64 = 86_400.0;
/// From one line about the progress to the next.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long work waits for who looks at it.
const BEGINNING: Duration = Duration::from_secs(5);

/// What is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Of this process; nothing = of omp-debug itself.
    pub pid: Option<u32>,
    /// For so many seconds; nothing = [`SECONDS`].
    pub seconds: Option<f64>,
    /// So many looks a second; nothing = [`RATE`].
    pub rate: Option<u32>,
    /// Waiting counts as well as running.
    pub wall: bool,
    /// Only this thread, by its number in the system.
    pub thread: Option<u32>,
    /// Child processes as well.
    pub children: bool,
    /// The inspector of a runtime may be opened when it is closed.
    pub inspect: bool,
    /// By this means, one of [`diagnostics::profile::sample::Source::ALL`] by its name.
    pub with: Option<String>,
}

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum TakenError {
    /// What was asked for makes no sense; a sentence.
    #[error("{0}")]
    Usage(String),
    /// It could not be taken.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// Signals cannot be waited for.
    #[error("Ctrl-C cannot be waited for: {0}")]
    Signals(#[from] std::io::Error),
}

impl TakenError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Usage(_) | Self::Take(TakeError::Sample(SampleError::Unfit(_)))
        )
    }
}

impl Wanted {
    /// What is to be taken; the error is a sentence.
    pub fn request(&self) -> Result<Request, String> {
        let seconds = self.seconds.unwrap_or(SECONDS);
        if !(seconds > 0.0 && seconds <= LONGEST) {
            return Err(format!(
                "--seconds {seconds} is no time to look: give more than 0 and at most {LONGEST}"
            ));
        }
        let rate = self.rate.unwrap_or(RATE);
        if !RATES.contains(&rate) {
            let (least, most) = (RATES.start(), RATES.end());
            return Err(format!(
                "--rate {rate}: give {least} to {most} looks a second"
            ));
        }
        let with = self.with.as_deref().map(str::parse).transpose();
        Ok(Request {
            who: self.pid.map_or(Who::Own, Who::Pid),
            options: Options {
                rate,
                clock: if self.wall { Clock::Wall } else { Clock::Cpu },
                thread: self.thread,
                children: self.children,
                may_open: self.inspect,
            },
            duration: Some(Duration::from_secs_f64(seconds)),
            with: with.map_err(|why| format!("--with {why}"))?,
            held: Held::default(),
        })
    }
}

/// Takes a profile; `say` is told how far it is, when somebody may be looking.
pub fn run(
    wanted: &Wanted,
    tools: &Tools,
    say: &mut dyn FnMut(&str),
) -> Result<Profile, TakenError> {
    let request = wanted.request().map_err(TakenError::Usage)?;
    let (stop, drop_it) = (Cancel::default(), Cancel::default());
    listen(stop.clone(), drop_it.clone())?;
    let is_watched = std::io::stderr().is_terminal();
    let mut told: Option<Instant> = None;
    let mut news = |live: &Live<'_>| {
        if is_watched && told.is_none_or(|at| at.elapsed() >= PROGRESS) {
            if told.is_none() {
                let total = request.duration.unwrap_or_default().as_secs_f64();
                say(&format!(
                    "looking at {} with {} for {total} s; Ctrl-C ends it sooner",
                    live.target.title(),
                    live.source.about()
                ));
            } else if live.is_live {
                say(&format!(
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
    Ok(take(&request, tools, &stop, &drop_it, &mut news)?)
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

/// The first Ctrl-C (or request to end) stops it, the second drops it.
fn listen(stop: Cancel, drop_it: Cancel) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            for wanted in [stop, drop_it] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                wanted.cancel();
            }
        });
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::profile::sample::Source;

    #[test]
    fn options_become_a_request_or_a_sentence() {
        let wanted = Wanted {
            pid: Some(7),
            seconds: Some(0.5),
            rate: Some(50),
            wall: true,
            with: Some("py-spy".to_owned()),
            ..Wanted::default()
        };
        let request = wanted.request().unwrap();
        assert_eq!(request.who, Who::Pid(7));
        assert_eq!(request.duration, Some(Duration::from_millis(500)));
        assert_eq!(
            (request.options.rate, request.options.clock),
            (50, Clock::Wall)
        );
        assert_eq!(request.with, Some(Source::PySpy));
        let own = Wanted::default().request().unwrap();
        assert_eq!((own.who, own.options.rate), (Who::Own, RATE));
        for (wanted, said) in [
            (
                Wanted {
                    seconds: Some(0.0),
                    ..Wanted::default()
                },
                "--seconds 0 ",
            ),
            (
                Wanted {
                    seconds: Some(f64::NAN),
                    ..Wanted::default()
                },
                "--seconds NaN ",
            ),
            (
                Wanted {
                    rate: Some(0),
                    ..Wanted::default()
                },
                "--rate 0: give 1 to 1000",
            ),
            (
                Wanted {
                    with: Some("magic".to_owned()),
                    ..Wanted::default()
                },
                "--with \"magic\" is no source of samples: there are own, native, perf",
            ),
        ] {
            let error = wanted.request().unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
