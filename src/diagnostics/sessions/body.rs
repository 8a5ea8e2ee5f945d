//! All that an entry says: texts, thoughts, calls, results, pictures, and by its name what this program does not know.
//!
//! The text is as foreign as it was; making it harmless and taking secrets out is left to whoever shows it.

use base::text::amount::span;
use serde_json::Map;

use super::entry::{BASE, LineKind, time};
use crate::{
    members::{items, member, text},
    prelude::*,
};

/// Where a picture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PicturePlace {
    /// In the entry, with so many bytes.
    Inline(u64),
    /// In omp's folder of blobs, by its SHA-256.
    Blob(String),
    /// The entry does not say.
    Nowhere,
}

/// A part of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Prose.
    Text(String),
    /// What the model thought.
    Thinking(String),
    /// What the model thought, encrypted: so many characters.
    Hidden(usize),
    /// A picture: its media type, and where it is.
    Image(String, PicturePlace),
    /// A tool is called: name, what it is for, what it is given.
    Call(String, Option<String>, Value),
    /// Text under a name, kept as it is: a command, its output, a file.
    Named(String, String),
    /// Something failed.
    Error(String),
    /// Data under a name.
    Data(String, Value),
}

/// An entry in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// What is known of it, in the order of importance: name, value.
    pub facts: Vec<(&'static str, String)>,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Body {
    /// Reads a line's JSON.
    pub fn read(value: &Value, kind: LineKind) -> Self {
        let mut body = Self::default();
        let sort = text(value, "type").unwrap_or_default();
        match value.get("message").filter(|_| sort == "message") {
            Some(message) if kind != LineKind::Unknown => body.message(message, kind),
            _ => body.other(value, sort, kind),
        }
        body
    }

    /// All of its text in one piece, for searching.
    pub fn plain(&self) -> String {
        let mut all = String::new();
        for block in &self.blocks {
            let part: Cow<'_, str> = match block {
                Block::Text(text) | Block::Thinking(text) | Block::Error(text) => text.into(),
                Block::Named(name, text) => format!("{name}\n{text}").into(),
                Block::Call(name, intent, arguments) => {
                    let mut part = format!("{name} {}\n", intent.as_deref().unwrap_or_default());
                    strings(arguments, &mut part);
                    part.into()
                }
                Block::Data(name, value) => {
                    let mut part = format!("{name}\n");
                    strings(value, &mut part);
                    part.into()
                }
                Block::Image(media, _) => media.into(),
                Block::Hidden(_) => continue,
            };
            all.push_str(&part);
            all.push('\n');
        }
        all
    }

    fn fact(&mut self, name: &'static str, value: Option<impl Into<String>>) {
        if let Some(value) = value.map(Into::into).filter(|value| !value.is_empty()) {
            self.facts.push((name, value));
        }
    }

    fn message(&mut self, message: &Value, kind: LineKind) {
        match kind {
            LineKind::Assistant => {
                self.fact("model", text(message, "model"));
                self.fact("provider", text(message, "provider"));
                self.fact("via", text(message, "upstreamProvider"));
                self.fact("stopped", text(message, "stopReason"));
                self.fact("took", time(message, "duration").map(span));
                self.fact("first token after", time(message, "ttft").map(span));
            }
            LineKind::Result => self.fact("tool", text(message, "toolName")),
            LineKind::Shell => return self.shell(message),
            _ => {}
        }
        self.content(member(message, "content"));
        if kind == LineKind::Summary {
            self.text(text(message, "summary"));
        }
        for file in items(message, "files") {
            let name = text(file, "path").unwrap_or("file");
            let content = text(file, "content").unwrap_or_default();
            self.named(name, content);
        }
        if kind == LineKind::Result
            && self.blocks.is_empty()
            && let Some(details) = message.get("details").filter(|d| !d.is_null())
        {
            self.data("details", details.clone());
        }
        if let Some(error) = text(message, "errorMessage") {
            let status = message.get("errorStatus").and_then(Value::as_i64);
            let status = status.map_or_else(String::new, |status| format!(" (status {status})"));
            self.blocks.push(Block::Error(format!("{error}{status}")));
        }
    }

    fn shell(&mut self, message: &Value) {
        let code = message.get("exitCode").and_then(Value::as_i64);
        self.fact("exit code", code.map(|code| code.to_string()));
        let flag = |name: &str| message.get(name).and_then(Value::as_bool) == Some(true);
        self.fact("cancelled", flag("cancelled").then_some("yes"));
        self.fact("cut", flag("truncated").then_some("yes"));
        self.fact("all of it in", text(message, "fullOutputPath"));
        for name in ["command", "code", "output"] {
            if let Some(content) = text(message, name) {
                self.named(name, content);
            }
        }
    }

    fn named(&mut self, name: &str, content: &str) {
        let named = Block::Named(name.to_owned(), content.to_owned());
        self.blocks.push(named);
    }

    fn data(&mut self, name: &str, value: Value) {
        self.blocks.push(Block::Data(name.to_owned(), value));
    }

    fn text(&mut self, content: Option<&str>) {
        if let Some(content) = content.filter(|content| !content.is_empty()) {
            self.blocks.push(Block::Text(content.to_owned()));
        }
    }

    fn content(&mut self, content: &Value) {
        match content {
            Value::String(content) => self.text(Some(content)),
            Value::Array(blocks) => self.blocks.extend(blocks.iter().map(block)),
            Value::Null => {}
            other => self.data("content", other.clone()),
        }
    }

    /// Entries that are no messages.
    fn other(&mut self, value: &Value, sort: &str, kind: LineKind) {
        let mut rest: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
        rest.retain(|name, _| !BASE.contains(&name.as_str()));
        let mut take = |name: &str| match rest.remove(name) {
            Some(Value::String(text)) => Some(text),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Bool(flag)) => Some(flag.to_string()),
            Some(Value::Null) | None => None,
            Some(other) => Some(other.to_string()),
        };
        match kind {
            LineKind::Summary => {
                let summary = take("summary");
                take("shortSummary");
                self.text(summary.as_deref());
            }
            LineKind::Init => {
                let (agent, task) = (take("agent"), take("task"));
                self.fact("agent", agent);
                self.fact("tools", take("tools"));
                self.text(task.as_deref());
                if let Some(prompt) = take("systemPrompt") {
                    self.named("system prompt", &prompt);
                }
            }
            LineKind::Title | LineKind::Header => drop(take("pad")),
            LineKind::Custom if sort == "custom_message" => {
                take("customType");
                let content = rest.remove("content").unwrap_or_default();
                self.content(&content);
            }
            LineKind::Custom | LineKind::Exit | LineKind::Start => {
                take("customType");
                if let Some(data) = rest.remove("data").filter(|data| !data.is_null()) {
                    self.data("data", data);
                }
            }
            _ => {}
        }
        if !rest.is_empty() {
            let name = if sort.is_empty() { "entry" } else { sort };
            self.data(name, Value::Object(rest));
        }
    }
}

fn block(block: &Value) -> Block {
    let own = |name: &str| text(block, name).unwrap_or_default().to_owned();
    match text(block, "type").unwrap_or_default() {
        "text" => Block::Text(own("text")),
        "thinking" => Block::Thinking(own("thinking")),
        "redactedThinking" => Block::Hidden(own("data").len()),
        "image" => {
            let media = text(block, "mimeType").or_else(|| text(block, "mediaType"));
            let data = text(block, "data").or_else(|| text(block, "url"));
            let place = match data {
                None | Some("") => PicturePlace::Nowhere,
                Some(data) => match data.strip_prefix("blob:sha256:") {
                    Some(hash) => PicturePlace::Blob(hash.to_owned()),
                    None => PicturePlace::Inline((data.trim_end_matches('=').len() / 4 * 3) as u64),
                },
            };
            Block::Image(media.unwrap_or("image").to_owned(), place)
        }
        "toolCall" => Block::Call(
            text(block, "name").unwrap_or("?").to_owned(),
            text(block, "intent").map(str::to_owned),
            block.get("arguments").cloned().unwrap_or_default(),
        ),
        "" => Block::Data("block without a type".to_owned(), block.clone()),
        other => Block::Data(other.to_owned(), block.clone()),
    }
}

fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(members) => {
            for (name, value) in members {
                out.push_str(name);
                out.push(' ');
                strings(value, out);
            }
        }
        Value::Number(number) => {
            out.push_str(&number.to_string());
            out.push('\n');
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The file of a blob and its bytes, if it is there. `hash` is foreign: only one that is a hash names a file.
pub fn blob(blobs: &Path, hash: &str) -> Option<(PathBuf, u64)> {
    const EXTENSIONS: &[&str] = &["", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".bin"];
    if hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    EXTENSIONS.iter().find_map(|extension| {
        let path = blobs.join(format!("{hash}{extension}"));
        let metadata = std::fs::symlink_metadata(&path).ok()?;
        metadata.is_file().then_some((path, metadata.len()))
    })
}
