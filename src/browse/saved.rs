//! Saved filters in the filter language: `@name` stands for the text that is saved under it.
//!
//! ```text
//! @name         a word of its own, not quoted; `"@name"` searches names for the text as ever
//! ```
//!
//! A saved filter stands together, as if in parentheses; only its choice of the list and of the order holds for the
//! whole filter.
//!
//! Saved filters may name others, to a bound in depth and in length. Each error names the place of the typed `@name`.

use crate::config::{SavedFilters, near};
use crate::model::{FieldScope, Filter};

use super::fault::{FilterError, FilterFault};
use super::lex::{Connective, TermToken, TokenKind, tokens};
use super::parse::{parse_filter_in, parsed};

/// The greatest depth of saved filters within saved filters.
pub const SAVED_DEPTH_MAX: usize = 16;
/// The greatest length of an expanded filter, in bytes: ten names a line, ten lines deep, would be a billion.
pub const SAVED_BYTES_MAX: usize = 64 * 1024;

/// Reads a filter that may name saved ones: [`parse_filter_in`] after [`expand`], with the places of the text as typed.
///
/// # Errors
/// The first fault, with its place in `input`; a fault within a saved filter has the place of its `@name`.
pub fn read_filter(
    input: &str,
    saved: &SavedFilters,
    scope: FieldScope,
) -> Result<Filter, FilterError> {
    let mut room = SAVED_BYTES_MAX;
    let mut unfold = |name: &str, piece: &TermToken<'_>| {
        let (_, filter) = unfolded(name, piece, (saved, scope), &mut room)?;
        Ok(filter)
    };
    parsed(input, scope, Some(&mut unfold))
}

/// Replaces the name of each saved filter by its text, all of them read once: [`parse_filter_in`] finds nothing wrong
/// in them any more.
///
/// # Errors
/// As [`read_filter`], but for faults of fields and values outside saved filters.
pub fn expand(input: &str, saved: &SavedFilters, scope: FieldScope) -> Result<String, FilterError> {
    let mut text = String::new();
    let mut at = 0;
    let mut room = SAVED_BYTES_MAX;
    let mut is_negated = false;
    for token in tokens(input)? {
        if let TokenKind::Piece(piece) = &token.kind
            && let Some(name) = piece.saved_name(input)
        {
            let unfolded = unfolded(name, piece, (saved, scope), &mut room)?.0;
            text.push_str(&input[at..piece.span.start]);
            text.push_str(&grouped(&unfolded, (piece.negated, is_negated))?);
            at = piece.span.end;
        }
        is_negated = matches!(token.kind, TokenKind::Word(Connective::Not));
    }
    text.push_str(&input[at..]);
    Ok(text)
}

/// Writes a saved filter as it stands among other terms: in parentheses where it would else run into them. `-` and
/// `not` before it turn all of it round.
fn grouped(text: &str, (has_minus, has_not): (bool, bool)) -> Result<String, FilterError> {
    let minus = if has_minus { "-" } else { "" };
    Ok(if has_minus || has_not || is_alternative(text)? {
        format!("{minus}({text})")
    } else {
        text.to_owned()
    })
}

/// Tells whether there is an `or` in the text that no parentheses hold.
fn is_alternative(text: &str) -> Result<bool, FilterError> {
    let mut depth = 0_usize;
    for token in tokens(text)? {
        match token.kind {
            TokenKind::Open { .. } => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Word(Connective::Or) if depth == 0 => return Ok(true),
            TokenKind::Word(_) | TokenKind::Piece(_) => {}
        }
    }
    Ok(false)
}

/// Resolves a typed name, with any sign, as text and as a filter.
fn unfolded(
    name: &str,
    piece: &TermToken<'_>,
    (saved, scope): (&SavedFilters, FieldScope),
    room: &mut usize,
) -> Result<(String, Filter), FilterError> {
    let of_piece = |fault| FilterError {
        span: piece.span.clone(),
        fault,
    };
    let mut unfolding = FilterExpansion {
        saved,
        path: Vec::new(),
        room,
    };
    let text = unfolding.text_of(name).map_err(of_piece)?;
    let filter =
        parse_filter_in(&text, scope).map_err(|error| of_piece(within(name, error.fault)))?;
    Ok((text, filter))
}

/// A saved filter that is being put together.
struct FilterExpansion<'s> {
    saved: &'s SavedFilters,
    /// The names that lie in each other, from the one that was typed.
    path: Vec<&'s str>,
    /// The bytes that may be added: they and the depth bound the work, as no saved text is empty.
    room: &'s mut usize,
}

impl FilterExpansion<'_> {
    /// Reads the text that is saved under a name, with the texts of others in place of their names.
    fn text_of(&mut self, name: &str) -> Result<String, FilterFault> {
        if let Some(at) = self.path.iter().position(|text| *text == name) {
            let names = self.path[at..].iter().copied().chain([name]);
            return Err(FilterFault::SavedCircle {
                names: names.map(str::to_owned).collect(),
            });
        }
        let known = self.saved.entry(name);
        let (name, of) = known.ok_or_else(|| unknown(name, self.saved))?;
        if self.path.len() == SAVED_DEPTH_MAX {
            return Err(FilterFault::SavedDepth);
        }
        self.path.push(name);
        let mut text = String::new();
        let mut is_negated = false;
        for token in tokens(of).map_err(|error| within(name, error.fault))? {
            let inner = match &token.kind {
                TokenKind::Piece(piece) => piece.saved_name(of).map(|inner| (inner, piece.negated)),
                TokenKind::Open { .. } | TokenKind::Close | TokenKind::Word(_) => None,
            };
            if !text.is_empty() {
                text.push(' ');
            }
            if let Some((inner, has_minus)) = inner {
                let unfolded = self.text_of(inner)?;
                let signs = (has_minus, is_negated);
                let grouped =
                    grouped(&unfolded, signs).map_err(|error| within(inner, error.fault))?;
                text.push_str(&grouped);
            } else {
                let piece = &of[token.span];
                self.take_room(piece.len() + 1)?;
                text.push_str(piece);
            }
            is_negated = matches!(token.kind, TokenKind::Word(Connective::Not));
        }
        self.path.pop();
        Ok(text)
    }

    fn take_room(&mut self, n_bytes: usize) -> Result<(), FilterFault> {
        let left = self.room.checked_sub(n_bytes);
        *self.room = left.ok_or(FilterFault::SavedLength)?;
        Ok(())
    }
}

fn within(name: &str, fault: FilterFault) -> FilterFault {
    FilterFault::InSaved {
        name: name.to_owned(),
        fault: Box::new(fault),
    }
}

fn unknown(name: &str, saved: &SavedFilters) -> FilterFault {
    FilterFault::UnknownSaved {
        name: name.to_owned(),
        nearest: near(name, saved.names())
            .first()
            .map(|text| (*text).to_owned()),
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
either = 'status:tie or repo:y'
";

    fn saved() -> SavedFilters {
        let saved = SavedFilters::of("filters.toml", FILE);
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
            no filter is saved as `@hrd` (did you mean `@hard`?); known are @around, @either, @hard, @inner, @open, @ours, @round, @self, @turned, @wrong"]],
        );
    }

    #[test]
    fn a_saved_filter_stands_for_all_of_it_wherever_it_is_named() {
        check("-@hard", "-(status:tie weight<0.5)");
        check("not @hard", "not (status:tie weight<0.5)");
        check("@turned word", "-(status:tie weight<0.5) word");
        check(
            "@either repo:x or @hard",
            "(status:tie or repo:y) repo:x or status:tie weight<0.5",
        );
        check("(@either)", "((status:tie or repo:y))");
    }

    #[test]
    fn an_order_cannot_be_negated() {
        let error = read_filter("-@ours", &saved(), FieldScope::Samples).expect_err("it sorts");
        assert_eq!(error.span, 0..6);
        assert_eq!(
            error.to_string(),
            "`@ours` limits or sorts the list, which cannot be negated"
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
        let error = read_filter("@x", &SavedFilters::default(), FieldScope::Samples)
            .expect_err("there is none");
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
            SavedFilters::of("f", &text)
        };
        let fault = |input: &str, saved: &SavedFilters| {
            expand(input, saved, FieldScope::Samples).map_err(|error| error.fault)
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
