//! By which of its two ways LLDB is spoken to: through its debug adapter, or through its command line.
//!
//! The option wins over the variable; without either the order of the debuggers decides, in which the command line comes after
//! everything that speaks the protocol itself. Either way it is LLDB then, and no other debugger of machine code. Debuggers of other languages are not concerned.

use std::str::FromStr;

use serde::{
    Deserialize, Serialize,
    de::{IntoDeserializer as _, value::StrDeserializer},
};

/// The variable that chooses, when no option does.
pub const BACKEND: &str = "OMP_DEBUG_BACKEND";

/// One of the two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// A debug adapter.
    Dap,
    /// LLDB's own command line.
    #[serde(alias = "lldb")]
    LldbCli,
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let word: StrDeserializer<'_, serde::de::value::Error> = given.into_deserializer();
        Self::deserialize(word).map_err(|_unknown| {
            format!("{given:?} is no debugger backend; there are dap, lldb-cli and lldb (the same as lldb-cli)")
        })
    }
}
