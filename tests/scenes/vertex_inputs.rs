//! Vertex attributes as bits in registers; the vertex that provokes.

use ferrograph_nvn::recorder::TextureSpec;
use ferrograph_tests::scene::{Stage, format, knob, nvn, prove};

/// Draws one point whose attribute 0 has a format and bytes; what a program that stores the attribute's words wrote.
fn words(stage: &Stage, program: &str, format: u32, attribute: &[u8], count: usize) -> Vec<u32> {
    let target = stage.texture("", TextureSpec::d2(format::RGBA8, 4, 4));
    let (vertices, output) = (stage.buffer(attribute), stage.buffer(&[0xEEEE_EEEEu32; 4]));
    let commands = stage.begin();
    commands.targets(&[target], None, [4, 4]);
    commands.program(&[program, "fs_red_loc0_only"]);
    commands.vertices(&[(format, 0, 0)], &[(16, 0, vertices, 256)]);
    commands.storage(nvn::VERTEX, 0, output, 16);
    commands.draw(nvn::POINTS, 1);
    commands.submit();
    stage.read_words(output, count)
}

const ONE: u32 = 0x3F80_0000;

/// Program, format, bytes, words.
type Case = (&'static str, u32, &'static [u8], [u32; 4]);

fn prove_words(cases: &[Case], mutants: &[&'static str]) {
    let scene = |stage: &Stage| {
        let each = |(program, format, bytes, _): &Case| words(stage, program, *format, bytes, 4);
        crate::bytes(&cases.iter().flat_map(each).collect::<Vec<_>>())
    };
    let expected: Vec<u32> = cases.iter().flat_map(|case| case.3).collect();
    let mutants: Vec<_> = mutants.iter().map(|row| knob(row)).collect();
    prove(scene, &crate::bytes(&expected), &mutants);
}

// rows: M-3.9, R-048
#[test]
fn gpu_integer_formats_leave_integers_in_registers() {
    prove_words(
        &[
            ("vs_attr_bits_uint", format::R8UI, &[200], [200, 0, 0, 1]),
            ("vs_attr_bits_uint", format::RG8UI, &[7, 200], [7, 200, 0, 1]),
            ("vs_attr_bits_uint", format::RGBA8UI, &[3, 0, 0, 0], [3, 0, 0, 0]),
            ("vs_attr_bits_int", format::R8I, &[0xFD], [0xFFFF_FFFD, 0, 0, 1]),
        ],
        &["M-3.9", "R-048"],
    );
}

// rows: R-049
#[test]
fn gpu_the_format_decides_the_bits_whatever_the_program_declares() {
    prove_words(
        &[
            ("vs_attr_bits_float", format::R16F, &[0, 0x3C], [ONE, 0, 0, ONE]),
            ("vs_attr_bits_float", format::R16SN, &[0, 0x80], [0xBF80_0000, 0, 0, ONE]),
            ("vs_attr_bits_float", format::R8, &[255], [ONE, 0, 0, ONE]),
            ("vs_attr_bits_float", format::R8I, &[255], [0xFFFF_FFFF, 0, 0, 1]),
            ("vs_attr_bits_uint", format::RG16I, &[0xFB, 0xFF, 9, 0], [0xFFFF_FFFB, 9, 0, 1]),
            ("vs_attr_bits_uint", format::R16F, &[0, 0x3C], [ONE, 0, 0, ONE]),
        ],
        &["R-049"],
    );
}

// rows: R-048
#[test]
fn gpu_bone_numbers_that_a_program_declares_float_are_integers() {
    let scene =
        |stage: &Stage| crate::bytes(&words(stage, "vs_attr_float_as_int_48", format::RGBA8UI, &[3, 0, 0, 0], 1));
    prove(scene, &crate::bytes(&[144]), &[knob("R-048")]);
}

/// Flat numbers of vertices over an 8×8 target.
fn flat(stage: &Stage, label: &str, primitive: u64, vertices: &[([f32; 2], u32)]) -> Vec<u32> {
    let target = stage.texture(label, TextureSpec::d2(format::R32UI, 8, 8));
    let words: Vec<[u32; 3]> = vertices.iter().map(|([x, y], id)| [x.to_bits(), y.to_bits(), *id]).collect();
    let buffer = stage.buffer(&words);
    let commands = stage.begin();
    commands.targets(&[target], None, [8, 8]);
    commands.program(&["vs_flat_id", "fs_flat_uint_to_r32ui"]);
    commands.vertices(&[(format::RG32F, 0, 0), (format::R32UI, 8, 0)], &[(12, 0, buffer, 256)]);
    commands.draw(primitive, vertices.len() as u64);
    commands.submit();
    stage.read(label).chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

// rows: M-5.1
#[test]
fn gpu_the_last_vertex_provokes() {
    let scene = |stage: &Stage| {
        let triangle = [([-1.0, -1.0], 10), ([3.0, -1.0], 20), ([-1.0, 3.0], 30)];
        let strip = [([-1.0, -1.0], 1), ([1.0, -1.0], 2), ([-1.0, 1.0], 3), ([1.0, 1.0], 4)];
        let one = flat(stage, "triangle", nvn::TRIANGLES, &triangle);
        let two = flat(stage, "strip", nvn::TRIANGLE_STRIP, &strip);
        // Texels on the edge between the two triangles may belong to either.
        let off_edge = two.iter().enumerate().filter(|(n, _)| n % 8 + n / 8 != 7).map(|(_, id)| *id);
        crate::bytes(&one.into_iter().chain(off_edge).collect::<Vec<_>>())
    };
    let strip = (0..64).filter(|n| n % 8 + n / 8 != 7).map(|n| if n % 8 + n / 8 < 7 { 3 } else { 4 });
    let expected: Vec<u32> = [30; 64].into_iter().chain(strip).collect();
    prove(scene, &crate::bytes(&expected), &[knob("M-5.1")]);
}
