//! What lldb's own Python tells us: over a named pipe in a private folder, one JSON object a line, apart from everything printed.

use base::{files::private_directory, text::hex::hexadecimal};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::unix::pipe::{OpenOptions, Receiver, Sender},
};

use super::process::{COMMAND, Lldb, LldbError};
use crate::prelude::*;

/// What runs there.
const HELPER: &str = include_str!("../../../assets/lldb_helper.py");
/// An answer is written before its command's end is told; this is for a machine that is very busy.
const LATE: Duration = Duration::from_secs(5);

/// The pipes of one lldb.
#[derive(Debug)]
pub struct Channel {
    folder: TempDir,
    told: mpsc::UnboundedReceiver<Value>,
    asked: u64,
    /// So that the pipe has no end while lldb runs.
    _open: Sender,
}

/// The names of the pipes: answers, and the program's standard output and error.
const PIPES: [&str; 3] = ["told", "stdout", "stderr"];

impl Channel {
    /// Makes the pipes and starts the helper.
    pub async fn open(lldb: &Lldb) -> Result<Self, LldbError> {
        let trouble =
            |error: io::Error| LldbError::Refused(format!("its pipes cannot be made: {error}"));
        let folder = private_directory().map_err(trouble)?;
        let make = PIPES
            .iter()
            .map(|name| {
                format!(
                    "os.mkfifo({}, 0o600)",
                    python_text(&folder.path().join(name))
                )
            })
            .joined("; ");
        run_python(lldb, &format!("import os; {make}")).await?;
        let (reading, open) = pipe(&folder.path().join("told")).map_err(trouble)?;
        let (sender, told) = mpsc::unbounded_channel();
        tasks::spawn(async move {
            let mut lines = BufReader::new(reading).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(message) = serde_json::from_slice(line.as_bytes()) else {
                    tracing::warn!(line, "lldb's helper wrote no JSON");
                    continue;
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let helper = hexadecimal(HELPER.as_bytes());
        run_python(
            lldb,
            &format!("exec(bytes.fromhex(\"{helper}\").decode(), globals())"),
        )
        .await?;
        let told_path = python_text(&folder.path().join("told"));
        run_python(lldb, &format!("omp_debug = OmpDebug({told_path})")).await?;
        Ok(Self {
            folder,
            told,
            asked: 0,
            _open: open,
        })
    }

    /// Where the program's standard output and error go: the paths for lldb.
    pub fn streams(&self) -> [PathBuf; 2] {
        [
            self.folder.path().join("stdout"),
            self.folder.path().join("stderr"),
        ]
    }

    /// What the helper tells unasked.
    pub async fn unasked(&mut self) -> Option<Value> {
        self.told.recv().await
    }

    /// Asks the helper; what it tells unasked in between goes to `aside`.
    pub async fn ask(
        &mut self,
        lldb: &Lldb,
        what: &str,
        with: Value,
        aside: &mut Vec<Value>,
    ) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        let question = json!({ "id": id, "do": what, "with": with }).to_string();
        let line = format!("script omp_debug(\"{}\")", hexadecimal(question.as_bytes()));
        let printed = lldb.command_within(&line, COMMAND).await.in_words()?;
        loop {
            let Ok(Some(mut told)) = timeout(LATE, self.told.recv()).await else {
                return Err(format!("lldb's Python did not answer {what}: {printed}"));
            };
            match told.get("id").and_then(Value::as_u64) {
                Some(of) if of == id => {
                    return match told.text_of("error") {
                        Some(error) => Err(error.to_owned()),
                        None => Ok(told.get_mut("body").map(Value::take).unwrap_or_default()),
                    };
                }
                // An answer that nobody waited for any more.
                Some(_) => {}
                None => aside.push(told),
            }
        }
    }
}

/// Both ends of a named pipe, without waiting for anybody.
pub fn pipe(path: &Path) -> io::Result<(Receiver, Sender)> {
    let reading = OpenOptions::new().open_receiver(path)?;
    let writing = OpenOptions::new().open_sender(path)?;
    Ok((reading, writing))
}

/// A statement; anything it prints is a complaint.
async fn run_python(lldb: &Lldb, statement: &str) -> Result<(), LldbError> {
    let printed = lldb
        .command_within(&format!("script {statement}"), COMMAND)
        .await?;
    if printed.is_empty() {
        Ok(())
    } else {
        let last = printed.lines().last().unwrap_or_default();
        Err(LldbError::Refused(format!(
            "its Python cannot be used: {last}"
        )))
    }
}

/// A Python expression for a path.
fn python_text(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let digits = hexadecimal(path.as_os_str().as_bytes());
    format!("bytes.fromhex(\"{digits}\").decode()")
}
