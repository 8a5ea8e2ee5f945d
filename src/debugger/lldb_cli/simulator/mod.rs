//! From a simulator's name and an app's bundle id to a process that can be attached to.
//!
//! Everything is asked of `xcrun`, wherever that is found; no system is assumed. On the machines this is tested on `xcrun` is a
//! stand-in, and what it leads to is a real process.
//!
//! - [`request`]: what is asked for.
//! - [`simctl`]: which devices there are, and which one is meant.
//! - [`launchctl`]: which process an app is.
//! - [`defaults`]: what was meant last time.
//! - [`xcrun`]: running it, with an end.

pub mod defaults;
pub mod launchctl;
mod request;
pub mod simctl;
pub mod xcrun;

use defaults::Defaults;
use request::PID_AND_WAIT;
use xcrun::Xcrun;

use crate::{adapters, prelude::*};

pub use request::SimulatorRequest;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatorTarget {
    /// The attach that does it.
    pub spec: AttachSpec,
    /// What a person should know.
    pub notes: Vec<(Severity, String)>,
}

fn names(known: &[&str]) -> String {
    if known.is_empty() {
        "no simulator is available here".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    }
}

/// Finds the process that is meant, and how to attach to it. What was meant is remembered for the next time.
pub async fn find(
    asked: SimulatorRequest,
    context: &Context,
    adapter: Option<String>,
) -> Result<SimulatorTarget, String> {
    if asked.wait_for && asked.pid.is_some() {
        return Err(PID_AND_WAIT.to_owned());
    }
    let xcrun = context.on_path("xcrun").ok_or(
        "there is no xcrun on PATH, which simulators are reached by; install Xcode or its command line tools",
    )?;
    let xcrun = Xcrun::new(xcrun, context);
    let kept = Defaults::load(context);
    let asked = asked.or(kept.as_ref());
    let mut found = look_up(&asked, &xcrun).await?;
    found.spec.adapter = match adapter {
        Some(adapter) => Some(adapter),
        None => Some(debugger(context).await?),
    };
    let used = Defaults {
        simulator: asked.simulator,
        bundle_id: asked
            .bundle_id
            .or_else(|| kept.and_then(|kept| kept.bundle_id)),
    };
    if let Err(why) = used.save(context) {
        let note = format!("The simulator is not remembered for the next time: {why}.");
        found.notes.push((Severity::Warning, note));
    }
    Ok(found)
}

/// The name of the LLDB that is used. Looking for one asks `xcrun`, too, so it is off this task.
async fn debugger(context: &Context) -> Result<String, String> {
    let context = context.clone();
    let looked = tasks::blocking(move || {
        let (table, _) = Table::load(&context);
        adapters::for_simulator(&table, &context).map(|found| found.adapter.name.clone())
    });
    match looked.await {
        Ok(Ok(name)) => Ok(name),
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

async fn look_up(asked: &SimulatorRequest, xcrun: &Xcrun) -> Result<SimulatorTarget, String> {
    asked.check()?;
    let (device, mut notes) = simctl::device(xcrun, asked.simulator.as_deref()).await?;
    let mut spec = AttachSpec {
        pid: asked.pid,
        ..AttachSpec::default()
    };
    if let Some(bundle_id) = &asked.bundle_id {
        device.booted()?;
        let listed = xcrun
            .run(&["simctl", "spawn", &device.udid, "launchctl", "list"])
            .await?;
        match launchctl::process_of(&listed, bundle_id) {
            Ok(pid) => spec.pid = Some(pid),
            Err(launchctl::AppError::NotRunning { .. } | launchctl::AppError::Unknown { .. })
                if asked.wait_for =>
            {
                let container = xcrun
                    .run(&[
                        "simctl",
                        "get_app_container",
                        &device.udid,
                        bundle_id,
                        "app",
                    ])
                    .await?;
                let name = executable(container.trim()).ok_or_else(|| {
                    format!(
                        "`xcrun simctl get_app_container` gave no path of an app: {container:?}"
                    )
                })?;
                notes.push((
                    Severity::Info,
                    format!("Waiting until {name} is started on {}.", device.name),
                ));
                spec.extra.put("program", name);
                spec.extra.put("waitFor", true);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    if let Some(pid) = spec.pid {
        let next = format!(
            "Attaching to process {pid} on {} ({}). Next: set breakpoints, continue, look at the stack and the variables; when you leave, the app runs on.",
            device.name, device.udid
        );
        notes.push((Severity::Info, next));
    }
    Ok(SimulatorTarget { spec, notes })
}

/// An app's folder is called like the program in it.
fn executable(container: &str) -> Option<String> {
    let path: &Path = Path::new(container);
    let is_app = path.extension().is_some_and(|extension| extension == "app");
    let stem: PathBuf = path
        .file_stem()
        .filter(|_| is_app && path.is_absolute())?
        .into();
    Some(stem.lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> SimulatorRequest {
        SimulatorRequest {
            simulator: Some("iPhone 16".into()),
            bundle_id: Some("com.example.shop".into()),
            ..SimulatorRequest::default()
        }
    }

    ///
    #[test]
    fn one_app_or_one_process_and_no_process_that_is_waited_for() {
        assert_eq!(asked().check(), Ok(()));
        assert_eq!(
            SimulatorRequest {
                pid: Some(7),
                bundle_id: None,
                ..asked()
            }
            .check(),
            Ok(())
        );
        assert_eq!(
            SimulatorRequest {
                wait_for: true,
                ..asked()
            }
            .check(),
            Ok(())
        );
        let two = SimulatorRequest {
            pid: Some(7),
            ..asked()
        }
        .check()
        .unwrap_err();
        assert!(
            two.contains("com.example.shop") && two.contains('7'),
            "{two}"
        );
        let waits = SimulatorRequest {
            pid: Some(7),
            bundle_id: None,
            wait_for: true,
            ..asked()
        };
        assert_eq!(waits.check(), Err(PID_AND_WAIT.to_owned()));
        let nothing = SimulatorRequest {
            bundle_id: None,
            ..asked()
        }
        .check()
        .unwrap_err();
        assert!(nothing.contains("--bundle-id ID or --pid N"), "{nothing}");
    }

    /// S1-4.
    #[test]
    fn what_is_not_said_is_taken_from_last_time() {
        let last = Defaults {
            simulator: Some("A".into()),
            bundle_id: Some("b".into()),
        };
        let filled = SimulatorRequest::default().or(Some(&last));
        assert_eq!(
            (filled.simulator.as_deref(), filled.bundle_id.as_deref()),
            (Some("A"), Some("b"))
        );
        assert_eq!(asked().or(Some(&last)), asked());
        let by_pid = SimulatorRequest {
            pid: Some(7),
            ..SimulatorRequest::default()
        }
        .or(Some(&last));
        assert_eq!(by_pid.bundle_id, None);
    }

    #[test]
    fn an_apps_folder_names_its_program() {
        assert_eq!(executable("/a/b/My Shop.app").as_deref(), Some("My Shop"));
        for odd in ["", "Shop.app", "/a/b", "An error was encountered"] {
            assert_eq!(executable(odd), None, "{odd}");
        }
    }
}
