//! What lldb writes, read line by line: which lines belong to the command under way, and when that command is over.
//!
//! A command is over when its own marker, a fresh random number, stands on a line of its own. A command that was given up keeps
//! its place until then: its late marker never completes the next one. No input or output here.

/// The longest line that is kept whole, and the most of one command's output that is kept, in bytes.
const KEPT: usize = 16 << 20;

/// The command under way.
#[derive(Debug)]
struct Slot {
    marker: String,
    /// Nobody waits for it any more.
    given_up: bool,
    lines: Vec<String>,
    size: usize,
}

/// What came of a piece of output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The whole output of the command under way, when it is over and somebody waits for it.
    pub done: Option<String>,
    /// How often the program's state may have changed. Only reasons to look: anybody can print these words.
    pub hints: usize,
}

/// Everything lldb wrote since the last complete line.
#[derive(Debug)]
pub struct Transcript {
    prompt: String,
    rest: Vec<u8>,
    slot: Option<Slot>,
}

impl Transcript {
    /// Of an lldb with this prompt.
    pub fn new(prompt: &str) -> Self {
        Self {
            prompt: prompt.to_owned(),
            rest: Vec::new(),
            slot: None,
        }
    }

    /// A command is written now whose end is told by this marker; false while another one is under way.
    pub fn begin(&mut self, marker: &str) -> bool {
        if self.slot.is_some() {
            return false;
        }
        self.slot = Some(Slot {
            marker: marker.to_owned(),
            given_up: false,
            lines: Vec::new(),
            size: 0,
        });
        true
    }

    /// Nobody waits for the command under way any more; it keeps its place until its own marker was seen.
    pub fn give_up(&mut self) {
        if let Some(slot) = &mut self.slot {
            slot.given_up = true;
            slot.lines = Vec::new();
        }
    }

    /// Whether a command may begin.
    pub fn is_free(&self) -> bool {
        self.slot.is_none()
    }

    /// Takes a piece of output, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) -> Scanned {
        let mut found = Scanned::default();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.rest.len() > KEPT {
                let line = std::mem::take(&mut self.rest);
                let line = String::from_utf8_lossy(&line);
                self.line(line.trim_end_matches(['\n', '\r']), &mut found);
            }
        }
        found
    }

    fn line(&mut self, line: &str, found: &mut Scanned) {
        if says_that_state_changed(line) {
            found.hints += 1;
        }
        let Some(slot) = &mut self.slot else {
            return;
        };
        if line == slot.marker {
            if let Some(slot) = self.slot.take().filter(|slot| !slot.given_up) {
                found.done = Some(clean(&slot.lines, &self.prompt, &slot.marker));
            }
        } else if !slot.given_up && slot.size < KEPT {
            slot.size += line.len();
            slot.lines.push(line.to_owned());
        }
    }
}

/// `Process 123 stopped`, `… exited with status = 3`, `… detached`, `… lost`.
fn says_that_state_changed(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("Process ") else {
        return false;
    };
    let Some((pid, what)) = rest.split_once(' ') else {
        return false;
    };
    pid.bytes().all(|byte| byte.is_ascii_digit())
        && ["stopped", "exited", "detached", "crashed", "lost"]
            .iter()
            .any(|word| what.starts_with(word))
}

/// What a command printed, without what is ours: lines with the prompt are echoes of what we wrote, and the marker's line is ours.
fn clean(lines: &[String], prompt: &str, marker: &str) -> String {
    let kept: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| {
            !line.trim().is_empty() && !line.starts_with(prompt.trim_end()) && *line != marker
        })
        .collect();
    kept.join("\n").trim_end().to_owned()
}

/// What lldb itself complains of, when it does: its own errors begin a line.
pub fn complaint(output: &str) -> Option<String> {
    let (at, _) = output
        .lines()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some((start, line))
        })
        .find(|(_, line)| line.starts_with("error: "))?;
    let text = output.get(at..)?.trim();
    Some(text.strip_prefix("error: ").unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn transcript() -> Transcript {
        Transcript::new("(omp) ")
    }

    /// S1-25, S1-26.
    #[test]
    fn a_marker_counts_only_on_a_line_of_its_own_and_output_is_cleaned() {
        let mut t = transcript();
        assert!(t.begin(A));
        let echo = format!("(omp) version\n(omp) script print(\"\\n{A}\")\n");
        assert_eq!(t.feed(echo.as_bytes()), Scanned::default());
        let inside = format!("x{A}\n{A}x\n \n");
        assert_eq!(t.feed(inside.as_bytes()), Scanned::default());
        let found = t.feed(format!("\nlldb 19  \n\n{A}\n").as_bytes());
        let text = format!("x{A}\n{A}x\nlldb 19");
        assert_eq!(found.done.as_deref(), Some(text.as_str()));
        assert!(t.is_free());
    }

    /// S1-28.
    #[test]
    fn a_second_wait_is_rejected() {
        let mut t = transcript();
        assert!(t.begin(A));
        assert!(!t.begin(B));
    }

    ///
    #[test]
    fn the_late_marker_of_one_command_never_completes_the_next() {
        let mut t = transcript();
        assert!(t.begin(A));
        t.give_up();
        assert!(!t.begin(B), "its place is kept");
        assert_eq!(t.feed(format!("{B}\n").as_bytes()).done, None);
        assert_eq!(t.feed(format!("late\n{A}\n").as_bytes()).done, None);
        assert!(t.begin(B));
        assert_eq!(
            t.feed(format!("{A}\nown\n{B}\n").as_bytes()).done.unwrap(),
            format!("{A}\nown")
        );
    }

    /// S1-32 as decided: X-61.
    #[test]
    fn only_lldbs_own_errors_are_errors() {
        assert_eq!(
            complaint("error: no such thing\nmore"),
            Some("no such thing\nmore".to_owned())
        );
        assert_eq!(
            complaint("some output\nerror: late"),
            Some("late".to_owned())
        );
        for fine in [
            "a log with error: inside",
            "(char *) p = \"error: x\"",
            "  error: indented",
            "Error: x",
            "",
        ] {
            assert_eq!(complaint(fine), None, "{fine}");
        }
    }

    #[test]
    fn state_changes_are_seen_between_everything_else() {
        let mut t = transcript();
        let text = "Process 17 stopped\n* thread\nProcess x stopped\nProcess 17 resuming\nProcess 17 exited with status = 3 (0x3) \n";
        assert_eq!(t.feed(text.as_bytes()).hints, 2);
    }

    #[test]
    fn ten_mebibytes_and_no_line_break_are_bounded() {
        let mut t = transcript();
        assert!(t.begin(A));
        for _ in 0..40 {
            t.feed(&vec![b'x'; 1 << 20]);
        }
        assert!(t.rest.len() <= KEPT + (1 << 20));
        assert!(t.feed(format!("\n{A}\n").as_bytes()).done.unwrap().len() <= 2 * KEPT);
    }

    proptest! {
        /// S1-24: wherever the output is cut.
        #[test]
        fn cuts_do_not_matter(text in "[a-z \n]{0,60}", cuts in proptest::collection::vec(1usize..9, 0..20)) {
            let whole = format!("{text}\n{A}\n");
            let mut once = transcript();
            assert!(once.begin(A));
            let wanted = once.feed(whole.as_bytes());
            let mut t = transcript();
            assert!(t.begin(A));
            let mut rest = whole.as_bytes();
            let mut done = None;
            for cut in cuts {
                let (head, tail) = rest.split_at(cut.min(rest.len()));
                done = t.feed(head).done.or(done);
                rest = tail;
            }
            done = t.feed(rest).done.or(done);
            prop_assert_eq!(done, wanted.done);
        }

        #[test]
        fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut t = transcript();
            assert!(t.begin(A));
            prop_assert_eq!(t.feed(&bytes).done, None);
        }
    }
}
