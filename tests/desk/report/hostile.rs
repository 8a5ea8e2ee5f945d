//! Archives of others: omp's own, damaged ones, and those made to do harm.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::{Desk, Unpacked};

/// An archive as one gzip member, as omp writes it.
fn archive(path: &Path, fill: impl FnOnce(&mut tar::Builder<GzEncoder<fs::File>>)) {
    let target = fs::File::create(path).unwrap();
    let mut builder = tar::Builder::new(GzEncoder::new(target, Compression::fast()));
    fill(&mut builder);
    builder.into_inner().unwrap().finish().unwrap();
}

fn header(size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

fn with_name(name: &[u8], size: u64, kind: tar::EntryType) -> tar::Header {
    let mut header = header(size);
    header.set_entry_type(kind);
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_cksum();
    header
}

fn look(desk: &Desk, args: &[&str]) -> (Option<i32>, Value) {
    let mut all = vec!["--json"];
    all.extend(args);
    let output = desk.report(&all);
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), answer)
}

#[test]
fn reports_of_omp_are_listed_and_shown() {
    let desk = Desk::new();
    let file = desk.path().join("omp.tar.gz");
    archive(&file, |builder| {
        for (name, text) in [("system.json", "{}\n"), ("logs.txt", "one\n\x1b[2Jtwo\n")] {
            let mut header = header(text.len() as u64);
            builder
                .append_data(&mut header, name, text.as_bytes())
                .unwrap();
        }
        let long = format!("artifacts/{}.md", "x".repeat(180));
        builder
            .append_data(&mut header(2), long, &b"hi"[..])
            .unwrap();
    });
    let (code, answer) = look(&desk, &["omp.tar.gz"]);
    assert_eq!(code, Some(0));
    let names: Vec<&str> = answer["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3);
    assert_eq!(&names[..2], ["system.json", "logs.txt"]);
    assert_eq!(names[2].len(), "artifacts/.md".len() + 180);
    assert_eq!(answer["whole"], Value::Null, "there is no manifest");
    let shown = desk.report(&["omp.tar.gz", "--show", "logs.txt"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.starts_with("one\n") && !shown.contains('\x1b'),
        "{shown:?}"
    );
    assert_eq!(
        desk.report(&["omp.tar.gz", "--show", "none"]).status.code(),
        Some(2)
    );
}

/// Names that lead out, links, devices: they are shown, and nothing is made of them.
#[test]
fn nothing_is_ever_unpacked() {
    let desk = Desk::new();
    let file = desk.path().join("bad.tar.gz");
    archive(&file, |builder| {
        let evil = with_name(b"../../evil\n", 4, tar::EntryType::Regular);
        builder.append(&evil, &b"evil"[..]).unwrap();
        let absolute = with_name(b"/etc/evil", 4, tar::EntryType::Regular);
        builder.append(&absolute, &b"evil"[..]).unwrap();
        let mut link = with_name(b"link", 0, tar::EntryType::Symlink);
        link.set_link_name("/etc/passwd").unwrap();
        link.set_cksum();
        builder.append(&link, &b""[..]).unwrap();
        let device = with_name(b"dev", 0, tar::EntryType::Char);
        builder.append(&device, &b""[..]).unwrap();
    });
    let before = fs::read_dir(desk.path()).unwrap().count();
    let (code, answer) = look(&desk, &["bad.tar.gz"]);
    assert_eq!(code, Some(0));
    let kinds: Vec<&str> = answer["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["text", "text", "link", "special"]);
    assert_eq!(fs::read_dir(desk.path()).unwrap().count(), before);
    assert!(!desk.path().join("../../evil\n").exists());
    let printed = desk.report(&["bad.tar.gz", "--print"]);
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.contains("-> /etc/passwd (not followed)"),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 4, "a name cannot begin a line");
}

#[test]
fn what_is_no_archive_or_damaged_is_said() {
    let desk = Desk::new();
    let path = |name: &str| desk.path().join(name);
    fs::write(path("text"), "hello").unwrap();
    fs::write(path("empty"), "").unwrap();
    fs::write(path("half.gz"), [0x1f, 0x8b, 8]).unwrap();
    // A name that announces gigabytes.
    archive(&path("long.tar.gz"), |builder| {
        let head = with_name(b"././@LongLink", 8 << 30, tar::EntryType::GNULongName);
        builder.get_mut().write_all(head.as_bytes()).unwrap();
        builder.get_mut().write_all(&[b'x'; 4096]).unwrap();
    });
    for name in ["text", "empty", "half.gz", "long.tar.gz", "absent"] {
        let output = desk.report(&[name, "--print"]);
        assert_eq!(output.status.code(), Some(4), "{name}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&format!("{name}\"")), "{said}");
    }
    fs::write(path("prog.py"), "import sys  # \x1b[31m\n".repeat(100)).unwrap();
    let output = desk.report(&["prog.py", "--print"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is no report"), "{said}");
    assert!(
        said.len() < 300 && said.lines().count() == 1 && !said.contains('\x1b'),
        "{said}"
    );

    // Cut off in the middle: what is before is shown, and that it is not whole.
    let whole = desk.unpacked(&[]).file;
    let bytes = fs::read(&whole).unwrap();
    fs::write(path("cut.tar.gz"), &bytes[..bytes.len() / 2]).unwrap();
    let output = desk.report(&["cut.tar.gz", "--print"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");

    // Another content under the same manifest.
    let unpacked = Unpacked::from(&whole);
    archive(&path("changed.tar.gz"), |builder| {
        for name in &unpacked.names {
            let mut content = unpacked.bytes(name);
            if name == "config.json" {
                content = b"{\"model\": \"another\"}\n".to_vec();
            }
            if name == "artifacts/0.bash.log" {
                continue;
            }
            builder
                .append_data(&mut header(content.len() as u64), name, &content[..])
                .unwrap();
        }
    });
    let output = desk.report(&["changed.tar.gz", "--print"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("1 differ, 1 are missing"), "{said}");
    let (code, answer) = look(&desk, &[whole.to_str().unwrap()]);
    assert_eq!((code, &answer["whole"]), (Some(0), &Value::Bool(true)));
}

#[test]
fn what_could_not_be_looked_at_is_said_at_the_terminal() {
    let desk = Desk::new();
    // No system gives so high a number.
    let output = desk.report(&[
        "-o",
        "r.tar.gz",
        "--yes",
        "--no-session",
        "--pid",
        "4194305",
    ]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    let why = "It could not be looked at: There is no process 4194305.";
    assert!(said.contains(why), "{said}");
    let inside = Unpacked::from(&desk.path().join("r.tar.gz"));
    assert!(inside.text("hang.txt").contains(why));
}
