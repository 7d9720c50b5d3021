//! Numbers of the frame and their course over the last frames; a number above its budget is red.

use super::style;
use crate::model::{CounterHistory, CounterUnit, CounterView, FrameView, count, seconds, size_words};
use egui::{Rect, RichText, Sense, Stroke, Ui, pos2, vec2};
use egui_extras::{Column, TableBuilder};

fn value_words(into: &mut String, value: u64, unit: CounterUnit) {
    match unit {
        CounterUnit::Count => count(into, value),
        CounterUnit::Bytes => size_words(into, value),
        CounterUnit::Nanoseconds => seconds(into, value),
    }
}

fn over(counter: &CounterView) -> bool {
    counter.budget.is_some_and(|budget| counter.value > budget)
}

pub(super) fn show(ui: &mut Ui, view: &FrameView, history: &CounterHistory) {
    let mut words = String::new();
    TableBuilder::new(ui)
        .id_salt("counters")
        .striped(true)
        .column(Column::initial(220.0).clip(true).resizable(true))
        .column(Column::initial(110.0).clip(true))
        .column(Column::initial(110.0).clip(true))
        .column(Column::remainder().clip(true))
        .header(style::ROW_HEIGHT, |mut header| {
            for title in ["counter", "this frame", "budget", "last frames"] {
                header.col(|ui| {
                    ui.label(RichText::new(title).small().color(style::WEAK));
                });
            }
        })
        .body(|body| {
            body.rows(style::ROW_HEIGHT + 3.0, view.counters.len(), |mut row| {
                let counter = &view.counters[row.index()];
                let color = if over(counter) { style::BAD } else { style::TEXT };
                row.col(|ui| {
                    ui.label(RichText::new(counter.name).color(color));
                });
                row.col(|ui| {
                    words.clear();
                    value_words(&mut words, counter.value, counter.unit);
                    ui.label(RichText::new(&*words).color(color).strong());
                });
                row.col(|ui| {
                    words.clear();
                    if let Some(budget) = counter.budget {
                        value_words(&mut words, budget, counter.unit);
                    }
                    ui.label(RichText::new(&*words).color(style::WEAK));
                });
                row.col(|ui| plot(ui, counter, history));
            });
        });
}

fn plot(ui: &mut Ui, counter: &CounterView, history: &CounterHistory) {
    let width = ui.available_width().min(480.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, style::ROW_HEIGHT), Sense::hover());
    let painter = ui.painter_at(rect);
    let most = history.values(counter.name).max().unwrap_or(0).max(counter.budget.unwrap_or(0)).max(1);
    let least = history.values(counter.name).min().unwrap_or(0);
    let bar = width / crate::model::HISTORY as f32;
    let height = |value: u64| (rect.height() - 2.0) * value as f32 / most as f32;
    for (n, value) in history.values(counter.name).enumerate() {
        let over = counter.budget.is_some_and(|b| value > b);
        let color = if over { style::BAD } else { style::READ };
        let left = rect.left() + n as f32 * bar;
        let top = rect.bottom() - height(value).max(1.0);
        painter.rect_filled(Rect::from_min_max(pos2(left, top), pos2(left + bar.max(1.0), rect.bottom())), 0.0, color);
    }
    if let Some(budget) = counter.budget {
        let y = rect.bottom() - height(budget);
        painter.line_segment([pos2(rect.left(), y), pos2(rect.right(), y)], Stroke::new(1.0, style::BARRIER));
    }
    let mut words = String::from("least ");
    if response.hovered() {
        value_words(&mut words, least, counter.unit);
        words.push_str(", most ");
        value_words(&mut words, history.values(counter.name).max().unwrap_or(0), counter.unit);
    }
    response.on_hover_text(words);
}
