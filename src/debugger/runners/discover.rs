//! What can be run and tested in a project, and the test at a place: read out of its files, without running anything of it.

use super::{exec::is_own, node};
use crate::{
    adapters::trust::{self, CommandLine, Untrusted},
    configurations,
    prelude::*,
    workspace::list_files,
};

/// Files that are looked at, and bytes of each.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 1 << 20;

/// Something that can be run or tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runnable {
    /// As one would type it; empty for a configuration of launch.json.
    pub command: Vec<String>,
    /// The configuration's name.
    pub configuration: Option<String>,
    /// What its file has it run, where its words do not say that.
    pub runs: Vec<CommandLine>,
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

/// The ends of files' names, and how a test begins: `name` is its name.
const FORMS: &[(Form, &[&str], &str)] = &[
    (
        Form::Rust,
        &[".rs"],
        r"(?m)^[ \t]*#\[(?:\w+::)*test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub )?(?:async )?fn (?<name>\w+)",
    ),
    (
        Form::Python,
        &["_test.py"],
        r"(?m)^[ \t]*(?:async )?def (?<name>test\w*)\(",
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
        r#"(?m)^\s*(?:test|it)(?:\.\w+)*(?:\.each(?:\((?:[^()]|\([^()]*\))*\)|`[^`]*`))?\(\s*['"`](?<name>.+?)['"`]"#,
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

/// All of a project, in the order of its files. Tests are run as in `typed`, where that command runs such tests.
pub fn list(context: &Context, typed: &[String]) -> Vec<Runnable> {
    let root = &context.cwd;
    let files = list_files(root, MOST_FILES).unwrap_or_default();
    let mut all = Vec::new();
    for file in files.into_iter().map(|file| file.path) {
        let Some(text) = read(&file) else { continue };
        all.extend(entries(&file, &text, root));
        all.extend(tests(&file, &text, context, typed));
    }
    all.append(&mut whole_runs(&all, root));
    let configured = configurations::list(context).unwrap_or_default();
    all.extend(configured.into_iter().map(|one| Runnable {
        configuration: Some(one.name),
        file: one.file,
        line: one.line,
        ..Runnable::default()
    }));
    // Whole projects before their parts.
    all.sort_by_key(|one| (one.line != 1, one.file.components().count()));
    all
}

/// Commands of tests that are named by their place in a file, without the place: each runs all of them.
fn whole_runs(tests: &[Runnable], root: &Path) -> Vec<Runnable> {
    let mut whole: Vec<Runnable> = Vec::new();
    for one in tests {
        let place = format!("{}:", relative(&one.file, root));
        if let Some((last, command)) = one.command.split_last()
            && last.starts_with(&place)
            && whole.iter().all(|known| known.command != command)
        {
            whole.push(Runnable {
                command: command.to_vec(),
                file: one.file.clone(),
                line: 1,
                ..Runnable::default()
            });
        }
    }
    whole
}

/// The test of a stack, outermost first: the first place in the project's own code that lies inside of one. Where there is none, the
/// one at the last place; `typed` as above.
pub fn test_of(places: &[(PathBuf, i64)], context: &Context, typed: &[String]) -> Option<Runnable> {
    let at = |(file, line): &(PathBuf, i64)| {
        let line = usize::try_from(*line).ok()?;
        let text = read(file)?;
        Some((test_in(file, &text, line, context, typed)?, text, line))
    };
    let (last, called) = places.split_last()?;
    let mut called = called.iter().filter(|(file, _)| is_own(file, &context.cwd));
    let is_inside = |(test, text, line): &(Runnable, String, usize)| encloses(test, text, *line);
    let outer = called.find_map(|place| at(place).filter(is_inside));
    outer.or_else(|| at(last)).map(|(test, ..)| test)
}

/// Whether a line lies inside of a test: none between its head and there is indented as little as that, save for brackets.
fn encloses(test: &Runnable, contents: &str, line: usize) -> bool {
    let mut rows = contents
        .lines()
        .take(line)
        .skip(test.line.saturating_sub(1));
    let head = rows.next().map_or(0, indent);
    rows.all(|row| {
        let code = row.trim_start();
        code.is_empty() || code.starts_with([')', ']', '}', '{']) || indent(row) > head
    })
}

/// The test that a line lies in; `typed` as above.
fn test_in(
    file: &Path,
    text: &str,
    line: usize,
    context: &Context,
    typed: &[String],
) -> Option<Runnable> {
    let mut before = tests(file, text, context, typed)
        .into_iter()
        .filter(|test| test.line <= line);
    before.next_back()
}

/// A file's text, if it is of a size that people write.
pub(super) fn read(file: &Path) -> Option<String> {
    let size = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    (size <= MOST_BYTES)
        .then(|| fs::read_to_string(file).ok())
        .flatten()
}

/// What a file stands for as a whole.
fn entries(file: &Path, text: &str, root: &Path) -> Vec<Runnable> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or(root);
    let is_top = folder == root;
    let plain = |text: &str| vec![(text.to_owned(), Vec::new())];
    let all: Vec<(String, Vec<CommandLine>)> = match &*name {
        "Cargo.toml" if is_top => {
            let is_run = ["src/main.rs", "src/bin"].map(|path| root.join(path).exists());
            let says_so = ["[[bin]]", "[workspace]"].map(|head| text.contains(head));
            let mut all = plain("cargo test");
            if is_run.contains(&true) || says_so.contains(&true) {
                all.extend(plain("cargo run"));
            }
            all
        }
        "go.mod" if is_top => plain("go test ./..."),
        "main.go" if text.contains("func main()") => {
            plain(&format!("go run {}", beside(folder, root)))
        }
        "__main__.py" => plain(&format!(
            "python3 -m {}",
            relative(folder, root).replace('/', ".")
        )),
        "package.json" if is_top => node::runs(text),
        "CTestTestfile.cmake" => {
            let tests = text
                .lines()
                .filter_map(|line| line.strip_prefix("add_test(")?.split_once(' '));
            let runnable = |(name, rest): (&str, &str)| {
                let name = name.trim_matches(['[', ']', '=', '"']);
                let folder = relative(folder, root);
                let built = CommandLine::new("cmake", ["cmake", "--build", &folder]);
                let argv = words::split(rest.trim_end_matches(')')).unwrap_or_default();
                let run = CommandLine::new(name, argv);
                let words = format!("ctest --test-dir {folder} -R ^{name}$");
                (words, vec![built, run])
            };
            tests.map(runnable).collect()
        }
        _ => Vec::new(),
    };
    let all = all
        .into_iter()
        .filter_map(|(text, runs)| Some((words::split(&text).ok()?, runs)));
    all.map(|(command, runs)| Runnable {
        command,
        runs,
        file: file.to_path_buf(),
        line: 1,
        ..Runnable::default()
    })
    .collect()
}

/// What a file would have a command of the list run, while nobody has trusted that: its content now counts, not as it was listed.
pub fn untrusted(context: &Context, one: &Runnable) -> Option<Untrusted> {
    let seen = trust::look(context, &one.file).ok();
    let seen = seen.filter(|seen| !one.runs.is_empty() && !seen.trusted)?;
    let mut now = entries(&one.file, &seen.text, &context.cwd).into_iter();
    Some(Untrusted {
        commands: now.find(|now| now.command == one.command)?.runs,
        path: seen.path,
        sha256: seen.sha256,
    })
}

fn tests(file: &Path, text: &str, context: &Context, typed: &[String]) -> Vec<Runnable> {
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
    let mut found = Vec::new();
    for test in pattern.captures_iter(text) {
        let Some(name) = test.name("name") else {
            continue;
        };
        let before = text.get(..name.start()).unwrap_or_default();
        let line = before.lines().count().max(1);
        let command = command(*form, file, name.as_str(), before, context, typed);
        found.extend(command.map(|command| Runnable {
            command,
            file: file.to_path_buf(),
            line,
            ..Runnable::default()
        }));
    }
    found
}

/// The command for a test of Python's, by the classes that it lies in by its place.
fn python(
    file: &Path,
    name: &str,
    before: &str,
    context: &Context,
    typed: &[String],
) -> Option<Vec<String>> {
    let mut lines = before.lines().rev();
    let mut deep = indent(lines.next()?);
    let (mut parts, mut is_case) = (vec![name], false);
    for line in lines {
        let code = line.trim_start();
        let is_head = code.starts_with(|c: char| c.is_alphabetic());
        if !is_head || indent(line) >= deep {
            continue;
        }
        deep = indent(line);
        if code.starts_with("def ") || code.starts_with("async def ") {
            return None;
        }
        if let Some(class) = code.strip_prefix("class ") {
            let (class, bases) =
                class.split_at(class.find(['(', ':', ' ', '[']).unwrap_or(class.len()));
            is_case |= bases.contains("TestCase");
            parts.insert(0, class);
        }
    }
    let until = |runner: &str| {
        let is_it = |word: &String| Path::new(word).file_name().is_some_and(|it| it == runner);
        Some(typed.get(..=typed.iter().position(is_it)?)?.to_vec())
    };
    let (root, pytest, unittest) = (&context.cwd, until("pytest"), until("unittest"));
    let has_pytest = || pytest.is_some() || context.on_path("pytest").is_some();
    let is_unittest = parts.len() > 1 && unittest.is_some() || is_case && !has_pytest();
    if !is_unittest {
        let mut command = pytest.unwrap_or_else(|| vec!["pytest".to_owned()]);
        command.push(format!("{}::{}", relative(file, root), parts.join("::")));
        return Some(command);
    }
    let words = ["python3", "-m", "unittest"].map(str::to_owned);
    let mut command = unittest.unwrap_or_else(|| words.to_vec());
    let folder = file.parent()?;
    let is_top = |folder: &&Path| !folder.join("__init__.py").is_file();
    let top = folder.ancestors().find(is_top).unwrap_or(folder);
    let pattern = file.file_name()?.lossy();
    let which = format!("*.{}", parts.join("."));
    command.extend(
        [
            "discover",
            "-s",
            &beside(folder, root),
            "-t",
            &beside(top, root),
            "-p",
            &pattern,
            "-k",
            &which,
        ]
        .map(str::to_owned),
    );
    Some(command)
}

/// The command that runs one test, before which a text stands. One that is inside a function is none.
fn command(
    form: Form,
    file: &Path,
    name: &str,
    before: &str,
    context: &Context,
    typed: &[String],
) -> Option<Vec<String>> {
    let (root, line) = (context.cwd.as_path(), before.lines().count().max(1));
    let (at, folder) = (relative(file, root), file.parent().unwrap_or(root));
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Some(match form {
        Form::Python => return python(file, name, before, context, typed),
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
        Form::Go => words(&[
            "go",
            "test",
            &beside(folder, root),
            "-run",
            &format!("^{name}$"),
        ]),
        Form::Node => {
            let bin = |folder: &Path, name: &str| folder.join("node_modules/.bin").join(name);
            let has = |name: &&str| folder.ancestors().any(|folder| bin(folder, name).exists());
            let pattern = node::named(name);
            let runner = ["vitest", "jest", "mocha"].into_iter().find(has);
            match runner.filter(|_| !before.contains("node:test")) {
                // By itself it goes on watching the files.
                Some("vitest") => words(&["npx", "vitest", "run", &at, "-t", &pattern]),
                Some("mocha") => words(&["npx", "mocha", &at, "-g", &pattern]),
                Some(jest) => words(&["npx", jest, &at, "-t", &pattern]),
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
    })
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).lossy()
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

    fn test_at(file: &Path, line: usize, context: &Context, typed: &[String]) -> Option<Runnable> {
        test_in(file, &read(file)?, line, context, typed)
    }

    #[test]
    fn the_test_at_a_line_has_its_command() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let context = Context::new(root.to_path_buf(), BTreeMap::default());
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
                "unit/test_c.py",
                "class TestX:\n    pass\n\nclass Shop(unittest.TestCase):\n    A = [\n]\n    def test_in(self):\n        def test_no():\n            pass\n",
                9,
                "python3 -m unittest discover -s ./unit -t ./unit -p test_c.py -k *.Shop.test_in",
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
                "b.test.js",
                "it.each([\n  [1, f(2)],\n])('adds %d', () => {\n});\n",
                4,
                "node --test --test-name-pattern=adds .* b.test.js",
            ),
            (
                "a_spec.rb",
                "describe 'x' do\n  it 'adds' do\n  end\nend\n",
                3,
                "rspec a_spec.rb:2",
            ),
        ] {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let found = test_at(&file, line, &context, &[]).map(|one| one.command.join(" "));
            assert_eq!(found.as_deref(), Some(command));
        }
        assert_eq!(test_at(&root.join("src/a.rs"), 1, &context, &[]), None);
        fs::create_dir_all(root.join("m/node_modules/.bin")).unwrap();
        for (runner, head, command) in [
            ("mocha", "\n", "npx mocha m/a.test.js -g adds"),
            ("vitest", "\n", "npx vitest run m/a.test.js -t adds"),
            (
                "mocha",
                "const { it } = require('node:test');\n",
                "node --test --test-name-pattern=adds m/a.test.js",
            ),
        ] {
            fs::write(root.join("m/node_modules/.bin").join(runner), "").unwrap();
            let file = root.join("m/a.test.js");
            fs::write(&file, format!("{head}it('adds', () => {{\n}});\n")).unwrap();
            let found = test_at(&file, 2, &context, &[]).unwrap();
            assert_eq!(found.command.join(" "), command);
        }
        // Of a stack: what calls the tests lies in none of them.
        let stack = |lines: &[i64]| {
            let places = lines
                .iter()
                .map(|line| (root.join("main/test_d.py"), *line));
            let found = test_of(&places.collect::<Vec<_>>(), &context, &[]);
            found.map(|one| one.command.join(" ")).unwrap_or_default()
        };
        fs::create_dir_all(root.join("main")).unwrap();
        let text = "def test_a(\n    x=1,\n):\n    same(x)\n\ndef same(x):\n    assert x\n\ndef test_b():\n    pass\n\ntest_a()\n";
        fs::write(root.join("main/test_d.py"), text).unwrap();
        assert_eq!(stack(&[12, 4, 7, 7]), "pytest main/test_d.py::test_a");
        assert_eq!(stack(&[12, 12]), "pytest main/test_d.py::test_b");
        let typed = |text, name| {
            let typed = words::split(text).unwrap();
            let found = test_at(&root.join(name), 7, &context, &typed);
            found.map(|one| one.title()).unwrap_or_default()
        };
        assert_eq!(
            typed("uv run python -m unittest -v", "unit/test_c.py"),
            "uv run python -m unittest discover -s ./unit -t ./unit -p test_c.py -k *.Shop.test_in"
        );
        assert_eq!(
            typed(".venv/bin/pytest -x", "unit/test_c.py"),
            ".venv/bin/pytest unit/test_c.py::Shop::test_in"
        );
        assert_eq!(
            typed("python -m unittest", "test_b.py"),
            "pytest test_b.py::test_out"
        );
        fs::write(
            root.join("package.json"),
            "{\"scripts\": {\"app\": \"node a.js\"}, \"devDependencies\": {\"vitest\": \"3\"}}",
        )
        .unwrap();
        fs::write(root.join("Cargo.toml"), "").unwrap();
        let all: Vec<_> = list(&context, &[]).iter().map(Runnable::title).collect();
        for wanted in [
            "cargo test",
            "npm run app",
            "npx vitest run",
            "pytest test_a.py::TestX::test_in",
        ] {
            assert!(all.iter().any(|one| one == wanted), "{wanted}: {all:?}");
        }
        for whole in ["pytest", "rspec"] {
            let rows = all.iter().filter(|one| *one == whole);
            assert_eq!(rows.count(), 1, "{whole}: {all:?}");
        }
        let is_run = || {
            let mut all = list(&context, &[]).into_iter();
            all.any(|one| one.title() == "cargo run")
        };
        assert!(!is_run(), "a library");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
        assert!(is_run());
    }
}
