//! The socket of a host, the folder it is in, and who comes to it: what somebody else left there, took away or put in its place, and
//! clients that do not do as clients do. The hosts are `omp-debug serve`, but where a host needs a core of the test's own.

// suite: T9 asked 24 present 39

use crate::support;

mod clients;
mod folders;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::link::{Host, HostKind, Hosting, Note, SocketFolder, serve};
use omp_debug::debugger::{Core, CoreHandle};
use rustix::process::{Signal, geteuid};
use serde_json::{Value, json};
use support::core::Home;
use support::procs::{self, Watchdog};
use support::tools;
use tokio::runtime::Runtime;

const PATIENCE: Duration = Duration::from_secs(20);
/// The name of our folder in one that a session manager gives.
const OURS: &str = "omp-debug";
/// A user who is nobody in particular.
const ANOTHER: u32 = 65_534;
const SERVER: &str = include_str!("../../adapters/serve.rs");
const LINK: &str = include_str!("../../../src/debugger/link/tests/mod.rs");

/// One case: here, or a test that is elsewhere, by its file and its name.
enum Case {
    Here(fn(&CaseHome)),
    There(&'static str, &'static str),
}
use Case::{Here, There};

const CASES: [(&str, Case); 39] = [
    ("the folder of another user", Here(folders::another_users)),
    ("every wrong mode of the folder", Here(folders::wrong_modes)),
    ("a link to a good folder", Here(folders::link)),
    ("a link to nowhere", Here(folders::dangling_link)),
    ("a file in the folder's place", Here(folders::file)),
    ("a FIFO in the folder's place", Here(folders::fifo)),
    ("umask 000", Here(folders::open_umask)),
    ("umask 077", Here(folders::closed_umask)),
    ("a path that is too long", Here(folders::long_path)),
    (
        "the folder is replaced while it is used",
        Here(folders::replaced),
    ),
    (
        "a link in the socket's place",
        Here(folders::socket_is_a_link),
    ),
    (
        "a link to nowhere in the socket's place",
        Here(folders::socket_is_dangling),
    ),
    (
        "a file in the socket's place",
        Here(folders::socket_is_a_file),
    ),
    (
        "a FIFO in the socket's place",
        Here(folders::socket_is_a_fifo),
    ),
    (
        "a folder in the socket's place",
        Here(folders::socket_is_a_folder),
    ),
    (
        "the socket is removed while it serves",
        Here(folders::removed),
    ),
    ("a socket whose host was killed", Here(folders::stale)),
    (
        "a host that is about to be there",
        Here(folders::unfinished),
    ),
    ("many hosts begin at once", Here(folders::race)),
    (
        "no descriptors are left to look with",
        Here(folders::descriptors),
    ),
    (
        "two hosts",
        There(SERVER, "one_host_is_found_and_of_several_all_are_named"),
    ),
    ("no note", Here(folders::no_note)),
    ("a note that is garbage", Here(folders::note_is_garbage)),
    ("a note that is huge", Here(folders::note_is_huge)),
    ("a note that is a link", Here(folders::note_is_a_link)),
    ("a note that is a FIFO", Here(folders::note_is_a_fifo)),
    ("a client of another user", Here(clients::of_another_user)),
    (
        "a host of another user",
        Here(clients::host_of_another_user),
    ),
    ("a client that says nothing", Here(clients::silent)),
    ("a hello that is too long", Here(clients::long_hello)),
    ("a hello that is no text", Here(clients::no_text)),
    (
        "another protocol, and no hello first",
        There(LINK, "nothing_is_done_for_those_who_do_not_say_hello"),
    ),
    (
        "lines that cannot be meant",
        There(
            LINK,
            "what_cannot_be_meant_is_quoted_back_and_the_connection_goes_on",
        ),
    ),
    (
        "a client that never reads",
        There(
            LINK,
            "a_client_that_stops_reading_holds_nobody_up_and_is_let_go",
        ),
    ),
    ("ten thousand requests at once", Here(clients::ten_thousand)),
    ("more clients than are served", Here(clients::too_many)),
    (
        "a client that dies while it drives",
        Here(clients::dead_driver),
    ),
    (
        "a client that dies in a call",
        Here(clients::dead_in_a_call),
    ),
    ("a host that is suspended", Here(clients::suspended)),
];

#[test]
fn nobody_gets_in_who_should_not_and_nobody_is_kept_out_who_should_get_in() {
    let _watchdog = Watchdog::new("sockets", Duration::from_mins(5));
    let mut failed = Vec::new();
    for (name, case) in &CASES {
        let outcome = catch_unwind(AssertUnwindSafe(|| match case {
            Here(case) => {
                let ground = CaseHome::new();
                case(&ground);
                ground.home.mark.assert_none_left(PATIENCE);
            }
            There(file, test) => assert!(file.contains(&format!("fn {test}(")), "{test} is gone"),
        }));
        if outcome.is_err() {
            eprintln!("failed: {name}");
            failed.push(*name);
        }
    }
    assert_eq!(failed, [""; 0]);
    support::suite::assert_present(include_str!("mod.rs"), "T9", CASES.len());
}

/// Where a case takes place: folders of its own, of which `run` is the one that a session manager would give.
struct CaseHome {
    home: Home,
    runtime: Runtime,
}

impl CaseHome {
    fn new() -> Self {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        let ground = Self {
            home: Home::new(),
            runtime,
        };
        fs::create_dir(ground.run()).unwrap();
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self) -> PathBuf {
        self.path("run")
    }

    /// The folder of the sockets, as omp-debug would make it.
    fn folder(&self) -> PathBuf {
        self.run().join(OURS)
    }

    fn place(&self) -> SocketFolder {
        SocketFolder::make_at(&self.folder()).unwrap()
    }

    fn context(&self) -> Context {
        let context = self.home.context();
        let mut env = (*context.env).clone();
        let run = self.run().to_str().unwrap().to_owned();
        env.insert("XDG_RUNTIME_DIR".to_owned(), run);
        Context::new(context.cwd, env)
    }

    /// A command in these surroundings.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let context = self.context();
        let mut command = Command::new(program);
        command
            .current_dir(&context.cwd)
            .env_clear()
            .envs(&*context.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Omp-debug, started by a shell that does something first.
    fn after(&self, first: &str, words: &[&str]) -> Command {
        let mut command = self.command("sh");
        let script = format!("{first}; exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(tools::omp_debug());
        command.args(words);
        command
    }

    /// `omp-debug serve`, once it serves; what it says where it does not.
    fn serve(&self) -> Result<Served, String> {
        let mut command = self.command(tools::omp_debug());
        command.args(["serve", "--permission", "drive"]);
        Served::of(command)
    }

    fn call(&self, words: &[&str]) -> Output {
        let mut command = self.command(tools::omp_debug());
        command.arg("call").args(words).output().unwrap()
    }

    /// A call that reaches a host.
    fn reaches(&self, words: &[&str]) {
        let called = self.call(&[&["sessions"], words].concat());
        assert!(called.status.success(), "{called:?}");
    }

    /// What is said where nothing can be called.
    fn reaches_nobody(&self, words: &[&str]) -> String {
        let called = self.call(&[&["sessions"], words].concat());
        assert!(!called.status.success(), "{called:?}");
        String::from_utf8(called.stderr).unwrap()
    }

    /// A host of this process.
    fn host(&self, hosting: Hosting) -> (CoreHandle, Host) {
        self.runtime.block_on(async {
            let core = Core::start(self.home.config(PATIENCE));
            let host = serve(core.clone(), hosting).await.unwrap();
            (core, host)
        })
    }

    fn hosting(&self) -> Hosting {
        let note = Note::own(HostKind::Serve, self.home.path().to_owned(), None);
        Hosting::new(self.place(), note)
    }

    /// What lies in the folder of the sockets.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }
}

/// A process that serves.
struct Served {
    child: Child,
    _out: BufReader<ChildStdout>,
    socket: PathBuf,
}

impl Served {
    fn of(mut command: Command) -> Result<Self, String> {
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut said = String::new();
            let mut errors = child.stderr.take().unwrap();
            errors.read_to_string(&mut said).unwrap();
            assert!(!child.wait().unwrap().success(), "{said}");
            return Err(said);
        }
        // Nobody reads what it says meanwhile: it says little.
        let said: Value = serde_json::from_str(&line).unwrap();
        Ok(Self {
            child,
            _out: out,
            socket: said["socket"].as_str().unwrap().into(),
        })
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Ends it in order.
    fn end(mut self) {
        procs::signal(self.child.id(), Signal::TERM);
        assert_eq!(self.child.wait().unwrap().code(), Some(128 + 15));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that speaks by hand.
struct Client {
    read: BufReader<UnixStream>,
    write: UnixStream,
    asked: u64,
}

impl Client {
    /// One that has not said anything yet.
    fn of(socket: &Path) -> Self {
        let write = UnixStream::connect(socket).unwrap();
        write.set_read_timeout(Some(PATIENCE)).unwrap();
        write.set_write_timeout(Some(PATIENCE)).unwrap();
        let read = BufReader::new(write.try_clone().unwrap());
        Self {
            read,
            write,
            asked: 0,
        }
    }

    /// An agent that is let in.
    fn agent(socket: &Path, name: &str) -> Self {
        let mut client = Self::of(socket);
        assert!(client.line().unwrap()["hello"].is_object());
        client.say(&json!({"hello": {"protocol": 4, "actor": {"kind": "agent", "name": name}}}));
        client
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.write, "{line}").unwrap();
    }

    /// The next line; none at the end.
    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.read.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap()),
            // Closed before all was read that we said.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Reads on until a line is like that.
    fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        while let Some(line) = self.line() {
            if is_it(&line) {
                return line;
            }
            seen.push(line);
        }
        panic!("no {what} among {seen:#?}");
    }

    fn ask(&mut self, command: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"id": id, "command": command}));
        self.until("answer", |line| line["id"] == id)
    }

    /// The core answers it.
    fn is_served(&mut self) {
        is_an_answer(&self.ask(&json!({"threads": {}})));
    }
}

/// What a core says where nothing is debugged.
fn is_an_answer(line: &Value) {
    let said = line["error"]["what"].as_str().unwrap_or_default();
    assert!(said.starts_with("No active debug session."), "{line}");
}

/// Whether this can be tried as another user; says so loudly where it cannot.
fn can_be_another() -> bool {
    let can = geteuid().is_root();
    if !can {
        let _ = writeln!(std::io::stderr(), "SKIP: only root can be another user");
    }
    can
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}
