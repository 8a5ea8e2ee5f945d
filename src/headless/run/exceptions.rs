//! Exceptions: the chain of them flattened, where it began, and whether one is on its way out.

use dap::{
    requests::ExceptionInfoResponse,
    types::{ExceptionDetails, StackFrame},
};
use debugger::{Stop, causes::STACK_OVERFLOW, pattern::Pattern};

use super::events::{Exception, RootCause};

/// Links of a chain that are told.
const CHAIN: usize = 10;
/// Exceptions of groups that are told.
const PARTS: usize = 50;

const NULL_REFERENCE: &str = "null_reference";
const TYPE_MISMATCH: &str = "type_mismatch";

/// Parts of an exception's type, the kind of trouble it is, and where to look.
const CAUSES: &[(&[&str], &str, &str)] = &[
    (
        &[
            "OutOfMemory",
            "MemoryError",
            "StackOverflow",
            "stack overflow",
            "RecursionError",
        ],
        "resources",
        "memory or stack ran out: look at sizes and at recursion",
    ),
    (
        &["deadlock"],
        "deadlock",
        "each waits for another: `omp-debug hang`, or Alt-H on the screen, says who waits for whom",
    ),
    (
        &["SIGABRT"],
        "aborted",
        "the program gave up by itself: look at what it printed, and at who called abort",
    ),
    (
        &[
            "NullReference",
            "NullPointer",
            "NilPointer",
            "nil pointer",
            "SIGSEGV",
            "EXC_BAD_ACCESS",
            "Unwrap",
            "NoneType",
            "of undefined",
            "of null",
        ],
        NULL_REFERENCE,
        "something that should have been there is not: look at who should have set it",
    ),
    (
        &[
            "KeyError",
            "KeyNotFound",
            "IndexError",
            "IndexOutOfRange",
            "ArgumentOutOfRange",
            "index out of",
            "out of bounds",
        ],
        "missing_key_or_index",
        "a key or index does not exist: compare it with what the collection has",
    ),
    (
        &[
            "FileNotFound",
            "DirectoryNotFound",
            "ENOENT",
            "No such file",
        ],
        "missing_file",
        "a file is not there: look at the path and at the working directory",
    ),
    (
        &["Permission", "UnauthorizedAccess", "EACCES", "AccessDenied"],
        "permission",
        "access was refused: look at who runs this and what they may do",
    ),
    (
        &[
            "Timeout",
            "TimedOut",
            "ETIMEDOUT",
            "TaskCanceled",
            "DeadlineExceeded",
            "deadline exceeded",
        ],
        "timeout",
        "something took too long: look at what was waited for",
    ),
    (
        &[
            "Connection",
            "Socket",
            "ECONNREFUSED",
            "HttpRequest",
            "gaierror",
            "URLError",
        ],
        "network",
        "the other side could not be reached: look at address, port and whether it runs",
    ),
    (
        &["Assert", "assertion"],
        "assertion",
        "what was asserted does not hold: compare both sides",
    ),
    (
        &["ZeroDivision", "DivideByZero", "divide by zero", "SIGFPE"],
        "division_by_zero",
        "a divisor is zero: look at where it comes from",
    ),
    (
        &[
            "TypeError",
            "InvalidCast",
            "ClassCast",
            "AttributeError",
            "is not a function",
        ],
        TYPE_MISMATCH,
        "a value is of another type than was thought: look at its type here",
    ),
    (
        &[
            "ValueError",
            "RangeError",
            "FormatException",
            "Argument",
            "NumberFormat",
            "ParseError",
            "ParseInt",
            "JSONDecode",
            "SyntaxError",
        ],
        "invalid_value",
        "a value cannot be used: look at what was given",
    ),
    (
        &[
            "ModuleNotFound",
            "ImportError",
            "ClassNotFound",
            "TypeLoad",
            "MODULE_NOT_FOUND",
        ],
        "missing_dependency",
        "something that is needed is not installed here",
    ),
];

/// The exception of a stop. `chained`: what stands between the tracebacks of a chain; `root_cause`: sum the chain up.
pub fn of(stop: &Stop, chained: Option<&Pattern>, root_cause: bool) -> Exception {
    let mut exception = match &stop.exception {
        Some(info) => from_info(info, stop),
        None => Exception {
            type_name: stop
                .text
                .clone()
                .or_else(|| stop.description.clone())
                .unwrap_or_else(|| "unknown".to_owned()),
            message: stop.description.clone().or_else(|| stop.text.clone()),
            ..Exception::default()
        },
    };
    if exception.inner_exception.is_none()
        && let (Some(text), Some(between)) = (&exception.stack_trace, chained)
    {
        exception.inner_exception = from_tracebacks(text, between);
    }
    if root_cause {
        exception.root_cause = Some(cause(&exception));
    }
    exception
}

fn from_info(info: &ExceptionInfoResponse, stop: &Stop) -> Exception {
    let told = info
        .details
        .as_ref()
        .map(|details| link(details, 1, &mut { PARTS }));
    let told = told.unwrap_or_default();
    let mut names = [told.type_name, info.exception_id.clone()].into_iter();
    let name = names.find(|name| !name.is_empty());
    Exception {
        type_name: name.unwrap_or_else(|| "unknown".to_owned()),
        message: told
            .message
            .or_else(|| info.description.clone().filter(|text| !text.is_empty()))
            // Which may say no more than what it is.
            .or_else(|| {
                let is_name = |text: &String| text.split("  ").next() == Some(&*info.exception_id);
                stop.text.clone().filter(|text| !is_name(text))
            }),
        break_mode: serde_json::to_value(&info.break_mode)
            .ok()
            .and_then(|mode| mode.as_str().map(str::to_owned)),
        ..told
    }
}

/// One of a chain, and what it was made of; without a name when that is not told.
fn link(details: &ExceptionDetails, depth: usize, left: &mut usize) -> Exception {
    let all = details.inner_exception.as_deref().unwrap_or_default();
    let most = if all.len() > 1 { *left } else { 1 };
    let inner = all.iter().take(most).filter(|_| depth < CHAIN);
    let inner = inner.map(|inner| {
        *left = left.saturating_sub(usize::from(all.len() > 1));
        let mut inner = link(inner, depth + 1, left);
        if inner.type_name.is_empty() {
            "unknown".clone_into(&mut inner.type_name);
        }
        inner
    });
    let parts: Vec<_> = inner.collect();
    let inner = parts.first().cloned().map(Box::new);
    let name = details
        .full_type_name
        .as_ref()
        .or(details.type_name.as_ref());
    Exception {
        type_name: name.cloned().unwrap_or_default(),
        message: details.message.clone(),
        stack_trace: details.stack_trace.clone(),
        inner_exception: inner,
        parts: Some(parts).filter(|_| all.len() > 1),
        ..Exception::default()
    }
}

/// The exceptions that led to the last one of a text of tracebacks.
fn from_tracebacks(text: &str, between: &Pattern) -> Option<Box<Exception>> {
    let tracebacks = between.split(text);
    let (_, earlier) = tracebacks.split_last()?;
    let from = earlier.len().saturating_sub(CHAIN - 1);
    earlier.iter().skip(from).fold(None, |inner, traceback| {
        let last = traceback
            .lines()
            .rfind(|line| !line.trim().is_empty() && !line.starts_with([' ', '\t']))
            .unwrap_or_default();
        let (type_name, message) = match last.split_once(": ") {
            Some((name, message)) => (name, Some(message.to_owned())),
            None => (last, None),
        };
        Some(Box::new(Exception {
            type_name: type_name.to_owned(),
            message,
            stack_trace: Some((*traceback).to_owned()),
            inner_exception: inner,
            ..Exception::default()
        }))
    })
}

fn cause(exception: &Exception) -> RootCause {
    let mut last = exception;
    while let Some(inner) = &last.inner_exception {
        last = inner;
    }
    let message = last.message.clone().unwrap_or_default();
    let known = |text: &str| {
        CAUSES
            .iter()
            .find(|(parts, ..)| parts.iter().any(|part| text.contains(part)))
    };
    // A fault at the end of the stack has the name of any other.
    let is_overflow = message.starts_with(STACK_OVERFLOW) || message.contains("call stack size");
    let overflow = is_overflow.then_some(STACK_OVERFLOW);
    let name = overflow.unwrap_or(&last.type_name);
    let (by_name, by_text) = (known(name), known(&message));
    // Nothing has a type, too.
    let is_nothing = by_name.is_some_and(|(_, category, _)| *category == TYPE_MISMATCH)
        && by_text.is_some_and(|(_, category, _)| *category == NULL_REFERENCE);
    let by_name = by_name.filter(|_| !is_nothing);
    let (category, hint) = by_name.or(by_text).map_or(
        (
            "other",
            "look at the frame where it was raised, and at its callers",
        ),
        |(_, category, hint)| (*category, *hint),
    );
    RootCause {
        type_name: last.type_name.clone(),
        message: last.message.clone(),
        category,
        hint,
    }
}

/// An exception that was told, for knowing it again.
#[derive(Debug, Default)]
pub struct Thrown {
    type_name: String,
    message: Option<String>,
    break_mode: Option<String>,
    causes: usize,
    /// Functions of the stack, innermost first.
    stack: Vec<String>,
}

impl Thrown {
    pub fn of(exception: &Exception, frames: &[StackFrame]) -> Self {
        let mut causes = 0;
        let mut link = exception.inner_exception.as_deref();
        while let Some(inner) = link {
            causes += 1;
            link = inner.inner_exception.as_deref();
        }
        Self {
            type_name: exception.type_name.clone(),
            message: exception.message.clone(),
            break_mode: exception.break_mode.clone(),
            causes,
            stack: frames.iter().map(|f| f.name.clone()).collect(),
        }
    }

    /// Whether this is `earlier` on its way out: some adapters stop in each frame that an exception passes.
    ///
    /// What is raised anew stands as deep as the one before or deeper, or has it as its cause; that nobody handles it is news.
    pub fn is_on_its_way(&self, earlier: &Self) -> bool {
        let frames = self.stack.len();
        let same = self.type_name == earlier.type_name
            && self.message == earlier.message
            && self.break_mode == earlier.break_mode
            && self.causes == earlier.causes;
        same && frames > 0 && frames < earlier.stack.len() && earlier.stack.ends_with(&self.stack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_that_unwinds_is_known_again() {
        let thrown = |mode: &str, stack: &[&str]| Thrown {
            type_name: "KeyError".to_owned(),
            break_mode: Some(mode.to_owned()),
            stack: stack.iter().map(|s| (*s).to_owned()).collect(),
            ..Thrown::default()
        };
        let first = thrown("always", &["inner", "middle", "main"]);
        assert!(thrown("always", &["middle", "main"]).is_on_its_way(&first));
        assert!(thrown("always", &["main"]).is_on_its_way(&first));
        // Raised once more at the same depth, from elsewhere, handled by nobody, of another cause.
        for other in [
            thrown("always", &["inner", "middle", "main"]),
            thrown("always", &["other", "main"]),
            thrown("unhandled", &["main"]),
            Thrown {
                causes: 1,
                ..thrown("always", &["main"])
            },
        ] {
            assert!(!other.is_on_its_way(&first), "{other:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_told_from_what_is_of_another_type() {
        let category = |type_name: &str, message: &str| {
            let exception = Exception {
                type_name: type_name.to_owned(),
                message: Some(message.to_owned()),
                ..Exception::default()
            };
            cause(&exception).category
        };
        let nothing = "Cannot read properties of undefined (reading 'a')";
        assert_eq!(category("TypeError", nothing), NULL_REFERENCE);
        assert_eq!(
            category("AttributeError", "'NoneType' object has no attribute 'a'"),
            NULL_REFERENCE
        );
        assert_eq!(category("TypeError", "f is not a function"), TYPE_MISMATCH);
        assert_eq!(category("ValueError", "NoneType"), "invalid_value");
        assert_eq!(
            category("RangeError", "Invalid array length"),
            "invalid_value"
        );
        let deep = "Maximum call stack size exceeded";
        assert_eq!(category("RangeError", deep), "resources");
        assert_eq!(
            category("fatal error", "all goroutines are asleep - deadlock!"),
            "deadlock"
        );
    }

    #[test]
    fn a_chain_is_read_out_of_tracebacks() {
        let python = debugger::adapters::Table::builtin().get("python").unwrap();
        let between = python.personality.chained_tracebacks.as_ref().unwrap();
        let text = "  File \"a.py\", line 1, in f\n    x\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n  File \"a.py\"\nValueError: b\n\nThe above exception was the direct cause of the following exception:\n\n  File \"a.py\"\nRuntimeError: c\n";
        let inner = from_tracebacks(text, between).unwrap();
        assert_eq!(
            (inner.type_name.as_str(), inner.message.as_deref()),
            ("ValueError", Some("b"))
        );
        let first = inner.inner_exception.unwrap();
        assert_eq!(
            (first.type_name.as_str(), first.message.as_deref()),
            ("KeyError", Some("'a'"))
        );
        assert!(first.inner_exception.is_none());
        assert!(from_tracebacks("  File\nKeyError: 'a'\n", between).is_none());
    }

    #[test]
    fn a_chain_is_cut_at_ten_and_its_end_is_the_cause() {
        let mut details = ExceptionDetails {
            type_name: Some("KeyError".into()),
            message: Some("'rate'".into()),
            ..ExceptionDetails::default()
        };
        for depth in 0..3 {
            details = ExceptionDetails {
                type_name: Some(format!("Outer{depth}")),
                inner_exception: Some(vec![details]),
                ..ExceptionDetails::default()
            };
        }
        let stop = |details: ExceptionDetails| Stop {
            exception: Some(Box::new(ExceptionInfoResponse {
                exception_id: "Outer".into(),
                details: Some(details),
                ..ExceptionInfoResponse::default()
            })),
            ..Stop::default()
        };
        let told = of(&stop(details.clone()), None, true);
        let cause = told.root_cause.as_ref().unwrap();
        assert_eq!(
            (cause.type_name.as_str(), cause.category),
            ("KeyError", "missing_key_or_index")
        );
        assert_eq!(of(&stop(details.clone()), None, false).root_cause, None);
        for depth in 0..20 {
            details = ExceptionDetails {
                type_name: Some(format!("Deep{depth}")),
                inner_exception: Some(vec![details]),
                ..ExceptionDetails::default()
            };
        }
        let told = of(&stop(details), None, true);
        let mut length = 1;
        let mut link = &told;
        while let Some(inner) = &link.inner_exception {
            length += 1;
            link = inner;
        }
        assert_eq!(length, CHAIN);
    }

    #[test]
    fn the_exceptions_of_a_group_are_told_up_to_a_number() {
        let leaf = |name: &str| ExceptionDetails {
            type_name: Some(name.into()),
            ..ExceptionDetails::default()
        };
        let group = |inner: Vec<ExceptionDetails>| ExceptionDetails {
            inner_exception: Some(inner),
            ..leaf("ExceptionGroup")
        };
        let names = |told: &Exception| -> Vec<String> {
            let parts = told.parts.iter().flatten();
            parts.map(|part| part.type_name.clone()).collect()
        };
        let nested = group(vec![leaf("KeyError"), leaf("OSError")]);
        let told = link(&group(vec![leaf("ValueError"), nested]), 1, &mut 3);
        assert_eq!(names(&told), ["ValueError", "ExceptionGroup"]);
        let first = told.inner_exception.as_ref().unwrap();
        assert_eq!(
            (first.type_name.as_str(), &first.parts),
            ("ValueError", &None)
        );
        // Three are told, and there are four.
        assert_eq!(names(&told.parts.unwrap()[1]), ["KeyError"]);
        // A group of one is a chain.
        let told = link(&group(vec![leaf("ValueError")]), 1, &mut 3);
        assert_eq!(
            (names(&told).len(), told.inner_exception.is_some()),
            (0, true)
        );
    }
}
