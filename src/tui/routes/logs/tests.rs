//! The route, key by key, with answers as the reader gives them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use debugger::State;
use diagnostics::logs::{Entry, Log, Page, Window};

use super::{
    conditions::LogTest,
    model::Opened,
    work::{COUNT, READ, WATCH},
    *,
};
use crate::{
    action::{Layer, work::carried_out},
    kit::test::Stage,
};

fn entry(n: u64, level: Level, pid: u32, text: &str) -> Entry {
    Entry {
        source: 0,
        offset: 100 + n * 10,
        length: 10,
        time: Some(1_787_300_000_000 + n as i64 * 1000),
        level: Some(level),
        pid: Some(pid),
        message: text.to_owned(),
        text: text.to_owned(),
        cut: false,
    }
}

fn page(entries: Vec<Entry>, reached_end: bool) -> Page {
    let log = Log::new([]);
    Page {
        entries,
        before: log.start(),
        after: log.end(),
        reached_end,
        read: 0,
    }
}

fn open(route: &mut LogsRoute, stage: &Stage, opened: Opened) {
    route.opened(opened, &stage.cx());
}

fn is_work(effects: &[Effect], name: &str) -> bool {
    let named = |effect: &Effect| matches!(effect, Effect::Work(work) if work.name == name);
    effects.iter().any(named)
}

fn invoke(route: &mut LogsRoute, stage: &Stage, id: &str) -> Vec<Effect> {
    let cx = stage.cx();
    assert_eq!(route.invoke(id, &cx), Some(Ok(())), "{id}");
    cx.effects.take()
}

fn press(route: &mut LogsRoute, stage: &Stage, code: KeyCode) -> Vec<Effect> {
    let cx = stage.cx();
    assert!(route.text(KeyEvent::new(code, KeyModifiers::NONE), &cx));
    cx.effects.take()
}

/// The route with ten entries, every third one an error, of the processes 7 and 8 in turn.
fn shown(stage: &Stage) -> LogsRoute {
    let mut route = LogsRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    assert!(is_work(&cx.effects.take(), WATCH));
    let entries = (0..10)
        .map(|n| {
            let level = if n % 3 == 0 {
                Level::Error
            } else {
                Level::Info
            };
            entry(n, level, 7 + n as u32 % 2, &format!("text {n}"))
        })
        .collect();
    let opened = Opened {
        page: page(entries, true),
        files: vec!["/logs/a.log".into()],
        names: Vec::new(),
        notes: Vec::new(),
    };
    open(&mut route, stage, opened);
    stage.draw(&mut route, 90, 20);
    route
}

fn at(route: &LogsRoute) -> &str {
    route.current().map_or("", |item| item.entry.text.as_str())
}

#[test]
fn a_log_that_is_opened_late_does_not_undo_a_jump() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let newest = || Opened {
        page: page(vec![entry(9, Level::Info, 7, "newest")], true),
        files: vec!["/logs/a.log".into()],
        names: Vec::new(),
        notes: Vec::new(),
    };
    route.reload(&stage.cx());
    let Page { before, after, .. } = page(Vec::new(), true);
    route.show_window(Window {
        entries: vec![entry(2, Level::Info, 7, "jumped to")],
        at: 0,
        before,
        after,
        reached: (true, true),
    });
    open(&mut route, &stage, newest());
    assert_eq!(at(&route), "jumped to");
    route.reload(&stage.cx());
    open(&mut route, &stage, newest());
    assert_eq!(at(&route), "newest");
}

fn copied(effects: &[Effect]) -> (String, String) {
    match effects {
        [Effect::Copy { text, what }] => (text.clone(), what.clone()),
        _ => panic!("nothing was copied"),
    }
}

#[test]
fn it_is_drawn_at_any_size_in_every_mode() {
    let mut stage = Stage::new(State::default());
    stage.survives(&mut LogsRoute::default());
    let mut route = shown(&stage);
    stage.survives(&mut route);
    invoke(&mut route, &stage, "logs.expand");
    stage.survives(&mut route);
    route.detail = None;
    invoke(&mut route, &stage, "logs.pids");
    stage.survives(&mut route);
    press(&mut route, &stage, KeyCode::Esc);
    let hidden = Needle {
        text: "none".into(),
        is_expression: false,
    };
    route.conditions = Conditions::default()
        .with(LogTest::Pids((0..9).collect()))
        .with(LogTest::Level(Level::Warn))
        .with(LogTest::Since(1_787_300_000_000))
        .with(LogTest::Without(hidden))
        .switched(1)
        .unwrap();
    for n in 0..50 {
        route.times.add(
            1_787_300_000_000 + n * 700,
            Some(Level::ALL[n as usize % 6]),
        );
    }
    stage.survives(&mut route);
    invoke(&mut route, &stage, "logs.filters");
    stage.survives(&mut route);
    press(&mut route, &stage, KeyCode::Esc);
    invoke(&mut route, &stage, "logs.time");
    stage.survives(&mut route);
    press(&mut route, &stage, KeyCode::Esc);
    invoke(&mut route, &stage, "logs.search");
    press(&mut route, &stage, KeyCode::Char('t'));
    stage.survives(&mut route);
    route.failed = Some("cannot read".into());
    route.line = None;
    stage.survives(&mut route);
}

#[test]
fn moving_up_pauses_and_says_how_many_are_new() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    assert_eq!(at(&route), "text 9");
    invoke(&mut route, &stage, "logs.up");
    let news = vec![entry(20, Level::Info, 7, "new")];
    route.appended(news, Vec::new(), &stage.cx());
    assert_eq!(at(&route), "text 8");
    let screen = stage.draw(&mut route, 90, 20);
    assert!(screen[0].contains("1 new, End follows"), "{}", screen[0]);
    invoke(&mut route, &stage, "logs.follow");
    assert_eq!(at(&route), "new");
    assert!(stage.draw(&mut route, 90, 20)[0].contains("following"));
}

#[test]
fn a_range_is_copied_and_an_error_is_jumped_to() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    let one = copied(&invoke(&mut route, &stage, "logs.copy"));
    assert_eq!(one, ("text 9".into(), "1 log entry".into()));
    invoke(&mut route, &stage, "logs.previous-error");
    assert_eq!(at(&route), "text 6");
    invoke(&mut route, &stage, "logs.range-up");
    invoke(&mut route, &stage, "logs.range-up");
    let range = copied(&invoke(&mut route, &stage, "logs.copy"));
    assert_eq!(
        range,
        ("text 4\ntext 5\ntext 6".into(), "3 log entries".into())
    );
    invoke(&mut route, &stage, "logs.up");
    assert_eq!(route.range(), None, "an arrow without Shift unmarks");
}

#[test]
fn what_is_searched_beyond_what_is_held_is_asked_for() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    invoke(&mut route, &stage, "logs.search");
    for c in "TEXT 3".to_lowercase().chars() {
        press(&mut route, &stage, KeyCode::Char(c));
    }
    let asked = press(&mut route, &stage, KeyCode::Enter);
    assert!(is_work(&asked, COUNT));
    assert_eq!(at(&route), "text 3");
    route.counted(10, 10, Some(1234));
    let screen = stage.draw(&mut route, 90, 20).join("\n");
    assert!(screen.contains("1,234 entries"), "{screen}");
    // All is held: there is nobody to ask.
    let told = invoke(&mut route, &stage, "logs.previous-match");
    assert!(matches!(&told[..], [Effect::Notify { text, .. }] if text.contains("no match before")));
}

#[test]
fn no_log_is_a_state_and_says_why() {
    let stage = Stage::new(State::default());
    let mut route = LogsRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    let opened = Opened {
        page: page(Vec::new(), true),
        files: Vec::new(),
        names: Vec::new(),
        notes: vec!["cannot read \"x.log\": permission denied".into()],
    };
    open(&mut route, &stage, opened);
    let screen = stage.draw(&mut route, 90, 20).join("\n");
    assert!(
        screen.contains("No entries yet") && screen.contains("permission denied"),
        "{screen}"
    );
}

#[test]
fn filters_are_listed_switched_and_removed_one_by_one() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    invoke(&mut route, &stage, "logs.level");
    invoke(&mut route, &stage, "logs.hide");
    for c in "odd".chars() {
        press(&mut route, &stage, KeyCode::Char(c));
    }
    press(&mut route, &stage, KeyCode::Enter);
    route.counted(7, 10, None);
    let screen = stage.draw(&mut route, 90, 20).join("\n");
    assert!(
        screen.contains("1[info and worse] 2[not \"odd\"]") && screen.contains("3 hidden"),
        "{screen}"
    );
    let asked = invoke(&mut route, &stage, "logs.switch-1");
    assert!(is_work(&asked, WATCH), "what is shown is read anew");
    assert_eq!(route.conditions.level(), None);
    assert_eq!(route.conditions.terms.len(), 2);
    invoke(&mut route, &stage, "logs.filters");
    press(&mut route, &stage, KeyCode::Char(' '));
    assert_eq!(route.conditions.level(), Some(Level::Info));
    press(&mut route, &stage, KeyCode::Char('d'));
    press(&mut route, &stage, KeyCode::Char('d'));
    assert!(route.conditions.is_empty() && !route.wants_text());
    // A filter that is not kept leaves what was before.
    invoke(&mut route, &stage, "logs.filter");
    press(&mut route, &stage, KeyCode::Char('t'));
    assert_eq!(route.conditions.terms.len(), 1);
    press(&mut route, &stage, KeyCode::Esc);
    assert!(route.conditions.is_empty());
}

#[test]
fn a_strip_shows_what_is_when_and_a_time_is_gone_to() {
    let stage = Stage::new(State::default());
    let mut route = shown(&stage);
    for n in 0..1000 {
        route.times.add(
            1_787_299_000_000 + n * 1000,
            (n > 900).then_some(Level::Error),
        );
    }
    let screen = stage.draw(&mut route, 100, 30);
    assert!(screen[1].contains('█'), "{}", screen[1]);
    let (place, columns) = route.strip.clone().unwrap();
    let cx = stage.cx();
    assert!(route.click_strip(place.x + 40, place.y, &cx));
    let wanted = columns.time_of(40);
    // A log in which each of the times that are gone to has an entry of its own.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.log");
    let times = [
        wanted - 60_000,
        wanted,
        1_787_321_002_000,
        1_787_321_900_000,
    ];
    let stamp = |time| diagnostics::logs::stamp(Some(time)).unwrap();
    let lines = times.map(|time| format!("{} INFO at {time}\n", stamp(time)));
    std::fs::write(&file, lines.concat()).unwrap();
    *route.log.lock().unwrap() = Some(Log::new([file.as_path().into()]));
    let went_to = |effects: Vec<Effect>, route: &mut LogsRoute| {
        assert!(is_work(&effects, READ));
        for msg in carried_out(effects) {
            route.on_msg(&msg, &stage.cx());
        }
        route.current().and_then(|item| item.entry.time)
    };
    assert_eq!(went_to(cx.effects.take(), &mut route), Some(wanted));
    invoke(&mut route, &stage, "logs.time");
    for c in "2026-08-21T14:03:22Z".chars() {
        press(&mut route, &stage, KeyCode::Char(c));
    }
    let asked = press(&mut route, &stage, KeyCode::Enter);
    assert_eq!(went_to(asked, &mut route), Some(1_787_321_002_000));
}

#[test]
fn entries_of_several_files_say_whose_they_are() {
    let stage = Stage::new(State::default());
    let mut route = LogsRoute::default();
    let cx = stage.cx();
    route.on_msg(&Msg::Shown, &cx);
    let entries = [
        "2026-08-21 09:00:00 INFO came up",
        "2026-08-21 09:00:01 INFO sent",
    ];
    let entries = entries.iter().zip(0..).map(|(text, n)| Entry {
        source: n,
        pid: None,
        message: (*text).to_owned(),
        ..entry(n as u64, Level::Info, 1, text)
    });
    let opened = Opened {
        page: page(entries.collect(), true),
        files: vec!["/logs/db.log".into(), "/logs/web-frontend.log".into()],
        names: vec!["db".into(), "web-frontend".into()],
        notes: Vec::new(),
    };
    open(&mut route, &stage, opened);
    let screen = stage.draw(&mut route, 90, 20).join("\n");
    assert!(screen.contains("INFO  db            came up"), "{screen}");
    assert!(screen.contains("INFO  web-frontend  sent"), "{screen}");
}
