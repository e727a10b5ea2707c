//! Writing a repository into the index: a new generation in short transactions, made current by a last small one.
//!
//! Performance matters here: one insert per row, ids computed here, statements prepared once, sources compressed on all
//! threads before their transaction, and only methods that can be queried.

use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, Statement, params};
use rustc_hash::FxHashSet;

use crate::model::{
    BuildTool, Call, Decision, FileRole, Framework, Language, Matcher, MatcherDecision, Method,
    MethodId, MethodKind, MinedTest, Reason, ResolutionCounts, Split, Stage, Status, TestCase,
    TestKind,
};
use crate::task::{Monitor, Phase};

use super::batch::WriteBatch;
use super::codec::{
    code, decision_id, integer, pack_candidate, pack_evidence, pack_ordinals, pack_spans, row_id,
};
use super::contents::RepoContents;
use super::error::StoreFailure;
use super::report::{pack_runners, tally};
use super::{ImportedRepo, Store, StoreAccess, StoreError, dataset, declared, resolution, version};

/// A bit of `methods.uses`: `text:` searches these methods.
pub(super) const USE_TEST: u8 = 1;
pub(super) const USE_FOCAL: u8 = 2;
/// The method is referred to in another way, or is in the class of a focal method.
const USE_OTHER: u8 = 4;

/// The number of sources that are hashed and compressed at a time: enough for all threads, at little memory.
const SOURCES_AT_ONCE: usize = 256;

/// The fastest level of zstd: twice as fast as the default one and a tenth larger.
const ZSTD_LEVEL: i32 = 1;

/// The cost of writing a repository, in thousandths of the cost of mining it.
pub const WRITE_PARTS: u64 = 140;

impl Store {
    /// Writes a repository as a whole; readers see the former rows until all new ones are written.
    ///
    /// When it fails or is cancelled, the former rows stay. Call [`Store::settle`] once after the last repository.
    ///
    /// # Errors
    /// [`StoreError::Cancelled`] when the monitor is cancelled, [`StoreError::Occupied`] when the project came with a
    /// dataset, and errors of the disk.
    pub fn replace_repo(
        &mut self,
        contents: &RepoContents<'_>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.replace(contents, None, monitor)
    }

    /// Writes a repository that was mined or came with a dataset.
    pub(super) fn replace(
        &mut self,
        contents: &RepoContents<'_>,
        imported: Option<&ImportedRepo<'_>>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            monitor.enter(Phase::Storing);
            dataset::check_place(conn, contents, imported)?;
            let mut generation = Generation::begin(conn, contents, imported)?;
            // Packing the files takes about half of the time. The progress of a dataset is counted in samples.
            let n_parts = if imported.is_none() { WRITE_PARTS } else { 0 };
            let writing = monitor.stretch(n_parts, 4);
            generation.write_files(monitor)?;
            writing.step(2);
            generation.write_methods(monitor)?;
            generation.write_declared(monitor)?;
            writing.step(1);
            generation.write_tests(monitor)?;
            generation.write_problems(monitor)?;
            monitor.step()?;
            generation.make_current()?;
            writing.end();
            Ok(())
        })?;
        self.named(|| self.sweep(monitor))
    }

    /// Runs `work` if this store may write.
    pub(super) fn writing<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        if self.access == StoreAccess::Read {
            return Err(StoreError::ReadOnly {
                path: self.path.clone(),
            });
        }
        self.named(|| work(&self.conn))
    }
}

/// A generation that is being written.
struct Generation<'a, 'c> {
    conn: &'c Connection,
    contents: &'a RepoContents<'a>,
    imported: Option<&'a ImportedRepo<'a>>,
    id: i64,
    /// The number of different sources among the files.
    n_sources: i64,
}

impl<'a, 'c> Generation<'a, 'c> {
    fn begin(
        conn: &'c Connection,
        contents: &'a RepoContents<'a>,
        imported: Option<&'a ImportedRepo<'a>>,
    ) -> Result<Self, StoreFailure> {
        conn.execute("INSERT INTO hidden DEFAULT VALUES", [])?;
        Ok(Self {
            conn,
            contents,
            imported,
            id: conn.last_insert_rowid(),
            n_sources: 0,
        })
    }

    fn write_files(&mut self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut known = self
            .conn
            .prepare("SELECT id FROM sources WHERE hash = ?1")?;
        let mut insert_source = self
            .conn
            .prepare("INSERT INTO sources (hash, size_bytes, zstd) VALUES (?1, ?2, ?3)")?;
        let mut insert_file = self
            .conn
            .prepare("INSERT INTO files (id, source, is_test, path) VALUES (?1, ?2, ?3, ?4)")?;
        let mut seen = FxHashSet::default();
        for files in self.contents.files.chunks(SOURCES_AT_ONCE) {
            let hashes: Vec<[u8; 16]> = files.par_iter().map(|file| hash(&file.text)).collect();
            let mut is_known = Vec::with_capacity(files.len());
            for hash in &hashes {
                is_known.push(known.exists([hash])? || !seen.insert(*hash));
            }
            let packed = files
                .par_iter()
                .zip(&is_known)
                .map_init(
                    zstd::bulk::Compressor::default,
                    |compressor, (file, known)| {
                        (!known)
                            .then(|| compress(compressor, &file.text))
                            .transpose()
                    },
                )
                .collect::<Result<Vec<_>, _>>()?;
            let mut batch = WriteBatch::begin(self.conn, monitor)?;
            for ((file, hash), packed) in files.iter().zip(&hashes).zip(packed) {
                batch.rows(2)?;
                let source = if let Some(packed) = packed {
                    insert_source.execute(params![hash, integer(file.text.len()), packed])?;
                    self.conn.last_insert_rowid()
                } else {
                    known.query_row([hash], |row| row.get(0))?
                };
                let is_test = file.role == FileRole::Test;
                insert_file.execute(params![
                    row_id(self.id, file.id.0),
                    source,
                    is_test,
                    file.path
                ])?;
            }
            batch.finish()?;
        }
        self.n_sources = self.conn.query_row(
            "SELECT COUNT(DISTINCT source) FROM files WHERE id >= ?1 AND id < ?2",
            [row_id(self.id, 0), row_id(self.id + 1, 0)],
            |row| row.get(0),
        )?;
        Ok(())
    }

    fn write_methods(&self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut insert = self.conn.prepare(
            "INSERT INTO methods (id, file, span_start, span_end, body_start, body_end, start_line, end_line,
                name_line, uses, class, name, parameters, signature, ordinal, kind, n_package)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?;
        let mut batch = WriteBatch::begin(self.conn, monitor)?;
        let uses = uses(self.contents);
        for (ordinal, (method, uses)) in (0_u32..).zip(self.contents.methods.iter().zip(uses)) {
            if uses == 0 {
                continue;
            }
            batch.rows(1)?;
            insert.execute(params![
                row_id(self.id, ordinal),
                row_id(self.id, method.file.0),
                method.span.start,
                method.span.end,
                method.body.map(|body| body.start),
                method.body.map(|body| body.end),
                method.start_line,
                method.end_line,
                method.name_line,
                uses,
                method.class,
                method.name,
                method.parameters.join(","),
                method.signature,
                method.ordinal,
                code(MethodKind::ALL, method.kind),
                method.n_package,
            ])?;
        }
        batch.finish()
    }

    fn write_declared(&self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut insert = self
            .conn
            .prepare("INSERT INTO declared (file, packed) VALUES (?1, ?2)")?;
        let mut methods: Vec<&Method> = self.contents.methods.iter().collect();
        // The methods of a dataset arrive sample by sample.
        methods.sort_by_key(|method| method.file);
        let files: Vec<&[&Method]> = methods.chunk_by(|a, b| a.file == b.file).collect();
        let packed: Vec<Vec<u8>> = files.par_iter().map(|file| declared::pack(file)).collect();
        let mut batch = WriteBatch::begin(self.conn, monitor)?;
        for (methods, packed) in files.iter().zip(packed) {
            batch.rows(1)?;
            insert.execute(params![row_id(self.id, methods[0].file.0), packed])?;
        }
        batch.finish()
    }

    fn write_tests(&self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut rows = TestRows::prepare(self.conn, self.id, self.contents)?;
        let given = self
            .imported
            .map_or(&[][..], |imported_repo| imported_repo.splits);
        let given = given.iter().copied().chain(std::iter::repeat(None));
        let mut tests: Vec<(&MinedTest, Option<Split>)> =
            self.contents.tests.iter().zip(given).collect();
        // Ids follow the order of file and position, whatever the order of the tests.
        tests.sort_by_key(|(test, _)| test.test_case.method);
        let mut batch = WriteBatch::begin(self.conn, monitor)?;
        for (ordinal, (test, split)) in (0_u32..).zip(tests) {
            batch.rows(1)?;
            rows.write_test(ordinal, test)?;
            for decided in &test.decided {
                batch.rows(2)?;
                rows.write_detail(ordinal, test, decided)?;
                rows.write_decision(ordinal, test, decided, split)?;
            }
        }
        batch.finish()
    }

    fn write_problems(&self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut insert = self.conn.prepare(
            "INSERT INTO problems (id, reason, line, path, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut batch = WriteBatch::begin(self.conn, monitor)?;
        for (ordinal, problem) in (0_u32..).zip(self.contents.problems) {
            batch.rows(1)?;
            insert.execute(params![
                row_id(self.id, ordinal),
                code(Reason::ALL, problem.reason),
                problem.line,
                problem.path,
                problem.detail,
            ])?;
        }
        batch.finish()
    }

    /// Runs the last small transaction: the new generation becomes visible and the former one disappears.
    fn make_current(&self) -> Result<(), StoreFailure> {
        let resolutions = match self.imported {
            Some(_) => ResolutionCounts::default(),
            None => resolution::counts(self.contents),
        };
        let transaction = rusqlite::Transaction::new_unchecked(
            self.conn,
            rusqlite::TransactionBehavior::Immediate,
        )?;
        let RepoContents { repo, stamp, .. } = self.contents;
        let former: Option<i64> = transaction
            .query_row(
                "SELECT generation FROM repos WHERE identity = ?1 AND language = ?2",
                params![repo.identity, code(Language::ALL, repo.language)],
                |row| row.get(0),
            )
            .optional()?;
        transaction.execute(
            "INSERT INTO repos (identity, generation, name, url, commit_id, dirty, license, language, build_tool,
                stars, is_fork, root, stamp_content, stamp_options, stamp_code, n_files, n_sources, n_test_classes,
                n_tests, n_problems, host_id, runners, split, is_settled)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                -1, 0)
             ON CONFLICT (identity, language) DO UPDATE SET (generation, name, url, commit_id, dirty, license,
                build_tool, stars, is_fork, root, stamp_content, stamp_options, stamp_code, n_files, n_sources,
                n_test_classes, n_tests, n_problems, host_id, runners, is_settled)
             = (?2, ?3, ?4, ?5, ?6, ?7, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, 0)",
            params![
                repo.identity,
                self.id,
                repo.name,
                repo.url,
                repo.commit,
                repo.dirty,
                repo.license,
                code(Language::ALL, repo.language),
                repo.build_tool.map(|tool| code(BuildTool::ALL, tool)),
                repo.stars,
                repo.is_fork,
                self.contents.root.to_string_lossy(),
                stamp.content.0,
                stamp.options,
                stamp.code,
                integer(n_files(self.contents)),
                self.n_sources,
                integer(n_test_classes(self.contents)),
                integer(self.contents.tests.len()),
                integer(self.contents.problems.len()),
                repo.host_id,
                pack_runners(&repo.runners),
            ],
        )?;
        transaction.execute("DELETE FROM hidden WHERE id = ?1", [self.id])?;
        if let Some(former) = former {
            transaction.execute("INSERT INTO hidden (id) VALUES (?1)", [former])?;
        }
        tally(&transaction, self.id)?;
        resolution::write(&transaction, self.id, &resolutions)?;
        if let Some(imported) = self.imported {
            dataset::write(&transaction, (self.id, &repo.identity), imported)?;
        }
        version::touch(&transaction)?;
        transaction.commit()?;
        Ok(())
    }
}

/// The statements that write tests, prepared once.
struct TestRows<'a, 'c> {
    generation: i64,
    contents: &'a RepoContents<'a>,
    test: Statement<'c>,
    decision: Statement<'c>,
    detail: Statement<'c>,
}

impl<'a, 'c> TestRows<'a, 'c> {
    fn prepare(
        conn: &'c Connection,
        generation: i64,
        contents: &'a RepoContents<'a>,
    ) -> Result<Self, StoreFailure> {
        Ok(Self {
            generation,
            contents,
            test: conn
                .prepare("INSERT INTO tests (id, key, method, fixtures) VALUES (?1, ?2, ?3, ?4)")?,
            decision: conn.prepare(
                "INSERT INTO decisions (id, matcher, status, stage, weight, flags, n_tokens, is_duplicate, split,
                    framework, kind, file, method, focal_method, test_class, test_name, focal, margin, focal_class)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?16, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?17, ?18)",
            )?,
            detail: conn.prepare(
                "INSERT INTO details (id, token_hash, content_hash, implementation, setup_start, setup_end,
                    assertion_start, assertion_end, focal_calls, assertion_calls, picked, candidates, setup_context,
                    focal_context, evidence)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?,
        })
    }

    fn write_test(&mut self, ordinal: u32, test: &MinedTest) -> Result<(), StoreFailure> {
        self.test.execute(params![
            row_id(self.generation, ordinal),
            test.key.0,
            self.method_id(test.test_case.method),
            pack_methods(&test.test_case.fixtures),
        ])?;
        Ok(())
    }

    fn write_decision(
        &mut self,
        ordinal: u32,
        test: &MinedTest,
        decided: &MatcherDecision,
        split: Option<Split>,
    ) -> Result<(), StoreFailure> {
        let matcher = decided.focal_match.matcher;
        let test_case = &test.test_case;
        let method = self.method(test_case.method)?;
        let (stage, weight) = match decided.focal_match.decision {
            Decision::Picked { stage, weight, .. } => (code(Stage::ALL, stage), weight),
            Decision::None(_) => (-1, -1.0),
        };
        let focal = decided.focal();
        let (focal_class, focal_name) = match focal {
            Some(focal) => {
                let method = self.method(focal)?;
                (method.simple_class(), short_name(method))
            }
            None => ("", String::new()),
        };
        self.decision.execute(params![
            decision_id(self.generation, matcher, ordinal),
            code(Matcher::ALL, matcher),
            code(Status::ALL, decided.status),
            stage,
            weight,
            decided.flags.0,
            decided.n_tokens,
            code(Framework::ALL, test_case.framework),
            code(TestKind::ALL, test_case.kind),
            row_id(self.generation, method.file.0),
            self.method_id(test_case.method),
            focal.map(|focal| self.method_id(focal)),
            shown_class(method, test_case),
            method.name,
            focal_name,
            split.map_or(-1, |split| code(Split::ALL, split)),
            decided.focal_match.margin(),
            focal_class,
        ])?;
        Ok(())
    }

    fn write_detail(
        &mut self,
        ordinal: u32,
        test: &MinedTest,
        decided: &MatcherDecision,
    ) -> Result<(), StoreFailure> {
        let focal_match = &decided.focal_match;
        let calls = &test.test_case.calls;
        let picked = match focal_match.decision {
            Decision::Picked { candidate, .. } => Some(integer(candidate)),
            Decision::None(_) => None,
        };
        let mut candidates = Vec::with_capacity(focal_match.candidates.len() * 32);
        let mut evidence = Vec::with_capacity(focal_match.candidates.len() * 16);
        for candidate in &focal_match.candidates {
            pack_candidate(
                &mut candidates,
                candidate,
                &call_spans(calls, &candidate.calls),
            );
            pack_evidence(&mut evidence, candidate);
        }
        let cut = decided.cut.as_ref();
        let setup = cut.and_then(|cut| cut.setup);
        let assertion = cut.and_then(|cut| cut.assertion);
        let implementation = decided.implementation.map(|method| self.method_id(method));
        self.detail.execute(params![
            decision_id(self.generation, focal_match.matcher, ordinal),
            decided.token_hash.0,
            decided.content_hash.0,
            implementation,
            setup.map(|span| span.start),
            setup.map(|span| span.end),
            assertion.map(|span| span.start),
            assertion.map(|span| span.end),
            cut.map_or_else(Vec::new, |cut| call_spans(calls, &cut.focal_calls)),
            cut.map_or_else(Vec::new, |cut| call_spans(calls, &cut.assertion_calls)),
            picked,
            candidates,
            pack_methods(&decided.setup_context),
            pack_methods(&decided.focal_context),
            evidence,
        ])?;
        Ok(())
    }

    fn method_id(&self, method: MethodId) -> i64 {
        row_id(self.generation, method.0)
    }

    fn method(&self, method: MethodId) -> Result<&'a Method, StoreFailure> {
        self.contents
            .methods
            .get(method.0 as usize)
            .ok_or_else(|| StoreFailure::Damaged(format!("no method has the number {}", method.0)))
    }
}

/// Chooses the class that a list shows for a test: its class's simple name, the title of its group, or its file.
fn shown_class<'t>(method: &'t Method, test_case: &'t TestCase) -> &'t str {
    match test_case.group.as_str() {
        "" => method.simple_class(),
        group => group,
    }
}

/// Shortens a method to `Counter.inc`, and a function without a class to `inc`.
fn short_name(method: &Method) -> String {
    match method.simple_class() {
        "" => method.name.clone(),
        class => format!("{class}.{}", method.name),
    }
}

/// Packs the spans of the calls with these indices.
fn call_spans(calls: &[Call], indices: &[u32]) -> Vec<u8> {
    pack_spans(
        indices
            .iter()
            .filter_map(|idx| calls.get(*idx as usize))
            .map(|call| call.span),
    )
}

fn pack_methods(methods: &[MethodId]) -> Vec<u8> {
    pack_ordinals(methods.iter().map(|method| method.0))
}

/// Tells for each method why it is stored; 0 for methods that cannot be queried.
fn uses(contents: &RepoContents<'_>) -> Vec<u8> {
    let mut uses = vec![0; contents.methods.len()];
    let mut mark = |method: MethodId, use_: u8| {
        if let Some(uses) = uses.get_mut(method.0 as usize) {
            *uses |= use_;
        }
    };
    let mut focal_classes = FxHashSet::default();
    for test in contents.tests {
        mark(test.test_case.method, USE_TEST);
        for fixture in &test.test_case.fixtures {
            mark(*fixture, USE_OTHER);
        }
        for decided in &test.decided {
            if let Some(focal) = decided.focal() {
                mark(focal, USE_FOCAL);
                if let Some(method) = contents.methods.get(focal.0 as usize) {
                    focal_classes.insert(method.class.as_str());
                }
            }
            let candidates = decided
                .focal_match
                .candidates
                .iter()
                .map(|candidate| candidate.method);
            for method in candidates
                .chain(decided.implementation)
                .chain(decided.setup_context.iter().copied())
                .chain(decided.focal_context.iter().copied())
            {
                mark(method, USE_OTHER);
            }
        }
    }
    for (method, uses) in contents.methods.iter().zip(&mut uses) {
        if *uses == 0 && focal_classes.contains(method.class.as_str()) {
            *uses = USE_OTHER;
        }
    }
    uses
}

/// Counts the files, each once: a dataset brings a separate text of a file for each sample that names it.
fn n_files(contents: &RepoContents<'_>) -> usize {
    let paths: FxHashSet<&str> = contents
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    paths.len()
}

fn n_test_classes(contents: &RepoContents<'_>) -> usize {
    contents
        .tests
        .iter()
        .filter_map(|test| contents.methods.get(test.test_case.method.0 as usize))
        .map(|method| (method.file, method.class.as_str()))
        .collect::<FxHashSet<_>>()
        .len()
}

fn hash(text: &str) -> [u8; 16] {
    let hash = blake3::hash(text.as_bytes());
    let (first, _) = hash.as_bytes().as_chunks::<16>();
    first[0]
}

fn compress(
    compressor: &mut zstd::bulk::Compressor<'_>,
    text: &str,
) -> Result<Vec<u8>, std::io::Error> {
    compressor.set_compression_level(ZSTD_LEVEL)?;
    compressor.compress(text.as_bytes())
}
