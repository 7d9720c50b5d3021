//! Structured control flow from the graph: dominators, natural loops, then a tree of sequences, conditionals, loops and labelled
//! blocks. A graph that is not reducible becomes one loop around a dispatch on a block number.

use crate::cfg::{BlockId, Flow, Terminator};

/// A statement of the structured program.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// The instructions of a block.
    Block(BlockId),
    /// Two-way branch on the condition of a block.
    If { block: BlockId, then: Vec<Statement>, other: Vec<Statement> },
    /// A loop; its body ends each path with `Continue`, or falls out of the loop.
    Loop { head: BlockId, body: Vec<Statement> },
    /// Statements with a label at their end.
    Labelled { label: BlockId, body: Vec<Statement> },
    /// Jump to the end of the labelled statement.
    Break(BlockId),
    /// Jump to the start of the loop.
    Continue(BlockId),
    /// End of the thread.
    End,
    /// Dispatch loop over all blocks (irreducible graphs).
    Dispatch,
}

/// Nesting beyond this goes to the dispatcher, so that recursion stays shallow.
const MAX_DEPTH: usize = 200;

struct Shape<'a> {
    flow: &'a Flow,
    idom: Vec<BlockId>,
    /// Loop headers a block lies in, outermost first.
    loops: Vec<Vec<BlockId>>,
    is_header: Vec<bool>,
    /// Blocks placed behind a block (or behind the loop it heads), in order: (block, behind the loop).
    follows: Vec<Vec<(BlockId, bool)>>,
    /// The block is reached by a jump to its label.
    labelled: Vec<bool>,
}

/// Builds the statement tree.
pub(crate) fn structure(flow: &Flow) -> Vec<Statement> {
    match Shape::new(flow) {
        Some(shape) => shape.tree(0, 0).unwrap_or_else(|| vec![Statement::Dispatch]),
        None => vec![Statement::Dispatch],
    }
}

fn dominators(flow: &Flow) -> Vec<BlockId> {
    let count = flow.blocks.len();
    let mut idom = vec![usize::MAX; count];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..count {
            let mut new = usize::MAX;
            for p in &flow.blocks[block].predecessors {
                if idom[*p] == usize::MAX {
                    continue;
                }
                if new == usize::MAX {
                    new = *p;
                    continue;
                }
                let (mut a, mut b) = (new, *p);
                while a != b {
                    while a > b {
                        a = idom[a];
                    }
                    while b > a {
                        b = idom[b];
                    }
                }
                new = a;
            }
            if idom[block] != new {
                idom[block] = new;
                changed = true;
            }
        }
    }
    idom
}

impl<'a> Shape<'a> {
    fn new(flow: &'a Flow) -> Option<Self> {
        let count = flow.blocks.len();
        let idom = dominators(flow);
        let dominates = |a: BlockId, mut b: BlockId| {
            while b > a {
                b = idom[b];
            }
            a == b
        };
        let mut is_header = vec![false; count];
        let mut members: Vec<(BlockId, Vec<bool>)> = Vec::new();
        for block in 0..count {
            let latches: Vec<BlockId> =
                flow.blocks[block].predecessors.iter().copied().filter(|p| *p >= block).collect();
            if latches.is_empty() {
                continue;
            }
            if latches.iter().any(|l| !dominates(block, *l)) {
                return None;
            }
            is_header[block] = true;
            let mut inside = vec![false; count];
            inside[block] = true;
            let mut work = latches;
            while let Some(b) = work.pop() {
                if !std::mem::replace(&mut inside[b], true) {
                    work.extend(&flow.blocks[b].predecessors);
                }
            }
            members.push((block, inside));
        }
        // Headers are visited in order, so an outer loop comes before the loops it contains.
        let loops: Vec<Vec<BlockId>> =
            (0..count).map(|b| members.iter().filter(|(_, inside)| inside[b]).map(|(h, _)| *h).collect()).collect();
        let mut follows = vec![Vec::new(); count];
        let mut labelled = vec![false; count];
        for block in 1..count {
            let parent = idom[block];
            let exited = loops[parent].iter().find(|h| !loops[block].contains(h));
            let forward = flow.blocks[block].predecessors.iter().filter(|p| **p < block).count();
            match exited {
                Some(header) => {
                    follows[*header].push((block, true));
                    labelled[block] = true;
                }
                None if forward > 1 => {
                    follows[parent].push((block, false));
                    labelled[block] = true;
                }
                None => {}
            }
        }
        Some(Self { flow, idom, loops, is_header, follows, labelled })
    }

    /// The subtree that starts at a block. `None` when it nests too deep.
    fn tree(&self, start: BlockId, depth: usize) -> Option<Vec<Statement>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut out = Vec::new();
        let mut block = start;
        loop {
            let mut body = vec![Statement::Block(block)];
            match self.flow.blocks[block].terminator {
                Terminator::Exit => body.push(Statement::End),
                Terminator::Jump(t) => body.extend(self.edge(block, t, depth)?),
                Terminator::Branch { then, other, .. } => {
                    let then = self.edge(block, then, depth)?;
                    let other = self.edge(block, other, depth)?;
                    body.push(Statement::If { block, then, other });
                }
            }
            let (behind, inner): (Vec<_>, Vec<_>) = self.follows[block].iter().partition(|(_, behind)| *behind);
            let mut rest: Vec<BlockId> = Vec::new();
            if self.is_header[block] {
                for (label, _) in inner {
                    body = vec![Statement::Labelled { label, body }];
                    body.extend(self.tree(label, depth + 1)?);
                }
                body = vec![Statement::Loop { head: block, body }];
                rest.extend(behind.iter().map(|(b, _)| *b));
            } else {
                rest.extend(inner.iter().map(|(b, _)| *b));
            }
            let last = rest.pop();
            for label in rest {
                body = vec![Statement::Labelled { label, body }];
                body.extend(self.tree(label, depth + 1)?);
            }
            match last {
                None => {
                    out.extend(body);
                    return Some(out);
                }
                Some(label) => {
                    out.push(Statement::Labelled { label, body });
                    block = label;
                }
            }
        }
    }

    fn edge(&self, from: BlockId, to: BlockId, depth: usize) -> Option<Vec<Statement>> {
        if to <= from && self.is_header[to] && self.loops[from].contains(&to) {
            Some(vec![Statement::Continue(to)])
        } else if self.labelled[to] {
            Some(vec![Statement::Break(to)])
        } else {
            debug_assert_eq!(self.idom[to], from);
            self.tree(to, depth + 1)
        }
    }
}
