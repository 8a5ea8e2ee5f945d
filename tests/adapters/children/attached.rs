//! Children of programs that we come to, and leave.

use std::process::{Child, Command as Process, Stdio};

use omp_debug::debugger::{AttachSpec, Command, Phase, Reply, SessionId};
use serde_json::json;

use super::grove::{Grove, PATIENCE, children, left};
use crate::support::bench::evaluate;
use crate::support::desk::{free_port, wait_debugpy};
use crate::support::{procs, tools};

/// A Python program in a mode of its own, with a file to talk by: `FILE.fork` tells it to have its child, `FILE.go` to go
/// on, `FILE` is what it leaves.
struct Program {
    process: Child,
    file: std::path::PathBuf,
}

impl Program {
    fn start(grove: &Grove, mode: &str, arguments: &[&str]) -> Self {
        let file = grove.home.path().join(mode);
        let (mark, value) = grove.home.mark.env();
        let process = Process::new(tools::debugpy().unwrap())
            .args(arguments)
            .arg(&grove.program)
            .arg(mode)
            .arg(&file)
            .env(mark, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, file }
    }

    /// Under a debug server of its own.
    fn listening(grove: &Grove, mode: &str, server: &[&str]) -> (Self, u16) {
        let port = free_port();
        let at = format!("127.0.0.1:{port}");
        let arguments = [&["-m", "debugpy", "--listen", &at], server].concat();
        let program = Self::start(grove, mode, &arguments);
        wait_debugpy(port);
        (program, port)
    }

    fn go(&self) {
        self.tell("go");
    }

    fn tell(&self, what: &str) {
        std::fs::write(self.file.with_extension(what), "").unwrap();
    }

    async fn left(&self) -> String {
        left(&self.file).await
    }
}

async fn attach(grove: &mut Grove, spec: AttachSpec) -> SessionId {
    match grove.must(Command::Attach(Box::new(spec))).await {
        Reply::Session { session } => session,
        other => panic!("attach gave {other:?}"),
    }
}

fn at(port: u16) -> AttachSpec {
    AttachSpec {
        port: Some(port),
        adapter: Some("debugpy".to_owned()),
        ..AttachSpec::default()
    }
}

/// Its living child is announced, let go of before it, and announced again to the next who comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_and_its_child_are_left_and_come_to_again() {
    require!(debugpy);
    let mut grove = Grove::open("attach again", "tree.py").await;
    let (mut program, port) = Program::listening(&grove, "wait", &[]);
    let root = attach(&mut grove, at(port)).await;
    // debugpy's adapter lets a child that is made while nobody is attached run, by attaching to it and disconnecting. A
    // client that attaches at that moment loses the child, so it is made when we are there.
    program.tell("fork");
    let child = grove.child(root, 0).await;
    grove
        .desk
        .phase(child, Phase::Running, PATIENCE)
        .await
        .unwrap();
    let pid = grove.desk.session(child).pid.unwrap();
    let session = Some(root);
    grove.must(Command::Detach { session }).await;
    grove.gone(root).await;
    assert_eq!(grove.order_of_going(), [child, root]);
    let pid = u32::try_from(pid).unwrap();
    assert!(procs::is_alive(program.process.id()) && procs::is_alive(pid));

    grove.break_at("visit").await;
    let again = attach(&mut grove, at(port)).await;
    let child = grove.child(again, 0).await;
    assert_eq!(grove.desk.session(child).pid, Some(i64::from(pid)));
    grove
        .desk
        .phase(child, Phase::Running, PATIENCE)
        .await
        .unwrap();
    program.go();
    grove.stands_at(child, "visit").await;
    grove.has_focus(child).await;
    grove.go_on(child).await;
    grove.gone(again).await;
    assert_eq!(program.left().await, "0");
    program.process.wait().unwrap();
    grove.end().await;
}

/// A child that is made when nobody is there is not kept waiting for a debugger.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_made_after_we_left_runs() {
    require!(debugpy);
    let mut grove = Grove::open("an orphan", "tree.py").await;
    let (mut program, port) = Program::listening(&grove, "late", &[]);
    let root = attach(&mut grove, at(port)).await;
    let session = Some(root);
    grove.must(Command::Detach { session }).await;
    program.go();
    assert_eq!(program.left().await, "0");
    program.process.wait().unwrap();
    grove.end().await;
}

/// Whether children are debugged is the server's to say; `subProcess` of an attach changes nothing. The child runs in any case.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whether_children_are_debugged_is_the_servers_to_say() {
    require!(debugpy);
    let server_says_no: &[&str] = &["--configure-subProcess", "False"];
    let rows: [(&[&str], _, _); 4] = [
        (&[], None, 1),
        (&[], Some(true), 1),
        (&[], Some(false), 1),
        (server_says_no, Some(true), 0),
    ];
    for (server, wanted, sessions) in rows {
        let mut grove = Grove::open("subProcess of an attach", "tree.py").await;
        let (mut program, port) = Program::listening(&grove, "late", server);
        let mut spec = at(port);
        if let Some(wanted) = wanted {
            spec.extra.insert("subProcess".to_owned(), json!(wanted));
        }
        let root = attach(&mut grove, spec).await;
        grove
            .desk
            .phase(root, Phase::Running, PATIENCE)
            .await
            .unwrap();
        program.go();
        assert_eq!(program.left().await, "0", "{server:?} {wanted:?}");
        grove.gone(root).await;
        let known = children(&grove.desk, root).len();
        assert_eq!(known, sessions, "{server:?} {wanted:?}");
        program.process.wait().unwrap();
        grove.end().await;
    }
}

fn by_number(program: &Program, plain_adapter: bool) -> AttachSpec {
    AttachSpec {
        pid: Some(program.process.id()),
        adapter: Some("debugpy".to_owned()),
        plain_adapter,
        ..AttachSpec::default()
    }
}

/// Of a process that was come to by its number, debugpy's adapter announces no children by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_of_a_process_come_to_by_number_are_not_announced() {
    require!(debugpy);
    let mut grove = Grove::open("by number", "tree.py").await;
    let mut program = Program::start(&grove, "late", &[]);
    let pid = program.process.id();
    let root = attach(&mut grove, by_number(&program, true)).await;
    grove
        .desk
        .phase(root, Phase::Running, PATIENCE)
        .await
        .unwrap();
    program.go();
    let made = omp_debug::tasks::blocking(move || {
        let deadline = std::time::Instant::now() + PATIENCE;
        while procs::descendants(pid).is_empty() {
            assert!(std::time::Instant::now() < deadline, "no child was made");
            // Nothing tells of a new process.
            std::thread::park_timeout(std::time::Duration::from_millis(5));
        }
    });
    made.await.unwrap();
    // Its thread goes on after the fork, and an answer of it comes behind what it would have announced.
    let session = Some(root);
    grove.must(Command::Threads { session }).await;
    assert_eq!(children(&grove.desk, root), []);
    grove.must(Command::Detach { session }).await;
    grove.home.mark.kill_all();
    program.process.wait().unwrap();
    grove.end().await;
}

/// Also where somebody came and left before, to whom its children would go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_of_a_process_come_to_by_number_is_debugged() {
    require!(debugpy);
    let mut grove = Grove::open("child by number", "tree.py").await;
    grove.break_at("visit").await;
    let mut program = Program::start(&grove, "late", &[]);
    let left = attach(&mut grove, by_number(&program, false)).await;
    let session = Some(left);
    grove.must(Command::Detach { session }).await;
    let root = attach(&mut grove, by_number(&program, false)).await;
    program.go();
    let child = grove.child(root, 0).await;
    grove.stands_at(child, "visit").await;
    // Objects are what they are in a program that we start.
    let pen = "(lambda order: (setattr(order, 'name', 'pen'), order))(type('Order', (), {})())[1]";
    match grove.must(evaluate(pen)).await {
        Reply::Value { value } => assert_eq!(value.result, "Order(name='pen')"),
        other => panic!("evaluate gave {other:?}"),
    }
    grove.go_on(child).await;
    assert_eq!(program.left().await, "0");
    grove.gone(root).await;
    program.process.wait().unwrap();
    grove.end().await;
}

/// What it forks once it is left runs, also after somebody came and left again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_come_to_by_number_is_on_its_own_once_it_is_left() {
    require!(debugpy);
    let mut grove = Grove::open("left by number", "tree.py").await;
    grove.break_at("visit").await;
    let mut program = Program::start(&grove, "late", &[]);
    for _ in 0..2 {
        let root = attach(&mut grove, by_number(&program, false)).await;
        let session = Some(root);
        grove.must(Command::Detach { session }).await;
        grove.gone(root).await;
    }
    program.go();
    assert_eq!(program.left().await, "0");
    program.process.wait().unwrap();
    grove.end().await;
}
