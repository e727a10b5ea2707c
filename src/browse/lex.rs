//! A filter cut into pieces: parentheses, the three words, and terms as they are spelled.
//!
//! Knows no field but for metrics, whose names may hold a `:`; what a piece means is decided in [`super::parse`].

use std::ops::Range;

use super::fault::{FilterError, FilterFault};
use super::field::field;
use crate::model::Comparison;

/// A piece of a filter, and where it is.
pub(super) struct Token<'i> {
    pub span: Range<usize>,
    pub kind: TokenKind<'i>,
}

pub(super) enum TokenKind<'i> {
    /// `(`, or `-(`.
    Open {
        negated: bool,
    },
    Close,
    Word(Connective),
    Piece(TermToken<'i>),
}

/// A word that joins terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Not,
}

impl Connective {
    const ALL: [Self; 3] = [Self::And, Self::Or, Self::Not];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
        }
    }
}

/// A term as it is spelled.
pub(super) struct TermToken<'i> {
    pub span: Range<usize>,
    pub negated: bool,
    /// The field's name and its place; absent for a bare value.
    pub name: Option<(&'i str, Range<usize>)>,
    /// What stands before a sign and cannot be a field's name: no name that is searched for holds one of these signs.
    pub unknown: Option<&'i str>,
    pub comparison: Comparison,
    /// Without quotes.
    pub value: String,
    pub value_span: Range<usize>,
    pub is_quoted: bool,
}

impl<'i> TermToken<'i> {
    /// Returns the name, if it is a saved filter's.
    pub(super) fn saved_name(&self, input: &'i str) -> Option<&'i str> {
        match self.name {
            None => input[self.value_span.clone()].strip_prefix('@'),
            Some(_) => None,
        }
    }
}

/// Cuts the input into pieces.
pub(super) fn tokens(input: &str) -> Result<Vec<Token<'_>>, FilterError> {
    let mut tokens = Vec::new();
    let (mut at, mut n_open) = (0, 0);
    loop {
        at += input[at..].len() - input[at..].trim_start().len();
        if at == input.len() {
            return Ok(tokens);
        }
        let token = token(input, at, n_open)?;
        match token.kind {
            TokenKind::Open { .. } => n_open += 1,
            TokenKind::Close => n_open -= 1,
            TokenKind::Word(_) | TokenKind::Piece(_) => {}
        }
        at = token.span.end;
        tokens.push(token);
    }
}

fn token(input: &str, start: usize, n_open: usize) -> Result<Token<'_>, FilterError> {
    let rest = &input[start..];
    let of_len = |len: usize, kind| Token {
        span: start..start + len,
        kind,
    };
    if rest.starts_with('(') {
        return Ok(of_len(1, TokenKind::Open { negated: false }));
    }
    if rest.starts_with("-(") {
        return Ok(of_len(2, TokenKind::Open { negated: true }));
    }
    // Without an open one it is a sign as any other.
    if n_open > 0 && rest.starts_with(')') {
        return Ok(of_len(1, TokenKind::Close));
    }
    if let Some(word) = word(rest, n_open) {
        return Ok(of_len(word.as_str().len(), TokenKind::Word(word)));
    }
    let piece = piece(input, start, n_open)?;
    Ok(Token {
        span: piece.span.clone(),
        kind: TokenKind::Piece(piece),
    })
}

/// Reads the word that the text begins with, in small letters or in capitals; a longer word is none.
fn word(text: &str, n_open: usize) -> Option<Connective> {
    let is_end = |rest: &str| {
        let next = rest.chars().next();
        next.is_none_or(|next| next.is_whitespace() || next == '(' || next == ')' && n_open > 0)
    };
    Connective::ALL.into_iter().find(|word| {
        let small = word.as_str();
        let rest = text
            .strip_prefix(small)
            .or_else(|| text.strip_prefix(small.to_ascii_uppercase().as_str()));
        rest.is_some_and(is_end)
    })
}

fn piece(input: &str, start: usize, n_open: usize) -> Result<TermToken<'_>, FilterError> {
    let rest = &input[start..];
    // A lone `-` is a word, not the negation of nothing.
    let negated = rest.strip_prefix('-').is_some_and(|what| {
        let is_end = n_open > 0 && what.starts_with(')');
        !what.is_empty() && !what.starts_with(char::is_whitespace) && !is_end
    });
    let body = start + usize::from(negated);
    let name_len = input[body..]
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .unwrap_or(input.len() - body);
    let name_len = body_of_metric(&input[body..], name_len).unwrap_or(name_len);
    let name = &input[body..body + name_len];
    let (comparison, sign_len) = sign(&input[body + name_len..]);
    let has_field = sign_len > 0 && name.starts_with(|name: char| name.is_ascii_alphabetic());
    let value_start = if has_field {
        body + name_len + sign_len
    } else {
        body
    };
    let (value, end) = value(input, value_start, n_open)?;
    let is_quoted = input[value_start..].starts_with('"');
    Ok(TermToken {
        span: start..end,
        negated,
        name: has_field.then(|| (name, body..body + name_len)),
        unknown: if has_field || is_quoted {
            None
        } else {
            let word = &input[body..end];
            word.find([':', '='])
                .filter(|at| *at > 0)
                .map(|at| &word[..at])
        },
        comparison: if has_field {
            comparison
        } else {
            Comparison::Is
        },
        value,
        value_span: value_start..end,
        is_quoted,
    })
}

/// Measures a metric's name at the beginning of `text`, where that goes on behind the word of `name_len`:
/// `edit:difflib<0.5` is no condition on `edit`.
fn body_of_metric(text: &str, name_len: usize) -> Option<usize> {
    if !text[name_len..].starts_with(':') {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let longest = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let ends = text[..longest]
        .match_indices(':')
        .map(|match_index| match_index.0);
    let mut ends = ends.chain([longest]).filter(|end| *end > name_len);
    let is_metric = |end: &usize| {
        sign(&text[*end..]).1 > 0
            && field(&text[..*end]).is_some_and(|filter_field| filter_field.name.contains(':'))
    };
    ends.rfind(is_metric)
}

/// Reads the comparison at the beginning of `text`, and its length; 0 when there is none.
fn sign(text: &str) -> (Comparison, usize) {
    const SIGNS: [(&str, Comparison); 7] = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("==", Comparison::Exactly),
        (":", Comparison::Is),
        ("=", Comparison::Is),
    ];
    SIGNS
        .iter()
        .find(|(sign, _)| text.starts_with(sign))
        .map_or((Comparison::Is, 0), |(sign, comparison)| {
            (*comparison, sign.len())
        })
}

/// Reads a value at `start`: to the closing quote, else to the next space or to the parenthesis that closes an open
/// one. Returns its end too.
fn value(input: &str, start: usize, n_open: usize) -> Result<(String, usize), FilterError> {
    let rest = &input[start..];
    if !rest.starts_with('"') {
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let text = within(&rest[..len], n_open);
        return Ok((text.to_owned(), start + text.len()));
    }
    let mut value = String::new();
    let mut is_escaped = false;
    for (offset, c) in rest.char_indices().skip(1) {
        match c {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => return Ok((value, start + offset + 1)),
            _ => {
                // Only what must be escaped is: `\d` stays as it is.
                if is_escaped && c != '"' && c != '\\' {
                    value.push('\\');
                }
                value.push(c);
                is_escaped = false;
            }
        }
    }
    Err(FilterError {
        span: start..input.len(),
        fault: FilterFault::OpenQuote,
    })
}

/// Cuts off the parentheses at a word's end that close earlier ones: its own, as in `inc(int)`, belong to it.
fn within(word: &str, n_open: usize) -> &str {
    let mut word = word;
    for _ in 0..n_open {
        let Some(shorter) = word.strip_suffix(')') else {
            break;
        };
        if is_balanced(word) {
            break;
        }
        word = shorter;
    }
    word
}

/// Tells whether a word closes as many parentheses as it opens.
pub(super) fn is_balanced(word: &str) -> bool {
    word.matches('(').count() == word.matches(')').count()
}
