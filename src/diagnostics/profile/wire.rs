//! Protocol buffers, as much of them as pprof needs: fields in, fields out.
//!
//! See <https://protobuf.dev/programming-guides/encoding/>. What fields mean is left to those who know the message.

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number; signed ones are two's complement.
    Number(u64),
    /// Text, bytes, a message, or numbers in a row.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The number; 0 for what is none.
    pub fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(_) => 0,
        }
    }

    /// The bytes; none for a number.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Number(_) => &[],
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The numbers of a repeated field, packed or not.
    pub fn numbers(self) -> impl Iterator<Item = u64> + 'a {
        let (one, mut rest): (_, &[u8]) = match self {
            Self::Number(number) => (Some(number), &[]),
            Self::Bytes(bytes) => (None, bytes),
        };
        let packed = std::iter::from_fn(move || varint(&mut rest));
        one.into_iter().chain(packed)
    }
}

/// Where a message is broken, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The byte.
    pub at: usize,
    /// Whether it ends in the middle of a field.
    pub is_short: bool,
}

/// The fields of a message, in order.
pub struct Fields<'a> {
    rest: &'a [u8],
    len: usize,
}

impl<'a> Fields<'a> {
    pub fn new(message: &'a [u8]) -> Self {
        Self {
            rest: message,
            len: message.len(),
        }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn fixed(&mut self, count: usize) -> Option<Value<'a>> {
        let bytes = self.take(count)?;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |all, byte| (all << 8) | u64::from(*byte));
        Some(Value::Number(number))
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), bool> {
        let tag = varint(&mut self.rest).ok_or(true)?;
        let value = match tag & 7 {
            0 => varint(&mut self.rest).map(Value::Number),
            1 => self.fixed(8),
            2 => varint(&mut self.rest)
                .and_then(|len| usize::try_from(len).ok())
                .and_then(|len| self.take(len))
                .map(Value::Bytes),
            5 => self.fixed(4),
            _ => return Err(false),
        };
        match value {
            Some(value) if tag >> 3 > 0 => Ok((tag >> 3, value)),
            Some(_) => Err(false),
            None => Err(true),
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let at = self.len - self.rest.len();
        Some(self.field().map_err(|is_short| {
            self.rest = &[];
            Broken { at, is_short }
        }))
    }
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    let mut bytes = *rest;
    for shift in (0..70).step_by(7) {
        let (byte, tail) = bytes.split_first()?;
        bytes = tail;
        // What is beyond 64 bits is dropped, as everybody does.
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            *rest = bytes;
            return Some(number);
        }
    }
    None
}

/// A message being written.
#[derive(Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number; 0 is what is meant when nothing is written.
    pub fn number(&mut self, field: u64, number: u64) -> &mut Self {
        if number > 0 {
            self.varint(field << 3);
            self.varint(number);
        }
        self
    }

    /// Text or bytes, however few.
    pub fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// A message in it.
    pub fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    /// Numbers in a row.
    pub fn numbers(&mut self, field: u64, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        let mut packed = Self::default();
        numbers.into_iter().for_each(|number| packed.varint(number));
        self.message(field, &packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in prop::collection::vec(any::<u64>(), 0..20), bytes in any::<Vec<u8>>()) {
            let mut message = Message::default();
            message.numbers(1, numbers.iter().copied()).bytes(2, &bytes).number(3, 7);
            let fields: Vec<_> = Fields::new(&message.0).map(Result::unwrap).collect();
            prop_assert_eq!(fields[0].1.numbers().collect::<Vec<_>>(), numbers);
            prop_assert_eq!(fields[1], (2, Value::Bytes(&bytes)));
            prop_assert_eq!(fields[2], (3, Value::Number(7)));
        }

        #[test]
        fn any_bytes_end(bytes in any::<Vec<u8>>()) {
            for field in Fields::new(&bytes).flatten() {
                prop_assert!(field.1.numbers().count() <= bytes.len());
            }
        }
    }

    #[test]
    fn the_place_of_a_fault_is_known() {
        let mut fields = Fields::new(&[0x08, 0x01, 0x12, 0x05, b'a']);
        assert_eq!(fields.next(), Some(Ok((1, Value::Number(1)))));
        let short = Broken {
            at: 2,
            is_short: true,
        };
        assert_eq!(fields.next(), Some(Err(short)));
        assert_eq!(fields.next(), None);
        let wrong = Fields::new(&[0x0f]).next();
        assert!(matches!(wrong, Some(Err(broken)) if !broken.is_short));
    }
}
