//! The control section, the program header and the code, taken apart (facts: the API's shader sections, the hardware's header).

use crate::{ProgramBinary, ShaderError};

/// Shader stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessControl,
    /// Tessellation evaluation.
    TessEvaluation,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute.
    Compute,
}

impl Stage {
    /// Index in descriptor bindings: 0 vertex, 1 tessellation control, 2 evaluation, 3 geometry, 4 fragment; compute is 0.
    #[must_use]
    pub fn binding_index(self) -> u32 {
        match self {
            Self::Vertex | Self::Compute => 0,
            Self::TessControl => 1,
            Self::TessEvaluation => 2,
            Self::Geometry => 3,
            Self::Fragment => 4,
        }
    }

    /// Byte offset in c0 of the stage's storage-buffer table.
    pub(crate) fn storage_table(self) -> u32 {
        match self {
            Self::Vertex => 0x110,
            Self::TessControl => 0x210,
            Self::TessEvaluation | Self::Compute => 0x310,
            Self::Geometry => 0x410,
            Self::Fragment => 0x510,
        }
    }
}

/// Length of the program header in bytes.
const HEADER: usize = 0x50;

/// A program with its sections resolved.
#[derive(Clone, Debug)]
pub(crate) struct Program<'a> {
    pub(crate) stage: Stage,
    pub(crate) header: [u32; 20],
    /// Instructions, starting with the first control word.
    pub(crate) code: &'a [u8],
    /// Compiler constants (bank 1).
    pub(crate) constants: &'a [u8],
    pub(crate) early_tests: bool,
    pub(crate) per_sample: bool,
    pub(crate) local_size: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) local_bytes: u32,
    pub(crate) hash: u64,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

impl<'a> Program<'a> {
    pub(crate) fn parse(binary: ProgramBinary<'a>) -> Result<Self, ShaderError> {
        let control = |at: usize, what| {
            word(binary.control, at).ok_or(ShaderError::Short {
                section: "control",
                len: binary.control.len(),
                what,
                need: at + 4,
            })
        };
        let magic = control(0, "the magic word")?;
        if magic != 0x9876_1234 {
            return Err(ShaderError::Magic { section: "control", found: magic, expected: 0x9876_1234 });
        }
        let short = |what, need| ShaderError::Short { section: "code", len: binary.code.len(), what, need };
        let magic = word(binary.code, 0).ok_or(short("the magic word", 4))?;
        if magic != 0x1234_5678 {
            return Err(ShaderError::Magic { section: "code", found: magic, expected: 0x1234_5678 });
        }
        let stage = match control(0x714, "the stage")? {
            0 => Stage::Vertex,
            1 => Stage::Fragment,
            2 => Stage::Geometry,
            3 => Stage::TessControl,
            4 => Stage::TessEvaluation,
            5 => Stage::Compute,
            other => return Err(ShaderError::UnknownStage(other)),
        };
        let start = control(0x708, "the program offset")? as usize;
        let size = control(0x6F8, "the program size")? as usize;
        let end = start.checked_add(size.max(HEADER)).ok_or(short("the program", usize::MAX))?;
        let program = binary.code.get(start..end).ok_or(short("the program", end))?;
        let (head, code) = program.split_at(HEADER);
        let mut header = [0; 20];
        for (index, slot) in header.iter_mut().enumerate() {
            *slot = word(head, index * 4).unwrap_or(0);
        }
        let constants_size = control(0x6FC, "the constants size")? as usize;
        let constants_at = control(0x700, "the constants offset")? as usize;
        let constants = if constants_size == 0 {
            &[][..]
        } else {
            let end = constants_at.checked_add(constants_size).ok_or(short("the compiler constants", usize::MAX))?;
            binary.code.get(constants_at..end).ok_or(short("the compiler constants", end))?
        };
        let compute = stage == Stage::Compute;
        let size = |at| -> Result<u32, ShaderError> {
            Ok(if compute { control(at, "the work-group size")?.clamp(1, 1024) } else { 1 })
        };
        let byte = |at: usize| binary.control.get(at).is_some_and(|b| *b != 0);
        let local_bytes = if compute {
            control(0x758, "the local memory size")?.wrapping_add(control(0x75C, "the local memory size")?)
        } else {
            (header[1] & 0xFF_FFFF) + (header[2] & 0xFF_FFFF)
        };
        Ok(Self {
            stage,
            header,
            code,
            constants,
            early_tests: stage == Stage::Fragment && byte(0x718),
            per_sample: stage == Stage::Fragment && byte(0x74A),
            local_size: [size(0x748)?, size(0x74C)?, size(0x750)?],
            shared_bytes: if compute { control(0x754, "the shared memory size")?.min(0xC000) } else { 0 },
            local_bytes: local_bytes.min(0x8_0000),
            hash: hash(program, constants),
        })
    }

    /// Header bits `at..at+count` counted from the start of the header.
    fn bits(&self, at: usize, count: usize) -> u32 {
        (self.header[at / 32] >> (at % 32)) & ((1 << count) - 1)
    }

    pub(crate) fn kills(&self) -> bool {
        self.stage == Stage::Fragment && self.bits(15, 1) != 0
    }

    /// Fragment: interpolation of a generic component: 0 unused, 1 flat, 2 perspective, 3 screen-linear.
    pub(crate) fn interpolation(&self, location: u32, component: u32) -> u32 {
        self.bits(0x18 * 8 + location as usize * 8 + component as usize * 2, 2)
    }

    /// Fragment: whether some generic input is flat.
    pub(crate) fn flat_inputs(&self) -> bool {
        self.stage == Stage::Fragment && (0..128).any(|n| self.interpolation(n / 4, n % 4) == 1)
    }

    /// Fragment: four bits per target.
    pub(crate) fn target_map(&self) -> u32 {
        self.header[0x48 / 4]
    }

    pub(crate) fn writes_sample_mask(&self) -> bool {
        self.header[0x4C / 4] & 1 != 0
    }

    pub(crate) fn writes_depth(&self) -> bool {
        self.header[0x4C / 4] & 2 != 0
    }

    /// Tessellation control: output control points; geometry: instances.
    pub(crate) fn threads(&self) -> u32 {
        self.header[2] >> 24
    }

    /// Geometry: 1 points, 6 line strip, 7 triangle strip.
    pub(crate) fn output_topology(&self) -> u32 {
        (self.header[3] >> 24) & 0xF
    }

    pub(crate) fn max_vertices(&self) -> u32 {
        self.header[4] & 0xFFF
    }

    /// A word of the compiler constants; 0 outside.
    pub(crate) fn constant(&self, offset: u32) -> u32 {
        word(self.constants, offset as usize & !3).unwrap_or(0)
    }
}

/// FNV-1a over program and constants.
fn hash(program: &[u8], constants: &[u8]) -> u64 {
    program
        .iter()
        .chain(constants)
        .fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3))
}
