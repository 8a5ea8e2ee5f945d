//! `omp-debug hang`: why a process hangs, or what was left of one did. It is stopped, looked at, and goes on.

use super::prelude::*;
use crate::debugger::{
    AttachSpec, CoreHandle, Reply, SessionId, State, Subscription,
    adapters::{Table, of_dump, stopped_by_signal},
    hang::{self, Hang},
    timings::RequestTiming,
};

/// `hang`.
#[derive(Args, Clone, Debug, Default)]
#[command(group = clap::ArgGroup::new("whose").required(true).args(["pid", "port", "core"]))]
pub struct HangArgs {
    /// Look at the process with this id; it stands still for the time of the look
    #[arg(long, value_name = "N", value_parser = numbers(1..))]
    pub pid: Option<u32>,
    /// Look at the program that is debugged by the server on this port, as of `node --inspect`; Node's own tasks are seen by this only
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Look at a core dump, what is left of a process that died
    #[arg(long, value_name = "FILE")]
    pub core: Option<PathBuf>,
    /// The program that died, for its symbols
    #[arg(long, value_name = "FILE", requires = "core")]
    pub program: Option<PathBuf>,
    /// Threads (goroutines, tasks) that are looked at, those who wait for a lock first; about 2 ms each, 10 s in all at most
    #[arg(long, value_name = "N", default_value_t = hang::MOST)]
    pub threads: usize,
    /// JSON: one object
    #[arg(long)]
    pub json: bool,
}

/// How long an attach may take.
const ATTACH: Duration = Duration::from_secs(30);
/// How long the stop may take that an attach makes.
const STOP: Duration = Duration::from_secs(5);

impl HangArgs {
    /// Prints what is seen.
    pub async fn run(&self, setup: &Setup) -> Result<u8> {
        let discretion = offer(setup).discretion;
        let hang = self.seen(setup).await?;
        if self.json {
            let mut value = serde_json::to_value(&hang)?;
            discretion.json(&mut value);
            write_pretty(&mut stdout(), &value)?;
            return Ok(0);
        }
        print(discretion.text(hang.text()).as_bytes())
    }

    /// Attaches, looks, leaves.
    pub async fn seen(&self, setup: &Setup) -> Result<Hang> {
        let (config, context) = (&setup.config, &setup.context);
        let spec = AttachSpec {
            pid: self.pid,
            port: self.port,
            core: self.core.as_ref().map(|file| context.cwd.join(file)),
            program: self.program.as_ref().map(|file| context.cwd.join(file)),
            cwd: Some(context.cwd.clone()),
            adapter: config.core.adapter.clone(),
            plain_adapter: config.core.plain_adapter,
            stay: true,
            ..AttachSpec::default()
        };
        let core = spec.core.as_deref();
        let of_core = core.map(|core| of_dump(core, spec.program.as_deref()));
        let told = of_core.into_iter().flatten();
        let told: Vec<_> = told.chain(self.pid.and_then(stopped_by_signal)).collect();
        let samples = hang::Samples::default();
        if let Some(pid) = self.pid {
            // Who works is seen before it is stopped.
            samples.look(pid.into());
            tokio::time::sleep(hang::WATCHED).await;
            samples.look(pid.into());
        }
        let core = Core::start(CoreConfig {
            // What everyone else wants to see at a stop nobody looks at here.
            threads_at_stops: false,
            samples,
            ..setup.core()?
        });
        let mut seen = self.look(&core, spec).await;
        if let Ok(hang) = &mut seen {
            hang.notes.extend(told);
        }
        // However it went: the process goes on.
        let _ = core.request(Command::Shutdown).await;
        seen
    }

    async fn look(&self, core: &CoreHandle, spec: AttachSpec) -> Result<Hang> {
        let seen = core.subscribe().await;
        let (state, events) = seen.ok_or_else(|| Failure::failed("The debugger has ended."))?;
        let attaching = Instant::now();
        let attach = core.request_within(Command::Attach(Box::new(spec)), ATTACH);
        let Reply::Session { session } = attach.await? else {
            return Err(Failure::failed("The debugger did not attach."));
        };
        let brought_in = attaching.elapsed().as_millis() as u64;
        let attached = Instant::now();
        // Asked for a pause before that, it would have two reasons to stop.
        stands(state, events, session).await;
        let (session, threads) = (Some(session), Some(self.threads));
        let seen = core.request(Command::Hang { session, threads }).await;
        let looked = attached.elapsed().as_millis() as u64;
        let left = core.request(Command::Detach { session }).await;
        let seen = seen.and_then(|seen| left.map(|_| seen));
        let Reply::Hang { mut hang } = seen? else {
            return Err(Failure::failed("The debugger did not look."));
        };
        let spent = core.request(Command::Spent { session }).await;
        // What was asked as it ran did not stand still for the attach.
        let has_frames = hang
            .waiters
            .iter()
            .any(|w| w.frames.iter().any(|f| f.id.is_some()));
        if let Ok(Reply::Spent { spent }) = spent
            && self.core.is_none()
            && has_frames
        {
            // The adapter stops it to attach, and until it has left.
            let is_so = |r: &&RequestTiming| ["attach", "disconnect"].contains(&r.command.as_str());
            let took = spent
                .requests
                .iter()
                .filter(is_so)
                .map(|r| r.total_us / 1000);
            hang.stood_ms = Some(took.sum::<u64>() + looked);
        } else if self.pid.is_some() {
            let seconds = brought_in as f64 / 1000.0;
            hang.notes.push(format!(
                "Before that, it may have stood still for up to {seconds:.1} s, in which the debugger was brought into it."
            ));
        }
        Ok(*hang)
    }
}

/// Waits until the program stands, where an attach stops it.
async fn stands(mut state: State, mut events: Subscription, id: SessionId) {
    let table = Table::builtin();
    let waits = |state: &State| {
        state.session(id).is_none_or(|session| {
            let adapter = table.get(&session.adapter);
            let stops = adapter.is_ok_and(|adapter| adapter.personality.attach_extra_stop);
            stops && session.stop.is_none() && session.phase.is_live()
        })
    };
    let stop = async {
        while waits(&state) {
            let Some(news) = events.next().await else {
                return;
            };
            for event in &news {
                state.apply(event);
            }
        }
    };
    let _ = tokio::time::timeout(STOP, stop).await;
}
