//! The way to upstream servers: over TLS, verified with the system's certificates, where the URL says so.

use hyper::{Request, Response, Uri, body::Incoming};
use hyper_util::{
    client::legacy::{Client, Error, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};

#[cfg(feature = "remote")]
use rustls::pki_types::ServerName;

use super::body::Body;
use crate::prelude::*;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(30);

/// What connects: with TLS, or without where this is built so. One type, so that the client is compiled once.
#[cfg(feature = "remote")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "remote"))]
type Connector = HttpConnector;

/// A client that keeps connections for the next request.
#[derive(Clone, Debug)]
pub struct Http(Client<Connector, Body>);

/// Reads an address, or says why it cannot be used.
pub fn parse(url: &str) -> Result<Uri, String> {
    let invalid =
        |why: &str| format!("{url:?} is no address: {why}; write it as https://host/path");
    let uri: Uri = url
        .parse()
        .map_err(|error: hyper::http::uri::InvalidUri| invalid(&error.to_string()))?;
    let is_tls = match uri.scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => {
            return Err(format!("{url:?} begins with neither http:// nor https://"));
        }
    };
    let authority = uri.authority().filter(|known| !known.host().is_empty());
    let authority = authority.ok_or_else(|| invalid("it names no host"))?;
    if authority.as_str().contains('@') {
        return Err(format!(
            "the address of {:?} has a user's name in it; give it as a header: Authorization: Basic …",
            authority.host()
        ));
    }
    if is_tls && !cfg!(feature = "remote") {
        return Err(format!(
            "{url:?} needs TLS, and this omp-debug was built without it (cargo feature `remote`)"
        ));
    }
    Ok(uri)
}

impl Http {
    /// Call it inside of a runtime.
    pub fn new(needs_tls: bool) -> io::Result<Self> {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT));
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .http1_preserve_header_case(true)
            .pool_timer(TokioTimer::new());
        #[cfg(feature = "remote")]
        builder.http2_adaptive_window(true);
        Ok(Self(builder.build(connector(http, needs_tls)?)))
    }

    pub async fn request(&self, request: Request<Body>) -> Result<Response<Incoming>, Error> {
        self.0.request(request).await
    }
}

#[cfg(feature = "remote")]
fn connector(mut http: HttpConnector, needs_tls: bool) -> io::Result<Connector> {
    http.enforce_http(false);
    let builder = hyper_rustls::HttpsConnectorBuilder::new();
    if needs_tls {
        let roots = builder.with_native_roots().map_err(|error| {
            io::Error::other(format!(
                "no certificates to verify servers with: {error}; install ca-certificates or set SSL_CERT_FILE"
            ))
        })?;
        let tls = roots.https_or_http().enable_all_versions();
        return Ok(tls.wrap_connector(http));
    }
    let nobody = rustls::ClientConfig::builder()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    // Asked before it is connected.
    let refuse = |_: &Uri| {
        let why = "no certificates were read to verify servers with; install ca-certificates or set SSL_CERT_FILE";
        Err::<ServerName<'static>, Box<dyn std::error::Error + Send + Sync>>(why.into())
    };
    let tls = builder.with_tls_config(nobody).https_or_http();
    let tls = tls.with_server_name_resolver(refuse).enable_all_versions();
    Ok(tls.wrap_connector(http))
}

#[cfg(not(feature = "remote"))]
fn connector(http: HttpConnector, needs_tls: bool) -> io::Result<Connector> {
    if needs_tls {
        return Err(io::Error::other(
            "this omp-debug was built without TLS (cargo feature `remote`)",
        ));
    }
    Ok(http)
}
