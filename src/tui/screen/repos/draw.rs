//! The drawing of Repos: the table, the facts about one repository, and its problems.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::mine::language_name;
use crate::model::{Problem, RepoKey, RepoRow, SampleRow, Status};
use crate::screen::cells::{StyledLine, aligned};
use crate::screen::docs::{status_glyph, status_role, status_word};
use crate::screen::repos::Repos;
use crate::screen::repos::questions::RepoDetail;
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, cut, cut_class, cut_start, fit, inside, pieces, span};

/// A column of the table: its head, its width, and its cell for a repository.
struct RepoColumn {
    title: &'static str,
    width: usize,
    is_number: bool,
    cell: fn(&RepoRow) -> (String, Role),
}

const fn number(
    title: &'static str,
    width: usize,
    cell: fn(&RepoRow) -> (String, Role),
) -> RepoColumn {
    RepoColumn {
        title,
        width,
        is_number: true,
        cell,
    }
}

/// The columns behind the name; on a narrow screen the last ones are left out.
const COLUMNS: &[RepoColumn] = &[
    number("tests", 8, |repo_row| {
        (count(repo_row.n_tests), Role::Strong)
    }),
    number("matched", 9, |repo_row| {
        (percent(repo_row.n_mapped, repo_row.n_tests), Role::Text)
    }),
    number("abstained", 11, |repo_row| {
        of_note(repo_row.n_abstained, Role::Text)
    }),
    number("unparsable", 12, |repo_row| {
        of_note(repo_row.n_unparsable, Role::Warning)
    }),
    number("problems", 10, |repo_row| {
        of_note(repo_row.n_problems, Role::Warning)
    }),
    number("samples", 9, |repo_row| {
        (count(repo_row.n_samples), Role::Text)
    }),
    number("files", 8, |repo_row| (count(repo_row.n_files), Role::Text)),
    RepoColumn {
        title: "licence",
        width: 14,
        is_number: false,
        cell: license,
    },
    RepoColumn {
        title: "commit",
        width: 12,
        is_number: false,
        cell: |repo_row| (commit(repo_row), Role::Dim),
    },
];
/// The least width of names; other columns are left out for it.
const NAME_MIN: usize = 14;
const NAME_MAX: usize = 26;
/// The width of the label before a fact.
const LABEL: usize = 10;
const BAR: usize = 20;

impl Repos {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let areas = self.areas;
        let n = self.rows.ready().map(|rows| count(rows.len() as u64));
        let note = n.unwrap_or_default();
        let pane = |title, note, has_focus| Pane {
            title,
            note,
            has_focus,
        };
        pane("repositories", &note, true).draw(areas.table, buffer, context.theme);
        self.draw_table(inside(areas.table), buffer, context);
        let name = self.selected().map(|repo_row| visible(&repo_row.repo.name));
        let lines = self.repo_lines(usize::from(inside(areas.about).width));
        let title = name.clone().unwrap_or_else(|| "repository".to_owned());
        let note = below(lines.len(), self.lower_top, areas.about);
        pane(&title, &note, false).draw(areas.about, buffer, context.theme);
        draw_lines(&lines, self.lower_top, inside(areas.about), buffer, context);
        if let Some(area) = areas.tests {
            let lines = self.test_lines(usize::from(inside(area).width));
            let title = name.map_or_else(String::new, |name| format!(" · {name}"));
            let note = self
                .selected()
                .map(|repo_row| count(repo_row.n_tests))
                .unwrap_or_default();
            pane(&format!("tests{title}"), &note, false).draw(area, buffer, context.theme);
            draw_lines(&lines, 0, inside(area), buffer, context);
        }
    }

    /// Computes how far the facts can be scrolled.
    pub(super) fn lower_most(&self) -> usize {
        let area = inside(self.areas.about);
        let n_lines = self.repo_lines(usize::from(area.width)).len();
        n_lines.saturating_sub(usize::from(area.height))
    }

    fn draw_table(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (text, role) = match &self.rows {
            AnswerState::Waiting => ("reading the index …", Role::Dim),
            AnswerState::Failed(text) => (text.as_str(), Role::Error),
            AnswerState::NoIndex => ("nothing has been mined here yet", Role::Warning),
            AnswerState::Ready(rows) if rows.is_empty() => {
                ("the index holds no repository", Role::Warning)
            }
            AnswerState::Ready(rows) => {
                self.draw_rows(rows, area, buffer, context);
                return;
            }
        };
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        pieces(row, &[(text, role)], buffer, context.theme);
    }

    fn draw_rows(
        &self,
        rows: &[RepoRow],
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let keys: Vec<_> = rows.iter().map(|row| row.repo.key()).collect();
        let says_language = RepoKey::have_several_languages(&keys);
        let name_of = |row: &RepoRow| {
            let name = visible(&row.repo.name);
            if says_language {
                format!("{name} · {}", language_name(row.repo.language))
            } else {
                name
            }
        };
        let widest = rows.iter().map(|row| name_of(row).width()).max();
        let name_min = widest.unwrap_or(0).clamp(NAME_MIN, NAME_MAX);
        let (columns, name_width) = columns_in(usize::from(area.width), name_min);
        let mut head: StyledLine = vec![(format!("  {}", fit("name", name_width)), Role::Dim)];
        head.extend(columns.iter().map(|column| {
            let title = aligned(column.title, column.width - 1, column.is_number);
            (format!(" {title}"), Role::Dim)
        }));
        draw_lines(&[head], 0, area, buffer, context);
        let shown = rows.iter().enumerate().skip(self.top());
        for ((idx, row), y) in shown.zip(area.y + 1..area.bottom()) {
            let mut line: StyledLine =
                vec![(format!("  {}", fit(&name_of(row), name_width)), Role::Text)];
            line.extend(columns.iter().map(|column| {
                let (text, role) = (column.cell)(row);
                (
                    format!(" {}", aligned(&text, column.width - 1, column.is_number)),
                    role,
                )
            }));
            let at = Rect::new(area.x, y, area.width, 1);
            draw_lines(&[line], 0, at, buffer, context);
            if idx == self.cursor {
                buffer.set_style(at, context.theme.style(Role::Selected));
                buffer.set_string(at.x, at.y, "▌", context.theme.style(Role::Focus));
            }
        }
    }

    /// Returns the facts about the repository under the cursor, once they have been read.
    fn about(&self) -> Option<&RepoDetail> {
        let key = self.selected()?.repo.key();
        self.about
            .as_ref()
            .filter(|repo_detail| repo_detail.key == key)
    }

    /// Writes the lines about the repository under the cursor; its tests are among them where they have no pane of
    /// their own.
    fn repo_lines(&self, width: usize) -> Vec<StyledLine> {
        let Some(row) = self.selected() else {
            return Vec::new();
        };
        let about = self.about();
        let mut lines = facts(row, about, width);
        if let Some(about) = about {
            lines.push(StyledLine::new());
            lines.extend(
                about
                    .by_status
                    .iter()
                    .map(|by_status| bar(*by_status, row.n_tests)),
            );
        }
        lines.push(StyledLine::new());
        lines.push(title("problems", row.n_problems));
        lines.extend(
            self.shown()
                .map(|repo_problem| problem(repo_problem, width)),
        );
        if self.areas.tests.is_none() {
            lines.push(StyledLine::new());
            lines.push(title("tests", row.n_tests));
            lines.extend(self.test_lines(width));
        }
        lines
    }

    fn test_lines(&self, width: usize) -> Vec<StyledLine> {
        let tests = self
            .about()
            .map_or(&[][..], |repo_detail| &repo_detail.tests);
        tests
            .iter()
            .map(|sample_row| test(sample_row, width))
            .collect()
    }
}

/// Chooses as many columns as fit beside names, and computes the width of the names.
fn columns_in(width: usize, name_min: usize) -> (&'static [RepoColumn], usize) {
    let room = width.saturating_sub(3);
    let mut used = 0;
    let fits = |repo_column: &&RepoColumn| {
        used += repo_column.width;
        used + name_min <= room
    };
    let n = COLUMNS.iter().take_while(fits).count();
    let columns = &COLUMNS[..n];
    let used: usize = columns.iter().map(|column| column.width).sum();
    (columns, room.saturating_sub(used))
}

fn percent(n: u64, n_all: u64) -> String {
    match (n * 100 + n_all / 2).checked_div(n_all) {
        None => "–".to_owned(),
        Some(0) if n > 0 => "<1 %".to_owned(),
        Some(percent) => format!("{percent} %"),
    }
}

/// Writes a count; only one above 0 gets the role, because it deserves a look.
fn of_note(n: u64, role: Role) -> (String, Role) {
    if n == 0 {
        (count(n), Role::Dim)
    } else {
        (count(n), role)
    }
}

fn license(row: &RepoRow) -> (String, Role) {
    match &row.repo.license {
        Some(license) => (visible(license), Role::Text),
        None => ("none found".to_owned(), Role::Warning),
    }
}

fn commit(row: &RepoRow) -> String {
    let dirty = if row.repo.dirty == Some(true) {
        "+"
    } else {
        ""
    };
    let commit = row.repo.commit.as_deref().unwrap_or("–");
    format!("{}{dirty}", commit.get(..9).unwrap_or(commit))
}

fn facts(row: &RepoRow, about: Option<&RepoDetail>, width: usize) -> Vec<StyledLine> {
    let repo = &row.repo;
    let room = width.saturating_sub(LABEL + 2);
    let fact = |label: &str, (text, role): (String, Role)| -> StyledLine {
        vec![(format!(" {}", fit(label, LABEL)), Role::Dim), (text, role)]
    };
    let plain = |text: String| (text, Role::Text);
    let mut kind = language_name(repo.language).to_owned();
    if let Some(tool) = repo.build_tool {
        kind = format!("{kind} · {}", tool.as_str());
    }
    let dirty = if repo.dirty == Some(true) {
        " and changes"
    } else {
        ""
    };
    let commit = repo.commit.as_deref().unwrap_or("no checkout");
    let commit = format!("{}{dirty}", commit.get(..12).unwrap_or(commit));
    let mined = about.and_then(|repo_detail| repo_detail.mined_ago_ms);
    let mined = mined.map_or_else(
        || ("by an unknown job".to_owned(), Role::Dim),
        |ms| plain(format!("{} ago", span(ms))),
    );
    let root = about.and_then(|repo_detail| repo_detail.root.as_ref());
    let root = root.map_or_else(
        || ("came with a dataset".to_owned(), Role::Dim),
        |root| plain(cut_start(&visible(&root.to_string_lossy()), room)),
    );
    let files = format!(
        "{} · {} unparsable",
        count(row.n_files),
        count(row.n_unparsable)
    );
    let matched = format!(
        "{} of {} tests",
        percent(row.n_mapped, row.n_tests),
        count(row.n_tests)
    );
    let mut lines = vec![
        fact("project", plain(cut_start(&visible(&repo.identity), room))),
        fact("language", plain(kind)),
        fact("licence", license(row)),
        fact("commit", plain(commit)),
    ];
    if about.is_some() {
        lines.extend([fact("folder", root), fact("mined", mined)]);
    }
    lines.extend([
        fact("files", plain(files)),
        fact("matched", plain(matched)),
        fact("samples", plain(count(row.n_samples))),
    ]);
    lines
}

fn title(text: &str, n: u64) -> StyledLine {
    vec![
        (format!(" {text}"), Role::Title),
        (format!(" · {}", count(n)), Role::Dim),
    ]
}

/// Writes the line of a status: its number of tests as a bar, a count and a share.
fn bar((status, n): (Status, u64), n_all: u64) -> StyledLine {
    let n_full = (n * BAR as u64).div_ceil(n_all.max(1)).min(BAR as u64) as usize;
    vec![
        (format!(" {} ", status_glyph(status)), status_role(status)),
        (fit(status_word(status), LABEL), Role::Text),
        ("█".repeat(n_full), Role::Gauge),
        ("░".repeat(BAR - n_full), Role::GaugeRest),
        (format!("{:>8}", count(n)), Role::Strong),
        (format!("{:>7}", percent(n, n_all)), Role::Dim),
    ]
}

fn test(row: &SampleRow, width: usize) -> StyledLine {
    let focal = row.focal.as_deref().map_or_else(String::new, visible);
    let room = width.saturating_sub(4);
    let (class, name) = (visible(&row.test_class), visible(&row.test_name));
    let test = cut_class(&class, &name, room);
    let left = room.saturating_sub(test.width() + 3);
    let focal = if focal.is_empty() || left < 8 {
        String::new()
    } else {
        format!(" → {}", cut(&focal, left))
    };
    let glyph = format!(" {} ", status_glyph(row.status));
    vec![
        (glyph, status_role(row.status)),
        (test, Role::Text),
        (focal, Role::Dim),
    ]
}

fn problem(problem: &Problem, width: usize) -> StyledLine {
    let line = problem
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    let reason = fit(&problem.reason.as_str().replace('_', " "), 11);
    let place = format!("{}{line}", visible(&problem.path));
    let detail = visible(&problem.detail);
    let separator = if detail.is_empty() { "" } else { "  " };
    vec![
        (format!(" {reason}"), Role::Warning),
        (cut(&place, width.saturating_sub(12)), Role::Text),
        (format!("{separator}{detail}"), Role::Dim),
    ]
}

/// Counts the lines below the visible part.
fn below(n_lines: usize, top: usize, area: Rect) -> String {
    match n_lines.saturating_sub(top + usize::from(inside(area).height)) {
        0 => String::new(),
        n => format!("↓{n}"),
    }
}

fn draw_lines(
    lines: &[StyledLine],
    top: usize,
    area: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    for (line, y) in lines.iter().skip(top).zip(area.y..area.bottom()) {
        let parts: Vec<(&str, Role)> = line.iter().map(|line| (line.0.as_str(), line.1)).collect();
        let row = Rect::new(area.x, y, area.width, 1);
        pieces(row, &parts, buffer, context.theme);
    }
}
