//! Properties of the SPIR-V of every pack shader, read from its words.

use nvn_shader::{ProgramBinary, ShaderKey, translate};
use std::path::Path;

/// Opcode and words of each instruction.
fn instructions(words: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let mut at = 5;
    let mut out = Vec::new();
    while at < words.len() {
        let length = ((words[at] >> 16) as usize).max(1);
        out.push((words[at] & 0xFFFF, words[at..(at + length).min(words.len())].to_vec()));
        at += length;
    }
    out
}

const UNDEF: u32 = 1;
const EXT_INST: u32 = 12;
const VARIABLE: u32 = 59;
const DECORATE: u32 = 71;
const FADD: u32 = 129;
const FMUL: u32 = 133;
const KILL: u32 = 252;
const DEMOTE: u32 = 5380;
const FUNCTION: u32 = 7;
const NO_CONTRACTION: u32 = 42;
const INVARIANT: u32 = 18;
const BUILTIN: u32 = 11;

fn all() -> Vec<(String, Vec<u32>, nvn_shader::Reflection)> {
    all_with(&ShaderKey::default())
}

fn all_with(key: &ShaderKey) -> Vec<(String, Vec<u32>, nvn_shader::Reflection)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/shaders");
    let mut out = Vec::new();
    for pack in ["demo", "scenekit"] {
        for entry in std::fs::read_dir(root.join(pack)).expect("the pack").flatten() {
            let read = |name: &str| std::fs::read(entry.path().join(name)).expect("a file of the case");
            let (control, code) = (read("control.bin"), read("code.bin"));
            let binary = ProgramBinary { control: &control, code: &code };
            let translated = translate(binary, key).expect("translates");
            out.push((entry.file_name().to_string_lossy().into_owned(), translated.spirv, translated.reflection));
        }
    }
    assert_eq!(out.len(), 262);
    out
}

/// A copy of a module in which each instruction may have been changed.
fn changed(words: &[u32], change: impl Fn(u32, &mut Vec<u32>)) -> Vec<u32> {
    let mut out = words[..5].to_vec();
    for (op, mut instruction) in instructions(words) {
        change(op, &mut instruction);
        instruction[0] = (instruction.len() as u32) << 16 | instruction[0] & 0xFFFF;
        out.extend(instruction);
    }
    out
}

/// Minima, maxima and clamps: those that say what a NaN gives, and the others. FMin, FMax, FClamp are 37, 40, 43; NMin, NMax,
/// NClamp are 79, 80, 81.
fn minima(words: &[u32]) -> (usize, usize) {
    let extended = instructions(words).into_iter().filter(|(op, _)| *op == EXT_INST).map(|(_, w)| w[4]);
    extended.fold((0, 0), |(aware, unaware), e| {
        (aware + usize::from(matches!(e, 79..=81)), unaware + usize::from(matches!(e, 37 | 40 | 43)))
    })
}

// rows: M-3.1a, M-3.1b
#[test]
fn minimum_maximum_and_clamp_are_the_nan_aware_ones() {
    let (mut aware, mut planted) = (0, 0);
    for (name, words, _) in all() {
        let (good, bad) = minima(&words);
        assert_eq!(bad, 0, "{name}");
        aware += good;
        let plain = changed(&words, |op, w| {
            if op == EXT_INST {
                w[4] = [37, 40, 43].get(w[4].wrapping_sub(79) as usize).copied().unwrap_or(w[4]);
            }
        });
        planted += minima(&plain).1;
    }
    assert!(aware > 100);
    assert_eq!(planted, aware, "the plain forms are seen");
}

/// What a module leaves undefined: OpUndef, variables of a function or of the invocation that may be read before they are
/// written and have no initialiser, and OpKill, which takes the lane out of its quad.
fn faults(words: &[u32]) -> (usize, usize) {
    let (mut undefined, mut kills) = (0, 0);
    for (op, operands) in instructions(words) {
        undefined += usize::from(op == UNDEF || op == VARIABLE && operands[3] == FUNCTION && operands.len() != 5);
        kills += usize::from(op == KILL);
    }
    (undefined, kills)
}

/// Coordinates of a lookup move only where the key says that the slot's sampler takes the nearest texel.
#[test]
fn coordinates_move_for_samplers_that_take_the_nearest_texel_alone() {
    const SIZE_OF_LEVEL: u32 = 103;
    const IMPLICIT: u32 = 87;
    let nearest = |slot: usize| {
        let mut key = ShaderKey::default();
        key.textures[slot].nearest = true;
        key
    };
    let count = |words: &[u32], wanted: u32| instructions(words).iter().filter(|(op, _)| *op == wanted).count();
    let (plain, moved, other) = (all(), all_with(&nearest(0)), all_with(&nearest(31)));
    let mut seen = 0;
    for ((name, before, reflection), ((_, after, _), (_, elsewhere, _))) in plain.iter().zip(moved.iter().zip(&other)) {
        let sampled = count(before, IMPLICIT) > 0 && reflection.textures.iter().any(|t| t.slot == 0 && !t.compare);
        if !sampled {
            continue;
        }
        seen += usize::from(count(after, SIZE_OF_LEVEL) > count(before, SIZE_OF_LEVEL));
        // Handles that the code reads itself take the highest slots.
        if reflection.textures.iter().all(|t| t.slot != 31) {
            assert_eq!(before, elsewhere, "{name}: slot 31");
        }
    }
    assert!(seen > 10, "{seen}");
}

// rows: M-3.5
#[test]
fn discards_keep_their_lane() {
    let mut demotes = 0;
    for (name, words, reflection) in all() {
        let has = instructions(&words).iter().any(|(op, _)| *op == DEMOTE);
        assert!(!has || reflection.kills, "{name}");
        assert_eq!(faults(&words).1, 0, "{name}");
        if has {
            demotes += 1;
            let kills = changed(&words, |op, w| {
                if op == DEMOTE {
                    w[0] = KILL;
                }
            });
            assert_ne!(faults(&kills).1, 0, "{name}: a kill is seen");
        }
    }
    assert!(demotes > 2);
}

/// Whatever the key says, so that no setting turns it off.
// rows: M-3.12a, A-086
#[test]
fn nothing_is_undefined_under_any_key() {
    type Variant = fn(&mut ShaderKey);
    let variants: [Variant; 6] = [
        |_| {},
        |key| key.previous_stage_outputs = 0,
        |key| key.next_stage_inputs = 0,
        |key| (key.y_negate, key.depth_minus_one_to_one) = (true, true),
        |key| key.no_float_controls = true,
        |key| key.bindings = nvn_shader::BindingScheme::Reference,
    ];
    let mut planted = 0;
    for variant in variants {
        let mut key = ShaderKey::default();
        variant(&mut key);
        for (name, words, _) in all_with(&key) {
            assert_eq!(faults(&words).0, 0, "{name}");
            let bare = changed(&words, |op, w| {
                if op == VARIABLE && w[3] == FUNCTION {
                    w.truncate(4);
                }
            });
            planted += faults(&bare).0;
        }
    }
    assert!(planted > 1000, "variables without initialiser are seen: {planted}");
}

/// Catalogue M-1.8: the position is invariant and no arithmetic may be contracted.
#[test]
fn position_arithmetic_is_exact_in_every_module() {
    for (name, words, reflection) in all() {
        let all = instructions(&words);
        let decorated = |what: u32| -> Vec<u32> {
            all.iter().filter(|(op, w)| *op == DECORATE && w[2] == what).map(|(_, w)| w[1]).collect()
        };
        let (exact, invariant) = (decorated(NO_CONTRACTION), decorated(INVARIANT));
        for (op, operands) in &all {
            if matches!(*op, FADD | FMUL) && reflection.stage == nvn_shader::Stage::Vertex {
                assert!(exact.contains(&operands[2]), "{name}");
            }
            // Built-in 0 is the position.
            if *op == DECORATE
                && operands[2] == BUILTIN
                && operands[3] == 0
                && reflection.stage == nvn_shader::Stage::Vertex
            {
                assert!(invariant.contains(&operands[1]), "{name}");
            }
        }
    }
}

/// Resources, bindings and maps that the packs' descriptions state.
#[test]
fn reflection_says_what_the_stage_needs() {
    let all = all();
    let of = |name: &str| &all.iter().find(|(n, _, _)| n == name).expect("the case").2;
    let light = of("fs_light");
    let slots: Vec<u8> = light.uniform_blocks.iter().map(|u| u.slot).collect();
    assert_eq!(
        {
            let mut s = slots.clone();
            s.sort_unstable();
            s
        },
        [0, 2, 5]
    );
    assert!(light.uniform_blocks.iter().all(|u| u.binding == 4 * 32 + u32::from(u.slot)));
    assert_eq!(light.storage_buffers.len(), 2);
    assert!(light.storage_buffers.iter().all(|s| s.reads && !s.writes && !s.atomics));
    assert_eq!(light.textures.len(), 7);
    assert!(light.textures.iter().any(|t| t.slot == 6 && t.compare && t.dim == nvn_shader::Dim::D2Array));
    assert_eq!(light.output_map, 0xF);
    assert_eq!(of("fs_wave_splash").output_map, 0x3);
    assert_eq!(of("fs_mrt_last_rgb").output_map, 0x7F);
    assert!(of("fs_depth_const").writes_depth);
    assert!(of("fs_sample_mask_out").writes_sample_mask);
    assert!(of("fs_discard_alpha").kills);
    assert!(of("vs_lut_layers").writes_layer);
    assert!(of("vs_point_size").writes_point_size && !of("vs_point_nosize").writes_point_size);
    assert_eq!(of("cs_light_clusters").local_size, [16, 1, 1]);
    assert!(of("cs_shared_48k_sum").shared_bytes >= 48 * 1024);
    assert!(of("fs_tex_bindless_ubo").textures.iter().all(|t| t.bindless));
    assert!(!all.iter().any(|(_, _, r)| r.driver_bank), "draw parameters come from built-ins");
}
