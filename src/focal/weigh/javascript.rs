//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.915 of the cases.
///
/// Measured in 252 tests, in folds that neither weights nor threshold were fitted to: 125 picks, of which a share of
/// `0.904 [0.840, 0.944]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.76;

/// The score of no candidate being right.
pub const NONE: f64 = 0.097;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -0.899),
    (Evidence::Constructor, -3.02),
    (Evidence::AtRunTime, -0.395),
    (Evidence::Implicit, 0.369),
    (Evidence::InFixture, 0.332),
    (Evidence::NameIsTest, 0.258),
    (Evidence::NameCovered, 0.134),
    (Evidence::NameStemmed, 0.832),
    (Evidence::NameHalf, 0.461),
    (Evidence::NameShared, 0.532),
    (Evidence::NameFirst, -0.274),
    (Evidence::NameMost, 0.442),
    (Evidence::NameLonger, 0.065),
    (Evidence::NameMostly, 0.609),
    (Evidence::VerbFirst, 1.16),
    (Evidence::NameInClass, 1.84),
    (Evidence::OnlyInClass, 1.022),
    (Evidence::ClassInName, 0.28),
    (Evidence::ParametersNamed, 0.414),
    (Evidence::ConstructorNamed, 1.154),
    (Evidence::ClassUnderTest, 0.469),
    (Evidence::ClassNamed, 1.164),
    (Evidence::ClassInherited, 1.36),
    (Evidence::ClassNested, 1.024),
    (Evidence::SamePackage, 0.579),
    (Evidence::InAssertion, 0.455),
    (Evidence::Asserted, 0.033),
    (Evidence::Thrower, 1.045),
    (Evidence::LastBefore, 0.388),
    (Evidence::LastCall, 0.292),
    (Evidence::Stubbed, -1.723),
    (Evidence::Discarded, -0.086),
    (Evidence::Inspects, -0.312),
    (Evidence::Prepares, -0.797),
    (Evidence::Repeated, 0.364),
    (Evidence::Accessor, -1.257),
    (Evidence::GetterName, -0.582),
    (Evidence::SetterName, -0.956),
    (Evidence::Maker, -0.498),
    (Evidence::Closer, -0.006),
    (Evidence::NoBody, 0.379),
    (Evidence::ObjectMethod, -0.793),
    (Evidence::OnlyCandidate, 0.657),
    (Evidence::NoneDirect, -0.219),
    (Evidence::NotOfClass, -0.282),
    (Evidence::OnlyOfClass, -0.07),
    (Evidence::MostCalledOfClass, 0.607),
    (Evidence::RareInClass, 0.328),
    (Evidence::CommonInClass, 0.398),
    (Evidence::Rivalled, 0.065),
    (Evidence::ByName, -1.377),
    (Evidence::Property, -1.415),
    (Evidence::Operator, -0.91),
    (Evidence::Wrapped, -0.086),
    (Evidence::HandedOver, -0.632),
    (Evidence::FileNamed, 1.505),
    (Evidence::GroupNamed, 0.537),
    (Evidence::Driver, -0.867),
    (Evidence::RanOutermost, 0.0),
    (Evidence::RanInside, 0.0),
    (Evidence::RanLast, 0.0),
    (Evidence::OnlyRan, 0.0),
    (Evidence::DidNotRun, 0.0),
    (Evidence::Echoed, -1.874),
];
