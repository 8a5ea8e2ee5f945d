//! `omp-debug report` on generated homes of omp: what is in a report, that no secret is, that other tools read it, and what bad
//! files, full disks and hostile archives do.

#[path = "../../../src/base/text/redact/tests/look_alikes.rs"]
mod look_alikes;
#[path = "../../../src/base/text/redact/tests/secrets.rs"]
mod secrets;

mod hostile;
mod streams;

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::omp_home::{self, Home, Size};

/// Random characters, the same in every run: what the lists of secrets are made with.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn of(&mut self, alphabet: &str, count: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut next = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize
        };
        (0..count)
            .map(|_| letters[next() % letters.len()])
            .collect()
    }

    fn alnum(&mut self, count: usize) -> String {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        self.of(letters, count - 3) + "a7Q"
    }

    fn hex(&mut self, count: usize) -> String {
        self.of("0123456789abcdef", count)
    }

    fn upper(&mut self, count: usize) -> String {
        self.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count)
    }
}

/// A home with one session that everything is put into.
struct Desk {
    dir: tempfile::TempDir,
    home: Home,
    variables: Vec<(String, String)>,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = omp_home::write(dir.path(), Size::default());
        Self {
            dir,
            home,
            variables: Vec::new(),
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn session(&self) -> &Path {
        &self.home.sessions[0]
    }

    fn artifacts(&self) -> PathBuf {
        self.session().with_extension("")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omp-debug"));
        command
            .arg("report")
            .args(args)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("HOME", self.path())
            .env("TZ", "Europe/Berlin")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    fn report(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Writes a report about the session, and unpacks it with tar.
    fn unpacked(&self, args: &[&str]) -> Unpacked {
        let file = self.path().join("r.tar.gz");
        let session = self.session().to_str().unwrap();
        let mut all = vec!["-o", "r.tar.gz", "--yes", "--session", session];
        all.extend(args);
        let output = self.report(&all);
        assert!(output.status.success(), "{output:?}");
        Unpacked::from(&file)
    }
}

/// What tar makes of a report.
struct Unpacked {
    file: PathBuf,
    dir: tempfile::TempDir,
    names: Vec<String>,
    manifest: Value,
}

impl Unpacked {
    fn from(file: &Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tar = |args: &[&str]| {
            let output = Command::new("tar")
                .args(args)
                .arg(file)
                .current_dir(dir.path())
                .output()
                .unwrap();
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{output:?}"
            );
            String::from_utf8(output.stdout).unwrap()
        };
        tar(&["xzf"]);
        let names: Vec<String> = tar(&["tzf"]).lines().map(str::to_owned).collect();
        let manifest = fs::read(dir.path().join("manifest.json")).unwrap();
        Self {
            file: file.to_path_buf(),
            manifest: serde_json::from_slice(&manifest).unwrap(),
            dir,
            names,
        }
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.dir.path().join(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    fn member(&self, name: &str) -> &Value {
        let members = self.manifest["members"].as_array().unwrap();
        let found = members.iter().find(|member| member["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {:#}", self.manifest))
    }

    /// Every member's size and hash are those of the manifest, and nothing is in only one of both.
    fn assert_whole(&self) {
        let members = self.manifest["members"].as_array().unwrap();
        let listed: Vec<&str> = members
            .iter()
            .map(|m| m["name"].as_str().unwrap())
            .chain(["manifest.json"])
            .collect();
        assert_eq!(self.names, listed);
        for member in members {
            let name = member["name"].as_str().unwrap();
            let bytes = self.bytes(name);
            let digest = Sha256::digest(&bytes);
            let digest = digest.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            });
            assert_eq!(
                (member["size"].as_u64(), member["sha256"].as_str()),
                (Some(bytes.len() as u64), Some(digest.as_str())),
                "{name}"
            );
        }
    }
}

fn every_byte() -> Vec<u8> {
    (0..3_000_000_u32)
        .map(|n| (n ^ (n >> 8) ^ (n >> 16)) as u8)
        .collect()
}

/// Names, order, hashes; `tar` and Python read the same, and a binary artifact is what it was.
#[test]
fn a_report_holds_what_omps_holds_and_other_tools_read_it() {
    let desk = Desk::new();
    let binary = every_byte();
    let artifacts = desk.artifacts();
    fs::write(artifacts.join("2.bash.log"), &binary).unwrap();
    fs::create_dir_all(artifacts.join("Sub")).unwrap();
    fs::write(artifacts.join("Sub.jsonl"), "{\"type\":\"session_init\"}\n").unwrap();
    fs::write(artifacts.join("Sub/Sub.Child.jsonl"), "{}\n").unwrap();
    let long = format!("{}.log", "n".repeat(200));
    fs::write(artifacts.join(&long), "long").unwrap();
    fs::write(desk.path().join("x.cpuprofile"), "{}").unwrap();
    fs::write(desk.path().join("work.svg"), "<svg/>").unwrap();
    fs::write(desk.path().join("hot.svg"), "<svg/>").unwrap();
    fs::write(desk.path().join("notes.txt"), "mine").unwrap();
    let old = desk.path().join("old.log");
    fs::write(&old, "password=wolf-hound-77\n").unwrap();
    assert!(Command::new("gzip").arg(&old).status().unwrap().success());
    fs::write(desk.path().join("sse.txt"), "event: ping\ndata: {}\n\n").unwrap();
    let unpacked = desk.unpacked(&[
        "--add",
        "x.cpuprofile",
        "--add",
        "work.svg",
        "--add",
        "hot.svg",
        "--add",
        "notes.txt",
        "--add",
        "old.log.gz",
        "--raw-sse",
        "sse.txt",
    ]);
    assert_eq!(
        unpacked.names,
        [
            "system.json",
            "env.json",
            "config.json",
            "logs.txt",
            "raw-sse.txt",
            "session.jsonl",
            "artifacts/0.bash.log",
            "artifacts/1.read.log",
            "artifacts/2.bash.log",
            "artifacts/Explore/Explore.Deep.jsonl",
            "artifacts/Explore.jsonl",
            "artifacts/Explore.md",
            "artifacts/Explore.patch",
            "artifacts/Sub/Sub.Child.jsonl",
            "artifacts/Sub.jsonl",
            "artifacts/__advisor.jsonl",
            &format!("artifacts/{long}"),
            "profile.cpuprofile",
            "work.svg",
            "attached/hot.svg",
            "attached/notes.txt",
            "attached/old.log",
            "manifest.json",
        ]
    );
    unpacked.assert_whole();
    let old = unpacked.text("attached/old.log");
    assert!(old.starts_with("password=[redacted"), "{old}");
    assert!(unpacked.bytes("artifacts/2.bash.log") == binary);
    assert_eq!(unpacked.member("artifacts/2.bash.log")["kind"], "binary");
    assert_eq!(
        unpacked.bytes("artifacts/1.read.log"),
        [0, 159, 146, 150, 255]
    );
    let (ours, theirs) = (
        unpacked.text("session.jsonl"),
        fs::read_to_string(desk.session()).unwrap(),
    );
    assert_eq!(ours.lines().count(), theirs.lines().count());
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert!(ours == theirs || ours.contains("[redacted:"), "{ours}");
    }
    let system: Value = serde_json::from_str(&unpacked.text("system.json")).unwrap();
    assert_eq!(system["arch"], std::env::consts::ARCH);
    assert!(system["memory"]["total"].as_u64() > Some(1 << 20));
    assert_eq!(system["cwd"], desk.path().to_str().unwrap());
    let mode = fs::metadata(&unpacked.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let script = "import sys, tarfile, hashlib\nfor m in tarfile.open(sys.argv[1]):\n    f = tarfile.open(sys.argv[1]).extractfile(m) if m.isfile() else None\n    print(m.name, m.size, m.mtime)";
    let python = Command::new("python3")
        .args(["-c", script])
        .arg(&unpacked.file)
        .output()
        .unwrap();
    let listed = String::from_utf8(python.stdout).unwrap();
    let names: Vec<&str> = listed
        .lines()
        .map(|l| l.split(' ').next().unwrap())
        .collect();
    assert_eq!(names, unpacked.names);
    assert!(listed.lines().all(|line| line.ends_with(" 0")), "{listed}");
}

/// 150 secrets in every sort of member; what only looks like one stays.
#[test]
fn no_secret_is_in_a_report_and_nothing_else_is_changed() {
    let mut desk = Desk::new();
    let planted = secrets::planted();
    assert!(planted.len() >= 150);
    desk.variables = secrets::variables()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut of_env = Dice::new(77);
    for name in [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "MY_PRIVATE",
    ] {
        desk.variables.push((name.to_owned(), of_env.alnum(24)));
    }
    let from_file = of_env.alnum(22);
    fs::write(
        desk.path().join(".env"),
        format!("FILE_TOKEN={from_file}\n"),
    )
    .unwrap();
    let artifacts = desk.artifacts();
    fs::create_dir_all(artifacts.join("Sub")).unwrap();
    let log = fs::read_dir(&desk.home.logs)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with("2026-08-21.4100.log"))
        .unwrap();
    let places = [
        (desk.session().to_path_buf(), "session.jsonl"),
        (log, "logs.txt"),
        (artifacts.join("0.bash.log"), "artifacts/0.bash.log"),
        (
            artifacts.join("Sub/Sub.A.jsonl"),
            "artifacts/Sub/Sub.A.jsonl",
        ),
        (desk.path().join("sse.txt"), "raw-sse.txt"),
        (artifacts.join("broken.log"), "artifacts/broken.log"),
    ];
    let mut texts: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for (at, (path, _)) in places.iter().enumerate() {
        texts.insert(at, fs::read(path).unwrap_or_default());
    }
    // Bytes that are no text do not hide what is beside them.
    texts
        .get_mut(&5)
        .unwrap()
        .extend_from_slice(b"caf\xe9 \xff\n");
    for (index, (template, secret)) in planted.iter().enumerate() {
        let text = texts.get_mut(&(index % places.len())).unwrap();
        text.extend_from_slice(template.replace("{}", secret).as_bytes());
        text.push(b'\n');
        if index % 3 == 0 {
            // As an agent tells it.
            let told = json!({"type": "message", "text": format!("it printed {from_file}")});
            text.extend_from_slice(format!("{told}\n").as_bytes());
        }
    }
    for (at, line) in look_alikes::LINES.iter().enumerate() {
        let text = texts.get_mut(&(at % places.len())).unwrap();
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    }
    for (at, (path, _)) in places.iter().enumerate() {
        fs::write(path, &texts[&at]).unwrap();
    }
    // A name is read as well as what it names.
    let named = ["gh", "p_", &of_env.alnum(36)].concat();
    fs::write(artifacts.join(format!("{named}.log")), "x").unwrap();

    let unpacked = desk.unpacked(&["--raw-sse", "sse.txt"]);
    unpacked.assert_whole();
    let mut everything = Vec::new();
    for name in &unpacked.names {
        everything.extend_from_slice(name.as_bytes());
        everything.push(b'\n');
        everything.extend_from_slice(&unpacked.bytes(name));
    }
    let mut found = Vec::new();
    let of_env = desk
        .variables
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "HOME" | "EDITOR" | "DATABASE_URL"));
    let all = planted
        .iter()
        .map(|(_, secret)| secret.as_str())
        .chain(of_env.map(|(_, value)| value.as_str()))
        .chain([from_file.as_str(), named.as_str()]);
    for secret in all {
        let escaped = serde_json::to_string(secret).unwrap();
        for spelled in [secret, escaped.trim_matches('"')] {
            if memchr::memmem::find(&everything, spelled.as_bytes()).is_some() {
                found.push(spelled.to_owned());
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");

    // Every line without a secret is there as it was.
    for (at, line) in look_alikes::LINES.iter().enumerate() {
        let text = unpacked.bytes(places[at % places.len()].1);
        assert!(
            memchr::memmem::find(&text, line.as_bytes()).is_some(),
            "{line}"
        );
    }
    let broken = unpacked.bytes("artifacts/broken.log");
    assert!(broken.starts_with(b"caf\xe9 \xff\n"));
    let counted = unpacked.manifest["secrets_replaced"].as_u64().unwrap();
    assert!(counted >= planted.len() as u64, "{counted}");
    let in_session = unpacked.member("session.jsonl");
    assert!(in_session["secrets_replaced"].as_u64() >= Some(25));
    assert!(in_session["by"]["token"].as_u64() > Some(0));
    let env: Value = serde_json::from_str(&unpacked.text("env.json")).unwrap();
    assert_eq!(env["EDITOR"], "not-a-secret-editor");
    assert!(
        env["MY_PRIVATE"]
            .as_str()
            .unwrap()
            .starts_with("[redacted:")
    );

    // What is said before is what is done.
    let session = desk.session().to_str().unwrap();
    let before = desk.report(&["--json", "--session", session, "--raw-sse", "sse.txt"]);
    let before: Value = serde_json::from_slice(&before.stdout).unwrap();
    assert_eq!(before["secrets_replaced"], counted);
    for member in before["members"].as_array().unwrap() {
        let name = member["name"].as_str().unwrap();
        // Replacements are others in every process.
        if name.contains("[redacted:") {
            continue;
        }
        let written = unpacked.member(name);
        assert_eq!(
            member["secrets_replaced"], written["secrets_replaced"],
            "{name}"
        );
        // What is measured then and now has other digits.
        if name != "system.json" {
            assert_eq!(member["size"], written["size"], "{name}");
        }
    }
}

/// A large text is redacted in pieces by several threads: secrets at every border, a key across one, a line without end.
#[test]
fn secrets_at_the_borders_of_pieces() {
    let desk = Desk::new();
    let mut dice = Dice::new(3);
    let mut text = String::new();
    let mut planted = Vec::new();
    let border = 1 << 20;
    for piece in 1..4 {
        while text.len() < piece * border - 40 {
            text.push_str("an ordinary line of a tool's output, with nothing in it\n");
        }
        text.truncate(piece * border - 40);
        text.push('\n');
        if piece == 2 {
            let body: Vec<String> = (0..20).map(|_| dice.alnum(64)).collect();
            write!(
                text,
                "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
                body.join("\n")
            )
            .unwrap();
            planted.extend(body);
        } else {
            let secret = dice.alnum(40);
            writeln!(text, "password={secret} and more").unwrap();
            planted.push(secret);
        }
    }
    let artifacts = desk.artifacts();
    fs::write(artifacts.join("lines.log"), &text).unwrap();
    let mut endless = "word ".repeat(300_000);
    let secret = dice.alnum(40);
    write!(endless, "token: {secret} {}", "more ".repeat(200_000)).unwrap();
    planted.push(secret);
    fs::write(artifacts.join("endless.log"), &endless).unwrap();
    let unpacked = desk.unpacked(&[]);
    unpacked.assert_whole();
    let lines = unpacked.text("artifacts/lines.log");
    let endless_now = unpacked.text("artifacts/endless.log");
    for secret in &planted {
        assert!(!lines.contains(secret.as_str()) && !endless_now.contains(secret.as_str()));
    }
    assert_eq!(
        unpacked.member("artifacts/lines.log")["secrets_replaced"],
        3
    );
    assert_eq!(
        unpacked.member("artifacts/endless.log")["secrets_replaced"],
        1
    );
    let ordinary = |text: &str| {
        text.lines()
            .filter(|l| l.starts_with("an ordinary"))
            .count()
    };
    assert_eq!(ordinary(&lines), ordinary(&text));
    assert_eq!(lines.matches("-----END RSA PRIVATE KEY-----").count(), 1);
    assert_eq!(
        endless_now.matches("word ").count() + endless_now.matches("more ").count(),
        500_000
    );
}

/// The logs of the last day that has any: the end of each below its name, the one changed last at the end.
#[test]
fn logs_of_the_day() {
    let desk = Desk::new();
    let log = desk.home.logs.join("omp.2026-08-21.4199.log");
    let mut lines = String::new();
    for n in 0..2500 {
        writeln!(lines, "{{\"pid\":4199,\"message\":\"line {n}\"}}").unwrap();
    }
    fs::write(&log, &lines).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    fs::File::options()
        .write(true)
        .open(&log)
        .unwrap()
        .set_modified(later)
        .unwrap();
    let unpacked = desk.unpacked(&[]);
    let text = unpacked.text("logs.txt");
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with("=====")).collect();
    // Three processes with three parts each, and the long one.
    assert_eq!(heads.len(), 10);
    assert!(heads.iter().all(|head| head.contains("2026-08-21")));
    assert_eq!(heads[9], "===== omp.2026-08-21.4199.log =====");
    let (before, last) = text.split_once(heads[9]).unwrap();
    assert!(before.ends_with("\n\n"), "a blank line between logs");
    let last: Vec<&str> = last.trim().lines().collect();
    assert_eq!(last.len(), 1000);
    assert_eq!(last[0], "{\"pid\":4199,\"message\":\"line 1500\"}");
    let notes = unpacked.member("logs.txt")["notes"].to_string();
    assert!(
        notes.contains("bytes of omp.2026-08-21.4199.log are not in it"),
        "{notes}"
    );
    assert!(notes.contains("these are of 2026-08-21"), "{notes}");
}

/// What cannot be had is left out and said; links and pipes are not followed.
#[test]
fn what_is_left_out_is_said() {
    let desk = Desk::new();
    let artifacts = desk.artifacts();
    fs::write(desk.path().join("outside"), "outside").unwrap();
    symlink(desk.path().join("outside"), artifacts.join("link.log")).unwrap();
    symlink("..", artifacts.join("loop")).unwrap();
    let pipe = artifacts.join("pipe");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    fs::write(artifacts.join("new\nline\u{1b}[2J"), "odd").unwrap();
    fs::remove_dir_all(&desk.home.logs).unwrap();
    let unpacked = desk.unpacked(&["--no-env", "--without", "artifacts/0.bash.log"]);
    unpacked.assert_whole();
    assert_eq!(
        unpacked.names,
        [
            "system.json",
            "config.json",
            "session.jsonl",
            "artifacts/1.read.log",
            "artifacts/Explore/Explore.Deep.jsonl",
            "artifacts/Explore.jsonl",
            "artifacts/Explore.md",
            "artifacts/Explore.patch",
            "artifacts/__advisor.jsonl",
            "artifacts/new%0Aline%1B[2J",
            "manifest.json"
        ]
    );
    let left_out = &unpacked.manifest["left_out"];
    for (name, why) in [
        ("artifacts/link.log", "a link"),
        ("artifacts/loop", "a link"),
        ("artifacts/pipe", "a pipe"),
        ("logs.txt", "cannot be read"),
    ] {
        let found = left_out
            .as_array()
            .unwrap()
            .iter()
            .find(|l| l["name"] == name);
        let found = found.unwrap_or_else(|| panic!("{name} in {left_out}"));
        assert!(found["why"].as_str().unwrap().contains(why), "{found}");
    }

    // No session at all: the rest is worth having.
    fs::remove_dir_all(desk.path().join(".omp")).unwrap();
    let output = desk.report(&["--yes", "-o", "none.tar.gz"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("session.jsonl is not in it: there is no session"),
        "{said}"
    );
}

/// Nothing is written before someone agrees; a file that is there stays.
#[test]
fn nothing_is_written_unasked() {
    let desk = Desk::new();
    let there = |name: &str| desk.path().join(name).exists();
    let output = desk.report(&["-o", "a.tar.gz"]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert!(!there("a.tar.gz"));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("session.jsonl") && shown.contains("artifacts/0.bash.log"),
        "{shown}"
    );
    let output = desk.report(&["--print"]);
    assert!(output.status.success(), "{output:?}");
    assert!(!desk.path().join(".omp/reports").exists());
    let output = desk.report(&["--no-redact", "-o", "b.tar.gz"]);
    assert_eq!(output.status.code(), Some(7));

    fs::write(desk.path().join("c.tar.gz"), "mine").unwrap();
    let output = desk.report(&["--yes", "-o", "c.tar.gz"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read(desk.path().join("c.tar.gz")).unwrap(), b"mine");
    assert!(
        desk.report(&["--yes", "--force", "-o", "c.tar.gz"])
            .status
            .success()
    );
    Unpacked::from(&desk.path().join("c.tar.gz")).assert_whole();

    // Without a name it goes where omp puts its own.
    let output = desk.report(&["--yes", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let path = PathBuf::from(answer["path"].as_str().unwrap());
    assert_eq!(path.parent().unwrap(), desk.path().join(".omp/reports"));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with("omp-report-20") && name.ends_with("Z.tar.gz"),
        "{name}"
    );
    Unpacked::from(&path).assert_whole();
    assert!(
        desk.report(&["--session", "nobody", "--print"])
            .status
            .code()
            == Some(2)
    );
}

/// The disk is full: what was there stays, and nothing else is left.
#[test]
fn a_full_disk_leaves_what_was_there() {
    let desk = Desk::new();
    let mut dice = Dice::new(8);
    fs::write(desk.artifacts().join("big.log"), dice.alnum(2_000_000)).unwrap();
    let target = desk.path().join("out/r.tar.gz");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::write(&target, "the one before").unwrap();
    let output = Command::new("sh")
        // Half a megabyte is all that a file may have, and the signal about it is not wanted.
        .args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_omp-debug"))
        .args([
            "report",
            "--yes",
            "--force",
            "-o",
            "out/r.tar.gz",
            "--session",
        ])
        .arg(desk.session())
        .env_clear()
        .env("HOME", desk.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(desk.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("cannot be written") && said.contains("nothing is left"),
        "{said}"
    );
    assert_eq!(fs::read(&target).unwrap(), b"the one before");
    let left: Vec<_> = fs::read_dir(target.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1);
}
