//! The tokens that hold the value of each name.

/// No token.
const NONE: u32 = u32::MAX;
/// Marks a place in `lists` instead of a token.
const LIST: u32 = 1 << 31;

/// A copy of the state that was put aside.
#[derive(Clone, Copy, Debug)]
pub struct SavedState(usize);

/// The state, and copies of it. Sets of tokens never change: a new one is made beside them.
#[derive(Default)]
pub struct States {
    /// By name: a token, a place in `lists`, or nothing.
    state: Vec<u32>,
    saved: Vec<u32>,
    /// Ranges of `tokens`.
    lists: Vec<(u32, u32)>,
    /// Sorted and unique within a list.
    tokens: Vec<u32>,
    n_merged: usize,
}

fn slice<'s>(lists: &[(u32, u32)], tokens: &'s [u32], value: &'s u32) -> &'s [u32] {
    if *value == NONE {
        &[]
    } else if value & LIST == 0 {
        std::slice::from_ref(value)
    } else {
        let (from, to) = lists[(value & !LIST) as usize];
        &tokens[from as usize..to as usize]
    }
}

impl States {
    /// Forgets everything; `n_names` have no value.
    pub fn clear(&mut self, n_names: usize) {
        self.state.clear();
        self.state.resize(n_names, NONE);
        self.saved.clear();
        self.lists.clear();
        self.tokens.clear();
        self.n_merged = 0;
    }

    /// Returns how many names there are.
    pub fn n_names(&self) -> usize {
        self.state.len()
    }

    /// Returns the tokens that hold a name's value, sorted; none when it has no value yet.
    pub fn tokens(&self, name: u32) -> &[u32] {
        slice(&self.lists, &self.tokens, &self.state[name as usize])
    }

    /// Makes one token hold a name's value.
    pub fn set(&mut self, name: u32, token: u32) {
        self.state[name as usize] = token;
    }

    /// Saves a copy of the state.
    pub fn save(&mut self) -> SavedState {
        let saved = SavedState(self.saved.len());
        self.saved.extend_from_slice(&self.state);
        saved
    }

    /// Makes the state equal to a copy again.
    pub fn load(&mut self, saved: SavedState) {
        let n = self.state.len();
        self.state
            .copy_from_slice(&self.saved[saved.0..saved.0 + n]);
    }

    /// Exchanges the state and a copy.
    pub fn exchange(&mut self, saved: SavedState) {
        let n = self.state.len();
        self.state
            .swap_with_slice(&mut self.saved[saved.0..saved.0 + n]);
    }

    /// Forgets a copy and all that were put aside after it.
    pub fn forget(&mut self, saved: SavedState) {
        self.saved.truncate(saved.0);
    }

    /// Adds to the tokens of every name those that it has in a copy.
    pub fn add(&mut self, saved: SavedState) {
        for name in 0..self.state.len() {
            let (ours, theirs) = (self.state[name], self.saved[saved.0 + name]);
            if ours != theirs {
                self.state[name] = self.union(ours, theirs);
            }
        }
    }

    /// Returns how many tokens were looked at for unions since the last call.
    pub fn take_n_merged(&mut self) -> usize {
        std::mem::take(&mut self.n_merged)
    }

    fn union(&mut self, ours: u32, theirs: u32) -> u32 {
        if ours == NONE || theirs == NONE {
            return if ours == NONE { theirs } else { ours };
        }
        let start = self.tokens.len();
        // At most as many follow as the two have, so that the borrowed slices can be walked by place.
        let (mut at, mut other) = (0, 0);
        let (n_ours, n_theirs);
        loop {
            let our = slice(&self.lists, &self.tokens, &ours);
            let their = slice(&self.lists, &self.tokens, &theirs);
            let next = match (our.get(at), their.get(other)) {
                (Some(a), Some(b)) => {
                    let next = *a.min(b);
                    at += usize::from(*a == next);
                    other += usize::from(*b == next);
                    next
                }
                (Some(a), None) => {
                    at += 1;
                    *a
                }
                (None, Some(b)) => {
                    other += 1;
                    *b
                }
                (None, None) => {
                    n_ours = our.len();
                    n_theirs = their.len();
                    break;
                }
            };
            self.tokens.push(next);
        }
        let n = self.tokens.len() - start;
        self.n_merged += n;
        if n == n_ours || n == n_theirs {
            self.tokens.truncate(start);
            return if n == n_ours { ours } else { theirs };
        }
        self.lists.push((start as u32, self.tokens.len() as u32));
        LIST | (self.lists.len() as u32 - 1)
    }
}
