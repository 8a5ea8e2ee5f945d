//! One look at work: what it asks of the core, within the time that it has.

use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};

use super::kernel::Samples;
use crate::{core::Subscription, prelude::*};

/// Frames of each.
pub const FRAMES: usize = 40;

/// One look at work.
pub struct HangScan {
    pub core: CoreHandle,
    pub events: Subscription,
    pub state: State,
    pub most: usize,
    pub deadline: Instant,
    pub samples: Samples,
    pub sources: HashMap<String, Vec<String>>,
}

impl HangScan {
    /// What is left of the time.
    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Asks the core, within the time that is left.
    pub async fn ask(&mut self, command: Command) -> Result<Reply> {
        // To let the program go on there is always time.
        let left = self.left().max(Duration::from_secs(1));
        let answer = self.core.request_within(command, left).await;
        self.catch_up();
        answer
    }

    /// The same for many that do not depend on each other.
    pub async fn many(&mut self, commands: Vec<Command>) -> Vec<Option<Reply>> {
        let left = self.left();
        let asked = commands
            .into_iter()
            .map(|command| self.core.request_within(command, left));
        let answers = timeout_at(self.deadline, join_all(asked.collect::<Vec<_>>())).await;
        self.catch_up();
        answers
            .unwrap_or_default()
            .into_iter()
            .map(Result::ok)
            .collect()
    }

    pub fn take(&mut self, events: &[Event]) {
        for event in events {
            self.state.apply_for_a_look(event);
        }
    }

    fn catch_up(&mut self) {
        use futures_util::FutureExt as _;
        while let Some(Some(events)) = self.events.next().now_or_never() {
            self.take(&events);
        }
    }

    /// The lines of a source; none when they cannot be had.
    pub async fn source(&mut self, id: SessionId, path: &str) -> Vec<String> {
        if let Some(known) = self.sources.get(path) {
            return known.clone();
        }
        let source = Box::new(Source {
            path: Some(path.to_owned()),
            ..Source::default()
        });
        let session = Some(id);
        let lines = match self.ask(Command::Source { session, source }).await {
            Ok(Reply::Source { content, .. }) => content.lines().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        self.sources.insert(path.to_owned(), lines.clone());
        lines
    }
}

/// The number of a process that is on this machine, and lives: what listens on a port may be on another one.
pub fn local_pid(session: &Session) -> Option<i64> {
    let is_here = !session.post_mortem && !session.target.contains(':');
    session.pid.filter(|_| is_here)
}
