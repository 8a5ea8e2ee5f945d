//! `omp-debug`: a debugger and a diagnostics desk in one terminal, over the Debug Adapter Protocol.
//!
//! # The house
//!
//! Each room is a crate of this workspace: a folder below `src/` with a `Cargo.toml`, which says what it may use. This crate is
//! the front door; it names the rooms again, so that whoever uses it as a library finds all of them here.
//!
//! | layer | room | what is in it | what it may use |
//! |---|---|---|---|
//! | 6 | `main.rs`, [`commands`], [`config`] | one file a subcommand: its arguments, its text, its way to the screen; settings, exit codes | everything |
//! | 5 | [`tui`] | the screen: one event loop, one table of actions, routes, overlays, widgets, the terminal's guard | `debugger`, `diagnostics`, `dap` types, `base` |
//! | 5 | [`headless`] | the debugger's other fronts: run, repl, call, serve, mcp, mirror | the same |
//! | 4 | [`debugger`] | the core: adapters, sessions, breakpoints, one writer with typed commands in and numbered events out | `dap`, `base` |
//! | 4 | [`diagnostics`] | the desk: what a program leaves behind and what a machine says; logs, event streams, omp's files | `base` |
//! | 3 | [`dap`] | the Debug Adapter Protocol as it is spoken: framing, typed messages, transports, clients, and the supervisor of what is started | `base` |
//! | 1 | [`base`] | what all of them use: [`text`], pure functions on foreign text; [`regions`], what omp-debug itself is busy with; [`tasks`] of the runtime; [`peers`], who is at the other end of a connection; [`surroundings`], home, folders, PATH; [`files`], whole or not at all | nothing |
//!
//! Nothing points back, and only the screen names ratatui or crossterm: Cargo holds both. No code asks for an adapter's name:
//! `tests/core/architecture.rs` reads the sources and holds that.
//!
//! # How a key becomes a step
//!
//! A key finds the row of the action table it belongs to; the row's handler changes its surface and emits an effect. The loop hands it
//! to the core, which asks the adapter and publishes what changes as numbered events. The screen applies them to its copy of
//! [`debugger::State`] and draws once. **F10**, file by file. What these only ask on the way (the keymap, whether an agent drives, the gate,
//! the words of a request, the codec, what this adapter means by a stop) is not among them: it answers, and they go on.
//!
//! | file | what happens there |
//! |---|---|
//! | `tui/app/run.rs` | the loop takes the key from the terminal, before everything else, and finds the row that it belongs to; what comes of it goes to the core, in the order of the keys. In the end it takes a batch of events into the screen's copy, and draws when the frame is due |
//! | `tui/action/mod.rs` | the surface that has this row: the pane that has the keyboard, or what it is in |
//! | `tui/routes/debug/actions/mod.rs` | that row: its name, its keys, when it is there; and its handler: [`debugger::Command::Step`] of the thread that is looked at |
//! | `debugger/core/commands.rs` | the core's loop takes it: whether who asks may do it, and which file does it |
//! | `debugger/core/control.rs` | whether the state allows it ([`debugger::gate`]), and DAP's `next` |
//! | `dap/client/mod.rs` | the request gets its number and is written; `stopped` is read |
//! | `debugger/core/incoming.rs` | which file that event is for |
//! | `debugger/core/stops.rs` | the new stop; its stack and locals are asked for, and come the same way |
//! | `debugger/core/hub.rs` | each change is numbered and given to all who follow |
//! | `debugger/state/apply.rs` | what an event changes, the same on both sides |
//! | `tui/routes/debug/mod.rs` | which pane is drawn where |
//! | `tui/routes/debug/source/view.rs` | the line's arrow, as cells |
//!
//! # To add …
//!
//! | … | touch |
//! |---|---|
//! | an action of the screen | one row in that surface's `ACTIONS` |
//! | a pane | one file in `tui/routes/debug/`, and its name in `layout.rs` |
//! | a route of the desk | one file or folder in `tui/routes/`, and its row in the table of `tui/routes/mod.rs`: its name, its place at home and the actions that go there follow; with a text form, its file in `commands/` |
//! | an adapter | one entry in `assets/adapters.toml` |
//! | something that one can ask of the debugger | one row and its function, in a file of `debugger/tool/run/`: `call`, MCP, the line debugger, the palette and the schemas follow. It asks the adapter any request of the protocol (`turn.request`); what that is to be to an agent, if less than any request of the adapter's own, says a row of [`debugger::adapter_requests`] |
//! | a command of the line debugger, with a text of its own | one row in `headless/repl/table.rs`, which names its function |
//! | a command of the core, for what changes its state | one row in [`debugger::command`], with what it is for consent, and its arm in `debugger/core/commands.rs`; a variant of [`debugger::Reply`] if its answer is a new one |
//! | something that can happen | one variant of [`debugger::EventKind`] or [`debugger::Change`], and its arm in `debugger/state.rs` |
//! | a profile format | one file in `diagnostics/profile/import/`, and one row in its table there |
//! | a subcommand | one file in `commands/`, and one line of its enum in `commands/cli.rs` |
//! | a setting | one row of the table where its record is: [`debugger::core::Settings`] in `debugger/core/config.rs`, or [`tui::Settings`] in `tui/mod.rs`; the sample file, `docs/settings.md` and the words about a key that there is not follow |

pub mod commands;
pub mod config;

pub use omp_debug_base::{files, peers, region, regions, surroundings, tasks, text};
pub use {
    omp_debug_base as base, omp_debug_dap as dap, omp_debug_debugger as debugger,
    omp_debug_diagnostics as diagnostics, omp_debug_headless as headless, omp_debug_tui as tui,
};
