//! Colours and sizes: dark, dense, readable at 1280 × 720.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Visuals};

pub(super) const ACCENT: Color32 = Color32::from_rgb(240, 150, 90);
pub(super) const READ: Color32 = Color32::from_rgb(92, 158, 230);
pub(super) const WRITE: Color32 = Color32::from_rgb(236, 140, 76);
pub(super) const BOTH: Color32 = Color32::from_rgb(178, 132, 228);
pub(super) const BARRIER: Color32 = Color32::from_rgb(232, 204, 92);
pub(super) const FEEDBACK: Color32 = Color32::from_rgb(236, 96, 160);
pub(super) const GOOD: Color32 = Color32::from_rgb(112, 196, 128);
pub(super) const BAD: Color32 = Color32::from_rgb(236, 92, 84);
pub(super) const BACK: Color32 = Color32::from_rgb(21, 23, 28);
pub(super) const LINE: Color32 = Color32::from_rgb(48, 52, 61);
pub(super) const ROW: Color32 = Color32::from_rgb(27, 30, 36);
pub(super) const SELECTED: Color32 = Color32::from_rgb(52, 66, 92);
pub(super) const TEXT: Color32 = Color32::from_rgb(214, 218, 224);
pub(super) const WEAK: Color32 = Color32::from_rgb(142, 149, 160);

/// Height of a row of a list.
pub(super) const ROW_HEIGHT: f32 = 17.0;

/// The small font of grids.
pub(super) fn small() -> FontId {
    FontId::proportional(11.0)
}

/// The panel's own frame.
pub(super) fn panel() -> egui::Frame {
    egui::Frame::new()
        .fill(Color32::from_rgba_unmultiplied(21, 23, 28, 250))
        .inner_margin(Margin::symmetric(8, 5))
        .stroke(Stroke::new(1.0, LINE))
}

/// Sets the look of a context.
pub(super) fn apply(ctx: &egui::Context) {
    // The proportional fonts lack arrows and relations; the monospace one has them.
    let mut fonts = egui::FontDefinitions::default();
    for name in fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default() {
        let list = fonts.families.entry(FontFamily::Proportional).or_default();
        if !list.contains(&name) {
            list.push(name);
        }
    }
    ctx.set_fonts(fonts);
    ctx.set_theme(egui::Theme::Dark);
    let mut visuals = Visuals::dark();
    visuals.panel_fill = BACK;
    visuals.window_fill = BACK;
    visuals.extreme_bg_color = Color32::from_rgb(14, 15, 19);
    visuals.faint_bg_color = ROW;
    visuals.override_text_color = None;
    visuals.weak_text_color = Some(WEAK);
    visuals.selection.bg_fill = SELECTED;
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.widgets.noninteractive.fg_stroke = Stroke::new(1.0, TEXT);
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
    visuals.widgets.inactive.fg_stroke = Stroke::new(1.0, TEXT);
    for widget in [
        &mut visuals.widgets.noninteractive,
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = CornerRadius::same(3);
    }
    ctx.set_visuals(visuals);
    ctx.all_styles_mut(|style| {
        style.text_styles = [
            (TextStyle::Heading, FontId::new(14.0, FontFamily::Proportional)),
            (TextStyle::Body, FontId::new(12.5, FontFamily::Proportional)),
            (TextStyle::Button, FontId::new(12.5, FontFamily::Proportional)),
            (TextStyle::Small, FontId::new(11.0, FontFamily::Proportional)),
            (TextStyle::Monospace, FontId::new(11.5, FontFamily::Monospace)),
        ]
        .into();
        style.spacing.item_spacing = egui::vec2(7.0, 3.0);
        style.spacing.button_padding = egui::vec2(6.0, 1.5);
        style.spacing.interact_size.y = 18.0;
        style.spacing.icon_width = 13.0;
        style.spacing.icon_width_inner = 7.0;
        style.spacing.scroll = egui::style::ScrollStyle::solid();
        style.spacing.scroll.bar_width = 7.0;
        style.interaction.selectable_labels = false;
    });
}
