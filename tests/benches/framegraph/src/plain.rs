//! The yardstick: the same frame in plain vectors, with hazards between whole resources, state changes, a scan for feedback, and Kahn's order.

use crate::frame::{Access, Frame, PASSES, RESOURCES};
use slotmap::{SlotMap, new_key_type};
use smallvec::SmallVec;

new_key_type! {
    struct ImageKey;
}

#[derive(Clone, Copy)]
#[expect(dead_code, reason = "columns are filled as the graph's are; only the cost of filling matters")]
struct ImageRow {
    offset: u64,
    size: [u16; 2],
    format: u16,
    mips: u8,
    layers: u8,
    last_writer: u32,
    readers: u32,
}

#[expect(dead_code, reason = "columns are filled as the graph's are; only the cost of filling matters")]
struct PassRow {
    index: u32,
    color: [u32; 2],
    depth: u32,
    first_draw: u32,
    draws: u32,
    accesses: SmallVec<[Access; 12]>,
}

/// The frame in columns, and its analysis.
#[derive(Default)]
pub struct Plain {
    passes: Vec<PassRow>,
    images: SlotMap<ImageKey, ImageRow>,
    pass: Vec<u32>,
    pipeline: Vec<u64>,
    textures: Vec<[u32; 8]>,
    buffers: Vec<(u32, u32)>,
    geometry: Vec<(u32, u32, u32, bool)>,
    raster: Vec<([f32; 4], u64)>,
    last_writer: Vec<u32>,
    readers: Vec<SmallVec<[u32; 8]>>,
    seen: Vec<u32>,
    state: Vec<u8>,
    /// Dependencies between passes.
    pub edges: Vec<(u32, u32)>,
    /// State changes.
    pub barriers: Vec<(u32, u32, u8, u8)>,
    /// Draws that sample a target of their pass.
    pub feedback: Vec<u32>,
    quads: Vec<u32>,
    row: Vec<u32>,
    column: Vec<u32>,
    waiting: Vec<u32>,
    ready: Vec<u32>,
    /// Passes in order.
    pub order: Vec<u32>,
}

impl Plain {
    /// Fills the columns from a decoded frame.
    pub fn fill(&mut self, frame: &Frame) {
        self.passes.clear();
        self.images.clear();
        self.pass.clear();
        self.pipeline.clear();
        self.textures.clear();
        self.buffers.clear();
        self.geometry.clear();
        self.raster.clear();
        for (index, pass) in frame.passes.iter().enumerate() {
            self.passes.push(PassRow {
                index: index as u32,
                color: pass.color,
                depth: pass.depth,
                first_draw: pass.first_draw,
                draws: pass.draws,
                accesses: SmallVec::from_slice(&pass.accesses),
            });
        }
        for image in &frame.images {
            self.images.insert(ImageRow {
                offset: image.offset,
                size: [1280, 720],
                format: image.format,
                mips: image.mips,
                layers: image.layers,
                last_writer: u32::MAX,
                readers: 0,
            });
        }
        for draw in &frame.draws {
            self.pass.push(draw.pass);
            self.pipeline.push(draw.pipeline);
            let [a, b, c, d] = draw.textures;
            self.textures.push([a, b, c, d, u32::MAX, u32::MAX, u32::MAX, u32::MAX]);
            self.buffers.push((draw.vertices, draw.indices));
            self.geometry.push((0, draw.count, 1, draw.quad));
            self.raster.push(([0.0, 0.0, 1280.0, 720.0], draw.state));
        }
    }

    /// Dependencies, state changes, feedback, order.
    pub fn analyse(&mut self, frame: &Frame) {
        self.last_writer.clear();
        self.last_writer.resize(RESOURCES, u32::MAX);
        self.readers.resize_with(RESOURCES, SmallVec::new);
        self.readers.iter_mut().for_each(SmallVec::clear);
        self.edges.clear();
        self.barriers.clear();
        self.state.clear();
        self.state.resize(RESOURCES, 0);
        self.feedback.clear();
        self.quads.clear();
        self.seen.clear();
        self.seen.resize(PASSES, u32::MAX);
        for (number, pass) in frame.passes.iter().enumerate() {
            self.pass(number as u32, &pass.accesses);
        }
        for (number, draw) in frame.draws.iter().enumerate() {
            let pass = &frame.passes[draw.pass as usize];
            let mut hit = false;
            for texture in draw.textures {
                hit |= texture == pass.color[0] || texture == pass.color[1] || texture == pass.depth;
            }
            if hit {
                self.feedback.push(number as u32);
            }
            if draw.quad {
                self.quads.push(number as u32);
            }
        }
        self.sort();
    }

    fn edge(&mut self, from: u32, to: u32) {
        if from != to && self.seen[from as usize] != to {
            self.seen[from as usize] = to;
            self.edges.push((from, to));
        }
    }

    fn pass(&mut self, number: u32, accesses: &[Access]) {
        for access in accesses {
            let r = access.resource as usize;
            let writer = self.last_writer[r];
            if writer != u32::MAX {
                self.edge(writer, number);
            }
            if access.write {
                for n in 0..self.readers[r].len() {
                    let reader = self.readers[r][n];
                    self.edge(reader, number);
                }
                self.readers[r].clear();
                self.last_writer[r] = number;
            } else if self.readers[r].last() != Some(&number) {
                self.readers[r].push(number);
            }
            if self.state[r] != access.state {
                self.barriers.push((number, access.resource, self.state[r], access.state));
                self.state[r] = access.state;
            }
        }
    }

    fn sort(&mut self) {
        self.row.clear();
        self.row.resize(PASSES + 1, 0);
        self.waiting.clear();
        self.waiting.resize(PASSES, 0);
        for &(from, to) in &self.edges {
            self.row[from as usize + 1] += 1;
            self.waiting[to as usize] += 1;
        }
        for n in 0..PASSES {
            self.row[n + 1] += self.row[n];
        }
        self.column.clear();
        self.column.resize(self.edges.len(), 0);
        let mut cursor: SmallVec<[u32; 256]> = SmallVec::from_slice(&self.row[..PASSES]);
        for &(from, to) in &self.edges {
            self.column[cursor[from as usize] as usize] = to;
            cursor[from as usize] += 1;
        }
        self.order.clear();
        self.ready.clear();
        self.ready.extend((0..PASSES as u32).rev().filter(|n| self.waiting[*n as usize] == 0));
        while let Some(pass) = self.ready.pop() {
            self.order.push(pass);
            for at in self.row[pass as usize]..self.row[pass as usize + 1] {
                let to = self.column[at as usize];
                self.waiting[to as usize] -= 1;
                if self.waiting[to as usize] == 0 {
                    self.ready.push(to);
                }
            }
        }
        assert_eq!(self.order.len(), PASSES, "the frame has a cycle");
    }
}
