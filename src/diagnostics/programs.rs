//! Programs of others that the desk asks: where they are.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The first program of this name; relative entries of PATH would let the working folder name one.
pub fn on_path(name: &str, env: &BTreeMap<String, String>) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = env.get("PATH")?;
    std::env::split_paths(path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|file| {
            let metadata = file.metadata();
            metadata.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        })
}
