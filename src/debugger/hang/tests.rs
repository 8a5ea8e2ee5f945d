//! Circles, and what is none.

use super::*;

fn waiter(key: &str, holders: &[&str], all: bool) -> Waiter {
    let wait = Wait {
        holders: holders.iter().map(|h| (*h).to_owned()).collect(),
        all,
        certain: true,
        ..Wait::of("a lock")
    };
    Waiter {
        key: key.to_owned(),
        kind: "thread".to_owned(),
        name: key.to_owned(),
        wait: (!holders.is_empty()).then_some(wait),
        ..Waiter::default()
    }
}

fn found(waiters: &[Waiter]) -> Vec<(Vec<String>, usize)> {
    let found = cycles::find(waiters).into_iter();
    found.map(|d| (d.cycle, d.behind.len())).collect()
}

#[test]
fn a_circle_is_found_with_all_who_wait_behind_it() {
    let all = [
        waiter("a", &["b"], false),
        waiter("b", &["a"], false),
        waiter("c", &["a"], false),
        waiter("d", &["c"], false),
        waiter("e", &["runs"], false),
        waiter("runs", &[], false),
        waiter("self", &["self"], false),
    ];
    assert_eq!(
        found(&all),
        [
            (vec!["a".to_owned(), "b".to_owned()], 2),
            (vec!["self".to_owned()], 0)
        ]
    );
}

#[test]
fn whom_anybody_can_let_go_on_is_not_stuck_while_one_of_them_is_not() {
    let free = [
        waiter("a", &["b", "runs"], false),
        waiter("b", &["a"], false),
        waiter("runs", &[], false),
    ];
    assert_eq!(found(&free), []);
    let held = [
        waiter("a", &["b", "runs"], true),
        waiter("b", &["a"], false),
        waiter("runs", &[], false),
    ];
    assert_eq!(found(&held).len(), 1);
    // One that ended, or is not known, could do anything.
    assert_eq!(found(&[waiter("a", &["gone"], false)]), []);
}

#[test]
fn who_waits_for_what_never_comes_is_named_with_those_behind() {
    let mut never = waiter("load", &["x"], false);
    never.wait = Some(Wait {
        never: true,
        certain: true,
        ..Wait::of("a promise")
    });
    let mut hang = Hang {
        waiters: vec![never, waiter("main", &["load"], false)],
        ..Hang::default()
    };
    hang.sort();
    let text = hang.text();
    assert!(
        text.contains(
            "NEVER GOES ON: the thread load waits for what never comes, and the thread main waits behind."
        ),
        "{text}"
    );
    assert_eq!(hang.groups.len(), 2);
}

#[test]
fn equal_stacks_are_one_group_and_equal_names_get_their_numbers() {
    let thread = |lwp| Waiter {
        lwp: Some(lwp),
        ..waiter("w", &[], false)
    };
    let mut hang = Hang {
        waiters: (1..=30).map(thread).collect(),
        ..Hang::default()
    };
    hang.sort();
    assert_eq!(hang.groups.len(), 1);
    assert!(
        hang.text()
            .contains("30 threads: w#1, w#2, w#3, w#4, w#5, w#6 and 24 more"),
        "{}",
        hang.text()
    );
}

/// As gdb and lldb-dap tell them of a program without debug information.
#[test]
fn a_circle_names_the_function_that_waits_in_it_and_not_the_library() {
    let frame = |(name, path): (&str, Option<&str>)| Frame {
        name: name.to_owned(),
        path: path.map(str::to_owned),
        ..Frame::default()
    };
    let stuck = |key, holder, own, caller| Waiter {
        frames: [
            (
                "futex_wait",
                Some("./nptl/../sysdeps/nptl/futex-internal.h"),
            ),
            ("__lll_lock_wait", None),
            ("pthread_mutex_lock", None),
            ("std::mutex::lock()", None),
            (own, None),
            (caller, None),
            ("start_thread", Some("./nptl/./nptl/pthread_create.c")),
        ]
        .map(frame)
        .to_vec(),
        ..waiter(key, &[holder], false)
    };
    let mut hang = Hang {
        waiters: vec![
            stuck("a", "b", "transfer()", "???"),
            stuck("b", "a", "report()", "___lldb_unnamed_symbol7808"),
        ],
        ..Hang::default()
    };
    hang.sort();
    let lines = hang.lines();
    let named = lines.iter().filter(|line| line.tone == Tone::Own);
    let named: Vec<_> = named.map(|line| line.text.as_str()).collect();
    assert_eq!(named, ["  ┌▶ a  transfer()", "  │  b  report()"]);
}

#[test]
fn waits_are_known_by_whole_names_of_functions() {
    let of = |names: &[&str]| {
        let frames = names.iter().map(|name| Frame {
            name: (*name).to_owned(),
            ..Frame::default()
        });
        kinds::wait(&frames.collect::<Vec<_>>(), false)
    };
    assert_eq!(of(&["__libc_accept"]), Some("a connection"));
    assert_eq!(
        of(&["__GI___clock_nanosleep", "main"]),
        Some("a time (it sleeps)")
    );
    assert_eq!(of(&["spread", "thread_start"]), None);
    assert_eq!(of(&["__GI___libc_read"]), Some("data to read"));
}

#[test]
fn what_bringing_a_debugger_in_made_a_thread_do_does_not_count() {
    let (samples, pid) = (Samples::default(), i64::from(std::process::id()));
    let tasks = || base::threads::tasks(pid);
    let (begun, begins) = std::sync::mpsc::channel();
    let (end, ends) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("was-there".to_owned());
    let thread = thread.spawn(move || (begun.send(()), ends.recv().is_err()));
    begins.recv().unwrap();
    let tasks_then = tasks();
    let (lwp, _) = tasks_then
        .iter()
        .find(|(_, task)| task.name == "was-there")
        .unwrap();
    samples.look(pid);
    let looked = std::time::Instant::now();
    while looked.elapsed() < WATCHED {}
    samples.look(pid);
    samples.disturbed(pid);
    assert!(samples.is_known(pid), "there is nothing to wait for");
    drop(end);
    thread.unwrap().join().unwrap().0.unwrap();
    while tasks().contains_key(lwp) {}
    let is_known = || samples.since(pid, &tasks(), true).contains_key(lwp);
    assert!(is_known(), "what was seen before it came in");
    samples.look(pid);
    assert!(!is_known(), "only until somebody has looked again");
}

#[test]
fn a_verdict_is_of_those_that_were_looked_at_and_of_locks_whose_holders_are_known() {
    let mut hang = Hang {
        waiters: vec![waiter("a", &[], false), waiter("b", &["a"], false)],
        left_out: 47,
        ..Hang::default()
    };
    let verdict = |hang: &Hang| {
        hang.text()
            .lines()
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    hang.sort();
    assert_eq!(
        verdict(&hang),
        [
            ": 2 threads at 2 stacks. No deadlock among the 2 that were looked at; nobody is busy.",
            "47 more were not looked at."
        ]
    );
    (hang.left_out, hang.told_at_most) = (768, Some(1024));
    let told = "More than 768 others were not looked at: the debugger tells of 1,024 at most.";
    assert_eq!(verdict(&hang).get(1).map(String::as_str), Some(told));
    let none = Hang {
        left_out: 3,
        ..Hang::default()
    };
    let none = none.text();
    assert!(
        none.starts_with(": there was no time to look at anybody."),
        "{none}"
    );
    (hang.left_out, hang.told_at_most) = (0, None);
    for waiter in &mut hang.waiters {
        waiter.wait = Some(Wait {
            lock: true,
            ..Wait::of("the Mutex 0x1")
        });
    }
    hang.sort();
    let text = hang.text();
    for part in [
        "No deadlock was found, but who holds 1 lock could not be told; nobody is busy.",
        "  wait for the Mutex 0x1: who holds it could not be told",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
