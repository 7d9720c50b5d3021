//! Depth: clip range, clamp, viewport range, stencil.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Setup, Stage, format, knob, nvn, prove};

/// One draw over an 8×8 depth target that was cleared to a preset.
#[derive(Clone, Copy)]
struct Draw {
    /// Whether near is -w (the default) or 0.
    mode: u64,
    z: f32,
    w: f32,
    range: [f32; 2],
    clamp: bool,
}

const DRAW: Draw = Draw { mode: 0, z: 0.0, w: 1.0, range: [0.0, 1.0], clamp: false };

/// What a draw leaves, from depth 0.125.
fn depth_of(draws: &[Draw]) -> impl Fn(&Stage) -> Vec<u8> {
    |stage| {
        let leaves = |(n, draw): (usize, &Draw)| {
            stage.api.call("nvnDeviceSetDepthMode", &[stage.api.device(), draw.mode]);
            let label = format!("d{n}");
            let depth = stage.texture(&label, TextureSpec::d2(format::DEPTH32F, 8, 8));
            let commands = stage.begin();
            commands.targets(&[], Some(depth), [8, 8]);
            commands.clear_depth_stencil(0.125, true, 0, 0);
            commands.call_with_floats("nvnCommandBufferSetDepthRange", &[], &draw.range);
            commands.call("nvnCommandBufferSetDepthClamp", &[draw.clamp.into()]);
            commands.depth_test(Some(nvn::ALWAYS), true);
            commands.block(&[[draw.z, draw.w, 0.0, 0.0]]);
            commands.program(&["vs_tri_full_z"]);
            commands.draw_full();
            commands.submit();
            stage.read(&label)
        };
        draws.iter().enumerate().flat_map(leaves).collect()
    }
}

/// Draws, and the depth that each leaves everywhere; 0.125 = nothing was drawn.
fn prove_depths(cases: &[(Draw, f32)], mutants: &[Setup]) {
    let draws: Vec<Draw> = cases.iter().map(|(draw, _)| *draw).collect();
    let expected: Vec<f32> = cases.iter().flat_map(|(_, depth)| [*depth; 64]).collect();
    prove(depth_of(&draws), &crate::floats(&expected), mutants);
}

// rows: M-1.5a
#[test]
fn gpu_the_depth_mode_is_state_of_the_device() {
    let at = |mode, z| Draw { mode, z, ..DRAW };
    let cases = [(at(0, -0.5), 0.25), (at(1, -0.5), 0.125), (at(0, 0.5), 0.75), (at(1, 0.5), 0.5)];
    prove_depths(&cases, &[knob("M-1.5a")]);
}

// rows: M-1.5b
#[test]
fn gpu_the_viewport_range_follows_the_depth_mode() {
    let at = |mode, z| Draw { mode, z, range: [0.25, 0.75], ..DRAW };
    let cases = [
        (at(0, -1.0), 0.25),
        (at(0, 0.0), 0.5),
        (at(0, 1.0), 0.75),
        (at(1, 0.0), 0.25),
        (at(1, 0.5), 0.5),
        (at(1, 1.0), 0.75),
    ];
    prove_depths(&cases, &[knob("M-1.5b")]);
}

// rows: M-1.6a, R-044
#[test]
fn gpu_one_switch_clamps_and_does_not_clip() {
    let at = |mode, z, clamp| Draw { mode, z, clamp, ..DRAW };
    let cases = [
        (at(0, 2.0, true), 1.0),
        (at(0, 2.0, false), 0.125),
        (at(1, 1.5, true), 1.0),
        (at(1, 1.5, false), 0.125),
        (at(1, -0.5, true), 0.0),
    ];
    prove_depths(&cases, &[knob("M-1.6a"), knob("R-044")]);
}

// rows: M-1.8
#[test]
fn gpu_two_programs_with_the_same_position_arithmetic_give_the_same_depth() {
    const TRIANGLES: usize = 1000;
    let scene = |stage: &Stage| {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1u32 << 24) as f32) * 2.0 - 1.0
        };
        let vertices: Vec<[f32; 7]> = (0..3 * TRIANGLES).map(|_| std::array::from_fn(|_| random())).collect();
        let vertices = stage.buffer(&vertices);
        let matrix = |diagonal: [f32; 4], mut random: Box<dyn FnMut() -> f32 + '_>| -> [[f32; 4]; 4] {
            std::array::from_fn(|n| std::array::from_fn(|k| random() * 0.1 + if n == k { diagonal[n] } else { 0.0 }))
        };
        let camera = stage.buffer(&[matrix([0.9, 0.8, 0.7, 1.5], Box::new(&mut random))]);
        let model = stage.buffer(&[matrix([1.1, 0.9, 1.0, 1.0], Box::new(&mut random))]);
        let more = stage.buffer(&[[0.3f32, 0.7, 0.2, 0.9]; 4]);
        let spec = TextureSpec::d2(format::RGBA8, 256, 256);
        let (pre, main) = (stage.texture("pre", spec), stage.texture("main", spec));
        let depth = stage.texture("d", TextureSpec::d2(format::DEPTH32F, 256, 256));
        let commands = stage.begin();
        let attributes = [(format::RGB32F, 0, 0), (format::RGBA32F, 12, 0)];
        commands.vertices(&attributes, &[(28, 0, vertices, 28 * 3 * TRIANGLES as u64)]);
        for (slot, block) in [camera, model, more].into_iter().enumerate() {
            commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::VERTEX, slot as u64, block, 256]);
        }
        let white = stage.buffer(&[[1.0f32; 4]]);
        commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::FRAGMENT, 0, white, 256]);
        commands.targets(&[pre], Some(depth), [256, 256]);
        commands.clear_depth_stencil(1.0, true, 0, 0);
        commands.depth_test(Some(nvn::LESS), true);
        commands.program(&["vs_invariant_prepass", "fs_color_ubo"]);
        commands.draw(nvn::TRIANGLES, 3 * TRIANGLES as u64);
        commands.barrier();
        commands.targets(&[main], Some(depth), [256, 256]);
        commands.depth_test(Some(nvn::EQUAL), false);
        commands.program(&["vs_invariant_main", "fs_color_ubo"]);
        commands.draw(nvn::TRIANGLES, 3 * TRIANGLES as u64);
        commands.submit();
        let (pre, main) = (stage.read("pre"), stage.read("main"));
        let visible = pre.iter().filter(|byte| **byte == 255).count();
        assert!(visible > 10_000, "{visible} bytes");
        vec![u8::from(pre == main)]
    };
    prove(scene, &[1], &[]);
}
