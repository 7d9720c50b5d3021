//! The verifier: does a Plan give what strict command order gives?
//!
//! It derives everything from [`Accesses`] and command order, and shares no state with the systems that build a Plan. The storage of each resource is cut into
//! *pieces* (subresource, or a run of bytes between two bounds of accesses). For each piece, the accesses in command order give pairs that must keep their
//! order: each read with the write before it, each write with the write before it and with the reads since. For each pair the Plan must
//! - run the earlier before the later, and
//! - if they are in different units, have a barrier between them that names the class of the one as source and the class of the other as target (for a
//!   write that is read or overwritten, its write classes; for a read that is overwritten, its read classes);
//! - if they are draws of one pass: attachments are in raster order by themselves; a draw that reads what an earlier draw of the pass wrote through an attachment
//!   needs a barrier by region in between; stores to memory need a new pass wherever the game ordered the two draws.
//!
//! Layouts are followed step by step from the state before the part: each access must find its layout; each change must start from the layout that is there,
//! wait for every access since the last change, and be visible to whoever comes next. Contents are never dropped while somebody still reads them.
//!
//! The same is asked of content that earlier parts wrote or read. Cost: accesses × barriers in the worst case; for tests and debug checks.

use crate::barriers::{Classes, SubresourceStates, classes, uses_and_stages, write_classes};
use crate::ids::{NodeId, PassId, ResourceId};
use crate::plan::{Plan, Step};
use crate::resource::{Layout, Part, ResourceFlags};
use crate::resource_table::{ResourceTable, Shape};
use crate::tables::{Accesses, CommandOrder, GameBarriers, NodeKind, Nodes, game_barrier, node_flags, uses};
use std::collections::HashSet;
use std::fmt;

/// Uses and stages that print as words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassSet(pub Classes);

impl fmt::Display for ClassSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (used, stages) = uses_and_stages(self.0);
        f.write_str(&crate::words::use_words(used, stages))
    }
}

/// What is wrong with a Plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)] // The messages say what each field is.
pub enum Objection {
    #[error("node {} does not run: add it to the plan, or mark it as skipped with a reason", node.0)]
    Missing { node: NodeId },
    #[error("node {} runs twice, the second time at step {step}", node.0)]
    Twice { node: NodeId, step: usize },
    #[error("step {step}: node {} runs {where_it_is}, but belongs {where_it_belongs}", node.0)]
    WrongPlace { node: NodeId, step: usize, where_it_is: String, where_it_belongs: String },
    #[error("step {step}: a barrier or a new pass inside pass {}", pass.0)]
    InsidePass { step: usize, pass: PassId },
    #[error("draws from node {} to node {} share an access but not a pass", first.0, last.0)]
    SharedAccessSplit { first: NodeId, last: NodeId },
    #[error("node {} must run before node {} (both touch resource {}), but runs after it", earlier.0, later.0, resource.0)]
    OutOfOrder { earlier: NodeId, later: NodeId, resource: ResourceId },
    #[error("node {} does not see what node {} wrote to resource {}: no barrier from {source_classes} to {target_classes} between them", later.0, earlier.0, resource.0)]
    NotVisible {
        earlier: NodeId,
        later: NodeId,
        resource: ResourceId,
        source_classes: ClassSet,
        target_classes: ClassSet,
    },
    #[error("node {} may overwrite resource {} while node {} reads it: no barrier from {source_classes} to {target_classes} between them", later.0, resource.0, earlier.0)]
    NotFinished {
        earlier: NodeId,
        later: NodeId,
        resource: ResourceId,
        source_classes: ClassSet,
        target_classes: ClassSet,
    },
    #[error("node {} does not wait for what earlier parts did to resource {}: no barrier from {source_classes} to {target_classes} before it", node.0, resource.0)]
    EarlierPart { node: NodeId, resource: ResourceId, source_classes: ClassSet, target_classes: ClassSet },
    #[error("in pass {}, node {} reads resource {} which node {} wrote as a target: no barrier by region between them", pass.0, later.0, resource.0, earlier.0)]
    NoSelfBarrier { pass: PassId, earlier: NodeId, later: NodeId, resource: ResourceId },
    #[error("in pass {}, nodes {} and {} both use resource {} as memory, which the game ordered: a new pass must begin between them", pass.0, earlier.0, later.0, resource.0)]
    StoreInPass { pass: PassId, earlier: NodeId, later: NodeId, resource: ResourceId },
    #[error("node {} reads resource {} and writes it as a target, in layout {layout:?}: garbage unless it is the feedback layout", node.0, resource.0)]
    Feedback { node: NodeId, resource: ResourceId, layout: Layout },
    #[error("node {} needs resource {} (level {level}, layer {layer}) in layout {needs:?}, but it is in {has:?}", node.0, resource.0)]
    WrongLayout { node: NodeId, resource: ResourceId, level: u8, layer: u16, needs: Layout, has: Layout },
    #[error("step {step} changes resource {} (level {level}, layer {layer}) from {says:?}, but it is in {is:?}", resource.0)]
    WrongOldLayout { step: usize, resource: ResourceId, level: u8, layer: u16, says: Layout, is: Layout },
    #[error("step {step} drops the contents of resource {}, which earlier nodes or parts wrote", resource.0)]
    Dropped { step: usize, resource: ResourceId },
    #[error("step {step} changes the layout of resource {} without waiting for {missing}", resource.0)]
    ChangeTooEarly { step: usize, resource: ResourceId, missing: ClassSet },
    #[error("node {} uses resource {} as {missing} after a layout change at step {step} that is not visible to it", node.0, resource.0)]
    ChangeNotVisible { node: NodeId, step: usize, resource: ResourceId, missing: ClassSet },
}

/// What the verifier reads.
#[derive(Clone, Copy)]
pub struct Subjects<'a> {
    /// Nodes.
    pub nodes: &'a Nodes,
    /// Their command order.
    pub order: &'a CommandOrder,
    /// Who touches what.
    pub accesses: &'a Accesses,
    /// Resources.
    pub table: &'a ResourceTable,
    /// The barriers that the game recorded.
    pub barriers: &'a GameBarriers,
    /// The state before the part, in its `*_before` columns.
    pub states: &'a SubresourceStates,
    /// The plan to prove.
    pub plan: &'a Plan,
}

/// Which pieces each access touches.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// By access: its pieces.
    pub by_row: Vec<Vec<u32>>,
    /// By piece: its resource.
    pub resource: Vec<ResourceId>,
}

impl Pieces {
    pub(crate) fn cut(accesses: &Accesses, table: &ResourceTable) -> Self {
        let mut pieces = Self { by_row: vec![Vec::new(); accesses.len()], resource: Vec::new() };
        let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); table.len()];
        for row in 0..accesses.len() {
            if let Some(rows) = rows_of.get_mut(accesses.resource[row].index()) {
                rows.push(row);
            }
        }
        for (n, rows) in rows_of.iter().enumerate() {
            let id = ResourceId(n as u32);
            let facts = table.get(id);
            let base = pieces.resource.len() as u32;
            if facts.shape == Shape::Image {
                let (levels, layers) = (u32::from(facts.levels), u32::from(facts.layers));
                for row in rows {
                    let part = match &accesses.part[*row] {
                        Part::Image(part) => facts.clamp(part),
                        _ => facts.all(),
                    };
                    for aspect in (0..3).filter(|a| part.aspects.0 >> a & 1 == 1) {
                        for level in u32::from(part.base_level)..u32::from(part.base_level) + u32::from(part.levels) {
                            for layer in u32::from(part.base_layer)..u32::from(part.base_layer) + u32::from(part.layers)
                            {
                                pieces.by_row[*row].push(base + (aspect * levels + level) * layers + layer);
                            }
                        }
                    }
                }
                pieces.resource.resize((base + 3 * levels * layers) as usize, id);
            } else {
                let mut bounds: Vec<u64> = Vec::new();
                let range = |row: usize| match accesses.part[row] {
                    Part::Bytes(offset, length) => (offset, offset.saturating_add(length)),
                    _ => (0, u64::MAX),
                };
                for row in rows {
                    let (start, end) = range(*row);
                    bounds.extend([start, end]);
                }
                bounds.sort_unstable();
                bounds.dedup();
                for row in rows {
                    let (start, end) = range(*row);
                    let first = bounds.partition_point(|b| *b < start) as u32;
                    let last = bounds.partition_point(|b| *b < end) as u32;
                    pieces.by_row[*row].extend((first..last).map(|n| base + n));
                }
                pieces.resource.resize(base as usize + bounds.len(), id);
            }
        }
        pieces
    }
}

struct Barrier {
    step: usize,
    source: Classes,
    target: Classes,
}

struct Verifier<'a> {
    on: Subjects<'a>,
    /// By node: step at which it runs, and the unit (first step) it is in.
    step: Vec<Option<(usize, usize)>>,
    pass_at: Vec<Option<PassId>>,
    barriers: Vec<Barrier>,
    self_barriers: Vec<Barrier>,
    objections: Vec<Objection>,
    said: HashSet<Objection>,
    checked: HashSet<(u32, u32)>,
}

/// All objections to a Plan; none means that it gives what command order gives.
#[must_use]
pub fn verify(subjects: Subjects) -> Vec<Objection> {
    let mut verifier = Verifier {
        on: subjects,
        step: vec![None; subjects.nodes.len()],
        pass_at: vec![None; subjects.plan.steps.len()],
        barriers: Vec::new(),
        self_barriers: Vec::new(),
        objections: Vec::new(),
        said: HashSet::new(),
        checked: HashSet::new(),
    };
    verifier.steps();
    verifier.pairs();
    verifier.aliases();
    verifier.layouts();
    verifier.objections
}

impl Verifier<'_> {
    fn object(&mut self, objection: Objection) {
        if self.said.insert(objection.clone()) {
            self.objections.push(objection);
        }
    }

    fn class(&self, row: u32) -> Classes {
        classes(self.on.accesses.uses[row as usize], self.on.accesses.stages[row as usize])
    }

    fn runs(&self, node: NodeId) -> bool {
        let n = node.index();
        self.on.nodes.flags[n] & node_flags::SKIPPED == 0 && self.on.nodes.kind[n] != NodeKind::Barrier
    }

    /// Where each node runs.
    fn steps(&mut self) {
        let nodes = self.on.nodes;
        let mut open: Option<(PassId, usize)> = None;
        for (at, step) in self.on.plan.steps.iter().enumerate() {
            self.pass_at[at] = open.map(|(pass, _)| pass);
            match step {
                Step::Barrier(row) | Step::SelfBarrier(row) => {
                    let batch = self.on.plan.batches[*row as usize];
                    let barrier = Barrier {
                        step: at,
                        source: classes(batch.source_uses, batch.source_stages),
                        target: classes(batch.target_uses, batch.target_stages),
                    };
                    if matches!(step, Step::SelfBarrier(_)) {
                        self.self_barriers.push(barrier);
                    } else {
                        if let Some((pass, _)) = open {
                            self.object(Objection::InsidePass { step: at, pass });
                        }
                        self.barriers.push(barrier);
                    }
                }
                Step::BeginPass(pass) => {
                    if let Some((outer, _)) = open {
                        self.object(Objection::InsidePass { step: at, pass: outer });
                    }
                    open = Some((*pass, at));
                    // A clear that became the load operation runs here.
                    for node in nodes.ids() {
                        if nodes.pass[node.index()] == *pass && nodes.flags[node.index()] & node_flags::FOLDED != 0 {
                            self.place(node, at, at);
                        }
                    }
                }
                Step::EndPass(_) => open = None,
                Step::Node(node) => {
                    let belongs = nodes.pass[node.index()];
                    let is = open.map_or(PassId::NONE, |(pass, _)| pass);
                    if belongs != is {
                        let words = |pass: PassId| {
                            if pass.is_some() { format!("in pass {}", pass.0) } else { "outside passes".to_owned() }
                        };
                        self.object(Objection::WrongPlace {
                            node: *node,
                            step: at,
                            where_it_is: words(is),
                            where_it_belongs: words(belongs),
                        });
                    }
                    self.place(*node, at, open.map_or(at, |(_, begin)| begin));
                }
            }
        }
        for node in nodes.ids() {
            if self.runs(node) && self.step[node.index()].is_none() {
                self.object(Objection::Missing { node });
            }
        }
    }

    fn place(&mut self, node: NodeId, step: usize, unit: usize) {
        if self.step[node.index()].is_some() {
            self.object(Objection::Twice { node, step });
        }
        self.step[node.index()] = Some((step, unit));
    }

    fn covered(barriers: &[Barrier], source: Classes, target: Classes, from: usize, to: usize) -> bool {
        bits(source).all(|s| {
            bits(target).all(|t| {
                barriers
                    .iter()
                    .any(|b| b.step >= from && b.step < to && b.source & 1 << s != 0 && b.target & 1 << t != 0)
            })
        })
    }

    /// Rows that run, in command order of their nodes.
    fn rows_in_order(&self) -> Vec<u32> {
        let accesses = self.on.accesses;
        let mut rows: Vec<u32> = (0..accesses.len() as u32)
            .filter(|row| accesses.uses[*row as usize] != 0 && self.runs(accesses.node[*row as usize]))
            // Rows that no node claims any more are history.
            .filter(|row| {
                let range = self.on.nodes.accesses[accesses.node[*row as usize].index()].range();
                range.contains(&(*row as usize))
            })
            .collect();
        rows.sort_by_key(|row| (self.on.order.place[accesses.node[*row as usize].index()], *row));
        rows
    }

    fn pairs(&mut self) {
        let accesses = self.on.accesses;
        let pieces = Pieces::cut(accesses, self.on.table);
        let rows = self.rows_in_order();
        let mut writer: Vec<Option<u32>> = vec![None; pieces.resource.len()];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); pieces.resource.len()];
        let mut since_any: Vec<u32> = Vec::new();
        let mut last_any = None;
        for node_rows in rows.chunk_by(|a, b| accesses.node[*a as usize] == accesses.node[*b as usize]) {
            // A node reads what was there before it writes: first every access is compared with what came before the node, then all take effect.
            for &row in node_rows {
                let n = row as usize;
                let (first, last) = (accesses.node[n], accesses.last[n]);
                if self.on.nodes.pass[first.index()] != self.on.nodes.pass[last.index()] {
                    self.object(Objection::SharedAccessSplit { first, last });
                }
                if let Some(any) = last_any {
                    self.pair(any, row);
                }
                if accesses.part[n] == Part::Any {
                    for other in std::mem::take(&mut since_any) {
                        self.pair(other, row);
                    }
                    continue;
                }
                let write = accesses.writes(n);
                for &piece in &pieces.by_row[n] {
                    let piece = piece as usize;
                    match writer[piece] {
                        Some(before) => self.pair(before, row),
                        None => self.earlier_part(row),
                    }
                    if write {
                        for before in readers[piece].clone() {
                            self.pair(before, row);
                        }
                    }
                }
                for &other in node_rows.iter().filter(|other| **other != row) {
                    if pieces.by_row[n].iter().any(|p| pieces.by_row[other as usize].contains(p)) {
                        self.itself(other, row);
                    }
                }
            }
            for &row in node_rows {
                let n = row as usize;
                if accesses.part[n] == Part::Any {
                    last_any = Some(row);
                    continue;
                }
                since_any.push(row);
                for &piece in pieces.by_row[n].iter().filter(|_| accesses.writes(n)) {
                    writer[piece as usize] = Some(row);
                    readers[piece as usize].clear();
                }
            }
            for &row in node_rows {
                let n = row as usize;
                for &piece in pieces.by_row[n].iter().filter(|_| !accesses.writes(n)) {
                    readers[piece as usize].push(row);
                }
            }
        }
    }

    /// Content that nobody in this part has written so far.
    fn earlier_part(&mut self, row: u32) {
        let n = row as usize;
        let (resource, node) = (self.on.accesses.resource[n], self.on.accesses.node[n]);
        let facts = self.on.table.get(resource);
        if facts.flags & ResourceFlags::NEW != 0 {
            return;
        }
        let own = self.class(row);
        let mut before = self.on.states.written_before.get(resource.index()).copied().unwrap_or(0);
        let mut target = own;
        let Some((step, _)) = self.step[node.index()] else { return };
        if !Self::covered(&self.barriers, before, target, 0, step) {
            let (source_classes, target_classes) = (ClassSet(before), ClassSet(target));
            self.object(Objection::EarlierPart { node, resource, source_classes, target_classes });
        }
        if self.on.accesses.writes(n) {
            before = self.on.states.read_before;
            target = own & write_classes();
            if !Self::covered(&self.barriers, before, target, 0, step) {
                let (source_classes, target_classes) = (ClassSet(before), ClassSet(target));
                self.object(Objection::EarlierPart { node, resource, source_classes, target_classes });
            }
        }
    }

    /// The earlier access must be finished, and where it wrote be visible, when the later begins.
    fn pair(&mut self, a: u32, b: u32) {
        if !self.checked.insert((a, b)) {
            return;
        }
        let accesses = self.on.accesses;
        let (earlier, later) = (accesses.last[a as usize], accesses.node[b as usize]);
        if earlier == later {
            return;
        }
        let resource = accesses.resource[b as usize];
        let (Some((from, unit_a)), Some((to, unit_b))) = (self.step[earlier.index()], self.step[later.index()]) else {
            return;
        };
        if unit_a == unit_b {
            self.in_pass(a, b);
            return;
        }
        if from > to {
            self.object(Objection::OutOfOrder { earlier, later, resource });
            return;
        }
        let writes = write_classes();
        let any = accesses.part[a as usize] == Part::Any || accesses.part[b as usize] == Part::Any;
        let (source, target) = (self.class(a), self.class(b));
        if accesses.writes(a as usize) || any {
            let source = if source & writes != 0 { source & writes } else { source };
            if !Self::covered(&self.barriers, source, target, from, to) {
                let (source_classes, target_classes) = (ClassSet(source), ClassSet(target));
                self.object(Objection::NotVisible { earlier, later, resource, source_classes, target_classes });
            }
        } else if !Self::covered(&self.barriers, source, target & writes, from, to) {
            let (source_classes, target_classes) = (ClassSet(source), ClassSet(target & writes));
            self.object(Objection::NotFinished { earlier, later, resource, source_classes, target_classes });
        }
    }

    /// Two accesses of one node to the same content.
    fn itself(&mut self, a: u32, b: u32) {
        let accesses = self.on.accesses;
        let attachment = uses::COLOR_WRITE | uses::DEPTH_WRITE;
        let (used_a, used_b) = (accesses.uses[a as usize], accesses.uses[b as usize]);
        let feedback = (used_a & attachment != 0 && used_b & uses::SAMPLED != 0)
            || (used_b & attachment != 0 && used_a & uses::SAMPLED != 0);
        let layout = accesses.layout[b as usize];
        if feedback && !matches!(layout, Layout::Feedback | Layout::General) {
            let (node, resource) = (accesses.node[b as usize], accesses.resource[b as usize]);
            self.object(Objection::Feedback { node, resource, layout });
        }
    }

    /// Two draws of one pass.
    fn in_pass(&mut self, a: u32, b: u32) {
        let accesses = self.on.accesses;
        let (earlier, later) = (accesses.last[a as usize], accesses.node[b as usize]);
        let resource = accesses.resource[b as usize];
        let pass = self.on.nodes.pass[later.index()];
        let (from, to) = match (self.step[earlier.index()], self.step[later.index()]) {
            (Some((from, _)), Some((to, _))) => (from, to),
            _ => return,
        };
        let attachments = uses::COLOR_READ | uses::COLOR_WRITE | uses::DEPTH_READ | uses::DEPTH_WRITE;
        let (used_a, used_b) = (accesses.uses[a as usize], accesses.uses[b as usize]);
        if used_a & !attachments == 0 && used_b & !attachments == 0 {
            if from > to {
                self.object(Objection::OutOfOrder { earlier, later, resource });
            }
            return;
        }
        if used_a & (uses::COLOR_WRITE | uses::DEPTH_WRITE) != 0 && used_b & !attachments != 0 {
            // The whole run that shares the row must be over.
            let source = self.class(a) & write_classes();
            if from > to || !Self::covered(&self.self_barriers, source, self.class(b) & !write_classes(), from, to) {
                self.object(Objection::NoSelfBarrier { pass, earlier, later, resource });
            }
            return;
        }
        if used_a & !attachments != 0 && used_b & attachments == used_b {
            // Reads before an attachment write of a later draw: fragments of one pixel are in order.
            return;
        }
        let places = self.on.order.place[earlier.index()] as usize..self.on.order.place[later.index()] as usize;
        const ORDERS: u32 = game_barrier::ORDER_PRIMITIVES
            | game_barrier::ORDER_FRAGMENTS
            | game_barrier::ORDER_FRAGMENTS_TILED
            | game_barrier::ORDER_INDIRECT;
        let nodes = self.on.nodes;
        let ordered = self.on.order.nodes.get(places).unwrap_or_default().iter().any(|node| {
            nodes.kind[node.index()] == NodeKind::Barrier
                && self.on.barriers.rows.get(nodes.payload[node.index()] as usize).is_some_and(|b| b & ORDERS != 0)
        });
        if ordered {
            self.object(Objection::StoreInPass { pass, earlier, later, resource });
        }
    }

    /// Accesses to one storage under different descriptions.
    fn aliases(&mut self) {
        let (accesses, table) = (self.on.accesses, self.on.table);
        let rows: Vec<u32> = self
            .rows_in_order()
            .into_iter()
            .filter(|row| table.get(accesses.resource[*row as usize]).aliased)
            .collect();
        for (n, &b) in rows.iter().enumerate() {
            let id = accesses.resource[b as usize];
            let own = table.get(id).bytes(&accesses.part[b as usize]);
            for &a in &rows[..n] {
                let other = accesses.resource[a as usize];
                let conflict = accesses.writes(a as usize) || accesses.writes(b as usize);
                // Within one unit nothing crosses: the two are apart on the host, and bytes go from one to the other by copy nodes only.
                let unit = |row: u32| self.step[accesses.node[row as usize].index()].map(|(_, unit)| unit);
                if other != id
                    && conflict
                    && unit(a) != unit(b)
                    && table.get(other).bytes(&accesses.part[a as usize]).overlaps(&own)
                {
                    self.pair(a, b);
                }
            }
        }
    }

    fn layouts(&mut self) {
        #[derive(Clone, Copy)]
        struct Cell {
            layout: Layout,
            used: Classes,
            /// Targets of the change itself, and classes it has become visible to since.
            direct: Classes,
            seen: Classes,
            changed: Option<usize>,
            content: bool,
        }
        let (accesses, nodes, table) = (self.on.accesses, self.on.nodes, self.on.table);
        let mut cells: Vec<Vec<Cell>> = table
            .facts()
            .iter()
            .enumerate()
            .map(|(n, facts)| {
                let new = facts.flags & ResourceFlags::NEW != 0;
                let written = self.on.states.written_before.get(n).copied().unwrap_or(0);
                let before = if new { 0 } else { written | self.on.states.read_before };
                let layouts = self.on.states.before.get(n);
                let mut row = Vec::new();
                for level in 0..if facts.shape == Shape::Image { facts.levels } else { 0 } {
                    for layer in 0..facts.layers {
                        let layout = layouts.map_or(Layout::Undefined, |l| l.get(facts.layers, level, layer));
                        let content = layout != Layout::Undefined;
                        row.push(Cell {
                            layout,
                            used: if content { before } else { 0 },
                            direct: !0,
                            seen: !0,
                            changed: None,
                            content,
                        });
                    }
                }
                row
            })
            .collect();
        for at in 0..self.on.plan.steps.len() {
            match self.on.plan.steps[at] {
                Step::Barrier(row) => {
                    let batch = self.on.plan.batches[row as usize];
                    let source = classes(batch.source_uses, batch.source_stages);
                    let target = classes(batch.target_uses, batch.target_stages);
                    // A barrier chained directly behind a change makes it visible further.
                    for cell in cells.iter_mut().flatten() {
                        if cell.changed.is_some() && cell.direct & source != 0 {
                            cell.seen |= target;
                        }
                    }
                    let first = batch.first_transition as usize;
                    for change in &self.on.plan.transitions[first..first + batch.transitions as usize] {
                        let resource = change.resource;
                        let facts = table.get(resource);
                        for level in change.part.base_level..change.part.base_level + change.part.levels {
                            for layer in change.part.base_layer..change.part.base_layer + change.part.layers {
                                let n = usize::from(level) * usize::from(facts.layers) + usize::from(layer);
                                let Some(cell) = cells[resource.index()].get(n).copied() else { continue };
                                if change.from == Layout::Undefined {
                                    if cell.content {
                                        self.object(Objection::Dropped { step: at, resource });
                                    }
                                } else if change.from != cell.layout {
                                    let (says, is) = (change.from, cell.layout);
                                    self.object(Objection::WrongOldLayout {
                                        step: at,
                                        resource,
                                        level,
                                        layer,
                                        says,
                                        is,
                                    });
                                }
                                let missing = cell.used & !source;
                                if missing != 0 {
                                    let missing = ClassSet(missing);
                                    self.object(Objection::ChangeTooEarly { step: at, resource, missing });
                                }
                                cells[resource.index()][n] = Cell {
                                    layout: change.to,
                                    used: 0,
                                    direct: target,
                                    seen: target,
                                    changed: Some(at),
                                    ..cell
                                };
                            }
                        }
                    }
                }
                Step::BeginPass(_) | Step::Node(_) => {
                    let here: Vec<NodeId> = match self.on.plan.steps[at] {
                        Step::Node(node) => vec![node],
                        _ => nodes.ids().filter(|n| self.step[n.index()].is_some_and(|(s, _)| s == at)).collect(),
                    };
                    for node in here {
                        // A node reads what was there before it writes: first every access is checked, then all take effect.
                        for effect in [false, true] {
                            for row in nodes.accesses[node.index()].range() {
                                let needs = accesses.layout[row];
                                let resource = accesses.resource[row];
                                let facts = table.get(resource);
                                if needs == Layout::Undefined || facts.shape != Shape::Image || accesses.uses[row] == 0
                                {
                                    continue;
                                }
                                let part = match &accesses.part[row] {
                                    Part::Image(part) => facts.clamp(part),
                                    _ => facts.all(),
                                };
                                let own = self.class(row as u32);
                                for level in part.base_level..part.base_level + part.levels {
                                    for layer in part.base_layer..part.base_layer + part.layers {
                                        let n = usize::from(level) * usize::from(facts.layers) + usize::from(layer);
                                        let cell = &mut cells[resource.index()][n];
                                        if !effect {
                                            let cell = *cell;
                                            if cell.layout != needs {
                                                let has = cell.layout;
                                                self.object(Objection::WrongLayout {
                                                    node,
                                                    resource,
                                                    level,
                                                    layer,
                                                    needs,
                                                    has,
                                                });
                                            }
                                            let missing = own & !cell.seen;
                                            if let Some(step) = cell.changed.filter(|_| missing != 0) {
                                                let missing = ClassSet(missing);
                                                self.object(Objection::ChangeNotVisible {
                                                    node,
                                                    step,
                                                    resource,
                                                    missing,
                                                });
                                            }
                                            continue;
                                        }
                                        cell.used |= own;
                                        if accesses.writes(row) {
                                            // What follows waits for this write instead, which itself waits for all before it.
                                            cell.seen = !0;
                                            cell.used = own;
                                            cell.content = true;
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

fn bits(mut set: Classes) -> impl Iterator<Item = u32> + Clone {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros();
            set &= set - 1;
            bit
        })
    })
}

/// Verifies the plan of a World.
///
/// Resources that the World lacks make it panic: `framegraph::world::init` inserts them all.
#[must_use]
pub fn verify_world(world: &bevy_ecs::prelude::World) -> Vec<Objection> {
    verify(Subjects {
        nodes: world.resource(),
        order: world.resource(),
        accesses: world.resource(),
        table: world.resource(),
        barriers: world.resource(),
        states: world.resource(),
        plan: world.resource(),
    })
}
