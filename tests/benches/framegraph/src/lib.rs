//! What one frame costs in the graph: the synthetic frame as tables and as records against the yardstick in plain vectors, frames of a trace, and the
//! translation of shaders.

pub mod allocator;
pub mod demo;
pub mod frame;
pub mod plain;
pub mod profile;
pub mod records;
pub mod shaders;
pub mod synthetic;
pub mod tables;

/// CPU time of this thread in microseconds.
#[must_use]
pub fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// The median of some times; 0 of none.
#[must_use]
pub fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The shortest of some times; 0 of none.
#[must_use]
pub fn shortest(times: &[f64]) -> f64 {
    times.iter().copied().min_by(f64::total_cmp).unwrap_or_default()
}
