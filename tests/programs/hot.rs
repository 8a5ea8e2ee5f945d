//! Three functions that take 70, 20 and 10 percent of the time, for profilers.
//!
//! usage: hot-rust SECONDS

use std::hint::black_box;
use std::time::{Duration, Instant};

macro_rules! work {
    ($name:ident, $share:literal) => {
        #[inline(never)]
        fn $name(mut seed: u32, long: u32) -> u32 {
            for _ in 0..$share * long {
                seed = black_box(seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
            }
            seed
        }
    };
}

work!(seventy, 7);
work!(twenty, 2);
work!(ten, 1);

/// No two are of one length: rounds in step with a sampler's clock would show it the same places again and again.
#[inline(never)]
fn round_of(seed: u32) -> u32 {
    let long = 1_000 * (1 + (seed >> 26));
    black_box(seventy(twenty(ten(seed, long), long), long))
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let end = Instant::now() + Duration::from_secs_f64(seconds.unwrap_or(5.0));
    let mut seed = 1;
    while Instant::now() < end {
        seed = round_of(seed);
    }
    println!("{seed}");
}
