//! Formats: the graph's names and Vulkan's.
//!
//! The graph names components in memory order, lowest first; Vulkan's packed names run from the highest bits down.

use ash::vk;
use framegraph::state::{Aspects, Format, NumericClass};

/// Vulkan's name of a format; `UNDEFINED` where Vulkan 1.3 has none.
#[must_use]
pub fn format(format: Format) -> vk::Format {
    use Format as F;
    use vk::Format as V;
    match format {
        F::Undefined => V::UNDEFINED,
        F::R8Unorm => V::R8_UNORM,
        F::R8Snorm => V::R8_SNORM,
        F::R8Uint => V::R8_UINT,
        F::R8Sint => V::R8_SINT,
        F::R8Uscaled => V::R8_USCALED,
        F::R8Sscaled => V::R8_SSCALED,
        F::Rg8Unorm => V::R8G8_UNORM,
        F::Rg8Snorm => V::R8G8_SNORM,
        F::Rg8Uint => V::R8G8_UINT,
        F::Rg8Sint => V::R8G8_SINT,
        F::Rg8Uscaled => V::R8G8_USCALED,
        F::Rg8Sscaled => V::R8G8_SSCALED,
        F::Rgb8Unorm => V::R8G8B8_UNORM,
        F::Rgb8Snorm => V::R8G8B8_SNORM,
        F::Rgb8Uint => V::R8G8B8_UINT,
        F::Rgb8Sint => V::R8G8B8_SINT,
        F::Rgb8Uscaled => V::R8G8B8_USCALED,
        F::Rgb8Sscaled => V::R8G8B8_SSCALED,
        F::Rgba8Unorm => V::R8G8B8A8_UNORM,
        F::Rgba8Snorm => V::R8G8B8A8_SNORM,
        F::Rgba8Uint => V::R8G8B8A8_UINT,
        F::Rgba8Sint => V::R8G8B8A8_SINT,
        F::Rgba8Uscaled => V::R8G8B8A8_USCALED,
        F::Rgba8Sscaled => V::R8G8B8A8_SSCALED,
        F::Rgba8Srgb => V::R8G8B8A8_SRGB,
        F::Bgra8Unorm => V::B8G8R8A8_UNORM,
        F::Bgra8Srgb => V::B8G8R8A8_SRGB,
        F::R16Unorm => V::R16_UNORM,
        F::R16Snorm => V::R16_SNORM,
        F::R16Uint => V::R16_UINT,
        F::R16Sint => V::R16_SINT,
        F::R16Uscaled => V::R16_USCALED,
        F::R16Sscaled => V::R16_SSCALED,
        F::R16Float => V::R16_SFLOAT,
        F::Rg16Unorm => V::R16G16_UNORM,
        F::Rg16Snorm => V::R16G16_SNORM,
        F::Rg16Uint => V::R16G16_UINT,
        F::Rg16Sint => V::R16G16_SINT,
        F::Rg16Uscaled => V::R16G16_USCALED,
        F::Rg16Sscaled => V::R16G16_SSCALED,
        F::Rg16Float => V::R16G16_SFLOAT,
        F::Rgb16Unorm => V::R16G16B16_UNORM,
        F::Rgb16Snorm => V::R16G16B16_SNORM,
        F::Rgb16Uint => V::R16G16B16_UINT,
        F::Rgb16Sint => V::R16G16B16_SINT,
        F::Rgb16Uscaled => V::R16G16B16_USCALED,
        F::Rgb16Sscaled => V::R16G16B16_SSCALED,
        F::Rgb16Float => V::R16G16B16_SFLOAT,
        F::Rgba16Unorm => V::R16G16B16A16_UNORM,
        F::Rgba16Snorm => V::R16G16B16A16_SNORM,
        F::Rgba16Uint => V::R16G16B16A16_UINT,
        F::Rgba16Sint => V::R16G16B16A16_SINT,
        F::Rgba16Uscaled => V::R16G16B16A16_USCALED,
        F::Rgba16Sscaled => V::R16G16B16A16_SSCALED,
        F::Rgba16Float => V::R16G16B16A16_SFLOAT,
        F::R32Uint => V::R32_UINT,
        F::R32Sint => V::R32_SINT,
        F::R32Float => V::R32_SFLOAT,
        F::Rg32Uint => V::R32G32_UINT,
        F::Rg32Sint => V::R32G32_SINT,
        F::Rg32Float => V::R32G32_SFLOAT,
        F::Rgb32Uint => V::R32G32B32_UINT,
        F::Rgb32Sint => V::R32G32B32_SINT,
        F::Rgb32Float => V::R32G32B32_SFLOAT,
        F::Rgba32Uint => V::R32G32B32A32_UINT,
        F::Rgba32Sint => V::R32G32B32A32_SINT,
        F::Rgba32Float => V::R32G32B32A32_SFLOAT,
        F::Rgb10A2Unorm => V::A2B10G10R10_UNORM_PACK32,
        F::Rgb10A2Snorm => V::A2B10G10R10_SNORM_PACK32,
        F::Rgb10A2Uint => V::A2B10G10R10_UINT_PACK32,
        F::Rgb10A2Sint => V::A2B10G10R10_SINT_PACK32,
        F::Rgb10A2Uscaled => V::A2B10G10R10_USCALED_PACK32,
        F::Rgb10A2Sscaled => V::A2B10G10R10_SSCALED_PACK32,
        F::R11G11B10Float => V::B10G11R11_UFLOAT_PACK32,
        F::Rgb9E5Float => V::E5B9G9R9_UFLOAT_PACK32,
        F::B5G6R5Unorm => V::R5G6B5_UNORM_PACK16,
        F::R5G6B5Unorm => V::B5G6R5_UNORM_PACK16,
        // Vulkan has red-lowest 5-5-5-1 only with maintenance5, which is no part of the baseline: the graph picks another format.
        F::Rgb5A1Unorm => V::UNDEFINED,
        F::Bgr5A1Unorm => V::A1R5G5B5_UNORM_PACK16,
        F::Rgba4Unorm => V::A4B4G4R4_UNORM_PACK16,
        F::D16Unorm => V::D16_UNORM,
        F::X8D24Unorm => V::X8_D24_UNORM_PACK32,
        F::D32Float => V::D32_SFLOAT,
        F::D24UnormS8Uint => V::D24_UNORM_S8_UINT,
        F::D32FloatS8Uint => V::D32_SFLOAT_S8_UINT,
        F::S8Uint => V::S8_UINT,
        F::Bc1RgbUnorm => V::BC1_RGB_UNORM_BLOCK,
        F::Bc1RgbSrgb => V::BC1_RGB_SRGB_BLOCK,
        F::Bc1RgbaUnorm => V::BC1_RGBA_UNORM_BLOCK,
        F::Bc1RgbaSrgb => V::BC1_RGBA_SRGB_BLOCK,
        F::Bc2Unorm => V::BC2_UNORM_BLOCK,
        F::Bc2Srgb => V::BC2_SRGB_BLOCK,
        F::Bc3Unorm => V::BC3_UNORM_BLOCK,
        F::Bc3Srgb => V::BC3_SRGB_BLOCK,
        F::Bc4Unorm => V::BC4_UNORM_BLOCK,
        F::Bc4Snorm => V::BC4_SNORM_BLOCK,
        F::Bc5Unorm => V::BC5_UNORM_BLOCK,
        F::Bc5Snorm => V::BC5_SNORM_BLOCK,
        F::Bc6hUfloat => V::BC6H_UFLOAT_BLOCK,
        F::Bc6hSfloat => V::BC6H_SFLOAT_BLOCK,
        F::Bc7Unorm => V::BC7_UNORM_BLOCK,
        F::Bc7Srgb => V::BC7_SRGB_BLOCK,
    }
}

/// Vulkan's aspect flags.
#[must_use]
pub fn aspects(aspects: Aspects) -> vk::ImageAspectFlags {
    let mut flags = vk::ImageAspectFlags::empty();
    if aspects.intersects(Aspects::COLOR) {
        flags |= vk::ImageAspectFlags::COLOR;
    }
    if aspects.intersects(Aspects::DEPTH) {
        flags |= vk::ImageAspectFlags::DEPTH;
    }
    if aspects.intersects(Aspects::STENCIL) {
        flags |= vk::ImageAspectFlags::STENCIL;
    }
    flags
}

/// The linear twin of an sRGB format, the sRGB twin of a linear one; `None` where there is no pair.
#[must_use]
pub fn srgb_twin(format: Format) -> Option<Format> {
    use Format as F;
    const PAIRS: [(Format, Format); 7] = [
        (F::Rgba8Unorm, F::Rgba8Srgb),
        (F::Bgra8Unorm, F::Bgra8Srgb),
        (F::Bc1RgbUnorm, F::Bc1RgbSrgb),
        (F::Bc1RgbaUnorm, F::Bc1RgbaSrgb),
        (F::Bc2Unorm, F::Bc2Srgb),
        (F::Bc3Unorm, F::Bc3Srgb),
        (F::Bc7Unorm, F::Bc7Srgb),
    ];
    PAIRS.iter().find_map(|&(linear, srgb)| match format {
        f if f == linear => Some(srgb),
        f if f == srgb => Some(linear),
        _ => None,
    })
}

/// The linear twin of an sRGB format, or the format itself.
#[must_use]
pub fn linear(format: Format) -> Format {
    if format.is_srgb() { srgb_twin(format).unwrap_or(format) } else { format }
}

/// How a shader reads a colour format; formats that the graph does not name are taken to be float.
#[must_use]
pub fn class(raw: vk::Format) -> NumericClass {
    Format::ALL.iter().find(|f| format(**f) == raw).map_or(NumericClass::Float, |f| f.class())
}

/// Bytes that a copy moves per texel block of one aspect: (bytes, block width, block height). Depth of a combined format is copied as its own plane.
#[must_use]
pub fn copy_block(format: Format, aspect: vk::ImageAspectFlags) -> (u32, u32, u32) {
    match (format, aspect) {
        (Format::D24UnormS8Uint | Format::D32FloatS8Uint, vk::ImageAspectFlags::DEPTH) => (4, 1, 1),
        (_, vk::ImageAspectFlags::STENCIL) => (1, 1, 1),
        _ => format.block(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_but_one_has_a_name_of_its_own() {
        let mut seen = std::collections::HashMap::new();
        for &f in Format::ALL {
            let v = format(f);
            if f == Format::Rgb5A1Unorm {
                assert_eq!(v, vk::Format::UNDEFINED);
                continue;
            }
            assert_ne!(v, vk::Format::UNDEFINED, "{}", f.name());
            assert_eq!(seen.insert(v, f), None, "{}", f.name());
        }
    }

    #[test]
    fn every_srgb_format_has_a_linear_twin() {
        for &f in Format::ALL.iter().filter(|f| f.is_srgb()) {
            let twin = srgb_twin(f).expect("twin");
            assert!(!twin.is_srgb());
            assert_eq!(srgb_twin(twin), Some(f));
            assert_eq!(twin.block(), f.block());
        }
    }
}
