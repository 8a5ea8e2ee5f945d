//! Paths in JSON, byte for byte: as text where they are text, else as numbers.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenName {
    Text(String),
    Bytes(Vec<u8>),
}

fn write(name: &OsStr) -> WrittenName {
    match name.to_str() {
        Some(text) => WrittenName::Text(text.to_owned()),
        None => WrittenName::Bytes(name.as_bytes().to_vec()),
    }
}

fn read(written: WrittenName) -> OsString {
    match written {
        WrittenName::Text(text) => text.into(),
        WrittenName::Bytes(bytes) => OsString::from_vec(bytes),
    }
}

/// For `#[serde(with)]` of a path or a name.
pub fn serialize<S: Serializer>(name: &impl AsRef<OsStr>, to: S) -> Result<S::Ok, S::Error> {
    write(name.as_ref()).serialize(to)
}

pub fn deserialize<'a, T: From<OsString>, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
    WrittenName::deserialize(from).map(|written| read(written).into())
}

/// For `#[serde(with)]` of a name that may be missing.
pub mod maybe {
    use std::ffi::OsString;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::artifacts::exact::{WrittenName, read, write};

    #[expect(clippy::ref_option, reason = "the form that serde asks for")]
    pub fn serialize<S: Serializer>(name: &Option<OsString>, to: S) -> Result<S::Ok, S::Error> {
        name.as_deref().map(write).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<OsString>, D::Error> {
        Ok(Option::<WrittenName>::deserialize(from)?.map(read))
    }
}
