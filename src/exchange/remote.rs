//! The identity of a project by its remote URL (DESIGN.md section 2).
//!
//! Decides when two URLs mean the same project; does not read any configuration. Mined projects and those of datasets
//! are named by the same rule, so that both mean the same project by the same name.

/// Derives the project identity of a remote: `github.com/google/gson`, however it was written.
///
/// Host and path are lower-case (the hosts that matter fold case), without scheme, user, port, `.git` and slashes at
/// the end: the same project over SSH and HTTPS is one. `None` for local paths and `file:` URLs, which name a place on
/// one machine, and for other texts.
pub fn of_url(url: &str) -> Option<String> {
    let (host, path) = host_and_path(url)?;
    let host = host.trim_end_matches('.').to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let path = path.to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_matches('/');
    if host.is_empty() || path.is_empty() {
        return None;
    }
    Some(format!("{host}/{path}"))
}

/// Returns the URL as given, without passwords and tokens; `None` where [`of_url`] finds no project.
pub fn public_url(url: &str) -> Option<String> {
    of_url(url)?;
    let url = url.trim();
    let Some((scheme, rest)) = url.split_once("://") else {
        // `git@host:path`: the user is part of how the host is addressed, and there is no password.
        return Some(url.to_owned());
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Some(url.to_owned());
    };
    let user = user.split(':').next().unwrap_or_default();
    // Over HTTP even a bare user name may be a token.
    if scheme.eq_ignore_ascii_case("ssh") && !user.is_empty() {
        Some(format!("{scheme}://{user}@{host}{path}"))
    } else {
        Some(format!("{scheme}://{host}{path}"))
    }
}

/// Finds host and path of `scheme://user@host:port/path` and of git's `user@host:path`.
fn host_and_path(url: &str) -> Option<(&str, &str)> {
    let url = url.trim();
    // `C:\src\gson` and `C:/src/gson` look like `host:path`.
    let is_drive = url.as_bytes().get(1) == Some(&b':')
        && url.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_drive {
        return None;
    }
    let (authority, path) = match url.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => return None,
        Some((_, rest)) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        // A slash before the colon: a path on this machine.
        None => url
            .split_once(':')
            .filter(|(host, _)| !host.contains('/'))?,
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    // The colons of an IPv6 address are in brackets.
    let port_at = match host.find(']') {
        Some(end) => end + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    Some((&host[..port_at], path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        assert_eq!(of_url(url).as_deref(), expected, "{url}");
    }

    #[test]
    fn every_way_to_write_a_remote_is_one_identity() {
        let gson = Some("github.com/google/gson");
        check("https://github.com/google/gson", gson);
        check("https://github.com/Google/gson.git", gson);
        check("https://GitHub.com/google/gson.git/", gson);
        check("https://github.com/google/gson/", gson);
        check("https://www.github.com/google/gson", gson);
        check("http://github.com/google/gson", gson);
        check("git://github.com/google/gson.git", gson);
        check("git@github.com:google/gson.git", gson);
        check("github.com:google/gson", gson);
        check("ssh://git@github.com/google/gson", gson);
        check("ssh://git@github.com:22/google/gson.git", gson);
        check("https://user:secret@github.com/google/gson", gson);
        check("https://token@github.com:443/google/gson", gson);
        check("  https://github.com/google/gson\n", gson);
        check("ssh://git@host:22/x/y", Some("host/x/y"));
        check("ssh://git@[::1]:22/x/y", Some("[::1]/x/y"));
        check(
            "https://gitlab.example.org/group/sub/project.git",
            Some("gitlab.example.org/group/sub/project"),
        );
    }

    #[test]
    fn a_place_on_one_machine_is_no_identity() {
        check("/srv/git/gson.git", None);
        check("../gson", None);
        check("./gson", None);
        check("file:///srv/git/gson.git", None);
        check("C:\\src\\gson", None);
        check("C:/src/gson", None);
        check("", None);
        check("https://github.com/", None);
        check("no URL at all", None);
        check("://", None);
    }

    #[test]
    fn passwords_and_tokens_are_not_kept() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(public_url(url).as_deref(), expected, "{url}");
        };
        check("https://u:p@h.org/x/y.git", Some("https://h.org/x/y.git"));
        check("https://token@h.org/x/y", Some("https://h.org/x/y"));
        check("ssh://git:p@h.org/x/y", Some("ssh://git@h.org/x/y"));
        check("git@h.org:x/y.git", Some("git@h.org:x/y.git"));
        check("https://h.org/x/@y", Some("https://h.org/x/@y"));
        check("/srv/git/x", None);
    }
}
