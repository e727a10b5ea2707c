//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.95 of the cases.
///
/// Measured in 132 tests, in folds that neither weights nor threshold were fitted to: 88 picks, of which a share of
/// `0.943 [0.874, 0.975]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.73;

/// The score of no candidate being right.
pub const NONE: f64 = 2.878;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -1.008),
    (Evidence::Constructor, -3.245),
    (Evidence::AtRunTime, -0.283),
    (Evidence::Implicit, 0.387),
    (Evidence::InFixture, 0.065),
    (Evidence::NameIsTest, 0.302),
    (Evidence::NameCovered, 0.174),
    (Evidence::NameStemmed, 1.195),
    (Evidence::NameHalf, 0.579),
    (Evidence::NameShared, 0.914),
    (Evidence::NameFirst, 0.021),
    (Evidence::NameMost, 0.599),
    (Evidence::NameLonger, 0.304),
    (Evidence::NameMostly, 0.679),
    (Evidence::VerbFirst, 1.22),
    (Evidence::NameInClass, 2.255),
    (Evidence::OnlyInClass, 0.358),
    (Evidence::ClassInName, 0.331),
    (Evidence::ParametersNamed, 0.345),
    (Evidence::ConstructorNamed, 1.168),
    (Evidence::ClassUnderTest, 0.069),
    (Evidence::ClassNamed, 0.959),
    (Evidence::ClassInherited, 0.996),
    (Evidence::ClassNested, 0.732),
    (Evidence::SamePackage, 0.941),
    (Evidence::InAssertion, 0.531),
    (Evidence::Asserted, 0.4),
    (Evidence::Thrower, 0.867),
    (Evidence::LastBefore, 0.04),
    (Evidence::LastCall, 0.626),
    (Evidence::Stubbed, -1.529),
    (Evidence::Discarded, -0.327),
    (Evidence::Inspects, -0.297),
    (Evidence::Prepares, -0.861),
    (Evidence::Repeated, 0.184),
    (Evidence::Accessor, -1.344),
    (Evidence::GetterName, -0.572),
    (Evidence::SetterName, -1.001),
    (Evidence::Maker, -0.779),
    (Evidence::Closer, -0.059),
    (Evidence::NoBody, 0.398),
    (Evidence::ObjectMethod, -0.714),
    (Evidence::OnlyCandidate, 0.55),
    (Evidence::NoneDirect, -0.345),
    (Evidence::NotOfClass, -0.467),
    (Evidence::OnlyOfClass, 0.087),
    (Evidence::MostCalledOfClass, 0.661),
    (Evidence::RareInClass, 0.715),
    (Evidence::CommonInClass, 0.472),
    (Evidence::Rivalled, -0.148),
    (Evidence::ByName, -0.937),
    (Evidence::Property, -1.328),
    (Evidence::Operator, -0.877),
    (Evidence::Wrapped, -0.108),
    (Evidence::HandedOver, -0.98),
    (Evidence::FileNamed, 1.696),
    (Evidence::GroupNamed, 0.639),
    (Evidence::Driver, -0.504),
    (Evidence::RanOutermost, 0.0),
    (Evidence::RanInside, 0.0),
    (Evidence::RanLast, 0.0),
    (Evidence::OnlyRan, 0.0),
    (Evidence::DidNotRun, 0.0),
    (Evidence::Echoed, -2.11),
];
