//! What a build needs is downloaded before it runs, by calls of Maven in which no code of the project does: its poms are read,
//! and what they name is got, first from where the user's settings lead, into the repository that all projects share; what is
//! not there, into the project's own, also from the repositories that its poms name.
//!
//! Models do not tell everything. What a build without a network does not find is got the same way, and it is called again.

use std::collections::BTreeSet;

use roxmltree::Document;

use super::{WALL, Work, write};
use crate::java::events::{self, Heard, Places, is_coordinates};
use crate::java::invoke::{Call, Mvn, Reach, Said};
use crate::java::kit;
use crate::sandbox::{Bind, Root};
use crate::{RunnerError, io_error};

/// The project's own local repository, in the folder of its build.
pub const REPOSITORY: &str = "repository";
const SAID: &str = "said";
const EXTENSIONS: &str = ".mvn/extensions.xml";
const ARGUMENTS: &str = ".mvn/maven.config";
const SETTINGS_BYTES_MAX: u64 = 1 << 20;
/// How often a build is called again because something was missing; each time it says what comes next.
const N_ROUNDS_MAX: usize = 16;
/// Of what one round asks for.
const N_MISSING_MAX: usize = 1000;

/// Calls of Maven for one build, and what they have come to.
pub struct Fetching<'f> {
    work: &'f Work<'f>,
    mvn: &'f Mvn<'f>,
    tree: Root,
    asked: BTreeSet<String>,
    n_rounds: usize,
    logs: String,
}

impl<'f> Fetching<'f> {
    pub fn new(work: &'f Work<'f>, mvn: &'f Mvn<'f>) -> Result<Self, RunnerError> {
        let tree = work.place.join("tree");
        let repository = work.place.join(REPOSITORY);
        Root::make(&repository).map_err(io_error(&repository))?;
        Ok(Self {
            work,
            mvn,
            tree: Root::open(&tree).map_err(io_error(&tree))?,
            asked: BTreeSet::new(),
            n_rounds: 0,
            logs: String::new(),
        })
    }

    /// Builds.
    pub fn build(&mut self, arguments: Vec<String>) -> Result<(Said, Heard), RunnerError> {
        let has_network = self.work.has_network;
        let tree = Bind::write(self.work.place.join("tree"));
        self.call((Reach::Build { has_network }, tree), arguments)
    }

    /// Calls Maven in the tree; the log of all calls is kept.
    fn call(
        &mut self,
        (reach, bind): (Reach, Bind),
        arguments: Vec<String>,
    ) -> Result<(Said, Heard), RunnerError> {
        let place = self.work.place;
        let (tree, said) = (place.join("tree"), place.join(SAID));
        let repository = place.join(REPOSITORY);
        let call = Call {
            folder: tree.clone(),
            arguments,
            binds: vec![bind, Bind::write(&said)],
            said,
            reach,
            repository: repository.clone(),
            wall: WALL,
        };
        let answer = self.mvn.call(&call, self.work.monitor)?;
        self.logs.push_str(&answer.log);
        write(place, "maven.log", self.logs.as_bytes())?;
        let shared = self.mvn.folders.shared();
        let places = Places {
            tree: &tree,
            others: vec![&repository, &shared, &self.mvn.jdk.home],
        };
        let heard = events::read(&answer.events, &places);
        Ok((answer, heard))
    }

    /// Downloads what the poms name. Where somebody has killed Maven, what it said.
    pub fn all(&mut self, dropped: &BTreeSet<String>) -> Result<Option<Said>, RunnerError> {
        if self.work.site.is_offline {
            return Ok(None);
        }
        let extensions = self.core_extensions();
        if !extensions.is_empty() {
            let words: Vec<&str> = extensions.iter().map(String::as_str).collect();
            let folder = self.work.place.join("kit");
            let repository = self.work.place.join(REPOSITORY);
            let own = Some(repository.as_path());
            let said = kit::resolve(self.mvn, &words, (&folder, own), self.work.monitor)?;
            self.logs.push_str(&said.log);
        }
        self.more(dropped, &BTreeSet::new())
    }

    /// Downloads what the poms name, and more.
    pub fn more(
        &mut self,
        dropped: &BTreeSet<String>,
        more: &BTreeSet<String>,
    ) -> Result<Option<Said>, RunnerError> {
        for (reach, name) in [(Reach::Shared, "shared"), (Reach::Own, "own")] {
            let mut arguments = self.mvn.edits(dropped);
            arguments.extend(self.arguments());
            arguments.push(format!("-Dfocalist.fetch={name}"));
            if !more.is_empty() {
                let words: Vec<&str> = more.iter().map(String::as_str).collect();
                arguments.push(format!("-Dfocalist.more={}", words.join(",")));
            }
            arguments.push("validate".to_owned());
            let tree = Bind::read(self.work.place.join("tree"));
            let (answer, heard) = self.call((reach, tree), arguments)?;
            if answer.is_killed {
                return Ok(Some(answer));
            }
            if heard.is_fetched && heard.unresolved.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// Returns what is missing and was not asked for before; nothing where nothing more is to be downloaded.
    pub fn news(&mut self, missing: &BTreeSet<String>) -> BTreeSet<String> {
        if self.work.site.is_offline || self.n_rounds == N_ROUNDS_MAX {
            return BTreeSet::new();
        }
        let news = missing.iter().filter(|it| !self.asked.contains(*it));
        let news: BTreeSet<String> = news.take(N_MISSING_MAX).cloned().collect();
        self.n_rounds += usize::from(!news.is_empty());
        self.asked.extend(news.iter().cloned());
        news
    }

    /// Returns the extensions of Maven itself that the project names: they are loaded before ours is, and from its own
    /// repository.
    fn core_extensions(&self) -> Vec<String> {
        let text = self.tree.read_text(EXTENSIONS, SETTINGS_BYTES_MAX);
        // Most projects have none.
        coordinates(&text.unwrap_or_default())
    }

    /// Returns the properties and profiles that the project gives every call of Maven.
    fn arguments(&self) -> Vec<String> {
        let text = self.tree.read_text(ARGUMENTS, SETTINGS_BYTES_MAX);
        // Most projects have none.
        safe(&text.unwrap_or_default())
    }
}

fn coordinates(extensions: &str) -> Vec<String> {
    let Ok(document) = Document::parse(extensions) else {
        return Vec::new();
    };
    let mut elements = document.root_element().descendants();
    let text = |it: roxmltree::Node<'_, '_>, name: &str| {
        let mut children = it.children();
        let found = children.find(|it| it.tag_name().name() == name)?;
        Some(found.text()?.trim().to_owned())
    };
    let mut found = Vec::new();
    for it in elements
        .by_ref()
        .filter(|it| it.tag_name().name() == "extension")
    {
        let parts = ["groupId", "artifactId", "version"].map(|name| text(it, name));
        if let [Some(group), Some(artifact), Some(version)] = parts {
            found.push(format!("{group}:{artifact}:{version}"));
        }
    }
    found.retain(|it| is_coordinates(it));
    found
}

/// Returns those of a project's arguments that say no more than properties and profiles of its models, such as `revision`.
///
/// Maven makes properties of the system of them, which say where a log is written, through which proxy things come, and what
/// counts as a certificate. All of these have a dot in their names, or are proxies; those of models need none.
fn safe(arguments: &str) -> Vec<String> {
    let words = arguments.split_whitespace();
    let is_of_models = |property: &str| {
        let name = property.split('=').next().unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        !name.is_empty()
            && name.chars().all(is_plain)
            && !name.to_ascii_lowercase().contains("proxy")
    };
    let is_safe = |word: &&str| match word.strip_prefix("-D") {
        Some(property) => is_of_models(property),
        None => word.strip_prefix("-P").is_some_and(|it| !it.is_empty()),
    };
    words.filter(is_safe).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_projects_arguments_only_those_about_its_models_are_taken() {
        let text = "-Drevision=1.0 -Dhttps.proxyHost=evil -DsocksProxyHost=evil -Dmaven.ext.class.path=evil.jar\n-s settings.xml\n-Pfast -Djava.io.tmpdir=/x -B";
        assert_eq!(safe(text), ["-Drevision=1.0", "-Pfast"]);
    }

    #[test]
    fn extensions_of_maven_are_named_by_coordinates_alone() {
        let text = "<extensions xmlns=\"http://maven.apache.org/EXTENSIONS/1.0.0\"><extension><groupId>g</groupId>\
                    <artifactId>a</artifactId><version>1.2</version></extension><extension><groupId>g</groupId>\
                    <artifactId>b</artifactId><version>${v}</version></extension></extensions>";
        assert_eq!(coordinates(text), ["g:a:1.2"]);
        assert!(coordinates("no XML").is_empty());
    }
}
