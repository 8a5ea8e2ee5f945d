//! A session that several share. Whatever three of them ask, at once, while one is killed and another comes: what each was told adds up to
//! what the core knows, in an unbroken row of numbers; everybody is answered; and what was asked about an earlier stop is refused.
//!
//! Two kinds of sequences: in one all is asked at once, and only what everybody is told is looked at; in the other one thing is done after
//! the other, by a person, an agent and a third, and what comes of each, who drives, what waits and what the adapter hears is as the
//! rules say.
//!
//! Sequences are made by chance from a seed. Every change runs the first few hundred; `OMP_DEBUG_SHARED=10000` runs all of them, and
//! `OMP_DEBUG_SEED` others. One that fails is made as short as it can be.

// suite: T14 asked 10030 present 10038

use crate::support;

mod named;
mod play;
mod rules;
mod states;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt as _};
use omp_debug::debugger::link::{Host, HostKind, Hosting, Note, SocketFolder, join, serve};
use omp_debug::debugger::{
    BreakpointSpec, Change, Command, CoreHandle, DebuggerError, ErrorKind, Event, EventKind,
    Granularity, Phase, Reply, SessionId, State, StepKind, StopId, Subscription,
};
use play::{Stage, Way};
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
const SMOKE: usize = 500;
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
            self.take(events.ok_or("the core has ended")?)?;
        }
        Ok(())
    }

    fn take(&mut self, events: Vec<Event>) -> Result<(), String> {
        for event in events {
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
        let place = SocketFolder::make_at(&folder.join("run")).unwrap();
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
            Deed::Pause => Command::Pause {
                session,
                thread,
                momentary: false,
            },
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
                if !matches!(kind, Some(ErrorKind::Stale | ErrorKind::State)) {
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

/// Of the sequence with this number.
fn chance(sequence: usize) -> TestRunner {
    let seed = [number("OMP_DEBUG_SEED", 14), sequence].map(usize::to_le_bytes);
    let seed: Vec<u8> = seed.concat().into_iter().cycle().take(32).collect();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    TestRunner::new_with_rng(Config::default(), rng)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_shares_a_session_knows_the_same() {
    let many = number("OMP_DEBUG_SHARED", SMOKE);
    let _watchdog = Watchdog::new(
        "shared sessions",
        Duration::from_mins(5) * (1 + many as u32 / 1000),
    );
    let mut chance = chance(0);
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

/// Cores that are played with at a time. One of them is behind a socket.
const STAGES: usize = 4;
/// How long one that fails is made shorter.
const SHORTER: Duration = Duration::from_secs(40);

/// Who the third is, and what the three do, one after the other.
type Play = (bool, Vec<(usize, rules::Deed)>);

fn a_play() -> impl Strategy<Value = Play> {
    use rules::{Deed, Level, Looked, Say, Wish};
    let wish = prop_oneof![
        4 => Just(Wish::Step),
        2 => Just(Wish::Continue),
        2 => Just(Wish::Pause),
        5 => (0..4_u8).prop_map(Wish::Evaluate),
        1 => Just(Wish::Hover),
        1 => Just(Wish::Threads),
        2 => (1..4_u8).prop_map(Wish::Break),
        1 => (1..4_u8).prop_map(Wish::BreakIf),
        2 => (1..4_u8).prop_map(Wish::Unbreak),
        1 => Just(Wish::Clear),
    ];
    let looked = prop_oneof![
        6 => Just(Looked::Nowhere),
        2 => Just(Looked::Here),
        1 => Just(Looked::Before),
    ];
    let looked = (wish.clone(), looked).prop_map(|(wish, looked)| {
        let has_place = matches!(
            wish,
            Wish::Step | Wish::Continue | Wish::Pause | Wish::Evaluate(_) | Wish::Hover
        );
        Deed::Do(wish, if has_place { looked } else { Looked::Nowhere })
    });
    let level = prop_oneof![
        1 => Just(Level::Observe),
        1 => Just(Level::Rules),
        3 => Just(Level::Ask),
        3 => Just(Level::Drive),
        2 => Just(Level::Auto),
    ];
    let say = prop_oneof![
        4 => Just(Say::Once),
        3 => Just(Say::ThisStop),
        2 => Just(Say::Always),
        2 => (0..4_u8).prop_map(Say::Instead),
        1 => Just(Say::Deny),
        1 => Just(Say::Abort),
    ];
    let deed = prop_oneof![
        12 => (0..3_usize, looked),
        2 => (0..3_usize, Just(Deed::Request)),
        1 => (0..3_usize, Just(Deed::Release)),
        // Mostly a person's.
        2 => (0..1_usize, level.clone().prop_map(Deed::Mode)),
        1 => (1..3_usize, level.prop_map(Deed::Mode)),
        6 => (0..1_usize, (0..2_usize, say.clone()).prop_map(|(which, say)| Deed::Decide(which, say))),
        1 => (1..3_usize, (0..2_usize, say).prop_map(|(which, say)| Deed::Decide(which, say))),
        1 => (1..3_usize, (0..3_usize).prop_map(Deed::Cancel)),
        2 => (0..3_usize, Just(Deed::Come)),
        1 => (0..3_usize, Just(Deed::Leave)),
        1 => (0..3_usize, wish.prop_map(Deed::Die)),
        1 => (0..1_usize, Just(Deed::Follow)),
    ];
    (any::<bool>(), vec(any::<bool>(), 3), vec(deed, 4..16)).prop_map(|(third, away, mut deeds)| {
        let here = (0..3).filter(|who| !away[*who] || *who < 2);
        let come: Vec<_> = here.map(|who| (who, Deed::Come)).collect();
        deeds.splice(0..0, come);
        (third, deeds)
    })
}

fn way(stage: usize) -> Way {
    if stage == 0 { Way::Socket } else { Way::Handle }
}

async fn played(stage: &mut Stage, (is_agent, deeds): &Play) -> Result<(), String> {
    let third = if *is_agent {
        rules::Sort::Agent
    } else {
        rules::Sort::Script
    };
    stage.play(third, deeds).await
}

/// Plays this stage's share of all sequences; gives the first that failed, as short as it can be.
async fn play_all(number: usize, many: usize, failed: Arc<AtomicUsize>) -> Option<String> {
    let mut stage = Stage::open(way(number), |_| {}).await;
    for sequence in (number..many).step_by(STAGES) {
        let mut tree = a_play().new_tree(&mut chance(sequence + 1)).unwrap();
        let Err(mut why) = played(&mut stage, &tree.current()).await else {
            if failed.load(Ordering::Relaxed) > 0 {
                break;
            }
            continue;
        };
        failed.fetch_add(1, Ordering::Relaxed);
        stage.end().await;
        let mut shortest = tree.current();
        eprintln!("sequence {sequence}, {shortest:?}: {why}");
        let begin = Instant::now();
        let mut goes_on = tree.simplify();
        while goes_on && begin.elapsed() < SHORTER {
            let mut other = Stage::open(way(number), |_| {}).await;
            goes_on = match played(&mut other, &tree.current()).await {
                Ok(()) => tree.complicate(),
                Err(because) => {
                    (shortest, why) = (tree.current(), because);
                    tree.simplify()
                }
            };
            other.end().await;
        }
        return Some(format!("sequence {sequence}, {shortest:?}: {why}"));
    }
    stage.end().await;
    None
}

#[test]
fn what_comes_of_each_deed_is_as_the_rules_say() {
    let many = number("OMP_DEBUG_SHARED", SMOKE);
    let limit = Duration::from_mins(5) * (1 + many as u32 / 1000);
    let _watchdog = Watchdog::new("the three", limit);
    let failed = Arc::new(AtomicUsize::new(0));
    let stages: Vec<_> = (0..STAGES)
        .map(|stage| {
            let failed = Arc::clone(&failed);
            std::thread::spawn(move || {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build().unwrap();
                runtime.block_on(play_all(stage, many, failed))
            })
        })
        .collect();
    let all: Vec<_> = stages
        .into_iter()
        .filter_map(|stage| stage.join().unwrap())
        .collect();
    let seed = number("OMP_DEBUG_SEED", 14);
    assert!(all.is_empty(), "OMP_DEBUG_SEED={seed}: {}", all.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_a_name_is_as_the_rules_say() {
    let _watchdog = Watchdog::new("named cases", Duration::from_mins(5));
    let mut failed = named::play(Way::Handle).await;
    failed.extend(named::play(Way::Socket).await);
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_suite_holds_what_its_head_says() {
    support::suite::assert_present(include_str!("mod.rs"), "T14", ALL + named::CASES.len());
}
