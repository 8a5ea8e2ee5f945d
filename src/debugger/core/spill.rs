//! The file that keeps all output of a session, whatever the ring drops.

use std::io::{BufWriter, Write};

use super::prelude::*;

/// Output files older than this are removed when a new one is made.
const KEPT: Duration = Duration::from_hours(168);

/// One session's output file, made when the first byte comes.
pub struct Spill {
    dir: PathBuf,
    name: String,
    file: Option<BufWriter<File>>,
    broken: bool,
}

impl Spill {
    pub fn new(dir: &Path, name: String) -> Self {
        Self {
            dir: dir.to_owned(),
            name,
            file: None,
            broken: false,
        }
    }

    /// Appends. `Ok(Some(path))` when the file was made just now; an error comes once, then the spill is silent.
    pub fn write(&mut self, chunks: &[OutputChunk]) -> io::Result<Option<PathBuf>> {
        if self.broken {
            return Ok(None);
        }
        let result = self.try_write(chunks);
        self.broken = result.is_err();
        result
    }

    fn try_write(&mut self, chunks: &[OutputChunk]) -> io::Result<Option<PathBuf>> {
        let mut made = None;
        let file = if let Some(file) = &mut self.file {
            file
        } else {
            files::make_folder(&self.dir)?;
            prune(&self.dir);
            let path = self.dir.join(&self.name);
            let file = files::open(&path, false)?;
            made = Some(path);
            self.file.insert(BufWriter::with_capacity(1 << 16, file))
        };
        for chunk in chunks {
            file.write_all(chunk.text.as_bytes())?;
        }
        file.flush()?;
        Ok(made)
    }
}

/// Removes what earlier runs left, by age. Best effort: the folder is ours alone.
fn prune(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let old = entry
            .metadata()
            .and_then(|m| m.modified())
            .is_ok_and(|t| now.duration_since(t).is_ok_and(|age| age > KEPT));
        if old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
