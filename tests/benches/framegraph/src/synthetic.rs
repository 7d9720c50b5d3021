//! The synthetic frame, measured in every way.

use crate::allocator::allocations;
use crate::profile::Profile;
use crate::{cpu, frame, median, plain, records, shortest, tables};
use bevy_ecs::prelude::World;
use framegraph::decision::Decisions;
use framegraph::dependencies::HazardKeys;
use framegraph::plan::Plan;
use framegraph::tables::{Accesses, Edges};
use nvn_decode::ingest::PartInfo;
use systems::run::{Engine, Slots};

/// Times and allocations of one way to do a frame.
#[derive(Debug, Default)]
pub struct Cost {
    times: Vec<f64>,
    /// Allocations in all frames.
    pub allocations: u64,
}

impl Cost {
    fn take(&mut self, keep: bool, f: impl FnOnce()) {
        let (before, start) = (allocations(), cpu());
        f();
        let (time, count) = (cpu() - start, allocations() - before);
        if keep {
            self.times.push(time);
            self.allocations += count;
        }
    }

    /// Median in microseconds.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(&self.times)
    }

    /// The shortest time in microseconds.
    #[must_use]
    pub fn shortest(&self) -> f64 {
        shortest(&self.times)
    }
}

/// What came out of a frame.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Accesses.
    pub accesses: usize,
    /// Dependencies between nodes.
    pub dependencies: usize,
    /// Steps of the Plan.
    pub steps: usize,
    /// Barriers of the Plan.
    pub barriers: usize,
    /// Layout changes of the Plan.
    pub layout_changes: usize,
    /// Decisions.
    pub decisions: usize,
}

impl Outcome {
    fn of(world: &World) -> Self {
        let plan = world.resource::<Plan>();
        Self {
            accesses: world.resource::<Accesses>().len(),
            dependencies: world.resource::<Edges>().len(),
            steps: plan.steps.len(),
            barriers: plan.batches.len(),
            layout_changes: plan.transitions.len(),
            decisions: world.resource::<Decisions>().rows().len(),
        }
    }
}

/// Dependencies between passes and feedback draws of a frame whose hazards are keyed by whole resource, in the graph and in plain vectors.
#[derive(Debug, Clone, Copy)]
pub struct Agreement {
    /// In the graph.
    pub graph: (usize, usize),
    /// In plain vectors.
    pub plain: (usize, usize),
}

/// Compares the graph with plain vectors, for each of the four frames.
#[must_use]
pub fn agreements() -> Vec<Agreement> {
    let sources = frame::frames();
    let mut plain = plain::Plain::default();
    let mut whole = tables::Graph::new(&sources[0], HazardKeys::WholeResources);
    let compare = |source: &frame::Frame| {
        plain.fill(source);
        plain.analyse(source);
        whole.fill(source);
        whole.plan();
        Agreement {
            graph: (whole.pass_edges(source), whole.feedback()),
            plain: (plain.edges.len(), plain.feedback.len()),
        }
    };
    sources.iter().map(compare).collect()
}

/// The costs of the synthetic frame.
#[derive(Debug)]
pub struct Costs {
    /// Plain vectors: fill and analyse.
    pub plain: Cost,
    /// Filling the tables that ingest and the state phase fill.
    pub fill: Cost,
    /// From those tables to a Plan: phases 4 to 6.
    pub plan: Cost,
    /// The same with hazards keyed by whole resource.
    pub plan_whole: Cost,
    /// From records to a Plan: every system.
    pub records: Cost,
    /// The systems of `records` apart.
    pub profile: Profile,
    /// What the last frame from tables came to.
    pub from_tables: Outcome,
    /// What the last frame from records came to.
    pub from_records: Outcome,
    /// What is wrong with the records, if anything.
    pub diagnostics: Vec<String>,
}

/// Measures the synthetic frame over a number of frames, after a fifth as many to warm up.
#[must_use]
pub fn measure(frames: usize) -> Costs {
    let sources = frame::frames();
    let mut twin = plain::Plain::default();
    let mut parts = tables::Graph::new(&sources[0], HazardKeys::Parts);
    let mut whole = tables::Graph::new(&sources[0], HazardKeys::WholeResources);
    let stream = records::stream(&sources);
    let mut world = records::world();
    let mut engine = Engine::new(Slots::default());
    engine.run_part(&mut world, &stream.setup);

    let (mut plain, mut fill, mut plan, mut plan_whole, mut from_records) =
        (Cost::default(), Cost::default(), Cost::default(), Cost::default(), Cost::default());
    let warm = frames / 5 + 8;
    for n in 0..warm + frames {
        let (keep, source) = (n >= warm, &sources[n % sources.len()]);
        plain.take(keep, || {
            twin.fill(source);
            twin.analyse(source);
        });
        fill.take(keep, || parts.fill(source));
        plan.take(keep, || parts.plan());
        whole.fill(source);
        plan_whole.take(keep, || whole.plan());
        from_records.take(keep, || {
            engine.run_part(&mut world, &stream.frames[n % sources.len()]);
        });
    }
    let mut profile = Profile::default();
    for n in 0..warm + frames {
        if n == warm {
            profile.forget();
            profile.rows.iter_mut().for_each(|row| row.times.reserve(frames));
        }
        profile.begin_frame();
        profile.run_part(&mut world, &stream.frames[n % sources.len()]);
    }
    Costs {
        plain,
        fill,
        plan,
        plan_whole,
        records: from_records,
        profile,
        from_tables: Outcome::of(&parts.world),
        from_records: Outcome::of(&world),
        diagnostics: world.resource::<PartInfo>().diagnostics.iter().map(ToString::to_string).collect(),
    }
}
