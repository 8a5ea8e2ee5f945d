use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, stopped_in_main};
use debugger::permission::{Actor, ActorKind, Tier};

fn entry(action: &str, subject: &str, decision: &str) -> AuditEntry {
    AuditEntry {
        time_ms: 1_764_000_000_000,
        actor: Actor {
            kind: ActorKind::Agent,
            name: "claude-code".into(),
            connection: 3,
        },
        action: action.into(),
        tier: Tier::Exec,
        subject: subject.into(),
        session: Some(SessionId(1)),
        decision: decision.into(),
        note: String::new(),
        hash: "0123abcd".into(),
    }
}

fn stage(entries: impl IntoIterator<Item = AuditEntry>) -> Stage {
    let mut state = stopped_in_main(1, Vec::new());
    state.sharing.audit = entries.into_iter().collect();
    Stage::new(state)
}

#[test]
fn it_lists_who_did_what_and_what_was_decided() {
    let entries = [
        entry("evaluate", "total(\u{1b}[2J)", "denied"),
        entry("write_memory", "0x10", "approved"),
    ];
    let mut stage = stage(entries);
    let mut pane = AuditPane::default();
    let screen = stage.draw(&mut pane, 100, 10).join("\n");
    for part in [
        "claude-code",
        "evaluate",
        "denied",
        "total(␛[2J)",
        "write memory",
        "approved",
    ] {
        assert!(screen.contains(part), "{part:?} is not in\n{screen}");
    }
    stage.survives(&mut pane);
}

#[test]
fn without_entries_it_says_what_would_be_here() {
    let screen = stage([]).draw(&mut AuditPane::default(), 80, 10).join("\n");
    assert!(screen.contains("Nobody else has done anything"), "{screen}");
}

#[test]
fn a_filter_narrows_it_and_what_is_shown_is_copied() {
    let stage = stage([
        entry("evaluate", "total()", "denied"),
        entry("step", "over", "allowed"),
        entry("evaluate", "COUNT", "allowed"),
    ]);
    let mut pane = AuditPane::default();
    pane.narrow("count");
    let screen = stage.draw(&mut pane, 100, 10).join("\n");
    assert!(
        screen.contains("1 of 3") && !screen.contains("total()"),
        "{screen}"
    );
    let cx = stage.cx();
    pane.invoke("audit.copy-all", &cx);
    pane.invoke("audit.copy", &cx);
    let effects = cx.effects.take();
    let copied: Vec<_> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Copy { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let [row, whole] = copied.as_slice() else {
        panic!("{copied:?}")
    };
    assert!(row.contains("COUNT") && !row.contains("over"), "{row}");
    assert!(
        whole.contains("hash: 0123abcd") && whole.contains("decision: allowed"),
        "{whole}"
    );
    pane.invoke("audit.clear-filter", &stage.cx());
    assert!(
        stage
            .draw(&mut pane, 100, 10)
            .join("\n")
            .contains("total()")
    );
}

#[test]
fn the_newest_stays_in_sight_until_one_looks_back() {
    let entries =
        |count: usize| (0..count).map(|n| entry("step", &format!("number {n} "), "allowed"));
    let mut stage = stage(entries(20));
    let mut pane = AuditPane::default();
    assert!(
        stage
            .draw(&mut pane, 100, 8)
            .join("\n")
            .contains("number 19 ")
    );
    pane.invoke("audit.first", &stage.cx());
    stage.state.sharing.audit = entries(30).collect();
    let screen = stage.draw(&mut pane, 100, 8).join("\n");
    assert!(
        screen.contains("number 0 ") && !screen.contains("number 29 "),
        "{screen}"
    );
    pane.invoke("audit.last", &stage.cx());
    assert!(
        stage
            .draw(&mut pane, 100, 8)
            .join("\n")
            .contains("number 29 ")
    );
}
