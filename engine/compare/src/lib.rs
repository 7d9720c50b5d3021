//! Translated shaders against modules that another compiler made from the same source: run both with the same seeded inputs and
//! compare what they write.
#![allow(unsafe_code)] // The harness calls Vulkan directly, apart from the engine's executor, so that neither can hide the other's faults.

pub mod assemble;
pub mod cases;
pub mod device;
pub mod interface;
pub mod run;
pub mod stages;
pub mod values;

use cases::Case;
use device::{Device, RunError};
use interface::Interface;
use nvn_shader::{BindingScheme, translate};
use run::Stage;
use values::Verdict;

/// Seeded inputs each case runs with.
const VARIANTS: u64 = 3;

/// Translates a case, runs it and its reference, and compares. A tessellation stage runs together with its partner from the same
/// pack.
///
/// # Errors
/// A translation error (as text), a failed Vulkan call, or a case that needs something the harness has not.
pub fn compare_case(device: &Device, case: &Case) -> Result<Verdict, RunError> {
    let words = |case: &Case| {
        translate(case.binary(), &case.key(BindingScheme::Reference))
            .map(|t| t.spirv)
            .map_err(|e| RunError::Case(e.to_string()))
    };
    let pair = match case.name.as_str() {
        "tc_quad_patchdata" | "te_quad_height" => Some(["tc_quad_patchdata", "te_quad_height"]),
        "tc_triangle_levels" | "te_triangle_lerp" => Some(["tc_triangle_levels", "te_triangle_lerp"]),
        _ => None,
    };
    let Some(names) = pair else { return compare_modules(device, case, &words(case)?) };
    let folder = case.folder.parent().unwrap_or(&case.folder);
    let [control, evaluation] = names.map(|n| cases::load_case(&folder.join(n)));
    let (Some(control), Some(evaluation)) = (control, evaluation) else {
        return Err(RunError::Case("the partner of this tessellation stage is missing".to_owned()));
    };
    let reference = parse(&evaluation.reference)?;
    let (first, second) = (words(&control)?, words(&evaluation)?);
    let mut verdict = Verdict::default();
    for variant in 0..VARIANTS {
        let stages =
            |a, b| [Stage { case: &control, words: a, variant }, Stage { case: &evaluation, words: b, variant }];
        let ours = run::run(device, &stages(&first, &second), &reference)?;
        let theirs = run::run(device, &stages(&control.reference, &evaluation.reference), &reference)?;
        verdict.add(&ours, &theirs);
    }
    Ok(verdict)
}

fn parse(words: &[u32]) -> Result<Interface, RunError> {
    Interface::parse(words).ok_or_else(|| RunError::Case("the reference does not parse".to_owned()))
}

/// Runs a given module against the case's reference.
///
/// # Errors
/// A failed Vulkan call, or a case that needs something the harness has not.
pub fn compare_modules(device: &Device, case: &Case, words: &[u32]) -> Result<Verdict, RunError> {
    let reference = parse(&case.reference)?;
    let mut verdict = Verdict::default();
    for variant in 0..VARIANTS {
        let ours = run::run(device, &[Stage { case, words, variant }], &reference)?;
        let theirs = run::run(device, &[Stage { case, words: &case.reference, variant }], &reference)?;
        verdict.add(&ours, &theirs);
    }
    Ok(verdict)
}
