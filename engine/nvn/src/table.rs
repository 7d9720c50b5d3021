//! The table of API functions: name, body, and how far the body goes. Names are those of `data/functions.tsv`.

use crate::call::{Call, Outcome};
use crate::{command, device, getters, pool, program, queue, sampler, state, texture};

/// Body of a function.
pub type Function = fn(&mut Call<'_>) -> Outcome;

/// What a function does when a title calls it.
#[derive(Clone, Copy)]
pub enum Body {
    /// All that the API says.
    Run(Function),
    /// Nothing, and that is right: the answer, and why.
    Answer(u64, &'static str),
    /// A hint that is recorded and needs nothing more: why.
    Hint(Function, &'static str),
    /// It keeps what it was told; what does not follow from it.
    Partial(Function, &'static str),
    /// Nothing: what is lacking. A command leaves a record, so that a decision tells what the frame lacks.
    Missing(&'static str),
}

/// How far a function is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// All that the API says.
    Implemented,
    /// The call is taken and nothing needs to be done.
    Accepted,
    /// Something that the API says is not done.
    Unsupported,
}

impl State {
    /// The word that people see.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            State::Implemented => "implemented",
            State::Accepted => "accepted",
            State::Unsupported => "unsupported",
        }
    }
}

impl Body {
    /// How far the function is carried out.
    #[must_use]
    pub const fn state(self) -> State {
        match self {
            Body::Run(_) => State::Implemented,
            Body::Answer(..) | Body::Hint(..) => State::Accepted,
            Body::Partial(..) | Body::Missing(_) => State::Unsupported,
        }
    }

    /// Why it is accepted or unsupported; empty when it is implemented.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Body::Run(_) => "",
            Body::Answer(_, why) | Body::Hint(_, why) | Body::Partial(_, why) | Body::Missing(why) => why,
        }
    }
}

/// Every function of the API, sorted by name.
pub const FUNCTIONS: &[(&str, Body)] = &[
    ("nvnBlendStateGetAdvancedMode", Body::Run(state::blend_get_advanced_mode)),
    ("nvnBlendStateGetAdvancedNormalizedDst", Body::Run(state::blend_get_advanced_normalized)),
    ("nvnBlendStateGetAdvancedOverlap", Body::Run(state::blend_get_advanced_overlap)),
    ("nvnBlendStateGetAdvancedPremultipliedSrc", Body::Run(state::blend_get_advanced_premultiplied)),
    ("nvnBlendStateGetBlendEquation", Body::Run(state::blend_get_equation)),
    ("nvnBlendStateGetBlendFunc", Body::Run(state::blend_get_func)),
    ("nvnBlendStateGetBlendTarget", Body::Run(state::blend_get_target)),
    (
        "nvnBlendStateSetAdvancedMode",
        Body::Partial(state::blend_set_advanced_mode, "kept, and drawn with the plain factors"),
    ),
    (
        "nvnBlendStateSetAdvancedNormalizedDst",
        Body::Partial(state::blend_set_advanced_normalized, "kept, and drawn with the plain factors"),
    ),
    (
        "nvnBlendStateSetAdvancedOverlap",
        Body::Partial(state::blend_set_advanced_overlap, "kept, and drawn with the plain factors"),
    ),
    (
        "nvnBlendStateSetAdvancedPremultipliedSrc",
        Body::Partial(state::blend_set_advanced_premultiplied, "kept, and drawn with the plain factors"),
    ),
    ("nvnBlendStateSetBlendEquation", Body::Run(state::blend_set_equation)),
    ("nvnBlendStateSetBlendFunc", Body::Run(state::blend_set_func)),
    ("nvnBlendStateSetBlendTarget", Body::Run(state::blend_set_target)),
    ("nvnBlendStateSetDefaults", Body::Run(state::blend_set_defaults)),
    ("nvnBootstrapLoader", Body::Run(device::bootstrap_loader)),
    ("nvnBufferBuilderGetDevice", Body::Run(getters::buffer_device)),
    ("nvnBufferBuilderGetMemoryOffset", Body::Run(getters::buffer_offset)),
    ("nvnBufferBuilderGetMemoryPool", Body::Run(getters::buffer_pool)),
    ("nvnBufferBuilderGetSize", Body::Run(getters::buffer_size)),
    ("nvnBufferBuilderSetDefaults", Body::Run(pool::buffer_builder_set_defaults)),
    ("nvnBufferBuilderSetDevice", Body::Run(pool::buffer_builder_set_device)),
    ("nvnBufferBuilderSetStorage", Body::Run(pool::buffer_builder_set_storage)),
    ("nvnBufferFinalize", Body::Run(pool::finalize_object)),
    (
        "nvnBufferFlushMappedRange",
        Body::Hint(pool::buffer_flush_mapped_range, "what the CPU writes is seen by the page it is written to"),
    ),
    ("nvnBufferGetAddress", Body::Run(pool::buffer_get_address)),
    ("nvnBufferGetDebugID", Body::Run(pool::buffer_get_debug_id)),
    ("nvnBufferGetMemoryOffset", Body::Run(pool::buffer_get_memory_offset)),
    ("nvnBufferGetMemoryPool", Body::Run(pool::buffer_get_memory_pool)),
    ("nvnBufferGetSize", Body::Run(pool::buffer_get_size)),
    ("nvnBufferInitialize", Body::Run(pool::buffer_initialize)),
    (
        "nvnBufferInvalidateMappedRange",
        Body::Answer(0, "the CPU sees the GPU's results in the pool itself, once it has waited for them"),
    ),
    ("nvnBufferMap", Body::Run(pool::buffer_map)),
    ("nvnBufferSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnChannelMaskStateGetChannelMask", Body::Run(state::channel_mask_get)),
    ("nvnChannelMaskStateSetChannelMask", Body::Run(state::channel_mask_set)),
    ("nvnChannelMaskStateSetDefaults", Body::Run(state::channel_mask_set_defaults)),
    ("nvnColorStateGetAlphaTest", Body::Run(state::color_get_alpha_test)),
    ("nvnColorStateGetBlendEnable", Body::Run(state::color_get_blend_enable)),
    ("nvnColorStateGetLogicOp", Body::Run(state::color_get_logic_op)),
    ("nvnColorStateSetAlphaTest", Body::Partial(state::color_set_alpha_test, "kept, and every fragment passes")),
    ("nvnColorStateSetBlendEnable", Body::Run(state::color_set_blend_enable)),
    ("nvnColorStateSetDefaults", Body::Run(state::color_set_defaults)),
    ("nvnColorStateSetLogicOp", Body::Run(state::color_set_logic_op)),
    ("nvnCommandBufferAddCommandMemory", Body::Run(command::add_command_memory)),
    ("nvnCommandBufferAddControlMemory", Body::Run(command::add_control_memory)),
    ("nvnCommandBufferBarrier", Body::Run(command::barrier)),
    ("nvnCommandBufferBeginRecording", Body::Run(command::begin_recording)),
    ("nvnCommandBufferBeginTransformFeedback", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferBindBlendState", Body::Run(command::bind_blend)),
    ("nvnCommandBufferBindChannelMaskState", Body::Run(command::bind_channel_mask)),
    ("nvnCommandBufferBindColorState", Body::Run(command::bind_color)),
    ("nvnCommandBufferBindCoverageModulationTable", Body::Missing("programmed coverage is not carried out")),
    ("nvnCommandBufferBindDepthStencilState", Body::Run(command::bind_depth_stencil)),
    ("nvnCommandBufferBindImage", Body::Run(command::bind_image)),
    ("nvnCommandBufferBindImages", Body::Run(command::bind_images)),
    ("nvnCommandBufferBindMultisampleState", Body::Run(command::bind_multisample)),
    ("nvnCommandBufferBindPolygonState", Body::Run(command::bind_polygon)),
    ("nvnCommandBufferBindProgram", Body::Run(command::bind_program)),
    ("nvnCommandBufferBindSeparateSampler", Body::Missing("separate textures and samplers are not carried out")),
    ("nvnCommandBufferBindSeparateSamplers", Body::Missing("separate textures and samplers are not carried out")),
    ("nvnCommandBufferBindSeparateTexture", Body::Missing("separate textures and samplers are not carried out")),
    ("nvnCommandBufferBindSeparateTextures", Body::Missing("separate textures and samplers are not carried out")),
    ("nvnCommandBufferBindStorageBuffer", Body::Run(command::bind_storage_buffer)),
    ("nvnCommandBufferBindStorageBuffers", Body::Run(command::bind_storage_buffers)),
    ("nvnCommandBufferBindTexture", Body::Run(command::bind_texture)),
    ("nvnCommandBufferBindTextures", Body::Run(command::bind_textures)),
    ("nvnCommandBufferBindTransformFeedbackBuffer", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferBindTransformFeedbackBuffers", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferBindUniformBuffer", Body::Run(command::bind_uniform_buffer)),
    ("nvnCommandBufferBindUniformBuffers", Body::Run(command::bind_uniform_buffers)),
    ("nvnCommandBufferBindVertexAttribState", Body::Run(command::bind_vertex_attribs)),
    ("nvnCommandBufferBindVertexBuffer", Body::Run(command::bind_vertex_buffer)),
    ("nvnCommandBufferBindVertexBuffers", Body::Run(command::bind_vertex_buffers)),
    ("nvnCommandBufferBindVertexStreamState", Body::Run(command::bind_vertex_streams)),
    ("nvnCommandBufferCallCommands", Body::Run(command::call_commands)),
    ("nvnCommandBufferClearBuffer", Body::Run(command::clear_buffer)),
    ("nvnCommandBufferClearColor", Body::Run(command::clear_color)),
    ("nvnCommandBufferClearColori", Body::Run(command::clear_color_i)),
    ("nvnCommandBufferClearColorui", Body::Run(command::clear_color_ui)),
    ("nvnCommandBufferClearDepthStencil", Body::Run(command::clear_depth_stencil)),
    ("nvnCommandBufferClearTexture", Body::Run(command::clear_texture)),
    ("nvnCommandBufferClearTexturei", Body::Run(command::clear_texture_i)),
    ("nvnCommandBufferClearTextureui", Body::Run(command::clear_texture_ui)),
    ("nvnCommandBufferCopyBufferToBuffer", Body::Run(command::copy_buffer_to_buffer)),
    ("nvnCommandBufferCopyBufferToTexture", Body::Run(command::copy_buffer_to_texture)),
    ("nvnCommandBufferCopyCommands", Body::Run(command::copy_commands)),
    ("nvnCommandBufferCopyTextureToBuffer", Body::Run(command::copy_texture_to_buffer)),
    ("nvnCommandBufferCopyTextureToTexture", Body::Run(command::copy_texture_to_texture)),
    ("nvnCommandBufferDiscardColor", Body::Hint(command::discard_color, "contents may be dropped and are kept")),
    (
        "nvnCommandBufferDiscardDepthStencil",
        Body::Hint(command::discard_depth_stencil, "contents may be dropped and are kept"),
    ),
    ("nvnCommandBufferDispatchCompute", Body::Run(command::dispatch)),
    ("nvnCommandBufferDispatchComputeIndirect", Body::Run(command::dispatch_indirect)),
    ("nvnCommandBufferDownsample", Body::Run(command::downsample)),
    ("nvnCommandBufferDownsampleTextureView", Body::Run(command::downsample_view)),
    ("nvnCommandBufferDrawArrays", Body::Run(command::draw_arrays)),
    ("nvnCommandBufferDrawArraysIndirect", Body::Run(command::draw_arrays_indirect)),
    ("nvnCommandBufferDrawArraysInstanced", Body::Run(command::draw_arrays_instanced)),
    ("nvnCommandBufferDrawElements", Body::Run(command::draw_elements)),
    ("nvnCommandBufferDrawElementsBaseVertex", Body::Run(command::draw_elements_base_vertex)),
    ("nvnCommandBufferDrawElementsIndirect", Body::Run(command::draw_elements_indirect)),
    ("nvnCommandBufferDrawElementsInstanced", Body::Run(command::draw_elements_instanced)),
    ("nvnCommandBufferDrawTexture", Body::Missing("drawing a texture without a program is not carried out")),
    ("nvnCommandBufferDrawTransformFeedback", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferEndRecording", Body::Run(command::end_recording)),
    ("nvnCommandBufferEndTransformFeedback", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferFenceSync", Body::Run(command::fence_sync)),
    ("nvnCommandBufferFinalize", Body::Run(command::finalize)),
    ("nvnCommandBufferGetCommandMemoryFree", Body::Run(command::get_command_memory_free)),
    ("nvnCommandBufferGetCommandMemorySize", Body::Run(command::get_command_memory_size)),
    ("nvnCommandBufferGetCommandMemoryUsed", Body::Run(command::get_command_memory_used)),
    ("nvnCommandBufferGetControlMemoryFree", Body::Run(command::get_control_memory_free)),
    ("nvnCommandBufferGetControlMemorySize", Body::Run(command::get_control_memory_size)),
    ("nvnCommandBufferGetControlMemoryUsed", Body::Run(command::get_control_memory_used)),
    ("nvnCommandBufferGetCopyImageStride", Body::Run(command::get_copy_image_stride)),
    ("nvnCommandBufferGetCopyRowStride", Body::Run(command::get_copy_row_stride)),
    ("nvnCommandBufferGetMemoryCallback", Body::Run(command::get_memory_callback)),
    ("nvnCommandBufferGetMemoryCallbackData", Body::Run(command::get_memory_callback_data)),
    ("nvnCommandBufferInitialize", Body::Run(command::initialize)),
    ("nvnCommandBufferInsertDebugMarker", Body::Run(command::debug_marker)),
    ("nvnCommandBufferInsertDebugMarkerDynamic", Body::Run(command::debug_marker_in_domain)),
    ("nvnCommandBufferInsertDebugMarkerStatic", Body::Run(command::debug_marker_in_domain)),
    ("nvnCommandBufferIsRecording", Body::Run(command::is_recording)),
    ("nvnCommandBufferMultiDrawArraysIndirectCount", Body::Run(command::multi_draw_arrays_indirect_count)),
    ("nvnCommandBufferMultiDrawElementsIndirectCount", Body::Run(command::multi_draw_elements_indirect_count)),
    ("nvnCommandBufferPauseTransformFeedback", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferPopDebugGroup", Body::Run(command::pop_debug_group)),
    ("nvnCommandBufferPopDebugGroupId", Body::Run(command::pop_debug_group)),
    ("nvnCommandBufferPushDebugGroup", Body::Run(command::push_debug_group)),
    ("nvnCommandBufferPushDebugGroupDynamic", Body::Run(command::push_debug_group)),
    ("nvnCommandBufferPushDebugGroupStatic", Body::Run(command::push_debug_group)),
    (
        "nvnCommandBufferReportCounter",
        Body::Partial(command::report_counter, "counters are not counted: a report says 1 and no time"),
    ),
    ("nvnCommandBufferReportValue", Body::Run(command::report_value)),
    (
        "nvnCommandBufferResetCounter",
        Body::Partial(command::reset_counter, "counters are not counted: a report says 1 and no time"),
    ),
    (
        "nvnCommandBufferResolveDepthBuffer",
        Body::Answer(0, "depth is never kept compressed where a title could see it"),
    ),
    ("nvnCommandBufferRestoreZCullData", Body::Answer(0, "hierarchical depth is the host's own")),
    ("nvnCommandBufferResumeTransformFeedback", Body::Missing("transform feedback is not carried out")),
    ("nvnCommandBufferSaveZCullData", Body::Answer(0, "hierarchical depth is the host's own")),
    ("nvnCommandBufferSetAlphaRef", Body::Partial(command::set_alpha_ref, "kept, and every fragment passes")),
    ("nvnCommandBufferSetBlendColor", Body::Run(command::set_blend_color)),
    ("nvnCommandBufferSetColorReductionEnable", Body::Answer(0, "compression of colour targets is the host's own")),
    (
        "nvnCommandBufferSetCommandMemoryCallbackEnabled",
        Body::Missing("the callback for command memory cannot be turned off"),
    ),
    ("nvnCommandBufferSetConservativeRasterDilate", Body::Missing("conservative rasterisation is not carried out")),
    ("nvnCommandBufferSetConservativeRasterEnable", Body::Missing("conservative rasterisation is not carried out")),
    ("nvnCommandBufferSetCopyImageStride", Body::Run(command::set_copy_image_stride)),
    ("nvnCommandBufferSetCopyRowStride", Body::Run(command::set_copy_row_stride)),
    ("nvnCommandBufferSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnCommandBufferSetDepthBounds", Body::Run(command::set_depth_bounds)),
    ("nvnCommandBufferSetDepthClamp", Body::Run(command::set_depth_clamp)),
    ("nvnCommandBufferSetDepthRange", Body::Run(command::set_depth_range)),
    ("nvnCommandBufferSetDepthRanges", Body::Run(command::set_depth_ranges)),
    (
        "nvnCommandBufferSetInnerTessellationLevels",
        Body::Missing("tessellation without a control stage is not carried out"),
    ),
    ("nvnCommandBufferSetLineWidth", Body::Run(command::set_line_width)),
    ("nvnCommandBufferSetMemoryCallback", Body::Run(command::set_memory_callback)),
    ("nvnCommandBufferSetMemoryCallbackData", Body::Run(command::set_memory_callback_data)),
    (
        "nvnCommandBufferSetOuterTessellationLevels",
        Body::Missing("tessellation without a control stage is not carried out"),
    ),
    ("nvnCommandBufferSetPatchSize", Body::Run(command::set_patch_size)),
    (
        "nvnCommandBufferSetPointSize",
        Body::Partial(command::set_point_size, "kept, and points are one pixel unless the shader says a size"),
    ),
    ("nvnCommandBufferSetPolygonOffsetClamp", Body::Run(command::set_polygon_offset)),
    ("nvnCommandBufferSetPrimitiveRestart", Body::Run(command::set_primitive_restart)),
    ("nvnCommandBufferSetProgramSubroutines", Body::Missing("shader subroutines are not carried out")),
    ("nvnCommandBufferSetRasterizerDiscard", Body::Run(command::set_rasterizer_discard)),
    (
        "nvnCommandBufferSetRenderEnable",
        Body::Missing("conditional rendering is not carried out: what it would leave out is drawn"),
    ),
    (
        "nvnCommandBufferSetRenderEnableConditional",
        Body::Missing("conditional rendering is not carried out: what it would leave out is drawn"),
    ),
    ("nvnCommandBufferSetRenderTargets", Body::Run(command::set_render_targets)),
    ("nvnCommandBufferSetSampleMask", Body::Run(command::set_sample_mask)),
    ("nvnCommandBufferSetSamplerPool", Body::Run(command::set_sampler_pool)),
    ("nvnCommandBufferSetScissor", Body::Run(command::set_scissor)),
    ("nvnCommandBufferSetScissors", Body::Run(command::set_scissors)),
    ("nvnCommandBufferSetShaderScratchMemory", Body::Answer(0, "local memory of shaders is the host's own")),
    ("nvnCommandBufferSetStencilCullCriteria", Body::Answer(0, "hierarchical depth is the host's own")),
    ("nvnCommandBufferSetStencilMask", Body::Run(command::set_stencil_mask)),
    ("nvnCommandBufferSetStencilRef", Body::Run(command::set_stencil_ref)),
    ("nvnCommandBufferSetStencilValueMask", Body::Run(command::set_stencil_value_mask)),
    ("nvnCommandBufferSetSubpixelPrecisionBias", Body::Missing("conservative rasterisation is not carried out")),
    ("nvnCommandBufferSetTexturePool", Body::Run(command::set_texture_pool)),
    (
        "nvnCommandBufferSetTiledCacheAction",
        Body::Answer(0, "how the console cuts a picture into tiles does not change the picture"),
    ),
    (
        "nvnCommandBufferSetTiledCacheTileSize",
        Body::Answer(0, "how the console cuts a picture into tiles does not change the picture"),
    ),
    ("nvnCommandBufferSetViewport", Body::Run(command::set_viewport)),
    ("nvnCommandBufferSetViewportSwizzles", Body::Missing("viewport swizzles are not carried out")),
    ("nvnCommandBufferSetViewports", Body::Run(command::set_viewports)),
    ("nvnCommandBufferSignalEvent", Body::Missing("events of the GPU are not carried out")),
    ("nvnCommandBufferTiledDownsample", Body::Run(command::downsample)),
    ("nvnCommandBufferTiledDownsampleTextureView", Body::Run(command::downsample_view)),
    ("nvnCommandBufferUpdateUniformBuffer", Body::Run(command::update_uniform_buffer)),
    ("nvnCommandBufferWaitEvent", Body::Missing("events of the GPU are not carried out")),
    ("nvnCommandBufferWaitSync", Body::Run(command::wait_sync)),
    ("nvnDepthStencilStateGetDepthFunc", Body::Run(state::depth_get_func)),
    ("nvnDepthStencilStateGetDepthTestEnable", Body::Run(state::depth_get_test)),
    ("nvnDepthStencilStateGetDepthWriteEnable", Body::Run(state::depth_get_write)),
    ("nvnDepthStencilStateGetStencilFunc", Body::Run(state::stencil_get_func)),
    ("nvnDepthStencilStateGetStencilOp", Body::Run(state::stencil_get_op)),
    ("nvnDepthStencilStateGetStencilTestEnable", Body::Run(state::stencil_get_test)),
    ("nvnDepthStencilStateSetDefaults", Body::Run(state::depth_stencil_set_defaults)),
    ("nvnDepthStencilStateSetDepthFunc", Body::Run(state::depth_set_func)),
    ("nvnDepthStencilStateSetDepthTestEnable", Body::Run(state::depth_set_test)),
    ("nvnDepthStencilStateSetDepthWriteEnable", Body::Run(state::depth_set_write)),
    ("nvnDepthStencilStateSetStencilFunc", Body::Run(state::stencil_set_func)),
    ("nvnDepthStencilStateSetStencilOp", Body::Run(state::stencil_set_op)),
    ("nvnDepthStencilStateSetStencilTestEnable", Body::Run(state::stencil_set_test)),
    ("nvnDeviceApplyDeferredFinalizes", Body::Answer(0, "objects are given back when they are finalised")),
    ("nvnDeviceBuilderGetFlags", Body::Run(device::builder_get_flags)),
    ("nvnDeviceBuilderSetDefaults", Body::Run(device::builder_set_defaults)),
    ("nvnDeviceBuilderSetFlags", Body::Run(device::builder_set_flags)),
    ("nvnDeviceFinalize", Body::Run(device::finalize)),
    ("nvnDeviceFinalizeCommandHandle", Body::Run(command::finalize_command_handle)),
    ("nvnDeviceGenerateDebugDomainId", Body::Run(device::generate_debug_domain_id)),
    ("nvnDeviceGetCurrentTimestampInNanoseconds", Body::Run(device::get_current_timestamp)),
    ("nvnDeviceGetDepthMode", Body::Run(device::get_depth_mode)),
    ("nvnDeviceGetImageHandle", Body::Run(device::get_texture_only_handle)),
    ("nvnDeviceGetInteger", Body::Run(device::get_integer)),
    ("nvnDeviceGetProcAddress", Body::Run(device::get_proc_address)),
    ("nvnDeviceGetSeparateSamplerHandle", Body::Run(device::get_separate_sampler_handle)),
    ("nvnDeviceGetSeparateTextureHandle", Body::Run(device::get_texture_only_handle)),
    ("nvnDeviceGetTexelFetchHandle", Body::Run(device::get_texture_only_handle)),
    ("nvnDeviceGetTextureHandle", Body::Run(device::get_texture_handle)),
    ("nvnDeviceGetTimestampInNanoseconds", Body::Run(device::get_timestamp)),
    ("nvnDeviceGetWindowOriginMode", Body::Run(device::get_window_origin_mode)),
    ("nvnDeviceInitialize", Body::Run(device::initialize)),
    ("nvnDeviceInstallDebugCallback", Body::Answer(0, "there is no debug layer that could call it")),
    ("nvnDeviceIsExternalDebuggerAttached", Body::Answer(0, "there is none: 0")),
    ("nvnDeviceRegisterFastClearColor", Body::Answer(1, "every clear is fast: 1")),
    ("nvnDeviceRegisterFastClearColori", Body::Answer(1, "every clear is fast: 1")),
    ("nvnDeviceRegisterFastClearColorui", Body::Answer(1, "every clear is fast: 1")),
    ("nvnDeviceRegisterFastClearDepth", Body::Answer(1, "every clear is fast: 1")),
    ("nvnDeviceSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnDeviceSetDepthMode", Body::Run(device::set_depth_mode)),
    ("nvnDeviceSetIntermediateShaderCache", Body::Answer(0, "translated shaders are kept by the host")),
    ("nvnDeviceSetWindowOriginMode", Body::Run(device::set_window_origin_mode)),
    ("nvnDeviceWalkDebugDatabase", Body::Missing("there is no debug layer")),
    ("nvnEventBuilderGetMemoryPool", Body::Run(getters::event_builder_pool)),
    ("nvnEventBuilderGetStorage", Body::Run(getters::event_storage)),
    ("nvnEventBuilderSetDefaults", Body::Run(pool::event_builder_set_defaults)),
    ("nvnEventBuilderSetStorage", Body::Run(pool::event_builder_set_storage)),
    ("nvnEventFinalize", Body::Run(pool::finalize_object)),
    ("nvnEventGetMemoryPool", Body::Run(getters::event_pool)),
    ("nvnEventGetValue", Body::Run(pool::event_get_value)),
    ("nvnEventInitialize", Body::Run(pool::event_initialize)),
    ("nvnEventSignal", Body::Run(pool::event_signal)),
    ("nvnMemoryPoolBuilderGetDevice", Body::Run(getters::pool_device)),
    ("nvnMemoryPoolBuilderGetFlags", Body::Run(pool::builder_get_flags)),
    ("nvnMemoryPoolBuilderGetMemory", Body::Run(pool::builder_get_memory)),
    ("nvnMemoryPoolBuilderGetSize", Body::Run(pool::builder_get_size)),
    ("nvnMemoryPoolBuilderSetDefaults", Body::Run(pool::builder_set_defaults)),
    ("nvnMemoryPoolBuilderSetDevice", Body::Run(pool::builder_set_device)),
    ("nvnMemoryPoolBuilderSetFlags", Body::Run(pool::builder_set_flags)),
    ("nvnMemoryPoolBuilderSetStorage", Body::Run(pool::builder_set_storage)),
    ("nvnMemoryPoolFinalize", Body::Run(pool::finalize)),
    (
        "nvnMemoryPoolFlushMappedRange",
        Body::Hint(pool::flush_mapped_range, "what the CPU writes is seen by the page it is written to"),
    ),
    ("nvnMemoryPoolGetBufferAddress", Body::Run(pool::get_buffer_address)),
    ("nvnMemoryPoolGetFlags", Body::Run(pool::get_flags)),
    ("nvnMemoryPoolGetSize", Body::Run(pool::get_size)),
    ("nvnMemoryPoolInitialize", Body::Run(pool::initialize)),
    (
        "nvnMemoryPoolInvalidateMappedRange",
        Body::Answer(0, "the CPU sees the GPU's results in the pool itself, once it has waited for them"),
    ),
    ("nvnMemoryPoolMap", Body::Run(pool::map)),
    ("nvnMemoryPoolMapVirtual", Body::Missing("sparse memory is not carried out")),
    ("nvnMemoryPoolSetDebugLabel", Body::Run(pool::set_debug_label)),
    ("nvnMultisampleStateGetAlphaToCoverageDither", Body::Run(state::multisample_get_dither)),
    ("nvnMultisampleStateGetAlphaToCoverageEnable", Body::Run(state::multisample_get_alpha_to_coverage)),
    ("nvnMultisampleStateGetCoverageModulationMode", Body::Run(state::multisample_get_coverage_modulation)),
    ("nvnMultisampleStateGetCoverageToColorEnable", Body::Run(state::multisample_get_coverage_to_color)),
    ("nvnMultisampleStateGetCoverageToColorOutput", Body::Run(state::multisample_get_coverage_output)),
    ("nvnMultisampleStateGetMultisampleEnable", Body::Run(state::multisample_get_enable)),
    ("nvnMultisampleStateGetRasterSamples", Body::Run(state::multisample_get_raster_samples)),
    ("nvnMultisampleStateGetSampleLocationsEnable", Body::Run(state::multisample_get_locations_enable)),
    ("nvnMultisampleStateGetSampleLocationsGrid", Body::Missing("programmed coverage is not carried out")),
    ("nvnMultisampleStateGetSampleLocationsGridEnable", Body::Run(state::multisample_get_grid_enable)),
    ("nvnMultisampleStateGetSamples", Body::Run(state::multisample_get_samples)),
    (
        "nvnMultisampleStateSetAlphaToCoverageDither",
        Body::Partial(state::multisample_set_dither, "kept, without effect on coverage"),
    ),
    ("nvnMultisampleStateSetAlphaToCoverageEnable", Body::Run(state::multisample_set_alpha_to_coverage)),
    (
        "nvnMultisampleStateSetCoverageModulationMode",
        Body::Partial(state::multisample_set_coverage_modulation, "kept, without effect on coverage"),
    ),
    (
        "nvnMultisampleStateSetCoverageToColorEnable",
        Body::Partial(state::multisample_set_coverage_to_color, "kept, without effect on coverage"),
    ),
    (
        "nvnMultisampleStateSetCoverageToColorOutput",
        Body::Partial(state::multisample_set_coverage_output, "kept, without effect on coverage"),
    ),
    ("nvnMultisampleStateSetDefaults", Body::Run(state::multisample_set_defaults)),
    ("nvnMultisampleStateSetMultisampleEnable", Body::Run(state::multisample_set_enable)),
    (
        "nvnMultisampleStateSetRasterSamples",
        Body::Partial(state::multisample_set_raster_samples, "kept, without effect on coverage"),
    ),
    ("nvnMultisampleStateSetSampleLocations", Body::Missing("programmed coverage is not carried out")),
    (
        "nvnMultisampleStateSetSampleLocationsEnable",
        Body::Partial(state::multisample_set_locations_enable, "kept, without effect on coverage"),
    ),
    (
        "nvnMultisampleStateSetSampleLocationsGridEnable",
        Body::Partial(state::multisample_set_grid_enable, "kept, without effect on coverage"),
    ),
    ("nvnMultisampleStateSetSamples", Body::Run(state::multisample_set_samples)),
    ("nvnPolygonStateGetCullFace", Body::Run(state::polygon_get_cull_face)),
    ("nvnPolygonStateGetFrontFace", Body::Run(state::polygon_get_front_face)),
    ("nvnPolygonStateGetPolygonMode", Body::Run(state::polygon_get_mode)),
    ("nvnPolygonStateGetPolygonOffsetEnables", Body::Run(state::polygon_get_offset_enables)),
    ("nvnPolygonStateSetCullFace", Body::Run(state::polygon_set_cull_face)),
    ("nvnPolygonStateSetDefaults", Body::Run(state::polygon_set_defaults)),
    ("nvnPolygonStateSetFrontFace", Body::Run(state::polygon_set_front_face)),
    ("nvnPolygonStateSetPolygonMode", Body::Run(state::polygon_set_mode)),
    ("nvnPolygonStateSetPolygonOffsetEnables", Body::Run(state::polygon_set_offset_enables)),
    ("nvnProgramFinalize", Body::Run(pool::finalize_object)),
    ("nvnProgramInitialize", Body::Run(program::initialize)),
    ("nvnProgramSetDebugLabel", Body::Run(program::set_debug_label)),
    ("nvnProgramSetShaders", Body::Run(program::set_shaders)),
    ("nvnQueueAcquireTexture", Body::Run(queue::queue_acquire_texture)),
    ("nvnQueueBuilderGetCommandFlushThreshold", Body::Run(getters::queue_threshold)),
    ("nvnQueueBuilderGetCommandMemorySize", Body::Run(getters::queue_command)),
    ("nvnQueueBuilderGetComputeMemorySize", Body::Run(getters::queue_compute)),
    ("nvnQueueBuilderGetControlMemorySize", Body::Run(getters::queue_control)),
    ("nvnQueueBuilderGetDevice", Body::Run(getters::queue_device)),
    ("nvnQueueBuilderGetFlags", Body::Run(getters::queue_flags)),
    ("nvnQueueBuilderGetMemory", Body::Run(getters::queue_memory)),
    ("nvnQueueBuilderGetMemorySize", Body::Run(getters::queue_memory_size)),
    ("nvnQueueBuilderGetQueueMemorySize", Body::Run(queue::builder_get_queue_memory_size)),
    ("nvnQueueBuilderGetQueuePriority", Body::Run(getters::queue_priority)),
    ("nvnQueueBuilderSetCommandFlushThreshold", Body::Run(queue::builder_set_command_flush_threshold)),
    ("nvnQueueBuilderSetCommandMemorySize", Body::Run(queue::builder_set_command_memory_size)),
    ("nvnQueueBuilderSetComputeMemorySize", Body::Run(queue::builder_set_compute_memory_size)),
    ("nvnQueueBuilderSetControlMemorySize", Body::Run(queue::builder_set_control_memory_size)),
    ("nvnQueueBuilderSetDefaults", Body::Run(queue::builder_set_defaults)),
    ("nvnQueueBuilderSetDevice", Body::Run(queue::builder_set_device)),
    ("nvnQueueBuilderSetFlags", Body::Run(queue::builder_set_flags)),
    ("nvnQueueBuilderSetQueueMemory", Body::Run(queue::builder_set_queue_memory)),
    ("nvnQueueBuilderSetQueuePriority", Body::Run(queue::builder_set_queue_priority)),
    ("nvnQueueFenceSync", Body::Run(queue::fence_sync)),
    ("nvnQueueFinalize", Body::Run(queue::finalize)),
    ("nvnQueueFinish", Body::Run(queue::finish)),
    ("nvnQueueFlush", Body::Run(queue::flush)),
    ("nvnQueueGetError", Body::Run(queue::get_error)),
    ("nvnQueueGetTotalCommandMemoryUsed", Body::Answer(0, "queues use no memory of the title: 0")),
    ("nvnQueueGetTotalComputeMemoryUsed", Body::Answer(0, "queues use no memory of the title: 0")),
    ("nvnQueueGetTotalControlMemoryUsed", Body::Answer(0, "queues use no memory of the title: 0")),
    ("nvnQueueInitialize", Body::Run(queue::initialize)),
    ("nvnQueuePresentTexture", Body::Run(queue::present_texture)),
    ("nvnQueueResetMemoryUsageCounts", Body::Answer(0, "queues use no memory of the title")),
    ("nvnQueueSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnQueueSubmitCommands", Body::Run(queue::submit_commands)),
    ("nvnQueueWaitSync", Body::Run(queue::wait_sync)),
    ("nvnSamplerBuilderGetBorderColor", Body::Run(getters::builder_border)),
    ("nvnSamplerBuilderGetBorderColori", Body::Run(getters::builder_border)),
    ("nvnSamplerBuilderGetBorderColorui", Body::Run(getters::builder_border)),
    ("nvnSamplerBuilderGetCompare", Body::Run(getters::builder_compare)),
    ("nvnSamplerBuilderGetDevice", Body::Run(getters::sampler_device)),
    ("nvnSamplerBuilderGetLodBias", Body::Run(getters::builder_lod_bias)),
    ("nvnSamplerBuilderGetLodClamp", Body::Run(getters::builder_lod_clamp)),
    ("nvnSamplerBuilderGetLodSnap", Body::Run(getters::builder_lod_snap)),
    ("nvnSamplerBuilderGetMaxAnisotropy", Body::Run(getters::builder_anisotropy)),
    ("nvnSamplerBuilderGetMinMagFilter", Body::Run(getters::builder_min_mag)),
    ("nvnSamplerBuilderGetReductionFilter", Body::Run(getters::builder_reduction)),
    ("nvnSamplerBuilderGetWrapMode", Body::Run(getters::builder_wrap)),
    ("nvnSamplerBuilderSetBorderColor", Body::Run(sampler::builder_set_border_color)),
    ("nvnSamplerBuilderSetBorderColori", Body::Run(sampler::builder_set_border_color_i)),
    ("nvnSamplerBuilderSetBorderColorui", Body::Run(sampler::builder_set_border_color_ui)),
    ("nvnSamplerBuilderSetCompare", Body::Run(sampler::builder_set_compare)),
    ("nvnSamplerBuilderSetDefaults", Body::Run(sampler::builder_set_defaults)),
    ("nvnSamplerBuilderSetDevice", Body::Run(sampler::builder_set_device)),
    ("nvnSamplerBuilderSetLodBias", Body::Run(sampler::builder_set_lod_bias)),
    ("nvnSamplerBuilderSetLodClamp", Body::Run(sampler::builder_set_lod_clamp)),
    ("nvnSamplerBuilderSetLodSnap", Body::Partial(sampler::builder_set_lod_snap, "kept, and levels are not snapped")),
    ("nvnSamplerBuilderSetMaxAnisotropy", Body::Run(sampler::builder_set_max_anisotropy)),
    ("nvnSamplerBuilderSetMinMagFilter", Body::Run(sampler::builder_set_min_mag_filter)),
    (
        "nvnSamplerBuilderSetReductionFilter",
        Body::Partial(sampler::builder_set_reduction_filter, "kept, and filters average"),
    ),
    ("nvnSamplerBuilderSetWrapMode", Body::Run(sampler::builder_set_wrap_mode)),
    ("nvnSamplerCompare", Body::Run(sampler::compare)),
    ("nvnSamplerFinalize", Body::Run(pool::finalize_object)),
    ("nvnSamplerGetBorderColor", Body::Run(getters::sampler_border)),
    ("nvnSamplerGetBorderColori", Body::Run(getters::sampler_border)),
    ("nvnSamplerGetBorderColorui", Body::Run(getters::sampler_border)),
    ("nvnSamplerGetCompare", Body::Run(sampler::get_compare)),
    ("nvnSamplerGetDebugID", Body::Answer(0, "samplers have no number beside their contents: 0")),
    ("nvnSamplerGetLodBias", Body::Run(getters::sampler_lod_bias)),
    ("nvnSamplerGetLodClamp", Body::Run(sampler::get_lod_clamp)),
    ("nvnSamplerGetMaxAnisotropy", Body::Run(getters::sampler_anisotropy)),
    ("nvnSamplerGetMinMagFilter", Body::Run(sampler::get_min_mag_filter)),
    ("nvnSamplerGetReductionFilter", Body::Run(getters::sampler_reduction)),
    ("nvnSamplerGetWrapMode", Body::Run(sampler::get_wrap_mode)),
    ("nvnSamplerInitialize", Body::Run(sampler::initialize)),
    ("nvnSamplerPoolFinalize", Body::Run(pool::finalize_object)),
    ("nvnSamplerPoolGetMemoryOffset", Body::Run(pool::sampler_pool_get_memory_offset)),
    ("nvnSamplerPoolGetMemoryPool", Body::Run(pool::sampler_pool_get_memory_pool)),
    ("nvnSamplerPoolGetSize", Body::Run(pool::sampler_pool_get_size)),
    ("nvnSamplerPoolInitialize", Body::Run(pool::sampler_pool_initialize)),
    ("nvnSamplerPoolRegisterSampler", Body::Run(pool::register_sampler_descriptor)),
    ("nvnSamplerPoolRegisterSamplerBuilder", Body::Run(pool::register_sampler_builder)),
    ("nvnSamplerPoolSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnSamplerSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnSyncFinalize", Body::Run(queue::sync_finalize)),
    ("nvnSyncInitialize", Body::Run(queue::sync_initialize)),
    ("nvnSyncSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnSyncWait", Body::Run(queue::sync_wait)),
    ("nvnTextureBuilderGetDepth", Body::Run(texture::builder_get_depth)),
    ("nvnTextureBuilderGetDepthStencilMode", Body::Run(texture::builder_get_depth_stencil_mode)),
    ("nvnTextureBuilderGetDevice", Body::Run(getters::texture_device)),
    ("nvnTextureBuilderGetFlags", Body::Run(texture::builder_get_flags)),
    ("nvnTextureBuilderGetFormat", Body::Run(texture::builder_get_format)),
    ("nvnTextureBuilderGetGLTextureName", Body::Run(texture::builder_get_gl_name)),
    ("nvnTextureBuilderGetHeight", Body::Run(texture::builder_get_height)),
    ("nvnTextureBuilderGetLevels", Body::Run(texture::builder_get_levels)),
    ("nvnTextureBuilderGetMemoryOffset", Body::Run(texture::builder_get_memory_offset)),
    ("nvnTextureBuilderGetMemoryPool", Body::Run(texture::builder_get_memory_pool)),
    ("nvnTextureBuilderGetPackagedTextureData", Body::Run(texture::builder_get_packaged_data)),
    ("nvnTextureBuilderGetPackagedTextureLayout", Body::Missing("packaged textures are not carried out")),
    (
        "nvnTextureBuilderGetRawStorageClass",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureBuilderGetSamples", Body::Run(texture::builder_get_samples)),
    ("nvnTextureBuilderGetSparseTileLayout", Body::Missing("sparse memory is not carried out")),
    ("nvnTextureBuilderGetStorageAlignment", Body::Run(texture::builder_get_storage_alignment)),
    (
        "nvnTextureBuilderGetStorageClass",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureBuilderGetStorageSize", Body::Run(texture::builder_get_storage_size)),
    ("nvnTextureBuilderGetStride", Body::Run(texture::builder_get_stride)),
    ("nvnTextureBuilderGetSwizzle", Body::Run(texture::builder_get_swizzle)),
    ("nvnTextureBuilderGetTarget", Body::Run(texture::builder_get_target)),
    ("nvnTextureBuilderGetWidth", Body::Run(texture::builder_get_width)),
    (
        "nvnTextureBuilderGetZCullStorageSize",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureBuilderSetDefaults", Body::Run(texture::builder_set_defaults)),
    ("nvnTextureBuilderSetDepth", Body::Run(texture::builder_set_depth)),
    ("nvnTextureBuilderSetDepthStencilMode", Body::Run(texture::builder_set_depth_stencil_mode)),
    ("nvnTextureBuilderSetDevice", Body::Run(texture::builder_set_device)),
    ("nvnTextureBuilderSetFlags", Body::Run(texture::builder_set_flags)),
    ("nvnTextureBuilderSetFormat", Body::Run(texture::builder_set_format)),
    ("nvnTextureBuilderSetGLTextureName", Body::Run(texture::builder_set_gl_name)),
    ("nvnTextureBuilderSetHeight", Body::Run(texture::builder_set_height)),
    ("nvnTextureBuilderSetLevels", Body::Run(texture::builder_set_levels)),
    ("nvnTextureBuilderSetPackagedTextureData", Body::Run(texture::builder_set_packaged_data)),
    ("nvnTextureBuilderSetPackagedTextureLayout", Body::Missing("packaged textures are not carried out")),
    ("nvnTextureBuilderSetSamples", Body::Run(texture::builder_set_samples)),
    ("nvnTextureBuilderSetSize1D", Body::Run(texture::builder_set_size_1d)),
    ("nvnTextureBuilderSetSize2D", Body::Run(texture::builder_set_size_2d)),
    ("nvnTextureBuilderSetSize3D", Body::Run(texture::builder_set_size_3d)),
    ("nvnTextureBuilderSetStorage", Body::Run(texture::builder_set_storage)),
    ("nvnTextureBuilderSetStride", Body::Run(texture::builder_set_stride)),
    ("nvnTextureBuilderSetSwizzle", Body::Run(texture::builder_set_swizzle)),
    ("nvnTextureBuilderSetTarget", Body::Run(texture::builder_set_target)),
    ("nvnTextureBuilderSetWidth", Body::Run(texture::builder_set_width)),
    ("nvnTextureCompare", Body::Run(texture::compare)),
    ("nvnTextureFinalize", Body::Run(pool::finalize_object)),
    ("nvnTextureFlushTexels", Body::Answer(0, "what the CPU writes is seen by the page it is written to")),
    ("nvnTextureGetDebugID", Body::Run(texture::get_debug_id)),
    ("nvnTextureGetDepth", Body::Run(texture::get_depth)),
    ("nvnTextureGetDepthStencilMode", Body::Run(texture::get_depth_stencil_mode)),
    ("nvnTextureGetFlags", Body::Run(texture::get_flags)),
    ("nvnTextureGetFormat", Body::Run(texture::get_format)),
    ("nvnTextureGetHeight", Body::Run(texture::get_height)),
    ("nvnTextureGetLevels", Body::Run(texture::get_levels)),
    ("nvnTextureGetMemoryOffset", Body::Run(texture::get_memory_offset)),
    ("nvnTextureGetMemoryPool", Body::Run(texture::get_memory_pool)),
    (
        "nvnTextureGetRawStorageClass",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureGetSamples", Body::Run(texture::get_samples)),
    ("nvnTextureGetSparseTileLayout", Body::Missing("sparse memory is not carried out")),
    (
        "nvnTextureGetStorageClass",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureGetStorageSize", Body::Run(texture::get_storage_size)),
    ("nvnTextureGetStride", Body::Run(texture::get_stride)),
    ("nvnTextureGetSwizzle", Body::Run(texture::get_swizzle)),
    ("nvnTextureGetTarget", Body::Run(texture::get_target)),
    ("nvnTextureGetTextureAddress", Body::Run(texture::get_texture_address)),
    ("nvnTextureGetViewOffset", Body::Missing("the place of a view in its texture is not computed")),
    ("nvnTextureGetWidth", Body::Run(texture::get_width)),
    (
        "nvnTextureGetZCullStorageSize",
        Body::Answer(0, "there is one class of storage, and no memory beside a texture's own: 0"),
    ),
    ("nvnTextureInitialize", Body::Run(texture::initialize)),
    (
        "nvnTextureInvalidateTexels",
        Body::Answer(0, "the CPU sees the GPU's results in the pool itself, once it has waited for them"),
    ),
    ("nvnTexturePoolFinalize", Body::Run(pool::finalize_object)),
    ("nvnTexturePoolGetMemoryOffset", Body::Run(pool::texture_pool_get_memory_offset)),
    ("nvnTexturePoolGetMemoryPool", Body::Run(pool::texture_pool_get_memory_pool)),
    ("nvnTexturePoolGetSize", Body::Run(pool::texture_pool_get_size)),
    ("nvnTexturePoolInitialize", Body::Run(pool::texture_pool_initialize)),
    ("nvnTexturePoolRegisterImage", Body::Run(pool::register_image_descriptor)),
    ("nvnTexturePoolRegisterTexture", Body::Run(pool::register_texture_descriptor)),
    ("nvnTexturePoolSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnTextureReadTexels", Body::Run(texture::read_texels_tight)),
    ("nvnTextureReadTexelsStrided", Body::Run(texture::read_texels_strided)),
    ("nvnTextureSetDebugLabel", Body::Run(texture::set_debug_label)),
    ("nvnTextureViewCompare", Body::Run(texture::view_compare)),
    ("nvnTextureViewGetDepthStencilMode", Body::Run(texture::view_get_depth_stencil_mode)),
    ("nvnTextureViewGetFormat", Body::Run(texture::view_get_format)),
    ("nvnTextureViewGetLayers", Body::Run(texture::view_get_layers)),
    ("nvnTextureViewGetLevels", Body::Run(texture::view_get_levels)),
    ("nvnTextureViewGetSwizzle", Body::Run(texture::view_get_swizzle)),
    ("nvnTextureViewGetTarget", Body::Run(texture::view_get_target)),
    ("nvnTextureViewSetDefaults", Body::Run(texture::view_set_defaults)),
    ("nvnTextureViewSetDepthStencilMode", Body::Run(texture::view_set_depth_stencil_mode)),
    ("nvnTextureViewSetFormat", Body::Run(texture::view_set_format)),
    ("nvnTextureViewSetLayers", Body::Run(texture::view_set_layers)),
    ("nvnTextureViewSetLevels", Body::Run(texture::view_set_levels)),
    ("nvnTextureViewSetSwizzle", Body::Run(texture::view_set_swizzle)),
    ("nvnTextureViewSetTarget", Body::Run(texture::view_set_target)),
    ("nvnTextureWriteTexels", Body::Run(texture::write_texels_tight)),
    ("nvnTextureWriteTexelsStrided", Body::Run(texture::write_texels_strided)),
    ("nvnVertexAttribStateGetFormat", Body::Run(state::attrib_get_format)),
    ("nvnVertexAttribStateGetStreamIndex", Body::Run(state::attrib_get_stream)),
    ("nvnVertexAttribStateSetDefaults", Body::Run(state::attrib_set_defaults)),
    ("nvnVertexAttribStateSetFormat", Body::Run(state::attrib_set_format)),
    ("nvnVertexAttribStateSetStreamIndex", Body::Run(state::attrib_set_stream)),
    ("nvnVertexStreamStateGetDivisor", Body::Run(state::stream_get_divisor)),
    ("nvnVertexStreamStateGetStride", Body::Run(state::stream_get_stride)),
    ("nvnVertexStreamStateSetDefaults", Body::Run(state::stream_set_defaults)),
    ("nvnVertexStreamStateSetDivisor", Body::Run(state::stream_set_divisor)),
    ("nvnVertexStreamStateSetStride", Body::Run(state::stream_set_stride)),
    ("nvnWindowAcquireTexture", Body::Run(queue::window_acquire_texture)),
    ("nvnWindowBuilderGetDevice", Body::Run(getters::window_device)),
    ("nvnWindowBuilderGetNativeWindow", Body::Run(getters::window_native)),
    ("nvnWindowBuilderGetNumActiveTextures", Body::Run(getters::window_active)),
    ("nvnWindowBuilderGetNumTextures", Body::Run(getters::window_count)),
    ("nvnWindowBuilderGetPresentInterval", Body::Run(getters::window_interval)),
    ("nvnWindowBuilderGetTexture", Body::Run(getters::window_texture)),
    ("nvnWindowBuilderSetDefaults", Body::Run(queue::window_builder_set_defaults)),
    ("nvnWindowBuilderSetDevice", Body::Run(queue::window_builder_set_device)),
    ("nvnWindowBuilderSetNativeWindow", Body::Run(queue::window_builder_set_native_window)),
    ("nvnWindowBuilderSetNumActiveTextures", Body::Run(queue::window_builder_set_active)),
    ("nvnWindowBuilderSetPresentInterval", Body::Run(queue::window_builder_set_present_interval)),
    ("nvnWindowBuilderSetTextures", Body::Run(queue::window_builder_set_textures)),
    ("nvnWindowFinalize", Body::Run(pool::finalize_object)),
    ("nvnWindowGetCrop", Body::Run(queue::window_get_crop)),
    ("nvnWindowGetNativeWindow", Body::Run(queue::window_get_native_window)),
    ("nvnWindowGetNumActiveTextures", Body::Run(queue::window_get_active)),
    ("nvnWindowGetNumTextures", Body::Run(queue::window_get_count)),
    ("nvnWindowGetPresentInterval", Body::Run(queue::window_get_present_interval)),
    ("nvnWindowInitialize", Body::Run(queue::window_initialize)),
    ("nvnWindowSetCrop", Body::Run(queue::window_set_crop)),
    ("nvnWindowSetDebugLabel", Body::Answer(0, "labels of this kind of object are shown nowhere")),
    ("nvnWindowSetNumActiveTextures", Body::Run(queue::window_set_active)),
    ("nvnWindowSetPresentInterval", Body::Run(queue::window_set_present_interval)),
];

/// Every name of the API that a title may look up, from `data/functions.tsv`.
pub fn names() -> impl Iterator<Item = &'static str> {
    include_str!("../data/functions.tsv")
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .filter(|name| name.starts_with("nvn"))
}

/// The body of a function; `None` for a name that is not the API's.
#[must_use]
pub fn find(name: &str) -> Option<Body> {
    FUNCTIONS.binary_search_by_key(&name, |(n, _)| n).ok().map(|row| FUNCTIONS[row].1)
}

/// Calls a function by name. Errors are logged with the function's name and give 0.
pub fn call(name: &'static str, call: &mut Call<'_>) -> u64 {
    let outcome = match find(name) {
        Some(Body::Run(body) | Body::Hint(body, _)) => body(call),
        Some(Body::Answer(answer, _)) => Ok(answer),
        Some(Body::Partial(body, lacking)) => {
            call.nvn.note_once(name, lacking);
            body(call)
        }
        Some(Body::Missing(lacking)) => missing(name, lacking, call),
        None => missing(name, "it is no function of the API", call),
    };
    outcome.unwrap_or_else(|error| {
        tracing::warn!(function = name, "{error}");
        0
    })
}

/// A function without a body: commands leave a record, so that a decision tells what the frame lacks; all are logged once.
fn missing(name: &'static str, lacking: &'static str, call: &mut Call<'_>) -> Outcome {
    call.nvn.warn_once(name, lacking);
    if name.starts_with("nvnCommandBuffer") {
        let ordinal = names().position(|n| n == name).map_or(u32::MAX, |n| n as u32);
        return command::unsupported(call, ordinal);
    }
    Ok(0)
}

/// What `nvnDeviceGetInteger` answers: id, value.
const DEVICE_INFO: &[(u32, u32)] = &[
    // UNIFORM_BUFFER_BINDINGS_PER_STAGE
    (0x2, 14),
    // MAX_UNIFORM_BUFFER_SIZE
    (0x3, 65536),
    // UNIFORM_BUFFER_ALIGNMENT
    (0x4, 256),
    // COLOR_BUFFER_BINDINGS
    (0x5, 8),
    // VERTEX_BUFFER_BINDINGS
    (0x6, 16),
    // TRANSFORM_FEEDBACK_BUFFER_BINDINGS
    (0x7, 4),
    // SHADER_STORAGE_BUFFER_BINDINGS_PER_STAGE
    (0x8, 16),
    // TEXTURE_BINDINGS_PER_STAGE
    (0x9, 32),
    // COUNTER_ALIGNMENT
    (0xa, 16),
    // TRANSFORM_FEEDBACK_BUFFER_ALIGNMENT
    (0xb, 4),
    // TRANSFORM_FEEDBACK_CONTROL_ALIGNMENT
    (0xc, 4),
    // INDIRECT_DRAW_ALIGNMENT
    (0xd, 4),
    // VERTEX_ATTRIBUTES
    (0xe, 16),
    // TEXTURE_DESCRIPTOR_SIZE
    (0xf, 32),
    // SAMPLER_DESCRIPTOR_SIZE
    (0x10, 32),
    // RESERVED_TEXTURE_DESCRIPTORS
    (0x11, 256),
    // RESERVED_SAMPLER_DESCRIPTORS
    (0x12, 256),
    // COMMAND_BUFFER_COMMAND_ALIGNMENT
    (0x13, 4),
    // COMMAND_BUFFER_CONTROL_ALIGNMENT
    (0x14, 8),
    // COMMAND_BUFFER_MIN_COMMAND_SIZE
    (0x15, 512),
    // COMMAND_BUFFER_MIN_CONTROL_SIZE
    (0x16, 256),
    // SHADER_SCRATCH_MEMORY_SCALE_FACTOR_MINIMUM
    (0x17, 2),
    // SHADER_SCRATCH_MEMORY_SCALE_FACTOR_RECOMMENDED
    (0x18, 256),
    // SHADER_SCRATCH_MEMORY_ALIGNMENT
    (0x19, 4096),
    // SHADER_SCRATCH_MEMORY_GRANULARITY
    (0x1a, 131072),
    // MAX_TEXTURE_ANISOTROPY
    (0x1b, 16),
    // MAX_COMPUTE_WORK_GROUP_SIZE_X
    (0x1c, 1536),
    // MAX_COMPUTE_WORK_GROUP_SIZE_Y
    (0x1d, 1024),
    // MAX_COMPUTE_WORK_GROUP_SIZE_Z
    (0x1e, 64),
    // MAX_COMPUTE_WORK_GROUP_SIZE_THREADS
    (0x1f, 1536),
    // MAX_COMPUTE_DISPATCH_WORK_GROUPS_X
    (0x20, 65535),
    // MAX_COMPUTE_DISPATCH_WORK_GROUPS_Y
    (0x21, 65535),
    // MAX_COMPUTE_DISPATCH_WORK_GROUPS_Z
    (0x22, 65535),
    // IMAGE_BINDINGS_PER_STAGE
    (0x23, 8),
    // MAX_TEXTURE_POOL_SIZE
    (0x24, 1048576),
    // MAX_SAMPLER_POOL_SIZE
    (0x25, 4096),
    // MAX_VIEWPORTS
    (0x26, 16),
    // MEMPOOL_TEXTURE_OBJECT_PAGE_ALIGNMENT
    (0x27, 4096),
    // SUPPORTS_MIN_MAX_FILTERING
    (0x28, 1),
    // SUPPORTS_STENCIL8_FORMAT
    (0x29, 1),
    // SUPPORTS_ASTC_FORMATS
    (0x2a, 1),
    // L2_SIZE
    (0x2b, 262144),
    // MAX_TEXTURE_LEVELS
    (0x2c, 15),
    // MAX_TEXTURE_LAYERS
    (0x2d, 2048),
    // GLSLC_MAX_SUPPORTED_GPU_CODE_MAJOR_VERSION
    (0x2e, 1),
    // GLSLC_MIN_SUPPORTED_GPU_CODE_MAJOR_VERSION
    (0x2f, 1),
    // GLSLC_MAX_SUPPORTED_GPU_CODE_MINOR_VERSION
    (0x30, 16),
    // GLSLC_MIN_SUPPORTED_GPU_CODE_MINOR_VERSION
    (0x31, 5),
    // SUPPORTS_CONSERVATIVE_RASTER
    (0x32, 1),
    // SUBPIXEL_BITS
    (0x33, 8),
    // MAX_SUBPIXEL_BIAS_BITS
    (0x34, 8),
    // INDIRECT_DISPATCH_ALIGNMENT
    (0x35, 4),
    // ZCULL_SAVE_RESTORE_ALIGNMENT
    (0x36, 32),
    // SHADER_SCRATCH_MEMORY_COMPUTE_SCALE_FACTOR_MINIMUM
    (0x37, 128),
    // LINEAR_TEXTURE_STRIDE_ALIGNMENT
    (0x38, 32),
    // LINEAR_RENDER_TARGET_STRIDE_ALIGNMENT
    (0x39, 128),
    // MEMORY_POOL_PAGE_SIZE
    (0x3a, 65536),
    // SUPPORTS_ZERO_FROM_UNMAPPED_VIRTUAL_POOL_PAGES
    (0x3b, 1),
    // UNIFORM_BUFFER_UPDATE_ALIGNMENT
    (0x3c, 4),
    // MAX_TEXTURE_SIZE
    (0x3d, 16384),
    // MAX_BUFFER_TEXTURE_SIZE
    (0x3e, 134217728),
    // MAX_3D_TEXTURE_SIZE
    (0x3f, 2048),
    // MAX_CUBE_MAP_TEXTURE_SIZE
    (0x40, 16384),
    // MAX_RECTANGLE_TEXTURE_SIZE
    (0x41, 16384),
    // SUPPORTS_PASSTHROUGH_GEOMETRY_SHADERS
    (0x42, 1),
    // SUPPORTS_VIEWPORT_SWIZZLE
    (0x43, 1),
    // SUPPORTS_SPARSE_TILED_PACKAGED_TEXTURES
    (0x44, 1),
    // SUPPORTS_ADVANCED_BLEND_MODES
    (0x45, 1),
    // MAX_PRESENT_INTERVAL
    (0x46, 5),
    // SUPPORTS_DRAW_TEXTURE
    (0x47, 1),
    // SUPPORTS_TARGET_INDEPENDENT_RASTERIZATION
    (0x48, 1),
    // SUPPORTS_FRAGMENT_COVERAGE_TO_COLOR
    (0x49, 1),
    // SUPPORTS_POST_DEPTH_COVERAGE
    (0x4a, 1),
    // SUPPORTS_IMAGES_USING_TEXTURE_HANDLES
    (0x4b, 1),
    // SUPPORTS_SAMPLE_LOCATIONS
    (0x4c, 1),
    // MAX_SAMPLE_LOCATION_TABLE_ENTRIES
    (0x4d, 16),
    // SHADER_CODE_MEMORY_POOL_PADDING_SIZE
    (0x4e, 1024),
    // MAX_PATCH_SIZE
    (0x4f, 32),
    // QUEUE_COMMAND_MEMORY_GRANULARITY
    (0x50, 4096),
    // QUEUE_COMMAND_MEMORY_MIN_SIZE
    (0x51, 65536),
    // QUEUE_COMMAND_MEMORY_DEFAULT_SIZE
    (0x52, 65536),
    // QUEUE_COMPUTE_MEMORY_GRANULARITY
    (0x53, 256),
    // QUEUE_COMPUTE_MEMORY_MIN_SIZE
    (0x54, 16384),
    // QUEUE_COMPUTE_MEMORY_DEFAULT_SIZE
    (0x55, 262144),
    // QUEUE_COMMAND_MEMORY_MIN_FLUSH_THRESHOLD
    (0x56, 4096),
    // SUPPORTS_FRAGMENT_SHADER_INTERLOCK
    (0x57, 1),
    // MAX_TEXTURES_PER_WINDOW
    (0x58, 4),
    // MIN_TEXTURES_PER_WINDOW
    (0x59, 2),
    // SUPPORTS_DEBUG_LAYER
    (0x5a, 0),
    // QUEUE_CONTROL_MEMORY_MIN_SIZE
    (0x5b, 4096),
    // QUEUE_CONTROL_MEMORY_DEFAULT_SIZE
    (0x5c, 16384),
    // QUEUE_CONTROL_MEMORY_GRANULARITY
    (0x5d, 4096),
    // SEPARATE_TEXTURE_BINDINGS_PER_STAGE
    (0x5e, 128),
    // SEPARATE_SAMPLER_BINDINGS_PER_STAGE
    (0x5f, 32),
    // DEBUG_GROUPS_MAX_DOMAIN_ID
    (0x60, 65535),
    // EVENTS_SUPPORT_REDUCTION_OPERATIONS
    (0x61, 1),
    // (unknown name)
    (0x62, 32),
    // (unknown name)
    (0x63, 256),
    // (unknown name)
    (0x64, 16),
    // (unknown name)
    (0x65, 65535),
    // (unknown name)
    (0x66, 65535),
    // (unknown name)
    (0x67, 256),
    // (unknown name)
    (0x68, 16383),
];

/// The value of a device query.
#[must_use]
pub fn device_info(id: u32) -> Option<u32> {
    DEVICE_INFO.iter().find(|(n, _)| *n == id).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_every_name_of_the_api() {
        assert!(FUNCTIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut known: Vec<_> = names().collect();
        known.sort_unstable();
        assert_eq!(FUNCTIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), known);
    }

    #[test]
    fn whatever_is_not_implemented_says_why() {
        for (name, body) in FUNCTIONS {
            assert_eq!(body.state() == State::Implemented, body.reason().is_empty(), "{name}");
        }
        let count = |state| FUNCTIONS.iter().filter(|(_, body)| body.state() == state).count();
        assert!(count(State::Implemented) > 400, "{}", count(State::Implemented));
    }
}
