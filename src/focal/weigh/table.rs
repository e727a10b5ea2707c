//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// Out of fold, picks of this weight or more are right in 95 % of the cases.
pub const THRESHOLD: f64 = 0.77;

pub const NONE: f64 = -1.107;

/// What each kind adds to the log-odds, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -1.153),
    (Evidence::Constructor, -2.326),
    (Evidence::AtRunTime, -1.183),
    (Evidence::Implicit, -1.196),
    (Evidence::InFixture, 0.085),
    (Evidence::NameIsTest, 0.099),
    (Evidence::NameCovered, 0.208),
    (Evidence::NameStemmed, 0.478),
    (Evidence::NameHalf, 0.077),
    (Evidence::NameShared, 1.336),
    (Evidence::NameFirst, 0.325),
    (Evidence::NameMost, 0.537),
    (Evidence::NameLonger, -0.263),
    (Evidence::NameMostly, 0.0),
    (Evidence::VerbFirst, 0.0),
    (Evidence::NameInClass, 1.092),
    (Evidence::OnlyInClass, 0.0),
    (Evidence::ClassInName, 0.145),
    (Evidence::ParametersNamed, 0.501),
    (Evidence::ConstructorNamed, 1.564),
    (Evidence::ClassUnderTest, 0.101),
    (Evidence::ClassNamed, 0.196),
    (Evidence::ClassInherited, 0.205),
    (Evidence::ClassNested, 0.05),
    (Evidence::SamePackage, 0.746),
    (Evidence::InAssertion, 0.178),
    (Evidence::Asserted, -0.031),
    (Evidence::Thrower, 1.653),
    (Evidence::LastBefore, 0.629),
    (Evidence::LastCall, 0.083),
    (Evidence::Stubbed, -2.684),
    (Evidence::Discarded, -0.258),
    (Evidence::Inspects, 0.0),
    (Evidence::Prepares, -0.865),
    (Evidence::Repeated, 0.176),
    (Evidence::Accessor, -1.604),
    (Evidence::GetterName, -0.939),
    (Evidence::SetterName, -0.863),
    (Evidence::Maker, -0.226),
    (Evidence::Closer, 0.251),
    (Evidence::NoBody, -0.247),
    (Evidence::ObjectMethod, 0.798),
    (Evidence::OnlyCandidate, 0.535),
    (Evidence::NoneDirect, 0.0),
    (Evidence::NotOfClass, 0.0),
    (Evidence::OnlyOfClass, 1.493),
    (Evidence::MostCalledOfClass, 0.556),
    (Evidence::RareInClass, 0.066),
    (Evidence::CommonInClass, -0.014),
    (Evidence::Rivalled, -1.833),
];
