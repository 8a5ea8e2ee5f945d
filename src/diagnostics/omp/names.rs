//! What the names of omp's files say.

use jiff::civil::Date;

use crate::prelude::*;

/// A log by its name.
#[derive(Debug)]
pub struct LogFile {
    pub path: PathBuf,
    /// The local day on which it was written.
    pub day: Date,
    /// The process that wrote it; omp before 17.0 had one log for all.
    pub pid: Option<u32>,
    /// 0, then 1, 2, … as it was rolled over: a higher number is newer.
    pub part: u32,
    /// Whether it is compressed.
    pub gzip: bool,
}

impl LogFile {
    /// Reads `omp.<day>.<pid>.log[.N]` and the older `omp.<day>.log[.N][.gz]`.
    pub fn parse(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let rest = name.strip_prefix("omp.")?;
        let (rest, gzip) = match rest.strip_suffix(".gz") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (day, rest) = rest.split_at_checked(10)?;
        let day: Date = day.parse().ok()?;
        let rest = rest.strip_prefix('.')?;
        let (head, part) = match rest.rsplit_once(".log") {
            Some((head, "")) => (head, 0),
            Some((head, part)) => (head, number(part.strip_prefix('.')?)?),
            None => (
                "",
                rest.strip_prefix("log")
                    .map(|part| part.strip_prefix('.').map_or(Some(0), number))??,
            ),
        };
        let pid = if head.is_empty() {
            None
        } else {
            Some(number(head)?)
        };
        Some(Self {
            path: path.to_path_buf(),
            day,
            pid,
            part,
            gzip,
        })
    }
}

fn number(text: &str) -> Option<u32> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// All logs of a folder: oldest day first, then by process, then in the order in which they were written.
pub fn logs_in(dir: &Path) -> io::Result<Vec<LogFile>> {
    let mut found: Vec<LogFile> = std::fs::read_dir(dir)?
        .flatten()
        .filter_map(|entry| LogFile::parse(&entry.path()))
        .collect();
    found.sort_by(|a, b| (a.day, a.pid, a.part, &a.path).cmp(&(b.day, b.pid, b.part, &b.path)));
    Ok(found)
}

/// The folder that holds a project's sessions.
pub fn bucket(cwd: &Path, home: &Path, tmp: &Path) -> String {
    let encoded = |path: &Path| {
        path.to_string_lossy()
            .trim_matches('/')
            .replace(['/', '\\', ':'], "-")
    };
    if let Ok(inside) = cwd.strip_prefix(home) {
        return format!("-{}", encoded(inside));
    }
    if let Ok(inside) = cwd.strip_prefix(tmp) {
        return format!("-tmp-{}", encoded(inside));
    }
    format!("--{}--", encoded(cwd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_names_of_both_schemes() {
        let read = |name: &str| {
            LogFile::parse(Path::new(name))
                .map(|log| (log.day.to_string(), log.pid, log.part, log.gzip))
        };
        let day = || "2026-08-21".to_owned();
        assert_eq!(
            read("omp.2026-08-21.4711.log"),
            Some((day(), Some(4711), 0, false))
        );
        assert_eq!(
            read("omp.2026-08-21.4711.log.12"),
            Some((day(), Some(4711), 12, false))
        );
        assert_eq!(read("omp.2026-08-21.log"), Some((day(), None, 0, false)));
        assert_eq!(
            read("omp.2026-08-21.log.2.gz"),
            Some((day(), None, 2, true))
        );
        assert_eq!(read("omp.2026-08-21.log.gz"), Some((day(), None, 0, true)));
        for other in [
            "omp.2026-13-21.1.log",
            "omp.2026-08-21.x.log",
            "omp.2026-08-21.1.log.x",
            "omp.2026-08-21.1.txt",
            "native-panic-1-2.log",
            "omp..log",
            "omp.2026-08-2é.log",
            ".omp.12-audit.json",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn buckets() {
        let (home, tmp) = (Path::new("/home/ada"), Path::new("/tmp"));
        let name = |cwd: &str| bucket(Path::new(cwd), home, tmp);
        assert_eq!(name("/home/ada"), "-");
        assert_eq!(name("/home/ada/work/app"), "-work-app");
        assert_eq!(name("/tmp/x"), "-tmp-x");
        assert_eq!(name("/srv/app"), "--srv-app--");
    }
}
