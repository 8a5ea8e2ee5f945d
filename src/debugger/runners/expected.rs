//! Exceptions in a test run that nobody waits for: those of the runner itself, and those that the person's own code expects or catches.
//! A stop says what is raised, never where that ends; so sources are read, by how far their lines are indented. A Python knows it, and
//! stops for nothing else (`debugpy_failures.py`).

use dap::types::StackFrame;

use super::discover;
use crate::{core::is_own, prelude::*};

/// Files that are left by an exception of their own: Node's reader of sources, when it looks for the text of a failed assertion.
const READERS: [&str; 1] = ["internal/deps/acorn"];
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

/// Whether an exception is raised where no code of the person's is, or where it is expected.
pub fn is_for_runner(frames: &[StackFrame]) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = frames.iter().partition(|frame| is_own(frame));
    let expects = |frame: &&StackFrame| {
        let name = frame.name.to_lowercase().replace('_', "");
        EXPECT.iter().any(|word| name.contains(word))
    };
    // Ruby tries files by loading them.
    let loads = |frame: &&StackFrame| frame.name.starts_with("<top (required)>");
    let first = frames.first().filter(|first| !is_own(first));
    let path = first.and_then(StackFrame::path).unwrap_or_default();
    let reads = READERS.iter().any(|word| path.contains(word));
    let asserts = ASSERTING.iter().any(|word| path.contains(word));
    reads
        || own.first().is_none_or(loads)
        || others.iter().any(expects)
        || own.iter().any(|frame| is_inside(frame, asserts))
}

/// Whether a frame's line lies where what is raised is expected, or caught.
fn is_inside(frame: &StackFrame, asserts: bool) -> bool {
    let path = frame.path().map(Path::new);
    let ends = path.and_then(Path::extension).and_then(|it| it.to_str());
    let is_read = matches!(
        ends,
        Some("rb" | "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx")
    );
    let text = path
        .filter(|_| is_read && !asserts)
        .and_then(discover::read);
    text.is_some_and(|text| is_caught(&text, usize::try_from(frame.line).unwrap_or_default()))
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_caught(text: &str, at: usize) -> bool {
    let mut lines = text.lines().skip(at.saturating_sub(1));
    let own = lines.next().unwrap_or_default();
    let is_one = |code: &str| CAUGHT.iter().any(|word| code.contains(word));
    if is_one(own) || own.contains("try {") && own.contains("catch") {
        return true;
    }
    // What the line begins may go on below it; of what it lies in there is the end.
    let (mut indent, mut goes_on) = (depth(own), true);
    lines.any(|line| {
        let code = line.trim_start();
        let chained = goes_on && code.starts_with(['.', ')', '}']) && is_one(code);
        goes_on &= depth(line) > indent || code.is_empty();
        let ends = !code.is_empty() && depth(line) < indent;
        if ends {
            indent = depth(line);
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
