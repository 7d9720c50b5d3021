//! The grid: a column for each pass or node in order of execution, a row for each resource.
//!
//! A cell is orange where the unit writes, blue where it reads, violet where it does both; the line behind the cells is the time in which the content is
//! needed. A yellow edge is a layout change before the unit, a yellow number above a column the barriers before it. Magenta dots mark feedback. Rows and columns outside the
//! visible part cost nothing.

use super::{Listed, Tab, UiState, style, widgets};
use crate::model::{About, FrameView, NONE, resource_kind_words, use_words};
use egui::{Align2, Color32, Pos2, Rect, RichText, Sense, Stroke, Ui, Vec2, pos2, vec2};
use framegraph::resource::ResourceKind;

const CELL: f32 = 17.0;
const NAMES: f32 = 176.0;
const HEAD: f32 = 96.0;

pub(super) fn show(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    egui::SidePanel::right("grid-details")
        .resizable(true)
        .default_width(340.0)
        .min_width(200.0)
        .frame(egui::Frame::new().inner_margin(egui::Margin { left: 8, right: 0, top: 0, bottom: 0 }))
        .show_inside(ui, |ui| details(ui, view, state));
    ui.vertical(|ui| {
        legend(ui, state);
        list_rows(view, state);
        grid(ui, view, state);
    });
}

fn legend(ui: &mut Ui, state: &mut UiState) {
    ui.horizontal(|ui| {
        for (listed, name) in [(Listed::All, "all"), (Listed::Images, "images"), (Listed::Buffers, "buffers")] {
            if ui.selectable_label(state.listed == listed, name).clicked() {
                state.listed = listed;
            }
        }
        ui.add_space(10.0);
        for (color, name) in [
            (style::WRITE, "writes"),
            (style::READ, "reads"),
            (style::BOTH, "both"),
            (style::BARRIER, "layout change"),
            (style::FEEDBACK, "feedback"),
        ] {
            let (rect, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, color);
            ui.label(RichText::new(name).small().color(style::WEAK));
        }
    });
}

/// Rows shown: resources that a unit touches and that the search finds, by first use.
fn list_rows(view: &FrameView, state: &mut UiState) {
    let mut rows = std::mem::take(&mut state.rows);
    rows.clear();
    for (n, resource) in view.resources.iter().enumerate() {
        let image = !matches!(resource.kind, ResourceKind::Buffer { .. });
        let kind = match state.listed {
            Listed::All => true,
            Listed::Images => image,
            Listed::Buffers => !image,
        };
        if resource.life.is_some() && kind && state.finds(view.text(resource.name)) {
            rows.push(n as u32);
        }
    }
    rows.sort_by_key(|n| view.resources[*n as usize].life);
    state.rows = rows;
}

fn grid(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    let rows = std::mem::take(&mut state.rows);
    let columns = view.units.len();
    let size = vec2(NAMES + columns as f32 * CELL + 60.0, HEAD + rows.len() as f32 * CELL + 4.0);
    egui::ScrollArea::both().auto_shrink(false).show_viewport(ui, |ui, port| {
        let origin = ui.max_rect().min;
        let (area, response) = ui.allocate_exact_size(size, Sense::click());
        let _ = area;
        let clip = ui.clip_rect();
        // The names and the heads stay where they are while the cells move under them.
        let pin = origin + port.min.to_vec2();
        let cell_at = |row: usize, column: usize| {
            Rect::from_min_size(
                pos2(origin.x + NAMES + column as f32 * CELL, origin.y + HEAD + row as f32 * CELL),
                Vec2::splat(CELL),
            )
        };
        let first_row = (port.min.y / CELL) as usize;
        let first_row = first_row.min(rows.len());
        let last_row = rows.len().min(((port.max.y - HEAD).max(0.0) / CELL) as usize + 2).max(first_row);
        let first_column = ((port.min.x / CELL) as usize).min(columns);
        let last_column = columns.min(((port.max.x - NAMES).max(0.0) / CELL) as usize + 2).max(first_column);
        let resource_at = |row: usize| view.resources.get(*rows.get(row)? as usize);
        let pointer = response.hover_pos();
        let hovered = pointer.and_then(|p| {
            let at = p - origin;
            let inside = p.x >= pin.x + NAMES && p.y >= pin.y + HEAD;
            let (column, row) = (((at.x - NAMES) / CELL) as usize, ((at.y - HEAD) / CELL) as usize);
            (inside && column < columns && row < rows.len()).then_some((row, column))
        });
        let hovered_row = pointer.filter(|p| p.y >= pin.y + HEAD).map(|p| ((p.y - origin.y - HEAD) / CELL) as usize);
        let hovered_column =
            pointer.filter(|p| p.x >= pin.x + NAMES).map(|p| ((p.x - origin.x - NAMES) / CELL) as usize);

        let cells = ui.painter().with_clip_rect(
            clip.intersect(Rect::from_min_max(pos2(pin.x + NAMES, pin.y + HEAD), pos2(f32::INFINITY, f32::INFINITY))),
        );
        let selected = Color32::from_rgb(38, 46, 64);
        for row in first_row..last_row {
            let Some(resource) = resource_at(row) else { continue };
            let line = cell_at(row, 0);
            let right = cell_at(row, columns).min.x;
            if state.selection.resource == Some(resource.id) {
                let band = Rect::from_min_max(line.min, pos2(right, line.max.y));
                cells.rect_filled(band, 0.0, selected);
            } else if row % 2 == 1 {
                let band = Rect::from_min_max(line.min, pos2(right, line.max.y));
                cells.rect_filled(band, 0.0, Color32::from_rgb(26, 29, 35));
            }
        }
        if let Some(unit) = state.selection.unit {
            let band = cell_at(0, unit as usize);
            let band = Rect::from_min_max(band.min, pos2(band.max.x, origin.y + size.y));
            cells.rect_filled(band, 0.0, selected);
        }
        for row in first_row..last_row {
            let Some(resource) = resource_at(row) else { continue };
            if let Some((from, to)) = resource.life {
                let y = cell_at(row, 0).center().y;
                let (a, b) = (cell_at(row, from as usize).center().x, cell_at(row, to as usize).center().x);
                cells.line_segment([pos2(a, y), pos2(b, y)], Stroke::new(1.0, Color32::from_rgb(70, 76, 88)));
            }
            for cell in view.cells_of(resource) {
                let column = cell.unit as usize;
                if (first_column..last_column).contains(&column) {
                    let rect = cell_at(row, column).shrink(2.5);
                    cells.rect_filled(rect, 2.0, widgets::use_color(cell.uses));
                }
            }
        }
        let row_of = |id| rows[first_row..last_row].iter().position(|n| view.resources[*n as usize].id == id);
        for change in &view.transitions {
            let Some(barrier) = view.barriers.get(change.barrier as usize) else { continue };
            if let Some(row) = row_of(change.resource) {
                let rect = cell_at(first_row + row, barrier.unit as usize);
                let edge = Rect::from_min_size(rect.min + vec2(0.0, 2.0), vec2(2.0, CELL - 4.0));
                cells.rect_filled(edge, 0.0, style::BARRIER);
            }
        }
        for feedback in &view.feedback {
            let unit = view.nodes.get(feedback.node as usize).map_or(NONE, |n| n.unit);
            if let (Some(row), true) = (row_of(feedback.resource), unit != NONE) {
                let center = cell_at(first_row + row, unit as usize).center();
                cells.circle_filled(center, 3.0, style::FEEDBACK);
            }
        }
        if let Some((row, column)) = hovered {
            let stroke = Stroke::new(1.0, Color32::WHITE);
            cells.rect_stroke(cell_at(row, column).shrink(1.0), 2.0, stroke, egui::StrokeKind::Inside);
        }

        // Heads.
        let heads = ui.painter().with_clip_rect(
            clip.intersect(Rect::from_min_max(pos2(pin.x + NAMES, pin.y), pos2(f32::INFINITY, pin.y + HEAD))),
        );
        heads.rect_filled(heads.clip_rect(), 0.0, style::BACK);
        for column in first_column..last_column {
            let unit = &view.units[column];
            let x = cell_at(0, column).center().x;
            let chosen = state.selection.unit == Some(column as u32);
            let color = match (chosen, hovered_column == Some(column), unit.pass != NONE) {
                (true, ..) => Color32::WHITE,
                (_, true, _) => style::ACCENT,
                (_, _, true) => style::TEXT,
                _ => style::WEAK,
            };
            let found = state.search.is_empty() || state.finds(view.text(unit.name));
            let color = if found { color } else { color.gamma_multiply(0.6) };
            let mut job = egui::text::LayoutJob::single_section(
                view.text(unit.name).to_owned(),
                egui::TextFormat::simple(style::small(), color),
            );
            job.wrap = egui::text::TextWrapping::truncate_at_width(HEAD - 22.0);
            let galley = ui.fonts_mut(|f| f.layout_job(job));
            // Turned to the left: the text runs upwards from the cells.
            let foot = Pos2::new(x - galley.size().y / 2.0, pin.y + HEAD - 4.0);
            heads.add(egui::epaint::TextShape::new(foot, galley, color).with_angle(-std::f32::consts::FRAC_PI_2));
            if unit.barriers.len > 0 {
                let mut number = [0u8; 4];
                let text = digits(unit.barriers.len, &mut number);
                heads.text(
                    pos2(x, pin.y + 7.0),
                    Align2::CENTER_CENTER,
                    text,
                    egui::FontId::proportional(10.0),
                    style::BARRIER,
                );
            }
        }

        // Names.
        let names = ui.painter().with_clip_rect(
            clip.intersect(Rect::from_min_max(pos2(pin.x, pin.y + HEAD), pos2(pin.x + NAMES, f32::INFINITY))),
        );
        names.rect_filled(names.clip_rect(), 0.0, style::BACK);
        for row in first_row..last_row {
            let Some(resource) = resource_at(row) else { continue };
            let y = cell_at(row, 0).center().y;
            let dot = Rect::from_center_size(pos2(pin.x + 5.0, y), Vec2::splat(6.0));
            names.rect_filled(dot, 2.0, widgets::resource_color(&resource.kind));
            let color = match (state.selection.resource == Some(resource.id), hovered_row == Some(row)) {
                (true, _) => Color32::WHITE,
                (_, true) => style::ACCENT,
                _ => style::TEXT,
            };
            names.text(
                pos2(pin.x + 13.0, y),
                Align2::LEFT_CENTER,
                view.text(resource.name),
                egui::FontId::proportional(12.0),
                color,
            );
        }
        let corner = Rect::from_min_size(pin, vec2(NAMES, HEAD));
        ui.painter().rect_filled(corner.intersect(clip), 0.0, style::BACK);
        ui.painter().with_clip_rect(clip).text(
            pos2(pin.x + 2.0, pin.y + HEAD - 5.0),
            Align2::LEFT_BOTTOM,
            "resource",
            style::small(),
            style::WEAK,
        );
        ui.painter().with_clip_rect(clip).text(
            pos2(pin.x + NAMES - 8.0, pin.y + 7.0),
            Align2::RIGHT_CENTER,
            "barriers",
            style::small(),
            style::BARRIER,
        );

        if response.clicked() {
            if let Some(resource) = hovered_row.and_then(|r| rows.get(r)).and_then(|n| view.resources.get(*n as usize))
            {
                state.select_resource(resource.id);
            }
            if let Some(column) = hovered_column.filter(|c| *c < columns) {
                state.select_unit(view, column as u32);
            }
        }
        if response.double_clicked() {
            match (hovered_column.filter(|c| *c < columns), hovered_row) {
                (Some(_), _) => state.tab = Tab::Pass,
                (None, Some(_)) => state.tab = Tab::Resource,
                _ => {}
            }
        }
        if let Some((row, column)) = hovered
            && let Some(resource) = resource_at(row)
        {
            let mut words = std::mem::take(&mut state.words);
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(RichText::new(view.text(view.units[column].name)).strong());
                words.clear();
                words.push_str(view.text(resource.name));
                words.push_str(": ");
                match view.cell(resource, column as u32) {
                    Some(cell) => use_words(&mut words, cell.uses, cell.stages),
                    None => words.push_str("not touched"),
                }
                ui.label(&*words);
            });
            state.words = words;
        }
    });
    state.rows = rows;
}

fn digits(number: u32, into: &mut [u8; 4]) -> &str {
    use std::io::Write as _;
    let mut rest = &mut into[..];
    let before = rest.len();
    let _ = write!(rest, "{}", number.min(9999));
    let used = before - rest.len();
    std::str::from_utf8(&into[..used]).unwrap_or_default()
}

fn details(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        if state.selection.unit.is_none() && state.selection.resource.is_none() {
            ui.add_space(6.0);
            let hint = "Select a cell, a column or a row. A double click opens the page of the pass or the resource.";
            ui.add(egui::Label::new(RichText::new(hint).color(style::WEAK)).wrap());
        }
        if let Some(resource) = state.selection.resource.and_then(|id| view.resource(id)).copied() {
            widgets::heading(ui, view.text(resource.name));
            let mut words = std::mem::take(&mut state.words);
            words.clear();
            resource_kind_words(&mut words, &resource.kind);
            ui.label(RichText::new(&*words).color(style::WEAK));
            state.words = words;
            super::resource::last_written(ui, view, &resource);
            if view.decisions_about(About::Resource(resource.id)).next().is_some() {
                widgets::decisions(ui, view, About::Resource(resource.id));
            }
        }
        if let Some(unit) = state.selection.unit {
            unit_details(ui, view, state, unit);
        }
    });
}

/// All about a unit: attachments, barriers, decisions.
pub(super) fn unit_details(ui: &mut Ui, view: &FrameView, state: &mut UiState, unit: u32) {
    let Some(row) = view.units.get(unit as usize) else { return };
    widgets::heading(ui, view.text(row.name));
    let mut words = std::mem::take(&mut state.words);
    words.clear();
    widgets::unit_line(&mut words, view, row);
    ui.label(RichText::new(&*words).color(style::WEAK));
    state.words = words;
    if let Some(pass) = view.passes.get(row.pass as usize) {
        widgets::attachments(ui, view, state, pass);
    }
    widgets::heading(ui, "Barriers before it");
    widgets::barriers(ui, view, state, unit);
    widgets::heading(ui, "Decisions");
    let about = if row.pass == NONE { About::Node(row.node) } else { About::Pass(row.pass) };
    widgets::decisions(ui, view, about);
}
