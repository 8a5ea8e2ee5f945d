//! Who may speak with the proxy: programs of this machine, and no page that a browser shows.
//!
//! Whatever name a page's server gives itself, the browser tells it: in `Host` when a name was bound to our address, in `Origin` when
//! the page asks from elsewhere.

use hyper::{
    HeaderMap, Method, StatusCode, Uri,
    header::{HOST, HeaderValue, ORIGIN},
};

/// Why a request is not passed on, and with which status that is said.
#[derive(Debug)]
pub struct Refused {
    pub status: StatusCode,
    pub why: String,
}

pub fn check(method: &Method, uri: &Uri, headers: &HeaderMap, port: u16) -> Result<(), Refused> {
    let refused = |status, why: String| Err(Refused { status, why });
    if method == Method::CONNECT || uri.authority().is_some() {
        return refused(
            StatusCode::BAD_REQUEST,
            "this is no forward proxy: set the client's base URL (ANTHROPIC_BASE_URL, OPENAI_BASE_URL, …) to it instead of HTTP_PROXY"
                .to_owned(),
        );
    }
    let hosts: Vec<&HeaderValue> = headers.get_all(HOST).iter().collect();
    let host = match hosts.as_slice() {
        [host] => String::from_utf8_lossy(host.as_bytes()).into_owned(),
        others => {
            return refused(
                StatusCode::BAD_REQUEST,
                format!(
                    "there must be one Host header and there are {}",
                    others.len()
                ),
            );
        }
    };
    if !is_ours(&host, port) {
        return refused(
            StatusCode::FORBIDDEN,
            format!("Host {host:?} is not ours: ask 127.0.0.1:{port}"),
        );
    }
    for origin in headers.get_all(ORIGIN) {
        let origin = String::from_utf8_lossy(origin.as_bytes());
        let is_own = origin
            .strip_prefix("http://")
            .is_some_and(|host| is_ours(host, port));
        if !is_own {
            return refused(
                StatusCode::FORBIDDEN,
                format!("a page of {origin:?} asks, and pages are not answered"),
            );
        }
    }
    Ok(())
}

fn is_ours(host: &str, port: u16) -> bool {
    // As text: `+80` and `080` are numbers, too, and no client of ours writes them.
    let Some(name) = host.strip_suffix(&format!(":{port}")) else {
        return false;
    };
    name == "127.0.0.1" || name == "[::1]" || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&'static str, &'static str)], uri: &'static str) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let uri = Uri::from_static(uri);
        check(&Method::POST, &uri, &map, 4321)
            .map_or_else(|refused| refused.status.as_u16(), |()| 200)
    }

    #[test]
    fn only_our_own_names_are_answered() {
        for host in [
            "127.0.0.1:4321",
            "localhost:4321",
            "LOCALHOST:4321",
            "[::1]:4321",
        ] {
            assert_eq!(status(&[("host", host)], "/v1"), 200, "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:+4321",
            "127.0.0.1:04321",
            "evil.example:4321",
            "localhost.evil:4321",
            "",
            ":4321",
        ] {
            assert_eq!(status(&[("host", host)], "/v1"), 403, "{host}");
        }
        assert_eq!(status(&[], "/v1"), 400);
        let twice = [("host", "127.0.0.1:4321"), ("host", "127.0.0.1:4321")];
        assert_eq!(status(&twice, "/v1"), 400);
    }

    #[test]
    fn pages_are_not_answered() {
        let host = ("host", "127.0.0.1:4321");
        assert_eq!(
            status(&[host, ("origin", "http://127.0.0.1:4321")], "/"),
            200
        );
        for origin in [
            "http://evil.example",
            "null",
            "http://127.0.0.1:80",
            "https://127.0.0.1:4321",
        ] {
            assert_eq!(status(&[host, ("origin", origin)], "/"), 403, "{origin}");
        }
    }

    #[test]
    fn it_is_no_forward_proxy() {
        assert_eq!(
            status(&[("host", "127.0.0.1:4321")], "http://example.com/"),
            400
        );
    }
}
