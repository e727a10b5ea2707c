//! The two rules of Methods2Test (Tufano et al., MSR 2022; `find_map_test_cases.py` at commit 1904da5): the focal class
//! is the one whose path mirrors the test's, and the focal method is named like the test, or is the only one of that
//! class that the test calls.
//!
//! Only names are compared, in lower case and with every `test` removed; of overloads the first declared one is taken.
//! Where script and paper differ, the script is followed: the folder `test` of other build tools is not mapped.

use rustc_hash::FxHashMap;

use crate::lang::Project;
use crate::model::{
    Call, CallKind, Candidate, Decision, Evidences, FileId, FileRole, FocalMatch, Matcher, Method,
    MethodId, Stage, TestCase, UnmappedReason,
};
use crate::syntax::dialect;

/// The files that may hold focal classes, by their path as the script compares it.
#[derive(Debug, Default)]
pub struct FocalFiles {
    /// Folders of tests, each with the mirrored folder.
    mirrored: &'static [(&'static str, &'static str)],
    by_path: FxHashMap<String, FileId>,
    /// The methods of each file; numbers of `methods` are in order of file.
    methods_of: Vec<std::ops::Range<u32>>,
}

impl FocalFiles {
    /// Lists every file that holds no test, as the script finds by looking for `@Test`, and lies in no folder of tests.
    pub fn of(paths: &[String], project: &Project) -> Self {
        let mirrored = dialect(project.language).files.mirrored;
        let mut holds_test = vec![false; paths.len()];
        for test in &project.tests {
            holds_test[project.method(*test).file.0 as usize] = true;
        }
        let mut methods_of = vec![0..0; paths.len()];
        for (at, method) in project.methods.iter().enumerate() {
            let range = &mut methods_of[method.file.0 as usize];
            if range.start == range.end {
                range.start = at as u32;
            }
            range.end = at as u32 + 1;
        }
        let mut by_path = FxHashMap::default();
        for (at, path) in paths.iter().enumerate() {
            let is_below_tests = mirrored.iter().any(|(tests, _)| path.contains(tests));
            if !holds_test[at] && !is_below_tests {
                by_path
                    .entry(path.to_lowercase())
                    .or_insert(FileId(at as u32));
            }
        }
        Self {
            mirrored,
            by_path,
            methods_of,
        }
    }

    fn focal_file(&self, test_path: &str) -> Option<FileId> {
        let mut path = format!("/{test_path}").to_lowercase();
        for (tests, main) in self.mirrored {
            path = path.replace(&format!("/{tests}/"), &format!("/{main}/"));
        }
        let path = path.replace("test", "");
        self.by_path.get(path.trim_start_matches('/')).copied()
    }
}

/// Collects the candidates, which are the called methods of the focal class, and decides between them.
pub fn decide(
    files: &FocalFiles,
    paths: &[String],
    test_case: &TestCase,
    methods: &[Method],
) -> FocalMatch {
    let test = &methods[test_case.method.0 as usize];
    let declared: Vec<(MethodId, String)> = files
        .focal_file(&paths[test.file.0 as usize])
        .map(|file| files.methods_of[file.0 as usize].clone())
        .unwrap_or_default()
        .map(MethodId)
        .filter(|id| {
            let method = &methods[id.0 as usize];
            method.role == FileRole::Main && method.body.is_some() && !method.is_constructor()
        })
        .map(|id| (id, methods[id.0 as usize].name.to_lowercase()))
        .collect();
    let mut candidates = called(&declared, &test_case.calls, methods);
    let decision = pick(&test.name, &declared, &mut candidates, methods);
    FocalMatch {
        matcher: Matcher::Methods2Test,
        candidates,
        decision,
    }
}

/// Finds the first declaration of each name that the test calls, in order of the first call.
fn called(declared: &[(MethodId, String)], calls: &[Call], methods: &[Method]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (idx, call) in calls.iter().enumerate() {
        if call.kind != CallKind::Method {
            continue;
        }
        let name = call.name.to_lowercase();
        let Some((method, _)) = declared.iter().find(|(_, text)| *text == name) else {
            continue;
        };
        match candidates
            .iter_mut()
            .find(|candidate| candidate.method == *method)
        {
            Some(known) => known.calls.push(idx as u32),
            None => candidates.push(candidate(*method, methods, vec![idx as u32])),
        }
    }
    candidates
}

fn candidate(method: MethodId, methods: &[Method], calls: Vec<u32>) -> Candidate {
    Candidate {
        name: methods[method.0 as usize].name.clone(),
        method,
        score: 1.0,
        class_score: 1.0,
        weight: 1.0,
        evidence: Evidences::default(),
        calls,
    }
}

/// Applies the two rules; a method that is named like the test need not be called by it.
fn pick(
    test: &str,
    declared: &[(MethodId, String)],
    candidates: &mut Vec<Candidate>,
    methods: &[Method],
) -> Decision {
    let name = test.to_lowercase().replace("test", "");
    if let Some((named, _)) = declared.iter().find(|(_, text)| *text == name) {
        let at = candidates
            .iter()
            .position(|candidate| candidate.method == *named)
            .unwrap_or_else(|| {
                candidates.push(candidate(*named, methods, Vec::new()));
                candidates.len() - 1
            });
        return picked(at, Stage::Name);
    }
    match candidates.len() {
        0 => Decision::None(UnmappedReason::NoCandidate),
        1 => picked(0, Stage::UniqueCall),
        _ => Decision::None(UnmappedReason::Tie),
    }
}

const fn picked(candidate: usize, stage: Stage) -> Decision {
    Decision::Picked {
        candidate,
        stage,
        weight: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Outside, project_of};
    use crate::model::Language;

    fn check(test: &str, expected: Option<&str>) {
        let paths: Vec<String> = [
            "m/src/main/java/p/Counter.java",
            "m/src/test/java/p/CounterTest.java",
            "m/src/test/java/p/Helper.java",
        ]
        .map(str::to_owned)
        .to_vec();
        let project = project_of(Language::Java, [], &Outside::default());
        let files = FocalFiles::of(&paths, &project);
        let found = files
            .focal_file(test)
            .map(|file_id| paths[file_id.0 as usize].as_str());
        assert_eq!(found, expected);
    }

    #[test]
    fn the_focal_class_lies_where_the_test_lies_in_main() {
        check(
            "m/src/test/java/p/CounterTest.java",
            Some("m/src/main/java/p/Counter.java"),
        );
        check(
            "m/src/test/java/p/TestCounter.java",
            Some("m/src/main/java/p/Counter.java"),
        );
        check("m/src/test/java/q/CounterTest.java", None);
        check("m/src/test/java/p/HelperTest.java", None);
    }
}
