//! The effects of a choice from a list.

use crate::app::App;
use crate::desk::Wish;
use crate::desk::overlay::{Choosing, Overlay};
use crate::job::Start;
use crate::plot::Kind;
use crate::widget::chooser::Chooser;

impl App {
    /// Carries out a choice; typed text that fits nothing changes nothing.
    pub(super) fn accept_choice(&mut self, choosing: Choosing, chooser: Box<Chooser>) {
        if choosing == Choosing::Tags {
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
            Choosing::Job => {
                if let Some(start) = Start::parse(&name) {
                    self.desk.wish(Wish::Form(start));
                }
            }
            Choosing::SavedFilter => self.apply_saved(&name),
            Choosing::Theme => self.keep_theme(&name),
            Choosing::Chart => {
                if let Some(kind) = Kind::ALL.iter().find(|it| it.as_str() == name) {
                    self.open_chart(*kind);
                }
            }
            Choosing::Annotator => self.choose_name(place),
            Choosing::Palette => self.accept_goal(place),
            _ => {
                let (scene, desk) = self.scene_mut();
                scene.choose(choosing, &name, desk);
            }
        }
    }
}
