//! The command `trust`: what came with a folder and may name endpoints and keys once the user has seen which.
//!
//! A wish is the permissions that one model of a file asks for. Settings of a workspace are trusted as a whole; so is
//! an experiment, unless the user's settings have all that it names; and of a plan of shards the program that fetches.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::Context;
use crate::args;
use crate::command::links::{link_content, place};
use crate::command::{ask, config, workspace};
use crate::config::trust::Trust;
use crate::config::{Config, Model, SIZE_BYTES_MAX};
use crate::exchange::config::WireTrusted;
use crate::exchange::experiment::{Experiment, ExperimentValue, read_experiment};
use crate::exchange::write_line;
use crate::failure::{ExitCode, Failure, Stop};
use crate::generate::Endpoint;
use crate::scale::{Fetch, PLAN_FILE, planned_fetch};
use crate::table::visible;

/// Something that can be trusted: it is another one when its content changes.
struct TrustSubject {
    path: PathBuf,
    content: Vec<u8>,
    /// The permissions that it asks for, a line each.
    lines: Vec<String>,
}

/// The permissions that a model of a file asks for.
#[derive(Debug, PartialEq, Eq)]
struct ModelPermissions {
    model: String,
    endpoint: Option<String>,
    /// The name of the variable.
    key: Option<String>,
    allows_http: bool,
}

impl ModelPermissions {
    fn of(model: &Model) -> Self {
        Self {
            model: model.name.clone(),
            endpoint: model.get("endpoint").map(str::to_owned),
            key: model.get("key_env").map(str::to_owned),
            allows_http: model.get("allow_http") == Some("true"),
        }
    }

    fn line(&self) -> String {
        let endpoint = self.endpoint.as_deref().map(|endpoint| {
            // The secret part of an address is shown nowhere.
            let shown = Endpoint::parse(endpoint, true).map(|endpoint| endpoint.shown());
            shown.unwrap_or_else(|_| endpoint.to_owned())
        });
        let mut line = format!("model `{}`", self.model);
        match (&self.key, &endpoint) {
            (Some(key), Some(endpoint)) => {
                line.push_str(&format!(
                    ": sends prompts and the key in ${key} to {endpoint}"
                ));
            }
            (None, Some(endpoint)) => line.push_str(&format!(": sends prompts to {endpoint}")),
            (Some(key), None) => {
                line.push_str(&format!(": sends the key in ${key} to any `--endpoint`"));
            }
            (None, None) => line.push_str(": parameters"),
        }
        if self.allows_http {
            line.push_str(", also unencrypted");
        }
        line
    }

    /// Tells whether the user's settings have a model with the same permissions.
    fn is_settled(&self, config: &Config) -> bool {
        config.models.values().map(Self::of).any(|own| {
            own.endpoint == self.endpoint
                && (self.key.is_none() || own.key == self.key)
                && (!self.allows_http || own.allows_http)
        })
    }
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Trust) -> Result<(), Stop> {
    let trust = Trust::of_user().ok_or_else(|| {
        Failure::new(
            ExitCode::Input,
            "there is no home directory in which your trust can be kept",
        )
    })?;
    if arguments.list {
        return list(context, &trust, arguments.json);
    }
    if arguments.revoke {
        return revoke(context, &trust, arguments.path.as_deref());
    }
    let subjects = subjects(context, arguments.path.as_deref())?;
    if subjects.is_empty() {
        context.say("nothing there needs to be trusted");
        return Ok(());
    }
    for subject in &subjects {
        let path = visible(&subject.path.to_string_lossy());
        let known = if trust.holds(&subject.path, &subject.content) {
            " (trusted already)"
        } else {
            ""
        };
        writeln!(context.streams.out, "{path}{known}")?;
        for line in &subject.lines {
            writeln!(context.streams.out, "  {}", visible(line))?;
        }
    }
    context.streams.out.flush()?;
    if subjects
        .iter()
        .all(|subject| trust.holds(&subject.path, &subject.content))
    {
        return Ok(());
    }
    let is_agreed = if arguments.yes {
        Some(true)
    } else {
        ask::agreed(context, "trust this?")?
    };
    match is_agreed {
        Some(true) => {}
        Some(false) => return Err(ask::declined()),
        None => {
            return Err(Failure::new(
                ExitCode::Usage,
                "this is not a terminal, so focalist cannot ask",
            )
            .with_hint("`--yes` trusts everything listed")
            .into());
        }
    }
    for subject in &subjects {
        trust
            .give(&subject.path, &subject.content)
            .map_err(|error| cannot(&error))?;
    }
    context.say("trusted, as long as it does not change");
    Ok(())
}

fn cannot(error: &io::Error) -> Stop {
    Failure::new(
        ExitCode::Input,
        format!("cannot keep what you trust: {error}"),
    )
    .into()
}

fn list(context: &mut Context<'_, '_>, trust: &Trust, is_json: bool) -> Result<(), Stop> {
    for path in trust.list().map_err(|error| cannot(&error))? {
        let state = match content(&path) {
            Ok(content) if trust.holds(&path, &content) => "trusted",
            Ok(_) => "changed",
            Err(_) => "gone",
        };
        let path = path.to_string_lossy();
        if is_json {
            write_line(context.streams.out, &WireTrusted { path: &path, state })?;
        } else {
            writeln!(context.streams.out, "{state}  {}", visible(&path))?;
        }
    }
    Ok(())
}

fn revoke(context: &mut Context<'_, '_>, trust: &Trust, path: Option<&Path>) -> Result<(), Stop> {
    let mut is_revoked = false;
    for path in places(context, path) {
        is_revoked |= trust.revoke(&path).map_err(|error| cannot(&error))?;
    }
    context.say(if is_revoked {
        "not trusted any more"
    } else {
        "it was not trusted"
    });
    Ok(())
}

/// Lists the paths that a path may stand for, whether something is there or not.
fn places(context: &Context<'_, '_>, path: Option<&Path>) -> Vec<PathBuf> {
    let folder = match path {
        Some(path) => workspace::inside(path),
        None => workspace::folder(context),
    };
    let mut places = vec![place(&folder), config::place(&folder)];
    if let Some(path) = path {
        let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| place(path));
        places.extend([canonical(path), canonical(&path.join(PLAN_FILE))]);
    }
    places
}

/// Reads the trusted part of a path: the bytes of a file, the command of a plan, or the target of a link.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    if is_plan(path) {
        let fetch = planned_fetch(path).ok().flatten();
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        return fetch
            .map(|fetch| fetch.as_str().as_bytes().to_vec())
            .ok_or_else(gone);
    }
    if fs::symlink_metadata(path)?.is_symlink() {
        link_content(path)
    } else {
        read(path)
    }
}

/// Reads a file of at most [`SIZE_BYTES_MAX`] bytes.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    file.take(SIZE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > SIZE_BYTES_MAX {
        let why = format!("longer than {SIZE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(bytes)
}

fn subjects(context: &mut Context<'_, '_>, path: Option<&Path>) -> Result<Vec<TrustSubject>, Stop> {
    let folder = match path {
        None => workspace::folder(context),
        Some(path) if path.is_dir() => workspace::inside(path),
        Some(path) if config::is_of_workspace(path) => {
            path.parent().unwrap_or(Path::new(".")).to_owned()
        }
        Some(path) if is_plan(path) => return Ok(plan(path)?.into_iter().collect()),
        Some(path) => return Ok(experiment(context, path)?.into_iter().collect()),
    };
    let cannot_read = Failure::unreadable(&folder);
    let mut subjects = Vec::new();
    if let Some(path) = path.filter(|path| path.is_dir()) {
        subjects.extend(plan(&path.join(PLAN_FILE))?);
    }
    if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
        let target = fs::read_link(&folder).map_err(cannot_read)?;
        subjects.push(TrustSubject {
            path: place(&folder),
            content: link_content(&folder).map_err(cannot_read)?,
            lines: vec![format!("the workspace lies in {}", target.display())],
        });
    }
    if let Some(text) = config::read_workspace(&folder).map_err(cannot_read)? {
        let set = Config::of(&[("config.toml", &text)]);
        let of_models = set
            .models
            .values()
            .map(|model| ModelPermissions::of(model).line());
        let of_commands = set.commands.iter().map(|command| {
            let (key, words) = (&command.script.value, command.label());
            format!("key `{key}`: starts `{words}`")
        });
        let lines: Vec<String> = of_models.chain(of_commands).collect();
        if !lines.is_empty() {
            subjects.push(TrustSubject {
                path: config::place(&folder),
                content: text.into_bytes(),
                lines,
            });
        }
    }
    Ok(subjects)
}

fn is_plan(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PLAN_FILE)
}

/// Describes the permissions that a plan asks for: to start the program that fetches repositories.
fn plan(path: &Path) -> Result<Option<TrustSubject>, Stop> {
    let fetch = planned_fetch(path)
        .map_err(|error| Failure::new(ExitCode::Input, visible(&error.to_string())))?;
    Ok(fetch.map(|fetch| TrustSubject {
        path: fs::canonicalize(path).unwrap_or_else(|_| place(path)),
        content: fetch.as_str().as_bytes().to_vec(),
        lines: vec![format!("fetches repositories by `{}`", fetch.as_str())],
    }))
}

/// Tells whether the user trusts the plan's way of fetching.
pub fn trusts_fetch(plan: &Path, fetch: &Fetch) -> bool {
    let path = fs::canonicalize(plan).unwrap_or_else(|_| place(plan));
    Trust::of_user().is_some_and(|trust| trust.holds(&path, fetch.as_str().as_bytes()))
}

/// Trusts a plan's way of fetching because the user has just chosen it. Where that cannot be kept, mining a shard asks.
pub fn give_fetch(context: &mut Context<'_, '_>, plan: &Path, fetch: &Fetch) {
    let path = fs::canonicalize(plan).unwrap_or_else(|_| place(plan));
    let given = match Trust::of_user() {
        Some(trust) => trust.give(&path, fetch.as_str().as_bytes()),
        None => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    if let Err(error) = given {
        context.say(&format!(
            "warning: cannot keep that you trust `{}`: {error}; pass `--fetch` to `mine --shard` again",
            visible(&path.to_string_lossy())
        ));
    }
}

fn experiment(context: &Context<'_, '_>, path: &Path) -> Result<Option<TrustSubject>, Stop> {
    let content = read(path).map_err(Failure::unreadable(path))?;
    let text = String::from_utf8_lossy(&content);
    let experiment = read_experiment(&text).map_err(|flaw| {
        let message = format!("{}:{}: {}", path.display(), flaw.line, flaw.text);
        Failure::new(ExitCode::Input, visible(&message))
            .with_hint("a workspace's `config.toml`, an experiment or a plan can be trusted")
    })?;
    let wishes = requested_permissions(&experiment, &config::load(context));
    let lines: Vec<String> = wishes.iter().map(ModelPermissions::line).collect();
    Ok((!lines.is_empty()).then_some(TrustSubject {
        path: fs::canonicalize(path).unwrap_or_else(|_| place(path)),
        content,
        lines,
    }))
}

/// Lists the permissions that the models of an experiment ask for, where they say something themselves: with the key
/// that the settings have for a model where it would travel along.
fn requested_permissions(experiment: &Experiment, config: &Config) -> Vec<ModelPermissions> {
    let models = experiment.models.iter();
    models
        .filter_map(|model| permissions_of(model.get_ref(), config))
        .collect()
}

fn permissions_of(
    model: &BTreeMap<String, ExperimentValue>,
    config: &Config,
) -> Option<ModelPermissions> {
    let text = |key: &str| {
        let value = model.get(key)?;
        // Several addresses are none; together they are in nobody's settings.
        Some(value.texts().join(" "))
    };
    let (endpoint, key) = (text("endpoint"), text("key_env"));
    let allows_http = matches!(model.get("allow_http"), Some(ExperimentValue::Flag(true)));
    if endpoint.is_none() && key.is_none() && !allows_http {
        return None;
    }
    let name = text("model").unwrap_or_default();
    let own = config.models.get(&name);
    let of_own = own.and_then(|model| model.get("endpoint"));
    let is_own = endpoint.is_none() || of_own.is_none() || of_own == endpoint.as_deref();
    let own_key = own
        .and_then(|model| model.get("key_env"))
        .filter(|_| is_own);
    Some(ModelPermissions {
        key: key.or_else(|| own_key.map(str::to_owned)),
        endpoint: endpoint.or_else(|| of_own.map(str::to_owned)),
        model: name,
        allows_http,
    })
}

/// Checks that an experiment, as it was read, names nothing but what the user's settings have, or is trusted.
pub fn check_experiment(
    context: &Context<'_, '_>,
    file: &Path,
    read: (&str, &Experiment),
) -> Result<(), Stop> {
    let Some(message) = refused(context, file, read) else {
        return Ok(());
    };
    Err(Failure::new(ExitCode::Usage, message)
        .with_hint(visible(&format!(
            "`focalist trust {}` shows all of it and asks you",
            file.display()
        )))
        .into())
}

/// Tells why an experiment may not be carried out; nothing where it may.
pub fn refused(
    context: &Context<'_, '_>,
    file: &Path,
    (text, experiment): (&str, &Experiment),
) -> Option<String> {
    let config = config::load(context);
    let wishes = requested_permissions(experiment, &config);
    let first = wishes.iter().find(|wish| !wish.is_settled(&config))?;
    let path = fs::canonicalize(file).unwrap_or_else(|_| place(file));
    if Trust::of_user().is_some_and(|trust| trust.holds(&path, text.as_bytes())) {
        return None;
    }
    let message = format!(
        "`{}` is not trusted, and your settings do not have what it asks for: {}",
        file.display(),
        first.line()
    );
    Some(visible(&message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "[models.big]\nendpoint = \"https://host/v1\"\nkey_env = \"KEY\"\n\
        [models.bare]\nkey_env = \"BARE\"\n[models.local]\nendpoint = \"http://127.0.0.1/v1\"\n";

    fn check(model: &str, expected: Option<(&str, bool)>) {
        let config = Config::of(&[("c.toml", OWN)]);
        let text = format!("name = \"x\"\n[[models]]\n{model}");
        let experiment = read_experiment(&text).expect("it is sound");
        let wishes = requested_permissions(&experiment, &config);
        let found = wishes
            .first()
            .map(|wish| (wish.line(), wish.is_settled(&config)));
        let found = found.as_ref().map(|found| (found.0.as_str(), found.1));
        assert_eq!(found, expected, "{model}");
    }

    #[test]
    fn an_experiment_asks_for_what_the_settings_do_not_pair() {
        check("model = \"big\"", None);
        let line = "model `big`: sends prompts and the key in $KEY to https://host/v1";
        let big = "model = \"big\"\nendpoint = \"https://host/v1\"";
        check(big, Some((line, true)));
        let evil = "model = \"big\"\nendpoint = \"https://evil/v1\"";
        check(
            evil,
            Some(("model `big`: sends prompts to https://evil/v1", false)),
        );
        let line = "model `big`: sends prompts and the key in $AWS to https://host/v1";
        check("model = \"big\"\nkey_env = \"AWS\"", Some((line, false)));
        let line = "model `bare`: sends prompts and the key in $BARE to https://evil/v1";
        let bare = "model = \"bare\"\nendpoint = \"https://evil/v1\"";
        check(bare, Some((line, false)));
        let line = "model `m`: sends prompts to http://127.0.0.1/v1";
        let local = "model = \"m\"\nendpoint = \"http://127.0.0.1/v1\"";
        check(local, Some((line, true)));
        let line = "model `m`: sends prompts to http://127.0.0.1/v1, also unencrypted";
        check(&format!("{local}\nallow_http = true"), Some((line, false)));
    }

    #[test]
    fn what_is_secret_in_an_address_is_not_shown() {
        let text = "[models.m]\nendpoint = \"https://me:pw@host/v1?key=q\"\n";
        let config = Config::of(&[("c.toml", text)]);
        let line = ModelPermissions::of(&config.models["m"]).line();
        assert_eq!(line, "model `m`: sends prompts to https://host/v1");
    }
}
