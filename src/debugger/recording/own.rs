//! Stops that an adapter made for itself before anything of the program had run: nobody saw them, so that they are none of a recording.

use std::path::Path;

use serde_json::Value;

use super::Recording;
use crate::adapters::{Context, Table, stop_text};

/// Reasons of stops that some adapters make before anything of the program has run.
const EXTRA: &[&str] = &["", "attach", "entry", "step", "pause"];

/// Reads a recording (`folder` is where its program is to be thought), and passes over the stops that its adapters made for themselves, as the core does with a live one.
pub fn open(path: &Path, folder: &Path, context: &Context) -> Result<Recording, String> {
    let recording = Recording::read(path, folder)?;
    let (table, _) = Table::load(context);
    Ok(without_own_stops(recording, &table))
}

fn without_own_stops(recording: Recording, table: &Table) -> Recording {
    recording.without_own_stops(|adapter, stopped, is_seen| {
        let Ok(adapter) = table.get(adapter) else {
            return false;
        };
        let text = |name: &str| stopped.pointer(name).and_then(Value::as_str);
        let reason = text("/body/reason").unwrap_or_default();
        let (description, said) = (text("/body/description"), text("/body/text"));
        let habits = &adapter.personality;
        let stop = stop_text(reason, description, said);
        habits.own_stops.fit(&stop)
            || !is_seen
                && habits.attach_extra_stop
                && (EXTRA.contains(&reason) || habits.is_pause(&stop))
    })
}
