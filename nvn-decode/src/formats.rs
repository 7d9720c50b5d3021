//! Formats: what each format number of the API stores, and which format of the host shows it.
//!
//! One table with a row per number. Facts: format numbers, block sizes and component mappings of the API's public header and of the hardware's own descriptor
//! documentation; the host format is the one whose bytes are the same. A row whose host format is `Undefined` has no twin on the host (ASTC, and one packed
//! 16-bit order): a rule decides what to do about it.
//!
//! Rows: M-2.7b (default mapping), M-3.9 and M-5.9a (classes of attributes), M-1.12a (sRGB twins).

use framegraph::state::{Format, NumericClass, Swizzle};

/// Uses that the hardware allows for a format: bits of [`FormatInfo::uses`].
pub mod uses {
    /// No use.
    pub const NONE: u16 = 0;
    /// Sampled.
    pub const TEXTURE: u16 = 1 << 0;
    /// Colour target.
    pub const COLOR: u16 = 1 << 1;
    /// Depth/stencil target.
    pub const DEPTH: u16 = 1 << 2;
    /// Image load and store.
    pub const IMAGE: u16 = 1 << 3;
    /// Buffer texture.
    pub const BUFFER: u16 = 1 << 4;
    /// Copies.
    pub const COPY: u16 = 1 << 5;
    /// Vertex attribute.
    pub const VERTEX: u16 = 1 << 6;
}

/// How the bits of a format are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Interpretation {
    None,
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
    Srgb,
    /// Unsigned integers that arrive as float.
    UintToFloat,
    /// Signed integers that arrive as float.
    SintToFloat,
    Depth,
    Stencil,
    DepthStencil,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// The API's number.
    pub number: u32,
    /// The API's name without its prefix.
    pub name: &'static str,
    /// The host format with the same bytes; `Undefined` = none. A 32-bit scaled attribute names the integer format, which the shader must convert.
    pub host: Format,
    /// Bytes per block.
    pub bytes: u32,
    /// Block width and height in texels.
    pub block: [u32; 2],
    /// Interpretation.
    pub interpretation: Interpretation,
    /// Bits of [`uses`].
    pub uses: u16,
    /// What red, green, blue and alpha show when sampled.
    pub mapping: [Swizzle; 4],
}

impl FormatInfo {
    /// Class in which a shader sees the components.
    #[must_use]
    pub fn class(&self) -> NumericClass {
        match self.interpretation {
            Interpretation::Uint | Interpretation::Stencil => NumericClass::Uint,
            Interpretation::Sint => NumericClass::Sint,
            _ => NumericClass::Float,
        }
    }

    /// Whether stored alpha counts: `false` where alpha reads as one (RGBX) or is not stored.
    #[must_use]
    pub fn has_alpha(&self) -> bool {
        self.mapping[3] == Swizzle::A
    }

    /// Number of components that the format has.
    #[must_use]
    pub fn components(&self) -> usize {
        self.mapping.iter().filter(|m| matches!(m, Swizzle::R | Swizzle::G | Swizzle::B | Swizzle::A)).count()
    }

    /// Channels that are stored: bit 0 = red. For formats whose alpha only fills a byte the alpha bit is off.
    #[must_use]
    pub fn channels(&self) -> u8 {
        if self.has_depth() || self.has_stencil() {
            return 1;
        }
        let bit = |m: &Swizzle| match m {
            Swizzle::R => 1,
            Swizzle::G => 2,
            Swizzle::B => 4,
            Swizzle::A => 8,
            _ => 0,
        };
        self.mapping.iter().fold(0, |bits, m| bits | bit(m))
    }

    /// Whether depth is stored.
    #[must_use]
    pub fn has_depth(&self) -> bool {
        matches!(self.interpretation, Interpretation::Depth | Interpretation::DepthStencil)
    }

    /// Whether stencil is stored.
    #[must_use]
    pub fn has_stencil(&self) -> bool {
        matches!(self.interpretation, Interpretation::Stencil | Interpretation::DepthStencil)
    }

    /// Whether blocks hold more than one texel.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.block != [1, 1]
    }
}

/// The row of a format number; `None` beyond the table.
#[must_use]
pub fn info(number: u32) -> Option<&'static FormatInfo> {
    FORMATS.get(number as usize)
}

/// Host formats that differ in sRGB encoding alone: (linear, encoded).
const TWINS: &[(Format, Format)] = &[
    (Format::Rgba8Unorm, Format::Rgba8Srgb),
    (Format::Bgra8Unorm, Format::Bgra8Srgb),
    (Format::Bc1RgbUnorm, Format::Bc1RgbSrgb),
    (Format::Bc1RgbaUnorm, Format::Bc1RgbaSrgb),
    (Format::Bc2Unorm, Format::Bc2Srgb),
    (Format::Bc3Unorm, Format::Bc3Srgb),
    (Format::Bc7Unorm, Format::Bc7Srgb),
];

/// The format without sRGB encoding (the format itself where it has none).
#[must_use]
pub fn linear_twin(format: Format) -> Format {
    TWINS.iter().find(|(_, encoded)| *encoded == format).map_or(format, |(linear, _)| *linear)
}

/// The format with sRGB encoding, where there is one.
#[must_use]
pub fn encoded_twin(format: Format) -> Option<Format> {
    TWINS.iter().find(|(linear, _)| *linear == format).map(|(_, encoded)| *encoded)
}

/// Reads a four-letter mapping: components, `0` and `1`.
const fn mapping(text: &str) -> [Swizzle; 4] {
    let bytes = text.as_bytes();
    let mut out = [Swizzle::Zero; 4];
    let mut n = 0;
    while n < 4 {
        out[n] = match bytes[n] {
            b'R' => Swizzle::R,
            b'G' => Swizzle::G,
            b'B' => Swizzle::B,
            b'A' => Swizzle::A,
            b'1' => Swizzle::One,
            _ => Swizzle::Zero,
        };
        n += 1;
    }
    out
}

macro_rules! table {
    ($( $number:literal $name:ident $host:ident $bytes:literal $bw:literal $bh:literal $kind:ident [$($use:ident)*] $mapping:literal, )*) => {
        /// All formats, by number.
        pub const FORMATS: &[FormatInfo] = &[$(FormatInfo {
            number: $number,
            name: stringify!($name),
            host: Format::$host,
            bytes: $bytes,
            block: [$bw, $bh],
            interpretation: Interpretation::$kind,
            uses: 0 $(| uses::$use)*,
            mapping: mapping($mapping),
        }),*];
    };
}

table! {
    0x00 NONE Undefined 0 1 1 None [NONE] "0000",
    0x01 R8 R8Unorm 1 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x02 R8SN R8Snorm 1 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x03 R8UI R8Uint 1 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x04 R8I R8Sint 1 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x05 R16F R16Float 2 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x06 R16 R16Unorm 2 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x07 R16SN R16Snorm 2 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x08 R16UI R16Uint 2 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x09 R16I R16Sint 2 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x0a R32F R32Float 4 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x0b R32UI R32Uint 4 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x0c R32I R32Sint 4 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "R001",
    0x0d RG8 Rg8Unorm 2 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x0e RG8SN Rg8Snorm 2 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x0f RG8UI Rg8Uint 2 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x10 RG8I Rg8Sint 2 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x11 RG16F Rg16Float 4 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x12 RG16 Rg16Unorm 4 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x13 RG16SN Rg16Snorm 4 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x14 RG16UI Rg16Uint 4 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x15 RG16I Rg16Sint 4 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x16 RG32F Rg32Float 8 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x17 RG32UI Rg32Uint 8 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x18 RG32I Rg32Sint 8 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RG01",
    0x19 RGB8 Rgb8Unorm 3 1 1 Unorm [VERTEX] "RGB1",
    0x1a RGB8SN Rgb8Snorm 3 1 1 Snorm [VERTEX] "RGB1",
    0x1b RGB8UI Rgb8Uint 3 1 1 Uint [VERTEX] "RGB1",
    0x1c RGB8I Rgb8Sint 3 1 1 Sint [VERTEX] "RGB1",
    0x1d RGB16F Rgb16Float 6 1 1 Float [VERTEX] "RGB1",
    0x1e RGB16 Rgb16Unorm 6 1 1 Unorm [VERTEX] "RGB1",
    0x1f RGB16SN Rgb16Snorm 6 1 1 Snorm [VERTEX] "RGB1",
    0x20 RGB16UI Rgb16Uint 6 1 1 Uint [VERTEX] "RGB1",
    0x21 RGB16I Rgb16Sint 6 1 1 Sint [VERTEX] "RGB1",
    0x22 RGB32F Rgb32Float 12 1 1 Float [TEXTURE BUFFER VERTEX] "RGB1",
    0x23 RGB32UI Rgb32Uint 12 1 1 Uint [TEXTURE BUFFER VERTEX] "RGB1",
    0x24 RGB32I Rgb32Sint 12 1 1 Sint [TEXTURE BUFFER VERTEX] "RGB1",
    0x25 RGBA8 Rgba8Unorm 4 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x26 RGBA8SN Rgba8Snorm 4 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x27 RGBA8UI Rgba8Uint 4 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x28 RGBA8I Rgba8Sint 4 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x29 RGBA16F Rgba16Float 8 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2a RGBA16 Rgba16Unorm 8 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2b RGBA16SN Rgba16Snorm 8 1 1 Snorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2c RGBA16UI Rgba16Uint 8 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2d RGBA16I Rgba16Sint 8 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2e RGBA32F Rgba32Float 16 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x2f RGBA32UI Rgba32Uint 16 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x30 RGBA32I Rgba32Sint 16 1 1 Sint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x31 STENCIL8 S8Uint 1 1 1 Stencil [TEXTURE DEPTH COPY] "R001",
    0x32 DEPTH16 D16Unorm 2 1 1 Depth [TEXTURE DEPTH COPY] "RRR1",
    0x33 DEPTH24 X8D24Unorm 4 1 1 Depth [TEXTURE DEPTH COPY] "RRR1",
    0x34 DEPTH32F D32Float 4 1 1 Depth [TEXTURE DEPTH COPY] "RRR1",
    0x35 DEPTH24_STENCIL8 D24UnormS8Uint 4 1 1 DepthStencil [TEXTURE DEPTH COPY] "RRR1",
    0x36 DEPTH32F_STENCIL8 D32FloatS8Uint 8 1 1 DepthStencil [TEXTURE DEPTH COPY] "RRR1",
    0x37 RGBX8_SRGB Rgba8Srgb 4 1 1 Srgb [TEXTURE COLOR COPY] "RGB1",
    0x38 RGBA8_SRGB Rgba8Srgb 4 1 1 Srgb [TEXTURE COLOR COPY] "RGBA",
    0x39 RGBA4 Rgba4Unorm 2 1 1 Unorm [TEXTURE COPY] "RGBA",
    0x3a RGB5 Rgb5A1Unorm 2 1 1 Unorm [TEXTURE COPY] "RGB1",
    0x3b RGB5A1 Rgb5A1Unorm 2 1 1 Unorm [TEXTURE COPY] "RGBA",
    0x3c RGB565 R5G6B5Unorm 2 1 1 Unorm [TEXTURE COPY] "RGB1",
    0x3d RGB10A2 Rgb10A2Unorm 4 1 1 Unorm [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x3e RGB10A2UI Rgb10A2Uint 4 1 1 Uint [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGBA",
    0x3f R11G11B10F R11G11B10Float 4 1 1 Float [TEXTURE COLOR IMAGE BUFFER COPY VERTEX] "RGB1",
    0x40 RGB9E5F Rgb9E5Float 4 1 1 Float [TEXTURE COPY] "RGB1",
    0x41 RGB_DXT1 Bc1RgbUnorm 8 4 4 Unorm [TEXTURE COPY] "RGB1",
    0x42 RGBA_DXT1 Bc1RgbaUnorm 8 4 4 Unorm [TEXTURE COPY] "RGBA",
    0x43 RGBA_DXT3 Bc2Unorm 16 4 4 Unorm [TEXTURE COPY] "RGBA",
    0x44 RGBA_DXT5 Bc3Unorm 16 4 4 Unorm [TEXTURE COPY] "RGBA",
    0x45 RGB_DXT1_SRGB Bc1RgbSrgb 8 4 4 Srgb [TEXTURE COPY] "RGB1",
    0x46 RGBA_DXT1_SRGB Bc1RgbaSrgb 8 4 4 Srgb [TEXTURE COPY] "RGBA",
    0x47 RGBA_DXT3_SRGB Bc2Srgb 16 4 4 Srgb [TEXTURE COPY] "RGBA",
    0x48 RGBA_DXT5_SRGB Bc3Srgb 16 4 4 Srgb [TEXTURE COPY] "RGBA",
    0x49 RGTC1_UNORM Bc4Unorm 8 4 4 Unorm [TEXTURE COPY] "R001",
    0x4a RGTC1_SNORM Bc4Snorm 8 4 4 Snorm [TEXTURE COPY] "R001",
    0x4b RGTC2_UNORM Bc5Unorm 16 4 4 Unorm [TEXTURE COPY] "RG01",
    0x4c RGTC2_SNORM Bc5Snorm 16 4 4 Snorm [TEXTURE COPY] "RG01",
    0x4d BPTC_UNORM Bc7Unorm 16 4 4 Unorm [TEXTURE COPY] "RGBA",
    0x4e BPTC_UNORM_SRGB Bc7Srgb 16 4 4 Srgb [TEXTURE COPY] "RGBA",
    0x4f BPTC_SFLOAT Bc6hSfloat 16 4 4 Float [TEXTURE COPY] "RGB1",
    0x50 BPTC_UFLOAT Bc6hUfloat 16 4 4 Float [TEXTURE COPY] "RGB1",
    0x51 R8_UI2F R8Uscaled 1 1 1 UintToFloat [VERTEX] "R001",
    0x52 R8_I2F R8Sscaled 1 1 1 SintToFloat [VERTEX] "R001",
    0x53 R16_UI2F R16Uscaled 2 1 1 UintToFloat [VERTEX] "R001",
    0x54 R16_I2F R16Sscaled 2 1 1 SintToFloat [VERTEX] "R001",
    0x55 R32_UI2F R32Uint 4 1 1 UintToFloat [VERTEX] "R001",
    0x56 R32_I2F R32Sint 4 1 1 SintToFloat [VERTEX] "R001",
    0x57 RG8_UI2F Rg8Uscaled 2 1 1 UintToFloat [VERTEX] "RG01",
    0x58 RG8_I2F Rg8Sscaled 2 1 1 SintToFloat [VERTEX] "RG01",
    0x59 RG16_UI2F Rg16Uscaled 4 1 1 UintToFloat [VERTEX] "RG01",
    0x5a RG16_I2F Rg16Sscaled 4 1 1 SintToFloat [VERTEX] "RG01",
    0x5b RG32_UI2F Rg32Uint 8 1 1 UintToFloat [VERTEX] "RG01",
    0x5c RG32_I2F Rg32Sint 8 1 1 SintToFloat [VERTEX] "RG01",
    0x5d RGB8_UI2F Rgb8Uscaled 3 1 1 UintToFloat [VERTEX] "RGB1",
    0x5e RGB8_I2F Rgb8Sscaled 3 1 1 SintToFloat [VERTEX] "RGB1",
    0x5f RGB16_UI2F Rgb16Uscaled 6 1 1 UintToFloat [VERTEX] "RGB1",
    0x60 RGB16_I2F Rgb16Sscaled 6 1 1 SintToFloat [VERTEX] "RGB1",
    0x61 RGB32_UI2F Rgb32Uint 12 1 1 UintToFloat [VERTEX] "RGB1",
    0x62 RGB32_I2F Rgb32Sint 12 1 1 SintToFloat [VERTEX] "RGB1",
    0x63 RGBA8_UI2F Rgba8Uscaled 4 1 1 UintToFloat [VERTEX] "RGBA",
    0x64 RGBA8_I2F Rgba8Sscaled 4 1 1 SintToFloat [VERTEX] "RGBA",
    0x65 RGBA16_UI2F Rgba16Uscaled 8 1 1 UintToFloat [VERTEX] "RGBA",
    0x66 RGBA16_I2F Rgba16Sscaled 8 1 1 SintToFloat [VERTEX] "RGBA",
    0x67 RGBA32_UI2F Rgba32Uint 16 1 1 UintToFloat [VERTEX] "RGBA",
    0x68 RGBA32_I2F Rgba32Sint 16 1 1 SintToFloat [VERTEX] "RGBA",
    0x69 RGB10A2SN Rgb10A2Snorm 4 1 1 Snorm [VERTEX] "RGBA",
    0x6a RGB10A2I Rgb10A2Sint 4 1 1 Sint [VERTEX] "RGBA",
    0x6b RGB10A2_UI2F Rgb10A2Uscaled 4 1 1 UintToFloat [VERTEX] "RGBA",
    0x6c RGB10A2_I2F Rgb10A2Sscaled 4 1 1 SintToFloat [VERTEX] "RGBA",
    0x6d RGBX8 Rgba8Unorm 4 1 1 Unorm [TEXTURE COLOR COPY] "RGB1",
    0x6e RGBX8SN Rgba8Snorm 4 1 1 Snorm [TEXTURE COLOR COPY] "RGB1",
    0x6f RGBX8UI Rgba8Uint 4 1 1 Uint [TEXTURE COLOR COPY] "RGB1",
    0x70 RGBX8I Rgba8Sint 4 1 1 Sint [TEXTURE COLOR COPY] "RGB1",
    0x71 RGBX16F Rgba16Float 8 1 1 Float [TEXTURE COLOR COPY] "RGB1",
    0x72 RGBX16 Rgba16Unorm 8 1 1 Unorm [TEXTURE COLOR COPY] "RGB1",
    0x73 RGBX16SN Rgba16Snorm 8 1 1 Snorm [TEXTURE COLOR COPY] "RGB1",
    0x74 RGBX16UI Rgba16Uint 8 1 1 Uint [TEXTURE COLOR COPY] "RGB1",
    0x75 RGBX16I Rgba16Sint 8 1 1 Sint [TEXTURE COLOR COPY] "RGB1",
    0x76 RGBX32F Rgba32Float 16 1 1 Float [TEXTURE COLOR COPY] "RGB1",
    0x77 RGBX32UI Rgba32Uint 16 1 1 Uint [TEXTURE COLOR COPY] "RGB1",
    0x78 RGBX32I Rgba32Sint 16 1 1 Sint [TEXTURE COLOR COPY] "RGB1",
    0x79 RGBA_ASTC_4x4 Undefined 16 4 4 Unorm [TEXTURE COPY] "RGBA",
    0x7a RGBA_ASTC_5x4 Undefined 16 5 4 Unorm [TEXTURE COPY] "RGBA",
    0x7b RGBA_ASTC_5x5 Undefined 16 5 5 Unorm [TEXTURE COPY] "RGBA",
    0x7c RGBA_ASTC_6x5 Undefined 16 6 5 Unorm [TEXTURE COPY] "RGBA",
    0x7d RGBA_ASTC_6x6 Undefined 16 6 6 Unorm [TEXTURE COPY] "RGBA",
    0x7e RGBA_ASTC_8x5 Undefined 16 8 5 Unorm [TEXTURE COPY] "RGBA",
    0x7f RGBA_ASTC_8x6 Undefined 16 8 6 Unorm [TEXTURE COPY] "RGBA",
    0x80 RGBA_ASTC_8x8 Undefined 16 8 8 Unorm [TEXTURE COPY] "RGBA",
    0x81 RGBA_ASTC_10x5 Undefined 16 10 5 Unorm [TEXTURE COPY] "RGBA",
    0x82 RGBA_ASTC_10x6 Undefined 16 10 6 Unorm [TEXTURE COPY] "RGBA",
    0x83 RGBA_ASTC_10x8 Undefined 16 10 8 Unorm [TEXTURE COPY] "RGBA",
    0x84 RGBA_ASTC_10x10 Undefined 16 10 10 Unorm [TEXTURE COPY] "RGBA",
    0x85 RGBA_ASTC_12x10 Undefined 16 12 10 Unorm [TEXTURE COPY] "RGBA",
    0x86 RGBA_ASTC_12x12 Undefined 16 12 12 Unorm [TEXTURE COPY] "RGBA",
    0x87 RGBA_ASTC_4x4_SRGB Undefined 16 4 4 Srgb [TEXTURE COPY] "RGBA",
    0x88 RGBA_ASTC_5x4_SRGB Undefined 16 5 4 Srgb [TEXTURE COPY] "RGBA",
    0x89 RGBA_ASTC_5x5_SRGB Undefined 16 5 5 Srgb [TEXTURE COPY] "RGBA",
    0x8a RGBA_ASTC_6x5_SRGB Undefined 16 6 5 Srgb [TEXTURE COPY] "RGBA",
    0x8b RGBA_ASTC_6x6_SRGB Undefined 16 6 6 Srgb [TEXTURE COPY] "RGBA",
    0x8c RGBA_ASTC_8x5_SRGB Undefined 16 8 5 Srgb [TEXTURE COPY] "RGBA",
    0x8d RGBA_ASTC_8x6_SRGB Undefined 16 8 6 Srgb [TEXTURE COPY] "RGBA",
    0x8e RGBA_ASTC_8x8_SRGB Undefined 16 8 8 Srgb [TEXTURE COPY] "RGBA",
    0x8f RGBA_ASTC_10x5_SRGB Undefined 16 10 5 Srgb [TEXTURE COPY] "RGBA",
    0x90 RGBA_ASTC_10x6_SRGB Undefined 16 10 6 Srgb [TEXTURE COPY] "RGBA",
    0x91 RGBA_ASTC_10x8_SRGB Undefined 16 10 8 Srgb [TEXTURE COPY] "RGBA",
    0x92 RGBA_ASTC_10x10_SRGB Undefined 16 10 10 Srgb [TEXTURE COPY] "RGBA",
    0x93 RGBA_ASTC_12x10_SRGB Undefined 16 12 10 Srgb [TEXTURE COPY] "RGBA",
    0x94 RGBA_ASTC_12x12_SRGB Undefined 16 12 12 Srgb [TEXTURE COPY] "RGBA",
    0x95 BGR565 B5G6R5Unorm 2 1 1 Unorm [TEXTURE COLOR COPY] "RGB1",
    0x96 BGR5 Bgr5A1Unorm 2 1 1 Unorm [TEXTURE COLOR COPY] "RGB1",
    0x97 BGR5A1 Bgr5A1Unorm 2 1 1 Unorm [TEXTURE COLOR COPY] "RGBA",
    0x98 A1BGR5 Undefined 2 1 1 Unorm [TEXTURE COPY] "RGBA",
    0x99 BGRX8 Bgra8Unorm 4 1 1 Unorm [TEXTURE COLOR COPY] "RGB1",
    0x9a BGRA8 Bgra8Unorm 4 1 1 Unorm [TEXTURE COLOR IMAGE COPY VERTEX] "RGBA",
    0x9b BGRX8_SRGB Bgra8Srgb 4 1 1 Srgb [TEXTURE COLOR COPY] "RGB1",
    0x9c BGRA8_SRGB Bgra8Srgb 4 1 1 Srgb [TEXTURE COLOR COPY] "RGBA",
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: M-2.7b
    #[test]
    fn every_row_stands_at_its_number_and_fits_its_host_format() {
        for (n, row) in FORMATS.iter().enumerate() {
            assert_eq!(row.number as usize, n, "{}", row.name);
            if row.host != Format::Undefined {
                assert_eq!(row.host.block(), (row.bytes, row.block[0], row.block[1]), "{}", row.name);
                assert_eq!(row.host.is_srgb(), row.interpretation == Interpretation::Srgb, "{}", row.name);
            }
        }
    }

    // rows: M-2.7b
    #[test]
    fn missing_components_read_zero_and_alpha_one() {
        let shown = |number: u32| info(number).map(|f| f.mapping).unwrap_or_default();
        assert_eq!(shown(0x01), [Swizzle::R, Swizzle::Zero, Swizzle::Zero, Swizzle::One]);
        assert_eq!(shown(0x0D), [Swizzle::R, Swizzle::G, Swizzle::Zero, Swizzle::One]);
        assert_eq!(shown(0x6D), [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::One], "RGBX8");
        assert!(!FORMATS[0x6D].has_alpha());
        assert!(FORMATS[0x25].has_alpha());
    }

    #[test]
    fn twins_are_pairs() {
        for format in Format::ALL {
            if format.is_srgb() {
                let linear = linear_twin(*format);
                assert!(!linear.is_srgb(), "{format:?}");
                assert_eq!(encoded_twin(linear), Some(*format));
            } else {
                assert_eq!(linear_twin(*format), *format);
            }
        }
    }

    // rows: M-3.9
    #[test]
    fn attribute_classes_follow_the_interpretation() {
        assert_eq!(FORMATS[0x27].class(), NumericClass::Uint, "RGBA8UI");
        assert_eq!(FORMATS[0x2D].class(), NumericClass::Sint, "RGBA16I");
        assert_eq!(FORMATS[0x5A].class(), NumericClass::Float, "RG16_I2F arrives as float");
        assert_eq!(FORMATS[0x69].host, Format::Rgb10A2Snorm);
    }

    #[test]
    fn a_number_beyond_the_table_has_no_row() {
        assert_eq!(info(0x9D), None);
        assert_eq!(info(u32::MAX), None);
    }
}
