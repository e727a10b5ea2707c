//! Reads in the messages of installers what they lack, as they report it in no other form.

use super::download::name_of;

/// Lists the packages without a wheel in an installer's output, with the requested versions.
pub fn without_wheel(said: &str) -> Vec<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let mut names: Vec<&str> = Vec::new();
    let after = |text: &'static str| {
        let found = said
            .match_indices(text)
            .map(move |found| found.0 + text.len());
        found.filter_map(move |at| said[at..].split_whitespace().next())
    };
    // The words of `uv`, then those of pip.
    names.extend(after("Wheels are required for "));
    names.extend(after("No matching distribution found for "));
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let name = name.trim_matches(['`', '\'', '"', ',']);
        let plain = name_of(name);
        if plain.is_empty() || found.iter().any(|known| name_of(known) == plain) {
            continue;
        }
        let is_it = |word: &&&str| name_of(word) == plain && word.len() > plain.len();
        let is_wanted = |word: &&&str| word[plain.len()..].starts_with(['=', '<', '>', '~', '!']);
        let wanted = words.iter().filter(is_it).find(is_wanted);
        let wanted = wanted.map_or(name, |word| word.trim_end_matches([',', '.']));
        found.push(wanted.to_owned());
    }
    found
}

/// Lists the tools that a build without network has asked for in vain.
pub fn missing_tools(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in said.lines() {
        if let Some((before, _)) = line.split_once(" was not found in the provided package") {
            let name = before.split_whitespace().next_back().unwrap_or_default();
            found.push(name.to_owned());
        }
        if let Some((_, after)) = line.split_once("No matching distribution found for ") {
            found.push(after.trim().to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_wheel_is_told_from_what_installers_say() {
        let uv = "error: No solution found when resolving dependencies\n  cause: Because antlr4-python3-runtime==4.9.3 has no usable wheels and you require antlr4-python3-runtime==4.9.3, we can conclude that\n\nhint: Wheels are required for `antlr4-python3-runtime` because building from source is disabled";
        assert_eq!(without_wheel(uv), ["antlr4-python3-runtime==4.9.3"]);
        let all = "Because all versions of docopt have no usable wheels\nhint: Wheels are required for `docopt` because";
        assert_eq!(without_wheel(all), ["docopt"]);
        let pip = "ERROR: Could not find a version that satisfies the requirement docopt==0.6.2 (from versions: none)\nERROR: No matching distribution found for docopt==0.6.2";
        assert_eq!(without_wheel(pip), ["docopt==0.6.2"]);
        assert!(without_wheel("error: it is full").is_empty());
    }

    #[test]
    fn what_a_build_lacks_is_told_from_what_it_says() {
        let uv = "  cause: Because ninja was not found in the provided package locations and you require ninja, we can conclude";
        assert_eq!(missing_tools(uv), ["ninja"]);
        let pip = "ERROR: No matching distribution found for ninja>=1.5";
        assert_eq!(missing_tools(pip), ["ninja>=1.5"]);
    }
}
