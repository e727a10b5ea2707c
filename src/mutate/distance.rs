//! How far a variant's tree is from the seed's: 1 − the share of the seed's named nodes that an ordered matching of the
//! trees finds again (MUTATIONS.md 15).
//!
//! The matching is the simple tree matching of Yang (1991): roots of one kind match, and their children are aligned in
//! order so that most nodes match. Names and texts count for nothing. Equal subtrees are found by their hashes, and
//! equal beginnings and ends of two lists of children match as they are, so only the differing parts are aligned.

use crate::syntax::tree::Tree;

/// A subtree's named nodes in the order of the text.
struct SubtreeShape<'t> {
    tree: &'t Tree,
    /// By node, from the root of the shape on.
    first: u32,
    hashes: Vec<u64>,
    sizes: Vec<u32>,
}

impl<'t> SubtreeShape<'t> {
    fn new(tree: &'t Tree, root: u32) -> Self {
        let n_nodes = (tree.nodes[root as usize].subtree_end - root) as usize;
        let mut shape = Self {
            tree,
            first: root,
            hashes: vec![0; n_nodes],
            sizes: vec![0; n_nodes],
        };
        for at in (0..n_nodes).rev() {
            let idx = root + at as u32;
            let node = &tree.nodes[idx as usize];
            let mut hash = u64::from(node.kind.0).wrapping_add(1);
            let mut size = 1;
            for child in tree.children(idx) {
                if tree.nodes[child as usize].is_named() {
                    let below = (child - root) as usize;
                    hash = (hash.rotate_left(5) ^ shape.hashes[below])
                        .wrapping_mul(0x517c_c1b7_2722_0a95);
                    size += shape.sizes[below];
                }
            }
            shape.hashes[at] = hash;
            shape.sizes[at] = size;
        }
        shape
    }

    fn hash(&self, idx: u32) -> u64 {
        self.hashes[(idx - self.first) as usize]
    }

    fn size(&self, idx: u32) -> u32 {
        self.sizes[(idx - self.first) as usize]
    }

    fn children(&self, idx: u32) -> Vec<u32> {
        let all = self.tree.children(idx);
        all.filter(|n| self.tree.nodes[*n as usize].is_named())
            .collect()
    }
}

/// More pairs of children than this are taken for different: no pass makes that many.
const PAIRS_MAX: usize = 10_000;

fn matched(a: &SubtreeShape<'_>, b: &SubtreeShape<'_>, (in_a, in_b): (u32, u32)) -> u32 {
    if a.hash(in_a) == b.hash(in_b) {
        return a.size(in_a);
    }
    if a.tree.nodes[in_a as usize].kind != b.tree.nodes[in_b as usize].kind {
        return 0;
    }
    let (of_a, of_b) = (a.children(in_a), b.children(in_b));
    let is_same = |x: &u32, y: &u32| a.hash(*x) == b.hash(*y);
    let n_before = of_a
        .iter()
        .zip(&of_b)
        .take_while(|(x, y)| is_same(x, y))
        .count();
    let rests = of_a[n_before..]
        .iter()
        .rev()
        .zip(of_b[n_before..].iter().rev());
    let n_behind = rests.take_while(|(x, y)| is_same(x, y)).count();
    let (middle_a, middle_b) = (
        &of_a[n_before..of_a.len() - n_behind],
        &of_b[n_before..of_b.len() - n_behind],
    );
    let outside = of_a[..n_before]
        .iter()
        .chain(&of_a[of_a.len() - n_behind..]);
    let mut n_matched = 1 + outside.map(|outside| a.size(*outside)).sum::<u32>();
    if middle_a.len() * middle_b.len() <= PAIRS_MAX {
        let mut best = vec![0; middle_b.len() + 1];
        for x in middle_a {
            let mut diagonal = 0;
            for (at, y) in middle_b.iter().enumerate() {
                let above = best[at + 1];
                let paired = diagonal + matched(a, b, (*x, *y));
                best[at + 1] = paired.max(above).max(best[at]);
                diagonal = above;
            }
        }
        n_matched += best[middle_b.len()];
    }
    n_matched
}

/// Computes the distance of two subtrees, in 0..=1; 0 for trees of one shape.
pub fn distance((seed, root): (&Tree, u32), (variant, variant_root): (&Tree, u32)) -> f64 {
    let a = SubtreeShape::new(seed, root);
    let b = SubtreeShape::new(variant, variant_root);
    let n_matched = matched(&a, &b, (root, variant_root));
    1.0 - f64::from(n_matched) / f64::from(a.size(root))
}
