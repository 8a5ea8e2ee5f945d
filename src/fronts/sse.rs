//! `sse` without a screen: streams in, text or JSON and captures out.

use std::any::Any;
use std::path::{Path, PathBuf};

use omp_debug::cli::{CaptureArgs, SseArgs, SseCommand, SseProxyArgs, SseRunArgs};
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::sse::Feed;
use omp_debug::diagnostics::sse::live::{Fetch, FetchRequest};
use omp_debug::headless::sse::{self, Front, Live, Run, Shown, SseError};
use omp_debug::text::redact::Redactor;
use omp_debug::text::sanitise::sanitise;
use omp_debug::tui::routes::sse::Opening;

use super::{FAILED, Failure, USAGE, say};

impl From<SseError> for Failure {
    fn from(error: SseError) -> Self {
        Self::new(if error.is_usage() { USAGE } else { FAILED }, error)
    }
}

/// `sse`.
pub fn sse(args: &SseArgs, context: &Context) -> Result<u8, Failure> {
    match &args.command {
        Some(SseCommand::Run(args)) => run(args, context),
        Some(SseCommand::Proxy(args)) => proxy(args, context),
        None => source(args, context),
    }
}

fn redactor(context: &Context) -> Redactor {
    Redactor::new().with_secrets(context.env.iter())
}

fn warn(text: &str) {
    say(&format!("omp-debug: {text}"));
}

fn source(args: &SseArgs, context: &Context) -> Result<u8, Failure> {
    let Some(source) = args.source.clone() else {
        let mut failure = Failure::new(USAGE, "sse: say what is to be read");
        failure.hint = Some("a file, an address, or - for standard input".to_owned());
        return Err(failure);
    };
    if let Some(url) = args.address() {
        return fetch(&url, args, context);
    }
    refuse_misplaced(args)?;
    let mut out = std::io::stdout();
    let mut front = Front {
        json: args.json,
        follow: args.follow,
        replay: args.replay.clone(),
        redactor: (!args.show_secrets).then(|| redactor(context)),
        out: &mut out,
        warn: &mut warn,
    };
    sse::run(&source, &mut front, &mut std::io::stdin())?;
    Ok(0)
}

/// Options of addresses where there is none.
pub fn refuse_misplaced(args: &SseArgs) -> Result<(), Failure> {
    let options = [
        (args.request.is_some(), "--request"),
        (!args.header.is_empty(), "--header"),
        (args.data.is_some(), "--data"),
        (args.last_event_id.is_some(), "--last-event-id"),
        (args.once, "--once"),
        (args.output.is_some(), "--output"),
    ];
    let given = options.iter().find(|(given, _)| *given);
    given.map_or(Ok(()), |(_, option)| {
        let name = args.source.as_deref().unwrap_or_else(|| Path::new(""));
        let name = name.to_string_lossy();
        let text = format!("{option} is for addresses, and {name:?} is none");
        Err(Failure::new(USAGE, text))
    })
}

/// A view, and what fills it.
type Passing = (Opening, Box<dyn Any>);

/// What passes while the screen shows it, and what lets it pass for as long as it is kept.
pub fn on_screen(args: &SseArgs, context: &Context) -> Result<Option<Passing>, Failure> {
    if let Some(SseCommand::Proxy(args)) = &args.command {
        let (proxy, wires, upstreams) = sse::listen(&args.upstreams(), args.port)?;
        let urls = upstreams.iter().map(|upstream| proxy.url(upstream.name()));
        let name = urls.collect::<Vec<_>>().join(", ");
        let mut feed = Feed::live(name, sse::piped(wires)?, redactor(context));
        for upstream in &upstreams {
            let url = proxy.url(upstream.name());
            let text = format!(
                "{url} leads to {}: give it to a client as its base URL",
                upstream.url()
            );
            feed.note(sanitise(&text).into_owned());
        }
        let opening = Opening::new(feed, args.capture.show_secrets);
        return Ok(Some((opening, Box::new(proxy))));
    }
    let Some(url) = args.address() else {
        return Ok(None);
    };
    let (request, redactor) = request(&url, args, context)?;
    let name = sanitise(&redactor.redact(&url)).into_owned();
    let (fetch, wires) = Fetch::start(request).map_err(SseError::Listen)?;
    let feed = Feed::live(name, sse::piped(wires)?, redactor);
    Ok(Some((
        Opening::new(feed, args.show_secrets),
        Box::new(fetch),
    )))
}

fn failure(error: &SseError, redactor: &Redactor) -> Failure {
    let clean = sanitise(&redactor.redact(&error.to_string())).into_owned();
    Failure::new(if error.is_usage() { USAGE } else { FAILED }, clean)
}

/// What is asked of an address, and what takes secrets out of what is shown of it.
fn request(
    url: &str,
    args: &SseArgs,
    context: &Context,
) -> Result<(FetchRequest, Redactor), Failure> {
    let data = match args.data.as_deref() {
        Some(text) => Some(match text.strip_prefix('@') {
            Some(file) => std::fs::read(file)
                .map_err(|e| Failure::new(USAGE, format!("--data {text:?} cannot be read: {e}")))?,
            None => text.as_bytes().to_vec(),
        }),
        None => None,
    };
    // What is sent as a key is one, whatever it looks like.
    let sent = args
        .header
        .iter()
        .filter_map(|header| header.split_once(':'));
    let sent = sent.map(|(name, value)| (name.trim(), value.trim()));
    let known = context
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let redactor = Redactor::new().with_secrets(known.chain(sent));
    let request = FetchRequest::new(url, args.request.as_deref(), &args.header, data)
        .and_then(|request| match &args.last_event_id {
            Some(id) => request.after(id),
            None => Ok(request),
        })
        .map_err(|error| failure(&error.into(), &redactor))?;
    let request = if args.once { request.once() } else { request };
    Ok((request, redactor))
}

fn fetch(url: &str, args: &SseArgs, context: &Context) -> Result<u8, Failure> {
    let (request, redactor) = request(url, args, context)?;
    let live = Live {
        shown: Some(if args.json { Shown::Json } else { Shown::Text }),
        show_secrets: args.show_secrets,
        save: args.output.clone(),
        raw: args.raw,
        redactor: redactor.clone(),
        warn: Box::new(warn),
    };
    sse::fetch(request, live).map_err(|error| failure(&error, &redactor))
}

fn live(shown: Option<Shown>, args: &CaptureArgs, context: &Context) -> Live {
    Live {
        shown,
        show_secrets: args.show_secrets,
        save: args.output.clone(),
        raw: args.raw,
        redactor: redactor(context),
        warn: Box::new(warn),
    }
}

fn proxy(args: &SseProxyArgs, context: &Context) -> Result<u8, Failure> {
    let shown = match (args.json, args.print || args.capture.output.is_none()) {
        (true, _) => Some(Shown::Json),
        (false, is_text) => is_text.then_some(Shown::Text),
    };
    let live = live(shown, &args.capture, context);
    let code = sse::proxy(
        &args.upstreams(),
        args.port,
        live,
        &mut |proxy, upstreams| {
            for upstream in upstreams {
                let url = proxy.url(upstream.name());
                say(&format!("omp-debug: {url} leads to {}", upstream.url()));
            }
            say(
                "omp-debug: give it to a client as ANTHROPIC_BASE_URL, OPENAI_BASE_URL, …; Ctrl-C ends it",
            );
        },
    )?;
    Ok(code)
}

fn run(args: &SseRunArgs, context: &Context) -> Result<u8, Failure> {
    let supervisor: PathBuf = std::env::current_exe().map_err(|e| Failure::new(FAILED, e))?;
    let run = Run {
        argv: args.argv.clone(),
        env: context
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        supervisor,
    };
    let live = live(args.json.then_some(Shown::Json), &args.capture, context);
    Ok(sse::run_command(&run, live)?)
}
