//! What the host device can do, in neutral terms. Filled by the executor; read by rules that choose between a native way and a fallback.

use crate::state::Format;
use bevy_ecs::prelude::Resource;

/// Uses that a device allows for a format: bits.
pub mod format_uses {
    /// Sampled.
    pub const SAMPLED: u32 = 1 << 0;
    /// Sampled with linear filtering.
    pub const FILTERED: u32 = 1 << 1;
    /// Colour attachment.
    pub const COLOR: u32 = 1 << 2;
    /// Blended colour attachment.
    pub const BLEND: u32 = 1 << 3;
    /// Depth/stencil attachment.
    pub const DEPTH: u32 = 1 << 4;
    /// Storage image.
    pub const STORAGE: u32 = 1 << 5;
    /// Atomic operations on a storage image.
    pub const ATOMIC: u32 = 1 << 6;
    /// Vertex attribute.
    pub const VERTEX: u32 = 1 << 7;
    /// Typed buffer read in shaders.
    pub const TEXEL_BUFFER: u32 = 1 << 8;
    /// Blit source.
    pub const BLIT_SOURCE: u32 = 1 << 9;
    /// Blit target.
    pub const BLIT_TARGET: u32 = 1 << 10;
}

/// Capabilities. A test may switch any of them off to have the fallback drawn.
#[derive(Debug, Clone, PartialEq, Eq, Resource)]
pub struct DeviceCaps {
    /// Bits of [`format_uses`] by [`Format`] discriminant.
    pub formats: Vec<u32>,
    /// Clip range -w..w without shader help.
    pub depth_clip_control: bool,
    /// Depth clamp apart from depth clip.
    pub depth_clamp: bool,
    /// Attachment that is sampled while attached (feedback layout).
    pub feedback_layout: bool,
    /// Last vertex provokes.
    pub last_vertex_provokes: bool,
    /// 8-bit indices.
    pub index_u8: bool,
    /// Triangle fans.
    pub triangle_fans: bool,
    /// Layer chosen by the vertex stage.
    pub vertex_layer: bool,
    /// Depth bounds test.
    pub depth_bounds: bool,
    /// Bias in chosen units (least representable or float).
    pub depth_bias_control: bool,
    /// Draw count in memory.
    pub indirect_count: bool,
    /// 0: indices of indirect draws may begin anywhere in their buffer. Else only at the beginning of one: a buffer of their own is laid over the
    /// memory, whose offset must be a multiple of this.
    pub indirect_index_alignment: u32,
    /// Unbound descriptors that read zero.
    pub null_descriptor: bool,
    /// Bindless arrays.
    pub descriptor_indexing: bool,
    /// Uniform buffers per stage.
    pub uniform_buffers: u32,
    /// Alignment of uniform buffer offsets in bytes.
    pub uniform_alignment: u32,
    /// Alignment of storage buffer offsets in bytes.
    pub storage_alignment: u32,
    /// Subgroup size.
    pub subgroup_size: u32,
}

impl Default for DeviceCaps {
    /// A device that can do everything, for tests without one.
    fn default() -> Self {
        Self {
            formats: vec![u32::MAX; Format::ALL.len() + 1],
            depth_clip_control: true,
            depth_clamp: true,
            feedback_layout: true,
            last_vertex_provokes: true,
            index_u8: true,
            triangle_fans: true,
            vertex_layer: true,
            depth_bounds: true,
            depth_bias_control: true,
            indirect_count: true,
            indirect_index_alignment: 0,
            null_descriptor: true,
            descriptor_indexing: true,
            uniform_buffers: 15,
            uniform_alignment: 256,
            storage_alignment: 256,
            subgroup_size: 32,
        }
    }
}

impl DeviceCaps {
    /// Whether the device allows all these uses of a format.
    #[must_use]
    pub fn allows(&self, format: Format, uses: u32) -> bool {
        self.formats.get(format as usize).is_some_and(|have| have & uses == uses)
    }
}
