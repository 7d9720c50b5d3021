//! One pass (or node outside passes): its draws with their state, and beside them attachments, barriers, dependencies and decisions.

use super::{UiState, grid, style, widgets};
use crate::model::{DrawView, FrameView, NONE, call_words, seconds};
use egui::{RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};
use framegraph::state::Stage;
use framegraph::tables::{BindKind, BindSource, FeedbackPlan, NodeKind, node_flags};
use std::fmt::Write as _;

pub(super) fn show(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    egui::SidePanel::left("pass-list")
        .resizable(true)
        .default_width(210.0)
        .frame(egui::Frame::new().inner_margin(egui::Margin { left: 0, right: 6, top: 0, bottom: 0 }))
        .show_inside(ui, |ui| list(ui, view, state));
    egui::SidePanel::right("pass-details")
        .resizable(true)
        .default_width(340.0)
        .frame(egui::Frame::new().inner_margin(egui::Margin { left: 8, right: 0, top: 0, bottom: 0 }))
        .show_inside(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                if let Some(unit) = state.selection.unit {
                    grid::unit_details(ui, view, state, unit);
                    dependencies(ui, view, state, unit);
                }
            });
        });
    let Some(unit) = state.selection.unit.and_then(|u| view.units.get(u as usize)) else {
        ui.label(RichText::new("Select a pass on the left.").color(style::WEAK));
        return;
    };
    let chosen = state.selected_node(view);
    let below = chosen.and_then(|n| view.nodes.get(n as usize)).and_then(|n| view.draws.get(n.draw as usize)).copied();
    if let Some(draw) = below {
        egui::TopBottomPanel::bottom("draw-state")
            .resizable(true)
            .default_height(150.0)
            .frame(egui::Frame::new().inner_margin(egui::Margin { left: 0, right: 0, top: 4, bottom: 0 }))
            .show_inside(ui, |ui| draw_state(ui, view, state, &draw));
    }
    egui::CentralPanel::default().frame(egui::Frame::new()).show_inside(ui, |ui| {
        match view.passes.get(unit.pass as usize) {
            Some(pass) => members(ui, view, state, view.members_of(pass), chosen),
            None => members(ui, view, state, std::slice::from_ref(&unit.node), chosen),
        }
    });
}

fn list(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    let mut rows = std::mem::take(&mut state.rows);
    rows.clear();
    rows.extend((0..view.units.len() as u32).filter(|n| state.finds(view.text(view.units[*n as usize].name))));
    let height = style::ROW_HEIGHT;
    ui.spacing_mut().item_spacing.y = 0.0;
    egui::ScrollArea::vertical().auto_shrink(false).show_rows(ui, height, rows.len(), |ui, range| {
        for &n in &rows[range] {
            let unit = &view.units[n as usize];
            let mut right = std::mem::take(&mut state.words);
            right.clear();
            if let Some(pass) = view.passes.get(unit.pass as usize) {
                match pass.gpu {
                    Some((start, end)) => seconds(&mut right, end.saturating_sub(start)),
                    None => {
                        let _ = write!(right, "{}", pass.draws);
                    }
                }
            }
            let mark = widgets::unit_color(view, unit);
            let chosen = state.selection.unit == Some(n);
            if widgets::row(ui, chosen, Some(mark), view.text(unit.name), &right).clicked() {
                state.select_unit(view, n);
            }
            state.words = right;
        }
    });
    state.rows = rows;
}

fn members(ui: &mut Ui, view: &FrameView, state: &mut UiState, members: &[u32], chosen: Option<u32>) {
    let mut words = std::mem::take(&mut state.words);
    let mut clicked = None;
    TableBuilder::new(ui)
        .id_salt("draws")
        .striped(true)
        .sense(Sense::click())
        .column(Column::initial(72.0).clip(true).resizable(true))
        .column(Column::initial(196.0).clip(true).resizable(true))
        .column(Column::initial(136.0).clip(true).resizable(true))
        .column(Column::initial(112.0).clip(true).resizable(true))
        .column(Column::initial(84.0).clip(true).resizable(true))
        .column(Column::remainder().clip(true))
        .header(style::ROW_HEIGHT, |mut header| {
            for title in ["node", "what", "write mask", "depth", "blend", "raster"] {
                header.col(|ui| {
                    ui.label(RichText::new(title).small().color(style::WEAK));
                });
            }
        })
        .body(|body| {
            body.rows(style::ROW_HEIGHT, members.len(), |mut row| {
                let node = members[row.index()];
                let Some(n) = view.nodes.get(node as usize) else { return };
                row.set_selected(chosen == Some(node));
                let mark = note(n.flags);
                row.col(|ui| {
                    words.clear();
                    view.node_name(node, &mut words);
                    let color = mark.map_or(style::TEXT, |(_, color)| color);
                    ui.label(RichText::new(&*words).color(color));
                });
                let draw = view.draws.get(n.draw as usize);
                row.col(|ui| {
                    words.clear();
                    if let Some((note, _)) = mark {
                        let _ = write!(words, "{note}: ");
                    }
                    if !n.label.is_empty() {
                        let _ = write!(words, "\u{201c}{}\u{201d} ", view.text(n.label));
                    }
                    match draw {
                        Some(draw) => call_words(&mut words, &draw.call, draw.topology),
                        None => words.push_str(view.text(n.words)),
                    }
                    ui.label(&*words);
                });
                let targets = view.passes.get(n.pass as usize).map_or(0, |p| {
                    p.targets.color.iter().enumerate().fold(0, |bits, (s, a)| bits | u32::from(a.is_some()) << s)
                });
                row.col(|ui| {
                    words.clear();
                    if let Some(draw) = draw {
                        crate::model::mask_words(&mut words, draw.write_mask, targets);
                    }
                    ui.label(RichText::new(&*words).monospace());
                });
                for text in [draw.map(|d| d.depth), draw.map(|d| d.blend), draw.map(|d| d.raster)] {
                    row.col(|ui| {
                        ui.label(text.map_or("", |t| view.text(t)));
                    });
                }
                if row.response().clicked() {
                    clicked = Some(node);
                }
            });
        });
    state.words = words;
    if let Some(node) = clicked {
        state.select_node(view, node);
    }
}

/// What is special about a node, and its colour.
fn note(flags: u32) -> Option<(&'static str, egui::Color32)> {
    if flags & node_flags::SKIPPED != 0 {
        Some(("skipped", style::BAD))
    } else if flags & node_flags::FEEDBACK != 0 {
        Some(("feedback", style::FEEDBACK))
    } else if flags & node_flags::FOLDED != 0 {
        Some(("load operation", style::WEAK))
    } else if flags & node_flags::INSERTED != 0 {
        Some(("inserted", style::BOTH))
    } else {
        None
    }
}

fn draw_state(ui: &mut Ui, view: &FrameView, state: &mut UiState, draw: &DrawView) {
    let mut words = std::mem::take(&mut state.words);
    egui::ScrollArea::vertical().id_salt("draw-state").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        words.clear();
        view.node_name(draw.node, &mut words);
        words.push_str(": ");
        call_words(&mut words, &draw.call, draw.topology);
        ui.label(RichText::new(&*words).strong());
        widgets::fact(ui, "viewport", view.text(draw.viewport));
        widgets::fact(ui, "vertices", view.text(draw.vertex));
        words.clear();
        const SHORT: [&str; 6] = ["vertex", "control", "evaluation", "geometry", "fragment", "compute"];
        for (name, variant) in SHORT.iter().zip(draw.variants).filter(|(_, v)| *v != 0) {
            let _ = write!(words, "{name} {variant}   ");
        }
        match draw.pipeline {
            NONE => words.push_str("no pipeline picked"),
            n => {
                let _ = write!(words, "pipeline {n}");
            }
        }
        widgets::fact(ui, "shaders", &words);
        for row in &view.feedback {
            if row.node == draw.node {
                words.clear();
                let plan = match row.plan {
                    FeedbackPlan::None => "not decided",
                    FeedbackPlan::ReadOnly => "a read-only layout",
                    FeedbackPlan::Layout => "the feedback layout",
                    FeedbackPlan::Snapshot => "a copy taken before the draw",
                    FeedbackPlan::Split => "a pass of its own",
                    FeedbackPlan::Naive => "left as it is (the rule is off)",
                };
                let _ = write!(words, "reads {} while it is attached: {plan}", view.resource_name(row.resource));
                words.push_str(if row.written { "; the draw writes it too" } else { "" });
                widgets::fact(ui, "feedback", &words);
            }
        }
        let part = view.nodes.get(draw.node as usize).and_then(|n| view.parts.get(n.part as usize)).copied();
        for binding in view.bindings.get(draw.bindings.range()).unwrap_or_default() {
            words.clear();
            let stage = match binding.stage {
                Stage::Vertex => "vertex",
                Stage::TessControl => "control",
                Stage::TessEval => "evaluation",
                Stage::Geometry => "geometry",
                Stage::Fragment => "fragment",
                Stage::Compute => "compute",
            };
            let kind = match binding.kind {
                BindKind::Uniform => "uniform",
                BindKind::Storage => "storage",
                BindKind::Texture => "texture",
                BindKind::Image => "image",
            };
            let _ = write!(words, "{stage} {}: ", binding.slot);
            let view_of =
                |row: framegraph::ids::StateId| part.and_then(|p| view.views.get(p.first_view as usize + row.index()));
            match binding.source {
                BindSource::Empty => words.push_str("nothing (reads as zero)"),
                BindSource::Slice(slice) => {
                    let _ = write!(words, "{} {:#x}+{}", view.resource_name(slice.resource), { slice.offset }, {
                        slice.length
                    });
                }
                BindSource::Snapshot(offset, length) => {
                    let _ = write!(words, "{length} bytes taken at submission ({offset:#x})");
                }
                BindSource::Texture(row, _) | BindSource::Image(row) => match view_of(row) {
                    Some(key) => {
                        let _ = write!(
                            words,
                            "{} as {} {:?}",
                            view.resource_name(key.resource),
                            key.format.name(),
                            key.dim
                        );
                    }
                    None => words.push_str("an unknown view"),
                },
            }
            if let BindSource::Texture(_, sampler) = binding.source
                && let Some(key) = part.and_then(|p| view.samplers.get(p.first_sampler as usize + sampler.index()))
            {
                let _ = write!(words, ", {:?}/{:?} {:?}", key.mag, key.min, key.wrap[0]);
                if let Some(compare) = key.compare {
                    let _ = write!(words, ", compares {compare:?}");
                }
            }
            words.push_str(if binding.written { "  (written)" } else { "" });
            widgets::fact(ui, kind, &words);
        }
    });
    state.words = words;
}

/// What the unit waits for, and what waits for it.
fn dependencies(ui: &mut Ui, view: &FrameView, state: &mut UiState, unit: u32) {
    widgets::heading(ui, "Depends on");
    let unit_of = |node: u32| view.nodes.get(node as usize).map_or(NONE, |n| n.unit);
    let mut rows = std::mem::take(&mut state.rows);
    let mut words = std::mem::take(&mut state.words);
    let mut clicked = None;
    rows.clear();
    for (n, edge) in view.edges.iter().enumerate() {
        let from = unit_of(edge.from);
        let new = |&other: &u32| {
            let other = &view.edges[other as usize];
            (unit_of(other.from), other.hazard, other.resource) == (from, edge.hazard, edge.resource)
        };
        if unit_of(edge.to) == unit && from != unit && from != NONE && !rows.iter().any(new) {
            rows.push(n as u32);
        }
    }
    for &n in &rows {
        let edge = &view.edges[n as usize];
        let from = unit_of(edge.from);
        words.clear();
        let hazard = match edge.hazard {
            framegraph::tables::Hazard::Raw => "reads what it wrote",
            framegraph::tables::Hazard::War => "writes what it read",
            framegraph::tables::Hazard::Waw => "writes what it wrote",
            framegraph::tables::Hazard::Order => "the game ordered them",
        };
        let name = view.units.get(from as usize).map_or("", |u| view.text(u.name));
        let _ = write!(words, "{name}: {hazard}");
        if edge.resource.is_some() {
            let _ = write!(words, ", {}", view.resource_name(edge.resource));
        }
        if ui.add(egui::Label::new(&*words).sense(Sense::click())).clicked() {
            clicked = Some(from);
        }
    }
    if rows.is_empty() {
        ui.label(RichText::new("nothing").color(style::WEAK));
    }
    state.rows = rows;
    state.words = words;
    if let Some(unit) = clicked {
        state.select_unit(view, unit);
    }
    let row = &view.units[unit as usize];
    if row.pass == NONE && view.unit_kind(row) == NodeKind::Draw {
        ui.label(RichText::new("a draw outside passes").color(style::BAD));
    }
}
