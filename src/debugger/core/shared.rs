//! Tasks that several sessions of one start need: each is run once, and all of them wait for it.
//!
//! A session that is started again by itself runs its tasks again, as it would alone. What goes on in the background ends with the last
//! session that needs it.

use std::{pin::Pin, sync::Weak};

use futures_util::future::{Shared, WeakShared};

use super::prelude::*;
use crate::task::Task;

/// What came of a task: what goes on of it, when something does.
pub type Outcome = Result<Option<Arc<Background>>, DebuggerError>;
type TaskFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The tasks of one start.
#[derive(Clone, Default)]
pub struct Runs(Arc<Mutex<Vec<SharedTask>>>);

struct SharedTask {
    task: Task,
    /// Names of the configurations that have had it.
    takers: HashSet<String>,
    stage: Stage,
}

/// How far a task has come. Nothing here keeps it going.
enum Stage {
    Runs(WeakShared<TaskFuture>),
    Done,
    GoesOn(Weak<Background>),
}

impl Runs {
    /// Waits for a task that a configuration needs, and runs it where nobody did yet. It ends when nobody waits for it any more.
    pub async fn once<F>(
        &self,
        task: &Task,
        taker: &str,
        over: CancellationToken,
        run: impl FnOnce(CancellationToken) -> F,
    ) -> Outcome
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let wanted = Task {
            needs: Vec::new(),
            ..task.clone()
        };
        let waits = {
            // Until it is known that it runs: two that ask at one moment would both begin it.
            let mut all = lock(&self.0);
            let known = all.iter_mut().find(|known| known.task == wanted);
            let known = known.filter(|known| !known.takers.contains(taker));
            let stage = known.map(|known| {
                known.takers.insert(taker.to_owned());
                &known.stage
            });
            let runs = match stage {
                Some(Stage::Done) => return Ok(None),
                Some(Stage::GoesOn(background)) => match background.upgrade() {
                    Some(background) => return Ok(Some(background)),
                    None => None,
                },
                Some(Stage::Runs(run)) => run.upgrade(),
                None => None,
            };
            runs.unwrap_or_else(|| self.begin(&mut all, wanted, taker, run))
        };
        let done = over.run_until_cancelled(waits).await;
        done.unwrap_or_else(|| Err(taken_back()))
    }

    fn begin<F>(
        &self,
        all: &mut Vec<SharedTask>,
        task: Task,
        taker: &str,
        run: impl FnOnce(CancellationToken) -> F,
    ) -> Shared<TaskFuture>
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        // Cancelled when it is dropped, which is when the last who waits for it is gone.
        let over = CancellationToken::new();
        let guard = over.clone().drop_guard();
        let (runs, work, meant) = (self.clone(), run(over), task.clone());
        let work: TaskFuture = Box::pin(async move {
            let done = work.await;
            drop(guard);
            let stage = match &done {
                Ok(Some(background)) => Some(Stage::GoesOn(Arc::downgrade(background))),
                Ok(None) => Some(Stage::Done),
                // Whoever needs it later may try again.
                Err(_) => None,
            };
            let mut all = lock(&runs.0);
            match (all.iter_mut().find(|known| known.task == meant), stage) {
                (Some(known), Some(stage)) => known.stage = stage,
                (Some(_), None) => all.retain(|known| known.task != meant),
                (None, _) => {}
            }
            drop(all);
            done
        });
        let work = work.shared();
        all.retain(|known| known.task != task);
        if let Some(run) = work.downgrade() {
            all.push(SharedTask {
                task,
                takers: HashSet::from([taker.to_owned()]),
                stage: Stage::Runs(run),
            });
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;

    use super::*;

    fn task(label: &str) -> Task {
        Task {
            label: label.to_owned(),
            ..Task::default()
        }
    }

    #[tokio::test]
    async fn a_task_is_run_once_for_all_and_again_for_who_had_it() {
        let (runs, count, go) = (
            Runs::default(),
            Arc::new(AtomicUsize::new(0)),
            Arc::new(Notify::new()),
        );
        let once = |taker: &'static str| {
            let (runs, count, go) = (runs.clone(), Arc::clone(&count), Arc::clone(&go));
            async move {
                let run = |_| async move {
                    count.fetch_add(1, Ordering::SeqCst);
                    go.notified().await;
                    Ok(None)
                };
                let over = CancellationToken::new();
                runs.once(&task("build"), taker, over, run).await
            }
        };
        let both = async { tokio::join!(once("server"), once("client")) };
        let (both, ()) = tokio::join!(both, async { go.notify_one() });
        assert!(both.0.is_ok() && both.1.is_ok());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        // Later in the same start it is done; for one that is started again it is not.
        assert!(once("third").await.is_ok());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        go.notify_one();
        assert!(once("client").await.is_ok());
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_ends_and_is_run_anew() {
        let runs = Runs::default();
        let over = CancellationToken::new();
        over.cancel();
        let ended = CancellationToken::new();
        let seen = ended.clone();
        let run = |own: CancellationToken| async move {
            own.cancelled().await;
            Ok(None)
        };
        let gone = runs
            .once(&task("serve"), "a", over, |own| {
                let told = seen.drop_guard();
                async move {
                    let _told = told;
                    run(own).await
                }
            })
            .await;
        assert!(gone.is_err());
        ended.cancelled().await;
        let (serve, over) = (task("serve"), CancellationToken::new());
        let again = runs.once(&serve, "b", over, |_| async { Ok(None) });
        assert!(again.await.is_ok());
    }
}
