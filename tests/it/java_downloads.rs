//! The downloads of a Java project: from which servers, with which passwords and names, and the messages when they
//! fail.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set. A server on this machine stands for repositories that only a pom names.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use focalist::runner::java::{Machine, PrepareOptions};

use crate::java_attacks::{antrun, project_with};
use crate::java_faults::truth;
use crate::prepare::{TURN, has_tools, options, prepare, project, site};
use crate::support::{COUNTER_TEST, Place};

/// The answer of a server.
pub enum Reply {
    Found(Vec<u8>),
    Missing,
    /// Only with a password.
    Locked,
    /// Another server has it.
    Moved(String),
}

/// A request that a server received.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    /// The headers in lower case, one per line.
    headers: String,
}

impl Asked {
    fn has_secret(&self) -> bool {
        ["authorization:", "private-token:"]
            .iter()
            .any(|text| self.headers.contains(text))
    }
}

/// A server that records its requests.
pub struct Server {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
        let address = listener.local_addr().expect("it has one");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (all, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
                thread::spawn(move || talk(stream, &all, answer.as_ref()));
            }
        });
        Self {
            url: format!("http://{address}"),
            asked,
        }
    }

    /// Returns the requests below a path.
    pub fn asked(&self, below: &str) -> Vec<Asked> {
        let asked = self.asked.lock().expect("nobody has panicked");
        let here = asked.iter().filter(|asked| asked.path.starts_with(below));
        here.cloned().collect()
    }
}

/// Answers one request. The client may disconnect at any time.
fn talk(mut stream: TcpStream, all: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Reply) {
    let mut reader = BufReader::new(&stream);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|n| n > 0) && !head.ends_with("\r\n\r\n") {}
    let (first, headers) = head.split_once("\r\n").unwrap_or_default();
    let asked = Asked {
        path: first.split(' ').nth(1).unwrap_or_default().to_owned(),
        headers: headers.to_ascii_lowercase(),
    };
    let (status, more, body) = match answer(&asked) {
        Reply::Found(body) => ("200 OK", String::new(), body),
        Reply::Missing => ("404 Not Found", String::new(), Vec::new()),
        Reply::Locked => {
            let more = "WWW-Authenticate: Basic realm=\"x\"\r\n".to_owned();
            ("401 Unauthorized", more, Vec::new())
        }
        Reply::Moved(to) => ("302 Found", format!("Location: {to}\r\n"), Vec::new()),
    };
    all.lock().expect("nobody has panicked").push(asked);
    let n_bytes = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{more}Content-Length: {n_bytes}\r\nConnection: close\r\n\r\n"
    );
    let sent = stream.write_all(head.as_bytes());
    if sent.and_then(|()| stream.write_all(&body)).is_ok() {
        // The client must close the connection first.
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap_or_default();
    }
}

/// Builds options for a user with these Maven settings.
pub fn with_settings(place: &Place, root: PathBuf, settings: &str) -> PrepareOptions {
    let path = place.write("home/.m2/settings.xml", settings);
    let home = path.parent().and_then(|parent| parent.parent());
    let asked = options(root);
    PrepareOptions {
        machine: Machine {
            home: home.map(ToOwned::to_owned),
            ..asked.machine
        },
        ..asked
    }
}

/// Writes the repositories of a pom from their names and addresses.
fn repositories(all: &[(&str, &str)]) -> String {
    let words = all
        .iter()
        .map(|(id, url)| format!("<repository><id>{id}</id><url>{url}</url></repository>"));
    format!("<repositories>{}</repositories>", words.collect::<String>())
}

/// Writes a project with a dependency and its own repositories.
fn project_from(place: &Place, name: &str, dependency: &str, all: &[(&str, &str)]) -> PathBuf {
    let root = project_with(place, name, (dependency, ""));
    let pom = root.join("pom.xml");
    let text = fs::read_to_string(&pom).expect("it is there");
    let end = "<dependencies>";
    let text = text.replacen(end, &format!("{}{end}", repositories(all)), 1);
    fs::write(&pom, text).expect("it is written");
    root
}

/// A dependency that no repository has.
const NONE: &str = "<dependency><groupId>none</groupId><artifactId>none</artifactId><version>1</version></dependency>";

#[test]
fn a_password_goes_only_where_the_users_own_settings_pair_it_with() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let server = Server::start(|asked| {
        if asked.headers.contains("authorization:") {
            Reply::Missing
        } else {
            Reply::Locked
        }
    });
    let (theirs, own) = (format!("{}/pom", server.url), format!("{}/own", server.url));
    let of_server = |id: &str| {
        format!(
            "<server><id>{id}</id><username>ada</username><password>secret</password>
             <configuration><httpHeaders><property><name>Private-Token</name><value>secret</value></property>
             </httpHeaders></configuration></server>"
        )
    };
    let settings = format!(
        "<settings><servers>{}{}</servers><profiles><profile><id>own</id>{}</profile></profiles>
         <activeProfiles><activeProfile>own</activeProfile></activeProfiles></settings>",
        of_server("company"),
        of_server("others"),
        repositories(&[("company", &own)]),
    );
    let root = project_from(&place, "asking", NONE, &[("others", &theirs)]);
    let built = prepare(&site(), &with_settings(&place, root, &settings)).build;
    assert!(built.modules.is_empty(), "nobody has what it needs");
    let strangers = server.asked("/pom/");
    assert!(!strangers.is_empty(), "its own repository is asked");
    let told: Vec<&Asked> = strangers
        .iter()
        .filter(|stranger| stranger.has_secret())
        .collect();
    assert!(told.is_empty(), "{told:?}");
    let own = server.asked("/own/");
    assert!(own.iter().any(Asked::has_secret), "{own:?}");
}

#[test]
fn a_repository_that_sends_elsewhere_takes_no_password_along() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    assert!(sent_elsewhere("password", ""), "others are asked");
    // The downloading program would send these to others, too.
    for (name, headers) in [
        ("headers", "<httpHeaders>HEADER</httpHeaders>"),
        (
            "more",
            "<httpConfiguration><get><headers>HEADER</headers></get></httpConfiguration>",
        ),
    ] {
        let header = "<property><name>Private-Token</name><value>secret</value></property>";
        let headers = headers.replace("HEADER", header);
        let is_asked = sent_elsewhere(name, &format!("<configuration>{headers}</configuration>"));
        assert!(!is_asked, "nobody else is asked");
    }
}

/// Lets a repository from the user's own settings redirect clients that have its password; returns whether other
/// servers were asked, and checks that these received no password.
fn sent_elsewhere(name: &str, more: &str) -> bool {
    let place = Place::new();
    let other = Server::start(|asked| {
        if asked.has_secret() {
            Reply::Missing
        } else {
            Reply::Locked
        }
    });
    // A host with another name, and the same host with another port, are both other servers.
    let of_name = other.url.replace("127.0.0.1", "localhost");
    let of_port = other.url.clone();
    let own = Server::start(move |asked| {
        let is_jar = Path::new(&asked.path)
            .extension()
            .is_some_and(|extension| extension == "jar");
        let there = if is_jar { &of_port } else { &of_name };
        if asked.has_secret() {
            Reply::Moved(format!("{there}/moved{}", asked.path))
        } else {
            Reply::Locked
        }
    });
    let url = format!("{}/own", own.url);
    let settings = format!(
        "<settings><servers><server><id>company</id><username>ada</username><password>secret</password>{more}</server>
         </servers><profiles><profile><id>own</id>{}</profile></profiles>
         <activeProfiles><activeProfile>own</activeProfile></activeProfiles></settings>",
        repositories(&[("company", &url)]),
    );
    let root = project_from(&place, name, NONE, &[]);
    prepare(&site(), &with_settings(&place, root, &settings));
    let asked = own.asked("/own/");
    assert!(asked.iter().any(Asked::has_secret), "{asked:?}");
    let moved = other.asked("/moved/");
    let told: Vec<&Asked> = moved.iter().filter(|asked| asked.has_secret()).collect();
    assert!(told.is_empty(), "{told:?}");
    !moved.is_empty()
}

/// An empty archive.
const EMPTY_JAR: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// Writes the part of a build that needs something that its poms do not name: it reports to focalist that this is
/// missing, and fails.
fn telling(coordinates: &str, more: &str) -> String {
    let line = format!("{{\"event\":\"missing\",\"coordinates\":\"{coordinates}\"}}");
    let line = line.replace('"', "&quot;");
    antrun(&format!(
        "<echo file=\"${{focalist.out}}\" append=\"true\" message=\"{line}${{line.separator}}\"/>{more}
         <fail message=\"it needs more\"/>"
    ))
}

#[test]
fn a_build_makes_nobody_ask_for_names_of_its_own() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let server = Server::start(|asked| {
        let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>mine</groupId><artifactId>mine</artifactId>
                   <version>1</version></project>";
        match asked.path.as_str() {
            "/own/mine/mine/1/mine-1.pom" => Reply::Found(pom.as_bytes().to_vec()),
            "/own/mine/mine/1/mine-1.jar" => Reply::Found(EMPTY_JAR.to_vec()),
            _ => Reply::Missing,
        }
    });
    let own = format!("{}/own", server.url);
    let of = |name: &str, build: &str| {
        let root = project_with(&place, name, (&NONE.replace("none", "mine"), build));
        let pom = root.join("pom.xml");
        let text = fs::read_to_string(&pom).expect("it is there");
        let all = repositories(&[("own", &own)]);
        let text = text.replacen("<dependencies>", &format!("{all}<dependencies>"), 1);
        fs::write(&pom, &text).expect("it is written");
        (root, text)
    };
    // Through the name of an artifact, and through a version of one that poms name.
    let (root, _) = of("naming", &telling("secret.of:the-host:jar:41", ""));
    let built = prepare(&site(), &options(root)).build;
    let refused = "no pom leads to it: secret.of:the-host:jar:41";
    assert!(
        built.modules.is_empty() && built.notes.iter().any(|note| note.contains(refused)),
        "{:?}",
        built.notes
    );
    let (root, _) = of("numbering", &telling("junit:junit:jar:41.secret", ""));
    prepare(&site(), &options(root));
    // Through poms that the build writes before it requests what they seem to have always named.
    let (root, text) = of("writing", "");
    let dependency = NONE.replace("none", "secret");
    let written = text.replacen("<dependencies>", &format!("<dependencies>{dependency}"), 1);
    let replace = r#"<copy file="other.xml" tofile="pom.xml" overwrite="true"/>
         <mkdir dir=".mvn"/><echo file=".mvn/maven.config" message="-Dsecret=secret"/>"#;
    let build = telling("org.hamcrest:hamcrest-core:jar:1.3", replace);
    fs::write(root.join("other.xml"), written).expect("it is written");
    let text = text.replace("<build></build>", &format!("<build>{build}</build>"));
    assert!(text.contains("hamcrest-core"), "it asks");
    fs::write(root.join("pom.xml"), text).expect("it is written");
    prepare(&site(), &options(root));
    let asked = server.asked("/");
    assert!(!asked.is_empty(), "it is one of the repositories");
    let told: Vec<&Asked> = asked
        .iter()
        .filter(|asked| asked.path.contains("secret"))
        .collect();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn why_something_could_not_be_downloaded_is_told_with_what_helps() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let server = Server::start(|_| Reply::Locked);
    let locked = format!("{}/own", server.url);
    let check = |name: &str, url: &str, expected: [&str; 2]| {
        let root = project_from(&place, name, NONE, &[("others", url)]);
        let build = prepare(&site(), &options(root)).build;
        let [root] = build.unbuilt.as_slice() else {
            panic!("{:?}", build.unbuilt)
        };
        let first = root.reason.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("cannot be downloaded: "),
            "{}",
            root.reason
        );
        assert!(first.contains(expected[0]), "{}", root.reason);
        assert!(root.reason.contains(expected[1]), "{}", root.reason);
    };
    check("locked", &locked, ["401", "in your Maven settings"]);
    check(
        "unknown",
        "https://nowhere.invalid/own",
        ["nowhere.invalid", "its host is not known here"],
    );
}

/// Returns a file of Jupiter in versions that only the test's repository has, built from a published one.
fn own_jupiter(shared: &Path, asked: &Asked) -> Option<Vec<u8>> {
    let path = asked.path.strip_prefix("/own/")?;
    if !path.contains("-own") {
        return None;
    }
    let file = shared.join(path.replace("-own", ""));
    let bytes = fs::read(&file).ok()?;
    if file.extension().is_none_or(|extension| extension != "pom") {
        return Some(bytes);
    }
    let mut text = String::from_utf8(bytes).ok()?;
    for version in ["5.10.2", "1.10.2"] {
        let of = format!("<version>{version}</version>");
        text = text.replace(&of, &format!("<version>{version}-own</version>"));
    }
    Some(text.into_bytes())
}

#[test]
fn a_jupiter_that_only_a_poms_repository_has_runs_tests() {
    if !has_tools() {
        return;
    }
    let turn = TURN.lock();
    let place = Place::new();
    // The build whose files the server's versions are made from.
    let build = prepare(&site(), &options(project("several"))).build;
    let server = Server::start(move |asked| match own_jupiter(&build.shared, asked) {
        Some(bytes) => Reply::Found(bytes),
        None => Reply::Missing,
    });
    let own = format!("{}/own/", server.url);
    let jupiter =
        "<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter-api</artifactId>
                   <version>5.10.2-own</version><scope>test</scope></dependency>";
    let root = project_from(&place, "inner", jupiter, &[("own", &own)]);
    let test = COUNTER_TEST
        .replace("org.junit.Assert.", "org.junit.jupiter.api.Assertions.")
        .replace("org.junit.Test", "org.junit.jupiter.api.Test");
    place.write("inner/src/test/java/p/CounterTest.java", test);
    let found = truth(&place, &[&root], &[]);
    drop(turn);
    let words: Vec<&str> = found.iter().map(|found| found.1.trim()).collect();
    assert_eq!(words, ["correct"], "{found:?}");
}

#[test]
fn arguments_that_a_project_gives_maven_put_nothing_into_what_projects_share() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    // A repository that has everything, but with wrong contents.
    let server = Server::start(|_| Reply::Found(b"evil".to_vec()));
    let everything = format!("{}/evil", server.url);
    let named = "<dependency><groupId>evil</groupId><artifactId>evil</artifactId><version>1</version></dependency>";
    let root = project_with(&place, "arguing", (named, ""));
    let settings = format!(
        "<settings><mirrors><mirror><id>evil</id><mirrorOf>*</mirrorOf><url>{everything}</url></mirror></mirrors></settings>"
    );
    place.write("arguing/.mvn/settings.xml", settings);
    place.write(
        "arguing/.mvn/maven.config",
        "-s\n.mvn/settings.xml\n-Dmaven.repo.local=target/other\n-Dfocalist.fetch=\n-Dfocalist.lower=\n-U\n",
    );
    let built = prepare(&site(), &options(root)).build;
    let asked = server.asked("/");
    assert!(asked.is_empty(), "{asked:?}");
    let folder = built.shared.join("evil/evil/1");
    // That an artifact is missing may be recorded there.
    assert!(!folder.join("evil-1.jar").exists() && !folder.join("evil-1.pom").exists());
    let good = project_with(&place, "good", ("", ""));
    let built = prepare(&site(), &options(good)).build;
    assert_eq!(built.modules.len(), 1, "{:?}", built.unbuilt);
}
