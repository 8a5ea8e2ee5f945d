//! A tool on a core of the test's own, and what must hold of every result.

use std::path::Path;
use std::time::Duration;

use omp_debug::debugger::permission::Caller;
use omp_debug::debugger::tool::{Tool, ToolError, ToolResult};
use omp_debug::debugger::{Command, Core, CoreHandle, ErrorKind, Phase};
use serde_json::{Value, json};

use crate::support::core::Home;
use crate::support::line_of;

const PATIENCE: Duration = Duration::from_secs(20);
/// How long a test may take.
pub const LIMIT: Duration = Duration::from_mins(3);

/// A tool on a core of the test's own.
pub struct Bench {
    pub home: Home,
    pub core: CoreHandle,
    pub tool: Tool,
}

impl Bench {
    pub async fn open() -> Self {
        let home = Home::new();
        let core = Core::start(home.config(PATIENCE));
        let tool = Tool::open(core.clone()).await.unwrap();
        Self { home, core, tool }
    }

    /// Does what must be done.
    pub async fn call(&self, action: &str, arguments: Value) -> ToolResult {
        let result = self
            .tool
            .call(
                &Caller::default(),
                action,
                arguments.as_object().unwrap(),
                None,
            )
            .await;
        let result = result.unwrap_or_else(|error| panic!("{action} {arguments}: {error:?}"));
        assert_eq!(result.details["action"], action);
        assert_eq!(result.details["success"], true);
        eprintln!("--- {action} {arguments}\n{}", result.text);
        result
    }

    /// Does what must be refused.
    pub async fn refused(&self, action: &str, arguments: Value) -> ToolError {
        match self
            .tool
            .call(
                &Caller::default(),
                action,
                arguments.as_object().unwrap(),
                None,
            )
            .await
        {
            Ok(result) => panic!("{action} {arguments} was done: {}", result.text),
            Err(error) => error,
        }
    }

    /// What the adapter cannot do is said in its sentence.
    pub async fn lacks(&self, action: &str, arguments: Value, noun: &str) {
        let error = self.refused(action, arguments).await;
        assert_eq!(error.kind, ErrorKind::Capability, "{action}: {error:?}");
        assert_eq!(
            error.error,
            format!("Active adapter does not support {noun}."),
            "{action}"
        );
    }

    /// Waits until the session spoken of is in such a phase.
    pub async fn until(&self, is_it: impl Fn(&Phase) -> bool) {
        let (mut state, mut events) = self.core.subscribe().await.unwrap();
        while !state.focused().is_some_and(|s| is_it(&s.phase)) {
            for event in events.next().await.unwrap() {
                state.apply(&event);
            }
        }
    }

    /// The reference of the locals.
    pub async fn locals(&self) -> i64 {
        let scopes = self.call("scopes", json!({})).await;
        let first = &scopes.details["scopes"][0];
        assert!(scopes.text.starts_with("Scopes:\n- "), "{}", scopes.text);
        first["variablesReference"].as_i64().unwrap()
    }

    pub async fn value(&self, expression: &str) -> String {
        let result = self
            .call(
                "evaluate",
                json!({"expression": expression, "context": "watch"}),
            )
            .await;
        result.details["evaluation"]["result"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Ends what still lives; nothing may be left.
    pub async fn close(self) {
        let Self { home, core, tool } = self;
        drop(tool);
        core.request(Command::Shutdown).await.unwrap();
        omp_debug::tasks::blocking(move || home.mark.assert_none_left(PATIENCE))
            .await
            .unwrap();
    }
}

pub fn at(source: &Path, mark: &str) -> (Value, i64) {
    let line = i64::from(line_of(source, mark));
    (json!({"file": source, "line": line}), line)
}

/// It stands at the line with this mark, and everything says so.
pub fn stands_at(result: &ToolResult, source: &Path, mark: &str) {
    let line = i64::from(line_of(source, mark));
    let snapshot = result.snapshot.as_ref().unwrap();
    assert_eq!(result.details["state"], "stopped", "{}", result.text);
    assert_eq!(result.details["timedOut"], false);
    assert_eq!(snapshot["status"], "stopped");
    assert_eq!(snapshot["line"], line, "{snapshot}");
    let place = format!("{}:{line}", source.display());
    assert!(
        result.text.contains("\nStatus: stopped\n"),
        "{}",
        result.text
    );
    assert!(
        result.text.contains(&format!("\nLocation: {place}")),
        "{}",
        result.text
    );
    assert!(
        result.text.contains(&format!("\nStopped at {place}")),
        "{}",
        result.text
    );
    assert_eq!(result.details["snapshot"], *snapshot);
}
