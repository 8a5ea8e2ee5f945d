//! A stream that we ask for ourselves.
//!
//! What was asked for with GET is asked for again when it ends, after as long as the server said and with the last id, as a browser
//! does; anything else is asked for once, because asking again would do it again.

use std::pin::Pin;

use bytes::Bytes;
use hyper::{
    Method, Request, Response, StatusCode, Uri,
    body::{Body as _, Incoming},
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT},
};

use super::{
    body::{Body, Copy},
    client::{self, Http},
    wire::{ResponseEnd, Running, Tap, Wire, Wires, causes, told_headers, told_response},
};
use crate::sse::{self, decode::Decoder, feed::now, parser::Parser, prelude::*};

/// How long to wait before asking again, unless the server says how long.
const RETRY: Duration = Duration::from_secs(3);
/// The shortest wait, however little a server asks for.
const SHORTEST: Duration = Duration::from_millis(500);
/// The longest wait after attempts that failed one after the other, and the longest that a server may ask for.
const LONGEST: Duration = Duration::from_mins(1);
/// Most redirections of one attempt.
const HOPS: usize = 10;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What is asked for.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    uri: Uri,
    method: Method,
    headers: HeaderMap,
    data: Option<Bytes>,
    once: bool,
}

impl FetchRequest {
    /// Asks `url` with GET, or with POST when there is `data`. Headers are written `Name: value`.
    pub fn new(
        url: &str,
        method: Option<&str>,
        headers: &[String],
        data: Option<Vec<u8>>,
    ) -> Result<Self, String> {
        let uri = client::parse(url)?;
        let method = match method {
            Some(method) => {
                method
                    .parse()
                    .map_err(|_why: hyper::http::method::InvalidMethod| {
                        format!("{method:?} is no method; write GET, POST, …")
                    })?
            }
            None if data.is_some() => Method::POST,
            None => Method::GET,
        };
        let mut map = HeaderMap::new();
        for header in headers {
            let read = || {
                let (name, value) = header.split_once(':')?;
                let name = name.trim().parse::<HeaderName>().ok()?;
                Some((name, HeaderValue::from_str(value.trim()).ok()?))
            };
            let Some((name, value)) = read() else {
                // What stands behind the name may be a secret.
                let name = header.split(':').next().unwrap_or(header);
                return Err(format!(
                    "the header {name:?} cannot be sent; write it as 'Name: value'"
                ));
            };
            map.append(name, value);
        }
        let data = data.map(Bytes::from);
        let mut default = |name: HeaderName, value: &'static str| {
            map.entry(name)
                .or_insert_with(|| HeaderValue::from_static(value));
        };
        default(ACCEPT, "text/event-stream");
        default(USER_AGENT, concat!("omp-debug/", env!("CARGO_PKG_VERSION")));
        if let Some(data) = &data {
            let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(data).is_ok();
            default(
                CONTENT_TYPE,
                if is_json {
                    "application/json"
                } else {
                    "application/octet-stream"
                },
            );
        }
        Ok(Self {
            uri,
            method,
            headers: map,
            data,
            once: false,
        })
    }

    /// Asks as one who has seen the event with this id already.
    pub fn after(mut self, id: &str) -> Result<Self, String> {
        let value =
            HeaderValue::from_str(id).map_err(|_why: hyper::header::InvalidHeaderValue| {
                format!("{id:?} cannot be sent as Last-Event-ID")
            })?;
        self.headers.insert(LAST_EVENT_ID, value);
        Ok(self)
    }

    /// Does not ask again when the stream ends.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    fn may_repeat(&self) -> bool {
        !self.once && self.method == Method::GET && self.data.is_none()
    }

    /// As it is asked at `uri`, which may be elsewhere.
    fn request(&self, uri: &Uri) -> Request<Body> {
        let mut request = Request::new(Body::Text(self.data.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri.clone();
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        if uri.authority() != self.uri.authority() || uri.scheme() != self.uri.scheme() {
            // Keys are for whom they were given for, under whatever name they are sent.
            let kept = [ACCEPT, USER_AGENT, LAST_EVENT_ID];
            let foreign: Vec<_> = headers
                .keys()
                .filter(|name| !kept.contains(name))
                .cloned()
                .collect();
            for name in foreign {
                headers.remove(name);
            }
        }
        request
    }
}

/// A stream that is read. Dropping it ends it.
#[derive(Debug)]
pub struct Fetch {
    _running: Running,
}

impl Fetch {
    /// Begins to ask.
    ///
    /// # Errors
    /// When no thread can be had, or there are no certificates to verify the server with.
    pub fn start(request: FetchRequest) -> io::Result<(Self, Wires)> {
        let (tap, wires) = Tap::new();
        let is_tls = request.uri.scheme_str() == Some("https");
        // A redirection may lead from http to https; where that cannot be, what is asked for first still can.
        let may_need = cfg!(feature = "remote") && request.method == Method::GET;
        let http = match Http::new(is_tls || may_need) {
            Err(_) if !is_tls => Http::new(false)?,
            http => http?,
        };
        let running = Running::start("sse-fetch", move || async move {
            let mut fetching = Fetching {
                request,
                http,
                tap,
                exchange: 0,
                retry: RETRY,
            };
            fetching.run().await;
        })?;
        Ok((Self { _running: running }, wires))
    }
}

/// How long to wait before asking again: as the server said, after failures for longer and longer. One that says nearly nothing is
/// waited for as long as is usual in the end if its streams end as soon as they begin, for it would be asked without a pause.
fn pause(retry: Duration, failures: u32, hurries: u32) -> Duration {
    let doubled = |wait: Duration, times: u32| wait.saturating_mul(1 << times.min(6));
    let retry = if retry < SHORTEST {
        doubled(SHORTEST, hurries).min(RETRY)
    } else {
        retry
    };
    doubled(retry, failures).min(LONGEST.max(retry))
}

/// How an attempt ended.
enum Attempt {
    /// The stream was there and is over.
    Over,
    /// It never was there.
    Failed,
    /// The server does not want to be asked again.
    Final,
}

struct Fetching {
    request: FetchRequest,
    http: Http,
    tap: Tap,
    exchange: u64,
    retry: Duration,
}

impl Fetching {
    async fn run(&mut self) {
        let mut failures = 0;
        let mut hurries = 0;
        let mut is_first = true;
        loop {
            let began = Instant::now();
            let attempt = self.attempt().await;
            let failed = matches!(attempt, Attempt::Failed);
            // What never was there is rather written wrongly than away for a while.
            if matches!(attempt, Attempt::Final)
                || !self.request.may_repeat()
                || (failed && is_first)
            {
                return;
            }
            is_first = false;
            failures = if failed { failures + 1 } else { 0 };
            let wait = pause(self.retry, failures, hurries);
            // One that was held open until there was something to say is asked for again as soon as before.
            hurries = if began.elapsed() < SHORTEST {
                hurries + 1
            } else {
                0
            };
            let id = self.request.headers.get(&LAST_EVENT_ID);
            let id =
                id.map(|id| format!(" after the id {:?}", String::from_utf8_lossy(id.as_bytes())));
            self.tap.note(format!(
                "asks again in {} ms{}",
                wait.as_millis(),
                id.unwrap_or_default()
            ));
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&mut self) -> Attempt {
        self.exchange += 1;
        let started = now();
        let mut uri = self.request.uri.clone();
        let mut hops = 0;
        let answer = loop {
            let answer = self.http.request(self.request.request(&uri)).await;
            let next = answer
                .as_ref()
                .ok()
                .and_then(|answer| self.redirection(&uri, answer));
            match next {
                Some(next) if hops < HOPS => {
                    hops += 1;
                    uri = next;
                }
                _ => break answer,
            }
        };
        let mut told = match &answer {
            Ok(answer) => told_response(answer.status(), answer.version(), answer.headers()),
            Err(_) => sse::Response::default(),
        };
        let time = now();
        told.started = Some(started);
        told.first_byte = answer.is_ok().then_some(time - started);
        told.request = Some(format!("{} {uri}", self.request.method));
        told.request_headers = told_headers(&self.request.headers);
        told.request_bytes = Some(
            self.request
                .data
                .as_ref()
                .map_or(0, |data| data.len() as u64),
        );
        self.tap.tell(Wire::Begin {
            exchange: self.exchange,
            response: Box::new(told),
            time,
        });
        match answer {
            Ok(answer) => self.read(answer).await,
            Err(error) => {
                self.tap.tell(Wire::End {
                    exchange: self.exchange,
                    end: ResponseEnd::Broken(format!("there was no answer: {}", causes(&error))),
                    time,
                });
                Attempt::Failed
            }
        }
    }

    /// Where the answer sends us, when that is somewhere to go.
    fn redirection(&self, from: &Uri, answer: &Response<Incoming>) -> Option<Uri> {
        if self.request.method != Method::GET
            || !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308)
        {
            return None;
        }
        let to = answer.headers().get(LOCATION)?.to_str().ok()?;
        let to = if to.starts_with("//") {
            format!("{}:{to}", from.scheme_str()?)
        } else if to.starts_with('/') {
            format!("{}://{}{to}", from.scheme_str()?, from.authority()?)
        } else {
            to.to_owned()
        };
        let uri = client::parse(&to).ok()?;
        // Not from a verified server to one that anybody may pretend to be.
        let is_worse = from.scheme_str() == Some("https") && uri.scheme_str() != Some("https");
        (!is_worse).then_some(uri)
    }

    async fn read(&mut self, answer: Response<Incoming>) -> Attempt {
        let (head, mut body) = answer.into_parts();
        let type_of = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let is_stream = type_of(CONTENT_TYPE).is_some_and(|kind| {
            kind.trim_start()
                .to_ascii_lowercase()
                .starts_with("text/event-stream")
        });
        let mut decoder = Decoder::of(type_of(hyper::header::CONTENT_ENCODING).unwrap_or(""));
        let mut parser = Parser::default();
        let mut copy = Copy::new(self.tap.clone(), self.exchange);
        loop {
            // Nobody but us reads it: whoever writes it down may be slower, and then the server waits.
            self.tap.room().await;
            let frame =
                std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            let data = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => data,
                    // Trailers.
                    Err(_) => continue,
                },
                Some(Err(error)) => {
                    copy.end(ResponseEnd::Broken(causes(&error)));
                    break;
                }
                None => {
                    copy.end(ResponseEnd::Whole);
                    break;
                }
            };
            copy.take(&data);
            if is_stream && let Ok(decoder) = &mut decoder {
                // What cannot be decoded is told by whoever reads the copy.
                let _ = decoder.push(&data, &mut |bytes| self.learn(&mut parser, bytes));
            }
        }
        match head.status {
            StatusCode::OK if is_stream => Attempt::Over,
            status if status.is_server_error() => Attempt::Failed,
            _ => Attempt::Final,
        }
    }

    /// What the next request depends on.
    fn learn(&mut self, parser: &mut Parser, bytes: &[u8]) {
        let (headers, wait) = (&mut self.request.headers, &mut self.retry);
        parser.push(bytes, &mut |frame| {
            if !frame.complete {
                return;
            }
            if let Some(ms) = frame.retry {
                *wait = Duration::from_millis(ms).min(LONGEST);
            }
            if frame.id.is_none() {
                return;
            }
            // An empty id takes the last one back.
            match HeaderValue::from_bytes(frame.last_id) {
                Ok(id) if !id.is_empty() => {
                    headers.insert(LAST_EVENT_ID, id);
                }
                _ => {
                    headers.remove(LAST_EVENT_ID);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_asks_for_no_pause_gets_longer_and_longer_ones() {
        let ms = Duration::from_millis;
        let pauses = |retry, failures| [0, 1, 2, 3, 40].map(|h| pause(ms(retry), failures, h));
        let grown = [500, 1000, 2000, 3000, 3000].map(ms);
        assert_eq!(pauses(0, 0), grown);
        assert_eq!(pauses(499, 0), grown);
        // What is asked for is given.
        assert_eq!(pauses(500, 0), [ms(500); 5]);
        assert_eq!(pauses(20_000, 0), [ms(20_000); 5]);
        assert_eq!(pause(RETRY, 1, 0), RETRY * 2);
        assert_eq!(pause(ms(0), 40, 40), LONGEST);
    }
}
