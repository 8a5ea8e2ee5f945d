//! The route, with readings of a real process and with a heap file.

use crossterm::event::KeyCode;
use debugger::State;
use diagnostics::memory::{
    growth::Mark,
    heap::{Class, Heap, Object},
};

use super::{
    model::{HeapFile, Process},
    table::Tab,
    work::{EXPORT, HEAP, look},
    *,
};
use crate::{
    action::Layer,
    action::{effect::Effect, work::carried_out},
    kit::test::Stage,
};

/// Our own process, seen twice.
fn route() -> MemoryRoute {
    let pid = std::process::id();
    let mut process = Process {
        pid,
        ..Process::default()
    };
    for at in 0..2 {
        let (sample, report) = look(pid);
        process.sample(at * 1000, sample);
        process.started = Some(report.process.started);
        process.report = Some(report);
    }
    let mut route = MemoryRoute {
        shown: true,
        ..MemoryRoute::default()
    };
    route.model.show(Subject::Process(Box::new(process)));
    route.rows.select(Some(0));
    route
}

fn heap() -> Heap {
    let class = |name: &str, count, shallow, retained| Class {
        name: name.to_owned(),
        count,
        shallow,
        retained,
    };
    Heap {
        path: "/tmp/new.heapsnapshot".into(),
        objects: 12,
        total: 2048,
        classes: vec![
            class("Leak", 9, 900, 9000),
            class("\u{1b}[31mOdd", 3, 30, 30),
        ],
        largest: vec![Object {
            id: 77,
            class: "Leak".to_owned(),
            name: "Leak".to_owned(),
            retained: 9000,
            held_by: vec!["Cache".to_owned(), "Window".to_owned()],
            ..Object::default()
        }],
        ..Heap::default()
    }
}

fn works(effects: &[Effect]) -> Vec<(&'static str, bool)> {
    let name = |effect: &Effect| match effect {
        Effect::Work(work) => Some((work.name, true)),
        Effect::EndWork(name) => Some((*name, false)),
        _ => None,
    };
    effects.iter().filter_map(name).collect()
}

fn text(route: &mut MemoryRoute, stage: &Stage, width: u16, height: u16) -> String {
    stage.draw(route, width, height).join("\n")
}

#[test]
fn it_asks_whose_memory_when_shown_and_ends_everything_when_left() {
    let stage = Stage::new(State::default());
    let mut route = MemoryRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert_eq!(works(&cx.effects.borrow()), [(LIST, true), (WATCH, false)]);
    let Effect::Open(mut chooser) = cx.effects.borrow_mut().remove(0) else {
        panic!("nothing is to be chosen from");
    };
    for c in "4711".chars() {
        assert!(chooser.text(KeyEvent::from(KeyCode::Char(c)), &cx));
    }
    let cx = stage.cx();
    let left = chooser.invoke("memory-picker.leave", &cx);
    assert_eq!(left, Some(Ok(())));
    let effects = cx.effects.take();
    let cx = stage.cx();
    for msg in carried_out(effects) {
        route.on_msg(&msg, &cx);
    }
    assert!(
        cx.effects
            .borrow()
            .iter()
            .any(|e| matches!(e, Effect::Go(RouteId::HOME)))
    );
    let cx = stage.cx();
    route.on_msg(&Msg::Hidden, &cx);
    let ended = works(&cx.effects.borrow());
    assert_eq!(ended, [(LIST, false), (WATCH, false), (MARK, false)]);
}

#[test]
fn a_process_is_drawn_with_its_charts_and_all_its_tables() {
    let stage = Stage::new(State::default());
    let mut route = route();
    let screen = text(&mut route, &stage, 140, 45);
    for wanted in [
        "RSS ",
        "PSS ",
        "USS ",
        "Swap ",
        "█",
        "Group",
        "heap",
        "every second",
    ] {
        assert!(screen.contains(wanted), "{wanted} in\n{screen}");
    }
    let mut seen = Vec::new();
    for _ in 0..6 {
        route.turn(1);
        seen.push(route.model.tab);
        let screen = text(&mut route, &stage, 140, 45);
        let wanted = match route.model.tab {
            Tab::Growth => "m sets one",
            Tab::Mappings => "r-xp",
            // The tests' own threads: on a busy machine none of them may sleep just then.
            Tab::Threads if screen.contains("running") => "running",
            Tab::Threads => "sleeping",
            Tab::Files => "/dev/null",
            Tab::Limits => "open files",
            _ => "anonymous",
        };
        assert!(screen.contains(wanted), "{wanted} in\n{screen}");
    }
    assert_eq!(seen.last(), Some(&Tab::Groups));
    let narrow = text(&mut route, &stage, 80, 24);
    assert!(
        narrow.contains("USS") && narrow.contains("anonymous"),
        "{narrow}"
    );
}

#[test]
fn columns_sort_and_rows_are_copied() {
    let stage = Stage::new(State::default());
    let mut route = route();
    let first = |route: &MemoryRoute| route.model.shown(0).0.into_owned();
    let uss = |row| route.model.shown(row).1[4].text();
    assert!(uss(0).ends_with("MB") && uss(route.model.len() - 1) == "0B");
    // Behind USS come Swap and the name.
    route.model.sort_on();
    route.model.sort_on();
    let by_name = first(&route);
    assert!(by_name.starts_with('/'), "{by_name}");
    route.model.reverse();
    assert!(first(&route) > by_name);
    let cx = stage.cx();
    route.copy(&cx);
    let Some(Effect::Copy { text, .. }) = cx.pop() else {
        panic!("nothing copied")
    };
    assert!(
        text.contains("RSS ") && text.starts_with(&first(&route)),
        "{text}"
    );
}

#[test]
fn marks_show_what_grew_between_them() {
    let stage = Stage::new(State::default());
    let mut route = route();
    let cx = stage.cx();
    assert_eq!(route.invoke("memory.mark", &cx), Some(Ok(())));
    assert_eq!(works(&cx.effects.borrow()), [(MARK, true)]);
    let take = || {
        let subject = diagnostics::memory::Subject::open(std::process::id(), None).unwrap();
        Mark::take(&subject, &Cancel::default()).unwrap()
    };
    let Subject::Process(process) = &mut route.model.subject else {
        panic!("no process")
    };
    let before = take();
    let mut after = before.clone();
    after.taken += Duration::from_secs(2);
    for figures in [&mut after.total, &mut after.groups[0].figures] {
        figures.uss += 24 << 20;
    }
    process.mark(before);
    process.mark(after);
    route.turn_to(Tab::Growth);
    let growth = route.model.growth().unwrap();
    assert_eq!(growth.rows.len(), 1);
    assert_eq!(growth.rows[0].change.own, 24 << 20);
    let screen = text(&mut route, &stage, 140, 45);
    assert!(
        screen.contains("From mark A") && screen.contains("to mark B"),
        "{screen}"
    );
    let wanted = "USS + swap +24.0MB in 2.0 s (+12.0MB/s)";
    assert!(screen.contains(wanted), "{screen}");
    assert_eq!(
        route.invoke("memory.forget-marks", &stage.cx()),
        Some(Ok(()))
    );
    assert!(route.model.growth().is_none());
}

#[test]
fn one_that_ended_stays_to_be_looked_at() {
    let stage = Stage::new(State::default());
    let mut route = route();
    if let Subject::Process(process) = &mut route.model.subject {
        process.ended = Some("process 7 has ended".to_owned());
    }
    let screen = text(&mut route, &stage, 120, 40);
    assert!(
        screen.contains("process 7 has ended") && screen.contains("anonymous"),
        "{screen}"
    );
    let cx = stage.cx();
    assert!(route.invoke("memory.mark", &cx).unwrap().is_err());
    assert_eq!(route.invoke("memory.export", &cx), Some(Ok(())));
    assert!(matches!(cx.pop(), Some(Effect::Open(_))));
}

#[test]
fn freezing_ends_the_samples() {
    let stage = Stage::new(State::default());
    let mut route = route();
    let cx = stage.cx();
    assert_eq!(route.invoke("memory.freeze", &cx), Some(Ok(())));
    assert_eq!(works(&cx.effects.borrow()), [(WATCH, false)]);
    assert!(text(&mut route, &stage, 100, 30).contains("frozen"));
    let cx = stage.cx();
    assert_eq!(route.invoke("memory.freeze", &cx), Some(Ok(())));
    assert_eq!(works(&cx.effects.borrow()), [(WATCH, true)]);
}

#[test]
fn a_heap_file_is_read_shown_and_compared() {
    let stage = Stage::new(State::default());
    let mut route = MemoryRoute::default();
    let cx = stage.cx();
    route.look_at_file("x/y".into(), &cx);
    assert_eq!(works(&cx.effects.borrow()), [(WATCH, false), (HEAP, true)]);
    assert!(text(&mut route, &stage, 100, 30).contains("Reading x/y: 0 %"));
    route.model.show(Subject::Heap(HeapFile {
        heap: Box::new(heap()),
        ..HeapFile::default()
    }));
    route.rows.select(Some(0));
    let screen = text(&mut route, &stage, 120, 30);
    assert!(screen.contains("V8 heap snapshot: 12 objects"), "{screen}");
    assert!(
        screen.contains("Leak") && !screen.contains('\u{1b}'),
        "{screen}"
    );
    route.turn(1);
    let screen = text(&mut route, &stage, 120, 30);
    assert!(
        screen.contains("held by Cache < Window") && screen.contains("77"),
        "{screen}"
    );
    route.turn(1);
    assert!(text(&mut route, &stage, 120, 30).contains("c chooses one"));
    let mut older = heap();
    older.classes.truncate(1);
    older.classes[0].count = 4;
    older.path = "/tmp/old.heapsnapshot".into();
    (older.file_bytes, older.total) = (2048, 1024);
    route.model.compare_with(&older);
    let screen = text(&mut route, &stage, 120, 30);
    assert!(screen.contains("+5") && screen.contains("+3"), "{screen}");
    assert!(
        screen.contains("Since /tmp/old.heapsnapshot (2.0KB): +1.0KB"),
        "{screen}"
    );
    let cx = stage.cx();
    assert!(route.invoke("memory.mark", &cx).unwrap().is_err());
    // A file that is there is written anew only when that was agreed to.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.json");
    std::fs::write(&file, "old").unwrap();
    let heap = heap();
    let saving =
        work::saving(move |path, force| diagnostics::memory::export::export(path, force, &heap));
    let save = saving.to(file.clone(), false);
    assert_eq!(works(std::slice::from_ref(&save)), [(EXPORT, true)]);
    let cx = stage.cx();
    for msg in carried_out(vec![save]) {
        route.on_msg(&msg, &cx);
    }
    let Some(Effect::Open(mut question)) = cx.pop() else {
        panic!("nothing was asked");
    };
    let screen = stage.draw(question.as_mut(), 100, 20).join("\n");
    assert!(screen.contains("is there already"), "{screen}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn every_size_is_drawn() {
    let mut stage = Stage::new(State::default());
    let mut route = route();
    stage.survives(&mut route);
    let cx = stage.cx();
    MemoryRoute::choose(&cx);
    assert_eq!(works(&cx.effects.borrow()), [(LIST, true)]);
    let Effect::Open(mut chooser) = cx.effects.borrow_mut().remove(0) else {
        panic!("nothing is to be chosen from");
    };
    stage.survives(chooser.as_mut());
    let mut route = MemoryRoute::default();
    route.model.show(Subject::Heap(HeapFile {
        heap: Box::new(heap()),
        ..HeapFile::default()
    }));
    route.turn(1);
    route.rows.select(Some(0));
    stage.survives(&mut route);
}

/// At 80x24 nothing of what is said above the tables is lost: it has rows, and what has none is read in full.
#[test]
fn what_stands_above_the_tables_can_be_read_on_a_small_screen() {
    let stage = Stage::new(State::default());
    let mut route = MemoryRoute::default();
    let file = Heap {
        path: "/srv/projects/shop/recordings/of-the-web-shop.4711.heapsnapshot".into(),
        total: 123 << 20,
        objects: 1_234_567,
        references: 7_654_321,
        unreachable: 12 << 20,
        notes: vec!["and a note".to_owned()],
        ..heap()
    };
    route.model.show(Subject::Heap(HeapFile {
        heap: Box::new(file),
        ..HeapFile::default()
    }));
    route.rows.select(Some(0));
    let screen = text(&mut route, &stage, 80, 22);
    for part in [
        "1,234,567 objects, 7,654,321 references, 123.0MB in all",
        "4711.heapsnapshot (0B)",
        "nothing: 12.0MB",
    ] {
        assert!(screen.contains(part), "{part:?} in\n{screen}");
    }
    let cx = stage.cx();
    assert_eq!(route.invoke("memory.notes", &cx), Some(Ok(())));
    let Some(Effect::Open(mut popup)) = cx.pop() else {
        panic!("nothing opened")
    };
    let screen = stage.draw(&mut *popup, 80, 24).join("\n");
    for part in ["123.0MB in", "4711.heapsnapshot", "and a note"] {
        assert!(screen.contains(part), "{part:?} in\n{screen}");
    }
}
