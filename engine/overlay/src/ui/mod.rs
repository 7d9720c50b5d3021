//! What the inspector shows: egui over a [`FrameView`]. It changes nothing itself; what the user asks for goes out as [`Action`]s.
//!
//! The panel lies over the lower part of the picture (or all of it). Tabs: the flame graph, the grid of passes × resources, one pass, one resource, the
//! decisions, the rules, the counters. Pictures of the game's images are asked for with [`ThumbnailRequest`]s, which the owner of the images answers when it
//! paints.

mod counters;
mod decisions;
mod grid;
mod pass;
mod resource;
mod rules;
mod style;
#[cfg(test)]
mod tests;
mod widgets;

use crate::model::{CounterHistory, FrameView, NONE, seconds};
use egui::{Align, Layout, RichText, TextureId};
use framegraph::decision::Verdict;
use framegraph::ids::ResourceId;
use framegraph::rule::Kind;
use framegraph::state::Aspects;
use std::fmt::Write as _;

/// File format of an exported frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the formats' own.
pub enum ExportFormat {
    Ron,
    Json,
    Dot,
    Html,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Html, Self::Json, Self::Ron, Self::Dot];

    /// The name, as `--format` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ron => "ron",
            Self::Json => "json",
            Self::Dot => "dot",
            Self::Html => "html",
        }
    }
}

/// Something the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Turn a rule on or off, from the next part on (at once where the frame is frozen: run it again).
    SetRule(&'static str, bool),
    /// Hold the game at this frame (`true`), or let it run on.
    Freeze(bool),
    /// Let the frozen game run for one frame.
    Step,
    /// Write the frame's graph to a file.
    ExportFrame(ExportFormat),
    /// A pass or node was selected: row of [`FrameView::units`].
    SelectUnit(u32),
    /// A node was selected: row of [`FrameView::nodes`].
    SelectNode(u32),
    /// A resource was selected.
    SelectResource(ResourceId),
    /// Close the inspector.
    Close,
}

/// A page of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tab {
    /// CPU and GPU scopes.
    Flame,
    /// Passes × resources.
    #[default]
    Grid,
    /// One pass: its draws, operations, barriers and decisions.
    Pass,
    /// One resource: its picture and its accesses.
    Resource,
    /// All decisions.
    Decisions,
    /// The switches.
    Rules,
    /// Numbers and their course.
    Counters,
}

impl Tab {
    /// All tabs, in order.
    pub const ALL: [Self; 7] =
        [Self::Grid, Self::Pass, Self::Resource, Self::Decisions, Self::Rules, Self::Counters, Self::Flame];

    /// The title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Flame => "Flame graph",
            Self::Grid => "Passes \u{d7} resources",
            Self::Pass => "Pass",
            Self::Resource => "Resource",
            Self::Decisions => "Decisions",
            Self::Rules => "Rules",
            Self::Counters => "Counters",
        }
    }
}

/// One subresource of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThumbnailKey {
    /// The image.
    pub resource: ResourceId,
    /// Mip level.
    pub level: u8,
    /// Array layer, or slice of a 3D image.
    pub layer: u16,
    /// One aspect: colour, depth or stencil.
    pub aspect: Aspects,
}

/// A picture that the interface shows under [`TextureId::User`]`(id)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThumbnailRequest {
    /// The texture's number, in this output alone.
    pub id: u64,
    /// What it shows.
    pub key: ThumbnailKey,
    /// Components shown, bit 0 = red; one alone is shown in grey.
    pub channels: u8,
    /// Values that become black and white.
    pub range: [f32; 2],
}

/// What is selected. Rows belong to the view that is shown; [`UiState::rebind`] finds them again in the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Selection {
    unit: Option<u32>,
    unit_name: String,
    /// Place of the selected node among the members of its pass.
    member: Option<u32>,
    resource: Option<ResourceId>,
}

/// Which resources the grid lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Listed {
    #[default]
    All,
    Images,
    Buffers,
}

/// What the user has open, selected and typed.
#[derive(Default)]
pub struct UiState {
    /// The page.
    pub tab: Tab,
    /// Words that lists must contain; case does not matter.
    pub search: String,
    /// Whether the game is held. Set by the user; the owner may set it too.
    pub frozen: bool,
    /// Whether the panel covers the whole picture.
    pub full: bool,
    /// What the owner has to say: shown in the header until the next.
    pub notice: String,
    selection: Selection,
    listed: Listed,
    rule_filter: Option<&'static str>,
    verdicts: u32,
    kind_filter: Option<Kind>,
    picture: resource::Picture,
    flip: bool,
    flame: puffin_egui::GlobalProfilerUi,
    thumbnails: Vec<ThumbnailRequest>,
    actions: Vec<Action>,
    words: String,
    rows: Vec<u32>,
    styled: bool,
}

impl std::fmt::Debug for UiState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UiState").field("tab", &self.tab).field("selection", &self.selection).finish_non_exhaustive()
    }
}

impl UiState {
    /// Nothing selected, the grid open.
    #[must_use]
    pub fn new() -> Self {
        Self { verdicts: u32::MAX, ..Self::default() }
    }

    /// What the user asked for since the last call.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// The next [`show`] is in a context of its own.
    pub(crate) fn restyle(&mut self) {
        self.styled = false;
    }

    /// Pictures that the last [`show`] uses.
    #[must_use]
    pub fn thumbnails(&self) -> &[ThumbnailRequest] {
        &self.thumbnails
    }

    /// Selects a pass or node: row of [`FrameView::units`].
    pub fn select_unit(&mut self, view: &FrameView, unit: u32) {
        let Some(row) = view.units.get(unit as usize) else { return };
        if self.selection.unit != Some(unit) {
            self.selection.member = None;
            self.actions.push(Action::SelectUnit(unit));
        }
        self.selection.unit = Some(unit);
        self.selection.unit_name.clear();
        self.selection.unit_name.push_str(view.text(row.name));
    }

    /// Selects a node, and the pass that holds it: row of [`FrameView::nodes`].
    pub fn select_node(&mut self, view: &FrameView, node: u32) {
        let Some(row) = view.nodes.get(node as usize) else { return };
        if row.unit != NONE {
            self.select_unit(view, row.unit);
        }
        let members = view.passes.get(row.pass as usize).map_or(&[][..], |p| view.members_of(p));
        self.selection.member = members.iter().position(|m| *m == node).map(|n| n as u32);
        self.actions.push(Action::SelectNode(node));
    }

    /// Selects a resource.
    pub fn select_resource(&mut self, id: ResourceId) {
        if self.selection.resource != Some(id) {
            self.actions.push(Action::SelectResource(id));
            self.picture = resource::Picture::default();
        }
        self.selection.resource = Some(id);
    }

    /// Finds the selection again in a view that was filled anew: the pass by its name, next to its old place where that name occurs more than once.
    pub fn rebind(&mut self, view: &FrameView) {
        if let Some(old) = self.selection.unit {
            let named = |n: &usize| view.text(view.units[*n].name) == self.selection.unit_name;
            self.selection.unit =
                (0..view.units.len()).filter(named).min_by_key(|n| n.abs_diff(old as usize)).map(|n| n as u32);
        }
        if let Some(id) = self.selection.resource
            && view.resource(id).is_none()
        {
            self.selection.resource = None;
        }
    }

    /// The selected pass or node.
    #[must_use]
    pub fn selected_unit(&self) -> Option<u32> {
        self.selection.unit
    }

    /// The selected resource.
    #[must_use]
    pub fn selected_resource(&self) -> Option<ResourceId> {
        self.selection.resource
    }

    /// The selected node: row of [`FrameView::nodes`].
    #[must_use]
    pub fn selected_node(&self, view: &FrameView) -> Option<u32> {
        let unit = view.units.get(self.selection.unit? as usize)?;
        match view.passes.get(unit.pass as usize) {
            Some(pass) => view.members_of(pass).get(self.selection.member? as usize).copied(),
            None => Some(unit.node),
        }
    }

    fn finds(&self, text: &str) -> bool {
        contains(text, &self.search)
    }

    fn request(&mut self, key: ThumbnailKey, channels: u8, range: [f32; 2]) -> TextureId {
        let same = |r: &&ThumbnailRequest| (r.key, r.channels, r.range) == (key, channels, range);
        if let Some(there) = self.thumbnails.iter().find(same) {
            return TextureId::User(there.id);
        }
        let id = self.thumbnails.len() as u64;
        self.thumbnails.push(ThumbnailRequest { id, key, channels, range });
        TextureId::User(id)
    }
}

/// Whether `text` contains `part`, whatever the case of its letters (of ASCII). Allocates nothing.
fn contains(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    part.is_empty() || text.windows(part.len()).any(|w| w.eq_ignore_ascii_case(part))
}

/// Shows the inspector. Actions and thumbnails are in `state` afterwards.
pub fn show(ctx: &egui::Context, view: &FrameView, history: &CounterHistory, state: &mut UiState) {
    if !state.styled {
        style::apply(ctx);
        state.styled = true;
    }
    state.thumbnails.clear();
    let frame = style::panel();
    if state.full {
        egui::CentralPanel::default().frame(frame).show(ctx, |ui| inspector(ui, view, history, state));
    } else {
        let height = ctx.content_rect().height();
        egui::TopBottomPanel::bottom("ferrograph-inspector")
            .frame(frame)
            .resizable(true)
            .min_height(160.0)
            .max_height(height)
            .default_height((height * 0.64).round())
            .show(ctx, |ui| inspector(ui, view, history, state));
    }
}

fn inspector(ui: &mut egui::Ui, view: &FrameView, history: &CounterHistory, state: &mut UiState) {
    // The panel keeps its height whatever the page holds.
    ui.set_min_size(ui.available_size());
    header(ui, view, state);
    ui.add_space(2.0);
    tabs(ui, state);
    ui.separator();
    match state.tab {
        Tab::Flame => state.flame.ui(ui),
        Tab::Grid => grid::show(ui, view, state),
        Tab::Pass => pass::show(ui, view, state),
        Tab::Resource => resource::show(ui, view, state),
        Tab::Decisions => decisions::show(ui, view, state),
        Tab::Rules => rules::show(ui, view, state),
        Tab::Counters => counters::show(ui, view, history),
    }
}

fn header(ui: &mut egui::Ui, view: &FrameView, state: &mut UiState) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Ferrograph").strong().color(style::ACCENT));
        let mut words = std::mem::take(&mut state.words);
        words.clear();
        let _ = write!(words, "frame {}", view.number);
        ui.label(RichText::new(&*words).strong());
        let passes = view.units.iter().filter(|u| u.pass != NONE).count();
        words.clear();
        let _ = write!(
            words,
            "{passes} passes   {} draws   {} barriers   {} decisions",
            view.draws.len(),
            view.barriers.len(),
            view.decisions.len()
        );
        ui.label(RichText::new(&*words).weak());
        if view.gpu_total() > 0 {
            words.clear();
            words.push_str("GPU ");
            seconds(&mut words, view.gpu_total());
            ui.label(RichText::new(&*words).color(style::READ));
        }
        if state.frozen {
            ui.label(RichText::new("frozen").color(style::BARRIER));
        }
        state.words = words;
        if !state.notice.is_empty() {
            let words = egui::Label::new(RichText::new(&state.notice).color(style::GOOD)).truncate();
            let room = (ui.available_width() - 320.0).max(0.0);
            ui.add_sized([room, 18.0], words).on_hover_text(&state.notice);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("\u{d7}").on_hover_text("close (F1)").clicked() {
                state.actions.push(Action::Close);
            }
            let size = if state.full { "Show picture" } else { "Cover picture" };
            if ui.button(size).clicked() {
                state.full = !state.full;
            }
            ui.menu_button("Export", |ui| {
                for format in ExportFormat::ALL {
                    if ui.button(format.name()).clicked() {
                        state.actions.push(Action::ExportFrame(format));
                        ui.close();
                    }
                }
            });
            let step = ui.add_enabled(state.frozen, egui::Button::new("Step"));
            if step.on_hover_text("run one frame").clicked() {
                state.actions.push(Action::Step);
            }
            let hold = ui.selectable_label(state.frozen, "Freeze").on_hover_text("hold the game at this frame");
            if hold.clicked() {
                state.frozen = !state.frozen;
                state.actions.push(Action::Freeze(state.frozen));
            }
        });
    });
}

fn tabs(ui: &mut egui::Ui, state: &mut UiState) {
    ui.horizontal(|ui| {
        for tab in Tab::ALL {
            if ui.selectable_label(state.tab == tab, tab.title()).clicked() {
                state.tab = tab;
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if !state.search.is_empty() && ui.small_button("\u{d7}").clicked() {
                state.search.clear();
            }
            ui.add(egui::TextEdit::singleline(&mut state.search).hint_text("search").desired_width(180.0));
        });
    });
}

/// Colour of a verdict.
fn verdict_color(verdict: Verdict) -> egui::Color32 {
    match verdict {
        Verdict::Changed => style::READ,
        Verdict::Skipped => style::BAD,
        Verdict::Inserted => style::BOTH,
        Verdict::Moved => style::BOTH,
        Verdict::Refused => style::BARRIER,
        Verdict::Taken => style::GOOD,
        Verdict::Degraded => style::BAD,
    }
}
