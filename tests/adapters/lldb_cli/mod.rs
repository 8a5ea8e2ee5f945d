//! LLDB's command line as a backend, on the real lldb: commands and their ends, sessions, simulators.

// suite: T17 asked 52 present 31

mod backend;
mod commands;
mod sessions;
mod simulators;

use crate::support;

#[test]
fn the_suite_holds_what_its_head_says() {
    let files = [
        include_str!("backend.rs"),
        include_str!("commands.rs"),
        include_str!("sessions.rs"),
        include_str!("simulators.rs"),
    ];
    let present = files.map(support::suite::tests_in).iter().sum();
    support::suite::assert_present(include_str!("mod.rs"), "T17", present);
}
