//! What fronts start with: settings, surroundings, a runtime, signals, and the way to standard output.

use std::{
    io::{Write as _, stdout},
    sync::Arc,
    time::Duration,
};

use tokio::runtime::{Builder, Runtime};

use super::failure::{Failure, Result};
use crate::{
    config::Config,
    debugger::{
        CoreConfig,
        adapters::Context,
        link::Offer,
        permission::{Actor, ActorKind, Caller, rules::Rules},
        recording::Recorder,
        tool::discretion::Discretion,
    },
    headless::signals::Signals,
};

/// To standard output, as it is.
pub(super) fn print(text: &[u8]) -> Result<u8> {
    match stdout().write_all(text) {
        // `omp-debug man | head` is not an error.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::failed(error)),
        _ => Ok(0),
    }
}

/// How long a thread for work that blocks stays without any. Each that ends later wakes an idle program once more.
const AT_HAND: Duration = Duration::from_millis(500);

/// What runs fronts.
pub(super) fn runtime() -> Result<Runtime> {
    built(Builder::new_multi_thread().worker_threads(2))
}

/// What waits for a signal or writes a line.
pub fn small_runtime() -> Result<Runtime> {
    built(&mut Builder::new_current_thread())
}

fn built(builder: &mut Builder) -> Result<Runtime> {
    let runtime = builder.enable_all().thread_keep_alive(AT_HAND).build();
    runtime.map_err(|e| Failure::failed(format!("no threads could be started: {e}")))
}

/// Does something at each Ctrl-C or polite kill, in a thread of its own.
pub(super) fn at_interrupts(mut work: impl FnMut() + Send + 'static) -> Result<()> {
    let runtime = small_runtime()?;
    let inside = runtime.enter();
    let mut signals = Signals::new()?;
    drop(inside);
    let wait = move || {
        runtime.block_on(async {
            loop {
                signals.next().await;
                work();
            }
        });
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(wait).map(drop).map_err(Failure::failed)
}

/// What every front starts with: settings, surroundings and, where wanted, a recorder.
pub struct Setup {
    pub config: Config,
    pub context: Context,
    pub recorder: Option<Arc<Recorder>>,
}

impl Setup {
    /// A core as the settings have it.
    pub(super) fn core(&self) -> Result<CoreConfig> {
        let (config, context) = (&self.config, &self.context);
        Ok(CoreConfig {
            permission: config.permission.unwrap_or_default(),
            rules: Rules::load(&context.config_dir).map_err(Failure::usage)?,
            settings: config.core.clone(),
            supervisor: std::env::current_exe().ok(),
            own_code: Arc::new(config.core.own_code.into()),
            recorder: self.recorder.clone(),
            ..CoreConfig::new(context.clone())
        })
    }
}

/// Who acts where nobody else can come in: the person, unless the command line or rules say that not everything may be done.
pub(super) fn caller(config: &Config, is_ruled: bool) -> Caller {
    if config.permission.is_none() && !is_ruled {
        return Caller::default();
    }
    Caller {
        actor: Actor::new(ActorKind::Script, ""),
        mode: config.permission,
        ..Caller::default()
    }
}

/// How the debug tool is offered to those who call.
pub fn offer(setup: &Setup) -> Offer {
    let (config, context) = (&setup.config, &setup.context);
    Offer {
        enabled: config.core.debug_enabled,
        discretion: if config.core.debug_redact {
            Discretion::knowing(context.env.iter())
        } else {
            Discretion::none()
        },
    }
}
