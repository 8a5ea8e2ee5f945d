//! What most files of the core name: `use super::prelude::*`. It has all of [`crate::prelude`].

pub(super) use dap::{
    client::{Client, RequestError, Terms},
    requests::{Evaluate, EvaluateArguments, EvaluateResponse},
    types::StoppedEvent,
};
pub(super) use futures_util::future::join_all;

pub(super) use super::{
    asker::{Answer, Asker},
    breakpoint_list::Which,
    handled::{Handled, after, at_once, held, later, onward},
    live::{Live, Origin},
    owner::{FromAdapter, Owner, Sent},
    references::Follow,
    refusals::{gone, lacks, stale, taken_back},
    resume::Resume,
};

pub(super) use crate::{adapters::Personality, history::History, permission::Actor, prelude::*};
