//! State bound on a queue. It persists from list to list: the API resets nothing at the start of a list.

use crate::raw::{
    BufferRange, RawBlend, RawDepth, RawPart, RawPools, RawRaster, RawSlots, RawTargets, RawVertex, RawViewports,
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
    pub(super) fn edit(&mut self) -> &mut T {
        self.row = None;
        &mut self.value
    }

    /// The value.
    pub(super) fn get(&self) -> &T {
        &self.value
    }

    /// The row of the value, made when the value changed since the last call.
    fn row(&mut self, rows: &mut Vec<T>) -> u32 {
        if let Some(row) = self.row {
            return row;
        }
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
    fn rows(&mut self, table: &mut Vec<T>) -> Rows {
        *self.rows.get_or_insert_with(|| {
            let held = self.values[..self.used].iter().rposition(|value| *value != T::default()).map_or(0, |n| n + 1);
            let start = table.len() as u32;
            table.extend_from_slice(&self.values[..held]);
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
    /// Notes that a slot changed.
    pub(super) fn touch(&mut self, changed: bool) {
        if changed {
            self.row = None;
        }
    }

    fn row(&mut self, raw: &mut RawPart) -> u32 {
        if let Some(row) = self.row {
            return row;
        }
        let slots = RawSlots {
            uniform: self.uniform.rows(&mut raw.ranges),
            storage: self.storage.rows(&mut raw.ranges),
            textures: self.textures.rows(&mut raw.handles),
            images: self.images.rows(&mut raw.handles),
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
    pub(super) slots: [StageSlots; 6],
    /// By [`Stage`].
    pub(super) programs: [ProgramId; 6],
    pub(super) restart: Option<u32>,
    pub(super) patch_points: u8,
    /// Rows of labels of the open debug groups.
    pub(super) groups: Vec<u32>,
}

/// Rows of all groups that a draw needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawRows {
    pub(super) targets: u32,
    pub(super) blend: u32,
    pub(super) depth: u32,
    pub(super) raster: u32,
    pub(super) viewports: u32,
    pub(super) vertex: u32,
    pub(super) vertex_buffers: Rows,
    pub(super) pools: u32,
    pub(super) slots: [u32; 5],
}

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
        self.groups.clear();
    }

    /// Rows for a clear: targets, viewports, rasteriser.
    pub(super) fn clear_rows(&mut self, raw: &mut RawPart) -> (u32, u32, u32) {
        (self.targets.row(&mut raw.targets), self.viewports.row(&mut raw.viewports), self.raster.row(&mut raw.raster))
    }

    /// Rows for a draw.
    pub(super) fn draw_rows(&mut self, raw: &mut RawPart) -> DrawRows {
        let mut slots = [0; 5];
        for (row, group) in slots.iter_mut().zip(&mut self.slots) {
            *row = group.row(raw);
        }
        DrawRows {
            targets: self.targets.row(&mut raw.targets),
            blend: self.blend.row(&mut raw.blend),
            depth: self.depth.row(&mut raw.depth),
            raster: self.raster.row(&mut raw.raster),
            viewports: self.viewports.row(&mut raw.viewports),
            vertex: self.vertex.row(&mut raw.vertex),
            vertex_buffers: self.vertex_buffers.rows(&mut raw.ranges),
            pools: self.pools.row(&mut raw.pools),
            slots,
        }
    }

    /// Rows for a dispatch: pools, slots.
    pub(super) fn dispatch_rows(&mut self, raw: &mut RawPart) -> (u32, u32) {
        (self.pools.row(&mut raw.pools), self.slots[Stage::Compute as usize].row(raw))
    }
}
