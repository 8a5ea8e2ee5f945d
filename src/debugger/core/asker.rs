//! Who gave a command, and where its answer goes.

use super::prelude::*;
use crate::permission::Caller;

/// Who gave a command, and the action of the tool that it is a part of.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    pub caller: Caller,
    pub action: Option<&'static str>,
}

/// Where an answer to a command goes.
pub type Answer = oneshot::Sender<Result<Reply>>;
