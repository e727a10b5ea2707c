//! Which index an export is from: the workspace's, or one that is merged from shards for it (`export --from`).

use std::path::PathBuf;

use tempfile::TempDir;

use crate::Context;
use crate::args;
use crate::command::{scale, workspace};
use crate::failure::Stop;
use crate::store::{Store, StoreAccess};

/// The index that the samples are from.
pub struct SampleOrigin {
    /// The folder `.focalist`.
    pub folder: PathBuf,
    /// The folder of an index that was merged for this alone; it is removed with this value.
    _merged: Option<TempDir>,
}

impl SampleOrigin {
    /// Takes the workspace, or merges the folders of `--from`.
    pub fn of(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<Self, Stop> {
        if arguments.from.is_empty() {
            let folder = workspace::folder(context);
            workspace::check(&folder)?;
            return Ok(Self {
                folder,
                _merged: None,
            });
        }
        let place = tempfile::tempdir()?;
        let folder = place.path().join(".focalist");
        scale::merge_into(context, &arguments.from, &folder)?;
        Ok(Self {
            folder,
            _merged: Some(place),
        })
    }

    pub fn open(&self) -> Result<Store, Stop> {
        Ok(Store::open(&self.folder, StoreAccess::Read)?)
    }
}
