//! What nothing wrote reads as zero.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{SamplerSpec, Stage, format, knob, nvn, off, prove_hostile};

// rows: M-1.18, R-002a
#[test]
fn gpu_every_level_layer_and_slice_of_a_new_texture_reads_zero() {
    let scene = |stage: &Stage| {
        let mut all = Vec::new();
        let mut fetch = |spec: TextureSpec, program: &str, block: [i32; 4], out: u32, label: &str| {
            let texture = stage.texture("", spec);
            let targets = [stage.texture(label, TextureSpec::d2(out, 16, 16))];
            let commands = stage.begin();
            commands.targets(&targets, None, [16, 16]);
            commands.program(&["vs_tri_full", program]);
            commands.block(&[block]);
            commands.texture(0, texture, 0, SamplerSpec::default());
            commands.draw_full();
            commands.submit();
            all.extend(stage.read(label));
        };
        let d2 = |format| TextureSpec::d2(format, 64, 64);
        fetch(d2(format::RGBA8), "fs_fetch_2d", [0; 4], format::RGBA8, "colour");
        fetch(d2(format::R32UI), "fs_tex_usampler", [0; 4], format::RGBA32UI, "words");
        fetch(TextureSpec { levels: 4, ..d2(format::RGBA8) }, "fs_fetch_2d", [2, 0, 0, 0], format::RGBA8, "level2");
        // Layer 5 of 6 and plane 31 of 32.
        for (label, layer, layers, planes) in [("layer", 5, 6, 8), ("plane", 31, 32, 32)] {
            let array = TextureSpec { target: 4, extent: [16, 16, layers], ..d2(format::RGBA8) };
            let volume = TextureSpec { target: 2, extent: [16, 16, planes], ..d2(format::RGBA8) };
            let (array, volume) = (stage.texture("", array), stage.texture("", volume));
            let second = format!("{label}2");
            let targets = [label, &second].map(|label| stage.texture(label, TextureSpec::d2(format::RGBA8, 16, 16)));
            let commands = stage.begin();
            commands.targets(&targets, None, [16, 16]);
            commands.program(&["vs_tri_full", "fs_fetch_2darray_3d"]);
            commands.block(&[[layer, 0, 0, 0]]);
            commands.texture(0, array, 0, SamplerSpec::default());
            commands.texture(1, volume, 0, SamplerSpec::default());
            commands.draw_full();
            commands.submit();
            all.extend([stage.read(label), stage.read(&second)].concat());
        }
        all
    };
    let zero = [0u8; 4].repeat(256);
    // An integer texture without alpha reads alpha 1.
    let words = crate::bytes(&[0, 0, 0, 1]).repeat(256);
    let expected = [&zero[..], &words, &zero, &zero, &zero, &zero, &zero].concat();
    prove_hostile(scene, &expected, &[off("zero_initialise"), knob("M-1.18"), knob("R-002a")]);
}

// rows: M-1.18, R-002b
#[test]
fn gpu_depth_that_nothing_cleared_is_zero() {
    let scene = |stage: &Stage| {
        let target = stage.texture("c", TextureSpec::d2(format::RGBA8, 64, 64));
        let depth = stage.texture("d", TextureSpec::d2(format::DEPTH32F, 64, 64));
        let commands = stage.begin();
        commands.targets(&[target], Some(depth), [64, 64]);
        commands.depth_test(Some(nvn::GEQUAL), false);
        // Depth 0.5: above zero; below the poison of fresh memory, which is 0.71, and below one.
        commands.block(&[[-1.0f32, -1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]]);
        commands.program(&["vs_rect_ubo", "fs_color_varying"]);
        commands.draw(nvn::TRIANGLE_STRIP, 4);
        commands.submit();
        stage.read("c")
    };
    let mutants = [knob("R-002b"), off("zero_initialise"), knob("M-1.18")];
    prove_hostile(scene, &[0, 255, 0, 255].repeat(4096), &mutants);
}

// rows: M-1.18, R-002b
#[test]
fn gpu_stencil_that_nothing_cleared_is_zero() {
    let scene = |stage: &Stage| {
        let target = stage.texture("c", TextureSpec::d2(format::RGBA8, 64, 64));
        let depth = stage.texture("d", TextureSpec::d2(format::DEPTH24_STENCIL8, 64, 64));
        let commands = stage.begin();
        commands.targets(&[target], Some(depth), [64, 64]);
        commands.stencil_test(nvn::EQUAL, 0);
        commands.program(&["vs_tri_full", "fs_color_ubo"]);
        commands.block(&[[0.0f32, 1.0, 0.0, 1.0]]);
        commands.draw_full();
        commands.submit();
        stage.read("c")
    };
    let mutants = [off("zero_initialise"), knob("M-1.18"), knob("R-002b")];
    prove_hostile(scene, &[0, 255, 0, 255].repeat(4096), &mutants);
}
