//! When the next frame may be drawn. Pure: it is handed the time.

use std::time::{Duration, Instant};

/// At most 60 frames a second.
pub const MIN_FRAME: Duration = Duration::from_nanos(16_666_667);

/// Between two frames that somebody waits for. A step is answered within 3 ms, and its key has been drawn just before.
pub const MIN_URGED: Duration = Duration::from_millis(1);

/// Turns "something changed" into "draw then": at once after a pause or when somebody waits for it, a frame's time after the
/// last frame otherwise, and never when nothing changed.
#[derive(Debug, Default)]
pub struct FrameClock {
    last: Option<Instant>,
    pub due: Option<Instant>,
}

impl FrameClock {
    /// Something changed: there has to be a frame, `pause` after the last one at the earliest.
    pub fn request(&mut self, now: Instant, pause: Duration) {
        let at = self.last.map_or(now, |last| now.max(last + pause));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Whether a frame is due.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_change_is_drawn_at_once_and_the_next_ones_share_a_frame() {
        let start = Instant::now();
        let mut clock = FrameClock::default();
        assert_eq!(clock.due, None);
        clock.request(start, MIN_FRAME);
        assert!(clock.is_due(start));
        clock.drawn(start);
        assert_eq!(clock.due, None);
        for ms in 1..10 {
            clock.request(start + Duration::from_millis(ms), MIN_FRAME);
        }
        assert_eq!(clock.due, Some(start + MIN_FRAME));
        assert!(!clock.is_due(start + Duration::from_millis(10)));
        clock.drawn(start + MIN_FRAME);
        let later = start + Duration::from_secs(5);
        clock.request(later, MIN_FRAME);
        assert_eq!(clock.due, Some(later));
    }

    #[test]
    fn what_somebody_waits_for_does_not_wait_for_its_turn() {
        let start = Instant::now();
        let mut clock = FrameClock::default();
        clock.request(start, MIN_FRAME);
        clock.drawn(start);
        let soon = start + Duration::from_millis(3);
        clock.request(soon, MIN_FRAME);
        assert!(!clock.is_due(soon));
        clock.request(soon, MIN_URGED);
        assert!(clock.is_due(soon));
        clock.drawn(soon);
        clock.request(soon, MIN_URGED);
        assert_eq!(clock.due, Some(soon + MIN_URGED));
    }
}
