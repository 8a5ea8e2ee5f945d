//! When the next frame may be drawn. Pure: it is handed the time.

use std::time::{Duration, Instant};

/// At most 60 frames a second.
pub const MIN_FRAME: Duration = Duration::from_nanos(16_666_667);

/// Turns "something changed" into "draw then": at once after a pause, a frame's time after the last frame otherwise, and
/// never when nothing changed.
#[derive(Debug, Default)]
pub struct FrameClock {
    last: Option<Instant>,
    due: Option<Instant>,
}

impl FrameClock {
    /// Something changed.
    pub fn request(&mut self, now: Instant) {
        let at = self.last.map_or(now, |last| now.max(last + MIN_FRAME));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When to draw; `None` when nothing changed since the last frame.
    pub fn due(&self) -> Option<Instant> {
        self.due
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
        assert_eq!(clock.due(), None);
        clock.request(start);
        assert!(clock.is_due(start));
        clock.drawn(start);
        assert_eq!(clock.due(), None);
        for ms in 1..10 {
            clock.request(start + Duration::from_millis(ms));
        }
        assert_eq!(clock.due(), Some(start + MIN_FRAME));
        assert!(!clock.is_due(start + Duration::from_millis(10)));
        clock.drawn(start + MIN_FRAME);
        let later = start + Duration::from_secs(5);
        clock.request(later);
        assert_eq!(clock.due(), Some(later));
    }
}
