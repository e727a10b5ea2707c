//! Classes and their tests as text: they look as if they compiled, but are never run.

use super::index::{Quantiles, draw};
use super::random::Random;

/// Lines of tests and of methods, and how many other methods a test calls, as measured in real projects.
const TEST_LINES: Quantiles = &[(0, 4), (50, 9), (90, 24), (95, 33), (100, 90)];
const METHOD_LINES: Quantiles = &[(0, 3), (50, 4), (90, 15), (100, 60)];
const N_CALLED: Quantiles = &[(0, 0), (30, 1), (50, 2), (90, 6), (100, 11)];

const VERBS: &[&str] = &[
    "apply",
    "resolve",
    "parse",
    "merge",
    "encode",
    "decode",
    "validate",
    "compute",
    "render",
    "collect",
    "split",
    "join",
    "append",
    "remove",
    "insert",
    "rotate",
    "compact",
    "schedule",
    "dispatch",
    "publish",
    "restore",
    "normalize",
    "compare",
    "format",
    "translate",
    "register",
    "release",
    "acquire",
    "drain",
    "flush",
    "truncate",
    "expand",
    "collapse",
    "align",
    "convert",
];
const NOUNS: &[&str] = &[
    "Order", "Invoice", "Account", "Buffer", "Token", "Header", "Record", "Segment", "Region",
    "Window", "Channel", "Session", "Packet", "Message", "Ledger", "Catalog", "Shelf", "Route",
    "Vector", "Matrix", "Cursor", "Range", "Interval", "Budget", "Discount", "Quota", "Sensor",
    "Signal", "Palette", "Layout", "Column", "Chunk", "Digest", "Journal", "Snapshot", "Tariff",
];
const SUFFIXES: &[&str] = &[
    "Builder",
    "Parser",
    "Registry",
    "Calculator",
    "Resolver",
    "Mapper",
    "Store",
    "Policy",
    "Planner",
    "Formatter",
    "Reader",
    "Writer",
    "Cache",
    "Index",
    "Queue",
    "Filter",
];
const ENDINGS: &[&str] = &[
    "",
    "",
    "",
    "WithoutArguments",
    "TwiceInARow",
    "AtTheEnd",
    "RejectsWhatIsEmpty",
    "KeepsTheOrder",
    "WhenNothingIsLeft",
    "WithUnicode",
];
const VAGUE: &[&str] = &[
    "works",
    "regression",
    "edgeCases",
    "smoke",
    "bug",
    "scenario",
    "simple",
];
const WORDS: &[&str] = &[
    "late",
    "early",
    "open",
    "closed",
    "left",
    "right",
    "first",
    "last",
    "empty",
    "full",
    "north",
    "south",
    "primary",
    "secondary",
    "stale",
    "fresh",
];
/// Types, each with a name for a parameter of the type.
const PARAMETERS: &[(&str, &str)] = &[("int", "amount"), ("String", "label"), ("long", "limit")];
const RETURNS: &[&str] = &["int", "String", "boolean"];

struct Member {
    name: String,
    n_parameters: usize,
    returns: &'static str,
    n_lines: usize,
}

pub struct Class {
    pub name: String,
    members: Vec<Member>,
}

impl Class {
    pub fn make(random: &mut Random, idx: usize) -> Self {
        let n_names = NOUNS.len() * SUFFIXES.len();
        let mut name = format!(
            "{}{}",
            NOUNS[idx % NOUNS.len()],
            SUFFIXES[idx / NOUNS.len() % SUFFIXES.len()]
        );
        if idx >= n_names {
            name += &(idx / n_names + 1).to_string();
        }
        let (verb, noun) = (random.below(VERBS.len()), random.below(NOUNS.len()));
        let members = (0..7 + random.below(8)).map(|idx| Member {
            // Different verbs: no two members share a name.
            name: format!(
                "{}{}",
                VERBS[(verb + idx) % VERBS.len()],
                NOUNS[(noun + idx * 5) % NOUNS.len()]
            ),
            n_parameters: random.below(PARAMETERS.len() + 1),
            returns: random.of(RETURNS),
            n_lines: draw(random, METHOD_LINES),
        });
        let members = members.collect();
        Self { name, members }
    }

    pub fn text(&self, random: &mut Random, package: &str) -> String {
        let name = &self.name;
        let mut text = format!(
            "package {package};\n\nimport java.util.ArrayList;\nimport java.util.List;\n\n\
             public class {name} {{\n    public enum Mode {{ STRICT, LENIENT }}\n\n\
             \x20   private final List<String> labels = new ArrayList<>();\n    private int total;\n\n\
             \x20   public {name}(int total, String label) {{\n        this.total = total;\n\
             \x20       labels.add(label);\n    }}\n\n\
             \x20   public int getTotal() {{\n        return total;\n    }}\n\n\
             \x20   public List<String> getLabels() {{\n        return labels;\n    }}\n"
        );
        for member in &self.members {
            member.write(&mut text, random);
        }
        text + "}\n"
    }
}

impl Member {
    fn write(&self, text: &mut String, random: &mut Random) {
        if random.once_in(3) {
            *text += &format!(
                "\n    /**\n     * Does what {} does, {} and {}.\n     */",
                self.name,
                random.of(WORDS),
                random.of(WORDS)
            );
        }
        let parameters: Vec<String> = PARAMETERS[..self.n_parameters]
            .iter()
            .map(|(kind, name)| format!("{kind} {name}"))
            .collect();
        *text += &format!(
            "\n    public {} {}({}) {{\n",
            self.returns,
            self.name,
            parameters.join(", ")
        );
        let mut n_left = self.n_lines.saturating_sub(3);
        while n_left > 0 {
            let number = random.below(100);
            let (word, other) = (random.of(WORDS), random.of(WORDS));
            let (statement, n_lines) = match random.below(6) {
                0 if n_left >= 3 => (
                    format!(
                        "        if (total < {number}) {{\n            throw new IllegalStateException(\
                         \"{word} before {other}: \" + total);\n        }}\n"
                    ),
                    3,
                ),
                1 if n_left >= 4 => (
                    format!(
                        "        for (int idx = 0; idx < {number}; idx++) {{\n            total += idx % \
                         {};\n            labels.add(\"{word}\" + idx);\n        }}\n",
                        number + 1
                    ),
                    4,
                ),
                2 => (format!("        labels.add(\"{word} {other}\");\n"), 1),
                3 => (format!("        // The {word} one is {other} by now.\n"), 1),
                4 => (format!("        total = Math.max(total, {number});\n"), 1),
                _ => (format!("        total += labels.size() * {number};\n"), 1),
            };
            *text += &statement;
            n_left -= n_lines;
        }
        let value = match self.returns {
            "int" => format!("total + {}", random.below(9)),
            "String" => format!("labels.get(0) + \"{}\"", random.of(WORDS)),
            _ => format!("total > {}", random.below(99)),
        };
        *text += &format!("        return {value};\n    }}\n");
    }

    /// Writes a call of the method.
    fn call(&self, random: &mut Random, object: &str) -> String {
        let arguments: Vec<String> = PARAMETERS[..self.n_parameters]
            .iter()
            .map(|(kind, _)| match *kind {
                "int" => random.below(1_000).to_string(),
                "long" => format!("{}L", random.below(100_000)),
                _ => format!("\"{} {}\"", random.of(WORDS), random.of(WORDS)),
            })
            .collect();
        format!("{object}.{}({})", self.name, arguments.join(", "))
    }
}

/// The tests of a class.
pub struct TestClass<'a> {
    pub class: &'a Class,
    /// Another class of the package, which tests also call.
    pub beside: Option<&'a Class>,
    pub package: &'a str,
    pub is_junit4: bool,
}

impl TestClass<'_> {
    pub fn text(&self, random: &mut Random, n_tests: usize) -> String {
        let (test, before, assertions) = if self.is_junit4 {
            ("org.junit.Test", "Before", "org.junit.Assert")
        } else {
            let assertions = "org.junit.jupiter.api.Assertions";
            ("org.junit.jupiter.api.Test", "BeforeEach", assertions)
        };
        let package = test.trim_end_matches("Test");
        let name = &self.class.name;
        let mut text = format!(
            "package {};\n\nimport static {assertions}.*;\n\nimport {package}{before};\nimport {test};\n\n\
             public class {name}Test {{\n    private {name} subject;\n",
            self.package
        );
        let other = self.beside.map_or(name, |class| &class.name);
        text += &format!("    private {other} other;\n");
        text += &format!(
            "\n    @{before}\n    public void setUp() {{\n        subject = new {name}({}, \"{}\");\n\
             \x20       other = new {other}({}, \"{}\");\n    }}\n",
            random.below(50),
            random.of(WORDS),
            random.below(50),
            random.of(WORDS)
        );
        for idx in 0..n_tests {
            text += "\n    @Test\n    public void ";
            // Percentages as in real projects.
            match random.below(100) {
                0..5 => no_call(&mut text, random, idx),
                5..7 => no_source(&mut text, idx, name),
                7..14 => self.asserts_at_once(&mut text, random, idx),
                14..20 => self.asserts_nothing(&mut text, random, idx),
                kind => self.tests(&mut text, random, idx, kind < 63),
            }
            text += "    }\n";
        }
        text + "}\n"
    }

    /// Writes a test that prepares, calls a method, and asserts; it may be named after the method.
    fn tests(&self, text: &mut String, random: &mut Random, idx: usize, is_named: bool) {
        let focal = &self.class.members[idx % self.class.members.len()];
        let name = if is_named {
            format!("{}{}", focal.name, random.of(ENDINGS))
        } else {
            random.of(VAGUE).to_owned()
        };
        *text += &format!("{name}{idx}() {{\n");
        let n_lines = draw(random, TEST_LINES).saturating_sub(5);
        let n_called = draw(random, N_CALLED);
        for line in 0..n_lines.max(n_called) {
            *text += "        ";
            *text += &self.preparation(random, line, line < n_called);
        }
        *text += &format!(
            "        {} actual = {};\n",
            focal.returns,
            focal.call(random, "subject")
        );
        *text += "        ";
        *text += &match focal.returns {
            "int" => format!(
                "assertEquals(\"the total of the {} one once it is {}\", {}, actual);\n",
                random.of(WORDS),
                random.of(WORDS),
                random.below(10_000)
            ),
            "String" => format!("assertEquals(\"{}\", actual);\n", random.of(WORDS)),
            _ => "assertTrue(actual);\n".to_owned(),
        };
        if random.once_in(2) {
            *text += &format!(
                "        assertEquals({}, subject.getTotal());\n",
                random.below(10_000)
            );
        }
    }

    /// Writes a line before the focal call, with its line break.
    fn preparation(&self, random: &mut Random, line: usize, is_call: bool) -> String {
        if is_call {
            let (class, object) = match self.beside {
                Some(beside) if random.once_in(3) => (beside, "other"),
                _ => (self.class, "subject"),
            };
            let call = random.pick(&class.members);
            let call = call
                .map(|member| member.call(random, object))
                .unwrap_or_default();
            return format!("{call};\n");
        }
        let (word, another) = (random.of(WORDS), random.of(WORDS));
        let number = random.below(1_000);
        match random.below(5) {
            0 => format!("// The {word} one comes before the {another} one.\n"),
            1 => format!("int count{line} = {number} + \"{word}\".length();\n"),
            2 => format!(
                "String line{line} = \"{word}, {another}, {}, {}, {} and whatever is {} by then\" + {number};\n",
                random.of(WORDS),
                random.of(WORDS),
                random.of(WORDS),
                random.of(WORDS)
            ),
            3 => format!("assertNotNull(\"{word} {another} {number}\");\n"),
            _ => format!("String[] parts{line} = {{\"{word}\", \"{another}\", \"{number}\"}};\n"),
        }
    }

    /// Writes a test that calls the method only in its assertion.
    fn asserts_at_once(&self, text: &mut String, random: &mut Random, idx: usize) {
        let focal = &self.class.members[idx % self.class.members.len()];
        let call = focal.call(random, "subject");
        *text += &format!("{}{idx}() {{\n", focal.name);
        *text += &match focal.returns {
            "boolean" => format!("        assertTrue({call});\n"),
            _ => format!("        assertEquals(\"{}\", {call});\n", random.of(WORDS)),
        };
    }

    /// Writes a test that ends with the call, such as one that expects an exception.
    fn asserts_nothing(&self, text: &mut String, random: &mut Random, idx: usize) {
        let focal = &self.class.members[idx % self.class.members.len()];
        *text += &format!("{}Fails{idx}() {{\n", focal.name);
        for line in 0..draw(random, TEST_LINES).saturating_sub(4) {
            *text += "        ";
            *text += &self.preparation(random, line, line == 0);
        }
        *text += &format!("        {};\n", focal.call(random, "subject"));
    }
}

/// Writes a test that calls nothing in the project.
fn no_call(text: &mut String, random: &mut Random, idx: usize) {
    *text += &format!(
        "{}{idx}() {{\n        assertEquals({}, \"{}\".length());\n",
        random.of(VAGUE),
        random.below(99),
        random.of(WORDS)
    );
}

/// Writes a test of a compiler-made method.
fn no_source(text: &mut String, idx: usize, class: &str) {
    *text += &format!(
        "valueOf{idx}() {{\n        {class}.Mode mode = {class}.Mode.valueOf(\"STRICT\");\n\
         \x20       assertEquals({class}.Mode.STRICT, mode);\n"
    );
}
