//! The one table of the commands: their names, the short forms that gdb and pdb taught hands, arguments, help, and the actions
//! of the debug tool that they stand for.
//!
//! Finding a command by what was typed is here too; doing it is left to `work`.

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `run`
    Run,
    /// `start`
    Start,
    /// `restart`
    Restart,
    /// `attach`
    Attach,
    /// `detach`
    Detach,
    /// `kill`
    Kill,
    /// `stdin`
    Stdin,
    /// `continue`
    Continue,
    /// `step`
    Step,
    /// `next`
    Next,
    /// `finish`
    Finish,
    /// `until`
    Until,
    /// `stepi`
    StepInstruction,
    /// `nexti`
    NextInstruction,
    /// `into`
    IntoCall,
    /// `jump`
    Jump,
    /// `back`
    Back,
    /// `reverse-continue`
    ReverseContinue,
    /// `record`
    Record,
    /// `restart-frame`
    RestartFrame,
    /// `alone`
    Alone,
    /// `pause`
    Pause,
    /// `wait`
    Wait,
    /// `break`
    Break,
    /// `tbreak`
    TemporaryBreak,
    /// `logpoint`
    Logpoint,
    /// `watchpoint`
    Watchpoint,
    /// `rwatch`
    ReadWatchpoint,
    /// `awatch`
    AccessWatchpoint,
    /// `catch`
    Catch,
    /// `delete`
    Delete,
    /// `disable`
    Disable,
    Condition,
    /// `enable`
    Enable,
    /// `bt`
    Backtrace,
    /// `up`
    Up,
    /// `down`
    Down,
    /// `frame`
    Frame,
    /// `locals`
    Locals,
    /// `list`
    List,
    /// `print`
    Print,
    /// `data`
    Data,
    /// `records`
    Records,
    /// `eval`
    Eval,
    Type,
    /// `set`
    Set,
    /// `declared`
    Declared,
    /// `watch`
    Watch,
    /// `unwatch`
    Unwatch,
    /// `x`
    Examine,
    /// `write`
    Write,
    /// `disas`
    Disassemble,
    /// `hex`
    Hex,
    /// `places`
    Places,
    /// `threads`
    Threads,
    /// `hang`
    Hang,
    /// `session`
    Session,
    /// `thread`
    Thread,
    /// `end-thread`
    EndThread,
    /// `cancel`
    Cancel,
    /// `info`
    Info,
    /// `source`
    Source,
    /// `help`
    Help,
    /// `quit`
    Quit,
}

/// A heading of the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Starting and ending.
    Program,
    Going,
    Stops,
    Looking,
    /// The debugger itself.
    Debugger,
}

impl Group {
    /// In the order of the overview.
    pub const ALL: [Self; 5] = [
        Self::Program,
        Self::Going,
        Self::Stops,
        Self::Looking,
        Self::Debugger,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Program => "The program",
            Self::Going => "Going on",
            Self::Stops => "Where to stop",
            Self::Looking => "Looking",
            Self::Debugger => "The debugger",
        }
    }
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

macro_rules! row {
    ($group:ident $verb:ident $name:literal [$($short:literal)*] $args:literal $help:literal $more:literal
     [$($action:literal)*] $repeats:literal $completes:ident) => {
        Row {
            verb: Verb::$verb,
            group: Group::$group,
            name: $name,
            short: &[$($short),*],
            args: $args,
            help: $help,
            more: $more,
            actions: &[$($action),*],
            repeats: $repeats,
            completes: Completes::$completes,
        }
    };
}

/// All of them.
pub const COMMANDS: &[Row] = &[
    row!(Program Run "run" ["r"] "[ARGS]" "Starts the program, from its beginning when it runs already."
        "ARGS replace what the program was given before. It runs until a breakpoint, an exception or its end. With & at the end the prompt comes back at once."
        ["launch"] false Nothing),
    row!(Program Start "start" [] "[ARGS]" "Starts the program and stops at its first line." "" ["launch"] false Nothing),
    row!(Program Restart "restart" ["rerun"] "" "Ends the program and starts it again in the same way." "" [] false Nothing),
    row!(Program Attach "attach" ["at"] "PID | [HOST:]PORT" "Attaches to a process, or to a debug server's port."
        "A number is a process id; :PORT and HOST:PORT are a debug server." ["attach"] false Nothing),
    row!(Program Detach "detach" ["det"] "" "Lets go of the program and leaves it running." "" [] false Nothing),
    row!(Program Kill "kill" ["k"] "" "Ends the program; one that was attached to is left running." "" ["terminate"] false Nothing),
    row!(Program Stdin "stdin" ["input"] "TEXT" "Gives the program a line on its standard input."
        "While the program runs in front of the prompt, what is typed goes there by itself, where its input is ours (--console pty or pipe)."
        [] false Nothing),
    row!(Going Continue "continue" ["c" "cont"] "[&]" "Lets the program run on until it stops or ends."
        "Ctrl-C makes it stop. With & the prompt comes back at once." ["continue"] true Nothing),
    row!(Going Step "step" ["s"] "[N] [&]" "Goes to the next line, into calls." "N times." ["step_in"] true Nothing),
    row!(Going Next "next" ["n"] "[N] [&]" "Goes to the next line, over calls." "N times." ["step_over"] true Nothing),
    row!(Going Finish "finish" ["fin" "return" "gu"] "[&]" "Runs until the selected function returns." "" ["step_out"] true Nothing),
    row!(Going Until "until" ["unt" "advance"] "[LINE | FILE:LINE] [&]" "Runs until that line is reached; without one, to a line further down (out of a loop)."
        "" [] true Place),
    row!(Going StepInstruction "stepi" ["si"] "[N]" "Goes one machine instruction on, into calls." "" ["step_in"] true Nothing),
    row!(Going NextInstruction "nexti" ["ni"] "[N]" "Goes one machine instruction on, over calls." "" ["step_over"] true Nothing),
    row!(Going IntoCall "into" ["stepinto"] "[N | NAME] [&]" "Steps into one of the calls of the line; without one lists them." "" ["step_in"] false Nothing),
    row!(Going Jump "jump" ["j"] "LINE | FILE:LINE" "Lets the program go on from another line, and runs nothing in between." "" [] false Place),
    row!(Going Back "back" ["rn" "reverse-next"] "[N] [&]" "Goes to the line before, over calls." "The adapter must be able to, or what the program did must have been kept: record." [] true Nothing),
    row!(Going ReverseContinue "reverse-continue" ["rc"] "[&]" "Runs backwards to the breakpoint before, or to where recording began." "" [] true Nothing),
    row!(Going Record "record" ["rec"] "[on | off]" "Keeps what the program does from here on, so that it can be run backwards." "For debuggers that have it as a command of their own (GDB)." [] false Nothing),
    row!(Going RestartFrame "restart-frame" ["rf"] "[&]" "Begins the call of the selected frame anew." "" [] false Nothing),
    row!(Going Alone "alone" ["single-thread"] "[on | off]" "Lets only the selected thread run, or all." "" [] false Nothing),
    row!(Going Pause "pause" ["interrupt"] "" "Makes a running program stop, as Ctrl-C does." "" ["pause"] false Nothing),
    row!(Going Wait "wait" [] "" "Waits until a program that runs behind the prompt stops or ends." "" [] false Nothing),
    row!(Stops Break "break" ["b" "br"] "[PLACE] [mode MODE] [if CONDITION]" "Sets a breakpoint; without a place at the present line."
        "PLACE is file:line, a line of the present file, a function's name, +N or -N lines from here, or *ADDRESS. file:line?condition#N stops at the N-th hit on which the condition holds. MODE is one of the adapter's (hardware, software), or letters of it (hw)."
        ["set_breakpoint" "set_instruction_breakpoint"] false Place),
    row!(Stops TemporaryBreak "tbreak" ["tb"] "[PLACE] [if CONDITION]" "Sets a breakpoint that is removed when it is hit." "" ["set_breakpoint"] false Place),
    row!(Stops Logpoint "logpoint" ["lp" "dprintf"] "FILE:LINE|TEXT" "Prints TEXT, with {expressions} in it, whenever the line is reached."
        "LINE|TEXT is a line of the present file." ["set_breakpoint"] false Place),
    row!(Stops Watchpoint "watchpoint" ["wp"] "EXPR [mode MODE]" "Stops when the value is changed." "The adapter must offer data breakpoints. *ADDRESS [BYTES] watches memory, one byte unless said otherwise."
        ["data_breakpoint_info" "set_data_breakpoint"] false Expression),
    row!(Stops ReadWatchpoint "rwatch" ["rw"] "EXPR" "Stops when the value is read." "" ["set_data_breakpoint"] false Expression),
    row!(Stops AccessWatchpoint "awatch" ["aw"] "EXPR" "Stops when the value is read or changed." "" ["set_data_breakpoint"] false Expression),
    row!(Stops Catch "catch" [] "[FILTER… [mode MODE] | off | default]" "Chooses the exceptions to stop at."
        "Without a filter: shows which there are. `off` stops at none, `default` leaves it to the adapter." [] false Nothing),
    row!(Stops Delete "delete" ["del" "cl" "clear"] "[N…]" "Removes breakpoints; all of them without a number."
        "" ["remove_breakpoint" "remove_instruction_breakpoint" "remove_data_breakpoint"] false Breakpoint),
    row!(Stops Disable "disable" ["dis"] "[N…]" "Switches breakpoints off, and keeps them." "" [] false Breakpoint),
    row!(Stops Enable "enable" ["en"] "[N…]" "Switches breakpoints on again." "" [] false Breakpoint),
    row!(Stops Condition "condition" ["cond"] "N [EXPR]" "Makes a breakpoint stop only where EXPR is true; without one, always." "" [] false Breakpoint),
    row!(Looking Backtrace "bt" ["backtrace" "where" "w"] "[N]" "Shows the stack, the innermost N frames of it." "" ["stack_trace"] false Nothing),
    row!(Looking Up "up" ["u"] "[N]" "Selects the frame that called this one." "" [] true Nothing),
    row!(Looking Down "down" ["d"] "[N]" "Selects the frame that this one called." "" [] true Nothing),
    row!(Looking Frame "frame" ["f"] "[N]" "Selects frame N; without it shows where one is." "" ["scopes"] false Nothing),
    row!(Looking Locals "locals" ["lo"] "" "Shows the variables of the selected frame." "" ["scopes" "variables"] false Nothing),
    row!(Looking List "list" ["l"] "[LINE | FILE:LINE | FUNCTION | .]" "Shows source; again: what follows; `.` goes back to where the program stands." "" [] true Place),
    row!(Looking Print "print" ["p" "pp" "inspect"] "[/DEPTH] EXPR" "Evaluates an expression and shows its value, opened DEPTH levels deep." "" ["evaluate" "variables"] false Expression),
    row!(Looking Data "data" [] "EXPR [--as table|stats|series|text] [--rows 0..50] [--sort NAME] [--filter TEXT]" "Shows a value as data, a page at a time."
        "Programs in Python and JavaScript make the page themselves. `-NAME` sorts from the largest to the smallest; a filter is `price > 10 and name ~ ada`." [] false Expression),
    row!(Looking Records "records" [] "[--as table|stats|series] [--rows 0..50] [--sort NAME] [--filter TEXT]" "Shows what breakpoints and logpoints recorded, a page at a time." "" [] false Nothing),
    row!(Looking Eval "eval" ["e" "call"] "CODE" "Evaluates an expression or, where the language allows it, a statement, and shows the adapter's answer as it is." "" ["evaluate"] false Expression),
    row!(Looking Type "whatis" ["ptype"] "EXPR" "Shows the type of an expression's value." "" ["evaluate"] false Expression),
    row!(Looking Declared "declared" ["decl" "definition"] "EXPR" "Shows where a value (a function, a class) is declared, and the variable that holds it." "Where the adapter tells it." ["evaluate"] false Expression),
    row!(Looking Set "set" [] "NAME = VALUE" "Changes a variable." "" ["evaluate"] false Expression),
    row!(Looking Watch "watch" ["display" "disp"] "EXPR" "Shows an expression at every stop where its value changed."
        "To stop when a value changes: watchpoint." ["evaluate"] false Expression),
    row!(Looking Unwatch "unwatch" ["undisplay"] "[N…]" "Removes watch expressions; all of them without a number." "" [] false Nothing),
    row!(Looking Examine "x" ["examine"] "[/NFU] ADDRESS" "Shows memory: N units, in format F (x d u o t c s i), of size U (b h w g)."
        "ADDRESS is a number or an expression. Without arguments: what follows." ["read_memory"] true Expression),
    row!(Looking Write "write" ["poke"] "ADDRESS BYTES" "Changes memory." "BYTES are two hexadecimal digits each (de ad), or \"text\"; ADDRESS is a number or a word that points there."
        ["write_memory"] false Expression),
    row!(Looking Hex "hex" [] "[on | off]" "Lets the adapter write numbers in hexadecimal, or not." "" [] false Nothing),
    row!(Looking Places "places" [] "[FILE]" "Shows at which lines of a file a breakpoint can be." "" [] false File),
    row!(Looking Disassemble "disas" ["disassemble"] "[/N] [ADDRESS]" "Shows N machine instructions from the selected frame's place on, or from an address." "" ["disassemble"] false Expression),
    row!(Looking Threads "threads" ["thr"] "" "Lists the threads." "" ["threads"] false Nothing),
    row!(Looking Hang "hang" ["deadlock"] "" "Shows why the program hangs: threads by equal stacks, who waits for whom, who is busy." "A program that runs is stopped for it, and goes on." [] false Nothing),
    row!(Looking Session "session" ["sess"] "[N]" "Looks at another process's session; without a number lists them as a tree." "" ["sessions"] false Nothing),
    row!(Looking Thread "thread" ["t"] "[ID]" "Selects a thread; without one shows which it is." "" ["threads"] false Nothing),
    row!(Looking EndThread "end-thread" [] "ID" "Ends a thread." "" [] false Nothing),
    row!(Looking Cancel "cancel" [] "[ID]" "Has the adapter give up what it is busy with, or a request that it has not answered for long."
        "info progress and info requests show them, with what to write as ID; without one all are meant." [] false Nothing),
    row!(Looking Info "info" ["i"] "TOPIC" "Shows breakpoints, threads, sources, modules, watch, session, frame, locals, exceptions, registers, progress, requests or time." "" ["modules" "loaded_sources" "sessions" "threads"] false Topic),
    row!(Debugger Source "source" [] "FILE" "Does the commands of a file." "" [] false File),
    row!(Debugger Help "help" ["h" "?"] "[COMMAND]" "Shows all commands, or one." "" [] false Command),
    row!(Debugger Quit "quit" ["q" "exit"] "" "Ends the program, unless it was attached to, and the debugger." "" ["terminate"] false Nothing),
];

/// Why a word is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCommand {
    /// Nothing begins with it.
    #[error("{word:?} is no command{}; help lists them, p EXPR evaluates", near.map_or_else(String::new, |n| format!(" (did you mean {n}?)")))]
    None {
        /// As typed.
        word: String,
        /// What is spelled almost like it.
        near: Option<&'static str>,
    },
    /// Several begin with it.
    #[error("{word:?} could be {}: write more of it", names.join(", "))]
    Several {
        /// As typed.
        word: String,
        /// Those.
        names: Vec<&'static str>,
    },
}

/// The command that is meant: by name, short form, or the beginning of one name alone.
pub fn find(word: &str) -> Result<&'static Row, UnknownCommand> {
    if let Some(row) = COMMANDS
        .iter()
        .find(|r| r.name == word || r.short.contains(&word))
    {
        return Ok(row);
    }
    let begin: Vec<&'static Row> = COMMANDS
        .iter()
        .filter(|r| !word.is_empty() && spellings(r).any(|s| s.starts_with(word)))
        .collect();
    match begin.as_slice() {
        [one] => Ok(one),
        [] => Err(UnknownCommand::None {
            word: word.to_owned(),
            near: nearest(word),
        }),
        several => Err(UnknownCommand::Several {
            word: word.to_owned(),
            names: several.iter().map(|r| r.name).collect(),
        }),
    }
}

/// Every way to write a command.
pub fn spellings(row: &Row) -> impl Iterator<Item = &'static str> {
    std::iter::once(row.name).chain(row.short.iter().copied())
}

/// The name that is at most two slips of the hand away.
fn nearest(word: &str) -> Option<&'static str> {
    let word: String = word.chars().take(40).collect();
    COMMANDS
        .iter()
        .map(|r| r.name)
        .filter(|name| name.len() > 2)
        .map(|name| (strsim::damerau_levenshtein(name, &word), name))
        .filter(|(slips, name)| *slips <= 2 && *slips * 2 < name.len())
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const ACTIONS: &[&str] = &[
        "launch",
        "attach",
        "set_breakpoint",
        "remove_breakpoint",
        "set_instruction_breakpoint",
        "remove_instruction_breakpoint",
        "data_breakpoint_info",
        "set_data_breakpoint",
        "remove_data_breakpoint",
        "continue",
        "step_over",
        "step_in",
        "step_out",
        "pause",
        "evaluate",
        "stack_trace",
        "threads",
        "scopes",
        "variables",
        "disassemble",
        "read_memory",
        "write_memory",
        "modules",
        "loaded_sources",
        "custom_request",
        "output",
        "terminate",
        "sessions",
    ];

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
                assert!(ACTIONS.contains(action), "{}: {action}", row.name);
            }
            assert_eq!(find(row.name).unwrap().verb, row.verb);
        }
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
        let told = find("contineu").unwrap_err().to_string();
        assert!(told.contains("continue"), "{told}");
        let told = find("total").unwrap_err().to_string();
        assert!(told.contains("p EXPR"), "{told}");
        let told = find("st").unwrap_err().to_string();
        assert!(told.contains("step") && told.contains("start"), "{told}");
    }
}
