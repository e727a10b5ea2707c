//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.

use crate::model::Evidence;

/// The least weight of a pick. It is the lowest at which picks out of fold are right in 0.95 of the cases.
///
/// Measured in 336 tests, in folds that neither weights nor threshold were fitted to: 172 picks, of which a share of
/// `0.942 [0.896, 0.968]` is right (Wilson's interval at 95 %).
pub const THRESHOLD: f64 = 0.76;

/// The score of no candidate being right.
pub const NONE: f64 = -0.105;

/// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].
pub const LOG_ODDS: &[(Evidence, f64)] = &[
    (Evidence::ByHelper, -0.929),
    (Evidence::Constructor, -1.878),
    (Evidence::AtRunTime, -0.012),
    (Evidence::Implicit, -0.506),
    (Evidence::InFixture, 0.287),
    (Evidence::NameIsTest, -0.004),
    (Evidence::NameCovered, 0.225),
    (Evidence::NameStemmed, 0.713),
    (Evidence::NameHalf, -0.359),
    (Evidence::NameShared, 0.981),
    (Evidence::NameFirst, -0.241),
    (Evidence::NameMost, 0.996),
    (Evidence::NameLonger, -0.116),
    (Evidence::NameMostly, 0.883),
    (Evidence::VerbFirst, 0.598),
    (Evidence::NameInClass, 0.64),
    (Evidence::OnlyInClass, 0.895),
    (Evidence::ClassInName, 0.129),
    (Evidence::ParametersNamed, 0.157),
    (Evidence::ConstructorNamed, 1.078),
    (Evidence::ClassUnderTest, -0.104),
    (Evidence::ClassNamed, 0.339),
    (Evidence::ClassInherited, 1.045),
    (Evidence::ClassNested, 0.22),
    (Evidence::SamePackage, 1.102),
    (Evidence::InAssertion, 0.591),
    (Evidence::Asserted, -0.441),
    (Evidence::Thrower, 1.164),
    (Evidence::LastBefore, 0.479),
    (Evidence::LastCall, 0.298),
    (Evidence::Stubbed, -1.411),
    (Evidence::Discarded, 0.029),
    (Evidence::Inspects, -1.151),
    (Evidence::Prepares, -0.742),
    (Evidence::Repeated, -0.142),
    (Evidence::Accessor, -1.372),
    (Evidence::GetterName, -0.581),
    (Evidence::SetterName, -1.275),
    (Evidence::Maker, -0.14),
    (Evidence::Closer, 0.383),
    (Evidence::NoBody, -1.003),
    (Evidence::ObjectMethod, 0.149),
    (Evidence::OnlyCandidate, -0.331),
    (Evidence::NoneDirect, -1.692),
    (Evidence::NotOfClass, -0.2),
    (Evidence::OnlyOfClass, 1.069),
    (Evidence::MostCalledOfClass, 1.12),
    (Evidence::RareInClass, 0.397),
    (Evidence::CommonInClass, 0.504),
    (Evidence::Rivalled, -0.966),
];
