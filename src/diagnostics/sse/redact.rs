//! Taking secrets out of what came, before it is kept, cut or shown: half of a key is not recognised any more.

use crate::sse::prelude::*;

fn hide<const N: usize>(texts: [&mut Option<String>; N], redactor: &Redactor) {
    let texts = texts.into_iter().flatten();
    texts.for_each(|text| redactor.hide(text));
}

impl Response {
    /// Takes secrets out of headers, the URL and all names.
    pub fn redact(&mut self, redactor: &Redactor) {
        for (name, value) in self.headers.iter_mut().chain(&mut self.request_headers) {
            *value = redactor.redact_value(Some(name), value).into_owned();
            // A header may be spelled like a secret, too.
            redactor.hide(name);
        }
        let texts = [
            &mut self.request,
            &mut self.provider,
            &mut self.model,
            &mut self.api,
            &mut self.request_id,
            &mut self.transport,
        ];
        hide(texts, redactor);
    }
}

impl Event {
    /// Takes secrets out of its fields and its lines.
    pub fn redact(&mut self, redactor: &Redactor) {
        hide([&mut self.event, &mut self.id], redactor);
        redactor.hide(&mut self.last_id);
        let lines = String::from_utf8_lossy(&self.raw);
        let clean = self.data.as_deref().map(|data| redactor.redact(data));
        let text = match clean {
            // What is a secret only without the names of the fields between its lines.
            Some(Cow::Owned(clean)) => {
                let text = with_data(&lines, &clean, redactor);
                self.data = Some(clean);
                text
            }
            _ if is_told(&lines, self.event.as_deref(), self.data.as_deref()) => return,
            _ => redactor.redact(&lines).into_owned(),
        };
        if text != lines {
            self.raw = text.into_bytes();
        }
    }

    /// Gives it other data, and lines that say so.
    pub(super) fn set_data(&mut self, data: String, redactor: &Redactor) {
        self.raw = with_data(&self.text(), &data, redactor).into_bytes();
        self.data = Some(data);
    }
}

/// Whether the lines say nothing but this name and these data, in one line each: what was found clean needs no second look.
fn is_told(lines: &str, event: Option<&str>, data: Option<&str>) -> bool {
    let is = |line: &str, field: &str, value: Option<&str>| {
        line.strip_prefix(field)
            .and_then(|rest| rest.strip_prefix(':'))
            .is_some_and(|rest| Some(rest.strip_prefix(' ').unwrap_or(rest)) == value)
    };
    lines
        .split(['\n', '\r'])
        .filter(|line| !line.is_empty())
        .all(|line| is(line, "data", data) || is(line, "event", event))
}

/// The lines of a frame with other data.
fn with_data(lines: &str, data: &str, redactor: &Redactor) -> String {
    let mut text = String::with_capacity(lines.len());
    let mut is_written = false;
    // Lines end with CR, LF or both.
    for line in lines.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        if line != "data" && !line.starts_with("data:") {
            text.push_str(&redactor.redact(line));
            text.push('\n');
        } else if !is_written {
            is_written = true;
            for line in data.split('\n') {
                text.push_str("data: ");
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

impl Foreign {
    /// Takes secrets out.
    pub fn redact(&mut self, redactor: &Redactor) {
        redactor.hide(&mut self.text);
        redactor.hide(&mut self.reason);
    }
}

impl Assembly {
    /// Takes secrets out of what the message says, also those that came in pieces.
    pub fn redact(&mut self, redactor: &Redactor) {
        for part in &mut self.parts {
            redactor.hide(&mut part.text);
            match &mut part.kind {
                PartKind::Tool { id, name } => hide([id, name], redactor),
                PartKind::Other(name) => redactor.hide(name),
                PartKind::Text | PartKind::Thinking | PartKind::Refusal => {}
            }
        }
        let texts = [
            &mut self.id,
            &mut self.model,
            &mut self.stop_reason,
            &mut self.error,
        ];
        hide(texts, redactor);
        for (_, reason) in &mut self.odd {
            redactor.hide(reason);
        }
    }
}
