//! How fast omp-debug is, as ratios: each figure beside the least that any program could need, taken in the same run.
//!
//! `cargo bench --bench ratios [-- [GOAL …] [--rounds N] [--quick] [--strict]]` prints one table. A figure of one machine on one
//! day says little, and so does a floor measured at another time: floor and ours take turns, and medians are
//! compared. What needs a tool that is not there is left out, and said so.
//!
//! | file | what is in it |
//! |---|---|
//! | `options` | the command line |
//! | `table` | rows and how they are printed |
//! | `job` | one piece of debugging, done by the floor and by ours in processes of their own |
//! | `worker` | ours: the core as a library, driven as a front end drives it |
//! | `programs` | tools and sample programs |
//! | `adapters` | goals about debugging: G6, G7, G8, G10, G11, lists |
//! | `artifacts` | goals about files that sessions left: G16 |
//! | `headless` | goals about the fronts without a screen: G9 |
//! | `mcp` | goals about the server of agents |
//! | `data` | a table of a million rows |
//! | `sse` | goals about event streams: G12 |
//! | `logs` | goals about logs: G1 to G5, and a log that is being written |
//! | `terminal` | a program in a pseudo terminal, with the time of every byte it wrote |
//! | `screen` | goals about the screen: G13, G14, and the way to the pixels |
//! | `memory` | one sample of a process, a heap snapshot beside `jq empty` |
//! | `opened` | a large profile beside `jq empty`, the keys of a flame view of a million stacks |
//! | `profile` | a program that is looked at beside one that is not: G17 |
//! | `report` | a report beside `tar czf`: G15 |
//! | `frames`, `naive` | a frame of ours, and the floor: one drawn without thought |
//! | `paper` | where ours is drawn |

#[path = "../../tests/support/mod.rs"]
mod support;

mod adapters;
mod artifacts;
mod data;
mod frames;
mod headless;
mod job;
mod logs;
mod mcp;
mod memory;
mod naive;
mod opened;
mod options;
mod paper;
mod profile;
mod programs;
mod report;
mod screen;
mod sse;
mod table;
mod terminal;
mod worker;

use std::process::ExitCode;

use color_eyre::eyre::Result;

use options::{Goal, Options};
use table::Table;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    // As omp-debug itself does: adapters are held by a supervisor that is this very program.
    if omp_debug::dap::supervise::is_request(&arguments) {
        return omp_debug::dap::supervise::main(&arguments);
    }
    let arguments = arguments.iter().map(|a| a.to_string_lossy().into_owned());
    match run(&arguments.collect::<Vec<_>>()) {
        Ok(code) => code,
        Err(error) => {
            table::say(&format!("ratios: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Every goal, in the order of the table.
fn goals() -> impl Iterator<Item = &'static Goal> {
    adapters::GOALS
        .iter()
        .chain(headless::GOALS)
        .chain(mcp::GOALS)
        .chain(data::GOALS)
        .chain(logs::GOALS)
        .chain(sse::GOALS)
        .chain(artifacts::GOALS)
        .chain(screen::GOALS)
        .chain(report::GOALS)
        .chain(memory::GOALS)
        .chain(opened::GOALS)
        .chain(profile::GOALS)
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    if let [mode, job] = arguments
        && mode == job::WORKER
    {
        return worker::main(job).map(|()| ExitCode::SUCCESS);
    }
    if let [mode, pid, source] = arguments
        && mode == profile::LOOKER
    {
        return profile::look(pid, source).map(|()| ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments)?;
    let mut table = Table::begin(&options);
    for goal in goals() {
        if options.wants(goal.name) {
            table.take((goal.measure)(&options));
        }
    }
    Ok(table.end(&options))
}
