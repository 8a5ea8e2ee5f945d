//! Reports on the screen: choose, see what would be replaced, write, look into what was written; keys in, the screen read.

use crate::support;

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use support::desk::Desk;
use support::omp_home::{self, Home, Size};

fn open(arguments: &[&str]) -> (tempfile::TempDir, Home, Desk) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    // The newest session is the one that a report is about.
    let session = home.sessions.last().unwrap();
    let artifacts = session.with_extension("");
    fs::write(
        artifacts.join("2.bash.log"),
        "export DB_PASSWORD=correct-horse-9\nthe last line of it\n",
    )
    .unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    let file = fs::File::options().append(true).open(session).unwrap();
    file.set_modified(later).unwrap();
    let root = home.dir.join(".omp");
    let desk = Desk::with(|builder| {
        builder
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["--omp-dir", root])
            .args(arguments)
    });
    (dir, home, desk)
}

/// From home: what would go in, one member left out, the report written, its path, and what is in it.
#[test]
fn a_report_is_chosen_written_and_looked_into() {
    let (_dir, home, desk) = open(&[]);
    let pty = &desk.pty;
    pty.wait_for("All that a bug report needs");
    pty.key("b");
    pty.wait_for("New report");
    // Nothing is written before it is known what is replaced.
    pty.wait_for("will be replaced");
    let screen = pty.wait_for("2.bash.log");
    let row = |name: &str| {
        let text = screen.text();
        let line = text.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name} in\n{text}"))
            .to_owned()
    };
    assert!(
        row("2.bash.log").contains("1 secret"),
        "{}",
        row("2.bash.log")
    );
    assert!(row("1.read.log").contains("binary"));
    assert!(row("Explore.md").contains("no secrets"));
    assert!(!row("session.jsonl").contains("no secrets"));
    let reports = home.dir.join(".omp/reports");
    assert!(!reports.exists());

    // The first member is left out.
    pty.key("Space");
    pty.wait_for("[ ] system.json");
    // A member is read as it is written: the last one says what the screen was busy with of late.
    pty.key("End").key("Enter");
    pty.wait_for("Window: 30000.0 ms");
    pty.key("Esc");
    pty.wait_gone("Window: 30000.0 ms");
    for _ in [
        "work.md",
        "work.folded",
        "__advisor",
        "Explore.patch",
        "Explore.md",
        "Explore",
        "Deep",
    ] {
        pty.key("Up");
    }
    pty.key("Enter");
    pty.wait_for("the last line of it");
    let shown = pty.wait_for("DB_PASSWORD=[redacted:");
    assert!(!shown.text().contains("correct-horse-9"));
    pty.key("Esc");
    pty.wait_gone("the last line of it");

    pty.key("w").wait_for("write to ");
    pty.wait_for("omp-report-");
    pty.key("Enter");
    pty.wait_for("written: ");
    let written: Vec<PathBuf> = fs::read_dir(&reports)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(written.len(), 1);
    pty.wait_for("o looks into it");
    pty.key("y").wait_for("path of the report");
    let raw = pty.clipboard().pop().unwrap();
    let path = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    assert_eq!(
        String::from_utf8(path).unwrap(),
        written[0].to_str().unwrap()
    );

    pty.key("o").wait_for("Look into a report");
    pty.wait_for("omp-report-");
    pty.key("Enter");
    let screen = pty.wait_for("every hash matches");
    assert!(!screen.text().contains("system.json"));
    pty.wait_for("manifest.json");
    pty.key("Home").key("Enter");
    pty.wait_for("\"HOME\":");
    pty.key("/").type_text("PATH").key("Enter");
    pty.wait_for("1 of ");
    pty.key("Esc");
    pty.wait_gone("\"HOME\":");
    pty.key("Esc").wait_for("New report");
    desk.leave();
}

/// A report of another is opened from the command line; what is no report is said.
#[test]
fn reports_are_opened_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("theirs.tar.gz");
    let gzip = flate2::write::GzEncoder::new(
        fs::File::create(&file).unwrap(),
        flate2::Compression::default(),
    );
    let mut builder = tar::Builder::new(gzip);
    let text = b"{\"os\": \"theirs\"}\n";
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    builder
        .append_data(&mut header, "system.json", &text[..])
        .unwrap();
    builder.into_inner().unwrap().finish().unwrap();
    let desk = Desk::open(args!["report", file]);
    let pty = &desk.pty;
    pty.wait_for("without a manifest");
    pty.key("Enter").wait_for("\"os\": \"theirs\"");
    pty.key("Esc").wait_gone("\"os\": \"theirs\"");
    pty.key("o").wait_for("or a path");
    pty.type_text("/nowhere/x.tar.gz").key("Enter");
    pty.wait_for("/nowhere/x.tar.gz\" cannot be read");
    desk.leave();
}
