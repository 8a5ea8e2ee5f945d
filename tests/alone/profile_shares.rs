//! Percentages as a person reads them: off the table on the screen and out of the text form, beside what perf and py-spy say of the same
//! process at the same time.

// Alone: two samplers and a program want a processor each.

use crate::support;

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::desk::{Desk, pane};
use support::hot::{Beside, Running, SHARES, hot, is};
use support::pty::Screen;
use support::tools;

/// How one is taken in the text form, for so many seconds.
struct Text(std::process::Child);

impl Text {
    fn begin(pid: u32, rate: u32, seconds: f64) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [tools::test_home().join("venv/bin")].into_iter();
        let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)));
        let child = Command::new(tools::omp_debug())
            .args(["profile", "--format", "json", "--pid", &pid.to_string()])
            .args(["--rate", &rate.to_string()])
            .args(["--seconds", &seconds.to_string()])
            .env("PATH", path.expect("a path"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.expect("it starts"))
    }

    fn ended(self) -> (u64, [f64; 3]) {
        let output = self.0.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(value["unit"], "samples");
        let total = value["total"].as_f64().expect("a total");
        let functions = value["functions"].as_array().expect("functions");
        let parts = SHARES.map(|(name, _)| {
            let of_it = functions
                .iter()
                .filter(|f| is(f["name"].as_str().unwrap_or_default(), name));
            of_it.filter_map(|f| f["total"].as_f64()).sum::<f64>() * 100.0 / total
        });
        (total as u64, parts)
    }
}

/// The percentage of a function with what it calls, off the table: `0.0 %  0  69.3 %  3,568  hot::seventy`.
fn of_table(screen: &Screen, title: &str, name: &str) -> Option<f64> {
    pane(screen, title).iter().find_map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [_own, "%", _, total, "%", _, function, ..] = words[..] else {
            return None;
        };
        is(function, name).then(|| total.parse().ok())?
    })
}

fn samples_of(screen: &Screen) -> u64 {
    let text = screen.text();
    let before = text
        .split(" samples ")
        .find(|before| before.ends_with(|c: char| c.is_ascii_digit()));
    let number = before.and_then(|before| before.rsplit(' ').next());
    let number = number.map(|number| number.replace(',', ""));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// On the screen from the first sample to the table. `is_enough` says, by the screen, that it may end.
fn on_screen(pid: u32, rate: u32, is_enough: impl FnMut(&Screen) -> bool) -> (Screen, [f64; 3]) {
    let words = [
        "profile",
        "--pid",
        &pid.to_string(),
        "--rate",
        &rate.to_string(),
    ];
    let desk = Desk::with(|builder| {
        builder
            .patience(std::time::Duration::from_mins(1))
            .args(words.map(OsString::from))
    });
    let pty = &desk.pty;
    pty.wait_until("enough samples", is_enough);
    // What gives its samples at the end needs a moment to give them.
    pty.key("Enter").wait_until("the profile", |screen| {
        screen.contains("zoom") && screen.contains("all 100.0 %")
    });
    pty.key("Tab").key("Tab").wait_for("Function");
    // By the total: all that was called for a moment takes nothing by itself either.
    pty.key("S");
    let title = format!("({pid})");
    let mut parts = [0.0; 3];
    let screen = pty.wait_until("the three functions in the table", |screen| {
        parts = SHARES.map(|(name, _)| of_table(screen, &title, name).unwrap_or(0.0));
        parts.iter().all(|part| *part > 0.0)
    });
    desk.leave();
    (screen, parts)
}

/// `apart` is how far they may be from each other.
fn assert_near(all: &[(&str, [f64; 3])], apart: f64, screen: &Screen) {
    for (at, (name, wanted)) in SHARES.iter().enumerate() {
        let said: Vec<(&str, f64)> = all.iter().map(|(who, parts)| (*who, parts[at])).collect();
        let most = said.iter().map(|(_, part)| *part).fold(0.0, f64::max);
        let least = said.iter().map(|(_, part)| *part).fold(100.0, f64::min);
        assert!(
            most - least <= apart,
            "{name}: {said:.1?}\n{}",
            screen.text()
        );
        assert!(
            most - wanted <= 6.0 && wanted - least <= 6.0,
            "{name}: {said:.1?}\n{}",
            screen.text()
        );
    }
}

/// Programs and samplers each want a processor: what shares one with others is not seen often enough to be compared.
fn native(running: &Running) {
    let Some(perf) = tools::required("perf", tools::perf()) else {
        return;
    };
    let seconds = running.seconds_of(8.0);
    let theirs = Beside::perf(&perf, running.pid(), seconds + 1.0);
    let text = Text::begin(running.pid(), 997, seconds);
    let (seen, screen) = on_screen(running.pid(), 997, |screen| samples_of(screen) > 5000);
    let (samples, text) = text.ended();
    let (others, theirs) = theirs.ended();
    assert!(samples > 3000 && others > 3000, "{samples} and {others}");
    assert_near(
        &[("screen", screen), ("text", text), ("perf", theirs)],
        3.0,
        &seen,
    );
}

#[test]
fn a_c_programs_table_and_text_say_what_perf_says() {
    let _alone = support::alone();
    native(&Running::start(&mut hot(&tools::hot_c_program(), "100")));
}

#[test]
fn a_rust_programs_table_and_text_say_what_perf_says() {
    let _alone = support::alone();
    native(&Running::start(&mut hot(&tools::hot_rust_program(), "100")));
}

/// py-spy tells its samples at the end, so that the time is looked at. It stops the program for each look, and two of them would wait for
/// each other and see other shares: they take turns within a minute.
#[test]
fn a_python_programs_table_and_text_say_what_py_spy_says() {
    let _alone = support::alone();
    let python = require!(python);
    let py_spy = require!(py_spy);
    let script = support::program_source("hot.py");
    let running = Running::start(Command::new(python).arg(&script).arg("100"));
    // py-spy takes whole ones.
    let wanted = running.seconds_of(8.0).ceil();
    let (others, theirs) = Beside::py_spy(&py_spy, running.pid(), wanted).ended();
    let (samples, text) = Text::begin(running.pid(), 400, wanted).ended();
    let (seen, screen) = on_screen(running.pid(), 400, |screen| {
        let header = screen.row(0);
        let before = header.split_once(" s · ").map(|(before, _)| before);
        let seconds = before.and_then(|before| before.rsplit(' ').next());
        seconds
            .and_then(|seconds| seconds.parse::<f64>().ok())
            .is_some_and(|seconds| seconds >= wanted)
    });
    assert!(samples > 2000 && others > 2000, "{samples} and {others}");
    assert_near(
        &[("screen", screen), ("text", text), ("py-spy", theirs)],
        // At different times: py-spy beside itself gave 67.9 to 71.6 within a minute.
        6.0,
        &seen,
    );
}
