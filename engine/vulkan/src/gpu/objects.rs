//! Images, buffers, views, samplers, and their end.

use super::Gpu;
use crate::error::{ExecuteError, Named};
use crate::features::Feature;
use crate::stream::{Bytes, Event, Range};
use ash::vk;
use std::ptr::NonNull;
use vk_mem::Alloc;

/// What an image was made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageInfo {
    /// Kind.
    pub kind: vk::ImageType,
    /// Format.
    pub format: vk::Format,
    /// All aspects of the format.
    pub aspects: vk::ImageAspectFlags,
    /// Size of level 0.
    pub extent: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples.
    pub samples: vk::SampleCountFlags,
    /// Usage.
    pub usage: vk::ImageUsageFlags,
    /// Creation flags.
    pub flags: vk::ImageCreateFlags,
}

impl ImageInfo {
    /// Layers as hazards see them: array layers, or slices of a 3D image.
    #[must_use]
    pub fn slices(&self) -> u32 {
        if self.kind == vk::ImageType::TYPE_3D { self.extent[2] } else { self.layers }
    }

    /// Every subresource.
    #[must_use]
    pub fn all(&self) -> Range {
        Range { aspects: self.aspects, level: 0, levels: self.levels, layer: 0, layers: self.slices() }
    }

    /// The range as a barrier or a whole-image command names it: a 3D image has one layer.
    pub fn vk_range(&self, range: &Range) -> vk::ImageSubresourceRange {
        let (layer, layers) = if self.kind == vk::ImageType::TYPE_3D { (0, 1) } else { (range.layer, range.layers) };
        vk::ImageSubresourceRange {
            aspect_mask: range.aspects,
            base_mip_level: range.level,
            level_count: range.levels,
            base_array_layer: layer,
            layer_count: layers,
        }
    }

    /// Size of a level.
    #[must_use]
    pub fn level(&self, level: u32) -> [u32; 3] {
        self.extent.map(|n| (n >> level).max(1))
    }
}

/// An image and its memory.
#[derive(Debug)]
pub struct Image {
    /// Handle.
    pub raw: vk::Image,
    /// What it is.
    pub info: ImageInfo,
    /// None where the memory is someone else's: a picture of a window.
    allocation: Option<vk_mem::Allocation>,
}

/// Host pointer of mapped memory.
#[derive(Debug, Clone, Copy)]
struct Mapped(NonNull<u8>);

// SAFETY: the pointer is to memory that stays mapped as long as the buffer lives; the buffer is used by one thread at a time, its owner.
unsafe impl Send for Mapped {}
// SAFETY: writes go through `&mut`, see `Gpu::write`.
unsafe impl Sync for Mapped {}

/// A buffer and its memory.
#[derive(Debug)]
pub struct Buffer {
    /// Handle.
    pub raw: vk::Buffer,
    /// Bytes.
    pub size: u64,
    mapped: Option<Mapped>,
    memory: BufferMemory,
    usage: vk::BufferUsageFlags,
    /// Buffers over the same bytes from an offset on.
    aliases: Vec<(u64, vk::Buffer)>,
}

#[derive(Debug)]
enum BufferMemory {
    Allocated(vk_mem::Allocation),
    Imported(vk::DeviceMemory),
}

impl Buffer {
    /// All its bytes.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes { buffer: self.raw, offset: 0, length: self.size }
    }

    /// Whether the host can reach its bytes.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.mapped.is_some()
    }
}

/// What is destroyed once the GPU is done with it.
#[derive(Debug)]
#[allow(missing_docs)] // The names say it.
pub enum Trash {
    Image(Image),
    Buffer(Buffer),
    View(vk::ImageView),
    Texels(vk::BufferView),
}

/// Where a buffer's memory should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// On the device.
    Device,
    /// Written by the host in order, read by the device.
    Upload,
    /// Written by the device, read by the host.
    Download,
}

impl Gpu {
    /// Makes an image.
    ///
    /// # Errors
    /// Out of memory, or a combination that the device lacks.
    pub fn create_image(&mut self, info: ImageInfo, view_formats: &[vk::Format]) -> Result<Image, ExecuteError> {
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(view_formats);
        let mut create = vk::ImageCreateInfo::default()
            .flags(info.flags)
            .image_type(info.kind)
            .format(info.format)
            .extent(vk::Extent3D { width: info.extent[0], height: info.extent[1], depth: info.extent[2] })
            .mip_levels(info.levels)
            .array_layers(info.layers)
            .samples(info.samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(info.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        if !view_formats.is_empty() {
            create = create.push_next(&mut list);
        }
        let mut memory =
            vk_mem::AllocationCreateInfo { usage: vk_mem::MemoryUsage::AutoPreferDevice, ..Default::default() };
        if self.device.memory_apart {
            memory.flags |= vk_mem::AllocationCreateFlags::DEDICATED_MEMORY;
        }
        // SAFETY: the create info is complete; combinations that the device lacks are refused by it or were asked before.
        let (raw, allocation) =
            unsafe { self.device.allocator.create_image(&create, &memory) }.named("vmaCreateImage")?;
        self.counters.resources_made += 1;
        self.log.push(|| Event::ImageCreated {
            image: raw,
            format: info.format,
            aspects: info.aspects,
            levels: info.levels,
            layers: info.slices(),
        });
        Ok(Image { raw, info, allocation: Some(allocation) })
    }

    /// Takes an image whose memory belongs to someone else (a swapchain), so that the log knows it. Destroying it leaves the image itself alone.
    pub fn adopt_image(&mut self, raw: vk::Image, info: ImageInfo) -> Image {
        self.log.push(|| Event::ImageCreated {
            image: raw,
            format: info.format,
            aspects: info.aspects,
            levels: info.levels,
            layers: info.slices(),
        });
        Image { raw, info, allocation: None }
    }

    /// Makes a buffer.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_buffer(
        &mut self,
        size: u64,
        usage: vk::BufferUsageFlags,
        memory: Memory,
    ) -> Result<Buffer, ExecuteError> {
        let size = size.max(4);
        let create = vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        let mut how = vk_mem::AllocationCreateInfo { usage: vk_mem::MemoryUsage::Auto, ..Default::default() };
        match memory {
            Memory::Device => {
                how.usage = vk_mem::MemoryUsage::AutoPreferDevice;
                if usage.contains(vk::BufferUsageFlags::INDEX_BUFFER)
                    && !self.device.features.has(Feature::IndirectIndexOffset)
                {
                    how.flags = vk_mem::AllocationCreateFlags::CAN_ALIAS;
                }
            }
            Memory::Upload => {
                how.flags =
                    vk_mem::AllocationCreateFlags::HOST_ACCESS_SEQUENTIAL_WRITE | vk_mem::AllocationCreateFlags::MAPPED;
                how.required_flags = vk::MemoryPropertyFlags::HOST_COHERENT;
            }
            Memory::Download => {
                how.flags = vk_mem::AllocationCreateFlags::HOST_ACCESS_RANDOM | vk_mem::AllocationCreateFlags::MAPPED;
                how.required_flags = vk::MemoryPropertyFlags::HOST_COHERENT;
            }
        }
        if self.device.memory_apart {
            how.flags |= vk_mem::AllocationCreateFlags::DEDICATED_MEMORY;
        }
        // SAFETY: the create info is complete.
        let (raw, allocation) =
            unsafe { self.device.allocator.create_buffer(&create, &how) }.named("vmaCreateBuffer")?;
        let mapped = if memory == Memory::Device {
            None
        } else {
            NonNull::new(self.device.allocator.get_allocation_info(&allocation).mapped_data.cast()).map(Mapped)
        };
        self.counters.resources_made += 1;
        self.log.push(|| Event::BufferCreated { buffer: raw, size });
        Ok(Buffer { raw, size, mapped, memory: BufferMemory::Allocated(allocation), usage, aliases: Vec::new() })
    }

    /// A buffer over the bytes of another from `offset` on; it lives as long as the other.
    ///
    /// # Errors
    /// Out of memory, or an offset that the device does not let a buffer begin at.
    pub fn alias(&mut self, buffer: &mut Buffer, offset: u64) -> Result<Bytes, ExecuteError> {
        let length = buffer.size.saturating_sub(offset);
        if let Some((_, raw)) = buffer.aliases.iter().find(|(at, _)| *at == offset) {
            return Ok(Bytes { buffer: *raw, offset: 0, length });
        }
        let device = self.device.clone();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let mut create = vk::BufferCreateInfo::default()
            .size(length.max(4))
            .usage(buffer.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        let (memory, base) = match &buffer.memory {
            BufferMemory::Allocated(allocation) => {
                let info = device.allocator.get_allocation_info(allocation);
                (info.device_memory, info.offset)
            }
            BufferMemory::Imported(memory) => {
                create = create.push_next(&mut external);
                (*memory, 0)
            }
        };
        // SAFETY: the memory is that of a live buffer of the same usage, with `length` bytes left behind the offset; a failure undoes what was made.
        let raw = unsafe {
            let raw = device.raw.create_buffer(&create, None).named("vkCreateBuffer")?;
            let needs = device.raw.get_buffer_memory_requirements(raw);
            if !(base + offset).is_multiple_of(needs.alignment) || needs.size > length {
                device.raw.destroy_buffer(raw, None);
                return Err(ExecuteError::Lacks {
                    what: format!("indices of an indirect draw at byte {offset} (aligned to {})", needs.alignment),
                    feature: "indirectIndexOffset",
                });
            }
            if let Err(result) = device.raw.bind_buffer_memory(raw, memory, base + offset) {
                device.raw.destroy_buffer(raw, None);
                return Err(ExecuteError::of("vkBindBufferMemory", result));
            }
            raw
        };
        self.counters.resources_made += 1;
        let bytes = Bytes { buffer: buffer.raw, offset, length };
        self.log.push(|| Event::BufferAliased { alias: raw, bytes });
        buffer.aliases.push((offset, raw));
        Ok(Bytes { buffer: raw, offset: 0, length })
    }

    /// Makes a buffer over memory of the process (VK_EXT_external_memory_host).
    ///
    /// # Errors
    /// The extension is missing, the alignment is wrong, or the driver refuses the memory.
    ///
    /// # Safety
    /// `pointer..pointer + size` stays mapped until the buffer was destroyed, and nothing forms references into it meanwhile.
    pub unsafe fn import_buffer(
        &mut self,
        pointer: NonNull<u8>,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<Buffer, ExecuteError> {
        const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let device = self.device.clone();
        let lacks = |what: &str| ExecuteError::Lacks { what: what.to_owned(), feature: "VK_EXT_external_memory_host" };
        let Some(ext) = &device.ext.host_memory else { return Err(lacks("importing a pool")) };
        let align = device.limits.host_import_alignment.max(1);
        if !(pointer.as_ptr() as u64).is_multiple_of(align) || !size.is_multiple_of(align) {
            return Err(lacks(&format!("importing a pool that is not aligned to {align} bytes")));
        }
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        // SAFETY: the pointer is to memory of this process, as the caller promises.
        unsafe {
            (ext.fp().get_memory_host_pointer_properties_ext)(
                ext.device(),
                HANDLE,
                pointer.as_ptr().cast(),
                &mut properties,
            )
        }
        .result()
        .named("vkGetMemoryHostPointerPropertiesEXT")?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
        let create = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        // SAFETY: complete create info; each failure undoes what was made before it.
        unsafe {
            let raw = device.raw.create_buffer(&create, None).named("vkCreateBuffer")?;
            let needs = device.raw.get_buffer_memory_requirements(raw);
            let bits = needs.memory_type_bits & properties.memory_type_bits;
            if bits == 0 {
                device.raw.destroy_buffer(raw, None);
                return Err(lacks("importing a pool into a memory type that buffers can use"));
            }
            let mut import =
                vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HANDLE).host_pointer(pointer.as_ptr().cast());
            let allocate = vk::MemoryAllocateInfo::default()
                .allocation_size(size)
                .memory_type_index(bits.trailing_zeros())
                .push_next(&mut import);
            let memory = match device.raw.allocate_memory(&allocate, None) {
                Ok(memory) => memory,
                Err(result) => {
                    device.raw.destroy_buffer(raw, None);
                    return Err(ExecuteError::of("vkAllocateMemory", result));
                }
            };
            if let Err(result) = device.raw.bind_buffer_memory(raw, memory, 0) {
                device.raw.destroy_buffer(raw, None);
                device.raw.free_memory(memory, None);
                return Err(ExecuteError::of("vkBindBufferMemory", result));
            }
            self.counters.resources_made += 1;
            self.log.push(|| Event::BufferCreated { buffer: raw, size });
            let (mapped, memory) = (Some(Mapped(pointer)), BufferMemory::Imported(memory));
            Ok(Buffer { raw, size, mapped, memory, usage, aliases: Vec::new() })
        }
    }

    /// Writes bytes into a mapped buffer. What runs past its end is cut off.
    pub fn write(&mut self, buffer: &mut Buffer, offset: u64, bytes: &[u8]) {
        let Some(Mapped(base)) = buffer.mapped else { return };
        let room = buffer.size.saturating_sub(offset).min(bytes.len() as u64) as usize;
        // SAFETY: `room` bytes behind `offset` lie in the mapping; the GPU does not use them now (the frame slot was waited for).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), base.as_ptr().add(offset as usize), room) };
        let raw = buffer.raw;
        self.log.push(|| Event::HostWrite(Bytes { buffer: raw, offset, length: room as u64 }));
    }

    /// Copies bytes out of a mapped buffer, appended to `out`.
    pub fn read(&mut self, buffer: &Buffer, offset: u64, length: u64, out: &mut Vec<u8>) {
        let Some(Mapped(base)) = buffer.mapped else { return };
        let length = buffer.size.saturating_sub(offset).min(length) as usize;
        // SAFETY: the range lies in the mapping, and the GPU's writes were waited for.
        let bytes = unsafe { std::slice::from_raw_parts(base.as_ptr().add(offset as usize), length) };
        out.extend_from_slice(bytes);
        let raw = buffer.raw;
        self.log.push(|| Event::HostRead(Bytes { buffer: raw, offset, length: length as u64 }));
    }

    /// Makes a view.
    ///
    /// # Errors
    /// Out of memory.
    pub fn create_view(
        &mut self,
        image: &Image,
        kind: vk::ImageViewType,
        format: vk::Format,
        range: Range,
        components: vk::ComponentMapping,
        usage: vk::ImageUsageFlags,
    ) -> Result<vk::ImageView, ExecuteError> {
        let whole = image.info.kind == vk::ImageType::TYPE_3D && kind == vk::ImageViewType::TYPE_3D;
        let (layer, layers) = if whole { (0, 1) } else { (range.layer, range.layers) };
        let mut narrowed = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let create = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(kind)
            .format(format)
            .components(components)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: range.aspects,
                base_mip_level: range.level,
                level_count: range.levels,
                base_array_layer: layer,
                layer_count: layers,
            })
            .push_next(&mut narrowed);
        // SAFETY: the image lives; range and format were checked against it.
        let view = unsafe { self.device.raw.create_image_view(&create, None) }.named("vkCreateImageView")?;
        let logged = if whole { Range { layer: 0, layers: image.info.slices(), ..range } } else { range };
        self.log.push(|| Event::ViewCreated { view, image: image.raw, format, range: logged });
        Ok(view)
    }

    /// Destroys a thing once the timeline has reached `serial`.
    pub fn discard(&mut self, serial: u64, thing: Trash) {
        self.trash.push_back((serial, thing));
    }

    /// Destroys what waited for serials up to `done`.
    pub fn collect(&mut self, done: u64) {
        while self.trash.front().is_some_and(|(serial, _)| *serial <= done) {
            if let Some((_, thing)) = self.trash.pop_front() {
                self.destroy(thing);
            }
        }
    }

    /// Destroys a thing now: the GPU must be done with it.
    pub fn destroy(&mut self, thing: Trash) {
        let device = self.device.clone();
        match thing {
            Trash::Image(mut image) => {
                self.log.push(|| Event::ImageDestroyed(image.raw));
                if let Some(allocation) = &mut image.allocation {
                    // SAFETY: the GPU is done with it (see `collect`), and it was made by this allocator.
                    unsafe { device.allocator.destroy_image(image.raw, allocation) };
                }
            }
            Trash::Buffer(mut buffer) => {
                for (_, alias) in buffer.aliases.drain(..) {
                    self.log.push(|| Event::BufferDestroyed(alias));
                    // SAFETY: as above; it was made by `alias` from this device.
                    unsafe { device.raw.destroy_buffer(alias, None) };
                }
                self.log.push(|| Event::BufferDestroyed(buffer.raw));
                match &mut buffer.memory {
                    // SAFETY: as above.
                    BufferMemory::Allocated(allocation) => unsafe {
                        device.allocator.destroy_buffer(buffer.raw, allocation);
                    },
                    // SAFETY: as above; the memory was made for this buffer alone.
                    BufferMemory::Imported(memory) => unsafe {
                        device.raw.destroy_buffer(buffer.raw, None);
                        device.raw.free_memory(*memory, None);
                    },
                }
            }
            Trash::View(view) => {
                self.log.push(|| Event::ViewDestroyed(view));
                // SAFETY: as above.
                unsafe { device.raw.destroy_image_view(view, None) };
            }
            // SAFETY: as above.
            Trash::Texels(view) => unsafe { device.raw.destroy_buffer_view(view, None) },
        }
    }
}
