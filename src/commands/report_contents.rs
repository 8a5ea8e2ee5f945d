//! What is in a report, of omp or of omp-debug: its members, whether they are as they were written, one of them as text.

use super::prelude::*;
use crate::diagnostics::report::{Bundle, BundleError, EntryKind, Verdict};

/// Most of a member that is printed.
const SHOWN: u64 = 256 << 20;

/// Lists a report, or prints a member of it.
pub(super) fn look(path: &Path, member: Option<&str>, json: bool, cancel: &Cancel) -> Result<()> {
    let failure = |error| Failure::blaming(matches!(error, BundleError::NoMember(_)), error);
    let out = &mut stdout();
    let bundle = Bundle::open(path, cancel).map_err(failure)?;
    warn_of(&bundle.notes);
    if let Some(member) = member {
        let number = bundle.entries.iter().position(|e| e.name == member);
        let number = number.ok_or_else(|| failure(BundleError::NoMember(member.to_owned())))?;
        let content = Bundle::read(path, number, SHOWN, cancel).map_err(failure)?;
        let text = content.text();
        out.write_all(sanitise_block(&text).as_bytes())?;
        if !text.ends_with('\n') {
            writeln!(out)?;
        }
        if content.is_cut() {
            warn(&format!(
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
        write_line(out, &answer)?;
    } else {
        for entry in &bundle.entries {
            let remark = match (&entry.kind, entry.verdict) {
                (EntryKind::Link(to), _) => format!("-> {} (not followed)", sanitise(to)),
                (_, Some(Verdict::Differs)) => "(not as it was written)".to_owned(),
                (_, Some(Verdict::Unlisted)) => "(not in the manifest)".to_owned(),
                (EntryKind::File { text: false }, _) => "(binary)".to_owned(),
                _ => String::new(),
            };
            row(out, entry.size, entry.replaced, &entry.name, &remark)?;
        }
    }
    if bundle.is_whole() == Some(false) || !bundle.notes.is_empty() {
        return Err(Failure::failed(format!(
            "the report is not as it was written: {}",
            trouble(&bundle)
        )));
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

/// A member: its size, secrets that were replaced in it, its name and what there is to say of it.
pub(super) fn row(
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
