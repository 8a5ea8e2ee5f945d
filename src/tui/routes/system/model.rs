//! What was found, as rows; and the processes that are watched, with what they used lately.

use std::collections::VecDeque;

use diagnostics::system::{
    Adapter, System, Unknown, Versions,
    processes::{Process, Sample},
    text::{Row, Section, sections, write},
};

/// Samples that are kept of each process: two minutes.
const KEPT: usize = 120;
/// Processes that are listed.
const MOST: usize = 64;

/// A line of the list.
#[derive(Debug)]
pub enum Line {
    /// A section's title.
    Heading(&'static str),
    /// What is known.
    Row(Row),
}

/// A process that can be watched.
#[derive(Debug, Default)]
pub struct Watched {
    /// Its number.
    pub pid: u32,
    /// What it is called.
    pub name: String,
    /// What it is to us, or its command line.
    pub about: String,
    /// Whether it is sampled.
    pub chosen: bool,
    /// Whether it has ended.
    pub ended: bool,
    /// Percent of one processor, the newest last; nothing where it was not known.
    pub cpu: VecDeque<Option<f32>>,
    /// Resident bytes, the newest last.
    pub memory: VecDeque<u64>,
}

/// All that is shown.
#[derive(Debug, Default)]
pub struct Model {
    system: Option<Box<System>>,
    sections: Vec<Section>,
    pub lines: Vec<Line>,
    /// The processes, in the order in which they became known.
    pub processes: Vec<Watched>,
    /// What is still being asked: `versions`, `adapters`.
    pub waiting: Vec<&'static str>,
}

impl Model {
    /// Takes in facts; what was asked besides comes later.
    pub fn facts(&mut self, system: &System) {
        let mut system = system.clone();
        // Until it is asked again, what was said before is the best that is known.
        if let Some(old) = &self.system {
            system.adapters.clone_from(&old.adapters);
            system.versions.clone_from(&old.versions);
        }
        for process in &system.omp.processes {
            self.list(process, "omp", true);
        }
        self.system = Some(Box::new(system));
        self.waiting = vec!["versions", "adapters"];
        self.lay();
    }

    /// Takes in versions, and why some are not known.
    pub fn versions(&mut self, versions: &Versions, unknown: &[Unknown]) {
        if let Some(system) = &mut self.system {
            system.versions = versions.clone();
            system.unknown.retain(|u| !u.field.starts_with("versions."));
            system.unknown.extend_from_slice(unknown);
        }
        self.waiting.retain(|what| *what != "versions");
        self.lay();
    }

    /// Takes in the adapters.
    pub fn adapters(&mut self, adapters: &[Adapter]) {
        if let Some(system) = &mut self.system {
            system.adapters = adapters.to_vec();
        }
        self.waiting.retain(|what| *what != "adapters");
        self.lay();
    }

    fn lay(&mut self) {
        self.sections = match &self.system {
            Some(system) => sections(system),
            None => Vec::new(),
        };
        self.lines = self
            .sections
            .iter()
            .flat_map(|section| {
                let rows = section.rows.iter().cloned().map(Line::Row);
                std::iter::once(Line::Heading(section.title)).chain(rows)
            })
            .collect();
    }

    /// The line of the next heading from a line on, or of the one before it.
    pub fn heading(&self, from: usize, back: bool) -> Option<usize> {
        let is_heading = |at: &usize| matches!(self.lines.get(*at), Some(Line::Heading(_)));
        if back {
            (0..from).rev().find(is_heading)
        } else {
            (from + 1..self.lines.len()).find(is_heading)
        }
    }

    /// Everything as text.
    pub fn text(&self) -> String {
        write(&self.sections)
    }

    /// A line as text; of a heading, its whole section.
    pub fn line_text(&self, at: usize) -> Option<String> {
        match self.lines.get(at)? {
            Line::Row(row) => Some(row.text()),
            Line::Heading(title) => {
                let section = self.sections.iter().find(|s| s.title == *title)?;
                Some(write(std::slice::from_ref(section)))
            }
        }
    }

    /// Lists a process, unless it is there already; true when it is new.
    pub fn list(&mut self, process: &Process, about: &str, chosen: bool) -> bool {
        if let Some(known) = self.processes.iter_mut().find(|p| p.pid == process.pid) {
            known.ended = false;
            return false;
        }
        if self.processes.len() >= MOST {
            return false;
        }
        self.processes.push(Watched {
            pid: process.pid,
            name: process.name.clone(),
            about: if about.is_empty() {
                process.command.clone()
            } else {
                about.to_owned()
            },
            chosen,
            ..Watched::default()
        });
        true
    }

    /// The processes to be sampled.
    pub fn chosen(&self) -> Vec<u32> {
        let chosen = self.processes.iter().filter(|p| p.chosen && !p.ended);
        chosen.map(|p| p.pid).collect()
    }

    /// Takes in a sample of each process that still runs of those that were asked for.
    pub fn sample(&mut self, asked: &[u32], samples: &[Sample]) {
        for process in self.processes.iter_mut().filter(|p| asked.contains(&p.pid)) {
            let Some(sample) = samples.iter().find(|s| s.pid == process.pid) else {
                process.ended = true;
                continue;
            };
            process.cpu.push_back(sample.cpu);
            process.memory.push_back(sample.memory);
            while process.memory.len() > KEPT {
                process.cpu.pop_front();
                process.memory.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Process {
        Process {
            pid,
            name: format!("p{pid}"),
            ..Process::default()
        }
    }

    #[test]
    fn what_comes_later_completes_the_rows() {
        let mut model = Model::default();
        let mut system = System::default();
        system.omp.processes.push(process(7));
        model.facts(&system);
        assert_eq!(model.waiting, ["versions", "adapters"]);
        assert_eq!(model.chosen(), [7]);
        let versions = Versions {
            git: Some("2.39.5".to_owned()),
            ..Versions::default()
        };
        let unknown = Unknown {
            field: "versions.bun".to_owned(),
            why: "bun is not on PATH".to_owned(),
        };
        model.versions(&versions, std::slice::from_ref(&unknown));
        model.versions(&versions, std::slice::from_ref(&unknown));
        model.adapters(&[Adapter {
            name: "x".to_owned(),
            ..Adapter::default()
        }]);
        let text = model.text();
        assert!(
            text.contains("2.39.5") && text.contains("not found"),
            "{text}"
        );
        assert_eq!(text.matches("bun is not on PATH").count(), 1);
        assert_eq!(model.waiting, Vec::<&str>::new());
        let first = model.heading(0, false).unwrap();
        assert_eq!(model.heading(first, true), Some(0));
        assert!(model.line_text(0).unwrap().starts_with("Machine\n━"));
        // What was known stays while it is asked again.
        model.facts(&system);
        assert!(model.text().contains("2.39.5"));
    }

    #[test]
    fn samples_are_kept_for_a_while_and_the_end_is_noticed() {
        let mut model = Model::default();
        assert!(model.list(&process(1), "", true));
        assert!(model.list(&process(2), "", true));
        assert!(!model.list(&process(2), "", true));
        let sample = |pid| Sample {
            pid,
            cpu: Some(1.0),
            memory: 5,
        };
        for _ in 0..KEPT + 5 {
            model.sample(&[1, 2], &[sample(1)]);
        }
        assert_eq!(model.processes[0].memory.len(), KEPT);
        assert!(model.processes[1].ended);
        assert_eq!(model.chosen(), [1]);
    }
}
