//! `omp-debug profile --pid N` and `--self`: a profile taken without a screen.
//!
//! It ends after its time, with the process, or on Ctrl-C, and is kept in all three cases; a second Ctrl-C drops it. What is made of it is
//! left to the caller, as for one that is read from a file.

use super::{prelude::*, setup::at_interrupts};
use crate::diagnostics::profile::{
    Profile,
    sample::{SampleError, Tools},
    take::{Live, Request, TakeError, take},
};

/// From one line about the progress to the next.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long work waits for who looks at it.
const BEGINNING: Duration = Duration::from_secs(5);

/// Takes a profile, and says how far it is when somebody may be looking.
pub fn run(request: &Request, tools: &Tools) -> Result<Profile> {
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
    take(request, tools, &stop, &drop_it, &mut news).map_err(|error| {
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
