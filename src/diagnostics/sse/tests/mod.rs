//! The parts, each by itself.

mod assemble;
mod parser;
mod record;
mod ring;
mod source;
