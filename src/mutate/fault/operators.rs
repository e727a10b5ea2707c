//! The operators: what each makes of a node of Python's tree.
//!
//! One walk over a function sees every node once, so that a change in a function inside it is made once. Annotations,
//! docstrings, imports, patterns of `case`, what decorators are given, and classes in the function are passed over.

use crate::code::Code;
use crate::model::Span;

use super::edit::Change;

/// Every operator with its description, in order of names.
pub const DESCRIPTIONS: &[(&str, &str)] = &[
    ("ANR", "an assignment assigns `None`"),
    ("AOD", "a sign is removed"),
    ("AOR", "an arithmetic operator is replaced"),
    ("ARD", "an argument is dropped or replaced by `None`"),
    ("ASR", "an augmented assignment is replaced"),
    ("BCR", "`break` and `continue` are swapped"),
    ("CER", "the values of a conditional expression are swapped"),
    ("COD", "`not` is removed"),
    ("COI", "a condition is negated"),
    ("CRP", "a constant is replaced"),
    ("DDL", "a decorator is removed"),
    ("EHD", "a handled exception is raised again"),
    ("ETR", "an exception has another type"),
    ("EXS", "an exception is swallowed"),
    ("LCR", "`and` and `or` are swapped"),
    ("LOD", "`~` is removed"),
    ("LOR", "a bitwise operator is replaced"),
    ("ROR", "a comparison is replaced"),
    ("RVR", "`None` is returned"),
    ("SDL", "a statement becomes `pass`"),
    ("SIR", "a bound of a slice is removed"),
    ("SMR", "a method of strings is replaced by its opposite"),
    ("ZIL", "a loop never runs"),
];

/// Each operator, and those that may replace it: the usual one first.
const ARITHMETIC: &[(&str, &[&str])] = &[
    ("+", &["-", "*"]),
    ("-", &["+", "*"]),
    ("*", &["/", "+", "//"]),
    ("/", &["*", "//"]),
    ("//", &["/", "*"]),
    ("%", &["//", "*"]),
    ("**", &["*", "+"]),
    ("@", &["*"]),
];
const BITS: &[(&str, &[&str])] = &[
    ("<<", &[">>"]),
    (">>", &["<<"]),
    ("&", &["|", "^"]),
    ("|", &["&", "^"]),
    ("^", &["&", "|"]),
];
const COMPARISONS: &[(&str, &[&str])] = &[
    ("<", &["<=", ">=", ">", "==", "!="]),
    ("<=", &["<", ">", ">=", "==", "!="]),
    (">", &[">=", "<=", "<", "==", "!="]),
    (">=", &[">", "<", "<=", "==", "!="]),
    ("==", &["!=", "<", "<=", ">", ">="]),
    ("!=", &["==", "<", "<=", ">", ">="]),
    ("is", &["is not"]),
    ("is not", &["is"]),
    ("in", &["not in"]),
    ("not in", &["in"]),
];
const STRING_METHODS: &[(&str, &str)] = &[
    ("lower", "upper"),
    ("lstrip", "rstrip"),
    ("find", "rfind"),
    ("startswith", "endswith"),
    ("partition", "rpartition"),
    ("split", "rsplit"),
    ("ljust", "rjust"),
    ("removeprefix", "removesuffix"),
    ("isupper", "islower"),
];
/// Nodes that no test can see, that do not run, or that belong to another operator.
const PASSED_OVER: &[&str] = &[
    "type",
    "class_definition",
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "global_statement",
    "nonlocal_statement",
    "case_pattern",
    "format_specifier",
    "type_alias_statement",
];
/// Nodes that bind a name in a function, or make it another kind of function.
const BINDING: &[&str] = &[
    "assignment",
    "augmented_assignment",
    "named_expression",
    "for_statement",
    "as_pattern",
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "global_statement",
    "nonlocal_statement",
    "function_definition",
    "class_definition",
    "case_pattern",
    "delete_statement",
    "yield",
    "await",
];

/// Tells whether there is an operator of this name.
#[must_use]
pub fn is_operator(name: &str) -> bool {
    DESCRIPTIONS.iter().any(|(known, _)| *known == name)
}

/// Lists the changes in a function, in any order.
pub fn changes(code: &Code<'_>, root: u32, is_every: bool) -> Vec<Change> {
    let mut walk = OperatorWalk {
        code,
        is_every,
        changes: Vec::new(),
    };
    let mut idx = root;
    while idx < code.end(root) {
        if walk.is_passed_over(idx) {
            idx = code.end(idx);
            continue;
        }
        walk.node(idx);
        idx += 1;
    }
    walk.changes
}

struct OperatorWalk<'c> {
    code: &'c Code<'c>,
    is_every: bool,
    changes: Vec<Change>,
}

impl OperatorWalk<'_> {
    fn is_passed_over(&mut self, idx: u32) -> bool {
        let kind = self.code.kind(idx);
        if kind == "decorator" {
            self.decorator(idx);
            return true;
        }
        PASSED_OVER.contains(&kind) || self.is_bare_string(idx) || self.is_for_types(idx)
    }

    /// Tells whether a statement is a string, as docstrings are.
    fn is_bare_string(&self, idx: u32) -> bool {
        self.code.kind(idx) == "expression_statement"
            && self.code.named(idx).all(|child| self.is_string(child))
    }

    /// Tells whether a statement is for type checkers alone: `if TYPE_CHECKING`.
    fn is_for_types(&self, idx: u32) -> bool {
        let condition = self.code.child(idx, "condition");
        self.code.kind(idx) == "if_statement"
            && condition
                .is_some_and(|condition| self.code.source(condition).ends_with("TYPE_CHECKING"))
    }

    fn is_string(&self, idx: u32) -> bool {
        matches!(self.code.kind(idx), "string" | "concatenated_string")
    }

    fn is_none(&self, idx: u32) -> bool {
        self.code.kind(idx) == "none"
    }

    fn node(&mut self, idx: u32) {
        match self.code.kind(idx) {
            "binary_operator" => self.binary(idx),
            "augmented_assignment" => self.augmented(idx),
            "comparison_operator" => self.comparison(idx),
            "boolean_operator" => self.boolean(idx),
            "not_operator" => self.without_operator("COD", idx),
            "unary_operator" => self.unary(idx),
            "if_statement" | "elif_clause" | "while_statement" => self.condition(idx),
            "if_clause" => {
                if let Some(condition) = self.code.named(idx).next() {
                    self.negate(condition);
                }
            }
            "for_statement" => self.no_rounds(idx, "right", "()"),
            "conditional_expression" => self.conditional(idx),
            "integer" | "float" => self.number(idx),
            "true" => self.put("CRP", idx, "False"),
            "false" => self.put("CRP", idx, "True"),
            "string" => self.string(idx),
            "break_statement" => self.put("BCR", idx, "continue"),
            "continue_statement" => self.put("BCR", idx, "break"),
            "except_clause" => self.handler(idx),
            "raise_statement" => self.raised(idx),
            "return_statement" => self.returned(idx),
            "assignment" => self.assigned(idx),
            "slice" => self.slice(idx),
            "call" => self.call(idx),
            _ => {}
        }
        self.statement(idx);
    }

    fn put(&mut self, mutator: &'static str, idx: u32, text: &str) {
        self.change(mutator, self.code.span(idx), text);
    }

    fn change(&mut self, mutator: &'static str, span: Span, text: &str) {
        self.changes.push(Change {
            span,
            mutator,
            replacement: text.to_owned(),
        });
    }

    /// Replaces an operator by the first of its alternatives, or by each of them where every replacement is requested.
    fn replace(
        &mut self,
        mutator: &'static str,
        span: Span,
        table: &[(&'static str, &[&'static str])],
    ) {
        let written = span.of(self.code.text);
        let read = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = table.iter().find(|(operator, _)| *operator == read);
        let n_most = if self.is_every { usize::MAX } else { 1 };
        for other in found.iter().flat_map(|(_, others)| *others).take(n_most) {
            self.change(mutator, span, other);
        }
    }

    fn binary(&mut self, idx: u32) {
        let sides = ["left", "right"].map(|side| self.code.child(idx, side));
        let is_of_text = sides.into_iter().flatten().any(|side| self.is_string(side));
        let Some(operator) = self.code.child(idx, "operator") else {
            return;
        };
        let span = self.code.span(operator);
        // Strings can be added but not subtracted: every test that comes there would notice.
        if !is_of_text {
            self.replace("AOR", span, ARITHMETIC);
        }
        self.replace("LOR", span, BITS);
    }

    fn augmented(&mut self, idx: u32) {
        let Some(operator) = self.code.child(idx, "operator") else {
            return;
        };
        let of_text = self
            .code
            .child(idx, "right")
            .is_some_and(|right| self.is_string(right));
        let span = self.code.span(operator);
        let sign = Span::new(span.start, span.end - 1);
        if !of_text {
            self.replace("ASR", sign, ARITHMETIC);
            self.replace("ASR", sign, BITS);
        }
        if of_text || self.is_every {
            self.change("ASR", span, "=");
        }
    }

    fn comparison(&mut self, idx: u32) {
        let operators: Vec<u32> = self
            .code
            .children(idx)
            .filter(|child| self.code.field(*child) == "operators")
            .collect();
        for operator in operators {
            self.replace("ROR", self.code.span(operator), COMPARISONS);
        }
    }

    fn boolean(&mut self, idx: u32) {
        let Some(operator) = self.code.child(idx, "operator") else {
            return;
        };
        let other = if self.code.source(operator) == "and" {
            "or"
        } else {
            "and"
        };
        self.put("LCR", operator, other);
    }

    fn unary(&mut self, idx: u32) {
        match self.code.operator(idx) {
            "~" => self.without_operator("LOD", idx),
            // A `-` is removed, since `+` in its place would be the same.
            "-" => self.without_operator("AOD", idx),
            _ => {
                if let Some(operator) = self.code.child(idx, "operator") {
                    self.put("AOD", operator, "-");
                }
            }
        }
    }

    fn without_operator(&mut self, mutator: &'static str, idx: u32) {
        if let Some(argument) = self.code.child(idx, "argument") {
            let (start, end) = (self.code.span(idx).start, self.code.span(argument).start);
            self.change(mutator, Span::new(start, end), "");
        }
    }

    fn condition(&mut self, idx: u32) {
        let Some(condition) = self.code.child(idx, "condition") else {
            return;
        };
        if self.code.kind(idx) == "while_statement" {
            // `while True` is left to the operator of constants, which makes `False` of it.
            if self.code.kind(condition) != "true" {
                self.put("ZIL", condition, "False");
                self.negate(condition);
            }
            return;
        }
        self.negate(condition);
    }

    /// Negates a condition, unless another operator makes the same change.
    fn negate(&mut self, condition: u32) {
        let is_other = match self.code.kind(condition) {
            "not_operator" | "true" | "false" => true,
            "comparison_operator" => {
                let mut operators = self
                    .code
                    .children(condition)
                    .filter(|child| self.code.field(*child) == "operators");
                let first = operators.next();
                let first = first.map_or("", |operator| self.code.source(operator));
                operators.next().is_none() && !first.starts_with(['<', '>'])
            }
            _ => false,
        };
        if !is_other {
            let text = format!("not ({})", self.code.source(condition));
            self.put("COI", condition, &text);
        }
    }

    fn no_rounds(&mut self, idx: u32, field: &str, nothing: &str) {
        let is_async = self.code.source(idx).starts_with("async");
        let right = self.code.child(idx, field);
        if let Some(right) = right.filter(|_| !is_async) {
            self.put("ZIL", right, nothing);
        }
    }

    fn conditional(&mut self, idx: u32) {
        let parts: Vec<u32> = self.code.named(idx).collect();
        let [yes, condition, no] = parts[..] else {
            return;
        };
        let of = |idx: u32| self.code.source(idx);
        let text = format!("{} if {} else {}", of(no), of(condition), of(yes));
        // The expression behind `else` may be a conditional one itself, which binds less.
        let is_plain =
            |idx: u32| !matches!(self.code.kind(idx), "conditional_expression" | "lambda");
        if is_plain(no) {
            self.put("CER", idx, &text);
        } else {
            let text = format!("({}) if {} else {}", of(no), of(condition), of(yes));
            self.put("CER", idx, &text);
        }
    }

    fn number(&mut self, idx: u32) {
        let text = self.code.source(idx);
        let others: Vec<String> = if let Ok(number) = text.parse::<u64>()
            && number < u64::MAX
        {
            let less = if number == 0 {
                "-1".to_owned()
            } else {
                (number - 1).to_string()
            };
            let zero = if number > 1 {
                Some("0".to_owned())
            } else {
                None
            };
            let more = (number + 1).to_string();
            [more, less].into_iter().chain(zero).collect()
        } else {
            vec![format!("({text} + 1)")]
        };
        let n_most = if self.is_every { usize::MAX } else { 1 };
        for other in others.iter().take(n_most) {
            self.put("CRP", idx, other);
        }
    }

    fn string(&mut self, idx: u32) {
        let child = |kind: &str| {
            self.code
                .children(idx)
                .find(|child| self.code.kind(*child) == kind)
        };
        let (Some(start), Some(end)) = (child("string_start"), child("string_end")) else {
            return;
        };
        let inner = Span::new(self.code.span(start).end, self.code.span(end).start);
        if inner.start == inner.end {
            self.change("CRP", inner, "XX");
            return;
        }
        let changed = format!("XX{}XX", inner.of(self.code.text));
        self.change("CRP", inner, &changed);
        if self.is_every {
            self.change("CRP", inner, "");
        }
    }

    fn handler(&mut self, idx: u32) {
        let block = self
            .code
            .named(idx)
            .find(|child| self.code.kind(*child) == "block");
        let Some(block) = block.filter(|block| !self.binds(*block)) else {
            return;
        };
        for (mutator, text) in [("EXS", "pass"), ("EHD", "raise")] {
            if self.code.source(block).trim() != text {
                self.put(mutator, block, text);
            }
        }
    }

    fn raised(&mut self, idx: u32) {
        let Some(thrown) = self.code.named(idx).next() else {
            return;
        };
        let class = if self.code.kind(thrown) == "call" {
            self.code.child(thrown, "function")
        } else {
            Some(thrown)
        };
        let Some(class) = class else { return };
        let name = self.code.source(class);
        let last = name.rsplit('.').next().unwrap_or(name);
        // A name in lower case may be an exception that was made before.
        if last.starts_with(|first: char| first.is_uppercase()) {
            let other = if last == "ValueError" {
                "TypeError"
            } else {
                "ValueError"
            };
            self.put("ETR", class, other);
        }
    }

    fn returned(&mut self, idx: u32) {
        if let Some(value) = self.code.named(idx).next()
            && !self.is_none(value)
        {
            self.put("RVR", value, "None");
        }
    }

    fn assigned(&mut self, idx: u32) {
        let (Some(left), Some(right)) =
            (self.code.child(idx, "left"), self.code.child(idx, "right"))
        else {
            return;
        };
        let is_of_many = matches!(
            self.code.kind(left),
            "pattern_list" | "tuple_pattern" | "list_pattern"
        );
        let is_other = matches!(
            self.code.kind(right),
            "none" | "assignment" | "augmented_assignment"
        );
        if !is_of_many && !is_other && !self.code.holds(right, &["yield", "named_expression"]) {
            self.put("ANR", right, "None");
        }
    }

    fn slice(&mut self, idx: u32) {
        for bound in self.code.named(idx).collect::<Vec<_>>() {
            self.put("SIR", bound, "");
        }
    }

    fn call(&mut self, idx: u32) {
        let (Some(function), Some(arguments)) = (
            self.code.child(idx, "function"),
            self.code.child(idx, "arguments"),
        ) else {
            return;
        };
        if self.code.kind(arguments) != "argument_list" {
            return;
        }
        let all: Vec<u32> = self.code.named(arguments).collect();
        if let Some(method) = self.code.child(function, "attribute") {
            self.string_method(method, all.len());
        }
        for (place, argument) in all.iter().enumerate() {
            self.argument(*argument, all.get(place + 1).copied(), all.len());
        }
    }

    fn string_method(&mut self, method: u32, n_arguments: usize) {
        let name = self.code.source(method);
        // Without a limit, both directions split alike.
        if matches!(name, "split" | "rsplit") && n_arguments < 2 {
            return;
        }
        for (one, other) in STRING_METHODS {
            if name == *one {
                self.put("SMR", method, other);
            } else if name == *other {
                self.put("SMR", method, one);
            }
        }
    }

    fn argument(&mut self, argument: u32, next: Option<u32>, n_all: usize) {
        if self.code.holds(argument, &["yield", "named_expression"]) {
            return;
        }
        match self.code.kind(argument) {
            "keyword_argument" => {
                let span = self.code.span(argument);
                let end = next.map_or(span.end, |next| self.code.span(next).start);
                self.change("ARD", Span::new(span.start, end), "");
                if self.is_every
                    && let Some(value) = self.code.child(argument, "value")
                    && !self.is_none(value)
                {
                    self.put("ARD", value, "None");
                }
            }
            "list_splat" | "dictionary_splat" | "none" | "string" | "concatenated_string" => {}
            _ => {
                self.put("ARD", argument, "None");
                if self.is_every && next.is_none() && n_all > 1 {
                    self.put("ARD", argument, "");
                }
            }
        }
    }

    fn decorator(&mut self, idx: u32) {
        let mut siblings = self.code.children(self.code.parent(idx));
        siblings.find(|sibling| *sibling == idx);
        if let Some(next) = siblings.next() {
            let span = Span::new(self.code.span(idx).start, self.code.span(next).start);
            self.change("DDL", span, "");
        }
    }

    /// Makes `pass` of a statement without which the function binds the same names.
    fn statement(&mut self, idx: u32) {
        let is_left_out = match self.code.kind(idx) {
            "expression_statement" => {
                let inner = self.code.named(idx).next();
                inner.is_none_or(|inner| self.binds(inner))
            }
            "raise_statement" | "assert_statement" => self.binds(idx),
            "return_statement" => self.code.named(idx).next().is_some(),
            "if_statement" | "while_statement" | "with_statement" | "try_statement" => {
                self.binds(idx)
            }
            _ => true,
        };
        if !is_left_out {
            self.put("SDL", idx, "pass");
        }
    }

    /// Tells whether a part of a function binds a name, or makes it another kind of function.
    fn binds(&self, idx: u32) -> bool {
        self.code.below(idx).any(|below| {
            let kind = self.code.kind(below);
            let left = self.code.child(below, "left");
            let is_of_part = matches!(kind, "assignment" | "augmented_assignment")
                && left
                    .is_some_and(|left| matches!(self.code.kind(left), "attribute" | "subscript"));
            BINDING.contains(&kind) && !is_of_part
        })
    }
}
