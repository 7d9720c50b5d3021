//! Structured statements to SPIR-V constructs. Only selections and loops are used: a jump out of a labelled statement that is
//! not simply the end of it sets a flag, and what follows is skipped while the flag is set.

use super::Emitter;
use crate::ShaderError;
use crate::cfg::{BlockId, Terminator};
use crate::ir::Op;
use crate::structure::Statement;
use rspirv::dr::Operand;
use rspirv::spirv::{self, Word};
use std::collections::{BTreeSet, HashMap};

/// A jump that goes through a flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Jump {
    Break(BlockId),
    Continue(BlockId),
}

enum Scope {
    Label(BlockId),
    Loop,
}

struct LoopScope {
    head: BlockId,
    merge: Word,
    next: Word,
    /// Labels that the end of the loop statement is also the end of.
    tail: Vec<BlockId>,
    escaped: BTreeSet<Jump>,
    merge_used: bool,
}

/// State of the walk over the statements.
#[derive(Default)]
pub(super) struct Control {
    scopes: Vec<Scope>,
    loops: Vec<LoopScope>,
    flags: HashMap<Jump, Word>,
}

type Pending = BTreeSet<Jump>;

impl Emitter<'_> {
    /// Emits the whole program; true when the last block is still open.
    pub(super) fn program_tree(&mut self, tree: &[Statement]) -> Result<bool, ShaderError> {
        self.sequence(tree, &[])?;
        Ok(self.open)
    }

    fn flag(&mut self, jump: Jump) -> Word {
        if let Some(id) = self.control.flags.get(&jump) {
            return *id;
        }
        let ty = self.t_bool();
        let id = self.local(ty);
        self.control.flags.insert(jump, id);
        id
    }

    fn set_flag(&mut self, jump: Jump, value: bool) {
        let flag = self.flag(jump);
        let value = self.truth_constant(value);
        self.store(flag, value);
    }

    fn read_flag(&mut self, jump: Jump) -> Word {
        let flag = self.flag(jump);
        let ty = self.t_bool();
        self.load(ty, flag)
    }

    fn sequence(&mut self, statements: &[Statement], tail: &[BlockId]) -> Result<Pending, ShaderError> {
        for (k, statement) in statements.iter().enumerate() {
            let rest = &statements[k + 1..];
            let mut pending = self.statement(statement, if rest.is_empty() { tail } else { &[] })?;
            if !self.open || rest.is_empty() {
                return Ok(pending);
            }
            if !pending.is_empty() {
                let ty = self.t_bool();
                let mut any = None;
                for jump in &pending {
                    let set = self.read_flag(*jump);
                    any = Some(match any {
                        None => set,
                        Some(other) => self.ids(spirv::Op::LogicalOr, ty, &[other, set]),
                    });
                }
                let Some(any) = any else { return Ok(pending) };
                let (body, merge) = (self.b.id(), self.b.id());
                self.select_merge(merge);
                self.branch_on(any, merge, body);
                self.label(body);
                pending.extend(self.sequence(rest, tail)?);
                if self.open {
                    self.branch(merge);
                }
                self.label(merge);
                return Ok(pending);
            }
        }
        Ok(Pending::new())
    }

    fn statement(&mut self, statement: &Statement, tail: &[BlockId]) -> Result<Pending, ShaderError> {
        match statement {
            Statement::Block(block) => {
                self.block(*block)?;
                Ok(Pending::new())
            }
            Statement::If { block, then, other } => {
                let condition = match self.ir.conditions[*block] {
                    Some(value) => self.truth(value),
                    None => self.truth_constant(true),
                };
                let merge = self.b.id();
                let (a, b) = (self.b.id(), self.b.id());
                // An arm that only jumps to the end of the statement is empty.
                let empty = |arm: &[Statement]| match arm {
                    [] => true,
                    [Statement::Break(label)] => tail.contains(label),
                    _ => false,
                };
                let (no_then, no_other) = (empty(then), empty(other));
                self.select_merge(merge);
                self.branch_on(condition, if no_then { merge } else { a }, if no_other { merge } else { b });
                let mut pending = Pending::new();
                let mut reached = no_then || no_other;
                for (arm, label, skip) in [(then, a, no_then), (other, b, no_other)] {
                    if skip {
                        continue;
                    }
                    self.label(label);
                    pending.extend(self.sequence(arm, tail)?);
                    if self.open {
                        self.branch(merge);
                        reached = true;
                    }
                }
                self.label(merge);
                if !reached {
                    self.terminate(spirv::Op::Unreachable, vec![]);
                }
                Ok(pending)
            }
            Statement::Labelled { label, body } => {
                let mut tails = tail.to_vec();
                tails.push(*label);
                self.control.scopes.push(Scope::Label(*label));
                let mut pending = self.sequence(body, &tails)?;
                self.control.scopes.pop();
                if pending.remove(&Jump::Break(*label)) && self.open {
                    self.set_flag(Jump::Break(*label), false);
                }
                Ok(pending)
            }
            Statement::Loop { head, body } => {
                let (header, next, merge) = self.open_loop();
                self.control.scopes.push(Scope::Loop);
                self.control.loops.push(LoopScope {
                    head: *head,
                    merge,
                    next,
                    tail: tail.to_vec(),
                    escaped: Pending::new(),
                    merge_used: false,
                });
                let mut pending = self.sequence(body, tail)?;
                self.control.scopes.pop();
                let scope = self.control.loops.pop();
                let mut reached = false;
                if self.open {
                    self.branch(merge);
                    reached = true;
                }
                if let Some(scope) = scope {
                    reached |= scope.merge_used;
                    pending.extend(scope.escaped);
                }
                self.label(next);
                self.branch(header);
                self.label(merge);
                if !reached {
                    self.terminate(spirv::Op::Unreachable, vec![]);
                    return Ok(pending);
                }
                if let Some((head, next)) = self.control.loops.last().map(|l| (l.head, l.next))
                    && pending.remove(&Jump::Continue(head))
                {
                    let set = self.read_flag(Jump::Continue(head));
                    let (again, after) = (self.b.id(), self.b.id());
                    self.select_merge(after);
                    self.branch_on(set, again, after);
                    self.label(again);
                    self.set_flag(Jump::Continue(head), false);
                    self.branch(next);
                    self.label(after);
                }
                Ok(pending)
            }
            Statement::Break(label) => Ok(self.leave(*label, tail)),
            Statement::Continue(head) => {
                let Some(scope) = self.control.loops.last_mut() else { return Ok(Pending::new()) };
                if scope.head == *head {
                    let next = scope.next;
                    self.branch(next);
                    return Ok(Pending::new());
                }
                scope.escaped.insert(Jump::Continue(*head));
                scope.merge_used = true;
                let merge = scope.merge;
                self.set_flag(Jump::Continue(*head), true);
                self.branch(merge);
                Ok(Pending::new())
            }
            Statement::End => {
                self.epilogue();
                self.terminate(spirv::Op::Return, vec![]);
                Ok(Pending::new())
            }
            Statement::Dispatch => {
                self.dispatch()?;
                Ok(Pending::new())
            }
        }
    }

    fn leave(&mut self, label: BlockId, tail: &[BlockId]) -> Pending {
        if tail.contains(&label) {
            return Pending::new();
        }
        let inside_loop = self
            .control
            .scopes
            .iter()
            .rev()
            .find_map(|scope| match scope {
                Scope::Label(l) if *l == label => Some(false),
                Scope::Loop => Some(true),
                Scope::Label(_) => None,
            })
            .unwrap_or(false);
        if inside_loop && let Some(scope) = self.control.loops.last_mut() {
            let merge = scope.merge;
            scope.merge_used = true;
            if !scope.tail.contains(&label) {
                scope.escaped.insert(Jump::Break(label));
                self.set_flag(Jump::Break(label), true);
            }
            self.branch(merge);
            return Pending::new();
        }
        self.set_flag(Jump::Break(label), true);
        Pending::from([Jump::Break(label)])
    }

    /// The instructions of a block and the stores to its successors' phis.
    fn block(&mut self, block: BlockId) -> Result<(), ShaderError> {
        self.cache.clear();
        let ir = self.ir;
        for value in &ir.blocks[block] {
            self.instruction(*value)?;
        }
        // All arguments are read before any phi is written.
        let flow = self.flow;
        let mut stores = Vec::new();
        for next in flow.blocks[block].terminator.successors() {
            let Some(position) = flow.blocks[next].predecessors.iter().position(|p| *p == block) else { continue };
            for phi in &ir.blocks[next] {
                let Op::Phi { truth } = ir.insts[*phi as usize].op else { continue };
                let arg = ir.insts[*phi as usize].args[position];
                let value = if truth { self.truth(arg) } else { self.word(arg) };
                stores.push((self.phi_variable(*phi, truth), value));
            }
        }
        stores.sort_unstable();
        stores.dedup();
        for (variable, value) in stores {
            self.store(variable, value);
        }
        if let Some(condition) = ir.conditions[block] {
            // The condition is read now, before the branch.
            let _ = self.truth(condition);
        }
        Ok(())
    }

    /// Begins a loop and its first block; returns its header, where it goes on, and its end.
    fn open_loop(&mut self) -> (Word, Word, Word) {
        let (header, first, next, merge) = (self.b.id(), self.b.id(), self.b.id(), self.b.id());
        self.branch(header);
        self.label(header);
        self.effect(
            spirv::Op::LoopMerge,
            vec![Operand::IdRef(merge), Operand::IdRef(next), Operand::LoopControl(spirv::LoopControl::NONE)],
        );
        self.branch(first);
        self.label(first);
        (header, next, merge)
    }

    /// One loop around all blocks: a block runs when its number is current and names the next one.
    fn dispatch(&mut self) -> Result<(), ShaderError> {
        let u32_type = self.t_u32();
        let bool_type = self.t_bool();
        let current = self.local(u32_type);
        let (header, next, merge) = self.open_loop();
        for block in 0..self.flow.blocks.len() {
            let (body, after) = (self.b.id(), self.b.id());
            let now = self.load(u32_type, current);
            let number = self.word_constant(block as u32);
            let hit = self.ids(spirv::Op::IEqual, bool_type, &[now, number]);
            self.select_merge(after);
            self.branch_on(hit, body, after);
            self.label(body);
            self.block(block)?;
            match self.flow.blocks[block].terminator {
                Terminator::Exit => {
                    self.epilogue();
                    self.terminate(spirv::Op::Return, vec![]);
                }
                Terminator::Jump(to) => {
                    let to = self.word_constant(to as u32);
                    self.store(current, to);
                    self.branch(after);
                }
                Terminator::Branch { then, other, .. } => {
                    let condition = match self.ir.conditions[block] {
                        Some(value) => self.truth(value),
                        None => self.truth_constant(true),
                    };
                    let then = self.word_constant(then as u32);
                    let other = self.word_constant(other as u32);
                    let to = self.ids(spirv::Op::Select, u32_type, &[condition, then, other]);
                    self.store(current, to);
                    self.branch(after);
                }
            }
            self.label(after);
        }
        self.branch(next);
        self.label(next);
        self.branch(header);
        self.label(merge);
        self.terminate(spirv::Op::Unreachable, vec![]);
        Ok(())
    }
}
