//! The debug tool against real adapters: each of the 28 actions where it works, and its refusal where it does not. What no real
//! adapter does on demand (being slow, running without a stop) is done by the fake one.

mod bench;
mod native;
mod passed_on;
mod python;
mod slow;
mod turns;
