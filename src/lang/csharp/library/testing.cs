// Test frameworks, assertion and mocking libraries: what comes out of their calls, and what lambdas in them take.
namespace Xunit
{
    using System;
    using System.Collections;
    using System.Collections.Generic;
    using System.Threading.Tasks;
    public class FactAttribute : Attribute { public string Skip { get; set; } public string DisplayName { get; set; } }
    public class TheoryAttribute : FactAttribute { }
    public class InlineDataAttribute : Attribute { }
    public class MemberDataAttribute : Attribute { }
    public class ClassDataAttribute : Attribute { }
    public class CollectionAttribute : Attribute { }
    public class CollectionDefinitionAttribute : Attribute { }
    public class TraitAttribute : Attribute { }
    public interface IClassFixture<T> { }
    public interface ICollectionFixture<T> { }
    public interface IAsyncLifetime { Task InitializeAsync(); Task DisposeAsync(); }
    public interface ITestOutputHelper { void WriteLine(string s); void WriteLine(string format, params object[] args); }
    public abstract class TheoryData : IEnumerable<object[]> { }
    public class TheoryData<A> : TheoryData { public void Add(A a); }
    public class TheoryData<A, B> : TheoryData { public void Add(A a, B b); }
    public class TheoryData<A, B, C> : TheoryData { public void Add(A a, B b, C c); }
    public static class Record { public static Exception Exception(Action f); public static Exception Exception(Func<object> f); public static Task<Exception> ExceptionAsync(Func<Task> f); }
    public class Assert
    {
        public static T IsType<T>(object o);
        public static T IsType<T>(object o, bool exact);
        public static T IsAssignableFrom<T>(object o);
        public static void IsNotType<T>(object o);
        public static T Throws<T>(Action f) where T : Exception;
        public static T Throws<T>(Func<object> f) where T : Exception;
        public static T Throws<T>(string name, Action f) where T : Exception;
        public static T Throws<T>(string name, Func<object> f) where T : Exception;
        public static Exception Throws(Type type, Action f);
        public static Exception Throws(Type type, Func<object> f);
        public static T ThrowsAny<T>(Action f) where T : Exception;
        public static T ThrowsAny<T>(Func<object> f) where T : Exception;
        public static Task<T> ThrowsAsync<T>(Func<Task> f) where T : Exception;
        public static Task<T> ThrowsAsync<T>(string name, Func<Task> f) where T : Exception;
        public static Task<T> ThrowsAnyAsync<T>(Func<Task> f) where T : Exception;
        public static T Single<T>(IEnumerable<T> s);
        public static T Single<T>(IEnumerable<T> s, Predicate<T> f);
        public static object Single(IEnumerable s);
        public static void Single(IEnumerable s, object o);
        public static void All<T>(IEnumerable<T> s, Action<T> f);
        public static void All<T>(IEnumerable<T> s, Action<T, int> f);
        public static void Collection<T>(IEnumerable<T> s, params Action<T>[] f);
        public static void Contains<T>(T value, IEnumerable<T> s);
        public static void Contains<T>(IEnumerable<T> s, Predicate<T> f);
        public static void Contains(string a, string b);
        public static void DoesNotContain<T>(T value, IEnumerable<T> s);
        public static void DoesNotContain<T>(IEnumerable<T> s, Predicate<T> f);
        public static void DoesNotContain(string a, string b);
        public static void Equal<T>(T a, T b);
        public static void Equal<T>(IEnumerable<T> a, IEnumerable<T> b);
        public static void Raises<T>(Action<EventHandler<T>> a, Action<EventHandler<T>> b, Action f);
        public static void PropertyChanged(System.ComponentModel.INotifyPropertyChanged o, string name, Action f);
        public static T NotNull<T>(T? value) where T : struct;
        public static void NotNull(object o);
        public static void Multiple(params Action[] f);
    }
}
namespace Xunit.Abstractions { public interface ITestOutputHelper { void WriteLine(string s); void WriteLine(string format, params object[] args); } }
namespace NUnit.Framework
{
    using System;
    using System.Collections;
    using System.Threading.Tasks;
    public class TestAttribute : Attribute { }
    public class TestCaseAttribute : Attribute { }
    public class TestCaseSourceAttribute : Attribute { }
    public class TheoryAttribute : Attribute { }
    public class TestFixtureAttribute : Attribute { }
    public class SetUpFixtureAttribute : Attribute { }
    public class SetUpAttribute : Attribute { }
    public class OneTimeSetUpAttribute : Attribute { }
    public class TearDownAttribute : Attribute { }
    public class OneTimeTearDownAttribute : Attribute { }
    public class IgnoreAttribute : Attribute { }
    public class ExplicitAttribute : Attribute { }
    public class CategoryAttribute : Attribute { }
    public class DescriptionAttribute : Attribute { }
    public delegate void TestDelegate();
    public delegate Task AsyncTestDelegate();
    public delegate T ActualValueDelegate<T>();
    public class TestCaseData { public TestCaseData(params object[] args); public TestCaseData Returns(object o); public TestCaseData SetName(string s); }
    public class Assert
    {
        public static T Throws<T>(TestDelegate f) where T : Exception;
        public static T Throws<T>(TestDelegate f, string message, params object[] args) where T : Exception;
        public static Exception Throws(Type type, TestDelegate f);
        public static Exception Throws(Constraints.IResolveConstraint c, TestDelegate f);
        public static T Catch<T>(TestDelegate f) where T : Exception;
        public static Exception Catch(TestDelegate f);
        public static T ThrowsAsync<T>(AsyncTestDelegate f) where T : Exception;
        public static T ThrowsAsync<T>(AsyncTestDelegate f, string message, params object[] args) where T : Exception;
        public static void DoesNotThrow(TestDelegate f);
        public static void DoesNotThrow(TestDelegate f, string message, params object[] args);
        public static void DoesNotThrowAsync(AsyncTestDelegate f);
        public static void Multiple(TestDelegate f);
        public static void That(bool b);
        public static void That(TestDelegate f, Constraints.IResolveConstraint c);
        public static void That<T>(ActualValueDelegate<T> f, Constraints.IResolveConstraint c);
        public static void That<T>(T actual, Constraints.IResolveConstraint c);
    }
}
namespace NUnit.Framework.Constraints { public interface IResolveConstraint { } }
namespace Microsoft.VisualStudio.TestTools.UnitTesting
{
    using System;
    using System.Threading.Tasks;
    public class TestClassAttribute : Attribute { }
    public class TestMethodAttribute : Attribute { }
    public class DataTestMethodAttribute : TestMethodAttribute { }
    public class DataRowAttribute : Attribute { }
    public class DynamicDataAttribute : Attribute { }
    public class TestInitializeAttribute : Attribute { }
    public class ClassInitializeAttribute : Attribute { }
    public class AssemblyInitializeAttribute : Attribute { }
    public class TestCleanupAttribute : Attribute { }
    public class ClassCleanupAttribute : Attribute { }
    public class TestCategoryAttribute : Attribute { }
    public class IgnoreAttribute : Attribute { }
    public class ExpectedExceptionAttribute : Attribute { }
    public abstract class TestContext { public string TestName { get; } public void WriteLine(string s); }
    public class Assert
    {
        public static T ThrowsException<T>(Action f) where T : Exception;
        public static T ThrowsException<T>(Action f, string message) where T : Exception;
        public static T ThrowsException<T>(Func<object> f) where T : Exception;
        public static T ThrowsExactly<T>(Action f) where T : Exception;
        public static T ThrowsExactly<T>(Func<object> f) where T : Exception;
        public static T Throws<T>(Action f) where T : Exception;
        public static T Throws<T>(Func<object> f) where T : Exception;
        public static Task<T> ThrowsExceptionAsync<T>(Func<Task> f) where T : Exception;
        public static Task<T> ThrowsExactlyAsync<T>(Func<Task> f) where T : Exception;
        public static Task<T> ThrowsAsync<T>(Func<Task> f) where T : Exception;
        public static Assert That { get; }
    }
    public class CollectionAssert { public static CollectionAssert That { get; } }
    public class StringAssert { public static StringAssert That { get; } }
}
namespace Moq
{
    using System;
    using System.Linq.Expressions;
    public class Mock { public static T Of<T>(); public static Mock<T> Get<T>(T o); public static void Verify(params Mock[] mocks); }
    public class Mock<T> : Mock
    {
        public Mock();
        public Mock(MockBehavior behavior);
        public Mock(params object[] args);
        public T Object { get; }
        public Language.ISetup<T> Setup(Expression<Action<T>> f);
        public Language.ISetup<T, R> Setup<R>(Expression<Func<T, R>> f);
        public Language.ISetup<T, R> SetupGet<R>(Expression<Func<T, R>> f);
        public Mock<T> SetupProperty<R>(Expression<Func<T, R>> f);
        public Mock<T> SetupProperty<R>(Expression<Func<T, R>> f, R value);
        public Mock<T> SetupAllProperties();
        public Language.ISetupSequentialResult<R> SetupSequence<R>(Expression<Func<T, R>> f);
        public void Verify();
        public void VerifyAll();
        public void VerifyNoOtherCalls();
        public void Verify(Expression<Action<T>> f);
        public void Verify(Expression<Action<T>> f, Times times);
        public void Verify(Expression<Action<T>> f, Func<Times> times);
        public void Verify<R>(Expression<Func<T, R>> f);
        public void Verify<R>(Expression<Func<T, R>> f, Times times);
        public void Verify<R>(Expression<Func<T, R>> f, Func<Times> times);
        public void Raise(Action<T> f, params object[] args);
        public Mock<U> As<U>();
    }
    public enum MockBehavior { Default, Loose, Strict }
    public struct Times { public static Times Once(); public static Times Never(); public static Times Exactly(int n); public static Times AtLeastOnce(); public static Times AtLeast(int n); public static Times AtMost(int n); public static Times AtMostOnce(); }
    public static class It { public static T IsAny<T>(); public static T Is<T>(Expression<Func<T, bool>> f); public static T IsIn<T>(params T[] s); public static T IsNotNull<T>(); }
}
namespace Moq.Language
{
    using System;
    public interface ISetup<T> { ISetup<T> Callback(Action f); ISetup<T> Callback<A>(Action<A> f); ISetup<T> Callback<A, B>(Action<A, B> f); void Verifiable(); ISetup<T> Throws(Exception e); ISetup<T> Throws<E>(); }
    public interface ISetup<T, R> { ISetup<T, R> Callback(Action f); ISetup<T, R> Callback<A>(Action<A> f); ISetup<T, R> Callback<A, B>(Action<A, B> f); ISetup<T, R> Returns(R value); ISetup<T, R> Returns(Func<R> f); ISetup<T, R> Returns<A>(Func<A, R> f); ISetup<T, R> Returns<A, B>(Func<A, B, R> f); void Verifiable(); ISetup<T, R> Throws(Exception e); ISetup<T, R> Throws<E>(); }
    public interface ISetupSequentialResult<R> { ISetupSequentialResult<R> Returns(R value); ISetupSequentialResult<R> Throws(System.Exception e); }
}
namespace NSubstitute
{
    using System;
    public static class Substitute { public static T For<T>(params object[] args); public static T ForPartsOf<T>(params object[] args); }
    public static class SubstituteExtensions { public static T Received<T>(this T o); public static T Received<T>(this T o, int n); public static T DidNotReceive<T>(this T o); public static T DidNotReceiveWithAnyArgs<T>(this T o); public static T ReceivedWithAnyArgs<T>(this T o); public static T Configure<T>(this T o); }
    public static class Arg { public static T Any<T>(); public static T Is<T>(T value); public static T Is<T>(System.Linq.Expressions.Expression<Predicate<T>> f); public static T Do<T>(Action<T> f); }
}
namespace FakeItEasy
{
    using System;
    using System.Linq.Expressions;
    public static class A { public static T Fake<T>(); public static T Dummy<T>(); public static IConfiguration CallTo(Expression<Action> f); public static IConfiguration<T> CallTo<T>(Expression<Func<T>> f); public static T That<T>(); public static ArgumentMatcher<T> ThatMatches<T>(); }
    public class ArgumentMatcher<T> { public T Ignored { get; } public T _ { get; } }
    public static class A<T> { public static T Ignored { get; } public static T _ { get; } }
    public interface IConfiguration { IConfiguration Throws(Exception e); void MustHaveHappened(); void MustNotHaveHappened(); void MustHaveHappenedOnceExactly(); }
    public interface IConfiguration<T> { IConfiguration<T> Returns(T value); void MustHaveHappened(); void MustNotHaveHappened(); void MustHaveHappenedOnceExactly(); }
}
namespace Shouldly
{
    using System;
    using System.Collections.Generic;
    using System.Threading.Tasks;
    public static class Should { public static T Throw<T>(Action f) where T : Exception; public static T Throw<T>(Func<object> f) where T : Exception; public static Task<T> ThrowAsync<T>(Func<Task> f) where T : Exception; public static void NotThrow(Action f); }
    public static class ShouldlyExtensions { public static T ShouldBeOfType<T>(this object o); public static T ShouldBeAssignableTo<T>(this object o); public static T ShouldHaveSingleItem<T>(this IEnumerable<T> s); public static T ShouldNotBeNull<T>(this T o); public static void ShouldContain<T>(this IEnumerable<T> s, System.Linq.Expressions.Expression<Func<T, bool>> f); public static void ShouldContain<T>(this IEnumerable<T> s, T value); public static void ShouldContain(this string a, string b); public static void ShouldAllBe<T>(this IEnumerable<T> s, System.Linq.Expressions.Expression<Func<T, bool>> f); public static T ShouldThrow<T>(this Action f) where T : Exception; public static void ShouldBe<T>(this T a, T b); }
}
