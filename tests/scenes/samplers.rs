//! Samplers: level clamp, bias, filters without levels.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{SamplerSpec, Stage, format, knob, nvn, prove};

/// Samples an 8×8 texture whose levels are 0, 50, 100, 150 into targets of some sizes (the level follows from the size); the red of each first texel.
fn first_texels(stage: &Stage, cases: &[(u32, SamplerSpec)]) -> Vec<u8> {
    let texture = stage.texture("", TextureSpec { levels: 4, ..TextureSpec::d2(format::RGBA8, 8, 8) });
    for level in 0..4u32 {
        let side = 8 >> level;
        stage.fill_level(texture, level, [side; 2], &[[level as u8 * 50; 4]].repeat((side * side) as usize));
    }
    let sample = |(n, (size, sampler)): (usize, &(u32, SamplerSpec))| {
        let label = format!("t{n}");
        let target = stage.texture(&label, TextureSpec::d2(format::RGBA8, *size, *size));
        let commands = stage.begin();
        commands.targets(&[target], None, [*size; 2]);
        commands.program(&["vs_tri_full", "fs_tex_2d"]);
        commands.texture(0, texture, 0, *sampler);
        commands.draw_full();
        commands.submit();
        let texels = stage.read(&label);
        assert!(texels.iter().all(|byte| *byte == texels[0]), "{label}: every texel has the colour of one level");
        texels[0]
    };
    cases.iter().enumerate().map(sample).collect()
}

const MIPS: SamplerSpec =
    SamplerSpec { filters: [nvn::LINEAR_MIPMAP_NEAREST, nvn::NEAREST], lod: [-1000.0, 1000.0], bias: 0.0 };

// rows: M-2.9a
#[test]
fn gpu_level_clamp_and_bias_act_together() {
    let cases = [
        (8, SamplerSpec { lod: [2.0, 1000.0], ..MIPS }),
        (2, SamplerSpec { lod: [2.0, 1000.0], ..MIPS }),
        (8, SamplerSpec { bias: 1.0, ..MIPS }),
        (1, SamplerSpec { lod: [-1000.0, 1.0], ..MIPS }),
        // Beyond what hosts take: held at their limit, not wrapped.
        (8, SamplerSpec { bias: 100.0, ..MIPS }),
    ];
    prove(|stage: &Stage| first_texels(stage, &cases), &[100, 100, 50, 50, 150], &[knob("M-2.9a")]);
}

// rows: M-2.9b
#[test]
fn gpu_a_filter_without_levels_stays_on_the_base_level() {
    let cases = [(1, SamplerSpec { filters: [nvn::LINEAR; 2], ..MIPS }), (1, MIPS)];
    prove(|stage: &Stage| first_texels(stage, &cases), &[0, 150], &[knob("M-2.9b")]);
}
