//! What can be run and tested in a project, and the test at a place: read out of its files, without running anything of it.

use std::sync::LazyLock;

use base::text::words;
use regex::Regex;

use crate::{adapters::Context, configurations, prelude::*, workspace::list_files};

/// Files that are looked at, and bytes of each.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 1 << 20;

/// Something that can be run or tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// As one would type it; empty for a configuration of launch.json.
    pub command: Vec<String>,
    /// The configuration's name.
    pub configuration: Option<String>,
    /// Where it is written.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

impl Runnable {
    /// Its words.
    pub fn title(&self) -> String {
        match &self.configuration {
            Some(name) => format!("--config {}", words::join([name])),
            None => words::join(&self.command),
        }
    }
}

/// How tests are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Rust,
    Python,
    Go,
    Node,
    Ruby,
}

/// The ends of files' names, and how a test begins: `name` is its name, `class` that of what it lies in.
const FORMS: &[(Form, &[&str], &str)] = &[
    (
        Form::Rust,
        &[".rs"],
        r"(?m)^[ \t]*#\[(?:\w+::)*test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub )?(?:async )?fn (?<name>\w+)",
    ),
    (
        Form::Python,
        &["_test.py"],
        r"(?m)^(?:class (?<class>Test\w*)|(?<inner>[ \t]+)?(?:async )?def (?<name>test\w*)\()",
    ),
    (Form::Go, &["_test.go"], r"(?m)^func (?<name>Test\w*)\("),
    (
        Form::Node,
        &[
            ".test.js",
            ".spec.js",
            ".test.mjs",
            ".test.cjs",
            ".test.ts",
            ".spec.ts",
            ".test.tsx",
            ".spec.tsx",
            ".test.jsx",
        ],
        r#"(?m)^\s*(?:test|it)(?:\.\w+)*\(\s*['"`](?<name>.+?)['"`]"#,
    ),
    (
        Form::Ruby,
        &["_spec.rb"],
        r#"(?m)^\s*it ['"](?<name>.+?)['"]"#,
    ),
];

static PATTERNS: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    FORMS
        .iter()
        .map(|(_, _, pattern)| Regex::new(pattern).ok())
        .collect()
});

/// All of a project, in the order of its files.
pub fn list(context: &Context) -> Vec<Runnable> {
    let root = &context.cwd;
    let files = list_files(root, MOST_FILES).unwrap_or_default();
    let mut all = Vec::new();
    for file in files.into_iter().map(|file| file.path) {
        let Some(text) = read(&file) else { continue };
        all.extend(entries(&file, &text, root));
        all.extend(tests(&file, &text, root));
    }
    let configured = configurations::list(context).unwrap_or_default();
    all.extend(configured.into_iter().map(|one| Runnable {
        command: Vec::new(),
        configuration: Some(one.name),
        file: one.file,
        line: one.line,
    }));
    // Whole projects before their parts.
    all.sort_by_key(|one| (one.line != 1, one.file.components().count()));
    all
}

/// The test that a line lies in.
pub fn test_at(file: &Path, line: usize, root: &Path) -> Option<Runnable> {
    let text = read(file)?;
    let mut before = tests(file, &text, root)
        .into_iter()
        .filter(|test| test.line <= line);
    before.next_back()
}

fn read(file: &Path) -> Option<String> {
    let size = file
        .metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)?
        .len();
    (size <= MOST_BYTES)
        .then(|| std::fs::read_to_string(file).ok())
        .flatten()
}

/// What a file stands for as a whole.
fn entries(file: &Path, text: &str, root: &Path) -> Vec<Runnable> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(root);
    let is_top = folder == root;
    let words: Vec<String> = match &*name {
        "Cargo.toml" if is_top => vec!["cargo test".to_owned(), "cargo run".to_owned()],
        "go.mod" if is_top => vec!["go test ./...".to_owned()],
        "pyproject.toml" | "pytest.ini" | "conftest.py" if is_top => vec!["pytest".to_owned()],
        "main.go" if text.contains("func main()") => {
            vec![format!("go run {}", beside(folder, root))]
        }
        "__main__.py" => vec![format!(
            "python3 -m {}",
            relative(folder, root).replace('/', ".")
        )],
        "package.json" if is_top => {
            let package: Value = serde_json::from_str(text).unwrap_or_default();
            let scripts = package.get("scripts").and_then(Value::as_object);
            scripts
                .into_iter()
                .flatten()
                .map(|(name, _)| format!("npm run {name}"))
                .collect()
        }
        "CTestTestfile.cmake" => {
            let names = text
                .lines()
                .filter_map(|line| line.strip_prefix("add_test("));
            let names = names.filter_map(|rest| rest.split_whitespace().next());
            let names = names.map(|name| name.trim_matches(['[', ']', '=', '"']));
            names
                .map(|name| format!("ctest --test-dir {} -R ^{name}$", relative(folder, root)))
                .collect()
        }
        _ => Vec::new(),
    };
    let words = words
        .into_iter()
        .filter_map(|text| words::split(&text).ok());
    words
        .map(|command| Runnable {
            command,
            configuration: None,
            file: file.to_path_buf(),
            line: 1,
        })
        .collect()
}

fn tests(file: &Path, text: &str, root: &Path) -> Vec<Runnable> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_python = name.starts_with("test_") && name.ends_with("py");
    let form = FORMS
        .iter()
        .zip(PATTERNS.iter())
        .find(|((form, ends, _), _)| {
            ends.iter().any(|end| name.ends_with(end)) || *form == Form::Python && is_python
        });
    let Some(((form, ..), Some(pattern))) = form else {
        return Vec::new();
    };
    let (mut found, mut class) = (Vec::new(), None);
    for test in pattern.captures_iter(text) {
        if let Some(name) = test.name("class") {
            class = Some(name.as_str());
        }
        let Some(name) = test.name("name") else {
            continue;
        };
        let class = class.filter(|_| test.name("inner").is_some());
        let line = text
            .get(..name.start())
            .unwrap_or_default()
            .lines()
            .count()
            .max(1);
        found.push(Runnable {
            command: command(*form, file, name.as_str(), class, line, root),
            configuration: None,
            file: file.to_path_buf(),
            line,
        });
    }
    found
}

/// The command that runs one test.
fn command(
    form: Form,
    file: &Path,
    name: &str,
    class: Option<&str>,
    line: usize,
    root: &Path,
) -> Vec<String> {
    let (at, folder) = (relative(file, root), file.parent().unwrap_or(root));
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    match form {
        Form::Rust => {
            let manifest = folder
                .ancestors()
                .map(|folder| folder.join("Cargo.toml"))
                .find(|file| file.is_file());
            match manifest.filter(|file| file.parent() != Some(root)) {
                Some(manifest) => words(&[
                    "cargo",
                    "test",
                    "--manifest-path",
                    &relative(&manifest, root),
                    name,
                ]),
                None => words(&["cargo", "test", name]),
            }
        }
        Form::Python => {
            let class = class.map(|class| format!("{class}::")).unwrap_or_default();
            words(&["pytest", &format!("{at}::{class}{name}")])
        }
        Form::Go => words(&[
            "go",
            "test",
            &beside(folder, root),
            "-run",
            &format!("^{name}$"),
        ]),
        Form::Node => {
            let has = |name: &str| {
                folder
                    .ancestors()
                    .any(|folder| folder.join("node_modules/.bin").join(name).exists())
            };
            let pattern = regex::escape(name);
            match ["vitest", "jest"].into_iter().find(|name| has(name)) {
                Some(runner) => words(&["npx", runner, &at, "-t", &pattern]),
                None => words(&[
                    "node",
                    "--test",
                    &format!("--test-name-pattern={pattern}"),
                    &at,
                ]),
            }
        }
        Form::Ruby if root.join("Gemfile").is_file() => {
            words(&["bundle", "exec", "rspec", &format!("{at}:{line}")])
        }
        Form::Ruby => words(&["rspec", &format!("{at}:{line}")]),
    }
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// A folder as Go calls it.
fn beside(folder: &Path, root: &Path) -> String {
    match relative(folder, root).as_str() {
        "" => ".".to_owned(),
        folder => format!("./{folder}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_at_a_line_has_its_command() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, text, line, command) in [
            (
                "src/a.rs",
                "#[test]\n#[ignore]\nfn one() {\n}\n\n#[tokio::test]\nasync fn two() {\n  x\n}\n",
                8,
                "cargo test two",
            ),
            (
                "test_a.py",
                "class TestX:\n    def test_in(self):\n        pass\n\ndef test_out():\n    pass\n",
                2,
                "pytest test_a.py::TestX::test_in",
            ),
            (
                "test_b.py",
                "class TestX:\n    pass\n\ndef test_out():\n    pass\n",
                5,
                "pytest test_b.py::test_out",
            ),
            (
                "shop/a_test.go",
                "package a\n\nfunc TestA(t *testing.T) {\n}\n",
                4,
                "go test ./shop -run ^TestA$",
            ),
            (
                "a.test.js",
                "test('adds', () => {\n});\n",
                2,
                "node --test --test-name-pattern=adds a.test.js",
            ),
            (
                "a_spec.rb",
                "describe 'x' do\n  it 'adds' do\n  end\nend\n",
                3,
                "rspec a_spec.rb:2",
            ),
        ] {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            let found = test_at(&file, line, root).map(|one| one.command.join(" "));
            assert_eq!(found.as_deref(), Some(command));
        }
        assert_eq!(test_at(&root.join("src/a.rs"), 1, root), None);
        std::fs::write(
            root.join("package.json"),
            "{\"scripts\": {\"app\": \"node a.js\"}}",
        )
        .unwrap();
        std::fs::write(root.join("Cargo.toml"), "").unwrap();
        let context = Context::new(root.to_path_buf(), BTreeMap::default());
        let all: Vec<_> = list(&context).iter().map(Runnable::title).collect();
        for wanted in [
            "cargo test",
            "npm run app",
            "pytest test_a.py::TestX::test_in",
        ] {
            assert!(all.iter().any(|one| one == wanted), "{wanted}: {all:?}");
        }
    }
}
