//! Ours: the core as a library, driven as a front end drives it, in a process that does nothing else.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, WrapErr as _, bail, eyre};
use omp_debug::debugger::recording::Recorder;
use omp_debug::debugger::{
    BreakpointSpec, Change, Command, Console, Core, CoreConfig, CoreHandle, EventKind, Granularity,
    LaunchSpec, Page, Phase, Reply, Session, State, StepKind, Subscription, VariablesFilter,
    adapters,
};
use omp_debug::text::redact::Redactor;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::job::{Figures, Job, Task};
use super::table::percentile;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often a command is sent while output floods.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// Does the job and prints its figures.
#[expect(
    clippy::print_stdout,
    reason = "the figures are the answer to the process that started this one"
)]
pub fn main(job: &str) -> Result<()> {
    let job: Job = serde_json::from_str(job).wrap_err_with(|| format!("{job:?} is not a job"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let figures = runtime.block_on(run(&job))?;
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

async fn run(job: &Job) -> Result<Figures> {
    let mut config = CoreConfig::new(adapters::Context::from_process()?);
    config.supervisor = Some(std::env::current_exe()?);
    if let Some(file) = &job.recording {
        config.recorder = Some(Arc::new(Recorder::create(file, Redactor::new())?));
    }
    let mut front = Front::join(Core::start(config)).await?;
    if job.line > 0 {
        let breakpoint = BreakpointSpec::line(&job.source, i64::from(job.line));
        front
            .core
            .request(Command::SetBreakpoint(breakpoint))
            .await
            .map_err(|e| eyre!("{e}"))?;
    }
    let launch = LaunchSpec {
        program: job.program.clone(),
        args: job.args.clone(),
        cwd: Some(job.cwd.clone()),
        adapter: Some(job.adapter.clone()),
        stop_on_entry: Some(false),
        console: if job.task == Task::Pipe {
            Console::Pipe
        } else {
            Console::Internal
        },
        ..LaunchSpec::default()
    };
    let began = Instant::now();
    let launched = omp_debug::tasks::spawn(front.core.request(Command::Launch(Box::new(launch))));
    let mut figures = match job.task {
        Task::Flood | Task::Pipe => front.flood(job, began).await,
        Task::Steps | Task::Page => front.first_stop(job, began).await,
        Task::Tree => front.tree(began).await,
    };
    // The launch's own error says more than what it led to.
    if figures.is_err() && launched.is_finished() {
        launched.await?.map_err(|e| eyre!("{e}"))?;
    }
    if let Ok(figures) = &mut figures {
        figures.peak_mb = peak_mb("self")?;
    }
    let _ = timeout(PATIENCE, front.core.request(Command::Shutdown)).await;
    figures
}

/// A front end: its copy of the state, and the events that change it.
struct Front {
    core: CoreHandle,
    state: State,
    events: Subscription,
}

impl Front {
    async fn join(core: CoreHandle) -> Result<Self> {
        let (state, events) = core
            .subscribe()
            .await
            .ok_or_else(|| eyre!("the core has ended"))?;
        Ok(Self {
            core,
            state,
            events,
        })
    }

    /// Takes in what has come; whether any of it is as `wanted`.
    async fn take(&mut self, mut wanted: impl FnMut(&Change) -> bool) -> Result<bool> {
        let events = timeout(PATIENCE, self.events.next())
            .await
            .wrap_err("nothing happens any more")?;
        let events = events.ok_or_else(|| eyre!("the core has ended"))?;
        let mut found = false;
        for event in &events {
            self.state.apply(event);
            if let EventKind::Session { change, .. } = &event.kind {
                found |= wanted(change);
            }
        }
        Ok(found)
    }

    fn session(&self) -> Result<&Session> {
        self.state
            .focused()
            .ok_or_else(|| eyre!("there is no session"))
    }

    /// Until stack and locals of a stop are there.
    async fn stopped(&mut self) -> Result<()> {
        while !self
            .take(|change| matches!(change, Change::Frame { .. }))
            .await?
        {
            if let Ok(session) = self.session()
                && let Some(why) = &session.ended
            {
                bail!(
                    "the session ended instead of stopping: {why}\n{}",
                    session.output.text()
                );
            }
        }
        Ok(())
    }

    async fn first_stop(&mut self, job: &Job, began: Instant) -> Result<Figures> {
        self.stopped().await?;
        let mut figures = Figures {
            state_ms: milliseconds(began.elapsed()),
            ..Figures::default()
        };
        let session = self.session()?;
        let stop = session
            .current_stop()
            .ok_or_else(|| eyre!("it does not stand still"))?;
        figures.frames = stop.stacks.values().map(|stack| stack.frames.len()).sum();
        let scopes = session
            .current_scopes()
            .ok_or_else(|| eyre!("no scopes came"))?;
        let locals: Vec<_> = scopes
            .scopes
            .iter()
            .filter_map(|s| s.variables.as_ref())
            .flatten()
            .collect();
        figures.variables = locals.len();
        if job.task == Task::Page {
            let list = locals
                .iter()
                .find(|v| v.name == "numbers")
                .ok_or_else(|| eyre!("there is no `numbers`"))?;
            let page = Command::Variables {
                session: None,
                stop: stop.id,
                reference: list.variables_reference,
                page: Some(Page {
                    filter: VariablesFilter::Indexed,
                    start: 0,
                    count: 100,
                }),
            };
            tokio::time::sleep(Duration::from_millis(job.pause_ms)).await;
            let began = Instant::now();
            let reply = self.core.request(page).await.map_err(|e| eyre!("{e}"))?;
            figures.page_ms = milliseconds(began.elapsed());
            let Reply::Variables { variables } = reply else {
                bail!("asked for a page, got {reply:?}");
            };
            figures.page = variables.len();
        } else {
            self.core
                .request(Command::ClearBreakpoints)
                .await
                .map_err(|e| eyre!("{e}"))?;
            let mut times = Vec::with_capacity(job.count);
            let mut shown = Vec::new();
            for _ in 0..job.count {
                tokio::time::sleep(Duration::from_millis(job.pause_ms)).await;
                let began = Instant::now();
                times.push(self.step().await?);
                shown.extend(self.previews(job.previews, began));
            }
            let shown = futures_util::future::join_all(shown).await;
            let shown: Vec<f64> = shown.into_iter().filter_map(|took| took.ok()?).collect();
            figures.previews_p50_ms = percentile(&shown, 0.5);
            figures.step_p50_ms = percentile(&times, 0.5);
            figures.step_p95_ms = percentile(&times, 0.95);
        }
        Ok(figures)
    }

    async fn step(&mut self) -> Result<f64> {
        let step = Command::Step {
            session: None,
            thread: None,
            kind: StepKind::Over,
            granularity: Granularity::Line,
        };
        let began = Instant::now();
        let answer = self.core.request(step);
        self.stopped().await?;
        let took = milliseconds(began.elapsed());
        answer.await.map_err(|e| eyre!("{e}"))?;
        Ok(took)
    }

    /// Asks what the first locals show, as a screen does of its rows, and when that is known; nothing where the program went on before.
    fn previews(&self, rows: usize, began: Instant) -> Option<JoinHandle<Option<f64>>> {
        let session = self.session().ok()?;
        let stop = session.current_stop()?.id;
        let scopes = &session.current_scopes()?.scopes;
        let locals = scopes.iter().find_map(|scope| scope.variables.as_ref())?;
        let asked = Command::previews(None, stop, locals.get(..rows.min(locals.len()))?)?;
        let answer = self.core.request(asked);
        Some(omp_debug::tasks::spawn(async move {
            answer.await.ok()?;
            Some(milliseconds(began.elapsed()))
        }))
    }

    /// To the exit of the program, whose children each ran under a session of their own.
    async fn tree(&mut self, began: Instant) -> Result<Figures> {
        let mut running = BTreeSet::new();
        loop {
            let events = timeout(PATIENCE, self.events.next())
                .await
                .wrap_err("nothing happens any more")?;
            for event in &events.ok_or_else(|| eyre!("the core has ended"))? {
                self.state.apply(event);
                let EventKind::Session { session, change } = &event.kind else {
                    continue;
                };
                let is_child = self
                    .state
                    .session(*session)
                    .is_some_and(|s| s.parent.is_some());
                match change {
                    Change::Phase { phase, .. } if is_child && *phase == Phase::Running => {
                        running.insert(*session);
                    }
                    Change::Exited { .. } if !is_child => {
                        return Ok(Figures {
                            tree_ms: milliseconds(began.elapsed()),
                            children: running.len(),
                            ..Figures::default()
                        });
                    }
                    Change::Ended { why } if !is_child => bail!("no exit code came: {why}"),
                    _ => {}
                }
            }
        }
    }

    async fn flood(&mut self, job: &Job, began: Instant) -> Result<Figures> {
        let over = CancellationToken::new();
        let asking = omp_debug::tasks::spawn(ask(self.core.clone(), over.clone()));
        let mut began = began;
        let mut lines = 0;
        while lines < job.count {
            let mut configured = false;
            self.take(|change| {
                match change {
                    // What the adapter itself has to say is not the program's.
                    Change::Output { chunks } => {
                        let printed = chunks.iter().filter(|chunk| chunk.category == "stdout");
                        lines += printed
                            .map(|chunk| memchr::memchr_iter(b'\n', chunk.text.as_bytes()).count())
                            .sum::<usize>();
                    }
                    Change::Phase { phase, .. } => configured |= *phase == Phase::Configured,
                    _ => {}
                }
                false
            })
            .await?;
            if configured && job.task == Task::Pipe {
                began = Instant::now();
            }
            if self.session().is_ok_and(|session| session.ended.is_some()) {
                break;
            }
        }
        let flood_ms = milliseconds(began.elapsed());
        over.cancel();
        Ok(Figures {
            flood_ms,
            lines,
            reply_p95_ms: percentile(&asking.await?, 0.95),
            ..Figures::default()
        })
    }
}

/// Sends a command now and then until told to stop; how long each took to be answered, in milliseconds.
async fn ask(core: CoreHandle, over: CancellationToken) -> Vec<f64> {
    let mut times = Vec::new();
    while timeout(ASK_EVERY, over.cancelled()).await.is_err() {
        let began = Instant::now();
        let remember = Command::Remember {
            key: "bench".to_owned(),
            values: Vec::new(),
        };
        if core.request(remember).await.is_ok() {
            times.push(milliseconds(began.elapsed()));
        }
    }
    times
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Most memory that was resident of a process: its id, or `self`.
pub fn peak_mb(process: impl std::fmt::Display) -> Result<f64> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).wrap_err_with(|| format!("cannot read {path}"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: f64 = peak
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| eyre!("{path} has no VmHWM"))?;
    Ok(kib / 1024.0)
}
