//! Draws: programs bound by stage, instances.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Stage, format, knob, nvn, prove};
use framegraph::decision::Verdict;

// rows: R-054
#[test]
fn gpu_programs_are_bound_stage_by_stage() {
    let scene = |stage: &Stage| {
        let color = stage.texture("c", TextureSpec::d2(format::RGBA8, 64, 64));
        let depth = stage.texture("d", TextureSpec::d2(format::DEPTH32F, 64, 64));
        stage.api.call("nvnDeviceSetDepthMode", &[stage.api.device(), 1]);
        let first = stage.program(&["vs_tri_full_z", "fs_red_loc0_only"]);
        let second = stage.program(&["vs_tri_full_posonly", "fs_color_ubo"]);
        let commands = stage.begin();
        commands.targets(&[color], Some(depth), [64, 64]);
        commands.clear([9, 9, 9, 9]);
        commands.clear_depth_stencil(1.0, true, 0, 0);
        let bind = |program: u64, stages: u64| commands.call("nvnCommandBufferBindProgram", &[program, stages]);
        // A vertex stage alone draws depth.
        bind(first, 0x3);
        bind(0, 0x2);
        commands.block(&[[0.25f32, 1.0, 0.0, 0.0]]);
        commands.depth_test(Some(nvn::LESS), true);
        commands.draw_full();
        commands.submit();
        let depth_alone = [stage.read("c"), stage.read("d")].concat();
        // The fragment stage of another program joins it.
        let commands = stage.begin();
        commands.targets(&[color], Some(depth), [64, 64]);
        let bind = |program: u64, stages: u64| commands.call("nvnCommandBufferBindProgram", &[program, stages]);
        bind(first, 0x1);
        bind(second, 0x2);
        commands.block(&[[0.25f32, 1.0, 0.0, 0.0]]);
        let block = stage.buffer(&[[0.2f32, 0.4, 0.6, 0.8]]);
        commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::FRAGMENT, 0, block, 256]);
        commands.depth_test(Some(nvn::EQUAL), false);
        commands.draw_full();
        commands.submit();
        let joined = stage.read("c");
        // Without a vertex stage there is nothing to draw.
        let commands = stage.begin();
        commands.targets(&[color], Some(depth), [64, 64]);
        commands.call("nvnCommandBufferBindProgram", &[first, 0x3]);
        commands.call("nvnCommandBufferBindProgram", &[0, 0x7]);
        commands.draw_full();
        commands.submit();
        let dropped = stage.verdicts("specialise_shader_keys") == [Verdict::Skipped];
        [depth_alone, joined, stage.read("c"), vec![u8::from(dropped)]].concat()
    };
    let other = [51, 102, 153, 204].repeat(4096);
    let depth = crate::floats(&[0.25; 4096]);
    let expected = [&[9, 9, 9, 9].repeat(4096)[..], &depth, &other, &other, &[1]].concat();
    prove(scene, &expected, &[knob("R-054")]);
}

// rows: R-057
#[test]
fn gpu_instances_begin_at_the_base_instance() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 4, 1));
        let values: Vec<f32> = (0..8u8).map(|n| f32::from(n) * 10.0).collect();
        let buffer = stage.buffer(&values);
        let commands = stage.begin();
        commands.targets(&[target], None, [4, 1]);
        commands.program(&["vs_instance_columns", "fs_flat_float_bytes"]);
        commands.block(&[[4.0f32, 0.0, 0.0, 0.0]]);
        commands.vertices(&[(format::R32F, 0, 0)], &[(4, 1, buffer, 256)]);
        // Four vertices, base instance 2, four instances.
        commands.call("nvnCommandBufferDrawArraysInstanced", &[nvn::TRIANGLE_STRIP, 0, 4, 2, 4]);
        commands.submit();
        stage.read("t")
    };
    let expected: Vec<u8> = [20, 30, 40, 50].iter().flat_map(|value| [*value; 4]).collect();
    prove(scene, &expected, &[knob("R-057")]);
}

/// Commands that no rule carries out yet are told, never silent; what stands around them is drawn.
#[test]
fn gpu_what_is_not_carried_out_is_told() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 4, 4));
        let report = stage.buffer(&[0u32; 4]);
        let commands = stage.begin();
        commands.targets(&[target], None, [4, 4]);
        commands.program(&["vs_tri_full", "fs_red_loc0_only"]);
        commands.call("nvnCommandBufferSetRenderEnable", &[0]);
        commands.call("nvnCommandBufferResetCounter", &[1]);
        commands.call("nvnCommandBufferBeginTransformFeedback", &[0]);
        commands.draw_full();
        commands.call("nvnCommandBufferReportCounter", &[1, report]);
        commands.draw(nvn::QUADS, 4);
        commands.submit();
        let told = stage.take_degraded().len();
        let skipped = stage.verdicts("pick_pipelines").iter().filter(|v| **v == Verdict::Skipped).count();
        [stage.read("t"), vec![told as u8, skipped as u8]].concat()
    };
    prove(scene, &[[255, 0, 0, 255].repeat(16), vec![4, 1]].concat(), &[]);
}
