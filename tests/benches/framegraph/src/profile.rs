//! What each system costs: the systems of the table in their order, each in a schedule of its own, so that a clock can stand between them.

use crate::allocator::allocations;
use crate::cpu;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use framegraph::schedule::Phase;
use systems::table::{Body, TABLE};

/// What runs in a row.
enum Work {
    /// Forgets the part before.
    Clear,
    /// Reads the part's bytes.
    Read(fn(&mut World, &[u8])),
    /// A system.
    Run(Box<Schedule>),
}

/// One system, with its time in each frame and its allocations in all of them.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its phase.
    pub phase: Phase,
    /// Microseconds by frame.
    pub times: Vec<f64>,
    /// Allocations.
    pub allocations: u64,
    work: Work,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("frames", &self.times.len()).finish()
    }
}

impl Row {
    fn new(name: &'static str, phase: Phase, work: Work) -> Self {
        Self { name, phase, times: Vec::new(), allocations: 0, work }
    }

    /// Median of the times.
    #[must_use]
    pub fn median(&self) -> f64 {
        crate::median(&self.times)
    }

    /// The shortest of the times.
    #[must_use]
    pub fn shortest(&self) -> f64 {
        crate::shortest(&self.times)
    }
}

/// Runs parts with a clock between the systems.
#[derive(Debug)]
pub struct Profile {
    /// The systems, behind a row for forgetting the part before.
    pub rows: Vec<Row>,
}

impl Default for Profile {
    fn default() -> Self {
        let mut rows = vec![Row::new("(forget the last part)", Phase::Ingest, Work::Clear)];
        for entry in TABLE {
            let work = match entry.body {
                Body::Reader(read) => Work::Read(read),
                Body::System(make) => {
                    let mut schedule = Schedule::default();
                    schedule.set_executor(SingleThreadedExecutor::new());
                    schedule.add_systems(make());
                    Work::Run(Box::new(schedule))
                }
                Body::Slot => continue,
            };
            rows.push(Row::new(entry.rule.name, entry.rule.phase, work));
        }
        Self { rows }
    }
}

impl Profile {
    /// Begins a frame: what its parts cost is added up.
    pub fn begin_frame(&mut self) {
        self.rows.iter_mut().for_each(|row| row.times.push(0.0));
    }

    /// Forgets the frames so far.
    pub fn forget(&mut self) {
        for row in &mut self.rows {
            row.times.clear();
            row.allocations = 0;
        }
    }

    /// Allocations of each system so far.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.rows.iter().map(|row| row.allocations).collect()
    }

    /// Takes the last frame back; `counts` is what [`Profile::counts`] said before it.
    pub fn forget_frame(&mut self, counts: &[u64]) {
        for (row, count) in self.rows.iter_mut().zip(counts) {
            row.times.pop();
            row.allocations = row.allocations.min(*count);
        }
    }

    /// What the systems before a phase cost together, by frame.
    #[must_use]
    pub fn before(&self, phase: Phase) -> Vec<f64> {
        let rows: Vec<_> = self.rows.iter().filter(|row| row.phase < phase).collect();
        let frames = rows.first().map_or(0, |row| row.times.len());
        (0..frames).map(|frame| rows.iter().map(|row| row.times[frame]).sum()).collect()
    }

    /// Allocations of all systems.
    #[must_use]
    pub fn allocations(&self) -> u64 {
        self.rows.iter().map(|row| row.allocations).sum()
    }

    /// Runs one part of the frame that was begun last.
    pub fn run_part(&mut self, world: &mut World, stream: &[u8]) {
        let (mut last, mut last_count) = (cpu(), allocations());
        for row in &mut self.rows {
            match &mut row.work {
                Work::Clear => systems::run::clear_part(world),
                Work::Read(read) => read(world, stream),
                Work::Run(schedule) => schedule.run(world),
            }
            let (now, count) = (cpu(), allocations());
            if let Some(time) = row.times.last_mut() {
                *time += now - last;
                row.allocations += count - last_count;
            }
            (last, last_count) = (now, count);
        }
    }
}
