//! What is presented.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Stage, format, knob, off, prove, prove_hostile};

/// Usable for display.
const DISPLAY: u32 = 1;

fn window(stage: &Stage, width: u32, height: u32) -> ([u64; 2], u64) {
    let spec = TextureSpec { flags: DISPLAY, ..TextureSpec::d2(format::RGBA8, width, height) };
    let textures = [stage.texture("w0", spec), stage.texture("w1", spec)];
    (textures, stage.api.window(&textures))
}

fn screenshot(stage: &Stage) -> Vec<u8> {
    stage.with_graph(|graph| graph.screenshot().expect("a picture was presented").rgba)
}

// rows: R-039b
#[test]
fn gpu_row_zero_is_the_bottom_of_the_display_in_lower_left_mode() {
    let scene = |stage: &Stage| {
        let mode = |origin: u64| {
            stage.api.call("nvnDeviceSetWindowOriginMode", &[stage.api.device(), origin]);
            let ([texture, _], window) = window(stage, 64, 32);
            let commands = stage.begin();
            commands.targets(&[texture], None, [64, 32]);
            commands.clear([0, 0, 0, 255]);
            commands.call("nvnCommandBufferSetScissor", &[0, 0, 64, 1]);
            commands.clear([255, 0, 0, 255]);
            commands.submit();
            stage.api.present(window, 0);
            screenshot(stage)
        };
        [mode(0), mode(1)].concat()
    };
    let rows = |red: usize| -> Vec<u8> {
        (0..32).flat_map(|row| if row == red { [255, 0, 0, 255] } else { [0, 0, 0, 255] }.repeat(64)).collect()
    };
    prove(scene, &[rows(31), rows(0)].concat(), &[knob("R-039b")]);
}

// rows: R-040
#[test]
fn gpu_a_window_texture_that_was_never_drawn_to_is_black() {
    let scene = |stage: &Stage| {
        let ([texture, _], window) = window(stage, 64, 32);
        let mut all = Vec::new();
        for n in [0, 1, 0] {
            stage.api.present(window, n);
            all.extend(screenshot(stage));
        }
        let commands = stage.begin();
        commands.targets(&[texture], None, [64, 32]);
        commands.clear([255, 0, 0, 255]);
        commands.submit();
        stage.api.present(window, 0);
        all.extend(screenshot(stage));
        all.chunks_exact(4).flat_map(|texel| [texel[0], texel[1], texel[2]]).collect()
    };
    let texels = 64 * 32;
    let expected = [[0; 3].repeat(3 * texels), [255, 0, 0].repeat(texels)].concat();
    prove_hostile(scene, &expected, &[knob("R-040"), off("zero_initialise")]);
}
