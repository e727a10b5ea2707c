//! From tokens to numbers and back: markers whole, values in pieces of a unigram vocabulary.
//!
//! The file is a `tokenizer.json` of the library `tokenizers`, so that focalist reads it too. A value begins with `▁`,
//! as in sentencepiece. Text that no piece covers becomes bytes, so that every value can be restored exactly.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use serde_json::{Value, json};
use tokenizers::Model as _;
use tokenizers::models::unigram::{Unigram, UnigramTrainer};

use crate::encode::{BEGIN, CLOSED, FULL, is_marker, table};
use crate::failure::{Failure, Result};

/// The sections of a source; each has a marker that opens it and one that ends it, besides the types of the grammar.
const SECTIONS: [&str; 5] = ["source", "setup", "focal", "setup_context", "focal_context"];
const SPECIAL: [&str; 3] = ["<pad>", "<begin>", "<end>"];
const UNKNOWN: &str = "<unk>";
const N_BYTES: usize = 256;
/// The score of a piece that stands for a byte, so low that any other piece is preferred.
const BYTE_SCORE: f64 = -1000.0;

/// The meaning of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Padding, begin, end, and the unknown piece.
    Nothing,
    Marker(String),
    /// A piece of a value; one that begins a value begins with `▁`.
    Text(String),
    Byte(u8),
}

/// Numbers for tokens.
pub struct Vocabulary {
    unigram: Unigram,
    pieces: Vec<Piece>,
    markers: HashMap<String, u32>,
    bytes: Vec<u32>,
    first_special: u32,
    /// A hash of the whole vocabulary, as a model fits only one.
    pub hash: String,
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary of {} entries, {}", self.len(), self.hash)
    }
}

impl Vocabulary {
    /// Makes a vocabulary of `size` entries from the values of a training split, each with its number of occurrences.
    ///
    /// # Errors
    /// When there are no values, or `size` does not even hold markers and bytes.
    pub fn train(values: BTreeMap<String, u32>, size: usize) -> Result<Value> {
        let markers = all_markers();
        let n_fixed = 1 + N_BYTES + SPECIAL.len() + markers.len();
        let Some(n_pieces) = size.checked_sub(n_fixed).filter(|n| *n > 0) else {
            return Err(Failure::Usage(format!(
                "a vocabulary has at least {} entries: markers and bytes alone are {n_fixed}",
                n_fixed + 1
            )));
        };
        let words: Vec<(String, u32)> = values
            .into_iter()
            .map(|(value, n)| (format!("{BEGIN}{}", value.replace(BEGIN, "")), n))
            .collect();
        if words.is_empty() {
            return Err(Failure::Nothing(
                "there are no values to make a vocabulary of".to_owned(),
            ));
        }
        // Rare characters become bytes; otherwise each would take an entry.
        let words = without_rare_characters(words, n_pieces / 2);
        tokenizers::utils::parallelism::set_parallelism(false);
        let trainer = UnigramTrainer::builder()
            .show_progress(false)
            .vocab_size(n_pieces as u32)
            .build()
            .map_err(|error| Failure::Nothing(error.to_string()))?;
        let mut unigram = Unigram::default();
        trainer
            .do_train(words, &mut unigram)
            .map_err(|error| Failure::Nothing(format!("no vocabulary can be made: {error}")))?;
        let mut entries: Vec<(String, f64)> = vec![(UNKNOWN.to_owned(), 0.0)];
        entries.extend((0..N_BYTES).map(|byte| (byte_piece(byte), BYTE_SCORE)));
        let mut learned: Vec<(String, f64)> = unigram
            .iter()
            .filter(|entry| entry.0 != UNKNOWN && !entry.0.is_empty() && !entry.0.contains('\0'))
            .cloned()
            .collect();
        if !learned.iter().any(|entry| entry.0 == BEGIN.to_string()) {
            learned.push((BEGIN.to_string(), -20.0));
        }
        learned.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        entries.extend(learned);
        let added: Vec<Value> = SPECIAL
            .iter()
            .map(|token| (*token).to_owned())
            .chain(markers)
            .enumerate()
            .map(|(idx, content)| {
                json!({"id": entries.len() + idx, "content": content, "single_word": false,
                    "lstrip": false, "rstrip": false, "normalized": false, "special": true})
            })
            .collect();
        Ok(json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
            "normalizer": {"type": "Prepend", "prepend": BEGIN.to_string()},
            "pre_tokenizer": null, "post_processor": null, "decoder": null,
            "model": {"type": "Unigram", "unk_id": 0, "vocab": entries, "byte_fallback": true},
        }))
    }

    /// Reads a file that [`Vocabulary::train`] has made.
    ///
    /// # Errors
    /// When the file cannot be read, or is not such a vocabulary.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Failure::input(path, error))?;
        Self::read(&bytes).map_err(|message| Failure::input(path, message))
    }

    /// Reads the content of such a file.
    ///
    /// # Errors
    /// A sentence that says why it is not a vocabulary.
    pub fn read(bytes: &[u8]) -> std::result::Result<Self, String> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| format!("no vocabulary: {error}"))?;
        let entries: Vec<(String, f64)> = value
            .pointer("/model/vocab")
            .and_then(|list| serde_json::from_value(list.clone()).ok())
            .ok_or("no vocabulary: it has no list of pieces")?;
        let added: Vec<&str> = value
            .get("added_tokens")
            .and_then(Value::as_array)
            .map(|tokens| {
                tokens
                    .iter()
                    .filter_map(|token| token["content"].as_str())
                    .collect()
            })
            .unwrap_or_default();
        let is_ours = entries.len() > N_BYTES
            && entries[1].0 == byte_piece(0)
            && added.len() >= SPECIAL.len()
            && added[..SPECIAL.len()] == SPECIAL;
        if !is_ours {
            return Err(
                "no vocabulary of `focalist-baseline vocabulary`: it has no bytes or no markers"
                    .to_owned(),
            );
        }
        let first_special = entries.len() as u32;
        let mut pieces: Vec<Piece> = Vec::with_capacity(entries.len() + added.len());
        pieces.push(Piece::Nothing);
        pieces.extend((0..N_BYTES).map(|byte| Piece::Byte(byte as u8)));
        pieces.extend(
            entries[1 + N_BYTES..]
                .iter()
                .map(|entry| Piece::Text(entry.0.clone())),
        );
        pieces.extend(SPECIAL.iter().map(|_| Piece::Nothing));
        let mut markers = HashMap::new();
        for marker in &added[SPECIAL.len()..] {
            markers.insert((*marker).to_owned(), pieces.len() as u32);
            pieces.push(Piece::Marker((*marker).to_owned()));
        }
        let hash = blake3::hash(
            &serde_json::to_vec(&(&entries, &added)).map_err(|error| error.to_string())?,
        );
        // The pieces of bytes are renamed for the search, as a value that is spelled like one would become it.
        let mut searched = entries;
        for entry in &mut searched[1..=N_BYTES] {
            entry.0 = format!("\0{}", entry.0);
        }
        let unigram = Unigram::from(searched, Some(0), false).map_err(|error| error.to_string())?;
        Ok(Self {
            unigram,
            pieces,
            markers,
            bytes: (1..=N_BYTES as u32).collect(),
            first_special,
            hash: hash.to_hex().to_string(),
        })
    }

    /// Returns how many numbers there are, markers and specials included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.pieces.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    #[must_use]
    pub const fn padding(&self) -> u32 {
        self.first_special
    }

    #[must_use]
    pub const fn begin(&self) -> u32 {
        self.first_special + 1
    }

    #[must_use]
    pub const fn end(&self) -> u32 {
        self.first_special + 2
    }

    /// Returns what a number stands for.
    #[must_use]
    pub fn piece(&self, id: u32) -> &Piece {
        self.pieces.get(id as usize).unwrap_or(&Piece::Nothing)
    }

    /// Returns the number of a marker.
    #[must_use]
    pub fn marker(&self, marker: &str) -> Option<u32> {
        self.markers.get(marker).copied()
    }

    /// Appends the numbers of tokens.
    pub fn split<'t>(&self, tokens: impl IntoIterator<Item = &'t str>, ids: &mut Vec<u32>) {
        for token in tokens {
            match self.marker(token) {
                Some(id) if is_marker(token) => ids.push(id),
                _ => self.value(token, ids),
            }
        }
    }

    fn value(&self, token: &str, ids: &mut Vec<u32>) {
        let start = ids.len();
        // Inside a value, `▁` would begin another one.
        for (idx, part) in token.split(BEGIN).enumerate() {
            if idx > 0 {
                ids.extend(self.of_bytes(&BEGIN.to_string()));
            }
            let text = if idx == 0 {
                format!("{BEGIN}{part}")
            } else {
                part.to_owned()
            };
            let pieces = self.unigram.encode(&text).unwrap_or_default();
            for piece in pieces {
                match self.unigram.token_to_id(&piece) {
                    Some(id) if id as usize > N_BYTES => ids.push(id),
                    _ => ids.extend(self.of_bytes(&piece)),
                }
            }
        }
        // Joined again, the pieces must give the same value; else it is written in bytes.
        if self.join(&ids[start..]) != [token] {
            ids.truncate(start);
            ids.extend(self.unigram.token_to_id(&BEGIN.to_string()));
            ids.extend(self.of_bytes(token));
        }
    }

    fn of_bytes(&self, text: &str) -> impl Iterator<Item = u32> {
        text.bytes().map(|byte| self.bytes[usize::from(byte)])
    }

    /// Joins numbers into tokens: the opposite of [`Vocabulary::split`].
    #[must_use]
    pub fn join(&self, ids: &[u32]) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut value: Option<Vec<u8>> = None;
        let end = |value: &mut Option<Vec<u8>>, tokens: &mut Vec<String>| {
            let bytes = value.take();
            tokens.extend(bytes.map(|content| String::from_utf8_lossy(&content).into_owned()));
        };
        for id in ids {
            match self.piece(*id) {
                Piece::Nothing => {}
                Piece::Marker(marker) => {
                    end(&mut value, &mut tokens);
                    tokens.push(marker.clone());
                }
                Piece::Byte(byte) => value.get_or_insert_default().push(*byte),
                Piece::Text(text) => match text.strip_prefix(BEGIN) {
                    Some(text) => {
                        end(&mut value, &mut tokens);
                        value = Some(text.as_bytes().to_vec());
                    }
                    None => value.get_or_insert_default().extend(text.bytes()),
                },
            }
        }
        end(&mut value, &mut tokens);
        tokens
    }
}

fn byte_piece(byte: usize) -> String {
    format!("<0x{byte:02X}>")
}

/// Lists every marker that an encoded sample can have.
fn all_markers() -> Vec<String> {
    let types = table::JAVA.iter().map(|row| row.0);
    let mut markers = vec![CLOSED.to_owned(), FULL.to_owned()];
    for name in SECTIONS.into_iter().chain(types) {
        markers.push(format!("<[{name}]>"));
        markers.push(format!("<[/{name}]>"));
    }
    markers
}

/// Removes all but the `n_max` most frequent characters from the words, and those that occur only once; equal words are
/// added up.
fn without_rare_characters(words: Vec<(String, u32)>, n_max: usize) -> Vec<(String, u32)> {
    let mut counts: BTreeMap<char, u64> = BTreeMap::new();
    for (word, n) in &words {
        for character in word.chars() {
            *counts.entry(character).or_default() += u64::from(*n);
        }
    }
    let mut ranked: Vec<(u64, char)> = counts.into_iter().map(|(c, n)| (n, c)).collect();
    ranked.sort_by(|a, b| b.cmp(a));
    ranked.truncate(n_max);
    let kept: BTreeSet<char> = ranked
        .into_iter()
        .filter(|pair| pair.0 > 1 && pair.1 != '\0')
        .map(|pair| pair.1)
        .collect();
    let mut left: BTreeMap<String, u32> = BTreeMap::new();
    for (word, n) in words {
        let word: String = word.chars().filter(|c| kept.contains(c)).collect();
        if !word.is_empty() {
            *left.entry(word).or_default() += n;
        }
    }
    left.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Vocabulary;
    use crate::fixture;

    fn check(tokens: &[&str]) {
        let vocabulary = fixture::vocabulary();
        let mut ids = Vec::new();
        vocabulary.split(tokens.iter().copied(), &mut ids);
        assert_eq!(vocabulary.join(&ids), tokens);
    }

    #[test]
    fn every_token_comes_back() {
        check(&["<[block]>", "getCount", "<[/]>", "x"]);
        check(&["\"a b▁c\n\"", "▁", "▁▁x", "<0x41>", "<[x", "ß", "漢字🙂"]);
        check(&["<unk>", "<pad>", "\0", "<[no_type]>"]);
    }

    #[test]
    fn a_marker_is_one_number() {
        let vocabulary = fixture::vocabulary();
        let mut ids = Vec::new();
        vocabulary.split(["<[block]>", "<[/block]>"], &mut ids);
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn focalist_reads_it_too() {
        let file = fixture::vocabulary_file();
        let vocabulary =
            crate::encode::Vocabulary::read(file.as_bytes()).expect("it is a tokenizer");
        assert!(vocabulary.count("assertEquals").is_some());
    }

    #[test]
    fn what_is_no_vocabulary_is_refused() {
        for bytes in ["", "{}", "{\"model\":{\"vocab\":[[\"a\",1.0]]}}"] {
            assert!(Vocabulary::read(bytes.as_bytes()).is_err());
        }
        assert!(Vocabulary::train(BTreeMap::new(), 16_000).is_err());
        assert!(Vocabulary::train(BTreeMap::new(), 10).is_err());
    }
}
