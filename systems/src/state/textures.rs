//! Images that the game's textures stand for, before and after they exist on the host.
//!
//! A *row* of [`Textures`] is one image: a place in a pool and a description. Rows persist, and each has at most one host image; textures that differ in
//! nothing but view, sRGB encoding, cube interpretation or component mapping share a row.
//!
//! Until `alias_by_storage` has run, the views of a part's targets name rows, marked by [`PENDING`], in place of images.

use super::pick_host_formats::HostFormats;
use super::shader_store::TextureHint;
use bevy_ecs::prelude::Resource;
use framegraph::ids::ResourceId;
use framegraph::resource::ImageDesc;
use framegraph::state::{Dim, Format, NumericClass, Subresources, ViewKey};
use nvn_decode::formats;
use nvn_decode::ingest::Device;
use nvn_decode::layout::{self, LayoutDesc};
use nvn_decode::record::TextureRef;
use rustc_hash::FxHashMap;

/// Bit of a [`ResourceId`] in a view that names a row of [`Textures`], not yet an image.
pub const PENDING: u32 = 0x4000_0000;

/// The identity of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureKey {
    /// Pool ordinal.
    pub pool: u32,
    /// Offset in the pool.
    pub offset: u64,
    /// Description.
    pub desc: ImageDesc,
}

/// What is known of a texture descriptor while it stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct DescriptorUse {
    /// Part that used it last.
    part: u64,
    /// How often it had been written, and for which device, when this was found out.
    version: (u32, u32),
    /// Row of [`Textures`].
    pub row: u32,
    /// What a sample of it reads.
    pub hint: TextureHint,
}

/// Rows of images. See the module.
#[derive(Debug, Default, Resource)]
pub struct Textures {
    /// By row.
    pub keys: Vec<TextureKey>,
    /// By row: the guest layout.
    pub layouts: Vec<LayoutDesc>,
    /// By row: bytes of its storage.
    pub sizes: Vec<u64>,
    /// By row: the host image; `NONE` until it exists.
    pub images: Vec<ResourceId>,
    /// By row: flags of the texture (display, …), all that were seen.
    pub flags: Vec<u32>,
    /// By row: number of the last part that used it.
    pub used_in: Vec<u64>,
    /// By row: number of the part whose CPU writes its texels last came from; 0 = never.
    pub uploaded: Vec<u64>,
    /// By row: number of the last part in which the GPU wrote it; 0 = never.
    pub written: Vec<u64>,
    /// Rows that this part uses, in order of first use.
    pub used: Vec<u32>,
    /// By row of [`nvn_decode::raw::RawPart::targets`]: rows of its colour slots, then of depth; `u32::MAX` = none.
    pub targets: Vec<[u32; 9]>,
    /// By row of [`nvn_decode::ingest::Device::textures`].
    descriptors: Vec<DescriptorUse>,
    /// By number of an attached texture: its row, and the device for which its formats were decided.
    numbered: Vec<(u32, u32)>,
    rows: FxHashMap<TextureKey, u32>,
    by_ref: FxHashMap<TextureRef, u32>,
    /// Number of the current part.
    pub part: u64,
    /// The mutant of M-2.3a: every texture object gets its own image.
    pub per_object: bool,
}

/// A component mapping that changes nothing, as the API numbers it.
const AS_IT_IS: [u8; 4] = [2, 3, 4, 5];

impl Textures {
    /// Forgets what the last part used.
    pub fn begin(&mut self, part: u64) {
        self.part = part;
        self.used.clear();
        self.targets.clear();
    }

    /// Notes that a binding of this part names a descriptor; returns what a sample of it reads. The usual, where nothing was written.
    pub fn use_descriptor(&mut self, descriptor: u32, device: &Device, formats: &mut HostFormats) -> TextureHint {
        const UNUSED: DescriptorUse = DescriptorUse { part: 0, version: (0, 0), row: 0, hint: TextureHint::USUAL };
        let version = (device.textures.version(descriptor), formats.devices());
        if let Some(known) = self.descriptors.get_mut(descriptor as usize)
            && known.version == version
        {
            let (row, hint) = (known.row, known.hint);
            known.part = self.part;
            self.mark(row);
            return hint;
        }
        let Some(texture) = device.textures.get(descriptor) else { return TextureHint::USUAL };
        let row = self.use_texture(texture, formats);
        let host = formats.get(texture.view_format).host;
        let mut used = DescriptorUse { part: self.part, version, row, ..UNUSED };
        if let Some(info) = formats::info(texture.view_format) {
            let stencil = texture.depth_stencil_mode == 1 && info.has_stencil();
            let class = if stencil { NumericClass::Uint } else { info.class() };
            used.hint = TextureHint::new(class, layout::dim(texture.view_target));
            if matches!(host, Format::Rgba8Srgb | Format::Bgra8Srgb) && texture.swizzle == AS_IT_IS {
                used.hint = used.hint.srgb();
            }
        }
        let at = descriptor as usize;
        if at >= self.descriptors.len() {
            self.descriptors.resize(at + 1, UNUSED);
        }
        self.descriptors[at] = used;
        used.hint
    }

    /// As [`Textures::use_texture`] for an attached texture, by its number.
    pub fn use_numbered(&mut self, number: u32, device: &Device, formats: &mut HostFormats) -> u32 {
        let at = number as usize;
        if let Some((row, decided)) = self.numbered.get(at).copied()
            && decided == formats.devices()
        {
            self.mark(row);
            return row;
        }
        let Some(texture) = device.attached.get(number) else { return u32::MAX };
        let row = self.use_texture(texture, formats);
        formats.get(texture.view_format);
        if at >= self.numbered.len() {
            self.numbered.resize(at + 1, (0, u32::MAX));
        }
        self.numbered[at] = (row, formats.devices());
        row
    }

    /// Marks a row as used by this part.
    #[inline]
    fn mark(&mut self, row: u32) {
        if std::mem::replace(&mut self.used_in[row as usize], self.part) != self.part {
            self.used.push(row);
        }
    }

    /// What this part knows of a descriptor; `None` until a binding of it was seen.
    #[must_use]
    pub fn descriptor(&self, descriptor: u32) -> Option<&DescriptorUse> {
        self.descriptors.get(descriptor as usize).filter(|used| used.part == self.part)
    }

    /// The row of a texture, added when new, and marked as used by this part.
    pub fn use_texture(&mut self, texture: &TextureRef, formats: &mut HostFormats) -> u32 {
        let row = match self.by_ref.get(texture) {
            Some(row) => *row,
            None => {
                let row = self.add(texture, formats);
                self.by_ref.insert(*texture, row);
                row
            }
        };
        self.mark(row);
        self.flags[row as usize] |= texture.flags;
        row
    }

    /// The row of a texture that this or an earlier part used.
    #[must_use]
    pub fn row(&self, texture: &TextureRef) -> Option<u32> {
        self.by_ref.get(texture).copied()
    }

    /// The host image of a texture, once `alias_by_storage` has run.
    #[must_use]
    pub fn image(&self, texture: &TextureRef) -> Option<(u32, ResourceId)> {
        self.image_of(self.row(texture)?)
    }

    /// The host image of a row, once `alias_by_storage` has run.
    #[must_use]
    pub fn image_of(&self, row: u32) -> Option<(u32, ResourceId)> {
        Some((row, self.images[row as usize])).filter(|(_, image)| image.is_some())
    }

    /// By row: a texture that it stands for, the same one in every run.
    #[must_use]
    pub fn texture_by_row(&self) -> Vec<Option<TextureRef>> {
        let mut rows: Vec<Option<TextureRef>> = vec![None; self.keys.len()];
        for (texture, row) in &self.by_ref {
            let layout = &self.layouts[*row as usize];
            let better = |held: &TextureRef| bytemuck::bytes_of(texture) < bytemuck::bytes_of(held);
            let held = &mut rows[*row as usize];
            if crate::keyframe::same_layout(texture, layout) && held.as_ref().is_none_or(better) {
                *held = Some(*texture);
            }
        }
        rows
    }

    fn add(&mut self, texture: &TextureRef, formats: &mut HostFormats) -> u32 {
        let key = TextureKey { pool: texture.pool, offset: texture.offset, desc: describe(texture, formats) };
        if !self.per_object
            && let Some(row) = self.rows.get(&key)
        {
            return *row;
        }
        let row = self.keys.len() as u32;
        self.keys.push(key);
        self.layouts.push(LayoutDesc::from(texture));
        self.sizes.push(layout::storage_size(&LayoutDesc::from(texture)));
        self.images.push(ResourceId::NONE);
        self.flags.push(texture.flags);
        self.used_in.push(0);
        self.uploaded.push(0);
        self.written.push(0);
        self.rows.insert(key, row);
        row
    }
}

/// The description of the image that a texture stands for.
fn describe(texture: &TextureRef, formats: &mut HostFormats) -> ImageDesc {
    let host = formats.get(texture.format);
    let desc = LayoutDesc::from(texture);
    let dim = match layout::dim(texture.target) {
        Dim::Cube | Dim::CubeArray | Dim::D2Array => Dim::D2,
        Dim::D1Array => Dim::D1,
        other => other,
    };
    let extent = layout::level_extent(&desc, 0);
    let longest = extent.into_iter().max().unwrap_or(1);
    ImageDesc {
        format: formats::linear_twin(host.named),
        host_format: formats::linear_twin(host.host),
        dim,
        extent,
        // A chain ends at one texel, whatever the game says.
        levels: texture.levels.clamp(1, (32 - longest.leading_zeros()) as u8),
        layers: layout::layers(&desc) as u16,
        samples: texture.samples.max(1),
        layout: layout::layout_key(&desc),
    }
}

/// Where a view begins and how far it goes, cut to what the image has: (first level, levels, first layer, layers). A 3D image counts slices as layers.
#[must_use]
pub fn view_range(texture: &TextureRef, desc: &ImageDesc) -> (u8, u8, u16, u16) {
    let level = texture.view_level.min(desc.levels - 1);
    let levels = match texture.view_levels {
        0 => desc.levels - level,
        n => n.min(desc.levels - level),
    };
    let all = if desc.dim == Dim::D3 { desc.level_extent(level)[2] as u16 } else { desc.layers };
    let layer = texture.view_layer.min(all.saturating_sub(1));
    let cubes = matches!(layout::dim(texture.view_target), Dim::Cube | Dim::CubeArray);
    let layers = match texture.view_layers {
        0 => all - layer,
        // Views of cubes count cubes where the count is not one of faces.
        n if cubes && n % 6 != 0 => (n * 6).min(all - layer),
        n => n.min(all - layer),
    };
    (level, levels, layer, layers.max(1))
}

/// A view of one level for attaching, copying and clearing: identity mapping, all aspects, `resource` still pending.
#[must_use]
pub fn attachment_view(texture: &TextureRef, row: u32, desc: &ImageDesc, format: framegraph::state::Format) -> ViewKey {
    let (level, _, layer, layers) = view_range(texture, desc);
    ViewKey {
        resource: ResourceId(row | PENDING),
        format,
        dim: if layers > 1 { Dim::D2Array } else { Dim::D2 },
        part: Subresources {
            aspects: desc.host_format.aspects(),
            base_level: level,
            levels: 1,
            base_layer: layer,
            layers,
        },
        swizzle: Default::default(),
    }
}
