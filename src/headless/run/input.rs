//! What is piped into us is typed into the program's terminal, and its end is the end there.

use rustix::{
    fs::{FileType, fstat},
    io::ioctl_fionread,
    stdio::stdin,
};

use tokio::sync::watch;

use debugger::OutputChunk;

use crate::{prelude::*, repl::input::Pipe};

/// What a terminal takes for the end: within a line it only ends what was typed of it, and a program that asks again is to be told again.
const END: &str = "\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}";

/// Whether something is piped into us. A terminal of our own is a person's, and a device has nothing to say.
pub fn is_piped() -> bool {
    let kind = fstat(stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(
        kind,
        Ok(FileType::RegularFile | FileType::Fifo | FileType::Socket)
    )
}

/// Whether something was piped into us that nobody has read.
pub fn is_unread() -> bool {
    is_piped() && ioctl_fionread(stdin()).is_ok_and(|count| count > 0)
}

/// How often the end is told again.
const AGAIN: usize = 3;

/// What is piped into us, on its way to a terminal.
pub struct Feed {
    prompts: watch::Sender<()>,
}

impl Feed {
    /// Types on until there is no more, or nobody takes it.
    pub fn begin(core: CoreHandle, session: SessionId) -> Option<Self> {
        if !is_piped() {
            return None;
        }
        let (prompts, prompted) = watch::channel(());
        drop(tasks::spawn(type_on(core, session, prompted)));
        Some(Self { prompts })
    }

    /// The program printed something.
    pub fn heard(&self, chunks: &[OutputChunk]) {
        let last = chunks.last().and_then(|last| last.terminal.as_ref());
        if last.is_some_and(|text| !text.ends_with('\n')) {
            self.prompts.send_replace(());
        }
    }
}

async fn type_on(core: CoreHandle, session: SessionId, mut prompted: watch::Receiver<()>) {
    let typed = |text| {
        core.request(Command::WriteStdin {
            session: Some(session),
            text,
        })
    };
    let mut pipe = Pipe::new();
    while let Some(line) = pipe.next().await {
        if typed(line.text).await.is_err() {
            return;
        }
    }
    prompted.mark_unchanged();
    let mut is_taken = typed(END.to_owned()).await.is_ok();
    // Before it asks for a password a program drops what was typed ahead, and the end with it. A program that prints something for each
    // key would be told for ever: it is told this often.
    for _ in 0..AGAIN {
        if !is_taken || prompted.changed().await.is_err() {
            return;
        }
        is_taken = typed(END.to_owned()).await.is_ok();
    }
}
