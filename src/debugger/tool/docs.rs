//! The two tables as pages for people: Markdown for files, plain text for a terminal.

use std::fmt::Write as _;

use super::{
    parameters::{self, PARAMETERS},
    table::{ACTIONS, ActionRow},
};

/// All actions and all parameters, in Markdown.
pub fn markdown() -> String {
    let mut out =
        String::from("| action | consent | parameters | what it does |\n|---|---|---|---|\n");
    for row in &ACTIONS {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            row.name,
            row.tier.word(),
            usage(row).replace('|', "\\|"),
            row.help
        );
    }
    out.push_str("\n| parameter | kind | what it is for |\n|---|---|---|\n");
    for parameter in PARAMETERS {
        let kind = match parameter.name {
            "action" => "one of the actions".to_owned(),
            _ => parameter.kind.words(),
        };
        let _ = writeln!(
            out,
            "| `{}` | {kind} | {} |",
            parameter.name, parameter.help
        );
    }
    out
}

/// One line an action: what `--list` prints.
pub fn list(rows: &[ActionRow]) -> String {
    let wide = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "{:wide$}  {}  {}", row.name, row.tier.word(), row.help);
    }
    out
}

/// One action with its parameters, as plain text.
pub fn page(row: &ActionRow) -> String {
    let mut out = format!("{} {}\n\n{}\n", row.name, usage(row), row.help);
    let known: Vec<_> = row.parameters().filter_map(parameters::parameter).collect();
    let wide = known.iter().map(|p| p.name.len()).max().unwrap_or(0);
    out.push('\n');
    for parameter in known {
        let _ = writeln!(
            out,
            "  {:wide$}  {} ({})",
            parameter.name,
            parameter.help,
            parameter.kind.words()
        );
    }
    if let Some(noun) = row.noun {
        let _ = writeln!(out, "\nNot every adapter can: it must support {noun}.");
    }
    out
}

/// Parameters in short: `file line|function [condition] [timeout]`.
fn usage(row: &ActionRow) -> String {
    let mut words: Vec<String> = row.required.iter().map(|name| (*name).to_owned()).collect();
    let mut chosen = Vec::new();
    if let Some(choice) = row.choice {
        let sets: Vec<_> = choice.sets.iter().map(|set| set.join(" ")).collect();
        words.push(sets.join("|"));
        chosen.extend(choice.sets.iter().copied().flatten().copied());
    }
    let rest = row
        .parameters()
        .filter(|name| !row.required.contains(name) && !chosen.contains(name));
    words.extend(rest.map(|name| format!("[{name}]")));
    words.join(" ")
}
