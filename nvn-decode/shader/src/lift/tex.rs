//! Textures and images: operand packing of every form, and the order of results.

use super::Lifter;
use crate::ShaderError;
use crate::ir::{Atomic, Image, ImageKind, Op, Texture, TextureKind, Value};
use crate::isa::{self, Field, Instruction};
use crate::reflection::{Dim, HandleSource};
use smallvec::SmallVec;

/// Registers taken one after the other.
struct Operands {
    next: u32,
    left: u32,
}

impl Operands {
    fn new(base: u32) -> Self {
        Self { next: base, left: 8 }
    }

    fn take(&mut self, lifter: &mut Lifter<'_>) -> Value {
        let value = if self.left == 0 { lifter.constant(0) } else { lifter.register(self.next) };
        if self.next < 255 {
            self.next += 1;
        }
        self.left = self.left.saturating_sub(1);
        value
    }
}

fn empty(kind: TextureKind, dim: Dim) -> Texture {
    Texture {
        kind,
        dim,
        source: None,
        candidates: Vec::new(),
        coordinates: SmallVec::new(),
        layer: None,
        level: None,
        reference: None,
        offsets: SmallVec::new(),
        four_offsets: None,
        gradients: SmallVec::new(),
        sample: None,
        handle: None,
    }
}

/// Byte offset of the first bound texture handle and of the first image handle in bank 2, and the slots there.
const TEXTURES: (u32, u32) = (0x20, 32);
const IMAGES: (u32, u32) = (0x340, 8);

/// The bound slot behind a byte offset in the handle bank.
pub(crate) fn bound_texture(offset: u32) -> Option<u8> {
    let slot = offset.checked_sub(TEXTURES.0)? / 8;
    (slot < TEXTURES.1 && offset.is_multiple_of(8)).then_some(slot as u8)
}

/// The image slot behind a byte offset in the handle bank.
pub(crate) fn bound_image(offset: u32) -> Option<u8> {
    let slot = offset.checked_sub(IMAGES.0)? / 8;
    (slot < IMAGES.1 && offset.is_multiple_of(8)).then_some(slot as u8)
}

impl Lifter<'_> {
    fn dim(&self, i: &Instruction, ms: bool) -> Result<Dim, ShaderError> {
        Ok(match (i.get(Field::Dim), ms) {
            (0, _) => Dim::D1,
            (1, _) => Dim::D1Array,
            (2, false) => Dim::D2,
            (2, true) => Dim::D2Ms,
            (3, false) => Dim::D2Array,
            (3, true) => Dim::D2MsArray,
            (4, _) => Dim::D3,
            (6, _) => Dim::Cube,
            (7, _) => Dim::CubeArray,
            _ => return Err(self.unsupported(i, "arrays of 3D textures")),
        })
    }

    fn bound(&self, i: &Instruction) -> Result<Option<HandleSource>, ShaderError> {
        if !i.has(Field::Tid) {
            return Ok(None);
        }
        match bound_texture(i.get(Field::Tid) * 4) {
            Some(slot) => Ok(Some(HandleSource::Bound(slot))),
            None => Err(self.unsupported(i, "its handle word is in no bound texture slot")),
        }
    }

    fn layer(&mut self, operands: &mut Operands, dim: Dim) -> Option<Value> {
        dim.arrayed().then(|| {
            let raw = operands.take(self);
            self.field(raw, 0, 16, false)
        })
    }

    fn coordinates(&mut self, operands: &mut Operands, dim: Dim) -> SmallVec<[Value; 3]> {
        (0..dim.coordinates()).map(|_| operands.take(self)).collect()
    }

    /// Signed offsets packed in one word.
    fn offsets(&mut self, word: Value, dim: Dim, stride: u32, bits: u32) -> SmallVec<[Value; 3]> {
        (0..dim.coordinates() as u32).map(|k| self.field(word, k * stride, bits, true)).collect()
    }

    fn four_offsets(&mut self, first: Value, second: Value) -> [[Value; 2]; 4] {
        [(first, 0), (first, 16), (second, 0), (second, 16)]
            .map(|(word, at)| [self.field(word, at, 6, true), self.field(word, at + 8, 6, true)])
    }

    pub(super) fn texture(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        use isa::Op as M;
        match i.op() {
            M::Tex => self.tex(i),
            M::Texs => self.texs(i),
            M::Tld => self.tld(i),
            M::Tlds => self.tlds(i),
            M::Tld4 => self.tld4(i),
            M::Tld4s => self.tld4s(i),
            M::Txd => self.txd(i),
            M::Txq => self.txq(i),
            _ => self.tmml(i),
        }
    }

    /// Components of the mask go to consecutive registers.
    fn set_masked(&mut self, i: &Instruction, result: Value) {
        let mask = i.get(Field::Wmask);
        let values: SmallVec<[Value; 4]> =
            (0..4u8).filter(|k| mask & (1 << k) != 0).map(|k| self.push(Op::Extract(k), &[result])).collect();
        let d = i.get(Field::D);
        for (k, value) in values.into_iter().enumerate() {
            if d < 255 {
                self.set_register(d + k as u32, value);
            }
        }
        if i.has(Field::Pd) {
            // Residency: every texel is there.
            let no = self.truth(false);
            self.set_predicate(i.get(Field::Pd), no);
        }
    }

    fn push_texture(&mut self, texture: Texture) -> Value {
        self.push(Op::Texture(Box::new(texture)), &[])
    }

    fn tex(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let dim = self.dim(i, false)?;
        if i.flag(Field::Lc) {
            return Err(self.unsupported(i, "a level clamp operand"));
        }
        let mut texture = empty(TextureKind::Implicit, dim);
        texture.source = self.bound(i)?;
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        texture.layer = self.layer(&mut a, dim);
        texture.coordinates = self.coordinates(&mut a, dim);
        if texture.source.is_none() {
            texture.handle = Some(b.take(self));
        }
        match i.get(Field::Lod) {
            0 if i.flag(Field::Ndv) => {
                texture.kind = TextureKind::Level;
                texture.level = Some(self.constant(0));
            }
            0 => {}
            1 => {
                texture.kind = TextureKind::Level;
                texture.level = Some(self.constant(0));
            }
            2 | 6 => {
                texture.kind = TextureKind::Bias;
                texture.level = Some(b.take(self));
            }
            _ => {
                texture.kind = TextureKind::Level;
                texture.level = Some(b.take(self));
            }
        }
        if i.flag(Field::Aoffi) {
            let word = b.take(self);
            texture.offsets = self.offsets(word, dim, 4, 4);
        }
        if i.flag(Field::Dc) {
            texture.reference = Some(b.take(self));
        }
        let result = self.push_texture(texture);
        self.set_masked(i, result);
        Ok(())
    }

    /// Components of the compact forms' mask.
    fn compact_mask(i: &Instruction) -> &'static [u8] {
        let mask = i.get(Field::Mask);
        if i.get(Field::D2) == 255 {
            match mask {
                0 => &[0],
                1 => &[1],
                2 => &[2],
                3 => &[3],
                4 => &[0, 1],
                5 => &[0, 3],
                6 => &[1, 3],
                _ => &[2, 3],
            }
        } else {
            match mask {
                0 => &[0, 1, 2],
                1 => &[0, 1, 3],
                2 => &[0, 2, 3],
                3 => &[1, 2, 3],
                _ => &[0, 1, 2, 3],
            }
        }
    }

    /// The first two results go to d, d+1, the others to d2, d2+1; the half forms pack pairs.
    fn set_compact(&mut self, i: &Instruction, result: Value, components: &[u8]) {
        let values: SmallVec<[Value; 4]> = components.iter().map(|k| self.push(Op::Extract(*k), &[result])).collect();
        let (d, d2) = (i.get(Field::D), i.get(Field::D2));
        if i.form.name == "F16" {
            let halves: SmallVec<[Value; 4]> = values.iter().map(|v| self.push(Op::FloatToHalf, &[*v])).collect();
            for (pair, target) in halves.chunks(2).zip([d, d2]) {
                let mut word = pair[0];
                if let Some(high) = pair.get(1) {
                    let high = self.shl(*high, 16);
                    word = self.bits_or(word, high);
                }
                self.set_register(target, word);
            }
            return;
        }
        for (k, value) in values.into_iter().enumerate() {
            let base = if k < 2 { d } else { d2 };
            if base < 255 {
                self.set_register(base + (k as u32 & 1), value);
            }
        }
    }

    fn texs(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        let zero = self.constant(0);
        let target = i.get(Field::Target);
        let dim = match target {
            0 => Dim::D1,
            1..=6 => Dim::D2,
            7..=9 => Dim::D2Array,
            10 | 11 => Dim::D3,
            12 | 13 => Dim::Cube,
            _ => return Err(self.unsupported(i, "no such target")),
        };
        let mut texture = empty(TextureKind::Implicit, dim);
        texture.source = self.bound(i)?;
        match target {
            0 => texture.coordinates.push(a.take(self)),
            // x in a, y in b.
            1 | 2 => texture.coordinates.extend([a.take(self), b.take(self)]),
            // x and y in a; level and reference in b.
            3..=6 => {
                texture.coordinates.extend([a.take(self), a.take(self)]);
                if matches!(target, 3 | 5) {
                    texture.level = Some(b.take(self));
                }
                if target >= 4 {
                    texture.reference = Some(b.take(self));
                }
            }
            7..=9 => {
                texture.layer = self.layer(&mut a, dim);
                texture.coordinates.extend([a.take(self), b.take(self)]);
                if target == 9 {
                    texture.reference = Some(b.take(self));
                }
            }
            _ => {
                texture.coordinates.extend([a.take(self), a.take(self), b.take(self)]);
                if target == 13 {
                    texture.level = Some(b.take(self));
                }
            }
        }
        if matches!(target, 0 | 2 | 6 | 8 | 9 | 11) {
            texture.level = Some(zero);
        }
        if texture.level.is_some() {
            texture.kind = TextureKind::Level;
        }
        let result = self.push_texture(texture);
        self.set_compact(i, result, Self::compact_mask(i));
        Ok(())
    }

    fn fetch_dim(&self, dim: Dim, source: Option<HandleSource>) -> Dim {
        match (dim, source) {
            (Dim::D1, Some(HandleSource::Bound(slot))) if self.key.textures[usize::from(slot)].buffer => Dim::Buffer,
            _ => dim,
        }
    }

    fn tld(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let source = self.bound(i)?;
        let dim = self.dim(i, i.flag(Field::Ms))?;
        let dim = self.fetch_dim(dim, source);
        let mut texture = empty(TextureKind::Fetch, dim);
        texture.source = source;
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        texture.layer = self.layer(&mut a, dim);
        texture.coordinates = self.coordinates(&mut a, dim);
        if texture.source.is_none() {
            texture.handle = Some(b.take(self));
        }
        texture.level = Some(if i.get(Field::Lod) == 1 { b.take(self) } else { self.constant(0) });
        if i.flag(Field::Aoffi) {
            let word = b.take(self);
            texture.offsets = self.offsets(word, dim, 4, 4);
        }
        if i.flag(Field::Ms) {
            texture.sample = Some(b.take(self));
        }
        let result = self.push_texture(texture);
        self.set_masked(i, result);
        Ok(())
    }

    fn tlds(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        let target = i.get(Field::Target);
        let dim = match target {
            0 | 1 => Dim::D1,
            2 | 4 | 5 | 12 => Dim::D2,
            6 => Dim::D2Ms,
            7 => Dim::D3,
            8 => Dim::D2Array,
            _ => return Err(self.unsupported(i, "no such target")),
        };
        let source = self.bound(i)?;
        let dim = self.fetch_dim(dim, source);
        let mut texture = empty(TextureKind::Fetch, dim);
        texture.source = source;
        let mut level = self.constant(0);
        match target {
            0 => texture.coordinates.push(a.take(self)),
            1 => {
                texture.coordinates.push(a.take(self));
                level = b.take(self);
            }
            2 => texture.coordinates.extend([a.take(self), b.take(self)]),
            4 | 5 | 12 => {
                texture.coordinates.extend([a.take(self), a.take(self)]);
                if target != 4 {
                    level = b.take(self);
                }
                if target != 5 {
                    let word = b.take(self);
                    texture.offsets = self.offsets(word, dim, 4, 4);
                }
            }
            6 => {
                texture.coordinates.extend([a.take(self), a.take(self)]);
                texture.sample = Some(b.take(self));
            }
            7 => texture.coordinates.extend([a.take(self), a.take(self), b.take(self)]),
            _ => {
                // The array form has its index in a and both coordinates in b, unlike the sampling form.
                texture.layer = self.layer(&mut a, dim);
                texture.coordinates.extend([b.take(self), b.take(self)]);
            }
        }
        texture.level = Some(level);
        let result = self.push_texture(texture);
        self.set_compact(i, result, Self::compact_mask(i));
        Ok(())
    }

    fn tld4(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let dim = self.dim(i, false)?;
        let mut texture = empty(TextureKind::Gather(i.get(Field::Comp) as u8), dim);
        texture.source = self.bound(i)?;
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        texture.layer = self.layer(&mut a, dim);
        texture.coordinates = self.coordinates(&mut a, dim);
        if texture.source.is_none() {
            texture.handle = Some(b.take(self));
        }
        match i.get(Field::Off) {
            1 => {
                let word = b.take(self);
                texture.offsets = self.offsets(word, dim, 8, 6);
            }
            2 => {
                let (first, second) = (b.take(self), b.take(self));
                texture.four_offsets = Some(self.four_offsets(first, second));
            }
            _ => {}
        }
        if i.flag(Field::Dc) {
            texture.reference = Some(b.take(self));
        }
        let result = self.push_texture(texture);
        self.set_masked(i, result);
        Ok(())
    }

    fn tld4s(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        let mut texture = empty(TextureKind::Gather(i.get(Field::Comp) as u8), Dim::D2);
        texture.source = self.bound(i)?;
        let (offset, compare) = (i.flag(Field::Aoffi), i.flag(Field::Dc));
        if offset || compare {
            texture.coordinates.extend([a.take(self), a.take(self)]);
            if offset {
                let word = b.take(self);
                texture.offsets = self.offsets(word, Dim::D2, 8, 6);
            }
            if compare {
                texture.reference = Some(b.take(self));
            }
        } else {
            texture.coordinates.extend([a.take(self), b.take(self)]);
        }
        let result = self.push_texture(texture);
        self.set_compact(i, result, &[0, 1, 2, 3]);
        Ok(())
    }

    fn txd(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let dim = self.dim(i, false)?;
        if i.flag(Field::Lc) || dim.coordinates() == 3 {
            return Err(self.unsupported(i, "a level clamp operand or three coordinates"));
        }
        let mut texture = empty(TextureKind::Gradient, dim);
        texture.source = self.bound(i)?;
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        if texture.source.is_none() {
            texture.handle = Some(a.take(self));
        }
        texture.coordinates = self.coordinates(&mut a, dim);
        if dim.arrayed() || i.flag(Field::Aoffi) {
            let word = a.take(self);
            if dim.arrayed() {
                texture.layer = Some(self.field(word, 0, 16, false));
            }
            if i.flag(Field::Aoffi) {
                let word = self.shr(word, 16);
                texture.offsets = self.offsets(word, dim, 4, 4);
            }
        }
        // Stored per coordinate: (du/dx, du/dy), (dv/dx, dv/dy); wanted per direction.
        let count = dim.coordinates();
        let all: SmallVec<[Value; 6]> = (0..count * 2).map(|_| b.take(self)).collect();
        texture.gradients = (0..count).map(|k| all[k * 2]).chain((0..count).map(|k| all[k * 2 + 1])).collect();
        let result = self.push_texture(texture);
        self.set_masked(i, result);
        Ok(())
    }

    fn txq(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.get(Field::Query) != 1 {
            return Err(self.unsupported(i, "queries other than the dimensions"));
        }
        let mut a = Operands::new(i.get(Field::A));
        let source = self.bound(i)?;
        let hint = match source {
            Some(HandleSource::Bound(slot)) => {
                let hint = self.key.textures[usize::from(slot)];
                if hint.buffer { Some(Dim::Buffer) } else { hint.dim }
            }
            _ => None,
        };
        // Without a hint the tracing pass takes the dimension from another use of the slot.
        let mut texture = empty(TextureKind::Size, hint.unwrap_or(Dim::D2));
        texture.source = source;
        if source.is_none() {
            texture.handle = Some(a.take(self));
        }
        texture.level = Some(a.take(self));
        let result = self.push_texture(texture);
        self.set_masked(i, result);
        Ok(())
    }

    fn tmml(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let dim = self.dim(i, false)?;
        let mut texture = empty(TextureKind::QueryLevel, dim);
        texture.source = self.bound(i)?;
        let (mut a, mut b) = (Operands::new(i.get(Field::A)), Operands::new(i.get(Field::B)));
        if texture.source.is_none() {
            texture.handle = Some(b.take(self));
        }
        let _ = self.layer(&mut a, dim);
        texture.coordinates = self.coordinates(&mut a, dim);
        let result = self.push_texture(texture);
        // Levels come as integers in units of 1/256: first the computed one, then the one that is accessed.
        let mask = i.get(Field::Wmask);
        let scale = self.float(256.0);
        let values: SmallVec<[Value; 4]> = (0..4u8)
            .filter(|k| mask & (1 << k) != 0)
            .map(|k| {
                let level = self.push(Op::Extract((k & 1) ^ 1), &[result]);
                let level = self.push(Op::FMul, &[level, scale]);
                let low = self.float(-32768.0);
                let high = self.float(32767.0);
                let level = self.push(Op::FMax, &[level, low]);
                let level = self.push(Op::FMin, &[level, high]);
                self.push(Op::FloatToInt { signed: true }, &[level])
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

    /// Image loads, stores and atomics.
    pub(super) fn surface(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        use isa::Op as M;
        let dim = match i.get(Field::Dim) {
            0 => Dim::D1,
            1 => Dim::Buffer,
            2 => Dim::D1Array,
            3 => Dim::D2,
            4 => Dim::D2Array,
            5 => Dim::D3,
            _ => return Err(self.unsupported(i, "no such image shape")),
        };
        let (source, handle) = if i.has(Field::Tid) {
            match bound_image(i.get(Field::Tid) * 4) {
                Some(slot) => (Some(HandleSource::Bound(slot)), None),
                None => return Err(self.unsupported(i, "its handle word is in no bound image slot")),
            }
        } else {
            (None, Some(self.register(i.get(Field::C))))
        };
        let mut a = Operands::new(i.get(Field::A));
        let mut coordinates = self.coordinates(&mut a, dim);
        if dim.arrayed() {
            let layer = a.take(self);
            let layer = self.field(layer, 0, 16, false);
            coordinates.push(layer);
        }
        let bits = match i.get(Field::Size) {
            0 | 1 => 8u16,
            2 | 3 => 16,
            4 => 32,
            5 => 64,
            _ => 128,
        };
        let formatted = i.has(Field::Rgba);
        if i.flag(Field::Ba) {
            let bytes = if matches!(i.op(), M::Suld | M::Sust) { u32::from(bits) / 8 } else { 4 };
            coordinates[0] = self.shr(coordinates[0], bytes.trailing_zeros());
        }
        let words = usize::from(bits).div_ceil(32);
        let d = i.get(Field::D);
        let mut image = Image { kind: ImageKind::Load, dim, source, handle, coordinates, data: SmallVec::new() };
        match i.op() {
            M::Suld => {
                let components: SmallVec<[u8; 4]> = if formatted {
                    (0..4u8).filter(|k| i.get(Field::Rgba) & (1 << k) != 0).collect()
                } else {
                    image.kind = ImageKind::LoadRaw(bits);
                    (0..words as u8).collect()
                };
                let signed = matches!(i.get(Field::Size), 1 | 3);
                let result = self.push(Op::Image(Box::new(image)), &[]);
                let values: SmallVec<[Value; 4]> = components
                    .iter()
                    .map(|k| {
                        let value = self.push(Op::Extract(*k), &[result]);
                        if !formatted && bits < 32 && signed {
                            self.field(value, 0, u32::from(bits), true)
                        } else {
                            value
                        }
                    })
                    .collect();
                for (k, value) in values.into_iter().enumerate() {
                    if d < 255 {
                        self.set_register(d + k as u32, value);
                    }
                }
            }
            M::Sust => {
                if formatted {
                    image.kind = ImageKind::Store;
                    let zero = self.constant(0);
                    let mut at = 0;
                    for k in 0..4 {
                        if i.get(Field::Rgba) & (1 << k) != 0 {
                            let value = self.register_at(d, at);
                            image.data.push(value);
                            at += 1;
                        } else {
                            image.data.push(zero);
                        }
                    }
                } else {
                    image.kind = ImageKind::StoreRaw(bits);
                    for k in 0..words as u32 {
                        let value = self.register_at(d, k);
                        image.data.push(value);
                    }
                }
                self.push(Op::Image(Box::new(image)), &[]);
            }
            _ => {
                let compare = i.form.name.starts_with("CAS");
                let reduction = i.op() == M::Sured;
                let atomic = if compare {
                    Atomic::CompareExchange
                } else {
                    self.atomic_kind(i, i.get(Field::Op), i.get(Field::Size))?
                };
                let base = if reduction { d } else { i.get(Field::B) };
                if compare {
                    // Compare value first, then the new value.
                    let (expected, value) = (self.register(base), self.register_at(base, 1));
                    image.data.extend([value, expected]);
                } else {
                    let value = self.register(base);
                    image.data.push(value);
                }
                image.kind = ImageKind::Atomic(atomic);
                let old = self.push(Op::Image(Box::new(image)), &[]);
                if !reduction {
                    self.set_register(d, old);
                }
            }
        }
        Ok(())
    }
}
