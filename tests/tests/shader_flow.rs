//! Control flow: random graphs of branches (reducible or not) and stack instructions do what a walk on the CPU does.

use ferrograph_compare::assemble::{compute, encode, guarded};
use ferrograph_compare::device::Device;
use ferrograph_compare::run::dispatch;
use ferrograph_compare::values::Random;
use nvn_shader::isa::{Field as F, Op};
use nvn_shader::{BindingScheme, ShaderKey, translate};
use std::io::Write;
use std::process::{Command, Stdio};

const THREADS: usize = 256;
const FUEL: u32 = 40;
/// Instructions in front of the body in `compute`.
const PROLOGUE: usize = 7;

/// What ends a node.
#[derive(Clone, Copy, Debug)]
enum End {
    /// To the first node when the bit of the hash is set, else to the second.
    Branch(usize, usize),
    Exit,
}

fn offset(index: usize) -> i64 {
    ((index / 3) * 32 + 8 + (index % 3) * 8) as i64
}

fn jump(op: Op, from: usize, to: usize) -> u64 {
    let relative = offset(to) - offset(from) - 8;
    let mut fields = vec![(F::Target, relative as u64 & 0xFF_FFFF)];
    if op == Op::Bra {
        fields.push((F::Test, 15));
    }
    encode(op, "-", &fields)
}

/// Node: R12 = R12 * 33 + number; fuel R21 -= 1, out of it to the end; P0 = bit of the hash; branches.
const NODE: usize = 10;

fn node_code(number: usize, nodes: usize, end: End) -> Vec<u64> {
    let base = PROLOGUE + 2 + number * NODE;
    let last = PROLOGUE + 2 + nodes * NODE;
    let start = |n: usize| PROLOGUE + 2 + n * NODE;
    let mut words = vec![
        encode(Op::Iscadd, "R", &[(F::D, 12), (F::A, 12), (F::B, 12), (F::Shift, 5)]),
        encode(Op::Iadd, "I", &[(F::D, 12), (F::A, 12), (F::Imm20, number as u64 + 1)]),
        encode(Op::Iadd, "I", &[(F::D, 21), (F::A, 21), (F::Imm20, 0xF_FFFF)]),
        encode(
            Op::Isetp,
            "R",
            &[(F::A, 21), (F::B, 255), (F::Cmp, 1), (F::Signed, 1), (F::Pd, 1), (F::Pq, 7), (F::Ps, 7)],
        ),
        guarded(jump(Op::Bra, base + 4, last), 1, false),
        encode(Op::Shr, "I", &[(F::D, 22), (F::A, 12), (F::Imm20, 3 + number as u64 % 5)]),
        encode(Op::Lop, "I", &[(F::D, 22), (F::A, 22), (F::Imm20, 1), (F::Pd, 7)]),
        encode(Op::Isetp, "R", &[(F::A, 22), (F::B, 255), (F::Cmp, 5), (F::Pd, 0), (F::Pq, 7), (F::Ps, 7)]),
    ];
    match end {
        End::Branch(then, other) => {
            words.push(guarded(jump(Op::Bra, base + 8, start(then)), 0, false));
            words.push(jump(Op::Bra, base + 9, start(other)));
        }
        End::Exit => {
            words.push(jump(Op::Bra, base + 8, last));
            words.push(jump(Op::Bra, base + 9, last));
        }
    }
    words
}

fn walk(nodes: &[End], seed: u32) -> u32 {
    let (mut hash, mut fuel, mut at) = (seed, FUEL as i32, 0);
    loop {
        hash = hash.wrapping_mul(33).wrapping_add(at as u32 + 1);
        fuel -= 1;
        if fuel < 0 {
            return hash;
        }
        let bit = (hash >> (3 + at % 5)) & 1;
        match nodes[at] {
            End::Branch(then, other) => at = if bit != 0 { then } else { other },
            End::Exit => return hash,
        }
    }
}

fn validates(words: &[u32]) -> bool {
    let Ok(mut child) = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .spawn()
    else {
        return true;
    };
    if let Some(mut input) = child.stdin.take() {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let _ = input.write_all(&bytes);
    }
    child.wait().is_ok_and(|s| s.success())
}

fn run(device: &Device, body: &[u64], constants: &[u32], seeds: &[u32]) -> Vec<u32> {
    let program = compute(body, constants);
    let key = ShaderKey { bindings: BindingScheme::Reference, ..ShaderKey::default() };
    let spirv = translate(program.binary(), &key).expect("translates").spirv;
    assert!(validates(&spirv), "the module is not valid");
    if let Ok(path) = std::env::var("SHADER_DUMP") {
        let bytes: Vec<u8> = spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
        std::fs::write(path, bytes).expect("dump");
    }
    let bytes: Vec<u8> = seeds.iter().flat_map(|s| [*s, 0, 0, 0]).flat_map(u32::to_le_bytes).collect();
    let out = dispatch(device, &spirv, &[bytes, vec![0; seeds.len() * 16]], (seeds.len() / 32) as u32).expect("runs");
    out[1].chunks(4).map(|c| c[0]).collect()
}

#[test]
fn gpu_random_branch_graphs_run_as_written() {
    let device = match Device::open() {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}: the test is skipped");
            return;
        }
    };
    if device.name.starts_with("llvmpipe") && device.driver_version == 1 {
        eprintln!("this driver loses values that lanes take out of a loop at different turns: the graphs are not run");
        return;
    }
    let mut random = Random::new(42);
    let seeds: Vec<u32> = (0..THREADS).map(|_| random.word()).collect();
    for graph in 0..60 {
        let count = 3 + graph % 8;
        let nodes: Vec<End> = (0..count)
            .map(|n| {
                let pick = |r: &mut Random| r.word() as usize % count;
                if n + 1 == count || random.word().is_multiple_of(6) {
                    End::Exit
                } else if random.word().is_multiple_of(3) {
                    // Forward edges alone make shapes that compilers make.
                    let ahead = |r: &mut Random| n + 1 + r.word() as usize % (count - n - 1);
                    End::Branch(ahead(&mut random), ahead(&mut random))
                } else {
                    End::Branch(pick(&mut random), pick(&mut random))
                }
            })
            .collect();
        let mut body = vec![
            encode(Op::Mov, "R", &[(F::D, 12), (F::B, 8), (F::Mask, 15)]),
            encode(Op::Mov32i, "-", &[(F::D, 21), (F::Imm32, u64::from(FUEL)), (F::Mask, 15)]),
        ];
        for (number, end) in nodes.iter().enumerate() {
            body.extend(node_code(number, count, *end));
        }
        let got = run(&device, &body, &[], &seeds);
        for (seed, got) in seeds.iter().zip(got) {
            assert_eq!(got, walk(&nodes, *seed), "graph {graph}: {nodes:?}, seed {seed:#x}");
        }
    }
}

/// SSY and SYNC around an if and else, PBK, PCNT, CONT and BRK around a loop, and a call with two guarded returns.
#[test]
fn gpu_stack_instructions_go_where_their_pushes_say() {
    let Ok(device) = Device::open() else { return };
    let p = PROLOGUE;
    let set =
        |register: u64, value: u64| encode(Op::Mov32i, "-", &[(F::D, register), (F::Imm32, value), (F::Mask, 15)]);
    let add =
        |register: u64, value: u64| encode(Op::Iadd, "I", &[(F::D, register), (F::A, register), (F::Imm20, value)]);
    let bit = |shift: u64, predicate: u64| {
        vec![
            encode(Op::Shr, "I", &[(F::D, 22), (F::A, 8), (F::Imm20, shift)]),
            encode(Op::Lop, "I", &[(F::D, 22), (F::A, 22), (F::Imm20, 1), (F::Pd, 7)]),
            encode(Op::Isetp, "R", &[(F::A, 22), (F::B, 255), (F::Cmp, 5), (F::Pd, predicate), (F::Pq, 7), (F::Ps, 7)]),
        ]
    };
    let pop = |op: Op| encode(op, "-", &[(F::Test, 15)]);
    let mut body = vec![set(12, 0)]; // p
    body.extend(bit(0, 0)); // p+1..p+4
    body.push(jump(Op::Ssy, p + 4, p + 10));
    body.push(guarded(jump(Op::Bra, p + 5, p + 8), 0, false));
    body.push(add(12, 5)); // p+6
    body.push(pop(Op::Sync)); // p+7
    body.push(add(12, 100)); // p+8
    body.push(pop(Op::Sync)); // p+9
    // Loop: R20 counts to 5; odd counts continue early; bit 1 breaks at 3.
    body.push(set(20, 0)); // p+10
    body.extend(bit(1, 1)); // p+11..p+14
    body.push(jump(Op::Pbk, p + 14, p + 29));
    body.push(jump(Op::Pcnt, p + 15, p + 15)); // head
    body.push(add(20, 1)); // p+16
    body.push(encode(Op::Isetp, "I", &[(F::A, 20), (F::Imm20, 5), (F::Cmp, 4), (F::Pd, 2), (F::Pq, 7), (F::Ps, 7)])); // p+17
    body.push(guarded(pop(Op::Brk), 2, false)); // p+18
    body.push(encode(Op::Isetp, "I", &[(F::A, 20), (F::Imm20, 3), (F::Cmp, 2), (F::Pd, 2), (F::Pq, 7), (F::Ps, 1)])); // p+19
    body.push(guarded(pop(Op::Brk), 2, false)); // p+20
    body.push(encode(Op::Lop, "I", &[(F::D, 22), (F::A, 20), (F::Imm20, 1), (F::Pd, 7)])); // p+21
    body.push(encode(Op::Isetp, "R", &[(F::A, 22), (F::B, 255), (F::Cmp, 5), (F::Pd, 2), (F::Pq, 7), (F::Ps, 7)])); // p+22
    body.push(add(12, 0x1000)); // p+23
    body.push(guarded(pop(Op::Cont), 2, false)); // p+24
    body.push(add(12, 0x2_0000 - 0x1000)); // p+25
    body.push(add(12, 0)); // p+26
    body.push(pop(Op::Cont)); // p+27
    body.push(add(12, 0x4_0000)); // p+28, never reached
    // Call of a function behind the end.
    body.push(jump(Op::Cal, p + 29, p + 32));
    body.push(add(12, 0x10)); // p+30
    body.push(jump(Op::Bra, p + 31, p + 36));
    body.push(guarded(add(12, 0x100), 0, false)); // p+32
    body.push(guarded(pop(Op::Ret), 0, false)); // p+33
    body.push(add(12, 0x200)); // p+34
    body.push(pop(Op::Ret)); // p+35
    body.push(add(12, 0x400)); // p+36
    let seeds: Vec<u32> = (0..32).collect();
    for (seed, got) in seeds.iter().zip(run(&device, &body, &[], &seeds)) {
        let mut expected: u32 = if seed & 1 != 0 { 100 } else { 5 };
        let mut count = 0;
        loop {
            count += 1;
            if count > 5 || (count == 3 && seed & 2 != 0) {
                break;
            }
            expected += 0x1000;
            if count & 1 == 0 {
                expected += 0x2_0000 - 0x1000;
            }
        }
        expected += if seed & 1 != 0 { 0x100 } else { 0x200 } + 0x10 + 0x400;
        assert_eq!(got, expected, "seed {seed}: {got:#x} instead of {expected:#x}");
    }
}

/// A switch: the entry is loaded from the compiler's constants, and the branch goes by it.
#[test]
fn gpu_a_branch_through_a_table_goes_to_each_case() {
    let Ok(device) = Device::open() else { return };
    let p = PROLOGUE;
    let add = |value: u64| encode(Op::Iadd, "I", &[(F::D, 12), (F::A, 12), (F::Imm20, value)]);
    let mut body = vec![
        encode(Op::Mov32i, "-", &[(F::D, 12), (F::Imm32, 0), (F::Mask, 15)]),
        encode(Op::Lop, "I", &[(F::D, 16), (F::A, 8), (F::Imm20, 3), (F::Pd, 7)]),
        encode(Op::Shl, "I", &[(F::D, 16), (F::A, 16), (F::Imm20, 2)]),
        encode(Op::Ldc, "-", &[(F::D, 17), (F::A, 16), (F::Slot, 1), (F::Off, 8), (F::Size, 4)]),
        encode(Op::Brx, "-", &[(F::A, 17), (F::Off, (-16i64) as u64 & 0xFF_FFFF), (F::Test, 15)]),
    ];
    // Cases at p+5, p+7, p+9; the last falls into p+11.
    for value in [1u64, 2, 4] {
        body.push(add(value));
        let from = p + body.len();
        body.push(jump(Op::Bra, from, p + 11));
    }
    body.push(add(0x100));
    let next = offset(p + 4) + 8;
    let entry = |to: usize| (offset(to) - next + 16) as u32;
    let constants = [7, 7, entry(p + 5), entry(p + 7), entry(p + 9), entry(p + 7)];
    let seeds: Vec<u32> = (0..32).collect();
    let values = [1, 2, 4, 2];
    for (seed, got) in seeds.iter().zip(run(&device, &body, &constants, &seeds)) {
        assert_eq!(got, 0x100 + values[*seed as usize & 3], "seed {seed}");
    }
}
