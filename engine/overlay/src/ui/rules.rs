//! The switches: a checkbox for each system, with what it means when it is off.

use super::{Action, Tab, UiState, style};
use crate::model::FrameView;
use egui::{RichText, Ui};
use egui_extras::{Column, TableBuilder};
use framegraph::rule::Kind;
use std::fmt::Write as _;

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Plumbing => "plumbing",
        Kind::Correctness => "correctness",
        Kind::Optimisation => "optimisation",
        Kind::Policy => "policy",
    }
}

fn kind_color(kind: Kind) -> egui::Color32 {
    match kind {
        Kind::Plumbing => style::WEAK,
        Kind::Correctness => style::GOOD,
        Kind::Optimisation => style::READ,
        Kind::Policy => style::BOTH,
    }
}

pub(super) fn show(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    ui.horizontal(|ui| {
        if ui.selectable_label(state.kind_filter.is_none(), "all").clicked() {
            state.kind_filter = None;
        }
        for kind in [Kind::Correctness, Kind::Optimisation, Kind::Policy, Kind::Plumbing] {
            let text = RichText::new(kind_word(kind)).color(kind_color(kind));
            if ui.selectable_label(state.kind_filter == Some(kind), text).clicked() {
                state.kind_filter = Some(kind);
            }
        }
        let off = view.rules.iter().filter(|r| !r.on).count();
        if off > 0 {
            let mut words = std::mem::take(&mut state.words);
            words.clear();
            let _ = write!(words, "turn all {off} on again");
            if ui.button(&*words).clicked() {
                let all = view.rules.iter().filter(|r| !r.on).map(|r| Action::SetRule(r.name, true));
                state.actions.extend(all);
            }
            state.words = words;
        }
    });
    let mut rows = std::mem::take(&mut state.rows);
    rows.clear();
    rows.extend((0..view.rules.len() as u32).filter(|n| {
        let rule = &view.rules[*n as usize];
        state.kind_filter.is_none_or(|kind| kind == rule.kind)
            && (state.finds(rule.name) || state.finds(rule.off_means) || rule.rows.iter().any(|row| state.finds(row)))
    }));
    let mut words = std::mem::take(&mut state.words);
    let mut decided = None;
    TableBuilder::new(ui)
        .id_salt("rules")
        .striped(true)
        .column(Column::initial(230.0).clip(true).resizable(true))
        .column(Column::initial(84.0).clip(true))
        .column(Column::initial(74.0).clip(true))
        .column(Column::initial(66.0).clip(true))
        .column(Column::initial(390.0).clip(true).resizable(true))
        .column(Column::remainder().clip(true))
        .header(style::ROW_HEIGHT, |mut header| {
            for title in ["rule", "kind", "phase", "decisions", "when it is off", "catalogue rows"] {
                header.col(|ui| {
                    ui.label(RichText::new(title).small().color(style::WEAK));
                });
            }
        })
        .body(|body| {
            body.rows(style::ROW_HEIGHT + 2.0, rows.len(), |mut row| {
                let rule = &view.rules[rows[row.index()] as usize];
                row.col(|ui| {
                    let mut on = rule.on;
                    let text = RichText::new(rule.name).color(if on { style::TEXT } else { style::BAD });
                    let switch = ui.add_enabled(rule.kind != Kind::Plumbing, egui::Checkbox::new(&mut on, text));
                    if switch.changed() {
                        state.actions.push(Action::SetRule(rule.name, on));
                    }
                });
                row.col(|ui| {
                    ui.label(RichText::new(kind_word(rule.kind)).color(kind_color(rule.kind)));
                });
                row.col(|ui| {
                    words.clear();
                    let _ = write!(words, "{:?}", rule.phase);
                    ui.label(RichText::new(words.to_lowercase()).color(style::WEAK));
                });
                row.col(|ui| {
                    if rule.decisions > 0 {
                        words.clear();
                        let _ = write!(words, "{}", rule.decisions);
                        if ui.link(&*words).clicked() {
                            decided = Some(rule.name);
                        }
                    }
                });
                row.col(|ui| {
                    ui.label(rule.off_means).on_hover_text(rule.off_means);
                });
                row.col(|ui| {
                    words.clear();
                    for (n, id) in rule.rows.iter().enumerate() {
                        words.push_str(if n > 0 { " " } else { "" });
                        words.push_str(id);
                    }
                    ui.label(RichText::new(&*words).small().color(style::WEAK));
                });
            });
        });
    state.rows = rows;
    state.words = words;
    if decided.is_some() {
        state.rule_filter = decided;
        state.tab = Tab::Decisions;
    }
}
