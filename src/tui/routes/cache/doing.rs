//! Clears, brings back, empties the trash: each after its question, beside the drawing task, with a bar.

use std::sync::Mutex;

use diagnostics::artifacts::{
    self, ArtifactsError, How, Kept, Note, Outcome, Plan, Progress, Restored, Totals, Why, age,
};

use super::{CacheRoute, Phase};
use crate::{kit::prelude::*, routes::artifacts::rows::sum};

/// The work that changes something.
pub const WORK: &str = "cache.do";
/// Between two frames of the bar.
const FRAME: Duration = Duration::from_millis(50);

/// What the work tells.
pub enum Doing {
    /// It began, and this stops it.
    Begun(&'static str, u64, Cancel),
    /// How far it is.
    Progress(Progress),
    /// What came of it.
    Done(Done),
}

/// What came of it.
pub enum Done {
    Cleared(How, Result<Outcome, String>),
    Restored(Result<Restored, String>),
    Emptied(Result<(Totals, Vec<String>), String>),
}

/// Tells how far it is, but not more often than anybody can see.
fn teller_of(teller: &Teller) -> impl Fn(Progress) + Sync {
    let (teller, last) = (teller.clone(), Mutex::new(Instant::now()));
    move |progress| {
        if let Ok(mut last) = last.try_lock()
            && last.elapsed() >= FRAME
        {
            *last = Instant::now();
            teller.tell(Doing::Progress(progress));
        }
    }
}

fn text<T>(result: Result<T, ArtifactsError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

impl CacheRoute {
    /// The plan without what is spared, as it is listed now.
    fn chosen_plan(&self) -> Plan {
        let mut plan = self.plan.clone();
        let (spared, clear): (Vec<_>, Vec<_>) = std::mem::take(&mut plan.clear)
            .into_iter()
            .partition(|found| self.spared.contains(&found.spot));
        plan.clear = clear;
        let why = Why::Spared;
        plan.kept.extend(spared.into_iter().map(|found| Kept {
            found,
            why: why.clone(),
        }));
        plan
    }

    /// The question, with the numbers of the list.
    pub(super) fn ask(&mut self, cx: &mut Cx<'_>) {
        let (plan, how) = (self.chosen_plan(), self.how);
        let totals = plan.totals();
        let age = age::length(plan.older_than);
        let mut lines = vec![format!("{}, unchanged for {age}.", sum(&totals))];
        if totals.transcripts > 0 {
            let stay = amount::count(totals.transcripts, "session file", "session files");
            lines.push(format!(
                "Session files stay, also {stay} of subagents inside."
            ));
        } else {
            lines.push("Session files stay.".to_owned());
        }
        let yes_label = match how {
            How::Trash => {
                lines.push("They go into a trash; u brings them back.".to_owned());
                "move into the trash"
            }
            How::Delete => {
                lines.push("They are deleted at once and cannot be brought back.".to_owned());
                "delete for good"
            }
        };
        let ground = Arc::clone(cx.view.ground);
        let files = totals.files;
        let work = Effect::work(WORK, move |teller| {
            let cancel = Cancel::default();
            teller.tell(Doing::Begun("Clearing", files, cancel.clone()));
            let outcome = artifacts::clear(&plan, &ground, how, &teller_of(teller), &cancel);
            teller.tell(Doing::Done(Done::Cleared(how, text(outcome))));
        });
        cx.confirm("Clear artifacts?", lines, yes_label, vec![work]);
    }

    pub(super) fn undo(&mut self, cx: &mut Cx<'_>) {
        let ground = Arc::clone(cx.view.ground);
        let files = self.batches.first().map_or(0, |batch| batch.totals().files);
        cx.work(WORK, move |teller| {
            let cancel = Cancel::default();
            teller.tell(Doing::Begun("Bringing back", files, cancel.clone()));
            let restored = artifacts::undo(&ground, None, &cancel);
            teller.tell(Doing::Done(Done::Restored(text(restored))));
        });
    }

    /// Of all batches in the trash.
    pub(super) fn trash_totals(&self) -> Totals {
        let mut all = Totals::default();
        for totals in self.batches.iter().map(artifacts::Batch::totals) {
            all.folders += totals.folders;
            all.files += totals.files;
            all.bytes += totals.bytes;
        }
        all
    }

    pub(super) fn ask_to_empty(&mut self, cx: &mut Cx<'_>) {
        let ground = Arc::clone(cx.view.ground);
        let totals = self.trash_totals();
        let work = Effect::work(WORK, move |teller| {
            let cancel = Cancel::default();
            teller.tell(Doing::Begun(
                "Emptying the trash",
                totals.files,
                cancel.clone(),
            ));
            let tell = teller_of(teller);
            let progress = |files, of| tell(Progress { files, of });
            let emptied = artifacts::empty_trash(&ground, &progress, &cancel);
            teller.tell(Doing::Done(Done::Emptied(text(emptied))));
        });
        cx.confirm(
            "Empty the trash?",
            vec![
                format!("{} that were cleared before.", sum(&totals)),
                "They are deleted and cannot be brought back.".to_owned(),
            ],
            "delete for good",
            vec![work],
        );
    }

    pub(super) fn done(&mut self, doing: &Doing, cx: &mut Cx<'_>) {
        let done = match doing {
            Doing::Begun(what, of, cancel) => {
                self.result.clear();
                self.phase = Phase::Busy(what, Progress { files: 0, of: *of }, cancel.clone());
                return;
            }
            Doing::Progress(progress) => {
                if let Phase::Busy(_, shown, _) = &mut self.phase {
                    *shown = *progress;
                }
                return;
            }
            Doing::Done(done) => done,
        };
        self.phase = Phase::Idle;
        self.result = result(done);
        // What was cleared is in the history even if somebody went elsewhere meanwhile.
        if let Some(first) = self.result.first() {
            cx.emit(match done {
                Done::Cleared(_, Err(_)) | Done::Restored(Err(_)) | Done::Emptied(Err(_)) => {
                    Effect::warn(first.clone())
                }
                _ => Effect::info(first.clone()),
            });
        }
        self.reload(cx);
    }
}

fn notes(out: &mut Vec<String>, notes: &[Note], what: &str) {
    out.extend(
        notes
            .iter()
            .map(|note| format!("{}{what}{}", note.path.display(), note.why)),
    );
}

fn result(done: &Done) -> Vec<String> {
    let mut out = Vec::new();
    match done {
        Done::Cleared(how, Ok(outcome)) => {
            let what = sum(&outcome.cleared);
            out.push(match how {
                How::Trash if outcome.batch.is_some() => {
                    format!("Moved into the trash: {what}. u brings it back.")
                }
                How::Trash => format!("Moved into the trash: {what}."),
                How::Delete => format!("Deleted: {what}."),
            });
            if outcome.left > 0 {
                let left = amount::count(outcome.left, "folder was", "folders were");
                out.push(format!("Stopped: {left} not come to, or not to its end."));
            }
            notes(&mut out, &outcome.skipped, " stays: it ");
            notes(&mut out, &outcome.failed, ": it or something in it ");
        }
        Done::Restored(Ok(restored)) => {
            out.push(format!("Brought back: {}.", sum(&restored.restored)));
            notes(&mut out, &restored.failed, " ");
        }
        Done::Emptied(Ok((totals, failed))) => {
            out.push(format!("Deleted from the trash: {}.", sum(totals)));
            out.extend(failed.iter().cloned());
        }
        Done::Cleared(_, Err(why)) => out.push(format!("Nothing was cleared: {why}")),
        Done::Restored(Err(why)) => out.push(format!("Nothing was brought back: {why}")),
        Done::Emptied(Err(why)) => out.push(format!("The trash was not emptied: {why}")),
    }
    out
}
