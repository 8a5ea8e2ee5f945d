//! The desk without a screen: files and streams in, text or JSON out.

use std::io::Write as _;
use std::path::Path;

use omp_debug::cli::{LogsArgs, MemoryArgs, SessionsArgs, SystemArgs, TranscriptArgs};
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::logs::Spool;
use omp_debug::diagnostics::sessions::Finder;
use omp_debug::diagnostics::transcript::Options;
use omp_debug::headless;
use omp_debug::text::redact::Redactor;

use super::{FAILED, Failure, USAGE, layout, say};

/// `logs`.
pub fn logs(args: &LogsArgs, omp_dir: Option<&Path>, context: &Context) -> Result<u8, Failure> {
    let layout = layout(omp_dir, context);
    let mut paths = args.paths.clone();
    let spool = Spool::take(&mut paths).map_err(|error| Failure::new(FAILED, error))?;
    // Kept open until the answer is written.
    let _input = spool
        .map(Spool::wait)
        .transpose()
        .map_err(|error| Failure::new(FAILED, format!("cannot read standard input: {error}")))?;
    let wanted = headless::logs::Wanted {
        paths,
        json: args.json,
        pids: args.pid.clone(),
        level: args.level,
        grep: args.grep.clone(),
        since: args.since.clone(),
        limit: args.limit,
        count: args.count,
    };
    let mut warn = |text: &str| say(&format!("omp-debug: {text}"));
    layout.warnings.iter().for_each(|text| warn(text));
    headless::logs::run(&wanted, &layout.logs, &mut std::io::stdout(), &mut warn)
        .map(|()| 0)
        .map_err(|error| Failure::new(if error.is_usage() { USAGE } else { FAILED }, error))
}

/// `sessions`.
pub fn sessions(
    args: &SessionsArgs,
    omp_dir: Option<&Path>,
    context: &Context,
) -> Result<u8, Failure> {
    let layout = layout(omp_dir, context);
    let mut warn = |text: &str| say(&format!("omp-debug: {text}"));
    layout.warnings.iter().for_each(|text| warn(text));
    let wanted = headless::sessions::Wanted {
        session: args.session.clone(),
        json: args.json,
        grep: args.grep.clone(),
        limit: args.limit,
    };
    let finder = Finder::of_terminal(&layout, &context.env);
    headless::sessions::run(&wanted, &finder, &mut std::io::stdout(), &mut warn)
        .map(|()| 0)
        .map_err(|error| Failure::new(if error.is_usage() { USAGE } else { FAILED }, error))
}

/// `transcript`.
pub fn transcript(
    args: &TranscriptArgs,
    omp_dir: Option<&Path>,
    context: &Context,
) -> Result<u8, Failure> {
    let layout = layout(omp_dir, context);
    layout
        .warnings
        .iter()
        .for_each(|text| say(&format!("omp-debug: {text}")));
    let finder = Finder::of_terminal(&layout, &context.env);
    let session = finder
        .find(args.session.as_deref())
        .map_err(|error| Failure::new(USAGE, error))?;
    let options = Options {
        format: args.format(),
        thinking: !args.no_thinking,
        all_branches: args.all_branches,
        redactor: (!args.show_secrets).then(|| Redactor::new().with_secrets(context.env.iter())),
        blobs: layout.blobs,
    };
    let target = args
        .output
        .as_deref()
        .filter(|file| *file != Path::new("-"));
    let said = headless::transcript::run(
        &session,
        &options,
        target,
        args.force,
        &mut std::io::stdout(),
    )
    .map_err(|error| Failure::new(if error.is_usage() { USAGE } else { FAILED }, error))?;
    // The answer is on standard output when it goes there; what is said about it must not be.
    let _ = writeln!(std::io::stderr(), "omp-debug: {said}");
    Ok(0)
}

/// `system`.
pub async fn system(
    args: SystemArgs,
    omp_dir: Option<&Path>,
    context: &Context,
) -> Result<u8, Failure> {
    let layout = layout(omp_dir, context);
    headless::system::run(args.json, context, layout, &mut std::io::stdout())
        .await
        .map(|()| 0)
        .map_err(|error| Failure::new(FAILED, error))
}

/// `memory`.
pub fn memory(args: &MemoryArgs, context: &Context) -> Result<u8, Failure> {
    let wanted = headless::memory::Wanted {
        pid: args.pid,
        file: args.file.clone(),
        since: args.since.clone(),
        json: args.json,
        watch: args.watch,
        count: args.count,
    };
    let redactor = Redactor::new().with_secrets(context.env.iter());
    headless::memory::run(&wanted, &redactor, &mut std::io::stdout())
        .map(|()| 0)
        .map_err(|error| Failure::new(if error.is_usage() { USAGE } else { FAILED }, error))
}
