//! What an instruction form does. The names follow the architecture manual's groups; the string of a vector form is the stem of the runtime
//! function that computes it (`recomp-out/runtime/fg_simd.h`), which gets the element size as a suffix.

pub use self::Mode::*;

/// Bitwise operation of the logical forms.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    And,
    Orr,
    Eor,
}

/// MOVN, MOVZ or MOVK.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    N,
    Z,
    K,
}

/// SBFM, BFM or UBFM.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Signed,
    Insert,
    Unsigned,
}

/// CSEL, CSINC, CSINV or CSNEG.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    Same,
    Inc,
    Inv,
    Neg,
}

/// Operation of an atomic read-modify-write.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    Add,
    Clr,
    Eor,
    Set,
    SMax,
    SMin,
    UMax,
    UMin,
    Swap,
}

/// Addressing of a load or store.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// Base plus signed offset.
    Offset,
    /// LDTR and STTR: as `Offset` in user code.
    Unprivileged,
    Post,
    Pre,
    /// Base plus extended register.
    Register,
    /// Base plus unsigned offset scaled by the access size.
    Scaled,
}

/// What a literal load fills.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    Word,
    SignedWord,
    Vector,
}

/// Moves between a general and a vector register.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FpGpr {
    ToW,
    FromW,
    ToX,
    FromX,
    ToXTop,
    FromXTop,
}

/// How a vector form treats its destination and FPSR.QC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Writes the destination.
    Plain,
    /// Reads the destination as well.
    Acc,
    /// Writes the destination; may set FPSR.QC.
    Sat,
    /// Reads the destination as well; may set FPSR.QC.
    AccSat,
}

impl Mode {
    /// Whether the destination is an operand too.
    pub fn accumulates(self) -> bool {
        matches!(self, Acc | AccSat)
    }

    /// Whether FPSR.QC may be set.
    pub fn saturates(self) -> bool {
        matches!(self, Sat | AccSat)
    }
}

/// The operation of one row of the decode table. A `u8` in a vector form is the set of allowed element sizes: bit n stands for 8 << n bits.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Adr,
    Adrp,
    AddSubImm {
        sub: bool,
        flags: bool,
    },
    LogicalImm(Logic, bool),
    MovWide(Wide),
    Bitfield(Field),
    Extr,
    B,
    Bl,
    BCond,
    Cbz {
        nonzero: bool,
    },
    Tbz {
        nonzero: bool,
    },
    Br,
    Blr,
    Ret,
    Svc,
    Brk,
    Undefined,
    Hint,
    Clrex,
    Barrier,
    Isb,
    DcZva,
    CacheOp,
    Msr,
    Mrs,
    StoreExclusive {
        release: bool,
    },
    StoreExclusivePair {
        release: bool,
    },
    LoadExclusive {
        acquire: bool,
    },
    LoadExclusivePair {
        acquire: bool,
    },
    StoreRelease,
    LoadAcquire,
    CompareSwapPair,
    CompareSwap,
    Atomic(Rmw),
    LoadLiteral(Literal),
    Prefetch,
    /// Pair load or store; the flag says vector registers.
    Pair(Index, bool),
    /// Single register load or store; the flag says vector register.
    Single(Index, bool),
    Structure {
        regs: u8,
        interleave: u8,
        post: bool,
    },
    StructureReplicate {
        post: bool,
    },
    StructureLane {
        post: bool,
    },
    /// Operation, operand inverted, sets flags.
    LogicalReg(Logic, bool, bool),
    AddSubReg {
        sub: bool,
        flags: bool,
    },
    AddSubExt {
        sub: bool,
        flags: bool,
    },
    AddCarry {
        sub: bool,
        flags: bool,
    },
    CondCompare {
        sub: bool,
    },
    CondSelect(Select),
    MulAdd {
        sub: bool,
    },
    MulAddLong {
        signed: bool,
        sub: bool,
    },
    MulHigh {
        signed: bool,
    },
    Two(&'static str),
    One(&'static str),
    Crc32 {
        poly_c: bool,
        bits: u8,
    },
    FpUnary(&'static str),
    FpBinary(&'static str),
    FpConvert,
    FpCompare {
        zero: bool,
    },
    FpCondCompare,
    FpImm,
    FpSelect,
    FpMulAdd {
        neg_add: bool,
        neg_mul: bool,
    },
    FpToInt {
        round: char,
        signed: bool,
    },
    IntToFp {
        signed: bool,
    },
    FpMoveGpr(FpGpr),
    FixedToFp {
        signed: bool,
    },
    FpToFixed {
        signed: bool,
    },
    V3(&'static str, u8, Mode),
    VLogic(&'static str, Mode),
    VPair(&'static str, u8),
    F3(&'static str, Mode),
    FPair(&'static str),
    VLong(&'static str, u8, Mode),
    VWide(&'static str, u8),
    VNarrow3(&'static str, u8),
    V2(&'static str, u8, Mode),
    F2(&'static str),
    VNarrow2(&'static str, u8, Mode),
    FNarrow(&'static str),
    FLong,
    VShll,
    /// Stem, sizes, result twice as wide as the elements.
    VAcross(&'static str, u8, bool),
    FAcross(&'static str),
    AddPairScalar,
    FPairScalar(&'static str),
    DupElement,
    DupGeneral,
    DupScalar,
    MoveToGpr {
        signed: bool,
    },
    InsGeneral,
    InsElement,
    VecImm,
    Permute(&'static str),
    Ext,
    Table {
        extend: bool,
    },
    VShr(&'static str, u8, Mode),
    VShl(&'static str, u8, Mode),
    VShrNarrow(&'static str, Mode),
    VShiftLong(&'static str),
    FFixed(&'static str),
    VElement(&'static str, Mode),
    VElementLong(&'static str, Mode),
    FElement(&'static str, Mode),
    Crypto2(&'static str, Mode),
    Crypto3(&'static str),
}
