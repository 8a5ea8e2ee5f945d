//! What makes one adapter different from the next, as data.
//!
//! Every field absorbs one habit that was seen in a trace of a real adapter. The session reads these fields and
//! never an adapter's name. How a launch or an attach is spelled lives in [`LaunchShape`] and [`AttachShape`].

use super::{
    command_line::{Reverse, Shows},
    data_stops::DataStops,
    shape::{AttachShape, LaunchShape},
};
use dap::types::Breakpoint as AdapterBreakpoint;

use crate::{
    data::code::Language,
    exceptions,
    pattern::{Pattern, Patterns, reworded},
    prelude::*,
    previews::path,
};

/// The habits of one adapter. The default describes an adapter that keeps to the protocol, which is also what
/// an adapter of a user's file starts from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Personality {
    /// How a launch is spelled.
    pub launch: LaunchShape,
    /// How an attach is spelled.
    pub attach: AttachShape,
    /// The adapter holds the debuggee by ptrace: while it is attached with breakpoints inserted it must never be
    /// killed hard, or the debuggee dies of SIGTRAP on a left-over breakpoint.
    pub ptrace: bool,
    /// Added to the number of a hit condition before it is sent: an adapter that takes an ignore count stops at
    /// hit N + 1 when told N, so it has -1 here. See [`Personality::hit_condition`].
    pub hit_condition_offset: i64,
    /// A hit condition beside a condition is another stop (debugpy), or nothing (js-debug).
    pub counts_alone: bool,
    /// A hit condition is how many hits it passes over: of a number it stops at each hit behind that one as well, of anything else at each.
    pub ignores_hits: bool,
    /// `cancel` interrupts whatever it evaluates next, and never what it evaluates: it is sent none.
    pub cancels_what_is_next: bool,
    /// A command of its own, to be sent after breakpoints at lines: it would stop at each location that a line has.
    pub after_lines: Option<String>,
    /// Of several threads that stop at the same moment it tells of one: an expression for all of them, each with its breakpoint's number.
    pub threads_at_breakpoints: Option<String>,
    /// What its logpoints print has no line end.
    pub logs_without_newline: bool,
    /// What the text of a logpoint is to it.
    pub log_text: LogText,
    /// Our evaluate context to the one this adapter knows, for contexts that it rejects or reads too narrowly.
    /// See [`Personality::evaluate_context`].
    pub evaluate_contexts: BTreeMap<String, String>,
    /// `evaluate` in context `repl` takes debugger commands: `a + b` is an error there.
    pub repl_is_command: bool,
    /// Expressions that it takes in other words: a pattern, and the words, in which `$0` is what was written.
    pub expressions: Vec<(Pattern, String)>,
    /// What a person types that it takes in other words than what is evaluated at each stop: calls of functions.
    pub typed_expressions: Vec<(Pattern, String)>,
    /// Conditions that it takes in other words than expressions, likewise.
    pub conditions: Vec<(Pattern, String)>,
    /// Values that are shown in other words than its own, likewise; and threads, where there is little room for their names.
    pub values: Vec<(Pattern, String)>,
    pub thread_names: Vec<(Pattern, String)>,
    /// Values of Go are told with a type, a length or an address at each part.
    pub go_values: bool,
    /// Texts of successful `evaluate` results that are errors in truth.
    pub error_results: Patterns,
    /// Milliseconds to go on reading after `terminated`, because output still follows it; 50 when nothing is said.
    pub drain_after_terminated_ms: Option<u64>,
    /// Milliseconds the adapter is given to leave by itself after `disconnect`; past that it is ended. 2000 when nothing is said.
    pub exit_after_disconnect_ms: Option<u64>,
    /// A program that the adapter started ends when the adapter leaves, whatever `disconnect` asks for.
    pub ends_what_it_launched: bool,
    /// A program that stands goes on before the adapter ends it: it is killed, unless the configuration has this key.
    pub kill_at_stop_unless: Option<String>,
    /// A program that was attached to stays as it is when the adapter is left: halted if it was, with its breakpoints.
    pub stays_halted: bool,
    /// A program that a server holds, for which the configuration has this key, is left at a stop only, and lives on only after this
    /// command.
    pub leaves_server_by: Option<(String, String)>,
    /// Exception filters to switch on when nobody chose any; absent means those the adapter marks as default.
    pub default_exception_filters: Option<Vec<String>>,
    /// Exception filters that only programs with a runtime have.
    pub filters_of: BTreeMap<String, Vec<String>>,
    /// It debugs machine code: filters of ours go with those it has.
    pub own_filters: bool,
    /// How a function of Rust is named where the adapter does not find it by the end of its path.
    pub rust_functions: Option<FunctionName>,
    /// It knows functions by their own names, without those of the classes and modules that they are in.
    pub unqualified_functions: bool,
    /// Its answers to a list of function breakpoints come in an order of its own.
    pub unordered_functions: bool,
    /// Texts of a stop (`reason: description text`) that answer a pause request and are no exception, beside the reason `pause`.
    pub pause_reasons: Patterns,
    /// Of several breakpoints at one address it names one at each stop there, also where another one was met.
    pub names_one_hit: bool,
    /// A pause may be forgotten, as one right after the program was let run: milliseconds until it is asked for again; 0: never.
    pub pause_again_after_ms: u64,
    /// An attach is followed by a stop that nobody asked for, with the reason `attach`, `pause` or `entry`.
    pub attach_extra_stop: bool,
    /// The innermost frame of a thread has the same number at each stop.
    pub frame_numbers_stay: bool,
    /// A step that a breakpoint interrupts is finished when the program goes on.
    pub steps_outlast_stops: bool,
    /// What the adapter is known to write between the frames of the protocol; anything else there is warned of.
    pub between_frames: Patterns,
    /// Texts of a stop (`reason: description text`) that the adapter makes for itself before the first of ours; a launched program goes on.
    pub own_stops: Patterns,
    /// Texts of a stop (`reason: description text`) at a line's breakpoint, of an adapter that keeps those that were taken away.
    pub kept_stops: Patterns,
    /// Texts of a stop (`reason: description text`) at which a function returned that the debugger itself had called.
    pub call_stops: Patterns,
    /// Texts of a stop (`reason: description text`) that stands for a step that was refused, as another one is not over.
    pub refused_steps: Patterns,
    /// Values that are a reference's address, with what it refers to as the only part.
    pub reference_values: Patterns,
    /// Files of languages whose references it takes for plain pointers, which are shown as what they point to.
    pub plain_references: Patterns,
    /// Names of variables that are not the program's own: they are left out.
    pub made_variables: Patterns,
    /// Of values that have parts it often says no more than that: what they show in one line is made of their parts.
    pub previews: bool,
    /// What is evaluated once in a program that we launch, before its first line; `${asset:NAME}` is code of ours.
    pub at_start: Vec<String>,
    /// The same, when it is the program of a command that stops where a test fails.
    pub at_start_of_tests: Option<String>,
    /// The same, in a program that runs already when we come to it.
    pub at_attach: Vec<String>,
    /// Variables of the environment in which the adapter learns how many seconds an evaluation may take, as a part of our limit.
    pub eval_timeout_env: BTreeMap<String, f64>,
    /// Errors of an evaluation that the adapter gave up after that time.
    pub eval_given_up: Patterns,
    /// Stops at data breakpoints that the adapter reports as ones at a place, and by no number that it has told.
    pub data_stops: Option<DataStops>,
    /// The expression of a data breakpoint is the address to watch, not what is watched.
    pub data_expression_is_address: bool,
    /// A launch compiles the program first, which may take minutes.
    pub builds_program: bool,
    /// How the adapter asks for sessions of child processes.
    pub children: Children,
    /// The program runs in a child session; the first session never stops.
    pub program_in_child: bool,
    /// It tells of so many threads, and not of more.
    pub most_threads: Option<usize>,
    /// The adapter's process is the program: its exit code is the program's.
    pub adapter_is_program: bool,
    /// Text on the adapter's stdout that says its TCP server is up: who connects earlier may never be answered.
    pub banner: Option<String>,
    /// The banner's line ends with the port it listens on: it is told to choose one itself (port 0).
    pub banner_names_port: bool,
    /// What the program prints comes out of the adapter's own stdout and stderr, not as events.
    pub output_on_adapter_stdio: bool,
    /// Whole lines of the adapter's own between what the program prints: they are no output.
    pub noise: Patterns,
    /// Such lines are its runtime's, and come wherever the program prints.
    pub runtime_noise: bool,
    /// Conditions that its evaluator does not know are dropped in silence.
    pub drops_conditions: bool,
    /// Whole lines of the debugger's own that come as what the program printed: they are `console`.
    pub own_words: Patterns,
    /// What an exception is called that says that the program's input was at its end.
    pub end_of_input: Patterns,
    /// How the adapter begins to report a crash of its own while it leaves: from there on, what comes after the end of the
    /// session is not the program's.
    pub crash_report: Patterns,
    /// The exit code that it tells of a program that a signal ended.
    pub signal_exits: SignalExits,
    /// Texts in which an adapter that never sends `exited` tells the exit code, as the first group.
    pub exit_code_patterns: Vec<Pattern>,
    /// What the adapter prints when it cannot evaluate a breakpoint's condition: `why` is a group, and `condition` where it says which.
    pub condition_errors: Vec<Pattern>,
    /// Whether the condition of a breakpoint that was not placed yet means anything is told only when it is set again, once placed.
    pub resends_conditions_when_placed: bool,
    /// Requests beyond the protocol, with their arguments, that are sent before breakpoints are set.
    pub at_configuration: BTreeMap<String, Value>,
    /// How a value is assigned at the adapter's prompt, of `${target}` and `${value}`: for one that answers `setVariable` with
    /// success when the value could not be evaluated.
    pub assignment: Option<String>,
    /// What `${target}` is for a variable of a scope, by the scope's name, of `${name}`; in other scopes it is the variable's
    /// own expression.
    pub scope_targets: BTreeMap<String, String>,
    /// In a failed evaluation's text, the part worth a line as the first group; the rest is told on demand.
    pub error_summary: Option<Pattern>,
    /// In a value's text, the part that its row shows as the first group.
    pub value_summary: Option<Pattern>,
    /// The language in which the program can be asked for pages of its values.
    pub data: Option<Language>,
    /// What stands between the tracebacks of chained exceptions, the first cause first; each ends with `Type: message`.
    pub chained_tracebacks: Option<Pattern>,
    /// The condition of a filter under which an exception is of the type `${type}`; several are joined by `||`.
    pub type_condition: Option<String>,
    /// What the text of a stop says of an exception whose adapter tells no more: its `type`, and its `message`.
    pub exception_text: Option<Pattern>,
    /// At the end of functions' names, what a compiler added that no person wrote.
    pub name_suffix: Option<Pattern>,
    /// At their beginning, what an adapter adds and no person wrote.
    pub name_prefix: Option<Pattern>,
    /// How the frame of a file's own statements is called, where functions and modules stand among the variables.
    pub module_frame: Option<String>,
    /// Types of variables of such a frame that say nothing of what the program does: modules, functions.
    pub module_furniture: Vec<String>,
    /// The same in every frame: what the language brings along.
    pub furniture: Vec<String>,
    /// Put before an expression so that the adapter's command line completes it as one.
    pub completion_prefix: String,
    /// Expressions that tell why a program stopped: `signal` its number where a stop does not name it, `fault` the address of a memory
    /// fault, `stack` the stack pointer; in the frame where something is thrown, `thrown` its address and `thrown_type` that of its
    /// type; `panic` (or `panic_aarch64`) what a panic carries; in the frame where a test fails,
    /// `failure` the end of what it said, or, where that is shorter, `failure_whole` all of it. `prefix` stands before every expression.
    pub reasons: BTreeMap<String, String>,
    /// What the adapter says of an exception that has no text of its own.
    pub no_text: Patterns,
    /// The debugger runs programs backwards by commands of its own, without its adapter having requests for that.
    pub reverse: Option<Reverse>,
    /// Beginnings of commands of the debugger's own that show what its adapter has no requests for.
    pub shows: Option<Shows>,
    /// What to do about a breakpoint that is not placed, by the ending of its file (with the dot); `*` for any other.
    pub unverified_hints: BTreeMap<String, String>,
    /// Words for what the adapter says of breakpoints by a key of its own translations, where it does not translate.
    pub message_keys: BTreeMap<String, String>,
    /// What it says of a breakpoint when it counts the places, as the first group; placed nowhere, it calls it verified.
    pub location_counts: Option<Pattern>,
}

impl Personality {
    /// The context to send for an `evaluate` that we mean as `wanted`.
    pub fn evaluate_context<'a>(&'a self, wanted: &'a str) -> &'a str {
        self.evaluate_contexts
            .get(wanted)
            .map_or(wanted, String::as_str)
    }

    /// The context and text for what a person typed at the prompt: a leading `!` asks for the adapter's own
    /// command line, anything else is an expression.
    pub fn typed<'a>(&'a self, text: &'a str) -> (&'a str, &'a str) {
        match text.trim_start().strip_prefix('!') {
            Some(command) if self.repl_is_command => ("repl", command.trim_start()),
            _ if self.repl_is_command => (self.evaluate_context("watch"), text),
            _ => (self.evaluate_context("repl"), text),
        }
    }

    /// The part of it that says how values, frames and output are shown, and nothing that is asked or done.
    #[must_use]
    pub fn for_replay(&self) -> Self {
        let all = self.clone();
        Self {
            error_results: all.error_results,
            reference_values: all.reference_values,
            plain_references: all.plain_references,
            made_variables: all.made_variables,
            values: all.values,
            go_values: all.go_values,
            previews: all.previews,
            noise: all.noise,
            own_words: all.own_words,
            error_summary: all.error_summary,
            value_summary: all.value_summary,
            chained_tracebacks: all.chained_tracebacks,
            exception_text: all.exception_text,
            name_suffix: all.name_suffix,
            name_prefix: all.name_prefix,
            module_frame: all.module_frame,
            module_furniture: all.module_furniture,
            furniture: all.furniture,
            ..Self::default()
        }
    }

    /// The part of a function's name that the adapter knows it by, where that is not all of it.
    pub fn unqualified<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (_, bare) = name
            .rsplit_once('.')
            .filter(|_| self.unqualified_functions)?;
        Some(bare)
    }

    /// An expression as the adapter takes it.
    pub fn expression(&self, text: &str) -> String {
        reworded(text, &self.expressions)
    }

    /// A condition as the adapter takes it.
    pub fn condition(&self, text: &str) -> String {
        let own = Some(&self.conditions).filter(|rows| !rows.is_empty());
        reworded(text, own.unwrap_or(&self.expressions))
    }

    /// What the adapter can do, and does right: its exception filters marked as they hold here while nobody chose any, those and no others that can come
    /// of a program with these runtimes, and those of ours.
    pub fn with_our_defaults(
        &self,
        mut capabilities: Capabilities,
        runtimes: Option<&[&str]>,
    ) -> Capabilities {
        capabilities.supports_cancel_request &= !self.cancels_what_is_next;
        capabilities.supports_set_expression |= self.assignment.is_some();
        let filters = &mut capabilities.exception_breakpoint_filters;
        if let Some(ours) = &self.default_exception_filters {
            let on = ours
                .iter()
                .filter_map(|name| exceptions::offered_as(name, filters));
            let on: Vec<String> = on.map(str::to_owned).collect();
            for filter in filters
                .iter_mut()
                .filter(|f| !exceptions::is_own(&f.filter))
            {
                filter.default = Some(on.contains(&filter.filter));
            }
        }
        if let Some(runtimes) = runtimes {
            filters.retain(|offered| {
                let of = |(_, filters): &(_, &Vec<String>)| filters.contains(&offered.filter);
                let runtime = self.filters_of.iter().find(of);
                runtime.is_none_or(|(runtime, _)| runtimes.contains(&runtime.as_str()))
            });
            if self.own_filters {
                exceptions::add_own(filters, runtimes);
            }
        }
        capabilities
    }

    /// The condition of a breakpoint that a text says could not be evaluated, and why.
    /// Not every adapter says which one it was.
    pub fn broken_condition<'t>(&self, text: &'t str) -> Option<(Option<&'t str>, &'t str)> {
        self.condition_errors.iter().find_map(|pattern| {
            let found = pattern.captures(text)?;
            let part = |name| Some(found.name(name)?.as_str().trim());
            Some((part("condition"), part("why")?))
        })
    }

    /// The type and the text of an exception, where the text of a stop has them.
    pub fn said_of_exception(&self, text: &str) -> Option<(String, String)> {
        let said = self.exception_text.as_ref()?.captures(text)?;
        let part = |name: &str| said.name(name).map(|part| part.as_str().to_owned());
        part("type").zip(part("message"))
    }

    /// Whether a breakpoint with this condition would never stop, or always: it compares what is shown of a value, and not what is there.
    pub fn drops_condition(&self, condition: &str) -> bool {
        // A debugger of machine code compares addresses of texts, or does not know how.
        let path = path::parse(condition).filter(|_| self.previews);
        path.is_some_and(|path| {
            path.compares_text() || self.drops_conditions && path.decides() && path.is_ours()
        })
    }

    /// Whether what is assigned to is told by its name alone, so that an inner one of that name would be meant.
    pub fn assigns_by_name(&self, scope: Option<&str>) -> bool {
        let own = scope.is_some_and(|scope| self.scope_targets.contains_key(scope));
        self.assignment.is_some() && !own
    }

    /// What is typed at the adapter's prompt to assign to a variable, and the expression that has its value afterwards;
    /// `None` where the protocol's own request does.
    pub fn assigned(
        &self,
        scope: Option<&str>,
        name: &str,
        expression: Option<&str>,
        value: &str,
    ) -> Option<(String, String)> {
        let template = self.assignment.as_ref()?;
        let target = match scope.and_then(|scope| self.scope_targets.get(scope)) {
            Some(target) => target.replace("${name}", name),
            None => expression?.to_owned(),
        };
        // The value last: what it holds is the person's, and no place of ours.
        let typed = template
            .replace("${target}", &target)
            .replacen("${value}", value, 1);
        Some((typed, target))
    }

    /// A failed evaluation's text in short, and the whole of it when that is more.
    pub fn evaluation_error(&self, text: &str) -> (String, Option<String>) {
        match summary(self.error_summary.as_ref(), text) {
            Some(short) if short != text => {
                let lines: Vec<_> = short.lines().map(str::trim).collect();
                (lines.join(" "), Some(text.to_owned()))
            }
            _ => (text.to_owned(), None),
        }
    }

    /// Whether it is asked for the signal of a stop.
    pub fn asks_signal(&self) -> bool {
        self.reasons.contains_key("signal")
    }

    /// What the row of a value shows whose text says more.
    pub fn value_in_short(&self, text: &str) -> Option<String> {
        summary(self.value_summary.as_ref(), text)
    }

    /// The hit condition to send so that the adapter stops at the hit that was meant; what is no plain number passes unchanged.
    pub fn hit_condition(&self, meant: &str) -> String {
        match meant.trim().parse::<i64>() {
            Ok(hit) if self.hit_condition_offset != 0 => hit
                .saturating_add(self.hit_condition_offset)
                .max(0)
                .to_string(),
            _ => meant.to_owned(),
        }
    }

    /// What the adapter says of a breakpoint, without words in which it only counts the places.
    pub fn placed(&self, mut told: AdapterBreakpoint) -> AdapterBreakpoint {
        let said = told.message.as_deref();
        let count = summary(self.location_counts.as_ref(), said.unwrap_or_default());
        if let Some(count) = count {
            told.message = None;
            told.verified &= count != "0";
        }
        told
    }

    /// What an exception says, if it says anything.
    pub fn said(&self, text: Option<String>) -> Option<String> {
        text.filter(|text| !self.no_text.fit(text))
    }

    /// Whether a stop answers a pause request, judged by its [`stop_text`].
    pub fn is_pause(&self, stop: &str) -> bool {
        stop.starts_with("pause") || self.pause_reasons.fit(stop)
    }

    /// What the program printed, without the adapter's own lines.
    pub fn without_noise(&self, text: &str) -> String {
        text.split_inclusive('\n')
            .filter(|line| !self.noise.fit(line.trim_end()))
            .collect()
    }

    /// The same of a piece: `cut` tells, and is told, whether the end of a line that was left out has not come yet.
    pub fn piece_without_noise(&self, text: &str, cut: &mut bool) -> String {
        let rest = text.strip_prefix('\n').filter(|_| *cut).unwrap_or(text);
        let last = text.rsplit('\n').next().unwrap_or_default();
        *cut = self.without_noise(last) != last;
        self.without_noise(rest)
    }

    /// A function's name without what the compiler or the adapter added.
    pub fn plain_name<'n>(&self, name: &'n str) -> &'n str {
        let begin = self.name_prefix.as_ref().and_then(|p| p.find(name));
        let rest = begin.filter(|it| it.start() == 0 && it.end() < name.len());
        let name = rest.and_then(|it| name.get(it.end()..)).unwrap_or(name);
        let cut = self.name_suffix.as_ref().and_then(|s| s.find(name));
        cut.filter(|cut| cut.start() > 0)
            .and_then(|cut| name.get(..cut.start()))
            .unwrap_or(name)
    }

    /// Whether a variable of a frame is no more than a name that the file defines or imports.
    pub fn is_furniture(&self, frame: &str, variable: &str, type_name: Option<&str>) -> bool {
        let dunder = variable.len() > 4 && variable.starts_with("__") && variable.ends_with("__");
        let among = |types: &[String]| type_name.is_some_and(|t| types.iter().any(|f| f == t));
        let module = self.module_frame.as_deref() == Some(frame);
        among(&self.furniture) || module && (dunder || among(&self.module_furniture))
    }

    /// What the program printed, in order and apart from what the debugger said in between; true: the debugger's.
    pub fn apart(&self, text: String) -> Vec<(bool, String)> {
        let mut parts: Vec<(bool, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            let own = self.own_words.fit(line.trim_end());
            match parts.last_mut() {
                Some((last, part)) if *last == own => part.push_str(line),
                _ => parts.push((own, line.to_owned())),
            }
        }
        if parts.is_empty() {
            parts.push((false, text));
        }
        parts
    }

    /// The exit code that a text tells, if it does.
    pub fn exit_code_in(&self, text: &str) -> Option<i64> {
        self.exit_code_patterns
            .iter()
            .find_map(|pattern| pattern.captures(text)?.get(1)?.as_str().parse().ok())
    }
}

/// A name that a debugger finds a function by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionName {
    /// The whole path; all instances of a generic function have it, inlined ones too.
    Path,
    /// The symbol: for one that takes the hash at the end of a symbol for a part of the path (`shop::total::h0123456789abcdef`) unless
    /// there is full debug information.
    Symbol,
}

/// What an adapter tells as the exit code of a program that a signal ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalExits {
    /// 0: which signal it was, its last stop may say.
    #[default]
    Zero,
    /// The signal's number, which its last stop has in its words.
    Number,
    /// What a shell would say.
    Shell,
}

/// What the text of a logpoint is to an adapter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogText {
    #[default]
    Plain,
    /// With values in it: a format of Python's, with a `%` written twice, in which an f-string may be one of them.
    FString,
    Percent,
    /// Values in it are told as this debugger tells them, if at all: such a text is ours.
    Ours,
}

/// How an adapter asks for a session of a child process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Children {
    /// By the reverse request `startDebugging`.
    pub start_debugging: bool,
    /// By one of these custom events, when we do not claim `startDebugging`. The body is the child's attach
    /// configuration, with `connect.host` and `connect.port`.
    pub events: Vec<String>,
    /// Keys of a child's configuration whose values tell it from its siblings: announced again with the same while it is
    /// debugged, it is no other child.
    pub identity_keys: Vec<String>,
    /// Keys of a child's configuration that hold the number of its process.
    pub pid_keys: Vec<String>,
    /// In a child's name, the number of its process as the first group: for an adapter that tells it nowhere else.
    pub pid_in_name: Option<Pattern>,
    /// A child's runtime holds each small answer back until the one before has been acknowledged, which takes 40 ms on Linux: its debug
    /// connection is made to send at once.
    pub tcp_nodelay: bool,
}

/// The first group of a pattern that fits.
fn summary(pattern: Option<&Pattern>, text: &str) -> Option<String> {
    Some(pattern?.captures(text)?.get(1)?.as_str().to_owned())
}

/// A stop as its patterns are held against it: `reason: description text`.
pub fn stop_text(reason: &str, description: Option<&str>, text: Option<&str>) -> String {
    let (description, text) = (description.unwrap_or_default(), text.unwrap_or_default());
    format!("{reason}: {description} {text}")
}
