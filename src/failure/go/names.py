"""Writes the names of `names.txt`: python3 names.py > names.txt, with Go installed.

Public names of the standard library, from the lists that Go keeps of it, what the language declares, and what assertion
libraries are called by.
"""

import pathlib
import re
import subprocess

BUILT_IN = """any append bool break byte cap case chan clear close comparable complex complex64 complex128 const continue copy
default defer delete else error fallthrough false float32 float64 for func go goto if imag import int int8 int16 int32 int64
interface iota len make map max min new nil package panic print println range real recover return rune select string struct
switch true type uint uint8 uint16 uint32 uint64 uintptr var _ t b tb m got want err ok ctx""".split()
ASSERTING = """assert require gomega Expect Eventually Consistently To NotTo ToNot Should ShouldNot cmp cmpopts cmpopts
gomock mock suite Suite qt td is GinkgoT Describe Context It BeforeEach AfterEach AnyTimes Times EXPECT NewController Any
Finish On Return Once Maybe AssertExpectations AssertCalled AssertNotCalled AssertNumberOfCalls Diff IgnoreFields
IgnoreUnexported EquateEmpty EquateErrors SortSlices Equal NotEqual EqualValues NotEqualValues Exactly Same NotSame True False
Nil NotNil Error NoError EqualError ErrorIs NotErrorIs ErrorAs ErrorContains Contains NotContains Len Empty NotEmpty Zero
NotZero Greater GreaterOrEqual Less LessOrEqual Positive Negative InDelta InDeltaSlice InEpsilon IsType Implements Regexp
NotRegexp JSONEq YAMLEq Panics NotPanics PanicsWithValue PanicsWithError ElementsMatch Subset NotSubset WithinDuration
FileExists NoFileExists DirExists Never Fail FailNow BeNil BeTrue BeFalse BeEmpty BeZero BeEquivalentTo BeIdenticalTo
BeNumerically BeAssignableToTypeOf HaveOccurred Succeed MatchError HaveLen HaveKey HaveKeyWithValue HaveField HavePrefix
HaveSuffix ContainElement ContainElements ConsistOf ContainSubstring MatchRegexp MatchJSON Panic Not And Or Receive Require
Assert Check So ShouldEqual ShouldNotEqual ShouldResemble ShouldNotResemble ShouldBeNil ShouldNotBeNil ShouldBeTrue
ShouldBeFalse ShouldBeEmpty ShouldNotBeEmpty ShouldHaveLength ShouldContain ShouldContainSubstring ShouldPanic ShouldBeError
ShouldAlmostEqual Equals DeepEquals IsNil IsNotNil IsTrue IsFalse HasLen ErrorMatches PanicMatches CmpEquals""".split()

root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
names = set(BUILT_IN) | set(ASSERTING)
for path in pathlib.Path(root, "api").glob("go1*.txt"):
    for line in path.read_text().splitlines():
        line = line.split("#")[0]
        package = re.match(r"pkg ([\w/.]+)", line)
        if package:
            names.update(package[1].split("/"))
        names.update(re.findall(r"\b[A-Z]\w*", line))
print("\n".join(sorted(names)))
