//! Barriers: at each point where something must have finished, one global memory barrier and the layout changes of that point.
//!
//! # What is known
//! A *class* is a kind of access: a use, and for shader uses a stage. A memory barrier with sources S and targets T makes every earlier write of a class in
//! S visible to every class in T, whatever the resource. So what earlier barriers have done is one table, `done[source class][target class]` = the time of
//! the last barrier that covered the pair, and a dependency from unit i is met exactly when that time is later than i.
//!
//! # Where barriers go
//! As late as possible: before the first unit that needs one. Dependencies whose target comes later ride along when that makes nobody wait for more: those
//! with the same source row (all readers of a write are served by the first barrier after it), and those of the same source class whose target runs in
//! the stages that wait anyway. Each batch exists because some unit would be wrong without it: dropping any of them is an error that the verifier finds.
//!
//! # Layouts
//! The layout of each level and layer persists across parts in [`SubresourceStates`]. A change waits for every access since the last change, and is
//! visible to the targets of its batch; a later access of another class is chained behind those.
//!
//! # Between parts
//! Per image or buffer the classes of the writes that later parts have not yet waited for; and for all resources together the classes that have read. The
//! first access of a part that needs them waits.
//!
//! Cost: linear in edges and in the accesses of images.

use crate::ids::{NodeId, ResourceId};
use crate::order::unit_members;
use crate::pass::{PassPool, PassRows};
use crate::plan::{Batch, Plan, Schedule, Step, Transition, Unit};
use crate::resource::{Layout, Part, ResourceFlags};
use crate::resource_table::{Facts, ResourceTable, Shape};
use crate::rule::{Kind, Rule, Switches};
use crate::schedule::Phase;
use crate::state::{StageSet, Subresources};
use crate::tables::{Accesses, Edges, Hazard, Nodes, PassMembers, node_flags, uses};
use bevy_ecs::prelude::*;

/// Places barriers and writes the Plan.
pub const PLACE_BARRIERS: Rule = Rule {
    name: "place_barriers",
    phase: Phase::Schedule,
    kind: Kind::Correctness,
    rows: &["M-4.1d"],
    after: &["schedule_nodes"],
    off_means: "the plan has no barrier but the layout changes that images cannot do without",
    knobs: &["M-4.1d"],
};

/// A set of access classes. Bits 0–15 are the bits of [`uses`] that no stage qualifies; from bit 16 on, six stages for each of the four shader uses.
pub type Classes = u64;

const SHADER_SHIFT: u32 = 3;
const ALL: Classes = (1 << 40) - 1;

/// By set of shader uses: the first stage of each.
const STAGES_OF: [Classes; 16] = {
    let mut table = [0; 16];
    let mut uses = 0;
    while uses < 16 {
        let mut n = 0;
        while n < 4 {
            table[uses] |= (uses as Classes >> n & 1) << (16 + n * 6);
            n += 1;
        }
        uses += 1;
    }
    table
};

/// The classes of some uses by some stages.
#[must_use]
#[inline]
pub fn classes(used: u32, stages: StageSet) -> Classes {
    let shader = (used & uses::SHADER) >> SHADER_SHIFT;
    // The product puts the stages behind each shader use.
    Classes::from(used & !uses::SHADER) | (Classes::from(stages & 0x3f) * STAGES_OF[shader as usize])
}

/// The uses and stages of some classes; as a barrier names them, that is their product.
#[must_use]
pub fn uses_and_stages(set: Classes) -> (u32, StageSet) {
    let mut used = (set & 0xffff) as u32;
    let mut stages = 0;
    for n in 0..4 {
        let of_use = (set >> (16 + n * 6) & 0x3f) as StageSet;
        if of_use != 0 {
            used |= 1 << (n + SHADER_SHIFT);
            stages |= of_use;
        }
    }
    (used, stages)
}

/// Classes that write.
#[must_use]
pub fn write_classes() -> Classes {
    classes(uses::WRITES, 0x3f)
}

/// The layouts of an image's levels and layers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImageLayouts {
    /// The layout of all, while `cells` is empty.
    pub uniform: Layout,
    /// Per level × layers + layer, when they differ.
    pub cells: Vec<Layout>,
}

impl Clone for ImageLayouts {
    fn clone(&self) -> Self {
        Self { uniform: self.uniform, cells: self.cells.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.uniform = source.uniform;
        self.cells.clone_from(&source.cells);
    }
}

impl ImageLayouts {
    /// The layout of one level and layer.
    #[must_use]
    pub fn get(&self, layers: u16, level: u8, layer: u16) -> Layout {
        self.cells.get(usize::from(level) * usize::from(layers) + usize::from(layer)).copied().unwrap_or(self.uniform)
    }
}

/// State of subresources that persists across parts.
#[derive(Debug, Default, Clone, Resource)]
pub struct SubresourceStates {
    /// Layouts by resource, now: after the last part that was planned.
    pub layouts: Vec<ImageLayouts>,
    /// Layouts by resource before that part: what its Plan starts from.
    pub before: Vec<ImageLayouts>,
    /// By resource: classes of writes by earlier parts, still to be waited for.
    pub written: Vec<Classes>,
    /// `written` before the last part that was planned.
    pub written_before: Vec<Classes>,
    /// Classes that earlier parts read with.
    pub read: Classes,
    /// `read` before the last part that was planned.
    pub read_before: Classes,
    shapes: Vec<(Shape, u64, u32, u32)>,
}

impl SubresourceStates {
    /// Forgets the state of ids that name another resource than in the part before, or one whose content is new.
    pub fn refresh(&mut self, table: &ResourceTable) {
        self.layouts.resize_with(table.len(), ImageLayouts::default);
        self.written.resize(table.len(), 0);
        self.shapes.resize(table.len(), (Shape::Free, 0, 0, 0));
        for (n, facts) in table.facts().iter().enumerate() {
            let extent = u32::from(facts.levels) << 16 | u32::from(facts.layers);
            let shape = (facts.shape, facts.range.offset, facts.range.pool, extent);
            if self.shapes[n] != shape || facts.flags & ResourceFlags::NEW != 0 {
                self.shapes[n] = shape;
                self.layouts[n].uniform = Layout::Undefined;
                self.layouts[n].cells.clear();
                self.written[n] = 0;
            }
        }
        self.before.clone_from(&self.layouts);
        self.written_before.clone_from(&self.written);
        self.read_before = self.read;
    }
}

/// State of one level and layer while a part is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    /// Accesses since the last layout change.
    used: Classes,
    /// Classes that see it besides the targets of that batch.
    sees: Classes,
    /// What saw it before `writer` wrote it: a node's own reads come before its writes.
    seen_before: Classes,
    /// The node that wrote it last.
    writer: NodeId,
    /// Batch of the last layout change; `NONE` = none in this part.
    batch: u32,
    layout: Layout,
}

/// State of one resource while a part is planned. Made when the part first touches it.
#[derive(Debug, Clone, Copy)]
struct ResourceState {
    uniform: Cell,
    /// Classes of writes by earlier parts.
    written: Classes,
    /// Classes of writes by this part.
    writes: Classes,
    /// The part for which this was made.
    part: u32,
    /// First row of `slots`; `NONE` = uniform.
    slots: u32,
    /// All of it was written in this part: earlier parts no longer matter.
    settled: bool,
}

const NONE: u32 = u32::MAX;

const UNUSED: ResourceState = ResourceState {
    uniform: Cell {
        used: 0,
        sees: ALL,
        seen_before: ALL,
        writer: NodeId::NONE,
        batch: NONE,
        layout: Layout::Undefined,
    },
    written: 0,
    writes: 0,
    part: 0,
    slots: NONE,
    settled: false,
};

/// What reads one resource anywhere in the part.
#[derive(Debug, Clone, Copy)]
struct Readers {
    /// Classes that read it, in the layout last seen. For look-ahead.
    classes: Classes,
    layout: Layout,
    /// Somebody writes it in this part, or needs another layout than it has before the part.
    changes: bool,
}

/// A dependency between two units, or within one.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    from: u32,
    to: u32,
    /// Access of the later unit, and of the earlier.
    row: u32,
    other: u32,
    hazard: Hazard,
}

/// What a batch of barriers waits for, and who waits.
#[derive(Debug, Clone, Copy)]
struct Waits {
    source: Classes,
    target: Classes,
    batch: u32,
}

/// Working memory of [`place_barriers`], kept between parts.
#[derive(Debug, Default, Resource)]
pub struct BarrierScratch {
    resources: Vec<ResourceState>,
    part: u32,
    touched: Vec<ResourceId>,
    /// By level and layer of each image that has more than one layout: row of `cells`; `NONE` = as before the part, or as `uniform` when it was cut.
    slots: Vec<u32>,
    cells: Vec<Cell>,
    /// By cell: its image, and its number there.
    owners: Vec<(ResourceId, u32)>,
    /// By access: its classes.
    class: Vec<Classes>,
    readers: Vec<Readers>,
    crossings: Vec<Crossing>,
    ahead: Vec<Classes>,
    /// Writes of the unit at hand.
    unit_writes: Vec<u32>,
    /// Per batch: target classes, and its time.
    batches: Vec<(Classes, u32)>,
    done: Vec<u32>,
    from_start: Vec<Classes>,
    open: Vec<Classes>,
    changes: Vec<Transition>,
}

impl BarrierScratch {
    fn begin(&mut self, table: &ResourceTable, accesses: &Accesses, states: &SubresourceStates) {
        let resources = table.len();
        if self.part == u32::MAX {
            self.resources.clear();
            self.part = 0;
        }
        self.part += 1;
        self.resources.resize(resources, UNUSED);
        self.touched.clear();
        self.slots.clear();
        self.cells.clear();
        self.owners.clear();
        self.class.clear();
        let both = accesses.uses.iter().zip(&accesses.stages);
        self.class.extend(both.map(|(used, stages)| classes(*used, *stages)));
        self.crossings.clear();
        self.read_ahead(table, accesses, states);
        self.ahead.clear();
        self.ahead.resize(accesses.len(), 0);
        self.batches.clear();
        self.done.clear();
        self.done.resize(CLASSES * CLASSES, 0);
        self.from_start.clear();
        self.from_start.resize(CLASSES, 0);
        self.open.clear();
        self.open.resize(CLASSES, 0);
    }

    /// Looks ahead: who reads what, and what stays as it is.
    fn read_ahead(&mut self, table: &ResourceTable, accesses: &Accesses, states: &SubresourceStates) {
        self.readers.clear();
        self.readers.resize(table.len(), Readers { classes: 0, layout: Layout::Undefined, changes: false });
        for row in 0..accesses.len() {
            let n = accesses.resource[row].index();
            let Some(readers) = self.readers.get_mut(n) else { continue };
            let layout = accesses.layout[row];
            if accesses.writes(row) {
                readers.changes = true;
            } else if layout != Layout::Undefined {
                readers.classes = self.class[row] | if readers.layout == layout { readers.classes } else { 0 };
                readers.layout = layout;
                readers.changes =
                    readers.changes || !has_layout(&table.facts()[n], &accesses.part[row], &states.layouts[n], layout);
            }
        }
    }

    /// The state of a resource; `None` if there is no such resource.
    #[inline]
    fn resource(&mut self, states: &SubresourceStates, id: ResourceId) -> Option<&mut ResourceState> {
        let state = self.resources.get_mut(id.index())?;
        if state.part != self.part {
            let layouts = &states.layouts[id.index()];
            *state = UNUSED;
            state.part = self.part;
            state.uniform.layout = layouts.uniform;
            state.written = states.written[id.index()];
            if !layouts.cells.is_empty() {
                state.slots = self.slots.len() as u32;
                self.slots.resize(self.slots.len() + layouts.cells.len(), NONE);
            }
            self.touched.push(id);
        }
        Some(state)
    }

    /// The dependencies by the unit that waits; and for each write, who will read it.
    fn cross(&mut self, schedule: &Schedule, accesses: &Accesses, edges: &Edges, same_only: bool) {
        let (mut last, mut sorted) = (0, true);
        for n in 0..edges.len() {
            let hazard = edges.hazard[n];
            let (from, to) = (schedule.unit_of[edges.from[n].index()], schedule.unit_of[edges.to[n].index()]);
            if hazard == Hazard::Order || from > to || to == NONE {
                continue;
            }
            let (row, other) = (edges.access[n], edges.source[n]);
            if same_only && accesses.resource[row as usize] != accesses.resource[other as usize] {
                continue;
            }
            if hazard == Hazard::Raw && from < to {
                self.ahead[other as usize] |= self.class[row as usize];
            }
            sorted &= last <= to;
            last = to;
            self.crossings.push(Crossing { from, to, row, other, hazard });
        }
        if !sorted {
            self.crossings.sort_unstable_by_key(|crossing| crossing.to);
        }
    }

    /// The state of one level and layer of an image that has more than one.
    #[inline]
    fn cell(&mut self, states: &SubresourceStates, id: ResourceId, number: usize) -> usize {
        let state = &self.resources[id.index()];
        let slot = &mut self.slots[state.slots as usize + number];
        if *slot == NONE {
            *slot = self.cells.len() as u32;
            self.cells.push(match states.layouts[id.index()].cells.get(number) {
                Some(&layout) => Cell { layout, ..UNUSED.uniform },
                None => state.uniform,
            });
            self.owners.push((id, number as u32));
        }
        *slot as usize
    }
}

/// One access to one level and layer, or to a whole image.
#[derive(Clone, Copy)]
struct Use {
    node: NodeId,
    layout: Layout,
    own: Classes,
    write: bool,
    /// Who reads it in this layout later.
    look_ahead: Classes,
    /// Classes of earlier parts that a layout change waits for.
    pending: Classes,
}

impl Waits {
    /// Notes an access in a cell. Returns the old layout if it changes.
    #[inline]
    fn step(&mut self, cell: &mut Cell, by: Use, done: &[u32], batches: &[(Classes, u32)]) -> Option<Layout> {
        let mut changed = None;
        if cell.layout != by.layout {
            changed = Some(cell.layout);
            self.source |= cell.used;
            if cell.layout != Layout::Undefined && cell.batch == NONE {
                self.source |= by.pending;
            }
            self.target |= by.own | by.look_ahead;
            *cell = Cell {
                used: by.own,
                sees: 0,
                seen_before: 0,
                writer: NodeId::NONE,
                batch: self.batch,
                layout: by.layout,
            };
        } else {
            if cell.batch == self.batch {
                self.target |= by.own;
            } else if cell.batch != NONE {
                let (seen_by, time) = batches[cell.batch as usize];
                let sees = if cell.writer == by.node { cell.seen_before } else { cell.sees };
                let unseen = by.own & !(seen_by | sees);
                if unseen != 0 && !bits(unseen).all(|t| bits(seen_by).any(|d| done[d * CLASSES + t] > time)) {
                    self.source |= seen_by;
                    self.target |= by.own | by.look_ahead;
                }
                cell.sees |= by.own;
                cell.seen_before |= by.own;
            }
            cell.used |= by.own;
        }
        if by.write {
            if cell.writer != by.node {
                (cell.writer, cell.seen_before) = (by.node, cell.sees);
            }
            cell.sees = ALL;
        }
        changed
    }
}

const CLASSES: usize = 40;

fn bits(mut set: Classes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit
        })
    })
}

/// Whether barriers later than `time` cover each pair.
fn covered(done: &[u32], source: Classes, target: Classes, time: u32) -> bool {
    bits(source).all(|s| bits(target).all(|t| done[s * CLASSES + t] > time))
}

/// Writes [`Plan`] from the schedule, and carries [`SubresourceStates`] over the part.
#[allow(clippy::too_many_arguments, clippy::too_many_lines)]
pub fn place_barriers(
    schedule: Res<Schedule>,
    nodes: Res<Nodes>,
    accesses: Res<Accesses>,
    edges: Res<Edges>,
    table: Res<ResourceTable>,
    pool: Res<PassPool>,
    members: Res<PassMembers>,
    switches: Res<Switches>,
    passes: Query<&PassRows>,
    mut scratch: ResMut<BarrierScratch>,
    mut states: ResMut<SubresourceStates>,
    mut plan: ResMut<Plan>,
) {
    let plan = &mut *plan;
    plan.clear();
    states.refresh(&table);
    let states = &mut *states;
    let s = &mut *scratch;
    let on = switches.on(&PLACE_BARRIERS);
    let writes = write_classes();
    s.begin(&table, &accesses, states);
    if on {
        s.cross(&schedule, &accesses, &edges, switches.knob("M-4.1d"));
    }

    let mut single = [NodeId::NONE];
    let mut next = 0;
    let (mut read_here, mut written_anywhere) = (0, 0);
    for (place, &unit) in schedule.units.iter().enumerate() {
        let time = place as u32 + 1;
        let nodes_here = unit_members(unit, &pool, &members, &mut single, |e| passes.get(e).ok().copied());
        let mut waits = Waits { source: 0, target: 0, batch: s.batches.len() as u32 };
        s.changes.clear();

        let first = next;
        while let Some(&Crossing { from, row, other, hazard, .. }) =
            s.crossings.get(next).filter(|crossing| crossing.to as usize == place)
        {
            next += 1;
            if from as usize == place {
                continue;
            }
            let (before, after) = if hazard == Hazard::War {
                (s.class[other as usize], s.class[row as usize] & writes)
            } else {
                (s.class[other as usize] & writes, s.class[row as usize])
            };
            if !covered(&s.done, before, after, from + 1) {
                waits.source |= before;
                waits.target |= after;
                if hazard == Hazard::Raw {
                    waits.target |= s.ahead[other as usize];
                }
            }
        }

        s.unit_writes.clear();
        let mut flags_here = 0;
        for &node in nodes_here {
            let flags = nodes.flags[node.index()];
            flags_here |= flags;
            if flags & node_flags::SKIPPED != 0 {
                continue;
            }
            for row in nodes.accesses[node.index()].range() {
                let own = s.class[row];
                let write = accesses.writes(row);
                read_here |= own & !writes;
                if write {
                    s.unit_writes.push(row as u32);
                }
                let id = accesses.resource[row];
                if let Some(readers) = s.readers.get(id.index())
                    && !readers.changes
                    && states.written[id.index()] == 0
                {
                    // Read alone, as it is: nobody waits.
                    continue;
                }
                let Some(state) = s.resource(states, id) else {
                    // An access to anything waits for everything of earlier parts.
                    let before = states.written.iter().fold(0, |all, w| all | w);
                    if on && bits(own).any(|t| before & !s.from_start[t] != 0) {
                        waits.source |= before;
                        waits.target |= own;
                    }
                    written_anywhere |= own & writes;
                    continue;
                };
                state.writes |= own & writes;
                let (settled, written, slots) = (state.settled, state.written, state.slots);
                let facts = &table.facts()[id.index()];
                if !settled && on {
                    let waiting = |pending: Classes, own: Classes| {
                        pending != 0 && bits(own).any(|t| pending & !s.from_start[t] != 0)
                    };
                    let for_writes = waiting(written, own);
                    // Whoever reads as well does not wait for readers with its reads.
                    let for_reads =
                        write && facts.flags & ResourceFlags::NEW == 0 && waiting(states.read, own & writes);
                    if (for_writes || for_reads) && !follows(&s.crossings[first..next], &accesses, &table, row) {
                        waits.source |= if for_writes { written } else { 0 } | if for_reads { states.read } else { 0 };
                        waits.target |= if for_writes { own } else { own & writes };
                    }
                }
                let layout = accesses.layout[row];
                if layout == Layout::Undefined || facts.shape != Shape::Image {
                    continue;
                }
                let part = if let Part::Image(part) = &accesses.part[row] { facts.clamp(part) } else { facts.all() };
                let look_ahead = match s.readers[id.index()] {
                    readers if !write && readers.layout == layout => readers.classes,
                    _ => 0,
                };
                let pending = if settled { 0 } else { written | states.read };
                let by = Use { node, layout, own, write, look_ahead, pending };
                if slots == NONE {
                    let image = &mut s.resources[id.index()];
                    if image.uniform.layout == layout || whole(facts, &part) {
                        if let Some(from) = waits.step(&mut image.uniform, by, &s.done, &s.batches) {
                            s.changes.push(Transition { resource: id, part: facts.all(), from, to: layout });
                        }
                        continue;
                    }
                    image.slots = s.slots.len() as u32;
                    let cells = usize::from(facts.levels) * usize::from(facts.layers);
                    s.slots.resize(s.slots.len() + cells, NONE);
                }
                for level in part.base_level..part.base_level + part.levels {
                    for layer in part.base_layer..part.base_layer + part.layers {
                        let number = usize::from(level) * usize::from(facts.layers) + usize::from(layer);
                        let cell = s.cell(states, id, number);
                        if let Some(from) = waits.step(&mut s.cells[cell], by, &s.done, &s.batches) {
                            push_change(&mut s.changes, id, facts, level, layer, from, layout);
                        }
                    }
                }
            }
        }

        let Waits { source, mut target, .. } = waits;
        if source | target != 0 || !s.changes.is_empty() {
            // Others that wait for the same classes in stages that wait anyway ride along.
            let (_, stages) = uses_and_stages(target);
            let riders = bits(source & writes).fold(0, |all, c| all | s.open[c]);
            let (rider_uses, rider_stages) = uses_and_stages(riders);
            target |= classes(rider_uses & uses::SHADER, rider_stages & stages) & riders;
            let (source_uses, source_stages) = uses_and_stages(source);
            let (target_uses, target_stages) = uses_and_stages(target);
            let (source, target) = (classes(source_uses, source_stages), classes(target_uses, target_stages));
            for from in bits(source) {
                for to in bits(target) {
                    s.done[from * CLASSES + to] = time;
                }
            }
            for to in bits(target) {
                s.from_start[to] |= source;
            }
            let row = plan.batches.len() as u32;
            plan.batches.push(Batch {
                source_uses,
                source_stages,
                target_uses,
                target_stages,
                first_transition: plan.transitions.len() as u32,
                transitions: s.changes.len() as u32,
            });
            plan.transitions.extend_from_slice(&s.changes);
            plan.steps.push(Step::Barrier(row));
            s.batches.push((target, time));
        }

        // The unit itself.
        for &row in &s.unit_writes {
            let row = row as usize;
            let ahead = s.ahead[row];
            if ahead != 0 {
                for class in bits(s.class[row] & writes) {
                    s.open[class] |= ahead;
                }
            }
            let id = accesses.resource[row];
            if let Some(facts) = table.facts().get(id.index())
                && covers(facts, &accesses.part[row])
            {
                s.resources[id.index()].settled = true;
            }
        }
        match unit {
            Unit::Node(id) => plan.steps.push(Step::Node(id)),
            Unit::Pass(id) => {
                plan.steps.push(Step::BeginPass(id));
                if flags_here & (node_flags::SELF_BARRIER | node_flags::SKIPPED | node_flags::FOLDED) == 0 {
                    plan.steps.extend(nodes_here.iter().map(|member| Step::Node(*member)));
                } else {
                    members_with_barriers(nodes_here, &nodes, &accesses, &table, plan, &mut s.batches);
                }
                plan.steps.push(Step::EndPass(id));
            }
        }
    }

    states.read |= read_here;
    carry_over(&table, s, states, written_anywhere);
}

/// Writes the members of a pass with the barriers by region among them.
fn members_with_barriers(
    members: &[NodeId],
    nodes: &Nodes,
    accesses: &Accesses,
    table: &ResourceTable,
    plan: &mut Plan,
    batches: &mut Vec<(Classes, u32)>,
) {
    let mut written = 0;
    for &member in members {
        let flags = nodes.flags[member.index()];
        if flags & node_flags::SKIPPED != 0 {
            continue;
        }
        let rows = nodes.accesses[member.index()].range();
        if flags & node_flags::SELF_BARRIER != 0 && flags & node_flags::FOLDED == 0 && written != 0 {
            // A target is read as a texture or as a storage image.
            let (mut shader, mut stages) = (0, 0);
            for row in rows.clone() {
                let used = accesses.uses[row] & LOOP_USES;
                if used != 0 && table.facts().get(accesses.resource[row].index()).is_some_and(is_image) {
                    shader |= used;
                    stages |= accesses.stages[row];
                }
            }
            let row = plan.batches.len() as u32;
            plan.batches.push(Batch {
                source_uses: written,
                target_uses: shader,
                target_stages: stages,
                first_transition: plan.transitions.len() as u32,
                ..Batch::default()
            });
            batches.push((0, 0));
            plan.steps.push(Step::SelfBarrier(row));
        }
        // The load operation writes too.
        for row in rows {
            written |= accesses.uses[row] & (uses::COLOR_WRITE | uses::DEPTH_WRITE);
        }
        if flags & node_flags::FOLDED == 0 {
            plan.steps.push(Step::Node(member));
        }
    }
}

/// Uses by which a draw may touch its own target besides attaching it.
pub const LOOP_USES: u32 = uses::SAMPLED | uses::STORAGE_READ | uses::STORAGE_WRITE;

fn is_image(facts: &Facts) -> bool {
    facts.shape == Shape::Image
}

/// Whether all that an access touches of an image has a layout before the part.
fn has_layout(facts: &Facts, part: &Part, layouts: &ImageLayouts, layout: Layout) -> bool {
    if layouts.cells.is_empty() {
        return layouts.uniform == layout;
    }
    let part = if let Part::Image(part) = part { facts.clamp(part) } else { facts.all() };
    (part.base_level..part.base_level + part.levels).all(|level| {
        let start = usize::from(level) * usize::from(facts.layers) + usize::from(part.base_layer);
        layouts.cells[start..start + usize::from(part.layers)].iter().all(|has| *has == layout)
    })
}

fn whole(facts: &Facts, part: &Subresources) -> bool {
    part.levels == facts.levels && part.layers == facts.layers
}

/// Whether all that an access touches was written in this part before it, given the dependencies of its unit.
#[cold]
fn follows(crossings: &[Crossing], accesses: &Accesses, table: &ResourceTable, row: usize) -> bool {
    crossings.iter().any(|crossing| {
        let other = crossing.other as usize;
        crossing.row as usize == row
            && crossing.hazard != Hazard::War
            && accesses.resource[other] == accesses.resource[row]
            && encloses(table, accesses, other, row)
    })
}

/// Whether access `a` touches all that access `b` to the same resource touches.
fn encloses(table: &ResourceTable, accesses: &Accesses, a: usize, b: usize) -> bool {
    let facts = table.get(accesses.resource[a]);
    match (&accesses.part[a], &accesses.part[b]) {
        (Part::Bytes(start, length), Part::Bytes(other, other_length)) => {
            start <= other && other.saturating_add(*other_length) <= start.saturating_add(*length)
        }
        (Part::Image(a), Part::Image(b)) => {
            let (a, b) = (facts.clamp(a), facts.clamp(b));
            a.aspects.0 & b.aspects.0 == b.aspects.0
                && a.base_level <= b.base_level
                && b.base_level + b.levels <= a.base_level + a.levels
                && a.base_layer <= b.base_layer
                && b.base_layer + b.layers <= a.base_layer + a.layers
        }
        _ => false,
    }
}

/// Whether an access covers all of a resource.
fn covers(facts: &Facts, part: &Part) -> bool {
    match (part, facts.shape) {
        (Part::Image(part), Shape::Image) => facts.clamp(part) == facts.all(),
        (Part::Bytes(offset, length), Shape::Buffer) => *offset == 0 && *length >= facts.range.length,
        _ => false,
    }
}

/// Appends a layout change of one level and layer, joined to its neighbours where they make a rectangle.
fn push_change(
    changes: &mut Vec<Transition>,
    resource: ResourceId,
    facts: &Facts,
    level: u8,
    layer: u16,
    from: Layout,
    to: Layout,
) {
    if let Some(last) = changes.last_mut()
        && (last.resource, last.from, last.to) == (resource, from, to)
        && last.part.base_level + last.part.levels - 1 == level
        && last.part.levels == 1
        && last.part.base_layer + last.part.layers == layer
    {
        last.part.layers += 1;
    } else {
        let part = Subresources { aspects: facts.aspects, base_level: level, levels: 1, base_layer: layer, layers: 1 };
        changes.push(Transition { resource, part, from, to });
    }
    // A finished row of layers joins the level above it.
    if let [.., above, last] = changes.as_mut_slice()
        && (above.resource, above.from, above.to) == (last.resource, last.from, last.to)
        && (above.part.base_layer, above.part.layers) == (last.part.base_layer, last.part.layers)
        && above.part.base_level + above.part.levels == last.part.base_level
    {
        above.part.levels += 1;
        changes.pop();
    }
}

/// Writes the states of what the part touched back. `anywhere`: classes of writes to nobody knows what.
fn carry_over(table: &ResourceTable, s: &BarrierScratch, states: &mut SubresourceStates, anywhere: Classes) {
    for &id in &s.touched {
        let state = &s.resources[id.index()];
        let written = if state.settled { 0 } else { state.written };
        states.written[id.index()] = written | state.writes;
        let layouts = &mut states.layouts[id.index()];
        if state.slots == NONE {
            layouts.uniform = state.uniform.layout;
        } else if layouts.cells.is_empty() {
            let facts = &table.facts()[id.index()];
            let count = usize::from(facts.levels) * usize::from(facts.layers);
            layouts.cells.resize(count, state.uniform.layout);
        }
    }
    for (cell, (id, number)) in s.cells.iter().zip(&s.owners) {
        states.layouts[id.index()].cells[*number as usize] = cell.layout;
    }
    for &id in &s.touched {
        let layouts = &mut states.layouts[id.index()];
        if let Some(&first) = layouts.cells.first()
            && layouts.cells.iter().all(|layout| *layout == first)
        {
            layouts.uniform = first;
            layouts.cells.clear();
        }
    }
    if anywhere != 0 {
        states.written.iter_mut().for_each(|written| *written |= anywhere);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_uses_are_inverse_but_for_the_product() {
        let set = classes(uses::SAMPLED | uses::COLOR_WRITE, 0b10_0001);
        assert_eq!(uses_and_stages(set), (uses::SAMPLED | uses::COLOR_WRITE, 0b10_0001));
        let mixed = classes(uses::SAMPLED, 0b1_0000) | classes(uses::UNIFORM, 1);
        let (used, stages) = uses_and_stages(mixed);
        assert!(classes(used, stages) & mixed == mixed && classes(used, stages) != mixed);
    }

    #[test]
    fn changes_of_neighbours_become_one_rectangle() {
        let facts = Facts {
            shape: Shape::Image,
            levels: 3,
            layers: 2,
            aspects: crate::state::Aspects::COLOR,
            ..Facts::default()
        };
        let mut changes = Vec::new();
        for level in 0..3 {
            for layer in 0..2 {
                push_change(&mut changes, ResourceId(0), &facts, level, layer, Layout::Color, Layout::Sampled);
            }
        }
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].part.levels, changes[0].part.layers), (3, 2));
    }
}
