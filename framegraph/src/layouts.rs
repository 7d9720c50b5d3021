//! Layouts: which state each image must be in for each access, once passes are known.
//!
//! `collect_accesses` names the layout that an access would like if it were alone. Inside one pass all accesses to a level and layer must agree, since
//! nothing changes layouts between a pass's draws:
//!
//! | together in one pass | layout |
//! |---|---|
//! | depth attachment that nothing in the pass writes | depth read-only, sampled or not |
//! | attached (written) and sampled | feedback |
//! | stored to by a shader, and anything else | general |
//!
//! A layout belongs to a level and layer; depth and stencil of one image share it.

use crate::ids::{NodeId, ResourceId};
use crate::pass::{PassOps, PassPool, PassRows};
use crate::resource::{Layout, Part};
use crate::resource_table::{ResourceTable, Shape};
use crate::rule::{Kind, Rule, Switches};
use crate::schedule::Phase;
use crate::state::{Aspects, Subresources};
use crate::tables::{Accesses, Nodes, PassMembers, node_flags, uses};
use bevy_ecs::prelude::*;

/// Makes the layouts of a pass agree.
pub const CONVERT_LAYOUTS: Rule = Rule {
    name: "convert_layouts",
    phase: Phase::Schedule,
    kind: Kind::Correctness,
    rows: &["R-038c"],
    after: &["choose_load_store_ops"],
    off_means: "each access keeps the layout it would have alone",
    knobs: &["R-038c"],
};

/// What a pass does with one resource.
#[derive(Debug, Clone, Copy)]
struct Seen {
    pass: u32,
    /// Layouts, as bits.
    layouts: u16,
    /// Uses that write.
    written: u32,
}

/// Working memory of [`convert_layouts`], kept between parts.
#[derive(Debug, Default, Resource)]
pub struct LayoutScratch {
    seen: Vec<Seen>,
    touched: Vec<ResourceId>,
    /// Accesses of the pass at hand.
    pass_rows: Vec<u32>,
    rows: Vec<u32>,
}

fn overlap(a: &Subresources, b: &Subresources, whole: bool) -> bool {
    let any = |mut s: Subresources| {
        s.aspects = Aspects::COLOR;
        s
    };
    whole || any(*a).overlaps(&any(*b))
}

/// The layout in which all these accesses can be made at once.
fn common(layouts: u16, written: u32) -> Layout {
    let has = |layout: Layout| layouts >> layout as u16 & 1 == 1;
    let attached = has(Layout::Color) || has(Layout::Depth) || has(Layout::DepthRead) || has(Layout::Feedback);
    let attachment_written = written & (uses::COLOR_WRITE | uses::DEPTH_WRITE) != 0;
    let depth = has(Layout::Depth) || has(Layout::DepthRead);
    if has(Layout::General) {
        Layout::General
    } else if depth && !attachment_written && !has(Layout::Color) && !has(Layout::Feedback) {
        Layout::DepthRead
    } else if attached && (has(Layout::Sampled) || has(Layout::Feedback)) {
        Layout::Feedback
    } else if depth {
        Layout::Depth
    } else if has(Layout::Color) {
        Layout::Color
    } else {
        Layout::General
    }
}

/// Rewrites [`Accesses::layout`] of the members of each pass so that they agree, and states in [`PassOps`] whether depth is only read.
#[allow(clippy::too_many_arguments)]
pub fn convert_layouts(
    nodes: Res<Nodes>,
    table: Res<ResourceTable>,
    pool: Res<PassPool>,
    members: Res<PassMembers>,
    switches: Res<Switches>,
    mut passes: Query<(&PassRows, &mut PassOps)>,
    mut scratch: ResMut<LayoutScratch>,
    mut accesses: ResMut<Accesses>,
) {
    if !switches.on(&CONVERT_LAYOUTS) {
        return;
    }
    let whole = switches.knob("R-038c");
    let s = &mut *scratch;
    s.seen.clear();
    s.seen.resize(table.len(), Seen { pass: u32::MAX, layouts: 0, written: 0 });
    let accesses = &mut *accesses;
    for (number, entity) in pool.entities().iter().enumerate() {
        let Ok((rows, mut ops)) = passes.get_mut(*entity) else { continue };
        let members = &members.rows[rows.0.range()];
        s.touched.clear();
        s.pass_rows.clear();
        push_rows(&nodes, members, &mut s.pass_rows);
        for &row in &s.pass_rows {
            let row = row as usize;
            let layout = accesses.layout[row];
            let n = accesses.resource[row].index();
            if layout == Layout::Undefined || n >= s.seen.len() {
                continue;
            }
            let seen = &mut s.seen[n];
            if seen.pass != number as u32 {
                *seen = Seen { pass: number as u32, layouts: 0, written: 0 };
                s.touched.push(accesses.resource[row]);
            }
            seen.layouts |= 1 << layout as u16;
            seen.written |= accesses.uses[row] & uses::WRITES;
        }
        let mut depth_attached = false;
        let mut depth_writable = false;
        for at in 0..s.touched.len() {
            let id = s.touched[at];
            let Seen { layouts, written, .. } = s.seen[id.index()];
            let one = layouts & (layouts - 1) == 0;
            if one && layouts != 1 << Layout::Depth as u16 {
                continue;
            }
            if one {
                // A depth attachment alone.
                depth_attached = true;
                depth_writable |= written & uses::DEPTH_WRITE != 0;
                if written & uses::DEPTH_WRITE != 0 {
                    continue;
                }
            }
            s.rows.clear();
            s.rows.extend(s.pass_rows.iter().filter(|row| accesses.resource[**row as usize] == id));
            agree(&table, accesses, &mut s.rows, whole);
            for &row in &s.rows {
                if accesses.uses[row as usize] & (uses::DEPTH_READ | uses::DEPTH_WRITE) != 0 {
                    depth_attached = true;
                    depth_writable |= accesses.layout[row as usize] != Layout::DepthRead;
                }
            }
        }
        ops.depth_read_only = depth_attached && !depth_writable;
    }
    // Outside passes a node agrees with itself: a copy within one image, a dispatch that samples what it stores to.
    for (n, rows) in nodes.accesses.iter().enumerate() {
        if rows.len < 2 || nodes.pass[n].is_some() || nodes.flags[n] & node_flags::SKIPPED != 0 {
            continue;
        }
        s.rows.clear();
        s.rows.extend(rows.range().filter(|row| accesses.layout[*row] != Layout::Undefined).map(|row| row as u32));
        s.rows.sort_unstable_by_key(|row| accesses.resource[*row as usize]);
        let mut start = 0;
        while start < s.rows.len() {
            let id = accesses.resource[s.rows[start] as usize];
            let mut end = start + 1;
            while end < s.rows.len() && accesses.resource[s.rows[end] as usize] == id {
                end += 1;
            }
            if end - start > 1 && id.index() < table.len() {
                agree(&table, accesses, &mut s.rows[start..end], whole);
            }
            start = end;
        }
    }
}

/// Gives all rows that share a level and layer, directly or through others, one layout.
fn agree(table: &ResourceTable, accesses: &mut Accesses, rows: &mut [u32], whole: bool) {
    let part = |accesses: &Accesses, row: u32| {
        let facts = table.get(accesses.resource[row as usize]);
        match (&accesses.part[row as usize], facts.shape) {
            (Part::Image(part), Shape::Image) => facts.clamp(part),
            _ => facts.all(),
        }
    };
    let mut start = 0;
    while start < rows.len() {
        // Gather one group at the front of the rest.
        let mut end = start + 1;
        let mut at = start;
        while at < end {
            let own = part(accesses, rows[at]);
            let mut other = end;
            while other < rows.len() {
                if overlap(&own, &part(accesses, rows[other]), whole) {
                    rows.swap(end, other);
                    end += 1;
                }
                other += 1;
            }
            at += 1;
        }
        let (mut layouts, mut written) = (0u16, 0);
        for &row in &rows[start..end] {
            layouts |= 1 << accesses.layout[row as usize] as u16;
            written |= accesses.uses[row as usize] & uses::WRITES;
        }
        if layouts.count_ones() > 1 || layouts == 1 << Layout::Depth as u16 {
            let layout = common(layouts, written);
            for &row in &rows[start..end] {
                accesses.layout[row as usize] = layout;
            }
        }
        start = end;
    }
}

/// Appends the rows of [`Accesses`] of these nodes, those that do not run left out.
fn push_rows(nodes: &Nodes, members: &[NodeId], out: &mut Vec<u32>) {
    for id in members {
        // Most draws share the rows of the first of their run.
        let rows = nodes.accesses[id.index()];
        if rows.len != 0 && nodes.flags[id.index()] & node_flags::SKIPPED == 0 {
            out.extend(rows.start..rows.start + rows.len);
        }
    }
}
