//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.97 of the cases.
///
/// Measured in 44 tests of 4 repositories that nothing was fitted to: 25 picks, of which a share of
/// `0.880 [0.700, 0.958]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.78;

/// The score of no candidate being right.
pub const NONE: f64 = -0.51;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -0.761),
    (Evidence::Constructor, -2.276),
    (Evidence::AtRunTime, -0.012),
    (Evidence::Implicit, -0.783),
    (Evidence::InFixture, 0.199),
    (Evidence::NameIsTest, 0.098),
    (Evidence::NameCovered, 0.213),
    (Evidence::NameStemmed, 0.712),
    (Evidence::NameHalf, -0.496),
    (Evidence::NameShared, 0.898),
    (Evidence::NameFirst, -0.08),
    (Evidence::NameMost, 0.923),
    (Evidence::NameLonger, -0.338),
    (Evidence::NameMostly, 0.933),
    (Evidence::VerbFirst, 0.96),
    (Evidence::NameInClass, 0.426),
    (Evidence::OnlyInClass, 0.694),
    (Evidence::ClassInName, 0.182),
    (Evidence::ParametersNamed, -0.073),
    (Evidence::ConstructorNamed, 1.51),
    (Evidence::ClassUnderTest, 0.022),
    (Evidence::ClassNamed, 0.3),
    (Evidence::ClassInherited, 1.017),
    (Evidence::ClassNested, 0.607),
    (Evidence::SamePackage, 1.061),
    (Evidence::InAssertion, 0.317),
    (Evidence::Asserted, -0.508),
    (Evidence::Thrower, 1.449),
    (Evidence::LastBefore, 0.285),
    (Evidence::LastCall, 0.422),
    (Evidence::Stubbed, -1.034),
    (Evidence::Discarded, 0.064),
    (Evidence::Inspects, -1.432),
    (Evidence::Prepares, -1.106),
    (Evidence::Repeated, 0.158),
    (Evidence::Accessor, -1.672),
    (Evidence::GetterName, -0.365),
    (Evidence::SetterName, -1.334),
    (Evidence::Maker, -0.557),
    (Evidence::Closer, 0.467),
    (Evidence::NoBody, -0.492),
    (Evidence::ObjectMethod, -0.059),
    (Evidence::OnlyCandidate, -0.724),
    (Evidence::NoneDirect, -1.604),
    (Evidence::NotOfClass, -0.415),
    (Evidence::OnlyOfClass, 1.215),
    (Evidence::MostCalledOfClass, 1.602),
    (Evidence::RareInClass, 0.595),
    (Evidence::CommonInClass, 0.447),
    (Evidence::Rivalled, -1.4),
    (Evidence::ByName, 0.404),
    (Evidence::Property, 0.0),
    (Evidence::Operator, 0.0),
    (Evidence::Wrapped, 0.404),
    (Evidence::HandedOver, 0.404),
    (Evidence::FileNamed, 0.0),
    (Evidence::GroupNamed, -0.081),
    (Evidence::Driver, 0.051),
    (Evidence::RanOutermost, 0.013),
    (Evidence::RanInside, -0.484),
    (Evidence::RanLast, 0.186),
    (Evidence::OnlyRan, 0.147),
    (Evidence::DidNotRun, 0.471),
];
