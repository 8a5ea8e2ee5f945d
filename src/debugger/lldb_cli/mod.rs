//! LLDB's command line as a debug adapter: for machines where lldb is and lldb-dap is not.
//!
//! To the core this is an adapter like any other: [`connect`] gives a connection that speaks DAP, over a pipe in memory. Behind it
//! [`adapter`] turns requests into commands for one long-lived `lldb` ([`process`], [`transcript`], [`quote`]), whose Python
//! tells what it knows as data ([`channel`]); the program's own output has pipes of its own ([`streams`]).
//!
//! Programs in a simulator are found by [`simulator`]. Which of LLDB's two ways is used is left to the adapter table.

mod adapter;
mod channel;
pub mod process;
mod quote;
pub mod simulator;
mod streams;
mod transcript;

use adapter::Adapter;
use dap::{
    client::{Connection, Tap},
    transport::{AdapterSpec, command_line::Behind},
};
use process::{Lldb, LldbError};
use tokio::io::AsyncWrite;

use crate::{prelude::*, random};

/// Bytes in memory between the core and the adapter.
const PIPE: usize = 256 << 10;

/// Starts lldb and gives a connection to what speaks for it.
pub async fn connect(mut spec: AdapterSpec, tap: Option<Tap>) -> Result<Connection, String> {
    let prompt = prompt().map_err(|error| format!("there are no random numbers: {error}"))?;
    spec.argv.extend([
        "--no-lldbinit".to_owned(),
        "-o".to_owned(),
        format!("settings set prompt \"{prompt}\""),
    ]);
    let program = spec.argv.first().cloned().unwrap_or_default();
    let (behind, (input, output)) = Behind::command_line(&spec).in_words()?;
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let start_up = spec.ready_timeout.min(process::START_UP);
    match speak(output, input, &prompt, start_up, theirs).await {
        Ok(()) => {
            let (read, write) = tokio::io::split(ours);
            Ok(behind.connection(read, write, tap))
        }
        // The process ends with its handle.
        Err(error) => Err(format!("`{program}` cannot be used: {error}")),
    }
}

/// Speaks DAP on `core` for an lldb on the other two streams, whoever started it; returns once it answers.
pub async fn speak<I, O, C>(
    output: I,
    input: O,
    prompt: &str,
    start_up: Duration,
    core: C,
) -> Result<(), LldbError>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
    C: AsyncRead + AsyncWrite + Send + 'static,
{
    let (lldb, notes) = Lldb::start(output, input, prompt, start_up).await?;
    let adapter = Adapter::open(lldb, notes, core).await?;
    tasks::spawn(adapter.run());
    Ok(())
}

/// A prompt that no output has by chance.
fn prompt() -> io::Result<String> {
    Ok(format!("(omp-debug-{}) ", random::word::<8>()?))
}
