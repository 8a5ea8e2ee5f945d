//! The parts, each by itself.

mod assemble;
mod parser;
mod record;
mod recorder;
mod ring;
mod source;
