//! speedscope's own format: frames that several profiles share; each profile is a list of stacks, or of openings and closings.

use std::fmt;

use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::{
    each::Each,
    profile::{Frame as OurFrame, import::prelude::*},
};

const FORMAT: &str = "speedscope file";

/// One of the frames that are shared.
#[derive(Deserialize)]
pub struct Frame {
    name: String,
    file: Option<String>,
    line: Option<f64>,
}

/// A profile in the file: of a thread, most often.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    start_value: f64,
    #[serde(default)]
    end_value: f64,
    #[serde(default)]
    events: Vec<Event>,
    #[serde(default)]
    samples: Stacks,
    #[serde(default)]
    weights: Vec<f64>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
enum EventType {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: EventType,
    frame: u32,
    at: f64,
}

/// Lists of numbers, one behind the other.
#[derive(Default)]
struct Stacks {
    numbers: Vec<u32>,
    ends: Vec<usize>,
}

impl Stacks {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| self.numbers.get(start..*end).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Stacks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of stacks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Stacks, A::Error> {
                let mut stacks = Stacks::default();
                loop {
                    let mut put = |number| {
                        stacks.numbers.push(number);
                        Ok(())
                    };
                    let one = Each("a list of frames' numbers", &mut put);
                    if list.next_element_seed(one)?.is_none() {
                        return Ok(stacks);
                    }
                    stacks.ends.push(stacks.numbers.len());
                }
            }
        }
        deserializer.deserialize_seq(All)
    }
}

/// What a number of the file is in ours, and by how much it is to be multiplied.
fn unit(name: &str, place: &str) -> Result<(Unit, f64)> {
    Ok(match name {
        "nanoseconds" => (Unit::Nanoseconds, 1.0),
        "microseconds" => (Unit::Nanoseconds, 1e3),
        "milliseconds" => (Unit::Nanoseconds, 1e6),
        "seconds" => (Unit::Nanoseconds, 1e9),
        "bytes" => (Unit::Bytes, 1.0),
        "none" | "" => (Unit::Samples, 1.0),
        other => {
            return Err(broken(
                place,
                format!("the unit {other:?} is none of speedscope's"),
            ));
        }
    })
}

fn broken(place: &str, why: String) -> ImportError {
    ImportError::broken(FORMAT, place, why)
}

struct Reader {
    builder: Builder,
    frames: Vec<FrameId>,
}

impl Reader {
    fn frame(&self, number: u32, place: &str) -> Result<FrameId> {
        self.frames.get(number as usize).copied().ok_or_else(|| {
            let count = self.frames.len();
            broken(
                place,
                format!("frame {number} is named, and there are {count}"),
            )
        })
    }

    fn sampled(
        &mut self,
        one: &Recorded,
        thread: ThreadId,
        factor: f64,
        unit: Unit,
        place: &str,
    ) -> Result<()> {
        let (stacks, weights) = (one.samples.ends.len(), one.weights.len());
        if weights != stacks && weights > 0 {
            let why = format!("there are {stacks} samples and {weights} weights");
            return Err(broken(place, why));
        }
        let mut at = 0.0_f64;
        let weights = one.weights.iter().copied().chain(std::iter::repeat(1.0));
        for (stack, weight) in one.samples.iter().zip(weights) {
            let weight = (weight * factor).max(0.0);
            let mut top = None;
            for number in stack {
                let frame = self.frame(*number, place)?;
                top = Some(self.builder.stack(top, frame));
            }
            // An empty stack is a pause.
            if let Some(stack) = top {
                self.builder.sample(Sample {
                    stack,
                    thread,
                    weight: weight.round() as u64,
                    at: if unit == Unit::Nanoseconds {
                        at as u64
                    } else {
                        Sample::NO_TIME
                    },
                });
            }
            at += weight;
        }
        Ok(())
    }

    fn evented(
        &mut self,
        one: &Recorded,
        thread: ThreadId,
        factor: f64,
        place: &str,
    ) -> Result<()> {
        let mut open: Vec<(u32, StackId)> = Vec::new();
        let mut since = one.start_value;
        for (number, event) in (1..).zip(&one.events) {
            let place = || format!("event {number} of {place}");
            if let Some((_, stack)) = open.last()
                && event.at > since
            {
                self.builder.sample(Sample {
                    stack: *stack,
                    thread,
                    weight: ((event.at - since) * factor).round() as u64,
                    at: ((since - one.start_value) * factor) as u64,
                });
            }
            since = since.max(event.at);
            match event.kind {
                EventType::Open => {
                    let frame = self.frame(event.frame, &place())?;
                    let above = open.last().map(|(_, stack)| *stack);
                    let stack = self.builder.stack(above, frame);
                    open.push((event.frame, stack));
                }
                EventType::Close => match open.pop() {
                    Some((frame, _)) if frame == event.frame => {}
                    Some((frame, _)) => {
                        let why = format!("frame {} is closed while {frame} is open", event.frame);
                        return Err(broken(&place(), why));
                    }
                    None => {
                        let why = format!("frame {} is closed, and none is open", event.frame);
                        return Err(broken(&place(), why));
                    }
                },
            }
        }
        Ok(())
    }
}

/// The profile of all profiles in the file: each is a thread.
pub fn profile(frames: Vec<Frame>, recorded: &[Recorded]) -> Result<Profile> {
    let mut strings = Strings::default();
    let mut builder = Builder::default();
    let ids = frames
        .into_iter()
        .map(|frame| {
            let file = frame.file.as_deref().unwrap_or_default();
            builder.frame(OurFrame {
                name: strings.get(&frame.name),
                file: strings.some(&plain_path(file)),
                line: frame.line.and_then(|line| line_number(line as i64)),
                module: None,
            })
        })
        .collect();
    let mut reader = Reader {
        builder,
        frames: ids,
    };
    let mut longest = 0.0_f64;
    let mut first = None;
    for (number, one) in (1..).zip(recorded) {
        let place = format!("profile {number} of {}", recorded.len());
        let (unit, factor) = unit(&one.unit, &place)?;
        match first {
            None => first = Some(unit),
            Some(first) if first != unit => {
                let note = format!("{place} counts something else than the first: it was left out");
                reader.builder.about().notes.push(note);
                continue;
            }
            Some(_) => {}
        }
        let thread = reader.builder.thread(Thread {
            name: one.name.as_str().into(),
            ..Thread::default()
        });
        match one.kind.as_str() {
            "sampled" => reader.sampled(one, thread, factor, unit, &place)?,
            "evented" => reader.evented(one, thread, factor, &place)?,
            other => {
                let why = format!("its type is {other:?}, neither sampled nor evented");
                return Err(broken(&place, why));
            }
        }
        longest = longest.max((one.end_value - one.start_value) * factor);
    }
    let about = reader.builder.about();
    about.unit = first.unwrap_or_default();
    if about.unit == Unit::Nanoseconds && longest >= 1.0 {
        about.duration = Some(Duration::from_nanos(longest as u64));
    }
    Ok(reader.builder.finish())
}
