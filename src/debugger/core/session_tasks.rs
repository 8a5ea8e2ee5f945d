//! What is run before a session begins and after it ended, and sessions that belong together.
//!
//! Tasks run off the owner's task, each as soon as what it needs is done; what they print joins the session's output. One that fails
//! keeps the session from beginning. One that goes on in the background ends with the session. None outlives us. What is run before
//! sessions that belong together is run for the first of them, and the others wait for it; what several of them need by themselves is
//! run once, too (`shared`).

use std::os::unix::process::CommandExt as _;

use dap::{
    supervise::{self, control_pair},
    transport::next_text,
};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::process::{Child, Command};

use super::{
    live::Gathering,
    prelude::*,
    shared::{Outcome, Runs},
    terminal::tie,
};
use crate::{
    exit,
    task::{SessionTasks, Task},
};

/// Bytes of what a task printed last that are kept to find the line which says that it is ready, and to tell why it failed.
const TAIL: usize = 4096;
/// How long after the end of a task its last output may take to arrive: longer than what is in the pipes needs, and short for a
/// person who waits. A grandchild that holds them open would have us wait for ever.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// What is run for a session: the tasks of its start where it began with others, and its configuration's name.
#[derive(Clone, Default)]
struct Sharing(Option<(Runs, String)>);

impl Origin {
    /// What is around the session, if it comes from a configuration.
    pub(super) fn around(&self) -> Option<&SessionTasks> {
        match self {
            Self::Launch(spec) => spec.around.as_deref(),
            Self::Attach(spec) => spec.around.as_deref(),
            Self::Replay(_) | Self::Child(_) => None,
        }
    }

    /// The sessions that it begins with.
    pub(super) fn together(&self) -> Option<&Together> {
        self.around()?.together.as_ref()
    }
}

impl Owner {
    /// Runs what is to be run before the session, and then goes for its adapter.
    pub fn run_before(&mut self, id: SessionId, origin: Origin) {
        let Some(together) = origin.together().filter(|all| !all.before.is_empty()) else {
            return self.run_own(id, origin);
        };
        let mut gatherings = self.gatherings.iter_mut();
        if let Some(gathering) = gatherings.find(|one| one.together == *together) {
            let doing = format!("waiting for the tasks of {:?}", together.name);
            gathering.waiting.push((id, origin));
            return self.phase(id, Phase::Initializing, Some(&doing));
        }
        if self.has_begun(id, together) {
            return self.run_own(id, origin);
        }
        let together = together.clone();
        self.gatherings.push(Gathering {
            together: together.clone(),
            waiting: Vec::new(),
        });
        self.run_tasks(
            id,
            together.before.clone(),
            Sharing::default(),
            move |owner, done| {
                let mut found = owner.gatherings.iter();
                let place = found.position(|one| one.together == together);
                let others = place.map(|at| owner.gatherings.swap_remove(at).waiting);
                match &done {
                    Ok(()) => {
                        owner.run_own(id, origin);
                        for (other, origin) in others.unwrap_or_default() {
                            owner.run_own(other, origin);
                        }
                    }
                    Err(error) => {
                        owner.fail_start(id, error.clone());
                        for (other, _) in others.unwrap_or_default() {
                            owner.fail_start(other, error.clone());
                        }
                    }
                }
            },
        );
    }

    /// What is run before this session alone.
    fn run_own(&mut self, id: SessionId, origin: Origin) {
        let tasks = origin.around().map(|around| around.before.clone());
        let sharing = self.sharing(id, &origin);
        self.run_tasks(
            id,
            tasks.unwrap_or_default(),
            sharing,
            move |owner, done| match done {
                Ok(()) => owner.prepare_typed(id, origin),
                Err(error) => owner.fail_start(id, error),
            },
        );
    }

    /// Whether another one of those that start together has.
    fn has_begun(&self, id: SessionId, together: &Together) -> bool {
        let mut others = self.origins.iter().filter(|(other, _)| **other != id);
        others.any(|(other, origin)| {
            self.live.contains_key(other) && origin.together() == Some(together)
        })
    }

    /// With whom a session that begins shares its tasks: with those that it is started with.
    fn sharing(&mut self, id: SessionId, origin: &Origin) -> Sharing {
        let (Some(around), Some(together)) = (origin.around(), origin.together()) else {
            return Sharing::default();
        };
        if !self.has_begun(id, together) {
            // What is left of an earlier start is done with.
            self.runs.retain(|(known, _)| known != together);
        }
        let known = self.runs.iter().find(|(known, _)| known == together);
        if let Some((_, runs)) = known {
            return Sharing(Some((runs.clone(), around.name.clone())));
        }
        let runs = Runs::default();
        self.runs.push((together.clone(), runs.clone()));
        Sharing(Some((runs, around.name.clone())))
    }

    /// Runs tasks for a session that begins, unless it is ended meanwhile.
    fn run_tasks(
        &mut self,
        id: SessionId,
        tasks: Vec<Task>,
        sharing: Sharing,
        then: impl FnOnce(&mut Self, Result<()>) + Send + 'static,
    ) {
        if tasks.is_empty() {
            return then(self, Ok(()));
        }
        let Some(over) = self.live(id).map(|live| live.over.clone()) else {
            return then(self, Err(taken_back()));
        };
        let work = run_all(tasks, sharing, self.whose(id), over);
        self.spawn(work, move |owner, done| {
            let done = done.and_then(|background| {
                let live = owner.live_mut(id).filter(|live| !live.ending);
                let live = live.ok_or_else(taken_back)?;
                live.background.extend(background);
                Ok(())
            });
            then(owner, done);
        });
    }

    pub fn whose(&self, session: SessionId) -> TaskOwner {
        TaskOwner {
            session,
            printed: self.adapters.clone(),
            supervisor: self.config.supervisor.clone(),
        }
    }

    /// Runs what is to be run after the session, and then forgets it.
    pub fn run_after(&mut self, id: SessionId, terminate: bool) {
        if let Some(live) = self.live_mut(id) {
            live.background.clear();
        }
        // What never began has nothing after it.
        let began = self.live(id).is_some_and(|live| live.generation > 0);
        let after = self.origins.get(&id).and_then(Origin::around);
        let tasks = after.filter(|_| began).map(|around| around.after.clone());
        let Some(tasks) = tasks.filter(|tasks| !tasks.is_empty()) else {
            return self.gone(id, terminate);
        };
        // Those who cannot wait for it say so by asking twice.
        let force = self.live(id).map(|live| live.force.clone());
        let work = run_all(
            tasks,
            Sharing::default(),
            self.whose(id),
            force.unwrap_or_default(),
        );
        self.spawn(work, move |owner, done| {
            if let Err(error) = done {
                owner.say(Some(id), Severity::Warning, error.what, error.hint);
            }
            owner.gone(id, terminate);
        });
    }

    /// Tasks of a session that begins run.
    pub fn tasks_run(&mut self, id: SessionId, labels: &[String]) {
        let begins = self.live(id).is_some_and(|live| live.generation == 0);
        if begins {
            let labels: Vec<_> = labels.iter().map(|label| format!("{label:?}")).collect();
            let what = if labels.len() > 1 { "tasks" } else { "task" };
            let doing = format!("running the {what} {}", labels.join(", "));
            self.phase(id, Phase::Initializing, Some(&doing));
        }
    }

    /// Whether a session that begins like this may live beside those that do.
    pub fn belongs_to(&self, origin: &Origin, roots: &[SessionId]) -> bool {
        origin.together().is_some_and(|together| {
            roots
                .iter()
                .all(|root| self.origins.get(root).and_then(Origin::together) == Some(together))
        })
    }

    /// Live sessions that end when this one is ended.
    pub fn end_with(&self, id: SessionId) -> Vec<SessionId> {
        let together = |id| self.origins.get(&id).and_then(Origin::together);
        let Some(own) = together(id).filter(|together| together.stop_all) else {
            let beside = self.recorded_roots(id).into_iter();
            let lives = |other: &SessionId| self.live.get(other).is_some_and(|live| !live.ending);
            return beside.filter(|other| *other != id).filter(lives).collect();
        };
        self.live
            .values()
            .filter(|live| live.id != id && !live.ending && together(live.id) == Some(own))
            .map(|live| live.id)
            .collect()
    }
}

/// For whom tasks are run.
#[derive(Clone)]
pub struct TaskOwner {
    session: SessionId,
    /// Where what they print goes.
    printed: mpsc::Sender<FromAdapter>,
    pub supervisor: Option<PathBuf>,
}

impl TaskOwner {
    pub async fn tell(&self, what: Sent) {
        // Without the core nobody is left to tell.
        let _ = self
            .printed
            .send(FromAdapter {
                session: self.session,
                generation: 0,
                what,
            })
            .await;
    }
}

/// Runs tasks, each as soon as what it needs is done or ready, and gives those that go on. The first that fails ends all.
async fn run_all(
    tasks: Vec<Task>,
    Sharing(sharing): Sharing,
    whose: TaskOwner,
    over: CancellationToken,
) -> Result<Vec<Arc<Background>>> {
    // What is ended here need not be the end of the session.
    let over = over.child_token();
    let (mut begun, mut done) = (HashSet::new(), HashSet::new());
    let mut background = Vec::new();
    let mut running = FuturesUnordered::new();
    loop {
        for (at, task) in tasks.iter().enumerate() {
            let is_due = task.needs.iter().all(|need| done.contains(need));
            if is_due && begun.insert(at) {
                let (whose, over, sharing) = (whose.clone(), over.clone(), sharing.as_ref());
                running.push(async move {
                    let alone = |over| run(task.clone(), whose, over, None);
                    let done = match sharing {
                        Some((runs, name)) => runs.once(task, name, over, alone).await,
                        None => alone(over).await,
                    };
                    (at, done)
                });
            }
        }
        let labels = (tasks.iter().enumerate())
            .filter(|(at, _)| begun.contains(at) && !done.contains(at))
            .map(|(_, task)| task.label.clone());
        let labels: Vec<_> = labels.collect();
        if !labels.is_empty() {
            whose.tell(Sent::TasksRun(labels)).await;
        }
        match running.next().await {
            Some((at, Ok(goes_on))) => {
                done.insert(at);
                background.extend(goes_on);
            }
            Some((_, Err(error))) => {
                over.cancel();
                while running.next().await.is_some() {}
                return Err(error);
            }
            None if begun.len() < tasks.len() => {
                let what = "Tasks wait for each other, so that none of them can begin.";
                return Err(DebuggerError::usage(what)
                    .hint("take one of the dependsOn in .vscode/tasks.json away"));
            }
            None => return Ok(background),
        }
    }
}

/// Runs a task to its end, or until it is ready when it goes on. What it prints is added to `said`.
pub async fn run(
    task: Task,
    whose: TaskOwner,
    over: CancellationToken,
    said: Option<Arc<Mutex<String>>>,
) -> Outcome {
    let heading = format!("> task {}: {}\n", task.label, words::join(&task.argv));
    whose.tell(Sent::Task(heading)).await;
    let failed = |why: String| {
        DebuggerError::program(format!("The task {:?} {why}", task.label))
            .hint("what it printed is in the output; tasks are described in .vscode/tasks.json")
    };
    let (mut child, mut guard) = spawn(&task, whose.supervisor.as_deref())
        .map_err(|error| failed(format!("could not be started: {error}.")))?;
    let pattern = task.ready.as_deref().and_then(|text| Regex::new(text).ok());
    let (ready, mut is_ready) = watch::channel(pattern.is_none());
    let (last, tail) = watch::channel(String::new());
    let streams = [
        child.stdout.take().map(|stream| Box::new(stream) as Stream),
        child.stderr.take().map(|stream| Box::new(stream) as Stream),
    ];
    let mut readers = Vec::new();
    for stream in streams.into_iter().flatten() {
        let (whose, pattern) = (whose.clone(), pattern.clone());
        let (ready, last, said) = (ready.clone(), last.clone(), said.clone());
        readers.push(tasks::spawn(async move {
            let (mut stream, mut buffer) = (stream, BytesMut::new());
            while let Some(text) = next_text(&mut stream, &mut buffer).await {
                if let Some(said) = &said {
                    lock(said).push_str(&text);
                }
                last.send_modify(|tail| {
                    tail.push_str(&text);
                    let from = tail.floor_char_boundary(tail.len().saturating_sub(TAIL));
                    tail.drain(..from);
                    if pattern
                        .as_ref()
                        .is_some_and(|pattern| tail.lines().any(|line| pattern.is_match(line)))
                    {
                        ready.send_replace(true);
                    }
                });
                whose.tell(Sent::Task(text)).await;
            }
        }));
    }
    drop(ready);
    let ended = tokio::select! {
        status = child.wait() => status,
        () = over.cancelled() => {
            drop(guard);
            let _ = child.wait().await;
            return Err(taken_back());
        }
        is_ready = came(&mut is_ready), if task.background => {
            if is_ready {
                // Reaped when it ends.
                tasks::spawn(async move { child.wait().await });
                return Ok(Some(Arc::new(guard)));
            }
            child.wait().await
        }
    };
    for reader in readers {
        let _ = timeout(LAST_OUTPUT, reader).await;
    }
    let status = ended.map_err(|error| failed(format!("could not be waited for: {error}.")))?;
    let trouble = guard.trouble();
    guard.ended();
    if let Some(why) = trouble {
        return Err(failed(format!("could not be started: {why}")));
    }
    if status.success() {
        return Ok(None);
    }
    let why = match status.code() {
        Some(code) => exit::words(i64::from(code)),
        None => status.to_string(),
    };
    let tail = tail.borrow();
    let telling = telling(&tail).map(|line| format!(": {line}"));
    let telling = telling.unwrap_or_default();
    Err(failed(format!("ended with {why}{telling}")))
}

/// The line of what a task printed that says most: the first that tells of an error (an option `-Werror` does not), else the last.
fn telling(printed: &str) -> Option<&str> {
    let mut lines = printed.lines().map(str::trim);
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        line.contains("error") && !line.contains("-werror")
    };
    let error = lines.clone().find(tells);
    error.or_else(|| lines.rfind(|line| !line.is_empty()))
}

/// Waits for the task to be ready; false when it can no longer say so.
async fn came(is_ready: &mut watch::Receiver<bool>) -> bool {
    is_ready.wait_for(|ready| *ready).await.is_ok()
}

type Stream = Box<dyn AsyncRead + Send + Unpin>;

/// Starts a task, with what ends it.
pub fn spawn(task: &Task, supervisor: Option<&Path>) -> io::Result<(Child, Background)> {
    let mut control = None;
    let mut command = if let Some(supervisor) = supervisor {
        let (ours, theirs) = control_pair()?;
        control = Some(ours);
        supervise::command(supervisor, theirs, [], &task.argv)
    } else {
        let mut words = task.argv.iter();
        let program = words
            .next()
            .ok_or_else(|| io::Error::other("it names no program"))?;
        let mut command = std::process::Command::new(program);
        command.args(words);
        tie(&mut command, false);
        command
    };
    command
        .current_dir(&task.cwd)
        .envs(task.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if control.is_some() {
        command.process_group(0);
    }
    // The command holds the supervisor's end of the connection, and goes here.
    let child = Command::from(command).spawn()?;
    let group = child.id().and_then(|pid| i32::try_from(pid).ok());
    let group = group.and_then(Pid::from_raw);
    Ok((child, Background { group, control }))
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn the_line_of_a_compiler_that_is_quoted_says_the_error() {
        let printed =
            "gcc -Werror t.c\nt.c:3:5: Error: no x\n  3 | x\n    | ^~~\n1 error generated.\n";
        assert_eq!(telling(printed), Some("t.c:3:5: Error: no x"));
        assert_eq!(telling("one\n two \n\n"), Some("two"));
        assert_eq!(telling(" \n"), None);
    }
}
