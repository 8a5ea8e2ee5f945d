//! What is written is read again, by ourselves and by the tools that it is for.

use std::{path::Path, process::Command};

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::*;
use crate::profile::{Builder, Frame as OurFrame, Sample, Thread, Unit, import};

/// Two threads, every field of a frame, names that mean something in every form.
fn profile(unit: Unit) -> Profile {
    let mut builder = Builder::new(unit);
    builder.about().name = "shop <&> \u{1b}[31m".to_owned();
    builder.about().duration = Some(Duration::from_millis(30));
    builder.about().interval = Some(Duration::from_millis(10));
    let mut frame = |name: &str, file: Option<&str>, line, module: Option<&str>| {
        builder.frame(OurFrame {
            name: name.into(),
            file: file.map(Into::into),
            line,
            module: module.map(Into::into),
        })
    };
    let main = frame("main", Some("/srv/shop.py"), Some(3), None);
    let hot = frame("hot|<script>\"';\u{1b}[2J", None, None, Some("/lib/a.so"));
    let cold = frame("cold", Some("/srv/shop.py"), Some(9), None);
    let thread = |name: &str, tid| Thread {
        pid: Some(7),
        tid: Some(tid),
        name: name.into(),
    };
    let one = builder.thread(thread("main", 7));
    let two = builder.thread(thread("worker", 8));
    for (frames, thread, weight, at) in [
        (vec![main, hot], one, 70_000_000, 0),
        (vec![main, cold], two, 20_000_000, 5_000_000),
        (vec![main, hot], one, 10_000_000, 70_000_000),
    ] {
        let stack = builder.stack_of(frames).unwrap();
        builder.sample(Sample {
            stack,
            thread,
            weight,
            at,
        });
    }
    builder.finish()
}

fn written(profile: &Profile, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(profile, format, &mut out, &Cancel::default()).unwrap();
    out
}

fn again(bytes: &[u8]) -> Profile {
    import::read_from(bytes, 0, &Cancel::default(), &|_, _| ()).unwrap()
}

/// Names and weights of every stack of every thread.
fn facts(profile: &Profile) -> Vec<(String, u64)> {
    let mut facts: Vec<_> = by_stack(profile)
        .into_iter()
        .map(|((thread, stack), (weight, _))| {
            let mut names: Vec<_> = profile
                .frames_of(stack)
                .map(|frame| profile.frame(frame).unwrap().name.to_string())
                .collect();
            names.reverse();
            let thread = &profile.threads[thread.0 as usize];
            (format!("{}: {}", thread.name, names.join(" ")), weight)
        })
        .collect();
    facts.sort();
    facts
}

#[test]
fn pprof_and_firefox_keep_everything() {
    for unit in [Unit::Nanoseconds, Unit::Samples, Unit::Bytes] {
        let profile = profile(unit);
        for format in [Format::Pprof, Format::Firefox] {
            let read = again(&written(&profile, format));
            assert_eq!(facts(&read).len(), 2, "{format:?}");
            let weights = |profile: &Profile| -> Vec<u64> {
                facts(profile).into_iter().map(|(_, w)| w).collect()
            };
            assert_eq!(weights(&read), weights(&profile), "{format:?} {unit:?}");
            assert_eq!(read.unit, unit, "{format:?}");
            let main = read.frames.iter().find(|f| &*f.name == "main").unwrap();
            assert_eq!(main.file.as_deref(), Some("/srv/shop.py"));
            assert_eq!(main.line, Some(3));
            let modules: Vec<_> = read
                .frames
                .iter()
                .filter_map(|f| f.module.as_deref())
                .collect();
            assert_eq!(modules, ["/lib/a.so"]);
            let tids: Vec<_> = read.threads.iter().map(|t| (t.pid, t.tid)).collect();
            assert_eq!(tids, [(Some(7), Some(7)), (Some(7), Some(8))]);
        }
    }
    let profile = profile(Unit::Nanoseconds);
    assert_eq!(
        facts(&again(&written(&profile, Format::Pprof))),
        facts(&profile)
    );
}

#[test]
fn folded_and_speedscope_keep_stacks_and_weights() {
    let profile = profile(Unit::Nanoseconds);
    let text = String::from_utf8(written(&profile, Format::Folded)).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains("';"), "{text}");
    let mut lines = text.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("main (/srv/shop.py:3);hot|<script>")
    );
    assert_eq!(
        lines.next(),
        Some("main (/srv/shop.py:3);cold (/srv/shop.py:9) 20000000")
    );
    assert_eq!(again(text.as_bytes()).total(), profile.total());
    let read = again(&written(&profile, Format::Speedscope));
    assert_eq!(read.total(), profile.total());
    assert_eq!(read.unit, Unit::Nanoseconds);
    assert_eq!(read.threads.len(), 2);
    let names: Vec<_> = read.frames.iter().map(|f| f.name.to_string()).collect();
    let ours: Vec<_> = profile.frames.iter().map(|f| f.name.to_string()).collect();
    assert_eq!(names, ours);
}

/// The parts of speedscope's schema that it requires: <https://www.speedscope.app/file-format-schema.json>.
#[test]
fn speedscopes_schema_is_kept() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["$schema", "profiles", "shared"],
        "properties": {
            "$schema": { "enum": ["https://www.speedscope.app/file-format-schema.json"] },
            "name": { "type": "string" },
            "exporter": { "type": "string" },
            "shared": { "type": "object", "required": ["frames"], "properties": { "frames": {
                "type": "array",
                "items": { "type": "object", "required": ["name"], "properties": {
                    "name": { "type": "string" }, "file": { "type": "string" },
                    "line": { "type": "number" }, "col": { "type": "number" } } } } } },
            "profiles": { "type": "array", "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "properties": {
                    "type": { "enum": ["sampled"] },
                    "name": { "type": "string" },
                    "unit": { "enum": ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"] },
                    "startValue": { "type": "number" }, "endValue": { "type": "number" },
                    "samples": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
                    "weights": { "type": "array", "items": { "type": "number" } } } } } }
    });
    let validator = jsonschema::validator_for(&schema).unwrap();
    for unit in [Unit::Nanoseconds, Unit::Count] {
        let value: Value =
            serde_json::from_slice(&written(&profile(unit), Format::Speedscope)).unwrap();
        let wrong: Vec<_> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }
}

/// What pprof's own program makes of it.
#[test]
fn go_tool_pprof_accepts_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.pb.gz");
    std::fs::write(&file, written(&profile(Unit::Nanoseconds), Format::Pprof)).unwrap();
    let run = Command::new("go")
        .args(["tool", "pprof", "-top"])
        .arg(&file)
        .env("HOME", dir.path())
        .output();
    let output = match run {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("OMP_DEBUG_TEST_ALLOW_MISSING").is_some(),
                "go is not to be had ({error}); tests/setup installs it"
            );
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for line in [
        "Type: cpu",
        "80ms 80.00%",
        "20ms 20.00%   100%       20ms 20.00%  cold",
        "100ms   100%  main",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn the_table_is_honest_and_harmless() {
    let text = String::from_utf8(written(&profile(Unit::Nanoseconds), Format::Markdown)).unwrap();
    assert!(text.contains("Total: 100.0ms"), "{text}");
    assert!(!text.contains('\u{1b}'));
    assert!(
        text.contains("| 80.0 | 80.0 | 80.0 | /lib/a.so |"),
        "{text}"
    );
    assert!(text.contains("`hot\\|<script>"), "{text}");
    assert!(
        text.contains("| `cold` | 20.0 | 20.0 | 20.0 | /srv/shop.py:9 |"),
        "{text}"
    );
    // The total is that of all rows, also of those that are not shown.
    let mut builder = Builder::new(Unit::Samples);
    let thread = builder.thread(Thread::default());
    for n in 0..SHOWN + 10 {
        let frame = builder.frame(OurFrame {
            name: format!("f{n}").into(),
            ..OurFrame::default()
        });
        let stack = builder.stack(None, frame);
        builder.sample(Sample {
            stack,
            thread,
            weight: 1,
            at: Sample::NO_TIME,
        });
    }
    let text = String::from_utf8(written(&builder.finish(), Format::Markdown)).unwrap();
    assert!(text.contains("Total: 40 samples"), "{text}");
    assert_eq!(text.matches("| `f").count(), SHOWN);
    assert!(text.contains("10 more have 25.0 % together."), "{text}");
}

#[test]
fn the_picture_is_a_picture_and_runs_nothing() {
    let text = String::from_utf8(written(&profile(Unit::Nanoseconds), Format::Svg)).unwrap();
    assert!(text.contains("<svg") && text.trim_end().ends_with("</svg>"));
    assert!(text.contains("&lt;script&gt;") && !text.contains("hot|<script>"));
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    assert!(text.contains("cold (/srv/shop.py:9)"));
}

#[test]
fn json_for_scripts() {
    let value: Value =
        serde_json::from_slice(&written(&profile(Unit::Nanoseconds), Format::Json)).unwrap();
    assert_eq!(value["total"], 100_000_000);
    assert_eq!(value["unit"], "nanoseconds");
    assert_eq!(value["functions"][0]["own"], 80_000_000);
    assert_eq!(value["threads"][1]["weight"], 20_000_000);
    let bytes = value.to_string().into_bytes();
    let error = import::read_from(&*bytes, 0, &Cancel::default(), &|_, _| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("without the stacks"), "{error}");
}

#[test]
fn names_say_the_form() {
    for (name, format) in [
        ("a.svg", Some(Format::Svg)),
        ("A.PB.GZ", Some(Format::Pprof)),
        ("a.pprof", Some(Format::Pprof)),
        ("a.speedscope.json", Some(Format::Speedscope)),
        ("a.firefox.json", Some(Format::Firefox)),
        ("a.json", Some(Format::Json)),
        ("a.md", Some(Format::Markdown)),
        ("a.txt", Some(Format::Folded)),
        ("a.doc", None),
    ] {
        assert_eq!(Format::of(Path::new(name)), format, "{name}");
    }
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(
            Format::of(Path::new(&format!("x{}", format.ending()))),
            Some(format)
        );
    }
    let error = "png".parse::<Format>().unwrap_err();
    assert!(
        error.contains("\"png\"") && error.contains("svg"),
        "{error}"
    );
}

#[test]
fn a_file_is_there_as_a_whole_or_not_at_all() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("a.folded");
    let profile = profile(Unit::Samples);
    let save =
        |target: &Path, force| save(&profile, Format::Folded, target, force, &Cancel::default());
    let size = save(&target, false).unwrap();
    let data = target.metadata().unwrap();
    assert_eq!(
        (data.len(), data.permissions().mode() & 0o777),
        (size, 0o600)
    );
    let there = save(&target, false).unwrap_err();
    assert!(there.is_usage() && there.to_string().contains("--force"));
    save(&target, true).unwrap();
    let folder = save(dir.path(), true).unwrap_err().to_string();
    assert!(folder.contains("a folder"), "{folder}");
    let nowhere = save(Path::new("/nowhere/a"), false)
        .unwrap_err()
        .to_string();
    assert!(nowhere.contains("cannot be written"), "{nowhere}");
    let cancel = Cancel::default();
    cancel.cancel();
    let other = dir.path().join("b.folded");
    assert!(super::save(&profile, Format::Folded, &other, false, &cancel).is_err());
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1);
}
