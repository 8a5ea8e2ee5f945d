//! What most files about event streams name: `use crate::sse::prelude::*`.

pub(super) use super::{
    assemble::{Assembly, PartKind},
    item::Item,
    record::{Event, Foreign, Record, Response},
    ring::Dropped,
};
pub(super) use crate::{
    members::{items, member, number, text},
    prelude::*,
};
