//! The resolutions of the sites of a body, and a cache that keeps them for other methods of the body.

use crate::run::Run;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::facts::{Root, Site, SiteId};
use crate::model::{FileId, Resolution, UnknownReason};

/// The resolutions of the sites of an outermost body.
#[derive(Debug, Default)]
pub struct Resolutions {
    first_site: u32,
    of_site: Vec<Option<Resolution>>,
}

impl Resolutions {
    pub fn of(sites: Run) -> Self {
        Self {
            first_site: sites.start,
            of_site: vec![None; sites.range().len()],
        }
    }

    pub fn record(&mut self, site: SiteId, resolution: Resolution) {
        let at = site.0.wrapping_sub(self.first_site) as usize;
        if let Some(slot) = self.of_site.get_mut(at) {
            *slot = Some(resolution);
        }
    }

    /// Looks up the resolution of a site, if it has been resolved.
    pub fn recorded(&self, id: SiteId) -> Option<&Resolution> {
        let at = id.0.wrapping_sub(self.first_site) as usize;
        self.of_site.get(at)?.as_ref()
    }

    pub fn get(&self, id: SiteId, site: &Site) -> Resolution {
        match self.recorded(id) {
            Some(resolution) => resolution.clone(),
            _ if site.is_broken => Resolution::Unknown(UnknownReason::BrokenSyntax),
            _ => Resolution::Unknown(UnknownReason::TooDeep),
        }
    }
}

/// Resolutions in bodies with local and anonymous classes, kept for the other methods in them.
#[derive(Debug, Default)]
pub struct WalkCache(Mutex<FxHashMap<(FileId, Root), Arc<Resolutions>>>);

impl WalkCache {
    /// Looks up the resolutions of a body, or has `walk` find them. Two threads may walk the same body at once.
    pub fn get(
        &self,
        file: FileId,
        root: Root,
        walk: impl FnOnce() -> Resolutions,
    ) -> Arc<Resolutions> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().get(&(file, root)).map(Arc::clone);
        kept.unwrap_or_else(|| {
            let found = Arc::new(walk());
            lock().insert((file, root), Arc::clone(&found));
            found
        })
    }
}
