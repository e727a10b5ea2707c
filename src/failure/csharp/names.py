"""Writes the names of `names.txt`: python3 names.py > names.txt.

What is declared in the signatures that calls are resolved by, words of the language, and what test frameworks and
assertion libraries are called by. The rest of the framework is not there: a name of it that occurs nowhere in the sample
counts as unknown.
"""

import pathlib
import re

KEYWORDS = """abstract add alias and args as async await base bool break by byte case catch char checked class const continue
decimal default delegate descending do double dynamic else enum event explicit extern false file finally fixed float for
foreach from get global goto group if implicit in init int interface internal into is join let lock long managed nameof
namespace new nint not notnull null nuint object on operator or orderby out override params partial private protected
public readonly record ref remove required return sbyte scoped sealed select set short sizeof stackalloc static string
struct switch this throw true try typeof uint ulong unchecked unmanaged unsafe ushort using value var virtual void
volatile when where while with yield _""".split()
ASSERTING = """Fact Theory InlineData MemberData ClassData Trait Test TestCase TestCaseSource TestFixture SetUp TearDown
OneTimeSetUp OneTimeTearDown TestMethod TestClass DataRow DynamicData ExpectedException Category Values Range Assert
ClassicAssert CollectionAssert StringAssert FileAssert DirectoryAssert Is Has Does Throws Contains Times It Mock Substitute
Arg Received ReceivedWithAnyArgs DidNotReceive DidNotReceiveWithAnyArgs Returns ReturnsAsync ReturnsForAnyArgs Setup
SetupGet SetupSet SetupSequence Verify VerifyAll VerifyNoOtherCalls VerifyGet VerifySet Callback Object Loose Strict
MockBehavior IsAny IsIn IsRegex IsNotNull Any Once Never AtLeastOnce AtMostOnce Exactly AtLeast AtMost Between A Fake CallTo
MustHaveHappened MustNotHaveHappened MustHaveHappenedOnceExactly Record Exception ExceptionAsync ITestOutputHelper
IClassFixture ICollectionFixture IAsyncLifetime Should
Equal NotEqual StrictEqual NotStrictEqual Same NotSame True False Null NotNull Empty NotEmpty Single All Collection Contains
DoesNotContain StartsWith EndsWith Matches DoesNotMatch InRange NotInRange IsType IsNotType IsAssignableFrom
Throws ThrowsAny ThrowsAsync ThrowsAnyAsync Equivalent Fail Raises RaisesAny PropertyChanged Distinct Subset Superset
ProperSubset ProperSuperset AreEqual AreNotEqual AreSame AreNotSame AreEquivalent IsTrue IsFalse IsNull IsNotNull
IsInstanceOf IsNotInstanceOf IsInstanceOfType IsEmpty IsNotEmpty That Greater GreaterOrEqual Less LessOrEqual DoesNotThrow
Catch ThrowsException ThrowsExceptionAsync ThrowsExactly ThrowsExactlyAsync Inconclusive Ignore Pass Multiple Zero NotZero
Positive Negative EqualTo EquivalentTo SameAs Not No And Or With Property Message InstanceOf TypeOf AnyOf Member Items
GreaterThan GreaterThanOrEqualTo LessThan LessThanOrEqualTo Within Percent IgnoreCase Count Length Some None Ordered Unique
AssignableFrom AssignableTo InnerException Attribute
Be NotBe BeNull NotBeNull BeTrue BeFalse BeEmpty NotBeEmpty BeEquivalentTo NotBeEquivalentTo BeSameAs NotBeSameAs BeOfType
BeAssignableTo BeGreaterThan BeGreaterThanOrEqualTo BeGreaterOrEqualTo BeLessThan BeLessThanOrEqualTo BeLessOrEqualTo
BeInRange BeCloseTo BeApproximately BePositive BeNegative BeOneOf BeNullOrEmpty NotBeNullOrEmpty BeNullOrWhiteSpace
NotBeNullOrWhiteSpace HaveCount HaveLength StartWith EndWith Contain NotContain ContainSingle ContainKey ContainInOrder
ContainEquivalentOf OnlyContain OnlyHaveUniqueItems BeInAscendingOrder BeInDescendingOrder Match MatchRegex Throw NotThrow
ThrowExactly ThrowAsync NotThrowAsync ThrowExactlyAsync WithMessage WithInnerException WithParameterName Which Subject Where
Invoking Awaiting HaveValue NotHaveValue Satisfy AllSatisfy HaveElementAt Equals
ShouldBe ShouldNotBe ShouldBeTrue ShouldBeFalse ShouldBeNull ShouldNotBeNull ShouldBeSameAs ShouldBeOfType
ShouldBeAssignableTo ShouldContain ShouldNotContain ShouldBeEmpty ShouldNotBeEmpty ShouldBeGreaterThan
ShouldBeGreaterThanOrEqualTo ShouldBeLessThan ShouldBeLessThanOrEqualTo ShouldBeInRange ShouldStartWith ShouldEndWith
ShouldMatch ShouldThrow ShouldNotThrow ShouldThrowAsync ShouldBeEquivalentTo ShouldHaveSingleItem ShouldAllBe
ShouldSatisfyAllConditions ShouldBeNullOrEmpty ShouldBeUnique""".split()

names = set(KEYWORDS) | set(ASSERTING)
folder = pathlib.Path(__file__).resolve().parents[2] / "lang/csharp/library"
for path in sorted(folder.glob("*.cs")):
    text = re.sub(r"//.*", "", path.read_text())
    names.update(re.findall(r"\b[A-Za-z_]\w+", text))
print("\n".join(sorted(names)))
