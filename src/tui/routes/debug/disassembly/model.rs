//! A stretch of instructions around an address, that grows at both ends as it is looked at.
//!
//! Adapters differ in what they make of a place before an address: some count instructions, some bytes, some ignore it or fail.
//! So every answer is searched for the address that was meant, and what stands before it is taken only if it leads there.
//! No request is sent here; [`Listing::want`] says which one, [`Listing::accept`] takes the answer.

use std::ops::Range;

use dap::types::DisassembledInstruction;
use debugger::address::number;

/// Instructions asked for before the place that is looked at.
const BEFORE: i64 = 32;
/// Instructions asked for from there on.
const AFTER: i64 = 64;
/// Instructions asked for at an end.
const PAGE: i64 = 64;
/// Bytes gone back where an adapter does not count instructions backwards.
const BACK: i64 = 96;
/// Beginnings tried, one byte after the other: code that is read from within an instruction falls into step soon, but not always.
const TRIES: i64 = 6;
/// Instructions that may be misread before it does.
const MISREAD: usize = 4;
/// Bytes of the longest instruction there is (x86).
const LONGEST: u64 = 15;
/// Instructions held; what is farthest away goes.
const HELD: usize = 4096;

/// One instruction and its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    pub address: u64,
    pub told: DisassembledInstruction,
}

impl Instruction {
    /// Bytes it takes, where they were told.
    fn length(&self) -> Option<u64> {
        let bytes = self.told.instruction_bytes.as_deref()?;
        let digits = bytes.bytes().filter(u8::is_ascii_hexdigit).count();
        (digits > 0 && digits % 2 == 0).then_some(digits as u64 / 2)
    }

    /// The line of source it belongs to, and that source's path or name.
    pub fn source_line(&self) -> Option<(&str, i64)> {
        let source = self.told.location.as_ref()?;
        let path = source.path.as_deref().or(source.name.as_deref())?;
        Some((path, self.told.line.filter(|line| *line > 0)?))
    }
}

/// What to ask for: `disassemble` with these, from the place `reference` names.
#[derive(Debug, PartialEq, Eq)]
pub struct DisassembleRequest {
    /// The place.
    pub reference: String,
    /// Bytes added to it.
    pub offset: Option<i64>,
    /// Instructions added after that.
    pub instructions: Option<i64>,
    pub count: i64,
    way: FetchedEnd,
}

impl DisassembleRequest {
    /// So many instructions from a place on.
    fn new(reference: &str, count: i64, way: FetchedEnd) -> Self {
        Self {
            reference: reference.to_owned(),
            offset: None,
            instructions: None,
            count,
            way,
        }
    }
}

/// Which end an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FetchedEnd {
    /// Around this address.
    Around(u64),
    From(u64),
    /// Before it, counted in instructions.
    Before(u64),
    /// Before it, counted in bytes; how many.
    Bytes(u64, i64),
    /// After the last one.
    After(u64),
}

/// The stretch.
#[derive(Debug, Default)]
pub struct Listing {
    pub instructions: Vec<Instruction>,
    /// There is nothing to be had before the first one, or after the last.
    top: bool,
    bottom: bool,
    /// The adapter does not count instructions backwards.
    by_bytes: bool,
}

impl Listing {
    /// Where an address is in it.
    pub fn position(&self, address: u64) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&address, |i| i.address)
            .ok()
    }

    /// Forgets all instructions, not what was learned of the adapter.
    pub fn clear(&mut self) {
        *self = Self {
            by_bytes: self.by_bytes,
            ..Self::default()
        };
    }

    /// What to ask for to have an address in it; `None` when it is there.
    pub fn go(&self, reference: &str, address: u64) -> Option<DisassembleRequest> {
        if self.position(address).is_some() {
            return None;
        }
        Some(if self.by_bytes {
            DisassembleRequest::new(reference, AFTER, FetchedEnd::From(address))
        } else {
            DisassembleRequest {
                instructions: Some(-BEFORE),
                ..DisassembleRequest::new(reference, BEFORE + AFTER, FetchedEnd::Around(address))
            }
        })
    }

    /// What to ask for so that rows in view have neighbours; `None` when there are enough, or no more to be had.
    pub fn want(&self, view: Range<usize>) -> Option<DisassembleRequest> {
        let (first, last) = (self.instructions.first()?, self.instructions.last()?);
        let page = view.len().max(1);
        if !self.top && view.start < page {
            return Some(if self.by_bytes {
                bytes_before(first, 0)
            } else {
                DisassembleRequest {
                    instructions: Some(-PAGE),
                    ..DisassembleRequest::new(
                        &first.told.address,
                        PAGE,
                        FetchedEnd::Before(first.address),
                    )
                }
            });
        }
        if !self.bottom && view.end + page > self.instructions.len() {
            let way = FetchedEnd::After(last.address);
            return Some(DisassembleRequest::new(&last.told.address, PAGE + 1, way));
        }
        None
    }

    /// Takes in an answer.
    ///
    /// # Errors
    /// The adapter's sentence, when nothing can be shown; otherwise what to ask for next, if the answer was not one.
    pub fn accept(
        &mut self,
        ask: &DisassembleRequest,
        answer: Result<Vec<DisassembledInstruction>, String>,
    ) -> Result<Option<DisassembleRequest>, String> {
        let trouble = answer.as_ref().err().cloned();
        let told = read(answer.unwrap_or_default());
        let place = |address| told.iter().position(|i| i.address == address);
        match ask.way {
            FetchedEnd::Around(address) => {
                let Some(at) = place(address) else {
                    self.by_bytes |= trouble.is_none();
                    return Ok(Some(DisassembleRequest::new(
                        &ask.reference,
                        AFTER,
                        FetchedEnd::From(address),
                    )));
                };
                let mut all = leading_to(&told, at);
                all.extend(following(&told, at));
                self.replace(all);
            }
            FetchedEnd::From(address) => {
                let Some(at) = place(address) else {
                    return Err(trouble.unwrap_or_else(|| {
                        format!("The adapter disassembles nothing at {}.", ask.reference)
                    }));
                };
                self.replace(following(&told, at));
            }
            FetchedEnd::Before(address) => {
                let Some(first) = self.first_at(address) else {
                    return Ok(None);
                };
                let end = told.iter().position(|i| i.address >= address);
                let found = leading_to(&told, end.unwrap_or(told.len()));
                let leads = found.last().is_some_and(|last| meets(last, address));
                if leads {
                    self.prepend(found);
                } else {
                    self.by_bytes = true;
                    return Ok(Some(bytes_before(&first, 0)));
                }
            }
            FetchedEnd::Bytes(address, back) => {
                let Some(first) = self.first_at(address) else {
                    return Ok(None);
                };
                let at = place(address);
                let found = at.map(|at| leading_to(&told, at)).unwrap_or_default();
                // What was read before it fell into step is not shown.
                let sure = found
                    .get(MISREAD.min(found.len() / 2)..)
                    .unwrap_or_default();
                let tried = BACK - back;
                if !sure.is_empty() {
                    self.prepend(sure.to_vec());
                } else if tried < TRIES {
                    return Ok(Some(bytes_before(&first, tried + 1)));
                } else {
                    self.top = true;
                }
            }
            FetchedEnd::After(address) => {
                if self.instructions.last().map(|i| i.address) != Some(address) {
                    return Ok(None);
                }
                let at = place(address);
                let found = at.map(|at| following(&told, at)).unwrap_or_default();
                let new = found.get(1..).unwrap_or_default();
                self.bottom = new.is_empty();
                self.instructions.extend_from_slice(new);
                let over = self.instructions.len().saturating_sub(HELD);
                if over > 0 {
                    self.instructions.drain(..over);
                    self.top = false;
                }
            }
        }
        Ok(None)
    }

    fn first_at(&self, address: u64) -> Option<Instruction> {
        let first = self.instructions.first()?;
        (first.address == address).then(|| first.clone())
    }

    fn replace(&mut self, with: Vec<Instruction>) {
        (self.top, self.bottom) = (false, false);
        self.instructions = with;
    }

    fn prepend(&mut self, mut before: Vec<Instruction>) {
        before.append(&mut self.instructions);
        if before.len() > HELD {
            before.truncate(HELD);
            self.bottom = false;
        }
        self.instructions = before;
    }
}

/// Goes back in bytes, `less` fewer than usual.
fn bytes_before(first: &Instruction, less: i64) -> DisassembleRequest {
    let back = (BACK - less).min(i64::try_from(first.address).unwrap_or(i64::MAX));
    let way = FetchedEnd::Bytes(first.address, BACK - less);
    DisassembleRequest {
        offset: Some(-back),
        // No instruction is shorter than a byte.
        ..DisassembleRequest::new(&first.told.address, back + 1, way)
    }
}

/// What an adapter told, without what it marks as none.
fn read(told: Vec<DisassembledInstruction>) -> Vec<Instruction> {
    told.into_iter()
        .filter(|i| i.presentation_hint.as_deref() != Some("invalid"))
        .filter_map(|told| {
            Some(Instruction {
                address: number(&told.address)?,
                told: with_symbol(told),
            })
        })
        .collect()
}

/// Some adapters write the name of a function before its first instruction (`main: pushq %rbp`) and not in its own place.
fn with_symbol(mut told: DisassembledInstruction) -> DisassembledInstruction {
    if told.symbol.as_deref().is_none_or(str::is_empty)
        && let Some((name, rest)) = told.instruction.split_once(':')
        && rest.starts_with(char::is_whitespace)
        && !name.is_empty()
        && !name.contains(['%', '$', '\t'])
    {
        let rest = rest.trim_start().to_owned();
        told.symbol = Some(name.to_owned());
        told.instruction = rest;
    }
    told
}

/// Whether one instruction may be followed by another at `next`.
fn meets(instruction: &Instruction, next: u64) -> bool {
    let gap = next.checked_sub(instruction.address);
    match (instruction.length(), gap) {
        (Some(length), Some(gap)) => length == gap,
        (None, Some(gap)) => (1..=LONGEST).contains(&gap),
        (_, None) => false,
    }
}

/// The run that leads to `told[at]` without a gap, that one left out.
fn leading_to(told: &[Instruction], at: usize) -> Vec<Instruction> {
    let mut next = told.get(at).map(|i| i.address);
    let mut run: Vec<Instruction> = told
        .get(..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|i| {
            let follows = next.is_none_or(|next| meets(i, next));
            next = Some(i.address);
            follows
        })
        .cloned()
        .collect();
    run.reverse();
    run
}

/// The run from `told[at]` on, as long as addresses rise.
fn following(told: &[Instruction], at: usize) -> Vec<Instruction> {
    let mut last = None;
    told.get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|i| {
            let rises = last.is_none_or(|last| i.address > last);
            last = Some(i.address);
            rises
        })
        .cloned()
        .collect()
}

/// Digits of an address, so that columns line up.
pub(crate) fn digits(greatest: u64) -> usize {
    match greatest {
        0..=0xffff_ffff => 8,
        0x1_0000_0000..=0xffff_ffff_ffff => 12,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(address: u64, bytes: &str) -> DisassembledInstruction {
        DisassembledInstruction {
            address: format!("{address:#x}"),
            instruction_bytes: Some(bytes.to_owned()),
            instruction: format!("op {address}"),
            ..DisassembledInstruction::default()
        }
    }

    /// Code of four bytes an instruction.
    fn code(range: Range<u64>) -> Vec<DisassembledInstruction> {
        range.map(|n| told(n * 4, "1f 20 03 d5")).collect()
    }

    fn addresses(listing: &Listing) -> (u64, u64, usize) {
        let all = &listing.instructions;
        (
            all.first().map_or(0, |i| i.address),
            all.last().map_or(0, |i| i.address),
            all.len(),
        )
    }

    #[test]
    fn it_begins_around_a_place_and_grows_where_it_is_looked_at() {
        let mut listing = Listing::default();
        let ask = listing.go("0x400", 0x400).unwrap();
        assert_eq!((ask.instructions, ask.count), (Some(-32), 96));
        assert_eq!(listing.accept(&ask, Ok(code(224..320))), Ok(None));
        assert_eq!(addresses(&listing), (0x380, 0x4fc, 96));
        assert_eq!(listing.position(0x400), Some(32));
        assert_eq!(listing.go("0x400", 0x400), None);
        assert_eq!(listing.want(30..50), None);
        let up = listing.want(5..25).unwrap();
        assert_eq!(up.reference, "0x380");
        assert_eq!(listing.accept(&up, Ok(code(160..224))), Ok(None));
        assert_eq!(addresses(&listing), (0x280, 0x4fc, 160));
        let down = listing.want(140..160).unwrap();
        assert_eq!((down.reference.as_str(), down.count), ("0x4fc", 65));
        assert_eq!(listing.accept(&down, Ok(code(319..384))), Ok(None));
        assert_eq!(addresses(&listing), (0x280, 0x5fc, 224));
        // The end of what can be read.
        let down = listing.want(210..224).unwrap();
        assert_eq!(listing.accept(&down, Ok(code(383..384))), Ok(None));
        assert_eq!(listing.want(210..224), None);
        // An answer to a question of before is not taken.
        assert_eq!(listing.accept(&up, Ok(code(160..224))), Ok(None));
        assert_eq!(addresses(&listing).2, 224);
    }

    #[test]
    fn an_adapter_that_cannot_go_back_is_asked_in_bytes() {
        let mut listing = Listing::default();
        let ask = listing.go("0x400", 0x400).unwrap();
        // It took the negative number for something else.
        let on = listing.accept(&ask, Ok(code(270..300))).unwrap().unwrap();
        assert_eq!((on.instructions, on.count), (None, 64));
        assert_eq!(listing.accept(&on, Ok(code(256..320))), Ok(None));
        let up = listing.want(0..10).unwrap();
        assert_eq!((up.offset, up.count), (Some(-96), 97));
        // Read from within an instruction it does not fall into step: one byte less.
        let misread: Vec<_> = (0..32)
            .map(|n| told(0x3a2 + n * 4, "00 00 00 00"))
            .collect();
        let up = listing.accept(&up, Ok(misread)).unwrap().unwrap();
        assert_eq!(up.offset, Some(-95));
        assert_eq!(listing.accept(&up, Ok(code(232..260))), Ok(None));
        assert_eq!(addresses(&listing), (0x3b0, 0x4fc, 84));
        // Memory before it that cannot be read: after some tries it is the top.
        let mut ask = listing.want(0..10);
        for _ in 0..10 {
            let Some(up) = ask.take() else { break };
            ask = listing
                .accept(&up, Err("Cannot access memory".to_owned()))
                .unwrap();
        }
        assert_eq!(listing.want(0..10), None);
    }

    #[test]
    fn a_place_without_code_is_a_sentence() {
        let mut listing = Listing::default();
        let ask = listing.go("0x10", 0x10).unwrap();
        let failed = || Err("Cannot access memory at address 0x10".to_owned());
        let on = listing.accept(&ask, failed()).unwrap().unwrap();
        assert_eq!(
            listing.accept(&on, failed()),
            Err("Cannot access memory at address 0x10".to_owned())
        );
        let nothing = listing.accept(&on, Ok(Vec::new())).unwrap_err();
        assert!(nothing.contains("0x10"), "{nothing}");
    }

    #[test]
    fn padding_and_what_does_not_lead_to_the_place_are_left_out() {
        let mut listing = Listing::default();
        let ask = listing.go("0x400", 0x400).unwrap();
        let mut answer = vec![
            DisassembledInstruction {
                address: "-1".to_owned(),
                presentation_hint: Some("invalid".to_owned()),
                ..DisassembledInstruction::default()
            },
            told(0x3f0, "90"),
            told(0x3fe, "66 90"),
        ];
        answer.extend(code(256..260));
        answer.push(told(0x8, "90"));
        assert_eq!(listing.accept(&ask, Ok(answer)), Ok(None));
        assert_eq!(addresses(&listing), (0x3fe, 0x40c, 5));
    }

    #[test]
    fn a_function_s_name_before_its_first_instruction_is_its_symbol() {
        let named = |text: &str| {
            let told = with_symbol(DisassembledInstruction {
                instruction: text.to_owned(),
                ..DisassembledInstruction::default()
            });
            (told.symbol, told.instruction)
        };
        let none = |text: &str| (None, text.to_owned());
        assert_eq!(
            named("price_of: pushq  %rbp"),
            (Some("price_of".to_owned()), "pushq  %rbp".to_owned())
        );
        assert_eq!(
            named("movq   %fs:0x28, %rax"),
            none("movq   %fs:0x28, %rax")
        );
        assert_eq!(named("ret"), none("ret"));
    }

    #[test]
    fn it_does_not_grow_without_bound() {
        let mut listing = Listing::default();
        let ask = listing.go("0x400000", 0x40_0000).unwrap();
        listing
            .accept(&ask, Ok(code(0x10_0000..0x10_0060)))
            .unwrap();
        for _ in 0..100 {
            let len = listing.instructions.len();
            let ask = listing.want(len - 5..len).unwrap();
            let last = addresses(&listing).1 / 4;
            listing.accept(&ask, Ok(code(last..last + 65))).unwrap();
        }
        assert_eq!(listing.instructions.len(), HELD);
        assert!(listing.want(0..5).is_some(), "what went can be had again");
    }
}
