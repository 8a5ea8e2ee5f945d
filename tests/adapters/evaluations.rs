//! Expressions that call functions of the program, that hang, and that make an adapter tell of stops: none of them moves the program in
//! anybody's eyes, none is evaluated for ever, and none keeps another back.

use crate::support;

use std::time::Duration;

use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Change, Command, LaunchSpec, Outcome, Phase, Reply, WatchValue,
};
use support::bench::{Bench, PATIENCE, evaluate};
use support::core::{Desk, Home};

fn watch(expression: &str) -> Command {
    Command::AddWatch {
        expression: expression.to_owned(),
    }
}

/// What the watches come to at the present stop, in their order.
fn watched(bench: &Bench) -> Vec<Option<WatchValue>> {
    let stop = bench.desk.session(bench.session).current_stop();
    let watches = bench.desk.state.watches.iter();
    watches
        .map(|w| stop.and_then(|s| s.watches.get(&w.id)).cloned())
        .collect()
}

fn value(text: &str) -> Outcome {
    Outcome::Value(text.to_owned())
}

async fn all_watched(bench: &mut Bench, count: usize) -> Vec<Option<Outcome>> {
    let session = bench.session;
    bench
        .desk
        .until("values of all watches", PATIENCE, |desk| {
            let stop = desk.session(session).current_stop()?;
            let known = |w: &omp_debug::debugger::Watch| stop.watches.contains_key(&w.id);
            let watches = &desk.state.watches;
            (watches.len() == count && watches.iter().all(known)).then_some(())
        })
        .await
        .unwrap();
    watched(bench)
        .into_iter()
        .map(|value| value.map(|v| v.result))
        .collect()
}

fn stops(bench: &Bench) -> usize {
    bench.desk.count(bench.session, |change| {
        matches!(change, Change::Stopped { .. })
    })
}

/// Waits until the adapter has answered all that it was asked, and everyone knows.
async fn rest(bench: &mut Bench) {
    let mut before = usize::MAX;
    // Whatever an answer leads to is asked before the answer to what is asked after it.
    loop {
        bench.ask(Command::Threads { session: None }).await.unwrap();
        bench
            .desk
            .until("news", PATIENCE, |_| Some(()))
            .await
            .unwrap();
        let heard = ["evaluate", "stackTrace", "scopes", "variables"]
            .iter()
            .map(|command| bench.heard(command).len())
            .sum();
        if heard == before {
            return;
        }
        assert!(heard < 400, "the adapter was asked {heard} times");
        before = heard;
    }
}

/// Waits until the numbers of frames are those that the adapter has by now: each expression that it evaluates changes them, and it says
/// so after its answer.
async fn numbers_known(bench: &mut Bench) {
    let stops = bench.heard("evaluate").iter().fold(1, |stops, asked| {
        let knows = asked["frameId"].as_i64().is_none_or(|f| f / 100 == stops);
        stops + i64::from(knows)
    });
    let session = bench.session;
    bench
        .desk
        .until("the frames' new numbers", PATIENCE, |desk| {
            let frame = desk.session(session).current_stop()?.selected?.frame_id;
            (frame / 100 == stops).then_some(())
        })
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_is_called_for_an_expression_is_no_stop() {
    let mut bench = Bench::open(&["--evaluating", "call"]).await;
    assert_eq!(bench.value("line").await.unwrap(), "1");
    assert_eq!(bench.value("i").await.unwrap(), "0");
    for expression in ["line", "i", "order"] {
        bench.ask(watch(expression)).await.unwrap();
    }
    let values = all_watched(&mut bench, 3).await;
    assert_eq!(values[..2], [Some(value("1")), Some(value("0"))]);
    rest(&mut bench).await;
    assert_eq!(stops(&bench), 1, "only the stop at the entry is one");
    // What is shown can be opened: the adapter has new numbers for all of it, and it is asked for again.
    let session = bench.session;
    let (stop, scopes) = bench
        .desk
        .until("the variables, with numbers that hold", PATIENCE, |desk| {
            let stop = desk.session(session).current_stop()?;
            let scopes = stop.frames.get(&stop.selected?.frame_id)?;
            Some((stop.clone(), scopes.clone()))
        })
        .await
        .unwrap();
    assert_eq!(bench.desk.session(session).phase, Phase::Stopped);
    assert_eq!(scopes.trouble, None);
    let shown = scopes.scopes[0].variables.as_ref().unwrap();
    assert!(shown.iter().any(|v| v.name == "order"), "{shown:?}");
    let parts = bench
        .ask(Command::Variables {
            session: None,
            stop: stop.id,
            reference: scopes.scopes[0].scope.variables_reference,
            page: None,
        })
        .await
        .unwrap();
    assert!(matches!(parts, Reply::Variables { variables } if !variables.is_empty()));
    // And the next step evaluates each watch once.
    let before = bench.heard("evaluate").len();
    bench
        .resume(Some(omp_debug::debugger::StepKind::Over))
        .await;
    let session = bench.session;
    let stop = bench
        .desk
        .stop(session, Some(&stop), PATIENCE)
        .await
        .unwrap();
    assert_eq!(stop.reason, "step");
    let values = all_watched(&mut bench, 3).await;
    assert_eq!(values[..2], [Some(value("2")), Some(value("0"))]);
    rest(&mut bench).await;
    assert_eq!(bench.heard("evaluate").len(), before + 3);
    assert_eq!(stops(&bench), 2);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_adapter_makes_evaluations_of_evaluations() {
    for says in ["call", "call-late", "invalidated", "memory"] {
        let mut bench = Bench::open(&["--evaluating", says]).await;
        bench.ask(watch("line")).await.unwrap();
        bench.ask(watch("i")).await.unwrap();
        all_watched(&mut bench, 2).await;
        rest(&mut bench).await;
        let evaluated = bench.heard("evaluate").len();
        // Each new watch has all of them evaluated once and eight times more; how often the first is before the second one comes, depends
        // on how busy the machine is.
        assert!(
            evaluated <= 9 + 9 * 2,
            "{says}: evaluated {evaluated} times"
        );
        assert!(stops(&bench) <= 10, "{says}: {} stops", stops(&bench));
        if says.starts_with("call") {
            numbers_known(&mut bench).await;
        }
        // A person gets what they ask for all the same.
        bench.ask(evaluate("line")).await.unwrap();
        bench.end().await;
    }
}

/// To evaluate an expression may change something.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_watch_has_no_other_evaluated_again() {
    let mut bench = Bench::open(&[]).await;
    for (count, expression) in ["line", "i", "order", "line"].into_iter().enumerate() {
        bench.ask(watch(expression)).await.unwrap();
        all_watched(&mut bench, (count + 1).min(3)).await;
    }
    rest(&mut bench).await;
    let evaluated = bench.heard("evaluate");
    let asked: Vec<_> = evaluated.iter().map(|asked| &asked["expression"]).collect();
    assert_eq!(asked, ["line", "i", "order", "line"]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breakpoint_in_what_an_expression_calls_is_a_stop_and_the_watch_is_set_aside() {
    let mut bench = Bench::open(&["--evaluating", "breakpoint"]).await;
    let entry = bench.desk.session(bench.session).stop.clone();
    bench.ask(watch("i")).await.unwrap();
    let session = bench.session;
    let stop = bench
        .desk
        .stop(session, entry.as_ref(), PATIENCE)
        .await
        .unwrap();
    assert_eq!(stop.reason, "breakpoint");
    assert_eq!(bench.desk.session(session).current_frame().unwrap().line, 2);
    let shown = all_watched(&mut bench, 1).await;
    let aside = "set aside: the program stopped in what it calls";
    assert_eq!(shown, [Some(Outcome::Error(aside.to_owned()))]);
    rest(&mut bench).await;
    assert_eq!((bench.heard("evaluate").len(), stops(&bench)), (1, 2));
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_thread_that_stops_during_an_evaluation_has_stopped() {
    let mut bench = Bench::open(&["--evaluating", "other"]).await;
    let entry = bench.desk.session(bench.session).stop.clone();
    bench.ask(evaluate("i")).await.unwrap();
    let session = bench.session;
    let stop = bench
        .desk
        .stop(session, entry.as_ref(), PATIENCE)
        .await
        .unwrap();
    assert_eq!(
        (stop.reason.as_str(), stop.thread_id),
        ("breakpoint", Some(2))
    );
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expression_that_hangs_has_its_time_and_keeps_nothing_back() {
    for cancels in ["true", "false"] {
        let can = format!("{{\"supportsCancelRequest\": {cancels}}}");
        let mut bench = Bench::with(&["--capabilities", &can], |config| {
            config.settings.eval_timeout = Duration::from_millis(300);
            config.project = Some(config.context.cwd.clone());
        })
        .await;
        for expression in ["sleep 600000", "line"] {
            bench.ask(watch(expression)).await.unwrap();
        }
        let shown = all_watched(&mut bench, 2).await;
        let late = "set aside: took over 0.3 s";
        assert_eq!(shown[0], Some(Outcome::Error(late.to_owned())));
        if cancels == "true" {
            assert_eq!(shown[1], Some(value("1")));
            assert_eq!(bench.heard("cancel").len(), 1);
        }
        let why = bench.desk.state.watches[0].aside.as_deref();
        assert_eq!(why, Some("took over 0.3 s"));
        let error = bench.ask(evaluate("sleep 600000")).await.unwrap_err();
        assert_eq!(error.what, "DAP request evaluate timed out after 300ms");
        let hint = error.hint.unwrap_or_default();
        let then = match cancels {
            "true" => "`sleep 600000` was given up; ",
            _ => "`sleep 600000` still keeps the debugger busy; ",
        };
        assert!(hint.starts_with(then), "{hint}");
        // The next stop has its stack, its variables and its other watches, and the one set aside is not asked for.
        let session = bench.session;
        let last = bench.desk.session(session).stop.clone();
        bench
            .resume(Some(omp_debug::debugger::StepKind::Over))
            .await;
        bench
            .desk
            .stop(session, last.as_ref(), PATIENCE)
            .await
            .unwrap();
        let shown = all_watched(&mut bench, 2).await;
        assert_eq!(shown[0], Some(Outcome::Error(late.to_owned())));
        assert_eq!(shown[1], Some(value("2")));
        let asked = bench.heard("evaluate");
        let hung = asked.iter().filter(|a| a["expression"] == "sleep 600000");
        assert_eq!(hung.count(), 2, "once as a watch, once by hand");
        // Until somebody wants it.
        let id = bench.desk.state.watches[0].id;
        let again = Command::EditWatch {
            id,
            expression: "i".to_owned(),
        };
        bench.ask(again).await.unwrap();
        bench
            .desk
            .until("the value that was asked for", PATIENCE, |desk| {
                let stop = desk.session(session).current_stop()?;
                (stop.watches.get(&id)?.result == Outcome::Value("0".to_owned())).then_some(())
            })
            .await
            .unwrap();
        assert_eq!(bench.desk.state.watches[0].aside, None);
        bench.end().await;
    }
}

/// A vector of structs and a pointer that owns: both answer by functions of theirs.
const ORDERS: &str = "\
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Order { int id; double price; std::string name; };

int first(const std::vector<Order>& all, const int& seven) {
    return all[0].id + seven;
}

int main() {
    std::vector<Order> orders;
    for (int i = 0; i < 100; i++)
        orders.push_back({i, i * 1.5, \"order \" + std::to_string(i)});
    std::unique_ptr<int> up = std::make_unique<int>(7);
    std::printf(\"%zu %d\\n\", orders.size(), *up);
    return first(orders, *up) - 7;
}
";

#[test]
fn gdb_calls_functions_for_expressions() {
    require!(gdb);
    let runs = support::run::Runs::new();
    let source = runs.file("orders.cpp", ORDERS);
    let program = runs.work().join("orders");
    let built = std::process::Command::new("c++")
        .args(["-g", "-O0", "-o"])
        .args([&program, &source])
        .status()
        .unwrap();
    assert!(built.success());
    let [line, inside] = [17, 9].map(|line| format!("{}:{line}", source.display()));
    let program = program.to_str().unwrap();
    let ran = runs.run(&[
        "-a",
        "gdb",
        "-b",
        &line,
        "-b",
        &inside,
        "-e",
        "orders.size()",
        "-e",
        "*up",
        "-e",
        "nosuch(3)",
        program,
    ]);
    let stops = ran.of("breakpoint_hit");
    let [stop, inside] = stops[..] else {
        panic!("two stops and no more: {stops:#?}");
    };
    let evaluations = &stop["evaluations"];
    assert_eq!(evaluations["orders.size()"]["result"], "100", "{stop:#}");
    // What gdb tells of a reference is its address, and the value as its only part.
    assert_eq!(evaluations["*up"]["result"], "7", "{stop:#}");
    let error = evaluations["nosuch(3)"]["error"].as_str().unwrap();
    assert!(!error.contains('\u{1b}'), "{error:?}");
    assert!(stop["locals"]["orders"].is_object(), "{stop:#}");
    // Arguments that are references read as what they refer to as well.
    let locals = &inside["locals"];
    assert_eq!(locals["seven"]["value"], 7, "{inside:#}");
    assert!(!locals.to_string().contains("\"@0x"), "{inside:#}");
    assert_eq!(ran.one("session_end")["summary"]["exit_code"], 0);
}

/// debugpy ends what takes too long by an exception in it: that is no answer of the expression.
#[test]
fn debugpy_gives_up_what_takes_too_long() {
    require!(debugpy);
    let runs = support::run::Runs::new();
    runs.file("one.py", "import time\na = 1\nprint(a)\n");
    let ran = runs.run(&[
        "--eval-timeout",
        "1",
        "-b",
        "one.py:3",
        "-e",
        "time.sleep(600)",
        "-e",
        "a",
        "one.py",
    ]);
    let stop = ran.one("breakpoint_hit");
    let error = stop["evaluations"]["time.sleep(600)"]["error"]
        .as_str()
        .unwrap();
    assert!(error.contains("timed out after 1000ms"), "{stop:#}");
    assert_eq!(stop["evaluations"]["a"]["result"], "1", "{stop:#}");
    assert!(!format!("{ran:?}").contains("PYDEVD"), "{ran:#?}");
    assert_eq!(ran.code, Some(0));
}

/// At a prompt its name means the one of the inner block, and js-debug's own request says that it worked, and changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_variable_that_an_inner_one_hides_is_not_said_to_be_set() {
    let script = require!(js_debug);
    let home = Home::new();
    let text = "function f() {\n  let n = 1;\n  if (n) {\n    let n = 2;\n    console.log(n);\n  }\n  return n;\n}\nf();\n";
    let program = home.file("work/twice.js", text);
    let mut config = home.config(PATIENCE);
    let env = std::sync::Arc::make_mut(&mut config.context.env);
    env.insert(
        "JS_DEBUG_DAP_SERVER".to_owned(),
        script.to_str().unwrap().to_owned(),
    );
    let mut desk = Desk::open(config).await;
    let at = BreakpointSite::Source {
        path: program.clone(),
        line: 5,
        column: None,
    };
    let at = Command::SetBreakpoint(BreakpointSpec::at(at));
    desk.must("a breakpoint", PATIENCE, at).await.unwrap();
    let spec = LaunchSpec {
        program,
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    desk.launch(PATIENCE, spec).await.unwrap();
    // What each of the scopes has of that name, the innermost first.
    let both = |desk: &Desk| {
        let stop = desk
            .state
            .sessions
            .iter()
            .find_map(|s| Some((s.id, s.current_stop()?)));
        let (session, stop) = stop?;
        let scopes = &stop.frames.get(&stop.selected?.frame_id)?.scopes;
        let of = scopes.iter().filter_map(|s| {
            let mut variables = s.variables.iter().flatten();
            Some((
                s.scope.variables_reference,
                variables.find(|v| v.name == "n")?.clone(),
            ))
        });
        let of: Vec<_> = of.collect();
        (of.len() == 2).then_some((session, stop.id, of))
    };
    let (session, stop, of) = desk.until("both", PATIENCE, both).await.unwrap();
    let (container, outer) = of[1].clone();
    let change = Command::SetVariable {
        session: Some(session),
        stop,
        container,
        name: "n".to_owned(),
        evaluate_name: outer.evaluate_name,
        value: "7".to_owned(),
    };
    let refused = desk
        .ask("the change", PATIENCE, change)
        .await
        .unwrap()
        .unwrap_err();
    assert!(
        refused.what.contains("`n` of the inner block"),
        "{refused:?}"
    );
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
    home.mark.assert_none_left(PATIENCE);
}
