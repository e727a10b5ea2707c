//! Detects texts that are not parsed at all, because tree-sitter would not finish in time.
//!
//! Where operators that bind to the right follow each other without end (`a<a<a<`, `a=>a=>a=>`, `case a: case a:`),
//! each costs as much as all before it, which [`bounded`](crate::bounded) cannot see, for it counts steps.

use crate::dialects::dialect;
use crate::model::Language;

/// How many of `< > = ? :` may follow each other with no bracket, comma or end of statement between.
const CHAINED_MAX: u32 = 2_000;

/// Tells whether a text is too tangled to be parsed. Looks at every byte once, also in strings and comments: no real
/// prediction comes near the bound.
pub fn is_tangled(language: Language, text: &str) -> bool {
    let lines_end_statements = dialect(language).lines_end_statements;
    let mut n_chained = 0_u32;
    // A line's end does not end a row of labels.
    let mut n_colons = 0_u32;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b')' | b']' | b'}' | b';' | b',' => {
                n_chained = 0;
                n_colons = 0;
            }
            b'\n' if lines_end_statements => n_chained = 0,
            b':' => {
                n_chained += 1;
                n_colons += 1;
            }
            b'<' | b'>' | b'=' | b'?' => n_chained += 1,
            _ => continue,
        }
        if n_chained > CHAINED_MAX || n_colons > CHAINED_MAX {
            return true;
        }
    }
    false
}
