//! A file as it was mined, with candidates beside its tests, where no candidate has an effect on another one.
//!
//! Nothing is taken from the file, so its own lines compile as they did, and its subclasses are as they were.
//! Candidates stand at the end of their class, under unused names. A [`ScaffoldPart`] says how the class is reduced
//! when a candidate runs: it then has the candidate under its own name, no other candidate, and not the true test.

use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::HostFile;
use crate::java::member::{MethodReader, ParsedMethod, unix_lines};
use crate::model::Span;

use super::{Insert, InsertContent, Scaffold, ScaffoldPlace, ScaffoldWriter, free_name, n_ends};

/// The facts about a file before candidates are put into it.
#[derive(Clone, Debug)]
pub struct ScaffoldGround {
    text: String,
    /// Names that it declares or calls, with their places.
    names: Vec<(String, Span)>,
    /// The true tests by their places.
    tests: BTreeMap<Span, TrueTest>,
    /// The numbers in the names of candidates begin behind this one.
    n_before: u32,
}

/// The range of numbers of one file: more than a copy has candidates of one name.
const N_OF_FILE: u32 = 1_000;

#[derive(Clone, Debug)]
struct TrueTest {
    /// Nothing where the place holds no method.
    name: Option<String>,
    /// The head before its body.
    head: String,
    overrides: bool,
    /// Whether something else in the file calls it, or has its name.
    is_needed: bool,
    /// Where the members of its class end.
    end: u32,
}

/// How candidates and the true tests in whose places they are share a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Any number of candidates, under unused names.
    Together,
    /// One candidate, under its own name, without the true test.
    Instead,
    /// One candidate, under its own name if that is free, beside the true test.
    Beside,
}

/// The parts of a scaffold that are there when one of its candidates runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaffoldPart {
    /// The name that it runs under.
    pub name: String,
    /// The true test that is removed in that case.
    pub without: Option<String>,
}

impl TrueTest {
    /// Tells whether a candidate is declared like the true test, and may take its place.
    fn is_like(&self, member: &ParsedMethod) -> bool {
        !self.is_needed && self.head == member.head
    }
}

impl ScaffoldPart {
    /// Keeps the true test where a base class has it, too, and the candidate has another name: the base class may call
    /// it.
    pub fn keep_from_above(&mut self, is_above: impl Fn(&str) -> bool) {
        self.without
            .take_if(|without| *without != self.name && is_above(without.as_str()));
    }
}

impl ScaffoldGround {
    /// Reads a file; `more` are places of candidates besides those of mined tests.
    #[must_use]
    pub fn read(reader: &mut MethodReader, file: &HostFile, more: &BTreeSet<Span>) -> Self {
        let names = reader.names(&file.text);
        let spans: BTreeSet<Span> = file.tests.iter().chain(more).copied().collect();
        let spans: Vec<Span> = spans
            .into_iter()
            .filter(|span| {
                file.text
                    .get(span.start as usize..span.end as usize)
                    .is_some()
            })
            .collect();
        let ends = reader.ends(&file.text, &spans);
        let tests = spans.into_iter().zip(ends).map(|(at, end)| {
            let member = reader.member(at.of(&file.text)).ok();
            let name = member
                .as_ref()
                .map(|parsed_method| parsed_method.name().to_owned());
            let is_named = |text: &str| name.as_deref().is_none_or(|name| name == text);
            let is_needed = names
                .iter()
                .any(|(other, place)| is_named(other) && !at.contains(*place));
            let test = TrueTest {
                name,
                overrides: member.as_ref().is_some_and(ParsedMethod::overrides),
                head: member
                    .map(|parsed_method| parsed_method.head)
                    .unwrap_or_default(),
                is_needed,
                end,
            };
            (at, test)
        });
        Self {
            text: file.text.clone(),
            tests: tests.collect(),
            names,
            n_before: 1,
        }
    }

    /// Gives candidates other numbers than in other files: otherwise a class might override a candidate in a base class
    /// by accident.
    #[must_use]
    pub fn numbered_for(mut self, file_idx: usize) -> Self {
        let n_files = u32::try_from(file_idx).unwrap_or(u32::MAX / N_OF_FILE);
        self.n_before = 1 + n_files.saturating_mul(N_OF_FILE);
        self
    }

    /// Reads a file and blanks all its tests except the one at `but`; their lines stay, empty.
    #[must_use]
    pub fn without_tests(
        reader: &mut MethodReader,
        (file, more): (&HostFile, &BTreeSet<Span>),
        but: Option<Span>,
    ) -> Self {
        let mut bytes = file.text.clone().into_bytes();
        for span in file.tests.iter().filter(|test| Some(**test) != but) {
            if let Some(text) = bytes.get_mut(span.start as usize..span.end as usize) {
                let others = text
                    .iter_mut()
                    .filter(|byte| !matches!(byte, b'\n' | b'\r'));
                others.for_each(|other| *other = b' ');
            }
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|_| file.text.clone());
        let empty = HostFile {
            text,
            ..file.clone()
        };
        Self::read(reader, &empty, more)
    }

    /// Tells whether a true test stands at a place.
    #[must_use]
    pub fn has(&self, at: Span) -> bool {
        self.tests.contains_key(&at)
    }

    /// Tells whether a candidate calls its own name or the name of the true test that it replaces, or overrides
    /// something: under another name, or with the true test beside it, its meaning would change.
    #[must_use]
    pub fn is_apart(&self, at: Span, member: &ParsedMethod) -> bool {
        let Some(test) = self.tests.get(&at) else {
            return false;
        };
        let said = |name: &str| member.calls.iter().any(|call| call == name);
        let overrides = member.overrides() && !(test.overrides && test.is_like(member));
        overrides || said(member.name()) || test.name.as_ref().is_some_and(|name| said(name))
    }

    /// Tells whether a candidate would mean something else under its own name, where its class inherits some names. A
    /// candidate that is declared like the true test may stand in its place.
    #[must_use]
    pub fn is_apart_below(
        &self,
        at: Span,
        member: &ParsedMethod,
        is_above: impl Fn(&str) -> bool,
    ) -> bool {
        let test = self.tests.get(&at);
        is_above(member.name()) && !test.is_some_and(|true_test| true_test.is_like(member))
    }

    /// Lists the names that matter when a base class has them, too: the candidate's and its true test's.
    #[must_use]
    pub fn own_names<'n>(&'n self, at: Span, member: &'n ParsedMethod) -> Vec<&'n str> {
        let test = self.tests.get(&at).and_then(|test| test.name.as_deref());
        std::iter::once(member.name()).chain(test).collect()
    }

    /// Decides under which name a candidate runs, and which true test is then removed.
    fn part(&self, at: Span, member: &ParsedMethod, manner: Manner) -> ScaffoldPart {
        let name = member.name();
        let test = &self.tests[&at];
        let is_of_test = test.name.as_deref() == Some(name);
        if manner == Manner::Instead && is_of_test {
            return ScaffoldPart {
                name: name.to_owned(),
                without: None,
            };
        }
        let stays = test.is_needed || manner == Manner::Beside;
        let taken: BTreeSet<String> = self
            .names
            .iter()
            .filter(|(_, place)| stays || !at.contains(*place))
            .map(|name| name.0.clone())
            .collect();
        ScaffoldPart {
            name: free_name(name, false, &taken),
            without: test
                .name
                .clone()
                .filter(|_| manner == Manner::Together && !test.is_needed),
        }
    }

    /// Puts candidates into the file, and returns with it the part that is there when each insert runs; a true test
    /// stays as it is. An insert at a place without a true test gets no lines.
    #[must_use]
    pub fn with(&self, inserts: &[Insert<'_>], manner: Manner) -> (Scaffold, Vec<ScaffoldPart>) {
        let parts: Vec<ScaffoldPart> = inserts
            .iter()
            .map(|insert| match insert.what {
                InsertContent::Candidate(member) if self.has(insert.at) => {
                    self.part(insert.at, member, manner)
                }
                InsertContent::Candidate(member) => ScaffoldPart {
                    name: member.name().to_owned(),
                    without: None,
                },
                InsertContent::Truth(name) => ScaffoldPart {
                    name: name.to_owned(),
                    without: None,
                },
            })
            .collect();
        let names = self.names(inserts, &parts, manner);
        let mut ends: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (idx, insert) in inserts.iter().enumerate() {
            if let (InsertContent::Candidate(_), Some(test)) =
                (insert.what, self.tests.get(&insert.at))
            {
                ends.entry(test.end).or_default().push(idx);
            }
        }
        let blank = (manner == Manner::Instead)
            .then(|| inserts.first().map(|insert| insert.at))
            .flatten();
        let text = self.blanked(blank);
        let mut writer = ScaffoldWriter {
            out: String::with_capacity(text.len()),
            line: 1,
        };
        let mut placed: Vec<ScaffoldPlace> = names
            .into_iter()
            .map(|name| ScaffoldPlace { name, lines: 0..0 })
            .collect();
        let mut order = Vec::with_capacity(inserts.len());
        // The new numbers of the file's lines behind candidates.
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut at = 0;
        for (end, here) in ends {
            writer.push(&text[at..end as usize]);
            at = end as usize;
            let first = writer.line;
            writer.push("\n");
            for idx in here {
                let InsertContent::Candidate(member) = inserts[idx].what else {
                    continue;
                };
                let start = writer.line;
                let name = &placed[idx].name;
                if manner == Manner::Together && member.overrides() {
                    writer.push(&member.overriding_nothing().renamed(name));
                } else {
                    writer.push(&member.renamed(name));
                }
                placed[idx].lines = start..writer.line + 1;
                order.push(idx);
                writer.push("\n");
            }
            moved.push((end, writer.line - first));
        }
        writer.push(&text[at..]);
        for (idx, insert) in inserts.iter().enumerate() {
            let is_truth = matches!(insert.what, InsertContent::Truth(_));
            if is_truth && self.has(insert.at) {
                let before = moved.iter().filter(|moved| moved.0 <= insert.at.start);
                let start = 1
                    + n_ends(&text[..insert.at.start as usize])
                    + before.map(|before| before.1).sum::<u32>();
                placed[idx].lines = start..start + n_ends(insert.at.of(&text)) + 1;
                order.push(idx);
            }
        }
        order.sort_by_key(|n| placed[*n].lines.start);
        let scaffold = Scaffold {
            text: writer.out,
            placed,
            order,
        };
        (scaffold, parts)
    }

    /// Returns the text with one place blanked to empty lines.
    fn blanked(&self, at: Option<Span>) -> String {
        let mut text = self.text.clone();
        if let Some(at) = at.filter(|span| self.has(*span)) {
            let empty = "\n".repeat(n_ends(at.of(&self.text)) as usize);
            let n_more = (at.end - at.start) as usize - empty.len();
            // The length stays the same, so that later places stay valid.
            let spaces = " ".repeat(n_more);
            text.replace_range(at.start as usize..at.end as usize, &(spaces + &empty));
        }
        text
    }

    /// Chooses the name of each insert in the text.
    fn names(&self, inserts: &[Insert<'_>], parts: &[ScaffoldPart], manner: Manner) -> Vec<String> {
        let own = |scaffold_part: &ScaffoldPart| scaffold_part.name.clone();
        if manner != Manner::Together {
            return parts.iter().map(own).collect();
        }
        let candidates = inserts.iter().filter_map(|insert| match insert.what {
            InsertContent::Candidate(member) => Some(member),
            InsertContent::Truth(_) => None,
        });
        // A text that contains such a name may mean one of them.
        let numbered: Vec<&str> = std::iter::once(self.text.as_str())
            .chain(candidates.map(|candidate| candidate.text.as_str()))
            .filter(|text| text.contains("__"))
            .collect();
        let is_said = |name: &str| numbered.iter().any(|text| text.contains(name));
        let mut next: BTreeMap<&str, u32> = BTreeMap::new();
        let mut names = Vec::with_capacity(inserts.len());
        for (insert, part) in inserts.iter().zip(parts) {
            let InsertContent::Candidate(member) = insert.what else {
                names.push(own(part));
                continue;
            };
            let number = next.entry(member.name()).or_insert(self.n_before);
            let free = loop {
                *number += 1;
                let name = format!("{}__{number}", member.name());
                if !is_said(&name) {
                    break name;
                }
            };
            names.push(free);
        }
        names
    }
}

/// Replaces a candidate's name in a scaffold by its own name throughout a text.
#[must_use]
pub fn with_own_name(text: &str, placed: &str, own: &str) -> String {
    if placed == own {
        return text.to_owned();
    }
    unix_lines(text).replace(placed, own)
}
