//! The little that we must know of an executable before a debugger sees it: its language, whether it carries
//! debug information, and its own main function.
//!
//! Reads section headers and at most a few megabytes of names; every offset of the file is checked, because the
//! file is foreign. Anything deeper is left to the debuggers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    os::unix::fs::FileExt as _,
};

use regex::bytes::Regex;

use super::personality::FunctionName;

/// Names and comments beyond this are not looked at.
const MAX_TABLE: u64 = 64 << 20;
/// More sections than this means a broken header.
const MAX_SECTIONS: u64 = 1 << 16;
/// The beginning of a file that a core dump has, in bytes.
const PAGE: u64 = 4096;
/// Of a generic function, instances beyond this are not looked for.
const MAX_INSTANCES: usize = 64;

/// What an ELF file says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elf {
    /// Built by Go's own tools.
    pub is_go: bool,
    /// Built by rustc.
    pub is_rust: bool,
    /// It has debug information in it, or names a file that does.
    pub has_debug_info: bool,
    /// The program's own main function, for languages where `main` is the runtime's.
    pub main: Option<String>,
    /// Languages and tools whose runtime it has or asks for, of [`RUNTIMES`]; `None` where it names no symbols.
    pub runtimes: Option<Vec<&'static str>>,
}

/// Where the system starts a program; one in assembly may have nothing else to begin at.
pub const START: &str = "_start";

/// What a program names that has the runtime of a language, or of what looks for errors.
const RUNTIMES: &[(&str, &[&[u8]])] = &[
    ("cpp", &[b"libstdc++.so", b"libc++.so", b"\0__cxa_throw\0"]),
    ("libc++", &[b"libc++.so", b"NSt3__1"]),
    ("rust test", &[b"4test18assert_test_result"]),
    ("gtest", &[b"N7testing8internal12AssertHelper"]),
    ("glibc", &[b"\0libc.so.6\0"]),
    ("ada", &[b"\0__gnat_"]),
    (
        "run-time errors",
        &[
            b"\0_gfortran_",
            b"\0__gnat_",
            b"FPC_BREAK_UNHANDLED_EXCEPTION\0",
        ],
    ),
    ("objc", &[b"\0objc_msgSend"]),
    ("swift", &[b"\0swift_"]),
    (
        "sanitizer",
        &[
            b"\0__asan_init",
            b"\0__ubsan_",
            b"\0__tsan_init",
            b"\0__msan_init",
        ],
    ),
];

struct Section {
    name: u32,
    offset: u64,
    size: u64,
}

/// Numbers of the file's width and byte order.
struct Reader<'a> {
    file: &'a File,
    wide: bool,
    big: bool,
}

impl<'a> Reader<'a> {
    /// Of an ELF file.
    fn new(file: &'a File) -> Option<Self> {
        let mut ident = [0u8; 6];
        file.read_exact_at(&mut ident, 0).ok()?;
        let [0x7f, b'E', b'L', b'F', class, order] = ident else {
            return None;
        };
        Some(Self {
            file,
            wide: class == 2,
            big: order == 2,
        })
    }

    /// A whole section, unless it is too large.
    fn table(&self, section: &Section) -> Option<Vec<u8>> {
        let fits = section.size <= MAX_TABLE;
        fits.then(|| self.bytes(section.offset, section.size))?
    }

    fn bytes(&self, offset: u64, size: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(size.min(MAX_TABLE)).ok()?];
        self.file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }

    fn number(&self, offset: u64, width: u64) -> Option<u64> {
        let bytes = self.bytes(offset, width)?;
        let fold = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        Some(if self.big {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        })
    }

    /// A field at one place in 64-bit files and another in 32-bit ones, of the word size.
    fn word(&self, base: u64, wide: u64, narrow: u64) -> Option<u64> {
        if self.wide {
            self.number(base.checked_add(wide)?, 8)
        } else {
            self.number(base.checked_add(narrow)?, 4)
        }
    }

    fn section(&self, at: u64) -> Option<Section> {
        Some(Section {
            name: u32::try_from(self.number(at, 4)?).ok()?,
            offset: self.word(at, 24, 16)?,
            size: self.word(at, 32, 20)?,
        })
    }
}

/// What the file says about itself; nothing when it is no ELF file.
pub fn read(file: &File) -> Option<Elf> {
    let reader = Reader::new(file)?;
    // A file whose sections were cut off is still an executable.
    Some(from_sections(&reader).unwrap_or_default())
}

/// Whether a core dump has other programs and libraries in it, and not this one. The first page of each file that was mapped is dumped
/// unless somebody asked for less (core(5), bit 4 of `coredump_filter`), and linkers write the build's number there.
pub fn is_dump_of_another(core: &File, program: &File) -> bool {
    let (Some(dump), Some(program)) = (Reader::new(core), Reader::new(program)) else {
        return false;
    };
    let notes = sections(&program).unwrap_or_default().into_iter();
    let mut numbers = notes.filter(|(name, _)| {
        let name = name.as_slice();
        name == b".note.gnu.build-id" || name == b".note.go.buildid"
    });
    let number = numbers.find_map(|(_, note)| program.bytes(note.offset, note.size.min(PAGE)));
    let Some(number) = number else {
        return false;
    };
    let pages = dumped_files(&dump).into_iter().flatten();
    let is_here = |page: Vec<u8>| memchr::memmem::find(&page, &number).is_some();
    let found: Vec<_> = pages.map(is_here).collect();
    // The kernel's own (vdso(7)) is in every dump, also where no file is.
    found.len() > 1 && !found.contains(&true)
}

/// Whether the file of a core dump ends before what its head says that it holds.
pub fn is_cut(core: &File) -> bool {
    let length = core.metadata().map_or(u64::MAX, |about| about.len());
    let dump = Reader::new(core);
    let mut segments = dump.iter().filter_map(segments).flatten();
    segments.any(|(from, size)| from.saturating_add(size) > length)
}

/// Where the parts of a core dump are in its file, and their sizes.
fn segments(dump: &Reader<'_>) -> Option<impl Iterator<Item = (u64, u64)>> {
    let table = dump.word(0, 32, 28)?;
    let half = |wide: u64, narrow: u64| dump.number(if dump.wide { wide } else { narrow }, 2);
    let (size, count) = (half(54, 42)?, half(56, 44)?);
    Some((0..count).filter_map(move |index| {
        let header = table.checked_add(index * size)?;
        Some((dump.word(header, 8, 4)?, dump.word(header, 32, 16)?))
    }))
}

/// The first pages of files of machine code in a core dump.
fn dumped_files(dump: &Reader<'_>) -> Option<impl Iterator<Item = Vec<u8>>> {
    Some(segments(dump)?.filter_map(|(from, length)| {
        let magic = dump.bytes(from, length.min(4))?;
        (magic == *b"\x7fELF").then(|| dump.bytes(from, length.min(PAGE)))?
    }))
}

/// See [`super::Image::find`].
pub fn functions(
    file: &File,
    wanted: &[String],
    by: FunctionName,
) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let reader = Reader::new(file)?;
    let named = sections(&reader)?;
    let (_, strings) = named.into_iter().find(|(name, _)| name == b".strtab")?;
    let strings = reader.table(&strings)?;
    let mut found: BTreeMap<_, _> = wanted
        .iter()
        .map(|f| (f.clone(), BTreeSet::new()))
        .collect();
    let all = strings.split(|byte| *byte == 0).filter_map(|symbol| {
        let is_rust = symbol.starts_with(b"_ZN") || symbol.starts_with(b"_R");
        std::str::from_utf8(symbol).ok().filter(|_| is_rust)
    });
    for symbol in all {
        for (function, names) in &mut found {
            // The last part stands in a symbol as it is written, without what a generic function is made with.
            let plain = plain_paths(function);
            let Some(plain) = plain.first() else { continue };
            let last = plain.rsplit("::").next().unwrap_or(plain);
            if names.len() < MAX_INSTANCES && symbol.contains(last) {
                let path = format!("{:#}", rustc_demangle::demangle(symbol));
                let is_it = |path: &String| {
                    let rest = path.strip_suffix(plain.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
                };
                if plain_paths(&path).iter().any(is_it) {
                    names.insert(match by {
                        FunctionName::Path if !path.contains('<') => path,
                        // With all that a type is made with it has another name for every debugger.
                        FunctionName::Path | FunctionName::Symbol => symbol.to_owned(),
                    });
                }
            }
        }
    }
    Some(found)
}

/// The variable that an address lies in, of a file that was loaded at another one; with how far in, where that is not its beginning.
pub fn variable(file: &File, loaded: u64, address: u64) -> Option<String> {
    /// A symbol of a 64-bit file.
    const SYMBOL: usize = 24;
    const OBJECT: u8 = 1;
    let reader = Reader::new(file)?;
    // Of those that are loaded where they say, too.
    let is_fixed = reader.number(16, 2)? == 2;
    let address = if is_fixed {
        address
    } else {
        address.checked_sub(loaded)?
    };
    let parts = sections(&reader)?;
    let read = |wanted: &[u8]| reader.table(&parts.iter().find(|(name, _)| name == wanted)?.1);
    let tables = [(".symtab", ".strtab"), (".dynsym", ".dynstr")];
    let mut tables = tables
        .into_iter()
        .filter_map(|(symbols, strings)| read(symbols.as_bytes()).zip(read(strings.as_bytes())));
    let (symbols, strings) = tables.next().filter(|_| reader.wide && !reader.big)?;
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    };
    let (name, within) = symbols.chunks_exact(SYMBOL).find_map(|symbol| {
        let within = address.checked_sub(number(symbol.get(8..16)?))?;
        let is_it = symbol.get(4)? & 15 == OBJECT && within < number(symbol.get(16..24)?);
        is_it.then_some((number(symbol.get(..4)?), within))
    })?;
    let name = strings.get(usize::try_from(name).ok()?..)?;
    let name = String::from_utf8_lossy(name.split(|byte| *byte == 0).next()?);
    let rust = rustc_demangle::try_demangle(&name).map(|path| format!("{path:#}"));
    // What is no mangled name may be a type to it: a variable `b` would be `bool`.
    let mangled = Some(&*name).filter(|name| name.starts_with("_Z"));
    let other = || cpp_demangle::Symbol::new(mangled?).ok()?.demangle().ok();
    let name = rust
        .ok()
        .or_else(other)
        .unwrap_or_else(|| name.into_owned());
    Some(match within {
        0 => name,
        within => format!("{name}+{within}"),
    })
}

/// A path without what its types are made with: `shop::Cart<T>::add` as `shop::Cart::add`, and `<shop::Cart<T> as Total>::total` as
/// `shop::Cart::total` and as `Total::total`.
fn plain_paths(path: &str) -> Vec<String> {
    let Some(inside) = path.strip_prefix('<') else {
        return vec![without_arguments(path)];
    };
    let mut depth = 1;
    let close = inside.char_indices().find(|(at, c)| {
        let is_arrow = inside
            .get(..*at)
            .is_some_and(|before| before.ends_with('-'));
        match c {
            '<' => depth += 1,
            '>' if !is_arrow => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let parts = close.and_then(|(at, _)| Some((inside.get(..at)?, inside.get(at + 1..)?)));
    let Some((inside, rest)) = parts else {
        return vec![without_arguments(path)];
    };
    let types = inside.split(" as ");
    types
        .map(|of| without_arguments(of) + &without_arguments(rest))
        .collect()
}

fn without_arguments(path: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 && !plain.ends_with('-') => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    // Of `Cart::<T>::add`.
    plain.replace("::::", "::")
}

/// The sections of a file, and their names.
fn sections(reader: &Reader<'_>) -> Option<Vec<(Vec<u8>, Section)>> {
    let table = reader.word(0, 40, 32)?;
    let half = |wide: u64, narrow: u64| reader.number(if reader.wide { wide } else { narrow }, 2);
    let (size, count, names) = (half(58, 46)?, half(60, 48)?, half(62, 50)?);
    let at = |index: u64| table.checked_add(index.checked_mul(size)?);
    let names = reader.section(at(names)?)?;
    let names = reader.bytes(names.offset, names.size.min(1 << 20))?;
    let all = (0..count.min(MAX_SECTIONS)).map(|index| {
        let section = reader.section(at(index)?)?;
        let rest = names.get(section.name as usize..);
        let name = rest.and_then(|rest| rest.split(|byte| *byte == 0).next());
        Some((name.unwrap_or_default().to_owned(), section))
    });
    all.collect()
}

fn from_sections(reader: &Reader<'_>) -> Option<Elf> {
    let mut elf = Elf::default();
    let (mut strings, mut dynamic) = (None, None);
    for (name, section) in sections(reader)? {
        match name.as_slice() {
            b".go.buildinfo" | b".note.go.buildid" => elf.is_go = true,
            b".debug_info" | b".zdebug_info" | b".gnu_debuglink" | b".gnu_debugdata" => {
                elf.has_debug_info = true;
            }
            b".comment" => {
                elf.is_rust |= reader
                    .bytes(section.offset, section.size.min(1 << 16))
                    .is_some_and(|text| memchr::memmem::find(&text, b"rustc version").is_some());
            }
            b".strtab" => strings = Some(section),
            b".dynstr" => dynamic = Some(section),
            _ => {}
        }
    }
    let read = |section: Section| reader.table(&section);
    let (strings, dynamic) = (strings.and_then(read), dynamic.and_then(read));
    elf.runtimes = (strings.is_some() || dynamic.is_some()).then(|| {
        let has = |name: &&[u8]| {
            let tables = [&strings, &dynamic].into_iter().flatten();
            let mut found = tables.map(|table| memchr::memmem::find(table, name));
            found.any(|at| at.is_some())
        };
        let rows = RUNTIMES.iter();
        let mut runtimes: Vec<_> = rows
            .filter(|(_, names)| names.iter().any(has))
            .map(|(runtime, _)| *runtime)
            .collect();
        // What is neither may load a library that is C++.
        let is_other = !elf.is_go && !elf.is_rust && !runtimes.contains(&"cpp");
        runtimes.extend(is_other.then_some("cpp"));
        runtimes.extend(elf.is_rust.then_some("rust"));
        runtimes
    });
    if elf.is_go {
        elf.main = Some("main.main".to_owned());
    } else if elf.is_rust
        && let Some(strings) = &strings
    {
        elf.main = rust_main(strings);
    } else if let Some(strings) = &strings {
        let has = |name: &[u8]| memchr::memmem::find(strings, name).is_some();
        // A name may be the end of a longer one there.
        let is_bare = has(b"_start\0") && !has(b"main\0");
        elf.main = is_bare.then(|| START.to_owned());
    }
    Some(elf)
}

/// The `main` of a binary crate among mangled names, as `crate::main`: a path of exactly two parts, in the old
/// form (`_ZN4prog4main17h...`) or the new one (`_RNvCs1a2b_4prog4main`).
fn rust_main(strings: &[u8]) -> Option<String> {
    let pattern = Regex::new(
        r"(?-u)\x00_(?:ZN(\d+)(\w+?)4main17h[0-9a-f]{16}E|RNvC(?:s[0-9A-Za-z]*_)?(\d+)_?(\w+?)4main)(?:\.llvm\.\d+)?\x00",
    )
    .ok()?;
    pattern.captures_iter(strings).find_map(|found| {
        let (length, name) = found
            .get(1)
            .zip(found.get(2))
            .or_else(|| found.get(3).zip(found.get(4)))?;
        let length: usize = std::str::from_utf8(length.as_bytes()).ok()?.parse().ok()?;
        let name = std::str::from_utf8(name.as_bytes()).ok()?;
        (name.len() == length).then(|| format!("{name}::main"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_whatever_its_types_are_made_with() {
        for (path, plain) in [
            ("shop::total", &["shop::total"][..]),
            ("shop::Cart<T>::add", &["shop::Cart::add"]),
            ("shop::Cart::<T>::add", &["shop::Cart::add"]),
            ("<shop::Cart<Vec<u8>>>::add", &["shop::Cart::add"]),
            (
                "<shop::Cart<T> as shop::Total>::total",
                &["shop::Cart::total", "shop::Total::total"],
            ),
            ("<not closed", &[""]),
        ] {
            assert_eq!(plain_paths(path), plain, "{path}");
        }
    }

    #[test]
    fn finds_the_main_of_a_crate_and_no_other() {
        let old = b"\0_ZN4prog4main17h0123456789abcdefE\0";
        assert_eq!(rust_main(old).as_deref(), Some("prog::main"));
        let new = b"\0_RNvCsf0nA5f7yQX_7my_prog4main\0";
        assert_eq!(rust_main(new).as_deref(), Some("my_prog::main"));
        let deeper = b"\0_ZN4prog3sub4main17h0123456789abcdefE\0";
        assert_eq!(rust_main(deeper), None);
    }

    #[test]
    fn a_cut_file_is_an_executable_that_says_nothing() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, b"\x7fELF\x02\x01\x01").unwrap();
        assert_eq!(read(&file), Some(Elf::default()));
        let mut text = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut text, b"#!/bin/sh\n").unwrap();
        assert_eq!(read(&text), None);
    }
}
