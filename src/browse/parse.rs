//! The filter language: `repo:gson (status:tie,abstained or weight<0.5) -text:"foo bar" sort:-weight word`.
//!
//! ```text
//! filter  = [ any ]
//! any     = all { "or" all }                      one must hold
//! all     = term { [ "and" ] term }               all must hold
//! term    = "not" term | [ "-" ] "(" any ")" | [ "-" ] field sign values | [ "-" ] value
//! sign    = ":" | "=" | "==" | "<" | "<=" | ">" | ">="   `==`: the whole name, or exactly the number
//! values  = value { "," value }                   several of words, numbers and keys: one must hold
//! value   = run without spaces | '"' … '"'        in quotes `\"` and `\\` stand for `"` and `\`
//! ```
//!
//! A bare value searches names; it holds no sign but in quotes, where `"or"` is a name, too. A parenthesis opens only
//! where a term begins, and closes only an open one, so that `inc(int)` is a word. Fields that choose what is listed,
//! and in which order, are no conditions; they stand wherever a term does, but under no `-`.
//!
//! Each error names its place in the input, and a correction.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::model::{
    AimField, Comparison, Direction, FieldKind, FieldScope, FieldUse, Filter, FilterField,
    FilterValue, META_OF, Matcher, MetaName, Name, OfSample, SortField, SortKey, Term,
};

use super::fault::{FilterError, FilterFault};
use super::field::{field, fields, squeezed, takes_sets, words_of};
use super::lex::{Connective, TermToken, Token, TokenKind, tokens};

/// The greatest depth of parentheses within parentheses.
pub const NESTING_MAX: usize = 64;

/// Reads a filter of samples.
///
/// # Errors
/// The first thing that is wrong, with its place in `input`.
pub fn parse_filter(input: &str) -> Result<Filter, FilterError> {
    parse_filter_in(input, FieldScope::Samples)
}

/// Reads a filter of samples, or of the predictions of a run.
///
/// # Errors
/// The first thing that is wrong, with its place in `input`.
pub fn parse_filter_in(input: &str, scope: FieldScope) -> Result<Filter, FilterError> {
    parsed(input, scope, None)
}

/// A function that finds the filter for the name in a piece, whatever the sign before it.
pub(super) type FilterLookup<'s> =
    &'s mut dyn FnMut(&str, &TermToken<'_>) -> Result<Filter, FilterError>;

pub(super) fn parsed(
    input: &str,
    scope: FieldScope,
    unfold: Option<FilterLookup<'_>>,
) -> Result<Filter, FilterError> {
    let tokens = tokens(input)?;
    let mut parser = Parser {
        input,
        tokens: &tokens,
        at: 0,
        scope,
        unfold,
        filter: Filter::default(),
    };
    let term = parser.any(TermContext::default())?;
    let mut filter = parser.filter;
    filter.terms = match term {
        Some(Term::All(terms)) => terms,
        Some(term) => vec![term],
        None => Vec::new(),
    };
    Ok(filter)
}

/// The surroundings of a term: whether it is negated, and how deep it lies.
#[derive(Clone, Copy, Default)]
struct TermContext {
    negated: bool,
    depth: usize,
}

struct Parser<'t, 's> {
    input: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
    scope: FieldScope,
    unfold: Option<FilterLookup<'s>>,
    /// Holds what is listed and in which order; the terms come in at the end.
    filter: Filter,
}

impl Parser<'_, '_> {
    /// Returns the word that stands next, and its place.
    fn word(&self) -> Option<(Connective, Range<usize>)> {
        let token = self.tokens.get(self.at)?;
        match token.kind {
            TokenKind::Word(word) => Some((word, token.span.clone())),
            TokenKind::Open { .. } | TokenKind::Close | TokenKind::Piece(_) => None,
        }
    }

    fn any(&mut self, around: TermContext) -> Result<Option<Term>, FilterError> {
        let mut terms: Vec<Term> = self.all(around)?.into_iter().collect();
        while let Some((word @ Connective::Or, span)) = self.word() {
            self.at += 1;
            match (terms.is_empty(), self.all(around)?) {
                (false, Some(term)) => terms.push(term),
                (true, _) | (_, None) => return Err(dangling(word, span)),
            }
        }
        Ok((!terms.is_empty()).then(|| Term::any(terms)))
    }

    fn all(&mut self, around: TermContext) -> Result<Option<Term>, FilterError> {
        let mut terms = Vec::new();
        loop {
            match self.word() {
                Some((Connective::Or, _)) => break,
                Some((word @ Connective::And, span)) => {
                    self.at += 1;
                    if terms.is_empty() || !self.begins_term() {
                        return Err(dangling(word, span));
                    }
                }
                Some((Connective::Not, _)) | None => {
                    if !self.begins_term() {
                        break;
                    }
                    terms.extend(self.term(around)?);
                }
            }
        }
        Ok((!terms.is_empty()).then(|| Term::all(terms)))
    }

    fn begins_term(&self) -> bool {
        self.tokens
            .get(self.at)
            .is_some_and(|token| match token.kind {
                TokenKind::Open { .. } | TokenKind::Piece(_) | TokenKind::Word(Connective::Not) => {
                    true
                }
                TokenKind::Close | TokenKind::Word(Connective::And | Connective::Or) => false,
            })
    }

    /// Reads a term where one begins; nothing for words that are no condition.
    fn term(&mut self, around: TermContext) -> Result<Option<Term>, FilterError> {
        if let Some((word @ Connective::Not, span)) = self.word() {
            self.at += 1;
            let inner = TermContext {
                negated: true,
                depth: around.depth + 1,
            };
            check_depth(inner, &span)?;
            if !self.begins_term() {
                return Err(dangling(word, span));
            }
            return Ok(self.term(inner)?.map(Term::not));
        }
        let token = &self.tokens[self.at];
        let span = token.span.clone();
        if let TokenKind::Open { negated } = token.kind {
            self.at += 1;
            return self.group(around, (negated, span)).map(Some);
        }
        self.piece(around)
    }

    /// Reads a group in parentheses, to the one that closes them.
    fn group(
        &mut self,
        around: TermContext,
        (negated, span): (bool, Range<usize>),
    ) -> Result<Term, FilterError> {
        let inner = TermContext {
            negated: around.negated || negated,
            depth: around.depth + 1,
        };
        check_depth(inner, &span)?;
        let term = self.any(inner)?;
        let Some(close) = self.tokens.get(self.at) else {
            return Err(FilterError {
                span,
                fault: FilterFault::OpenParenthesis,
            });
        };
        let term = term.ok_or(FilterError {
            span: span.start..close.span.end,
            fault: FilterFault::EmptyParentheses,
        })?;
        self.at += 1;
        Ok(if negated { Term::not(term) } else { term })
    }

    /// Reads a term that is no group; nothing for words that are no condition.
    fn piece(&mut self, around: TermContext) -> Result<Option<Term>, FilterError> {
        let tokens = self.tokens;
        let TokenKind::Piece(piece) = &tokens[self.at].kind else {
            return Ok(None);
        };
        self.at += 1;
        let saved = piece.saved_name(self.input);
        let term = if let (Some(name), Some(unfold)) = (saved, &mut self.unfold) {
            let of = unfold(name, piece)?;
            let is_negated = around.negated || piece.negated;
            let is_aimed = of.aim != Filter::default().aim || !of.sort.is_empty();
            if is_negated && is_aimed {
                return Err(FilterError {
                    span: piece.span.clone(),
                    fault: FilterFault::SavedNegated {
                        name: name.to_owned(),
                    },
                });
            }
            let aim = &mut self.filter.aim;
            aim.run = of.aim.run.or(aim.run.take());
            aim.baseline = of.aim.baseline.or(aim.baseline.take());
            aim.metric = of.aim.metric.or(aim.metric);
            aim.matcher = of.aim.matcher.or(aim.matcher);
            self.filter.sort.extend(of.sort);
            (!of.terms.is_empty()).then(|| Term::all(of.terms))
        } else {
            read_piece(piece, (self.scope, around), &mut self.filter)?
        };
        Ok(if piece.negated {
            term.map(Term::not)
        } else {
            term
        })
    }
}

fn check_depth(around: TermContext, span: &Range<usize>) -> Result<(), FilterError> {
    if around.depth <= NESTING_MAX {
        return Ok(());
    }
    Err(FilterError {
        span: span.clone(),
        fault: FilterFault::Nesting,
    })
}

fn dangling(word: Connective, span: Range<usize>) -> FilterError {
    let word = word.as_str();
    FilterError {
        span,
        fault: FilterFault::Dangling { word },
    }
}

/// Reads a term with any sign; a choice of the list or its order goes into `filter`.
fn read_piece(
    piece: &TermToken<'_>,
    (scope, around): (FieldScope, TermContext),
    filter: &mut Filter,
) -> Result<Option<Term>, FilterError> {
    let Some((name, name_span)) = &piece.name else {
        if let Some(name) = piece.unknown {
            let start = piece.value_span.start;
            return Err(unknown_field(name, start..start + name.len(), scope));
        }
        let name = OfSample::Name(Name::Part(piece.value.clone()));
        return Ok((!piece.value.is_empty()).then(|| name.into()));
    };
    let fail = |span: &Range<usize>, fault| {
        Err(FilterError {
            span: span.clone(),
            fault,
        })
    };
    let Some(field) = field(name) else {
        return Err(unknown_field(name, name_span.clone(), scope));
    };
    let name = field.name;
    if field.scope > scope {
        return fail(name_span, FilterFault::OfARun { field: name });
    }
    if piece.value.is_empty() {
        return fail(&piece.span, FilterFault::NoValue { field: name });
    }
    let Some(sign) = sign_for(field, piece.comparison) else {
        return fail(&piece.span, FilterFault::NotOrdered { field: name });
    };
    let is_negated = piece.negated || around.negated;
    match field.role {
        FieldUse::Aim(_) | FieldUse::Sort if is_negated => {
            fail(&piece.span, FilterFault::NotACondition { field: name })
        }
        FieldUse::Aim(aim) => {
            take_aim(aim, (field, scope), piece, filter)?;
            Ok(None)
        }
        FieldUse::Sort => {
            filter.sort.push(sort_key(field, scope, piece)?);
            Ok(None)
        }
        FieldUse::Condition(_) | FieldUse::Score(_) | FieldUse::DeltaOf(_) => {
            let terms = values(piece, sign, field)
                .map(|value| condition(field, scope, (sign, value)))
                .collect::<Result<Vec<Term>, FilterError>>()?;
            Ok(Some(Term::any(terms)))
        }
    }
}

/// Chooses the sign that is meant; nothing where the field has no order to compare by.
fn sign_for(field: &FilterField, sign: Comparison) -> Option<Comparison> {
    Some(match (sign, field.kind) {
        // A step is meant as a whole, too.
        (Comparison::Exactly, FieldKind::Steps(_)) => Comparison::Is,
        (sign, FieldKind::Number | FieldKind::Steps(_)) => sign,
        (Comparison::Exactly, FieldKind::Name) => Comparison::Exactly,
        // A word of a closed set is always meant as a whole, and the first digits of a key stand for it.
        (Comparison::Exactly, FieldKind::Words(_) | FieldKind::Key) | (Comparison::Is, _) => {
            Comparison::Is
        }
        (Comparison::Exactly, FieldKind::Text | FieldKind::Sort)
        | (
            Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual,
            FieldKind::Name
            | FieldKind::Words(_)
            | FieldKind::Text
            | FieldKind::Key
            | FieldKind::Sort,
        ) => return None,
    })
}

/// A value that was typed, and its place.
struct ValueText<'p> {
    text: &'p str,
    span: Range<usize>,
}

/// Splits a piece into its values: several where the field takes a set, and none is quoted.
fn values<'p>(
    piece: &'p TermToken<'_>,
    sign: Comparison,
    field: &FilterField,
) -> impl Iterator<Item = ValueText<'p>> {
    let is_one = piece.is_quoted
        || !takes_sets(field.kind)
        || !matches!(sign, Comparison::Is | Comparison::Exactly);
    let mut rest = Some((piece.value.as_str(), piece.value_span.start));
    std::iter::from_fn(move || {
        let (text, start) = rest.take()?;
        match text.split_once(',') {
            Some((first, more)) if !is_one => {
                rest = Some((more, start + first.len() + 1));
                Some(ValueText {
                    text: first,
                    span: start..start + first.len(),
                })
            }
            _ => {
                let end = if is_one {
                    piece.value_span.end
                } else {
                    start + text.len()
                };
                Some(ValueText {
                    text,
                    span: start..end,
                })
            }
        }
    })
}

fn condition(
    field: &'static FilterField,
    scope: FieldScope,
    (sign, value): (Comparison, ValueText<'_>),
) -> Result<Term, FilterError> {
    let name = field.name;
    let known = match field.kind {
        FieldKind::Words(_) | FieldKind::Steps(_) => word(field, scope, &value)?,
        FieldKind::Name
        | FieldKind::Number
        | FieldKind::Text
        | FieldKind::Key
        | FieldKind::Sort => value.text,
    };
    let condition = field.condition(sign, known).ok_or_else(|| FilterError {
        span: value.span.clone(),
        fault: {
            let value = value.text.to_owned();
            match field.kind {
                FieldKind::Number => FilterFault::NotANumber { field: name, value },
                FieldKind::Key => FilterFault::NotAKey { field: name, value },
                FieldKind::Name
                | FieldKind::Words(_)
                | FieldKind::Steps(_)
                | FieldKind::Text
                | FieldKind::Sort => FilterFault::UnknownValue {
                    field: name,
                    value,
                    nearest: None,
                    scope,
                },
            }
        },
    })?;
    Ok(condition.into())
}

fn take_aim(
    aim: AimField,
    (field, scope): (&'static FilterField, FieldScope),
    piece: &TermToken<'_>,
    filter: &mut Filter,
) -> Result<(), FilterError> {
    let text = || Some(piece.value.clone());
    let word = || {
        let value = ValueText {
            text: &piece.value,
            span: piece.value_span.clone(),
        };
        word(field, scope, &value)
    };
    match aim {
        AimField::Run => filter.aim.run = text(),
        AimField::Baseline => filter.aim.baseline = text(),
        AimField::Metric => filter.aim.metric = Some(word()?),
        AimField::Matcher => filter.aim.matcher = Matcher::read(Comparison::Is, word()?),
    }
    Ok(())
}

fn sort_key(
    field: &'static FilterField,
    scope: FieldScope,
    piece: &TermToken<'_>,
) -> Result<SortKey, FilterError> {
    let (direction, text) = match piece.value.strip_prefix('-') {
        Some(text) => (Direction::Descending, text),
        None => (Direction::Ascending, piece.value.as_str()),
    };
    let start = piece.value_span.start + (piece.value.len() - text.len());
    let value = ValueText {
        text,
        span: start.min(piece.value_span.end)..piece.value_span.end,
    };
    if let Some(name) = text.strip_prefix(META_OF).and_then(MetaName::of)
        && scope == FieldScope::Run
    {
        let field = SortField::Meta(name);
        return Ok(SortKey { field, direction });
    }
    let name = word(field, scope, &value)?;
    let by = super::field::field(name).and_then(|field| field.sort);
    let field = by.expect("only fields that sort are among the words");
    Ok(SortKey { field, direction })
}

fn unknown_field(name: &str, span: Range<usize>, scope: FieldScope) -> FilterError {
    FilterError {
        span,
        fault: FilterFault::UnknownField {
            nearest: nearest(name, fields(scope).map(|field| field.name)),
            name: name.to_owned(),
            scope,
        },
    }
}

/// Finds the requested word in the field's closed set, in its own spelling. Capitals and small letters are alike, and
/// so are `-` and `_`: commands say `none-of-these` what files call `none_of_these`.
fn word(
    field: &'static FilterField,
    scope: FieldScope,
    value: &ValueText<'_>,
) -> Result<&'static str, FilterError> {
    let words = words_of(field, scope);
    let wanted = squeezed(value.text);
    let found = words.iter().find(|word| squeezed(word) == wanted);
    if let Some(found) = found {
        return Ok(found);
    }
    // Known, but not here.
    let of_run = words_of(field, FieldScope::Run);
    let of_run = of_run.iter().find(|word| squeezed(word) == wanted);
    Err(FilterError {
        span: value.span.clone(),
        fault: match of_run {
            _ if value.text.is_empty() => FilterFault::NoValue { field: field.name },
            Some(field) => FilterFault::OfARun { field },
            None => FilterFault::UnknownValue {
                field: field.name,
                value: value.text.to_owned(),
                nearest: nearest(value.text, words.iter().copied()),
                scope,
            },
        },
    })
}

/// Finds the known word that differs least, if it differs by a third of its letters at most or only goes on.
fn nearest(asked: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let asked = asked.to_ascii_lowercase();
    known
        .map(|word| {
            let lower = word.to_ascii_lowercase();
            let is_prefix = asked.len() >= 2 && lower.starts_with(&asked);
            let n_edits = if is_prefix {
                1
            } else {
                strsim::levenshtein(&asked, &lower)
            };
            (n_edits, word)
        })
        .filter(|(n_edits, word)| *n_edits <= word.len().div_ceil(3))
        .min_by_key(|(n_edits, _)| *n_edits)
        .map(|(_, word)| word)
}
