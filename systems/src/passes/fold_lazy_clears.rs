//! A clear that comes first becomes the load operation of its pass, or of the pass that uses its target next.
//!
//! Maxwell clears with a command between draws. The PC clears most cheaply while it loads an attachment. A clear may fold when it is the first thing that happens to
//! its attachment in the pass, and covers all of it: every texel, every layer, every component and stencil bit, unconditionally. An attachment larger than
//! the pass's area keeps its own clear, since a load operation stays inside the area.
//!
//! A pass of clears alone stores each target only for a later pass to load it. Such a clear goes on to the next pass that attaches the same view, as its load
//! operation, if nothing between the two has to see the cleared target: no copy, no draw that samples it, no other description of its bytes. What the pass of
//! clears attached without clearing it is then not attached at all.
//!
//! Changes no pixel. Unsafe variant for tests: a clear goes on although its target is read in between.
//! Rows: M-1.4b, M-1.3d (its clause on first clears), R-031.  Proof: verifier, stream checker.  Cost: a look at the clears that lead each pass; with passes of
//! clears alone, one walk over dependencies.

use super::form_passes::fold;
use super::merge_passes::units;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{NodeId, PassId, Rows};
use framegraph::pass::{LoadOp, PassArea, PassFlags, PassOps, PassPool, PassRows, PassTargets};
use framegraph::passes::{Obstacle, UnitGraph, is_raster_order};
use framegraph::resource::{Layout, Part};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Attachment, AttachmentSet, Subresources};
use framegraph::tables::{
    Accesses, Clear, ClearTarget, Clears, CommandOrder, Edges, NodeKind, Nodes, PassMembers, node_flags,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "fold_lazy_clears",
    phase: Phase::Passes,
    kind: Kind::Optimisation,
    rows: &["R-031"],
    after: &["merge_passes", "clear_large_attachments"],
    off_means: "clears run as commands inside their pass, and passes of clears alone stay passes",
    knobs: &["R-031"],
};

/// A clear on its way into a later pass.
#[derive(Debug, Clone, Copy)]
struct Move {
    clear: NodeId,
    from: PassId,
    into: PassId,
    /// The slot of its target there.
    slot: u8,
}

/// Working memory, kept between parts.
#[derive(Debug, Default, Resource)]
pub struct FoldScratch {
    /// Clears that may go on, the last in command order first.
    wanted: Vec<Move>,
    /// Those of the pass at hand.
    here: Vec<Move>,
    /// By pass: its clears have rows of their own, so each may leave.
    split: Vec<bool>,
    /// Clears that went on: pass, place in command order, clear.
    moved: Vec<(PassId, u32, NodeId)>,
    graph: UnitGraph,
    unit_of: Vec<u32>,
    pass_unit: Vec<u32>,
    unit_node: Vec<NodeId>,
}

/// What [`fold_lazy_clears`] reads and writes.
#[derive(SystemParam)]
pub struct FoldClears<'w, 's> {
    order: Res<'w, CommandOrder>,
    clears: Res<'w, Clears>,
    pool: Res<'w, PassPool>,
    switches: Res<'w, Switches>,
    nodes: ResMut<'w, Nodes>,
    accesses: ResMut<'w, Accesses>,
    edges: ResMut<'w, Edges>,
    members: ResMut<'w, PassMembers>,
    scratch: ResMut<'w, FoldScratch>,
    decisions: ResMut<'w, Decisions>,
    passes: Query<
        'w,
        's,
        (
            &'static mut PassTargets,
            &'static PassArea,
            &'static mut PassRows,
            &'static mut PassOps,
            &'static mut PassFlags,
        ),
    >,
}

fn attachment(set: &AttachmentSet, slot: u8) -> Option<&Attachment> {
    if slot < 8 { set.color[usize::from(slot)].as_ref() } else { set.depth.as_ref() }
}

/// The slot at which a set has this very attachment.
fn slot_of(set: &AttachmentSet, wanted: &Attachment) -> Option<u8> {
    (0..9).find(|slot| attachment(set, *slot) == Some(wanted))
}

/// Why a clear does not fold, or nothing if it does.
fn obstacle(clear: &Clear, targets: &PassTargets, area: &PassArea, slot: u8, candidate: bool) -> Option<&'static str> {
    let Some(attachment) = attachment(&targets.0, slot) else { return Some("its target is not attached") };
    let [width, height] = attachment.extent;
    if attachment.extent != area.extent {
        return Some("its target is larger than the area of the pass");
    }
    if attachment.view.part.layers.max(1) != area.layers {
        return Some("its target has layers that the pass does not render to");
    }
    if clear.rect != [0, 0, width as i32, height as i32] {
        return Some("it clears a part of its target");
    }
    if slot < 8 && clear.mask != 0xf {
        return Some("it clears some components only");
    }
    if slot >= 8 && clear.aspects.intersects(Aspects::STENCIL) && clear.stencil_mask != 0xff {
        return Some("it clears some stencil bits only");
    }
    (!candidate).then_some("it is conditional or was refused when it was lowered")
}

impl FoldClears<'_, '_> {
    /// The clear of a node and the slot that it clears, if it clears a target.
    fn clear(&self, node: NodeId) -> Option<(&Clear, u8)> {
        let n = node.index();
        let clear =
            self.clears.rows.get(self.nodes.payload[n] as usize).filter(|_| self.nodes.kind[n] == NodeKind::Clear)?;
        match clear.target {
            ClearTarget::Attachment(_, slot) => Some((clear, slot.min(8))),
            ClearTarget::Image(..) => None,
        }
    }

    /// Finds the clears that may go on into a later pass, as far as the passes themselves tell.
    fn find(&mut self) {
        let live = self.pool.live;
        self.scratch.wanted.clear();
        self.scratch.split.clear();
        self.scratch.split.resize(live as usize, false);
        for number in (0..live).rev() {
            let from = PassId(number);
            let Some((targets, rows, flags)) = self
                .pool
                .entity(from)
                .and_then(|e| self.passes.get(e).ok())
                .map(|(targets, _, rows, _, flags)| (targets.0, rows.0, *flags))
            else {
                continue;
            };
            if !flags.has(PassFlags::LIVE | PassFlags::CLEARS_ONLY) {
                continue;
            }
            self.scratch.here.clear();
            for at in rows.range().rev() {
                let node = self.members.rows[at];
                if self.nodes.flags[node.index()] & (node_flags::SKIPPED | node_flags::FOLDED) != 0 {
                    continue;
                }
                let Some(wanted) = self.clear(node).and_then(|(_, slot)| attachment(&targets, slot)) else { continue };
                let next = (number + 1..live).map(PassId).find_map(|id| {
                    let (set, _, _, _, flags) = self.passes.get(self.pool.entity(id)?).ok()?;
                    let open = flags.has(PassFlags::LIVE) && !self.scratch.split[id.index()];
                    slot_of(&set.0, wanted).filter(|_| open).map(|slot| (id, slot))
                });
                let Some((into, slot)) = next else { continue };
                if let Some(why) = self.in_the_way(node, into, slot) {
                    let evidence = [Evidence::Pass(into), Evidence::Text(why)];
                    self.refuse(node, "stays apart from {0}, which attaches its target next: {1}", evidence);
                    continue;
                }
                self.scratch.here.push(Move { clear: node, from, into, slot });
            }
            if !self.scratch.here.is_empty() && self.split(from, &targets, rows) {
                self.scratch.split[number as usize] = true;
                let s = &mut *self.scratch;
                s.wanted.extend_from_slice(&s.here);
            }
        }
    }

    /// [`obstacle`] in another pass.
    fn in_the_way(&self, node: NodeId, into: PassId, slot: u8) -> Option<&'static str> {
        let (targets, area, ..) = self.passes.get(self.pool.entity(into)?).ok()?;
        let candidate = self.nodes.flags[node.index()] & node_flags::LOAD_CANDIDATE != 0;
        obstacle(self.clear(node)?.0, targets, area, slot, candidate)
    }

    /// Gives each clear of a pass of clears the rows of its own target, which it shared with its neighbours until now. Rows of targets that no clear of the pass
    /// touches are given up, and those targets detached, if every clear may leave. Returns whether all that is possible; if not, nothing has changed.
    fn split(&mut self, pass: PassId, targets: &AttachmentSet, rows: Rows) -> bool {
        let mut owners = [NodeId::NONE; 9];
        for at in rows.range() {
            let member = self.members.rows[at];
            let Some((_, slot)) = self.clear(member) else { return false };
            // Of two clears of one target, the later may not overtake.
            if std::mem::replace(&mut owners[usize::from(slot)], member).is_some() {
                return false;
            }
        }
        let all_leave = self.scratch.here.len() == rows.len as usize;
        let accesses = &mut *self.accesses;
        let owner = |accesses: &Accesses, row: usize| {
            let Part::Image(part) = accesses.part[row] else { return None };
            let mut slots = (0..9u8).filter(|slot| {
                attachment(targets, *slot).is_some_and(|a| {
                    let aspects = Aspects(a.view.part.aspects.0 & part.aspects.0);
                    a.view.resource == accesses.resource[row] && part.overlaps(&Subresources { aspects, ..a.view.part })
                })
            });
            let slot = slots.next().filter(|_| slots.next().is_none())?;
            Some(owners[usize::from(slot)])
        };
        let shared = self.members.rows[rows.range()].iter().flat_map(|node| self.nodes.accesses[node.index()].range());
        for row in shared.clone() {
            match owner(accesses, row) {
                Some(node) if node.is_some() && accesses.writes(row) => {}
                Some(_) if all_leave && !accesses.writes(row) => {}
                _ => return false,
            }
        }
        let mut found = [Rows::default(); 9];
        for row in shared {
            let Some(node) = owner(accesses, row) else { continue };
            if !accesses.writes(row) {
                (accesses.uses[row], accesses.layout[row]) = (0, Layout::Undefined);
                continue;
            }
            (accesses.node[row], accesses.last[row]) = (node, node);
            if let Some(slot) = owners.iter().position(|owner| *owner == node) {
                let start = if found[slot].len == 0 { row as u32 } else { found[slot].start };
                found[slot] = Rows { start, len: row as u32 + 1 - start };
            }
        }
        for (node, rows) in owners.iter().zip(found) {
            if node.is_some() {
                self.nodes.accesses[node.index()] = rows;
            }
        }
        if all_leave && let Some((mut targets, ..)) = self.pool.entity(pass).and_then(|e| self.passes.get_mut(e).ok()) {
            let AttachmentSet { color, depth, .. } = &mut targets.0;
            for (own, owner) in color.iter_mut().chain([depth]).zip(owners) {
                *own = own.filter(|_| owner.is_some());
            }
        }
        true
    }

    /// Edges name the nodes of their rows again, where [`Self::split`] gave rows to other nodes or gave them up.
    fn mend_edges(&mut self) {
        let (nodes, accesses, split) = (&*self.nodes, &*self.accesses, &self.scratch.split);
        let changed = |row: u32| {
            let node = accesses.node.get(row as usize);
            node.is_some_and(|node| split.get(nodes.pass[node.index()].index()).is_some_and(|split| *split))
        };
        let edges = &mut *self.edges;
        let mut gone = false;
        for n in 0..edges.len() {
            let (source, access) = (edges.source[n], edges.access[n]);
            if changed(source) {
                edges.from[n] = accesses.last[source as usize];
                gone |= accesses.uses[source as usize] == 0;
            }
            if changed(access) {
                edges.to[n] = accesses.node[access as usize];
                gone |= accesses.uses[access as usize] == 0;
            }
        }
        if gone {
            let nothing = |row: u32| changed(row) && accesses.uses[row as usize] == 0;
            edges.retain(|edges, n| !nothing(edges.source[n]) && !nothing(edges.access[n]));
        }
    }

    /// Moves the clears whose targets nobody has to see in between.
    fn carry(&mut self) {
        let careless = self.switches.knob("R-031");
        let live = self.pool.live as usize;
        self.mend_edges();
        let s = &mut *self.scratch;
        units(&self.order, &self.nodes, live, &s.split, &mut s.unit_of, &mut s.pass_unit, &mut s.unit_node);
        s.graph.build(&self.edges, &s.unit_of, s.unit_node.len());
        s.moved.clear();
        for at in 0..self.scratch.wanted.len() {
            let Move { clear: node, from, into, slot } = self.scratch.wanted[at];
            let s = &mut *self.scratch;
            let first = s.unit_of[node.index()];
            // A pass whose clears have units of their own has none itself.
            let second = s.pass_unit[into.index()];
            let raster = |edge: u32| is_raster_order(&self.edges, &self.accesses, edge as usize);
            let answer =
                s.graph.may_join(first, second, raster).and_then(|()| s.graph.may_join(second, first, |_| false));
            match answer {
                Err(Obstacle::Between(unit)) if !careless => {
                    let evidence = [Evidence::Pass(into), Evidence::Node(s.unit_node[unit as usize])];
                    self.refuse(node, "stays apart from {0}: {1} between them has to see the target cleared", evidence);
                }
                Err(Obstacle::Dependency(edge)) if !careless => {
                    let evidence = [Evidence::Pass(into), Evidence::Node(self.edges.to[edge as usize])];
                    self.refuse(node, "stays apart from {0}: {1} uses its target as more than a target", evidence);
                }
                _ => {
                    s.graph.join(second, first);
                    s.moved.push((into, self.order.place[node.index()], node));
                    self.take(node, from, into, slot);
                }
            }
        }
        self.place();
    }

    /// Makes a clear the load operation of a later pass.
    fn take(&mut self, node: NodeId, from: PassId, into: PassId, slot: u8) {
        let mut earlier = PassOps::default();
        if let Some((clear, _)) = self.clear(node) {
            fold(&mut earlier, clear, slot);
        }
        if let Some((_, _, _, mut ops, _)) = self.pool.entity(into).and_then(|e| self.passes.get_mut(e).ok()) {
            let beneath = |own: &mut LoadOp, earlier: LoadOp| {
                // A clear of the same target that came later has been here before.
                if *own == LoadOp::Load {
                    *own = earlier;
                }
            };
            for (own, earlier) in ops.color.iter_mut().zip(earlier.color) {
                beneath(&mut own.0, earlier.0);
            }
            beneath(&mut ops.depth.0, earlier.depth.0);
            beneath(&mut ops.stencil.0, earlier.stencil.0);
        }
        self.nodes.flags[node.index()] |= node_flags::FOLDED | node_flags::CARRIED;
        self.nodes.pass[node.index()] = into;
        let evidence = [Evidence::Pass(into), Evidence::Pass(from)];
        let words = "became the load operation of {0}: nothing after {1} has to see its target cleared before";
        self.decisions.push(RULE.name, Subject::Node(node), Verdict::Taken, words, evidence);
    }

    /// Takes the clears that moved out of their passes' members, and puts them first among those of the passes that they moved into.
    fn place(&mut self) {
        for number in 0..self.scratch.split.len() {
            let id = PassId(number as u32);
            if !self.scratch.split[number] {
                continue;
            }
            let Some((_, _, mut rows, _, mut flags)) = self.pool.entity(id).and_then(|e| self.passes.get_mut(e).ok())
            else {
                continue;
            };
            let mut kept = rows.0.start as usize;
            for at in rows.0.range() {
                let node = self.members.rows[at];
                if self.nodes.pass[node.index()] == id {
                    self.members.rows[kept] = node;
                    kept += 1;
                }
            }
            rows.0.len = kept as u32 - rows.0.start;
            if rows.0.len == 0 {
                (*rows, *flags) = (PassRows::default(), PassFlags(PassFlags::MERGED));
            }
        }
        self.scratch.moved.sort_unstable();
        for group in self.scratch.moved.chunk_by(|a, b| a.0 == b.0) {
            let Some((_, _, mut rows, ..)) = self.pool.entity(group[0].0).and_then(|e| self.passes.get_mut(e).ok())
            else {
                continue;
            };
            let start = self.members.rows.len() as u32;
            self.members.rows.extend(group.iter().map(|(.., node)| *node));
            self.members.rows.extend_from_within(rows.0.range());
            rows.0 = Rows { start, len: group.len() as u32 + rows.0.len };
        }
    }

    fn refuse(&mut self, node: NodeId, words: &'static str, evidence: [Evidence; 2]) {
        self.decisions.push(RULE.name, Subject::Node(node), Verdict::Refused, words, evidence);
    }

    /// Folds the clears that lead each pass.
    fn lead(&mut self) {
        for number in 0..self.pool.live {
            let id = PassId(number);
            let Some((targets, area, rows, mut ops, _)) =
                self.pool.entity(id).and_then(|e| self.passes.get_mut(e).ok())
            else {
                continue;
            };
            for &node in &self.members.rows[rows.0.range()] {
                let n = node.index();
                if self.nodes.flags[n] & (node_flags::SKIPPED | node_flags::FOLDED) != 0 {
                    continue;
                }
                if self.nodes.kind[n] != NodeKind::Clear {
                    break;
                }
                let clear = &self.clears.rows[self.nodes.payload[n] as usize];
                let ClearTarget::Attachment(_, slot) = clear.target else { continue };
                let candidate = self.nodes.flags[n] & node_flags::LOAD_CANDIDATE != 0;
                let verdict = obstacle(clear, &targets, area, slot, candidate);
                let subject = Subject::Node(node);
                if let Some(why) = verdict {
                    let evidence = [Evidence::Text(why)];
                    self.decisions.push(RULE.name, subject, Verdict::Refused, "stays a command: {0}", evidence);
                    // A later clear of the same attachment must not overtake this one.
                    break;
                }
                fold(&mut ops, clear, slot);
                self.nodes.flags[n] |= node_flags::FOLDED;
                let evidence = [Evidence::Pass(id)];
                self.decisions.push(RULE.name, subject, Verdict::Taken, "became the load operation of {0}", evidence);
            }
        }
    }
}

/// Sets [`PassOps`] and [`node_flags::FOLDED`]; empties passes of clears whose clears went on into later passes.
pub fn fold_lazy_clears(mut fold: FoldClears) {
    if !fold.switches.on(&RULE) || fold.clears.rows.is_empty() {
        return;
    }
    fold.find();
    if !fold.scratch.wanted.is_empty() {
        fold.carry();
    }
    fold.lead();
}
