//! One line of a session as an outline: what it is, where it hangs in the tree, the first words, what it cost.
//!
//! Nothing here fails: a member of another type than expected counts as missing. All of the text is [`super::body`]'s.

use serde_json::{Map, Value};

use super::figures::Usage;
use crate::{
    SafeText,
    members::{items, member, number, text},
};

/// What every entry has.
pub(super) const BASE: &[&str] = &["type", "id", "parentId", "timestamp"];

/// Bytes of the first line that are kept.
const HEAD: usize = 240;

/// What a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineKind {
    /// The title slot at the beginning of the file.
    Title,
    Header,
    /// What the person said.
    User,
    /// What the program told the model.
    Developer,
    /// What the model said.
    Assistant,
    /// What a tool gave back.
    Result,
    /// A command or a piece of Python that the person ran.
    Shell,
    /// A summary that stands for older entries or another branch.
    Summary,
    /// Another model, level, mode, title, label.
    Change,
    /// With what a subagent began.
    Init,
    /// When a tool began.
    Start,
    /// How the process ended.
    Exit,
    /// What an extension noted.
    Custom,
    /// A type that this program does not know.
    #[default]
    Unknown,
}

/// A tool's call, its beginning or its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
}

impl Call {
    fn read(value: &Value, id: &str, name: &str) -> Self {
        Self {
            id: text(value, id).unwrap_or_default().to_owned(),
            name: text(value, name).unwrap_or("?").to_owned(),
        }
    }
}

/// What the file says of the session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The session's id.
    pub id: Option<String>,
    pub title: Option<SafeText>,
    /// Where omp ran.
    pub cwd: Option<String>,
    /// The format's version.
    pub version: Option<u64>,
    /// The session from which this one was made.
    pub parent: Option<String>,
}

/// How the process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// Why.
    pub reason: String,
    /// `normal`, `signal`, `fatal`, `process_exit`.
    pub kind: String,
    /// Tool calls without an answer.
    pub pending: usize,
}

impl Exit {
    /// In words.
    pub fn sentence(&self) -> String {
        let pending = match self.pending {
            0 => String::new(),
            n => format!(
                ", {} without an answer",
                base::text::amount::count(n as u64, "tool call", "tool calls")
            ),
        };
        format!("{} ({}){pending}", self.reason, self.kind)
    }
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Where the line begins in the file.
    pub offset: u64,
    /// Its bytes, with its end.
    pub length: u64,
    pub kind: LineKind,
    /// As the file calls it: type, role or custom type.
    pub name: String,
    /// Its id; the oldest sessions have none.
    pub id: Option<String>,
    /// The entry it follows.
    pub parent: Option<String>,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The first line of what it says; foreign text.
    pub head: String,
    /// Tools that the model called.
    pub calls: Vec<Call>,
    /// The call that this is the beginning or the result of.
    pub call: Option<Box<Call>>,
    /// Whether it tells of a failure.
    pub failed: bool,
    /// How long the tool or the answer took, in milliseconds.
    pub took: Option<i64>,
    /// The model, and what it took.
    pub usage: Option<Box<(String, Usage)>>,
    /// Why the model stopped.
    pub stop: Option<String>,
    /// Of the title slot and the header.
    pub about: Option<Box<About>>,
    /// Of a session's end.
    pub exit: Option<Box<Exit>>,
}

/// A time: ISO, or milliseconds since 1970.
pub(super) fn time(value: &Value, name: &str) -> Option<i64> {
    match value.get(name)? {
        Value::String(text) => text
            .parse::<jiff::Timestamp>()
            .ok()
            .map(jiff::Timestamp::as_millisecond),
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|ms| ms as i64)),
        _ => None,
    }
}

/// The first line that says something, not longer than is useful.
pub(super) fn head_of(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    line.get(..line.floor_char_boundary(HEAD))
        .unwrap_or_default()
        .to_owned()
}

impl Entry {
    /// What a person asked, or a subagent was asked, if this is that: a session without a title is called by the first of these.
    pub fn first_question(&self) -> Option<SafeText> {
        // A subagent is asked with its first entry.
        let asks = matches!(self.kind, LineKind::User | LineKind::Init);
        (asks && !self.head.is_empty()).then(|| self.shown_head())
    }

    /// The first line of what it says, for where nobody asked for it.
    pub fn shown_head(&self) -> SafeText {
        SafeText::cut(&self.head, HEAD)
    }

    /// The outline of a line.
    pub fn read(value: &Value, offset: u64, length: u64) -> Self {
        let message = member(value, "message");
        let sort = text(value, "type").unwrap_or_default();
        let (kind, name) = kind(value, sort, message);
        let mut entry = Self {
            offset,
            length,
            kind,
            name: head_of(name),
            id: text(value, "id").map(str::to_owned),
            parent: text(value, "parentId").map(str::to_owned),
            time: time(value, "timestamp").or_else(|| time(message, "timestamp")),
            ..Self::default()
        };
        match kind {
            LineKind::Title | LineKind::Header => entry.about = Some(Box::new(about(value, kind))),
            LineKind::Assistant => entry.assistant(message),
            LineKind::Result => {
                entry.call = Some(Box::new(Call::read(message, "toolCallId", "toolName")));
                entry.failed = message.get("isError").and_then(Value::as_bool) == Some(true);
                // The message's own time is that of the result, the entry's that of writing it down.
                entry.time = time(message, "timestamp").or(entry.time);
            }
            LineKind::Start => entry.start(member(value, "data")),
            LineKind::Exit => entry.exit(member(value, "data")),
            LineKind::Shell => {
                let code = message.get("exitCode").and_then(Value::as_i64);
                entry.failed = code.is_some_and(|code| code != 0);
            }
            _ => {}
        }
        if entry.head.is_empty() {
            entry.head = head(value, kind);
        }
        entry
    }

    fn assistant(&mut self, message: &Value) {
        let model = [text(message, "provider"), text(message, "model")];
        let model: Vec<&str> = model.into_iter().flatten().collect();
        let usage = Usage::read(member(message, "usage"));
        self.usage = Some(Box::new((model.join("/"), usage)));
        self.stop = text(message, "stopReason").map(str::to_owned);
        self.failed =
            self.stop.as_deref() == Some("error") || text(message, "errorMessage").is_some();
        self.took = time(message, "duration").filter(|ms| *ms > 0);
        self.calls = items(message, "content")
            .filter(|block| text(block, "type") == Some("toolCall"))
            .map(|block| Call::read(block, "id", "name"))
            .collect();
    }

    fn start(&mut self, data: &Value) {
        self.call = Some(Box::new(Call::read(data, "toolCallId", "toolName")));
        self.time = time(data, "startedAt").or(self.time);
        self.head = head_of(text(data, "intent").unwrap_or_default());
    }

    fn exit(&mut self, data: &Value) {
        let pending = data.get("pendingToolCalls");
        let exit = Exit {
            reason: head_of(text(data, "reason").unwrap_or_default()),
            kind: text(data, "kind").unwrap_or("normal").to_owned(),
            pending: pending.and_then(Value::as_array).map_or_else(
                || pending.and_then(Value::as_u64).unwrap_or(0) as usize,
                Vec::len,
            ),
        };
        self.failed = exit.kind != "normal";
        self.head = if exit.reason.is_empty() {
            exit.kind.clone()
        } else {
            format!("{} ({})", exit.reason, exit.kind)
        };
        self.exit = Some(Box::new(exit));
    }
}

fn about(value: &Value, kind: LineKind) -> About {
    let own = |name: &str| {
        text(value, name)
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    About {
        id: own("id").filter(|_| kind == LineKind::Header),
        title: own("title").map(|title| SafeText::from(title.as_str())),
        cwd: own("cwd"),
        // The first format did not say so.
        version: (kind == LineKind::Header).then(|| number(value, "version").unwrap_or(1)),
        parent: own("parentSession"),
    }
}

/// What a line is, and what the file calls it.
fn kind<'v>(value: &'v Value, sort: &'v str, message: &'v Value) -> (LineKind, &'v str) {
    let custom = text(value, "customType").unwrap_or("custom");
    match sort {
        "title" => (LineKind::Title, sort),
        "session" => (LineKind::Header, sort),
        "message" => {
            let role = text(message, "role").unwrap_or("message without a role");
            let kind = match role {
                "user" => LineKind::User,
                "developer" | "fileMention" => LineKind::Developer,
                "assistant" => LineKind::Assistant,
                "toolResult" => LineKind::Result,
                "bashExecution" | "pythonExecution" => LineKind::Shell,
                "branchSummary" | "compactionSummary" => LineKind::Summary,
                "custom" | "hookMessage" => LineKind::Custom,
                _ => LineKind::Unknown,
            };
            (kind, role)
        }
        "compaction" | "branch_summary" => (LineKind::Summary, sort),
        "thinking_level_change"
        | "model_change"
        | "service_tier_change"
        | "reset_boundary"
        | "label"
        | "title_change"
        | "mode_change"
        | "ttsr_injection"
        | "credential_pin" => (LineKind::Change, sort),
        "session_init" => (LineKind::Init, sort),
        "custom" => match custom {
            "tool_execution_start" => (LineKind::Start, custom),
            "session_exit" => (LineKind::Exit, custom),
            _ => (LineKind::Custom, custom),
        },
        "custom_message" => (LineKind::Custom, custom),
        "" => (LineKind::Unknown, "entry without a type"),
        _ => (LineKind::Unknown, sort),
    }
}

/// What stands in a line of a list for an entry.
fn head(value: &Value, kind: LineKind) -> String {
    let message = member(value, "message");
    let direct = match kind {
        LineKind::Shell => text(message, "command").or_else(|| text(message, "code")),
        LineKind::Summary => ["shortSummary", "summary"]
            .iter()
            .find_map(|name| text(value, name).or_else(|| text(message, name))),
        LineKind::Init => text(value, "task"),
        LineKind::Title | LineKind::Header => text(value, "title"),
        LineKind::Change => [
            "model",
            "thinkingLevel",
            "serviceTier",
            "mode",
            "title",
            "label",
            "provider",
        ]
        .iter()
        .find_map(|name| text(value, name)),
        _ => None,
    };
    if let Some(direct) = direct {
        return head_of(direct);
    }
    match message.get("content").or_else(|| value.get("content")) {
        Some(Value::String(content)) => head_of(content),
        Some(Value::Array(blocks)) => content_head(blocks, message),
        _ => match kind {
            LineKind::Unknown | LineKind::Custom => {
                let data = value.get("data").filter(|data| !data.is_null());
                data.map_or_else(|| members(value), |data| head_of(&short(data)))
            }
            _ => text(message, "errorMessage")
                .map(head_of)
                .unwrap_or_default(),
        },
    }
}

/// The names of what an entry has besides what every entry has.
fn members(value: &Value) -> String {
    let members = value.as_object().into_iter().flatten();
    let own = members.filter(|(name, _)| !BASE.contains(&name.as_str()));
    let names: Vec<&str> = own.take(8).map(|(name, _)| name.as_str()).collect();
    head_of(&names.join(", "))
}

fn content_head(blocks: &[Value], message: &Value) -> String {
    let of = |sort: &'static str| blocks.iter().filter(move |b| text(b, "type") == Some(sort));
    let said = of("text").filter_map(|b| text(b, "text")).map(head_of);
    if let Some(said) = said.into_iter().find(|said| !said.is_empty()) {
        return said;
    }
    if let Some(error) = text(message, "errorMessage") {
        return head_of(error);
    }
    if let Some(call) = of("toolCall").next() {
        let name = text(call, "name").unwrap_or("?");
        let rest = of("toolCall").count() - 1;
        let more = if rest > 0 {
            format!(" (+{rest})")
        } else {
            String::new()
        };
        let arguments = member(call, "arguments");
        let about = text(call, "intent").map_or_else(|| short(arguments), str::to_owned);
        return head_of(&format!("{name}{more}: {}", head_of(&about)));
    }
    if of("image").next().is_some() {
        return "[image]".to_owned();
    }
    of("thinking")
        .find_map(|b| text(b, "thinking"))
        .map(head_of)
        .unwrap_or_default()
}

/// The first text in a value that says something.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => members
            .values()
            .find_map(Value::as_str)
            .map_or_else(|| names(members), str::to_owned),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn names(members: &Map<String, Value>) -> String {
    let names: Vec<&str> = members.keys().take(8).map(String::as_str).collect();
    names.join(", ")
}
