//! Stops that an adapter made for itself before anything of the program had run: nobody saw them, so that they are none of a recording.

use super::{format::is_event, read::Recording, track::Track};
use crate::{
    adapters::{Personality, stop_text},
    prelude::*,
};

/// Reasons of stops that some adapters make before anything of the program has run.
const EXTRA: &[&str] = &["", "attach", "entry", "step", "pause"];

/// Reads a recording (`folder` is where its program is to be thought), and passes over the stops that its adapters made for themselves, as the core does with a live one.
pub fn open(path: &Path, folder: &Path, context: &Context) -> Result<Recording, String> {
    let mut recording = Recording::read(path, folder)?;
    let (table, _) = Table::load(context);
    let mut is_other = false;
    for track in iter::once(&mut recording.root).chain(&mut recording.children) {
        if let Ok(adapter) = table.get(&track.adapter) {
            is_other |= pass_own_stops(track, &adapter.personality);
        }
    }
    if is_other {
        recording.settle();
    }
    Ok(recording)
}

/// The program went on from such stops, before any other, and before anybody saw them. Says whether there were any.
fn pass_own_stops(track: &mut Track, habits: &Personality) -> bool {
    let mut passed = false;
    for part in &mut track.parts {
        let mut events = part.events.iter().enumerate();
        let Some((at, stopped)) = events.find(|(_, event)| is_event(event, "stopped")) else {
            continue;
        };
        let is_seen = || {
            let mut asked = part.answers.keys();
            asked.any(|key| key.starts_with("stackTrace "))
        };
        let text = |name: &str| stopped.pointer(name).and_then(Value::as_str);
        let reason = text("/body/reason").unwrap_or_default();
        let stop = stop_text(reason, text("/body/description"), text("/body/text"));
        let is_own = habits.own_stops.fit(&stop)
            || habits.attach_extra_stop
                && (EXTRA.contains(&reason) || habits.is_pause(&stop))
                && !is_seen();
        if !is_own {
            break;
        }
        part.events.remove(at);
        part.times.remove(at);
        part.lines.remove(at);
        passed = true;
    }
    passed
}
