//! What users of gdb, lldb and pdb type out of habit and no command here does as they mean it, and what to write instead.

use super::table;

/// The words that a line begins with (a command's by its name here, `#` a number, `*` any word), and what is said of it.
const HABITS: &[(&str, &str)] = &[
    (
        "* =",
        "this is no command: set NAME = VALUE changes a variable, ! CODE runs the program's language",
    ),
    (
        "alias",
        "there are no aliases: help lists the short forms, the beginning of a name is enough",
    ),
    (
        "args",
        "locals shows the arguments, with the other variables of the frame",
    ),
    (
        "bt full",
        "bt shows the frames alone: frame N, then locals, shows the variables of one",
    ),
    (
        "catch fork",
        "catch chooses exceptions; the debugger's own word may be ! catch fork",
    ),
    (
        "catch syscall",
        "catch chooses exceptions; the debugger's own word may be ! catch syscall NAME",
    ),
    (
        "continue #",
        "continue takes no count: break FILE:LINE#N stops at the N-th hit",
    ),
    ("end", "there is no block to end here"),
    (
        "handle",
        "which signals stop the debugger knows: its own word may be ! handle SIGNAL nostop",
    ),
    (
        "ignore",
        "breakpoints count their hits themselves: break FILE:LINE#N stops at the N-th",
    ),
    (
        "info source",
        "info frame shows the present file and line; info sources lists all files",
    ),
    ("interact", "! CODE runs code of the program's language"),
    (
        "ll",
        "list shows source, and what follows when it is written again",
    ),
    (
        "retval",
        "finish says what a function returned, where the adapter tells it",
    ),
    (
        "set args",
        "run ARGS starts the program with other arguments",
    ),
    (
        "thread apply",
        "hang shows the stacks of all threads; thread N, then bt, that of one",
    ),
    (
        "watch -l",
        "watchpoint EXPR stops when a value changes; watchpoint *ADDRESS BYTES watches memory",
    ),
    (
        "watch -location",
        "watchpoint EXPR stops when a value changes; watchpoint *ADDRESS BYTES watches memory",
    ),
];

/// What begins a block of another debugger's commands, which its `end` ends.
const BLOCKS: &[&str] = &["commands", "define", "document", "if", "python", "while"];
const NO_BLOCK: &str =
    "blocks of commands up to `end` are not done here: logpoint FILE:LINE|TEXT prints and goes on";

/// What is said instead of doing a line.
pub fn told(line: &str) -> Option<&'static str> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if block(line).0 {
        return Some(NO_BLOCK);
    }
    if let Some(word) = words.first_mut() {
        *word = table::exact(word).map_or(*word, |row| row.name);
    }
    let fits = |pattern: &str| {
        let pattern: Vec<&str> = pattern.split(' ').collect();
        let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        let mut pairs = pattern.iter().zip(&words);
        pattern.len() <= words.len()
            && pairs.all(|(p, w)| p == w || *p == "*" || *p == "#" && is_number(w))
    };
    HABITS
        .iter()
        .find(|(pattern, _)| fits(pattern))
        .map(|h| h.1)
}

/// Whether a line begins a block, and whether it ends one.
pub fn block(line: &str) -> (bool, bool) {
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or_default();
    // With something behind it, `python` is whole.
    let opens = BLOCKS.contains(&word) && (word != "python" || words.next().is_none());
    (opens, line.trim() == "end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_reached_and_takes_no_command_away() {
        for (pattern, instead) in HABITS {
            let line = pattern.replace('#', "3").replace('*', "zz");
            assert_eq!(told(&line), Some(*instead), "{pattern}");
            assert!(instead.len() <= 100, "{instead}");
        }
        for row in table::COMMANDS {
            assert_eq!(told(row.name), None, "{}", row.name);
        }
        for line in ["c", "c &", "b 3 if x = 4", "info sources", "set x = 3"] {
            assert_eq!(told(line), None, "{line}");
        }
        assert_eq!(told("cont 3"), told("c 3"));
        assert_eq!(told("commands 1"), Some(NO_BLOCK));
        assert_eq!(
            (block("python"), block("python 1")),
            ((true, false), (false, false))
        );
    }
}
