//! The program's own standard output and error: read from named pipes of their own and passed on as `output` events, so that the
//! program never reads what we tell lldb, and lldb's words are never mixed with the program's.

use dap::{
    server::Out,
    transport::{next_text, take_text},
};
use tokio::{
    net::unix::pipe::{Receiver, Sender},
    process::Command,
    task::JoinHandle,
};

use super::channel::pipe;
use crate::prelude::*;

/// Once the program has ended, how long silence must last where a child of it still holds the pipe.
const SILENCE: Duration = Duration::from_millis(200);

/// Both streams of one program.
#[derive(Debug)]
pub struct Streams {
    readers: Vec<JoinHandle<()>>,
    ended: CancellationToken,
    /// Hold the pipes open until the program has them.
    open: Vec<Sender>,
}

impl Streams {
    /// Begins to read; the program comes later.
    pub fn open(paths: &[PathBuf; 2], wire: &Out) -> io::Result<Self> {
        let ended = CancellationToken::new();
        let mut streams = Self {
            readers: Vec::new(),
            ended: ended.clone(),
            open: Vec::new(),
        };
        for (path, category) in paths.iter().zip(["stdout", "stderr"]) {
            let (reading, writing) = pipe(Path::new(path))?;
            streams.open.push(writing);
            let reader = pass_on(reading, category, wire.clone(), ended.clone());
            streams.readers.push(tasks::spawn(reader));
        }
        Ok(streams)
    }

    /// The program has its ends: from now on theirs are the only ones.
    pub fn handed_over(&mut self) {
        self.open.clear();
    }

    /// The program is let go and runs on: somebody reads what it prints for as long as it prints, or its next line would be its
    /// last (SIGPIPE).
    pub fn leave(self, paths: &[PathBuf; 2]) -> io::Result<()> {
        for path in paths {
            let reading = pipe(path)?.0.into_blocking_fd()?;
            let mut reader = Command::new("cat");
            reader
                .stdin(reading)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            // Ends by itself when nobody holds the other end any more.
            let mut reader = reader.process_group(0).kill_on_drop(false).spawn()?;
            tasks::spawn(async move { reader.wait().await });
        }
        for reader in self.readers {
            reader.abort();
        }
        Ok(())
    }

    /// The program has ended: waits until what it wrote is passed on.
    pub async fn finish(mut self) {
        self.open.clear();
        self.ended.cancel();
        for reader in self.readers {
            // A reader that panicked has said so.
            let _ = reader.await;
        }
    }
}

async fn pass_on(mut pipe: Receiver, category: &'static str, wire: Out, ended: CancellationToken) {
    let mut buffer = BytesMut::new();
    loop {
        let text = tokio::select! {
            biased;
            text = next_text(&mut pipe, &mut buffer) => text,
            () = ended.cancelled() => {
                match timeout(SILENCE, next_text(&mut pipe, &mut buffer)).await {
                    Ok(text) => text,
                    // What is left of a character whose rest does not come.
                    Err(_) => Some(take_text(&mut buffer, true)).filter(|text| !text.is_empty()),
                }
            }
        };
        let Some(output) = text else { return };
        let body = json!({ "category": category, "output": output });
        wire.event("output", body).await;
    }
}
