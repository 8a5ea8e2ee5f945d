//! Which lines are shown.

/// Which lines are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Everything but telemetry.
    #[default]
    All,
    /// What the program printed.
    Program,
    /// Its standard error.
    Errors,
    /// What the adapter says.
    Debugger,
}

impl Shown {
    pub fn next(self) -> Self {
        match self {
            Self::All => Self::Program,
            Self::Program => Self::Errors,
            Self::Errors => Self::Debugger,
            Self::Debugger => Self::All,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Program => "program",
            Self::Errors => "errors",
            Self::Debugger => "debugger",
        }
    }

    pub fn takes(self, category: &str) -> bool {
        match self {
            Self::All => category != "telemetry",
            Self::Program => matches!(category, "stdout" | "stderr"),
            Self::Errors => category == "stderr",
            Self::Debugger => !matches!(category, "stdout" | "stderr" | "telemetry"),
        }
    }
}
