//! `run --config session.json`: a whole run in a file.
//!
//! Relative paths in it begin at the file's own folder, so that it means the same from everywhere. It names a program to start,
//! so its content must have been trusted by a person ([`debugger::adapters::trust`]).

use base::text::nearest::nearest;
use debugger::{
    ErrorKind, LaunchSpec,
    adapters::trust::{self, CommandLine, Untrusted},
    configurations,
    record::Record,
    spec,
};
use serde::Deserialize;

use crate::prelude::*;

/// What the file asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFile {
    /// The program, when it names one, its adapter and surroundings; of a configuration all that it starts.
    pub starts: Vec<Command>,
    pub breakpoints: Vec<Command>,
    /// Types and filters of exceptions.
    pub exceptions: Vec<String>,
    /// Expressions.
    pub evals: Vec<String>,
    /// Sizes, times and numbers.
    pub options: FileOptions,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct File {
    adapter: Option<String>,
    program: Option<PathBuf>,
    args: Vec<String>,
    cwd: Option<PathBuf>,
    env: BTreeMap<String, Option<String>>,
    breakpoints: Vec<FileBreakpoint>,
    exception_breakpoints: Vec<FileException>,
    evaluations: Vec<String>,
    options: FileOptions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FileBreakpoint {
    file: PathBuf,
    line: i64,
    condition: Option<String>,
    hit_count: Option<Value>,
    log_message: Option<String>,
    record: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FileException {
    #[serde(rename = "type")]
    type_name: String,
    caught: Option<bool>,
}

/// `options`, as they stand there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FileOptions {
    /// When to end, in milliseconds; 0 = never.
    pub timeout: Option<u64>,
    /// Levels of values that are told.
    pub max_variable_depth: Option<u32>,
    /// Elements of them.
    pub max_collection_items: Option<u32>,
    /// Whether what the program prints is told.
    pub capture_output: Option<bool>,
    /// Steps after each stop.
    pub steps: Option<u32>,
}

/// Reads a session file. `trust`: the person says that this content may start what it names.
pub fn read(path: &Path, context: &Context, trust: bool) -> Result<SessionFile> {
    let wrong = |why: String| DebuggerError::new(ErrorKind::Usage, why);
    let named = path.to_string_lossy();
    let seen = trust::look(context, path).map_err(|error| {
        wrong(format!(
            "the session file {named:?} cannot be read: {error}"
        ))
    })?;
    let file: File = serde_json::from_str(&seen.text)
        .map_err(|error| wrong(explain(path, &seen.text, &error)))?;
    let folder = std::path::absolute(path)
        .ok()
        .and_then(|p| p.parent().map(Path::to_owned))
        .unwrap_or_else(|| context.cwd.clone());
    let session = file.session(&folder);
    let session = session.map_err(|what| wrong(format!("{}: {what}", path.display())))?;
    if let Some(Command::Launch(launch)) = session.starts.first().filter(|_| !seen.trusted) {
        let program = launch.program.to_string_lossy().into_owned();
        let variables = launch.env.iter().cloned();
        let shown = Untrusted {
            path: seen.path,
            sha256: seen.sha256,
            commands: vec![CommandLine {
                name: launch.adapter.clone().unwrap_or_else(|| "auto".to_owned()),
                argv: [vec![program], launch.args.clone()].concat(),
                env: variables
                    .map(|(name, value)| (name, value.unwrap_or_default()))
                    .collect(),
            }],
        };
        if !trust {
            return Err(configurations::denied(&[shown]));
        }
        trust::grant(context, &shown).map_err(wrong)?;
    }
    Ok(session)
}

impl File {
    fn session(self, folder: &Path) -> Result<SessionFile, String> {
        let mut breakpoints = Vec::new();
        for b in self.breakpoints {
            if b.line < 1 {
                return Err(format!(
                    "line {} of the breakpoint in \"{}\" is not a line number: lines count from 1",
                    b.line,
                    b.file.display()
                ));
            }
            // The same grammar as on the command line says what a hit count is.
            let hits = b.hit_count.map(|count| match count {
                Value::String(text) => text,
                number => number.to_string(),
            });
            if let Some(hits) = &hits {
                spec::breakpoint(&format!("x:1#{hits}"), folder).map_err(|_bad| {
                    format!(
                        "hitCount {hits:?} of the breakpoint at line {} of \"{}\" is not a hit count: write a number from 1, or a comparison such as \">= 3\"",
                        b.line,
                        b.file.display()
                    )
                })?;
            }
            breakpoints.push(Command::SetBreakpoint(BreakpointSpec {
                condition: b.condition,
                hit_condition: hits,
                log_message: b.log_message,
                record: b.record.as_deref().and_then(Record::written),
                ..BreakpointSpec::line(folder.join(b.file), b.line)
            }));
        }
        let launch = self.program.map(|program| LaunchSpec {
            program: folder.join(program),
            args: self.args,
            cwd: Some(
                self.cwd
                    .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd)),
            ),
            env: self.env.into_iter().collect(),
            adapter: self.adapter,
            ..LaunchSpec::default()
        });
        Ok(SessionFile {
            starts: launch
                .map(Box::new)
                .map(Command::Launch)
                .into_iter()
                .collect(),
            breakpoints,
            exceptions: self
                .exception_breakpoints
                .into_iter()
                .map(|e| match e.caught {
                    Some(false) => format!("{}:uncaught", e.type_name),
                    _ => e.type_name,
                })
                .collect(),
            evals: self.evaluations,
            options: self.options,
        })
    }
}

/// serde's words, with the place and what was probably meant.
fn explain(path: &Path, text: &str, error: &serde_json::Error) -> String {
    let place = format!("{}:{}", path.display(), error.line());
    let said = error.to_string();
    let what = said
        .rsplit_once(" at line ")
        .map_or(said.as_str(), |(what, _)| what);
    let mut quoted = what.split('`').skip(1).step_by(2);
    if what.starts_with("unknown field")
        && let Some(key) = quoted.next()
    {
        let known: Vec<&str> = quoted.collect();
        let near = nearest(key, known.iter().copied(), 1);
        let hint = near.first().map_or_else(
            || format!("; there are {}", known.join(", ")),
            |near| format!("; did you mean {near:?}?"),
        );
        return format!("{place}: there is no key {key:?}{hint}");
    }
    let line = text
        .lines()
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let quoted: String = sanitise(line.trim()).chars().take(120).collect();
    format!("{place}:{}: {what}\n  {quoted}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::BreakpointSite;

    fn context(folder: &Path) -> Context {
        let state = folder.join("state").to_string_lossy().into_owned();
        Context::new(
            folder.to_owned(),
            BTreeMap::from([("XDG_STATE_HOME".to_owned(), state)]),
        )
    }

    fn parse(text: &str) -> Result<SessionFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("conf/session.json");
        std::fs::create_dir(folder.path().join("conf")).unwrap();
        std::fs::write(&file, text).unwrap();
        read(&file, &context(folder.path()), true)
            .map_err(|e| e.what.replace(&folder.path().display().to_string(), ""))
    }

    #[test]
    fn every_key_is_understood_and_paths_begin_at_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.json");
        std::fs::write(
            &file,
            r#"{"adapter": "debugpy", "program": "app/main.py", "args": ["-v"], "cwd": "app", "env": {"A": "b=c"},
                "breakpoints": [{"file": "app/main.py", "line": 3, "condition": "x > 1", "hitCount": 3}],
                "exceptionBreakpoints": [{"type": "KeyError", "caught": false}, {"type": "ValueError"}],
                "evaluations": ["x"],
                "options": {"timeout": 5000, "maxVariableDepth": 3, "maxCollectionItems": 7, "captureOutput": false, "steps": 2}}"#,
        )
        .unwrap();
        let session = read(&file, &context(folder.path()), true).unwrap();
        let [Command::Launch(launch)] = &*session.starts else {
            panic!("{:?}", session.starts);
        };
        assert_eq!(launch.program, folder.path().join("app/main.py"));
        assert_eq!(launch.cwd, Some(folder.path().join("app")));
        assert_eq!(launch.args, ["-v"]);
        assert_eq!(launch.env, [("A".to_owned(), Some("b=c".to_owned()))]);
        assert_eq!(launch.adapter.as_deref(), Some("debugpy"));
        let Command::SetBreakpoint(spec) = &session.breakpoints[0] else {
            panic!()
        };
        assert_eq!(
            spec.site,
            BreakpointSite::Source {
                path: folder.path().join("app/main.py"),
                line: 3,
                column: None
            }
        );
        assert_eq!(
            (spec.condition.as_deref(), spec.hit_condition.as_deref()),
            (Some("x > 1"), Some("3"))
        );
        assert_eq!(session.exceptions, ["KeyError:uncaught", "ValueError"]);
        assert_eq!(session.evals, ["x"]);
        assert_eq!(
            session.options,
            FileOptions {
                timeout: Some(5000),
                max_variable_depth: Some(3),
                max_collection_items: Some(7),
                capture_output: Some(false),
                steps: Some(2),
            }
        );
    }

    #[test]
    fn a_wrong_key_is_named_with_its_line_and_the_nearest_right_one() {
        let error = parse("{\n  \"program\": \"a.py\",\n  \"breakpiont\": []\n}").unwrap_err();
        assert_eq!(
            error,
            "/conf/session.json:3: there is no key \"breakpiont\"; did you mean \"breakpoints\"?"
        );
        let error = parse("{\"options\": {\"zzzzzz\": 1}}").unwrap_err();
        assert!(
            error.contains("\"zzzzzz\"; there are timeout, maxVariableDepth"),
            "{error}"
        );
    }

    #[test]
    fn broken_json_quotes_the_place() {
        let error = parse("{\n  \"program\" \"a.py\"\n}").unwrap_err();
        assert_eq!(
            error,
            "/conf/session.json:2:13: expected `:`\n  \"program\" \"a.py\""
        );
        let error = parse("{\"program\": 7}").unwrap_err();
        assert!(error.contains("invalid type: integer `7`"), "{error}");
        let error =
            parse("{\"breakpoints\": [{\"file\": \"a.py\", \"line\": 3, \"hitCount\": 0}]}")
                .unwrap_err();
        assert!(
            error.contains("hitCount \"0\" of the breakpoint at line 3 of \"a.py\""),
            "{error}"
        );
    }

    #[test]
    fn a_program_is_started_only_by_a_content_that_was_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.json");
        std::fs::write(
            &file,
            r#"{"program": "a.py", "args": ["x y"], "env": {"K": "v"}}"#,
        )
        .unwrap();
        let context = context(folder.path());
        let error = read(&file, &context, false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
        let said = error.what;
        assert!(
            said.contains("a.py \"x y\"") && said.contains("K=v") && said.contains("--trust"),
            "{said}"
        );
        assert!(read(&file, &context, true).is_ok());
        assert!(
            read(&file, &context, false).is_ok(),
            "the same content again"
        );
        std::fs::write(&file, r#"{"program": "b.py"}"#).unwrap();
        let error = read(&file, &context, false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
        std::fs::write(&file, r#"{"evaluations": ["x"]}"#).unwrap();
        assert!(read(&file, &context, false).is_ok(), "nothing is started");
        assert!(
            read(&folder.path().join("none.json"), &context, false)
                .unwrap_err()
                .to_string()
                .contains("none.json")
        );
    }
}
