//! Functions, blocks and jump tables of a module, to a fixpoint.
//!
//! Starts come from symbols, init arrays, code pointers (relocations), call targets, address formation and gaps. A jump table is found by
//! evaluating the branch target symbolically: constants flow through the function, the table load is recognised in its block, the bound is
//! taken from the compare that guards it. An indirect branch that stays unresolved goes through the module's dispatch table, which holds
//! every address that some pointer or address formation names; it is listed in [`Analysis::unresolved`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::a64::op::{Index, Literal};
use crate::a64::{Inst, Op, decode};
use crate::image::Image;
use crate::knob::Knob;

/// Entries read from a table without a known bound, at most.
const OPEN_TABLE_LIMIT: u64 = 2048;

/// What selects the entry of a jump table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selector {
    /// The value of a register at the block's start.
    Register(u8),
    /// No register's value at the block's start: unoptimised code keeps it on the stack.
    Spilled,
    /// A value that the block itself cuts to less than this.
    Below(u64),
}

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Runs into the next address.
    Fall(u64),
    /// B.
    Jump(u64),
    /// Conditional branch: taken, not taken.
    Branch(u64, u64),
    /// BR through a recognised table: its distinct targets.
    Switch(Vec<u64>),
    /// BR to anywhere.
    Indirect,
    /// RET.
    Return,
    /// Does not come back: BRK, UDF, unknown word.
    Stop,
}

/// A run of instructions with one way in.
#[derive(Debug, Clone)]
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// First address behind the last one.
    pub end: u64,
    /// How it ends.
    pub exit: End,
}

/// A lifted function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Address of its entry.
    pub start: u64,
    /// Blocks by address.
    pub blocks: BTreeMap<u64, Block>,
    /// Labels inside it that the outside may jump to, besides the start.
    pub labels: BTreeSet<u64>,
}

/// What analysis found in one module.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Functions by start.
    pub functions: BTreeMap<u64, Function>,
    /// Label inside a function → start of that function.
    pub owners: BTreeMap<u64, u64>,
    /// BR instructions without a recognised table.
    pub unresolved: BTreeSet<u64>,
    /// BR through a pointer at a constant address: import stubs and calls through globals.
    pub stubs: BTreeSet<u64>,
    /// Recognised jump tables: address of the BR → targets in table order.
    pub tables: BTreeMap<u64, Vec<u64>>,
    /// Words no row decodes, by address.
    pub unknown: BTreeMap<u64, u32>,
}

/// A value while a block is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Unknown,
    Const(u64),
    /// What the register held when the block began.
    Entry(u8),
    /// base + (entry register << shift).
    Indexed {
        base: u64,
        index: Selector,
        shift: u32,
    },
    /// A table element: load of `size` bytes at base + (index << shift), sign-extended or not.
    Element {
        base: u64,
        index: Selector,
        shift: u32,
        size: usize,
        signed: bool,
    },
    /// Less than this: a value whose low bits were taken.
    Below(u64),
    /// The pointer stored at a constant address: an import slot or a global function pointer.
    Slot,
    /// anchor + (element << scale).
    Target {
        anchor: u64,
        base: u64,
        index: Selector,
        shift: u32,
        size: usize,
        signed: bool,
        scale: u32,
    },
}

type Consts = [Option<u64>; 31];

/// Analyses a module.
#[must_use]
pub fn analyse(image: &Image) -> Analysis {
    analyse_with(image, None)
}

/// Analyses a module with a fault planted: the knobs of unknown words and of jump tables.
#[must_use]
pub fn analyse_with(image: &Image, knob: Option<Knob>) -> Analysis {
    Analyser { image, knob, strong: BTreeSet::new(), weak: BTreeSet::new(), anchors: HashSet::new() }.run()
}

struct Analyser<'a> {
    image: &'a Image,
    knob: Option<Knob>,
    strong: BTreeSet<u64>,
    weak: BTreeSet<u64>,
    /// Addresses formed only to anchor a jump table.
    anchors: HashSet<u64>,
}

/// One function while it is explored.
#[derive(Default)]
struct Explored {
    blocks: BTreeMap<u64, Block>,
    tables: BTreeMap<u64, Vec<u64>>,
    unresolved: BTreeSet<u64>,
    stubs: BTreeSet<u64>,
    anchors: HashSet<u64>,
}

impl Analyser<'_> {
    fn run(mut self) -> Analysis {
        self.strong.extend(self.image.functions.keys());
        self.weak.extend(&self.image.code_pointers);
        let mut cache: HashMap<u64, Explored> = HashMap::new();
        loop {
            loop {
                // Explore with the starts known now; new starts mean another round over the functions they cut.
                let starts: Vec<u64> = self.starts().into_iter().collect();
                let mut grown = false;
                for &start in &starts {
                    if cache.contains_key(&start) {
                        continue;
                    }
                    let explored = self.explore(start);
                    grown |= self.collect(&explored);
                    cache.insert(start, explored);
                }
                if !grown {
                    break;
                }
                let boundaries = self.starts();
                cache.retain(|start, e| {
                    boundaries.contains(start)
                        && !e.blocks.values().any(|b| {
                            boundaries
                                .range(b.start..b.end)
                                .any(|s| s != start && !e.tables.values().any(|t| t.contains(s)))
                        })
                });
            }
            if !self.add_gaps(&cache) {
                break;
            }
        }
        self.finish(cache)
    }

    fn starts(&self) -> BTreeSet<u64> {
        self.strong
            .iter()
            .chain(self.weak.difference(&self.strong).filter(|a| !self.anchors.contains(a)))
            .copied()
            .collect()
    }

    fn is_start(&self, address: u64) -> bool {
        self.strong.contains(&address) || (self.weak.contains(&address) && !self.anchors.contains(&address))
    }

    /// Follows the code from `start`, resolving jump tables as they appear.
    fn explore(&self, start: u64) -> Explored {
        let mut explored = Explored::default();
        loop {
            let table_targets: BTreeSet<u64> = explored.tables.values().flatten().copied().collect();
            explored.blocks = self.blocks(start, &table_targets, &explored.tables);
            let pending: Vec<u64> = explored
                .blocks
                .values()
                .filter(|b| b.exit == End::Indirect && !explored.tables.contains_key(&(b.end - 4)))
                .map(|b| b.start)
                .collect();
            let at: BTreeSet<u64> = pending.iter().map(|b| explored.blocks[b].end - 4).collect();
            explored.unresolved = at.difference(&explored.stubs).copied().collect();
            if pending.is_empty() {
                return explored;
            }
            let consts = self.constants(start, &explored.blocks);
            let mut found = false;
            for block in pending {
                let entry = consts.get(&block).copied().unwrap_or([None; 31]);
                let br = explored.blocks[&block].end - 4;
                if self.branch_value(&explored.blocks[&block], &entry) == Some(Value::Slot) {
                    explored.stubs.insert(br);
                    explored.unresolved.remove(&br);
                    continue;
                }
                if let Some((targets, anchor)) = self.jump_table(start, &explored.blocks, block, &entry) {
                    explored.tables.insert(explored.blocks[&block].end - 4, targets);
                    explored.anchors.extend(anchor);
                    found = true;
                }
            }
            if !found {
                return explored;
            }
        }
    }

    fn blocks(&self, start: u64, inside: &BTreeSet<u64>, tables: &BTreeMap<u64, Vec<u64>>) -> BTreeMap<u64, Block> {
        let image = self.image;
        let boundary = |a: u64| a != start && self.is_start(a) && !inside.contains(&a);
        let mut leaders: BTreeSet<u64> = BTreeSet::from([start]);
        let mut seen: BTreeMap<u64, End> = BTreeMap::new();
        let mut work = vec![start];
        let mut walked: HashSet<u64> = HashSet::new();
        let lead = |a: u64, leaders: &mut BTreeSet<u64>, work: &mut Vec<u64>| {
            if image.is_code(a) && !boundary(a) && leaders.insert(a) {
                work.push(a);
            }
        };
        for &label in inside {
            lead(label, &mut leaders, &mut work);
        }
        while let Some(from) = work.pop() {
            let mut pc = from;
            loop {
                if !walked.insert(pc) || (pc != from && boundary(pc)) || !image.is_code(pc) {
                    break;
                }
                let inst = image.word(pc).and_then(decode);
                let next = pc + 4;
                let end = match inst.map(|i| i.op()) {
                    None if self.knob == Some(Knob::UnknownIsNothing) => None,
                    None | Some(Op::Undefined | Op::Brk) => Some(End::Stop),
                    Some(Op::B) => Some(End::Jump(target(&inst, pc))),
                    Some(Op::BCond) if inst.is_some_and(|i| i.f('c') >= 14) => Some(End::Jump(target(&inst, pc))),
                    Some(Op::BCond | Op::Cbz { .. }) => Some(End::Branch(target(&inst, pc), next)),
                    Some(Op::Tbz { .. }) => {
                        let offset = inst.map_or(0, |i| i.signed('i') << 2);
                        Some(End::Branch(pc.wrapping_add_signed(offset), next))
                    }
                    Some(Op::Br) => Some(match tables.get(&pc) {
                        Some(targets) => {
                            End::Switch(targets.iter().copied().collect::<BTreeSet<_>>().into_iter().collect())
                        }
                        None => End::Indirect,
                    }),
                    Some(Op::Ret) => Some(End::Return),
                    _ => None,
                };
                if let Some(end) = end {
                    match &end {
                        End::Jump(t) => lead(*t, &mut leaders, &mut work),
                        End::Branch(t, n) => {
                            lead(*t, &mut leaders, &mut work);
                            lead(*n, &mut leaders, &mut work);
                        }
                        End::Switch(targets) => targets.iter().for_each(|t| lead(*t, &mut leaders, &mut work)),
                        _ => {}
                    }
                    seen.insert(pc, end);
                    break;
                }
                pc = next;
            }
        }
        // Cut at leaders.
        let mut blocks = BTreeMap::new();
        for &leader in &leaders {
            let mut pc = leader;
            let exit = loop {
                if let Some(end) = seen.get(&pc) {
                    pc += 4;
                    break end.clone();
                }
                pc += 4;
                if leaders.contains(&pc) || boundary(pc) || !image.is_code(pc) {
                    break End::Fall(pc);
                }
            };
            blocks.insert(leader, Block { start: leader, end: pc, exit });
        }
        blocks
    }

    /// Constants held by registers at each block's start.
    fn constants(&self, start: u64, blocks: &BTreeMap<u64, Block>) -> HashMap<u64, Consts> {
        let mut at: HashMap<u64, Consts> = HashMap::from([(start, [None; 31])]);
        let mut work = vec![start];
        while let Some(address) = work.pop() {
            let Some(block) = blocks.get(&address) else { continue };
            let mut values = [Value::Unknown; 31];
            for (value, known) in values.iter_mut().zip(at[&address]) {
                *value = known.map_or(Value::Unknown, Value::Const);
            }
            self.evaluate(block, &mut values);
            let out: Consts = values.map(|v| if let Value::Const(c) = v { Some(c) } else { None });
            let successors: Vec<u64> = match &block.exit {
                End::Fall(n) | End::Jump(n) => vec![*n],
                End::Branch(t, n) => vec![*t, *n],
                End::Switch(t) => t.clone(),
                _ => vec![],
            };
            for successor in successors {
                match at.get_mut(&successor) {
                    None => {
                        at.insert(successor, out);
                        work.push(successor);
                    }
                    Some(old) => {
                        let met: Consts = std::array::from_fn(|i| if old[i] == out[i] { old[i] } else { None });
                        if met != *old {
                            *old = met;
                            work.push(successor);
                        }
                    }
                }
            }
        }
        at
    }

    /// Runs a block over symbolic values.
    fn evaluate(&self, block: &Block, values: &mut [Value; 31]) {
        let mut pc = block.start;
        while pc < block.end {
            if let Some(inst) = self.image.word(pc).and_then(decode) {
                self.step(&inst, pc, values);
            }
            pc += 4;
        }
    }

    fn step(&self, inst: &Inst, pc: u64, values: &mut [Value; 31]) {
        let get = |values: &[Value; 31], r: u8| values.get(usize::from(r)).copied().unwrap_or(Value::Unknown);
        let (rd, rn) = (inst.rd(), inst.rn());
        let result = match inst.op() {
            Op::Adr | Op::Adrp => inst.target(pc).map_or(Value::Unknown, Value::Const),
            Op::MovWide(crate::a64::op::Wide::Z) => Value::Const(u64::from(inst.f('i')) << (16 * inst.f('h'))),
            Op::MovWide(crate::a64::op::Wide::K) => match get(values, rd) {
                Value::Const(c) => {
                    let shift = 16 * inst.f('h');
                    Value::Const(c & !(0xFFFF << shift) | u64::from(inst.f('i')) << shift)
                }
                _ => Value::Unknown,
            },
            Op::AddSubImm { sub, flags: false } => match get(values, rn) {
                Value::Const(c) => {
                    let imm = u64::from(inst.f('i')) << (12 * inst.f('h'));
                    Value::Const(if sub { c.wrapping_sub(imm) } else { c.wrapping_add(imm) })
                }
                _ => Value::Unknown,
            },
            Op::LogicalImm(crate::a64::op::Logic::And, _) | Op::Bitfield(_) => {
                low_bits(inst).map_or(Value::Unknown, Value::Below)
            }
            // mov rd, rm
            Op::LogicalReg(crate::a64::op::Logic::Orr, false, false) if rn == 31 && inst.f('i') == 0 => {
                get(values, inst.rm())
            }
            Op::AddSubReg { sub: false, flags: false } | Op::AddSubExt { sub: false, flags: false } => {
                let extended = matches!(inst.op(), Op::AddSubExt { .. });
                let shift = inst.f('i');
                let left_shift = extended || inst.f('h') == 0;
                match (get(values, rn), get(values, inst.rm())) {
                    (Value::Const(a), Value::Const(b)) if left_shift => Value::Const(a.wrapping_add(b << shift)),
                    (Value::Const(base), Value::Entry(register)) if left_shift => {
                        Value::Indexed { base, index: Selector::Register(register), shift }
                    }
                    (Value::Const(base), Value::Below(n)) if left_shift => {
                        Value::Indexed { base, index: Selector::Below(n), shift }
                    }
                    (Value::Const(anchor), Value::Element { base, index, shift: s, size, signed }) if left_shift => {
                        let signed = signed || (extended && inst.f('e') >= 4);
                        Value::Target { anchor, base, index, shift: s, size, signed, scale: shift }
                    }
                    (Value::Element { base, index, shift: s, size, signed }, Value::Const(anchor))
                        if left_shift && shift == 0 =>
                    {
                        Value::Target { anchor, base, index, shift: s, size, signed, scale: 0 }
                    }
                    _ => Value::Unknown,
                }
            }
            Op::Single(mode, false) => {
                let (z, opc) = (inst.f('z'), inst.f('o'));
                if opc == 0 {
                    // A store: only writeback changes a register.
                    if matches!(mode, Index::Pre | Index::Post) && rn < 31 {
                        values[usize::from(rn)] = Value::Unknown;
                    }
                    return;
                }
                let size = 1usize << z;
                let signed = opc >= 2;
                let value = match mode {
                    Index::Register => {
                        let shift = if inst.f('s') == 1 { z } else { 0 };
                        match (get(values, rn), get(values, inst.rm())) {
                            (Value::Const(base), Value::Entry(register)) => {
                                Value::Element { base, index: Selector::Register(register), shift, size, signed }
                            }
                            (Value::Const(base), Value::Below(n)) => {
                                Value::Element { base, index: Selector::Below(n), shift, size, signed }
                            }
                            (Value::Const(base), Value::Unknown) => {
                                Value::Element { base, index: Selector::Spilled, shift, size, signed }
                            }
                            _ => Value::Unknown,
                        }
                    }
                    Index::Scaled => match get(values, rn) {
                        Value::Indexed { base, index, shift } if inst.f('i') == 0 => {
                            Value::Element { base, index, shift, size, signed }
                        }
                        Value::Const(_) if size == 8 => Value::Slot,
                        _ => Value::Unknown,
                    },
                    _ => Value::Unknown,
                };
                if matches!(mode, Index::Pre | Index::Post) && rn < 31 {
                    values[usize::from(rn)] = Value::Unknown;
                }
                value
            }
            Op::Bl | Op::Blr | Op::Svc => {
                values[..19].fill(Value::Unknown);
                values[30] = Value::Unknown;
                return;
            }
            Op::LoadLiteral(Literal::Word | Literal::SignedWord) => Value::Unknown,
            _ => {
                for r in written(inst) {
                    if let Some(v) = values.get_mut(usize::from(r)) {
                        *v = Value::Unknown;
                    }
                }
                return;
            }
        };
        if let Some(slot) = values.get_mut(usize::from(rd)) {
            *slot = result;
        }
    }

    /// What the register of the BR at the end of `block` holds.
    fn branch_value(&self, block: &Block, consts: &Consts) -> Option<Value> {
        let register = decode(self.image.word(block.end - 4)?)?.rn();
        let mut values: [Value; 31] = std::array::from_fn(|i| consts[i].map_or(Value::Entry(i as u8), Value::Const));
        self.evaluate(block, &mut values);
        values.get(usize::from(register)).copied()
    }

    /// The targets of the BR at the end of `address`'s block in table order, and the address that anchors relative entries.
    fn jump_table(
        &self,
        start: u64,
        blocks: &BTreeMap<u64, Block>,
        address: u64,
        consts: &Consts,
    ) -> Option<(Vec<u64>, Option<u64>)> {
        let block = &blocks[&address];
        let br = block.end - 4;
        let (anchor, base, index, shift, size, signed, scale) = match self.branch_value(block, consts)? {
            Value::Target { anchor, base, index, shift, size, signed, scale } => {
                (Some(anchor), base, index, shift, size, signed, scale)
            }
            Value::Element { base, index, shift, size: 8, .. } => (None, base, index, shift, 8, false, 0),
            _ => return None,
        };
        let bound = match self.knob {
            Some(Knob::GuessedTables) => None,
            _ => self.bound(blocks, address, index),
        };
        let limit = self.strong.range(br..).next().copied().unwrap_or(self.image.text.end);
        let mut targets = Vec::new();
        for i in 0..bound.unwrap_or(OPEN_TABLE_LIMIT) {
            let raw = self.image.constant(base.wrapping_add(i << shift), size);
            let target = raw.map(|raw| {
                let value = match (signed, size) {
                    (true, 1) => raw as u8 as i8 as i64 as u64,
                    (true, 2) => raw as u16 as i16 as i64 as u64,
                    (true, 4) => raw as u32 as i32 as i64 as u64,
                    _ => raw,
                };
                anchor.unwrap_or(0).wrapping_add(value << scale)
            });
            match target {
                Some(t) if self.image.is_code(t) && (bound.is_some() || (start <= t && t < limit)) => targets.push(t),
                // A bounded table that leaves text was misread.
                _ if bound.is_some() => return None,
                _ => break,
            }
        }
        (!targets.is_empty()).then_some((targets, anchor))
    }

    /// Number of table entries: from the low bits that index the table, or the compare that guards the block.
    fn bound(&self, blocks: &BTreeMap<u64, Block>, address: u64, index: Selector) -> Option<u64> {
        let register = match index {
            Selector::Below(n) => return Some(n),
            Selector::Register(register) => Some(register),
            Selector::Spilled => None,
        };
        let writes = |inst: &Inst| register.is_some_and(|register| written(inst).contains(&register));
        let mut at = address;
        for _ in 0..4 {
            let mut predecessors = blocks.values().filter(|b| match &b.exit {
                End::Fall(n) | End::Jump(n) => *n == at,
                End::Branch(t, n) => *t == at || *n == at,
                End::Switch(t) => t.contains(&at),
                _ => false,
            });
            let block = predecessors.next()?;
            if predecessors.next().is_some() {
                return None;
            }
            let last = decode(self.image.word(block.end - 4)?)?;
            if let (Op::BCond, End::Branch(taken, _)) = (last.op(), &block.exit) {
                // The condition under which control comes here.
                let cond = last.f('c') ^ u32::from(*taken != at);
                let mut pc = block.end - 4;
                while pc > block.start {
                    pc -= 4;
                    let inst = decode(self.image.word(pc)?)?;
                    if let (Op::AddSubImm { sub: true, flags: true }, true) =
                        (inst.op(), register.is_none_or(|register| register == inst.rn()))
                    {
                        let n = u64::from(inst.f('i')) << (12 * inst.f('h'));
                        match cond {
                            9 => return Some(n + 1), // ls
                            3 => return Some(n),     // lo
                            _ => {}
                        }
                        break;
                    }
                    if writes(&inst) {
                        return low_bits(&inst);
                    }
                }
            }
            let mut pc = block.end;
            while pc > block.start {
                pc -= 4;
                let inst = decode(self.image.word(pc)?)?;
                if writes(&inst) {
                    return low_bits(&inst);
                }
            }
            at = block.start;
        }
        None
    }

    /// Adds the starts that a function's code names; true when there was a new one.
    fn collect(&mut self, explored: &Explored) -> bool {
        let before = (self.strong.len(), self.weak.len(), self.anchors.len());
        self.anchors.extend(&explored.anchors);
        for block in explored.blocks.values() {
            let mut pages: Consts = [None; 31];
            let mut pc = block.start;
            while pc < block.end {
                let Some(inst) = self.image.word(pc).and_then(decode) else { break };
                match inst.op() {
                    Op::Bl => {
                        if let Some(t) = inst.target(pc).filter(|t| self.image.is_code(*t)) {
                            self.strong.insert(t);
                        }
                    }
                    Op::Adr => {
                        if let Some(t) = inst.target(pc).filter(|t| self.image.is_code(*t)) {
                            self.weak.insert(t);
                        }
                    }
                    Op::Adrp => {
                        if let Some(slot) = pages.get_mut(usize::from(inst.rd())) {
                            *slot = inst.target(pc);
                        }
                    }
                    Op::AddSubImm { sub: false, flags: false } => {
                        let page = pages.get(usize::from(inst.rn())).copied().flatten();
                        let t = page.map(|p| p + (u64::from(inst.f('i')) << (12 * inst.f('h'))));
                        if let Some(t) = t.filter(|t| self.image.is_code(*t)) {
                            self.weak.insert(t);
                        }
                    }
                    _ => {}
                }
                pc += 4;
            }
        }
        before != (self.strong.len(), self.weak.len(), self.anchors.len())
    }

    /// Code that nothing reached: linear runs that decode up to a terminator become functions.
    fn add_gaps(&mut self, cache: &HashMap<u64, Explored>) -> bool {
        let mut covered: Vec<(u64, u64)> =
            cache.values().flat_map(|e| e.blocks.values().map(|b| (b.start, b.end))).collect();
        covered.sort_unstable();
        let mut found = Vec::new();
        let mut pc = self.image.text.start;
        for (start, end) in covered.into_iter().chain([(self.image.text.end, self.image.text.end)]) {
            if pc < start {
                found.extend(self.gap_start(pc, start));
            }
            pc = pc.max(end);
        }
        let before = self.weak.len();
        self.weak.extend(found);
        before != self.weak.len()
    }

    fn gap_start(&self, from: u64, to: u64) -> Option<u64> {
        let op = |pc| self.image.word(pc).and_then(decode).map(|i| i.op());
        let mut start = from;
        while start < to && matches!(op(start), None | Some(Op::Undefined | Op::Hint | Op::Brk)) {
            start += 4;
        }
        let mut pc = start;
        while pc < to {
            match op(pc)? {
                Op::Undefined => return None,
                Op::B | Op::Br | Op::Ret | Op::Brk => return Some(start),
                _ => pc += 4,
            }
        }
        None
    }

    fn finish(self, cache: HashMap<u64, Explored>) -> Analysis {
        let mut analysis = Analysis::default();
        let starts = self.starts();
        let mut sorted: Vec<(u64, Explored)> = cache.into_iter().filter(|(s, _)| starts.contains(s)).collect();
        sorted.sort_unstable_by_key(|(start, _)| *start);
        // Labels of tables that are also named by pointers belong to the function whose table it is.
        for (start, explored) in &sorted {
            for target in explored.tables.values().flatten() {
                if target != start && self.weak.contains(target) && !self.strong.contains(target) {
                    analysis.owners.entry(*target).or_insert(*start);
                }
            }
        }
        for (start, explored) in sorted {
            if analysis.owners.contains_key(&start) {
                continue;
            }
            let labels =
                analysis.owners.iter().filter(|(_, owner)| **owner == start).map(|(label, _)| *label).collect();
            for block in explored.blocks.values() {
                let mut pc = block.start;
                while pc < block.end {
                    if let Some(word) = self.image.word(pc)
                        && decode(word).is_none()
                    {
                        analysis.unknown.insert(pc, word);
                    }
                    pc += 4;
                }
            }
            analysis.unresolved.extend(explored.unresolved);
            analysis.stubs.extend(explored.stubs);
            analysis.tables.extend(explored.tables);
            analysis.functions.insert(start, Function { start, blocks: explored.blocks, labels });
        }
        analysis
    }
}

fn target(inst: &Option<Inst>, pc: u64) -> u64 {
    inst.and_then(|i| i.target(pc)).unwrap_or(pc)
}

/// What the result of an instruction is less than, when it takes the low bits of its operand, or a field of it, and nothing else.
fn low_bits(inst: &Inst) -> Option<u64> {
    match inst.op() {
        Op::LogicalImm(crate::a64::op::Logic::And, _) if inst.rd() < 31 => {
            let mask = inst.logical_mask()? & if inst.is64() { u64::MAX } else { u64::from(u32::MAX) };
            mask.checked_add(1).filter(|n| n.is_power_of_two())
        }
        Op::Bitfield(crate::a64::op::Field::Unsigned) if inst.f('s') >= inst.f('r') => {
            Some(1 << (inst.f('s') - inst.f('r') + 1).min(63))
        }
        _ => None,
    }
}

/// General registers that an instruction may write (conservative; used by the symbolic evaluation only).
fn written(inst: &Inst) -> Vec<u8> {
    let (rd, rn) = (inst.rd(), inst.rn());
    match inst.op() {
        Op::B
        | Op::BCond
        | Op::Cbz { .. }
        | Op::Tbz { .. }
        | Op::Br
        | Op::Ret
        | Op::Hint
        | Op::Barrier
        | Op::CondCompare { .. } => vec![],
        Op::Bl | Op::Blr | Op::Svc => (0..19).chain([30]).collect(),
        Op::AddSubImm { flags: true, .. } if rd == 31 => vec![],
        Op::Pair(index, vector) => {
            let mut regs = Vec::new();
            if !vector && inst.word >> 22 & 1 == 1 {
                regs.extend([rd, inst.ra()]);
            }
            if matches!(index, Index::Pre | Index::Post) {
                regs.push(rn);
            }
            regs
        }
        Op::Single(index, vector) => {
            let mut regs = Vec::new();
            if !vector && inst.f('o') != 0 {
                regs.push(rd);
            }
            if matches!(index, Index::Pre | Index::Post) {
                regs.push(rn);
            }
            regs
        }
        Op::CompareSwapPair | Op::StoreExclusive { .. } | Op::StoreExclusivePair { .. } | Op::CompareSwap => {
            let s = inst.f('s') as u8;
            vec![s, (s + 1) & 31, rd]
        }
        Op::LoadExclusivePair { .. } => vec![rd, inst.ra()],
        Op::Structure { .. } | Op::StructureLane { .. } | Op::StructureReplicate { .. } => vec![rn],
        _ => vec![rd],
    }
}
