//! Scenarios of what a program reads and writes.

use omp_debug::debugger::{Command, Console, LaunchSpec, Phase};

use super::bench::{Bench, PATIENCE};
use crate::support::core::Outcome;

const LINES: usize = 3_000;

/// Every line is there once, whole and in order, however the adapter cut them.
pub async fn long_output(bench: &mut Bench) -> Outcome<()> {
    let session = bench.launch(&["print", &LINES.to_string()]).await?;
    bench.gone(session).await?;
    bench.printed(&format!("line {}", LINES - 1)).await?;
    let output = bench.output();
    // A terminal of the adapter's own ends lines in its way.
    let lines = output.lines().map(|line| line.trim_end_matches('\r'));
    let lines = lines.filter(|line| line.starts_with("line "));
    let (mut count, mut wrong) = (0, None::<String>);
    for line in lines {
        if line != format!("line {count}") {
            wrong.get_or_insert_with(|| format!("{line:?} is where line {count} should be"));
        }
        count += 1;
    }
    match wrong {
        None if count == LINES => Ok(()),
        wrong => Err(bench.blame(format!("{count} lines of {LINES}; {wrong:?}"))),
    }
}

pub async fn input_from_a_file(bench: &mut Bench) -> Outcome<()> {
    let input = bench.home.file("input", "one\ntwo\n");
    let spec = LaunchSpec {
        stdin: Some(input),
        ..bench.spec(&["read"])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    bench.gone(session).await?;
    bench.printed("read one").await?;
    bench.printed("read two").await
}

pub async fn console_on_a_pipe(bench: &mut Bench) -> Outcome<()> {
    console(bench, Console::Pipe).await
}

pub async fn console_on_a_terminal(bench: &mut Bench) -> Outcome<()> {
    console(bench, Console::Pty).await
}

async fn console(bench: &mut Bench, console: Console) -> Outcome<()> {
    let spec = LaunchSpec {
        console,
        ..bench.spec(&["read"])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    let write = Command::WriteStdin {
        session: Some(session),
        text: "first line\n".to_owned(),
    };
    bench.must("write", write).await?;
    bench.printed("read first line").await?;
    let running = bench.desk.session(session).phase;
    if running != Phase::Running {
        return Err(bench.blame(format!("the program is {}", running.word())));
    }
    bench.terminate(session).await
}
