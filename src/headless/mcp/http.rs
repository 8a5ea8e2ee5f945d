//! The same over HTTP: on this machine alone, with a token that stands in a file of the person's own, never in an address.

use std::{
    io::Write as _,
    net::{Ipv4Addr, SocketAddr},
};

use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE},
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{failed, seat::Counter, server::Server};
use crate::{prelude::*, serve::announce};
use base::files;
use debugger::random;

/// Connections at a time; others wait to be taken.
const MOST: usize = 64;
/// How long we wait after the system could not give us a client before we ask again.
const BREATHER: Duration = Duration::from_secs(1);

/// The file of a token, removed with the value. Connections have the text alone: they may last longer.
struct Token {
    path: PathBuf,
    text: Arc<str>,
}

impl Token {
    fn make(folder: &Path) -> Result<Self> {
        let io = |why: std::io::Error| {
            let folder = folder.display();
            failed(format!("the token cannot be kept in {folder}: {why}"))
        };
        let text = random::word::<32>().map_err(io)?;
        let path = folder.join(format!("mcp-{}.token", std::process::id()));
        files::replace(&path, |out| out.write_all(text.as_bytes())).map_err(io)?;
        let text = text.into();
        Ok(Self { path, text })
    }
}

/// Whether a header shows the token.
fn shows(token: &str, header: Option<&HeaderValue>) -> bool {
    let given = header.and_then(|header| header.as_bytes().strip_prefix(b"Bearer "));
    given.is_some_and(|given| random::is_same(token.as_bytes(), given))
}

impl Drop for Token {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Serves until it is dropped. Says on standard output, in one line, where it is and in which file the token stands.
pub(super) async fn serve(counter: &Arc<Counter>, port: u16) -> Result<()> {
    let io = |why: std::io::Error| {
        failed(format!(
            "port {port} of 127.0.0.1 cannot be listened on: {why}"
        ))
    };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await
        .map_err(io)?;
    let port = listener.local_addr().map_err(io)?.port();
    let token = Token::make(&counter.context.state_dir)?;
    let own = [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts([format!("127.0.0.1:{port}"), format!("localhost:{port}")])
        .with_allowed_origins(own)
        .enforce_origin_validation()
        .with_max_request_body_bytes(super::LONGEST);
    let shared = Arc::clone(counter);
    let make = move || Ok(Server::new(Arc::clone(&shared)));
    let service = StreamableHttpService::new(make, Arc::<LocalSessionManager>::default(), config);
    let file = token.path.to_string_lossy().into_owned();
    let place = json!({"url": format!("http://127.0.0.1:{port}/mcp"), "token_file": file});
    announce(&mut std::io::stdout(), &place);
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return Ok(());
        };
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptors are left: some may be in a moment.
            tokio::time::sleep(BREATHER).await;
            continue;
        };
        let (service, token) = (service.clone(), Arc::clone(&token.text));
        let answer = hyper::service::service_fn(move |request: Request<Incoming>| {
            let (service, token) = (service.clone(), Arc::clone(&token));
            async move {
                let refusal = if !shows(&token, request.headers().get(AUTHORIZATION)) {
                    Some((
                        StatusCode::UNAUTHORIZED,
                        "the header Authorization: Bearer TOKEN is missing or wrong",
                    ))
                } else if request.uri().path() != "/mcp" {
                    Some((StatusCode::NOT_FOUND, "only /mcp is here"))
                } else {
                    None
                };
                Ok::<_, std::convert::Infallible>(match refusal {
                    None => service.handle(request).await,
                    Some((status, why)) => refuse(status, why),
                })
            }
        });
        drop(tasks::spawn(async move {
            let _place = place;
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10));
            // A client that goes in the middle is no trouble of ours.
            let _ = http.serve_connection(TokioIo::new(stream), answer).await;
        }));
    }
}

type Body = http_body_util::combinators::BoxBody<bytes::Bytes, std::convert::Infallible>;

fn refuse(status: StatusCode, why: &'static str) -> Response<Body> {
    let body = http_body_util::Full::new(bytes::Bytes::from_static(why.as_bytes()));
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
