//! The intermediate representation: SSA values in blocks that mirror the control-flow graph. Registers hold 32-bit words; each
//! operation has a natural type and the emitter inserts bit casts where a use wants another one.

use crate::reflection::{Dim, HandleSource};
use smallvec::SmallVec;

/// Index of an instruction, which is also its result.
pub(crate) type Value = u32;

/// Natural type of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    Void,
    U32,
    F32,
    F64,
    Bool,
    /// Four words of a texture or image result, as floats.
    Vec4F,
    /// The same as unsigned integers.
    Vec4U,
    /// The same as signed integers.
    Vec4S,
}

/// Integer compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Add,
    Min {
        signed: bool,
    },
    Max {
        signed: bool,
    },
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exchange,
    CompareExchange,
    /// Float addition by a compare-exchange loop on the bits.
    AddFloat,
}

/// A buffer behind a traced address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Buffer {
    /// Storage buffer slot.
    Storage(u8),
    /// Uniform buffer slot reached by address (compute slots 5 and up).
    Uniform(u8),
}

/// Value a stage gets from outside that is no generic attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Builtin {
    VertexIndex,
    InstanceIndex,
    BaseVertex,
    BaseInstance,
    DrawIndex,
    /// Component of the fragment coordinate.
    FragCoord(u8),
    FrontFacing,
    PointCoord(u8),
    PrimitiveId,
    Layer,
    ViewportIndex,
    SampleId,
    SampleMask,
    HelperInvocation,
    LocalInvocation(u8),
    Workgroup(u8),
    WorkgroupCount(u8),
    LocalIndex,
    SubgroupLane,
    InvocationId,
    TessCoord(u8),
}

/// How a fragment input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Interpolation {
    Plain,
    Centroid,
    /// At an offset; arguments are x and y.
    Offset,
}

/// Which memory a plain load, store or atomic goes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Space {
    Local,
    Shared,
}

/// The kind of a texture operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextureKind {
    /// Filtered sample with implicit level of detail.
    Implicit,
    /// With a bias (argument).
    Bias,
    /// With a level (argument).
    Level,
    /// With gradients.
    Gradient,
    /// Texel fetch.
    Fetch,
    /// Gather of one component.
    Gather(u8),
    /// Size of a level, in x, y, z, and the number of levels in w.
    Size,
    /// Level-of-detail query: clamped and unclamped.
    QueryLevel,
}

/// A texture operation. Arguments are stored in the order handle, coordinates, layer, level or bias, reference, offsets,
/// gradients, sample; the flags say which are there.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Texture {
    pub(crate) kind: TextureKind,
    pub(crate) dim: Dim,
    /// Bound word of the handle bank, or the register form (argument 0 is the handle).
    pub(crate) source: Option<HandleSource>,
    /// A handle chosen from a table: (byte offset, source) of the entries; `handle` is then the offset.
    pub(crate) candidates: Vec<(u32, HandleSource)>,
    pub(crate) coordinates: SmallVec<[Value; 3]>,
    pub(crate) layer: Option<Value>,
    /// Level, bias or level of a fetch or size query.
    pub(crate) level: Option<Value>,
    pub(crate) reference: Option<Value>,
    /// One vector of offsets, or four for a gather from four places.
    pub(crate) offsets: SmallVec<[Value; 3]>,
    pub(crate) four_offsets: Option<[[Value; 2]; 4]>,
    pub(crate) gradients: SmallVec<[Value; 6]>,
    pub(crate) sample: Option<Value>,
    pub(crate) handle: Option<Value>,
}

impl Texture {
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.coordinates
            .iter_mut()
            .chain(self.layer.iter_mut())
            .chain(self.level.iter_mut())
            .chain(self.reference.iter_mut())
            .chain(self.offsets.iter_mut())
            .chain(self.four_offsets.iter_mut().flatten().flatten())
            .chain(self.gradients.iter_mut())
            .chain(self.sample.iter_mut())
            .chain(self.handle.iter_mut())
    }
}

/// The kind of an image operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImageKind {
    /// Raw load of a number of bits.
    LoadRaw(u16),
    /// Load through the format.
    Load,
    /// Raw store.
    StoreRaw(u16),
    /// Store through the format.
    Store,
    Atomic(Atomic),
}

/// An image operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Image {
    pub(crate) kind: ImageKind,
    pub(crate) dim: Dim,
    pub(crate) source: Option<HandleSource>,
    pub(crate) handle: Option<Value>,
    pub(crate) coordinates: SmallVec<[Value; 3]>,
    pub(crate) data: SmallVec<[Value; 4]>,
}

impl Image {
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.coordinates.iter_mut().chain(self.data.iter_mut()).chain(self.handle.iter_mut())
    }
}

/// An operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Op {
    Const(u32),
    Bool(bool),
    /// One argument per predecessor of the block, in their order. The flag says whether it is a truth value.
    Phi {
        truth: bool,
    },

    FNeg,
    FAbs,
    FSaturate,
    FFloor,
    FCeil,
    FTrunc,
    FRound,
    FRcp,
    FRsq,
    FSqrt,
    FSin,
    FCos,
    FExp2,
    FLog2,
    FDx,
    FDy,
    FAdd,
    FMul,
    FMin,
    FMax,
    FFma,
    /// The 4-bit compare of the machine code.
    FCompare(u8),

    Add,
    Sub,
    Mul,
    MulHigh {
        signed: bool,
    },
    And,
    Or,
    Xor,
    Not,
    /// Shift amounts are below 32.
    Shl,
    Shr,
    Sar,
    ICompare {
        compare: Compare,
        signed: bool,
    },
    BitCount,
    FindMsb {
        signed: bool,
    },
    BitReverse,
    Select,
    TruthAnd,
    TruthOr,
    TruthXor,
    TruthNot,

    /// Float to integer; the argument is in range.
    FloatToInt {
        signed: bool,
    },
    IntToFloat {
        signed: bool,
    },
    /// Float to the bits of a half in the low word.
    FloatToHalf,
    /// Low half word to float.
    HalfToFloat,

    /// (low, high) to a double.
    Pack64,
    /// Word 0 or 1 of a double.
    Unpack64(u8),
    DNeg,
    DRcp,
    DRsq,
    /// To an integral value: nearest even, down, up, to zero.
    DRound(u8),
    DAbs,
    DAdd,
    DMul,
    DFma,
    DMin,
    DMax,
    DCompare(u8),
    DoubleToFloat,
    FloatToDouble,
    IntToDouble {
        signed: bool,
    },
    DoubleToInt {
        signed: bool,
    },

    /// A word of a constant bank at a byte offset (argument).
    Uniform {
        bank: u8,
    },
    /// Low or high word of a buffer's address: reads as 0, so that an address is an offset.
    BufferBase {
        buffer: Buffer,
        high: bool,
    },
    /// Size word of a storage table entry.
    BufferSize(u8),
    /// Word at an address (argument); the buffer is filled in by tracing.
    LoadGlobal {
        buffer: Option<Buffer>,
    },
    /// Store of a word: address, value.
    StoreGlobal {
        buffer: Option<Buffer>,
    },
    /// Store of the low 8 or 16 bits: address, value.
    StoreGlobalNarrow {
        buffer: Option<Buffer>,
        bits: u8,
    },
    /// Atomic: address, value[, compare].
    AtomicGlobal {
        buffer: Option<Buffer>,
        atomic: Atomic,
    },
    Load(Space),
    Store(Space),
    AtomicShared(Atomic),

    Builtin(Builtin),
    /// Vertex-type stages: word of an input attribute at a byte address; optional argument: vertex index.
    Input {
        address: u16,
        patch: bool,
    },
    /// Read back of an output (tessellation control): optional argument: vertex index.
    OutputRead {
        address: u16,
        patch: bool,
    },
    /// Generic fragment input at a byte address, interpolated as its declaration says.
    Varying {
        address: u16,
        interpolation: Interpolation,
        flat: bool,
    },
    /// Word written to an output attribute.
    Output {
        address: u16,
        patch: bool,
    },
    /// Fragment colour component, value.
    Color {
        target: u8,
        component: u8,
    },
    Depth,
    SampleMask,
    EmitVertex(u8),
    EndPrimitive(u8),

    Texture(Box<Texture>),
    Image(Box<Image>),
    /// Component of a four-word result.
    Extract(u8),

    /// Arguments: value, lane.
    Shuffle,
    VoteAll,
    VoteAny,
    VoteEq,
    /// Word 0 of the ballot.
    Ballot,

    Kill,
    ControlBarrier,
    MemoryBarrier {
        device: bool,
    },
    /// Any word: only where a mutant leaves registers undefined.
    Undefined,
}

impl Op {
    pub(crate) fn has_effect(&self) -> bool {
        match self {
            Self::StoreGlobal { .. }
            | Self::StoreGlobalNarrow { .. }
            | Self::AtomicGlobal { .. }
            | Self::Store(_)
            | Self::AtomicShared(_)
            | Self::Output { .. }
            | Self::Color { .. }
            | Self::Depth
            | Self::SampleMask
            | Self::EmitVertex(_)
            | Self::EndPrimitive(_)
            | Self::Kill
            | Self::ControlBarrier
            | Self::MemoryBarrier { .. } => true,
            Self::Image(image) => !matches!(image.kind, ImageKind::Load | ImageKind::LoadRaw(_)),
            _ => false,
        }
    }

    pub(crate) fn result(&self) -> Type {
        match self {
            Self::FNeg
            | Self::FAbs
            | Self::FSaturate
            | Self::FFloor
            | Self::FCeil
            | Self::FTrunc
            | Self::FRound
            | Self::FRcp
            | Self::FRsq
            | Self::FSqrt
            | Self::FSin
            | Self::FCos
            | Self::FExp2
            | Self::FLog2
            | Self::FDx
            | Self::FDy
            | Self::FAdd
            | Self::FMul
            | Self::FMin
            | Self::FMax
            | Self::FFma
            | Self::IntToFloat { .. }
            | Self::HalfToFloat
            | Self::DoubleToFloat
            | Self::Varying { .. } => Type::F32,
            Self::Pack64
            | Self::DNeg
            | Self::DRcp
            | Self::DRsq
            | Self::DRound(_)
            | Self::DAbs
            | Self::DAdd
            | Self::DMul
            | Self::DFma
            | Self::DMin
            | Self::DMax
            | Self::FloatToDouble
            | Self::IntToDouble { .. } => Type::F64,
            Self::Bool(_)
            | Self::Phi { truth: true }
            | Self::FCompare(_)
            | Self::ICompare { .. }
            | Self::TruthAnd
            | Self::TruthOr
            | Self::TruthXor
            | Self::TruthNot
            | Self::DCompare(_)
            | Self::VoteAll
            | Self::VoteAny
            | Self::VoteEq => Type::Bool,
            Self::Builtin(Builtin::FragCoord(_) | Builtin::PointCoord(_) | Builtin::TessCoord(_)) => Type::F32,
            Self::Builtin(Builtin::FrontFacing | Builtin::HelperInvocation) => Type::Bool,
            Self::StoreGlobal { .. }
            | Self::StoreGlobalNarrow { .. }
            | Self::Store(_)
            | Self::Output { .. }
            | Self::Color { .. }
            | Self::Depth
            | Self::SampleMask
            | Self::EmitVertex(_)
            | Self::EndPrimitive(_)
            | Self::Kill
            | Self::ControlBarrier
            | Self::MemoryBarrier { .. } => Type::Void,
            // The class of a texture is known to the emitter alone; it overrides this.
            Self::Texture(_) => Type::Vec4F,
            Self::Image(image) => match image.kind {
                ImageKind::Load => Type::Vec4F,
                ImageKind::LoadRaw(_) => Type::Vec4U,
                ImageKind::Store | ImageKind::StoreRaw(_) => Type::Void,
                ImageKind::Atomic(_) => Type::U32,
            },
            _ => Type::U32,
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) args: SmallVec<[Value; 3]>,
    pub(crate) block: u32,
    /// Byte offset of the machine instruction it comes from.
    pub(crate) offset: u32,
}

/// A lifted program: instructions and their order in each block.
#[derive(Clone, Debug)]
pub(crate) struct Ir {
    pub(crate) insts: Vec<Inst>,
    pub(crate) blocks: Vec<Vec<Value>>,
    /// Condition of each block's branch.
    pub(crate) conditions: Vec<Option<Value>>,
    /// Replacement of removed values.
    pub(crate) replaced: Vec<Option<Value>>,
}

impl Ir {
    pub(crate) fn new(blocks: usize) -> Self {
        Self {
            insts: Vec::new(),
            blocks: vec![Vec::new(); blocks],
            conditions: vec![None; blocks],
            replaced: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, block: usize, op: Op, args: &[Value], offset: u32) -> Value {
        let value = self.insts.len() as Value;
        self.insts.push(Inst { op, args: SmallVec::from_slice(args), block: block as u32, offset });
        self.replaced.push(None);
        self.blocks[block].push(value);
        value
    }

    /// The value that stands for `value` after replacements.
    pub(crate) fn resolve(&self, mut value: Value) -> Value {
        while let Some(next) = self.replaced[value as usize] {
            value = next;
        }
        value
    }

    pub(crate) fn op(&self, value: Value) -> &Op {
        &self.insts[self.resolve(value) as usize].op
    }

    pub(crate) fn args(&self, value: Value) -> &[Value] {
        &self.insts[self.resolve(value) as usize].args
    }

    pub(crate) fn constant(&self, value: Value) -> Option<u32> {
        match self.op(value) {
            Op::Const(c) => Some(*c),
            _ => None,
        }
    }

    pub(crate) fn truth(&self, value: Value) -> Option<bool> {
        match self.op(value) {
            Op::Bool(b) => Some(*b),
            _ => None,
        }
    }
}
