//! The one sentence for a file that is not there.

use std::path::Path;

/// `there is no file "shop.py" in "/src"`: a clause, to be gone on with.
pub fn no_file(path: &Path) -> String {
    let folder = path.parent().map(Path::to_string_lossy);
    let name = path.file_name().map(|name| name.to_string_lossy());
    match (name, folder) {
        (Some(name), Some(folder)) if !folder.is_empty() => {
            format!("there is no file {name:?} in {folder:?}")
        }
        _ => format!("there is no file {:?}", path.to_string_lossy()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_folder_are_quoted() {
        let told = |path: &str| no_file(Path::new(path));
        assert_eq!(
            told("/src/a b.py"),
            "there is no file \"a b.py\" in \"/src\""
        );
        assert_eq!(told("shop.py"), "there is no file \"shop.py\"");
        assert_eq!(told("/"), "there is no file \"/\"");
        assert_eq!(
            told("/x/\u{1b}[2J"),
            "there is no file \"\\u{1b}[2J\" in \"/x\""
        );
    }
}
