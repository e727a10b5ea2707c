//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.92 of the cases.
///
/// Measured in 252 tests, in folds that neither weights nor threshold were fitted to: 123 picks, of which a share of
/// `0.894 [0.828, 0.937]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.78;

/// The score of no candidate being right.
pub const NONE: f64 = 0.804;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -0.949),
    (Evidence::Constructor, -3.223),
    (Evidence::AtRunTime, -0.279),
    (Evidence::Implicit, 0.175),
    (Evidence::InFixture, 0.176),
    (Evidence::NameIsTest, 0.272),
    (Evidence::NameCovered, 0.207),
    (Evidence::NameStemmed, 1.178),
    (Evidence::NameHalf, 0.597),
    (Evidence::NameShared, 0.931),
    (Evidence::NameFirst, -0.107),
    (Evidence::NameMost, 0.572),
    (Evidence::NameLonger, 0.32),
    (Evidence::NameMostly, 0.852),
    (Evidence::VerbFirst, 1.073),
    (Evidence::NameInClass, 2.186),
    (Evidence::OnlyInClass, 0.402),
    (Evidence::ClassInName, 0.326),
    (Evidence::ParametersNamed, 0.355),
    (Evidence::ConstructorNamed, 1.051),
    (Evidence::ClassUnderTest, 0.036),
    (Evidence::ClassNamed, 0.81),
    (Evidence::ClassInherited, 1.165),
    (Evidence::ClassNested, 1.009),
    (Evidence::SamePackage, 0.499),
    (Evidence::InAssertion, 0.374),
    (Evidence::Asserted, -0.149),
    (Evidence::Thrower, 0.97),
    (Evidence::LastBefore, 0.64),
    (Evidence::LastCall, 0.344),
    (Evidence::Stubbed, -1.636),
    (Evidence::Discarded, 0.135),
    (Evidence::Inspects, -0.282),
    (Evidence::Prepares, -0.767),
    (Evidence::Repeated, -0.097),
    (Evidence::Accessor, -1.319),
    (Evidence::GetterName, -0.547),
    (Evidence::SetterName, -0.974),
    (Evidence::Maker, -0.483),
    (Evidence::Closer, -0.037),
    (Evidence::NoBody, 0.368),
    (Evidence::ObjectMethod, -0.837),
    (Evidence::OnlyCandidate, 0.499),
    (Evidence::NoneDirect, -0.374),
    (Evidence::NotOfClass, -0.237),
    (Evidence::OnlyOfClass, 0.029),
    (Evidence::MostCalledOfClass, 0.325),
    (Evidence::RareInClass, 0.624),
    (Evidence::CommonInClass, 0.369),
    (Evidence::Rivalled, -0.07),
    (Evidence::ByName, -0.794),
    (Evidence::Property, -1.331),
    (Evidence::Operator, -0.296),
    (Evidence::Wrapped, -0.278),
    (Evidence::HandedOver, -0.393),
    (Evidence::FileNamed, 1.13),
    (Evidence::GroupNamed, 0.616),
    (Evidence::Driver, -0.888),
    (Evidence::RanOutermost, 0.0),
    (Evidence::RanInside, 0.0),
    (Evidence::RanLast, 0.0),
    (Evidence::OnlyRan, 0.0),
    (Evidence::DidNotRun, 0.0),
    (Evidence::Echoed, -2.136),
];
