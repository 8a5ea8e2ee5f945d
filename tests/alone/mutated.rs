//! Files as they come from elsewhere, changed by chance: whatever reads them says what is wrong or what it found, and neither panics, hangs nor
//! takes more memory than such a file could hold.
//!
//! `OMP_DEBUG_MUTATIONS=100000 cargo test --release --test alone mutated::` looks for longer than every change does. A failure names the number of
//! its change, and `OMP_DEBUG_MUTATION=NUMBER` makes that one alone.

// Alone: it watches the memory and the panics of its own process.

mod luck;
mod screen;
mod seeds;

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use luck::Luck;
use omp_debug::config::Config;
use omp_debug::debugger::adapters::{Context, Table};
use omp_debug::debugger::configurations::{self, ConfigurationQuery};
use omp_debug::debugger::project::Project;
use omp_debug::debugger::recording::Recording;
use omp_debug::debugger::{
    BreakpointSpec, Command, CoreConfig, Granularity, Phase, Reply, StepKind,
};
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::logs::{self, Filter, Log, LogPath};
use omp_debug::diagnostics::memory::heap;
use omp_debug::diagnostics::profile::{export, import};
use omp_debug::diagnostics::report::Bundle;
use omp_debug::diagnostics::{sse, transcript};
use omp_debug::text::redact::Redactor;
use support::core::{Desk, Home};
use support::procs::Watchdog;
use tempfile::TempDir;

/// How long one file may take; also on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);
/// Files are some kilobytes long: what needs more than this of memory was led astray.
const MEMORY: u64 = 1 << 30;
/// How long a stop of a changed conversation is waited for: there may be none in it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The numbers of the changes that are made: `usual` of them unless somebody says otherwise.
fn changes(usual: u64) -> std::ops::Range<u64> {
    let said = |name| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a number"))
    };
    match said("OMP_DEBUG_MUTATION") {
        Some(one) => one..one + 1,
        None => 0..said("OMP_DEBUG_MUTATIONS").unwrap_or(usual),
    }
}

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number.unwrap().parse::<u64>().unwrap() * 1024
}

/// Lets a reader read changed files: which seed and which change is in their number.
fn read_changed(what: &str, usual: u64, seeds: &[Vec<u8>], read: impl FnMut(&Path)) {
    let _beside = support::beside();
    read_lane(what, (0, 1), usual, seeds, Luck::change, read);
}

/// As [`read_changed`] with another way to change a file, for one of several who share the numbers, and are not alone.
fn read_lane(
    what: &str,
    (lane, lanes): (usize, usize),
    usual: u64,
    seeds: &[Vec<u8>],
    change: impl Fn(&mut Luck, &mut Vec<u8>),
    mut read: impl FnMut(&Path),
) {
    assert!(!seeds.is_empty(), "{what}");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(what);
    // Unchanged files first: a seed that is refused would show nothing.
    for seed in seeds.iter().skip(lane).step_by(lanes) {
        fs::write(&file, seed).unwrap();
        read(&file);
    }
    for number in changes(usual).skip(lane).step_by(lanes) {
        let mut luck = Luck::new(number);
        let mut bytes = seeds[luck.below(seeds.len())].clone();
        change(&mut luck, &mut bytes);
        fs::write(&file, &bytes).unwrap();
        let _dog = Watchdog::new(&format!("{what}, change {number}"), LIMIT);
        let done = catch_unwind(AssertUnwindSafe(|| read(&file)));
        if done.is_err() || peak() > MEMORY {
            let kept = folder.keep().join(what);
            panic!(
                "{what}, change {number}: {} MB, panicked: {}; the file is {}",
                peak() >> 20,
                done.is_err(),
                kept.display()
            );
        }
    }
}

/// Nothing that reaches people may hold what a terminal obeys.
fn assert_plain(text: &str) {
    let obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(obeyed), "{text:?}");
}

fn context(folder: &Path) -> Context {
    let folder_of = |name: &str| folder.join(name).display().to_string();
    let env = BTreeMap::from([
        ("HOME".to_owned(), folder_of("home")),
        ("XDG_CONFIG_HOME".to_owned(), folder_of("config")),
        ("XDG_STATE_HOME".to_owned(), folder_of("state")),
        ("XDG_DATA_HOME".to_owned(), folder_of("data")),
        ("PATH".to_owned(), "/nowhere".to_owned()),
    ]);
    Context::new(folder.to_path_buf(), env)
}

#[test]
fn profiles_of_other_tools() {
    let cancel = Cancel::default();
    read_changed("profile", 1500, &seeds::profiles(), |file| {
        let read = import::read(file, &cancel, &|_, _| {});
        let Ok(profile) = read else { return };
        for form in export::Format::ALL {
            let mut out = Vec::new();
            let _ = export::write(&profile, form, &mut out, &cancel);
        }
    });
}

#[test]
fn heap_files() {
    read_changed("heap", 1500, &seeds::heaps(), |file| {
        let opened = heap::open(file, &Cancel::default(), &|_, _| {});
        match opened {
            Ok(heap) => assert_plain(&heap::text::write(&heap)),
            Err(error) => drop(error.to_string()),
        }
    });
}

#[test]
fn recordings_as_they_are_told() {
    read_changed("recording", 600, &seeds::recordings(), |file| {
        let Ok(recording) = Recording::read(file, Path::new("/folder")) else {
            return;
        };
        for session in 0..recording.sessions().len() {
            drop(recording.ending(session));
        }
        drop(recording.told());
    });
}

#[test]
fn logs_of_any_kind() {
    read_changed("log", 800, &seeds::logs(), |file| {
        let cancel = Cancel::default();
        let mut log = Log::new([LogPath::from(file)]);
        let filter = Filter::default().grep("e").unwrap();
        let _ = logs::count(&mut log, &filter, &cancel);
        let _ = logs::summary(&mut log, logs::Effort::All, &cancel);
        let (mut forth, mut back) = (log.start(), log.end());
        for _ in 0..20 {
            let Ok(page) = log.after(&forth, 7, &Filter::default(), 1 << 16, &cancel) else {
                break;
            };
            for entry in &page.entries {
                let _ = (entry.said(), entry.fields());
            }
            let page_back = log.before(&back, 7, &filter, 1 << 16, &cancel);
            let Ok(before) = page_back else { break };
            (forth, back) = (page.after, before.before);
        }
    });
}

#[test]
fn event_streams() {
    let mut luck = Luck::new(7);
    read_changed("stream", 1500, &seeds::streams(), |file| {
        let bytes = fs::read(file).unwrap();
        let mut source = sse::Source::default();
        let mut recorder = sse::Recorder::new(Some(Redactor::new()), true);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((1 + luck.below(90)).min(rest.len()));
            source.push(piece, Some(1), &mut |item| {
                recorder.item(item, Some(1));
            });
            rest = after;
        }
        source.finish(Some(2), &mut |item| {
            recorder.item(item, Some(2));
        });
        recorder.finish();
    });
}

#[test]
fn sessions_of_omp() {
    read_changed("session.jsonl", 800, &seeds::sessions(), |file| {
        let options = transcript::Options {
            thinking: true,
            all_branches: true,
            redactor: Some(Redactor::new()),
            blobs: file.with_extension("blobs"),
            format: transcript::Format::Markdown,
        };
        let mut out = Vec::new();
        let cancel = Cancel::default();
        let _ = transcript::write(file, &options, &mut out, &cancel, &mut |_, _| {});
        if let Ok(text) = String::from_utf8(out) {
            assert_plain(&text);
        }
    });
}

#[test]
fn report_bundles() {
    read_changed("report.tar.gz", 600, &seeds::bundles(), |file| {
        let cancel = Cancel::default();
        let Ok(bundle) = Bundle::open(file, &cancel) else {
            return;
        };
        for (number, _) in bundle.entries.iter().enumerate().take(20) {
            if let Ok(content) = Bundle::read(file, number, 1 << 16, &cancel) {
                drop(content.text());
            }
        }
        let _ = bundle.is_whole();
    });
}

#[test]
fn configurations_of_projects() {
    let (launch, tasks) = (seeds::LAUNCH, seeds::TASKS);
    let folder = TempDir::new().unwrap();
    let context = context(folder.path());
    let vscode = folder.path().join(".vscode");
    fs::create_dir_all(&vscode).unwrap();
    let seeds = [launch.into(), tasks.into()];
    read_changed("launch.json", 1200, &seeds, |file| {
        let bytes = fs::read(file).unwrap();
        // One of the two is changed, the other one is as it should be.
        let is_tasks = bytes.windows(8).any(|part| part == b"\"tasks\":");
        let (changed, whole, text) = if is_tasks {
            ("tasks.json", "launch.json", launch)
        } else {
            ("launch.json", "tasks.json", tasks)
        };
        fs::write(vscode.join(changed), &bytes).unwrap();
        fs::write(vscode.join(whole), text).unwrap();
        let names = match configurations::list(&context) {
            Ok(listed) => listed,
            Err(error) => return drop(error.to_string()),
        };
        for listed in names.iter().take(20) {
            let asked = ConfigurationQuery {
                name: Some(listed.name.clone()),
                ..ConfigurationQuery::default()
            };
            // What is not trusted would be refused before it is built.
            match configurations::prepare_unasked(&context, &asked, true) {
                Ok(ready) => drop(ready),
                Err(error) => drop(error.to_string()),
            }
        }
    });
}

#[test]
fn settings_and_tables_of_a_person() {
    let folder = TempDir::new().unwrap();
    let context = context(folder.path());
    let ours = folder.path().join("config/omp-debug");
    fs::create_dir_all(&ours).unwrap();
    let mut seeds = vec![seeds::DAP.into(), Config::sample().into_bytes()];
    seeds.push(seeds::KEYS.into());
    read_changed("dap.json", 1200, &seeds, |file| {
        let bytes = fs::read(file).unwrap();
        fs::write(ours.join("dap.json"), &bytes).unwrap();
        let (table, warnings) = Table::load(&context);
        assert!(table.iter().count() > 0);
        for warning in warnings {
            drop(warning.to_string());
        }
        let text = String::from_utf8_lossy(&bytes);
        drop(Config::parse(&text, file));
    });
}

/// What panics elsewhere than on the thread of a test: the thread's name, and the words.
static PANICS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

fn watch_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default().to_owned();
        PANICS.lock().unwrap().push((name, about.to_string()));
        usual(about);
    }));
}

fn runtime(name: &str) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).thread_name(name).enable_all();
    builder.build().unwrap()
}

/// What is kept with a project comes from a core that keeps it.
#[test]
fn what_was_kept_of_a_project() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("project");
    fs::create_dir_all(&project).unwrap();
    let context = context(folder.path());
    let state = context.state_dir.clone();
    let runtime = runtime("project");
    let seed = runtime.block_on(async {
        let config = CoreConfig {
            project: Some(project.clone()),
            ..CoreConfig::new(context)
        };
        let mut desk = Desk::open(config).await;
        let spec = BreakpointSpec {
            condition: Some("a > 1".to_owned()),
            ..BreakpointSpec::line(project.join("a.py"), 7)
        };
        for command in [
            Command::SetBreakpoint(spec),
            Command::AddWatch {
                expression: "a + 1".to_owned(),
            },
            Command::SetExceptionFilters {
                filters: Some(vec![]),
            },
            Command::Remember {
                key: "evaluate".to_owned(),
                values: vec!["a".to_owned(), "b".to_owned()],
            },
            Command::Shutdown,
        ] {
            desk.must("a change", LIMIT, command).await.unwrap();
        }
        let kept = fs::read_dir(state.join("projects")).unwrap().next();
        kept.unwrap().unwrap().path()
    });
    let whole = fs::read(&seed).unwrap();
    read_changed("project.json", 400, &[whole], |file| {
        fs::copy(file, &seed).unwrap();
        runtime.block_on(async {
            let (unheard, _) = tokio::sync::mpsc::unbounded_channel();
            let (_, saved) = Project::open(&state, project.clone(), unheard).await;
            assert!(saved.breakpoints.len() < 1000);
        });
    });
}

/// How many changes of a conversation are played beside each other: most of the time it is waited for stops that do not come.
const LANES: usize = 4;

/// A changed recording is played to a whole core: to it, that is an adapter which says strange things. The screen shows what came of it.
#[test]
fn adapters_that_say_strange_things() {
    watch_panics();
    let _beside = support::beside();
    let seeds = seeds::conversations();
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let seeds = &seeds;
            let run = move || {
                // Whose panic it is says the name of the thread.
                let name = format!("lane {lane}");
                let (runtime, home) = (runtime(&name), Home::new());
                let context = context(home.path());
                let read = |file: &Path| {
                    // The same keys for the same change.
                    let mut luck = Luck::new(fs::metadata(file).unwrap().len());
                    runtime.block_on(played(file, context.clone(), &mut luck));
                    let mut panics = PANICS.lock().unwrap();
                    let ours: Vec<_> = panics
                        .extract_if(.., |(thread, _)| *thread == name)
                        .collect();
                    drop(panics);
                    assert!(ours.is_empty(), "{ours:#?}");
                };
                let lane = (lane, LANES);
                read_lane("adapter.rec", lane, 100, seeds, Luck::change_lines, read);
            };
            let thread = std::thread::Builder::new().name(format!("lane {lane}"));
            thread.spawn_scoped(scope, run).unwrap();
        }
    });
    let panics = std::mem::take(&mut *PANICS.lock().unwrap());
    assert!(panics.is_empty(), "{panics:#?}");
}

async fn played(file: &Path, context: Context, luck: &mut Luck) {
    let mut desk = Desk::open(CoreConfig::new(context)).await;
    let replay = Command::Replay {
        path: file.to_path_buf(),
        folder: Some("/folder".into()),
    };
    let Ok(Reply::Session { session }) = desk.must("replay", PATIENCE, replay).await else {
        return;
    };
    let mut before = Vec::new();
    for number in 0..8 {
        let there = desk.until("a stop or the end", PATIENCE, |desk| {
            let all = desk.state.sessions.iter();
            let stops = all.filter_map(|known| Some((known.id, known.current_stop()?.id)));
            let stops: Vec<_> = stops.collect();
            let is_over = desk.state.session(session)?.phase == Phase::Terminated;
            let moved = !stops.is_empty() && stops != before;
            (is_over || moved).then_some((is_over, stops))
        });
        match there.await {
            Ok((false, stops)) => before = stops,
            _ => break,
        }
        screen::look(&desk.state, luck);
        let all = desk.state.sessions.iter();
        let Some(known) = all
            .clone()
            .find(|known| known.current_stop().is_some())
            .cloned()
        else {
            break;
        };
        let stop = known.current_stop().unwrap();
        let scopes = known.current_scopes().map(|s| s.scopes.as_slice());
        for scope in scopes.unwrap_or_default().iter().take(3) {
            let variables = Command::Variables {
                session: Some(known.id),
                stop: stop.id,
                reference: scope.scope.variables_reference,
                page: None,
            };
            let _ = desk.must("variables", PATIENCE, variables).await;
        }
        let onward = match number % 3 {
            0 => Command::Step {
                session: None,
                thread: None,
                kind: StepKind::Over,
                granularity: Granularity::default(),
            },
            _ => Command::Continue {
                session: None,
                thread: None,
            },
        };
        let _ = desk.must("go on", PATIENCE, onward).await;
    }
    screen::look(&desk.state, luck);
    let _ = desk.must("shutdown", LIMIT, Command::Shutdown).await;
}

/// The bytes of a packed file.
fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).unwrap();
    let mut packed = flate2::read::MultiGzDecoder::new(file);
    packed.read_to_end(&mut bytes).unwrap();
    bytes
}
