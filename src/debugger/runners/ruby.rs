//! Ruby: rspec and scripts, each in the debugger's own process.

use super::{Plan, RunnerQuery, under};
use crate::prelude::*;

/// The table's entry for Ruby.
const ADAPTER: &str = "ruby";
/// Expectations raise, and rspec and minitest rescue.
const FAILURES: &str = "any";

/// `rspec …`, `ruby FILE …`.
pub fn ruby(ask: &RunnerQuery<'_>) -> Result<Plan> {
    let word = ask.program()?;
    if word.file_name().is_some_and(|name| name == "rspec") {
        let base = LaunchSpec {
            program: word,
            args: ask.rest.clone(),
            ..ask.test()
        };
        return Ok(Plan {
            exceptions: vec![FAILURES],
            ..Plan::of(under(ADAPTER, base))
        });
    }
    // What `ruby` is told before the file it is told by a variable instead.
    let at = ask
        .rest
        .iter()
        .take_while(|word| word.starts_with('-'))
        .count();
    let (flags, rest) = ask.rest.split_at(at);
    let Some((file, args)) = rest.split_first() else {
        return Ok(ask.launch(word, ask.rest.clone()));
    };
    let program = ask.cwd.join(file);
    let is_test = is_test(&program);
    let mut base = LaunchSpec {
        program,
        args: args.to_vec(),
        ..if is_test {
            ask.test()
        } else {
            ask.base.clone()
        }
    };
    if !flags.is_empty() {
        base.env.push(("RUBYOPT".to_owned(), Some(flags.join(" "))));
    }
    Ok(Plan {
        exceptions: Vec::from_iter(is_test.then_some(FAILURES)),
        ..Plan::of(under(ADAPTER, base))
    })
}

/// Whether it is one of minitest's or test-unit's, by the names that both are found by: `test_a.rb`, `a_test.rb`.
fn is_test(script: &Path) -> bool {
    let name = script.file_stem().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("test_") || name.ends_with("_test"))
}

/// `bundle exec COMMAND…`: the command, with the bundle's gems before all others.
pub async fn bundle(mut ask: RunnerQuery<'_>) -> Result<Plan> {
    let words = ["exec", "ruby", "-e", "puts $LOAD_PATH.join(':')"];
    let done = ask.build(ask.argv(&words, &[])?, true).await?;
    let folders = done.stdout.lines().last().unwrap_or_default().to_owned();
    ask.base.env.push(("RUBYLIB".to_owned(), Some(folders)));
    ask.command = ask.rest.clone();
    super::plan(ask).await
}
