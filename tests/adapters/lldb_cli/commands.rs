//! One lldb, one command after the other: whose output is whose, limits, ends.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use omp_debug::debugger::lldb_cli::process::{COMMAND, Lldb, LldbError, Note, START_UP};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout};

use crate::support::procs::{Mark, Watchdog};
use crate::support::tools;

const PROMPT: &str = "(under-test) ";
const SOON: Duration = Duration::from_secs(10);

/// A real lldb with both output streams in one pipe.
struct Real {
    child: Child,
    lldb: Lldb,
    notes: UnboundedReceiver<Note>,
    folder: tempfile::TempDir,
    _dog: Watchdog,
}

impl Real {
    async fn start() -> Option<Self> {
        Self::start_with("exec \"$@\" 2>&1").await
    }

    /// `script` starts lldb, whose command line is `"$@"`.
    async fn start_with(script: &str) -> Option<Self> {
        let program = tools::required("lldb", tools::lldb())?;
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(program)
            .args(["--no-lldbinit", "-o"])
            .arg(format!("settings set prompt \"{PROMPT}\""))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let (lldb, notes) = Lldb::start(output, input, PROMPT, START_UP).await.unwrap();
        Some(Self {
            child,
            lldb,
            notes,
            folder,
            _dog: Watchdog::new("lldb commands", Duration::from_mins(2)),
        })
    }

    /// A pipe that a command can wait at until the test writes to it.
    fn gate(&self) -> Gate {
        let path = self.folder.path().join("gate");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        Gate(path)
    }
}

struct Gate(PathBuf);

impl Gate {
    /// Waits at the gate, then prints.
    fn command(&self, print: &str) -> String {
        format!(
            "script open(\"{}\").read(); print(\"{print}\")",
            self.0.display()
        )
    }

    async fn open(&self) {
        tokio::fs::write(&self.0, "go").await.unwrap();
    }
}

/// S1-20 to S1-24, S1-37: what is set by one command is there for the next.
#[tokio::test]
async fn one_process_keeps_its_target_and_its_breakpoints() {
    let Some(real) = Real::start().await else {
        return;
    };
    let lldb = &real.lldb;
    let target = format!("target create {:?}", tools::c_program());
    let created = lldb.command(&target).await.unwrap();
    assert!(
        created.starts_with("Current executable set to"),
        "{created}"
    );
    lldb.command("breakpoint set --name price_of")
        .await
        .unwrap();
    assert_eq!(
        lldb.command("breakpoint modify -c \"price == 25\" 1")
            .await
            .unwrap(),
        ""
    );
    let list = lldb.command("breakpoint list").await.unwrap();
    assert!(
        list.contains("name = 'price_of'") && list.contains("Condition: price == 25"),
        "{list}"
    );
    // Nothing of ours is in what a command printed.
    assert!(
        !list.contains("under-test") && !list.contains("script print") && !list.contains("\n\n"),
        "{list}"
    );
}

/// S1-27: many at once, each with its own output.
#[tokio::test]
async fn queued_commands_never_interleave() {
    let Some(real) = Real::start().await else {
        return;
    };
    let asked = (0..12).map(|number| {
        let lldb = real.lldb.clone();
        async move {
            lldb.command(&format!("script print('answer {number}')"))
                .await
        }
    });
    let answers = futures_util::future::join_all(asked).await;
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap(), format!("answer {number}"));
    }
}

/// X-58, S1-30, S1-31: measured with a fixed marker, B was completed with A's text.
#[tokio::test]
async fn a_command_that_was_given_up_never_completes_the_next() {
    let Some(real) = Real::start().await else {
        return;
    };
    let gate = real.gate();
    let late = gate.command("late");
    let given_up = real
        .lldb
        .command_within(&late, Duration::from_millis(300))
        .await;
    assert!(
        matches!(&given_up, Err(LldbError::TimedOut { limit, .. }) if limit.as_millis() == 300),
        "{given_up:?}"
    );
    // While its marker is out, nothing else is sent.
    let blocked = real
        .lldb
        .command_within("script print('x')", Duration::from_millis(100))
        .await;
    match blocked {
        Err(LldbError::Busy { command, with }) => {
            assert_eq!(command, "script print('x')");
            assert!(late.starts_with(with.trim_end_matches('…')), "{with}");
        }
        other => panic!("{other:?}"),
    }
    let (next, ()) = tokio::join!(real.lldb.command("script print('own')"), gate.open());
    assert_eq!(next.unwrap(), "own");
    assert_eq!(
        real.lldb.command("script print('again')").await.unwrap(),
        "again"
    );
}

/// A caller who goes away leaves a command behind that was given up.
#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_output_behind() {
    let Some(real) = Real::start().await else {
        return;
    };
    let gate = real.gate();
    let asked = gate.command("nobody's");
    assert!(
        timeout(Duration::from_millis(200), real.lldb.command(&asked))
            .await
            .is_err()
    );
    let (next, ()) = tokio::join!(real.lldb.command("script print('own')"), gate.open());
    assert_eq!(next.unwrap(), "own");
}

/// somebody who writes to the same pipe, whatever looks like a marker, completes nothing.
#[tokio::test]
async fn a_marker_cannot_be_forged() {
    let Some(real) = Real::start().await else {
        return;
    };
    // Markers of the right form and a fixed one, from another process while a command is under way.
    let forger = "for n in range(3000): print('\\n%032x\\n__LLDB_DONE__\\nProcess 1 stopped' % (n * 7919))\n";
    std::fs::write(real.folder.path().join("forger.py"), forger).unwrap();
    for number in 0..3 {
        let line =
            format!("script import os; os.system('python3 forger.py'); print('own {number}')");
        let printed = real.lldb.command(&line).await.unwrap();
        assert_eq!(
            printed.lines().last(),
            Some(format!("own {number}").as_str())
        );
        assert!(
            printed
                .lines()
                .filter(|line| *line == "__LLDB_DONE__")
                .count()
                == 3000
        );
    }
}

/// S1-32 as decided, X-61.
#[tokio::test]
async fn only_lldbs_own_errors_fail() {
    let Some(real) = Real::start().await else {
        return;
    };
    let refused = real.lldb.command("frobnicate").await;
    assert_eq!(
        refused,
        Err(LldbError::Refused(
            "'frobnicate' is not a valid command.".to_owned()
        ))
    );
    for text in ["a log line with error: inside", "ERROR: loud", "x error: 1"] {
        assert_eq!(
            real.lldb
                .command(&format!("script print({text:?})"))
                .await
                .unwrap(),
            text
        );
    }
}

/// S1-33.
#[tokio::test]
async fn the_end_of_lldb_fails_the_command_under_way_at_once() {
    let Some(mut real) = Real::start().await else {
        return;
    };
    let begun = Instant::now();
    let ended = real
        .lldb
        .command("script import os; print('last words', flush=True); os._exit(3)")
        .await;
    assert!(matches!(&ended, Err(LldbError::Ended(_))), "{ended:?}");
    assert!(begun.elapsed() < COMMAND / 3, "{:?}", begun.elapsed());
    let after = real.lldb.command("version").await;
    assert!(matches!(after, Err(LldbError::Ended(_))), "{after:?}");
    while let Some(note) = real.notes.recv().await {
        if let Note::Ended(said) = note {
            assert!(said.contains("last words"), "{said}");
            return;
        }
    }
    panic!("its end was not told");
}

/// S1-34, S1-35.
#[tokio::test]
async fn after_it_was_let_go_commands_are_refused_and_the_process_ends() {
    let Some(mut real) = Real::start().await else {
        return;
    };
    let gate = real.gate();
    let never = gate.command("never");
    let waits = real.lldb.command_within(&never, Duration::from_millis(100));
    assert!(matches!(waits.await, Err(LldbError::TimedOut { .. })));
    let (queued, ()) = tokio::join!(real.lldb.command("version"), async { real.lldb.dispose() });
    assert_eq!(queued, Err(LldbError::Disposed));
    assert_eq!(real.lldb.command("version").await, Err(LldbError::Disposed));
    gate.open().await;
    let status = timeout(SOON, real.child.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
}

/// S1-29, S1-17, S1-36: nothing is started here; whoever stands behind the streams must answer in time.
#[tokio::test]
async fn an_lldb_that_does_not_answer_is_given_up_after_its_limit() {
    assert_eq!((START_UP.as_secs(), COMMAND.as_secs()), (10, 30));
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let silent = Lldb::start(read, write, PROMPT, Duration::from_millis(50)).await;
    assert!(
        matches!(&silent, Err(LldbError::TimedOut { limit, .. }) if limit.as_millis() == 50),
        "{silent:?}"
    );
    drop(theirs);

    // An echo is no answer.
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let (mut from_us, mut to_us) = tokio::io::split(theirs);
    let echo =
        omp_debug::tasks::spawn(async move { tokio::io::copy(&mut from_us, &mut to_us).await });
    let echoed = Lldb::start(read, write, PROMPT, Duration::from_millis(50)).await;
    assert!(
        matches!(echoed, Err(LldbError::TimedOut { .. })),
        "{echoed:?}"
    );
    echo.abort();
}

/// An injected lldb whose answers come byte by byte, with rubbish between.
#[tokio::test]
async fn single_bytes_and_rubbish_are_taken() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(ours);
    let (from_us, mut to_us) = tokio::io::split(theirs);
    omp_debug::tasks::spawn(async move {
        use tokio::io::AsyncBufReadExt as _;
        let mut lines = tokio::io::BufReader::new(from_us).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let text = match line
                .split_once("\\n")
                .and_then(|(_, rest)| rest.strip_suffix("\")"))
            {
                Some(marker) => format!("\n{marker}\n"),
                None => format!("\u{fffd}{PROMPT}x\n\0\x1b[31m said {line} \n"),
            };
            for byte in text.bytes() {
                to_us.write_all(&[byte]).await.unwrap();
            }
        }
    });
    let (lldb, _notes) = Lldb::start(read, write, PROMPT, SOON).await.unwrap();
    let said = lldb.command("hello").await.unwrap();
    assert!(said.contains("said hello"), "{said:?}");
}

/// What is started is found as the supervisor's own, and nothing is left.
#[tokio::test]
async fn nothing_is_left_behind() {
    let mark = Mark::new();
    let (name, value) = mark.env();
    let script = format!("{name}={value} exec \"$@\" 2>&1");
    let Some(real) = Real::start_with(&script).await else {
        return;
    };
    assert!(!mark.processes().is_empty());
    assert!(Path::new(real.folder.path()).exists());
    real.lldb.dispose();
    let mut child = real.child;
    timeout(SOON, child.wait()).await.unwrap().unwrap();
    omp_debug::tasks::blocking(move || mark.assert_none_left(SOON))
        .await
        .unwrap();
}
