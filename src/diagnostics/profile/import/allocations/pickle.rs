//! A pickle of Python as plain data: numbers, texts, tuples, lists, dictionaries, and objects of classes that are expected. Nothing is called.
//!
//! Format: `Lib/pickletools.py` of Python, protocols 2 to 5. What is built lies in one list and is named by its place in it, so that neither
//! depth nor a circle does harm; whatever would call a function or make something else is refused by its name.

use std::io::{BufRead, Read as _};

/// Values of a pickle, and what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// `None`, and what is of no use here.
    Nothing,
    /// A whole number.
    Number(i64),
    /// By its place: see [`Values::text`].
    Text(u32),
    /// By its place: see [`Values::list`].
    List(u32),
    /// By its place: see [`Values::field`].
    Fields(u32),
    /// A class, by the place of its name among the texts.
    Class(u32),
    /// An object, by its place: see [`Values::object`].
    Object(u32),
}

/// Why a pickle was not read.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The file could not be read.
    Read(std::io::Error),
    /// It ends within itself.
    CutShort,
    /// What is wrong.
    Odd(String),
}

/// Items of all lists and dictionaries.
const MOST: usize = 1 << 27;
/// Bytes of all texts.
const TEXTS: usize = 1 << 30;
/// Bytes of a text.
const LONGEST: u64 = 16 << 20;

/// What was built.
#[derive(Default)]
pub(super) struct Values {
    texts: Vec<Box<str>>,
    lists: Vec<Vec<Item>>,
    fields: Vec<Vec<(Item, Item)>>,
    objects: Vec<(u32, Item)>,
}

impl Values {
    /// A text.
    pub(super) fn text(&self, item: Item) -> Option<&str> {
        match item {
            Item::Text(at) | Item::Class(at) => self.texts.get(at as usize).map(|text| &**text),
            _ => None,
        }
    }

    /// The items of a tuple or list.
    pub(super) fn list(&self, item: Item) -> Option<&[Item]> {
        match item {
            Item::List(at) => self.lists.get(at as usize).map(Vec::as_slice),
            _ => None,
        }
    }

    /// An object's class and what it was filled with.
    pub(super) fn object(&self, item: Item) -> Option<(&str, Item)> {
        let Item::Object(at) = item else { return None };
        let (class, state) = self.objects.get(at as usize)?;
        Some((self.texts.get(*class as usize)?, *state))
    }

    /// The value of this name in a dictionary.
    pub(super) fn field(&self, item: Item, name: &str) -> Option<Item> {
        let Item::Fields(at) = item else { return None };
        let fields = self.fields.get(at as usize)?;
        let found = fields
            .iter()
            .rev()
            .find(|(key, _)| self.text(*key) == Some(name));
        found.map(|(_, value)| *value)
    }
}

/// The machine that a pickle is a program of.
struct Machine<'c, R> {
    input: R,
    at: u64,
    values: Values,
    stack: Vec<Item>,
    marks: Vec<usize>,
    memo: Vec<Item>,
    items: usize,
    text_bytes: usize,
    classes: &'c [&'c str],
}

/// Reads a pickle in which only objects of these classes (`module.Name`) are made; gives what it is of.
pub(super) fn read(input: impl BufRead, classes: &[&str]) -> Result<(Values, Item), Trouble> {
    let mut machine = Machine {
        input,
        at: 0,
        values: Values::default(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Vec::new(),
        items: 0,
        text_bytes: 0,
        classes,
    };
    while !machine.step()? {}
    let top = machine.pop()?;
    Ok((machine.values, top))
}

impl<R: BufRead> Machine<'_, R> {
    /// One command; whether it was the last.
    fn step(&mut self) -> Result<bool, Trouble> {
        let [command] = self.bytes()?;
        let item = match command {
            b'.' => return Ok(true),
            // The protocol, and how long a part is.
            0x80 => return self.bytes::<1>().map(|_| false),
            0x95 => return self.bytes::<8>().map(|_| false),
            b'(' => {
                self.marks.push(self.stack.len());
                return Ok(false);
            }
            b'0' => return self.pop().map(|_| false),
            b'1' => return self.marked().map(|_| false),
            b'2' => self.top()?,
            b'N' => Item::Nothing,
            0x88 | 0x89 => Item::Number(i64::from(command == 0x88)),
            b'K' => Item::Number(i64::from(u8::from_le_bytes(self.bytes()?))),
            b'M' => Item::Number(i64::from(u16::from_le_bytes(self.bytes()?))),
            b'J' => Item::Number(i64::from(i32::from_le_bytes(self.bytes()?))),
            0x8a => self.long()?,
            b'G' => self.bytes::<8>().map(|_| Item::Nothing)?,
            0x8c | b'U' | b'C' => {
                let [length] = self.bytes()?;
                self.text(u64::from(length))?
            }
            b'X' | b'T' | b'B' => {
                let length = u32::from_le_bytes(self.bytes()?);
                self.text(u64::from(length))?
            }
            0x8d => {
                let length = u64::from_le_bytes(self.bytes()?);
                self.text(length)?
            }
            b')' | b']' => self.list(Vec::new())?,
            b't' | b'l' => {
                let items = self.marked()?;
                self.list(items)?
            }
            0x85..=0x87 => {
                let count = usize::from(command - 0x84);
                let from = self
                    .stack
                    .len()
                    .checked_sub(count)
                    .ok_or_else(|| self.odd("takes more than there is"))?;
                let items = self.stack.split_off(from);
                self.list(items)?
            }
            b'a' => {
                let item = self.pop()?;
                return self.append(vec![item]);
            }
            b'e' => {
                let items = self.marked()?;
                return self.append(items);
            }
            b'}' => {
                self.values.fields.push(Vec::new());
                Item::Fields(number(self.values.fields.len() - 1))
            }
            b'd' => {
                let items = self.marked()?;
                self.values.fields.push(Vec::new());
                let item = Item::Fields(number(self.values.fields.len() - 1));
                self.stack.push(item);
                return self.set(&items);
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                return self.set(&[key, value]);
            }
            b'u' => {
                let items = self.marked()?;
                return self.set(&items);
            }
            0x94 => return self.put(self.memo.len()),
            b'q' => {
                let [at] = self.bytes()?;
                return self.put(usize::from(at));
            }
            b'r' => {
                let at = u32::from_le_bytes(self.bytes()?);
                return self.put(at as usize);
            }
            b'h' => {
                let [at] = self.bytes()?;
                self.remembered(usize::from(at))?
            }
            b'j' => {
                let at = u32::from_le_bytes(self.bytes()?);
                self.remembered(at as usize)?
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.class(&module, &name)?
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let text = |item| self.values.text(item).map(str::to_owned);
                let (Some(module), Some(name)) = (text(module), text(name)) else {
                    return Err(self.odd("names a class by something that is no text"));
                };
                self.class(&module, &name)?
            }
            0x81 => {
                self.pop()?;
                let Item::Class(class) = self.pop()? else {
                    return Err(self.odd("makes an object of what is no class"));
                };
                self.values.objects.push((class, Item::Nothing));
                Item::Object(number(self.values.objects.len() - 1))
            }
            b'b' => {
                let state = self.pop()?;
                let top = self.top()?;
                let object = match top {
                    Item::Object(at) => self.values.objects.get_mut(at as usize),
                    _ => None,
                };
                let Some((_, place)) = object else {
                    return Err(self.odd("fills what is no object"));
                };
                *place = state;
                return Ok(false);
            }
            b'R' | b'o' | b'i' | 0x92 | b'P' | b'Q' | 0x82..=0x84 => {
                return Err(self
                    .odd("wants something to be called, which a snapshot never does: it was not"));
            }
            other => {
                return Err(self.odd(&format!(
                    "has command {other:#04x}, which is not known here"
                )));
            }
        };
        self.room(1)?;
        self.stack.push(item);
        Ok(false)
    }

    fn odd(&self, what: &str) -> Trouble {
        Trouble::Odd(format!("byte {} {what}", self.at))
    }

    /// Counts what takes memory.
    fn room(&mut self, items: usize) -> Result<(), Trouble> {
        self.items += items;
        if self.items > MOST {
            return Err(self.odd("is where more than a hundred million values are reached"));
        }
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Trouble> {
        let mut bytes = [0; N];
        self.input
            .read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => Trouble::CutShort,
                _ => Trouble::Read(error),
            })?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn text(&mut self, length: u64) -> Result<Item, Trouble> {
        if length > LONGEST {
            return Err(self.odd(&format!("is a text of {length} bytes")));
        }
        let mut bytes = Vec::new();
        (&mut self.input)
            .take(length)
            .read_to_end(&mut bytes)
            .map_err(Trouble::Read)?;
        if (bytes.len() as u64) < length {
            return Err(Trouble::CutShort);
        }
        self.at += length;
        self.keep(&String::from_utf8_lossy(&bytes))
    }

    fn keep(&mut self, text: &str) -> Result<Item, Trouble> {
        self.text_bytes += text.len() + size_of::<Box<str>>();
        if self.text_bytes > TEXTS {
            return Err(self.odd("is where more than a gigabyte of text is reached"));
        }
        self.values.texts.push(text.into());
        Ok(Item::Text(number(self.values.texts.len() - 1)))
    }

    /// A number of up to eight bytes; a longer one is none that counts memory.
    fn long(&mut self) -> Result<Item, Trouble> {
        let [length] = self.bytes()?;
        if length > 8 {
            return Err(self.odd(&format!("is a number of {length} bytes")));
        }
        let mut bytes = [0; 8];
        let mut last = 0;
        for byte in bytes.iter_mut().take(usize::from(length)) {
            [*byte] = self.bytes()?;
            last = *byte;
        }
        // The sign is the highest bit of the last byte that is there.
        let fill = if last & 0x80 == 0 { 0 } else { 0xff };
        bytes
            .iter_mut()
            .skip(usize::from(length))
            .for_each(|byte| *byte = fill);
        Ok(Item::Number(i64::from_le_bytes(bytes)))
    }

    fn line(&mut self) -> Result<String, Trouble> {
        let mut bytes = Vec::new();
        (&mut self.input)
            .take(1024)
            .read_until(b'\n', &mut bytes)
            .map_err(Trouble::Read)?;
        self.at += bytes.len() as u64;
        match bytes.pop() {
            Some(b'\n') => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Some(_) if bytes.len() > 1000 => {
                Err(self.odd("names a class by more than a thousand letters"))
            }
            _ => Err(Trouble::CutShort),
        }
    }

    fn class(&mut self, module: &str, name: &str) -> Result<Item, Trouble> {
        let full = format!("{module}.{name}");
        if !self.classes.contains(&full.as_str()) {
            return Err(self.odd(&format!(
                "names {full:?}, which a snapshot never does: nothing was done with it"
            )));
        }
        match self.keep(&full)? {
            Item::Text(at) => Ok(Item::Class(at)),
            other => Ok(other),
        }
    }

    fn list(&mut self, items: Vec<Item>) -> Result<Item, Trouble> {
        self.room(items.len() + 1)?;
        self.values.lists.push(items);
        Ok(Item::List(number(self.values.lists.len() - 1)))
    }

    fn append(&mut self, items: Vec<Item>) -> Result<bool, Trouble> {
        self.room(items.len())?;
        let top = self.top()?;
        let list = match top {
            Item::List(at) => self.values.lists.get_mut(at as usize),
            _ => None,
        };
        match list {
            Some(list) => {
                list.extend(items);
                Ok(false)
            }
            None => Err(self.odd("adds to what is no list")),
        }
    }

    fn set(&mut self, items: &[Item]) -> Result<bool, Trouble> {
        self.room(items.len())?;
        let top = self.top()?;
        let fields = match top {
            Item::Fields(at) => self.values.fields.get_mut(at as usize),
            _ => None,
        };
        let (pairs, []) = items.as_chunks::<2>() else {
            return Err(self.odd("sets a key without a value"));
        };
        match fields {
            Some(fields) => {
                fields.extend(pairs.iter().map(|[key, value]| (*key, *value)));
                Ok(false)
            }
            None => Err(self.odd("sets a key of what is no dictionary")),
        }
    }

    fn top(&self) -> Result<Item, Trouble> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let above = self.stack.get(floor..).unwrap_or_default();
        above
            .last()
            .copied()
            .ok_or_else(|| self.odd("needs a value, and there is none"))
    }

    fn pop(&mut self) -> Result<Item, Trouble> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    /// What is above the last mark.
    fn marked(&mut self) -> Result<Vec<Item>, Trouble> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len());
        let mark = mark.ok_or_else(|| self.odd("needs a mark, and there is none"))?;
        Ok(self.stack.split_off(mark))
    }

    fn put(&mut self, at: usize) -> Result<bool, Trouble> {
        let top = self.top()?;
        self.room(1)?;
        if at > self.memo.len() {
            // Python numbers them one after the other.
            return Err(self.odd(&format!(
                "remembers something as number {at}, and there are {}",
                self.memo.len()
            )));
        }
        match self.memo.get_mut(at) {
            Some(place) => *place = top,
            None => self.memo.push(top),
        }
        Ok(false)
    }

    fn remembered(&self, at: usize) -> Result<Item, Trouble> {
        self.memo.get(at).copied().ok_or_else(|| {
            self.odd(&format!(
                "wants what was remembered as number {at}, and there are {}",
                self.memo.len()
            ))
        })
    }
}

/// There are fewer values than that: they are counted.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> String {
        match read(bytes, &["a.B"]) {
            Ok((_, top)) => panic!("{top:?}"),
            Err(Trouble::Odd(what)) => what,
            Err(Trouble::CutShort) => "cut short".to_owned(),
            Err(Trouble::Read(error)) => error.to_string(),
        }
    }

    #[test]
    fn plain_data_and_an_object() {
        let bytes = b"\x80\x04\x8c\x01a\x94\x8c\x01B\x94\x93\x94)\x81\x94}\x94(\x8c\x01x\x94\x8a\x02\xff\x80\x8c\x01y\x94]\x94(K\x05M\x01\x02J\xff\xff\xff\xffNh\x00eub.";
        let (values, top) = read(&bytes[..], &["a.B"]).unwrap();
        let (class, state) = values.object(top).unwrap();
        assert_eq!(class, "a.B");
        assert_eq!(values.field(state, "x"), Some(Item::Number(-32_513)));
        let list = values.list(values.field(state, "y").unwrap()).unwrap();
        assert_eq!(list.len(), 5);
        assert_eq!(
            list[..3],
            [Item::Number(5), Item::Number(513), Item::Number(-1)]
        );
        assert_eq!(values.text(list[4]), Some("a"));
        assert_eq!(values.field(state, "z"), None);
    }

    #[test]
    fn nothing_is_called_and_nothing_else_is_made() {
        // What `os.system("...")` looks like in a pickle.
        let evil = b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x05touch\x85R.";
        assert!(said(evil).contains("\"os.system\""), "{}", said(evil));
        assert!(said(b"cos\nsystem\n(S'x'\ntR.").contains("\"os.system\""));
        let called = b"\x80\x04\x8c\x01a\x8c\x01B\x93)R.";
        assert!(said(called).contains("wants something to be called"));
    }

    #[test]
    fn what_is_damaged_says_where() {
        for (bytes, what) in [
            (&b""[..], "cut short"),
            (b"\x80", "cut short"),
            (b"\x8c\x05abc", "cut short"),
            (b".", "needs a value"),
            (b"(.", "needs a value"),
            (b"t", "needs a mark"),
            (b"0", "needs a value"),
            (b"K\x01\x86", "takes more"),
            (b"K\x01K\x02a", "no list"),
            (b"}(K\x01u", "without a value"),
            (b"K\x01K\x01K\x01s", "no dictionary"),
            (b"K\x01}b", "no object"),
            (b"h\x05", "number 5"),
            (b"K\x01r\xff\xff\xff\xff", "number 4294967295"),
            (b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff", "is a text of"),
            (b"\x8a\xff", "255 bytes"),
            (b"\xfe", "0xfe"),
            (b"K\x01K\x02\x93", "no text"),
            (b"K\x01)\x81", "no class"),
        ] {
            let said = said(bytes);
            assert!(said.contains(what), "{bytes:?}: {said}");
        }
        // As deep as it likes, and around in a circle.
        let mut deep = b")".to_vec();
        deep.extend(std::iter::repeat_n(0x85, 1_000_000));
        deep.push(b'.');
        assert!(read(&deep[..], &[]).is_ok());
        assert!(read(&b"]\x94h\x00a."[..], &[]).is_ok());
    }
}
