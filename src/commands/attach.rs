//! What runs already: how a process, a debug server, a core dump or an app in a simulator is named, and what it is to be attached with.

use super::{launch::StopArgs, named::by_name, prelude::*};
use crate::debugger::{AttachSpec, lldb_cli::simulator::SimulatorRequest};

/// An app in a simulator.
#[derive(Args, Clone, Debug, Default)]
pub struct SimulatorArgs {
    /// An app in this simulator, by name or UUID (needs Xcode) [default: the one of last time]
    #[arg(long, value_name = "NAME|UUID", conflicts_with_all = ["name", "port"])]
    pub simulator: Option<String>,
    /// The app in the simulator
    #[arg(long, value_name = "ID", conflicts_with_all = ["name", "port"])]
    pub bundle_id: Option<String>,
    /// Wait until the app is started
    #[arg(long, conflicts_with_all = ["name", "port"])]
    pub wait_for: bool,
}

impl SimulatorArgs {
    /// What is asked for, when a simulator is meant.
    pub(super) fn asked(&self, pid: Option<u32>) -> Option<Box<SimulatorRequest>> {
        let (simulator, bundle_id) = (self.simulator.clone(), self.bundle_id.clone());
        SimulatorRequest::of(simulator, bundle_id, pid, self.wait_for)
    }
}

/// A process or a debug server.
#[derive(Args, Clone, Debug, Default)]
pub struct WhomArgs {
    /// The process with this id
    #[arg(long, value_name = "N", value_parser = numbers(1..), conflicts_with_all = ["name", "port"])]
    pub pid: Option<u32>,
    /// The one process with this name, or with this in its command line
    #[arg(long, conflicts_with = "port")]
    pub name: Option<String>,
    /// The debug server that listens on this port
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// The debug server's host [default: 127.0.0.1]
    #[arg(long, requires = "port")]
    pub host: Option<String>,
}

impl WhomArgs {
    /// What is attached to: this, or what is asked for in a simulator.
    pub(super) fn spec(
        &self,
        simulated: &SimulatorArgs,
        stops: &StopArgs,
        config: &Config,
        cwd: &Path,
    ) -> Result<AttachSpec> {
        let pid = match &self.name {
            Some(name) => Some(by_name(name)?),
            None => self.pid,
        };
        Ok(AttachSpec {
            pid,
            port: self.port,
            host: self.host.clone(),
            cwd: Some(cwd.to_path_buf()),
            adapter: config.core.adapter.clone(),
            plain_adapter: config.core.plain_adapter,
            exception_filters: stops.exception_filters(),
            simulator: simulated.asked(self.pid),
            ..AttachSpec::default()
        })
    }
}

/// `attach`.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("target").required(true).multiple(true).args(["pid", "name", "port", "core", "simulator", "bundle_id"]))]
pub struct AttachArgs {
    /// What runs.
    #[command(flatten)]
    pub whom: WhomArgs,
    /// A core dump: what is left of a process that died
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pid", "name", "port", "simulator", "bundle_id"])]
    pub core: Option<PathBuf>,
    /// The program that died, or that a debug server holds, for its symbols
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// An app in a simulator.
    #[command(flatten)]
    pub simulated: SimulatorArgs,
    /// Where it is to stop.
    #[command(flatten)]
    pub stops: StopArgs,
}

impl AttachArgs {
    /// What `attach` asks for.
    pub fn opening(&self, config: &Config, cwd: &Path) -> Result<Vec<Command>> {
        let whom = (self.whom).spec(&self.simulated, &self.stops, config, cwd)?;
        let mut commands = self.stops.commands(cwd)?;
        commands.push(Command::Attach(Box::new(AttachSpec {
            core: self.core.as_ref().map(|core| cwd.join(core)),
            program: self.program.as_ref().map(|program| cwd.join(program)),
            ..whom
        })));
        Ok(commands)
    }
}
