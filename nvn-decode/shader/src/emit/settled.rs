//! What hosts may compute as they like, computed in one way: for comparisons of hosts ([`crate::ShaderKey::separate_rounding`]).
//!
//! Vulkan leaves to the host how exact sines, powers of two and logarithms are, with how many bits a texture is filtered, and which way a value between two
//! steps of a target's format goes. Sums and products that nobody contracts are the same everywhere; here everything else is made of them. Filters have
//! Maxwell's weights of 8 bits; a value goes to the nearest step.

use super::Emitter;
use super::value::glsl;
use crate::ir::{Texture, TextureKind, Type, Value};
use crate::key::{ComponentClass, Store};
use crate::reflection::{Dim, HandleSource};
use rspirv::dr::Operand;
use rspirv::spirv::{self, Decoration, ImageOperands, Word};

/// Factors of log2(1 + x) / x for 1 + x from half the root of two to the root of two, highest power first: within 1.2e-7.
const LOG2: [f32; 9] = [
    0.123_109_68,
    -0.205_861_88,
    0.216_078_22,
    -0.239_169_88,
    0.287_903_25,
    -0.360_693_28,
    0.480_910_75,
    -0.721_347_45,
    std::f32::consts::LOG2_E,
];

/// Factors of 2 to the power of x for x from -1/2 to 1/2, highest power first: within 1e-7.
const EXP2: [f32; 7] =
    [1.546_144_5e-4, 1.340_042_8e-3, 9.618_057e-3, 5.550_327e-2, 2.402_265e-1, std::f32::consts::LN_2, 1.0];

/// Steps of a texel that a filter tells apart.
const WEIGHTS: f32 = 256.0;

impl Emitter<'_> {
    fn number(&mut self, value: f32) -> Word {
        self.float_constant(value.to_bits())
    }

    /// A sum, rounded by itself.
    fn sum(&mut self, a: Word, b: Word) -> Word {
        let ty = self.t_f32();
        let id = self.ids(spirv::Op::FAdd, ty, &[a, b]);
        self.decorate(id, Decoration::NoContraction, None);
        id
    }

    fn difference(&mut self, a: Word, b: Word) -> Word {
        let ty = self.t_f32();
        let id = self.ids(spirv::Op::FSub, ty, &[a, b]);
        self.decorate(id, Decoration::NoContraction, None);
        id
    }

    /// A product, rounded by itself.
    fn product(&mut self, a: Word, b: Word) -> Word {
        let ty = self.t_f32();
        let id = self.ids(spirv::Op::FMul, ty, &[a, b]);
        self.decorate(id, Decoration::NoContraction, None);
        id
    }

    /// A product and a sum, each rounded. Not the fused operation: some hosts have none and round twice.
    pub(super) fn product_plus(&mut self, a: Word, b: Word, add: Word) -> Word {
        let product = self.product(a, b);
        self.sum(product, add)
    }

    fn select(&mut self, condition: Word, yes: Word, no: Word) -> Word {
        let ty = self.t_f32();
        self.ids(spirv::Op::Select, ty, &[condition, yes, no])
    }

    fn test(&mut self, op: spirv::Op, a: Word, b: Word) -> Word {
        let truth = self.t_bool();
        self.ids(op, truth, &[a, b])
    }

    fn floor(&mut self, value: Word) -> Word {
        let ty = self.t_f32();
        self.ext(ty, glsl::FLOOR, &[value])
    }

    /// A polynomial, factors from the highest power on.
    fn series(&mut self, factors: &[f32], of: Word) -> Word {
        let mut sum = self.number(factors[0]);
        for factor in &factors[1..] {
            let factor = self.number(*factor);
            sum = self.product_plus(sum, of, factor);
        }
        sum
    }

    /// Logarithm of base 2. What is no normal positive number gives what the host gives, which is the same everywhere.
    pub(super) fn log2(&mut self, a: Word) -> Word {
        use spirv::Op as S;
        let (f, u, i) = (self.t_f32(), self.t_u32(), self.t_i32());
        // The power of two nearest to the number, and the number over it.
        let bits = self.ids(S::Bitcast, u, &[a]);
        let root = self.word_constant(std::f32::consts::FRAC_1_SQRT_2.to_bits());
        let above = self.ids(S::ISub, u, &[bits, root]);
        let places = self.word_constant(23);
        let power = self.ids(S::ShiftRightArithmetic, u, &[above, places]);
        let shifted = self.ids(S::ShiftLeftLogical, u, &[power, places]);
        let rest = self.ids(S::ISub, u, &[bits, shifted]);
        let rest = self.ids(S::Bitcast, f, &[rest]);
        let signed = self.ids(S::Bitcast, i, &[power]);
        let power = self.ids(S::ConvertSToF, f, &[signed]);
        let one = self.number(1.0);
        let x = self.difference(rest, one);
        let series = self.series(&LOG2, x);
        let own = self.product_plus(series, x, power);
        let host = self.ext(f, glsl::LOG2, &[a]);
        let (least, most) = (self.number(f32::MIN_POSITIVE), self.number(f32::MAX));
        let (low, high) = (self.test(S::FOrdGreaterThanEqual, a, least), self.test(S::FOrdLessThanEqual, a, most));
        let truth = self.t_bool();
        let normal = self.ids(S::LogicalAnd, truth, &[low, high]);
        self.select(normal, own, host)
    }

    /// 2 to a power; as [`Self::log2`] for results that are no normal numbers.
    pub(super) fn exp2(&mut self, a: Word) -> Word {
        use spirv::Op as S;
        const MOST: f32 = 126.0;
        let (f, u, i) = (self.t_f32(), self.t_u32(), self.t_i32());
        let (low, high) = (self.number(-MOST), self.number(MOST));
        let inside = self.ext(f, glsl::NCLAMP, &[a, low, high]);
        let whole = self.ext(f, glsl::ROUND_EVEN, &[inside]);
        let x = self.difference(inside, whole);
        let series = self.series(&EXP2, x);
        let power = self.ids(S::ConvertFToS, i, &[whole]);
        let power = self.ids(S::Bitcast, u, &[power]);
        let places = self.word_constant(23);
        let power = self.ids(S::ShiftLeftLogical, u, &[power, places]);
        let bits = self.ids(S::Bitcast, u, &[series]);
        let bits = self.ids(S::IAdd, u, &[bits, power]);
        let own = self.ids(S::Bitcast, f, &[bits]);
        let host = self.ext(f, glsl::EXP2, &[a]);
        let normal = self.test(S::FOrdEqual, inside, a);
        self.select(normal, own, host)
    }

    fn power(&mut self, base: Word, exponent: f32) -> Word {
        let exponent = self.number(exponent);
        let log = self.log2(base);
        let product = self.product(log, exponent);
        self.exp2(product)
    }

    /// Sine, or cosine, of an angle in radians, within 1e-7 for angles up to some ten thousands.
    ///
    /// Hosts may be as far off as they like, and are, in ways of their own; titles feed the fraction of a large multiple of a sine to everything that should look
    /// random, so that clouds and grass change with the host. Products and sums that nobody contracts are the same everywhere.
    pub(super) fn sine(&mut self, ty: Word, angle: Word, cosine: bool) -> Word {
        use spirv::Op as S;
        // The nearest quarter turn, and what is left: pi / 2 in three parts, the first two so short that their products are exact.
        let per_radian = self.number(std::f32::consts::FRAC_2_PI);
        let turns = self.product(angle, per_radian);
        let quarter = self.ext(ty, glsl::ROUND_EVEN, &[turns]);
        let mut rest = angle;
        for part in [-1.570_312_5_f32, -4.837_513e-4, -7.549_79e-8] {
            let part = self.number(part);
            rest = self.product_plus(quarter, part, rest);
        }
        let square = self.product(rest, rest);
        let odd = self.series(&[-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1], square);
        let cube = self.product(square, rest);
        let odd = self.product_plus(odd, cube, rest);
        let even = self.series(&[2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2], square);
        let fourth = self.product(square, square);
        let (half, one) = (self.number(-0.5), self.number(1.0));
        let base = self.product_plus(square, half, one);
        let even = self.product_plus(even, fourth, base);
        // Which of the two, and its sign, by the quarter turn modulo 4.
        let quarter = if cosine { self.sum(quarter, one) } else { quarter };
        let modulo = |e: &mut Self, value: Word, of: f32| {
            let (inverse, minus) = (e.number(1.0 / of), e.number(-of));
            let parts = e.product(value, inverse);
            let whole = e.floor(parts);
            e.product_plus(whole, minus, value)
        };
        let quarter = modulo(self, quarter, 4.0);
        let second = modulo(self, quarter, 2.0);
        let truth = self.t_bool();
        let (half, two) = (self.number(0.5), self.number(2.0));
        let is_even = self.ids(S::FOrdGreaterThan, truth, &[second, half]);
        let value = self.ids(S::Select, ty, &[is_even, even, odd]);
        let turned = self.ids(S::FOrdGreaterThanEqual, truth, &[quarter, two]);
        let negative = self.ids(S::FNegate, ty, &[value]);
        self.ids(S::Select, ty, &[turned, negative, value])
    }

    /// A value at the middle of the step of a target's format that it goes to, so that every host stores that step.
    pub(super) fn stored(&mut self, store: Store, component: u8, value: Word) -> Word {
        let alpha = component == 3;
        match store {
            Store::AsIs => value,
            Store::Srgb8 if !alpha => {
                let bright = self.bright(value);
                let step = self.step(bright, 255.0);
                self.linear(step)
            }
            Store::Rgb10A2 if alpha => self.step(value, 3.0),
            Store::Rgb10A2 => self.step(value, 1023.0),
            Store::Srgb8 | Store::Unorm8 => self.step(value, 255.0),
        }
    }

    /// The nearest of the values 0, 1 / steps, ..., 1; NaN is 0.
    fn step(&mut self, value: Word, steps: f32) -> Word {
        use spirv::Op as S;
        let f = self.t_f32();
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let value = self.ext(f, glsl::NCLAMP, &[value, zero, one]);
        let count = self.number(steps);
        let scaled = self.product(value, count);
        let half = self.number(0.5);
        let upper = self.sum(scaled, half);
        let upper = self.floor(upper);
        // Constants like 0.9 lie below the middle between two steps, yet their rounded product lies on it. What the product lost is exact: steps are a power of
        // two but for one.
        let next = self.number(steps + 1.0);
        let lost = self.product(value, next);
        let lost = self.difference(lost, scaled);
        let lost = self.difference(lost, value);
        let above = self.difference(upper, scaled);
        let (tie, below) = (self.test(S::FOrdEqual, above, half), self.test(S::FOrdLessThan, lost, zero));
        let truth = self.t_bool();
        let lower = self.ids(S::LogicalAnd, truth, &[tie, below]);
        let minus = self.difference(upper, one);
        let step = self.select(lower, minus, upper);
        let width = self.number(1.0 / steps);
        self.product(step, width)
    }

    /// sRGB of a linear value.
    fn bright(&mut self, value: Word) -> Word {
        let (factor, scale, offset, toe) =
            (self.number(12.92), self.number(1.055), self.number(-0.055), self.number(0.003_130_8));
        let low = self.product(value, factor);
        let high = self.power(value, 1.0 / 2.4);
        let high = self.product_plus(high, scale, offset);
        let is_low = self.test(spirv::Op::FUnordLessThanEqual, value, toe);
        self.select(is_low, low, high)
    }

    /// The linear value of sRGB.
    fn linear(&mut self, value: Word) -> Word {
        let (factor, scale, offset, toe) =
            (self.number(1.0 / 12.92), self.number(1.0 / 1.055), self.number(0.055 / 1.055), self.number(0.040_45));
        let low = self.product(value, factor);
        let high = self.product_plus(value, scale, offset);
        let high = self.power(high, 2.4);
        let is_low = self.test(spirv::Op::FOrdLessThanEqual, value, toe);
        self.select(is_low, low, high)
    }

    /// Whether texels of a source are of 8 bits of sRGB that [`Self::texel`] must settle.
    pub(super) fn settles_srgb(&self, source: HandleSource) -> bool {
        let slot = self.slot_of(source);
        self.key.separate_rounding && slot.is_some_and(|slot| self.key.textures[usize::from(slot) & 31].srgb)
    }

    /// One texel of sRGB, exactly. Some hosts make it linear by a curve near the true one, never by half a step off, so that the step can be told.
    pub(super) fn texel(&mut self, texel: Word) -> Word {
        let f = self.t_f32();
        let parts = [0, 1, 2, 3].map(|n| {
            let part = self.emit(spirv::Op::CompositeExtract, f, vec![Operand::IdRef(texel), Operand::LiteralBit32(n)]);
            if n == 3 { part } else { self.stored(Store::Srgb8, 0, part) }
        });
        self.compose(f, &parts)
    }

    /// Whether a texture operation takes the mean of texels of the largest level, and nothing else, so that [`Self::mean`] can stand for it.
    pub(super) fn takes_mean(&self, texture: &Texture, source: HandleSource, fragment: bool) -> bool {
        let shape = matches!(texture.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::D1Array | Dim::D2Array);
        let largest = match texture.kind {
            TextureKind::Level => texture.level.is_none_or(|level| self.ir.constant(level) == Some(0)),
            TextureKind::Implicit | TextureKind::Bias => !fragment,
            _ => false,
        };
        let hint = self.slot_of(source).map(|slot| self.key.textures[usize::from(slot) & 31]).unwrap_or_default();
        self.key.separate_rounding
            && shape
            && largest
            && texture.reference.is_none()
            && hint.linear
            && hint.class == ComponentClass::Float
    }

    /// The mean of the texels around coordinates, by weights of 8 bits; `layer` is that of an array.
    pub(super) fn mean(
        &mut self,
        texture: &Texture,
        (object, image): (Word, Word),
        coordinates: &[Word],
        offsets: &[Value],
        layer: Option<Word>,
        srgb: bool,
    ) -> (Word, Type) {
        use spirv::Op as S;
        let (f, u) = (self.t_f32(), self.t_u32());
        self.need(spirv::Capability::ImageQuery);
        let axes = coordinates.len();
        let count = axes + usize::from(texture.dim.arrayed());
        let size_type = self.vector(u, count);
        let zero = self.word_constant(0);
        let size = self.ids(S::ImageQuerySizeLod, size_type, &[image, zero]);
        let (mut bases, mut weights, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for (k, coordinate) in coordinates.iter().enumerate() {
            let side = if count == 1 {
                size
            } else {
                self.emit(S::CompositeExtract, u, vec![Operand::IdRef(size), Operand::LiteralBit32(k as u32)])
            };
            let side = self.ids(S::ConvertUToF, f, &[side]);
            // In steps from the middle of texel 0, to the nearest step.
            let (steps, middle) = (self.number(WEIGHTS), self.number(0.5 - WEIGHTS / 2.0));
            let place = self.product(*coordinate, side);
            let place = self.product_plus(place, steps, middle);
            let place = self.floor(place);
            let width = self.number(1.0 / WEIGHTS);
            let place = self.product(place, width);
            let mut base = self.floor(place);
            weights.push(self.difference(place, base));
            if let Some(offset) = offsets.get(k) {
                let offset = self.word(*offset);
                let i = self.t_i32();
                let offset = self.ids(S::Bitcast, i, &[offset]);
                let offset = self.ids(S::ConvertSToF, f, &[offset]);
                base = self.sum(base, offset);
            }
            bases.push(base);
            sides.push(side);
        }
        let at = |e: &mut Self, k: usize, beside: f32| {
            let beside = e.number(beside);
            let place = e.sum(bases[k], beside);
            e.ids(S::FDiv, f, &[place, sides[k]])
        };
        let mut four = Vec::new();
        if axes == 2 {
            // At the corner where four texels meet, a gather gives just these.
            let mut parts = vec![at(self, 0, 1.0), at(self, 1, 1.0)];
            parts.extend(layer);
            let coordinate = self.compose(f, &parts);
            let vector = self.vector(f, 4);
            for component in 0..4 {
                let which = self.word_constant(component);
                let all = self.ids(S::ImageGather, vector, &[object, coordinate, which]);
                let [lower_left, lower_right, upper_right, upper_left] = [0, 1, 2, 3].map(|n| {
                    let texel = self.emit(S::CompositeExtract, f, vec![Operand::IdRef(all), Operand::LiteralBit32(n)]);
                    if srgb && component < 3 { self.stored(Store::Srgb8, 0, texel) } else { texel }
                });
                let upper = self.between(upper_left, upper_right, weights[0]);
                let lower = self.between(lower_left, lower_right, weights[0]);
                four.push(self.between(upper, lower, weights[1]));
            }
        } else {
            // A hair behind the middle of a texel, less than a step, the sampler gives that texel.
            let texels: Vec<[Word; 4]> = (0..1usize << axes)
                .map(|corner| {
                    let mut parts: Vec<Word> =
                        (0..axes).map(|k| at(self, k, (corner >> k & 1) as f32 + 0.5 + 0.25 / WEIGHTS)).collect();
                    parts.extend(layer);
                    let coordinate = self.compose(f, &parts);
                    let level = self.number(0.0);
                    let vector = self.vector(f, 4);
                    let texel = self.emit(
                        S::ImageSampleExplicitLod,
                        vector,
                        vec![
                            Operand::IdRef(object),
                            Operand::IdRef(coordinate),
                            Operand::ImageOperands(ImageOperands::LOD),
                            Operand::IdRef(level),
                        ],
                    );
                    let texel = if srgb { self.texel(texel) } else { texel };
                    [0, 1, 2, 3].map(|n| {
                        self.emit(S::CompositeExtract, f, vec![Operand::IdRef(texel), Operand::LiteralBit32(n)])
                    })
                })
                .collect();
            for component in 0..4 {
                let mut values: Vec<Word> = texels.iter().map(|texel| texel[component]).collect();
                for weight in &weights {
                    values = values.chunks(2).map(|pair| self.between(pair[0], pair[1], *weight)).collect();
                }
                four.push(values[0]);
            }
        }
        (self.compose(f, &four), Type::Vec4F)
    }

    /// From one value to another by a weight.
    fn between(&mut self, a: Word, b: Word, weight: Word) -> Word {
        let apart = self.difference(b, a);
        self.product_plus(apart, weight, a)
    }
}
