//! The SPDX identifier of a repository's licence, from the text of its licence file.
//!
//! Decides by characteristic titles and clauses, not by comparing whole texts: people re-wrap, indent and append to
//! them. Where several licences are in one file (notices of bundled code follow the project's own), the first counts.
//! Source headers, not the licence's text, say whether "or any later version" applies, so the GNU licences are named
//! by version alone (`GPL-3.0`). Without a file or with an unrecognised text the licence is `None`, never a guess.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The longest licence in the table has 35 kB.
const SIZE_BYTES_MAX: u64 = 256 * 1024;

/// A phrase that only this licence has (or is titled with), in the form that [`normalize`] gives.
struct Phrase(&'static str, &'static str);

const PHRASES: &[Phrase] = &[
    Phrase("Apache-2.0", "apache license 2.0"),
    Phrase(
        "MIT",
        "permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files",
    ),
    // Refined by `bsd`: the clauses follow the phrase.
    Phrase(
        "BSD",
        "redistribution and use in source and binary forms with or without modification are permitted",
    ),
    Phrase(
        "ISC",
        "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted provided that",
    ),
    Phrase(
        "ISC",
        "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted provided that",
    ),
    Phrase(
        "0BSD",
        "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted the software",
    ),
    Phrase("MPL-2.0", "mozilla public license 2.0"),
    Phrase("MPL-1.1", "mozilla public license 1.1"),
    Phrase("EPL-1.0", "eclipse public license 1.0"),
    Phrase("EPL-2.0", "eclipse public license 2.0"),
    Phrase("LGPL-2.0", "gnu library general public license 2"),
    Phrase("LGPL-2.1", "gnu lesser general public license 2.1"),
    Phrase("LGPL-3.0", "gnu lesser general public license 3"),
    Phrase("AGPL-3.0", "gnu affero general public license 3"),
    Phrase("GPL-2.0", "gnu general public license 2"),
    Phrase("GPL-3.0", "gnu general public license 3"),
    Phrase(
        "Unlicense",
        "this is free and unencumbered software released into the public domain",
    ),
    Phrase("CC0-1.0", "cc0 1.0 universal"),
    Phrase(
        "CDDL-1.0",
        "common development and distribution license cddl 1.0",
    ),
    Phrase(
        "CDDL-1.1",
        "common development and distribution license cddl 1.1",
    ),
    Phrase("BSL-1.0", "boost software license 1.0"),
];

/// Recognises the licence in the folder's own licence file, best-named file first.
pub fn of_folder(root: &Path) -> Option<String> {
    // A folder that cannot be listed has no licence that we could read; the walk reports the folder itself.
    let mut names: Vec<(usize, String)> = fs::read_dir(root)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some((rank(&name)?, name)))
        .collect();
    names.sort_unstable();
    names
        .iter()
        .find_map(|(_, name)| of_text(&read(&root.join(name))?))
}

/// Ranks a file's name by how surely it holds the project's licence, surest smallest; `None` for other files.
fn rank(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let stem = [".txt", ".md", ".rst", ".html", ".adoc"]
        .iter()
        .find_map(|extension| name.strip_suffix(extension))
        .unwrap_or(&name);
    // The lesser licence is an addition to the one in COPYING, and is the one that applies.
    let exact = [
        "license",
        "licence",
        "unlicense",
        "copying.lesser",
        "copying",
    ];
    if let Some(rank) = exact.iter().position(|text| *text == stem) {
        return Some(rank);
    }
    let starts = ["license", "licence", "mit-license", "copying"];
    starts
        .iter()
        .position(|start| {
            let rest = stem.strip_prefix(start);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', '_']))
        })
        .map(|rank| exact.len() + rank)
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    // A licence file that cannot be read is as good as none.
    let file = File::open(path).ok().filter(|_| path.is_file())?;
    file.take(SIZE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

/// Recognises the SPDX identifier or expression of a licence text; a line `SPDX-License-Identifier: …` wins.
fn of_text(text: &str) -> Option<String> {
    if let Some(expression) = text.lines().find_map(tagged) {
        return Some(expression);
    }
    let text = normalize(text);
    let (at, id) = PHRASES
        .iter()
        .filter_map(|Phrase(id, phrase)| Some((text.find(phrase)?, *id)))
        .min_by_key(|(at, _)| *at)?;
    let id = if id == "BSD" { bsd(&text[at..]) } else { id };
    Some(id.to_owned())
}

fn tagged(line: &str) -> Option<String> {
    let (_, expression) = line.split_once("SPDX-License-Identifier:")?;
    let end = expression
        .find(|c: char| !(c.is_ascii_alphanumeric() || " .+-():".contains(c)))
        .unwrap_or(expression.len());
    let expression = expression[..end].trim_end_matches("--").trim();
    (!expression.is_empty()).then(|| expression.to_owned())
}

fn bsd(text: &str) -> &'static str {
    if text.contains("all advertising materials") {
        "BSD-4-Clause"
    } else if text.contains("endorse or promote products") {
        "BSD-3-Clause"
    } else {
        "BSD-2-Clause"
    }
}

/// Reduces a text to its words in lower case, one blank apart; `version` and `v` are dropped, as titles differ in them.
fn normalize(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    let words = text
        .split(|text: char| !(text.is_alphanumeric() || text == '.'))
        .map(|word| word.trim_matches('.').to_lowercase());
    for word in words {
        let word = match word.as_str() {
            "" | "version" | "v" => continue,
            "licence" => "license",
            word => word
                .strip_prefix('v')
                .filter(|rest| rest.starts_with(|rest: char| rest.is_ascii_digit()))
                .unwrap_or(word),
        };
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.push_str(word);
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(of_text(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn a_licence_is_known_by_its_title_however_it_is_wrapped() {
        check(
            "      Apache License\n  Version 2.0, January 2004\n",
            Some("Apache-2.0"),
        );
        check(
            "Licensed under the Apache Licence v2.0.",
            Some("Apache-2.0"),
        );
        check("Mozilla Public License Version 2.0\n==", Some("MPL-2.0"));
        check("Eclipse Public License - v 1.0", Some("EPL-1.0"));
        check("# Eclipse Public License - v 2.0", Some("EPL-2.0"));
        check(
            "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 2.1, February 1999",
            Some("LGPL-2.1"),
        );
        check(
            "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007",
            Some("LGPL-3.0"),
        );
        check(
            "GNU GENERAL PUBLIC LICENSE\n  Version 2, June 1991",
            Some("GPL-2.0"),
        );
        check(
            "GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007",
            Some("GPL-3.0"),
        );
        check(
            "GNU AFFERO GENERAL PUBLIC LICENSE\n  Version 3, 19 November 2007",
            Some("AGPL-3.0"),
        );
        check("CC0 1.0 Universal", Some("CC0-1.0"));
        check(
            "COMMON DEVELOPMENT AND DISTRIBUTION LICENSE (CDDL)\nVersion 1.0",
            Some("CDDL-1.0"),
        );
        check(
            "Boost Software License - Version 1.0 - August 17th, 2003",
            Some("BSL-1.0"),
        );
    }

    #[test]
    fn a_licence_without_a_title_is_known_by_its_grant() {
        check(
            "Permission is hereby granted, free of charge, to any person obtaining a copy\n * of this software and associated documentation files (the \"Software\"), to deal",
            Some("MIT"),
        );
        check(
            "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above",
            Some("ISC"),
        );
        check(
            "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.\n\nTHE SOFTWARE IS PROVIDED",
            Some("0BSD"),
        );
        check(
            "This is free and unencumbered software released into the public domain.",
            Some("Unlicense"),
        );
    }

    #[test]
    fn the_clauses_of_bsd_are_counted() {
        let grant = "Redistribution and use in source and binary forms, with or without modification, are permitted provided";
        check(grant, Some("BSD-2-Clause"));
        check(
            &format!("{grant} … may be used to endorse or promote products derived"),
            Some("BSD-3-Clause"),
        );
        check(
            &format!("{grant} 3. All advertising materials … endorse or promote products"),
            Some("BSD-4-Clause"),
        );
    }

    #[test]
    fn the_first_of_several_licences_is_the_projects_own() {
        check(
            "Eclipse Public License - v 2.0\n … Secondary License: GNU General Public License, version 2",
            Some("EPL-2.0"),
        );
        check(
            "Apache License, Version 2.0 … the bundled code: Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files",
            Some("Apache-2.0"),
        );
    }

    #[test]
    fn a_tag_wins_and_an_unknown_text_is_no_licence() {
        check(
            "<!-- SPDX-License-Identifier: Apache-2.0 OR MIT -->\nGNU General Public License, version 2",
            Some("Apache-2.0 OR MIT"),
        );
        check(
            "/* SPDX-License-Identifier: BSD-3-Clause */",
            Some("BSD-3-Clause"),
        );
        check("All rights reserved.", None);
        check("", None);
    }

    #[test]
    fn the_file_that_surely_holds_the_licence_comes_first() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("the folder is writable");
        };
        assert_eq!(of_folder(folder.path()), None);
        write("LICENSE-junit.txt", "Eclipse Public License 1.0");
        write("licenses.html", "Apache License 2.0");
        assert_eq!(of_folder(folder.path()).as_deref(), Some("EPL-1.0"));
        write("COPYING", "GNU General Public License Version 3");
        write(
            "COPYING.LESSER",
            "GNU Lesser General Public License Version 3",
        );
        assert_eq!(of_folder(folder.path()).as_deref(), Some("LGPL-3.0"));
        write("Licence.md", "Mozilla Public License 2.0");
        assert_eq!(of_folder(folder.path()).as_deref(), Some("MPL-2.0"));
    }
}
