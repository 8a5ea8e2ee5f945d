//! One artifact folder from within: its names level by level, and a file's beginning as text.

use std::ffi::OsString;

use diagnostics::artifacts::{ArtifactLocation, Entry, ItemKind, Listing, head_of, list, text_of};

use crate::prelude::*;

/// The work that lists.
pub const LIST: &str = "artifacts.list";
/// The work that reads.
const READ: &str = "artifacts.read";
/// So much of a file is shown; an editor shows all of it.
pub const SHOWN: u64 = 256 * 1024;

/// A file's beginning.
#[derive(Debug)]
pub struct Text {
    pub name: OsString,
    /// Its length in bytes.
    pub bytes: u64,
    /// The text, once read, or why there is none.
    pub view: Option<Result<TextView, String>>,
}

/// The folder, and where in it one is.
#[derive(Debug)]
pub struct Inside {
    spot: ArtifactLocation,
    /// What it is called.
    pub title: String,
    /// Folders below it that were opened.
    pub below: Vec<OsString>,
    /// What is in the last of them; nothing while it is read.
    pub listing: Option<Result<Listing, String>>,
    pub list: ListState,
    pub text: Option<Text>,
}

impl Inside {
    pub fn new(spot: ArtifactLocation, title: String) -> Self {
        Self {
            spot,
            title,
            below: Vec::new(),
            listing: None,
            list: ListState::default(),
            text: None,
        }
    }

    /// Reads the names anew.
    pub fn reload(&self, cx: &Cx) {
        let (spot, below) = (self.spot.clone(), self.below.clone());
        cx.work(LIST, move |teller| {
            let listed = list(&spot, &below);
            teller.call(move |s: &mut Self, _| s.listed(listed));
        });
    }

    fn listed(&mut self, listing: Result<Listing, String>) {
        let was = self.current().map(|entry| entry.name.clone());
        let names = listing.as_ref().map_or(&[][..], |l| &l.entries);
        self.list
            .reselect(names, |entry| Some(&entry.name) == was.as_ref());
        self.listing = Some(listing);
    }

    pub fn entries(&self) -> &[Entry] {
        match &self.listing {
            Some(Ok(listing)) => &listing.entries,
            _ => &[],
        }
    }

    pub fn current(&self) -> Option<&Entry> {
        self.entries().get(self.list.selected()?)
    }

    /// What is selected, or open.
    pub fn path(&self) -> PathBuf {
        let folder = self
            .below
            .iter()
            .fold(self.spot.path(), |path, name| path.join(name));
        match self.current() {
            Some(entry) => folder.join(&entry.name),
            None => folder,
        }
    }

    /// The selected name, if it is a file.
    pub fn file(&self) -> Option<PathBuf> {
        self.current()
            .filter(|entry| entry.kind == ItemKind::File)
            .map(|_| self.path())
    }

    /// Goes into the selected folder, or shows the selected file.
    pub fn open(&mut self, cx: &Cx) {
        if self.text.is_some() {
            return;
        }
        let Some(entry) = self.current().cloned() else {
            return;
        };
        match entry.kind {
            ItemKind::Folder => {
                self.below.push(entry.name);
                self.listing = None;
                self.list = ListState::default();
                self.reload(cx);
            }
            ItemKind::File => {
                self.text = Some(Text {
                    name: entry.name.clone(),
                    bytes: entry.bytes,
                    view: None,
                });
                let (spot, mut below) = (self.spot.clone(), self.below.clone());
                below.push(entry.name.clone());
                cx.work(READ, move |teller| {
                    let read = head_of(&spot, &below, SHOWN);
                    let read = read.and_then(|bytes| text_of(&bytes, entry.bytes));
                    teller.call(move |s: &mut Self, _| {
                        if let Some(text) = &mut s.text {
                            text.view = Some(read.map(|text| TextView::new(&text)));
                        }
                    });
                });
            }
            ItemKind::Link => cx.warn("A symbolic link is not followed."),
            ItemKind::Other => cx.warn("This is neither a file nor a folder."),
        }
    }

    /// Leaves the file, or the folder; false at the top.
    pub fn leave(&mut self, cx: &Cx) -> bool {
        if self.text.take().is_some() {
            cx.end_work(READ);
            return true;
        }
        if self.below.pop().is_none() {
            return false;
        }
        self.listing = None;
        self.list = ListState::default();
        self.reload(cx);
        true
    }

    /// The file's text, or the names.
    pub fn scrolled(&mut self) -> Scrolled<'_> {
        let len = self.entries().len();
        match &mut self.text {
            Some(Text {
                view: Some(Ok(text)),
                ..
            }) => Scrolled::Text(text),
            _ => Scrolled::Rows(&mut self.list, len),
        }
    }
}
