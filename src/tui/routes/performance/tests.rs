//! The route with what its work tells, at every size.

use debugger::State;
use diagnostics::{
    Cancel,
    profile::tree::{NodeId, Options, Timeline, Tree},
};

use super::{
    model::ShownProfile,
    model::{By, Side, colours, thread_weights},
    *,
};
use crate::kit::test::Stage;

const TEXT: &str = "main (/srv/a.py:1);hot (/srv/a.py:7);burn (/srv/b.py:2) 70\n\
main (/srv/a.py:1);cold (/srv/a.py:9);burn (/srv/b.py:2) 29\n\
main (/srv/a.py:1);\u{4e2d}\u{6587}\u{1b}[31m 1\n";

fn profile(text: &str) -> Arc<Profile> {
    let cancel = Cancel::default();
    let mut profile = import::read_from(text.as_bytes(), 0, &cancel, &|_, _| ()).unwrap();
    profile.name = "a.folded".to_owned();
    Arc::new(profile)
}

fn give(desk: &mut ProfileDesk, profile: &Arc<Profile>, base: Option<&Arc<Profile>>) {
    let options = Options::default();
    let base = base.cloned();
    let tree = Tree::build(profile, base.as_deref(), &options, &Cancel::default());
    desk.built(ShownProfile {
        colours: colours(&tree),
        threads: thread_weights(profile),
        seen: profile.seen(),
        debuggers: profile.debuggers(),
        tree: Arc::new(tree),
        timeline: Timeline::of(profile, &options),
        profile: Arc::clone(profile),
        base,
    });
}

fn name(desk: &ProfileDesk) -> String {
    let tree = desk.tree().unwrap();
    desk.function()
        .and_then(|id| tree.function(id))
        .map_or_else(|| "all".to_owned(), |f| f.name.to_string())
}

#[test]
fn it_survives_every_size_on_every_side() {
    let mut stage = Stage::new(State::default());
    let mut route = PerformanceRoute::default();
    stage.survives(&mut route);
    route.failed = Some("it is a folder".to_owned());
    stage.survives(&mut route);
    let (new, old) = (profile(TEXT), profile("main;gone 3\n"));
    for base in [None, Some(&old)] {
        give(&mut route.desk, &new, base);
        for side in Side::ALL {
            route.desk.go(side);
            stage.survives(&mut route);
        }
        let cx = stage.cx();
        route.desk.choose_format(&cx);
        let Some(Effect::Open(mut choices)) = cx.pop() else {
            panic!("nothing is to be chosen from");
        };
        stage.survives(choices.as_mut());
    }
    let deep: Vec<_> = (0..10_000).map(|n| format!("f{n}")).collect();
    let deep = profile(&format!("{} 1\n", deep.join(";")));
    give(&mut route.desk, &deep, None);
    route.desk.go(Side::Flame);
    route.desk.walk(Step::Last, &stage.cx());
    assert_eq!(name(&route.desk), "f9999");
    let lines = stage.draw(&mut route, 100, 30).join("\n");
    assert!(lines.contains("f9999"), "{lines}");
}

#[test]
fn all_of_it_is_said_where_there_is_room() {
    let stage = Stage::new(State::default());
    let mut route = PerformanceRoute::default();
    give(&mut route.desk, &profile(TEXT), None);
    route.desk.walk(Step::Rows(1), &stage.cx());
    route.desk.walk(Step::Rows(1), &stage.cx());
    let text = stage.draw(&mut route, 100, 30).join("\n");
    for part in [
        "a.folded 100 samples",
        "all 100.0 %",
        "hot 70.0 %",
        "cold 29.0 %",
        "hot  /srv/a.py:7",
        "total 70 samples 70.0 %, 70.0 % of its caller; own 0 samples 0.0 %; calls 1 function",
        // One part of a hundred, in 98 cells.
        "\u{22ef}",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
    route.desk.go(Side::Table);
    let text = stage.draw(&mut route, 120, 30).join("\n");
    assert!(text.contains("99.0 %") && text.contains("burn"), "{text}");
    route.desk.seek("BURN");
    assert!(route.desk.matches.as_ref().is_some_and(|m| m.nodes == 0));
    route.desk.seek("burn|b.py");
    let text = stage.draw(&mut route, 120, 30).join("\n");
    assert!(text.contains("2 matches, 99.0 % of all"), "{text}");
    route.desk.seek("(");
    let text = stage.draw(&mut route, 120, 30).join("\n");
    assert!(text.contains("unclosed group"), "{text}");
}

#[test]
fn what_will_be_taken_is_said_below_what_is_written() {
    let mut stage = Stage::new(State::default());
    let mut route = PerformanceRoute::default();
    let first = stage
        .draw(&mut route.question(Some(4711)), 80, 6)
        .join("\n");
    insta::assert_snapshot!(first, @r"
    ╭─ Profile the process ────────────────────────────────────────────────────╮
    │ › its number; nothing for 4711, which is debugged; self                  │
    │ process 4711, which is debugged                                          │
    │ say: its number, self · 99 Hz · 10 s, 2 min · cpu, wall · all, main,     │
    │ thread 12 · children · inspector, native, perf, py-spy, proc             │
    ╰──────────────────────────────────────────────────────────────────────────╯
    ");
    route.words = "99 Hz 10 s wall ".to_owned();
    let next = stage
        .draw(&mut route.question(Some(4711)), 80, 6)
        .join("\n");
    insta::assert_snapshot!(next, @r"
    ╭─ Profile the process ────────────────────────────────────────────────────╮
    │ › 99 Hz 10 s wall                                                        │
    │ process 4711, which is debugged · 99 Hz · 10 s · wall                    │
    │ say: its number, self · 99 Hz · 10 s, 2 min · cpu, wall · all, main,     │
    │ thread 12 · children · inspector, native, perf, py-spy, proc             │
    ╰──────────────────────────────────────────────────────────────────────────╯
    ");
    let mut consent = Consent {
        request: Request::of(diagnostics::profile::take::ProcessChoice::Pid(4711)),
        lines: opening(&diagnostics::profile::sample::Target {
            pid: 4711,
            name: "node".to_owned(),
            ..diagnostics::profile::sample::Target::default()
        }),
        choice: Answering::default(),
    };
    let now = Instant::now();
    consent.choice.deaf_until(now, false);
    consent
        .choice
        .deaf_until(now + Duration::from_secs(1), false);
    let asked = stage.draw(&mut consent, 80, 10).join("\n");
    insta::assert_snapshot!(asked, @r"
    ╭─ Open its inspector? ────────────────────────────────────────────────────╮
    │ Functions of JavaScript are seen through the inspector of node (4711),   │
    │ and it has none open.                                                    │
    │ SIGUSR1 makes it open one, at 127.0.0.1:9229 or where its arguments say. │
    │ While it is open every program of this machine that can reach that port  │
    │ can run code in it.                                                      │
    │ It is shut again when the profile is taken.                              │
    │                                                                          │
    │ ▸ Neither     Machine code only     Open it   ←→ choose   Enter answers  │
    ╰──────────────────────────────────────────────────────────────────────────╯
    ");
    stage.survives(&mut consent);
}

#[test]
fn the_same_place_stays_selected_when_newer_samples_come() {
    let stage = Stage::new(State::default());
    let mut desk = ProfileDesk::default();
    give(&mut desk, &profile(TEXT), None);
    let cx = stage.cx();
    desk.walk(Step::Rows(1), &stage.cx());
    desk.walk(Step::Rows(1), &stage.cx());
    desk.sideways(1);
    desk.enter(&cx);
    desk.walk(Step::Rows(1), &stage.cx());
    assert_eq!(name(&desk), "burn");
    // Now cold is the heavier one.
    let newer = TEXT.replace(" 70\n", " 7\n");
    give(&mut desk, &profile(&newer), None);
    let tree = desk.tree().unwrap();
    assert_eq!(tree.names(desk.selected).join("/"), "main/cold/burn");
    assert_eq!(tree.names(desk.zoom).join("/"), "main/cold");
    // What is not there any more leaves its caller selected.
    give(
        &mut desk,
        &profile("main (/srv/a.py:1);hot (/srv/a.py:7) 1\n"),
        None,
    );
    assert_eq!(name(&desk), "main");
    // Frozen, it waits.
    desk.freeze(&cx);
    desk.show(profile(TEXT), None, &cx);
    assert!(desk.waiting.is_some() && !desk.is_building);
    desk.freeze(&cx);
    assert!(desk.waiting.is_none() && desk.is_building);
    assert!(desk.leave(&cx) && desk.zoom == NodeId::ROOT);
    assert!(!desk.leave(&cx));
}

#[test]
fn sides_keep_the_function_and_callers_lead_on() {
    let stage = Stage::new(State::default());
    let cx = stage.cx();
    let mut desk = ProfileDesk::default();
    give(&mut desk, &profile(TEXT), None);
    desk.go(Side::Table);
    assert_eq!(name(&desk), "burn");
    desk.go(Side::Callers);
    let around = desk.around.as_ref().unwrap();
    assert_eq!((around.callers.len(), around.callees.len()), (2, 0));
    // The heaviest caller is selected.
    assert_eq!(name(&desk), "hot");
    desk.enter(&cx);
    desk.sideways(1);
    assert_eq!(name(&desk), "burn");
    desk.go(Side::Icicle);
    assert_eq!(
        desk.tree().unwrap().names(desk.selected).join("/"),
        "main/hot/burn"
    );
    // Upside down, up leads to what is called.
    desk.go(Side::Flame);
    desk.walk(Step::Rows(1), &stage.cx());
    assert_eq!(name(&desk), "hot");
    desk.walk(Step::Rows(-1), &stage.cx());
    assert_eq!(name(&desk), "burn");
    desk.seek_selected();
    desk.go_to_match(false, &stage.cx());
    assert_eq!(
        desk.tree().unwrap().names(desk.selected).join("/"),
        "main/cold/burn"
    );
    desk.go_to_match(true, &stage.cx());
    assert_eq!(
        desk.tree().unwrap().names(desk.selected).join("/"),
        "main/hot/burn"
    );
}

#[test]
fn a_comparison_sorts_by_what_changed() {
    let mut desk = ProfileDesk::default();
    let (new, old) = (profile("m;a 50\nm;b 50\n"), profile("m;a 10\nm;b 90\n"));
    give(&mut desk, &new, Some(&old));
    desk.by = By::Change;
    desk.sort();
    let stage = Stage::new(State::default());
    desk.go(Side::Table);
    let text = stage.draw(&mut desk, 120, 30).join("\n");
    assert!(text.contains("+40.0") && text.contains("-40.0"), "{text}");
    assert!(text.contains("compared with a.folded"), "{text}");
    give(&mut desk, &new, None);
    assert_eq!(desk.by, By::Own);
}

#[test]
fn notes_have_a_row_and_are_read_in_full() {
    let stage = Stage::new(State::default());
    let mut desk = ProfileDesk::default();
    let mut noted = Profile::clone(&profile(TEXT));
    noted.stood = Duration::from_secs(3);
    noted.notes = vec![
        "it was stopped by its debugger for 3.00 s of 3.00 s: that time shows where it stood, not what takes time".to_owned(),
        "the second one".to_owned(),
    ];
    give(&mut desk, &Arc::new(noted), None);
    let wide = stage.draw(&mut desk, 200, 50).join("\n");
    assert!(
        wide.contains("not what takes time \u{b7} the second one"),
        "{wide}"
    );
    assert!(!wide.contains("a shows all"), "{wide}");
    let narrow = stage.draw(&mut desk, 50, 22);
    let said = narrow
        .iter()
        .find(|row| row.contains("stopped by its debugger"));
    assert!(
        said.is_some() && narrow.join("\n").contains("a shows all"),
        "{narrow:?}"
    );
    let cx = stage.cx();
    let done = Layer::invoke(&mut desk, "profile.notes", &cx);
    assert_eq!(done, Some(Ok(())));
    let Some(Effect::Open(mut popup)) = cx.pop() else {
        panic!("nothing opened")
    };
    let screen = stage.draw(&mut *popup, 80, 22).join("\n");
    assert!(
        screen.contains("not what takes time") && screen.contains("the second one"),
        "{screen}"
    );
    // Without any there is no row, and the key says why.
    give(&mut desk, &profile(TEXT), None);
    let done = Layer::invoke(&mut desk, "profile.notes", &stage.cx());
    assert_eq!(done, Some(Err("There is nothing to note.")));
}

#[test]
fn memory_and_time_are_not_compared() {
    let stage = Stage::new(State::default());
    let mut desk = ProfileDesk::default();
    give(&mut desk, &profile(TEXT), None);
    let mut bytes = Profile::clone(&profile("m;a 10\n"));
    bytes.unit = diagnostics::profile::Unit::Bytes;
    bytes.name = "heap.folded".to_owned();
    let cx = stage.cx();
    desk.compare_with(Ok(Arc::new(bytes)), &cx);
    assert!(!desk.is_building);
    let Some(Effect::Notify { text, .. }) = cx.pop() else {
        panic!("nothing said")
    };
    assert_eq!(
        text,
        "\"heap.folded\" is of memory and \"a.folded\" of time: they cannot be compared"
    );
    desk.compare_with(Ok(profile("m;a 10\n")), &cx);
    assert!(desk.is_building);
}
