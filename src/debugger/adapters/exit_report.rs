//! How a program itself tells its exit code, for an adapter that does not: its runtime loads a script before it, which writes the
//! code down.

use tempfile::TempDir;

use crate::prelude::*;

/// The script, and how a runtime is made to load it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitReport {
    /// The variable of the program's environment that says so.
    pub variable: String,
    /// What is added to that; `${script}` is the script's path.
    pub option: String,
    /// The script. It writes into a file that is called as it is, with `.code` behind.
    pub script: String,
}

/// Where a program writes its exit code. Gone with the value.
#[derive(Debug)]
pub struct Reported(TempDir);

const SCRIPT: &str = "exit.cjs";
/// The variable that says where, for a start that writes it by itself: it has it, without a value.
pub const REPORT: &str = "OMP_DEBUG_EXIT_CODE";

impl ExitReport {
    /// Adds it to the environment among a launch's arguments. `inherited`: the variable as it is without that.
    pub fn ask(
        &self,
        arguments: &mut Value,
        env_key: &str,
        inherited: Option<&str>,
    ) -> io::Result<Option<Reported>> {
        let Some(all) = arguments.as_object_mut() else {
            return Ok(None);
        };
        let env = all.entry(env_key).or_insert_with(|| json!({}));
        let Some(env) = env.as_object_mut() else {
            return Ok(None);
        };
        let folder = files::private_directory()?;
        let script = folder.path().join(SCRIPT);
        fs::write(&script, &self.script)?;
        let option = self.option.replace("${script}", &script.to_string_lossy());
        let before = env
            .get(&self.variable)
            .map_or(inherited, Value::as_str)
            .unwrap_or_default();
        let value = format!("{before} {option}").trim_start().to_owned();
        env.insert(self.variable.clone(), value.into());
        if let Some(wanted) = env.get_mut(REPORT) {
            *wanted = format!("{}.code", script.display()).into();
        }
        Ok(Some(Reported(folder)))
    }
}

impl Reported {
    /// What the program wrote: nothing when it was ended from outside.
    pub fn code(&self) -> Option<i64> {
        let written = self.0.path().join(format!("{SCRIPT}.code"));
        fs::read_to_string(written).ok()?.trim().parse().ok()
    }
}
