//! The state of the decoder as records, and what a keyframe brings back.
//!
//! [`Decoder::write_state`] turns everything that earlier parts left behind into the same records that made it: pools, programs, descriptors, windows, labels,
//! recorded lists, fences, and for each queue a list of commands that binds what is bound. Read as a part of its own, they put a new decoder into that state.

use super::{Decoder, Device, IngestError, check_texture, stage_number};
use crate::ingest::bound::Bound;
use crate::raw::RawTargets;
use crate::record::{self, Op, Record, RecordError, TextureRef, Writer};
use bevy_ecs::prelude::*;
use bytemuck::bytes_of;
use framegraph::ids::ProgramId;
use framegraph::state::Stage;

/// Handles of the lists that bring bindings back: this and the queue ordinals below it. The recorder counts handles from 1.
const BINDINGS: u64 = u64::MAX;
/// Queues whose bindings a keyframe can hold.
const MAX_QUEUES: u64 = 1 << 16;

/// One plane of an image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlaneRestore {
    /// Its header.
    pub plane: record::Plane,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// An image that is brought back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImageRestore {
    /// Which.
    pub texture: TextureRef,
    /// Its contents.
    pub planes: Vec<PlaneRestore>,
}

/// Bytes of a pool's buffer that are brought back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BufferRestore {
    /// Where, and what they are.
    pub header: record::BufferContents,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What the current part brings back, if a keyframe begins with it.
#[derive(Debug, Default, Resource)]
pub struct Restored {
    /// Whether the part is the state of a keyframe.
    pub active: bool,
    /// Images with contents.
    pub images: Vec<ImageRestore>,
    /// Bytes of buffers.
    pub buffers: Vec<BufferRestore>,
}

impl Restored {
    pub(super) fn clear(&mut self) {
        self.active = false;
        self.images = Vec::new();
        self.buffers = Vec::new();
    }
}

pub(super) fn image_contents(record: &Record<'_>, world: &mut World) -> Result<(), IngestError> {
    let (head, mut rest): (record::ImageContents, _) = record.head()?;
    check_texture(world.resource::<Device>(), &head.texture)?;
    let mut planes = Vec::new();
    for _ in 0..head.planes.min(2) {
        let size = size_of::<record::Plane>();
        let short =
            |need: usize, have: usize| RecordError::Short { offset: record.offset, op: record.op.name(), have, need };
        let bytes = rest.get(..size).ok_or_else(|| short(size, rest.len()))?;
        let plane: record::Plane = bytemuck::pod_read_unaligned(bytes);
        rest = &rest[size..];
        let length = usize::try_from(plane.length).unwrap_or(usize::MAX);
        let bytes = rest.get(..length).ok_or_else(|| short(length, rest.len()))?.to_vec();
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        planes.push(PlaneRestore { plane, bytes });
    }
    world.resource_mut::<Restored>().images.push(ImageRestore { texture: head.texture, planes });
    Ok(())
}

pub(super) fn buffer_contents(record: &Record<'_>, world: &mut World) -> Result<(), IngestError> {
    let (header, bytes): (record::BufferContents, _) = record.head()?;
    let pool = world.resource::<Device>().pool(header.pool).copied();
    let bytes = bytes.get(..header.length as usize).unwrap_or(bytes);
    let fits = |size: u64| header.offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= size);
    if !pool.is_some_and(|pool| fits(pool.size)) {
        return Err(IngestError::UnknownValue { what: "place in a pool", value: header.offset });
    }
    world.resource_mut::<Restored>().buffers.push(BufferRestore { header, bytes: bytes.to_vec() });
    Ok(())
}

impl Decoder {
    /// Writes the records that put a new decoder and device into this state. `frame` is the number of the frame that follows.
    pub fn write_state(&self, device: &Device, frame: u64, out: &mut Writer) {
        out.record(Op::KeyBegin, 0, &record::KeyBegin { parts: self.parts, frame });
        out.record(Op::Device, 0, &device.facts);
        let live = |pool: u32| device.pool(pool).is_some_and(|pool| pool.live);
        for pool in device.pools.iter().filter(|pool| pool.live) {
            let named = record::PoolResource { ordinal: pool.ordinal, resource: pool.buffer.0 };
            out.record(Op::PoolResource, 0, &named);
            let begins =
                record::Pool { address: pool.address, size: pool.size, ordinal: pool.ordinal, flags: pool.flags };
            out.record(Op::PoolCreate, 0, &begins);
        }
        // By id: equal code then gets the numbers that it had.
        let mut programs: Vec<_> = device.programs.iter().collect();
        programs.sort_unstable_by_key(|(id, _)| *id);
        for (id, program) in programs {
            let mut known: Vec<_> =
                program.stages.iter().filter_map(|stage| device.stages.get(stage.index())).collect();
            known.sort_unstable_by_key(|stage| stage.id);
            let header = record::ProgramHeader { id, stages: known.len() as u32 };
            let mut open = out.open(Op::Program, 0, bytes_of(&header));
            for stage in known {
                let (control, code) = (stage.control.len() as u32, stage.code.len() as u32);
                open = open
                    .push(&record::StageHeader { stage: stage_number(stage.stage), control, code })
                    .bytes(&stage.control)
                    .pad()
                    .bytes(&stage.code)
                    .pad();
            }
            open.close();
        }
        let mut labels: Vec<_> = device.texture_labels.iter().collect();
        labels.sort_unstable();
        for ((object, offset), text) in labels {
            let label = record::Label { kind: 1, object: *object, offset: *offset };
            out.open(Op::Label, 0, bytes_of(&label)).bytes(text.as_bytes()).close();
        }
        let mut textures: Vec<_> = device.textures.iter().filter(|(.., texture)| live(texture.pool)).collect();
        textures.sort_unstable_by_key(|(pool, id, _)| (*pool, *id));
        for (pool_address, id, texture) in textures {
            let descriptor = record::DescriptorTexture { pool_address, id, reserved: 0, texture: *texture };
            out.record(Op::RegisterTexture, 0, &descriptor);
        }
        let mut samplers: Vec<_> = device.samplers.iter().collect();
        samplers.sort_unstable_by_key(|(pool, id, _)| (*pool, *id));
        for (pool_address, id, sampler) in samplers {
            let descriptor = record::DescriptorSampler { pool_address, id, sampler: *sampler, ..Default::default() };
            out.record(Op::RegisterSampler, 0, &descriptor);
        }
        let mut windows: Vec<_> = device.windows.iter().collect();
        windows.sort_unstable_by_key(|(ordinal, _)| **ordinal);
        for (ordinal, textures) in windows {
            if textures.iter().all(|texture| live(texture.pool)) {
                let header = record::Window { window: *ordinal, count: textures.len() as u32 };
                out.open(Op::Window, 0, bytes_of(&header)).bytes(bytemuck::cast_slice(textures)).close();
            }
        }
        let mut lists: Vec<_> = self.lists.iter().filter(|(handle, _)| **handle <= BINDINGS - MAX_QUEUES).collect();
        lists.sort_unstable_by_key(|(handle, _)| **handle);
        for (handle, bytes) in lists {
            out.open(Op::CommandList, 0, bytes_of(&record::ListHeader { handle: *handle })).bytes(bytes).close();
        }
        let mut signalled: Vec<_> = self.signalled.iter().collect();
        signalled.sort_unstable();
        for (sync, value) in signalled {
            out.record(Op::FenceSync, 0, &record::Fence { sync: *sync, value: *value, ..Default::default() });
        }
        let mut queues: Vec<_> = self.queues.iter().filter(|(queue, _)| u64::from(**queue) < MAX_QUEUES).collect();
        queues.sort_unstable_by_key(|(queue, _)| **queue);
        for (queue, bound) in queues {
            let mut commands = Writer::default();
            bound.write(device, &mut commands);
            let handle = BINDINGS - u64::from(*queue);
            out.open(Op::CommandList, 0, bytes_of(&record::ListHeader { handle })).bytes(&commands.bytes).close();
            out.open(Op::Submit, 0, bytes_of(&record::Submit { queue: *queue, count: 1 }))
                .bytes(bytes_of(&handle))
                .close();
        }
    }
}

impl Bound {
    /// Writes commands that bind all this.
    fn write(&self, device: &Device, out: &mut Writer) {
        let live = |texture: &TextureRef| device.pool(texture.pool).is_some_and(|pool| pool.live);
        let targets = self.targets.get();
        let texture = |number: u32| device.attached.get(number).copied().filter(live);
        let textures = targets.numbers.map(texture);
        let depth = &textures[RawTargets::DEPTH];
        let set = (0..8).filter(|n| textures[*n].is_some()).fold(0, |bits, n| bits | 1 << n);
        let header = record::SetRenderTargets { colors: set, count: 8, depth: u32::from(depth.is_some()) };
        let mut open = out.open(Op::SetRenderTargets, 0, bytes_of(&header));
        for texture in textures.iter().flatten() {
            open = open.push(texture);
        }
        open.close();
        const STAGES: [Stage; 6] =
            [Stage::Vertex, Stage::Fragment, Stage::Geometry, Stage::TessControl, Stage::TessEval, Stage::Compute];
        for stage in STAGES {
            let bound = self.program(stage);
            if bound == ProgramId::NONE {
                continue;
            }
            let named = device.programs.iter().filter(|(_, program)| program.stages[stage as usize] == bound);
            if let Some(program) = named.map(|(id, _)| id).min() {
                out.record(Op::BindProgram, 0, &record::BindProgram { program, stages: 1 << stage_number(stage) });
            }
        }
        let blend = self.blend.get();
        for target in &blend.targets {
            out.record(Op::BindBlend, 0, target);
        }
        out.record(Op::BindColor, 0, &blend.color);
        out.record(Op::BindChannelMask, 0, &blend.masks);
        out.record(Op::SetBlendColor, 0, &blend.constant);
        out.record(Op::SetAlphaRef, 0, &blend.alpha_ref);
        let depth = self.depth.get();
        out.record(Op::BindDepthStencil, 0, &depth.state);
        for (op, values) in [
            (Op::SetStencilValueMask, depth.value_mask),
            (Op::SetStencilMask, depth.write_mask),
            (Op::SetStencilRef, depth.reference),
        ] {
            out.record(op, 0, &record::StencilFaces { faces: 1, value: values[0] });
            out.record(op, 0, &record::StencilFaces { faces: 2, value: values[1] });
        }
        out.record(Op::SetDepthClamp, 0, &u32::from(depth.clamp));
        out.record(Op::SetDepthBounds, 0, &depth.bounds);
        let raster = self.raster.get();
        out.record(Op::BindPolygon, 0, &raster.polygon);
        out.record(Op::SetPolygonOffset, 0, &raster.offset);
        out.record(Op::BindMultisample, 0, &raster.multisample);
        out.record(Op::SetSampleMask, 0, &raster.sample_mask);
        out.record(Op::SetRasterizerDiscard, 0, &u32::from(raster.discard));
        out.record(Op::SetLineWidth, 0, &raster.line_width);
        out.record(Op::SetPointSize, 0, &raster.point_size);
        let viewports = self.viewports.get();
        for n in 0..16 {
            if viewports.viewports_set >> n & 1 != 0 {
                out.record(Op::SetViewports, n as u16, &viewports.rects[n]);
            }
            if viewports.scissors_set >> n & 1 != 0 {
                out.record(Op::SetScissors, n as u16, &viewports.scissors[n]);
            }
        }
        out.slice(Op::SetDepthRanges, 0, &viewports.depth);
        let vertex = self.vertex.get();
        out.slice(Op::BindVertexAttribs, 0, &vertex.attribs);
        out.slice(Op::BindVertexStreams, 0, &vertex.streams);
        let range = |op: Op, stage: u32, index: usize, range: &crate::raw::BufferRange, out: &mut Writer| {
            if (range.address, range.size) != (0, 0) {
                let (address, size, index) = (range.address, range.size, index as u32);
                out.record(op, 0, &record::SlotRange { address, size, stage, index });
            }
        };
        for (index, bound) in self.vertex_buffers.values().iter().enumerate() {
            range(Op::BindVertexBuffer, 0, index, bound, out);
        }
        for stage in STAGES {
            let (slots, stage) = (self.slots(stage), stage_number(stage));
            for (index, bound) in slots.uniform.values().iter().enumerate() {
                range(Op::BindUniformBuffer, stage, index, bound, out);
            }
            for (index, bound) in slots.storage.values().iter().enumerate() {
                range(Op::BindStorageBuffer, stage, index, bound, out);
            }
            let handles = [
                (Op::BindTexture, slots.textures.values().as_slice()),
                (Op::BindImage, slots.images.values().as_slice()),
            ];
            for (op, handles) in handles {
                for (index, handle) in handles.iter().enumerate().filter(|(_, handle)| **handle != 0) {
                    out.record(op, 0, &record::SlotHandle { handle: *handle, stage, index: index as u32 });
                }
            }
        }
        let pools = self.pools.get();
        for (op, address) in [(Op::SetTexturePool, pools.textures), (Op::SetSamplerPool, pools.samplers)] {
            out.record(op, 0, &record::DescriptorPool { address, count: 0, reserved: 0 });
        }
        let restart =
            record::PrimitiveRestart { enable: self.restart.is_some().into(), index: self.restart.unwrap_or_default() };
        out.record(Op::SetPrimitiveRestart, 0, &restart);
        out.record(Op::SetPatchSize, 0, &u32::from(self.patch_points));
    }
}
