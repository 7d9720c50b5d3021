//! The translator of the product: Maxwell code, through the shader crate.

use super::shader_store::{
    HandleSource, ImageFact, LevelFact, LevelSource, StageFacts, StageKey, StorageFact, Store, TextureFact, Translator,
    UniformFact,
};
use framegraph::state::{Dim, Format, NumericClass};
use nvn_decode::raw::StageBinary;
use nvn_shader::{ComponentClass, ProgramBinary, ShaderKey, TextureHint};
use std::sync::Arc;

/// Translates Maxwell code.
#[derive(Debug, Default, Clone, Copy)]
pub struct Maxwell {
    /// The device lacks preservation of signed zero, infinities and NaN for 32-bit floats.
    pub no_float_controls: bool,
    /// Products and the sums they go into are rounded each, and what hosts compute as they like is made of such: to compare hosts.
    pub separate_rounding: bool,
}

impl Translator for Maxwell {
    fn reflect(&self, binary: &StageBinary) -> Result<StageFacts, String> {
        let reflection = nvn_shader::reflect(sections(binary)).map_err(|error| error.to_string())?;
        Ok(facts(&reflection))
    }

    fn translate(&self, binary: &StageBinary, key: &StageKey) -> Result<Arc<[u32]>, String> {
        let Self { no_float_controls, separate_rounding } = *self;
        let key = ShaderKey { no_float_controls, separate_rounding, ..shader_key(key) };
        let translated = nvn_shader::translate(sections(binary), &key).map_err(|error| error.to_string())?;
        Ok(Arc::from(translated.spirv))
    }

    fn settles(&self) -> bool {
        self.separate_rounding
    }
}

fn sections(binary: &StageBinary) -> ProgramBinary<'_> {
    ProgramBinary { control: &binary.control, code: &binary.code }
}

fn shader_key(key: &StageKey) -> ShaderKey {
    let mut textures = [TextureHint::default(); 32];
    for (n, hint) in textures.iter_mut().enumerate() {
        let dim = key.texture_dims[n];
        let (buffer, nearest) = (dim == Dim::Buffer, key.nearest >> n & 1 != 0);
        let (linear, srgb) = (key.linear >> n & 1 != 0, key.srgb >> n & 1 != 0);
        *hint =
            TextureHint { class: class(key.textures[n]), buffer, dim: Some(shader_dim(dim)), nearest, linear, srgb };
    }
    ShaderKey {
        vertex_inputs: key.vertex_inputs.map(class),
        fragment_outputs: key.outputs.map(class),
        stores: key.stores.map(|store| match store {
            Store::AsIs => nvn_shader::Store::AsIs,
            Store::Unorm8 => nvn_shader::Store::Unorm8,
            Store::Srgb8 => nvn_shader::Store::Srgb8,
            Store::Rgb10A2 => nvn_shader::Store::Rgb10A2,
        }),
        textures,
        images: key.images.map(class),
        previous_stage_outputs: key.previous_outputs,
        next_stage_inputs: key.next_inputs,
        depth_minus_one_to_one: key.minus_one_to_one,
        y_negate: key.y_negate,
        dual_source: key.dual_source,
        geometry_input: key.geometry_input,
        mutants: nvn_shader::Mutants(key.mutants),
        ..ShaderKey::default()
    }
}

fn class(class: NumericClass) -> ComponentClass {
    match class {
        NumericClass::Float => ComponentClass::Float,
        NumericClass::Sint => ComponentClass::Sint,
        NumericClass::Uint => ComponentClass::Uint,
    }
}

fn shader_dim(dim: Dim) -> nvn_shader::Dim {
    match dim {
        Dim::D1 => nvn_shader::Dim::D1,
        Dim::D2 => nvn_shader::Dim::D2,
        Dim::D3 => nvn_shader::Dim::D3,
        Dim::Cube => nvn_shader::Dim::Cube,
        Dim::D1Array => nvn_shader::Dim::D1Array,
        Dim::D2Array => nvn_shader::Dim::D2Array,
        Dim::CubeArray => nvn_shader::Dim::CubeArray,
        Dim::Buffer => nvn_shader::Dim::Buffer,
    }
}

fn neutral_dim(dim: nvn_shader::Dim) -> Dim {
    match dim {
        nvn_shader::Dim::D1 => Dim::D1,
        nvn_shader::Dim::D2 | nvn_shader::Dim::D2Ms => Dim::D2,
        nvn_shader::Dim::D3 => Dim::D3,
        nvn_shader::Dim::Cube => Dim::Cube,
        nvn_shader::Dim::D1Array => Dim::D1Array,
        nvn_shader::Dim::D2Array | nvn_shader::Dim::D2MsArray => Dim::D2Array,
        nvn_shader::Dim::CubeArray => Dim::CubeArray,
        nvn_shader::Dim::Buffer => Dim::Buffer,
    }
}

fn source(source: nvn_shader::HandleSource) -> HandleSource {
    match source {
        nvn_shader::HandleSource::Bound(slot) => HandleSource::Bound(slot),
        nvn_shader::HandleSource::Constant { bank, offset } => {
            HandleSource::Constant { bank, offset: u32::from(offset) }
        }
        nvn_shader::HandleSource::ConstantPair { bank_a, offset_a, bank_b, offset_b } => {
            HandleSource::ConstantPair { first: (bank_a, u32::from(offset_a)), second: (bank_b, u32::from(offset_b)) }
        }
        nvn_shader::HandleSource::Storage { slot, offset } => HandleSource::Storage { slot, offset },
    }
}

/// The binding's slot: its number in the set without the stage.
fn slot(binding: u32) -> u8 {
    (binding % 32) as u8
}

/// The level of a texture, where it comes from the code or from a block that a draw binds: banks from 3 on are uniform slots.
fn level(slot: u8, source: nvn_shader::LevelSource) -> Option<LevelFact> {
    let level = match source {
        nvn_shader::LevelSource::Constant(bits) => LevelSource::Constant(bits),
        nvn_shader::LevelSource::Uniform { bank, offset } => {
            LevelSource::Uniform { slot: bank.checked_sub(FIRST_UNIFORM_BANK)?, offset }
        }
    };
    Some(LevelFact { slot, level })
}

const FIRST_UNIFORM_BANK: u8 = 3;

fn facts(r: &nvn_shader::Reflection) -> StageFacts {
    let image_format = |format| match format {
        nvn_shader::ImageFormat::Unknown => Format::Undefined,
        nvn_shader::ImageFormat::R8Uint => Format::R8Uint,
        nvn_shader::ImageFormat::R16Uint => Format::R16Uint,
        nvn_shader::ImageFormat::R32Uint => Format::R32Uint,
        nvn_shader::ImageFormat::Rg32Uint => Format::Rg32Uint,
        nvn_shader::ImageFormat::Rgba32Uint => Format::Rgba32Uint,
    };
    StageFacts {
        hash: r.hash,
        output_map: r.output_map,
        attributes_in: r.attributes_in,
        attributes_out: r.attributes_out,
        writes_layer: r.writes_layer,
        writes_viewport: r.writes_viewport,
        writes_memory: r.writes_memory,
        kills: r.kills,
        no_flat_inputs: r.stage == nvn_shader::Stage::Fragment && !r.flat_inputs,
        reads_elsewhere: r.reads_elsewhere,
        levels: r.levels.iter().filter_map(|(slot, source)| level(*slot, *source)).collect(),
        driver_bank: r.driver_bank,
        uniforms: r.uniform_blocks.iter().map(|u| UniformFact { slot: slot(u.binding), bytes: u.bytes }).collect(),
        storage: r
            .storage_buffers
            .iter()
            .map(|s| StorageFact { slot: s.slot, writes: s.writes || s.atomics })
            .collect(),
        textures: r
            .textures
            .iter()
            .map(|t| TextureFact {
                slot: slot(t.binding),
                source: source(t.source),
                dim: neutral_dim(t.dim),
                compare: t.compare,
            })
            .collect(),
        images: r
            .images
            .iter()
            .map(|i| ImageFact {
                slot: slot(i.binding),
                source: source(i.source),
                dim: neutral_dim(i.dim),
                format: image_format(i.format),
                writes: i.writes || i.atomics,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scene;
    use framegraph::ids::ProgramId;
    use framegraph::plan::{Plan, Step};
    use framegraph::state::Stage;
    use framegraph::tables::node_flags;
    use nvn_decode::record::Op;
    use std::path::Path;

    /// A program of the demo, as the product reads it.
    fn demo(name: &str) -> StageFacts {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/shaders/demo").join(name);
        let section =
            |file: &str| Arc::from(std::fs::read(folder.join(file)).unwrap_or_else(|e| panic!("{name}/{file}: {e}")));
        let stage = match &name[..2] {
            "vs" => Stage::Vertex,
            "fs" => Stage::Fragment,
            _ => Stage::Compute,
        };
        let binary =
            StageBinary { id: ProgramId(0), stage, control: section("control.bin"), code: section("code.bin") };
        let facts = Maxwell::default().reflect(&binary).unwrap_or_else(|error| panic!("{name}: {error}"));
        let words =
            Maxwell::default().translate(&binary, &StageKey::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(words[0], 0x0723_0203, "{name} is a module");
        facts
    }

    // rows: M-1.1a, M-1.1b
    #[test]
    fn output_maps_of_the_demo() {
        assert_eq!(demo("fs_decal").output_map, 0xF0F);
        assert_eq!(demo("fs_wave_splash").output_map, 0x3);
        assert_eq!(demo("fs_gbuf_terrain").output_map, 0xFFFF);
    }

    // rows: R-038c
    #[test]
    fn a_level_that_a_program_samples_comes_from_code_or_block() {
        let down = LevelFact { slot: 0, level: LevelSource::Uniform { slot: 2, offset: 8 } };
        assert_eq!(demo("fs_bloom_down").levels, [down]);
        assert_eq!(demo("fs_bloom_up").levels, [down]);
        assert!(demo("fs_light").levels.iter().all(|fact| fact.slot != 0), "sampled by derivatives");
    }

    #[test]
    fn what_the_programs_of_the_demo_bind() {
        let light = demo("fs_light");
        let shadow = light.textures.iter().find(|t| t.slot == 6).expect("the shadow map");
        assert_eq!((shadow.dim, shadow.compare, shadow.source), (Dim::D2Array, true, HandleSource::Bound(6)));
        assert_eq!(light.textures.len(), 7);
        let mut slots: Vec<_> = light.uniforms.iter().map(|u| u.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, [0, 2, 5]);
        assert!(light.storage.iter().all(|s| !s.writes));
        let cull = demo("cs_cull");
        let mut written: Vec<_> = cull.storage.iter().filter(|s| s.writes).map(|s| s.slot).collect();
        written.sort_unstable();
        assert_eq!(written, [1, 2]);
        assert!(demo("vs_lut_layers").writes_layer);
        assert_eq!(demo("vs_character").attributes_in, 0b11111);
    }

    // rows: M-1.1a, M-1.9b
    #[test]
    fn decals_read_a_target_of_their_own_pass_and_leave_the_others_alone() {
        let mut scene = Scene::new(&[]);
        let program = scene.program(&[(Stage::Vertex, demo("vs_decal_box")), (Stage::Fragment, demo("fs_decal"))]);
        let target = |n: u64, format| Scene::texture(n << 20, format, 64, 64);
        let targets = [target(1, 0x38), target(2, 0x3D), target(3, 0x25), target(4, 0x3F)];
        let depth = target(5, 0x35);
        scene.register(256, target(6, 0x38)).register(257, depth).register(258, targets[1]);
        scene.targets(&targets, Some(depth)).bind_program(program);
        let masks: [u32; 8] = [0x7, 0, 0x7, 0, 0, 0, 0, 0];
        scene.slice(Op::BindChannelMask, &masks);
        for (slot, texture) in [(0, 256), (1, 257), (2, 258)] {
            scene.bind_texture(slot, texture, 256);
        }
        scene.draw().run();
        assert_eq!(scene.draws().write_mask[0], 0x707);
        let node = scene.draws().node[0];
        assert_eq!(
            scene.nodes().flags[node.index()] & (node_flags::FEEDBACK | node_flags::SKIPPED),
            node_flags::FEEDBACK
        );
        let steps = &scene.res::<Plan>().steps;
        assert_eq!(steps.iter().filter(|step| matches!(step, Step::BeginPass(_))).count(), 1, "{steps:?}");
    }
}
