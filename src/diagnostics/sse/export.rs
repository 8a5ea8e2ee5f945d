//! What is kept, as a file of our own: one JSON object a line, which `omp-debug sse` reads again.

use base::text::json::printable;

use crate::{
    sse::prelude::*,
    whole::{self, NotWritten},
};

/// Writes records and messages, which were redacted before; gives how many bytes. The file appears once it is whole, is no one
/// else's to read, and takes another file's place only if `force`.
pub fn export(
    path: &Path,
    force: bool,
    dropped: Dropped,
    records: &[Arc<Record>],
    messages: &[(u64, Assembly)],
) -> Result<u64, NotWritten> {
    let ((), size) = whole::write(path, force, |out| write(out, dropped, records, messages))?;
    Ok(size)
}

fn write(
    out: &mut impl Write,
    dropped: Dropped,
    records: &[Arc<Record>],
    messages: &[(u64, Assembly)],
) -> io::Result<()> {
    let mut line = |value: Value| {
        let text = value.to_string();
        out.write_all(printable(&text).as_bytes())?;
        out.write_all(b"\n")
    };
    if dropped.records > 0 {
        line(dropped.to_json())?;
    }
    for record in records {
        line(record.to_json())?;
    }
    for (number, message) in messages {
        line(message.to_json(*number))?;
    }
    Ok(())
}
