//! Host objects of the graph's resources: made on first use, destroyed when their storage retires and the GPU is done.

use crate::convert;
use crate::device::Device;
use crate::error::{ExecuteError, Named};
use crate::features::Feature;
use crate::formats;
use crate::gpu::{Buffer, Gpu, Image, ImageInfo, Memory, Trash};
use crate::stream::Range;
use ash::vk;
use bevy_ecs::world::World;
use framegraph::ids::ResourceId;
use framegraph::resource::{ImageDesc, Layout, ResourceFlags, ResourceKind, ResourcePool, Storage};
use framegraph::state::{Aspects, Dim, Format, SamplerKey, Subresources, ViewKey};
use slotmap::{SlotMap, new_key_type};
use std::collections::HashMap;

new_key_type! {
    /// A host object; stale once its resource was made anew.
    pub(crate) struct HostKey;
}

/// How a view is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ViewUse {
    Sampled,
    Storage,
    Attachment,
}

/// An image with its views and the layouts that the plan has established.
#[derive(Debug)]
pub(crate) struct HeldImage {
    pub(crate) image: Image,
    pub(crate) desc: ImageDesc,
    layouts: Vec<Layout>,
    views: HashMap<(ViewUse, ViewKey), vk::ImageView>,
}

impl HeldImage {
    pub(crate) fn new(image: Image, desc: ImageDesc) -> Self {
        let planes = if image.info.aspects.as_raw().count_ones() > 1 { 2 } else { 1 };
        let layers = if image.info.kind == vk::ImageType::TYPE_3D { 1 } else { image.info.layers };
        let layouts = vec![Layout::Undefined; (planes * image.info.levels * layers) as usize];
        Self { image, desc, layouts, views: HashMap::new() }
    }

    fn is_3d(&self) -> bool {
        self.image.info.kind == vk::ImageType::TYPE_3D
    }

    /// The planes that a set of aspects names.
    fn planes(&self, aspects: Aspects) -> std::ops::Range<u32> {
        if self.image.info.aspects.as_raw().count_ones() < 2 {
            return 0..1;
        }
        match (aspects.intersects(Aspects::DEPTH), aspects.intersects(Aspects::STENCIL)) {
            (true, false) => 0..1,
            (false, true) => 1..2,
            _ => 0..2,
        }
    }

    /// Cuts a part to the image.
    pub(crate) fn cut(&self, part: &Subresources) -> Subresources {
        let levels = self.image.info.levels;
        let layers = self.image.info.slices();
        let level = u32::from(part.base_level).min(levels - 1);
        let layer = u32::from(part.base_layer).min(layers - 1);
        let own = Aspects(self.desc_aspects().0 & part.aspects.0);
        Subresources {
            aspects: if own == Aspects::NONE { self.desc_aspects() } else { own },
            base_level: level as u8,
            levels: u32::from(part.levels).clamp(1, levels - level) as u8,
            base_layer: layer as u16,
            layers: u32::from(part.layers).clamp(1, layers - layer) as u16,
        }
    }

    pub(crate) fn desc_aspects(&self) -> Aspects {
        let mut own = Aspects::NONE;
        let raw = self.image.info.aspects;
        if raw.contains(vk::ImageAspectFlags::COLOR) {
            own.0 |= Aspects::COLOR.0;
        }
        if raw.contains(vk::ImageAspectFlags::DEPTH) {
            own.0 |= Aspects::DEPTH.0;
        }
        if raw.contains(vk::ImageAspectFlags::STENCIL) {
            own.0 |= Aspects::STENCIL.0;
        }
        own
    }

    /// The part as the log and the barriers name it. A barrier covers all slices of a 3D image.
    pub(crate) fn range(&self, part: &Subresources, whole_3d: bool) -> Range {
        let part = self.cut(part);
        let (layer, layers) = if whole_3d && self.is_3d() {
            (0, self.image.info.slices())
        } else {
            (u32::from(part.base_layer), u32::from(part.layers))
        };
        Range {
            aspects: formats::aspects(part.aspects),
            level: u32::from(part.base_level),
            levels: u32::from(part.levels),
            layer,
            layers,
        }
    }

    fn slots(&self, part: &Subresources) -> impl Iterator<Item = usize> + use<> {
        let part = self.cut(part);
        let levels = self.image.info.levels;
        let layers = if self.is_3d() { 1 } else { self.image.info.layers };
        let wanted = if self.is_3d() {
            0..1
        } else {
            u32::from(part.base_layer)..u32::from(part.base_layer) + u32::from(part.layers)
        };
        let level_range = u32::from(part.base_level)..u32::from(part.base_level) + u32::from(part.levels);
        self.planes(part.aspects).flat_map(move |plane| {
            let wanted = wanted.clone();
            level_range.clone().flat_map(move |level| {
                wanted.clone().map(move |layer| ((plane * levels + level) * layers + layer) as usize)
            })
        })
    }

    /// The layout that the plan has established for the first subresource of a part.
    pub(crate) fn layout(&self, part: &Subresources) -> Layout {
        self.slots(part).next().map_or(Layout::Undefined, |n| self.layouts[n])
    }

    /// Notes a layout change.
    pub(crate) fn set_layout(&mut self, part: &Subresources, to: Layout) {
        for n in self.slots(part) {
            self.layouts[n] = to;
        }
    }

    /// The layout for a use: what was established when it allows the use, else the use's own layout (which the stream checker then finds missing).
    pub(crate) fn layout_for(&self, part: &Subresources, allowed: &[Layout]) -> Layout {
        let now = self.layout(part);
        if allowed.contains(&now) { now } else { allowed[0] }
    }

    /// A view.
    pub(crate) fn view(&mut self, gpu: &mut Gpu, how: ViewUse, key: &ViewKey) -> Result<vk::ImageView, ExecuteError> {
        if let Some(&view) = self.views.get(&(how, *key)) {
            return Ok(view);
        }
        let info = self.image.info;
        let part = self.cut(&key.part);
        let mut range = self.range(&key.part, false);
        let usage = match how {
            ViewUse::Sampled => vk::ImageUsageFlags::SAMPLED,
            ViewUse::Storage => vk::ImageUsageFlags::STORAGE,
            ViewUse::Attachment if part.aspects.intersects(Aspects::COLOR) => vk::ImageUsageFlags::COLOR_ATTACHMENT,
            ViewUse::Attachment => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        };
        if !info.usage.contains(usage) {
            return Err(ExecuteError::WrongKind {
                resource: key.resource,
                wanted: "an image whose format allows this view",
            });
        }
        let kind = match how {
            ViewUse::Attachment => {
                range.aspects = info.aspects;
                range.levels = 1;
                match (info.kind, range.layers > 1) {
                    (vk::ImageType::TYPE_1D, false) => vk::ImageViewType::TYPE_1D,
                    (vk::ImageType::TYPE_1D, true) => vk::ImageViewType::TYPE_1D_ARRAY,
                    (_, false) => vk::ImageViewType::TYPE_2D,
                    (_, true) => vk::ImageViewType::TYPE_2D_ARRAY,
                }
            }
            _ => {
                if range.aspects.as_raw().count_ones() > 1 {
                    range.aspects = vk::ImageAspectFlags::DEPTH;
                }
                convert::view_type(key.dim)
                    .ok_or(ExecuteError::WrongKind { resource: key.resource, wanted: "a buffer" })?
            }
        };
        let kind = shape_that_fits(kind, range.layers);
        let components = if how == ViewUse::Sampled {
            let [r, g, b, a] = key.swizzle.map(convert::swizzle);
            vk::ComponentMapping { r, g, b, a }
        } else {
            vk::ComponentMapping::default()
        };
        let format = self.view_format(key.format);
        let extra = info.usage & vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT;
        let extra = if how == ViewUse::Storage { vk::ImageUsageFlags::empty() } else { extra };
        let view = gpu.create_view(&self.image, kind, format, range, components, usage | extra)?;
        self.views.insert((how, *key), view);
        Ok(view)
    }

    /// The format of a view: the game's name of the image's own format (or of its sRGB twin) means the host's.
    pub(crate) fn view_format(&self, wanted: Format) -> vk::Format {
        let own = self.desc.host_format;
        if wanted == Format::Undefined || own.aspects() != Aspects::COLOR || wanted == self.desc.format {
            return self.image.info.format;
        }
        if own != self.desc.format && formats::srgb_twin(self.desc.format) == Some(wanted) {
            return formats::format(formats::srgb_twin(own).unwrap_or(own));
        }
        formats::format(wanted)
    }

    pub(crate) fn discard(self, gpu: &mut Gpu, serial: u64) {
        for (_, view) in self.views {
            gpu.discard(serial, Trash::View(view));
        }
        gpu.discard(serial, Trash::Image(self.image));
    }
}

/// Array and cube view types need layers; without them the plain type is meant, and the other way round.
fn shape_that_fits(kind: vk::ImageViewType, layers: u32) -> vk::ImageViewType {
    use vk::ImageViewType as T;
    match kind {
        T::TYPE_1D if layers > 1 => T::TYPE_1D_ARRAY,
        T::TYPE_2D if layers > 1 => T::TYPE_2D_ARRAY,
        T::CUBE if layers < 6 => T::TYPE_2D_ARRAY,
        other => other,
    }
}

/// A buffer with its typed views.
#[derive(Debug)]
pub(crate) struct HeldBuffer {
    pub(crate) buffer: Buffer,
    texels: HashMap<vk::Format, vk::BufferView>,
}

impl HeldBuffer {
    /// A typed view of all its bytes.
    pub(crate) fn texels(&mut self, gpu: &mut Gpu, format: vk::Format) -> Result<vk::BufferView, ExecuteError> {
        if let Some(&view) = self.texels.get(&format) {
            return Ok(view);
        }
        let create =
            vk::BufferViewCreateInfo::default().buffer(self.buffer.raw).format(format).offset(0).range(vk::WHOLE_SIZE);
        // SAFETY: the buffer lives and has texel buffer usage.
        let view = unsafe { gpu.device.raw.create_buffer_view(&create, None) }.named("vkCreateBufferView")?;
        self.texels.insert(format, view);
        Ok(view)
    }
}

#[derive(Debug)]
pub(crate) enum Held {
    Image(Box<HeldImage>),
    Buffer(HeldBuffer),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: HostKey,
    kind: ResourceKind,
    storage: Storage,
    checked: u64,
    used: u64,
}

/// All host objects, by resource.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    store: SlotMap<HostKey, Held>,
    entries: Vec<Option<Entry>>,
    samplers: HashMap<SamplerKey, vk::Sampler>,
    imports: HashMap<ResourceId, (usize, u64)>,
    /// Images made since the last look, for the hostile executor.
    pub(crate) fresh: Vec<ResourceId>,
    /// Whether `fresh` is kept.
    pub(crate) keep_fresh: bool,
}

pub(crate) const POOL_USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::UNIFORM_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::VERTEX_BUFFER.as_raw()
        | vk::BufferUsageFlags::INDEX_BUFFER.as_raw()
        | vk::BufferUsageFlags::INDIRECT_BUFFER.as_raw()
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER.as_raw(),
);

impl Resources {
    /// Notes that a buffer resource is to be made over memory of the process.
    pub(crate) fn import(&mut self, id: ResourceId, pointer: usize, size: u64) {
        self.imports.insert(id, (pointer, size));
    }

    /// The host object of a resource, made or remade where needed.
    pub(crate) fn ensure(
        &mut self,
        gpu: &mut Gpu,
        world: &World,
        id: ResourceId,
        serial: u64,
    ) -> Result<HostKey, ExecuteError> {
        if let Some(Some(entry)) = self.entries.get_mut(id.index())
            && entry.checked == serial
        {
            return Ok(entry.key);
        }
        let missing = || ExecuteError::WrongKind { resource: id, wanted: "in the pool of resources" };
        let entity = world.resource::<ResourcePool>().entity(id).ok_or_else(missing)?;
        let kind = *world.get::<ResourceKind>(entity).ok_or_else(missing)?;
        let storage = world.get::<Storage>(entity).copied().unwrap_or_default();
        if self.entries.len() <= id.index() {
            self.entries.resize(id.index() + 64, None);
        }
        if let Some(entry) = &mut self.entries[id.index()] {
            if entry.kind == kind && entry.storage == storage {
                entry.checked = serial;
                entry.used = serial;
                return Ok(entry.key);
            }
            let old = *entry;
            self.release(gpu, id, old);
        }
        let held = match kind {
            ResourceKind::Free => return Err(ExecuteError::WrongKind { resource: id, wanted: "in use" }),
            ResourceKind::Buffer { size } => {
                let buffer = match self.imports.get(&id) {
                    Some(&(pointer, bytes)) if std::ptr::NonNull::new(pointer as *mut u8).is_some() => {
                        // SAFETY: whoever called `Executor::import_pool` promised that the memory stays; the pointer was checked just now.
                        unsafe {
                            gpu.import_buffer(std::ptr::NonNull::new_unchecked(pointer as *mut u8), bytes, POOL_USAGE)?
                        }
                    }
                    _ => gpu.create_buffer(size, POOL_USAGE, Memory::Device)?,
                };
                Held::Buffer(HeldBuffer { buffer, texels: HashMap::new() })
            }
            ResourceKind::Image(desc) => Held::Image(Box::new(make_image(gpu, id, desc)?)),
            ResourceKind::Swapchain { extent } => {
                let desc = ImageDesc {
                    format: Format::Rgba8Unorm,
                    host_format: Format::Rgba8Unorm,
                    extent: [extent[0], extent[1], 1],
                    levels: 1,
                    layers: 1,
                    samples: 1,
                    ..ImageDesc::default()
                };
                Held::Image(Box::new(make_image(gpu, id, desc)?))
            }
        };
        if self.keep_fresh {
            self.fresh.push(id);
        }
        let key = self.store.insert(held);
        self.entries[id.index()] = Some(Entry { key, kind, storage, checked: serial, used: serial });
        Ok(key)
    }

    fn release(&mut self, gpu: &mut Gpu, id: ResourceId, entry: Entry) {
        self.entries[id.index()] = None;
        match self.store.remove(entry.key) {
            Some(Held::Image(image)) => image.discard(gpu, entry.used),
            Some(Held::Buffer(held)) => {
                for (_, view) in held.texels {
                    gpu.discard(entry.used, Trash::Texels(view));
                }
                gpu.discard(entry.used, Trash::Buffer(held.buffer));
            }
            None => {}
        }
    }

    /// Lets go of what has retired.
    pub(crate) fn sweep(&mut self, gpu: &mut Gpu, world: &World) {
        let pool = world.resource::<ResourcePool>();
        for n in 0..self.entries.len() {
            let Some(entry) = self.entries[n] else { continue };
            let id = ResourceId(n as u32);
            let gone = pool.entity(id).is_none_or(|entity| {
                let kind = world.get::<ResourceKind>(entity);
                let flags = world.get::<ResourceFlags>(entity).copied().unwrap_or_default();
                flags.has(ResourceFlags::RETIRED) || kind.is_none_or(|k| *k == ResourceKind::Free)
            });
            if gone {
                self.release(gpu, id, entry);
                self.imports.remove(&id);
            }
        }
    }

    /// Lets go of everything.
    pub(crate) fn clear(&mut self, gpu: &mut Gpu) {
        for n in 0..self.entries.len() {
            if let Some(entry) = self.entries[n] {
                self.release(gpu, ResourceId(n as u32), entry);
            }
        }
        for (_, sampler) in self.samplers.drain() {
            // SAFETY: the executor waited for the device.
            unsafe { gpu.device.raw.destroy_sampler(sampler, None) };
        }
    }

    /// Number of host objects.
    pub(crate) fn len(&self) -> usize {
        self.store.len()
    }

    /// The image of a resource.
    pub(crate) fn image(
        &mut self,
        gpu: &mut Gpu,
        world: &World,
        id: ResourceId,
        serial: u64,
    ) -> Result<&mut HeldImage, ExecuteError> {
        let key = self.ensure(gpu, world, id, serial)?;
        match self.store.get_mut(key) {
            Some(Held::Image(image)) => Ok(image),
            _ => Err(ExecuteError::WrongKind { resource: id, wanted: "an image" }),
        }
    }

    /// Two images at once. They may be one: then the second is `None`.
    pub(crate) fn two_images(
        &mut self,
        gpu: &mut Gpu,
        world: &World,
        a: ResourceId,
        b: ResourceId,
        serial: u64,
    ) -> Result<(&HeldImage, &HeldImage), ExecuteError> {
        self.image(gpu, world, a, serial)?;
        self.image(gpu, world, b, serial)?;
        let get = |id: ResourceId| match self.entries[id.index()].and_then(|e| self.store.get(e.key)) {
            Some(Held::Image(image)) => Ok(&**image),
            _ => Err(ExecuteError::WrongKind { resource: id, wanted: "an image" }),
        };
        Ok((get(a)?, get(b)?))
    }

    /// An image that was made before.
    pub(crate) fn peek(&self, id: ResourceId) -> Option<&HeldImage> {
        match self.store.get((*self.entries.get(id.index())?)?.key) {
            Some(Held::Image(image)) => Some(image),
            _ => None,
        }
    }

    /// An image that was made before, to make views of it.
    pub(crate) fn peek_mut(&mut self, id: ResourceId) -> Option<&mut HeldImage> {
        match self.store.get_mut((*self.entries.get(id.index())?)?.key) {
            Some(Held::Image(image)) => Some(image),
            _ => None,
        }
    }

    /// A buffer that was made before.
    pub(crate) fn peek_buffer(&self, id: ResourceId) -> Option<&Buffer> {
        match self.store.get((*self.entries.get(id.index())?)?.key) {
            Some(Held::Buffer(held)) => Some(&held.buffer),
            _ => None,
        }
    }

    /// The buffer of a resource.
    pub(crate) fn buffer(
        &mut self,
        gpu: &mut Gpu,
        world: &World,
        id: ResourceId,
        serial: u64,
    ) -> Result<&mut HeldBuffer, ExecuteError> {
        let key = self.ensure(gpu, world, id, serial)?;
        match self.store.get_mut(key) {
            Some(Held::Buffer(buffer)) => Ok(buffer),
            _ => Err(ExecuteError::WrongKind { resource: id, wanted: "a buffer" }),
        }
    }

    /// A sampler. Samplers live as long as the executor: games use few.
    pub(crate) fn sampler(&mut self, gpu: &Gpu, key: &SamplerKey) -> Result<vk::Sampler, ExecuteError> {
        if let Some(&sampler) = self.samplers.get(key) {
            return Ok(sampler);
        }
        let device = &gpu.device;
        let float = f32::from_bits;
        let anisotropy = float(key.max_anisotropy).min(device.limits.max_anisotropy);
        let anisotropic = anisotropy > 1.0 && device.features.has(Feature::Anisotropy);
        let limit = device.limits.max_lod_bias;
        let mut create = vk::SamplerCreateInfo::default()
            .mag_filter(convert::filter(key.mag))
            .min_filter(convert::filter(key.min))
            .mipmap_mode(convert::mip(key.mip))
            .address_mode_u(convert::wrap(key.wrap[0]))
            .address_mode_v(convert::wrap(key.wrap[1]))
            .address_mode_w(convert::wrap(key.wrap[2]))
            .mip_lod_bias(float(key.lod_bias).clamp(-limit, limit))
            .min_lod(float(key.min_lod))
            .max_lod(float(key.max_lod).max(float(key.min_lod)))
            .anisotropy_enable(anisotropic)
            .max_anisotropy(if anisotropic { anisotropy } else { 1.0 })
            .compare_enable(key.compare.is_some())
            .compare_op(key.compare.map_or(vk::CompareOp::ALWAYS, convert::compare));
        let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default();
        if key.wrap.contains(&framegraph::state::Wrap::ClampToBorder) {
            let integer = key.border_class != framegraph::state::NumericClass::Float;
            match fixed_border(key, integer) {
                Some(fixed) => create = create.border_color(fixed),
                None if device.features.has(Feature::CustomBorderColor) => {
                    custom.custom_border_color.uint32 = key.border;
                    create = create.border_color(if integer {
                        vk::BorderColor::INT_CUSTOM_EXT
                    } else {
                        vk::BorderColor::FLOAT_CUSTOM_EXT
                    });
                    create = create.push_next(&mut custom);
                }
                None => create = create.border_color(nearest_border(key, integer)),
            }
        }
        // SAFETY: complete create info.
        let sampler = unsafe { device.raw.create_sampler(&create, None) }.named("vkCreateSampler")?;
        self.samplers.insert(*key, sampler);
        Ok(sampler)
    }
}

fn fixed_border(key: &SamplerKey, integer: bool) -> Option<vk::BorderColor> {
    let one = if integer { 1 } else { 1f32.to_bits() };
    Some(match (key.border, integer) {
        ([0, 0, 0, 0], false) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        ([0, 0, 0, 0], true) => vk::BorderColor::INT_TRANSPARENT_BLACK,
        ([0, 0, 0, a], false) if a == one => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        ([0, 0, 0, a], true) if a == one => vk::BorderColor::INT_OPAQUE_BLACK,
        (all, false) if all == [one; 4] => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        (all, true) if all == [one; 4] => vk::BorderColor::INT_OPAQUE_WHITE,
        _ => return None,
    })
}

fn nearest_border(key: &SamplerKey, integer: bool) -> vk::BorderColor {
    let level = |n: usize| if integer { key.border[n] as f32 } else { f32::from_bits(key.border[n]) };
    match (level(3) < 0.5, level(0) + level(1) + level(2) < 1.5, integer) {
        (true, _, false) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        (true, _, true) => vk::BorderColor::INT_TRANSPARENT_BLACK,
        (false, true, false) => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        (false, true, true) => vk::BorderColor::INT_OPAQUE_BLACK,
        (false, false, false) => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        (false, false, true) => vk::BorderColor::INT_OPAQUE_WHITE,
    }
}

fn make_image(gpu: &mut Gpu, id: ResourceId, desc: ImageDesc) -> Result<HeldImage, ExecuteError> {
    let mut desc = desc;
    if desc.host_format == Format::Undefined {
        desc.host_format = desc.format;
    }
    let info = choose_info(&gpu.device, &desc).ok_or_else(|| ExecuteError::Image {
        resource: id,
        what: format!(
            "{} {:?} {}x{}x{}, {} levels, {} layers, {} samples",
            desc.host_format.name(),
            desc.dim,
            desc.extent[0],
            desc.extent[1],
            desc.extent[2],
            desc.levels,
            desc.layers,
            desc.samples
        ),
    })?;
    let list: smallvec::SmallVec<[vk::Format; 2]> =
        if info.flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT) && desc.host_format.block().1 > 1 {
            std::iter::once(info.format).chain(formats::srgb_twin(desc.host_format).map(formats::format)).collect()
        } else {
            smallvec::SmallVec::new()
        };
    Ok(HeldImage::new(gpu.create_image(info, &list)?, desc))
}

/// Everything that the format allows, less what this shape does not.
fn choose_info(device: &Device, desc: &ImageDesc) -> Option<ImageInfo> {
    use vk::FormatFeatureFlags as F;
    use vk::ImageCreateFlags as C;
    use vk::ImageUsageFlags as U;
    let format = formats::format(desc.host_format);
    if format == vk::Format::UNDEFINED {
        return None;
    }
    let features = |f: vk::Format| {
        // SAFETY: a query with a known format.
        unsafe { device.instance.get_physical_device_format_properties(device.physical, f) }.optimal_tiling_features
    };
    let own = features(format);
    let twin = formats::srgb_twin(desc.host_format).map(formats::format);
    let all = own | twin.map_or(F::empty(), features);
    let samples = vk::SampleCountFlags::from_raw(u32::from(desc.samples.max(1)).next_power_of_two());
    let multisampled = samples != vk::SampleCountFlags::TYPE_1;
    let kind = match desc.dim {
        Dim::D1 | Dim::D1Array => vk::ImageType::TYPE_1D,
        Dim::D3 => vk::ImageType::TYPE_3D,
        _ => vk::ImageType::TYPE_2D,
    };
    let mut usage = U::TRANSFER_SRC | U::TRANSFER_DST;
    for (bit, u) in [
        (F::SAMPLED_IMAGE, U::SAMPLED),
        (F::COLOR_ATTACHMENT, U::COLOR_ATTACHMENT),
        (F::DEPTH_STENCIL_ATTACHMENT, U::DEPTH_STENCIL_ATTACHMENT),
        (F::STORAGE_IMAGE, U::STORAGE),
    ] {
        if all.contains(bit) && !(multisampled && u == U::STORAGE) {
            usage |= u;
        }
    }
    let attachable = usage.intersects(U::COLOR_ATTACHMENT | U::DEPTH_STENCIL_ATTACHMENT);
    if attachable && usage.contains(U::SAMPLED) && device.features.has(Feature::FeedbackLayout) {
        usage |= U::ATTACHMENT_FEEDBACK_LOOP_EXT;
    }
    let mut flags = C::empty();
    let color = desc.host_format.aspects() == Aspects::COLOR;
    if color && (twin.is_some() || desc.host_format.block().1 == 1) {
        flags |= C::MUTABLE_FORMAT;
        if all != own {
            flags |= C::EXTENDED_USAGE;
        }
    }
    if kind == vk::ImageType::TYPE_3D && color {
        flags |= C::TYPE_2D_ARRAY_COMPATIBLE;
        if device.features.has(Feature::View2dOf3d) {
            flags |= C::TYPE_2D_VIEW_COMPATIBLE_EXT;
        }
    }
    let square = desc.extent[0] == desc.extent[1];
    if kind == vk::ImageType::TYPE_2D && desc.layers >= 6 && square && !multisampled {
        flags |= C::CUBE_COMPATIBLE;
    }
    let depth = if kind == vk::ImageType::TYPE_3D { desc.extent[2].max(1) } else { 1 };
    let height = if kind == vk::ImageType::TYPE_1D { 1 } else { desc.extent[1].max(1) };
    let mut info = ImageInfo {
        kind,
        format,
        aspects: formats::aspects(desc.host_format.aspects()),
        extent: [desc.extent[0].max(1), height, depth],
        levels: u32::from(desc.levels.max(1)),
        layers: if kind == vk::ImageType::TYPE_3D { 1 } else { u32::from(desc.layers.max(1)) },
        samples,
        usage,
        flags,
    };
    // What is given up, in order, where the device refuses the whole.
    let give_up: [(U, C); 7] = [
        (U::empty(), C::empty()),
        (U::ATTACHMENT_FEEDBACK_LOOP_EXT, C::empty()),
        (U::STORAGE, C::empty()),
        (U::empty(), C::TYPE_2D_VIEW_COMPATIBLE_EXT),
        (U::empty(), C::CUBE_COMPATIBLE),
        (U::COLOR_ATTACHMENT, C::TYPE_2D_ARRAY_COMPATIBLE),
        (U::empty(), C::EXTENDED_USAGE.union(C::MUTABLE_FORMAT)),
    ];
    for (u, c) in give_up {
        info.usage &= !u;
        info.flags &= !c;
        if allowed(device, &info) {
            return Some(info);
        }
    }
    None
}

trait Union {
    fn union(self, other: Self) -> Self;
}

impl Union for vk::ImageCreateFlags {
    fn union(self, other: Self) -> Self {
        self | other
    }
}

fn allowed(device: &Device, info: &ImageInfo) -> bool {
    let ask = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(info.format)
        .ty(info.kind)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(info.usage)
        .flags(info.flags);
    let mut answer = vk::ImageFormatProperties2::default();
    // SAFETY: a query.
    let result =
        unsafe { device.instance.get_physical_device_image_format_properties2(device.physical, &ask, &mut answer) };
    let p = answer.image_format_properties;
    result.is_ok()
        && p.max_extent.width >= info.extent[0]
        && p.max_extent.height >= info.extent[1]
        && p.max_extent.depth >= info.extent[2]
        && p.max_mip_levels >= info.levels
        && p.max_array_layers >= info.layers
        && p.sample_counts.contains(info.samples)
}
