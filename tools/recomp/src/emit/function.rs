//! One function to one C function.
//!
//! Guest registers are C locals. They are loaded from the context where they are live (at entries and after calls) and stored back where
//! they may have changed (before calls and at exits); both sets come from a data-flow pass over the function's blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::Program;
use super::inst::{Compare, Flags, Statements};
use crate::a64::{Inst, Op, decode};
use crate::analysis::{End, Function};
use crate::image::Image;

/// A piece of a block's code, in order.
enum Piece {
    /// Plain statements.
    Text { text: String, read: u64, write: u64 },
    /// Store changed registers, run `text`, load live registers again.
    Call { text: String },
    /// Store changed registers and run `text`, which leaves the function or, under a condition, may come back without changing registers.
    /// Under a condition, control goes on otherwise.
    Exit { text: String, condition: Option<String> },
    /// A loop edge: poll, then go to `target`, under a condition or always.
    Back { target: u64, condition: Option<String> },
}

/// The C of one function, and the lifted functions it names.
pub(super) struct Emitted {
    pub(super) text: String,
    pub(super) references: BTreeSet<u64>,
}

struct Emitter<'a> {
    program: &'a Program<'a>,
    image: &'a Image,
    function: &'a Function,
    references: BTreeSet<u64>,
}

/// What the flags hold when each block begins, and the blocks that must store NZCV at their end.
struct FlagPlan {
    entry: HashMap<u64, Flags>,
    store_at_end: BTreeSet<u64>,
}

pub(super) fn successors(exit: &End) -> Vec<u64> {
    match exit {
        End::Fall(n) | End::Jump(n) => vec![*n],
        End::Branch(t, n) => vec![*t, *n],
        End::Switch(t) => t.clone(),
        _ => vec![],
    }
}

/// How an instruction changes the flags, without writing code. `None` = it leaves them.
fn flags_after(inst: &Inst) -> Option<Flags> {
    let wide = inst.is64();
    match inst.op() {
        Op::AddSubImm { sub, flags: true }
        | Op::AddSubReg { sub, flags: true }
        | Op::AddSubExt { sub, flags: true } => Some(if sub { Flags::Sub { wide } } else { Flags::Add { wide } }),
        Op::LogicalImm(_, true) | Op::LogicalReg(_, _, true) => Some(Flags::Logic { wide }),
        Op::AddCarry { flags: true, .. } => Some(Flags::Stored),
        Op::CondCompare { sub } => {
            let compare = if sub { Compare::Sub { wide } } else { Compare::Add { wide } };
            Some(Flags::Select { compare, nzcv: inst.f('v') })
        }
        Op::FpCondCompare => {
            let compare = Compare::Float { double: inst.f('y') == 1 };
            Some(Flags::Select { compare, nzcv: inst.f('v') })
        }
        Op::Msr if inst.f('i') == 0x5A10 => Some(Flags::Stored),
        Op::FpCompare { .. } => Some(Flags::Float { double: inst.f('y') == 1 }),
        _ => None,
    }
}

fn reads_flags(inst: &Inst) -> bool {
    match inst.op() {
        Op::BCond
        | Op::CondSelect(_)
        | Op::CondCompare { .. }
        | Op::FpCondCompare
        | Op::FpSelect
        | Op::AddCarry { .. } => true,
        Op::Mrs => inst.f('i') == 0x5A10,
        _ => false,
    }
}

/// Blocks at whose start the flags of before are still wanted.
pub(super) fn flags_live(image: &Image, function: &Function) -> BTreeSet<u64> {
    let mut live = BTreeSet::new();
    let mut open = BTreeSet::new();
    for block in function.blocks.values() {
        let mut verdict = None;
        for pc in (block.start..block.end).step_by(4) {
            let Some(inst) = image.word(pc).and_then(decode) else { continue };
            if reads_flags(&inst) {
                verdict = Some(true);
                break;
            }
            if flags_after(&inst).is_some() {
                verdict = Some(false);
                break;
            }
        }
        match verdict {
            Some(true) => {
                live.insert(block.start);
            }
            Some(false) => {}
            None => {
                open.insert(block.start);
            }
        }
    }
    loop {
        let more: Vec<u64> = open
            .iter()
            .copied()
            .filter(|b| !live.contains(b) && successors(&function.blocks[b].exit).iter().any(|s| live.contains(s)))
            .collect();
        if more.is_empty() {
            return live;
        }
        live.extend(more);
    }
}

fn plan_flags(image: &Image, function: &Function, live: &BTreeSet<u64>) -> FlagPlan {
    let exit_flags = |start: u64, entry: Flags| {
        let block = &function.blocks[&start];
        (block.start..block.end)
            .step_by(4)
            .filter_map(|pc| image.word(pc).and_then(decode).as_ref().and_then(flags_after))
            .last()
            .unwrap_or(entry)
    };
    let mut entry: HashMap<u64, Flags> = HashMap::new();
    let mut work: Vec<u64> = vec![function.start];
    entry.insert(function.start, Flags::Stored);
    for label in &function.labels {
        entry.insert(*label, Flags::Stored);
        work.push(*label);
    }
    while let Some(start) = work.pop() {
        if !function.blocks.contains_key(&start) {
            continue;
        }
        let out = exit_flags(start, entry[&start]);
        for successor in successors(&function.blocks[&start].exit) {
            match entry.get(&successor) {
                None => {
                    entry.insert(successor, out);
                    work.push(successor);
                }
                Some(old) if *old != out && *old != Flags::Stored => {
                    entry.insert(successor, Flags::Stored);
                    work.push(successor);
                }
                _ => {}
            }
        }
    }
    let mut store_at_end = BTreeSet::new();
    for block in function.blocks.values() {
        let Some(&at_entry) = entry.get(&block.start) else { continue };
        let out = exit_flags(block.start, at_entry);
        let wanted = |s: &u64| live.contains(s) && entry.get(s) == Some(&Flags::Stored);
        if out != Flags::Stored && successors(&block.exit).iter().any(wanted) {
            store_at_end.insert(block.start);
        }
    }
    FlagPlan { entry, store_at_end }
}

fn register_name(bit: u32) -> (String, String) {
    match bit {
        0..=30 => (format!("x{bit}"), format!("ctx->x[{bit}]")),
        31 => ("sp".into(), "ctx->sp".into()),
        _ => (format!("v{}", bit - 32), format!("ctx->v[{}]", bit - 32)),
    }
}

fn bits_of(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| set >> bit & 1 == 1)
}

fn spill(set: u64) -> String {
    bits_of(set).map(register_name).fold(String::new(), |mut out, (local, place)| {
        let _ = write!(out, "{place} = {local}; ");
        out
    })
}

fn reload(set: u64) -> String {
    bits_of(set).map(register_name).fold(String::new(), |mut out, (local, place)| {
        let _ = write!(out, "{local} = {place}; ");
        out
    })
}

/// Writes one function.
pub(super) fn emit(program: &Program<'_>, image: &Image, function: &Function) -> Emitted {
    let mut emitter = Emitter { program, image, function, references: BTreeSet::new() };
    let text = emitter.run();
    Emitted { text, references: emitter.references }
}

impl Emitter<'_> {
    fn run(&mut self) -> String {
        let function = self.function;
        let live_flags = flags_live(self.image, function);
        let plan = plan_flags(self.image, function, &live_flags);
        let mut pieces: BTreeMap<u64, Vec<Piece>> = BTreeMap::new();
        for start in function.blocks.keys() {
            let flags = plan.entry.get(start).copied().unwrap_or(Flags::Stored);
            pieces.insert(*start, self.block(*start, flags, plan.store_at_end.contains(start)));
        }
        // Registers that may differ from the context, forward.
        let mut dirty_in: HashMap<u64, u64> = function.blocks.keys().map(|b| (*b, 0)).collect();
        let mut work: Vec<u64> = function.blocks.keys().copied().collect();
        while let Some(start) = work.pop() {
            let mut dirty = dirty_in[&start];
            for piece in &pieces[&start] {
                match piece {
                    Piece::Text { write, .. } => dirty |= write,
                    Piece::Call { .. } => dirty = 0,
                    _ => {}
                }
            }
            for successor in successors(&function.blocks[&start].exit) {
                if let Some(old) = dirty_in.get_mut(&successor)
                    && *old | dirty != *old
                {
                    *old |= dirty;
                    work.push(successor);
                }
            }
        }
        // Registers whose local is read before it is written, backward. A store to the context reads what may have changed.
        let mut live_in: HashMap<u64, u64> = function.blocks.keys().map(|b| (*b, 0)).collect();
        let mut after_calls: HashMap<(u64, usize), u64> = HashMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (start, block) in function.blocks.iter().rev() {
                let out = successors(&block.exit).iter().filter_map(|s| live_in.get(s)).fold(0, |a, b| a | b);
                let mut dirty_before = Vec::new();
                let mut dirty = dirty_in[start];
                for piece in &pieces[start] {
                    dirty_before.push(dirty);
                    match piece {
                        Piece::Text { write, .. } => dirty |= write,
                        Piece::Call { .. } => dirty = 0,
                        _ => {}
                    }
                }
                let mut live = out;
                for (number, piece) in pieces[start].iter().enumerate().rev() {
                    match piece {
                        Piece::Text { read, write, .. } => live = live & !write | read,
                        Piece::Call { .. } => {
                            after_calls.insert((*start, number), live);
                            live = dirty_before[number];
                        }
                        Piece::Exit { condition: None, .. } => live = dirty_before[number],
                        Piece::Exit { .. } | Piece::Back { .. } => live |= dirty_before[number],
                    }
                }
                if live_in[start] != live {
                    live_in.insert(*start, live);
                    changed = true;
                }
            }
        }
        self.write(&pieces, &dirty_in, &live_in, &after_calls, &live_flags)
    }

    fn write(
        &self,
        pieces: &BTreeMap<u64, Vec<Piece>>,
        dirty_in: &HashMap<u64, u64>,
        live_in: &HashMap<u64, u64>,
        after_calls: &HashMap<(u64, usize), u64>,
        live_flags: &BTreeSet<u64>,
    ) -> String {
        let function = self.function;
        let start = function.start;
        let mut named = 0;
        for list in pieces.values() {
            for piece in list {
                if let Piece::Text { read, write, .. } = piece {
                    named |= read | write;
                }
            }
        }
        let mut out = String::new();
        let name = self.image.functions.get(&start).map_or("", String::as_str);
        let _ = writeln!(out, "/* {start:#x} {} */", name.replace("*/", ""));
        let multi = !function.labels.is_empty();
        if multi {
            let _ = writeln!(out, "static void fg_m_{start:x}(C *ctx);");
            for entry in function.labels.iter().chain([&start]) {
                let _ = writeln!(
                    out,
                    "FG_HIDDEN void fg_f_{entry:x}(C *ctx) {{ ctx->pc = {entry:#x}ull; FG_TAIL return fg_m_{start:x}(ctx); }}"
                );
            }
            let _ = writeln!(out, "static void fg_m_{start:x}(C *ctx) {{");
        } else {
            let _ = writeln!(out, "FG_HIDDEN void fg_f_{start:x}(C *ctx) {{");
        }
        for (prefix, type_name) in [(0u32, "u64"), (32, "v128")] {
            let locals: Vec<String> =
                bits_of(named).filter(|b| (b >= &32) == (prefix == 32)).map(|b| register_name(b).0).collect();
            if !locals.is_empty() {
                let _ = writeln!(out, "    {type_name} {};", locals.join(", "));
            }
        }
        out.push_str("    u64 fa = 0, fb = 0; u32 nzcv = 0, fc = 0; f32 fsa = 0, fsb = 0; f64 fda = 0, fdb = 0;\n");
        out.push_str("    (void)fa; (void)fb; (void)nzcv; (void)fc; (void)fsa; (void)fsb; (void)fda; (void)fdb;\n");
        let enter = |label: u64| {
            let flags = if live_flags.contains(&label) { "nzcv = ctx->nzcv; " } else { "" };
            format!("{flags}{}goto L_{label:x};", reload(live_in.get(&label).copied().unwrap_or(0)))
        };
        if multi {
            out.push_str("    switch (ctx->pc) {\n");
            for label in &function.labels {
                let _ = writeln!(out, "    case {label:#x}ull: {}", enter(*label));
            }
            let _ = writeln!(out, "    default: {}\n    }}", enter(start));
        } else {
            let _ = writeln!(out, "    {}", enter(start));
        }
        for (block_start, list) in pieces {
            let _ = writeln!(out, "L_{block_start:x}: ;");
            let mut dirty = dirty_in[block_start];
            for (number, piece) in list.iter().enumerate() {
                match piece {
                    Piece::Text { text, write, .. } => {
                        let _ = writeln!(out, "    {text}");
                        dirty |= write;
                    }
                    Piece::Call { text } => {
                        let again = after_calls.get(&(*block_start, number)).copied().unwrap_or(0);
                        let _ = writeln!(out, "    {}{text} {}", spill(dirty), reload(again));
                        dirty = 0;
                    }
                    Piece::Exit { text, condition } => {
                        let _ = match condition {
                            Some(c) => writeln!(out, "    if ({c}) {{ {}{text} }}", spill(dirty)),
                            None => writeln!(out, "    {}{text}", spill(dirty)),
                        };
                    }
                    Piece::Back { target, condition } => {
                        let go =
                            format!("if (fg_poll(ctx)) {{ {}fg_host_yield(ctx); }} goto L_{target:x};", spill(dirty));
                        let _ = match condition {
                            Some(c) => writeln!(out, "    if ({c}) {{ {go} }}"),
                            None => writeln!(out, "    {go}"),
                        };
                    }
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// Leaves the function for a guest address that is not one of its blocks.
    fn leave(&mut self, target: u64, flags: Flags) -> String {
        let mut text = String::new();
        if self.program.flags_wanted(target) {
            let _ = write!(text, "ctx->nzcv = {}; ", flags.stored());
        }
        if self.program.is_lifted(target) {
            self.references.insert(target);
            let _ = write!(text, "FG_TAIL return fg_f_{target:x}(ctx);");
        } else {
            let _ = write!(text, "ctx->pc = {target:#x}ull; FG_TAIL return fg_call_host(ctx);");
        }
        text
    }

    /// Goes to `target`: within the function or out of it, under a condition or always.
    fn edge(&mut self, pieces: &mut Vec<Piece>, pc: u64, target: u64, condition: Option<String>, flags: Flags) {
        if !self.function.blocks.contains_key(&target) {
            let text = self.leave(target, flags);
            pieces.push(Piece::Exit { text, condition });
        } else if target <= pc {
            pieces.push(Piece::Back { target, condition });
        } else {
            let text = match condition {
                Some(c) => format!("if ({c}) goto L_{target:x};"),
                None => format!("goto L_{target:x};"),
            };
            pieces.push(Piece::Text { text, read: 0, write: 0 });
        }
    }

    #[allow(clippy::too_many_lines)]
    fn block(&mut self, start: u64, flags: Flags, store_flags: bool) -> Vec<Piece> {
        let block = &self.function.blocks[&start];
        let mut pieces = Vec::new();
        let mut flags = flags;
        let last = block.end - 4;
        for pc in (start..block.end).step_by(4) {
            let terminator = pc == last && !matches!(block.exit, End::Fall(_));
            if terminator {
                break;
            }
            let word = self.image.word(pc).unwrap_or(0);
            let Some(inst) = decode(word) else { continue };
            match inst.op() {
                Op::Bl => {
                    let target = inst.target(pc).unwrap_or(0);
                    pieces.push(Piece::Text { text: format!("x30 = {:#x}ull;", pc + 4), read: 0, write: 1 << 30 });
                    let text = if self.program.is_lifted(target) {
                        self.references.insert(target);
                        format!("fg_f_{target:x}(ctx);")
                    } else {
                        format!("ctx->pc = {target:#x}ull; fg_call_host(ctx);")
                    };
                    pieces.push(Piece::Call { text });
                }
                Op::Blr => {
                    let mut s = Statements::new(flags, pc);
                    let target = s.x(inst.rn());
                    let text = format!("ctx->pc = {target}; x30 = {:#x}ull;", pc + 4);
                    pieces.push(Piece::Text { text, read: s.read, write: 1 << 30 });
                    let text = "if (fg_poll(ctx)) fg_yield_call(ctx); fg_lookup(ctx->pc)(ctx);".to_owned();
                    pieces.push(Piece::Call { text });
                }
                Op::Svc => {
                    let text = format!("ctx->pc = {pc:#x}ull; fg_host_svc(ctx, {:#x});", inst.f('i'));
                    pieces.push(Piece::Call { text });
                }
                _ => {
                    let mut s = Statements::new(flags, pc);
                    if s.translate(&inst) {
                        flags = s.flags;
                        if !s.text.is_empty() {
                            pieces.push(Piece::Text { text: s.text, read: s.read, write: s.write });
                        }
                    } else {
                        let text = trap(pc, word, &format!("{} has no translation", inst.name()));
                        pieces.push(Piece::Exit { text, condition: None });
                        return pieces;
                    }
                }
            }
        }
        let word = self.image.word(last).unwrap_or(0);
        let inst = decode(word);
        if store_flags && flags != Flags::Stored {
            pieces.push(Piece::Text { text: format!("nzcv = {};", flags.stored()), read: 0, write: 0 });
        }
        match &block.exit {
            End::Fall(next) => {
                let next = *next;
                self.edge(&mut pieces, last, next, None, flags);
            }
            End::Jump(target) => {
                let target = *target;
                self.edge(&mut pieces, last, target, None, flags);
            }
            End::Branch(taken, next) => {
                let (taken, next) = (*taken, *next);
                let mut s = Statements::new(flags, last);
                let condition = inst.map_or_else(|| "0".to_owned(), |inst| branch_condition(&inst, &mut s, flags));
                pieces.push(Piece::Text { text: String::new(), read: s.read, write: 0 });
                self.edge(&mut pieces, last, taken, Some(condition), flags);
                self.edge(&mut pieces, last, next, None, flags);
            }
            End::Switch(targets) => {
                let mut s = Statements::new(flags, last);
                let register = s.x(inst.map_or(31, |i| i.rn()));
                if targets.iter().any(|t| *t <= last) {
                    pieces.push(Piece::Exit {
                        text: "fg_host_yield(ctx);".into(),
                        condition: Some("fg_poll(ctx)".into()),
                    });
                }
                let mut text = String::new();
                let _ = write!(text, "switch ({register}) {{ ");
                for target in targets {
                    if self.function.blocks.contains_key(target) {
                        let _ = write!(text, "case {target:#x}ull: goto L_{target:x}; ");
                    }
                }
                text.push('}');
                pieces.push(Piece::Text { text, read: s.read, write: 0 });
                // A value that the table does not hold goes through the dispatch table.
                let text = format!("ctx->pc = {register}; FG_TAIL return fg_lookup(ctx->pc)(ctx);");
                pieces.push(Piece::Exit { text, condition: None });
            }
            End::Return if inst.is_some_and(|i| i.rn() == 30) => {
                pieces.push(Piece::Exit { text: "return;".into(), condition: None });
            }
            End::Indirect | End::Return => {
                let mut s = Statements::new(flags, last);
                let register = s.x(inst.map_or(31, |i| i.rn()));
                pieces.push(Piece::Text { text: format!("ctx->pc = {register};"), read: s.read, write: 0 });
                let text = "if (fg_poll(ctx)) fg_yield_call(ctx); FG_TAIL return fg_lookup(ctx->pc)(ctx);".to_owned();
                pieces.push(Piece::Exit { text, condition: None });
            }
            End::Stop => {
                let what = match inst.map(|i| i.op()) {
                    Some(Op::Brk) => format!("brk {:#x}", word >> 5 & 0xFFFF),
                    Some(_) => inst.map_or("", |i| i.name()).to_owned(),
                    None => format!("unknown instruction {word:08x}"),
                };
                pieces.push(Piece::Exit { text: trap(last, word, &what), condition: None });
            }
        }
        pieces
    }
}

fn trap(pc: u64, word: u32, what: &str) -> String {
    format!("ctx->pc = {pc:#x}ull; fg_host_trap(ctx, {pc:#x}ull, {word:#x}u, \"{what}\");")
}

fn branch_condition(inst: &Inst, s: &mut Statements, flags: Flags) -> String {
    match inst.op() {
        Op::BCond => flags.condition(inst.f('c')),
        Op::Cbz { nonzero } => {
            let x = s.x(inst.rd());
            let x = if inst.is64() { x } else { format!("(u32){x}") };
            format!("{x} {} 0", if nonzero { "!=" } else { "==" })
        }
        Op::Tbz { nonzero } => {
            let bit = inst.f('h') << 5 | inst.f('b');
            let x = s.x(inst.rd());
            format!("({x} >> {bit} & 1) {} 0", if nonzero { "!=" } else { "==" })
        }
        _ => "0".into(),
    }
}
