//! The bundled program of the first tour: written where it can be debugged, with what to set before it starts.

use super::adapters::{self, Target};
use crate::prelude::*;

const PROGRAM: &str = include_str!("../../assets/demo/checkout.py");
/// The same program as it was debugged once, for machines without an interpreter for it.
const RECORDING: &[u8] = include_bytes!("../../assets/demo/recording.ndjson.gz");
const TOUR: &str = include_str!("../../assets/demo/demo.toml");

/// The tour, ready to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Demo {
    pub program: PathBuf,
    /// A recording of a session with it.
    pub recording: PathBuf,
    /// What to look for, in one line.
    pub story: String,
    /// The adapter that is offered when none is there.
    pub adapter: String,
    language: String,
    interpreters: Vec<String>,
    /// Where it stops.
    pub breakpoints: Vec<BreakpointSpec>,
    /// What is worth watching.
    pub watches: Vec<String>,
}

#[derive(Deserialize)]
struct Tour {
    program: String,
    adapter: String,
    language: String,
    interpreters: Vec<String>,
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

/// Where the tour lives: in our own data.
pub fn folder(context: &Context) -> PathBuf {
    context.data_dir.join("demo")
}

/// Writes the program into `dir` (made when missing), where it stays so that its breakpoints are found again.
pub fn prepare(dir: &Path) -> Result<Demo, String> {
    let tour: Value = toml::from_str(TOUR).in_words()?;
    let tour: Tour = serde_json::from_value(tour).in_words()?;
    let program = dir.join(&tour.program);
    let recording = dir.join("recording.ndjson.gz");
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(&program, PROGRAM))
        .and_then(|()| fs::write(&recording, RECORDING))
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
        adapter: tour.adapter,
        language: tour.language,
        interpreters: tour.interpreters,
        breakpoints,
        watches: tour.watches,
    })
}

/// How the tour can be given on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TourMode {
    /// An adapter is there.
    Live,
    /// An interpreter is there, its adapter is not: why, in a sentence.
    WithoutAdapter(String),
    /// Not even an interpreter: what is said on the screen when the recording is played.
    Recorded(String),
}

impl Demo {
    /// How it can be given here.
    pub fn way(&self, context: &Context, adapter: Option<&str>) -> TourMode {
        let (table, _) = Table::load(context);
        let target = Target::Launch {
            program: self.program.clone(),
        };
        let Err(error) = adapters::select(&table, context, &target, adapter) else {
            return TourMode::Live;
        };
        let path = context
            .env
            .get("PATH")
            .map(String::as_str)
            .unwrap_or_default();
        let interpreter = std::env::split_paths(path).any(|folder| {
            self.interpreters
                .iter()
                .any(|name| folder.join(name).is_file())
        });
        if interpreter {
            TourMode::WithoutAdapter(error.to_string())
        } else {
            TourMode::Recorded(format!(
                "This is a recording: {} is not on this machine. Every step goes to the next recorded stop.",
                self.language
            ))
        }
    }

    /// What to ask the core for, in this order. Watches belong to the project, so they are set only in the demo's own.
    pub fn commands(&self, with_watches: bool, recorded: bool) -> Vec<Command> {
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
        commands.push(if recorded {
            Command::Replay {
                path: self.recording.clone(),
                folder: None,
            }
        } else {
            Command::Launch(Box::new(LaunchSpec {
                program: self.program.clone(),
                cwd: self.program.parent().map(Path::to_path_buf),
                ..LaunchSpec::default()
            }))
        });
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::text::width::width;

    #[test]
    fn the_tour_stops_where_its_marker_is_and_says_what_to_look_for() {
        let dir = tempfile::tempdir().unwrap();
        let demo = prepare(&dir.path().join("deep/demo")).unwrap();
        assert!(demo.program.is_file());
        // In a window of 80 columns the row of messages has room for so much.
        assert!(width(&demo.story) <= 60, "{}", demo.story);
        assert!(!demo.breakpoints.is_empty() && !demo.watches.is_empty() && !demo.story.is_empty());
        assert_eq!(
            demo.commands(false, false).len(),
            demo.breakpoints.len() + 1
        );
        assert_eq!(
            demo.commands(true, true).len(),
            demo.breakpoints.len() + demo.watches.len() + 1
        );
    }
}
