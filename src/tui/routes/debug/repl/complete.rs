//! Completions as the adapter sends them, made into those of the prompt.

use crate::{kit::needle::common_prefix, widgets::input::Completion};
use dap::types::CompletionItem;

/// What the prompt is offered: those that go on with what was typed, in the adapter's order. Of several that begin alike, first
/// what is certain; the list comes with the next Tab.
pub fn offered(items: &[CompletionItem], text: &str, cursor: usize) -> Vec<Completion> {
    let mut items: Vec<&CompletionItem> = items.iter().filter(|i| !i.label.is_empty()).collect();
    items.sort_by(|a, b| {
        a.sort_text
            .as_ref()
            .unwrap_or(&a.label)
            .cmp(b.sort_text.as_ref().unwrap_or(&b.label))
    });
    let offered: Vec<Completion> = items
        .iter()
        .map(|i| completion(i, cursor))
        .filter(|c| goes_on(c, text, cursor))
        .collect();
    let typed = word_before(text, cursor);
    let common = common_prefix(offered.iter().map(|c| c.text.as_str())).to_owned();
    let is_certain = offered.len() > 1
        && common.chars().count() > typed.chars().count()
        && common.to_lowercase().starts_with(&typed.to_lowercase())
        && offered
            .iter()
            .all(|c| Some(c.replaces) == offered.first().map(|f| f.replaces));
    if !is_certain {
        return offered;
    }
    vec![Completion {
        text: common,
        ..offered.first().cloned().unwrap_or_default()
    }]
}

/// A completion as the prompt takes it. Adapters count `start` from 0 or from 1, whatever was agreed: it is believed where
/// it makes the replaced text end at the cursor.
pub fn completion(item: &CompletionItem, cursor: usize) -> Completion {
    let length = usize::try_from(item.length.unwrap_or(0)).unwrap_or(0);
    let replaces = item.start.and_then(|start| {
        let starts = [start.checked_sub(1), Some(start)].into_iter().flatten();
        starts
            .filter_map(|s| usize::try_from(s).ok())
            .find(|s| s.checked_add(length) == Some(cursor))
            .map(|s| (s, length))
    });
    Completion {
        text: item
            .text
            .clone()
            .filter(|t| !t.is_empty())
            .unwrap_or_else(|| item.label.clone()),
        label: item.label.clone(),
        detail: item
            .detail
            .clone()
            .or_else(|| item.type_.as_ref().map(|t| t.as_str().to_owned()))
            .unwrap_or_default(),
        replaces,
    }
}

/// Whether a completion goes on with what it would replace: one for another place in the line would destroy what was typed.
pub fn goes_on(offered: &Completion, text: &str, cursor: usize) -> bool {
    let replaced: String = match offered.replaces {
        Some((first, count)) => text.chars().skip(first).take(count).collect(),
        None => word_before(text, cursor),
    };
    let begins = |proposal: &str| {
        proposal
            .to_lowercase()
            .starts_with(&replaced.to_lowercase())
    };
    begins(&offered.text) || begins(&offered.label)
}

/// Whether the cursor is inside a text in quotes, where names mean nothing.
pub fn is_in_quotes(text: &str, cursor: usize) -> bool {
    let mut open = None;
    let mut before = ' ';
    for c in text.chars().take(cursor) {
        match (open, c) {
            (Some(quote), c) if c == quote && before != '\\' => open = None,
            // After a name it is an apostrophe or a Rust lifetime's neighbour, but for the prefixes of literals.
            (None, '"') => open = Some(c),
            (None, '\'') if !before.is_alphanumeric() || "bruf".contains(before) => open = Some(c),
            _ => {}
        }
        before = if before == '\\' && c == '\\' { ' ' } else { c };
    }
    open.is_some()
}

/// The beginning of the name at the cursor.
pub fn word_before(text: &str, cursor: usize) -> String {
    let before: String = text.chars().take(cursor).collect();
    let rest = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    before.get(rest.len()..).unwrap_or_default().to_owned()
}
