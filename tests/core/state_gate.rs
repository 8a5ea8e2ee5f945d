//! What may not be done in a phase is refused without a byte to the adapter, which keeps a log of what it hears.

use crate::support;

use std::path::Path;
use std::time::Duration;

use omp_debug::dap::requests::{
    Goto, GotoArguments, StepInTargets, StepInTargetsArguments, TerminateThreads,
    TerminateThreadsArguments,
};
use omp_debug::debugger::gate::{self, Action};
use omp_debug::debugger::{Command, ErrorKind, Granularity, Phase, StepKind, StopId};
use support::core::Home;
use support::phases::stay;
use support::procs::Watchdog;
use support::trace;

const PATIENCE: Duration = Duration::from_secs(20);

/// Each command that is about a session, with the action that the gate knows it as, and the request it would become.
fn commands(source: &Path) -> Vec<(Action, &'static str, Command)> {
    let (session, thread, frame_id) = (None, None, None);
    let step = |kind| Command::Step {
        session,
        thread,
        kind,
        granularity: Granularity::Line,
    };
    vec![
        (
            Action::Resume,
            "continue",
            Command::Continue { session, thread },
        ),
        (
            Action::Resume,
            "reverseContinue",
            Command::ReverseContinue { session, thread },
        ),
        (Action::Resume, "next", step(StepKind::Over)),
        (Action::Resume, "stepIn", step(StepKind::In)),
        (Action::Resume, "stepOut", step(StepKind::Out)),
        (Action::Resume, "stepBack", step(StepKind::Back)),
        (
            Action::Resume,
            "continue",
            Command::RunTo {
                session,
                path: source.to_owned(),
                line: 2,
            },
        ),
        (
            Action::Resume,
            "stepIn",
            Command::StepInto {
                session,
                thread,
                target: 1,
            },
        ),
        (
            Action::Resume,
            "goto",
            Command::request::<Goto>(
                session,
                &GotoArguments {
                    thread_id: 1,
                    target_id: 1,
                },
            ),
        ),
        (
            Action::Resume,
            "restartFrame",
            Command::RestartFrame { session, frame_id },
        ),
        (
            Action::Inspect,
            "stepInTargets",
            Command::request::<StepInTargets>(session, &StepInTargetsArguments { frame_id: 1 }),
        ),
        (
            Action::List,
            "terminateThreads",
            Command::request::<TerminateThreads>(
                session,
                &TerminateThreadsArguments {
                    thread_ids: Some(vec![1]),
                },
            ),
        ),
        (
            Action::Pause,
            "pause",
            Command::Pause {
                session,
                thread,
                momentary: false,
            },
        ),
        (
            Action::Inspect,
            "stackTrace",
            Command::StackTrace {
                session,
                thread,
                levels: 20,
            },
        ),
        (
            Action::Inspect,
            "scopes",
            Command::SelectFrame {
                session,
                thread: 1,
                frame_id,
            },
        ),
        (
            Action::Inspect,
            "scopes",
            Command::Scopes { session, frame_id },
        ),
        (
            Action::Inspect,
            "variables",
            Command::Variables {
                session,
                stop: StopId(1),
                reference: 1,
                page: None,
            },
        ),
        (
            Action::Inspect,
            "evaluate",
            Command::Evaluate {
                session,
                frame_id,
                expression: "1".to_owned(),
                context: "repl".to_owned(),
            },
        ),
        (
            Action::Inspect,
            "completions",
            Command::Completions {
                session,
                frame_id,
                text: "a".to_owned(),
                column: 1,
            },
        ),
        (
            Action::Modify,
            "setVariable",
            Command::SetVariable {
                session,
                stop: StopId(1),
                container: 1,
                name: "a".to_owned(),
                evaluate_name: None,
                value: "1".to_owned(),
            },
        ),
        (Action::List, "threads", Command::Threads { session }),
        (
            Action::Input,
            "evaluate",
            Command::WriteStdin {
                session,
                text: "a\n".to_owned(),
            },
        ),
        (
            Action::Terminate,
            "terminate",
            Command::Terminate { session },
        ),
        (Action::Detach, "disconnect", Command::Detach { session }),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_commands_write_no_frame() {
    let _watchdog = Watchdog::new("the state gate", Duration::from_mins(2));
    let phases = [
        Phase::NotStarted,
        Phase::Initializing,
        Phase::Configured,
        Phase::Running,
        Phase::Stopped,
        Phase::Terminated,
    ];
    let mut refusals = 0;
    for phase in phases {
        let home = Home::new();
        let desk = stay(&home, phase, &[])
            .await
            .unwrap_or_else(|why| panic!("{phase:?}: {why}"));
        let log = home.path().join("log");
        let heard = |wanted: &str| {
            trace::commands(&log)
                .iter()
                .filter(|command| *command == wanted)
                .count()
        };
        let mut refused = Vec::new();
        for (action, request, command) in commands(&home.path().join("work/program.fake")) {
            if gate::allow(phase, action).is_ok() {
                continue;
            }
            refused.push((request, heard(request)));
            let what = format!("{phase:?}: {command:?}");
            let answer = desk.ask(&what, PATIENCE, command).await.unwrap();
            let error = answer.expect_err(&what);
            assert_eq!(error.kind, ErrorKind::State, "{what}: {error}");
            assert!(
                error.what.ends_with('.') && error.hint.is_some(),
                "{what}: {error:?}"
            );
        }
        refusals += refused.len();
        // Whatever they had written would have been read before the end of the input.
        desk.ask("shutdown", PATIENCE, Command::Shutdown)
            .await
            .unwrap()
            .unwrap();
        for (request, before) in refused {
            assert_eq!(heard(request), before, "{phase:?}: {request} was sent");
        }
        home.mark.assert_none_left(PATIENCE);
    }
    assert!(refusals > 60, "only {refusals} commands were refused");
}
