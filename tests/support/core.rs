//! A core of the test's own, and one who follows everything it says.

use std::collections::{BTreeMap, VecDeque};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::core::Settings;
use omp_debug::debugger::{
    Change, Command, Core, CoreConfig, CoreHandle, DebuggerError, Event, EventKind, LaunchSpec,
    Phase, Reply, Session, SessionId, State, Stop, Subscription,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, timeout, timeout_at};

use super::procs::Mark;
use super::tools;

/// How many of the last events a failure shows.
const SHOWN: usize = 25;
/// How much of one event it shows, in characters.
const SHOWN_EVENT: usize = 400;

/// Folders of a test's own, and the surroundings that a core finds there.
pub struct Home {
    folder: TempDir,
    /// What every process started from here carries.
    pub mark: Mark,
}

impl Home {
    pub fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            mark: Mark::new(),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, and gives its path.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn executable(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        tools::executable(&path, text);
        path
    }

    /// The surroundings: this process's environment, with folders of our own and the test tools first on PATH.
    pub fn context(&self) -> Context {
        let mut env: BTreeMap<String, String> = std::env::vars().collect();
        env.retain(|name, _| !name.starts_with("LC_") && name != "TZ");
        env.insert("LANG".to_owned(), "C.UTF-8".to_owned());
        for (name, folder) in [
            ("HOME", "home"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
        ] {
            let path = self.path().join(folder);
            std::fs::create_dir_all(&path).unwrap();
            env.insert(name.to_owned(), path.to_str().unwrap().to_owned());
        }
        tools::keep_what_lldb_reads(&self.path().join("home"));
        let (name, value) = tools::NO_NAMES_IN_CRASHES;
        env.insert(name.to_owned(), value.to_owned());
        let rustup = tools::rustup_home().to_str().unwrap().to_owned();
        env.insert("RUSTUP_HOME".to_owned(), rustup);
        let (mark, value) = self.mark.env();
        env.insert(mark.to_owned(), value.to_owned());
        let home = tools::test_home();
        let go = tools::go_cache().to_str().unwrap().to_owned();
        env.insert("GOCACHE".to_owned(), go);
        let path = env.get("PATH").cloned().unwrap_or_default();
        let path = format!(
            "{}:{}:{path}",
            home.join("venv/bin").display(),
            home.join("bin").display()
        );
        env.insert("PATH".to_owned(), path);
        let work = self.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        Context::new(work, env)
    }

    /// Makes fake adapters known to cores of this home: name, how it connects (`stdio`, `socket`), its options.
    pub fn fake_adapters(&self, adapters: &[(&str, &str, Vec<String>)]) {
        let (mark, value) = self.mark.env();
        let entries: serde_json::Map<String, Value> = adapters
            .iter()
            .map(|(name, connect, options)| {
                let entry = json!({"command": tools::fake_adapter(), "args": options,
                    "connectMode": connect, "env": {mark: value}});
                ((*name).to_owned(), entry)
            })
            .collect();
        self.file(
            "config/omp-debug/dap.json",
            &json!({ "adapters": entries }).to_string(),
        );
    }

    /// A supervisor for cores in this process: whatever it starts carries the mark, writes text in one way wherever it runs, and has this
    /// home for its own.
    pub fn supervisor(&self) -> PathBuf {
        let (mark, value) = self.mark.env();
        let (no_names, so) = tools::NO_NAMES_IN_CRASHES;
        let (home, ours) = (self.path().join("home"), tools::supervisor());
        std::fs::create_dir_all(&home).unwrap();
        tools::keep_what_lldb_reads(&home);
        let script = format!(
            "#!/bin/sh\nunset LC_ALL LC_CTYPE TZ\nHOME='{}' LANG=C.UTF-8 {mark}={value} {no_names}={so} exec '{}' \"$@\"\n",
            home.display(),
            ours.display()
        );
        self.executable("supervisor", &script)
    }

    /// A configuration with a supervisor and the given patience for one request, an evaluation included.
    pub fn config(&self, request_timeout: Duration) -> CoreConfig {
        CoreConfig {
            supervisor: Some(self.supervisor()),
            request_timeout,
            settings: Settings {
                eval_timeout: request_timeout,
                ..Settings::default()
            },
            ..CoreConfig::new(self.context())
        }
    }

    /// The same, with `CodeLLDB` found where it lies in another package.
    pub fn config_with_codelldb(&self, request_timeout: Duration) -> CoreConfig {
        let mut config = self.config(request_timeout);
        if let Some(folder) = tools::codelldb().as_deref().and_then(Path::parent) {
            let env = Arc::make_mut(&mut config.context.env);
            let path = env.get("PATH").cloned().unwrap_or_default();
            let path = format!("{path}:{}", folder.to_str().unwrap());
            env.insert("PATH".to_owned(), path);
        }
        config
    }
}

/// How a failure begins, behind what was asked, that is nothing but late.
pub const NO_ANSWER: &str = "was not answered";

/// What went wrong, for a person.
pub type Outcome<T> = Result<T, String>;

/// A core, and everything it has said so far.
pub struct Desk {
    pub core: CoreHandle,
    /// What the events add up to.
    pub state: State,
    /// Every event but output.
    pub history: Vec<Event>,
    events: Subscription,
}

impl Desk {
    pub async fn open(config: CoreConfig) -> Self {
        Self::of(Core::start(config)).await
    }

    /// Of a core that is there.
    pub async fn of(core: CoreHandle) -> Self {
        let (state, events) = core.subscribe().await.unwrap();
        Self {
            core,
            state,
            history: Vec::new(),
            events,
        }
    }

    /// Asks for something, and says how long the answer took; none within `limit` is a failure.
    pub async fn ask(
        &self,
        what: &str,
        limit: Duration,
        command: Command,
    ) -> Outcome<Result<Reply, DebuggerError>> {
        let answer = self.core.request(command);
        timeout(limit, answer)
            .await
            .map_err(|_elapsed| format!("{what} {NO_ANSWER} within {limit:?}"))
    }

    /// As [`Self::ask`], for what must be done.
    #[expect(
        clippy::needless_pass_by_ref_mut,
        reason = "no other command may be under way"
    )]
    pub async fn must(&mut self, what: &str, limit: Duration, command: Command) -> Outcome<Reply> {
        match self.ask(what, limit, command).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(error)) => Err(self.blame(format!("{what}: {error} ({:?})", error.kind))),
            Err(why) => Err(self.blame(why)),
        }
    }

    /// Launches, and gives the session.
    pub async fn launch(&mut self, limit: Duration, spec: LaunchSpec) -> Outcome<SessionId> {
        match self
            .must("launch", limit, Command::Launch(Box::new(spec)))
            .await?
        {
            Reply::Session { session } => Ok(session),
            other => Err(format!("launch gave {other:?}")),
        }
    }

    /// Waits until `condition` gives something of what is known.
    pub async fn until<T>(
        &mut self,
        what: &str,
        limit: Duration,
        condition: impl Fn(&Self) -> Option<T>,
    ) -> Outcome<T> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(found) = condition(self) {
                return Ok(found);
            }
            match timeout_at(deadline, self.events.next()).await {
                Ok(Some(events)) => self.take(events),
                Ok(None) => return Err(self.blame(format!("the core ended before {what}"))),
                Err(_) => return Err(self.blame(format!("no {what} within {limit:?}"))),
            }
        }
    }

    /// Waits for the next stop after the stops seen so far by the caller, with its stack loaded.
    pub async fn stop(
        &mut self,
        session: SessionId,
        after: Option<&Stop>,
        limit: Duration,
    ) -> Outcome<Stop> {
        let after = after.map(|stop| stop.id);
        self.until("stop with a stack", limit, |desk| {
            let known = desk.state.session(session)?;
            let stop = known.current_stop().filter(|stop| Some(stop.id) != after)?;
            (stop.trouble.is_some()
                || stop
                    .selected
                    .is_some_and(|at| stop.frames.contains_key(&at.frame_id)))
            .then(|| stop.clone())
        })
        .await
    }

    pub async fn phase(
        &mut self,
        session: SessionId,
        phase: Phase,
        limit: Duration,
    ) -> Outcome<()> {
        self.until(&format!("{session} {}", phase.word()), limit, |desk| {
            (desk.state.session(session)?.phase == phase).then_some(())
        })
        .await
    }

    /// Waits for a session to be over and its adapter to be gone.
    pub async fn gone(&mut self, session: SessionId, limit: Duration) -> Outcome<()> {
        self.until(&format!("end of {session}"), limit, |desk| {
            (desk.count(session, |change| matches!(change, Change::Gone)) > 0).then_some(())
        })
        .await
    }

    pub fn session(&self, session: SessionId) -> &Session {
        self.state.session(session).expect("the session is known")
    }

    /// What was printed by the session so far, of one category.
    pub fn printed(&self, session: SessionId, category: &str) -> String {
        let output = &self.session(session).output;
        let mut text = String::new();
        for line in output.lines() {
            if line.category == category {
                text.push_str(&line.text);
                text.push('\n');
            }
        }
        text
    }

    /// The changes of a session, in order.
    pub fn changes(&self, wanted: SessionId) -> impl Iterator<Item = &Change> {
        self.history
            .iter()
            .filter_map(move |event| match &event.kind {
                EventKind::Session { session, change } if *session == wanted => Some(change),
                _ => None,
            })
    }

    pub fn count(&self, session: SessionId, wanted: impl Fn(&Change) -> bool) -> usize {
        self.changes(session)
            .filter(|change| wanted(change))
            .count()
    }

    /// The messages for people.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.history.iter().filter_map(|event| match &event.kind {
            EventKind::Message { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// A failure with the last events behind it.
    pub fn blame(&self, what: impl std::fmt::Display) -> String {
        let last: VecDeque<String> = self
            .history
            .iter()
            .rev()
            .take(SHOWN)
            .map(|event| format!("{event:?}").chars().take(SHOWN_EVENT).collect())
            .collect();
        let last: Vec<_> = last.into_iter().rev().collect();
        format!("{what}\n    {}", last.join("\n    "))
    }

    fn take(&mut self, events: Vec<Event>) {
        for event in events {
            self.state.apply(&event);
            let is_output = matches!(
                event.kind,
                EventKind::Session {
                    change: Change::Output { .. } | Change::OutputLost { .. },
                    ..
                }
            );
            if !is_output {
                self.history.push(event);
            }
        }
    }
}
