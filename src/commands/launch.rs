//! How a program is started, and where it is to stop: what several commands are told.

use super::{choices::ConsoleArg, prelude::*};
use crate::{
    debugger::{Console, ExceptionFilter, LaunchSpec, adapters::missing, runners, spec},
    files,
    text::missing::no_file,
};

/// How a program is started.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Launching")]
pub struct LaunchArgs {
    /// Set a variable in the program's environment; K alone removes it
    #[arg(long, value_name = "K=V")]
    pub env: Vec<String>,
    /// Give the program this file as its standard input; with - what is piped in
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Stop at the program's own first line (on the screen the default when no breakpoint is set)
    #[arg(long, overrides_with = "no_stop_on_entry")]
    pub stop_on_entry: bool,
    /// Run until a breakpoint, an exception or the end
    #[arg(long, overrides_with = "stop_on_entry")]
    pub no_stop_on_entry: bool,
    /// Where the program prints: through the adapter, into a pipe (fastest), or into a terminal of its own
    #[arg(long, value_name = "WHERE")]
    pub console: Option<ConsoleArg>,
    /// Give the debug configuration a value that it asks for; may be given several times
    #[arg(long, value_name = "ID=VALUE")]
    pub input: Vec<String>,
    /// The program and what it is given are a command, word by word: the grammar says so.
    #[arg(long = TYPED, hide = true)]
    pub typed: bool,
    /// The command that the program may have been meant to be, where it is not there: the grammar says so.
    #[arg(skip)]
    pub near: Option<String>,
}

/// See [`LaunchArgs::typed`].
pub const TYPED: &str = "typed";

/// Where a program is to stop.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Stopping")]
pub struct StopArgs {
    /// Breakpoints, in the grammar of [`spec`].
    #[arg(
        short,
        long,
        value_name = "SPEC",
        help = "Stop here: file:line, file:line?condition, file:line#N or a function's name; may be given several times"
    )]
    pub breakpoint: Vec<String>,
    /// Logpoints, in the grammar of [`spec`].
    #[arg(
        short,
        long,
        value_name = "SPEC",
        help = "Print here and go on: 'file:line|text with {expressions}'; may be given several times"
    )]
    pub logpoint: Vec<String>,
    /// Stop on exceptions: a filter of the adapter (raised, uncaught, …) or a type's name; may be given several times
    #[arg(long, value_name = "FILTER")]
    pub break_on_exception: Vec<String>,
}

impl LaunchArgs {
    /// The file for the program's standard input, which must be there: it is opened long after this command line was read.
    fn input(&self, cwd: &Path) -> Result<Option<PathBuf>> {
        match &self.stdin {
            Some(file) if file.as_os_str() == "-" && stdin().is_terminal() => {
                Err(Failure::usage("--stdin -: nothing is piped in"))
            }
            Some(file) if file.as_os_str() == "-" => Ok(Some(files::own_input())),
            Some(file) if !cwd.join(file).exists() => {
                let why = no_file(&cwd.join(file));
                Err(Failure::usage(format!("--stdin: {why}")))
            }
            // A pipe can be read, and a device; of this most programs would only say that they cannot.
            Some(file) if cwd.join(file).is_dir() => {
                let folder = cwd.join(file);
                Err(Failure::usage(format!(
                    "--stdin: {} is a folder: name a file in it",
                    folder.display()
                )))
            }
            file => Ok(file.as_ref().map(|file| cwd.join(file))),
        }
    }

    /// The words of a command, where that is what they are.
    pub fn command(&self, program: &Path, args: &[String], cwd: &Path) -> Vec<String> {
        let words = std::iter::once(program.to_string_lossy().into_owned());
        let words: Vec<_> = words.chain(args.iter().cloned()).collect();
        let is_bare = !words.first().is_some_and(|word| word.contains('/'));
        let is_command = self.typed || is_bare && runners::is_known(&words, cwd);
        if is_command { words } else { Vec::new() }
    }

    /// How `program` is started. `cwd` is where relative paths begin.
    pub fn spec(
        &self,
        program: &Path,
        args: &[String],
        stops: &StopArgs,
        config: &Config,
        cwd: &Path,
    ) -> Result<LaunchSpec> {
        let command = self.command(program, args, cwd);
        let path = cwd.join(program);
        if command.is_empty() && !path.exists() {
            let error = missing(&std::path::absolute(&path).unwrap_or(path));
            let hint = self.near.as_ref().map_or_else(String::new, |name| {
                format!("; did you mean the command `{name}`?")
            });
            return Err(Failure::usage(format!("{error}{hint}")));
        }
        Ok(LaunchSpec {
            program: path,
            args: args.to_vec(),
            command,
            exception_filters: stops.exception_filters(),
            ..self.over(LaunchSpec::default(), config, cwd)?
        })
    }

    /// A launch as it is said here and in the settings; what neither says is as `base` has it.
    pub fn over(&self, base: LaunchSpec, config: &Config, cwd: &Path) -> Result<LaunchSpec> {
        let mut env = base.env;
        for text in &self.env {
            let (name, value) = variable(text)?;
            env.retain(|(known, _)| *known != name);
            env.push((name, value));
        }
        let stop_on_entry = if self.stop_on_entry {
            Some(true)
        } else {
            self.no_stop_on_entry.then_some(false)
        };
        Ok(LaunchSpec {
            cwd: base.cwd.or_else(|| Some(cwd.to_path_buf())),
            env,
            stdin: self.input(cwd)?,
            // A configuration has chosen already.
            adapter: match &config.core.adapter {
                Some(adapter) if base.around.is_none() => Some(adapter.clone()),
                _ => base.adapter,
            },
            stop_on_entry: stop_on_entry.or(base.stop_on_entry),
            console: match (self.console, config.core.console) {
                (Some(asked), _) => asked.into(),
                (None, Console::Internal) => base.console,
                (None, chosen) => chosen,
            },
            plain_adapter: config.core.plain_adapter,
            ..base
        })
    }
}

impl StopArgs {
    /// The commands that set what was asked for, for this run alone.
    pub fn commands(&self, cwd: &Path) -> Result<Vec<Command>> {
        let breakpoints = self.breakpoint.iter().map(|text| {
            let read = spec::breakpoint(text, cwd);
            ("--breakpoint", read)
        });
        let logpoints = self.logpoint.iter().map(|text| {
            let read = spec::logpoint(text, cwd);
            ("--logpoint", read)
        });
        let all = breakpoints.chain(logpoints);
        let mut sites = Vec::new();
        all.map(|(option, read)| {
            let spec = read.map_err(|why| Failure::usage(format!("{option}: {why}")))?;
            if sites.contains(&spec.site) {
                let told = format!("{option}: {} has a breakpoint already", spec.site);
                let hint = "a line or function has one breakpoint: give it one condition, or leave one out";
                return Err(Failure::usage(told).hint(hint));
            }
            sites.push(spec.site.clone());
            Ok(Command::SetBreakpoint(spec.for_this_run()))
        })
        .collect()
    }

    /// Exceptions to stop at: of the session that is started alone, so that no later one inherits them.
    pub fn exception_filters(&self) -> Vec<ExceptionFilter> {
        self.break_on_exception
            .iter()
            .map(ExceptionFilter::named)
            .collect()
    }

    /// Files that breakpoints name and that do not exist, for a warning: the debuggee may know them nevertheless.
    pub fn missing_files(commands: &[Command]) -> Vec<&Path> {
        let files = commands.iter().filter_map(|command| match command {
            Command::SetBreakpoint(spec) => spec.site.file(),
            _ => None,
        });
        files.filter(|file| !file.exists()).collect()
    }
}

pub fn variable(text: &str) -> Result<(String, Option<String>)> {
    let (name, value) = text
        .split_once('=')
        .map_or((text, None), |(name, value)| (name, Some(value.to_owned())));
    if name.trim().is_empty() || name.contains('\0') {
        return Err(Failure::usage(format!(
            "--env {text:?} names no variable: write NAME=value, or NAME to remove it"
        )));
    }
    Ok((name.to_owned(), value))
}
