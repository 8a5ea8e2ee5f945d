//! `ctest`: `CMake` builds, ctest says how each test is run, and those commands are debugged.

use super::{Plan, RunnerQuery};
use crate::prelude::*;

/// What ctest ends with when a test fails.
const FAILED: i64 = 8;

#[derive(Deserialize)]
struct CtestList {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    /// Absent where it was not built.
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: Value,
}

impl Test {
    fn property(&self, name: &str) -> Option<&Value> {
        self.properties
            .iter()
            .find(|one| one.name == name)
            .map(|one| &one.value)
    }
}

pub async fn plan(ask: RunnerQuery<'_>) -> Result<Plan> {
    let ask = &ask;
    let mut words = ask.rest.iter();
    let folder = words
        .find(|word| *word == "--test-dir")
        .and_then(|_| words.next());
    let folder = folder.map_or_else(|| ask.cwd.clone(), |folder| ask.cwd.join(folder));
    if let Some(cmake) = ask.find("cmake") {
        let folder = folder.lossy();
        ask.build(vec![cmake.lossy(), "--build".to_owned(), folder], false)
            .await?;
    }
    let list = ask.argv(&["--show-only=json-v1"], &ask.rest)?;
    let listed: CtestList = ask.build(list, true).await?.listed("ctest")?;
    let specs = listed.tests.into_iter().filter_map(|test| {
        let (program, rest) = test.command.split_first()?;
        let base = ask.test();
        let mut env = base.env.clone();
        let set = test.property("ENVIRONMENT").and_then(Value::as_array);
        let set = set
            .into_iter()
            .flatten()
            .filter_map(|pair| pair.as_str()?.split_once('='));
        env.extend(set.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))));
        let cwd = test.property("WORKING_DIRECTORY").and_then(Value::as_str);
        Some(LaunchSpec {
            program: program.into(),
            args: rest.to_vec(),
            cwd: Some(cwd.map_or_else(|| folder.clone(), PathBuf::from)),
            env,
            ..base
        })
    });
    let plan = Plan::all(specs);
    if plan.starts.is_empty() {
        return Err(DebuggerError::usage("No test fits, or none is built.")
            .hint("ctest -N lists all of them"));
    }
    Ok(Plan {
        goes_on: true,
        fails_with: Some(FAILED),
        ..plan
    })
}
