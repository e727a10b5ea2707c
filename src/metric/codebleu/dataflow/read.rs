//! The tokens that may be variables, and the nodes that have a rule, in the order of the text.

use std::ops::Range;

use super::rules::{Rule, Rules};
use crate::codebleu::words::WordNumbers;
use crate::model::Span;
use crate::syntax::tree::Tree;

/// A leaf whose text is not its kind.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The number of its text.
    pub name: u32,
    pub token: u32,
    pub is_identifier: bool,
}

/// The leaves and rules that a walk looks at.
#[derive(Default)]
pub struct Leaves {
    /// In the order of the text.
    pub variables: Vec<Variable>,
    /// By node, and after the last: how many variables are before it.
    starts: Vec<u32>,
    /// Nodes with their rules, in the order of the text.
    pub rules: Vec<(u32, Rule)>,
    /// By token.
    pub names: Vec<u32>,
    pub places: Vec<Span>,
    pub n_tokens: u32,
    words: WordNumbers,
    lines: ByteColumns,
    /// By depth: the last node there.
    ancestors: Vec<u32>,
}

impl Leaves {
    /// Reads a tree made of `text`; returns whether no node is deeper than `depth_max`.
    pub fn read(&mut self, rules: &Rules, tree: &Tree, text: &str, depth_max: u32) -> bool {
        self.variables.clear();
        self.starts.clear();
        self.rules.clear();
        self.names.clear();
        self.places.clear();
        self.n_tokens = 0;
        self.words.clear();
        self.lines.clear();
        let is_ascii = text.is_ascii();
        let mut last_empty = None;
        let mut has_late_rules = false;
        let mut idx = 0;
        while let Some(node) = tree.nodes.get(idx) {
            if node.depth > depth_max {
                return false;
            }
            self.starts.push(self.variables.len() as u32);
            let role = rules.role(node.kind);
            let is_leaf = node.subtree_end as usize == idx + 1;
            if node.kind == rules.in_for {
                has_late_rules |= self.remember_parent(rules, tree, node.depth);
            }
            if rules.in_for.0 != u16::MAX {
                self.ancestors.truncate(node.depth as usize);
                self.ancestors.push(idx as u32);
            }
            if !(is_leaf || role.is_literal) || role.is_comment {
                if let (Some(rule), false) = (role.rule, is_leaf) {
                    self.rules.push((idx as u32, rule));
                }
                idx += 1;
                continue;
            }
            let span = node.span;
            let bytes = &text.as_bytes()[span.start as usize..span.end as usize];
            let bytes = if is_ascii && !bytes.contains(&b'\n') {
                bytes
            } else {
                self.lines.text_of(text, span)
            };
            if bytes != tree.grammar.kind_name(node.kind).as_bytes() {
                let name = self.words.number(bytes);
                // Tokens are distinguished by their places; several empty ones at one place count as one.
                if span.start < span.end || last_empty != Some(span.start) {
                    self.names.push(name);
                    self.places.push(span);
                    self.n_tokens += 1;
                }
                last_empty = (span.start == span.end).then_some(span.start);
                self.variables.push(Variable {
                    name,
                    token: self.n_tokens - 1,
                    is_identifier: role.is_identifier,
                });
            }
            idx = node.subtree_end as usize;
            self.starts.resize(idx, self.variables.len() as u32);
        }
        self.starts.push(self.variables.len() as u32);
        if has_late_rules {
            self.rules.sort_unstable_by_key(|rule| rule.0);
            self.rules.dedup_by_key(|rule| rule.0);
        }
        true
    }

    /// Gives the parent of a node that is walked before its siblings a rule, unless it has one.
    fn remember_parent(&mut self, rules: &Rules, tree: &Tree, depth: u32) -> bool {
        let Some(parent) = depth.checked_sub(1).map(|n| self.ancestors[n as usize]) else {
            return false;
        };
        let has_rule = rules.role(tree.nodes[parent as usize].kind).rule.is_some();
        if !has_rule {
            self.rules.push((parent, Rule::FirstThoseInFor));
        }
        !has_rule
    }

    /// Finds the first of the `rules` for the nodes from `node` on.
    pub fn first_rule(&self, node: u32) -> usize {
        self.rules.partition_point(|rule| rule.0 < node)
    }

    /// Finds the places in `variables` of the variables below or at the nodes `from..to`.
    pub fn variables_in(&self, from: u32, to: u32) -> Range<usize> {
        self.starts[from as usize] as usize..self.starts[to as usize] as usize
    }

    /// Counts the different texts of variables.
    pub fn n_names(&self) -> usize {
        self.words.len()
    }
}

/// Texts as the reference implementations cut them out: columns that count bytes, on lines of characters, so that what
/// stands after a character of several bytes is shifted; and without line breaks.
#[derive(Default)]
struct ByteColumns {
    /// Where lines begin in the text.
    starts: Vec<u32>,
    /// The last line that was asked for, and where its characters begin in it.
    line: usize,
    chars: Vec<u32>,
    is_known: bool,
    cut: Vec<u8>,
}

impl ByteColumns {
    fn clear(&mut self) {
        self.starts.clear();
        self.is_known = false;
    }

    fn text_of(&mut self, text: &str, span: Span) -> &[u8] {
        if self.starts.is_empty() {
            self.starts.push(0);
            let breaks = text.bytes().zip(1..).filter(|pair| pair.0 == b'\n');
            self.starts.extend(breaks.map(|pair| pair.1));
        }
        let line_of = |at: u32| self.starts.partition_point(|start| *start <= at) - 1;
        let (first, last) = (line_of(span.start), line_of(span.end));
        let from = (span.start - self.starts[first]) as usize;
        let to = (span.end - self.starts[last]) as usize;
        self.cut.clear();
        if first == last {
            self.push(text, first, from, to);
            return &self.cut;
        }
        self.push(text, first, from, usize::MAX);
        for line in first + 1..last {
            self.push(text, line, 0, usize::MAX);
        }
        self.push(text, last, 0, to);
        &self.cut
    }

    /// Appends the characters `from..to` of a line.
    fn push(&mut self, text: &str, line: usize, from: usize, to: usize) {
        let start = self.starts[line] as usize;
        let next = self.starts.get(line + 1);
        let end = next.map_or(text.len(), |next| *next as usize - 1);
        let content = &text[start..end];
        if !(self.is_known && self.line == line) {
            self.is_known = true;
            self.line = line;
            self.chars.clear();
            if !content.is_ascii() {
                self.chars
                    .extend(content.char_indices().map(|pair| pair.0 as u32));
            }
        }
        let byte_of = |char_idx: usize| {
            if self.chars.is_empty() {
                char_idx.min(content.len())
            } else {
                let byte = self.chars.get(char_idx);
                byte.map_or(content.len(), |byte| *byte as usize)
            }
        };
        let from = byte_of(from);
        let to = byte_of(to).max(from);
        self.cut.extend_from_slice(&content.as_bytes()[from..to]);
    }
}
