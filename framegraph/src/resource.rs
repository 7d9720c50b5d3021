//! Resources: entities that persist while their storage lives.
//!
//! Every resource entity carries [`ResourceId`], [`Storage`], [`ResourceKind`], [`ResourceFlags`], [`Written`] and a [`Label`]. Dense lookups go through
//! [`ResourcePool::entity`]. Images and buffers over the same [`PhysicalRange`] are hazards of one another: identity for hazards is the range.

use crate::ids::{ResourceId, Seq};
use crate::state::{Aspects, Dim, Format, Subresources};
use bevy_ecs::prelude::*;

/// Bytes of guest (or host-owned) storage: the only identity that hazards use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PhysicalRange {
    /// Pool ordinal; pools are numbered in order of creation. [`PhysicalRange::HOST`] and above are the host's own storages.
    pub pool: u32,
    /// Byte offset in the pool.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

impl PhysicalRange {
    /// First pool ordinal of host-owned storage (staging, snapshots of attachments, the swapchain's stand-in).
    pub const HOST: u32 = 0x8000_0000;

    /// Whether the two ranges share a byte.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.pool == other.pool && self.offset < other.offset + other.length && other.offset < self.offset + self.length
    }
}

/// The storage of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Component)]
pub struct Storage {
    /// Which bytes.
    pub range: PhysicalRange,
    /// Generation of the pool ordinal: a finalised pool's number may come again.
    pub generation: u32,
}

/// An image's description: what the storage is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ImageDesc {
    /// Format that the game named, as the host would name it natively.
    pub format: Format,
    /// Format that the host image has (see the rule `pick_host_formats`).
    pub host_format: Format,
    /// Shape.
    pub dim: Dim,
    /// Width, height, depth in texels of level 0.
    pub extent: [u32; 3],
    /// Mip levels.
    pub levels: u8,
    /// Array layers (6 per cube).
    pub layers: u16,
    /// Samples per texel.
    pub samples: u8,
    /// Key of the guest layout (linear or block-linear with its block height, packed by the decoder); two images of one range with equal keys and
    /// formats of one size are the same bytes.
    pub layout: u64,
}

impl ImageDesc {
    /// All subresources.
    #[must_use]
    pub fn all(&self) -> Subresources {
        let layers = if self.dim == Dim::D3 { self.extent[2] as u16 } else { self.layers };
        Subresources { aspects: self.host_format.aspects(), base_level: 0, levels: self.levels, base_layer: 0, layers }
    }

    /// Texel size of a level: width, height, depth.
    #[must_use]
    pub fn level_extent(&self, level: u8) -> [u32; 3] {
        let shrink = |n: u32| (n >> level).max(1);
        let depth = if self.dim == Dim::D3 { shrink(self.extent[2]) } else { 1 };
        [shrink(self.extent[0]), shrink(self.extent[1]), depth]
    }
}

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Component)]
pub enum ResourceKind {
    /// A pooled entity that is not in use.
    Free,
    /// A run of bytes. One buffer serves a whole pool; bindings are ranges in it.
    Buffer {
        /// Bytes.
        size: u64,
    },
    /// An image.
    Image(ImageDesc),
    /// What is presented; index into the window's textures is in the present node.
    Swapchain {
        /// Width and height in pixels.
        extent: [u32; 2],
    },
}

/// Facts about a resource, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct ResourceFlags(pub u32);

impl ResourceFlags {
    /// Created in this part: no content yet.
    pub const NEW: u32 = 1 << 0;
    /// Written by the GPU since the last time its bytes came from the CPU.
    pub const GPU_WRITTEN: u32 = 1 << 1;
    /// The CPU may read its bytes.
    pub const CPU_READS: u32 = 1 << 2;
    /// A display texture of the window.
    pub const DISPLAY: u32 = 1 << 3;
    /// Its storage was finalised; it retires when the GPU is done.
    pub const RETIRED: u32 = 1 << 4;
    /// The host's own (staging copy, feedback snapshot).
    pub const HOST_OWNED: u32 = 1 << 5;

    /// Whether all these bits are set.
    #[must_use]
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}

/// The last GPU write to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct Written {
    /// Part in which it was written; 0 = never.
    pub part: u64,
    /// Command of that part.
    pub seq: Seq,
}

/// A name for people: `rt0 RGBA8 1280x720`, or the game's debug label. Stable between runs; never an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Component)]
pub struct Label(pub String);

/// A state in which an image's subresource can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Layout {
    /// Contents are undefined.
    #[default]
    Undefined,
    /// Any use; the layout of images that shaders store to.
    General,
    /// Colour attachment.
    Color,
    /// Depth/stencil attachment, writable.
    Depth,
    /// Depth/stencil attachment and sampled; nothing writes.
    DepthRead,
    /// Sampled.
    Sampled,
    /// Copy source.
    CopySource,
    /// Copy destination.
    CopyTarget,
    /// Attached and sampled at once.
    Feedback,
    /// Presented.
    Present,
}

/// Dense index of resource entities.
#[derive(Debug, Default, Resource)]
pub struct ResourcePool {
    entities: Vec<Entity>,
    free: Vec<ResourceId>,
}

impl ResourcePool {
    /// The entity of a resource.
    #[must_use]
    pub fn entity(&self, id: ResourceId) -> Option<Entity> {
        self.entities.get(id.index()).copied()
    }

    /// Number of ids ever given: the size of a dense column by resource.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.entities.len()
    }

    /// Takes a free id, growing the pool when none is left. Called between systems by the decoder and by rules that add images; not per frame in
    /// steady state.
    pub fn take(world: &mut World) -> ResourceId {
        if world.resource_mut::<Self>().free.is_empty() {
            let first = world.resource::<Self>().entities.len();
            for n in first..first + 64 {
                let id = ResourceId(n as u32);
                let entity = world
                    .spawn((
                        id,
                        Storage::default(),
                        ResourceKind::Free,
                        ResourceFlags::default(),
                        Written::default(),
                        Label::default(),
                    ))
                    .id();
                let mut pool = world.resource_mut::<Self>();
                pool.entities.push(entity);
                pool.free.push(id);
            }
            world.resource_mut::<Self>().free.sort_by(|a, b| b.cmp(a));
        }
        world.resource_mut::<Self>().free.pop().unwrap_or_default()
    }

    /// Takes this very id if it is free, growing the pool up to it; `None` if it is in use, or beyond any sensible pool. For what is brought back as it was.
    pub fn take_id(world: &mut World, id: ResourceId) -> Option<ResourceId> {
        /// Ids beyond this come from damaged bytes.
        const MOST: usize = 1 << 20;
        if id.index() >= MOST {
            return None;
        }
        while world.resource::<Self>().entities.len() <= id.index() {
            let held = world.resource::<Self>().free.len();
            Self::reserve(world, held + 1);
        }
        let free = &mut world.resource_mut::<Self>().into_inner().free;
        let at = free.iter().position(|other| *other == id)?;
        Some(free.remove(at))
    }

    /// Takes a free id if one is at hand, without growing the pool. For systems, which cannot grow it; [`ResourcePool::reserve`] keeps some at hand.
    pub fn take_free(&mut self) -> Option<ResourceId> {
        self.free.pop()
    }

    /// Ids at hand without growing.
    #[must_use]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Makes sure that `count` ids are at hand. Called between parts.
    pub fn reserve(world: &mut World, count: usize) {
        while world.resource::<Self>().free.len() < count {
            let held = world.resource::<Self>().free.len();
            let mut taken = Vec::with_capacity(held + 1);
            for _ in 0..=held {
                taken.push(Self::take(world));
            }
            let mut pool = world.resource_mut::<Self>();
            pool.free.extend(taken);
            pool.free.sort_by(|a, b| b.cmp(a));
        }
    }

    /// Gives an id back once nothing names it.
    pub fn give_back(&mut self, id: ResourceId) {
        self.free.push(id);
    }
}

/// Which part of a resource an access touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Byte range of a buffer: offset and length.
    Bytes(u64, u64),
    /// Subresources of an image.
    Image(Subresources),
    /// Unknown: conflicts with everything. The resource column is [`ResourceId::NONE`].
    Any,
}

impl Part {
    /// Whether the two parts of one resource share content.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Part::Bytes(a, n), Part::Bytes(b, m)) => *a < b.saturating_add(*m) && *b < a.saturating_add(*n),
            (Part::Image(a), Part::Image(b)) => a.overlaps(b),
            _ => true,
        }
    }

    /// The aspects of an image part.
    #[must_use]
    pub fn aspects(&self) -> Aspects {
        if let Part::Image(part) = self { part.aspects } else { Aspects::NONE }
    }
}
