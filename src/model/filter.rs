//! The filter language as a value: parsed in `browse`, compiled to SQL in `store`.

/// `repo:gson -status:tie weight<0.5 sort:-weight`: all terms must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub terms: Vec<Term>,
    pub sort: Vec<SortKey>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The field's name as in the table of fields, `text` for a search in bodies.
    pub field: &'static str,
    pub comparison: Comparison,
    /// As written; numbers are checked by the parser.
    pub value: String,
    /// `-field:value` turns the condition round.
    pub negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `field:value`: equal for words from a closed set, "contains" for names.
    Is,
    /// `field==value`: the whole name, or exactly the number.
    Exactly,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// `sort:field` or `sort:-field`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub field: &'static str,
    pub direction: Direction,
}
