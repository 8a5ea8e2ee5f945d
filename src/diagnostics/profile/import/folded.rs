//! Folded stacks: on each line the frames of a stack, the outermost first and `;` between them, then a blank and how often it was seen.
//!
//! Written by the stackcollapse scripts, inferno, py-spy (`--format raw`), bpftrace and many more. A frame is a name; py-spy's and
//! our own are `name (file:line)`.

use super::lines::Lines;
use super::prelude::*;

const FORMAT: &str = "list of folded stacks";
/// No line is longer: ten thousand frames of a thousand letters are 10 MB.
const LONGEST: (u64, &str) = (64 << 20, "64 MB");

/// Reads all lines.
pub fn read(input: Input<'_>) -> Result<Profile> {
    let mut builder = Builder::new(Unit::Samples);
    let thread = builder.thread(Thread::default());
    let mut strings = Strings::default();
    let mut lines = Lines::new(input, FORMAT, LONGEST);
    while lines.next()? {
        let number = lines.number;
        let text = String::from_utf8_lossy(&lines.line);
        let line = text.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((stack, weight)) = split(line) else {
            let is_first = builder.so_far().samples.is_empty();
            let some = beginning(line, 60);
            if is_first {
                return Err(ImportError::Unfit(format!(
                    "it is text, but no profile: line {number} is {some:?}, and no stack with a number behind it"
                )));
            }
            if lines.is_whole {
                return Err(lines.broken(format!("{some:?} has no number at its end")));
            }
            let note = format!(
                "the file ends in the middle of line {number}, which was left out: it was cut short"
            );
            builder.about().notes.push(note);
            break;
        };
        let frames = stack.split(';').filter(|frame| !frame.is_empty());
        let frames = frames.map(|frame| frame_of(frame, &mut strings));
        if let Some(stack) = builder.stack_of_frames(frames)
            && weight > 0
        {
            builder.sample(Sample {
                stack,
                thread,
                weight,
                at: Sample::NO_TIME,
            });
        }
    }
    some(builder.finish(), FORMAT)
}

/// A stack and its number.
fn split(line: &str) -> Option<(&str, u64)> {
    let (stack, number) = line.rsplit_once([' ', '\t'])?;
    let weight = number.parse::<u64>().ok().or_else(|| {
        let number: f64 = number.parse().ok()?;
        (number.is_finite() && number >= 0.0).then(|| number.round() as u64)
    })?;
    Some((stack.trim_end(), weight))
}

/// A frame out of `name (file:line)`, or a name.
pub fn frame_of(text: &str, strings: &mut Strings) -> Frame {
    if let Some(rest) = text.strip_suffix(')')
        && let Some((name, place)) = rest.rsplit_once(" (")
        && !name.is_empty()
    {
        if let Some((file, line)) = place.rsplit_once(':')
            && let Some(line) = line.parse().ok().and_then(line_number)
            && !file.is_empty()
        {
            return Frame {
                file: strings.some(file),
                line: Some(line),
                ..Frame::named(strings.get(name))
            };
        }
        if Path::new(place).extension().is_some_and(|e| e == "py") {
            return Frame {
                file: strings.some(place),
                ..Frame::named(strings.get(name))
            };
        }
    }
    Frame::named(strings.get(text))
}
