//! `omp-debug mcp`: the debugger and the desk as tools of coding agents, over the Model Context Protocol.
//!
//! | file | what is in it |
//! |---|---|
//! | `server` | what a client asks, and which part answers |
//! | `tools` | the list of tools: the rows of the operations table, and those of the desk |
//! | `call` | one call: as an action of the debug tool, or as a command of the desk |
//! | `consent` | what needs a person's consent where the client can ask one |
//! | `answer` | results within their number of bytes, what is left of them kept for later |
//! | `seat` | one client: who it is, what it was told, what it may do |
//! | `desk` | commands of the desk, run as programs |
//! | `resources` | the same |
//! | `notices` | what a client is told unasked |
//! | `http` | the same over HTTP on this machine |
//!
//! Protocol, both revisions of it, and its transports are those of the official SDK (`rmcp`); what may be done is the core's to judge.

mod answer;
mod call;
mod consent;
mod desk;
mod http;
mod notices;
mod resources;
mod seat;
mod server;
mod tool_set;
mod tools;

use debugger::link;
use rmcp::{
    ServiceExt as _,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, io::stdio_pipes},
};

use crate::{prelude::*, serve::SHUTDOWN, signals::Signals};
pub use seat::{Clients, CoreOwner, Counter};
use server::Server;
pub use tool_set::ToolSet;

/// Bytes of one message that are taken.
const LONGEST: usize = 4 * 1024 * 1024;

/// Serves until the client goes or a signal comes; gives the exit code. With a port over HTTP, else over standard input and output.
pub async fn run(counter: Arc<Counter>, port: Option<u16>) -> Result<u8> {
    let mut signals = Signals::new()?;
    let served = async {
        match port {
            Some(port) => http::serve(&counter, port).await,
            None => stdio(&counter).await,
        }
    };
    let code = tokio::select! {
        done = served => done.map(|()| 0),
        code = signals.next() => Ok(code),
    };
    if let CoreOwner::Own(core) = &counter.held {
        // What does not end in time is ended by its supervisor.
        let _ = tokio::time::timeout(SHUTDOWN, core.request(Command::Shutdown)).await;
    }
    code
}

/// No port, no file for the token, or a client that does not speak MCP.
fn failed(what: String) -> DebuggerError {
    DebuggerError::new(ErrorKind::Adapter, what)
}

async fn stdio(counter: &Arc<Counter>) -> Result<()> {
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST);
    let server = Server::new(Arc::clone(counter));
    let stranger = |error: &dyn std::fmt::Display| {
        let why = sanitise(&error.to_string()).into_owned();
        failed(format!("the client does not speak MCP: {why}"))
    };
    match server.serve(transport).await {
        Ok(service) => service
            .waiting()
            .await
            .map(drop)
            .map_err(|error| stranger(&error)),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(stranger(&error)),
    }
}

/// The core that is meant by `--join`.
pub async fn joined(context: &Context, wanted: Option<&str>) -> Result<CoreOwner> {
    let path = link::choose(context, wanted).await?;
    // Whether it can be joined is said now, not at the first call.
    link::Connection::open(&path).await?;
    Ok(CoreOwner::Joined(path))
}
