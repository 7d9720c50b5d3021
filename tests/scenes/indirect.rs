//! Draws and dispatches whose sizes the GPU wrote.

use ferrograph_nvn::recorder::{TextureSpec, ViewSpec};
use ferrograph_tests::scene::{Commands, Stage, format, knob, nvn, prove, prove_hostile};

/// Binds a compute program with a block and storage buffers from a slot on, and runs groups of it.
fn compute<T: bytemuck::NoUninit>(
    stage: &Stage,
    commands: &Commands<'_>,
    program: &str,
    block: &[T],
    first: u64,
    buffer: u64,
) {
    commands.program(&[program]);
    let block = stage.buffer(block);
    commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::COMPUTE, 0, block, 256]);
    commands.storage(nvn::COMPUTE, first, buffer, 4096);
    commands.call("nvnCommandBufferDispatchCompute", &[1, 1, 1]);
    commands.call("nvnCommandBufferBarrier", &[nvn::BARRIER_ALL | nvn::ORDER_INDIRECT]);
}

// rows: R-061a
#[test]
fn gpu_a_draw_reads_the_record_that_the_gpu_wrote() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA32F, 4, 1));
        let record = stage.buffer(&[0u32; 1024]);
        let commands = stage.begin();
        compute(stage, &commands, "cs_indirect_args_arrays", &[[4u32, 4, 0, 0], [8, 0, 0, 0]], 0, record);
        commands.targets(&[target], None, [4, 1]);
        commands.program(&["vs_instance_columns_noattr", "fs_color_flat"]);
        commands.block(&[[4.0f32, 0.0, 0.0, 0.0]]);
        commands.call("nvnCommandBufferDrawArraysIndirect", &[nvn::TRIANGLE_STRIP, record + 32]);
        commands.submit();
        stage.read("t")
    };
    let texels = [1u8, 2, 3, 4].map(|n| [0.125 * f32::from(n), 0.125 * f32::from(n), 0.125 * f32::from(n), 1.0]);
    prove_hostile(scene, &crate::floats(&texels.concat()), &[]);
}

// rows: R-061a
#[test]
fn gpu_a_dispatch_reads_its_sizes_and_the_program_sees_them() {
    let scene = |stage: &Stage| {
        let sizes = stage.buffer(&[0u32; 1024]);
        let counts = stage.buffer(&[0u32; 64]);
        let commands = stage.begin();
        compute(stage, &commands, "cs_indirect_dispatch_args", &[[2u32, 3, 4, 0]], 1, sizes);
        commands.program(&["cs_record_group_counts"]);
        commands.storage(nvn::COMPUTE, 0, counts, 32);
        commands.call("nvnCommandBufferDispatchComputeIndirect", &[sizes]);
        commands.submit();
        crate::bytes(&stage.read_words(counts, 4))
    };
    prove_hostile(scene, &crate::bytes(&[2, 3, 4, 24]), &[knob("A-042")]);
}

// rows: R-062
#[test]
fn gpu_the_count_in_memory_limits_the_draws() {
    const RECORDS: u32 = 49;
    let scene = |stage: &Stage| {
        let drawn = |count: u32| {
            let label = format!("t{count}");
            let target = stage.texture(&label, TextureSpec::d2(format::RGBA32I, RECORDS, 1));
            let records = stage.buffer(&[0u32; 1024]);
            let number = stage.buffer(&[0u32; 1024]);
            let indices = stage.buffer(&[0u16, 1, 2, 3]);
            let commands = stage.begin();
            compute(stage, &commands, "cs_indirect_args_elements", &[[RECORDS, 4, 4, 0]], 0, records);
            compute(stage, &commands, "cs_indirect_args_arrays", &[[count, 0, 0, 0], [0; 4]], 0, number);
            commands.targets(&[target], None, [RECORDS, 1]);
            commands.clear([0; 4]);
            commands.program(&["vs_drawid_columns", "fs_flat_ivec4_out"]);
            commands.block(&[[RECORDS as f32, 0.0, 0.0, 0.0]]);
            let call = [nvn::TRIANGLE_STRIP, 1, indices, records, number, u64::from(RECORDS), 20];
            commands.call("nvnCommandBufferMultiDrawElementsIndirectCount", &call);
            commands.submit();
            let texels = stage.read(&label);
            // Base vertex and number of the draw of each column.
            texels.chunks_exact(16).flat_map(|texel| [&texel[0..4], &texel[8..12]].concat()).collect::<Vec<u8>>()
        };
        [0, 7, 100].map(drawn).concat()
    };
    let column = |count: u32| (0..RECORDS).flat_map(move |n| if n < count { [4 * n, n] } else { [0, 0] });
    let expected: Vec<u32> = [0, 7, 100].into_iter().flat_map(column).collect();
    prove(scene, &crate::bytes(&expected), &[]);
}

// rows: R-027
#[test]
fn gpu_a_vertex_program_selects_layers_from_the_attached_one_on() {
    let scene = |stage: &Stage| {
        let volume = TextureSpec { target: 2, extent: [32; 3], ..TextureSpec::d2(format::RGBA8, 32, 32) };
        let array = TextureSpec { target: 4, extent: [8, 8, 4], ..TextureSpec::d2(format::RGBA8, 8, 8) };
        let (volume, array) = (stage.texture("volume", volume), stage.texture("array", array));
        let draw = |texture: u64, view: u64, side: u32, instances: u64| {
            let commands = stage.begin();
            commands.set_render_targets(&[(texture, view)], None);
            commands.set_area(0, 0, side, side);
            commands.program(&["vs_layer_by_instance", "fs_flat_int_grey8"]);
            commands.call("nvnCommandBufferDrawArraysInstanced", &[nvn::TRIANGLES, 0, 3, 0, instances]);
            commands.submit();
        };
        draw(volume, 0, 32, 32);
        let view = stage.api.view(ViewSpec { layers: Some((2, 2)), ..ViewSpec::default() });
        draw(array, view, 8, 2);
        [stage.read("volume"), stage.read("array")].concat()
    };
    let plane = |grey: u8, texels: usize| [grey, grey, grey, 255].repeat(texels);
    let volume: Vec<u8> = (0..32).flat_map(|n| plane(8 * n, 1024)).collect();
    let array = [vec![0; 2 * 64 * 4], plane(0, 64), plane(8, 64)].concat();
    prove(scene, &[volume, array].concat(), &[knob("R-027")]);
}
