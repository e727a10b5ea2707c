//! A figure as SVG: for papers and web pages.
//!
//! ```text
//! title
//! subtitle
//! ● one  ■ two                     legend, only of several
//!      │
//!  y   ┤  light grid, ticks outside
//!      └──┬───┬──
//!           x
//! ```
//!
//! Self-contained: no scripts, no fonts but the reader's sans-serif, text as text.

use super::bins::{Bins, POINTS_MAX, level, whole};
use super::scale::{Ruler, Tick, extents};
use super::{Arrangement, Figure, Interval, Path, Series, SeriesShape, number, printable};
use pen::{Anchor, FAINT, GRID, INK, Pen, colour, cut, dash, escape, fill, width, wrap};

mod pen;

/// The bounds of width and height in pixels (1/96 inch); a size beyond them is drawn at the bound.
pub const SIZE_MIN: (u32, u32) = (200, 150);
pub const SIZE_MAX: (u32, u32) = (8_000, 8_000);

const MARGIN: f64 = 12.0;
const TITLE_SIZE: f64 = 14.0;
const SUBTITLE_SIZE: f64 = 11.0;
const SIZE: f64 = 12.0;
const LINE: f64 = 16.0;
const TICK: f64 = 5.0;
/// Labels that are wider than their room are turned by this many degrees.
const TURN: f64 = 35.0;
/// The greatest width of a category's name, in pixels.
const NAME_MAX: f64 = 180.0;

/// The colours of a scatter's fields, light to dark: the more points, the darker.
const LEVELS: [&str; 7] = [
    "#d6e6f4", "#b0d0ea", "#82b3da", "#5292c5", "#2f72ab", "#17508a", "#08306b",
];
/// The approximate side of such a field, in pixels.
const FIELD: f64 = 5.0;

/// The box between the axes, with both rulers.
struct SvgPlot {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    x: Ruler,
    y: Ruler,
}

impl SvgPlot {
    fn x(&self, value: f64) -> Option<f64> {
        Some(self.across(self.x.place(value)?))
    }

    /// The first category is on top.
    fn y(&self, value: f64) -> Option<f64> {
        Some(self.up(self.y.place(value)?))
    }

    fn point(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x(x)?, self.y(y)?))
    }

    fn across(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    fn up(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }
}

/// Draws the figure as an SVG document of this width and height in pixels, bounded by [`SIZE_MIN`] and [`SIZE_MAX`].
#[must_use]
pub fn svg(figure: &Figure, size: (u32, u32)) -> String {
    let wide = f64::from(size.0.clamp(SIZE_MIN.0, SIZE_MAX.0));
    let high = f64::from(size.1.clamp(SIZE_MIN.1, SIZE_MAX.1));
    let mut pen = Pen::default();
    let title = escape(&figure.title);
    let about = escape(&figure.subtitle);
    pen.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\" \
         role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" fill=\"{INK}\">\n\
         <title>{title}</title>\n<desc>{about}</desc>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    ));
    let bars: Vec<usize> = figure
        .styled()
        .filter(|pair| matches!(pair.1.shape, SeriesShape::Bars { .. }))
        .map(|pair| pair.0)
        .collect();
    pen.patterns(&bars);
    let top = heading(&mut pen, figure, wide);
    if figure.is_empty() {
        let note = cut(&printable(&figure.note), SIZE, wide - 2.0 * MARGIN);
        let style = format!(" fill=\"{FAINT}\"");
        let middle = (wide / 2.0, f64::midpoint(top, high));
        pen.text(middle, &note, (SIZE, Anchor::Middle, &style));
        pen.svg.push_str("</svg>\n");
        return pen.svg;
    }
    let plot = layout(figure, (wide, high), top);
    axes(&mut pen, figure, &plot, high);
    draw_bars(&mut pen, figure, &plot);
    for (idx, series) in figure.styled() {
        draw(&mut pen, figure, &plot, (idx, series));
    }
    pen.svg.push_str("</svg>\n");
    pen.svg
}

/// Writes titles and legend; returns where they end.
fn heading(pen: &mut Pen, figure: &Figure, wide: f64) -> f64 {
    let room = wide - 2.0 * MARGIN;
    let mut y = MARGIN;
    for line in wrap(&printable(&figure.title), TITLE_SIZE, room * 0.95, 2) {
        y += LINE;
        pen.text(
            (MARGIN, y - 3.0),
            &line,
            (TITLE_SIZE, Anchor::Start, " font-weight=\"bold\""),
        );
    }
    let style = format!(" fill=\"{FAINT}\"");
    for line in wrap(&printable(&figure.subtitle), SUBTITLE_SIZE, room, 2) {
        y += LINE - 1.0;
        pen.text(
            (MARGIN, y - 3.0),
            &line,
            (SUBTITLE_SIZE, Anchor::Start, &style),
        );
    }
    let legend = figure.legend();
    if !legend.is_empty() {
        y += LINE + 4.0;
        let mut x = MARGIN;
        for (idx, series) in legend {
            let name = cut(&printable(&series.name), SIZE, room - 30.0);
            let needed = 26.0 + width(&name, SIZE) + 16.0;
            if x > MARGIN && x + needed - 16.0 > wide - MARGIN {
                x = MARGIN;
                y += LINE;
            }
            sign(pen, figure, (idx, series), (x, y - 8.0));
            pen.text((x + 26.0, y - 4.0), &name, (SIZE, Anchor::Start, ""));
            x += needed;
        }
    }
    let has_fields = figure.series.iter().any(|series| match &series.shape {
        SeriesShape::Scatter(points) => is_binned(figure, points),
        _ => false,
    });
    // The key to the fields' colours stands right above the box.
    y + if has_fields { 24.0 } else { 10.0 }
}

/// Draws the sign of a series in the legend, between `x` and `x + 20`.
fn sign(pen: &mut Pen, figure: &Figure, (idx, series): (usize, &Series), (x, y): (f64, f64)) {
    let stroke = format!(
        " stroke=\"{}\" stroke-width=\"1.8\"{}",
        colour(idx),
        dash(idx)
    );
    match &series.shape {
        SeriesShape::Bars { .. } => {
            let fill = format!(" fill=\"{}\"", fill(idx));
            pen.rect((x + 2.0, y - 5.0), (x + 20.0, y + 5.0), &fill);
        }
        SeriesShape::Histogram { .. } => {
            let fill = format!(" fill=\"{}\" fill-opacity=\"0.15\"{stroke}", colour(idx));
            pen.rect((x + 2.0, y - 5.0), (x + 20.0, y + 5.0), &fill);
        }
        SeriesShape::Line { path, .. } => {
            if *path != Path::Apart {
                pen.line((x, y), (x + 20.0, y), &stroke);
            }
            if matches!(path, Path::Marked | Path::Apart) {
                pen.marker(idx, (x + 10.0, y), 3.5);
            }
        }
        SeriesShape::Scatter(points) if is_binned(figure, points) => {
            for (place, colour) in [LEVELS[1], LEVELS[3], LEVELS[5]].iter().enumerate() {
                let from = x + 2.0 + 6.0 * place as f64;
                let fill = format!(" fill=\"{colour}\"");
                pen.rect((from, y - 4.0), (from + 6.0, y + 4.0), &fill);
            }
        }
        SeriesShape::Scatter(_) => pen.marker(idx, (x + 10.0, y), 3.0),
        SeriesShape::Intervals(_) => {
            let stroke = format!(" stroke=\"{}\" stroke-width=\"1.5\"", colour(idx));
            pen.line((x + 10.0, y - 6.0), (x + 10.0, y + 6.0), &stroke);
            pen.marker(idx, (x + 10.0, y), 3.5);
        }
        SeriesShape::Rule { .. } => pen.line((x, y), (x + 20.0, y), RULE),
    }
}

const RULE: &str = " stroke=\"#7a7a7a\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"";

/// Tells whether points are drawn as fields.
fn is_binned(figure: &Figure, points: &[(f64, f64)]) -> bool {
    points.len() > POINTS_MAX && figure.y.names().is_none()
}

/// Places the box so that labels and titles have their room around it.
fn layout(figure: &Figure, (wide, high): (f64, f64), top: f64) -> SvgPlot {
    let [data_x, data_y] = extents(figure);
    let n_down = ((high - top - 60.0) / 38.0).max(2.0);
    let y = Ruler::new(&figure.y, data_y, whole(n_down));
    let widest = y.ticks.iter().map(|tick| width(&tick.label, SIZE));
    let widest = widest.fold(0.0, f64::max).min(NAME_MAX.min(wide * 0.35));
    let y_title = if figure.y.title().is_empty() {
        0.0
    } else {
        LINE + 2.0
    };
    let left = MARGIN + y_title + widest + TICK + 4.0;
    let labels = figure.bars().into_iter().flat_map(|bar| bar.2);
    let beyond = if figure.is_lying() && figure.arrangement == Arrangement::Grouped {
        labels.map(|label| width(label, SIZE)).fold(0.0, f64::max) + 6.0
    } else {
        6.0
    };
    let right = (wide - MARGIN - beyond.max(8.0)).max(left + 30.0);
    let n_across = ((right - left) / 70.0).max(2.0);
    let x = Ruler::new(&figure.x, data_x, whole(n_across));
    let x_title = if figure.x.title().is_empty() {
        0.0
    } else {
        LINE + 2.0
    };
    let names = if is_turned(&x.ticks, figure, right - left) {
        let widest = x.ticks.iter().map(|tick| width(&tick.label, SIZE));
        widest.fold(0.0, f64::max).min(NAME_MAX) * TURN.to_radians().sin() + 12.0
    } else {
        LINE
    };
    let bottom = (high - MARGIN - x_title - names - TICK).max(top + 30.0);
    SvgPlot {
        left,
        top,
        right,
        bottom,
        x,
        y,
    }
}

/// Tells whether the names under the x axis are too wide to lie beside each other.
fn is_turned(ticks: &[Tick], figure: &Figure, room: f64) -> bool {
    let slot = room / ticks.len().max(1) as f64;
    figure.x.names().is_some()
        && ticks
            .iter()
            .any(|tick| width(&tick.label, SIZE) + 8.0 > slot)
}

fn axes(pen: &mut Pen, figure: &Figure, plot: &SvgPlot, high: f64) {
    let stroke = format!(" stroke=\"{INK}\" stroke-width=\"1\"");
    let grid = format!(" stroke=\"{GRID}\" stroke-width=\"1\"");
    let is_lying = figure.is_lying();
    let count = plot.y.ticks.len();
    for (idx, tick) in plot.y.ticks.iter().enumerate() {
        let place = if is_lying {
            1.0 - tick.place
        } else {
            tick.place
        };
        let y = plot.up(place);
        if !is_lying {
            pen.line((plot.left, y), (plot.right, y), &grid);
            pen.line((plot.left - TICK, y), (plot.left, y), &stroke);
        }
        let slot = (plot.bottom - plot.top) / count.max(1) as f64;
        if is_lying && !idx.is_multiple_of(whole((SIZE / slot).ceil()).max(1)) {
            continue;
        }
        let room = (plot.left - MARGIN - TICK).min(NAME_MAX);
        let label = cut(&tick.label, SIZE, room);
        let at = (plot.left - TICK - 3.0, y + SIZE * 0.35);
        pen.text(at, &label, (SIZE, Anchor::End, ""));
    }
    let has_names = figure.x.names().is_some();
    let is_turned = is_turned(&plot.x.ticks, figure, plot.right - plot.left);
    let slot = (plot.right - plot.left) / plot.x.ticks.len().max(1) as f64;
    let every = if is_turned {
        whole((LINE / slot).ceil()).max(1)
    } else {
        1
    };
    for (idx, tick) in plot.x.ticks.iter().enumerate() {
        let x = plot.across(tick.place);
        if !has_names {
            pen.line((x, plot.top), (x, plot.bottom), &grid);
        }
        if !idx.is_multiple_of(every) {
            continue;
        }
        pen.line((x, plot.bottom), (x, plot.bottom + TICK), &stroke);
        let y = plot.bottom + TICK + SIZE;
        if is_turned {
            let label = cut(&tick.label, SIZE, NAME_MAX);
            let turn = format!(
                " transform=\"rotate(-{TURN} {:.1} {:.1})\"",
                x + 3.0,
                y - 3.0
            );
            pen.text((x + 3.0, y - 3.0), &label, (SIZE, Anchor::End, &turn));
        } else {
            pen.text((x, y), &tick.label, (SIZE, Anchor::Middle, ""));
        }
    }
    pen.polyline(
        &[
            (plot.left, plot.top),
            (plot.left, plot.bottom),
            (plot.right, plot.bottom),
        ],
        &format!(" fill=\"none\"{stroke}"),
    );
    let centre = f64::midpoint(plot.left, plot.right);
    let title = cut(&printable(&figure.x.title()), SIZE, 2.0 * (centre - MARGIN));
    pen.text((centre, high - MARGIN), &title, (SIZE, Anchor::Middle, ""));
    let middle = f64::midpoint(plot.top, plot.bottom);
    let title = cut(&printable(&figure.y.title()), SIZE, high - 2.0 * MARGIN);
    let x = MARGIN + SIZE * 0.8;
    let turn = format!(" transform=\"rotate(-90 {x:.1} {middle:.1})\"");
    pen.text((x, middle), &title, (SIZE, Anchor::Middle, &turn));
}

/// Draws all bars together: the place of a bar depends on the others.
fn draw_bars(pen: &mut Pen, figure: &Figure, plot: &SvgPlot) {
    let bars = figure.bars();
    let is_lying = figure.is_lying();
    let is_stacked = figure.arrangement == Arrangement::Stacked;
    let n_categories = if is_lying { &plot.y } else { &plot.x }.ticks.len();
    let n_beside = if is_stacked { 1 } else { bars.len().max(1) };
    let mut bases = vec![0.0; n_categories];
    for (nth, (idx, values, labels)) in bars.into_iter().enumerate() {
        for (category, value) in values.iter().enumerate().take(n_categories) {
            let base = if is_stacked { bases[category] } else { 0.0 };
            let beside = if is_stacked { 0 } else { nth };
            let start = category as f64 + 0.1 + 0.8 * beside as f64 / n_beside as f64;
            let end = start + 0.8 / n_beside as f64;
            let places = [start, end].map(|value| value / n_categories as f64);
            let ruler = if is_lying { &plot.x } else { &plot.y };
            let (Some(from), Some(to)) = (ruler.place(base), ruler.place(base + value)) else {
                continue;
            };
            bases[category] += value;
            let corners = if is_lying {
                places.map(|place| plot.up(1.0 - place))
            } else {
                places.map(|place| plot.across(place))
            };
            let style = format!(" fill=\"{}\"", fill(idx));
            let label = labels.get(category).map(|label| printable(label));
            if is_lying {
                let (from, to) = (plot.across(from), plot.across(to));
                pen.rect((from, corners[0]), (to, corners[1]), &style);
                let y = f64::midpoint(corners[0], corners[1]) + SIZE * 0.35;
                let label = label.unwrap_or_default();
                if !is_stacked {
                    pen.text((to + 5.0, y), &label, (SIZE, Anchor::Start, ""));
                } else if width(&label, SIZE) + 4.0 < to - from {
                    let x = f64::midpoint(from, to);
                    let halo = " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
                    pen.text((x, y), &label, (SIZE, Anchor::Middle, halo));
                }
            } else {
                pen.rect(
                    (corners[0], plot.up(from)),
                    (corners[1], plot.up(to)),
                    &style,
                );
            }
        }
    }
}

fn draw(pen: &mut Pen, figure: &Figure, plot: &SvgPlot, (idx, series): (usize, &Series)) {
    match &series.shape {
        SeriesShape::Bars { .. } => {}
        SeriesShape::Histogram { edges, values } => {
            let is_alone = !figure.styled().any(|(other, series)| {
                other != idx && matches!(series.shape, SeriesShape::Histogram { .. })
            });
            draw_histogram(pen, plot, (idx, is_alone), (edges, values));
        }
        SeriesShape::Line { points, path } => draw_line(pen, plot, idx, (points, *path)),
        SeriesShape::Scatter(points) if is_binned(figure, points) => draw_fields(pen, plot, points),
        SeriesShape::Scatter(points) => {
            pen.svg.push_str("<g fill-opacity=\"0.45\">\n");
            for point in points.iter().filter_map(|point| plot.point(*point)) {
                pen.marker(idx, point, 2.2);
            }
            pen.svg.push_str("</g>\n");
        }
        SeriesShape::Intervals(intervals) => draw_intervals(pen, plot, idx, intervals),
        SeriesShape::Rule { from, to } => {
            if let (Some(from), Some(to)) = (plot.point(*from), plot.point(*to)) {
                pen.line(from, to, RULE);
            }
        }
    }
}

fn draw_histogram(
    pen: &mut Pen,
    plot: &SvgPlot,
    (idx, is_alone): (usize, bool),
    (edges, values): (&[f64], &[f64]),
) {
    let Some(ground) = plot.y(0.0) else { return };
    let mut outline = Vec::new();
    for (edges, value) in edges.windows(2).zip(values) {
        let corner = (plot.point((edges[0], *value)), plot.x(edges[1]));
        let (Some((left, up)), Some(right)) = corner else {
            continue;
        };
        if is_alone {
            let style = format!(" fill=\"{}\" stroke=\"#ffffff\"", colour(idx));
            pen.rect((left, ground), (right, up), &style);
        } else {
            outline.extend([(left, up), (right, up)]);
        }
    }
    if let (Some(first), Some(last)) = (outline.first().copied(), outline.last().copied()) {
        outline.insert(0, (first.0, ground));
        outline.push((last.0, ground));
        let colour = colour(idx);
        let style = format!(
            " fill=\"{colour}\" fill-opacity=\"0.15\" stroke=\"{colour}\" stroke-width=\"1.8\"{}",
            dash(idx)
        );
        pen.polyline(&outline, &style);
    }
}

fn draw_line(pen: &mut Pen, plot: &SvgPlot, idx: usize, (points, path): (&[(f64, f64)], Path)) {
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points.iter().filter_map(|point| plot.point(*point)) {
        if let Some((_, before)) = placed.last().copied().filter(|_| path == Path::Steps) {
            placed.push((x, before));
        }
        placed.push((x, y));
    }
    let stroke = format!(
        " fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{}",
        colour(idx),
        dash(idx)
    );
    if path != Path::Apart {
        pen.polyline(&placed, &stroke);
    }
    if matches!(path, Path::Marked | Path::Apart) {
        for place in placed {
            pen.marker(idx, place, 3.5);
        }
    }
}

fn draw_intervals(pen: &mut Pen, plot: &SvgPlot, idx: usize, intervals: &[Interval]) {
    let stroke = format!(" stroke=\"{}\" stroke-width=\"1.5\"", colour(idx));
    for interval in intervals {
        let ends = plot.y(interval.low).zip(plot.y(interval.high));
        let (Some(point), Some((low, high))) = (plot.point((interval.x, interval.y)), ends) else {
            continue;
        };
        pen.line((point.0, low), (point.0, high), &stroke);
        for y in [low, high] {
            pen.line((point.0 - 4.0, y), (point.0 + 4.0, y), &stroke);
        }
        pen.marker(idx, point, 3.8);
    }
}

/// Draws the non-empty fields, coloured by their numbers of points, and the key to the colours.
fn draw_fields(pen: &mut Pen, plot: &SvgPlot, points: &[(f64, f64)]) {
    let (wide, high) = (plot.right - plot.left, plot.bottom - plot.top);
    let (n_columns, n_rows) = (whole(wide / FIELD), whole(high / FIELD));
    let places = points
        .iter()
        .filter_map(|point| Some((plot.x.place(point.0)?, plot.y.place(point.1)?)));
    let bins = Bins::count((n_columns, n_rows), places);
    let (step_x, step_y) = (wide / n_columns.max(1) as f64, high / n_rows.max(1) as f64);
    let mut paths = vec![String::new(); LEVELS.len()];
    // Neighbours of one level are one rectangle.
    let mut run: Option<(usize, usize, usize, usize)> = None;
    let mut end = |run: Option<(usize, usize, usize, usize)>| {
        if let Some((level, row, from, to)) = run {
            let x = plot.left + from as f64 * step_x;
            let y = plot.bottom - (row + 1) as f64 * step_y;
            let width = (to - from) as f64 * step_x;
            paths[level].push_str(&format!(
                "M{x:.1},{y:.1}h{width:.1}v{step_y:.1}h-{width:.1}z"
            ));
        }
    };
    for (column, row, count) in bins.filled() {
        let level = level(count, bins.greatest(), LEVELS.len());
        run = match run {
            Some((same, of, from, to)) if (same, of, to) == (level, row, column) => {
                Some((same, of, from, to + 1))
            }
            before => {
                end(before);
                Some((level, row, column, column + 1))
            }
        };
    }
    end(run);
    for (path, colour) in paths.iter().zip(LEVELS).filter(|pair| !pair.0.is_empty()) {
        pen.push(format_args!("<path d=\"{path}\" fill=\"{colour}\"/>\n"));
    }
    let greatest = number(f64::from(bins.greatest()), 0);
    let least = "points per field: 1";
    let (size, y) = (10.0, plot.top - 6.0);
    let mut x = plot.right - width(&greatest, size) - 4.0;
    pen.text((plot.right, y), &greatest, (size, Anchor::End, ""));
    for colour in LEVELS.iter().rev() {
        x -= 9.0;
        let style = format!(" fill=\"{colour}\"");
        pen.rect((x, y - 7.0), (x + 9.0, y), &style);
    }
    pen.text((x - 4.0, y), least, (size, Anchor::End, ""));
}
