//! State bound on a queue. It persists from list to list: the API resets nothing at the start of a list.

use super::device::{ProgramSets, graphics_of};
use crate::raw::{
    BufferRange, RawBlend, RawBound, RawDepth, RawPart, RawPools, RawRaster, RawSlots, RawState, RawTargets, RawVertex,
    RawViewports,
};
use framegraph::ids::{ProgramId, Rows};
use framegraph::state::Stage;

/// A group of state and the row that holds it in the current part.
#[derive(Debug, Clone, Default)]
pub(super) struct Group<T> {
    value: T,
    row: Option<u32>,
}

impl<T: PartialEq + Clone> Group<T> {
    /// The value, to be changed.
    #[inline]
    pub(super) fn edit(&mut self) -> &mut T {
        self.row = None;
        &mut self.value
    }

    /// The value.
    pub(super) fn get(&self) -> &T {
        &self.value
    }

    /// Whether the value changed since its row was made.
    #[inline]
    fn changed(&self) -> bool {
        self.row.is_none()
    }

    /// The row of the value, made when the value changed since the last call.
    #[inline]
    fn row(&mut self, rows: &mut Vec<T>) -> u32 {
        match self.row {
            Some(row) => row,
            None => self.new_row(rows),
        }
    }

    fn new_row(&mut self, rows: &mut Vec<T>) -> u32 {
        // The common change is a set to what it was.
        if rows.last() != Some(&self.value) {
            rows.push(self.value.clone());
        }
        let row = rows.len() as u32 - 1;
        self.row = Some(row);
        row
    }

    fn forget(&mut self) {
        self.row = None;
    }
}

/// Numbered slots, and the rows that hold them in the current part.
#[derive(Debug, Clone)]
pub(super) struct Slots<T, const N: usize> {
    values: [T; N],
    /// Slots behind these were never set.
    used: usize,
    rows: Option<Rows>,
}

impl<T: Copy + Default, const N: usize> Default for Slots<T, N> {
    fn default() -> Self {
        Self { values: [T::default(); N], used: 0, rows: None }
    }
}

impl<T: Copy + Default + PartialEq, const N: usize> Slots<T, N> {
    /// Sets a slot; whether that changed it.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, value: T) -> bool {
        if self.values[slot] == value {
            return false;
        }
        self.values[slot] = value;
        self.used = self.used.max(slot + 1);
        self.rows = None;
        true
    }

    /// All slots.
    pub(super) fn values(&self) -> &[T; N] {
        &self.values
    }

    /// The rows of the slots up to the last one that holds something, made when a slot changed since the last call.
    #[inline]
    fn rows<U>(&mut self, table: &mut Vec<U>, row: impl Fn(&T) -> U) -> Rows {
        *self.rows.get_or_insert_with(|| {
            let held = self.values[..self.used].iter().rposition(|value| *value != T::default()).map_or(0, |n| n + 1);
            let start = table.len() as u32;
            table.extend(self.values[..held].iter().map(row));
            Rows { start, len: held as u32 }
        })
    }
}

/// What is bound to the slots of one stage.
#[derive(Debug, Clone, Default)]
pub(super) struct StageSlots {
    pub(super) uniform: Slots<BufferRange, 14>,
    pub(super) storage: Slots<BufferRange, 16>,
    pub(super) textures: Slots<u64, 32>,
    pub(super) images: Slots<u64, 8>,
    row: Option<u32>,
}

impl StageSlots {
    #[inline]
    fn row(&mut self, raw: &mut RawPart) -> u32 {
        match self.row {
            Some(row) => row,
            None => self.new_row(raw),
        }
    }

    fn new_row(&mut self, raw: &mut RawPart) -> u32 {
        let slots = RawSlots {
            uniform: self.uniform.rows(&mut raw.ranges, |range| *range),
            storage: self.storage.rows(&mut raw.ranges, |range| *range),
            textures: self.textures.rows(&mut raw.handles, |handle| *handle as u32),
            images: self.images.rows(&mut raw.handles, |handle| *handle as u32),
        };
        raw.slots.push(slots);
        let row = raw.slots.len() as u32 - 1;
        self.row = Some(row);
        row
    }

    fn forget(&mut self) {
        (self.uniform.rows, self.storage.rows, self.textures.rows, self.images.rows) = (None, None, None, None);
        self.row = None;
    }
}

/// Everything bound on a queue.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pub(super) targets: Group<RawTargets>,
    pub(super) blend: Group<RawBlend>,
    pub(super) depth: Group<RawDepth>,
    pub(super) raster: Group<RawRaster>,
    pub(super) viewports: Group<RawViewports>,
    pub(super) vertex: Group<RawVertex>,
    pub(super) vertex_buffers: Slots<BufferRange, 16>,
    pub(super) pools: Group<RawPools>,
    /// By [`Stage`].
    slots: [StageSlots; 6],
    /// By [`Stage`].
    programs: [ProgramId; 6],
    /// Number of the graphics stages among `programs`; `None` until a draw asks for it.
    set: Option<u32>,
    /// Rows of the last draw.
    rows: DrawRows,
    /// Stages to which something was bound since then: bit = [`Stage`].
    changed: u8,
    /// Bindings of the last draw.
    bound: RawBound,
    pub(super) restart: Option<u32>,
    pub(super) patch_points: u8,
    /// Rows of labels of the open debug groups.
    pub(super) groups: Vec<u32>,
}

/// Rows of all that a draw needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawRows {
    /// Row of [`RawPart::states`].
    pub(super) state: u32,
    /// Row of [`RawPart::bound`].
    pub(super) bound: u32,
    pub(super) vertex_buffers: Rows,
}

impl Default for DrawRows {
    fn default() -> Self {
        Self { state: NO_ROW, bound: NO_ROW, vertex_buffers: Rows::default() }
    }
}

/// No draw of the part has such a row yet.
const NO_ROW: u32 = u32::MAX;
/// The graphics stages, as bits.
const GRAPHICS: u8 = 0x1F;

impl Bound {
    /// Forgets the rows of the last part.
    pub(super) fn forget_rows(&mut self) {
        self.targets.forget();
        self.blend.forget();
        self.depth.forget();
        self.raster.forget();
        self.viewports.forget();
        self.vertex.forget();
        self.vertex_buffers.rows = None;
        self.pools.forget();
        self.slots.iter_mut().for_each(StageSlots::forget);
        self.rows = DrawRows::default();
        self.groups.clear();
    }

    /// What is bound to a stage.
    pub(super) fn slots(&self, stage: Stage) -> &StageSlots {
        &self.slots[stage as usize]
    }

    /// Binds something to a stage: `set` does it, and tells whether that changed anything.
    #[inline]
    pub(super) fn bind(&mut self, stage: Stage, set: impl FnOnce(&mut StageSlots) -> bool) {
        let slots = &mut self.slots[stage as usize];
        if set(slots) {
            slots.row = None;
            self.changed |= 1 << stage as u8;
        }
    }

    /// The program of a stage.
    pub(super) fn program(&self, stage: Stage) -> ProgramId {
        self.programs[stage as usize]
    }

    /// Binds the program of a stage.
    pub(super) fn bind_program(&mut self, stage: Stage, program: ProgramId) {
        self.programs[stage as usize] = program;
        self.set = None;
    }

    /// Binds the programs of all stages; `set` is the number of the graphics stages among them.
    #[inline]
    pub(super) fn bind_programs(&mut self, programs: [ProgramId; 6], set: u32) {
        self.programs = programs;
        self.set = Some(set);
    }

    /// The graphics stages, and their number.
    #[inline]
    pub(super) fn set(&mut self, sets: &mut ProgramSets) -> ([ProgramId; 5], u32) {
        let stages = graphics_of(&self.programs);
        let number = *self.set.get_or_insert_with(|| sets.number(stages));
        (stages, number)
    }

    /// Rows for a clear: targets, viewports, rasteriser.
    pub(super) fn clear_rows(&mut self, raw: &mut RawPart) -> (u32, u32, u32) {
        // A draw looks for groups without a row: it makes its row of states first.
        let state = self.state_row(raw);
        let RawState { targets, viewports, raster, .. } = raw.states[state as usize];
        (targets, viewports, raster)
    }

    /// The row of everything that draws obey.
    #[inline]
    fn state_row(&mut self, raw: &mut RawPart) -> u32 {
        let changed = self.targets.changed()
            | self.blend.changed()
            | self.depth.changed()
            | self.raster.changed()
            | self.viewports.changed()
            | self.vertex.changed();
        if changed || self.rows.state == NO_ROW {
            self.new_state_row(raw);
        }
        self.rows.state
    }

    fn new_state_row(&mut self, raw: &mut RawPart) {
        let state = RawState {
            targets: self.targets.row(&mut raw.targets),
            blend: self.blend.row(&mut raw.blend),
            depth: self.depth.row(&mut raw.depth),
            raster: self.raster.row(&mut raw.raster),
            viewports: self.viewports.row(&mut raw.viewports),
            vertex: self.vertex.row(&mut raw.vertex),
        };
        if raw.states.last() != Some(&state) {
            raw.states.push(state);
        }
        self.rows.state = raw.states.len() as u32 - 1;
    }

    /// Rows for a draw.
    #[inline]
    pub(super) fn draw_rows(&mut self, raw: &mut RawPart) -> DrawRows {
        self.state_row(raw);
        if self.changed & GRAPHICS != 0 || self.pools.changed() || self.rows.bound == NO_ROW {
            self.new_bound_row(raw);
        }
        self.rows.vertex_buffers = self.vertex_buffers.rows(&mut raw.ranges, |range| *range);
        self.rows
    }

    fn new_bound_row(&mut self, raw: &mut RawPart) {
        self.bound.pools = self.pools.row(&mut raw.pools);
        // The first draw of a part has no rows yet.
        let mut stages = if self.rows.bound == NO_ROW { GRAPHICS } else { self.changed & GRAPHICS };
        while stages != 0 {
            let stage = stages.trailing_zeros() as usize;
            self.bound.slots[stage] = self.slots[stage].row(raw);
            stages &= stages - 1;
        }
        raw.bound.push(self.bound);
        self.rows.bound = raw.bound.len() as u32 - 1;
        self.changed &= !GRAPHICS;
    }

    /// Rows for a dispatch: pools, slots.
    pub(super) fn dispatch_rows(&mut self, raw: &mut RawPart) -> (u32, u32) {
        let pools_changed = self.pools.changed();
        let rows = (self.pools.row(&mut raw.pools), self.slots[Stage::Compute as usize].row(raw));
        // The next draw looks for pools without a row.
        if pools_changed {
            self.rows.bound = NO_ROW;
        }
        rows
    }
}
