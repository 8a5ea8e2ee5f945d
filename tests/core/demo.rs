//! The tour: its program, and the recording of it for machines without an interpreter.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use omp_debug::debugger::recording::Recorder;
use omp_debug::debugger::{
    Change, Command, Core, CoreConfig, CoreHandle, Event, EventKind, Granularity, Phase, Reply,
    SessionId, State, StepKind, StopId, Subscription, adapters, demo,
};
use omp_debug::text::redact::Redactor;

const DEADLINE: Duration = Duration::from_secs(30);

struct Follower {
    /// The newest stop that was looked at.
    stop: StopId,
    state: State,
    events: Subscription,
}

impl Follower {
    async fn of(core: &CoreHandle) -> Self {
        let (state, events) = core.subscribe().await.expect("the core runs");
        Self {
            stop: StopId(0),
            state,
            events,
        }
    }

    /// Follows until something has happened.
    async fn until(&mut self, what: &str, mut happened: impl FnMut(&State, &Event) -> bool) {
        let followed = tokio::time::timeout(DEADLINE, async {
            loop {
                let events = self.events.next().await.expect("the core runs");
                let mut found = false;
                for event in &events {
                    self.state.apply(event);
                    found |= happened(&self.state, event);
                }
                if found {
                    return;
                }
            }
        });
        assert!(
            followed.await.is_ok(),
            "{what}: {:#?}",
            self.state.focused()
        );
    }

    /// Follows until the selected frame's locals are there at a new stop, or the session has ended.
    async fn until_shown(&mut self) {
        let last = self.stop;
        self.until(
            "a stop with its locals, or the end",
            |state, event| match &event.kind {
                EventKind::Session {
                    change: Change::Frame { frame_id, stop, .. },
                    ..
                } => {
                    let selected = state.focused().and_then(|s| s.current_stop()?.selected);
                    *stop > last && selected.is_some_and(|f| f.frame_id == *frame_id)
                }
                EventKind::Session {
                    change: Change::Gone,
                    ..
                } => true,
                _ => false,
            },
        )
        .await;
        self.stop = self
            .state
            .focused()
            .and_then(|s| s.stop.as_ref())
            .map_or(last, |s| s.id);
    }

    fn local(&self, name: &str) -> Option<String> {
        let scopes = self.state.focused()?.current_scopes()?;
        scopes
            .scopes
            .iter()
            .flat_map(|s| s.variables.iter().flatten())
            .find(|v| v.name == name)
            .map(|v| v.value.clone())
    }
}

fn core(state_dir: &Path, recorder: Option<&Arc<Recorder>>) -> CoreHandle {
    let mut context = adapters::Context::from_process().expect("a working directory");
    state_dir.clone_into(&mut context.state_dir);
    Core::start(CoreConfig {
        recorder: recorder.cloned(),
        ..CoreConfig::new(context)
    })
}

async fn step(core: &CoreHandle, kind: StepKind) {
    let command = Command::Step {
        session: None,
        thread: None,
        kind,
        granularity: Granularity::Line,
    };
    core.request(command).await.expect("a step");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_recording_plays_without_any_adapter() {
    let folder = tempfile::tempdir().unwrap();
    let tour = demo::prepare(folder.path()).unwrap();
    let core = core(folder.path(), None);
    let mut seen = Follower::of(&core).await;
    for watch in &tour.watches {
        core.request(Command::AddWatch {
            expression: watch.clone(),
        })
        .await
        .unwrap();
    }
    let reply = core
        .request(Command::Replay {
            path: tour.recording.clone(),
            folder: None,
        })
        .await;
    assert_eq!(
        reply,
        Ok(Reply::Session {
            session: SessionId(1)
        })
    );
    seen.until_shown().await;
    let frame = seen.state.focused().unwrap().current_frame().unwrap();
    assert_eq!(frame.name, "discounts_for");
    let path = frame.source.as_ref().unwrap().path.clone().unwrap();
    assert_eq!(
        Path::new(&path).canonicalize().unwrap(),
        tour.program.canonicalize().unwrap()
    );
    assert_eq!(seen.local("earned").as_deref(), Some("[]"));
    let mut earned = Vec::new();
    for _ in 0..200 {
        if seen.state.focused().unwrap().phase == Phase::Terminated {
            break;
        }
        earned.extend(seen.local("earned"));
        step(&core, StepKind::Over).await;
        seen.until_shown().await;
    }
    earned.dedup();
    assert!(earned.contains(&"['member']".to_owned()), "{earned:?}");
    assert!(
        !earned.iter().any(|e| e.contains("large order")),
        "the bug is in it: {earned:?}"
    );
    let session = seen.state.focused().unwrap();
    assert_eq!(
        (session.phase, session.exit_code),
        (Phase::Terminated, Some(0))
    );
    assert!(
        session.output.text().contains("To pay:"),
        "{}",
        session.output.text()
    );
    core.request(Command::Shutdown).await.unwrap();
}

/// Makes the recording anew: `OMP_DEBUG_RECORD_DEMO=1 cargo test --test core demo::`. Needs the Python adapter.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_recording_is_made_when_asked_for() {
    if std::env::var_os("OMP_DEBUG_RECORD_DEMO").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tour = demo::prepare(folder.path()).unwrap();
    let taken = folder.path().join("taken");
    let recorder = Arc::new(Recorder::create(&taken, Redactor::new()).unwrap());
    let core = core(folder.path(), Some(&recorder));
    let mut seen = Follower::of(&core).await;
    for command in tour.commands(true, false) {
        core.request(command).await.unwrap();
    }
    loop {
        seen.until_shown().await;
        let session = seen.state.focused().unwrap().clone();
        let Some(stop) = session.current_stop() else {
            break;
        };
        // What a person is likely to open: two levels of every local, in every frame of ours.
        let stack = stop.stacks.values().next().unwrap().clone();
        let ours = |frame: &omp_debug::dap::types::StackFrame| {
            let path = frame.source.as_ref().and_then(|s| s.path.as_deref());
            path.is_some_and(|p| p.ends_with("checkout.py"))
        };
        let frames: Vec<_> = stack.frames.into_iter().filter(ours).collect();
        let depth = frames.len();
        for frame in frames {
            let Ok(Reply::Scopes { scopes }) = core
                .request(Command::Scopes {
                    session: None,
                    frame_id: Some(frame.id),
                })
                .await
            else {
                continue;
            };
            let mut open: Vec<(i64, u8)> = scopes
                .scopes
                .iter()
                .filter(|s| s.variables.is_some())
                .flat_map(|s| s.variables.iter().flatten())
                .filter(|v| frame.name != "<module>" && !v.name.contains("variables"))
                .map(|v| (v.variables_reference, 0))
                .collect();
            while let Some((reference, depth)) = open.pop() {
                if reference == 0 || depth > 2 {
                    continue;
                }
                let children = Command::Variables {
                    session: None,
                    stop: stop.id,
                    reference,
                    page: None,
                };
                if let Ok(Reply::Variables { variables }) = core.request(children).await {
                    open.extend(
                        variables
                            .iter()
                            .filter(|v| !v.name.contains("variables"))
                            .map(|v| (v.variables_reference, depth + 1)),
                    );
                }
            }
            for watch in &tour.watches {
                let ask = Command::Evaluate {
                    session: None,
                    frame_id: Some(frame.id),
                    expression: watch.clone(),
                    context: "watch".to_owned(),
                };
                drop(core.request(ask).await);
            }
        }
        // Line by line to the end of the program's own code; then let it run out.
        if depth == 0 {
            let run = Command::Continue {
                session: None,
                thread: None,
            };
            core.request(run).await.expect("it runs");
        } else {
            step(&core, StepKind::Over).await;
        }
    }
    core.request(Command::Shutdown).await.unwrap();
    assert_eq!(recorder.finish().left_out, 0);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&taken).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let text = text.replace(&*folder.path().to_string_lossy(), "${folder}");
    let text = without_this_machine(&text);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/recording.ndjson.gz");
    let mut packed = flate2::write::GzEncoder::new(
        std::fs::File::create(target).unwrap(),
        flate2::Compression::best(),
    );
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
}

/// Whatever else names a place on this machine (interpreter, libraries, the adapter) is not part of the story.
fn without_this_machine(text: &str) -> String {
    let places = regex::Regex::new(
        r#"/(?:[A-Za-z0-9_.+@-]+/)+(lib/python[0-9.]+|bin|site-packages)(/[^"'\\]*)?"#,
    )
    .expect("a pattern");
    places.replace_all(text, "${folder}/$1$2").into_owned()
}
