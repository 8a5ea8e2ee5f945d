//! What others than the person may do: the decision against an oracle of its own, and the core as it asks, is answered and refuses.
// suite: T12 asked 1344 present 1344

use std::time::Duration;

use omp_debug::debugger::permission::decide::{Verdict, decide};
use omp_debug::debugger::permission::rules::Rules;
use omp_debug::debugger::permission::{
    Actor, ActorKind, Approval, Caller, Consent, Mode, PERMISSION, Risk, Tier,
};
use omp_debug::debugger::tool::ACTIONS;
use omp_debug::debugger::{
    BreakpointSpec, Command, CoreHandle, DebuggerError, ErrorKind, Granularity, LaunchSpec, Reply,
    StepKind,
};
use omp_debug::tasks;
use serde_json::Value;

use crate::support;
use support::bench::{Bench, PATIENCE, evaluate};

/// What the table of tiers says of omp's 28 actions: l(ooks), e(valuates a name), c(ontrols), r(uns code or changes).
const TIERS: [(&str, char); 28] = [
    ("launch", 'r'),
    ("attach", 'r'),
    ("set_breakpoint", 'c'),
    ("remove_breakpoint", 'c'),
    ("set_instruction_breakpoint", 'c'),
    ("remove_instruction_breakpoint", 'c'),
    ("data_breakpoint_info", 'e'),
    ("set_data_breakpoint", 'c'),
    ("remove_data_breakpoint", 'c'),
    ("continue", 'c'),
    ("step_over", 'c'),
    ("step_in", 'c'),
    ("step_out", 'c'),
    ("pause", 'c'),
    ("evaluate", 'r'),
    ("stack_trace", 'l'),
    ("threads", 'l'),
    ("scopes", 'l'),
    ("variables", 'l'),
    ("disassemble", 'l'),
    ("read_memory", 'l'),
    ("write_memory", 'r'),
    ("modules", 'l'),
    ("loaded_sources", 'l'),
    ("custom_request", 'r'),
    ("output", 'l'),
    ("terminate", 'r'),
    ("sessions", 'l'),
];

/// The modes of omp and of synwire, each with what it lets by, asks about, and whether it refuses what it does not let by.
const MODES: [(&str, &str, bool); 8] = [
    ("always-ask", "le", false),
    ("write", "lec", false),
    ("yolo", "lecr", false),
    ("default", "le", false),
    ("accept-edits", "lec", false),
    ("plan-only", "le", true),
    ("bypass-all", "lecr", false),
    ("deny-unauthorized", "", true),
];

/// `done`, `asked` or `refused`, from the words of the specification alone.
fn oracle(tier: char, mode: (&str, &str, bool), rule: Option<&str>, screen: bool) -> &'static str {
    let (name, lets_by, refuses) = mode;
    let looks = "le".contains(tier);
    match rule {
        Some("deny") => "refused",
        _ if name == "plan-only" && !looks => "refused",
        Some("allow") => "done",
        _ if lets_by.contains(tier) => "done",
        _ if refuses || !screen => "refused",
        _ => "asked",
    }
}

#[test]
fn every_action_in_every_mode_is_decided_as_the_oracle_says() {
    let agent = Actor::new(ActorKind::Agent, "oracle");
    let mut cells = 0;
    for (action, tier) in TIERS {
        let row = ACTIONS.iter().find(|row| row.name == action).unwrap();
        let known = [
            ('l', Tier::Read),
            ('e', Tier::EvalSafe),
            ('c', Tier::Control),
            ('r', Tier::Exec),
        ];
        let known = known.iter().find(|(letter, _)| *letter == tier).unwrap();
        assert_eq!(row.tier, known.1, "{action}");
        for mode in MODES {
            let set: Mode = mode.0.parse().unwrap();
            for rule in [None, Some("allow"), Some("deny")] {
                let rules = rule.map_or_else(String::new, |rule| {
                    format!("[[rule]]\ntool = \"{action}\"\ndecision = \"{rule}\"\n")
                });
                let rules = Rules::read(&rules).unwrap();
                for screen in [false, true] {
                    let verdict = decide(set, &rules, &agent, row.tier, action, "").closed(screen);
                    let decided = match verdict {
                        Verdict::Allow => "done",
                        Verdict::Ask => "asked",
                        Verdict::Deny(_) => "refused",
                    };
                    let expected = oracle(tier, mode, rule, screen);
                    assert_eq!(decided, expected, "{action} {mode:?} {rule:?} {screen}");
                    cells += 1;
                }
            }
        }
    }
    assert_eq!(cells, 1_344);
}

/// A stopped program, an agent, and a person who can answer.
struct Shared {
    bench: Bench,
    agent: CoreHandle,
    /// The last card that was seen.
    seen: u64,
}

fn named(name: &str) -> Caller {
    let mut actor = Actor::new(ActorKind::Agent, name);
    actor.connection = 1;
    actor.into()
}

impl Shared {
    async fn open(limit: Duration) -> Self {
        let bench = Bench::with(&["--endless"], |config| config.consent_limit = limit).await;
        let agent = bench.desk.core.acting_as(named("claude-code"));
        Self {
            bench,
            agent,
            seen: 0,
        }
    }

    /// What the agent asks for, on its way, and the card that a person sees.
    async fn asks(
        &mut self,
        command: Command,
    ) -> (
        tokio::task::JoinHandle<Result<Reply, DebuggerError>>,
        Approval,
    ) {
        let answer = tasks::spawn(self.agent.request(command));
        (answer, self.card().await)
    }

    /// The next card that a person sees.
    async fn card(&mut self) -> Approval {
        let seen = self.seen;
        let card = |desk: &support::core::Desk| {
            let mut waiting = desk.state.sharing.approvals.iter();
            waiting.find(|card| card.id.0 > seen).cloned()
        };
        let card = self
            .bench
            .desk
            .until("a card", PATIENCE, card)
            .await
            .unwrap();
        self.seen = card.id.0;
        card
    }

    async fn decide(&self, card: &Approval, consent: Consent) {
        let approval = card.id;
        self.bench
            .ask(Command::Decide { approval, consent })
            .await
            .unwrap();
    }

    /// Waits until the audit has such a decision.
    async fn audited(&mut self, decision: &str) {
        let has = |desk: &support::core::Desk| {
            let mut audit = desk.state.sharing.audit.iter();
            audit.find(|entry| entry.decision == decision).map(drop)
        };
        self.bench
            .desk
            .until(decision, PATIENCE, has)
            .await
            .unwrap();
    }
}

fn step() -> Command {
    Command::Step {
        session: None,
        thread: None,
        kind: StepKind::Over,
        granularity: Granularity::Line,
    }
}

fn value(reply: Result<Reply, DebuggerError>) -> String {
    match reply {
        Ok(Reply::Value { value }) => value.result,
        other => panic!("no value: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_runs_code_waits_for_a_person_and_is_done_as_they_say() {
    let mut shared = Shared::open(Duration::from_mins(5)).await;
    let _here = shared.bench.desk.core.present(true);
    let before = shared.bench.heard("evaluate").len();
    let (answer, card) = shared.asks(evaluate("i")).await;
    assert_eq!(
        (
            card.action.as_str(),
            card.subject.as_str(),
            card.tier,
            card.risk
        ),
        ("evaluate", "i", Tier::Exec, Risk::Critical)
    );
    assert_eq!(
        shared.bench.heard("evaluate").len(),
        before,
        "nothing is sent before"
    );
    // Only a person may answer, and not the one who asked.
    let own = Command::Decide {
        approval: card.id,
        consent: Consent::Once,
    };
    let refused = shared.agent.request(own).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
    shared.decide(&card, Consent::Once).await;
    value(answer.await.unwrap());

    let (answer, card) = shared.asks(evaluate("i + 1")).await;
    let subject = "i".to_owned();
    shared.decide(&card, Consent::Edited { subject }).await;
    value(answer.await.unwrap());
    let heard = shared.bench.heard("evaluate");
    assert_eq!(
        heard.last().unwrap()["expression"],
        "i",
        "what the person wrote is done"
    );

    let (answer, card) = shared.asks(evaluate("i * 2")).await;
    let reason = Some("not now".to_owned());
    shared.decide(&card, Consent::Deny { reason }).await;
    let refused = answer.await.unwrap().unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
    assert!(refused.what.contains("not now"), "{refused}");

    let (answer, card) = shared.asks(evaluate("i * 3")).await;
    let pattern = "i ? *".to_owned();
    shared.decide(&card, Consent::Always { pattern }).await;
    let _ = answer.await.unwrap();
    // It is done without a card: the next one is about something else.
    let _ = shared.agent.request(evaluate("i * 4")).await;

    let (answer, card) = shared.asks(evaluate("total")).await;
    assert_eq!(card.subject, "total");
    shared.decide(&card, Consent::Abort).await;
    assert_eq!(answer.await.unwrap().unwrap_err().kind, ErrorKind::Denied);
    let again = shared.agent.request(evaluate("i * 5")).await.unwrap_err();
    assert_eq!(again.kind, ErrorKind::Denied);
    shared.bench.value("i").await.unwrap();
    for decision in ["asked", "approved", "edited", "denied", "aborted"] {
        shared.audited(decision).await;
    }
    let file = shared
        .bench
        .home
        .path()
        .join("state/omp-debug/audit/audit.jsonl");
    let written =
        std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    assert!(written.contains("not now"), "{written}");
    drop(shared.agent);
    shared.bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_agent_starts_may_do_no_more_than_the_agent() {
    let mut shared = Shared::open(Duration::from_mins(5)).await;
    let _here = shared.bench.desk.core.present(true);
    let cap = |shared: &Shared| {
        let launched = shared.bench.heard("launch");
        launched.last().unwrap()["env"][PERMISSION].clone()
    };
    assert_eq!(
        cap(&shared),
        Value::Null,
        "a person's own program is not capped"
    );
    shared
        .bench
        .ask(Command::Terminate { session: None })
        .await
        .unwrap();
    let spec = LaunchSpec {
        program: shared.bench.program.clone(),
        adapter: Some("fake".to_owned()),
        // What it writes there itself does not count.
        env: vec![(PERMISSION.to_owned(), Some("auto".to_owned()))],
        ..LaunchSpec::default()
    };
    let (answer, card) = shared.asks(Command::Launch(Box::new(spec))).await;
    assert_eq!(card.risk, Risk::Medium);
    shared.decide(&card, Consent::Once).await;
    answer.await.unwrap().unwrap();
    assert_eq!(cap(&shared), "ask");
    drop(shared.agent);
    shared.bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_subject_is_a_beginning_and_a_count_of_bytes() {
    let mut shared = Shared::open(Duration::from_mins(5)).await;
    let _here = shared.bench.desk.core.present(true);
    let beginning = "i".repeat(200) + "… (10241 bytes in all)";
    for (bytes, shown, editable) in [
        (2_000, "i".repeat(2_000), true),
        (10 * 1024, "i".repeat(1_999) + "…", false),
        (10 * 1024 + 1, beginning, false),
    ] {
        let (answer, card) = shared.asks(evaluate(&"i".repeat(bytes))).await;
        assert_eq!(card.subject, shown);
        assert_eq!(
            (card.subject_bytes, card.editable),
            (bytes as u64, editable)
        );
        shared.decide(&card, Consent::Deny { reason: None }).await;
        assert_eq!(answer.await.unwrap().unwrap_err().kind, ErrorKind::Denied);
    }
    drop(shared.agent);
    shared.bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_nobody_and_another_stop_are_refusals() {
    let mut shared = Shared::open(Duration::from_millis(50)).await;
    let nobody = shared.agent.request(evaluate("i")).await.unwrap_err();
    assert_eq!(nobody.kind, ErrorKind::Denied);
    let here = shared.bench.desk.core.present(true);
    let late = shared.agent.request(evaluate("i")).await.unwrap_err();
    assert!(
        late.what.contains("nobody answered within 0.05 s"),
        "{late}"
    );
    drop(here);
    drop(shared.agent);
    shared.bench.end().await;

    shared = Shared::open(Duration::from_mins(5)).await;
    let _here = shared.bench.desk.core.present(true);
    let (answer, _) = shared.asks(evaluate("i")).await;
    shared.bench.resume(Some(StepKind::Over)).await;
    // Nobody need answer what can no longer be done.
    let stale = answer.await.unwrap().unwrap_err();
    assert_eq!(
        stale.kind,
        ErrorKind::Stale,
        "consent is to what was asked where it was asked"
    );
    drop(shared.agent);
    shared.bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_drives_and_a_person_takes_control_at_any_time() {
    let mut shared = Shared::open(Duration::from_mins(5)).await;
    let person = shared.bench.desk.core.present(true);
    let core = &shared.bench.desk.core;
    let (first, second) = (shared.agent.present(false), core.acting_as(named("second")));
    core.request(Command::SetMode { mode: Mode::Drive })
        .await
        .unwrap();
    let raised = second
        .request(Command::SetMode { mode: Mode::Auto })
        .await
        .unwrap_err();
    assert_eq!(raised.kind, ErrorKind::Denied, "only a person raises it");

    shared.agent.request(step()).await.unwrap();
    shared.bench.next_stop().await;
    let refused = second.request(step()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NotDriver);
    assert!(refused.what.contains("claude-code drives"), "{refused}");
    // Breakpoints need no control, looking neither; a person's own breakpoint is not changed without them.
    let line = BreakpointSpec::line(&shared.bench.program, 5);
    let own = shared.bench.set(line).await.unwrap();
    let removed = tasks::spawn(second.request(Command::RemoveBreakpoint { id: own.id }));
    let card = shared.card().await;
    shared.decide(&card, Consent::Deny { reason: None }).await;
    assert_eq!(removed.await.unwrap().unwrap_err().kind, ErrorKind::Denied);

    // One step of the person's, and the agent drives no more.
    shared.bench.resume(Some(StepKind::Over)).await;
    shared.bench.next_stop().await;
    let refused = shared.agent.request(step()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NotDriver);
    shared.bench.ask(Command::ReleaseControl).await.unwrap();

    // Another stop than the one that was looked at.
    let seen = shared
        .bench
        .desk
        .session(shared.bench.session)
        .stop
        .as_ref()
        .unwrap()
        .id;
    shared.bench.resume(Some(StepKind::Over)).await;
    shared.bench.next_stop().await;
    shared
        .bench
        .ask(Command::ReleaseControl)
        .await
        .unwrap_or(Reply::Done);
    let old = Caller {
        expected_stop: Some(seen),
        ..named("claude-code")
    };
    let stale = shared
        .bench
        .desk
        .core
        .acting_as(old)
        .request(step())
        .await
        .unwrap_err();
    assert_eq!(stale.kind, ErrorKind::Stale);

    // A driver whose connection ends drives no more.
    shared.agent.request(step()).await.unwrap();
    shared.bench.next_stop().await;
    drop(first);
    let free = |desk: &support::core::Desk| desk.state.sharing.driver.is_none().then_some(());
    shared
        .bench
        .desk
        .until("nobody drives", PATIENCE, free)
        .await
        .unwrap();
    shared.audited("stale").await;
    drop((person, second, shared.agent));
    shared.bench.end().await;
}
