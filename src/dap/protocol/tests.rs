//! The comparison with a schema file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::capability_for;
use crate::{
    requests::{reverse::*, *},
    tolerant::Record as _,
    types::*,
};

/// Every request an adapter can send.
const REVERSE_REQUESTS: &[&str] = &["runInTerminal", "startDebugging"];

/// Every event.
const EVENTS: &[&str] = &[
    "breakpoint",
    "capabilities",
    "continued",
    "exited",
    "initialized",
    "invalidated",
    "loadedSource",
    "memory",
    "module",
    "output",
    "process",
    "progressEnd",
    "progressStart",
    "progressUpdate",
    "stopped",
    "terminated",
    "thread",
];

/// Names the schema file to compare with.
const SCHEMA: &str = "OMP_DEBUG_DAP_SCHEMA";

/// Properties we know to be there and do not have, each with its reason.
const LEFT_OUT: &[(&str, &str, &str)] = &[];

/// Definitions without a record of their own, and why.
const NOT_RECORDS: &[(&str, &str)] = &[
    ("ProtocolMessage", "the envelope, dap::message"),
    ("Request", "the envelope, dap::message"),
    ("Event", "the envelope, dap::message"),
    ("Response", "the envelope, dap::message"),
    ("ErrorResponse", "read by Response::error_text"),
    (
        "LaunchRequestArguments",
        "belongs to the adapter, sent as it is",
    ),
    (
        "AttachRequestArguments",
        "belongs to the adapter, sent as it is",
    ),
    ("ConfigurationDoneArguments", "has no properties"),
    ("LoadedSourcesArguments", "has no properties"),
];

fn known() -> BTreeMap<&'static str, &'static [&'static str]> {
    macro_rules! records {
        ($($name:ident $(= $record:ident)?)*) => { [$((stringify!($name), records!(@of $name $($record)?))),*].into() };
        (@of $name:ident) => { $name::PROPERTIES };
        (@of $name:ident $record:ident) => { $record::PROPERTIES };
    }
    records! {
        Breakpoint BreakpointEvent BreakpointLocation BreakpointLocationsArguments
        BreakpointLocationsResponse BreakpointMode CancelArguments Capabilities CapabilitiesEvent
        Checksum ColumnDescriptor CompletionItem CompletionsArguments CompletionsResponse
        ContinueArguments ContinueResponse ContinuedEvent DataBreakpoint DataBreakpointInfoArguments
        DataBreakpointInfoResponse DisassembleArguments DisassembleResponse DisassembledInstruction
        DisconnectArguments EvaluateArguments EvaluateResponse ExceptionBreakpointsFilter
        ExceptionDetails ExceptionFilterOptions ExceptionInfoArguments ExceptionInfoResponse
        ExceptionOptions ExceptionPathSegment ExitedEvent FunctionBreakpoint GotoArguments
        GotoTarget GotoTargetsArguments GotoTargetsResponse InitializeArguments InitializedEvent
        InstructionBreakpoint InvalidatedEvent LoadedSourceEvent LoadedSourcesResponse
        LocationsArguments LocationsResponse MemoryEvent Message Module ModuleEvent ModulesArguments
        ModulesResponse NextArguments = StepArguments OutputEvent PauseArguments ProcessEvent ProgressEndEvent
        ProgressStartEvent ProgressUpdateEvent ReadMemoryArguments ReadMemoryResponse
        RestartArguments RestartFrameArguments ReverseContinueArguments = ContinueArguments RunInTerminalArguments
        RunInTerminalResponse Scope ScopesArguments ScopesResponse SetBreakpointsArguments
        SetBreakpointsResponse SetDataBreakpointsArguments SetDataBreakpointsResponse = SetBreakpointsResponse
        SetExceptionBreakpointsArguments SetExceptionBreakpointsResponse SetExpressionArguments
        SetExpressionResponse SetFunctionBreakpointsArguments SetFunctionBreakpointsResponse = SetBreakpointsResponse
        SetInstructionBreakpointsArguments SetInstructionBreakpointsResponse = SetBreakpointsResponse SetVariableArguments
        SetVariableResponse = SetExpressionResponse Source SourceArguments SourceBreakpoint SourceResponse StackFrame
        StackFrameFormat StackTraceArguments StackTraceResponse StartDebuggingArguments
        StepBackArguments = StepArguments StepInArguments StepInTarget StepInTargetsArguments StepInTargetsResponse
        StepOutArguments = StepArguments StoppedEvent TerminateArguments TerminateThreadsArguments TerminatedEvent
        Thread ThreadEvent ThreadsResponse ValueFormat Variable VariablePresentationHint
        VariablesArguments VariablesResponse WriteMemoryArguments WriteMemoryResponse
    }
}

#[test]
fn every_gate_reads_a_capability() {
    let nothing = Capabilities::default();
    let gated: Vec<&str> = COMMANDS
        .iter()
        .copied()
        .filter(|command| capability_for(command).is_some())
        .collect();
    assert_eq!(gated.len(), 26);
    for command in gated {
        assert!(
            !capability_for(command).is_some_and(|allows| allows(&nothing)),
            "{command} without any capability"
        );
    }
    for command in [
        "initialize",
        "launch",
        "disconnect",
        "continue",
        "evaluate",
        "not of the protocol",
    ] {
        assert!(capability_for(command).is_none(), "{command}");
    }
}

/// All properties of a definition: its own, and those of what it extends.
fn properties(schema: &Value, definition: &Value) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = definition["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    for part in definition["allOf"].as_array().into_iter().flatten() {
        let base = part["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        match base {
            Some("Request" | "Response" | "Event") => {}
            Some(base) => names.extend(properties(schema, &schema["definitions"][base])),
            None => names.extend(properties(schema, part)),
        }
    }
    names
}

/// The one value that a message definition allows for a property, such as the name of its command.
fn fixed(definition: &Value, property: &str) -> Option<String> {
    let parts = definition["allOf"].as_array()?;
    let value = parts
        .iter()
        .find_map(|part| part["properties"][property]["enum"][0].as_str())?;
    Some(value.to_owned())
}

fn body(definition: &Value) -> Option<&Value> {
    definition["allOf"]
        .as_array()?
        .iter()
        .map(|part| &part["properties"]["body"])
        .find(|body| body.is_object())
}

/// Every request, event, capability and property of a schema is known to us, or on a list with its reason.
#[test]
fn the_schema_holds_nothing_unknown() {
    let Some(path) = std::env::var_os(SCHEMA) else {
        println!("skipped: {SCHEMA} does not name a schema file");
        return;
    };
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let definitions = schema["definitions"].as_object().unwrap();
    let known = known();
    let mut problems = Vec::new();
    let mut requests = BTreeSet::new();
    let mut events = BTreeSet::new();
    let mut compare = |name: &str, there: &BTreeSet<String>| {
        // The word "request" in some names of argument types says nothing.
        let ours = known
            .get(name)
            .or_else(|| known.get(name.replace("RequestArguments", "Arguments").as_str()));
        let Some(ours) = ours else {
            problems.push(format!("{name} is unknown"));
            return;
        };
        let left_out = |property: &str| {
            LEFT_OUT
                .iter()
                .any(|(of, left, _)| *of == name && *left == property)
        };
        for property in there {
            if !ours.contains(&property.as_str()) && !left_out(property) {
                problems.push(format!("{name}.{property} is unknown"));
            }
        }
    };
    for (name, definition) in definitions {
        requests.extend(fixed(definition, "command"));
        events.extend(fixed(definition, "event"));
        if NOT_RECORDS.iter().any(|(skipped, _)| skipped == name) || name.ends_with("Request") {
            continue;
        }
        if name.ends_with("Event") || name.ends_with("Response") {
            let content = body(definition)
                .map(|body| properties(&schema, body))
                .unwrap_or_default();
            let refers = body(definition).is_some_and(|body| body["$ref"].is_string());
            // A body of another definition's type is compared there.
            if (name.ends_with("Event") || !content.is_empty()) && !refers {
                compare(name, &content);
            }
        } else if definition["type"] == "object" || definition["allOf"].is_array() {
            compare(name, &properties(&schema, definition));
        }
    }
    let set = |names: &[&[&str]]| {
        names
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(requests, set(&[COMMANDS, REVERSE_REQUESTS]));
    assert_eq!(events, set(&[EVENTS]));
    assert_eq!(
        properties(&schema, &schema["definitions"]["Capabilities"]),
        set(&[Capabilities::PROPERTIES])
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
