//! Neutral state in Vulkan's words. Pure functions, no choices.

use ash::vk;
use framegraph::resource::Layout;
use framegraph::state::{
    BlendFactor, BlendOp, Compare, Cull, Dim, FillMode, Filter, Stage, StageSet, StencilOp, Swizzle, Topology, Wrap,
};
use framegraph::tables::uses;

/// The layout of an image.
#[must_use]
pub fn layout(layout: Layout) -> vk::ImageLayout {
    match layout {
        Layout::Undefined => vk::ImageLayout::UNDEFINED,
        Layout::General => vk::ImageLayout::GENERAL,
        Layout::Color => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        Layout::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        Layout::DepthRead => vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
        Layout::Sampled => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        Layout::CopyTarget => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        // A display texture is presented by a copy out of it.
        Layout::CopySource | Layout::Present => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        Layout::Feedback => vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
    }
}

/// The pipeline stage of a shader stage.
#[must_use]
pub fn shader_stage(stage: Stage) -> vk::PipelineStageFlags2 {
    match stage {
        Stage::Vertex => vk::PipelineStageFlags2::VERTEX_SHADER,
        Stage::TessControl => vk::PipelineStageFlags2::TESSELLATION_CONTROL_SHADER,
        Stage::TessEval => vk::PipelineStageFlags2::TESSELLATION_EVALUATION_SHADER,
        Stage::Geometry => vk::PipelineStageFlags2::GEOMETRY_SHADER,
        Stage::Fragment => vk::PipelineStageFlags2::FRAGMENT_SHADER,
        Stage::Compute => vk::PipelineStageFlags2::COMPUTE_SHADER,
    }
}

/// The stage flag of a shader.
#[must_use]
pub fn stage_flag(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        Stage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute => vk::ShaderStageFlags::COMPUTE,
    }
}

/// All stages, by bit number of [`StageSet`].
pub const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

/// The pipeline stages of a set of shader stages. An empty set means that the writer did not say: every shader stage.
#[must_use]
pub fn shader_stages(set: StageSet, enabled: vk::PipelineStageFlags2) -> vk::PipelineStageFlags2 {
    let mut flags = vk::PipelineStageFlags2::empty();
    for stage in STAGES {
        if set == 0 || set >> stage as u32 & 1 == 1 {
            flags |= shader_stage(stage);
        }
    }
    flags & enabled
}

/// Stage and access masks of a set of [`uses`].
///
/// `enabled` holds the stages the device has (tessellation and geometry are features, and naming a stage without its feature is invalid).
#[must_use]
pub fn scope(
    bits: u32,
    stages: StageSet,
    enabled: vk::PipelineStageFlags2,
) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    use vk::AccessFlags2 as A;
    use vk::PipelineStageFlags2 as S;
    let mut stage = S::empty();
    let mut access = A::empty();
    let mut add = |bit: u32, s: S, a: A| {
        if bits & bit != 0 {
            stage |= s;
            access |= a;
        }
    };
    let shaders = shader_stages(stages, enabled);
    let depth = S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS;
    add(uses::INDIRECT, S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ);
    add(uses::INDEX, S::INDEX_INPUT, A::INDEX_READ);
    add(uses::VERTEX, S::VERTEX_ATTRIBUTE_INPUT, A::VERTEX_ATTRIBUTE_READ);
    add(uses::UNIFORM, shaders, A::UNIFORM_READ);
    add(uses::SAMPLED, shaders, A::SHADER_SAMPLED_READ);
    add(uses::STORAGE_READ, shaders, A::SHADER_STORAGE_READ);
    add(uses::STORAGE_WRITE, shaders, A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE);
    add(uses::COLOR_READ, S::COLOR_ATTACHMENT_OUTPUT, A::COLOR_ATTACHMENT_READ);
    add(uses::COLOR_WRITE, S::COLOR_ATTACHMENT_OUTPUT, A::COLOR_ATTACHMENT_WRITE);
    add(uses::DEPTH_READ, depth, A::DEPTH_STENCIL_ATTACHMENT_READ);
    add(uses::DEPTH_WRITE, depth, A::DEPTH_STENCIL_ATTACHMENT_READ | A::DEPTH_STENCIL_ATTACHMENT_WRITE);
    add(uses::COPY_READ, S::ALL_TRANSFER, A::TRANSFER_READ);
    add(uses::COPY_WRITE, S::ALL_TRANSFER, A::TRANSFER_WRITE);
    add(uses::HOST_READ, S::HOST, A::HOST_READ);
    add(uses::HOST_WRITE, S::HOST, A::HOST_WRITE);
    add(uses::PRESENT, S::ALL_TRANSFER, A::TRANSFER_READ);
    (stage, access)
}

/// Comparison.
#[must_use]
pub fn compare(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}

/// Blend factor.
#[must_use]
pub fn blend_factor(factor: BlendFactor) -> vk::BlendFactor {
    match factor {
        BlendFactor::Zero => vk::BlendFactor::ZERO,
        BlendFactor::One => vk::BlendFactor::ONE,
        BlendFactor::SrcColor => vk::BlendFactor::SRC_COLOR,
        BlendFactor::OneMinusSrcColor => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        BlendFactor::SrcAlpha => vk::BlendFactor::SRC_ALPHA,
        BlendFactor::OneMinusSrcAlpha => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        BlendFactor::DstAlpha => vk::BlendFactor::DST_ALPHA,
        BlendFactor::OneMinusDstAlpha => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        BlendFactor::DstColor => vk::BlendFactor::DST_COLOR,
        BlendFactor::OneMinusDstColor => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        BlendFactor::SrcAlphaSaturate => vk::BlendFactor::SRC_ALPHA_SATURATE,
        BlendFactor::Src1Color => vk::BlendFactor::SRC1_COLOR,
        BlendFactor::OneMinusSrc1Color => vk::BlendFactor::ONE_MINUS_SRC1_COLOR,
        BlendFactor::Src1Alpha => vk::BlendFactor::SRC1_ALPHA,
        BlendFactor::OneMinusSrc1Alpha => vk::BlendFactor::ONE_MINUS_SRC1_ALPHA,
        BlendFactor::ConstantColor => vk::BlendFactor::CONSTANT_COLOR,
        BlendFactor::OneMinusConstantColor => vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        BlendFactor::ConstantAlpha => vk::BlendFactor::CONSTANT_ALPHA,
        BlendFactor::OneMinusConstantAlpha => vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
    }
}

/// Blend equation.
#[must_use]
pub fn blend_op(op: BlendOp) -> vk::BlendOp {
    match op {
        BlendOp::Add => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::ReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// Stencil action.
#[must_use]
pub fn stencil_op(op: StencilOp) -> vk::StencilOp {
    match op {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::IncrementClamp => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrementClamp => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}

/// Culled faces.
#[must_use]
pub fn cull(cull: Cull) -> vk::CullModeFlags {
    match cull {
        Cull::None => vk::CullModeFlags::NONE,
        Cull::Front => vk::CullModeFlags::FRONT,
        Cull::Back => vk::CullModeFlags::BACK,
        Cull::Both => vk::CullModeFlags::FRONT_AND_BACK,
    }
}

/// Fill mode.
#[must_use]
pub fn fill(fill: FillMode) -> vk::PolygonMode {
    match fill {
        FillMode::Fill => vk::PolygonMode::FILL,
        FillMode::Line => vk::PolygonMode::LINE,
        FillMode::Point => vk::PolygonMode::POINT,
    }
}

/// Logic operation; the neutral codes follow Vulkan's order.
#[must_use]
pub fn logic_op(code: u8) -> vk::LogicOp {
    vk::LogicOp::from_raw(i32::from(code & 15))
}

/// Topology, where Vulkan has it.
#[must_use]
pub fn topology(topology: Topology) -> Option<vk::PrimitiveTopology> {
    Some(match topology {
        Topology::Points => vk::PrimitiveTopology::POINT_LIST,
        Topology::Lines => vk::PrimitiveTopology::LINE_LIST,
        Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
        Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
        Topology::LinesAdjacency => vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        Topology::LineStripAdjacency => vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
        Topology::TrianglesAdjacency => vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
        Topology::TriangleStripAdjacency => vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
        Topology::Patches => vk::PrimitiveTopology::PATCH_LIST,
        Topology::LineLoop | Topology::Quads | Topology::QuadStrip | Topology::Polygon => return None,
    })
}

/// The topology that stands for a topology's class in a pipeline whose topology is dynamic.
#[must_use]
pub fn topology_class(topology: vk::PrimitiveTopology) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as T;
    match topology {
        T::POINT_LIST => T::POINT_LIST,
        T::LINE_LIST | T::LINE_STRIP | T::LINE_LIST_WITH_ADJACENCY | T::LINE_STRIP_WITH_ADJACENCY => T::LINE_LIST,
        T::PATCH_LIST => T::PATCH_LIST,
        _ => T::TRIANGLE_LIST,
    }
}

/// Texture filter.
#[must_use]
pub fn filter(filter: Filter) -> vk::Filter {
    match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    }
}

/// Filter between levels.
#[must_use]
pub fn mip(filter: Filter) -> vk::SamplerMipmapMode {
    match filter {
        Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
        Filter::Linear => vk::SamplerMipmapMode::LINEAR,
    }
}

/// Addressing.
#[must_use]
pub fn wrap(wrap: Wrap) -> vk::SamplerAddressMode {
    match wrap {
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        Wrap::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
    }
}

/// Component mapping.
#[must_use]
pub fn swizzle(swizzle: Swizzle) -> vk::ComponentSwizzle {
    match swizzle {
        Swizzle::Identity => vk::ComponentSwizzle::IDENTITY,
        Swizzle::Zero => vk::ComponentSwizzle::ZERO,
        Swizzle::One => vk::ComponentSwizzle::ONE,
        Swizzle::R => vk::ComponentSwizzle::R,
        Swizzle::G => vk::ComponentSwizzle::G,
        Swizzle::B => vk::ComponentSwizzle::B,
        Swizzle::A => vk::ComponentSwizzle::A,
    }
}

/// View type; `Buffer` has none.
#[must_use]
pub fn view_type(dim: Dim) -> Option<vk::ImageViewType> {
    Some(match dim {
        Dim::D1 => vk::ImageViewType::TYPE_1D,
        Dim::D2 => vk::ImageViewType::TYPE_2D,
        Dim::D3 => vk::ImageViewType::TYPE_3D,
        Dim::Cube => vk::ImageViewType::CUBE,
        Dim::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
        Dim::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
        Dim::CubeArray => vk::ImageViewType::CUBE_ARRAY,
        Dim::Buffer => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_use_has_a_stage_and_an_access() {
        let all = vk::PipelineStageFlags2::from_raw(u64::MAX);
        for bit in 0..16 {
            let (stage, access) = scope(1 << bit, 0, all);
            assert!(!stage.is_empty(), "bit {bit}");
            assert!(!access.is_empty(), "bit {bit}");
        }
        assert_eq!(scope(0, 0, all), (vk::PipelineStageFlags2::empty(), vk::AccessFlags2::empty()));
    }

    #[test]
    fn stages_without_their_feature_are_never_named() {
        let enabled = vk::PipelineStageFlags2::VERTEX_SHADER | vk::PipelineStageFlags2::FRAGMENT_SHADER;
        let (stage, _) = scope(uses::SAMPLED, 0b1_1111, enabled);
        assert_eq!(stage, enabled);
    }
}
