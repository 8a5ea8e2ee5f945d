//! What every room may use, and what uses none of them.
//!
//! | module | what is in it |
//! |---|---|
//! | [`text`] | pure functions on foreign text: made safe to show, free of secrets, measured and cut; sizes and counts in words |
//! | [`regions`] | what omp-debug itself is busy with, recorded by every room |
//! | [`tasks`] | tasks of the runtime, behind one type |
//! | [`peers`] | who is at the other end of a connection, and who listens on a port |
//! | [`surroundings`] | home, our folders, PATH, and programs of others that are asked something |
//! | [`stat`] | what the kernel says of a process in one line |
//! | [`threads`] | threads of other processes, as the kernel knows them |
//! | [`locks`] | what threads share, whatever becomes of them |
//! | [`files`] | what is written, so that nothing is half, planted or lost without a word |
//! | [`mod@settings`] | what a person can set: rows beside the record that they fill |
//! | [`kinds!`] | an enum whose kinds stand in one table with their words |

/// An enum without fields: beside each kind stands what the function at the end gives for it.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$says:meta])* $kind:ident = $row:expr),+ $(,)? }
        $(#[$gives:meta])*
        $see:vis fn $of:ident(self) -> $type:ty;
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$says])* $kind),+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$(stringify!($kind)),+].len()] = [$(Self::$kind),+];

            $(#[$gives])*
            $see const fn $of(self) -> $type {
                match self { $(Self::$kind => $row),+ }
            }
        }
    };
}

pub mod files;
pub mod locks;
pub mod peers;
pub mod regions;
pub mod settings;
pub mod stat;
#[cfg(test)]
#[path = "../../tests/support/suite.rs"]
#[expect(dead_code, reason = "each room needs a part of it")]
mod suite;
pub mod surroundings;
pub mod tasks;
pub mod text;
pub mod threads;
