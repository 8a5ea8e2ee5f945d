//! What most files that read, take or write profiles name: `use crate::profile::prelude::*`.

pub(super) use super::{
    Builder, Frame, FrameId, Profile, Sample, StackId, Thread, ThreadId, Unit, nanoseconds, words,
};
pub(super) use crate::prelude::*;
