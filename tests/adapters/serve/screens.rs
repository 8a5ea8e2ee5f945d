//! Screens as hosts, and screens that join one.

use rustix::process::Signal;

use super::{Called, Place, command};
use crate::support::desk::{Desk, FAREWELL};
use crate::support::{line_of, procs, tools};

#[test]
fn a_call_sees_and_moves_what_a_person_looks_at() {
    require!(debugpy);
    let program = tools::python_program();
    let (call_line, loop_line) = (line_of(&program, "loop-call"), line_of(&program, "loop"));
    let desk = Desk::open(args![
        "--adapter",
        "debugpy",
        "-b",
        format!("{}:{call_line}", program.display()),
        &program,
        "--",
        "stock"
    ]);
    desk.wait_at("inventory.py", call_line);
    let call = |words: &[&str]| {
        let mut all = vec!["call"];
        all.extend(words);
        Called::of(command(&desk.home, &desk.mark, &all).output().unwrap()).done()
    };
    let stack = call(&["stack_trace"]);
    assert_eq!(stack["snapshot"]["line"], call_line, "{stack:#}");
    let stepped = call(&["step_over"]);
    assert_eq!(stepped["snapshot"]["line"], loop_line, "{stepped:#}");
    desk.wait_at("inventory.py", loop_line);
    // The person's step is seen by the next call.
    desk.pty.key("F10");
    desk.wait_at("inventory.py", call_line - 1);
    assert_eq!(call(&["threads"])["snapshot"]["line"], call_line - 1);
    desk.leave_live("Enter");
}

#[test]
fn a_screen_that_cannot_be_joined_works_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("omp-debug");
    std::fs::create_dir(&run).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(&run, open).unwrap();
    let desk = Desk::with(|builder| builder.env("XDG_RUNTIME_DIR", home.path()));
    desk.pty.wait_for("cannot be joined");
    desk.leave();
}

#[test]
fn a_screen_joins_a_host_and_leaves_it_as_it_is() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let (call_line, loop_line) = (line_of(&program, "loop-call"), line_of(&program, "loop"));
    let host = place.serve(&[]);
    let at = format!("line={call_line}");
    place.done(&[
        "set_breakpoint",
        &format!("file={}", program.display()),
        &at,
    ]);
    let target = format!("program={}", program.display());
    place.done(&["launch", &target, "adapter=debugpy", "args=stock"]);

    let mut desk = Desk::at(place.home.clone(), |builder| builder.args(["--join"]));
    let screen = desk.wait_at("inventory.py", call_line);
    assert!(
        screen
            .row(0)
            .contains(&format!("in serve (pid {})", host.child.id())),
        "{}",
        screen.row(0)
    );
    desk.wait_value("Scopes", "index", "0");
    desk.pty.key("F10");
    desk.wait_at("inventory.py", loop_line);
    assert_eq!(place.done(&["threads"])["snapshot"]["line"], loop_line);
    // There is still one host, and nobody but it keeps anything.
    place.done(&["step_over"]);
    desk.wait_at("inventory.py", call_line - 1);
    desk.pty
        .key("q")
        .wait_for("The session goes on in serve (pid");
    desk.pty.key("Enter");
    desk.expect_gone(0);
    assert_eq!(place.done(&["threads"])["snapshot"]["line"], call_line - 1);
    let kept = place.home.path().join("state/omp-debug/projects");
    assert!(!kept.exists(), "a screen that joined keeps nothing");

    // One that is still there when the host ends stays readable.
    let pid = host.child.id().to_string();
    let desk = Desk::at(place.home.clone(), |builder| builder.args(["--join", &pid]));
    desk.wait_value("Scopes", "cost", "20");
    let socket = host.socket.clone();
    let mut host = host;
    procs::signal(host.child.id(), Signal::KILL);
    host.child.wait().unwrap();
    let screen = desk
        .pty
        .wait_for(&format!("The debugger in serve (pid {pid}) has ended"));
    assert!(
        screen.row(0).contains("which has ended"),
        "{}",
        screen.row(0)
    );
    assert!(screen.text().contains("cost"), "{}", screen.text());
    desk.leave();
    place.mark.assert_none_left(FAREWELL);

    let nobody = Called::of(place.command(&["--join", &socket]).output().unwrap());
    assert_eq!(nobody.code, Some(2), "{}", nobody.stderr);
    assert!(
        nobody.stderr.contains("no omp-debug listens"),
        "{}",
        nobody.stderr
    );
    let both = Called::of(place.command(&["--join", "1", "app.py"]).output().unwrap());
    assert_eq!(both.code, Some(2));
    assert!(both.stderr.contains("leave app.py out"), "{}", both.stderr);
}
