//! Scenarios of going on: steps, pauses, jumps, backwards, threads.

use omp_debug::dap::requests::{
    Goto, GotoArguments, GotoTargets, GotoTargetsArguments, StepInTargets, StepInTargetsArguments,
};
use omp_debug::debugger::{Command, Granularity, StepKind, Stop};
use rustix::net::sockopt::tcp_nodelay;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use super::bench::{Bench, counts};
use crate::support::core::Outcome;
use crate::support::procs::wait_until;

pub async fn steps(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price").await?;
    bench.stopped_for(&stop, "breakpoint")?;
    let stop = bench.next(&stop, Some(StepKind::Over)).await?;
    bench.stands_at(&stop, "price-return")?;
    let price = bench.rig.words.price;
    bench.must_be(price, "20").await?;
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("total 165").await
}

pub async fn step_out(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    let stop = bench.next(&stop, Some(StepKind::Out)).await?;
    let name = &bench.frames(&stop)[0].name;
    if !name.to_lowercase().contains("total") {
        return Err(bench.blame(format!("after the step out it stands in {name}")));
    }
    bench.terminate(session).await
}

/// Wherever it stands, it is in the function that has the price.
fn stands_in_the_call(bench: &Bench, stop: &Stop) -> Outcome<()> {
    let name = &bench.frames(stop)[0].name;
    if name.to_lowercase().contains("price") {
        return Ok(());
    }
    Err(bench.blame(format!("after the step in it stands in {name}")))
}

pub async fn step_in(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "loop-call").await?;
    let stop = bench.next(&stop, Some(StepKind::In)).await?;
    stands_in_the_call(bench, &stop)?;
    bench.terminate(session).await
}

pub async fn step_in_target(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "loop-call").await?;
    let asked = StepInTargetsArguments {
        frame_id: stop.selected.unwrap().frame_id,
    };
    let targets = bench.request::<StepInTargets>(&asked).await?.targets;
    let mut found = targets.iter();
    let Some(target) = found.find(|t| t.label.to_lowercase().contains("price")) else {
        return Err(bench.blame(format!("the targets are {targets:?}")));
    };
    let into = Command::StepInto {
        session: bench.at,
        thread: None,
        target: target.id,
    };
    bench.must("the step", into).await?;
    let stop = bench.stop(Some(&stop)).await?;
    stands_in_the_call(bench, &stop)?;
    bench.terminate(session).await
}

pub async fn instruction_steps(bench: &mut Bench) -> Outcome<()> {
    let (session, mut stop) = bench.launch_to("stock", "price-return").await?;
    let place = |bench: &Bench, stop: &Stop| {
        let frame = bench.frames(stop).first().cloned();
        frame.and_then(|frame| frame.instruction_pointer_reference)
    };
    let mut places = vec![place(bench, &stop)];
    for _ in 0..2 {
        let one = Command::Step {
            session: bench.at,
            thread: None,
            kind: StepKind::Over,
            granularity: Granularity::Instruction,
        };
        bench.must("a step", one).await?;
        stop = bench.stop(Some(&stop)).await?;
        places.push(place(bench, &stop));
    }
    places.dedup();
    if places.len() != 3 || places.contains(&None) {
        return Err(bench.blame(format!("it was at {places:?}")));
    }
    bench.terminate(session).await
}

/// Whether a connection of the process sends small messages at once. Node's inspector does not of its own accord, and the program has none.
fn answers_at_once(pid: u32) -> bool {
    let number = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let process = pidfd_open(number, PidfdFlags::empty()).unwrap();
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .any(|entry| {
            let name = entry.unwrap().file_name();
            let number = name.to_str().unwrap().parse().unwrap();
            let ours = pidfd_getfd(&process, number, PidfdGetfdFlags::empty());
            ours.is_ok_and(|ours| tcp_nodelay(ours).unwrap_or(false))
        })
}

pub async fn pause_and_run_to(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await?;
    counts(&counter).await?;
    let pause = Command::Pause {
        session: None,
        thread: None,
        momentary: false,
    };
    bench.must("pause", pause).await?;
    let stop = bench.stop(None).await?;
    if stop.reason != "pause" {
        return Err(bench.blame(format!("it stopped for {:?}", stop.reason)));
    }
    if bench.rig.adapter == "js-debug-adapter" {
        let pid = bench.pid()?;
        let limit = std::time::Duration::from_secs(20);
        wait_until("its runtime to answer at once", pid, limit, || {
            answers_at_once(pid)
        });
    }
    let line = bench.line("count");
    let run = Command::RunTo {
        session: bench.at,
        path: bench.rig.source.clone(),
        line,
    };
    bench.must("run to", run).await?;
    let stop = bench.stop(Some(&stop)).await?;
    bench.stands_at(&stop, "count")?;
    if !bench.desk.state.breakpoints.is_empty() {
        return Err(bench.blame("the temporary breakpoint is still there"));
    }
    let depth = bench.frames(&stop).len();
    bench.resume(None).await?;
    counts(&counter).await?;
    // What is asked of it while it runs leaves nothing of the last stop behind.
    bench
        .must("threads", Command::Threads { session: bench.at })
        .await?;
    bench.break_at("price").await?;
    let pause = Command::Pause {
        session: None,
        thread: None,
        momentary: false,
    };
    bench.must("another pause", pause).await?;
    let stop = bench.stop(Some(&stop)).await?;
    let frames = bench.frames(&stop);
    if stop.reason != "pause" || frames.len() < depth.min(2) {
        let why = format!("{frames:?} of once {depth}, {:?}", stop.reason);
        return Err(bench.blame(why));
    }
    bench.terminate(session).await
}

pub async fn jump(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    let source = bench.frames(&stop)[0].source.clone();
    let asked = GotoTargetsArguments {
        source: source.unwrap_or_default(),
        line: bench.line("price"),
        column: None,
    };
    let targets = bench.request::<GotoTargets>(&asked).await?.targets;
    let Some(target) = targets.first() else {
        return Err(bench.blame("there is nowhere to go"));
    };
    let goto = GotoArguments {
        thread_id: stop.selected.unwrap().thread_id,
        target_id: target.id,
    };
    bench.request::<Goto>(&goto).await?;
    let stop = bench.stop(Some(&stop)).await?;
    bench.stands_at(&stop, "price")?;
    bench.terminate(session).await
}

/// Where the debugger keeps what the program does only when told to, it is told.
pub async fn step_back(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price").await?;
    let known = bench.desk.session(bench.at.unwrap());
    if known.can_record_execution {
        let record = Command::RecordExecution {
            session: bench.at,
            on: true,
        };
        bench.must("record", record).await?;
    }
    let stop = bench.next(&stop, Some(StepKind::Over)).await?;
    bench.stands_at(&stop, "price-return")?;
    let stop = bench.next(&stop, Some(StepKind::Back)).await?;
    bench.stands_at(&stop, "price")?;
    bench.terminate(session).await
}

pub async fn restart_frame(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    let command = Command::RestartFrame {
        session: bench.at,
        frame_id: None,
    };
    bench.must("restart the frame", command).await?;
    let stop = bench.stop(Some(&stop)).await?;
    stands_in_the_call(bench, &stop)?;
    let line = bench.line_at(&stop);
    if line > Some(bench.line("price")) {
        return Err(bench.blame(format!("it stands at line {line:?}")));
    }
    bench.terminate(session).await
}

/// The threads are told of, and each has a stack of its own.
pub async fn threads(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("threads", "worker").await?;
    let stopped = stop.selected.unwrap().thread_id;
    let at = bench.at.unwrap();
    let other = bench
        .desk
        .until("another thread", super::bench::PATIENCE, |desk| {
            let mut threads = desk.state.session(at)?.threads.iter();
            threads.find(|thread| thread.id != stopped).map(|t| t.id)
        })
        .await?;
    let select = Command::SelectFrame {
        session: bench.at,
        thread: other,
        frame_id: None,
    };
    bench.must("another thread's frame", select).await?;
    bench
        .desk
        .until("its stack", super::bench::PATIENCE, |desk| {
            let stop = desk.state.session(at)?.current_stop()?;
            let frames = &stop.stacks.get(&other)?.frames;
            (stop.selected?.thread_id == other && !frames.is_empty()).then_some(())
        })
        .await?;
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    for text in ["worker-0 step 2", "worker-1 step 2"] {
        bench.printed(text).await?;
    }
    Ok(())
}
