//! `report`: what the command line says becomes a request, and the end of it an exit code.

use std::io::{BufRead, IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use omp_debug::cli::ReportArgs;
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::report::{Bundle, BundleError, Level, Request};
use omp_debug::headless;

use super::{DENIED, FAILED, Failure, USAGE, layout, say};

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// What a report is to hold.
pub fn request(args: &ReportArgs, omp_dir: Option<&Path>, context: &Context) -> Request {
    Request {
        layout: layout(omp_dir, context),
        variables: context
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        cwd: context.cwd.clone(),
        session: args.session.clone(),
        extras: args.extras(),
        without: args.without_parts().collect(),
        without_members: args.without.iter().cloned().collect(),
        ..Request::default()
    }
}

/// `report`.
pub fn report(args: &ReportArgs, omp_dir: Option<&Path>, context: &Context) -> Result<u8, Failure> {
    let asking = Arc::new(AtomicBool::new(false));
    let cancel = cancel_on_interrupt(Arc::clone(&asking));
    let mut out = std::io::stdout();
    let mut input = Asked {
        input: std::io::stdin().lock(),
        asking,
    };
    let mut progress = Progress::default();
    let mut tell = |text: &str| progress.tell(text);
    let mut front = headless::report::Front {
        out: &mut out,
        warn: &mut |text| say(&format!("omp-debug: {text}")),
        progress: if std::io::stderr().is_terminal() {
            Some(&mut tell)
        } else {
            None
        },
        input: if std::io::stdin().is_terminal() {
            Some(&mut input as &mut dyn BufRead)
        } else {
            None
        },
        cancel,
    };
    let done = if let Some(file) = &args.file {
        headless::report::look(file, args.show.as_deref(), args.json, &mut front)
    } else {
        let wanted = headless::report::Wanted {
            request: request(args, omp_dir, context),
            output: args.output.clone(),
            yes: args.yes,
            force: args.force,
            level: if args.fast { Level::Fast } else { Level::Small },
            no_redact: args.no_redact,
            json: args.json,
        };
        headless::report::make(&wanted, &mut front)
    };
    match done {
        Err(headless::report::ReportCommandError::Write(error))
            if error.kind() == std::io::ErrorKind::BrokenPipe =>
        {
            Ok(0)
        }
        Err(error) => {
            let code = match &error {
                error if error.is_denied() => DENIED,
                error if error.is_usage() => USAGE,
                error if error.is_cancelled() => INTERRUPTED,
                _ => FAILED,
            };
            Err(Failure::new(code, error))
        }
        Ok(()) => Ok(0),
    }
}

/// Refuses a file that is no report before the screen is taken for it.
pub fn may_be_opened(file: &Path) -> Result<(), Failure> {
    match Bundle::read(file, 0, 0, &Cancel::default()) {
        Err(error @ (BundleError::Open(..) | BundleError::NoArchive(..))) => {
            Err(Failure::new(FAILED, error))
        }
        // What is damaged further behind is told among what could be read.
        _ => Ok(()),
    }
}

/// Ctrl-C and a polite kill end the work, so that nothing half done is left.
fn cancel_on_interrupt(asking: Arc<AtomicBool>) -> Cancel {
    let cancel = Cancel::default();
    let asked = cancel.clone();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let Ok(mut polite) = signal(SignalKind::terminate()) else {
                return;
            };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = polite.recv() => {}
            }
            asked.cancel();
            // Nothing is begun while a question waits, and reading its answer cannot be ended otherwise.
            if asking.load(Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
    };
    // Without it the command can still be ended by force.
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait);
    cancel
}

/// Standard input, and whether an answer is waited for.
struct Asked<'a> {
    input: std::io::StdinLock<'a>,
    asking: Arc<AtomicBool>,
}

impl Read for Asked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.input.read(buffer)
    }
}

impl BufRead for Asked<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.asking.store(true, Ordering::Relaxed);
        let filled = self.input.fill_buf();
        self.asking.store(false, Ordering::Relaxed);
        filled
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
    }
}

/// One line that is written over.
#[derive(Default)]
struct Progress {
    last: Option<Instant>,
}

impl Progress {
    fn tell(&mut self, text: &str) {
        let due = self
            .last
            .is_none_or(|last| last.elapsed() > Duration::from_millis(100));
        if text.is_empty() || due {
            self.last = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}
