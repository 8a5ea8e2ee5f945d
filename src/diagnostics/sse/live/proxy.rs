//! A reverse proxy on this machine that passes everything on as it comes, and tells what passes.
//!
//! Each connection is served for itself: a client that stops reading stops its own response and no other. Headers keep their order
//! and spelling, only what concerns one connection alone (RFC 9110, 7.6.1) and `Host` change. Upgrades (to `WebSocket`) are not
//! passed on.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::atomic::AtomicU64,
};

use base::{
    peers::{self, Peer},
    tasks,
};
use hyper::{
    HeaderMap, Request, Response, StatusCode, Uri, Version,
    body::{Body as _, Incoming},
    header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderName, HeaderValue},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::sync::Semaphore;

use super::{
    body::{Body, Copy},
    client::{self, Http},
    guard::{self, Refused},
    wire::{ResponseEnd, Running, Tap, Wire, Wires, causes, told_headers, told_response},
};
use crate::sse::{self, feed::now, prelude::*};

/// Most connections of clients at once.
const CONNECTIONS: usize = 1024;
/// How long to wait when no more connections can be had.
const PAUSE: Duration = Duration::from_millis(100);

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// Which requests: those whose path begins with `/name`; without a name all others.
    name: Option<String>,
    /// What their paths are put behind.
    base: Uri,
}

impl Upstream {
    /// All requests whose path begins with `/name`, or all others, go to `url`.
    pub fn new(name: Option<&str>, url: &str) -> Result<Self, String> {
        let base = client::parse(url)?;
        if base.query().is_some() {
            return Err(format!(
                "{url:?} has a query, and what is asked for is put behind an upstream's path"
            ));
        }
        Ok(Self {
            name: name.map(str::to_owned),
            base,
        })
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where it is.
    pub fn url(&self) -> String {
        self.base.to_string()
    }

    fn needs_tls(&self) -> bool {
        self.base.scheme_str() == Some("https")
    }

    /// What is behind our own part of a path, if it is for us.
    fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        let Some(name) = &self.name else {
            return Some(path);
        };
        let rest = path.strip_prefix('/')?.strip_prefix(name.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }

    fn uri(&self, rest: &str, query: Option<&str>) -> Result<Uri, hyper::http::Error> {
        let base = self.base.path().trim_end_matches('/');
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let path = match (base, rest) {
            ("", "") => "/",
            _ => "",
        };
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = Some(format!("{base}{rest}{path}{query}").parse()?);
        Ok(Uri::from_parts(parts)?)
    }
}

/// A proxy that runs. Dropping it ends it, with all that passes.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    _running: Running,
}

impl Proxy {
    /// Listens on 127.0.0.1, on any free port if `port` is 0. What passes is told to the one who reads.
    ///
    /// # Errors
    /// When the port is taken, no thread can be had, or there are no certificates to verify an upstream with.
    pub fn start(upstreams: Vec<Upstream>, port: u16) -> io::Result<(Self, Wires)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (tap, wires) = Tap::new();
        let needs_tls = upstreams.iter().any(Upstream::needs_tls);
        // Certificates are read here, so that whoever starts us learns that there are none.
        let http = match Http::new(needs_tls) {
            // Some upstreams can be asked nevertheless.
            Err(error) if !upstreams.iter().all(Upstream::needs_tls) => {
                tap.note(format!("only http:// upstreams can be asked: {error}"));
                Http::new(false)?
            }
            http => http?,
        };
        let passer = Arc::new(Passer {
            upstreams,
            port: address.port(),
            http,
            tap,
            exchanges: AtomicU64::new(0),
        });
        let running = Running::start("sse-proxy", move || listen(listener, passer))?;
        let proxy = Self {
            address,
            _running: running,
        };
        Ok((proxy, wires))
    }

    /// Where clients find it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client's base URL is for this upstream.
    pub fn url(&self, name: Option<&str>) -> String {
        let name = name.map(|name| format!("/{name}")).unwrap_or_default();
        format!("http://{}{name}", self.address)
    }
}

async fn listen(listener: TcpListener, passer: Arc<Passer>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            passer.tap.note(format!("the proxy cannot listen: {error}"));
            return;
        }
    };
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // No descriptors, or a client that was gone at once: the next one may fare better.
                tracing::warn!("a connection was not accepted: {error}");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        match peers::who(&stream) {
            Peer::Ours => {}
            Peer::Foreign => {
                let note = "a connection of another user's program was turned away";
                passer.tap.note(note);
                continue;
            }
            Peer::Gone => continue,
        }
        // Events are small and must not wait for each other; without it they only come later.
        let _ = stream.set_nodelay(true);
        let passer = Arc::clone(&passer);
        tasks::spawn(async move {
            let service = service_fn(|request| {
                let passer = Arc::clone(&passer);
                async move { Ok::<_, std::convert::Infallible>(passer.answer(request).await) }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .preserve_header_case(true)
                .auto_date_header(false)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            if let Err(error) = served {
                tracing::debug!("a client's connection ended: {}", causes(&error));
            }
            drop(permit);
        });
    }
}

#[derive(Debug)]
struct Passer {
    upstreams: Vec<Upstream>,
    port: u16,
    http: Http,
    tap: Tap,
    exchanges: AtomicU64,
}

impl Passer {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let told = format!("{} {}", request.method(), request.uri());
        match self.route(&request) {
            Ok((upstream, uri)) => self.pass(request, upstream, uri).await,
            Err(refused) => {
                let Refused { status, why } = refused;
                self.tap.note(format!("{told:?} was refused: {why}"));
                own_answer(status, &why)
            }
        }
    }

    fn route(&self, request: &Request<Incoming>) -> Result<(&Upstream, Uri), Refused> {
        let uri = request.uri();
        guard::check(request.method(), uri, request.headers(), self.port)?;
        let found = self
            .upstreams
            .iter()
            .filter_map(|upstream| Some((upstream, upstream.rest(uri.path())?)))
            .max_by_key(|(upstream, _)| upstream.name.as_ref().map_or(0, |name| name.len() + 1));
        let Some((upstream, rest)) = found else {
            let names: Vec<_> = self.upstreams.iter().filter_map(Upstream::name).collect();
            return Err(Refused {
                status: StatusCode::NOT_FOUND,
                why: format!("paths here begin with /{}", names.join(", /")),
            });
        };
        let uri = upstream.uri(rest, uri.query()).map_err(|error| Refused {
            status: StatusCode::BAD_REQUEST,
            why: format!("this path cannot be passed on: {error}"),
        })?;
        Ok((upstream, uri))
    }

    async fn pass(
        &self,
        request: Request<Incoming>,
        upstream: &Upstream,
        uri: Uri,
    ) -> Response<Body> {
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
        let started = now();
        let count = Arc::new(AtomicU64::new(0));
        let (mut head, body) = request.into_parts();
        let asked = sse::Response {
            started: Some(started),
            request: Some(format!("{} {uri}", head.method)),
            request_headers: told_headers(&head.headers),
            provider: upstream.name.clone(),
            ..sse::Response::default()
        };
        let begin = |mut response: sse::Response| {
            let time = now();
            response.started = asked.started;
            response.first_byte = Some(time - started);
            response.request.clone_from(&asked.request);
            response.request_headers.clone_from(&asked.request_headers);
            response.request_bytes = Some(count.load(Ordering::Relaxed));
            response.provider.clone_from(&asked.provider);
            self.tap.tell(Wire::Begin {
                exchange,
                response: Box::new(response),
                time,
            });
        };
        // Whoever goes away meanwhile is told of, too.
        let mut waiting = UnansweredExchange {
            tap: &self.tap,
            told: Some(asked.request.clone().unwrap_or_default()),
        };
        without_hops(&mut head.headers);
        head.headers.remove(HOST);
        head.headers.remove(EXPECT);
        head.uri = uri;
        head.version = Version::HTTP_11;
        let body = Body::Counted {
            inner: body,
            count: Arc::clone(&count),
        };
        let answer = self.http.request(Request::from_parts(head, body)).await;
        waiting.told = None;
        match answer {
            Ok(response) => {
                let (mut head, inner) = response.into_parts();
                begin(told_response(head.status, head.version, &head.headers));
                without_hops(&mut head.headers);
                head.version = Version::HTTP_11;
                let mut copy = Copy::new(self.tap.clone(), exchange);
                if inner.is_end_stream() {
                    // Nobody asks for what has no body.
                    copy.end(ResponseEnd::Whole);
                }
                Response::from_parts(head, Body::Copied { inner, copy })
            }
            Err(error) => {
                let why = causes(&error);
                begin(sse::Response::default());
                self.tap.tell(Wire::End {
                    exchange,
                    end: ResponseEnd::Broken(format!("the upstream gave no answer: {why}")),
                    time: now(),
                });
                own_answer(
                    StatusCode::BAD_GATEWAY,
                    &format!("{} gave no answer: {why}", upstream.base),
                )
            }
        }
    }
}

/// A request that has no answer yet. Dropped with it: the client went away.
struct UnansweredExchange<'t> {
    tap: &'t Tap,
    told: Option<String>,
}

impl Drop for UnansweredExchange<'_> {
    fn drop(&mut self) {
        if let Some(request) = self.told.take() {
            self.tap.note(format!(
                "the client of {request:?} went away before there was an answer"
            ));
        }
    }
}

/// Takes out what concerns one connection alone.
fn without_hops(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        // What frames the body is not a connection's to name.
        if name != CONTENT_LENGTH {
            headers.remove(name);
        }
    }
    for name in [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "transfer-encoding",
        "upgrade",
    ] {
        headers.remove(name);
    }
}

/// What we say ourselves, in the form that clients of providers read.
fn own_answer(status: StatusCode, why: &str) -> Response<Body> {
    let text = json!({"type": "error", "error": {"type": "omp_debug_proxy", "message": why}});
    let mut response = Response::new(Body::Text(Some(text.to_string().into())));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(name: Option<&str>, base: &str, path: &str, query: Option<&str>) -> Option<String> {
        let upstream = Upstream::new(name, base).unwrap();
        let rest = upstream.rest(path)?;
        Some(upstream.uri(rest, query).unwrap().to_string())
    }

    #[test]
    fn paths_are_put_behind_the_upstreams() {
        let some = |text: &str| Some(text.to_owned());
        let all = |path, query| passed(None, "http://h", path, query);
        assert_eq!(
            all("/v1/messages", Some("beta=true")),
            some("http://h/v1/messages?beta=true")
        );
        assert_eq!(all("/", None), some("http://h/"));
        let named = |path| passed(Some("openai"), "http://h:1/v1/", path, None);
        assert_eq!(
            named("/openai/chat/completions"),
            some("http://h:1/v1/chat/completions")
        );
        assert_eq!(named("/openai"), some("http://h:1/v1"));
        assert_eq!(named("/openaix/chat"), None);
        assert_eq!(named("/other"), None);
        assert_eq!(
            passed(Some("a"), "http://h", "/a", Some("k=v")),
            some("http://h/?k=v")
        );
        // What a client escaped stays so.
        assert_eq!(named("/openai/a%2Fb//c"), some("http://h:1/v1/a%2Fb//c"));
    }

    #[test]
    fn an_address_that_cannot_be_used_is_told() {
        for (url, word) in [
            ("ftp://h/", "neither http:// nor https://"),
            ("h/v1", "is no address"),
            ("http://", "no address"),
            ("http://u:p@h/", "a user's name"),
            ("http://h/?k=v", "has a query"),
        ] {
            let error = Upstream::new(None, url).unwrap_err();
            assert!(error.contains(word), "{url}: {error}");
            assert!(!error.contains("u:p"), "{error}");
        }
    }

    #[test]
    fn what_concerns_one_connection_stays_there() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Mine, content-length"),
            ("keep-alive", "timeout=5"),
            ("x-mine", "1"),
            ("content-length", "3"),
            ("x-api-key", "k"),
            ("transfer-encoding", "chunked"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        without_hops(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["content-length", "x-api-key"]);
    }
}
