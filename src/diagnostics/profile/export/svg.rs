//! The flame graph as a picture for browsers, drawn by inferno.

use inferno::flamegraph::{self, Options};

use super::folded;
use crate::{profile::prelude::*, whole::Hindrance};

/// What all weights may come to: inferno adds them up in a `usize`, and draws with floats, which are exact up to here.
const HEAVIEST: u64 = 1 << 53;

/// Draws it. What is narrower than a tenth of a pixel is left out.
pub fn write(profile: &Profile, out: &mut dyn Write) -> Result<(), Hindrance> {
    let failed =
        |why: String| Hindrance::Other(format!("the flame graph could not be drawn: {why}"));
    if profile.total() > HEAVIEST {
        return Err(failed(format!(
            "its samples weigh more than {HEAVIEST} together, which no profiler measures: the file is damaged"
        )));
    }
    let mut options = Options::default();
    options.title = if profile.name.is_empty() {
        "Profile".to_owned()
    } else {
        sanitise(&profile.name).into_owned()
    };
    let unit = match profile.unit {
        Unit::Nanoseconds => "ns",
        Unit::Samples => "samples",
        Unit::Bytes => "bytes",
        Unit::Count => "events",
    };
    if profile.unit == Unit::Bytes {
        // What is wide in it is no time, as it is in most.
        options.title.push_str(" (bytes)");
    }
    unit.clone_into(&mut options.count_name);
    options.min_width = 0.1;
    let lines: Vec<String> = folded::lines(profile).collect();
    flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), out)
        .map_err(|error| failed(error.to_string()))
}
