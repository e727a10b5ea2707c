//! Finding another method in the repository of the judged sample.

use std::sync::Arc;

use crate::browse::Catalogue;
use crate::desk::overlay::Overlay;
use crate::desk::{Desk, Message};
use crate::model::{SampleKey, Snippet};
use crate::review::VerdictChoice;
use crate::screen::annotate::Annotate;
use crate::screen::annotate::questions::{DeclaredMethodsQuestion, MethodSourceQuestion};
use crate::widget::finder::Finder;

impl Annotate {
    /// Opens the finder on the methods of the sample's repository.
    pub(super) fn open_finder(&mut self, desk: &mut Desk) -> Option<Message> {
        let key = match self.judged_key() {
            Ok(key) => key,
            Err(refusal) => return Some(refusal.message()),
        };
        desk.overlay = Some(Overlay::Finder(Box::new(Finder::new(""))));
        desk.ask(DeclaredMethodsQuestion(key), Self::take_declared);
        None
    }

    fn take_declared(&mut self, (key, catalogue): (SampleKey, Arc<Catalogue>), desk: &mut Desk) {
        if let Some(Overlay::Finder(finder)) = &mut desk.overlay
            && self.judged_key() == Ok(key)
        {
            finder.take_methods(catalogue);
            self.ask_source(desk);
        }
    }

    /// Asks for the source of the method under the finder's cursor.
    pub fn ask_source(&self, desk: &mut Desk) {
        let Ok(key) = self.judged_key() else {
            return;
        };
        if let Some(Overlay::Finder(finder)) = &mut desk.overlay
            && let Some(method) = finder.wants()
        {
            desk.ask(
                MethodSourceQuestion(key, method),
                |_: &mut Self, found, desk| {
                    take_source(&found, desk);
                },
            );
        }
    }

    /// Picks the method under the finder's cursor; without a method the finder stays open.
    pub fn accept_found(&mut self, finder: Box<Finder>, desk: &mut Desk) {
        let Some(method) = finder
            .chosen()
            .map(|declared_method| declared_method.key.clone())
        else {
            desk.overlay = Some(Overlay::Finder(finder));
            return;
        };
        let said = self.judge(&VerdictChoice::Key(method), desk);
        desk.show_if_some(said.unwrap_or_else(|refusal| Some(refusal.message())));
    }
}

fn take_source((method, snippet): &(String, Option<Snippet>), desk: &mut Desk) {
    if let Some(Overlay::Finder(finder)) = &mut desk.overlay {
        finder.take_preview(method, snippet.as_ref());
        let jobs: Vec<_> = finder.jobs().collect();
        desk.paint(jobs);
    }
}
