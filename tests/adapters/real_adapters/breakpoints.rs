//! Scenarios of what makes a program stop, or print.

use omp_debug::dap::types::DataBreakpointAccessType;
use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Command, DATA_BREAKPOINT, ExceptionFilter, Reply, SessionId,
    Stop,
};

use super::bench::{Bench, PATIENCE};
use super::rigs::Failure;
use crate::support::core::Outcome;

/// Lets it run to its end, and sees that it computed what it does without us.
async fn run_out(bench: &mut Bench, session: SessionId) -> Outcome<()> {
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("total 165").await
}

/// A count beside it counts the hits on which it holds.
pub async fn condition(bench: &mut Bench) -> Outcome<()> {
    let breakpoint = BreakpointSpec {
        condition: Some(bench.rig.words.price_is_25.to_owned()),
        hit_condition: Some("1".to_owned()),
        ..bench.place("price-return")
    };
    bench.set(breakpoint).await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(None).await?;
    bench.stands_at(&stop, "price-return")?;
    let price = bench.rig.words.price;
    bench.must_be(price, "25").await?;
    run_out(bench, session).await
}

/// A number is that hit alone.
pub async fn hit_count(bench: &mut Bench) -> Outcome<()> {
    let second = BreakpointSpec {
        hit_condition: Some("2".to_owned()),
        ..bench.place("price-return")
    };
    bench.set(second).await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(None).await?;
    bench.stands_at(&stop, "price-return")?;
    let price = bench.rig.words.price;
    bench.must_be(price, "25").await?;
    run_out(bench, session).await
}

pub async fn log_point(bench: &mut Bench) -> Outcome<()> {
    let log = BreakpointSpec {
        log_message: Some("cost is {cost}".to_owned()),
        ..bench.place("loop")
    };
    bench.set(log).await?;
    let session = bench.launch(&["stock"]).await?;
    bench.gone(session).await?;
    for cost in [20, 25, 120] {
        bench.printed(&format!("cost is {cost}")).await?;
    }
    bench.printed("total 165").await
}

pub async fn function_breakpoint(bench: &mut Bench) -> Outcome<()> {
    let site = BreakpointSite::Function {
        name: bench.rig.words.function.to_owned(),
    };
    bench.set(BreakpointSpec::at(site)).await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(None).await?;
    bench.stopped_for(&stop, "breakpoint")?;
    let name = &bench.frames(&stop)[0].name;
    if !name.to_lowercase().contains("price") {
        return Err(bench.blame(format!("it stands in {name}")));
    }
    bench.no_breakpoints().await?;
    run_out(bench, session).await
}

/// What was true of one process alone went with it.
fn none_left(bench: &Bench) -> Outcome<()> {
    let left = &bench.desk.state.breakpoints;
    if left.is_empty() {
        return Ok(());
    }
    Err(format!("a place in memory outlived its process: {left:?}"))
}

pub async fn instruction_breakpoint(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    let frame = bench.frames(&stop).first().cloned();
    let reference = frame.and_then(|frame| frame.instruction_pointer_reference);
    bench.no_breakpoints().await?;
    let Some(reference) = reference else {
        return Err(bench.blame("the frame has no place among the instructions"));
    };
    let site = BreakpointSite::Instruction {
        reference,
        offset: None,
    };
    bench.set(BreakpointSpec::at(site)).await?;
    let stop = bench.next(&stop, None).await?;
    bench.stopped_for(&stop, "breakpoint")?;
    bench.stands_at(&stop, "price-return")?;
    let price = bench.rig.words.price;
    bench.must_be(price, "25").await?;
    bench.terminate(session).await?;
    none_left(bench)
}

pub async fn data_breakpoint(bench: &mut Bench) -> Outcome<()> {
    let (session, stop) = bench.launch_to("stock", "loop-call").await?;
    let (name, place) = bench.rig.data;
    bench.must_be(name, "0").await?;
    let info = Command::DataBreakpointInfo {
        session: bench.at,
        container: None,
        frame_id: None,
        name: place.to_owned(),
        bytes: None,
        mode: None,
    };
    let data_id = match bench.must("its info", info).await? {
        Reply::DataBreakpointInfo { info } => info.data_id,
        other => return Err(format!("its info is {other:?}")),
    };
    let Some(data_id) = data_id else {
        return Err(bench.blame(format!("{name} cannot be watched")));
    };
    bench.no_breakpoints().await?;
    let site = BreakpointSite::Data {
        data_id,
        access: Some(DataBreakpointAccessType::Write),
        name: None,
    };
    bench.set(BreakpointSpec::at(site)).await?;
    let stop = bench.next(&stop, None).await?;
    let value = bench.value_in(None, name).await?;
    if value == "0"
        || bench.desk.state.breakpoints.len() != 1
        || stop.reason != DATA_BREAKPOINT
        || stop.text.is_none()
    {
        let why = format!("it stopped for {}, and {name} is {value}", stop.reason);
        return Err(bench.blame(why));
    }
    bench.terminate(session).await?;
    none_left(bench)
}

async fn choose(bench: &mut Bench, filter: &str, condition: Option<&str>) -> Outcome<()> {
    let filters = vec![ExceptionFilter {
        filter: filter.to_owned(),
        condition: condition.map(str::to_owned),
        mode: None,
        off: false,
        by_type: false,
    }];
    let command = Command::SetExceptionFilters {
        filters: Some(filters),
    };
    bench.must("the filter", command).await.map(drop)
}

/// Waits for the stop at a failure, and for what is said of it.
async fn fails(bench: &mut Bench, failure: Failure) -> Outcome<Stop> {
    let stop = bench.stop(None).await?;
    if !matches!(stop.reason.as_str(), "exception" | "signal") {
        return Err(bench.blame(format!("it stopped for {:?}", stop.reason)));
    }
    // Where it stands depends on the frames of the runtime below the failure.
    let line = bench.line(failure.mark);
    if !bench.frames(&stop).iter().any(|frame| frame.line == line) {
        return Err(bench.blame(format!("no frame at line {line}")));
    }
    let (at, text) = (bench.at.unwrap(), failure.text);
    let what = format!("{text:?} in the stop");
    let said = |desk: &crate::support::core::Desk| {
        let stop = desk.state.session(at)?.current_stop()?;
        let words = format!(
            "{} {:?} {:?} {:?}",
            stop.reason, stop.text, stop.description, stop.exception
        );
        words.contains(text).then_some(())
    };
    bench.desk.until(&what, PATIENCE, said).await?;
    Ok(stop)
}

pub async fn failures_stop(bench: &mut Bench) -> Outcome<()> {
    let failure = bench.rig.failure;
    if let Some(filter) = failure.filter {
        choose(bench, filter, None).await?;
    }
    let session = bench.launch(&[failure.mode]).await?;
    fails(bench, failure).await?;
    bench.terminate(session).await
}

pub async fn caught_exceptions(bench: &mut Bench) -> Outcome<()> {
    let caught = bench.rig.caught;
    let Some(filter) = caught.filter else {
        return Err("there is no filter for it".to_owned());
    };
    choose(bench, filter, None).await?;
    let session = bench.launch(&[caught.mode]).await?;
    fails(bench, caught).await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("caught").await
}

pub async fn exception_condition(bench: &mut Bench) -> Outcome<()> {
    let caught = bench.rig.caught;
    let (holds, fails_to) = caught.conditions;
    let Some(filter) = caught.filter else {
        return Err("there is no filter for it".to_owned());
    };
    choose(bench, filter, Some(fails_to)).await?;
    let session = bench.launch(&[caught.mode]).await?;
    bench.gone(session).await?;
    bench.printed("caught").await?;
    if bench.at.is_some() {
        return Err(bench.blame("it stopped"));
    }
    choose(bench, filter, Some(holds)).await?;
    let session = bench.launch(&[caught.mode]).await?;
    fails(bench, caught).await?;
    bench.terminate(session).await
}
