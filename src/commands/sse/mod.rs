//! `omp-debug sse`: event streams as they come, from files, addresses, commands and clients.
//!
//! `read` tells of a file, `live` of what passes, `run` has a command's clients pass; putting together is done in
//! `diagnostics::sse`, drawing in `tui::routes::sse`. Everything is redacted before it is trimmed or written, unless secrets are
//! asked for.

mod live;
mod out;
mod read;
mod run;

use std::{borrow::Cow, ffi::OsString, io::Read as _};

use clap::Subcommand;

use self::{
    live::{Live, unheard},
    out::Form,
    read::no_events,
};
use super::prelude::*;
use crate::{
    diagnostics::sse::{
        Feed, Origin, Replay,
        live::{Fetch, FetchRequest},
        may_be_stream,
    },
    tui::routes::sse::Opening,
};

/// `sse`.
#[derive(Args, Clone, Debug)]
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
#[derive(Clone, Debug, Subcommand)]
pub enum SseCommand {
    /// Run a command whose requests to providers are recorded on their way; exits as it does
    Run(SseRunArgs),
    /// Record what clients ask a provider through an address on this machine
    Proxy(SseProxyArgs),
}

/// `sse run`.
#[derive(Args, Clone, Debug)]
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
#[derive(Args, Clone, Debug)]
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

impl SseProxyArgs {
    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let shown = match (self.json, self.print || self.capture.output.is_none()) {
            (true, _) => Some(Form::Json),
            (false, is_text) => is_text.then_some(Form::Text),
        };
        live::proxy(self, self.capture.live(shown, desk))
    }
}

impl DeskCommand for SseArgs {
    fn is_for_the_screen(&self) -> bool {
        let elsewhere = match &self.command {
            // The command has the terminal.
            Some(SseCommand::Run(_)) => true,
            Some(SseCommand::Proxy(args)) => {
                args.json || args.print || args.capture.output.is_some()
            }
            None => self.replay.is_some() || self.output.is_some() || self.json || self.print,
        };
        !elsewhere
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        match &self.command {
            Some(SseCommand::Run(args)) => run::run_command(args, desk),
            Some(SseCommand::Proxy(args)) => args.run(desk),
            None => match (&self.source, self.address()) {
                (None, _) => Err(Failure::usage("sse: say what is to be read")
                    .hint("a file, an address, or - for standard input")),
                (_, Some(url)) => self.fetch(&url, desk),
                (Some(source), None) => {
                    self.refuse_misplaced()?;
                    let redactor = (!self.show_secrets).then(|| desk.redactor());
                    read::run(source, self, redactor)?;
                    Ok(0)
                }
            },
        }
    }

    fn route(&self, desk: &Desk<'_>) -> Result<Route> {
        let mut route = Route::to(RouteId::SSE);
        let opening = if let Some(SseCommand::Proxy(args)) = &self.command {
            let (proxy, wires, upstreams) = live::listen(&args.upstream, args.port)?;
            let urls = upstreams.iter().map(|upstream| proxy.url(upstream.name()));
            let name = urls.collect::<Vec<_>>().join(", ");
            let mut feed = Feed::live(name, live::piped(wires)?, desk.redactor());
            for upstream in &upstreams {
                let (url, to) = (proxy.url(upstream.name()), upstream.url());
                let text = format!("{url} leads to {to}: give it to a client as its base URL");
                feed.note(sanitise(&text).into_owned());
            }
            route.kept = Some(Box::new(proxy));
            Opening::new(feed, args.capture.show_secrets)
        } else if let Some(url) = self.address() {
            let (request, redactor) = self.request(&url, desk)?;
            let name = sanitise(&redactor.redact(&url)).into_owned();
            let (fetch, wires) = Fetch::start(request).map_err(unheard)?;
            let feed = Feed::live(name, live::piped(wires)?, redactor);
            route.kept = Some(Box::new(fetch));
            Opening::new(feed, self.show_secrets)
        } else {
            self.refuse_misplaced()?;
            let Some(origin) = self.origin()? else {
                return Ok(route);
            };
            Opening::new(Feed::new(origin, desk.redactor()), self.show_secrets)
        };
        Ok(route.begin(opening))
    }
}

impl SseArgs {
    /// The address that is to be asked.
    fn address(&self) -> Option<Cow<'_, str>> {
        let name = self.source.as_deref()?.to_string_lossy();
        let schemes = ["http://", "https://"];
        let is_address = schemes.iter().any(|scheme| name.starts_with(scheme));
        is_address.then_some(name)
    }

    /// What the screen reads; nothing = it offers what there is.
    fn origin(&self) -> Result<Option<Origin>> {
        let Some(path) = &self.source else {
            return Ok(None);
        };
        if path == Path::new("-") {
            if stdin().is_terminal() {
                return Err(Failure::usage("sse: standard input is this terminal")
                    .hint("curl -N URL | omp-debug sse -"));
            }
            return Ok(Some(Origin::Input));
        }
        let name = path.to_string_lossy();
        let failed = |error| Failure::failed(format!("cannot read {name:?}: {error}"));
        let open = || std::fs::File::open(path).map_err(failed);
        // A pipe says what it is when it is read, a bundle is compressed.
        if std::fs::metadata(path).map_err(failed)?.is_file() {
            let mut magic = [0; 2];
            let is_bundle = open()?.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
            if !is_bundle && !may_be_stream(open()?).map_err(failed)? {
                return Err(no_events(&format!("{name:?}")));
            }
        }
        Ok(Some(Origin::File(path.clone())))
    }

    /// Options of addresses where there is none.
    fn refuse_misplaced(&self) -> Result<()> {
        let options = [
            (self.request.is_some(), "--request"),
            (!self.header.is_empty(), "--header"),
            (self.data.is_some(), "--data"),
            (self.last_event_id.is_some(), "--last-event-id"),
            (self.once, "--once"),
            (self.output.is_some(), "--output"),
        ];
        let given = options.iter().find(|(given, _)| *given);
        given.map_or(Ok(()), |(_, option)| {
            let name = self.source.as_deref().unwrap_or_else(|| Path::new(""));
            let name = name.to_string_lossy();
            Err(Failure::usage(format!(
                "{option} is for addresses, and {name:?} is none"
            )))
        })
    }

    /// What is asked of an address, and what takes secrets out of what is shown of it.
    fn request(&self, url: &str, desk: &Desk<'_>) -> Result<(FetchRequest, Redactor)> {
        let data = match self.data.as_deref() {
            Some(text) => Some(match text.strip_prefix('@') {
                Some(file) => std::fs::read(file).map_err(|error| {
                    Failure::usage(format!("--data {text:?} cannot be read: {error}"))
                })?,
                None => text.as_bytes().to_vec(),
            }),
            None => None,
        };
        // What is sent as a key is one, whatever it looks like.
        let sent = self
            .header
            .iter()
            .filter_map(|header| header.split_once(':'));
        let sent = sent.map(|(name, value)| (name.trim(), value.trim()));
        let known = desk.context.env.iter();
        let known = known.map(|(name, value)| (name.as_str(), value.as_str()));
        let redactor = Redactor::new().with_secrets(known.chain(sent));
        let request = FetchRequest::new(url, self.request.as_deref(), &self.header, data)
            .and_then(|request| match &self.last_event_id {
                Some(id) => request.after(id),
                None => Ok(request),
            })
            .map_err(|why| without_secrets(&Failure::usage(why), &redactor))?;
        let request = if self.once { request.once() } else { request };
        Ok((request, redactor))
    }

    fn fetch(&self, url: &str, desk: &Desk<'_>) -> Result<u8> {
        let (request, redactor) = self.request(url, desk)?;
        let capture = CaptureArgs {
            output: self.output.clone(),
            raw: self.raw,
            show_secrets: self.show_secrets,
        };
        let form = if self.json { Form::Json } else { Form::Text };
        let live = Live {
            redactor: redactor.clone(),
            ..capture.live(Some(form), desk)
        };
        live::fetch(request, live).map_err(|failure| without_secrets(&failure, &redactor))
    }
}

fn without_secrets(failure: &Failure, redactor: &Redactor) -> Failure {
    Failure::new(failure.code, sanitise(&redactor.redact(&failure.text)))
}

impl CaptureArgs {
    fn live(&self, shown: Option<Form>, desk: &Desk<'_>) -> Live {
        Live {
            shown: shown.map(|form| (form, Box::new(stdout()) as _)),
            capture: self.clone(),
            redactor: desk.redactor(),
            warn,
        }
    }
}
