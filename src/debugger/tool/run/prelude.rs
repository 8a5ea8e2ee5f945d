//! What every file of operations names: `use super::prelude::*`.

pub(super) use crate::{
    permission::Tier,
    prelude::*,
    tool::{
        arguments::Arguments,
        done::ActionOutput,
        row::{ALWAYS, ActionRow, Choice, LISTS, PLACE, RESUME, ROW, rows},
        text::{self, one_line},
        turn::{Turn, no_session, tree},
    },
};
