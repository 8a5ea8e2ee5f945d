//! The functions at addresses that were written down with what was mapped where: by the files of this machine, as far as they are still the same.
//!
//! A file that is gone, or is another one than was mapped then, would name the wrong functions: its addresses keep the file's name and
//! their place in it, and are counted. Innermost frames of the allocator itself say nothing of who allocated, and are left out.

use std::os::unix::fs::MetadataExt as _;

use super::Builder;
#[cfg(feature = "profile-native")]
use crate::profile::sample::Image;
use crate::{
    prelude::*,
    profile::{
        Frame, FrameId, StackId,
        import::{Strings, line_number},
    },
};

/// Files that notes name, each.
const NAMED: usize = 4;

/// A line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    start: u64,
    end: u64,
    /// Where in the file it begins.
    offset: u64,
    inode: u64,
    /// Empty for memory without a file.
    path: String,
}

impl Mapping {
    /// `564e89c00000-564e89c01000 r-xp 00001000 fe:00 5965389  /usr/bin/a`.
    pub fn parse(line: &str) -> Option<Self> {
        let mut rest = line;
        let mut word = || {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after.trim_start();
            (!word.is_empty()).then_some(word)
        };
        let (start, end) = word()?.split_once('-')?;
        let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
        word()?;
        let offset = hexadecimal(word()?)?;
        word()?;
        let inode = word()?.parse().ok()?;
        (start < end).then(|| Self {
            start,
            end,
            offset,
            inode,
            path: rest.trim().to_owned(),
        })
    }
}

/// Why no file has names.
const UNREADABLE: Option<&str> = if cfg!(feature = "profile-native") {
    None
} else {
    Some("cannot be read: this omp-debug was built without names for addresses")
};

/// A file that was mapped.
#[derive(Default)]
struct Module {
    name: Arc<str>,
    /// Why its addresses have no names.
    trouble: Option<&'static str>,
    #[cfg(feature = "profile-native")]
    image: Option<Image>,
    /// Addresses without a name.
    nameless: u64,
    is_allocator: bool,
}

impl Module {
    fn open(mapping: &Mapping, written: Option<SystemTime>) -> Self {
        let path = Path::new(&mapping.path);
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy();
        let is_allocator = name.starts_with("libjemalloc");
        let trouble = changed(path, mapping.inode, written);
        Self {
            name: name.as_ref().into(),
            #[cfg(feature = "profile-native")]
            image: trouble.is_none().then(|| Image::read(path)),
            trouble: trouble.or(UNREADABLE),
            nameless: 0,
            is_allocator,
        }
    }
}

/// Why a file is not what was mapped.
fn changed(path: &Path, inode: u64, written: Option<SystemTime>) -> Option<&'static str> {
    if !path.is_absolute() {
        return Some("is no file");
    }
    let Ok(metadata) = path.metadata() else {
        return Some("is not here any more");
    };
    if !metadata.is_file() {
        return Some("is no file");
    }
    let is_other = inode != 0 && metadata.ino() != inode;
    let is_newer = written
        .zip(metadata.modified().ok())
        .is_some_and(|(written, changed)| changed > written);
    (is_other || is_newer).then_some("is another one than was mapped then")
}

/// Names addresses, each once.
pub struct Names {
    /// By where they begin.
    mappings: Vec<Mapping>,
    written: Option<SystemTime>,
    modules: BTreeMap<String, Module>,
    /// The innermost first; and whether they are the allocator's.
    known: HashMap<u64, (Vec<FrameId>, bool)>,
    strings: Strings,
    nowhere: u64,
}

impl Names {
    /// For a process that had these mappings, as they were `written` down.
    pub fn new(mut mappings: Vec<Mapping>, written: Option<SystemTime>) -> Self {
        mappings.sort_by_key(|mapping| mapping.start);
        Self {
            mappings,
            written,
            modules: BTreeMap::new(),
            known: HashMap::new(),
            strings: Strings::default(),
            nowhere: 0,
        }
    }

    /// The stack of these addresses, to which calls return, the innermost first.
    pub fn stack(&mut self, addresses: &[u64], builder: &mut Builder) -> StackId {
        let mut frames: Vec<FrameId> = Vec::with_capacity(addresses.len());
        let mut is_inside = true;
        for address in addresses {
            let (named, is_allocator) = self.frames(*address, builder);
            is_inside &= is_allocator;
            if !is_inside {
                frames.extend(named);
            }
        }
        if frames.is_empty() {
            let name = match addresses {
                [] => "(no stack)",
                _ => "(allocator)",
            };
            frames.push(builder.frame(Frame {
                name: self.strings.get(name),
                ..Frame::default()
            }));
        }
        let frames = frames.into_iter().rev();
        // There is one at least.
        builder.stack_of(frames).unwrap_or(StackId(0))
    }

    fn frames(&mut self, address: u64, builder: &mut Builder) -> (Vec<FrameId>, bool) {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let (frames, is_allocator) = self.look_up(address);
        let frames: Vec<FrameId> = frames
            .into_iter()
            .map(|frame| builder.frame(frame))
            .collect();
        let found = (frames, is_allocator);
        self.known.insert(address, found.clone());
        found
    }

    fn look_up(&mut self, address: u64) -> (Vec<Frame>, bool) {
        // A call returns behind itself: what is before it is in the caller.
        let inside = address.saturating_sub(1);
        let after = self.mappings.partition_point(|m| m.start <= inside);
        let mapping = after.checked_sub(1).and_then(|at| self.mappings.get(at));
        let mapping = mapping.filter(|m| inside < m.end && !m.path.is_empty());
        let Some(mapping) = mapping else {
            self.nowhere += 1;
            let name = self.strings.get(&format!("{address:#x}"));
            return (
                vec![Frame {
                    name,
                    ..Frame::default()
                }],
                false,
            );
        };
        let written = self.written;
        let module = self
            .modules
            .entry(mapping.path.clone())
            .or_insert_with(|| Module::open(mapping, written));
        let in_file = (inside - mapping.start).saturating_add(mapping.offset);
        let strings = &mut self.strings;
        let frames = functions(module, in_file, strings);
        let is_allocator = module.is_allocator
            || frames
                .iter()
                .all(|frame| is_of_an_allocator(&frame.name) && !frame.name.is_empty())
                && !frames.is_empty();
        if !frames.is_empty() {
            return (frames, is_allocator);
        }
        // Those of the allocator are left out: nobody misses their names.
        module.nameless += u64::from(!is_allocator);
        let frame = Frame {
            name: strings.get(&format!("{}+{in_file:#x}", module.name)),
            module: Some(Arc::clone(&module.name)),
            ..Frame::default()
        };
        (vec![frame], is_allocator)
    }

    /// What was not named, and why.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let nameless = self.modules.values().filter(|module| module.nameless > 0);
        let (changed, bare): (Vec<&Module>, Vec<&Module>) =
            nameless.partition(|module| module.trouble.is_some());
        for module in changed.iter().take(NAMED) {
            notes.push(format!(
                "{}: {} {}",
                amount::count(
                    module.nameless,
                    "address has no name",
                    "addresses have no names"
                ),
                sanitise(&module.name),
                module.trouble.unwrap_or_default()
            ));
        }
        let sum = |modules: &mut dyn Iterator<Item = &&Module>| -> u64 {
            modules.map(|module| module.nameless).sum()
        };
        let more = sum(&mut changed.iter().skip(NAMED));
        if more > 0 {
            let more = amount::count(more, "more address is", "more addresses are");
            notes.push(format!("{more} in files that are gone or changed"));
        }
        let bare = sum(&mut bare.iter());
        if bare > 0 {
            notes.push(format!(
                "{} in files without symbols for them",
                amount::count(bare, "address is", "addresses are")
            ));
        }
        if self.nowhere > 0 {
            notes.push(format!(
                "{} in no file that was mapped",
                amount::count(self.nowhere, "address is", "addresses are")
            ));
        }
        notes
    }
}

#[cfg(feature = "profile-native")]
fn functions(module: &mut Module, in_file: u64, strings: &mut Strings) -> Vec<Frame> {
    let Some(image) = &mut module.image else {
        return Vec::new();
    };
    let found = image.functions_at(in_file);
    found
        .into_iter()
        .map(|(name, place)| Frame {
            name: strings.get(&name),
            file: place.as_ref().and_then(|(file, _)| strings.some(file)),
            line: place.and_then(|(_, line)| line_number(i64::from(line))),
            module: Some(Arc::clone(&module.name)),
        })
        .collect()
}

#[cfg(not(feature = "profile-native"))]
fn functions(_: &mut Module, _: u64, _: &mut Strings) -> Vec<Frame> {
    let _ = line_number(0);
    Vec::new()
}

/// Whether a function allocates for others, wherever it was linked into.
fn is_of_an_allocator(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "memalign",
        "posix_memalign",
        "aligned_alloc",
        "valloc",
        "pvalloc",
        "mallocx",
        "rallocx",
        "xallocx",
        "operator new",
        "operator new[]",
        "__rust_alloc",
        "__rust_realloc",
        "__rust_alloc_zeroed",
    ];
    const BEGINNINGS: &[&str] = &[
        "je_",
        "_rjem_",
        "tc_",
        "__libc_malloc",
        "__libc_calloc",
        "__libc_realloc",
        "__libc_memalign",
        "operator new(",
        "operator new[](",
        "prof_backtrace",
    ];
    NAMES.contains(&name) || BEGINNINGS.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_and_what_is_none() {
        let mapping = Mapping::parse("5500-5600 r-xp 00001000 fe:00 59  /usr/bin/a b").unwrap();
        let wanted = Mapping {
            start: 0x5500,
            end: 0x5600,
            offset: 0x1000,
            inode: 59,
            path: "/usr/bin/a b".to_owned(),
        };
        assert_eq!(mapping, wanted);
        assert_eq!(
            Mapping::parse("1-2 rw-p 00000000 00:00 0").unwrap().path,
            ""
        );
        for odd in [
            "",
            "1-2",
            "2-1 r-xp 0 0:0 0 /a",
            "x-y r-xp 0 0:0 0 /a",
            "1-2 r-xp 0 0:0 x /a",
        ] {
            assert_eq!(Mapping::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_file_that_is_another_one_names_nothing() {
        let own = std::env::current_exe().unwrap();
        let metadata = own.metadata().unwrap();
        let built = metadata.modified().unwrap();
        let inode = metadata.ino();
        assert_eq!(changed(&own, inode, Some(SystemTime::now())), None);
        assert_eq!(changed(&own, 0, None), None);
        let before = built - Duration::from_secs(1);
        for (inode, written) in [(inode + 1, None), (inode, Some(before))] {
            assert!(
                changed(&own, inode, written)
                    .unwrap()
                    .contains("another one")
            );
        }
        assert!(
            changed(Path::new("/nowhere"), 0, None)
                .unwrap()
                .contains("not here")
        );
        assert!(
            changed(Path::new("[vdso]"), 0, None)
                .unwrap()
                .contains("no file")
        );
    }
}
