//! A filter as text, so that reading it gives the same one.

use std::fmt::Write as _;

use super::field::{field, takes_sets};
use super::lex::is_balanced;
use crate::model::{Comparison, Condition, Direction, Filter, Term};

/// Writes a filter so that [`super::parse_filter`] reads the same one.
#[must_use]
pub fn write_filter(filter: &Filter) -> String {
    let mut pieces = Vec::new();
    let aim = &filter.aim;
    let mut push_aim = |name: &str, value: Option<&str>| {
        pieces.extend(value.map(|value| format!("{name}:{}", quoted(value))));
    };
    push_aim("run", aim.run.as_deref());
    push_aim("baseline", aim.baseline.as_deref());
    push_aim("metric", aim.metric);
    pieces.extend(filter.terms.iter().map(written));
    let matcher = aim
        .matcher
        .map(|matcher| format!("matcher:{}", matcher.as_str()));
    pieces.extend(matcher);
    for key in &filter.sort {
        let minus = match key.direction {
            Direction::Ascending => "",
            Direction::Descending => "-",
        };
        let field = format!("{minus}{}", key.field);
        pieces.push(format!("sort:{}", quoted(&field)));
    }
    pieces.join(" ")
}

/// Writes terms that must all hold.
#[must_use]
pub fn write_terms(terms: &[Term]) -> String {
    let terms: Vec<String> = terms.iter().map(written).collect();
    terms.join(" ")
}

fn written(term: &Term) -> String {
    match term {
        Term::Is(condition) => written_condition(condition),
        Term::Not(term) => format!("-{}", written(term)),
        Term::All(terms) => format!("({})", write_terms(terms)),
        Term::Any(terms) => set(terms).unwrap_or_else(|| {
            let terms: Vec<String> = terms.iter().map(written).collect();
            format!("({})", terms.join(" or "))
        }),
    }
}

/// Writes `field:a,b` where each term asks for a value of one field.
fn set(terms: &[Term]) -> Option<String> {
    let mut name: Option<String> = None;
    let mut values = Vec::with_capacity(terms.len());
    for term in terms {
        let Term::Is(condition) = term else {
            return None;
        };
        let (sign, value) = condition.value();
        let takes = field(&condition.name()).is_some_and(|field| takes_sets(field.kind));
        let of = condition.name();
        if !takes || sign != Comparison::Is || name.get_or_insert_with(|| of.clone()) != &of {
            return None;
        }
        values.push(value);
    }
    (values.len() > 1).then(|| format!("{}:{}", name.unwrap_or_default(), values.join(",")))
}

fn written_condition(condition: &Condition) -> String {
    let (sign, value) = condition.value();
    let sign = match sign {
        Comparison::Is => ":",
        Comparison::Exactly => "==",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    };
    format!("{}{sign}{}", condition.name(), quoted(&value))
}

fn quoted(value: &str) -> String {
    let is_plain = !value.is_empty()
        && !value.starts_with('"')
        && !value.contains(char::is_whitespace)
        && is_balanced(value);
    if is_plain {
        return value.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for c in value.chars() {
        if c == '"' || c == '\\' {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.write_char('"').expect("a string takes all");
    quoted
}
