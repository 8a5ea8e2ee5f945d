//! Values of these files: those for this system, and as texts.

use base::text::jsonc::{Item, Node};

/// A map with the section of this system laid over it.
pub fn platform(node: &Node) -> Node {
    const SYSTEMS: [&str; 3] = ["linux", "osx", "windows"];
    let here = match std::env::consts::OS {
        "macos" => "osx",
        "windows" => "windows",
        _ => "linux",
    };
    let Some(entries) = node.map() else {
        return node.clone();
    };
    let own = entries
        .iter()
        .filter(|(name, _)| !SYSTEMS.contains(&name.as_str()));
    let section = node.get(here).and_then(Node::map).unwrap_or_default();
    Node {
        line: node.line,
        // A later entry is the one that counts.
        item: Item::Map(own.chain(section).cloned().collect()),
    }
}

/// A value as a variable's text.
pub fn plain(node: &Node) -> String {
    match &node.item {
        Item::Text(text) => text.clone(),
        _ => node.value().to_string(),
    }
}
