//! A [`Filter`] as SQL: which rows, in which order. Values never become part of the text of a statement.
//!
//! Conditions on repositories are kept apart from conditions on samples: the former choose ranges of ids, the latter
//! test rows. `text:` does not become SQL; see [`super::text`]. Conditions on verdicts read another file; see
//! [`super::judged`]. Every condition is true or false for a row, never unknown, so a negated condition selects exactly
//! the other rows.

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::model::{
    BuildTool, Condition, Direction, Filter, Framework, KeyStart, Language, Matcher, Name,
    OfPrediction, OfSample, PredictionSort, Range, SampleKey, SampleSort, SortField, Split, Stage,
    Status, Term, TestKind,
};

use super::codec::{OF_TEST, TEST_BITS, code, decode, matcher_bits};
use super::equivalent;
use super::error::StoreFailure;
use super::judged;
use super::results::FOCAL_CLASS;
use super::sql::{Sql, escape_like, like};
use super::truth;

/// The rows that a condition looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryLevel {
    /// `r`.
    Repo,
    /// `d`.
    Row,
    /// Both.
    Mixed,
}

impl QueryLevel {
    fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// Compiles the conditions of a filter on repositories, `r` in SQL, beginning with ` AND `.
///
/// # Errors
/// [`StoreFailure::NotOfRepos`] when it has a condition on samples.
pub(super) fn on_repos(filter: &Filter) -> Result<Sql, StoreFailure> {
    if filter.aim.matcher.is_some() {
        let field = "matcher".to_owned();
        return Err(StoreFailure::NotOfRepos { field });
    }
    for condition in filter.conditions() {
        if !matches!(leaf(condition), Ok(Leaf::Sql(QueryLevel::Repo, _))) {
            return Err(StoreFailure::NotOfRepos {
                field: condition.name(),
            });
        }
    }
    let mut conditions = Vec::new();
    for term in &filter.terms {
        if let TermShape::Sql(_, condition) = shape(term)? {
            conditions.push(condition);
        }
    }
    Ok(Sql::demanded(&conditions))
}

/// The parts that a term consists of.
enum TermShape {
    Sql(QueryLevel, Sql),
    /// Whether it also looks at texts.
    Text(TextTerm),
}

/// A condition that the index can answer.
enum Leaf {
    Sql(QueryLevel, Sql),
    Text(String),
}

/// Compiles a term.
fn shape(term: &Term) -> Result<TermShape, StoreFailure> {
    Ok(match term {
        Term::Is(condition) => match leaf(condition)? {
            Leaf::Sql(level, sql) => TermShape::Sql(level, sql),
            Leaf::Text(needle) => TermShape::Text(TextTerm::Holds(needle.to_ascii_lowercase())),
        },
        Term::Not(term) => match shape(term)? {
            TermShape::Sql(level, sql) => TermShape::Sql(level, sql.negated()),
            TermShape::Text(term) => TermShape::Text(TextTerm::Not(Box::new(term))),
        },
        Term::All(terms) => joined(terms, "AND", "1", TextTerm::All)?,
        Term::Any(terms) => match whole_keys(terms) {
            Some(keys) => TermShape::Sql(QueryLevel::Row, one_of(&keys)),
            None => joined(terms, "OR", "0", TextTerm::Any)?,
        },
    })
}

/// Collects the keys if all terms ask for whole keys: a benchmark may have thousands, and each would be a separate
/// query.
fn whole_keys(terms: &[Term]) -> Option<Vec<SampleKey>> {
    let whole = |term: &Term| match term {
        Term::Is(Condition::Sample(OfSample::Key(start))) => {
            (start.first == start.last).then_some(start.first)
        }
        _ => None,
    };
    let keys: Option<Vec<SampleKey>> = terms.iter().map(whole).collect();
    keys.filter(|keys| !keys.is_empty())
}

/// Compiles joined terms: the SQL parts become one, which runs before any text is read.
fn joined(
    terms: &[Term],
    word: &str,
    of_none: &str,
    of_texts: fn(Vec<TextTerm>) -> TextTerm,
) -> Result<TermShape, StoreFailure> {
    let (mut sqls, mut texts) = (Vec::new(), Vec::new());
    let mut level: Option<QueryLevel> = None;
    for term in terms {
        match shape(term)? {
            TermShape::Sql(of, sql) => {
                level = Some(level.map_or(of, |level| level.with(of)));
                sqls.push(sql);
            }
            TermShape::Text(term) => texts.push(term),
        }
    }
    let sql = Sql::joined(&sqls, word, of_none);
    Ok(if texts.is_empty() {
        TermShape::Sql(level.unwrap_or(QueryLevel::Row), sql)
    } else {
        if !sqls.is_empty() {
            texts.insert(0, TextTerm::Row(sql));
        }
        TermShape::Text(of_texts(texts))
    })
}

/// A condition on texts, possibly combined with conditions on rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextTerm {
    /// The test or its focal method contains this text, which is in lower case.
    Holds(String),
    /// A condition on the row `d` and its repository `r`.
    Row(Sql),
    Not(Box<TextTerm>),
    All(Vec<TextTerm>),
    Any(Vec<TextTerm>),
}

/// A compiled filter.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub matcher: Matcher,
    /// The conditions on texts; all must hold.
    pub texts: Vec<TextTerm>,
    /// The conditions on repositories, each after ` AND `.
    on_repos: Sql,
    on_rows: Sql,
    /// Whether the conditions on rows also look at their repository.
    rows_need_repos: bool,
    order: Vec<(&'static str, Direction)>,
    /// Whether it selects repositories by name.
    names_repos: bool,
    /// The state of the verdicts that it was compiled against; 0 when it has no condition on verdicts.
    pub verdicts: i64,
}

/// The column that sorts by repository; a project has one repository per language, see [`LANGUAGE`].
pub(super) const IDENTITY: &str = "r.identity";

/// The column that follows [`IDENTITY`] in every order.
const LANGUAGE: &str = "r.language";

impl Query {
    /// Compiles a filter; the matcher is the one that the filter names, else the shown one.
    pub(super) fn compile(conn: &Connection, filter: &Filter) -> Result<Self, StoreFailure> {
        let conditions = filter.conditions().into_iter();
        let of_people = conditions.filter_map(Condition::of_people);
        let of_people: Vec<&OfSample> = of_people.collect();
        let mut verdicts = 0;
        if !of_people.is_empty() {
            verdicts = judged::refresh(conn, &of_people)?;
        }
        if asks_of_faults(filter) {
            verdicts = equivalent::refresh(conn)?;
        }
        let is_of_repo =
            |term: &Term| matches!(term, Term::Is(Condition::Sample(OfSample::Repo(_))));
        let mut query = Self {
            matcher: match filter.aim.matcher {
                Some(matcher) => matcher,
                None => shown_matcher(conn)?,
            },
            texts: Vec::new(),
            on_repos: Sql::default(),
            on_rows: Sql::default(),
            rows_need_repos: false,
            order: Vec::new(),
            names_repos: filter.terms.iter().any(is_of_repo),
            verdicts,
        };
        let (mut on_repos, mut on_rows) = (Vec::new(), Vec::new());
        for term in &filter.terms {
            match shape(term)? {
                TermShape::Sql(QueryLevel::Repo, condition) => on_repos.push(condition),
                TermShape::Sql(level, condition) => {
                    query.rows_need_repos |= level == QueryLevel::Mixed;
                    on_rows.push(condition);
                }
                TermShape::Text(term) => query.texts.push(term),
            }
        }
        query.on_repos = Sql::demanded(&on_repos);
        query.on_rows = Sql::demanded(&on_rows);
        for key in &filter.sort {
            query.order.push((sort_column(key.field)?, key.direction));
        }
        if query.order.is_empty() {
            query.order.push((IDENTITY, Direction::Ascending));
        }
        Ok(query)
    }

    /// Tells whether every row of the matcher is let through.
    pub(super) fn is_everything(&self) -> bool {
        self.texts.is_empty() && self.on_repos.text.is_empty() && self.on_rows.text.is_empty()
    }

    /// Joins the conditions on the repository `r` and on the decision `d`, except `text:` and the matcher; each begins
    /// with ` AND `.
    pub(super) fn conditions(&self) -> Sql {
        let mut conditions = self.on_repos.clone();
        conditions.push(&self.on_rows);
        conditions
    }

    /// Tells whether the filter selects repositories by name; few repositories share a name.
    pub(super) fn is_of_few_repos(&self) -> bool {
        self.names_repos
    }

    /// Tells whether rows are ordered by repository, file and position, which is the order of ids.
    pub(super) fn is_default_order(&self) -> bool {
        self.order == [(IDENTITY, Direction::Ascending)]
    }

    /// Copies the query with the default order.
    pub(super) fn in_default_order(&self) -> Self {
        Self {
            order: vec![(IDENTITY, Direction::Ascending)],
            ..self.clone()
        }
    }

    /// Writes `FROM … WHERE …` for every row that the filter without `text:` lets through, in no order.
    pub(super) fn matching(&self) -> Sql {
        if self.needs_repos() {
            self.over_repos()
        } else {
            self.over_rows()
        }
    }

    fn needs_repos(&self) -> bool {
        self.rows_need_repos || !self.on_repos.text.is_empty()
    }

    /// Writes `FROM … WHERE … ORDER BY …`.
    ///
    /// The default order needs no sorting: repositories are read by their index on identity and language, rows by id.
    pub(super) fn in_order(&self) -> Sql {
        let by_repo = self.order.iter().any(|(column, _)| *column == IDENTITY);
        let mut sql = if by_repo || self.needs_repos() {
            self.over_repos()
        } else {
            self.over_rows()
        };
        // Equal rows are ordered by id, in the direction of the key before.
        let last = self.order.last().map(|(_, direction)| ("d.id", *direction));
        let mut keys = Vec::with_capacity(self.order.len() + 2);
        for (column, direction) in self.order.iter().copied().chain(last) {
            keys.push((column, direction));
            if column == IDENTITY {
                keys.push((LANGUAGE, direction));
            }
        }
        let keys: Vec<String> = keys
            .into_iter()
            .map(|(column, direction)| match direction {
                Direction::Ascending => column.to_owned(),
                Direction::Descending => format!("{column} DESC"),
            })
            .collect();
        sql.push_str(&format!(" ORDER BY {}", keys.join(", ")));
        sql
    }

    fn over_rows(&self) -> Sql {
        let mut sql = Sql::new(
            format!(
                " FROM decisions d WHERE d.matcher = {} AND d.id >> 32 NOT IN (SELECT id FROM hidden)",
                code(Matcher::ALL, self.matcher)
            ),
            Vec::new(),
        );
        sql.push(&self.on_rows);
        sql
    }

    fn over_repos(&self) -> Sql {
        let (first, end) = id_range(self.matcher);
        let mut sql = Sql::new(
            format!(" FROM repos r CROSS JOIN decisions d WHERE d.id >= {first} AND d.id < {end}"),
            Vec::new(),
        );
        sql.push(&self.on_repos);
        sql.push(&self.on_rows);
        sql
    }
}

/// Chooses the matcher whose decisions are shown by default; the default matcher when there are no decisions.
pub(super) fn shown_matcher(conn: &Connection) -> Result<Matcher, StoreFailure> {
    let mut statement = conn.prepare("SELECT DISTINCT matcher FROM tallies")?;
    let mut rows = statement.query([])?;
    let mut there = Vec::new();
    while let Some(row) = rows.next()? {
        there.push(decode(Matcher::ALL, row.get(0)?)?);
    }
    Ok(Matcher::shown_of(there).unwrap_or(Matcher::DEFAULT))
}

/// Writes the bounds of a matcher's decisions in the repository `r`, the second exclusive.
pub(super) fn id_range(matcher: Matcher) -> (String, String) {
    let first = format!("(r.generation << 32) + {}", matcher_bits(matcher));
    let end = format!("{first} + {}", 1_i64 << TEST_BITS);
    (first, end)
}

pub(super) fn sort_column(field: SortField) -> Result<&'static str, StoreFailure> {
    let not_sorted = || StoreFailure::Filter {
        field: "sort".to_owned(),
        value: field.to_string(),
    };
    Ok(match field {
        SortField::Sample(field) => match field {
            SampleSort::Repo => IDENTITY,
            SampleSort::Class => "d.test_class",
            SampleSort::Test => "d.test_name",
            SampleSort::Focal => "d.focal",
            SampleSort::FocalClass => FOCAL_CLASS,
            SampleSort::Status => "d.status",
            SampleSort::Stage => "d.stage",
            SampleSort::Weight => "d.weight",
            SampleSort::Margin => "d.margin",
            SampleSort::Tokens => "d.n_tokens",
        },
        SortField::Prediction(field) => match truth::column(field) {
            Some(column) => column,
            None => return Err(not_sorted()),
        },
        SortField::Score(_) | SortField::Delta(_) | SortField::Meta(_) => {
            return Err(not_sorted());
        }
    })
}

/// Tells whether a filter depends on the number of noticed mutants, and so on people's marks.
fn asks_of_faults(filter: &Filter) -> bool {
    let is_of_faults = |condition: &&Condition| {
        matches!(
            condition,
            Condition::Prediction(OfPrediction::Mutation(_) | OfPrediction::Strength(_))
        )
    };
    let is_by_faults = |field: SortField| {
        matches!(
            field,
            SortField::Prediction(PredictionSort::Mutation | PredictionSort::Strength)
        )
    };
    filter.conditions().iter().any(is_of_faults)
        || filter
            .sort
            .iter()
            .any(|sort_key| is_by_faults(sort_key.field))
}

/// Compiles a condition.
///
/// # Errors
/// [`StoreFailure::Filter`] for conditions that the index cannot answer: those on predictions, and those on how near
/// samples are to each other, which is known only after their texts have been compared.
fn leaf(condition: &Condition) -> Result<Leaf, StoreFailure> {
    Ok(match condition {
        Condition::Sample(condition) => return of_sample(condition),
        Condition::Keys(keys) => Leaf::Sql(QueryLevel::Row, one_of(keys)),
        Condition::Prediction(OfPrediction::Ran(wanted)) => {
            let (text, values) = truth::outcome_condition(*wanted);
            Leaf::Sql(QueryLevel::Row, Sql::new(text, values))
        }
        Condition::Prediction(OfPrediction::Unstable(wanted)) => {
            let (text, values) = truth::unstable(*wanted);
            Leaf::Sql(QueryLevel::Row, Sql::new(text, values))
        }
        Condition::Prediction(OfPrediction::Brittle(wanted)) => {
            let (text, values) = truth::brittle(*wanted);
            Leaf::Sql(QueryLevel::Row, Sql::new(text, values))
        }
        Condition::Prediction(OfPrediction::Mutation(range)) => {
            Leaf::Sql(QueryLevel::Row, compare(&truth::MUTATION, *range))
        }
        Condition::Prediction(OfPrediction::Strength(range)) => {
            Leaf::Sql(QueryLevel::Row, compare(&truth::STRENGTH, *range))
        }
        Condition::Prediction(_) | Condition::Score(..) | Condition::DeltaOf(..) => {
            return Err(StoreFailure::Filter {
                field: condition.name(),
                value: condition.value().1,
            });
        }
    })
}

fn of_sample(condition: &OfSample) -> Result<Leaf, StoreFailure> {
    let repo = |sql| Leaf::Sql(QueryLevel::Repo, sql);
    let row = |sql| Leaf::Sql(QueryLevel::Row, sql);
    Ok(match condition {
        OfSample::Repo(name) => repo(repo_named(name)),
        OfSample::License(name) => repo(licensed(name.as_ref())),
        OfSample::Language(language) => repo(equal("r.language", code(Language::ALL, *language))),
        OfSample::Build(tool) => {
            let tool = Value::Integer(code(BuildTool::ALL, *tool));
            repo(Sql::new("IFNULL(r.build_tool = ?, 0)", vec![tool]))
        }
        OfSample::ProjectSplit(split) => repo(equal("r.split", code(Split::ALL, *split))),
        OfSample::Stars(range) => repo(compare("r.stars", *range)),
        OfSample::Class(name) => row(classed(name)),
        OfSample::Test(name) => row(named("d.test_name", name)),
        OfSample::Focal(Name::Part(part)) => row(containing("d.focal", &part.replace('#', "."))),
        OfSample::Focal(name @ Name::Whole(_)) => row(named("d.focal", name)),
        OfSample::FocalClass(None) => row(Sql::new("d.focal = ''", Vec::new())),
        OfSample::FocalClass(Some(Name::Part(part))) => row(containing(FOCAL_CLASS, part)),
        OfSample::FocalClass(Some(Name::Whole(whole))) => row(Sql::new(
            format!("d.focal <> '' AND {FOCAL_CLASS} = ?"),
            vec![Value::Text(whole.clone())],
        )),
        OfSample::Name(Name::Part(part)) => row(Sql::new(
            "d.test_name LIKE ? ESCAPE '\\' OR d.focal LIKE ? ESCAPE '\\'",
            vec![Value::Text(like(part)), Value::Text(like(part))],
        )),
        OfSample::Name(Name::Whole(whole)) => row(Sql::new(
            "? IN (d.test_name, d.focal)",
            vec![Value::Text(whole.clone())],
        )),
        OfSample::File(name) => {
            let path = named("path", name);
            let files = format!("d.file IN (SELECT id FROM files WHERE {})", path.text);
            row(Sql::new(files, path.values))
        }
        OfSample::Key(start) => row(key_starting(start)),
        OfSample::Near(_) => {
            return Err(StoreFailure::Filter {
                field: condition.name().to_owned(),
                value: condition.value().1,
            });
        }
        OfSample::Text(needle) => Leaf::Text(needle.clone()),
        OfSample::Status(status) => row(equal("d.status", code(Status::ALL, *status))),
        OfSample::Stage(stage) => row(equal("d.stage", code(Stage::ALL, *stage))),
        // Unmapped tests have no weight; their -1 is only a placeholder.
        OfSample::Weight(range) => {
            let mut sql = Sql::new("d.weight >= 0 AND ", Vec::new());
            sql.push(&compare("d.weight", *range));
            row(sql)
        }
        OfSample::Margin(range) => row(compare("d.margin", *range)),
        OfSample::Flag(flag) => {
            let bit = 1 << (*flag as u8);
            row(Sql::new(format!("d.flags & {bit} <> 0"), Vec::new()))
        }
        OfSample::Duplicate(is_so) => {
            let sql = format!("d.is_duplicate = {}", i64::from(*is_so));
            row(Sql::new(sql, Vec::new()))
        }
        OfSample::Tokens(range) => row(compare("d.n_tokens", *range)),
        OfSample::Split(split) => row(equal("d.split", code(Split::ALL, *split))),
        OfSample::Benchmark(split) => row(of_benchmark(*split)),
        OfSample::Framework(framework) => {
            row(equal("d.framework", code(Framework::ALL, *framework)))
        }
        OfSample::Kind(kind) => row(equal("d.kind", code(TestKind::ALL, *kind))),
        OfSample::Verdict(verdict) => row(judged::verdict(*verdict)),
        OfSample::Is(remark) => row(judged::remark(*remark)),
        OfSample::Note(note) => row(judged::note(note.as_deref())),
        OfSample::Tagged(tag) => row(judged::tagged(*tag)),
    })
}

fn repo_named(name: &Name) -> Sql {
    match name {
        // A word without a slash means the repositories of that name, unless one has it as its identity.
        Name::Whole(whole) => Sql::new(
            "r.identity = ? OR (r.name = ? AND NOT EXISTS (SELECT 1 FROM repos WHERE identity = ?))",
            vec![Value::Text(whole.clone()); 3],
        ),
        // With a slash it is matched against the project identity: `git` must not mean everything on GitHub.
        Name::Part(part) if part.contains('/') => containing("r.identity", part),
        Name::Part(part) => containing("r.name", part),
    }
}

fn licensed(name: Option<&Name>) -> Sql {
    match name {
        None => Sql::new("r.license IS NULL", Vec::new()),
        Some(Name::Whole(whole)) => {
            let whole = vec![Value::Text(whole.clone())];
            Sql::new("IFNULL(r.license = ?, 0)", whole)
        }
        // `Apache` stands for `Apache-2.0`, but `MIT` not for `MITNFA`.
        Some(Name::Part(part)) => Sql::new(
            "IFNULL(r.license LIKE ? ESCAPE '\\' OR r.license LIKE ? ESCAPE '\\', 0)",
            vec![
                Value::Text(escape_like(part)),
                Value::Text(format!("{}-%", escape_like(part))),
            ],
        ),
    }
}

/// A dot selects by packages or enclosing classes, which the row itself does not hold.
fn classed(name: &Name) -> Sql {
    if !name.text().contains('.') {
        return named("d.test_class", name);
    }
    let class = named("m.class", name);
    let methods = format!(
        "EXISTS (SELECT 1 FROM methods m WHERE m.id = d.method AND {})",
        class.text
    );
    Sql::new(methods, class.values)
}

fn named(column: &str, name: &Name) -> Sql {
    match name {
        Name::Part(part) => containing(column, part),
        Name::Whole(whole) => {
            let whole = vec![Value::Text(whole.clone())];
            Sql::new(format!("{column} = ?"), whole)
        }
    }
}

fn containing(column: &str, part: &str) -> Sql {
    Sql::new(
        format!("{column} LIKE ? ESCAPE '\\'"),
        vec![Value::Text(like(part))],
    )
}

fn key_starting(KeyStart { first, last, .. }: &KeyStart) -> Sql {
    Sql::new(
        format!("d.id & {OF_TEST} IN (SELECT id FROM tests WHERE key >= ? AND key <= ?)"),
        vec![Value::Blob(first.0.to_vec()), Value::Blob(last.0.to_vec())],
    )
}

fn of_benchmark(split: Option<Split>) -> Sql {
    let (word, condition, values) = match split {
        Some(split) => {
            let split = Value::Integer(code(Split::ALL, split));
            ("IN", " WHERE b.split = ?", vec![split])
        }
        None => ("NOT IN", "", Vec::new()),
    };
    let cases =
        format!("SELECT t.id FROM benchmark_cases b JOIN tests t ON t.key = b.key{condition}");
    Sql::new(format!("d.id & {OF_TEST} {word} ({cases})"), values)
}

fn one_of(keys: &[SampleKey]) -> Sql {
    let keys: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    Sql::new(
        format!(
            "d.id & {OF_TEST} IN (SELECT id FROM tests WHERE key IN (SELECT unhex(value) FROM json_each(?)))"
        ),
        vec![Value::Text(format!("[{}]", keys.join(",")))],
    )
}

fn equal(column: &str, value: i64) -> Sql {
    Sql::new(format!("{column} = ?"), vec![Value::Integer(value)])
}

/// Compares a number; a row without one fulfils no condition.
fn compare(column: &str, range: Range) -> Sql {
    let signed = |sign: &str, bound: f64| {
        let sql = format!("IFNULL({column} {sign} ?, 0)");
        Sql::new(sql, vec![Value::Real(bound)])
    };
    match range {
        Range::About(wanted) => Sql::new(
            format!("IFNULL(ABS({column} - ?) <= {}, 0)", Range::TOLERANCE),
            vec![Value::Real(wanted)],
        ),
        Range::Exactly(wanted) => signed("=", wanted),
        Range::Less(bound) => signed("<", bound),
        Range::AtMost(bound) => signed("<=", bound),
        Range::More(bound) => signed(">", bound),
        Range::AtLeast(bound) => signed(">=", bound),
        Range::Between(first, last) => Sql::new(
            format!("IFNULL({column} BETWEEN ? AND ?, 0)"),
            vec![Value::Real(first), Value::Real(last)],
        ),
    }
}
