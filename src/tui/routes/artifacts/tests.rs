//! The route with what the work tells, at every size.

use debugger::State;

use super::*;
use crate::kit::test::Stage;

#[test]
fn it_survives_every_size_before_and_after_measuring() {
    let mut stage = Stage::new(State::default());
    let mut route = ArtifactsRoute::default();
    stage.survives(&mut route);
    route.scanning = Some((16, 100));
    stage.survives(&mut route);
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("sessions");
    let folder = place.join("-a/s");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("0.bash.log"), b"output").unwrap();
    std::fs::write(
        place.join("-a/s.jsonl"),
        "{\"type\":\"title\",\"title\":\"wide \u{4e2d}\u{6587} title\"}\n",
    )
    .unwrap();
    let ground = ArtifactRoot {
        layout: Arc::new(diagnostics::omp::Layout {
            sessions: vec![place],
            ..Default::default()
        }),
        state_dir: dir.path().join("state"),
        ..Default::default()
    };
    let scan = artifacts::scan(&ground, &|_, _| (), &Cancel::default()).unwrap();
    route.scanned(Ok(scan));
    assert_eq!(route.list.selected(), Some(0));
    stage.survives(&mut route);
    let wide = stage.draw(&mut route, 120, 24).join("\n");
    for text in [
        "1 folder, 1 file, 6 B",
        "newest first",
        "wide 中",
        "not in use",
    ] {
        assert!(wide.contains(text), "{text:?} in\n{wide}");
    }
    let cx = stage.cx();
    route.open(&cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == inside::LIST));
    stage.survives(&mut route);
    let cx = stage.cx();
    assert!(route.leave(&cx) && !route.leave(&cx));
    route.scanned(Err("it cannot be read".to_owned()));
    assert!(route.failed.is_some());
    stage.survives(&mut route);
}
