//! Where the next line comes from: files of commands first, then the person or the pipe.

use std::{collections::VecDeque, io::BufRead as _, path::Path};

use tokio::sync::mpsc;

/// A line and where it stands, for messages; a person's own lines stand nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    pub text: String,
    /// `FILE:3`, `line 3`.
    pub origin: Option<String>,
}

/// How many lines may wait: a file that does itself again must end.
const MOST: usize = 100_000;

/// Puts the lines of a file before all that waits.
pub fn read_file(waiting: &mut VecDeque<Next>, path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path)
        .map_err(|e| format!("the commands in {} cannot be read: {e}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = (1..).zip(text.lines()).collect();
    if waiting.len() + lines.len() > MOST {
        return Err(format!(
            "{} would make more than {MOST} commands wait: does it do itself again?",
            path.display()
        ));
    }
    for (number, line) in lines.into_iter().rev() {
        waiting.push_front(Next {
            text: line.to_owned(),
            origin: Some(format!("{}:{number}", path.display())),
        });
    }
    Ok(())
}

/// Standard input, line by line, read by a thread of its own: nothing else is to wait for it.
pub struct Pipe {
    lines: mpsc::Receiver<Vec<u8>>,
    number: usize,
}

/// Lines that are read ahead.
const AHEAD: usize = 64;

impl Pipe {
    /// From its beginning.
    pub fn new() -> Self {
        let (say, lines) = mpsc::channel(AHEAD);
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            loop {
                let mut line = Vec::new();
                match stdin.read_until(b'\n', &mut line) {
                    Ok(count) if count > 0 => {
                        if say.blocking_send(line).is_err() {
                            return;
                        }
                    }
                    _ => return,
                }
            }
        });
        Self { lines, number: 0 }
    }

    /// The next line; `None` at its end.
    pub async fn next(&mut self) -> Option<Next> {
        let bytes = self.lines.recv().await?;
        self.number += 1;
        Some(Next {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            origin: Some(format!("line {}", self.number)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_before_what_waits_and_says_its_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("go");
        std::fs::write(&path, "one\r\ntwo").unwrap();
        let mut waiting = VecDeque::from([Next {
            text: "last".into(),
            origin: Some("--ex 1".into()),
        }]);
        read_file(&mut waiting, &path).unwrap();
        let first = waiting.pop_front().unwrap();
        assert_eq!(first.text, "one");
        assert!(first.origin.unwrap().ends_with("go:1"));
        assert_eq!(waiting.pop_front().unwrap().text, "two");
        assert_eq!(waiting.pop_front().unwrap().text, "last");
        assert_eq!(waiting.pop_front(), None);
        let none = read_file(&mut waiting, &folder.path().join("none"));
        assert!(none.unwrap_err().contains("none"));
    }
}
