//! Clears: scissor, masks, stencil.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Commands, Stage, format, knob, nvn, off, prove};
use framegraph::pass::{LoadOp, PassFlags, PassOps};
use nvn_decode::record::Region;

// rows: M-1.3a, R-034
#[test]
fn a_clear_is_cut_by_the_scissor() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 64, 64));
        let commands = stage.api.begin();
        commands.set_render_targets(&[(target, 0)], None);
        commands.set_area(0, 0, 64, 64);
        commands.clear_color(0, [0.0; 4], 15);
        commands.call("nvnCommandBufferSetScissor", &[8, 16, 8, 8]);
        commands.clear_color(0, [1.0, 0.0, 0.0, 1.0], 15);
        stage.submit(commands);
        stage.read("t")
    };
    let inside = |n: usize| (8..16).contains(&(n % 64)) && (16..24).contains(&(n / 64));
    let expected: Vec<u8> = (0..4096).flat_map(|n| if inside(n) { [255, 0, 0, 255] } else { [0; 4] }).collect();
    prove(scene, &expected, &[knob("M-1.3a"), knob("R-034"), off("lower_clears")]);
}

// rows: M-1.3b
#[test]
fn a_clear_has_a_channel_mask_of_its_own() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 8, 8));
        let commands = stage.api.begin();
        commands.set_render_targets(&[(target, 0)], None);
        commands.set_area(0, 0, 8, 8);
        let value = |a: f32, b: f32, c: f32, d: f32| [a / 255.0, b / 255.0, c / 255.0, d / 255.0];
        commands.clear_color(0, value(1.0, 2.0, 3.0, 4.0), 15);
        commands.clear_color(0, value(9.0, 9.0, 9.0, 9.0), 0b1010);
        stage.submit(commands);
        stage.read("t")
    };
    prove(scene, &[1, 9, 3, 9].repeat(64), &[knob("M-1.3b")]);
}

// rows: M-1.3c
#[test]
fn gpu_a_stencil_clear_keeps_the_bits_outside_its_mask() {
    let scene = |stage: &Stage| {
        let stencil = stage.texture("s", TextureSpec::d2(format::STENCIL8, 8, 8));
        let commands = stage.begin();
        commands.targets(&[], Some(stencil), [8, 8]);
        commands.clear_depth_stencil(0.0, false, 0xFF, 0xFF);
        commands.clear_depth_stencil(0.0, false, 0x12, 0x0F);
        commands.submit();
        let cleared = stage.read("s");
        // The clear leaves the write mask of draws alone.
        let commands = stage.begin();
        commands.targets(&[], Some(stencil), [8, 8]);
        commands.stencil_test(nvn::ALWAYS, 0xA5);
        commands.program(&["vs_tri_full"]);
        commands.draw_full();
        commands.submit();
        [cleared, stage.read("s")].concat()
    };
    let expected = [[0xF2; 64], [0xA5; 64]].concat();
    prove(scene, &expected, &[knob("M-1.3c"), knob("R-035b"), off("lower_clears")]);
}

// rows: R-035b
#[test]
fn gpu_a_depth_stencil_clear_obeys_scissor_and_mask_inside_and_outside_a_pass() {
    let scene = |stage: &Stage| {
        let run = |inside: bool| {
            let label = if inside { "inside" } else { "outside" };
            let depth = stage.texture(label, TextureSpec::d2(format::DEPTH32F_STENCIL8, 64, 64));
            let commands = stage.begin();
            commands.targets(&[], Some(depth), [64, 64]);
            commands.clear_depth_stencil(1.0, true, 0xF0, 0xFF);
            if !inside {
                // A submission of its own: no pass is open.
                commands.submit();
                let commands = stage.begin();
                commands.targets(&[], Some(depth), [64, 64]);
                return finish(stage, commands, label);
            }
            // A draw that changes nothing keeps the pass open.
            commands.depth_test(Some(nvn::LESS), false);
            commands.program(&["vs_tri_full"]);
            commands.draw_full();
            finish(stage, commands, label)
        };
        [run(true), run(false)].concat()
    };
    fn finish(stage: &Stage, commands: Commands<'_>, label: &str) -> Vec<u8> {
        commands.call("nvnCommandBufferSetScissor", &[0, 0, 8, 8]);
        commands.clear_depth_stencil(0.5, true, 0x0F, 0x03);
        commands.submit();
        stage.read(label)
    }
    // Depth and stencil of a texel are two words.
    let texel = |n: usize| {
        if n % 64 < 8 && n / 64 < 8 { [0.5f32.to_bits(), 0xF3] } else { [1.0f32.to_bits(), 0xF0] }
    };
    let words: Vec<u32> = (0..4096).flat_map(texel).collect();
    let expected = crate::bytes(&words).repeat(2);
    prove(scene, &expected, &[knob("R-035b"), off("lower_clears")]);
}

// rows: R-032
#[test]
fn gpu_a_mask_of_all_channels_that_exist_is_whole() {
    let scene = |stage: &Stage| {
        let texture = stage.texture("t", TextureSpec::d2(format::R8, 64, 64));
        let commands = stage.begin();
        let region = stage.api.place(&[Region { offset: [0; 3], extent: [64, 64, 1] }], 4);
        let value = stage.api.place(&[0.6f32, 0.0, 0.0, 0.0], 4);
        commands.call("nvnCommandBufferClearTexture", &[texture, 0, region, value, 1]);
        commands.submit();
        // A clear of some channels is a draw, hence a pass.
        let passes = crate::live_passes(stage);
        let mut bytes = stage.read("t");
        bytes.push(passes as u8);
        bytes
    };
    let expected = [vec![153; 4096], vec![0]].concat();
    prove(scene, &expected, &[knob("R-032")]);
}

// rows: M-1.3d
#[test]
fn gpu_a_clear_between_draws_stays_in_their_pass() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 8, 8));
        let commands = stage.begin();
        commands.targets(&[target], None, [8, 8]);
        let rect = |area: [f32; 4], color: [f32; 4]| {
            commands.block(&[area, [0.0, 1.0, 0.0, 0.0], color]);
            commands.program(&["vs_rect_ubo", "fs_color_varying"]);
            commands.draw(nvn::TRIANGLE_STRIP, 4);
        };
        rect([-1.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]);
        commands.call("nvnCommandBufferSetScissor", &[4, 0, 4, 8]);
        commands.clear([0, 0, 255, 255]);
        commands.call("nvnCommandBufferSetScissor", &[0, 0, 8, 8]);
        rect([-1.0, -1.0, -0.75, -0.75], [0.0, 1.0, 0.0, 1.0]);
        commands.submit();
        let passes = crate::live_passes(stage);
        let mut bytes = stage.read("t");
        bytes.push(passes as u8);
        bytes
    };
    let texel = |n: usize| match (n % 8, n / 8) {
        (0, 0) => [0, 255, 0, 255],
        (0..4, _) => [255, 0, 0, 255],
        _ => [0, 0, 255, 255],
    };
    let mut expected: Vec<u8> = (0..64).flat_map(texel).collect();
    expected.push(1);
    prove(scene, &expected, &[knob("M-1.3d")]);
}

// rows: R-031
#[test]
fn gpu_clears_of_passes_of_their_own_go_on_to_the_pass_that_uses_their_targets() {
    let colors: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]];
    let scene = |stage: &Stage| {
        let spec = TextureSpec::d2(format::RGBA8, 8, 8);
        let run = |copied: bool| {
            let name = |n: usize| format!("{copied}{n}");
            let targets: Vec<u64> = (0..4).map(|n| stage.texture(&name(n), spec)).collect();
            let copy = stage.texture(&name(4), spec);
            let commands = stage.begin();
            for (target, color) in targets.iter().zip(colors) {
                commands.targets(&[*target], None, [8, 8]);
                commands.clear(color);
            }
            if copied {
                let region = stage.api.place(&[Region { offset: [0; 3], extent: [8, 8, 1] }], 4);
                let arguments = [targets[2], 0, region, copy, 0, region, 0];
                commands.call("nvnCommandBufferCopyTextureToTexture", &arguments);
            }
            commands.targets(&targets, None, [8, 8]);
            // The left half, another grey in each; the right half keeps what the clears left.
            commands.call("nvnCommandBufferSetScissor", &[0, 0, 4, 8]);
            commands.program(&["vs_tri_full", "fs_mrt8_ramp"]);
            commands.draw_full();
            commands.submit();
            let (passes, loads) = (crate::live_passes(stage), cleared_loads(stage));
            let mut bytes: Vec<u8> = (0..if copied { 5 } else { 4 }).flat_map(|n| stage.read(&name(n))).collect();
            bytes.extend([passes as u8, loads as u8]);
            bytes
        };
        [run(false), run(true)].concat()
    };
    let texel = |n: usize| if n % 8 < 4 { [[32, 64, 96, 128][n / 64]; 4] } else { colors[n / 64] };
    let drawn: Vec<u8> = (0..4 * 64).flat_map(texel).collect();
    // Three clears of the second run go on; the copied target keeps a pass, of which its clear is the load operation.
    let expected = [&drawn[..], &[1, 4], &drawn, &colors[2].repeat(64), &[2, 4]].concat();
    prove(scene, &expected, &[knob("R-031"), off("fold_lazy_clears")]);
}

/// Attachments of the last part that are cleared as they are loaded.
fn cleared_loads(stage: &Stage) -> usize {
    stage.with_graph(|graph| {
        let world = graph.world_mut();
        let mut passes = world.query::<(&PassFlags, &PassOps)>();
        let live = passes.iter(world).filter(|(flags, _)| flags.has(PassFlags::LIVE));
        live.flat_map(|(_, ops)| ops.color).filter(|(load, _)| matches!(load, LoadOp::Clear(_))).count()
    })
}
