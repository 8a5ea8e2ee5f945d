//! The cases that have a name: what three do, as the rules foretell it, and what these rules know nothing of.

use std::panic::AssertUnwindSafe;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::play::{Stage, Way};
use super::rules::Deed::{self, Cancel, Come, Decide, Die, Do, Follow, Leave, Release, Request};
use super::rules::Looked::{Before, Here as AtTheStop, Nowhere};
use super::rules::Wish::{
    Break, BreakIf, Clear, Continue, Evaluate, Hover, Pause, Step, Threads, Unbreak,
};
use super::rules::{Level, Say, Sort};
use super::states;

const PERMISSION: &str = include_str!("../permission.rs");
const STORY: &str = include_str!("../../screen/shared_story.rs");

/// The person, the agent, and the third.
const P: usize = 0;
const A: usize = 1;
const T: usize = 2;

pub enum Case {
    /// With a third of this sort.
    Play(Sort, &'static [(usize, Deed)]),
    Here(fn() -> BoxFuture<'static, ()>),
    /// A test of another file.
    There(&'static str, &'static str),
}
use Case::{Here, Play, There};

pub const CASES: [(&str, Case); 38] = [
    (
        "nothing is sent before consent, and then what a person made of it",
        There(
            PERMISSION,
            "what_runs_code_waits_for_a_person_and_is_done_as_they_say",
        ),
    ),
    (
        "silence, nobody, another stop",
        There(PERMISSION, "silence_nobody_and_another_stop_are_refusals"),
    ),
    (
        "a person takes control at any time",
        There(
            PERMISSION,
            "one_drives_and_a_person_takes_control_at_any_time",
        ),
    ),
    (
        "a screen that joined answers",
        There(STORY, "a_screen_that_joined_sees_the_same_and_answers"),
    ),
    (
        "an agent that steps drives, and another does not",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Drive)),
                (A, Do(Step, Nowhere)),
                (T, Do(Step, Nowhere)),
                (T, Do(Threads, Nowhere)),
                (A, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "a person's step takes control back",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Drive)),
                (A, Do(Step, Nowhere)),
                (P, Do(Step, Nowhere)),
                (A, Do(Step, Nowhere)),
                (P, Release),
                (A, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "a script's step takes control, too",
        Play(
            Sort::Script,
            &[
                (P, Deed::Mode(Level::Drive)),
                (A, Do(Step, Nowhere)),
                (T, Do(Step, Nowhere)),
                (A, Do(Step, Nowhere)),
                (T, Leave),
                (A, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "who does not drive has nothing to give back",
        Play(
            Sort::Agent,
            &[
                (P, Release),
                (A, Release),
                (P, Deed::Mode(Level::Auto)),
                (A, Do(Step, Nowhere)),
                (T, Release),
                (A, Release),
            ],
        ),
    ),
    (
        "control is asked for and given: then no step is asked about",
        Play(
            Sort::Agent,
            &[
                (A, Request),
                (P, Decide(0, Say::Once)),
                (A, Do(Step, Nowhere)),
                (A, Do(Evaluate(1), Nowhere)),
                (P, Decide(0, Say::Deny)),
                (A, Do(Continue, Nowhere)),
                (A, Do(Pause, Nowhere)),
            ],
        ),
    ),
    (
        "control is asked for and refused",
        Play(
            Sort::Agent,
            &[
                (A, Request),
                (P, Decide(0, Say::Deny)),
                (A, Release),
                (T, Request),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "control that is somebody's is asked for in every mode",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Auto)),
                (A, Request),
                (T, Request),
                (P, Decide(0, Say::Once)),
                (A, Request),
                (P, Leave),
            ],
        ),
    ),
    (
        "always, for control",
        Play(
            Sort::Agent,
            &[
                (A, Request),
                (P, Decide(0, Say::Always)),
                (A, Release),
                (A, Request),
                (P, Request),
                (A, Request),
            ],
        ),
    ),
    (
        "a driver that dies lets go",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Drive)),
                (A, Die(Step)),
                (T, Do(Step, Nowhere)),
                (A, Come),
                (A, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "one that dies while it waits waits no more",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (T, Do(Evaluate(2), Nowhere)),
                (A, Die(Evaluate(3))),
                (P, Decide(0, Say::Once)),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "one that comes again begins anew",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (P, Decide(0, Say::Always)),
                (A, Do(Evaluate(2), Nowhere)),
                (A, Leave),
                (A, Come),
                (A, Do(Evaluate(2), Nowhere)),
            ],
        ),
    ),
    (
        "until the program goes on",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (P, Decide(0, Say::ThisStop)),
                (A, Do(Evaluate(2), Nowhere)),
                (T, Do(Evaluate(2), Nowhere)),
                (P, Do(Step, Nowhere)),
                (A, Do(Evaluate(2), Nowhere)),
            ],
        ),
    ),
    (
        "until the program goes on, while it runs, is once",
        Play(
            Sort::Agent,
            &[
                (P, Do(Continue, Nowhere)),
                (A, Do(Pause, Nowhere)),
                (P, Decide(0, Say::ThisStop)),
                (A, Release),
                (P, Do(Continue, Nowhere)),
                (A, Do(Pause, Nowhere)),
            ],
        ),
    ),
    (
        "what is allowed too late is not done, and allows nothing",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (P, Do(Step, Nowhere)),
                (P, Decide(0, Say::ThisStop)),
                (A, Do(Evaluate(1), Nowhere)),
                (P, Do(Step, Nowhere)),
                (P, Decide(0, Say::Always)),
                (A, Do(Evaluate(1), Nowhere)),
            ],
        ),
    ),
    (
        "what is changed too late is not done",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (P, Do(Step, Nowhere)),
                (P, Decide(0, Say::Instead(2))),
            ],
        ),
    ),
    (
        "what cannot be changed still waits",
        Play(
            Sort::Agent,
            &[
                (A, Do(Step, Nowhere)),
                (P, Decide(0, Say::Instead(2))),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "always is for one action",
        Play(
            Sort::Agent,
            &[
                (A, Do(Step, Nowhere)),
                (P, Decide(0, Say::Always)),
                (A, Release),
                (A, Do(Step, Nowhere)),
                (A, Release),
                (A, Do(Continue, Nowhere)),
                (A, Do(Break(1), Nowhere)),
            ],
        ),
    ),
    (
        "a step that was allowed is not done while another drives",
        Play(
            Sort::Agent,
            &[
                (A, Do(Step, Nowhere)),
                (P, Request),
                (P, Decide(0, Say::Once)),
                (P, Release),
            ],
        ),
    ),
    (
        "an agent lowers the mode and does not raise it",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Auto)),
                (A, Deed::Mode(Level::Drive)),
                (A, Deed::Mode(Level::Auto)),
                (T, Deed::Mode(Level::Observe)),
                (A, Do(Step, Nowhere)),
                (A, Do(Hover, Nowhere)),
                (P, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "one that is shut out is let in by a person alone",
        Play(
            Sort::Agent,
            &[
                (A, Request),
                (P, Decide(0, Say::Once)),
                (A, Do(Evaluate(1), Nowhere)),
                (P, Decide(0, Say::Abort)),
                (A, Do(Threads, Nowhere)),
                (A, Release),
                (A, Deed::Mode(Level::Observe)),
                (A, Leave),
                (A, Come),
                (A, Do(Threads, Nowhere)),
                (P, Deed::Mode(Level::Ask)),
                (A, Do(Threads, Nowhere)),
            ],
        ),
    ),
    (
        "who only looks takes no control",
        Play(
            Sort::Script,
            &[
                (P, Request),
                (P, Deed::Mode(Level::Observe)),
                (T, Request),
                (T, Do(Step, Nowhere)),
                (T, Do(Hover, Nowhere)),
                (A, Request),
            ],
        ),
    ),
    (
        "without rules, rules allow nothing",
        Play(
            Sort::Script,
            &[
                (P, Deed::Mode(Level::Rules)),
                (A, Do(Threads, Nowhere)),
                (T, Do(Threads, Nowhere)),
                (T, Do(Step, Nowhere)),
                (A, Request),
                (P, Do(Step, Nowhere)),
            ],
        ),
    ),
    (
        "the last who could answer goes",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (T, Request),
                (P, Leave),
                (A, Do(Evaluate(1), Nowhere)),
                (A, Do(Threads, Nowhere)),
            ],
        ),
    ),
    (
        "an old stop is refused to everyone, and takes no control",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Auto)),
                (A, Do(Step, AtTheStop)),
                (P, Do(Step, Before)),
                (A, Do(Step, Before)),
                (A, Do(Evaluate(1), Before)),
                (A, Do(Hover, Before)),
                (A, Do(Continue, AtTheStop)),
                (A, Do(Step, AtTheStop)),
                (A, Do(Pause, AtTheStop)),
            ],
        ),
    ),
    (
        "a person's breakpoint is not changed without them",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Drive)),
                (P, Do(Break(1), Nowhere)),
                (A, Do(Break(2), Nowhere)),
                (A, Do(Unbreak(2), Nowhere)),
                (A, Do(Unbreak(1), Nowhere)),
                (A, Do(Break(1), Nowhere)),
                (A, Do(Clear, Nowhere)),
                (P, Decide(0, Say::Deny)),
                (P, Decide(0, Say::Once)),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "a breakpoint that runs code is asked about",
        Play(
            Sort::Agent,
            &[
                (P, Deed::Mode(Level::Drive)),
                (A, Do(BreakIf(1), Nowhere)),
                (P, Decide(0, Say::Once)),
                (A, Do(Break(1), Nowhere)),
            ],
        ),
    ),
    (
        "consent to remove a breakpoint is to no other with its number",
        Play(
            Sort::Agent,
            &[
                (P, Do(Break(1), Nowhere)),
                (A, Do(Unbreak(1), Nowhere)),
                (P, Do(Unbreak(1), Nowhere)),
                (P, Do(Break(2), Nowhere)),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "what is taken back waits no more",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (A, Request),
                (A, Cancel(0)),
                (P, Decide(0, Say::Once)),
                (P, Decide(0, Say::Once)),
            ],
        ),
    ),
    (
        "an agent answers nothing, and nobody what is not asked",
        Play(
            Sort::Agent,
            &[
                (A, Do(Evaluate(1), Nowhere)),
                (T, Decide(0, Say::Once)),
                (A, Decide(0, Say::Abort)),
                (P, Decide(1, Say::Once)),
            ],
        ),
    ),
    (
        "one that comes late knows the whole",
        Play(
            Sort::Script,
            &[
                (P, Follow),
                (A, Do(Evaluate(1), Nowhere)),
                (P, Follow),
                (P, Decide(0, Say::Once)),
                (T, Do(Break(1), Nowhere)),
                (P, Follow),
                (T, Do(Continue, Nowhere)),
                (P, Follow),
                (T, Leave),
            ],
        ),
    ),
    (
        "in the frame that was shown",
        Here(states::in_the_frame_that_was_shown),
    ),
    ("more than may wait", Here(states::more_than_may_wait)),
    ("a lease ends", Here(states::a_lease_ends)),
    ("two of one name", Here(states::two_of_one_name)),
];

pub async fn play(way: Way) -> Vec<String> {
    let mut failed = Vec::new();
    let mut stage = Stage::open(way, |_| {}).await;
    for (name, case) in &CASES {
        match case {
            Play(third, deeds) => {
                let all = [(P, Come), (A, Come), (T, Come)];
                let deeds: Vec<_> = all.into_iter().chain(deeds.iter().copied()).collect();
                if let Err(why) = stage.play(*third, &deeds).await {
                    failed.push(format!("{name}, {way:?}: {why}"));
                    stage.end().await;
                    stage = Stage::open(way, |_| {}).await;
                }
            }
            Here(case) if way == Way::Handle => {
                if AssertUnwindSafe(case()).catch_unwind().await.is_err() {
                    failed.push((*name).to_owned());
                }
            }
            Here(_) => {}
            There(file, test) => assert!(file.contains(&format!("fn {test}(")), "{test} is gone"),
        }
    }
    stage.end().await;
    failed
}
