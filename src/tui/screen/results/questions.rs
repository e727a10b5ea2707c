//! The questions of Results.

use std::ops::Range;
use std::sync::Arc;

use crate::browse;
use crate::eval::by::GroupBy;
use crate::eval::explained::{ExplainedPrediction, explained};
use crate::eval::prompted::{PredictionPrompt, prompted};
use crate::eval::results::{self, ResultList, ResultsOptions, ResultsView, SearchStart};
use crate::execute::detail::detail as execution_detail;
use crate::keymap::StepDirection;
use crate::leakage::{self, Nearest, NearestOptions};
use crate::model::{
    ExecutionSetting, ResultDetail, ResultGroup, ResultRow, SampleKey, SampleScope, Snippet, Split,
    Target,
};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, QuestionMonitor, Slot};
use crate::screen::results::execution::ExecutedPrediction;
use crate::task::Monitor;

/// The number of training samples that are listed.
const N_NEAREST: usize = 50;

const FIND: Slot = Slot("results.find");

/// A list, with the setting of its run's last execution.
#[derive(Clone, Debug)]
pub struct ResultListing {
    pub list: Arc<ResultList>,
    pub setting: Option<Arc<ExecutionSetting>>,
}

/// The predictions that a filter lets through, in its order.
#[derive(Debug)]
pub struct ResultListQuestion(pub ResultsOptions, pub QuestionMonitor);

impl Question for ResultListQuestion {
    type Answer = ResultListing;
    const SLOT: Slot = Slot("results.list");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let store = source.store()?;
        let list = results::list(store, &self.1.0, &self.0)?;
        Ok(ResultListing {
            setting: store.execution_setting(list.view.run.id)?.map(Arc::new),
            list: Arc::new(list),
        })
    }
}

/// Rows of the list; the answer begins with the index of the first one.
#[derive(Debug)]
pub struct ResultRowsQuestion {
    pub list: Arc<ResultList>,
    pub range: Range<usize>,
}

impl Question for ResultRowsQuestion {
    type Answer = (usize, Vec<ResultRow>);
    const SLOT: Slot = Slot("results.rows");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, view) = (source.store()?, &self.list.view);
        let ordinals = self.list.ordinals.get(self.range.clone());
        let rows = results::rows(store, view, ordinals.unwrap_or_default())?;
        Ok((self.range.start, rows))
    }
}

/// Everything about one prediction.
#[derive(Debug, Default)]
pub struct WholePrediction {
    /// Absent when the run no longer has the prediction.
    pub explained: Option<Box<ExplainedPrediction>>,
    /// The code around it: the test for a predicted assertion part, the focal method for a predicted test, else the
    /// question.
    pub around: Option<Snippet>,
    /// Its outcome; absent where it was not executed.
    pub execution: Option<Box<ExecutedPrediction>>,
    /// The prompt and the raw answer; absent where it was imported.
    pub prompted: Option<Box<PredictionPrompt>>,
}

/// Everything about one prediction.
#[derive(Debug)]
pub struct ResultDetailQuestion {
    pub view: Arc<ResultsView>,
    pub ordinal: u32,
}

impl Question for ResultDetailQuestion {
    type Answer = WholePrediction;
    const SLOT: Slot = Slot("results.detail");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, run) = (source.store()?, &self.view.run);
        let Some(explained) = explained(store, &self.view, self.ordinal)?.map(Box::new) else {
            return Ok(WholePrediction::default());
        };
        let detail = &explained.detail;
        let sample = browse::detail(store, &detail.row.key, Some(run.setting.matcher))?;
        let (test, focal) = sample.map_or((None, None), |sample_detail| {
            (Some(sample_detail.test), sample_detail.focal)
        });
        let reference = detail.reference.as_ref().map(|reference| &reference.path);
        let path = reference.or(test.as_ref().map(|snippet| &snippet.path));
        let execution = execution_detail(store, run.id, self.ordinal)?.map(|told| {
            Box::new(ExecutedPrediction {
                detail: told,
                prediction: detail.answered.prediction.clone(),
                path: path.cloned().unwrap_or_default(),
                focal: focal.clone(),
            })
        });
        let around = match run.setting.target {
            Target::Assertion => test,
            Target::Test => focal,
        };
        Ok(WholePrediction {
            around: around.or_else(|| question_snippet(detail)),
            explained: Some(explained),
            execution,
            prompted: prompted(store, run.id, self.ordinal)?.map(Box::new),
        })
    }
}

/// Makes a snippet of the question, where that is no sample.
fn question_snippet(detail: &ResultDetail) -> Option<Snippet> {
    let text = detail.context.clone()?;
    let path = detail
        .reference
        .as_ref()
        .map(|reference| reference.path.clone());
    Some(Snippet {
        key: detail.row.test.clone(),
        package: None,
        path: path.unwrap_or_default(),
        first_line: 1,
        name_line: 1,
        text,
        marks: Vec::new(),
    })
}

/// Groups of predictions that share something, with their numbers.
#[derive(Debug)]
pub struct ResultGroupsQuestion(pub ResultsOptions, pub GroupBy, pub QuestionMonitor);

impl Question for ResultGroupsQuestion {
    type Answer = Vec<ResultGroup>;
    const SLOT: Slot = Slot("results.groups");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(results::groups(
            source.store()?,
            &self.2.0,
            &self.0,
            self.1,
        )?)
    }
}

/// The next row whose test or focal method has this text in its name; the answer is its index in the list.
#[derive(Debug)]
pub struct ResultSearchQuestion {
    pub list: Arc<ResultList>,
    pub needle: String,
    pub from: usize,
    pub step: StepDirection,
}

impl Question for ResultSearchQuestion {
    type Answer = Option<usize>;
    const SLOT: Slot = FIND;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let monitor = Monitor::default();
        let start = SearchStart {
            place: self.from,
            backwards: self.step == StepDirection::Previous,
        };
        let store = source.store()?;
        Ok(results::find(
            store,
            &monitor,
            &self.list,
            &self.needle,
            start,
        )?)
    }
}

/// The row of a sample; nothing when it is not in the list.
#[derive(Debug)]
pub struct ResultPlaceQuestion {
    pub list: Arc<ResultList>,
    pub key: SampleKey,
}

impl Question for ResultPlaceQuestion {
    type Answer = Option<usize>;
    const SLOT: Slot = FIND;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let run = self.list.view.run.id;
        let ordinal = source.store()?.result_ordinal(run, &self.key, 0)?;
        let mut ordinals = self.list.ordinals.iter();
        Ok(ordinal.and_then(|ordinal| ordinals.position(|other| *other == ordinal)))
    }
}

/// The training samples nearest to one sample.
#[derive(Debug)]
pub struct NearestQuestion(pub SampleKey, pub QuestionMonitor);

impl Question for NearestQuestion {
    type Answer = Nearest;
    const SLOT: Slot = Slot("results.nearest");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let asked = NearestOptions {
            key: self.0,
            split: Split::Train,
            n: N_NEAREST,
        };
        // Models are trained on exported samples; `focalist leakage` has the same scope.
        let options = leakage::LeakageOptions {
            scope: SampleScope::Paper,
            ..leakage::LeakageOptions::default()
        };
        Ok(leakage::nearest(
            source.store()?,
            &self.1.0,
            &options,
            asked,
        )?)
    }
}
