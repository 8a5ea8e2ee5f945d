//! When each record of a recording is due when it is played again.
//!
//! The times of the recording alone decide, so that playing it twice gives the same; waiting is left to whoever plays.

use std::time::Duration;

/// The longest pause that is kept: whoever recorded over night does not want to wait as long again.
const LONGEST: i64 = 60_000;

/// Tells when records are due.
#[derive(Clone, Debug)]
pub struct Replay {
    /// How many times as fast.
    speed: f64,
    last: Option<i64>,
    /// Milliseconds of the recording that have passed.
    passed: i64,
}

impl Replay {
    /// `speed` is how many times as fast as it was, more than 0.
    pub fn new(speed: f64) -> Self {
        Self {
            speed,
            last: None,
            passed: 0,
        }
    }

    /// Reads `1x`, `10x`, `0.5`: more than 0 and at most 1000000.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix(['x', 'X']).unwrap_or(text);
        match number.trim().parse::<f64>() {
            Ok(speed) if speed > 0.0 && speed <= 1e6 => Ok(Self::new(speed)),
            _ => Err(format!(
                "{text:?} is no speed; write 1x as it was, 10x ten times as fast, 0.5x half as fast"
            )),
        }
    }

    /// How long after the beginning what came at `time` (milliseconds since 1970) is due. What has no time is due at once.
    pub fn due(&mut self, time: Option<i64>) -> Duration {
        if let Some(time) = time {
            let since = self.last.map_or(0, |last| time.saturating_sub(last));
            self.passed = self.passed.saturating_add(since.clamp(0, LONGEST));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
        Duration::from_secs_f64(self.passed as f64 / 1000.0 / self.speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_those_of_the_recording() {
        let mut replay = Replay::parse("2x").unwrap();
        let due = |replay: &mut Replay, time| replay.due(time).as_millis();
        assert_eq!(due(&mut replay, None), 0);
        assert_eq!(due(&mut replay, Some(5_000)), 0);
        assert_eq!(due(&mut replay, Some(5_400)), 200);
        // A clock that was set back takes nothing back.
        assert_eq!(due(&mut replay, Some(4_000)), 200);
        assert_eq!(due(&mut replay, Some(5_600)), 300);
        assert_eq!(due(&mut replay, None), 300);
        assert_eq!(due(&mut replay, Some(5_600 + 3_600_000)), 30_300);
    }

    #[test]
    fn what_is_no_speed_is_told() {
        for text in ["0", "-1x", "fast", "", "x", "inf", "NaN", "1e9"] {
            assert!(
                Replay::parse(text).unwrap_err().contains("no speed"),
                "{text}"
            );
        }
    }
}
