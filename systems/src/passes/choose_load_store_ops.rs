//! What need not be stored is not stored.
//!
//! By default every attachment is loaded and stored. A pass that writes nothing of an attachment need not store it. A store may be dropped where the content is proved
//! dead: later in the same part the whole of it is replaced before anybody reads it, no other description shares its bytes, and the CPU does not read
//! them. The next frame counts as a reader, so nothing is dropped at the end of a part.
//!
//! Changes no pixel. Rows: none of its own (M-1.9a, M-2.3a and R-019 would show it wrong).  Cost: one walk backwards over passes and accesses.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{PassId, ResourceId};
use framegraph::pass::{LoadOp, PassOps, PassPool, PassRows, PassTargets, StoreOp};
use framegraph::passes::{Fate, is_dead};
use framegraph::resource::{Part, ResourceFlags};
use framegraph::resource_table::{ResourceTable, Shape};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Attachment};
use framegraph::tables::{Accesses, CommandOrder, Nodes, PassMembers, node_flags, uses};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "choose_load_store_ops",
    phase: Phase::Passes,
    kind: Kind::Optimisation,
    rows: &[],
    after: &["fold_lazy_clears"],
    off_means: "every attachment is loaded and stored",
    knobs: &[],
};

/// Working memory, kept between parts.
#[derive(Debug, Default, Resource)]
pub struct FateScratch {
    fates: Vec<Fate>,
    done: Vec<bool>,
    /// Accesses of the pass at hand.
    rows: Vec<usize>,
}

/// Sets the store operations of [`PassOps`].
#[allow(clippy::too_many_arguments)]
pub fn choose_load_store_ops(
    order: Res<CommandOrder>,
    nodes: Res<Nodes>,
    accesses: Res<Accesses>,
    table: Res<ResourceTable>,
    pool: Res<PassPool>,
    members: Res<PassMembers>,
    switches: Res<Switches>,
    mut passes: Query<(&PassTargets, &PassRows, &mut PassOps)>,
    mut scratch: ResMut<FateScratch>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) {
        return;
    }
    let s = &mut *scratch;
    s.fates.clear();
    s.fates.resize(table.len(), Fate::Unknown);
    s.done.clear();
    s.done.resize(pool.live as usize, false);
    let mut last = PassId::NONE;
    for &node in order.nodes.iter().rev() {
        let n = node.index();
        if last.is_some() && nodes.pass[n] == last {
            continue;
        }
        if nodes.flags[n] & node_flags::SKIPPED != 0 {
            continue;
        }
        let pass = nodes.pass[n];
        let Some(done) = s.done.get_mut(pass.index()) else {
            for row in nodes.accesses[n].range() {
                used(&mut s.fates, &accesses, row);
            }
            continue;
        };
        // A pass counts where its last member stands: with joined passes this is the later place, which only keeps more.
        last = pass;
        if std::mem::replace(done, true) {
            continue;
        }
        let Some((targets, rows, mut ops)) = pool.entity(pass).and_then(|e| passes.get_mut(e).ok()) else { continue };
        s.rows.clear();
        for member in &members.rows[rows.0.range()] {
            let rows = nodes.accesses[member.index()];
            if rows.len != 0 {
                s.rows.extend(rows.range());
            }
        }
        store_ops(pass, &targets.0, &s.rows, &accesses, &table, &s.fates, &mut ops, &mut decisions);
        for row in &s.rows {
            used(&mut s.fates, &accesses, *row);
        }
        for (slot, attachment) in targets.0.color.iter().enumerate() {
            if let Some(attachment) = attachment
                && matches!(ops.color[slot].0, LoadOp::Clear(_) | LoadOp::DontCare)
                && is_whole(&table, attachment)
                && !sampled(&s.rows, &accesses, attachment.view.resource)
            {
                s.fates[attachment.view.resource.index()] = Fate::Replaced;
            }
        }
        if let Some(attachment) = &targets.0.depth
            && is_whole(&table, attachment)
            && !sampled(&s.rows, &accesses, attachment.view.resource)
        {
            let aspects = table.get(attachment.view.resource).aspects;
            let clears = |op: LoadOp| matches!(op, LoadOp::Clear(_) | LoadOp::DontCare);
            if (clears(ops.depth.0) || !aspects.intersects(Aspects::DEPTH))
                && (clears(ops.stencil.0) || !aspects.intersects(Aspects::STENCIL))
            {
                s.fates[attachment.view.resource.index()] = Fate::Replaced;
            }
        }
    }
}

fn used(fates: &mut [Fate], accesses: &Accesses, row: usize) {
    match fates.get_mut(accesses.resource[row].index()) {
        Some(fate) => *fate = Fate::Used,
        // An access to anything uses everything.
        None if accesses.part[row] == Part::Any => fates.fill(Fate::Used),
        None => {}
    }
}

fn is_whole(table: &ResourceTable, attachment: &Attachment) -> bool {
    let facts = table.get(attachment.view.resource);
    let part = facts.clamp(&attachment.view.part);
    facts.shape == Shape::Image && (part.levels, part.layers) == (facts.levels, facts.layers)
}

fn sampled(rows: &[usize], accesses: &Accesses, id: ResourceId) -> bool {
    let shader = uses::SAMPLED | uses::STORAGE_READ | uses::STORAGE_WRITE;
    rows.iter().any(|row| accesses.resource[*row] == id && accesses.uses[*row] & shader != 0)
}

#[allow(clippy::too_many_arguments)]
fn store_ops(
    pass: PassId,
    set: &framegraph::state::AttachmentSet,
    rows: &[usize],
    accesses: &Accesses,
    table: &ResourceTable,
    fates: &[Fate],
    ops: &mut PassOps,
    decisions: &mut Decisions,
) {
    let written = |id: ResourceId, aspect: Aspects| {
        rows.iter().any(|row| {
            accesses.resource[*row] == id && accesses.writes(*row) && accesses.part[*row].aspects().intersects(aspect)
        })
    };
    let mut choose = |attachment: &Attachment, aspect: Aspects, slot: i64, op: &mut (LoadOp, StoreOp)| {
        let id = attachment.view.resource;
        let facts = table.get(id);
        if op.0 == LoadOp::Load && !written(id, aspect) {
            op.1 = StoreOp::None;
            return;
        }
        let fate = fates.get(id.index()).copied().unwrap_or_default();
        let aliased = facts.aliased;
        let cpu = facts.flags & (ResourceFlags::CPU_READS | ResourceFlags::DISPLAY) != 0;
        if is_dead(fate, aliased, cpu) && is_whole(table, attachment) {
            op.1 = StoreOp::DontCare;
            decisions.push(
                RULE.name,
                Subject::Pass(pass),
                Verdict::Taken,
                "target {0} ({1}) is not stored: it is replaced before anybody reads it",
                [Evidence::Number(slot), Evidence::Resource(id)],
            );
        }
    };
    for (slot, attachment) in set.color.iter().enumerate() {
        if let Some(attachment) = attachment {
            choose(attachment, Aspects::COLOR, slot as i64, &mut ops.color[slot]);
        }
    }
    if let Some(attachment) = &set.depth {
        choose(attachment, Aspects::DEPTH, 8, &mut ops.depth);
        choose(attachment, Aspects::STENCIL, 8, &mut ops.stencil);
    }
}
