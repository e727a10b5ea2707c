//! A zip archive as a harness writes one: its members, each unpacked as it is read.
//!
//! Decides how large a member may be once it is unpacked, which is counted and not believed. Names of members are never
//! paths of ours.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
};

use super::super::records::RecordError;
use super::super::rows::BoundedReader;
use super::error::LogError;
use super::salvage::{self, ArchiveCut, PackedMember};

/// The most bytes of a member once it is unpacked; real ones have some hundred thousand.
pub(super) const MEMBER_BYTES_MAX: u64 = 256 << 20;

/// An open archive.
pub(super) struct Archive {
    /// Absent where it was cut off.
    zip: Option<ZipArchive<FileReader>>,
    file: File,
    /// The place where it was cut off; the members are then the whole ones.
    pub cut: Option<ArchiveCut>,
    /// In the order of the archive; of several with one name the last, because updates of an archive are appended.
    pub members: Vec<ArchiveMember>,
    /// The most bytes of a member once it is unpacked.
    pub member_bytes_max: u64,
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub(super) struct ArchiveMember {
    pub name: String,
    method: CompressionMethod,
    place: MemberPlace,
}

/// Where a member is found.
#[derive(Clone, Debug)]
enum MemberPlace {
    /// A member by the list at the end of the archive.
    Listed(ZipArchiveEntryWayfinder),
    /// Behind its own head.
    Found(PackedMember),
}

/// Members in their order, of several with one name the last.
#[derive(Default)]
struct Members {
    all: Vec<ArchiveMember>,
    places: HashMap<String, usize>,
}

impl Members {
    fn put(&mut self, member: ArchiveMember) {
        if let Some(place) = self.places.get(&member.name) {
            self.all[*place] = member;
        } else {
            self.places.insert(member.name.clone(), self.all.len());
            self.all.push(member);
        }
    }
}

impl Archive {
    /// Reads the list of members; of an archive that was cut off, those that are whole.
    ///
    /// # Errors
    /// What is wrong with the archive.
    pub fn open(file: File) -> Result<Self, LogError> {
        let broken = |what: &dyn std::fmt::Display| {
            let what = what.to_string();
            LogError::BrokenArchive { what }
        };
        let n_bytes = file.metadata().map_err(|error| broken(&error))?.len();
        let mut buffer =
            vec![0; RECOMMENDED_BUFFER_SIZE.max(rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE)];
        let listed = file.try_clone().map_err(|error| broken(&error))?;
        let archive = match ZipArchive::from_file(listed, &mut buffer) {
            Ok(archive) => archive,
            Err(error) => return Self::salvaged(file).ok_or_else(|| broken(&error)),
        };
        let mut members = Members::default();
        let mut n_bytes_packed = 0_u64;
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|error| broken(&error))? {
            n_bytes_packed = n_bytes_packed.saturating_add(entry.compressed_size_hint());
            members.put(ArchiveMember {
                name: String::from_utf8_lossy(entry.file_path().as_ref()).into_owned(),
                method: entry.compression_method(),
                place: MemberPlace::Listed(entry.wayfinder()),
            });
        }
        if n_bytes_packed > n_bytes {
            return Err(LogError::Overlap);
        }
        Ok(Self {
            zip: Some(archive),
            file,
            cut: None,
            members: members.all,
            member_bytes_max: MEMBER_BYTES_MAX,
        })
    }

    /// Finds the whole members of an archive that was cut off; nothing where there are none.
    fn salvaged(file: File) -> Option<Self> {
        let (found, cut) = salvage::members(&file, MEMBER_BYTES_MAX);
        let mut members = Members::default();
        for whole_member in found {
            members.put(ArchiveMember {
                name: whole_member.name,
                method: whole_member.method,
                place: MemberPlace::Found(whole_member.packed),
            });
        }
        (!members.all.is_empty()).then_some(Self {
            zip: None,
            file,
            cut: Some(cut),
            members: members.all,
            member_bytes_max: MEMBER_BYTES_MAX,
        })
    }

    /// Finds the member of that name.
    pub fn member(&self, name: &str) -> Option<&ArchiveMember> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Hands a member to `read` as it is unpacked, and checks its sum at its end.
    ///
    /// # Errors
    /// What is wrong with the member: it is damaged, too large, or `read` says so.
    pub fn read<T>(
        &self,
        member: &ArchiveMember,
        read: impl FnOnce(&mut dyn Read) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let whole = self.unpacked(member, read);
        whole.map_err(|error| error.within(&member.name))
    }

    fn unpacked<T>(
        &self,
        member: &ArchiveMember,
        read: impl FnOnce(&mut dyn Read) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let entry = match (&self.zip, &member.place) {
            (Some(zip), MemberPlace::Listed(place)) => {
                Some(zip.get_entry(*place).map_err(|error| unreadable(&error))?)
            }
            _ => None,
        };
        let plain: Box<dyn Read + '_> = match (&entry, &member.place) {
            (_, MemberPlace::Found(packed)) => {
                let plain = plain(member.method, packed.of(&self.file))?;
                Box::new(packed.checked(plain))
            }
            (Some(entry), MemberPlace::Listed(_)) => {
                let packed = BufReader::new(entry.reader());
                let plain = plain(member.method, packed)?;
                Box::new(entry.verifying_reader(plain))
            }
            (None, MemberPlace::Listed(_)) => return Err(unreadable(&"is not there")),
        };
        let mut bounded = BufReader::new(BoundedReader {
            inner: plain,
            n_left: self.member_bytes_max,
        });
        read(&mut bounded)
    }
}

fn unreadable(what: &dyn std::fmt::Display) -> RecordError {
    let what = what.to_string();
    RecordError::Unreadable { what }
}

/// Opens the unpacked data of a member.
fn plain<'p>(
    method: CompressionMethod,
    packed: impl BufRead + 'p,
) -> Result<Box<dyn Read + 'p>, RecordError> {
    Ok(match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
        CompressionMethod::ZSTD => {
            Box::new(zstd::Decoder::with_buffer(packed).map_err(|error| unreadable(&error))?)
        }
        method => {
            let method = method.as_u16();
            return Err(LogError::Method { method }.into());
        }
    })
}
