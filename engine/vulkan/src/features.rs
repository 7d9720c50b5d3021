//! Feature use as a table: feature → the rule that needs it → the fallback. `ferrograph doctor` prints it for this machine.

/// A feature of the device beyond the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // The table below says what each is.
pub enum Feature {
    DepthClipControl,
    DepthClipEnable,
    DepthClamp,
    DepthBounds,
    DepthBiasControl,
    ProvokingVertex,
    IndexU8,
    ListRestart,
    CustomBorderColor,
    BorderColorSwizzle,
    NullDescriptor,
    RobustBuffer2,
    RobustImage2,
    FeedbackLayout,
    FeedbackDynamic,
    DynamicState3,
    DynamicVertexInput,
    DynamicTopology,
    ExternalHostMemory,
    MemoryBudget,
    LineRasterization,
    WideLines,
    LargePoints,
    FillModes,
    VertexDivisor,
    View2dOf3d,
    ViewMinLod,
    TransformFeedback,
    ConditionalRendering,
    VertexLayer,
    MultiViewport,
    IndependentBlend,
    DualSourceBlend,
    LogicOp,
    SampleShading,
    Anisotropy,
    CubeArray,
    IndirectCount,
    MultiDrawIndirect,
    IndirectFirstInstance,
    DescriptorIndexing,
    SeparateDepthStencil,
    StencilExport,
    SamplerMinmax,
    MirrorClamp,
    FragmentInterlock,
    LocalRead,
    ShaderObject,
    PipelineLibrary,
    MeshShader,
    Geometry,
    Tessellation,
    FragmentStores,
    VertexStores,
    Int64,
    Float64,
    BlockCompressed,
    AstcCompressed,
    IndirectIndexOffset,
    Swapchain,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Which feature.
    pub feature: Feature,
    /// Vulkan's name: the extension, or the core feature bit.
    pub name: &'static str,
    /// The extension to enable; empty for a core feature.
    pub extension: &'static str,
    /// The rule that needs it (its file's name), or the part of the executor.
    pub rule: &'static str,
    /// What is done without it.
    pub fallback: &'static str,
}

macro_rules! rows {
    ($( $feature:ident, $name:literal, $extension:literal, $rule:literal, $fallback:literal; )*) => {
        /// All rows.
        pub const TABLE: &[Row] = &[$(Row {
            feature: Feature::$feature, name: $name, extension: $extension, rule: $rule, fallback: $fallback
        }),*];
    };
}

rows! {
    DepthClipControl, "depthClipControl", "VK_EXT_depth_clip_control", "normalise_depth_state", "the vertex shader maps z";
    DepthClipEnable, "depthClipEnable", "VK_EXT_depth_clip_enable", "normalise_depth_state", "clip follows clamp";
    DepthClamp, "depthClamp", "", "normalise_depth_state", "the fragment shader clamps depth";
    DepthBounds, "depthBounds", "", "read_attachments_in_shader", "the fragment shader reads depth and discards";
    DepthBiasControl, "depthBiasControl", "VK_EXT_depth_bias_control", "rescale_depth_bias", "the constant is rescaled by the host format's step";
    ProvokingVertex, "provokingVertexLast", "VK_EXT_provoking_vertex", "choose_provoking_vertex", "a geometry stage copies flat inputs";
    IndexU8, "indexTypeUint8", "VK_EXT_index_type_uint8", "convert_indices", "indices are widened to 16 bits";
    ListRestart, "primitiveTopologyListRestart", "VK_EXT_primitive_topology_list_restart", "convert_indices", "lists with restart are rewritten";
    CustomBorderColor, "customBorderColors", "VK_EXT_custom_border_color", "pick_compare_samplers", "the nearest of the three fixed colours";
    BorderColorSwizzle, "borderColorSwizzle", "VK_EXT_border_color_swizzle", "pick_compare_samplers", "the border of swizzled views is not mapped";
    NullDescriptor, "nullDescriptor", "VK_EXT_robustness2", "bind_stand_ins", "zero buffers and images are bound";
    RobustBuffer2, "robustBufferAccess2", "VK_EXT_robustness2", "executor", "robustBufferAccess, whose out-of-range reads need not be zero";
    RobustImage2, "robustImageAccess2", "VK_EXT_robustness2", "executor", "robustImageAccess";
    FeedbackLayout, "attachmentFeedbackLoopLayout", "VK_EXT_attachment_feedback_loop_layout", "resolve_feedback_loops", "a snapshot copy, or the pass is split";
    FeedbackDynamic, "attachmentFeedbackLoopDynamicState", "VK_EXT_attachment_feedback_loop_dynamic_state", "executor", "one more pipeline per feedback set";
    DynamicState3, "extendedDynamicState3*", "VK_EXT_extended_dynamic_state3", "executor", "one more pipeline per combination";
    DynamicVertexInput, "vertexInputDynamicState", "VK_EXT_vertex_input_dynamic_state", "executor", "one more pipeline per vertex input";
    DynamicTopology, "dynamicPrimitiveTopologyUnrestricted", "VK_EXT_extended_dynamic_state3", "executor", "one more pipeline per topology class";
    ExternalHostMemory, "VK_EXT_external_memory_host", "VK_EXT_external_memory_host", "executor", "pools are mirrored by copies";
    MemoryBudget, "VK_EXT_memory_budget", "VK_EXT_memory_budget", "executor", "the heap's size is the budget";
    LineRasterization, "bresenhamLines", "VK_EXT_line_rasterization", "executor", "the device's default lines";
    WideLines, "wideLines", "", "executor", "lines are one pixel wide";
    LargePoints, "largePoints", "", "executor", "points are one pixel wide";
    FillModes, "fillModeNonSolid", "", "executor", "typed error for line and point fill";
    VertexDivisor, "vertexAttributeInstanceRateDivisor", "VK_EXT_vertex_attribute_divisor", "classify_vertex_inputs", "typed error for divisors above one";
    View2dOf3d, "image2DViewOf3D", "VK_EXT_image_2d_view_of_3d", "fit_views", "slices are copied to a 2D image";
    ViewMinLod, "minLod", "VK_EXT_image_view_min_lod", "clamp_to_resident_levels", "the first resident level is the view's base";
    TransformFeedback, "transformFeedback", "VK_EXT_transform_feedback", "capture_transform_feedback", "a compute pass runs the vertex stage";
    ConditionalRendering, "conditionalRendering", "VK_EXT_conditional_rendering", "guard_predicates", "the predicate is read by the CPU";
    VertexLayer, "shaderOutputLayer", "", "layer_writers_get_layers", "one draw per layer";
    MultiViewport, "multiViewport", "", "executor", "viewport 0 alone";
    IndependentBlend, "independentBlend", "", "executor", "typed error when targets blend differently";
    DualSourceBlend, "dualSrcBlend", "", "executor", "typed error";
    LogicOp, "logicOp", "", "executor", "the operation is ignored with a decision";
    SampleShading, "sampleRateShading", "", "executor", "per-pixel shading";
    Anisotropy, "samplerAnisotropy", "", "pick_compare_samplers", "isotropic filtering";
    CubeArray, "imageCubeArray", "", "fit_views", "an array of layers";
    IndirectCount, "drawIndirectCount", "", "lower_indirect", "draws beyond the count are zeroed by a compute pass";
    MultiDrawIndirect, "multiDrawIndirect", "", "executor", "one call per record";
    IndirectFirstInstance, "drawIndirectFirstInstance", "", "lower_indirect", "the base instance goes through the driver bank";
    DescriptorIndexing, "descriptorIndexing", "", "specialise_shader_keys", "per-draw bindings";
    SeparateDepthStencil, "separateDepthStencilLayouts", "", "executor", "both aspects change layout together";
    StencilExport, "VK_EXT_shader_stencil_export", "VK_EXT_shader_stencil_export", "lower_copies", "eight passes, one per bit";
    SamplerMinmax, "samplerFilterMinmax", "", "pick_compare_samplers", "shader code";
    MirrorClamp, "samplerMirrorClampToEdge", "", "pick_compare_samplers", "mirrored repeat";
    FragmentInterlock, "fragmentShaderPixelInterlock", "VK_EXT_fragment_shader_interlock", "resolve_feedback_loops", "a barrier per draw";
    LocalRead, "dynamicRenderingLocalRead", "VK_KHR_dynamic_rendering_local_read", "executor", "a barrier inside a pass ends and resumes its render scope";
    ShaderObject, "shaderObject", "VK_EXT_shader_object", "executor", "pipelines";
    PipelineLibrary, "graphicsPipelineLibrary", "VK_EXT_graphics_pipeline_library", "executor", "whole pipelines";
    MeshShader, "meshShader", "VK_EXT_mesh_shader", "executor", "typed error";
    Geometry, "geometryShader", "", "executor", "typed error";
    Tessellation, "tessellationShader", "", "executor", "typed error";
    FragmentStores, "fragmentStoresAndAtomics", "", "executor", "typed error";
    VertexStores, "vertexPipelineStoresAndAtomics", "", "executor", "typed error";
    Int64, "shaderInt64", "", "shader translator", "pairs of 32-bit words";
    Float64, "shaderFloat64", "", "shader translator", "typed error";
    BlockCompressed, "textureCompressionBC", "", "shadow_compressed_targets", "textures are decoded";
    AstcCompressed, "textureCompressionASTC_LDR", "", "pick_host_formats", "textures are decoded";
    IndirectIndexOffset, "indirectIndexOffset", "", "lower_indirect", "indices of indirect draws are bound through a buffer of their own, laid over the memory";
    Swapchain, "VK_KHR_swapchain", "VK_KHR_swapchain", "prepare_present", "offscreen present image (headless)";
}

/// The set of features that a device has and that are enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features(u128);

impl Features {
    /// Whether the feature is on.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u8 & 1 == 1
    }

    /// Switches a feature on or off. Off is always allowed: the fallback is taken.
    pub fn set(&mut self, feature: Feature, on: bool) {
        if on {
            self.0 |= 1 << feature as u8;
        } else {
            self.0 &= !(1 << feature as u8);
        }
    }

    /// Whether each row's feature is on.
    pub fn rows(self) -> impl Iterator<Item = (&'static Row, bool)> {
        TABLE.iter().map(move |row| (row, self.has(row.feature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_has_one_row_in_order() {
        for (n, row) in TABLE.iter().enumerate() {
            assert_eq!(row.feature as usize, n, "{}", row.name);
            assert!(!row.rule.is_empty() && !row.fallback.is_empty());
        }
        assert_eq!(TABLE.len(), Feature::Swapchain as usize + 1);
    }

    #[test]
    fn a_set_holds_what_was_set() {
        let mut set = Features::default();
        set.set(Feature::Swapchain, true);
        assert!(set.has(Feature::Swapchain) && !set.has(Feature::DepthClamp));
        set.set(Feature::Swapchain, false);
        assert_eq!(set, Features::default());
    }
}
