//! Parts in flight: command buffers, staging, descriptor pools, timestamps, and what completes when the GPU is done.

use crate::descriptors::DescriptorPools;
use crate::error::{ExecuteError, Named};
use crate::gpu::{Buffer, Gpu, Memory, Trash};
use crate::stream::Bytes;
use ash::vk;
use framegraph::ids::PassId;

/// Parts in flight at once.
pub(crate) const FRAMES: usize = 3;

/// Passes whose time is taken, per part.
pub(crate) const TIMED_PASSES: u32 = 1024;

/// Memory handed out in order and taken back all at once.
#[derive(Debug)]
pub(crate) struct Linear {
    chunks: Vec<Buffer>,
    chunk: usize,
    at: u64,
    usage: vk::BufferUsageFlags,
    memory: Memory,
}

impl Linear {
    const CHUNK: u64 = 4 << 20;

    pub(crate) fn new(usage: vk::BufferUsageFlags, memory: Memory) -> Self {
        Self { chunks: Vec::new(), chunk: 0, at: 0, usage, memory }
    }

    pub(crate) fn reset(&mut self) {
        self.chunk = 0;
        self.at = 0;
    }

    /// Room for `length` bytes at a multiple of `align`.
    pub(crate) fn take(&mut self, gpu: &mut Gpu, length: u64, align: u64) -> Result<(usize, Bytes), ExecuteError> {
        loop {
            let Some(buffer) = self.chunks.get(self.chunk) else {
                let size = length.next_multiple_of(4096).max(Self::CHUNK);
                let buffer = gpu.create_buffer(size, self.usage, self.memory)?;
                self.chunks.push(buffer);
                self.at = 0;
                continue;
            };
            let offset = self.at.next_multiple_of(align.max(1));
            if offset + length <= buffer.size {
                self.at = offset + length;
                return Ok((self.chunk, Bytes { buffer: buffer.raw, offset, length }));
            }
            self.chunk += 1;
            self.at = 0;
        }
    }

    pub(crate) fn chunk_mut(&mut self, chunk: usize) -> &mut Buffer {
        &mut self.chunks[chunk]
    }

    /// Takes room and writes bytes into it.
    pub(crate) fn put(&mut self, gpu: &mut Gpu, bytes: &[u8], align: u64) -> Result<Bytes, ExecuteError> {
        let (chunk, place) = self.take(gpu, bytes.len() as u64, align)?;
        gpu.write(&mut self.chunks[chunk], place.offset, bytes);
        Ok(place)
    }

    fn clear(&mut self, gpu: &mut Gpu) {
        for buffer in self.chunks.drain(..) {
            gpu.destroy(Trash::Buffer(buffer));
        }
    }
}

/// What completes with a part, in the plan's order.
#[derive(Debug, Clone)]
pub(crate) enum Pending {
    Signal(u64),
    /// Planes of a download: (chunk, place, bytes per texel); two planes are interleaved.
    Download {
        tag: u64,
        planes: smallvec::SmallVec<[(usize, Bytes); 2]>,
        interleave: Option<Interleave>,
    },
    Present(u64),
}

/// How depth and stencil planes make one texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interleave {
    /// 24 bits of depth, then 8 of stencil: 4 bytes.
    D24S8,
    /// 32 bits of depth, 8 of stencil, 24 of nothing: 8 bytes.
    D32S8,
}

/// One part in flight.
pub(crate) struct Frame {
    pub(crate) commands: vk::CommandPool,
    pub(crate) cb: vk::CommandBuffer,
    /// The timeline's value when this slot's last part is done; 0 = never used.
    pub(crate) serial: u64,
    /// Whether its completions were handed on.
    pub(crate) reported: bool,
    pub(crate) staging: Linear,
    pub(crate) readback: Linear,
    pub(crate) scratch: Linear,
    pub(crate) descriptors: DescriptorPools,
    pub(crate) queries: vk::QueryPool,
    pub(crate) timed: Vec<PassId>,
    pub(crate) pending: Vec<Pending>,
    /// Step of each of `pending`.
    pub(crate) pending_steps: Vec<usize>,
}

impl Frame {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, ExecuteError> {
        let device = &gpu.device;
        let create = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
        // SAFETY: complete create infos; a failure leaks at most one pool of a device that is about to be given up.
        unsafe {
            let commands = device.raw.create_command_pool(&create, None).named("vkCreateCommandPool")?;
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(commands)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            let cb = device.raw.allocate_command_buffers(&allocate).named("vkAllocateCommandBuffers")?[0];
            let queries = if device.limits.timestamp_bits > 0 {
                let create = vk::QueryPoolCreateInfo::default()
                    .query_type(vk::QueryType::TIMESTAMP)
                    .query_count(TIMED_PASSES * 2);
                device.raw.create_query_pool(&create, None).named("vkCreateQueryPool")?
            } else {
                vk::QueryPool::null()
            };
            let source = vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::UNIFORM_BUFFER
                | vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::VERTEX_BUFFER
                | vk::BufferUsageFlags::INDEX_BUFFER
                | vk::BufferUsageFlags::INDIRECT_BUFFER;
            let both = vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST
                | vk::BufferUsageFlags::STORAGE_BUFFER;
            Ok(Self {
                commands,
                cb,
                serial: 0,
                reported: true,
                staging: Linear::new(source, Memory::Upload),
                readback: Linear::new(vk::BufferUsageFlags::TRANSFER_DST, Memory::Download),
                scratch: Linear::new(both, Memory::Device),
                descriptors: DescriptorPools::default(),
                queries,
                timed: Vec::new(),
                pending: Vec::new(),
                pending_steps: Vec::new(),
            })
        }
    }

    /// Makes the slot ready for a new part; the GPU must be done with the last.
    pub(crate) fn reset(&mut self, gpu: &mut Gpu) -> Result<(), ExecuteError> {
        // SAFETY: the GPU is done with the slot.
        unsafe {
            gpu.device
                .raw
                .reset_command_pool(self.commands, vk::CommandPoolResetFlags::empty())
                .named("vkResetCommandPool")?;
        }
        self.staging.reset();
        self.readback.reset();
        self.scratch.reset();
        self.descriptors.reset(gpu)?;
        self.timed.clear();
        Ok(())
    }

    /// Puts what completes back into the order of the plan's steps.
    pub(crate) fn sort_pending(&mut self) {
        let steps = std::mem::take(&mut self.pending_steps);
        let mut all: Vec<_> = steps.into_iter().zip(self.pending.drain(..)).collect();
        all.sort_by_key(|(step, _)| *step);
        self.pending.extend(all.into_iter().map(|(_, p)| p));
    }

    pub(crate) fn destroy(&mut self, gpu: &mut Gpu) {
        self.staging.clear(gpu);
        self.readback.clear(gpu);
        self.scratch.clear(gpu);
        self.descriptors.destroy(gpu);
        // SAFETY: the executor waited for the device.
        unsafe {
            gpu.device.raw.destroy_query_pool(self.queries, None);
            gpu.device.raw.destroy_command_pool(self.commands, None);
        }
    }
}
