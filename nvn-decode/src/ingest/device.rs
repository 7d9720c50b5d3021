//! Persistent state of the device, as the stream told it: pools, descriptors, programs, windows.

use super::{IngestError, check_texture};
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
    /// Programs of the API.
    pub programs: Programs,
    /// Sets of graphics stages that programs and draws had.
    pub sets: ProgramSets,
    /// Textures that were attached.
    pub attached: Attached,
    /// Counts pools that began: what was checked against pools holds until it changes.
    pool_changes: u32,
    /// Known stages by content, so that setting the same code again adds nothing.
    by_content: HashMap<u64, Vec<ProgramId>>,
    /// Labels of textures by (pool, offset).
    pub texture_labels: HashMap<(u32, u64), String>,
    /// Resources that a keyframe wants for pools that begin next, by ordinal.
    pub(super) pool_resources: HashMap<u32, ResourceId>,
}

/// Textures that were attached as targets. Each has a number that it keeps, so that what follows from a texture can be looked up by it.
#[derive(Debug, Default)]
pub struct Attached {
    textures: Vec<TextureRef>,
    numbers: FxHashMap<TextureRef, u32>,
    /// By number: the count of pools that had begun when the texture was found to fit its pool.
    fits: Vec<Option<u32>>,
}

impl Attached {
    fn number(&mut self, texture: &TextureRef) -> u32 {
        *self.numbers.entry(*texture).or_insert_with(|| {
            self.textures.push(*texture);
            self.fits.push(None);
            self.textures.len() as u32 - 1
        })
    }

    /// The texture of a number.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> Option<&TextureRef> {
        self.textures.get(number as usize)
    }
}

/// A program of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// By [`Stage`].
    pub stages: [ProgramId; 6],
    /// Number of its graphics stages in [`Device::sets`].
    pub(super) set: u32,
}

/// Programs of the API by id. The recorder counts ids from 1, so that nearly all stand in a table.
#[derive(Debug, Default)]
pub struct Programs {
    low: Vec<Option<Program>>,
    high: FxHashMap<u32, Program>,
}

impl Programs {
    /// Ids from here on stand in a map.
    const LOW: u32 = 1 << 16;

    /// The program of an id.
    #[must_use]
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Program> {
        match self.low.get(id as usize) {
            Some(program) => program.as_ref(),
            None => self.high.get(&id),
        }
    }

    fn insert(&mut self, id: u32, program: Program) {
        if id >= Self::LOW {
            self.high.insert(id, program);
            return;
        }
        if self.low.len() <= id as usize {
            self.low.resize(id as usize + 1, None);
        }
        self.low[id as usize] = Some(program);
    }

    /// All programs with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Program)> {
        let low = self.low.iter().enumerate().filter_map(|(id, program)| Some((id as u32, program.as_ref()?)));
        low.chain(self.high.iter().map(|(id, program)| (*id, program)))
    }
}

/// Sets of graphics stages (vertex, tess control, tess eval, geometry, fragment). Each has a number that it keeps, so that what follows from a set can be
/// looked up by it.
#[derive(Debug, Default)]
pub struct ProgramSets {
    rows: Vec<[ProgramId; 5]>,
    numbers: FxHashMap<[ProgramId; 5], u32>,
}

impl ProgramSets {
    /// The number of a set, given when it is new.
    pub(super) fn number(&mut self, set: [ProgramId; 5]) -> u32 {
        *self.numbers.entry(set).or_insert_with(|| {
            self.rows.push(set);
            self.rows.len() as u32 - 1
        })
    }

    /// All sets, by number.
    #[must_use]
    pub fn rows(&self) -> &[[ProgramId; 5]] {
        &self.rows
    }
}

/// The graphics stages among all six.
pub(super) fn graphics_of(stages: &[ProgramId; 6]) -> [ProgramId; 5] {
    let [vertex, control, evaluation, geometry, fragment, _] = *stages;
    [vertex, control, evaluation, geometry, fragment]
}

/// Descriptors by the address of their pool and their id. Each has a row that it keeps, so that what a part derives from a descriptor can be looked up by a
/// number.
#[derive(Debug, Clone)]
pub struct Descriptors<T> {
    /// By pool: its address, and the row of each id.
    pools: Vec<(u64, Vec<u32>)>,
    rows: Vec<Option<T>>,
    /// By row: how often it was written.
    versions: Vec<u32>,
}

/// Row of a descriptor that was never written.
pub const NO_DESCRIPTOR: u32 = u32::MAX;

impl<T> Default for Descriptors<T> {
    fn default() -> Self {
        Self { pools: Vec::new(), rows: Vec::new(), versions: Vec::new() }
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
            self.versions.push(0);
        }
        self.rows[*row as usize] = descriptor;
        let version = &mut self.versions[*row as usize];
        *version = version.wrapping_add(1).max(1);
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

    /// How often a row was written: what was derived from its descriptor holds while this stays. 0 = never.
    #[must_use]
    #[inline]
    pub fn version(&self, row: u32) -> u32 {
        self.versions.get(row as usize).copied().unwrap_or(0)
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
        self.pool_changes = self.pool_changes.wrapping_add(1);
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

    /// As [`Device::locate`]; `near` remembers where the last one was found, since addresses that follow one another lie in one pool as a rule.
    #[must_use]
    #[inline]
    pub fn locate_near(&self, address: u64, near: &mut usize) -> Option<Located> {
        let holds = |pool: &PoolInfo| pool.address <= address && address - pool.address < pool.size;
        let begins_later = |pool: &PoolInfo| address < pool.address;
        if !self.by_address.get(*near).is_some_and(holds) || !self.by_address.get(*near + 1).is_none_or(begins_later) {
            *near = self.by_address.partition_point(|pool| pool.address <= address).checked_sub(1)?;
        }
        let pool = self.by_address.get(*near)?;
        let (offset, ordinal) = (address - pool.address, pool.ordinal);
        (offset < pool.size).then(|| Located { pool: ordinal, offset, left: pool.size - offset, buffer: pool.buffer })
    }

    /// The number of a texture that is attached, if it fits its pool.
    pub(super) fn attach(&mut self, texture: &TextureRef) -> Result<u32, IngestError> {
        let number = self.attached.number(texture);
        if self.attached.fits[number as usize] != Some(self.pool_changes) {
            check_texture(self, texture)?;
            self.attached.fits[number as usize] = Some(self.pool_changes);
        }
        Ok(number)
    }

    /// Adds a program of the API, or gives it other stages.
    pub(super) fn add_program(&mut self, id: u32, stages: [ProgramId; 6]) {
        let set = self.sets.number(graphics_of(&stages));
        self.programs.insert(id, Program { stages, set });
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
