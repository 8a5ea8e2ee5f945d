//! What may be said behind `sse`.

use clap::Subcommand;

use crate::{commands::prelude::*, diagnostics::sse::Replay};

/// `sse`.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  omp-debug sse run -- claude -p hello          what a command asks its provider, as it is answered
  omp-debug sse proxy --upstream https://api.anthropic.com
  omp-debug sse https://example.com/events      live on the screen; --print prints
  curl -N https://… | omp-debug sse --json -    a stream as it comes
  omp-debug sse raw-sse.txt                     what omp recorded; on a terminal, the screen
  omp-debug sse --json -f capture.log           a file that is being written"
)]
pub struct SseArgs {
    /// A file, an address, or - for standard input: a stream, curl -i, omp's raw-sse.txt, HAR, mitmproxy's flows, claude-trace's log, what --json printed
    ///
    /// Without it, and on a terminal, what omp left in its report bundles is offered. All of them are shown on the screen when there is a
    /// terminal, unless --print, --json or -o says otherwise.
    pub source: Option<PathBuf>,
    /// One JSON object a line: responses, events, and the message that each response spells
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// Frames as they came, as text, no screen
    #[arg(long)]
    pub print: bool,
    /// Wait for what is appended to the file
    #[arg(short, long)]
    pub follow: bool,
    /// Play a recording as it came, or so many times as fast: 1x, 10x, 0.5x
    #[arg(long, value_name = "SPEED", conflicts_with = "follow", value_parser = Replay::parse)]
    pub replay: Option<Replay>,
    /// Leave keys and tokens as they are
    #[arg(long)]
    pub show_secrets: bool,
    /// Ask the address like this [default: GET, with --data POST]
    #[arg(short = 'X', long, value_name = "METHOD", help_heading = "Addresses")]
    pub request: Option<String>,
    /// Send this header, as in 'Authorization: Bearer …'; may be given several times
    #[arg(
        short = 'H',
        long,
        value_name = "NAME: VALUE",
        help_heading = "Addresses"
    )]
    pub header: Vec<String>,
    /// Send this, or what is in the file behind @
    #[arg(short, long, value_name = "DATA|@FILE", help_heading = "Addresses")]
    pub data: Option<String>,
    /// Ask for what came after the event with this id
    #[arg(long, value_name = "ID", help_heading = "Addresses")]
    pub last_event_id: Option<String>,
    /// Do not ask again when the stream ends (POST never does)
    #[arg(long, help_heading = "Addresses")]
    pub once: bool,
    /// Write a capture as well, without keys and tokens, for your eyes only (0600)
    #[arg(short, long, value_name = "FILE", help_heading = "Addresses")]
    pub output: Option<PathBuf>,
    /// Leave keys and tokens in the capture
    #[arg(long, requires = "output", help_heading = "Addresses")]
    pub raw: bool,
    /// What is to be recorded instead.
    #[command(subcommand)]
    pub command: Option<SseCommand>,
}

/// `sse …`.
#[derive(Debug, Subcommand)]
pub enum SseCommand {
    /// Run a command whose requests to providers are recorded on their way; exits as it does
    Run(SseRunArgs),
    /// Record what clients ask a provider through an address on this machine
    Proxy(SseProxyArgs),
}

/// `sse run`.
#[derive(Args, Debug)]
#[command(after_help = "\
The command finds ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL and the like set to an address on this
machine; what they were set to before is where requests go from there. What it prints stays its own, and so does the terminal: to
see its streams live, say -o FILE here and omp-debug sse FILE in another one.")]
pub struct SseRunArgs {
    /// Print records as JSON, one a line, among what the command prints
    #[arg(long)]
    pub json: bool,
    /// Where and how captures are written.
    #[command(flatten)]
    pub capture: CaptureArgs,
    /// The command, after --
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub argv: Vec<OsString>,
}

/// `sse proxy`.
#[derive(Args, Debug)]
pub struct SseProxyArgs {
    /// Where requests go: all, or with NAME=URL those whose path begins with /NAME; may be given several times
    #[arg(long, value_name = "[NAME=]URL", required = true)]
    pub upstream: Vec<String>,
    /// Listen on this port [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print records as JSON, one a line
    #[arg(long)]
    pub json: bool,
    /// Print records as text, no screen (the default without a terminal, --json and -o)
    #[arg(long, conflicts_with = "json")]
    pub print: bool,
    /// Where and how captures are written.
    #[command(flatten)]
    pub capture: CaptureArgs,
}

/// How captures are written.
#[derive(Args, Clone, Debug, Default)]
pub struct CaptureArgs {
    /// Write a capture, without keys and tokens, for your eyes only (0600); omp-debug sse FILE reads it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Leave keys and tokens in the capture
    #[arg(long, requires = "output")]
    pub raw: bool,
    /// Leave keys and tokens in what is printed
    #[arg(long)]
    pub show_secrets: bool,
}
