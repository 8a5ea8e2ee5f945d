//! `mirror` on the command line.

use super::prelude::*;

/// `mirror`.
#[derive(Args, Debug)]
#[command(after_help = "\
Prints how an editor connects, as one JSON object: host, port and token. An editor attaches to that port as to a debug server, and its
attach request has the token. docs/mirror.md shows how for VS Code, Neovim and Helix.

Exit codes: 0 the debugger ended, 2 no such debugger, 130 or 143 ended by a signal.")]
pub struct MirrorArgs {
    /// The debugger with this process id or socket, when several are running
    #[arg(long, visible_alias = "to", value_name = "PID|PATH", num_args = 0..=1, default_missing_value = "")]
    pub join: Option<String>,
    /// Where editors connect, on this machine alone [default: any port that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}
