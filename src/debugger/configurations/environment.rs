//! Variables of a configuration's program: from files, and from the configuration itself.

use base::text::{
    dotenv,
    jsonc::{Item, Node},
};

use super::{
    build::Reading,
    error::{Result, at, wrong},
    nodes::plain,
    types::LaunchType,
};
use crate::{adapters::trust, prelude::*};

impl Reading<'_> {
    /// Variables of files first, so that those of the configuration win.
    pub fn environment(
        &self,
        kind: &LaunchType,
        keys: &mut BTreeMap<String, Node>,
    ) -> Result<Vec<(String, Option<String>)>> {
        let mut all = BTreeMap::new();
        if let Some(files) = keys.remove("envFile") {
            for node in files.each() {
                let name = self.as_text("envFile", node)?;
                if !name.is_empty() {
                    self.read_variables(&self.folder.join(name), node.line, &mut all)?;
                }
            }
        }
        for key in ["env", kind.env_key.as_deref().unwrap_or("environment")] {
            let Some(node) = keys.remove(key) else {
                continue;
            };
            let pairs: Option<Vec<(String, Option<String>)>> = match &node.item {
                Item::Map(entries) => Some(
                    entries
                        .iter()
                        .map(|(name, value)| {
                            let unset = value.item == Item::Null;
                            (name.clone(), (!unset).then(|| plain(value)))
                        })
                        .collect(),
                ),
                Item::List(nodes) => nodes.iter().map(pair).collect(),
                Item::Null => Some(Vec::new()),
                _ => None,
            };
            let pairs = pairs.ok_or_else(|| {
                let what = format!("{key:?} is a map of names to texts, not {}", node.kind());
                wrong(self.file, &node, what)
            })?;
            all.extend(pairs);
        }
        Ok(all.into_iter().collect())
    }

    fn read_variables(
        &self,
        path: &Path,
        line: usize,
        all: &mut BTreeMap<String, Option<String>>,
    ) -> Result<()> {
        let (text, _) = trust::read_small(path).map_err(|error| {
            let what = format!(
                "the envFile {} cannot be read: {error}; write it, or take the line away",
                path.display()
            );
            at(self.file, line, what)
        })?;
        for (_, name, value) in dotenv::definitions(&text) {
            all.insert(name.to_owned(), Some(value.to_owned()));
        }
        Ok(())
    }
}

/// `{"name": N, "value": V}` or `"N=V"`.
fn pair(node: &Node) -> Option<(String, Option<String>)> {
    if let Some(text) = node.text() {
        let (name, value) = text.split_once('=')?;
        return Some((name.to_owned(), Some(value.to_owned())));
    }
    let name = node.get("name")?.text()?.to_owned();
    Some((name, node.get("value").map(plain)))
}
