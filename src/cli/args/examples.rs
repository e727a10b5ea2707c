//! Commands to begin with, for every command that people call: help and manual end with them.
//!
//! Each can be pasted into a shell as it stands, and is short enough for a line of help.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Behind `#` the words of a command, none for the program itself; then lines to begin with, and what each does.
const EXAMPLES: &str = "
#
focalist demo
    look around in sample data
focalist mine path/to/repository
    mine a repository into a workspace here
focalist
    open the terminal UI on it
focalist export --split test --output test.jsonl
    write the test split
# demo
focalist demo
    look around in sample data
focalist demo --no-tui --workspace demo
    only build it, in a folder to come back to
# mine
focalist mine --each repositories --background
    mine every folder in it, and return at once
focalist mine repository --classpath libs
    with the jars that it is compiled with
# plan
focalist plan --list repos.jsonl --shards 40 --output shards
    forty lists of about the same size
focalist plan --run tuned --shards 8 --output pieces
    the predictions of a run, each shard with a piece of the index
# merge
focalist merge shards/shard-0001 shards/shard-0002 --workspace all
    two mined shards as one workspace
focalist merge pieces/shard-0001 --run tuned
    bring scores and outcomes of a run back
# cluster
focalist cluster slurm --shards shards
    a script that mines the shards and merges them
focalist cluster parallel --shards pieces --verb execute
    one that runs the predictions of a run
# calls
focalist calls path/to/project
    every call in every test
focalist calls path/to/project --language go --jobs 2
    in one language, with two threads
# explain
focalist explain repository CounterTest#testInc
    why this focal method
focalist explain repository CounterTest#testInc --call 17
    how the calls on line 17 resolved
# samples
focalist samples repo:gson status:tie sort:-weight
    ties of one repository, the highest weight first
focalist samples @hard --json --limit 0
    every sample that a saved filter selects
# show
focalist show 3f9a1c
    one sample; the first digits of its key are enough
focalist show 3f9a1c --matcher contest --json
    another matcher's decision, as JSON
# methods
focalist methods 3f9a1c
    all methods of the sample's repository
focalist methods 3f9a1c gson tojson --limit 5
    the five that are most like the words that you remember
# stats
focalist stats
    the funnel, from files to samples
focalist stats repo:gson --resolution
    how the calls in tests of one repository were resolved
focalist stats --encoding --max-length 512
    how long sequences of tokens are
# repos
focalist repos
    the repositories of the index
focalist repos --json
    the same as JSON lines
# rm
focalist rm gson
    take a repository out of the index
focalist rm --run tuned
    a run with its predictions and scores
# manifest
focalist manifest --output manifest.json
    the sources of the index, to be cited
# problems
focalist problems
    files that could not be used, and why
focalist problems --json
    the same as JSON lines
# export
focalist export --verified --output gold.jsonl
    samples that people confirmed
focalist export --format tests --all
    every test with its candidates
focalist export --filter 'split:test weight>=0.9' -o sure.jsonl
    samples of a filter
# validate
focalist validate dataset/
    every file of a dataset that is to be published
focalist validate train.jsonl --json
    one file, for a program
# encode
focalist encode split:train --output train.jsonl
    training data for a model that works on syntax
focalist encode repo:gson --part target --tokens
    only the expected output, as tokens of the lexer
# decode
focalist decode predictions.jsonl
    the code that sequences stand for
focalist decode --subwords predictions.jsonl
    where values are in pieces of a vocabulary
# prompts
focalist prompts --kind assertion split:test -o prompts.jsonl
    ask for the assertion part, given everything before it
focalist prompts --kind test --budget 16k split:test
    ask for whole tests, in 16,000 tokens each
focalist prompts --show-template test
    the built-in template, to be changed
# generate
focalist generate --run qwen --model qwen --prompts prompts.jsonl
    ask a model of your settings
focalist generate --run qwen --model qwen --kind test --dry-run
    send nothing: how many requests and tokens there would be
# train
focalist train --train t.jsonl --validation v.jsonl --vocabulary w.json -o m
    t.jsonl and v.jsonl come from `encode`; w.json is a vocabulary
# experiment
focalist experiment check tests.toml
    problems of the file
focalist experiment run tests.toml --background
    do the missing steps: ask, score, run
# experiment run
focalist experiment run tests.toml
    do the missing steps: ask, score, run
focalist experiment run tests.toml --background
    the same as a job
# experiment show
focalist experiment show tests.toml
    the models side by side, with 95 % intervals
# experiment models
focalist experiment models tests.toml --format latex
    the models with parameters, vocabulary and longest output
# experiment check
focalist experiment check tests.toml
    problems of the file, and the names of its runs
# score
focalist score pairs.jsonl
    a line of scores for each pair, the corpus last
focalist score --references r.txt --predictions p.txt --summary
    two files of lines
# import
focalist import answers.jsonl --run tuned --model Tuned
    answers that name their samples
focalist import answers.txt --run tuned --aligned-with split:test
    one answer a line, in the order of `export`
focalist import evaluated.eval --run inspected --id metadata.key
    a log of another harness, whose samples say which of ours they are
# eval
focalist eval
    score runs that are not scored yet
focalist eval tuned --metrics default,crystalbleu
    one run, with an additional metric
# runs
focalist runs --profile contest --format latex
    a table for a paper, in the shape of ConTest's
focalist runs grid --by setting
    each temperature, and the best of several answers
focalist runs tuned --samples --format csv
    every value of a run
# results
focalist results tuned 'bleu<0.2' sort:bleu
    the worst answers
focalist results tuned --group tag
    how they differ, in groups
focalist results tuned --show 3f9a1c
    one answer beside the true text, with all its scores
# report
focalist report --output report.html base tuned
    a page with all numbers and every prediction
focalist report --output report base tuned split:test
    a folder, for many predictions
focalist report --output board.html --leaderboard
    all runs by rank, and as CSV and JSON
# compare
focalist compare base tuned
    with intervals and p-values
focalist compare base tuned --by repo --slices
    where they differ most
focalist compare base tuned --worst 20 --export lost.jsonl
    where the second one lost
# tags
focalist tags base tuned
    how their answers differ from the references, counted
focalist tags --agreement
    how far people's tags agree with the machine's
focalist tags --definitions
    when each tag applies
# index
focalist index
    both, in the foreground
focalist index --text --background
    only the texts, as a job
# tag
focalist tag tuned 3f9a1c wrong_literal
    this tag in place of the machine's
focalist tag tuned 3f9a1c -wrong_literal +wrong_type
    the machine's tags, with one less and one more
focalist tag tuned 3f9a1c equal --note 'another order'
    both check the same: the metric is wrong
# help
focalist help --all
    every command with a line each
focalist help jobs resume
    the help of one
# paper
focalist paper clover tasks click
    the three tasks of CLOVER, of one project
focalist paper cctest mutate src --strict
    the variants of `CCTest`
# paper cctest
focalist paper cctest mutate src --strict
    variants of every function in a folder
focalist paper cctest consistency --run small --run large --format latex
    two models beside each other
# paper cctest mutate
focalist paper cctest mutate src --strict
    results, exceptions and effects stay the same
# paper cctest consistency
focalist paper cctest consistency --run small --run large --format latex
    two models beside each other
# paper clover
focalist paper clover extract click
    cut every test function of a prepared project out of its file
focalist paper clover classes click --blocks --json
    which files each test needs, and the blocks that only it covers
# paper clover extract
focalist paper clover extract click
    cut every test function of a prepared project out of its file
focalist paper clover extract click --show tests/test_x.py::test_one
    the file of one problem
# paper clover cov
focalist paper clover cov click --extracted --json
    the lines that each problem covers
focalist paper clover cov click --cases cases.jsonl
    the lines that your own test files cover
# paper clover classes
focalist paper clover classes click --tests tests/test_basic.py
    which files the tests of a file need
focalist paper clover classes click --blocks --json
    and the blocks that only one of them covers
# paper clover tasks
focalist paper clover tasks click
    questions, as the seed draws them
focalist paper clover tasks click --task cloze --seed 7 --json
    blanks in assertions, drawn with another seed
# paper clover tokens
focalist paper clover tokens
    how long prompts are, by task and budget
focalist paper clover tokens click --tokenizer tokenizer.json --format latex
    of one project, counted exactly
# paper clover eval
focalist paper clover eval --answers answers.jsonl
    how many answers are right
focalist paper clover eval --answers answers.jsonl --each
    the outcome of each
focalist paper clover eval --run qwen --table gap
    exact and right answers by length
# leakage
focalist leakage --split project --threshold 0.7
    near duplicates across the split by projects
focalist leakage --nearest 3f9a1c --n 10
    the training samples that are most like one
# benchmark
focalist benchmark filter --list repos.jsonl --as-of 2024-05-31
    which repositories of a list are fit
focalist benchmark split --seed 7
    a split for each repository of the index
# benchmark filter
focalist benchmark filter --list repos.jsonl --as-of 2024-05-31
    which repositories of a list are fit
focalist benchmark filter --list r.jsonl --as-of 2024-05-31 --leak seen
    without those that a model has seen
# benchmark split
focalist benchmark split --seed 7
    a split for each repository of the index
focalist benchmark split --list chosen.jsonl --json
    only for those that `benchmark filter --json` chose
# benchmark stats
focalist benchmark stats --format latex
    a table for a paper
focalist benchmark stats language:java 'weight>=0.9'
    of the samples that a filter selects
# mutate
focalist mutate src --strict
    equivalent variants of the functions of a folder
focalist mutate --filter 'split:test repo:gson'
    the focal methods of these samples
# consistency
focalist consistency seeds.jsonl --from answers.jsonl --run small
    judge how a model completed the functions of `mutate`
focalist consistency --run small --run large --format latex
    two models in a table for a paper
# plot
focalist plot funnel
    from tests to samples, here
focalist plot histogram base tuned --metric bleu -o bleu.svg
    how values are distributed
# prepare
focalist prepare gson
    build a repository of the index
focalist prepare path/to/gson --java /opt/jdk-21
    build a folder, with this JDK if it is new enough
# execute
focalist execute tuned
    run the predictions of a run
focalist execute --truth --repo gson
    the mapped tests of a repository themselves
focalist execute --project click --cases cases.jsonl
    test files in a prepared Python project
# faults
focalist faults 3f9a1c
    the faults in the focal method, and which tests notice each
focalist faults 3f9a1c --run tuned --survivors
    those that the tests of one run do not notice
focalist faults 3f9a1c --scope covered
    every method that the tests enter, and how many faults of it each notices
# jobs
focalist jobs
    current and past jobs
focalist jobs watch 3
    follow one until it ends
# jobs watch
focalist jobs watch
    follow the latest job
focalist jobs watch 3
    follow this one, and end with its code
# jobs log
focalist jobs log 3
    the log of a job
focalist jobs log 3 --follow
    and follow it until the job ends
# jobs cancel
focalist jobs cancel 3
    stop a job; everything it stored is kept
# jobs resume
focalist jobs resume 3
    continue where a job stopped, in the background
focalist jobs resume 3 --yes
    also one that came with somebody else's folder, once you have read it
# jobs clear
focalist jobs clear --days 0
    forget all jobs that have ended
# review
focalist review --queue uncertain --as ada
    judge the matches that the machine is least sure of
focalist review --queue 'random:7 repo:gson' --blind
    a random order, with the machine's decision hidden
# verdict
focalist verdict 3f9a1c accept
    the machine's decision is right
focalist verdict 3f9a1c pick Gson.toJson --note 'by its name'
    it is this method, and why
focalist verdict 3f9a1c no-focal --adjudicate 'checks the set-up'
    settle a disagreement of annotators
# verdicts
focalist verdicts repo:gson --gold
    the settled verdicts of one repository
focalist verdicts export --output ada.jsonl
    verdicts from here, to be merged elsewhere
# verdicts export
focalist verdicts export --output ada.jsonl
    verdicts from here, to be merged elsewhere
# verdicts merge
focalist verdicts merge ada.jsonl
    add verdicts from elsewhere
# verdicts history
focalist verdicts history --as ada --limit 10
    an annotator's latest actions
focalist verdicts history 3f9a1c
    the history of a sample
# verdicts progress
focalist verdicts progress
    how many samples each annotator has judged
# verdicts calibration
focalist verdicts calibration
    whether weights are the shares that people find right
# undo
focalist undo
    undo your last action
focalist undo --as ada
    somebody else's
# redo
focalist redo
    redo the last undone action
# audit
focalist audit --n 100 --seed 7 --stratify stage
    draw a hundred tests to be judged
focalist audit --n 100 --seed 7 --stratify stage --report
    precision and coverage, once they are judged
focalist audit --n 59 --seed 7 --accept-rest 'weight>0.9'
    once such a draw is judged: accept the others of the filter
# agreement
focalist agreement
    how far all who judged agree
focalist agreement --between ada,bob --conflicts
    where two of them differ, with the verdicts of both
# view
focalist view samples repo:gson status:tie
    the ties of one repository
focalist view compare base tuned sort:-delta
    two runs side by side, the greatest gain first
# pick
focalist pick samples status:tie
    choose a tie; its key is printed
# filters
focalist filters
    all saved filters
focalist filters save hard status:ok 'weight<0.6'
    `@hard` stands for it from now on
# filters save
focalist filters save hard status:ok 'weight<0.6'
    `@hard` stands for it from now on
focalist filters save harder @hard -repo:gson
    a filter may name another one
# filters rm
focalist filters rm hard
    `@hard` no longer exists
# config
focalist config
    every setting, its value, and where that comes from
focalist config init
    a first file, with everything that can be set
# config check
focalist config check
    problems, with file and line
# config themes
focalist config themes
    every theme, yours among them, and where it comes from
# config path
focalist config path
    where the two files are
# config init
focalist config init
    a first file, with everything that can be set
focalist config init --local
    one for all who use this workspace
# trust
focalist trust
    see what the settings of this workspace ask for, and allow it
focalist trust tests.toml --yes
    an experiment, without being asked
# keys
focalist keys
    the keys of the terminal UI, as you set them
focalist keys --markdown
    a table to print
# doctor
focalist doctor
    problems here, and what to do about them
focalist doctor --json
    the same for programs
# completions
focalist completions bash
    a script for bash's folder of completions
# man
focalist man --output ~/.local/share/man/man1
    all pages, where `man` finds them
";

/// Lists the examples of a command, whose words are separated by blanks, with explanations; the program's own for no
/// words.
pub fn examples(path: &str) -> &'static [Example] {
    static BY_PATH: LazyLock<BTreeMap<&str, Vec<Example>>> = LazyLock::new(|| all().collect());
    BY_PATH.get(path).map_or(&[], Vec::as_slice)
}

/// A command line to type, and a sentence about its effect.
type Example = (&'static str, &'static str);

/// Returns every command with its examples.
fn all() -> impl Iterator<Item = (&'static str, Vec<Example>)> {
    EXAMPLES.split("\n#").skip(1).map(|part| {
        let mut lines = part.lines().map(str::trim);
        let path = lines.next().unwrap_or_default();
        let mut examples = Vec::new();
        while let (Some(example), Some(about)) = (lines.next(), lines.next()) {
            examples.push((example, about));
        }
        (path, examples)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    use clap::Command;
    use clap::error::ErrorKind;

    use super::*;
    use crate::args;

    /// The columns of a terminal that breaks no example of help, which has two blanks before each.
    const WIDTH_MAX: usize = 80;

    /// The characters that a shell does not take for themselves outside quotes.
    const SPECIAL: &str = "<>|&;()$`\\\"*?[]{}!";

    /// Splits a line into words as a shell does, or returns the first character that the shell would not take for
    /// itself.
    fn words(line: &str) -> Result<Vec<String>, char> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for char in line.chars() {
            let word = words.last_mut().expect("there is one from the beginning");
            match char {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                // A comment begins only with a word.
                '#' if !is_quoted && word.is_empty() => return Err(char),
                char if !is_quoted && SPECIAL.contains(char) => return Err(char),
                char => word.push(char),
            }
        }
        if is_quoted { Err('\'') } else { Ok(words) }
    }

    fn each(check: impl Fn(&str, &str)) {
        for (path, examples) in all() {
            for (example, _) in examples {
                check(path, example);
            }
        }
    }

    /// Collects the words of every command that people call, but for `help`.
    fn push_paths(command: &Command, above: &str, paths: &mut BTreeSet<String>) {
        paths.insert(above.to_owned());
        for below in command
            .get_subcommands()
            .filter(|get_subcommand| !get_subcommand.is_hide_set())
        {
            let path = format!("{above} {}", below.get_name());
            push_paths(below, path.trim_start(), paths);
        }
    }

    #[test]
    fn every_example_can_be_pasted_into_a_shell() {
        each(|_, example| {
            if let Err(char) = words(example) {
                panic!("{example}: a shell reads `{char}` otherwise");
            }
            assert!(2 + example.len() <= WIDTH_MAX, "{example} is too long");
        });
        for line in [
            "focalist results tuned bleu<0.2",
            "focalist samples text:(x)",
            "focalist samples 'a",
            "focalist merge shards/*",
            "focalist demo # here",
        ] {
            assert!(words(line).is_err(), "{line}");
        }
        let line = "focalist results tuned 'a<b c' x#y";
        let expected = ["focalist", "results", "tuned", "a<b c", "x#y"];
        assert_eq!(words(line).expect("it is fine"), expected);
    }

    #[test]
    fn every_example_is_taken() {
        each(|path, example| {
            let words = words(example).expect("it can be pasted");
            let named: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            assert_eq!(words[0], "focalist");
            let expected: Vec<&str> = path.split_whitespace().collect();
            assert!(named.starts_with(&expected), "{example} is none of {path}");
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            match args::parse(&words) {
                Err(error) if error.kind() != ErrorKind::DisplayHelp => {
                    panic!("{example}: {error}");
                }
                _ => {}
            }
        });
    }

    #[test]
    fn every_command_has_one_to_three_examples() {
        let mut paths = BTreeSet::new();
        push_paths(&args::command(), "", &mut paths);
        let known: BTreeSet<String> = all().map(|entry| entry.0.to_owned()).collect();
        assert_eq!(known, paths);
        assert_eq!(all().count(), known.len(), "a command is there twice");
        for path in paths.iter().filter(|path| !path.is_empty()) {
            assert!((1..=3).contains(&examples(path).len()), "{path}");
        }
    }
}
