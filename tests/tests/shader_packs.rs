//! Every case of the shader packs translates, and the module is valid.

use ferrograph_compare::cases::{Case, data_folder, load_pack};
use nvn_shader::{BindingScheme, translate};
use std::io::Write;
use std::process::{Command, Stdio};

fn validator() -> bool {
    Command::new("spirv-val")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

fn validate(words: &[u32]) -> Result<(), String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&bytes).map_err(|e| e.to_string())?;
    }
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    if out.status.success() {
        Ok(())
    } else {
        Err(format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
    }
}

fn check(pack: &str, count: usize) {
    let cases: Vec<Case> = load_pack(&data_folder().join(pack));
    assert_eq!(cases.len(), count, "cases in {pack}");
    let validator = validator();
    if !validator {
        eprintln!("spirv-val is not installed: modules are translated but not validated");
    }
    let mut failures = Vec::new();
    for case in &cases {
        for scheme in [BindingScheme::Engine, BindingScheme::Reference] {
            match translate(case.binary(), &case.key(scheme)) {
                Err(error) => failures.push(format!("{}: {error}", case.name)),
                Ok(translated) => {
                    if let (true, BindingScheme::Engine) = (validator, scheme)
                        && let Err(message) = validate(&translated.spirv)
                    {
                        failures.push(format!("{}: {message}", case.name));
                    }
                    if let (Ok(folder), BindingScheme::Reference) = (std::env::var("SHADER_DUMP"), scheme) {
                        let bytes: Vec<u8> = translated.spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
                        std::fs::write(format!("{folder}/{}.spv", case.name), bytes).expect("dump");
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures of {count}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_demo_shader_translates_to_a_valid_module() {
    check("demo", 46);
}

#[test]
fn every_scenekit_shader_translates_to_a_valid_module() {
    check("scenekit", 216);
}

/// A planted fault: the validator must see a module whose last instruction is cut off.
#[test]
fn the_validator_sees_a_broken_module() {
    if !validator() {
        eprintln!("spirv-val is not installed");
        return;
    }
    let cases = load_pack(&data_folder().join("demo"));
    let case = cases.first().expect("a case");
    let mut words = translate(case.binary(), &case.key(BindingScheme::Engine)).expect("translates").spirv;
    assert!(validate(&words).is_ok());
    words.pop();
    assert!(validate(&words).is_err());
}

/// Every field of the key gives valid modules.
#[test]
fn key_variants_stay_valid() {
    if !validator() {
        eprintln!("spirv-val is not installed");
        return;
    }
    use nvn_shader::{ComponentClass, ShaderKey};
    type Variant = (&'static str, fn(&mut ShaderKey));
    let variants: [Variant; 6] = [
        ("depth conversion", |k| k.depth_minus_one_to_one = true),
        ("lower-left origin", |k| k.y_negate = true),
        ("no varyings before", |k| k.previous_stage_outputs = 0),
        ("no varyings behind", |k| k.next_stage_inputs = 0),
        ("no float controls", |k| k.no_float_controls = true),
        ("integer formats", |k| {
            k.vertex_inputs = [ComponentClass::Sint; 16];
            k.fragment_outputs = [ComponentClass::Uint; 8];
        }),
    ];
    for case in load_pack(&data_folder().join("demo")) {
        for (name, change) in &variants {
            let mut key = case.key(BindingScheme::Engine);
            change(&mut key);
            let translated = translate(case.binary(), &key).expect("translates");
            if let Err(message) = validate(&translated.spirv) {
                panic!("{} with {name}: {message}", case.name);
            }
        }
    }
}
