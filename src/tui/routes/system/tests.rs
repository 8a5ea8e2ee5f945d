//! The route, with facts and samples as the work tells them.

use debugger::State;
use diagnostics::system::{Collector, processes::Sample};

use super::*;
use crate::{action::Layer, kit::test::Stage};

fn route() -> SystemRoute {
    let mut route = SystemRoute {
        shown: true,
        ..SystemRoute::default()
    };
    let mut env = BTreeMap::new();
    env.insert("EDITOR".to_owned(), "vi".to_owned());
    env.insert(
        "API_KEY".to_owned(),
        "sk-do-not-show-me-1234567890".to_owned(),
    );
    let folder = std::env::temp_dir();
    let collector = Collector::new(&folder, env, diagnostics::omp::Layout::default());
    route.model.facts(&collector.facts());
    let process = Process {
        pid: 4711,
        name: "omp".to_owned(),
        ..Process::default()
    };
    route.model.list(&process, "", true);
    route
}

fn works(effects: &[Effect]) -> Vec<&'static str> {
    let name = |effect: &Effect| match effect {
        Effect::Work(work) => Some(work.name),
        Effect::EndWork(name) => Some(*name),
        _ => None,
    };
    effects.iter().filter_map(name).collect()
}

#[test]
fn it_reads_when_shown_and_ends_everything_when_left() {
    let stage = Stage::new(State::default());
    let mut route = SystemRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert_eq!(works(&cx.effects.borrow()), [LOOK, SAMPLE]);
    let cx = stage.cx();
    route.on_msg(&Msg::Hidden, &cx);
    assert!(
        cx.effects
            .borrow()
            .iter()
            .all(|e| matches!(e, Effect::EndWork(_)))
    );
    assert_eq!(works(&cx.effects.borrow()), [LOOK, SAMPLE, FIND]);
}

#[test]
fn facts_and_charts_are_drawn_and_copied() {
    let stage = Stage::new(State::default());
    let mut route = route();
    for cpu in [None, Some(12.0), Some(50.0)] {
        let sample = Sample {
            pid: 4711,
            cpu,
            memory: 3 << 20,
        };
        route.model.sample(&[4711], &[sample]);
    }
    let text = route_text(&mut route, &stage, 160, 50);
    for wanted in [
        "Machine",
        "Arch",
        "[x] 4711",
        "50.0%",
        "3.0MB",
        "Memory, at most 3.0MB",
        "█",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    let cx = stage.cx();
    assert_eq!(route.invoke("system.copy-all", &cx), Some(Ok(())));
    let Some(Effect::Copy { text, .. }) = cx.pop() else {
        panic!("nothing copied")
    };
    assert!(
        text.contains("Environment\n") && text.contains("EDITOR"),
        "{text}"
    );
    assert!(!text.contains("do-not-show-me"), "{text}");
    let narrow = route_text(&mut route, &stage, 80, 24);
    assert!(
        narrow.contains("Facts") && !narrow.contains("4711"),
        "{narrow}"
    );
    assert_eq!(route.invoke("system.pane", &stage.cx()), Some(Ok(())));
    let narrow = route_text(&mut route, &stage, 80, 24);
    assert!(narrow.contains("4711"), "{narrow}");
}

#[test]
fn the_hint_at_the_charts_is_whole_in_a_narrow_place() {
    let stage = Stage::new(State::default());
    let mut route = SystemRoute::default();
    route.model.list(&Process::default(), "", false);
    let text = route_text(&mut route, &stage, 120, 50);
    assert!(text.contains("every second."), "{text}");
}

fn route_text(route: &mut SystemRoute, stage: &Stage, width: u16, height: u16) -> String {
    stage.draw(route, width, height).join("\n")
}

#[test]
fn freezing_ends_the_samples_and_a_process_is_added_by_its_number() {
    let stage = Stage::new(State::default());
    let mut route = route();
    let cx = stage.cx();
    assert_eq!(route.invoke("system.freeze", &cx), Some(Ok(())));
    assert!(matches!(
        &cx.effects.borrow()[..],
        [Effect::EndWork(SAMPLE)]
    ));
    assert_eq!(route.invoke("system.freeze", &cx), Some(Ok(())));
    assert_eq!(route.invoke("system.add", &cx), Some(Ok(())));
    let cx = stage.cx();
    for code in [KeyCode::Char('4'), KeyCode::Char('2'), KeyCode::Enter] {
        route.on_text(KeyEvent::from(code), &cx);
    }
    assert_eq!(works(&cx.effects.borrow()), [FIND]);
    let cx = stage.cx();
    assert_eq!(route.invoke("system.add", &cx), Some(Ok(())));
    for code in [KeyCode::Char('x'), KeyCode::Enter] {
        route.on_text(KeyEvent::from(code), &cx);
    }
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Notify { .. }]));
}

#[test]
fn every_size_is_drawn() {
    let mut stage = Stage::new(State::default());
    let mut route = route();
    assert_eq!(route.invoke("system.add", &stage.cx()), Some(Ok(())));
    stage.survives(&mut route);
}
