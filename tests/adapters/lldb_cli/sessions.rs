//! Sessions through the core on the real lldb: what the command line alone has to be watched for.

use std::path::PathBuf;
use std::time::Duration;

use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Command, Console, LaunchSpec, Reply, SessionId,
};
use rustix::process::Signal;

use crate::support::core::{Desk, Home};
use crate::support::procs::{self, Watchdog};
use crate::support::{line_of, program_source, tools};

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Bench {
    pub home: Home,
    pub desk: Desk,
    _dog: Watchdog,
}

impl Bench {
    pub async fn open() -> Option<Self> {
        tools::required("lldb", tools::lldb())?;
        let home = Home::new();
        let config = home.config(PATIENCE);
        Some(Self::with(home, config).await)
    }

    pub async fn with(home: Home, config: omp_debug::debugger::CoreConfig) -> Self {
        Self {
            home,
            desk: Desk::open(config).await,
            _dog: Watchdog::new("a session with lldb's command line", Duration::from_mins(2)),
        }
    }

    pub async fn launch(&mut self, args: &[&str]) -> SessionId {
        let spec = LaunchSpec {
            program: tools::c_program(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            adapter: Some("lldb-cli".to_owned()),
            stop_on_entry: Some(false),
            console: Console::Internal,
            ..LaunchSpec::default()
        };
        self.desk.launch(PATIENCE, spec).await.unwrap()
    }

    pub fn source() -> PathBuf {
        program_source("prog.c")
    }

    pub async fn break_at(&mut self, mark: &str) -> Reply {
        let line = i64::from(line_of(&Self::source(), mark));
        self.must(Command::SetBreakpoint(BreakpointSpec::line(
            Self::source(),
            line,
        )))
        .await
    }

    pub async fn must(&mut self, command: Command) -> Reply {
        let what = format!("{command:?}");
        self.desk.must(&what, PATIENCE, command).await.unwrap()
    }

    pub async fn typed(&self, line: &str) -> Result<String, String> {
        let command = Command::Evaluate {
            session: None,
            frame_id: None,
            expression: format!("!{line}"),
            context: "repl".to_owned(),
        };
        match self.desk.ask(line, PATIENCE, command).await.unwrap() {
            Ok(Reply::Value { value }) => Ok(value.result),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Ends everything; nothing may be left.
    pub async fn close(self) {
        let Self { home, mut desk, .. } = self;
        desk.must("shutdown", PATIENCE, Command::Shutdown)
            .await
            .unwrap();
        let check = move || home.mark.assert_none_left(Duration::from_secs(10));
        omp_debug::tasks::blocking(check).await.unwrap();
    }

    /// The one process of this test whose command line has all of these in it.
    pub fn process(&self, has: &[&str]) -> u32 {
        let all = self.home.mark.processes();
        let found = all
            .iter()
            .filter(|process| has.iter().all(|part| process.command.contains(part)));
        found
            .map(|process| process.pid)
            .max()
            .unwrap_or_else(|| panic!("no {has:?} in {all:#?}"))
    }
}

fn breakpoint(site: BreakpointSite) -> BreakpointSpec {
    BreakpointSpec {
        site,
        ..BreakpointSpec::line(Bench::source(), 1)
    }
}

/// A.6, input theft: what lldb is told while the program runs and reads is never the program's input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_reads_nothing_of_what_lldb_is_told() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let input = bench.home.file("input", "mine\n");
    bench.break_at("read").await;
    let spec = LaunchSpec {
        program: tools::c_program(),
        args: vec!["read".to_owned()],
        adapter: Some("lldb-cli".to_owned()),
        stop_on_entry: Some(false),
        stdin: Some(input),
        ..LaunchSpec::default()
    };
    let session = bench.desk.launch(PATIENCE, spec).await.unwrap();
    bench.desk.stop(session, None, PATIENCE).await.unwrap();
    for line in ["thread list", "script print('to lldb')", "breakpoint list"] {
        bench.typed(line).await.unwrap();
    }
    bench
        .must(Command::Continue {
            session: None,
            thread: None,
        })
        .await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    assert_eq!(bench.desk.printed(session, "stdout"), "read mine\n");
    assert_eq!(bench.desk.printed(session, "stderr"), "");
    bench.close().await;
}

/// X-59 with a program that prints what our markers look like, and X-61: none of it is lldb's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_program_prints_is_never_lldbs() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let session = bench.launch(&["print", "2000"]).await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    let printed = bench.desk.printed(session, "stdout");
    assert_eq!(printed.lines().count(), 2000);
    assert!(printed.ends_with("line 1999\n"));
    assert_eq!(bench.desk.session(session).exit_code, Some(0));
    bench.close().await;
}

/// S1-7, X-56: raw commands, their errors, and what the core knows after them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raw_commands_go_through_as_typed() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    bench.break_at("price-return").await;
    let session = bench.launch(&["stock"]).await;
    let first = bench.desk.stop(session, None, PATIENCE).await.unwrap();
    let version = bench.typed("version").await.unwrap();
    assert!(version.starts_with("lldb version"), "{version}");
    let frame = bench.typed("frame variable price").await.unwrap();
    assert!(frame.contains("price = "), "{frame}");
    let refused = bench.typed("frobnicate").await.unwrap_err();
    assert!(
        refused.contains("'frobnicate' is not a valid command"),
        "{refused}"
    );
    let reads_on = bench.typed("script").await.unwrap_err();
    assert!(reads_on.contains("would read more lines"), "{reads_on}");
    // A program that goes on by a typed command stops for all to see.
    bench.typed("process continue").await.unwrap();
    let second = bench
        .desk
        .stop(session, Some(&first), PATIENCE)
        .await
        .unwrap();
    assert_eq!(second.reason, "breakpoint");
    bench
        .must(Command::Terminate {
            session: Some(session),
        })
        .await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    bench.close().await;
}

/// names and conditions made to break out of their word run nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_conditions_inject_nothing() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let proof = bench.home.path().join("injected");
    let write = format!("script open({proof:?}, 'w')");
    for quote in ["\"", "'", "`", "\\\"", "\n", "\r\n", "\" --line 1\n"] {
        let name = format!("/tmp/x{quote}; {write}{quote}\n{write}\n.c");
        let site = BreakpointSite::Source {
            path: name.clone().into(),
            line: 3,
            column: None,
        };
        bench.must(Command::SetBreakpoint(breakpoint(site))).await;
        let site = BreakpointSite::Function {
            name: format!("f{quote} {write}"),
        };
        bench.must(Command::SetBreakpoint(breakpoint(site))).await;
    }
    let line = i64::from(line_of(&Bench::source(), "price-return"));
    let condition = BreakpointSpec {
        condition: Some(format!("price == 25 /* \" `{write}` ' */")),
        ..BreakpointSpec::line(Bench::source(), line)
    };
    bench.must(Command::SetBreakpoint(condition)).await;
    let session = bench.launch(&["stock"]).await;
    bench.desk.stop(session, None, PATIENCE).await.unwrap();
    assert!(!proof.exists());
    // The condition reached lldb as it is, quotes and all.
    let list = bench.typed("breakpoint list").await.unwrap();
    assert!(
        list.contains(&format!("Condition: price == 25 /* \" `{write}` ' */")),
        "{list}"
    );
    bench
        .must(Command::Terminate {
            session: Some(session),
        })
        .await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    assert!(!proof.exists());
    bench.close().await;
}

/// A.6, orphan: lldb killed hard leaves no program of ours behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lldb_killed_hard_leaves_no_orphan() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let counter = bench.home.path().join("counter");
    bench.break_at("count").await;
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await;
    bench.desk.stop(session, None, PATIENCE).await.unwrap();
    let program = bench.process(&[tools::c_program().to_str().unwrap(), "count"]);
    let lldb = bench.process(&["lldb", "--no-lldbinit", "settings set prompt"]);
    procs::signal(lldb, Signal::KILL);
    bench.desk.gone(session, PATIENCE).await.unwrap();
    let ended = omp_debug::tasks::blocking(move || procs::wait_exit(program, PATIENCE));
    assert!(ended.await.unwrap(), "the program lives on");
    bench.close().await;
}

/// S1-43: while the program runs the answer is guidance.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_a_stop_says_so_while_the_program_runs() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let counter = bench.home.path().join("counter");
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await;
    let command = Command::Evaluate {
        session: Some(session),
        frame_id: None,
        expression: "number".to_owned(),
        context: "watch".to_owned(),
    };
    let refused = bench
        .desk
        .ask("evaluate", PATIENCE, command)
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(refused.to_string(), "No thread is stopped.");
    bench
        .must(Command::Terminate {
            session: Some(session),
        })
        .await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    bench.close().await;
}

/// a program that was launched, prints all the time and is let go, goes on printing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_prints_outlives_being_let_go() {
    let Some(mut bench) = Bench::open().await else {
        return;
    };
    let Some(yes) = tools::required("yes", tools::find(&["yes"])) else {
        return;
    };
    let spec = LaunchSpec {
        program: yes,
        args: vec!["on and on".to_owned()],
        adapter: Some("lldb-cli".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = bench.desk.launch(PATIENCE, spec).await.unwrap();
    let printed = |desk: &Desk| {
        desk.state
            .session(session)?
            .output
            .text()
            .contains("on and on")
            .then_some(())
    };
    bench.desk.until("output", PATIENCE, printed).await.unwrap();
    let program = bench.process(&["yes on and on"]);
    bench
        .must(Command::Detach {
            session: Some(session),
        })
        .await;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    let ended =
        omp_debug::tasks::blocking(move || procs::wait_exit(program, Duration::from_millis(500)));
    assert!(
        !ended.await.unwrap(),
        "its first line without a reader was its last"
    );
    assert_eq!(procs::status(program, "TracerPid").as_deref(), Some("0"));
    procs::signal(program, Signal::KILL);
    bench.close().await;
}
