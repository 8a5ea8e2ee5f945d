//! Carries out effects that take time, off the drawing task. What comes of them returns as a message.
//!
//! Where only the newest answer matters, starting again ends the older job. What concerns the terminal itself is the
//! stage's business.

use base::tasks;
use debugger::{
    Command, CoreHandle, Severity,
    adapters::{Context, trust, untrusted},
    demo, workspace,
};
use tokio::{sync::mpsc, task::JoinHandle};

use super::operations;
use crate::{
    action::{msg::Tag, work::Running},
    prelude::*,
    term::clipboard::Clipboard,
};

/// Most files a picker is given.
const MOST_FILES: usize = 20_000;

/// What carries effects out.
pub struct Jobs {
    pub(super) core: CoreHandle,
    messages: mpsc::Sender<Msg>,
    clipboard: Clipboard,
    context: Context,
    files: Option<JoinHandle<()>>,
    processes: Option<JoinHandle<()>>,
    work: Running,
}

impl Jobs {
    /// Jobs on `core` that answer into `messages`; the tour is given as `context` allows.
    pub fn new(
        core: CoreHandle,
        messages: mpsc::Sender<Msg>,
        clipboard: Clipboard,
        context: Context,
    ) -> Self {
        Self {
            work: Running::new(messages.clone(), context.clone()),
            core,
            messages,
            clipboard,
            context,
            files: None,
            processes: None,
        }
    }

    /// Starts what `effect` asks for.
    pub fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Operation { name, arguments } => {
                let core = self.core.clone();
                self.spawn(async move { Some(operations::run(core, name, arguments).await) });
            }
            Effect::ListFiles(root) => {
                let job = self.spawn(list_files(root));
                newest(&mut self.files, job);
            }
            Effect::Work(work) => self.work.begin(*work),
            Effect::EndWork(name) => self.work.end(name),
            Effect::ListProcesses => {
                let job = self.spawn(async {
                    let processes = tasks::blocking(workspace::list_processes).await;
                    Some(Msg::Processes(processes.unwrap_or_default()))
                });
                newest(&mut self.processes, job);
            }
            Effect::Copy { text, what } => {
                let clipboard = self.clipboard.clone();
                self.spawn(async move {
                    Some(match clipboard.copy(text).await {
                        Ok(copied) => Msg::Copied {
                            text: format!("{what}: {copied}."),
                            sequence: copied.sequence,
                        },
                        Err(error) => Msg::notice(Severity::Error, format!("{what}: {error}")),
                    })
                });
            }
            Effect::OpenExternally(path) => {
                self.spawn(async move {
                    let shown = path.display().to_string();
                    let error = done(move || open::that_detached(path)).await.err()?;
                    Some(Msg::Notice {
                        severity: Severity::Error,
                        text: format!("{shown:?} could not be handed to the desktop: {error}"),
                        hint: Some("open it yourself".to_owned()),
                    })
                });
            }
            Effect::Demo => {
                let context = self.context.clone();
                let messages = self.messages.clone();
                let core = self.core.clone();
                tasks::spawn(async move {
                    let demo = done(move || {
                        let demo = demo::prepare(&demo::folder(&context))?;
                        let way = demo.way(&context, None);
                        Ok::<_, String>((demo, way))
                    });
                    match demo.await {
                        Ok((demo, way)) => {
                            // First, so that a trouble that comes of starting is what stays in sight.
                            let _ = messages
                                .send(Msg::notice(Severity::Info, demo.story.clone()))
                                .await;
                            let recorded = matches!(way, demo::TourMode::Recorded(_));
                            if let demo::TourMode::Recorded(why) = way {
                                let _ = messages.send(Msg::notice(Severity::Warning, why)).await;
                            }
                            in_order(core, &messages, demo.commands(false, recorded)).await;
                        }
                        Err(error) => {
                            let _ = messages.send(Msg::notice(Severity::Error, error)).await;
                        }
                    }
                });
            }
            Effect::Trust(file) => {
                let context = self.context.clone();
                self.spawn(async move {
                    let shown = file.path.display().to_string();
                    Some(match done(move || trust::grant(&context, &file)).await {
                        Ok(()) => Msg::notice(
                            Severity::Info,
                            format!(
                                "{shown} is trusted: its adapters are used from the next start on."
                            ),
                        ),
                        Err(error) => Msg::notice(Severity::Error, error),
                    })
                });
            }
            // The loop, the app and the stage have done everything else before it comes here.
            _ => {}
        }
    }

    /// Looks for files of this project that name adapters and that nobody has trusted.
    pub fn look_for_untrusted(&self) {
        let context = self.context.clone();
        self.spawn(async move {
            let files = tasks::blocking(move || untrusted::pending(&context))
                .await
                .ok()?;
            (!files.is_empty()).then_some(Msg::Untrusted(files))
        });
    }

    /// Asks for each command in turn, waiting for each answer: what a session needs is there before it starts.
    pub fn start_in_order(&self, commands: Vec<Command>) {
        let messages = self.messages.clone();
        let core = self.core.clone();
        tasks::spawn(async move { in_order(core, &messages, commands).await });
    }

    pub(super) fn spawn(
        &self,
        work: impl Future<Output = Option<Msg>> + Send + 'static,
    ) -> JoinHandle<()> {
        let messages = self.messages.clone();
        tasks::spawn(async move {
            if let Some(msg) = work.await {
                // Without a loop nobody is left to tell.
                let _ = messages.send(msg).await;
            }
        })
    }
}

async fn in_order(core: CoreHandle, messages: &mpsc::Sender<Msg>, commands: Vec<Command>) {
    for command in commands {
        let result = core.request(command).await;
        let tag = Tag("", 0);
        if messages.send(Msg::Reply { tag, result }).await.is_err() {
            return;
        }
    }
}

/// What came of work that may block; a text says why nothing did.
async fn done<T: Send + 'static, E: ToString + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    let done = tasks::blocking(work).await.map_err(|e| e.to_string())?;
    done.map_err(|error| error.to_string())
}

async fn list_files(root: PathBuf) -> Option<Msg> {
    let folder = root.clone();
    let result = done(move || workspace::list_files(&folder, MOST_FILES)).await;
    Some(Msg::Files { root, result })
}

/// Ends the job before this one. What runs on a thread already runs on, and its answer goes nowhere.
fn newest(slot: &mut Option<JoinHandle<()>>, job: JoinHandle<()>) {
    if let Some(old) = slot.replace(job) {
        old.abort();
    }
}
