//! Named cases that the rules know nothing of: frames, numbers, time and names.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use omp_debug::debugger::permission::{Actor, ActorKind, Approval, Consent, Mode};
use omp_debug::debugger::{Command, CoreHandle, DebuggerError, ErrorKind, Reply};
use omp_debug::tasks;
use tokio::task::JoinHandle;

use crate::support::bench::{Bench, PATIENCE, evaluate};
use crate::support::core::Desk;

fn agent(name: &str, connection: u64) -> Actor {
    Actor {
        connection,
        ..Actor::new(ActorKind::Agent, name)
    }
}

type Asked = JoinHandle<Result<Reply, DebuggerError>>;

fn ask(core: &CoreHandle, command: Command) -> Asked {
    tasks::spawn(core.request(command))
}

/// Waits until so many cards are there, and none more.
async fn cards(bench: &mut Bench, many: usize) -> Vec<Approval> {
    let cards = |desk: &Desk| {
        let cards = &desk.state.sharing.approvals;
        (cards.len() == many).then(|| cards.clone())
    };
    let what = format!("{many} cards");
    bench.desk.until(&what, PATIENCE, cards).await.unwrap()
}

async fn decide(bench: &Bench, card: &Approval, consent: Consent) {
    let approval = card.id;
    bench
        .ask(Command::Decide { approval, consent })
        .await
        .unwrap();
}

async fn denied(asked: Asked) -> String {
    let error = asked.await.unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied, "{error}");
    error.what
}

/// What was asked in one frame is not done in another that was selected meanwhile.
pub fn in_the_frame_that_was_shown() -> BoxFuture<'static, ()> {
    async {
        let mut bench = Bench::open(&["--endless"]).await;
        let person = bench.desk.core.present(true);
        let core = bench.desk.core.acting_as(agent("omp", 1));
        let stop = bench.desk.session(bench.session).current_stop().unwrap();
        let shown = stop.selected.unwrap();
        let others = stop.stacks[&shown.thread_id].frames.iter();
        let other = others.map(|f| f.id).find(|id| *id != shown.frame_id);
        let asked = ask(&core, evaluate("i"));
        let card = cards(&mut bench, 1).await.remove(0);
        let select = Command::SelectFrame {
            session: None,
            thread: shown.thread_id,
            frame_id: Some(other.unwrap()),
        };
        core.request(select).await.unwrap();
        decide(&bench, &card, Consent::Once).await;
        asked.await.unwrap().unwrap();
        let heard = bench.heard("evaluate");
        let last = heard.iter().rfind(|heard| heard["expression"] == "i");
        assert_eq!(last.unwrap()["frameId"], shown.frame_id);
        drop((core, person));
        bench.end().await;
    }
    .boxed()
}

/// However they are asked for, no more wait than may.
pub fn more_than_may_wait() -> BoxFuture<'static, ()> {
    async {
        let mut bench = Bench::open(&["--endless"]).await;
        let person = bench.desk.core.present(true);
        let core = bench.desk.core.acting_as(agent("omp", 1));
        let here = core.present(false);
        let write = |number: i64| Command::WriteMemory {
            session: None,
            memory_reference: "0x1000".to_owned(),
            offset: Some(number),
            data: "AA==".to_owned(),
            allow_partial: None,
        };
        let all: Vec<_> = (0..20).map(|number| ask(&core, write(number))).collect();
        cards(&mut bench, 16).await;
        // What each overwrites is read first: the last ones are refused once that is answered.
        let over = |desk: &Desk| {
            let audit = desk.state.sharing.audit.iter();
            let denied = audit.filter(|entry| entry.decision == "denied").count();
            (denied == 4).then_some(())
        };
        bench
            .desk
            .until("four refusals", PATIENCE, over)
            .await
            .unwrap();
        let mut refused = 0;
        // Those that wait are refused once whoever asked has gone, and the others were at once.
        drop(here);
        for asked in all {
            refused += usize::from(denied(asked).await.contains("16 things that you asked for"));
        }
        assert_eq!(refused, 4);
        cards(&mut bench, 0).await;
        assert_eq!(bench.heard("writeMemory").len(), 0);
        drop((core, person));
        bench.end().await;
    }
    .boxed()
}

pub fn a_lease_ends() -> BoxFuture<'static, ()> {
    async {
        let lease = Duration::from_millis(50);
        let mut bench = Bench::with(&["--endless"], |config| config.lease = lease).await;
        let core = bench.desk.core.acting_as(agent("omp", 1));
        let here = core.present(false);
        bench
            .ask(Command::SetMode { mode: Mode::Drive })
            .await
            .unwrap();
        let reason = "to step".to_owned();
        core.request(Command::RequestControl { reason })
            .await
            .unwrap();
        let free = |desk: &Desk| {
            let said = &desk.state.sharing.audit;
            let over = said.iter().any(|entry| entry.note == "nobody after omp");
            (over && desk.state.sharing.driver.is_none()).then_some(())
        };
        bench
            .desk
            .until("nobody drives", PATIENCE, free)
            .await
            .unwrap();
        drop((core, here));
        bench.end().await;
    }
    .boxed()
}

/// To a person they are one, whichever the connection.
pub fn two_of_one_name() -> BoxFuture<'static, ()> {
    async {
        let mut bench = Bench::open(&["--endless"]).await;
        let person = bench.desk.core.present(true);
        let first = bench.desk.core.acting_as(agent("omp", 1));
        let second = bench.desk.core.acting_as(agent("omp", 2));
        let other = bench.desk.core.acting_as(agent("other", 3));
        let one = ask(&first, evaluate("i"));
        let card = cards(&mut bench, 1).await.remove(0);
        let two = ask(&second, evaluate("i"));
        cards(&mut bench, 2).await;
        let three = ask(&other, evaluate("i"));
        cards(&mut bench, 3).await;
        decide(&bench, &card, Consent::Abort).await;
        for asked in [one, two, ask(&second, evaluate("i"))] {
            assert!(denied(asked).await.contains("ended your part"));
        }
        let left = cards(&mut bench, 1).await.remove(0);
        assert_eq!(left.actor.name, "other");
        decide(&bench, &left, Consent::Once).await;
        three.await.unwrap().unwrap();
        drop((first, second, other, person));
        bench.end().await;
    }
    .boxed()
}
