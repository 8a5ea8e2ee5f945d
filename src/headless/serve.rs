//! `omp-debug serve`: a core without a screen, for those who join it.

use std::{io::Write, time::Duration};

use serde_json::{Value, json};

use crate::signals::Signals;
use base::files::Watched;
use debugger::{
    Command, CoreHandle, DebuggerError, ErrorKind,
    adapters::Context,
    link::{self, Hosting, Note, Offer, SocketFolder},
};

/// How long sessions may take to end. Adapters are ended by force well before that.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(15);

/// Says in a line where something is to be found. Whoever started us may only want us to run.
pub(crate) fn announce(out: &mut dyn Write, place: &Value) {
    let mut out = Watched::new(out, "standard output");
    let _ = writeln!(out, "{place}").and_then(|()| out.flush());
}

/// Hosts `core` until a signal comes, then ends its sessions. Says on `out` where it is to be found. Gives the exit code.
pub async fn run(
    core: CoreHandle,
    context: &Context,
    note: Note,
    offer: Offer,
    out: &mut dyn Write,
) -> Result<u8, DebuggerError> {
    let mut signals = Signals::new()?;
    let pid = note.pid;
    let hosting = Hosting {
        offer,
        ..Hosting::new(SocketFolder::make(context)?, note)
    };
    let host = link::serve(core.clone(), hosting).await?;
    let socket = host.path().to_string_lossy().into_owned();
    announce(out, &json!({"socket": socket, "pid": pid}));
    let status = signals.next().await;
    let ended = tokio::time::timeout(SHUTDOWN, core.request(Command::Shutdown)).await;
    drop(host);
    match ended {
        Ok(_) => Ok(status),
        Err(_elapsed) => Err(DebuggerError::new(
            ErrorKind::Timeout,
            format!(
                "the debugger did not end its sessions within {} s; their supervisors end what is left",
                SHUTDOWN.as_secs()
            ),
        )),
    }
}
