//! What is typed into the terminal of a program that stands still.

use crate::support;

use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Command, Console, ErrorKind, Event, LaunchSpec,
    core::WhileStopped,
};
use support::core::{Desk, Home};
use support::{bench::PATIENCE, tools};

const PROGRAM: &str = "print('ready')\nname = input()\nprint('read', name)\n";

fn typed(text: &str) -> Command {
    Command::WriteStdin {
        session: None,
        text: text.to_owned(),
    }
}

async fn stopped(setting: WhileStopped) -> (Home, Desk) {
    let home = Home::new();
    let program = home.file("work/ask.py", PROGRAM);
    let mut config = home.config(PATIENCE);
    config.settings.typed_while_stopped = setting;
    let mut desk = Desk::open(config).await;
    let at = Command::SetBreakpoint(BreakpointSpec::at(BreakpointSite::Source {
        path: program.clone(),
        line: 2,
        column: None,
    }));
    desk.must("a breakpoint", PATIENCE, at).await.unwrap();
    let spec = LaunchSpec {
        program,
        adapter: Some("debugpy".to_owned()),
        console: Console::Pty,
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    desk.stop(session, None, PATIENCE).await.unwrap();
    (home, desk)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_waits_and_is_said_once_a_stop_or_is_refused() {
    if tools::required("debugpy", tools::debugpy()).is_none() {
        return;
    }
    for (setting, times) in [
        (WhileStopped::Warn, 1),
        (WhileStopped::Off, 0),
        (WhileStopped::Error, 0),
    ] {
        let (home, mut desk) = stopped(setting).await;
        for text in ["a", "da\n"] {
            let done = desk.ask("typing", PATIENCE, typed(text)).await.unwrap();
            match setting {
                WhileStopped::Error => assert_eq!(done.unwrap_err().kind, ErrorKind::State),
                _ => drop(done.unwrap()),
            }
        }
        let said = |event: &&Event| format!("{event:?}").contains("reads what is typed when");
        let count = |desk: &Desk| desk.history.iter().filter(said).count();
        let enough = |desk: &Desk| (count(desk) >= times).then_some(());
        desk.until("the sentence", PATIENCE, enough).await.unwrap();
        desk.must("shutdown", PATIENCE, Command::Shutdown)
            .await
            .unwrap();
        assert_eq!(count(&desk), times, "{setting:?}");
        home.mark.assert_none_left(PATIENCE);
    }
}
