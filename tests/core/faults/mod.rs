//! The core under fire: every fault of the fake adapter in every state of it, over its standard streams and over a
//! socket.
//!
//! One table ([`table`]) says what is promised. Each cell is one case with five assertions: the command under way is
//! answered in time; its error or the session's last sentence names the cause; no process is left; the session ends
//! exactly once and its adapter goes exactly once; the next launch on the same core works.
//!
//! The slow cells run with `OMP_DEBUG_FULL_MATRIX=1`.

// suite: T3 asked 432 present 432

mod joined;
mod table;

use crate::support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use joined::Company;
use omp_debug::debugger::{
    BreakpointSpec, Change, Command, DebuggerError, ErrorKind, Granularity, LaunchSpec, Phase,
    Reply, SessionId, StepKind,
};
use support::core::{Desk, Home, NO_ANSWER, Outcome};
use support::procs::Watchdog;
use table::{Answer, End, FAULTS, Promise, State, deadline, is_slow, promise};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How long an adapter may take over one request, where it is given up.
const REQUEST: Duration = Duration::from_secs(2);
/// How much later than its deadline an answer may be, on a busy machine.
const SLACK: Duration = Duration::from_secs(4);
/// How long the end of a session may take with an adapter that does nothing: `disconnect`, the end of its input, TERM,
/// two seconds each.
const END: Duration = Duration::from_secs(6);
/// How long steps of the test itself may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often a cell is tried in which something took too long. A start that is not what is looked at may need longer than a request has, on a
/// busy machine; and an answer longer than its deadline and the slack: what is never in time fails each time.
const STARTS: usize = 3;
const LAUNCH: &str = "the launch";
const NEXT_LAUNCH: &str = "the next launch";
/// Cells under way at a time; most of them wait for a deadline.
const AT_A_TIME: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_in_every_state_over_standard_streams() {
    matrix("stdio", false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_in_every_state_over_a_socket() {
    matrix("socket", false).await;
}

#[test]
fn cells() {
    support::assert_suite(include_str!("mod.rs"), 2 * FAULTS.len() * State::ALL.len());
}

async fn matrix(transport: &'static str, joined: bool) {
    let _watchdog = Watchdog::new("the fault matrix", Duration::from_mins(10));
    let full = support::full_matrix();
    // `FAULT@STATE` runs one cell.
    let only = std::env::var("OMP_DEBUG_FAULT").ok();
    let room = Arc::new(Semaphore::new(AT_A_TIME));
    let mut cells = JoinSet::new();
    for (row, fault) in FAULTS.into_iter().enumerate() {
        for (column, (state, name)) in State::ALL.into_iter().enumerate() {
            let cell = format!("{fault}@{name}");
            let wanted = only.as_ref().map_or_else(
                || full || (!is_slow(fault, state) && (!joined || joined::is_smoke(row, column))),
                |only| *only == cell,
            );
            if !wanted {
                continue;
            }
            let room = Arc::clone(&room);
            cells.spawn(async move {
                let _permit = room.acquire_owned().await.unwrap();
                let began = Instant::now();
                let run = || Cell::run(transport, joined, &cell, state, promise(fault, state));
                let mut outcome = run().await;
                for _ in 1..STARTS {
                    let said = outcome.as_ref().err().and_then(|why| why.lines().next());
                    let Some(why) = said else { break };
                    let is_start = [LAUNCH, NEXT_LAUNCH].iter().any(|it| why.starts_with(it));
                    let late = ["timed out", "ended before the program ran"];
                    let is_late = is_start && late.iter().any(|it| why.contains(it))
                        || why.contains(NO_ANSWER);
                    if !is_late {
                        break;
                    }
                    outcome = run().await;
                }
                if std::env::var_os("OMP_DEBUG_TIMES").is_some() {
                    eprintln!(
                        "{:7.2} s  {cell} over {transport}",
                        began.elapsed().as_secs_f32()
                    );
                }
                outcome.map_err(|why| format!("{cell} over {transport}: {why}"))
            });
        }
    }
    let mut failures = Vec::new();
    let mut count = 0;
    while let Some(outcome) = cells.join_next().await {
        count += 1;
        failures.extend(outcome.unwrap().err());
    }
    assert!(
        failures.is_empty(),
        "{} of {count} cells failed:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

fn ends_once(desk: &Desk, id: SessionId) -> Outcome<()> {
    let ended = desk.count(id, |change| matches!(change, Change::Ended { .. }));
    let gone = desk.count(id, |change| matches!(change, Change::Gone));
    let last = desk.changes(id).last();
    if (ended, gone) != (1, 1) || !matches!(last, Some(Change::Gone)) {
        return Err(desk.blame(format!(
            "{ended} ends and {gone} goings, the last event is {last:?}"
        )));
    }
    Ok(())
}

struct Cell {
    home: Home,
    desk: Desk,
    company: Option<Company>,
    state: State,
    promise: Promise,
}

impl Cell {
    async fn run(
        transport: &str,
        joined: bool,
        cell: &str,
        state: State,
        promise: Promise,
    ) -> Outcome<()> {
        let home = Home::new();
        let mut options: Vec<String> = ["--list", "10", "--fault", cell].map(String::from).into();
        if state != State::Terminated {
            options.push("--endless".to_owned());
        }
        if state != State::Launching {
            // Later than a busy machine is to notice that the time is up; of a launch a late answer is in time.
            options.extend(["--late-ms", "6000"].map(String::from));
        }
        home.fake_adapters(&[
            ("faulty", transport, options),
            ("sound", transport, vec!["--endless".to_owned()]),
        ]);
        let program = home.file("work/program.fake", &"step()\n".repeat(10));
        let request = if promise.gives_up() {
            REQUEST
        } else {
            PATIENCE
        };
        let mut desk = Desk::open(home.config(request)).await;
        if state == State::Configuring {
            let breakpoint = Command::SetBreakpoint(BreakpointSpec::line(&program, 5));
            desk.must("a breakpoint", PATIENCE, breakpoint).await?;
        }
        let mut company = None;
        if joined {
            // Who asks is one of those who joined.
            let (driver, others) = Company::join(desk, &home).await?;
            (desk, company) = (driver, Some(others));
        }
        let mut cell = Self {
            home,
            desk,
            company,
            state,
            promise,
        };
        cell.fire(&program).await?;
        cell.next_launch(&program).await?;
        cell.leaves_nothing().await
    }

    fn launch(&self, adapter: &str, program: &std::path::Path) -> Command {
        Command::Launch(Box::new(LaunchSpec {
            program: program.to_owned(),
            adapter: Some(adapter.to_owned()),
            stop_on_entry: Some(adapter == "sound" || self.state != State::Terminated),
            ..LaunchSpec::default()
        }))
    }

    /// Leads the session to where it goes wrong, and sees to it that it ends.
    async fn fire(&mut self, program: &std::path::Path) -> Outcome<()> {
        let launch = self.launch("faulty", program);
        let id = SessionId(1);
        let limit = deadline(self.state) + SLACK;
        let launched = if self.state.is_start() {
            let answer = self.desk.ask("launch", limit, launch).await;
            self.judge(answer)?
        } else {
            let answer = self
                .desk
                .ask("launch", PATIENCE, launch)
                .await
                .map_err(|why| self.desk.blame(why))?;
            match answer {
                Ok(_) => true,
                // Whoever dies on telling of the stop may do so before the launch is known to be answered.
                Err(error)
                    if self.state == State::Stopped && self.names_cause(&error.to_string()) =>
                {
                    false
                }
                Err(error) => return Err(self.desk.blame(format!("{LAUNCH}: {error}"))),
            }
        };
        if launched && !self.state.is_start() {
            self.act(id, limit).await?;
        }
        self.end(id).await
    }

    /// What is under way when the adapter misbehaves in a session that has started.
    async fn act(&mut self, id: SessionId, limit: Duration) -> Outcome<()> {
        let session = Some(id);
        let thread = None;
        if !matches!(self.state, State::Terminated | State::Stopped) {
            self.desk.stop(id, None, PATIENCE).await?;
        }
        let command = match self.state {
            State::Running | State::Stopping => {
                let go = Command::Continue { session, thread };
                let answer = self.desk.ask("continue", limit, go).await?;
                if self.state == State::Stopping {
                    answer.map_err(|error| self.desk.blame(error))?;
                }
                Command::Pause {
                    session,
                    thread,
                    momentary: false,
                }
            }
            State::Stopped => {
                let known = |desk: &Desk| {
                    let known = desk.state.session(id)?;
                    matches!(known.phase, Phase::Stopped | Phase::Terminated).then_some(())
                };
                self.desk.until("the stop", PATIENCE, known).await?;
                Command::Step {
                    session,
                    thread,
                    kind: StepKind::Over,
                    granularity: Granularity::Line,
                }
            }
            State::Evaluating => Command::Evaluate {
                session,
                frame_id: None,
                expression: "'text'".to_owned(),
                context: "repl".to_owned(),
            },
            State::Stepping => Command::Step {
                session,
                thread,
                kind: StepKind::Over,
                granularity: Granularity::Line,
            },
            // Its own assertions are those of every end.
            _ => return Ok(()),
        };
        let answer = self.desk.ask("the command", limit, command).await;
        self.judge(answer).map(drop)
    }

    fn names_cause(&self, text: &str) -> bool {
        let causes = self.promise.end.causes();
        causes.iter().any(|cause| text.contains(cause))
    }

    /// Compares an answer with the promise; whether it was done.
    fn judge(&self, answer: Outcome<Result<Reply, DebuggerError>>) -> Outcome<bool> {
        let answer = answer.map_err(|why| self.desk.blame(why))?;
        let names = |error: &DebuggerError, causes: &[&str]| {
            causes.iter().any(|cause| error.what.contains(cause))
        };
        let as_promised = match (&answer, self.promise.answer) {
            (Ok(_), Answer::Done | Answer::May(_)) => true,
            (Err(error), Answer::Fails(causes) | Answer::May(causes)) => names(error, causes),
            (Ok(_), Answer::Fails(_)) | (Err(_), Answer::Done) => false,
        };
        if as_promised {
            return Ok(answer.is_ok());
        }
        let wanted = self.promise.answer;
        Err(self
            .desk
            .blame(format!("promised was {wanted:?}, the answer is {answer:?}")))
    }

    /// The session is over: by itself where that is promised, else because it is ended.
    async fn end(&mut self, id: SessionId) -> Outcome<()> {
        let limit = END + SLACK;
        let by_itself =
            matches!(self.promise.end, End::By(_)) && self.state != State::Disconnecting;
        let mut ended_by_itself = by_itself;
        if !by_itself {
            let terminate = Command::Terminate { session: Some(id) };
            let answer = self.desk.ask("terminate", limit, terminate).await;
            match answer.map_err(|why| self.desk.blame(why))? {
                Ok(_) => {}
                Err(error)
                    if error.kind == ErrorKind::State
                        && matches!(self.promise.end, End::May(_)) =>
                {
                    ended_by_itself = true;
                }
                Err(error) => return Err(self.desk.blame(format!("terminate: {error}"))),
            }
        }
        self.desk.gone(id, limit).await?;
        if let Some(text) = self.promise.told
            && !self.desk.messages().any(|message| message.contains(text))
        {
            return Err(self.desk.blame(format!("nobody was told of {text:?}")));
        }
        self.ends_once(id)?;
        let why = self.desk.session(id).ended.clone().unwrap_or_default();
        if why.is_empty() || (ended_by_itself && !self.names_cause(&why)) {
            let wanted = self.promise.end;
            return Err(self.desk.blame(format!(
                "promised was an end by {wanted:?}, it ended: {why:?}"
            )));
        }
        Ok(())
    }

    fn ends_once(&self, id: SessionId) -> Outcome<()> {
        ends_once(&self.desk, id)
    }

    async fn next_launch(&mut self, program: &std::path::Path) -> Outcome<()> {
        let launch = self.launch("sound", program);
        let id = match self.desk.must(NEXT_LAUNCH, PATIENCE, launch).await? {
            Reply::Session { session } => session,
            other => return Err(format!("the launch gave {other:?}")),
        };
        let stop = self.desk.stop(id, None, PATIENCE).await?;
        if stop.reason != "entry" {
            return Err(self
                .desk
                .blame(format!("the next program stopped for {}", stop.reason)));
        }
        let terminate = Command::Terminate { session: None };
        self.desk.must("its end", PATIENCE, terminate).await?;
        self.desk.gone(id, PATIENCE).await?;
        // Nothing of the first may come late.
        self.ends_once(SessionId(1))?;
        self.ends_once(id)?;
        match &mut self.company {
            Some(company) => company.saw_the_same(&self.desk, &[SessionId(1), id]).await,
            None => Ok(()),
        }
    }

    async fn leaves_nothing(self) -> Outcome<()> {
        let Self { home, desk, .. } = self;
        let check = omp_debug::tasks::blocking(move || home.mark.assert_none_left(PATIENCE));
        check.await.map_err(|error| desk.blame(format!("{error}")))
    }
}

/// Over each of the two transports.
#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("mod.rs");
    support::suite::assert_present(source, "T3", 2 * FAULTS.len() * State::ALL.len());
}
