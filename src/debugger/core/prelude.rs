//! What most files of the core name: `use super::prelude::*`. It has all of [`crate::prelude`], and all requests of the protocol.

pub(super) use dap::{
    client::{Address, Client, Connection, RequestError, Terms},
    requests::*,
    types::StoppedEvent,
};
pub(super) use futures_util::{
    FutureExt as _,
    future::{BoxFuture, join_all},
};

pub(super) use super::{
    asker::{Answer, Asker},
    background::Background,
    breakpoint_list::Which,
    config::CoreConfig,
    frames::{FIRST_FRAMES, ask_stack, ask_threads},
    handled::{Handled, after, at_once, held, later, onward},
    hub::Subscription,
    live::{Live, Origin},
    ours::Ours,
    owner::{FromAdapter, Owner, Sent},
    plan::{Plan, SessionOwner},
    references::Follow,
    refusals::{gone, lacks, stale, taken_back},
    resume::Resume,
};

pub(super) use crate::{
    adapters::{Personality, StartRequest},
    breakpoint::BreakpointAnswer,
    command::{Console, Granularity, Page},
    history::History,
    permission::{Actor, ActorKind, SharingChange, rules::Rules},
    prelude::*,
    previews::{Part, path::Lost},
    recording::Recorder,
    records::Records,
    state::FrameRef,
    task::Together,
};
