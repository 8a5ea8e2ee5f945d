//! Scenarios of programs that were not started by us: processes, debug servers, core dumps, children, successors.

use std::process::{Child, Stdio};

use omp_debug::debugger::{AttachSpec, Command, Granularity, Reply, SessionId, StepKind};

use super::bench::{Bench, counts, lives_freed};
use crate::support::core::Outcome;
use crate::support::desk::{free_port, wait_listening};
use crate::support::tools;

/// LLDB 19 now and then loses a process that its server holds, under load, and says so.
const LLDB_LOSES_IT: &str = "process unloaded during launch or attach";
const ATTEMPTS: usize = 2;

async fn attach(bench: &mut Bench, spec: AttachSpec) -> Outcome<SessionId> {
    let spec = AttachSpec {
        adapter: Some(bench.rig.adapter.to_owned()),
        ..spec
    };
    match bench
        .must("attach", Command::Attach(Box::new(spec)))
        .await?
    {
        Reply::Session { session } => Ok(session),
        other => Err(format!("attach gave {other:?}")),
    }
}

#[expect(
    clippy::zombie_processes,
    reason = "a failed test ends the processes that carry its mark"
)]
pub async fn attach_by_pid(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let mut program = bench.counting();
    counts(&counter).await?;
    bench.break_at("count").await?;
    let spec = AttachSpec {
        pid: Some(program.id()),
        ..AttachSpec::default()
    };
    let session = attach(bench, spec).await?;
    let stop = bench.stop(None).await?;
    bench.stands_at(&stop, "count")?;
    bench.terminate(session).await?;
    bench.no_exit_code(false)?;
    lives_freed(program.id(), &counter).await?;
    program.kill().unwrap();
    program.wait().unwrap();
    bench.home.mark.kill_all();
    Ok(())
}

/// A debug server for the counting program; where it is one for machine code, it comes to the program that runs already.
fn server(bench: &Bench, port: u16, pid: u32) -> Option<std::process::Command> {
    let program = &bench.rig.program;
    let at = format!("127.0.0.1:{port}");
    let new = |tool: Option<std::path::PathBuf>| tool.map(std::process::Command::new);
    let mut command = match bench.rig.adapter {
        "debugpy" => {
            let mut command = new(tools::debugpy())?;
            command.args(["-m", "debugpy", "--listen", &at, "--wait-for-client"]);
            command.arg(program);
            command
        }
        "dlv" => {
            let mut command = new(tools::dlv())?;
            let listen = format!("--listen={at}");
            command.args(["exec", "--headless", &listen, "--accept-multiclient"]);
            command.arg(program).arg("--");
            command
        }
        "js-debug-adapter" => {
            let mut command = new(tools::node())?;
            command.arg(format!("--inspect-brk={at}")).arg(program);
            command
        }
        "rdbg" => {
            let mut command = new(tools::rdbg())?;
            let port = port.to_string();
            command.args(["--open", "--host", "127.0.0.1", "--port", &port, "--"]);
            command.arg(program);
            command
        }
        "gdb" => {
            let mut command = new(tools::gdbserver())?;
            command.arg("--attach").arg(&at).arg(pid.to_string());
            return Some(command);
        }
        "lldb-dap" | "lldb-cli" | "codelldb" => {
            let mut command = new(tools::lldb_server())?;
            command.args(["gdbserver", &at, "--attach", &pid.to_string()]);
            return Some(command);
        }
        _ => return None,
    };
    command.arg("count").arg(bench.counter());
    Some(command)
}

pub async fn attach_by_port(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let mut running = None;
    if bench.rig.interpreter.is_none() && bench.rig.adapter != "dlv" {
        running = Some(bench.counting());
        counts(&counter).await?;
    }
    let pid = running.as_ref().map_or(0, Child::id);
    bench.break_at("count").await?;
    let mut attempts = 1..=ATTEMPTS;
    let (session, mut server) = loop {
        let (mut server, port) = serve(bench, pid)?;
        let spec = AttachSpec {
            port: Some(port),
            program: Some(bench.rig.program.clone()),
            ..AttachSpec::default()
        };
        match attach(bench, spec).await {
            Ok(session) => break (session, server),
            Err(why) if attempts.next().is_some() && why.contains(LLDB_LOSES_IT) => {
                server.kill().unwrap();
                server.wait().unwrap();
            }
            Err(why) => return Err(why),
        }
    };
    let stop = bench.stop(None).await?;
    bench.stands_at(&stop, "count")?;
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    counts(&counter).await?;
    bench.terminate(session).await?;
    let left_there = |said: &&str| said.contains("does not leave the program");
    if let Some(said) = bench.desk.messages().find(left_there) {
        return Err(bench.blame(said));
    }
    counts(&counter).await?;
    bench.home.mark.kill_all();
    server.wait().unwrap();
    if let Some(mut running) = running {
        running.wait().unwrap();
    }
    Ok(())
}

/// Starts the debug server, and gives its port.
fn serve(bench: &Bench, pid: u32) -> Outcome<(Child, u16)> {
    let port = free_port();
    let Some(mut command) = server(bench, port, pid) else {
        return Err("there is no debug server for it".to_owned());
    };
    let (mark, value) = bench.home.mark.env();
    command
        .env(mark, value)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = command.spawn().unwrap();
    // One that has the program already cannot be waited for by those who start it.
    if pid != 0 {
        wait_listening(port);
    }
    Ok((server, port))
}

/// Post mortem: what is left of a program that stood at a line.
pub async fn core_dump(bench: &mut Bench) -> Outcome<()> {
    let core = bench.home.path().join("core");
    let gdb = tools::gdb().ok_or("there is no gdb to write one")?;
    let name = bench.rig.source.file_name().unwrap().to_str().unwrap();
    let (mark, value) = bench.home.mark.env();
    let written = std::process::Command::new(gdb)
        .args(["-q", "-nx", "-batch"])
        .args(["-ex", "set breakpoint pending on"])
        .arg("-ex")
        .arg(format!("break {name}:{}", bench.line("price-return")))
        .args(["-ex", "run", "-ex"])
        .arg(format!("generate-core-file {}", core.display()))
        .args(["-ex", "kill", "--args"])
        .arg(&bench.rig.program)
        .arg("stock")
        .env(mark, value)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if !core.exists() {
        let words = String::from_utf8_lossy(&written.stderr).into_owned();
        return Err(format!("gdb wrote no core: {words}"));
    }
    let spec = AttachSpec {
        core: Some(core),
        program: Some(bench.rig.program.clone()),
        ..AttachSpec::default()
    };
    let session = attach(bench, spec).await?;
    let stop = bench.stop(None).await?;
    let why = format!("{} {:?} {:?}", stop.reason, stop.description, stop.text);
    if why.contains("error") {
        return Err(bench.blame(format!("it stands there because of {why}")));
    }
    let frame = bench.frame(&stop, "price")?;
    let line = bench.line("price-return");
    if frame.line != line {
        return Err(bench.blame(format!("it died at line {}, not at {line}", frame.line)));
    }
    let price = bench.rig.words.price;
    let value = bench.value_in(Some(frame.id), price).await?;
    if value != "20" {
        return Err(bench.blame(format!("the price was {value}")));
    }
    // What is left of a program goes nowhere, and it is asked nothing of the kind.
    for command in [
        Command::Continue {
            session: Some(session),
            thread: None,
        },
        Command::Step {
            session: Some(session),
            thread: None,
            kind: StepKind::Over,
            granularity: Granularity::Line,
        },
    ] {
        match bench.ask("a move", command).await? {
            Err(error) if error.what.contains("core dump") => {}
            other => return Err(bench.blame(format!("a core dump moved: {other:?}"))),
        }
    }
    bench.terminate(session).await
}

pub async fn child_processes(bench: &mut Bench) -> Outcome<()> {
    bench.break_at("price-return").await?;
    let session = bench.launch(&["child"]).await?;
    let stop = bench.stop(None).await?;
    bench.stands_at(&stop, "price-return")?;
    let child = bench.at.unwrap();
    let parent = bench.desk.session(child).parent;
    if parent.is_none() {
        return Err(bench.blame("it is no child that stopped"));
    }
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("child exited 0").await
}

pub async fn exec(bench: &mut Bench) -> Outcome<()> {
    bench.break_at("price-return").await?;
    let session = bench.launch(&["exec"]).await?;
    let mut stop = bench.stop(None).await?;
    if !stop.reason.contains("breakpoint") {
        // The beginning of what it became is a stop of some debuggers' own.
        stop = bench.next(&stop, None).await?;
    }
    bench.stands_at(&stop, "price-return")?;
    bench.no_breakpoints().await?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("total 165").await
}
