//! The route, key by key, with answers as the work gives them.

use debugger::State;
use diagnostics::{
    Cancel,
    omp::{Environment, Layout},
    report::{self, Plan},
};

use super::*;
use crate::{action::Layer, kit::test::Stage};

/// A route that knows a plan of a session with artifacts, all counted.
fn chosen(stage: &Stage, artifacts: usize) -> (tempfile::TempDir, ReportRoute) {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::find(&Environment {
        home: dir.path().to_path_buf(),
        cwd: dir.path().to_path_buf(),
        ..Environment::default()
    });
    let bucket = layout.sessions.first().unwrap().join("-");
    std::fs::create_dir_all(bucket.join("one")).unwrap();
    std::fs::write(bucket.join("one.jsonl"), "password=hunter22x\n").unwrap();
    for n in 0..artifacts {
        std::fs::write(bucket.join(format!("one/{n}.log")), "x").unwrap();
    }
    let request = Request {
        layout,
        cwd: dir.path().to_path_buf(),
        ..Request::default()
    };
    let plan = Arc::new(Plan::find(&request, &Cancel::default()).unwrap());
    let redactor = request.redactor();
    let mut route = ReportRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == "report.find"));
    route.planned(Arc::clone(&plan), redactor.clone());
    assert_eq!(
        invoke(&mut route, stage, "report.write").0,
        Err("Secrets are still being counted.")
    );
    let outcome = report::pack(
        &plan,
        Some(&redactor),
        None,
        &Cancel::default(),
        &mut |_| {},
    );
    let outcome = outcome.unwrap();
    route.counted(Busy::No, &outcome.packed, Some(outcome.notes));
    (dir, route)
}

fn invoke(route: &mut ReportRoute, stage: &Stage, id: &str) -> (Enabled, Vec<Effect>) {
    let cx = stage.cx();
    let done = route.invoke(id, &cx).expect("an action of the route");
    (done, cx.effects.take())
}

#[test]
fn members_are_switched_and_counted() {
    let stage = Stage::new(State::default());
    let (_dir, mut route) = chosen(&stage, 3);
    let screen = stage.draw(&mut route, 120, 20).join("\n");
    assert!(screen.contains("1 secret will be replaced"), "{screen}");
    assert!(screen.contains("[x] session.jsonl"), "{screen}");
    assert!(screen.contains("logs.txt  left out:"), "{screen}");
    let session = route.model.as_ref().unwrap().rows.iter().position(|row| {
        let model = route.model.as_ref().unwrap();
        matches!(row, Row::Member(at) if model.plan.members[*at].name == "session.jsonl")
    });
    route.list.select(session);
    assert_eq!(invoke(&mut route, &stage, "report.switch").0, Ok(()));
    let screen = stage.draw(&mut route, 120, 20).join("\n");
    assert!(screen.contains("[ ] session.jsonl"), "{screen}");
    assert!(screen.contains("no secrets found"), "{screen}");
    // The cursor went on to the artifacts, which are switched together.
    assert_eq!(invoke(&mut route, &stage, "report.switch").0, Ok(()));
    let off = route.model.as_ref().unwrap().names_off();
    assert_eq!(off.len(), 4, "{off:?}");
    // Looking anew keeps what was chosen.
    let (done, effects) = invoke(&mut route, &stage, "report.anew");
    assert!(done.is_ok() && matches!(&effects[..], [Effect::Work(_)]));
    assert_eq!(route.off, off);
}

/// Why a program hangs is known later: what is read then stays on the screen, and the cursor on its row.
#[test]
fn what_is_found_later_takes_nothing_away() {
    let stage = Stage::new(State::default());
    let (_dir, mut route) = chosen(&stage, 1);
    assert_eq!(invoke(&mut route, &stage, "report.switch").0, Ok(()));
    let name_of = |route: &ReportRoute| match route.current_row() {
        Some(Row::Member(at)) => route.model.as_ref().unwrap().plan.members[at].name.clone(),
        row => panic!("{row:?}"),
    };
    let name = name_of(&route);
    route.text = Some(MemberText {
        name: name.clone(),
        text: TextView::new("what is read"),
        remark: String::new(),
    });
    let cx = stage.cx();
    route.find_more(&cx);
    assert!(matches!(&cx.effects.borrow()[..], [Effect::Work(work)] if work.name == "report.find"));
    assert_eq!(
        invoke(&mut route, &stage, "report.write").0,
        Err("What there is is still being looked for.")
    );
    let model = route.model.as_ref().unwrap();
    let off = model.names_off();
    let mut plan = (*model.plan).clone();
    let more = plan.members.last().unwrap().clone();
    plan.members.insert(0, more);
    let redactor = route.redactor.clone().unwrap();
    route.planned(Arc::new(plan), redactor);
    assert!(route.text.is_some());
    assert_eq!(name_of(&route), name);
    assert_eq!(route.model.as_ref().unwrap().names_off(), off);
}

#[test]
fn nothing_is_written_without_a_place_and_a_yes() {
    let stage = Stage::new(State::default());
    let (_dir, mut route) = chosen(&stage, 1);
    assert_eq!(invoke(&mut route, &stage, "report.write").0, Ok(()));
    let screen = stage.draw(&mut route, 100, 20).join("\n");
    assert!(screen.contains("write to "), "{screen}");
    let cx = stage.cx();
    route.text(KeyCode::Esc.into(), &cx);
    assert!(cx.effects.borrow().is_empty() && route.line.is_none());
    assert_eq!(invoke(&mut route, &stage, "report.all").0, Ok(()));
    assert_eq!(
        invoke(&mut route, &stage, "report.write").0,
        Err("Nothing is switched on.")
    );
}

#[test]
fn every_size_can_be_drawn() {
    let stage = Stage::new(State::default());
    let (_dir, mut route) = chosen(&stage, 12);
    for mode in 0..3 {
        match mode {
            1 => {
                invoke(&mut route, &stage, "report.session").0.unwrap();
            }
            2 => {
                route.line = None;
                route.browse = Some(Browse::new("/x/r.tar.gz".into()));
            }
            _ => {}
        }
        for (width, height) in [
            (0, 0),
            (1, 1),
            (10, 3),
            (30, 6),
            (40, 10),
            (80, 24),
            (200, 50),
        ] {
            stage.draw(&mut route, width, height);
        }
    }
}
