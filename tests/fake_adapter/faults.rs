//! How the adapter misbehaves, and in which of its states.

macro_rules! named {
    ($(#[$note:meta])* $type:ident { $($variant:ident = $name:literal,)* }) => {
        $(#[$note])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($variant,)* }
        impl $type {
            pub const ALL: &[(&'static str, Self)] = &[$(($name, Self::$variant),)*];
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
            }
        }
    };
}

named! {
    /// What goes wrong.
    Fault {
        Exit0 = "exit0",
        Exit1 = "exit1",
        Segv = "segv",
        SigKill = "sigkill",
        SigStop = "sigstop",
        CloseStdout = "close-stdout",
        CloseStdin = "close-stdin",
        StderrFlood = "stderr-flood",
        Junk = "junk",
        CutFrame = "cut-frame",
        OverCap = "over-cap",
        BadJson = "bad-json",
        WrongSeq = "wrong-seq",
        DoubleResponse = "double-response",
        LateResponse = "late-response",
        EventStorm = "event-storm",
        EmptyFailure = "empty-failure",
        BadReverse = "bad-reverse",
    }
}

named! {
    /// When: on receipt of the request that leads there, or right after the event that tells it.
    State {
        Spawned = "spawned",
        Initializing = "initializing",
        Launching = "launching",
        AwaitingInitialized = "awaiting-initialized",
        Configuring = "configuring",
        Running = "running",
        Stopping = "stopping",
        Stopped = "stopped",
        Evaluating = "evaluating",
        Stepping = "stepping",
        Disconnecting = "disconnecting",
        Terminated = "terminated",
    }
}

impl Fault {
    /// Whether it is about an answer, and not about the stream or the process.
    pub fn is_about_an_answer(self) -> bool {
        matches!(
            self,
            Self::WrongSeq | Self::DoubleResponse | Self::LateResponse | Self::EmptyFailure
        )
    }
}
