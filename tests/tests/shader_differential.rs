//! Translated modules compute and draw what the reference modules do.

use ferrograph_compare::cases::{Case, data_folder, load_case, load_pack};
use ferrograph_compare::device::Device;
use ferrograph_compare::interface::Interface;
use ferrograph_compare::run::{Stage, run};
use ferrograph_compare::values::{Closeness, Verdict};
use ferrograph_compare::{compare_case, compare_modules};
use nvn_shader::{BindingScheme, translate};

/// How far a case may be from its reference.
enum Allowed {
    /// At most so many words.
    Words(usize),
    /// At most so far apart.
    Distance(f32),
    /// Judged by another test.
    Elsewhere,
}

fn allowed(name: &str) -> Option<Allowed> {
    Some(match name {
        // Where the fog factor is infinite the machine code computes (fog - c) * f + c and the reference a mix: Inf or NaN.
        "fs_light" => Allowed::Words(24),
        // The machine code gets levels in units of 1/256.
        "fs_tex_query_lod" => Allowed::Distance(1.0 / 128.0),
        // The reference numbers the lanes of the host's subgroups, the code those of a warp of 32.
        "cs_warp_lanes" => Allowed::Elsewhere,
        _ => return None,
    })
}

/// Cases whose outcome Vulkan leaves open: what the reference gives is what the software driver happens to give, and says nothing elsewhere.
const OPEN: [&str; 6] = [
    // The old values of atomics, by the order of the lanes; and lanes that write one word.
    "cs_ssbo_atomics",
    "cs_utexels_to_ssbo",
    // The reference takes derivatives in a branch that neighbours do not take (M-3.6), and reads registers that it did not write (M-3.12a).
    "fs_branch_implicit_lod",
    "fs_branch_undefined_register",
    "fs_loop_undefined_register",
    // The fraction of a large multiple of a sine: noise, which changes with the last bit of its angle.
    "fs_sky",
];

fn judge(device: &Device, name: &str, verdict: &Verdict) -> bool {
    if !device.name.starts_with("llvmpipe") && OPEN.contains(&name) {
        return true;
    }
    match allowed(name) {
        Some(Allowed::Words(count)) => verdict.counts[3] <= count,
        Some(Allowed::Distance(distance)) => verdict.distance <= distance,
        Some(Allowed::Elsewhere) => true,
        None => verdict.worst < Closeness::Different,
    }
}

fn open() -> Option<Device> {
    match Device::open() {
        Ok(device) => Some(device),
        Err(error) => {
            eprintln!("{error}: the differential test is skipped");
            None
        }
    }
}

fn run_pack(pack: &str, count: usize) {
    let Some(device) = open() else { return };
    let only = std::env::var("SHADER_CASE").ok();
    let cases: Vec<Case> = load_pack(&data_folder().join(pack));
    assert_eq!(cases.len(), count, "cases in {pack}");
    let mut failures = Vec::new();
    let mut totals = [0usize; 4];
    for case in cases.iter().filter(|c| only.as_ref().is_none_or(|o| c.name.contains(o.as_str()))) {
        match compare_case(&device, case) {
            Err(error) => failures.push(format!("{}: {error}", case.name)),
            Ok(verdict) => {
                totals[verdict.worst as usize] += 1;
                let [exact, near, approximate, different] = verdict.counts;
                let status = ["exact", "near", "approximate", "different"][verdict.worst as usize];
                let first = verdict.first.clone().unwrap_or_default();
                eprintln!(
                    "{:32} {status:12} {exact}/{near}/{approximate}/{different} variety {} {first}",
                    case.name, verdict.variety
                );
                if !judge(&device, &case.name, &verdict) {
                    failures.push(format!("{}: {first}", case.name));
                }
            }
        }
    }
    eprintln!("{pack}: {} exact, {} near, {} approximate, {} different", totals[0], totals[1], totals[2], totals[3]);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn gpu_demo_shaders_match_their_references() {
    run_pack("demo", 46);
}

#[test]
fn gpu_scenekit_shaders_match_their_references() {
    run_pack("scenekit", 216);
}

/// A planted fault: turning the additions of a module into subtractions must show.
#[test]
fn gpu_the_comparison_sees_a_wrong_module() {
    let Some(device) = open() else { return };
    let case = load_case(&data_folder().join("demo/fs_sky")).expect("the case");
    let mut words = translate(case.binary(), &case.key(BindingScheme::Reference)).expect("translates").spirv;
    let mut at = 5;
    let mut changed = 0;
    while at < words.len() {
        let (op, length) = (words[at] & 0xFFFF, (words[at] >> 16) as usize);
        if op == 129 {
            words[at] = (words[at] & 0xFFFF_0000) | 131;
            changed += 1;
        }
        at += length.max(1);
    }
    assert!(changed > 0);
    let verdict = compare_modules(&device, &case, &words).expect("runs");
    assert_eq!(verdict.worst, Closeness::Different);
}

/// Catalogue M-3.6: a texture whose texels hold their level, 4 texels a pixel, sampled in a branch on x & 1: level 2 everywhere.
#[test]
fn gpu_m_3_6_a_sample_in_a_branch_uses_the_neighbours_coordinates() {
    let Some(device) = open() else { return };
    let case = load_case(&data_folder().join("scenekit/fs_branch_implicit_lod")).expect("the case");
    let words = translate(case.binary(), &case.key(BindingScheme::Reference)).expect("translates").spirv;
    let reference = Interface::parse(&case.reference).expect("parses");
    let outputs = run(&device, &[Stage { case: &case, words: &words, variant: 0 }], &reference).expect("runs");
    let levels: Vec<f32> = outputs[0].words.chunks(4).map(|t| f32::from_bits(t[0])).collect();
    let wrong = levels.iter().filter(|l| **l != 2.0).count();
    assert_eq!(wrong, 0, "of {} pixels; the first is {}", levels.len(), levels[0]);
}

/// Catalogue M-1.8: a depth pre-pass and the main pass that do the same position arithmetic give the same bits.
#[test]
fn gpu_m_1_8_pre_pass_and_main_pass_positions_are_bit_equal() {
    let Some(device) = open() else { return };
    for (main, pre) in [
        ("demo/vs_character", "demo/vs_character_depth"),
        ("demo/vs_rock", "demo/vs_rock_depth"),
        ("demo/vs_terrain", "demo/vs_terrain_depth"),
        ("scenekit/vs_invariant_main", "scenekit/vs_invariant_prepass"),
    ] {
        let positions = |name: &str| {
            let case = load_case(&data_folder().join(name)).expect("the case");
            // Both run over the resources of the main pass.
            let resources = load_case(&data_folder().join(main)).expect("the case");
            let words = translate(case.binary(), &case.key(BindingScheme::Reference)).expect("translates").spirv;
            let reference = Interface::parse(&case.reference).expect("parses");
            let stage = Stage { case: &resources, words: &words, variant: 0 };
            let outputs = run(&device, &[stage], &reference).expect("runs");
            outputs[0].words.clone()
        };
        let (a, b) = (positions(main), positions(pre));
        assert!(a.iter().any(|w| *w != 0));
        assert_eq!(a, b, "{main} and {pre}");
    }
}
