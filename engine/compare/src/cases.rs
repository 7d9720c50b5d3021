//! Shader cases on disk: a folder with `code.bin`, `control.bin`, `reference.spv`, `meta.json`.

use nvn_shader::{BindingScheme, ComponentClass, Dim, ProgramBinary, ShaderKey, TessDomain, TessSpacing, TextureHint};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Folder name.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
    /// Code section.
    pub code: Vec<u8>,
    /// Control section.
    pub control: Vec<u8>,
    /// Words of the module that another compiler made from the same source.
    pub reference: Vec<u32>,
    /// Facts about the case.
    pub meta: Value,
    /// Source text.
    pub source: String,
}

/// The folder of this crate's shader cases.
#[must_use]
pub fn data_folder() -> PathBuf {
    // A bundle has them beside its programs.
    let bundle = std::env::var_os("FERROGRAPH_DATA").map(|data| PathBuf::from(data).join("shaders"));
    bundle.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/shaders"))
}

/// Loads the cases of a pack in order of their names; folders that lack a file are skipped.
#[must_use]
pub fn load_pack(pack: &Path) -> Vec<Case> {
    let Ok(entries) = std::fs::read_dir(pack) else { return Vec::new() };
    let mut cases: Vec<Case> = entries.flatten().filter_map(|e| load_case(&e.path())).collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// Loads one case; `None` when a file is missing or broken.
#[must_use]
pub fn load_case(folder: &Path) -> Option<Case> {
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let reference =
        read("reference.spv")?.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    Some(Case {
        name: folder.file_name()?.to_string_lossy().into_owned(),
        folder: folder.to_owned(),
        code: read("code.bin")?,
        control: read("control.bin")?,
        reference,
        meta: serde_json::from_slice(&read("meta.json")?).ok()?,
        source: String::from_utf8_lossy(&read("shader.glsl").unwrap_or_default()).into_owned(),
    })
}

fn class(ty: &str) -> ComponentClass {
    match ty.as_bytes().first() {
        Some(b'u') => ComponentClass::Uint,
        Some(b'i') if !ty.starts_with("image") => ComponentClass::Sint,
        _ => ComponentClass::Float,
    }
}

fn dim(ty: &str) -> Option<Dim> {
    let rest = &ty[ty.find("sampler")? + 7..];
    Some(match rest.trim_end_matches("Shadow") {
        "1D" => Dim::D1,
        "1DArray" => Dim::D1Array,
        "2DArray" => Dim::D2Array,
        "3D" => Dim::D3,
        "Cube" => Dim::Cube,
        "CubeArray" => Dim::CubeArray,
        "Buffer" => Dim::Buffer,
        "2DMS" => Dim::D2Ms,
        _ => Dim::D2,
    })
}

impl Case {
    /// The sections as the translator takes them.
    #[must_use]
    pub fn binary(&self) -> ProgramBinary<'_> {
        ProgramBinary { control: &self.control, code: &self.code }
    }

    /// The stage's name in the metadata.
    #[must_use]
    pub fn stage(&self) -> &str {
        self.meta["stage"].as_str().unwrap_or("")
    }

    /// The key that fits the case's source: classes of formats, dimensions, layout qualifiers.
    #[must_use]
    pub fn key(&self, bindings: BindingScheme) -> ShaderKey {
        let mut key = ShaderKey { bindings, ..ShaderKey::default() };
        let list = |name: &str| self.meta["interface"][name].as_array().cloned().unwrap_or_default();
        let text = |v: &Value, name: &str| v[name].as_str().unwrap_or("").to_owned();
        for sampler in list("samplers") {
            let ty = text(&sampler, "type");
            let slot = sampler["slot"].as_u64().unwrap_or(0) as usize & 31;
            key.textures[slot] = TextureHint {
                class: class(&ty),
                buffer: dim(&ty) == Some(Dim::Buffer),
                dim: dim(&ty),
                ..TextureHint::default()
            };
        }
        for image in list("images") {
            let slot = image["slot"].as_u64().unwrap_or(0) as usize & 7;
            key.images[slot] = class(&text(&image, "type"));
        }
        for output in list("outputs") {
            if let (Some(location), "fragment") = (output["location"].as_u64(), self.stage()) {
                key.fragment_outputs[location as usize & 7] = class(&text(&output, "type"));
            }
        }
        for input in list("inputs") {
            if let (Some(location), "vertex") = (input["location"].as_u64(), self.stage()) {
                key.vertex_inputs[location as usize & 15] = class(&text(&input, "type"));
            }
        }
        key.dual_source = self.source.contains("index=1");
        if let Some(at) = self.source.find(") in;") {
            let layout = &self.source[self.source[..at].rfind("layout(").unwrap_or(0)..at];
            key.geometry_input = if layout.contains("points") {
                1
            } else if layout.contains("lines") {
                2
            } else {
                3
            };
            key.tess_domain = if layout.contains("quads") {
                TessDomain::Quads
            } else if layout.contains("isolines") {
                TessDomain::Isolines
            } else {
                TessDomain::Triangles
            };
            key.tess_spacing = if layout.contains("fractional_odd") {
                TessSpacing::FractionalOdd
            } else if layout.contains("fractional_even") {
                TessSpacing::FractionalEven
            } else {
                TessSpacing::Equal
            };
            key.tess_clockwise = layout.contains(",cw");
        }
        key
    }
}
