//! Paths in JSON, byte for byte: as text where they are text, else as numbers.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::PathBuf,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

fn write(name: &OsStr) -> Written {
    match name.to_str() {
        Some(text) => Written::Text(text.to_owned()),
        None => Written::Bytes(name.as_bytes().to_vec()),
    }
}

fn read(written: Written) -> OsString {
    match written {
        Written::Text(text) => text.into(),
        Written::Bytes(bytes) => OsString::from_vec(bytes),
    }
}

/// For `#[serde(with)]` of a path.
pub mod path {
    use super::{Deserialize as _, Deserializer, PathBuf, Serialize as _, Serializer, Written};

    pub fn serialize<S: Serializer>(path: &std::path::Path, to: S) -> Result<S::Ok, S::Error> {
        super::write(path.as_os_str()).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<PathBuf, D::Error> {
        Written::deserialize(from).map(|written| super::read(written).into())
    }
}

/// For `#[serde(with)]` of a name.
pub mod name {
    use super::{
        Deserialize as _, Deserializer, OsStr, OsString, Serialize as _, Serializer, Written,
    };

    pub fn serialize<S: Serializer>(name: &OsStr, to: S) -> Result<S::Ok, S::Error> {
        super::write(name).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<OsString, D::Error> {
        Written::deserialize(from).map(super::read)
    }
}

/// For `#[serde(with)]` of a name that may be missing.
pub mod maybe {
    use super::{Deserialize as _, Deserializer, OsString, Serialize as _, Serializer, Written};

    #[expect(clippy::ref_option, reason = "the form that serde asks for")]
    pub fn serialize<S: Serializer>(name: &Option<OsString>, to: S) -> Result<S::Ok, S::Error> {
        name.as_deref().map(super::write).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<OsString>, D::Error> {
        Ok(Option::<Written>::deserialize(from)?.map(super::read))
    }
}
