//! Entry point: supervisors first, then arguments, one command, and its end as an exit code.

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use omp_debug::{
    commands::{
        failure::{DENIED, USAGE, reckon, say, warn},
        grammar::{asks_for_events, parse},
        setup::small_runtime,
        start::start,
    },
    dap::supervise,
    debugger::runners::exec,
    files::Watched,
    text::sanitise::sanitise_block,
};

fn main() -> ExitCode {
    // A supervisor is one thread and little memory: before anything else is set up.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if supervise::is_request(&arguments) {
        return supervise::main(&arguments);
    }
    if exec::is_request(&arguments) {
        return exec::main(&arguments);
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match parse(&words) {
        Ok(cli) => cli,
        // Help and version come this way as well, with their own exit code.
        Err(error) => {
            if error.use_stderr() && asks_for_events(&words) {
                refuse(USAGE, &error.to_string());
            }
            // What is quoted is one of the words.
            let is_safe = |word: &OsString| {
                let word = word.to_string_lossy();
                sanitise_block(&word) == word
            };
            if error.use_stderr() && !words.iter().all(is_safe) {
                say(error.to_string().trim_end());
                return ExitCode::from(USAGE);
            }
            error.exit()
        }
    };
    let code = match start(&cli) {
        Ok(code) => {
            // What had no end of its line has not been written yet.
            let _ = Watched::stdout().flush();
            code
        }
        Err(failure) => {
            if cli.prints_events() {
                refuse(failure.code, &failure.text);
            }
            warn(&failure.text);
            if let Some(hint) = failure.hint {
                say(&format!("  {hint}"));
            }
            failure.code
        }
    };
    ExitCode::from(reckon(code))
}

/// Says on the event stream, too, why there is no run: nothing that fails here has printed an event.
fn refuse(code: u8, why: &str) {
    let kind = if code == DENIED { "denied" } else { "usage" };
    // Of a usage error the sentence, not the page.
    let why = why.split("\n\n").next().unwrap_or_default();
    let why = why.strip_prefix("error: ").unwrap_or(why);
    if let Ok(runtime) = small_runtime() {
        runtime.block_on(omp_debug::headless::run::refuse(kind, why, code));
    }
}
