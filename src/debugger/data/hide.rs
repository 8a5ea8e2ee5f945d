//! Secrets in what is seen of a value.

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::shown;
use crate::prelude::*;

impl Data {
    /// Leaves out the secrets, which are known by the names of their columns and rows, or by their look: `clean` takes them out of a text
    /// that may have a name.
    pub fn hide(
        &mut self,
        expression: &str,
        is_compared: bool,
        clean: impl Fn(Option<&str>, String) -> String,
    ) {
        // Lines of two values have no names of their own.
        let whole = if is_compared { expression } else { "" };
        let cell = |names: &[&str], cell: &mut Value| {
            let own = shown(cell).into_owned();
            let hidden = |text, name: &&str| clean(Some(name), text);
            let text = names.iter().fold(own.clone(), hidden);
            if text != own {
                *cell = text.into();
            }
        };
        match &mut self.content {
            Content::Table(table) => {
                for (row, label) in table.rows.iter_mut().zip(&mut table.labels) {
                    // What became of a row stands before its name.
                    let name = label.get(2..).filter(|_| is_compared).unwrap_or(label);
                    for (column, value) in table.columns.iter().zip(row) {
                        cell(&[&column.name, name, whole], value);
                    }
                    *label = clean(None, mem::take(label));
                }
            }
            Content::Stats(stats) => {
                for stat in stats {
                    cell(&[&stat.name], &mut stat.min);
                    cell(&[&stat.name], &mut stat.max);
                }
            }
            Content::Text(piece) => {
                piece.data = clean(Some(expression), mem::take(&mut piece.data));
            }
            Content::Bytes(piece) => {
                let bytes = BASE64_STANDARD.decode(&piece.data).unwrap_or_default();
                let own = String::from_utf8_lossy(&bytes);
                let text = clean(Some(expression), own.clone().into_owned());
                if text != own {
                    piece.data = BASE64_STANDARD.encode(text);
                }
            }
            Content::None | Content::Series(_) | Content::Image(_) => {}
        }
    }
}
