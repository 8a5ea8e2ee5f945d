//! The beginning of a session and its end: a program launched with streams of its own, attached to, waited for, let go or ended.

use super::{
    Adapter, Outcome, PARTING, Request,
    arguments::{Attach, Init, Launch, Start, arguments, integer},
};
use crate::{
    lldb_cli::{
        process::{COMMAND, LldbError, Note},
        quote::quoted,
        streams::Streams,
    },
    prelude::*,
};

/// How long a program may be waited for that is to be started by somebody else.
const WAIT_FOR: Duration = Duration::from_hours(24);

impl Adapter {
    /// `launch` or `attach`: everything up to the configuration. Answered after it, or at once when it fails.
    pub async fn begin(&mut self, request: &Request) {
        let prepared = self.prepare(request).await;
        match prepared {
            Ok(start) => {
                self.start = start;
                self.starter = Some(request.clone());
                self.wire.event("initialized", json!({})).await;
            }
            Err(why) => self.answer(request, Err(why)).await,
        }
    }

    async fn prepare(&mut self, request: &Request) -> Result<Start, String> {
        let given = request.arguments.value();
        let Init { commands } = arguments(&given)?;
        for line in &commands {
            self.lldb.command(line).await?;
        }
        if request.command == "launch" {
            self.prepare_launch(&given).await
        } else {
            self.attach(&given).await
        }
    }

    async fn prepare_launch(&mut self, given: &Value) -> Result<Start, String> {
        let launch: Launch = arguments(given)?;
        let program = quoted("the program", &launch.program)?;
        self.lldb
            .command(&format!("target create {program}"))
            .await?;
        let (set, unset): (Vec<_>, Vec<_>) =
            launch.env.iter().partition(|(_, value)| value.is_some());
        let set: BTreeMap<_, _> = set.into_iter().collect();
        let unset: Vec<_> = unset.into_iter().map(|(name, _)| name).collect();
        let with = json!({ "args": launch.args, "env": set, "unset": unset });
        self.ask("prepare", with).await?;
        Ok(Start::Launch(launch))
    }

    async fn attach(&mut self, given: &Value) -> Result<Start, String> {
        let attach: Attach = arguments(given)?;
        if attach.pid.is_some() && attach.wait_for {
            return Err("a process that is waited for has no process id yet: give its name or its id, not both".to_owned());
        }
        let program = attach
            .program
            .as_deref()
            .map(|p| quoted("the program", p))
            .transpose()?;
        if let Some(core) = &attach.core_file {
            let core = quoted("the core file", core)?;
            let line = format!(
                "target create {} --core {core}",
                program.unwrap_or_default()
            );
            self.lldb.command(&line).await?;
        } else if attach.pid.is_some() || !attach.commands.is_empty() {
            let target = program.map(|program| format!("target create {program}"));
            let by_pid = attach.pid.map(|pid| format!("process attach --pid {pid}"));
            let lines = match by_pid {
                Some(line) => vec![line],
                None => attach.commands.clone(),
            };
            for line in target.iter().chain(&lines) {
                self.lldb.command(line).await?;
            }
        } else if let (Some(program), true) = (&program, attach.wait_for) {
            let line = format!("process attach --name {program} --waitfor");
            self.lldb.checked(&line, WAIT_FOR).await?;
        } else {
            return Err(
                "attach needs `pid`, `coreFile`, `attachCommands`, or `program` with `waitFor`"
                    .to_owned(),
            );
        }
        self.until_stopped().await?;
        Ok(Start::Attach(attach))
    }

    /// Waits until the program that was just attached to stands still.
    async fn until_stopped(&mut self) -> Result<(), String> {
        let stopped = async {
            loop {
                let state = self.ask("state", json!({})).await?;
                match state.text_of("state") {
                    Some("stopped" | "crashed" | "suspended") => {
                        self.run.stands(integer(&state, "stop"));
                        return Ok(());
                    }
                    Some("exited") => {
                        return Err("the program ended while it was attached to".to_owned());
                    }
                    _ => {}
                }
                match self.notes.recv().await {
                    Some(Note::Hint) => {}
                    Some(Note::Ended(said)) => {
                        return Err(LldbError::Ended(said).to_string());
                    }
                    None => return Err("lldb has ended".to_owned()),
                }
            }
        };
        timeout(COMMAND, stopped)
            .await
            .unwrap_or_else(|_| Err("the program did not stop when it was attached to".to_owned()))
    }

    /// `configurationDone`: the program runs. Answers the request that started the session, too.
    pub async fn configured(&mut self, request: &Request) {
        let outcome = match self.start.clone() {
            Start::None => Err("configurationDone comes after launch or attach".to_owned()),
            Start::Launch(launch) => self.launch(&launch).await,
            Start::Attach(attach) => self.go_on_after_attach(&attach).await,
        };
        // The one who started it hears why it failed.
        self.answer(request, Ok(json!({}))).await;
        let begun = outcome.is_ok();
        if let Some(starter) = self.starter.take() {
            self.answer(&starter, outcome).await;
        }
        if begun {
            self.tell_process().await;
            self.look().await;
        }
    }

    async fn launch(&mut self, launch: &Launch) -> Outcome {
        let paths = self.channel.streams();
        let streams = Streams::open(&paths, &self.wire)
            .map_err(|error| format!("pipes for the program's output cannot be opened: {error}"))?;
        let [stdout, stderr] = paths.map(|path: PathBuf| path.lossy());
        let stdin = launch.stdin.as_deref().unwrap_or("/dev/null");
        let mut line = format!(
            "process launch --stdin {} --stdout {} --stderr {}",
            quoted("the file for standard input", stdin)?,
            quoted("a pipe", &stdout)?,
            quoted("a pipe", &stderr)?,
        );
        if let Some(cwd) = &launch.cwd {
            line = format!(
                "{line} --working-dir {}",
                quoted("the working directory", cwd)?
            );
        }
        if launch.stop_on_entry {
            line.push_str(" --stop-at-entry");
        }
        self.run.goes();
        let launched = self.lldb.command(&line).await;
        let mut streams = streams;
        streams.handed_over();
        if let Err(error) = launched {
            streams.finish().await;
            return Err(error.to_string());
        }
        self.streams = Some(streams);
        Ok(json!({}))
    }

    /// Lets an attached program run on; when that is not possible it is let go.
    async fn go_on_after_attach(&mut self, attach: &Attach) -> Outcome {
        if attach.stop_on_entry || attach.core_file.is_some() {
            self.run.is_to_be_told();
            return Ok(json!({}));
        }
        match self.resume("process continue", json!({})).await {
            Ok(_) => Ok(json!({})),
            Err(why) => {
                let left = self.lldb.command("process detach").await;
                let left = left.map_or_else(
                    |error| format!("; it could not be let go: {error}"),
                    |_| "; it was let go".to_owned(),
                );
                Err(format!(
                    "the program cannot go on after it was attached to: {why}{left}"
                ))
            }
        }
    }

    async fn tell_process(&mut self) {
        let Ok(state) = self.ask("state", json!({})).await else {
            return;
        };
        let (name, method) = match &self.start {
            Start::Launch(launch) => (launch.program.clone(), "launch"),
            Start::Attach(attach) => (attach.program.clone().unwrap_or_default(), "attach"),
            Start::None => return,
        };
        let body = json!({ "name": name, "systemProcessId": state.get("pid"), "isLocalProcess": true, "startMethod": method });
        self.wire.event("process", body).await;
    }

    /// `terminate`: the program is ended; that it has is told as for any end.
    pub async fn terminate(&self) -> Outcome {
        if self.run.is_over() {
            return Ok(json!({}));
        }
        self.lldb.command("process kill").await?;
        Ok(json!({}))
    }

    fn leave_streams(&mut self) {
        if let Some(streams) = self.streams.take()
            && let Err(error) = streams.leave(&self.channel.streams())
        {
            tracing::warn!(%error, "nobody reads what the program prints from now on");
        }
    }

    /// `disconnect`: a program that was attached to runs on, one that was launched ends, unless the core says otherwise.
    pub async fn disconnect(&mut self, request: &Request) {
        let launched = matches!(self.start, Start::Launch(_));
        let ends = request
            .arguments
            .value()
            .get("terminateDebuggee")
            .and_then(Value::as_bool)
            .unwrap_or(launched);
        self.over = true;
        let line = if ends {
            "process kill"
        } else {
            "process detach"
        };
        let outcome = if matches!(self.start, Start::None) || self.run.is_over() {
            Ok(())
        } else {
            if !ends {
                self.leave_streams();
            }
            self.lldb.checked(line, PARTING).await.map(drop)
        };
        if let Some(streams) = self.streams.take().filter(|_| outcome.is_ok()) {
            streams.finish().await;
        }
        let outcome = outcome.map(|()| json!({})).map_err(String::from);
        self.answer(request, outcome).await;
    }
}
