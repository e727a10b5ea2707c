//! The syntax part: which subtrees of the reference the prediction has too.
//!
//! Reference implementations compare printed trees as text. Here each subtree has a hash that is the same exactly when
//! the printed text is (but for collisions of 64 bits): of its named and missing nodes, their fields, and what else a
//! printed tree shows. It is made bottom-up, so that every node is looked at twice at most.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::words::KeyNumbers;
use crate::syntax::tree::{MissingNode, NodeField, Tree};

/// The first values of hashes, by the form in which a node is printed.
const NAMED: u64 = 0x243f_6a88_85a3_08d3;
const MISSING_NAMED: u64 = 0x1319_8a2e_0370_7344;
const MISSING_QUOTED: u64 = 0xa409_3822_299f_31d0;
const ANONYMOUS: u64 = 0x082e_fa98_ec4e_6c89;
const AS_TEXT: u64 = 0x4528_21e6_38d0_1377;

/// Stirs `value` into `hash` by the folded product of both (as wyhash does).
fn mix(hash: u64, value: u64) -> u64 {
    let product =
        u128::from(hash ^ 0xbe54_66cf_34e9_0c6c) * u128::from(value ^ 0xc0ac_29b7_c97c_50dd);
    product as u64 ^ (product >> 64) as u64
}

fn hash_of_text(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    mix(AS_TEXT, hasher.finish())
}

/// Memory for comparing.
#[derive(Default)]
pub struct Subtrees {
    /// By node of the tree that is read.
    hashes: Vec<u64>,
    keys: KeyNumbers,
}

/// How many subtrees there are; a tree without nodes counts as one that is like no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub matched: u64,
    pub reference: u64,
    pub prediction: u64,
}

impl Subtrees {
    /// Counts the subtrees of both sides, and those of the reference that have an equal anywhere in the prediction: one
    /// there matches any number here.
    pub fn compare(&mut self, reference: &Tree, prediction: &Tree) -> Counts {
        let mut counts = Counts::default();
        self.read(prediction);
        self.keys.clear(prediction.nodes.len());
        for idx in subtrees(prediction) {
            self.keys.number(self.hashes[idx]);
            counts.prediction += 1;
        }
        self.read(reference);
        for idx in subtrees(reference) {
            counts.matched += u64::from(self.is_matched(idx));
            counts.reference += 1;
        }
        counts.reference = counts.reference.max(1);
        counts.prediction = counts.prediction.max(1);
        counts
    }

    fn is_matched(&self, idx: usize) -> bool {
        self.keys.get(self.hashes[idx]).is_some()
    }

    /// Iterates, in the order of the text, over the subtrees of the last compared reference without an equal in the
    /// prediction.
    pub fn unmatched<'s>(&'s self, reference: &'s Tree) -> impl Iterator<Item = usize> + 's {
        subtrees(reference).filter(|idx| !self.is_matched(*idx))
    }

    /// Hashes every node, the last first: children before their parent.
    fn read(&mut self, tree: &Tree) {
        self.hashes.clear();
        self.hashes.resize(tree.nodes.len(), 0);
        for idx in (0..tree.nodes.len()).rev() {
            self.hashes[idx] = self.hash(tree, idx);
        }
    }

    fn hash(&self, tree: &Tree, idx: usize) -> u64 {
        let node = &tree.nodes[idx];
        let form = match (node.is_missing(), node.is_named()) {
            (false, true) => NAMED,
            (true, true) => MISSING_NAMED,
            (true, false) => MISSING_QUOTED,
            (false, false) => ANONYMOUS,
        };
        let mut hash = mix(form, u64::from(node.kind.0));
        if node.subtree_end as usize == idx + 1 {
            if node.is_error() {
                let at = tree
                    .unexpected
                    .binary_search_by_key(&(idx as u32), |unexpected| unexpected.0);
                if let Ok(at) = at {
                    return hash_of_text(&tree.unexpected[at].1);
                }
            }
            if tree.supposed.is_empty() {
                return hash;
            }
        }
        let mut supposed = supposed_in(tree, idx);
        let end = node.subtree_end as usize;
        let mut at = idx + 1;
        // The field that a child that is not printed hands down to its own children, and where it ends.
        let mut inherited: Option<(usize, NodeField)> = None;
        let mut outer = Vec::new();
        while at < end {
            while inherited.is_some_and(|inherited| inherited.0 <= at) {
                inherited = outer.pop().unwrap_or_default();
            }
            let child = &tree.nodes[at];
            let child_end = child.subtree_end as usize;
            let mut field = child.field;
            if let (NodeField::NONE, Some(pair), false) = (field, inherited, child.is_extra()) {
                field = pair.1;
            }
            if child.is_named() || child.is_missing() {
                while let Some((first, rest)) = supposed.split_first()
                    && (first.after as usize) < at
                {
                    hash = add_supposed(hash, first);
                    supposed = rest;
                }
                hash = mix(hash, self.hashes[at].rotate_left(17) ^ u64::from(field.0));
                at = child_end;
            } else if child_end == at + 1 {
                at = child_end;
            } else {
                outer.push(inherited);
                inherited = Some((child_end, field));
                at += 1;
            }
        }
        for missing_node in supposed {
            hash = add_supposed(hash, missing_node);
        }
        hash
    }
}

fn add_supposed(hash: u64, supposed: &MissingNode) -> u64 {
    let own = hash_of_text(&supposed.printed);
    mix(hash, own.rotate_left(17) ^ u64::from(supposed.field.0))
}

fn supposed_in(tree: &Tree, parent: usize) -> &[MissingNode] {
    let from = tree
        .supposed
        .partition_point(|missing_node| (missing_node.parent as usize) < parent);
    let to = tree
        .supposed
        .partition_point(|missing_node| missing_node.parent as usize <= parent);
    &tree.supposed[from..to]
}

/// Iterates over the root and every other node that has children.
fn subtrees(tree: &Tree) -> impl Iterator<Item = usize> + '_ {
    (0..tree.nodes.len()).filter(|idx| *idx == 0 || tree.nodes[*idx].subtree_end as usize > idx + 1)
}
