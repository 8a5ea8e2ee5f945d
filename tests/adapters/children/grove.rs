//! What the tests of children share: a core, a program whose processes have children, and waits for the sessions they get.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_debug::debugger::{
    BreakpointSpec, Change, Command, CoreConfig, EventKind, LaunchSpec, Phase, Reply, SessionId,
};

use crate::support::core::{Desk, Home};
use crate::support::procs::Watchdog;
use crate::support::{line_of, program_source, tools};

pub const PATIENCE: Duration = Duration::from_mins(1);

/// A core of the test's own, on which nothing may be left.
pub struct Grove {
    pub home: Home,
    pub desk: Desk,
    pub program: PathBuf,
    _watchdog: Watchdog,
}

impl Grove {
    pub async fn open(what: &str, program: &str) -> Self {
        Self::with(what, program, |_| {}).await
    }

    pub async fn with(what: &str, program: &str, change: impl FnOnce(&mut CoreConfig)) -> Self {
        let watchdog = Watchdog::new(what, Duration::from_mins(5));
        let home = Home::new();
        let mut config = home.config(PATIENCE);
        if let Some(js_debug) = tools::js_debug() {
            let js_debug = js_debug.to_str().unwrap().to_owned();
            Arc::make_mut(&mut config.context.env)
                .insert("JS_DEBUG_DAP_SERVER".to_owned(), js_debug);
        }
        change(&mut config);
        let desk = Desk::open(config).await;
        Self {
            home,
            desk,
            program: program_source(program),
            _watchdog: watchdog,
        }
    }

    pub fn line(&self, mark: &str) -> i64 {
        i64::from(line_of(&self.program, mark))
    }

    pub fn at(&self, mark: &str) -> BreakpointSpec {
        BreakpointSpec::line(&self.program, self.line(mark))
    }

    pub async fn must(&mut self, command: Command) -> Reply {
        let what = format!("{command:?}");
        self.desk.must(&what, PATIENCE, command).await.unwrap()
    }

    pub async fn break_at(&mut self, mark: &str) {
        let spec = self.at(mark);
        self.must(Command::SetBreakpoint(spec)).await;
    }

    pub async fn launch(&mut self, args: &[&str]) -> SessionId {
        let spec = LaunchSpec {
            program: self.program.clone(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            stop_on_entry: Some(false),
            ..LaunchSpec::default()
        };
        self.desk.launch(PATIENCE, spec).await.unwrap()
    }

    /// Waits for a session to stand at a mark in this file, and to be the one looked at.
    pub async fn stands_at(&mut self, session: SessionId, mark: &str) {
        let line = self.line(mark);
        let what = format!("stop of {session} at {mark}");
        let stands = |desk: &Desk| {
            let known = desk.state.session(session)?;
            known.current_stop()?;
            (known.current_frame()?.line == line).then_some(())
        };
        self.desk.until(&what, PATIENCE, stands).await.unwrap();
    }

    pub async fn has_focus(&mut self, session: SessionId) {
        let what = format!("focus on {session}");
        let focused = |desk: &Desk| (desk.state.focus == Some(session)).then_some(());
        self.desk.until(&what, PATIENCE, focused).await.unwrap();
    }

    /// Waits for a session's child number `index`.
    pub async fn child(&mut self, parent: SessionId, index: usize) -> SessionId {
        let what = format!("child {index} of {parent}");
        self.desk
            .until(&what, PATIENCE, |desk| {
                children(desk, parent).get(index).copied()
            })
            .await
            .unwrap()
    }

    /// Waits for one of a session's children to stand at a mark in this file: Python has helpers that are children as well.
    pub async fn child_at(&mut self, parent: SessionId, mark: &str) -> SessionId {
        let line = self.line(mark);
        let what = format!("stop of a child of {parent} at {mark}");
        let standing = |desk: &Desk| {
            let at_mark = |id: &SessionId| {
                let known = desk
                    .state
                    .session(*id)
                    .filter(|s| s.current_stop().is_some());
                known
                    .and_then(|s| s.current_frame())
                    .is_some_and(|f| f.line == line)
            };
            children(desk, parent).into_iter().find(at_mark)
        };
        self.desk.until(&what, PATIENCE, standing).await.unwrap()
    }

    pub async fn go_on(&mut self, session: SessionId) {
        self.must(Command::Continue {
            session: Some(session),
            thread: None,
        })
        .await;
    }

    pub async fn gone(&mut self, session: SessionId) {
        self.desk.gone(session, PATIENCE).await.unwrap();
    }

    /// The same of a session that many others belong to: however long all of them take, there is news in between.
    pub async fn gone_with_all(&mut self, session: SessionId) {
        while !self.order_of_going().contains(&session) {
            let seen = self.desk.history.len();
            let news = |desk: &Desk| (desk.history.len() > seen).then_some(());
            self.desk.until("news", PATIENCE, news).await.unwrap();
        }
    }

    /// Sessions in the order in which their adapters were gone.
    pub fn order_of_going(&self) -> Vec<SessionId> {
        let went = self.desk.history.iter().filter_map(|e| match &e.kind {
            EventKind::Session {
                session,
                change: Change::Gone,
            } => Some(*session),
            _ => None,
        });
        went.collect()
    }

    /// Each of these was gone before the next was.
    pub fn went_in_order(&self, sessions: &[SessionId]) {
        let went = self.order_of_going();
        let of_these: Vec<_> = went
            .iter()
            .copied()
            .filter(|id| sessions.contains(id))
            .collect();
        assert_eq!(of_these, sessions, "{went:?}");
    }

    pub fn phase(&self, session: SessionId) -> Phase {
        self.desk.session(session).phase
    }

    /// What people were told, which in most tests is nothing.
    pub fn messages(&self) -> Vec<String> {
        self.desk.messages().map(str::to_owned).collect()
    }

    /// Ends everything; nothing may be left.
    pub async fn end(mut self) {
        self.must(Command::Shutdown).await;
        let home = self.home;
        let check = omp_debug::tasks::blocking(move || home.mark.assert_none_left(PATIENCE));
        check.await.unwrap();
    }
}

/// The children of a session that are known, in the order they came.
pub fn children(desk: &Desk, parent: SessionId) -> Vec<SessionId> {
    let sessions = desk.state.sessions.iter();
    sessions
        .filter(|s| s.parent == Some(parent))
        .map(|s| s.id)
        .collect()
}

/// Waits for a file that a program leaves, and gives what is in it.
pub async fn left(path: &Path) -> String {
    let path = path.to_owned();
    let waited = omp_debug::tasks::blocking(move || {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            if let Ok(text) = std::fs::read_to_string(&path) {
                return text;
            }
            assert!(
                std::time::Instant::now() < deadline,
                "{} was never written",
                path.display()
            );
            // A file says nothing when it appears.
            std::thread::park_timeout(Duration::from_millis(5));
        }
    });
    waited.await.unwrap()
}
