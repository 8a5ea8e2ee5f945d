use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, events, stopped_in_main};
use debugger::{Outcome, Watch, WatchId, history::ValueChange, state::Past};

fn stop(number: u64, line: i64, changes: Vec<ValueChange>) -> PastStop {
    PastStop {
        number,
        at: Some(1_000 * number),
        reason: "step".into(),
        function: Some("main".into()),
        file: Some("/p/demo\u{1b}.py".into()),
        line: Some(line),
        printed: 4,
        difference: Difference::Locals { changes, more: 0 },
        ..PastStop::default()
    }
}

fn table() -> Stops {
    let changed = ValueChange {
        name: "total".into(),
        old: Some("0".into()),
        new: Some("20".into()),
    };
    Stops {
        stops: vec![
            stop(2, 12, Vec::new()),
            stop(3, 13, vec![changed]),
            stop(4, 14, Vec::new()),
        ],
        let_go: 1,
        here: Some(4),
        stands: true,
        recorded: false,
    }
}

/// A pane in sight that has its list.
fn pane(stage: &Stage) -> StopsPane {
    let mut pane = StopsPane::default();
    let cx = stage.cx();
    pane.attend(true, &cx);
    answer(&mut pane, &cx);
    pane
}

fn answer(pane: &mut StopsPane, cx: &Cx) {
    let asked = cx.pop();
    let Some(Effect::Core {
        command: Command::Stops { .. },
        tag,
    }) = asked
    else {
        panic!("the list was not asked for");
    };
    let result = Ok(Reply::Stops {
        stops: Box::new(table()),
    });
    pane.message(&Msg::Reply { tag, result }, cx);
}

/// The number of the stop to look at; 0 = the present.
fn looked(cx: &Cx) -> Option<u64> {
    match cx.pop() {
        Some(Effect::Look(at)) => Some(at.map_or(0, |(_, number)| number)),
        _ => None,
    }
}

#[test]
fn rows_say_where_and_what_changed() {
    let mut stage = Stage::new(stopped_in_main(9, Vec::new()));
    let mut pane = pane(&stage);
    let screen = stage.draw(&mut pane, 120, 12).join("\n");
    assert!(screen.contains("4, the first 1 not kept"), "{screen}");
    assert!(screen.contains("demo␛.py:13 main"), "{screen}");
    assert!(screen.contains("total 0 -> 20"), "{screen}");
    assert!(screen.contains("+1.000 s"), "{screen}");
    assert_eq!(pane.selected().unwrap().number, 4);
    stage.survives(&mut pane);
    stage.survives(&mut StopsPane::default());
}

#[test]
fn watches_have_columns_and_changes_in_them_are_marked() {
    let mut stage = Stage::new(stopped_in_main(9, Vec::new()));
    for (id, expression) in [(1, "total"), (2, "len(orders)")] {
        stage.state.watches.push(Watch {
            id: WatchId(id),
            expression: expression.into(),
            aside: None,
        });
    }
    let mut pane = pane(&stage);
    let values = [Some("7"), Some("7"), Some("1234567890123456789012345")];
    for (stop, value) in pane.table.stops.iter_mut().zip(values) {
        let value = value.map(|v| (WatchId(1), Outcome::Value(v.into())));
        stop.watches.extend(value);
    }
    let failed = Outcome::Error("NameError".into());
    pane.table.stops[0].watches.insert(WatchId(2), failed);
    for (width, watches) in [(120, 2), (80, 2)] {
        let rows = stage.draw(&mut pane, width, 12);
        let screen = rows.join("\n");
        let title = rows.iter().find(|row| row.contains("total")).unwrap();
        assert_eq!(title.contains("len(orders)"), watches == 2, "{screen}");
        let row = |line: &str| rows.iter().find(|row| row.contains(line)).unwrap();
        assert!(
            row(":12 main").contains(" 7 ") && row(":13 main").contains(" 7 "),
            "{screen}"
        );
        assert!(row(":14 main").contains("123456789"), "{screen}");
        assert_eq!(
            row(":12 main").contains("NameError"),
            watches == 2,
            "{screen}"
        );
        assert_eq!(
            row(":13 main").contains("not read"),
            watches == 2,
            "{screen}"
        );
    }
    pane.table.stops[2]
        .watches
        .insert(WatchId(1), Outcome::Value("8".into()));
    let screen = stage.draw(&mut pane, 120, 12).join("\n");
    assert!(
        screen.contains(" 8* ") && !screen.contains("7*"),
        "{screen}"
    );
    // What is cut is still seen to have changed, and where there is little room a column is cut, not left out.
    let long = Outcome::Value("8".repeat(30));
    pane.table.stops[2].watches.insert(WatchId(1), long);
    for width in [120, 46] {
        let screen = stage.draw(&mut pane, width, 12).join("\n");
        assert!(screen.contains("888…*"), "{screen}");
    }
    stage.survives(&mut pane);
}

#[test]
fn the_list_is_asked_for_only_while_it_is_in_sight() {
    let stage = Stage::new(stopped_in_main(9, Vec::new()));
    let mut pane = StopsPane::default();
    let cx = stage.cx();
    pane.attend(false, &cx);
    pane.message(&events(), &cx);
    pane.attend(false, &cx);
    assert!(cx.effects.borrow().is_empty());
    pane.attend(true, &cx);
    assert_eq!(cx.effects.borrow().len(), 1);
    // One question at a time.
    pane.attend(true, &cx);
    assert_eq!(cx.effects.borrow().len(), 1);
}

#[test]
fn keys_lead_back_and_to_the_present_again() {
    let mut stage = Stage::new(stopped_in_main(9, Vec::new()));
    let mut pane = pane(&stage);
    let cx = stage.cx();
    pane.step(-1, &cx);
    answer(&mut pane, &cx);
    assert_eq!(looked(&cx), Some(3));
    // Pressed faster than the list comes.
    pane.step(-1, &cx);
    pane.step(-1, &cx);
    answer(&mut pane, &cx);
    assert_eq!(looked(&cx), Some(2));
    drop(cx);
    let past = Past {
        number: 2,
        of: 4,
        ended: false,
    };
    stage.state.sessions[0].stop.as_mut().unwrap().past = Some(past);
    let cx = stage.cx();
    pane.step(-1, &cx);
    answer(&mut pane, &cx);
    assert_eq!(looked(&cx), Some(2), "there is none before");
    let told = cx.pop();
    assert!(matches!(told, Some(Effect::Notify { text, .. }) if text.contains("no longer kept")));
    pane.step(2, &cx);
    answer(&mut pane, &cx);
    assert_eq!(looked(&cx), Some(0), "the last one is the present");
    // The selection followed the stop that is shown.
    assert_eq!(pane.selected().unwrap().number, 2);
    pane.invoke("stops.down", &cx);
    pane.invoke("stops.look", &cx);
    assert_eq!(looked(&cx), Some(3));
}
