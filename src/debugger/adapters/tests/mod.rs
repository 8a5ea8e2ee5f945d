//! The table, selection, resolution, arguments, user files and trust, on temporary directories with small
//! executables and an environment that is passed in.

mod arguments;
mod personality;
mod resolve;
mod select;
mod table;
mod user_files;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::*;

/// A machine of its own: a home, a project, and one directory on PATH.
struct Machine {
    root: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name).to_string_lossy().into_owned();
        let env = BTreeMap::from([
            ("HOME".to_owned(), path("home")),
            ("PATH".to_owned(), path("bin")),
        ]);
        for dir in ["home", "bin", "project"] {
            std::fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root, env }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn executable(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name, content);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A program that prints this when it is asked anything.
    fn prints(&self, name: &str, text: &str) -> PathBuf {
        self.executable(name, format!("#!/bin/sh\necho '{text}'\n"))
    }

    /// An interpreter that has a module.
    fn python(&self, prefix: &str, module: &str) -> PathBuf {
        self.file(&format!("{prefix}/pyvenv.cfg"), "home = /nowhere\n");
        self.file(
            &format!("{prefix}/lib/python3.11/site-packages/{module}/__init__.py"),
            "",
        );
        self.executable(&format!("{prefix}/bin/python"), "#!/bin/false\n")
    }

    fn context(&self) -> Context {
        Context::new(self.path("project"), self.env.clone())
    }

    fn launch(&self, program: &Path) -> Result<Resolved, AdapterError> {
        let target = Target::Launch {
            program: program.to_owned(),
        };
        select(&table(), &self.context(), &target, None)
    }
}

/// The built-in table without the places of the machine that runs the tests.
fn table() -> Table {
    let mut table = Table::builtin().clone();
    for adapter in Table::builtin().iter() {
        let mut adapter = Adapter::clone(adapter);
        for candidate in &mut adapter.command {
            if let Program::Executable { well_known, .. } | Program::Script { well_known, .. } =
                &mut candidate.program
            {
                well_known.retain(|place| !place.starts_with('/'));
            }
        }
        table.put(adapter);
    }
    table
}

/// An ELF file with these sections, a name and a content each.
fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = vec![0u8];
    let mut headers = vec![0u8; 64];
    let mut body = Vec::new();
    let mut offset = |name_at: usize, content: &[u8]| {
        let at = 64 + body.len() as u64;
        body.extend_from_slice(content);
        let mut header = vec![0u8; 64];
        header[..4].copy_from_slice(&(name_at as u32).to_le_bytes());
        header[24..32].copy_from_slice(&at.to_le_bytes());
        header[32..40].copy_from_slice(&(content.len() as u64).to_le_bytes());
        header
    };
    for (name, content) in sections.iter().chain([&(".shstrtab", &[][..])]) {
        let name_at = names.len();
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        if *name != ".shstrtab" {
            headers.extend(offset(name_at, content));
        }
    }
    let names_content = names.clone();
    headers.extend(offset(names.len() - 10, &names_content));
    let count = (headers.len() / 64) as u16;
    let mut file = vec![0u8; 64];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    file[40..48].copy_from_slice(&(64 + body.len() as u64).to_le_bytes());
    file[58..60].copy_from_slice(&64u16.to_le_bytes());
    file[60..62].copy_from_slice(&count.to_le_bytes());
    file[62..64].copy_from_slice(&(count - 1).to_le_bytes());
    file.extend(body);
    file.extend(headers);
    file
}
