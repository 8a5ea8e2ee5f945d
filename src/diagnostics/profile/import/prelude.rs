//! What most files that read a format name: `use super::prelude::*`.

pub(super) use super::{
    Strings,
    error::{ImportError, Input, Result, line_number, some},
    plain_path,
};
pub(super) use crate::profile::prelude::*;
