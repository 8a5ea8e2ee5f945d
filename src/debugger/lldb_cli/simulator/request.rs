//! What a person asks for of a simulator.

use serde::{Deserialize, Serialize};

/// What a person asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatorRequest {
    /// The simulator, by name or UUID; none for the one of last time.
    pub simulator: Option<String>,
    /// The app.
    pub bundle_id: Option<String>,
    /// The process, when it is known.
    pub pid: Option<u32>,
    /// Wait until the app is started.
    pub wait_for: bool,
}

/// A process that is there cannot be waited for.
pub const PID_AND_WAIT: &str = "--wait-for waits for an app that is not started yet, so it has no --pid; give --bundle-id instead";

impl SimulatorRequest {
    /// What words of a command line or a call ask for; nothing when they name no simulator.
    pub fn of(
        simulator: Option<String>,
        bundle_id: Option<String>,
        pid: Option<u32>,
        wait_for: bool,
    ) -> Option<Box<Self>> {
        let is_asked = simulator.is_some() || bundle_id.is_some() || wait_for;
        is_asked.then_some(Box::new(Self {
            simulator,
            bundle_id,
            pid,
            wait_for,
        }))
    }

    /// Refuses what cannot be meant.
    pub fn check(&self) -> Result<(), String> {
        match (&self.bundle_id, self.pid) {
            (_, Some(_)) if self.wait_for => Err(PID_AND_WAIT.to_owned()),
            (Some(bundle_id), Some(pid)) => Err(format!(
                "--bundle-id {bundle_id:?} and --pid {pid} name two things; give one of them"
            )),
            (None, None) => Err(
                "a simulator has many processes; say which with --bundle-id ID or --pid N"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}
