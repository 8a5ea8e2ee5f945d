//! The pane with an adapter's answers.

use super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, stopped_in_main};
use dap::requests::DisassembleResponse;
use dap::types::{DisassembledInstruction, Source};
use debugger::{Breakpoint, BreakpointId, State};
use std::sync::Arc;

fn stage(address: u64) -> Stage {
    let mut state = stopped_in_main(1, Vec::new());
    let session = state.sessions.first_mut().unwrap();
    session.capabilities = Arc::new(Capabilities {
        supports_disassemble_request: true,
        supports_instruction_breakpoints: true,
        ..Capabilities::default()
    });
    let stop = session.stop.as_mut().unwrap();
    for frame in stop.stacks.values_mut().flat_map(|s| &mut s.frames) {
        frame.instruction_pointer_reference = Some(format!("{address:#x}"));
    }
    Stage::new(state)
}

fn code(from: u64, count: u64) -> Vec<DisassembledInstruction> {
    (from..from + count)
        .map(|n| DisassembledInstruction {
            address: format!("{:#x}", n * 4),
            instruction_bytes: Some("1f2003d5".to_owned()),
            instruction: format!("nop\t#{n}\u{1b}"),
            symbol: Some(if n < 256 { "before" } else { "main" }.to_owned()),
            location: Some(Source {
                path: Some("/project/prog.c".into()),
                ..Source::default()
            }),
            line: Some((n / 4) as i64),
            ..DisassembledInstruction::default()
        })
        .collect()
}

/// Answers what is asked, until nothing is.
fn settle(pane: &mut DisassemblyPane, stage: &Stage) -> usize {
    let cx = stage.cx();
    pane.attend(true, &cx);
    let mut asked = 0;
    while let Some(effect) = cx.pop() {
        let Effect::Core {
            command: Command::Request {
                request, arguments, ..
            },
            tag,
        } = effect
        else {
            panic!("asked for something else");
        };
        assert_eq!(request, "disassemble");
        let wanted: DisassembleArguments = serde_json::from_value(arguments).unwrap();
        asked += 1;
        assert!(asked < 20, "it never has enough");
        let from = (number(&wanted.memory_reference).unwrap() / 4)
            .saturating_add_signed(wanted.instruction_offset.unwrap_or(0));
        let result = Ok(Reply::of_adapter(&DisassembleResponse {
            instructions: code(from, wanted.instruction_count as u64),
        }));
        pane.message(&Msg::Reply { tag, result }, &cx);
    }
    asked
}

#[test]
fn the_place_of_the_frame_is_shown_with_its_function_line_and_breakpoint() {
    let mut stage = stage(0x400);
    let mut pane = DisassemblyPane::default();
    stage.draw(&mut pane, 60, 14);
    settle(&mut pane, &stage);
    pane.learn(|path, line| (path == "/project/prog.c" && line == 64).then(|| "int x;".to_owned()));
    let screen = stage.draw(&mut pane, 60, 14).join("\n");
    assert!(screen.contains("▶ 00000400  nop    #256␛"), "{screen}");
    assert!(
        screen.contains("main:") && screen.contains("prog.c:64  int x;"),
        "{screen}"
    );
    let cx = stage.cx();
    assert_eq!(pane.can_break(&cx.view), Ok(()));
    pane.toggle_breakpoint(&cx);
    let Some(Effect::Core {
        command: Command::SetBreakpoint(spec),
        ..
    }) = cx.pop()
    else {
        panic!("no breakpoint")
    };
    assert_eq!(spec.site.to_string(), "0x400");
    drop(cx);
    stage
        .state
        .breakpoints
        .push(Breakpoint::new(BreakpointId(3), spec.site));
    let wide = stage.draw(&mut pane, 100, 14).join("\n");
    assert!(wide.contains("○▶ 00000400  1f 20 03 d5"), "{wide}");
    let cx = stage.cx();
    pane.toggle_breakpoint(&cx);
    assert!(matches!(
        cx.pop(),
        Some(Effect::Core {
            command: Command::RemoveBreakpoint {
                id: BreakpointId(3)
            },
            ..
        })
    ));
    pane.invoke("disassembly.show-source", &cx);
    assert!(matches!(
        cx.pop(),
        Some(Effect::ShowSource { line: Some(64), .. })
    ));
    drop(cx);
    stage.survives(&mut pane);
}

#[test]
fn a_step_within_what_is_here_asks_for_nothing() {
    let mut stage = stage(0x400);
    let mut pane = DisassemblyPane::default();
    stage.draw(&mut pane, 60, 14);
    assert!(settle(&mut pane, &stage) > 0);
    let stop = stage.state.sessions[0].stop.as_mut().unwrap();
    stop.id = StopId(2);
    for frame in stop.stacks.values_mut().flat_map(|s| &mut s.frames) {
        frame.instruction_pointer_reference = Some("0x404".to_owned());
    }
    assert_eq!(settle(&mut pane, &stage), 0);
    let screen = stage.draw(&mut pane, 60, 14).join("\n");
    assert!(screen.contains("▶ 00000404"), "{screen}");
}

#[test]
fn nothing_is_asked_out_of_sight_or_of_an_adapter_that_cannot() {
    let stage = stage(0x400);
    let mut pane = DisassemblyPane::default();
    let cx = stage.cx();
    pane.attend(false, &cx);
    assert!(cx.effects.borrow().is_empty());
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let cx = stage.cx();
    pane.attend(true, &cx);
    assert!(cx.effects.borrow().is_empty());
    let screen = stage.draw(&mut pane, 60, 8).join("\n");
    assert!(
        screen.contains("This adapter does not disassemble."),
        "{screen}"
    );
}

#[test]
fn it_draws_at_every_size_with_nothing_in_it() {
    Stage::new(State::default()).survives(&mut DisassemblyPane::default());
}
