//! The tables: which there are, their columns, and what stands in a cell.

use diagnostics::{
    memory::text::{change, limit_value},
    system::text::bytes,
};

/// What can be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Mappings by what they are for.
    #[default]
    Groups,
    /// What grew between two marks.
    Growth,
    /// Every mapping.
    Mappings,
    Threads,
    /// Open files.
    Files,
    Limits,
    /// A heap file by constructor.
    Classes,
    /// The largest objects of a heap file.
    Largest,
    /// What came and went since an older heap file.
    Differences,
}

/// The tabs of a process.
pub const OF_PROCESS: &[Tab] = &[
    Tab::Groups,
    Tab::Growth,
    Tab::Mappings,
    Tab::Threads,
    Tab::Files,
    Tab::Limits,
];
/// The tabs of a heap file.
pub const OF_HEAP: &[Tab] = &[Tab::Classes, Tab::Largest, Tab::Differences];

impl Tab {
    /// Its title, what its rows are, its other columns in order of importance from the right, and the column it is ordered by at
    /// first: 0 is the name, 1 the first beside it; none leaves the rows as they come.
    pub fn spec(self) -> (&'static str, &'static str, &'static [Column], Option<usize>) {
        const SIZES: &[Column] = &[
            number("Maps", 6),
            number("Size", 10),
            number("RSS", 10),
            number("PSS", 10),
            number("USS", 10),
            number("Swap", 9),
        ];
        const MAPPED: &[Column] = &[
            text("Address", 18),
            text("Access", 7),
            number("Size", 10),
            number("RSS", 10),
            number("PSS", 10),
            number("USS", 10),
            number("Swap", 9),
        ];
        const THREADS: &[Column] = &[number("Number", 9), number("CPU", 11), text("State", 20)];
        const FILES: &[Column] = &[number("Number", 8), text("Kind", 16)];
        const LIMITS: &[Column] = &[
            number("Used", 11),
            number("In force", 12),
            number("At most", 12),
        ];
        const COUNTED: &[Column] = &[
            number("Count", 11),
            number("Shallow", 11),
            number("Retained", 11),
        ];
        const OBJECTS: &[Column] = &[
            number("Number", 11),
            number("Shallow", 11),
            number("Retained", 11),
        ];
        match self {
            Self::Groups => ("Groups", "Group", SIZES, Some(5)),
            Self::Growth => ("Growth", "Group", SIZES, None),
            Self::Mappings => ("Mappings", "Name", MAPPED, None),
            Self::Threads => ("Threads", "Thread", THREADS, Some(2)),
            Self::Files => ("Open files", "Target", FILES, None),
            Self::Limits => ("Limits", "Limit", LIMITS, None),
            Self::Classes => ("Constructors", "Constructor", COUNTED, Some(3)),
            Self::Largest => ("Largest objects", "Object", OBJECTS, Some(3)),
            Self::Differences => ("Differences", "Constructor", COUNTED, Some(2)),
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        self.spec().0
    }

    /// What its rows are, and its other columns.
    pub fn columns(self) -> (&'static str, &'static [Column]) {
        let (_, rows, columns, _) = self.spec();
        (rows, columns)
    }
}

/// A column beside the names.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Its width in cells.
    pub cells: usize,
    /// Whether it holds numbers, which stand at its right edge.
    pub is_number: bool,
}

const fn number(title: &'static str, cells: usize) -> Column {
    Column {
        title,
        cells,
        is_number: true,
    }
}

const fn text(title: &'static str, cells: usize) -> Column {
    Column {
        title,
        cells,
        is_number: false,
    }
}

/// One value of a table.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'m> {
    /// A size.
    Bytes(u64),
    /// A size more or less.
    Change(i64),
    /// A number.
    Count(u64),
    /// A number more or less.
    Plus(i64),
    /// Milliseconds.
    Time(u64),
    Address(u64),
    /// A word.
    Text(&'m str),
    /// A limit and its unit.
    Limit(Option<u64>, &'m str),
    /// Nothing is known.
    Nothing,
}

impl Cell<'_> {
    /// As it is shown.
    pub fn text(self) -> String {
        match self {
            Self::Bytes(size) => bytes(size),
            Self::Change(difference) => change(difference),
            Self::Count(number) => number.to_string(),
            Self::Plus(0) => "0".to_owned(),
            Self::Plus(number) => format!("{number:+}"),
            Self::Time(ms) => format!("{:.2} s", ms as f64 / 1000.0),
            Self::Address(address) => format!("{address:012x}"),
            Self::Text(word) => word.to_owned(),
            Self::Limit(value, unit) => limit_value(value, unit),
            Self::Nothing => String::new(),
        }
    }

    /// What it is sorted by.
    pub fn key(self) -> (i128, String) {
        match self {
            Self::Bytes(n) | Self::Count(n) | Self::Time(n) | Self::Address(n) => {
                (i128::from(n), String::new())
            }
            Self::Change(n) | Self::Plus(n) => (i128::from(n), String::new()),
            Self::Limit(value, _) => (value.map_or(i128::MAX, i128::from), String::new()),
            Self::Text(word) => (0, word.to_owned()),
            Self::Nothing => (-1, String::new()),
        }
    }
}
