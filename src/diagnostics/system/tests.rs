//! Facts of a machine that is not there, of a broken one, and of this one.

use std::fs;

use super::{
    text::{Tone, bytes, sections, write},
    *,
};

fn collector(root: &Path, env: &[(&str, &str)]) -> Collector {
    Collector {
        root: root.to_path_buf(),
        cwd: root.to_path_buf(),
        env: env
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect(),
        omp: Layout::default(),
    }
}

#[test]
fn what_is_not_there_is_null_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let system = collector(dir.path(), &[]).facts();
    assert_eq!(system.limits.ptrace_scope, None);
    for field in [
        "os_name",
        "limits.ptrace_scope",
        "limits.perf_event_paranoid",
        "limits.cgroup",
        "limits.inotify.max_user_watches",
        "disks.mount",
    ] {
        let why = &system.unknown.iter().find(|u| u.field == field);
        assert!(
            why.is_some_and(|u| u.why.contains("cannot be read")),
            "{field}: {why:?}"
        );
    }
    let json = serde_json::to_value(&system).unwrap();
    assert_eq!(json["limits"]["ptrace_scope"], Value::Null);
    assert_eq!(json["shell"], "unknown");
}

#[test]
fn garbage_in_place_of_numbers_is_quoted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proc/sys/kernel/yama/ptrace_scope");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "\u{1b}[31mtwo\n").unwrap();
    let system = collector(dir.path(), &[]).facts();
    let why = system
        .unknown
        .iter()
        .find(|u| u.field == "limits.ptrace_scope")
        .unwrap();
    assert!(
        why.why.contains("which is no number") && !why.why.contains('\u{1b}'),
        "{why:?}"
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let system = collector(dir.path(), &[]).facts();
    let why = system
        .unknown
        .iter()
        .find(|u| u.field == "limits.ptrace_scope")
        .unwrap();
    assert!(why.why.contains("is not a file"), "{why:?}");
}

#[test]
fn who_may_attach_is_told_where_the_kernel_has_no_rule_for_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let row = |is_there: bool| {
        let system = collector(dir.path(), &[]).facts();
        let sections = sections(&system);
        let mut rows = sections.iter().flat_map(|section| &section.rows);
        let row = rows.find(|row| row.label.ends_with("ptrace_scope"));
        let why = system
            .unknown
            .iter()
            .any(|u| u.field == "limits.ptrace_scope");
        assert_ne!(why, is_there, "the JSON says why it is null");
        row.unwrap().clone()
    };
    let kernel = dir.path().join("proc/sys/kernel");
    assert_eq!(row(false).tone, Tone::Unknown, "no Linux");
    fs::create_dir_all(&kernel).unwrap();
    let none = row(false);
    assert_eq!((&*none.value, none.tone), ("none", Tone::Plain));
    assert!(none.note.contains("any own process"), "{none:?}");
    fs::create_dir(kernel.join("yama")).unwrap();
    assert_eq!(
        row(false).tone,
        Tone::Unknown,
        "there is one, which is hidden"
    );
    fs::write(kernel.join("yama/ptrace_scope"), "1\n").unwrap();
    let one = row(true);
    assert_eq!((&*one.value, one.tone), ("1", Tone::Warning));
    assert!(one.note.contains("sudo sysctl"), "{one:?}");
    fs::create_dir_all(dir.path().join("proc/self")).unwrap();
    let status = dir.path().join("proc/self/status");
    fs::write(status, "CapEff:\t000001ffffffffff\n").unwrap();
    let lifted = row(true);
    assert_eq!(lifted.tone, Tone::Plain);
    assert!(lifted.note.contains("any process"), "{lifted:?}");
}

#[test]
fn secrets_are_replaced_by_name_and_by_value() {
    let dir = tempfile::tempdir().unwrap();
    let env = [
        ("DB_PASSWORD", "correct-horse-battery"),
        ("NOTE", "the word is correct-horse-battery"),
        ("DATABASE_URL", "postgres://ada:s3cr3tPassw0rd@db/x"),
        ("KEYBOARD", "qwerty"),
        ("HOME", "/home/correct-horse-battery"),
    ];
    let system = collector(dir.path(), &env).facts();
    let all = serde_json::to_string(&system).unwrap() + &write(&sections(&system));
    assert!(
        !all.contains("correct-horse-battery") && !all.contains("s3cr3tPassw0rd"),
        "{all}"
    );
    assert_eq!(system.environment["KEYBOARD"], "qwerty");
    assert_eq!(system.environment.len(), env.len());
}

#[test]
fn this_machine_says_what_it_is() {
    let env = std::env::vars().collect();
    let collector = Collector::new(&std::env::current_dir().unwrap(), env, Layout::default());
    let system = collector.facts();
    assert!(
        system
            .os
            .as_ref()
            .is_some_and(|os| os.starts_with("Linux ")),
        "{:?}",
        system.os
    );
    assert!(
        system
            .memory
            .is_some_and(|m| m.total > m.free && m.free > 0)
    );
    assert!(
        system.disks.iter().all(|d| d.total.is_some_and(|t| t > 0)),
        "{:?}",
        system.disks
    );
    assert!(
        system
            .limits
            .resources
            .iter()
            .any(|r| r.name == "open_files" && r.soft.is_some())
    );
    let text = write(&sections(&system));
    for label in [
        "OS ",
        "Arch ",
        "CPU ",
        "Memory ",
        "CWD ",
        "Shell ",
        "open files",
        "Load ",
    ] {
        assert!(text.contains(&format!("\n{label}")), "{label} in\n{text}");
    }
}

#[test]
fn limits_that_stand_in_the_way_are_said() {
    let mut system = System::default();
    system.limits.ptrace_scope = Some(1);
    system.limits.perf_event_paranoid = Some(4);
    let sections = sections(&system);
    let limits = sections.iter().find(|s| s.title == "Limits").unwrap();
    assert!(
        limits.rows.iter().all(|row| row.tone == Tone::Warning),
        "{limits:?}"
    );
    assert!(
        limits.rows[0]
            .text()
            .contains("sysctl kernel.yama.ptrace_scope=0")
    );
    (
        system.limits.allowed.may_trace,
        system.limits.allowed.may_sample,
    ) = (true, true);
    let lifted = text::sections(&system);
    let limits = lifted.iter().find(|s| s.title == "Limits").unwrap();
    for row in &limits.rows {
        assert!(
            row.tone != Tone::Warning && row.text().contains("lifted"),
            "{row:?}"
        );
    }
}

#[test]
fn sizes() {
    for (size, text) in [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1.0KB"),
        (16_750_372_454, "15.6GB"),
        (u64::MAX, "16384.0PB"),
    ] {
        assert_eq!(bytes(size), text);
    }
}
