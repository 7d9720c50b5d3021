//! The numbers of a frame in which nobody touched the pad, from the formulas of the frame's description.

type V3 = [f64; 3];
/// Rows of four.
type M4 = [[f64; 4]; 4];

const SIZE: (f64, f64) = (1280.0, 720.0);
const CAMERA: V3 = [0.4, 6.4, 13.5];
const LOOK: V3 = [2.9, 4.4, 0.0];
const PLAYER: V3 = [2.0, 2.6134, 4.0];
const ENDS: [f64; 5] = [0.1, 12.0, 35.0, 90.0, 200.0];

fn dot(a: V3, b: V3) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

fn unit(a: V3) -> V3 {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

fn minus(a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| a[i] - b[i])
}

fn product(a: &M4, b: &M4) -> M4 {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

fn minor(a: &M4, row: usize, column: usize) -> f64 {
    let pick = |skip: usize| -> Vec<usize> { (0..4).filter(|&i| i != skip).collect() };
    let (r, c) = (pick(row), pick(column));
    let m = |i: usize, j: usize| a[r[i]][c[j]];
    m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) - m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0))
        + m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0))
}

/// By cofactors: another way than the title's.
fn inverse(a: &M4) -> M4 {
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let determinant: f64 = (0..4).map(|column| sign(column) * a[0][column] * minor(a, 0, column)).sum();
    std::array::from_fn(|row| std::array::from_fn(|column| sign(row + column) * minor(a, column, row) / determinant))
}

fn columns(a: &M4) -> impl Iterator<Item = f64> + '_ {
    (0..16).map(|i| a[i % 4][i / 4])
}

/// What a frame's blocks hold.
pub(crate) struct Frame {
    number: u32,
    view: M4,
    view_proj: M4,
    tangent: f64,
    aspect: f64,
    sun: V3,
}

impl Frame {
    pub(crate) fn new(number: u32) -> Self {
        let (tangent, aspect) = (25f64.to_radians().tan(), SIZE.0 / SIZE.1);
        let (near, far) = (0.1, 400.0);
        let z = unit(minus(CAMERA, LOOK));
        let x = unit(cross([0.0, 1.0, 0.0], z));
        let mut view = [[0.0, 0.0, 0.0, 1.0]; 4];
        for (row, axis) in [x, cross(z, x), z].into_iter().enumerate() {
            view[row] = [axis[0], axis[1], axis[2], -dot(axis, CAMERA)];
        }
        let projection = [
            [1.0 / (tangent * aspect), 0.0, 0.0, 0.0],
            [0.0, 1.0 / tangent, 0.0, 0.0],
            [0.0, 0.0, far / (near - far), near * far / (near - far)],
            [0.0, 0.0, -1.0, 0.0],
        ];
        let sun = unit([0.42, 0.18, -0.9]);
        Self { number, view, view_proj: product(&projection, &view), tangent, aspect, sun }
    }

    fn time(&self) -> f64 {
        f64::from(self.number) / 60.0
    }

    pub(crate) fn block(&self) -> Vec<f64> {
        let mut out: Vec<f64> = columns(&self.view_proj).collect();
        out.extend(columns(&self.view));
        out.extend(columns(&inverse(&self.view_proj)));
        out.extend(CAMERA);
        out.push(self.time());
        out.extend(self.sun);
        out.extend([5.5, 1.0, 0.55, 0.28, 0.7, SIZE.0, SIZE.1, 1.0 / SIZE.0, 1.0 / SIZE.1]);
        out.extend(PLAYER);
        out.extend([0.8, 0.55, 0.33, 0.30, 0.004, 0.1, 400.0, 0.62, f64::from(self.number)]);
        out
    }

    pub(crate) fn bones(&self, skin: &[f32]) -> Vec<f64> {
        let key = (self.time() * 32.0 + 5.0).floor() as usize % 32;
        let (s, c) = (std::f64::consts::PI - 0.35).sin_cos();
        let place = [[c, 0.0, s, PLAYER[0]], [0.0, 1.0, 0.0, PLAYER[1]], [-s, 0.0, c, PLAYER[2]], [0.0, 0.0, 0.0, 1.0]];
        let mut out = Vec::new();
        for bone in 0..64 {
            let matrix: M4 = if bone < 12 {
                let from = &skin[(key * 12 + bone) * 16..][..16];
                product(
                    &place,
                    &std::array::from_fn(|row| std::array::from_fn(|column| f64::from(from[column * 4 + row]))),
                )
            } else {
                std::array::from_fn(|row| std::array::from_fn(|column| f64::from(u8::from(row == column))))
            };
            out.extend(columns(&matrix));
        }
        out
    }

    fn cascade_matrix(&self, k: usize) -> M4 {
        let z = self.sun;
        let x = unit(cross([0.0, 1.0, 0.0], z));
        let y = cross(z, x);
        let (a, b) = (ENDS[k], ENDS[k + 1]);
        let q = self.tangent.powi(2) * (1.0 + self.aspect.powi(2));
        let distance = ((a + b) / 2.0 * (1.0 + q)).min(b);
        let radius = (((b - distance).powi(2) + b * b * q).sqrt() * 16.0).ceil() / 16.0;
        let forward = unit(minus(LOOK, CAMERA));
        let centre: V3 = std::array::from_fn(|i| CAMERA[i] + forward[i] * distance);
        let texel = 2.0 * radius / 1024.0;
        let snap = |axis: V3| (dot(axis, centre) / texel).floor() * texel;
        let range = radius + 60.0;
        let row = |axis: V3, scale: f64, offset: f64| [axis[0] * scale, axis[1] * scale, axis[2] * scale, offset];
        [
            row(x, 1.0 / radius, -snap(x) / radius),
            row(y, 1.0 / radius, -snap(y) / radius),
            row(z, -1.0 / (2.0 * range), (dot(z, centre) + range) / (2.0 * range)),
            [0.0, 0.0, 0.0, 1.0],
        ]
    }

    pub(crate) fn cascade(&self, k: usize) -> Vec<f64> {
        columns(&self.cascade_matrix(k)).collect()
    }

    pub(crate) fn shadow(&self) -> Vec<f64> {
        let mut out = Vec::new();
        for k in 0..4 {
            let mut matrix = self.cascade_matrix(k);
            for row in matrix.iter_mut().take(2) {
                for value in row.iter_mut() {
                    *value *= 0.5;
                }
                row[3] += 0.5;
            }
            out.extend(columns(&matrix));
        }
        out.extend(&ENDS[1..]);
        out
    }

    pub(crate) fn cull(&self) -> Vec<f64> {
        let row = |r: usize| self.view_proj[r];
        let sum = |a: [f64; 4], b: [f64; 4], s: f64| -> [f64; 4] { std::array::from_fn(|i| a[i] + s * b[i]) };
        let planes = [
            sum(row(3), row(0), 1.0),
            sum(row(3), row(0), -1.0),
            sum(row(3), row(1), 1.0),
            sum(row(3), row(1), -1.0),
            row(2),
            sum(row(3), row(2), -1.0),
        ];
        planes
            .into_iter()
            .flat_map(|p| {
                let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
                p.map(|x| x / length)
            })
            .collect()
    }

    pub(crate) fn cluster(&self) -> Vec<f64> {
        vec![16.0, 9.0, 16.0, 2.0, self.tangent * self.aspect, self.tangent, 0.5, 128.0]
    }

    pub(crate) fn grass(&self) -> Vec<f64> {
        vec![PLAYER[0] - 16.0, PLAYER[2] - 16.0, 1.0 / 32.0, 1.0 / 32.0, 0.8, 0.6, 1.7, 0.35]
    }
}
