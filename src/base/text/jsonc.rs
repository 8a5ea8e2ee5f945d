//! JSON as people write it for editors: comments, and commas before a closing bracket. Every value knows its line.
//!
//! What is not JSON beyond that is refused with its place, never guessed at.

use serde_json::{Map, Number, Value};

/// Values inside of values; editors refuse deeper ones, too.
const DEEPEST: usize = 128;

/// A value, and the line that it begins on.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// From 1.
    pub line: usize,
    /// The value.
    pub item: Item,
}

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// A map, in the order of the file; a later entry of the same name is the one that counts.
    Map(Vec<(String, Node)>),
}

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct SyntaxError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

impl Node {
    /// The value of a map's entry; none when this is no map or has no such entry.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.item {
            Item::Map(entries) => entries
                .iter()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    /// The text that this is.
    pub fn text(&self) -> Option<&str> {
        match &self.item {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list that this is.
    pub fn list(&self) -> Option<&[Self]> {
        match &self.item {
            Item::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The text of a map's entry.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// What the list of a map's entry holds.
    pub fn list_of(&self, key: &str) -> &[Self] {
        self.get(key).and_then(Self::list).unwrap_or_default()
    }

    /// Whether a map's entry is `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|node| node.item == Item::Bool(true))
    }

    /// The text or the number that this is, as a word of a command line.
    pub fn word(&self) -> Option<String> {
        match &self.item {
            Item::Text(text) => Some(text.clone()),
            Item::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// What this lists, or itself where one may stand for a list of one.
    pub fn each(&self) -> &[Self] {
        self.list().unwrap_or_else(|| std::slice::from_ref(self))
    }

    /// The map that this is.
    pub fn map(&self) -> Option<&[(String, Self)]> {
        match &self.item {
            Item::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// What it is, with an article: for sentences.
    pub fn kind(&self) -> &'static str {
        match self.item {
            Item::Null => "null",
            Item::Bool(_) => "a truth value",
            Item::Number(_) => "a number",
            Item::Text(_) => "a text",
            Item::List(_) => "a list",
            Item::Map(_) => "a map",
        }
    }

    /// The same without lines.
    pub fn value(&self) -> Value {
        match &self.item {
            Item::Null => Value::Null,
            Item::Bool(yes) => Value::Bool(*yes),
            Item::Number(number) => Value::Number(number.clone()),
            Item::Text(text) => Value::String(text.clone()),
            Item::List(nodes) => nodes.iter().map(Self::value).collect(),
            Item::Map(entries) => entries
                .iter()
                .map(|(name, node)| (name.clone(), node.value()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// Reads a text.
pub fn parse(text: &str) -> Result<Node, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        text,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let node = reader.value(0)?;
    reader.blank()?;
    if reader.at < text.len() {
        return Err(reader.wrong("something stands behind the end of the value"));
    }
    Ok(node)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    line_start: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: impl Into<String>) -> SyntaxError {
        let before = self.text.get(self.line_start..self.at).unwrap_or_default();
        SyntaxError {
            line: self.line,
            column: before.chars().count() + 1,
            what: what.into(),
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Past a byte that is no line's end.
    fn take(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn new_lines(&mut self, from: usize, to: usize) {
        let passed = self.text.as_bytes().get(from..to).unwrap_or_default();
        for at in memchr::memchr_iter(b'\n', passed) {
            self.line += 1;
            self.line_start = from + at + 1;
        }
    }

    /// Past blanks and comments.
    fn blank(&mut self) -> Result<(), SyntaxError> {
        loop {
            let from = self.at;
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = rest.get(blanks..).unwrap_or_default();
            let comment = if rest.starts_with("//") {
                memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return Err(self.wrong("a comment /* is not closed")),
                }
            } else {
                0
            };
            self.at += blanks + comment;
            self.new_lines(from, self.at);
            if comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        self.blank()?;
        if depth > DEEPEST {
            return Err(self.wrong(format!("values lie more than {DEEPEST} deep in each other")));
        }
        let line = self.line;
        let item = match self.peek() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Item::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.wrong("the text ends where a value should stand")),
        };
        Ok(Node { line, item })
    }

    fn map(&mut self, depth: usize) -> Result<Item, SyntaxError> {
        let mut entries = Vec::new();
        self.until('}', |text| {
            if text.peek() != Some(b'"') {
                return Err(text.wrong("a name in double quotes, or }, should stand here"));
            }
            let name = text.string()?;
            text.blank()?;
            if !text.take(b':') {
                return Err(text.wrong(format!("a colon should stand behind the name {name:?}")));
            }
            entries.push((name, text.value(depth + 1)?));
            Ok(())
        })?;
        Ok(Item::Map(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Item, SyntaxError> {
        let mut nodes = Vec::new();
        self.until(']', |text| {
            nodes.push(text.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Item::List(nodes))
    }

    /// Past the opening bracket and one after another, with commas between them, to the closing one.
    fn until(
        &mut self,
        close: char,
        mut one: impl FnMut(&mut Self) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        self.at += 1;
        loop {
            self.blank()?;
            if self.take(close as u8) {
                return Ok(());
            }
            one(self)?;
            self.blank()?;
            if !self.take(b',') && self.peek() != Some(close as u8) {
                return Err(self.wrong(format!("a comma or {close} should stand here")));
            }
        }
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let rest = self.rest().as_bytes();
        let mut end = 1;
        loop {
            match rest.get(end) {
                Some(b'\\') => end += 2,
                Some(b'"') => break,
                Some(b'\n') | None => return Err(self.wrong("a text is not closed on its line")),
                Some(_) => end += 1,
            }
        }
        let quoted = self.rest().get(..=end).unwrap_or_default();
        let text = serde_json::from_str(quoted)
            .map_err(|error| self.wrong(format!("{quoted} is not a text of JSON: {error}")))?;
        self.at += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Item, SyntaxError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let number = serde_json::from_str(word)
            .map_err(|_bad| self.wrong(format!("{word} is not a number of JSON")))?;
        self.at += end;
        Ok(Item::Number(number))
    }

    fn word(&mut self) -> Result<Item, SyntaxError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let item = match rest.get(..end).unwrap_or_default() {
            "null" => Item::Null,
            "true" => Item::Bool(true),
            "false" => Item::Bool(false),
            "" => {
                let odd = rest.chars().next().unwrap_or(' ');
                return Err(self.wrong(format!("{odd:?} should not stand here")));
            }
            other => {
                return Err(
                    self.wrong(format!("{other} is no value: texts stand in double quotes"))
                );
            }
        };
        self.at += end;
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn comments_and_last_commas_are_passed_over() {
        let node = parse(
            "// head\n{ /* a\n b */ \"x\": [1, 2.5, true, null,], // tail\n  \"url\": \"http://a//b\",\n}\n// end",
        )
        .unwrap();
        assert_eq!(
            node.value(),
            json!({"x": [1, 2.5, true, null], "url": "http://a//b"})
        );
        assert_eq!(node.get("x").unwrap().line, 3);
        assert_eq!(node.get("url").unwrap().line, 4);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let wrong = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            wrong("{\n  \"é\" 1}"),
            "line 2, column 7: a colon should stand behind the name \"é\""
        );
        assert_eq!(
            wrong("[1 2]"),
            "line 1, column 4: a comma or ] should stand here"
        );
        assert!(wrong("{a: 1}").contains("a name in double quotes"));
        assert!(wrong("[yes]").contains("yes is no value"));
        assert!(wrong("/* x").contains("not closed"));
        assert!(wrong("\"x\n\"").contains("not closed"));
        assert!(wrong("01").contains("01 is not a number"));
        assert!(wrong("{} {}").contains("behind the end"));
        assert!(wrong(&"[".repeat(100_000)).contains("deep in each other"));
    }

    proptest! {
        #[test]
        fn what_is_json_is_read_as_json(text in "[\\[\\]{}:,\"a0\\\\/* \n-]{0,40}") {
            let ours = parse(&text);
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(ours.unwrap().value(), value);
            }
        }
    }
}
