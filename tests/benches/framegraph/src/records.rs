//! The same frame as the API would have recorded it: bytes that ingest reads.
//!
//! A pipeline of the frame is a program of its own; a draw binds its program, four textures, a vertex buffer, and draws with indices, as a title without
//! a cache of bound state does. What a pass declares and no draw of it samples is bound to its first draw, so that all of its accesses happen.

use crate::frame::{DRAWS, Frame, RESOURCES};
use bevy_ecs::prelude::World;
use framegraph::state::{Dim, Stage};
use nvn_decode::layout::{self, LayoutDesc, target};
use nvn_decode::memory::{Guest, GuestRead, MemoryFault, WriteTracking};
use nvn_decode::raw::StageBinary;
use nvn_decode::record::{self, Op, TextureRef, Writer};
use std::sync::Arc;
use systems::state::shader_store::{HandleSource, StageFacts, StageKey, TextureFact, Translator};

/// GPU addresses of the pools: images, geometry, descriptors.
const POOLS: [u64; 3] = [1 << 40, 2 << 40, 3 << 40];
/// Bytes of each of the 600 vertex buffers and of the 600 index buffers.
const CHUNK: u64 = 0x2000;
/// Programs that draws bind, one per pipeline of the frame; behind them those with one to seven textures more.
const PIPELINES: u32 = 300;
/// Textures that every program samples.
const TEXTURES: u8 = 4;
/// Texels of an image; smaller than in a game, for the sake of the first part, which looks at all of them.
const WIDTH: u32 = 320;
const HEIGHT: u32 = 180;
/// Depth targets among the images.
const DEPTHS: std::ops::Range<usize> = 150..170;

const RGBA8: u32 = 0x25;
const DEPTH32F: u32 = 0x34;
const RGB32F: u32 = 0x22;

/// Guest memory that reads as zeros and that nobody writes.
#[derive(Debug)]
struct Zeros;

impl GuestRead for Zeros {
    fn read(&self, _: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        out.fill(0);
        Ok(())
    }
}

impl WriteTracking for Zeros {
    fn track(&self, _: u64, _: u64) -> Result<(), MemoryFault> {
        Ok(())
    }

    fn take_dirty(&self, _: u64, _: u64, _: &mut Vec<u64>) -> Result<(), MemoryFault> {
        Ok(())
    }
}

/// Programs without code: the control section holds the number of textures, 0 for a vertex stage.
#[derive(Debug)]
struct Stated;

impl Translator for Stated {
    fn reflect(&self, binary: &StageBinary) -> Result<StageFacts, String> {
        let textures = binary.control.first().copied().unwrap_or_default();
        if binary.stage == Stage::Vertex {
            return Ok(StageFacts { attributes_in: 1, attributes_out: 1, ..StageFacts::default() });
        }
        let texture = |slot| TextureFact { slot, source: HandleSource::Bound(slot), dim: Dim::D2, compare: false };
        Ok(StageFacts {
            output_map: 0xFF,
            attributes_in: 1,
            no_flat_inputs: true,
            textures: (0..textures).map(texture).collect(),
            ..StageFacts::default()
        })
    }

    fn translate(&self, _: &StageBinary, _: &StageKey) -> Result<Arc<[u32]>, String> {
        Ok(Arc::from([0x0723_0203]))
    }
}

/// A world that ingests the records of [`Stream`].
#[must_use]
pub fn world() -> World {
    let mut world = World::new();
    let memory = Arc::new(Zeros);
    systems::run::install(&mut world, Guest { memory: memory.clone(), tracking: memory }, Arc::new(Stated));
    world
}

/// Records of a device and of frames on it.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Pools, programs and descriptors: one part.
    pub setup: Vec<u8>,
    /// Each frame: a finished command list and its submission, one part.
    pub frames: Vec<Vec<u8>>,
}

/// The records of frames; all of them use the images of the first.
#[must_use]
pub fn stream(frames: &[Frame]) -> Stream {
    let images = textures(&frames[0]);
    let end = images.last().map_or(0, |texture| texture.offset + texture.size);
    Stream { setup: setup(&images, end), frames: frames.iter().map(|frame| part(frame, &images)).collect() }
}

/// The images as textures, one behind another in the first pool.
fn textures(frame: &Frame) -> Vec<TextureRef> {
    let mut offset = 0;
    let make = |(n, image): (usize, &crate::frame::Image)| {
        let format = if DEPTHS.contains(&n) { DEPTH32F } else { RGBA8 };
        let mut texture = TextureRef {
            offset,
            extent: [WIDTH, HEIGHT, u32::from(image.layers)],
            format,
            view_format: format,
            target: target::D2_ARRAY,
            view_target: target::D2_ARRAY,
            levels: image.mips,
            samples: 1,
            swizzle: [2, 3, 4, 5],
            view_levels: 1,
            view_layers: 1,
            ..TextureRef::default()
        };
        let desc = LayoutDesc { block_height_log2: None, ..LayoutDesc::from(&texture) };
        texture.block_height_log2 = layout::auto_block_height_log2(&desc);
        texture.size = layout::storage_size(&desc);
        offset += texture.size.next_multiple_of(0x1_0000);
        texture
    };
    frame.images.iter().enumerate().map(make).collect()
}

/// Descriptor of a level of an image, which is also its handle.
fn descriptor(image: u32, level: u8) -> u32 {
    256 + image * 2 + u32::from(level)
}

fn setup(images: &[TextureRef], bytes: u64) -> Vec<u8> {
    let mut out = Writer::default();
    let facts = record::DeviceFacts { window_origin: 0, depth_mode: 1, api_major: 53, api_minor: 0 };
    out.record(Op::Device, 0, &facts);
    let sizes = [bytes, 2 * RESOURCES as u64 * CHUNK, 0x10_0000];
    for (ordinal, (address, size)) in POOLS.into_iter().zip(sizes).enumerate() {
        out.record(Op::PoolCreate, 0, &record::Pool { address, size, ordinal: ordinal as u32, flags: 0 });
    }
    for program in 0..PIPELINES + 7 {
        let textures = TEXTURES + (program + 1).saturating_sub(PIPELINES) as u8;
        // The stages of a program differ from those of every other one.
        let code = program.to_le_bytes();
        let mut open =
            out.open(Op::Program, 0, bytemuck::bytes_of(&record::ProgramHeader { id: 1 + program, stages: 2 }));
        for (stage, control) in [(0, [0, 0, 0, 0]), (1, [textures, 0, 0, 0])] {
            open = open.push(&record::StageHeader { stage, control: 4, code: 4 }).bytes(&control).bytes(&code);
        }
        open.close();
    }
    for (n, texture) in images.iter().enumerate() {
        for level in 0..texture.levels.min(2) {
            let descriptor = record::DescriptorTexture {
                pool_address: POOLS[2],
                id: descriptor(n as u32, level),
                reserved: 0,
                texture: TextureRef { view_level: level, ..*texture },
            };
            out.record(Op::RegisterTexture, 0, &descriptor);
        }
    }
    let sampler = record::Sampler { min_mag: [1, 1], lod: [0.0, 1000.0], anisotropy: 1.0, ..Default::default() };
    let sampler =
        record::DescriptorSampler { pool_address: POOLS[2] + 0x8_0000, id: 1, reserved: 0, sampler, padding: 0 };
    out.record(Op::RegisterSampler, 0, &sampler);
    out.slice::<u8>(Op::PartEnd, 0, &[]);
    out.bytes
}

fn part(frame: &Frame, images: &[TextureRef]) -> Vec<u8> {
    let mut list = Writer::default();
    for (op, address) in [(Op::SetTexturePool, POOLS[2]), (Op::SetSamplerPool, POOLS[2] + 0x8_0000)] {
        list.record(op, 0, &record::DescriptorPool { address, count: 4096, reserved: 0 });
    }
    list.slice(Op::BindVertexAttribs, 0, &[record::VertexAttrib { format: RGB32F, offset: 0, stream: 0 }]);
    list.slice(Op::BindVertexStreams, 0, &[record::VertexStream { stride: 12, divisor: 0 }]);
    let depth = record::DepthStencilState {
        depth_test: 1,
        depth_write: 1,
        depth_func: 4,
        stencil_func: [8, 8],
        front_ops: [1, 1, 1],
        back_ops: [1, 1, 1],
        ..Default::default()
    };
    list.record(Op::BindDepthStencil, 0, &depth);
    for (pass, source) in frame.passes.iter().enumerate() {
        let head = record::SetRenderTargets { colors: 3, count: 2, depth: 1 };
        let mut open = list.open(Op::SetRenderTargets, 0, bytemuck::bytes_of(&head));
        for image in source.color.into_iter().chain([source.depth]) {
            open = open.push(&images[image as usize]);
        }
        open.close();
        list.slice(Op::SetViewports, 0, &[record::ViewportRect { rect: [0.0, 0.0, WIDTH as f32, HEIGHT as f32] }]);
        list.slice(Op::SetScissors, 0, &[record::ScissorRect { rect: [0, 0, WIDTH as i32, HEIGHT as i32] }]);
        let draws = &frame.draws[source.first_draw as usize..][..source.draws as usize];
        let handle = |image: u32| {
            let access = source.accesses[3..].iter().find(|access| access.resource == image);
            let levels = images[image as usize].levels;
            let level = access.map_or(0, |access| access.mip.min(levels - 1));
            u64::from(descriptor(image, level) | 1 << 20)
        };
        for (n, draw) in draws.iter().enumerate() {
            let mut program = draw.pipeline as u32;
            let mut textures: Vec<u32> = draw.textures.to_vec();
            if n == 0 {
                let unused = source.accesses[3..].iter().map(|access| access.resource);
                textures.extend(unused.filter(|image| !draws.iter().any(|d| d.textures.contains(image))));
                textures[4..].sort_unstable();
                textures.dedup();
                if let Some(more) = textures.len().checked_sub(5) {
                    program = PIPELINES + more as u32;
                }
            }
            debug_assert_eq!(draw.pass as usize, pass);
            list.record(Op::BindProgram, 0, &record::BindProgram { program: 1 + program, stages: 0x3F });
            for (slot, image) in textures.into_iter().enumerate() {
                let bind = record::SlotHandle { handle: handle(image), stage: 1, index: slot as u32 };
                list.record(Op::BindTexture, 0, &bind);
            }
            let address = POOLS[1] + u64::from(draw.vertices) * CHUNK;
            list.record(Op::BindVertexBuffer, 0, &record::SlotRange { address, size: CHUNK, stage: 0, index: 0 });
            let call = record::Draw {
                indices: POOLS[1] + (RESOURCES as u64 + u64::from(draw.indices)) * CHUNK,
                primitive: 4,
                index_type: 2,
                count: draw.count,
                instances: 1,
                ..Default::default()
            };
            list.record(Op::Draw, 0, &call);
        }
    }
    debug_assert_eq!(frame.draws.len(), DRAWS);
    let mut out = Writer::default();
    out.open(Op::CommandList, 0, bytemuck::bytes_of(&record::ListHeader { handle: 1 })).bytes(&list.bytes).close();
    out.open(Op::Submit, 0, bytemuck::bytes_of(&record::Submit { queue: 0, count: 1 })).push(&1u64).close();
    out.slice::<u8>(Op::PartEnd, 0, &[]);
    out.bytes
}
