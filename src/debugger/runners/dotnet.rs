//! `dotnet test`: the test host waits for a debugger when told to, and says its process id.

use super::{Plan, RunnerQuery, Start, Step};
use crate::{prelude::*, task::Task};

/// What is to be known of it.
pub const NOTE: &str = "dotnet test is exercised by our own tests only against a stand-in for dotnet, not against a real test host";

/// The table's entry for .NET.
const ADAPTER: &str = "coreclr";
/// What the host says.
const HOST: &str = "Process Id: *([0-9]+)";

pub async fn plan(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    // It goes on beside its host.
    let task = Task {
        label: "dotnet test".to_owned(),
        argv: ask.command.clone(),
        env: vec![("VSTEST_HOST_DEBUG".to_owned(), "1".to_owned())],
        background: true,
        ready: Some(HOST.to_owned()),
        ..Task::default()
    };
    let done = ask
        .run(Step {
            task,
            is_read: false,
        })
        .await?;
    let pid = Regex::new(HOST)
        .ok()
        .and_then(|host| host.captures(&done.stdout)?.get(1)?.as_str().parse().ok());
    let Some(pid) = pid else {
        return Err(DebuggerError::program(
            "dotnet test ended without starting a test host: the tests were perhaps not built.",
        ));
    };
    let base = ask.base.clone();
    let attach = AttachSpec {
        pid: Some(pid),
        cwd: base.cwd,
        adapter: base.adapter.or_else(|| Some(ADAPTER.to_owned())),
        plain_adapter: base.plain_adapter,
        extra: base.extra,
        ..AttachSpec::default()
    };
    Ok(Plan {
        starts: [Start::Attach(Box::new(attach))].into(),
        exceptions: vec!["all"],
        ..Plan::default()
    })
}
