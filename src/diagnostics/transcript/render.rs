//! Entries as Markdown or as plain text.

use std::io::Result;

use base::text::amount::{size, span};

use super::{
    options::{Format, Options, Report},
    sink::{Sink, clean},
};
use crate::{
    logs::format_time,
    prelude::*,
    sessions::{
        Entry, LineKind, Session,
        body::{self, Block, Body, PicturePlace},
        figures::spent,
    },
};

/// Cells of a rule in plain text.
const RULE: usize = 60;

/// Writes entries.
pub struct Page<'a> {
    options: &'a Options,
    redactor: Option<&'a Redactor>,
}

/// When, in local time and to the second.
pub fn when(time: Option<i64>) -> String {
    let text = time.map(format_time).unwrap_or_default();
    text.get(..19).unwrap_or(&text).to_owned()
}

/// A name that fits into a line of ours.
fn word(text: &str) -> String {
    clean(&text.replace('\n', " "))
}

/// Text that may stand between stars.
fn starless(text: &str) -> String {
    text.replace('*', "\\*")
}

impl<'a> Page<'a> {
    pub fn new(options: &'a Options, redactor: Option<&'a Redactor>) -> Self {
        Self { options, redactor }
    }

    fn is_markdown(&self) -> bool {
        self.options.format == Format::Markdown
    }

    /// One of two forms.
    fn put(&self, markdown: String, plain: String, out: &mut Sink<'_>) -> Result<()> {
        let text = if self.is_markdown() { markdown } else { plain };
        out.put(&text)
    }

    fn heading(&self, level: usize, text: &str, out: &mut Sink<'_>) -> Result<()> {
        let rest = RULE.saturating_sub(text.chars().count() + 5);
        self.put(
            format!("\n{} {text}\n\n", "#".repeat(level)),
            format!("\n── {text} {}\n\n", "─".repeat(rest)),
            out,
        )
    }

    pub fn begin(&self, path: &Path, session: &Session, out: &mut Sink<'_>) -> Result<()> {
        let about = &session.about;
        let title = word(about.title.as_deref().unwrap_or("Session"));
        let line = "=".repeat(title.chars().count().min(RULE));
        self.put(
            format!("# {title}\n\n"),
            format!("{title}\n{line}\n\n"),
            out,
        )?;
        let totals = &session.totals;
        let mut facts = vec![
            ("session", about.id.clone().unwrap_or_default()),
            ("folder", about.cwd.clone().unwrap_or_default()),
            ("file", path.display().to_string()),
            ("began", when(totals.first)),
            ("last entry", when(totals.last)),
            ("made from", about.parent.clone().unwrap_or_default()),
        ];
        if let Some(exit) = &totals.exit {
            facts.push(("ended", exit.sentence()));
        }
        for (model, usage) in &totals.models {
            let model = if model.is_empty() { "a model" } else { model };
            facts.push(("model", format!("{model}: {}", spent(usage))));
        }
        if totals.models.len() > 1 {
            facts.push(("altogether", spent(&totals.usage)));
        }
        facts.retain(|(_, value)| !value.trim().is_empty());
        for (name, value) in facts {
            let value = word(&value);
            self.put(
                format!("- {name}: {value}\n"),
                format!("{name:<11} {value}\n"),
                out,
            )?;
        }
        Ok(())
    }

    /// The next entry follows another one than the one before.
    pub fn goes_back(&self, to: Option<&Entry>, out: &mut Sink<'_>) -> Result<()> {
        let to = match to {
            Some(entry) => format!("{} {}", when(entry.time), word(&entry.head)),
            None => "the beginning".to_owned(),
        };
        self.heading(2, &format!("another branch: back to {to}"), out)
    }

    /// Writes an entry; says how many thoughts were left out.
    pub fn entry(&self, entry: &Entry, body: Body, out: &mut Sink<'_>) -> Result<u64> {
        let mut parts = vec![who(entry), when(entry.time)];
        if entry.kind == LineKind::Result {
            parts.extend(entry.took.map(span));
            parts.extend(entry.failed.then(|| "failed".to_owned()));
        }
        parts.retain(|part| !part.is_empty());
        let level = if entry.kind == LineKind::Result { 3 } else { 2 };
        self.heading(level, &parts.join(" · "), out)?;
        let facts: Vec<String> = body
            .facts
            .iter()
            .filter(|(name, _)| *name != "tool")
            .map(|(name, value)| format!("{name}: {}", word(value)))
            .collect();
        if !facts.is_empty() {
            let facts = facts.join(", ");
            self.put(
                format!("*{}*\n\n", starless(&facts)),
                format!("({facts})\n\n"),
                out,
            )?;
        }
        let mut left = 0;
        for block in body.blocks {
            left += self.block(entry, block, out)?;
        }
        if let Some(spent_here) = entry.usage.as_ref().filter(|u| u.1.total > 0) {
            let line = spent(&spent_here.1);
            self.put(
                format!("\n<sub>{line}</sub>\n"),
                format!("\n[{line}]\n"),
                out,
            )?;
        }
        Ok(left)
    }

    fn block(&self, entry: &Entry, block: Block, out: &mut Sink<'_>) -> Result<u64> {
        match block {
            // What a tool gave back is no Markdown, whatever it looks like.
            Block::Text(text) if entry.kind == LineKind::Result => {
                self.fenced("", "", &text, out)?;
            }
            Block::Text(text) => {
                out.foreign(&text, "")?;
                out.put("\n")?;
            }
            Block::Thinking(_) | Block::Hidden(_) if !self.options.thinking => return Ok(1),
            Block::Thinking(text) => self.quoted("thought", &text, "  | ", out)?,
            Block::Hidden(length) => {
                let text = format!(
                    "a thought of {}, encrypted by the provider",
                    amount::count(length as u64, "character", "characters")
                );
                self.remark(&text, out)?;
            }
            Block::Image(media, place) => self.remark(&self.image(&media, &place), out)?,
            Block::Call(name, intent, mut arguments) => {
                let about = intent.map_or_else(String::new, |i| format!(" — {}", word(&i)));
                self.label(&format!("calls {}{about}", word(&name)), out)?;
                self.data(&mut arguments, out)?;
            }
            Block::Named(name, text) => self.fenced(&name, "", &text, out)?,
            Block::Error(text) => self.quoted("error", &text, "  ! ", out)?,
            Block::Data(name, mut value) => {
                // The heading has said it.
                if name != entry.name {
                    self.label(&word(&name), out)?;
                }
                self.data(&mut value, out)?;
            }
        }
        Ok(0)
    }

    fn quoted(&self, label: &str, text: &str, before: &str, out: &mut Sink<'_>) -> Result<()> {
        self.label(label, out)?;
        out.foreign(text, if self.is_markdown() { "> " } else { before })?;
        out.put("\n")
    }

    fn label(&self, text: &str, out: &mut Sink<'_>) -> Result<()> {
        self.put(
            format!("**{}**\n\n", starless(text)),
            format!("[{text}]\n"),
            out,
        )
    }

    fn remark(&self, text: &str, out: &mut Sink<'_>) -> Result<()> {
        self.put(
            format!("*[{}]*\n\n", starless(text)),
            format!("[{text}]\n\n"),
            out,
        )
    }

    /// Data by the names of its members: a redactor knows more of them than of text.
    fn data(&self, value: &mut Value, out: &mut Sink<'_>) -> Result<()> {
        if let Some(redactor) = self.redactor {
            redactor.redact_json(value);
        }
        // One text with line ends is read more easily as it is than escaped.
        if let Value::Object(members) = &value
            && let [(name, Value::String(text))] = members.iter().collect::<Vec<_>>().as_slice()
            && text.contains('\n')
        {
            return self.fenced(name, "", text, out);
        }
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        self.fenced("", "json", &text, out)
    }

    /// Text as it is, in a fence that it cannot close.
    fn fenced(&self, name: &str, language: &str, text: &str, out: &mut Sink<'_>) -> Result<()> {
        if !name.is_empty() {
            self.label(&word(name), out)?;
        }
        if text.is_empty() {
            return self.remark("nothing", out);
        }
        if !self.is_markdown() {
            out.foreign(text, "    ")?;
            return out.put("\n");
        }
        let longest = text
            .split(|c| c != '`')
            .map(str::len)
            .max()
            .unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        out.put(&format!("{fence}{language}\n"))?;
        out.foreign(text, "")?;
        out.put(&format!("{fence}\n\n"))
    }

    fn image(&self, media: &str, place: &PicturePlace) -> String {
        let media = word(media);
        match place {
            PicturePlace::Inline(bytes) => format!("{media}, {}", size(*bytes)),
            PicturePlace::Blob(hash) => match body::blob(&self.options.blobs, hash) {
                Some((path, bytes)) => {
                    format!(
                        "{media}, {}, {}",
                        size(bytes),
                        word(&path.display().to_string())
                    )
                }
                None => format!("{media}, blob {} that is not there", word(hash)),
            },
            PicturePlace::Nowhere => format!("{media} without content"),
        }
    }

    pub fn end(&self, report: &Report, out: &mut Sink<'_>) -> Result<()> {
        let said = word(&report.sentences().join("; "));
        self.put(
            format!("\n---\n\n{said}.\n"),
            format!("\n{}\n{said}.\n", "─".repeat(RULE)),
            out,
        )
    }
}

/// Who says it.
pub fn who(entry: &Entry) -> String {
    let name = word(&entry.name);
    match entry.kind {
        LineKind::User => "Person".to_owned(),
        LineKind::Developer => format!("Program ({name})"),
        LineKind::Assistant => "Model".to_owned(),
        LineKind::Result => {
            let tool = entry.call.as_deref().map_or("?", |call| &call.name);
            format!("Result of {}", word(tool))
        }
        LineKind::Shell => format!("Person ran ({name})"),
        LineKind::Summary => format!("Summary ({name})"),
        LineKind::Exit => "End of the process".to_owned(),
        LineKind::Init => "Task".to_owned(),
        LineKind::Unknown => format!("Unknown entry: {name}"),
        _ => name,
    }
}
