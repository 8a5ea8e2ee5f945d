//! `repl`: its part of the command line, and what it asks the line debugger for.

use super::{
    attach::{SimulatorArgs, WhomArgs},
    launch::{LaunchArgs, StopArgs},
    prelude::*,
};
use crate::{
    debugger::AttachSpec,
    headless::{repl::Options, run::config_file::SessionFile},
    tui::term::capabilities::{Capabilities, ColourChoice, ColourDepth, Wishes},
};

const AFTER_HELP: &str = "\
Commands are read from the terminal, or line by line from a pipe: then there is no prompt and no echo, each command waits until its
effect is over, and what goes wrong is said on standard error with its line. At a terminal the program gets one of its own where its
adapter allows that (--console internal: not), and while it runs in front of the prompt it reads what is typed. Ctrl-C pauses it.

A person at a terminal finds the breakpoints and watches of the project as they were left; a script begins without any, and leaves
none behind, unless it asks for them with --kept. What a script's program reads is not the script: give it a file with --stdin, or
--console pipe and the command stdin TEXT.

  omp-debug repl shop.py                     then: break total, run, bt, locals, next, continue; help lists all
  omp-debug repl shop.py -b shop.py:42 -- --verbose
  omp-debug repl --pid 4711                  attach
  omp-debug repl --core core.4711 ./shop     what is left of a process that died
  printf 'b 42\\nr\\nbt\\n' | omp-debug repl shop.py
  omp-debug repl shop.py --batch -x session.commands

Exit codes of a script (the first trouble counts): 0 all went well, 1 the program ended with another code than 0 or stood at an
exception that nobody handles, 2 a line is no command or cannot be done, 3 no adapter, 4 the adapter failed, 130 and 143
interrupted. At a terminal: 0.";

/// `repl`.
#[derive(Args, Debug, Default)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("pid", |pid| pid.help("Attach to the process with this id")))]
#[command(mut_arg("name", |name| name.help("Attach to the one process with this name, or with this in its command line")))]
#[command(mut_arg("port", |port| port.help("Attach to the debug server that listens on this port")))]
pub struct ReplArgs {
    /// The program to debug; `run` starts it
    pub program: Option<PathBuf>,
    /// What the program is given, after --
    #[arg(last = true)]
    pub args: Vec<String>,
    /// Do the commands in this file first; may be given several times
    #[arg(short = 'x', long = "commands", value_name = "FILE")]
    pub commands: Vec<PathBuf>,
    /// Do this command after those; may be given several times
    #[arg(long = "ex", value_name = "COMMAND")]
    pub execute: Vec<String>,
    /// End after those, and read no more
    #[arg(long)]
    pub batch: bool,
    /// In a script, too, begin with the breakpoints and watches that the project keeps
    #[arg(long)]
    pub kept: bool,
    /// Use what came with the project and runs something (a configuration, adapters, formatters of values), although nobody trusted its content yet: shows what it runs
    #[arg(long)]
    pub trust: bool,
    /// What is attached to.
    #[command(flatten)]
    pub whom: WhomArgs,
    /// Look at a core dump, what is left of a process that died, of the program that is named
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pid", "name", "port", "simulator", "bundle_id"])]
    pub core: Option<PathBuf>,
    /// An app in a simulator.
    #[command(flatten)]
    pub simulated: SimulatorArgs,
    /// How the program is started.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Where it is to stop.
    #[command(flatten)]
    pub stops: StopArgs,
}

impl ReplArgs {
    /// What the line debugger is asked for.
    pub fn options(
        &self,
        configured: Option<SessionFile>,
        config: &Config,
        cwd: &Path,
    ) -> Result<Options> {
        let on_terminal = stdout().is_terminal();
        let person = on_terminal && stdin().is_terminal() && !self.batch;
        let mut starts = configured.unwrap_or_default().starts.into_iter();
        let (mut launch, mut attach) = (None, None);
        if self.launch.stdin.as_deref() == Some("-".as_ref()) {
            let why = "--stdin -: the commands come from there";
            return Err(Failure::usage(why));
        }
        match (starts.next(), &self.program) {
            (Some(Command::Launch(spec)), _) => launch = Some(*spec),
            (Some(Command::Attach(spec)), _) => attach = Some(*spec),
            (_, Some(program)) => {
                let spec = (self.launch).spec(program, &self.args, &self.stops, config, cwd)?;
                launch = Some(spec);
            }
            (_, None) => {}
        }
        if let Some(spec) = &mut launch
            && person
            && self.launch.console.is_none()
            && spec.console == Console::Internal
        {
            // Under a debugger of lines a program reads what is typed, as at a shell's prompt.
            spec.console = Console::Pty;
        }
        let whom = (self.whom).spec(&self.simulated, &self.stops, config, cwd)?;
        if let Some(core) = &self.core {
            attach = Some(AttachSpec {
                core: Some(cwd.join(core)),
                program: self.program.as_ref().map(|program| cwd.join(program)),
                ..whom
            });
        } else if attach.is_none() && whom.target().is_some() {
            attach = Some(whom);
        }
        let choice = config.screen.colour;
        let wishes = Wishes {
            colour: choice,
            ..Wishes::default()
        };
        let Capabilities { colour, .. } =
            Capabilities::detect(wishes, |name| std::env::var(name).ok());
        Ok(Options {
            launch,
            attach,
            beside: starts.collect(),
            before: self.stops.commands(cwd)?,
            cwd: cwd.to_path_buf(),
            files: self.commands.clone(),
            commands: self.execute.clone(),
            batch: self.batch,
            person,
            kept: person || self.kept,
            colour: colour != ColourDepth::None && (on_terminal || choice == ColourChoice::Always),
        })
    }
}
