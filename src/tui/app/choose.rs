//! Lists to choose from: what is offered, and what happens with what is chosen.

use crate::app::App;
use crate::desk::overlay::{Choosing, Overlay};
use crate::eval::by::By;
use crate::metric::METRICS;
use crate::model::JobKind;
use crate::plot::Kind;
use crate::screen::Screen;
use crate::screen::runs::table::metric_title;
use crate::theme::Role;
use crate::widget::chooser::{Choice, Chooser};
use crate::widget::frame::counted;

/// Chooses that there is no baseline.
const NOTHING: &str = "(none)";

impl App {
    pub(super) fn choose(
        &mut self,
        choosing: Choosing,
        title: &'static str,
        choices: Vec<Choice>,
        current: &str,
    ) {
        let chooser = Chooser::new(title, choices, current);
        self.desk.overlay = Some(Overlay::Choose(choosing, Box::new(chooser)));
    }

    /// Offers the runs, the newest first.
    pub(super) fn choose_run(&mut self) {
        let choices = self.run_choices();
        if choices.is_empty() {
            self.say("there is no run · gR imports one", Role::Dim);
            return;
        }
        let current = self.results.options().run.clone().unwrap_or_default();
        self.choose(Choosing::Run, "run", choices, &current);
    }

    pub(super) fn choose_baseline(&mut self) {
        let mut choices = self.run_choices();
        let run = self.results.options().run.clone();
        choices.retain(|it| Some(&it.name) != run.as_ref());
        if choices.is_empty() {
            self.say("there is no other run to hold it against", Role::Dim);
            return;
        }
        choices.insert(0, Choice::new(NOTHING, "values as they are", ""));
        let current = self.results.options().baseline.clone();
        let current = current.unwrap_or_else(|| choices[1].name.clone());
        self.choose(Choosing::Baseline, "baseline", choices, &current);
    }

    pub(super) fn run_choices(&self) -> Vec<Choice> {
        let runs = self.runs.rows().iter().rev();
        let choices = runs.map(|run| {
            let model = run.setting.model.as_deref().unwrap_or_default();
            let samples = counted(run.n_samples, "sample");
            let n = run.evaluations.iter().filter(|it| it.value.is_some());
            let metrics = counted(n.count() as u64, "metric");
            let note = [model, &samples, &metrics];
            let note = note.into_iter().filter(|it| !it.is_empty());
            let note: Vec<&str> = note.collect();
            Choice::new(&run.setting.name, &note.join(" · "), "")
        });
        choices.collect()
    }

    pub(super) fn choose_metric(&mut self, ids: &[&'static str], current: &str) {
        let choices: Vec<Choice> = ids
            .iter()
            .map(|id| Choice::new(id, &metric_title(id), ""))
            .collect();
        if choices.is_empty() {
            self.say("no metric is computed · r evaluates the run", Role::Dim);
            return;
        }
        self.choose(Choosing::Metric, "metric", choices, current);
    }

    pub(super) fn choose_group(&mut self, words: &[By]) {
        let choices = words
            .iter()
            .map(|it| Choice::new(it.as_str(), "", ""))
            .collect();
        self.choose(Choosing::Group, "group by", choices, "");
    }

    /// Does what was chosen; what is typed and fits nothing changes nothing.
    pub(super) fn accept_choice(&mut self, choosing: Choosing, chooser: Box<Chooser>) {
        if choosing == Choosing::Tags {
            self.accept_tags(chooser);
            return;
        }
        let Some((place, name)) = chooser.chosen() else {
            self.desk.overlay = Some(Overlay::Choose(choosing, chooser));
            return;
        };
        let name = name.to_owned();
        match choosing {
            Choosing::Run if self.screen() == Screen::Compare => {
                self.compare.set_run(&name, &mut self.desk);
            }
            Choosing::Run => self.results.set_run(&name, &mut self.desk),
            Choosing::AnotherRun => self.compare.add_run(&name, &mut self.desk),
            Choosing::Baseline if self.screen() == Screen::Compare => {
                self.compare.set_baseline(&name, &mut self.desk);
            }
            Choosing::Baseline => {
                let baseline = (name != NOTHING).then_some(name.as_str());
                self.results.set_baseline(baseline, &mut self.desk);
            }
            Choosing::Metric => {
                if let Some(metric) = METRICS.iter().find(|it| it.id == name) {
                    match self.screen() {
                        Screen::Compare => self.compare.set_metric(metric, &mut self.desk),
                        _ => self.results.set_metric(metric, &mut self.desk),
                    }
                }
            }
            Choosing::Group => {
                let by = By::OF_RESULTS.iter().find(|it| it.as_str() == name);
                if let Some(by) = by {
                    match self.screen() {
                        Screen::Compare => self.compare.slice(*by, &mut self.desk),
                        _ => self.results.group(*by, &mut self.desk),
                    }
                }
            }
            Choosing::Job => {
                if let Some(kind) = JobKind::parse(&name) {
                    self.open_form(kind);
                }
            }
            Choosing::SavedFilter => self.apply_saved(&name),
            Choosing::Theme => self.keep_theme(&name),
            Choosing::Chart => {
                if let Some(kind) = Kind::ALL.iter().find(|it| it.as_str() == name) {
                    self.open_chart(*kind);
                }
            }
            Choosing::Palette => self.accept_goal(place),
            // Several were checked.
            Choosing::Tags => {}
        }
    }
}
