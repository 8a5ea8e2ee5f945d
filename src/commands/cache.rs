//! `omp-debug cache`: lists what is old, asks, clears it, brings it back.
//!
//! Deciding and clearing is done in `diagnostics::artifacts`.

use super::{
    artifacts::{ground, line, record, sum, totals_record},
    desk::{self, can_ask},
    prelude::*,
};
use crate::diagnostics::artifacts::{
    self, ArtifactRoot, ArtifactsError, DeleteMode, Note, Outcome, Plan, Totals, age,
};

/// `cache`.
#[derive(Args, Debug)]
pub struct CacheArgs {
    /// Clear what did not change for so long: 30d, 12h, 2w; 0 is everything that is not in use
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age::parse)]
    pub older_than: Duration,
    /// Only list what would go
    #[arg(long, conflicts_with_all = ["yes", "undo", "empty_trash"])]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Delete at once, instead of moving into the trash
    #[arg(long, conflicts_with_all = ["undo", "empty_trash"])]
    no_trash: bool,
    /// Bring back what was cleared last, or what has this name in the trash
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "empty_trash")]
    pub undo: Option<String>,
    /// Delete what is in the trash for good
    #[arg(long)]
    pub empty_trash: bool,
    /// What is listed and done as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl DeskCommand for CacheArgs {
    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let ground = ground(desk);
        match (&self.undo, self.empty_trash) {
            (Some(id), _) => undo(Some(id.as_str()).filter(|id| !id.is_empty()), self, &ground),
            (None, true) => empty(self, &ground),
            (None, false) => clear(self, &ground),
        }?;
        Ok(0)
    }
}

impl CacheArgs {
    /// Whether it goes for good.
    fn how(&self) -> DeleteMode {
        if self.no_trash {
            DeleteMode::Delete
        } else {
            DeleteMode::Trash
        }
    }
}

fn failure(error: ArtifactsError) -> Failure {
    Failure::blaming(matches!(error, ArtifactsError::NoBatch(..)), error)
}

/// Whether a person says yes; nobody may be there to be asked. Anything but a clear yes is a no.
fn ask(question: &str) -> Result<bool> {
    if !can_ask() {
        return Err(Failure::usage(
            "nothing was cleared: there is no terminal to ask on; --yes clears what is listed, --dry-run only lists it",
        ));
    }
    let answer = desk::ask(&format!("{question} [y/N] "));
    Ok(matches!(answer.as_deref(), Some("y" | "yes")))
}

fn clear(args: &CacheArgs, ground: &ArtifactRoot) -> Result<()> {
    let status = StatusLine::default();
    let scan = artifacts::scan(
        ground,
        &|done, of| status.show(|| format!("measuring artifacts: {done} of {of} folders")),
        &Cancel::default(),
    )
    .map_err(failure)?;
    status.end();
    warn_of(&scan.notes);
    let plan = Plan::make(&scan, args.older_than, age::now());
    let mut outcome = None;
    if !args.json {
        print_plan(&plan, ground)?;
    }
    let mut end = Ok(());
    if !args.dry_run && !plan.clear.is_empty() {
        let agreed = if args.yes {
            Ok(true)
        } else {
            ask(&question(&plan, args.how()))
        };
        match agreed {
            Err(nobody) => end = Err(nobody),
            Ok(false) if !args.json => writeln!(stdout(), "Nothing was cleared.")?,
            Ok(false) => {}
            Ok(true) => {
                let cleared = artifacts::clear(
                    &plan,
                    ground,
                    args.how(),
                    &|p| status.show(|| format!("clearing: {} of {} files", p.files, p.of)),
                    &Cancel::default(),
                )
                .map_err(failure)?;
                status.end();
                if !args.json {
                    print_outcome(&cleared, args.how())?;
                }
                end = whole(cleared.failed.len());
                outcome = Some(json!({"outcome": outcome_record(&cleared)}));
            }
        }
    }
    if args.json {
        let answer = with_members(&plan_record(&plan, args), outcome.unwrap_or_default())?;
        write_line(&mut stdout(), &answer)?;
    }
    stdout().flush()?;
    end
}

/// Not all of it went as it should.
fn whole(failed: usize) -> Result<()> {
    if failed == 0 {
        return Ok(());
    }
    let folders = amount::count(failed as u64, "folder", "folders");
    Err(Failure::failed(format!(
        "{folders} could not be cleared or brought back; all else was"
    )))
}

/// The question before anything goes, with the numbers of the list.
fn question(plan: &Plan, how: DeleteMode) -> String {
    let what = sum(&plan.totals());
    let age = age::length(plan.older_than);
    match how {
        DeleteMode::Trash => format!("Move {what}, unchanged for {age}, into the trash?"),
        DeleteMode::Delete => format!("Delete {what}, unchanged for {age}, for good?"),
    }
}

fn print_plan(plan: &Plan, ground: &ArtifactRoot) -> std::io::Result<()> {
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
    if !plan.kept.is_empty() {
        let counted = [
            ("young", "changed lately"),
            ("nothing", "with session files only"),
        ];
        let mut parts = Vec::new();
        for (name, told) in counted {
            let all = plan.kept.iter().filter(|kept| kept.why.name() == name);
            match all.count() {
                0 => {}
                count => parts.push(format!("{count} {told}")),
            }
        }
        for kept in &plan.kept {
            if counted.iter().all(|(name, _)| *name != kept.why.name()) {
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
    let (batches, all) = trash(ground);
    if let Some(last) = batches.first() {
        text.extend([format!(
            "In the trash: {}. --undo brings back the newest ({}), --empty-trash deletes all.\n",
            sum(&all),
            last.id
        )]);
    }
    stdout().write_all(text.as_bytes())
}

fn print_outcome(outcome: &Outcome, how: DeleteMode) -> std::io::Result<()> {
    warn_notes(&outcome.skipped, " stays: it");
    warn_notes(&outcome.failed, ": it or something in it");
    match how {
        DeleteMode::Trash => {
            writeln!(stdout(), "Moved into the trash: {}.", sum(&outcome.cleared))?;
        }
        DeleteMode::Delete => writeln!(stdout(), "Deleted: {}.", sum(&outcome.cleared))?,
    }
    if outcome.cleared.transcripts > 0 {
        let kept = amount::count(outcome.cleared.transcripts, "session file", "session files");
        writeln!(stdout(), "Stayed where they are: {kept} of subagents.")?;
    }
    if outcome.batch.is_some() {
        writeln!(
            stdout(),
            "omp-debug cache --undo brings it back, --empty-trash frees the space."
        )?;
    }
    Ok(())
}

/// Says of each what came of it.
fn warn_notes(notes: &[Note], what: &str) {
    for note in notes {
        let (path, why) = (note.path.to_string_lossy(), sanitise(&note.why));
        warn(&format!("{}{what} {why}", sanitise(&path)));
    }
}

fn notes(notes: &[Note]) -> Value {
    let all = notes
        .iter()
        .map(|note| json!({"path": &note.path.to_string_lossy(), "why": &note.why}));
    all.collect()
}

/// What is in the trash, and how much that is.
fn trash(ground: &ArtifactRoot) -> (Vec<artifacts::Batch>, Totals) {
    let batches = artifacts::batches(ground, &mut |_| ());
    let all = artifacts::Batch::totals_of(&batches);
    (batches, all)
}

fn plan_record(plan: &Plan, args: &CacheArgs) -> Value {
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
    json!({
        "older_than_seconds": plan.older_than.as_secs(),
        "dry_run": args.dry_run,
        "totals": totals_record(&plan.totals()),
        "clear": plan.clear.iter().map(record).collect::<Value>(),
        "kept": kept.collect::<Value>(),
    })
}

fn outcome_record(outcome: &Outcome) -> Value {
    json!({
        "cleared": totals_record(&outcome.cleared),
        "skipped": notes(&outcome.skipped),
        "failed": notes(&outcome.failed),
        "trash": outcome.batch,
    })
}

fn undo(id: Option<&str>, args: &CacheArgs, ground: &ArtifactRoot) -> Result<()> {
    let restored = artifacts::undo(ground, id, &Cancel::default()).map_err(failure)?;
    if args.json {
        let answer = json!({
            "restored": totals_record(&restored.restored),
            "failed": notes(&restored.failed),
            "trash": restored.id,
        });
        write_line(&mut stdout(), &answer)?;
    } else {
        warn_notes(&restored.failed, "");
        writeln!(stdout(), "Brought back: {}.", sum(&restored.restored))?;
    }
    whole(restored.failed.len())
}

fn empty(args: &CacheArgs, ground: &ArtifactRoot) -> Result<()> {
    let (batches, all) = trash(ground);
    if !(args.yes
        || batches.is_empty()
        || ask(&format!("Delete {} in the trash for good?", sum(&all)))?)
    {
        writeln!(stdout(), "Nothing was deleted.")?;
        return Ok(());
    }
    let status = StatusLine::default();
    let (deleted, failed) = artifacts::empty_trash(
        ground,
        &|files, of| status.show(|| format!("deleting: {files} of {of} files")),
        &Cancel::default(),
    )
    .map_err(failure)?;
    status.end();
    if args.json {
        let answer = json!({"deleted": totals_record(&deleted), "failed": failed});
        write_line(&mut stdout(), &answer)?;
    } else {
        warn_of(&failed);
        writeln!(stdout(), "Deleted from the trash: {}.", sum(&deleted))?;
    }
    whole(failed.len())
}
