//! `omp-debug hang`: why a process hangs, or what was left of one did. It is stopped, looked at, and goes on.

use super::{
    debug::offer,
    prelude::*,
    start::{core_config, print},
};
use crate::debugger::{
    Phase, Reply, State,
    command::AttachSpec,
    core::{Core, CoreConfig, CoreHandle},
    hang::{self, Hang, Limits},
    ids::SessionId,
    recording::Recorder,
};

/// `hang`.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("whose").required(true).args(["pid", "core"]))]
pub struct HangArgs {
    /// Look at the process with this id; it stands still for the time of the look
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// Look at a core dump, what is left of a process that died
    #[arg(long, value_name = "FILE")]
    pub core: Option<PathBuf>,
    /// The program that died, for its symbols
    #[arg(long, value_name = "FILE", requires = "core")]
    pub program: Option<PathBuf>,
    /// Threads (goroutines, tasks) that are looked at
    #[arg(long, value_name = "N", default_value_t = Limits::default().waiters)]
    pub threads: usize,
    /// JSON: one object
    #[arg(long)]
    pub json: bool,
}

/// How long an attach may take, and after it the stop that some adapters make for it.
const ATTACH: Duration = Duration::from_secs(30);
const STOP: Duration = Duration::from_millis(200);

impl HangArgs {
    /// Attaches, looks, leaves, prints.
    pub async fn run(
        &self,
        config: &Config,
        context: Context,
        recorder: Option<Arc<Recorder>>,
    ) -> Result<u8, Failure> {
        let spec = AttachSpec {
            pid: self.pid,
            core: self.core.as_ref().map(|file| context.cwd.join(file)),
            program: self.program.as_ref().map(|file| context.cwd.join(file)),
            cwd: Some(context.cwd.clone()),
            adapter: config.adapter.clone(),
            plain_adapter: config.plain_adapter,
            stay: true,
            ..AttachSpec::default()
        };
        if let Some(pid) = self.pid {
            // Who works is seen before it is stopped.
            hang::sample(pid.into());
            tokio::time::sleep(hang::WATCHED).await;
            hang::sample(pid.into());
        }
        let discretion = offer(config, &context).discretion;
        let core = Core::start(CoreConfig {
            // What everyone else wants to see at a stop nobody looks at here.
            threads_at_stops: false,
            ..core_config(config, context, recorder)?
        });
        let seen = self.look(&core, spec).await;
        // However it went: the process goes on.
        let _ = core.request(Command::Shutdown).await;
        let hang = seen?;
        if self.json {
            let mut value = serde_json::to_value(&hang)?;
            discretion.json(&mut value);
            write_pretty(&mut stdout(), &value)?;
            return Ok(0);
        }
        print(discretion.text(hang.text()).as_bytes())
    }

    async fn look(&self, core: &CoreHandle, spec: AttachSpec) -> Result<Hang, Failure> {
        let failed = |error| Failure::failed(error);
        let attach = core.request_within(Command::Attach(Box::new(spec)), ATTACH);
        let Reply::Session { session } = attach.await.map_err(failed)? else {
            return Err(Failure::failed("The debugger did not attach."));
        };
        let attached = Instant::now();
        let stands = self.stands(core, session).await;
        let (session, threads) = (Some(session), Some(self.threads));
        let seen = core.request(Command::Hang { session, threads }).await;
        let until = Instant::now();
        let left = core.request(Command::Detach { session }).await;
        let mut seen = match seen.and_then(|seen| left.map(|_| seen)).map_err(failed)? {
            Reply::Hang { hang } => *hang,
            other => {
                return Err(Failure::failed(format!(
                    "An answer that does not fit: {other:?}"
                )));
            }
        };
        if self.pid.is_some() {
            // The adapter stops it to attach, and to leave it.
            let took = core.request(Command::Spent { session }).await;
            let took = |command: &str| match &took {
                Ok(Reply::Spent { spent }) => {
                    let mut requests = spent.requests.iter();
                    requests
                        .find(|r| r.command == command)
                        .map_or(0, |r| r.total_us / 1000)
                }
                _ => 0,
            };
            let looked = (until - attached).as_millis() as u64;
            seen.stood_ms = match seen.stood_ms {
                Some(ms) if !stands => Some(ms),
                _ => Some(took("attach") + looked + took("disconnect")),
            };
        }
        Ok(seen)
    }

    /// Whether it stands still where the adapter stopped it for the attach; some let it go on at once.
    async fn stands(&self, core: &CoreHandle, session: SessionId) -> bool {
        let Some((mut state, mut events)) = core.subscribe().await else {
            return false;
        };
        let is_on_its_way = |state: &State| {
            state
                .session(session)
                .is_some_and(|s| s.phase != Phase::Stopped && s.phase.is_live())
        };
        let standing = async {
            while is_on_its_way(&state) {
                let Some(batch) = events.next().await else {
                    return;
                };
                for event in &batch {
                    state.apply(event);
                }
            }
        };
        tokio::time::timeout(STOP, standing).await.is_ok()
    }
}
