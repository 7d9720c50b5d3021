//! A small Vulkan context: one device, one queue, host-visible buffers, images filled by copies.

use ash::vk;
use thiserror::Error;

/// Why a comparison could not run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RunError {
    /// There is no Vulkan loader or no device.
    #[error("no Vulkan device: {0}; install lavapipe or set VK_DRIVER_FILES")]
    NoDevice(String),
    /// A Vulkan call failed.
    #[error("{what} failed with {result:?}")]
    Call {
        /// The call.
        what: &'static str,
        /// Its result.
        result: vk::Result,
    },
    /// A module does not parse or the case needs something the harness has not.
    #[error("{0}")]
    Case(String),
}

/// Names a failed call.
pub(crate) trait Named<T> {
    fn named(self, what: &'static str) -> Result<T, RunError>;
}

impl<T> Named<T> for Result<T, vk::Result> {
    fn named(self, what: &'static str) -> Result<T, RunError> {
        self.map_err(|result| RunError::Call { what, result })
    }
}

/// The device.
pub struct Device {
    _entry: ash::Entry,
    instance: ash::Instance,
    /// The device's functions.
    pub(crate) vk: ash::Device,
    pub(crate) xfb: ash::ext::transform_feedback::Device,
    memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) queue: vk::Queue,
    pool: vk::CommandPool,
    /// Name of the device.
    pub name: String,
    /// Version as the driver encodes it.
    pub driver_version: u32,
}

/// A mapped buffer.
pub(crate) struct Buffer {
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    pub(crate) size: u64,
    map: *mut u8,
}

/// An image with its memory.
pub(crate) struct Image {
    pub(crate) image: vk::Image,
    memory: vk::DeviceMemory,
    pub(crate) format: vk::Format,
    pub(crate) extent: vk::Extent3D,
    pub(crate) layers: u32,
    pub(crate) levels: u32,
}

/// Shape of an image to create.
#[derive(Clone, Copy)]
pub(crate) struct ImageShape {
    pub(crate) kind: vk::ImageType,
    pub(crate) format: vk::Format,
    pub(crate) extent: vk::Extent3D,
    pub(crate) layers: u32,
    pub(crate) levels: u32,
    pub(crate) samples: vk::SampleCountFlags,
    pub(crate) cube: bool,
    pub(crate) usage: vk::ImageUsageFlags,
}

/// Aspect of a format.
pub(crate) fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    if format == vk::Format::D32_SFLOAT { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
}

impl Device {
    /// Opens the first device of the installed driver.
    ///
    /// # Errors
    /// No loader, no driver, or a device without Vulkan 1.3 and transform feedback.
    pub fn open() -> Result<Self, RunError> {
        // SAFETY: the loader library is trusted; it stays loaded as long as the entry lives.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| RunError::NoDevice(e.to_string()))?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the create info is complete and outlives the call.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(|e| RunError::NoDevice(e.to_string()))?;
        // SAFETY: the instance is alive.
        let physical = unsafe { instance.enumerate_physical_devices() }
            .named("enumerate_physical_devices")?
            .into_iter()
            .next()
            .ok_or_else(|| RunError::NoDevice("the driver has none".to_owned()))?;
        // SAFETY: the physical device comes from this instance.
        let (properties, memory) = unsafe {
            (
                instance.get_physical_device_properties(physical),
                instance.get_physical_device_memory_properties(physical),
            )
        };
        let name = properties.device_name_as_c_str().map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
        let mut core = vk::PhysicalDeviceFeatures2::default();
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
        core = core.push_next(&mut v11).push_next(&mut v12).push_next(&mut v13).push_next(&mut feedback);
        // SAFETY: the chain holds feature structures the device knows.
        unsafe { instance.get_physical_device_features2(physical, &mut core) };
        // Everything that the device has is switched on.
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&priorities)];
        let extensions = [ash::ext::transform_feedback::NAME.as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut core);
        // SAFETY: the features were reported by the device; family 0 exists.
        let vk = unsafe { instance.create_device(physical, &info, None) }.named("create_device")?;
        // SAFETY: queue 0 of family 0 was requested.
        let queue = unsafe { vk.get_device_queue(0, 0) };
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(0);
        // SAFETY: the family exists.
        let pool = unsafe { vk.create_command_pool(&pool_info, None) }.named("create_command_pool")?;
        let xfb = ash::ext::transform_feedback::Device::new(&instance, &vk);
        Ok(Self {
            _entry: entry,
            instance,
            vk,
            xfb,
            memory,
            queue,
            pool,
            name,
            driver_version: properties.driver_version,
        })
    }

    fn allocate(&self, needs: vk::MemoryRequirements, visible: bool) -> Result<vk::DeviceMemory, RunError> {
        let want = if visible {
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT
        } else {
            vk::MemoryPropertyFlags::empty()
        };
        let index = (0..self.memory.memory_type_count)
            .find(|i| {
                needs.memory_type_bits & (1 << i) != 0
                    && self.memory.memory_types[*i as usize].property_flags.contains(want)
            })
            .ok_or_else(|| RunError::Case("no fitting memory type".to_owned()))?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        // SAFETY: the type index is valid.
        unsafe { self.vk.allocate_memory(&info, None) }.named("allocate_memory")
    }

    pub(crate) fn buffer(&self, bytes: &[u8]) -> Result<Buffer, RunError> {
        let size = bytes.len().max(16) as u64;
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: size is not zero; memory is bound before use and covers the size; the mapping covers the buffer.
        unsafe {
            let buffer = self.vk.create_buffer(&info, None).named("create_buffer")?;
            let memory = self.allocate(self.vk.get_buffer_memory_requirements(buffer), true)?;
            self.vk.bind_buffer_memory(buffer, memory, 0).named("bind_buffer_memory")?;
            let map = self.vk.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).named("map_memory")?;
            let map = map.cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), map, bytes.len());
            Ok(Buffer { buffer, memory, size, map })
        }
    }

    /// The words of a buffer.
    pub(crate) fn read(&self, buffer: &Buffer) -> Vec<u32> {
        // SAFETY: the mapping covers `size` bytes and the queue is idle whenever this is called.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.map, buffer.size as usize) };
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    pub(crate) fn free_buffer(&self, buffer: &Buffer) {
        // SAFETY: the queue is idle and the buffer is not used again.
        unsafe {
            self.vk.destroy_buffer(buffer.buffer, None);
            self.vk.free_memory(buffer.memory, None);
        }
    }

    pub(crate) fn image(&self, shape: &ImageShape) -> Result<Image, RunError> {
        let mut flags = vk::ImageCreateFlags::empty();
        if shape.cube {
            flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
        }
        if shape.usage.contains(vk::ImageUsageFlags::STORAGE) {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(shape.kind)
            .format(shape.format)
            .extent(shape.extent)
            .mip_levels(shape.levels)
            .array_layers(shape.layers)
            .samples(shape.samples)
            .usage(shape.usage | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: memory is bound before use and comes from the image's requirements.
        unsafe {
            let image = self.vk.create_image(&info, None).named("create_image")?;
            let memory = self.allocate(self.vk.get_image_memory_requirements(image), false)?;
            self.vk.bind_image_memory(image, memory, 0).named("bind_image_memory")?;
            Ok(Image {
                image,
                memory,
                format: shape.format,
                extent: shape.extent,
                layers: shape.layers,
                levels: shape.levels,
            })
        }
    }

    pub(crate) fn free_image(&self, image: &Image) {
        // SAFETY: the queue is idle and the image is not used again.
        unsafe {
            self.vk.destroy_image(image.image, None);
            self.vk.free_memory(image.memory, None);
        }
    }

    /// Records and runs commands, and waits for them.
    pub(crate) fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), RunError> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the command buffer is recorded, submitted once, waited for and freed here.
        unsafe {
            let commands = self.vk.allocate_command_buffers(&info).named("allocate_command_buffers")?;
            let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            self.vk.begin_command_buffer(commands[0], &begin).named("begin_command_buffer")?;
            record(commands[0]);
            self.vk.end_command_buffer(commands[0]).named("end_command_buffer")?;
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            self.vk.queue_submit(self.queue, &submit, vk::Fence::null()).named("queue_submit")?;
            self.vk.queue_wait_idle(self.queue).named("queue_wait_idle")?;
            self.vk.free_command_buffers(self.pool, &commands);
        }
        Ok(())
    }

    /// A full barrier.
    pub(crate) fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let memory = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is recording.
        unsafe {
            self.vk.cmd_pipeline_barrier(commands, stages, stages, vk::DependencyFlags::empty(), &memory, &[], &[]);
        }
    }

    /// A full barrier that also moves an image to a layout.
    pub(crate) fn transition(
        &self,
        commands: vk::CommandBuffer,
        image: &Image,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let barrier = [vk::ImageMemoryBarrier::default()
            .image(image.image)
            .old_layout(from)
            .new_layout(to)
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: aspect(image.format),
                base_mip_level: 0,
                level_count: image.levels,
                base_array_layer: 0,
                layer_count: image.layers,
            })];
        // SAFETY: the command buffer is recording and the image is alive.
        unsafe {
            self.vk.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &barrier,
            );
        }
    }

    /// Copies between one level of an image (all layers) and a buffer.
    pub(crate) fn copy(&self, commands: vk::CommandBuffer, image: &Image, level: u32, buffer: &Buffer, up: bool) {
        let region = [vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: aspect(image.format),
                mip_level: level,
                base_array_layer: 0,
                layer_count: image.layers,
            })
            .image_extent(vk::Extent3D {
                width: (image.extent.width >> level).max(1),
                height: (image.extent.height >> level).max(1),
                depth: (image.extent.depth >> level).max(1),
            })];
        // SAFETY: the command buffer is recording; the buffer holds the level's texels; layouts are the transfer ones.
        unsafe {
            if up {
                let layout = vk::ImageLayout::GENERAL;
                self.vk.cmd_copy_buffer_to_image(commands, buffer.buffer, image.image, layout, &region);
            } else {
                let layout = vk::ImageLayout::GENERAL;
                self.vk.cmd_copy_image_to_buffer(commands, image.image, layout, buffer.buffer, &region);
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nothing is in flight, and everything made from the device was destroyed by its maker.
        unsafe {
            let _ = self.vk.device_wait_idle();
            self.vk.destroy_command_pool(self.pool, None);
            self.vk.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
