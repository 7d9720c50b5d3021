//! Resources by id: a dense copy of what hazards need to know, and who shares storage with whom.
//!
//! Resources live as entities; the hazard, layout and barrier systems ask for the same few facts thousands of times a part. [`ResourceTable`] copies
//! them once per part (about a microsecond per hundred resources) and finds overlapping storage again only when some storage changed.

use crate::ids::ResourceId;
use crate::resource::{Part, PhysicalRange, ResourceFlags, ResourceKind, Storage};
use crate::state::{Aspects, Subresources};
use bevy_ecs::prelude::*;

/// What a resource is, for hazards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// Not in use.
    #[default]
    Free,
    /// Bytes.
    Buffer,
    /// Subresources.
    Image,
}

/// Facts about one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Storage.
    pub range: PhysicalRange,
    /// Generation of the pool ordinal.
    pub generation: u32,
    /// Buffer or image.
    pub shape: Shape,
    /// Mip levels (images).
    pub levels: u8,
    /// Layers, or slices of a 3D image.
    pub layers: u16,
    /// Aspects.
    pub aspects: Aspects,
    /// Bits of [`ResourceFlags`].
    pub flags: u32,
    /// Some other resource shares bytes with it.
    pub aliased: bool,
}

impl Facts {
    /// All subresources of an image.
    #[must_use]
    #[inline]
    pub fn all(&self) -> Subresources {
        Subresources { aspects: self.aspects, base_level: 0, levels: self.levels, base_layer: 0, layers: self.layers }
    }

    /// The part an access touches, cut to what the resource has. An empty remainder becomes the nearest existing level or layer, so that a view that
    /// names a level too many is still a hazard.
    #[must_use]
    #[inline]
    pub fn clamp(&self, part: &Subresources) -> Subresources {
        let levels = self.levels.max(1);
        let layers = self.layers.max(1);
        let base_level = part.base_level.min(levels - 1);
        let base_layer = part.base_layer.min(layers - 1);
        let aspects = Aspects(part.aspects.0 & self.aspects.0);
        Subresources {
            aspects: if aspects == Aspects::NONE { self.aspects } else { aspects },
            base_level,
            levels: part.levels.clamp(1, levels - base_level),
            base_layer,
            layers: part.layers.clamp(1, layers - base_layer),
        }
    }

    /// The bytes an access touches: those of a buffer's range; all of an image's storage.
    #[must_use]
    #[inline]
    pub fn bytes(&self, part: &Part) -> PhysicalRange {
        match part {
            Part::Bytes(offset, length) if self.shape == Shape::Buffer => {
                let offset = (*offset).min(self.range.length);
                PhysicalRange {
                    pool: self.range.pool,
                    offset: self.range.offset + offset,
                    length: (*length).min(self.range.length - offset),
                }
            }
            _ => self.range,
        }
    }
}

/// Facts by [`ResourceId`], and overlaps of storage.
#[derive(Debug, Default, Resource)]
pub struct ResourceTable {
    facts: Vec<Facts>,
    /// Images by (pool, offset), each with the greatest end among it and those before it in its pool.
    images: Vec<(PhysicalRange, u64, ResourceId)>,
    buffers: Vec<(PhysicalRange, ResourceId)>,
    partner_first: Vec<u32>,
    partners: Vec<ResourceId>,
    changed: bool,
}

/// The query that [`ResourceTable::refresh`] reads.
pub type ResourceQuery<'w, 's> =
    Query<'w, 's, (&'static ResourceId, &'static Storage, &'static ResourceKind, &'static ResourceFlags)>;

/// The facts of a resource.
#[must_use]
pub fn facts_of(storage: &Storage, kind: &ResourceKind, flags: ResourceFlags) -> Facts {
    let base = Facts { range: storage.range, generation: storage.generation, flags: flags.0, ..Facts::default() };
    match kind {
        ResourceKind::Free => Facts::default(),
        ResourceKind::Buffer { size } => Facts {
            shape: Shape::Buffer,
            range: PhysicalRange { length: base.range.length.max(*size), ..base.range },
            ..base
        },
        ResourceKind::Image(desc) => {
            let all = desc.all();
            Facts {
                shape: Shape::Image,
                levels: all.levels.max(1),
                layers: all.layers.max(1),
                aspects: all.aspects,
                ..base
            }
        }
        ResourceKind::Swapchain { .. } => {
            Facts { shape: Shape::Image, levels: 1, layers: 1, aspects: Aspects::COLOR, ..base }
        }
    }
}

impl ResourceTable {
    /// Copies the facts of all resources; finds overlaps again if any storage changed.
    pub fn refresh(&mut self, resources: &ResourceQuery) {
        for (id, storage, kind, flags) in resources {
            self.set(*id, facts_of(storage, kind, *flags));
        }
        self.find_overlaps();
    }

    /// Sets the facts of one resource. Call [`ResourceTable::find_overlaps`] after the last of them.
    pub fn set(&mut self, id: ResourceId, facts: Facts) {
        if id.index() >= self.facts.len() {
            self.facts.resize(id.index() + 1, Facts::default());
        }
        let old = &mut self.facts[id.index()];
        self.changed |= old.range != facts.range || old.shape != facts.shape;
        *old = Facts { aliased: old.aliased, ..facts };
    }

    /// Number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The facts of a resource; those of an unused id if there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, id: ResourceId) -> Facts {
        self.facts.get(id.index()).copied().unwrap_or_default()
    }

    /// Facts by id.
    #[must_use]
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// Images that share storage with an image.
    #[must_use]
    #[inline]
    pub fn partners(&self, id: ResourceId) -> &[ResourceId] {
        match self.partner_first.get(id.index()..id.index() + 2) {
            Some(&[start, end]) => &self.partners[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Calls `f` with each resource other than `id` that shares a byte with `range`.
    pub fn overlapping(&self, id: ResourceId, range: PhysicalRange, mut f: impl FnMut(ResourceId)) {
        if range.length == 0 {
            return;
        }
        let end = range.offset + range.length;
        let mut at = self.images.partition_point(|(r, ..)| (r.pool, r.offset) < (range.pool, end));
        while at > 0 {
            at -= 1;
            let (other, reach, other_id) = self.images[at];
            if other.pool != range.pool || reach <= range.offset {
                break;
            }
            if other_id != id && other.overlaps(&range) {
                f(other_id);
            }
        }
        for (other, other_id) in &self.buffers {
            if *other_id != id && other.overlaps(&range) {
                f(*other_id);
            }
        }
    }

    /// Finds overlaps again if a storage changed since the last time.
    pub fn find_overlaps(&mut self) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        self.images.clear();
        self.buffers.clear();
        for (n, facts) in self.facts.iter().enumerate() {
            let id = ResourceId(n as u32);
            match facts.shape {
                _ if facts.range.length == 0 => {}
                Shape::Image => self.images.push((facts.range, 0, id)),
                Shape::Buffer => self.buffers.push((facts.range, id)),
                Shape::Free => {}
            }
        }
        self.images.sort_unstable_by_key(|(range, _, id)| (*range, *id));
        let mut before = (u32::MAX, 0);
        for (range, reach, _) in &mut self.images {
            let end = range.offset + range.length;
            before = (range.pool, if before.0 == range.pool { before.1.max(end) } else { end });
            *reach = before.1;
        }
        let mut partners = std::mem::take(&mut self.partners);
        let mut first = std::mem::take(&mut self.partner_first);
        partners.clear();
        first.clear();
        for n in 0..self.facts.len() {
            first.push(partners.len() as u32);
            let (facts, id) = (self.facts[n], ResourceId(n as u32));
            let mut aliased = false;
            if facts.shape != Shape::Free {
                self.overlapping(id, facts.range, |other| {
                    aliased = true;
                    if facts.shape == Shape::Image && self.facts[other.index()].shape == Shape::Image {
                        partners.push(other);
                    }
                });
            }
            self.facts[n].aliased = aliased;
        }
        first.push(partners.len() as u32);
        self.partners = partners;
        self.partner_first = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(offset: u64, length: u64) -> Facts {
        Facts {
            range: PhysicalRange { pool: 1, offset, length },
            shape: Shape::Image,
            levels: 1,
            layers: 1,
            aspects: Aspects::COLOR,
            ..Facts::default()
        }
    }

    #[test]
    fn overlaps_are_found_even_behind_a_long_neighbour() {
        let mut table = ResourceTable::default();
        table.set(ResourceId(0), image(0, 1000));
        table.set(ResourceId(1), image(100, 50));
        table.set(ResourceId(2), image(900, 50));
        table.set(ResourceId(3), image(2000, 10));
        table.set(ResourceId(4), Facts { shape: Shape::Buffer, ..image(0, 4096) });
        table.find_overlaps();
        assert_eq!(table.partners(ResourceId(0)), [ResourceId(2), ResourceId(1)]);
        assert_eq!(table.partners(ResourceId(2)), [ResourceId(0)]);
        assert!(table.partners(ResourceId(3)).is_empty());
        assert!(table.get(ResourceId(3)).aliased, "the pool's buffer covers it");
        let mut hit = Vec::new();
        table.overlapping(ResourceId(4), PhysicalRange { pool: 1, offset: 920, length: 4 }, |id| hit.push(id.0));
        assert_eq!(hit, [2, 0]);
    }

    #[test]
    fn a_level_that_the_image_lacks_is_clamped() {
        let facts = Facts { levels: 2, ..image(0, 1) };
        let part = Subresources { aspects: Aspects::COLOR, base_level: 7, levels: 1, base_layer: 0, layers: 1 };
        assert_eq!(facts.clamp(&part).base_level, 1);
        assert_eq!(facts.clamp(&part).levels, 1);
    }
}
