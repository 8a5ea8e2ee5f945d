//! How much room there is where things are written.

use std::os::unix::ffi::OsStringExt as _;

use super::gaps::Gaps;
use crate::{prelude::*, texts::decoded};

/// The file system of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// What the folder is for.
    pub purpose: &'static str,
    /// The folder.
    pub path: String,
    /// Where its file system is mounted.
    pub mount: Option<String>,
    /// Its kind: `ext4`.
    pub filesystem: Option<String>,
    /// Its size in bytes.
    pub total: Option<u64>,
    /// What we may still write, in bytes.
    pub free: Option<u64>,
    /// Files that can still be made; none where the file system has no such limit.
    pub free_files: Option<u64>,
    /// Whether nothing can be written there.
    pub read_only: Option<bool>,
}

/// The file systems of these folders.
pub fn of(places: &[(&'static str, PathBuf)], gaps: &mut Gaps) -> Vec<Disk> {
    let mounts = gaps.read("/proc/self/mountinfo");
    let mounts = gaps
        .take("disks.mount", mounts)
        .map(|text| mounts_in(&text));
    places
        .iter()
        .map(|(purpose, path)| {
            let mount = mounts.as_deref().and_then(|mounts| {
                let real = path.canonicalize().ok()?;
                mounts
                    .iter()
                    .filter(|(point, _)| real.starts_with(point))
                    .max_by_key(|(point, _)| point.as_os_str().len())
            });
            let mut disk = Disk {
                purpose,
                path: path.to_string_lossy().into_owned(),
                mount: mount.map(|(point, _)| point.to_string_lossy().into_owned()),
                filesystem: mount.map(|(_, kind)| kind.clone()),
                ..Disk::default()
            };
            let asked = rustix::fs::statvfs(path)
                .map_err(|error| format!("{} ({purpose}): {error}", disk.path));
            if let Some(found) = gaps.take("disks.total", asked) {
                disk.total = Some(found.f_blocks.saturating_mul(found.f_frsize));
                disk.free = Some(found.f_bavail.saturating_mul(found.f_frsize));
                disk.free_files = (found.f_files > 0).then_some(found.f_favail);
                let flags = found.f_flag;
                disk.read_only = Some(flags.contains(rustix::fs::StatVfsMountFlags::RDONLY));
            }
            disk
        })
        .collect()
}

/// Mount points and their kinds, later mounts over earlier ones.
fn mounts_in(text: &str) -> Vec<(PathBuf, String)> {
    text.lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let point = before.split(' ').nth(4)?;
            let kind = after.split(' ').next()?;
            // Blanks and the like are octal there.
            let point = decoded(point, b'\\', 3, 8);
            Some((OsString::from_vec(point).into(), kind.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_and_broken_lines_left_out() {
        let text = "36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/vda rw\nbroken\n40 36 0:31 / /mnt/a\\040b\\9 rw - tmpfs tmpfs rw";
        assert_eq!(
            mounts_in(text),
            [
                (PathBuf::from("/"), "ext4".to_owned()),
                (PathBuf::from("/mnt/a b\\9"), "tmpfs".to_owned())
            ]
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_with_its_reason() {
        let mut gaps = Gaps::new(Path::new("/nowhere"));
        let disks = of(&[("home", PathBuf::from("/no/such/folder"))], &mut gaps);
        assert_eq!(disks[0].total, None);
        let unknown = gaps.into_list();
        assert!(
            unknown
                .iter()
                .any(|u| u.field == "disks.total" && u.why.contains("/no/such/folder")),
            "{unknown:?}"
        );
    }
}
