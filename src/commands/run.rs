//! `omp-debug run …`: its grammar, and how it becomes what the runner is asked for.
//!
//! Everything is checked here or by the functions called here, before anything is started; running is left to
//! [`crate::headless::run`].

use clap::{ArgGroup, ValueEnum};

use super::{
    attach::{SimulatorArgs, WhomArgs},
    launch::{LaunchArgs, StopArgs},
    prelude::*,
    repl::ReplArgs,
};
use crate::{
    debugger::{AttachSpec, LaunchSpec, StepKind, adapters::missing},
    headless::run::{
        config_file::SessionFile,
        options::{self, Kinds, Options, Tracing},
    },
    text::words,
};

const AFTER_HELP: &str = "\
Examples:
  omp-debug run shop.py -b 'shop.py:42?total > 9' -e total     what total is at each stop there
  omp-debug run shop.py -l 'shop.py:42|total is {total}'       a line for each time, without a stop
  omp-debug run --test 'pytest -k cart' --break-on-test-failure
  omp-debug run --compact cargo test adds                      a command as it is typed
  omp-debug run shop.py --trace --trace-limit 50 --diff-vars   fifty steps, and what each changed

Without --stop-on-entry the program runs to its first breakpoint, or to its end.

A session file (--config FILE.json) holds what the options say:
  {\"adapter\": \"debugpy\", \"program\": \"shop.py\", \"args\": [], \"cwd\": \".\", \"env\": {\"K\": \"V\"},
   \"breakpoints\": [{\"file\": \"shop.py\", \"line\": 42, \"condition\": \"total > 9\", \"hitCount\": 3}],
   \"exceptionBreakpoints\": [{\"type\": \"ValueError\", \"caught\": false}], \"evaluations\": [\"total\"],
   \"options\": {\"timeout\": 30000, \"maxVariableDepth\": 2, \"maxCollectionItems\": 20, \"captureOutput\": true, \"steps\": 0}}
Paths in it begin at its own folder.
With --config NAME the debug configuration NAME of .vscode/launch.json is run; PROGRAM is then the file that ${file} stands for.

Exit codes: 0 the program ended well and assertions held, 1 it ended with another code (a command that was typed ends with its own),
2 the command line or the session file cannot be used, 3 no adapter, 4 the adapter failed, or nobody told how the program ended,
5 out of time, 6 an assertion failed, 7 the session file or launch.json is not trusted, or --permission does not allow it,
130 and 143 interrupted.";

/// `run`.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = AFTER_HELP)]
#[command(group = ArgGroup::new("whom").multiple(true).args(["pid", "name", "port", "simulator", "bundle_id"]))]
#[command(mut_arg("pid", |pid| pid.requires("attach")))]
#[command(mut_arg("name", |name| name.requires("attach")))]
#[command(mut_arg("port", |port| port.requires("attach")))]
pub struct RunArgs {
    /// The program to debug
    #[arg(conflicts_with_all = ["named_program", "attach", "test", "simulator", "bundle_id"])]
    pub program: Option<PathBuf>,
    /// The program to debug, as an option; with --attach, the one that runs, for its symbols
    #[arg(
        id = "named_program",
        long = "program",
        value_name = "PATH",
        conflicts_with = "test"
    )]
    named_program: Option<PathBuf>,
    /// What the program is given, in one string with quotes as in a shell
    #[arg(
        id = "words",
        long = "args",
        value_name = "STRING",
        conflicts_with = "args"
    )]
    pub words: Option<String>,
    /// What the program is given, after --
    #[arg(last = true)]
    pub args: Vec<String>,
    /// How the program is started.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Where it is to stop.
    #[command(flatten)]
    pub stops: StopArgs,
    /// What is told of a stop.
    #[command(flatten)]
    pub capture: CaptureArgs,
    /// What is done after a stop.
    #[command(flatten)]
    pub steps: StepArgs,
    /// What is printed, and how.
    #[command(flatten)]
    pub print: PrintArgs,
    /// Attach to something that runs, and leave it running at the end
    #[arg(long, requires = "whom")]
    pub attach: bool,
    /// What is attached to.
    #[command(flatten)]
    pub running: WhomArgs,
    /// An app in a simulator.
    #[command(flatten)]
    pub simulated: SimulatorArgs,
    /// Debug a test run as this command would start it, and end with 1 when a test fails
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    /// Stop where a test's failure is raised
    #[arg(long, requires = "test")]
    break_on_test_failure: bool,
    /// End after this long, with exit code 5: 90s, 500ms, 2m, or a number of milliseconds; 0 = never
    #[arg(short, long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// Give commands by hand instead: the line debugger (omp-debug repl) on the same program
    #[arg(long, conflicts_with_all = ["test", "output"])]
    pub interactive: bool,
    /// Use what came with the project and runs something (a session file, a configuration, adapters, formatters of values), although nobody trusted its content yet: shows what it runs
    #[arg(long)]
    pub trust: bool,
}

/// What is told of a stop.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Capturing")]
pub struct CaptureArgs {
    /// Evaluate this at each stop; may be given several times
    #[arg(short, long, value_name = "EXPR")]
    pub eval: Vec<String>,
    /// Evaluate the same after each step, too
    #[arg(long)]
    pub eval_after_step: bool,
    /// Tell a value as data at each stop, with the words of the action `data`: 'orders --as table --rows 0..50'; may be given several times
    #[arg(long, value_name = "EXPR [--as WAY] …")]
    pub data: Vec<String>,
    /// End with exit code 6 as soon as this is false, or fails, at a stop or step; may be given several times
    #[arg(long, value_name = "EXPR")]
    pub assert: Vec<String>,
    /// Tell the local variables at each stop (the default)
    #[arg(long, overrides_with = "no_capture_locals")]
    pub capture_locals: bool,
    /// Do not
    #[arg(long, overrides_with = "capture_locals")]
    no_capture_locals: bool,
    /// Open values this many levels deep [default: 2]
    #[arg(long, value_name = "N", value_parser = numbers(0..=16))]
    pub depth: Option<u32>,
    /// Elements and fields of one value that are told [default: 20]
    #[arg(long, value_name = "N", value_parser = numbers(1..=10_000))]
    pub max_items: Option<u32>,
    /// Bytes of values in one event [default: 65536]
    #[arg(long, value_name = "N", value_parser = numbers(256..))]
    pub max_bytes: Option<u32>,
    /// Frames of a stack that are told [default: 20]
    #[arg(long, value_name = "N", value_parser = numbers(1..=1000))]
    pub stack_limit: Option<u32>,
    /// Tell what a debugger adds to values, too: prototypes, methods, groups of special variables
    #[arg(long)]
    pub all_variables: bool,
    /// Tell which variables came, changed and went since the last stop in the same function
    #[arg(long)]
    pub diff_vars: bool,
    /// Do not hide what looks like a secret in values
    #[arg(long)]
    pub no_redact: bool,
    /// Do not sum up chains of exceptions
    #[arg(long)]
    no_root_cause: bool,
}

/// What is done after a stop.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "After a stop")]
pub struct StepArgs {
    /// Step this many times before going on
    #[arg(short, long, value_name = "N")]
    pub steps: Option<u32>,
    /// How: over calls, into them, out of the function
    #[arg(long, value_name = "KIND")]
    pub step_kind: Option<StepKindArg>,
    /// Tell the local variables after each step, too
    #[arg(long)]
    pub capture_each_step: bool,
    /// End after this many stops, steps not counted
    #[arg(long, value_name = "N", value_parser = numbers(1..))]
    pub max_stops: Option<u32>,
    /// From the first stop on, follow the program's path line by line until its function returns
    #[arg(long)]
    pub trace: bool,
    /// … and into the functions it calls
    #[arg(long, requires = "trace")]
    trace_into: bool,
    /// Lines of the path that are told [default: 500]
    #[arg(long, value_name = "N", requires = "trace", value_parser = numbers(1..))]
    trace_limit: Option<u32>,
    /// End the path when this is true
    #[arg(long, value_name = "EXPR", requires = "trace")]
    trace_until: Option<String>,
}

/// What is printed, and how.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Printing")]
pub struct PrintArgs {
    /// Print these events only: names with commas between; may be given several times
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    pub include: Vec<String>,
    /// Print all events but these
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Say less: few frames, short values and paths, changes instead of locals, equal steps folded
    #[arg(long)]
    pub compact: bool,
    /// Indent the events: for reading, no longer one a line
    #[arg(long)]
    pub pretty: bool,
    /// Write the events here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `--step-kind`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum StepKindArg {
    /// Over calls
    Over,
    /// Into calls
    In,
    /// Out of the function
    Out,
}

impl RunArgs {
    /// The same program for the line debugger, which reads no session file.
    pub fn by_hand(&self, session: Option<&Path>) -> Result<ReplArgs> {
        if let Some(file) = session {
            return Err(Failure::usage(format!(
                "--interactive takes its program from the command line, not from {}",
                file.display()
            )));
        }
        Ok(ReplArgs {
            program: self.program.clone().or_else(|| self.named_program.clone()),
            args: self.arguments()?,
            whom: self.running.clone(),
            launch: self.launch.clone(),
            trust: self.trust,
            stops: self.stops.clone(),
            ..ReplArgs::default()
        })
    }

    /// What the program is given.
    fn arguments(&self) -> Result<Vec<String>> {
        Ok(match &self.words {
            Some(text) => words::arguments(text).map_err(Failure::usage)?,
            None => self.args.clone(),
        })
    }

    /// What the runner is asked for. What is written here wins over the session file; lists are joined.
    pub fn options(
        &self,
        session: Option<SessionFile>,
        config: &Config,
        cwd: &Path,
    ) -> Result<Options> {
        let program = self.program.as_ref().or(self.named_program.as_ref());
        let program = program_beside(session.as_ref(), program);
        let file = session.unwrap_or_default();
        let mut stops = self.stops.commands(cwd)?;
        stops.extend(file.breakpoints);
        let mut exceptions = self.stops.break_on_exception.clone();
        exceptions.extend(file.exceptions);
        let mut configured = file.starts.into_iter();
        let args = self.arguments()?;
        let args = (!args.is_empty() || self.words.is_some()).then_some(args);
        let mut starts = vec![self.start(configured.next(), program, args, config, cwd)?];
        for other in configured {
            // The words for the program are the first one's.
            starts.push(self.start(Some(other), None, None, config, cwd)?);
        }
        let capture = &self.capture;
        let sizes = file.options;
        let mut evals = capture.eval.clone();
        evals.extend(file.evals);
        let timeout = match &self.timeout {
            Some(text) => options::duration(text).map_err(Failure::usage)?,
            None => match sizes.timeout.map(Duration::from_millis) {
                Some(limit) => Some(limit).filter(|limit| !limit.is_zero()),
                None => Some(Options::TIMEOUT),
            },
        };
        for expression in evals
            .iter()
            .chain(&capture.assert)
            .chain(&self.steps.trace_until)
        {
            if expression.trim().is_empty() {
                return Err(Failure::usage(options::EMPTY));
            }
        }
        Ok(Options {
            starts,
            stops,
            exceptions,
            evals,
            eval_after_step: capture.eval_after_step,
            data: capture
                .data
                .iter()
                .map(|line| options::data(line).map_err(Failure::usage))
                .collect::<Result<_>>()?,
            asserts: capture.assert.clone(),
            capture_locals: !capture.no_capture_locals,
            depth: capture
                .depth
                .or(sizes.max_variable_depth)
                .map_or(Options::DEPTH, |n| n as usize),
            max_items: capture
                .max_items
                .or(sizes.max_collection_items)
                .map_or(Options::ITEMS, |n| n as usize),
            max_bytes: capture.max_bytes.map_or(Options::BYTES, |n| n as usize),
            stack_limit: capture.stack_limit.map_or(Options::FRAMES, |n| n as usize),
            stack_limit_given: capture.stack_limit.is_some(),
            all_variables: capture.all_variables,
            diff_vars: capture.diff_vars,
            redact: !capture.no_redact,
            root_cause: !capture.no_root_cause,
            steps: self.steps.steps.or(sizes.steps).unwrap_or(0),
            step_kind: match self.steps.step_kind {
                Some(StepKindArg::In) => StepKind::In,
                Some(StepKindArg::Out) => StepKind::Out,
                Some(StepKindArg::Over) | None => StepKind::Over,
            },
            capture_each_step: self.steps.capture_each_step,
            max_stops: self.steps.max_stops,
            trace: self.steps.trace.then(|| Tracing {
                into: self.steps.trace_into,
                limit: self.steps.trace_limit.unwrap_or(Tracing::LIMIT),
                until: self.steps.trace_until.clone(),
            }),
            test: self.test.is_some(),
            ends_as_command: self.launch.typed && self.test.is_none(),
            timeout,
            output_events: sizes.capture_output.unwrap_or(true),
            kinds: Kinds::new(&self.print.include, &self.print.exclude).map_err(Failure::usage)?,
            compact: self.print.compact,
            pretty: self.print.pretty,
            output: self.print.output.as_ref().map(|file| cwd.join(file)),
            cwd: cwd.to_path_buf(),
            warnings: config.screen.warnings.clone(),
        })
    }

    /// What is started: as a file or a configuration has it, where there is one, but for what is said here.
    fn start(
        &self,
        file: Option<Command>,
        named: Option<&PathBuf>,
        args: Option<Vec<String>>,
        config: &Config,
        cwd: &Path,
    ) -> Result<Command> {
        let running = &self.running;
        // Beside a program, which --attach cannot be beside, nothing else asks for it.
        if !self.attach
            && (running.pid.is_some() || running.name.is_some() || running.port.is_some())
        {
            return Err(Failure::usage(
                "--pid, --name and --port need --attach, which starts nothing: --program FILE says what runs there",
            ));
        }
        let from_file = match file {
            Some(Command::Attach(mut spec)) => {
                spec.plain_adapter = config.core.plain_adapter;
                return Ok(Command::Attach(spec));
            }
            _ if self.attach || self.simulated.asked(None).is_some() => {
                let whom = (self.running).spec(&self.simulated, &self.stops, config, cwd)?;
                let program = self.named_program.as_ref();
                return Ok(Command::Attach(Box::new(AttachSpec {
                    program: program.map(|program| cwd.join(program)),
                    ..whom
                })));
            }
            Some(Command::Launch(spec)) => *spec,
            _ => LaunchSpec::default(),
        };
        let configured = from_file.around.is_some();
        let mut launch = self.launch.over(from_file, config, cwd)?;
        if let Some(args) = args {
            launch.args = args;
        }
        let typed = named.map(|program| self.launch.command(program, &launch.args, cwd));
        let typed = typed.unwrap_or_default();
        if let Some(command) = &self.test {
            launch.command = words::split(command).map_err(Failure::usage)?;
            launch.ignores_failures = !self.break_on_test_failure;
        } else if !typed.is_empty() {
            launch.command = typed;
        } else if !configured {
            if let Some(program) = named {
                let program = cwd.join(program);
                launch.program = std::path::absolute(&program).unwrap_or(program);
            }
            if launch.program.as_os_str().is_empty() {
                return Err(Failure::usage(
                    "there is nothing to debug: name a PROGRAM, or --test, --attach or --config",
                ));
            }
            if !launch.program.exists() {
                return Err(Failure::usage(missing(&launch.program)));
            }
        }
        // What a task before a configuration builds is not there yet.
        Ok(Command::Launch(Box::new(launch)))
    }
}

/// The file at hand is no program to start.
fn program_beside<'a>(
    session: Option<&SessionFile>,
    program: Option<&'a PathBuf>,
) -> Option<&'a PathBuf> {
    let first = session.and_then(|session| session.starts.first());
    let configured = matches!(first, Some(Command::Launch(launch)) if launch.around.is_some());
    program.filter(|_| !configured)
}
