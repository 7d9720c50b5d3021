//! SSA construction while blocks are lifted in reverse post-order: each register, predicate and flag has one current value per
//! block; a join whose predecessors are not all lifted gets a phi that is completed later.

use crate::cfg::Flow;
use crate::ir::{Ir, Op, Value};

/// Registers R0 to R254, predicates P0 to P6, flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variable(u16);

impl Variable {
    pub(crate) const ZERO: Self = Self(262);
    pub(crate) const SIGN: Self = Self(263);
    pub(crate) const CARRY: Self = Self(264);
    pub(crate) const OVERFLOW: Self = Self(265);
    const COUNT: usize = 266;

    pub(crate) fn register(index: u32) -> Self {
        Self(index as u16)
    }

    pub(crate) fn predicate(index: u32) -> Self {
        Self(255 + index as u16)
    }

    fn truth(self) -> bool {
        self.0 >= 255
    }
}

/// Current definitions per block.
pub(crate) struct Ssa {
    current: Vec<Vec<Option<Value>>>,
    filled: Vec<bool>,
    /// Phis of blocks with unfilled predecessors: (variable, phi).
    incomplete: Vec<Vec<(Variable, Value)>>,
    zero: Value,
    no: Value,
}

impl Ssa {
    /// `zero` and `no` are the values of registers and predicates that were not written.
    pub(crate) fn new(blocks: usize, zero: Value, no: Value) -> Self {
        Self {
            current: vec![vec![None; Variable::COUNT]; blocks],
            filled: vec![false; blocks],
            incomplete: vec![Vec::new(); blocks],
            zero,
            no,
        }
    }

    pub(crate) fn write(&mut self, block: usize, variable: Variable, value: Value) {
        self.current[block][usize::from(variable.0)] = Some(value);
    }

    pub(crate) fn read(&mut self, flow: &Flow, ir: &mut Ir, block: usize, variable: Variable) -> Value {
        let slot = usize::from(variable.0);
        // Walk up while there is a single, lifted predecessor.
        let mut path = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(value) = self.current[at][slot] {
                break value;
            }
            path.push(at);
            let predecessors = &flow.blocks[at].predecessors;
            match predecessors.as_slice() {
                [] => break if variable.truth() { self.no } else { self.zero },
                [one] if self.filled[*one] && at != 0 => at = *one,
                _ => {
                    let phi = ir.push(at, Op::Phi { truth: variable.truth() }, &[], 0);
                    // Phis stand first in their block.
                    ir.blocks[at].pop();
                    ir.blocks[at].insert(0, phi);
                    self.current[at][slot] = Some(phi);
                    let complete = at != 0 && predecessors.iter().all(|p| self.filled[*p]);
                    if complete {
                        self.complete(flow, ir, at, variable, phi);
                    } else {
                        self.incomplete[at].push((variable, phi));
                    }
                    break phi;
                }
            }
        };
        for block in path {
            self.current[block][slot] = Some(value);
        }
        value
    }

    fn complete(&mut self, flow: &Flow, ir: &mut Ir, block: usize, variable: Variable, phi: Value) {
        let predecessors = flow.blocks[block].predecessors.clone();
        let mut args: Vec<Value> = predecessors.iter().map(|p| self.read(flow, ir, *p, variable)).collect();
        if block == 0 {
            // The entry has one more way in, on which nothing is written yet.
            args.push(if variable.truth() { self.no } else { self.zero });
        }
        ir.insts[phi as usize].args = args.into();
    }

    /// Says that a block has been lifted, and completes what waited for it.
    pub(crate) fn filled(&mut self, flow: &Flow, ir: &mut Ir, block: usize) {
        self.filled[block] = true;
        for next in flow.blocks[block].terminator.successors() {
            if flow.blocks[next].predecessors.iter().all(|p| self.filled[*p]) {
                self.finish(flow, ir, next);
            }
        }
    }

    fn finish(&mut self, flow: &Flow, ir: &mut Ir, block: usize) {
        while let Some((variable, phi)) = self.incomplete[block].pop() {
            self.complete(flow, ir, block, variable, phi);
        }
    }
}
