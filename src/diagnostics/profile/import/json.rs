//! The three formats that are JSON objects, read in one pass: which one it is shows in its keys, in whatever order they come.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{BLOCK, cpuprofile::Cpu, error::of_json, firefox, prelude::*, speedscope};

/// Keys that are named when nothing fits.
const NAMED: usize = 8;

/// Keys of what is no profile that is read here, and what it is.
const STRANGERS: [(&str, &str); 4] = [
    (
        "snapshot",
        "it is a heap snapshot, not a profile of time: omp-debug memory FILE shows it",
    ),
    (
        "traceEvents",
        "it is a trace of Chrome, which is not read; save a .cpuprofile instead",
    ),
    (
        "duration_ns",
        "it is what `omp-debug profile --format json` writes: functions and what they weigh, without the stacks that a profile is made of; --format pprof, speedscope, firefox and folded write what can be read again",
    ),
    (
        "head",
        "it is a .cpuprofile in its form of before 2014, which is not read: take it anew",
    ),
];

/// What is called so as long as nothing of a format was found.
const UNKNOWN: &str = "JSON";

/// What was found at the top.
#[derive(Default)]
struct Sections {
    cpu: Cpu,
    shared: Option<firefox::Shared>,
    meta: Option<firefox::Meta>,
    threads: Option<Vec<firefox::Thread>>,
    profiles: Option<Vec<speedscope::Recorded>>,
    name: Option<String>,
    keys: Vec<String>,
    /// A format that is known by a key and not read.
    stranger: Option<&'static str>,
}

impl Sections {
    fn format(&self) -> &'static str {
        if self.profiles.is_some() {
            "speedscope file"
        } else if self.threads.is_some() || self.meta.is_some() {
            "Firefox profile"
        } else if self.cpu.is_there() {
            ".cpuprofile"
        } else {
            UNKNOWN
        }
    }
}

/// Whether it begins as an object.
pub fn looks_like(head: &[u8]) -> bool {
    super::start(head).starts_with(b"{")
}

/// Reads a JSON object.
pub fn read(input: Input<'_>) -> Result<Profile> {
    // Bytes are taken one by one, which must not go through a table each.
    let input = BufReader::with_capacity(BLOCK, input);
    let mut found = Sections::default();
    let mut json = serde_json::Deserializer::from_reader(input);
    let done = (&mut found)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    if let Some(what) = found.stranger {
        return Err(ImportError::unfit(what));
    }
    let format = found.format();
    // JSON of another kind is not broken.
    if let Err(error) = done
        && !(format == UNKNOWN && error.is_data())
    {
        return Err(of_json(error, format, ""));
    }
    let profile = if let Some(profiles) = found.profiles {
        let frames = found.shared.and_then(|shared| shared.frames);
        speedscope::profile(frames.unwrap_or_default(), &profiles)?
    } else if let Some(threads) = found.threads {
        firefox::profile(
            &found.meta.unwrap_or_default(),
            &found.shared.unwrap_or_default(),
            &threads,
        )?
    } else if found.cpu.is_there() {
        found.cpu.finish()?
    } else {
        let keys = found.keys.join(", ");
        return Err(ImportError::Unfit(format!(
            "it is JSON, but neither a .cpuprofile nor speedscope's nor Firefox's: its keys are {keys}"
        )));
    };
    let mut profile = some(profile, format)?;
    if let Some(name) = found.name {
        profile.name = name;
    }
    Ok(profile)
}

impl<'de> DeserializeSeed<'de> for &mut Sections {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Sections {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a profile, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if let Some((_, what)) = STRANGERS.iter().find(|(name, _)| *name == key) {
                self.stranger = Some(what);
                return Err(serde::de::Error::custom("a stranger"));
            }
            if self.keys.len() < NAMED {
                let short = beginning(&key, 40);
                self.keys.push(format!("{short:?}"));
            }
            if !self.cpu.member(&key, &mut map)? {
                match key.as_str() {
                    // What the inspector answers, or a bundle of several.
                    "profile" | "result" => map.next_value_seed(&mut *self)?,
                    "shared" => self.shared = Some(map.next_value()?),
                    "profiles" => self.profiles = Some(map.next_value()?),
                    "threads" => self.threads = Some(map.next_value()?),
                    "meta" => self.meta = Some(map.next_value()?),
                    "name" => self.name = map.next_value()?,
                    _ => drop(map.next_value::<IgnoredAny>()?),
                }
            }
        }
        Ok(())
    }
}
