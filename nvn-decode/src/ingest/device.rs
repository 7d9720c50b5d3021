//! Persistent state of the device, as the stream told it: pools, descriptors, programs, windows.

use crate::raw::StageBinary;
use crate::record::{DeviceFacts, Sampler, TextureRef};
use bevy_ecs::prelude::Resource;
use framegraph::ids::{ProgramId, ResourceId};
use framegraph::state::Stage;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::Arc;

/// A memory pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolInfo {
    /// Ordinal.
    pub ordinal: u32,
    /// GPU address of its first byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Flags of the builder.
    pub flags: u32,
    /// The buffer that stands for all its bytes.
    pub buffer: ResourceId,
    /// Still in use.
    pub live: bool,
}

/// Where an address lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// Pool ordinal.
    pub pool: u32,
    /// Offset in the pool.
    pub offset: u64,
    /// Bytes from there to the pool's end.
    pub left: u64,
    /// The pool's buffer.
    pub buffer: ResourceId,
}

/// The device as the records so far describe it.
#[derive(Debug, Default, Resource)]
pub struct Device {
    /// Facts that give later records their meaning.
    pub facts: DeviceFacts,
    /// Pools by ordinal.
    pub pools: Vec<PoolInfo>,
    /// Live pools by address.
    by_address: Vec<PoolInfo>,
    /// Texture and image descriptors.
    pub textures: Descriptors<TextureRef>,
    /// Sampler descriptors.
    pub samplers: Descriptors<Sampler>,
    /// Textures of windows by ordinal.
    pub windows: HashMap<u32, Vec<TextureRef>>,
    /// Machine code by [`ProgramId`].
    pub stages: Vec<StageBinary>,
    /// Stages of a program of the API.
    pub programs: FxHashMap<u32, [ProgramId; 6]>,
    /// Known stages by content, so that setting the same code again adds nothing.
    by_content: HashMap<u64, Vec<ProgramId>>,
    /// Labels of textures by (pool, offset).
    pub texture_labels: HashMap<(u32, u64), String>,
    /// Resources that a keyframe wants for pools that begin next, by ordinal.
    pub(super) pool_resources: HashMap<u32, ResourceId>,
}

/// Descriptors by the address of their pool and their id. Each has a row that it keeps, so that what a part derives from a descriptor can be looked up by a
/// number.
#[derive(Debug, Clone)]
pub struct Descriptors<T> {
    /// By pool: its address, and the row of each id.
    pools: Vec<(u64, Vec<u32>)>,
    rows: Vec<Option<T>>,
}

/// Row of a descriptor that was never written.
pub const NO_DESCRIPTOR: u32 = u32::MAX;

impl<T> Default for Descriptors<T> {
    fn default() -> Self {
        Self { pools: Vec::new(), rows: Vec::new() }
    }
}

impl<T> Descriptors<T> {
    /// One past the highest id: a handle has 20 bits for it.
    const IDS: u32 = 1 << 20;

    /// Writes a descriptor; `None` for one that shows nothing sensible. An id that no handle can hold is left out.
    pub(super) fn set(&mut self, pool: u64, id: u32, descriptor: Option<T>) {
        if id >= Self::IDS || (descriptor.is_none() && self.row(pool, id) == NO_DESCRIPTOR) {
            return;
        }
        let known = self.pools.iter().position(|(address, _)| *address == pool);
        let at = known.unwrap_or_else(|| {
            self.pools.push((pool, Vec::new()));
            self.pools.len() - 1
        });
        let ids = &mut self.pools[at].1;
        if ids.len() <= id as usize {
            ids.resize(id as usize + 1, NO_DESCRIPTOR);
        }
        let row = &mut ids[id as usize];
        if *row == NO_DESCRIPTOR {
            *row = self.rows.len() as u32;
            self.rows.push(None);
        }
        self.rows[*row as usize] = descriptor;
    }

    /// The row of a descriptor; [`NO_DESCRIPTOR`] if it was never written.
    #[must_use]
    #[inline]
    pub fn row(&self, pool: u64, id: u32) -> u32 {
        let ids = self.pools.iter().find(|(address, _)| *address == pool);
        ids.and_then(|(_, ids)| ids.get(id as usize)).copied().unwrap_or(NO_DESCRIPTOR)
    }

    /// The descriptor of a row.
    #[must_use]
    #[inline]
    pub fn get(&self, row: u32) -> Option<&T> {
        self.rows.get(row as usize)?.as_ref()
    }

    /// All descriptors, with the address of their pool and their id.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32, &T)> {
        self.pools.iter().flat_map(|(pool, ids)| {
            let held = ids.iter().enumerate().filter_map(|(id, row)| Some((id as u32, self.get(*row)?)));
            held.map(|(id, descriptor)| (*pool, id, descriptor))
        })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Device {
    /// Adds a pool.
    pub(super) fn add_pool(&mut self, pool: PoolInfo) {
        self.by_address.retain(|other| other.ordinal != pool.ordinal);
        match self.pools.iter_mut().find(|other| other.ordinal == pool.ordinal) {
            Some(other) => *other = pool,
            None => self.pools.push(pool),
        }
        self.pools.sort_by_key(|p| p.ordinal);
        self.by_address.push(pool);
        self.by_address.sort_unstable_by_key(|pool| (pool.address, pool.ordinal));
    }

    /// Marks a pool as ended; returns it.
    pub(super) fn end_pool(&mut self, ordinal: u32) -> Option<PoolInfo> {
        self.by_address.retain(|other| other.ordinal != ordinal);
        let pool = self.pools.iter_mut().find(|pool| pool.ordinal == ordinal)?;
        pool.live = false;
        Some(*pool)
    }

    /// A pool by ordinal.
    #[must_use]
    pub fn pool(&self, ordinal: u32) -> Option<&PoolInfo> {
        self.pools.binary_search_by_key(&ordinal, |pool| pool.ordinal).ok().map(|n| &self.pools[n])
    }

    /// The pool that holds an address.
    #[must_use]
    #[inline]
    pub fn locate(&self, address: u64) -> Option<Located> {
        let after = self.by_address.partition_point(|pool| pool.address <= address);
        let pool = self.by_address.get(after.checked_sub(1)?)?;
        let (offset, ordinal) = (address - pool.address, pool.ordinal);
        (offset < pool.size).then(|| Located { pool: ordinal, offset, left: pool.size - offset, buffer: pool.buffer })
    }

    /// The id of a stage's machine code: that of equal code seen before, or a new one.
    pub(super) fn add_stage(&mut self, stage: Stage, control: &[u8], code: &[u8]) -> ProgramId {
        let hash = control
            .iter()
            .chain(code)
            .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3));
        let known = self.by_content.entry(hash).or_default();
        for id in known.iter() {
            let other = &self.stages[id.index()];
            if other.stage == stage && *other.control == *control && *other.code == *code {
                return *id;
            }
        }
        let id = ProgramId(self.stages.len() as u32);
        known.push(id);
        self.stages.push(StageBinary { id, stage, control: Arc::from(control), code: Arc::from(code) });
        id
    }
}

/// The API's number of a stage.
#[must_use]
pub fn stage_number(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0,
        Stage::Fragment => 1,
        Stage::Geometry => 2,
        Stage::TessControl => 3,
        Stage::TessEval => 4,
        Stage::Compute => 5,
    }
}

/// The neutral stage of the API's stage number.
#[must_use]
pub fn stage_of(number: u32) -> Option<Stage> {
    Some(match number {
        0 => Stage::Vertex,
        1 => Stage::Fragment,
        2 => Stage::Geometry,
        3 => Stage::TessControl,
        4 => Stage::TessEval,
        5 => Stage::Compute,
        _ => return None,
    })
}
