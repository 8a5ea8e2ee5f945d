//! Of many threads some are read: those that matter are among them, and nothing is said of the others.

use super::*;

/// Two that lock each other out, one that holds a lock as it sleeps, one that ended with a lock, and those who wait for these; all after many that sleep.
const MANY_C: &str = r#"#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, left = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *sleeper(void *a) { for (;;) sleep(100); return a; }
static void *first(void *a) {
    pthread_mutex_lock(&one); pthread_barrier_wait(&both); pthread_mutex_lock(&two); return a; }
static void *second(void *a) {
    pthread_mutex_lock(&two); pthread_barrier_wait(&both); pthread_mutex_lock(&one); return a; }
static void *holder(void *a) {
    pthread_mutex_lock(&held); pthread_barrier_wait(&both); return sleeper(a); }
static void *loader(void *a) { pthread_mutex_lock(&left); return a; }
static void *user(void *lock) { pthread_mutex_lock(lock); return lock; }
static pthread_t begun(void *(*how)(void *), void *with, const char *name) {
    pthread_t thread;
    pthread_create(&thread, 0, how, with);
    pthread_setname_np(thread, name);
    return thread;
}
int main(int count, char **words) {
    for (int i = 0; i < atoi(words[1]); i++) begun(sleeper, 0, "sleeper");
    pthread_barrier_init(&both, 0, 2);
    if (!strcmp(words[2], "circle")) { begun(first, 0, "first"); begun(second, 0, "second"); }
    if (!strcmp(words[2], "holder")) { begun(holder, 0, "holder"); pthread_barrier_wait(&both); begun(user, &held, "user"); }
    if (!strcmp(words[2], "ended")) {
        pthread_t loads;
        pthread_create(&loads, 0, loader, 0);
        pthread_join(loads, 0);
        begun(user, &left, "user");
    }
    return sleeper(0) != 0;
}
"#;

fn many(place: &Place, words: [&str; 2]) -> Hanging {
    let source = place.home.path().join("many.c");
    std::fs::write(&source, MANY_C).unwrap();
    let program = tools::build_c(&source, &place.home.path().join("many"));
    Hanging::of(place, &program, &words)
}

fn named<'v>(seen: &'v Value, name: &str) -> Option<&'v Value> {
    let mut waiters = seen["waiters"].as_array().unwrap().iter();
    waiters.find(|w| w["name"] == name)
}

/// As text.
fn told(place: &Place, process: &Hanging, words: &[&str]) -> String {
    let pid = process.0.id().to_string();
    let mut command = place.command(&["hang", "--pid", &pid]);
    Called::of(command.args(words).output().unwrap()).stdout
}

#[test]
fn who_waits_for_a_lock_is_read_before_those_who_sleep() {
    require!(gdb);
    let place = Place::new();
    let process = many(&place, ["300", "circle"]);
    let words = ["--adapter", "gdb", "--threads", "5"];
    let seen = process.until(&place, &words, has_deadlock);
    assert_eq!(circle(&seen).0, ["first", "second"], "{seen:#}");
    assert_eq!(seen["left_out"], 298, "{seen:#}");
    // A variable of the program is called by its name.
    assert!(waits_for(&seen, " <two>"), "{seen:#}");
    // Nobody is named like another: they have their numbers.
    let seen = process.until(&place, &["--adapter", "gdb"], has_deadlock);
    let waiters = seen["waiters"].as_array().unwrap();
    assert_eq!((waiters.len(), &seen["left_out"]), (303, &json!(0)));
    let names: HashSet<_> = waiters.iter().map(|w| w["name"].as_str()).collect();
    assert_eq!(names.len(), 303, "{names:?}");
}

#[test]
fn who_is_waited_for_is_read_and_nothing_is_said_of_the_others() {
    require!(gdb);
    let place = Place::new();
    let process = many(&place, ["30", "holder"]);
    let words = ["--adapter", "gdb", "--threads", "2"];
    let seen = process.until(&place, &words, |seen| named(seen, "user").is_some());
    let holders = &named(&seen, "user").unwrap()["wait"]["holders"];
    let holder = named(&seen, "holder").unwrap_or_else(|| panic!("{seen:#}"));
    assert_eq!(holders, &json!([holder["key"]]), "{seen:#}");
    let text = told(&place, &process, &words);
    for part in [
        "No deadlock among the 3 that were looked at; nobody is busy.",
        "30 more were not looked at.",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn an_owner_that_has_ended_is_told() {
    require!(gdb);
    require!(lldb_dap);
    let place = Place::new();
    let process = many(&place, ["0", "ended"]);
    for adapter in ["gdb", "lldb-dap"] {
        let words = ["--adapter", adapter];
        let seen = process.until(&place, &words, has_deadlock);
        assert_eq!(
            circle(&seen),
            (vec!["user".to_owned()], 0, true),
            "{seen:#}"
        );
        let text = told(&place, &process, &words);
        for part in [
            "1 waits for what never comes.",
            "NEVER GOES ON: the thread user waits for what never comes.",
            " <left> (its owner, thread ",
            ", has ended without unlocking it)",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}

const MANY_GO: &str = "package main

import (
	\"sync\"
	\"time\"
)

func one(a, b *sync.Mutex) { a.Lock(); time.Sleep(100 * time.Millisecond); b.Lock() }

func main() {
	var a, b sync.Mutex
	for i := 0; i < 1100; i++ {
		go func() { select {} }()
	}
	go one(&a, &b)
	go one(&b, &a)
	for {
		time.Sleep(time.Hour)
	}
}
";

/// Delve tells of 1,024; and who has taken a lock in the line where it waits for another cannot be read from lines.
#[test]
fn more_goroutines_than_are_told_of_and_locks_of_nobody() {
    let go = require!(go);
    require!(dlv);
    let place = Place::new();
    let folder = place.home.path().join("many");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("go.mod"), "module many\n\ngo 1.20\n").unwrap();
    let built = |text: &str, name: &str| {
        std::fs::write(folder.join("main.go"), text).unwrap();
        tools::build_go(&go, &folder, &place.home.path().join(name))
    };
    let process = Hanging::of(&place, &built(MANY_GO, "many-go"), &[]);
    process.until(&place, &[], |seen| {
        seen["told_at_most"]
            .as_u64()
            .is_some_and(|most| most >= 1024)
    });
    let text = told(&place, &process, &[]);
    let part = "the debugger tells of no others.";
    assert!(text.contains(part), "{text}");
    assert!(text.contains("No deadlock among the 1,0"), "{text}");
    let few = MANY_GO.replace("1100", "3");
    let process = Hanging::of(&place, &built(&few, "few-go"), &[]);
    process.until(&place, &[], |seen| waits_for(seen, "the Mutex"));
    let text = told(&place, &process, &[]);
    for part in [
        "No deadlock was found, but who holds 2 locks could not be told;",
        ": who holds it could not be told",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
