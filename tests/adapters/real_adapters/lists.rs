//! Scenarios of what an adapter lists, and of what it cannot do at all.

use omp_debug::dap::requests::{
    BreakpointLocations, BreakpointLocationsArguments, Disassemble, DisassembleArguments,
    GotoTargets, GotoTargetsArguments, LoadedSources, Modules, ModulesArguments, ReadMemory,
    ReadMemoryArguments, StepInTargets, StepInTargetsArguments,
};
use omp_debug::dap::types::{Capabilities, Source};
use omp_debug::debugger::{
    AttachSpec, BreakpointSite, BreakpointSpec, Command, DebuggerError, ErrorKind, Granularity,
    LaunchSpec, Reply, StepKind, Stop,
};

use super::bench::Bench;
use super::table::{self, Ability};
use crate::support::core::Outcome;

pub async fn modules(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let asked = ModulesArguments::default();
    let modules = bench.request::<Modules>(&asked).await?.modules;
    let program = bench.rig.program.to_str();
    if modules
        .iter()
        .any(|module| module.path.as_deref() == program)
    {
        return Ok(());
    }
    Err(bench.blame(format!("the program is not among {modules:?}")))
}

pub async fn loaded_sources(bench: &mut Bench, _stop: &Stop) -> Outcome<()> {
    let sources = bench.request::<LoadedSources>(&()).await?.sources;
    let source = bench.rig.source.to_str();
    if sources.iter().any(|known| known.path.as_deref() == source) {
        return Ok(());
    }
    Err(bench.blame(format!("{source:?} is not among {} sources", sources.len())))
}

/// The text of every frame's source: from its file, or from the adapter where it has it.
pub async fn source_text(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let frames = bench.frames(stop).to_vec();
    let mut own = None;
    for frame in frames {
        let Some(source) = frame.source else { continue };
        let (path, by_adapter) = (source.path.clone(), source.reference().is_some());
        let there = path
            .as_ref()
            .is_some_and(|path| std::path::Path::new(path).is_file());
        if !(there || by_adapter) {
            continue;
        }
        let command = Command::Source {
            session: bench.at,
            source: Box::new(source),
        };
        let content = match bench.must("a source", command).await? {
            Reply::Source { content, .. } => content,
            other => return Err(format!("{path:?} is {other:?}")),
        };
        if content.is_empty() {
            return Err(bench.blame(format!("{path:?} is empty")));
        }
        own.get_or_insert(content);
    }
    if own.is_some_and(|text| text.contains("MARK: price-return")) {
        return Ok(());
    }
    Err(bench.blame("the innermost frame's source is another one"))
}

pub async fn breakpoint_locations(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let line = bench.line("price");
    let source = bench.frames(stop)[0].source.clone();
    let asked = BreakpointLocationsArguments {
        source: source.unwrap_or_default(),
        line,
        end_line: Some(line + 1),
        ..BreakpointLocationsArguments::default()
    };
    let answer = bench.request::<BreakpointLocations>(&asked).await?;
    let locations = answer.breakpoints;
    if locations.iter().any(|location| location.line == line) {
        return Ok(());
    }
    Err(bench.blame(format!("line {line} is not among {locations:?}")))
}

/// Whether the adapter says that it has an ability; none where the protocol has no word for it.
fn says(can: &Capabilities, ability: Ability) -> Option<bool> {
    Some(match ability {
        Ability::BreakpointLocations => can.supports_breakpoint_locations_request,
        Ability::Completions => can.supports_completions_request,
        Ability::DataBreakpoints => can.supports_data_breakpoints,
        Ability::Disassembly => can.supports_disassemble_request,
        Ability::ExceptionConditions => can.supports_exception_filter_options,
        Ability::ExceptionFilters => !can.exception_breakpoint_filters.is_empty(),
        Ability::FunctionBreakpoints => can.supports_function_breakpoints,
        Ability::Hexadecimal => can.supports_value_formatting_options,
        Ability::InstructionBreakpoints => can.supports_instruction_breakpoints,
        Ability::InstructionSteps => can.supports_stepping_granularity,
        Ability::Jump => can.supports_goto_targets_request,
        Ability::LoadedSources => can.supports_loaded_sources_request,
        Ability::Memory => can.supports_read_memory_request,
        Ability::Modules => can.supports_modules_request,
        Ability::RestartFrame => can.supports_restart_frame,
        Ability::SetVariable => can.supports_set_variable || can.supports_set_expression,
        Ability::StepBack => can.supports_step_back,
        Ability::StepInTargets => can.supports_step_in_targets_request,
        Ability::AttachByPid
        | Ability::AttachByPort
        | Ability::DetachOfLaunched
        | Ability::InputFile => return None,
    })
}

/// What asks for an ability; none where there is nothing that could be refused.
fn asks(bench: &Bench, stop: &Stop, ability: Ability) -> Option<Command> {
    let (session, thread, frame_id) = (bench.at, None, None);
    let source = Source {
        path: bench.rig.source.to_str().map(str::to_owned),
        ..Source::default()
    };
    let breakpoint = |site| Command::SetBreakpoint(BreakpointSpec::at(site));
    let line = 1;
    let attach = |spec| {
        Command::Attach(Box::new(AttachSpec {
            adapter: Some(bench.rig.adapter.to_owned()),
            ..spec
        }))
    };
    Some(match ability {
        Ability::AttachByPid => attach(AttachSpec {
            pid: Some(std::process::id()),
            ..AttachSpec::default()
        }),
        Ability::AttachByPort => attach(AttachSpec {
            port: Some(1),
            ..AttachSpec::default()
        }),
        Ability::BreakpointLocations => Command::request::<BreakpointLocations>(
            session,
            &BreakpointLocationsArguments {
                source,
                line,
                end_line: Some(2),
                ..BreakpointLocationsArguments::default()
            },
        ),
        Ability::Completions => Command::Completions {
            session,
            frame_id,
            text: "pri".to_owned(),
            column: 3,
        },
        Ability::DataBreakpoints => breakpoint(BreakpointSite::Data {
            data_id: "0x1000/4".to_owned(),
            access: None,
            name: None,
        }),
        Ability::DetachOfLaunched => Command::Detach { session },
        Ability::Disassembly => Command::request::<Disassemble>(
            session,
            &DisassembleArguments {
                memory_reference: "0x1000".to_owned(),
                instruction_count: 1,
                ..DisassembleArguments::default()
            },
        ),
        Ability::Hexadecimal => Command::ValueFormat { session, hex: true },
        Ability::InputFile => Command::Launch(Box::new(LaunchSpec {
            stdin: Some(bench.rig.source.clone()),
            ..bench.spec(&["read"])
        })),
        Ability::InstructionBreakpoints => breakpoint(BreakpointSite::Instruction {
            reference: "0x1000".to_owned(),
            offset: None,
        }),
        Ability::InstructionSteps => Command::Step {
            session,
            thread,
            kind: StepKind::Over,
            granularity: Granularity::Instruction,
        },
        Ability::Jump => Command::request::<GotoTargets>(
            session,
            &GotoTargetsArguments {
                source,
                line,
                column: None,
            },
        ),
        Ability::LoadedSources => Command::request::<LoadedSources>(session, &()),
        Ability::Memory => Command::request::<ReadMemory>(
            session,
            &ReadMemoryArguments {
                memory_reference: "0x1000".to_owned(),
                offset: None,
                count: 4,
            },
        ),
        Ability::Modules => Command::request::<Modules>(session, &ModulesArguments::default()),
        Ability::RestartFrame => Command::RestartFrame { session, frame_id },
        Ability::SetVariable => Command::SetVariable {
            session,
            stop: stop.id,
            container: 1,
            name: "price".to_owned(),
            evaluate_name: Some("price".to_owned()),
            value: "5".to_owned(),
        },
        Ability::StepBack => Command::Step {
            session,
            thread,
            kind: StepKind::Back,
            granularity: Granularity::Line,
        },
        Ability::StepInTargets => Command::request::<StepInTargets>(
            session,
            &StepInTargetsArguments {
                frame_id: stop.selected.unwrap().frame_id,
            },
        ),
        // A function is a wish for all sessions, and filters are chosen for all: neither is refused for one.
        Ability::FunctionBreakpoints | Ability::ExceptionFilters | Ability::ExceptionConditions => {
            return None;
        }
    })
}

/// What the table says that the adapter lacks it does not claim to have, and whoever asks for it is told so.
pub async fn what_it_lacks_is_said(bench: &mut Bench, stop: &Stop) -> Outcome<()> {
    let can = bench.desk.session(bench.at.unwrap()).capabilities.clone();
    let rig = bench.name;
    let price = bench.rig.words.price;
    let starts = |ability| {
        matches!(
            ability,
            Ability::InputFile | Ability::AttachByPid | Ability::AttachByPort
        )
    };
    let mut lacks: Vec<_> = table::lacks(rig).collect();
    lacks.sort_by_key(|(_, ability)| starts(*ability));
    for (scenario, ability) in lacks {
        if says(&can, ability) == Some(true) {
            let why =
                format!("{scenario} is left out, and the adapter says that it can: {ability:?}");
            return Err(bench.blame(why));
        }
        let Some(command) = asks(bench, stop, ability) else {
            continue;
        };
        if starts(ability) && bench.desk.state.live().next().is_some() {
            // There is one program at a time. This one still stands where it stood, and answers.
            bench.must_be(price, "20").await?;
            let root = bench.desk.state.sessions[0].id;
            bench.terminate(root).await?;
        }
        match bench.ask(scenario, command).await? {
            Err(DebuggerError {
                kind: ErrorKind::Capability,
                ..
            }) => {}
            other => return Err(bench.blame(format!("{ability:?} is lacking, and gave {other:?}"))),
        }
    }
    if bench.desk.state.live().next().is_some() {
        bench.must_be(price, "20").await?;
    }
    Ok(())
}
