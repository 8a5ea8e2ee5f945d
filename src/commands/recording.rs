//! `--record`.

use super::{
    cli::{Cli, Subcommands},
    prelude::*,
};
use crate::{debugger::recording::Recorder, files};

/// A recording that is being made.
pub struct Begun {
    path: PathBuf,
    /// Who makes it.
    pub recorder: Arc<Recorder>,
}

/// A file, or a folder in which each session gets a file of its own: as `--record`, for programs that are started by others.
const VARIABLE: &str = "OMP_DEBUG_RECORD";

/// The file that the environment asks for.
fn from_environment(context: &Context) -> Option<PathBuf> {
    let path = context.env.get(VARIABLE).filter(|path| !path.is_empty())?;
    let path = context.cwd.join(path);
    if !path.is_dir() {
        return Some(path);
    }
    let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
    Some(path.join(format!("{time}-{}.rec", std::process::id())))
}

/// Begins the file of `--record` or of its variable, so that a place that cannot be written to is said before anything starts.
pub fn begin(cli: &Cli, context: &Context) -> Result<Option<Begun>> {
    let (path, asked_by) = match &cli.global.record {
        Some(path) => (context.cwd.join(path), "--record"),
        None => match from_environment(context) {
            Some(path) => (path, VARIABLE),
            None => return Ok(None),
        },
    };
    let debugs = matches!(
        cli.command,
        None | Some(
            Subcommands::Attach(_)
                | Subcommands::Demo { .. }
                | Subcommands::Run(_)
                | Subcommands::Repl(_)
                | Subcommands::Serve(_)
                | Subcommands::Mcp(_)
        )
    );
    if !debugs || cli.join.is_some() {
        // A variable stays set whatever is begun.
        if cli.global.record.is_none() {
            return Ok(None);
        }
        return Err(Failure::usage("--record: nothing is debugged here").hint(
            "it records what this program debugs itself, as in omp-debug --record FILE PROGRAM",
        ));
    }
    let redactor = Redactor::new().with_secrets(context.env.iter()).learning();
    let recorder = Recorder::create(&path, redactor).map_err(|error| {
        let exists = error.kind() == std::io::ErrorKind::AlreadyExists;
        let failure = Failure::usage(format!("{asked_by} {:?}: {error}", path.to_string_lossy()));
        if exists {
            failure.hint("a recording never overwrites a file: name another one")
        } else {
            failure
        }
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
        return files::lose(format!("the recording {path:?} is not whole: {why}"), true);
    }
    if written.messages == 0 {
        return warn(&format!("nothing was debugged; {path:?} is empty"));
    }
    let left_out = match written.left_out {
        0 => String::new(),
        count => format!(" ({count} left out)"),
    };
    warn(&format!(
        "{} messages recorded{left_out}; omp-debug replay {path}",
        written.messages
    ));
}
