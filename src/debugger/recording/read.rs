//! A recording as it is read: the sessions in it, each cut at its stops (`track`).

use base::files::{open_named, read_at_most};

use super::{
    format::{Header, LIMIT, Recorded, VERSION},
    timeline::{RecordingTimeline, StopPlace},
    track::Track,
};
use crate::prelude::*;

/// Notes that are kept of those in a file.
const MOST_NOTES: usize = 20;
/// Sessions that are played beside the first; of others only the number is known.
const MOST_OTHERS: usize = 256;

/// Stands in a recording for the folder of the program, so that a recording can be played anywhere.
const FOLDER: &str = "${folder}";
/// Why a file is not played.
const EMPTY: &str = "it is empty";
const NOTHING: &str = "nothing happens in it";
/// How a compressed recording begins.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A recording that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
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
    /// Those that came out of it, and others that were started beside it, in the order they began.
    pub(super) children: Vec<Track>,
    /// What happened in all of them, in order.
    pub(super) score: RecordingTimeline,
}

/// What is being read.
#[derive(Default)]
struct Reading {
    /// Sessions by the number that the file gives them: the index in [`Recording::children`].
    numbers: HashMap<u64, usize>,
    others: BTreeSet<u64>,
    /// The number of the first session, once it is known.
    first: Option<u64>,
    /// Messages of sessions that are not played.
    left_out: u64,
    /// Sessions whose beginning is in the file.
    begun: BTreeSet<u64>,
    /// Sessions whose beginning is not in the file.
    unborn: BTreeSet<u64>,
    /// Sessions past those that are played.
    too_many: usize,
    /// Sessions of a parent that is not in the file.
    orphans: usize,
    /// Sessions that begin once more while they are known.
    twice: usize,
}

impl Reading {
    /// What is missing, in sentences.
    fn told(&self, backwards: usize) -> Vec<String> {
        let mut told = Vec::new();
        let mut tell = |count: usize, text: &str| {
            if count > 0 {
                told.push(text.replace('#', &count.to_string()));
            }
        };
        tell(
            self.too_many,
            &format!(
                "Sessions that are not played, for there are {MOST_OTHERS} beside the first already: #."
            ),
        );
        tell(
            self.unborn.len(),
            "Sessions that are not played, for their beginning is not in the file: #.",
        );
        tell(
            usize::try_from(self.left_out).unwrap_or(usize::MAX),
            "Messages of sessions that are not played: #.",
        );
        tell(
            self.orphans,
            "Sessions whose parent is not in the file, shown below the first one: #.",
        );
        tell(
            self.twice,
            "Sessions that begin although they have begun already, which is passed over: #.",
        );
        tell(
            backwards,
            "Messages whose time is before that of the line ahead of them: #; the order of the lines is kept.",
        );
        told
    }
}

impl Recording {
    /// Reads a recording; `folder` is where the program is to be thought.
    pub fn read(path: &Path, folder: &Path) -> Result<Self, String> {
        let shown = path.display();
        let unreadable = |e: io::Error| format!("{shown} cannot be read: {e}");
        // One byte past what is opened.
        let bytes = open_named(path)
            .and_then(|(file, _)| read_at_most(file, LIMIT + 1))
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
        let mut recording = Self::parse(&text, folder).map_err(|why| {
            if cut.is_some() && [EMPTY, NOTHING].contains(&why.as_str()) {
                return format!(
                    "{shown} is cut short: nothing that a program did can be unpacked of it"
                );
            }
            format!("{shown} is not a recording: {why}")
        })?;
        if let Some(why) = cut {
            recording.note(format!("The file is cut short: {why}."));
        }
        Ok(recording)
    }

    /// The same from text.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let folder = folder.to_string_lossy();
        let mut lines = text.lines().filter(|l| !l.trim().is_empty()).enumerate();
        let (_, first) = lines.next().ok_or(EMPTY)?;
        let header: Header = serde_json::from_slice(first.as_bytes())
            .map_err(|e| format!("its first line is no header: {e}"))?;
        if header.omp_debug_recording != VERSION {
            return Err(format!(
                "its format is version {}, this program reads {VERSION}",
                header.omp_debug_recording
            ));
        }
        // An absolute path stays as it is.
        let program = Path::new(folder.as_ref())
            .join(header.program.replace(FOLDER, &folder))
            .lossy();
        let mut recording = Self {
            root: Track::new(header.adapter.clone(), program.clone(), None),
            adapter: header.adapter,
            program,
            started: header.started,
            messages: 0,
            others: 0,
            notes: Vec::new(),
            children: Vec::new(),
            score: RecordingTimeline::default(),
        };
        let mut reading = Reading {
            first: header.session,
            ..Reading::default()
        };
        let mut lines = lines.peekable();
        while let Some((number, line)) = lines.next() {
            let value = match serde_json::from_slice::<Value>(line.as_bytes()) {
                Ok(value) => value,
                // The last line of somebody who was killed while writing it.
                Err(error) if lines.peek().is_none() && error.is_eof() => {
                    recording.note(format!("Line {} is cut short.", number + 1));
                    break;
                }
                Err(error) => return Err(format!("line {} is no message: {error}", number + 1)),
            };
            recording
                .line(value, number + 1, &folder, &mut reading)
                .map_err(|e| format!("line {} is no message: {e}", number + 1))?;
        }
        recording.others = reading.others.len();
        let is_empty = |track: &Track| track.parts.iter().all(|part| part.events.is_empty());
        if recording.tracks().all(is_empty) {
            return Err(NOTHING.to_owned());
        }
        recording.settle();
        for told in reading.told(recording.score.backwards) {
            recording.note(told);
        }
        Ok(recording)
    }

    fn line(
        &mut self,
        mut value: Value,
        number: usize,
        folder: &str,
        reading: &mut Reading,
    ) -> Result<(), serde_json::Error> {
        if let Some(note) = value.text_of("note") {
            self.note(note.to_owned());
            return Ok(());
        }
        let session = value.get("session").and_then(Value::as_u64);
        if value.get("message").is_none()
            && let Some(session) = session
        {
            fill_in(&mut value, folder);
            self.session(session, &value, number, reading);
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
            track.take(recorded, number);
        } else if let Some(session) = recorded.session {
            reading.left_out += 1;
            if reading.first != Some(session) && !reading.begun.contains(&session) {
                reading.unborn.insert(session);
            }
        }
        Ok(())
    }

    /// Another session begins: out of one that is known, or started beside it.
    fn session(&mut self, session: u64, line: &Value, number: usize, reading: &mut Reading) {
        reading.others.insert(session);
        if !reading.begun.insert(session) {
            reading.twice += 1;
            return;
        }
        if self.children.len() >= MOST_OTHERS {
            reading.too_many += 1;
            return;
        }
        let text = |name: &str| {
            let text = line.text_of(name);
            text.unwrap_or_default().to_owned()
        };
        let parent = line.get("parent").and_then(Value::as_u64).map(|parent| {
            if let Some(index) = reading.numbers.get(&parent) {
                return index + 1;
            }
            // In older files the first session has no number: it is the one that is named and did not begin.
            let first = *reading.first.get_or_insert(parent);
            reading.orphans += usize::from(first != parent);
            0
        });
        let index = self.children.len();
        let at = line.get("at").and_then(Value::as_u64);
        let track = Track::new(text("adapter"), text("program"), parent).born(number, at);
        self.children.push(track);
        reading.numbers.insert(session, index);
    }

    /// Puts what happened in all sessions in order.
    pub(super) fn settle(&mut self) {
        let tracks: Vec<&Track> = self.tracks().collect();
        self.score = RecordingTimeline::new(&tracks);
    }

    /// The sessions in it: the first one, and those that began later.
    pub(super) fn tracks(&self) -> impl Iterator<Item = &Track> {
        iter::once(&self.root).chain(&self.children)
    }

    /// The stops of all sessions in the order they happened.
    pub fn places(&self) -> &[StopPlace] {
        &self.score.stops
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
    use crate::recording::{Playback, format::key};

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
        let mut late: Vec<&str> = TEXT.lines().collect();
        // What was asked at a stop may be answered when the program was let go on.
        late.swap(5, 6);
        for text in [TEXT, &late.join("\n")] {
            let recording = Recording::parse(text, Path::new("/f")).unwrap();
            assert_eq!((recording.stops(), recording.root.parts.len()), (1, 2));
            assert_eq!(recording.program, "/f/a.py");
            let asked = key("scopes", Some(&json!({"frameId": 1})));
            let answer = &recording.root.parts[0].answers[&asked];
            assert_eq!(
                answer.pointer("/body/scopes/0/name"),
                Some(&json!("/f/a.py"))
            );
        }
    }

    /// An adapter may number the frames of one stop anew each time it is asked.
    #[test]
    fn a_stop_has_the_stack_that_was_looked_into_and_breakpoints_are_lines_only() {
        let said = |seq: u32, command: &str, arguments: Value, body: Value| {
            let asked = json!({"from": "client", "message": {"seq": seq, "type": "request", "command": command, "arguments": arguments}});
            let answer = json!({"from": "adapter", "message": {"seq": seq, "type": "response", "request_seq": seq, "success": true, "command": command, "body": body}});
            format!("{asked}\n{answer}\n")
        };
        let frames =
            |id: i64| json!({"stackFrames": [{"id": id, "name": "f", "line": 3, "column": 1}]});
        let stack = |levels: i64| json!({"threadId": 1, "startFrame": 0, "levels": levels});
        let wish = json!({"source": {"path": "/f/a.py"}, "breakpoints": [{"line": 3, "condition": "boom()", "logMessage": "{boom()}"}]});
        let scopes =
            json!({"scopes": [{"name": "Locals", "variablesReference": 7, "expensive": false}]});
        let text = [
            r#"{"omp_debug_recording":1,"adapter":"x","program":"a.py"}"#,
            "\n",
            &said(
                1,
                "setBreakpoints",
                wish,
                json!({"breakpoints": [{"verified": true}]}),
            ),
            r#"{"from":"adapter","message":{"seq":9,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1}}}"#,
            "\n",
            &said(2, "stackTrace", stack(20), frames(5)),
            &said(3, "scopes", json!({"frameId": 5}), scopes),
            &said(4, "stackTrace", stack(1), frames(1)),
            &said(5, "stackTrace", stack(3), frames(9)),
        ];
        let recording = Recording::parse(&text.concat(), Path::new("/f")).unwrap();
        let stops = recording.told();
        assert_eq!(stops[0].scopes[0].name, "Locals");
        let playback = Playback::new(Arc::new(recording));
        let line = BreakpointSpec {
            for_this_run: true,
            ..BreakpointSpec::line("/f/a.py", 3)
        };
        assert_eq!(playback.breakpoints(), [line]);
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
        let order: Vec<_> = recording.places().iter().map(|place| place.track).collect();
        assert_eq!(order, [0, 1]);
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
