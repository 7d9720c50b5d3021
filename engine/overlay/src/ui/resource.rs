//! One resource: its picture, what it is, and who touches it over the frame.

use super::{ThumbnailKey, UiState, style, widgets};
use crate::model::{About, FrameView, NONE, ResourceView, about_part, resource_kind_words, size_words, use_words};
use egui::{RichText, Sense, Ui, Vec2};
use egui_extras::{Column, TableBuilder};
use framegraph::resource::{PhysicalRange, ResourceFlags, ResourceKind};
use framegraph::state::Aspects;
use std::fmt::Write as _;

/// Which subresource is shown, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Picture {
    level: u8,
    layer: u16,
    stencil: bool,
    /// Components; 0 = those that fit the format.
    channels: u8,
    range: [f32; 2],
}

impl Default for Picture {
    fn default() -> Self {
        Self { level: 0, layer: 0, stencil: false, channels: 0, range: [0.0, 1.0] }
    }
}

pub(super) fn show(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    egui::SidePanel::left("resource-list")
        .resizable(true)
        .default_width(220.0)
        .frame(egui::Frame::new().inner_margin(egui::Margin { left: 0, right: 6, top: 0, bottom: 0 }))
        .show_inside(ui, |ui| list(ui, view, state));
    let Some(resource) = state.selection.resource.and_then(|id| view.resource(id)).copied() else {
        ui.label(RichText::new("Select a resource on the left.").color(style::WEAK));
        return;
    };
    egui::SidePanel::right("resource-accesses")
        .resizable(true)
        .default_width(500.0)
        .frame(egui::Frame::new().inner_margin(egui::Margin { left: 8, right: 0, top: 0, bottom: 0 }))
        .show_inside(ui, |ui| accesses(ui, view, state, &resource));
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| facts(ui, view, state, &resource));
}

fn list(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    let mut rows = std::mem::take(&mut state.rows);
    rows.clear();
    rows.extend((0..view.resources.len() as u32).filter(|n| state.finds(view.text(view.resources[*n as usize].name))));
    // What this frame uses comes first, by first use.
    rows.sort_by_key(|n| {
        let resource = &view.resources[*n as usize];
        (resource.life.is_none(), resource.life, *n)
    });
    ui.spacing_mut().item_spacing.y = 0.0;
    egui::ScrollArea::vertical().auto_shrink(false).show_rows(ui, style::ROW_HEIGHT, rows.len(), |ui, range| {
        for &n in &rows[range] {
            let resource = &view.resources[n as usize];
            let chosen = state.selection.resource == Some(resource.id);
            let mut right = std::mem::take(&mut state.words);
            right.clear();
            match resource.kind {
                ResourceKind::Image(desc) => {
                    let _ = write!(right, "{}\u{d7}{}", desc.extent[0], desc.extent[1]);
                }
                ResourceKind::Buffer { size } => size_words(&mut right, size),
                _ => {}
            }
            let mark = match resource.life {
                Some(_) => widgets::resource_color(&resource.kind),
                None => style::LINE,
            };
            if widgets::row(ui, chosen, Some(mark), view.text(resource.name), &right).clicked() {
                state.select_resource(resource.id);
            }
            state.words = right;
        }
    });
    state.rows = rows;
}

/// Which pass wrote the content, or that it is older than the frame.
pub(super) fn last_written(ui: &mut Ui, view: &FrameView, resource: &ResourceView) {
    match view.units.get(resource.last_writer as usize) {
        Some(unit) => widgets::fact(ui, "written by", view.text(unit.name)),
        None => widgets::fact(ui, "written by", "nobody in this frame: its content is older"),
    }
}

fn facts(ui: &mut Ui, view: &FrameView, state: &mut UiState, resource: &ResourceView) {
    let mut words = std::mem::take(&mut state.words);
    ui.label(RichText::new(view.text(resource.name)).heading().color(style::ACCENT));
    words.clear();
    resource_kind_words(&mut words, &resource.kind);
    ui.label(&*words);
    if let ResourceKind::Image(desc) = resource.kind {
        let mut picture = state.picture;
        let aspects = desc.host_format.aspects();
        picture.level = picture.level.min(desc.levels.saturating_sub(1));
        let layers = desc.all().layers;
        picture.layer = picture.layer.min(layers.saturating_sub(1));
        let aspect = if aspects == Aspects::STENCIL || (picture.stencil && aspects.intersects(Aspects::STENCIL)) {
            Aspects::STENCIL
        } else if aspects.intersects(Aspects::DEPTH) {
            Aspects::DEPTH
        } else {
            Aspects::COLOR
        };
        let channels = if picture.channels == 0 { widgets::default_channels(aspect) } else { picture.channels };
        let key = ThumbnailKey { resource: resource.id, level: picture.level, layer: picture.layer, aspect };
        let [w, h, _] = desc.level_extent(picture.level);
        let width = ui.available_width().min(480.0);
        let size = Vec2::new(width, (width * h as f32 / w.max(1) as f32).min(270.0));
        state.words = words;
        widgets::thumbnail(ui, state, key, [w, h], size, channels, picture.range);
        words = std::mem::take(&mut state.words);
        ui.horizontal_wrapped(|ui| {
            if desc.levels > 1 {
                ui.add(egui::DragValue::new(&mut picture.level).range(0..=desc.levels - 1).prefix("level "));
            }
            if layers > 1 {
                ui.add(egui::DragValue::new(&mut picture.layer).range(0..=layers - 1).prefix("layer "));
            }
            if aspect == Aspects::COLOR {
                for (bit, name) in ["r", "g", "b", "a"].iter().enumerate() {
                    if ui.selectable_label(channels >> bit & 1 == 1, *name).clicked() {
                        picture.channels = channels ^ (1 << bit);
                    }
                }
            }
            if aspects == Aspects::DEPTH_STENCIL {
                ui.checkbox(&mut picture.stencil, "stencil");
            }
            let [low, high] = &mut picture.range;
            ui.add(egui::DragValue::new(low).speed(0.005).prefix("black "));
            ui.add(egui::DragValue::new(high).speed(0.005).prefix("white "));
            ui.checkbox(&mut state.flip, "turn rows");
        });
        state.picture = picture;
    }
    ui.add_space(3.0);
    last_written(ui, view, resource);
    words.clear();
    let range = resource.storage.range;
    let _ = match range.pool.checked_sub(PhysicalRange::HOST) {
        Some(own) => write!(words, "the host's own {own}, {:#x}+", range.offset),
        None => write!(words, "pool {}, {:#x}+", range.pool, range.offset),
    };
    size_words(&mut words, range.length);
    widgets::fact(ui, "storage", &words);
    words.clear();
    for (bit, name) in [
        (ResourceFlags::NEW, "new in this part"),
        (ResourceFlags::GPU_WRITTEN, "written by the GPU"),
        (ResourceFlags::CPU_READS, "the CPU may read it"),
        (ResourceFlags::DISPLAY, "shown by the window"),
        (ResourceFlags::RETIRED, "retired"),
        (ResourceFlags::HOST_OWNED, "the host's own"),
    ] {
        if resource.flags.has(bit) {
            words.push_str(if words.is_empty() { "" } else { ", " });
            words.push_str(name);
        }
    }
    if !words.is_empty() {
        widgets::fact(ui, "facts", &words);
    }
    state.words = words;
    widgets::heading(ui, "Decisions");
    widgets::decisions(ui, view, About::Resource(resource.id));
}

/// Layout changes and accesses, in order of execution.
fn accesses(ui: &mut Ui, view: &FrameView, state: &mut UiState, resource: &ResourceView) {
    ui.label(RichText::new("Over the frame").strong().color(style::ACCENT));
    let mut rows = std::mem::take(&mut state.rows);
    let mut words = std::mem::take(&mut state.words);
    rows.clear();
    let unit_of = |node: u32| view.nodes.get(node as usize).map_or(NONE, |n| n.unit);
    rows.extend((0..view.accesses.len() as u32).filter(|n| view.accesses[*n as usize].resource == resource.id));
    // Layout changes are listed among the accesses; their numbers begin behind them.
    let base = view.accesses.len() as u32;
    let changes = view.transitions.iter().enumerate().filter(|(_, t)| t.resource == resource.id);
    rows.extend(changes.map(|(n, _)| base + n as u32));
    rows.sort_by_key(|&n| match view.accesses.get(n as usize) {
        Some(access) => (unit_of(access.node), 1, access.node),
        None => {
            let change = &view.transitions[(n - base) as usize];
            let barrier = &view.barriers[change.barrier as usize];
            match barrier.inside {
                NONE => (barrier.unit, 0, 0),
                node => (barrier.unit, 1, node),
            }
        }
    });
    let mut clicked = None;
    TableBuilder::new(ui)
        .id_salt("accesses")
        .striped(true)
        .sense(Sense::click())
        .column(Column::initial(120.0).clip(true).resizable(true))
        .column(Column::initial(86.0).clip(true).resizable(true))
        .column(Column::initial(150.0).clip(true).resizable(true))
        .column(Column::remainder().clip(true))
        .header(style::ROW_HEIGHT, |mut header| {
            for title in ["pass", "node", "use", "part and layout"] {
                header.col(|ui| {
                    ui.label(RichText::new(title).small().color(style::WEAK));
                });
            }
        })
        .body(|body| {
            body.rows(style::ROW_HEIGHT, rows.len(), |mut row| {
                let n = rows[row.index()];
                let name = |unit: u32| view.units.get(unit as usize).map_or("does not run", |u| view.text(u.name));
                let Some(access) = view.accesses.get(n as usize) else {
                    let change = &view.transitions[(n - base) as usize];
                    let unit = view.barriers[change.barrier as usize].unit;
                    for text in [name(unit), "barrier"] {
                        row.col(|ui| {
                            ui.label(RichText::new(text).color(style::BARRIER));
                        });
                    }
                    words.clear();
                    let _ = write!(words, "{:?} \u{2192} {:?}", change.from, change.to);
                    row.col(|ui| {
                        ui.label(RichText::new(&*words).color(style::BARRIER));
                    });
                    words.clear();
                    about_part(&mut words, &framegraph::resource::Part::Image(change.part), Some(&resource.kind));
                    row.col(|ui| {
                        ui.label(RichText::new(words.trim_start()).color(style::BARRIER));
                    });
                    return;
                };
                row.col(|ui| {
                    ui.label(name(unit_of(access.node)));
                });
                row.col(|ui| {
                    words.clear();
                    view.node_name(access.node, &mut words);
                    if access.last != access.node
                        && let Some(last) = view.nodes.get(access.last as usize)
                    {
                        let _ = write!(words, "\u{2013}{}", last.id.0);
                    }
                    ui.label(&*words);
                });
                row.col(|ui| {
                    words.clear();
                    use_words(&mut words, access.uses, access.stages);
                    ui.label(RichText::new(&*words).color(widgets::use_color(access.uses)));
                });
                row.col(|ui| {
                    words.clear();
                    about_part(&mut words, &access.part, Some(&resource.kind));
                    if access.layout != framegraph::resource::Layout::Undefined {
                        let _ = write!(words, "{}{:?}", if words.is_empty() { "" } else { ", " }, access.layout);
                    }
                    ui.label(words.trim_start());
                });
                if row.response().clicked() {
                    clicked = Some(access.node);
                }
            });
        });
    state.rows = rows;
    state.words = words;
    if let Some(node) = clicked {
        state.select_node(view, node);
    }
}
