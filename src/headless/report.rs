//! `omp-debug report`: what would go into a report, the report itself, and what is in one, as text or as JSON.
//!
//! Finding, redacting and packing is done in `diagnostics::report`; parsing the command line is left to `cli`.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use base::text::amount;
use base::text::json::printable;
use base::text::sanitise::{sanitise, sanitise_block};
use diagnostics::Cancel;
use diagnostics::report::{
    self, Bundle, BundleError, EntryKind, Level, Note, Outcome, PackError, Packed, Part, Plan,
    ReportError, Request, Step, Verdict,
};

/// Artifacts that are listed one by one; of more only those with secrets are.
const LISTED: usize = 20;
/// What has to be typed for a report with secrets.
const CONSENT: &str = "with secrets";
/// Most of a member that is printed.
const SHOWN: u64 = 256 << 20;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What goes in.
    pub request: Request,
    /// Where the report goes.
    pub output: Option<PathBuf>,
    /// Do not ask.
    pub yes: bool,
    /// Replace what is there.
    pub force: bool,
    /// How small.
    pub level: Level,
    /// Leave secrets in.
    pub no_redact: bool,
    /// JSON instead of lines.
    pub json: bool,
}

/// Whom it is told, and who answers.
pub struct Front<'a> {
    /// The answer.
    pub out: &'a mut dyn Write,
    /// What a person should know besides.
    pub warn: &'a mut dyn FnMut(&str),
    /// How far it is, for a terminal; none = nobody watches.
    pub progress: Option<&'a mut dyn FnMut(&str)>,
    /// Where answers to questions come from; none = nobody can be asked.
    pub input: Option<&'a mut dyn BufRead>,
    /// Ends the work.
    pub cancel: Cancel,
}

impl std::fmt::Debug for Front<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front").finish_non_exhaustive()
    }
}

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum ReportCommandError {
    /// The session that was named.
    #[error("--session: {0}")]
    Session(String),
    /// A file that was named.
    #[error("{0:?} cannot be put in: {1}")]
    Missing(PathBuf, std::io::Error),
    /// Nobody said yes.
    #[error("nothing was written: {0}")]
    Denied(&'static str),
    /// No report came of it.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Counting was ended.
    #[error("cancelled; nothing was written")]
    Cancelled,
    /// The report that was to be looked into.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// It is damaged, or not what its manifest says.
    #[error("the report is not as it was written: {0}")]
    NotWhole(String),
    /// Writing the answer failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

impl ReportCommandError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Session(_)
                | Self::Missing(..)
                | Self::Report(ReportError::Exists(_))
                | Self::Bundle(BundleError::NoMember(_))
        )
    }

    /// Whether it was ended from outside.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled | Self::Report(ReportError::Cancelled))
    }

    /// Whether nobody permitted it.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(_))
    }
}

/// Shows what would go in, asks, and writes; as far as it is wanted.
pub fn make(wanted: &Wanted, front: &mut Front<'_>) -> Result<(), ReportCommandError> {
    for extra in &wanted.request.extras {
        if let report::Extra::File(path)
        | report::Extra::RawSse(path)
        | report::Extra::Protocol(path) = extra
        {
            std::fs::metadata(path)
                .map_err(|error| ReportCommandError::Missing(path.clone(), error))?;
        }
    }
    let redactor = (!wanted.no_redact).then(|| wanted.request.redactor());
    let plan = Plan::find(&wanted.request, &front.cancel).map_err(ReportCommandError::Session)?;
    let writes = wanted.yes || wanted.output.is_some();
    if !wanted.yes {
        let cancel = front.cancel.clone();
        let outcome = report::pack(&plan, redactor.as_ref(), None, &cancel, &mut |step| {
            tell(&mut front.progress, "reading", step);
        });
        let outcome = outcome.map_err(|error| match error {
            PackError::Cancelled => ReportCommandError::Cancelled,
            PackError::Write(error) => ReportCommandError::Write(error),
        })?;
        done(&mut front.progress);
        if !(writes && wanted.json) {
            preview(wanted, &plan, &outcome, front.out)?;
        }
        front.out.flush()?;
        if !writes {
            return Ok(());
        }
        ask(wanted, front)?;
    }
    let path = match &wanted.output {
        Some(path) => wanted.request.cwd.join(path),
        None => wanted
            .request
            .layout
            .reports
            .join(report::name_of_report(jiff::Timestamp::now())),
    };
    let cancel = front.cancel.clone();
    let written = report::write(
        &plan,
        redactor.as_ref(),
        &path,
        (wanted.level, wanted.force),
        &cancel,
        &mut |step| tell(&mut front.progress, "packing", step),
    );
    done(&mut front.progress);
    let written = written?;
    for note in &written.outcome.notes {
        (front.warn)(&sentence(note));
    }
    if wanted.json {
        let answer = answer(wanted, &plan, &written.outcome, Some(&written.path));
        writeln!(front.out, "{}", printable(&answer.to_string()))?;
    } else {
        writeln!(
            front.out,
            "{}\n{} members, {}, {} secrets replaced",
            sanitise(&written.path.to_string_lossy()),
            written.outcome.packed.len() + 1,
            amount::size(written.outcome.written),
            written.outcome.replaced()
        )?;
    }
    Ok(())
}

fn ask(wanted: &Wanted, front: &mut Front<'_>) -> Result<(), ReportCommandError> {
    let Some(input) = &mut front.input else {
        return Err(ReportCommandError::Denied(if wanted.no_redact {
            "a report with secrets has to be agreed to at a terminal"
        } else {
            "give --yes, or say yes at a terminal"
        }));
    };
    (front.warn)(&if wanted.no_redact {
        format!("Secrets stay in this report. Type \"{CONSENT}\" to write it:")
    } else {
        "Write this report? [y/N]".to_owned()
    });
    let mut answer = String::new();
    let mut line = std::io::Read::take(input, 1024);
    line.read_line(&mut answer)?;
    let answer = answer.trim();
    let agreed = if wanted.no_redact {
        answer == CONSENT
    } else {
        matches!(answer.to_lowercase().as_str(), "y" | "yes")
    };
    if agreed {
        Ok(())
    } else {
        Err(ReportCommandError::Denied("nobody said yes"))
    }
}

fn tell(progress: &mut Option<&mut dyn FnMut(&str)>, what: &str, step: &Step<'_>) {
    if let Some(progress) = progress {
        let percent = (step.done.min(step.total) * 100)
            .checked_div(step.total)
            .unwrap_or(100);
        progress(&format!(
            "{what} {percent:3} %  {} of {}",
            amount::size(step.done),
            amount::size(step.total)
        ));
    }
}

fn done(progress: &mut Option<&mut dyn FnMut(&str)>) {
    if let Some(progress) = progress {
        progress("");
    }
}

fn sentence(note: &Note) -> String {
    let what = if note.left_out { " is not in it" } else { "" };
    let member = sanitise(&note.member);
    format!("{member}{what}: {}", sanitise(&note.text))
}

fn preview(
    wanted: &Wanted,
    plan: &Plan,
    outcome: &Outcome,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    if wanted.json {
        let answer = answer(wanted, plan, outcome, None);
        return writeln!(out, "{}", printable(&answer.to_string()));
    }
    if let Some(session) = &plan.session {
        writeln!(
            out,
            "Session {} ({})",
            sanitise(&session.path.to_string_lossy()),
            session.why.label()
        )?;
    }
    writeln!(out, "{:>10} {:>8}  member", "size", "secrets")?;
    let of = |part: Part| {
        outcome.packed.iter().filter(move |packed| {
            plan.members
                .get(packed.index)
                .is_some_and(|member| member.part == part)
        })
    };
    for part in Part::ALL {
        let many = of(part).count() > LISTED;
        for packed in of(part).filter(|p| !many || p.replaced.total() > 0) {
            row(
                out,
                packed.size,
                Some(packed.replaced.total()),
                &packed.name,
                &remark(packed),
            )?;
        }
        if many {
            let rest = || of(part).filter(|p| p.replaced.total() == 0);
            let size = rest().map(|p| p.size).sum();
            let name = format!("{} others below {}/", rest().count(), part.name());
            row(out, size, Some(0), &name, "")?;
        }
    }
    let size = outcome.packed.iter().map(|p| p.size).sum();
    let total = format!("{} members", outcome.packed.len());
    row(out, size, Some(outcome.replaced()), &total, "")?;
    for note in &outcome.notes {
        writeln!(out, "{}", sentence(note))?;
    }
    Ok(())
}

fn row(
    out: &mut dyn Write,
    size: u64,
    secrets: Option<u64>,
    name: &str,
    remark: &str,
) -> std::io::Result<()> {
    let secrets = secrets.map_or_else(String::new, |n| n.to_string());
    let line = format!(
        "{:>10} {secrets:>8}  {} {remark}",
        amount::size(size),
        sanitise(name)
    );
    writeln!(out, "{}", line.trim_end())
}

fn remark(packed: &Packed) -> String {
    if !packed.text {
        return "(binary: as it is)".to_owned();
    }
    let kinds: Vec<String> = packed
        .replaced
        .iter()
        .map(|(kind, count)| format!("{count} {}", kind.label()))
        .collect();
    if kinds.is_empty() {
        String::new()
    } else {
        format!("({})", kinds.join(", "))
    }
}

fn answer(wanted: &Wanted, plan: &Plan, outcome: &Outcome, path: Option<&Path>) -> Value {
    let members: Vec<Value> = outcome
        .packed
        .iter()
        .map(|packed| {
            let part = plan.members.get(packed.index).map(|m| m.part.name());
            let by: serde_json::Map<String, Value> = packed
                .replaced
                .iter()
                .map(|(kind, count)| (kind.label().to_owned(), json!(count)))
                .collect();
            json!({
                "name": packed.name,
                "part": part,
                "size": packed.size,
                "kind": if packed.text { "text" } else { "binary" },
                "secrets_replaced": packed.replaced.total(),
                "by": by,
            })
        })
        .collect();
    let notes: Vec<Value> = outcome
        .notes
        .iter()
        .map(|note| json!({"name": note.member, "left_out": note.left_out, "text": note.text}))
        .collect();
    json!({
        "path": path.map(|path| path.to_string_lossy()),
        "written": path.map(|_| outcome.written),
        "session": plan.session.as_ref().map(|s| s.path.to_string_lossy()),
        "redacted": !wanted.no_redact,
        "secrets_replaced": outcome.replaced(),
        "members": members,
        "notes": notes,
    })
}

/// Lists a report, or prints a member of it.
pub fn look(
    path: &Path,
    show: Option<&str>,
    json: bool,
    front: &mut Front<'_>,
) -> Result<(), ReportCommandError> {
    let bundle = Bundle::open(path, &front.cancel)?;
    for note in &bundle.notes {
        (front.warn)(&sanitise(note));
    }
    if let Some(member) = show {
        let number = bundle.entries.iter().position(|e| e.name == member);
        let number = number.ok_or_else(|| BundleError::NoMember(member.to_owned()))?;
        let content = Bundle::read(path, number, SHOWN, &front.cancel)?;
        let text = content.text();
        front.out.write_all(sanitise_block(&text).as_bytes())?;
        if !text.ends_with('\n') {
            writeln!(front.out)?;
        }
        if content.is_cut() {
            (front.warn)(&format!(
                "only the beginning of it; all of it has {}",
                amount::size(content.size)
            ));
        }
        return Ok(());
    }
    if json {
        let entries: Vec<Value> = bundle
            .entries
            .iter()
            .map(|entry| {
                json!({
                    "name": entry.name,
                    "kind": kind(&entry.kind),
                    "size": entry.size,
                    "sha256": entry.sha256,
                    "as_written": entry.verdict.map(|verdict| verdict == Verdict::Same),
                    "secrets_replaced": entry.replaced,
                })
            })
            .collect();
        let answer = json!({
            "path": path.to_string_lossy(),
            "compressed": bundle.compressed,
            "whole": bundle.is_whole(),
            "missing": bundle.missing,
            "notes": bundle.notes,
            "created": bundle.manifest.as_ref().map(|m| m.created.clone()),
            "members": entries,
        });
        writeln!(front.out, "{}", printable(&answer.to_string()))?;
    } else {
        for entry in &bundle.entries {
            let remark = match (&entry.kind, entry.verdict) {
                (EntryKind::Link(to), _) => format!("-> {} (not followed)", sanitise(to)),
                (_, Some(Verdict::Differs)) => "(not as it was written)".to_owned(),
                (_, Some(Verdict::Unlisted)) => "(not in the manifest)".to_owned(),
                (EntryKind::File { text: false }, _) => "(binary)".to_owned(),
                _ => String::new(),
            };
            row(front.out, entry.size, entry.replaced, &entry.name, &remark)?;
        }
    }
    if bundle.is_whole() == Some(false) || !bundle.notes.is_empty() {
        return Err(ReportCommandError::NotWhole(trouble(&bundle)));
    }
    Ok(())
}

/// What is not as the manifest says.
fn trouble(bundle: &Bundle) -> String {
    let count = |verdict| {
        let with = bundle.entries.iter().filter(|e| e.verdict == Some(verdict));
        with.count()
    };
    let parts = [
        (count(Verdict::Differs), "differ"),
        (count(Verdict::Unlisted), "are not in the manifest"),
        (bundle.missing.len(), "are missing"),
        (bundle.notes.len(), "could not be read to the end"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.join(", ")
}

fn kind(kind: &EntryKind) -> &'static str {
    match kind {
        EntryKind::File { text: true } => "text",
        EntryKind::File { text: false } => "binary",
        EntryKind::Folder => "folder",
        EntryKind::Link(_) => "link",
        EntryKind::Other => "special",
    }
}
