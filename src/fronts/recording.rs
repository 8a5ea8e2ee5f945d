//! `--record` and `replay`.

use std::path::PathBuf;
use std::sync::Arc;

use omp_debug::cli::{Cli, ReplayArgs, Subcommands};
use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::recording::{Recorder, Recording};
use omp_debug::headless;
use omp_debug::text::redact::Redactor;

use super::{FAILED, Failure, USAGE, print, say};

/// A recording that is being made.
pub struct Begun {
    path: PathBuf,
    /// Who makes it.
    pub recorder: Arc<Recorder>,
}

/// Begins the file of `--record`, so that a place that cannot be written to is said before anything starts.
pub fn begin(cli: &Cli, context: &Context) -> Result<Option<Begun>, Failure> {
    let Some(path) = &cli.global.record else {
        return Ok(None);
    };
    let debugs = matches!(
        cli.command,
        None | Some(
            Subcommands::Attach(_)
                | Subcommands::Demo { .. }
                | Subcommands::Run(_)
                | Subcommands::Repl(_)
                | Subcommands::Serve(_)
        )
    );
    if !debugs || cli.join.is_some() {
        let mut failure = Failure::new(USAGE, "--record: nothing is debugged here");
        failure.hint = Some(
            "it records what this program debugs itself, as in omp-debug --record FILE PROGRAM"
                .to_owned(),
        );
        return Err(failure);
    }
    let path = context.cwd.join(path);
    let redactor = Redactor::new().with_secrets(context.env.iter()).learning();
    let recorder = Recorder::create(&path, redactor).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Some("a recording never overwrites a file: name another one")
            }
            _ => None,
        };
        let mut failure = Failure::new(
            USAGE,
            format!("--record {:?}: {error}", path.to_string_lossy()),
        );
        failure.hint = hint.map(str::to_owned);
        failure
    })?;
    Ok(Some(Begun {
        path,
        recorder: Arc::new(recorder),
    }))
}

/// Ends the file and says what is in it.
pub fn end(begun: Option<&Begun>) {
    let Some(Begun { path, recorder }) = begun else {
        return;
    };
    let written = recorder.finish();
    let path = path.to_string_lossy();
    if let Some(why) = written.trouble {
        return say(&format!(
            "omp-debug: the recording {path:?} is not whole: {why}"
        ));
    }
    if written.messages == 0 {
        return say(&format!(
            "omp-debug: nothing was debugged; {path:?} is empty"
        ));
    }
    let left_out = match written.left_out {
        0 => String::new(),
        count => format!(" ({count} left out)"),
    };
    say(&format!(
        "omp-debug: {} messages recorded{left_out}; omp-debug replay {path}",
        written.messages
    ));
}

/// `replay` without a screen.
pub fn replay(args: &ReplayArgs, context: &Context) -> Result<u8, Failure> {
    let path = context.cwd.join(&args.file);
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let recording = Recording::read(&path, &folder).map_err(|why| Failure::new(FAILED, why))?;
    let mut text = Vec::new();
    let written = if args.json {
        headless::replay::json(&recording, &mut text)
    } else {
        headless::replay::print(&recording, &mut text)
    };
    written.map_err(|error| Failure::new(FAILED, error))?;
    print(&text)
}
