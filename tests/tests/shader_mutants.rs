//! What a translated stage must say, by its SPIR-V alone: drivers are free to be right without it, so that no picture shows it everywhere.

use ferrograph_tests::scene::shader_folder;
use nvn_shader::{Mutants, ProgramBinary, ShaderKey, translate};
use rspirv::binary::parse_words;
use rspirv::dr::{Instruction, Loader, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};
use std::path::Path;

fn module(folder: &Path, mutants: Mutants) -> Module {
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let (control, code) = (read("control.bin"), read("code.bin"));
    let key = ShaderKey { mutants, ..ShaderKey::default() };
    let words = translate(ProgramBinary { control: &control, code: &code }, &key)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .spirv;
    let mut loader = Loader::new();
    parse_words(&words, &mut loader).expect("SPIR-V");
    loader.module()
}

fn named(name: &str, mutants: Mutants) -> Module {
    module(&shader_folder().join(name), mutants)
}

fn count(module: &Module, of: impl Fn(&Instruction) -> bool) -> usize {
    module.all_inst_iter().filter(|i| of(i)).count()
}

fn decorated(module: &Module, with: Decoration) -> usize {
    count(module, |i| i.class.opcode == Op::Decorate && i.operands.get(1) == Some(&Operand::Decoration(with)))
}

// rows: M-1.8
#[test]
fn position_arithmetic_is_invariant_and_kept_as_written() {
    for name in ["vs_invariant_prepass", "vs_invariant_main"] {
        let (right, mutant) = (named(name, Mutants::default()), named(name, Mutants::POSITION));
        assert_eq!(decorated(&right, Decoration::Invariant), 1, "{name}: the position");
        let arithmetic = count(&right, |i| matches!(i.class.opcode, Op::FAdd | Op::FMul | Op::FDiv))
            + count(&right, |i| {
                // GLSL.std.450 Fma.
                i.class.opcode == Op::ExtInst && i.operands.get(1) == Some(&Operand::LiteralExtInstInteger(50))
            });
        assert_eq!(decorated(&right, Decoration::NoContraction), arithmetic, "{name}: all that could be contracted");
        assert!(arithmetic > 0);
        assert_eq!(decorated(&mutant, Decoration::Invariant) + decorated(&mutant, Decoration::NoContraction), 0);
    }
}

// rows: M-3.5
#[test]
fn a_killed_lane_goes_on_as_a_helper() {
    let of = |mutants| {
        let module = named("fs_kill_quad_derivative", mutants);
        [Op::DemoteToHelperInvocation, Op::Kill].map(|op| count(&module, |i| i.class.opcode == op))
    };
    assert_eq!(of(Mutants::default()), [1, 0]);
    assert_eq!(of(Mutants::KILL), [0, 1]);
}

/// Function variables without initialiser, and undefined values.
fn undefined(module: &Module) -> usize {
    let function = Operand::StorageClass(StorageClass::Function);
    count(module, |i| {
        i.class.opcode == Op::Undef || (i.class.opcode == Op::Variable && i.operands == [function.clone()])
    })
}

// rows: M-3.12a, A-086
#[test]
fn no_stage_holds_anything_undefined() {
    let mut stages = 0;
    for entry in std::fs::read_dir(shader_folder()).expect("the project's shaders") {
        let folder = entry.expect("entry").path();
        assert_eq!(undefined(&module(&folder, Mutants::default())), 0, "{}", folder.display());
        stages += 1;
    }
    assert!(stages > 200, "only {stages} stages");
    assert!(undefined(&named("fs_branch_undefined_register", Mutants::UNWRITTEN)) > 0);
}
