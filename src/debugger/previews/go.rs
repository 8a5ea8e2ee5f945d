//! Values of Go as its debugger writes them, with a type, a length or an address at each, said as Go writes them: `[1, 2]` for
//! `[]int len: 2, cap: 2, [1,2]`, `&{ID: 1}` for `*{ID: 1}`, the date of a `time.Time`. What is not understood stays as it was.

/// Bytes of the longest text that is read.
const LONGEST: usize = 8 * 1024;
/// Values in values.
const DEEPEST: usize = 16;
/// Places at which a text that was cut off is tried.
const CUTS: usize = 8;
/// What stands for what was not read.
const UNREAD: &str = "…";

/// The text in fewer words; nothing where that is no other text.
pub fn shown(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    // Of a long text Delve tells the beginning.
    let told = read(text).or_else(|| beginning(text.strip_suffix("...")?))?;
    (told != text).then_some(told)
}

/// All of it, if it can be.
fn read(text: &str) -> Option<String> {
    let mut reader = Reader {
        rest: text,
        depth: 0,
    };
    let told = reader.value()?;
    reader.rest.is_empty().then_some(told)
}

/// A text that was cut off somewhere, as far as its parts are whole.
fn beginning(text: &str) -> Option<String> {
    let (mut open, mut quote, mut escaped) = (Vec::new(), false, false);
    // Where a part begins, and what closes the brackets that it is in.
    let mut begins: Vec<(usize, String)> = Vec::new();
    for (at, c) in text.char_indices() {
        if quote {
            quote = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => quote = true,
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
        if open.len() > DEEPEST {
            return None;
        }
        if matches!(c, '[' | '{' | ',') {
            begins.push((at + 1, open.iter().rev().collect()));
        }
    }
    // The comma of `len: 2, cap: 2` begins no part.
    begins.iter().rev().take(CUTS).find_map(|(at, close)| {
        let whole = text.get(..*at)?;
        read(&format!("{whole}{UNREAD}{close}"))
    })
}

/// What is still to be read.
struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn cut(&mut self, at: usize) -> Option<&'t str> {
        let (text, rest) = self.rest.split_at_checked(at)?;
        self.rest = rest;
        Some(text)
    }

    /// All before what `ends` there, outside of brackets and texts; all there is where nothing does.
    fn until(&mut self, ends: impl Fn(&str) -> bool) -> Option<&'t str> {
        let (mut open, mut quote, mut escaped) = (0_usize, false, false);
        for (at, c) in self.rest.char_indices() {
            if quote {
                quote = escaped || c != '"';
                escaped = c == '\\' && !escaped;
                continue;
            }
            if open == 0 && ends(self.rest.get(at..)?) {
                return self.cut(at);
            }
            match c {
                '"' => quote = true,
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open = open.checked_sub(1)?,
                _ => {}
            }
        }
        (open == 0 && !quote).then(|| self.cut(self.rest.len()))?
    }

    /// What is in the brackets that begin here, without them.
    fn inside(&mut self, close: char) -> Option<&'t str> {
        let _open = self.cut(1)?;
        let text = self.until(|rest| rest.starts_with(close))?;
        self.take(close.encode_utf8(&mut [0; 4])).then_some(text)
    }

    /// To the end of the part of a value that this is in.
    fn plain(&mut self) -> Option<String> {
        let text = self.until(|rest| rest.starts_with([',', ']', '}']))?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn value(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let told = self.any();
        self.depth -= 1;
        told
    }

    fn any(&mut self) -> Option<String> {
        let is_type =
            |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || "*[(_".contains(c));
        let sized = self.rest.strip_prefix('[').and_then(|rest| {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(']')
        });
        match self.rest.chars().next()? {
            '*' => self.pointer(),
            '{' => self.parts('{', '}'),
            '[' if sized.is_some_and(is_type) => self.typed(),
            '[' => self.parts('[', ']'),
            '(' if self.rest.starts_with("(*") => self.address(),
            c if c.is_alphabetic() || c == '_' => self.typed(),
            _ => self.plain(),
        }
    }

    /// `*{…}`, `*main.Item {…}`, `*nil`, and what was not followed any more.
    fn pointer(&mut self) -> Option<String> {
        let _star = self.cut(1)?;
        let to = self.value()?;
        let is_less = to == "nil" || to == UNREAD;
        Some(if is_less { to } else { format!("&{to}") })
    }

    /// `(*main.Item)(0xc000012345)`
    fn address(&mut self) -> Option<String> {
        self.inside(')')?;
        (self.rest.starts_with('(') && self.inside(')')?.starts_with("0x"))
            .then(|| UNREAD.to_owned())
    }

    /// Fields, elements, or keys and elements.
    fn parts(&mut self, open: char, close: char) -> Option<String> {
        let mut inner = Reader {
            rest: self.inside(close)?,
            depth: self.depth,
        };
        let (mut parts, mut has_keys) = (Vec::new(), false);
        while !inner.rest.trim_start().is_empty() {
            inner.rest = inner.rest.trim_start();
            let (part, has_key) = inner.part()?;
            parts.push(part);
            has_keys |= has_key;
            if !inner.take(",") && !inner.rest.trim_start().is_empty() {
                return None;
            }
        }
        // A map in another value comes without its type.
        let (open, close) = if has_keys { ('{', '}') } else { (open, close) };
        Some(format!("{open}{}{close}", parts.join(", ")))
    }

    /// One of them, and whether it has a name or a key.
    fn part(&mut self) -> Option<(String, bool)> {
        if self.rest.starts_with("...+") {
            self.plain()?;
            return Some((UNREAD.to_owned(), false));
        }
        let before = self.rest;
        let name = self.until(|rest| rest.starts_with(": ") || rest.starts_with(','))?;
        // `[]int len: 2, …` has no name.
        if !self.rest.starts_with(": ") || name.ends_with(" len") {
            self.rest = before;
            return Some((self.value()?, false));
        }
        let key = Reader {
            rest: name,
            depth: self.depth,
        }
        .value();
        self.take(": ");
        let value = self.value()?;
        let key = key.unwrap_or_else(|| name.to_owned());
        Some((format!("{key}: {value}"), true))
    }

    /// A value behind its type.
    fn typed(&mut self) -> Option<String> {
        let all = self.rest;
        let is_map = all.starts_with("map[");
        let is_sized = all.starts_with('[');
        let type_name = if is_map || is_sized {
            self.until(|rest| {
                [" [", " len: ", " nil"]
                    .iter()
                    .any(|end| rest.starts_with(end))
            })?
        } else if all.starts_with("interface {") || all.starts_with("struct {") {
            let word = self.until(|rest| rest.starts_with(" {"))?;
            self.take(" ");
            let body = self.inside('}')?;
            all.get(..word.len() + body.len() + 3)?
        } else {
            self.until(|rest| rest.starts_with([' ', '(', ',', ']', '}']))?
        };
        if self.take(" nil") {
            return Some("nil".to_owned());
        }
        if self.take(" len: ") {
            return self.slice(type_name);
        }
        if self.rest.starts_with('(') {
            return self.dynamic(all, type_name);
        }
        let behind = self
            .rest
            .strip_prefix(' ')
            .and_then(|rest| rest.chars().next());
        match behind {
            Some('{') if self.take(" ") => {
                let before = self.rest;
                let time = (type_name == "time.Time").then(|| self.inside('}'));
                if let Some(time) = time.flatten().and_then(time_of) {
                    return Some(time);
                }
                self.rest = before;
                Some(format!("{type_name} {}", self.parts('{', '}')?))
            }
            Some('[') if self.take(" ") => {
                let parts = self.parts('[', ']')?;
                let inside = parts.get(1..parts.len() - 1)?;
                Some(if is_map {
                    format!("{{{inside}}}")
                } else {
                    parts
                })
            }
            _ => {
                self.rest = all;
                self.plain()
            }
        }
    }

    /// Behind `[]int len: `
    fn slice(&mut self, type_name: &str) -> Option<String> {
        let length = self.until(|rest| rest.starts_with(", cap: "))?;
        self.take(", cap: ");
        self.until(|rest| rest.starts_with(", "))?;
        self.take(", ");
        if self.take("nil") {
            return Some("nil".to_owned());
        }
        let parts = self.parts('[', ']')?;
        let of_bytes = ["[]uint8", "[]byte", "encoding/json.RawMessage"].contains(&type_name);
        if let Some(text) = of_bytes.then(|| bytes(&parts)).flatten() {
            return Some(text);
        }
        let is_cut = parts.ends_with(&format!("{UNREAD}]"));
        Some(if is_cut {
            format!("({length}) {parts}")
        } else {
            parts
        })
    }

    /// `error(*fmt.wrapError) *{…}`, `time.Time(2023-11-14T22:13:20Z){…}`
    fn dynamic(&mut self, all: &'t str, type_name: &str) -> Option<String> {
        let inner = self.inside(')')?;
        if type_name == "time.Time" && self.rest.starts_with('{') {
            // What is in the parentheses has whole seconds, and the clock of its process behind it.
            let fields = self.inside('}')?;
            let told = inner.split(", ").next().unwrap_or(inner);
            return Some(time_of(fields).unwrap_or_else(|| told.to_owned()));
        }
        // A name of a constant has its number there, a function its arguments.
        if !self.take(" ") {
            self.rest = all;
            return self.plain();
        }
        let value = self.value()?;
        let (star, name) = match inner.strip_prefix('*') {
            Some(name) => ("&", name),
            None => ("", inner),
        };
        let is_map = name.starts_with("map[");
        Some(match value.strip_prefix(star) {
            Some(body) if body.starts_with('{') && !is_map => format!("{star}{name} {body}"),
            _ => value,
        })
    }
}

/// The time that the fields of a `time.Time` are, as `wall: 0, ext: 63835596800, loc: …`, in UTC (Go's `time/time.go`: seconds since the
/// year 1, or since 1885 in the upper bits of `wall` where it has a second clock as well; nanoseconds are its lower 30).
fn time_of(fields: &str) -> Option<String> {
    const UNIX: i128 = 62_135_596_800;
    const SINCE_1885: i128 = 59_453_308_800;
    let number = |text: &str| text.trim().parse::<i128>().ok();
    let (wall, rest) = fields.strip_prefix("wall: ")?.split_once(", ext: ")?;
    let (wall, ext) = (number(wall)?, number(rest.split(',').next()?)?);
    let has_clock = wall >> 63 == 1;
    let seconds = if has_clock {
        SINCE_1885 + (wall >> 30) % (1 << 33)
    } else {
        ext
    };
    super::time((seconds - UNIX) * 1_000_000_000 + wall % (1 << 30))
}

/// Bytes that are a text, as one.
fn bytes(parts: &str) -> Option<String> {
    let inside = parts.strip_prefix('[')?.strip_suffix(']')?;
    let all: Result<Vec<u8>, _> = inside.split(", ").map(str::parse).collect();
    let text = String::from_utf8(all.ok()?).ok()?;
    let is_text = text
        .chars()
        .all(|c| !c.is_control() || "\n\r\t".contains(c));
    is_text.then(|| format!("[]byte({text:?})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_as_go_writes_them() {
        for (text, told) in [
            ("[]int len: 2, cap: 2, [1,2]", "[1, 2]"),
            (
                "[]string len: 70, cap: 70, [\"a, b]\",...+69 more]",
                "(70) [\"a, b]\", …]",
            ),
            ("[]string len: 0, cap: 0, nil", "nil"),
            ("[2][2]int [[1,2],[3,4]]", "[[1, 2], [3, 4]]"),
            ("[]uint8 len: 3, cap: 8, [104,105,10]", "[]byte(\"hi\\n\")"),
            ("[]uint8 len: 2, cap: 2, [0,255]", "[0, 255]"),
            (
                "map[string]int [\"a\": 1, \"b: c\": 2, ]",
                "{\"a\": 1, \"b: c\": 2}",
            ),
            (
                "map[string]interface {} [\"a\": interface {}(int) 1, ]",
                "{\"a\": 1}",
            ),
            ("map[string]int nil", "nil"),
            ("*main.Item nil", "nil"),
            ("*7", "&7"),
            (
                "[]*main.Item len: 2, cap: 2, [*{ID: 1, At: (*time.Time)(0xc0000aa038)},*nil]",
                "[&{ID: 1, At: …}, nil]",
            ),
            (
                "[]*main.Item len: 1, cap: 1, [*(*main.Item)(0xc0000a4120)]",
                "(1) […]",
            ),
            (
                "*main.Item {ID: 1, Tags: []string len: 1, cap: 1, [\"a\"]}",
                "&main.Item {ID: 1, Tags: [\"a\"]}",
            ),
            (
                "time.Time(2023-11-14T22:13:20Z){wall: 0, loc: *(*time.Location)(0x553a00)}",
                "2023-11-14T22:13:20Z",
            ),
            (
                "error(*fmt.wrapError) *{msg: \"a: b\", err: error(*errors.errorString) *{s: \"b\"}}",
                "&fmt.wrapError {msg: \"a: b\", err: &errors.errorString {s: \"b\"}}",
            ),
            ("interface {}(main.P) {A: 1}", "main.P {A: 1}"),
            ("interface {}(string) \"x\"", "\"x\""),
            ("main.Shape(*main.Ci) *{r: 1}", "&main.Ci {r: 1}"),
            ("error nil", "nil"),
            (
                "time.Time {wall: 0, ext: 63835596800, loc: *time.Location nil}",
                "2023-11-14T22:13:20Z",
            ),
            (
                "time.Time {wall: 13953853436049457166, ext: 5, loc: nil}",
                "2024-08-10T18:55:15.932675598Z",
            ),
            ("map[main.P]bool [{A: 1}: true, ]", "{{A: 1}: true}"),
            (
                "map[string]map[string]int [\"x\": [\"y\": 1], ]",
                "{\"x\": {\"y\": 1}}",
            ),
            (
                "interface {}(map[int]string) [100: \"a\", ]",
                "{100: \"a\"}",
            ),
            (
                "time.Time(2024-01-01T00:00:00Z){wall: 999000000, ext: 63839664000, loc: *time.Location nil}",
                "2024-01-01T00:00:00.999Z",
            ),
            (
                "time.Time(2024-08-10T18:55:15Z, +52329){wall: 13953853436049457166, ext: 5, loc: *time.Location {name: \"\", zone: ...",
                "2024-08-10T18:55:15.932675598Z",
            ),
            (
                "[]int len: 1000, cap: 1000, [0,1,4,12...",
                "(1000) [0, 1, 4, …]",
            ),
            (
                "*main.Item {ID: 1, Tags: []string len: 2, cap: 2, [\"x\",\"y, z...",
                "&main.Item {ID: 1, Tags: (2) [\"x\", …]}",
            ),
            (
                "*main.Item {ID: 1, Name: \"ink\", Tags: []string len: 2, c...",
                "&main.Item {ID: 1, Name: \"ink\", Tags: […]}",
            ),
            (
                "encoding/json.RawMessage len: 2, cap: 8, [123,125]",
                "[]byte(\"{}\")",
            ),
        ] {
            assert_eq!(shown(text).as_deref(), Some(told), "{text}");
        }
    }

    #[test]
    fn what_says_enough_or_cannot_be_read_stays() {
        for text in [
            "7",
            "-1.5",
            "\"a [] {b\"",
            "true",
            "main.P {A: 1}",
            "chan int 1/3",
            "main.main.func1",
            "main.KindPen (2)",
            "(1 + 2i)",
            "97 'a'",
            "",
            "(unreadable could not read)",
            "[]int len: 2, cap: 2, [1,2",
            "\"a long te...",
            "...",
            "...}}]...",
            "*main.Item {ID: 1",
            "{{{{{{{{{{{{{{{{{{{{{{{{1}}}}",
            "]",
            "*",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
