//! `omp-debug cache`: lists what is old, asks, clears it, brings it back.
//!
//! Deciding and clearing is done in `diagnostics::artifacts`; whether there is somebody to ask is known to `fronts`.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::artifacts::{line, record, sum, totals_record};
use base::text::amount;
use base::text::json::printable;
use base::text::sanitise::sanitise;
use diagnostics::Cancel;
use diagnostics::artifacts::{self, ArtifactsError, Ground, How, Note, Outcome, Plan, Totals, age};

/// How often the line with the progress is written anew.
const STATUS: Duration = Duration::from_millis(100);

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// List what would go.
    List,
    /// List, ask, clear.
    #[default]
    Clear,
    /// Bring back what was cleared: last, or under this name.
    Undo(Option<String>),
    /// Delete what is in the trash.
    EmptyTrash,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What is to be done.
    pub task: Task,
    /// What did not change for so long is old.
    pub older_than: Duration,
    /// Whether it goes for good.
    pub how: How,
    /// Nobody need be asked.
    pub yes: bool,
    /// JSON instead of lines.
    pub json: bool,
}

/// Who is told and asked.
pub struct Front<'a> {
    /// The answer.
    pub out: &'a mut dyn Write,
    /// What a person should know besides.
    pub warn: &'a mut dyn FnMut(&str),
    /// Asks a question; nothing when nobody is there.
    pub ask: Option<fn(&str) -> bool>,
    /// Shows how far it is, in a line that is written over; nothing when nobody looks.
    pub status: Option<fn(&str)>,
}

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Nobody said yes, and nobody is there to be asked.
    #[error(
        "nothing was cleared: there is no terminal to ask on; --yes clears what is listed, --dry-run only lists it"
    )]
    NobodyToAsk,
    /// Not all of it went as it should.
    #[error("{0} could not be cleared or brought back; all else was")]
    Partly(String),
    /// Clearing, bringing back.
    #[error(transparent)]
    Artifacts(#[from] ArtifactsError),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

impl CacheError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NobodyToAsk | Self::Artifacts(ArtifactsError::NoBatch(..))
        )
    }
}

/// Does what is asked for.
pub fn run(wanted: &Wanted, ground: &Ground, front: &mut Front<'_>) -> Result<(), CacheError> {
    let done = match &wanted.task {
        Task::List | Task::Clear => clear(wanted, ground, front),
        Task::Undo(id) => undo(id.as_deref(), wanted, ground, front),
        Task::EmptyTrash => empty(wanted, ground, front),
    };
    match done {
        // The reader has seen enough.
        Err(CacheError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn clear(wanted: &Wanted, ground: &Ground, front: &mut Front<'_>) -> Result<(), CacheError> {
    let status = Status::new(front.status);
    let scan = artifacts::scan(
        ground,
        &|done, of| status.show(|| format!("measuring artifacts: {done} of {of} folders")),
        &Cancel::default(),
    )?;
    status.end();
    for note in &scan.notes {
        (front.warn)(&sanitise(note));
    }
    let plan = Plan::make(&scan, wanted.older_than, age::now());
    let mut answer = wanted.json.then(|| plan_record(&plan, wanted));
    if answer.is_none() {
        print_plan(&plan, ground, front)?;
    }
    let permitted = wanted.yes || plan.clear.is_empty() || wanted.task == Task::List;
    let refused = if permitted {
        None
    } else {
        match front.ask {
            None => Some(Err(CacheError::NobodyToAsk)),
            Some(ask) if !ask(&question(&plan, wanted.how)) => {
                if answer.is_none() {
                    writeln!(front.out, "Nothing was cleared.")?;
                }
                Some(Ok(()))
            }
            Some(_) => None,
        }
    };
    let mut end = Ok(());
    if let Some(refused) = refused {
        end = refused;
    } else if wanted.task == Task::Clear && !plan.clear.is_empty() {
        let outcome = artifacts::clear(
            &plan,
            ground,
            wanted.how,
            &|p| status.show(|| format!("clearing: {} of {} files", p.files, p.of)),
            &Cancel::default(),
        )?;
        status.end();
        match &mut answer {
            Some(answer) => {
                answer.insert("outcome".to_owned(), outcome_record(&outcome));
            }
            None => print_outcome(&outcome, wanted.how, front)?,
        }
        if !outcome.failed.is_empty() {
            end = Err(partly(&outcome.failed));
        }
    }
    finish(answer, front)?;
    end
}

fn finish(answer: Option<Map<String, Value>>, front: &mut Front<'_>) -> std::io::Result<()> {
    if let Some(answer) = answer {
        write!(
            front.out,
            "{}",
            printable(&Value::Object(answer).to_string())
        )?;
        writeln!(front.out)?;
    }
    front.out.flush()
}

fn partly(failed: &[Note]) -> CacheError {
    CacheError::Partly(amount::count(failed.len() as u64, "folder", "folders"))
}

/// The question before anything goes, with the numbers of the list.
pub fn question(plan: &Plan, how: How) -> String {
    let what = sum(&plan.totals());
    let age = age::length(plan.older_than);
    match how {
        How::Trash => format!("Move {what}, unchanged for {age}, into the trash?"),
        How::Delete => format!("Delete {what}, unchanged for {age}, for good?"),
    }
}

fn print_plan(plan: &Plan, ground: &Ground, front: &mut Front<'_>) -> std::io::Result<()> {
    let now = age::now();
    let mut text = String::new();
    for found in &plan.clear {
        text.push_str(&line(found, now, ""));
        text.push('\n');
    }
    let age = age::length(plan.older_than);
    if plan.clear.is_empty() {
        text.extend([format!(
            "Nothing to clear: no artifacts are unchanged for {age}.\n"
        )]);
    } else {
        text.extend([format!(
            "To clear: {}, unchanged for {age}.\n",
            sum(&plan.totals())
        )]);
    }
    let count = |name: &str| {
        plan.kept
            .iter()
            .filter(|kept| kept.why.name() == name)
            .count() as u64
    };
    if !plan.kept.is_empty() {
        let young = count("young");
        let mut parts = Vec::new();
        if young > 0 {
            parts.push(format!("{young} changed lately"));
        }
        if count("nothing") > 0 {
            parts.push(format!("{} with session files only", count("nothing")));
        }
        for kept in &plan.kept {
            if !matches!(kept.why.name(), "young" | "nothing") {
                let name = kept.found.spot.path();
                parts.push(format!(
                    "{} ({})",
                    sanitise(&name.to_string_lossy()),
                    sanitise(&kept.why.sentence())
                ));
            }
        }
        text.extend([format!("Kept: {}.\n", parts.join(", "))]);
    }
    let batches = artifacts::batches(ground, &mut |_| ());
    if let Some(last) = batches.first() {
        let mut all = Totals::default();
        for totals in batches.iter().map(artifacts::Batch::totals) {
            all.folders += totals.folders;
            all.files += totals.files;
            all.bytes += totals.bytes;
        }
        text.extend([format!(
            "In the trash: {}. --undo brings back the newest ({}), --empty-trash deletes all.\n",
            sum(&all),
            last.id
        )]);
    }
    front.out.write_all(text.as_bytes())
}

fn print_outcome(outcome: &Outcome, how: How, front: &mut Front<'_>) -> std::io::Result<()> {
    for note in &outcome.skipped {
        let path = note.path.to_string_lossy();
        (front.warn)(&format!(
            "{} stays: it {}",
            sanitise(&path),
            sanitise(&note.why)
        ));
    }
    for note in &outcome.failed {
        let path = note.path.to_string_lossy();
        (front.warn)(&format!(
            "{}: it or something in it {}",
            sanitise(&path),
            sanitise(&note.why)
        ));
    }
    match how {
        How::Trash => writeln!(
            front.out,
            "Moved into the trash: {}.",
            sum(&outcome.cleared)
        )?,
        How::Delete => writeln!(front.out, "Deleted: {}.", sum(&outcome.cleared))?,
    }
    if outcome.cleared.transcripts > 0 {
        let kept = amount::count(outcome.cleared.transcripts, "session file", "session files");
        writeln!(front.out, "Stayed where they are: {kept} of subagents.")?;
    }
    if outcome.batch.is_some() {
        writeln!(
            front.out,
            "omp-debug cache --undo brings it back, --empty-trash frees the space."
        )?;
    }
    Ok(())
}

fn notes(notes: &[Note]) -> Value {
    let all = notes
        .iter()
        .map(|note| json!({"path": &note.path.to_string_lossy(), "why": &note.why}));
    all.collect()
}

fn plan_record(plan: &Plan, wanted: &Wanted) -> Map<String, Value> {
    let kept = plan.kept.iter().map(|kept| {
        json!({
            "path": &kept.found.spot.path().to_string_lossy(),
            "why": kept.why.name(),
            "reason": &kept.why.sentence(),
            "bytes": kept.found.tally.bytes,
            "files": kept.found.tally.files,
            "newest": age::stamp(kept.found.tally.newest),
        })
    });
    let mut answer = Map::new();
    answer.insert(
        "older_than_seconds".to_owned(),
        json!(plan.older_than.as_secs()),
    );
    answer.insert("dry_run".to_owned(), json!(wanted.task == Task::List));
    answer.insert("totals".to_owned(), totals_record(&plan.totals()));
    answer.insert("clear".to_owned(), plan.clear.iter().map(record).collect());
    answer.insert("kept".to_owned(), kept.collect());
    answer
}

fn outcome_record(outcome: &Outcome) -> Value {
    json!({
        "cleared": totals_record(&outcome.cleared),
        "skipped": notes(&outcome.skipped),
        "failed": notes(&outcome.failed),
        "trash": outcome.batch,
    })
}

fn undo(
    id: Option<&str>,
    wanted: &Wanted,
    ground: &Ground,
    front: &mut Front<'_>,
) -> Result<(), CacheError> {
    let restored = artifacts::undo(ground, id, &Cancel::default())?;
    if wanted.json {
        let answer = json!({
            "restored": totals_record(&restored.restored),
            "failed": notes(&restored.failed),
            "trash": restored.id,
        });
        finish(answer.as_object().cloned(), front)?;
    } else {
        for note in &restored.failed {
            let path = note.path.to_string_lossy();
            (front.warn)(&format!("{} {}", sanitise(&path), sanitise(&note.why)));
        }
        writeln!(front.out, "Brought back: {}.", sum(&restored.restored))?;
    }
    if restored.failed.is_empty() {
        Ok(())
    } else {
        Err(partly(&restored.failed))
    }
}

fn empty(wanted: &Wanted, ground: &Ground, front: &mut Front<'_>) -> Result<(), CacheError> {
    let mut all = Totals::default();
    let batches = artifacts::batches(ground, &mut |_| ());
    for totals in batches.iter().map(artifacts::Batch::totals) {
        all.folders += totals.folders;
        all.files += totals.files;
        all.bytes += totals.bytes;
    }
    if !wanted.yes && !batches.is_empty() {
        let Some(ask) = front.ask else {
            return Err(CacheError::NobodyToAsk);
        };
        if !ask(&format!("Delete {} in the trash for good?", sum(&all))) {
            writeln!(front.out, "Nothing was deleted.")?;
            return Ok(());
        }
    }
    let status = Status::new(front.status);
    let (deleted, failed) = artifacts::empty_trash(
        ground,
        &|files, of| status.show(|| format!("deleting: {files} of {of} files")),
        &Cancel::default(),
    )?;
    status.end();
    if wanted.json {
        let answer = json!({"deleted": totals_record(&deleted), "failed": failed});
        finish(answer.as_object().cloned(), front)?;
    } else {
        for why in &failed {
            (front.warn)(&sanitise(why));
        }
        writeln!(front.out, "Deleted from the trash: {}.", sum(&deleted))?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(CacheError::Partly(amount::count(
            failed.len() as u64,
            "folder",
            "folders",
        )))
    }
}

/// The line with the progress.
struct Status {
    show: Option<fn(&str)>,
    last: Mutex<Option<Instant>>,
}

impl Status {
    fn new(show: Option<fn(&str)>) -> Self {
        Self {
            show,
            last: Mutex::new(None),
        }
    }

    fn show(&self, text: impl FnOnce() -> String) {
        let (Some(show), Ok(mut last)) = (self.show, self.last.lock()) else {
            return;
        };
        if last.is_none_or(|last| last.elapsed() >= STATUS) {
            *last = Some(Instant::now());
            show(&text());
        }
    }

    fn end(&self) {
        let shown = self.last.lock().is_ok_and(|mut last| last.take().is_some());
        if let (Some(show), true) = (self.show, shown) {
            show("");
        }
    }
}
