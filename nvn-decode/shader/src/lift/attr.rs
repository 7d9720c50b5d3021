//! Attributes, interpolation, special registers, geometry output, discard.

use super::{Immediate, Lifter};
use crate::ShaderError;
use crate::header::Stage;
use crate::ir::{Builtin, Interpolation, Op, Value};
use crate::isa::{Field, Instruction};

impl Lifter<'_> {
    fn truth_mask(&mut self, truth: Value) -> Value {
        let ones = self.constant(u32::MAX);
        let zero = self.constant(0);
        self.select(truth, ones, zero)
    }

    pub(super) fn ald(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.get(Field::A) != 255 {
            return Err(self.unsupported(i, "computed attribute addresses"));
        }
        let patch = i.flag(Field::P);
        let vertex = i.get(Field::Vtx);
        let vertex = if vertex == 255 { None } else { Some(self.register(vertex)) };
        let stage = self.program.stage;
        let words = i.get(Field::Size) + 1;
        let values: Vec<Value> = (0..words)
            .map(|k| {
                let address = i.get(Field::Imm) + 4 * k;
                match (address, stage) {
                    (0x2F0 | 0x2F4, Stage::TessEvaluation) => {
                        self.push(Op::Builtin(Builtin::TessCoord(((address - 0x2F0) / 4) as u8)), &[])
                    }
                    (0x2F8, Stage::Vertex) => {
                        let index = self.push(Op::Builtin(Builtin::InstanceIndex), &[]);
                        let base = self.push(Op::Builtin(Builtin::BaseInstance), &[]);
                        self.sub(index, base)
                    }
                    (0x2FC, Stage::Vertex) => {
                        let index = self.push(Op::Builtin(Builtin::VertexIndex), &[]);
                        let base = self.push(Op::Builtin(Builtin::BaseVertex), &[]);
                        self.sub(index, base)
                    }
                    (0x60, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation) => {
                        self.push(Op::Builtin(Builtin::PrimitiveId), &[])
                    }
                    _ => {
                        let address = address as u16;
                        let op = if i.flag(Field::O) {
                            Op::OutputRead { address, patch }
                        } else {
                            Op::Input { address, patch }
                        };
                        let per_vertex =
                            !patch && matches!(stage, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation);
                        match vertex.filter(|_| per_vertex) {
                            Some(vertex) => self.push(op, &[vertex]),
                            None if per_vertex => {
                                let zero = self.constant(0);
                                self.push(op, &[zero])
                            }
                            None => self.push(op, &[]),
                        }
                    }
                }
            })
            .collect();
        let d = i.get(Field::D);
        for (k, value) in values.into_iter().enumerate() {
            if d < 255 {
                self.set_register(d + k as u32, value);
            }
        }
        Ok(())
    }

    pub(super) fn ast(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.get(Field::A) != 255 {
            return Err(self.unsupported(i, "computed attribute addresses"));
        }
        let d = i.get(Field::D);
        for k in 0..=i.get(Field::Size) {
            let value = self.register_at(d, k);
            let address = (i.get(Field::Imm) + 4 * k) as u16;
            self.push(Op::Output { address, patch: i.flag(Field::P) }, &[value]);
        }
        Ok(())
    }

    pub(super) fn out(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let stream = self.source_b(i, Immediate::Int);
        let Some(stream) = self.ir.constant(stream).filter(|s| *s < 4) else {
            return Err(self.unsupported(i, "a computed vertex stream"));
        };
        let op = i.get(Field::Op);
        if op & 1 != 0 {
            self.push(Op::EmitVertex(stream as u8), &[]);
        }
        if op & 2 != 0 {
            self.push(Op::EndPrimitive(stream as u8), &[]);
        }
        let zero = self.constant(0);
        self.set_register(i.get(Field::D), zero);
        Ok(())
    }

    pub(super) fn ipa(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.flag(Field::Idx) {
            return Err(self.unsupported(i, "computed attribute addresses"));
        }
        let address = i.get(Field::Imm10);
        let op = i.get(Field::Op);
        let builtin = match address {
            0x60 => Some(Builtin::PrimitiveId),
            0x64 => Some(Builtin::Layer),
            0x68 => Some(Builtin::ViewportIndex),
            0x70..=0x7C => Some(Builtin::FragCoord(((address - 0x70) / 4) as u8)),
            0x2E0 | 0x2E4 => Some(Builtin::PointCoord(((address - 0x2E0) / 4) as u8)),
            _ => None,
        };
        let mut value = if let Some(builtin) = builtin {
            self.push(Op::Builtin(builtin), &[])
        } else if address == 0x3FC {
            let facing = self.push(Op::Builtin(Builtin::FrontFacing), &[]);
            self.truth_mask(facing)
        } else if (0x80..0x280).contains(&address) {
            let (location, component) = ((address - 0x80) / 16, (address / 4) % 4);
            let mode = self.program.interpolation(location, component);
            let flat = mode == 1 || op == 2;
            let interpolation = match i.get(Field::Msi) {
                1 if !flat => Interpolation::Centroid,
                2 if !flat => Interpolation::Offset,
                _ => Interpolation::Plain,
            };
            let address = (address & !3) as u16;
            let varying = if interpolation == Interpolation::Offset {
                let packed = self.source_c(i);
                let x = self.field(packed, 0, 16, true);
                let y = self.field(packed, 16, 16, true);
                let scale = self.float(1.0 / 4096.0);
                let x = self.push(Op::IntToFloat { signed: true }, &[x]);
                let y = self.push(Op::IntToFloat { signed: true }, &[y]);
                let x = self.push(Op::FMul, &[x, scale]);
                let y = self.push(Op::FMul, &[y, scale]);
                self.push(Op::Varying { address, interpolation, flat }, &[x, y])
            } else {
                self.push(Op::Varying { address, interpolation, flat }, &[])
            };
            let perspective = !flat && mode != 3;
            let b = self.register(i.get(Field::B));
            match op {
                1 if flat => varying,
                // The reciprocal of 1/w undoes the division that interpolation did.
                1 if perspective && self.is_w(b) => varying,
                1 => {
                    let scaled = if perspective { self.divided_by_w(varying) } else { varying };
                    self.push(Op::FMul, &[scaled, b])
                }
                0 | 3 if perspective => self.divided_by_w(varying),
                _ => varying,
            }
        } else {
            return Err(self.unsupported(i, "this attribute is not read by fragment stages"));
        };
        if i.flag(Field::Sat) {
            value = self.push(Op::FSaturate, &[value]);
        }
        self.set_register(i.get(Field::D), value);
        Ok(())
    }

    fn divided_by_w(&mut self, value: Value) -> Value {
        let w = self.push(Op::Builtin(Builtin::FragCoord(3)), &[]);
        self.push(Op::FMul, &[value, w])
    }

    fn is_w(&self, value: Value) -> bool {
        matches!(self.ir.op(value), Op::FRcp)
            && self.ir.args(value).first().is_some_and(|a| matches!(self.ir.op(*a), Op::Builtin(Builtin::FragCoord(3))))
    }

    pub(super) fn pixld(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let builtin = match i.get(Field::Mode) {
            1 => Builtin::SampleMask,
            5 => Builtin::SampleId,
            _ => return Err(self.unsupported(i, "this pixel query")),
        };
        let value = self.push(Op::Builtin(builtin), &[]);
        self.set_register(i.get(Field::D), value);
        let no = self.truth(false);
        self.set_predicate(i.get(Field::Pd), no);
        Ok(())
    }

    pub(super) fn kil(&mut self, _: &Instruction) {
        if self.program.kills() {
            self.push(Op::Kill, &[]);
        }
    }

    pub(super) fn s2r(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let register = i.get(Field::Sreg);
        let compute = self.program.stage == Stage::Compute;
        let value = match register {
            0 => self.lane(),
            17 => self.push(Op::Builtin(Builtin::InvocationId), &[]),
            18 => self.float(if self.key.y_negate { -1.0 } else { 1.0 }),
            19 => {
                let helper = self.push(Op::Builtin(Builtin::HelperInvocation), &[]);
                self.truth_mask(helper)
            }
            // Vertices per primitive in the high half; the factor in the low byte is 0, so that handles are vertex indices.
            29 => self.constant(3 << 16),
            30 | 31 => self.float(1.0),
            32 if compute => {
                let x = self.push(Op::Builtin(Builtin::LocalInvocation(0)), &[]);
                let y = self.push(Op::Builtin(Builtin::LocalInvocation(1)), &[]);
                let z = self.push(Op::Builtin(Builtin::LocalInvocation(2)), &[]);
                let y = self.shl(y, 16);
                let z = self.shl(z, 26);
                let xy = self.bits_or(x, y);
                self.bits_or(xy, z)
            }
            33..=35 if compute => self.push(Op::Builtin(Builtin::LocalInvocation(register as u8 - 33)), &[]),
            37..=39 if compute => self.push(Op::Builtin(Builtin::Workgroup(register as u8 - 37)), &[]),
            56..=60 => {
                let lane = self.lane();
                let one = self.constant(1);
                let equal = self.push(Op::Shl, &[one, lane]);
                let below = self.sub(equal, one);
                match register {
                    56 => equal,
                    57 => below,
                    58 => self.bits_or(below, equal),
                    59 => {
                        let up_to = self.bits_or(below, equal);
                        self.bits_not(up_to)
                    }
                    _ => self.bits_not(below),
                }
            }
            1 | 80 | 81 | 82 | 83 | 28 => self.constant(0),
            _ => return Err(self.unsupported(i, "this special register")),
        };
        let d = i.get(Field::D);
        self.set_register(d, value);
        if i.op() == crate::isa::Op::Cs2r && matches!(register, 80 | 82) && d < 254 {
            let zero = self.constant(0);
            self.set_register(d + 1, zero);
        }
        Ok(())
    }
}
