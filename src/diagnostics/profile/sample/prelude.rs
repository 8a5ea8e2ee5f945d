//! What most files that take samples name: `use crate::profile::sample::prelude::*`.

pub(super) use super::{
    sampler::{Options, Result, SampleError, Sampler, Taken},
    target::Target,
};
pub(super) use crate::profile::prelude::*;
