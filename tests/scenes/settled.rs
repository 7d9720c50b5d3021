//! What devices compute as they like, computed in one way on request: filters, powers, logarithms, and the step of a target that a value goes to.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{SamplerSpec, Setup, Stage, drawn, format, nvn};

/// Draws a scene in the one way; `None` where there is no device.
fn settled(scene: impl Fn(&Stage) -> Vec<u8>) -> Option<Vec<u8>> {
    let (bytes, complaints) = drawn(&scene, &Setup { separate_rounding: true, ..Setup::default() })?;
    assert!(complaints.is_empty(), "{complaints:?}");
    Some(bytes)
}

fn read_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[test]
fn gpu_a_filter_has_weights_of_eight_bits_and_rounds_nothing_else() {
    const WIDTH: u32 = 64;
    let scene = |stage: &Stage| {
        let texture = stage.texture("", TextureSpec::d2(format::RGBA8, 2, 2));
        stage.fill(texture, [2, 2], &[[0u8; 4], [255; 4], [0; 4], [255; 4]]);
        let target = stage.texture("t", TextureSpec::d2(format::R32F, WIDTH, 1));
        let commands = stage.begin();
        commands.targets(&[target], None, [WIDTH, 1]);
        commands.program(&["vs_tri_full", "fs_tex_depth_as_float"]);
        commands.texture(0, texture, 0, SamplerSpec { filters: [nvn::LINEAR; 2], ..SamplerSpec::default() });
        commands.draw_full();
        commands.submit();
        stage.read("t")
    };
    let Some(bytes) = settled(scene) else { return };
    // The middle of pixel n lies 2 (n + 1/2) / 64 texels from the edge, hence half a texel less from the middle of texel 0: a multiple of 1/64.
    let expected = (0..WIDTH).map(|n| ((n as f32 + 0.5) / 32.0 - 0.5).clamp(0.0, 1.0));
    assert_eq!(read_floats(&bytes), expected.collect::<Vec<_>>());
}

#[test]
fn gpu_powers_and_logarithms_are_near_and_reach_their_ends() {
    const COUNT: usize = 1024;
    let mut values: Vec<f32> = (0..COUNT).map(|n| (n as f32 - 300.0) * 0.173).collect();
    values[..8].copy_from_slice(&[0.0, -1.0, f32::INFINITY, f32::NAN, 1.0, 0.999_999_9, 200.0, -200.0]);
    let scene = |stage: &Stage| {
        let (input, output) = (stage.buffer(&values), stage.buffer(&vec![0u32; COUNT * 8]));
        let commands = stage.begin();
        commands.program(&["cs_mufu_edges"]);
        commands.storage(nvn::COMPUTE, 0, input, COUNT as u64 * 4);
        commands.storage(nvn::COMPUTE, 1, output, COUNT as u64 * 32);
        commands.call("nvnCommandBufferDispatchCompute", &[COUNT as u64 / 32, 1, 1]);
        commands.submit();
        crate::bytes(&stage.read_words(output, COUNT * 8))
    };
    let Some(bytes) = settled(scene) else { return };
    let near = |have: f32, want: f64, allowed: f64| {
        let same = (have.is_nan() && want.is_nan()) || f64::from(have) == want || have == want as f32;
        same || (f64::from(have) - want).abs() <= allowed * want.abs()
    };
    for (value, have) in values.iter().zip(read_floats(&bytes).chunks_exact(8)) {
        let exact = f64::from(*value);
        assert!(near(have[1], exact.log2(), 3e-7), "log2({value}) = {}", have[1]);
        // What is no normal number may be zero or infinite.
        let power = exact.exp2();
        let power = if power > f64::from(f32::MAX) { f64::INFINITY } else { power };
        let small = power < f64::from(f32::MIN_POSITIVE);
        let right = if small { have[2] < f32::MIN_POSITIVE } else { near(have[2], power, 1e-6) };
        assert!(right, "exp2({value}) = {}", have[2]);
    }
}

#[test]
fn gpu_a_value_goes_to_the_nearest_step_of_its_target() {
    const RGB10A2: u32 = 0x3D;
    // 0.9 of 255 lies below the middle between two steps by less than a float tells.
    let colors = [[0.9f32, 0.5, 0.1, 0.3], [0.002, 0.21, 0.73, 0.7], [-1.0, 0.018, 2.0, 1.0]];
    let scene = |stage: &Stage| {
        let mut all = Vec::new();
        for (n, color) in colors.iter().enumerate() {
            for format in [format::RGBA8, format::RGBA8_SRGB, RGB10A2] {
                let label = format!("t{n}x{format}");
                let target = stage.texture(&label, TextureSpec::d2(format, 1, 1));
                let commands = stage.begin();
                commands.targets(&[target], None, [1, 1]);
                commands.program(&["vs_tri_full", "fs_color_ubo"]);
                commands.block(&[*color]);
                commands.draw_full();
                commands.submit();
                all.extend(stage.read(&label));
            }
        }
        all
    };
    let Some(bytes) = settled(scene) else { return };
    let step = |value: f32, steps: f64| (f64::from(value).clamp(0.0, 1.0) * steps).round_ties_even() as u32;
    let srgb = |value: f32| {
        let value = f64::from(value).clamp(0.0, 1.0);
        let bright = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (bright * 255.0).round() as u8
    };
    let expected = colors.iter().flat_map(|color| {
        let [r, g, b, a] = *color;
        let ten = step(r, 1023.0) | step(g, 1023.0) << 10 | step(b, 1023.0) << 20 | step(a, 3.0) << 30;
        let bright = [srgb(r), srgb(g), srgb(b), step(a, 255.0) as u8];
        [color.map(|value| step(value, 255.0) as u8), bright, ten.to_le_bytes()].concat()
    });
    assert_eq!(bytes, expected.collect::<Vec<_>>());
}
