//! `mcp`: its part of the command line, and the core that it hosts when it joins none.

use super::{call::sessions, prelude::*, resident};
use crate::{
    debugger::link::{self, HostKind, Hosting, Note, SocketFolder},
    headless::mcp::{self, Clients, CoreOwner, Counter},
};

const AFTER_HELP: &str = "\
Clients start it themselves; what they need is printed by `omp-debug agent-guide --for CLIENT`. A screen shows what an agent does in it:
omp-debug --join. What agents may do is said by --permission and by your rules; the page `serve` of the book has it all.

  claude mcp add omp-debug -- omp-debug mcp
  claude mcp add omp-debug -- omp-debug mcp --join       an agent in the session on your screen
  omp-debug mcp --http                                   over HTTP on this machine; says where, and where the token is";

/// `mcp`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct McpArgs {
    /// Share the debugger of a screen or of `serve`: of this process, of this socket, or of the only one
    #[arg(long, value_name = "PID|PATH", num_args = 0..=1, default_missing_value = "")]
    pub join: Option<String>,
    /// Over HTTP on 127.0.0.1, at this port or at any, instead of standard input and output
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub http: Option<u16>,
    /// The tools that are offered, each of which costs a model room: what it takes to stop and look (minimal), without machine code
    /// and the adapter's own (standard), or full
    #[arg(long, value_name = "SET", value_parser = ["minimal", "standard", "full"], default_value = "full")]
    pub tools: String,
    /// Programs that may be debugged at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = sessions)]
    pub max_sessions: usize,
}

/// `mcp`.
pub async fn serve(args: &McpArgs, setup: &Setup) -> Result<u8> {
    let (offer, context) = (offer(setup), &setup.context);
    let mut hosted = None;
    let held = if let Some(wanted) = &args.join {
        let wanted = Some(wanted.as_str()).filter(|wanted| !wanted.is_empty());
        mcp::joined(context, wanted).await?
    } else {
        let core = Core::start(CoreConfig {
            max_sessions: args.max_sessions,
            ..setup.core()?
        });
        drop(tasks::spawn(resident::settle(core.clone())));
        let note = Note::own(HostKind::Serve, context.cwd.clone(), None);
        // Without a socket an agent debugs all the same, and nobody can look on.
        let socket = async {
            let hosting = Hosting {
                offer: offer.clone(),
                ..Hosting::new(SocketFolder::make(context)?, note)
            };
            link::serve(core.clone(), hosting).await
        };
        match socket.await {
            Ok(host) => hosted = Some(host),
            Err(error) => warn(&sanitise(&format!("no screen can join: {error}"))),
        }
        CoreOwner::Own(core)
    };
    let program = std::env::current_exe().map_err(Failure::failed)?;
    let counter = Counter {
        held,
        mode: setup.config.permission,
        tools: mcp::ToolSet::named(&args.tools),
        offer,
        context: context.clone(),
        program,
        clients: Clients::default(),
    };
    let code = mcp::run(Arc::new(counter), args.http).await;
    drop(hosted);
    Ok(code?)
}
