//! A zip archive as a harness writes one: its members, each unpacked as it is read.
//!
//! Decides how large a member may be once it is unpacked, which is counted and not believed. Names of members are never
//! paths of ours.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};

use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
};

use super::super::rows::Bounded;

/// The most bytes of a member once it is unpacked; real ones have some hundred thousand.
pub(super) const MEMBER_BYTES_MAX: u64 = 256 << 20;

/// An open archive.
pub(super) struct Archive {
    zip: ZipArchive<FileReader>,
    /// In the order of the archive; of several with one name the last, as who updates an archive appends.
    pub members: Vec<Member>,
    /// The most bytes of a member once it is unpacked.
    pub member_bytes_max: u64,
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

impl Archive {
    /// Reads the list of members.
    ///
    /// # Errors
    /// What is wrong with the archive, as a lower-case fragment.
    pub fn open(file: File) -> Result<Self, String> {
        let broken = |what: &dyn std::fmt::Display| {
            format!("no whole zip archive ({what}): copy the log once more")
        };
        let n_bytes = file.metadata().map_err(|error| broken(&error))?.len();
        let mut buffer =
            vec![0; RECOMMENDED_BUFFER_SIZE.max(rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE)];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(|error| broken(&error))?;
        let mut members: Vec<Member> = Vec::new();
        let mut places = HashMap::new();
        let mut n_bytes_packed = 0_u64;
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|error| broken(&error))? {
            n_bytes_packed = n_bytes_packed.saturating_add(entry.compressed_size_hint());
            let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            let member = Member {
                name: name.clone(),
                method: entry.compression_method(),
                place: entry.wayfinder(),
            };
            if let Some(place) = places.get(&name) {
                members[*place] = member;
            } else {
                places.insert(name, members.len());
                members.push(member);
            }
        }
        if n_bytes_packed > n_bytes {
            return Err("members of the archive lie over each other".to_owned());
        }
        Ok(Self {
            zip: archive,
            members,
            member_bytes_max: MEMBER_BYTES_MAX,
        })
    }

    /// Returns the member of that name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|it| it.name == name)
    }

    /// Has a member read as it is unpacked; checks its sum at its end.
    ///
    /// # Errors
    /// What is wrong with the member, as a lower-case fragment: it is damaged, too large, or `read` says so.
    pub fn read<T>(
        &self,
        member: &Member,
        read: impl FnOnce(&mut dyn Read) -> Result<T, String>,
    ) -> Result<T, String> {
        let wrong = |what: &dyn std::fmt::Display| format!("`{}`: {what}", member.name);
        let entry = self.zip.get_entry(member.place).map_err(|it| wrong(&it))?;
        let packed = BufReader::new(entry.reader());
        let plain: Box<dyn Read + '_> = match member.method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
            CompressionMethod::ZSTD => {
                Box::new(zstd::Decoder::with_buffer(packed).map_err(|it| wrong(&it))?)
            }
            method => return Err(wrong(&format!("packed by method {}", method.as_u16()))),
        };
        let mut bounded = BufReader::new(Bounded {
            inner: entry.verifying_reader(plain),
            n_left: self.member_bytes_max,
        });
        read(&mut bounded).map_err(|it| wrong(&it))
    }
}
