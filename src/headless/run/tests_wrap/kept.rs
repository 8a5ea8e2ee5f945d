//! A test runner that goes on beside the program under test: `dotnet test` waits for the host that it started.
//!
//! It runs under a supervisor like an adapter does, so that nothing of it outlives us, however we end; what it prints goes to our
//! standard error, as the runner's own words.

use std::{
    io::{self, Write as _},
    path::Path,
    process::Stdio,
    time::Duration,
};

use base::tasks;
use dap::supervise::{self, Control};
use debugger::LaunchSpec;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command as Process},
};

/// How long a runner may take to end when it is told to, in addition to the grace that its supervisor gives it.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// A test runner that was started. Dropping it ends it and all that it started.
#[derive(Debug)]
pub(in crate::run) struct KeptRunner {
    child: Child,
    /// Our end of its supervisor, which takes the end of this for ours.
    control: Option<Control>,
}

impl KeptRunner {
    /// Starts `argv` with the working directory and environment of `base` and `env` added, and its output to be read.
    pub(super) fn start(
        argv: &[String],
        base: &LaunchSpec,
        env: &[(&str, &str)],
        supervisor: Option<&Path>,
    ) -> io::Result<(Self, Lines<BufReader<ChildStdout>>)> {
        let (mut process, control) = if let Some(supervisor) = supervisor {
            let (control, theirs) = supervise::control_pair()?;
            let command = supervise::command(supervisor, theirs, false, false, argv);
            (Process::from(command), Some(control))
        } else {
            let (word, rest) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
            let mut command = Process::new(word);
            command.args(rest).kill_on_drop(true);
            (command, None)
        };
        process
            .envs(env.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        if let Some(cwd) = &base.cwd {
            process.current_dir(cwd);
        }
        for (name, value) in &base.env {
            match value {
                Some(value) => process.env(name, value),
                None => process.env_remove(name),
            };
        }
        let mut child = process.spawn()?;
        let lines = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((Self { child, control }, BufReader::new(lines).lines()))
    }

    /// Passes on what it goes on to print.
    pub(super) fn pass_on(mut lines: Lines<BufReader<ChildStdout>>) {
        tasks::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let line = base::text::sanitise::sanitise(&line).into_owned();
                if writeln!(io::stderr(), "{line}").is_err() {
                    break;
                }
            }
        });
    }

    /// Ends it and all that it started, and waits until that is done.
    pub(in crate::run) async fn end(mut self) {
        if self.control.take().is_none() {
            let _ = self.child.start_kill();
        }
        let patience = supervise::TERM_GRACE + END_PATIENCE;
        if tokio::time::timeout(patience, self.child.wait())
            .await
            .is_err()
        {
            tracing::warn!("the test runner has not ended within {patience:?}");
        }
    }
}
