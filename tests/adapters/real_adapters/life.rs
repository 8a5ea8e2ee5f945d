//! Scenarios of a session's life: how a program is started, with what, how it ends or is let go of.

use omp_debug::debugger::{Command, ErrorKind, LaunchSpec, Reply};

use super::bench::{Bench, PATIENCE, counts, lives_freed};
use crate::support::core::Outcome;

pub async fn exit_codes(bench: &mut Bench) -> Outcome<()> {
    let session = bench.launch(&["exit", "7"]).await?;
    bench.gone(session).await?;
    // With some adapters the program is not in the session that was launched.
    let mut sessions = bench.desk.state.sessions.iter();
    if sessions.any(|known| known.exit_code == Some(7)) {
        return Ok(());
    }
    let why = bench.desk.session(session).ended.clone();
    Err(bench.blame(format!("no exit code is 7, the session ended: {why:?}")))
}

pub async fn stop_on_entry(bench: &mut Bench) -> Outcome<()> {
    let spec = LaunchSpec {
        stop_on_entry: Some(true),
        ..bench.spec(&["stock"])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    let stop = bench.stop(None).await?;
    let frames = bench.frames(&stop);
    let source = frames.first().and_then(|frame| frame.source.as_ref());
    let path = source.and_then(|source| source.path.as_deref());
    let name = bench.rig.source.file_name().unwrap().to_str().unwrap();
    if !path.is_some_and(|path| path.ends_with(name)) {
        return Err(bench.blame(format!("its entry is in {path:?}")));
    }
    if !bench.output().trim().is_empty() && bench.output().contains("total") {
        return Err(bench.blame("it has run already"));
    }
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("total 165").await
}

#[expect(
    clippy::needless_pass_by_ref_mut,
    reason = "all scenarios have one form"
)]
pub async fn what_cannot_be_debugged(bench: &mut Bench) -> Outcome<()> {
    let missing = bench.home.path().join("missing");
    let folder = bench.home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let text = bench.home.file("text", "no program\n");
    for (what, path) in [("missing", missing), ("a folder", folder), ("a text", text)] {
        // A script need not be executable, and delve takes a folder for a package.
        let taken = match what {
            "a text" => bench.rig.interpreter.is_some(),
            "a folder" => bench.rig.adapter == "dlv",
            _ => false,
        };
        if taken {
            continue;
        }
        let spec = LaunchSpec {
            program: path.clone(),
            ..bench.spec(&[])
        };
        let answer = bench.ask(what, Command::Launch(Box::new(spec))).await?;
        let names_it = |said: &str| {
            let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap());
            said.contains(folder.to_str().unwrap()) && said.contains(name.to_str().unwrap())
        };
        match answer {
            Err(error) if error.kind == ErrorKind::Program && names_it(&error.what) => {}
            other => return Err(bench.blame(format!("{what}: {other:?}"))),
        }
    }
    Ok(())
}

pub async fn environment(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.home.path().join("how it counts");
    let spec = LaunchSpec {
        env: vec![
            ("SHELF".to_owned(), Some("a b=c".to_owned())),
            ("HOME".to_owned(), None),
        ],
        cwd: Some(bench.home.path().join("work")),
        ..bench.spec(&["count", counter.to_str().unwrap()])
    };
    let session = bench.desk.launch(PATIENCE, spec).await?;
    counts(&counter).await?;
    let wanted = format!("count {}", counter.display());
    let marked = bench.home.mark.processes();
    let mut counting: Vec<_> = marked.iter().collect();
    counting.retain(|process| process.command.ends_with(&wanted));
    counting.sort_unstable_by_key(|process| std::cmp::Reverse(process.pid));
    // The newest: adapters have such a command line, too. What a shell forks for a moment may be over by now.
    let newest = counting.iter().find_map(|process| {
        let of = format!("/proc/{}", process.pid);
        let environment = std::fs::read(format!("{of}/environ")).ok()?;
        let cwd = std::fs::read_link(format!("{of}/cwd")).ok()?;
        Some((environment, cwd)).filter(|(environment, _)| !environment.is_empty())
    });
    let (environment, cwd) =
        newest.ok_or_else(|| bench.blame(format!("no process counts: {marked:#?}")))?;
    let has = |wanted: &str| {
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == wanted.as_bytes())
    };
    if !has("SHELF=a b=c") {
        let environment = String::from_utf8_lossy(&environment);
        return Err(bench.blame(format!("the environment is {environment}")));
    }
    if cwd != bench.home.path().join("work") {
        return Err(bench.blame(format!("it works in {}", cwd.display())));
    }
    bench.terminate(session).await
}

/// The program and its source lie where names are not plain.
pub async fn unicode_paths(bench: &mut Bench) -> Outcome<()> {
    let folder = bench.home.path().join("Söhne & Töchter");
    std::fs::create_dir(&folder).unwrap();
    let (source, rebuild) = (bench.rig.source.clone(), bench.rig.rebuild);
    bench.rig.program = rebuild(&source, &folder);
    bench.rig.source = folder.join(source.file_name().unwrap());
    let (session, stop) = bench.launch_to("stock", "price-return").await?;
    bench.stopped_for(&stop, "breakpoint")?;
    let price = bench.rig.words.price;
    bench.must_be(price, "20").await?;
    bench.terminate(session).await
}

pub async fn restart(bench: &mut Bench) -> Outcome<()> {
    let (first, stop) = bench.launch_to("stock", "call").await?;
    let restart = Command::Restart {
        session: Some(first),
    };
    let Reply::Session { session } = bench.must("restart", restart).await? else {
        return Err("restart gave no session".to_owned());
    };
    bench.gone(first).await?;
    let stop = bench.stop(Some(&stop)).await?;
    bench.stands_at(&stop, "call")?;
    bench.resume(None).await?;
    bench.gone(session).await?;
    bench.printed("total 165").await
}

pub async fn terminate_ends_it(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await?;
    counts(&counter).await?;
    let pid = bench.pid()?;
    bench.terminate(session).await?;
    if crate::support::procs::is_alive(pid) {
        return Err(bench.blame(format!("{pid} lives")));
    }
    bench.no_exit_code(true)
}

pub async fn detach_leaves_it_running(bench: &mut Bench) -> Outcome<()> {
    let counter = bench.counter();
    let session = bench.launch(&["count", counter.to_str().unwrap()]).await?;
    counts(&counter).await?;
    let pid = bench.pid()?;
    let detach = Command::Detach {
        session: Some(session),
    };
    bench.must("detach", detach).await?;
    bench.gone(session).await?;
    bench.no_exit_code(false)?;
    lives_freed(pid, &counter).await?;
    bench.home.mark.kill_all();
    Ok(())
}
