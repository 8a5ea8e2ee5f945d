//! Reading what may not be there: every answer is a value or a reason.

use crate::prelude::*;

/// Files of the kernel that say one thing are far smaller.
const LARGEST: u64 = 256 * 1024;

/// Something that could not be found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// Its name in the JSON: `limits.ptrace_scope`.
    pub field: String,
    /// Why, in a sentence.
    pub why: String,
}

/// The root below which is read, and what was missing there.
#[derive(Debug)]
pub struct Gaps {
    root: PathBuf,
    list: Vec<Unknown>,
}

impl Gaps {
    /// Nothing missing yet.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            list: Vec::new(),
        }
    }

    /// A path below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// What was missing.
    pub fn into_list(self) -> Vec<Unknown> {
        self.list
    }

    /// Notes a reason.
    pub fn note(&mut self, field: &str, why: impl Display) {
        self.list.push(Unknown {
            field: field.to_owned(),
            why: sanitise(&why.to_string()).into_owned(),
        });
    }

    /// The value, or nothing and its reason noted.
    pub fn take<T, E: Display>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(why) => {
                self.note(field, why);
                None
            }
        }
    }

    /// The text of a small file below the root, without the blanks around it.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let full = self.path(path);
        let why = |error: io::Error| format!("{path} cannot be read: {error}");
        let metadata = std::fs::metadata(&full).map_err(why)?;
        // A pipe in its place would hold us for ever.
        if !metadata.is_file() {
            return Err(format!("{path} is not a file"));
        }
        let file = File::open(&full);
        let bytes = file
            .and_then(|file| read_at_most(file, LARGEST))
            .map_err(why)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The number that a small file holds.
    pub fn number<T: std::str::FromStr>(&self, path: &str) -> Result<T, String> {
        let text = self.read(path)?;
        text.parse().map_err(|_error| {
            let text = beginning(&text, 40);
            format!("{path} holds {text:?}, which is no number")
        })
    }

    /// The number that a small file holds; if there is none, the reason is noted.
    pub fn number_of<T: std::str::FromStr>(&mut self, field: &str, path: &str) -> Option<T> {
        let number = self.number(path);
        self.take(field, number)
    }
}
