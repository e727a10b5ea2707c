//! Texts as small numbers, and counts of their n-grams. Memory is used again for the next text.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Tells whether Python's `str.split` and `str.strip` take the character for layout: Unicode's white space and the four
/// separators of ASCII (`str.isspace`, Python 3.11).
pub fn is_space(c: char) -> bool {
    matches!(c, '\x1c'..='\x1f') || c.is_whitespace()
}

/// Strips layout around the text, as Python's `str.strip`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

const N_SLOTS_MIN: usize = 64;

/// Numbers for byte strings, from 0 in order of appearance.
#[derive(Default)]
pub struct WordNumbers {
    /// Number plus one, or 0; a power of two of them.
    slots: Vec<u32>,
    /// Hash and end in `bytes`.
    entries: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

impl WordNumbers {
    /// Forgets all words.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(N_SLOTS_MIN, 0);
        self.entries.clear();
        self.bytes.clear();
    }

    /// Returns how many words there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Looks up a word by its number.
    pub fn word(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |n| self.entries[n].1);
        &self.bytes[start as usize..self.entries[at].1 as usize]
    }

    /// Finds the number of a word; a new word gets the next. [`WordNumbers::clear`] comes first.
    pub fn number(&mut self, word: &[u8]) -> u32 {
        let mut hasher = FxHasher::default();
        hasher.write(word);
        let hash = hasher.finish() as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let number = self.slots[slot] - 1;
            if self.entries[number as usize].0 == hash && self.word(number) == word {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        self.bytes.extend_from_slice(word);
        self.entries.push((hash, self.bytes.len() as u32));
        self.slots[slot] = self.entries.len() as u32;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.entries.len() as u32 - 1
    }

    fn grow(&mut self) {
        let n_slots = self.slots.len() * 4;
        self.slots.clear();
        self.slots.resize(n_slots, 0);
        for (&(hash, _), number) in self.entries.iter().zip(1..) {
            let mut slot = hash as usize & (n_slots - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (n_slots - 1);
            }
            self.slots[slot] = number;
        }
    }
}

/// Numbers for 64-bit keys, from 0 in order of appearance.
#[derive(Default)]
pub struct KeyNumbers {
    /// Key, and number plus one or 0; a power of two of them, at most half full.
    slots: Vec<(u64, u32)>,
    n: u32,
}

impl KeyNumbers {
    /// Forgets all keys and makes room for `n_max`.
    pub fn clear(&mut self, n_max: usize) {
        let n_slots = (n_max * 2).next_power_of_two().max(N_SLOTS_MIN);
        self.slots.clear();
        self.slots.resize(n_slots, (0, 0));
        self.n = 0;
    }

    fn slot_of(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot].1 != 0 && self.slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Finds the number of a key; a new key gets the next. No more keys may come than there was room made for.
    pub fn number(&mut self, key: u64) -> u32 {
        let slot = self.slot_of(key);
        if self.slots[slot].1 == 0 {
            self.n += 1;
            self.slots[slot] = (key, self.n);
        }
        self.slots[slot].1 - 1
    }

    /// Looks up the number of a key that was met.
    pub fn get(&self, key: u64) -> Option<u32> {
        self.slots[self.slot_of(key)].1.checked_sub(1)
    }
}
