//! DEV

use super::super::*;
use crate::model::{Framework, Place, Span};
use crate::sandbox::{Choice, Sandbox, Tool};
use serde_json::Value;

fn strings(v: &Value) -> Vec<String> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect()
}
fn span(v: &Value) -> Span {
    Span::new(v[0].as_u64().unwrap() as u32, v[1].as_u64().unwrap() as u32)
}

#[test]
fn dev() {
    let Ok(path) = std::env::var("FAST_WORK") else {
        return;
    };
    let work: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let build: Build = serde_json::from_value(work["build"].clone()).unwrap();
    let files: Vec<HostFile> = work["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| HostFile {
            path: f["path"].as_str().unwrap().to_owned(),
            text: f["text"].as_str().unwrap().to_owned(),
            tests: f["tests"].as_array().unwrap().iter().map(span).collect(),
        })
        .collect();
    let candidates: Vec<Candidate> = work["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(id, c)| Candidate {
            id: id as u64,
            file_idx: c["file"].as_u64().unwrap() as usize,
            at: span(&c["at"]),
            text: c["text"].as_str().unwrap().to_owned(),
            nesting: strings(&c["nesting"]),
            package: c["package"].as_str().unwrap().to_owned(),
            name: c["name"].as_str().unwrap().to_owned(),
            framework: match c["framework"].as_str().unwrap() {
                "junit3" => Framework::JUnit3,
                "junit4" => Framework::JUnit4,
                "junit5" => Framework::JUnit5,
                "testng" => Framework::TestNg,
                _ => Framework::Unknown,
            },
            focal: c["focal"].as_object().map(|f| Focal {
                package: f["package"].as_str().unwrap().to_owned(),
                nesting: strings(&f["nesting"]),
                name: f["name"].as_str().unwrap().to_owned(),
                parameters: strings(&f["parameters"]),
                place: Place {
                    path: f["path"].as_str().unwrap().to_owned(),
                    span: Span::default(),
                },
                line: f["line"].as_u64().unwrap() as u32,
            }),
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let tool = Tool::find(Choice::Auto, &std::env::var_os("PATH").unwrap()).unwrap();
    let site = Site {
        sandbox: Sandbox::open(folder.path(), tool).unwrap(),
        cache: PathBuf::from("/tmp/fast/cache"),
        is_offline: true,
    };
    let options = Options {
        timeout: Duration::from_secs(
            std::env::var("FAST_TIMEOUT").map_or(10, |it| it.parse().unwrap()),
        ),
        n_jobs: std::env::var("FAST_JOBS").map_or(1, |it| it.parse().unwrap()),
        is_flat: std::env::var("FAST_FLAT").is_ok(),
        tells_entered: std::env::var("FAST_TRUTH").is_ok(),
        ..Options::default()
    };
    let mut fast = Fast::new(&site, &build, options);
    let start = std::time::Instant::now();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = String::new();
    let mut ms: Vec<u128> = Vec::new();
    let mut sink = |ran: Ran| {
        *counts.entry(format!("{:?}", ran.fate)).or_default() += 1;
        ms.extend(ran.elapsed.map(|it| it.as_millis()));
        let c = &candidates[ran.id as usize];
        out += &format!(
            "{}\n",
            serde_json::json!({"id": ran.id, "test": format!("{}.{}#{}", c.package, c.nesting.join("$"), c.name), "fate": format!("{:?}", ran.fate), "host": ran.host, "method": ran.method, "called": ran.is_called,
            "kind": ran.why.as_ref().and_then(|it| it.kind.clone()), "code": ran.why.as_ref().and_then(|it| it.code.clone()), "message": ran.why.as_ref().map(|it| it.message.clone()), "line": ran.why.as_ref().and_then(|it| it.line), "trace": ran.why.as_ref().and_then(|it| it.trace.clone()),
            "ms": ran.elapsed.map(|it| it.as_millis() as u64), "outside": ran.is_outside_suite,
            "focal": ran.focal.as_ref().map(|f| serde_json::json!([f.class, f.name, f.descriptor, [f.lines.missed, f.lines.covered], f.branches.map(|b| [b.missed, b.covered]), f.instructions.map(|b| [b.missed, b.covered]), f.by_line.len()])),
            "n_covered": ran.covered.len(), "entered": ran.entered.iter().take(6).map(|e| format!("{}#{} {} {}", e.class, e.name, e.depth, e.n_times)).collect::<Vec<_>>(), "n_entered": ran.entered.len()})
        );
        Ok(())
    };
    let result = fast.run(&files, &candidates, &Monitor::default(), &mut sink);
    fs::write(path.replace("work-", "out-"), &out).unwrap();
    ms.sort_unstable();
    let at = |q: usize| ms.get(ms.len() * q / 100).copied();
    eprintln!(
        "{path} {result:?} {counts:?} wall {:?} median {:?} p90 {:?} max {:?}",
        start.elapsed(),
        at(50),
        at(90),
        ms.last()
    );
}
