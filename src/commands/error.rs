//! Why a command line that reads well cannot be meant.

use std::path::PathBuf;

use crate::{
    debugger::{adapters::ProgramError, configurations::ConfigurationError},
    headless::run::options::OptionsError,
    text::missing::no_file,
};

/// Why a command line that reads well cannot be meant. Each says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// An option of `run`, or its session file.
    #[error(transparent)]
    Run(#[from] OptionsError),
    /// A breakpoint or logpoint.
    #[error("{option}: {why}")]
    Spec {
        /// The option.
        option: &'static str,
        /// What is wrong.
        why: String,
    },
    /// `--env`.
    #[error("--env {0:?} names no variable: write NAME=value, or NAME to remove it")]
    Env(String),
    /// No such program.
    #[error("{error}{hint}")]
    NoProgram {
        /// Which, and what is spelled like it.
        error: ProgramError,
        /// What else could be meant.
        hint: String,
    },
    /// `--stdin`.
    #[error("--stdin: {}", no_file(.0))]
    NoInput(PathBuf),
    /// A debug configuration of the project.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// `--input`.
    #[error("--input {0:?} gives no value: write ID=VALUE")]
    Input(String),
    /// Options of configurations without one.
    #[error("{0} belongs to a debug configuration: write --config NAME {0} …")]
    NeedsConfiguration(&'static str),
    /// `PROGRAM` and a command.
    #[error(
        "{0:?} stands before a command: put what the program is given behind `--`, or leave one of them out"
    )]
    ProgramAndCommand(PathBuf),
    /// `--join` and something to start.
    #[error("--join shows what another omp-debug debugs; leave {0} out, or leave --join out")]
    JoinAnd(String),
    /// Launch options without a program.
    #[error("{0} needs a PROGRAM: write omp-debug PROGRAM {0} …")]
    NeedsProgram(&'static str),
    /// An unusable `--cwd`.
    #[error("--cwd {0:?} is not a folder that can be entered: {1}")]
    Cwd(PathBuf, String),
    /// `--name` fits nothing.
    #[error("no process of yours is called {0:?}: `ps ux` shows what runs")]
    NoProcess(String),
    /// `--name` fits several.
    #[error("{name:?} fits several processes, choose one with --pid:\n{list}")]
    ManyProcesses {
        /// As written.
        name: String,
        /// One a line.
        list: String,
    },
}

impl UsageError {
    /// Whether it is only a matter of permission.
    pub fn is_denied(&self) -> bool {
        match self {
            Self::Run(OptionsError::Config(error)) => error.is_denied(),
            Self::Configuration(error) => error.is_denied(),
            _ => false,
        }
    }
}
