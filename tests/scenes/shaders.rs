//! Translated code: helper lanes, infinities, registers that nothing wrote.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Stage, format, knob, nvn, prove};

// rows: M-3.5
#[test]
fn gpu_a_killed_pixel_writes_nothing_and_serves_its_quad() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 2, 2));
        let count = stage.buffer(&[0u32]);
        let commands = stage.begin();
        commands.targets(&[target], None, [2, 2]);
        commands.clear([9, 9, 9, 9]);
        commands.program(&["vs_tri_full", "fs_kill_quad_derivative"]);
        commands.storage(nvn::FRAGMENT, 0, count, 4);
        commands.draw_full();
        commands.submit();
        [stage.read("t"), crate::bytes(&stage.read_words(count, 1))].concat()
    };
    let texels = [[9, 9, 9, 9], [255, 0, 0, 255], [255, 0, 0, 255], [255, 0, 0, 255]].concat();
    prove(scene, &[texels, crate::bytes(&[3])].concat(), &[]);
}

// rows: M-3.7
#[test]
fn gpu_reciprocals_and_logarithms_reach_their_infinities() {
    let scene = |stage: &Stage| {
        let mut values = [1.0f32; 32];
        (values[0], values[1]) = (0.0, -0.0);
        let (input, output) = (stage.buffer(&values), stage.buffer(&[0u32; 256]));
        let commands = stage.begin();
        commands.program(&["cs_mufu_edges"]);
        commands.storage(nvn::COMPUTE, 0, input, 128);
        commands.storage(nvn::COMPUTE, 1, output, 1024);
        commands.call("nvnCommandBufferDispatchCompute", &[1, 1, 1]);
        commands.submit();
        let words = stage.read_words(output, 16);
        // 1 / +0, 1 / -0, log2(+0).
        crate::bytes(&[words[0], words[8], words[1]])
    };
    prove(scene, &crate::bytes(&[0x7F80_0000, 0xFF80_0000, 0xFF80_0000]), &[knob("M-3.7")]);
}

// rows: M-3.12a, A-086
#[test]
fn gpu_a_register_that_one_path_wrote_is_zero_on_the_other() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 64, 64));
        let commands = stage.begin();
        commands.targets(&[target], None, [64, 64]);
        commands.program(&["vs_tri_full", "fs_branch_undefined_register"]);
        // The value is one right of the middle.
        commands.block(&[[32.0f32, 1.0, 0.0, 0.0]]);
        commands.draw_full();
        commands.submit();
        stage.read("t")
    };
    let texel = |n: usize| if n % 64 < 32 { [0, 0, 0, 255] } else { [255; 4] };
    let expected: Vec<u8> = (0..4096).flat_map(texel).collect();
    prove(scene, &expected, &[knob("M-3.12a"), knob("A-086")]);
}
