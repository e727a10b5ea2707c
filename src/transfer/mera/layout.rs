//! The files that hold the records, and the files beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::exchange::mera::{
    CardSplit, MeraAccess, MeraManifest, MeraOrigin, MeraRecord, MeraSplit, ParquetWriter,
    mera_card,
};
use crate::exchange::{write_json, write_line, write_pretty};

use super::{ExportError, MeraLayout, MeraPart};
use crate::card;

/// Files beside the records.
pub const IDS_FILE: &str = "ids.jsonl";
pub const PROMPTS_FILE: &str = "prompts.toml";
pub const MANIFEST_FILE: &str = "manifest.json";

/// Writes records into the files of a layout; none is made for a part without records.
pub struct MeraWriter {
    folder: PathBuf,
    layout: MeraLayout,
    texts: BTreeMap<MeraPart, BufWriter<File>>,
    tables: BTreeMap<MeraPart, ParquetWriter>,
    ids: BufWriter<File>,
    /// How many records of each part there are in each language.
    counts: BTreeMap<(MeraPart, String), u64>,
    /// The licences of the records; an unknown one is empty.
    licenses: BTreeSet<String>,
}

impl MeraWriter {
    pub fn begin(folder: &Path, layout: MeraLayout) -> Result<Self, ExportError> {
        if layout == MeraLayout::Hf {
            fs::create_dir(folder.join("data"))?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            layout,
            texts: BTreeMap::new(),
            tables: BTreeMap::new(),
            ids: create(&folder.join(IDS_FILE))?,
            counts: BTreeMap::new(),
            licenses: BTreeSet::new(),
        })
    }

    pub fn write(
        &mut self,
        part: MeraPart,
        record: MeraRecord,
        origin: &MeraOrigin,
    ) -> Result<(), ExportError> {
        let language = record.inputs.language.clone();
        *self.counts.entry((part, language)).or_default() += 1;
        let license = origin.license.as_deref().unwrap_or_default();
        if !self.licenses.contains(license) {
            self.licenses.insert(license.to_owned());
        }
        write_line(&mut self.ids, origin)?;
        match self.layout {
            MeraLayout::Jsonl => write_line(self.text(part)?.0, &record)?,
            MeraLayout::Mera => {
                let (out, is_first) = self.text(part)?;
                let before: &[u8] = if is_first { b"" } else { b"," };
                out.write_all(before)?;
                write_json(out, &record)?;
            }
            MeraLayout::Hf => {
                let folder = self.folder.join("data");
                if let Some(table) = self.tables.get_mut(&part) {
                    table.write(record)?;
                } else {
                    let table = ParquetWriter::new(&folder, part.as_str())?;
                    self.tables.entry(part).or_insert(table).write(record)?;
                }
            }
        }
        Ok(())
    }

    /// Opens the file of a part, and tells whether it was made now.
    fn text(&mut self, part: MeraPart) -> Result<(&mut BufWriter<File>, bool), ExportError> {
        let is_first = !self.texts.contains_key(&part);
        if is_first {
            let extension = match self.layout {
                MeraLayout::Mera => "json",
                MeraLayout::Jsonl | MeraLayout::Hf => "jsonl",
            };
            let name = format!("{}.{extension}", part.as_str());
            let mut file = create(&self.folder.join(name))?;
            if self.layout == MeraLayout::Mera {
                file.write_all(b"{\"access\":")?;
                write_json(&mut file, &MeraAccess { private: false })?;
                file.write_all(b",\"data\":[")?;
            }
            self.texts.insert(part, file);
        }
        let file = self.texts.get_mut(&part);
        let file = file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok((file, is_first))
    }

    /// Ends all files; returns how many records each part has in each language.
    pub fn finish(mut self) -> Result<Vec<MeraSplit>, ExportError> {
        for file in self.texts.values_mut() {
            if self.layout == MeraLayout::Mera {
                file.write_all(b"]}\n")?;
            }
            file.flush()?;
        }
        self.ids.flush()?;
        let mut splits = Vec::new();
        for (part, table) in self.tables {
            splits.push(CardSplit {
                name: part.as_str().to_owned(),
                written: table.finish()?,
            });
        }
        if self.layout == MeraLayout::Hf {
            let languages: BTreeSet<&str> = self.counts.keys().map(|key| key.1.as_str()).collect();
            let subject = card::subject(self.licenses.iter().map(String::as_str), languages);
            fs::write(self.folder.join("README.md"), mera_card(&subject, &splits))?;
        }
        let counts = self.counts.into_iter();
        Ok(counts
            .map(|((part, language), records)| MeraSplit {
                split: part.as_str().to_owned(),
                language,
                records,
            })
            .collect())
    }
}

fn create(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path)?))
}

/// Writes the prompts and the manifest.
pub fn write_beside(
    folder: &Path,
    prompts: &str,
    manifest: &MeraManifest,
) -> Result<(), ExportError> {
    fs::write(folder.join(PROMPTS_FILE), prompts)?;
    let mut file = create(&folder.join(MANIFEST_FILE))?;
    write_pretty(&mut file, manifest)?;
    file.flush()?;
    Ok(())
}
