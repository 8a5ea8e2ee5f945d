//! The grammar as a whole: which of the global options each command's help shows, and what a mistyped command was meant to be.
//!
//! Global options may stand behind every command; of those that a command has no use for its help says nothing.

use clap::{
    Arg, ArgAction, ArgMatches, Command, CommandFactory as _, FromArgMatches as _,
    error::ErrorKind, parser::ValueSource,
};

use super::{cli::Cli, launch::TYPED, prelude::*};
use crate::{
    debugger::runners,
    surroundings,
    text::{missing::no_file, nearest},
};

/// What begins or plays a debug session.
const DEBUGGING: &[&str] = &[
    "adapter",
    "backend",
    "eval_timeout",
    "permission",
    "plain_adapter",
];
/// What has a screen.
const SCREEN: &[&str] = &["config", "color", "theme", "log_file", "verbose"];
/// What runs a core without a screen.
const HEADLESS: &[&str] = &["config", "log_file", "verbose"];

/// The global options that a command uses, besides --cwd.
fn used_by(command: &str) -> [&'static [&'static str]; 3] {
    const RECORD: &[&str] = &["record"];
    const OMP: &[&str] = &["omp_dir"];
    match command {
        "attach" | "demo" => [DEBUGGING, SCREEN, RECORD],
        "run" | "serve" | "mcp" | "hang" => [DEBUGGING, HEADLESS, RECORD],
        "repl" => [
            DEBUGGING,
            &["config", "color", "log_file", "verbose"],
            RECORD,
        ],
        "adapters" => [&["backend"], HEADLESS, &[]],
        "call" => [HEADLESS, &["permission"], &[]],
        "mirror" => [HEADLESS, &[], &[]],
        "logs" | "report" | "sessions" | "transcript" | "artifacts" | "system" => {
            [SCREEN, OMP, &[]]
        }
        "cache" => [OMP, &[], &[]],
        "agent-guide" | "completions" | "man" => [&[], &[], &[]],
        // All else has a screen.
        _ => [SCREEN, &[], &[]],
    }
}

/// The command line's grammar.
pub fn command() -> Command {
    let command = Cli::command();
    let globals: Vec<Arg> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .cloned()
        .collect();
    command.mut_subcommands(|sub| {
        let sub = sub.mut_args(in_own_words);
        let name = sub.get_name().to_owned();
        let shown = used_by(&name);
        let is_shown = |id: &str| match id {
            "cwd" => !matches!(&*name, "completions" | "man"),
            _ => shown.iter().any(|ids| ids.contains(&id)),
        };
        // An option that a command has already is not handed down to it again.
        let hidden: Vec<Arg> = globals
            .iter()
            .filter(|argument| !is_shown(argument.get_id().as_str()))
            .filter(|argument| {
                sub.get_arguments()
                    .all(|own| own.get_id() != argument.get_id())
            })
            .map(|argument| argument.clone().hide(true))
            .collect();
        sub.args(hidden)
    })
}

/// What a program is given, an expression or a pattern may begin with a dash.
fn in_own_words(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    let may = names
        .iter()
        .any(|name| matches!(name.as_str(), "STRING" | "EXPR" | "RE"));
    if may {
        argument.allow_hyphen_values(true)
    } else {
        argument
    }
}

/// Whether the arguments are those of a run that prints events, as far as they can be understood.
pub fn asks_for_events(arguments: &[OsString]) -> bool {
    let matches = command()
        .ignore_errors(true)
        .try_get_matches_from(as_typed(arguments));
    matches.is_ok_and(|matches| matches.subcommand_name() == Some("run"))
        && !arguments.iter().any(|word| word == "--interactive")
}

/// What the arguments, the program's own name first, say; the error is for people, or the help they asked for.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let arguments = &as_typed(arguments);
    let matches = command().try_get_matches_from(arguments);
    let matches = matches.map_err(|error| with_near_command(error, arguments))?;
    for_the_debugger(&matches)?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))?;
    let program = cli.program.as_deref().filter(|path| !path.exists());
    cli.launch.near = program.and_then(near_command);
    Ok(cli)
}

/// The arguments with a command marked as what it is: from its first word on all is the command's, whatever it looks like.
fn as_typed(arguments: &[OsString]) -> Vec<OsString> {
    let Some((first, cwd)) = first_word(arguments) else {
        return arguments.to_vec();
    };
    let command = arguments
        .iter()
        .skip(first)
        .map(|word| word.to_string_lossy().into_owned());
    let command: Vec<_> = command.collect();
    // A program that is there may have our options behind it, and its own behind `--`.
    let file = command.first().map(|word| cwd.join(word));
    let is_typed = |file: &PathBuf| match command.get(1) {
        Some(next) => file.is_file() && !next.starts_with('-'),
        None => runners::exec::is_shell_script(file),
    };
    if !(runners::is_known(&command, &cwd) || file.as_ref().is_some_and(is_typed)) {
        return arguments.to_vec();
    }
    let (before, words) = arguments.split_at(first);
    let mut marked = before.to_vec();
    marked.push(format!("--{TYPED}").into());
    marked.extend(words.first().cloned());
    marked.push("--".into());
    // Whoever writes `--` behind the first word means the same.
    let rest = words.get(1..).unwrap_or_default();
    marked.extend(
        rest.strip_prefix(&[OsString::from("--")])
            .unwrap_or(rest)
            .iter()
            .cloned(),
    );
    marked
}

/// Where what is to be debugged begins, and the folder that is meant; none where a command has it, or there is nothing.
fn first_word(arguments: &[OsString]) -> Option<(usize, PathBuf)> {
    let whole = command();
    let (mut at, mut grammar) = (1, &whole);
    let mut cwd = PathBuf::from(".");
    loop {
        let word = arguments.get(at)?.to_string_lossy();
        if word == "--" {
            return None;
        }
        if let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty()) {
            let takes = takes_value(grammar, option) || takes_value(&whole, option);
            if word == "--cwd" {
                cwd = arguments.get(at + 1).map(PathBuf::from).unwrap_or_default();
            }
            at += 1 + usize::from(takes);
            continue;
        }
        match whole
            .find_subcommand(&*word)
            .filter(|_| std::ptr::eq(grammar, &raw const whole))
        {
            Some(sub) if matches!(&*word, "run" | "repl") => (at, grammar) = (at + 1, sub),
            Some(_) => return None,
            None => return Some((at, cwd)),
        }
    }
}

/// Whether an option, without its first dash, is followed by its value.
fn takes_value(grammar: &Command, option: &str) -> bool {
    let takes =
        |argument: &Arg| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let mut all = grammar.get_arguments();
    if let Some(long) = option.strip_prefix('-') {
        return all.any(|one| one.get_long() == Some(long) && takes(one));
    }
    let mut letters = option.chars();
    let short = letters.next();
    all.any(|one| one.get_short() == short && takes(one)) && letters.next().is_none()
}

/// What `call` asks is done by a debugger that runs already: options that this is started with come too late, but for what it may do.
fn for_the_debugger(matches: &ArgMatches) -> Result<(), clap::Error> {
    let mut late = DEBUGGING.iter().chain(&["path_map", "record"]);
    let late = late.find(|id| {
        **id != "permission" && matches.value_source(id) == Some(ValueSource::CommandLine)
    });
    let Some(option) = late.filter(|_| matches.subcommand_name() == Some("call")) else {
        return Ok(());
    };
    let option = option.replace('_', "-");
    Err(command().error(
        ErrorKind::ArgumentConflict,
        format!("--{option} has no effect on a debugger that is already running; give it to the command that starts one, as in `omp-debug serve --{option} ...`"),
    ))
}

/// The command that a program which is not there may have been meant to be, if it looks like a word.
fn near_command(program: &Path) -> Option<String> {
    let word = program.to_string_lossy();
    if word.contains(['.', '/']) {
        return None;
    }
    let cli = Cli::command();
    let names = cli.get_subcommands().map(Command::get_name);
    nearest::nearest(&word, names, 1)
        .first()
        .map(|name| (*name).to_owned())
}

/// An option that belongs to a command is unknown when that is mistyped: then the command is what has to be put right.
fn with_near_command(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some((first, cwd)) = first_word(arguments) else {
        return error;
    };
    let mut words = arguments.iter().skip(first).map(Path::new);
    let Some(word) = words.next().filter(|word| !cwd.join(word).exists()) else {
        return error;
    };
    let Some(near) = near_command(word) else {
        let has_words = words
            .next()
            .is_some_and(|next| !next.to_string_lossy().starts_with('-'));
        let env = surroundings::variables();
        if !has_words || surroundings::on_path(&word.to_string_lossy(), &env).is_some() {
            return error;
        }
        return command().error(
            ErrorKind::InvalidSubcommand,
            format!(
                "{}, no command and no program on PATH that is called so",
                no_file(word)
            ),
        );
    };
    // The option's own error leads astray: it compares with those that stand without a command.
    command().error(
        ErrorKind::InvalidSubcommand,
        format!("{}; did you mean the command `{near}`?", no_file(word)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::cli::Subcommands;

    fn arguments(words: &[&str]) -> Vec<OsString> {
        ["omp-debug"]
            .iter()
            .chain(words)
            .map(OsString::from)
            .collect()
    }

    fn refused(words: &[&str]) -> String {
        parse(&arguments(words)).unwrap_err().to_string()
    }

    #[test]
    fn the_grammar_is_sound_with_its_hidden_options() {
        command().debug_assert();
    }

    #[test]
    fn every_command_is_known_here_and_every_name_is_an_option() {
        let command = command();
        let ids: Vec<&str> = command
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| argument.get_id().as_str())
            .collect();
        for sub in command.get_subcommands() {
            let used = used_by(sub.get_name());
            for id in used.iter().flat_map(|ids| ids.iter()) {
                assert!(ids.contains(id), "{id}");
            }
            // They print or write what is in the program.
            let is_bare = matches!(sub.get_name(), "agent-guide" | "completions" | "man");
            assert_eq!(
                used.iter().all(|ids| ids.is_empty()),
                is_bare,
                "{}",
                sub.get_name()
            );
        }
    }

    #[test]
    fn help_shows_what_the_command_uses_and_takes_the_rest_as_well() {
        for (words, shown, not) in [
            (&["memory", "--help"][..], "--theme", "--adapter"),
            (&["logs", "--help"], "--omp-dir", "--record"),
            (&["run", "--help"], "--record", "--theme"),
            (&["sse", "proxy", "--help"], "--cwd", "--plain-adapter"),
            (&["help", "cache"], "--omp-dir", "--adapter"),
        ] {
            let help = refused(words);
            assert!(
                help.contains(shown) && !help.contains(not),
                "{words:?}: {help}"
            );
        }
        assert!(refused(&["help"]).contains("--plain-adapter"));
        let cli = parse(&arguments(&["memory", "--adapter", "gdb", "--pid", "1"])).unwrap();
        assert_eq!(cli.global.adapter.as_deref(), Some("gdb"));
        let cli = parse(&arguments(&["--cwd", "/", "sse", "run", "--", "true"])).unwrap();
        assert_eq!(cli.global.cwd.as_deref(), Some(Path::new("/")));
    }

    #[test]
    fn from_its_first_word_on_all_is_the_commands() {
        let words = |cli: &Cli| {
            let run = match &cli.command {
                Some(Subcommands::Run(run)) => (&run.program, &run.args, run.launch.typed),
                _ => (&cli.program, &cli.args, cli.launch.typed),
            };
            let program = run.0.iter().map(|program| program.display().to_string());
            (
                program
                    .chain(run.1.iter().cloned())
                    .collect::<Vec<_>>()
                    .join(" "),
                run.2,
            )
        };
        for (given, typed, is_typed) in [
            (
                "-b a.rs:1 cargo test -p one --lib",
                "cargo test -p one --lib",
                true,
            ),
            (
                "--cwd / run -e x --steps 2 pytest -b y -- z",
                "pytest -b y -- z",
                true,
            ),
            ("cargo -- test", "cargo test", true),
            ("/bin/app -- -k", "/bin/app -k", false),
            ("app.py -b a.py:1", "app.py", false),
        ] {
            let given: Vec<_> = given.split(' ').collect();
            let cli = parse(&arguments(&given)).unwrap();
            assert_eq!(words(&cli), (typed.to_owned(), is_typed), "{given:?}");
        }
        assert!(refused(&["lgos", "--json"]).contains("logs"));
    }

    #[test]
    fn a_running_debugger_is_not_given_what_one_is_started_with() {
        for words in [
            &["call", "--eval-timeout", "1", "threads"][..],
            &["--eval-timeout", "1", "call", "threads"],
            &["call", "threads", "--path-map", "/here=/there"],
        ] {
            let said = refused(words);
            let option = words.iter().find(|word| word.starts_with("--"));
            let sentence = format!("{} has no effect on a debugger", option.unwrap());
            assert!(said.contains(&sentence), "{words:?}: {said}");
        }
        assert!(parse(&arguments(&["call", "--log-file", "log", "threads"])).is_ok());
        assert!(parse(&arguments(&["call", "--permission", "observe", "threads"])).is_ok());
        assert!(parse(&arguments(&["serve", "--eval-timeout", "1"])).is_ok());
    }

    #[test]
    fn an_option_behind_a_mistyped_command_names_the_command() {
        let said = refused(&["attac", "--pid", "3"]);
        assert!(
            said.contains("did you mean the command `attach`?"),
            "{said}"
        );
        assert!(!said.contains("--plain-adapter"), "{said}");
        let said = refused(&["attach", "--pidd", "3"]);
        assert!(
            said.contains("--pid") && !said.contains("did you mean the command"),
            "{said}"
        );
        assert!(!refused(&["app.py", "--pid", "3"]).contains("did you mean the command"));
        for words in [
            &["nosuchcmd", "x", "y"][..],
            &["run", "-b", "a.c:1", "nosuchcmd", "./x"],
        ] {
            let said = refused(words);
            assert!(
                said.contains("there is no file \"nosuchcmd\", no command and no program on PATH"),
                "{said}"
            );
        }
    }
}
