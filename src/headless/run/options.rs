//! What a run is asked for, and the small grammars of its options. Reading the command line is left to `commands`, reading a session
//! file to [`super::config_file`].

use base::text::nearest::nearest;
use debugger::data::Query;

use super::events;
use crate::prelude::*;

/// Following the program's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracing {
    /// Into the functions that are called.
    pub into: bool,
    /// Steps at most.
    pub limit: u32,
    /// Ends it when true.
    pub until: Option<String>,
}

impl Tracing {
    /// Steps at most, when nobody said.
    pub const LIMIT: u32 = 500;
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is launched or attached to: what is debugged, then the other sessions of a compound.
    pub starts: Vec<Command>,
    /// Breakpoints and logpoints.
    pub stops: Vec<Command>,
    /// Filters and types of exceptions to stop at.
    pub exceptions: Vec<String>,
    /// Expressions evaluated at stops.
    pub evals: Vec<String>,
    pub eval_after_step: bool,
    /// Values that are told as data at stops.
    pub data: Vec<(String, Query)>,
    /// Expressions that must be true at stops and steps.
    pub asserts: Vec<String>,
    /// Tell the locals at stops.
    pub capture_locals: bool,
    /// Levels of values that are opened.
    pub depth: usize,
    /// Elements of one value that are told.
    pub max_items: usize,
    /// Bytes of values in one event.
    pub max_bytes: usize,
    /// Frames that are told.
    pub stack_limit: usize,
    /// Somebody chose it.
    pub stack_limit_given: bool,
    /// Tell what a debugger adds to values, too.
    pub all_variables: bool,
    /// Tell what changed since the last stop.
    pub diff_vars: bool,
    /// Hide what looks like a secret.
    pub redact: bool,
    /// Sum up chains of exceptions.
    pub root_cause: bool,
    /// Steps after each stop.
    pub steps: u32,
    pub step_kind: StepKind,
    /// Tell the locals after each.
    pub capture_each_step: bool,
    /// End after so many stops.
    pub max_stops: Option<u32>,
    /// Follow the path from the first stop on.
    pub trace: Option<Tracing>,
    /// What is started is a test run.
    pub test: bool,
    /// The run ends with the exit code of the command, whatever that is.
    pub ends_as_command: bool,
    /// End after this long; none = never.
    pub timeout: Option<Duration>,
    /// Print what the program prints.
    pub output_events: bool,
    /// Which events are printed.
    pub kinds: Kinds,
    /// Say less.
    pub compact: bool,
    /// Indent.
    pub pretty: bool,
    /// Where to; none = standard output.
    pub output: Option<PathBuf>,
    /// Where relative paths begin.
    pub cwd: PathBuf,
    /// What to say first, of the settings.
    pub warnings: Vec<String>,
}

impl Options {
    /// Levels of values, when nobody said.
    pub const DEPTH: usize = 2;
    /// Elements of one value.
    pub const ITEMS: usize = 20;
    /// Bytes of values in one event.
    pub const BYTES: usize = 64 * 1024;
    /// Frames of a stack.
    pub const FRAMES: usize = 20;
    /// Until the end of a run.
    pub const TIMEOUT: Duration = Duration::from_mins(1);

    /// Frames told of a stack.
    pub fn frames(&self) -> usize {
        if self.compact && !self.stack_limit_given {
            super::compact::FRAMES
        } else {
            self.stack_limit
        }
    }
}

/// Which events are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Kinds {
    /// Checks the names.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, String> {
        for (option, names) in [("--include", include), ("--exclude", exclude)] {
            for name in names {
                if !events::TYPES.contains(&name.trim()) {
                    let near = nearest(name, events::TYPES.iter().copied(), 1);
                    let hint = near.first().map_or_else(
                        || format!(": there are {}", events::TYPES.join(", ")),
                        |near| format!("; did you mean {near}?"),
                    );
                    return Err(format!("{option} {name:?} is not an event{hint}"));
                }
            }
        }
        let tidy = |names: &[String]| names.iter().map(|n| n.trim().to_owned()).collect();
        Ok(Self {
            include: tidy(include),
            exclude: tidy(exclude),
        })
    }

    /// Whether an event of this type is printed. The end always is: a reader waits for it.
    pub fn wants(&self, kind: &str) -> bool {
        kind == events::SESSION_END
            || (self.include.is_empty() || self.include.iter().any(|k| k == kind))
                && !self.exclude.iter().any(|k| k == kind)
    }
}

/// Said of an expression of nothing.
pub const EMPTY: &str = "an expression is empty: write --eval 'x + 1'";

/// A value as data in a line, as the tool's action has it: `orders --as table --rows 0..50`.
pub fn data(line: &str) -> Result<(String, Query), String> {
    let written = Query::written(line).map_err(|why| format!("--data {line:?}: {why}"));
    let (expression, query) = written?;
    if expression.is_empty() {
        return Err(EMPTY.to_owned());
    }
    Ok((expression, query))
}

/// A duration: a number and `ms`, `s` or `m`; without a unit milliseconds. None = no limit.
pub fn duration(text: &str) -> Result<Option<Duration>, String> {
    let wrong = || {
        format!(
            "--timeout {text:?} is not a duration: write 90s, 500ms, 2m, or a number of milliseconds"
        )
    };
    let trimmed = text.trim();
    let digits = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    let seconds = match unit.trim() {
        "" | "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number
        .parse()
        .map_err(|_bad: std::num::ParseFloatError| wrong())?;
    let duration = Duration::try_from_secs_f64(number * seconds).map_err(|_too_long| wrong())?;
    Ok((!duration.is_zero()).then_some(duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_milliseconds_without_one() {
        let table = [
            ("30s", 30_000),
            ("250ms", 250),
            ("1500", 1500),
            ("2m", 120_000),
            ("0.5s", 500),
        ];
        for (text, milliseconds) in table {
            assert_eq!(
                duration(text),
                Ok(Some(Duration::from_millis(milliseconds))),
                "{text}"
            );
        }
        assert_eq!(duration("0"), Ok(None));
        for text in ["", "s", "-3s", "3h", "1e400s", "soon", "3 s s"] {
            let error = duration(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn events_are_chosen_by_name_and_the_end_is_always_told() {
        let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let only = Kinds::new(&names(&["output"]), &[]).unwrap();
        assert!(only.wants("output") && only.wants("session_end") && !only.wants("stopped"));
        let without = Kinds::new(&[], &names(&["output", "session_end"])).unwrap();
        assert!(
            !without.wants("output") && without.wants("session_end") && without.wants("stopped")
        );
        let error = Kinds::new(&names(&["breakpoint-hit"]), &[]).unwrap_err();
        assert_eq!(
            error,
            "--include \"breakpoint-hit\" is not an event; did you mean breakpoint_hit?"
        );
    }
}
