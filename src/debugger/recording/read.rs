//! A recording as it is read: the sessions in it, each cut at its stops (`track`).

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use serde_json::Value;

use super::track::Track;
use super::{Header, LIMIT, Recorded, VERSION};

/// Notes that are kept of those in a file.
const MOST_NOTES: usize = 20;
/// Child sessions that are played; of others only the number is known.
const MOST_CHILDREN: usize = 256;

/// Stands in a recording for the folder of the program, so that a recording can be played anywhere.
const FOLDER: &str = "${folder}";
/// How a compressed recording begins.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A recording that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The adapter that was recorded.
    pub adapter: String,
    /// The program, as an absolute path in the folder given.
    pub program: String,
    /// When it was made, in milliseconds since 1970.
    pub started: Option<u64>,
    /// Protocol messages in it, of all sessions.
    pub messages: u64,
    /// Sessions besides the first: children, and those that came later.
    pub others: usize,
    /// What is missing in it, and why.
    pub notes: Vec<String>,
    /// The first session.
    pub(super) root: Track,
    /// Those that came out of it, in the order they began.
    pub(super) children: Vec<Track>,
}

/// What is being read.
#[derive(Default)]
struct Reading {
    /// Sessions by the number that the file gives them: the index in [`Recording::children`].
    numbers: HashMap<u64, usize>,
    others: BTreeSet<u64>,
}

impl Recording {
    /// Reads a recording; `folder` is where the program is to be thought.
    pub fn read(path: &Path, folder: &Path) -> Result<Self, String> {
        let shown = path.display();
        let unreadable = |e: io::Error| format!("{shown} cannot be read: {e}");
        let bytes = std::fs::File::open(path)
            .and_then(bounded)
            .map_err(unreadable)?;
        let mut cut = None;
        let bytes = match bytes.get(..2) {
            Some(GZIP) => {
                // Whoever wrote it may have been killed: what can be unpacked is read.
                let (bytes, broken) = unpacked(&bytes);
                cut = broken;
                bytes
            }
            _ => bytes,
        };
        if bytes.len() as u64 > LIMIT {
            return Err(format!(
                "{shown} is larger than {LIMIT} bytes; such recordings are not opened"
            ));
        }
        let text =
            String::from_utf8(bytes).map_err(|e| format!("{shown} is not a recording: {e}"))?;
        let mut recording = Self::parse(&text, folder)
            .map_err(|why| format!("{shown} is not a recording: {why}"))?;
        if let Some(why) = cut {
            recording.note(format!("The file is cut short: {why}."));
        }
        Ok(recording)
    }

    /// The same from text.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let folder = folder.to_string_lossy();
        let mut lines = text.lines().filter(|l| !l.trim().is_empty()).enumerate();
        let (_, first) = lines.next().ok_or("it is empty")?;
        let header: Header =
            serde_json::from_str(first).map_err(|e| format!("its first line is no header: {e}"))?;
        if header.omp_debug_recording != VERSION {
            return Err(format!(
                "its format is version {}, this program reads {VERSION}",
                header.omp_debug_recording
            ));
        }
        // An absolute path stays as it is.
        let program = Path::new(folder.as_ref())
            .join(header.program.replace(FOLDER, &folder))
            .to_string_lossy()
            .into_owned();
        let mut recording = Self {
            root: Track::new(header.adapter.clone(), program.clone(), None),
            adapter: header.adapter,
            program,
            started: header.started,
            messages: 0,
            others: 0,
            notes: Vec::new(),
            children: Vec::new(),
        };
        let mut reading = Reading::default();
        let mut lines = lines.peekable();
        while let Some((number, line)) = lines.next() {
            let value = match serde_json::from_str::<Value>(line) {
                Ok(value) => value,
                // The last line of somebody who was killed while writing it.
                Err(error) if lines.peek().is_none() && error.is_eof() => {
                    recording.note(format!("Line {} is cut short.", number + 1));
                    break;
                }
                Err(error) => return Err(format!("line {} is no message: {error}", number + 1)),
            };
            recording
                .line(value, &folder, &mut reading)
                .map_err(|e| format!("line {} is no message: {e}", number + 1))?;
        }
        recording.others = reading.others.len();
        if !recording.root.has_events() {
            return Err("nothing happens in it".to_owned());
        }
        Ok(recording)
    }

    fn line(
        &mut self,
        mut value: Value,
        folder: &str,
        reading: &mut Reading,
    ) -> Result<(), serde_json::Error> {
        if let Some(note) = value.get("note").and_then(Value::as_str) {
            self.note(note.to_owned());
            return Ok(());
        }
        let session = value.get("session").and_then(Value::as_u64);
        if value.get("message").is_none()
            && let Some(session) = session
        {
            fill_in(&mut value, folder);
            self.session(session, &value, reading);
            return Ok(());
        }
        let mut recorded: Recorded = serde_json::from_value(value)?;
        self.messages += 1;
        let track = match recorded.session {
            None => Some(&mut self.root),
            Some(session) => {
                reading.others.insert(session);
                let index = reading.numbers.get(&session);
                index.and_then(|index| self.children.get_mut(*index))
            }
        };
        if let Some(track) = track {
            fill_in(&mut recorded.message, folder);
            track.take(recorded);
        }
        Ok(())
    }

    /// Another session begins. One without a parent was started by hand, and is not played.
    fn session(&mut self, session: u64, line: &Value, reading: &mut Reading) {
        let is_known = !reading.others.insert(session);
        let Some(parent) = line.get("parent").and_then(Value::as_u64) else {
            return;
        };
        if is_known || self.children.len() >= MOST_CHILDREN {
            return;
        }
        let text = |name: &str| {
            let text = line.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        // The first session has no number in the file.
        let parent = reading.numbers.get(&parent).map(|index| index + 1);
        let index = self.children.len();
        let child = Track::new(text("adapter"), text("program"), Some(parent.unwrap_or(0)));
        if let Some(parent) = self.track_mut(parent.unwrap_or(0)) {
            parent.bear(index + 1);
        }
        self.children.push(child);
        reading.numbers.insert(session, index);
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(note);
        }
    }

    /// A session by its number: 0 is the first one, its children and theirs follow in the order they began.
    pub(super) fn track(&self, number: usize) -> Option<&Track> {
        match number.checked_sub(1) {
            None => Some(&self.root),
            Some(index) => self.children.get(index),
        }
    }

    fn track_mut(&mut self, number: usize) -> Option<&mut Track> {
        match number.checked_sub(1) {
            None => Some(&mut self.root),
            Some(index) => self.children.get_mut(index),
        }
    }

    /// Stops of the first session.
    pub fn stops(&self) -> usize {
        self.root.stops()
    }
}

/// What can be unpacked, up to one byte past what is opened, and why there is no more.
fn unpacked(bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    use io::Read as _;
    let mut out = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(LIMIT + 1);
    let broken = reader.read_to_end(&mut out).err();
    if broken.is_some() {
        // In the middle of a character, it may be.
        let whole = out
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        out.truncate(whole);
    }
    (out, broken.map(|error| error.to_string()))
}

/// Reads to the end, or to one byte past what is opened.
fn bounded(reader: impl io::Read) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    reader.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn fill_in(value: &mut Value, folder: &str) {
    match value {
        Value::String(text) if text.contains(FOLDER) => *text = text.replace(FOLDER, folder),
        Value::Array(items) => items.iter_mut().for_each(|v| fill_in(v, folder)),
        Value::Object(fields) => fields.values_mut().for_each(|v| fill_in(v, folder)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::debugger::recording::key;

    const TEXT: &str = r#"{"omp_debug_recording":1,"adapter":"x","program":"a.py"}
{"from":"client","message":{"seq":1,"type":"request","command":"initialize"}}
{"from":"adapter","message":{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize","body":{"supportsSetVariable":true}}}
{"from":"adapter","message":{"seq":2,"type":"event","event":"stopped","body":{"reason":"breakpoint"}}}
{"from":"client","message":{"seq":2,"type":"request","command":"scopes","arguments":{"frameId":1}}}
{"from":"adapter","message":{"seq":3,"type":"response","request_seq":2,"success":true,"command":"scopes","body":{"scopes":[{"name":"${folder}/a.py"}]}}}
{"from":"client","message":{"seq":3,"type":"request","command":"next"}}
{"from":"adapter","message":{"seq":4,"type":"event","event":"terminated"}}
"#;

    #[test]
    fn what_was_said_at_a_stop_is_kept_with_that_stop() {
        let recording = Recording::parse(TEXT, Path::new("/f")).unwrap();
        assert_eq!((recording.stops(), recording.root.parts.len()), (1, 2));
        assert_eq!(recording.program, "/f/a.py");
        let answer = &recording.root.parts[0].answers[&key("scopes", Some(&json!({"frameId": 1})))];
        assert_eq!(
            answer.pointer("/body/scopes/0/name"),
            Some(&json!("/f/a.py"))
        );
    }

    #[test]
    fn a_refused_step_ends_no_part_and_other_sessions_stay_out() {
        let text = format!(
            "{}{}",
            TEXT.replace(
                r#"{"from":"client","message":{"seq":3"#,
                concat!(
                    r#"{"from":"client","message":{"seq":9,"type":"request","command":"stepBack"}}"#,
                    "\n",
                    r#"{"from":"adapter","message":{"seq":9,"type":"response","request_seq":9,"success":false,"command":"stepBack"}}"#,
                    "\n",
                    r#"{"session":2,"adapter":"x","program":"child.py","parent":1}"#,
                    "\n",
                    r#"{"from":"adapter","session":2,"message":{"seq":1,"type":"event","event":"stopped","body":{}}}"#,
                    "\n",
                    r#"{"from":"client","message":{"seq":3"#
                )
            ),
            r#"{"from":"adapter","mess"#
        );
        let recording = Recording::parse(&text, Path::new("/f")).unwrap();
        assert_eq!((recording.stops(), recording.root.parts.len()), (1, 2));
        assert_eq!((recording.others, recording.notes.len()), (1, 1));
        // The child begins where the first session stands, and has a stop of its own.
        let child = recording.track(1).unwrap();
        assert_eq!(
            (child.program.as_str(), child.parent, child.stops()),
            ("child.py", Some(0), 1)
        );
        assert_eq!(recording.root.parts[0].children, [(1, 1)]);
        assert!(recording.track(2).is_none());
        assert!(
            recording.notes[0].contains("cut short"),
            "{:?}",
            recording.notes
        );
    }

    #[test]
    fn what_is_no_recording_is_said() {
        for (text, why) in [
            ("", "empty"),
            ("{}", "no header"),
            (
                "{\"omp_debug_recording\":7,\"adapter\":\"\",\"program\":\"\"}",
                "version 7",
            ),
            (
                "{\"omp_debug_recording\":1,\"adapter\":\"\",\"program\":\"\"}\n{x}\n{}",
                "line 2",
            ),
            (
                "{\"omp_debug_recording\":1,\"adapter\":\"\",\"program\":\"\"}\n",
                "nothing happens",
            ),
        ] {
            let error = Recording::parse(text, Path::new("/")).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
