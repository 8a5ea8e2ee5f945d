//! A core with one session of the fake adapter, which stands at its first line and keeps a log of what it hears.

use std::path::PathBuf;
use std::time::Duration;

use omp_debug::dap::requests::DapRequest;
use omp_debug::debugger::{
    Breakpoint, BreakpointSite, BreakpointSpec, Command, CoreConfig, DebuggerError, Granularity,
    LaunchSpec, Reply, SessionId, StepKind, Stop,
};
use serde_json::Value;

use super::core::{Desk, Home};
use super::procs::Watchdog;
use super::trace;

pub const PATIENCE: Duration = Duration::from_secs(20);

/// A core with a session that stands at the program's first line.
pub struct Bench {
    pub home: Home,
    pub desk: Desk,
    pub session: SessionId,
    pub program: PathBuf,
    _watchdog: Watchdog,
}

impl Bench {
    /// `options`: of the adapter, besides its log.
    pub async fn open(options: &[&str]) -> Self {
        Self::with(options, |_| {}).await
    }

    pub async fn with(options: &[&str], change: impl FnOnce(&mut CoreConfig)) -> Self {
        let watchdog = Watchdog::new("the core", Duration::from_mins(2));
        let home = Home::new();
        let log = home.path().join("log").display().to_string();
        let mut all = vec!["--log".to_owned(), log];
        all.extend(options.iter().map(|option| (*option).to_owned()));
        home.fake_adapters(&[("fake", "stdio", all)]);
        let program = home.file("work/program.fake", &"step()\n".repeat(10));
        let mut config = home.config(PATIENCE);
        change(&mut config);
        let desk = Desk::open(config).await;
        let mut bench = Self {
            home,
            desk,
            session: SessionId(0),
            program,
            _watchdog: watchdog,
        };
        bench.launch().await;
        bench
    }

    pub async fn launch(&mut self) -> Stop {
        let spec = LaunchSpec {
            program: self.program.clone(),
            adapter: Some("fake".to_owned()),
            stop_on_entry: Some(true),
            ..LaunchSpec::default()
        };
        self.session = self.desk.launch(PATIENCE, spec).await.unwrap();
        let session = self.session;
        self.desk.stop(session, None, PATIENCE).await.unwrap()
    }

    pub async fn ask(&self, command: Command) -> Result<Reply, DebuggerError> {
        let what = format!("{command:?}");
        self.desk.ask(&what, PATIENCE, command).await.unwrap()
    }

    pub async fn request<R: DapRequest>(
        &self,
        arguments: &R::Arguments,
    ) -> Result<R::Response, DebuggerError> {
        let command = Command::request::<R>(None, arguments);
        self.ask(command).await?.answer::<R>()
    }

    pub async fn set(&self, spec: BreakpointSpec) -> Result<Breakpoint, DebuggerError> {
        match self.ask(Command::SetBreakpoint(spec)).await? {
            Reply::Breakpoint { breakpoint } => Ok(*breakpoint),
            other => panic!("a breakpoint gave {other:?}"),
        }
    }

    /// The arguments of each such request so far.
    pub fn heard(&self, command: &str) -> Vec<Value> {
        trace::arguments(&self.home.path().join("log"), command)
    }

    /// Waits until the adapter has heard a command more often than `before`, and what came of it has been told.
    pub async fn hears_more(&mut self, command: &str, before: usize) -> Vec<Value> {
        let log = self.home.path().join("log");
        let more = |_: &_| {
            let heard = trace::arguments(&log, command);
            (heard.len() > before).then_some(heard)
        };
        self.desk.until(command, PATIENCE, more).await.unwrap()
    }

    pub async fn end(self) {
        self.ask(Command::Shutdown).await.unwrap();
        let home = self.home;
        let check = omp_debug::tasks::blocking(move || home.mark.assert_none_left(PATIENCE));
        check.await.unwrap();
    }

    pub async fn resume(&self, step: Option<StepKind>) {
        let (session, thread) = (None, None);
        let command = match step {
            None => Command::Continue { session, thread },
            Some(kind) => Command::Step {
                session,
                thread,
                kind,
                granularity: Granularity::Line,
            },
        };
        self.ask(command).await.unwrap();
    }

    /// The next stop: why, at which line, and the number of the pass over the program.
    pub async fn next_stop(&mut self) -> (String, i64, String) {
        let session = self.session;
        let last = self.desk.session(session).stop.clone();
        let stop = self
            .desk
            .stop(session, last.as_ref(), PATIENCE)
            .await
            .unwrap();
        let line = self.desk.session(session).current_frame().unwrap().line;
        let pass = self.value("i").await.unwrap();
        (stop.reason, line, pass)
    }

    pub async fn value(&self, expression: &str) -> Result<String, DebuggerError> {
        match self.ask(evaluate(expression)).await? {
            Reply::Value { value } => Ok(value.result),
            other => panic!("{expression} gave {other:?}"),
        }
    }

    pub fn line(&self, line: i64) -> BreakpointSpec {
        BreakpointSpec::line(&self.program, line)
    }

    /// What was printed by breakpoints.
    pub fn logged(&self) -> String {
        let all = self.desk.printed(self.session, "console");
        let lines = all.split_inclusive('\n');
        lines.filter(|line| !line.starts_with("started ")).collect()
    }

    pub async fn goes(&mut self) {
        let session = self.session;
        self.desk.gone(session, PATIENCE).await.unwrap();
    }
}

pub fn evaluate(expression: &str) -> Command {
    Command::Evaluate {
        session: None,
        frame_id: None,
        expression: expression.to_owned(),
        context: "watch".to_owned(),
    }
}

pub fn function(name: &str) -> BreakpointSpec {
    BreakpointSpec::at(BreakpointSite::Function {
        name: name.to_owned(),
    })
}

pub fn instruction(reference: &str) -> BreakpointSite {
    BreakpointSite::Instruction {
        reference: reference.to_owned(),
        offset: None,
    }
}

pub fn data(data_id: &str) -> BreakpointSite {
    BreakpointSite::Data {
        data_id: data_id.to_owned(),
        access: None,
        name: None,
    }
}

/// Waits until the adapter's log holds such a request; the log is a file, so nothing else tells.
pub async fn hears(bench: &Bench, command: &'static str) {
    let log = bench.home.path().join("log");
    let heard = omp_debug::tasks::blocking(move || {
        let deadline = std::time::Instant::now() + PATIENCE;
        while trace::arguments(&log, command).is_empty() {
            assert!(
                std::time::Instant::now() < deadline,
                "the adapter never heard {command}"
            );
            std::thread::yield_now();
        }
    });
    heard.await.unwrap();
}
