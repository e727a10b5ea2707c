//! A [`Filter`] as SQL: which rows, in which order. Values never become part of the text of a statement.
//!
//! Conditions on repositories are told apart from those on samples: the former choose ranges of ids, the latter look
//! at rows. `text:` is no SQL at all; see [`super::text`]. What is about people asks another file; see [`super::judged`].

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::model::{
    BuildTool, Comparison, Direction, Filter, Flag, Framework, Language, Matcher, SampleKey, Split,
    Stage, Status, Term, TestKind,
};

use super::codec::{TEST_BITS, code, decode, matcher_bits};
use super::error::Failure;
use super::judged;
use super::results::FOCAL_CLASS;

/// A piece of SQL with the values for its `?`s, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Sql {
    pub text: String,
    pub values: Vec<Value>,
}

impl Sql {
    pub(super) fn new(text: impl Into<String>, values: Vec<Value>) -> Self {
        Self {
            text: text.into(),
            values,
        }
    }

    pub(super) fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.values.extend_from_slice(&other.values);
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds what a term demands, beginning with ` AND `.
    fn push_term(&mut self, term: &Term, condition: &Self) {
        self.push_str(if term.negated { " AND NOT (" } else { " AND (" });
        self.push(condition);
        self.push_str(")");
    }
}

/// Returns what a filter demands of repositories, `r` in SQL; each condition begins with ` AND `.
///
/// # Errors
/// [`Failure::NotOfRepos`] when it demands anything of samples.
pub(super) fn on_repos(filter: &Filter) -> Result<Sql, Failure> {
    let mut conditions = Sql::default();
    for term in &filter.terms {
        let condition = on_repo(term)?.ok_or(Failure::NotOfRepos { field: term.field })?;
        conditions.push_term(term, &condition);
    }
    Ok(conditions)
}

/// `text:` and its value, in lower case.
#[derive(Clone, Debug)]
pub(super) struct TextTerm {
    pub needle: String,
    pub negated: bool,
}

/// A filter, ready to be asked.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub matcher: Matcher,
    pub texts: Vec<TextTerm>,
    /// Each condition begins with ` AND `.
    on_repos: Sql,
    on_rows: Sql,
    order: Vec<(&'static str, Direction)>,
    /// It asks for repositories by their name.
    names_repos: bool,
    /// The state of the verdicts that it was compiled against; 0 when it does not ask for any.
    pub verdicts: i64,
}

/// What sorts by repository; of one project each language has a repository of its own, see [`LANGUAGE`].
pub(super) const IDENTITY: &str = "r.identity";

/// What follows [`IDENTITY`] in every order.
const LANGUAGE: &str = "r.language";

impl Query {
    /// Compiles a filter; the matcher is the one that it asks for, else the one that is shown.
    pub(super) fn compile(conn: &Connection, filter: &Filter) -> Result<Self, Failure> {
        let asked = filter.terms.iter().rev().find(|it| it.field == "matcher");
        let mut query = Self {
            matcher: match asked {
                Some(term) => closed(term, Matcher::ALL, Matcher::as_str)?,
                None => shown_matcher(conn)?,
            },
            texts: Vec::new(),
            on_repos: Sql::default(),
            on_rows: Sql::default(),
            order: Vec::new(),
            names_repos: filter
                .terms
                .iter()
                .any(|it| it.field == "repo" && !it.negated),
            verdicts: if filter.terms.iter().any(|it| judged::is_of_people(it.field)) {
                judged::refresh(conn, &filter.terms)?
            } else {
                0
            },
        };
        for term in &filter.terms {
            match term.field {
                "matcher" => {}
                "text" => query.texts.push(TextTerm {
                    needle: term.value.to_ascii_lowercase(),
                    negated: term.negated,
                }),
                _ => match on_repo(term)? {
                    Some(condition) => query.on_repos.push_term(term, &condition),
                    None => query.on_rows.push_term(term, &on_row(term)?),
                },
            }
        }
        for key in &filter.sort {
            query.order.push((sort_column(key.field)?, key.direction));
        }
        if query.order.is_empty() {
            query.order.push((IDENTITY, Direction::Ascending));
        }
        Ok(query)
    }

    /// Returns whether every row of the matcher is let through.
    pub(super) fn is_everything(&self) -> bool {
        self.texts.is_empty() && self.on_repos.text.is_empty() && self.on_rows.text.is_empty()
    }

    /// Returns what is demanded of the repository `r` and of the decision `d`, but for `text:` and whose decision it is;
    /// each condition begins with ` AND `.
    pub(super) fn conditions(&self) -> Sql {
        let mut conditions = self.on_repos.clone();
        conditions.push(&self.on_rows);
        conditions
    }

    /// Returns whether the filter names repositories, of which few have the same name.
    pub(super) fn is_of_few_repos(&self) -> bool {
        self.names_repos
    }

    /// Returns whether rows come by repository, file and position, as ids count them.
    pub(super) fn is_default_order(&self) -> bool {
        self.order == [(IDENTITY, Direction::Ascending)]
    }

    /// Returns the same query in the default order.
    pub(super) fn in_default_order(&self) -> Self {
        Self {
            order: vec![(IDENTITY, Direction::Ascending)],
            ..self.clone()
        }
    }

    /// Returns `FROM … WHERE …` for every row that the filter lets through, but for `text:`, in no order.
    pub(super) fn matching(&self) -> Sql {
        if self.on_repos.text.is_empty() {
            self.over_rows()
        } else {
            self.over_repos()
        }
    }

    /// Returns `FROM … WHERE … ORDER BY …`.
    ///
    /// The default order comes without sorting: repositories by their index on identity and language, rows by id.
    pub(super) fn in_order(&self) -> Sql {
        let by_repo = self.order.iter().any(|(column, _)| *column == IDENTITY);
        let mut sql = if by_repo || !self.on_repos.text.is_empty() {
            self.over_repos()
        } else {
            self.over_rows()
        };
        // What is equal comes by id, in the direction of the key before.
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

/// Returns whose decisions are shown where nobody asks for a matcher's; the default one's when there are none.
pub(super) fn shown_matcher(conn: &Connection) -> Result<Matcher, Failure> {
    let mut statement = conn.prepare("SELECT DISTINCT matcher FROM tallies")?;
    let mut rows = statement.query([])?;
    let mut there = Vec::new();
    while let Some(row) = rows.next()? {
        there.push(decode(Matcher::ALL, row.get(0)?)?);
    }
    Ok(Matcher::shown_of(there).unwrap_or(Matcher::DEFAULT))
}

/// Returns the bounds of a matcher's decisions in the repository `r`, the second exclusive.
pub(super) fn id_range(matcher: Matcher) -> (String, String) {
    let first = format!("(r.generation << 32) + {}", matcher_bits(matcher));
    let end = format!("{first} + {}", 1_i64 << TEST_BITS);
    (first, end)
}

pub(super) fn sort_column(field: &'static str) -> Result<&'static str, Failure> {
    Ok(match field {
        "repo" => IDENTITY,
        "class" => "d.test_class",
        "test" => "d.test_name",
        "focal" => "d.focal",
        "focal-class" => FOCAL_CLASS,
        "status" => "d.status",
        "stage" => "d.stage",
        "weight" => "d.weight",
        "margin" => "d.margin",
        "tokens" => "d.n_tokens",
        _ => {
            return Err(Failure::Filter {
                field: "sort",
                value: field.to_owned(),
            });
        }
    })
}

/// Returns the condition of a term about repositories, whatever its sign; nothing for other terms.
fn on_repo(term: &Term) -> Result<Option<Sql>, Failure> {
    let contains = || vec![Value::Text(like(&term.value))];
    let exactly = || vec![Value::Text(term.value.clone())];
    let is_exact = term.comparison == Comparison::Exactly;
    let sql = match term.field {
        // A name means the repositories of that name where none has it as its identity.
        "repo" if is_exact => Sql::new(
            "r.identity = ? OR (r.name = ? AND NOT EXISTS (SELECT 1 FROM repos WHERE identity = ?))",
            [exactly(), exactly(), exactly()].concat(),
        ),
        "license" if is_exact => Sql::new("IFNULL(r.license = ?, 0)", exactly()),
        // With a slash it is the project identity: `git` shall not mean everything on GitHub.
        "repo" if term.value.contains('/') => Sql::new("r.identity LIKE ? ESCAPE '\\'", contains()),
        "repo" => Sql::new("r.name LIKE ? ESCAPE '\\'", contains()),
        "license" if term.value.eq_ignore_ascii_case("none") => {
            Sql::new("r.license IS NULL", Vec::new())
        }
        // `Apache` stands for `Apache-2.0`, but `MIT` not for `MITNFA`.
        "license" => Sql::new(
            "IFNULL(r.license LIKE ? ESCAPE '\\' OR r.license LIKE ? ESCAPE '\\', 0)",
            vec![
                Value::Text(escape_like(&term.value)),
                Value::Text(format!("{}-%", escape_like(&term.value))),
            ],
        ),
        "language" => equal("r.language", number(term, Language::ALL, Language::as_str)?),
        "build" => Sql::new(
            "IFNULL(r.build_tool = ?, 0)",
            vec![number(term, BuildTool::ALL, BuildTool::as_str)?],
        ),
        "project-split" => equal("r.split", number(term, Split::ALL, Split::as_str)?),
        "stars" => compare("r.stars", term)?,
        _ => return Ok(None),
    };
    Ok(Some(sql))
}

/// Returns the condition of a term about samples, whatever its sign.
fn on_row(term: &Term) -> Result<Sql, Failure> {
    let contains = || Value::Text(like(&term.value));
    if term.comparison == Comparison::Exactly
        && let Some(condition) = equal_name(term)
    {
        return Ok(condition);
    }
    Ok(match term.field {
        "key" => {
            let keys = SampleKey::beginning_with(&term.value);
            let (first, last) = keys.ok_or_else(|| unknown_value(term))?;
            Sql::new(
                format!(
                    "d.id & ~{} IN (SELECT id FROM tests WHERE key >= ? AND key <= ?)",
                    15_i64 << TEST_BITS
                ),
                [first, last].map(|it| Value::Blob(it.0.to_vec())).into(),
            )
        }
        Term::NEAR => {
            let keys = term.keys().ok_or_else(|| unknown_value(term))?;
            let list = format!("[\"{}\"]", keys.replace(',', "\",\""));
            Sql::new(
                format!(
                    "d.id & ~{} IN (SELECT id FROM tests WHERE key IN (SELECT unhex(value) FROM json_each(?)))",
                    15_i64 << TEST_BITS
                ),
                vec![Value::Text(list)],
            )
        }
        "split" => equal("d.split", number(term, Split::ALL, Split::as_str)?),
        "framework" => equal(
            "d.framework",
            number(term, Framework::ALL, Framework::as_str)?,
        ),
        "kind" => equal("d.kind", number(term, TestKind::ALL, TestKind::as_str)?),
        "status" => equal("d.status", number(term, Status::ALL, Status::as_str)?),
        "stage" => equal("d.stage", number(term, Stage::ALL, Stage::as_str)?),
        "flag" => {
            let flag = closed(term, Flag::ALL, Flag::as_str)?;
            Sql::new(format!("d.flags & {} <> 0", 1 << (flag as u8)), Vec::new())
        }
        "duplicate" => {
            let is_duplicate = closed(term, &[true, false], |it| if it { "yes" } else { "no" })?;
            Sql::new(
                format!("d.is_duplicate = {}", i64::from(is_duplicate)),
                Vec::new(),
            )
        }
        // A dot asks for packages or enclosing classes, which the row itself does not hold.
        "class" if term.value.contains('.') => Sql::new(
            "EXISTS (SELECT 1 FROM methods m WHERE m.id = d.method AND m.class LIKE ? ESCAPE '\\')",
            vec![contains()],
        ),
        "class" => Sql::new("d.test_class LIKE ? ESCAPE '\\'", vec![contains()]),
        "test" => Sql::new("d.test_name LIKE ? ESCAPE '\\'", vec![contains()]),
        "focal" => Sql::new(
            "d.focal LIKE ? ESCAPE '\\'",
            vec![Value::Text(like(&term.value.replace('#', ".")))],
        ),
        "focal-class" if term.value.eq_ignore_ascii_case("none") => {
            Sql::new("d.focal = ''", Vec::new())
        }
        "focal-class" => Sql::new(
            format!("{FOCAL_CLASS} LIKE ? ESCAPE '\\'"),
            vec![contains()],
        ),
        // A bare word.
        "name" => Sql::new(
            "d.test_name LIKE ? ESCAPE '\\' OR d.focal LIKE ? ESCAPE '\\'",
            vec![contains(), contains()],
        ),
        "file" => Sql::new(
            "d.file IN (SELECT id FROM files WHERE path LIKE ? ESCAPE '\\')",
            vec![contains()],
        ),
        // Unmapped tests have no weight; their -1 is ours alone.
        "weight" => {
            let mut sql = Sql::new("d.weight >= 0 AND ", Vec::new());
            sql.push(&compare("d.weight", term)?);
            sql
        }
        "margin" => compare("d.margin", term)?,
        "tokens" => compare("d.n_tokens", term)?,
        field if judged::is_of_people(field) => judged::condition(term)?,
        field => {
            return Err(Failure::Filter {
                field,
                value: term.value.clone(),
            });
        }
    })
}

/// Returns the condition that a whole name is this one; nothing for a field that is no name.
fn equal_name(term: &Term) -> Option<Sql> {
    let condition = match term.field {
        "class" if term.value.contains('.') => {
            "EXISTS (SELECT 1 FROM methods m WHERE m.id = d.method AND m.class = ?)".to_owned()
        }
        "class" => "d.test_class = ?".to_owned(),
        "test" => "d.test_name = ?".to_owned(),
        "focal" => "d.focal = ?".to_owned(),
        "focal-class" => format!("d.focal <> '' AND {FOCAL_CLASS} = ?"),
        "name" => "? IN (d.test_name, d.focal)".to_owned(),
        "file" => "d.file IN (SELECT id FROM files WHERE path = ?)".to_owned(),
        _ => return None,
    };
    Some(Sql::new(condition, vec![Value::Text(term.value.clone())]))
}

fn equal(column: &str, value: Value) -> Sql {
    Sql::new(format!("{column} = ?"), vec![value])
}

/// Compares a number; `:` means equal to two decimals, which is what is shown.
fn compare(column: &str, term: &Term) -> Result<Sql, Failure> {
    let value: f64 = term
        .value
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| unknown_value(term))?;
    let sign = match term.comparison {
        Comparison::Is => {
            return Ok(Sql::new(
                format!("IFNULL(ABS({column} - ?) <= 0.005, 0)"),
                vec![Value::Real(value)],
            ));
        }
        Comparison::Exactly => "=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    };
    Ok(Sql::new(
        format!("IFNULL({column} {sign} ?, 0)"),
        vec![Value::Real(value)],
    ))
}

fn closed<T: Copy>(
    term: &Term,
    all: &[T],
    as_str: impl Fn(T) -> &'static str,
) -> Result<T, Failure> {
    all.iter()
        .copied()
        .find(|it| as_str(*it).eq_ignore_ascii_case(&term.value))
        .ok_or_else(|| unknown_value(term))
}

fn number<T: Copy + PartialEq>(
    term: &Term,
    all: &[T],
    as_str: impl Fn(T) -> &'static str,
) -> Result<Value, Failure> {
    Ok(Value::Integer(code(all, closed(term, all, as_str)?)))
}

fn unknown_value(term: &Term) -> Failure {
    Failure::Filter {
        field: term.field,
        value: term.value.clone(),
    }
}

/// Returns the pattern of "contains".
pub(super) fn like(value: &str) -> String {
    format!("%{}%", escape_like(value))
}

fn escape_like(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}
