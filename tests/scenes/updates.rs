//! Updates of uniform buffers: in the order of commands, by value.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Commands, Stage, format, knob, nvn, prove, prove_hostile};

fn update<T: bytemuck::NoUninit>(stage: &Stage, commands: &Commands<'_>, buffer: u64, values: &[T]) {
    let data = stage.api.place(values, 4);
    commands.call("nvnCommandBufferUpdateUniformBuffer", &[buffer, 256, 0, size_of_val(values) as u64, data]);
}

/// Draws a column of a 3×1 target whose colour comes from a buffer.
fn column(stage: &Stage, commands: &Commands<'_>, buffer: u64, n: u8) {
    let left = f32::from(n) * 2.0 / 3.0 - 1.0;
    let rect = stage.buffer(&[[left, -1.0, left + 2.0 / 3.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]]);
    commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::VERTEX, 0, rect, 256]);
    commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::FRAGMENT, 0, buffer, 256]);
    commands.draw(nvn::TRIANGLE_STRIP, 4);
}

// rows: M-4.4, R-066a
#[test]
fn gpu_each_draw_sees_the_update_before_it() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA8, 3, 1));
        let buffer = stage.buffer(&[0.0f32; 64]);
        let commands = stage.begin();
        commands.targets(&[target], None, [3, 1]);
        commands.program(&["vs_rect_ubo", "fs_color_ubo"]);
        for (n, value) in [0.2f32, 0.4, 0.6].into_iter().enumerate() {
            // Of two updates in a row the second counts.
            update(stage, &commands, buffer, &[-1.0f32; 4]);
            update(stage, &commands, buffer, &[value; 4]);
            column(stage, &commands, buffer, n as u8);
        }
        commands.submit();
        [stage.read("t"), crate::bytes(&stage.read_words(buffer, 4))].concat()
    };
    let expected = [
        [51; 4],
        [102; 4],
        [153; 4],
        0.6f32.to_le_bytes(),
        0.6f32.to_le_bytes(),
        0.6f32.to_le_bytes(),
        0.6f32.to_le_bytes(),
    ];
    prove_hostile(scene, &expected.concat(), &[knob("M-4.4"), knob("R-066a")]);
}

// rows: R-066b
#[test]
fn gpu_an_update_carries_the_bytes_of_its_call() {
    let scene = |stage: &Stage| {
        let target = stage.texture("t", TextureSpec::d2(format::RGBA32UI, 1, 1));
        let buffer = stage.buffer(&[0u8; 256]);
        let commands = stage.begin();
        commands.targets(&[target], None, [1, 1]);
        let data = stage.api.place(&[0xABu8; 64], 4);
        commands.call("nvnCommandBufferUpdateUniformBuffer", &[buffer, 256, 0, 64, data]);
        stage.api.write(data, &[0xCDu8; 64]);
        commands.program(&["vs_tri_full", "fs_ubo_bytes_ab"]);
        commands.call("nvnCommandBufferBindUniformBuffer", &[nvn::FRAGMENT, 0, buffer, 256]);
        commands.draw_full();
        commands.submit();
        stage.read("t")
    };
    let word = 0xABAB_ABAB;
    prove(scene, &crate::bytes(&[64, word, word, 0]), &[knob("R-066b")]);
}
