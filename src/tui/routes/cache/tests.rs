//! The route with what the work tells, at every size.

use debugger::State;

use super::*;
use crate::{action::Layer as _, kit::test::Stage};

fn home() -> (tempfile::TempDir, Scan) {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("sessions");
    for name in ["one", "two"] {
        let folder = place.join("-a").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("0.bash.log"), name).unwrap();
        std::fs::write(place.join(format!("-a/{name}.jsonl")), "").unwrap();
    }
    let ground = artifacts::ArtifactRoot {
        layout: Arc::new(diagnostics::omp::Layout {
            sessions: vec![place],
            ..Default::default()
        }),
        state_dir: dir.path().join("state"),
        ..Default::default()
    };
    let scan = artifacts::scan(&ground, &|_, _| (), &Cancel::default()).unwrap();
    (dir, scan)
}

#[test]
fn ages_and_spared_folders_decide_what_is_asked_for() {
    let (_dir, scan) = home();
    let mut stage = Stage::new(State::default());
    let mut route = CacheRoute::default();
    stage.survives(&mut route);
    route.scanning = Some((16, 20));
    stage.survives(&mut route);
    route.scanned(Ok(scan));
    let screen = stage.draw(&mut route, 100, 20).join("\n");
    assert!(
        screen.contains("No artifacts are unchanged for 30 days"),
        "{screen}"
    );
    assert_eq!(
        route.invoke("cache.clear", &stage.cx()).map(|e| e.is_ok()),
        Some(false)
    );
    for _ in 0..4 {
        route.change_age(-1);
    }
    // A moment later than what was just written.
    route.now = i64::MAX;
    route.decide();
    stage.survives(&mut route);
    let screen = stage.draw(&mut route, 100, 20).join("\n");
    assert!(
        screen.contains("2 folders, 2 files, 6 B") && screen.contains("[x]"),
        "{screen}"
    );
    route.spare();
    assert_eq!(route.totals().folders, 1);
    let screen = stage.draw(&mut route, 100, 20).join("\n");
    assert!(
        screen.contains("1 folder, 1 file, 3 B") && screen.contains("[ ]"),
        "{screen}"
    );
    let cx = stage.cx();
    assert_eq!(route.invoke("cache.clear", &cx), Some(Ok(())));
    assert!(
        matches!(&cx.effects.borrow()[..], [Effect::Open(_)]),
        "nothing goes before the question"
    );
    route.spare_all();
    assert_eq!(route.totals().folders, 0);
    route.spare_all();
    assert_eq!(route.totals().folders, 2);
}

#[test]
fn what_is_being_done_can_be_stopped_and_says_how_it_ended() {
    let mut stage = Stage::new(State::default());
    let mut route = CacheRoute::default();
    let cancel = Cancel::default();
    route.begun("Clearing", 100, cancel.clone());
    route.progress(Progress { files: 40, of: 100 });
    stage.survives(&mut route);
    let screen = stage.draw(&mut route, 100, 12).join("\n");
    assert!(
        screen.contains("40 files of 100") && screen.contains("Esc stops"),
        "{screen}"
    );
    assert_eq!(route.invoke("cache.back", &stage.cx()), Some(Ok(())));
    assert!(cancel.is_cancelled());
    let cx = stage.cx();
    route.done(Err("Nothing was cleared: no".to_owned()), &cx);
    assert!(matches!(
        &cx.effects.borrow()[..],
        [Effect::Notify { .. }, Effect::Work(_)]
    ));
    stage.survives(&mut route);
}
