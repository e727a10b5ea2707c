// FluentAssertions, and AwesomeAssertions, which has the same under another name.
namespace FluentAssertions
{
    using System;
    using System.Collections.Generic;
    using System.Threading.Tasks;
    public static class AssertionExtensions { public static Action Invoking<T>(this T o, Action<T> f); public static Func<R> Invoking<T, R>(this T o, Func<T, R> f); public static Func<Task> Awaiting<T>(this T o, Func<T, Task> f); }
    public static class ShouldExtensions
    {
        public static ObjectAssertions<T> Should<T>(this T o);
        public static CollectionAssertions<T> Should<T>(this IEnumerable<T> s);
        public static StringAssertions Should(this string s);
        public static ActionAssertions Should(this Action f);
        public static ActionAssertions Should<T>(this Func<T> f);
        public static AsyncAssertions Should(this Func<Task> f);
        public static T As<T>(this object o);
    }
    public class StringAssertions { }
    public class ObjectAssertions<T> { public T Subject { get; } public AndWhich<ObjectAssertions<T>, U> BeOfType<U>(string because = "", params object[] args); public AndWhich<ObjectAssertions<T>, U> BeAssignableTo<U>(string because = "", params object[] args); public And<ObjectAssertions<T>> NotBeNull(string because = "", params object[] args); public And<ObjectAssertions<T>> Be(object o, string because = "", params object[] args); public And<ObjectAssertions<T>> BeEquivalentTo(object o, string because = "", params object[] args); public And<ObjectAssertions<T>> Match(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); }
    public class And<A> { public A And { get; } }
    public class AndWhich<A, T> : And<A> { public T Which { get; } public T Subject { get; } }
    public class CollectionAssertions<T> { public IEnumerable<T> Subject { get; } public AndWhich<CollectionAssertions<T>, T> ContainSingle(string because = "", params object[] args); public AndWhich<CollectionAssertions<T>, T> ContainSingle(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); public AndWhich<CollectionAssertions<T>, T> HaveElementAt(int n, T value, string because = "", params object[] args); public AndWhich<CollectionAssertions<T>, T> Contain(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); public And<CollectionAssertions<T>> Contain(T value, string because = "", params object[] args); public And<CollectionAssertions<T>> NotContain(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); public And<CollectionAssertions<T>> OnlyContain(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); public And<CollectionAssertions<T>> HaveCount(int n, string because = "", params object[] args); public And<CollectionAssertions<T>> NotBeEmpty(string because = "", params object[] args); public And<CollectionAssertions<T>> AllSatisfy(Action<T> f, string because = "", params object[] args); public And<CollectionAssertions<T>> SatisfyRespectively(params Action<T>[] f); public And<CollectionAssertions<T>> NotBeNull(string because = "", params object[] args); public AndWhich<CollectionAssertions<T>, IEnumerable<U>> AllBeOfType<U>(string because = "", params object[] args); }
    public class ExceptionAssertions<T> { public T Which { get; } public T And { get; } public ExceptionAssertions<T> WithMessage(string s, string because = "", params object[] args); public ExceptionAssertions<U> WithInnerException<U>(string because = "", params object[] args); public ExceptionAssertions<T> Where(System.Linq.Expressions.Expression<Func<T, bool>> f, string because = "", params object[] args); }
    public class ActionAssertions { public ExceptionAssertions<T> Throw<T>(string because = "", params object[] args) where T : Exception; public ExceptionAssertions<T> ThrowExactly<T>(string because = "", params object[] args) where T : Exception; }
    public class AsyncAssertions { public Task<ExceptionAssertions<T>> ThrowAsync<T>(string because = "", params object[] args) where T : Exception; public Task<ExceptionAssertions<T>> ThrowExactlyAsync<T>(string because = "", params object[] args) where T : Exception; }
    public static class FluentActions { public static Action Invoking(Action f); public static Func<T> Invoking<T>(Func<T> f); public static Func<Task> Awaiting(Func<Task> f); }
}
