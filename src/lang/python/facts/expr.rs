//! Lowering of expressions.

use super::kind::Kind as K;
use super::lower::PythonLowering;
use super::{
    Arg, BindingOrigin, Clause, Comprehension, Display, Expr, ExprId, Lambda, Literal, flag,
};
use crate::ids::add;
use crate::model::Span;
use crate::run::Run;

/// How many bytes a string may have to be kept as a word: longer ones are no names.
const STRING_MAX: usize = 200;

/// The content of a string.
enum StringContent {
    Text(String),
    Bytes,
    /// The string has holes.
    Holes,
}

impl PythonLowering<'_> {
    /// Lowers an expression; chains of calls and sums of any length are followed without recursion.
    pub fn expr(&mut self, idx: u32) -> ExprId {
        let mut spine = Vec::new();
        let mut at = idx;
        loop {
            let fields = self.fields();
            let first = match self.kind(at) {
                K::Call => self.child(at, fields.function),
                K::Attribute => self.child(at, fields.object),
                K::Subscript => self.child(at, fields.value),
                K::Binary => self.child(at, fields.left),
                K::Parenthesized => self.named(at).next(),
                _ => None,
            };
            let Some(first) = first else { break };
            spine.push(at);
            at = first;
        }
        let mut value = self
            .deeper(|lowering| lowering.leaf(at))
            .unwrap_or_else(|| self.broken(at));
        while let Some(at) = spine.pop() {
            value = self
                .deeper(|lowering| lowering.around(at, value))
                .unwrap_or_else(|| self.broken(at));
        }
        value
    }

    fn broken(&mut self, idx: u32) -> ExprId {
        self.push_plain(Expr::Broken, idx)
    }

    /// Lowers a node to a wrapper around its first part.
    fn of_first(&mut self, idx: u32, make: fn(ExprId) -> Expr) -> ExprId {
        let Some(value) = self.named(idx).next() else {
            return self.broken(idx);
        };
        let value = self.expr(value);
        self.push_plain(make(value), idx)
    }

    /// Lowers the rest of a node around its first part.
    fn around(&mut self, idx: u32, inner: ExprId) -> ExprId {
        let fields = self.fields();
        let span = self.span_of(idx);
        match self.kind(idx) {
            K::Call => {
                self.note_dynamic(inner);
                if let Expr::Attr { name, .. } = self.facts.expr(inner)
                    && self.facts.word(name) == "subTest"
                {
                    self.facts.sub_tests.push(span);
                }
                let args = self.child(idx, fields.arguments);
                let args = args.map_or_else(Run::default, |arg| self.arguments(arg));
                self.push_expr(
                    Expr::Call {
                        function: inner,
                        args,
                    },
                    span,
                    span.start,
                )
            }
            K::Attribute => {
                let Some(name) = self.child(idx, fields.attribute) else {
                    return self.broken(idx);
                };
                let token = self.span_of(name).start;
                let name = self.word_of(name);
                self.push_expr(Expr::Attr { value: inner, name }, span, token)
            }
            K::Subscript => {
                let parts: Vec<u32> = self
                    .tree
                    .children(idx)
                    .filter(|child| self.tree.nodes[*child as usize].field == fields.subscript)
                    .collect();
                let bracket = self
                    .tree
                    .children(idx)
                    .find(|child| self.text_of(*child) == "[");
                let token = bracket.map_or(span.start, |bracket| self.span_of(bracket).start);
                let index = match parts.as_slice() {
                    [] => return self.broken(idx),
                    [one] => self.expr(*one),
                    several => self.display(Display::Tuple, several, span),
                };
                self.push_expr(
                    Expr::Subscript {
                        value: inner,
                        index,
                    },
                    span,
                    token,
                )
            }
            K::Binary => {
                let (Some(op), Some(right)) = (
                    self.child(idx, fields.operator),
                    self.child(idx, fields.right),
                ) else {
                    return self.broken(idx);
                };
                let token = self.span_of(op).start;
                let op = self.word_of(op);
                let right = self.expr(right);
                self.push_expr(
                    Expr::Binary {
                        op,
                        left: inner,
                        right,
                    },
                    span,
                    token,
                )
            }
            _ => inner,
        }
    }

    fn leaf(&mut self, idx: u32) -> ExprId {
        match self.kind(idx) {
            K::Identifier => {
                let name = self.word_of(idx);
                self.push_plain(Expr::Name(name), idx)
            }
            K::String => self.string(idx),
            K::Concatenated => self.concatenated(idx),
            K::Integer => match self.text_of(idx).parse() {
                Ok(number) => self.push_plain(Expr::Int(number), idx),
                Err(_) => self.literal(Literal::Int, idx),
            },
            K::Float => self.literal(Literal::Float, idx),
            K::True | K::False => self.literal(Literal::Bool, idx),
            K::None => self.literal(Literal::None, idx),
            K::Ellipsis => self.literal(Literal::Ellipsis, idx),
            K::Tuple | K::ExpressionList | K::PatternList | K::TuplePattern => {
                self.displayed(Display::Tuple, idx)
            }
            K::List | K::ListPattern => self.displayed(Display::List, idx),
            K::Set => self.displayed(Display::Set, idx),
            K::Dictionary => self.dictionary(idx),
            K::Boolean => self.boolean(idx),
            K::Not | K::Slice | K::Delete => self.displayed(Display::Parts, idx),
            K::Comparison => self.comparison(idx),
            K::Unary => self.unary(idx),
            K::Conditional => self.condition(idx),
            K::ListComprehension
            | K::SetComprehension
            | K::Generator
            | K::DictionaryComprehension => self.comprehension(idx),
            K::Lambda => self.lambda(idx),
            K::Await => self.of_first(idx, Expr::Await),
            K::Yield => self.yields(idx),
            K::ListSplat
            | K::DictionarySplat
            | K::ListSplatPattern
            | K::DictionarySplatPattern
            | K::SplatType
            | K::ParenthesizedListSplat => self.of_first(idx, Expr::Star),
            K::Named => self.walrus(idx),
            K::AsPattern | K::Type | K::ConstrainedType => match self.named(idx).next() {
                Some(value) => self.expr(value),
                None => self.broken(idx),
            },
            K::GenericType => self.generic(idx),
            K::UnionType => self.united(idx),
            K::Assignment => self.assigned(idx),
            _ => self.broken(idx),
        }
    }

    fn display(&mut self, display: Display, parts: &[u32], span: Span) -> ExprId {
        let parts: Vec<ExprId> = parts.iter().map(|part| self.expr(*part)).collect();
        let run = self.push_list(&parts);
        self.push_expr(Expr::Display(display, run), span, span.start)
    }

    fn displayed(&mut self, display: Display, idx: u32) -> ExprId {
        let parts: Vec<u32> = self.named(idx).collect();
        self.display(display, &parts, self.span_of(idx))
    }

    fn dictionary(&mut self, idx: u32) -> ExprId {
        let mut parts = Vec::new();
        for child in self.named(idx) {
            if self.kind(child) == K::Pair {
                parts.extend(self.named(child).take(2));
                if parts.len() % 2 == 1 {
                    parts.pop();
                }
            } else if self.kind(child) == K::DictionarySplat {
                parts.extend([child, child]);
            }
        }
        // A splat is lowered once.
        let mut ids = Vec::with_capacity(parts.len());
        for pair in parts.chunks_exact(2) {
            let key = self.expr(pair[0]);
            ids.push(key);
            ids.push(if pair[0] == pair[1] {
                key
            } else {
                self.expr(pair[1])
            });
        }
        let run = self.push_list(&ids);
        self.push_plain(Expr::Display(Display::Dict, run), idx)
    }

    /// Lowers `a or b or c`, which hangs to the left, to one list of operands.
    fn boolean(&mut self, idx: u32) -> ExprId {
        let fields = self.fields();
        let mut parts = Vec::new();
        let mut at = idx;
        let is_and = self.has_token(idx, "and");
        let display = if is_and {
            Display::Both
        } else {
            Display::Choice
        };
        while let (Some(left), Some(right)) =
            (self.child(at, fields.left), self.child(at, fields.right))
        {
            parts.push(right);
            at = left;
            if self.kind(at) != K::Boolean || self.has_token(at, "and") != is_and {
                parts.push(at);
                break;
            }
        }
        parts.reverse();
        self.display(display, &parts, self.span_of(idx))
    }

    /// Lowers a comparison; of a chain such as `a < b == c`, only the first pair keeps its operator.
    fn comparison(&mut self, idx: u32) -> ExprId {
        let fields = self.fields();
        let span = self.span_of(idx);
        let mut operands: Vec<ExprId> = Vec::new();
        let mut signs: Vec<u32> = Vec::new();
        let tree = self.tree;
        for child in tree.children(idx) {
            if tree.nodes[child as usize].field == fields.operators {
                // `not in` and `is not` are one token each, or two.
                if signs.len() < operands.len() {
                    signs.push(child);
                }
            } else if tree.nodes[child as usize].is_named() && self.kind(child) != K::Comment {
                let operand = self.expr(child);
                operands.push(operand);
            }
        }
        let mut parts = Vec::new();
        for (pair, sign) in operands.windows(2).zip(&signs) {
            let token = self.span_of(*sign).start;
            let op = self.word_of(*sign);
            let (left, right) = (pair[0], pair[1]);
            parts.push(self.push_expr(Expr::Binary { op, left, right }, span, token));
        }
        match parts.as_slice() {
            [] => self.broken(idx),
            [one] => *one,
            // The middle operands are in two pairs; only the first pair is walked, then the other operands.
            [first, ..] => {
                let mut ids = vec![*first];
                ids.extend_from_slice(&operands[2..]);
                let run = self.push_list(&ids);
                self.push_plain(Expr::Display(Display::Parts, run), idx)
            }
        }
    }

    fn unary(&mut self, idx: u32) -> ExprId {
        let sign = self.tree.children(idx).next();
        match (sign, self.named(idx).last()) {
            (Some(sign), Some(value)) => {
                let op = self.word_of(sign);
                let value = self.expr(value);
                self.push_plain(Expr::Unary { op, value }, idx)
            }
            _ => self.broken(idx),
        }
    }

    fn condition(&mut self, idx: u32) -> ExprId {
        let parts: Vec<u32> = self.named(idx).take(3).collect();
        let &[then, test, other] = parts.as_slice() else {
            return self.broken(idx);
        };
        let (then, test, other) = (self.expr(then), self.expr(test), self.expr(other));
        self.push_plain(Expr::Cond { test, then, other }, idx)
    }

    fn comprehension(&mut self, idx: u32) -> ExprId {
        let mut clauses = Vec::new();
        let mut head = None;
        let fields = self.fields();
        for child in self.named(idx) {
            match self.kind(child) {
                K::ForIn => {
                    let (Some(left), Some(right)) = (
                        self.child(child, fields.left),
                        self.child(child, fields.right),
                    ) else {
                        continue;
                    };
                    let target = Some(self.expr(left));
                    let iter = self.expr(right);
                    let at = self.span_of(child).start;
                    clauses.push(Clause { target, iter, at });
                }
                K::IfClause => {
                    if let Some(test) = self.named(child).next() {
                        let iter = self.expr(test);
                        let at = self.span_of(child).start;
                        clauses.push(Clause {
                            target: None,
                            iter,
                            at,
                        });
                    }
                }
                _ => head = head.or(Some(child)),
            }
        }
        let Some(head) = head else {
            return self.broken(idx);
        };
        let (value, second) = if self.kind(head) == K::Pair {
            let parts: Vec<u32> = self.named(head).take(2).collect();
            let &[key, value] = parts.as_slice() else {
                return self.broken(idx);
            };
            (self.expr(key), Some(self.expr(value)))
        } else {
            (self.expr(head), None)
        };
        let clauses = Run::add(&mut self.facts.clauses, clauses);
        let number = add(
            &mut self.facts.comprehensions,
            Comprehension {
                value,
                second,
                clauses,
            },
        );
        self.push_plain(Expr::Comprehension(number), idx)
    }

    fn lambda(&mut self, idx: u32) -> ExprId {
        let fields = self.fields();
        let params = self.child(idx, fields.parameters);
        let params = params.map_or_else(Run::default, |param| self.parameters(param));
        let Some(body) = self.child(idx, fields.body) else {
            return self.broken(idx);
        };
        let body = self.expr(body);
        let number = add(&mut self.facts.lambdas, Lambda { params, body });
        self.push_plain(Expr::Lambda(number), idx)
    }

    fn yields(&mut self, idx: u32) -> ExprId {
        self.flag(flag::GENERATOR);
        let value = self.named(idx).next();
        let value = value.map(|value| self.expr(value));
        let expr = match value {
            Some(value) if self.has_token(idx, "from") => Expr::YieldFrom(value),
            value => Expr::Yield(value),
        };
        self.push_plain(expr, idx)
    }

    fn walrus(&mut self, idx: u32) -> ExprId {
        let fields = self.fields();
        let (Some(name), Some(value)) =
            (self.child(idx, fields.name), self.child(idx, fields.value))
        else {
            return self.broken(idx);
        };
        let value = self.expr(value);
        let name = self.word_of(name);
        self.bind(name, BindingOrigin::Assign);
        self.push_plain(Expr::Walrus { name, value }, idx)
    }

    /// Lowers an assignment where an expression is expected, as in `a = b = c`, to its value.
    fn assigned(&mut self, idx: u32) -> ExprId {
        match self.child(idx, self.fields().right) {
            Some(value) => self.expr(value),
            None => self.broken(idx),
        }
    }

    // Types as the grammar reads them: `List[int]`, `A | B`.

    fn generic(&mut self, idx: u32) -> ExprId {
        let parts: Vec<u32> = self.named(idx).collect();
        let &[name, parameters] = parts.as_slice() else {
            return self.broken(idx);
        };
        let value = self.expr(name);
        let arguments: Vec<u32> = self.named(parameters).collect();
        let span = self.span_of(idx);
        let index = match arguments.as_slice() {
            [] => return value,
            [one] => self.expr(*one),
            several => self.display(Display::Tuple, several, span),
        };
        self.push_expr(Expr::Subscript { value, index }, span, span.start)
    }

    fn united(&mut self, idx: u32) -> ExprId {
        let parts: Vec<u32> = self.named(idx).take(2).collect();
        let &[left, right] = parts.as_slice() else {
            return self.broken(idx);
        };
        let (left, right) = (self.expr(left), self.expr(right));
        let op = self.word("|");
        self.push_plain(Expr::Binary { op, left, right }, idx)
    }

    // Strings.

    fn string(&mut self, idx: u32) -> ExprId {
        match self.plain_string(idx) {
            StringContent::Holes => self.format(&[idx], idx),
            StringContent::Bytes => self.literal(Literal::Bytes, idx),
            StringContent::Text(text) => self.string_of(&text, idx),
        }
    }

    fn string_of(&mut self, text: &str, idx: u32) -> ExprId {
        if text.len() > STRING_MAX {
            return self.literal(Literal::Str, idx);
        }
        let name = self.word(text);
        self.push_plain(Expr::Str(name), idx)
    }

    fn plain_string(&self, idx: u32) -> StringContent {
        let mut text = String::new();
        for child in self.named(idx) {
            match self.kind(child) {
                K::Interpolation => return StringContent::Holes,
                K::StringContent => text.push_str(self.text_of(child)),
                _ => {}
            }
        }
        let prefix: String = self.text_of(idx).chars().take(3).collect();
        let prefix = prefix.split(['"', '\'']).next().unwrap_or_default();
        if prefix.contains(['b', 'B']) {
            return StringContent::Bytes;
        }
        StringContent::Text(text)
    }

    fn concatenated(&mut self, idx: u32) -> ExprId {
        let parts: Vec<u32> = self.named(idx).collect();
        let mut text = String::new();
        for part in &parts {
            match self.plain_string(*part) {
                StringContent::Text(plain) => text.push_str(&plain),
                StringContent::Bytes => return self.literal(Literal::Bytes, idx),
                StringContent::Holes => return self.format(&parts, idx),
            }
        }
        self.string_of(&text, idx)
    }

    fn format(&mut self, strings: &[u32], idx: u32) -> ExprId {
        let mut holes = Vec::new();
        for string in strings {
            for child in self.named(*string) {
                if self.kind(child) == K::Interpolation {
                    holes.extend(self.named(child).next());
                }
            }
        }
        self.display(Display::Format, &holes, self.span_of(idx))
    }

    // Arguments.

    pub fn arguments(&mut self, idx: u32) -> Run {
        let mut args = Vec::new();
        if self.kind(idx) == K::Generator {
            let value = self.expr(idx);
            args.push(Arg {
                name: None,
                is_star: false,
                value,
            });
        } else {
            for child in self.named(idx) {
                args.extend(self.argument(child));
            }
        }
        Run::add(&mut self.facts.args, args)
    }

    fn argument(&mut self, idx: u32) -> Option<Arg> {
        let fields = self.fields();
        match self.kind(idx) {
            K::KeywordArgument => {
                let name = self.child(idx, fields.name)?;
                let value = self.child(idx, fields.value)?;
                let name = Some(self.word_of(name));
                let value = self.expr(value);
                Some(Arg {
                    name,
                    is_star: false,
                    value,
                })
            }
            K::ListSplat | K::DictionarySplat => {
                let value = self.named(idx).next()?;
                let value = self.expr(value);
                Some(Arg {
                    name: None,
                    is_star: true,
                    value,
                })
            }
            K::Error => None,
            _ => {
                let value = self.expr(idx);
                Some(Arg {
                    name: None,
                    is_star: false,
                    value,
                })
            }
        }
    }
}
