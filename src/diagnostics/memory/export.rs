//! What was found, as a file.

use base::text::json::printable;

use crate::{
    prelude::*,
    whole::{self, NotWritten},
};

/// Writes `what` as JSON; gives the bytes written. Secrets are taken out before, by whoever knows them.
pub fn export(path: &Path, force: bool, what: &impl Serialize) -> Result<u64, NotWritten> {
    let text = serde_json::to_string_pretty(what)
        .map_err(|error| NotWritten::Nothing(format!("cannot write it as JSON: {error}")))?;
    let ((), size) = whole::write(path, force, |out| writeln!(out, "{}", printable(&text)))?;
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_of_ones_own_that_takes_no_others_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.json");
        let bytes = export(&path, false, &["a\u{9b}"]).unwrap();
        let metadata = path.metadata().unwrap();
        assert_eq!(metadata.len(), bytes);
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        assert!(std::fs::read_to_string(&path).unwrap().contains("\\u009b"));
        let again = export(&path, false, &1).unwrap_err().to_string();
        assert!(again.contains("choose another name"), "{again}");
        assert!(export(&dir.path().join("no/such/x.json"), false, &1).is_err());
    }
}
