//! Saved filters in the filter language: `@name` stands for the text that is saved under it.
//!
//! ```text
//! @name         a word of its own, not quoted; `"@name"` searches names for the text as ever
//! ```
//!
//! Saved filters may name others, to a bound in depth and in length. Whatever is wrong is said with the place of the
//! `@name` that was typed.

use std::ops::Range;

use crate::config::{Saved, near};
use crate::model::Filter;

use super::fault::{FilterError, FilterFault};
use super::field::FieldScope;
use super::parse::{Piece, parse_filter_in, pieces, read_term};

/// So many saved filters lie in each other at most.
pub const SAVED_DEPTH_MAX: usize = 16;
/// What a filter becomes is not longer, in bytes: ten names a line, ten lines deep, would be a billion.
pub const SAVED_BYTES_MAX: usize = 64 * 1024;

/// Reads a filter that may name saved ones: [`parse_filter_in`] after [`expand`], with the places of the text as typed.
///
/// # Errors
/// The first thing that is wrong, with its place in `input`; of something within a saved filter, that of its `@name`.
pub fn read_filter(input: &str, saved: &Saved, scope: FieldScope) -> Result<Filter, FilterError> {
    let mut filter = Filter::default();
    let mut room = SAVED_BYTES_MAX;
    for piece in pieces(input)? {
        let Some(name) = saved_name(input, &piece) else {
            read_term(&piece, scope, &mut filter)?;
            continue;
        };
        let of = parsed(name, &piece, (saved, scope), &mut room)?.1;
        filter.terms.extend(of.terms);
        filter.sort.extend(of.sort);
    }
    Ok(filter)
}

/// Returns the filter with the text of each saved filter in place of its name, all of them read once: what
/// [`parse_filter_in`] could still find wrong is not in them.
///
/// # Errors
/// As [`read_filter`], but for what is wrong with fields and values outside saved filters.
pub fn expand(input: &str, saved: &Saved, scope: FieldScope) -> Result<String, FilterError> {
    let mut text = String::new();
    let mut at = 0;
    let mut room = SAVED_BYTES_MAX;
    for piece in pieces(input)? {
        if let Some(name) = saved_name(input, &piece) {
            text.push_str(&input[at..piece.span.start]);
            text.push_str(&parsed(name, &piece, (saved, scope), &mut room)?.0);
            at = piece.span.end;
        }
    }
    text.push_str(&input[at..]);
    Ok(text)
}

/// Returns what a name that was typed stands for, as text and as a filter.
fn parsed(
    name: &str,
    piece: &Piece<'_>,
    (saved, scope): (&Saved, FieldScope),
    room: &mut usize,
) -> Result<(String, Filter), FilterError> {
    let of_piece = |fault| FilterError {
        span: piece.span.clone(),
        fault,
    };
    let mut unfolding = Unfolding {
        saved,
        path: Vec::new(),
        text: String::new(),
        room,
    };
    unfolding.add_saved(name, piece.negated).map_err(of_piece)?;
    let text = unfolding.text;
    let filter =
        parse_filter_in(&text, scope).map_err(|error| of_piece(within(name, error.fault)))?;
    Ok((text, filter))
}

/// A saved filter that is being put together.
struct Unfolding<'s> {
    saved: &'s Saved,
    /// The names that lie in each other, from the one that was typed.
    path: Vec<&'s str>,
    text: String,
    /// How much may be added: the work is bounded by it and the depth, as no saved text is empty.
    room: &'s mut usize,
}

impl Unfolding<'_> {
    fn add_saved(&mut self, name: &str, negated: bool) -> Result<(), FilterFault> {
        if let Some(at) = self.path.iter().position(|it| *it == name) {
            let names = self.path[at..].iter().copied().chain([name]);
            return Err(FilterFault::SavedCircle {
                names: names.map(str::to_owned).collect(),
            });
        }
        let known = self.saved.entry(name);
        let (name, of) = known.ok_or_else(|| unknown(name, self.saved))?;
        if negated {
            let name = name.to_owned();
            return Err(FilterFault::SavedNegated { name });
        }
        if self.path.len() == SAVED_DEPTH_MAX {
            return Err(FilterFault::SavedDepth);
        }
        self.path.push(name);
        for piece in pieces(of).map_err(|error| within(name, error.fault))? {
            match saved_name(of, &piece) {
                Some(inner) => self.add_saved(inner, piece.negated)?,
                None => self.add(&of[piece.span])?,
            }
        }
        self.path.pop();
        Ok(())
    }

    fn add(&mut self, piece: &str) -> Result<(), FilterFault> {
        *self.room = self
            .room
            .checked_sub(piece.len() + 1)
            .ok_or(FilterFault::SavedLength)?;
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// Returns the name, if a piece is a saved filter's.
fn saved_name<'i>(input: &'i str, piece: &Piece<'i>) -> Option<&'i str> {
    let Range { start, end } = piece.value_span;
    match piece.name {
        None => input[start..end].strip_prefix('@'),
        Some(_) => None,
    }
}

fn within(name: &str, fault: FilterFault) -> FilterFault {
    FilterFault::InSaved {
        name: name.to_owned(),
        fault: Box::new(fault),
    }
}

fn unknown(name: &str, saved: &Saved) -> FilterFault {
    FilterFault::UnknownSaved {
        name: name.to_owned(),
        nearest: near(name, saved.names()).first().map(|it| (*it).to_owned()),
        known: saved.names().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    const FILE: &str = "
hard = 'status:tie weight<0.5'
ours = '@hard repo:\"a b\" sort:-weight'
round = 'repo:x @around'
around = '@round'
self = '@self'
wrong = 'repo:a split:moon'
open = 'text:\"a'
inner = 'x @wrong'
turned = '-@hard'
";

    fn saved() -> Saved {
        let saved = Saved::of("filters.toml", FILE);
        assert_eq!(saved.problems, []);
        saved
    }

    fn check(input: &str, expected: &str) {
        let saved = saved();
        assert_eq!(
            expand(input, &saved, FieldScope::Samples).as_deref(),
            Ok(expected)
        );
        let filter = read_filter(input, &saved, FieldScope::Samples);
        assert_eq!(
            filter,
            parse_filter_in(expected, FieldScope::Samples),
            "{input}"
        );
    }

    fn check_wrong(input: &str, expected: &Expect) {
        let error = expand(input, &saved(), FieldScope::Samples).expect_err(input);
        assert_eq!(
            read_filter(input, &saved(), FieldScope::Samples),
            Err(error.clone())
        );
        let FilterError { span, fault } = error;
        let marks = format!("{}{}", " ".repeat(span.start), "^".repeat(span.len()));
        expected.assert_eq(&format!("{input}\n{marks}\n{fault}"));
    }

    #[test]
    fn a_name_stands_for_what_is_saved() {
        check("@hard", "status:tie weight<0.5");
        check(
            "  repo:x   @ours -word",
            "  repo:x   status:tie weight<0.5 repo:\"a b\" sort:-weight -word",
        );
        check("", "");
        check("\"@hard\" text:@hard a@hard", "\"@hard\" text:@hard a@hard");
    }

    #[test]
    fn a_circle_an_unknown_name_and_a_minus_are_told_where_they_were_typed() {
        check_wrong(
            "repo:é @round",
            &expect![[r"
            repo:é @round
                    ^^^^^^
            a saved filter contains itself: `@round` → `@around` → `@round`"]],
        );
        check_wrong(
            "@self",
            &expect![[r"
            @self
            ^^^^^
            a saved filter contains itself: `@self` → `@self`"]],
        );
        check_wrong(
            "a @hrd",
            &expect![[r"
            a @hrd
              ^^^^
            no filter is saved as `@hrd` (did you mean `@hard`?); known are @around, @hard, @inner, @open, @ours, @round, @self, @turned, @wrong"]],
        );
        check_wrong(
            "-@hard",
            &expect![[r"
            -@hard
            ^^^^^^
            `@hard` cannot be negated with `-`"]],
        );
        check_wrong(
            "@turned",
            &expect![[r"
            @turned
            ^^^^^^^
            `@hard` cannot be negated with `-`"]],
        );
    }

    #[test]
    fn what_is_wrong_within_a_saved_filter_is_told_at_its_name() {
        check_wrong(
            "a @wrong",
            &expect![[r"
            a @wrong
              ^^^^^^
            in `@wrong`: `split` cannot be `moon`; it is one of train, validation, test"]],
        );
        check_wrong(
            "@open",
            &expect![[r"
            @open
            ^^^^^
            in `@open`: a quote is not closed"]],
        );
        check_wrong(
            "@inner",
            &expect![[r"
            @inner
            ^^^^^^
            in `@inner`: `split` cannot be `moon`; it is one of train, validation, test"]],
        );
        let error = read_filter("@hard split:moon", &saved(), FieldScope::Samples)
            .expect_err("no such split");
        assert_eq!(error.span, 12..16);
    }

    #[test]
    fn without_saved_filters_a_name_is_unknown() {
        let error =
            read_filter("@x", &Saved::default(), FieldScope::Samples).expect_err("there is none");
        assert_eq!(
            error.to_string(),
            "no filter is saved as `@x`; none is saved here"
        );
    }

    #[test]
    fn depth_and_length_have_bounds() {
        let chain = |n: usize, width: usize| {
            let mut text = "a0 = 'word'\n".to_owned();
            for idx in 1..n {
                let inner = format!("@a{} ", idx - 1).repeat(width);
                text.push_str(&format!("a{idx} = '{inner}'\n"));
            }
            Saved::of("f", &text)
        };
        let fault = |input: &str, saved: &Saved| {
            expand(input, saved, FieldScope::Samples).map_err(|it| it.fault)
        };
        let deep = chain(SAVED_DEPTH_MAX + 1, 1);
        let last = format!("@a{}", SAVED_DEPTH_MAX - 1);
        assert_eq!(fault(&last, &deep), Ok("word".to_owned()));
        let beyond = format!("@a{SAVED_DEPTH_MAX}");
        assert_eq!(fault(&beyond, &deep), Err(FilterFault::SavedDepth));
        let wide = chain(10, 10);
        assert_eq!(fault("@a9", &wide), Err(FilterFault::SavedLength));
        // Names that were typed share the room.
        let many = "@a3 ".repeat(20);
        assert_eq!(fault(&many, &wide), Err(FilterFault::SavedLength));
    }
}
