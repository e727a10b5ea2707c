//! The names that Lombok gives to the getter, setter and wither of a field, and to one element of a `@Singular` field.

use super::mark::{Annotation, Mark, Marks};

/// How accessors are named: `@Accessors`.
#[derive(Clone, Debug, Default)]
pub struct Style {
    pub is_fluent: bool,
    pub is_chained: bool,
    prefixes: Vec<String>,
}

impl Style {
    /// Reads the nearest `@Accessors`: on the field, its class, or a class around.
    pub fn read(around: &[&Marks<'_>]) -> Self {
        around
            .iter()
            .find_map(|marks| marks.get(Mark::Accessors))
            .map_or_else(Self::default, |annotation| Self::of(&annotation))
    }

    fn of(annotation: &Annotation<'_>) -> Self {
        let is_fluent = annotation.switch("fluent").unwrap_or(false);
        Self {
            is_fluent,
            // Fluent setters return the object unless told otherwise.
            is_chained: annotation.switch("chain").unwrap_or(is_fluent),
            prefixes: annotation
                .strings("prefix")
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Strips the prefix from a field's name; nothing when it has none of the prefixes.
    pub fn base(&self, field: &str) -> Option<String> {
        if self.prefixes.is_empty() {
            return Some(field.to_owned());
        }
        self.prefixes.iter().find_map(|prefix| {
            let rest = field.strip_prefix(prefix.as_str())?;
            let next = rest.chars().next()?;
            let ends_in_letter = prefix.chars().last().is_some_and(char::is_alphabetic);
            if ends_in_letter && next.is_lowercase() {
                return None;
            }
            Some(if prefix.is_empty() {
                rest.to_owned()
            } else {
                uncapital(rest)
            })
        })
    }
}

/// The kind of accessor that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Set,
    With,
}

impl Verb {
    const fn prefix(self, is_boolean: bool) -> &'static str {
        match self {
            Self::Get if is_boolean => "is",
            Self::Get => "get",
            Self::Set => "set",
            Self::With => "with",
        }
    }
}

/// Makes the accessor's name, then all names whose presence keeps the accessor from being generated; nothing for a
/// field without one of the prefixes.
///
/// The field `isFoo` of type `boolean` is the property `foo`, whose accessors are `isFoo()` and `setFoo(…)`.
pub fn names(style: &Style, verb: Verb, field: &str, is_boolean: bool) -> Option<Vec<String>> {
    let base = style.base(field)?;
    let is_fluent = style.is_fluent && verb != Verb::With;
    let after_is = after_is(&base).filter(|_| is_boolean);
    let mut names = vec![if is_fluent {
        base.clone()
    } else {
        format!(
            "{}{}",
            verb.prefix(is_boolean),
            after_is.map_or_else(|| capital(&base), str::to_owned)
        )
    }];
    if is_boolean {
        let mut bases = vec![base.clone()];
        bases.push(after_is.map_or_else(|| format!("is{}", capital(&base)), uncapital));
        for base in bases {
            if is_fluent {
                names.push(base);
            } else {
                names.push(format!("{}{}", verb.prefix(true), capital(&base)));
                names.push(format!("{}{}", verb.prefix(false), capital(&base)));
            }
        }
    }
    Some(names)
}

fn after_is(base: &str) -> Option<&str> {
    base.strip_prefix("is")
        .filter(|rest| rest.chars().next().is_some_and(|c| !c.is_lowercase()))
}

/// Turns the first letter of a word into upper case.
pub fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn uncapital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

/// Words whose singular does not follow from an ending; an empty singular means that there is none.
const IRREGULAR: &[(&str, &str)] = &[
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("series", ""),
    ("movies", "movie"),
    ("zombies", "zombie"),
    ("cookies", "cookie"),
    ("ties", "tie"),
    ("pies", "pie"),
    ("lies", "lie"),
    ("axes", "axe"),
    ("aliases", "alias"),
    ("statuses", "status"),
    ("buses", "bus"),
    ("viruses", "virus"),
    ("quizzes", "quiz"),
    ("indices", "index"),
    ("vertices", "vertex"),
    ("matrices", "matrix"),
    ("data", "datum"),
    ("mice", "mouse"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("geese", "goose"),
    ("wives", "wife"),
    ("lives", "life"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("shelves", "shelf"),
    ("halves", "half"),
    ("selves", "self"),
    ("wolves", "wolf"),
    ("thieves", "thief"),
    ("loaves", "loaf"),
];

/// Plural endings with the singular ones, of which the first match counts: `-` drops the ending, an empty one means no
/// singular.
const ENDINGS: &[(&str, &str)] = &[
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("oes", "o"),
    ("ss", ""),
    ("us", ""),
    ("is", ""),
    ("s", "-"),
];

/// Puts the last word of a plural name into the singular; nothing where Lombok demands that the singular be written.
pub fn singular(plural: &str) -> Option<String> {
    for (many, one) in IRREGULAR {
        for (many, one) in [
            ((*many).to_owned(), (*one).to_owned()),
            (capital(many), capital(one)),
        ] {
            if let Some(head) = plural.strip_suffix(&many)
                && (head.is_empty() || many.starts_with(char::is_uppercase))
            {
                return (!one.is_empty()).then(|| format!("{head}{one}"));
            }
        }
    }
    let (many, one) = ENDINGS.iter().find(|(many, _)| plural.ends_with(many))?;
    let head = plural.strip_suffix(many)?;
    match *one {
        _ if head.is_empty() => None,
        "" => None,
        "-" => Some(head.to_owned()),
        one => Some(format!("{head}{one}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Style, Verb, names, singular};

    fn check(verb: Verb, field: &str, is_boolean: bool, expected: &str) {
        let names = names(&Style::default(), verb, field, is_boolean).expect("no prefix is asked");
        assert_eq!(names[0], expected, "of {field}");
    }

    #[test]
    fn accessors_of_a_boolean_named_is_leave_the_word_out() {
        check(Verb::Get, "isOpen", true, "isOpen");
        check(Verb::Set, "isOpen", true, "setOpen");
        check(Verb::Get, "isOpen", false, "getIsOpen");
        check(Verb::Get, "island", true, "isIsland");
        check(Verb::With, "open", true, "withOpen");
        check(Verb::Get, "uShape", false, "getUShape");
    }

    #[test]
    fn a_prefix_counts_only_before_a_capital() {
        let style = Style {
            prefixes: vec!["f".to_owned(), "m_".to_owned()],
            ..Style::default()
        };
        assert_eq!(style.base("fName").as_deref(), Some("name"));
        assert_eq!(style.base("m_size").as_deref(), Some("size"));
        assert_eq!(style.base("factor"), None);
    }

    #[test]
    fn plurals_have_the_singular_of_their_last_word() {
        let check = |plural, one| assert_eq!(singular(plural).as_deref(), one, "of {plural}");
        check("names", Some("name"));
        check("entries", Some("entry"));
        check("boxes", Some("box"));
        check("classes", Some("class"));
        check("openStatuses", Some("openStatus"));
        check("children", Some("child"));
        check("status", None);
        check("list", None);
    }
}
