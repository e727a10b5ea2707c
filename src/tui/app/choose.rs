//! The effects of a choice from a list.

use crate::app::App;
use crate::desk::ScreenRequest;
use crate::desk::overlay::{ChoicePurpose, Overlay};
use crate::job::JobStart;
use crate::plot::PlotKind;
use crate::widget::chooser::Chooser;

impl App {
    /// Carries out a choice; typed text that fits nothing changes nothing.
    pub(super) fn accept_choice(&mut self, choosing: ChoicePurpose, chooser: Box<Chooser>) {
        if choosing == ChoicePurpose::Tags {
            let (scene, desk) = self.scene_mut();
            scene.choose_many(*chooser, desk);
            return;
        }
        let Some((place, name)) = chooser.chosen() else {
            self.desk.overlay = Some(Overlay::Choose(choosing, chooser));
            return;
        };
        let name = name.to_owned();
        match choosing {
            ChoicePurpose::Job => {
                if let Some(start) = JobStart::parse(&name) {
                    self.desk.request(ScreenRequest::Form(start));
                }
            }
            ChoicePurpose::SavedFilter => self.apply_saved(&name),
            ChoicePurpose::Theme => self.keep_theme(&name),
            ChoicePurpose::Chart => {
                if let Some(kind) = PlotKind::ALL
                    .iter()
                    .find(|plot_kind| plot_kind.as_str() == name)
                {
                    self.open_chart(*kind);
                }
            }
            ChoicePurpose::Annotator => self.choose_name(place),
            ChoicePurpose::Palette => self.accept_goal(place),
            _ => {
                let (scene, desk) = self.scene_mut();
                scene.choose(choosing, &name, desk);
            }
        }
    }
}
