//! The breakpoint grammar, the one place where text becomes a breakpoint: command line, prompts and scripts share it.
//!
//! ```text
//! file:line               file:line?condition      file:line#N      file:line?condition#N      fn:name
//! file:line|text {expr}   a logpoint
//! file:line => a, b.c     recorded, and gone on: see [`Record`]; with refinements before the arrow
//! ```
//!
//! `N` is the hit to stop at: a number, or what adapters understand (`>= 3`, `% 2`). In `fn:name` the same refinements may
//! follow the name; `fn:` may be left out where the name cannot be a file's. Paths are taken as they are, `C:\x.py:3` included;
//! whether the file exists is checked by who uses them.

use super::{
    record::{Record, outside},
    workspace,
};
use crate::prelude::*;

const EMPTY: &str =
    "the breakpoint is empty: write file:line, file:line?condition, file:line#N or fn:name";

/// A breakpoint. Relative paths are put below `cwd`.
pub fn breakpoint(spec: &str, cwd: &Path) -> Result<BreakpointSpec, String> {
    if let Some(name) = spec.trim().strip_prefix("fn:") {
        return function(name, spec);
    }
    let found = place(spec, &['?', '#', '=']);
    if found.is_err() && is_function(spec) {
        return function(spec.trim(), spec);
    }
    let (path, line, refinements) = found?;
    let mut out = BreakpointSpec::line(absolute(path, cwd), line);
    refine(&mut out, refinements, spec)?;
    Ok(out)
}

/// A function by its name, and what may follow that.
fn function(name: &str, spec: &str) -> Result<BreakpointSpec, String> {
    let (name, refinements) = cut_function(name);
    let name = name.trim();
    if name.is_empty() {
        return Err(format!("{spec:?} names no function: write fn:name"));
    }
    let mut out = BreakpointSpec::at(BreakpointSite::Function {
        name: name.to_owned(),
    });
    refine(&mut out, refinements, spec)?;
    Ok(out)
}

/// Whether what names no line can only be a function: a path without its line is none.
fn is_function(text: &str) -> bool {
    let name = text.split(" =>").next().unwrap_or_default();
    let name = name.split(['?', '#']).next().unwrap_or_default().trim();
    let lone_colon = name.replace("::", "").contains(':');
    !name.is_empty() && !lone_colon && !name.contains(['/', '\\', ' ']) && {
        // `prog.py` alone has no line; `main.main` is a function of Go.
        !workspace::is_source(Path::new(name))
    }
}

/// A logpoint: `file:line|text {expr}`. Relative paths are put below `cwd`.
pub fn logpoint(spec: &str, cwd: &Path) -> Result<BreakpointSpec, String> {
    let (path, line, rest) = place(spec, &['|'])?;
    let message = rest.strip_prefix('|').unwrap_or_default();
    if message.trim().is_empty() {
        return Err(format!(
            "{spec:?} has no text to print: write file:line|text with {{expressions}}"
        ));
    }
    let mut out = BreakpointSpec::line(absolute(path, cwd), line);
    out.log_message = Some(message.to_owned());
    Ok(out)
}

/// `file:line` before the first `:digits` that is followed by one of `marks` or by nothing; what follows comes back too.
fn place<'t>(spec: &'t str, marks: &[char]) -> Result<(&'t str, i64, &'t str), String> {
    let text = spec.trim();
    if text.is_empty() {
        return Err(EMPTY.to_owned());
    }
    // The first place that reads as `:digits` and a mark or the end: conditions may contain colons, paths too.
    for (at, _) in text.match_indices(':') {
        let (path, after) = text.split_at(at);
        let after = after.strip_prefix(':').unwrap_or(after);
        let end = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        let (digits, rest) = after.split_at(end);
        if digits.is_empty()
            || !(rest.trim_start().is_empty() || rest.trim_start().starts_with(marks))
        {
            continue;
        }
        if path.trim().is_empty() {
            return Err(format!(
                "{spec:?} names no file before the line: write file:line"
            ));
        }
        let line = digits
            .parse::<i64>()
            .ok()
            .filter(|n| (1..=i64::from(i32::MAX)).contains(n))
            .ok_or_else(|| no_line(digits, spec))?;
        return Ok((path.trim(), line, rest.trim_start()));
    }
    // Nothing fits: say what stands where the line should be.
    let head = text.split(marks).next().unwrap_or(text).trim_end();
    match head.rsplit_once(':') {
        // A drive is not a file with an odd line.
        Some((path, line)) if !path.is_empty() && !line.starts_with(['\\', '/']) => {
            Err(no_line(line, spec))
        }
        _ => Err(format!(
            "{spec:?} has no line: write file:line, or fn:name for a function"
        )),
    }
}

fn no_line(line: &str, spec: &str) -> String {
    let hint = if line.contains(" if ") {
        "a condition is written file:line?condition"
    } else if line.contains(',') {
        "write file:line?condition to stop, file:line|text {expression} to print"
    } else if line.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        "a function is named without its file"
    } else {
        "lines count from 1"
    };
    format!("{line:?} in {spec:?} is not a line number: {hint}")
}

/// `::`, `<`, `(`… belong to names, as does the `#` of Ruby's `Cart#add`; a `?`, a `#` with a hit count or ` =>` ends them.
fn cut_function(name: &str) -> (&str, &str) {
    let ends = [name.find('?'), name.find(" =>")];
    let end = ends.into_iter().flatten().min().unwrap_or(name.len());
    let own = name.get(..end).unwrap_or(name);
    let hits = own.rfind('#').filter(|at| {
        let count = own.get(at + 1..).unwrap_or_default();
        is_hit_count(count) || count.trim().is_empty()
    });
    name.split_at(hits.unwrap_or(end))
}

fn refine(out: &mut BreakpointSpec, refinements: &str, spec: &str) -> Result<(), String> {
    // Without a space before it, it is a part of the condition.
    let apart = |at: &usize| {
        refinements
            .get(..*at)
            .is_some_and(|t| t.trim_end().len() < t.len() || t.is_empty())
    };
    let (refinements, record) = match outside(refinements, "=>").filter(apart) {
        Some(at) => refinements.split_at(at),
        None => (refinements, ""),
    };
    let refinements = refinements.trim();
    if !record.is_empty() || refinements.starts_with('=') {
        let record = record.strip_prefix("=>").and_then(Record::written);
        out.record = Some(record.ok_or_else(|| {
            format!("{spec:?} has nothing to record: write file:line => expression, another, or 20/s before them for at most 20 a second")
        })?);
    }
    if let Some(condition) = refinements.strip_prefix('?') {
        // A `#` may belong to the condition (`name == "#1"`), so only one with a hit count behind it counts.
        let (condition, hits) = match condition.rsplit_once('#') {
            Some((condition, count)) if is_hit_count(count) => (condition, Some(count.trim())),
            _ => (condition, None),
        };
        if condition.trim().is_empty() {
            return Err(format!(
                "{spec:?} has a `?` without a condition behind it: write file:line?x > 3, or leave the `?` out"
            ));
        }
        out.condition = Some(condition.trim().to_owned());
        out.hit_condition = hits.map(str::to_owned);
    } else if let Some(count) = refinements.strip_prefix('#') {
        if !is_hit_count(count) {
            return Err(format!(
                "{count:?} in {spec:?} is not a hit count: write a number from 1, or a comparison such as `>= 3` or `% 2`"
            ));
        }
        out.hit_condition = Some(count.trim().to_owned());
    }
    Ok(())
}

fn is_hit_count(text: &str) -> bool {
    let (sign, number) = text.split_at(
        text.find(|c: char| c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let is_sign = matches!(
        sign.trim(),
        "" | "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "%"
    );
    is_sign && number.trim_end().parse::<u32>().is_ok_and(|n| n > 0)
}

fn absolute(path: &str, cwd: &Path) -> PathBuf {
    // Windows' own absolute paths stay as they are on every system: the debuggee may be on another machine.
    let drive = path.as_bytes();
    if matches!(drive, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic()) {
        return PathBuf::from(path);
    }
    let path = Path::new(path.strip_prefix("./").unwrap_or(path));
    let full = cwd.join(path);
    // A bare name is that of the one file below that has it, as debuggers take it.
    let is_bare = full.parent() == Some(cwd) && full.extension().is_some();
    let found = (is_bare && !full.exists()).then(|| only_one_below(cwd, &full));
    found.flatten().unwrap_or(full)
}

fn only_one_below(folder: &Path, missing: &Path) -> Option<PathBuf> {
    let files = workspace::list_files(folder, workspace::FILE_LIMIT).ok()?;
    // Of more than that it is not known whether there is another one.
    let is_all = files.len() < workspace::FILE_LIMIT;
    let mut found = files.into_iter().filter(|_| is_all).map(|file| file.path);
    let is_named = |path: &PathBuf| path.file_name() == missing.file_name();
    found
        .find(is_named)
        .filter(|_| !found.any(|p| is_named(&p)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bare_name_is_the_one_file_that_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let src = dir.path().join("src");
        fs::create_dir_all(src.join("bin")).unwrap();
        fs::write(src.join("main.rs"), "").unwrap();
        let path = |spec| match breakpoint(spec, dir.path()).unwrap().site {
            BreakpointSite::Source { path, .. } => path,
            site => panic!("{site:?}"),
        };
        assert_eq!(path("main.rs:3"), src.join("main.rs"));
        assert_eq!(path("bin/main.rs:3"), dir.path().join("bin/main.rs"));
        fs::write(src.join("bin/main.rs"), "").unwrap();
        assert_eq!(path("main.rs:3"), dir.path().join("main.rs"), "which one?");
    }

    fn parse(spec: &str) -> Result<BreakpointSpec, String> {
        breakpoint(spec, Path::new("/w"))
    }

    fn line_spec(
        path: &str,
        line: i64,
        condition: Option<&str>,
        hits: Option<&str>,
    ) -> BreakpointSpec {
        let mut spec = BreakpointSpec::line(path, line);
        spec.condition = condition.map(str::to_owned);
        spec.hit_condition = hits.map(str::to_owned);
        spec
    }

    #[test]
    fn every_form_is_understood() {
        let table = [
            ("a.py:12", line_spec("/w/a.py", 12, None, None)),
            ("./a.py:12", line_spec("/w/a.py", 12, None, None)),
            ("/x/a b.py:1", line_spec("/x/a b.py", 1, None, None)),
            (
                "a.py:12?total > 3",
                line_spec("/w/a.py", 12, Some("total > 3"), None),
            ),
            ("a.py:12#3", line_spec("/w/a.py", 12, None, Some("3"))),
            ("a.py:12#>= 3", line_spec("/w/a.py", 12, None, Some(">= 3"))),
            (
                "a.py:12?x == 'a:b'#5",
                line_spec("/w/a.py", 12, Some("x == 'a:b'"), Some("5")),
            ),
            (
                "a.py:12?name == \"#one\"",
                line_spec("/w/a.py", 12, Some("name == \"#one\""), None),
            ),
            (
                "a.py:12?d[1:2] == x ? 1 : 2",
                line_spec("/w/a.py", 12, Some("d[1:2] == x ? 1 : 2"), None),
            ),
            ("C:\\src\\a.py:7", line_spec("C:\\src\\a.py", 7, None, None)),
            (
                "C:/src/a.py:7?x",
                line_spec("C:/src/a.py", 7, Some("x"), None),
            ),
            ("odd:name:4", line_spec("/w/odd:name", 4, None, None)),
        ];
        for (text, expected) in table {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
        let function = parse("fn:shop::total<T>?n > 1#2").unwrap();
        assert_eq!(
            function.site,
            BreakpointSite::Function {
                name: "shop::total<T>".into()
            }
        );
        assert_eq!(function.condition.as_deref(), Some("n > 1"));
        assert_eq!(function.hit_condition.as_deref(), Some("2"));
        assert_eq!(parse("shop::total<T>?n > 1#2"), Ok(function));
        for name in ["main.main", "Cart#add", "main => total"] {
            assert_eq!(parse(name), parse(&format!("fn:{name}")), "{name}");
        }

        let log = logpoint(
            "C:\\a.py:3|total is {cart.total():>5} | ok?",
            Path::new("/w"),
        )
        .unwrap();
        assert_eq!(log.site, line_spec("C:\\a.py", 3, None, None).site);
        assert_eq!(
            log.log_message.as_deref(),
            Some("total is {cart.total():>5} | ok?")
        );
    }

    #[test]
    fn an_arrow_says_what_is_recorded() {
        for (text, condition, hits, record) in [
            ("a.py:3 => total, f(a, b)", None, None, "total, f(a, b)"),
            ("a.py:3=>total", None, None, "total"),
            (
                "a.py:3?x >= 2#% 2 => 20/s total",
                Some("x >= 2"),
                Some("% 2"),
                "20/s total",
            ),
            (
                "a.js:3?xs.some(x => x > 1) => xs.map(x => x)",
                Some("xs.some(x => x > 1)"),
                None,
                "xs.map(x => x)",
            ),
            ("fn:shop::total => 5/s", None, None, "5/s"),
        ] {
            let spec = parse(text).unwrap();
            let told = spec.record.map(|record| record.to_string());
            assert_eq!(
                (
                    spec.condition.as_deref(),
                    spec.hit_condition.as_deref(),
                    told.as_deref()
                ),
                (condition, hits, Some(record)),
                "{text}"
            );
        }
    }

    #[test]
    fn errors_quote_what_is_wrong() {
        let table = [
            ("", "the breakpoint is empty"),
            ("a.py", "\"a.py\" has no line"),
            ("C:\\a.py", "has no line"),
            ("a.py:zwölf", "\"zwölf\" in \"a.py:zwölf\" is not a line"),
            ("a.py:12 if a", "file:line?condition"),
            ("a.py:0", "\"0\" in \"a.py:0\" is not a line"),
            ("a.py:-3", "\"-3\""),
            ("a.py:99999999999999999999", "\"99999999999999999999\""),
            (":12", "names no file"),
            ("fn:", "names no function"),
            ("a.py:12?", "without a condition"),
            ("a.py:12?#3", "without a condition"),
            ("a.py:12#", "\"\" in \"a.py:12#\" is not a hit count"),
            ("a.py:12#often", "\"often\""),
            ("a.py:12#0", "\"0\""),
            ("a.py:12#=>3", "not a hit count"),
            ("a.py:12#<>3", "not a hit count"),
            ("a.py:12 =>", "nothing to record"),
            ("a.py:12=3", "nothing to record"),
        ];
        for (text, part) in table {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let error = logpoint("a.py:3", Path::new("/")).unwrap_err();
        assert!(error.contains("\"a.py:3\" has no text to print"), "{error}");
        assert!(error.contains("{expressions}"), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_parser(text in "\\PC{0,40}", marks in "[a-z:?#|=>,'(0-9\\\\/ é]{0,40}") {
            for spec in [text, marks] {
                let _ = parse(&spec);
                let _ = logpoint(&spec, Path::new("/w"));
            }
        }

        #[test]
        fn a_plain_place_comes_back(path in "[a-z/_.]{1,12}", line in 1i64..100_000) {
            let spec = parse(&format!("/{path}:{line}")).unwrap();
            prop_assert_eq!(spec.site, BreakpointSite::Source { path: format!("/{path}").into(), line, column: None });
        }
    }
}
