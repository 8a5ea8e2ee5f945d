//! Conditions, counts and messages of breakpoints where an adapter cannot have them: the core does it, and nobody sees the difference.

use crate::support;

use omp_debug::debugger::{
    BreakpointSpec, Change, Command, LaunchSpec, Outcome, Reply, StepKind,
    data::{Content, Data, Query, View, shown},
    record::Record,
    records::Recorded,
};
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE, function};
use support::core::{Desk, Home};
use support::trace::Script;

/// Options of an adapter that does not know these refinements.
fn without(capabilities: &[&str]) -> [String; 2] {
    let none: serde_json::Map<_, _> = capabilities
        .iter()
        .map(|name| ((*name).to_owned(), Value::Bool(false)))
        .collect();
    ["--capabilities".to_owned(), Value::Object(none).to_string()]
}

const CONDITIONS: &str = "supportsConditionalBreakpoints";
const COUNTS: &str = "supportsHitConditionalBreakpoints";
const MESSAGES: &str = "supportsLogPoints";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hits_are_counted_where_the_adapter_cannot() {
    let [key, none] = without(&[COUNTS]);
    let mut bench = Bench::open(&[&key, &none, "--loops", "6"]).await;
    let line = BreakpointSpec {
        hit_condition: Some("%2".to_owned()),
        ..bench.line(5)
    };
    let set = bench.set(line).await.unwrap();
    assert_eq!(set.message(), Some("its hits are counted by omp-debug"));
    let name = BreakpointSpec {
        hit_condition: Some("3".to_owned()),
        ..function("line_7")
    };
    bench.set(name).await.unwrap();
    let mut stops = Vec::new();
    for _ in 0..4 {
        bench.resume(None).await;
        let (_, line, pass) = bench.next_stop().await;
        stops.push((line, pass));
    }
    let wanted = [(5, "1"), (7, "2"), (5, "3"), (5, "5")];
    assert_eq!(stops, wanted.map(|(line, pass)| (line, pass.to_owned())));
    assert_eq!(
        bench.heard("setBreakpoints")[0]["breakpoints"],
        json!([{"line": 5}])
    );
    bench.resume(None).await;
    bench.goes().await;
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_printed_where_the_adapter_cannot() {
    for hit_ids in ["--continued", "--no-hit-ids"] {
        let [key, none] = without(&[MESSAGES]);
        let mut bench = Bench::open(&[&key, &none, hit_ids]).await;
        let line = BreakpointSpec {
            log_message: Some("pass {i}, line {line}: {missing}".to_owned()),
            ..bench.line(4)
        };
        let set = bench.set(line).await.unwrap();
        assert_eq!(set.message(), Some("its message is printed by omp-debug"));
        bench.resume(None).await;
        bench.goes().await;
        let unknown = "<NameError: name 'missing' is not defined>";
        let line = |pass| format!("pass {pass}, line 4: {unknown}\n");
        let wanted = [line(0), line(1), line(2)].concat();
        assert_eq!(bench.logged(), wanted, "{hit_ids}");
        let stops = bench.desk.count(bench.session, |change| {
            matches!(change, Change::Stopped { .. })
        });
        assert_eq!(
            stops, 1,
            "the stop at the entry is the only one that is seen"
        );
        bench.end().await;
    }
}

fn recorded(bench: &Bench) -> Vec<Recorded> {
    let row = |change: &Change| match change {
        Change::Recorded { row } => Some((**row).clone()),
        _ => None,
    };
    bench.desk.changes(bench.session).filter_map(row).collect()
}

async fn table(bench: &Bench, query: Query) -> Data {
    let asked = Command::Records {
        session: None,
        query,
    };
    let Ok(Reply::Data { data }) = bench.ask(asked).await else {
        panic!("no table");
    };
    *data
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breakpoint_records_and_does_not_stop() {
    for hit_ids in ["--continued", "--no-hit-ids"] {
        let mut bench = Bench::open(&[hit_ids]).await;
        let spec = BreakpointSpec {
            record: Record::written("i, line, missing"),
            log_message: Some("pass {i}".to_owned()),
            ..bench.line(4)
        };
        let set = bench.set(spec).await.unwrap();
        let ours = "its message is printed, its values are recorded by omp-debug";
        assert_eq!(set.message(), Some(ours));
        bench.resume(None).await;
        bench.goes().await;
        let rows = recorded(&bench);
        let seen = rows.iter().map(|row| {
            assert!(row.stack[0].line == 4 && row.stack.len() > 1, "{row:?}");
            let value = |at: usize| match &row.values[at].1 {
                Outcome::Value(text) | Outcome::Error(text) => text.clone(),
            };
            (row.number, value(0), value(1), value(2))
        });
        let unknown = "NameError: name 'missing' is not defined";
        let row = |n: u64| (n + 1, n.to_string(), "4".to_owned(), unknown.to_owned());
        assert_eq!(
            seen.collect::<Vec<_>>(),
            [row(0), row(1), row(2)],
            "{hit_ids}"
        );
        assert!(rows.is_sorted_by_key(|row| row.at));
        assert_eq!(bench.logged(), "pass 0\npass 1\npass 2\n");
        let stops = bench.desk.count(bench.session, |change| {
            matches!(change, Change::Stopped { .. })
        });
        assert_eq!(stops, 1, "the one at the entry");
        let data = table(
            &bench,
            Query {
                sort: Some("-i".to_owned()),
                ..Query::default()
            },
        )
        .await;
        let Content::Table(rows) = &data.content else {
            panic!("{data:?}");
        };
        let names: Vec<_> = rows.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["time", "thread", "where", "i", "line", "missing"]);
        assert_eq!(rows.labels, ["3", "2", "1"]);
        assert_eq!(rows.rows[0][3], json!(2));
        assert!(shown(&rows.rows[0][2]).contains(":4"), "{rows:?}");
        let plotted = Query {
            view: Some(View::Series),
            ..Query::default()
        };
        let Content::Series(line) = table(&bench, plotted).await.content else {
            panic!("no line");
        };
        assert_eq!(
            (line.stat.name.as_str(), line.low, line.high),
            ("i", 0.0, 2.0)
        );
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_over_the_limit_is_counted_and_not_evaluated() {
    let mut bench = Bench::open(&["--loops", "60"]).await;
    let spec = BreakpointSpec {
        record: Record::written("2/s i"),
        ..bench.line(4)
    };
    bench.set(spec).await.unwrap();
    bench.resume(None).await;
    bench.goes().await;
    let rows = recorded(&bench);
    // However slow the machine is: in no second there are three.
    let apart = rows.windows(3).all(|w| w[2].at - w[0].at > 900_000);
    assert!(rows.len() >= 2 && rows.len() < 60 && apart, "{rows:?}");
    let asked = bench
        .heard("evaluate")
        .iter()
        .filter(|e| e["expression"] == "i")
        .count();
    assert_eq!(asked, rows.len());
    let over = format!(
        "{} hits were over the limit, and only counted",
        60 - rows.len()
    );
    assert_eq!(table(&bench, Query::default()).await.notes, [over]);
    let told: Vec<_> = bench
        .desk
        .messages()
        .filter(|text| text.contains("counted"))
        .collect();
    assert_eq!(
        told.len(),
        2,
        "at the first of them, and at the end: {told:?}"
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_values_of_logpoints_are_in_the_same_table() {
    // Printed by the adapter, and by us.
    for options in [vec![], without(&[MESSAGES]).to_vec()] {
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        let mut bench = Bench::open(&options).await;
        let line = BreakpointSpec {
            log_message: Some("pass {i}, line {line}".to_owned()),
            ..bench.line(4)
        };
        bench.set(line).await.unwrap();
        bench.resume(None).await;
        bench.goes().await;
        let Content::Table(table) = table(&bench, Query::default()).await.content else {
            panic!("no table");
        };
        let values: Vec<_> = table.rows.iter().map(|row| row[3..].to_vec()).collect();
        let wanted = [0, 1, 2].map(|pass| vec![json!(pass), json!(4)]);
        assert_eq!(values, wanted, "{options:?}");
        assert!(table.rows.iter().all(|row| shown(&row[2]).contains(":4")));
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_print_with_every_adapter() {
    let mut bench = Bench::open(&[]).await;
    let spec = BreakpointSpec {
        log_message: Some("in {line}".to_owned()),
        ..function("line_6")
    };
    bench.set(spec).await.unwrap();
    bench.resume(None).await;
    bench.goes().await;
    assert_eq!(bench.logged(), "in 6\n".repeat(3));
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conditions_are_evaluated_where_the_adapter_cannot() {
    let [key, none] = without(&[CONDITIONS]);
    let mut bench = Bench::open(&[&key, &none, "--loops", "6"]).await;
    // What comes after the condition is ours as well.
    let second = BreakpointSpec {
        condition: Some("i > 1".to_owned()),
        hit_condition: Some(">= 2".to_owned()),
        ..bench.line(5)
    };
    let set = bench.set(second).await.unwrap();
    assert_eq!(
        set.message(),
        Some("its condition is evaluated, its hits are counted by omp-debug")
    );
    bench.resume(None).await;
    let stop = bench.next_stop().await;
    assert_eq!(stop, ("breakpoint".to_owned(), 5, "3".to_owned()));
    let bad = BreakpointSpec {
        id: Some(set.id),
        condition: Some("nonsense".to_owned()),
        ..bench.line(5)
    };
    bench.set(bad).await.unwrap();
    bench.resume(None).await;
    let stop = bench.next_stop().await;
    assert_eq!(stop, ("breakpoint".to_owned(), 5, "4".to_owned()));
    let wanted = "The condition `nonsense` of program.fake:5 could not be evaluated: NameError: name 'nonsense' is not defined";
    assert!(
        bench.desk.messages().any(|text| text == wanted),
        "{:?}",
        bench.desk.messages().collect::<Vec<_>>()
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breakpoint_that_stops_wins_over_one_that_prints() {
    let [key, none] = without(&[MESSAGES]);
    let mut bench = Bench::open(&[&key, &none]).await;
    let spec = BreakpointSpec {
        log_message: Some("here".to_owned()),
        ..bench.line(5)
    };
    bench.set(spec).await.unwrap();
    bench.set(function("line_5")).await.unwrap();
    bench.resume(None).await;
    let (reason, line, _) = bench.next_stop().await;
    assert_eq!((reason.as_str(), line), ("breakpoint", 5));
    assert_eq!(bench.logged(), "here\n");
    bench.end().await;
}

/// js-debug says so of one that was set in a loop that runs. What is ours to do there is done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breakpoint_that_is_called_a_pause_is_a_breakpoint() {
    let [key, none] = without(&[COUNTS]);
    let pause = ["--hit-reason", "pause", "--no-hit-ids"];
    let mut bench = Bench::open(&[&pause[..], &[&key, &none]].concat()).await;
    bench.set(bench.line(4)).await.unwrap();
    let second = BreakpointSpec {
        hit_condition: Some("2".to_owned()),
        ..bench.line(5)
    };
    bench.set(second).await.unwrap();
    let mut stops = Vec::new();
    for _ in 0..3 {
        bench.resume(None).await;
        let (reason, line, _) = bench.next_stop().await;
        stops.push((reason, line));
    }
    let wanted = [4, 4, 5].map(|line| ("breakpoint".to_owned(), line));
    assert_eq!(stops, wanted);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_ends_where_something_is_printed_stops() {
    let [key, none] = without(&[MESSAGES]);
    let mut bench = Bench::open(&[&key, &none]).await;
    let spec = BreakpointSpec {
        log_message: Some("here".to_owned()),
        ..bench.line(2)
    };
    bench.set(spec).await.unwrap();
    bench.resume(Some(StepKind::Over)).await;
    let (reason, line, _) = bench.next_stop().await;
    assert_eq!((reason.as_str(), line), ("step", 2));
    assert_eq!(bench.logged(), "here\n");
    // Let go again, it is passed over again.
    bench.resume(None).await;
    bench.goes().await;
    assert_eq!(bench.logged(), "here\n".repeat(3));
    bench.end().await;
}

/// Both threads stop at the breakpoint at once: each is a hit, and one `continue` lets both go. One worker takes what came
/// in one read to its end before anything else; of two, one may answer the first stop before the other has handed on the second.
#[tokio::test]
async fn threads_that_stop_at_once_count_each_and_go_on_together() {
    let hit = |thread: i64| {
        json!({"reason": "breakpoint", "threadId": thread, "allThreadsStopped": true,
            "hitBreakpointIds": [7]})
    };
    let stack = json!({"stackFrames": [{"id": 1, "name": "main", "line": 5, "column": 1}]});
    let script = Script::new()
        .handshake(&json!({"supportsConfigurationDoneRequest": true}))
        .respond(&Value::Null)
        .expect("setBreakpoints", &json!({"breakpoints": [{"line": 5}]}))
        .respond(&json!({"breakpoints": [{"id": 7, "verified": true, "line": 5}]}))
        .expect("configurationDone", &Value::Null)
        .respond(&Value::Null)
        .raw(&two(&hit(1), &hit(2)))
        .expect("continue", &Value::Null)
        .respond(&Value::Null)
        .event("stopped", &hit(2))
        .expect("stackTrace", &json!({"threadId": 2}))
        .respond(&stack)
        .expect("scopes", &Value::Null)
        .respond(&json!({"scopes": []}))
        .expect("threads", &Value::Null)
        .respond(&json!({"threads": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}))
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    home.fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), script])]);
    let program = home.file("work/program.fake", &"step()\n".repeat(10));
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    let third = Command::SetBreakpoint(BreakpointSpec {
        hit_condition: Some("3".to_owned()),
        ..BreakpointSpec::line(&program, 5)
    });
    desk.must("a breakpoint", PATIENCE, third).await.unwrap();
    let spec = LaunchSpec {
        program,
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    let stop = desk.stop(session, None, PATIENCE).await.unwrap();
    assert_eq!(
        (stop.thread_id, stop.reason.as_str()),
        (Some(2), "breakpoint")
    );
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}

/// Two `stopped` events in one write.
fn two(first: &Value, second: &Value) -> String {
    [first, second]
        .map(|body| {
            let event = json!({"seq": 0, "type": "event", "event": "stopped", "body": body});
            let content = event.to_string();
            format!("Content-Length: {}\r\n\r\n{content}", content.len())
        })
        .concat()
}
