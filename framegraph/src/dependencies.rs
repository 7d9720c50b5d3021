//! Dependencies, from accesses alone.
//!
//! Two accesses conflict when they touch common content and one writes. *Common content* is: the same subresource of one image; a common byte of one
//! buffer; a common byte of the storage of two different resources (then whole images are taken, conservatively); anything at all, when one of the two
//! is [`Part::Any`]. Reads never depend on reads.
//!
//! ```text
//! state of a piece of content:   writer (row of Accesses)   readers since (list of rows)
//! read  by row r:   writer → r (RAW);                      readers += r
//! write by row r:   readers → r (WAR), writer → r (WAW);   readers = {}, writer = r
//! ```
//!
//! Pieces: an image starts as one piece and is cut into one per (aspect, level, layer) by the first access that names less than all of it; a buffer's
//! pieces are disjoint byte segments, cut where accesses begin and end. Only content that somebody writes in this part is followed at all. Reader lists are
//! persistent lists in one arena, so that cutting a piece copies a head. Cost: linear in accesses plus edges; nothing is allocated once the arenas have
//! grown.
//!
//! Accesses come in command order, so each edge points forward in command order.

use crate::ids::{NodeId, ResourceId};
use crate::resource::Part;
use crate::resource_table::{ResourceTable, Shape};
use crate::rule::{Kind, Rule, Switches};
use crate::schedule::Phase;
use crate::state::Subresources;
use crate::tables::{Accesses, CommandOrder, Edges, FeedbackLoops, FeedbackPlan, Hazard, NodeKind, Nodes, uses};
use bevy_ecs::prelude::*;

/// Finds dependencies.
pub const BUILD_DEPENDENCIES: Rule = Rule {
    name: "build_dependencies",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["R-067", "R-068"],
    after: &["lower_nvn_barriers"],
    off_means: "nothing depends on anything: nodes run in command order without barriers",
    knobs: &["R-067", "R-068"],
};

/// Finds dependencies of nodes that were inserted later.
pub const RELINK_INSERTED_NODES: Rule = Rule {
    name: "relink_inserted_nodes",
    phase: Phase::Passes,
    kind: Kind::Plumbing,
    rows: &[],
    after: &["resolve_feedback_loops", "layer_writers_get_layers"],
    off_means: "cannot be off",
    knobs: &[],
};

/// How hazards are keyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Resource)]
pub enum HazardKeys {
    /// By subresource and byte range.
    #[default]
    Parts,
    /// By whole resource. Coarser than needed; for comparison with graphs that know no parts.
    WholeResources,
}

const NONE: u32 = u32::MAX;

/// State of one piece of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    writer: u32,
    readers: u32,
    /// The writer before the node of `writer`: a node reads what was there before it writes.
    before: u32,
}

const UNTOUCHED: Piece = Piece { writer: NONE, readers: NONE, before: NONE };

#[derive(Debug, Clone, Copy)]
struct Segment {
    start: u64,
    end: u64,
    piece: Piece,
}

#[derive(Debug, Clone, Copy)]
struct ImageState {
    whole: Piece,
    /// First row of `pieces`, once cut.
    cut: u32,
    /// Slot of `segments` (buffers).
    segments: u32,
    /// Rows on this resource, for resources that share its storage: writes and reads.
    own: [u32; 2],
    /// Rows of buffers over this resource's storage: writes and reads.
    inbound: [u32; 2],
}

const FRESH: ImageState =
    ImageState { whole: UNTOUCHED, cut: NONE, segments: NONE, own: [NONE; 2], inbound: [NONE; 2] };

/// Working memory of [`build_dependencies`], kept between parts.
#[derive(Debug, Default, Resource)]
pub struct DependencyScratch {
    states: Vec<ImageState>,
    live: Vec<bool>,
    shared: Vec<bool>,
    pieces: Vec<Piece>,
    segments: Vec<Vec<Segment>>,
    segments_used: usize,
    lists: Vec<(u32, u32)>,
    crossings: Vec<(u32, ResourceId)>,
    since_any: Vec<u32>,
}

/// What stays fixed while rows are walked.
struct Walk<'a> {
    accesses: &'a Accesses,
    table: &'a ResourceTable,
    kinds: &'a [NodeKind],
    edges: &'a mut Edges,
    lists: &'a mut Vec<(u32, u32)>,
    /// Mutant of R-067: transfers are not ordered among themselves.
    transfers_unordered: bool,
}

impl Walk<'_> {
    #[inline]
    fn edge(&mut self, source: u32, row: u32) {
        let (from, to) = (self.accesses.last[source as usize], self.accesses.node[row as usize]);
        if from == to {
            return;
        }
        if self.transfers_unordered {
            let transfer = |id: NodeId| matches!(self.kinds[id.index()], NodeKind::Copy | NodeKind::Upload);
            if transfer(from) && transfer(to) {
                return;
            }
        }
        let hazard = match (self.accesses.writes(source as usize), self.accesses.uses[row as usize]) {
            (false, _) => Hazard::War,
            (true, later) if later & !uses::WRITES != 0 => Hazard::Raw,
            (true, _) => Hazard::Waw,
        };
        self.edges.push(from, to, hazard, source, row);
    }

    #[inline]
    fn touch(&mut self, piece: &mut Piece, row: u32, write: bool) {
        let own = piece.writer != NONE && self.accesses.node[piece.writer as usize] == self.accesses.node[row as usize];
        let writer = if own { piece.before } else { piece.writer };
        if writer != NONE {
            self.edge(writer, row);
        }
        if write {
            let mut at = piece.readers;
            // The node's own reads stay: whoever writes next has to wait for them too.
            let mut own_readers = NONE;
            while at != NONE {
                let (reader, next) = self.lists[at as usize];
                if self.accesses.node[reader as usize] == self.accesses.node[row as usize] {
                    self.push(&mut own_readers, reader);
                } else {
                    self.edge(reader, row);
                }
                at = next;
            }
            *piece = Piece { writer: row, readers: own_readers, before: writer };
        } else {
            self.push(&mut piece.readers, row);
        }
    }

    #[inline]
    fn push(&mut self, head: &mut u32, row: u32) {
        if *head != NONE && self.lists[*head as usize].0 == row {
            return;
        }
        self.lists.push((row, *head));
        *head = self.lists.len() as u32 - 1;
    }

    /// Edges from the rows of a list that share storage with `row`.
    fn cross(&mut self, mut head: u32, row: u32) {
        let bytes = |walk: &Self, row: u32| {
            walk.table.get(walk.accesses.resource[row as usize]).bytes(&walk.accesses.part[row as usize])
        };
        let own = bytes(self, row);
        while head != NONE {
            let (other, next) = self.lists[head as usize];
            if bytes(self, other).overlaps(&own) {
                self.edge(other, row);
            }
            head = next;
        }
    }
}

fn split_at(segments: &mut Vec<Segment>, position: u64) {
    let n = segments.partition_point(|s| s.end <= position);
    if let Some(segment) = segments.get_mut(n)
        && segment.start < position
    {
        let head = Segment { end: position, ..*segment };
        segment.start = position;
        segments.insert(n, head);
    }
}

fn touch_bytes(walk: &mut Walk, segments: &mut Vec<Segment>, start: u64, end: u64, row: u32, write: bool) {
    if start >= end {
        return;
    }
    let first = segments.partition_point(|s| s.end <= start);
    // The common case: exactly the segment that an earlier access made.
    if let Some(segment) = segments.get_mut(first)
        && (segment.start, segment.end) == (start, end)
    {
        walk.touch(&mut segment.piece, row, write);
        return;
    }
    split_at(segments, start);
    split_at(segments, end);
    let first = segments.partition_point(|s| s.end <= start);
    let mut n = first;
    let mut position = start;
    while position < end {
        match segments.get_mut(n) {
            Some(segment) if segment.start == position => {
                walk.touch(&mut segment.piece, row, write);
                position = segment.end;
            }
            next => {
                let until = next.map_or(end, |s| s.start.min(end));
                let mut piece = UNTOUCHED;
                walk.touch(&mut piece, row, write);
                segments.insert(n, Segment { start: position, end: until, piece });
                position = until;
            }
        }
        n += 1;
    }
    if write {
        // What a write leaves alike is one piece again. What its own node read before stays apart: who writes next waits for readers of the same bytes alone.
        let mut kept = first;
        for at in first + 1..n {
            let next = segments[at];
            if segments[kept].piece == next.piece {
                segments[kept].end = next.end;
            } else {
                kept += 1;
                segments[kept] = next;
            }
        }
        segments.drain(kept + 1..n);
    }
}

/// Number of pieces of a fully cut image, and the piece of a subresource.
fn piece_index(levels: u8, layers: u16, aspect: u32, level: u32, layer: u32) -> u32 {
    (aspect * u32::from(levels) + level) * u32::from(layers) + layer
}

/// Calls `f` with the piece number of each subresource of `part`.
pub(crate) fn for_each_piece(all: &Subresources, part: &Subresources, mut f: impl FnMut(u32)) {
    let mut aspect = 0;
    for bit in 0..8 {
        if all.aspects.0 >> bit & 1 == 0 {
            continue;
        }
        if part.aspects.0 >> bit & 1 == 1 {
            for level in part.base_level..part.base_level + part.levels {
                for layer in part.base_layer..part.base_layer + part.layers {
                    f(piece_index(all.levels, all.layers, aspect, u32::from(level), u32::from(layer)));
                }
            }
        }
        aspect += 1;
    }
}

/// Number of pieces that [`for_each_piece`] numbers.
pub(crate) fn piece_count(all: &Subresources) -> u32 {
    all.aspects.0.count_ones() * u32::from(all.levels) * u32::from(all.layers)
}

/// Builds [`Edges`] of all accesses of the part.
///
/// Rows of [`Accesses`] must be in command order of their nodes, which `collect_accesses` grants.
pub fn build_dependencies(
    accesses: Res<Accesses>,
    table: Res<ResourceTable>,
    nodes: Res<Nodes>,
    keys: Res<HazardKeys>,
    switches: Res<Switches>,
    mut scratch: ResMut<DependencyScratch>,
    mut edges: ResMut<Edges>,
) {
    edges.clear();
    edges.linked = accesses.len() as u32;
    if !switches.on(&BUILD_DEPENDENCIES) {
        return;
    }
    build(&accesses, &table, &nodes, *keys, switches.knob("R-067"), switches.knob("R-068"), &mut scratch, &mut edges);
}

#[allow(clippy::too_many_arguments)]
fn build(
    accesses: &Accesses,
    table: &ResourceTable,
    nodes: &Nodes,
    keys: HazardKeys,
    transfers_unordered: bool,
    ignore_aliases: bool,
    scratch: &mut DependencyScratch,
    edges: &mut Edges,
) {
    let count = table.len();
    let s = scratch;
    s.states.clear();
    s.states.resize(count, FRESH);
    s.live.clear();
    s.live.resize(count, false);
    s.shared.clear();
    s.shared.resize(count, false);
    s.pieces.clear();
    s.lists.clear();
    s.crossings.clear();
    s.since_any.clear();
    s.segments_used = 0;

    // Which resources does anybody write? Others are left alone.
    let mut any = false;
    let mut aliased = false;
    for row in 0..accesses.len() {
        let id = accesses.resource[row];
        let Some(live) = s.live.get_mut(id.index()) else {
            any = true;
            continue;
        };
        *live |= accesses.uses[row] & uses::WRITES != 0;
        aliased |= table.facts()[id.index()].aliased;
    }
    if any {
        s.live.fill(true);
    }
    if aliased && !ignore_aliases {
        find_crossings(accesses, table, s);
    }

    let mut walk = Walk { accesses, table, kinds: &nodes.kind, edges, lists: &mut s.lists, transfers_unordered };
    let mut last_any = NONE;
    let mut first = 0;
    let mut end = 0;
    let mut phase = 0;
    let mut row = 0;
    // Rows of one node are together. It reads what was there before it writes: its reads go first, then its writes.
    loop {
        if row == end {
            if phase == 1 {
                (phase, row) = (2, first);
            } else {
                if end == accesses.len() as u32 {
                    break;
                }
                first = end;
                let node = accesses.node[first as usize];
                let mut kinds = [false; 2];
                while (end as usize) < accesses.len() && accesses.node[end as usize] == node {
                    kinds[usize::from(accesses.writes(end as usize))] = true;
                    end += 1;
                }
                (phase, row) = (u32::from(kinds[0] && kinds[1]), first);
            }
        }
        let at = row;
        row += 1;
        if phase != 0 && accesses.writes(at as usize) != (phase == 2) {
            continue;
        }
        let row = at;
        let n = row as usize;
        let id = accesses.resource[n];
        if any {
            // Every row counts, not every node: each has uses of its own to wait for.
            if last_any != NONE {
                walk.edge(last_any, row);
            }
            if id.index() >= count {
                for &other in &s.since_any {
                    walk.edge(other, row);
                }
                s.since_any.clear();
                last_any = row;
                continue;
            }
            s.since_any.push(row);
        }
        if id.index() >= count || !s.live[id.index()] {
            continue;
        }
        let facts = &table.facts()[id.index()];
        let write = accesses.writes(n);
        let state = &mut s.states[id.index()];
        let whole = keys == HazardKeys::WholeResources;
        match (&accesses.part[n], facts.shape) {
            (Part::Bytes(offset, length), Shape::Buffer) if !whole => {
                if state.segments == NONE {
                    state.segments = s.segments_used as u32;
                    s.segments_used += 1;
                    if s.segments.len() < s.segments_used {
                        s.segments.push(Vec::new());
                    }
                    s.segments[state.segments as usize].clear();
                }
                let end = offset.saturating_add(*length);
                touch_bytes(&mut walk, &mut s.segments[state.segments as usize], *offset, end, row, write);
            }
            (Part::Image(part), Shape::Image) if !whole => {
                let all = facts.all();
                let part = facts.clamp(part);
                if part == all && state.cut == NONE {
                    walk.touch(&mut state.whole, row, write);
                } else {
                    if state.cut == NONE {
                        state.cut = s.pieces.len() as u32;
                        s.pieces.resize(s.pieces.len() + piece_count(&all) as usize, state.whole);
                    }
                    let cut = state.cut;
                    if (part.levels, part.layers) == (1, 1) && part.aspects.0.is_power_of_two() {
                        let aspect = (all.aspects.0 & (part.aspects.0 - 1)).count_ones();
                        let (level, layer) = (u32::from(part.base_level), u32::from(part.base_layer));
                        let piece = piece_index(all.levels, all.layers, aspect, level, layer);
                        walk.touch(&mut s.pieces[(cut + piece) as usize], row, write);
                    } else {
                        let mut previous = UNTOUCHED;
                        let mut result = UNTOUCHED;
                        for_each_piece(&all, &part, |piece| {
                            let piece = &mut s.pieces[(cut + piece) as usize];
                            // Neighbouring pieces mostly share their history: link it once.
                            if (piece.writer, piece.readers) == (previous.writer, previous.readers)
                                && (piece.writer != NONE || piece.readers != NONE)
                            {
                                *piece = result;
                                return;
                            }
                            previous = *piece;
                            walk.touch(piece, row, write);
                            result = *piece;
                        });
                    }
                }
            }
            _ => walk.touch(&mut state.whole, row, write),
        }
        if s.shared[id.index()] {
            let row_writes = write;
            let crossing = s.crossings.partition_point(|(at, _)| *at < row);
            if facts.shape == Shape::Image {
                let inbound = s.states[id.index()].inbound;
                walk.cross(inbound[0], row);
                if row_writes {
                    walk.cross(inbound[1], row);
                }
                for &partner in table.partners(id) {
                    let own = s.states[partner.index()].own;
                    walk.cross(own[0], row);
                    if row_writes {
                        walk.cross(own[1], row);
                    }
                }
            } else {
                let mut at = crossing;
                while let Some(&(_, other)) = s.crossings.get(at).filter(|(r, _)| *r == row) {
                    let own = s.states[other.index()].own;
                    walk.cross(own[0], row);
                    if row_writes {
                        walk.cross(own[1], row);
                    }
                    let head = &mut s.states[other.index()].inbound[usize::from(!row_writes)];
                    walk.push(head, row);
                    at += 1;
                }
                let inbound = s.states[id.index()].inbound;
                walk.cross(inbound[0], row);
                if row_writes {
                    walk.cross(inbound[1], row);
                }
            }
            let head = &mut s.states[id.index()].own[usize::from(!row_writes)];
            walk.push(head, row);
        }
    }
}

/// Marks resources that are touched through another description in this part, at least once by a write.
fn find_crossings(accesses: &Accesses, table: &ResourceTable, s: &mut DependencyScratch) {
    for (n, facts) in table.facts().iter().enumerate() {
        if facts.aliased && facts.shape == Shape::Image && s.live[n] {
            for partner in table.partners(ResourceId(n as u32)) {
                s.shared[n] = true;
                s.shared[partner.index()] = true;
            }
        }
    }
    for row in 0..accesses.len() {
        let id = accesses.resource[row];
        let facts = table.get(id);
        if facts.shape != Shape::Buffer || !facts.aliased {
            continue;
        }
        let write = accesses.writes(row);
        let (live, shared, crossings) = (&s.live, &mut s.shared, &mut s.crossings);
        table.overlapping(id, facts.bytes(&accesses.part[row]), |other| {
            if write || live[other.index()] {
                crossings.push((row as u32, other));
                shared[other.index()] = true;
                shared[id.index()] = true;
            }
        });
    }
    for n in 0..s.live.len() {
        s.live[n] |= s.shared[n];
    }
}

/// Adds the dependencies of nodes whose accesses were appended since the last call, and nothing else.
///
/// An inserted node lies between others in command order: it depends on each conflicting access before it and each conflicting access after it depends on
/// it. Where a row of draws that share an access encloses the inserted node, the draws next to it stand for the row. Not minimal, since few nodes are
/// inserted; linear in accesses per call.
pub fn relink_inserted_nodes(
    accesses: Res<Accesses>,
    table: Res<ResourceTable>,
    nodes: Res<Nodes>,
    loops: Res<FeedbackLoops>,
    switches: Res<Switches>,
    mut order: ResMut<CommandOrder>,
    mut edges: ResMut<Edges>,
) {
    if order.nodes.len() != nodes.len() {
        order.refresh(&nodes);
    }
    if edges.linked as usize == accesses.len() || !switches.on(&BUILD_DEPENDENCIES) {
        edges.linked = accesses.len() as u32;
        return;
    }
    // A draw that now reads a copy depends on the copy, and no longer on what it read before.
    edges.retain(|edges, n| {
        let moved = |row: u32| loops.rows.iter().any(|l| l.plan == FeedbackPlan::Snapshot && l.access == row);
        !(moved(edges.source[n]) || moved(edges.access[n]))
    });
    link_rows(&accesses, &table, &order, &mut edges);
}

/// Whether two accesses conflict.
pub(crate) fn conflict(accesses: &Accesses, table: &ResourceTable, a: usize, b: usize) -> bool {
    if !accesses.writes(a) && !accesses.writes(b) {
        // An access to anything may write.
        return accesses.part[a] == Part::Any || accesses.part[b] == Part::Any;
    }
    let (ra, rb) = (accesses.resource[a], accesses.resource[b]);
    if accesses.part[a] == Part::Any || accesses.part[b] == Part::Any {
        return true;
    }
    if ra == rb {
        let facts = table.get(ra);
        return match (&accesses.part[a], &accesses.part[b]) {
            (Part::Image(x), Part::Image(y)) => facts.clamp(x).overlaps(&facts.clamp(y)),
            (x, y) => x.overlaps(y),
        };
    }
    let (fa, fb) = (table.get(ra), table.get(rb));
    fa.aliased && fb.aliased && fa.bytes(&accesses.part[a]).overlaps(&fb.bytes(&accesses.part[b]))
}

fn link_rows(accesses: &Accesses, table: &ResourceTable, order: &CommandOrder, edges: &mut Edges) {
    let first = edges.linked as usize;
    let place = |id: NodeId| order.place[id.index()];
    for new in first..accesses.len() {
        let node = accesses.node[new];
        // Draws that now have rows of their own may still be named by an older, shared row: those are no nodes apart.
        for old in 0..new {
            let (start, end) = (accesses.node[old], accesses.last[old]);
            if start == node || end == node || !conflict(accesses, table, old, new) {
                continue;
            }
            let (new_start, new_end) = (place(node), place(accesses.last[new]));
            let hazard = |earlier: usize, later: usize| match (accesses.writes(earlier), accesses.uses[later]) {
                (false, _) => Hazard::War,
                (true, uses) if uses & !uses::WRITES != 0 => Hazard::Raw,
                (true, _) => Hazard::Waw,
            };
            if place(end) < new_start {
                edges.push(end, node, hazard(old, new), old as u32, new as u32);
            } else if place(start) > new_end {
                edges.push(accesses.last[new], start, hazard(new, old), new as u32, old as u32);
            } else {
                // The row encloses the new node: the nearest nodes around it that are not new themselves.
                let is_new = |id: &NodeId| accesses.node[first..].contains(id);
                let before = order.nodes[..new_start as usize].iter().rev().find(|id| !is_new(id));
                let after = order.nodes[new_end as usize + 1..].iter().find(|id| !is_new(id));
                if let Some(&before) = before.filter(|id| place(**id) >= place(start)) {
                    edges.push(before, node, hazard(old, new), old as u32, new as u32);
                }
                if let Some(&after) = after.filter(|id| place(**id) <= place(end)) {
                    edges.push(accesses.last[new], after, hazard(new, old), new as u32, old as u32);
                }
            }
        }
    }
    edges.linked = accesses.len() as u32;
}
