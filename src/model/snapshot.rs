//! A sample as it was when it was judged, so that it can be compared with the current one.

use super::fields::Fields;
use super::sample::{ContentHash, SampleKey, hexadecimal};

/// Sixteen bytes that name a snapshot: a hash of all that it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId(pub [u8; 16]);
hexadecimal!(SnapshotId);

/// A method as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotMethod {
    /// The method key `pkg.C#m(int)`.
    pub key: String,
    /// The file, relative to its repository.
    pub path: String,
    /// The declaration.
    pub text: String,
}

/// The test and the focal method of a sample as they were shown; contexts are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub key: SampleKey,
    /// The hash in the [`super::JudgedSample`].
    pub content_hash: ContentHash,
    pub test: SnapshotMethod,
    /// Absent for an unmapped test.
    pub focal: Option<SnapshotMethod>,
}

impl Snapshot {
    /// Computes the id: the first half of the BLAKE3 hash of all fields, each with its length before it.
    #[must_use]
    pub fn id(&self) -> SnapshotId {
        let mut fields = Fields::new("focalist snapshot 1");
        fields.bytes(&self.key.0);
        fields.bytes(&self.content_hash.0);
        for method in std::iter::once(&self.test).chain(&self.focal) {
            fields.text(&method.key);
            fields.text(&method.path);
            fields.text(&method.text);
        }
        SnapshotId(fields.half())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_named_by_all_that_it_says() {
        let method = |text: &str| SnapshotMethod {
            key: "p.C#m()".to_owned(),
            path: "C.java".to_owned(),
            text: text.to_owned(),
        };
        let base = Snapshot {
            key: SampleKey([1; 16]),
            content_hash: ContentHash([2; 16]),
            test: method("a"),
            focal: Some(method("b")),
        };
        let mut ids = [
            base.clone(),
            Snapshot {
                focal: None,
                ..base.clone()
            },
            Snapshot {
                test: method("b"),
                ..base.clone()
            },
            Snapshot {
                focal: Some(method("c")),
                ..base.clone()
            },
            Snapshot {
                key: SampleKey([2; 16]),
                ..base.clone()
            },
            Snapshot {
                content_hash: ContentHash([1; 16]),
                ..base
            },
        ]
        .map(|snapshot| snapshot.id());
        ids.sort_unstable();
        assert!(ids.windows(2).all(|window| window[0] != window[1]));
    }
}
