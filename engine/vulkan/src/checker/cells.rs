//! What is known of each subresource and each run of bytes: its last write, the reads since, its layout.

use super::masks::{Scopes, stages};
use crate::stream::{Bytes, Range};
use ash::vk;
use smallvec::SmallVec;
use std::collections::HashMap;
use vk::AccessFlags2 as A;
use vk::PipelineStageFlags2 as S;

/// One access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    stages: S,
    access: A,
    write: bool,
    /// An attachment access: the render scope that orders it.
    scope: Option<u32>,
    /// A storage access of a shader: unordered within its render scope, as the shader was written to be.
    storage: bool,
}

impl Access {
    pub(super) fn read(stage: S, access: A) -> Self {
        Self { stages: stages(stage), access, write: false, scope: None, storage: false }
    }

    pub(super) fn write(stage: S, access: A) -> Self {
        Self { write: true, ..Self::read(stage, access) }
    }

    pub(super) fn attachment(self) -> Self {
        Self { scope: Some(0), ..self }
    }

    /// Puts an attachment access into its render scope.
    pub(super) fn in_scope(self, scope: u32) -> Self {
        Self { scope: self.scope.map(|_| scope), ..self }
    }

    pub(super) fn shader(self) -> Self {
        Self { storage: true, ..self }
    }

    pub(super) fn words(&self) -> String {
        format!("{} by {:?} ({:?})", if self.write { "written" } else { "read" }, self.stages, self.access)
    }
}

/// What is wrong with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    ReadNotVisible,
    WriteAfterRead,
    WriteAfterWrite,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Write {
    event: usize,
    submission: u64,
    stages: S,
    access: A,
    /// Attachment write of this render scope.
    scope: Option<u32>,
    /// Storage write inside this render scope.
    storage_scope: Option<u32>,
    available: bool,
    /// The host has waited for it: a later write cannot overtake it. Reads still need it made visible.
    done: bool,
    /// Stages that were made to wait for it.
    chain: S,
    /// Stages and accesses to which it is visible.
    visible: SmallVec<[(S, A); 4]>,
}

impl Write {
    fn is_visible(&self, wanted: S, access: A) -> bool {
        let mut left = wanted;
        for (s, a) in &self.visible {
            if a.contains(access) {
                left &= !*s;
            }
        }
        left.is_empty()
    }

    fn waits(&self, scopes: &Scopes) -> bool {
        (self.stages & !scopes.exec_src).is_empty() || self.chain.intersects(scopes.exec_src)
    }

    fn becomes_available(&self, scopes: &Scopes) -> bool {
        self.available || ((self.stages & !scopes.src.0).is_empty() && scopes.src.1.contains(self.access))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    /// The last of equal reads.
    event: usize,
    /// The first of them: a command that reads and then writes conflicts with equal reads before it, not with its own.
    first: usize,
    submission: u64,
    stages: S,
    scope: Option<u32>,
    storage_scope: Option<u32>,
    chain: S,
}

/// One subresource, or one run of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) layout: vk::ImageLayout,
    write: Option<Write>,
    reads: SmallVec<[Read; 2]>,
}

impl Cell {
    pub(super) fn written_at(&self, event: usize) -> bool {
        self.write.as_ref().is_some_and(|w| w.event == event)
    }

    /// Whether the GPU may still be at an access of a submission behind `completed`.
    pub(super) fn busy_since(&self, completed: u64) -> bool {
        self.write.as_ref().is_some_and(|w| w.submission > completed)
            || self.reads.iter().any(|r| r.submission > completed)
    }

    /// The host has waited: reads are over, writes are available.
    pub(super) fn complete(&mut self, completed: u64) {
        self.reads.retain(|r| r.submission > completed);
        if let Some(write) = self.write.as_mut().filter(|w| w.submission <= completed) {
            write.available = true;
            write.done = true;
        }
    }

    /// Why the host must not read it: the write that is in the way.
    pub(super) fn host_read_fault(&self, completed: u64) -> Option<usize> {
        let write = self.write.as_ref()?;
        (write.submission > completed || !write.is_visible(S::HOST, A::HOST_READ)).then_some(write.event)
    }

    /// A dependency passes over the cell.
    pub(super) fn barrier(&mut self, scopes: &Scopes) {
        if let Some(write) = &mut self.write
            && write.waits(scopes)
        {
            if write.becomes_available(scopes) {
                write.available = true;
                if !write.visible.contains(&scopes.dst) {
                    write.visible.push(scopes.dst);
                }
            }
            write.chain |= scopes.exec_dst;
        }
        for read in &mut self.reads {
            if (read.stages & !scopes.exec_src).is_empty() || read.chain.intersects(scopes.exec_src) {
                read.chain |= scopes.exec_dst;
            }
        }
    }

    /// A layout change with these scopes; the earlier access that it does not wait for.
    pub(super) fn transition(&mut self, scopes: &Scopes, event: usize, submission: u64) -> Option<usize> {
        let mut prior = None;
        if let Some(write) = &self.write
            && !write.done
            && !(write.waits(scopes) && write.becomes_available(scopes))
        {
            prior = Some(write.event);
        }
        for read in &self.reads {
            if !(read.stages & !scopes.exec_src).is_empty() && !read.chain.intersects(scopes.exec_src) {
                prior = prior.or(Some(read.event));
            }
        }
        self.reads.clear();
        self.write = Some(Write {
            event,
            submission,
            stages: S::empty(),
            access: A::empty(),
            scope: None,
            storage_scope: None,
            available: true,
            done: false,
            chain: scopes.exec_dst,
            visible: SmallVec::from_slice(&[scopes.dst]),
        });
        // A change is done when its scope's targets may start: nothing but the chain leads behind it.
        if let Some(write) = &mut self.write {
            write.stages = S::from_raw(TRANSITION);
        }
        prior
    }

    /// An access; what is wrong with it, and the earlier event that it conflicts with.
    pub(super) fn access(
        &mut self,
        access: Access,
        event: usize,
        submission: u64,
        in_scope: Option<u32>,
    ) -> Option<(Fault, usize)> {
        let storage_scope = if access.storage { in_scope } else { None };
        let mut fault = None;
        if let Some(write) = &self.write {
            let same_scope = access.scope.is_some() && access.scope == write.scope;
            let unordered = storage_scope.is_some() && storage_scope == write.storage_scope;
            let own = write.event == event || (access.write && write.done);
            if !(same_scope || unordered || own || write.is_visible(access.stages, access.access)) {
                let kind = if access.write { Fault::WriteAfterWrite } else { Fault::ReadNotVisible };
                fault = Some((kind, write.event));
            }
        }
        if access.write {
            for read in &self.reads {
                let same_scope = access.scope.is_some() && access.scope == read.scope;
                let unordered = storage_scope.is_some() && storage_scope == read.storage_scope;
                let own = read.first == event;
                if !(same_scope || unordered || own || (access.stages & !read.chain).is_empty()) {
                    let other = if read.event == event { read.first } else { read.event };
                    fault = fault.or(Some((Fault::WriteAfterRead, other)));
                }
            }
            self.reads.clear();
            self.write = Some(Write {
                event,
                submission,
                stages: access.stages,
                access: access.access,
                scope: access.scope,
                storage_scope,
                available: false,
                done: false,
                chain: S::empty(),
                visible: SmallVec::new(),
            });
        } else {
            let known = self.reads.iter_mut().find(|r| {
                r.stages == access.stages
                    && r.scope == access.scope
                    && r.storage_scope == storage_scope
                    && r.chain.is_empty()
            });
            match known {
                Some(read) => {
                    read.event = event;
                    read.submission = submission;
                }
                None => self.reads.push(Read {
                    event,
                    first: event,
                    submission,
                    stages: access.stages,
                    scope: access.scope,
                    storage_scope,
                    chain: S::empty(),
                }),
            }
        }
        fault
    }
}

/// A stage that no mask names: layout changes lie between scopes and belong to none.
const TRANSITION: u64 = 1 << 62;

/// Which subresource, for words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    aspect: vk::ImageAspectFlags,
    level: u32,
    layer: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} level {} layer {}", self.aspect, self.level, self.layer)
    }
}

/// An image.
#[derive(Debug, Clone)]
pub(super) struct ImageState {
    aspects: SmallVec<[vk::ImageAspectFlags; 2]>,
    levels: u32,
    layers: u32,
    cells: Vec<Cell>,
}

impl ImageState {
    pub(super) fn new(aspects: vk::ImageAspectFlags, levels: u32, layers: u32) -> Self {
        let aspects: SmallVec<[vk::ImageAspectFlags; 2]> =
            [vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]
                .into_iter()
                .filter(|a| aspects.contains(*a))
                .collect();
        let cells = vec![Cell::default(); aspects.len() * (levels * layers) as usize];
        Self { aspects, levels, layers, cells }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }

    pub(super) fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.cells.iter_mut()
    }

    pub(super) fn touch(&mut self, range: &Range, mut f: impl FnMut(&mut Cell, Place)) {
        for (plane, aspect) in self.aspects.iter().enumerate() {
            if !range.aspects.contains(*aspect) {
                continue;
            }
            for level in range.level..(range.level + range.levels).min(self.levels) {
                for layer in range.layer..(range.layer + range.layers).min(self.layers) {
                    let at = (plane as u32 * self.levels + level) * self.layers + layer;
                    f(&mut self.cells[at as usize], Place { aspect: *aspect, level, layer });
                }
            }
        }
    }
}

/// Buffers: runs of bytes with equal histories.
#[derive(Debug, Default, Clone)]
pub(super) struct Buffers {
    runs: HashMap<vk::Buffer, Vec<(u64, u64, Cell)>>,
    /// Buffers over bytes of others.
    aliases: HashMap<vk::Buffer, Bytes>,
}

impl Buffers {
    pub(super) fn insert(&mut self, buffer: vk::Buffer, size: u64) {
        self.runs.insert(buffer, vec![(0, size, Cell::default())]);
    }

    /// A buffer over bytes of another: they have one history.
    pub(super) fn alias(&mut self, alias: vk::Buffer, bytes: Bytes) {
        self.aliases.insert(alias, bytes);
    }

    /// Forgets a buffer; the last submission that touched it. Bytes outlive their aliases.
    pub(super) fn remove(&mut self, buffer: vk::Buffer) -> Option<u64> {
        if self.aliases.remove(&buffer).is_some() {
            return None;
        }
        let runs = self.runs.remove(&buffer)?;
        let of = |c: &Cell| {
            let reads = c.reads.iter().map(|r| r.submission).max().unwrap_or(0);
            c.write.as_ref().map_or(0, |w| w.submission).max(reads)
        };
        runs.iter().map(|(_, _, c)| of(c)).max()
    }

    pub(super) fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.runs.values_mut().flatten().map(|(_, _, c)| c)
    }

    /// Calls `f` for each run in a range, split to fit; false when the buffer is not known or the range leaves it.
    pub(super) fn touch(&mut self, bytes: &Bytes, mut f: impl FnMut(&mut Cell)) -> bool {
        let (bytes, size) = match self.aliases.get(&bytes.buffer) {
            Some(of) => {
                let inside = Bytes { buffer: of.buffer, offset: of.offset + bytes.offset, length: bytes.length };
                (inside, Some(of.offset + of.length))
            }
            None => (*bytes, None),
        };
        let Some(runs) = self.runs.get_mut(&bytes.buffer) else { return false };
        let size = size.unwrap_or_else(|| runs.last().map_or(0, |r| r.1));
        let end = if bytes.length == vk::WHOLE_SIZE { size } else { bytes.offset + bytes.length };
        for cut in [bytes.offset, end] {
            let n = runs.partition_point(|r| r.1 <= cut);
            if let Some((start, _, _)) = runs.get(n)
                && *start < cut
            {
                let mut tail = runs[n].clone();
                runs[n].1 = cut;
                tail.0 = cut;
                runs.insert(n + 1, tail);
            }
        }
        for (start, stop, cell) in runs.iter_mut() {
            if *start < end && bytes.offset < *stop {
                f(cell);
            }
        }
        end <= size
    }

    /// Joins neighbours with equal histories.
    pub(super) fn merge(&mut self) {
        for runs in self.runs.values_mut() {
            runs.dedup_by(|next, kept| {
                let same = next.2 == kept.2;
                if same {
                    kept.1 = next.1;
                }
                same
            });
        }
    }
}
