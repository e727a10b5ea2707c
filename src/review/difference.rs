//! The changes to a sample since it was judged.

use crate::diff::{DiffRow, is_same, lines};
use crate::model::{JudgedSample, SampleKey, Snapshot, SnapshotMethod};
use crate::store::{Store, StoredMethod, StoredSample, Verdicts};

use super::ReviewError;

/// The judged state of a sample beside its present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub then: Snapshot,
    /// Absent when the index does not have the sample (any more).
    pub now: Option<Snapshot>,
    /// The test's declaration, line by line; all removed when there is none now.
    pub test: Vec<DiffRow>,
    /// The same of the focal method, which may be another one now; an unmapped test has an empty text.
    pub focal: Vec<DiffRow>,
}

impl Difference {
    /// Tells whether test and focal method are unchanged: then something else that is shown has changed, a fixture or a
    /// context, which is not kept.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        self.now.is_some() && is_same(&self.test) && is_same(&self.focal)
    }

    /// Returns the focal method's text then and now; empty where there was none.
    #[must_use]
    pub fn focal_texts(&self) -> (&str, &str) {
        (focal_text(Some(&self.then)), focal_text(self.now.as_ref()))
    }

    /// Returns the test's text then and now; empty when there is none now.
    #[must_use]
    pub fn test_texts(&self) -> (&str, &str) {
        (&self.then.test.text, test_text(self.now.as_ref()))
    }
}

fn test_text(snapshot: Option<&Snapshot>) -> &str {
    snapshot.map_or("", |snapshot| &snapshot.test.text)
}

fn focal_text(snapshot: Option<&Snapshot>) -> &str {
    let focal = snapshot.and_then(|snapshot| snapshot.focal.as_ref());
    focal.map_or("", |snapshot_method| &snapshot_method.text)
}

/// Takes the texts of a sample that a person is shown, to be kept with the verdict.
#[must_use]
pub fn snapshot_of(sample: &StoredSample) -> Snapshot {
    Snapshot {
        key: sample.row.key,
        content_hash: sample.content_hash,
        test: shown(&sample.test),
        focal: sample.focal.as_ref().map(shown),
    }
}

fn shown(method: &StoredMethod) -> SnapshotMethod {
    // With the first line's indentation, so that lines stand below each other.
    let before = &method.text[..method.span.start as usize];
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    let indent = Some(&before[line_start..]).filter(|text| text.trim().is_empty());
    SnapshotMethod {
        key: method.key(),
        path: method.path.clone(),
        text: indent.unwrap_or_default().to_owned() + method.source(),
    }
}

/// Reads a sample in its present state in the index; nothing when it is not there.
pub fn snapshot(store: &Store, key: &SampleKey) -> Result<Option<Snapshot>, ReviewError> {
    Ok(store.sample(key, None)?.as_ref().map(snapshot_of))
}

/// Finds the changes since a judgement; nothing when the judged state was not kept, as for verdicts that were given
/// before snapshots were, or merged from a file without them.
pub fn difference(
    store: &Store,
    verdicts: &Verdicts,
    judged: &JudgedSample,
) -> Result<Option<Difference>, ReviewError> {
    let Some(then) = verdicts.snapshot(&judged.key, &judged.content_hash)? else {
        return Ok(None);
    };
    let now = snapshot(store, &judged.key)?;
    Ok(Some(Difference {
        test: lines(&then.test.text, test_text(now.as_ref())),
        focal: lines(focal_text(Some(&then)), focal_text(now.as_ref())),
        then,
        now,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::RowKind;
    use crate::model::{ContentHash, EventKind, Judgement};
    use crate::store::StoreAccess;
    use crate::store::testing::{COUNTER, counter_repo, file, key_of, store_with, write_repos};
    use crate::{VerdictChoice, export, judged_of, merge};

    #[test]
    fn a_verdict_shows_what_has_changed_since() {
        let (folder, mut store) = store_with(&[counter_repo("a")]);
        let mut verdicts =
            Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
        let key = key_of("a", "testInc");
        let sample = store
            .sample(&key, None)
            .expect("it reads")
            .expect("it is there");
        let accept = VerdictChoice::Plain(Judgement::Accept);
        let judged = judged_of(&store, &sample, &accept).expect("it can be judged");
        let kinds = || vec![EventKind::Judged(judged.clone())];
        // Before anything was kept, and by a program that keeps nothing.
        verdicts.append("eva", 1, kinds()).expect("it is added");
        let of = |store: &Store, verdicts: &Verdicts| {
            difference(store, verdicts, &judged).expect("it reads")
        };
        assert_eq!(of(&store, &verdicts), None);
        let shown = snapshot_of(&sample);
        verdicts
            .append_shown("ada", 1, kinds(), std::slice::from_ref(&shown))
            .expect("it is added");
        let same = of(&store, &verdicts).expect("it was kept");
        assert!(same.is_elsewhere());
        assert_eq!(same.then, shown);
        assert!(
            shown
                .test
                .text
                .starts_with("    @Test\n    public void testInc")
        );

        let mut edited = counter_repo("a");
        let text = COUNTER.replace("        return count;\n", "        return this.count;\n");
        let role = edited.files[0].role;
        edited.files[0] = file(0, "src/main/java/p/Counter.java", &text, role);
        for method in &mut edited.methods[1..3] {
            let header = method.name.clone() + "(";
            let start = text
                .find(&format!("public int {header}"))
                .expect("it is there");
            let end = start + text[start..].find("\n    }").expect("it ends") + 6;
            method.span = crate::model::Span::new(start as u32, end as u32);
        }
        edited.tests[0].decided[0].content_hash = ContentHash([7; 16]);
        write_repos(&mut store, &[edited]);
        let changed = of(&store, &verdicts).expect("it was kept");
        assert!(!changed.is_elsewhere() && is_same(&changed.test));
        let differing: Vec<&DiffRow> = changed
            .focal
            .iter()
            .filter(|diff_row| diff_row.kind != RowKind::Same)
            .collect();
        assert_eq!(differing.len(), 1);
        assert_eq!(differing[0].kind, RowKind::Changed);
        let (then, now) = changed.focal_texts();
        assert!(then.contains("return count;") && now.contains("return this.count;"));

        // Merged elsewhere, the verdict takes what was judged along.
        let mut lines = Vec::new();
        let exported = export(&verdicts, &mut lines).expect("it is written");
        assert_eq!((exported.n_events, exported.n_snapshots), (2, 1));
        let elsewhere = tempfile::tempdir().expect("tests may make folders");
        let mut other = Verdicts::open(elsewhere.path(), StoreAccess::Create).expect("it is made");
        for expected in [1, 0] {
            let report = merge(&mut other, "f", &mut &lines[..], true).expect("it is merged");
            assert_eq!((report.n_snapshots, report.problems.len()), (expected, 0));
        }
        assert_eq!(of(&store, &other), Some(changed));
        let forged = String::from_utf8(lines).expect("it is text");
        let forged = forged.replace("return count", "return 0");
        let report = merge(&mut other, "f", &mut forged.as_bytes(), false).expect("it is merged");
        assert_eq!((report.n_snapshots, report.problems.len()), (0, 1));

        let (_folder, empty) = store_with(&[]);
        let gone = of(&empty, &verdicts).expect("it was kept");
        assert_eq!(gone.now, None);
        assert!(
            gone.test
                .iter()
                .all(|diff_row| diff_row.kind == RowKind::Removed)
        );
        assert!(!gone.is_elsewhere());
    }
}
