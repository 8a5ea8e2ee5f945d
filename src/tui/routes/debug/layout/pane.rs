//! The panes of the workspace, by name and number. Where they are is the layout's.

/// The panes, in the order of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    /// Source text.
    #[default]
    Source,
    /// Threads and frames.
    Stack,
    /// Scopes and variables.
    Scopes,
    /// Watch expressions.
    Watches,
    /// Breakpoints and exception filters.
    Breakpoints,
    /// What the program prints.
    Output,
    /// The prompt.
    Repl,
    /// The program's terminal.
    Terminal,
    /// Machine instructions; opened on demand.
    Disassembly,
    /// Bytes of memory; opened on demand.
    Memory,
    /// The stops so far; opened on demand.
    Stops,
    /// What is said to the adapter and by it; opened on demand.
    Protocol,
    /// What others asked and did; opened on demand.
    Audit,
}

impl Pane {
    /// All of them, in the order of their keys: `1` is the first, `0` the tenth, then letters.
    pub const ALL: [Self; 13] = [
        Self::Source,
        Self::Stack,
        Self::Scopes,
        Self::Watches,
        Self::Breakpoints,
        Self::Output,
        Self::Repl,
        Self::Terminal,
        Self::Disassembly,
        Self::Memory,
        Self::Stops,
        Self::Protocol,
        Self::Audit,
    ];
    const KEYS: [&'static str; 13] = [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "T", "V", "U",
    ];
    pub const BOTTOM: &[Self] = &[Self::Output, Self::Repl, Self::Terminal];
    pub const SIDE: &[Self] = &[Self::Scopes, Self::Watches, Self::Breakpoints];

    /// Its name on tabs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Stack => "Stack",
            Self::Scopes => "Scopes",
            Self::Watches => "Watches",
            Self::Breakpoints => "Breakpoints",
            Self::Output => "Output",
            Self::Repl => "Console",
            Self::Terminal => "Terminal",
            Self::Disassembly => "Disassembly",
            Self::Memory => "Memory",
            Self::Stops => "Stops",
            Self::Protocol => "Protocol",
            Self::Audit => "Audit",
        }
    }

    /// Whether it has a tab only once somebody asked for it; it shares the place below the source.
    pub fn is_on_demand(self) -> bool {
        matches!(
            self,
            Self::Disassembly | Self::Memory | Self::Stops | Self::Protocol | Self::Audit
        )
    }

    /// Whether it is one of those that share the place below the source.
    pub fn is_below(self) -> bool {
        Self::BOTTOM.contains(&self) || self.is_on_demand()
    }

    /// Which of [`Self::ALL`] it is.
    pub fn place(self) -> usize {
        self as usize
    }

    /// The key that focuses it.
    pub fn key(self) -> &'static str {
        Self::KEYS.get(self.place()).copied().unwrap_or_default()
    }
}
