//! Logs as the harness writes them, packed in each way, cut off, damaged and hostile. Logs that it wrote itself are read in
//! `tests/it/logs.rs`.

use std::io::{Seek, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::json;

use super::*;

const HEADER: &str =
    r#"{"version":2,"status":"success","eval":{"task":"t","model":"m/n"},"results":null}"#;
const SAMPLE: &str =
    r#"{"id":"a","epoch":1,"messages":[{"content":"x"}],"output":{"completion":"y"},"events":[1]}"#;

fn packed(method: CompressionMethod, text: &[u8]) -> Vec<u8> {
    match method {
        CompressionMethod::DEFLATE => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        }
        CompressionMethod::ZSTD => zstd::encode_all(text, 3).expect("memory takes it"),
        _ => text.to_vec(),
    }
}

/// Returns an archive of members, each packed by a method.
fn zip(members: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, method, text) in members {
        let file = archive.new_file(name).compression_method(*method);
        let (mut entry, config) = file.start().expect("memory takes it");
        // The counting writer gets the unpacked bytes, the packed ones bypass it.
        let mut counted = config.wrap(io::sink());
        counted.write_all(text).expect("it is counted");
        let (_, descriptor) = counted.finish().expect("it is counted");
        entry
            .write_all(&packed(*method, text))
            .expect("memory takes it");
        entry.finish(descriptor).expect("memory takes it");
    }
    archive.finish().expect("memory takes it");
    bytes
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("tests may make files");
    file.write_all(bytes).expect("the file takes it");
    file.rewind().expect("the file can be read");
    file
}

/// Returns a part for people: the task and whether it is finished, or a sample.
fn shown(part: LogPart) -> String {
    match part {
        LogPart::Head(head) => {
            let model = head.eval.model.as_deref().unwrap_or("?");
            format!("{model} {}", head.is_finished())
        }
        LogPart::Sample(Record { line, fields }) => match fields {
            Ok(fields) => format!("{line} {}", Value::Object(fields)),
            Err(detail) => format!("{line} wrong: {detail}"),
        },
    }
}

fn parts(
    read: impl FnOnce(&mut dyn FnMut(LogPart) -> Result<(), &'static str>) -> Result<(), &'static str>,
) -> Vec<String> {
    let mut parts = Vec::new();
    read(&mut |part| {
        parts.push(shown(part));
        Ok(())
    })
    .expect("nobody stops it");
    parts
}

fn check_archive(bytes: &[u8], expected: &[&str]) {
    let found = parts(|each| each_in_archive(file(bytes), each));
    assert_eq!(found, expected);
}

const READ: &str = r#"1 {"epoch":1,"id":"a","output":{"completion":"y"}}"#;

#[test]
fn members_are_read_however_they_are_packed() {
    for method in [
        CompressionMethod::STORE,
        CompressionMethod::DEFLATE,
        CompressionMethod::ZSTD,
    ] {
        let bytes = zip(&[
            (
                "_journal/start.json",
                method,
                b"{\"eval\":{\"model\":\"other\"}}",
            ),
            ("samples/a_epoch_1.json", method, SAMPLE.as_bytes()),
            ("summaries.json", method, b"[]"),
            ("header.json", method, HEADER.as_bytes()),
        ]);
        check_archive(&bytes, &["m/n true", READ]);
    }
}

#[test]
fn a_log_without_a_header_is_read_by_its_journal() {
    let method = CompressionMethod::ZSTD;
    let journal = b"{\"version\":2,\"eval\":{\"task\":\"t\",\"model\":\"m/n\"},\"plan\":{}}";
    let bytes = zip(&[
        ("_journal/start.json", method, journal),
        ("samples/a_epoch_1.json", method, SAMPLE.as_bytes()),
    ]);
    check_archive(&bytes, &["m/n false", READ]);
}

#[test]
fn of_two_members_of_one_name_the_last_counts() {
    let method = CompressionMethod::STORE;
    let bytes = zip(&[
        ("header.json", method, b"{}"),
        ("samples/a.json", method, b"{\"id\":1}"),
        ("header.json", method, HEADER.as_bytes()),
        ("samples/a.json", method, SAMPLE.as_bytes()),
    ]);
    check_archive(&bytes, &["m/n true", READ]);
}

#[test]
fn a_broken_member_is_one_broken_sample() {
    let method = CompressionMethod::STORE;
    let mut bytes = zip(&[
        ("header.json", method, HEADER.as_bytes()),
        ("samples/a.json", method, b"{\"id\":\"damaged\"}"),
        ("samples/b.json", method, b"{\"id\":"),
        ("samples/c.json", method, b"[1]"),
        ("samples/d.json", CompressionMethod::LZMA, b"{}"),
        ("samples/e.json", CompressionMethod::ZSTD, SAMPLE.as_bytes()),
    ]);
    let at = bytes.windows(7).position(|window| window == b"damaged");
    bytes[at.expect("it is stored as it is")] = b'D';
    let found = parts(|each| each_in_archive(file(&bytes), each));
    let starts = [
        "m/n true",
        "1 wrong: `samples/a.json`: ",
        "2 wrong: `samples/b.json`: ends in the middle of an object",
        "3 wrong: `samples/c.json`: invalid type: sequence, expected a sample",
        "4 wrong: `samples/d.json`: packed by method 14",
        "5 {\"epoch\":1",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (found, start) in found.iter().zip(starts) {
        assert!(found.starts_with(start), "{found}");
    }
}

#[test]
fn what_is_no_whole_archive_or_no_log_is_told() {
    let whole = zip(&[("header.json", CompressionMethod::STORE, HEADER.as_bytes())]);
    let found = parts(|each| each_in_archive(file(&whole[..whole.len() - 30]), each));
    assert!(
        found[0].starts_with("1 wrong: not a complete zip archive ("),
        "{found:?}"
    );
    let other = zip(&[("a.txt", CompressionMethod::STORE, b"a")]);
    check_archive(&other, &["1 wrong: an archive, but no log of Inspect"]);
    check_archive(&zip(&[]), &["1 wrong: an archive, but no log of Inspect"]);
}

#[test]
fn what_is_whole_of_an_archive_that_was_cut_off_is_read() {
    let journal =
        b"{\"eval\":{\"model\":\"m/n\",\"dataset\":{\"samples\":2},\"config\":{\"epochs\":2}}}";
    for method in [CompressionMethod::DEFLATE, CompressionMethod::ZSTD] {
        let whole = zip(&[
            ("_journal/start.json", method, journal),
            ("samples/a.json", method, SAMPLE.as_bytes()),
            ("samples/b.json", method, SAMPLE.as_bytes()),
            ("summaries.json", method, b"[]"),
        ]);
        let list_at = whole.windows(4).position(|window| window == b"PK\x01\x02");
        let list_at = list_at.expect("an archive has a list");
        let second = READ.replacen('1', "2", 1);
        let lost = "the archive is cut off: 2 of 4 samples are lost; copy the log once more";
        let told = format!("3 wrong: {lost}");
        check_archive(&whole[..list_at], &["m/n false", READ, &second, &told]);
        let in_list = &whole[..list_at + 50];
        check_archive(in_list, &["m/n false", READ, &second, &told]);
        let at = whole
            .windows(14)
            .position(|window| window == b"samples/b.json");
        let cut = &whole[..at.expect("it has a name") + 20];
        let lost = "the archive is cut off in `samples/b.json`: 3 of 4 samples are lost";
        let told = format!("2 wrong: {lost}; copy the log once more");
        check_archive(cut, &["m/n false", READ, &told]);
    }
}

#[test]
fn a_bomb_is_judged_by_what_it_unpacks_to() {
    let bomb = format!("{{\"id\":\"{}\"}}", "a".repeat(1 << 20));
    let method = CompressionMethod::ZSTD;
    let bytes = zip(&[
        ("header.json", method, HEADER.as_bytes()),
        ("samples/a.json", method, bomb.as_bytes()),
        ("samples/b.json", method, SAMPLE.as_bytes()),
    ]);
    assert!(bytes.len() < 2_000, "it is small until it is unpacked");
    let mut archive = Archive::open(file(&bytes)).expect("it is an archive");
    archive.member_bytes_max = 1 << 16;
    let found = parts(|each| each_in(&archive, each));
    assert_eq!(
        found,
        [
            "m/n true",
            "1 wrong: `samples/a.json`: unpacks to more than the limit",
            &READ.replacen('1', "2", 1),
        ]
    );
}

#[test]
fn members_that_lie_over_each_other_are_refused() {
    let text = "x".repeat(4_000);
    let method = CompressionMethod::STORE;
    let bytes = zip(&[("samples/a.json", method, text.as_bytes())]);
    // The same entry of the list, many times over.
    let entry_at = bytes.windows(4).position(|window| window == b"PK\x01\x02");
    let entry_at = entry_at.expect("an archive has a list");
    let end_at = bytes.windows(4).rposition(|window| window == b"PK\x05\x06");
    let end_at = end_at.expect("an archive has an end");
    let entry = &bytes[entry_at..end_at];
    let n_entries = 9_u16;
    let mut bomb = bytes[..entry_at].to_vec();
    for _ in 0..n_entries {
        bomb.extend_from_slice(entry);
    }
    let mut end = bytes[end_at..].to_vec();
    for at in [8, 10] {
        end[at..at + 2].copy_from_slice(&n_entries.to_le_bytes());
    }
    let n_bytes = entry.len() as u32 * u32::from(n_entries);
    end[12..16].copy_from_slice(&n_bytes.to_le_bytes());
    bomb.extend_from_slice(&end);
    check_archive(&bomb, &["1 wrong: members of the archive overlap"]);
}

fn check_object(text: &str, expected: &[&str]) {
    let found = parts(|each| each_in_object(&mut text.as_bytes(), each));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_log_of_one_object_is_read_sample_by_sample() {
    let head = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m/n"}"#;
    let with = |samples: &str| format!("{head},\"samples\":{samples}}}");
    let second = SAMPLE.replace("\"a\"", "7");
    let read_second = r#"2 {"epoch":1,"id":7,"output":{"completion":"y"}}"#;
    check_object(
        &with(&format!("[{SAMPLE},\n{second}]")),
        &["m/n true", READ, read_second],
    );
    check_object(&with("null"), &["m/n true"]);
    check_object(
        &with(&format!("[{SAMPLE}]")).replace("success", "cancelled"),
        &["m/n false", READ],
    );
    check_object(
        with(&format!("[{SAMPLE},{{\"id\":")).trim_end_matches('}'),
        &["m/n true", READ, "2 wrong: ends in the middle of an object"],
    );
    check_object("{\"version\":2,\"status\":\"error\"}", &["? false"]);
}

#[test]
fn who_wants_no_more_gets_no_more() {
    let text = format!("{{\"samples\":[{SAMPLE},{SAMPLE}]}}");
    let mut n_parts = 0;
    let read = each_in_object(&mut text.as_bytes(), |_| {
        n_parts += 1;
        if n_parts == 2 { Err("enough") } else { Ok(()) }
    });
    assert_eq!((read, n_parts), (Err("enough"), 2));
}

#[test]
fn a_sample_asks_by_its_messages_and_expects_its_first_target() {
    let check = |value: Value, id: Option<&str>, expected: Result<[&str; 3], &str>| {
        let Value::Object(fields) = value else {
            panic!("samples are objects");
        };
        let found = LoggedSample::of(&fields, id);
        let found = found
            .map(|logged_sample| [logged_sample.id, logged_sample.input, logged_sample.target]);
        let expected = expected.map(|expected| expected.map(str::to_owned));
        assert_eq!(
            found.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned)
        );
    };
    let input =
        json!([{"role": "system", "content": "a"}, {"content": [{"type": "text", "text": "b"}]}]);
    check(
        json!({"id": 7, "input": input, "target": ["t", "u"]}),
        None,
        Ok(["7", "a\n\nb", "t"]),
    );
    check(
        json!({"id": 7, "input": "q", "target": "t", "metadata": {"key": "k"}}),
        Some("metadata.key"),
        Ok(["k", "q", "t"]),
    );
    check(
        json!({"id": 7, "input": "q", "target": ""}),
        None,
        Err("has no `target`, so there is nothing to compare an answer with"),
    );
    check(
        json!({"input": "q", "target": "t"}),
        None,
        Err("no field `id` beside `input` `target`"),
    );
}
