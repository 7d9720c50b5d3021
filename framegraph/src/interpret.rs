//! A tiny executor over symbols, for tests: what a part computes in strict command order, and what a Plan computes on a machine with incoherent caches
//! that runs unordered work in any order.
//!
//! Content is one number per piece of storage. A node folds all it reads into a number and writes numbers made from that. Every access class has a copy of
//! each piece; only a barrier that names the writer's class and the reader's class refreshes the copy. A layout change spoils the copies of every class it is
//! not made visible to; a change from undefined spoils the content. Units between two barriers run in a shuffled order. Attachments are coherent among the
//! draws of a pass.

use crate::barriers::{Classes, SubresourceStates, classes, write_classes};
use crate::ids::NodeId;
use crate::plan::{Plan, Step};
use crate::resource::{Layout, Part};
use crate::resource_table::ResourceTable;
use crate::tables::{Accesses, CommandOrder, NodeKind, Nodes, node_flags, uses};
use crate::verify::Pieces;
use bevy_ecs::prelude::World;

const CLASSES: usize = 40;
const POISON: u64 = 0xdead_dead_dead_dead;

/// What a run computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// By node: everything it read, folded.
    pub read: Vec<u64>,
    /// By piece: its content at the end.
    pub content: Vec<u64>,
}

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(5) ^ b).wrapping_mul(0x517c_c1b7_2722_0a95).rotate_left(23)
}

struct Machine<'a> {
    nodes: &'a Nodes,
    accesses: &'a Accesses,
    pieces: Pieces,
    truth: Vec<u64>,
    copies: Vec<Vec<u64>>,
    /// Classes whose barrier releases a piece's content.
    released_by: Vec<Classes>,
    incoherent: bool,
    read: Vec<u64>,
}

impl<'a> Machine<'a> {
    fn new(world: &'a World, incoherent: bool) -> Self {
        let (nodes, accesses) = (world.resource::<Nodes>(), world.resource::<Accesses>());
        let pieces = Pieces::cut(accesses, world.resource::<ResourceTable>());
        let truth: Vec<u64> = (0..pieces.resource.len() as u64).map(|n| mix(1, n)).collect();
        Self {
            nodes,
            accesses,
            copies: if incoherent { vec![truth.clone(); CLASSES] } else { Vec::new() },
            released_by: vec![0; truth.len()],
            truth,
            pieces,
            incoherent,
            read: vec![0; nodes.len()],
        }
    }

    fn node(&mut self, node: NodeId) {
        let n = node.index();
        let mut read = u64::from(node.0);
        // Everything is read before anything is written: a draw that reads its own target sees what was there before it.
        for row in self.nodes.accesses[n].range() {
            let reads = classes(self.accesses.uses[row], self.accesses.stages[row]) & !write_classes();
            if self.accesses.part[row] == Part::Any {
                continue;
            }
            for at in 0..self.pieces.by_row[row].len() {
                let piece = self.pieces.by_row[row][at] as usize;
                for class in (0..CLASSES).filter(|c| reads >> c & 1 == 1) {
                    let value = if self.incoherent { self.copies[class][piece] } else { self.truth[piece] };
                    read = mix(read, value);
                }
            }
        }
        self.read[n] = read;
        for row in self.nodes.accesses[n].range() {
            if !self.accesses.writes(row) {
                continue;
            }
            let used = self.accesses.uses[row];
            let class = classes(used, self.accesses.stages[row]) & write_classes();
            for at in 0..self.pieces.by_row[row].len() {
                let piece = self.pieces.by_row[row][at] as usize;
                let old = if used & !uses::WRITES != 0 { self.truth[piece] } else { 0 };
                let value = mix(mix(read, old), piece as u64);
                self.truth[piece] = value;
                self.released_by[piece] = class;
                if self.incoherent {
                    // The output unit sees its own writes, and so does a shader that reads what it stores.
                    let own = classes(used, self.accesses.stages[row])
                        | if used & (uses::COLOR_WRITE | uses::DEPTH_WRITE) != 0 {
                            classes(uses::COLOR_READ | uses::COLOR_WRITE | uses::DEPTH_READ | uses::DEPTH_WRITE, 0)
                        } else {
                            0
                        };
                    for c in (0..CLASSES).filter(|c| own >> c & 1 == 1) {
                        self.copies[c][piece] = value;
                    }
                }
            }
        }
    }

    fn refresh(&mut self, source: Classes, target: Classes) {
        for piece in 0..self.truth.len() {
            if self.released_by[piece] & source != 0 {
                for class in (0..CLASSES).filter(|c| target >> c & 1 == 1) {
                    self.copies[class][piece] = self.truth[piece];
                }
            }
        }
    }

    fn outcome(self) -> Outcome {
        Outcome { read: self.read, content: self.truth }
    }
}

/// What the part computes in strict command order.
#[must_use]
pub fn in_order(world: &World) -> Outcome {
    let mut machine = Machine::new(world, false);
    let nodes = machine.nodes;
    for &node in &world.resource::<CommandOrder>().nodes {
        if nodes.flags[node.index()] & node_flags::SKIPPED == 0 && nodes.kind[node.index()] != NodeKind::Barrier {
            machine.node(node);
        }
    }
    machine.outcome()
}

/// What the World's Plan computes with incoherent caches, unordered work shuffled by `seed` (0 keeps the order, 1 reverses it).
#[must_use]
pub fn hostile(world: &World, seed: u64) -> Outcome {
    let plan = world.resource::<Plan>();
    let table = world.resource::<ResourceTable>();
    let mut machine = Machine::new(world, true);
    let nodes = machine.nodes;
    // Units between barriers: (first step, end).
    let mut segment: Vec<(usize, usize)> = Vec::new();
    let mut random = seed;
    let mut at = 0;
    while at <= plan.steps.len() {
        match plan.steps.get(at) {
            Some(Step::BeginPass(_)) => {
                let begin = at;
                while !matches!(plan.steps.get(at), Some(Step::EndPass(_)) | None) {
                    at += 1;
                }
                segment.push((begin, at));
            }
            Some(Step::Node(_)) => segment.push((at, at + 1)),
            Some(Step::Barrier(_)) | None => {
                match seed {
                    0 => {}
                    1 => segment.reverse(),
                    _ => {
                        for n in (1..segment.len()).rev() {
                            random = mix(random, n as u64);
                            segment.swap(n, (random % (n as u64 + 1)) as usize);
                        }
                    }
                }
                for (start, end) in segment.drain(..) {
                    for step in &plan.steps[start..end] {
                        match step {
                            Step::Node(node) => machine.node(*node),
                            Step::SelfBarrier(row) => {
                                let b = plan.batches[*row as usize];
                                machine.refresh(
                                    classes(b.source_uses, b.source_stages),
                                    classes(b.target_uses, b.target_stages),
                                );
                            }
                            Step::BeginPass(pass) => {
                                for &node in &world.resource::<CommandOrder>().nodes {
                                    let n = node.index();
                                    if nodes.pass[n] == *pass && nodes.flags[n] & node_flags::FOLDED != 0 {
                                        machine.node(node);
                                    }
                                }
                            }
                            _ => {}
                        }
                    }
                }
                let Some(Step::Barrier(row)) = plan.steps.get(at) else { break };
                let batch = plan.batches[*row as usize];
                let (source, target) =
                    (classes(batch.source_uses, batch.source_stages), classes(batch.target_uses, batch.target_stages));
                machine.refresh(source, target);
                let first = batch.first_transition as usize;
                for change in &plan.transitions[first..first + batch.transitions as usize] {
                    let facts = table.get(change.resource);
                    let Some(base) = machine.pieces.resource.iter().position(|id| *id == change.resource) else {
                        continue;
                    };
                    for aspect in 0..3 {
                        for level in change.part.base_level..change.part.base_level + change.part.levels {
                            for layer in change.part.base_layer..change.part.base_layer + change.part.layers {
                                let piece = base
                                    + (aspect * usize::from(facts.levels) + usize::from(level))
                                        * usize::from(facts.layers)
                                    + usize::from(layer);
                                if change.from == Layout::Undefined {
                                    // Content was lost, unless there was none: then it is the same junk in both runs.
                                    let before = &world.resource::<SubresourceStates>().before[change.resource.index()];
                                    if before.get(facts.layers, level, layer) != Layout::Undefined {
                                        machine.truth[piece] = POISON;
                                    }
                                }
                                machine.released_by[piece] |= target;
                                for class in 0..CLASSES {
                                    machine.copies[class][piece] =
                                        if target >> class & 1 == 1 { machine.truth[piece] } else { POISON };
                                }
                            }
                        }
                    }
                }
            }
            Some(Step::SelfBarrier(_) | Step::EndPass(_)) => {}
        }
        at += 1;
    }
    machine.outcome()
}
