//! What is piped into us is typed into the program's terminal, and its end is the end there.

use rustix::{
    fs::{FileType, fstat},
    stdio::stdin,
};

use crate::{prelude::*, repl::input::Pipe};

/// What a terminal takes for the end: within a line it only ends what was typed of it, and a program that asks again is to be told again.
const END: &str = "\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}\u{4}";

/// Types on until there is no more, or nobody takes it. A terminal of our own is a person's, and a device has nothing to say.
pub fn feed(core: CoreHandle, session: SessionId) {
    let kind = fstat(stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    if !matches!(
        kind,
        Ok(FileType::RegularFile | FileType::Fifo | FileType::Socket)
    ) {
        return;
    }
    drop(tasks::spawn(async move {
        let mut pipe = Pipe::new();
        loop {
            let line = pipe.next().await;
            let is_end = line.is_none();
            let text = line.map_or_else(|| END.to_owned(), |line| line.text);
            let typed = core.request(Command::WriteStdin {
                session: Some(session),
                text,
            });
            if typed.await.is_err() || is_end {
                return;
            }
        }
    }));
}
