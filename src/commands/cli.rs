//! What may be said on the command line, before what each command says for itself.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::{
    config::Config,
    debugger::{
        Command,
        adapters::{Backend, Context, PathMapping},
        permission::Mode,
    },
    tui::{term::capabilities::ColourChoice, theme::ThemeName},
};

use super::{
    adapters::AdaptersCommand,
    agent_guide::AgentGuideArgs,
    artifacts::ArtifactsArgs,
    attach::AttachArgs,
    cache::CacheArgs,
    call::{CallArgs, ServeArgs},
    choices::{ColorArg, seconds},
    desk::{Desk, DeskCommand},
    failure::{Failure, Result},
    hang::HangArgs,
    launch::{LaunchArgs, StopArgs},
    logs::LogsArgs,
    mcp::McpArgs,
    memory::MemoryArgs,
    mirror::MirrorArgs,
    profile::ProfileArgs,
    repl::ReplArgs,
    replay::ReplayArgs,
    report::ReportArgs,
    run::RunArgs,
    sessions::SessionsArgs,
    sse::SseArgs,
    system::SystemArgs,
    transcript::TranscriptArgs,
};

const AFTER_HELP: &str = "\
Examples:
  omp-debug                                  the selector of everything there is
  omp-debug demo                             a first tour with a small buggy program
  omp-debug cargo test adds                  what the command runs in the end: pytest, go test, npm test, make check, ...
  omp-debug shop.py -- --verbose             launch, and stop at the program's first line
  omp-debug shop.py -b shop.py:42            launch, and stop at line 42
  omp-debug ./server -b 'fn:handle?id == 7'  stop in a function under a condition
  omp-debug app.py -l 'app.py:9|is {total}'  print instead of stopping
  omp-debug attach --pid 4711                look into a running process
  omp-debug --join                           look into a debugger that runs (omp-debug serve, another screen)
  omp-debug logs --level warn --since 1h     what went wrong lately
  omp-debug run -b shop.py:42 -e total shop.py   no screen: every stop as a line of JSON

Breakpoints are written file:line, file:line?condition, file:line#N (the N-th time), file:line?condition#N or a function's name.
A program called like a command is started with its path: omp-debug ./attach

In the debugger: F5 continue, F9 breakpoint, F10 over, F11 in, Shift-F11 out, ? help, : all actions, q quit.
Settings are in $XDG_CONFIG_HOME/omp-debug/config.toml (~/.config/omp-debug/config.toml).";

/// A debugger in the terminal, over the Debug Adapter Protocol.
///
/// Without a command: debugs PROGRAM, or shows the selector when there is none. Works without any configuration; the adapter that fits the program is chosen from those installed.
#[derive(Debug, Parser)]
#[command(name = "omp-debug", version, after_help = AFTER_HELP, max_term_width = 110)]
pub struct Cli {
    /// The program to debug: a script, a binary with debug information, or a command as it is typed (cargo test adds)
    pub program: Option<PathBuf>,
    /// What the program is given, after --
    #[arg(last = true)]
    pub args: Vec<String>,
    /// How PROGRAM is started.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Where it is to stop.
    #[command(flatten)]
    pub stops: StopArgs,
    /// Look at, and steer, the sessions of another omp-debug that runs: of this process, of this socket, or of the only one
    #[arg(long, value_name = "PID|PATH", num_args = 0..=1, default_missing_value = "")]
    pub join: Option<String>,
    /// What holds for every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What is to be done instead.
    #[command(subcommand)]
    pub command: Option<Subcommands>,
}

/// Options of every command.
#[derive(Args, Debug)]
#[command(next_help_heading = "Everywhere")]
pub struct GlobalArgs {
    /// Work in this folder
    #[arg(long, global = true, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Read the settings from this file; for `run`, a .json file is the session to run; what is no file is the name of a debug
    /// configuration in .vscode/launch.json
    #[arg(long, global = true, value_name = "FILE|NAME")]
    pub config: Option<PathBuf>,
    /// Use this adapter (omp-debug adapters list)
    #[arg(short, long, global = true, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Speak to LLDB through its debug adapter (dap) or its command line (lldb-cli)
    #[arg(long, global = true, value_name = "WHICH")]
    pub backend: Option<Backend>,
    /// Keep the debug session in this new file, without secrets; `replay` opens it
    #[arg(long, global = true, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write omp-debug's own log here
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// Colours
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorArg>,
    /// Colour theme; without it the terminal's background decides
    #[arg(long, global = true, value_name = "NAME")]
    pub theme: Option<ThemeName>,
    /// Start adapters plainly, without what makes them faster
    #[arg(long, global = true, env = "OMP_DEBUG_PLAIN_ADAPTER", value_parser = clap::builder::FalseyValueParser::new())]
    pub plain_adapter: bool,
    /// Seconds that an expression may take [default: 5]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds(0.1..=86_400.0))]
    pub eval_timeout: Option<Duration>,
    /// A folder here and where the program has it, as in a container or on another machine; may be given several times
    #[arg(long, global = true, value_name = "LOCAL=REMOTE")]
    pub path_map: Vec<PathMapping>,
    /// Where omp keeps its files, instead of ~/.omp and what its variables say
    #[arg(long, global = true, value_name = "DIR")]
    pub omp_dir: Option<PathBuf>,
    /// What others than you may do here: look only (observe), what your rules allow (rules), look and be asked about the rest (ask),
    /// step too (drive), everything (auto); omp's and synwire's names are known, too [default: ask for agents, auto for call, run and repl]
    #[arg(long, global = true, value_name = "MODE")]
    pub permission: Option<Mode>,
    /// Log more (-v debug, -vv everything), into the state folder unless --log-file is given
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Subcommands {
    /// Debug something that runs already
    Attach(AttachArgs),
    /// A first tour: a small buggy program with breakpoints set
    Demo {
        /// Install the adapter it needs without asking
        #[arg(long)]
        yes: bool,
    },
    /// Run a program under the debugger without a screen: events as JSON, one a line
    Run(Box<RunArgs>),
    /// A debugger of lines, for hands that know gdb or pdb, and for scripts
    Repl(Box<ReplArgs>),
    /// Open a recorded session: its stops, forward and back, without any adapter
    Replay(ReplayArgs),
    /// Which debug adapters there are, which work here, and why not
    Adapters {
        /// What to do with them.
        #[command(subcommand)]
        what: Option<AdaptersCommand>,
    },
    /// Logs of omp, or any others: merged by time, filtered, as text or as JSON
    Logs(LogsArgs),
    /// Event streams of providers: frames as they came and the message they spell, as text or as JSON
    Sse(SseArgs),
    /// One file with what a bug report needs, and without your secrets; or a look into one
    Report(Box<ReportArgs>),
    /// Sessions of omp: all projects, the newest first, what each took, and what was said in them
    Sessions(SessionsArgs),
    /// Write a session of omp down as Markdown or text, at full length and without secrets
    Transcript(TranscriptArgs),
    /// What omp's sessions left in files: how much, how old, whose
    Artifacts(ArtifactsArgs),
    /// Clear old artifacts of omp's sessions: list them, ask, move them into a trash
    Cache(CacheArgs),
    /// This machine: what it is, what it allows, which versions of what are on it
    System(SystemArgs),
    /// Where memory is: of a process by what the kernel counts, or in a heap file
    Memory(MemoryArgs),
    /// Where time or memory went: profiles of other tools as flame graphs and tables, or in another form
    Profile(Box<ProfileArgs>),
    /// Why a process hangs: its threads by stacks, who waits for whom, deadlocks, who is busy; it goes on afterwards
    Hang(HangArgs),
    /// Do one action of the debug tool in a debugger that runs, and print the result as JSON
    Call(CallArgs),
    /// Host a debugger without a screen, for `call`
    Serve(ServeArgs),
    /// The debugger and the desk as tools of a coding agent, over the Model Context Protocol
    Mcp(McpArgs),
    /// Show a debugger that runs in editors, which can look and nothing else
    Mirror(MirrorArgs),
    /// How a coding agent uses this, and its MCP configuration: printed, or written into this project
    AgentGuide(AgentGuideArgs),
    /// Print the completions of a shell
    Completions {
        /// For this shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

impl Cli {
    /// The command of the desk, if it is one.
    pub fn desk(&self) -> Option<&dyn DeskCommand> {
        Some(match self.command.as_ref()? {
            Subcommands::Replay(args) => args,
            Subcommands::Logs(args) => args,
            Subcommands::Sse(args) => args,
            Subcommands::Report(args) => &**args,
            Subcommands::Sessions(args) => args,
            Subcommands::Transcript(args) => args,
            Subcommands::Artifacts(args) => args,
            Subcommands::Cache(args) => args,
            Subcommands::System(args) => args,
            Subcommands::Memory(args) => args,
            Subcommands::Profile(args) => &**args,
            _ => return None,
        })
    }

    /// What commands of the desk are given.
    pub fn on_desk<'a>(
        &'a self,
        context: &'a Context,
        start: fn(&[OsString]) -> Result<u8>,
    ) -> Desk<'a> {
        Desk {
            context,
            omp_dir: self.global.omp_dir.as_deref(),
            start,
        }
    }

    /// Settings of the file, overruled by options.
    pub fn overrule(&self, config: &mut Config) {
        let global = &self.global;
        config.screen.theme = global.theme.or(config.screen.theme);
        if let Some(colour) = global.color {
            config.screen.colour = match colour {
                ColorArg::Auto => ColourChoice::Auto,
                ColorArg::Always => ColourChoice::Always,
                ColorArg::Never => ColourChoice::Never,
            };
        }
        if let Some(console) = self.launch.console {
            config.core.console = console.into();
        }
        if global.adapter.is_some() {
            config.core.adapter.clone_from(&global.adapter);
        }
        config.core.plain_adapter |= global.plain_adapter;
        config.core.eval_timeout = global.eval_timeout.unwrap_or(config.core.eval_timeout);
        config.permission = global.permission;
        config
            .core
            .path_mappings
            .extend(global.path_map.iter().cloned());
    }

    /// Checks what clap cannot.
    pub fn check(&self) -> Result<()> {
        let join_and = |what: &str| {
            Failure::usage(format!(
                "--join shows what another omp-debug debugs; leave {what} out, or leave --join out"
            ))
        };
        if self.join.is_some() {
            if let Some(program) = &self.program {
                return Err(join_and(&program.display().to_string()));
            }
            if self.command.is_some() {
                return Err(join_and("the command"));
            }
        }
        if self.command.is_some()
            && let Some(program) = &self.program
        {
            let program = program.to_string_lossy();
            return Err(Failure::usage(format!(
                "{program:?} stands before a command: put what the program is given behind `--`, or leave one of them out"
            )));
        }
        if self.program.is_none() && self.configuration()?.is_none() {
            let launch = &self.launch;
            let stops = &self.stops;
            for (given, option) in [
                (!stops.breakpoint.is_empty(), "--breakpoint"),
                (!stops.logpoint.is_empty(), "--logpoint"),
                (!stops.break_on_exception.is_empty(), "--break-on-exception"),
                (!launch.env.is_empty(), "--env"),
                (launch.stdin.is_some(), "--stdin"),
                (launch.stop_on_entry, "--stop-on-entry"),
                (launch.no_stop_on_entry, "--no-stop-on-entry"),
                (launch.console.is_some(), "--console"),
            ] {
                if given {
                    return Err(Failure::usage(format!(
                        "{option} needs a PROGRAM: write omp-debug PROGRAM {option} …"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether this is a run that prints events.
    pub fn prints_events(&self) -> bool {
        matches!(&self.command, Some(Subcommands::Run(run)) if !run.interactive)
    }

    /// The session that `run` is to run: its `--config`, when that is JSON.
    pub fn session_file(&self) -> Option<&Path> {
        let file = self.global.config.as_deref()?;
        let is_json = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"));
        (is_json && matches!(self.command, Some(Subcommands::Run(_)))).then_some(file)
    }

    /// What PROGRAM asks the core for, in this order. `cwd` is where relative paths begin.
    pub fn launch_opening(
        &self,
        program: &Path,
        config: &Config,
        cwd: &Path,
    ) -> Result<Vec<Command>> {
        let mut commands = self.stops.commands(cwd)?;
        let spec = self
            .launch
            .spec(program, &self.args, &self.stops, config, cwd)?;
        commands.push(Command::Launch(Box::new(spec)));
        Ok(commands)
    }
}
