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
use crate::layouts::rows_of;
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
    layout: Layout,
    /// Accesses since the last layout change.
    used: Classes,
    /// Batch of the last layout change; `NONE` = none in this part.
    batch: u32,
    /// Classes that see it besides the targets of that batch.
    sees: Classes,
    /// The node that wrote it last, and what saw it before that: the node's own reads come before its writes.
    writer: NodeId,
    seen_before: Classes,
}

#[derive(Debug, Clone, Copy)]
struct ImageState {
    uniform: Cell,
    /// First row of `cells`; `NONE` = uniform.
    cut: u32,
    /// Read classes by any unit of the part, for look-ahead, by layout last seen.
    readers: Classes,
    readers_layout: Layout,
}

const NONE: u32 = u32::MAX;

/// Working memory of [`place_barriers`], kept between parts.
#[derive(Debug, Default, Resource)]
pub struct BarrierScratch {
    images: Vec<ImageState>,
    cells: Vec<Cell>,
    settled: Vec<bool>,
    /// By access: all it touches was written in this part before it.
    follows: Vec<bool>,
    first_edge: Vec<u32>,
    by_unit: Vec<u32>,
    /// Accesses of the unit at hand.
    unit_rows: Vec<u32>,
    ahead: Vec<Classes>,
    /// Per batch: target classes, and its time.
    batches: Vec<(Classes, u32)>,
    done: Vec<u32>,
    from_start: Vec<Classes>,
    open: Vec<Classes>,
    changes: Vec<Transition>,
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
    let s = &mut *scratch;
    let on = switches.on(&PLACE_BARRIERS);
    let per_resource = switches.knob("M-4.1d");
    let writes = write_classes();
    let class_of = |row: u32| classes(accesses.uses[row as usize], accesses.stages[row as usize]);

    s.images.clear();
    s.images.extend(states.layouts.iter().map(|l| ImageState {
        uniform: Cell { layout: l.uniform, used: 0, batch: NONE, sees: ALL, writer: NodeId::NONE, seen_before: ALL },
        cut: NONE,
        readers: 0,
        readers_layout: Layout::Undefined,
    }));
    s.cells.clear();
    for (image, layouts) in s.images.iter_mut().zip(&states.layouts) {
        if !layouts.cells.is_empty() {
            image.cut = s.cells.len() as u32;
            s.cells.extend(layouts.cells.iter().map(|l| Cell { layout: *l, ..image.uniform }));
        }
    }
    s.settled.clear();
    s.settled.resize(table.len(), false);
    s.batches.clear();
    s.done.clear();
    s.done.resize(CLASSES * CLASSES, 0);
    s.from_start.clear();
    s.from_start.resize(CLASSES, 0);
    s.open.clear();
    s.open.resize(CLASSES, 0);

    // Edges by the unit that waits; and for each write, who will read it.
    let count = schedule.units.len();
    s.first_edge.clear();
    s.first_edge.resize(count + 1, 0);
    s.ahead.clear();
    s.ahead.resize(accesses.len(), 0);
    s.follows.clear();
    s.follows.resize(accesses.len(), false);
    let crosses = |n: usize| {
        let (from, to) = (schedule.unit_of[edges.from[n].index()], schedule.unit_of[edges.to[n].index()]);
        let apart = per_resource
            && edges.hazard[n] != Hazard::Order
            && accesses.resource[edges.source[n] as usize] != accesses.resource[edges.access[n] as usize];
        (from < to && to != NONE && edges.hazard[n] != Hazard::Order && !apart && on).then_some((from, to))
    };
    for n in 0..edges.len() {
        if let Some((_, to)) = crosses(n) {
            s.first_edge[to as usize + 1] += 1;
            let (row, other) = (edges.access[n] as usize, edges.source[n] as usize);
            if !s.follows[row] && edges.hazard[n] != Hazard::War {
                s.follows[row] =
                    accesses.resource[row] == accesses.resource[other] && encloses(&table, &accesses, other, row);
            }
            if edges.hazard[n] == Hazard::Raw {
                s.ahead[edges.source[n] as usize] |= class_of(edges.access[n]);
            }
        }
    }
    for n in 0..count {
        s.first_edge[n + 1] += s.first_edge[n];
    }
    s.by_unit.clear();
    s.by_unit.resize(s.first_edge[count] as usize, 0);
    for n in 0..edges.len() {
        if let Some((_, to)) = crosses(n) {
            let slot = &mut s.first_edge[to as usize];
            s.by_unit[*slot as usize] = n as u32;
            *slot += 1;
        }
    }
    // Each slot has moved to the next unit's start.
    for row in 0..accesses.len() {
        let layout = accesses.layout[row];
        if layout != Layout::Undefined
            && !accesses.writes(row)
            && let Some(image) = s.images.get_mut(accesses.resource[row].index())
        {
            if image.readers_layout != layout {
                (image.readers_layout, image.readers) = (layout, 0);
            }
            image.readers |= class_of(row as u32);
        }
    }

    let mut single = [NodeId::NONE];
    for (place, &unit) in schedule.units.iter().enumerate() {
        let time = place as u32 + 1;
        let nodes_here = unit_members(unit, &pool, &members, &mut single, |e| passes.get(e).ok().copied());
        let batch = s.batches.len() as u32;
        let (mut source, mut target) = (0, 0);
        s.changes.clear();

        let start = if place == 0 { 0 } else { s.first_edge[place - 1] };
        for at in start..s.first_edge[place] {
            let edge = s.by_unit[at as usize] as usize;
            let from = schedule.unit_of[edges.from[edge].index()];
            let (row, other) = (edges.access[edge], edges.source[edge]);
            let (before, after) = if edges.hazard[edge] == Hazard::War {
                (class_of(other), class_of(row) & writes)
            } else {
                (class_of(other) & writes, class_of(row))
            };
            if !covered(&s.done, before, after, from + 1) {
                source |= before;
                target |= after;
                if edges.hazard[edge] == Hazard::Raw {
                    target |= s.ahead[other as usize];
                }
            }
        }

        s.unit_rows.clear();
        s.unit_rows.extend(rows_of(&nodes, nodes_here).map(|row| row as u32));
        for &row in &s.unit_rows {
            let row = row as usize;
            let id = accesses.resource[row];
            let Some(facts) = table.facts().get(id.index()) else {
                // An access to anything waits for everything of earlier parts.
                let before = states.written.iter().fold(0, |all, w| all | w);
                let own = class_of(row as u32);
                if on && bits(own).any(|t| before & !s.from_start[t] != 0) {
                    source |= before;
                    target |= own;
                }
                continue;
            };
            let own = class_of(row as u32);
            let (node, write) = (accesses.node[row], accesses.writes(row));
            if !s.settled[id.index()] && !s.follows[row] && on {
                let waits =
                    |pending: Classes, own: Classes| pending != 0 && bits(own).any(|t| pending & !s.from_start[t] != 0);
                let written = states.written[id.index()];
                if waits(written, own) {
                    source |= written;
                    target |= own;
                }
                // Whoever reads as well does not wait for readers with its reads.
                if write && facts.flags & ResourceFlags::NEW == 0 && waits(states.read, own & writes) {
                    source |= states.read;
                    target |= own & writes;
                }
            }
            let layout = accesses.layout[row];
            if layout == Layout::Undefined || facts.shape != Shape::Image {
                continue;
            }
            let part = if let Part::Image(part) = &accesses.part[row] { facts.clamp(part) } else { facts.all() };
            let image = &mut s.images[id.index()];
            let look_ahead = if !write && image.readers_layout == layout { image.readers } else { 0 };
            let pending = if s.settled[id.index()] { 0 } else { states.written[id.index()] | states.read };
            let mut step = |cell: &mut Cell, change: &mut dyn FnMut(Layout)| {
                if cell.layout != layout {
                    change(cell.layout);
                    source |= cell.used;
                    if cell.layout != Layout::Undefined && cell.batch == NONE {
                        source |= pending;
                    }
                    target |= own | look_ahead;
                    *cell = Cell { layout, used: own, batch, sees: 0, writer: NodeId::NONE, seen_before: 0 };
                } else {
                    if cell.batch == batch {
                        target |= own;
                    } else if cell.batch != NONE {
                        let (seen_by, changed) = s.batches[cell.batch as usize];
                        let sees = if cell.writer == node { cell.seen_before } else { cell.sees };
                        let unseen = own & !(seen_by | sees);
                        if unseen != 0
                            && !bits(unseen).all(|t| bits(seen_by).any(|d| s.done[d * CLASSES + t] > changed))
                        {
                            source |= seen_by;
                            target |= own | look_ahead;
                        }
                        cell.sees |= own;
                        cell.seen_before |= own;
                    }
                    cell.used |= own;
                }
                if write {
                    if cell.writer != node {
                        (cell.writer, cell.seen_before) = (node, cell.sees);
                    }
                    cell.sees = ALL;
                }
            };
            if image.cut == NONE {
                if image.uniform.layout == layout || (whole(facts, &part)) {
                    step(&mut image.uniform, &mut |from| {
                        s.changes.push(Transition { resource: id, part: facts.all(), from, to: layout });
                    });
                    continue;
                }
                image.cut = s.cells.len() as u32;
                let cells = usize::from(facts.levels) * usize::from(facts.layers);
                s.cells.resize(s.cells.len() + cells, image.uniform);
            }
            for level in part.base_level..part.base_level + part.levels {
                for layer in part.base_layer..part.base_layer + part.layers {
                    let at = image.cut as usize + usize::from(level) * usize::from(facts.layers) + usize::from(layer);
                    step(&mut s.cells[at], &mut |from| {
                        push_change(&mut s.changes, id, facts, level, layer, from, layout)
                    });
                }
            }
        }

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
        let mut written = 0;
        for &row in &s.unit_rows {
            let row = row as usize;
            if accesses.writes(row) {
                for class in bits(class_of(row as u32) & writes) {
                    s.open[class] |= s.ahead[row];
                }
                let id = accesses.resource[row];
                if let Some(facts) = table.facts().get(id.index())
                    && covers(facts, &accesses.part[row])
                {
                    s.settled[id.index()] = true;
                }
            }
        }
        match unit {
            Unit::Node(id) => plan.steps.push(Step::Node(id)),
            Unit::Pass(id) => {
                plan.steps.push(Step::BeginPass(id));
                let flags_of = |member: &NodeId| nodes.flags[member.index()];
                if !nodes_here.iter().any(|member| flags_of(member) & node_flags::SELF_BARRIER != 0) {
                    let left_out = node_flags::SKIPPED | node_flags::FOLDED;
                    let runs = nodes_here.iter().filter(|member| flags_of(member) & left_out == 0);
                    plan.steps.extend(runs.map(|member| Step::Node(*member)));
                    plan.steps.push(Step::EndPass(id));
                    continue;
                }
                for &member in nodes_here {
                    let flags = nodes.flags[member.index()];
                    if flags & node_flags::SKIPPED != 0 {
                        continue;
                    }
                    if flags & node_flags::FOLDED != 0 {
                        // The load operation writes too.
                        for row in nodes.accesses[member.index()].range() {
                            written |= accesses.uses[row] & (uses::COLOR_WRITE | uses::DEPTH_WRITE);
                        }
                        continue;
                    }
                    if flags & node_flags::SELF_BARRIER != 0 && written != 0 {
                        // A target is read as a texture or as a storage image.
                        let (mut shader, mut stages) = (0, 0);
                        for row in nodes.accesses[member.index()].range() {
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
                        s.batches.push((0, 0));
                        plan.steps.push(Step::SelfBarrier(row));
                    }
                    for row in nodes.accesses[member.index()].range() {
                        written |= accesses.uses[row] & (uses::COLOR_WRITE | uses::DEPTH_WRITE);
                    }
                    plan.steps.push(Step::Node(member));
                }
                plan.steps.push(Step::EndPass(id));
            }
        }
    }

    carry_over(&accesses, &nodes, &table, s, &mut states);
}

/// Uses by which a draw may touch its own target besides attaching it.
pub const LOOP_USES: u32 = uses::SAMPLED | uses::STORAGE_READ | uses::STORAGE_WRITE;

fn is_image(facts: &Facts) -> bool {
    facts.shape == Shape::Image
}

fn whole(facts: &Facts, part: &Subresources) -> bool {
    part.levels == facts.levels && part.layers == facts.layers
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

fn carry_over(
    accesses: &Accesses,
    nodes: &Nodes,
    table: &ResourceTable,
    s: &mut BarrierScratch,
    states: &mut SubresourceStates,
) {
    for ((layouts, image), facts) in states.layouts.iter_mut().zip(&s.images).zip(table.facts()) {
        layouts.cells.clear();
        if image.cut == NONE {
            layouts.uniform = image.uniform.layout;
            continue;
        }
        let count = usize::from(facts.levels) * usize::from(facts.layers);
        let cells = &s.cells[image.cut as usize..image.cut as usize + count];
        if cells.iter().all(|cell| cell.layout == cells[0].layout) {
            layouts.uniform = cells[0].layout;
        } else {
            layouts.cells.extend(cells.iter().map(|cell| cell.layout));
        }
    }
    for (n, settled) in s.settled.iter().enumerate() {
        if *settled {
            states.written[n] = 0;
        }
    }
    let writes = write_classes();
    for row in 0..accesses.len() {
        if nodes.flags[accesses.node[row].index()] & node_flags::SKIPPED != 0 {
            continue;
        }
        let own = classes(accesses.uses[row], accesses.stages[row]);
        states.read |= own & !writes;
        if own & writes != 0 {
            match states.written.get_mut(accesses.resource[row].index()) {
                Some(written) => *written |= own & writes,
                None => states.written.iter_mut().for_each(|w| *w |= own & writes),
            }
        }
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
