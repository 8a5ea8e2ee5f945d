//! Events to lines: JSON that no terminal and no reader can be led astray by, written by a thread of its own.
//!
//! JSON's own escapes keep every text exact: what would drive a terminal, reorder its neighbours or cannot be seen is written
//! as `\u…`. A reader that is slow slows the run; one that is gone ends it.

use std::{
    borrow::Cow,
    io::{self, BufWriter, Write},
};

use base::{
    files::{self, Watched},
    text::{json::printable, redact::Redactor},
};
use jiff::Timestamp;
use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{FileType, fstat},
    io::Errno,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{options::Kinds, prelude::*, tally::Tally};

/// Events that may wait for the writer.
const WAITING: usize = 16;
/// Bytes that are written at once.
const BUFFER: usize = 64 * 1024;

/// Prints events, and counts them.
pub struct Printer {
    lines: Option<mpsc::Sender<Vec<u8>>>,
    done: Option<oneshot::Receiver<io::Result<()>>>,
    /// Nobody reads any more, which is to be known while there is nothing to write, too.
    given_up: CancellationToken,
    kinds: Kinds,
    pretty: bool,
    pub tally: Tally,
    /// Hides what it has learned in every event: a secret has its name in one field of it and not in the others.
    pub redactor: Option<Arc<Redactor>>,
}

impl Printer {
    /// To a file, or to standard output.
    pub fn open(output: Option<&Path>, kinds: Kinds, pretty: bool) -> io::Result<Self> {
        let to: Box<dyn Write + Send> = match output {
            Some(path) => {
                let name = format!("{:?}", path.to_string_lossy());
                Box::new(Watched::new(files::open(path, false)?, name))
            }
            None => Box::new(Watched::stdout()),
        };
        let (lines, waiting) = mpsc::channel(WAITING);
        let (finished, done) = oneshot::channel();
        let given_up = CancellationToken::new();
        if output.is_none() {
            give_up_unread(given_up.clone());
        }
        let unwritten = given_up.clone();
        std::thread::Builder::new()
            .name("events".to_owned())
            .spawn(move || {
                let written = write_all(waiting, BufWriter::with_capacity(BUFFER, to));
                if written.is_err() {
                    unwritten.cancel();
                }
                let _ = finished.send(written);
            })?;
        Ok(Self {
            lines: Some(lines),
            done: Some(done),
            given_up,
            kinds,
            pretty,
            tally: Tally::new(),
            redactor: None,
        })
    }

    /// Prints an event, if its type is wanted. A reader that is gone is noticed by [`Self::closed`].
    pub async fn tell(&mut self, event: &Event) {
        self.tally.count(event);
        if !self.kinds.wants(event.kind()) {
            return;
        }
        let line = line(
            event,
            Timestamp::now(),
            self.pretty,
            self.redactor.as_deref(),
        );
        if let Some(lines) = &self.lines {
            let _ = lines.send(line).await;
        }
    }

    /// Resolves when nobody reads any more.
    pub fn closed(&self) -> impl Future<Output = ()> + use<> {
        self.given_up.clone().cancelled_owned()
    }

    /// Waits for everything to be written.
    pub async fn finish(&mut self) -> io::Result<()> {
        self.lines = None;
        match self.done.take() {
            Some(done) => done.await.unwrap_or(Ok(())),
            None => Ok(()),
        }
    }
}

/// Cancels when nobody reads standard output any more, which a pipe and a socket tell. A thread waits for it, as long as we live.
fn give_up_unread(given_up: CancellationToken) {
    let out = io::stdout();
    let kind = fstat(&out).map(|told| FileType::from_raw_mode(told.st_mode));
    if matches!(kind, Ok(FileType::Fifo | FileType::Socket)) {
        let waiting = std::thread::Builder::new().name("reader".to_owned());
        // Without the thread it is noticed at the next write.
        let _ = waiting.spawn(move || {
            let mut ends = [PollFd::new(&out, PollFlags::empty())];
            loop {
                match poll(&mut ends, None) {
                    Err(Errno::INTR) => {}
                    Err(_) => return,
                    Ok(_) => return given_up.cancel(),
                }
            }
        });
    }
}

fn write_all(mut lines: mpsc::Receiver<Vec<u8>>, mut to: impl Write) -> io::Result<()> {
    while let Some(line) = lines.blocking_recv() {
        to.write_all(&line)?;
        if lines.is_empty() {
            to.flush()?;
        }
    }
    to.flush()
}

/// One event with its time, newline included.
fn line(event: &Event, now: Timestamp, pretty: bool, redactor: Option<&Redactor>) -> Vec<u8> {
    let text = serde_json::to_string(event).unwrap_or_else(|error| {
        // Only a map with keys that are no text can fail, and there is none.
        serde_json::json!({"type": "error", "kind": "internal", "message": error.to_string()})
            .to_string()
    });
    let text = match redactor {
        // What is printed was looked through when it came, but for what was learned since.
        Some(redactor) if matches!(event, Event::Output(_)) => {
            if redactor.has_learned() {
                hide(&text, |text| redactor.redact_learned(text))
            } else {
                text
            }
        }
        Some(redactor) => hide(&text, |text| redactor.redact(text)),
        None => text,
    };
    let body = text.strip_suffix('}').unwrap_or(&text);
    let mut text = format!("{body},\"timestamp\":\"{now:.3}\"}}");
    if pretty
        && let Ok(value) = serde_json::from_str::<Value>(&text)
        && let Ok(indented) = serde_json::to_string_pretty(&value)
    {
        text = indented;
    }
    let mut line = printable(&text).into_owned();
    line.push('\n');
    line.into_bytes()
}

/// Members with words of ours: a program's password may be one of them.
const WORDS: &[&str] = &[
    "\"type\"",
    "\"category\"",
    "\"severity\"",
    "\"reason\"",
    "\"stop_reason\"",
    "\"adapter\"",
];

/// JSON without what is secret in its texts. Names of members stay, and the order.
fn hide(json: &str, clean: impl Fn(&str) -> Cow<'_, str>) -> String {
    let mut out = String::with_capacity(json.len());
    let mut name = "";
    let mut rest = json;
    while let Some(begin) = rest.find('"') {
        let (before, from) = rest.split_at(begin);
        out.push_str(before);
        let (text, behind) = from.split_at(end_of_text(from));
        rest = behind;
        if behind.starts_with(':') {
            name = text;
            out.push_str(text);
            continue;
        }
        let hidden = (!WORDS.contains(&name))
            .then(|| serde_json::from_str::<String>(text).ok())
            .flatten()
            .and_then(|plain| match clean(&plain) {
                Cow::Borrowed(_) => None,
                Cow::Owned(clean) => serde_json::to_string(&clean).ok(),
            });
        out.push_str(hidden.as_deref().unwrap_or(text));
    }
    out.push_str(rest);
    out
}

/// Where the text ends that begins with a quotation mark, the closing one included.
fn end_of_text(from: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in from.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    from.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::events::Output;
    use proptest::prelude::*;

    fn output(text: &str) -> Event {
        Event::Output(Output {
            category: "stdout".into(),
            text: text.into(),
            ..Output::default()
        })
    }

    fn printed(text: &str, pretty: bool) -> String {
        let now = "2026-11-22T05:06:07.891Z".parse().unwrap();
        String::from_utf8(line(&output(text), now, pretty, None)).unwrap()
    }

    #[test]
    fn the_time_is_utc_with_milliseconds() {
        assert_eq!(
            printed("a\n", false),
            "{\"type\":\"output\",\"category\":\"stdout\",\"text\":\"a\\n\",\"timestamp\":\"2026-11-22T05:06:07.891Z\"}\n"
        );
    }

    #[test]
    fn what_would_drive_a_terminal_is_escaped() {
        let line = printed(
            "\u{1b}[31m \u{9b}1m \u{2028} \u{202e} \u{7f} \u{e0041} é 漢",
            false,
        );
        for hidden in [
            '\u{1b}',
            '\u{9b}',
            '\u{2028}',
            '\u{202e}',
            '\u{7f}',
            '\u{e0041}',
        ] {
            assert!(!line.contains(hidden), "{line:?}");
        }
        assert!(
            line.contains("\\u009b") && line.contains("\\u202e") && line.contains("é 漢"),
            "{line}"
        );
        assert!(line.contains("\\udb40\\udc41"), "{line}");
    }

    #[test]
    fn what_was_learned_is_hidden_in_every_text_and_nowhere_else() {
        let redactor = Redactor::new().learning();
        let json = r#"{"type":"output","a":"x \"wolf-hound-77\" y","wolf-hound-77":["wolf-hound-77",7],"b":{"type":"wolf-hound-77"}}"#;
        let hide = |json: &str| hide(json, |text| redactor.redact_learned(text));
        assert_eq!(hide(json), json);
        redactor.redact_value(Some("password"), "'wolf-hound-77'");
        let hidden = hide(json);
        let value: Value = serde_json::from_str(&hidden).unwrap();
        let clean = |text: &Value| text.as_str().unwrap().contains("[redacted:");
        assert!(
            clean(&value["a"]) && clean(&value["wolf-hound-77"][0]),
            "{hidden}"
        );
        assert_eq!(value["b"]["type"], "wolf-hound-77");
        assert_eq!(value["type"], "output");
        // A word of ours that is a program's password stays what it is.
        redactor.redact_value(Some("password"), "output");
        assert!(hide(json).starts_with(r#"{"type":"output""#));
    }

    proptest! {
        #[test]
        fn every_text_is_one_line_and_comes_back_exactly(text in any::<String>()) {
            let line = printed(&text, false);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert!(line.trim_end_matches('\n').chars().all(|c| !c.is_control()));
            let value: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["text"].as_str(), Some(text.as_str()));
            let pretty: Value = serde_json::from_str(&printed(&text, true)).unwrap();
            prop_assert_eq!(pretty, value);
            // Nothing was learned that could be in it.
            let redactor = Redactor::new().learning();
            redactor.learn("wolf-hound-77");
            let json = serde_json::to_string(&output(&text)).unwrap();
            prop_assert_eq!(hide(&json, |text| redactor.redact_learned(text)), json);
        }
    }
}
