//! Colours are read and reduced, and people can read and distinguish them.

use ratatui::style::Modifier;

use super::*;
use crate::config::ThemeFile;

fn environment(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
    |name| {
        let found = pairs.iter().find(|(text, _)| *text == name);
        found.map(|(_, value)| (*value).to_owned())
    }
}

fn check_depth(pairs: &'static [(&str, &str)], expected: Depth) {
    assert_eq!(Depth::detect(&environment(pairs)), expected);
}

#[test]
fn the_environment_decides_the_colours() {
    check_depth(&[("TERM", "xterm")], Depth::Sixteen);
    check_depth(&[("TERM", "xterm-256color")], Depth::Indexed);
    check_depth(&[("TERM", "xterm-kitty")], Depth::True);
    check_depth(
        &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
        Depth::True,
    );
    check_depth(
        &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")],
        Depth::Mono,
    );
    check_depth(&[("TERM", "xterm"), ("NO_COLOR", "")], Depth::Sixteen);
}

#[test]
fn a_light_terminal_gets_the_light_theme() {
    let environment = environment(&[("COLORFGBG", "0;15")]);
    let theme = Themes::default().automatic(Depth::True, &environment);
    assert_eq!(theme.map(|theme| theme.name).as_deref(), Ok("light"));
}

#[test]
fn without_colours_the_modifiers_stay() {
    let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
    let style = Style::new().fg(Color::Red).bg(Color::Blue).bold();
    buffer.set_string(0, 0, "x", style);
    reduce(&mut buffer, Depth::Mono);
    let cell = &buffer[(0, 0)];
    assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
    assert!(cell.modifier.contains(Modifier::BOLD));
}

#[test]
fn a_quantised_colour_stays_close() {
    assert_eq!(indexed(255, 0, 0), Color::Indexed(196));
    assert_eq!(indexed(18, 18, 18), Color::Indexed(233));
    assert_eq!(sixteen(250, 80, 80), Color::LightRed);
}

#[test]
fn in_sixteen_colours_good_bad_and_doubtful_are_told_apart() {
    let seen = |theme: &Theme, role: Role| {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
        buffer.set_string(0, 0, "x", theme.style(Role::Text).patch(theme.style(role)));
        reduce(&mut buffer, Depth::Sixteen);
        (buffer[(0, 0)].fg, buffer[(0, 0)].bg)
    };
    for theme in coloured() {
        let name = &theme.name;
        // Nobody reads a border or the empty part of a bar.
        let silent = [Role::Border, Role::GaugeRest];
        for role in Role::ALL.iter().filter(|role| !silent.contains(role)) {
            let (front, ground) = seen(&theme, *role);
            assert_ne!(front, ground, "{name}: {role:?} cannot be seen");
        }
        let front = |role: Role| seen(&theme, role).0;
        assert_ne!(front(Role::Good), front(Role::Error), "{name}");
        assert_ne!(front(Role::Good), front(Role::Warning), "{name}");
        if ["dark", "light"].contains(&name.as_str()) {
            assert_ne!(front(Role::Warning), front(Role::Error), "{name}");
        }
    }
}

#[test]
fn a_pale_colour_keeps_its_hue_in_sixteen_colours() {
    let check = |rgb: [u8; 3], expected: Color| {
        assert_eq!(sixteen_of_hue(rgb[0], rgb[1], rgb[2]), expected, "{rgb:?}");
    };
    check([0xa3, 0xd9, 0x8b], Color::LightGreen);
    check([0xff, 0x9a, 0x90], Color::LightRed);
    check([0xe9, 0xa1, 0xdd], Color::LightMagenta);
    check([0x67, 0xd3, 0xbd], Color::LightCyan);
    check([0x1f, 0x6f, 0x3a], Color::Green);
    // It has hardly a colour: the nearest of all.
    check([0x97, 0xa1, 0xb2], Color::Gray);
    check([0x46, 0x50, 0x5f], Color::DarkGray);
}

/// Computes the linear values of a colour, as WCAG 2.1 and IEC 61966-2-1 define them.
fn linear(colour: Color) -> [f64; 3] {
    let Color::Rgb(red, green, blue) = colour else {
        panic!("{colour:?} is not a true colour");
    };
    [red, green, blue].map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// Computes the contrast as WCAG 2.1 defines it, from relative luminance.
fn contrast(a: Color, b: Color) -> f64 {
    let luminance = |colour: Color| {
        let [red, green, blue] = linear(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Texts that are read in passing. All others are read with care, except for roles without text.
const DIM: &[Role] = &[
    Role::Dim,
    Role::Title,
    Role::Bar,
    Role::LineNumber,
    Role::Struck,
    Role::RanNotExecuted,
    Role::RanBlocked,
    Role::Comment,
];

/// Iterates over the themes with colours of their own; those of `ansi16` are the terminal's.
fn coloured() -> impl Iterator<Item = Theme> {
    let names = names().into_iter().filter(|name| *name != "ansi16");
    names.map(|name| Theme::named(name).expect("a theme of the binary"))
}

#[test]
fn everything_that_is_read_has_enough_contrast() {
    for theme in coloured() {
        let name = &theme.name;
        let text = theme.style(Role::Text);
        // Nobody reads a border or a bar.
        let silent = [Role::Border, Role::GaugeRest, Role::Gauge];
        // The possible backgrounds of a text without its own: of a row, a line, or a word.
        let grounds = [
            Role::Text,
            Role::Selected,
            Role::Marked,
            Role::Popup,
            Role::Bar,
            Role::FocalCall,
            Role::Removed,
            Role::Added,
            Role::RemovedWord,
            Role::AddedWord,
        ];
        for role in Role::ALL.iter().filter(|role| !silent.contains(role)) {
            let style = theme.style(*role);
            let front = style.fg.or(text.fg).expect("the text has a colour");
            let own = style.bg.map(|ground| (*role, ground));
            let grounds: Vec<(Role, Color)> = match own {
                Some(own) => vec![own],
                None => grounds
                    .iter()
                    .filter_map(|role| Some((*role, theme.style(*role).bg?)))
                    .collect(),
            };
            let least = if DIM.contains(role) { 3.0 } else { 4.5 };
            for (under, ground) in grounds {
                let ratio = contrast(front, ground);
                assert!(
                    ratio >= least,
                    "{name}: {role:?} on {under:?} has {ratio:.2}"
                );
            }
        }
    }
}

/// A matrix over linear red, green and blue.
type Matrix = [[f64; 3]; 3];

// Sight without one sort of cones: G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model
// for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, table 1, severity 1.0.
const PROTANOPIA: Matrix = [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
];
const DEUTERANOPIA: Matrix = [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_820, 0.042_940, 0.968_881],
];
const TRITANOPIA: Matrix = [
    [1.255_528, -0.076_749, -0.178_779],
    [-0.078_411, 0.930_809, 0.147_602],
    [0.004_733, 0.691_367, 0.303_900],
];

/// Computes the distance of two colours for such eyes: the CIE 1976 difference in L*a*b* (D65). From about 2 on, people
/// see a difference when they look for one.
fn difference(a: Color, b: Color, eyes: &Matrix) -> f64 {
    let [a, b] = [a, b].map(|colour| lab(seen(linear(colour), eyes)));
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

fn seen(rgb: [f64; 3], eyes: &Matrix) -> [f64; 3] {
    eyes.map(|row| {
        let sum: f64 = row
            .iter()
            .zip(rgb)
            .map(|(weight, value)| weight * value)
            .sum();
        sum.clamp(0.0, 1.0)
    })
}

fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let f = |t: f64| {
        if t > 216.0 / 24_389.0 {
            t.cbrt()
        } else {
            (24_389.0 / 27.0 * t + 16.0) / 116.0
        }
    };
    let x = f((0.412_456 * red + 0.357_576 * green + 0.180_438 * blue) / 0.950_47);
    let y = f(0.212_673 * red + 0.715_152 * green + 0.072_175 * blue);
    let z = f((0.019_334 * red + 0.119_192 * green + 0.950_304 * blue) / 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Roles that must be told apart.
const OPPOSED: &[(Role, Role)] = &[
    (Role::Good, Role::Error),
    (Role::Good, Role::Warning),
    (Role::Covered, Role::Missed),
    (Role::RanCorrect, Role::RanFailing),
    (Role::RanCorrect, Role::RanNotCompilable),
    (Role::RanCorrect, Role::RanPassing),
    (Role::Added, Role::Removed),
    (Role::AddedWord, Role::RemovedWord),
];

/// Computes the least difference between roles that must be told apart.
fn least_difference(theme: &Theme, eyes: &Matrix) -> f64 {
    let colour = |role: Role| {
        let style = theme.style(role);
        style.fg.or(style.bg).expect("the role has a colour")
    };
    let differences = OPPOSED
        .iter()
        .map(|(a, b)| difference(colour(*a), colour(*b), eyes));
    differences.fold(f64::INFINITY, f64::min)
}

#[test]
fn eyes_without_one_sort_of_cones_tell_good_from_bad() {
    let check = |name: &str, eyes: &[(&str, &Matrix)]| {
        let theme = Theme::named(name).expect("a theme of the binary");
        let dark = Theme::named("dark").expect("a theme of the binary");
        for (word, eyes) in eyes {
            let (found, usual) = (
                least_difference(&theme, eyes),
                least_difference(&dark, eyes),
            );
            assert!(found >= 25.0, "{name} for {word}: {found:.1}");
            assert!(
                usual < 25.0,
                "the usual theme would do for {word}: {usual:.1}"
            );
        }
    };
    check(
        "colorblind-deutan",
        &[("protanopia", &PROTANOPIA), ("deuteranopia", &DEUTERANOPIA)],
    );
    check("colorblind-tritan", &[("tritanopia", &TRITANOPIA)]);
}

#[test]
fn every_theme_of_the_binary_is_complete() {
    for name in names() {
        let theme = Theme::named(name).expect("a theme of the binary");
        assert_eq!(theme.styles.len(), Role::ALL.len());
    }
}

fn own(text: &str) -> (Themes, Vec<String>) {
    let file = ThemeFile {
        name: "mine".to_owned(),
        path: "themes/mine.toml".to_owned(),
        text: text.to_owned(),
    };
    let (themes, problems) = Themes::of(&[file]);
    (themes, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn a_theme_of_the_user_inherits_what_it_does_not_say() {
    let text =
        "inherits = \"light\"\n[palette]\naccent = \"#123456\"\n[roles]\nkey = { fg = \"red\" }\n";
    let (themes, problems) = own(text);
    assert_eq!(problems, Vec::<String>::new());
    assert!(themes.names().any(|name| name == "mine") && themes.is_own("mine"));
    let mine = themes.named("mine").expect("it is known");
    let light = Theme::named("light").expect("a theme of the binary");
    // The roles that use a colour of the palette follow it.
    assert_eq!(
        mine.style(Role::Focus).fg,
        Some(Color::Rgb(0x12, 0x34, 0x56))
    );
    assert_eq!(
        mine.style(Role::Focus).add_modifier,
        light.style(Role::Focus).add_modifier
    );
    assert_eq!(mine.style(Role::Text), light.style(Role::Text));
    // `red` is a colour of the inherited palette.
    assert_eq!(mine.style(Role::Key).fg, light.style(Role::Error).fg);
    assert!(!mine.style(Role::Key).add_modifier.contains(Modifier::BOLD));
}

#[test]
fn what_is_wrong_with_a_theme_is_said_with_its_line_and_role() {
    let check = |text: &str, expected: &str| {
        let (themes, problems) = own(text);
        assert!(themes.named("mine").is_err(), "{text}");
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{problems:?}"
        );
    };
    let with = |rest: &str| format!("inherits = \"dark\"\n[roles]\n{rest}\n");
    check(
        &with("foccus = {}"),
        "themes/mine.toml:3:1: unknown role `foccus` (did you mean `focus`?)",
    );
    check(
        &with("key = { fg = \"pinkish\" }"),
        "mine.toml:3:14: role `key`: `pinkish` is not a color",
    );
    check(
        &with("key = { colour = \"red\" }"),
        "3:9: role `key`: unknown key `colour`",
    );
    check(
        &with("key = { bold = 1 }"),
        "3:16: role `key`: `bold` takes true or false",
    );
    check(&with("key = \"red\""), "3:7: `key` is a table");
    check(
        "inherits = \"darkest\"",
        "1:12: `inherits` takes the name of a built-in theme: dark, light",
    );
    check("[palette]\nbase = 7", "2:8: palette: `base` is not a color");
    check("[roles]\ntext = {}", "the role `dim` is missing");
    check("role = {}", "1:1: unknown key `role`");
    check("[roles", "not valid TOML");
}

#[test]
fn a_theme_of_the_user_takes_the_place_of_one_of_the_binary() {
    let file = ThemeFile {
        name: "dark".to_owned(),
        path: "dark.toml".to_owned(),
        text: "inherits = \"light\"".to_owned(),
    };
    let (themes, problems) = Themes::of(&[file]);
    assert_eq!(problems, []);
    let light = Theme::named("light").expect("a theme of the binary");
    let dark = themes.named("dark").expect("it is known");
    assert_eq!(dark.style(Role::Text), light.style(Role::Text));
    assert_eq!(themes.names().filter(|name| *name == "dark").count(), 1);
}
