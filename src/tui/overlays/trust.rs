//! The question before a file that came with a project may name programs to start.

use base::text::words;
use debugger::adapters::trust::Untrusted;

use crate::kit::{
    confirm::{Answering, Confirm},
    prelude::*,
};

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
            "{} came with this project and would have us run:",
            file.path.display()
        ),
        String::new(),
    ];
    lines.extend(commands(file));
    lines.push(String::new());
    lines.push("Trust exactly this content? Until then it is not used.".to_owned());
    confirm(&lines, vec![Effect::Trust(Box::new(file.clone()))])
}

/// What a file would start, word for word.
fn commands(file: &Untrusted) -> Vec<String> {
    let mut lines = Vec::new();
    for command in &file.commands {
        lines.push(format!(
            "  {}: {}",
            command.name,
            words::join(&command.argv)
        ));
        lines.extend(
            command
                .env
                .iter()
                .map(|(name, value)| format!("    {name}={value}")),
        );
    }
    lines
}

fn confirm(lines: &[String], on_yes: Vec<Effect>) -> Confirm {
    Confirm {
        choice: Answering::default(),
        title: "Trust this file?".to_owned(),
        lines: lines
            .iter()
            .map(|line| sanitise(line).into_owned())
            .collect(),
        yes_label: "trust it".to_owned(),
        on_yes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::test::Stage;
    use debugger::State;
    use debugger::adapters::trust::CommandLine;

    fn file(commands: usize) -> Untrusted {
        let command = |n: usize| CommandLine {
            name: format!("task {n}"),
            argv: vec![
                "/bin/sh".to_owned(),
                "-c".to_owned(),
                format!("run \x1b[2J{n}"),
            ],
            env: [("KEY".to_owned(), "value".to_owned())].into(),
        };
        Untrusted {
            path: "/project/.vscode/tasks.json".into(),
            sha256: String::new(),
            commands: (0..commands).map(command).collect(),
        }
    }

    #[test]
    fn what_is_long_does_not_look_like_a_line_of_its_own() {
        let stage = Stage::new(State::default());
        let mut long = file(1);
        long.commands[0].argv = vec!["/usr/bin/env".to_owned(); 12];
        let mut confirm = before_start(&[long], Vec::new());
        let screen = stage.draw(&mut confirm, 80, 24);
        let commands: Vec<_> = screen.iter().filter(|row| row.contains("/env")).collect();
        assert!(commands.len() > 1, "{screen:#?}");
        let column = |row: &str| row.find(|c: char| c.is_ascii_graphic());
        let places: Vec<_> = commands.iter().map(|row| column(row)).collect();
        assert!(places[1..].iter().all(|at| *at > places[0]), "{screen:#?}");
    }

    #[test]
    fn all_that_is_started_is_shown_or_said_to_be_more() {
        let stage = Stage::new(State::default());
        let listening = |mut confirm: Confirm| {
            let now = Instant::now();
            confirm.choice.deaf_until(now, false);
            confirm
                .choice
                .deaf_until(now + Duration::from_secs(1), false);
            confirm
        };
        let mut few = listening(before_start(&[file(1)], Vec::new()));
        let screen = stage.draw(&mut few, 80, 24).join("\n");
        assert!(
            screen.contains("task 0: /bin/sh -c \"run ␛[2J0\""),
            "{screen}"
        );
        assert!(
            screen.contains("KEY=value") && !screen.contains("more lines"),
            "{screen}"
        );
        let mut many = listening(before_start(&[file(30)], Vec::new()));
        let screen = stage.draw(&mut many, 80, 24).join("\n");
        assert!(
            screen.contains("more lines: make the window higher"),
            "{screen}"
        );
        assert!(screen.contains("▸ No, leave it"), "{screen}");
        assert!(screen.contains("Yes, trust it"), "{screen}");
    }
}
