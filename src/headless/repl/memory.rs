//! Below the source: `x` for memory, `disas` for instructions.

use base::text::{amount, sanitise::is_deceptive};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use dap::requests::{Disassemble, DisassembleArguments, ReadMemory, ReadMemoryArguments};
use debugger::address::{self, number};

use super::{parse::Format, prelude::*};

/// Instructions that `disas` shows. From the present one on: not every adapter finds the beginnings of those before it.
const INSTRUCTIONS: i64 = 12;
/// Bytes of a text that `x/s` looks through for its end.
const TEXT: i64 = 1024;

/// Where `x` has come to.
#[derive(Debug, Default)]
pub struct Examined {
    next: Option<u64>,
    format: Format,
}

impl Repl {
    /// `x`
    pub(super) async fn examine(&mut self, typed: &ParsedCommand) -> CommandResult {
        let format = parse::format(&typed.modifier, self.examined.format)?;
        self.stopped()?;
        if format.letter == 'i' {
            let (reference, count) = (self.reference(&typed.rest).await?, i64::from(format.count));
            return self.instructions(Some(reference), count).await;
        }
        let reference = match (typed.rest.is_empty(), self.examined.next) {
            (true, Some(next)) => format!("{next:#x}"),
            (true, None) => {
                return Err("it does not say where: write x/16xb ADDRESS or x/16xb EXPR".into());
            }
            (false, _) => self.reference(&typed.rest).await?,
        };
        let is_text = format.letter == 's';
        let size = i64::from(format.size);
        let wanted = if is_text {
            TEXT
        } else {
            i64::from(format.count) * size
        };
        let (address, bytes) = self.read(&reference, wanted).await?;
        if bytes.is_empty() {
            return Err(format!("memory at {reference} cannot be read").into());
        }
        let used = if is_text {
            self.show_texts(address, &bytes, format.count)
        } else {
            self.show_units(address, &bytes, format);
            bytes.len()
        };
        if (used as i64) < wanted && !is_text {
            let told = format!("({} of {wanted} bytes can be read)", bytes.len());
            self.out.say(Role::Warning, told);
        }
        self.examined = Examined {
            next: address.checked_add(used as u64),
            format,
        };
        Ok(())
    }

    /// `write`
    pub(super) async fn write(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (place, bytes) = typed
            .rest
            .split_once(char::is_whitespace)
            .ok_or("it does not say what to write: write ADDRESS de ad be ef")?;
        let bytes = address::bytes(bytes)?;
        self.stopped()?;
        let memory_reference = self.reference(place).await?;
        let command = Command::WriteMemory {
            session: None,
            memory_reference: memory_reference.clone(),
            offset: None,
            data: STANDARD.encode(&bytes),
            allow_partial: None,
        };
        let Reply::Written { bytes: told, .. } = self.ask(command).await? else {
            return Err("The answer was not about a write.".into());
        };
        // Who does not say how many and did not fail has written all of them.
        let count = told.unwrap_or(bytes.len() as i64);
        let place = sanitise(&memory_reference);
        self.out.line(format!(
            "{count} of {} written at {place}",
            amount::count(bytes.len() as u64, "byte", "bytes")
        ));
        Ok(())
    }

    async fn read(&mut self, reference: &str, count: i64) -> Result<(u64, Vec<u8>)> {
        let asked = ReadMemoryArguments {
            memory_reference: reference.to_owned(),
            offset: None,
            count,
        };
        let read = self.request::<ReadMemory>(&asked).await?;
        let bytes = STANDARD
            .decode(read.data.unwrap_or_default())
            .map_err(|e| format!("the adapter's memory is not base64: {e}"))?;
        let address = number(&read.address)
            .or_else(|| number(reference))
            .unwrap_or(0);
        Ok((address, bytes))
    }

    /// What `text` means as a place in memory: a number, or where the value of an expression is or points.
    async fn reference(&mut self, text: &str) -> Result<String> {
        if text.is_empty() {
            let frame = self.stopped()?.current_frame();
            let place = frame.and_then(|f| f.instruction_pointer_reference.clone());
            return place.ok_or_else(|| "it does not say where: write an address".into());
        }
        if let Some(address) = number(text) {
            return Ok(format!("{address:#x}"));
        }
        let value = self.evaluate(text, "watch").await?;
        if let Some(place) = address::place_of(&value) {
            return Ok(place);
        }
        // An array is where it is, which not every debugger tells with it.
        let taken = self.evaluate(&format!("&({text})"), "watch").await.ok();
        taken.as_ref().and_then(address::place_of).ok_or_else(|| {
            let told = Some(&value.result).filter(|result| !result.is_empty());
            let kind = value.type_name.as_ref();
            let told = told.or(kind).map(|told| sanitise(told)).unwrap_or_default();
            format!("{text:?} has no place in memory that the adapter tells: it is {told}").into()
        })
    }

    fn show_units(&mut self, address: u64, bytes: &[u8], format: Format) {
        let size = usize::from(format.size).max(1);
        let in_row = match size {
            1 | 2 => 8,
            4 => 4,
            _ => 2,
        };
        let mut at = address;
        for row in bytes.chunks(size * in_row) {
            let units: Vec<String> = row.chunks(size).map(|u| unit(u, format.letter)).collect();
            let place = self.out.look.paint(Role::Muted, format!("{at:#x}:"));
            let line = format!("{place}  {}", units.join("  "));
            self.out.line(&line);
            at = at.wrapping_add(row.len() as u64);
        }
    }

    fn show_texts(&mut self, address: u64, bytes: &[u8], count: u16) -> usize {
        let mut used = 0;
        for _ in 0..count {
            let Some(rest) = bytes.get(used..).filter(|r| !r.is_empty()) else {
                break;
            };
            let end = rest.iter().position(|b| *b == 0);
            let text =
                String::from_utf8_lossy(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
            let more = if end.is_none() { "…" } else { "" };
            let place = address.wrapping_add(used as u64);
            let place = self.out.look.paint(Role::Muted, format!("{place:#x}:"));
            let line = format!("{place}  {}{more}", sanitise(&format!("{text:?}")));
            self.out.line(&line);
            used += end.map_or(rest.len(), |e| e + 1);
        }
        used
    }

    /// `disas`
    pub(super) async fn disassemble(&mut self, typed: &ParsedCommand) -> CommandResult {
        self.stopped()?;
        let count = match typed.modifier.as_str() {
            "" => None,
            text => Some(i64::from(parse::count(text)?.min(4096))),
        };
        let reference = match typed.rest.as_str() {
            "" => None,
            place => Some(self.reference(place).await?),
        };
        self.instructions(reference, count.unwrap_or(INSTRUCTIONS))
            .await
    }

    async fn instructions(&mut self, reference: Option<String>, count: i64) -> CommandResult {
        let asked = DisassembleArguments {
            memory_reference: reference.unwrap_or_default(),
            instruction_count: count,
            resolve_symbols: Some(true),
            ..DisassembleArguments::default()
        };
        let instructions = self.request::<Disassemble>(&asked).await?.instructions;
        let present = self
            .stopped()?
            .current_frame()
            .and_then(|f| f.instruction_pointer_reference.as_deref().and_then(number));
        let look = self.out.look;
        let mut symbol = None;
        let mut lines = Vec::new();
        for instruction in &instructions {
            if instruction.presentation_hint.as_deref() == Some("invalid") {
                continue;
            }
            if instruction.symbol.is_some() && instruction.symbol != symbol {
                symbol.clone_from(&instruction.symbol);
                let name = symbol.as_deref().unwrap_or_default();
                lines.push(look.paint(Role::Name, format!("{}:", sanitise(name))));
            }
            let is_present = present.is_some() && number(&instruction.address) == present;
            let arrow = look.arrow(is_present);
            let address = look.paint(Role::Muted, sanitise(&instruction.address));
            let line = instruction.line.map_or_else(String::new, |l| {
                look.paint(Role::Muted, format!("  ; line {l}"))
            });
            lines.push(format!(
                "{arrow} {address}  {}{line}",
                sanitise(&instruction.instruction)
            ));
        }
        self.out.list(lines, "No instructions.");
        Ok(())
    }
}

/// One unit of memory, little-endian, in gdb's letters; a cut one is shown byte by byte.
fn unit(bytes: &[u8], letter: char) -> String {
    let mut whole = [0_u8; 8];
    for (to, from) in whole.iter_mut().zip(bytes) {
        *to = *from;
    }
    let value = u64::from_le_bytes(whole);
    let bits = bytes.len().min(8) as u32 * 8;
    match letter {
        'd' => {
            let shift = 64_u32.saturating_sub(bits);
            ((value << shift.min(63)) as i64 >> shift.min(63)).to_string()
        }
        'u' => value.to_string(),
        'o' => format!("{value:#o}"),
        't' => format!("{value:0width$b}", width = bits as usize),
        'c' => match char::from_u32(value as u32) {
            Some(c) if !c.is_control() && !is_deceptive(c) && value < 128 => {
                format!("{value} '{c}'")
            }
            _ => value.to_string(),
        },
        _ => format!("{value:#0width$x}", width = bits as usize / 4 + 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_shown_in_every_format() {
        assert_eq!(unit(&[0x0a], 'x'), "0x0a");
        assert_eq!(unit(&[1, 2], 'x'), "0x0201");
        assert_eq!(unit(&[0xff, 0xff, 0xff, 0xff], 'd'), "-1");
        assert_eq!(unit(&[0xff], 'd'), "-1");
        assert_eq!(unit(&[0xff; 8], 'u'), u64::MAX.to_string());
        assert_eq!(unit(&[5], 't'), "00000101");
        assert_eq!(unit(b"A", 'c'), "65 'A'");
        assert_eq!(unit(&[7], 'c'), "7");
        assert_eq!(unit(&[8], 'o'), "0o10");
    }
}
