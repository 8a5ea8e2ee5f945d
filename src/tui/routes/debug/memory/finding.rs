//! From what a person means to a place in memory: an address, what an expression points to, where a value is.

use debugger::{
    Evaluated,
    address::{number, place_of},
};

use super::{Base, MemoryPane};
use crate::routes::debug::kit::prelude::*;

/// Bytes read to learn which address a reference stands for.
const PROBE: i64 = 16;

/// What is asked for to find a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locating {
    /// The address of a reference, by reading there.
    Read { reference: String, label: String },
    /// The place of an expression; `whole` is what a person typed, where its address is tried in turn.
    Value { whole: String, address_tried: bool },
}

impl MemoryPane {
    /// Shows the bytes at a place as the adapter names it; `label` is what a person calls it.
    pub fn show_reference(&mut self, reference: &str, label: &str, cx: &mut Cx<'_>) {
        self.trouble = None;
        if let Some(address) = number(reference) {
            self.begin(reference.to_owned(), address, label.to_owned(), cx);
            return;
        }
        let locating = Locating::Read {
            reference: reference.to_owned(),
            label: label.to_owned(),
        };
        let command = Command::ReadMemory {
            session: cx.view.state.focus,
            memory_reference: reference.to_owned(),
            offset: None,
            count: PROBE,
        };
        self.locate(locating, command, cx);
    }

    /// Shows the bytes at an address, or where an expression is or points.
    pub fn show_expression(&mut self, text: &str, cx: &mut Cx<'_>) {
        if number(text).is_some() {
            self.show_reference(text, "", cx);
            return;
        }
        self.trouble = None;
        let locating = Locating::Value {
            whole: text.to_owned(),
            address_tried: false,
        };
        self.locate(locating, evaluate(cx.view.state.focus, text, "watch"), cx);
    }

    fn locate(&mut self, locating: Locating, command: Command, cx: &mut Cx<'_>) {
        self.locating.ask(locating, command, cx);
    }

    fn begin(&mut self, reference: String, address: u64, label: String, cx: &mut Cx<'_>) {
        self.session = cx.view.state.focus;
        self.base = Some(Base {
            reference,
            address,
            label,
        });
        self.bytes.outdate();
        self.cursor = address;
        self.top = self.grid.row_of(address);
        self.more(cx);
    }

    pub(super) fn located(&mut self, locating: Locating, result: &CoreAnswer, cx: &mut Cx<'_>) {
        let trouble = match (locating, result) {
            (Locating::Read { reference, label }, Ok(Reply::Memory { address, .. })) => {
                match number(address) {
                    Some(at) => return self.begin(reference, at, label, cx),
                    None => format!(
                        "The adapter calls the place {}, which is no address.",
                        short(address)
                    ),
                }
            }
            (
                Locating::Value {
                    whole,
                    address_tried,
                },
                Ok(Reply::Value { value }),
            ) => match place_of(value) {
                Some(place) => return self.show_reference(&place, &whole, cx),
                None if !address_tried => return self.try_its_address(whole, cx),
                None => nowhere(&whole, value),
            },
            (_, Err(error)) => error.what.clone(),
            (Locating::Value { .. }, Ok(_)) => "The answer was not a value.".to_owned(),
            (Locating::Read { .. }, Ok(_)) => "The answer was not memory.".to_owned(),
        };
        self.trouble = Some(trouble);
    }

    /// A value whose place is not told may have an address by the language's own sign for it.
    fn try_its_address(&mut self, whole: String, cx: &mut Cx<'_>) {
        let command = evaluate(cx.view.state.focus, format!("&({whole})"), "watch");
        let locating = Locating::Value {
            whole,
            address_tried: true,
        };
        self.locate(locating, command, cx);
    }
}

fn nowhere(expression: &str, value: &Evaluated) -> String {
    format!(
        "{} has no place in memory that the adapter tells: it is {}.",
        short(expression),
        short(&value.result)
    )
}
