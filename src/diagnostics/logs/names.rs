//! Short names that tell the files of one log apart.

use std::path::Path;

use super::spool::name_of;

/// Endings that say no more than that it is a log.
const ENDINGS: [&str; 4] = [".gz", ".log", ".jsonl", ".ndjson"];

/// A name for each file: its own without the endings that they share, with as many folders before it as it takes to tell it from the others.
pub fn short(paths: &[&Path]) -> Vec<String> {
    let whole: Vec<String> = paths.iter().map(|path| name_of(path)).collect();
    let bare: Vec<String> = whole.iter().map(|name| bare(name)).collect();
    let names = if all_differ(&bare) || !all_differ(&whole) {
        bare
    } else {
        whole
    };
    let deepest = paths.iter().map(|path| path.components().count()).max();
    let mut told = names.clone();
    for folders in 1..deepest.unwrap_or(1) {
        if all_differ(&told) {
            break;
        }
        let again: Vec<String> = paths
            .iter()
            .zip(&names)
            .zip(&told)
            .map(|((path, name), known)| {
                if told.iter().filter(|other| *other == known).count() > 1 {
                    behind(path, folders, name)
                } else {
                    known.clone()
                }
            })
            .collect();
        told = again;
    }
    told
}

fn bare(name: &str) -> String {
    let mut bare = name;
    for ending in ENDINGS {
        bare = bare.strip_suffix(ending).unwrap_or(bare);
    }
    if bare.is_empty() { name } else { bare }.to_owned()
}

fn all_differ(names: &[String]) -> bool {
    let different: std::collections::HashSet<&String> = names.iter().collect();
    different.len() == names.len()
}

/// The name with this many of its folders before it.
fn behind(path: &Path, folders: usize, name: &str) -> String {
    let mut parts = vec![name.to_owned()];
    let above = path.ancestors().skip(1).filter_map(Path::file_name);
    parts.extend(
        above
            .take(folders)
            .map(|f| f.to_string_lossy().into_owned()),
    );
    parts.reverse();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<String> {
        short(&paths.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_as_short_as_they_can_be_and_differ() {
        assert_eq!(named(&["/var/web.log", "/var/db.log.gz"]), ["web", "db"]);
        assert_eq!(named(&["a/app.log", "b/app.log"]), ["a/app", "b/app"]);
        assert_eq!(
            named(&["x/a/app.log", "y/a/app.log", "one.log"]),
            ["x/a/app", "y/a/app", "one"]
        );
        assert_eq!(named(&["app.log", "app.jsonl"]), ["app.log", "app.jsonl"]);
        assert_eq!(named(&["app.log", "app.log.1"]), ["app", "app.log.1"]);
        assert_eq!(
            named(&["same.log", "same.log"]),
            ["same", "same"],
            "there is no telling"
        );
        assert_eq!(named(&[".log", "/dev/fd/5"]), [".log", "standard input"]);
    }
}
