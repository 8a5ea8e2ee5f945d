//! Processes: which of omp's run, and how busy chosen ones are.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use crate::{
    omp::{Layout, live},
    prelude::*,
};

/// Characters of a command line that are kept.
const LONGEST: usize = 400;

/// A running process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// What it is called.
    pub name: String,
    /// Its command line; secrets are replaced.
    pub command: String,
    /// The project it works in, if it is known.
    pub project: Option<String>,
    /// Its newest log.
    pub log: Option<String>,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// Its resident memory in bytes.
    pub memory: u64,
}

/// omp's running processes by its own notes.
pub fn of_omp(layout: &Layout, redactor: &Redactor) -> Vec<Process> {
    let noted = live::processes(layout, |_| true);
    if noted.is_empty() {
        return Vec::new();
    }
    let pids: Vec<u32> = noted.keys().copied().collect();
    let clean = |path: &Path| redactor.redact(&path.to_string_lossy()).into_owned();
    let mut found = look_up(&pids, redactor);
    // The number may have been given to another program since.
    found.retain(is_omp);
    for process in &mut found {
        if let Some(note) = noted.get(&process.pid) {
            process.project = note.project.as_deref().map(clean);
            process.log = note.log.as_deref().map(clean);
        }
    }
    found
}

/// What is known of these processes; those that have ended are left out.
pub fn look_up(pids: &[u32], redactor: &Redactor) -> Vec<Process> {
    // A system whose process table cannot be read has no processes for us.
    let Ok(mut system) = System::new() else {
        return Vec::new();
    };
    let numbers: Vec<Pid> = pids.iter().map(|pid| Pid::from_u32(*pid)).collect();
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&numbers),
        true,
        ProcessRefreshKind::nothing()
            .with_memory()
            .with_cmd(UpdateKind::Always)
            .without_tasks(),
    );
    let read = |pid: &Pid| {
        let process = system.process(*pid)?;
        let words = process.cmd().iter().map(|word| word.to_string_lossy());
        let command = words.collect::<Vec<_>>().join(" ");
        let command = beginning(&redactor.redact(&command), LONGEST);
        Some(Process {
            pid: pid.as_u32(),
            name: sanitise(&process.name().to_string_lossy()).into_owned(),
            command: sanitise(&command).into_owned(),
            started: process.start_time(),
            memory: process.memory(),
            ..Process::default()
        })
    };
    numbers.iter().filter_map(read).collect()
}

/// By its name, or by a script of omp's in its command line.
fn is_omp(process: &Process) -> bool {
    process.name == "omp" || live::is_omp(process.command.split(' '))
}

/// How busy a process was since the sample before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Its number.
    pub pid: u32,
    /// Percent of one processor; nothing in the first sample, which has none before it.
    pub cpu: Option<f32>,
    /// Resident memory in bytes.
    pub memory: u64,
}

/// Samples processes one after the other; each costs some files of `/proc`.
pub struct Sampler {
    system: Option<System>,
    pids: Vec<(Pid, Option<u64>)>,
    sampled: bool,
}

impl Sampler {
    /// For these processes.
    pub fn new(pids: &[u32]) -> Self {
        Self {
            system: System::new().ok(),
            pids: pids.iter().map(|pid| (Pid::from_u32(*pid), None)).collect(),
            sampled: false,
        }
    }

    /// A sample of each that still runs, in the order in which they were given.
    pub fn sample(&mut self) -> Vec<Sample> {
        let Some(system) = &mut self.system else {
            return Vec::new();
        };
        let numbers: Vec<Pid> = self.pids.iter().map(|(pid, _)| *pid).collect();
        let kinds = ProcessRefreshKind::nothing()
            .with_cpu()
            .with_memory()
            .without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&numbers), true, kinds);
        let first = !std::mem::replace(&mut self.sampled, true);
        let sample = |(pid, started): &mut (Pid, Option<u64>)| {
            let process = system.process(*pid)?;
            // Another process that got its number is not the one that was chosen.
            if *started.get_or_insert(process.start_time()) != process.start_time() {
                return None;
            }
            Some(Sample {
                pid: pid.as_u32(),
                cpu: (!first).then(|| process.cpu_usage()),
                memory: process.memory(),
            })
        };
        self.pids.iter_mut().filter_map(sample).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_sampled_and_one_that_is_not_there_is_left_out() {
        let own = std::process::id();
        let mut sampler = Sampler::new(&[own, 4_194_305]);
        let first = sampler.sample();
        assert_eq!(first.len(), 1);
        assert_eq!((first[0].pid, first[0].cpu), (own, None));
        assert!(first[0].memory > 100_000, "{first:?}");
        let busy = Instant::now();
        while busy.elapsed() < sysinfo::MINIMUM_CPU_UPDATE_INTERVAL * 2 {
            std::hint::spin_loop();
        }
        let second = sampler.sample();
        assert!(second[0].cpu.unwrap() > 1.0, "{second:?}");
    }

    #[test]
    fn omp_by_its_name_and_nothing_else() {
        let process = |name: &str, command: &str| Process {
            name: name.to_owned(),
            command: command.to_owned(),
            ..Process::default()
        };
        assert!(is_omp(&process(
            "bun",
            "bun /usr/lib/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js"
        )));
        assert!(is_omp(&process("omp", "")));
        assert!(is_omp(&process("node", "node /usr/bin/omp --resume")));
        assert!(!is_omp(&process("vim", "vim notes/compare.txt")));
        assert!(!is_omp(&process("bash", "bash -c ls compomp")));
    }
}
