//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.91 of the cases.
///
/// Measured in 251 tests, in folds that neither weights nor threshold were fitted to: 168 picks, of which a share of
/// `0.905 [0.851, 0.941]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.6;

/// The score of no candidate being right.
pub const NONE: f64 = 0.901;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -0.975),
    (Evidence::Constructor, -3.229),
    (Evidence::AtRunTime, -0.656),
    (Evidence::Implicit, 0.488),
    (Evidence::InFixture, 0.051),
    (Evidence::NameIsTest, 0.495),
    (Evidence::NameCovered, -0.035),
    (Evidence::NameStemmed, 1.226),
    (Evidence::NameHalf, 0.694),
    (Evidence::NameShared, 0.872),
    (Evidence::NameFirst, 0.181),
    (Evidence::NameMost, 0.57),
    (Evidence::NameLonger, 0.077),
    (Evidence::NameMostly, 0.937),
    (Evidence::VerbFirst, 1.092),
    (Evidence::NameInClass, 1.94),
    (Evidence::OnlyInClass, 0.288),
    (Evidence::ClassInName, 0.2),
    (Evidence::ParametersNamed, 0.515),
    (Evidence::ConstructorNamed, 1.152),
    (Evidence::ClassUnderTest, 0.46),
    (Evidence::ClassNamed, 1.239),
    (Evidence::ClassInherited, 1.162),
    (Evidence::ClassNested, 0.843),
    (Evidence::SamePackage, 0.668),
    (Evidence::InAssertion, 0.441),
    (Evidence::Asserted, 0.066),
    (Evidence::Thrower, 1.039),
    (Evidence::LastBefore, 0.534),
    (Evidence::LastCall, 0.468),
    (Evidence::Stubbed, -1.523),
    (Evidence::Discarded, 0.174),
    (Evidence::Inspects, -0.326),
    (Evidence::Prepares, -0.786),
    (Evidence::Repeated, -0.251),
    (Evidence::Accessor, -1.349),
    (Evidence::GetterName, -0.624),
    (Evidence::SetterName, -0.976),
    (Evidence::Maker, -0.73),
    (Evidence::Closer, 0.072),
    (Evidence::NoBody, 0.55),
    (Evidence::ObjectMethod, -0.708),
    (Evidence::OnlyCandidate, 0.541),
    (Evidence::NoneDirect, -0.466),
    (Evidence::NotOfClass, -0.499),
    (Evidence::OnlyOfClass, 0.203),
    (Evidence::MostCalledOfClass, 0.752),
    (Evidence::RareInClass, 0.588),
    (Evidence::CommonInClass, -0.078),
    (Evidence::Rivalled, -0.205),
    (Evidence::ByName, -0.907),
    (Evidence::Property, -1.235),
    (Evidence::Operator, -1.009),
    (Evidence::Wrapped, -0.071),
    (Evidence::HandedOver, -1.134),
    (Evidence::FileNamed, 1.355),
    (Evidence::GroupNamed, 0.506),
    (Evidence::Driver, -0.945),
    (Evidence::RanOutermost, 0.0),
    (Evidence::RanInside, 0.0),
    (Evidence::RanLast, 0.0),
    (Evidence::OnlyRan, 0.0),
    (Evidence::DidNotRun, 0.0),
    (Evidence::Echoed, -2.192),
];
