//! Draws with equal targets become a pass.
//!
//! Maxwell has no passes: a draw renders to whatever is bound. The PC wants draws grouped between a begin and an end, and pays for each group. So draws and
//! attachment clears that follow one another with equal targets form one pass; anything that cannot run inside a pass (dispatch, copy, upload, present, signal)
//! ends it, and so does a node that an earlier rule marked as the start of a pass. A clear between draws stays where it is, inside the pass.
//!
//! A colour target that some draw of the pass reads and no draw of it writes is detached from the pass: it is a texture there.
//!
//! Seen when wrong: a clear that wipes what was drawn before it; a copy in the middle of a pass that sees the pass's end.
//! Rows: M-1.3d, R-087.  Cost: one look per node, and one set of components per pass.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{NodeId, PassId, Rows, Seq, StateId};
use framegraph::pass::{LoadOp, PassArea, PassFlags, PassOps, PassOrder, PassPool, PassRows, PassTargets};
use framegraph::resource::Layout;
use framegraph::schedule::Phase;
use framegraph::state::{AttachmentSet, NumericClass};
use framegraph::tables::{
    Accesses, Clear, ClearTarget, Clears, CommandOrder, Draws, FeedbackLoops, FeedbackPlan, NodeKind, Nodes,
    PassMembers, States, node_flags, uses,
};

use std::ops::Range;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "form_passes",
    phase: Phase::Passes,
    kind: Kind::Correctness,
    rows: &["M-1.3d", "R-087"],
    after: &["resolve_feedback_loops", "split_on_fragment_order", "bare_pass_area"],
    off_means: "cannot be off: draws run in passes only",
    knobs: &["M-1.3d"],
};

/// A pass before it has an entity.
#[derive(Debug, Clone, Copy)]
struct Draft {
    targets: StateId,
    bare: [u32; 2],
    rows: Rows,
    seq: Seq,
    flags: u32,
    repeat: u32,
    /// With the mutant of M-1.3d: the clear that became this pass's load operation.
    clear: NodeId,
}

/// Passes of the part before they have entities, kept between parts for their memory.
#[derive(Debug, Default, Resource)]
pub struct PassDrafts {
    rows: Vec<Draft>,
    repeats: Vec<u32>,
    /// Whether the last of them may go on.
    open: bool,
}

impl PassDrafts {
    /// Adds nodes with the same targets and area to the open pass, or to a new one. `clear`: they are clears, which become load operations or not.
    fn add(
        &mut self,
        nodes: &mut Nodes,
        members: &mut Vec<NodeId>,
        range: Range<usize>,
        (targets, bare): (StateId, [u32; 2]),
        clear: Option<bool>,
        flags: u32,
    ) {
        let joins = self.open
            && flags & node_flags::PASS_BREAK == 0
            && self.rows.last().is_some_and(|d| d.targets == targets && (d.bare == bare || clear.is_some()));
        if !joins {
            let repeat = self.repeats.get_mut(targets.index()).map_or(0, |count| {
                *count += 1;
                *count - 1
            });
            self.rows.push(Draft {
                targets,
                bare,
                rows: Rows { start: members.len() as u32, len: 0 },
                seq: nodes.seq[range.start],
                flags: PassFlags::LIVE | PassFlags::CLEARS_ONLY,
                repeat,
                clear: if clear == Some(true) { NodeId(range.start as u32) } else { NodeId::NONE },
            });
            self.open = true;
        }
        let pass = PassId(self.rows.len() as u32 - 1);
        if let Some(draft) = self.rows.last_mut() {
            draft.rows.len += range.len() as u32;
            if clear.is_none() {
                draft.flags &= !PassFlags::CLEARS_ONLY;
            }
            if flags & node_flags::FEEDBACK != 0 {
                draft.flags |= PassFlags::FEEDBACK;
            }
        }
        nodes.pass[range.clone()].fill(pass);
        members.extend((range.start as u32..range.end as u32).map(NodeId));
    }
}

/// What [`form_passes`] reads and writes.
#[derive(SystemParam)]
pub struct FormPasses<'w, 's> {
    order: Res<'w, CommandOrder>,
    draws: Res<'w, Draws>,
    clears: Res<'w, Clears>,
    states: Res<'w, States>,
    loops: Res<'w, FeedbackLoops>,
    switches: Res<'w, Switches>,
    nodes: ResMut<'w, Nodes>,
    accesses: ResMut<'w, Accesses>,
    members: ResMut<'w, PassMembers>,
    drafts: ResMut<'w, PassDrafts>,
    pool: ResMut<'w, PassPool>,
    decisions: ResMut<'w, Decisions>,
    passes: Query<
        'w,
        's,
        (
            &'static mut PassTargets,
            &'static mut PassRows,
            &'static mut PassArea,
            &'static mut PassOps,
            &'static mut PassOrder,
            &'static mut PassFlags,
        ),
    >,
}

/// The operations of a clear as the load operation of its attachment.
pub(crate) fn fold(ops: &mut PassOps, clear: &Clear, slot: u8) {
    use framegraph::state::Aspects;
    let load = LoadOp::Clear(clear.value);
    if slot < 8 {
        ops.color[usize::from(slot)].0 = load;
        return;
    }
    if clear.aspects.intersects(Aspects::DEPTH) {
        ops.depth.0 = load;
    }
    if clear.aspects.intersects(Aspects::STENCIL) {
        ops.stencil.0 = load;
    }
    debug_assert!(clear.class == NumericClass::Float || slot < 8);
}

/// Area of a pass: what all its attachments have.
#[must_use]
pub fn area(set: &AttachmentSet, bare: [u32; 2]) -> PassArea {
    let mut area: Option<PassArea> = None;
    for attachment in set.color.iter().chain([&set.depth]).flatten() {
        let layers = attachment.view.part.layers.max(1);
        area = Some(area.map_or(PassArea { extent: attachment.extent, layers }, |a| PassArea {
            extent: [a.extent[0].min(attachment.extent[0]), a.extent[1].min(attachment.extent[1])],
            layers: a.layers.min(layers),
        }));
    }
    // One layer until `layer_writers_get_layers` has looked.
    PassArea { layers: 1, ..area.unwrap_or(PassArea { extent: bare, layers: 1 }) }
}

impl FormPasses<'_, '_> {
    fn draft(&mut self) {
        let clear_closes = self.switches.knob("M-1.3d");
        let Self { order, draws, clears, states, nodes, members, drafts, .. } = self;
        let (draws, clears, nodes) = (&**draws, &**clears, &mut **nodes);
        let (members, drafts) = (&mut members.rows, &mut **drafts);
        members.clear();
        drafts.rows.clear();
        drafts.repeats.clear();
        drafts.repeats.resize(states.targets.values().len(), 0);
        drafts.open = false;
        for stretch in &order.stretches {
            match stretch.kind {
                NodeKind::Barrier => {}
                NodeKind::Draw => {
                    let mut rest = stretch.nodes();
                    while let Some(n) = rest.next() {
                        let flags = nodes.flags[n];
                        if flags & node_flags::SKIPPED != 0 {
                            continue;
                        }
                        let d = nodes.payload[n] as usize;
                        let (targets, bare) = (draws.targets[d], draws.bare_area[d]);
                        // Draws behind it that are like it go where it goes.
                        let special = node_flags::SKIPPED | node_flags::PASS_BREAK | node_flags::FEEDBACK;
                        let mut end = n + 1;
                        while end < rest.end
                            && draws.targets[d + end - n] == targets
                            && draws.bare_area[d + end - n] == bare
                            && nodes.flags[end] & special == 0
                        {
                            end += 1;
                        }
                        rest.start = end;
                        drafts.add(nodes, members, n..end, (targets, bare), None, flags);
                    }
                }
                NodeKind::Clear => {
                    for n in stretch.nodes() {
                        let mut flags = nodes.flags[n];
                        if flags & node_flags::SKIPPED != 0 {
                            continue;
                        }
                        let ClearTarget::Attachment(targets, _) = clears.rows[nodes.payload[n] as usize].target else {
                            drafts.open = false;
                            continue;
                        };
                        if clear_closes {
                            nodes.flags[n] |= node_flags::PASS_BREAK;
                            flags |= node_flags::PASS_BREAK;
                        }
                        drafts.add(nodes, members, n..n + 1, (targets, [0; 2]), Some(clear_closes), flags);
                    }
                }
                _ => {
                    let runs = |n: usize| nodes.flags[n] & node_flags::SKIPPED == 0;
                    drafts.open &= !stretch.nodes().any(runs);
                }
            }
        }
    }

    fn write(&mut self) {
        self.pool.live = self.drafts.rows.len() as u32;
        let mut next_loop = 0;
        for (number, draft) in self.drafts.rows.iter().enumerate() {
            let Some(entity) = self.pool.entity(PassId(number as u32)) else { continue };
            let Ok((mut targets, mut rows, mut place, mut ops, mut order, mut flags)) = self.passes.get_mut(entity)
            else {
                continue;
            };
            let mut set = self.states.targets.get(draft.targets).copied().unwrap_or_default();
            if draft.flags & PassFlags::FEEDBACK != 0 {
                let members = &self.members.rows[draft.rows.range()];
                detach(
                    PassId(number as u32),
                    &mut set,
                    members,
                    &self.loops,
                    &mut next_loop,
                    &self.nodes,
                    &self.draws,
                    &self.clears,
                    &mut self.accesses,
                    &mut self.decisions,
                );
            }
            *place = area(&set, draft.bare);
            targets.0 = set;
            rows.0 = draft.rows;
            *ops = PassOps::default();
            *order = PassOrder { seq: draft.seq, order: number as u32, repeat: draft.repeat };
            flags.0 = draft.flags;
            if draft.clear.is_some() {
                let clear = &self.clears.rows[self.nodes.payload[draft.clear.index()] as usize];
                if let ClearTarget::Attachment(_, slot) = clear.target {
                    fold(&mut ops, clear, slot);
                    self.nodes.flags[draft.clear.index()] |= node_flags::FOLDED;
                }
            }
        }
    }
}

/// Detaches colour slots that a draw of the pass reads and that none of its nodes writes.
#[allow(clippy::too_many_arguments)]
fn detach(
    pass: PassId,
    set: &mut AttachmentSet,
    members: &[NodeId],
    loops: &FeedbackLoops,
    next: &mut usize,
    nodes: &Nodes,
    draws: &Draws,
    clears: &Clears,
    accesses: &mut Accesses,
    decisions: &mut Decisions,
) {
    let mut read = 0u16;
    for &member in members {
        while let Some(row) = loops.rows.get(*next).filter(|row| row.node == member) {
            if matches!(row.plan, FeedbackPlan::ReadOnly | FeedbackPlan::Split) {
                for slot in (0..8).filter(|slot| row.slots >> slot & 1 == 1) {
                    let same = set.color[slot].is_some_and(|a| a.view.resource == row.resource);
                    read |= u16::from(same) << slot;
                }
            }
            *next += 1;
        }
    }
    let mut written = 0u16;
    for &member in members {
        let payload = nodes.payload[member.index()] as usize;
        match nodes.kind[member.index()] {
            NodeKind::Draw => {
                for slot in 0..8 {
                    written |= u16::from(draws.write_mask[payload] >> (slot * 4) & 0xf != 0) << slot;
                }
            }
            _ => {
                if let ClearTarget::Attachment(_, slot) = clears.rows[payload].target {
                    written |= 1 << slot.min(8);
                }
            }
        }
    }
    for slot in 0..8 {
        // With one slot detached, the others that nothing writes go too: a masked target behind a hole gains nothing, and software drivers were
        // seen to write it.
        if read & !written == 0 || written >> slot & 1 == 1 {
            continue;
        }
        let Some(attachment) = set.color[slot].take() else { continue };
        let id = attachment.view.resource;
        let why = if read >> slot & 1 == 1 {
            "target {0} ({1}) is detached: the pass reads it and writes none of it"
        } else {
            "target {0} ({1}) is detached: the pass writes none of it"
        };
        let evidence = [Evidence::Number(slot as i64), Evidence::Resource(id)];
        decisions.push(RULE.name, Subject::Pass(pass), Verdict::Changed, why, evidence);
        for &member in members {
            for row in nodes.accesses[member.index()].range() {
                if accesses.resource[row] == id && accesses.uses[row] == uses::COLOR_READ {
                    accesses.uses[row] = 0;
                    accesses.layout[row] = Layout::Undefined;
                }
            }
        }
    }
}

/// Forms the passes of the part: [`PassMembers`], the pass entities, [`Nodes::pass`].
///
/// Exclusive only so that the pool of pass entities can grow when a part has more passes than any before it.
pub fn form_passes(world: &mut World, state: &mut SystemState<FormPasses>) {
    let Ok(mut params) = state.get_mut(world) else { return };
    params.draft();
    let (needed, have) = (params.drafts.rows.len(), params.pool.capacity());
    if needed > have {
        PassPool::reserve(world, needed + needed / 2 + 16);
    }
    if let Ok(mut params) = state.get_mut(world) {
        params.write();
    }
}
