//! Limits, cancelling, a disk that fails, and that counting and writing agree.

use std::io::{Seek, SeekFrom, Write};

use base::text::redact::Redactor;

use super::{pack::PackError, *};
use crate::{
    Cancel,
    omp::{Environment, Layout},
    whole::NotWritten,
};

/// A home with one session and its artifacts.
fn request(dir: &std::path::Path, artifacts: &[(&str, &[u8])]) -> Request {
    let layout = Layout::find(&Environment {
        home: dir.to_path_buf(),
        cwd: dir.to_path_buf(),
        ..Environment::default()
    });
    let bucket = layout.sessions[0].join("-work");
    let folder = bucket.join("one");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(bucket.join("one.jsonl"), "{\"type\":\"session\"}\n{\"type\":\"model_change\",\"model\":\"p/m\"}\n{\"type\":\"mode_change\",\"mode\":\"plan\"}\n").unwrap();
    for (name, bytes) in artifacts {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    Request {
        layout,
        cwd: dir.to_path_buf(),
        ..Request::default()
    }
}

fn counted(plan: &Plan) -> Outcome {
    let redactor = Redactor::new();
    pack(plan, Some(&redactor), None, &Cancel::default(), &mut |_| {}).unwrap()
}

#[test]
fn what_is_counted_is_what_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut large = b"an ordinary line\n".repeat(100_000);
    large.extend_from_slice(b"password=hunter22x\n");
    let request = request(
        dir.path(),
        &[("a.log", b"token=ab12cd34ef56\n"), ("b.log", &large)],
    );
    let plan = Plan::find(&request, &Cancel::default()).unwrap();
    assert_eq!(plan.session.as_ref().unwrap().why, ChoiceReason::Newest);
    let before = counted(&plan);
    assert_eq!(before.replaced(), 2);
    let mut steps = 0;
    let target = dir.path().join("out/r.tar.gz");
    let redactor = Redactor::new();
    let how = (Level::Fast, false);
    let cancel = Cancel::default();
    let written = write(&plan, Some(&redactor), &target, how, &cancel, &mut |step| {
        steps += 1;
        assert!(step.done <= step.total + 100);
    })
    .unwrap();
    assert!(steps > 1);
    assert_eq!(written.outcome.packed, before.packed);
    let bundle = Bundle::open(&target, &cancel).unwrap();
    assert_eq!(bundle.is_whole(), Some(true), "{bundle:?}");
    let at = |name: &str| bundle.entries.iter().position(|e| e.name == name).unwrap();
    let config = Bundle::read(&target, at("config.json"), 1000, &cancel).unwrap();
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&config.bytes).unwrap(),
        serde_json::json!({"model": "p/m", "mode": "plan", "planModeEnabled": true})
    );
    let again = write(&plan, Some(&redactor), &target, how, &cancel, &mut |_| {});
    assert!(
        matches!(again, Err(ReportError::NotWritten(NotWritten::Exists(_)))),
        "{again:?}"
    );
    assert_eq!(reports_in(target.parent().unwrap(), None, 10).len(), 1);

    // What is shown before is what is written.
    let number = plan.members.iter().position(|m| m.name.ends_with("a.log"));
    let shown = beginning(&plan, number.unwrap(), Some(&redactor), 1000).unwrap();
    assert!(shown.text().starts_with("token=[redacted:") && !shown.is_cut());
    let number = plan.members.iter().position(|m| m.name.ends_with("b.log"));
    let shown = beginning(&plan, number.unwrap(), Some(&redactor), 1000).unwrap();
    assert!(shown.text().ends_with("line\n") && shown.is_cut());
}

#[test]
fn limits_cut_and_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let line = b"0123456789abcde\n".repeat(100_000);
    let mut request = request(
        dir.path(),
        &[("a.log", &line), ("b.log", &line), ("c.log", b"c")],
    );
    request.limits = Limits {
        member: 1_000_000,
        total: 1_300_000,
        files: 2,
    };
    request
        .without
        .extend([Part::System, Part::Env, Part::Logs]);
    let plan = Plan::find(&request, &Cancel::default()).unwrap();
    let outcome = counted(&plan);
    let sizes: Vec<(&str, u64)> = outcome
        .packed
        .iter()
        .map(|p| (p.name.as_str(), p.size))
        .collect();
    assert_eq!(sizes[2], ("artifacts/a.log", 1_000_000));
    let all: u64 = sizes.iter().map(|s| s.1).sum();
    assert_eq!(all, 1_300_000);
    let notes: Vec<String> = outcome
        .notes
        .iter()
        .map(|n| format!("{}: {}", n.member, n.text))
        .collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(
        notes[0].contains("there are more than 2 files"),
        "{notes:?}"
    );
    assert!(
        notes[1].contains("a.log: cut after 1000000 of 1600000"),
        "{notes:?}"
    );
    assert!(notes[2].contains("b.log: cut after"), "{notes:?}");
}

/// A disk with room for so many bytes.
struct Full(u64);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::StorageFull))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Ok(0)
    }
}

#[test]
fn a_full_disk_and_a_cancel_end_all_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let large: Vec<u8> = (0..6_000_000_u32)
        .map(|n| (n.wrapping_mul(n) >> 7) as u8)
        .collect();
    let request = request(dir.path(), &[("a.bin", &large), ("b.bin", &large)]);
    let plan = Plan::find(&request, &Cancel::default()).unwrap();
    let cancel = Cancel::default();
    let target = Target {
        out: &mut Full(2_000),
        level: Level::Fast,
    };
    let done = pack(&plan, None, Some(target), &cancel, &mut |_| {});
    assert!(
        matches!(&done, Err(PackError::Write(error)) if error.kind() == std::io::ErrorKind::StorageFull),
        "{done:?}"
    );
    let target = dir.path().join("r.tar.gz");
    let stop = cancel.clone();
    let how = (Level::Fast, false);
    let done = write(&plan, None, &target, how, &cancel, &mut |_| stop.cancel());
    assert!(matches!(done, Err(ReportError::Cancelled)), "{done:?}");
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, [".omp"]);
}

#[test]
fn profiles_that_are_at_hand_become_members_and_empty_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut request = request(dir.path(), &[]);
    request.extras = vec![
        Extra::Profile("work.folded", b"frame 12\n".to_vec()),
        Extra::Profile("work.svg", Vec::new()),
    ];
    let plan = Plan::find(&request, &Cancel::default()).unwrap();
    let names: Vec<&str> = plan.members.iter().map(|m| m.name.as_str()).collect();
    assert!(names.contains(&"work.folded") && !names.contains(&"work.svg"));
    let note = plan.notes.iter().find(|note| note.member == "work.svg");
    assert!(note.is_some(), "{:?}", plan.notes);
}
