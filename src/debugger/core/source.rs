//! Texts of sources: from their files, or from the adapter where there is none.

use base::{stat, text::missing::no_file};

use super::prelude::*;
use crate::{
    adapters,
    error::{OUTDATED, UNBUILT},
};

/// Bytes of a source file that are read.
const SOURCE_LIMIT: u64 = 64 * 1024 * 1024;

impl Owner {
    pub fn source(&self, session: Option<SessionId>, source: Source) -> Handled {
        let given = session.and_then(|id| self.session(id));
        let focused = self.hub.state.focus.and_then(|id| self.session(id));
        // What was opened in a session that is over is that of the program that runs now.
        let session = given.filter(|s| s.phase.is_live()).or(focused).or(given);
        let base = session.map_or_else(|| self.config.context.cwd.clone(), |s| s.cwd.clone());
        let live = session.and_then(|s| self.live(s.id));
        let attached = live.filter(|live| live.kind == StartKind::Attach);
        let attached = attached.and_then(|live| self.session(live.id)?.pid?.try_into().ok());
        // One that is attached to has run before.
        let began = attached.and_then(stat::began);
        let since = began.or_else(|| live?.started);
        // What a command builds is built before each start.
        let program = session.filter(|s| s.phase.is_live() && s.typed.is_none());
        let program = program.map(|s| s.cwd.join(&s.target));
        let by_reference = source.reference().and_then(|reference| {
            let of = given.or(focused).and_then(|s| self.live(s.id));
            let client = of?.client.clone()?;
            Some((reference, self.on_terms(client)))
        });
        later(async move {
            if let Some((source_reference, client)) = by_reference {
                let arguments = SourceArguments {
                    source: Some(source),
                    source_reference,
                };
                let response = client.send::<SourceRequest>(&arguments).await?;
                return Ok(Reply::Source {
                    content: response.content,
                    mime_type: response.mime_type,
                    note: Some("from the adapter, not from a file".to_owned()),
                });
            }
            let path = source.path.as_ref().ok_or_else(|| {
                DebuggerError::usage(format!(
                    "There is no file for `{}`, and its adapter has no text of it.",
                    source.name.as_deref().unwrap_or("this source")
                ))
            })?;
            let path = base.join(path);
            tasks::blocking(move || read_source(&path, since, program.as_deref())).await?
        })
    }
}

fn read_source(path: &PathBuf, since: Option<SystemTime>, program: Option<&Path>) -> Result<Reply> {
    let trouble = |what: String| DebuggerError::usage(what);
    let shown = path.display();
    let meta = fs::metadata(path).map_err(|e| {
        trouble(match e.kind() {
            io::ErrorKind::NotFound => sentence(&no_file(path)),
            _ => format!("{shown} cannot be read: {e}."),
        })
    })?;
    if !meta.is_file() {
        return Err(trouble(format!("{shown} is not a file.")));
    }
    if meta.len() > SOURCE_LIMIT {
        return Err(trouble(format!(
            "{shown} has {} MiB; sources of more than {} MiB are not opened.",
            meta.len() >> 20,
            SOURCE_LIMIT >> 20
        )));
    }
    let bytes = fs::read(path).map_err(|e| trouble(format!("{shown} cannot be read: {e}.")))?;
    let mut notes = Vec::new();
    let modified = meta.modified().ok();
    let is_after = |time| {
        modified
            .zip(time)
            .is_some_and(|(modified, time)| modified > time)
    };
    let built = program.and_then(|program| program.metadata().ok()?.modified().ok());
    // Debug information is of what was compiled; what is older than its program is not looked at.
    let is_compiled = |program| adapters::inspect(program).debug_info.is_some();
    if is_after(built) && program.is_some_and(is_compiled) {
        notes.push(UNBUILT);
    } else if is_after(since) {
        notes.push(OUTDATED);
    }
    // Not drawn, and no part of the first line.
    let bytes = match bytes.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let content = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => {
            notes.push("not UTF-8: bytes that are no text are shown as \u{fffd}");
            String::from_utf8_lossy(bad.as_bytes()).into_owned()
        }
    };
    Ok(Reply::Source {
        content,
        mime_type: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_at_the_beginning_of_a_file_is_no_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "\u{feff}def f():\n").unwrap();
        let read = read_source(&file.path().to_path_buf(), None, None);
        let Ok(Reply::Source { content, .. }) = read else {
            panic!("{read:?}")
        };
        assert_eq!(content, "def f():\n");
    }
}
