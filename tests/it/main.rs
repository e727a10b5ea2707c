//! The only integration test binary, with one module per subject.

mod agreement; // agreement statistics against values of the reference packages
mod benchmark; // repositories that make a benchmark: filters, splits, numbers
mod broken_input; // files, folders and indexes that are not as they should be
mod build_network; // builds that have the network see no password of the user
mod class_path; // `--classpath`: libraries of which only jars are known
mod clover; // questions out of Python tests, prompts about them, answers that are run
mod clover_tables; // gaps, gibberish and forms of answers against pandas
mod codebleu; // CodeBLEU against the reference implementations
mod commands; // the command line's contract: streams, exit codes, JSON
mod comparing; // two runs: the command and the screen say the same, in the same order
mod config; // settings: what holds, what is wrong, who takes them
mod confirmed; // the second look at what passes, in both languages
mod consistency; // completions of functions in other words: prompts, outliers, reports
mod datasets; // published datasets without sources, in and out again
mod docs; // what the docs name exists, and what they take from tables is current
mod encoding; // trees as sequences: the law, the table, the commands
mod execute_batches; // a Java candidate is the same alone, in any company and in any order
mod execute_command; // `execute` from mining to tables, in a project of ours
mod execute_java;
mod execute_java_forged; // predictions run for real in a project of ours, hostile ones too
mod failures; // the failure taxonomy against hand-labelled differences
mod fault_numbers; // what lists, filters and files say of faults is what the pairs say
mod faults_covered; // tests against faults in every method that they enter
mod faults_repeated; // kills that are chance, and three runs of each
mod generate; // models that are asked, and killed programs
mod git; // repositories read without git, against git
mod home; // the shell, the manual, the doctor, saved filters, and the first time without a workspace
mod hostile; // sources that nobody writes harm nothing beside them
mod java_attacks; // projects and predictions that reach for what is not theirs
mod java_brittle; // tests that object to code that keeps the contract, in byte code
mod java_downloads; // what Java projects download: from whom, with whose passwords, by which names
mod java_faults; // what is wrong with one Java project is its own outcome, and the others run
mod java_fragments; // tokens and verdicts of pieces of Java, and answers cut to code, against the packages
mod java_hosts; // what a Java candidate runs in: the class that takes it over, a machine, a call of Maven
mod java_mutants; // which mutants Java methods have, and what becomes of tests on them
mod java_overrides; // a Java method without code, by what its tests entered in its place
mod java_several; // several tests of one Java method, and several methods that one test may be about
mod jobs; // pipelines as processes: background, queue, cancel, kill, resume
mod junk; // answers that say nothing, for real, and true parts of five languages
mod labels; // the matchers against hand-judged tests, and the fit
mod leakage; // near duplicates across splits
mod logs; // what other harnesses leave, from their files to runs that can be compared
mod matching; // the matching rules, as Markdown
mod maven; // candidates run by surefire, each end that a test can come to
mod mera; // records of MERA's UnitTests: exported, imported, answered, scored
mod messages; // whatever names hold, stderr gets no control characters
mod metrics; // the text metrics against values of the reference packages
mod mixed; // one run of samples in several languages, from import to tables
mod numbers; // ceilings, settings as a factor, the best of several answers, cost: against plain Python
mod one_method; // several tests of one method: one prompt, one set of attempts, all tests as references
mod packages; // wheel, Debian package and workflow agree with the program
mod paired; // intervals and p-values of two systems against scipy
mod papers; // the page of the papers' tables: each of its commands runs on the demo, for real
mod parses; // no text is parsed twice, in mining and in scoring
mod people; // who judges, and what others see of what was said
mod plain; // `review` line by line: sessions through a pipe
mod plot; // charts, from the command line to the file
mod prepare; // Java projects, built by a real Maven
mod prompts; // what models are asked: parts, budgets, templates
mod pty; // the terminal UI in a real terminal
mod pty_jobs; // jobs in a real terminal: started, left alone, killed, gone on with
mod pty_review; // judging samples in a real terminal: what is on the disk when
mod pty_view; // where it opens, what is picked in it, programs of the user, and the log of what was done
mod published; // a dataset's folder, read by the tools of the formats in it
mod python; // Python projects prepared, and test files run in them, for real
mod python_ast; // what parses, as a real Python says, whatever it is asked about
mod python_brittle; // tests that object to code that keeps the contract, found with what they object to
mod python_escapes; // builds of Python projects that try to get out, and to leave something for others
mod python_faults; // faults in a Python project, and what its tests make of them
mod python_forged; // what Python test files try so that others pass
mod python_killed; // whatever is killed while Python test files run, the rows become the same
mod python_neighbours; // what Python test files leave, and what they say that nobody understands
mod python_packages; // what Python projects are prepared with: packages of a day, options with values
mod python_plugged; // a Python project that pytest itself loads: its lines, and who called them
mod python_runs; // predictions of Python tests, from mining to lists of outcomes
mod python_several; // several tests of one function, and several methods that one test may be about
mod report; // reports and leaderboards as pages, and what a real browser makes of them
mod repositories; // what is told of each repository, and of the best of several attempts, against pandas
mod results; // the predictions of a run, one by one
mod review; // verdicts from the command line to the disk, killed annotators, stale verdicts
mod sample_data; // the sample data shows what its README says
mod scale; // shards planned, mined, killed and merged; engines; Parquet
mod scoring;
mod scoring_commands; // predictions from end to end: texts in, numbers out, runs against each other
mod screenshots; // the pictures, drawn from the sample data
mod stability; // tests that mean something else tomorrow, found with their reasons in both languages
mod support; // runs the program in this process or as a child; makes small repositories
mod tidy; // the arrows of the house, owners of foreign libraries, sizes and headers of files
mod train; // a training as a job: found, followed, stopped with a checkpoint
mod training_pairs; // what a model is asked and the right answer, as trainers read them
mod trust;
mod validate; // what is exported is valid, what was damaged is found, and the Hub reads what is written for it // what comes with a clone: settings, experiments, links, programs that a repository names
