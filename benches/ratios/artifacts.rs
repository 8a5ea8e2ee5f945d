//! Goals about the files that sessions leave: G16. Measuring them beside `du -s`, clearing them beside `rm -rf`, each as a process
//! of its own on a tree that was just made.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use color_eyre::eyre::{Result, WrapErr as _, ensure};

use super::job;
use super::options::{Goal, Options};
use super::programs;
use super::support::tools;
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[Goal {
    name: "G16",
    measure: trees,
}];

/// Files in each artifact folder.
const FILES: usize = 250;

/// Makes a home of omp in which each of `folders` sessions has [`FILES`] files of 1 KB; gives the folder with the sessions.
fn make(home: &Path, folders: usize) -> Result<PathBuf> {
    let bucket = home.join(".omp/agent/sessions/-work");
    for folder in 0..folders {
        let dir = bucket.join(format!("s{folder}"));
        std::fs::create_dir_all(&dir)?;
        for file in 0..FILES {
            std::fs::write(dir.join(format!("{file}.bash.log")), [b'x'; 1024])?;
        }
        std::fs::write(bucket.join(format!("s{folder}.jsonl")), "{}\n")?;
    }
    Ok(bucket)
}

/// How long a command takes from its start to its end, in milliseconds.
fn time(command: &mut Command) -> Result<f64> {
    let began = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .wrap_err_with(|| format!("cannot start {command:?}"))?;
    let took = began.elapsed().as_secs_f64() * 1000.0;
    ensure!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(took)
}

fn ours(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(tools::omp_debug());
    job::isolate(&mut command, home);
    command
        .env("HOME", home)
        .args(["cache", "--older-than", "0", "--json"])
        .args(words);
    command
}

fn du(bucket: &Path) -> Command {
    let mut command = Command::new("du");
    command.arg("-s").arg(bucket);
    command
}

fn rm(bucket: &Path) -> Command {
    let mut command = Command::new("rm");
    command.arg("-rf").arg(bucket);
    command
}

fn trees(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let folders = if options.quick { 40 } else { 200 };
    let rows = (|| {
        let home = programs::folder()?.join("artifacts");
        let (mut scan, mut peer_scan) = (Vec::new(), Vec::new());
        let (mut clear, mut peer_clear) = (Vec::new(), Vec::new());
        for round in 0..options.rounds {
            // What is read first pays for what was just written; so each is first in every other round.
            for ours_first in [round % 2 == 0, round % 2 == 1] {
                let bucket = make(&home, folders)?;
                if ours_first {
                    scan.push(time(&mut ours(&home, &["--dry-run"]))?);
                    peer_scan.push(time(&mut du(&bucket))?);
                    clear.push(time(&mut ours(&home, &["--yes", "--no-trash"]))?);
                    let left = std::fs::read_dir(&bucket)?.count();
                    ensure!(
                        left == folders,
                        "{left} names are left of {folders} session files"
                    );
                    std::fs::remove_dir_all(&home)?;
                } else {
                    peer_scan.push(time(&mut du(&bucket))?);
                    scan.push(time(&mut ours(&home, &["--dry-run"]))?);
                    peer_clear.push(time(&mut rm(&bucket))?);
                    std::fs::remove_dir_all(&home)?;
                }
            }
        }
        let files = folders * FILES;
        Ok(vec![
            Row {
                goal: "G16",
                what: format!("artifacts: measure {files} files; du -s"),
                unit: "ms",
                ours: median(&scan),
                floor: Some(median(&peer_scan)),
                bound: Bound::Times(1.1),
            },
            Row {
                goal: "G16",
                what: format!("artifacts: clear {files} files; rm -rf"),
                unit: "ms",
                ours: median(&clear),
                floor: Some(median(&peer_clear)),
                bound: Bound::Times(0.7),
            },
        ])
    })();
    measured.add("G16", rows);
    measured
}
