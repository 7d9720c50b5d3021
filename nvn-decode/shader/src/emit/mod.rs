//! SPIR-V emission. Values that are used outside their block live in zero-initialised function variables, so that structured
//! control flow may add paths freely and nothing undefined can be read.

mod control;
mod interface;
mod resource;
mod settled;
mod value;

use crate::ShaderError;
use crate::cfg::Flow;
use crate::header::{Program, Stage};
use crate::ir::{Ir, Op, Type, Value};
use crate::key::{Mutants, ShaderKey};
use crate::passes::operands;
use crate::reflection::{Reflection, Translated};
use crate::structure::Statement;
use rspirv::binary::Assemble;
use rspirv::dr::{self, Builder, Operand};
use rspirv::spirv::{self, Word};
use std::collections::{BTreeMap, HashMap};

pub(crate) struct Emitter<'a> {
    program: &'a Program<'a>,
    flow: &'a Flow,
    ir: &'a Ir,
    key: &'a ShaderKey,
    b: Builder,
    /// Blocks of the entry function.
    code: Vec<dr::Block>,
    /// Whether the last block still takes instructions.
    open: bool,
    /// Function variables, placed at the start of the first block.
    locals: Vec<dr::Instruction>,
    interface: Vec<Word>,
    capabilities: Vec<spirv::Capability>,
    glsl: Word,
    words: HashMap<u32, Word>,
    floats: HashMap<u32, Word>,
    ints: HashMap<u32, Word>,
    truths: [Option<Word>; 2],
    /// Results in the current block by type.
    cache: HashMap<(Value, Type), Word>,
    /// Values used outside their block.
    exported: Vec<bool>,
    /// Variables of exported values, and of phis' arguments.
    variables: HashMap<Value, Word>,
    phi_variables: HashMap<Value, Word>,
    control: control::Control,
    io: interface::Io,
    resources: resource::Resources,
    reflection: Reflection,
}

/// Emits the module of a lifted program.
pub(crate) fn emit(
    program: &Program<'_>,
    flow: &Flow,
    ir: &Ir,
    tree: &[Statement],
    key: &ShaderKey,
) -> Result<Translated, ShaderError> {
    let mut b = Builder::new();
    b.set_version(1, 6);
    let glsl = b.ext_inst_import("GLSL.std.450");
    b.memory_model(spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450);
    let mut emitter = Emitter {
        program,
        flow,
        ir,
        key,
        b,
        code: Vec::new(),
        open: false,
        locals: Vec::new(),
        interface: Vec::new(),
        capabilities: vec![spirv::Capability::Shader],
        glsl,
        words: HashMap::new(),
        floats: HashMap::new(),
        ints: HashMap::new(),
        truths: [None; 2],
        cache: HashMap::new(),
        exported: exported(flow, ir),
        variables: HashMap::new(),
        phi_variables: HashMap::new(),
        control: control::Control::default(),
        io: interface::Io::default(),
        resources: resource::Resources::default(),
        reflection: reflection(program),
    };
    emitter.scan_resources();
    emitter.scan_interface();
    emitter.module(tree)
}

fn reflection(program: &Program<'_>) -> Reflection {
    let fragment = program.stage == Stage::Fragment;
    Reflection {
        stage: program.stage,
        hash: program.hash,
        output_map: if fragment { program.target_map() } else { 0 },
        writes_depth: fragment && program.writes_depth(),
        writes_sample_mask: fragment && program.writes_sample_mask(),
        kills: program.kills(),
        flat_inputs: program.flat_inputs(),
        reads_elsewhere: 0,
        levels: Vec::new(),
        early_tests: program.early_tests,
        per_sample: program.per_sample,
        writes_memory: false,
        writes_layer: false,
        writes_viewport: false,
        writes_point_size: false,
        attributes_in: 0,
        attributes_out: 0,
        components_in: [0; 32],
        components_out: [0; 32],
        uniform_blocks: Vec::new(),
        storage_buffers: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        driver_bank: false,
        local_size: program.local_size,
        shared_bytes: program.shared_bytes,
        output_vertices: match program.stage {
            Stage::TessControl => program.threads(),
            Stage::Geometry => program.max_vertices(),
            _ => 0,
        },
    }
}

/// Values used in a block other than their own.
fn exported(flow: &Flow, ir: &Ir) -> Vec<bool> {
    let mut out = vec![false; ir.insts.len()];
    let mut mark = |value: Value, block: usize| {
        if ir.insts[value as usize].block as usize != block {
            out[value as usize] = true;
        }
    };
    for (block, values) in ir.blocks.iter().enumerate() {
        for value in values {
            let mut inst = ir.insts[*value as usize].clone();
            if let Op::Phi { .. } = inst.op {
                for (predecessor, arg) in flow.blocks[block].predecessors.iter().zip(&inst.args) {
                    mark(*arg, *predecessor);
                }
            } else {
                operands(&mut inst, |v| mark(*v, block));
            }
        }
        if let Some(condition) = ir.conditions[block] {
            mark(condition, block);
        }
    }
    out
}

impl Emitter<'_> {
    fn module(mut self, tree: &[Statement]) -> Result<Translated, ShaderError> {
        let void = self.b.type_void();
        let function_type = self.b.type_function(void, []);
        let main = self.b.id();
        let entry = self.b.id();
        self.label(entry);
        self.prologue();
        let open = self.program_tree(tree)?;
        if open {
            // Only reached where every path ended before.
            self.terminate(spirv::Op::Unreachable, vec![]);
        }
        let locals = std::mem::take(&mut self.locals);
        if let Some(first) = self.code.first_mut() {
            first.instructions.splice(0..0, locals);
        }
        let mut function = dr::Function::new();
        function.def = Some(dr::Instruction::new(
            spirv::Op::Function,
            Some(void),
            Some(main),
            vec![Operand::FunctionControl(spirv::FunctionControl::NONE), Operand::IdRef(function_type)],
        ));
        function.end = Some(dr::Instruction::new(spirv::Op::FunctionEnd, None, None, vec![]));
        function.blocks = std::mem::take(&mut self.code);
        self.modes(main);
        let interface = std::mem::take(&mut self.interface);
        let model = match self.program.stage {
            Stage::Vertex => spirv::ExecutionModel::Vertex,
            Stage::TessControl => spirv::ExecutionModel::TessellationControl,
            Stage::TessEvaluation => spirv::ExecutionModel::TessellationEvaluation,
            Stage::Geometry => spirv::ExecutionModel::Geometry,
            Stage::Fragment => spirv::ExecutionModel::Fragment,
            Stage::Compute => spirv::ExecutionModel::GLCompute,
        };
        self.b.entry_point(model, main, "main", interface);
        let mut capabilities = std::mem::take(&mut self.capabilities);
        capabilities.sort_by_key(|c| *c as u32);
        capabilities.dedup();
        for capability in capabilities {
            self.b.capability(capability);
        }
        let mut module = self.b.module();
        module.functions.push(function);
        Ok(Translated { spirv: module.assemble(), reflection: self.reflection })
    }

    fn modes(&mut self, main: Word) {
        use spirv::ExecutionMode as M;
        if !self.key.no_float_controls {
            self.need(spirv::Capability::SignedZeroInfNanPreserve);
            self.b.execution_mode(main, M::SignedZeroInfNanPreserve, [32]);
        }
        match self.program.stage {
            Stage::Fragment => {
                self.b.execution_mode(main, M::OriginUpperLeft, []);
                if self.program.early_tests {
                    self.b.execution_mode(main, M::EarlyFragmentTests, []);
                }
                if self.io.depth.is_some() {
                    self.b.execution_mode(main, M::DepthReplacing, []);
                }
            }
            Stage::Compute => {
                self.b.execution_mode(main, M::LocalSize, self.program.local_size);
            }
            Stage::Geometry => {
                let input = match self.key.geometry_input {
                    1 => M::InputPoints,
                    2 => M::InputLines,
                    4 => M::InputLinesAdjacency,
                    6 => M::InputTrianglesAdjacency,
                    _ => M::Triangles,
                };
                let output = match self.program.output_topology() {
                    1 => M::OutputPoints,
                    6 => M::OutputLineStrip,
                    _ => M::OutputTriangleStrip,
                };
                self.b.execution_mode(main, input, []);
                self.b.execution_mode(main, output, []);
                self.b.execution_mode(main, M::Invocations, [self.program.threads().clamp(1, 32)]);
                self.b.execution_mode(main, M::OutputVertices, [self.program.max_vertices().max(1)]);
            }
            Stage::TessControl => {
                self.b.execution_mode(main, M::OutputVertices, [self.program.threads().clamp(1, 32)]);
            }
            Stage::TessEvaluation => {
                use crate::key::{TessDomain, TessSpacing};
                let domain = match self.key.tess_domain {
                    TessDomain::Triangles => M::Triangles,
                    TessDomain::Quads => M::Quads,
                    TessDomain::Isolines => M::Isolines,
                };
                let spacing = match self.key.tess_spacing {
                    TessSpacing::Equal => M::SpacingEqual,
                    TessSpacing::FractionalOdd => M::SpacingFractionalOdd,
                    TessSpacing::FractionalEven => M::SpacingFractionalEven,
                };
                let order = if self.key.tess_clockwise { M::VertexOrderCw } else { M::VertexOrderCcw };
                for mode in [domain, spacing, order] {
                    self.b.execution_mode(main, mode, []);
                }
                if self.key.tess_points {
                    self.b.execution_mode(main, M::PointMode, []);
                }
            }
            Stage::Vertex => {}
        }
    }

    fn need(&mut self, capability: spirv::Capability) {
        self.capabilities.push(capability);
    }

    /// Starts a block.
    fn label(&mut self, id: Word) {
        let mut block = dr::Block::new();
        block.label = Some(dr::Instruction::new(spirv::Op::Label, None, Some(id), vec![]));
        self.code.push(block);
        self.open = true;
    }

    fn push(&mut self, instruction: dr::Instruction) {
        if self.open
            && let Some(block) = self.code.last_mut()
        {
            block.instructions.push(instruction);
        }
    }

    /// An instruction with a result.
    fn emit(&mut self, op: spirv::Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.b.id();
        self.push(dr::Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// An instruction with a result and id operands.
    fn ids(&mut self, op: spirv::Op, ty: Word, ids: &[Word]) -> Word {
        self.emit(op, ty, ids.iter().map(|id| Operand::IdRef(*id)).collect())
    }

    fn effect(&mut self, op: spirv::Op, operands: Vec<Operand>) {
        self.push(dr::Instruction::new(op, None, None, operands));
    }

    fn terminate(&mut self, op: spirv::Op, operands: Vec<Operand>) {
        self.effect(op, operands);
        self.open = false;
    }

    fn branch(&mut self, target: Word) {
        self.terminate(spirv::Op::Branch, vec![Operand::IdRef(target)]);
    }

    fn branch_on(&mut self, condition: Word, then: Word, other: Word) {
        self.terminate(
            spirv::Op::BranchConditional,
            vec![Operand::IdRef(condition), Operand::IdRef(then), Operand::IdRef(other)],
        );
    }

    fn select_merge(&mut self, merge: Word) {
        self.effect(
            spirv::Op::SelectionMerge,
            vec![Operand::IdRef(merge), Operand::SelectionControl(spirv::SelectionControl::NONE)],
        );
    }

    fn load(&mut self, ty: Word, pointer: Word) -> Word {
        self.ids(spirv::Op::Load, ty, &[pointer])
    }

    fn store(&mut self, pointer: Word, value: Word) {
        self.effect(spirv::Op::Store, vec![Operand::IdRef(pointer), Operand::IdRef(value)]);
    }

    fn t_u32(&mut self) -> Word {
        self.b.type_int(32, 0)
    }

    fn t_i32(&mut self) -> Word {
        self.b.type_int(32, 1)
    }

    fn t_f32(&mut self) -> Word {
        self.b.type_float(32, None)
    }

    fn t_bool(&mut self) -> Word {
        self.b.type_bool()
    }

    fn vector(&mut self, scalar: Word, count: usize) -> Word {
        if count == 1 { scalar } else { self.b.type_vector(scalar, count as u32) }
    }

    fn ty(&mut self, ty: Type) -> Word {
        match ty {
            Type::Void => self.b.type_void(),
            Type::U32 => self.t_u32(),
            Type::F32 => self.t_f32(),
            Type::F64 => {
                self.need(spirv::Capability::Float64);
                self.b.type_float(64, None)
            }
            Type::Bool => self.t_bool(),
            Type::Vec4F => {
                let f = self.t_f32();
                self.vector(f, 4)
            }
            Type::Vec4U => {
                let u = self.t_u32();
                self.vector(u, 4)
            }
            Type::Vec4S => {
                let i = self.t_i32();
                self.vector(i, 4)
            }
        }
    }

    fn word_constant(&mut self, value: u32) -> Word {
        if let Some(id) = self.words.get(&value) {
            return *id;
        }
        let ty = self.t_u32();
        let id = self.b.constant_bit32(ty, value);
        self.words.insert(value, id);
        id
    }

    fn int_constant(&mut self, value: i32) -> Word {
        if let Some(id) = self.ints.get(&(value as u32)) {
            return *id;
        }
        let ty = self.t_i32();
        let id = self.b.constant_bit32(ty, value as u32);
        self.ints.insert(value as u32, id);
        id
    }

    fn float_constant(&mut self, bits: u32) -> Word {
        if let Some(id) = self.floats.get(&bits) {
            return *id;
        }
        let ty = self.t_f32();
        let id = self.b.constant_bit32(ty, bits);
        self.floats.insert(bits, id);
        id
    }

    fn truth_constant(&mut self, value: bool) -> Word {
        if let Some(id) = self.truths[usize::from(value)] {
            return id;
        }
        let ty = self.t_bool();
        let id = if value { self.b.constant_true(ty) } else { self.b.constant_false(ty) };
        self.truths[usize::from(value)] = Some(id);
        id
    }

    fn pointer(&mut self, class: spirv::StorageClass, to: Word) -> Word {
        self.b.type_pointer(None, class, to)
    }

    /// A zero-initialised function variable.
    fn local(&mut self, ty: Word) -> Word {
        let pointer = self.pointer(spirv::StorageClass::Function, ty);
        let id = self.b.id();
        let mut operands = vec![Operand::StorageClass(spirv::StorageClass::Function)];
        if !self.key.mutants.has(Mutants::UNWRITTEN) {
            operands.push(Operand::IdRef(self.b.constant_null(ty)));
        }
        self.locals.push(dr::Instruction::new(spirv::Op::Variable, Some(pointer), Some(id), operands));
        id
    }

    /// A module variable that the entry point lists.
    fn global(&mut self, class: spirv::StorageClass, ty: Word, initial: Option<Word>) -> Word {
        let pointer = self.pointer(class, ty);
        let id = self.b.variable(pointer, None, class, initial);
        self.interface.push(id);
        id
    }

    fn decorate(&mut self, target: Word, decoration: spirv::Decoration, value: Option<u32>) {
        self.b.decorate(target, decoration, value.map(Operand::LiteralBit32));
    }
}

/// Resources by key, in a stable order.
type Ordered<K, V> = BTreeMap<K, V>;
