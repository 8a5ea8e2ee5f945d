//! Hooks of the settings: run when something happens, told what, and never in the way.

use crate::support;

use omp_debug::debugger::{Command, Event, core::Hook};
use serde_json::Value;
use support::bench::{Bench, PATIENCE};

fn hook(on: &str, run: &[&str]) -> Hook {
    Hook {
        on: on.to_owned(),
        run: run.iter().map(|word| (*word).to_owned()).collect(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hooks_are_run_with_the_event_and_all_of_it_before_the_core_ends() {
    let folder = tempfile::TempDir::new().unwrap();
    let bench = Bench::with(&[], |config| {
        config.context.cwd = folder.path().to_path_buf();
        config.settings.hooks = vec![
            hook("stopped", &["sh", "-c", "cat >> stops"]),
            hook("*", &["sh", "-c", "cat >> all"]),
            hook("stopped", &["sh", "-c", "exit 3"]),
            hook("stopped", &["no-such-hook"]),
        ];
    });
    let mut bench = bench.await;
    for sentence in ["failed: exit status: 3", "cannot be started"] {
        bench
            .desk
            .until(sentence, PATIENCE, |desk| {
                let told = |event: &Event| format!("{event:?}").contains(sentence);
                desk.history.iter().any(told).then_some(())
            })
            .await
            .unwrap();
    }
    let read = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    bench.ask(Command::Shutdown).await.unwrap();
    let stops = read("stops");
    assert_eq!(stops.len(), 1, "{stops:?}");
    assert_eq!(stops[0]["reason"], "entry");
    assert!(stops[0]["thread_id"].is_i64(), "{stops:?}");
    let all = read("all");
    let kinds: Vec<_> = all
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert!(
        kinds.contains(&"stopped") && kinds.last() == Some(&"terminated"),
        "{kinds:?}"
    );
    assert!(!kinds.contains(&"phase"), "{kinds:?}");
    bench.home.mark.assert_none_left(PATIENCE);
}
