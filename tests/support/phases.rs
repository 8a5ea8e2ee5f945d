//! Sessions that stay where they are, for tests of what may be done there.

use std::time::Duration;

use omp_debug::debugger::{Command, LaunchSpec, Phase, SessionId};

use super::core::{Desk, Home, Outcome};
use super::trace;

const PATIENCE: Duration = Duration::from_secs(20);

/// A session of the fake adapter that stays in a phase; what the adapter hears is in `log` of the home. `more` are options of
/// the adapter.
pub async fn stay(home: &Home, phase: Phase, more: &[&str]) -> Outcome<Desk> {
    let log = home.path().join("log").display().to_string();
    // Answers that take long hold the session where it is.
    let slow = match phase {
        Phase::Initializing => Some("initialize=60000"),
        Phase::Configured => Some("setExceptionBreakpoints=60000"),
        _ => None,
    };
    let mut options = vec!["--log".to_owned(), log];
    if let Some(slow) = slow {
        options.extend(["--slow".to_owned(), slow.to_owned()]);
    }
    options.extend(more.iter().map(|option| (*option).to_owned()));
    if phase != Phase::Terminated {
        options.push("--endless".to_owned());
    }
    home.fake_adapters(&[("fake", "stdio", options)]);
    let program = home.file("work/program.fake", &"step()\n".repeat(10));
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    if phase == Phase::NotStarted {
        return Ok(desk);
    }
    let launch = desk.core.request(Command::Launch(Box::new(LaunchSpec {
        program,
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(phase == Phase::Stopped),
        ..LaunchSpec::default()
    })));
    let id = SessionId(1);
    match phase {
        Phase::Initializing | Phase::Configured => {
            let log = home.path().join("log");
            let wanted = if phase == Phase::Configured {
                "setExceptionBreakpoints"
            } else {
                "initialize"
            };
            let heard = omp_debug::tasks::blocking(move || {
                let deadline = std::time::Instant::now() + PATIENCE;
                while !trace::commands(&log)
                    .iter()
                    .any(|command| command == wanted)
                {
                    assert!(
                        std::time::Instant::now() < deadline,
                        "the adapter never heard {wanted}"
                    );
                    std::thread::yield_now();
                }
            });
            heard.await.map_err(|error| error.to_string())?;
        }
        _ => drop(launch.await.map_err(|error| error.to_string())?),
    }
    match phase {
        Phase::Stopped => drop(desk.stop(id, None, PATIENCE).await?),
        Phase::Terminated => desk.gone(id, PATIENCE).await?,
        _ => {}
    }
    desk.phase(id, phase, PATIENCE).await?;
    Ok(desk)
}
