//! Sets of lines, a bit a line, lowest first, as `coverage` stores them.

/// Lines of one file, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSet(Vec<u8>);

impl LineSet {
    /// Makes a set of bits as they are stored.
    #[must_use]
    pub fn of_bits(bits: Vec<u8>) -> Self {
        let mut set = Self(bits);
        set.trim();
        set
    }

    /// Reads ranges such as `1-9,12`; anything else is left out.
    #[must_use]
    pub fn of_ranges(text: &str) -> Self {
        let mut set = Self::default();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse()) {
                (first..=last).for_each(|n| set.insert(n));
            }
        }
        set
    }

    #[must_use]
    pub fn of_lines(lines: &[u32]) -> Self {
        let mut set = Self::default();
        for line in lines {
            set.insert(*line);
        }
        set
    }

    pub fn insert(&mut self, line: u32) {
        let byte = (line / 8) as usize;
        if self.0.len() <= byte {
            self.0.resize(byte + 1, 0);
        }
        self.0[byte] |= 1 << (line % 8);
    }

    #[must_use]
    pub fn contains(&self, line: u32) -> bool {
        self.0
            .get((line / 8) as usize)
            .is_some_and(|byte| byte & 1 << (line % 8) != 0)
    }

    #[must_use]
    pub fn bits(&self) -> &[u8] {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.0.len() as u32 * 8).filter(|n| self.contains(*n))
    }

    pub fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn keep(&mut self, other: &Self) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
        self.trim();
    }

    pub fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
        self.trim();
    }

    /// Writes it as ranges such as `1-9,12`.
    #[must_use]
    pub fn ranges(&self) -> String {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for line in self.iter() {
            match parts.last_mut() {
                Some((_, last)) if *last + 1 == line => *last = line,
                _ => parts.push((line, line)),
            }
        }
        let word = |(first, last): &(u32, u32)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        };
        parts.iter().map(word).collect::<Vec<_>>().join(",")
    }

    /// Drops empty bytes at the end, so that equal sets have equal bits.
    fn trim(&mut self) {
        let n = self
            .0
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |n| n + 1);
        self.0.truncate(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_as_they_are_read() {
        for text in ["", "1", "1-9,12", "7-8,16,1000"] {
            assert_eq!(LineSet::of_ranges(text).ranges(), text);
        }
    }

    #[test]
    fn sets_are_joined_cut_and_taken_away() {
        let set = LineSet::of_ranges;
        let mut lines = set("1-9");
        lines.add(&set("20"));
        assert_eq!(lines.ranges(), "1-9,20");
        lines.remove(&set("2-8"));
        assert_eq!(lines.ranges(), "1,9,20");
        lines.keep(&set("1-10"));
        assert_eq!(lines, set("1,9"));
        lines.remove(&set("1-9"));
        assert!(lines.is_empty());
    }
}
