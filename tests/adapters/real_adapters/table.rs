//! The matrix as data: its columns (an adapter with a program of one language), its rows (scenarios), and every cell that is left
//! out, with the reason. `mod` makes the tests of it, `tests/desk/readme.rs` the table in `docs/adapters.md`.

/// The columns: the rig's name, and what stands above it.
pub const COLUMNS: &[(&str, &str)] = &[
    ("debugpy", "debugpy<br>Python"),
    ("lldb_c", "lldb-dap<br>C"),
    ("lldb_rust", "lldb-dap<br>Rust"),
    ("lldb_command_line", "lldb<br>C"),
    ("gdb", "gdb<br>C"),
    ("codelldb", "codelldb<br>C"),
    ("dlv", "dlv<br>Go"),
    ("js_debug", "js-debug<br>JavaScript"),
    ("typescript", "js-debug<br>TypeScript"),
    ("bash_dap", "bash-dap<br>bash"),
    ("rdbg", "rdbg<br>Ruby"),
];

/// Hands the scenarios that start a program of their own to a macro: `file::function = "what the table calls it",`.
macro_rules! alone {
    ($then:ident $($first:tt)*) => {
        $then! { $($first)*
            life::exit_codes = "runs to its end, exit code",
            life::stop_on_entry = "stops at the entry",
            life::what_cannot_be_debugged = "no program, a folder, a text: said before it starts",
            life::environment = "arguments with spaces, environment, folder",
            life::unicode_paths = "folders with spaces and ü",
            life::restart = "restart",
            life::terminate_ends_it = "end",
            life::detach_leaves_it_running = "detach from what was started",
            reach::attach_by_pid = "attach by process id, detach",
            reach::attach_by_port = "attach by port",
            reach::core_dump = "core dump",
            reach::child_processes = "child processes",
            reach::exec = "a program that replaces itself",
            moves::steps = "breakpoint, step over",
            moves::step_out = "step out",
            moves::step_in = "step in",
            moves::step_in_target = "step into a chosen call",
            moves::instruction_steps = "step by instruction",
            moves::pause_and_run_to = "pause, run to a line",
            moves::jump = "jump to a line",
            moves::step_back = "step back",
            moves::restart_frame = "restart a frame",
            moves::threads = "threads",
            breakpoints::condition = "condition",
            breakpoints::hit_count = "hit count",
            breakpoints::log_point = "logpoint",
            breakpoints::function_breakpoint = "function breakpoint",
            breakpoints::instruction_breakpoint = "instruction breakpoint",
            breakpoints::data_breakpoint = "data breakpoint",
            breakpoints::failures_stop = "uncaught exception, crash",
            breakpoints::caught_exceptions = "caught exception",
            breakpoints::exception_condition = "exception with a condition",
            streams::long_output = "3,000 lines of output",
            streams::input_from_a_file = "input from a file",
            streams::console_on_a_pipe = "input typed, a pipe",
            streams::console_on_a_terminal = "input typed, a terminal",
            values::set_variable = "change a variable",
        }
    };
}

/// Those that look at one stop, one after the other, and leave it as it was.
macro_rules! at_a_stop {
    ($then:ident $($first:tt)*) => {
        $then! { $($first)*
            values::evaluate = "evaluate, watch, errors",
            values::evaluate_in_frames = "evaluate in a caller",
            values::unicode_values = "text with ö and ß",
            values::long_list = "pages of a long list",
            values::hexadecimal = "hexadecimal",
            values::completions = "completions",
            machine::disassembly = "disassembly",
            machine::registers = "registers",
            machine::memory = "read and write memory",
            lists::modules = "modules",
            lists::loaded_sources = "loaded sources",
            lists::source_text = "text of sources",
            lists::breakpoint_locations = "where breakpoints can be",
            lists::what_it_lacks_is_said = "what it lacks is said, not tried",
        }
    };
}

macro_rules! titles {
    ($list:ident: $($file:ident::$name:ident = $title:literal,)*) => {
        /// The rows: a scenario's name, and what the table calls it.
        pub const $list: &[(&str, &str)] = &[$((stringify!($name), $title)),*];
    };
}

alone!(titles ALONE:);
at_a_stop!(titles AT_A_STOP:);

/// Something that an adapter says it can do, or we know of it from its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    AttachByPid,
    AttachByPort,
    BreakpointLocations,
    Completions,
    DataBreakpoints,
    DetachOfLaunched,
    Disassembly,
    ExceptionConditions,
    ExceptionFilters,
    FunctionBreakpoints,
    Hexadecimal,
    InputFile,
    InstructionBreakpoints,
    InstructionSteps,
    Jump,
    LoadedSources,
    Memory,
    Modules,
    RestartFrame,
    SetVariable,
    StepBack,
    StepInTargets,
}

/// Why a cell is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The adapter does not say that it can: held true by `what_it_lacks_is_said`.
    Lacks(Ability),
    /// The adapter, or the debugger below it, does not do it or does it wrongly: what was seen.
    Upstream(&'static str),
    /// The language has no such thing: there is nothing that could be tried.
    Language(&'static str),
    /// A part that cannot be had here.
    NotHere(&'static str),
    /// It works most of the time, so that a try says nothing.
    Unsteady(&'static str),
}

const C: &[&str] = &["lldb_c", "lldb_command_line", "gdb", "codelldb"];
const LLDB_DAP: &[&str] = &["lldb_c", "lldb_rust"];
const NATIVE: &[&str] = &[
    "lldb_c",
    "lldb_rust",
    "lldb_command_line",
    "gdb",
    "codelldb",
    "dlv",
];
const NODE: &[&str] = &["js_debug", "typescript"];
const SCRIPTS: &[&str] = &["debugpy", "js_debug", "typescript", "bash_dap", "rdbg"];
const NO_TERMINAL: &[&str] = &["lldb_command_line", "gdb", "dlv", "rdbg"];

const NO_CHILDREN: Skip = Skip::Upstream("it asks for no sessions of child processes");
const NO_EXCEPTIONS: Skip = Skip::Language("the language has no exceptions that are caught");
const NO_MACHINE: Skip = Skip::Language("what runs are no instructions of the machine");
const NO_HELPER: Skip = Skip::NotHere(
    "codelldb-launch, with which CodeLLDB asks for a terminal, is missing from the npm package",
);
const ASKS_FOR_NONE: Skip = Skip::Upstream("it never asks for a terminal");

/// Every cell that is left out: the scenario, the rigs, why.
pub const SKIPS: &[(&str, &[&str], Skip)] = &[
    (
        "detach_leaves_it_running",
        &["debugpy", "gdb", "dlv", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::DetachOfLaunched),
    ),
    (
        "attach_by_pid",
        NODE,
        Skip::Upstream("js-debug's server opens no inspector in a process that has none"),
    ),
    (
        "attach_by_pid",
        &["bash_dap", "rdbg"],
        Skip::Lacks(Ability::AttachByPid),
    ),
    (
        "attach_by_port",
        &["bash_dap"],
        Skip::Lacks(Ability::AttachByPort),
    ),
    (
        "attach_by_port",
        &["lldb_command_line"],
        Skip::Unsteady(
            "it attaches, and under load the first stack may be that of the stop before",
        ),
    ),
    (
        "attach_by_port",
        &["codelldb"],
        Skip::Upstream(
            "CodeLLDB tells twice of the stop in which a debug server holds a program, and first of all of that one",
        ),
    ),
    ("core_dump", SCRIPTS, NO_MACHINE),
    ("child_processes", NATIVE, NO_CHILDREN),
    ("child_processes", &["bash_dap", "rdbg"], NO_CHILDREN),
    (
        "exec",
        NODE,
        Skip::Language("Node before 23.11 cannot replace its process"),
    ),
    (
        "exec",
        &["bash_dap", "rdbg", "dlv"],
        Skip::Upstream("what the program becomes is not followed"),
    ),
    (
        "step_out",
        &["rdbg"],
        Skip::Upstream("rdbg stops at the end of the method, not behind the call"),
    ),
    (
        "step_in_target",
        NODE,
        Skip::Upstream("js-debug says that it can, and names no calls of a line that has one"),
    ),
    (
        "step_in_target",
        &["lldb_command_line", "gdb", "dlv", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::StepInTargets),
    ),
    (
        "instruction_steps",
        SCRIPTS,
        Skip::Lacks(Ability::InstructionSteps),
    ),
    (
        "instruction_steps",
        LLDB_DAP,
        Skip::Lacks(Ability::InstructionSteps),
    ),
    ("jump", LLDB_DAP, Skip::Lacks(Ability::Jump)),
    (
        "jump",
        &[
            "lldb_command_line",
            "gdb",
            "dlv",
            "js_debug",
            "typescript",
            "bash_dap",
            "rdbg",
        ],
        Skip::Lacks(Ability::Jump),
    ),
    (
        "step_back",
        &[
            "debugpy",
            "lldb_c",
            "lldb_rust",
            "lldb_command_line",
            "codelldb",
            "dlv",
            "js_debug",
            "typescript",
            "bash_dap",
        ],
        Skip::Lacks(Ability::StepBack),
    ),
    (
        "step_back",
        &["rdbg"],
        Skip::Upstream("rdbg 1.4 says that it can, and answers `cancelled`"),
    ),
    (
        "restart_frame",
        &["debugpy", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::RestartFrame),
    ),
    ("restart_frame", NATIVE, Skip::Lacks(Ability::RestartFrame)),
    (
        "threads",
        &["js_debug", "typescript", "bash_dap"],
        Skip::Language("programs have one thread"),
    ),
    (
        "threads",
        &["rdbg"],
        Skip::Upstream("rdbg has no stack of a thread that did not stop by itself"),
    ),
    (
        "attach_by_port",
        &["rdbg"],
        Skip::Upstream(
            "rdbg 1.4 keeps breakpoints, and stops at one when nobody is there any more",
        ),
    ),
    (
        "exception_condition",
        &["rdbg"],
        Skip::Upstream("rdbg 1.4 stops at every exception, whatever the condition says"),
    ),
    (
        "function_breakpoint",
        &["rdbg"],
        Skip::Upstream("rdbg 1.4 takes them and never stops at one"),
    ),
    (
        "function_breakpoint",
        NODE,
        Skip::Lacks(Ability::FunctionBreakpoints),
    ),
    (
        "instruction_breakpoint",
        SCRIPTS,
        Skip::Lacks(Ability::InstructionBreakpoints),
    ),
    (
        "instruction_breakpoint",
        LLDB_DAP,
        Skip::Lacks(Ability::InstructionBreakpoints),
    ),
    (
        "data_breakpoint",
        SCRIPTS,
        Skip::Lacks(Ability::DataBreakpoints),
    ),
    (
        "data_breakpoint",
        &["lldb_command_line", "dlv"],
        Skip::Lacks(Ability::DataBreakpoints),
    ),
    ("failures_stop", &["bash_dap"], NO_EXCEPTIONS),
    (
        "failures_stop",
        &["rdbg"],
        Skip::Upstream("it stops where an exception is raised, caught or not"),
    ),
    ("caught_exceptions", C, NO_EXCEPTIONS),
    ("caught_exceptions", &["lldb_rust"], NO_EXCEPTIONS),
    (
        "caught_exceptions",
        &["dlv", "bash_dap"],
        Skip::Lacks(Ability::ExceptionFilters),
    ),
    ("exception_condition", C, NO_EXCEPTIONS),
    ("exception_condition", &["lldb_rust"], NO_EXCEPTIONS),
    (
        "exception_condition",
        &["debugpy", "dlv", "bash_dap"],
        Skip::Lacks(Ability::ExceptionConditions),
    ),
    (
        "input_from_a_file",
        &["gdb", "codelldb", "dlv", "rdbg"],
        Skip::Lacks(Ability::InputFile),
    ),
    ("console_on_a_pipe", &["codelldb"], NO_HELPER),
    ("console_on_a_pipe", NO_TERMINAL, ASKS_FOR_NONE),
    (
        "console_on_a_terminal",
        &["lldb_command_line", "dlv", "rdbg"],
        ASKS_FOR_NONE,
    ),
    (
        "set_variable",
        &["bash_dap"],
        Skip::Lacks(Ability::SetVariable),
    ),
    (
        "long_list",
        &["debugpy"],
        Skip::Upstream("debugpy gives the first hundred elements, whichever are asked for"),
    ),
    (
        "long_list",
        &["codelldb"],
        Skip::Upstream(
            "CodeLLDB lists elements from the first until its time is up, whichever are asked for",
        ),
    ),
    (
        "hexadecimal",
        &["lldb_command_line", "codelldb", "dlv", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::Hexadecimal),
    ),
    (
        "completions",
        &["lldb_command_line", "dlv", "bash_dap"],
        Skip::Lacks(Ability::Completions),
    ),
    ("disassembly", SCRIPTS, Skip::Lacks(Ability::Disassembly)),
    ("registers", SCRIPTS, NO_MACHINE),
    (
        "memory",
        &["debugpy", "lldb_c", "lldb_rust", "dlv", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::Memory),
    ),
    (
        "modules",
        &["dlv", "js_debug", "typescript", "bash_dap", "rdbg"],
        Skip::Lacks(Ability::Modules),
    ),
    (
        "loaded_sources",
        &[
            "debugpy",
            "lldb_c",
            "lldb_rust",
            "lldb_command_line",
            "codelldb",
            "dlv",
            "bash_dap",
            "rdbg",
        ],
        Skip::Lacks(Ability::LoadedSources),
    ),
    (
        "breakpoint_locations",
        &[
            "debugpy",
            "lldb_c",
            "lldb_rust",
            "lldb_command_line",
            "codelldb",
            "dlv",
            "bash_dap",
            "rdbg",
        ],
        Skip::Lacks(Ability::BreakpointLocations),
    ),
];

/// What an adapter does with a process, whatever its language: no place in a source and no name of a value takes part in it. Every change
/// runs these on one language of each adapter, and `OMP_DEBUG_FULL_MATRIX=1` on the other one too.
pub const PROCESS_ALONE: &[&str] = &[
    "exit_codes",
    "what_cannot_be_debugged",
    "environment",
    "terminate_ends_it",
    "detach_leaves_it_running",
    "attach_by_pid",
    "attach_by_port",
    "exec",
    "long_output",
    "input_from_a_file",
    "console_on_a_pipe",
    "console_on_a_terminal",
];

/// Rigs of an adapter that another one has too, beside that one.
pub const OTHER_LANGUAGES: &[(&str, &str)] = &[("lldb_rust", "lldb_c"), ("typescript", "js_debug")];

/// The rig that runs this cell at every change in place of this one.
pub fn stand_in(rig: &str, scenario: &str) -> Option<&'static str> {
    let mut others = OTHER_LANGUAGES.iter();
    let (_, other) = others.find(|(name, _)| *name == rig)?;
    PROCESS_ALONE.contains(&scenario).then_some(*other)
}

/// Why this cell is left out, if it is.
pub fn skip(rig: &str, scenario: &str) -> Option<Skip> {
    let (_, _, skip) = SKIPS
        .iter()
        .find(|(name, rigs, _)| *name == scenario && rigs.contains(&rig))?;
    Some(*skip)
}

/// The abilities that a rig's adapter lacks.
pub fn lacks(rig: &str) -> impl Iterator<Item = (&'static str, Ability)> {
    SKIPS
        .iter()
        .filter_map(move |(name, rigs, skip)| match skip {
            Skip::Lacks(ability) if rigs.contains(&rig) => Some((*name, *ability)),
            _ => None,
        })
}
