//! All decisions of the frame, filtered by rule, verdict and search.

use super::{Tab, UiState, style, verdict_color};
use crate::model::{FrameView, verdict_word};
use egui::{RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};
use framegraph::decision::Verdict;

const VERDICTS: [Verdict; 7] = [
    Verdict::Changed,
    Verdict::Skipped,
    Verdict::Inserted,
    Verdict::Moved,
    Verdict::Refused,
    Verdict::Taken,
    Verdict::Degraded,
];

pub(super) fn show(ui: &mut Ui, view: &FrameView, state: &mut UiState) {
    ui.horizontal(|ui| {
        let shown = state.rule_filter.unwrap_or("all rules");
        egui::ComboBox::from_id_salt("rule").selected_text(shown).width(190.0).show_ui(ui, |ui| {
            ui.selectable_value(&mut state.rule_filter, None, "all rules");
            for rule in view.rules.iter().filter(|r| r.decisions > 0) {
                ui.selectable_value(&mut state.rule_filter, Some(rule.name), rule.name);
            }
        });
        for verdict in VERDICTS {
            let bit = 1 << verdict as u32;
            let on = state.verdicts & bit != 0;
            let color = if on { verdict_color(verdict) } else { style::WEAK };
            if ui.selectable_label(on, RichText::new(verdict_word(verdict)).color(color)).clicked() {
                state.verdicts ^= bit;
            }
        }
    });
    let mut rows = std::mem::take(&mut state.rows);
    rows.clear();
    rows.extend((0..view.decisions.len() as u32).filter(|n| {
        let d = &view.decisions[*n as usize];
        state.verdicts & 1 << d.verdict as u32 != 0
            && state.rule_filter.is_none_or(|rule| rule == d.rule)
            && (state.finds(view.text(d.words)) || state.finds(view.text(d.about)) || state.finds(d.rule))
    }));
    let mut clicked = None;
    TableBuilder::new(ui)
        .id_salt("decisions")
        .striped(true)
        .sense(Sense::click())
        .column(Column::initial(64.0).clip(true))
        .column(Column::initial(180.0).clip(true).resizable(true))
        .column(Column::initial(160.0).clip(true).resizable(true))
        .column(Column::initial(130.0).clip(true).resizable(true))
        .column(Column::remainder().clip(true))
        .header(style::ROW_HEIGHT, |mut header| {
            for title in ["verdict", "rule", "about", "pass", "reason"] {
                header.col(|ui| {
                    ui.label(RichText::new(title).small().color(style::WEAK));
                });
            }
        })
        .body(|body| {
            body.rows(style::ROW_HEIGHT, rows.len(), |mut row| {
                let d = &view.decisions[rows[row.index()] as usize];
                row.col(|ui| {
                    ui.label(RichText::new(verdict_word(d.verdict)).color(verdict_color(d.verdict)));
                });
                row.col(|ui| {
                    ui.label(d.rule);
                });
                row.col(|ui| {
                    ui.label(view.text(d.about));
                });
                row.col(|ui| {
                    let pass = view.passes.get(d.pass as usize);
                    ui.label(RichText::new(pass.map_or("", |p| view.text(p.name))).color(style::WEAK));
                });
                row.col(|ui| {
                    ui.label(view.text(d.words)).on_hover_text(view.text(d.words));
                });
                if row.response().clicked() {
                    clicked = Some(*d);
                }
            });
        });
    state.rows = rows;
    let Some(decision) = clicked else { return };
    if (decision.node as usize) < view.nodes.len() {
        state.select_node(view, decision.node);
        state.tab = Tab::Pass;
    } else if let Some(pass) = view.passes.get(decision.pass as usize) {
        state.select_unit(view, pass.unit);
        state.tab = Tab::Pass;
    } else if decision.resource.is_some() {
        state.select_resource(decision.resource);
        state.tab = Tab::Resource;
    }
}
