//! Measurements in a separate process: this program again, with other arguments.

use std::env;
use std::path::Path;
use std::process::Command;

use focalist::mine::{self, Languages, MiningOptions, Target};
use focalist::model::Language;
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;
use rusqlite::{Connection, OpenFlags};

use super::console::print;
use super::memory::memory_mb;

/// Returns the command that runs `work` in a separate process.
pub fn command(work: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().expect("a program knows itself"));
    command.args(["--bench", "child"]).args(work);
    command
}

/// Runs the work that [`command`] was given.
pub fn work(words: &[&str]) {
    match words {
        ["mine", language, times, workspace, root] => {
            let language = Language::parse(language).expect("it is a language");
            let times = times.parse().expect("it is a number");
            mine(language, times, Path::new(workspace), Path::new(root));
        }
        ["rows", index, n] => drop(rows(Path::new(index), n.parse().expect("it is a number"))),
        ["row", index, key] => drop(row(Path::new(index), key)),
        _ => print("nobody asks that"),
    }
}

/// Mines a repository again and again into one index, as if there were many; prints the peak memory.
fn mine(language: Language, times: usize, workspace: &Path, root: &Path) {
    let options = MiningOptions {
        languages: Languages::One(language),
        force: true,
        ..MiningOptions::default()
    };
    let target = Target {
        root: root.to_owned(),
        ..Target::default()
    };
    let targets = vec![target; times];
    let mut store = Store::open(workspace, StoreAccess::Create).expect("a workspace can be made");
    let mined = mine::mine(&mut store, &Monitor::default(), &options, &targets);
    mined.expect("mining works");
    print(&format!("{}", memory_mb("self", "VmHWM")));
}

/// The query for the columns of a row that a list shows, for SQLite alone.
const ROW: &str = "SELECT d.id, t.key, r.name, d.test_class, d.test_name, d.focal, d.status, d.weight
    FROM decisions d JOIN repos r ON r.generation = d.id >> 32 JOIN tests t ON t.id = d.id & ~(15 << 28)";

/// The yardstick of a list: opens the index and reads its first rows; returns their size in bytes.
pub fn rows(index: &Path, n: usize) -> usize {
    let conn = open(index);
    let sql = format!("{ROW} ORDER BY d.id LIMIT {n}");
    let mut statement = conn.prepare(&sql).expect("the index has the tables");
    let rows = statement.query_map([], size);
    let rows = rows.expect("the index can be read");
    rows.map(|row| row.expect("the row can be read")).sum()
}

/// The yardstick of one sample: opens the index and reads its row and the file that its test is in.
pub fn row(index: &Path, key: &str) -> usize {
    let conn = open(index);
    let bytes: Vec<u8> = (0..key.len() / 2)
        .filter_map(|at| u8::from_str_radix(key.get(2 * at..2 * at + 2)?, 16).ok())
        .collect();
    let sql = format!("{ROW} WHERE t.key = ?1");
    let mut statement = conn.prepare(&sql).expect("the index has the tables");
    let rows = statement.query_map([bytes], size);
    let rows = rows.expect("the index can be read");
    rows.map(|row| row.expect("the row can be read")).sum()
}

fn open(index: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(index, flags).expect("the index opens")
}

fn size(row: &rusqlite::Row<'_>) -> rusqlite::Result<usize> {
    use rusqlite::types::ValueRef;
    let mut size = 0;
    for column in 0..8 {
        size += match row.get_ref(column)? {
            ValueRef::Null => 0,
            ValueRef::Integer(_) | ValueRef::Real(_) => 8,
            ValueRef::Text(text) | ValueRef::Blob(text) => text.len(),
        };
    }
    Ok(size)
}
