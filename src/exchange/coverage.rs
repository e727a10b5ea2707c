//! Lines of focal methods that tests cover, as LCOV (geninfo(1)) and as Cobertura's XML (coverage-04.dtd).

use std::collections::BTreeMap;

use super::xml::escape;

/// How many tests come to each line that holds code.
pub type CoveredLines = BTreeMap<u32, u32>;

/// The same by file.
pub type CoveredFiles = BTreeMap<String, CoveredLines>;

/// Counts how many of these lines are covered.
fn n_hit(lines: &CoveredLines) -> usize {
    lines.values().filter(|value| **value > 0).count()
}

/// Writes a tracefile; `test` names its records.
#[must_use]
pub fn lcov(test: &str, files: &CoveredFiles) -> String {
    // A name there is letters, digits and `_`.
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = test
        .chars()
        .map(|c| if is_word(c) { c } else { '_' })
        .collect();
    let mut text = String::new();
    for (path, lines) in files {
        // A path with a line break cannot be written.
        let path = path.replace(['\n', '\r'], "_");
        text.push_str(&format!("TN:{name}\nSF:{path}\n"));
        for (line, n) in lines {
            text.push_str(&format!("DA:{line},{n}\n"));
        }
        text.push_str(&format!(
            "LF:{}\nLH:{}\nend_of_record\n",
            lines.len(),
            n_hit(lines)
        ));
    }
    text
}

/// Writes a report; `at` is when the tests were run, in seconds.
#[must_use]
pub fn cobertura(version: &str, at: i64, files: &CoveredFiles) -> String {
    let n_lines: usize = files.values().map(BTreeMap::len).sum();
    let n_covered: usize = files.values().map(n_hit).sum();
    let rate = |n: usize, of: usize| format!("{:.4}", n as f64 / of.max(1) as f64);
    let mut packages: BTreeMap<&str, Vec<(&str, &CoveredLines)>> = BTreeMap::new();
    for (path, lines) in files {
        let folder = path.rsplit_once('/').map_or("", |pair| pair.0);
        packages.entry(folder).or_default().push((path, lines));
    }
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <coverage line-rate=\"{}\" branch-rate=\"0\" lines-covered=\"{n_covered}\" lines-valid=\"{n_lines}\" \
         branches-covered=\"0\" branches-valid=\"0\" complexity=\"0\" version=\"{}\" timestamp=\"{at}\">\n\
         <sources><source>.</source></sources>\n<packages>\n",
        rate(n_covered, n_lines),
        escape(version)
    );
    for (folder, classes) in packages {
        let all: usize = classes.iter().map(|class| class.1.len()).sum();
        let hit: usize = classes.iter().map(|class| n_hit(class.1)).sum();
        let name = escape(&folder.replace('/', "."));
        xml.push_str(&format!("<package name=\"{name}\" line-rate=\"{}\" branch-rate=\"0\" complexity=\"0\"><classes>\n",
            rate(hit, all)
        ));
        for (path, lines) in classes {
            let file = path.rsplit('/').next().unwrap_or(path);
            xml.push_str(&format!("<class name=\"{}\" filename=\"{}\" line-rate=\"{}\" branch-rate=\"0\" complexity=\"0\"><methods/><lines>\n",
                escape(file),
                escape(path),
                rate(n_hit(lines), lines.len())
            ));
            for (line, n) in lines {
                xml.push_str(&format!(
                    "<line number=\"{line}\" hits=\"{n}\" branch=\"false\"/>\n"
                ));
            }
            xml.push_str("</lines></class>\n");
        }
        xml.push_str("</classes></package>\n");
    }
    xml.push_str("</packages>\n</coverage>\n");
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> CoveredFiles {
        let lines = BTreeMap::from([(2, 1), (3, 0), (5, 4)]);
        BTreeMap::from([("src/p/a&b.py".to_owned(), lines)])
    }

    #[test]
    fn a_tracefile_counts_lines_and_those_that_are_covered() {
        let expected =
            "TN:my_run\nSF:src/p/a&b.py\nDA:2,1\nDA:3,0\nDA:5,4\nLF:3\nLH:2\nend_of_record\n";
        assert_eq!(lcov("my-run", &files()), expected);
        assert_eq!(lcov("my-run", &CoveredFiles::new()), "");
    }

    #[test]
    fn a_report_has_a_package_for_each_folder_and_escapes_names() {
        let xml = cobertura("1.0", 12, &files());
        for part in [
            "line-rate=\"0.6667\" branch-rate=\"0\" lines-covered=\"2\" lines-valid=\"3\"",
            "<package name=\"src.p\"",
            "<class name=\"a&amp;b.py\" filename=\"src/p/a&amp;b.py\"",
            "<line number=\"5\" hits=\"4\" branch=\"false\"/>",
        ] {
            assert!(xml.contains(part), "{part}: {xml}");
        }
    }
}
