//! The same faults and states with company: two clients have joined over the socket of a host. One of them asks for everything, the
//! host and the other one look on, and all of them see one and the same end.
//!
//! One cell in four belongs to every change, all of them run with `OMP_DEBUG_FULL_MATRIX=1`.

// suite: T4 asked 216 present 216

use omp_debug::debugger::link::{self, HostKind, Hosting, Note, SocketFolder};
use omp_debug::debugger::{Change, DebuggerError, SessionId};

use super::table::{FAULTS, State};
use super::{PATIENCE, ends_once};
use crate::support;
use crate::support::core::{Desk, Home, Outcome};

/// Cells that belong to every change: each fault and each state is among them.
pub fn is_smoke(fault: usize, state: usize) -> bool {
    (fault + state).is_multiple_of(4)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_in_every_state_with_two_who_joined() {
    super::matrix("stdio", true).await;
}

#[test]
fn cells() {
    support::assert_suite(include_str!("joined.rs"), FAULTS.len() * State::ALL.len());
}

/// Those who look on.
pub struct Company {
    _host: link::Host,
    lookers: Vec<(&'static str, Desk)>,
}

impl Company {
    /// Hosts the core of `desk`. Gives the client that joined first, and the others.
    pub async fn join(desk: Desk, home: &Home) -> Outcome<(Desk, Self)> {
        let failed = |error: DebuggerError| error.to_string();
        let place = SocketFolder::make_at(&home.path().join("run")).map_err(failed)?;
        let note = Note::own(HostKind::Serve, home.path().to_owned(), None);
        let hosting = Hosting::new(place, note);
        let host = link::serve(desk.core.clone(), hosting)
            .await
            .map_err(failed)?;
        let driver = Desk::of(link::join(host.path()).await.map_err(failed)?.core).await;
        let second = Desk::of(link::join(host.path()).await.map_err(failed)?.core).await;
        let lookers = vec![("the host", desk), ("the other client", second)];
        Ok((
            driver,
            Self {
                _host: host,
                lookers,
            },
        ))
    }

    /// Everyone saw each session end once, for the same reason and in the same state.
    pub async fn saw_the_same(&mut self, driver: &Desk, ids: &[SessionId]) -> Outcome<()> {
        for (who, desk) in &mut self.lookers {
            for id in ids {
                let about = |why: String| format!("{who}: {why}");
                desk.gone(*id, PATIENCE).await.map_err(about)?;
                ends_once(desk, *id).map_err(about)?;
                let (seen, told) = (milestones(desk, *id), milestones(driver, *id));
                if seen != told {
                    return Err(about(format!("it saw {seen:?}, not {told:?}")));
                }
            }
        }
        Ok(())
    }
}

/// What nobody may see otherwise than others: stops, the exit code, the end.
fn milestones(desk: &Desk, id: SessionId) -> Vec<&Change> {
    let all = desk.changes(id);
    all.filter(|change| {
        matches!(
            change,
            Change::Stopped { .. } | Change::Exited { .. } | Change::Ended { .. } | Change::Gone
        )
    })
    .collect()
}
