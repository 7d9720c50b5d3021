//! Keyframes of a graph: taking one between two frames, and starting from one.

use super::{Graph, GraphError, PartReport};
use bytemuck::bytes_of;
use framegraph::barriers::SubresourceStates;
use framegraph::ids::ResourceId;
use framegraph::resource::ImageDesc;
use framegraph::tables::{BufferSlice, Download};
use nvn_decode::ingest::{Decoder, Device};
use nvn_decode::record::{self, Op, Reader, Writer};
use systems::keyframe::{self, History, Keyframe, Planes};
use systems::state::textures::Textures;

/// A keyframe without the guest's pages.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// Its records.
    pub records: Vec<u8>,
    /// Pools whose pages belong to it: first byte, length.
    pub pools: Vec<(u64, u64)>,
    /// Images whose contents could not be read back, by label.
    pub lost: Vec<String>,
}

impl Graph {
    /// Takes the whole state before frame `frame`. To be called between frames; the graph goes on afterwards as if it had not been.
    ///
    /// # Errors
    /// When the device refuses.
    pub fn keyframe(&mut self, frame: u64) -> Result<Taken, GraphError> {
        let before = self.world.resource::<SubresourceStates>().clone();
        let (history, wanted) = History::of(&self.world);
        let mut out = Writer::default();
        let device = self.world.resource::<Device>();
        self.world.resource::<Decoder>().write_state(device, frame, &mut out);
        let pools = device.pools.iter().filter(|pool| pool.live).map(|pool| (pool.address, pool.size)).collect();
        for image in &wanted.images {
            let (_, planes) = self.read_planes(image.id)?;
            let header =
                record::ImageContents { texture: image.texture, planes: planes.len() as u32, ..Default::default() };
            let mut open = out.open(Op::ImageContents, 0, bytes_of(&header));
            for (plane, bytes) in &planes {
                open = open.push(plane).bytes(bytes).pad();
            }
            open.close();
        }
        for (pool, buffer, first, end) in &wanted.buffers {
            let slice = BufferSlice { resource: *buffer, offset: *first, length: end - first };
            let bytes = self.download(Download { buffer: Some(slice), image: None, tag: 0 })?;
            let header = record::BufferContents { offset: *first, length: bytes.len() as u64, pool: *pool, kind: 0 };
            out.open(Op::BufferContents, 0, bytes_of(&header)).bytes(&bytes).close();
        }
        for (pool, offset, bytes) in &wanted.pages {
            let header = record::BufferContents { offset: *offset, length: bytes.len() as u64, pool: *pool, kind: 1 };
            out.open(Op::BufferContents, 0, bytes_of(&header)).bytes(bytes).close();
        }
        if let Ok(bytes) = history.bytes() {
            out.slice(Op::History, 0, &bytes);
        }
        out.slice::<u8>(Op::PartEnd, 0, &[]);
        // Reading back changed layouts; what comes next must not see that.
        systems::run::clear_part(&mut self.world);
        keyframe::plan_layouts(&mut self.world, &before);
        self.executor.execute(&self.world)?;
        let mut kept = std::mem::take(&mut self.late);
        self.check(&mut kept);
        self.late = kept;
        keyframe::finish(&mut self.world, before);
        Ok(Taken { records: out.bytes, pools, lost: wanted.lost })
    }

    /// Reads all of an image, in planes that do not depend on the device ([`record::Plane`]).
    ///
    /// # Errors
    /// When the resource is no image, or the executor fails.
    pub fn read_planes(&mut self, id: ResourceId) -> Result<(ImageDesc, Planes), GraphError> {
        let first = self.read_image(id, 0)?;
        let desc = first.desc;
        let mut levels = vec![first.bytes];
        for level in 1..desc.levels {
            levels.push(self.read_image(id, level)?.bytes);
        }
        Ok((desc, keyframe::planes(&desc, &levels)))
    }

    /// Images that the GPU wrote in the last frame, with their names ([`Graph::labelled_images`]). Multisampled ones, which cannot be read, are left out.
    pub fn frame_targets(&mut self) -> Vec<(ResourceId, String)> {
        let first = self.frame_parts.0;
        let textures = self.world.resource::<Textures>();
        let rows = textures.written.iter().zip(&textures.images).zip(&textures.keys);
        let written: Vec<ResourceId> = rows
            .filter(|((written, _), key)| **written >= first && key.desc.samples <= 1)
            .map(|((_, id), _)| *id)
            .collect();
        self.labelled_images().into_iter().filter(|(id, _)| written.contains(id)).collect()
    }

    /// Brings a keyframe back into a new graph; the guest's pages are in its memory.
    ///
    /// # Errors
    /// When the executor fails.
    pub fn restore(&mut self, records: &[u8]) -> Result<PartReport, GraphError> {
        let history = Reader::new(records).filter_map(Result::ok).find(|record| record.op == Op::History);
        self.world.insert_resource(Keyframe::new(history.map(|record| record.payload)));
        let mut report = self.run(records)?;
        self.frame_parts.1 = true;
        if let Some(states) = keyframe::settle(&mut self.world) {
            self.executor.execute(&self.world)?;
            self.check(&mut report);
            keyframe::finish(&mut self.world, states);
        }
        let frame = Reader::new(records).filter_map(Result::ok).find(|record| record.op == Op::KeyBegin);
        if let Some(begin) = frame.and_then(|record| record.get::<record::KeyBegin>().ok()) {
            self.frames = begin.frame;
        }
        Ok(report)
    }
}
