//! Clears, brings back, empties the trash: each after its question, beside the drawing task, with a bar.

use std::sync::Mutex;

use diagnostics::artifacts::{
    self, ArtifactRoot, ArtifactsError, DeleteMode, KeepReason, KeptFolder, Note, Outcome, Plan,
    Progress, Totals, age,
};

use super::{CacheRoute, Phase};
use crate::{prelude::*, routes::artifacts::rows::sum};

/// The work that changes something.
const WORK: &str = "cache.do";
/// Between two frames of the bar.
const FRAME: Duration = Duration::from_millis(50);

/// What came of it, the most important sentence first; or why nothing did.
type ClearResult = Result<Vec<String>, String>;

/// Does something to so many files, and says how far it is, but not more often than anybody can see.
fn doing(
    what: &'static str,
    of: u64,
    cx: &Cx,
    run: impl FnOnce(&ArtifactRoot, &(dyn Fn(Progress) + Sync), &Cancel) -> ClearResult + Send + 'static,
) -> Effect {
    let ground = Arc::clone(&cx.view.artifact_root);
    Effect::work(WORK, move |teller| {
        let cancel = Cancel::default();
        let stop = cancel.clone();
        teller.call(move |s: &mut CacheRoute, _| s.begun(what, of, stop));
        let last = Mutex::new(Instant::now());
        let tell = |progress| {
            if let Ok(mut last) = last.try_lock()
                && last.elapsed() >= FRAME
            {
                *last = Instant::now();
                teller.call(move |s: &mut CacheRoute, _| s.progress(progress));
            }
        };
        let done = run(&ground, &tell, &cancel);
        // What cannot be read of it is told when all is measured anew.
        let batches = artifacts::batches(&ground, &mut |_| ());
        teller.call(|s: &mut CacheRoute, cx| {
            s.batches = batches;
            s.done(done, cx);
        });
    })
}

/// What came of it as sentences.
fn said<T>(
    result: Result<T, ArtifactsError>,
    failed: &str,
    said: impl FnOnce(T) -> Vec<String>,
) -> ClearResult {
    let result = result.map(said);
    result.map_err(|error| format!("{failed}: {error}"))
}

impl CacheRoute {
    /// The plan without what is spared, as it is listed now.
    fn chosen_plan(&self) -> Plan {
        let mut plan = self.plan.clone();
        let (spared, clear): (Vec<_>, Vec<_>) = mem::take(&mut plan.clear)
            .into_iter()
            .partition(|found| self.spared.contains(&found.spot));
        plan.clear = clear;
        let why = KeepReason::Spared;
        plan.kept.extend(spared.into_iter().map(|found| KeptFolder {
            found,
            why: why.clone(),
        }));
        plan
    }

    /// The question, with the numbers of the list.
    pub(super) fn ask(&mut self, cx: &Cx) {
        let plan = self.chosen_plan();
        let totals = plan.totals();
        let age = age::length(plan.older_than);
        let stay = match totals.transcripts {
            0 => "Session files stay.".to_owned(),
            n => {
                let stay = counted(n, "session file");
                format!("Session files stay, also {stay} of subagents inside.")
            }
        };
        let lines = vec![
            format!("{}, unchanged for {age}.", sum(&totals)),
            stay,
            "They go into a trash; u brings them back.".to_owned(),
        ];
        let work = doing("Clearing", totals.files, cx, move |ground, tell, cancel| {
            let outcome = artifacts::clear(&plan, ground, DeleteMode::Trash, &tell, cancel);
            said(outcome, "Nothing was cleared", |outcome| cleared(&outcome))
        });
        cx.confirm("Clear artifacts?", lines, "move into the trash", vec![work]);
    }

    pub(super) fn undo(&mut self, cx: &Cx) {
        let files = self.batches.first().map_or(0, |batch| batch.totals().files);
        cx.emit(doing("Bringing back", files, cx, |ground, _, cancel| {
            let restored = artifacts::undo(ground, None, cancel);
            said(restored, "Nothing was brought back", |restored| {
                let mut out = vec![format!("Brought back: {}.", sum(&restored.restored))];
                notes(&mut out, &restored.failed, " ");
                out
            })
        }));
    }

    /// Of all batches in the trash.
    pub(super) fn trash_totals(&self) -> Totals {
        artifacts::Batch::totals_of(&self.batches)
    }

    pub(super) fn ask_to_empty(&mut self, cx: &Cx) {
        let totals = self.trash_totals();
        let work = doing(
            "Emptying the trash",
            totals.files,
            cx,
            |ground, tell, cancel| {
                let progress = |files, of| tell(Progress { files, of });
                let emptied = artifacts::empty_trash(ground, &progress, cancel);
                said(emptied, "The trash was not emptied", |(totals, failed)| {
                    let mut out = vec![format!("Deleted from the trash: {}.", sum(&totals))];
                    out.extend(failed);
                    out
                })
            },
        );
        let lines = vec![
            format!("{} that were cleared before.", sum(&totals)),
            "They are deleted and cannot be brought back.".to_owned(),
        ];
        cx.confirm("Empty the trash?", lines, "delete for good", vec![work]);
    }

    pub(super) fn begun(&mut self, what: &'static str, of: u64, stop: Cancel) {
        self.result.clear();
        self.phase = Phase::Busy(what, Progress { files: 0, of }, stop);
    }

    pub(super) fn progress(&mut self, progress: Progress) {
        if let Phase::Busy(_, shown, _) = &mut self.phase {
            *shown = progress;
        }
    }

    pub(super) fn done(&mut self, done: ClearResult, cx: &Cx) {
        self.phase = Phase::Idle;
        // What was cleared is in the history even if somebody went elsewhere meanwhile.
        self.result = match done {
            Ok(said) => {
                if let Some(first) = said.first() {
                    cx.info(first);
                }
                said
            }
            Err(why) => {
                cx.warn(&why);
                vec![why]
            }
        };
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

fn cleared(outcome: &Outcome) -> Vec<String> {
    let undo = if outcome.batch.is_some() {
        " u brings it back."
    } else {
        ""
    };
    let what = sum(&outcome.cleared);
    let mut out = vec![format!("Moved into the trash: {what}.{undo}")];
    if outcome.left > 0 {
        let left = amount::count(outcome.left, "folder was", "folders were");
        out.push(format!("Stopped: {left} not come to, or not to its end."));
    }
    notes(&mut out, &outcome.skipped, " stays: it ");
    notes(&mut out, &outcome.failed, ": it or something in it ");
    out
}
