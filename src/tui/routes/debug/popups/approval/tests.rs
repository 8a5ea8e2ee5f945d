use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, asked, stopped_in_main};
use debugger::permission::{Actor, AuditEntry, Tier};
use std::time::Duration;

fn stage(approvals: Vec<Approval>) -> Stage {
    let mut state = stopped_in_main(1, Vec::new());
    state.sharing.approvals = approvals;
    Stage::new(state)
}

fn opened(stage: &Stage) -> Box<dyn Layer> {
    let cx = stage.cx();
    open(&cx);
    match cx.pop() {
        Some(Effect::Open(card)) => card,
        _ => panic!("no card was opened"),
    }
}

/// What pressing these answers, as the core is told.
fn decisions(stage: &Stage, card: &mut dyn Layer, keys: &[&str], typed: &str) -> Vec<Consent> {
    let cx = stage.cx();
    for id in keys {
        assert_eq!(card.invoke(id, &cx), Some(Ok(())), "{id}");
    }
    for letter in typed.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            letter => KeyCode::Char(letter),
        };
        assert!(card.text(KeyEvent::from(code), &cx), "{letter:?}");
    }
    let told = cx
        .effects
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Core {
                command: Command::Decide { consent, .. },
                ..
            } => Some(consent),
            _ => None,
        });
    told.collect()
}

#[test]
fn every_answer_is_a_key_and_some_are_written_first() {
    let stage = stage(vec![asked(1, "total()")]);
    let answers: [(&str, &str, Consent); 7] = [
        ("approval.once", "", Consent::Once),
        ("approval.stop", "", Consent::ThisStop),
        ("approval.abort", "", Consent::Abort),
        (
            "approval.always",
            "tot*\n",
            Consent::Always {
                pattern: "tot*".into(),
            },
        ),
        (
            "approval.edit",
            "count\n",
            Consent::Edited {
                subject: "count".into(),
            },
        ),
        (
            "approval.deny",
            "no\n",
            Consent::Deny {
                reason: Some("no".into()),
            },
        ),
        ("approval.deny", "\n", Consent::Deny { reason: None }),
    ];
    for (key, typed, expected) in answers {
        let mut card = opened(&stage);
        assert_eq!(decisions(&stage, card.as_mut(), &[key], typed), [expected]);
    }
}

#[test]
fn it_shows_who_asks_what_where_and_what_it_may_do() {
    let mut stage = stage(vec![asked(1, "shop.total(\u{1b}[2J)"), asked(2, "x")]);
    let mut card = opened(&stage);
    let screen = stage.draw(card.as_mut(), 100, 24).join("\n");
    for part in [
        "claude-code asks: evaluate",
        "1 of 2, ",
        " s left",
        "It runs code in the program.",
        "demo.py:12 main() · debug-1",
        "shop.total(␛[2J)",
        "o once  s all such here  a always  e edit  d deny  x abort",
    ] {
        assert!(screen.contains(part), "{part:?} is not in\n{screen}");
    }
    stage.survives(card.as_mut());
}

#[test]
fn of_much_that_is_asked_for_it_is_said_that_more_is_there() {
    let mut long = asked(1, &"one line of it\n".repeat(100));
    long.subject_bytes = 12_345;
    let stage = stage(vec![long]);
    let mut card = opened(&stage);
    let screen = stage.draw(card.as_mut(), 100, 24).join("\n");
    assert!(screen.contains("12,345 bytes"), "{screen}");
    let mut small = stage.draw(card.as_mut(), 40, 8).join("\n");
    assert!(small.contains("one line of it"), "{small}");
    small = stage.draw(card.as_mut(), 30, 4).join("\n");
    assert!(small.contains("one line of it"), "{small}");
}

#[test]
fn what_comes_up_after_an_answer_hears_nothing_for_a_moment() {
    let stage = stage(vec![asked(1, "first"), asked(2, "second")]);
    let mut card = opened(&stage);
    let now = Instant::now();
    assert_eq!(card.deaf(now, true), None, "a person called for it");
    assert_eq!(
        decisions(&stage, card.as_mut(), &["approval.once"], "").len(),
        1
    );
    assert!(card.deaf(now, false).is_some());
    let screen = stage.draw(card.as_mut(), 100, 24).join("\n");
    assert!(
        screen.contains("second") && screen.contains("One moment"),
        "{screen}"
    );
    let later = now + Duration::from_millis(599);
    assert!(
        card.deaf(later, true).is_some(),
        "a key begins the moment anew"
    );
    assert_eq!(card.deaf(later + Duration::from_secs(1), true), None);
}

#[test]
fn what_is_settled_stays_in_sight_and_takes_no_answer() {
    let mut stage = stage(vec![asked(1, "total()")]);
    let mut card = opened(&stage);
    let cx = stage.cx();
    card.invoke("approval.deny", &cx);
    drop(cx);
    stage.state.sharing.approvals.clear();
    stage.state.sharing.audit.push_back(AuditEntry {
        time_ms: 0,
        actor: Actor::default(),
        action: "evaluate".into(),
        tier: Tier::Exec,
        subject: String::new(),
        session: None,
        decision: "expired".into(),
        note: String::new(),
        hash: "hash of 1".into(),
    });
    assert_eq!(decisions(&stage, card.as_mut(), &[], "late\n"), []);
    let screen = stage.draw(card.as_mut(), 100, 24).join("\n");
    assert!(screen.contains("It no longer waits: expired."), "{screen}");
    let cx = stage.cx();
    assert_eq!(
        card.invoke("approval.once", &cx),
        Some(Err("It is settled."))
    );
    assert!(cx.effects.borrow().is_empty());
}

#[test]
fn what_cannot_be_changed_is_not_offered_to_be() {
    let mut fixed = asked(1, "step over");
    fixed.editable = false;
    let stage = stage(vec![fixed]);
    let mut card = opened(&stage);
    let refused = card.invoke("approval.edit", &stage.cx());
    assert_eq!(
        refused,
        Some(Err("It can be allowed or refused only as it is."))
    );
}

#[test]
fn a_note_says_who_asks_and_which_key_answers_at_every_size() {
    let stage = stage(vec![asked(1, "total()"), asked(2, "x")]);
    for (width, height) in [(160, 40), (80, 22), (40, 9), (12, 3), (1, 1), (0, 0)] {
        let area = Rect::new(0, 0, width, height);
        let canvas = Canvas::new(Buffer::empty(area), stage.view());
        let place = note(&canvas, area, "F3", true).unwrap();
        assert_eq!(place.intersection(area), place);
        let text: String = canvas
            .cells()
            .content()
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        if width >= 40 {
            assert!(text.contains("claude-code asks: evaluate"), "{text}");
            assert!(text.contains("F3 answers"), "{text}");
        }
    }
}
