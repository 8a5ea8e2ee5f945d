//! `.env` files, as far as omp reads its folders from them: `NAME=value`, `export`, quotes, comments.

use base::{files, text::dotenv};

use crate::prelude::*;

/// More is not a list of settings.
const LARGEST: u64 = 256 * 1024;

/// The definitions of a file; an unreadable one has none. `OMP_X` also defines `PI_X`.
pub fn read(path: &Path) -> HashMap<String, String> {
    let text = files::text_at_most(path, LARGEST);
    text.map(|text| parse(&text)).unwrap_or_default()
}

fn parse(text: &str) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for (_, name, value) in dotenv::definitions(text) {
        if let Some(rest) = name.strip_prefix("OMP_") {
            found
                .entry(format!("PI_{rest}"))
                .or_insert_with(|| value.to_owned());
        }
        found.insert(name.to_owned(), value.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_as_omp_reads_them() {
        let found =
            parse("# c\nexport A='x y' # z\nB=\"q\"\nOMP_CONFIG_DIR=.o # note\nbroken\n=1\n");
        assert_eq!(found.get("A").map(String::as_str), Some("x y"));
        assert_eq!(found.get("B").map(String::as_str), Some("q"));
        assert_eq!(found.get("PI_CONFIG_DIR").map(String::as_str), Some(".o"));
        assert_eq!(found.len(), 4);
    }
}
