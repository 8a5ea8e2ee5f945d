//! Profiles that are taken of real programs: where their functions are and who called them; and processes that end, are zombies, have no
//! symbols, or cannot be looked at in the best way. Shares are measured in `profile_shares`.

use crate::support;

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::process::ProcessError;
use omp_debug::diagnostics::profile::sample::{
    Clock, Options, SampleError, Source, Standing, Target, Tools,
};
use omp_debug::diagnostics::profile::take::{Live, ProcessChoice, Request, TakeError, take};
use omp_debug::diagnostics::profile::{Frame, Profile};
use support::hot::{Running, hot, is};
use support::tools;

fn tools_here() -> Tools {
    let env: BTreeMap<String, String> = std::env::vars().collect();
    Tools {
        env,
        folders: vec![tools::test_home().join("venv/bin")],
    }
}

fn no_tools() -> Tools {
    Tools::default()
}

fn request(pid: u32, seconds: f64) -> Request {
    Request {
        duration: Some(Duration::from_secs_f64(seconds)),
        ..Request::of(ProcessChoice::Pid(pid))
    }
}

fn taken(request: &Request, tools: &Tools) -> Result<Profile, TakeError> {
    let never = Cancel::default();
    take(request, tools, &never, &never, &mut |_| true)
}

fn callers_of(profile: &Profile, name: &str) -> Vec<String> {
    let sample = profile.samples.iter().find(|sample| {
        let mut frames = profile.frames_of(sample.stack);
        frames.any(|id| profile.frame(id).is_some_and(|frame| is(&frame.name, name)))
    });
    let sample = sample.unwrap_or_else(|| panic!("no sample of {name}: {:?}", profile.frames));
    profile
        .frames_of(sample.stack)
        .filter_map(|id| Some(profile.frame(id)?.name.to_string()))
        .collect()
}

#[cfg(feature = "profile-native")]
#[test]
fn functions_of_c_have_those_that_called_them() {
    let _beside = support::beside();
    let running = Running::start(&mut hot(&tools::hot_c_program(), "60"));
    let request = Request {
        with: Some(Source::Native),
        ..request(running.pid(), 1.0)
    };
    let profile = taken(&request, &tools_here()).expect("a profile");
    let stack = callers_of(&profile, "seventy");
    let in_stack = |name| stack.iter().any(|frame| is(frame, name));
    assert!(in_stack("round_of") && in_stack("main"), "{stack:?}");
    assert!(
        profile.lost * 20 <= profile.total(),
        "{} lost",
        profile.lost
    );
}

#[test]
fn functions_of_python_have_their_place_and_those_that_called_them() {
    let _beside = support::beside();
    let python = require!(python);
    require!(py_spy);
    let script = support::program_source("hot.py");
    let running = Running::start(Command::new(python).arg(&script).arg("60"));
    let mut live = Vec::new();
    let never = Cancel::default();
    let mut news = |news: &Live<'_>| {
        live.push((news.source, news.is_live));
        true
    };
    let asked = request(running.pid(), 2.0);
    let profile = take(&asked, &tools_here(), &never, &never, &mut news).expect("a profile");
    assert_eq!(live.first(), Some(&(Source::PySpy, false)));
    let named = |frame: &&Frame| &*frame.name == "seventy";
    let seventy = profile.frames.iter().find(named).expect("the function");
    assert_eq!(seventy.file.as_deref(), script.to_str());
    assert!(seventy.line.is_some());
    let callers = callers_of(&profile, "seventy");
    assert!(callers.iter().any(|name| name == "main"), "{callers:?}");
}

#[test]
fn states_of_threads_when_there_is_nothing_else() {
    let _beside = support::beside();
    let running = Running::start(&mut hot(&tools::hot_c_program(), "60"));
    let request = Request {
        with: Some(Source::Proc),
        ..request(running.pid(), 1.0)
    };
    let profile = taken(&request, &no_tools()).expect("a profile");
    let names: Vec<&str> = profile.frames.iter().map(|f| &*f.name).collect();
    assert!(
        names.contains(&"[running]") && names.contains(&"[in its own code]"),
        "{names:?}"
    );
    assert!(
        profile
            .notes
            .iter()
            .any(|note| note.contains("without functions"))
    );
    assert!(profile.total() > 50, "{}", profile.total());
}

#[test]
fn wall_time_shows_what_a_thread_waits_for() {
    let _beside = support::beside();
    let running = Running::start(Command::new("sleep").arg("60"));
    let deadline = Instant::now() + Duration::from_secs(20);
    let sleeps =
        |process: support::procs::Process| process.state == 'S' && process.command == "sleep 60";
    while !support::procs::look_up(running.pid()).is_some_and(sleeps) {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    let profile = |clock| {
        let request = Request {
            options: Options {
                clock,
                ..Options::default()
            },
            with: Some(Source::Proc),
            ..request(running.pid(), 0.5)
        };
        taken(&request, &no_tools())
    };
    let nothing = profile(Clock::Cpu).unwrap_err();
    assert!(
        nothing.to_string().contains("took no processor time"),
        "{nothing}"
    );
    assert!(nothing.to_string().contains("--wall"), "{nothing}");
    let wall = profile(Clock::Wall).expect("a profile");
    let names: Vec<&str> = wall.frames.iter().map(|f| &*f.name).collect();
    assert!(names.contains(&"[waiting]"), "{names:?}");
    assert!(
        names.iter().any(|name| name.contains("nanosleep")),
        "{names:?}"
    );
}

#[cfg(feature = "profile-native")]
#[test]
fn a_program_that_ends_meanwhile_leaves_its_profile_and_says_when() {
    let _beside = support::beside();
    for source in [Source::Native, Source::Proc] {
        let mut running = Running::start(&mut hot(&tools::hot_c_program(), "60"));
        let (begun, begins) = std::sync::mpsc::channel();
        let waits = std::thread::spawn({
            let pid = running.pid();
            move || {
                let request = Request {
                    with: Some(source),
                    ..request(pid, 60.0)
                };
                let never = Cancel::default();
                let mut news = |live: &Live<'_>| begun.send(live.samples).is_ok();
                take(&request, &tools_here(), &never, &never, &mut news)
            }
        });
        assert!(begins.iter().any(|samples| samples > 20));
        running.0.kill().expect("it can be ended");
        running.0.wait().expect("it ends");
        let ended = Instant::now();
        let profile = waits.join().expect("no panic").expect("a profile");
        assert!(ended.elapsed() < Duration::from_secs(10));
        assert!(
            profile
                .notes
                .iter()
                .any(|note| note.contains(" ended after ")),
            "{:?}",
            profile.notes
        );
        assert!(profile.total() > 20);
    }
}

#[test]
fn a_zombie_and_nobody_each_have_their_sentence() {
    let _beside = support::beside();
    let mut child = Running::start(&mut Command::new("true"));
    let deadline = Instant::now() + Duration::from_secs(20);
    while !matches!(Target::look(child.pid()), Err(ProcessError::Zombie { .. })) {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    let error = taken(&request(child.pid(), 1.0), &no_tools()).unwrap_err();
    assert!(error.to_string().contains("is a zombie"), "{error}");
    let pid = child.pid();
    child.0.wait().expect("it is taken note of");
    let error = taken(&request(pid, 1.0), &no_tools()).unwrap_err();
    assert_eq!(error, SampleError::Target(ProcessError::Absent(pid)).into());
}

#[test]
fn a_process_that_got_the_number_of_another_is_not_taken_for_it() {
    let _beside = support::beside();
    let running = Running::start(Command::new("sleep").arg("60"));
    let target = Target::look(running.pid()).expect("it runs");
    let chosen = Request::of(ProcessChoice::Chosen {
        pid: target.pid,
        started: target.started - 1,
    });
    let error = taken(&chosen, &no_tools()).unwrap_err();
    assert!(
        error.to_string().contains("is another one by now"),
        "{error}"
    );
}

#[cfg(feature = "profile-native")]
#[test]
fn a_stripped_program_is_sampled_though_its_functions_have_no_names() {
    let _beside = support::beside();
    let running = Running::start(&mut hot(&tools::stripped_program(), "60"));
    let request = Request {
        with: Some(Source::Native),
        ..request(running.pid(), 4.0)
    };
    let profile = taken(&request, &tools_here()).expect("a profile");
    let modules: Vec<_> = profile
        .frames
        .iter()
        .filter_map(|f| f.module.as_deref())
        .collect();
    assert!(
        modules
            .iter()
            .any(|module| module.ends_with("hot-stripped")),
        "{modules:?}"
    );
    assert!(profile.total() > 20);
}

#[test]
fn without_any_tool_something_is_shown_and_the_rest_is_said() {
    let _beside = support::beside();
    let python = require!(python);
    let script = support::program_source("hot.py");
    let running = Running::start(Command::new(python).arg(script).arg("60"));
    let missing = Request {
        with: Some(Source::PySpy),
        ..request(running.pid(), 0.5)
    };
    let error = taken(&missing, &no_tools()).unwrap_err();
    assert!(error.to_string().contains("pip install py-spy"), "{error}");
    let profile = taken(&request(running.pid(), 0.5), &no_tools()).expect("a profile");
    let notes = profile.notes.join("\n");
    assert!(notes.contains("pip install py-spy"), "{notes}");
    assert!(notes.contains("used: "), "{notes}");
}

#[test]
fn stopping_keeps_what_there_is_and_dropping_does_not() {
    let _beside = support::beside();
    let running = Running::start(&mut hot(&tools::hot_c_program(), "60"));
    let endless = Request {
        with: Some(Source::Proc),
        ..Request::of(ProcessChoice::Pid(running.pid()))
    };
    let (stop, never) = (Cancel::default(), Cancel::default());
    let mut seen = 0;
    let profile = take(&endless, &no_tools(), &stop, &never, &mut |news| {
        seen = news.samples;
        assert_eq!(news.profile.samples.len() as u64, news.samples);
        if news.samples > 20 {
            stop.cancel();
        }
        true
    })
    .expect("a profile");
    assert!(seen > 20 && profile.samples.len() as u64 >= seen);
    let dropped = take(&endless, &no_tools(), &never, &never, &mut |news| {
        news.samples == 0
    });
    assert_eq!(dropped.unwrap_err(), TakeError::Cancelled);
}

/// Whoever stands still shows a place and no work: that is said first, whoever knows it and whatever looks.
#[test]
fn what_stands_still_is_said_before_all_else() {
    let _beside = support::beside();
    let running = Running::start(&mut hot(&tools::hot_c_program(), "60"));
    let pid = running.pid();
    let of_proc = Request {
        with: Some(Source::Proc),
        options: Options {
            clock: Clock::Wall,
            ..Options::default()
        },
        ..request(pid, 0.5)
    };
    let free = taken(&of_proc, &no_tools()).expect("a profile");
    assert!(free.stood.is_zero() && !free.notes.join("\n").contains("was stopped"));
    // A debugger inside of the program is known to us alone.
    of_proc.held.set(true);
    let held = taken(&of_proc, &no_tools()).expect("a profile");
    of_proc.held.set(false);
    let first = &held.notes[0];
    assert!(
        first.contains("was stopped by its debugger for ") && first.contains("continue it"),
        "{first}"
    );
    assert!(held.stood >= Duration::from_millis(400), "{:?}", held.stood);
    let signal = |signal| {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    };
    signal(rustix::process::Signal::STOP);
    let stops = Instant::now();
    while support::procs::look_up(pid).is_none_or(|process| process.state != 'T') {
        assert!(stops.elapsed() < Duration::from_secs(20), "it runs on");
        std::thread::yield_now();
    }
    let mut said = false;
    let never = Cancel::default();
    let stopped = take(&of_proc, &no_tools(), &never, &never, &mut |news| {
        said |= news.standing == Some(Standing::Signal);
        true
    })
    .expect("a profile");
    let first = &stopped.notes[0];
    assert!(said && first.contains("was stopped by a signal"), "{first}");
    assert!(first.contains(&format!("kill -CONT {pid}")), "{first}");
    // Of its work there is nothing to see, and why is said.
    let nothing = taken(
        &Request {
            with: Some(Source::Proc),
            ..request(pid, 0.5)
        },
        &no_tools(),
    );
    let why = nothing.unwrap_err().to_string();
    assert!(
        why.contains("stood still") && why.contains("kill -CONT"),
        "{why}"
    );
    signal(rustix::process::Signal::CONT);
}

#[test]
fn nothing_is_left_behind_when_a_profile_is_dropped() {
    let _beside = support::beside();
    require!(py_spy);
    let python = require!(python);
    let script = support::program_source("hot.py");
    let running = Running::start(Command::new(python).arg(script).arg("60"));
    let endless = Request {
        with: Some(Source::PySpy),
        ..Request::of(ProcessChoice::Pid(running.pid()))
    };
    let never = Cancel::default();
    let mut told = 0;
    let dropped = take(&endless, &tools_here(), &never, &never, &mut |_| {
        told += 1;
        told < 3
    });
    assert_eq!(dropped.unwrap_err(), TakeError::Cancelled);
    let wanted = format!("--pid {}", running.pid());
    let left: Vec<_> = support::procs::descendants(std::process::id())
        .into_iter()
        .filter(|process| process.command.contains("py-spy") && process.command.contains(&wanted))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
