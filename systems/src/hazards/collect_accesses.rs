//! Who touches what.
//!
//! On Maxwell the texture cache does not follow the render output: a sample sees an earlier draw only after a barrier. A PC driver asks for more: it wants
//! each such pair named, with the state that the image must be in, and it wants nothing at all for other levels or layers of the same texture, or for
//! depth that is only tested. So every node that runs gets a list of (resource, subresources or bytes, uses, stages, layout). This list is the only input
//! of dependency building, of barrier placement and of the verifier.
//!
//! Draws in a row with the same targets share rows: the row names the first draw and the last. A row ends
//! - where the targets change or another node comes between (a barrier of the game too),
//! - around a draw that stores to memory, that touches an attachment of its own pass, or that reaches memory through an unknown address: such a draw
//!   has rows of its own, so that a pass may begin or end there.
//!
//! Bytes that nobody writes in the part (vertices and indices as a rule) need no more than one row for each run and use: it reaches from the first byte to the
//! last that the run reads, as long as nothing in between is written.
//!
//! An attachment's loads and stores are accesses too: a target that a draw leaves alone is still read by the pass. An unknown access (bindless with an
//! unknown handle) is `Any` and conflicts with everything.
//!
//! Seen when wrong: reflections one frame late, bloom of garbage, rectangles of the last frame in shadows.
//! Rows: M-1.9a.  Cost: one pass over draws and their bindings; equal views in one run of draws cost one comparison.

use crate::resources::intervals::Intervals;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use framegraph::ids::{NodeId, ResourceId, Rows, StateId};
use framegraph::resource::{Layout, Part};
use framegraph::resource_table::{ResourceQuery, ResourceTable, Shape};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, DepthState, Dim, Stage, StageSet, StencilOp, Subresources, ViewKey};
use framegraph::tables::{
    Accesses, BindKind, BindSource, Binding, Bindings, BufferSlice, ClearTarget, Clears, CommandOrder, Copies, Copy,
    Dispatches, Downloads, DrawCall, Draws, NodeKind, Nodes, Presents, Slices, States, Stretch, Upload, Uploads,
    node_flags, uses,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "collect_accesses",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["M-1.9a"],
    after: &[
        "lower_indirect",
        "lower_clears",
        "lower_copies",
        "order_inline_updates",
        "zero_initialise",
        "prepare_present",
    ],
    off_means: "cannot be off: nothing would be ordered",
    knobs: &["M-1.9a"],
};

/// The payload tables, as this rule reads them.
#[derive(SystemParam)]
pub struct Payloads<'w> {
    /// Draws.
    pub draws: Res<'w, Draws>,
    /// Dispatches.
    pub dispatches: Res<'w, Dispatches>,
    /// Copies.
    pub copies: Res<'w, Copies>,
    /// Clears.
    pub clears: Res<'w, Clears>,
    /// Uploads.
    pub uploads: Res<'w, Uploads>,
    /// Downloads.
    pub downloads: Res<'w, Downloads>,
    /// Presents.
    pub presents: Res<'w, Presents>,
    /// Bindings.
    pub bindings: Res<'w, Bindings>,
    /// Vertex streams.
    pub slices: Res<'w, Slices>,
    /// Interned state.
    pub states: Res<'w, States>,
}

const ALL_GRAPHICS: StageSet = 0x1f;
const COMPUTE: StageSet = 1 << Stage::Compute as u8;
const CACHE: usize = 4096;

/// Working memory, kept between parts.
#[derive(Debug, Default, Resource)]
pub struct CollectScratch {
    /// By view: where it was last seen sampled.
    view_seen: Vec<ViewSeen>,
    /// By resource: the run to whose targets it belongs.
    attached: Vec<u32>,
    /// Direct-mapped: run and row of a buffer range.
    slices_seen: Vec<(u32, u32)>,
    /// Rows of bytes that nobody writes, of the run at hand.
    quiet: Vec<Quiet>,
    /// Bytes that some node of the part writes.
    written: Intervals,
    /// By resource: all of its bytes are in `written`.
    noted: Vec<bool>,
    run: u32,
}

/// A view that a run samples.
#[derive(Debug, Clone, Copy, Default)]
struct ViewSeen {
    run: u32,
    row: u32,
    stages: StageSet,
}

/// A row of reads of bytes that nobody writes.
#[derive(Debug, Clone, Copy)]
struct Quiet {
    resource: ResourceId,
    uses: u32,
    stages: StageSet,
    row: u32,
    start: u64,
    end: u64,
    /// How far it may reach.
    limits: (u64, u64),
}

/// A run of draws with the same targets, while it is open.
struct Run {
    targets: StateId,
    first_row: u32,
    last: NodeId,
    /// Rows of the attachments: colour slots, depth, stencil.
    rows: [u32; 10],
    /// What was last merged into them, to skip equal draws.
    state: (u32, StateId),
    bindings: Rows,
    vertex_buffers: Rows,
    /// What the rows of vertices and of indices reach over, where nobody writes it.
    geometry: [Reach; 2],
    open: bool,
}

/// Bytes that a row reaches over.
#[derive(Clone, Copy)]
struct Reach {
    resource: ResourceId,
    start: u64,
    end: u64,
}

const NOWHERE: Reach = Reach { resource: ResourceId::NONE, start: 0, end: 0 };

/// What is known of the pass that the open run is likely to end up in.
#[derive(Clone, Copy)]
struct PassSoFar {
    targets: StateId,
    /// Slots written, bit 8 = depth or stencil.
    written: u16,
    /// Some draw touched an attachment.
    feedback: bool,
}

const NO_PASS: PassSoFar = PassSoFar { targets: StateId::NONE, written: 0, feedback: false };

const CLOSED: Run = Run {
    targets: StateId::NONE,
    first_row: 0,
    last: NodeId::NONE,
    rows: [u32::MAX; 10],
    state: (0, StateId::NONE),
    bindings: Rows { start: 0, len: u32::MAX },
    vertex_buffers: Rows { start: 0, len: u32::MAX },
    geometry: [NOWHERE; 2],
    open: false,
};

/// Whether a draw with this state changes stencil.
fn writes_stencil(state: &DepthState) -> bool {
    state.stencil.is_some_and(|faces| {
        faces
            .iter()
            .any(|f| f.write_mask != 0 && [f.fail, f.depth_fail, f.pass].iter().any(|op| *op != StencilOp::Keep))
    })
}

/// Whether a draw with this state changes depth.
fn writes_depth(state: &DepthState) -> bool {
    state.write && state.test.is_some()
}

struct Collector<'a> {
    payloads: &'a Payloads<'a>,
    table: &'a ResourceTable,
    accesses: &'a mut Accesses,
    scratch: &'a mut CollectScratch,
    run: Run,
    pass: PassSoFar,
    /// Mutant of M-1.9a.
    careless: bool,
    written: Vec<ResourceId>,
}

impl Collector<'_> {
    fn part_of(&self, view: &ViewKey, dim: Dim) -> (Part, Layout) {
        let facts = self.table.get(view.resource);
        match facts.shape {
            Shape::Image => {
                let mut part = view.part;
                if dim == Dim::D3 {
                    (part.base_layer, part.layers) = (0, facts.layers);
                }
                (Part::Image(if self.careless { facts.all() } else { facts.clamp(&part) }), Layout::Sampled)
            }
            _ => (Part::Bytes(0, facts.range.length), Layout::Undefined),
        }
    }

    fn push(&mut self, node: NodeId, id: ResourceId, part: Part, used: u32, stages: StageSet, layout: Layout) {
        if id.is_some() {
            self.accesses.push(node, id, part, used, stages, layout);
        }
    }

    fn slice(&mut self, node: NodeId, slice: BufferSlice, used: u32, stages: StageSet) {
        if slice.length == 0 {
            return;
        }
        let part = Part::Bytes(slice.offset, slice.length);
        self.push(node, slice.resource, part, used, stages, Layout::Undefined);
    }

    /// Notes which bytes any node of the part writes.
    fn note_writes(&mut self) {
        self.scratch.written.clear();
        self.scratch.noted.clear();
        self.scratch.noted.resize(self.table.len(), false);
        let payloads = self.payloads;
        for set in payloads.states.targets.values() {
            for attachment in set.color.iter().chain([&set.depth]).flatten() {
                self.note_all(attachment.view.resource);
            }
        }
        for binding in payloads.bindings.rows.iter().filter(|binding| binding.written) {
            match &binding.source {
                BindSource::Slice(slice) => self.note(slice),
                BindSource::Image(view) => {
                    let image = payloads.states.views.get(*view).map_or(ResourceId::NONE, |key| key.resource);
                    self.note_all(image);
                }
                _ => {}
            }
        }
        for copy in &payloads.copies.rows {
            match copy {
                Copy::Buffer { target, .. } | Copy::ImageToBuffer { target, .. } | Copy::Fill { target, .. } => {
                    self.note(target);
                }
                Copy::BufferToImage { target, .. }
                | Copy::Image { target, .. }
                | Copy::Blit { target, .. }
                | Copy::Resolve { target, .. } => self.note_all(*target),
            }
        }
        for clear in &payloads.clears.rows {
            if let ClearTarget::Image(image, _) = clear.target {
                self.note_all(image);
            }
        }
        for upload in &payloads.uploads.rows {
            match upload {
                Upload::Buffer { target, .. } => self.note(target),
                Upload::Image { target, .. } => self.note_all(*target),
            }
        }
    }

    fn note(&mut self, slice: &BufferSlice) {
        let range = self.table.get(slice.resource).bytes(&Part::Bytes(slice.offset, slice.length));
        self.scratch.written.add(range);
    }

    /// Notes an image: its bytes concern buffers that share them.
    fn note_all(&mut self, id: ResourceId) {
        if let Some(facts) = self.table.facts().get(id.index())
            && (facts.aliased || facts.shape != Shape::Image)
            && let Some(noted) = self.scratch.noted.get_mut(id.index())
            && !std::mem::replace(noted, true)
        {
            self.scratch.written.add(facts.range);
        }
    }

    /// Begins a run: nothing that an earlier one read is shared any more.
    fn begin_run(&mut self) {
        self.scratch.run += 1;
        self.scratch.quiet.clear();
    }

    /// Whether a read of bytes went into a row of its run for bytes that nobody writes.
    fn quiet_slice(&mut self, node: NodeId, slice: BufferSlice, used: u32, stages: StageSet) -> bool {
        let (mut start, mut end) = (slice.offset, slice.offset.saturating_add(slice.length));
        let known = self.scratch.quiet.iter_mut().find(|row| row.resource == slice.resource && row.uses == used);
        if let Some(row) = known {
            (start, end) = (start.min(row.start), end.max(row.end));
            if start < row.limits.0 || row.limits.1 < end {
                return false;
            }
            row.stages |= stages;
            (row.start, row.end) = (start, end);
            self.accesses.part[row.row as usize] = Part::Bytes(start, end - start);
            self.accesses.stages[row.row as usize] = row.stages;
            return true;
        }
        let facts = self.table.get(slice.resource);
        let Some((first, last)) = self.scratch.written.gap(facts.bytes(&Part::Bytes(start, end - start))) else {
            return false;
        };
        let limits = (first.saturating_sub(facts.range.offset), last.saturating_sub(facts.range.offset));
        let row = self.accesses.len() as u32;
        self.scratch.quiet.push(Quiet { resource: slice.resource, uses: used, stages, row, start, end, limits });
        self.slice(node, slice, used, stages);
        true
    }

    /// A read of vertices (0) or indices (1). Draws of one run mostly read what a row of it reaches over.
    #[inline]
    fn geometry(&mut self, node: NodeId, slice: &BufferSlice, which: usize) {
        let reach = self.run.geometry[which];
        let end = slice.offset.saturating_add(slice.length);
        if slice.resource == reach.resource && reach.start <= slice.offset && end <= reach.end {
            return;
        }
        let used = [uses::VERTEX, uses::INDEX][which];
        self.shared_slice(node, *slice, used, 0);
        let row = self.scratch.quiet.iter().find(|row| row.resource == slice.resource && row.uses == used);
        self.run.geometry[which] =
            row.map_or(NOWHERE, |row| Reach { resource: row.resource, start: row.start, end: row.end });
    }

    /// A read of bytes that draws of one run share.
    fn shared_slice(&mut self, node: NodeId, slice: BufferSlice, used: u32, stages: StageSet) {
        if slice.length == 0 || !slice.resource.is_some() || self.quiet_slice(node, slice, used, stages) {
            return;
        }
        let key =
            (slice.offset ^ slice.length.rotate_left(40) ^ u64::from(slice.resource.0) << 20 ^ u64::from(used) << 52)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = (key >> 52) as usize;
        let (run, row) = self.scratch.slices_seen[slot];
        if run == self.scratch.run {
            let n = row as usize;
            if self.accesses.resource[n] == slice.resource
                && self.accesses.uses[n] == used
                && self.accesses.part[n] == Part::Bytes(slice.offset, slice.length)
            {
                self.accesses.stages[n] |= stages;
                return;
            }
        }
        self.scratch.slices_seen[slot] = (self.scratch.run, self.accesses.len() as u32);
        self.slice(node, slice, used, stages);
    }

    fn close_run(&mut self) {
        if self.run.open {
            self.accesses.last[self.run.first_row as usize..].fill(self.run.last);
            self.run = CLOSED;
        }
    }

    /// Opens a run with rows for all attachments of its targets.
    fn open_run(&mut self, node: NodeId, targets: StateId) {
        self.close_run();
        self.begin_run();
        self.run = Run { targets, first_row: self.accesses.len() as u32, last: node, open: true, ..CLOSED };
        let payloads = self.payloads;
        let Some(set) = payloads.states.targets.get(targets) else { return };
        for (slot, attachment) in set.color.iter().enumerate() {
            let Some(attachment) = attachment else { continue };
            self.run.rows[slot] = self.accesses.len() as u32;
            let (part, _) = self.part_of(&attachment.view, Dim::D2);
            self.push(node, attachment.view.resource, part, uses::COLOR_READ, 0, Layout::Color);
            self.attach(attachment.view.resource);
        }
        if let Some(attachment) = &set.depth {
            let (part, _) = self.part_of(&attachment.view, Dim::D2);
            let aspects = self.table.get(attachment.view.resource).aspects;
            for (slot, aspect) in [(8, Aspects::DEPTH), (9, Aspects::STENCIL)] {
                if aspects.intersects(aspect) {
                    self.run.rows[slot] = self.accesses.len() as u32;
                    let part = match part {
                        Part::Image(part) => Part::Image(Subresources { aspects: aspect, ..part }),
                        other => other,
                    };
                    self.push(node, attachment.view.resource, part, uses::DEPTH_READ, 0, Layout::Depth);
                }
            }
            self.attach(attachment.view.resource);
        }
    }

    fn attach(&mut self, id: ResourceId) {
        if let Some(run) = self.scratch.attached.get_mut(id.index()) {
            *run = self.scratch.run;
            for partner in self.table.partners(id) {
                self.scratch.attached[partner.index()] = self.scratch.run;
            }
        }
    }

    fn is_attached(&self, id: ResourceId) -> bool {
        self.scratch.attached.get(id.index()).is_some_and(|run| *run == self.scratch.run)
    }

    fn add_uses(&mut self, slot: usize, used: u32) {
        if let Some(row) = self.run.rows.get(slot).filter(|row| **row != u32::MAX)
            && let Some(have) = self.accesses.uses.get_mut(*row as usize)
        {
            *have |= used;
        }
    }

    /// Whether a node that writes these slots may have to begin a pass: a draw before it read a target that nobody had written until now.
    fn writes_first(&mut self, targets: StateId, written: u16) -> bool {
        if self.pass.targets != targets {
            self.pass = PassSoFar { targets, ..NO_PASS };
        }
        let grows = written & !self.pass.written != 0;
        self.pass.written |= written;
        grows && self.pass.feedback
    }

    /// What a draw does to its targets.
    fn targets(&mut self, write_mask: u32, depth: StateId) {
        if self.run.state == (write_mask, depth) {
            return;
        }
        self.run.state = (write_mask, depth);
        for slot in 0..8 {
            if write_mask >> (slot * 4) & 0xf != 0 {
                self.add_uses(slot, uses::COLOR_WRITE);
            }
        }
        if let Some(state) = self.payloads.states.depth.get(depth) {
            if writes_depth(state) {
                self.add_uses(8, uses::DEPTH_WRITE);
            }
            if writes_stencil(state) {
                self.add_uses(9, uses::DEPTH_WRITE);
            }
        }
    }

    /// Whether all of these bindings are textures that the run has seen sampled by the same stages, or nothing.
    #[inline]
    fn are_seen(&self, bindings: &[Binding]) -> bool {
        let (run, seen) = (self.scratch.run, &self.scratch.view_seen);
        bindings.iter().all(|binding| match binding.source {
            BindSource::Texture(view, _) => {
                let stage = 1 << binding.stage as u8;
                seen.get(view.index()).is_some_and(|seen| seen.run == run && seen.stages & stage != 0)
            }
            BindSource::Empty | BindSource::Snapshot(..) => true,
            BindSource::Slice(_) | BindSource::Image(_) => false,
        })
    }

    /// The bindings of a draw or dispatch. Returns whether the node needs rows of its own; with `probe` it then stops at once.
    fn bindings(&mut self, node: NodeId, rows: Rows, probe: bool) -> bool {
        let payloads = self.payloads;
        let Some(bindings) = payloads.bindings.rows.get(rows.range()) else { return false };
        let mut special = false;
        for binding in bindings {
            let stages = 1 << binding.stage as u8;
            match binding.source {
                BindSource::Empty | BindSource::Snapshot(..) => {}
                BindSource::Texture(view, _) => {
                    let seen = self.scratch.view_seen.get(view.index()).copied().unwrap_or_default();
                    if seen.run == self.scratch.run && seen.stages & stages == stages {
                        continue;
                    }
                    let Some(key) = payloads.states.views.get(view).copied() else { continue };
                    if self.is_attached(key.resource) {
                        special = true;
                        if probe {
                            return true;
                        }
                    }
                    if self.careless && self.written.contains(&key.resource) {
                        continue;
                    }
                    if seen.run == self.scratch.run {
                        self.accesses.stages[seen.row as usize] |= stages;
                        self.scratch.view_seen[view.index()].stages |= stages;
                        continue;
                    }
                    let (part, layout) = self.part_of(&key, key.dim);
                    if let Some(slot) = self.scratch.view_seen.get_mut(view.index()) {
                        *slot = ViewSeen { run: self.scratch.run, row: self.accesses.len() as u32, stages };
                    }
                    self.push(node, key.resource, part, uses::SAMPLED, stages, layout);
                }
                BindSource::Image(view) => {
                    let Some(key) = payloads.states.views.get(view).copied() else { continue };
                    special |= binding.written || self.is_attached(key.resource);
                    if special && probe {
                        return true;
                    }
                    let (part, layout) = self.part_of(&key, key.dim);
                    let layout = if layout == Layout::Undefined { layout } else { Layout::General };
                    self.push(node, key.resource, part, storage_uses(binding), stages, layout);
                }
                BindSource::Slice(slice) => {
                    if binding.kind == BindKind::Storage && binding.written {
                        special = true;
                        if probe {
                            return true;
                        }
                        self.slice(node, slice, storage_uses(binding), stages);
                    } else {
                        let used = match binding.kind {
                            BindKind::Uniform => uses::UNIFORM,
                            BindKind::Texture => uses::SAMPLED,
                            BindKind::Storage | BindKind::Image => storage_uses(binding),
                        };
                        self.shared_slice(node, slice, used, stages);
                    }
                }
            }
        }
        special
    }

    /// Appends the rows of draws that follow one another.
    fn draws(&mut self, nodes: &mut Nodes, stretch: &Stretch) {
        for (n, d) in stretch.nodes().zip(stretch.payloads()) {
            let start = self.accesses.len();
            if nodes.flags[n] & node_flags::SKIPPED == 0 {
                self.draw(nodes, NodeId(n as u32), d);
            }
            nodes.accesses[n] = self.note_rows(start);
        }
    }

    #[inline]
    fn draw(&mut self, nodes: &mut Nodes, node: NodeId, d: usize) {
        let payloads = self.payloads;
        let draws = &*payloads.draws;
        let (Some(&targets), flags) = (draws.targets.get(d), nodes.flags[node.index()]) else { return };
        let mut apart = flags & (node_flags::ANY_ACCESS | node_flags::PASS_BREAK) != 0;
        if self.run.state != (draws.write_mask[d], draws.depth[d]) || self.run.targets != targets {
            let state = payloads.states.depth.get(draws.depth[d]);
            let mut written = u16::from(state.is_some_and(|s| writes_depth(s) || writes_stencil(s))) << 8;
            for slot in 0..8 {
                written |= u16::from(draws.write_mask[d] >> (slot * 4) & 0xf != 0) << slot;
            }
            apart |= self.writes_first(targets, written);
        }
        if !self.run.open || self.run.targets != targets || apart {
            self.open_run(node, targets);
        }
        let start = self.accesses.len();
        let mut special = flags & node_flags::ANY_ACCESS != 0;
        let own = payloads.bindings.rows.get(draws.bindings[d].range()).unwrap_or_default();
        if special || draws.bindings[d] != self.run.bindings && !self.are_seen(own) {
            let fresh = self.run.last == node;
            if self.bindings(node, draws.bindings[d], !fresh) {
                special = true;
                if !fresh {
                    // Rows of its own: take back what this draw added to the open run.
                    truncate(self.accesses, start);
                    self.open_run(node, targets);
                    self.bindings(node, draws.bindings[d], false);
                }
            }
            self.run.bindings = draws.bindings[d];
        }
        self.run.last = node;
        self.targets(draws.write_mask[d], draws.depth[d]);
        if draws.vertex_buffers[d] != self.run.vertex_buffers {
            self.run.vertex_buffers = draws.vertex_buffers[d];
            for slice in payloads.slices.rows.get(self.run.vertex_buffers.range()).unwrap_or_default() {
                self.geometry(node, slice, 0);
            }
        }
        match &draws.call[d] {
            DrawCall::Arrays { .. } => {}
            DrawCall::Elements { indices, .. } => self.geometry(node, indices, 1),
            &DrawCall::Indirect { arguments, indices, count_buffer, .. } => {
                self.shared_slice(node, arguments, uses::INDIRECT, 0);
                if let Some((indices, _)) = indices {
                    self.shared_slice(node, indices, uses::INDEX, 0);
                }
                if let Some(count) = count_buffer {
                    self.shared_slice(node, count, uses::INDIRECT, 0);
                }
            }
        }
        if flags & node_flags::ANY_ACCESS != 0 {
            self.accesses.push(
                node,
                ResourceId::NONE,
                Part::Any,
                uses::STORAGE_READ | uses::STORAGE_WRITE,
                ALL_GRAPHICS,
                Layout::Undefined,
            );
        }
        if special {
            self.mark_feedback(nodes, node);
            self.close_run();
        }
    }

    /// A draw with rows of its own that touches an attachment of its pass is a candidate for `detect_feedback_loops`.
    fn mark_feedback(&mut self, nodes: &mut Nodes, node: NodeId) {
        let rows = self.run.first_row as usize..self.accesses.len();
        let shader = uses::SAMPLED | uses::STORAGE_READ | uses::STORAGE_WRITE;
        if rows
            .into_iter()
            .any(|row| self.accesses.uses[row] & shader != 0 && self.is_attached(self.accesses.resource[row]))
        {
            nodes.flags[node.index()] |= node_flags::FEEDBACK;
            // The pass may begin again here, so what was written before does not count.
            (self.pass.feedback, self.pass.written) = (true, 0);
        }
    }

    fn clear(&mut self, node: NodeId, target: ClearTarget) {
        match target {
            ClearTarget::Attachment(targets, slot) => {
                if self.writes_first(targets, 1 << slot.min(8)) || !self.run.open || self.run.targets != targets {
                    self.open_run(node, targets);
                }
                self.run.last = node;
                if slot < 8 {
                    self.add_uses(usize::from(slot), uses::COLOR_WRITE);
                } else {
                    self.add_uses(8, uses::DEPTH_WRITE);
                    self.add_uses(9, uses::DEPTH_WRITE);
                }
            }
            ClearTarget::Image(id, part) => {
                self.close_run();
                self.image(node, id, part, uses::COPY_WRITE, Layout::CopyTarget);
            }
        }
    }

    fn image(&mut self, node: NodeId, id: ResourceId, part: Subresources, used: u32, layout: Layout) {
        let part = if self.careless { self.table.get(id).all() } else { self.table.get(id).clamp(&part) };
        self.push(node, id, Part::Image(part), used, 0, layout);
    }

    fn copy(&mut self, node: NodeId, copy: &Copy) {
        use uses::{COPY_READ, COPY_WRITE};
        match *copy {
            Copy::Buffer { source, target } => {
                self.slice(node, source, COPY_READ, 0);
                self.slice(node, target, COPY_WRITE, 0);
            }
            Copy::BufferToImage { source, target, part, .. } => {
                self.slice(node, source, COPY_READ, 0);
                self.image(node, target, part, COPY_WRITE, Layout::CopyTarget);
            }
            Copy::ImageToBuffer { source, part, target, .. } => {
                self.image(node, source, part, COPY_READ, Layout::CopySource);
                self.slice(node, target, COPY_WRITE, 0);
            }
            Copy::Image { source, source_part, target, target_part, .. }
            | Copy::Blit { source, source_part, target, target_part, .. } => {
                self.image(node, source, source_part, COPY_READ, Layout::CopySource);
                self.image(node, target, target_part, COPY_WRITE, Layout::CopyTarget);
            }
            Copy::Resolve { source, target, part, .. } => {
                self.image(node, source, part, COPY_READ, Layout::CopySource);
                self.image(node, target, part, COPY_WRITE, Layout::CopyTarget);
            }
            Copy::Fill { target, .. } => self.slice(node, target, COPY_WRITE, 0),
        }
    }

    /// Appends the rows of one node.
    fn node(&mut self, nodes: &mut Nodes, node: NodeId) {
        let n = node.index();
        if nodes.flags[n] & node_flags::SKIPPED != 0 {
            nodes.accesses[n] = Rows::default();
            return;
        }
        let payload = nodes.payload[n] as usize;
        let payloads = self.payloads;
        match nodes.kind[n] {
            NodeKind::Draw | NodeKind::Clear => {}
            NodeKind::Barrier => self.close_run(),
            _ => {
                self.close_run();
                self.pass = NO_PASS;
            }
        }
        // A run's rows belong to the draw that opened it; `open_run` pushes them before the draw's own.
        let start = self.accesses.len();
        match nodes.kind[n] {
            NodeKind::Draw => self.draw(nodes, node, payload),
            NodeKind::Clear => {
                if let Some(clear) = payloads.clears.rows.get(payload) {
                    self.clear(node, clear.target);
                }
            }
            NodeKind::Dispatch => {
                if let Some(dispatch) = payloads.dispatches.rows.get(payload) {
                    // A number of its own, so that nothing is shared with draws.
                    self.begin_run();
                    self.bindings(node, dispatch.bindings, false);
                    if let Some(arguments) = dispatch.indirect {
                        self.slice(node, arguments, uses::INDIRECT, 0);
                    }
                    if nodes.flags[n] & node_flags::ANY_ACCESS != 0 {
                        let used = uses::STORAGE_READ | uses::STORAGE_WRITE;
                        self.accesses.push(node, ResourceId::NONE, Part::Any, used, COMPUTE, Layout::Undefined);
                    }
                }
            }
            NodeKind::Copy => {
                if let Some(copy) = payloads.copies.rows.get(payload) {
                    self.copy(node, copy);
                }
            }
            NodeKind::Upload => match payloads.uploads.rows.get(payload) {
                Some(Upload::Buffer { target, .. }) => self.slice(node, *target, uses::COPY_WRITE, 0),
                Some(Upload::Image { target, part, .. }) => {
                    self.image(node, *target, *part, uses::COPY_WRITE, Layout::CopyTarget);
                }
                None => {}
            },
            NodeKind::Download => {
                if let Some(download) = payloads.downloads.rows.get(payload) {
                    if let Some(slice) = download.buffer {
                        self.slice(node, slice, uses::COPY_READ, 0);
                    }
                    if let Some((id, part)) = download.image {
                        self.image(node, id, part, uses::COPY_READ, Layout::CopySource);
                    }
                }
            }
            NodeKind::Present => {
                if let Some(present) = payloads.presents.rows.get(payload) {
                    let all = self.table.get(present.source).all();
                    let part = Subresources { levels: 1, layers: 1, ..all };
                    self.image(node, present.source, part, uses::PRESENT, Layout::Present);
                }
            }
            NodeKind::Barrier | NodeKind::Signal | NodeKind::Overlay => {}
        }
        nodes.accesses[n] = self.note_rows(start);
    }

    /// The rows that a node has appended.
    #[inline]
    fn note_rows(&mut self, start: usize) -> Rows {
        if self.careless {
            let written = (start..self.accesses.len()).filter(|row| self.accesses.writes(*row));
            let ids: Vec<_> = written.map(|row| self.accesses.resource[row]).collect();
            self.written.extend(ids);
        }
        Rows { start: start as u32, len: (self.accesses.len() - start) as u32 }
    }
}

fn storage_uses(binding: &Binding) -> u32 {
    if binding.written { uses::STORAGE_READ | uses::STORAGE_WRITE } else { uses::STORAGE_READ }
}

fn truncate(accesses: &mut Accesses, rows: usize) {
    accesses.node.truncate(rows);
    accesses.resource.truncate(rows);
    accesses.part.truncate(rows);
    accesses.uses.truncate(rows);
    accesses.stages.truncate(rows);
    accesses.layout.truncate(rows);
    accesses.last.truncate(rows);
}

/// Fills [`Accesses`] and [`Nodes::accesses`], in command order.
#[allow(clippy::too_many_arguments)]
pub fn collect_accesses(
    payloads: Payloads,
    resources: ResourceQuery,
    switches: Res<Switches>,
    mut table: ResMut<ResourceTable>,
    mut nodes: ResMut<Nodes>,
    mut order: ResMut<CommandOrder>,
    mut scratch: ResMut<CollectScratch>,
    mut accesses: ResMut<Accesses>,
) {
    table.refresh(&resources);
    order.refresh(&nodes);
    accesses.clear();
    let scratch = &mut *scratch;
    if scratch.run > u32::MAX / 2 {
        *scratch = CollectScratch::default();
    }
    // Runs of earlier parts have smaller numbers, so that nothing needs to be forgotten.
    scratch.run += 1;
    scratch.view_seen.resize(payloads.states.views.values().len(), ViewSeen::default());
    scratch.attached.resize(table.len(), 0);
    scratch.slices_seen.resize(CACHE, (0, 0));
    let mut collector = Collector {
        payloads: &payloads,
        table: &table,
        accesses: &mut accesses,
        scratch,
        run: CLOSED,
        pass: NO_PASS,
        careless: switches.knob("M-1.9a"),
        written: Vec::new(),
    };
    collector.note_writes();
    let nodes = &mut *nodes;
    for stretch in &order.stretches {
        match stretch.kind {
            NodeKind::Draw => collector.draws(nodes, stretch),
            _ => stretch.nodes().for_each(|n| collector.node(nodes, NodeId(n as u32))),
        }
    }
    collector.close_run();
}

/// Appends the rows of nodes that a rule inserted after `collect_accesses`, in the given order. `relink_inserted_nodes` links them.
pub fn collect_inserted(
    payloads: &Payloads,
    table: &ResourceTable,
    nodes: &mut Nodes,
    accesses: &mut Accesses,
    inserted: &[NodeId],
) {
    let mut scratch = CollectScratch { run: 1, ..CollectScratch::default() };
    scratch.view_seen.resize(payloads.states.views.values().len(), ViewSeen::default());
    scratch.attached.resize(table.len(), 0);
    scratch.slices_seen.resize(CACHE, (0, 0));
    let mut collector = Collector {
        payloads,
        table,
        accesses,
        scratch: &mut scratch,
        run: CLOSED,
        pass: NO_PASS,
        careless: false,
        written: Vec::new(),
    };
    collector.note_writes();
    for &node in inserted {
        collector.node(nodes, node);
        collector.close_run();
    }
}
