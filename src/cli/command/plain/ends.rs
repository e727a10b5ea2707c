//! The first and the last lines: the queue, the annotator, the number left, and a summary of the verdicts.

use super::PlainReview;
use crate::failure::Stop;
use crate::model::Judgement;
use crate::review::{Queue, Session};
use crate::table::visible;

impl PlainReview<'_> {
    pub(super) fn welcome(&mut self, queue: Queue) -> Result<(), Stop> {
        let n_gone = queue.n_gone;
        self.session = Session::new(queue);
        let (name, who) = (
            visible(self.session.name()),
            visible(&self.options.annotator),
        );
        let (n_left, n_done) = (self.session.n_left(), self.session.n_done());
        writeln!(self.out, "queue: {name}")?;
        writeln!(self.out, "annotator: {who}, {n_left} left, {n_done} done")?;
        if n_gone > 0 {
            writeln!(
                self.out,
                "{n_gone} samples of the draw are not in the index any more"
            )?;
        }
        if self.is_blind {
            writeln!(
                self.out,
                "the machine's decision is hidden: pick a candidate, or say that there is none"
            )?;
        }
        if n_left > 0 {
            writeln!(self.out, "`?` lists the commands, `q` ends")?;
        }
        Ok(())
    }

    pub(super) fn farewell(&mut self) -> Result<(), Stop> {
        let words: Vec<String> = Judgement::WORDS
            .iter()
            .filter_map(|word| {
                let n = self.said.values().filter(|value| *value == word).count();
                (n > 0).then(|| format!("{n} {}", word.replace('_', " ")))
            })
            .collect();
        let summary = if words.is_empty() {
            "nothing was said".to_owned()
        } else {
            format!("you said: {}", words.join(", "))
        };
        let (name, n_left) = (self.session.name(), self.session.n_left());
        let line = format!("{summary}; {n_left} left in {name}");
        self.say(&line)?;
        Ok(self.out.flush()?)
    }
}
