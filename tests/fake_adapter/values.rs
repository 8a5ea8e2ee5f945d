//! The program's variables and its very small expression language.

use std::collections::HashMap;

use serde_json::{Value, json};

/// What a variables reference stands for. References die with the stop that made them.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Locals { line: u32, pass: u32 },
    Globals,
    Items,
    Order,
    Customer,
    Address,
    Lines,
    OrderLine(usize),
}

#[derive(Default)]
pub struct Values {
    handles: Vec<Node>,
    /// References of this stop start after it: an old one must not be taken for a new one.
    base: i64,
    /// What setVariable changed, by the variable's name.
    changed: HashMap<String, String>,
    /// Whether it is told where some of them are declared.
    locations: bool,
    /// Megabytes of the local `big`; 0: there is none.
    big: usize,
}

/// What location references stand for: reference, line, column, end line; the last of them is text that no file has.
pub const PLACES: [(i64, u32, u32, u32); 4] = [
    (7001, 5, 3, 6),
    (7002, 2, 1, 2),
    (7003, 8, 2, 8),
    (7004, 4, 1, 4),
];

impl Values {
    pub fn new(locations: bool, big: usize) -> Self {
        Self {
            locations,
            big,
            ..Self::default()
        }
    }

    pub fn forget_references(&mut self) {
        self.base += 1000;
        self.handles.clear();
    }

    pub fn reference(&mut self, node: &Node) -> i64 {
        let index = self.handles.iter().position(|known| known == node);
        let index = index.unwrap_or_else(|| {
            self.handles.push(node.clone());
            self.handles.len() - 1
        });
        self.base + i64::try_from(index).unwrap() + 1
    }

    pub fn node(&self, reference: i64) -> Option<Node> {
        let index = usize::try_from(reference - self.base - 1).ok()?;
        self.handles.get(index).cloned()
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.changed.insert(name.to_owned(), value.to_owned());
    }

    fn leaf(&self, name: &str, kind: &str, value: impl Into<String>) -> Value {
        let value = self
            .changed
            .get(name)
            .cloned()
            .unwrap_or_else(|| value.into());
        json!({"name": name, "value": value, "type": kind, "evaluateName": name,
            "variablesReference": 0})
    }

    fn branch(&mut self, name: &str, kind: &str, value: &str, node: &Node) -> Value {
        let reference = self.reference(node);
        let mut variable = json!({"name": name, "value": value, "type": kind,
            "evaluateName": name, "variablesReference": reference});
        match name {
            "order" if self.locations => {
                variable["valueLocationReference"] = json!(7001);
                variable["declarationLocationReference"] = json!(7002);
            }
            "customer" if self.locations => variable["valueLocationReference"] = json!(7003),
            _ => {}
        }
        variable
    }

    /// The variables below a node; `window` is (start, count) of its indexed part.
    pub fn children(
        &mut self,
        node: &Node,
        list: usize,
        filter: Option<&str>,
        window: (usize, usize),
    ) -> Vec<Value> {
        let page = |length: usize| {
            let (start, count) = window;
            let end = if count == 0 {
                length
            } else {
                (start + count).min(length)
            };
            start.min(end)..end
        };
        if filter == Some("indexed") && !matches!(node, Node::Items | Node::Lines) {
            return Vec::new();
        }
        match node {
            Node::Locals { line, pass } => {
                let mut items =
                    self.branch("items", "list", &format!("[{list} items]"), &Node::Items);
                items["indexedVariables"] = json!(list);
                items["namedVariables"] = json!(0);
                let order = self.branch("order", "dict", "{'id': 7, …}", &Node::Order);
                let mut locals = vec![
                    self.leaf("i", "int", pass.to_string()),
                    self.leaf("line", "int", line.to_string()),
                    self.leaf("name", "str", "'Ada'"),
                    self.leaf("price", "float", "12.5"),
                    self.leaf("nothing", "NoneType", "None"),
                    self.leaf("unicode", "str", "'naïve 日本 👩‍💻'"),
                    self.leaf("escapes", "str", "'\u{1b}[31mred\u{1b}[0m\u{7}\tend'"),
                    items,
                    order,
                ];
                if self.big > 0 {
                    let text = "x".repeat(self.big * 1_000_000);
                    locals.push(self.leaf("big", "str", text));
                }
                locals
            }
            Node::Globals => vec![
                self.leaf("VERSION", "str", "'1.2'"),
                self.leaf("DEBUG", "bool", "True"),
            ],
            Node::Items => page(list)
                .map(|index| {
                    json!({"name": format!("[{index}]"), "value": (index * index).to_string(),
                        "type": "int", "evaluateName": format!("items[{index}]"),
                        "variablesReference": 0})
                })
                .collect(),
            Node::Order => vec![
                self.leaf("id", "int", "7"),
                self.branch("customer", "Customer", "Customer(…)", &Node::Customer),
                self.branch("lines", "list", "[3 items]", &Node::Lines),
            ],
            Node::Customer => vec![
                self.leaf("name", "str", "'Grace'"),
                self.branch("address", "Address", "Address(…)", &Node::Address),
            ],
            Node::Address => vec![
                self.leaf("street", "str", "'Main Street 1'"),
                self.leaf("city", "str", "'Arlington'"),
            ],
            Node::Lines => page(3)
                .map(|index| {
                    let name = format!("[{index}]");
                    self.branch(&name, "dict", "{…}", &Node::OrderLine(index))
                })
                .collect(),
            Node::OrderLine(index) => vec![
                self.leaf("sku", "str", format!("'A-{index}'")),
                self.leaf("quantity", "int", (index + 1).to_string()),
            ],
        }
    }

    /// The answer to `evaluate`, or the adapter's words for why there is none.
    pub fn evaluate(
        &mut self,
        text: &str,
        pass: u32,
        line: u32,
        list: usize,
    ) -> Result<Value, String> {
        let text = text.trim();
        let locals = self.children(&Node::Locals { line, pass }, list, None, (0, 0));
        if let Some(found) = locals.iter().find(|local| local["name"] == text) {
            let mut body = found.clone();
            body["result"] = body["value"].take();
            return Ok(body);
        }
        let simple = |kind: &str, result: String| {
            Ok(json!({"result": result, "type": kind, "variablesReference": 0}))
        };
        if text == "len(items)" {
            return simple("int", list.to_string());
        }
        if let Some(index) = text
            .strip_prefix("items[")
            .and_then(|rest| rest.strip_suffix(']'))
        {
            let index: usize = index
                .parse()
                .map_err(|error| format!("TypeError: bad index ({error})"))?;
            if index >= list {
                return Err("IndexError: list index out of range".to_owned());
            }
            return simple("int", (index * index).to_string());
        }
        if text == "big" {
            return simple("str", format!("'{}'", "x".repeat(1_000_000)));
        }
        if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
            return simple("str", text.to_owned());
        }
        let names = |name: &str| integer(name, pass, line);
        if let Some(truth) = condition(text, names) {
            return simple("bool", if truth { "True" } else { "False" }.to_owned());
        }
        match arithmetic(text, names) {
            Some(result) => simple("int", result.to_string()),
            None if text.is_empty() => Err("SyntaxError: invalid syntax".to_owned()),
            None => Err(format!("NameError: name '{text}' is not defined")),
        }
    }
}

pub fn integer(name: &str, pass: u32, line: u32) -> Option<i64> {
    match name {
        "i" => Some(pass.into()),
        "line" => Some(line.into()),
        _ => None,
    }
}

fn term(text: &str, names: impl Fn(&str) -> Option<i64>) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| names(text))
}

/// A sum of numbers and names.
fn arithmetic(text: &str, names: impl Fn(&str) -> Option<i64> + Copy) -> Option<i64> {
    text.split('+').map(|part| term(part, names)).sum()
}

/// `True`, `false`, or a comparison of two sums.
pub fn condition(text: &str, names: impl Fn(&str) -> Option<i64> + Copy) -> Option<bool> {
    match text.trim() {
        "True" | "true" => return Some(true),
        "False" | "false" => return Some(false),
        _ => {}
    }
    for operator in ["==", "!=", "<=", ">=", "<", ">"] {
        if let Some((left, right)) = text.split_once(operator) {
            let (left, right) = (arithmetic(left, names)?, arithmetic(right, names)?);
            return Some(match operator {
                "==" => left == right,
                "!=" => left != right,
                "<=" => left <= right,
                ">=" => left >= right,
                "<" => left < right,
                _ => left > right,
            });
        }
    }
    None
}

/// `N` is the N-th hit alone; `>= N`, `% N` and the like as debugpy has them.
pub fn hit_condition(text: &str, hits: u32) -> bool {
    let text = text.trim();
    if let Some(every) = text.strip_prefix('%') {
        let every: u32 = every.trim().parse().unwrap_or(1);
        return every != 0 && hits.is_multiple_of(every);
    }
    let text = if text.starts_with(|first: char| first.is_ascii_digit()) {
        format!("hits == {text}")
    } else {
        format!("hits {text}")
    };
    condition(&text, |name| (name == "hits").then_some(hits.into())).unwrap_or(true)
}

/// Replaces `{expression}` in a log message.
pub fn interpolate(message: &str, names: impl Fn(&str) -> Option<i64> + Copy) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((expression, tail)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        match arithmetic(expression, names) {
            Some(value) => text.push_str(&value.to_string()),
            None => text.push_str("<error>"),
        }
        rest = tail;
    }
    text + rest
}
