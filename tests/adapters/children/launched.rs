//! Children of programs that we start.

use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Change, Command, EventKind, ExceptionFilter, LaunchSpec, Phase,
    Reply, SessionId,
};
use rustix::process::Signal;
use serde_json::json;

use super::grove::{Grove, PATIENCE, children};
use crate::support::core::Desk;
use crate::support::procs;

/// Three levels, each by this method: every kind of breakpoint is there before a child runs, edits reach all that live, the
/// focus goes where something stops, and everything ends in order.
async fn three_levels(method: &str) {
    three_levels_in(Grove::open(method, "tree.py").await, method).await;
}

pub async fn three_levels_in(mut grove: Grove, method: &str) {
    grove.break_at("visit").await;
    let root = grove.launch(&[method, "3"]).await;
    grove.stands_at(root, "visit").await;
    grove.has_focus(root).await;
    grove.go_on(root).await;

    let child = grove.child_at(root, "visit").await;
    grove.has_focus(child).await;
    assert_eq!(grove.phase(root), Phase::Running);
    grove.go_on(child).await;
    let grandchild = grove.child_at(child, "visit").await;
    grove.has_focus(grandchild).await;
    assert_eq!(grove.desk.session(grandchild).parent, Some(child));
    let pids: std::collections::BTreeSet<_> = [root, child, grandchild]
        .iter()
        .map(|id| grove.desk.session(*id).pid.unwrap())
        .collect();
    assert_eq!(pids.len(), 3, "each session knows its process");

    // A new one reaches all three, and each adapter has its own word on it.
    let spec = grove.at("back");
    let Reply::Breakpoint { breakpoint } = grove.must(Command::SetBreakpoint(spec)).await else {
        panic!("no breakpoint");
    };
    for id in [root, child, grandchild] {
        assert!(breakpoint.answers[&id].verified, "{id}: {breakpoint:?}");
    }
    // And one that is switched off stops nobody any more.
    let visit = grove.desk.state.breakpoints[0].id;
    grove
        .must(Command::EnableBreakpoint {
            id: visit,
            enabled: false,
        })
        .await;
    grove.go_on(grandchild).await;
    for id in [grandchild, child, root] {
        grove.stands_at(id, "back").await;
        grove.has_focus(id).await;
        grove.go_on(id).await;
    }
    grove.gone(root).await;
    grove.went_in_order(&[grandchild, child, root]);
    let printed = grove.desk.printed(root, "stdout");
    assert!(printed.contains("level 2 exited with 0"), "{printed}");
    assert_eq!(grove.desk.session(root).exit_code, Some(0));
    assert_eq!(grove.messages(), Vec::<String>::new());
    grove.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_levels_by_fork() {
    require!(debugpy);
    three_levels("fork").await;
}

/// A server kills a worker that answers late, as one does that stands at a breakpoint.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_killed_while_it_is_looked_at_is_told_of() {
    require!(debugpy);
    let mut grove = Grove::open("killed child", "tree.py").await;
    grove.break_at("visit").await;
    let root = grove.launch(&["fork", "2"]).await;
    grove.stands_at(root, "visit").await;
    grove.go_on(root).await;
    let child = grove.child_at(root, "visit").await;
    grove.has_focus(child).await;
    let pid = grove.desk.session(child).pid.unwrap();
    procs::signal(u32::try_from(pid).unwrap(), Signal::KILL);
    grove.gone(root).await;
    let told = format!("Subprocess {pid}, which you looked at, was killed while it was stopped.");
    assert_eq!(grove.messages(), [told]);
    assert_eq!(grove.desk.session(root).exit_code, Some(0));
    grove.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_levels_by_spawn() {
    require!(debugpy);
    three_levels("spawn").await;
}

/// Whatever is set before there is a child is known to it before it runs: functions, conditions, messages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_breakpoint_is_there_before_a_child_runs() {
    require!(debugpy);
    let mut grove = Grove::open("kinds", "tree.py").await;
    let function = BreakpointSite::Function {
        name: "visit".to_owned(),
    };
    let function = BreakpointSpec {
        condition: Some("level == 1".to_owned()),
        ..BreakpointSpec::at(function)
    };
    let only_leaves = BreakpointSpec {
        condition: Some("levels == 1".to_owned()),
        ..grove.at("back")
    };
    let message = BreakpointSpec {
        log_message: Some("one joins at {levels}".to_owned()),
        ..grove.at("join")
    };
    for spec in [function, only_leaves, message] {
        grove.must(Command::SetBreakpoint(spec)).await;
    }
    let root = grove.launch(&["spawn", "3"]).await;
    // Only the last of them stops, and only there.
    let stopped = |desk: &Desk| {
        let session = desk
            .state
            .sessions
            .iter()
            .find(|s| s.current_stop().is_some())?;
        Some((
            session.id,
            session.parent?,
            session.current_stop()?.reason.clone(),
        ))
    };
    let found = grove
        .desk
        .until("a stop in a child", PATIENCE, stopped)
        .await;
    let (leaf, child, reason) = found.unwrap();
    assert!(reason.contains("function"), "{reason}");
    assert_eq!(grove.desk.session(child).parent, Some(root));
    grove.go_on(leaf).await;
    grove.stands_at(leaf, "back").await;
    grove.go_on(leaf).await;
    grove.gone(root).await;
    for (session, text) in [(root, "one joins at 3"), (child, "one joins at 2")] {
        let output = grove.desk.session(session).output.text();
        assert!(output.contains(text), "{session}: {output}");
    }
    assert_eq!(grove.phase(root), Phase::Terminated);
    grove.end().await;
}

/// Who looks at a stopped session goes on looking at it, whoever else stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_takes_no_focus_from_another_stop() {
    require!(debugpy);
    let mut grove = Grove::open("focus", "tree.py").await;
    grove.break_at("visit").await;
    let root = grove.launch(&["many", "3"]).await;
    let standing = |desk: &Desk| {
        let known = |id: &SessionId| {
            desk.state
                .session(*id)
                .is_some_and(|s| s.current_frame().is_some())
        };
        let all: Vec<_> = children(desk, root).into_iter().filter(known).collect();
        (all.len() == 3).then_some(all)
    };
    let stopped = grove
        .desk
        .until("three stops", PATIENCE, standing)
        .await
        .unwrap();
    let first = grove
        .desk
        .history
        .iter()
        .find_map(|event| match &event.kind {
            EventKind::Session {
                session,
                change: Change::Stopped { .. },
            } => Some(*session),
            _ => None,
        });
    assert_eq!(grove.desk.state.focus, first);
    // When it ends, another that stands still is looked at before one that runs.
    for left in (0..stopped.len()).rev() {
        let focus = grove.desk.state.focus.unwrap();
        assert!(stopped.contains(&focus) && grove.phase(focus) == Phase::Stopped);
        grove.go_on(focus).await;
        grove.gone(focus).await;
        let moved = move |desk: &Desk| {
            let now = desk.state.focused()?;
            (now.id != focus && (left == 0 || now.phase == Phase::Stopped)).then_some(())
        };
        grove
            .desk
            .until("focus on another", PATIENCE, moved)
            .await
            .unwrap();
    }
    grove.gone(root).await;
    grove.end().await;
}

/// Filters chosen for the root hold in children, and what a child raises stops the child.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exception_filters_hold_in_children() {
    require!(debugpy);
    let mut grove = Grove::open("filters", "tree.py").await;
    let program = grove.home.file(
        "work/raises.py",
        "import os\npid = os.fork()\nif pid == 0:\n    try:\n        {}['x']\n    except KeyError:\n        os._exit(0)\nos.waitpid(pid, 0)\n",
    );
    let filters = vec![ExceptionFilter::named("raised")];
    grove
        .must(Command::SetExceptionFilters {
            filters: Some(filters),
        })
        .await;
    grove.program = program;
    let root = grove.launch(&[]).await;
    let child = grove.child(root, 0).await;
    let stop = grove.desk.stop(child, None, PATIENCE).await.unwrap();
    assert_eq!(stop.reason, "exception", "{stop:?}");
    grove.go_on(child).await;
    grove.gone(root).await;
    grove.end().await;
}

/// Terminating the root ends children first, all the way down, and leaves no process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_end_before_their_parents() {
    require!(debugpy);
    let mut grove = Grove::open("termination", "tree.py").await;
    grove.break_at("visit").await;
    let root = grove.launch(&["fork", "3"]).await;
    grove.stands_at(root, "visit").await;
    grove.go_on(root).await;
    let child = grove.child(root, 0).await;
    grove.stands_at(child, "visit").await;
    grove.go_on(child).await;
    let grandchild = grove.child(child, 0).await;
    grove.stands_at(grandchild, "visit").await;
    let session = Some(root);
    grove.must(Command::Terminate { session }).await;
    grove.gone(root).await;
    assert_eq!(grove.order_of_going(), [grandchild, child, root]);
    grove.end().await;
}

/// A process that replaces itself is its own child: the session of what it was waits for the end, that of what it is goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_replaces_itself_is_debugged_on() {
    require!(debugpy);
    let mut grove = Grove::open("exec", "tree.py").await;
    grove.break_at("back").await;
    let root = grove.launch(&["exec"]).await;
    let successor = grove.child(root, 0).await;
    grove.stands_at(successor, "back").await;
    grove.has_focus(successor).await;
    let pids = [root, successor].map(|id| grove.desk.session(id).pid);
    assert!(pids[0].is_some() && pids[0] == pids[1], "{pids:?}");
    grove.go_on(successor).await;
    grove.gone(successor).await;
    grove.gone(root).await;
    assert_eq!(grove.order_of_going(), [successor, root]);
    assert_eq!(grove.messages(), Vec::<String>::new());
    grove.end().await;
}

/// So is one of a child, which has its parent's number and its parent's debugger still.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_replaces_itself_is_debugged_on() {
    require!(debugpy);
    let mut grove = Grove::open("fork and exec", "tree.py").await;
    grove.break_at("back").await;
    let root = grove.launch(&["fork-exec"]).await;
    let child = grove.child(root, 0).await;
    let successor = grove.child(child, 0).await;
    grove.stands_at(successor, "back").await;
    grove.go_on(successor).await;
    grove.gone_with_all(root).await;
    let printed = grove.desk.printed(root, "stdout");
    assert!(printed.contains("it ended with 0"), "{printed}");
    grove.end().await;
}

/// A hundred at once: all are connected, and all go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_children_are_connected() {
    require!(debugpy);
    let mut grove = Grove::open("a hundred children", "tree.py").await;
    let root = grove.launch(&["many", "100"]).await;
    grove.gone_with_all(root).await;
    let printed = grove.desk.printed(root, "stdout");
    assert!(printed.contains("100 of 100 ended well"), "{printed}");
    let began = grove.order_of_going().len() - 1;
    assert_eq!(began, 100);
    let root = grove.desk.session(root);
    assert_eq!((root.exit_code, root.children_passed_over), (Some(0), 0));
    // Of so many that have ended, some are kept to be looked at.
    assert_eq!(grove.desk.state.sessions.len(), 1 + 64);
    grove.end().await;
}

/// `subProcess` of the launch: unset and true are children with sessions, false is none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whether_children_are_debugged_can_be_said() {
    require!(debugpy);
    for (wanted, sessions) in [(None, 1), (Some(true), 1), (Some(false), 0)] {
        let mut grove = Grove::open("subProcess of a launch", "tree.py").await;
        let mut spec = LaunchSpec {
            program: grove.program.clone(),
            args: vec!["many".to_owned(), "1".to_owned()],
            stop_on_entry: Some(false),
            ..LaunchSpec::default()
        };
        if let Some(wanted) = wanted {
            spec.extra.insert("subProcess".to_owned(), json!(wanted));
        }
        let root = grove.desk.launch(PATIENCE, spec).await.unwrap();
        grove.gone(root).await;
        assert_eq!(children(&grove.desk, root).len(), sessions, "{wanted:?}");
        let printed = grove.desk.printed(root, "stdout");
        assert!(
            printed.contains("1 of 1 ended well"),
            "{wanted:?}: {printed}"
        );
        grove.end().await;
    }
}

/// The workers of a cluster are children of the program, which is a child of js-debug's own session.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_of_node() {
    require!(node);
    require!(js_debug);
    let mut grove = Grove::open("a cluster", "cluster.js").await;
    grove.break_at("share").await;
    grove.break_at("end").await;
    let root = grove.launch(&[]).await;
    let primary = grove.child(root, 0).await;
    let mut workers = Vec::new();
    for index in 0..2 {
        let worker = grove.child(primary, index).await;
        grove.stands_at(worker, "share").await;
        workers.push(worker);
    }
    assert!(workers.contains(&grove.desk.state.focus.unwrap()));
    let mut parts = Vec::new();
    for worker in workers.iter().copied() {
        let command = Command::Evaluate {
            session: Some(worker),
            frame_id: grove.desk.session(worker).current_frame().map(|f| f.id),
            expression: "part".to_owned(),
            context: "watch".to_owned(),
        };
        let Reply::Value { value } = grove.must(command).await else {
            panic!("no value");
        };
        parts.push(value.result);
        grove.go_on(worker).await;
        grove.gone(worker).await;
    }
    parts.sort();
    assert_eq!(parts, ["100", "200"]);
    grove.stands_at(primary, "end").await;
    grove.has_focus(primary).await;
    grove.go_on(primary).await;
    grove.gone(root).await;
    let sessions = grove.desk.state.sessions.iter();
    let printed: Vec<_> = sessions.map(|s| (s.id, s.output.text())).collect();
    assert!(
        printed
            .iter()
            .any(|(_, text)| text.contains("together 300")),
        "{printed:?}"
    );
    assert_eq!(grove.messages(), Vec::<String>::new());
    grove.end().await;
}

/// To end the program under js-debug is to end its session as well, which has none of its own to wait for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_of_js_debug_takes_its_session_with_it() {
    require!(node);
    require!(js_debug);
    let mut grove = Grove::open("the end of a cluster", "cluster.js").await;
    grove.break_at("share").await;
    // It is the root that is ended, or what one looks at: the program.
    for by_the_root in [true, false] {
        let root = grove.launch(&[]).await;
        let primary = grove.child(root, 0).await;
        let worker = grove.child(primary, 0).await;
        let other = grove.child(primary, 1).await;
        grove.stands_at(worker, "share").await;
        grove.stands_at(other, "share").await;
        let session = Some(if by_the_root { root } else { primary });
        grove.must(Command::Terminate { session }).await;
        grove.gone(root).await;
        grove.went_in_order(&[worker, primary, root]);
    }
    grove.end().await;
}
