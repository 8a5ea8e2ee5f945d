//! What compilers say of sources: places, out of the text that they print for people.

use std::{fmt, sync::LazyLock};

use regex::Regex;

use crate::prelude::*;

/// Something that a compiler has to say of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The source.
    pub file: PathBuf,
    /// From 1.
    pub line: i64,
    /// From 1.
    pub column: Option<i64>,
    /// It keeps the program from being built; else it is a warning.
    pub is_error: bool,
    /// The sentence.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// Problems that are kept.
const MOST: usize = 500;

/// rustc; tsc; and what C compilers, Go and most others write.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?m)^(?<kind>error|warning)(?:\[[\w:]+\])?: (?<text>.+)\n\s*--> (?<file>.+?):(?<line>\d+):(?<column>\d+)$",
        r"(?m)^(?<file>[^\s:(][^:(\n]*)\((?<line>\d+),(?<column>\d+)\): (?<kind>error|warning) (?<text>.+)$",
        r"(?m)^(?:vet: )?(?<file>[^\s:][^:\n]*):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<kind>(?:fatal )?error|warning|note): )?(?<text>.+)$",
    ];
    forms
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
});

/// What a text says of sources that are there; paths in it begin at `cwd` or at a folder above it.
pub fn of(text: &str, cwd: &Path) -> Vec<Problem> {
    let mut found: Vec<(usize, Problem)> = Vec::new();
    for all in FORMS
        .iter()
        .flat_map(|form| form.captures_iter(text))
        .take(MOST)
    {
        let group = |name| all.name(name).map(|group| group.as_str());
        let Some((at, file)) = all.get(0).map(|whole| whole.start()).zip(group("file")) else {
            continue;
        };
        let file = cwd
            .ancestors()
            .map(|folder| folder.join(file))
            .find(|file| file.is_file());
        let (Some(file), kind) = (file, group("kind")) else {
            continue;
        };
        if kind == Some("note") {
            continue;
        }
        found.push((
            at,
            Problem {
                file: std::path::absolute(&file).unwrap_or(file),
                line: group("line")
                    .and_then(|line| line.parse().ok())
                    .unwrap_or(1),
                column: group("column").and_then(|column| column.parse().ok()),
                is_error: kind != Some("warning"),
                text: group("text").unwrap_or_default().trim().to_owned(),
            },
        ));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, problem)| problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_what_compilers_print() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["src/lib.rs", "a.c", "shop.go", "a.ts"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let text = "error[E0425]: cannot find value `x`\n  --> src/lib.rs:3:5\n   |\nwarning: unused\n --> src/lib.rs:1:1\n\
            a.c:7:2: error: no semicolon\na.c:7:2: note: here\n./shop.go:4:9: undefined: y\na.ts(2,1): error TS1: bad\n\
            missing.c:1:1: error: not here\n10:20:30: nothing\n";
        let told: Vec<_> = of(text, &folder.path().join("src"))
            .into_iter()
            .map(|one| {
                let file = one
                    .file
                    .strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string();
                (file, one.line, one.is_error, one.text)
            })
            .collect();
        let one = |file: &str, line, is_error, text: &str| {
            (file.to_owned(), line, is_error, text.to_owned())
        };
        assert_eq!(
            told,
            [
                one("src/lib.rs", 3, true, "cannot find value `x`"),
                one("src/lib.rs", 1, false, "unused"),
                one("a.c", 7, true, "no semicolon"),
                one("shop.go", 4, true, "undefined: y"),
                one("a.ts", 2, true, "TS1: bad"),
            ]
        );
    }
}
