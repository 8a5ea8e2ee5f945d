//! The two tables: what is in them, what follows from them, and every sentence of refusal that needs no adapter.

use std::{collections::BTreeSet, time::Duration};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    arguments::Arguments,
    parameters::{self, ParameterKind},
    *,
};
use dap::types::Capabilities;

fn check(action: &str, arguments: &Value) -> Result<Arguments, String> {
    let row = table::action(action).unwrap();
    Arguments::check(row, arguments.as_object().unwrap())
}

/// The consent of each action, written out.
const CONSENT: [(&str, Tier); 28] = [
    ("launch", Tier::Exec),
    ("attach", Tier::Exec),
    ("set_breakpoint", Tier::Control),
    ("remove_breakpoint", Tier::Control),
    ("set_instruction_breakpoint", Tier::Control),
    ("remove_instruction_breakpoint", Tier::Control),
    ("data_breakpoint_info", Tier::EvalSafe),
    ("set_data_breakpoint", Tier::Control),
    ("remove_data_breakpoint", Tier::Control),
    ("continue", Tier::Control),
    ("step_over", Tier::Control),
    ("step_in", Tier::Control),
    ("step_out", Tier::Control),
    ("pause", Tier::Control),
    ("evaluate", Tier::Exec),
    ("stack_trace", Tier::Read),
    ("threads", Tier::Read),
    ("scopes", Tier::Read),
    ("variables", Tier::Read),
    ("disassemble", Tier::Read),
    ("read_memory", Tier::Read),
    ("write_memory", Tier::Exec),
    ("modules", Tier::Read),
    ("loaded_sources", Tier::Read),
    ("custom_request", Tier::Exec),
    ("output", Tier::Read),
    ("terminate", Tier::Exec),
    ("sessions", Tier::Read),
];

#[test]
fn there_are_28_actions_and_each_has_its_consent() {
    let rows: Vec<_> = ACTIONS.iter().map(|row| (row.name, row.tier)).collect();
    assert_eq!(rows, CONSENT);
    // omp knows two kinds of consent, of which these ten need the lesser.
    let words = ACTIONS.iter().filter(|row| row.tier.word() == "read");
    assert_eq!(words.count(), 10);
    assert_eq!(
        rows.iter().filter(|(_, tier)| *tier == Tier::Read).count(),
        10
    );
}

#[test]
fn there_are_40_parameters_and_each_is_taken_by_some_action() {
    let names: BTreeSet<_> = PARAMETERS.iter().map(|p| p.name).collect();
    // Those of omp, `session`, and three for simulators.
    assert_eq!(names.len(), 40);
    let taken: BTreeSet<_> = ACTIONS.iter().flat_map(ActionRow::parameters).collect();
    assert_eq!(taken, names);
    for row in ACTIONS.iter() {
        let all: Vec<_> = row.parameters().collect();
        let once: BTreeSet<_> = all.iter().collect();
        assert_eq!(all.len(), once.len(), "{} names one twice", row.name);
        let chosen = row
            .choice
            .into_iter()
            .flat_map(|c| c.sets.iter().copied().flatten());
        for name in chosen {
            assert!(row.optional.contains(name), "{}: {name}", row.name);
        }
    }
}

#[test]
fn what_omp_does_not_have_is_written_as_the_28_are() {
    let all: Vec<_> = all().collect();
    let names: BTreeSet<_> = all.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), all.len(), "each has a name of its own");
    for row in FURTHER.iter() {
        assert!(action(row.name).is_ok());
        for name in row.parameters() {
            assert!(
                parameters::parameter(name).is_some(),
                "{}: {name}",
                row.name
            );
        }
    }
    let taken: BTreeSet<_> = FURTHER.iter().flat_map(ActionRow::parameters).collect();
    for parameter in &parameters::FURTHER {
        assert!(taken.contains(parameter.name), "{}", parameter.name);
    }
}

#[test]
fn a_switched_off_tool_is_absent() {
    assert_eq!(available(false).count(), 0);
    assert_eq!(available(true).count(), all().count());
    assert_eq!(ACTIONS.len(), 28);
}

#[test]
fn only_what_the_adapter_can_do_is_offered() {
    let names = |capabilities: &Capabilities| {
        let rows = ACTIONS.iter().filter(|row| row.is_offered_by(capabilities));
        rows.map(|row| row.name).collect::<BTreeSet<_>>()
    };
    let none = names(&Capabilities::default());
    let missing: Vec<_> = ACTIONS
        .iter()
        .map(|row| row.name)
        .filter(|name| !none.contains(name))
        .collect();
    let expected = [
        "set_instruction_breakpoint",
        "remove_instruction_breakpoint",
        "data_breakpoint_info",
        "set_data_breakpoint",
        "remove_data_breakpoint",
        "disassemble",
        "read_memory",
        "write_memory",
        "modules",
        "loaded_sources",
    ];
    assert_eq!(missing, expected);
    let able = Capabilities {
        supports_read_memory_request: true,
        ..Capabilities::default()
    };
    let more: Vec<_> = names(&able)
        .into_iter()
        .filter(|name| !none.contains(name))
        .collect();
    assert_eq!(more, ["read_memory"]);
}

#[test]
fn an_unknown_action_is_told_its_neighbours() {
    let near = action("contnue").unwrap_err();
    assert_eq!(near, "\"contnue\" is no action; did you mean continue?");
    let near = action("stepOver").unwrap_err();
    assert!(near.contains("did you mean step_over"), "{near}");
    let far = action("\u{1b}[31m").unwrap_err();
    assert!(
        far.contains("launch, attach") && far.contains("sessions"),
        "{far}"
    );
}

/// Each precondition with its sentence.
#[test]
fn what_is_missing_is_named() {
    let table = [
        ("launch", json!({}), "program is required for launch"),
        (
            "launch",
            json!({"program": ""}),
            "program is required for launch",
        ),
        (
            "launch",
            json!({"program": null}),
            "program is required for launch",
        ),
        ("attach", json!({}), "attach requires pid or port"),
        (
            "attach",
            json!({"host": "localhost"}),
            "attach requires pid or port",
        ),
        (
            "set_breakpoint",
            json!({}),
            "set_breakpoint requires file+line or function",
        ),
        (
            "set_breakpoint",
            json!({"file": "a.py"}),
            "set_breakpoint requires file+line or function",
        ),
        (
            "set_breakpoint",
            json!({"line": 3}),
            "set_breakpoint requires file+line or function",
        ),
        (
            "remove_breakpoint",
            json!({}),
            "remove_breakpoint requires file+line or function",
        ),
        (
            "set_instruction_breakpoint",
            json!({}),
            "instruction_reference is required for set_instruction_breakpoint",
        ),
        (
            "remove_instruction_breakpoint",
            json!({"offset": 4}),
            "instruction_reference is required for remove_instruction_breakpoint",
        ),
        (
            "data_breakpoint_info",
            json!({}),
            "name is required for data_breakpoint_info",
        ),
        (
            "set_data_breakpoint",
            json!({"access_type": "write"}),
            "data_id is required for set_data_breakpoint",
        ),
        (
            "remove_data_breakpoint",
            json!({}),
            "data_id is required for remove_data_breakpoint",
        ),
        (
            "evaluate",
            json!({"context": "hover"}),
            "expression is required for evaluate",
        ),
        (
            "variables",
            json!({}),
            "variables requires variable_ref or scope_id",
        ),
        (
            "disassemble",
            json!({"memory_reference": "0x1"}),
            "instruction_count is required for disassemble",
        ),
        (
            "read_memory",
            json!({"count": 4}),
            "memory_reference is required for read_memory",
        ),
        (
            "read_memory",
            json!({"memory_reference": "0x1"}),
            "count is required for read_memory",
        ),
        (
            "write_memory",
            json!({"data": "AQ=="}),
            "memory_reference is required for write_memory",
        ),
        (
            "write_memory",
            json!({"memory_reference": "0x1"}),
            "data is required for write_memory",
        ),
        (
            "custom_request",
            json!({"arguments": {}}),
            "command is required for custom_request",
        ),
    ];
    for (action, arguments, sentence) in table {
        assert_eq!(
            check(action, &arguments).unwrap_err(),
            sentence,
            "{action} {arguments}"
        );
    }
}

#[test]
fn a_line_and_a_function_exclude_each_other() {
    let sentence =
        "set_breakpoint takes file+line or function, not both: they are mutually exclusive";
    for arguments in [
        json!({"file": "a.py", "line": 3, "function": "main"}),
        json!({"file": "a.py", "function": "main"}),
    ] {
        assert_eq!(check("set_breakpoint", &arguments).unwrap_err(), sentence);
    }
    check("set_breakpoint", &json!({"file": "", "function": "main"})).unwrap();
}

#[test]
fn what_is_there_is_taken() {
    let table = [
        ("attach", json!({"pid": 4711})),
        ("attach", json!({"port": 5678, "host": "localhost"})),
        ("attach", json!({"adapter": "mine"})),
        (
            "set_breakpoint",
            json!({"function": "main", "hit_condition": "3", "condition": "x"}),
        ),
        ("set_breakpoint", json!({"file": "a.py", "line": 3.0})),
        ("variables", json!({"scope_id": 1})),
        (
            "disassemble",
            json!({"instruction_count": 3, "instruction_reference": "ignored"}),
        ),
        ("threads", json!({"action": "threads", "timeout": 9})),
    ];
    for (action, arguments) in table {
        check(action, &arguments).unwrap_or_else(|why| panic!("{action} {arguments}: {why}"));
    }
}

#[test]
fn what_is_wrong_is_quoted() {
    let table = [
        (
            "set_breakpoint",
            json!({"file": "a", "line": "twelve"}),
            "line of set_breakpoint must be an integer from 1 to 2147483647, not \"twelve\"",
        ),
        (
            "set_breakpoint",
            json!({"file": "a", "line": 0}),
            "line of set_breakpoint must be an integer from 1 to 2147483647, not 0",
        ),
        (
            "set_breakpoint",
            json!({"file": "a", "line": 1.5}),
            "line of set_breakpoint must be an integer from 1 to 2147483647, not 1.5",
        ),
        (
            "set_breakpoint",
            json!({"file": 7, "line": 1}),
            "file of set_breakpoint must be a string, not 7",
        ),
        (
            "attach",
            json!({"port": 65536}),
            "port of attach must be an integer from 1 to 65535, not 65536",
        ),
        (
            "launch",
            json!({"program": "a", "args": "-v"}),
            "args of launch must be a list of strings, not \"-v\"",
        ),
        (
            "launch",
            json!({"program": "a", "args": ["-v", 3]}),
            "args of launch must be a list of strings, not [\"-v\",3]",
        ),
        (
            "set_data_breakpoint",
            json!({"data_id": "a", "access_type": "readwrite"}),
            "access_type of set_data_breakpoint must be one of read, write, readWrite, not \"readwrite\"; did you mean",
        ),
        (
            "disassemble",
            json!({"instruction_count": 1, "resolve_symbols": "yes"}),
            "resolve_symbols of disassemble must be true or false, not \"yes\"",
        ),
        (
            "custom_request",
            json!({"command": "a", "arguments": [1]}),
            "arguments of custom_request must be an object, not [1]",
        ),
        (
            "threads",
            json!({"timeout": "soon"}),
            "timeout of threads must be a number, not \"soon\"",
        ),
        (
            "evaluate",
            json!({"expresion": "x"}),
            "\"expresion\" is no parameter of evaluate; did you mean expression",
        ),
        (
            "scopes",
            json!({"frameId": 1}),
            "\"frameId\" is no parameter of scopes; did you mean frame_id?",
        ),
        (
            "threads",
            json!({"levels": 1}),
            "\"levels\" is not a parameter of threads, which takes session, timeout",
        ),
        (
            "pause",
            json!({"zzz": 1}),
            "\"zzz\" is no parameter; pause takes session, timeout",
        ),
        (
            "pause",
            json!({"action": "continue"}),
            "action is \"continue\" in the arguments, but pause was asked for",
        ),
    ];
    for (action, arguments, sentence) in table {
        let error = check(action, &arguments).unwrap_err();
        assert!(error.starts_with(sentence), "{action} {arguments}: {error}");
    }
    let long = check("launch", &json!({"program": ["x".repeat(500)]})).unwrap_err();
    assert!(long.ends_with('…') && long.len() < 200, "{long}");
}

#[test]
fn the_timeout_is_kept_within_its_bounds() {
    let seconds = |timeout: Value| {
        check("pause", &json!({ "timeout": timeout }))
            .unwrap()
            .timeout()
    };
    let table = [
        (Value::Null, 30.0),
        (json!(0), 5.0),
        (json!(-7), 5.0),
        (json!(5), 5.0),
        (json!(7.5), 7.5),
        (json!(300), 300.0),
        (json!(1e300), 300.0),
    ];
    for (given, expected) in table {
        assert_eq!(
            seconds(given.clone()),
            Duration::from_secs_f64(expected),
            "{given}"
        );
    }
}

/// A value that fits a parameter.
fn fitting(kind: ParameterKind) -> BoxedStrategy<Value> {
    match kind {
        ParameterKind::Text => "[a-z0-9/ \u{e9}]{1,8}".prop_map(Value::from).boxed(),
        ParameterKind::Integer { least, most } => (least..=most).prop_map(Value::from).boxed(),
        ParameterKind::Clamped { .. } => (-1e6..1e6).prop_map(|n: f64| json!(n)).boxed(),
        ParameterKind::Flag => any::<bool>().prop_map(Value::from).boxed(),
        ParameterKind::TextList => prop::collection::vec("[a-z]{0,3}", 0..3)
            .prop_map(|list| json!(list))
            .boxed(),
        ParameterKind::OneOf(words) => prop::sample::select(words).prop_map(Value::from).boxed(),
        ParameterKind::Object => Just(json!({"a": [1]})).boxed(),
    }
}

/// Anything that may be tried.
fn odd() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!([])),
        Just(json!({})),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(0.5)),
        Just(json!("read")),
        Just(json!(["a", 1])),
        any::<i32>().prop_map(Value::from),
    ]
    .boxed()
}

fn call() -> impl Strategy<Value = (&'static ActionRow, Map<String, Value>)> {
    (0..ACTIONS.len()).prop_flat_map(|index| {
        let row = &ACTIONS[index];
        let fields = PARAMETERS.iter().map(|parameter| {
            let own = row.parameters().any(|name| name == parameter.name);
            let there = if own { 0.6 } else { 0.01 };
            let value = prop_oneof![12 => fitting(parameter.kind), 1 => odd()];
            prop::option::weighted(there, value)
                .prop_map(|value| (parameter.name.to_owned(), value))
        });
        let fields: Vec<_> = fields.collect();
        fields.prop_map(move |fields| {
            let given = fields
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)));
            (row, given.collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Whatever the schema allows is taken, whatever it forbids is refused.
    #[test]
    fn schema_and_check_agree((row, given) in call()) {
        let schema = schema::of(row);
        let allowed = jsonschema::draft202012::new(&schema).unwrap().is_valid(&Value::Object(given.clone()));
        let taken = Arguments::check(row, &given);
        prop_assert_eq!(allowed, taken.is_ok(), "{} {:?}: {:?}", row.name, given, taken.err());
    }
}

#[test]
fn every_schema_is_one() {
    for row in ACTIONS.iter() {
        let schema = schema::of(row);
        jsonschema::draft202012::meta::validate(&schema)
            .unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert_eq!(schema["additionalProperties"], json!(false), "{}", row.name);
        assert_eq!(schema["title"], row.name);
    }
}

#[test]
fn the_schema_of_an_action_is_as_agreed() {
    let expected = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "set_data_breakpoint",
        "description": "Stop when data is read or changed; the id comes from data_breakpoint_info, and another mode is asked for anew.",
        "type": "object",
        "properties": {
            "action": {"const": "set_data_breakpoint"},
            "data_id": {"type": "string", "description": parameters::parameter("data_id").unwrap().help},
            "access_type": {"type": "string", "enum": ["read", "write", "readWrite"],
                "description": parameters::parameter("access_type").unwrap().help},
            "condition": {"type": "string", "description": parameters::parameter("condition").unwrap().help},
            "hit_condition": {"type": "string", "description": parameters::parameter("hit_condition").unwrap().help},
            "mode": {"type": "string", "description": parameters::parameter("mode").unwrap().help},
            "session": {"type": "string", "description": parameters::parameter("session").unwrap().help},
            "timeout": {"type": "number", "default": 30, "description": parameters::parameter("timeout").unwrap().help},
        },
        "required": ["data_id"],
        "additionalProperties": false,
    });
    assert_eq!(schema::of(action("set_data_breakpoint").unwrap()), expected);
}

#[test]
fn evaluation_needs_an_expression_and_says_what_it_may_do() {
    let schema = schema::of(action("evaluate").unwrap());
    assert_eq!(schema["required"], json!(["expression"]));
    let described = schema["description"].as_str().unwrap();
    assert!(described.contains("may run any code"), "{described}");
    assert_eq!(schema["properties"]["frame_id"]["type"], "integer");
    // Adapters have words of their own, so the usual ones are named and no other is refused.
    let context = &schema["properties"]["context"];
    assert_eq!(context["type"], "string");
    let named = context["description"].as_str().unwrap();
    for word in ["watch", "repl", "hover"] {
        assert!(named.contains(word), "{named}");
    }
}

#[test]
fn the_pages_name_everything() {
    let list = docs::list(&ACTIONS.iter().collect::<Vec<_>>());
    for row in ACTIONS.iter() {
        assert!(
            list.lines()
                .any(|line| line.starts_with(row.name) && line.ends_with(row.help)),
            "{}",
            row.name
        );
    }
}
