//! The true test's file without its tests, and candidates where they stood.
//!
//! Pure: texts and spans in, a text and a map of its lines out. The engines decide which candidates share a copy, and
//! how to go on when a copy does not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::candidate::HostFile;
use crate::model::Span;

use super::member::{MethodReader, ParsedMethod, unix_lines};

pub mod beside;

/// With more candidates in a class, compilers and runners get slow.
pub const PER_COPY_MAX: usize = 200;

/// How a file's tests are treated. A test that no candidate replaces stays, because a subclass may override it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestRemoval {
    /// Tests without a candidate stay unchanged; the lines of the others are blanked.
    Replaced,
    /// All tests stay, without their annotations, because something in the file calls the replaced ones.
    Stripped,
}

/// A candidate to be put in a file.
#[derive(Clone, Copy, Debug)]
pub struct Insert<'t> {
    /// The true test's declaration.
    pub at: Span,
    pub what: InsertContent<'t>,
}

#[derive(Clone, Copy, Debug)]
pub enum InsertContent<'t> {
    /// The true test as it stands, with its name.
    Truth(&'t str),
    Candidate(&'t ParsedMethod),
}

/// Where a candidate stands in a scaffold, and under which name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaffoldPlace {
    pub name: String,
    /// Its lines in the file, from 1, beginning with the first line of its text.
    pub lines: Range<u32>,
}

/// A file with candidates in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaffold {
    pub text: String,
    /// In the order of the inserts.
    pub placed: Vec<ScaffoldPlace>,
    /// Inserts in order of their lines.
    order: Vec<usize>,
}

impl Scaffold {
    /// Finds the insert of a line, from 1, and the line in that insert's text, from 1.
    #[must_use]
    pub fn owner(&self, line: u32) -> Option<(usize, u32)> {
        let at = self
            .order
            .partition_point(|order| self.placed[*order].lines.end <= line);
        let idx = *self.order.get(at)?;
        let lines = &self.placed[idx].lines;
        lines.contains(&line).then(|| (idx, line - lines.start + 1))
    }
}

/// Puts candidates into a file. Several candidates at one place follow each other, the first one on the lines of the
/// place; as long as all of them fit there, later lines keep their numbers. A candidate whose name is taken, or whose
/// name other code calls and means another method, gets `__2`, `__3` and so on.
#[must_use]
pub fn scaffold(file: &HostFile, inserts: &[Insert<'_>], removed: TestRemoval) -> Scaffold {
    let mut reader = MethodReader::new();
    let holes = holes(file, inserts);
    let names = names(&mut reader, file, inserts, removed);
    let mut writer = ScaffoldWriter {
        out: String::with_capacity(file.text.len()),
        line: 1,
    };
    let mut placed: Vec<Option<ScaffoldPlace>> = vec![None; inserts.len()];
    let mut order = Vec::with_capacity(inserts.len());
    let mut at = 0;
    for hole in holes {
        writer.push(&file.text[at..hole.start as usize]);
        at = hole.end as usize;
        let declaration = hole.of(&file.text);
        let here: Vec<usize> = (0..inserts.len())
            .filter(|n| inserts[*n].at == hole)
            .collect();
        let (truths, others): (Vec<usize>, Vec<usize>) = here
            .into_iter()
            .partition(|n| matches!(inserts[*n].what, InsertContent::Truth(_)));
        let first_line = writer.line;
        let is_as_mined = removed == TestRemoval::Replaced && others.is_empty();
        if is_as_mined || !truths.is_empty() {
            writer.push(declaration);
        } else if removed == TestRemoval::Stripped
            && let Ok(member) = reader.member(declaration)
        {
            writer.push(&member.stripped());
        }
        for idx in truths {
            placed[idx] = Some(ScaffoldPlace {
                name: names[idx].clone(),
                lines: first_line..writer.line + 1,
            });
            order.push(idx);
        }
        let has_others = !others.is_empty();
        for idx in others {
            let InsertContent::Candidate(member) = inserts[idx].what else {
                continue;
            };
            writer.begin_line();
            let start = writer.line;
            writer.push(&member.renamed(&names[idx]));
            placed[idx] = Some(ScaffoldPlace {
                name: names[idx].clone(),
                lines: start..writer.line + 1,
            });
            order.push(idx);
        }
        let last_line = first_line + n_ends(declaration);
        while writer.line < last_line {
            writer.push("\n");
        }
        let rest = file.text[at..].split(['\n', '\r']).next();
        if has_others && rest.is_some_and(|rest| !rest.trim().is_empty()) {
            writer.push("\n");
        }
    }
    writer.push(&file.text[at..]);
    order.sort_by_key(|n| {
        placed[*n]
            .as_ref()
            .map(|scaffold_place| scaffold_place.lines.start)
    });
    Scaffold {
        text: writer.out,
        placed: placed
            .into_iter()
            .zip(names)
            .map(|(scaffold_place, name)| {
                scaffold_place.unwrap_or(ScaffoldPlace { name, lines: 0..0 })
            })
            .collect(),
        order,
    }
}

/// Lists the places of all tests and candidates in order, without those inside another one or outside of the text.
fn holes(file: &HostFile, inserts: &[Insert<'_>]) -> Vec<Span> {
    let all: BTreeSet<Span> = file
        .tests
        .iter()
        .copied()
        .chain(inserts.iter().map(|insert| insert.at))
        .filter(|span| {
            file.text
                .get(span.start as usize..span.end as usize)
                .is_some()
        })
        .collect();
    let mut holes: Vec<Span> = Vec::with_capacity(all.len());
    for span in all {
        if holes.last().is_none_or(|hole| hole.end <= span.start) {
            holes.push(span);
        }
    }
    holes
}

/// Chooses a name for each insert that no other member of the file has.
fn names(
    reader: &mut MethodReader,
    file: &HostFile,
    inserts: &[Insert<'_>],
    removed: TestRemoval,
) -> Vec<String> {
    let is_truth = |at: &Span| {
        let mut there = inserts.iter().filter(|insert| insert.at == *at);
        there.any(|insert| matches!(insert.what, InsertContent::Truth(_)))
    };
    let mut gone: Vec<Span> = inserts.iter().map(|insert| insert.at).collect();
    gone.retain(|span| removed == TestRemoval::Replaced && !is_truth(span));
    let mut taken: BTreeSet<String> = reader
        .names_outside(&file.text, &gone)
        .into_iter()
        .collect();
    let mut n_callers = BTreeMap::<&str, usize>::new();
    for insert in inserts {
        if let InsertContent::Candidate(member) = insert.what {
            for call in &member.calls {
                *n_callers.entry(call).or_default() += 1;
            }
        }
    }
    let mut names = Vec::with_capacity(inserts.len());
    for insert in inserts {
        let name = match insert.what {
            InsertContent::Truth(name) => name.to_owned(),
            InsertContent::Candidate(member) => {
                let own = usize::from(member.calls.iter().any(|call| call == member.name()));
                let is_called = n_callers.get(member.name()).is_some_and(|n| *n > own);
                free_name(member.name(), is_called, &taken)
            }
        };
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

fn free_name(name: &str, is_called: bool, taken: &BTreeSet<String>) -> String {
    if !is_called && !taken.contains(name) {
        return name.to_owned();
    }
    let mut numbered = (2..=u32::MAX).map(|n| format!("{name}__{n}"));
    let free = numbered.find(|text| !taken.contains(text));
    free.expect("fewer names are taken than there are numbers")
}

fn n_ends(text: &str) -> u32 {
    unix_lines(text).matches('\n').count() as u32
}

/// A growing text with the number of its last line, from 1.
struct ScaffoldWriter {
    out: String,
    line: u32,
}

impl ScaffoldWriter {
    fn push(&mut self, text: &str) {
        let text = unix_lines(text);
        self.line += text.matches('\n').count() as u32;
        self.out += &text;
    }

    /// Begins a new line, unless the present one has only white space.
    fn begin_line(&mut self) {
        let line = self.out.rsplit('\n').next().unwrap_or_default();
        if !line.trim().is_empty() {
            self.push("\n");
        }
    }
}

#[cfg(test)]
mod tests;
