//! Hooks: a person's programs that are run when something happens, with the event as one line of JSON on standard input.
//!
//! Each runs once at a time, in the order of the events, and for at most [`LIMIT`]. The core never waits for them but at its end; what a
//! slow one misses is counted and said. Which there are is the settings' matter.

use tokio::{io::AsyncWriteExt as _, process::Command as Process, task::JoinHandle};
use tokio_util::task::AbortOnDropHandle;

use super::{
    config::{HOOK_EVENTS, Hook},
    prelude::*,
};
use crate::tool::feed::Feed;

/// Events that may wait for one hook.
const WAITING: usize = 64;
/// How long one may run.
const LIMIT: Duration = Duration::from_secs(10);

/// The hooks of a core, at work.
pub struct Hooks {
    end: oneshot::Sender<()>,
    follower: AbortOnDropHandle<()>,
}

/// A line for a hook, and how many it missed before.
type Queued = (String, usize);
/// What a hook is for, the way to it, and its work.
type Running = (String, mpsc::Sender<Queued>, JoinHandle<()>);
type Troubles = mpsc::UnboundedSender<String>;

impl Hooks {
    /// Takes in what was told already, and ends with the hooks that it leads to.
    pub async fn finish(self) {
        let _ = self.end.send(());
        let _ = timeout(LIMIT, self.follower).await;
    }
}

impl Owner {
    /// The hooks of the settings; none when there are none. What goes wrong with them is told to `troubles`.
    pub fn hooks(&mut self, troubles: &Troubles) -> Option<Hooks> {
        if self.config.settings.hooks.is_empty() {
            return None;
        }
        let (_, events) = self.hub.subscribe();
        let context = &self.config.context;
        let feed = Feed::new(Discretion::knowing(context.env.iter()));
        let hooks = self.config.settings.hooks.iter().map(|hook| {
            let (events, waiting) = mpsc::channel(WAITING);
            let work = serve(hook.clone(), context.cwd.clone(), waiting, troubles.clone());
            (hook.on.clone(), events, tasks::spawn(work))
        });
        let (end, ends) = oneshot::channel();
        let follower = tasks::spawn(follow(events, feed, hooks.collect(), ends));
        Some(Hooks {
            end,
            follower: AbortOnDropHandle::new(follower),
        })
    }
}

async fn follow(
    mut events: Subscription,
    mut feed: Feed,
    hooks: Vec<Running>,
    mut ends: oneshot::Receiver<()>,
) {
    let mut lost = vec![0; hooks.len()];
    loop {
        let batch = tokio::select! {
            biased;
            Some(batch) = events.next() => batch,
            _ = &mut ends => break,
            else => break,
        };
        let mut lines = Vec::new();
        for event in batch {
            lines.extend(feed.lines(&event).unwrap_or_default());
        }
        lines.extend(feed.settled(None));
        for line in lines {
            let name = line.text_of("type").unwrap_or_default();
            for ((on, hook, _), lost) in hooks.iter().zip(&mut lost) {
                if on != name && (on != "*" || !HOOK_EVENTS.contains(&name)) {
                    continue;
                }
                match hook.try_send((json!(line).to_string(), *lost)) {
                    Ok(()) => *lost = 0,
                    Err(_full) => *lost += 1,
                }
            }
        }
    }
    for (_, hook, work) in hooks {
        drop(hook);
        let _ = work.await;
    }
}

/// Runs a hook for each event; what goes wrong is said the first time.
async fn serve(hook: Hook, cwd: PathBuf, mut waiting: mpsc::Receiver<Queued>, troubles: Troubles) {
    let name = hook.run.first().map_or("", String::as_str);
    let mut is_told = false;
    while let Some((line, lost)) = waiting.recv().await {
        let lost = (lost > 0).then(|| format!("was too slow and missed {lost} events"));
        let failed = run(&hook, &cwd, &line).await.err();
        if let Some(why) = failed.or(lost)
            && !mem::replace(&mut is_told, true)
        {
            let _ = troubles.send(format!("The hook {name:?} {why}."));
        }
    }
}

async fn run(hook: &Hook, cwd: &Path, line: &str) -> Result<(), String> {
    let Some((program, args)) = hook.run.split_first() else {
        return Ok(());
    };
    let mut child = Process::new(program)
        .args(args)
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let work = async {
        if let Some(mut stdin) = child.stdin.take() {
            // It need not read.
            let _ = stdin.write_all(format!("{line}\n").as_bytes()).await;
        }
        child.wait().await
    };
    match timeout(LIMIT, work).await {
        Err(_elapsed) => Err(format!("did not end within {} s", LIMIT.as_secs())),
        Ok(Ok(status)) if !status.success() => Err(format!("failed: {status}")),
        Ok(done) => done.map(drop).in_words(),
    }
}
