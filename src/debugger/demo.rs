//! The bundled program of the first tour: written where it can be debugged, with what to set before it starts.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::command::{BreakpointSpec, Command, LaunchSpec};

const PROGRAM: &str = include_str!("../../assets/demo/checkout.py");
/// The same program as it was debugged once, for machines without an interpreter for it.
const RECORDING: &[u8] = include_bytes!("../../assets/demo/recording.ndjson.gz");
const TOUR: &str = include_str!("../../assets/demo/demo.toml");

/// The tour, ready to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Demo {
    /// The program.
    pub program: PathBuf,
    /// A recording of a session with it.
    pub recording: PathBuf,
    /// What to look for, in one line.
    pub story: String,
    /// Where it stops.
    pub breakpoints: Vec<BreakpointSpec>,
    /// What is worth watching.
    pub watches: Vec<String>,
}

#[derive(Deserialize)]
struct Tour {
    program: String,
    story: String,
    #[serde(default)]
    watches: Vec<String>,
    #[serde(default)]
    breakpoints: Vec<Mark>,
}

#[derive(Deserialize)]
struct Mark {
    marker: String,
}

/// Writes the program into `dir` (made when missing), where it stays so that its breakpoints are found again.
pub fn prepare(dir: &Path) -> Result<Demo, String> {
    let tour: Tour = toml::from_str(TOUR).map_err(|e| e.to_string())?;
    let program = dir.join(&tour.program);
    let recording = dir.join("recording.ndjson.gz");
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(&program, PROGRAM))
        .and_then(|()| std::fs::write(&recording, RECORDING))
        .map_err(|e| {
            format!(
                "the demo could not be written to {}: {e}",
                program.display()
            )
        })?;
    let breakpoints = tour
        .breakpoints
        .iter()
        .flat_map(|mark| {
            (1..)
                .zip(PROGRAM.lines())
                .filter(move |(_, text)| text.contains(&mark.marker))
                .map(|(line, _)| line)
        })
        .map(|line| BreakpointSpec::line(&program, line))
        .collect();
    Ok(Demo {
        program,
        recording,
        story: tour.story,
        breakpoints,
        watches: tour.watches,
    })
}

impl Demo {
    /// What to ask the core for, in this order. Watches belong to the project, so they are set only in the demo's own.
    pub fn commands(&self, with_watches: bool) -> Vec<Command> {
        let mut commands: Vec<Command> = self
            .breakpoints
            .iter()
            .cloned()
            .map(Command::SetBreakpoint)
            .collect();
        if with_watches {
            commands.extend(self.watches.iter().map(|expression| Command::AddWatch {
                expression: expression.clone(),
            }));
        }
        commands.push(Command::Launch(Box::new(LaunchSpec {
            program: self.program.clone(),
            cwd: self.program.parent().map(Path::to_path_buf),
            ..LaunchSpec::default()
        })));
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tour_stops_where_its_marker_is_and_says_what_to_look_for() {
        let dir = tempfile::tempdir().unwrap();
        let demo = prepare(&dir.path().join("deep/demo")).unwrap();
        assert!(demo.program.is_file());
        assert!(!demo.breakpoints.is_empty() && !demo.watches.is_empty() && !demo.story.is_empty());
        assert_eq!(demo.commands(false).len(), demo.breakpoints.len() + 1);
        assert_eq!(
            demo.commands(true).len(),
            demo.breakpoints.len() + demo.watches.len() + 1
        );
    }
}
