//! Runs one module of a case and collects what it writes.

use super::cases::Case;
use super::device::{Buffer, Device, Image, ImageShape, Named, RunError, aspect};
use super::interface::{Descriptor, Interface, Kind, Located, Scalar};
use super::values::{Output, Random, fill_block};
use ash::vk;
use rspirv::spirv::{self, BuiltIn, StorageClass};
use serde_json::Value;
use std::collections::BTreeMap;

/// Side of the colour targets in pixels.
const SIDE: u32 = 32;
/// Vertices of a vertex-stage run.
const VERTICES: u32 = 36;
/// Bytes of every buffer.
const BUFFER: usize = 0x1_0000;

/// Resources of a run, by set and slot.
struct Resources {
    uniforms: BTreeMap<u32, Buffer>,
    storage: BTreeMap<u32, Buffer>,
    textures: BTreeMap<u32, (Image, Value)>,
    texels: BTreeMap<u32, (Buffer, Value)>,
    images: BTreeMap<u32, (Image, Value)>,
    image_buffers: BTreeMap<u32, (Buffer, Value)>,
}

/// Resources of a kind, with those that only the reference declares.
fn interface(case: &Case, list: &str) -> Vec<Value> {
    let mut all = case.meta["interface"][list].as_array().cloned().unwrap_or_default();
    all.extend(case.meta["reference_only"][list].as_array().cloned().unwrap_or_default());
    all
}

/// What is special about the inputs of a case.
#[derive(Clone, Copy)]
struct Setup {
    /// Range of the floats in buffers.
    range: (f32, f32),
    /// Textures hold the number of their level, vertices have w = 1 and exact grid coordinates, and the first uniform vector scales
    /// coordinates to 4 texels a pixel.
    levels: bool,
    /// The fourth word of each vector of a storage buffer is 0.
    clear_fourth: bool,
}

/// Some cases take square roots of, or convert, what a negative input leaves undefined in one of the two modules; tessellation
/// levels start at 1; some cases say what they need.
fn setup(name: &str) -> Setup {
    let range = match name {
        "cs_mul_ieee" | "cs_mufu_edges" | "fs_img_blend_rgba8" | "fs_light" => (0.0, 1.0),
        _ if name.starts_with("tc_") || name.starts_with("te_") => (1.0, 4.0),
        _ => (-1.0, 2.0),
    };
    Setup { range, levels: name == "fs_branch_implicit_lod", clear_fourth: name.starts_with("cs_shf_") }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("")
}

fn scalar_of(ty: &str) -> Scalar {
    match ty.as_bytes().first() {
        Some(b'u') => Scalar::Uint,
        Some(b'i') if !ty.starts_with("image") => Scalar::Sint,
        _ => Scalar::Float,
    }
}

fn wide_format(scalar: Scalar) -> vk::Format {
    match scalar {
        Scalar::Float => vk::Format::R32G32B32A32_SFLOAT,
        Scalar::Sint => vk::Format::R32G32B32A32_SINT,
        Scalar::Uint => vk::Format::R32G32B32A32_UINT,
    }
}

/// Shape, size and format of the texture a sampler type names.
fn texture_shape(ty: &str) -> ImageShape {
    let rest = ty.find("sampler").map_or("2D", |at| &ty[at + 7..]);
    let shadow = rest.ends_with("Shadow");
    let rest = rest.trim_end_matches("Shadow");
    let flat = vk::Extent3D { width: 16, height: 16, depth: 1 };
    let (kind, extent, layers, cube) = match rest {
        "1D" => (vk::ImageType::TYPE_1D, vk::Extent3D { height: 1, ..flat }, 1, false),
        "1DArray" => (vk::ImageType::TYPE_1D, vk::Extent3D { height: 1, ..flat }, 4, false),
        "2DArray" => (vk::ImageType::TYPE_2D, flat, 4, false),
        "3D" => (vk::ImageType::TYPE_3D, vk::Extent3D { width: 8, height: 8, depth: 8 }, 1, false),
        "Cube" => (vk::ImageType::TYPE_2D, flat, 6, true),
        "CubeArray" => (vk::ImageType::TYPE_2D, flat, 12, true),
        _ => (vk::ImageType::TYPE_2D, flat, 1, false),
    };
    let multisampled = rest == "2DMS";
    ImageShape {
        kind,
        format: if shadow { vk::Format::D32_SFLOAT } else { wide_format(scalar_of(ty)) },
        extent,
        layers,
        levels: if multisampled { 1 } else { 4 },
        samples: if multisampled { vk::SampleCountFlags::TYPE_4 } else { vk::SampleCountFlags::TYPE_1 },
        cube,
        usage: vk::ImageUsageFlags::SAMPLED,
    }
}

fn image_format(name: &str) -> (vk::Format, u64) {
    match name {
        "rgba8" => (vk::Format::R8G8B8A8_UNORM, 4),
        "rgba16f" => (vk::Format::R16G16B16A16_SFLOAT, 8),
        "r32f" => (vk::Format::R32_SFLOAT, 4),
        "r32i" => (vk::Format::R32_SINT, 4),
        "rgba32f" => (vk::Format::R32G32B32A32_SFLOAT, 16),
        _ => (vk::Format::R32_UINT, 4),
    }
}

/// Shape of the storage image an image type names (`uimage2D:r32ui`).
fn storage_shape(ty: &str) -> (ImageShape, u64, bool) {
    let (shape, format) = ty.split_once(':').unwrap_or((ty, "r32ui"));
    let rest = shape.find("image").map_or("2D", |at| &shape[at + 5..]);
    let (format, size) = image_format(format);
    let flat = vk::Extent3D { width: 32, height: 32, depth: 1 };
    let (kind, extent, layers) = match rest {
        "1D" => (vk::ImageType::TYPE_1D, vk::Extent3D { height: 1, ..flat }, 1),
        "2DArray" => (vk::ImageType::TYPE_2D, flat, 4),
        "3D" => (vk::ImageType::TYPE_3D, vk::Extent3D { width: 8, height: 8, depth: 8 }, 1),
        _ => (vk::ImageType::TYPE_2D, flat, 1),
    };
    let shape = ImageShape {
        kind,
        format,
        extent,
        layers,
        levels: 1,
        samples: vk::SampleCountFlags::TYPE_1,
        cube: false,
        usage: vk::ImageUsageFlags::STORAGE,
    };
    (shape, size, rest == "Buffer")
}

fn random_words(scalar: Scalar, count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count)
        .flat_map(|_| {
            let word = if scalar == Scalar::Float { random.float(0.0, 1.0).to_bits() } else { random.word() % 200 };
            word.to_le_bytes()
        })
        .collect()
}

impl Resources {
    fn new(device: &Device, cases: &[&Case], variant: u64) -> Result<Self, RunError> {
        let mut this = Self {
            uniforms: BTreeMap::new(),
            storage: BTreeMap::new(),
            textures: BTreeMap::new(),
            texels: BTreeMap::new(),
            images: BTreeMap::new(),
            image_buffers: BTreeMap::new(),
        };
        let setup = setup(cases.first().map_or("", |c| c.name.as_str()));
        let range = match (variant, setup.range) {
            (1, (low, _)) if low < 0.0 => (0.0, 1.0),
            (2, (low, _)) if low < 0.0 => (0.0, 0.3),
            (_, range) => range,
        };
        let salt = variant * 7_777;
        let interface = |list: &str| -> Vec<Value> { cases.iter().flat_map(|c| interface(c, list)).collect() };
        let slot = |v: &Value| v["slot"].as_u64().unwrap_or(0) as u32;
        for block in interface("uniform_blocks") {
            let at = slot(&block);
            let mut bytes = fill_block(&block, BUFFER, salt + 100 + u64::from(at), range);
            if setup.levels {
                let words = [8.0f32, 8.0, 0.0, 0.0];
                bytes[..16].iter_mut().zip(words.iter().flat_map(|w| w.to_le_bytes())).for_each(|(b, w)| *b = w);
            }
            this.uniforms.insert(at, device.buffer(&bytes)?);
        }
        for block in interface("ssbos") {
            let at = slot(&block);
            let mut bytes = fill_block(&block, BUFFER, salt + 200 + u64::from(at), range);
            if setup.clear_fourth {
                bytes.chunks_mut(16).for_each(|v| v[12..].fill(0));
            }
            this.storage.insert(at, device.buffer(&bytes)?);
        }
        for sampler in interface("samplers") {
            let ty = text(&sampler, "type").to_owned();
            let first = slot(&sampler);
            for at in first..first + sampler["array_size"].as_u64().unwrap_or(1) as u32 {
                let seed = salt + 300 + u64::from(at);
                if ty.ends_with("samplerBuffer") {
                    let buffer = device.buffer(&random_words(scalar_of(&ty), 1024, seed))?;
                    this.texels.insert(at, (buffer, sampler.clone()));
                } else {
                    this.textures.insert(
                        at,
                        (texture(device, &texture_shape(&ty), scalar_of(&ty), seed, setup.levels)?, sampler.clone()),
                    );
                }
            }
        }
        for image in interface("images") {
            let (shape, size, buffer) = storage_shape(text(&image, "type"));
            let at = slot(&image);
            if buffer {
                let buffer = device.buffer(&random_words(Scalar::Float, 1024, 400 + u64::from(at)))?;
                this.image_buffers.insert(at, (buffer, image));
                continue;
            }
            let made = device.image(&shape)?;
            let texels = u64::from(shape.extent.width * shape.extent.height * shape.extent.depth * shape.layers);
            // Bytes below 0x38 keep halves and floats finite.
            let mut random = Random::new(400 + u64::from(at));
            let bytes: Vec<u8> = (0..texels * size).map(|_| (random.word() % 0x38) as u8).collect();
            let staging = device.buffer(&bytes)?;
            device.run(|c| {
                device.transition(c, &made, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
                device.copy(c, &made, 0, &staging, true);
                device.transition(c, &made, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
            })?;
            device.free_buffer(&staging);
            this.images.insert(at, (made, image));
        }
        Ok(this)
    }

    fn free(&self, device: &Device) {
        self.uniforms.values().chain(self.storage.values()).for_each(|b| device.free_buffer(b));
        self.texels.values().chain(self.image_buffers.values()).for_each(|(b, _)| device.free_buffer(b));
        self.textures.values().chain(self.images.values()).for_each(|(i, _)| device.free_image(i));
    }

    /// What the shader may have written.
    fn outputs(&self, device: &Device) -> Result<Vec<Output>, RunError> {
        let mut out = Vec::new();
        for (slot, buffer) in &self.storage {
            out.push(Output { name: format!("storage buffer {slot}"), words: device.read(buffer), float: false });
        }
        for (slot, (image, meta)) in &self.images {
            let (shape, size, _) = storage_shape(text(meta, "type"));
            let texels = u64::from(shape.extent.width * shape.extent.height * shape.extent.depth * shape.layers);
            let staging = device.buffer(&vec![0; (texels * size) as usize])?;
            device.run(|c| {
                device.transition(c, image, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
                device.copy(c, image, 0, &staging, false);
            })?;
            out.push(Output { name: format!("image {slot}"), words: device.read(&staging), float: false });
            device.free_buffer(&staging);
        }
        for (slot, (buffer, _)) in &self.image_buffers {
            out.push(Output { name: format!("image buffer {slot}"), words: device.read(buffer), float: false });
        }
        Ok(out)
    }
}

fn texture(device: &Device, shape: &ImageShape, scalar: Scalar, seed: u64, levels: bool) -> Result<Image, RunError> {
    let image = device.image(shape)?;
    let multisampled = shape.samples != vk::SampleCountFlags::TYPE_1;
    let mut staging = Vec::new();
    if !multisampled {
        let components = if shape.format == vk::Format::D32_SFLOAT { 1 } else { 4 };
        for level in 0..shape.levels {
            let side = |n: u32| (n >> level).max(1) as usize;
            let texels =
                side(shape.extent.width) * side(shape.extent.height) * side(shape.extent.depth) * shape.layers as usize;
            let bytes = if levels {
                (level as f32).to_le_bytes().repeat(texels * components)
            } else {
                random_words(scalar, texels * components, seed + 1000 * u64::from(level))
            };
            staging.push(device.buffer(&bytes)?);
        }
    }
    device.run(|c| {
        device.transition(c, &image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        if multisampled {
            let color = vk::ClearColorValue { float32: [0.25, 0.5, 0.75, 1.0] };
            let range = [vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: 0,
                level_count: 1,
                base_array_layer: 0,
                layer_count: shape.layers,
            }];
            // SAFETY: the command buffer is recording and the image is in the general layout.
            unsafe { device.vk.cmd_clear_color_image(c, image.image, vk::ImageLayout::GENERAL, &color, &range) };
        }
        for (level, buffer) in staging.iter().enumerate() {
            device.copy(c, &image, level as u32, buffer, true);
        }
        device.transition(c, &image, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
    })?;
    staging.iter().for_each(|b| device.free_buffer(b));
    Ok(image)
}

/// Handles made for one pipeline.
struct Bound<'a> {
    device: &'a Device,
    pool: vk::DescriptorPool,
    layouts: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    sets: Vec<vk::DescriptorSet>,
    views: Vec<vk::ImageView>,
    buffer_views: Vec<vk::BufferView>,
    samplers: Vec<vk::Sampler>,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let vk = &self.device.vk;
        // SAFETY: the queue is idle when a run ends, and these handles are owned here.
        unsafe {
            vk.destroy_descriptor_pool(self.pool, None);
            vk.destroy_pipeline_layout(self.layout, None);
            self.layouts.iter().for_each(|l| vk.destroy_descriptor_set_layout(*l, None));
            self.views.iter().for_each(|v| vk.destroy_image_view(*v, None));
            self.buffer_views.iter().for_each(|v| vk.destroy_buffer_view(*v, None));
            self.samplers.iter().for_each(|s| vk.destroy_sampler(*s, None));
        }
    }
}

fn descriptor_type(kind: Kind) -> vk::DescriptorType {
    match kind {
        Kind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        Kind::Storage => vk::DescriptorType::STORAGE_BUFFER,
        Kind::Sampled(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        Kind::TexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        Kind::Image(shape) if shape.dim == spirv::Dim::DimBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        Kind::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
    }
}

fn view_type(shape: &super::interface::ImageShape) -> vk::ImageViewType {
    match (shape.dim, shape.arrayed) {
        (spirv::Dim::Dim1D, false) => vk::ImageViewType::TYPE_1D,
        (spirv::Dim::Dim1D, true) => vk::ImageViewType::TYPE_1D_ARRAY,
        (spirv::Dim::Dim3D, _) => vk::ImageViewType::TYPE_3D,
        (spirv::Dim::DimCube, false) => vk::ImageViewType::CUBE,
        (spirv::Dim::DimCube, true) => vk::ImageViewType::CUBE_ARRAY,
        (_, true) => vk::ImageViewType::TYPE_2D_ARRAY,
        _ => vk::ImageViewType::TYPE_2D,
    }
}

fn texel_format(format: spirv::ImageFormat) -> Option<vk::Format> {
    Some(match format {
        spirv::ImageFormat::R32ui => vk::Format::R32_UINT,
        spirv::ImageFormat::Rg32ui => vk::Format::R32G32_UINT,
        spirv::ImageFormat::Rgba32ui => vk::Format::R32G32B32A32_UINT,
        spirv::ImageFormat::R8ui => vk::Format::R8_UINT,
        spirv::ImageFormat::R16ui => vk::Format::R16_UINT,
        _ => return None,
    })
}

impl<'a> Bound<'a> {
    fn new(
        device: &'a Device,
        resources: &Resources,
        descriptors: &[Descriptor],
        stages: vk::ShaderStageFlags,
    ) -> Result<Self, RunError> {
        let vk = &device.vk;
        let sizes: Vec<vk::DescriptorPoolSize> = [
            vk::DescriptorType::UNIFORM_BUFFER,
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            vk::DescriptorType::STORAGE_IMAGE,
        ]
        .into_iter()
        .map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 64 })
        .collect();
        let pool_info = vk::DescriptorPoolCreateInfo::default().max_sets(4).pool_sizes(&sizes);
        // SAFETY: plain creation with complete infos.
        let pool = unsafe { vk.create_descriptor_pool(&pool_info, None) }.named("create_descriptor_pool")?;
        let mut layouts = Vec::new();
        for set in 0..4 {
            let bindings: Vec<vk::DescriptorSetLayoutBinding<'_>> = descriptors
                .iter()
                .filter(|d| d.set == set)
                .map(|d| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(d.binding)
                        .descriptor_count(d.count)
                        .descriptor_type(descriptor_type(d.kind))
                        .stage_flags(stages)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: bindings are distinct.
            layouts
                .push(unsafe { vk.create_descriptor_set_layout(&info, None) }.named("create_descriptor_set_layout")?);
        }
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        // SAFETY: the set layouts are alive.
        let layout = unsafe { vk.create_pipeline_layout(&info, None) }.named("create_pipeline_layout")?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool has room for four sets.
        let sets = unsafe { vk.allocate_descriptor_sets(&info) }.named("allocate_descriptor_sets")?;
        let mut this = Self {
            device,
            pool,
            layouts,
            layout,
            sets,
            views: Vec::new(),
            buffer_views: Vec::new(),
            samplers: Vec::new(),
        };
        for descriptor in descriptors {
            for element in 0..descriptor.count {
                this.write(resources, descriptor, element)?;
            }
        }
        Ok(this)
    }

    fn write(&mut self, resources: &Resources, descriptor: &Descriptor, element: u32) -> Result<(), RunError> {
        let vk = &self.device.vk;
        let slot = descriptor.binding + element;
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.sets[descriptor.set as usize])
            .dst_binding(descriptor.binding)
            .dst_array_element(element)
            .descriptor_type(descriptor_type(descriptor.kind));
        let missing = || RunError::Case(format!("the case has no resource for set {} slot {slot}", descriptor.set));
        match descriptor.kind {
            Kind::Uniform | Kind::Storage => {
                let buffers = if descriptor.kind == Kind::Uniform { &resources.uniforms } else { &resources.storage };
                let buffer = buffers.get(&slot).ok_or_else(missing)?;
                let info = [vk::DescriptorBufferInfo { buffer: buffer.buffer, offset: 0, range: buffer.size }];
                // SAFETY: set, buffer and info are alive.
                unsafe { vk.update_descriptor_sets(&[write.buffer_info(&info)], &[]) };
            }
            Kind::TexelBuffer => {
                let (buffer, meta) = resources.texels.get(&slot).ok_or_else(missing)?;
                self.buffer_view(write, buffer, wide_format(scalar_of(text(meta, "type"))))?;
            }
            Kind::Image(shape) if shape.dim == spirv::Dim::DimBuffer => {
                let (buffer, meta) = resources.image_buffers.get(&slot).ok_or_else(missing)?;
                let own = image_format(text(meta, "type").split(':').nth(1).unwrap_or("")).0;
                self.buffer_view(write, buffer, texel_format(shape.format).unwrap_or(own))?;
            }
            Kind::Sampled(shape) => {
                // A handle from memory has no slot of its own: it gets the first texture.
                let first = resources.textures.values().next();
                let (image, meta) = resources.textures.get(&slot).or(first).ok_or_else(missing)?;
                let integer = scalar_of(text(meta, "type")) != Scalar::Float;
                let filter = if integer { vk::Filter::NEAREST } else { vk::Filter::LINEAR };
                let info = vk::SamplerCreateInfo::default()
                    .mag_filter(filter)
                    .min_filter(filter)
                    .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
                    .max_lod(if image.levels > 1 { 3.0 } else { 0.0 })
                    .compare_enable(shape.depth)
                    .compare_op(vk::CompareOp::LESS_OR_EQUAL);
                // SAFETY: a complete create info.
                let sampler = unsafe { vk.create_sampler(&info, None) }.named("create_sampler")?;
                self.samplers.push(sampler);
                let view = self.view(image, view_type(&shape), image.format, false)?;
                let info =
                    [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL }];
                // SAFETY: set, view and sampler are alive.
                unsafe { self.device.vk.update_descriptor_sets(&[write.image_info(&info)], &[]) };
            }
            Kind::Image(shape) => {
                let first = resources.images.values().next();
                let (image, _) = resources.images.get(&slot).or(first).ok_or_else(missing)?;
                let format = texel_format(shape.format).unwrap_or(image.format);
                let view = self.view(image, view_type(&shape), format, true)?;
                let info = [vk::DescriptorImageInfo {
                    sampler: vk::Sampler::null(),
                    image_view: view,
                    image_layout: vk::ImageLayout::GENERAL,
                }];
                // SAFETY: set and view are alive.
                unsafe { self.device.vk.update_descriptor_sets(&[write.image_info(&info)], &[]) };
            }
        }
        Ok(())
    }

    fn buffer_view(
        &mut self,
        write: vk::WriteDescriptorSet<'_>,
        buffer: &Buffer,
        format: vk::Format,
    ) -> Result<(), RunError> {
        let info = vk::BufferViewCreateInfo::default().buffer(buffer.buffer).format(format).range(vk::WHOLE_SIZE);
        // SAFETY: the buffer is alive and larger than a texel.
        let view = unsafe { self.device.vk.create_buffer_view(&info, None) }.named("create_buffer_view")?;
        self.buffer_views.push(view);
        let views = [view];
        // SAFETY: set and view are alive.
        unsafe { self.device.vk.update_descriptor_sets(&[write.texel_buffer_view(&views)], &[]) };
        Ok(())
    }

    fn view(
        &mut self,
        image: &Image,
        kind: vk::ImageViewType,
        format: vk::Format,
        storage: bool,
    ) -> Result<vk::ImageView, RunError> {
        let layers = match kind {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_2D | vk::ImageViewType::TYPE_3D => 1,
            vk::ImageViewType::CUBE => 6,
            _ => image.layers,
        };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
        let mut info =
            vk::ImageViewCreateInfo::default().image(image.image).view_type(kind).format(format).subresource_range(
                vk::ImageSubresourceRange {
                    aspect_mask: aspect(image.format),
                    base_mip_level: 0,
                    level_count: image.levels,
                    base_array_layer: 0,
                    layer_count: layers,
                },
            );
        if storage {
            info = info.push_next(&mut usage);
        }
        // SAFETY: the image is alive and the view lies inside it.
        let view = unsafe { self.device.vk.create_image_view(&info, None) }.named("create_image_view")?;
        self.views.push(view);
        Ok(view)
    }

    fn bind(&self, commands: vk::CommandBuffer, point: vk::PipelineBindPoint) {
        // SAFETY: the command buffer is recording; layout and sets are alive.
        unsafe { self.device.vk.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &self.sets, &[]) };
    }
}

fn module(device: &Device, words: &[u32]) -> Result<vk::ShaderModule, RunError> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: the words were parsed as a module before.
    unsafe { device.vk.create_shader_module(&info, None) }.named("create_shader_module")
}

/// One stage of a run.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// The case it belongs to.
    pub case: &'a Case,
    /// Its module.
    pub words: &'a [u32],
    /// Which of the seeded inputs it gets.
    pub variant: u64,
}

/// Runs a module (or a tessellation control and evaluation pair) and returns everything it wrote. `reference` says what to compare:
/// the outputs of the last stage.
///
/// # Errors
/// A Vulkan call that fails, or a case that needs something the harness has not.
pub fn run(device: &Device, stages: &[Stage<'_>], reference: &Interface) -> Result<Vec<Output>, RunError> {
    let (Some(first), Some(last)) = (stages.first(), stages.last()) else { return Ok(Vec::new()) };
    let parse = |words| Interface::parse(words).ok_or_else(|| RunError::Case("the module does not parse".to_owned()));
    let parsed = parse(last.words)?;
    let cases: Vec<&Case> = stages.iter().map(|s| s.case).collect();
    let resources = Resources::new(device, &cases, last.variant)?;
    let result = match last.case.stage() {
        "compute" => compute(device, &resources, last.words, &parsed, [3, 2, 1]),
        "fragment" => fragment(device, &resources, last, &parsed, reference),
        "vertex" => vertex(device, &resources, stages, &[], &parsed, reference),
        _ => parse(first.words).and_then(|entry| {
            // Inputs are arrays over the vertices of a primitive or patch; each element is the same location.
            let inputs: Vec<Located> =
                entry.located(StorageClass::Input).into_iter().map(|l| Located { elements: 1, ..l }).collect();
            vertex(device, &resources, stages, &inputs, &parsed, reference)
        }),
    };
    let result = result.and_then(|mut out| {
        out.extend(resources.outputs(device)?);
        Ok(out)
    });
    resources.free(device);
    result
}

/// Whether a module asks how many workgroups there are.
fn counts_groups(words: &[u32]) -> bool {
    let mut at = 5;
    while let Some(word) = words.get(at) {
        let (op, length) = (word & 0xFFFF, (word >> 16).max(1) as usize);
        let built_in = [spirv::Decoration::BuiltIn as u32, BuiltIn::NumWorkgroups as u32];
        if op == spirv::Op::Decorate as u32 && words.get(at + 2..at + 4) == Some(&built_in) {
            return true;
        }
        at += length;
    }
    false
}

/// Runs the groups one behind the other: many of the cases count along x alone, hence groups of other rows work on the same words, and what they leave would
/// hang on who comes first. A module that counts the groups is given all of them at once.
fn compute(
    device: &Device,
    resources: &Resources,
    words: &[u32],
    parsed: &Interface,
    groups: [u32; 3],
) -> Result<Vec<Output>, RunError> {
    let bound = Bound::new(device, resources, &parsed.descriptors(), vk::ShaderStageFlags::COMPUTE)?;
    let shader = module(device, words)?;
    let stage =
        vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(shader).name(c"main");
    let flags = vk::PipelineCreateFlags::DISPATCH_BASE;
    let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(bound.layout)];
    // SAFETY: module and layout are alive; the pipeline is destroyed after the queue is idle.
    unsafe {
        let made = device.vk.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        device.vk.destroy_shader_module(shader, None);
        let pipeline = made.map_err(|(_, e)| e).named("create_compute_pipelines")?[0];
        let run = device.run(|c| {
            device.vk.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            bound.bind(c, vk::PipelineBindPoint::COMPUTE);
            if counts_groups(words) {
                device.vk.cmd_dispatch(c, groups[0], groups[1], groups[2]);
                return;
            }
            for number in 0..groups.iter().product() {
                let row = number / groups[0];
                device.vk.cmd_dispatch_base(c, number % groups[0], row % groups[1], row / groups[1], 1, 1, 1);
                device.barrier(c);
            }
        });
        device.vk.destroy_pipeline(pipeline, None);
        run?;
    }
    Ok(Vec::new())
}

/// Fixed parts of a graphics pipeline.
struct Draw<'a> {
    stages: &'a [vk::PipelineShaderStageCreateInfo<'a>],
    bindings: &'a [vk::VertexInputBindingDescription],
    attributes: &'a [vk::VertexInputAttributeDescription],
    topology: vk::PrimitiveTopology,
    discard: bool,
    formats: &'a [vk::Format],
    depth: bool,
    layout: vk::PipelineLayout,
    sample_shading: bool,
    patch: u32,
}

fn graphics(device: &Device, draw: &Draw<'_>) -> Result<vk::Pipeline, RunError> {
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(draw.bindings)
        .vertex_attribute_descriptions(draw.attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(draw.topology);
    let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(draw.patch.max(1));
    let viewports =
        [vk::Viewport { x: 0.0, y: 0.0, width: SIDE as f32, height: SIDE as f32, min_depth: 0.0, max_depth: 1.0 }];
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: SIDE, height: SIDE } }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster =
        vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0).rasterizer_discard_enable(draw.discard);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1)
        .sample_shading_enable(draw.sample_shading)
        .min_sample_shading(1.0);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(draw.depth)
        .depth_write_enable(draw.depth)
        .depth_compare_op(vk::CompareOp::ALWAYS);
    let blends: Vec<vk::PipelineColorBlendAttachmentState> = draw
        .formats
        .iter()
        .map(|_| vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA))
        .collect();
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(draw.formats);
    if draw.depth {
        rendering = rendering.depth_attachment_format(vk::Format::D32_SFLOAT);
    }
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(draw.stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(draw.layout)
        .tessellation_state(&tessellation)
        .push_next(&mut rendering)];
    // SAFETY: everything the info points to outlives the call.
    let made = unsafe { device.vk.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
    Ok(made.map_err(|(_, e)| e).named("create_graphics_pipelines")?[0])
}

fn stage(flag: vk::ShaderStageFlags, shader: vk::ShaderModule) -> vk::PipelineShaderStageCreateInfo<'static> {
    vk::PipelineShaderStageCreateInfo::default().stage(flag).module(shader).name(c"main")
}

/// Interpolated inputs come from a grid of triangles whose vertices carry seeded values; w differs from vertex to vertex.
fn fragment(
    device: &Device,
    resources: &Resources,
    last: &Stage<'_>,
    parsed: &Interface,
    reference: &Interface,
) -> Result<Vec<Output>, RunError> {
    let words = last.words;
    let exact = setup(&last.case.name).levels;
    let inputs = parsed.located(StorageClass::Input);
    let points = parsed.builtin(StorageClass::Input, BuiltIn::PointCoord).is_some();
    let through = super::stages::pass_through_vertex(&inputs, points);
    // Integer values for locations that the source declares as integers, whatever the module under test declares.
    let kinds: BTreeMap<u32, Scalar> =
        reference.located(StorageClass::Input).iter().map(|l| (l.location, l.scalar)).collect();
    let grid = 4u32;
    let mut vertices: Vec<u8> = Vec::new();
    let locations: Vec<u32> = {
        let mut all: Vec<u32> = inputs.iter().flat_map(|l| (0..l.elements).map(|k| l.location + k)).collect();
        all.dedup();
        all
    };
    let jitter = |random: &mut Random| if exact { 0.0 } else { random.float(-0.02, 0.02) };
    let corner = |x: u32, y: u32| {
        let seed = u64::from(x * 31 + y * 17 + 5) + 1_000 * last.variant;
        let mut random = Random::new(seed);
        let w = if exact { 1.0 } else { random.float(1.0, 2.0) };
        let (px, py) = (x as f32 / grid as f32 * 2.0 - 1.0, y as f32 / grid as f32 * 2.0 - 1.0);
        let mut out: Vec<u32> = [px * w, py * w, random.float(0.1, 0.9) * w, w].iter().map(|f| f.to_bits()).collect();
        for location in &locations {
            // Each location has its own sequence: the two modules may not declare the same ones.
            let mut random = Random::new(seed * 64 + u64::from(*location));
            for component in 0..4 {
                out.push(match kinds.get(location) {
                    Some(Scalar::Uint | Scalar::Sint) => random.word() % 4,
                    // Like texture coordinates in the first two components.
                    _ if component == 0 => (x as f32 / grid as f32 + jitter(&mut random)).to_bits(),
                    _ if component == 1 => (y as f32 / grid as f32 + jitter(&mut random)).to_bits(),
                    _ => random.float(0.1, 1.0).to_bits(),
                });
            }
        }
        out
    };
    let mut count = 0;
    for y in 0..grid {
        for x in 0..grid {
            let order = [(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)];
            let order = if points {
                &order[..1]
            } else if (x + y) % 2 == 0 {
                &order[..]
            } else {
                &[(0, 0), (0, 1), (1, 0), (1, 0), (0, 1), (1, 1)]
            };
            for (dx, dy) in order {
                vertices.extend(corner(x + dx, y + dy).iter().flat_map(|w| w.to_le_bytes()));
                count += 1;
            }
        }
    }
    let stride = 16 * (1 + locations.len() as u32);
    let buffer = device.buffer(&vertices)?;
    let bindings = [vk::VertexInputBindingDescription { binding: 0, stride, input_rate: vk::VertexInputRate::VERTEX }];
    let mut attributes = vec![vk::VertexInputAttributeDescription {
        location: 0,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: 0,
    }];
    for (k, location) in locations.iter().enumerate() {
        let scalar = inputs
            .iter()
            .find(|l| (l.location..l.location + l.elements).contains(location))
            .map_or(Scalar::Float, |l| l.scalar);
        attributes.push(vk::VertexInputAttributeDescription {
            location: 1 + location,
            binding: 0,
            format: wide_format(scalar),
            offset: 16 * (1 + k as u32),
        });
    }
    // Targets as the reference declares them.
    let targets = reference.located(StorageClass::Output);
    let highest = targets.iter().map(|t| t.location + t.elements).max().unwrap_or(0);
    let dual = targets.iter().any(|t| reference.decoration(t.id, spirv::Decoration::Index).is_some());
    let target = |location: u32| -> Option<&Located> {
        targets.iter().find(|t| (t.location..t.location + t.elements).contains(&location))
    };
    let formats: Vec<vk::Format> =
        (0..highest).map(|l| wide_format(target(l).map_or(Scalar::Float, |t| t.scalar))).collect();
    let depth = reference.builtin(StorageClass::Output, BuiltIn::FragDepth).is_some();
    let make = |format: vk::Format, usage| {
        device.image(&ImageShape {
            kind: vk::ImageType::TYPE_2D,
            format,
            extent: vk::Extent3D { width: SIDE, height: SIDE, depth: 1 },
            layers: 1,
            levels: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            cube: false,
            usage,
        })
    };
    let images: Vec<Image> =
        formats.iter().map(|f| make(*f, vk::ImageUsageFlags::COLOR_ATTACHMENT)).collect::<Result<_, _>>()?;
    let depth_image = make(vk::Format::D32_SFLOAT, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT)?;
    let mut bound = Bound::new(device, resources, &parsed.descriptors(), vk::ShaderStageFlags::FRAGMENT)?;
    let vertex_module = module(device, &through)?;
    let fragment_module = module(device, words)?;
    let shader_stages =
        [stage(vk::ShaderStageFlags::VERTEX, vertex_module), stage(vk::ShaderStageFlags::FRAGMENT, fragment_module)];
    let made = graphics(
        device,
        &Draw {
            stages: &shader_stages,
            bindings: &bindings,
            attributes: &attributes,
            topology: if points { vk::PrimitiveTopology::POINT_LIST } else { vk::PrimitiveTopology::TRIANGLE_LIST },
            discard: false,
            formats: &formats,
            depth,
            layout: bound.layout,
            sample_shading: false,
            patch: 0,
        },
    );
    // SAFETY: modules are not needed after pipeline creation.
    unsafe {
        device.vk.destroy_shader_module(vertex_module, None);
        device.vk.destroy_shader_module(fragment_module, None);
    }
    let pipeline = made?;
    let views: Vec<vk::ImageView> =
        images.iter().map(|i| bound.view(i, vk::ImageViewType::TYPE_2D, i.format, false)).collect::<Result<_, _>>()?;
    let depth_view = bound.view(&depth_image, vk::ImageViewType::TYPE_2D, vk::Format::D32_SFLOAT, false)?;
    let texels = (SIDE * SIDE) as usize;
    let readback: Vec<Buffer> =
        formats.iter().map(|_| device.buffer(&vec![0; texels * 16])).collect::<Result<_, _>>()?;
    let depth_readback = device.buffer(&vec![0; texels * 4])?;
    let run = device.run(|c| {
        let general = vk::ImageLayout::GENERAL;
        images.iter().chain([&depth_image]).for_each(|i| device.transition(c, i, vk::ImageLayout::UNDEFINED, general));
        let colors: Vec<vk::RenderingAttachmentInfo<'_>> = views
            .iter()
            .map(|view| {
                vk::RenderingAttachmentInfo::default()
                    .image_view(*view)
                    .image_layout(general)
                    .load_op(vk::AttachmentLoadOp::CLEAR)
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .clear_value(vk::ClearValue { color: vk::ClearColorValue { uint32: [0x3E80_0000; 4] } })
            })
            .collect();
        let depth_attachment = vk::RenderingAttachmentInfo::default()
            .image_view(depth_view)
            .image_layout(general)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 0.75, stencil: 0 } });
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: SIDE, height: SIDE } };
        let mut info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colors);
        if depth {
            info = info.depth_attachment(&depth_attachment);
        }
        // SAFETY: the command buffer is recording; pipeline, views and buffers are alive until the queue is idle.
        unsafe {
            device.vk.cmd_begin_rendering(c, &info);
            device.vk.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            bound.bind(c, vk::PipelineBindPoint::GRAPHICS);
            device.vk.cmd_bind_vertex_buffers(c, 0, &[buffer.buffer], &[0]);
            device.vk.cmd_draw(c, count, 1, 0, 0);
            device.vk.cmd_end_rendering(c);
        }
        for (image, buffer) in images.iter().zip(&readback) {
            device.transition(c, image, general, general);
            device.copy(c, image, 0, buffer, false);
        }
        device.transition(c, &depth_image, general, general);
        device.copy(c, &depth_image, 0, &depth_readback, false);
    });
    let mut out = Vec::new();
    for (location, buffer) in readback.iter().enumerate() {
        let Some(target) = target(location as u32) else { continue };
        if dual && location > 0 {
            continue;
        }
        // Components beyond the declared ones are not defined.
        let words = device.read(buffer);
        let kept = words.chunks(4).flat_map(|t| t[..target.count as usize].to_vec()).collect();
        out.push(Output { name: format!("target {location}"), words: kept, float: target.scalar == Scalar::Float });
    }
    if depth {
        out.push(Output { name: "depth".to_owned(), words: device.read(&depth_readback), float: true });
    }
    readback.iter().chain([&depth_readback, &buffer]).for_each(|b| device.free_buffer(b));
    // SAFETY: the queue is idle.
    unsafe { device.vk.destroy_pipeline(pipeline, None) };
    drop(bound);
    images.iter().chain([&depth_image]).for_each(|i| device.free_image(i));
    run?;
    Ok(out)
}

/// Outputs of the last stage before rasterisation are captured by transform feedback: 16 bytes per location, position first. Later
/// stages than the vertex stage (`fed` is not empty, or there is a stage behind) get a vertex stage that feeds their inputs.
fn vertex(
    device: &Device,
    resources: &Resources,
    stages: &[Stage<'_>],
    fed: &[Located],
    parsed: &Interface,
    reference: &Interface,
) -> Result<Vec<Output>, RunError> {
    let Some(last) = stages.last() else { return Ok(Vec::new()) };
    let kind = last.case.stage();
    let wanted = reference.located(StorageClass::Output);
    let locations: Vec<u32> = wanted.iter().flat_map(|l| (0..l.elements).map(|k| l.location + k)).collect();
    let (captured, stride) = super::stages::capture(last.words, parsed, &locations)?;
    let feeds = kind != "vertex";
    let inputs = if feeds {
        let position = Located { id: 0, location: 0, component: 0, scalar: Scalar::Float, count: 4, elements: 1 };
        let shifted = fed.iter().map(|l| Located { location: l.location + 1, ..*l });
        std::iter::once(position).chain(shifted).collect()
    } else {
        parsed.located(StorageClass::Input)
    };
    let kinds: BTreeMap<u32, Scalar> = if feeds {
        BTreeMap::new()
    } else {
        reference.located(StorageClass::Input).iter().map(|l| (l.location, l.scalar)).collect()
    };
    let mut attributes: Vec<vk::VertexInputAttributeDescription> = Vec::new();
    for input in &inputs {
        for element in 0..input.elements {
            let location = input.location + element;
            if attributes.iter().any(|a| a.location == location) {
                continue;
            }
            attributes.push(vk::VertexInputAttributeDescription {
                location,
                binding: 0,
                format: wide_format(input.scalar),
                offset: 16 * attributes.len() as u32,
            });
        }
    }
    let input_stride = 16 * attributes.len().max(1) as u32;
    let mut vertices = Vec::new();
    for vertex in 0..VERTICES {
        for attribute in &attributes {
            let mut random = Random::new(u64::from(vertex * 64 + attribute.location + 1));
            for _ in 0..4 {
                let word = match kinds.get(&attribute.location) {
                    Some(Scalar::Uint | Scalar::Sint) => random.word() % 4,
                    _ => random.float(-1.0, 1.0).to_bits(),
                };
                vertices.extend(word.to_le_bytes());
            }
        }
    }
    let buffer = device.buffer(&vertices)?;
    let instances = 2;
    let expanded = if feeds { 64 } else { 1 };
    let capture = device.buffer(&vec![0; (stride * VERTICES * instances * expanded) as usize])?;
    let bindings = [vk::VertexInputBindingDescription {
        binding: 0,
        stride: input_stride,
        input_rate: vk::VertexInputRate::VERTEX,
    }];
    let mut descriptors = parsed.descriptors();
    let mut modules = Vec::new();
    if feeds {
        modules.push((vk::ShaderStageFlags::VERTEX, module(device, &super::stages::pass_through_vertex(fed, false))?));
    }
    if let [control, _] = stages {
        modules.push((vk::ShaderStageFlags::TESSELLATION_CONTROL, module(device, control.words)?));
        if let Some(control) = Interface::parse(control.words) {
            descriptors.extend(control.descriptors());
            descriptors.sort_by_key(|d| (d.set, d.binding));
            descriptors.dedup_by_key(|d| (d.set, d.binding));
        }
    }
    let flag = match kind {
        "geometry" => vk::ShaderStageFlags::GEOMETRY,
        "tess_eval" => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        _ => vk::ShaderStageFlags::VERTEX,
    };
    modules.push((flag, module(device, &captured)?));
    let bound = Bound::new(device, resources, &descriptors, vk::ShaderStageFlags::ALL_GRAPHICS)?;
    let shader_stages: Vec<vk::PipelineShaderStageCreateInfo<'_>> =
        modules.iter().map(|(f, m)| stage(*f, *m)).collect();
    let key = last.case.key(nvn_shader::BindingScheme::Reference);
    let patch = if last.case.name.contains("quad") { 4 } else { 3 };
    let made = graphics(
        device,
        &Draw {
            stages: &shader_stages,
            bindings: &bindings[..usize::from(!attributes.is_empty())],
            attributes: &attributes,
            topology: match (kind, key.geometry_input) {
                ("tess_eval", _) => vk::PrimitiveTopology::PATCH_LIST,
                ("geometry", 2) => vk::PrimitiveTopology::LINE_LIST,
                ("geometry", 3) => vk::PrimitiveTopology::TRIANGLE_LIST,
                _ => vk::PrimitiveTopology::POINT_LIST,
            },
            discard: true,
            formats: &[],
            depth: false,
            layout: bound.layout,
            sample_shading: false,
            patch,
        },
    );
    // SAFETY: the modules are not needed after pipeline creation.
    unsafe { modules.iter().for_each(|(_, m)| device.vk.destroy_shader_module(*m, None)) };
    let pipeline = made?;
    let run = device.run(|c| {
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width: SIDE, height: SIDE } };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        let xfb = device.xfb.fp();
        // SAFETY: the command buffer is recording; pipeline and buffers are alive until the queue is idle.
        unsafe {
            device.vk.cmd_begin_rendering(c, &info);
            device.vk.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            bound.bind(c, vk::PipelineBindPoint::GRAPHICS);
            device.vk.cmd_bind_vertex_buffers(c, 0, &[buffer.buffer], &[0]);
            (xfb.cmd_bind_transform_feedback_buffers_ext)(c, 0, 1, &capture.buffer, &0, std::ptr::null());
            (xfb.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
            device.vk.cmd_draw(c, VERTICES, instances, 0, 0);
            (xfb.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
            device.vk.cmd_end_rendering(c);
        }
    });
    let words = device.read(&capture);
    let mut out = Vec::new();
    let per_vertex = stride as usize / 4;
    let column = |at: usize, count: usize| -> Vec<u32> {
        words.chunks(per_vertex).flat_map(|v| v.get(at..at + count).unwrap_or(&[]).to_vec()).collect()
    };
    out.push(Output { name: "position".to_owned(), words: column(0, 4), float: true });
    for (k, location) in locations.iter().enumerate() {
        let Some(l) = wanted.iter().find(|l| (l.location..l.location + l.elements).contains(location)) else {
            continue;
        };
        out.push(Output {
            name: format!("location {location}"),
            words: column(4 + k * 4, l.count as usize),
            float: l.scalar == Scalar::Float,
        });
    }
    device.free_buffer(&buffer);
    device.free_buffer(&capture);
    // SAFETY: the queue is idle.
    unsafe { device.vk.destroy_pipeline(pipeline, None) };
    run?;
    Ok(out)
}

/// Dispatches groups of a compute module over storage buffers 0, 1, … and returns the buffers' words afterwards.
///
/// # Errors
/// A module that does not parse or uses other resources, or a failed Vulkan call.
pub fn dispatch(device: &Device, words: &[u32], buffers: &[Vec<u8>], groups: u32) -> Result<Vec<Vec<u32>>, RunError> {
    let parsed = Interface::parse(words).ok_or_else(|| RunError::Case("the module does not parse".to_owned()))?;
    let mut resources = Resources {
        uniforms: BTreeMap::new(),
        storage: BTreeMap::new(),
        textures: BTreeMap::new(),
        texels: BTreeMap::new(),
        images: BTreeMap::new(),
        image_buffers: BTreeMap::new(),
    };
    for (slot, bytes) in buffers.iter().enumerate() {
        resources.storage.insert(slot as u32, device.buffer(bytes)?);
    }
    let run = compute(device, &resources, words, &parsed, [groups, 1, 1]);
    let out = resources.storage.values().map(|b| device.read(b)).collect();
    resources.free(device);
    run?;
    Ok(out)
}
