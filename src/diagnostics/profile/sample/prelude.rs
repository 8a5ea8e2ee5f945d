//! What most files that take samples name: `use crate::profile::sample::prelude::*`.

pub(super) use super::{
    sampler::{Options, Result, SampleBatch, SampleError, Sampler},
    target::Target,
};
pub(super) use crate::profile::prelude::*;
