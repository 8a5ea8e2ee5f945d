//! What compilers say of sources: places, out of the text that they print for people.

use base::text::ansi;

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

/// rustc; Deno; tsc; and what C compilers, Go and most others write.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?m)^(?<kind>error|warning)(?:\[[\w:]+\])?: (?<text>.+)\n\s*--> (?<file>.+?):(?<line>\d+):(?<column>\d+)$",
        r"(?m)^(?:error: |TS\d+ \[ERROR\]: )(?<text>.+)\n(?:.*\n){0,8}?\s+at file://(?<file>[^:\n]+):(?<line>\d+):(?<column>\d+)$",
        r"(?m)^(?<file>[^\s:(][^:(\n]*)\((?<line>\d+),(?<column>\d+)\): (?<kind>error|warning) (?<text>.+)$",
        r"(?m)^(?:vet: )?(?<file>[^\s:][^:\n]*):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<kind>(?:fatal )?error|warning|note): )?(?<text>.+)$",
    ])
});

/// What a program says of sources that it could not read when it was to run them: esbuild, Ruby; Node, and mocha; jest; Python, and pytest.
static UNREAD: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?m)^(?<file>[^\s:][^:\n]*):(?<line>\d+):(?:(?<column>\d+):)? (?:ERROR: (?<text>.+)|(?<words>syntax error.+))$",
        r"(?m)^(?:# )? *(?:Exception during run: )?(?:file://)?(?<file>/[^:\n]+):(?<line>\d+)\n(?:.*\n){1,4}?(?:# )? *(?<text>SyntaxError: .+)$",
        r"(?m)^ *SyntaxError: (?<file>/[^:\n]+): (?<text>.+) \((?<line>\d+):\d+\)$",
        r#"(?m)^(?:E\s+)?\s*File "(?<file>[^"\n]+)", line (?<line>\d+)\n(?:.*\n){1,3}?(?:E\s+)?(?<text>(?:Syntax|Indentation|Tab)Error: .+)$"#,
    ])
});

fn compiled(forms: &[&str]) -> Vec<Regex> {
    let forms = forms.iter();
    forms.filter_map(|form| Regex::new(form).ok()).collect()
}

/// What a compiler's text says of sources that are there; paths in it begin at `cwd` or at a folder above it.
pub fn of(text: &str, cwd: &Path) -> Vec<Problem> {
    by(&FORMS, text, cwd)
}

/// The same of a program's text: which sources it could not read.
pub fn unread(text: &str, cwd: &Path) -> Vec<Problem> {
    by(&UNREAD, text, cwd)
}

fn by(forms: &[Regex], text: &str, cwd: &Path) -> Vec<Problem> {
    // Some write in colours to whoever listens.
    let line = |line| ansi::parse(line, ansi::Style::default(), 1).plain();
    let plain = ansi::may_style(text).then(|| text.split('\n').map(line).collect::<Vec<_>>());
    let plain = plain.map(|lines| lines.join("\n"));
    let text = plain.as_deref().unwrap_or(text);
    let mut found: Vec<(usize, Problem)> = Vec::new();
    for all in forms
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
                text: group("text")
                    .or_else(|| group("words"))
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            },
        ));
    }
    found.sort_by_key(|(at, _)| *at);
    let mut all: Vec<Problem> = Vec::new();
    for (_, problem) in found {
        if !all.contains(&problem) {
            all.push(problem);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_what_compilers_print() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["src/lib.rs", "a.c", "shop.go", "a.ts"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let text = "error[E0425]: cannot find value `x`\n  --> src/lib.rs:3:5\n   |\nwarning: unused\n --> src/lib.rs:1:1\n\
            a.c:7:2: error: no semicolon\na.c:7:2: note: here\n./shop.go:4:9: undefined: y\na.ts(2,1): error TS1: bad\n\
            missing.c:1:1: error: not here\n10:20:30: nothing\n\x1b[31merror\x1b[0m: SyntaxError: Expression expected\n  |\n    at file://{}/a.ts:3:11\n";
        let text = text.replace("{}", folder.path().to_str().unwrap());
        let plain = |all: Vec<Problem>| -> Vec<_> {
            let plain = |one: Problem| {
                let file = one.file.strip_prefix(folder.path()).unwrap();
                let file = file.display().to_string();
                (file, one.line, one.is_error, one.text)
            };
            all.into_iter().map(plain).collect()
        };
        let told = plain(of(&text, &folder.path().join("src")));
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
                one("a.ts", 3, true, "SyntaxError: Expression expected"),
            ]
        );
        // What a program prints of a place is nothing of a compiler's, unless it could not read it.
        let text = "a.ts:9:2: not as wanted\na.ts:4:7: ERROR: Unexpected \"x\"\na.c:3: syntax error, unexpected end\n\
            # {}/a.ts:5\n#   return return\n#\n# SyntaxError: Unexpected token\n\
             Exception during run: {}/src/lib.rs:4\n  x = ;\n      ^\n\nSyntaxError: Unexpected token ';'\n    \
            SyntaxError: {}/a.ts: Unexpected token (7:8)\n\n\
            E     File \"a.c\", line 6\nE       foo(\nE          ^\nE   SyntaxError: never closed\n";
        let text = text.replace("{}", folder.path().to_str().unwrap());
        assert_eq!(
            plain(unread(&text, folder.path())),
            [
                one("a.ts", 4, true, "Unexpected \"x\""),
                one("a.c", 3, true, "syntax error, unexpected end"),
                one("a.ts", 5, true, "SyntaxError: Unexpected token"),
                one("src/lib.rs", 4, true, "SyntaxError: Unexpected token ';'"),
                one("a.ts", 7, true, "Unexpected token"),
                one("a.c", 6, true, "SyntaxError: never closed"),
            ]
        );
    }
}
