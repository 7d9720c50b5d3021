//! Pieces that several pages share.

use super::{ThumbnailKey, UiState, style, verdict_color};
use crate::model::{About, BarrierView, FrameView, PassView, UnitView, about_part, seconds, use_words, verdict_word};
use egui::{Color32, Rect, RichText, Sense, StrokeKind, Ui, Vec2, pos2};
use framegraph::pass::{LoadOp, StoreOp};
use framegraph::resource::{Part, ResourceKind};
use framegraph::state::{Aspects, Attachment};
use std::fmt::Write as _;

/// A line of a name in grey and its value; nothing where there is no value.
pub(super) fn fact(ui: &mut Ui, name: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    ui.horizontal_top(|ui| {
        let width = 74.0;
        ui.allocate_ui_with_layout(
            Vec2::new(width, style::ROW_HEIGHT),
            egui::Layout::left_to_right(egui::Align::Min),
            |ui| {
                ui.set_min_width(width);
                ui.label(RichText::new(name).color(style::WEAK));
            },
        );
        ui.add(egui::Label::new(value).wrap());
    });
}

/// A small heading.
pub(super) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(5.0);
    ui.label(RichText::new(text).strong().color(style::ACCENT));
}

/// A row of a list that can be selected; true when it was clicked.
pub(super) fn row(ui: &mut Ui, selected: bool, mark: Option<Color32>, text: &str, right: &str) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), style::ROW_HEIGHT), Sense::click());
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let painter = ui.painter_at(rect);
    if selected {
        painter.rect_filled(rect, 2.0, style::SELECTED);
    } else if response.hovered() {
        painter.rect_filled(rect, 2.0, style::ROW);
    }
    let mut left = rect.left() + 4.0;
    if let Some(color) = mark {
        let dot = Rect::from_center_size(pos2(left + 3.0, rect.center().y), Vec2::splat(7.0));
        painter.rect_filled(dot, 2.0, color);
        left += 12.0;
    }
    let font = egui::FontId::proportional(12.5);
    let color = if selected { Color32::WHITE } else { style::TEXT };
    let mut end = rect.right() - 4.0;
    if !right.is_empty() {
        let galley = painter.layout_no_wrap(right.to_owned(), style::small(), style::WEAK);
        end -= galley.size().x;
        painter.galley(pos2(end, rect.center().y - galley.size().y / 2.0), galley, style::WEAK);
    }
    let mut job = egui::text::LayoutJob::single_section(text.to_owned(), egui::TextFormat::simple(font, color));
    job.wrap = egui::text::TextWrapping::truncate_at_width((end - left - 6.0).max(10.0));
    let galley = ui.fonts_mut(|f| f.layout_job(job));
    painter.galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, color);
    ui.ctx().widget_label(&response, text);
    response
}

trait WidgetLabel {
    /// Names a painted widget to whoever asks the interface what it shows.
    fn widget_label(&self, response: &egui::Response, text: &str);
}

impl WidgetLabel for egui::Context {
    fn widget_label(&self, response: &egui::Response, text: &str) {
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::SelectableLabel, true, text));
    }
}

/// Colour of what a cell does.
pub(super) fn use_color(used: u32) -> Color32 {
    use framegraph::tables::uses::WRITES;
    match (used & WRITES != 0, used & !WRITES != 0) {
        (true, true) => style::BOTH,
        (true, false) => style::WRITE,
        _ => style::READ,
    }
}

/// A picture of a subresource, of at most `size`, in the proportions of `extent`.
pub(super) fn thumbnail(
    ui: &mut Ui,
    state: &mut UiState,
    key: ThumbnailKey,
    extent: [u32; 2],
    size: Vec2,
    channels: u8,
    range: [f32; 2],
) -> egui::Response {
    let [w, h] = extent.map(|n| n.max(1) as f32);
    let scale = (size.x / w).min(size.y / h);
    let (area, response) = ui.allocate_exact_size(size, Sense::click());
    let rect = Rect::from_center_size(area.center(), Vec2::new((w * scale).round(), (h * scale).round()));
    if ui.is_rect_visible(area) {
        let painter = ui.painter_at(area);
        painter.rect_filled(area, 2.0, Color32::from_rgb(12, 13, 16));
        // Seen only where nobody has a picture to put over it.
        painter.text(area.center(), egui::Align2::CENTER_CENTER, "no picture", style::small(), style::WEAK);
        let texture = state.request(key, channels, range);
        let uv = match state.flip {
            true => Rect::from_min_max(pos2(0.0, 1.0), pos2(1.0, 0.0)),
            false => Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)),
        };
        painter.image(texture, rect, uv, Color32::WHITE);
        let color = if response.hovered() { style::ACCENT } else { style::LINE };
        painter.rect_stroke(area, 2.0, egui::Stroke::new(1.0, color), StrokeKind::Inside);
    }
    response
}

/// The subresource that an attachment is, and the components to show.
pub(super) fn attachment_key(attachment: &Attachment) -> (ThumbnailKey, u8) {
    let part = attachment.view.part;
    let depth = part.aspects.intersects(Aspects::DEPTH);
    let aspect = if depth { Aspects::DEPTH } else { Aspects(part.aspects.0.max(1)) };
    let key =
        ThumbnailKey { resource: attachment.view.resource, level: part.base_level, layer: part.base_layer, aspect };
    (key, default_channels(aspect))
}

/// Components that a picture shows at first.
pub(super) fn default_channels(aspect: Aspects) -> u8 {
    if aspect == Aspects::COLOR { 0b0111 } else { 0b0001 }
}

fn load_words(into: &mut String, load: &LoadOp, class: framegraph::state::NumericClass, depth: bool) {
    match load {
        LoadOp::Load => into.push_str("load"),
        LoadOp::DontCare => into.push_str("any content"),
        LoadOp::Clear(value) if depth => {
            let _ = write!(into, "clear {}", f32::from_bits(value[0]));
        }
        LoadOp::Clear(value) => {
            into.push_str("clear");
            for word in value {
                let _ = match class {
                    framegraph::state::NumericClass::Float => write!(into, " {}", f32::from_bits(*word)),
                    framegraph::state::NumericClass::Sint => write!(into, " {}", *word as i32),
                    framegraph::state::NumericClass::Uint => write!(into, " {word}"),
                };
            }
        }
    }
}

fn store_word(store: StoreOp) -> &'static str {
    match store {
        StoreOp::Store => "store",
        StoreOp::DontCare => "drop",
        StoreOp::None => "not written",
    }
}

/// The attachments of a pass: pictures with name, format, load and store.
pub(super) fn attachments(ui: &mut Ui, view: &FrameView, state: &mut UiState, pass: &PassView) {
    let slots = pass.targets.color.iter().enumerate().map(|(n, a)| (n, a.as_ref()));
    for (slot, attachment) in slots.chain([(8, pass.targets.depth.as_ref())]) {
        let Some(attachment) = attachment else { continue };
        let id = attachment.view.resource;
        let mut words = std::mem::take(&mut state.words);
        ui.horizontal_top(|ui| {
            let (key, channels) = attachment_key(attachment);
            let size = Vec2::new(82.0, 46.0);
            if thumbnail(ui, state, key, attachment.extent, size, channels, [0.0, 1.0]).clicked() {
                state.select_resource(id);
                state.tab = super::Tab::Resource;
            }
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                words.clear();
                let _ = match slot {
                    8 => write!(words, "depth  "),
                    slot => write!(words, "{slot}  "),
                };
                words.push_str(view.resource_name(id));
                let kind = view.resource(id).map(|r| r.kind);
                about_part(&mut words, &Part::Image(attachment.view.part), kind.as_ref());
                ui.label(RichText::new(&*words).strong());
                words.clear();
                let _ = write!(
                    words,
                    "{} {}\u{d7}{}",
                    attachment.view.format.name(),
                    attachment.extent[0],
                    attachment.extent[1]
                );
                ui.label(RichText::new(&*words).small().color(style::WEAK));
                words.clear();
                let (load, store) = if slot == 8 { pass.ops.depth } else { pass.ops.color[slot] };
                load_words(&mut words, &load, attachment.view.format.class(), slot == 8);
                words.push_str(" \u{2192} ");
                words.push_str(store_word(store));
                if slot == 8 && pass.ops.depth_read_only {
                    words.push_str(", read only");
                }
                if slot == 8 && attachment.view.format.aspects().intersects(Aspects::STENCIL) {
                    words.push_str(", stencil ");
                    match pass.ops.stencil.0 {
                        LoadOp::Clear(value) => {
                            let _ = write!(words, "clear {}", value[1]);
                        }
                        other => load_words(&mut words, &other, framegraph::state::NumericClass::Uint, false),
                    }
                    words.push_str(" \u{2192} ");
                    words.push_str(store_word(pass.ops.stencil.1));
                }
                ui.label(&*words);
            });
        });
        state.words = words;
    }
}

/// One barrier in words.
pub(super) fn barrier_words(into: &mut String, view: &FrameView, barrier: &BarrierView) {
    if barrier.source.0 | barrier.target.0 == 0 {
        into.push_str("layout changes only");
        return;
    }
    use_words(into, barrier.source.0, barrier.source.1);
    into.push_str(" \u{2192} ");
    use_words(into, barrier.target.0, barrier.target.1);
    if barrier.inside != crate::model::NONE {
        into.push_str("  (by region, before ");
        view.node_name(barrier.inside, into);
        into.push(')');
    }
}

/// The barriers of a unit.
pub(super) fn barriers(ui: &mut Ui, view: &FrameView, state: &mut UiState, unit: u32) {
    let list = view.barriers_of(unit);
    if list.is_empty() {
        ui.label(RichText::new("none: nothing before it conflicts").color(style::WEAK));
    }
    let mut words = std::mem::take(&mut state.words);
    for barrier in list {
        words.clear();
        barrier_words(&mut words, view, barrier);
        ui.add(egui::Label::new(RichText::new(&*words).color(style::BARRIER)).wrap());
        for change in view.transitions.get(barrier.transitions.range()).unwrap_or_default() {
            words.clear();
            words.push_str("    ");
            words.push_str(view.resource_name(change.resource));
            let kind = view.resource(change.resource).map(|r| r.kind);
            about_part(&mut words, &Part::Image(change.part), kind.as_ref());
            let _ = write!(words, ": {:?} \u{2192} {:?}", change.from, change.to);
            let label = egui::Label::new(RichText::new(&*words)).sense(Sense::click());
            if ui.add(label).clicked() {
                state.select_resource(change.resource);
            }
        }
    }
    state.words = words;
}

/// Decisions about something, in words.
pub(super) fn decisions(ui: &mut Ui, view: &FrameView, about: About) {
    let mut any = false;
    for n in view.decisions_about(about) {
        any = true;
        let decision = &view.decisions[n];
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            ui.label(RichText::new(verdict_word(decision.verdict)).color(verdict_color(decision.verdict)));
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.add(egui::Label::new(view.text(decision.words)).wrap());
                ui.horizontal(|ui| {
                    ui.label(RichText::new(view.text(decision.about)).small().color(style::WEAK));
                    ui.label(RichText::new(decision.rule).small().color(style::WEAK));
                });
            });
        });
    }
    if !any {
        ui.label(RichText::new("none: it is as the game asked").color(style::WEAK));
    }
}

/// What a unit is, in a line.
pub(super) fn unit_line(into: &mut String, view: &FrameView, unit: &UnitView) {
    match view.passes.get(unit.pass as usize) {
        Some(pass) => {
            let _ = write!(into, "{}\u{d7}{}", pass.extent[0], pass.extent[1]);
            if pass.layers > 1 {
                let _ = write!(into, ", {} layers", pass.layers);
            }
            if pass.targets.samples > 1 {
                let _ = write!(into, ", {} samples", pass.targets.samples);
            }
            let _ = write!(into, ", {} draws", pass.draws);
            if let Some((start, end)) = pass.gpu {
                into.push_str(", ");
                seconds(into, end.saturating_sub(start));
            }
        }
        None => view.node_name(unit.node, into),
    }
}

/// Mark of a unit in lists.
pub(super) fn unit_color(view: &FrameView, unit: &UnitView) -> Color32 {
    use framegraph::tables::NodeKind;
    match (unit.pass != crate::model::NONE, view.unit_kind(unit)) {
        (true, _) => style::WRITE,
        (_, NodeKind::Dispatch) => style::BOTH,
        (_, NodeKind::Present | NodeKind::Overlay) => style::GOOD,
        _ => style::READ,
    }
}

/// Mark of a resource in lists.
pub(super) fn resource_color(kind: &ResourceKind) -> Color32 {
    match kind {
        ResourceKind::Image(desc) if desc.host_format.aspects() != Aspects::COLOR => style::BOTH,
        ResourceKind::Image(_) => style::WRITE,
        ResourceKind::Swapchain { .. } => style::GOOD,
        _ => style::READ,
    }
}
