//! Command buffers: every call becomes one record, by value.

use crate::call::{Call, CallError, Outcome};
use crate::device::lock;
use crate::objects::{CommandBuffer, Program, Sync, load};
use crate::{pool, state, texture};
use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use nvn_decode::record::{
    BindProgram, ClearBuffer, ClearColor, ClearDepthStencil, ClearTexture, CopyBuffer, CopyBufferTexture,
    CopyTextureTexture, CounterReport, DepthBounds, DepthRange, DescriptorPool, Downsample, Draw, DrawIndirect, Fence,
    InlineUpdate, ListHeader, Op, PolygonOffset, PrimitiveRestart, Region, SetRenderTargets, SlotHandle, SlotRange,
    StencilFaces, TextureRef, Writer,
};
use std::sync::{Arc, Mutex};

/// Bytes of command memory that a record is taken to cost: about what the hardware's words cost.
const COST: u64 = 16;
/// Bytes of control memory of the same.
const CONTROL_COST: u64 = 8;

/// One command buffer's recording.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    records: Writer,
    recording: bool,
    command: Block,
    control: Block,
    /// Command memory that the recording has left behind.
    memory: Vec<Span>,
    /// Used bytes of the current block that were there before the recording.
    begun: u64,
    callback: u64,
    callback_data: u64,
    row_stride: u64,
    image_stride: u64,
    /// What [`crate::device::Mutants::keep_pointers`] reads again at the end.
    kept: Vec<Kept>,
}

/// A pointer that a mutant keeps instead of what it points at: where in the records the value stands.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Bytes { at: usize, address: u64, length: usize },
    Texture { at: usize, texture: u64, view: u64 },
}

impl Kept {
    /// Follows the pointer now; what is no longer there reads as zero.
    fn follow(self, call: &Call<'_>, records: &mut [u8]) {
        match self {
            Self::Bytes { at, address, length } => {
                let bytes = call.read_slice::<u8>(address, length).unwrap_or_else(|_| vec![0; length]);
                records[at..at + length].copy_from_slice(&bytes);
            }
            Self::Texture { at, texture, view } => {
                let value = load(call, texture).and_then(|t| texture::view_of(call, &t, view)).unwrap_or_default();
                records[at..at + size_of::<TextureRef>()].copy_from_slice(bytemuck::bytes_of(&value));
            }
        }
    }
}

/// A block of memory that the title gave, and how much of it counts as used.
#[derive(Debug, Default, Clone, Copy)]
struct Block {
    /// Address of the memory pool; 0 for control memory.
    pool: u64,
    offset: u64,
    size: u64,
    used: u64,
}

/// Bytes of a memory pool.
#[derive(Debug, Clone, Copy)]
struct Span {
    pool: u64,
    first: u64,
    end: u64,
}

impl Span {
    fn overlaps(&self, other: &Self) -> bool {
        self.pool == other.pool && self.first < other.end && other.first < self.end
    }
}

impl Recording {
    /// Notes what the recording has used of the current block.
    fn leave_block(&mut self) {
        let Block { pool, offset, used, .. } = self.command;
        if pool != 0 && used > self.begun {
            self.memory.push(Span { pool, first: offset + self.begun, end: offset + used });
        }
        self.begun = used;
    }
}

/// A finished list.
#[derive(Debug)]
struct List {
    records: Arc<[u8]>,
    /// The command memory in which it lies.
    memory: Vec<Span>,
}

/// Finished lists by handle.
#[derive(Debug, Default)]
struct Lists {
    by_handle: std::collections::HashMap<u64, List>,
    /// Handles of lists whose memory was recorded over.
    free: Vec<u64>,
    last: u64,
}

impl Lists {
    /// Keeps a list; returns its handle. A list whose command memory this one was recorded over is gone, and its handle comes again, as on the console, where
    /// a handle stands for that memory.
    fn add(&mut self, list: List) -> u64 {
        let over = |other: &List| other.memory.iter().any(|span| list.memory.iter().any(|new| new.overlaps(span)));
        let gone = self.by_handle.iter().filter(|(_, other)| over(other)).map(|(handle, _)| *handle);
        self.free.extend(gone);
        self.free.sort_unstable();
        self.free.iter().for_each(|handle| drop(self.by_handle.remove(handle)));
        let handle = self.free.pop().unwrap_or_else(|| {
            self.last += 1;
            self.last
        });
        self.by_handle.insert(handle, list);
        handle
    }
}

/// All command buffers, and the handles of finished lists.
#[derive(Debug, Default)]
pub struct CommandBuffers {
    rows: Mutex<Vec<Arc<Mutex<Recording>>>>,
    lists: Mutex<Lists>,
}

fn row(call: &Call<'_>) -> Result<Arc<Mutex<Recording>>, CallError> {
    let object: CommandBuffer = load(call, call.x[0])?;
    let rows = lock(&call.nvn.command_buffers.rows);
    rows.get(object.row as usize)
        .cloned()
        .ok_or(CallError::NotInitialised { what: "CommandBuffer", address: call.x[0] })
}

/// Makes room for a record; asks the title for memory when its block is full.
fn make_room(call: &mut Call<'_>, row: &Mutex<Recording>, bytes: u64) {
    const OUT_OF_COMMAND: u64 = 0;
    const OUT_OF_CONTROL: u64 = 1;
    for (event, cost) in [(OUT_OF_COMMAND, bytes), (OUT_OF_CONTROL, CONTROL_COST)] {
        let (block, callback, data) = {
            let r = lock(row);
            (if event == OUT_OF_COMMAND { r.command } else { r.control }, r.callback, r.callback_data)
        };
        if block.used + cost > block.size && callback != 0 {
            (call.call_guest)(callback, &[call.x[0], event, cost.max(0x200), data]);
        }
        let mut r = lock(row);
        let block = if event == OUT_OF_COMMAND { &mut r.command } else { &mut r.control };
        // Used never exceeds the size, whatever the title gave: it computes with both.
        block.used = (block.used + cost).min(block.size);
    }
}

/// Appends one record to the command buffer in x0.
fn append(call: &mut Call<'_>, tail: usize, write: impl FnOnce(&mut Writer)) -> Outcome {
    let row = row(call)?;
    make_room(call, &row, COST + tail as u64);
    write(&mut lock(&row).records);
    Ok(0)
}

/// Keeps pointers to what the last `bytes` of the records hold, if a mutant asks for it.
fn keep(call: &mut Call<'_>, bytes: usize, pointers: impl FnOnce(usize) -> Vec<Kept>) -> Outcome {
    if call.nvn.options.mutants.keep_pointers {
        let row = row(call)?;
        let mut r = lock(&row);
        let at = r.records.bytes.len() - bytes;
        r.kept.extend(pointers(at));
    }
    Ok(0)
}

fn record<T: NoUninit>(call: &mut Call<'_>, op: Op, payload: T) -> Outcome {
    append(call, 0, |w| w.record(op, 0, &payload))
}

fn records<T: NoUninit>(call: &mut Call<'_>, op: Op, first: u16, payload: &[T]) -> Outcome {
    append(call, 0, |w| w.slice(op, first, payload))
}

/// `nvnCommandBufferInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    let row = {
        let mut rows = lock(&call.nvn.command_buffers.rows);
        rows.push(Arc::default());
        rows.len() as u32 - 1
    };
    call.write(call.x[0], &CommandBuffer { row, ..CommandBuffer::fresh() })?;
    Ok(1)
}

/// `nvnCommandBufferFinalize`.
pub(crate) fn finalize(call: &mut Call<'_>) -> Outcome {
    *lock(&*row(call)?) = Recording::default();
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnCommandBufferSetMemoryCallback`.
pub(crate) fn set_memory_callback(call: &mut Call<'_>) -> Outcome {
    lock(&*row(call)?).callback = call.x[1];
    Ok(0)
}

/// `nvnCommandBufferSetMemoryCallbackData`.
pub(crate) fn set_memory_callback_data(call: &mut Call<'_>) -> Outcome {
    lock(&*row(call)?).callback_data = call.x[1];
    Ok(0)
}

/// `nvnCommandBufferGetMemoryCallback`.
pub(crate) fn get_memory_callback(call: &mut Call<'_>) -> Outcome {
    Ok(lock(&*row(call)?).callback)
}

/// `nvnCommandBufferGetMemoryCallbackData`.
pub(crate) fn get_memory_callback_data(call: &mut Call<'_>) -> Outcome {
    Ok(lock(&*row(call)?).callback_data)
}

/// `nvnCommandBufferAddCommandMemory`: replaces the current block.
pub(crate) fn add_command_memory(call: &mut Call<'_>) -> Outcome {
    let size = call.x[3];
    let (pool, offset) = (call.x[1], call.x[2]);
    let row = row(call)?;
    let mut r = lock(&row);
    r.leave_block();
    r.command = Block { pool, offset, size, used: 0 };
    r.begun = 0;
    Ok(0)
}

/// `nvnCommandBufferAddControlMemory`.
pub(crate) fn add_control_memory(call: &mut Call<'_>) -> Outcome {
    let size = call.x[2];
    lock(&*row(call)?).control = Block { size, ..Block::default() };
    Ok(0)
}

macro_rules! block_getters {
    ($($name:ident $block:ident $value:expr;)*) => { $(
        /// Reads a figure of a memory block.
        pub(crate) fn $name(call: &mut Call<'_>) -> Outcome {
            let block = lock(&*row(call)?).$block;
            let value: fn(Block) -> u64 = $value;
            Ok(value(block))
        }
    )* };
}

block_getters! {
    get_command_memory_size command |b| b.size;
    get_command_memory_used command |b| b.used;
    get_command_memory_free command |b| b.size - b.used;
    get_control_memory_size control |b| b.size;
    get_control_memory_used control |b| b.used;
    get_control_memory_free control |b| b.size - b.used;
}

/// `nvnCommandBufferBeginRecording`.
pub(crate) fn begin_recording(call: &mut Call<'_>) -> Outcome {
    let row = row(call)?;
    let mut r = lock(&row);
    r.records.bytes.clear();
    r.memory.clear();
    r.begun = r.command.used;
    r.recording = true;
    Ok(0)
}

/// `nvnCommandBufferIsRecording`.
pub(crate) fn is_recording(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(lock(&*row(call)?).recording))
}

/// `nvnCommandBufferEndRecording`: the list gets a handle, which stands for it as long as its command memory is not recorded over.
pub(crate) fn end_recording(call: &mut Call<'_>) -> Outcome {
    let row = row(call)?;
    let mut r = lock(&row);
    r.recording = false;
    for kept in std::mem::take(&mut r.kept) {
        kept.follow(call, &mut r.records.bytes);
    }
    r.leave_block();
    let list = List { records: r.records.bytes.as_slice().into(), memory: std::mem::take(&mut r.memory) };
    let handle = lock(&call.nvn.command_buffers.lists).add(list);
    call.nvn.record(|w| {
        w.open(Op::CommandList, 0, bytemuck::bytes_of(&ListHeader { handle })).bytes(&r.records.bytes).close()
    });
    r.records.bytes.clear();
    Ok(handle)
}

/// `nvnCommandBufferCallCommands`: looked up when the caller is submitted (rows M-4.8a, A-089).
pub(crate) fn call_commands(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of command handles", 4096)?;
    for handle in call.read_slice::<u64>(call.x[2], count)? {
        record(call, Op::CallCommands, handle)?;
    }
    Ok(0)
}

/// `nvnCommandBufferCopyCommands`: the records are copied now.
pub(crate) fn copy_commands(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of command handles", 4096)?;
    for handle in call.read_slice::<u64>(call.x[2], count)? {
        let lists = lock(&call.nvn.command_buffers.lists);
        let list = lists.by_handle.get(&handle).map(|list| list.records.clone());
        drop(lists);
        let list = list.ok_or(CallError::Argument {
            what: "command handle",
            value: handle,
            rule: "it must come from EndRecording",
        })?;
        append(call, list.len(), |w| w.bytes.extend_from_slice(&list))?;
    }
    Ok(0)
}

/// `nvnDeviceFinalizeCommandHandle`.
pub(crate) fn finalize_command_handle(call: &mut Call<'_>) -> Outcome {
    let mut lists = lock(&call.nvn.command_buffers.lists);
    if lists.by_handle.remove(&call.x[1]).is_some() {
        lists.free.push(call.x[1]);
    }
    Ok(0)
}

/// `nvnCommandBufferSetRenderTargets`: textures and views by value.
pub(crate) fn set_render_targets(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of colour targets", 8)?;
    let pointers = |call: &Call<'_>, address: u64| {
        if address == 0 { Ok(vec![0; count]) } else { call.read_slice::<u64>(address, count) }
    };
    let textures = pointers(call, call.x[2])?;
    let views = pointers(call, call.x[3])?;
    let mut head = SetRenderTargets { count: count as u32, ..SetRenderTargets::default() };
    let mut targets = Vec::with_capacity(count + 1);
    let mut pointers = Vec::new();
    for (n, (texture, view)) in textures.into_iter().zip(views).enumerate() {
        if texture != 0 {
            head.colors |= 1 << n;
            targets.push(texture::view_of(call, &load(call, texture)?, view)?);
            pointers.push((texture, view));
        }
    }
    if call.x[4] != 0 {
        head.depth = 1;
        targets.push(texture::argument(call, 4, 5)?);
        pointers.push((call.x[4], call.x[5]));
    }
    append(call, targets.len() * 8, |w| {
        w.open(Op::SetRenderTargets, 0, bytemuck::bytes_of(&head)).bytes(bytemuck::cast_slice(&targets)).close();
    })?;
    let size = size_of::<TextureRef>();
    keep(call, pointers.len() * size, |at| {
        pointers
            .iter()
            .enumerate()
            .map(|(n, &(texture, view))| Kept::Texture { at: at + n * size, texture, view })
            .collect()
    })
}

/// `nvnCommandBufferBindProgram`: the program's contents are those of now.
pub(crate) fn bind_program(call: &mut Call<'_>) -> Outcome {
    let program = if call.x[1] == 0 { 0 } else { load::<Program>(call, call.x[1])?.id };
    let stages = call.word(2);
    record(call, Op::BindProgram, BindProgram { program, stages })
}

/// `nvnCommandBufferBindBlendState`.
pub(crate) fn bind_blend(call: &mut Call<'_>) -> Outcome {
    let value = state::blend_record(call, call.x[1])?;
    record(call, Op::BindBlend, value)
}

/// `nvnCommandBufferBindColorState`.
pub(crate) fn bind_color(call: &mut Call<'_>) -> Outcome {
    let value = state::color_record(call, call.x[1])?;
    record(call, Op::BindColor, value)
}

/// `nvnCommandBufferBindChannelMaskState`.
pub(crate) fn bind_channel_mask(call: &mut Call<'_>) -> Outcome {
    let value = state::channel_mask_record(call, call.x[1])?;
    record(call, Op::BindChannelMask, value)
}

/// `nvnCommandBufferBindPolygonState`.
pub(crate) fn bind_polygon(call: &mut Call<'_>) -> Outcome {
    let value = state::polygon_record(call, call.x[1])?;
    record(call, Op::BindPolygon, value)
}

/// `nvnCommandBufferBindDepthStencilState`.
pub(crate) fn bind_depth_stencil(call: &mut Call<'_>) -> Outcome {
    let value = state::depth_stencil_record(call, call.x[1])?;
    record(call, Op::BindDepthStencil, value)
}

/// `nvnCommandBufferBindMultisampleState`.
pub(crate) fn bind_multisample(call: &mut Call<'_>) -> Outcome {
    let value = state::multisample_record(call, call.x[1])?;
    record(call, Op::BindMultisample, value)
}

/// `nvnCommandBufferBindVertexAttribState`.
pub(crate) fn bind_vertex_attribs(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of attributes", 16)?;
    let values = state::attrib_records(call, call.x[2], count)?;
    records(call, Op::BindVertexAttribs, 0, &values)
}

/// `nvnCommandBufferBindVertexStreamState`.
pub(crate) fn bind_vertex_streams(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of streams", 16)?;
    let values = state::stream_records(call, call.x[2], count)?;
    records(call, Op::BindVertexStreams, 0, &values)
}

fn bind_range(call: &mut Call<'_>, op: Op, staged: bool, slots: usize) -> Outcome {
    let at = usize::from(staged);
    let stage = if staged { call.index(1, "stage", 6)? as u32 } else { 0 };
    let index = call.index(1 + at, "slot", slots)? as u32;
    let range = SlotRange { address: call.x[2 + at], size: call.x[3 + at], stage, index };
    record(call, op, range)
}

fn bind_ranges(call: &mut Call<'_>, op: Op, staged: bool, slots: usize) -> Outcome {
    let at = usize::from(staged);
    let stage = if staged { call.index(1, "stage", 6)? as u32 } else { 0 };
    let first = call.index(1 + at, "first slot", slots)?;
    let count = call.count(2 + at, "number of slots", slots - first)?;
    for (n, [address, size]) in call.read_slice::<[u64; 2]>(call.x[3 + at], count)?.into_iter().enumerate() {
        record(call, op, SlotRange { address, size, stage, index: (first + n) as u32 })?;
    }
    Ok(0)
}

/// `nvnCommandBufferBindVertexBuffer`.
pub(crate) fn bind_vertex_buffer(call: &mut Call<'_>) -> Outcome {
    bind_range(call, Op::BindVertexBuffer, false, 16)
}

/// `nvnCommandBufferBindVertexBuffers`.
pub(crate) fn bind_vertex_buffers(call: &mut Call<'_>) -> Outcome {
    bind_ranges(call, Op::BindVertexBuffer, false, 16)
}

/// `nvnCommandBufferBindUniformBuffer`.
pub(crate) fn bind_uniform_buffer(call: &mut Call<'_>) -> Outcome {
    bind_range(call, Op::BindUniformBuffer, true, 14)
}

/// `nvnCommandBufferBindUniformBuffers`.
pub(crate) fn bind_uniform_buffers(call: &mut Call<'_>) -> Outcome {
    bind_ranges(call, Op::BindUniformBuffer, true, 14)
}

/// `nvnCommandBufferBindStorageBuffer`.
pub(crate) fn bind_storage_buffer(call: &mut Call<'_>) -> Outcome {
    bind_range(call, Op::BindStorageBuffer, true, 16)
}

/// `nvnCommandBufferBindStorageBuffers`.
pub(crate) fn bind_storage_buffers(call: &mut Call<'_>) -> Outcome {
    bind_ranges(call, Op::BindStorageBuffer, true, 16)
}

fn bind_handle(call: &mut Call<'_>, op: Op, slots: usize) -> Outcome {
    let stage = call.index(1, "stage", 6)? as u32;
    let index = call.index(2, "slot", slots)? as u32;
    let handle = call.x[3];
    record(call, op, SlotHandle { handle, stage, index })
}

fn bind_handles(call: &mut Call<'_>, op: Op, slots: usize) -> Outcome {
    let stage = call.index(1, "stage", 6)? as u32;
    let first = call.index(2, "first slot", slots)?;
    let count = call.count(3, "number of slots", slots - first)?;
    for (n, handle) in call.read_slice::<u64>(call.x[4], count)?.into_iter().enumerate() {
        record(call, op, SlotHandle { handle, stage, index: (first + n) as u32 })?;
    }
    Ok(0)
}

/// `nvnCommandBufferBindTexture`.
pub(crate) fn bind_texture(call: &mut Call<'_>) -> Outcome {
    bind_handle(call, Op::BindTexture, 32)
}

/// `nvnCommandBufferBindTextures`.
pub(crate) fn bind_textures(call: &mut Call<'_>) -> Outcome {
    bind_handles(call, Op::BindTexture, 32)
}

/// `nvnCommandBufferBindImage`.
pub(crate) fn bind_image(call: &mut Call<'_>) -> Outcome {
    bind_handle(call, Op::BindImage, 8)
}

/// `nvnCommandBufferBindImages`.
pub(crate) fn bind_images(call: &mut Call<'_>) -> Outcome {
    bind_handles(call, Op::BindImage, 8)
}

/// `nvnCommandBufferSetTexturePool`.
pub(crate) fn set_texture_pool(call: &mut Call<'_>) -> Outcome {
    let (address, count) = pool::texture_pool_memory(call, call.x[1])?;
    record(call, Op::SetTexturePool, DescriptorPool { address, count, reserved: 0 })
}

/// `nvnCommandBufferSetSamplerPool`.
pub(crate) fn set_sampler_pool(call: &mut Call<'_>) -> Outcome {
    let (address, count) = pool::sampler_pool_memory(call, call.x[1])?;
    record(call, Op::SetSamplerPool, DescriptorPool { address, count, reserved: 0 })
}

/// `nvnCommandBufferSetViewport`.
pub(crate) fn set_viewport(call: &mut Call<'_>) -> Outcome {
    let rect: [f32; 4] = std::array::from_fn(|n| call.int(n + 1) as f32);
    records(call, Op::SetViewports, 0, &[rect])
}

/// `nvnCommandBufferSetScissor`.
pub(crate) fn set_scissor(call: &mut Call<'_>) -> Outcome {
    let rect: [i32; 4] = std::array::from_fn(|n| call.int(n + 1));
    records(call, Op::SetScissors, 0, &[rect])
}

/// `nvnCommandBufferSetDepthRange`.
pub(crate) fn set_depth_range(call: &mut Call<'_>) -> Outcome {
    let range = DepthRange { near: call.s[0], far: call.s[1] };
    records(call, Op::SetDepthRanges, 0, &[range])
}

fn array<T: NoUninit + AnyBitPattern + Zeroable>(call: &mut Call<'_>, op: Op) -> Outcome {
    let first = call.index(1, "first viewport", 16)?;
    let count = call.count(2, "number of viewports", 16 - first)?;
    let values: Vec<T> = call.read_slice(call.x[3], count)?;
    records(call, op, first as u16, &values)
}

/// `nvnCommandBufferSetViewports`.
pub(crate) fn set_viewports(call: &mut Call<'_>) -> Outcome {
    array::<[f32; 4]>(call, Op::SetViewports)
}

/// `nvnCommandBufferSetScissors`.
pub(crate) fn set_scissors(call: &mut Call<'_>) -> Outcome {
    array::<[i32; 4]>(call, Op::SetScissors)
}

/// `nvnCommandBufferSetDepthRanges`.
pub(crate) fn set_depth_ranges(call: &mut Call<'_>) -> Outcome {
    array::<[f32; 2]>(call, Op::SetDepthRanges)
}

fn stencil(call: &mut Call<'_>, op: Op) -> Outcome {
    let value = StencilFaces { faces: call.word(1), value: call.word(2) };
    record(call, op, value)
}

/// `nvnCommandBufferSetStencilValueMask`.
pub(crate) fn set_stencil_value_mask(call: &mut Call<'_>) -> Outcome {
    stencil(call, Op::SetStencilValueMask)
}

/// `nvnCommandBufferSetStencilMask`.
pub(crate) fn set_stencil_mask(call: &mut Call<'_>) -> Outcome {
    stencil(call, Op::SetStencilMask)
}

/// `nvnCommandBufferSetStencilRef`.
pub(crate) fn set_stencil_ref(call: &mut Call<'_>) -> Outcome {
    stencil(call, Op::SetStencilRef)
}

/// `nvnCommandBufferSetBlendColor`.
pub(crate) fn set_blend_color(call: &mut Call<'_>) -> Outcome {
    let color: [f32; 4] = call.read(call.x[1])?;
    record(call, Op::SetBlendColor, color)
}

/// `nvnCommandBufferSetPolygonOffsetClamp`.
pub(crate) fn set_polygon_offset(call: &mut Call<'_>) -> Outcome {
    let value = PolygonOffset { factor: call.s[0], units: call.s[1], clamp: call.s[2] };
    record(call, Op::SetPolygonOffset, value)
}

macro_rules! one_value {
    ($($name:ident $op:ident $value:expr;)*) => { $(
        /// Records one value.
        pub(crate) fn $name(call: &mut Call<'_>) -> Outcome {
            let value = { let value: fn(&Call<'_>) -> _ = $value; value(call) };
            record(call, Op::$op, value)
        }
    )* };
}

one_value! {
    set_alpha_ref SetAlphaRef |c| c.s[0];
    set_point_size SetPointSize |c| c.s[0];
    set_line_width SetLineWidth |c| c.s[0];
    set_sample_mask SetSampleMask |c| c.word(1);
    set_rasterizer_discard SetRasterizerDiscard |c| u32::from(c.flag(1));
    set_depth_clamp SetDepthClamp |c| u32::from(c.flag(1));
    set_patch_size SetPatchSize |c| c.word(1);
    set_primitive_restart SetPrimitiveRestart |c| PrimitiveRestart { enable: u32::from(c.flag(1)), index: c.word(2) };
    set_depth_bounds SetDepthBounds |c| DepthBounds { enable: u32::from(c.flag(1)), min: c.s[0], max: c.s[1] };
    barrier Barrier |c| c.word(1);
    dispatch Dispatch |c| [c.word(1), c.word(2), c.word(3)];
    dispatch_indirect DispatchIndirect |c| c.x[1];
    reset_counter ResetCounter |c| c.word(1);
    discard_color DiscardColor |c| c.word(1);
    report_counter ReportCounter |c| CounterReport { counter: c.word(1), address: c.x[2], value: 0 };
    report_value ReportCounter |c| CounterReport { counter: u32::MAX, address: c.x[2], value: c.word(1) };
    copy_buffer_to_buffer CopyBufferToBuffer |c| CopyBuffer { source: c.x[1], target: c.x[2], size: c.x[3] };
    clear_buffer ClearBuffer |c| ClearBuffer { target: c.x[1], size: c.x[2], word: c.word(3), reserved: 0 };
    clear_depth_stencil ClearDepthStencil |c| ClearDepthStencil {
        depth: c.s[0], depth_mask: u32::from(c.flag(1)), stencil: c.word(2), stencil_mask: c.word(3),
    };
    draw_arrays Draw |c| Draw { primitive: c.word(1), first: c.word(2), count: c.word(3), instances: 1, ..Draw::default() };
    draw_arrays_instanced Draw |c| Draw {
        primitive: c.word(1), first: c.word(2), count: c.word(3), base_instance: c.word(4), instances: c.word(5), ..Draw::default()
    };
    draw_elements Draw |c| Draw {
        primitive: c.word(1), index_type: c.word(2).saturating_add(1), count: c.word(3), indices: c.x[4], instances: 1, ..Draw::default()
    };
    draw_elements_base_vertex Draw |c| Draw {
        primitive: c.word(1), index_type: c.word(2).saturating_add(1), count: c.word(3), indices: c.x[4], first: c.word(5), instances: 1, ..Draw::default()
    };
    draw_elements_instanced Draw |c| Draw {
        primitive: c.word(1), index_type: c.word(2).saturating_add(1), count: c.word(3), indices: c.x[4], first: c.word(5), base_instance: c.word(6),
        instances: c.word(7),
    };
    draw_arrays_indirect DrawIndirect |c| DrawIndirect { primitive: c.word(1), arguments: c.x[2], count: 1, stride: 16, ..DrawIndirect::default() };
    draw_elements_indirect DrawIndirect |c| DrawIndirect {
        primitive: c.word(1), index_type: c.word(2).saturating_add(1), indices: c.x[3], arguments: c.x[4], count: 1, stride: 20, ..DrawIndirect::default()
    };
    multi_draw_arrays_indirect_count DrawIndirect |c| DrawIndirect {
        primitive: c.word(1), arguments: c.x[2], count_address: c.x[3], count: c.word(4), stride: c.word(5), ..DrawIndirect::default()
    };
    multi_draw_elements_indirect_count DrawIndirect |c| DrawIndirect {
        primitive: c.word(1), index_type: c.word(2).saturating_add(1), indices: c.x[3], arguments: c.x[4], count_address: c.x[5], count: c.word(6),
        stride: c.word(7),
    };
}

fn clear_color_class(call: &mut Call<'_>, class: u32) -> Outcome {
    let index = call.index(1, "colour target", 8)? as u32;
    let value: [u32; 4] = call.read(call.x[2])?;
    let mask = call.word(3) & 15;
    record(call, Op::ClearColor, ClearColor { index, mask, value, class })
}

/// `nvnCommandBufferClearColor`.
pub(crate) fn clear_color(call: &mut Call<'_>) -> Outcome {
    clear_color_class(call, 0)
}

/// `nvnCommandBufferClearColori`.
pub(crate) fn clear_color_i(call: &mut Call<'_>) -> Outcome {
    clear_color_class(call, 1)
}

/// `nvnCommandBufferClearColorui`.
pub(crate) fn clear_color_ui(call: &mut Call<'_>) -> Outcome {
    clear_color_class(call, 2)
}

fn clear_texture_class(call: &mut Call<'_>, class: u32) -> Outcome {
    let texture = texture::argument(call, 1, 2)?;
    let region: Region = call.read(call.x[3])?;
    let value: [u32; 4] = call.read(call.x[4])?;
    let mask = call.word(5) & 15;
    record(call, Op::ClearTexture, ClearTexture { texture, region, value, class, mask })
}

/// `nvnCommandBufferClearTexture`.
pub(crate) fn clear_texture(call: &mut Call<'_>) -> Outcome {
    clear_texture_class(call, 0)
}

/// `nvnCommandBufferClearTexturei`.
pub(crate) fn clear_texture_i(call: &mut Call<'_>) -> Outcome {
    clear_texture_class(call, 1)
}

/// `nvnCommandBufferClearTextureui`.
pub(crate) fn clear_texture_ui(call: &mut Call<'_>) -> Outcome {
    clear_texture_class(call, 2)
}

/// `nvnCommandBufferSetCopyRowStride`: sticky, read into later copies.
pub(crate) fn set_copy_row_stride(call: &mut Call<'_>) -> Outcome {
    lock(&*row(call)?).row_stride = call.x[1];
    Ok(0)
}

/// `nvnCommandBufferSetCopyImageStride`.
pub(crate) fn set_copy_image_stride(call: &mut Call<'_>) -> Outcome {
    lock(&*row(call)?).image_stride = call.x[1];
    Ok(0)
}

/// `nvnCommandBufferGetCopyRowStride`.
pub(crate) fn get_copy_row_stride(call: &mut Call<'_>) -> Outcome {
    Ok(lock(&*row(call)?).row_stride)
}

/// `nvnCommandBufferGetCopyImageStride`.
pub(crate) fn get_copy_image_stride(call: &mut Call<'_>) -> Outcome {
    Ok(lock(&*row(call)?).image_stride)
}

fn strides(call: &Call<'_>) -> Result<(u32, u32), CallError> {
    let row = row(call)?;
    let r = lock(&row);
    Ok((r.row_stride as u32, r.image_stride as u32))
}

/// `nvnCommandBufferCopyBufferToTexture`.
pub(crate) fn copy_buffer_to_texture(call: &mut Call<'_>) -> Outcome {
    let texture = texture::argument(call, 2, 3)?;
    let region: Region = call.read(call.x[4])?;
    let (row_stride, image_stride) = strides(call)?;
    let (address, flags) = (call.x[1], call.word(5));
    let payload = CopyBufferTexture { address, texture, region, row_stride, image_stride, flags, reserved: 0 };
    record(call, Op::CopyBufferToTexture, payload)
}

/// `nvnCommandBufferCopyTextureToBuffer`.
pub(crate) fn copy_texture_to_buffer(call: &mut Call<'_>) -> Outcome {
    let texture = texture::argument(call, 1, 2)?;
    let region: Region = call.read(call.x[3])?;
    let (row_stride, image_stride) = strides(call)?;
    let (address, flags) = (call.x[4], call.word(5));
    let payload = CopyBufferTexture { address, texture, region, row_stride, image_stride, flags, reserved: 0 };
    record(call, Op::CopyTextureToBuffer, payload)
}

/// `nvnCommandBufferCopyTextureToTexture`.
pub(crate) fn copy_texture_to_texture(call: &mut Call<'_>) -> Outcome {
    let source = texture::argument(call, 1, 2)?;
    let source_region: Region = call.read(call.x[3])?;
    let target = texture::argument(call, 4, 5)?;
    let target_region: Region = call.read(call.x[6])?;
    let flags = call.word(7);
    record(
        call,
        Op::CopyTextureToTexture,
        CopyTextureTexture { source, target, source_region, target_region, flags, reserved: 0 },
    )
}

/// `nvnCommandBufferDownsample`, `nvnCommandBufferTiledDownsample`.
pub(crate) fn downsample(call: &mut Call<'_>) -> Outcome {
    let source = texture::view_of(call, &load(call, call.x[1])?, 0)?;
    let target = texture::view_of(call, &load(call, call.x[2])?, 0)?;
    record(call, Op::Downsample, Downsample { source, target })
}

/// `nvnCommandBufferDownsampleTextureView`, `nvnCommandBufferTiledDownsampleTextureView`.
pub(crate) fn downsample_view(call: &mut Call<'_>) -> Outcome {
    let source = texture::argument(call, 1, 2)?;
    let target = texture::argument(call, 3, 4)?;
    record(call, Op::Downsample, Downsample { source, target })
}

/// `nvnCommandBufferUpdateUniformBuffer`: the bytes are those of now (rows M-4.4, R-066b).
pub(crate) fn update_uniform_buffer(call: &mut Call<'_>) -> Outcome {
    let (address, buffer_size, offset, size) = (call.x[1], call.x[2], call.x[3], call.x[4]);
    if offset.checked_add(size).is_none_or(|end| end > buffer_size) || size > 0x1_0000 {
        return Err(CallError::Argument {
            what: "update size",
            value: size,
            rule: "offset + size must lie inside the buffer, at most 64 KiB",
        });
    }
    let bytes: Vec<u8> = call.read_slice(call.x[5], size as usize)?;
    append(call, bytes.len(), |w| {
        let head = InlineUpdate { address, buffer_size, offset, size };
        w.open(Op::UpdateUniformBuffer, 0, bytemuck::bytes_of(&head)).bytes(&bytes).close();
    })?;
    let (address, length) = (call.x[5], bytes.len());
    keep(call, length.next_multiple_of(4), |at| vec![Kept::Bytes { at, address, length }])
}

/// `nvnCommandBufferFenceSync`.
pub(crate) fn fence_sync(call: &mut Call<'_>) -> Outcome {
    let sync: Sync = load(call, call.x[1])?;
    let fence = call.nvn.fence(sync.id, 0, call.word(2));
    record(call, Op::CommandFenceSync, fence)
}

/// `nvnCommandBufferWaitSync`.
pub(crate) fn wait_sync(call: &mut Call<'_>) -> Outcome {
    let sync: Sync = load(call, call.x[1])?;
    let value = call.nvn.last_fence(sync.id);
    record(call, Op::CommandWaitSync, Fence { sync: sync.id, value, queue: 0, condition: 0 })
}

/// `nvnCommandBufferDiscardDepthStencil`.
pub(crate) fn discard_depth_stencil(call: &mut Call<'_>) -> Outcome {
    append(call, 0, |w| w.slice::<u8>(Op::DiscardDepthStencil, 0, &[]))
}

/// `nvnCommandBufferPushDebugGroup*`: domain, then text.
pub(crate) fn push_debug_group(call: &mut Call<'_>) -> Outcome {
    let text = call.text(call.x[2])?;
    append(call, 0, |w| w.slice(Op::PushDebugGroup, 0, text.as_bytes()))
}

/// `nvnCommandBufferPopDebugGroup*`.
pub(crate) fn pop_debug_group(call: &mut Call<'_>) -> Outcome {
    append(call, 0, |w| w.slice::<u8>(Op::PopDebugGroup, 0, &[]))
}

/// `nvnCommandBufferInsertDebugMarkerStatic`, `…Dynamic`: domain, then text.
pub(crate) fn debug_marker_in_domain(call: &mut Call<'_>) -> Outcome {
    let text = call.text(call.x[2])?;
    append(call, 0, |w| w.slice(Op::DebugMarker, 0, text.as_bytes()))
}

/// `nvnCommandBufferInsertDebugMarker`.
pub(crate) fn debug_marker(call: &mut Call<'_>) -> Outcome {
    let text = call.text(call.x[1])?;
    append(call, 0, |w| w.slice(Op::DebugMarker, 0, text.as_bytes()))
}

/// Records that a command was called which the decoder does not carry out; a decision says so when the list runs.
pub(crate) fn unsupported(call: &mut Call<'_>, ordinal: u32) -> Outcome {
    record(call, Op::Unsupported, ordinal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pool: u64, first: u64, end: u64) -> List {
        List { records: Arc::from([]), memory: vec![Span { pool, first, end }] }
    }

    #[test]
    fn a_handle_stands_for_its_command_memory() {
        let mut lists = Lists::default();
        let (a, b) = (lists.add(list(8, 0, 100)), lists.add(list(8, 100, 200)));
        assert_ne!(a, b, "side by side in one block");
        assert_ne!(lists.add(list(9, 0, 100)), a, "another pool");
        assert_eq!(lists.add(list(8, 0, 50)), a, "recorded over");
        assert!(lists.by_handle.contains_key(&b), "its neighbour is still there");
        let over_both = lists.add(list(8, 40, 120));
        assert!([a, b].contains(&over_both));
        assert_eq!(lists.by_handle.len(), 2);
        assert_eq!(lists.add(List { records: Arc::from([]), memory: Vec::new() }), a.min(b), "the other is free again");
    }
}
