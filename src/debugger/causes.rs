//! Why a native program stopped, told by the functions on its stack and by what it printed: a panic, an exception that nobody caught, an
//! assertion, a corrupted heap. Debuggers know no more than a breakpoint or a signal.

use std::sync::LazyLock;

use dap::requests::ExceptionInfoResponse;
use regex::Regex;

/// Frames that are looked at, from the innermost on.
const FRAMES: usize = 24;

/// A cause of stops.
struct Row {
    /// A function that only it has on the stack; `text` in its name is the message.
    function: &'static str,
    /// What it is called.
    name: &'static str,
    /// What the program prints of it: `name` a better name, `text` the message.
    printed: &'static str,
}

/// The first that fits is it.
const ROWS: &[Row] = &[
    Row {
        function: r"(^|::)rust_panic$",
        name: PANIC,
        printed: r"(?s)thread '[^\n]*' (?:\(\d+\) )?panicked at [^\n]*:\r?\n(?<text>.*?)(?:\r?\n(?:note: |stack backtrace:)|\s*\z)",
    },
    // What it says is printed by this function.
    Row {
        function: r"(^|::)attempt_print_to_stderr$",
        name: RETURNED,
        printed: "",
    },
    // It is stopped at before it is printed.
    Row {
        function: r"(^|::)__ubsan_handle_(?<text>\w+?)(_v\d+)?(_abort)?(\(|$)",
        name: "undefined behavior",
        printed: "",
    },
    Row {
        function: r"(^|::)__(asan|hwasan|tsan|msan|ubsan|lsan|sanitizer)(::|_on_)",
        name: "sanitizer report",
        printed: r"(?:ERROR|WARNING): (?<name>\w+Sanitizer): (?<text>[^\n]*)|runtime error: (?<text2>[^\n]*)",
    },
    Row {
        function: r"^(std::terminate|__gnu_cxx::__verbose_terminate_handler|__cxxabiv1::__terminate|__gxx_personality_v0)\b",
        name: "uncaught C++ exception",
        printed: r"(?:terminate called after throwing an instance of '(?<name>[^']*)'(?:\s+what\(\): +(?<text>[^\r\n]*))?|terminating due to uncaught exception of type (?<name2>[^:\r\n]*)(?:: (?<text2>[^\r\n]*))?)",
    },
    Row {
        function: r"^testing::UnitTest::AddTestPartResult\b",
        name: "test failed",
        printed: r"(?s)\A(?:.*\n)?(?<text>[^\n]*: Failure\r?\n.*?)(?:\n\r?\n|\s*\z)",
    },
    Row {
        function: r"^__assert_fail|^__assert_rtn$",
        name: "assertion failed",
        printed: r"Assertion [`'](?<text>[^\r\n]*)' failed",
    },
    Row {
        function: r"^(__stack_chk_fail|__fortify_fail|malloc_printerr|__libc_message)",
        name: "memory corruption",
        printed: r"\*\*\* (?<text>[^\r\n]*?) \*\*\*|(?m:^)(?<text2>(?:free|malloc|realloc|calloc|double free|corrupted|munmap_chunk|mremap_chunk|invalid)[^\r\n]*)",
    },
    // Its text is printed when it goes on.
    Row {
        function: r"^(_gfortran_(runtime_error|os_error|error_stop)|__gnat_notify_unhandled_exception|(?i:fpc_break_unhandled_exception|sysutils_.*_catchunhandledexception))",
        name: "run-time error",
        printed: "",
    },
    Row {
        function: r"^__cxa_(re)?throw$",
        name: THROWN,
        printed: "",
    },
];

/// What an exception is called of which no more is known than that it is thrown.
pub const THROWN: &str = "C++ exception thrown";

/// What a panic of Rust is called.
pub const PANIC: &str = "panic";

/// What an error of Rust is called that a test returns.
pub const RETURNED: &str = "error returned";

/// Whether what it carries is being asked for: what cannot be read is told as an empty text.
pub fn is_asked(told: &ExceptionInfoResponse) -> bool {
    told.description.is_none() && [THROWN, PANIC, RETURNED].contains(&told.exception_id.as_str())
}

/// What begins the text of a memory fault at the end of the stack.
pub const STACK_OVERFLOW: &str = "stack overflow";

/// The standard library's exceptions with a text, mangled; all others with one are derived from them. Behind the address of its functions
/// each has that of its text.
const WITH_TEXT: &[&str] = &[
    "St11logic_error",
    "St12domain_error",
    "St12length_error",
    "St12out_of_range",
    "St12system_error",
    "St13runtime_error",
    "St14overflow_error",
    "St11range_error",
    "St15underflow_error",
    "St16invalid_argument",
];

/// What `std::string` stands for.
const STRING: &str =
    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

/// Whether an exception of this type has its text behind the address of its functions.
pub fn has_text(mangled: &str) -> bool {
    WITH_TEXT.contains(&mangled)
}

/// Where the text of a panic is, and how long it is, by the first words of what it carries: a `String` (room, address, length) or a `&str`
/// (address, length).
pub fn panic_text(words: [u64; 3]) -> Option<(u64, u64)> {
    // What is no address, and may be a length.
    const PAGE: u64 = 4_096;
    const MOST: u64 = 1 << 24;
    match words {
        [room, at, length] if length <= room && room < MOST && at >= PAGE => Some((at, length)),
        [at, length, _] if length < MOST && at >= PAGE => Some((at, length)),
        _ => None,
    }
}

/// A type as people write it: `std::runtime_error` for `St13runtime_error`.
pub fn type_name(mangled: &str) -> Option<String> {
    // One that is known by its address alone is marked.
    let mangled = mangled.trim_start_matches('*');
    let symbol = cpp_demangle::Symbol::new(format!("_ZTS{mangled}")).ok()?;
    let told = symbol.demangle().ok()?;
    let name = told.strip_prefix("typeinfo name for ")?;
    Some(name.replace(STRING, "std::string"))
}

/// Whether a function is one at which a sanitizer, or `GoogleTest`, has the debugger stop, whatever that calls it.
pub fn is_hook(function: &str) -> bool {
    let name = function.split('(').next().unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or_default();
    let hooks = [
        "__ubsan_on_report",
        "__tsan_on_report",
        "AsanDie",
        "AddTestPartResult",
    ];
    hooks.contains(&name)
}

/// Why a program stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What is called so: `panic`, `std::runtime_error`.
    pub name: String,
    /// What the program said of it; `None` when it has not, or not yet.
    pub message: Option<String>,
}

/// The cause that a stack speaks of, its functions from the innermost on; `printed` is asked for what the program printed last.
pub fn cause<'n>(
    functions: impl Iterator<Item = &'n str>,
    printed: impl FnOnce() -> String,
) -> Option<Cause> {
    static PATTERNS: LazyLock<Vec<(Option<Regex>, Option<Regex>)>> = LazyLock::new(|| {
        let both = |row: &Row| (Regex::new(row.function).ok(), Regex::new(row.printed).ok());
        ROWS.iter().map(both).collect()
    });
    let functions: Vec<&str> = functions.take(FRAMES).collect();
    let named = |pattern: &Regex| functions.iter().find_map(|name| pattern.captures(name));
    let mut rows = ROWS.iter().zip(PATTERNS.iter());
    let (row, pattern, function) = rows
        .find_map(|(row, (function, pattern))| Some((row, pattern, named(function.as_ref()?)?)))?;
    let printed = printed();
    let pattern = pattern.as_ref().filter(|_| !row.printed.is_empty());
    let found = pattern.and_then(|pattern| pattern.captures_iter(&printed).last());
    let group = |names: [&str; 2]| {
        let found = found.as_ref()?;
        let text = names.iter().find_map(|name| found.name(name))?.as_str();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    Some(Cause {
        name: group(["name", "name2"]).unwrap_or_else(|| row.name.to_owned()),
        message: group(["text", "text2"]).or_else(|| {
            if let Some(text) = function.name("text") {
                return Some(text.as_str().replace('_', " "));
            }
            // An exception without a text has at least a type.
            found.is_some().then(|| row.name.to_owned())
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(functions: &[&str], printed: &str) -> String {
        match cause(functions.iter().copied(), || printed.to_owned()) {
            Some(Cause { name, message }) => format!("{name}: {}", message.unwrap_or_default()),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn what_is_thrown_has_a_name() {
        let string = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
        for (mangled, name) in [
            ("St13runtime_error", Some("std::runtime_error")),
            ("*7Refused", Some("Refused")),
            ("i", Some("int")),
            ("PKc", Some("char const*")),
            (string, Some("std::string")),
            ("", None),
            ("\\u{1b}[2J", None),
        ] {
            assert_eq!(type_name(mangled).as_deref(), name, "{mangled}");
        }
    }

    #[test]
    fn a_panic_carries_its_text_or_something_else() {
        let heap = 0x7fff_f000_0d10;
        for (words, told) in [
            ([128, heap, 85], Some((heap, 85))),
            ([0x5555_5556_e2ae, 11, heap], Some((0x5555_5556_e2ae, 11))),
            // A program at a fixed address.
            ([0x40_1000, 5, 0], Some((0x40_1000, 5))),
            ([0x5_0000_0001, heap, 5], None),
            ([0, 0, 0], None),
        ] {
            assert_eq!(panic_text(words), told, "{words:x?}");
        }
    }

    #[test]
    fn the_stack_tells_what_and_the_output_why() {
        let panic = "hi\nthread 'main' (17) panicked at src/main.rs:3:48:\nindex out of bounds:\nlen is 2\nnote: run with `RUST_BACKTRACE=1`\n";
        for (functions, printed, expected) in [
            (
                &["__rustc::rust_panic", "core::panicking::panic_fmt"][..],
                panic,
                "panic: index out of bounds:\nlen is 2",
            ),
            (&["rust_panic"], "", "panic: "),
            (
                &["__pthread_kill_implementation", "abort", "std::terminate()"],
                "terminate called after throwing an instance of 'std::runtime_error'\r\n  what():  too short\r\n",
                "std::runtime_error: too short",
            ),
            (
                &["abort", "std::terminate()"],
                "terminate called after throwing an instance of 'int'\n",
                "int: uncaught C++ exception",
            ),
            (
                &[
                    "testing::UnitTest::AddTestPartResult(Type)",
                    "Bad::TestBody()",
                ],
                "a.cc:3: Failure\nold\n\na.cc:9: Failure\nExpected: (got) > (100)\n\n",
                "test failed: a.cc:9: Failure\nExpected: (got) > (100)",
            ),
            (
                &["raise", "abort", "__gxx_personality_v0", "__cxa_throw"],
                "terminate called after throwing an instance of 'E'\n  what():  no\n",
                "E: no",
            ),
            (
                &["raise", "abort", "__assert_fail_base", "__assert_fail"],
                "a: a.c:4: main: Assertion `x==5' failed.\n",
                "assertion failed: x==5",
            ),
            (
                &["abort", "__libc_message", "malloc_printerr"],
                "x\nfree(): double free detected in tcache 2\n",
                "memory corruption: free(): double free detected in tcache 2",
            ),
            (&["__cxa_throw", "third"], "", "C++ exception thrown: "),
            (
                &["__ubsan_on_report", "__ubsan_handle_add_overflow", "main"],
                "a.cpp:1:1: runtime error: something earlier\n",
                "undefined behavior: add overflow",
            ),
            (
                &["__tsan_on_report", "??", "main"],
                "WARNING: ThreadSanitizer: data race (pid=7)\n",
                "ThreadSanitizer: data race (pid=7)",
            ),
            (
                &["_gfortran_runtime_error_at", "crash"],
                "",
                "run-time error: ",
            ),
            (&["raise", "main"], panic, "none"),
        ] {
            assert_eq!(told(functions, printed), expected);
        }
        for row in ROWS {
            assert!(
                Regex::new(row.function).is_ok() && Regex::new(row.printed).is_ok(),
                "{}",
                row.name
            );
        }
    }
}
