//! The synthetic frame: 200 passes, 600 images, 3,000 draws, 2,000 declared accesses (3 writes and 7 reads a pass), 300 pipelines.

/// Passes of a frame.
pub const PASSES: usize = 200;
/// Images.
pub const RESOURCES: usize = 600;
/// Draws.
pub const DRAWS: usize = 3000;

/// A declared access of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Image.
    pub resource: u32,
    /// Writes.
    pub write: bool,
    /// Level.
    pub mip: u8,
    /// State it needs: 1 = attachment, 2 = sampled.
    pub state: u8,
}

/// A pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Attachments first, then what is sampled.
    pub accesses: Vec<Access>,
    /// First draw.
    pub first_draw: u32,
    /// Draws.
    pub draws: u32,
    /// Two colour targets.
    pub color: [u32; 2],
    /// Depth target.
    pub depth: u32,
}

/// An image.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Offset of its storage.
    pub offset: u64,
    /// Levels.
    pub mips: u8,
    /// Layers.
    pub layers: u8,
    /// Format number.
    pub format: u16,
}

/// A draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Pass.
    pub pass: u32,
    /// Pipeline.
    pub pipeline: u64,
    /// Four sampled images.
    pub textures: [u32; 4],
    /// Vertex buffer.
    pub vertices: u32,
    /// Index buffer.
    pub indices: u32,
    /// Indices drawn.
    pub count: u32,
    /// Quads (counted as clears to be rewritten).
    pub quad: bool,
    /// State bits.
    pub state: u64,
}

/// A frame as a decoder hands it over.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Passes.
    pub passes: Vec<Pass>,
    /// Images.
    pub images: Vec<Image>,
    /// Draws.
    pub draws: Vec<Draw>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// The frame of a seed.
#[must_use]
pub fn frame(seed: u64) -> Frame {
    let mut random = Random(seed | 1);
    let images = (0..RESOURCES)
        .map(|n| {
            let format = random.below(40) as u16;
            let mips = 1 + random.below(8) as u8;
            let layers = 1 + random.below(4) as u8;
            random.below(10);
            Image { offset: 0x1000 * n as u64, mips, layers, format }
        })
        .collect();
    let (mut passes, mut draws) = (Vec::new(), Vec::new());
    let each = (DRAWS / PASSES) as u32;
    for pass in 0..PASSES {
        let first_draw = draws.len() as u32;
        let color = [random.below(150) as u32, random.below(150) as u32];
        let depth = 150 + random.below(20) as u32;
        let mut accesses: Vec<Access> =
            [color[0], color[1], depth].map(|resource| Access { resource, write: true, mip: 0, state: 1 }).to_vec();
        for _ in 0..7 {
            let resource = random.below(RESOURCES as u64) as u32;
            accesses.push(Access { resource, write: false, mip: random.below(2) as u8, state: 2 });
        }
        for _ in 0..each {
            let mut textures = [0; 4];
            for texture in &mut textures {
                *texture = accesses[3 + random.below(7) as usize].resource;
            }
            let pipeline = random.below(300);
            let (vertices, indices) = (random.below(600) as u32, random.below(600) as u32);
            let count = 3 + random.below(3000) as u32;
            let quad = random.below(20) == 0;
            draws.push(Draw {
                pass: pass as u32,
                pipeline,
                textures,
                vertices,
                indices,
                count,
                quad,
                state: random.next(),
            });
        }
        passes.push(Pass { accesses, first_draw, draws: each, color, depth });
    }
    Frame { passes, images, draws }
}

/// The four frames that take turns.
#[must_use]
pub fn frames() -> Vec<Frame> {
    (0..4).map(|n| frame(0x9E37_79B9_7F4A_7C15 ^ (n * 7919))).collect()
}
