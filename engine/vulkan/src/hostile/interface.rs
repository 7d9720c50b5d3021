//! Line 9: what a shader leaves undefined gets a face. A rewrite of SPIR-V words.
//!
//! - `OpUndef` and variables without a value: 0x7FC0DEAD (a NaN as float);
//! - varyings and parts of the position that are not written: 7.25; point size: 64;
//! - inputs that the stage before does not write: 7.25;
//! - fragment outputs that are not written: magenta, or 0xCDCDCDCD as integers; a target that is not masked and has no output gets one.

use crate::spirv;
use framegraph::state::{NumericClass, Stage};
use std::collections::{HashMap, HashSet};

const UNDEFINED: u32 = 0x7FC0_DEAD;

/// What a module is linked with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    /// Locations that the stage before writes; `None` = there is none, or inputs come from vertex streams.
    pub(crate) before: Option<Vec<u32>>,
    /// Locations and classes of targets that a fragment stage must write, as the write masks say.
    pub(crate) targets: Vec<(u32, NumericClass)>,
}

#[derive(Debug, Clone)]
enum Type {
    Bool,
    Int(u32, bool),
    Float(u32),
    Vector(u32, u32),
    Matrix(u32, u32),
    Array(u32, u32),
    Struct(Vec<u32>),
    Pointer(u32),
}

/// The value that a hole gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Face {
    Undefined,
    Varying,
    Target,
    PointSize,
}

impl Face {
    /// Bits of one component.
    fn float(self, component: u32) -> f64 {
        match self {
            Self::Undefined => f64::from(f32::from_bits(UNDEFINED)),
            Self::Varying => 7.25,
            // Magenta.
            Self::Target => f64::from(u8::from(component != 1)),
            Self::PointSize => 64.0,
        }
    }

    fn int(self) -> u32 {
        match self {
            Self::Undefined => UNDEFINED,
            Self::Varying => 7,
            Self::Target => 0xCDCD_CDCD,
            Self::PointSize => 64,
        }
    }
}

struct Rewriter {
    bound: u32,
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u32>,
    made: HashMap<(u32, Face), u32>,
    location: HashMap<u32, u32>,
    builtin: HashMap<u32, u32>,
    member_builtin: HashMap<(u32, u32), u32>,
}

impl Rewriter {
    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The id of a constant of this type with this face; its instructions go to `out`. `None` where the type has no such constant.
    fn constant(&mut self, ty: u32, face: Face, component: u32, out: &mut Vec<u32>) -> Option<u32> {
        let shared = (ty, face);
        let scalar_of_vector = component != 0;
        if !scalar_of_vector && let Some(&id) = self.made.get(&shared) {
            return Some(id);
        }
        let op = |code: u32, words: &[u32], out: &mut Vec<u32>| {
            out.push((words.len() as u32 + 1) << 16 | code);
            out.extend_from_slice(words);
        };
        let id = match self.types.get(&ty)?.clone() {
            Type::Bool => {
                let id = self.id();
                op(41, &[ty, id], out);
                id
            }
            Type::Int(width, _) => {
                let id = self.id();
                let word = face.int();
                let words: &[u32] = if width == 64 { &[ty, id, word, word] } else { &[ty, id, narrow(word, width)] };
                op(43, words, out);
                id
            }
            Type::Float(width) => {
                let id = self.id();
                let value = face.float(component);
                match width {
                    64 => {
                        let bits = value.to_bits();
                        op(43, &[ty, id, bits as u32, (bits >> 32) as u32], out);
                    }
                    32 if face == Face::Undefined => op(43, &[ty, id, UNDEFINED], out),
                    32 => op(43, &[ty, id, (value as f32).to_bits()], out),
                    _ => op(43, &[ty, id, half(value)], out),
                }
                id
            }
            Type::Vector(of, n) | Type::Matrix(of, n) | Type::Array(of, n) => {
                let vector = matches!(self.types.get(&ty), Some(Type::Vector(..)));
                let mut words = vec![ty, 0];
                for k in 0..n {
                    words.push(self.constant(of, face, if vector { k } else { 0 }, out)?);
                }
                let id = self.id();
                words[1] = id;
                op(44, &words, out);
                id
            }
            Type::Struct(members) => {
                let mut words = vec![ty, 0];
                for (k, of) in members.iter().enumerate() {
                    let face = match self.member_builtin.get(&(ty, k as u32)) {
                        Some(1) if face == Face::Varying => Face::PointSize,
                        _ => face,
                    };
                    words.push(self.constant(*of, face, 0, out)?);
                }
                let id = self.id();
                words[1] = id;
                op(44, &words, out);
                id
            }
            Type::Pointer(_) => return None,
        };
        if !scalar_of_vector {
            self.made.insert(shared, id);
        }
        Some(id)
    }
}

fn narrow(word: u32, width: u32) -> u32 {
    if width < 32 { word & ((1 << width) - 1) } else { word }
}

/// Enough of a half for the faces in use.
fn half(value: f64) -> u32 {
    if value.is_nan() {
        0x7EAD
    } else if value == 0.0 {
        0
    } else {
        let bits = (value as f32).to_bits();
        ((bits >> 16) & 0x8000) | (((bits >> 23 & 0xFF) + 15 - 127) << 10) | (bits >> 13 & 0x3FF)
    }
}

/// Rewrites a module. What cannot be read is handed back as it is: the driver will refuse it.
pub(crate) fn rewrite(words: &[u32], stage: Stage, link: &Link) -> Vec<u32> {
    let Ok(all) = spirv::instructions(words).and_then(Iterator::collect::<Result<Vec<_>, _>>) else {
        return words.to_vec();
    };
    let mut r = Rewriter {
        bound: words[3],
        types: HashMap::new(),
        constants: HashMap::new(),
        made: HashMap::new(),
        location: HashMap::new(),
        builtin: HashMap::new(),
        member_builtin: HashMap::new(),
    };
    for (code, a, _) in &all {
        let arg = |n: usize| a.get(n).copied().unwrap_or(0);
        match code {
            71 if arg(1) == 30 => drop(r.location.insert(arg(0), arg(2))),
            71 if arg(1) == 11 => drop(r.builtin.insert(arg(0), arg(2))),
            72 if arg(2) == 11 => drop(r.member_builtin.insert((arg(0), arg(1)), arg(3))),
            20 => drop(r.types.insert(arg(0), Type::Bool)),
            21 => drop(r.types.insert(arg(0), Type::Int(arg(1), arg(2) == 1))),
            22 => drop(r.types.insert(arg(0), Type::Float(arg(1)))),
            23 => drop(r.types.insert(arg(0), Type::Vector(arg(1), arg(2)))),
            24 => drop(r.types.insert(arg(0), Type::Matrix(arg(1), arg(2)))),
            28 => {
                let n = r.constants.get(&arg(2)).copied().unwrap_or(0);
                r.types.insert(arg(0), Type::Array(arg(1), n));
            }
            30 => drop(r.types.insert(arg(0), Type::Struct(a[1..].to_vec()))),
            32 => drop(r.types.insert(arg(0), Type::Pointer(arg(2)))),
            43 => drop(r.constants.insert(arg(1), arg(2))),
            _ => {}
        }
    }
    let outputs_reset = matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Fragment);
    let output_face = if stage == Stage::Fragment { Face::Target } else { Face::Varying };
    // Inputs that nobody writes turn into private variables.
    let orphan: HashSet<u32> = all
        .iter()
        .filter(|(code, a, _)| *code == 59 && a.get(2) == Some(&1))
        .filter_map(|(_, a, _)| {
            let location = r.location.get(&a[1])?;
            let before = link.before.as_ref()?;
            (!before.contains(location)).then_some(a[1])
        })
        .collect();
    let have: HashSet<u32> = all
        .iter()
        .filter(|(code, a, _)| *code == 59 && a.get(2) == Some(&3))
        .filter_map(|(_, a, _)| r.location.get(&a[1]).copied())
        .collect();
    let missing: Vec<(u32, NumericClass)> = if stage == Stage::Fragment {
        link.targets.iter().copied().filter(|(location, _)| !have.contains(location)).collect()
    } else {
        Vec::new()
    };
    let new_outputs: Vec<(u32, u32, NumericClass)> =
        missing.into_iter().map(|(location, class)| (r.id(), location, class)).collect();

    let mut out = words[..5].to_vec();
    let mut in_function = false;
    // Constants for holes inside functions, made before the first function.
    let mut inner: HashMap<u32, u32> = HashMap::new();
    for (code, a, at) in &all {
        let length = a.len() + 1;
        let same = &words[*at..*at + length];
        match code {
            // Entry point: its interface loses orphans (private variables are none of it in SPIR-V 1.3) and gains outputs.
            15 => {
                let name_words = a[2..].iter().position(|w| w >> 24 == 0).map_or(0, |n| n + 1);
                let mut operands = a[..2 + name_words].to_vec();
                let keep_private = words[1] >= 0x0001_0400;
                operands.extend(a[2 + name_words..].iter().filter(|id| keep_private || !orphan.contains(id)));
                operands.extend(new_outputs.iter().map(|(id, _, _)| *id));
                out.push((operands.len() as u32 + 1) << 16 | 15);
                out.extend(operands);
            }
            // Decorations of orphans would be out of place on private variables.
            71 if orphan.contains(&a[0]) => {}
            54 if !in_function => {
                in_function = true;
                for (id, _, class) in &new_outputs {
                    declare_output(&mut r, &mut out, *id, *class);
                }
                let holes = all.iter().filter(|(code, a, _)| match code {
                    1 => true,
                    59 => a.get(2) == Some(&7) && a.len() == 3,
                    _ => false,
                });
                for (code, a, _) in holes {
                    let ty = match (code, r.types.get(&a[0])) {
                        (59, Some(Type::Pointer(of))) => *of,
                        (1, _) => a[0],
                        _ => continue,
                    };
                    if let Some(id) = r.constant(ty, Face::Undefined, 0, &mut out) {
                        inner.insert(a[1], id);
                    }
                }
                out.extend_from_slice(same);
            }
            59 if orphan.contains(&a[1]) => {
                let Some(&Type::Pointer(of)) = r.types.get(&a[0]) else { continue };
                let value = r.constant(of, Face::Varying, 0, &mut out);
                let pointer = r.id();
                out.extend([4 << 16 | 32, pointer, 6, of]);
                match value {
                    Some(value) => out.extend([5 << 16 | 59, pointer, a[1], 6, value]),
                    None => out.extend([4 << 16 | 59, pointer, a[1], 6]),
                }
            }
            59 if a.len() == 3 => {
                let pointee = match r.types.get(&a[0]) {
                    Some(Type::Pointer(of)) => *of,
                    _ => 0,
                };
                let face = match a[2] {
                    3 if outputs_reset => match r.builtin.get(&a[1]) {
                        Some(1) => Some(Face::PointSize),
                        // Depth, sample mask and the like have no face here.
                        Some(0 | 3 | 4) | None => Some(output_face),
                        Some(_) => None,
                    },
                    6 | 7 => Some(Face::Undefined),
                    _ => None,
                };
                let value = match face {
                    Some(Face::Undefined) if in_function => inner.get(&a[1]).copied(),
                    Some(face) if !in_function => r.constant(pointee, face, 0, &mut out),
                    _ => None,
                };
                match value {
                    Some(value) => out.extend([5 << 16 | 59, a[0], a[1], a[2], value]),
                    None => out.extend_from_slice(same),
                }
            }
            1 if in_function => match inner.get(&a[1]) {
                // OpCopyObject of the constant.
                Some(value) => out.extend([4 << 16 | 83, a[0], a[1], *value]),
                None => out.extend_from_slice(same),
            },
            _ => out.extend_from_slice(same),
        }
    }
    // Decorations of new outputs belong before the types: behind the last decoration.
    let mut decorations = Vec::new();
    for (id, location, _) in &new_outputs {
        decorations.extend([4 << 16 | 71, *id, 30, *location]);
    }
    let place = spirv::instructions(&out)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .find(|(code, _, _)| (19..=33).contains(code))
        .map_or(out.len(), |(_, _, at)| at);
    out.splice(place..place, decorations);
    out[3] = r.bound;
    out
}

/// An output of four components with magenta (or 0xCDCDCDCD) in it, and the types it needs.
fn declare_output(r: &mut Rewriter, out: &mut Vec<u32>, id: u32, class: NumericClass) {
    let signed = class == NumericClass::Sint;
    let known = r.types.iter().find_map(|(id, t)| match (class, t) {
        (NumericClass::Float, Type::Float(32)) => Some(*id),
        (NumericClass::Sint | NumericClass::Uint, Type::Int(32, s)) if *s == signed => Some(*id),
        _ => None,
    });
    // Types must not be declared twice: only what the module lacks is added.
    let scalar = known.unwrap_or_else(|| {
        let id = r.id();
        if class == NumericClass::Float {
            out.extend([3 << 16 | 22, id, 32]);
            r.types.insert(id, Type::Float(32));
        } else {
            out.extend([4 << 16 | 21, id, 32, u32::from(signed)]);
            r.types.insert(id, Type::Int(32, signed));
        }
        id
    });
    let known = r.types.iter().find_map(|(id, t)| matches!(t, Type::Vector(of, 4) if *of == scalar).then_some(*id));
    let vector = known.unwrap_or_else(|| {
        let id = r.id();
        out.extend([4 << 16 | 23, id, scalar, 4]);
        r.types.insert(id, Type::Vector(scalar, 4));
        id
    });
    let value = r.constant(vector, Face::Target, 0, out);
    let pointer = r.id();
    out.extend([4 << 16 | 32, pointer, 3, vector]);
    match value {
        Some(value) => out.extend([5 << 16 | 59, pointer, id, 3, value]),
        None => out.extend([4 << 16 | 59, pointer, id, 3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_is_handed_back() {
        assert_eq!(rewrite(&[1, 2, 3], Stage::Vertex, &Link::default()), [1, 2, 3]);
    }

    #[test]
    fn halves() {
        assert_eq!(half(7.25), 0x4740);
        assert_eq!(half(64.0), 0x5400);
        assert_eq!(half(1.0), 0x3C00);
    }

    /// `spirv-val` (spirv-tools) on what comes out, where it is installed.
    #[test]
    fn rewritten_modules_are_valid() {
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let link = Link {
            before: Some(vec![]),
            targets: vec![
                (0, NumericClass::Float),
                (1, NumericClass::Float),
                (2, NumericClass::Sint),
                (3, NumericClass::Uint),
            ],
        };
        let mut seen = 0;
        for entry in std::fs::read_dir(data).expect("tests/data") {
            let path = entry.expect("entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.ends_with(".spv") {
                continue;
            }
            let bytes = std::fs::read(&path).expect("a module");
            let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
            let stage = if name.contains(".frag") {
                Stage::Fragment
            } else if name.contains(".vert") {
                Stage::Vertex
            } else {
                Stage::Compute
            };
            let link = if stage == Stage::Fragment { link.clone() } else { Link::default() };
            let out = rewrite(&words, stage, &link);
            let file = std::env::temp_dir().join(format!("ferrograph-{}-{name}", std::process::id()));
            let bytes: Vec<u8> = out.iter().flat_map(|w| w.to_le_bytes()).collect();
            std::fs::write(&file, bytes).expect("a temporary file");
            let Ok(run) =
                std::process::Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).arg(&file).output()
            else {
                return;
            };
            std::fs::remove_file(&file).expect("the temporary file");
            assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
            seen += 1;
        }
        assert!(seen > 10);
    }
}
