//! The trees of the texts that were parsed last, so that a text which recurs is not parsed again: the reference of many
//! attempts, an answer that equals the reference, a text from which nothing had to be removed.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::{Parser, Tree, is_beyond};
use crate::model::Language;

/// The greatest number of texts that are remembered.
const TEXTS_MAX: usize = 512;
/// The greatest total size of the remembered texts, in bytes. A tree takes about twenty times its text.
const BYTES_MAX: usize = 256 << 10;

/// Parses texts and remembers the last of them. One per thread; its memory is bounded, however many texts come.
#[derive(Default)]
pub struct Memo {
    parser: Parser,
    /// The oldest first.
    known: VecDeque<MemoEntry>,
    n_bytes: usize,
    /// By hash of language and text: the number of the text since the beginning.
    numbers: FxHashMap<u64, u64>,
    n_forgotten: u64,
}

struct MemoEntry {
    hash: u64,
    language: Language,
    text: Box<str>,
    tree: Arc<Tree>,
}

impl Memo {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the tree of a text as [`Parser::parse`] makes it, from memory where the text is known.
    pub fn tree(&mut self, language: Language, text: &str) -> Arc<Tree> {
        let hash = hash_of(language, text);
        if let Some(known) = self.find(hash, language, text) {
            return Arc::clone(&known.tree);
        }
        let mut tree = self.make_room(text.len());
        self.parser.parse(language, text, &mut tree);
        let tree = Arc::new(tree);
        if text.len() <= BYTES_MAX {
            self.remember(MemoEntry {
                hash,
                language,
                text: text.into(),
                tree: Arc::clone(&tree),
            });
        }
        tree
    }

    /// Remembers the tree of a text that was parsed elsewhere, unless the text is known. `make` writes the tree that
    /// [`Parser::parse`] would make over an old one, and says whether it could.
    pub fn learn(&mut self, language: Language, text: &str, make: impl FnOnce(&mut Tree) -> bool) {
        let hash = hash_of(language, text);
        if text.len() > BYTES_MAX
            || is_beyond(language, text)
            || self.find(hash, language, text).is_some()
        {
            return;
        }
        let mut tree = self.make_room(text.len());
        if make(&mut tree) {
            self.remember(MemoEntry {
                hash,
                language,
                text: text.into(),
                tree: Arc::new(tree),
            });
        }
    }

    fn find(&self, hash: u64, language: Language, text: &str) -> Option<&MemoEntry> {
        let number = self.numbers.get(&hash)?;
        let at = number.checked_sub(self.n_forgotten)?;
        let known = self.known.get(at as usize)?;
        (known.language == language && *known.text == *text).then_some(known)
    }

    fn remember(&mut self, known: MemoEntry) {
        self.n_bytes += known.text.len();
        let number = self.n_forgotten + self.known.len() as u64;
        self.numbers.insert(known.hash, number);
        self.known.push_back(known);
    }

    /// Forgets the oldest texts until there is room for one more; returns a tree to be written over.
    fn make_room(&mut self, len: usize) -> Tree {
        let mut free = None;
        while self.known.len() >= TEXTS_MAX || (self.n_bytes + len > BYTES_MAX && len <= BYTES_MAX)
        {
            let Some(oldest) = self.known.pop_front() else {
                break;
            };
            self.n_bytes -= oldest.text.len();
            // A newer text may have the same hash.
            if self.numbers.get(&oldest.hash) == Some(&self.n_forgotten) {
                self.numbers.remove(&oldest.hash);
            }
            self.n_forgotten += 1;
            free = Arc::into_inner(oldest.tree).or(free);
        }
        free.unwrap_or_default()
    }
}

fn hash_of(language: Language, text: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one((language as u8, text))
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Memo, TEXTS_MAX};
    use crate::model::Language;
    use crate::parses;
    use crate::tree::{Parser, Tree};

    fn n_parses(work: impl FnOnce()) -> u64 {
        let before = parses::on_this_thread();
        work();
        (parses::on_this_thread() - before).n_texts
    }

    #[test]
    fn a_text_that_comes_again_is_parsed_once() {
        let mut memo = Memo::new();
        let mut read = |language: Language, text: &str| {
            let mut tree = Tree::new();
            Parser::new().parse(language, text, &mut tree);
            assert_eq!(memo.tree(language, text).nodes, tree.nodes, "{text}");
        };
        // One of each two is the comparison's.
        assert_eq!(n_parses(|| read(Language::Go, "f(1)")), 2);
        assert_eq!(n_parses(|| read(Language::Go, "f(2)")), 2);
        assert_eq!(n_parses(|| read(Language::Go, "f(1)")), 1);
        assert_eq!(n_parses(|| read(Language::Python, "f(1)")), 2);
        assert_eq!(n_parses(|| read(Language::Python, "f(1)")), 1);
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_texts() {
        let mut memo = Memo::new();
        for n in 0..3 * TEXTS_MAX {
            memo.tree(Language::Go, &format!("f({n})"));
        }
        let long = "x".repeat(BYTES_MAX / 3);
        for n in 0..9 {
            memo.tree(Language::Go, &format!("f({n}, {long})"));
        }
        memo.tree(Language::Go, &"x".repeat(2 * BYTES_MAX));
        let n_bytes: usize = memo.known.iter().map(|known| known.text.len()).sum();
        assert_eq!(memo.n_bytes, n_bytes);
        assert!(n_bytes <= BYTES_MAX && memo.known.len() <= TEXTS_MAX);
        assert_eq!(memo.numbers.len(), memo.known.len());
        // The last short ones have made room for the long ones.
        assert_eq!(n_parses(|| drop(memo.tree(Language::Go, "f(1)"))), 1);
        assert_eq!(n_parses(|| drop(memo.tree(Language::Go, "f(1)"))), 0);
    }
}
