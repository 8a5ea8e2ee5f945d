//! Programs debugged without an adapter in between: their own debug servers connect to us.
//!
//! To the core this is an adapter like any other: [`connect`] gives a connection that speaks DAP, over a pipe in memory, and
//! so does [`join`] for a child that was announced on one. Behind it a `Family` listens on this machine and keeps the
//! servers that come, and a `Relay` does for one session what an adapter would do. Which programs have such a server, how it
//! is started and what its requests are called is data of the adapter table.

mod frames;
mod queue;
mod relay;
mod root;
mod server;
mod server_tree;
#[cfg(test)]
mod tests;

use dap::{
    client::{Connection, Tap, connect_io},
    process::Ender,
    requests::reverse::RunInTerminalArguments,
    transport::{AdapterSpec, command_line::Behind},
};
use root::Root;

use crate::{
    adapters::{ADDRESS, ServerLaunch, TOKEN},
    prelude::*,
    random,
};

pub use server_tree::ServerTree;

/// Bytes in memory between the core and a session.
const PIPE: usize = 256 << 10;
/// Lines of what a program said that are told with its failure.
const LAST_LINES: usize = 5;

/// A program that is to be started in a terminal.
#[derive(Debug)]
pub struct InTerminal {
    pub arguments: RunInTerminalArguments,
    /// Gets what ends it, and sees it end.
    pub started: oneshot::Sender<Result<Ender, String>>,
}

/// Starts a program and gives a connection to what speaks for it, once its server has come. `spec` says how processes are
/// started and how long that may take; its command line, directory and environment are those of `launch`. Whoever has
/// terminals is asked for one when it needs that.
pub async fn connect(
    mut spec: AdapterSpec,
    launch: ServerLaunch,
    terminals: oneshot::Sender<InTerminal>,
    tap: Option<Tap>,
) -> Result<(Connection, Arc<ServerTree>), String> {
    // What only our own programs know.
    let token =
        random::word::<32>().map_err(|error| format!("there are no random numbers: {error}"))?;
    let secret = &launch.servers.secret;
    let secret = (secret.env.clone(), secret.value.replace(TOKEN, &token));
    let (family, first) = ServerTree::listen(launch.servers, token)
        .await
        .map_err(|error| format!("there is no port to listen on: {error}"))?;
    let address = family.address().to_string();
    let words = launch.before.iter();
    let words = words.map(|w| w.replace(ADDRESS, &address));
    spec.argv = words.chain(launch.program).collect();
    spec.env.extend(launch.env);
    spec.env.push((secret.0, Some(secret.1)));
    if let Some(cwd) = launch.cwd {
        spec.cwd = cwd;
    }
    let (mut root, behind) = if launch.in_terminal {
        (Root::in_terminal(ask(&spec, terminals).await?), None)
    } else {
        let started = Behind::debuggee(&spec);
        let (behind, streams) = started.in_words()?;
        (Root::of(behind.ender(), streams), Some(behind))
    };
    let come = timeout(spec.ready_timeout, first);
    let (server, who) = tokio::select! {
        biased;
        come = come => {
            let Ok(Ok(come)) = come else {
                root.end();
                let limit = spec.ready_timeout.as_secs();
                return Err(format!("its debug server did not connect to {address} within {limit} s"));
            };
            come
        }
        exit = root.ended() => {
            let said = root.last_words().await;
            let lines: Vec<_> = said.lines().collect();
            let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
            return Err(format!("it exited ({exit}) before its debug server connected: {}", last.join("\n")));
        }
    };
    let (ours, theirs) = tokio::io::duplex(PIPE);
    family.adopt(server, who, theirs, root);
    let (read, write) = tokio::io::split(ours);
    let connection = if let Some(behind) = behind {
        behind.connection(read, write, tap)
    } else {
        let connection = connect_io(read, write, &spec.name);
        connection.client.set_tap(tap);
        connection
    };
    Ok((connection, family))
}

/// Has a program started in a terminal.
async fn ask(spec: &AdapterSpec, terminals: oneshot::Sender<InTerminal>) -> Result<Ender, String> {
    let gone = || "there is no terminal any more".to_owned();
    let env = spec.env.iter();
    let env = env.map(|(name, value)| (name.clone(), Value::from(value.clone())));
    let (started, answer) = oneshot::channel();
    let wish = InTerminal {
        arguments: RunInTerminalArguments {
            args: spec.argv.clone(),
            cwd: spec.cwd.lossy(),
            env: Some(env.collect()),
            ..RunInTerminalArguments::default()
        },
        started,
    };
    terminals.send(wish).map_err(|_unheard| gone())?;
    answer.await.map_err(|_unanswered| gone())?
}

/// A connection to the child that this configuration, as it was announced, names.
pub fn join(
    family: &Arc<ServerTree>,
    configuration: &Value,
    name: &str,
    tap: Option<Tap>,
) -> Connection {
    let key = &family.servers().child.pid_key;
    let pid = configuration.get(key).and_then(Value::as_i64);
    let (ours, theirs) = tokio::io::duplex(PIPE);
    family.join(pid.unwrap_or_default(), theirs);
    let (read, write) = tokio::io::split(ours);
    let connection = connect_io(read, write, name);
    connection.client.set_tap(tap);
    connection
}
