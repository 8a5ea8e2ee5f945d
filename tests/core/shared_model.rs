//! A session that several share. Whatever three of them ask, at once, while one is killed and another comes: what each was told adds up to
//! what the core knows, in an unbroken row of numbers; everybody is answered; and what was asked about an earlier stop is refused.
//!
//! Sequences are made by chance from a seed. Every change runs the first few hundred; `OMP_DEBUG_SHARED=10000` runs all of them, and
//! `OMP_DEBUG_SEED` others.

// suite: T14 asked 10000 present 10000

use crate::support;

use std::path::Path;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use omp_debug::debugger::link::{Host, HostKind, Hosting, Note, Place, join, serve};
use omp_debug::debugger::{
    BreakpointSpec, Change, Command, CoreHandle, DebuggerError, EventKind, Granularity, Kind,
    Phase, Reply, SessionId, State, StepKind, StopId, Subscription,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use support::core::Home;
use support::phases::stay;
use support::procs::Watchdog;
use tokio::time::timeout;

/// Sequences that there are, and those that every change runs.
const ALL: usize = 10_000;
const SMOKE: usize = 300;
const PATIENCE: Duration = Duration::from_secs(20);
const SESSION: Option<SessionId> = Some(SessionId(1));

/// What one of the three does.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Continue,
    Pause,
    Step,
    Break(i64),
    ClearBreakpoints,
    /// Another watch, or one less when there are enough.
    Watch,
    Threads,
    Stack,
    Evaluate,
    /// Variables of the stop before the present one.
    Stale,
    /// Its connection is cut, whatever it waits for.
    Die,
    /// It joins, or joins anew.
    Come,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Continue),
        3 => Just(Deed::Pause),
        4 => Just(Deed::Step),
        2 => (1_i64..9).prop_map(Deed::Break),
        1 => Just(Deed::ClearBreakpoints),
        1 => Just(Deed::Watch),
        1 => Just(Deed::Threads),
        2 => Just(Deed::Stack),
        1 => Just(Deed::Evaluate),
        3 => Just(Deed::Stale),
        1 => Just(Deed::Die),
        3 => Just(Deed::Come),
    ]
}

/// One who follows: the first snapshot, and every event since.
struct Follower {
    core: CoreHandle,
    state: State,
    events: Subscription,
}

impl Follower {
    async fn of(core: CoreHandle) -> Self {
        let (state, events) = core.subscribe().await.unwrap();
        Self {
            core,
            state,
            events,
        }
    }

    /// Takes what was said until this number is reached.
    async fn follow(&mut self, seq: u64) -> Result<(), String> {
        while self.state.seq < seq {
            let events = timeout(PATIENCE, self.events.next()).await;
            let events = events.map_err(|_elapsed| format!("nothing after {}", self.state.seq))?;
            for event in events.ok_or("the core has ended")? {
                let expected = self.state.seq + 1;
                // Runs of output may be merged: then the number is that of the last one.
                let is_output = matches!(
                    event.kind,
                    EventKind::Session {
                        change: Change::Output { .. } | Change::OutputLost { .. },
                        ..
                    }
                );
                if event.seq < expected || event.seq > expected && !is_output {
                    return Err(format!("{} where {expected} was due", event.seq));
                }
                self.state.apply(&event);
            }
        }
        Ok(())
    }
}

type Answer = BoxFuture<'static, Result<Reply, DebuggerError>>;

struct Shared {
    /// In the core's own process, and never killed.
    history: Follower,
    others: [Option<Follower>; 3],
    host: Host,
}

impl Shared {
    async fn open(core: CoreHandle, folder: &Path) -> Self {
        let place = Place::make_at(&folder.join("run")).unwrap();
        let note = Note::own(HostKind::Serve, folder.to_owned(), None);
        let host = serve(core.clone(), Hosting::new(place, note)).await;
        Self {
            history: Follower::of(core).await,
            others: [None, None, None],
            host: host.unwrap(),
        }
    }

    async fn come(&self) -> Follower {
        Follower::of(join(self.host.path()).await.unwrap().core).await
    }

    fn command(&self, deed: Deed, program: &Path) -> Option<Command> {
        let (session, thread) = (SESSION, None);
        let known = &self.history.state;
        Some(match deed {
            Deed::Continue => Command::Continue { session, thread },
            Deed::Pause => Command::Pause { session, thread },
            Deed::Step => Command::Step {
                session,
                thread,
                kind: StepKind::Over,
                granularity: Granularity::Line,
            },
            Deed::Break(line) => Command::SetBreakpoint(BreakpointSpec::line(program, line)),
            Deed::ClearBreakpoints => Command::ClearBreakpoints,
            Deed::Watch => match known.watches.get(2) {
                Some(watch) => Command::RemoveWatch { id: watch.id },
                None => Command::AddWatch {
                    expression: "a".to_owned(),
                },
            },
            Deed::Threads => Command::Threads { session },
            Deed::Stack => Command::StackTrace {
                session,
                thread,
                levels: 20,
            },
            Deed::Evaluate => Command::Evaluate {
                session,
                frame_id: None,
                expression: "a".to_owned(),
                context: "repl".to_owned(),
            },
            Deed::Stale => {
                let stop = known.session(SessionId(1))?.stop.as_ref()?;
                Command::Variables {
                    session,
                    stop: StopId(stop.id.0.checked_sub(1)?),
                    reference: 1,
                    page: None,
                }
            }
            Deed::Die | Deed::Come => return None,
        })
    }

    /// Does all of it without waiting, then waits for all answers but those of the dead.
    async fn live(&mut self, deeds: &[(usize, Deed)], program: &Path) -> Result<(), String> {
        let mut answers: Vec<(usize, Deed, Answer)> = Vec::new();
        for (who, deed) in deeds {
            match deed {
                Deed::Die => {
                    self.others[*who] = None;
                    answers.retain(|(other, ..)| other != who);
                }
                Deed::Come => {
                    answers.retain(|(other, ..)| other != who);
                    self.others[*who] = Some(self.come().await);
                }
                _ => {
                    let asked = self.command(*deed, program);
                    if let (Some(command), Some(other)) = (asked, &self.others[*who]) {
                        let answer = other.core.request(command).boxed();
                        // Sent now, waited for later.
                        answers.push((
                            *who,
                            *deed,
                            omp_debug::tasks::spawn(answer).map(Result::unwrap).boxed(),
                        ));
                    }
                }
            }
        }
        for (who, deed, answer) in answers {
            let answer = timeout(PATIENCE, answer).await;
            let answer = answer.map_err(|_elapsed| format!("{who} got no answer to {deed:?}"))?;
            if matches!(deed, Deed::Stale) {
                let kind = answer.as_ref().err().map(|error| error.kind);
                if !matches!(kind, Some(Kind::Stale | Kind::State)) {
                    return Err(format!("{who} asked about an old stop: {answer:?}"));
                }
            }
        }
        self.agree().await
    }

    /// What everybody was told adds up to what somebody new is told.
    async fn agree(&mut self) -> Result<(), String> {
        let agreed = async {
            loop {
                let (now, _) = self.history.core.subscribe().await.unwrap();
                let everybody = self.others.iter_mut().flatten();
                let mut is_past = false;
                for one in everybody.chain([&mut self.history]) {
                    one.follow(now.seq).await?;
                    is_past |= one.state.seq > now.seq;
                }
                // Something happened meanwhile: what is compared must be of the same moment.
                if is_past {
                    continue;
                }
                let told = serde_json::to_value(&now).unwrap();
                let everybody = self.others.iter().flatten().chain([&self.history]);
                for (number, one) in everybody.enumerate() {
                    let theirs = serde_json::to_value(&one.state).unwrap();
                    if theirs != told {
                        return Err(format!("{number} knows\n{theirs}\nand the core\n{told}"));
                    }
                }
                return Ok(());
            }
        };
        let agreed = timeout(PATIENCE, agreed).await;
        agreed.map_err(|_elapsed| "it never comes to rest".to_owned())?
    }
}

fn number(name: &str, otherwise: usize) -> usize {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_shares_a_session_knows_the_same() {
    let many = number("OMP_DEBUG_SHARED", SMOKE);
    let _watchdog = Watchdog::new(
        "shared sessions",
        Duration::from_mins(5) * (1 + many as u32 / 1000),
    );
    let seed = number("OMP_DEBUG_SEED", 14);
    let seed: Vec<u8> = seed.to_le_bytes().into_iter().cycle().take(32).collect();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut chance = TestRunner::new_with_rng(Config::default(), rng);
    let home = Home::new();
    let desk = stay(&home, Phase::Stopped, &[]).await.unwrap();
    let program = home.path().join("work/program.fake");
    let mut shared = Shared::open(desk.core.clone(), home.path()).await;
    for index in 0..many {
        let deeds = vec((0..3_usize, deed()), 1..16);
        let deeds = deeds.new_tree(&mut chance).unwrap().current();
        if let Err(why) = shared.live(&deeds, &program).await {
            panic!("sequence {index}, {deeds:?}: {why}");
        }
    }
    drop(shared);
    desk.ask("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap()
        .unwrap();
    home.mark.assert_none_left(PATIENCE);
}

#[test]
fn the_suite_holds_what_its_head_says() {
    support::suite::assert_present(include_str!("shared_model.rs"), "T14", ALL);
}
