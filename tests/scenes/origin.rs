//! Which row of memory is the bottom of the picture.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Commands, Stage, format, knob, nvn, off, prove};

const SIZE: [u32; 2] = [64, 64];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// A red rectangle in clip space.
fn rect(commands: &Commands<'_>, area: [f32; 4]) {
    commands.block(&[area, [0.0, 1.0, 0.0, 0.0], RED]);
    commands.program(&["vs_rect_ubo", "fs_color_varying"]);
    commands.draw(nvn::TRIANGLE_STRIP, 4);
}

fn rows(red: impl Fn(usize) -> bool, rows: usize) -> Vec<u8> {
    (0..rows).flat_map(|row| if red(row) { [255, 0, 0, 255] } else { [0; 4] }.repeat(rows)).collect()
}

/// Draws into an empty target in lower-left, then in upper-left mode, with back faces culled.
fn both_modes(stage: &Stage, size: [u32; 2], draw: impl Fn(&Commands<'_>)) -> Vec<u8> {
    let mode = |origin: u64| {
        stage.api.call("nvnDeviceSetWindowOriginMode", &[stage.api.device(), origin]);
        let label = ["lower", "upper"][origin as usize];
        let target = stage.texture(label, TextureSpec::d2(format::RGBA8, size[0], size[1]));
        let commands = stage.begin();
        commands.targets(&[target], None, size);
        let polygon = stage.api.state("nvnPolygonStateSetDefaults");
        stage.api.call("nvnPolygonStateSetCullFace", &[polygon, 2]);
        commands.call("nvnCommandBufferBindPolygonState", &[polygon]);
        draw(&commands);
        commands.submit();
        stage.read(label)
    };
    [mode(0), mode(1)].concat()
}

// rows: M-1.15a, R-039a
#[test]
fn gpu_clip_space_bottom_is_row_zero_by_default() {
    let scene = |stage: &Stage| both_modes(stage, SIZE, |commands| rect(commands, [-1.0, -1.0, 1.0, 0.0]));
    let expected = [rows(|row| row < 32, 64), rows(|row| row >= 32, 64)].concat();
    prove(scene, &expected, &[off("flip_window_origin"), knob("M-1.15a"), knob("R-039a")]);
}

// rows: M-1.15a, R-039a
#[test]
fn gpu_fragments_count_memory_rows_in_both_modes() {
    let scene = |stage: &Stage| {
        let mode = |origin: u64| {
            stage.api.call("nvnDeviceSetWindowOriginMode", &[stage.api.device(), origin]);
            let label = ["lower", "upper"][origin as usize];
            let target = stage.texture(label, TextureSpec::d2(format::RGBA32F, 4, 4));
            let commands = stage.begin();
            commands.targets(&[target], None, [4, 4]);
            commands.program(&["vs_tri_full", "fs_frag_coord"]);
            commands.draw_full();
            commands.submit();
            stage.read(label)
        };
        [mode(0), mode(1)].concat()
    };
    let place = |n: u8| [f32::from(n % 4) + 0.5, f32::from(n / 4) + 0.5, 0.5, 1.0];
    let one: Vec<f32> = (0..16).flat_map(place).collect();
    // Depth of z = 0 is 0.5 while near is -w, the device's default.
    prove(scene, &crate::floats(&[one.clone(), one].concat()), &[]);
}

// rows: M-1.15b, R-039a
#[test]
fn gpu_scissors_count_memory_rows_in_both_modes() {
    let scene = |stage: &Stage| {
        both_modes(stage, [8, 8], |commands| {
            commands.call("nvnCommandBufferSetScissor", &[0, 0, 8, 2]);
            rect(commands, [-1.0, -1.0, 1.0, 1.0]);
        })
    };
    prove(scene, &rows(|row| row < 2, 8).repeat(2), &[knob("M-1.15b")]);
}

// rows: M-1.15b
#[test]
fn gpu_viewport_and_scissor_select_the_same_rows() {
    let scene = |stage: &Stage| {
        both_modes(stage, [8, 8], |commands| {
            commands.call("nvnCommandBufferSetViewport", &[0, 2, 8, 3]);
            commands.call("nvnCommandBufferSetScissor", &[0, 2, 8, 3]);
            rect(commands, [-1.0, -1.0, 1.0, 1.0]);
        })
    };
    prove(scene, &rows(|row| (2..5).contains(&row), 8).repeat(2), &[knob("M-1.15b")]);
}
