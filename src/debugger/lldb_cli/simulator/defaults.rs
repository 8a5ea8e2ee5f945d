//! The simulator and the app of last time, so that the next attach need not say them again.

use super::request::SimulatorRequest;
use crate::prelude::*;

/// When this is set to anything but 0, nothing is filled in and nothing kept.
pub const DISABLE: &str = "OMP_DEBUG_DISABLE_SESSION_DEFAULTS";
/// Bytes of the file that are read.
const LIMIT: u64 = 64 << 10;

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Defaults {
    /// The simulator, as it was asked for.
    pub simulator: Option<String>,
    /// The app.
    pub bundle_id: Option<String>,
}

fn file(context: &Context) -> PathBuf {
    context.state_dir.join("simulator.json")
}

fn is_disabled(context: &Context) -> bool {
    context.var(DISABLE).is_some_and(|value| value != "0")
}

impl SimulatorRequest {
    /// What was not said, filled in from last time.
    #[must_use]
    pub fn or(mut self, defaults: Option<&Defaults>) -> Self {
        if let Some(defaults) = defaults {
            self.simulator = self.simulator.or_else(|| defaults.simulator.clone());
            if self.pid.is_none() {
                self.bundle_id = self.bundle_id.or_else(|| defaults.bundle_id.clone());
            }
        }
        self
    }
}

impl Defaults {
    /// Those of last time; nothing when there are none, or when they are not wanted.
    pub fn load(context: &Context) -> Option<Self> {
        if is_disabled(context) {
            return None;
        }
        let file = File::open(file(context)).ok()?;
        let text = files::read_at_most(file, LIMIT).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps them: the file is the old one or the new one, never half.
    pub fn save(&self, context: &Context) -> io::Result<()> {
        if is_disabled(context) {
            return Ok(());
        }
        files::replace(&file(context), |out| Ok(serde_json::to_writer(out, self)?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// S1-4, S1-5.
    #[test]
    fn defaults_are_kept_once_unless_they_are_not_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let plain = Context::new(
            folder.path().into(),
            BTreeMap::from([("HOME".to_owned(), home.clone())]),
        );
        let disabled = Context::new(
            folder.path().into(),
            BTreeMap::from([
                ("HOME".to_owned(), home),
                (DISABLE.to_owned(), "1".to_owned()),
            ]),
        );
        let used = Defaults {
            simulator: Some("iPhone".to_owned()),
            bundle_id: None,
        };
        used.save(&disabled).unwrap();
        assert_eq!(Defaults::load(&plain), None);
        used.save(&plain).unwrap();
        assert_eq!(Defaults::load(&plain), Some(used));
        assert_eq!(Defaults::load(&disabled), None);
        fs::write(file(&plain), "{half").unwrap();
        assert_eq!(Defaults::load(&plain), None);
    }
}
