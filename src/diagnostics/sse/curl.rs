//! A request as a command that makes it again.

use super::record::Response;

/// Quotes a word for a POSIX shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Response {
    /// The request for `curl`, as far as it is known; of a redacted response it is redacted, too.
    pub fn to_curl(&self) -> Option<String> {
        let request = self.request.as_deref()?;
        let (method, url) = request.split_once(' ').unwrap_or(("GET", request));
        let mut words = vec!["curl".to_owned(), "-N".to_owned()];
        if method != "GET" {
            words.extend(["-X".to_owned(), quote(method)]);
        }
        words.push(quote(url));
        for (name, value) in &self.request_headers {
            let own = ["host", "content-length", "connection", "accept-encoding"];
            if !own.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                words.extend(["-H".to_owned(), quote(&format!("{name}: {value}"))]);
            }
        }
        if self.request_bytes.is_some_and(|bytes| bytes > 0) {
            // What was sent is not kept.
            words.extend(["--data-binary".to_owned(), "@BODY".to_owned()]);
        }
        Some(words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_command_and_nothing_of_it_is_run_by_the_shell() {
        let of = |request: &str| {
            let response = Response {
                request: Some(request.to_owned()),
                ..Response::default()
            };
            response.to_curl().unwrap()
        };
        assert_eq!(of("GET https://a.b/c"), "curl -N https://a.b/c");
        assert_eq!(
            of("POST https://a.b/c?d=$(e)&f='g'"),
            r"curl -N -X POST 'https://a.b/c?d=$(e)&f='\''g'\'''"
        );
        assert_eq!(Response::default().to_curl(), None);
        let response = Response {
            request: Some("POST https://a.b/c".to_owned()),
            request_headers: vec![
                ("Host".to_owned(), "a.b".to_owned()),
                ("x-api-key".to_owned(), "[redacted:77]".to_owned()),
            ],
            request_bytes: Some(12),
            ..Response::default()
        };
        assert_eq!(
            response.to_curl().unwrap(),
            "curl -N -X POST https://a.b/c -H 'x-api-key: [redacted:77]' --data-binary @BODY"
        );
    }
}
