//! Pages that the program makes of its own values: one expression in its language, which only reads, and its answer.

use crate::prelude::*;

/// In which language a program can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Python,
    Javascript,
}

/// Bytes of the longest answer that is read.
const LONGEST: usize = 16 << 20;
const PYTHON: &str = include_str!("../../../assets/data/page.py");
const JAVASCRIPT: &str = include_str!("../../../assets/data/page.js");

/// The expression that makes a page of `value`, within so many seconds. `token` stands for what an order of rows may be kept for.
pub fn expression(
    language: Language,
    value: &str,
    query: &Query,
    seconds: f64,
    token: &str,
) -> String {
    let asked = json!({
        "view": query.view,
        "rows": query.rows,
        "columns": query.columns,
        "sort": query.order(),
        "filter": query.terms(),
        "column": query.column,
        "points": query.points,
        "pixels": query.pixels,
        "seconds": seconds,
        "token": format!("{token} {value}"),
    });
    match language {
        // A text in JSON is one in Python, too, where only ASCII is in it.
        Language::Python => format!(
            "(lambda names: exec({}, names) or names['page'])({{}})(eval({}, globals(), locals()), {})",
            ascii(PYTHON),
            ascii(value.trim()),
            ascii(&asked.to_string())
        ),
        Language::Javascript => format!("({JAVASCRIPT})(({value}\n), {asked})"),
    }
}

/// A text in quotes, in ASCII.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in Value::from(text).to_string().chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.extend(
                c.encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        }
    }
    out
}

/// What the program answered.
#[derive(Deserialize)]
struct Answer {
    error: Option<String>,
    #[serde(default)]
    content: Value,
    #[serde(flatten)]
    data: Map<String, Value>,
}

/// Whether a text is an answer at all.
pub fn is_answer(answer: &str) -> bool {
    answer.trim_start().starts_with(['\'', '"', '`', '{'])
}

/// Reads what the program answered, as the debugger shows a text: perhaps in quotes.
pub fn read(answer: &str) -> Result<Data> {
    let odd = |why: String| DebuggerError::adapter(format!("The program gave no data: {why}"));
    if answer.len() > LONGEST {
        return Err(odd(format!("its answer has {} bytes", answer.len())));
    }
    let plain = unquoted(answer);
    let answer: Answer =
        serde_json::from_slice(plain.as_bytes()).map_err(|error| odd(error.to_string()))?;
    if let Some(error) = answer.error {
        return Err(DebuggerError::usage(error));
    }
    let mut data = answer.data;
    let view = data.get("view").cloned().unwrap_or_default();
    let content = match view.as_str() {
        Some("tree") | None => "none".into(),
        Some(name) => json!({ name: answer.content }),
    };
    data.put("content", content);
    serde_json::from_value(data.into()).map_err(|error| odd(error.to_string()))
}

/// A text without the quotes that a debugger puts around it.
pub(crate) fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inside = ['\'', '"', '`']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let Some(inside) = inside else {
        return text.to_owned();
    };
    let mut out = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

impl Data {
    /// A value of which only its parts can be seen.
    pub fn tree(kind: String) -> Self {
        Self {
            kind,
            view: Some(View::Tree),
            content: Content::None,
            ..Self::default()
        }
    }
}

/// What holds a part, and the name under which it does: of `a.b[0]` it is `a.b` and `[0]`.
pub fn last_step(expression: &str) -> Option<(&str, &str)> {
    let begin = if expression.ends_with(']') { '[' } else { '.' };
    let (holder, part) = expression.split_at_checked(expression.rfind(begin)?)?;
    (!holder.is_empty()).then(|| (holder, part.trim_start_matches('.')))
}
