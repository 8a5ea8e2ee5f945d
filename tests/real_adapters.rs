//! The core against real adapters: one table of adapters, one list of scenarios, one test for each pair.
//!
//! What an adapter cannot do is said in its row. Every test ends with no process left.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use omp_debug::dap::types::DataBreakpointAccessType;
use omp_debug::debugger::{
    AttachSpec, BreakpointSite, BreakpointSpec, Change, Command, Console, Granularity, Kind,
    LaunchSpec, Phase, Reply, SessionId, StepKind, Stop,
};
use support::core::{Desk, Home, Outcome};
use support::procs::{self, Watchdog};
use support::{line_of, program_source, tools};

const PATIENCE: Duration = Duration::from_secs(15);
const LIMIT: Duration = Duration::from_mins(3);

/// One adapter with a program for it.
#[derive(Clone)]
struct Rig {
    adapter: &'static str,
    program: PathBuf,
    source: PathBuf,
    /// The mode in which the program fails for good, the mark where it does, and what the stop says of it.
    failure: Option<(&'static str, &'static str, &'static str)>,
    logpoints: bool,
    /// Stops at machine instructions.
    instructions: bool,
    /// A variable of the program that it can watch for changes, by its address; none when it cannot stop at such.
    data: Option<&'static str>,
    /// Asks for a terminal of ours when told to.
    terminal: bool,
    /// Takes a file for standard input.
    stdin: bool,
    attach_by_pid: bool,
    detach_of_launched: bool,
    /// What the sum is when the program is told of another price after it has put the price away.
    sum: &'static str,
    /// What the exit code is when the program is told to exit with 7.
    exit_code: Option<i64>,
}

fn debugpy() -> Option<Rig> {
    tools::required("debugpy", tools::debugpy())?;
    Some(Rig {
        adapter: "debugpy",
        program: tools::python_program(),
        source: tools::python_program(),
        failure: Some(("uncaught", "raise-uncaught", "no such shelf: 1")),
        logpoints: true,
        instructions: false,
        data: None,
        terminal: true,
        stdin: false,
        attach_by_pid: true,
        detach_of_launched: false,
        sum: "total 150",
        exit_code: Some(7),
    })
}

fn lldb_c() -> Option<Rig> {
    tools::required("lldb-dap", tools::lldb_dap())?;
    Some(Rig {
        adapter: "lldb-dap",
        program: tools::c_program(),
        source: program_source("prog.c"),
        failure: Some(("crash", "crash", "SIGSEGV")),
        logpoints: true,
        instructions: false,
        data: Some("hits"),
        terminal: true,
        stdin: false,
        attach_by_pid: true,
        detach_of_launched: true,
        sum: "total 150",
        exit_code: Some(7),
    })
}

fn lldb_rust() -> Option<Rig> {
    Some(Rig {
        program: tools::rust_program(),
        source: program_source("prog.rs"),
        data: Some("total"),
        failure: None,
        // The sum is 165, when the result was in its register by then.
        sum: "total 1",
        ..lldb_c()?
    })
}

fn lldb_command_line() -> Option<Rig> {
    tools::required("lldb", tools::lldb())?;
    Some(Rig {
        adapter: "lldb-cli",
        instructions: true,
        data: None,
        terminal: false,
        stdin: true,
        ..lldb_c()?
    })
}

fn gdb() -> Option<Rig> {
    tools::required("gdb", tools::gdb())?;
    Some(Rig {
        adapter: "gdb",
        program: tools::c_program(),
        source: program_source("prog.c"),
        failure: Some(("crash", "crash", "signal")),
        logpoints: true,
        instructions: true,
        data: None,
        terminal: false,
        stdin: false,
        attach_by_pid: true,
        detach_of_launched: false,
        sum: "total 150",
        exit_code: Some(7),
    })
}

fn dlv() -> Option<Rig> {
    tools::required("dlv", tools::dlv())?;
    let go = tools::required("go", tools::go())?;
    Some(Rig {
        adapter: "dlv",
        program: tools::go_program(&go),
        source: program_source("prog/main.go"),
        failure: Some(("uncaught", "raise-uncaught", "no such shelf: 1")),
        logpoints: true,
        instructions: true,
        data: None,
        terminal: false,
        stdin: false,
        attach_by_pid: true,
        detach_of_launched: false,
        // The result is in its register by then.
        sum: "total 165",
        exit_code: Some(7),
    })
}

macro_rules! scenarios {
    ($list:tt: $($rig:ident)*) => { $( scenarios!(@ $rig $list); )* };
    (@ $rig:ident [$($scenario:ident)*]) => {
        mod $rig {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $scenario() {
                    let Some(rig) = super::$rig() else { return };
                    let _watchdog = super::Watchdog::new(concat!(stringify!($rig), " ", stringify!($scenario)), super::LIMIT);
                    let mut bench = super::Bench::open(rig).await;
                    let outcome = super::$scenario(&mut bench).await;
                    let outcome = match outcome {
                        Ok(()) => bench.close().await,
                        failed => failed,
                    };
                    if let Err(why) = outcome {
                        panic!("{why}");
                    }
                }
            )*
        }
    };
}

scenarios!([
    stops_steps_and_values
    conditions_hits_and_log_points
    instruction_breakpoint
    data_breakpoint
    failures_stop
    pause_and_run_to
    restart
    detach_leaves_it_running
    attach_by_pid
    attach_by_port
    what_cannot_be_debugged
    exit_codes
    input_from_a_file
    environment
    console_on_a_pipe
    console_on_a_terminal
]: debugpy lldb_c lldb_rust lldb_command_line gdb dlv);

struct Bench {
    rig: Rig,
    home: Home,
    desk: Desk,
}

impl Bench {
    async fn open(rig: Rig) -> Self {
        let home = Home::new();
        let mut config = home.config(Duration::from_secs(20));
        // Whatever is started below it carries the mark.
        let (mark, value) = home.mark.env();
        let script = format!(
            "#!/bin/sh\n{mark}={value} exec '{}' \"$@\"\n",
            tools::supervisor().display()
        );
        let supervisor = home.file("supervisor", &script);
        std::fs::set_permissions(&supervisor, std::fs::Permissions::from_mode(0o755)).unwrap();
        config.supervisor = Some(supervisor);
        let desk = Desk::open(config).await;
        Self { rig, home, desk }
    }

    /// Ends what still lives; nothing may be left.
    async fn close(self) -> Outcome<()> {
        let Self { home, mut desk, .. } = self;
        desk.must("shutdown", PATIENCE, Command::Shutdown).await?;
        let check = omp_debug::tasks::blocking(move || {
            home.mark.assert_none_left(Duration::from_secs(10));
        });
        check.await.map_err(|error| desk.blame(error))
    }

    fn spec(&self, args: &[&str]) -> LaunchSpec {
        LaunchSpec {
            program: self.rig.program.clone(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            adapter: Some(self.rig.adapter.to_owned()),
            stop_on_entry: Some(false),
            ..LaunchSpec::default()
        }
    }

    async fn launch(&mut self, args: &[&str]) -> Outcome<SessionId> {
        let spec = self.spec(args);
        self.desk.launch(PATIENCE, spec).await
    }

    fn at(&self, mark: &str) -> BreakpointSpec {
        let line = line_of(&self.rig.source, mark);
        BreakpointSpec::line(&self.rig.source, i64::from(line))
    }

    async fn break_at(&mut self, breakpoint: BreakpointSpec) -> Outcome<()> {
        let command = Command::SetBreakpoint(breakpoint);
        self.desk
            .must("a breakpoint", PATIENCE, command)
            .await
            .map(drop)
    }

    async fn stop(&mut self, session: SessionId, after: Option<&Stop>) -> Outcome<Stop> {
        self.desk.stop(session, after, PATIENCE).await
    }

    /// The session stands at the line with this mark.
    fn stands_at(&self, stop: &Stop, mark: &str) -> Outcome<()> {
        let wanted = i64::from(line_of(&self.rig.source, mark));
        let at = stop.selected.and_then(|at| {
            let frames = &stop.stacks.get(&at.thread_id)?.frames;
            frames
                .iter()
                .find(|frame| frame.id == at.frame_id)
                .map(|frame| frame.line)
        });
        if at == Some(wanted) {
            return Ok(());
        }
        Err(self.desk.blame(format!(
            "it stands at line {at:?}, not at {wanted} ({mark})"
        )))
    }

    async fn resume(&mut self, how: Option<StepKind>) -> Outcome<()> {
        let (session, thread) = (None, None);
        let command = match how {
            None => Command::Continue { session, thread },
            Some(kind) => Command::Step {
                session,
                thread,
                kind,
                granularity: Granularity::Line,
            },
        };
        self.desk
            .must(&format!("{command:?}"), PATIENCE, command)
            .await
            .map(drop)
    }

    async fn value(&mut self, expression: &str) -> Outcome<String> {
        let command = Command::Evaluate {
            session: None,
            frame_id: None,
            expression: expression.to_owned(),
            context: "watch".to_owned(),
        };
        match self.desk.must(expression, PATIENCE, command).await? {
            Reply::Value { value } => Ok(value.result),
            other => Err(format!("{expression} gave {other:?}")),
        }
    }

    async fn must_be(&mut self, expression: &str, wanted: &str) -> Outcome<()> {
        let value = self.value(expression).await?;
        if value == wanted {
            return Ok(());
        }
        Err(self
            .desk
            .blame(format!("{expression} is {value:?}, not {wanted:?}")))
    }

    async fn terminate(&mut self, session: SessionId) -> Outcome<()> {
        let command = Command::Terminate {
            session: Some(session),
        };
        self.desk.must("terminate", PATIENCE, command).await?;
        self.gone(session).await
    }

    /// The session is over, once.
    async fn gone(&mut self, session: SessionId) -> Outcome<()> {
        self.desk.gone(session, PATIENCE).await?;
        let ends = self
            .desk
            .count(session, |change| matches!(change, Change::Ended { .. }));
        let goings = self
            .desk
            .count(session, |change| matches!(change, Change::Gone));
        if (ends, goings) == (1, 1) {
            return Ok(());
        }
        Err(self.desk.blame(format!("{ends} ends, {goings} goings")))
    }

    async fn printed(&mut self, session: SessionId, wanted: &str) -> Outcome<()> {
        let found = self
            .desk
            .until(&format!("output {wanted:?}"), PATIENCE, |desk| {
                let output = &desk.state.session(session)?.output;
                output.text().contains(wanted).then_some(())
            })
            .await;
        found.map_err(|why| {
            format!(
                "printed was {:?}; {why}",
                self.desk.session(session).output.text()
            )
        })
    }

    /// The file in which the program counts.
    fn counter(&self) -> PathBuf {
        self.home.path().join("counter")
    }

    /// Starts the program by itself, counting.
    fn counting(&self) -> Child {
        let is_source = self.rig.program == self.rig.source;
        let mut command = if is_source {
            let mut command = std::process::Command::new(tools::debugpy().unwrap());
            command.arg(&self.rig.program);
            command
        } else {
            std::process::Command::new(&self.rig.program)
        };
        let (mark, value) = self.home.mark.env();
        command
            .arg("count")
            .arg(self.counter())
            .env(mark, value)
            .stdin(Stdio::null());
        command.spawn().unwrap()
    }
}

/// Waits for the number in the file to change.
async fn counts(file: &Path) -> Outcome<()> {
    let file = file.to_owned();
    let waited = omp_debug::tasks::blocking(move || {
        let read = || std::fs::read_to_string(&file).unwrap_or_default();
        let (first, deadline) = (read(), Instant::now() + PATIENCE);
        loop {
            let now = read();
            if !now.is_empty() && now != first {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("the program does not count on from {first:?}"));
            }
            std::thread::yield_now();
        }
    });
    waited.await.map_err(|error| error.to_string())?
}

async fn stops_steps_and_values(bench: &mut Bench) -> Outcome<()> {
    bench.break_at(bench.at("price")).await?;
    bench
        .desk
        .must(
            "a watch",
            PATIENCE,
            Command::AddWatch {
                expression: "price + 1".to_owned(),
            },
        )
        .await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(session, None).await?;
    if stop.reason != "breakpoint" {
        return Err(bench
            .desk
            .blame(format!("it stopped for {:?}", stop.reason)));
    }
    bench.stands_at(&stop, "price")?;
    bench.resume(Some(StepKind::Over)).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    bench.stands_at(&stop, "price-return")?;
    bench.must_be("price", "20").await?;
    let watched = |wanted: &'static str| {
        move |desk: &Desk| {
            let stop = desk.state.session(session)?.current_stop()?;
            stop.watches
                .values()
                .any(|watch| format!("{:?}", watch.result).contains(wanted))
                .then_some(())
        }
    };
    bench
        .desk
        .until("the watch", PATIENCE, watched("21"))
        .await?;

    // A local among the scopes, changed.
    let frame = &stop.frames[&stop.selected.unwrap().frame_id];
    let scope = frame.scopes.iter().find(|scope| {
        scope
            .variables
            .iter()
            .flatten()
            .any(|variable| variable.name == "price" && variable.value == "20")
    });
    let scope = scope.ok_or_else(|| bench.desk.blame("no scope has price = 20"))?;
    let change = Command::SetVariable {
        session: None,
        stop: stop.id,
        container: scope.scope.variables_reference,
        name: "price".to_owned(),
        evaluate_name: None,
        value: "5".to_owned(),
    };
    bench.desk.must("set variable", PATIENCE, change).await?;
    bench.must_be("price", "5").await?;
    bench
        .desk
        .until("the watch after the change", PATIENCE, watched("6"))
        .await?;

    let wrong = Command::Evaluate {
        session: None,
        frame_id: None,
        expression: "no_such_name".to_owned(),
        context: "watch".to_owned(),
    };
    match bench.desk.ask("a wrong name", PATIENCE, wrong).await? {
        Err(error) if error.what.contains("no_such_name") => {}
        other => return Err(bench.desk.blame(format!("a wrong name gave {other:?}"))),
    }

    bench.resume(Some(StepKind::Out)).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    let name = &stop.stacks[&stop.selected.unwrap().thread_id].frames[0].name;
    if !name.to_lowercase().contains("total") {
        return Err(bench
            .desk
            .blame(format!("after the step out it stands in {name}")));
    }
    bench
        .desk
        .must("no breakpoints", PATIENCE, Command::ClearBreakpoints)
        .await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    let sum = bench.rig.sum;
    bench.printed(session, sum).await
}

async fn conditions_hits_and_log_points(bench: &mut Bench) -> Outcome<()> {
    let condition = BreakpointSpec {
        condition: Some("price == 25".to_owned()),
        ..bench.at("price-return")
    };
    let third = BreakpointSpec {
        hit_condition: Some("3".to_owned()),
        ..bench.at("price")
    };
    bench.break_at(condition).await?;
    bench.break_at(third).await?;
    if bench.rig.logpoints {
        let log = BreakpointSpec {
            log_message: Some("cost is {cost}".to_owned()),
            ..bench.at("loop")
        };
        bench.break_at(log).await?;
    }
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "price-return")?;
    bench.must_be("price", "25").await?;
    bench.resume(None).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    bench.stands_at(&stop, "price")?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    if bench.rig.logpoints {
        for cost in [20, 25, 120] {
            bench.printed(session, &format!("cost is {cost}")).await?;
        }
    }
    bench.printed(session, "total 165").await
}

/// An adapter that cannot stop at a site of the machine's says so, and hears nothing of it.
async fn refused(bench: &Bench, site: BreakpointSite, sentence: &str) -> Outcome<()> {
    let command = Command::SetBreakpoint(BreakpointSpec::at(site));
    let answer = bench.desk.ask("a breakpoint", PATIENCE, command).await?;
    match answer {
        Err(error) if error.kind == Kind::Capability && error.what == sentence => Ok(()),
        other => Err(bench
            .desk
            .blame(format!("{sentence} was promised, it gave {other:?}"))),
    }
}

async fn instruction_breakpoint(bench: &mut Bench) -> Outcome<()> {
    let breakpoint = bench.at("price-return");
    bench.break_at(breakpoint).await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "price-return")?;
    let place = bench.desk.session(session).current_frame().unwrap();
    let reference = place.instruction_pointer_reference.clone();
    if !bench.rig.instructions {
        let site = BreakpointSite::Instruction {
            reference: "0x1000".to_owned(),
            offset: None,
        };
        let sentence = "Active adapter does not support instruction breakpoints.";
        return refused(bench, site, sentence).await;
    }
    let clear = Command::ClearBreakpoints;
    bench.desk.must("no more of it", PATIENCE, clear).await?;
    let Some(reference) = reference else {
        return Err(bench
            .desk
            .blame("the frame has no place among the instructions"));
    };
    let site = BreakpointSite::Instruction {
        reference,
        offset: None,
    };
    bench.break_at(BreakpointSpec::at(site)).await?;
    bench.resume(None).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    if !stop.reason.contains("breakpoint") {
        return Err(bench.desk.blame(format!("it stopped for {}", stop.reason)));
    }
    bench.stands_at(&stop, "price-return")?;
    bench.must_be("price", "25").await?;
    bench.terminate(session).await?;
    let left = &bench.desk.state.breakpoints;
    if left.is_empty() {
        return Ok(());
    }
    Err(format!("an address outlived its process: {left:?}"))
}

async fn data_breakpoint(bench: &mut Bench) -> Outcome<()> {
    let breakpoint = bench.at("loop-call");
    bench.break_at(breakpoint).await?;
    let session = bench.launch(&["stock"]).await?;
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "loop-call")?;
    let site = |data_id| BreakpointSite::Data {
        data_id,
        access: Some(DataBreakpointAccessType::Write),
    };
    let Some(name) = bench.rig.data else {
        let sentence = "Active adapter does not support data breakpoints.";
        return refused(bench, site("0x1000/4".to_owned()), sentence).await;
    };
    bench.must_be(name, "0").await?;
    let info = Command::DataBreakpointInfo {
        session: None,
        container: None,
        frame_id: None,
        name: format!("&{name}"),
        bytes: None,
    };
    let data_id = match bench.desk.must("its info", PATIENCE, info).await? {
        Reply::DataBreakpointInfo { info } => info.data_id,
        other => return Err(format!("its info is {other:?}")),
    };
    let Some(data_id) = data_id else {
        return Err(bench.desk.blame(format!("{name} cannot be watched")));
    };
    let clear = Command::ClearBreakpoints;
    bench.desk.must("no more of it", PATIENCE, clear).await?;
    bench.break_at(BreakpointSpec::at(site(data_id))).await?;
    bench.resume(None).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    if bench.value(name).await? == "0" || bench.desk.state.breakpoints.len() != 1 {
        let reason = stop.reason;
        return Err(bench
            .desk
            .blame(format!("it stopped for {reason}, unchanged")));
    }
    bench.terminate(session).await?;
    let left = &bench.desk.state.breakpoints;
    if left.is_empty() {
        return Ok(());
    }
    Err(format!("a place in memory outlived its process: {left:?}"))
}

async fn failures_stop(bench: &mut Bench) -> Outcome<()> {
    let Some((mode, mark, text)) = bench.rig.failure else {
        return Ok(());
    };
    let session = bench.launch(&[mode]).await?;
    let stop = bench.stop(session, None).await?;
    if !matches!(stop.reason.as_str(), "exception" | "signal") {
        return Err(bench
            .desk
            .blame(format!("it stopped for {:?}", stop.reason)));
    }
    // Where it stands depends on the frames of the runtime below the failure.
    let line = i64::from(line_of(&bench.rig.source, mark));
    let frames = &stop.stacks[&stop.selected.unwrap().thread_id].frames;
    if !frames.iter().any(|frame| frame.line == line) {
        return Err(bench.desk.blame(format!("no frame at line {line}")));
    }
    bench
        .desk
        .until(&format!("{text:?} in the stop"), PATIENCE, |desk| {
            let stop = desk.state.session(session)?.current_stop()?;
            format!(
                "{} {:?} {:?} {:?}",
                stop.reason, stop.text, stop.description, stop.exception
            )
            .contains(text)
            .then_some(())
        })
        .await?;
    bench.terminate(session).await
}

async fn pause_and_run_to(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await?;
    counts(&counter).await?;
    let pause = Command::Pause {
        session: None,
        thread: None,
    };
    bench.desk.must("pause", PATIENCE, pause).await?;
    let stop = bench.stop(session, None).await?;
    if stop.reason != "pause" {
        return Err(bench
            .desk
            .blame(format!("it stopped for {:?}", stop.reason)));
    }
    let line = i64::from(line_of(&bench.rig.source, "count"));
    let run = Command::RunTo {
        session: None,
        path: bench.rig.source.clone(),
        line,
    };
    bench.desk.must("run to", PATIENCE, run).await?;
    let stop = bench.stop(session, Some(&stop)).await?;
    bench.stands_at(&stop, "count")?;
    if !bench.desk.state.breakpoints.is_empty() {
        return Err(bench.desk.blame("the temporary breakpoint is still there"));
    }
    bench.resume(None).await?;
    counts(&counter).await?;
    bench.terminate(session).await
}

async fn restart(bench: &mut Bench) -> Outcome<()> {
    bench.break_at(bench.at("call")).await?;
    let first = bench.launch(&["stock"]).await?;
    bench.stop(first, None).await?;
    let restart = Command::Restart { session: None };
    let Reply::Session { session } = bench.desk.must("restart", PATIENCE, restart).await? else {
        return Err("restart gave no session".to_owned());
    };
    bench.gone(first).await?;
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "call")?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed(session, "total 165").await
}

async fn detach_leaves_it_running(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await?;
    counts(&counter).await?;
    let pid = bench.pid()?;
    let detach = Command::Detach { session: None };
    let answer = bench.desk.ask("detach", PATIENCE, detach).await?;
    match answer {
        Ok(_) if bench.rig.detach_of_launched => {}
        // It is said, and nothing is done.
        Err(error) if !bench.rig.detach_of_launched && error.kind == Kind::Capability => {
            counts(&counter).await?;
            return bench.terminate(session).await;
        }
        other => return Err(bench.desk.blame(format!("detach: {other:?}"))),
    }
    bench.gone(session).await?;
    lives_freed(pid, &counter).await?;
    bench.home.mark.kill_all();
    Ok(())
}

impl Bench {
    /// The program that counts, found by its mark: not every adapter tells its number.
    fn pid(&self) -> Outcome<u32> {
        let counter = self.counter();
        let wanted = format!("count {}", counter.display());
        let marked = self.home.mark.processes();
        let program = self.rig.program.display().to_string();
        // The last one: adapters have the program on their own command lines.
        let found = marked
            .iter()
            .filter(|process| {
                process.command.contains(&program) && process.command.ends_with(&wanted)
            })
            .map(|process| process.pid)
            .max();
        found.ok_or_else(|| self.desk.blame(format!("no process counts: {marked:#?}")))
    }
}

/// The process counts on, and nobody traces it.
async fn lives_freed(pid: u32, counter: &Path) -> Outcome<()> {
    counts(counter)
        .await
        .map_err(|why| format!("{why}; {:?}", procs::look_up(pid)))?;
    match procs::status(pid, "TracerPid").as_deref() {
        Some("0") => Ok(()),
        other => Err(format!("the tracer of {pid} is {other:?}")),
    }
}

#[expect(
    clippy::zombie_processes,
    reason = "a failed test ends the processes that carry its mark"
)]
async fn attach_by_pid(bench: &mut Bench) -> Outcome<()> {
    if !bench.rig.attach_by_pid {
        return Ok(());
    }
    let counter = bench.counter();
    let mut program = bench.counting();
    counts(&counter).await?;
    bench.break_at(bench.at("count")).await?;
    let attach = Command::Attach(Box::new(AttachSpec {
        pid: Some(program.id()),
        adapter: Some(bench.rig.adapter.to_owned()),
        ..AttachSpec::default()
    }));
    let Reply::Session { session } = bench.desk.must("attach", PATIENCE, attach).await? else {
        return Err("attach gave no session".to_owned());
    };
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "count")?;
    bench.terminate(session).await?;
    lives_freed(program.id(), &counter).await?;
    program.kill().unwrap();
    program.wait().unwrap();
    bench.home.mark.kill_all();
    Ok(())
}

/// A debug server for the counting program, by its command line with `PORT` in it.
fn server(rig: &Rig, counter: &Path) -> Option<std::process::Command> {
    let mut command = match rig.adapter {
        "debugpy" => {
            let mut command = std::process::Command::new(tools::debugpy()?);
            command.args([
                "-m",
                "debugpy",
                "--listen",
                "127.0.0.1:PORT",
                "--wait-for-client",
            ]);
            command.arg(&rig.program);
            command
        }
        "dlv" => {
            let mut command = std::process::Command::new(tools::dlv()?);
            command.args([
                "exec",
                "--headless",
                "--listen=127.0.0.1:PORT",
                "--accept-multiclient",
            ]);
            command.arg(&rig.program).arg("--");
            command
        }
        _ => return None,
    };
    command.arg("count").arg(counter);
    Some(command)
}

#[expect(
    clippy::zombie_processes,
    reason = "a failed test ends the processes that carry its mark"
)]
async fn attach_by_port(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let Some(template) = server(&bench.rig, &counter) else {
        return Ok(());
    };
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (mark, value) = bench.home.mark.env();
    let mut command = std::process::Command::new(template.get_program());
    for argument in template.get_args() {
        command.arg(
            argument
                .to_str()
                .unwrap()
                .replace("PORT", &port.to_string()),
        );
    }
    command
        .env(mark, value)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    bench.break_at(bench.at("count")).await?;
    let attach = Command::Attach(Box::new(AttachSpec {
        port: Some(port),
        adapter: Some(bench.rig.adapter.to_owned()),
        ..AttachSpec::default()
    }));
    let Reply::Session { session } = bench.desk.must("attach", PATIENCE, attach).await? else {
        return Err("attach gave no session".to_owned());
    };
    let stop = bench.stop(session, None).await?;
    bench.stands_at(&stop, "count")?;
    bench.terminate(session).await?;
    counts(&counter).await?;
    bench.home.mark.kill_all();
    server.wait().unwrap();
    Ok(())
}

#[expect(
    clippy::needless_pass_by_ref_mut,
    reason = "all scenarios have one form"
)]
async fn what_cannot_be_debugged(bench: &mut Bench) -> Outcome<()> {
    let missing = bench.home.path().join("missing");
    let folder = bench.home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let text = bench.home.file("text", "no program\n");
    let interpreted = bench.rig.program == bench.rig.source;
    for (what, path) in [("missing", missing), ("a folder", folder), ("a text", text)] {
        // A script need not be executable, and delve takes a folder for a package.
        let taken = match what {
            "a text" => interpreted,
            "a folder" => bench.rig.adapter == "dlv",
            _ => false,
        };
        if taken {
            continue;
        }
        let spec = LaunchSpec {
            program: path.clone(),
            ..bench.spec(&[])
        };
        let answer = bench
            .desk
            .ask(what, PATIENCE, Command::Launch(Box::new(spec)))
            .await?;
        match answer {
            Err(error)
                if error.kind == Kind::Program && error.what.contains(path.to_str().unwrap()) => {}
            other => return Err(bench.desk.blame(format!("{what}: {other:?}"))),
        }
    }
    Ok(())
}

async fn exit_codes(bench: &mut Bench) -> Outcome<()> {
    let session = bench.launch(&["exit", "7"]).await?;
    bench.gone(session).await?;
    let known = bench.desk.session(session);
    let (code, why) = (known.exit_code, known.ended.clone().unwrap_or_default());
    if code == bench.rig.exit_code && why.contains('7') {
        return Ok(());
    }
    Err(bench.desk.blame(format!(
        "the exit code is {code:?}, the session ended: {why:?}"
    )))
}

async fn input_from_a_file(bench: &mut Bench) -> Outcome<()> {
    let input = bench.home.file("input", "one\ntwo\n");
    let spec = LaunchSpec {
        stdin: Some(input),
        ..bench.spec(&["read"])
    };
    let answer = bench
        .desk
        .ask("launch", PATIENCE, Command::Launch(Box::new(spec)))
        .await?;
    let session = match answer {
        Ok(Reply::Session { session }) => session,
        Err(error) if !bench.rig.stdin && error.kind == Kind::Capability => return Ok(()),
        other => return Err(bench.desk.blame(format!("launch: {other:?}"))),
    };
    bench.gone(session).await?;
    bench.printed(session, "read one").await?;
    bench.printed(session, "read two").await
}

async fn environment(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let spec = LaunchSpec {
        env: vec![
            ("SHELF".to_owned(), Some("a b=c".to_owned())),
            ("HOME".to_owned(), None),
        ],
        cwd: Some(bench.home.path().join("work")),
        ..bench.spec(&["count", counter.to_str().unwrap()])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    counts(&counter).await?;
    let pid = bench.pid()?;
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let has = |wanted: &str| {
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == wanted.as_bytes())
    };
    if !has("SHELF=a b=c") {
        return Err(bench.desk.blame(format!(
            "the environment is {}",
            String::from_utf8_lossy(&environment)
        )));
    }
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
    if cwd != bench.home.path().join("work") {
        return Err(bench.desk.blame(format!("it works in {}", cwd.display())));
    }
    bench.terminate(session).await
}

async fn console_on_a_pipe(bench: &mut Bench) -> Outcome<()> {
    console(bench, Console::Pipe).await
}

async fn console_on_a_terminal(bench: &mut Bench) -> Outcome<()> {
    console(bench, Console::Pty).await
}

async fn console(bench: &mut Bench, console: Console) -> Outcome<()> {
    if !bench.rig.terminal {
        return Ok(());
    }
    let spec = LaunchSpec {
        console,
        ..bench.spec(&["read"])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    let write = Command::WriteStdin {
        session: None,
        text: "first line\n".to_owned(),
    };
    bench.desk.must("write", PATIENCE, write).await?;
    bench.printed(session, "read first line").await?;
    let running = bench.desk.session(session).phase;
    if running != Phase::Running {
        return Err(bench
            .desk
            .blame(format!("the program is {}", running.word())));
    }
    bench.terminate(session).await
}
