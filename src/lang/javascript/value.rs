//! The values that an expression may stand for: functions, classes, instances and other holders of members.

use smallvec::{SmallVec, smallvec};

use super::facts::{ClassId, ExprId, FnId, ObjId, Primitive, SiteId, TypeId};
use crate::model::{CallMarks, FileId};
use crate::symbols::Sym;

/// The maker of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstanceOrigin {
    Class(FileId, ClassId),
    /// A function that is called with `new`.
    Fn(FileId, FnId),
    /// The result of `Base.extend({…})`.
    Made(FileId, SiteId),
}

/// One thing that an expression may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JavaScriptValue {
    /// `undefined`, `null`.
    Nothing,
    Fn(FileId, FnId),
    Class(FileId, ClassId),
    /// An instance.
    Instance(InstanceOrigin),
    /// `C.prototype`.
    Proto(InstanceOrigin),
    Object(FileId, ObjId),
    /// The exports of a module.
    Module(FileId),
    /// `this` of the tests and hooks of a file, and `t.context`.
    Context(FileId),
    /// `this` of a function, until its receiver is known.
    This(FileId, FnId),
    /// The instance that `new this()` makes in a function, until the receiver is known.
    New(FileId, FnId),
    /// A parameter, until its argument is known.
    Param(FileId, FnId, u16),
    /// An object that `Object.create(…)` or the like made.
    Made(FileId, SiteId),
    /// Something of a library, named by its owner.
    Outside(Sym),
    /// The result of a call that is not followed: a library's, with its owner, or a closure that wraps what it was
    /// given.
    Result(FileId, SiteId, Option<Sym>),
    /// An object that the runner hands to a test: `t`, `assert`.
    Runner(Sym),
    Text(Sym),
    Primitive(PrimitiveValue),
    Array(FileId, ExprId),
    /// An array of a function's results: `list.map(f)`.
    Each(FileId, FnId),
    /// An array with elements of this type: `T[]`.
    List(FileId, TypeId),
}

impl JavaScriptValue {
    pub const fn is_list(&self) -> bool {
        matches!(self, Self::Array(..) | Self::Each(..) | Self::List(..))
    }

    /// Tells whether this is a function, or the result of some call.
    pub const fn may_be_function(&self) -> bool {
        matches!(self, Self::Fn(..) | Self::Result(_, _, None))
    }

    /// Finds the file in which a holder of members is declared.
    pub const fn home(self) -> Option<FileId> {
        match self {
            Self::Fn(file, _)
            | Self::Class(file, _)
            | Self::Object(file, _)
            | Self::Module(file)
            | Self::Context(file)
            | Self::Made(file, _)
            | Self::Result(file, ..) => Some(file),
            Self::Instance(maker) | Self::Proto(maker) => match maker {
                InstanceOrigin::Class(file, _)
                | InstanceOrigin::Fn(file, _)
                | InstanceOrigin::Made(file, _) => Some(file),
            },
            _ => None,
        }
    }
}

/// [`Primitive`] with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrimitiveValue {
    String,
    Number,
    Boolean,
    RegExp,
}

impl From<Primitive> for PrimitiveValue {
    fn from(primitive: Primitive) -> Self {
        match primitive {
            Primitive::String => Self::String,
            Primitive::Number => Self::Number,
            Primitive::Boolean => Self::Boolean,
            Primitive::RegExp => Self::RegExp,
        }
    }
}

/// How many values a set may hold: with more, it is open.
const VALUES_MAX: usize = 24;

/// All that an expression may stand for. Most expressions stand for one thing, for which nothing is allocated.
#[derive(Debug, Default)]
pub struct ValueSet {
    pub list: SmallVec<[JavaScriptValue; 2]>,
    /// Whether there may be others.
    pub is_open: bool,
    pub marks: CallMarks,
}

impl Clone for ValueSet {
    fn clone(&self) -> Self {
        Self {
            // A copy of the whole slice takes a third of the time of clones one by one.
            list: SmallVec::from_slice(&self.list),
            ..*self
        }
    }
}

impl ValueSet {
    pub fn unknown() -> Self {
        Self::open(true)
    }

    /// Makes an empty set of values, open or complete.
    pub fn open(is_open: bool) -> Self {
        Self {
            is_open,
            ..Self::default()
        }
    }

    /// Copies the set without its values: whether it is open, and its marks.
    pub fn beside(&self) -> Self {
        Self {
            list: SmallVec::new(),
            ..*self
        }
    }

    pub fn one(value: JavaScriptValue) -> Self {
        Self {
            list: smallvec![value],
            ..Self::default()
        }
    }

    pub fn push(&mut self, value: JavaScriptValue) {
        if self.list.contains(&value) {
            return;
        }
        if self.list.len() >= VALUES_MAX {
            self.is_open = true;
        } else {
            self.list.push(value);
        }
    }

    pub fn add(&mut self, other: &Self) {
        for &value in &other.list {
            self.push(value);
        }
        self.is_open |= other.is_open;
        self.marks.add(other.marks);
    }

    /// Tells whether the set holds nothing but `undefined` and `null`.
    pub fn holds_only_nothing(&self) -> bool {
        self.list
            .iter()
            .all(|script_value| *script_value == JavaScriptValue::Nothing)
    }

    /// Leaves `undefined` and `null` out.
    pub fn without_nothing(mut self) -> Self {
        self.list
            .retain(|script_value| *script_value != JavaScriptValue::Nothing);
        self
    }
}
