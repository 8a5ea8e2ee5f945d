//! Exceptions in a test run that nobody waits for: those of the runner itself, and those that the person's own code expects or catches.
//! A stop says what is raised, never where that ends; so sources are read, by how far their lines are indented. A Python knows it, and
//! stops for nothing else (`debugpy_failures.py`).

use super::discover;
use crate::{core::is_own, prelude::*};

/// Files that are left by an exception of their own: Node's reader of sources, when it looks for the text of a failed assertion.
const READERS: [&str; 1] = ["internal/deps/acorn"];
/// A library that calls what is expected to raise, and raises what was raised below it once more, in this function.
const CALLS: (&str, &str) = ("/node_modules/expect/", "handleError");
/// Functions that expect what is raised below them.
const EXPECT: [&str; 6] = [
    "throws",
    "getactual",
    "waitforactual",
    "rejects",
    "raises",
    "raiseerror",
];
/// Where what was raised comes to an end, at the head of a line; and behind a call.
const CATCHES: [&str; 3] = ["} catch", "}catch", "rescue"];
const CAUGHT: [&str; 3] = [".catch(", ".rejects", " rescue "];
/// Libraries that raise what fails a test. Even if the person's own code catches that, to count it.
const ASSERTING: [&str; 5] = ["assert", "expect", "chai", "should", "rspec"];

/// Where Rust's test runner begins what is a test's own.
const TEST_BEGINS: &str = "__rust_begin_short_backtrace";

/// What catches a panic of Rust, and what goes on with it.
const CATCHES_PANICS: &str = "catch_unwind";
const HANDS_ON: &str = "resume_unwind";

/// What runs the deferred functions of Go while a panic unwinds.
const GO_PANICS: &str = "runtime.gopanic";

/// What is known of an exception by where it is raised.
#[derive(Debug, Default, PartialEq)]
pub enum Expected {
    /// It is a failure.
    #[default]
    No,
    Yes,
    /// A test waits for a panic that has this in its text.
    Saying(String),
}

/// Whether an exception is raised where no code of the person's is, or where it is expected.
pub fn judged(frames: &[StackFrame]) -> Expected {
    if is_for_runner(frames) || is_panic_caught(frames) || is_panic_known(frames) {
        return Expected::Yes;
    }
    let begins = frames.iter().position(|f| f.name.contains(TEST_BEGINS));
    let inside = begins.and_then(|at| frames.get(..at)).unwrap_or_default();
    let test = inside.iter().rev().find(|frame| is_own(frame));
    let source = test.and_then(|frame| Some((source_of(frame, &["rs"])?, line_of(frame))));
    source.map_or(Expected::No, |(text, at)| panic_expected(&text, at))
}

/// Whether a test's runner looks at a panic that goes on.
pub fn is_unwinding(frames: &[StackFrame]) -> bool {
    let mut inner = frames.iter().take_while(|frame| !is_own(frame));
    inner.any(|frame| frame.name == GO_PANICS)
}

/// Whether the person's code catches a panic, and does not hand it on.
fn is_panic_caught(frames: &[StackFrame]) -> bool {
    let catches = |inner: &StackFrame, outer: &StackFrame| {
        inner.name.contains(CATCHES_PANICS) && !is_own(inner) && is_own(outer)
    };
    let mut pairs = frames.iter().zip(frames.iter().skip(1));
    pairs.any(|(inner, outer)| {
        let hands_on =
            || source_of(outer, &["rs"]).is_some_and(|text| is_handed_on(&text, line_of(outer)));
        catches(inner, outer) && !hands_on()
    })
}

/// Whether a panic goes on that the same function caught: it has stopped where it was raised.
fn is_panic_known(frames: &[StackFrame]) -> bool {
    let mut pairs = frames.iter().zip(frames.iter().skip(1));
    let outer = pairs.find(|(inner, outer)| !is_own(inner) && is_own(outer));
    outer.is_some_and(|(inner, outer)| {
        inner.name.contains(HANDS_ON)
            && source_of(outer, &["rs"]).is_some_and(|text| is_known(&text, line_of(outer)))
    })
}

/// Whether this line goes on with what a line above it caught, and not with something of its own.
fn is_known(text: &str, at: usize) -> bool {
    static CAUGHT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!(r"\b{HANDS_ON}\(\w+\)")).ok());
    let own = text.lines().nth(at.saturating_sub(1)).unwrap_or_default();
    let catches = text.lines().zip(1..at);
    let mut catches = catches.filter(|(line, _)| line.contains(CATCHES_PANICS));
    CAUGHT.as_ref().is_some_and(|caught| caught.is_match(own))
        && catches.any(|(_, above)| handed_on(text, above).any(|line| line == at))
}

/// Whether a function goes on with a panic that this line of it catches: a test that only tidies up behind itself.
fn is_handed_on(text: &str, at: usize) -> bool {
    handed_on(text, at).next().is_some()
}

/// The lines of a function that go on with a panic, from one on that catches it.
fn handed_on(text: &str, at: usize) -> impl Iterator<Item = usize> + use<'_> {
    let mut lines = text.lines().zip(1..).skip(at.saturating_sub(1)).peekable();
    let own = lines.peek().map_or(0, |(line, _)| indent(line));
    let is_end = move |line: &str| line.trim_start().starts_with('}') && indent(line) < own;
    let rest = lines.take_while(move |(line, _)| !is_end(line));
    rest.filter(|(line, _)| line.contains(HANDS_ON))
        .map(|(_, at)| at)
}

/// The attributes of a line of Rust and what is behind them, each with the number of the line.
fn pieces((line, at): (&str, usize)) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = Some(line.trim_start());
    iter::from_fn(move || {
        let line = rest.take()?;
        let end = line.starts_with("#[").then(|| end_of_attribute(line));
        let (piece, behind) = line.split_at(end.flatten().unwrap_or(line.len()));
        rest = Some(behind.trim_start()).filter(|behind| !behind.is_empty());
        Some((piece, at))
    })
}

/// Where an attribute ends that a line begins with, if it does in that line. Brackets in a text are none.
fn end_of_attribute(line: &str) -> Option<usize> {
    let (mut open, mut in_text, mut escaped) = (0_usize, false, false);
    line.char_indices().find_map(|(at, c)| {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_text,
            '"' => in_text = !in_text,
            '[' if !in_text => open += 1,
            ']' if !in_text => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0 && c == ']' && !in_text).then_some(at + 1)
    })
}

/// What the attributes above a test of Rust say of its panics; the line is one of the test's.
fn panic_expected(text: &str, at: usize) -> Expected {
    static TEXT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"^#\[should_panic\W+(?:expected\s*=\s*)?"([^"\\]+)""#).ok());
    let is_head = |line: &str| {
        let word = line.split([' ', '(']).next().unwrap_or_default();
        ["fn", "pub", "async", "unsafe"].contains(&word) && line.contains("fn ")
    };
    let pieces: Vec<_> = text.lines().zip(1..).flat_map(pieces).collect();
    let first = pieces.partition_point(|(_, line)| *line < at);
    let pieces: Vec<_> = pieces.into_iter().map(|(piece, _)| piece).collect();
    let (above, below) = pieces.split_at(first);
    let (own, below) = below.split_first().unwrap_or((&"", &[]));
    // What a macro made of a test may stand at its attribute.
    let is_attribute = own.starts_with("#[");
    let down = below
        .iter()
        .take_while(|line| is_attribute && !is_head(line));
    let up = iter::once(own).chain(above.iter().rev());
    let up = up.skip_while(|line| !is_attribute && !is_head(line));
    let up = up.skip(usize::from(!is_attribute));
    let is_over = |line: &&str| {
        !line.starts_with("//") && (line.is_empty() || line.ends_with(['}', ';', '{']))
    };
    let mut all = down.chain(up.take_while(|line| !is_over(line)));
    let Some(found) = all.find(|line| line.starts_with("#[should_panic")) else {
        return Expected::No;
    };
    let text = TEXT.as_ref().and_then(|text| text.captures(found));
    let text = text.and_then(|found| Some(found.get(1)?.as_str().to_owned()));
    text.map_or(Expected::Yes, Expected::Saying)
}

/// The text of a frame's source, if it is of such a kind.
fn source_of(frame: &StackFrame, kinds: &[&str]) -> Option<String> {
    let path = Path::new(frame.path()?);
    let kind = path.extension()?.to_str()?;
    kinds.contains(&kind).then(|| discover::read(path))?
}

fn line_of(frame: &StackFrame) -> usize {
    usize::try_from(frame.line).unwrap_or_default()
}

fn is_for_runner(frames: &[StackFrame]) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = frames.iter().partition(|frame| is_own(frame));
    let expects = |frame: &&StackFrame| {
        let name = frame.name.to_lowercase().replace('_', "");
        EXPECT.iter().any(|word| name.contains(word))
    };
    // Ruby tries files by loading them, and what it does not find it looks for once more among its gems.
    let loads = |frame: &&StackFrame| {
        let source = source_of(frame, &["rb"]);
        let line = source
            .as_deref()
            .and_then(|text| text.lines().nth(line_of(frame).checked_sub(1)?));
        let requires = line.is_some_and(|line| line.trim_start().starts_with("require"));
        requires || frame.name.starts_with("<top (required)>")
    };
    let first = frames.first().filter(|first| !is_own(first));
    let path = first.and_then(StackFrame::path).unwrap_or_default();
    let reads = READERS.iter().any(|word| path.contains(word));
    let asserts = ASSERTING.iter().any(|word| path.contains(word));
    let caller = frames.iter().find(|frame| !is_own(frame));
    let calls = caller.is_some_and(|caller| {
        let again = first.is_none() || caller.name == CALLS.1;
        again && caller.path().is_some_and(|path| path.contains(CALLS.0))
    });
    reads
        || calls
        || own.first().is_none_or(loads)
        || others.iter().any(expects)
        || own.iter().any(|frame| is_inside(frame, asserts))
}

/// Whether a frame's line lies where what is raised is expected, or caught.
fn is_inside(frame: &StackFrame, asserts: bool) -> bool {
    const READ: &[&str] = &["rb", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
    let text = source_of(frame, READ).filter(|_| !asserts);
    text.is_some_and(|text| is_caught(&text, line_of(frame)))
}

fn is_caught(text: &str, at: usize) -> bool {
    let mut lines = text.lines().skip(at.saturating_sub(1));
    let own = lines.next().unwrap_or_default();
    let is_one = |code: &str| CAUGHT.iter().any(|word| code.contains(word));
    if is_one(own) || own.contains("try {") && own.contains("catch") {
        return true;
    }
    // What the line begins may go on below it; of what it lies in there is the end.
    let (mut least, mut goes_on) = (indent(own), true);
    lines.any(|line| {
        let code = line.trim_start();
        let chained = goes_on && code.starts_with(['.', ')', '}']) && is_one(code);
        goes_on &= indent(line) > least || code.is_empty();
        let ends = !code.is_empty() && indent(line) < least;
        if ends {
            least = indent(line);
        }
        chained
            || ends
                && (CATCHES.iter().any(|word| code.starts_with(word))
                    || code.starts_with('}') && is_one(code))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_says_which_panic_it_waits_for() {
        let told = |text: &str| {
            let at = text.lines().position(|line| line.contains("HERE"));
            panic_expected(text, at.unwrap() + 1)
        };
        let saying = |text: &str| Expected::Saying(text.to_owned());
        for (text, expected) in [
            (
                "#[test]\n#[should_panic]\nfn a() {\n\n    HERE\n}",
                Expected::Yes,
            ),
            ("#[test]\n#[should_panic]\nfn HERE() {}", Expected::Yes),
            (
                "#[should_panic]\n// Why.\n#[test_HERE]\nasync fn a() {}",
                Expected::Yes,
            ),
            (
                "#[test_HERE]\n#[should_panic]\nasync fn a() {}",
                Expected::Yes,
            ),
            (
                "#[should_panic(expected = \"of two\")]\n#[test]\nfn a() {\n    HERE",
                saying("of two"),
            ),
            (
                "#[should_panic = \"of two\"]\npub fn a() {\n    HERE",
                saying("of two"),
            ),
            // Attributes on the line of the test, which may be all of it.
            (
                "#[test] #[should_panic(expected = \"a ] b\")] fn a() { HERE }",
                saying("a ] b"),
            ),
            (
                "#[should_panic] #[test]\nfn a() {\n    HERE\n}",
                Expected::Yes,
            ),
            (
                "#[test_HERE] fn a() -> R { e() }\n\n#[test]\n#[should_panic]\nfn b() {}",
                Expected::No,
            ),
            (
                "#[should_panic] fn a() {}\n#[test] fn b() { HERE }",
                Expected::No,
            ),
            (
                "#[should_panic]\nfn a() {}\n#[test]\nfn b() {\n    HERE",
                Expected::No,
            ),
            (
                "#[test]\nfn b() {\n    HERE\n}\n\n#[should_panic]\nfn a() {}",
                Expected::No,
            ),
            ("HERE", Expected::No),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        assert_eq!(panic_expected("", 7), Expected::No);
    }

    #[test]
    fn a_panic_that_is_handed_on_is_a_failure() {
        let caught = "fn a() {\n    let it = catch_unwind(|| {\n        b();\n    });\n";
        for (rest, handed_on) in [
            ("    tidy();\n    resume_unwind(it);\n}", true),
            (
                "    it.unwrap_err();\n}\nfn c() {\n    resume_unwind(0)\n}",
                false,
            ),
        ] {
            let text = format!("{caught}{rest}");
            assert_eq!(is_handed_on(&text, 2), handed_on, "{rest}");
            // Where it goes on it has been told, and only there.
            let lines = 1..=text.lines().count();
            let known: Vec<_> = lines.filter(|&at| is_known(&text, at)).collect();
            let at = handed_on.then_some(6);
            assert_eq!(known, at.into_iter().collect::<Vec<_>>(), "{rest}");
        }
        let made = format!("{caught}    resume_unwind(Box::new(it));\n}}");
        assert!(!is_known(&made, 5), "something else");
    }

    #[test]
    fn what_a_library_calls_to_see_it_fail_is_expected_and_told_once() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join("a.test.js");
        fs::write(&own, "expect(boom).toThrow();\n").unwrap();
        let frame = |name: &str, path: &str| -> StackFrame {
            let frame = json!({ "id": 1, "name": name, "line": 1, "column": 1, "source": { "path": path } });
            serde_json::from_value(frame).unwrap()
        };
        let own = |name| frame(name, own.to_str().unwrap());
        let library = |name| frame(name, "/w/node_modules/expect/build/index.js");
        let failed = [library("processResult"), library("toBe"), own("test")];
        let again = [library("handleError"), library("toBe"), own("test")];
        let thrown = [own("boom"), library("toThrow"), own("test")];
        assert_eq!(judged(&failed), Expected::No);
        assert_eq!(judged(&again), Expected::Yes);
        assert_eq!(judged(&thrown), Expected::Yes);
        assert_eq!(judged(&[own("boom"), own("test")]), Expected::No);
    }

    #[test]
    fn a_test_of_go_that_panics_fails_where_that_is_told() {
        let called = |names: &[&str]| {
            let frame = |name: &&str| StackFrame {
                name: (*name).to_owned(),
                ..StackFrame::default()
            };
            is_unwinding(&names.iter().map(frame).collect::<Vec<_>>())
        };
        let fails = "testing.(*common).Fail";
        let deferred = ["testing.tRunner.func1.2", "testing.tRunner.func1"];
        assert!(called(&[
            fails,
            deferred[0],
            deferred[1],
            "runtime.gopanic",
            "shop.Price"
        ]));
        assert!(!called(&[
            fails,
            "testing.(*common).Errorf",
            "shop.TestPrice"
        ]));
    }

    #[test]
    fn what_is_caught_is_told_by_its_place() {
        let caught = |text: &str| {
            let at = text.lines().position(|line| line.contains("HERE"));
            is_caught(text, at.unwrap() + 1)
        };
        for text in [
            "try {\n  if (a) {\n    HERE\n  }\n} catch {\n}",
            "try { HERE } catch {}",
            "await HERE()\n  .then(x)\n  .catch(e => e);",
            "await HERE(\n  1,\n).catch(e => e);",
            "run(() => {\n\n  HERE\n}).catch(e => e);",
            "await assert.rejects(HERE());",
            "def parse\n  HERE\nrescue\n  nil\nend",
            "x = HERE rescue nil",
        ] {
            assert!(caught(text), "{text}");
        }
        for text in [
            "try {\n  a();\n} catch {\n  HERE\n}",
            "try {\n  HERE\n} finally {\n}",
            "HERE\ntry {\n} catch {\n}",
            "HERE\nrun(() => {\n}).catch(e => e);",
            "test(() => {\n  HERE\n  a()\n    .catch(e => e);\n});",
        ] {
            assert!(!caught(text), "{text}");
        }
    }
}
