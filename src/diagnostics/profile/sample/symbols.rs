//! Names for addresses: from the debug information of a program or library, else from its table of symbols.
//!
//! Only files of this machine are read: the mapped one itself, and the separate one that a distribution keeps in
//! `/usr/lib/debug/.build-id`. Nothing is asked of any server. An address that no symbol covers has no name: the nearest symbol before it
//! would be another function.

use std::{convert::Infallible, rc::Rc};

use addr2line::Loader;
use base::text::hex::hexadecimal;
use object::{Object as _, ObjectSymbol as _, SymbolKind, read::ReadCache};
use stackpulse::{
    profile::{NativeSymbol, SourceLocation},
    symbolize::{
        NativeBatch, NativeImageId, NativeImageSource, NativeLookup, NativeSymbolizer,
        NativeSymbols,
    },
};

use crate::prelude::*;

/// Where distributions keep what they stripped off, by build id.
const DEBUG: &str = "/usr/lib/debug/.build-id";
/// Symbols of one file that are kept.
const MOST: usize = 4_000_000;
/// Files whose debug information is larger are named by their symbols alone: reading it would take more memory than a profile is worth. Bytes.
const LARGEST: u64 = 2 << 30;

/// Names functions of all files that a process has mapped.
#[derive(Default)]
pub struct Symbols {
    images: HashMap<NativeImageId, Image>,
}

/// One program or library.
#[derive(Default)]
struct Image {
    debug: Option<Loader>,
    /// Sorted by where they begin.
    symbols: Vec<Symbol>,
    /// The first line that was seen of an inlined function, which has no address of its own.
    lines: HashMap<(Rc<str>, Rc<str>), u32>,
}

struct Symbol {
    start: u64,
    end: u64,
    name: Rc<str>,
}

impl NativeSymbolizer for Symbols {
    type Error = Infallible;

    fn symbolize(&mut self, mut batch: NativeBatch<'_>) -> Result<(), Infallible> {
        for (lookup, names) in batch.entries() {
            let image =
                self.images
                    .entry(lookup.image_id())
                    .or_insert_with(|| match lookup.image() {
                        NativeImageSource::File(file) => Image::read(file.proc_path()),
                        NativeImageSource::Vdso => Image::default(),
                    });
            *names = image.names(lookup);
        }
        Ok(())
    }
}

impl Image {
    /// Reads what there is of names in a file; nothing of one that is no program.
    fn read(path: &Path) -> Self {
        let (mut symbols, build_id) = symbols_of(path).unwrap_or_default();
        let separate = build_id.and_then(|id| separate(&id));
        if symbols.is_empty() || separate.is_some() {
            let more = separate.as_deref().and_then(symbols_of);
            symbols.extend(more.into_iter().flat_map(|(found, _)| found));
        }
        symbols.sort_by_key(|symbol| (symbol.start, symbol.end));
        let with_debug = separate.as_deref().unwrap_or(path);
        let is_small = std::fs::metadata(with_debug).is_ok_and(|file| file.len() <= LARGEST);
        Self {
            debug: is_small.then(|| Loader::new(with_debug).ok()).flatten(),
            symbols,
            lines: HashMap::new(),
        }
    }

    /// The symbol that an address is in.
    fn symbol(&self, address: u64) -> Option<&Symbol> {
        let after = self
            .symbols
            .partition_point(|symbol| symbol.start <= address);
        // Of several that begin before it, one that is longer may be around it.
        let before = self.symbols.get(..after).unwrap_or_default();
        before
            .iter()
            .rev()
            .take(8)
            .find(|symbol| address < symbol.end)
    }

    /// The functions at an address, the innermost first: several where some were inlined.
    fn names(&mut self, lookup: &NativeLookup) -> NativeSymbols {
        let module = lookup.mapping().path().to_string_lossy();
        let module: Rc<str> = module.as_ref().into();
        let named = self.functions(lookup.image_address()).into_iter();
        let named = named.map(|(name, place)| {
            let (file, line) = place.unzip();
            NativeSymbol::new(name, Rc::clone(&module)).with_source(SourceLocation {
                file,
                function_start_line: line.filter(|line| *line > 0),
                ..SourceLocation::default()
            })
        });
        named.collect()
    }

    /// The functions at an address, the innermost first, and where they begin in the source.
    fn functions(&mut self, address: u64) -> Vec<(Rc<str>, Option<SourceLine>)> {
        let mut found = self.inlined(address);
        if let Some(symbol) = self.symbol(address) {
            let source = self.place(symbol.start);
            match found.last_mut() {
                // The outermost is the function itself: it stands where it begins.
                Some((_, place)) => *place = source.or_else(|| place.take()),
                None => found.push((Rc::clone(&symbol.name), source)),
            }
        }
        let last = found.len().saturating_sub(1);
        for (depth, (name, place)) in found.iter_mut().enumerate() {
            if let Some((file, line)) = place
                && depth != last
            {
                let key = (Rc::clone(name), Rc::clone(file));
                *line = *self.lines.entry(key).or_insert(*line);
            }
        }
        found
    }

    /// What the debug information says of an address: names, and places in their source.
    fn inlined(&self, address: u64) -> Vec<(Rc<str>, Option<SourceLine>)> {
        let mut found = Vec::new();
        let Some(mut frames) = self
            .debug
            .as_ref()
            .and_then(|d| d.find_frames(address).ok())
        else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame
                .function
                .as_ref()
                .and_then(|f| f.demangle().ok().map(Rc::from));
            let place = frame.location.as_ref().and_then(place);
            if let Some(name) = name {
                found.push((name, place));
            }
        }
        found
    }

    /// Where an address is in the source.
    fn place(&self, address: u64) -> Option<SourceLine> {
        place(&self.debug.as_ref()?.find_location(address).ok()??)
    }
}

/// A file and a line.
pub(in crate::profile) type SourceLine = (Rc<str>, u32);

fn place(location: &addr2line::Location<'_>) -> Option<SourceLine> {
    Some((location.file?.into(), location.line.unwrap_or(0)))
}

/// The functions of a file's table of symbols, and its build id. The file is read in blocks, not mapped: it may be cut meanwhile.
fn symbols_of(path: &Path) -> Option<(Vec<Symbol>, Option<Vec<u8>>)> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let build_id = file.build_id().ok().flatten().map(<[u8]>::to_vec);
    let symbols = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?;
            let name = addr2line::demangle_auto(name.into(), None);
            let start = symbol.address();
            Some(Symbol {
                start,
                end: start.saturating_add(symbol.size()),
                name: name.as_ref().into(),
            })
        });
    Some((symbols.take(MOST).collect(), build_id))
}

/// The file with the debug information of this build, if it is installed.
fn separate(build_id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first()?;
    let path = Path::new(DEBUG).join(format!("{first:02x}/{}.debug", hexadecimal(rest)));
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_its_functions_and_no_file_has_none() {
        let own = std::env::current_exe().unwrap();
        let image = Image::read(&own);
        let named = |name: &str| image.symbols.iter().find(|s| s.name.contains(name));
        let function = named("a_program_has_its_functions_and_no_file_has_none").unwrap();
        let inside = function.start + (function.end - function.start) / 2;
        assert_eq!(image.symbol(inside).unwrap().name, function.name);
        let (file, line) = image.place(function.start).unwrap();
        assert!(file.ends_with("symbols.rs") && line > 0, "{file}:{line}");
        // Which addresses have more than a line is the compiler's choice.
        let mut all = image.symbols.iter().flat_map(|s| s.start..s.end);
        assert!(all.any(|address| !image.inlined(address).is_empty()));
        let none = Image::read(Path::new("/proc/self/status"));
        assert!(none.symbols.is_empty() && none.debug.is_none());
        assert!(none.symbol(0).is_none());
    }

    #[test]
    fn an_address_that_no_symbol_covers_has_no_name() {
        let symbol = |start, end, name: &str| Symbol {
            start,
            end,
            name: name.into(),
        };
        let image = Image {
            symbols: vec![symbol(10, 50, "around"), symbol(20, 30, "inside")],
            ..Image::default()
        };
        let name = |address| image.symbol(address).map(|s| s.name.to_string());
        assert_eq!(name(25).as_deref(), Some("inside"));
        assert_eq!(name(35).as_deref(), Some("around"));
        assert_eq!((name(5), name(50)), (None, None));
    }
}
