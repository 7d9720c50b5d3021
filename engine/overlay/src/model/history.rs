//! The last values of each counter, for plots.

use super::CounterView;

/// Frames that are remembered.
pub const HISTORY: usize = 240;

/// A ring of values per counter.
#[derive(Debug, Default)]
pub struct CounterHistory {
    rows: Vec<(&'static str, Vec<u64>)>,
    frames: usize,
}

impl CounterHistory {
    /// Takes the values of a frame.
    pub fn push(&mut self, counters: &[CounterView]) {
        for counter in counters {
            let row = match self.rows.iter().position(|(name, _)| *name == counter.name) {
                Some(row) => row,
                None => {
                    self.rows.push((counter.name, vec![0; HISTORY]));
                    self.rows.len() - 1
                }
            };
            self.rows[row].1[self.frames % HISTORY] = counter.value;
        }
        self.frames += 1;
    }

    /// The values of a counter, oldest first, last frame last.
    pub fn values(&self, name: &str) -> impl Iterator<Item = u64> + '_ {
        let row = self.rows.iter().find(|(n, _)| *n == name);
        let len = self.frames.min(HISTORY);
        let first = self.frames - len;
        row.into_iter().flat_map(move |(_, ring)| (first..first + len).map(move |n| ring[n % HISTORY]))
    }
}
