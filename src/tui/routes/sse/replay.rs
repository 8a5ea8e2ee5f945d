//! A capture as it came once: frame after frame, at its own pace, faster, or step by step.

use diagnostics::sse::RecordKind;

use super::model::{Frame, Model};
use crate::prelude::*;

/// The pace of frames whose times are not known, in milliseconds.
pub const BLIND: u64 = 100;
/// How often somebody who does not want to wait any more is heard.
const SLICE: Duration = Duration::from_millis(40);
/// How fast it can be.
pub const FASTEST: u32 = 64;

/// A replay that goes on.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// The last frame that has come.
    pub at: u64,
    /// So many times as fast as it was.
    pub speed: u32,
    /// Whether it waits for a key.
    pub paused: bool,
}

/// Frames after `at` and how many milliseconds after the one before each came.
pub fn schedule(model: &Model, at: u64) -> Vec<(u64, u64)> {
    let time_of = |frame: &Frame| {
        let record = &frame.kept.record;
        record.time.or(match record.what {
            RecordKind::Response => record.response.started,
            _ => None,
        })
    };
    let mut last = model.by_sequence(at).and_then(time_of);
    model
        .from(at + 1)
        .filter(|frame| frame.sequence() > at)
        .map(|frame| {
            let time = time_of(frame);
            let wait = match (last, time) {
                (Some(last), Some(time)) => u64::try_from(time - last).unwrap_or(0),
                _ => BLIND,
            };
            last = time.or(last);
            (frame.sequence(), wait)
        })
        .collect()
}

/// Tells each frame when its time has come, until all have or nobody listens. May block.
pub fn play(frames: &[(u64, u64)], speed: u32, cancel: &Cancel, mut tell: impl FnMut(u64) -> bool) {
    let began = Instant::now();
    let mut due = Duration::ZERO;
    for (sequence, wait) in frames {
        due += Duration::from_millis(*wait) / speed.max(1);
        loop {
            if cancel.is_cancelled() {
                return;
            }
            let rest = due.saturating_sub(began.elapsed());
            if rest.is_zero() {
                break;
            }
            std::thread::sleep(rest.min(SLICE));
        }
        if !tell(*sequence) {
            return;
        }
    }
}
