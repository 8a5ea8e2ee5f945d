//! The core against real adapters: a table of adapters and scenarios (`table`), and one test for each cell.
//!
//! What an adapter cannot do is said in the table, with its reason, and `docs/adapters.md` has it from there. With
//! `OMP_DEBUG_TRY_SKIPPED=1` only the cells that are left out are run: a test fails when its reason no longer holds. Every test ends with
//! no process left. Where two rigs have one adapter, every change runs what does not depend on the language on one of them alone:
//! `OMP_DEBUG_FULL_MATRIX=1` runs all.

// suite: T18 asked 240 present 388

mod bench;
mod breakpoints;
mod life;
mod lists;
mod machine;
mod moves;
mod reach;
mod rigs;
mod streams;
#[macro_use]
mod table;
mod values;

use crate::support;

use std::collections::BTreeSet;
use std::time::Duration;

use bench::Bench;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use omp_debug::debugger::Stop;
use rigs::Rig;
use support::core::Outcome;
use support::procs::Watchdog;
use table::Skip;

const LIMIT: Duration = Duration::from_mins(3);

type Alone = for<'b> fn(&'b mut Bench) -> LocalBoxFuture<'b, Outcome<()>>;
type AtAStop = for<'b> fn(&'b mut Bench, &'b Stop) -> LocalBoxFuture<'b, Outcome<()>>;

macro_rules! alone_tests {
    ($rig:ident: $($file:ident::$name:ident = $title:literal,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let scenario: crate::real_adapters::Alone = |bench| crate::real_adapters::$file::$name(bench).boxed_local();
                crate::real_adapters::alone(stringify!($rig), stringify!($name), crate::real_adapters::rigs::$rig, scenario).await;
            }
        )*
    };
}

macro_rules! scenarios_at_a_stop {
    (: $($file:ident::$name:ident = $title:literal,)*) => {
        /// By name.
        const AT_A_STOP: &[(&str, AtAStop)] = &[
            $((stringify!($name), |bench, stop| $file::$name(bench, stop).boxed_local())),*
        ];
    };
}

macro_rules! rigs {
    ($($rig:ident)*) => {
        $(
            mod $rig {
                use futures_util::FutureExt as _;

                alone!(alone_tests $rig:);

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn at_a_stop() {
                    crate::real_adapters::at_a_stop(stringify!($rig), crate::real_adapters::rigs::$rig).await;
                }
            }
        )*
        const RIGS: &[&str] = &[$(stringify!($rig)),*];
    };
}

at_a_stop!(scenarios_at_a_stop :);
rigs!(debugpy lldb_c lldb_rust lldb_command_line gdb codelldb dlv js_debug typescript bash_dap rdbg);

/// Whether the cells that are left out are tried, and those alone.
fn tries_skipped() -> bool {
    std::env::var_os("OMP_DEBUG_TRY_SKIPPED").is_some()
}

/// Whether a cell is to be run. For what a language lacks its program has nothing that could be, and what works now and then is
/// never to be relied on.
fn is_wanted(skip: Option<Skip>) -> bool {
    match skip {
        None => !tries_skipped(),
        Some(Skip::Language(_) | Skip::Unsteady(_)) => false,
        Some(_) => tries_skipped(),
    }
}

/// Holds what became of a cell to what the table says of it.
fn judge(rig: &str, scenario: &str, skip: Option<Skip>, outcome: Outcome<()>) -> Outcome<()> {
    match (skip, outcome) {
        (None, outcome) => outcome.map_err(|why| format!("{rig} {scenario}: {why}")),
        (Some(skip), Ok(())) => Err(format!(
            "{rig} {scenario} works, and the table leaves it out: {skip:?}"
        )),
        (Some(skip), Err(why)) => {
            let why = why.lines().next().unwrap_or_default();
            eprintln!("{rig} {scenario}: left out for {skip:?}, and indeed: {why}");
            Ok(())
        }
    }
}

async fn alone(rig: &'static str, name: &'static str, make: fn() -> Option<Rig>, scenario: Alone) {
    let skip = table::skip(rig, name);
    if !is_wanted(skip) {
        return;
    }
    if let Some(other) =
        table::stand_in(rig, name).filter(|_| skip.is_none() && !support::full_matrix())
    {
        eprintln!(
            "left out: {rig} {name}, which {other} runs; OMP_DEBUG_FULL_MATRIX=1 cargo test --test adapters real_adapters:: runs it too"
        );
        return;
    }
    let Some(found) = make() else { return };
    let _watchdog = Watchdog::new(&format!("{rig} {name}"), LIMIT);
    let mut bench = Bench::open(rig, found).await;
    let outcome = match scenario(&mut bench).await {
        Ok(()) => bench.close().await,
        failed => failed,
    };
    if let Err(why) = judge(rig, name, skip, outcome) {
        panic!("{why}");
    }
}

/// A bench with the program at its stop.
async fn stopped(rig: &'static str, found: Rig) -> Outcome<(Bench, Stop)> {
    let mut bench = Bench::open(rig, found).await;
    let (_, stop) = bench.launch_to("stock", "price-return").await?;
    Ok((bench, stop))
}

async fn at_a_stop(rig: &'static str, make: fn() -> Option<Rig>) {
    let Some(found) = make() else { return };
    let _watchdog = Watchdog::new(&format!("{rig} at a stop"), LIMIT);
    let mut troubles = Vec::new();
    if tries_skipped() {
        // Each by itself: what an adapter does not know may be the end of it.
        for (name, scenario) in AT_A_STOP {
            let skip = table::skip(rig, name);
            if !is_wanted(skip) {
                continue;
            }
            let outcome = match stopped(rig, found.clone()).await {
                Ok((mut bench, stop)) => scenario(&mut bench, &stop).await,
                Err(why) => panic!("{why}"),
            };
            troubles.extend(judge(rig, name, skip, outcome).err());
        }
    } else {
        let (mut bench, stop) = stopped(rig, found)
            .await
            .unwrap_or_else(|why| panic!("{why}"));
        for (name, scenario) in AT_A_STOP {
            if table::skip(rig, name).is_none() {
                let outcome = scenario(&mut bench, &stop).await;
                troubles.extend(judge(rig, name, None, outcome).err());
            }
        }
        if troubles.is_empty() {
            troubles.extend(bench.close().await.err());
        }
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n\n"));
}

/// Each cell that is left out is a cell, and no cell is left out twice.
#[test]
fn the_table_names_what_there_is() {
    let columns: Vec<_> = table::COLUMNS.iter().map(|(rig, _)| *rig).collect();
    assert_eq!(columns, RIGS);
    let rows: Vec<_> = table::ALONE.iter().chain(table::AT_A_STOP).collect();
    let mut seen = BTreeSet::new();
    for (scenario, rigs, skip) in table::SKIPS {
        assert!(
            rows.iter().any(|(name, _)| name == scenario),
            "no scenario {scenario}"
        );
        for rig in *rigs {
            assert!(RIGS.contains(rig), "no rig {rig}: {scenario}, {skip:?}");
            assert!(seen.insert((scenario, rig)), "{scenario} on {rig}, twice");
        }
    }
    for scenario in table::PROCESS_ALONE {
        let mut alone = table::ALONE.iter();
        assert!(alone.any(|(name, _)| name == scenario), "{scenario}");
        let is_run = |rig: &&&str| table::skip(rig, scenario).is_none();
        let at_every_change = |rig: &&&str| is_run(rig) && table::stand_in(rig, scenario).is_none();
        assert!(
            RIGS.iter().filter(at_every_change).count() >= 2,
            "{scenario}"
        );
        for (rig, other) in table::OTHER_LANGUAGES {
            // Whoever stands in for it runs it.
            assert!(at_every_change(&other) || !is_run(&rig), "{rig} {scenario}");
        }
    }
    let present = rows.len() * RIGS.len() - seen.len();
    support::suite::assert_present(include_str!("mod.rs"), "T18", present);
}
