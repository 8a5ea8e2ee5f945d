//! From a command to a session on its way: launch, attach, replay. Children that adapters announce are in `children`.

use super::{
    breakpoints,
    frames::plain_names,
    handshake::attaching_to,
    idle,
    prelude::*,
    prepare::{self, Tries},
    spill::Spill,
};
use crate::{lldb_cli::simulator, permission::PERMISSION, runners, servers::InTerminal};

/// How long a server may take to answer before it is said that it has not.
const FIRST_TRIES: Duration = Duration::from_secs(1);

impl Owner {
    pub fn launch(&mut self, mut spec: LaunchSpec) -> Handled {
        if let Some(by) = self.by.as_ref().filter(|by| !by.caller.actor.is_human()) {
            let mode = self.mode_of(by).to_string();
            spec.env.push((PERMISSION.to_owned(), Some(mode)));
        }
        let cwd = self.directory(spec.cwd.as_deref());
        let named = spec.around.as_ref().map(|around| around.name.clone());
        if spec.command.is_empty() {
            spec.command = runners::implied(&spec).unwrap_or_default();
        }
        let command = Some(spec.command.join(" ")).filter(|command| !command.is_empty());
        let named = named.or(command);
        let program = if spec.program.as_os_str().is_empty() {
            // The adapter knows by its own arguments what it starts.
            PathBuf::new()
        } else {
            breakpoints::normal(&cwd, &spec.program)
        };
        let shown = if program.as_os_str().is_empty() {
            named.clone().unwrap_or_default()
        } else {
            program.lossy()
        };
        let session = Session {
            name: named.unwrap_or_else(|| file_name(&program)),
            kind: StartKind::Launch,
            target: shown,
            cwd: cwd.clone(),
            exception_filters: spec.exception_filters.clone(),
            ..Session::default()
        };
        let spec = LaunchSpec {
            program,
            cwd: Some(cwd),
            ..spec
        };
        self.start(session, Origin::Launch(spec))
    }

    pub fn attach(&mut self, mut spec: AttachSpec) -> Handled {
        if let Some(asked) = spec.simulator.take() {
            let (config, adapter) = (Arc::clone(&self.config), spec.adapter.clone());
            let found = async move { simulator::find(*asked, &config.context, adapter).await };
            return onward(found, move |owner, found| {
                let found = found?;
                for (severity, note) in found.notes {
                    owner.say(None, severity, note, None);
                }
                (spec.pid, spec.adapter) = (found.spec.pid, found.spec.adapter);
                spec.extra.extend(found.spec.extra);
                owner.attach(spec)
            });
        }
        // Each debugger says that in words of its own.
        let missing = |pid: &u32| !files::is_alive(*pid, None);
        if let Some(pid) = spec.pid.filter(missing) {
            return Err(DebuggerError::usage(format!("There is no process {pid}.")));
        }
        let cwd = self.directory(spec.cwd.as_deref());
        // An adapter that was named may know by its own arguments what is meant.
        let unnamed = || spec.adapter.is_some().then(|| "attach".to_owned());
        let target = spec.target().or_else(unnamed).ok_or_else(|| {
            DebuggerError::usage("attach requires pid or port")
                .hint("give a process id, the port of a debug server, or a core dump")
        })?;
        let named = spec.around.as_ref().map(|around| around.name.clone());
        let session = Session {
            name: named.unwrap_or_else(|| target.clone()),
            kind: StartKind::Attach,
            pid: spec.pid.map(i64::from),
            target,
            cwd: cwd.clone(),
            exception_filters: spec.exception_filters.clone(),
            post_mortem: spec.core.is_some(),
            ..Session::default()
        };
        let spec = AttachSpec {
            cwd: Some(cwd),
            ..spec
        };
        self.start(session, Origin::Attach(spec))
    }

    pub fn directory(&self, cwd: Option<&Path>) -> PathBuf {
        cwd.map_or_else(
            || self.config.context.cwd.clone(),
            |d| absolute(d, &self.config.context.cwd),
        )
    }

    /// Makes the session, and goes for its adapter. A program that has just ended may have children whose end is on its way: they are
    /// given a moment to be out of the way.
    pub fn start(&mut self, session: Session, origin: Origin) -> Handled {
        let roots = self.in_the_way_of(&origin);
        let ended = |root: &SessionId| self.live(*root).is_none_or(|live| live.over.is_cancelled());
        if roots.is_empty() || !roots.iter().all(ended) {
            return self.start_now(session, origin);
        }
        let ends = self
            .live
            .values()
            .map(|live| live.over.clone().cancelled_owned());
        let ends = timeout(self.config.overdue, join_all(ends));
        onward(ends, |owner, _| owner.start_now(session, origin))
    }

    /// The roots that must end before another session may begin, if any. A program that has ended counts while its children live.
    fn in_the_way_of(&self, origin: &Origin) -> Vec<SessionId> {
        let mut roots = self.hub.state.live_roots();
        if roots.len() < self.config.max_sessions || self.belongs_to(origin, &roots) {
            roots.clear();
        }
        roots
    }

    fn start_now(&mut self, session: Session, origin: Origin) -> Handled {
        if self.shutting_down.is_some() {
            return Err(DebuggerError::state("The debugger core is ending."));
        }
        if let Some(first) = self.in_the_way_of(&origin).first() {
            return Err(DebuggerError::state(format!(
                "Debug session {first} is still active. Terminate it before launching another."
            ))
            .hint(
                "Shift-F5 on the screen, `kill` in the REPL; or open another omp-debug beside it",
            ));
        }
        // What earlier sessions left is kept until a new one begins.
        let roots = self.hub.state.live_roots();
        let ended: Vec<_> = self
            .hub
            .state
            .sessions
            .iter()
            .filter(|s| !s.phase.is_live() && !self.live.contains_key(&s.id))
            .filter(|s| roots.is_empty() || !self.belongs_to(&origin, &[s.id]))
            .map(|s| s.id)
            .collect();
        for old in ended {
            self.origins.remove(&old);
            self.hub.publish(EventKind::SessionCleared { session: old });
        }
        held(|owner, starter| {
            let id = owner.open(session, origin, Some(starter));
            owner.hub.focus(id);
        })
    }

    /// A session of any kind begins.
    pub fn open(
        &mut self,
        mut session: Session,
        origin: Origin,
        starter: Option<Answer>,
    ) -> SessionId {
        let id = self.next_session();
        session.id = id;
        session.phase = Phase::Initializing;
        session.last_used = idle::now();
        session.activity = Some(match session.kind {
            StartKind::Attach => attaching_to(&session),
            StartKind::Launch => "starting the adapter".to_owned(),
        });
        let mut live = Live::new(id, session.kind, origin.clone());
        live.starter = starter;
        live.spill = self
            .config
            .output_dir
            .as_ref()
            .map(|dir| Spill::new(dir, format!("{}-{id}.log", std::process::id())));
        self.live.insert(id, live);
        self.origins.insert(id, origin.clone());
        // What is known of sessions that were forgotten goes with them.
        let known = &self.hub.state.sessions;
        let is_known = |id: &SessionId| known.iter().any(|s| s.id == *id);
        self.histories.retain(|id, _| is_known(id));
        self.records.retain(|id, _| is_known(id));
        if let Origin::Replay(playback) = &origin {
            let personality = playback.personality();
            let mut stops = playback.stops(|| self.next_stop());
            let stacks = stops
                .iter_mut()
                .flat_map(|s| s.seen.stop.stacks.values_mut());
            stacks.for_each(|stack| plain_names(Some(&personality), &mut stack.frames));
            if let Some(live) = self.live.get_mut(&id) {
                live.personality = Arc::new(personality);
            }
            let history = History::recorded(stops, playback.at());
            self.histories.insert(id, history);
        }
        self.hub.publish(EventKind::SessionStarted {
            session: Box::new(session),
        });
        self.forget_hits(id);
        self.run_before(id, origin);
        id
    }

    /// A server that is not there yet is tried again and again, in which time nothing else would be said.
    fn tell_of_tries(&self, id: SessionId, generation: u32, told: oneshot::Receiver<Tries>) {
        let over = self
            .live(id)
            .map(|live| live.over.clone())
            .unwrap_or_default();
        let late = async move {
            let tries = told.await.ok()?;
            over.run_until_cancelled(time::sleep(FIRST_TRIES)).await?;
            Some(tries)
        };
        self.spawn(late, move |owner, tries| {
            let waits = owner
                .live(id)
                .is_some_and(|live| live.generation == generation && live.client.is_none());
            // Of a child whose server never comes its parent's adapter was wrong; it is told once, at the end.
            let is_asked = owner.session(id).is_some_and(|s| s.parent.is_none());
            if let Some(tries) = tries.filter(|_| waits && is_asked) {
                let whole = tries.limit.as_secs();
                owner.inform(id, format!(
                        "Nothing answers at {} yet: tried again until it does, for {whole} s in all.",
                        tries.address
                    ));
            }
        });
    }

    /// Finds and starts the adapter, off this task.
    pub fn prepare(&mut self, id: SessionId, origin: Origin, plain: bool) {
        self.follow_lines(id, &origin);
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        live.generation += 1;
        let generation = live.generation;
        let (config, taps) = (Arc::clone(&self.config), Arc::clone(&self.taps));
        let over = live.over.clone();
        let whose = SessionOwner {
            id,
            parent: self.session(id).and_then(|session| session.parent),
            program: self
                .session(id)
                .map(|session| session.target.clone())
                .unwrap_or_default(),
        };
        let stops = self.breakpoints().filter(|b| b.enabled && b.stops());
        let stops = stops.cloned().collect();
        let (tries, told) = oneshot::channel();
        self.tell_of_tries(id, generation, told);
        let (terminals, asked) = oneshot::channel();
        let asks = prepare::Asks { tries, terminals };
        self.spawn(asked, move |owner, wish| {
            // Most programs need none.
            if let Ok(InTerminal { arguments, started }) = wish {
                owner.with_input(id, move |owner, input| {
                    let begun =
                        input.and_then(|input| owner.begin_in_terminal(id, &arguments, input));
                    // Nobody waits for a start that was taken back; the session's end ends the program.
                    let _ = started.send(begun.map(|begun| begun.ender));
                });
            }
        });
        self.spawn(
            over.run_until_cancelled_owned(prepare::prepare(
                config, taps, whose, origin, stops, plain, asks,
            )),
            move |owner, ready| match ready.unwrap_or_else(|| Err(taken_back())) {
                Ok((connection, script)) => owner.connected(id, connection, script),
                Err(error) => owner.fail_start(id, error),
            },
        );
    }
}

pub fn absolute(path: &Path, base: &Path) -> PathBuf {
    let joined = base.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

pub fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy())
        .into_owned()
}
