//! `artifacts` and `cache` without a screen.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use omp_debug::cli::{ArtifactsArgs, CacheArgs};
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::artifacts::{Ground, How};
use omp_debug::headless;
use omp_debug::headless::cache::{Front, Task, Wanted};

use super::{FAILED, Failure, USAGE, layout, say};

/// Where the artifacts are.
pub fn ground(omp_dir: Option<&Path>, context: &Context) -> Ground {
    let layout = layout(omp_dir, context);
    Ground::here(Arc::new(layout), &context.state_dir, context.env.clone())
}

fn warn(text: &str) {
    say(&format!("omp-debug: {text}"));
}

/// `artifacts`.
pub fn list(
    args: &ArtifactsArgs,
    omp_dir: Option<&Path>,
    context: &Context,
) -> Result<u8, Failure> {
    let ground = ground(omp_dir, context);
    ground.layout.warnings.iter().for_each(|text| warn(text));
    headless::artifacts::run(&ground, args.json, &mut std::io::stdout(), &mut warn)
        .map(|()| 0)
        .map_err(|error| Failure::new(FAILED, error))
}

/// `cache`.
pub fn cache(args: &CacheArgs, omp_dir: Option<&Path>, context: &Context) -> Result<u8, Failure> {
    let ground = ground(omp_dir, context);
    ground.layout.warnings.iter().for_each(|text| warn(text));
    let wanted = Wanted {
        task: match (&args.undo, args.empty_trash) {
            (Some(id), _) => Task::Undo(Some(id.clone()).filter(|id| !id.is_empty())),
            (None, true) => Task::EmptyTrash,
            (None, false) if args.dry_run => Task::List,
            (None, false) => Task::Clear,
        },
        older_than: args.older_than,
        how: if args.no_trash {
            How::Delete
        } else {
            How::Trash
        },
        yes: args.yes,
        json: args.json,
    };
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let live = std::io::stderr().is_terminal();
    let mut front = Front {
        out: &mut std::io::stdout(),
        warn: &mut warn,
        ask: asks.then_some(ask),
        status: live.then_some(status),
    };
    headless::cache::run(&wanted, &ground, &mut front)
        .map(|()| 0)
        .map_err(|error| Failure::new(if error.is_usage() { USAGE } else { FAILED }, error))
}

/// Anything but a clear yes is a no.
fn ask(question: &str) -> bool {
    let _ = write!(std::io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// One line that is written over; an empty text takes it away.
fn status(text: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
}
