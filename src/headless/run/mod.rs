//! `omp-debug run …`: a debug session without a person, as one JSON object a line.
//!
//! A client of the core's commands and events like every other front. [`options`] says what can be asked for, [`events`] what is
//! printed, `runner` how a session is followed; one file for each thing that is told of a stop.

pub mod config_file;
pub mod diff;
pub mod events;
pub mod fields;
pub mod options;
pub mod summary;

mod asserts;
mod at_stop;
mod breakpoint_summary;
mod compact;
mod ending;
mod exceptions;
mod finish;
mod input;
mod logpoints;
mod notices;
mod prelude;
mod runner;
mod stops;
mod tally;
mod trace;
mod values;
mod writer;

use base::text::{redact::Redactor, words};
use debugger::{
    Core, CoreConfig, ExceptionFilter,
    adapters::{Table, only_fit},
    permission::Caller,
    runners,
};
use ending::Ending;
use events::{ErrorEvent, Event, SCHEMA_VERSION, SessionEnd, SessionStart};
use futures_util::future::OptionFuture;
use options::Options;
use runner::Runner;
use tokio::select;
use writer::Printer;

use crate::{codes, prelude::*, signals::Signals};

/// How long a request waits before it is worth a word at the end.
const OVERDUE: Duration = Duration::from_millis(500);

/// Runs for someone, prints, and gives the exit code; the error says why it could not even begin.
pub async fn run(options: Options, mut core: CoreConfig, caller: Caller) -> Result<u8, String> {
    // Its time may be short, and its end says what it waited for.
    core.overdue = OVERDUE;
    // Who pipes something in sees no prompt, and a password that was typed ahead is to be in no output.
    core.echo = !input::is_piped();
    // What the environment calls a secret is one wherever it turns up, and what has a secret's name in the program.
    let redactor = options.redact.then(|| {
        let variables = core.context.env.iter();
        Arc::new(Redactor::new().with_secrets(variables).learning())
    });
    let mut printer = open(&options)?;
    printer.redactor = redactor;
    let mut start = session_start(&options, &core.context);
    if let Some(redactor) = &printer.redactor {
        redactor.redact_list(&mut start.args);
    }
    printer.tell(&Event::SessionStart(start)).await;
    for text in &options.warnings {
        printer.tell(&Event::warning(text.clone(), None)).await;
    }
    let core = Core::start(core).acting_as(caller);
    let runner = Runner::new(core, options.clone(), printer).await;
    // A core that was started a moment ago is there.
    let Some(mut runner) = runner else {
        return Ok(codes::FAILED);
    };
    let closed = runner.printer.closed();
    let timeout = OptionFuture::from(options.timeout.map(async |limit| {
        tokio::time::sleep(limit).await;
        limit
    }));
    let ending = select! {
        ending = follow(&mut runner) => ending,
        signal = interrupted() => Ending::Interrupted(signal),
        Some(limit) = timeout => Ending::Timeout(limit),
        () = closed => Ending::OutputClosed,
    };
    Ok(runner.finish(ending).await)
}

/// Starts what is to be debugged, and follows it.
async fn follow(runner: &mut Runner) -> Ending {
    match runner.begin(starts(&runner.options)).await {
        Ok(()) => runner.drive().await,
        Err(error) => Ending::Failed(error),
    }
}

/// What is to be started.
fn starts(options: &Options) -> Vec<Command> {
    let words = options.exceptions.iter();
    let filters: Vec<_> = words.map(ExceptionFilter::named).collect();
    // Steps and paths begin somewhere: at the entry, if nothing else was named.
    let has_none = options.stops.is_empty() && filters.is_empty();
    let from_entry = has_none && (options.steps > 0 || options.trace.is_some());
    let mut all = options.starts.clone();
    for (index, command) in all.iter_mut().enumerate() {
        match command {
            Command::Launch(spec) => {
                spec.exception_filters.clone_from(&filters);
                let begins = index == 0 && from_entry && spec.command.is_empty();
                spec.stop_on_entry = Some(begins || spec.stop_on_entry.unwrap_or_default());
            }
            Command::Attach(spec) => spec.exception_filters.clone_from(&filters),
            _ => {}
        }
    }
    all
}

/// Says on the event stream, too, why there is no run.
pub async fn refuse(kind: &str, message: &str, exit_status: u8) {
    let Ok(mut printer) = Printer::open(None, options::Kinds::default(), false) else {
        return;
    };
    let error = Event::Error(ErrorEvent {
        kind: kind.to_owned(),
        message: message.to_owned(),
        ..ErrorEvent::default()
    });
    printer.tell(&error).await;
    let end = Event::SessionEnd(SessionEnd {
        reason: "failed",
        exit_status,
        summary: printer.tally.sum(None, Vec::new(), Vec::new()),
    });
    printer.tell(&end).await;
    let _ = printer.finish().await;
}

fn open(options: &Options) -> Result<Printer, String> {
    let output = options.output.as_deref();
    Printer::open(output, options.kinds.clone(), options.pretty).map_err(|error| {
        let to = output.map_or_else(|| "standard output".to_owned(), |o| o.display().to_string());
        format!("the events cannot be written to {to}: {error}")
    })
}

fn session_start(options: &Options, context: &Context) -> SessionStart {
    let mut start = SessionStart {
        schema_version: SCHEMA_VERSION,
        ..SessionStart::default()
    };
    let mut adapter = None;
    match options.starts.first() {
        Some(Command::Launch(spec)) => {
            adapter.clone_from(&spec.adapter);
            start.cwd = spec.cwd.as_ref().map(|cwd| cwd.display().to_string());
            if let Some((program, args)) = spec.command.split_first() {
                start.program = Some(program.clone());
                start.args = args.to_vec();
                start.test = options.test.then(|| words::join(&spec.command));
                start.note = runners::note(&spec.command).map(str::to_owned);
            } else {
                let known = || only_fit(&Table::load(context).0, context, &spec.program);
                adapter = adapter.or_else(known);
                start.program = Some(spec.program.display().to_string());
                start.args.clone_from(&spec.args);
            }
        }
        Some(Command::Attach(spec)) => {
            adapter.clone_from(&spec.adapter);
            start.program = spec.target();
        }
        _ => {}
    }
    start.adapter = adapter.unwrap_or_else(|| "auto".to_owned());
    start
}

/// The number of the signal that asks us to end.
async fn interrupted() -> u8 {
    match Signals::new() {
        Ok(mut signals) => signals.next().await - codes::SIGNAL,
        Err(_) => std::future::pending().await,
    }
}
