//! What a process has mapped: `smaps`, mapping by mapping, and put into groups that mean something to a person.
//!
//! Format: `proc_pid_smaps(5)`. A header line (`start-end access offset device inode name`) is followed by lines `Name: N kB`; lines
//! that are not known are passed over, because kernels add some every year.

use super::figures::{self, Figures};
use crate::{prelude::*, process::Subject};

/// Bytes read at once.
const BLOCK: usize = 1 << 16;

base::kinds! {
    /// What a mapping is for.
    #[derive(Default, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MappingKind {
        /// The program break: small blocks of `malloc` of the first thread.
        Heap = "heap",
        /// The first thread's stack; stacks of other threads are anonymous.
        Stack = "stack",
        /// Nobody's file: large blocks of `malloc`, other threads' heaps and stacks, what runtimes manage themselves.
        #[default]
        Anonymous = "anonymous",
        /// A file: program, libraries, data.
        File = "file",
        /// Memory made to be shared: `/dev/shm`, memfd, System V.
        Shared = "shared",
        /// A device, or an object of the kernel's.
        Device = "device",
        /// What the kernel puts into every process.
        Kernel = "kernel",
    }
    /// One word for people.
    pub fn word(self) -> &'static str;
}

impl MappingKind {
    /// By the name that the kernel shows.
    fn of(name: &str) -> Self {
        let starts = |begins: &[&str]| begins.iter().any(|begin| name.starts_with(begin));
        if name.is_empty() || name.starts_with("[anon:") {
            Self::Anonymous
        } else if name == "[heap]" {
            Self::Heap
        } else if name.starts_with("[stack") {
            Self::Stack
        } else if starts(&[
            "/dev/shm/",
            "/memfd:",
            "/SYSV",
            "/dev/zero",
            "[anon_shmem:",
            "/dev/hugepages/",
        ]) {
            Self::Shared
        } else if starts(&[
            "/dev/",
            "anon_inode:",
            "/anon_hugepage",
            "/[aio]",
            "socket:",
            "/i915",
            "/drm mm object",
        ]) {
            Self::Device
        } else if name.starts_with('[') {
            Self::Kernel
        } else {
            Self::File
        }
    }
}

/// One mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The address behind it.
    pub end: u64,
    /// What may be done with it: `rw-p`, `r-xs`; `p` = private, `s` = shared.
    pub access: String,
    /// Where in the file it begins, in bytes.
    pub offset: u64,
    /// The file, or what the kernel calls it; foreign text, empty for nothing.
    pub name: String,
    pub kind: MappingKind,
    /// What was counted.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Mappings of one kind and name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What they are for.
    pub kind: MappingKind,
    /// The file, or what they were called by the program; empty where the kind says it all. Foreign text.
    pub name: String,
    pub mappings: usize,
    /// What was counted in all of them.
    #[serde(flatten)]
    pub figures: Figures,
}

impl Group {
    /// What it is called on a screen; foreign text.
    pub fn title(&self) -> String {
        title(self.kind, &self.name)
    }
}

/// `heap`, `anonymous: arena`, `/usr/lib/libc.so.6`.
pub fn title(kind: MappingKind, name: &str) -> String {
    match (kind, name) {
        (kind, "") => kind.word().to_owned(),
        (MappingKind::Anonymous, name) => format!("anonymous: {name}"),
        (_, name) => name.to_owned(),
    }
}

/// All mappings of a process at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mappings {
    /// In the order of their addresses.
    pub all: Vec<Mapping>,
    /// Their sum.
    pub total: Figures,
}

/// Reads `smaps`. The kernel walks all pages of the process for it: some milliseconds for each gigabyte.
pub fn read(subject: &Subject, cancel: &Cancel) -> Result<Mappings, ProcessError> {
    const FILE: &str = "smaps";
    let mut input = BufReader::with_capacity(BLOCK, subject.open_file(FILE)?);
    let mut found = Mappings::default();
    let mut line = Vec::with_capacity(256);
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let read = read.map_err(|error| match subject.refused(FILE, &error) {
            // It was there when it was opened.
            ProcessError::Uncounted(pid) => ProcessError::Ended(pid),
            other => other,
        })?;
        if read == 0 {
            break;
        }
        let text = line.trim_ascii_end();
        // Names of lines begin with a capital letter, addresses are written in small ones.
        if text.first().is_some_and(u8::is_ascii_uppercase) {
            if let Some(mapping) = found.all.last_mut() {
                figures::count(&mut mapping.figures, text);
            }
            continue;
        }
        if cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        let mapping = header(text).ok_or_else(|| subject.unexpected(FILE, text))?;
        found.all.push(mapping);
    }
    if found.all.is_empty() {
        subject.check()?;
    }
    for mapping in &found.all {
        found.total.add(&mapping.figures);
    }
    Ok(found)
}

/// `55d3-55d4 r-xp 0001 08:02 1731 /usr/bin/cat`.
fn header(line: &[u8]) -> Option<Mapping> {
    let mut rest = line;
    let mut field = || {
        let begin = rest.iter().position(|byte| *byte != b' ')?;
        rest = rest.get(begin..)?;
        let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
        let (field, behind) = rest.split_at_checked(end)?;
        rest = behind;
        std::str::from_utf8(field).ok()
    };
    let (start, end) = field()?.split_once('-')?;
    let access = field().filter(|access| access.len() == 4)?.to_owned();
    let offset = field()?;
    let (_device, _inode) = (field()?, field()?);
    let name = lossy(rest.trim_ascii_start()).into_owned();
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = (hex(start)?, hex(end)?);
    let figures = Figures {
        size: end.checked_sub(start)?,
        ..Figures::default()
    };
    Some(Mapping {
        start,
        end,
        access,
        offset: hex(offset)?,
        kind: MappingKind::of(&name),
        name,
        figures,
    })
}

/// Puts mappings into groups; the one that holds most for itself first.
pub fn group(mappings: &[Mapping]) -> Vec<Group> {
    let mut at: HashMap<(MappingKind, &str), usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for mapping in mappings {
        let name = match mapping.kind {
            MappingKind::Heap | MappingKind::Stack => "",
            MappingKind::Anonymous => mapping
                .name
                .strip_prefix("[anon:")
                .and_then(|name| name.strip_suffix(']'))
                .unwrap_or_default(),
            _ => mapping.name.as_str(),
        };
        let index = *at.entry((mapping.kind, name)).or_insert_with(|| {
            groups.push(Group {
                kind: mapping.kind,
                name: name.to_owned(),
                ..Group::default()
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            group.mappings += 1;
            group.figures.add(&mapping.figures);
        }
    }
    groups.sort_by(|a, b| {
        (b.figures.own(), b.figures.rss)
            .cmp(&(a.figures.own(), a.figures.rss))
            .then_with(|| (a.kind, &a.name).cmp(&(b.kind, &b.name)))
    });
    groups
}

base::kinds! {
    /// By which column rows are put in order.
    #[derive(Default)]
    pub enum Column {
        /// Addresses taken.
        Size = "Size",
        /// Resident.
        Rss = "RSS",
        /// Resident, shared pages divided.
        Pss = "PSS",
        /// Resident and nobody else's.
        #[default]
        Uss = "USS",
        /// Swapped out.
        Swap = "Swap",
        Name = "Name",
    }
    /// Its heading.
    pub fn title(self) -> &'static str;
}

impl Column {
    /// The one behind it, around the end.
    #[must_use]
    pub fn next(self) -> Self {
        let all = Self::ALL.into_iter().cycle();
        let mut from_here = all.skip_while(|column| *column != self);
        from_here.nth(1).unwrap_or_default()
    }

    /// What it counts; nothing for names.
    pub fn of(self, figures: &Figures) -> u64 {
        match self {
            Self::Size => figures.size,
            Self::Rss => figures.rss,
            Self::Pss => figures.pss,
            Self::Uss => figures.uss,
            Self::Swap => figures.swap,
            Self::Name => 0,
        }
    }

    /// Puts rows in order: the largest first, names from A on; `reverse` turns that round.
    pub fn sort<T>(self, rows: &mut [T], reverse: bool, of: impl Fn(&T) -> (&Figures, String)) {
        if self == Self::Name {
            rows.sort_by_cached_key(|row| of(row).1);
        } else {
            rows.sort_by_key(|row| std::cmp::Reverse(self.of(of(row).0)));
        }
        if reverse {
            rows.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn our_own_mappings_add_up_to_the_rollup() {
        let held = vec![1_u8; 16 << 20];
        let mut subject = Subject::open(std::process::id(), None).unwrap();
        let found = read(&subject, &Cancel::default()).unwrap();
        let sample = subject.sample(&Cancel::default()).unwrap();
        assert!(held.iter().all(|byte| *byte == 1));
        // Other tests of this process come and go between the two.
        let near = |a: u64, b: u64| a.abs_diff(b) < a / 4;
        assert!(
            near(found.total.rss, sample.figures.rss),
            "{found:?} {sample:?}"
        );
        let groups = group(&found.all);
        let sum = groups.iter().map(|group| group.figures.own()).sum::<u64>();
        assert_eq!(sum, found.total.own());
        let count = groups.iter().map(|group| group.mappings).sum::<usize>();
        assert_eq!(count, found.all.len());
        for kind in [
            MappingKind::Heap,
            MappingKind::Stack,
            MappingKind::Anonymous,
            MappingKind::File,
            MappingKind::Kernel,
        ] {
            assert!(groups.iter().any(|group| group.kind == kind), "{kind:?}");
        }
        assert!(groups[0].figures.own() >= groups[1].figures.own());
        assert!(found.all.iter().any(|mapping| mapping.access == "r-xp"));
    }

    #[test]
    fn headers_and_what_they_are_for() {
        let line = b"7f01a000-7f01b000 rw-s 00002000 00:05 3 /dev/shm/a b (deleted)";
        let mapping = header(line).unwrap();
        assert_eq!((mapping.start, mapping.end), (0x7f01_a000, 0x7f01_b000));
        assert_eq!((mapping.access.as_str(), mapping.offset), ("rw-s", 0x2000));
        assert_eq!(mapping.name, "/dev/shm/a b (deleted)");
        assert_eq!(mapping.figures.size, 4096);
        for (name, kind) in [
            ("", MappingKind::Anonymous),
            ("[anon:arena]", MappingKind::Anonymous),
            ("[heap]", MappingKind::Heap),
            ("[stack]", MappingKind::Stack),
            ("/memfd:x (deleted)", MappingKind::Shared),
            ("/dev/nvidia0", MappingKind::Device),
            ("anon_inode:[io_uring]", MappingKind::Device),
            ("[vdso]", MappingKind::Kernel),
            ("/usr/lib/libc.so.6", MappingKind::File),
        ] {
            assert_eq!(MappingKind::of(name), kind, "{name}");
        }
        for odd in [
            "",
            "7f",
            "2-1 rw-p 0 0 0",
            "1-2 rw 0 0 0",
            "x-y rw-p 0 0 0",
            "1-2 rw-p 0",
        ] {
            assert_eq!(header(odd.as_bytes()), None, "{odd}");
        }
    }

    #[test]
    fn what_a_program_named_is_a_group_of_its_own() {
        let lines = [
            "1000-2000 rw-p 0 00:00 0 [anon:arena]",
            "2000-3000 rw-p 0 00:00 0",
            "3000-4000 rw-p 0 00:00 0 [anon:arena]",
            "4000-5000 rw-p 0 08:01 1 /lib/x",
            "5000-6000 r-xp 0 08:01 1 /lib/x",
        ];
        let mut all: Vec<_> = lines
            .iter()
            .map(|line| header(line.as_bytes()).unwrap())
            .collect();
        for mapping in &mut all {
            assert!(figures::count(
                &mut mapping.figures,
                b"Private_Dirty:   4 kB"
            ));
            assert!(figures::count(
                &mut mapping.figures,
                b"Private_Clean:   1 kB"
            ));
        }
        let groups = group(&all);
        let told: Vec<_> = groups
            .iter()
            .map(|g| (g.title(), g.mappings, g.figures.uss))
            .collect();
        assert_eq!(
            told,
            [
                ("anonymous: arena".to_owned(), 2, 10 << 10),
                ("/lib/x".to_owned(), 2, 10 << 10),
                ("anonymous".to_owned(), 1, 5 << 10)
            ]
        );
        let mut sorted = groups.clone();
        Column::Name.sort(&mut sorted, false, |g| (&g.figures, g.title()));
        assert_eq!(sorted[0].title(), "/lib/x");
        Column::Uss.sort(&mut sorted, true, |g| (&g.figures, g.title()));
        assert_eq!(sorted[0].title(), "anonymous");
        assert_eq!(Column::Name.next(), Column::Size);
    }

    proptest! {
        #[test]
        fn no_line_breaks_it(line in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = header(&line);
            let mut figures = Figures::default();
            figures::count(&mut figures, &line);
        }
    }
}
