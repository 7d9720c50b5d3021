//! Render targets: masks, output maps, duplicates, views.

use ferrograph_nvn::recorder::{TextureSpec, ViewSpec};
use ferrograph_tests::scene::{SamplerSpec, Stage, format, knob, nvn, off, prove};
use framegraph::pass::{PassFlags, PassTargets};

/// Full-screen triangle into whatever is bound.
fn draw_full_screen(commands: &ferrograph_nvn::recorder::CommandRecorder<'_>) {
    commands.call("nvnCommandBufferDrawArrays", &[4, 0, 3]);
}

/// Most colour targets that a pass of the last part has.
fn attachments(stage: &Stage) -> u8 {
    stage.with_graph(|graph| {
        let world = graph.world_mut();
        let mut passes = world.query::<(&PassTargets, &PassFlags)>();
        let live = passes.iter(world).filter(|(_, flags)| flags.has(PassFlags::LIVE));
        live.map(|(targets, _)| targets.0.color.iter().flatten().count() as u8).max().unwrap_or(0)
    })
}

/// Blend SRC_ALPHA / ONE_MINUS_SRC_ALPHA on the first `count` targets.
fn blend(stage: &Stage, commands: &ferrograph_nvn::recorder::CommandRecorder<'_>, count: u64) {
    let color = stage.api.state("nvnColorStateSetDefaults");
    for target in 0..count {
        stage.api.call("nvnColorStateSetBlendEnable", &[color, target, 1]);
        let blend = stage.api.state("nvnBlendStateSetDefaults");
        stage.api.call("nvnBlendStateSetBlendTarget", &[blend, target]);
        stage.api.call("nvnBlendStateSetBlendFunc", &[blend, 5, 6, 2, 1]);
        commands.call("nvnCommandBufferBindBlendState", &[blend]);
    }
    commands.call("nvnCommandBufferBindColorState", &[color]);
}

// rows: M-1.1a, R-042
#[test]
fn an_output_that_is_not_written_keeps_its_texels() {
    let scene = |stage: &Stage| {
        let spec = TextureSpec::d2(format::RGBA8, 4, 4);
        let targets = [(stage.texture("c0", spec), 0), (stage.texture("c1", spec), 0)];
        let program = stage.program(&["vs_tri_full", "fs_red_loc0_only"]);
        let commands = stage.api.begin();
        commands.set_render_targets(&targets, None);
        commands.set_area(0, 0, 4, 4);
        commands.clear_color(1, [10.0 / 255.0, 20.0 / 255.0, 30.0 / 255.0, 40.0 / 255.0], 15);
        blend(stage, &commands, 2);
        stage.bind(&commands, program);
        draw_full_screen(&commands);
        stage.submit(commands);
        [stage.read("c0"), stage.read("c1")].concat()
    };
    let expected = [[255, 0, 0, 255].repeat(16), [10, 20, 30, 40].repeat(16)].concat();
    prove(scene, &expected, &[knob("M-1.1a"), knob("R-042"), off("mask_unwritten_outputs")]);
}

// rows: M-1.1b, R-042
#[test]
fn a_component_that_is_not_written_keeps_its_value() {
    let scene = |stage: &Stage| {
        let target = stage.texture("c0", TextureSpec::d2(format::RGBA16F, 4, 4));
        let program = stage.program(&["vs_tri_full", "fs_rgb_only_234"]);
        let commands = stage.api.begin();
        commands.set_render_targets(&[(target, 0)], None);
        commands.set_area(0, 0, 4, 4);
        commands.clear_color(0, [0.0, 0.0, 0.0, 0.25], 15);
        stage.bind(&commands, program);
        draw_full_screen(&commands);
        stage.submit(commands);
        stage.read("c0")
    };
    let expected: Vec<u8> =
        [0x4000u16, 0x4200, 0x4400, 0x3400].repeat(16).iter().flat_map(|h| h.to_le_bytes()).collect();
    prove(scene, &expected, &[knob("M-1.1b"), off("mask_unwritten_outputs")]);
}

// rows: M-1.10, R-025
#[test]
fn a_texture_in_two_slots_is_written_by_the_slot_that_is_not_masked() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 64, 64));
        let program = stage.program(&["vs_tri_full", "fs_mrt_red_blue"]);
        let commands = stage.api.begin();
        commands.set_render_targets(&[(target, 0), (target, 0)], None);
        commands.set_area(0, 0, 64, 64);
        let mask = stage.api.state("nvnChannelMaskStateSetDefaults");
        stage.api.call("nvnChannelMaskStateSetChannelMask", &[mask, 1, 0, 0, 0, 0]);
        commands.call("nvnCommandBufferBindChannelMaskState", &[mask]);
        stage.bind(&commands, program);
        draw_full_screen(&commands);
        stage.submit(commands);
        let slots = attachments(stage);
        let mut bytes = stage.read("t");
        bytes.push(slots);
        bytes
    };
    let mut expected = [255, 0, 0, 255].repeat(4096);
    expected.push(1);
    prove(scene, &expected, &[knob("M-1.10"), knob("R-025"), off("drop_duplicate_attachments")]);
}

// rows: M-1.12a, R-021a
#[test]
fn the_format_of_the_view_decides_encoding() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 4, 4));
        let view = stage.api.view(ViewSpec { format: Some(format::RGBA8_SRGB), ..ViewSpec::default() });
        let commands = stage.begin();
        commands.set_render_targets(&[(target, view)], None);
        commands.set_area(0, 0, 4, 4);
        commands.program(&["vs_tri_full", "fs_color_ubo"]);
        // The catalogue writes 0.5, whose encoding is 187.52: drivers, whose encoders are tables or approximations, round that either way. This value encodes
        // to 188.000, half a step from both its neighbours, so that the same byte can be asked of every driver; as it is, it would be stored as 128.
        commands.block(&[[0.502_886_5f32, 0.502_886_5, 0.502_886_5, 0.25]]);
        commands.draw_full();
        commands.submit();
        stage.read("t")
    };
    prove(scene, &[188, 188, 188, 64].repeat(16), &[knob("M-1.12a"), knob("R-021a")]);
}

/// Draws white through masks (R, G, B) into three targets.
fn three_masks(stage: &Stage, mask_states: [[u64; 4]; 3], shared: bool) -> Vec<u8> {
    let labels = ["c0", "c1", "c2"];
    let targets = labels.map(|label| stage.texture(label, TextureSpec::d2(format::RGBA8, 4, 4)));
    let commands = stage.begin();
    commands.targets(&targets, None, [4, 4]);
    let mask = stage.api.state("nvnChannelMaskStateSetDefaults");
    for (n, [r, g, b, a]) in mask_states.into_iter().enumerate() {
        if !shared || n == 0 {
            stage.api.call("nvnChannelMaskStateSetChannelMask", &[mask, n as u64, r, g, b, a]);
        }
    }
    commands.call("nvnCommandBufferBindChannelMaskState", &[mask]);
    commands.program(&["vs_tri_full", "fs_mrt3_white"]);
    commands.draw_full();
    commands.submit();
    labels.map(|label| stage.read(label)).concat()
}

// rows: M-1.11a
#[test]
fn gpu_each_target_has_its_own_mask() {
    let scene = |stage: &Stage| three_masks(stage, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], false);
    let expected = [[255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0]].map(|texel| texel.repeat(16)).concat();
    prove(scene, &expected, &[]);
}

// rows: M-1.11b
#[test]
fn gpu_format_zero_turns_a_target_off() {
    let scene = |stage: &Stage| {
        let target = stage.texture("c0", TextureSpec::d2(format::RGBA8, 64, 64));
        let old = stage.texture("c1", TextureSpec::d2(format::RGBA8, 64, 64));
        stage.fill(old, [64, 64], &[[9u8, 8, 7, 6]; 4096]);
        let none = stage.api.view(ViewSpec { format: Some(0), ..ViewSpec::default() });
        let commands = stage.begin();
        commands.set_render_targets(&[(target, 0), (old, none)], None);
        commands.set_area(0, 0, 64, 64);
        commands.program(&["vs_tri_full", "fs_mrt_red_blue"]);
        commands.draw_full();
        commands.submit();
        let slots = attachments(stage);
        // Seen by a copy, as the texture was never attached.
        let commands = stage.begin();
        let seen = stage.texture("seen", TextureSpec::d2(format::RGBA8, 64, 64));
        commands.targets(&[seen], None, [64, 64]);
        commands.program(&["vs_tri_full", "fs_fetch_2d"]);
        commands.block(&[[0i32; 4]]);
        commands.texture(0, old, 0, SamplerSpec::default());
        commands.draw_full();
        commands.submit();
        [stage.read("c0"), stage.read("seen"), vec![slots]].concat()
    };
    let expected = [[255, 0, 0, 255].repeat(4096), [9, 8, 7, 6].repeat(4096), vec![1]].concat();
    prove(scene, &expected, &[knob("M-1.11b")]);
}

// rows: M-1.14, R-026
#[test]
fn gpu_a_draw_without_targets_still_runs() {
    let scene = |stage: &Stage| {
        let counts = [1u64, 16, 64].map(|side| {
            let counter = stage.buffer(&[0u32]);
            let commands = stage.begin();
            commands.targets(&[], None, [side as u32; 2]);
            commands.program(&["vs_tri_full", "fs_ssbo_count_only"]);
            commands.storage(nvn::FRAGMENT, 0, counter, 4);
            commands.draw_full();
            commands.submit();
            stage.read_words(counter, 1)[0]
        });
        crate::bytes(&counts)
    };
    prove(scene, &crate::bytes(&[1, 256, 4096]), &[knob("M-1.14"), knob("R-026"), off("bare_pass_area")]);
}
