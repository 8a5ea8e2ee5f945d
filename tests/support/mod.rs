//! What integration tests share: a terminal, process watching, tools, and scripts for the fake
//! adapter. Each binary has it as its module `support`.
//!
//! Nothing here sleeps: every wait is for a condition, has a deadline, and on failure says what
//! was there instead.

// Each test binary compiles this folder for itself and uses a part of it.
#![allow(dead_code, reason = "each test binary uses a part of the kit")]
#![allow(
    unused_macros,
    unused_imports,
    reason = "each test binary uses a part of the kit"
)]
// Outside of #[test] functions clippy does not know that this is test code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

pub mod bench;
pub mod client;
pub mod core;
#[macro_use]
pub mod desk;
pub mod hot;
pub mod omp_home;
pub mod phases;
pub mod procs;
pub mod provider;
pub mod pty;
pub mod run;
pub mod suite;
#[macro_use]
pub mod tools;
pub mod trace;

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

/// Who has the machine, and how many of them there are.
static QUIET: Mutex<(Company, usize)> = Mutex::new((Company::Beside, 0));
static LEFT: Condvar = Condvar::new();

/// With whom a test of this binary runs, of those that ask. Cargo runs one binary at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    /// One more of its kind, on a processor each.
    InPairs,
    Beside,
}

/// The machine's quiet, as long as this is held.
#[must_use]
pub struct Quiet(());

impl Quiet {
    fn wait(company: Company) -> Self {
        let most = match company {
            Company::Alone => 1,
            Company::InPairs => 2,
            Company::Beside => usize::MAX,
        };
        let held = QUIET.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |(whose, many): &mut (Company, usize)| {
            *many > 0 && (*whose != company || *many >= most)
        };
        let mut held = LEFT
            .wait_while(held, is_taken)
            .unwrap_or_else(PoisonError::into_inner);
        *held = (company, held.1 + 1);
        Self(())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        QUIET.lock().unwrap_or_else(PoisonError::into_inner).1 -= 1;
        LEFT.notify_all();
    }
}

/// A quiet machine: while this is held, no test of this binary runs that asked for any of the three.
pub fn alone() -> Quiet {
    Quiet::wait(Company::Alone)
}

/// For debuggers, which are slow where they share a processor: one other at most.
pub fn in_pairs() -> Quiet {
    Quiet::wait(Company::InPairs)
}

/// For what would disturb one who is [`alone`]. Never ask while one of the three is held.
pub fn beside() -> Quiet {
    Quiet::wait(Company::Beside)
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A sample program's source, by its path below `tests/programs`.
pub fn program_source(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

/// Holds what a test file's head says of itself, `// suite: NAME asked N present M`, against what is there.
pub fn assert_suite(source: &str, present: usize) {
    let line = source
        .lines()
        .find_map(|line| line.strip_prefix("// suite: "));
    let words: Vec<_> = line.expect("a line `// suite:`").split(' ').collect();
    let [_, "asked", asked, "present", said] = words.as_slice() else {
        panic!("{words:?}");
    };
    assert_eq!(said.parse(), Ok(present), "what is present");
    assert!(asked.parse::<usize>().unwrap() <= present, "{words:?}");
}

/// Whether all of a long suite is to run, not only the part that belongs to every change.
pub fn full_matrix() -> bool {
    std::env::var_os("OMP_DEBUG_FULL_MATRIX").is_some_and(|value| value == "1")
}

/// The line (from 1) that carries `MARK: mark` in a comment.
pub fn line_of(file: &Path, mark: &str) -> u32 {
    let text = std::fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    let found = text.lines().position(|line| {
        line.split_once("MARK:")
            .is_some_and(|(_, rest)| rest.split_whitespace().next() == Some(mark))
    });
    let index = found.unwrap_or_else(|| panic!("{} has no line with MARK: {mark}", file.display()));
    u32::try_from(index + 1).unwrap()
}
