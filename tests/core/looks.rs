//! A look why a program hangs stops it for a moment, and nobody but the one who looks takes that for a stop.

use crate::support;

use omp_debug::debugger::{BreakpointSpec, Change, Command, Phase, Reply, SessionId, hang::Hang};
use support::bench::{Bench, PATIENCE, function};

/// The stops that those who follow the program heard of.
fn told(bench: &Bench) -> usize {
    let is_stop = |change: &Change| matches!(change, Change::Stopped { .. });
    bench.desk.count(bench.session, is_stop)
}

fn look(session: SessionId) -> Command {
    Command::Hang {
        session: Some(session),
        threads: None,
    }
}

fn pause() -> Command {
    Command::Pause {
        session: None,
        thread: None,
        momentary: false,
    }
}

fn seen(reply: Reply) -> Hang {
    match reply {
        Reply::Hang { hang } => *hang,
        other => panic!("a look gave {other:?}"),
    }
}

/// A program that runs until it is paused.
async fn running(options: &[&str]) -> Bench {
    let mut all = vec!["--endless"];
    all.extend(options);
    let mut bench = Bench::open(&all).await;
    bench.resume(None).await;
    let session = bench.session;
    let runs = bench.desk.phase(session, Phase::Running, PATIENCE);
    runs.await.unwrap();
    bench
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_runs_on_for_everyone_else() {
    let mut bench = running(&[]).await;
    let never = BreakpointSpec {
        temporary: true,
        ..function("never")
    };
    bench.set(never).await.unwrap();
    let hang = seen(bench.ask(look(bench.session)).await.unwrap());
    assert!(!hang.waiters.is_empty() && hang.stood_ms.is_some());
    assert_eq!(hang.notes, [""; 0]);
    assert_eq!(bench.heard("pause").len(), 1);
    assert_eq!(bench.heard("continue").len(), 2);
    // A breakpoint for the next stop alone waits for that.
    let lists = bench.heard("setFunctionBreakpoints");
    assert_eq!(lists.last().unwrap()["breakpoints"][0]["name"], "never");
    // What comes after it in the same order of events.
    bench.ask(pause()).await.unwrap();
    assert_eq!(bench.next_stop().await.0, "pause");
    let is_look = |change: &Change| matches!(change, Change::LookedAt { .. });
    assert_eq!(bench.desk.count(bench.session, is_look), 1);
    assert_eq!(told(&bench), 2);
    let stops = bench.ask(Command::Stops { session: None }).await.unwrap();
    let Reply::Stops { stops } = stops else {
        panic!("the stops were {stops:?}");
    };
    let reasons: Vec<_> = stops.stops.iter().map(|stop| &stop.reason).collect();
    assert_eq!(reasons, ["entry", "pause"]);
    assert_eq!(bench.desk.state.breakpoints.len(), 0);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stops_it_meanwhile_is_not_passed_over() {
    let mut bench = running(&["--pause-reason", "breakpoint"]).await;
    let hang = seen(bench.ask(look(bench.session)).await.unwrap());
    assert_eq!(
        hang.notes,
        ["Something else stopped it meanwhile (breakpoint): it stays stopped."]
    );
    assert_eq!(hang.stood_ms, None);
    assert_eq!(bench.heard("continue").len(), 1);
    let stop = bench.desk.stop(bench.session, None, PATIENCE).await;
    assert_eq!(stop.unwrap().reason, "breakpoint");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_by_somebody_else_meanwhile_holds() {
    let mut bench = running(&["--slow", "threads=6000"]).await;
    let core = bench.desk.core.clone();
    let looking = core.request(look(bench.session));
    let looking = omp_debug::tasks::spawn(looking);
    let is_look = |change: &Change| matches!(change, Change::LookedAt { .. });
    let session = bench.session;
    let looked_at = |desk: &support::core::Desk| (desk.count(session, is_look) > 0).then_some(());
    let stands = bench.desk.until("the look", PATIENCE, looked_at);
    stands.await.unwrap();
    bench.ask(pause()).await.unwrap();
    let (reason, ..) = bench.next_stop().await;
    assert_eq!(reason, "pause");
    seen(looking.await.unwrap().unwrap());
    assert_eq!(bench.heard("continue").len(), 1);
    assert_eq!(bench.heard("pause").len(), 1);
    bench.end().await;
}
