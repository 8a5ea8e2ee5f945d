//! The operations at work, over the core's commands: each file has its rows and the functions that they name.
//!
//! | file | actions |
//! |---|---|
//! | `start` | launch, attach, terminate, sessions, output |
//! | `control` | continue, the steps, pause; waiting for what comes |
//! | `breakpoints` | all that set and remove, and recording |
//! | `inspect` | stack, threads, scopes, variables, evaluation, what data can be watched |
//! | `data` | values as tables, lines, texts |
//! | `agent_actions` | what an agent needs beside the 28 |
//! | `prelude` | what all of them name |
//! | `machine` | instructions, memory, modules, sources, requests of the adapter's own |

mod agent_actions;
mod breakpoints;
mod control;
mod data;
mod inspect;
mod machine;
mod prelude;
mod start;

use super::row::ActionRow;

/// The rows of all files.
pub const ROWS: [&[ActionRow]; 7] = [
    agent_actions::ROWS,
    data::ROWS,
    breakpoints::ROWS,
    start::ROWS,
    control::ROWS,
    inspect::ROWS,
    machine::ROWS,
];
