//! The guest's clocks (catalogue A-090): nn::os ticks at 19.2 MHz, GPU report ticks at 614.4 MHz.
//!
//! In real mode guest time is the time since start. With a fixed step it is a function of what the guest did: frame / 60 seconds, plus one tick for each
//! read, plus the deadlines that were skipped to while every thread slept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// CNTFRQ_EL0 and nn::os::GetSystemTickFrequency.
pub const TICK_FREQUENCY: u64 = 19_200_000;
/// Ticks of GPU reports in a second.
pub const GPU_TICK_FREQUENCY: u64 = 614_400_000;
/// Ticks of one frame of fixed-step time (1/60 s).
pub const TICKS_PER_FRAME: u64 = TICK_FREQUENCY / 60;
/// The first tick a guest can see: the counter starts above 0.
const FIRST_TICK: u64 = TICK_FREQUENCY;

/// Whole ticks in a number of nanoseconds (rounded down): factor 12/625.
pub fn ticks_from_nanoseconds(nanoseconds: u64) -> u64 {
    (u128::from(nanoseconds) * 12 / 625) as u64
}

/// Nanoseconds in a number of ticks (rounded down, saturating): factor 625/12.
pub fn nanoseconds_from_ticks(ticks: u64) -> u64 {
    u64::try_from(u128::from(ticks) * 625 / 12).unwrap_or(u64::MAX)
}

/// Whole GPU report ticks in a number of nanoseconds (rounded down): factor 384/625.
pub fn gpu_ticks_from_nanoseconds(nanoseconds: u64) -> u64 {
    (u128::from(nanoseconds) * 384 / 625) as u64
}

/// Nanoseconds in a number of GPU report ticks (rounded down, saturating): factor 625/384.
pub fn nanoseconds_from_gpu_ticks(ticks: u64) -> u64 {
    u64::try_from(u128::from(ticks) * 625 / 384).unwrap_or(u64::MAX)
}

/// `nn::os::ConvertToTimeSpan`: truncating, saturating.
pub fn time_span_from_tick(tick: i64) -> i64 {
    i64::try_from(i128::from(tick) * 625 / 12).unwrap_or(if tick < 0 { i64::MIN } else { i64::MAX })
}

/// `nn::os::ConvertToTick`: a fraction of a tick is rounded up, so that a span never becomes a shorter wait.
pub fn tick_from_time_span(nanoseconds: i64) -> i64 {
    let product = i128::from(nanoseconds) * 12;
    let rounded = product.div_euclid(625) + i128::from(product.rem_euclid(625) != 0);
    rounded as i64
}

/// Where guest time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeMode {
    /// The host's monotonic clock.
    Real,
    /// Frames and reads: the same in every run.
    FixedStep,
}

/// The guest's clock. Never goes back.
#[derive(Debug)]
pub struct Clock {
    mode: TimeMode,
    start: Instant,
    fixed: AtomicU64,
    frame: AtomicU64,
}

impl Clock {
    /// A clock at its first tick, frame 0.
    pub fn new(mode: TimeMode) -> Clock {
        Clock { mode, start: Instant::now(), fixed: AtomicU64::new(FIRST_TICK), frame: AtomicU64::new(0) }
    }

    /// The mode it was made with.
    pub fn mode(&self) -> TimeMode {
        self.mode
    }

    /// A guest's read of the tick counter; with a fixed step each read takes one tick.
    pub fn read_ticks(&self) -> u64 {
        match self.mode {
            TimeMode::Real => FIRST_TICK + ticks_from_nanoseconds(self.real_nanoseconds()),
            TimeMode::FixedStep => self.fixed.fetch_add(1, Ordering::SeqCst) + 1,
        }
    }

    /// Guest time in nanoseconds since start, without the cost of a read.
    pub fn now(&self) -> u64 {
        match self.mode {
            TimeMode::Real => self.real_nanoseconds(),
            TimeMode::FixedStep => nanoseconds_from_ticks(self.fixed.load(Ordering::SeqCst) - FIRST_TICK),
        }
    }

    /// Guest time of a tick value, in nanoseconds since start.
    pub fn nanoseconds_of_tick(&self, tick: u64) -> u64 {
        nanoseconds_from_ticks(tick.saturating_sub(FIRST_TICK))
    }

    /// GPU report ticks now.
    pub fn gpu_ticks(&self) -> u64 {
        gpu_ticks_from_nanoseconds(self.now())
    }

    /// Frames presented so far: the number of the frame being made.
    pub fn frame(&self) -> u64 {
        self.frame.load(Ordering::SeqCst)
    }

    /// A frame was presented; fixed-step time moves to frame / 60. Returns the number of the frame that begins.
    pub(crate) fn next_frame(&self) -> u64 {
        let frame = self.frame.fetch_add(1, Ordering::SeqCst) + 1;
        if self.mode == TimeMode::FixedStep {
            self.fixed.fetch_max(FIRST_TICK + frame * TICKS_PER_FRAME, Ordering::SeqCst);
        }
        frame
    }

    /// Fixed step: moves time forward to `nanoseconds` since start (every thread sleeps until then at least).
    pub(crate) fn skip_to(&self, nanoseconds: u64) {
        if self.mode == TimeMode::FixedStep {
            // Rounded up, so that a deadline at `nanoseconds` has passed.
            let ticks = (u128::from(nanoseconds) * 12).div_ceil(625) as u64;
            self.fixed.fetch_max(FIRST_TICK + ticks, Ordering::SeqCst);
        }
    }

    fn real_nanoseconds(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// How long to wait for guest time `deadline` (nanoseconds since start); zero if it has passed.
    pub(crate) fn until(&self, deadline: u64) -> Duration {
        Duration::from_nanos(deadline.saturating_sub(self.now()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // rows: A-090
    #[test]
    fn one_second_is_19_2_and_614_4_million_ticks() {
        assert_eq!(ticks_from_nanoseconds(1_000_000_000), 19_200_000);
        assert_eq!(gpu_ticks_from_nanoseconds(1_000_000_000), 614_400_000);
        assert_eq!(nanoseconds_from_ticks(19_200_000), 1_000_000_000);
        assert_eq!(nanoseconds_from_gpu_ticks(614_400_000), 1_000_000_000);
        assert_eq!(TICKS_PER_FRAME * 60, TICK_FREQUENCY);
    }

    #[test]
    fn conversions_saturate() {
        assert_eq!(time_span_from_tick(i64::MAX), i64::MAX);
        assert_eq!(time_span_from_tick(i64::MIN), i64::MIN);
        assert_eq!(nanoseconds_from_ticks(u64::MAX), u64::MAX);
        assert_eq!(tick_from_time_span(1), 1);
        assert_eq!(tick_from_time_span(-1), 0);
    }

    proptest! {
        // rows: A-090
        #[test]
        fn round_trips_stay_within_one_tick(nanoseconds in 0u64..1 << 60) {
            let back = nanoseconds_from_ticks(ticks_from_nanoseconds(nanoseconds));
            prop_assert!(back <= nanoseconds && nanoseconds - back <= 53, "{back}");
            let back = nanoseconds_from_gpu_ticks(gpu_ticks_from_nanoseconds(nanoseconds));
            prop_assert!(back <= nanoseconds && nanoseconds - back <= 2, "{back}");
            let span = nanoseconds as i64;
            prop_assert!(time_span_from_tick(tick_from_time_span(span)) >= span, "a wait never gets shorter");
        }
    }

    #[test]
    fn fixed_step_time_is_frames_reads_and_skips() {
        let clock = Clock::new(TimeMode::FixedStep);
        let first = clock.read_ticks();
        assert!(first > 0);
        assert_eq!(clock.read_ticks(), first + 1);
        let base = first - 1;
        assert_eq!(clock.next_frame(), 1);
        assert_eq!(clock.read_ticks(), base + TICKS_PER_FRAME + 1);
        clock.skip_to(100_000_000);
        assert!(clock.now() >= 100_000_000);
        let now = clock.now();
        clock.skip_to(5);
        assert_eq!(clock.now(), now, "never back");
        assert_eq!(clock.next_frame(), 2);
        assert_eq!(clock.now(), now, "a frame that began late does not turn time back");
    }
}
