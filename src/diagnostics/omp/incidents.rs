//! What omp leaves beside its logs when something went badly wrong: native crashes, and requests that a provider refused.

use base::files::open_regular;

use crate::prelude::*;

/// The folder of refused requests, in that of the logs.
const REFUSED: &str = "http-400-requests";
/// The newest ones that are listed.
const MOST: usize = 1000;
/// What is read of one.
const READ: u64 = 4 * 1024 * 1024;

base::kinds! {
    /// What happened.
    pub enum IncidentKind {
        /// Native code gave up.
        Panic = "native panic",
        /// There was no memory.
        Allocation = "out of memory",
        /// HTTP 400 or 413.
        Refused = "refused request",
    }
    /// For people.
    pub fn name(self) -> &'static str;
}

/// One of these files, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub path: PathBuf,
    /// What happened.
    pub kind: IncidentKind,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// The process that crashed.
    pub pid: Option<u32>,
}

impl Incident {
    /// Reads `native-panic-<pid>-<ms>.log`, `native-alloc-<pid>-<ms>.log` and `<ms>-<hash>.json`.
    fn parse(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let natives = [
            ("native-panic-", IncidentKind::Panic),
            ("native-alloc-", IncidentKind::Allocation),
        ];
        let native = natives.into_iter().find_map(|(prefix, kind)| {
            let rest = name.strip_prefix(prefix)?.strip_suffix(".log")?;
            let (pid, time) = rest.split_once('-')?;
            Some((kind, Some(pid.parse().ok()?), time.parse().ok()?))
        });
        let refused = || {
            let (time, _) = name.strip_suffix(".json")?.split_once('-')?;
            Some((IncidentKind::Refused, None, time.parse().ok()?))
        };
        let (kind, pid, time) = native.or_else(refused)?;
        Some(Self {
            path: path.to_path_buf(),
            kind,
            time,
            pid,
        })
    }

    /// All in the folder of omp's logs, the newest first, up to a thousand. A folder that is not there has none.
    pub fn all(logs: &Path) -> Vec<Self> {
        let mut found: Vec<Self> = [logs.to_path_buf(), logs.join(REFUSED)]
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flat_map(Iterator::flatten)
            .filter_map(|entry| Self::parse(&entry.path()))
            .collect();
        found.sort_by(|a, b| (b.time, &b.path).cmp(&(a.time, &a.path)));
        found.truncate(MOST);
        found
    }

    /// The refused request that a text of a log names; only its file name is taken from there.
    pub fn named_in(text: &str, logs: &Path) -> Option<Self> {
        let (_, path) = text.split_once("raw-http-request=")?;
        let is_of_path = |c: char| c.is_ascii_alphanumeric() || "/._-~: ".contains(c);
        let path = path.split(|c| !is_of_path(c)).next()?;
        let (before, _) = path.split_once(".json")?;
        let name = before.rsplit('/').next()?;
        Self::parse(&logs.join(REFUSED).join(format!("{name}.json")))
    }

    /// What is in the file, for people: JSON is laid out, secrets are replaced. Up to 4 MiB are read; the error is a sentence.
    pub fn read(&self) -> Result<String, String> {
        let failed = |error| format!("cannot read {:?}: {error}", self.path.to_string_lossy());
        let (file, _) = open_regular(&self.path).map_err(failed)?;
        let mut bytes = read_at_most(file, READ + 1).map_err(failed)?;
        let is_cut = bytes.len() as u64 > READ;
        bytes.truncate(READ as usize);
        let redactor = Redactor::new();
        let text = String::from_utf8_lossy(&bytes);
        let mut text = match serde_json::from_str::<Value>(&text) {
            Ok(mut value) => {
                redactor.redact_json(&mut value);
                serde_json::to_string_pretty(&value).unwrap_or_default()
            }
            Err(_) => redactor.redact(&text).into_owned(),
        };
        if is_cut {
            text.push_str("\n… this is the beginning");
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_known_by_their_names_and_read_without_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let logs = dir.path();
        std::fs::create_dir(logs.join(REFUSED)).unwrap();
        std::fs::write(
            logs.join("native-panic-41-1787300000000.log"),
            "pid: 41\nboom\n",
        )
        .unwrap();
        std::fs::write(logs.join("native-alloc-42-1787300000002.log"), "size 1\n").unwrap();
        std::fs::write(
            logs.join(REFUSED).join("1787300000001-1x2y.json"),
            r#"{"provider":"p","headers":{"authorization":"Bearer abcdefghijklmnop"},"body":{"n":1}}"#,
        )
        .unwrap();
        std::fs::write(logs.join("omp.2026-08-21.41.log"), "{}\n").unwrap();
        let found = Incident::all(logs);
        let kinds: Vec<_> = found.iter().map(|i| (i.kind, i.pid)).collect();
        assert_eq!(
            kinds,
            [
                (IncidentKind::Allocation, Some(42)),
                (IncidentKind::Refused, None),
                (IncidentKind::Panic, Some(41))
            ]
        );
        let text = found[1].read().unwrap();
        assert!(
            text.contains("\"provider\": \"p\"") && !text.contains("abcdefghij"),
            "{text}"
        );
        assert_eq!(found[2].read().unwrap(), "pid: 41\nboom\n");
        let line = r#"{"errorMessage":"400 bad\nraw-http-request=/home/x/.omp/logs/http-400-requests/1787300000001-1x2y.json"}"#;
        assert_eq!(Incident::named_in(line, logs), Some(found[1].clone()));
        for line in [
            "",
            "raw-http-request=/etc/passwd",
            "raw-http-request=../../x.json",
        ] {
            assert_eq!(Incident::named_in(line, logs), None, "{line}");
        }
        assert!(Incident::all(&logs.join("none")).is_empty());
    }
}
