//! The question before a file that came with a project may name programs to start.

use super::confirm::Confirm;
use crate::debugger::adapters::trust::Untrusted;
use crate::text::sanitise::sanitise;
use crate::tui::app::effect::Effect;

/// Asks whether a file of the project may name programs to start: with what it would start, word for word.
pub fn question(file: &Untrusted) -> Confirm {
    let mut lines = vec![
        format!(
            "{} came with this project and would start:",
            file.path.display()
        ),
        String::new(),
    ];
    for command in &file.commands {
        lines.push(format!("{}: {}", command.name, command.argv.join(" ")));
        lines.extend(
            command
                .env
                .iter()
                .map(|(name, value)| format!("  {name}={value}")),
        );
    }
    lines.push(String::new());
    lines.push("Trust exactly this content? Until then its adapters are not used.".to_owned());
    Confirm {
        title: "Trust this file?".to_owned(),
        lines: lines
            .iter()
            .map(|line| sanitise(line).into_owned())
            .collect(),
        yes_label: "trust it".to_owned(),
        on_yes: vec![Effect::Trust(Box::new(file.clone()))],
    }
}
