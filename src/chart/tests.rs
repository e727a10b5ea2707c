//! Figures of every shape, in all three formats.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn bars(values: &[f64]) -> SeriesShape {
    SeriesShape::Bars {
        values: values.to_vec(),
        labels: Vec::new(),
    }
}

fn line(points: &[(f64, f64)], path: Path) -> SeriesShape {
    let points = points.to_vec();
    SeriesShape::Line { points, path }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Makes one figure of every shape on plain axes.
fn all_shapes() -> Vec<Figure> {
    let of = |x: Axis, y: Axis, series: Vec<Series>| Figure {
        title: "A <title> & 漢字".to_owned(),
        subtitle: "12,480 samples · filter: repo:\"gson\"".to_owned(),
        x,
        y,
        series,
        ..Figure::default()
    };
    let unit = || Axis::ratio("share").with_range(0.0, 1.0);
    let lying = |arrangement| Figure {
        arrangement,
        ..of(
            Axis::count("samples"),
            Axis::categories("", names(&["train", "validation", "test"])),
            vec![
                Series::new("random", bars(&[8.0, 1.0, 1.0])),
                Series::new("project", bars(&[6.0, 3.0, 1.0])),
            ],
        )
    };
    vec![
        lying(Arrangement::Grouped),
        lying(Arrangement::Stacked),
        of(
            Axis::categories("run", names(&["a", "b"])),
            Axis::count("n"),
            vec![
                Series::new("one", bars(&[3.0, 5.0])),
                Series::new("two", bars(&[2.0, 4.0])),
            ],
        ),
        of(
            Axis::ratio("BLEU"),
            Axis::ratio("share"),
            vec![Series::new(
                "",
                SeriesShape::Histogram {
                    edges: vec![0.0, 0.25, 0.5, 0.75, 1.0],
                    values: vec![0.5, 0.125, 0.125, 0.25],
                },
            )],
        ),
        of(
            unit(),
            unit(),
            vec![
                Series::new(
                    "perfect",
                    SeriesShape::Rule {
                        from: (0.0, 0.0),
                        to: (1.0, 1.0),
                    },
                ),
                Series::new(
                    "found",
                    SeriesShape::Intervals(vec![Interval {
                        x: 0.6,
                        y: 0.5,
                        low: 0.3,
                        high: 0.7,
                        n: 20,
                    }]),
                ),
            ],
        ),
        of(
            Axis::new("length", "tokens").with_scale(Scale::Log),
            unit(),
            vec![
                Series::new(
                    "points",
                    SeriesShape::Scatter(vec![(3.0, 0.9), (400.0, 0.1)]),
                ),
                Series::new("mean", line(&[(3.0, 0.8), (90.0, 0.4)], Path::Marked)),
                Series::new("steps", line(&[(3.0, 0.1), (90.0, 0.4)], Path::Steps)),
            ],
        ),
        Figure::funnel(
            "Funnel",
            "tests",
            &[("tests".to_owned(), 1_200), ("mapped".to_owned(), 900)],
        ),
    ]
}

/// Panics where tags are not closed in order, or text holds what XML does not allow.
fn check_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        assert!(!text.contains('>'), "{text}");
        let end = tag.find('>').expect("every tag ends");
        let (tag, after) = (&tag[1..end], &tag[end + 1..]);
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
        rest = after;
    }
    assert!(open.is_empty(), "{open:?}");
    for (at, _) in svg.match_indices('&') {
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;"];
        assert!(entities.iter().any(|entity| svg[at..].starts_with(entity)));
    }
    assert!(!svg.chars().any(|c| c.is_control() && c != '\n'));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

fn check_text(figure: &Figure, (width, height): (usize, usize), glyphs: Glyphs, expected: &Expect) {
    let grid = text(figure, width, height, glyphs);
    expected.assert_eq(&grid.plain());
}

#[test]
fn an_svg_says_what_its_axes_are() {
    let figure = Figure {
        title: "Lengths & <values>".to_owned(),
        subtitle: "2 predictions".to_owned(),
        x: Axis::new("length", "tokens").with_range(0.0, 10.0),
        y: Axis::ratio("BLEU").with_range(0.0, 1.0),
        series: vec![Series::new(
            "",
            line(&[(0.0, 0.5), (10.0, 1.0)], Path::Marked),
        )],
        ..Figure::default()
    };
    expect![[r##"
        <svg xmlns="http://www.w3.org/2000/svg" width="200" height="150" viewBox="0 0 200 150" role="img" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" fill="#1a1a1a">
        <title>Lengths &amp; &lt;values&gt;</title>
        <desc>2 predictions</desc>
        <rect width="100%" height="100%" fill="#ffffff"/>
        <text x="12.0" y="25.0" font-size="14" font-weight="bold">Lengths &amp; &lt;values&gt;</text>
        <text x="12.0" y="40.0" font-size="11" fill="#595959">2 predictions</text>
        <line x1="62.0" y1="99.0" x2="180.0" y2="99.0" stroke="#e4e4e4" stroke-width="1"/>
        <line x1="57.0" y1="99.0" x2="62.0" y2="99.0" stroke="#1a1a1a" stroke-width="1"/>
        <text x="54.0" y="103.2" font-size="12" text-anchor="end">0</text>
        <line x1="62.0" y1="53.0" x2="180.0" y2="53.0" stroke="#e4e4e4" stroke-width="1"/>
        <line x1="57.0" y1="53.0" x2="62.0" y2="53.0" stroke="#1a1a1a" stroke-width="1"/>
        <text x="54.0" y="57.2" font-size="12" text-anchor="end">100</text>
        <line x1="62.0" y1="53.0" x2="62.0" y2="99.0" stroke="#e4e4e4" stroke-width="1"/>
        <line x1="62.0" y1="99.0" x2="62.0" y2="104.0" stroke="#1a1a1a" stroke-width="1"/>
        <text x="62.0" y="116.0" font-size="12" text-anchor="middle">0</text>
        <line x1="180.0" y1="53.0" x2="180.0" y2="99.0" stroke="#e4e4e4" stroke-width="1"/>
        <line x1="180.0" y1="99.0" x2="180.0" y2="104.0" stroke="#1a1a1a" stroke-width="1"/>
        <text x="180.0" y="116.0" font-size="12" text-anchor="middle">10</text>
        <polyline points="62.0,53.0 62.0,99.0 180.0,99.0" fill="none" stroke="#1a1a1a" stroke-width="1"/>
        <text x="121.0" y="138.0" font-size="12" text-anchor="middle">length (tokens)</text>
        <text x="21.6" y="76.0" font-size="12" text-anchor="middle" transform="rotate(-90 21.6 76.0)">BLEU (%)</text>
        <polyline points="62.0,76.0 180.0,53.0" fill="none" stroke="#0072b2" stroke-width="1.8" stroke-linejoin="round"/>
        <circle cx="62.0" cy="76.0" r="3.5" fill="#0072b2"/>
        <circle cx="180.0" cy="53.0" r="3.5" fill="#0072b2"/>
        </svg>
    "##]].assert_eq(&svg(&figure, (200, 150)));
}

#[test]
fn every_shape_is_a_well_formed_svg() {
    for figure in all_shapes() {
        let written = svg(&figure, (640, 400));
        check_well_formed(&written);
        assert!(figure.title.is_ascii() || written.contains("A &lt;title&gt; &amp; 漢字"));
        assert_eq!(svg(&figure, (640, 400)), written);
    }
    let many = (0..100_000).map(|n| (f64::from(n % 331), f64::from(n % 97)));
    let figure = Figure {
        title: "a\u{1b}[31m\u{202e}\u{0}b".to_owned(),
        series: vec![Series::new("points", SeriesShape::Scatter(many.collect()))],
        ..Figure::default()
    };
    let written = svg(&figure, (640, 400));
    check_well_formed(&written);
    assert!(written.contains("<title>a[31mb</title>"));
    assert!(written.len() < 300_000, "{}", written.len());
}

#[test]
fn what_is_empty_says_so() {
    let figure = Figure {
        title: "Verdicts".to_owned(),
        note: "no verdicts yet".to_owned(),
        ..Figure::default()
    };
    check_well_formed(&svg(&figure, (640, 400)));
    assert!(svg(&figure, (640, 400)).contains(">no verdicts yet</text>"));
    check_text(
        &figure,
        (30, 4),
        Glyphs::Blocks,
        &expect![[r"
        Verdicts

               no verdicts yet

    "]],
    );
    assert_eq!(csv(&figure), "x,y\n");
}

#[test]
fn ticks_of_text_stand_at_even_distances() {
    let points = |to: f64| vec![(0.0, 0.05 * to), (1.0, to)];
    for to in [0.3, 0.7, 0.74, 1.0] {
        let shape = SeriesShape::Line {
            points: points(to),
            path: Path::Marked,
        };
        let figure = Figure {
            x: Axis::count("run"),
            y: Axis::ratio("BLEU"),
            series: vec![Series::new("all", shape)],
            ..Figure::default()
        };
        for height in 7..40 {
            let text = text(&figure, 40, height, Glyphs::Blocks).plain();
            let rows = text.lines().enumerate().filter(|pair| pair.1.contains('┤'));
            let rows: Vec<usize> = rows.map(|row| row.0).collect();
            let mut distances = rows.windows(2).map(|window| window[1] - window[0]);
            let first = distances.next();
            assert!(
                first.is_some() && distances.all(|distance| Some(distance) == first),
                "{text}"
            );
        }
    }
}

#[test]
fn shapes_are_recognised_in_a_terminal() {
    let mut shown = String::new();
    for figure in &all_shapes()[..6] {
        shown.push_str(&text(figure, 50, 12, Glyphs::Blocks).plain());
        shown.push('\n');
    }
    expect![[r#"
        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        █ random  ▒ project
             train│██████████████████████████████████████
                  │▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
        validation│████▊
                  │▒▒▒▒▒▒▒▒▒▒▒▒▒▒
              test│████▊
                  │▒▒▒▒▒
                  └┬────────┬─────────┬────────┬────────┬
                   0        2         4        6        8
                                   samples

        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        █ random  ▒ project
             train│████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
                  │
        validation│███▒▒▒▒▒▒▒
                  │
              test│███▒▒
                  │
                  └┬───────────┬────────────┬───────────┬
                   0           5           10          15
                                   samples

        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        █ one  ▒ two
        n
        5┤                          █████████
         │                          █████████▒▒▒▒▒▒▒▒▒
         │  █████████               █████████▒▒▒▒▒▒▒▒▒
         │  █████████▒▒▒▒▒▒▒▒▒      █████████▒▒▒▒▒▒▒▒▒
        0┤  █████████▒▒▒▒▒▒▒▒▒      █████████▒▒▒▒▒▒▒▒▒
         └────────────┬───────────────────────┬───────────
                      a                       b
                                 run

        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        share (%)
        50┤████████████
          │████████████
          │████████████
          │████████████                       ████████████
          │████████████▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄████████████
         0┤███████████████████████████████████████████████
          └┬────────┬────────┬─────────┬────────┬────────┬
           0       20       40        60       80      100
                              BLEU (%)

        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        · perfect  • found
        share (%)
        100┤                                        ······
           │                           │ ···········
           │                 ··········•·
           │      ···········          │
          0┤······
           └┬────────┬────────┬────────┬────────┬────────┬
            0       20       40       60       80      100
                               share (%)

        A <title> & 漢字
        12,480 samples · filter: repo:"gson"
        · points  × mean  + steps
        share (%)
        100┤   ×
           │
           │                               +
           │                               +
          0┤   +++++++++++++++++++++++++++++            ·
           └─────────────┬──────────────────┬─────────────
                        10                 100
                            length (tokens)

    "#]]
    .assert_eq(&shown);
}

#[test]
fn shapes_are_recognised_without_anything_but_ascii() {
    let mut shown = String::new();
    for figure in all_shapes() {
        let figure = Figure {
            title: "A title".to_owned(),
            subtitle: String::new(),
            ..figure
        };
        let text = text(&figure, 30, 6, Glyphs::Ascii).plain();
        assert!(text.is_ascii());
        shown.push_str(&text);
        shown.push('\n');
    }
    expect![[r"
        A title
             train|##############
                  |===========
                  | (2 more)
                  ++----------------+
                   0               10

        A title
             train|#######======
        validation|#===
              test|#=
                  ++--------+-------+
                   0       10      20

        A title
        5+               #####
         | #####         #####=====
        0+ #####=====    #####=====
         +-------+-------------+------
                 a             b

        A title
        50+#######
          |#######             #######
         0+###########################
          ++------------+------------+
           0           50          100

        A title
        100+               |   .......
           |       ........*...
          0+.......        |
           ++------------------------+
            0                      100

        A title
        100+ x
           |                 +
          0+ +++++++++++++++++      .
           +------------------+-------
                             100

        A title
         tests|########## 1,200
              |
        mapped|######## 900 (75.0 %)
              ++-------+-
               0     1,000

    "]]
    .assert_eq(&shown);
}

#[test]
fn the_numbers_behind_a_figure_are_rows() {
    let mut shown = String::new();
    for figure in all_shapes() {
        shown.push_str(&csv(&figure));
        shown.push('\n');
    }
    expect![[r"
        series,category,samples
        random,train,8
        random,validation,1
        random,test,1
        project,train,6
        project,validation,3
        project,test,1

        series,category,samples
        random,train,8
        random,validation,1
        random,test,1
        project,train,6
        project,validation,3
        project,test,1

        series,run,n
        one,a,3
        one,b,5
        two,a,2
        two,b,4

        BLEU,to,share
        0,0.25,0.5
        0.25,0.5,0.125
        0.5,0.75,0.125
        0.75,1,0.25

        series,share,share,low,high,n
        perfect,0,0,,,
        perfect,1,1,,,
        found,0.6,0.5,0.3,0.7,20

        series,length (tokens),share
        points,3,0.9
        points,400,0.1
        mean,3,0.8
        mean,90,0.4
        steps,3,0.1
        steps,90,0.4

        step,tests
        tests,1200
        mapped,900

    "]]
    .assert_eq(&shown);
}

fn check_ticks(axis: &Axis, data: (f64, f64), expected: &[&str]) {
    let ruler = scale::Ruler::new(axis, Some(data), 5);
    let labels: Vec<&str> = ruler.ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!(labels, expected);
    assert!(
        ruler
            .ticks
            .iter()
            .all(|tick| (-1e-9..=1.0 + 1e-9).contains(&tick.place))
    );
}

#[test]
fn whole_numbers_next_to_nothing_have_an_axis_of_one_step() {
    let whole = Axis {
        numbers: NumberFormat::Whole,
        ..Axis::default()
    };
    check_ticks(&whole, (-4.9e-309, -4.9e-309), &["0", "1"]);
    check_ticks(&whole, (2.0, 2.000_000_1), &["2", "3"]);
}

#[test]
fn ticks_are_nice_numbers() {
    let plain = Axis::default();
    check_ticks(
        &plain,
        (105.0, 543.0),
        &["100", "200", "300", "400", "500", "600"],
    );
    check_ticks(
        &plain,
        (0.0, 1.0),
        &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"],
    );
    check_ticks(&plain, (-3.0, 3.0), &["−4", "−2", "0", "2", "4"]);
    check_ticks(
        &plain,
        (0.000_12, 0.000_13),
        &[
            "0.000120", "0.000122", "0.000124", "0.000126", "0.000128", "0.000130",
        ],
    );
    check_ticks(&plain, (7.0, 7.0), &["6.0", "6.5", "7.0", "7.5", "8.0"]);
    check_ticks(
        &plain,
        (0.0, 0.0),
        &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"],
    );
    check_ticks(
        &plain,
        (0.0, 1e6),
        &["0", "200,000", "400,000", "600,000", "800,000", "1,000,000"],
    );
    check_ticks(&Axis::count(""), (0.0, 2.0), &["0", "1", "2"]);
    check_ticks(
        &Axis::ratio(""),
        (0.1, 0.3),
        &["10", "15", "20", "25", "30"],
    );
    let log = Axis::default().with_scale(Scale::Log);
    check_ticks(&log, (3.0, 40.0), &["2", "5", "10", "20", "50"]);
    check_ticks(&log, (1.0, 1e6), &["1", "100", "10,000", "1,000,000"]);
    let names = Axis::categories("", names(&["a", "b\n"]));
    check_ticks(&names, (0.0, 1.0), &["a", "b "]);
}

#[test]
fn too_many_bars_are_counted() {
    let steps: Vec<(String, u64)> = (0..50).map(|n| (format!("step {n}"), 100 - n)).collect();
    let figure = Figure::funnel("Steps", "tests", &steps);
    check_text(
        &figure,
        (40, 9),
        Glyphs::Blocks,
        &expect![[r"
        Steps
         step 0│████████████████████ 100
         step 1│███████████████████▊ 99 (99.0 %)
         step 2│███████████████████▋ 98 (99.0 %)
         step 3│███████████████████▍ 97 (99.0 %)
               │ (46 more)
               └┬──────────────────┬
                0                 100
                        tests
    "]],
    );
    assert_eq!(text_height(&figure, 200), 103);
    assert_eq!(text_height(&figure, 20), 20);
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3_f64,
        2 => 0.0..1.0_f64,
        1 => any::<f64>(),
        1 => Just(0.0),
    ]
}

fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((numbers(), numbers()), 0..20)
}

fn shapes() -> impl Strategy<Value = SeriesShape> {
    let values = || proptest::collection::vec(numbers(), 0..8);
    let labels = proptest::collection::vec(".{0,12}", 0..8);
    prop_oneof![
        (values(), labels).prop_map(|(values, labels)| SeriesShape::Bars { values, labels }),
        (values(), values()).prop_map(|(edges, values)| SeriesShape::Histogram { edges, values }),
        (pairs(), 0..3_usize).prop_map(|(points, path)| SeriesShape::Line {
            points,
            path: [Path::Marked, Path::Plain, Path::Steps, Path::Apart][path],
        }),
        pairs().prop_map(SeriesShape::Scatter),
        pairs().prop_map(|it| {
            let interval = |(x, y): (f64, f64)| Interval {
                x,
                y,
                low: y - 1.0,
                high: x,
                n: 3,
            };
            SeriesShape::Intervals(it.into_iter().map(interval).collect())
        }),
        (numbers(), numbers()).prop_map(|(a, b)| SeriesShape::Rule {
            from: (a, b),
            to: (b, a),
        }),
    ]
}

fn an_axis() -> impl Strategy<Value = Axis> {
    let scale = prop_oneof![
        Just(Scale::Linear),
        Just(Scale::Log),
        proptest::collection::vec(".{0,20}", 0..9).prop_map(Scale::Categories),
    ];
    let range = proptest::option::of((numbers(), numbers()));
    let kinds = [
        NumberFormat::Plain,
        NumberFormat::Whole,
        NumberFormat::Percent,
    ];
    (".{0,30}", scale, range, 0..3_usize).prop_map(move |(label, scale, range, kind)| Axis {
        label,
        unit: "ms".to_owned(),
        scale,
        range,
        numbers: kinds[kind],
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_figure_and_no_size_panics(
        title in ".{0,60}",
        x in an_axis(),
        y in an_axis(),
        shapes in proptest::collection::vec((".{0,20}", shapes()), 0..4),
        is_stacked: bool,
        (width, height) in (0..130_usize, 0..45_usize),
    ) {
        let figure = Figure {
            subtitle: title.clone(),
            note: title.clone(),
            title,
            x,
            y,
            series: shapes.into_iter().map(|it| Series::new(it.0, it.1)).collect(),
            arrangement: if is_stacked { Arrangement::Stacked } else { Arrangement::Grouped },
        };
        for glyphs in [Glyphs::Blocks, Glyphs::Ascii] {
            let grid = text(&figure, width, height, glyphs);
            prop_assert_eq!((grid.width(), grid.height()), (width, height));
            prop_assert!(grid.plain().lines().all(|it| it.width() <= width));
            prop_assert!(glyphs == Glyphs::Blocks || grid.plain().is_ascii());
        }
        for size in [(0, 0), (640, 400), (width as u32 * 20, height as u32 * 20)] {
            check_well_formed(&svg(&figure, size));
        }
        prop_assert!(csv(&figure).ends_with('\n'));
    }
}
