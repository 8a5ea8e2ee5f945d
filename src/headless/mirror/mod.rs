//! `omp-debug mirror`: the sessions of a debugger that runs, as a debug adapter that only looks, for editors that speak the Debug
//! Adapter Protocol.
//!
//! | file | what is in it |
//! |---|---|
//! | `client` | one editor: its token, its requests, what it is told |
//! | `view` | what it is told: answers, and the events between two states |
//! | `ids` | numbers of our own for frames, values and sources |
//!
//! Nothing is asked of the core but what looks, and the core holds us to that: we join it as someone who observes.

mod client;
mod ids;
mod view;

use std::{
    io::{self, Write},
    net::Ipv4Addr,
};

use tokio::{
    net::TcpListener,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{prelude::*, serve::announce, signals::Signals};
use debugger::{
    link::{self, Guest},
    permission::{Actor, ActorKind, Mode},
    random,
    tool::discretion::Discretion,
};

/// Editors at a time.
const MOST_EDITORS: usize = 16;
/// How long we wait after the system could not give us an editor before we ask again.
const BREATHER: Duration = Duration::from_secs(1);
/// How long editors have to take the last that they are told.
const FAREWELL: Duration = Duration::from_secs(2);

/// What all editors share.
struct Mirror {
    core: CoreHandle,
    /// Whose sessions these are, in words for a sentence.
    host: String,
    discretion: Discretion,
    token: String,
}

/// Serves editors until the debugger ends or a signal comes. Says on `out` how they connect. Gives the exit code.
/// `to` is its process id or socket, none is the only one; port 0 is any that is free.
pub async fn run(
    context: &Context,
    to: Option<&str>,
    port: u16,
    out: &mut dyn Write,
) -> Result<u8> {
    // Without these it could not end, or be kept to those who may look.
    let system = |error: io::Error| {
        let what = format!("the system does not give what a mirror needs: {error}");
        DebuggerError::new(ErrorKind::Adapter, what)
    };
    let mut signals = Signals::new()?;
    let path = link::choose(context, to).await?;
    let guest = Guest {
        actor: Actor::new(ActorKind::Script, "mirror"),
        ..Guest::script(Some(Mode::Observe))
    };
    let joined = link::join_as(&path, guest).await?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = listener.map_err(|error| {
        DebuggerError::usage(format!(
            "port {port} of this machine cannot be listened at: {error}"
        ))
    })?;
    let address = listener.local_addr().map_err(system)?;
    let mirror = Arc::new(Mirror {
        host: joined.name(),
        discretion: joined.discretion(context),
        token: random::word::<16>().map_err(system)?,
        core: joined.core,
    });
    let said = json!({
        "host": address.ip(),
        "port": address.port(),
        "token": mirror.token,
        "debugger": joined.host.pid,
    });
    announce(out, &said);
    let over = async {
        if let Some((_, mut events)) = mirror.core.subscribe().await {
            while events.next().await.is_some() {}
        }
    };
    tokio::pin!(over);
    let mut editors = JoinSet::new();
    let status = loop {
        tokio::select! {
            biased;
            () = &mut over => break 0,
            code = signals.next() => break code,
            Some(_) = editors.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok(_) if editors.len() >= MOST_EDITORS => {
                    tracing::warn!("{MOST_EDITORS} editors look already; one more was refused");
                }
                Ok((stream, _)) => {
                    editors.spawn(client::attend(stream, Arc::clone(&mirror)));
                }
                Err(error) => {
                    tracing::warn!(%error, "no editor could be taken");
                    sleep(BREATHER).await;
                }
            },
        }
    };
    // Ends our connection, not the core; editors are told, as they are when the core ends.
    let _ = mirror.core.request(Command::Shutdown).await;
    let all = async { while editors.join_next().await.is_some() {} };
    let _ = timeout(FAREWELL, all).await;
    Ok(status)
}
