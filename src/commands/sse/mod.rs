//! `omp-debug sse`: event streams as they come, from files, addresses, commands and clients.
//!
//! `read` tells of a file, `live` of what passes, `run` has a command's clients pass; putting together is done in
//! `diagnostics::sse`, drawing in `tui::routes::sse`. Everything is redacted before it is trimmed or written, unless secrets are
//! asked for.

mod args;
mod live;
mod out;
mod read;
mod run;

use std::{borrow::Cow, io::Read as _};

pub use self::args::SseArgs;
use self::{
    args::{CaptureArgs, SseCommand, SseProxyArgs},
    live::{Live, unheard},
    out::Form,
    read::no_events,
};
use super::prelude::*;
use crate::{
    diagnostics::sse::{
        Feed, Origin,
        live::{Fetch, FetchRequest},
        may_be_stream,
    },
    files,
    tui::routes::sse::Opening,
};

impl SseProxyArgs {
    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let shown = match (self.json, self.print || self.capture.output.is_none()) {
            (true, _) => Some(Form::Json),
            (false, is_text) => is_text.then_some(Form::Text),
        };
        live::proxy(self, self.capture.live(shown, desk)?)
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
            let is_bundle =
                open()?.read_exact(&mut magic).is_ok() && magic == crate::diagnostics::GZIP;
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
            ..capture.live(Some(form), desk)?
        };
        live::fetch(request, live).map_err(|failure| without_secrets(&failure, &redactor))
    }
}

fn without_secrets(failure: &Failure, redactor: &Redactor) -> Failure {
    Failure::new(failure.code, sanitise(&redactor.redact(&failure.text)))
}

impl CaptureArgs {
    fn live(&self, shown: Option<Form>, desk: &Desk<'_>) -> Result<Live> {
        let out = files::unlocked_output().map_err(Failure::failed)?;
        Ok(Live {
            shown: shown.map(|form| (form, Box::new(out) as _)),
            capture: self.clone(),
            redactor: desk.redactor(),
            warn,
        })
    }
}
