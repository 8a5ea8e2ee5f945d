//! Folded stacks, which our own importer and every flame graph script read.

use crate::profile::prelude::*;

/// A line for each stack, the heaviest first.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    for line in lines(profile) {
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The lines, the heaviest first.
pub fn lines(profile: &Profile) -> impl Iterator<Item = String> + '_ {
    let mut weights: HashMap<StackId, u64> = HashMap::new();
    for sample in &profile.samples {
        let weight = weights.entry(sample.stack).or_default();
        *weight = weight.saturating_add(sample.weight);
    }
    let mut sorted: Vec<_> = weights.into_iter().collect();
    sorted.sort_by_key(|(stack, weight)| (std::cmp::Reverse(*weight), *stack));
    let names: Vec<String> = profile.frames.iter().map(super::folded_name).collect();
    sorted.into_iter().map(move |(stack, weight)| {
        let mut frames: Vec<&str> = profile
            .frames_of(stack)
            .filter_map(|frame| names.get(frame.0 as usize))
            .map(String::as_str)
            .collect();
        frames.reverse();
        format!("{} {weight}", frames.join(";"))
    })
}
