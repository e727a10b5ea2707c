//! Maps each language to its front end; only this file lists them.

use crate::index::{FileReading, FrontEnd, Project, SourceText};
use crate::model::{Language, Problem};
use crate::outside::Outside;
use crate::syntax::file_tokens::FileTokens;
use crate::{csharp, go, java, javascript, python};

/// The facts of one source file, for the index of its language; no syntax tree is kept.
#[derive(Debug)]
pub struct SourceFacts {
    of_language: OfLanguage,
    /// Absent where tokens are lexed without a tree, and where the file has errors.
    tokens: Option<FileTokens>,
}

/// The facts of one file, and its problem.
#[derive(Debug)]
pub struct ParsedSource {
    pub facts: SourceFacts,
    pub problem: Option<Problem>,
}

/// Makes everything that differs by language from pairs `Language: its front end`.
macro_rules! front_ends {
    ($($language:ident: $front_end:ty),* $(,)?) => {
        /// Facts are large, and of another size in each language, so they are boxed.
        #[derive(Debug)]
        enum OfLanguage {
            $($language(Box<<$front_end as FrontEnd>::Facts>),)*
        }

        /// Returns the version of a language's front end, from 1; it is raised when any of its rules changes the stored
        /// rows.
        #[must_use]
        pub const fn version(language: Language) -> u32 {
            match language {
                $(Language::$language => <$front_end>::VERSION,)*
            }
        }

        /// Parses one file.
        #[must_use]
        pub fn facts(language: Language, source: SourceText<'_>, outside: &Outside) -> ParsedSource {
            match language {
                $(Language::$language => {
                    parsed(<$front_end>::read(source, outside), OfLanguage::$language)
                })*
            }
        }

        /// Builds the index over the facts of all files, which are sorted by path; `FileId(n)` is the n-th of them.
        ///
        /// # Panics
        /// When facts are of another language.
        #[must_use]
        pub fn project(language: Language, facts: Vec<SourceFacts>, outside: &Outside) -> Project {
            match language {
                $(Language::$language => indexed::<$front_end>(facts, outside, |facts| match facts {
                    OfLanguage::$language(facts) => Some(facts),
                    _ => None,
                }),)*
            }
        }
    };
}

front_ends! {
    Java: java::JavaFrontEnd,
    Python: python::PythonFrontEnd,
    Go: go::GoFrontEnd,
    JavaScript: javascript::JavaScriptFrontEnd,
    CSharp: csharp::CSharpFrontEnd,
}

fn parsed<F>(read: FileReading<F>, of_language: fn(Box<F>) -> OfLanguage) -> ParsedSource {
    ParsedSource {
        facts: SourceFacts {
            of_language: of_language(Box::new(read.facts)),
            tokens: read.tokens,
        },
        problem: read.problem,
    }
}

fn indexed<F: FrontEnd>(
    facts: Vec<SourceFacts>,
    outside: &Outside,
    own: fn(OfLanguage) -> Option<Box<F::Facts>>,
) -> Project {
    let mut tokens = Vec::with_capacity(facts.len());
    let files = facts.into_iter().map(|facts| {
        tokens.push(facts.tokens);
        *own(facts.of_language).expect("a project is made of facts of its own language")
    });
    let files = files.collect();
    Project {
        tokens,
        ..F::index(files, outside)
    }
}
