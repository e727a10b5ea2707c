//! The page itself: its policy, its parts in their order, its style and its script.
//!
//! The policy lets nothing in that is not named by its hash; what a script with a hash loads itself is trusted in the
//! folder, where the pieces are files beside the page (a page from a disk has no origin that a policy could name).

use super::html::{HtmlSection, hash, text};
use super::lists::EmbeddedList;
use super::{ReportForm, ReportGround};
use crate::model::{counted, grouped};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const FILTER: &str = include_str!("filter.js");

/// The predictions, which the script fills in.
const PREDICTIONS: &str = include_str!("predictions.html");

/// Writes the page of a report.
pub(super) fn report(
    ground: ReportGround<'_>,
    sections: &[HtmlSection],
    embedded: &EmbeddedList,
) -> String {
    let n = embedded.n as u64;
    let runs: Vec<&str> = ground
        .runs
        .iter()
        .map(|run| run.setting.name.as_str())
        .collect();
    let title = match runs.as_slice() {
        [one] => (*one).to_owned(),
        [first, .., last] if runs.len() > 3 => format!("{first} to {last}, {} runs", runs.len()),
        several => several.join(", "),
    };
    let about = format!(
        "{} of {}",
        counted(n, "prediction"),
        counted(runs.len() as u64, "run")
    );
    let mut body = parts(sections);
    body.push_str(&PREDICTIONS.replace("{n}", &grouped(n)));
    let data = |id: &str, json: &str| {
        format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n")
    };
    body.push_str(&data("head", &embedded.head));
    for (id, json) in [("rows", &embedded.rows), ("details", &embedded.details)] {
        if let Some(json) = json {
            body.push_str(&data(id, json));
        }
    }
    let script = format!("\"use strict\";\n{FILTER}{SCRIPT}");
    let mut links = links(sections);
    links.push_str("<li><a href=\"#predictions\">Predictions</a></li>");
    document(&PageDocument {
        title: &title,
        kind: "Report",
        about: &about,
        links: &links,
        body: &body,
        script: Some(&script),
        form: ground.options.form,
    })
}

/// Writes the page of a leaderboard.
pub(super) fn board(ground: ReportGround<'_>, sections: &[HtmlSection]) -> String {
    let about = counted(ground.runs.len() as u64, "run");
    document(&PageDocument {
        title: "Leaderboard",
        kind: "Leaderboard",
        about: &about,
        links: &links(sections),
        body: &parts(sections),
        script: None,
        form: ReportForm::Page,
    })
}

struct PageDocument<'a> {
    title: &'a str,
    kind: &'a str,
    about: &'a str,
    /// Items of the list of contents.
    links: &'a str,
    body: &'a str,
    script: Option<&'a str>,
    form: ReportForm,
}

fn links(sections: &[HtmlSection]) -> String {
    let item = |html_section: &HtmlSection| {
        format!(
            "<li><a href=\"#{}\">{}</a></li>",
            html_section.id, html_section.title
        )
    };
    sections.iter().map(item).collect()
}

fn parts(sections: &[HtmlSection]) -> String {
    let part = |html_section: &HtmlSection| {
        let (id, title, body) = (html_section.id, html_section.title, &html_section.body);
        format!(
            "<section id={id} aria-labelledby={id}-title>\n<h2 id={id}-title>{title}</h2>\n{body}</section>\n"
        )
    };
    sections.iter().map(part).collect()
}

/// Writes the page's policy: run the named script, and send no requests.
fn policy(script: Option<&str>, form: ReportForm) -> String {
    let scripts = match (script, form) {
        (None, _) => "'none'".to_owned(),
        (Some(script), ReportForm::Page) => {
            format!("{}; require-trusted-types-for 'script'", hash(script))
        }
        (Some(script), ReportForm::Folder) => format!("{} 'strict-dynamic'", hash(script)),
    };
    format!(
        "default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'; script-src {scripts}",
        hash(STYLE)
    )
}

fn document(document: &PageDocument<'_>) -> String {
    let policy = policy(document.script, document.form);
    let (title, about) = (text(document.title), text(document.about));
    let heading = if document.title == document.kind {
        title.clone()
    } else {
        format!("<span class=kind>{}</span> {title}", document.kind)
    };
    let (links, body) = (document.links, document.body);
    let script = document
        .script
        .map_or_else(String::new, |script| format!("<script>{script}</script>\n"));
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=referrer content=no-referrer>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <title>{title} · focalist</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{heading}</h1>\n<p>{about}</p>\n</header>\n\
         <nav aria-label=Contents><ul>{links}</ul></nav>\n\
         <main>\n{body}</main>\n<footer><p>Written by focalist {version}. This page asks nobody for anything.</p></footer>\n\
         {script}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_what_runs_and_lets_nothing_else_in() {
        let page = policy(Some("f()"), ReportForm::Page);
        assert!(
            page.contains(&format!("script-src {}", hash("f()"))),
            "{page}"
        );
        for text in [
            "default-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(page.contains(text), "{page}");
        }
        for text in ["unsafe", "http", "*", "'self'"] {
            assert!(!page.contains(text), "{page}");
        }
        assert!(policy(Some("f()"), ReportForm::Folder).ends_with("'strict-dynamic'"));
        assert!(policy(None, ReportForm::Page).ends_with("script-src 'none'"));
    }
}
