//! How a draw that reads its own targets gets the content from before it.
//!
//! Maxwell reads the old content, whatever the draw writes. On the PC, cheapest first:
//! - *read-only*: nothing in the pass writes what is read. Depth goes to its read-only layout; a colour target that every draw of the pass masks off is
//!   detached and read like any texture. If a later draw of the pass does write it, the pass ends before that draw.
//! - *split*: the draw does not write it, but draws before it in this pass did. The draw begins a new pass, where it is read-only.
//! - *layout*: the draw writes what it reads, and reads only the texel under each fragment. A feedback layout allows that; a barrier by region precedes the draw
//!   if the pass has written the target before.
//! - *snapshot*: as before, where a fragment may read what others write, or the device has no such layout. The pass ends, the part that is read is copied, and
//!   the draw reads the copy.
//!
//! A draw that reads an image over the same storage as a target begins a new pass if the target was written.
//!
//! Seen when wrong: 16×16 blocks of garbage in decals, water, glass.
//! Rows: M-1.9b, R-038a, R-038d.  Proof: verifier, hostile executor.  Cost: nothing without loops; else a look at the draws.

use super::detect_feedback_loops::{DEPTH_SLOT, slots_written};
use crate::rule::{Kind, Rule, Switches};
use crate::state::shader_store::{GRAPHICS, ShaderStore};
use bevy_ecs::prelude::*;
use framegraph::barriers::LOOP_USES;
use framegraph::caps::DeviceCaps;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{NodeId, ResourceId, Rows, StateId};
use framegraph::resource::{
    ImageDesc, Label, Layout, Part, PhysicalRange, ResourceFlags, ResourceKind, ResourcePool, Storage,
};
use framegraph::resource_table::{ResourceTable, Shape, facts_of};
use framegraph::schedule::Phase;
use framegraph::state::{Stage, StageSet, Subresources};
use framegraph::tables::{
    Accesses, BindSource, Bindings, ClearTarget, Clears, CommandOrder, Copies, Copy, Draws, FeedbackLoop,
    FeedbackLoops, FeedbackPlan, NodeKind, Nodes, States, node_flags, uses,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "resolve_feedback_loops",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["M-1.9b", "R-038a", "R-038d"],
    after: &["detect_feedback_loops", "split_on_fragment_order"],
    off_means: "textures are bound as they are while they are attached: no barrier, no copy, no split",
    knobs: &["M-1.9b", "R-038a", "R-038d"],
};

/// Copies of attachments, by the image they copy. They live as long as that image has the same description.
#[derive(Debug, Default, Resource)]
pub struct FeedbackSnapshots {
    rows: Vec<(ResourceId, ImageDesc, ResourceId)>,
}

impl FeedbackSnapshots {
    /// The copies: of which image, with which description, in which image.
    #[must_use]
    pub fn rows(&self) -> &[(ResourceId, ImageDesc, ResourceId)] {
        &self.rows
    }

    /// Adds a copy that is brought back.
    pub fn add(&mut self, source: ResourceId, desc: ImageDesc, copy: ResourceId) {
        self.rows.push((source, desc, copy));
    }
}

/// The components of a resource that a snapshot sets.
pub type SnapshotQuery<'w, 's> =
    Query<'w, 's, (&'static mut Storage, &'static mut ResourceKind, &'static mut ResourceFlags, &'static mut Label)>;

/// What the open pass has done so far.
struct Open {
    targets: StateId,
    /// Slots written since the pass began.
    written: u16,
    /// By kind of read: slots written since the last barrier by region that such reads wait at.
    unsynced: [u16; KINDS],
    /// Slots that some draw reads in a read-only way.
    read_only: u16,
}

/// Kinds of read that a barrier by region names apart: sampled and from storage, by each of six stages.
const KINDS: usize = 12;

const NOTHING: Open = Open { targets: StateId::NONE, written: 0, unsynced: [0; KINDS], read_only: 0 };

/// The kinds of read of some uses by some stages, as bits.
fn kinds(used: u32, stages: StageSet) -> u16 {
    let stages = u16::from(stages & 0x3f);
    let of = |bit: u32, shift: u32| if used & bit != 0 { stages << shift } else { 0 };
    of(uses::SAMPLED, 0) | of(uses::STORAGE_READ, 6)
}

impl Open {
    /// Whether reads of these kinds see some of these slots as they were before the last barrier for them.
    fn is_stale(&self, kinds: u16, slots: u16) -> bool {
        (0..KINDS).any(|kind| kinds >> kind & 1 == 1 && self.unsynced[kind] & slots != 0)
    }

    /// A barrier by region before a node: it names what the node reads, and nothing else.
    fn sync(&mut self, accesses: &Accesses, table: &ResourceTable, rows: Rows) {
        let (mut used, mut stages) = (0, 0);
        for row in rows.range() {
            if table.get(accesses.resource[row]).shape == Shape::Image {
                used |= accesses.uses[row] & LOOP_USES;
                stages |= if accesses.uses[row] & LOOP_USES != 0 { accesses.stages[row] } else { 0 };
            }
        }
        let kinds = kinds(used, stages);
        for kind in (0..KINDS).filter(|kind| kinds >> kind & 1 == 1) {
            self.unsynced[kind] = 0;
        }
    }
}

/// Sets the plan of each row of [`FeedbackLoops`], the flags `PASS_BREAK` and `SELF_BARRIER`, and inserts copies.
#[allow(clippy::too_many_arguments, clippy::too_many_lines)]
pub fn resolve_feedback_loops(
    order: Res<CommandOrder>,
    clears: Res<Clears>,
    (caps, switches, store): (Res<DeviceCaps>, Res<Switches>, Option<Res<ShaderStore>>),
    (mut nodes, mut draws, mut copies): (ResMut<Nodes>, ResMut<Draws>, ResMut<Copies>),
    (mut bindings, mut states): (ResMut<Bindings>, ResMut<States>),
    mut accesses: ResMut<Accesses>,
    mut loops: ResMut<FeedbackLoops>,
    (mut pool, mut table, mut resources): (ResMut<ResourcePool>, ResMut<ResourceTable>, SnapshotQuery),
    mut snapshots: ResMut<FeedbackSnapshots>,
    mut decisions: ResMut<Decisions>,
) {
    if loops.rows.is_empty() {
        return;
    }
    if !switches.on(&RULE) || switches.knob("M-1.9b") || switches.knob("R-038a") {
        loops.rows.iter_mut().for_each(|row| row.plan = FeedbackPlan::Naive);
        return;
    }
    let always_copy = switches.knob("R-038d");
    let mut open = NOTHING;
    let mut next = 0;
    // What the last draw wrote and to what: another like it changes nothing here.
    let mut last = None;
    for at in 0..order.nodes.len() {
        let node = order.nodes[at];
        let n = node.index();
        if nodes.flags[n] & node_flags::SKIPPED != 0 {
            continue;
        }
        let like = (nodes.kind[n] == NodeKind::Draw).then(|| {
            let d = nodes.payload[n] as usize;
            (draws.targets[d], draws.write_mask[d], draws.depth[d])
        });
        let reads = loops.rows.get(next).is_some_and(|row| row.node == node);
        if like.is_some() && like == last && !reads && nodes.flags[n] & node_flags::PASS_BREAK == 0 {
            continue;
        }
        last = like.filter(|_| !reads);
        let (targets, written) = match nodes.kind[n] {
            NodeKind::Barrier => continue,
            NodeKind::Draw => {
                let d = nodes.payload[n] as usize;
                (
                    draws.targets[d],
                    slots_written(&accesses, 0..0, draws.write_mask[d]) | depth_written(&states, &draws, d),
                )
            }
            NodeKind::Clear => match clears.rows[nodes.payload[n] as usize].target {
                ClearTarget::Attachment(targets, slot) => (targets, 1 << slot.min(8)),
                ClearTarget::Image(..) => (StateId::NONE, 0),
            },
            _ => (StateId::NONE, 0),
        };
        if targets != open.targets || nodes.flags[n] & node_flags::PASS_BREAK != 0 {
            open = Open { targets, ..NOTHING };
        }
        if written & open.read_only != 0 {
            nodes.flags[n] |= node_flags::PASS_BREAK;
            open = Open { targets, ..NOTHING };
            decisions.push(
                RULE.name,
                Subject::Node(node),
                Verdict::Changed,
                "a pass begins here: draws before it read a target that this node writes",
                [],
            );
        }
        while let Some(&row) = loops.rows.get(next).filter(|row| row.node == node) {
            // An image over the same storage is another image on the host: what it shows comes by copies, which a pass of its own leaves room for.
            let other_image = !states.targets.get(targets).is_some_and(|set| {
                set.color.iter().chain([&set.depth]).flatten().any(|a| a.view.resource == row.resource)
            });
            let plan = if other_image {
                if row.slots & open.written != 0 { FeedbackPlan::Split } else { FeedbackPlan::ReadOnly }
            } else if always_copy {
                FeedbackPlan::Snapshot
            } else if row.written {
                let d = nodes.payload[n] as usize;
                let apart = store
                    .as_ref()
                    .is_some_and(|store| reads_elsewhere(store, &draws, &bindings, &states, d, row.resource));
                if caps.feedback_layout && !apart { FeedbackPlan::Layout } else { FeedbackPlan::Snapshot }
            } else if row.slots & open.written != 0 {
                FeedbackPlan::Split
            } else {
                FeedbackPlan::ReadOnly
            };
            let taken = match plan {
                FeedbackPlan::Split => {
                    nodes.flags[n] |= node_flags::PASS_BREAK;
                    open = Open { targets, read_only: if other_image { 0 } else { row.slots }, ..NOTHING };
                    plan
                }
                FeedbackPlan::ReadOnly => {
                    open.read_only |= if other_image { 0 } else { row.slots };
                    plan
                }
                FeedbackPlan::Snapshot => {
                    let mut place = Placing {
                        nodes: &mut nodes,
                        draws: &mut draws,
                        copies: &mut copies,
                        bindings: &mut bindings,
                        states: &mut states,
                        accesses: &mut accesses,
                        pool: &mut pool,
                        table: &mut table,
                        resources: &mut resources,
                        snapshots: &mut snapshots,
                    };
                    if place.snapshot(&row, next as u16) {
                        open = Open { targets, ..NOTHING };
                        plan
                    } else {
                        FeedbackPlan::Layout
                    }
                }
                _ => plan,
            };
            let access = row.access as usize;
            if taken == FeedbackPlan::Layout
                && open.is_stale(kinds(accesses.uses[access], accesses.stages[access]), row.slots)
            {
                nodes.flags[n] |= node_flags::SELF_BARRIER;
                open.sync(&accesses, &table, nodes.accesses[n]);
            }
            decide(&mut decisions, &row, taken, plan);
            loops.rows[next].plan = taken;
            next += 1;
        }
        open.written |= written;
        open.unsynced.iter_mut().for_each(|slots| *slots |= written);
    }
    table.find_overlaps();
}

/// Whether a draw samples an image at other places than the texel under each fragment.
fn reads_elsewhere(
    store: &ShaderStore,
    draws: &Draws,
    bindings: &Bindings,
    states: &States,
    draw: usize,
    image: ResourceId,
) -> bool {
    bindings.rows.get(draws.bindings[draw].range()).unwrap_or_default().iter().any(|binding| {
        let BindSource::Texture(view, _) = binding.source else { return false };
        let stage = GRAPHICS.iter().position(|stage| *stage == binding.stage);
        states.views.get(view).is_some_and(|key| key.resource == image)
            && stage.and_then(|n| store.facts(draws.programs[draw][n])).is_some_and(|facts| {
                binding.stage != Stage::Fragment || facts.reads_elsewhere >> (binding.slot & 31) & 1 != 0
            })
    })
}

/// Depth slot, if a draw changes depth or stencil.
fn depth_written(states: &States, draws: &Draws, draw: usize) -> u16 {
    let changes = states.depth.get(draws.depth[draw]).is_some_and(|state| {
        use framegraph::state::StencilOp::Keep;
        (state.write && state.test.is_some())
            || state.stencil.is_some_and(|faces| {
                faces.iter().any(|f| f.write_mask != 0 && (f.fail, f.depth_fail, f.pass) != (Keep, Keep, Keep))
            })
    });
    if changes { DEPTH_SLOT } else { 0 }
}

fn decide(decisions: &mut Decisions, row: &FeedbackLoop, taken: FeedbackPlan, wanted: FeedbackPlan) {
    let words = match taken {
        FeedbackPlan::ReadOnly => {
            "reads {0} while attached: nothing in the pass writes it, so a read-only layout serves"
        }
        FeedbackPlan::Split => "reads {0}, which the pass has written so far: a new pass begins here and only reads it",
        FeedbackPlan::Layout => "reads {0} and writes it: feedback layout, by-region barrier after earlier writes",
        FeedbackPlan::Snapshot => "reads {0} and writes it: reads a copy taken before the draw",
        FeedbackPlan::None | FeedbackPlan::Naive => return,
    };
    decisions.push(RULE.name, Subject::Node(row.node), Verdict::Changed, words, [Evidence::Resource(row.resource)]);
    if taken != wanted {
        decisions.push(
            RULE.name,
            Subject::Node(row.node),
            Verdict::Degraded,
            "no image was at hand for a copy of {0}: the feedback layout is used instead",
            [Evidence::Resource(row.resource)],
        );
    }
}

/// Everything that placing a snapshot changes.
struct Placing<'a, 'w, 's> {
    nodes: &'a mut Nodes,
    draws: &'a mut Draws,
    copies: &'a mut Copies,
    bindings: &'a mut Bindings,
    states: &'a mut States,
    accesses: &'a mut Accesses,
    pool: &'a mut ResourcePool,
    table: &'a mut ResourceTable,
    resources: &'a mut SnapshotQuery<'w, 's>,
    snapshots: &'a mut FeedbackSnapshots,
}

impl Placing<'_, '_, '_> {
    /// The image that holds copies of `source`.
    fn image(&mut self, source: ResourceId) -> Option<(ImageDesc, ResourceId)> {
        let (storage, kind, _, label) = self.resources.get(self.pool.entity(source)?).ok()?;
        let ResourceKind::Image(desc) = *kind else { return None };
        if let Some((.., copy)) = self.snapshots.rows.iter().find(|(id, d, _)| *id == source && *d == desc) {
            let (_, _, mut flags, _) = self.resources.get_mut(self.pool.entity(*copy)?).ok()?;
            flags.0 &= !ResourceFlags::NEW;
            return Some((desc, *copy));
        }
        let (length, name) = (storage.range.length, format!("copy of {}", label.0));
        // A snapshot of an older description of this image gives its id to the new one.
        let old = self.snapshots.rows.iter().position(|(id, ..)| *id == source);
        let copy = match old {
            Some(row) => self.snapshots.rows.swap_remove(row).2,
            None => self.pool.take_free()?,
        };
        let (mut storage, mut kind, mut flags, mut label) = self.resources.get_mut(self.pool.entity(copy)?).ok()?;
        *storage =
            Storage { range: PhysicalRange { pool: PhysicalRange::HOST + copy.0, offset: 0, length }, generation: 0 };
        *kind = ResourceKind::Image(desc);
        *flags = ResourceFlags(ResourceFlags::HOST_OWNED | ResourceFlags::NEW);
        label.0 = name;
        self.table.set(copy, facts_of(&storage, &kind, *flags));
        self.snapshots.rows.push((source, desc, copy));
        Some((desc, copy))
    }

    /// Inserts the copy before the draw and makes the draw read it. Returns whether there was an image for it.
    fn snapshot(&mut self, row: &FeedbackLoop, ordinal: u16) -> bool {
        let Part::Image(part) = self.accesses.part[row.access as usize] else { return false };
        let Some((desc, copy)) = self.image(row.resource) else { return false };
        let seq = self.nodes.seq[row.node.index()];
        let all = desc.all();
        let part = Subresources { aspects: all.aspects, ..part };
        for level in part.base_level..part.base_level + part.levels {
            let [width, height, depth] = desc.level_extent(level);
            let one = Subresources { base_level: level, levels: 1, ..part };
            let payload = self.copies.rows.len() as u32;
            self.copies.rows.push(Copy::Image {
                source: row.resource,
                source_part: one,
                source_offset: [0; 3],
                target: copy,
                target_part: one,
                target_offset: [0; 3],
                extent: [width, height, depth],
            });
            let node = self.nodes.push(NodeKind::Copy, seq.before(ordinal), payload, node_flags::INSERTED);
            let start = self.accesses.len() as u32;
            self.accesses.push(node, row.resource, Part::Image(one), uses::COPY_READ, 0, Layout::CopySource);
            self.accesses.push(node, copy, Part::Image(one), uses::COPY_WRITE, 0, Layout::CopyTarget);
            self.nodes.accesses[node.index()] = Rows { start, len: 2 };
        }
        self.accesses.resource[row.access as usize] = copy;
        if self.accesses.layout[row.access as usize] != Layout::General {
            self.accesses.layout[row.access as usize] = Layout::Sampled;
        }
        self.nodes.flags[row.node.index()] |= node_flags::PASS_BREAK;
        self.rebind(row.node, row.resource, copy);
        true
    }

    /// Gives the draw bindings of its own, in which views of `from` are views of `to`.
    fn rebind(&mut self, node: NodeId, from: ResourceId, to: ResourceId) {
        let d = self.nodes.payload[node.index()] as usize;
        let old = self.draws.bindings[d];
        let start = self.bindings.rows.len() as u32;
        for at in old.range() {
            let mut binding = self.bindings.rows[at];
            let view = match &mut binding.source {
                BindSource::Texture(view, _) | BindSource::Image(view) => Some(view),
                _ => None,
            };
            if let Some(view) = view
                && let Some(key) = self.states.views.get(*view).copied()
                && key.resource == from
            {
                *view = self.states.views.intern(&framegraph::state::ViewKey { resource: to, ..key });
            }
            self.bindings.rows.push(binding);
        }
        self.draws.bindings[d] = Rows { start, len: old.len };
    }
}
