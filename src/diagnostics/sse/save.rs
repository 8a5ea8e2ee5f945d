//! A capture on disk: one JSON object a line, for nobody's eyes but the owner's.

use base::files;

use crate::prelude::*;

/// Creates a file that only its owner may read, or begins a capture anew; another file is refused. What is no file (a pipe, a device)
/// is only written to.
pub fn create(path: &Path) -> io::Result<File> {
    // What is there goes only once nobody else can read it.
    let file = files::open_as_it_is(path, true)?;
    if file.metadata()?.is_file() {
        let mut first = [0];
        let read = File::open(path)?.read(&mut first)?;
        if read > 0 && first != *b"{" {
            let why = "it is there already, and no capture: choose another name";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        // One that was there may be open to others: closed before anything is written.
        files::close_to_others(&file)?;
        file.set_len(0)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn it_is_for_the_owner_alone_even_if_it_was_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("capture.jsonl");
        std::fs::write(&path, r#"{"older": "and longer than what comes now"}"#).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let mut save = create(&path).unwrap();
        save.write_all(b"{}\n").unwrap();
        drop(save);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read(&path).unwrap(), b"{}\n");
        std::fs::write(&path, "my notes").unwrap();
        let refused = create(&path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"my notes");
    }
}
