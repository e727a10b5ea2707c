//! How often the screen is drawn: a few frames at once after a pause, sixty a second in the long run.
//!
//! One key leads to several frames: first the moved cursor, then the text that is read for it, then its colours. None
//! of them should wait for the one before; a storm of keys should not draw more frames than anybody can see. Knows no
//! clock.

use std::time::{Duration, Instant};

/// Sixty frames a second, as most screens show.
const FRAME: Duration = Duration::from_millis(16);
/// Frames that may follow each other at once.
const BURST: u32 = 3;

/// Decides when the next frame may be drawn (the virtual scheduling algorithm, ITU-T I.371).
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The time until which the drawn frames suffice at the steady rate.
    full_until: Instant,
    held_until: Instant,
}

impl Pace {
    #[must_use]
    pub const fn new(now: Instant) -> Self {
        Self {
            full_until: now,
            held_until: now,
        }
    }

    /// Tells when the next frame may be drawn; in the past when it may at once.
    #[must_use]
    pub fn next(&self) -> Instant {
        let ahead = FRAME * (BURST - 1);
        let next = self.full_until.checked_sub(ahead);
        next.map_or(self.held_until, |next| next.max(self.held_until))
    }

    /// Notes that a frame has been drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.full_until = self.full_until.max(now) + FRAME;
    }

    /// Delays the next frame by one frame's time: data that will replace the present ones are on their way.
    pub fn hold(&mut self, now: Instant) {
        self.held_until = now + FRAME;
    }

    /// Ends the delay: the data are there.
    pub const fn release(&mut self, now: Instant) {
        self.held_until = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_frames_come_at_once_and_then_sixty_a_second() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for n in 0..60 {
            let at = pace.next().max(start);
            let expected = FRAME * u32::saturating_sub(n, BURST - 1);
            assert_eq!(at - start, expected, "{n}");
            pace.drawn(at);
        }
    }

    #[test]
    fn a_pause_makes_room_again() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for _ in 0..BURST {
            pace.drawn(start);
        }
        assert!(pace.next() > start);
        let later = start + FRAME * BURST;
        pace.drawn(later);
        assert!(pace.next() <= later);
    }

    #[test]
    fn what_is_worth_waiting_for_is_waited_for_a_frame_long() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.hold(start);
        assert_eq!(pace.next(), start + FRAME);
        pace.release(start);
        assert_eq!(pace.next(), start);
    }
}
