//! Who stands between a Python program and us: nobody, where its own debug server can come to us; its adapter where somebody
//! says so, where a launch asks for what only that can do, and where no server comes.

use std::sync::Arc;

use omp_debug::debugger::{Console, LaunchSpec, SessionId};
use serde_json::json;

use super::grove::{Grove, PATIENCE};
use super::launched::three_levels_in;
use crate::support::tools;

/// What started the process of a session: its number, and its command line.
fn started_by(grove: &Grove, session: SessionId) -> (u32, String) {
    let pid = grove.desk.session(session).pid.unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let parent = parent.unwrap().trim().parse().unwrap();
    let line = std::fs::read(format!("/proc/{parent}/cmdline")).unwrap();
    (parent, String::from_utf8_lossy(&line).replace('\0', " "))
}

/// Whether there is an adapter. What we start ourselves is our supervisor's child, what the adapter starts is its launcher's.
fn has_adapter(grove: &Grove, session: SessionId) -> bool {
    let (parent, by) = started_by(grove, session);
    // A program in a terminal is our own child.
    let ours = by.contains("--supervise") || parent == std::process::id();
    assert_ne!(ours, by.contains("/debugpy/launcher"), "{by}");
    !ours
}

async fn launched(grove: &mut Grove, change: impl FnOnce(&mut LaunchSpec)) -> SessionId {
    grove.break_at("visit").await;
    let mut spec = LaunchSpec {
        program: grove.program.clone(),
        args: vec!["fork".to_owned(), "1".to_owned()],
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    change(&mut spec);
    let root = grove.desk.launch(PATIENCE, spec).await.unwrap();
    grove.stands_at(root, "visit").await;
    root
}

async fn leave(mut grove: Grove, root: SessionId) {
    grove.go_on(root).await;
    grove.gone(root).await;
    assert_eq!(grove.desk.session(root).exit_code, Some(0));
    grove.end().await;
}

async fn with_connect(what: &str, way: Option<&str>) -> Grove {
    Grove::with(what, "tree.py", |config| {
        let env = Arc::make_mut(&mut config.context.env);
        env.remove("OMP_DEBUG_CONNECT");
        if let Some(way) = way {
            env.insert("OMP_DEBUG_CONNECT".to_owned(), way.to_owned());
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_stands_between_unless_somebody_says_so() {
    require!(debugpy);
    for (way, expected) in [(Some("servers"), false), (Some("stdio"), true)] {
        let mut grove = with_connect("the way", way).await;
        let root = launched(&mut grove, |_| {}).await;
        assert_eq!(has_adapter(&grove, root), expected, "{way:?}");
        assert_eq!(grove.messages(), Vec::<String>::new());
        leave(grove, root).await;
    }
    let mut grove = with_connect("a plain one", Some("servers")).await;
    let root = launched(&mut grove, |spec| spec.plain_adapter = true).await;
    assert!(has_adapter(&grove, root));
    leave(grove, root).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_the_adapter_can_do_is_left_to_it() {
    require!(debugpy);
    let mut grove = with_connect("an option", Some("servers")).await;
    let root = launched(&mut grove, |spec| {
        spec.extra.insert("gevent".to_owned(), json!(false));
        spec.extra.insert("qt".to_owned(), json!("none"));
    })
    .await;
    assert!(has_adapter(&grove, root));
    leave(grove, root).await;
}

/// The server is in a program on a terminal or pipe of ours as it is in any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_in_a_terminal_needs_no_adapter() {
    require!(debugpy);
    for console in [Console::Pty, Console::Pipe] {
        let mut grove = with_connect("a terminal", Some("servers")).await;
        let root = launched(&mut grove, |spec| spec.console = console).await;
        assert!(!has_adapter(&grove, root), "{console:?}");
        assert_eq!(grove.messages(), Vec::<String>::new());
        leave(grove, root).await;
    }
}

/// An interpreter that fails once: the adapter is started instead, and that is said.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_server_comes_the_adapter_is_started() {
    require!(debugpy);
    let mut grove = with_connect("no server", Some("servers")).await;
    let once = grove.home.path().join("once");
    let python = tools::debugpy().unwrap();
    let script = format!(
        "#!/bin/sh\n[ -e '{once}' ] || {{ : > '{once}'; echo not this time >&2; exit 9; }}\nexec '{python}' \"$@\"\n",
        once = once.display(),
        python = python.display()
    );
    let wrapper = grove.home.executable("bin/python", &script);
    let interpreter = json!([wrapper]);
    let root = launched(&mut grove, |spec| {
        spec.extra.insert("python".to_owned(), interpreter);
    })
    .await;
    assert!(has_adapter(&grove, root));
    let said = grove.messages().join("\n");
    assert!(
        said.contains("adapter") && said.contains("not this time"),
        "{said}"
    );
    leave(grove, root).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_levels_by_either_way() {
    require!(debugpy);
    for way in ["servers", "stdio"] {
        for method in ["fork", "spawn"] {
            three_levels_in(with_connect(way, Some(way)).await, method).await;
        }
    }
}

/// A child that is left behind goes on, is debugged on, and what it prints is heard, whoever stands between.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_outlives_its_parent() {
    require!(debugpy);
    for way in ["servers", "stdio"] {
        let mut grove = with_connect(way, Some(way)).await;
        let text = "import os, sys, time\nparent = os.getpid()\nif os.fork():\n    sys.exit(3)\nwhile os.getppid() == parent:\n    time.sleep(0.01)\nleft = True  # MARK: left\nprint('left behind', flush=True)\nos._exit(0)\n";
        grove.program = grove.home.file("work/leaves.py", text);
        grove.break_at("left").await;
        let root = grove.launch(&[]).await;
        let child = grove.child_at(root, "left").await;
        grove.go_on(child).await;
        grove.gone(root).await;
        let printed = grove.desk.printed(root, "stdout");
        assert!(printed.contains("left behind"), "{way}: {printed}");
        assert_eq!(grove.desk.session(root).exit_code, Some(3), "{way}");
        grove.end().await;
    }
}
