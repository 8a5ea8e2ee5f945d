//! `dotnet test`: the test host waits for a debugger when told to, and says its process id.

use std::{path::Path, sync::LazyLock, time::Duration};

use debugger::{AttachSpec, Command, DebuggerError, Kind, LaunchSpec};
use regex::Regex;

use super::{TestRun, kept::KeptRunner};

/// What is to be known of it.
pub(super) const NOTE: &str = "dotnet test is exercised by our own tests only against a stand-in for dotnet, not against a real test host";

/// The table's entry for .NET.
const ADAPTER: &str = "netcoredbg";
/// How long building and starting the host may take.
const HOST_PATIENCE: Duration = Duration::from_mins(1);

static HOST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"Process Id: *([0-9]+)").ok());

pub(super) async fn wrap(
    command: &[String],
    base: LaunchSpec,
    supervisor: Option<&Path>,
) -> Result<(TestRun, KeptRunner), DebuggerError> {
    let word = command.first().ok_or_else(|| super::unknown(command))?;
    let debug = [("VSTEST_HOST_DEBUG", "1")];
    let (runner, mut lines) =
        KeptRunner::start(command, &base, &debug, supervisor).map_err(|error| {
            DebuggerError::new(
                Kind::Program,
                format!("{word:?} could not be started: {error}."),
            )
            .hint("install the .NET SDK")
        })?;
    let host = async {
        while let Ok(Some(line)) = lines.next_line().await {
            let pid = HOST
                .as_ref()
                .and_then(|host| host.captures(&line)?.get(1)?.as_str().parse::<u32>().ok());
            if pid.is_some() {
                return pid;
            }
        }
        None
    };
    let pid = match tokio::time::timeout(HOST_PATIENCE, host).await {
        Ok(Some(pid)) => pid,
        Ok(None) => {
            return Err(DebuggerError::new(
                Kind::Program,
                "dotnet test ended without starting a test host: the tests were perhaps not built.",
            ));
        }
        Err(_elapsed) => {
            return Err(DebuggerError::new(
                Kind::Timeout,
                format!("dotnet test did not start a test host within {HOST_PATIENCE:?}."),
            ));
        }
    };
    KeptRunner::pass_on(lines);
    let run = TestRun {
        launch: Command::Attach(Box::new(AttachSpec {
            pid: Some(pid),
            cwd: base.cwd,
            adapter: base.adapter.or_else(|| Some(ADAPTER.to_owned())),
            plain_adapter: base.plain_adapter,
            extra: base.extra,
            ..AttachSpec::default()
        })),
        exceptions: vec!["all"],
        functions: Vec::new(),
    };
    Ok((run, runner))
}
