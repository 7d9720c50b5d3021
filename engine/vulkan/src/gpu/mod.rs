//! The only place that calls Vulkan after start-up: objects and commands, each with its entry in the log.

mod commands;
mod objects;

pub use commands::{AttachmentInfo, BufferImageCopy, ImageRegion, RenderingInfo};
pub use objects::{Buffer, Image, ImageInfo, Memory, Trash};

use crate::device::Device;
use crate::stream::StreamLog;
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

/// The executor's own copies become visible to the host.
pub const TO_HOST: crate::stream::Dependency = crate::stream::Dependency {
    src_stage: vk::PipelineStageFlags2::ALL_TRANSFER,
    src_access: vk::AccessFlags2::TRANSFER_WRITE,
    dst_stage: vk::PipelineStageFlags2::HOST,
    dst_access: vk::AccessFlags2::HOST_READ,
};

/// What one part cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Draw commands.
    pub draws: u32,
    /// Dispatches.
    pub dispatches: u32,
    /// Passes begun.
    pub passes: u32,
    /// Barrier commands.
    pub barriers: u32,
    /// Layout changes among them.
    pub transitions: u32,
    /// Copies, blits, resolves, fills.
    pub transfers: u32,
    /// Descriptors written.
    pub descriptors: u32,
    /// Descriptor sets bound.
    pub set_binds: u32,
    /// Pipelines bound.
    pub pipeline_binds: u32,
    /// Pipelines made.
    pub pipelines_made: u32,
    /// Bytes uploaded through staging.
    pub upload_bytes: u64,
    /// Images and buffers made.
    pub resources_made: u32,
}

/// A fault that a test run plants into the emitted stream, which the checker must report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// None.
    #[default]
    None,
    /// The n-th barrier command from now is not emitted (its layout changes included).
    DropBarrier(u32),
    /// The n-th barrier command waits for nothing.
    WrongSource(u32),
    /// The n-th barrier command makes nothing visible.
    WrongTarget(u32),
    /// The layout changes of the n-th barrier command are left out, the memory barrier stays.
    DropTransitions(u32),
}

impl Fault {
    /// Counts a barrier; whether the fault falls on it.
    fn strikes(&mut self) -> bool {
        match self {
            Self::None => false,
            Self::DropBarrier(n) | Self::WrongSource(n) | Self::WrongTarget(n) | Self::DropTransitions(n) => {
                if *n == 0 {
                    true
                } else {
                    *n -= 1;
                    false
                }
            }
        }
    }
}

/// Device, log, the open command buffer, and what is destroyed later.
pub struct Gpu {
    /// The device.
    pub device: Arc<Device>,
    /// The log.
    pub log: StreamLog,
    /// Counters of the open part.
    pub counters: Counters,
    /// A planted fault.
    pub fault: Fault,
    cb: vk::CommandBuffer,
    trash: VecDeque<(u64, Trash)>,
    /// Regions of the copy at hand.
    regions: Vec<vk::BufferImageCopy>,
}

impl Gpu {
    /// Starts with nothing open.
    #[must_use]
    pub fn new(device: Arc<Device>, log: bool) -> Self {
        Self {
            device,
            log: StreamLog::new(log),
            counters: Counters::default(),
            fault: Fault::None,
            cb: vk::CommandBuffer::null(),
            trash: VecDeque::new(),
            regions: Vec::new(),
        }
    }

    /// The open command buffer.
    #[must_use]
    pub fn command_buffer(&self) -> vk::CommandBuffer {
        self.cb
    }
}
