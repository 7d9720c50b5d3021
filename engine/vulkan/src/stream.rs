//! The log of the emitted stream: objects, descriptor writes and commands, in Vulkan's own terms, as they were handed to the driver.
//!
//! It is filled by [`crate::gpu`], the only place that calls Vulkan, and read by [`crate::checker`]. It holds no word of the graph.

use ash::vk;

/// A range of subresources, resolved: no "remaining".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    /// Aspects.
    pub aspects: vk::ImageAspectFlags,
    /// First level.
    pub level: u32,
    /// Levels.
    pub levels: u32,
    /// First layer; slices of a 3D image where `slices` of the image are tracked.
    pub layer: u32,
    /// Layers.
    pub layers: u32,
}

/// One memory barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency {
    /// Source stages.
    pub src_stage: vk::PipelineStageFlags2,
    /// Source accesses.
    pub src_access: vk::AccessFlags2,
    /// Target stages.
    pub dst_stage: vk::PipelineStageFlags2,
    /// Target accesses.
    pub dst_access: vk::AccessFlags2,
}

/// One image barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDependency {
    /// Scopes.
    pub scope: Dependency,
    /// Image.
    pub image: vk::Image,
    /// Subresources.
    pub range: Range,
    /// From.
    pub old: vk::ImageLayout,
    /// To.
    pub new: vk::ImageLayout,
}

/// What a descriptor points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Vulkan's own names.
pub enum Descriptor {
    Null,
    Buffer { buffer: vk::Buffer, offset: u64, range: u64 },
    Image { view: vk::ImageView, layout: vk::ImageLayout },
    Texels { buffer: vk::Buffer, offset: u64, range: u64 },
}

/// A binding that a pipeline declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelineBinding {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Descriptors in it.
    pub count: u32,
    /// Type.
    pub kind: vk::DescriptorType,
    /// Stages that touch it.
    pub stages: vk::PipelineStageFlags2,
    /// Stages that read it.
    pub reads: vk::PipelineStageFlags2,
    /// Stages that write it.
    pub writes: vk::PipelineStageFlags2,
}

/// What a pipeline does beyond its bindings. What is dynamic is set by [`Event::Dynamic`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineFacts {
    /// Whether it is a compute pipeline.
    pub compute: bool,
    /// Declared bindings.
    pub bindings: Vec<PipelineBinding>,
    /// Vertex bindings that it fetches: a bit set. Ignored where dynamic.
    pub vertex_bindings: u32,
    /// Formats of its colour targets.
    pub color: Vec<vk::Format>,
    /// Format of its depth target.
    pub depth: vk::Format,
    /// Colour slots written (static part).
    pub color_writes: u8,
    /// Colour slots read by blending.
    pub color_reads: u8,
    /// Aspects that it may read while attached, by its feedback flags.
    pub feedback: vk::ImageAspectFlags,
}

/// State that a command sets for the draws behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dynamic {
    /// Depth test.
    DepthTest(bool),
    /// Depth write.
    DepthWrite(bool),
    /// Stencil test; whether any face may write.
    Stencil {
        /// On.
        test: bool,
        /// Write masks not zero.
        writes: bool,
    },
    /// Colour slots written and read.
    Color {
        /// Written.
        writes: u8,
        /// Read by blending.
        reads: u8,
    },
    /// Vertex bindings fetched.
    VertexBindings(u32),
}

/// An attachment of a render scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attached {
    /// View.
    pub view: vk::ImageView,
    /// Layout.
    pub layout: vk::ImageLayout,
    /// Load operation.
    pub load: vk::AttachmentLoadOp,
    /// Store operation.
    pub store: vk::AttachmentStoreOp,
}

/// A run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes {
    /// Buffer.
    pub buffer: vk::Buffer,
    /// Offset.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// A side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum Side {
    Bytes(Bytes),
    Image { image: vk::Image, range: Range, layout: vk::ImageLayout },
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // Vulkan's own names; fields repeat the command's arguments.
pub enum Event {
    ImageCreated {
        image: vk::Image,
        format: vk::Format,
        aspects: vk::ImageAspectFlags,
        levels: u32,
        layers: u32,
    },
    ImageDestroyed(vk::Image),
    BufferCreated {
        buffer: vk::Buffer,
        size: u64,
    },
    BufferDestroyed(vk::Buffer),
    /// A second buffer over the bytes of another, from `bytes.offset` on.
    BufferAliased {
        alias: vk::Buffer,
        bytes: Bytes,
    },
    ViewCreated {
        view: vk::ImageView,
        image: vk::Image,
        format: vk::Format,
        range: Range,
    },
    ViewDestroyed(vk::ImageView),
    PipelineCreated {
        pipeline: vk::Pipeline,
        facts: Box<PipelineFacts>,
    },
    DescriptorWritten {
        set: vk::DescriptorSet,
        binding: u32,
        element: u32,
        descriptor: Descriptor,
    },
    /// All sets of a pool are gone.
    SetsReset(Vec<vk::DescriptorSet>),
    /// Recording of a submission starts.
    Begin,
    /// It is handed to the queue; the timeline reaches `value` when it is done.
    Submit {
        value: u64,
    },
    /// The host has waited for `value`.
    Waited {
        value: u64,
    },
    /// The host reads memory.
    HostRead(Bytes),
    /// The host writes memory.
    HostWrite(Bytes),
    Barrier {
        memory: Option<Dependency>,
        images: Vec<ImageDependency>,
        by_region: bool,
    },
    BeginRendering {
        color: Vec<Option<Attached>>,
        depth: Option<Attached>,
        stencil: Option<Attached>,
        layers: u32,
    },
    EndRendering,
    BindPipeline {
        pipeline: vk::Pipeline,
        compute: bool,
    },
    BindSets {
        compute: bool,
        first: u32,
        sets: Vec<vk::DescriptorSet>,
    },
    BindVertex {
        binding: u32,
        bytes: Bytes,
    },
    BindIndex(Bytes),
    Dynamic(Dynamic),
    Draw {
        indexed: bool,
        indirect: Vec<Bytes>,
    },
    Dispatch {
        indirect: Option<Bytes>,
    },
    Transfer {
        stage: vk::PipelineStageFlags2,
        from: Vec<Side>,
        to: Vec<Side>,
    },
    ClearAttachments {
        color: u8,
        aspects: vk::ImageAspectFlags,
    },
    /// A label for people: what the following events belong to.
    Mark(String),
}

/// The log.
#[derive(Debug, Default)]
pub struct StreamLog {
    events: Vec<Event>,
    on: bool,
}

impl StreamLog {
    /// A log that takes events, or one that does not.
    #[must_use]
    pub fn new(on: bool) -> Self {
        Self { events: Vec::new(), on }
    }

    /// Whether events are taken.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Takes an event; `make` runs only where the log is on.
    #[inline]
    pub fn push(&mut self, make: impl FnOnce() -> Event) {
        if self.on {
            self.events.push(make());
        }
    }

    /// All events.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Hands out the events and forgets them.
    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
