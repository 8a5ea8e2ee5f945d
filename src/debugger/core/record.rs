//! The commands about the protocol: its messages given out, a recording begun and ended.

use super::prelude::*;

/// Messages given out at a time.
const MOST_READ: usize = 1000;
/// Names tried for a recording that was given none.
const MOST_NAMES: u32 = 1000;

impl Owner {
    /// Messages of the protocol, taken apart elsewhere.
    pub fn protocol(&self, session: Option<SessionId>, after: u64) -> Handled {
        let (ring, redactor) = (Arc::clone(&self.taps.ring), Arc::clone(&self.taps.redactor));
        let read = tasks::blocking(move || ring.read(session, after, MOST_READ, &redactor));
        later(async move {
            let traffic = read.await?;
            Ok(Reply::Protocol { traffic })
        })
    }

    /// Begins a recording, or ends the one there is.
    pub fn record(&mut self, on: bool, file: Option<PathBuf>) -> Handled {
        if !on {
            return self.stop_recording();
        }
        if self.taps.is_recording() {
            let already = DebuggerError::state("A recording is being made already.");
            return Err(already.hint("end that one first"));
        }
        let context = &self.config.context;
        let redactor = Redactor::new().with_secrets(context.env.iter()).learning();
        let folder = context.cwd.clone();
        let program = self.hub.state.focused().map(|session| session.name.clone());
        let made = tasks::blocking(move || match file {
            Some(file) => Recorder::create(&folder.join(&file), redactor)
                .map_err(|error| (folder.join(file), error)),
            None => create_anew(&folder, program.as_deref(), &redactor),
        });
        after(made, |owner, made| {
            let recorder = made?.map_err(|(file, error)| refused(&file, &error))?;
            let file = recorder.path().to_owned();
            owner.taps.record(Arc::new(recorder));
            owner.hub.publish(EventKind::Recording {
                file: Some(file.clone()),
            });
            Ok(Reply::Recording { file })
        })
    }

    fn stop_recording(&mut self) -> Handled {
        let recorder = self
            .taps
            .stop()
            .ok_or_else(|| DebuggerError::state("Nothing is being recorded."))?;
        self.hub.publish(EventKind::Recording { file: None });
        let file = recorder.path().to_owned();
        // Waits for the writer.
        let finished = tasks::blocking(move || recorder.finish());
        later(async move {
            let written = finished.await?;
            if let Some(why) = written.trouble {
                let text = format!("The recording {} is not whole: {why}", file.display());
                return Err(DebuggerError::state(text));
            }
            Ok(Reply::Recorded {
                file,
                messages: written.messages,
                left_out: written.left_out,
            })
        })
    }

    /// The core ends: a recording that was begun here is written to its end.
    pub async fn finish_recording(&self) {
        if let Some(recorder) = self.taps.stop() {
            let _ = tasks::blocking(move || recorder.finish()).await;
        }
    }
}

fn refused(file: &Path, error: &io::Error) -> DebuggerError {
    let refused = DebuggerError::usage(format!(
        "The recording {} cannot be begun: {error}.",
        file.display()
    ));
    if error.kind() == io::ErrorKind::AlreadyExists {
        refused.hint("a recording never overwrites a file: name another one")
    } else {
        refused
    }
}

/// A file named after the program, where there is none of that name yet.
fn create_anew(
    folder: &Path,
    program: Option<&str>,
    redactor: &Redactor,
) -> Result<Recorder, (PathBuf, io::Error)> {
    let stem = program
        .map(|name| name.rsplit(['/', '\\']).next().unwrap_or(name))
        .and_then(|name| Path::new(name).file_stem()?.to_str())
        .filter(|stem| !stem.is_empty())
        .unwrap_or("session");
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.rec"),
            _ => format!("{stem}-{number}.rec"),
        };
        let file = folder.join(name);
        match Recorder::create(&file, redactor.clone()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_NAMES => {
                number += 1;
            }
            made => return made.map_err(|error| (file, error)),
        }
    }
}
