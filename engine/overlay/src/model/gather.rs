//! Filling a [`FrameView`] from a World.

use super::words;
use super::{
    AccessView, BarrierView, CellView, CounterUnit, CounterView, DecisionView, DrawView, EdgeView, FeedbackView,
    FrameView, NONE, NodeView, PartView, PassView, ResourceView, Text, TransitionView, UnitView,
};
use bevy_ecs::prelude::{Resource, World};
use framegraph::decision::{Decisions, Subject};
use framegraph::ids::{NodeId, PassId, ResourceId, Rows, StateId};
use framegraph::pass::{LoadOp, PassArea, PassFlags, PassOps, PassPool, PassRows, PassTargets, StoreOp};
use framegraph::plan::{Plan, Step};
use framegraph::resource::{ImageDesc, Label, ResourceFlags, ResourceKind, ResourcePool, Storage};
use framegraph::state::{Attachment, AttachmentSet, Subresources};
use framegraph::tables::{
    Accesses, BindKind, Bindings, ClearTarget, Clears, Copies, Copy, Dispatches, Downloads, Draws, Edges,
    FeedbackLoops, FeedbackPlan, GameBarriers, Labels, NodeKind, Nodes, PassMembers, Presents, Snapshots, States,
    Upload, Uploads, node_flags, uses,
};
use std::fmt::Write as _;

/// Words of each distinct state, by row, for the part at hand.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    blend: Vec<Text>,
    depth: Vec<Text>,
    raster: Vec<Text>,
    viewport: Vec<Text>,
    vertex: Vec<Text>,
    sorted: Vec<CellView>,
    names: Vec<(u64, u32)>,
    /// By row of the part's bindings: the first draw that has it.
    owners: Vec<u32>,
    upload_bytes: u64,
}

fn table<T: Resource>(world: &World) -> Option<&T> {
    world.get_resource::<T>()
}

/// A resource's name as the World has it.
fn label(world: &World, id: ResourceId) -> &str {
    let entity = table::<ResourcePool>(world).and_then(|pool| pool.entity(id));
    entity.and_then(|e| world.get::<Label>(e)).map_or("", |l| l.0.as_str())
}

fn push_name(arena: &mut String, world: &World, id: ResourceId) {
    match label(world, id) {
        "" => {
            let _ = write!(arena, "resource {}", id.0);
        }
        name => arena.push_str(name),
    }
}

fn desc(world: &World, id: ResourceId) -> Option<ImageDesc> {
    let entity = table::<ResourcePool>(world).and_then(|pool| pool.entity(id))?;
    match world.get::<ResourceKind>(entity) {
        Some(ResourceKind::Image(desc)) => Some(*desc),
        _ => None,
    }
}

impl FrameView {
    /// Starts a frame: forgets the last one, keeps the memory.
    pub fn begin(&mut self, number: u64) {
        self.number = number;
        self.arena.clear();
        self.parts.clear();
        self.nodes.clear();
        self.draws.clear();
        self.bindings.clear();
        self.views.clear();
        self.samplers.clear();
        self.passes.clear();
        self.members.clear();
        self.units.clear();
        self.barriers.clear();
        self.transitions.clear();
        self.resources.clear();
        self.resource_rows.clear();
        self.cells.clear();
        self.accesses.clear();
        self.edges.clear();
        self.feedback.clear();
        self.decisions.clear();
        self.counters.clear();
        self.scratch.upload_bytes = 0;
    }

    /// Adds the part that is in the World, after its Plan is made and before the World is cleared for the next. `serial` is the executor's number of
    /// the part, by which the times of its passes come back. A World without the tables of a part adds nothing.
    pub fn add_part(&mut self, world: &World, serial: u64) {
        let Some(nodes) = table::<Nodes>(world) else { return };
        let part = self.parts.len() as u32;
        self.parts.push(PartView {
            serial,
            first_node: self.nodes.len() as u32,
            first_draw: self.draws.len() as u32,
            first_pass: self.passes.len() as u32,
            passes: table::<PassPool>(world).map_or(0, |p| p.live),
            first_binding: self.bindings.len() as u32,
            first_view: self.views.len() as u32,
            first_sampler: self.samplers.len() as u32,
        });
        self.add_resources(world);
        self.add_nodes(world, part, nodes);
        self.add_passes(world, part);
        self.add_steps(world, part);
        self.add_draws(world, part, nodes);
        self.add_accesses(world, part);
        self.add_decisions(world, part);
        self.scratch.upload_bytes += table::<Snapshots>(world).map_or(0, |s| s.bytes.len() as u64);
    }

    /// Completes a frame: the grid, lifetimes, names of passes that occur more than once, and the counters.
    pub fn finish(&mut self) {
        for node in &mut self.nodes {
            if node.unit == NONE && node.flags & node_flags::FOLDED != 0 {
                node.unit = self.passes.get(node.pass as usize).map_or(NONE, |p| p.unit);
            }
        }
        self.number_repeats();
        self.make_cells();
        self.count();
    }

    fn write(&mut self, f: impl FnOnce(&mut String)) -> Text {
        let start = self.arena.len();
        f(&mut self.arena);
        self.arena_from(start)
    }

    fn add_resources(&mut self, world: &World) {
        let Some(pool) = table::<ResourcePool>(world) else { return };
        for id in (0..pool.capacity() as u32).map(ResourceId) {
            let Some(entity) = pool.entity(id) else { continue };
            let Some(kind) = world.get::<ResourceKind>(entity).filter(|k| **k != ResourceKind::Free) else { continue };
            if self.resource_rows.len() <= id.index() {
                self.resource_rows.resize(id.index() + 1, NONE);
            }
            let row = self.resource_rows[id.index()];
            let flags = world.get::<ResourceFlags>(entity).copied().unwrap_or_default();
            if let Some(there) = self.resources.get_mut(row as usize) {
                (there.kind, there.flags) = (*kind, flags);
                continue;
            }
            let name = self.write(|arena| push_name(arena, world, id));
            self.resource_rows[id.index()] = self.resources.len() as u32;
            self.resources.push(ResourceView {
                id,
                name,
                kind: *kind,
                storage: world.get::<Storage>(entity).copied().unwrap_or_default(),
                flags,
                cells: Rows::default(),
                life: None,
                last_writer: NONE,
            });
        }
    }

    fn add_nodes(&mut self, world: &World, part: u32, nodes: &Nodes) {
        let labels = table::<Labels>(world);
        let first_pass = self.parts[part as usize].first_pass;
        for id in nodes.ids() {
            let n = id.index();
            let label = labels.and_then(|l| l.rows.get(nodes.label[n] as usize));
            let label = label.map_or(Text::default(), |label| self.write(|arena| arena.push_str(label)));
            let words = if nodes.kind[n] == NodeKind::Draw {
                Text::default()
            } else {
                self.write(|arena| node_words(arena, world, nodes.kind[n], nodes.payload[n]))
            };
            let pass = nodes.pass[n];
            self.nodes.push(NodeView {
                part,
                id,
                kind: nodes.kind[n],
                seq: nodes.seq[n],
                flags: nodes.flags[n],
                pass: if pass.is_some() { first_pass + pass.0 } else { NONE },
                unit: NONE,
                draw: NONE,
                label,
                words,
            });
        }
    }

    fn add_passes(&mut self, world: &World, part: u32) {
        let (Some(pool), Some(members)) = (table::<PassPool>(world), table::<PassMembers>(world)) else { return };
        let first_node = self.parts[part as usize].first_node;
        for (n, &entity) in pool.entities().iter().enumerate() {
            let targets = world.get::<PassTargets>(entity).map_or(AttachmentSet::default(), |t| t.0);
            let ops = world.get::<PassOps>(entity).copied().unwrap_or_default();
            let area = world.get::<PassArea>(entity).copied().unwrap_or_default();
            let rows = world.get::<PassRows>(entity).map_or(Rows::default(), |r| r.0);
            let start = self.members.len() as u32;
            let mut draws = 0;
            let mut label = None;
            for id in members.rows.get(rows.range()).unwrap_or_default() {
                let Some(node) = self.nodes.get((first_node + id.0) as usize) else { continue };
                draws += u32::from(node.kind == NodeKind::Draw);
                label = label.or((!node.label.is_empty()).then_some(node.label));
                self.members.push(first_node + id.0);
            }
            let name = label.unwrap_or_else(|| self.write(|arena| target_names(arena, world, &targets)));
            self.passes.push(PassView {
                part,
                id: PassId(n as u32),
                name,
                extent: area.extent,
                layers: area.layers,
                targets,
                ops,
                flags: world.get::<PassFlags>(entity).map_or(0, |f| f.0),
                members: Rows { start, len: self.members.len() as u32 - start },
                draws,
                unit: NONE,
                traffic: traffic(&targets, &ops, area.layers),
                gpu: None,
            });
        }
    }

    fn add_steps(&mut self, world: &World, part: u32) {
        let Some(plan) = table::<Plan>(world) else { return };
        let (first_node, first_pass) = {
            let p = &self.parts[part as usize];
            (p.first_node, p.first_pass)
        };
        let mut open = false;
        let mut pending = self.barriers.len() as u32;
        for (at, step) in plan.steps.iter().enumerate() {
            let unit = self.units.len() as u32 - u32::from(open);
            match *step {
                Step::Barrier(row) => self.add_barrier(plan, row, unit, NONE),
                Step::SelfBarrier(row) => {
                    let inside = plan.steps[at..].iter().find_map(|s| match s {
                        Step::Node(id) => Some(first_node + id.0),
                        _ => None,
                    });
                    self.add_barrier(plan, row, unit, inside.unwrap_or(NONE));
                }
                Step::BeginPass(id) => {
                    let row = first_pass + id.0;
                    let Some(pass) = self.passes.get_mut(row as usize) else { continue };
                    pass.unit = unit;
                    let name = pass.name;
                    self.units.push(UnitView { pass: row, node: NONE, name, barriers: self.since(pending) });
                    open = true;
                }
                Step::Node(id) => {
                    let row = first_node + id.0;
                    let Some(node) = self.nodes.get_mut(row as usize) else { continue };
                    node.unit = unit;
                    if !open {
                        let words = node.words;
                        self.units.push(UnitView { pass: NONE, node: row, name: words, barriers: self.since(pending) });
                        pending = self.barriers.len() as u32;
                    }
                }
                Step::EndPass(_) => {
                    let barriers = self.since(pending);
                    if let Some(unit) = self.units.last_mut().filter(|_| open) {
                        unit.barriers = barriers;
                    }
                    pending = self.barriers.len() as u32;
                    open = false;
                }
            }
        }
        // Barriers behind the last unit (what the next part or a present needs) stand at the end of the last unit.
        let left = self.since(pending);
        if left.len > 0
            && let Some(last) = self.units.last_mut()
        {
            last.barriers.len += left.len;
            let unit = self.units.len() as u32 - 1;
            for barrier in &mut self.barriers[left.range()] {
                barrier.unit = unit;
            }
        }
    }

    fn since(&self, start: u32) -> Rows {
        Rows { start, len: self.barriers.len() as u32 - start }
    }

    fn add_barrier(&mut self, plan: &Plan, row: u32, unit: u32, inside: u32) {
        let Some(batch) = plan.batches.get(row as usize) else { return };
        let barrier = self.barriers.len() as u32;
        let start = self.transitions.len() as u32;
        let first = batch.first_transition as usize;
        for change in plan.transitions.get(first..first + batch.transitions as usize).unwrap_or_default() {
            self.transitions.push(TransitionView {
                barrier,
                resource: change.resource,
                part: change.part,
                from: change.from,
                to: change.to,
            });
        }
        self.barriers.push(BarrierView {
            unit,
            inside,
            source: (batch.source_uses, batch.source_stages),
            target: (batch.target_uses, batch.target_stages),
            transitions: Rows { start, len: self.transitions.len() as u32 - start },
        });
    }

    fn add_draws(&mut self, world: &World, part: u32, nodes: &Nodes) {
        let (Some(draws), Some(states)) = (table::<Draws>(world), table::<States>(world)) else { return };
        let (first_node, first_binding) = {
            let p = &self.parts[part as usize];
            (p.first_node, p.first_binding)
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        macro_rules! words {
            ($column:ident, $states:expr, $f:path) => {
                scratch.$column.clear();
                for state in $states.values() {
                    let text = self.write(|arena| $f(arena, state));
                    scratch.$column.push(text);
                }
            };
        }
        words!(blend, states.blend, words::blend_words);
        words!(depth, states.depth, words::depth_words);
        words!(raster, states.raster, words::raster_words);
        words!(viewport, states.viewports, words::viewport_words);
        words!(vertex, states.vertex, words::vertex_words);
        let of = |column: &[Text], id: StateId| column.get(id.index()).copied().unwrap_or_default();
        for id in draws.ids() {
            let n = id.index();
            let node = first_node + draws.node[n].0;
            let bindings = draws.bindings[n];
            if let Some(node) = self.nodes.get_mut(node as usize) {
                node.draw = self.draws.len() as u32;
            }
            self.draws.push(DrawView {
                node,
                call: draws.call[n],
                topology: draws.topology[n],
                write_mask: draws.write_mask[n],
                blend: of(&scratch.blend, draws.blend[n]),
                depth: of(&scratch.depth, draws.depth[n]),
                raster: of(&scratch.raster, draws.raster[n]),
                viewport: of(&scratch.viewport, draws.viewport[n]),
                vertex: of(&scratch.vertex, draws.vertex[n]),
                variants: states.shaders.get(draws.shaders[n]).map_or([0; 6], |s| s.variant),
                pipeline: draws.pipeline[n],
                bindings: Rows { start: first_binding + bindings.start, len: bindings.len },
                vertex_buffers: draws.vertex_buffers[n].len,
            });
        }
        self.scratch = scratch;
        if let Some(bindings) = table::<Bindings>(world) {
            self.bindings.extend_from_slice(&bindings.rows);
        }
        self.views.extend_from_slice(states.views.values());
        self.samplers.extend_from_slice(states.samplers.values());
        debug_assert!(nodes.len() + first_node as usize == self.nodes.len(), "nodes are gathered before draws");
    }

    fn add_accesses(&mut self, world: &World, part: u32) {
        let first = self.parts[part as usize].first_node;
        if let Some(accesses) = table::<Accesses>(world) {
            for n in 0..accesses.len() {
                self.accesses.push(AccessView {
                    node: first + accesses.node[n].0,
                    last: first + accesses.last[n].0,
                    resource: accesses.resource[n],
                    part: accesses.part[n],
                    uses: accesses.uses[n],
                    stages: accesses.stages[n],
                    layout: accesses.layout[n],
                });
            }
            if let Some(edges) = table::<Edges>(world) {
                for n in 0..edges.len() {
                    self.edges.push(EdgeView {
                        from: first + edges.from[n].0,
                        to: first + edges.to[n].0,
                        hazard: edges.hazard[n],
                        resource: accesses.resource.get(edges.access[n] as usize).copied().unwrap_or_default(),
                    });
                }
            }
        }
        for row in table::<FeedbackLoops>(world).map_or(&[][..], |f| &f.rows) {
            self.feedback.push(FeedbackView {
                node: first + row.node.0,
                resource: row.resource,
                slots: row.slots,
                written: row.written,
                plan: row.plan,
            });
        }
    }

    fn add_decisions(&mut self, world: &World, part: u32) {
        let Some(decisions) = table::<Decisions>(world) else { return };
        let draws = table::<Draws>(world);
        let mut owners = std::mem::take(&mut self.scratch.owners);
        owners.clear();
        if let Some(draws) = draws
            && decisions.rows().iter().any(|d| matches!(d.subject, Subject::Binding(_)))
        {
            owners.resize(table::<Bindings>(world).map_or(0, |b| b.rows.len()), NONE);
            for id in draws.ids() {
                for owner in owners.get_mut(draws.bindings[id.index()].range()).unwrap_or_default() {
                    *owner = (*owner).min(id.0);
                }
            }
        }
        for row in decisions.rows() {
            let node_of = |id| match (id, draws) {
                (Subject::Node(node), _) => node,
                (Subject::Draw(draw) | Subject::Target(draw, _), Some(draws)) => {
                    draws.node.get(draw.index()).copied().unwrap_or_default()
                }
                (Subject::Binding(binding), Some(draws)) => {
                    let owner = owners.get(binding as usize).copied().unwrap_or(NONE);
                    draws.node.get(owner as usize).copied().unwrap_or_default()
                }
                _ => NodeId::NONE,
            };
            let node = self.node_row(part, node_of(row.subject));
            let pass = match row.subject {
                Subject::Pass(id) => self.pass_row(part, id),
                _ => self.nodes.get(node as usize).map_or(NONE, |n| n.pass),
            };
            let resource = if let Subject::Resource(id) = row.subject { id } else { ResourceId::NONE };
            let about = self.write(|arena| about_words(arena, world, row.subject, node_of(row.subject)));
            let words = self.write(|arena| {
                words::reason_words(arena, row, |id| label(world, id));
            });
            self.decisions.push(DecisionView {
                part,
                rule: row.rule,
                verdict: row.verdict,
                subject: row.subject,
                node,
                pass,
                resource,
                about,
                words,
            });
        }
        self.scratch.owners = owners;
    }

    /// Gives passes of one name their repeat index: `shadow #2`.
    fn number_repeats(&mut self) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.names.clear();
        for unit in 0..self.units.len() {
            let row = self.units[unit].pass as usize;
            let Some(pass) = self.passes.get(row) else { continue };
            let name = self.text(pass.name);
            let hash =
                name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
            let times = match scratch.names.iter_mut().find(|(h, _)| *h == hash) {
                Some((_, times)) => {
                    *times += 1;
                    *times
                }
                None => {
                    scratch.names.push((hash, 1));
                    1
                }
            };
            if times > 1 {
                let old = pass.name;
                let start = self.arena.len();
                // The old name is in the arena already: copied within it, byte by character.
                self.arena.reserve((old.end - old.start) as usize + 8);
                let mut at = old.start as usize;
                while at < old.end as usize {
                    let Some(letter) = self.arena[at..].chars().next() else { break };
                    self.arena.push(letter);
                    at += letter.len_utf8();
                }
                let _ = write!(self.arena, " #{times}");
                let name = self.arena_from(start);
                self.passes[row].name = name;
                self.units[unit].name = name;
            }
        }
        self.scratch = scratch;
    }

    fn make_cells(&mut self) {
        let mut sorted = std::mem::take(&mut self.scratch.sorted);
        sorted.clear();
        for access in &self.accesses {
            if access.resource == ResourceId::NONE {
                continue;
            }
            let unit_of = |node: u32| self.nodes.get(node as usize).map_or(NONE, |n| n.unit);
            let (first, last) = (unit_of(access.node), unit_of(access.last));
            let mut put = |unit: u32| {
                if unit != NONE {
                    let (resource, uses, stages) = (access.resource, access.uses, access.stages);
                    sorted.push(CellView { resource, unit, uses, stages });
                }
            };
            put(first);
            if last != first {
                // One row stands for a run of draws; where that run lies in several passes, each of them makes the access.
                let mut before = first;
                for node in access.node + 1..=access.last {
                    let unit = unit_of(node);
                    if unit != before {
                        put(unit);
                        before = unit;
                    }
                }
            }
        }
        sorted.sort_unstable_by_key(|c| (c.resource, c.unit));
        for cell in &sorted {
            match self.cells.last_mut() {
                Some(last) if (last.resource, last.unit) == (cell.resource, cell.unit) => {
                    last.uses |= cell.uses;
                    last.stages |= cell.stages;
                }
                _ => self.cells.push(*cell),
            }
        }
        self.scratch.sorted = sorted;
        let mut start = 0;
        for run in self.cells.chunk_by(|a, b| a.resource == b.resource) {
            let row = self.resource_rows.get(run[0].resource.index()).copied().unwrap_or(NONE);
            if let Some(resource) = self.resources.get_mut(row as usize) {
                resource.cells = Rows { start, len: run.len() as u32 };
                resource.life = Some((run[0].unit, run[run.len() - 1].unit));
                let writer = run.iter().rev().find(|c| c.uses & uses::WRITES != 0);
                resource.last_writer = writer.map_or(NONE, |c| c.unit);
            }
            start += run.len() as u32;
        }
    }

    fn count(&mut self) {
        let kinds = |kind: NodeKind| {
            let runs = |n: &&NodeView| n.kind == kind && n.flags & node_flags::SKIPPED == 0;
            self.nodes.iter().filter(runs).count() as u64
        };
        let live = || self.passes.iter().filter(|p| p.unit != NONE);
        let mut counters = std::mem::take(&mut self.counters);
        let mut put = |name, value: usize, unit, budget| {
            counters.push(CounterView { name, value: value as u64, unit, budget });
        };
        const N: CounterUnit = CounterUnit::Count;
        put("passes", live().count(), N, Some(140));
        put("passes merged away", self.passes.iter().filter(|p| p.flags & PassFlags::MERGED != 0).count(), N, None);
        put("attachment traffic", live().map(|p| p.traffic as usize).sum(), CounterUnit::Bytes, Some(250_000_000));
        put("draws", kinds(NodeKind::Draw) as usize, N, None);
        put("dispatches", kinds(NodeKind::Dispatch) as usize, N, None);
        put("copies", kinds(NodeKind::Copy) as usize, N, None);
        put("clears", kinds(NodeKind::Clear) as usize, N, None);
        put("uploads", kinds(NodeKind::Upload) as usize, N, None);
        put("bytes taken from the game", self.scratch.upload_bytes as usize, CounterUnit::Bytes, None);
        put("nodes skipped", self.nodes.iter().filter(|n| n.flags & node_flags::SKIPPED != 0).count(), N, None);
        put("nodes inserted", self.nodes.iter().filter(|n| n.flags & node_flags::INSERTED != 0).count(), N, None);
        put("accesses", self.accesses.len(), N, None);
        put("dependencies", self.edges.len(), N, None);
        put("barriers", self.barriers.len(), N, None);
        put("layout changes", self.transitions.len(), N, None);
        let snapshots = self.feedback.iter().filter(|f| f.plan == FeedbackPlan::Snapshot).count();
        put("feedback reads", self.feedback.len(), N, None);
        put("feedback snapshots", snapshots, N, Some(2));
        put("decisions", self.decisions.len(), N, None);
        put("resources", self.resources.len(), N, None);
        put("parts", self.parts.len(), N, None);
        self.counters = counters;
    }
}

/// Names of the attachments: `gAlbedo, gNormal +1, depth`.
fn target_names(arena: &mut String, world: &World, targets: &AttachmentSet) {
    let start = arena.len();
    let colors = targets.color.iter().flatten().count();
    for (n, attachment) in targets.color.iter().flatten().enumerate().take(2) {
        arena.push_str(if n > 0 { ", " } else { "" });
        attachment_name(arena, world, attachment);
    }
    if colors > 2 {
        let _ = write!(arena, " +{}", colors - 2);
    }
    if let Some(depth) = &targets.depth {
        arena.push_str(if arena.len() > start { ", " } else { "" });
        attachment_name(arena, world, depth);
    }
    if arena.len() == start {
        arena.push_str("no attachments");
    }
}

fn attachment_name(arena: &mut String, world: &World, attachment: &Attachment) {
    push_name(arena, world, attachment.view.resource);
    words::subresource_words(arena, &attachment.view.part, desc(world, attachment.view.resource).as_ref());
}

/// Bytes that a pass moves for its attachments: what it loads and what it stores.
fn traffic(targets: &AttachmentSet, ops: &PassOps, layers: u16) -> u64 {
    let bytes = |attachment: &Attachment, (load, store): (LoadOp, StoreOp)| {
        let texel = u64::from(attachment.view.format.block().0) * u64::from(targets.samples.max(1));
        let texels = u64::from(attachment.extent[0]) * u64::from(attachment.extent[1]) * u64::from(layers.max(1));
        texel * texels * (u64::from(load == LoadOp::Load) + u64::from(store == StoreOp::Store))
    };
    let color: u64 = targets.color.iter().zip(&ops.color).filter_map(|(a, op)| Some(bytes(a.as_ref()?, *op))).sum();
    color + targets.depth.as_ref().map_or(0, |a| bytes(a, ops.depth))
}

/// What a decision is about.
fn about_words(arena: &mut String, world: &World, subject: Subject, node: NodeId) {
    let named = |arena: &mut String, id: NodeId| {
        let kind = table::<Nodes>(world).and_then(|n| n.kind.get(id.index())).copied();
        let _ = write!(arena, "{} {}", kind.map_or("node", words::kind_word), id.0);
    };
    match subject {
        Subject::Part => arena.push_str("the part"),
        Subject::Node(id) => named(arena, id),
        Subject::Draw(_) if node.is_some() => named(arena, node),
        Subject::Draw(id) => {
            let _ = write!(arena, "draw row {}", id.0);
        }
        Subject::Pass(id) => {
            let _ = write!(arena, "pass {}", id.0);
        }
        Subject::Resource(id) => push_name(arena, world, id),
        Subject::Target(_, slot) => {
            named(arena, node);
            let _ = match slot {
                8 => write!(arena, ", depth"),
                slot => write!(arena, ", colour {slot}"),
            };
        }
        Subject::Binding(row) => {
            if node.is_some() {
                named(arena, node);
                arena.push_str(", ");
            }
            match table::<Bindings>(world).and_then(|b| b.rows.get(row as usize)) {
                Some(binding) => {
                    let kind = match binding.kind {
                        BindKind::Uniform => "uniform block",
                        BindKind::Storage => "storage buffer",
                        BindKind::Texture => "texture",
                        BindKind::Image => "image",
                    };
                    let _ = write!(arena, "{kind} {} of {:?}", binding.slot, binding.stage);
                }
                None => {
                    let _ = write!(arena, "binding {row}");
                }
            }
        }
    }
}

/// What a node does, for nodes other than draws.
fn node_words(arena: &mut String, world: &World, kind: NodeKind, payload: u32) {
    let row = payload as usize;
    let name = |arena: &mut String, id: ResourceId| push_name(arena, world, id);
    let part = |arena: &mut String, id: ResourceId, part: &Subresources| {
        push_name(arena, world, id);
        words::subresource_words(arena, part, desc(world, id).as_ref());
    };
    let slice = |arena: &mut String, slice: &framegraph::tables::BufferSlice| match label(world, slice.resource) {
        "" => words::slice_words(arena, "buffer", slice),
        named => words::slice_words(arena, named, slice),
    };
    match kind {
        NodeKind::Draw => {}
        NodeKind::Dispatch => {
            if let Some(d) = table::<Dispatches>(world).and_then(|t| t.rows.get(row)) {
                let [x, y, z] = d.groups;
                let _ = match d.indirect {
                    Some(_) => write!(arena, "dispatch, groups in memory"),
                    None => write!(arena, "dispatch {x}\u{d7}{y}\u{d7}{z}"),
                };
            }
        }
        NodeKind::Copy => match table::<Copies>(world).and_then(|t| t.rows.get(row)) {
            Some(Copy::Buffer { source, target }) => {
                arena.push_str("copy ");
                slice(arena, source);
                arena.push_str(" \u{2192} ");
                slice(arena, target);
            }
            Some(Copy::BufferToImage { source, target, part: to, .. }) => {
                arena.push_str("copy ");
                slice(arena, source);
                arena.push_str(" \u{2192} ");
                part(arena, *target, to);
            }
            Some(Copy::ImageToBuffer { source, part: from, target, .. }) => {
                arena.push_str("copy ");
                part(arena, *source, from);
                arena.push_str(" \u{2192} ");
                slice(arena, target);
            }
            Some(Copy::Image { source, source_part, target, target_part, .. }) => {
                arena.push_str("copy ");
                part(arena, *source, source_part);
                arena.push_str(" \u{2192} ");
                part(arena, *target, target_part);
            }
            Some(Copy::Blit { source, source_part, target, target_part, .. }) => {
                arena.push_str("blit ");
                part(arena, *source, source_part);
                arena.push_str(" \u{2192} ");
                part(arena, *target, target_part);
            }
            Some(Copy::Resolve { source, target, part: to, .. }) => {
                arena.push_str("resolve ");
                name(arena, *source);
                arena.push_str(" \u{2192} ");
                part(arena, *target, to);
            }
            Some(Copy::Fill { target, word }) => {
                arena.push_str("fill ");
                slice(arena, target);
                let _ = write!(arena, " with {word:#x}");
            }
            None => arena.push_str("copy"),
        },
        NodeKind::Clear => {
            let Some(c) = table::<Clears>(world).and_then(|t| t.rows.get(row)) else { return };
            arena.push_str("clear ");
            let depth = match &c.target {
                ClearTarget::Attachment(set, slot) => {
                    let set = table::<States>(world).and_then(|s| s.targets.get(*set));
                    let attachment = set.and_then(|s| match slot {
                        8 => s.depth.as_ref(),
                        slot => s.color.get(usize::from(*slot)).and_then(Option::as_ref),
                    });
                    match attachment {
                        Some(a) => attachment_name(arena, world, a),
                        None => arena.push_str("an attachment that is not there"),
                    }
                    *slot == 8
                }
                ClearTarget::Image(id, to) => {
                    part(arena, *id, to);
                    c.aspects.0 > 1
                }
            };
            arena.push_str(" to ");
            if depth {
                let _ = write!(arena, "{}, stencil {}", f32::from_bits(c.value[0]), c.value[1]);
            } else {
                words::value_words(arena, c.value, c.class);
                if c.mask != 0xf {
                    arena.push_str(" in ");
                    words::mask_words(arena, u32::from(c.mask), 1);
                }
            }
        }
        NodeKind::Upload => match table::<Uploads>(world).and_then(|t| t.rows.get(row)) {
            Some(Upload::Buffer { target, .. }) => {
                arena.push_str("upload \u{2192} ");
                slice(arena, target);
            }
            Some(Upload::Image { target, part: to, .. }) => {
                arena.push_str("upload \u{2192} ");
                part(arena, *target, to);
            }
            None => arena.push_str("upload"),
        },
        NodeKind::Download => {
            arena.push_str("download ");
            let Some(d) = table::<Downloads>(world).and_then(|t| t.rows.get(row)) else { return };
            if let Some(from) = &d.buffer {
                slice(arena, from);
            }
            if let Some((id, from)) = &d.image {
                part(arena, *id, from);
            }
        }
        NodeKind::Barrier => {
            arena.push_str("game barrier: ");
            let bits = table::<GameBarriers>(world).and_then(|t| t.rows.get(row)).copied().unwrap_or_default();
            words::game_barrier_words(arena, bits);
        }
        NodeKind::Signal => arena.push_str("signal"),
        NodeKind::Present => {
            arena.push_str("present ");
            if let Some(p) = table::<Presents>(world).and_then(|t| t.rows.get(row)) {
                name(arena, p.source);
                let [w, h] = p.extent;
                let _ = write!(arena, " {w}\u{d7}{h}{}", if p.flip { ", rows turned" } else { "" });
            }
        }
        NodeKind::Overlay => arena.push_str("overlay"),
    }
}
