//! The one table of the commands: their names, the short forms that gdb and pdb taught hands, arguments, help, and the actions
//! of the debug tool that they stand for, and who does them.
//!
//! Finding a command by what was typed is here too.

use base::text::nearest::nearest;

use debugger::tool::{self, ActionRow};

use super::prelude::*;

base::kinds! {
    /// A heading of the overview.
    pub enum Group {
        /// Starting and ending.
        Program = "The program",
        Going = "Going on",
        Stops = "Where to stop",
        Looking = "Looking",
        /// The debugger itself.
        Debugger = "The debugger",
    }
    /// Its heading.
    pub fn title(self) -> &'static str;
}

/// A command.
#[derive(Debug)]
pub struct Row {
    pub verb: Verb,
    /// Where it stands in the overview.
    pub group: Group,
    pub name: &'static str,
    /// Other spellings.
    pub short: &'static [&'static str],
    /// What may follow.
    pub args: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// More of it; may be empty.
    pub more: &'static str,
    /// Actions of the debug tool that it stands for.
    pub actions: &'static [&'static str],
    /// An empty line does it again.
    pub repeats: bool,
    /// What completes its argument.
    pub completes: Completes,
}

/// What can stand behind a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completes {
    /// Nothing.
    Nothing,
    /// An expression of the debuggee's language.
    Expression,
    /// `file:line` or a function.
    Place,
    /// A breakpoint's number.
    Breakpoint,
    /// A topic of `info`.
    Topic,
    Command,
    File,
}

/// Topics of `info`, with what they show.
pub const TOPICS: &[(&str, &str)] = &[
    (
        "breakpoints",
        "breakpoints, with numbers and what the adapter made of them",
    ),
    ("threads", "threads, with where they stand"),
    ("sources", "sources that the debuggee has loaded"),
    ("modules", "modules of the debuggee"),
    ("watch", "watch expressions and their values"),
    ("session", "adapter, process and state"),
    ("frame", "the selected frame"),
    ("locals", "variables of the selected frame"),
    (
        "exceptions",
        "exception filters that the adapter has, and which are on",
    ),
    ("registers", "registers of the selected frame"),
    ("progress", "what the adapter is busy with"),
    (
        "requests",
        "requests that the adapter has not answered for long, with their age",
    ),
    (
        "time",
        "where the session's time went: starting, running, stopped, the adapter's answers",
    ),
];

/// The table: of each row a [`Verb`], a [`Row`] of [`COMMANDS`], and the way to its handler.
///
/// A row has its group, verb, handler, name, other spellings, arguments and help, then what not every one has: `more`, the actions of the
/// debug `tool`, whether it `repeats`, what `completes` it.
macro_rules! commands {
    ($($group:ident $verb:ident $does:ident $name:literal [$($short:literal)*] $args:literal $help:literal
       $(more $more:literal)? $(tool [$($action:literal)*])? $(repeats $repeats:literal)? $(completes $completes:ident)?;)*) => {
        /// What a command does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Verb {
            $(#[doc = $name] $verb,)*
        }

        /// All of them.
        pub const COMMANDS: &[Row] = &[$(Row {
            verb: Verb::$verb,
            group: Group::$group,
            name: $name,
            short: &[$($short),*],
            args: $args,
            help: $help,
            more: concat!($($more)?),
            actions: &[$($($action),*)?],
            repeats: [$($repeats,)? false][0],
            completes: [$(Completes::$completes,)? Completes::Nothing][0],
        },)*];

        impl Repl {
            /// Does a command.
            pub(super) async fn command(&mut self, typed: &ParsedCommand) -> CommandResult {
                match typed.row.verb {
                    $(Verb::$verb => self.$does(typed).await,)*
                }
            }
        }
    };
}

commands! {
    Program Run run "run" ["r"] "[ARGS]" "Starts the program, from its beginning when it runs already."
        more "No shell reads ARGS: $NAME and *.c stay as they are. ARGS replace what the program was given before. It runs until a breakpoint, an exception or its end. With & at the end the prompt comes back at once." tool ["launch"];
    Program Start run "start" [] "[ARGS]" "Starts the program and stops at its first line." tool ["launch"];
    Program Restart restart "restart" ["rerun"] "" "Ends the program and starts it again in the same way." tool ["restart"];
    Program Attach attach "attach" ["at"] "PID | [HOST:]PORT" "Attaches to a process, or to a debug server's port."
        more "A number is a process id; :PORT and HOST:PORT are a debug server." tool ["attach"];
    Program Detach kill "detach" ["det"] "" "Lets go of the program and leaves it running.";
    Program Kill kill "kill" ["k"] "" "Ends the program; one that was attached to is left running." tool ["terminate"];
    Program Stdin stdin "stdin" ["input"] "TEXT" "Gives the program a line on its standard input."
        more "While the program runs in front of the prompt, what is typed goes there by itself, where its input is ours (--console pty or pipe).";
    Going Continue resume "continue" ["c" "cont"] "[&]" "Lets the program run on until it stops or ends."
        more "Ctrl-C makes it stop. To go over hits of a breakpoint, give it a count: break FILE:LINE#N. With & the prompt comes back at once." tool ["continue"] repeats true;
    Going Step step "step" ["s"] "[N] [&]" "Goes to the next line, into calls."
        more "N times." tool ["step_in"] repeats true;
    Going Next step "next" ["n"] "[N] [&]" "Goes to the next line, over calls."
        more "N times." tool ["step_over"] repeats true;
    Going Finish step "finish" ["fin" "return" "gu"] "[N] [&]" "Runs until the selected function returns; N times." tool ["step_out"] repeats true;
    Going Until until "until" ["unt" "advance"] "[LINE | FILE:LINE | FUNCTION] [&]" "Runs until that line is reached (a function: where the debugger tells its line); without one, to a line further down (out of a loop)." tool ["run_to"] repeats true completes Place;
    Going StepInstruction step "stepi" ["si"] "[N]" "Goes one machine instruction on, into calls." tool ["step_in"] repeats true;
    Going NextInstruction step "nexti" ["ni"] "[N]" "Goes one machine instruction on, over calls." tool ["step_over"] repeats true;
    Going IntoCall step_into "into" ["stepinto"] "[N | NAME] [&]" "Steps into one of the calls of the line; without one lists them." tool ["step_in"];
    Going Jump jump "jump" ["j"] "LINE | FILE:LINE" "Lets the program go on from another line, and runs nothing in between." completes Place;
    Going Back back "back" ["rn" "reverse-next"] "[N] [&]" "Goes to the line before, over calls."
        more "The adapter must be able to, or what the program did must have been kept: record." tool ["step_back"] repeats true;
    Going ReverseContinue resume "reverse-continue" ["rc"] "[&]" "Runs backwards to the breakpoint before, or to where recording began." repeats true;
    Going Record switch "record" ["rec"] "[on | off]" "Keeps what the program does from here on, so that it can be run backwards."
        more "For debuggers that have it as a command of their own (GDB).";
    Going RestartFrame resume "restart-frame" ["rf"] "[&]" "Begins the call of the selected frame anew.";
    Going Alone switch "alone" ["single-thread"] "[on | off]" "Lets only the selected thread run, or all.";
    Going Pause interrupt "pause" ["interrupt"] "" "Makes a running program stop, as Ctrl-C does." tool ["pause"];
    Going Wait wait "wait" [] "" "Waits until a program that runs behind the prompt stops or ends." tool ["wait"];
    Stops Break set_breakpoint "break" ["b" "br"] "[PLACE] [mode MODE] [if CONDITION]" "Sets a breakpoint; without a place at the present line."
        more "PLACE is file:line, a line of the present file, a function's name, +N or -N lines from here, or *ADDRESS. file:line?condition#N stops at the N-th hit on which the condition holds. MODE is one of the adapter's (hardware, software), or letters of it (hw)." tool ["set_breakpoint" "set_instruction_breakpoint"] completes Place;
    Stops TemporaryBreak set_breakpoint "tbreak" ["tb"] "[PLACE] [if CONDITION]" "Sets a breakpoint that is removed when it is hit." tool ["set_breakpoint"] completes Place;
    Stops Logpoint set_breakpoint "logpoint" ["lp" "dprintf"] "FILE:LINE|TEXT" "Prints TEXT, with {expressions} in it, whenever the line is reached."
        more "LINE|TEXT is a line of the present file." tool ["set_breakpoint"] completes Place;
    Stops Watchpoint watchpoint "watchpoint" ["wp"] "EXPR [mode MODE]" "Stops when the value is changed."
        more "The adapter must offer data breakpoints. *ADDRESS [BYTES] watches memory, one byte unless said otherwise." tool ["data_breakpoint_info" "set_data_breakpoint"] completes Expression;
    Stops ReadWatchpoint watchpoint "rwatch" ["rw"] "EXPR" "Stops when the value is read." tool ["set_data_breakpoint"] completes Expression;
    Stops AccessWatchpoint watchpoint "awatch" ["aw"] "EXPR" "Stops when the value is read or changed." tool ["set_data_breakpoint"] completes Expression;
    Stops Catch catch "catch" [] "[FILTER… [mode MODE] | off | default]" "Chooses the exceptions to stop at."
        more "What is named takes the place of what was chosen. Without a filter: shows which there are. `off` stops at none, `default` leaves it to the adapter." tool ["set_exception_breakpoints"];
    Stops Delete change_breakpoints "delete" ["del" "cl" "clear"] "[N…]" "Removes breakpoints; all of them without a number." tool ["remove_breakpoint" "remove_instruction_breakpoint" "remove_data_breakpoint"] completes Breakpoint;
    Stops Disable change_breakpoints "disable" ["dis"] "[N…]" "Switches breakpoints off, and keeps them." completes Breakpoint;
    Stops Enable change_breakpoints "enable" ["en"] "[N…]" "Switches breakpoints on again." completes Breakpoint;
    Stops Condition condition "condition" ["cond"] "N [EXPR]" "Makes a breakpoint stop only where EXPR is true; without one, always." completes Breakpoint;
    Looking Backtrace backtrace "bt" ["backtrace" "where" "w"] "[N]" "Shows the stack, the innermost N frames of it."
        more "-N: the outermost." tool ["stack_trace"];
    Looking Up select "up" ["u"] "[N]" "Selects the frame that called this one." repeats true;
    Looking Down select "down" ["d"] "[N]" "Selects the frame that this one called." repeats true;
    Looking Frame select "frame" ["f"] "[N]" "Selects frame N; without it shows where one is." tool ["scopes"];
    Looking Locals locals "locals" ["lo"] "" "Shows the variables of the selected frame." tool ["scopes" "variables"];
    Looking List list "list" ["l"] "[LINE | FILE:LINE | FUNCTION | .][,LAST]" "Shows source; again: what follows; `.` goes back to where the program stands." tool ["source"] repeats true completes Place;
    Looking Print print "print" ["p" "pp" "inspect"] "[/DEPTH | /x /o /t /d] EXPR" "Evaluates an expression and shows its value, opened DEPTH levels deep, or a whole number in another base." tool ["evaluate" "variables"] completes Expression;
    Looking Data data "data" [] "EXPR [--as table|stats|series|text] [--rows 0..50] [--columns 0..9] [--sort NAME] [--filter TEXT] [--column NAME] [--compare 'stop 1']" "Shows a value as data, a page at a time."
        more "Programs in Python and JavaScript make the page themselves. `-NAME` sorts from the largest to the smallest; a filter is `price > 10 and name ~ ada`." tool ["data"] completes Expression;
    Looking Records data "records" [] "[--as table|stats|series] [--rows 0..50] [--sort NAME] [--filter TEXT]" "Shows what breakpoints and logpoints recorded, a page at a time." tool ["records"];
    Looking Eval eval "eval" ["e" "call"] "CODE" "Evaluates an expression or, where the language allows it, a statement, and shows the adapter's answer as it is." tool ["evaluate"] completes Expression;
    Looking Type type_of "whatis" [] "EXPR" "Shows the type of an expression's value." tool ["evaluate"] completes Expression;
    Looking TypeParts type_of "ptype" [] "EXPR | TYPE" "Shows a type with its fields, where the debugger has a command for it (GDB); else as whatis." tool ["evaluate"] completes Expression;
    Looking Set set "set" [] "NAME = VALUE" "Changes a variable." tool ["evaluate" "set_variable"] completes Expression;
    Looking Watch watch "watch" ["display" "disp"] "EXPR" "Shows an expression at every stop where its value changed."
        more "To stop when a value changes: watchpoint." tool ["evaluate"] completes Expression;
    Looking Unwatch unwatch "unwatch" ["undisplay"] "[N…]" "Removes watch expressions; all of them without a number.";
    Looking Examine examine "x" ["examine"] "[/NFU] ADDRESS" "Shows memory: N units, in format F (x d u o t c s i), of size U (b h w g)."
        more "ADDRESS is a number or an expression. Without arguments: what follows." tool ["read_memory"] repeats true completes Expression;
    Looking Write write "write" ["poke"] "ADDRESS BYTES" "Changes memory."
        more "BYTES are two hexadecimal digits each (de ad), or \"text\"; ADDRESS is a number or a word that points there." tool ["write_memory"] completes Expression;
    Looking Hex switch "hex" [] "[on | off]" "Lets the adapter write numbers in hexadecimal, or not.";
    Looking Disassemble disassemble "disas" ["disassemble"] "[/N] [ADDRESS]" "Shows N machine instructions from the selected frame's place on, or from an address." tool ["disassemble"] completes Expression;
    Looking Threads threads "threads" ["thr"] "" "Lists the threads." tool ["threads"];
    Looking Hang hang "hang" ["deadlock"] "" "Shows why the program hangs: threads by equal stacks, who waits for whom, who is busy."
        more "A program that runs is stopped for it, and goes on." tool ["hang"];
    Looking Session session "session" ["sess"] "[N]" "Looks at another process's session; without a number lists them as a tree." tool ["sessions"];
    Looking Thread thread "thread" ["t"] "[ID]" "Selects a thread; without one shows which it is." tool ["threads"];
    Looking Cancel cancel "cancel" [] "[ID]" "Has the adapter give up what it is busy with, or a request that it has not answered for long."
        more "info progress and info requests show them, with what to write as ID; without one all are meant.";
    Looking Info info "info" ["i"] "TOPIC" "Shows breakpoints, threads, sources, modules, watch, session, frame, locals, exceptions, registers, progress, requests or time." tool ["modules" "loaded_sources" "sessions" "threads" "breakpoints"] completes Topic;
    Debugger Source source "source" [] "FILE" "Does the commands of a file." completes File;
    Debugger Help help "help" ["h" "?"] "[COMMAND]" "Shows all commands, or one." completes Command;
    Debugger Quit quit "quit" ["q" "exit"] "" "Ends the program, unless it was attached to, and the debugger." tool ["terminate"];
}

/// The command that is meant: by name, short form, or the beginning of one name alone; the error is a sentence.
pub fn find(word: &str) -> Result<&'static Row, String> {
    if let Some(row) = exact(word) {
        return Ok(row);
    }
    let begin: Vec<&'static Row> = COMMANDS
        .iter()
        .filter(|r| !word.is_empty() && spellings(r).any(|s| s.starts_with(word)))
        .collect();
    match begin.as_slice() {
        [one] => Ok(one),
        [] => {
            let near = nearest(word, COMMANDS.iter().map(|r| r.name), 1);
            let near = near.first().map(|n| format!(" (did you mean {n}?)"));
            Err(format!(
                "{word:?} is no command{}; help lists them, p EXPR evaluates",
                near.unwrap_or_default()
            ))
        }
        several => {
            let names: Vec<_> = several.iter().map(|r| r.name).collect();
            Err(format!(
                "{word:?} could be {}: write more of it",
                names.join(", ")
            ))
        }
    }
}

/// The command of this very spelling.
pub fn exact(word: &str) -> Option<&'static Row> {
    let mut rows = COMMANDS.iter();
    rows.find(|row| spellings(row).any(|spelling| spelling == word))
}

/// The operation of the debug tool that has this name.
pub fn operation(word: &str) -> Option<&'static ActionRow> {
    tool::all().find(|row| row.name == word)
}

/// Operations that no command stands for.
pub fn operations() -> impl Iterator<Item = &'static ActionRow> {
    let stands = |name| COMMANDS.iter().any(|row| row.actions.contains(&name));
    tool::all().filter(move |row| !stands(row.name) && exact(row.name).is_none())
}

/// Every way to write a command.
pub fn spellings(row: &Row) -> impl Iterator<Item = &'static str> {
    std::iter::once(row.name).chain(row.short.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn no_spelling_means_two_commands() {
        let mut seen = BTreeMap::new();
        for row in COMMANDS {
            for spelling in spellings(row) {
                assert_eq!(seen.insert(spelling, row.name), None, "{spelling}");
            }
        }
    }

    #[test]
    fn every_row_is_whole() {
        for row in COMMANDS {
            assert!(row.help.ends_with('.'), "{}: {}", row.name, row.help);
            for action in row.actions {
                assert!(operation(action).is_some(), "{}: {action}", row.name);
            }
            assert_eq!(find(row.name).unwrap().verb, row.verb);
        }
    }

    #[test]
    fn every_operation_is_a_command_or_stands_beside_them() {
        let alone: Vec<_> = operations().map(|row| row.name).collect();
        for row in tool::all() {
            let stood_for = COMMANDS.iter().any(|r| r.actions.contains(&row.name));
            let told = stood_for || exact(row.name).is_some();
            assert!(told != alone.contains(&row.name), "{}", row.name);
        }
        assert!(alone.contains(&"custom_request"), "{alone:?}");
    }

    #[test]
    fn the_help_of_info_names_all_its_topics() {
        let row = find("info").unwrap();
        for (topic, _) in TOPICS {
            assert!(row.help.contains(topic), "{topic}");
        }
    }

    #[test]
    fn hands_of_gdb_and_pdb_are_understood() {
        for (typed, verb) in [
            ("b", Verb::Break),
            ("r", Verb::Run),
            ("c", Verb::Continue),
            ("s", Verb::Step),
            ("n", Verb::Next),
            ("fin", Verb::Finish),
            ("u", Verb::Up),
            ("d", Verb::Down),
            ("bt", Verb::Backtrace),
            ("w", Verb::Backtrace),
            ("p", Verb::Print),
            ("l", Verb::List),
            ("q", Verb::Quit),
            ("h", Verb::Help),
            ("unt", Verb::Until),
            ("tb", Verb::TemporaryBreak),
            ("i", Verb::Info),
            ("si", Verb::StepInstruction),
            ("cont", Verb::Continue),
            ("backt", Verb::Backtrace),
            ("disp", Verb::Watch),
        ] {
            assert_eq!(find(typed).map(|r| r.verb), Ok(verb), "{typed}");
        }
    }

    #[test]
    fn a_slip_of_the_hand_is_told_what_was_meant() {
        let told = find("contineu").unwrap_err();
        assert!(told.contains("continue"), "{told}");
        let told = find("total").unwrap_err();
        assert!(told.contains("p EXPR"), "{told}");
        let told = find("st").unwrap_err();
        assert!(told.contains("step") && told.contains("start"), "{told}");
    }
}
