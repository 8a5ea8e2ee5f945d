//! The table of adapters: built in, and what a person's own files add to it.
//!
//! Reading those files is left to `user_files`, deciding whether they may be used to `trust`, and finding the
//! programs to `resolve`.

use base::text::nearest;

use super::adapter::ProgramKind;
use crate::prelude::*;

const BUILTIN: &str = include_str!("../../../assets/adapters.toml");

/// All adapters that are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    adapters: Vec<Arc<Adapter>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    adapter: Vec<Adapter>,
}

impl Table {
    /// The table that ships with us, parsed once.
    pub fn builtin() -> &'static Self {
        static TABLE: LazyLock<Table> = LazyLock::new(|| {
            Table::parse(BUILTIN).unwrap_or_else(|error| {
                // A test reads the table, so a build that passed cannot get here; an empty table still lets a
                // person's own adapters work.
                tracing::error!(%error, "the built-in table of adapters");
                Table::default()
            })
        });
        &TABLE
    }

    fn parse(text: &str) -> Result<Self, String> {
        // Through a value, as the person's own files are: an adapter is read in one way only.
        let value: Value = toml::from_str(text).in_words()?;
        let Document { mut adapter } = serde_json::from_value(value).in_words()?;
        let support = |name: &String| {
            let of = adapter.iter().find(|adapter| adapter.name == *name);
            of.map(|adapter| adapter.language_support.clone())
        };
        let shared = adapter
            .iter()
            .map(|one| one.support_as.as_ref().and_then(support));
        let shared: Vec<_> = shared.collect();
        for (adapter, support) in adapter.iter_mut().zip(shared) {
            adapter.language_support.extend(support.unwrap_or_default());
        }
        let adapters = adapter.into_iter().map(Arc::new).collect();
        Ok(Self { adapters })
    }

    /// Extensions of source files that no program of this adapter comes from: others debug them, and either side runs
    /// its sources itself, so that they cannot meet in one executable.
    pub fn foreign_types(&self, adapter: &Adapter) -> BTreeSet<String> {
        self.iter()
            .filter(|other| {
                other.program == ProgramKind::Source || adapter.program == ProgramKind::Source
            })
            .flat_map(|other| &other.file_types)
            .filter(|kind| !adapter.file_types.contains(kind))
            .filter(|_| !adapter.file_types.is_empty())
            .cloned()
            .collect()
    }

    /// The adapter of this name or alias.
    pub fn get(&self, name: &str) -> Result<&Arc<Adapter>, AdapterError> {
        self.adapters
            .iter()
            .find(|adapter| adapter.name == name)
            .or_else(|| self.adapters.iter().find(|adapter| adapter.is_called(name)))
            .ok_or_else(|| {
                let known: Vec<_> = self.iter().map(|adapter| adapter.name.as_str()).collect();
                let hint = nearest::nearest(name, known.iter().copied(), 1)
                    .first()
                    .map_or_else(
                        || "omp-debug adapters list".to_owned(),
                        |nearest| format!("did you mean {nearest}?"),
                    );
                let known = known.join(", ");
                let what = format!("no debug adapter is called {name:?}; known are {known}");
                AdapterError::new(ErrorKind::Usage, what, hint)
            })
    }

    /// Only those that fit.
    pub(super) fn filtered(&self, fits: impl Fn(&Adapter) -> bool) -> Self {
        let adapters = self.adapters.iter().filter(|adapter| fits(adapter));
        Self {
            adapters: adapters.cloned().collect(),
        }
    }

    /// All adapters, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Adapter>> {
        self.adapters.iter()
    }

    /// Puts an adapter in the place of one with its name, or at the end.
    pub(super) fn put(&mut self, adapter: Adapter) {
        match self
            .adapters
            .iter_mut()
            .find(|known| known.name == adapter.name)
        {
            Some(known) => *known = Arc::new(adapter),
            None => self.adapters.push(Arc::new(adapter)),
        }
    }
}
