//! Counts secrets, or writes the archive, with the same steps: one thread reads, as many as there are processors redact and compress,
//! and the calling thread puts the pieces in order.
//!
//! The memory is bounded by the number of pieces on their way. A large member's size is known only when it is redacted, so its head
//! is written first with a size of zero and put right at the end.

use std::{num::NonZero, sync::mpsc};

use base::{region, text::redact::Report};
use sha2::{Digest as _, Sha256};

use super::{
    archive, facts,
    feed::{Feeder, Permits, Unit},
    manifest::Manifest,
    outcome::{Outcome, Packed},
    plan::Plan,
    squeeze::{Level, Raw, Squeezer},
};
use crate::prelude::*;

/// More processors than this wait for the disk.
const MOST_WORKERS: usize = 8;
/// Pieces that wait beside those that are worked on.
const WAITING: usize = 3;

/// How far it is.
#[derive(Debug)]
pub struct Step<'a> {
    /// Bytes read.
    pub done: u64,
    /// Bytes there are to read, as far as it was known.
    pub total: u64,
    /// Members that were finished with this step.
    pub packed: &'a [Packed],
}

/// Where the archive is written.
pub struct Target<'a> {
    /// Empty, at its beginning.
    pub out: &'a mut dyn WriteSeek,
    /// How small.
    pub level: Level,
}

/// A file, or what is like one.
pub trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// Why there is no outcome.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It was asked to end.
    #[error("it was cancelled")]
    Cancelled,
    /// The archive cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// A piece that was worked on.
enum PackedPiece {
    Small(Vec<u8>, Vec<Packed>),
    Head(usize, String, bool),
    Chunk(Vec<u8>, Vec<u8>, Report),
    Tail,
}

/// Packs everything; without a target it only counts. Without a redactor secrets stay.
pub fn pack(
    plan: &Plan,
    redactor: Option<&Redactor>,
    target: Option<Target<'_>>,
    cancel: &Cancel,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<Outcome, PackError> {
    let _region = region!("report.pack");
    let workers = std::thread::available_parallelism()
        .map_or(2, NonZero::get)
        .clamp(1, MOST_WORKERS);
    let level = target.as_ref().map(|target| target.level);
    let permits = Permits::new(workers + WAITING);
    let (to_workers, queue) = mpsc::channel::<(u64, Unit)>();
    let (to_writer, done) = mpsc::channel::<(u64, PackedPiece)>();
    let queue = Mutex::new(queue);
    std::thread::scope(|scope| {
        let mut number = 0;
        let feeder = Feeder::new(plan, redactor, &permits, cancel, move |unit| {
            let at = number;
            number += 1;
            to_workers.send((at, unit)).is_ok()
        });
        let feeder = scope.spawn(move || feeder.run());
        for _ in 0..workers {
            let (queue, to_writer) = (&queue, to_writer.clone());
            scope.spawn(move || work(queue, &to_writer, Squeezer::new(level, redactor.cloned())));
        }
        drop(to_writer);
        let mut writer = Writer {
            plan,
            target,
            permits: &permits,
            large: None,
            done: 0,
            outcome: Outcome::default(),
        };
        let written = writer.run(&done, cancel, watch);
        permits.close();
        drop(done);
        let notes = feeder.join().unwrap_or_default();
        written?;
        if cancel.is_cancelled() {
            return Err(PackError::Cancelled);
        }
        writer.outcome.notes.clone_from(&plan.notes);
        writer.outcome.notes.extend(notes);
        writer.finish(redactor)?;
        Ok(writer.outcome)
    })
}

fn work(
    queue: &Mutex<mpsc::Receiver<(u64, Unit)>>,
    done: &mpsc::Sender<(u64, PackedPiece)>,
    mut squeezer: Squeezer,
) {
    loop {
        let next = lock(queue).recv();
        let Ok((number, unit)) = next else { return };
        let _region = region!("report.squeeze");
        let result = match unit {
            Unit::Small(raws) => {
                let (packed, members) = squeezer.small(raws);
                PackedPiece::Small(packed, members)
            }
            Unit::Chunk {
                bytes,
                redact,
                mut replaced,
            } => {
                let (plain, more) = squeezer.clean(bytes, redact);
                replaced.add(&more);
                PackedPiece::Chunk(squeezer.compress(&plain), plain, replaced)
            }
            Unit::Head { member, name, text } => PackedPiece::Head(member, name, text),
            Unit::Tail => PackedPiece::Tail,
        };
        if done.send((number, result)).is_err() {
            return;
        }
    }
}

/// A large member that is being written.
struct Large {
    packed: Packed,
    hasher: Sha256,
    /// Where its head is in the archive.
    head: u64,
}

/// Puts pieces in order.
struct Writer<'a, 't> {
    plan: &'a Plan,
    target: Option<Target<'t>>,
    permits: &'a Permits,
    large: Option<Large>,
    done: u64,
    outcome: Outcome,
}

impl Writer<'_, '_> {
    fn run(
        &mut self,
        done: &mpsc::Receiver<(u64, PackedPiece)>,
        cancel: &Cancel,
        watch: &mut dyn FnMut(&Step<'_>),
    ) -> Result<(), PackError> {
        let total = self.plan.size();
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, piece) in done {
            if cancel.is_cancelled() {
                return Err(PackError::Cancelled);
            }
            early.insert(number, piece);
            while let Some(piece) = early.remove(&next) {
                next += 1;
                let before = self.outcome.packed.len();
                self.take(piece)?;
                self.permits.give_back();
                watch(&Step {
                    done: self.done,
                    total,
                    packed: self.outcome.packed.get(before..).unwrap_or_default(),
                });
            }
        }
        Ok(())
    }

    fn take(&mut self, piece: PackedPiece) -> io::Result<()> {
        let _region = region!("report.write");
        match piece {
            PackedPiece::Small(bytes, members) => {
                self.write(&bytes)?;
                self.done += members.iter().map(|member| member.size).sum::<u64>();
                self.outcome.packed.extend(members);
            }
            PackedPiece::Head(index, name, text) => {
                let head = self.outcome.written;
                self.write(&archive::stored(&archive::head(&name, 0)))?;
                self.large = Some(Large {
                    packed: Packed {
                        index,
                        name,
                        size: 0,
                        sha256: [0; 32],
                        text,
                        replaced: Report::default(),
                    },
                    hasher: Sha256::new(),
                    head,
                });
            }
            PackedPiece::Chunk(bytes, plain, replaced) => {
                self.done += plain.len() as u64;
                if let Some(large) = &mut self.large {
                    large.hasher.update(&plain);
                    large.packed.size += plain.len() as u64;
                    large.packed.replaced.add(&replaced);
                }
                self.write(&bytes)?;
            }
            PackedPiece::Tail => {
                let Some(mut large) = self.large.take() else {
                    return Ok(());
                };
                large.packed.sha256 = large.hasher.finalize().into();
                let padding = archive::padding(large.packed.size);
                if padding > 0 {
                    self.write(&archive::stored(&vec![0; padding]))?;
                }
                let head = archive::head(&large.packed.name, large.packed.size);
                self.patch(large.head, &archive::stored(&head))?;
                self.outcome.packed.push(large.packed);
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(target) = &mut self.target {
            target.out.write_all(bytes)?;
            self.outcome.written += bytes.len() as u64;
        }
        Ok(())
    }

    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some(target) = &mut self.target {
            target.out.seek(SeekFrom::Start(at))?;
            target.out.write_all(bytes)?;
            target.out.seek(SeekFrom::Start(self.outcome.written))?;
        }
        Ok(())
    }

    /// The manifest, and the archive's end.
    fn finish(&mut self, redactor: Option<&Redactor>) -> Result<(), PackError> {
        let Some(target) = &self.target else {
            return Ok(());
        };
        let manifest = Manifest::of(self.plan, &self.outcome, redactor);
        let mut squeezer = Squeezer::new(Some(target.level), None);
        let (manifest, _) = squeezer.small(vec![Raw {
            member: self.plan.members.len(),
            name: super::manifest::NAME.to_owned(),
            bytes: facts::pretty(&manifest),
            text: true,
            replaced: Report::default(),
        }]);
        self.write(&manifest)?;
        let end = squeezer.compress(&archive::end());
        self.write(&end)?;
        Ok(())
    }
}
