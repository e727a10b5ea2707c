//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// Precision out of fold is at least 0.95 from here on.
pub const THRESHOLD: f64 = 0.5;

pub const BIAS: f64 = -2.0;

/// What each kind adds to the log-odds, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, 0.0),
    (Evidence::Constructor, 0.0),
    (Evidence::AtRunTime, 0.0),
    (Evidence::Implicit, 0.0),
    (Evidence::InFixture, 0.0),
    (Evidence::NameIsTest, 0.0),
    (Evidence::NameCovered, 1.0),
    (Evidence::NameStemmed, 0.0),
    (Evidence::NameHalf, 0.0),
    (Evidence::NameShared, 0.0),
    (Evidence::NameFirst, 0.0),
    (Evidence::NameMost, 0.0),
    (Evidence::NameLonger, 1.0),
    (Evidence::NameInClass, 0.0),
    (Evidence::ClassInName, 0.0),
    (Evidence::ParametersNamed, 0.0),
    (Evidence::ConstructorNamed, 0.0),
    (Evidence::ClassUnderTest, 1.0),
    (Evidence::ClassNamed, 0.0),
    (Evidence::ClassInherited, 0.0),
    (Evidence::ClassNested, 0.0),
    (Evidence::SamePackage, 0.0),
    (Evidence::InAssertion, 0.0),
    (Evidence::Asserted, 0.0),
    (Evidence::Thrower, 0.0),
    (Evidence::LastBefore, 0.0),
    (Evidence::LastCall, 0.0),
    (Evidence::Stubbed, 0.0),
    (Evidence::Discarded, 0.0),
    (Evidence::Prepares, 0.0),
    (Evidence::Repeated, 0.0),
    (Evidence::Accessor, 0.0),
    (Evidence::GetterName, 0.0),
    (Evidence::SetterName, 0.0),
    (Evidence::Maker, 0.0),
    (Evidence::Closer, 0.0),
    (Evidence::NoBody, 0.0),
    (Evidence::ObjectMethod, 0.0),
    (Evidence::OnlyCandidate, 0.0),
    (Evidence::OnlyOfClass, 0.0),
    (Evidence::MostCalledOfClass, 0.0),
    (Evidence::RareInClass, 0.0),
    (Evidence::CommonInClass, 0.0),
    (Evidence::Rivalled, 0.0),
];
