//! The content of an event, field by field, and the hash that names it.

use super::sample::hexadecimal;

/// Sixteen bytes that name an event: a hash of its content, its author, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub [u8; 16]);
hexadecimal!(EventId);

/// Every field is preceded by its length, so that two lists of fields never run into the same bytes.
pub(super) struct Fields(blake3::Hasher);

impl Fields {
    pub(super) fn new(kind: &str) -> Self {
        let mut fields = Self(blake3::Hasher::new());
        fields.text(kind);
        fields
    }

    /// Returns the first half of the hash.
    pub(super) fn half(&self) -> [u8; 16] {
        let mut half = [0; 16];
        self.0.finalize_xof().fill(&mut half);
        half
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn optional(&mut self, text: Option<&str>) {
        self.bytes(&[u8::from(text.is_some())]);
        self.text(text.unwrap_or_default());
    }

    /// Hashes the fields to the id of their event.
    pub(super) fn id(&self) -> EventId {
        EventId::of(&self.0)
    }
}
