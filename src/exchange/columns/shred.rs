//! Splits serialized values into columns.
//!
//! Each value goes straight to its column with how deep it is there and at which depth it repeats (Melnik et al., "Dremel",
//! section 4.2). A value that is not of its column's type is null, and a value without a column is skipped.

use std::fmt::{self, Display, Write};

use parquet::data_type::ByteArray;
use serde::Serialize;
use serde::ser::{self, Impossible};

use super::ColumnType;

/// Texts, one behind the other: most are short, and an allocation for each would take longer than the rest.
#[derive(Default)]
pub(super) struct PackedTexts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PackedTexts {
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Takes all texts out.
    pub(super) fn take(&mut self) -> Vec<ByteArray> {
        let bytes = ByteArray::from(std::mem::take(&mut self.bytes));
        let mut start = 0;
        let slice = |end| {
            let text = bytes.slice(start, end - start);
            start = end;
            text
        };
        self.ends.drain(..).map(slice).collect()
    }
}

pub(super) enum ColumnValues {
    Texts(PackedTexts),
    Integers(Vec<i32>),
    Reals(Vec<f64>),
    Truths(Vec<bool>),
}

/// The values of a column that wait to be written.
pub(super) struct ShreddedColumn {
    pub(super) values: ColumnValues,
    pub(super) depths: Vec<i16>,
    pub(super) repeats: Vec<i16>,
}

impl ShreddedColumn {
    const fn new(values: ColumnValues) -> Self {
        Self {
            values,
            depths: Vec::new(),
            repeats: Vec::new(),
        }
    }

    fn place(&mut self, at: ValueLevels) {
        self.depths.push(at.depth);
        self.repeats.push(at.repeat);
    }
}

/// How many optional or repeated things a value is in, at which of the repeated ones it repeats, and how many of these
/// are above it.
#[derive(Clone, Copy)]
struct ValueLevels {
    depth: i16,
    repeat: i16,
    n_lists: i16,
}

/// The columns of a kind.
pub(super) struct KindLayout {
    shape: LayoutShape,
    n_columns: usize,
}

enum LayoutShape {
    Value,
    Fields(Vec<LayoutField>),
    Elements(Box<KindLayout>),
}

struct LayoutField {
    name: &'static str,
    /// Counted from the first column of all fields.
    first_column: usize,
    layout: KindLayout,
}

impl KindLayout {
    /// Lays out a kind, and adds its columns.
    pub(super) fn new(kind: ColumnType, columns: &mut Vec<ShreddedColumn>) -> Self {
        let n_before = columns.len();
        let shape = match kind {
            ColumnType::Struct(fields) => {
                let field = |(name, kind): &(&'static str, ColumnType)| LayoutField {
                    name,
                    first_column: columns.len() - n_before,
                    layout: Self::new(*kind, columns),
                };
                LayoutShape::Fields(fields.iter().map(field).collect())
            }
            ColumnType::List(element) => {
                LayoutShape::Elements(Box::new(Self::new(*element, columns)))
            }
            value => {
                columns.push(ShreddedColumn::new(match value {
                    ColumnType::Integer => ColumnValues::Integers(Vec::new()),
                    ColumnType::Real => ColumnValues::Reals(Vec::new()),
                    ColumnType::Truth => ColumnValues::Truths(Vec::new()),
                    _ => ColumnValues::Texts(PackedTexts::default()),
                }));
                LayoutShape::Value
            }
        };
        Self {
            shape,
            n_columns: columns.len() - n_before,
        }
    }
}

/// Adds a row to the columns of a layout; returns the bytes of its values.
pub(super) fn shred(
    row: &impl Serialize,
    layout: &KindLayout,
    columns: &mut [ShreddedColumn],
) -> Result<u64, NoRow> {
    let mut n_bytes = 0;
    row.serialize(ValueSlot {
        layout,
        columns,
        // The message itself is no group that may be null.
        at: ValueLevels {
            depth: -1,
            repeat: 0,
            n_lists: 0,
        },
        n_bytes: &mut n_bytes,
    })?;
    Ok(n_bytes)
}

/// Why something cannot be a row.
#[derive(Debug)]
pub(super) struct NoRow(String);

impl Display for NoRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRow {}

impl ser::Error for NoRow {
    fn custom<T: Display>(text: T) -> Self {
        Self(text.to_string())
    }
}

/// Where the next value goes.
struct ValueSlot<'c> {
    layout: &'c KindLayout,
    columns: &'c mut [ShreddedColumn],
    at: ValueLevels,
    n_bytes: &'c mut u64,
}

impl<'c> ValueSlot<'c> {
    fn null(&mut self) {
        let at = self.at;
        self.columns.iter_mut().for_each(|column| column.place(at));
    }

    /// Adds the value of an absent field: a list is empty, anything else null.
    fn absent(mut self) {
        self.at.depth += i16::from(matches!(self.layout.shape, LayoutShape::Elements(_)));
        self.null();
    }

    /// Adds a value that `add` puts into its column, unless that is of another type; it returns how many bytes it has.
    fn value(mut self, add: impl FnOnce(&mut ColumnValues) -> Option<u64>) {
        if let (LayoutShape::Value, [column]) = (&self.layout.shape, &mut *self.columns)
            && let Some(n_bytes) = add(&mut column.values)
        {
            *self.n_bytes += n_bytes;
            self.at.depth += 1;
        }
        self.null();
    }

    fn integer(self, number: Option<i64>) {
        self.value(|values| match values {
            ColumnValues::Integers(numbers) => {
                numbers.push(i32::try_from(number?).ok()?);
                Some(4)
            }
            ColumnValues::Reals(numbers) => {
                numbers.push(number? as f64);
                Some(8)
            }
            _ => None,
        });
    }

    fn elements(mut self) -> Elements<'c> {
        let layout = self.layout;
        let element = if let LayoutShape::Elements(element) = &layout.shape {
            Some(&**element)
        } else {
            self.null();
            None
        };
        Elements {
            element,
            list: self,
            n: 0,
        }
    }

    fn fields(mut self) -> ObjectFields<'c> {
        let layout = self.layout;
        let fields: &[LayoutField] = if let LayoutShape::Fields(fields) = &layout.shape {
            fields
        } else {
            self.null();
            &[]
        };
        self.at.depth += 1;
        ObjectFields {
            fields,
            group: self,
            next: 0,
            seen: 0,
            key: String::new(),
        }
    }
}

/// A list to which elements are being added; all of them go through the same columns.
struct Elements<'c> {
    /// None where the column is no list.
    element: Option<&'c KindLayout>,
    list: ValueSlot<'c>,
    n: usize,
}

impl Elements<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoRow> {
        let Some(element) = self.element else {
            return Ok(());
        };
        let at = self.list.at;
        let n_lists = at.n_lists + 1;
        let repeat = if self.n == 0 { at.repeat } else { n_lists };
        self.n += 1;
        value.serialize(ValueSlot {
            layout: element,
            columns: self.list.columns,
            at: ValueLevels {
                depth: at.depth + 2,
                repeat,
                n_lists,
            },
            n_bytes: self.list.n_bytes,
        })
    }

    fn finish(self) {
        if self.n == 0 && self.element.is_some() {
            self.list.absent();
        }
    }
}

/// An object to which fields are being added.
struct ObjectFields<'c> {
    /// Empty where the column is no group.
    fields: &'c [LayoutField],
    group: ValueSlot<'c>,
    /// The field that comes next when they come in their order.
    next: usize,
    /// A bit for each field; no group of ours has 64.
    seen: u64,
    /// The key of the value that comes next, in a map.
    key: String,
}

impl ObjectFields<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), NoRow> {
        let is_next = self
            .fields
            .get(self.next)
            .is_some_and(|field| field.name == name);
        let idx = if is_next {
            Some(self.next)
        } else {
            self.fields.iter().position(|field| field.name == name)
        };
        let Some(idx) = idx.filter(|idx| self.seen >> idx & 1 == 0) else {
            return Ok(());
        };
        self.seen |= 1 << idx;
        self.next = idx + 1;
        value.serialize(self.cell(idx))
    }

    fn cell(&mut self, idx: usize) -> ValueSlot<'_> {
        let LayoutField {
            first_column,
            layout,
            ..
        } = &self.fields[idx];
        ValueSlot {
            layout,
            columns: &mut self.group.columns[*first_column..*first_column + layout.n_columns],
            at: self.group.at,
            n_bytes: self.group.n_bytes,
        }
    }

    fn finish(mut self) {
        for idx in 0..self.fields.len() {
            if self.seen >> idx & 1 == 0 {
                self.cell(idx).absent();
            }
        }
    }
}

impl<'c> ser::Serializer for ValueSlot<'c> {
    type Ok = ();
    type Error = NoRow;
    type SerializeSeq = Elements<'c>;
    type SerializeTuple = Elements<'c>;
    type SerializeTupleStruct = Elements<'c>;
    type SerializeTupleVariant = Impossible<(), NoRow>;
    type SerializeMap = ObjectFields<'c>;
    type SerializeStruct = ObjectFields<'c>;
    type SerializeStructVariant = Impossible<(), NoRow>;

    fn serialize_bool(self, truth: bool) -> Result<(), NoRow> {
        self.value(|values| match values {
            ColumnValues::Truths(truths) => {
                truths.push(truth);
                Some(1)
            }
            _ => None,
        });
        Ok(())
    }

    fn serialize_i8(self, number: i8) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_i16(self, number: i16) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_i32(self, number: i32) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_i64(self, number: i64) -> Result<(), NoRow> {
        self.integer(Some(number));
        Ok(())
    }

    fn serialize_u8(self, number: u8) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_u16(self, number: u16) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_u32(self, number: u32) -> Result<(), NoRow> {
        self.integer(Some(number.into()));
        Ok(())
    }

    fn serialize_u64(self, number: u64) -> Result<(), NoRow> {
        self.integer(number.try_into().ok());
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Result<(), NoRow> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), NoRow> {
        self.value(|values| match values {
            // JSON lines have nothing for the others either.
            ColumnValues::Reals(numbers) if number.is_finite() => {
                numbers.push(number);
                Some(8)
            }
            _ => None,
        });
        Ok(())
    }

    fn serialize_char(self, char: char) -> Result<(), NoRow> {
        self.serialize_str(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), NoRow> {
        self.value(|values| match values {
            ColumnValues::Texts(texts) => {
                texts.push(text);
                Some(text.len() as u64)
            }
            _ => None,
        });
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), NoRow> {
        self.serialize_unit()
    }

    fn serialize_none(self) -> Result<(), NoRow> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NoRow> {
        value.serialize(self)
    }

    fn serialize_unit(mut self) -> Result<(), NoRow> {
        self.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NoRow> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), NoRow> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NoRow> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<(), NoRow> {
        Err(no_column(name, variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'c>, NoRow> {
        Ok(self.elements())
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements<'c>, NoRow> {
        Ok(self.elements())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements<'c>, NoRow> {
        Ok(self.elements())
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Impossible<(), NoRow>, NoRow> {
        Err(no_column(name, variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectFields<'c>, NoRow> {
        Ok(self.fields())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ObjectFields<'c>, NoRow> {
        Ok(self.fields())
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Impossible<(), NoRow>, NoRow> {
        Err(no_column(name, variant))
    }
}

fn no_column(name: &str, variant: &str) -> NoRow {
    NoRow(format!(
        "`{name}::{variant}` is neither a value nor a group"
    ))
}

impl ser::SerializeSeq for Elements<'_> {
    type Ok = ();
    type Error = NoRow;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoRow> {
        self.add(value)
    }

    fn end(self) -> Result<(), NoRow> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTuple for Elements<'_> {
    type Ok = ();
    type Error = NoRow;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoRow> {
        self.add(value)
    }

    fn end(self) -> Result<(), NoRow> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Elements<'_> {
    type Ok = ();
    type Error = NoRow;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoRow> {
        self.add(value)
    }

    fn end(self) -> Result<(), NoRow> {
        self.finish();
        Ok(())
    }
}

/// A value that serializes to a text, as that text: `serde` tells texts from numbers and truths, and nothing else.
struct Name<'k, T: ?Sized>(&'k T);

impl<T: Serialize + ?Sized> Display for Name<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

impl ser::SerializeMap for ObjectFields<'_> {
    type Ok = ();
    type Error = NoRow;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NoRow> {
        self.key.clear();
        write!(self.key, "{}", Name(key))
            .map_err(|_| NoRow("a key that is not text".to_owned()))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoRow> {
        let key = std::mem::take(&mut self.key);
        let added = self.add(&key, value);
        self.key = key;
        added
    }

    fn end(self) -> Result<(), NoRow> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeStruct for ObjectFields<'_> {
    type Ok = ();
    type Error = NoRow;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), NoRow> {
        self.add(name, value)
    }

    fn end(self) -> Result<(), NoRow> {
        self.finish();
        Ok(())
    }
}
