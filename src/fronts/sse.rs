//! `sse` without a screen: streams in, text or JSON and captures out.

use std::path::PathBuf;

use omp_debug::cli::{CaptureArgs, SseArgs, SseCommand, SseProxyArgs, SseRunArgs};
use omp_debug::debugger::adapters::Context;
use omp_debug::diagnostics::sse::live::FetchRequest;
use omp_debug::headless::sse::{self, Front, Live, Run, SseError};
use omp_debug::text::redact::Redactor;

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
    let name = source.to_string_lossy();
    if ["http://", "https://"].iter().any(|s| name.starts_with(s)) {
        return fetch(&name, args, context);
    }
    if let Some(option) = only_for_addresses(args) {
        return Err(Failure::new(
            USAGE,
            format!("{option} is for addresses, and {name:?} is none"),
        ));
    }
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

fn only_for_addresses(args: &SseArgs) -> Option<&'static str> {
    [
        (args.request.is_some(), "--request"),
        (!args.header.is_empty(), "--header"),
        (args.data.is_some(), "--data"),
        (args.last_event_id.is_some(), "--last-event-id"),
        (args.once, "--once"),
        (args.output.is_some(), "--output"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}

fn fetch(url: &str, args: &SseArgs, context: &Context) -> Result<u8, Failure> {
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
    let redacted = |error: SseError| {
        let text = error.to_string();
        let clean = omp_debug::text::sanitise::sanitise(&redactor.redact(&text)).into_owned();
        Failure::new(if error.is_usage() { USAGE } else { FAILED }, clean)
    };
    let request = FetchRequest::new(url, args.request.as_deref(), &args.header, data)
        .and_then(|request| match &args.last_event_id {
            Some(id) => request.after(id),
            None => Ok(request),
        })
        .map_err(|error| redacted(error.into()))?;
    let request = if args.once { request.once() } else { request };
    let live = Live {
        stdout: Some(args.json),
        show_secrets: args.show_secrets,
        save: args.output.clone(),
        raw: args.raw,
        redactor: redactor.clone(),
        warn: Box::new(warn),
    };
    sse::fetch(request, live).map_err(redacted)
}

fn live(stdout: Option<bool>, args: &CaptureArgs, context: &Context) -> Live {
    Live {
        stdout,
        show_secrets: args.show_secrets,
        save: args.output.clone(),
        raw: args.raw,
        redactor: redactor(context),
        warn: Box::new(warn),
    }
}

fn proxy(args: &SseProxyArgs, context: &Context) -> Result<u8, Failure> {
    let shown = args.json || args.print || args.capture.output.is_none();
    let live = live(shown.then_some(args.json), &args.capture, context);
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
    let live = live(args.json.then_some(true), &args.capture, context);
    Ok(sse::run_command(&run, live)?)
}
