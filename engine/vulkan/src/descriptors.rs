//! Descriptor sets: layouts built from what modules declare, sets from linear pools, equal sets shared within a part.

use crate::convert;
use crate::error::{ExecuteError, Named};
use crate::gpu::Gpu;
use crate::spirv::{ImageShape, Interface};
use crate::stream::{Descriptor, Event, PipelineBinding};
use ash::vk;
use framegraph::state::Stage;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// Descriptor sets of the model: uniform, storage, texture, image.
pub(crate) const SETS: usize = 4;

/// One binding of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) kind: vk::DescriptorType,
    pub(crate) count: u32,
    pub(crate) shape: ImageShape,
    pub(crate) stages: vk::ShaderStageFlags,
    reads: vk::PipelineStageFlags2,
    writes: vk::PipelineStageFlags2,
}

/// How the bindings of a pipeline lie in sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BindPlan {
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) sets: [vk::DescriptorSetLayout; SETS],
    /// Slots, by set and binding.
    pub(crate) slots: Vec<Slot>,
}

impl BindPlan {
    /// Slots of a set.
    pub(crate) fn of_set(&self, set: u32) -> &[Slot] {
        let start = self.slots.partition_point(|s| s.set < set);
        let end = self.slots.partition_point(|s| s.set <= set);
        &self.slots[start..end]
    }

    /// The bindings, for the log.
    pub(crate) fn facts(&self) -> Vec<PipelineBinding> {
        self.slots
            .iter()
            .map(|s| PipelineBinding {
                set: s.set,
                binding: s.binding,
                count: s.count,
                kind: s.kind,
                stages: s.reads | s.writes,
                reads: s.reads,
                writes: s.writes,
            })
            .collect()
    }
}

/// Set and pipeline layouts, shared by equal declarations.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    sets: HashMap<Vec<(u32, vk::DescriptorType, u32, vk::ShaderStageFlags)>, vk::DescriptorSetLayout>,
    pipelines: HashMap<([vk::DescriptorSetLayout; SETS], u32), vk::PipelineLayout>,
}

impl Layouts {
    /// The layouts for a list of stages. `push` bytes of push constants serve the executor's own pipelines.
    pub(crate) fn plan(
        &mut self,
        gpu: &Gpu,
        stages: &[(Stage, &Interface)],
        push: u32,
    ) -> Result<BindPlan, (String, Option<ExecuteError>)> {
        let mut slots: Vec<Slot> = Vec::new();
        for &(stage, interface) in stages {
            let at = convert::shader_stage(stage);
            let if_so = |on: bool| if on { at } else { vk::PipelineStageFlags2::empty() };
            for d in &interface.bindings {
                if d.set as usize >= SETS {
                    return Err((format!("it binds set {}, the model has sets 0 to 3", d.set), None));
                }
                match slots.iter_mut().find(|s| (s.set, s.binding) == (d.set, d.binding)) {
                    Some(slot) if slot.kind != d.kind => {
                        return Err((
                            format!(
                                "set {} binding {} is {:?} in one stage, {:?} in another",
                                d.set, d.binding, slot.kind, d.kind
                            ),
                            None,
                        ));
                    }
                    Some(slot) => {
                        slot.stages |= convert::stage_flag(stage);
                        slot.count = slot.count.max(d.count);
                        slot.reads |= if_so(d.reads);
                        slot.writes |= if_so(d.writes);
                    }
                    None => slots.push(Slot {
                        set: d.set,
                        binding: d.binding,
                        kind: d.kind,
                        count: d.count,
                        shape: d.shape,
                        stages: convert::stage_flag(stage),
                        reads: if_so(d.reads),
                        writes: if_so(d.writes),
                    }),
                }
            }
        }
        slots.sort_by_key(|s| (s.set, s.binding));
        let fail = |e| (String::new(), Some(e));
        let mut sets = [vk::DescriptorSetLayout::null(); SETS];
        for (n, set) in sets.iter_mut().enumerate() {
            let key: Vec<_> =
                slots.iter().filter(|s| s.set as usize == n).map(|s| (s.binding, s.kind, s.count, s.stages)).collect();
            *set = self.set(gpu, key).map_err(fail)?;
        }
        let layout = self.pipeline(gpu, sets, push).map_err(fail)?;
        Ok(BindPlan { layout, sets, slots })
    }

    fn set(
        &mut self,
        gpu: &Gpu,
        key: Vec<(u32, vk::DescriptorType, u32, vk::ShaderStageFlags)>,
    ) -> Result<vk::DescriptorSetLayout, ExecuteError> {
        if let Some(&layout) = self.sets.get(&key) {
            return Ok(layout);
        }
        let bindings: Vec<_> = key
            .iter()
            .map(|&(binding, kind, count, stages)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(count)
                    .stage_flags(stages)
            })
            .collect();
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: complete create info.
        let layout = unsafe { gpu.device.raw.create_descriptor_set_layout(&create, None) }
            .named("vkCreateDescriptorSetLayout")?;
        self.sets.insert(key, layout);
        Ok(layout)
    }

    fn pipeline(
        &mut self,
        gpu: &Gpu,
        sets: [vk::DescriptorSetLayout; SETS],
        push: u32,
    ) -> Result<vk::PipelineLayout, ExecuteError> {
        if let Some(&layout) = self.pipelines.get(&(sets, push)) {
            return Ok(layout);
        }
        let ranges = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: push,
        }];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        if push > 0 {
            create = create.push_constant_ranges(&ranges);
        }
        // SAFETY: complete create info.
        let layout = unsafe { gpu.device.raw.create_pipeline_layout(&create, None) }.named("vkCreatePipelineLayout")?;
        self.pipelines.insert((sets, push), layout);
        Ok(layout)
    }

    pub(crate) fn destroy(&mut self, gpu: &Gpu) {
        // SAFETY: the executor waited for the device.
        unsafe {
            for (_, layout) in self.pipelines.drain() {
                gpu.device.raw.destroy_pipeline_layout(layout, None);
            }
            for (_, layout) in self.sets.drain() {
                gpu.device.raw.destroy_descriptor_set_layout(layout, None);
            }
        }
    }
}

/// A descriptor, resolved to handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Resolved {
    Null(vk::Sampler),
    Buffer { buffer: vk::Buffer, offset: u64, range: u64 },
    Image { view: vk::ImageView, sampler: vk::Sampler, layout: vk::ImageLayout },
    Texels { view: vk::BufferView, buffer: vk::Buffer, size: u64 },
}

/// Contents of a set: one entry per slot, in the order of the plan's slots. Array elements behind the first repeat it.
pub(crate) type Contents = SmallVec<[Resolved; 16]>;

/// Pools of one part in flight.
#[derive(Debug, Default)]
pub(crate) struct DescriptorPools {
    pools: Vec<vk::DescriptorPool>,
    current: usize,
    known: HashMap<u64, (u32, u32, vk::DescriptorSet)>,
    arena: Vec<Resolved>,
    given: Vec<vk::DescriptorSet>,
}

const POOL_SETS: u32 = 2048;
const POOL_SIZES: [(vk::DescriptorType, u32); 7] = [
    (vk::DescriptorType::UNIFORM_BUFFER, 8192),
    (vk::DescriptorType::STORAGE_BUFFER, 2048),
    (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 8192),
    (vk::DescriptorType::STORAGE_IMAGE, 512),
    (vk::DescriptorType::SAMPLED_IMAGE, 64),
    (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 64),
    (vk::DescriptorType::STORAGE_TEXEL_BUFFER, 64),
];

impl DescriptorPools {
    /// A set with these contents: one made before in this part, or a new one.
    pub(crate) fn set(
        &mut self,
        gpu: &mut Gpu,
        layout: vk::DescriptorSetLayout,
        slots: &[Slot],
        contents: &Contents,
    ) -> Result<vk::DescriptorSet, ExecuteError> {
        let mut hasher = std::hash::DefaultHasher::new();
        layout.hash(&mut hasher);
        contents.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(&(start, len, set)) = self.known.get(&hash)
            && self.arena[start as usize..(start + len) as usize] == contents[..]
        {
            return Ok(set);
        }
        let set = self.allocate(gpu, layout)?;
        write(gpu, set, slots, contents);
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(contents);
        self.known.insert(hash, (start, contents.len() as u32, set));
        Ok(set)
    }

    fn allocate(&mut self, gpu: &Gpu, layout: vk::DescriptorSetLayout) -> Result<vk::DescriptorSet, ExecuteError> {
        let layouts = [layout];
        loop {
            let Some(&pool) = self.pools.get(self.current) else {
                let sizes = POOL_SIZES.map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
                let create = vk::DescriptorPoolCreateInfo::default().max_sets(POOL_SETS).pool_sizes(&sizes);
                // SAFETY: complete create info.
                let pool =
                    unsafe { gpu.device.raw.create_descriptor_pool(&create, None) }.named("vkCreateDescriptorPool")?;
                self.pools.push(pool);
                continue;
            };
            let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let mut set = vk::DescriptorSet::null();
            // The raw call, since ash's wrapper allocates a vector for each set.
            // SAFETY: pool and layout live; one set is asked for, and there is room for one handle.
            let result = unsafe {
                (gpu.device.raw.fp_v1_0().allocate_descriptor_sets)(gpu.device.raw.handle(), &allocate, &mut set)
            };
            match result {
                vk::Result::SUCCESS => {
                    if gpu.log.is_on() {
                        self.given.push(set);
                    }
                    return Ok(set);
                }
                vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL => self.current += 1,
                other => return Err(ExecuteError::of("vkAllocateDescriptorSets", other)),
            }
        }
    }

    pub(crate) fn reset(&mut self, gpu: &mut Gpu) -> Result<(), ExecuteError> {
        for &pool in &self.pools {
            // SAFETY: the GPU is done with the part that used the sets.
            unsafe { gpu.device.raw.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) }
                .named("vkResetDescriptorPool")?;
        }
        self.current = 0;
        self.known.clear();
        self.arena.clear();
        let given = std::mem::take(&mut self.given);
        gpu.log.push(|| Event::SetsReset(given));
        Ok(())
    }

    pub(crate) fn destroy(&mut self, gpu: &Gpu) {
        for pool in self.pools.drain(..) {
            // SAFETY: the executor waited for the device.
            unsafe { gpu.device.raw.destroy_descriptor_pool(pool, None) };
        }
    }
}

fn write(gpu: &mut Gpu, set: vk::DescriptorSet, slots: &[Slot], contents: &Contents) {
    // The infos must not move while the writes point to them: they are filled first, in full.
    let mut buffers: SmallVec<[vk::DescriptorBufferInfo; 32]> = SmallVec::new();
    let mut images: SmallVec<[vk::DescriptorImageInfo; 32]> = SmallVec::new();
    let mut texels: SmallVec<[vk::BufferView; 8]> = SmallVec::new();
    let mut places: SmallVec<[usize; 32]> = SmallVec::new();
    for (slot, entry) in slots.iter().zip(contents) {
        let is_buffer = matches!(slot.kind, vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER);
        let is_texels =
            matches!(slot.kind, vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER);
        places.push(if is_buffer {
            buffers.len()
        } else if is_texels {
            texels.len()
        } else {
            images.len()
        });
        for _ in 0..slot.count {
            if is_buffer {
                let (buffer, offset, range) = match *entry {
                    Resolved::Buffer { buffer, offset, range } => (buffer, offset, range),
                    _ => (vk::Buffer::null(), 0, vk::WHOLE_SIZE),
                };
                buffers.push(vk::DescriptorBufferInfo { buffer, offset, range });
            } else if is_texels {
                texels.push(if let Resolved::Texels { view, .. } = *entry { view } else { vk::BufferView::null() });
            } else {
                let (image_view, sampler, image_layout) = match *entry {
                    Resolved::Image { view, sampler, layout } => (view, sampler, layout),
                    Resolved::Null(sampler) => (vk::ImageView::null(), sampler, vk::ImageLayout::UNDEFINED),
                    _ => (vk::ImageView::null(), vk::Sampler::null(), vk::ImageLayout::UNDEFINED),
                };
                images.push(vk::DescriptorImageInfo { sampler, image_view, image_layout });
            }
        }
    }
    let mut writes: SmallVec<[vk::WriteDescriptorSet<'_>; 32]> = SmallVec::new();
    for (slot, &at) in slots.iter().zip(&places) {
        let n = slot.count as usize;
        let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(slot.binding).descriptor_type(slot.kind);
        writes.push(match slot.kind {
            vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER => {
                write.buffer_info(&buffers[at..at + n])
            }
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
                write.texel_buffer_view(&texels[at..at + n])
            }
            _ => write.image_info(&images[at..at + n]),
        });
    }
    // SAFETY: the set is new and in no command yet; all handles live.
    unsafe { gpu.device.raw.update_descriptor_sets(&writes, &[]) };
    gpu.counters.descriptors += writes.len() as u32;
    if gpu.log.is_on() {
        for (slot, entry) in slots.iter().zip(contents) {
            let descriptor = match *entry {
                Resolved::Null(_) => Descriptor::Null,
                Resolved::Buffer { buffer, offset, range } => Descriptor::Buffer { buffer, offset, range },
                Resolved::Image { view, layout, .. } => Descriptor::Image { view, layout },
                Resolved::Texels { buffer, size, .. } => Descriptor::Texels { buffer, offset: 0, range: size },
            };
            for element in 0..slot.count {
                gpu.log.push(|| Event::DescriptorWritten { set, binding: slot.binding, element, descriptor });
            }
        }
    }
}
