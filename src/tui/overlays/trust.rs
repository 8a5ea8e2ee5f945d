//! The question before a file that came with a project may name programs to start.

use super::confirm::Confirm;
use crate::debugger::adapters::trust::Untrusted;
use crate::text::sanitise::sanitise;
use crate::text::words;
use crate::tui::app::effect::Effect;

/// Asks whether files may start what they name, before it is started; `on_yes` starts it.
pub fn before_start(files: &[Untrusted], on_yes: Vec<Effect>) -> Confirm {
    let mut lines = Vec::new();
    for file in files {
        lines.push(format!("{} would start:", file.path.display()));
        lines.extend(commands(file));
        lines.push(String::new());
    }
    lines.push("Trust exactly this content, and start it?".to_owned());
    confirm(&lines, on_yes)
}

/// Asks whether a file of the project may name programs to start: with what it would start, word for word.
pub fn question(file: &Untrusted) -> Confirm {
    let mut lines = vec![
        format!(
            "{} came with this project and would start:",
            file.path.display()
        ),
        String::new(),
    ];
    lines.extend(commands(file));
    lines.push(String::new());
    lines.push("Trust exactly this content? Until then its adapters are not used.".to_owned());
    confirm(&lines, vec![Effect::Trust(Box::new(file.clone()))])
}

/// What a file would start, word for word.
fn commands(file: &Untrusted) -> Vec<String> {
    let mut lines = Vec::new();
    for command in &file.commands {
        lines.push(format!("{}: {}", command.name, words::join(&command.argv)));
        lines.extend(
            command
                .env
                .iter()
                .map(|(name, value)| format!("  {name}={value}")),
        );
    }
    lines
}

fn confirm(lines: &[String], on_yes: Vec<Effect>) -> Confirm {
    Confirm {
        title: "Trust this file?".to_owned(),
        lines: lines
            .iter()
            .map(|line| sanitise(line).into_owned())
            .collect(),
        yes_label: "trust it".to_owned(),
        on_yes,
    }
}
