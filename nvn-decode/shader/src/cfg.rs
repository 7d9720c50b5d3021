//! The control-flow graph. Blocks are keyed by (address, control stack), so that each pop has one target; calls are inlined the
//! same way. Guarded instructions with side effects become blocks of their own.

use crate::ShaderError;
use crate::header::Program;
use crate::isa::{Field, Instruction, Line, Op};
use std::collections::{BTreeSet, HashMap};

/// Limits that keep hostile input bounded.
const MAX_BLOCKS: usize = 4096;
const MAX_STACK: usize = 32;
const MAX_INSTRUCTIONS: usize = 1 << 16;

/// Address of the block that only ends the thread; no instruction is at an odd address.
const EXIT_ADDRESS: u32 = u32::MAX;

pub(crate) type BlockId = usize;

/// A condition on predicate and flags, both of which must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    /// Predicate index; 7 is always true.
    pub(crate) predicate: u8,
    pub(crate) inverted: bool,
    /// Flag test; 15 is always true.
    pub(crate) test: u8,
    /// A register that must hold a value (one case of a jump table).
    pub(crate) equal: Option<(u8, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Terminator {
    Exit,
    Jump(BlockId),
    Branch { condition: Condition, then: BlockId, other: BlockId },
}

impl Terminator {
    pub(crate) fn successors(self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match self {
            Self::Exit => (None, None),
            Self::Jump(t) => (Some(t), None),
            Self::Branch { then, other, .. } => (Some(then), Some(other)),
        };
        a.into_iter().chain(b)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) instructions: Vec<Instruction>,
    /// The guard of the instructions was already tested by the branch to this block.
    pub(crate) guard_tested: bool,
    pub(crate) terminator: Terminator,
    pub(crate) predecessors: Vec<BlockId>,
}

/// Blocks in reverse post-order; block 0 is the entry.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Push {
    Sync,
    Break,
    Continue,
    Return,
    Exit,
}

fn pushes(op: Op) -> Option<Push> {
    Some(match op {
        Op::Ssy => Push::Sync,
        Op::Pbk => Push::Break,
        Op::Pcnt => Push::Continue,
        Op::Pret | Op::Cal => Push::Return,
        Op::Pexit => Push::Exit,
        _ => return None,
    })
}

fn pops(op: Op) -> Option<Push> {
    Some(match op {
        Op::Sync => Push::Sync,
        Op::Brk => Push::Break,
        Op::Cont => Push::Continue,
        Op::Ret => Push::Return,
        Op::Exit => Push::Exit,
        _ => return None,
    })
}

/// The byte offset a relative branch or push names, normalised past control words. `None` for targets in constant memory.
pub(crate) fn branch_target(i: &Instruction) -> Option<u32> {
    if i.flag(Field::Ca) || !i.has(Field::Target) {
        return None;
    }
    let target = match i.op() {
        Op::Jmp | Op::Jcal => i.get(Field::Target),
        _ => i.offset.wrapping_add(8).wrapping_add_signed(i.signed(Field::Target, 24)),
    };
    Some(if target % 32 == 0 { target.wrapping_add(8) } else { target })
}

/// Whether a guard on the instruction cannot be expressed by selecting its results.
fn has_effect(op: Op) -> bool {
    matches!(
        op,
        Op::St
            | Op::Stg
            | Op::Stl
            | Op::Sts
            | Op::Ld
            | Op::Ldg
            | Op::Lds
            | Op::Ldl
            | Op::Atom
            | Op::Atoms
            | Op::Red
            | Op::Suatom
            | Op::Sured
            | Op::Sust
            | Op::Suld
            | Op::Kil
            | Op::Ast
            | Op::Out
            | Op::Bar
            | Op::Membar
    )
}

fn next_offset(offset: u32) -> u32 {
    let next = offset + 8;
    if next.is_multiple_of(32) { next + 8 } else { next }
}

/// Cases of a jump table tried at most.
const MAX_CASES: usize = 512;
/// Instructions searched backwards for the load of a jump table.
const TABLE_SEARCH: u32 = 24;
/// Addresses of the blocks that test one case each; code is never that long.
const CASES: u32 = 0x8000_0000;

/// A branch through a table: the register that holds the entry, and each entry with its target.
struct JumpTable {
    register: u8,
    cases: Vec<(u32, u32)>,
}

struct Builder<'a> {
    program: &'a Program<'a>,
    code: &'a [u8],
    tables: Vec<JumpTable>,
    leaders: BTreeSet<u32>,
    stacks: Vec<Vec<(Push, u32)>>,
    stack_ids: HashMap<Vec<(Push, u32)>, usize>,
    ids: HashMap<(u32, usize, bool), BlockId>,
    work: Vec<(u32, usize, bool)>,
    blocks: Vec<Option<Block>>,
    instructions: usize,
}

/// Builds the graph of a program.
pub(crate) fn build(program: &Program<'_>) -> Result<Flow, ShaderError> {
    let mut builder = Builder {
        program,
        code: program.code,
        tables: Vec::new(),
        leaders: BTreeSet::new(),
        stacks: vec![Vec::new()],
        stack_ids: HashMap::from([(Vec::new(), 0)]),
        ids: HashMap::new(),
        work: Vec::new(),
        blocks: Vec::new(),
        instructions: 0,
    };
    builder.find_leaders()?;
    builder.block(8, 0, false)?;
    let mut next = 0;
    while next < builder.work.len() {
        let (address, stack, guarded) = builder.work[next];
        let block = builder.fill(address, stack, guarded)?;
        builder.blocks[next] = Some(block);
        next += 1;
    }
    Ok(order(builder.blocks.into_iter().flatten().collect()))
}

/// Renumbers blocks in reverse post-order, merges straight lines, and fills in predecessors.
fn order(mut blocks: Vec<Block>) -> Flow {
    // A block whose only successor has it as its only predecessor swallows that successor.
    let mut counts = vec![0usize; blocks.len()];
    counts[0] = 1;
    for block in &blocks {
        for s in block.terminator.successors() {
            counts[s] += 1;
        }
    }
    for index in 0..blocks.len() {
        while let Terminator::Jump(next) = blocks[index].terminator {
            if next == index || counts[next] != 1 || blocks[next].guard_tested || blocks[index].guard_tested {
                break;
            }
            let taken = std::mem::take(&mut blocks[next].instructions);
            let terminator = blocks[next].terminator;
            blocks[next].terminator = Terminator::Exit;
            counts[next] = 0;
            blocks[index].instructions.extend(taken);
            blocks[index].terminator = terminator;
        }
    }
    let mut state = vec![0u8; blocks.len()];
    let mut post = Vec::new();
    let mut stack = vec![(0, 0)];
    state[0] = 1;
    while let Some((block, child)) = stack.pop() {
        // The second successor is visited first, so that the first one stands earlier in the order.
        let successors: Vec<BlockId> = blocks[block].terminator.successors().collect();
        let pick = successors.len().checked_sub(child + 1).map(|k| successors[k]);
        match pick {
            Some(next) => {
                stack.push((block, child + 1));
                if state[next] == 0 {
                    state[next] = 1;
                    stack.push((next, 0));
                }
            }
            None => post.push(block),
        }
    }
    post.reverse();
    let mut number = vec![usize::MAX; blocks.len()];
    for (new, old) in post.iter().enumerate() {
        number[*old] = new;
    }
    let mut out: Vec<Block> = Vec::with_capacity(post.len());
    for old in &post {
        let mut block = blocks[*old].clone();
        block.terminator = match block.terminator {
            Terminator::Exit => Terminator::Exit,
            Terminator::Jump(t) => Terminator::Jump(number[t]),
            Terminator::Branch { condition, then, other } => {
                Terminator::Branch { condition, then: number[then], other: number[other] }
            }
        };
        block.predecessors.clear();
        out.push(block);
    }
    for index in 0..out.len() {
        for s in out[index].terminator.successors().collect::<Vec<_>>() {
            if !out[s].predecessors.contains(&index) {
                out[s].predecessors.push(index);
            }
        }
    }
    Flow { blocks: out }
}

impl Builder<'_> {
    fn fetch(&self, offset: u32, from: u32) -> Result<Instruction, ShaderError> {
        let at = offset as usize;
        let bytes = self.code.get(at..at.saturating_add(8)).and_then(|b| b.try_into().ok());
        let Some(bytes) = bytes.filter(|_| offset.is_multiple_of(8)) else {
            return Err(ShaderError::BadTarget { offset: from, target: offset, len: self.code.len() as u32 });
        };
        let word = u64::from_le_bytes(bytes);
        Instruction::decode(offset, word).ok_or(ShaderError::UnknownInstruction { offset, word })
    }

    fn target(&self, i: &Instruction) -> Result<u32, ShaderError> {
        branch_target(i).ok_or_else(|| ShaderError::Unsupported {
            offset: i.offset,
            text: Line(*i).to_string(),
            why: "its target is read from constant memory",
        })
    }

    /// Every address at which a block must begin, whatever the stack.
    fn find_leaders(&mut self) -> Result<(), ShaderError> {
        let mut seen = BTreeSet::new();
        let mut work = vec![(8u32, 0u32)];
        while let Some((mut at, mut from)) = work.pop() {
            while seen.insert(at) {
                let i = self.fetch(at, from)?;
                let never = i.guard() == (7, true);
                let always = i.guard() == (7, false) && matches!(i.find(Field::Test), None | Some(15));
                if !never {
                    match i.op() {
                        Op::Bra | Op::Jmp => {
                            let target = self.target(&i)?;
                            self.leaders.insert(target);
                            work.push((target, at));
                            if always {
                                break;
                            }
                            self.leaders.insert(next_offset(at));
                        }
                        op if pushes(op).is_some() => {
                            let target = self.target(&i)?;
                            self.leaders.insert(target);
                            work.push((target, at));
                            if op == Op::Cal {
                                self.leaders.insert(next_offset(at));
                            }
                        }
                        Op::Brx => {
                            for (_, target) in self.jump_table(&i)?.cases {
                                self.leaders.insert(target);
                                work.push((target, at));
                            }
                            if always {
                                break;
                            }
                            self.leaders.insert(next_offset(at));
                        }
                        Op::Jmx | Op::Longjmp | Op::Jcal | Op::Plongjmp | Op::Rtt => {
                            return Err(ShaderError::Unsupported {
                                offset: at,
                                text: Line(i).to_string(),
                                why: "indirect and non-local jumps",
                            });
                        }
                        op if pops(op).is_some() => {
                            if always {
                                break;
                            }
                            self.leaders.insert(next_offset(at));
                        }
                        _ => {}
                    }
                }
                (from, at) = (at, next_offset(at));
            }
        }
        Ok(())
    }

    /// Reads the table of an indirect branch: the register must come from an indexed load of the compiler's constants close before
    /// it. Entries are byte offsets; the table ends where one leads out of the code.
    fn jump_table(&self, i: &Instruction) -> Result<JumpTable, ShaderError> {
        let unsupported = |why| ShaderError::Unsupported { offset: i.offset, text: Line(*i).to_string(), why };
        if i.flag(Field::Ca) {
            return Err(unsupported("an offset in constant memory"));
        }
        let register = i.get(Field::A);
        let mut at = i.offset;
        let mut load = None;
        for _ in 0..TABLE_SEARCH {
            at = at.saturating_sub(if at % 32 == 8 { 16 } else { 8 });
            let Ok(before) = self.fetch(at, i.offset) else { break };
            if before.op() == Op::Ldc && before.get(Field::D) == register {
                load = Some(before);
                break;
            }
        }
        let load = load.ok_or_else(|| unsupported("its table is not loaded close before it"))?;
        if load.get(Field::Slot) != 1 || load.get(Field::Size) != 4 {
            return Err(unsupported("its table is not in the compiler's constants"));
        }
        let base = load.signed(Field::Off, 16) as u32;
        let mut cases: Vec<(u32, u32)> = Vec::new();
        for entry in 0..MAX_CASES as u32 {
            let place = base.wrapping_add(entry * 4);
            if place as usize + 4 > self.program.constants.len() {
                break;
            }
            let word = self.program.constant(place);
            let target = i.offset.wrapping_add(8).wrapping_add(word).wrapping_add_signed(i.signed(Field::Off, 24));
            let target = if target.is_multiple_of(32) { target.wrapping_add(8) } else { target };
            if self.fetch(target, i.offset).is_err() {
                break;
            }
            if !cases.iter().any(|(w, _)| *w == word) {
                cases.push((word, target));
            }
        }
        if cases.is_empty() {
            return Err(unsupported("its table is empty"));
        }
        Ok(JumpTable { register: register as u8, cases })
    }

    /// One block per case: to its target when the register holds its entry, else to the next case; the last one needs no test.
    fn case_block(&mut self, address: u32, stack: usize) -> Result<Block, ShaderError> {
        let (table, case) = (((address & !CASES) >> 10) as usize, (address >> 1 & 0x1FF) as usize);
        let (register, entry) = (self.tables[table].register, self.tables[table].cases.get(case).copied());
        let count = self.tables[table].cases.len();
        let (word, target) = entry.unwrap_or((0, EXIT_ADDRESS));
        let then = self.block(target, stack, false)?;
        let terminator = if case + 1 < count {
            let other = self.block(address + 2, stack, false)?;
            if then == other {
                Terminator::Jump(then)
            } else {
                let condition = Condition { predicate: 7, inverted: false, test: 15, equal: Some((register, word)) };
                Terminator::Branch { condition, then, other }
            }
        } else {
            Terminator::Jump(then)
        };
        Ok(Block { instructions: Vec::new(), guard_tested: false, terminator, predecessors: Vec::new() })
    }

    fn block(&mut self, address: u32, stack: usize, guarded: bool) -> Result<BlockId, ShaderError> {
        if let Some(id) = self.ids.get(&(address, stack, guarded)) {
            return Ok(*id);
        }
        if self.work.len() >= MAX_BLOCKS {
            return Err(ShaderError::TooLarge { what: "blocks", limit: MAX_BLOCKS });
        }
        let id = self.work.len();
        self.ids.insert((address, stack, guarded), id);
        self.work.push((address, stack, guarded));
        self.blocks.push(None);
        Ok(id)
    }

    fn intern(&mut self, stack: Vec<(Push, u32)>) -> usize {
        if let Some(id) = self.stack_ids.get(&stack) {
            return *id;
        }
        let id = self.stacks.len();
        self.stack_ids.insert(stack.clone(), id);
        self.stacks.push(stack);
        id
    }

    fn fill(&mut self, start: u32, entry_stack: usize, guarded: bool) -> Result<Block, ShaderError> {
        let mut instructions = Vec::new();
        let mut stack = entry_stack;
        let mut at = start;
        if start == EXIT_ADDRESS {
            return Ok(Block {
                instructions,
                guard_tested: false,
                terminator: Terminator::Exit,
                predecessors: Vec::new(),
            });
        }
        if start & CASES != 0 {
            return self.case_block(start, entry_stack);
        }
        let finish = |instructions, terminator| {
            Ok(Block { instructions, guard_tested: guarded, terminator, predecessors: Vec::new() })
        };
        let run_guard = if guarded { Some(self.fetch(start, start)?.guard()) } else { None };
        loop {
            if at != start && self.leaders.contains(&at) {
                let next = self.block(at, stack, false)?;
                return finish(instructions, Terminator::Jump(next));
            }
            let i = self.fetch(at, start)?;
            self.instructions += 1;
            if self.instructions > MAX_INSTRUCTIONS {
                return Err(ShaderError::TooLarge { what: "instructions", limit: MAX_INSTRUCTIONS });
            }
            let (predicate, inverted) = i.guard();
            let op = i.op();
            let flow = matches!(op, Op::Bra | Op::Jmp | Op::Brx) || pops(op).is_some() || pushes(op).is_some();
            if let Some(guard) = run_guard {
                // A run of instructions under one guard ends with the guard, or where the guard's predicate may change.
                if at != start && (i.guard() != guard || flow) {
                    let next = self.block(at, stack, false)?;
                    return finish(instructions, Terminator::Jump(next));
                }
                instructions.push(i);
                at = next_offset(at);
                let writes = i.form.fields.iter().any(|f| matches!(f.field, Field::Pd | Field::Pq | Field::What));
                if writes {
                    let next = self.block(at, stack, false)?;
                    return finish(instructions, Terminator::Jump(next));
                }
                continue;
            }
            if (predicate, inverted) == (7, true) {
                at = next_offset(at);
                continue;
            }
            let condition =
                Condition { predicate, inverted, test: i.find(Field::Test).unwrap_or(15) as u8, equal: None };
            let always = predicate == 7 && condition.test == 15;
            if matches!(op, Op::Bra | Op::Jmp) {
                let target = self.target(&i)?;
                let then = self.block(target, stack, false)?;
                if always {
                    return finish(instructions, Terminator::Jump(then));
                }
                let other = self.block(next_offset(at), stack, false)?;
                let terminator =
                    if then == other { Terminator::Jump(then) } else { Terminator::Branch { condition, then, other } };
                return finish(instructions, terminator);
            }
            if op == Op::Brx {
                let table = self.jump_table(&i)?;
                let first = CASES | ((self.tables.len() as u32) << 10) | 1;
                if self.tables.len() >= 1 << 20 {
                    return Err(ShaderError::TooLarge { what: "jump tables", limit: 1 << 20 });
                }
                self.tables.push(table);
                let then = self.block(first, stack, false)?;
                if always {
                    return finish(instructions, Terminator::Jump(then));
                }
                let other = self.block(next_offset(at), stack, false)?;
                return finish(instructions, Terminator::Branch { condition, then, other });
            }
            if let Some(kind) = pushes(op) {
                let target = self.target(&i)?;
                let mut entries = self.stacks[stack].clone();
                if entries.len() >= MAX_STACK {
                    return Err(ShaderError::TooLarge { what: "entries on the control stack", limit: MAX_STACK });
                }
                if op == Op::Cal {
                    entries.push((kind, next_offset(at)));
                    stack = self.intern(entries);
                    let next = self.block(target, stack, false)?;
                    return finish(instructions, Terminator::Jump(next));
                }
                entries.push((kind, target));
                stack = self.intern(entries);
                at = next_offset(at);
                continue;
            }
            if let Some(kind) = pops(op) {
                let depth = self.stacks[stack].iter().rposition(|(k, _)| *k == kind);
                let taken = match depth {
                    Some(depth) => {
                        let target = self.stacks[stack][depth].1;
                        let rest = self.stacks[stack][..depth].to_vec();
                        let rest = self.intern(rest);
                        Some(self.block(target, rest, false)?)
                    }
                    // EXIT without PEXIT, and RET in the entry function, end the thread.
                    None if matches!(kind, Push::Exit | Push::Return) => None,
                    None => return Err(ShaderError::UnmatchedPop { offset: at, text: Line(i).to_string() }),
                };
                if always {
                    let terminator = taken.map_or(Terminator::Exit, Terminator::Jump);
                    return finish(instructions, terminator);
                }
                let then = match taken {
                    Some(block) => block,
                    None => self.exit_block()?,
                };
                let other = self.block(next_offset(at), stack, false)?;
                let terminator =
                    if then == other { Terminator::Jump(then) } else { Terminator::Branch { condition, then, other } };
                return finish(instructions, terminator);
            }
            if has_effect(op) && !always {
                let then = self.block(at, stack, true)?;
                // The block behind the guarded run.
                let mut end = at;
                let guard = i.guard();
                loop {
                    let run = self.fetch(end, at)?;
                    let flow = matches!(run.op(), Op::Bra | Op::Jmp | Op::Brx)
                        || pops(run.op()).is_some()
                        || pushes(run.op()).is_some();
                    if end != at && (self.leaders.contains(&end) || run.guard() != guard || flow) {
                        break;
                    }
                    end = next_offset(end);
                    if run.form.fields.iter().any(|f| matches!(f.field, Field::Pd | Field::Pq | Field::What)) {
                        break;
                    }
                }
                let other = self.block(end, stack, false)?;
                return finish(instructions, Terminator::Branch { condition, then, other });
            }
            if !matches!(op, Op::Nop | Op::Depbar | Op::Sam | Op::Ram) {
                instructions.push(i);
            }
            at = next_offset(at);
        }
    }

    /// The block that only ends the thread, keyed by an address no instruction has.
    fn exit_block(&mut self) -> Result<BlockId, ShaderError> {
        self.block(EXIT_ADDRESS, 0, false)
    }
}
