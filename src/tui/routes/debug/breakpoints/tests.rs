use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, stopped_in_main};
use dap::types::{Capabilities, ExceptionBreakpointsFilter};
use debugger::{BreakpointAnswer, BreakpointId, SessionId};
use std::sync::Arc;

fn stage() -> Stage {
    let mut state = stopped_in_main(1, Vec::new());
    for (id, line) in [(1, 12), (2, 7)] {
        let site = BreakpointSite::Source {
            path: "/project/shop.py".into(),
            line,
            column: None,
        };
        state
            .breakpoints
            .push(Breakpoint::new(BreakpointId(id), site));
    }
    let answer = |verified, message: Option<&str>| BreakpointAnswer {
        verified,
        message: message.map(str::to_owned),
        ..BreakpointAnswer::default()
    };
    let [one, two] = state.breakpoints.as_mut_slice() else {
        panic!()
    };
    one.condition = Some("n > 3".into());
    one.answers.insert(SessionId(1), answer(true, None));
    two.answers
        .insert(SessionId(1), answer(false, Some("no code on this line")));
    let filter = |id: &str, default| ExceptionBreakpointsFilter {
        filter: id.into(),
        label: format!("{id} exceptions"),
        default: Some(default),
        ..ExceptionBreakpointsFilter::default()
    };
    state.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
        exception_breakpoint_filters: vec![filter("raised", false), filter("uncaught", true)],
        ..Capabilities::default()
    });
    Stage::new(state)
}

#[test]
fn each_row_says_where_how_and_why_not() {
    let stage = stage();
    let screen = stage.draw(&mut BreakpointsPane::default(), 60, 8);
    let text = screen.join("\n");
    assert!(text.contains("◆ [x] shop.py:12  if n > 3"), "{text}");
    assert!(
        text.contains("○ [x] shop.py:7   no code on this line"),
        "{text}"
    );
    assert!(text.contains("[ ] raised exceptions"), "{text}");
    let mut records = stage.state.clone();
    records.breakpoints[0].record = debugger::record::Record::written("total");
    let session = records.sessions.first_mut().unwrap();
    session.recorded_hits.insert(BreakpointId(1), 40);
    let screen = Stage::new(records).draw(&mut BreakpointsPane::default(), 60, 8);
    let row = "records total (40 recorded)";
    assert!(screen.join("\n").contains(row), "{screen:?}");
    let mut moved = stage;
    let one = moved.state.breakpoints.first_mut().unwrap();
    one.answers.get_mut(&SessionId(1)).unwrap().line = Some(14);
    let screen = moved.draw(&mut BreakpointsPane::default(), 60, 8);
    let row = "◆ [x] shop.py:14  moved from 12: no code there  if n > 3";
    assert!(screen.join("\n").contains(row), "{screen:?}");
    assert!(text.contains("[x] uncaught exceptions"), "{text}");
    assert_eq!(text.matches(" default").count(), 1, "{text}");
}

#[test]
fn switching_a_filter_keeps_the_others() {
    let stage = stage();
    let mut pane = BreakpointsPane::default();
    let cx = stage.cx();
    for _ in 0..3 {
        pane.invoke("breakpoints.down", &cx);
    }
    pane.invoke("breakpoints.toggle", &cx);
    let Some(Effect::Core {
        command: Command::SetExceptionFilters {
            filters: Some(filters),
        },
        ..
    }) = cx.pop()
    else {
        panic!("no command");
    };
    let ids: Vec<_> = filters.iter().map(|f| f.filter.as_str()).collect();
    assert_eq!(ids, ["uncaught", "raised"]);
}

#[test]
fn all_are_removed_only_when_asked_twice() {
    let stage = stage();
    let mut pane = BreakpointsPane::default();
    let cx = stage.cx();
    pane.invoke("breakpoints.remove-all", &cx);
    pane.invoke("breakpoints.down", &cx);
    pane.invoke("breakpoints.remove-all", &cx);
    assert!(
        cx.effects
            .borrow()
            .iter()
            .all(|e| matches!(e, Effect::Notify { .. })),
        "another key takes it back"
    );
    pane.invoke("breakpoints.remove-all", &cx);
    assert!(matches!(
        cx.effects.borrow().last(),
        Some(Effect::Core {
            command: Command::ClearBreakpoints,
            ..
        })
    ));
}

#[test]
fn it_draws_at_every_size() {
    let mut stage = stage();
    stage.survives(&mut BreakpointsPane::default());
}

#[test]
fn what_does_not_concern_the_program_comes_last() {
    let mut stage = stage();
    let site = |path: &str| BreakpointSite::Source {
        path: path.into(),
        line: 1,
        column: None,
    };
    let answer = |foreign, message: &str| BreakpointAnswer {
        message: Some(message.to_owned()),
        foreign,
        ..BreakpointAnswer::default()
    };
    for (id, path, foreign) in [(3, "/project/a.rs", true), (4, "/project/b.py", false)] {
        let mut b = Breakpoint::new(BreakpointId(id), site(path));
        b.answers
            .insert(SessionId(1), answer(foreign, "not placed"));
        stage.state.breakpoints.insert(0, b);
    }
    // Nobody was asked of this one yet.
    let waits = Breakpoint::new(BreakpointId(5), site("/project/c.py"));
    stage.state.breakpoints.push(waits);
    let first: Vec<_> = entries(&stage.state)
        .iter()
        .filter_map(|e| match e {
            Entry::Breakpoint(b) => Some(b.id.0),
            _ => None,
        })
        .collect();
    assert_eq!(first, [1, 2, 5, 4, 3]);
    stage.state.sessions.first_mut().unwrap().phase = Phase::Running;
    let concerned = |id| {
        let mut all = stage.state.breakpoints.iter();
        all.any(|b| b.id == BreakpointId(id) && concerns(b, &stage.state))
    };
    assert!(concerned(4) && !concerned(3));
}

#[test]
fn why_nothing_stopped_there_is_said_beside_it() {
    let mut stage = stage();
    let one = stage.state.breakpoints.first_mut().unwrap();
    one.never_hit = Some("never hit: it was never true".into());
    let text = stage
        .draw(&mut BreakpointsPane::default(), 80, 8)
        .join("\n");
    assert!(
        text.contains("if n > 3  never hit: it was never true"),
        "{text}"
    );
}

#[test]
fn a_click_on_a_box_is_on_or_off() {
    let stage = stage();
    let mut pane = BreakpointsPane::default();
    let screen = stage.draw(&mut pane, 60, 8);
    let mut click = |column: usize, text: &str| {
        let row = screen.iter().position(|line| line.contains(text)).unwrap();
        let cx = stage.cx();
        let event = MouseEvent {
            kind: CLICK,
            column: column as u16,
            row: row as u16,
            modifiers: KeyModifiers::NONE,
        };
        assert!(pane.mouse(event, &cx));
        cx.pop()
    };
    let cells = |text: &str| {
        let line = screen.iter().find(|line| line.contains(text)).unwrap();
        line.chars().position(|c| c == '[').unwrap()
    };
    for (text, is_filter) in [("shop.py:7", false), ("raised exceptions", true)] {
        let at = cells(text);
        assert!(click(at - 1, text).is_none(), "{text}");
        for column in [at, at + 2] {
            let Some(Effect::Core { command, .. }) = click(column, text) else {
                panic!("{text}");
            };
            assert_eq!(
                matches!(command, Command::SetExceptionFilters { .. }),
                is_filter
            );
            assert_eq!(
                matches!(command, Command::EnableBreakpoint { enabled: false, .. }),
                !is_filter
            );
        }
    }
}

#[test]
fn a_data_breakpoint_says_what_it_waits_for() {
    let mut stage = stage();
    let site = BreakpointSite::Data {
        data_id: "1".into(),
        access: Some(dap::types::DataBreakpointAccessType::ReadWrite),
        name: Some("counter".into()),
    };
    let data = Breakpoint::new(BreakpointId(3), site);
    stage.state.breakpoints.push(data);
    let screen = stage
        .draw(&mut BreakpointsPane::default(), 60, 8)
        .join("\n");
    let row = "counter  when it is read or changed";
    assert!(screen.contains(row), "{screen}");
}

#[test]
fn filters_are_gone_to_explained_and_switched() {
    let mut known = stopped_in_main(1, Vec::new());
    known.sessions.first_mut().unwrap().capabilities = Arc::new(Capabilities {
        exception_breakpoint_filters: vec![ExceptionBreakpointsFilter {
            filter: "raised".into(),
            label: "Raised Exceptions".into(),
            description: Some("Break whenever any exception is raised.".into()),
            ..ExceptionBreakpointsFilter::default()
        }],
        ..Capabilities::default()
    });
    let stage = Stage::new(known);
    assert_eq!(has_filters(&stage.view()), Ok(()));
    let mut pane = BreakpointsPane::default();
    pane.to_filters(&stage.view().state);
    let screen = stage.draw(&mut pane, 80, 24).join("\n");
    assert!(screen.contains("[ ] Raised Exceptions"), "{screen}");
    assert!(
        screen.contains("Break whenever any exception is raised."),
        "{screen}"
    );
    let cx = stage.cx();
    for refused in ["breakpoints.edit", "breakpoints.remove"] {
        assert!(pane.invoke(refused, &cx).unwrap().is_err(), "{refused}");
    }
    pane.invoke("breakpoints.toggle", &cx);
    assert!(matches!(
        cx.effects.borrow().last(),
        Some(Effect::Core {
            command: Command::SetExceptionFilters { .. },
            ..
        })
    ));
    let stage = Stage::new(State::default());
    let why = Err("Filters are known once a session runs.");
    assert_eq!(has_filters(&stage.view()), why);
}
