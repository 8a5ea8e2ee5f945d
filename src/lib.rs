//! `omp-debug`: a debugger and a diagnostics desk in one terminal, over the Debug Adapter Protocol.
//!
//! # The house
//!
//! | room | what is in it | what it may use |
//! |---|---|---|
//! | `main.rs`, [`cli`], [`config`] | arguments, settings, the choice of a front end, exit codes | everything |
//! | [`tui`] | the screen: one event loop, one table of actions, routes, overlays, widgets, the terminal's guard | `debugger`, `diagnostics`, `dap` types, `text` |
//! | [`headless`] | the other fronts: what prints instead of drawing | the same |
//! | [`debugger`] | the core: adapters, sessions, breakpoints, one writer with typed commands in and numbered events out | `dap`, `text` |
//! | [`diagnostics`] | the desk: what a program leaves behind and what a machine says; logs, event streams, omp's files | `text` |
//! | [`dap`] | the wire: framing, typed messages, transports, clients, and the supervisor of what is started | `text` |
//! | [`text`] | the pantry: pure functions on foreign text | nothing |
//! | [`regions`] | another shelf of it: what omp-debug itself is busy with, recorded by every room | nothing |
//! | [`tasks`] | another: tasks of the runtime, behind one type | nothing |
//! | [`peers`] | another: who is at the other end of a connection, and who listens on a port | nothing |
//! | [`surroundings`] | another: home, our folders, PATH, and programs of others that are asked something | nothing |
//! | [`files`] | another: what is written, so that nothing is half, planted or lost without a word | nothing |
//!
//! Nothing points back, only the screen names ratatui or crossterm, and no code asks for an adapter's name: `tests/architecture.rs`
//! reads the sources and holds all three.
//!
//! # How a key becomes a step
//!
//! A key reaches [`tui::app`], which finds the row of the action table it belongs to. The row's handler changes its surface and
//! emits an effect: [`debugger::Command::Step`]. The loop hands it to the core ([`debugger::core`]), which checks the state machine
//! ([`debugger::gate`]), writes the request ([`dap::client`]) and publishes what changes as [`debugger::Event`]s. The app applies
//! them to its copy of [`debugger::State`] and draws once.
//!
//! # To add …
//!
//! | … | touch |
//! |---|---|
//! | an action of the screen | one row in that surface's `ACTIONS` |
//! | a pane | one file in `tui/routes/debug/`, and its name in `layout.rs` |
//! | a route | one folder in `tui/routes/`, and one line in `tui/routes/mod.rs` |
//! | an adapter | one entry in `assets/adapters.toml` |
//! | an action of the debug tool | one row of [`debugger::tool::ACTIONS`], and its arm in `debugger/tool/run/` |
//! | something a front end can ask for | one variant of [`debugger::Command`], and its handler in `debugger/core/` |
//! | something that can happen | one variant of [`debugger::EventKind`] or [`debugger::Change`], and its arm in `debugger/state.rs` |
//! | a setting | one documented row in `config.rs` |

pub mod cli;
pub mod config;
pub mod dap;
pub mod debugger;
pub mod diagnostics;
pub mod files;
pub mod headless;
pub mod peers;
pub mod regions;
#[cfg(test)]
#[path = "../tests/support/suite.rs"]
mod suite;
pub mod surroundings;
pub mod tasks;
pub mod text;
pub mod tui;
