//! Reads the version of Java that the pom at the root of a project asks for.
//!
//! Only this one file is read: only Maven knows the settings of a parent elsewhere.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use crate::java::tools::feature;

/// Properties with the version: first those that the compiler's plugin reads, then common names in projects.
const NAMES: [&str; 11] = [
    "maven.compiler.release",
    "maven.compiler.target",
    "maven.compiler.source",
    "java.version",
    "javaVersion",
    "java-version",
    "jdk.version",
    "java.release",
    "java.level",
    "java.source.version",
    "version.java",
];
/// How many properties may refer to each other in a chain.
const DEPTH_MAX: usize = 8;

/// Reads the version of Java that a pom asks for; nothing where it does not say so, or is not XML.
pub fn java_version(pom: &str) -> Option<u32> {
    let document = Document::parse(pom).ok()?;
    let project = document.root_element();
    let properties = properties(project);
    let value = |text: &str| feature(&interpolate(text, &properties, 0)?);
    let build = child(project, "build");
    let managed = build.and_then(|node| child(node, "pluginManagement"));
    let configured = [build, managed].into_iter().flatten().find_map(|node| {
        let configuration = child(compiler(node)?, "configuration")?;
        let mut levels = ["release", "target", "source"].into_iter();
        levels.find_map(|level| value(text(child(configuration, level)?)))
    });
    configured.or_else(|| NAMES.iter().find_map(|text| value(properties.get(text)?)))
}

fn properties<'d>(project: Node<'d, '_>) -> BTreeMap<&'d str, &'d str> {
    let Some(properties) = child(project, "properties") else {
        return BTreeMap::new();
    };
    let elements = properties.children().filter(Node::is_element);
    elements
        .map(|element| (element.tag_name().name(), text(element)))
        .collect()
}

fn compiler<'d, 'i>(build: Node<'d, 'i>) -> Option<Node<'d, 'i>> {
    let is_compiler = |node: &Node<'_, '_>| {
        child(*node, "artifactId").is_some_and(|node| text(node) == "maven-compiler-plugin")
    };
    child(build, "plugins")?.children().find(is_compiler)
}

fn child<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Option<Node<'d, 'i>> {
    node.children()
        .find(|child| child.tag_name().name() == name)
}

fn text<'d>(node: Node<'d, '_>) -> &'d str {
    node.text().unwrap_or_default().trim()
}

/// Replaces each `${name}` by its property; nothing where one is not known.
fn interpolate(text: &str, properties: &BTreeMap<&str, &str>, depth: usize) -> Option<String> {
    let Some((before, rest)) = text.split_once("${") else {
        return Some(text.to_owned());
    };
    let (name, after) = rest.split_once('}')?;
    if depth == DEPTH_MAX {
        return None;
    }
    let value = interpolate(properties.get(name)?, properties, depth + 1)?;
    interpolate(&format!("{before}{value}{after}"), properties, depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inner: &str, expected: Option<u32>) {
        let pom = format!("<project xmlns=\"http://maven.apache.org/POM/4.0.0\">{inner}</project>");
        assert_eq!(java_version(&pom), expected, "{inner}");
    }

    fn plugin(configuration: &str) -> String {
        format!(
            "<plugins><plugin><artifactId>other</artifactId><configuration><release>3</release></configuration></plugin>\
             <plugin><artifactId>maven-compiler-plugin</artifactId><configuration>{configuration}</configuration></plugin>\
             </plugins>"
        )
    }

    #[test]
    fn properties_say_it() {
        let check = |properties: &str, expected| {
            check(&format!("<properties>{properties}</properties>"), expected);
        };
        check(
            "<maven.compiler.source>1.5</maven.compiler.source>",
            Some(5),
        );
        check(
            "<java.version>21</java.version><maven.compiler.release>17</maven.compiler.release>",
            Some(17),
        );
        check(
            "<maven.compiler.target>${jdk}</maven.compiler.target><jdk>1.${n}</jdk><n>8</n>",
            Some(8),
        );
        check("<x>1</x>", None);
    }

    #[test]
    fn what_the_compiler_is_told_wins() {
        let properties = "<properties><v>11</v><java.version>8</java.version></properties>";
        let build = plugin("<source>${v}</source>");
        check(&format!("{properties}<build>{build}</build>"), Some(11));
        let managed = format!("<build><pluginManagement>{build}</pluginManagement></build>");
        check(&format!("{properties}{managed}"), Some(11));
        let unknown = plugin("<source>${elsewhere}</source>");
        check(&format!("{properties}<build>{unknown}</build>"), Some(8));
    }

    #[test]
    fn a_pom_that_says_nothing_asks_for_nothing() {
        check("", None);
        check(
            "<properties><java.version>${java.version}</java.version></properties>",
            None,
        );
        assert_eq!(java_version("this is no XML"), None);
        assert_eq!(java_version(""), None);
    }
}
