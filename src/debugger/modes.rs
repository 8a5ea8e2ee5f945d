//! Modes of breakpoints: `hardware`, `software`, whatever an adapter offers, and for which kinds of breakpoints.
//!
//! A mode is kept as it was written, because the adapter may not be known yet; what it means is found when it is.

use super::breakpoint::BreakpointSite;
use dap::types::{BreakpointMode, BreakpointModeApplicability as Applies, Capabilities};

/// Which modes a site can have; none where the protocol knows no mode of it.
pub fn kind_of(site: &BreakpointSite) -> Option<Applies> {
    match site {
        BreakpointSite::Source { .. } => Some(Applies::Source),
        BreakpointSite::Instruction { .. } => Some(Applies::Instruction),
        BreakpointSite::Data { .. } => Some(Applies::Data),
        BreakpointSite::Function { .. } => None,
    }
}

/// The modes that an adapter offers for a kind of breakpoint.
pub fn offered(can: &Capabilities, kind: &Applies) -> Vec<BreakpointMode> {
    let modes = can.breakpoint_modes.iter();
    modes
        .filter(|mode| !mode.mode.is_empty() && mode.applies_to.contains(kind))
        .cloned()
        .collect()
}

/// The mode that is meant by a word: its id or name, or letters of one of them in their order (`hw`), as long as no other mode
/// has them. The error names what there is.
pub fn meant(can: &Capabilities, kind: &Applies, word: &str) -> Result<BreakpointMode, String> {
    let all = offered(can, kind);
    let word = word.trim();
    let is = |mode: &&BreakpointMode| {
        mode.mode.eq_ignore_ascii_case(word) || mode.label.eq_ignore_ascii_case(word)
    };
    if let Some(mode) = all.iter().find(is) {
        return Ok(mode.clone());
    }
    let near = |mode: &&BreakpointMode| begins(&mode.mode, word) || begins(&mode.label, word);
    let mut found = all.iter().filter(near);
    match (found.next(), found.next()) {
        (Some(mode), None) => Ok(mode.clone()),
        _ if all.is_empty() => Err(format!(
            "this adapter has no modes of {} breakpoints",
            kind.as_str()
        )),
        _ => {
            let names: Vec<&str> = all.iter().map(|mode| mode.mode.as_str()).collect();
            Err(format!(
                "{word:?} is no mode of this adapter's {} breakpoints: it has {}",
                kind.as_str(),
                names.join(", ")
            ))
        }
    }
}

/// What is sent for a wish: the adapter's id of the mode, nothing where it has no such mode.
pub fn sent(can: &Capabilities, kind: &Applies, word: Option<&str>) -> Option<String> {
    meant(can, kind, word?).ok().map(|mode| mode.mode)
}

/// Whether `letters` are in `name` in their order, beginning with its first.
fn begins(name: &str, letters: &str) -> bool {
    let mut rest = name.chars().map(|c| c.to_ascii_lowercase());
    let mut letters = letters.chars().map(|c| c.to_ascii_lowercase());
    letters.next().is_some_and(|c| rest.next() == Some(c)) && letters.all(|c| rest.any(|r| r == c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Capabilities {
        let mode = |mode: &str, label: &str, kinds: &[Applies]| BreakpointMode {
            mode: mode.into(),
            label: label.into(),
            applies_to: kinds.to_vec(),
            ..BreakpointMode::default()
        };
        Capabilities {
            breakpoint_modes: vec![
                mode("hardware", "Hardware", &[Applies::Source, Applies::Data]),
                mode("software", "Software", &[Applies::Source]),
            ],
            ..Capabilities::default()
        }
    }

    #[test]
    fn a_few_letters_name_a_mode_where_it_applies() {
        let can = two();
        for word in ["hw", "Hardware", "h", " HARD "] {
            let mode = meant(&can, &Applies::Source, word).unwrap();
            assert_eq!(mode.mode, "hardware", "{word}");
        }
        assert_eq!(sent(&can, &Applies::Data, Some("sw")), None);
        assert_eq!(
            meant(&can, &Applies::Source, "wr").unwrap_err(),
            "\"wr\" is no mode of this adapter's source breakpoints: it has hardware, software"
        );
        assert_eq!(
            meant(&can, &Applies::Instruction, "hw").unwrap_err(),
            "this adapter has no modes of instruction breakpoints"
        );
        assert!(meant(&can, &Applies::Source, "").is_err());
    }

    /// Which actions of the tool make breakpoints of a kind; exceptions are chosen on the screen and at the prompt.
    const ACTIONS: &[(&str, &[&str])] = &[
        ("source", &["set_breakpoint"]),
        ("instruction", &["set_instruction_breakpoint"]),
        ("data", &["data_breakpoint_info", "set_data_breakpoint"]),
        ("exception", &[]),
    ];

    #[test]
    fn every_action_that_makes_a_breakpoint_with_modes_takes_one() {
        use crate::tool::action;
        for name in ACTIONS.iter().flat_map(|(_, names)| *names) {
            let row = action(name).unwrap();
            assert!(row.parameters().any(|p| p == "mode"), "{name}");
        }
        let filter = super::super::ExceptionFilter {
            mode: Some("hardware".into()),
            ..Default::default()
        };
        assert_eq!(serde_json::to_value(filter).unwrap()["mode"], "hardware");
    }

    #[test]
    fn the_kinds_of_the_schema_are_these() {
        let Some(path) = std::env::var_os("OMP_DEBUG_DAP_SCHEMA") else {
            return;
        };
        let text = std::fs::read_to_string(path).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        let kinds = schema.pointer("/definitions/BreakpointModeApplicability/_enum");
        let kinds = kinds.and_then(|kinds| kinds.as_array()).unwrap();
        let mut kinds: Vec<&str> = kinds.iter().filter_map(|kind| kind.as_str()).collect();
        let mut ours: Vec<&str> = ACTIONS.iter().map(|(kind, _)| *kind).collect();
        kinds.sort_unstable();
        ours.sort_unstable();
        assert_eq!(kinds, ours);
        // And a kind without modes has none in its breakpoints.
        let fields = "/definitions/FunctionBreakpoint/properties";
        let fields = schema.pointer(fields).and_then(|fields| fields.as_object());
        assert!(fields.is_some_and(|fields| !fields.contains_key("mode")));
    }
}
