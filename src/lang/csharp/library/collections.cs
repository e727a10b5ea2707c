// Collections, queries and tasks.
namespace System.Collections
{
    public interface IEnumerable { IEnumerator GetEnumerator(); }
    public interface IEnumerator { object Current { get; } bool MoveNext(); void Reset(); }
    public interface ICollection : IEnumerable { int Count { get; } void CopyTo(Array array, int at); object SyncRoot { get; } bool IsSynchronized { get; } }
    public interface IList : ICollection { object this[int index] { get; set; } int Add(object value); void Clear(); bool Contains(object value); int IndexOf(object value); void Insert(int at, object value); void Remove(object value); void RemoveAt(int at); bool IsReadOnly { get; } bool IsFixedSize { get; } }
    public interface IDictionary : ICollection { object this[object key] { get; set; } ICollection Keys { get; } ICollection Values { get; } void Add(object key, object value); bool Contains(object key); void Remove(object key); void Clear(); }
    public interface IComparer { int Compare(object a, object b); }
    public interface IEqualityComparer { bool Equals(object a, object b); int GetHashCode(object o); }
    public interface IStructuralEquatable { bool Equals(object other, IEqualityComparer comparer); int GetHashCode(IEqualityComparer comparer); }
    public struct DictionaryEntry { public object Key { get; set; } public object Value { get; set; } }
    public class ArrayList : IList { public ArrayList(); public ArrayList(ICollection items); public virtual int Count { get; } public virtual object this[int index] { get; set; } public virtual int Add(object value); public virtual object[] ToArray(); }
    public class Hashtable : IDictionary { public Hashtable(); public virtual object this[object key] { get; set; } public virtual void Add(object key, object value); public virtual int Count { get; } public virtual bool ContainsKey(object key); }
    public class BitArray : ICollection { public BitArray(int n); public bool this[int index] { get; set; } }
}
namespace System.Collections.Generic
{
    public interface IEnumerable<out T> : IEnumerable { new IEnumerator<T> GetEnumerator(); }
    public interface IEnumerator<out T> : IDisposable, IEnumerator { new T Current { get; } }
    public interface IAsyncEnumerable<out T> { IAsyncEnumerator<T> GetAsyncEnumerator(System.Threading.CancellationToken token = default); }
    public interface IAsyncEnumerator<out T> : IAsyncDisposable { T Current { get; } System.Threading.Tasks.ValueTask<bool> MoveNextAsync(); }
    public interface ICollection<T> : IEnumerable<T> { int Count { get; } bool IsReadOnly { get; } void Add(T item); void Clear(); bool Contains(T item); void CopyTo(T[] array, int at); bool Remove(T item); }
    public interface IReadOnlyCollection<out T> : IEnumerable<T> { int Count { get; } }
    public interface IList<T> : ICollection<T> { T this[int index] { get; set; } int IndexOf(T item); void Insert(int at, T item); void RemoveAt(int at); }
    public interface IReadOnlyList<out T> : IReadOnlyCollection<T> { T this[int index] { get; } }
    public interface ISet<T> : ICollection<T> { new bool Add(T item); void UnionWith(IEnumerable<T> other); void ExceptWith(IEnumerable<T> other); void IntersectWith(IEnumerable<T> other); bool SetEquals(IEnumerable<T> other); bool IsSubsetOf(IEnumerable<T> other); bool Overlaps(IEnumerable<T> other); }
    public interface IReadOnlySet<T> : IReadOnlyCollection<T> { bool Contains(T item); bool SetEquals(IEnumerable<T> other); }
    public interface IDictionary<K, V> : ICollection<KeyValuePair<K, V>> { V this[K key] { get; set; } ICollection<K> Keys { get; } ICollection<V> Values { get; } void Add(K key, V value); bool ContainsKey(K key); bool Remove(K key); bool TryGetValue(K key, out V value); }
    public interface IReadOnlyDictionary<K, V> : IReadOnlyCollection<KeyValuePair<K, V>> { V this[K key] { get; } IEnumerable<K> Keys { get; } IEnumerable<V> Values { get; } bool ContainsKey(K key); bool TryGetValue(K key, out V value); }
    public interface IComparer<in T> { int Compare(T a, T b); }
    public interface IEqualityComparer<in T> { bool Equals(T a, T b); int GetHashCode(T o); }
    public abstract class Comparer<T> : IComparer<T>, IComparer { public static Comparer<T> Default { get; } public static Comparer<T> Create(Comparison<T> comparison); public abstract int Compare(T a, T b); }
    public abstract class EqualityComparer<T> : IEqualityComparer<T>, IEqualityComparer { public static EqualityComparer<T> Default { get; } public abstract bool Equals(T a, T b); public abstract int GetHashCode(T o); }
    public struct KeyValuePair<K, V> { public KeyValuePair(K key, V value); public K Key { get; } public V Value { get; } public void Deconstruct(out K key, out V value); }
    public static class KeyValuePair { public static KeyValuePair<K, V> Create<K, V>(K key, V value); }
    public class KeyNotFoundException : SystemException { public KeyNotFoundException(); public KeyNotFoundException(string message); }
    public class List<T> : IList<T>, IList, IReadOnlyList<T>
    {
        public List();
        public List(int capacity);
        public List(IEnumerable<T> items);
        public int Count { get; }
        public int Capacity { get; set; }
        public T this[int index] { get; set; }
        public void Add(T item);
        public void AddRange(IEnumerable<T> items);
        public System.Collections.ObjectModel.ReadOnlyCollection<T> AsReadOnly();
        public int BinarySearch(T item);
        public void Clear();
        public bool Contains(T item);
        public List<U> ConvertAll<U>(Converter<T, U> converter);
        public void CopyTo(T[] array);
        public void CopyTo(T[] array, int at);
        public bool Exists(Predicate<T> match);
        public T Find(Predicate<T> match);
        public List<T> FindAll(Predicate<T> match);
        public int FindIndex(Predicate<T> match);
        public T FindLast(Predicate<T> match);
        public void ForEach(Action<T> action);
        public Enumerator GetEnumerator();
        public List<T> GetRange(int start, int n);
        public int IndexOf(T item);
        public int LastIndexOf(T item);
        public void Insert(int at, T item);
        public void InsertRange(int at, IEnumerable<T> items);
        public bool Remove(T item);
        public int RemoveAll(Predicate<T> match);
        public void RemoveAt(int at);
        public void RemoveRange(int start, int n);
        public void Reverse();
        public void Sort();
        public void Sort(Comparison<T> comparison);
        public void Sort(IComparer<T> comparer);
        public T[] ToArray();
        public bool TrueForAll(Predicate<T> match);
        public struct Enumerator : IEnumerator<T> { public T Current { get; } public bool MoveNext(); }
    }
    public class Dictionary<K, V> : IDictionary<K, V>, IDictionary, IReadOnlyDictionary<K, V>
    {
        public Dictionary();
        public Dictionary(int capacity);
        public Dictionary(IEqualityComparer<K> comparer);
        public Dictionary(int capacity, IEqualityComparer<K> comparer);
        public Dictionary(IDictionary<K, V> items);
        public Dictionary(IDictionary<K, V> items, IEqualityComparer<K> comparer);
        public Dictionary(IEnumerable<KeyValuePair<K, V>> items);
        public int Count { get; }
        public V this[K key] { get; set; }
        public KeyCollection Keys { get; }
        public ValueCollection Values { get; }
        public IEqualityComparer<K> Comparer { get; }
        public void Add(K key, V value);
        public bool TryAdd(K key, V value);
        public void Clear();
        public bool ContainsKey(K key);
        public bool ContainsValue(V value);
        public Enumerator GetEnumerator();
        public bool Remove(K key);
        public bool Remove(K key, out V value);
        public bool TryGetValue(K key, out V value);
        public class KeyCollection : ICollection<K>, IReadOnlyCollection<K> { public int Count { get; } }
        public class ValueCollection : ICollection<V>, IReadOnlyCollection<V> { public int Count { get; } }
        public struct Enumerator : IEnumerator<KeyValuePair<K, V>> { public KeyValuePair<K, V> Current { get; } public bool MoveNext(); }
    }
    public class SortedDictionary<K, V> : IDictionary<K, V>, IReadOnlyDictionary<K, V> { public SortedDictionary(); public SortedDictionary(IComparer<K> comparer); public SortedDictionary(IDictionary<K, V> items); public int Count { get; } public V this[K key] { get; set; } public ICollection<K> Keys { get; } public ICollection<V> Values { get; } public void Add(K key, V value); public bool ContainsKey(K key); public bool Remove(K key); public bool TryGetValue(K key, out V value); }
    public class SortedList<K, V> : IDictionary<K, V>, IReadOnlyDictionary<K, V> { public SortedList(); public int Count { get; } public V this[K key] { get; set; } public IList<K> Keys { get; } public IList<V> Values { get; } public void Add(K key, V value); }
    public class HashSet<T> : ISet<T>, IReadOnlySet<T> { public HashSet(); public HashSet(int capacity); public HashSet(IEnumerable<T> items); public HashSet(IEqualityComparer<T> comparer); public HashSet(IEnumerable<T> items, IEqualityComparer<T> comparer); public int Count { get; } public bool Add(T item); public void Clear(); public bool Contains(T item); public bool Remove(T item); public int RemoveWhere(Predicate<T> match); public bool SetEquals(IEnumerable<T> other); public void UnionWith(IEnumerable<T> other); public bool TryGetValue(T equal, out T actual); }
    public class SortedSet<T> : ISet<T>, IReadOnlySet<T> { public SortedSet(); public SortedSet(IEnumerable<T> items); public SortedSet(IComparer<T> comparer); public int Count { get; } public bool Add(T item); public T Min { get; } public T Max { get; } public bool Contains(T item); public bool Remove(T item); }
    public class Queue<T> : IReadOnlyCollection<T>, ICollection { public Queue(); public Queue(int capacity); public Queue(IEnumerable<T> items); public int Count { get; } public void Enqueue(T item); public T Dequeue(); public T Peek(); public bool TryDequeue(out T item); public bool TryPeek(out T item); public T[] ToArray(); public void Clear(); public bool Contains(T item); }
    public class PriorityQueue<T, P> { public PriorityQueue(); public int Count { get; } public void Enqueue(T item, P priority); public T Dequeue(); public T Peek(); }
    public class Stack<T> : IReadOnlyCollection<T>, ICollection { public Stack(); public Stack(int capacity); public Stack(IEnumerable<T> items); public int Count { get; } public void Push(T item); public T Pop(); public T Peek(); public bool TryPop(out T item); public bool TryPeek(out T item); public T[] ToArray(); public void Clear(); public bool Contains(T item); }
    public class LinkedList<T> : ICollection<T>, IReadOnlyCollection<T> { public LinkedList(); public LinkedList(IEnumerable<T> items); public int Count { get; } public LinkedListNode<T> First { get; } public LinkedListNode<T> Last { get; } public LinkedListNode<T> AddFirst(T item); public LinkedListNode<T> AddLast(T item); public void RemoveFirst(); public void RemoveLast(); }
    public class LinkedListNode<T> { public T Value { get; set; } public LinkedListNode<T> Next { get; } public LinkedListNode<T> Previous { get; } public LinkedList<T> List { get; } }
    public static class CollectionExtensions { public static V GetValueOrDefault<K, V>(this IReadOnlyDictionary<K, V> d, K key); public static V GetValueOrDefault<K, V>(this IReadOnlyDictionary<K, V> d, K key, V value); public static bool TryAdd<K, V>(this IDictionary<K, V> d, K key, V value); public static void AddRange<T>(this List<T> list, ReadOnlySpan<T> items); }
}
namespace System.Collections.ObjectModel
{
    using System.Collections.Generic;
    public class Collection<T> : IList<T>, IList, IReadOnlyList<T> { public Collection(); public Collection(IList<T> items); public int Count { get; } public T this[int index] { get; set; } protected IList<T> Items { get; } public void Add(T item); public void Clear(); public bool Contains(T item); public int IndexOf(T item); public void Insert(int at, T item); public bool Remove(T item); public void RemoveAt(int at); protected virtual void InsertItem(int at, T item); protected virtual void SetItem(int at, T item); protected virtual void RemoveItem(int at); protected virtual void ClearItems(); }
    public class ReadOnlyCollection<T> : IList<T>, IList, IReadOnlyList<T> { public ReadOnlyCollection(IList<T> items); public int Count { get; } public T this[int index] { get; } public bool Contains(T item); public int IndexOf(T item); protected IList<T> Items { get; } }
    public class ObservableCollection<T> : Collection<T>, System.Collections.Specialized.INotifyCollectionChanged, System.ComponentModel.INotifyPropertyChanged { public ObservableCollection(); public ObservableCollection(IEnumerable<T> items); public void Move(int a, int b); public event System.Collections.Specialized.NotifyCollectionChangedEventHandler CollectionChanged; }
    public class ReadOnlyObservableCollection<T> : ReadOnlyCollection<T>, System.Collections.Specialized.INotifyCollectionChanged { public ReadOnlyObservableCollection(ObservableCollection<T> items); }
    public class ReadOnlyDictionary<K, V> : IDictionary<K, V>, IReadOnlyDictionary<K, V> { public ReadOnlyDictionary(IDictionary<K, V> items); public int Count { get; } public V this[K key] { get; } public bool ContainsKey(K key); public bool TryGetValue(K key, out V value); }
    public abstract class KeyedCollection<K, T> : Collection<T> { public T this[K key] { get; } public bool Contains(K key); public bool Remove(K key); protected abstract K GetKeyForItem(T item); }
}
namespace System.Collections.Specialized
{
    public interface INotifyCollectionChanged { event NotifyCollectionChangedEventHandler CollectionChanged; }
    public delegate void NotifyCollectionChangedEventHandler(object sender, NotifyCollectionChangedEventArgs e);
    public class NotifyCollectionChangedEventArgs : EventArgs { public NotifyCollectionChangedEventArgs(NotifyCollectionChangedAction action); public NotifyCollectionChangedAction Action { get; } public IList NewItems { get; } public IList OldItems { get; } public int NewStartingIndex { get; } public int OldStartingIndex { get; } }
    public enum NotifyCollectionChangedAction { Add, Remove, Replace, Move, Reset }
    public class NameValueCollection : IEnumerable { public NameValueCollection(); public string this[string key] { get; set; } public string this[int index] { get; } public virtual void Add(string key, string value); public virtual string[] AllKeys { get; } public virtual string Get(string key); public int Count { get; } }
}
namespace System.Collections.Concurrent
{
    using System.Collections.Generic;
    public class ConcurrentDictionary<K, V> : IDictionary<K, V>, IReadOnlyDictionary<K, V> { public ConcurrentDictionary(); public ConcurrentDictionary(IEqualityComparer<K> comparer); public int Count { get; } public bool IsEmpty { get; } public V this[K key] { get; set; } public ICollection<K> Keys { get; } public ICollection<V> Values { get; } public V GetOrAdd(K key, V value); public V GetOrAdd(K key, Func<K, V> make); public V AddOrUpdate(K key, V value, Func<K, V, V> update); public bool TryAdd(K key, V value); public bool TryGetValue(K key, out V value); public bool TryRemove(K key, out V value); public bool ContainsKey(K key); public void Clear(); }
    public class ConcurrentQueue<T> : IReadOnlyCollection<T> { public ConcurrentQueue(); public ConcurrentQueue(IEnumerable<T> items); public int Count { get; } public bool IsEmpty { get; } public void Enqueue(T item); public bool TryDequeue(out T item); public bool TryPeek(out T item); public T[] ToArray(); }
    public class ConcurrentBag<T> : IReadOnlyCollection<T> { public ConcurrentBag(); public int Count { get; } public bool IsEmpty { get; } public void Add(T item); public bool TryTake(out T item); public T[] ToArray(); }
    public class ConcurrentStack<T> : IReadOnlyCollection<T> { public ConcurrentStack(); public int Count { get; } public void Push(T item); public bool TryPop(out T item); }
    public class BlockingCollection<T> : IEnumerable<T>, IDisposable { public BlockingCollection(); public int Count { get; } public void Add(T item); public T Take(); public bool TryTake(out T item); public void CompleteAdding(); }
}
namespace System.Collections.Immutable
{
    using System.Collections.Generic;
    public struct ImmutableArray<T> : IList<T>, IReadOnlyList<T> { public static readonly ImmutableArray<T> Empty; public int Length { get; } public bool IsDefault { get; } public bool IsDefaultOrEmpty { get; } public bool IsEmpty { get; } public T this[int index] { get; } public ImmutableArray<T> Add(T item); public ImmutableArray<T> AddRange(IEnumerable<T> items); public ReadOnlySpan<T> AsSpan(); public Builder ToBuilder(); public class Builder : IList<T>, IReadOnlyList<T> { public T this[int index] { get; set; } public int Count { get; set; } public void Add(T item); public ImmutableArray<T> ToImmutable(); } }
    public static class ImmutableArray { public static ImmutableArray<T> Create<T>(params T[] items); public static ImmutableArray<T> CreateRange<T>(IEnumerable<T> items); public static ImmutableArray<T>.Builder CreateBuilder<T>(); public static ImmutableArray<T> ToImmutableArray<T>(this IEnumerable<T> items); }
    public class ImmutableList<T> : IList<T>, IReadOnlyList<T> { public static readonly ImmutableList<T> Empty; public int Count { get; } public T this[int index] { get; } public ImmutableList<T> Add(T item); public ImmutableList<T> AddRange(IEnumerable<T> items); public ImmutableList<T> Remove(T item); }
    public static class ImmutableList { public static ImmutableList<T> Create<T>(params T[] items); public static ImmutableList<T> ToImmutableList<T>(this IEnumerable<T> items); }
    public class ImmutableDictionary<K, V> : IDictionary<K, V>, IReadOnlyDictionary<K, V> { public static readonly ImmutableDictionary<K, V> Empty; public V this[K key] { get; } public ImmutableDictionary<K, V> Add(K key, V value); public ImmutableDictionary<K, V> SetItem(K key, V value); public bool TryGetValue(K key, out V value); public bool ContainsKey(K key); }
    public class ImmutableHashSet<T> : ISet<T>, IReadOnlySet<T> { public static readonly ImmutableHashSet<T> Empty; public ImmutableHashSet<T> Add(T item); public bool Contains(T item); }
}
namespace System.Linq
{
    using System.Collections;
    using System.Collections.Generic;
    public interface IGrouping<out K, out T> : IEnumerable<T> { K Key { get; } }
    public interface ILookup<K, T> : IEnumerable<IGrouping<K, T>> { int Count { get; } IEnumerable<T> this[K key] { get; } bool Contains(K key); }
    public interface IOrderedEnumerable<out T> : IEnumerable<T> { }
    public interface IQueryable : IEnumerable { Type ElementType { get; } System.Linq.Expressions.Expression Expression { get; } }
    public interface IQueryable<out T> : IEnumerable<T>, IQueryable { }
    public interface IOrderedQueryable<out T> : IQueryable<T> { }
    public static class Queryable { public static IQueryable<T> AsQueryable<T>(this IEnumerable<T> s); public static IQueryable<T> Where<T>(this IQueryable<T> s, System.Linq.Expressions.Expression<Func<T, bool>> f); public static IQueryable<R> Select<T, R>(this IQueryable<T> s, System.Linq.Expressions.Expression<Func<T, R>> f); public static T First<T>(this IQueryable<T> s); public static T FirstOrDefault<T>(this IQueryable<T> s); public static T Single<T>(this IQueryable<T> s); public static IOrderedQueryable<T> OrderBy<T, K>(this IQueryable<T> s, System.Linq.Expressions.Expression<Func<T, K>> f); }
    public static class Enumerable
    {
        public static IEnumerable<T> Empty<T>();
        public static IEnumerable<int> Range(int start, int n);
        public static IEnumerable<T> Repeat<T>(T value, int n);
        public static T Aggregate<T>(this IEnumerable<T> s, Func<T, T, T> f);
        public static A Aggregate<T, A>(this IEnumerable<T> s, A seed, Func<A, T, A> f);
        public static R Aggregate<T, A, R>(this IEnumerable<T> s, A seed, Func<A, T, A> f, Func<A, R> g);
        public static bool All<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static bool Any<T>(this IEnumerable<T> s);
        public static bool Any<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static IEnumerable<T> Append<T>(this IEnumerable<T> s, T value);
        public static IEnumerable<T> Prepend<T>(this IEnumerable<T> s, T value);
        public static IEnumerable<T> AsEnumerable<T>(this IEnumerable<T> s);
        public static double Average(this IEnumerable<int> s);
        public static double Average(this IEnumerable<double> s);
        public static double Average<T>(this IEnumerable<T> s, Func<T, int> f);
        public static double Average<T>(this IEnumerable<T> s, Func<T, double> f);
        public static IEnumerable<R> Cast<R>(this IEnumerable s);
        public static IEnumerable<R> OfType<R>(this IEnumerable s);
        public static IEnumerable<T[]> Chunk<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> Concat<T>(this IEnumerable<T> s, IEnumerable<T> t);
        public static bool Contains<T>(this IEnumerable<T> s, T value);
        public static bool Contains<T>(this IEnumerable<T> s, T value, IEqualityComparer<T> comparer);
        public static int Count<T>(this IEnumerable<T> s);
        public static int Count<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static long LongCount<T>(this IEnumerable<T> s);
        public static IEnumerable<T> DefaultIfEmpty<T>(this IEnumerable<T> s);
        public static IEnumerable<T> DefaultIfEmpty<T>(this IEnumerable<T> s, T value);
        public static IEnumerable<T> Distinct<T>(this IEnumerable<T> s);
        public static IEnumerable<T> Distinct<T>(this IEnumerable<T> s, IEqualityComparer<T> comparer);
        public static IEnumerable<T> DistinctBy<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static T ElementAt<T>(this IEnumerable<T> s, int n);
        public static T ElementAtOrDefault<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> Except<T>(this IEnumerable<T> s, IEnumerable<T> t);
        public static IEnumerable<T> Except<T>(this IEnumerable<T> s, IEnumerable<T> t, IEqualityComparer<T> comparer);
        public static T First<T>(this IEnumerable<T> s);
        public static T First<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static T FirstOrDefault<T>(this IEnumerable<T> s);
        public static T FirstOrDefault<T>(this IEnumerable<T> s, T value);
        public static T FirstOrDefault<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static IEnumerable<IGrouping<K, T>> GroupBy<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static IEnumerable<IGrouping<K, T>> GroupBy<T, K>(this IEnumerable<T> s, Func<T, K> f, IEqualityComparer<K> comparer);
        public static IEnumerable<IGrouping<K, E>> GroupBy<T, K, E>(this IEnumerable<T> s, Func<T, K> f, Func<T, E> g);
        public static IEnumerable<R> GroupBy<T, K, R>(this IEnumerable<T> s, Func<T, K> f, Func<K, IEnumerable<T>, R> g);
        public static IEnumerable<R> GroupJoin<T, U, K, R>(this IEnumerable<T> s, IEnumerable<U> t, Func<T, K> f, Func<U, K> g, Func<T, IEnumerable<U>, R> h);
        public static IEnumerable<T> Intersect<T>(this IEnumerable<T> s, IEnumerable<T> t);
        public static IEnumerable<R> Join<T, U, K, R>(this IEnumerable<T> s, IEnumerable<U> t, Func<T, K> f, Func<U, K> g, Func<T, U, R> h);
        public static T Last<T>(this IEnumerable<T> s);
        public static T Last<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static T LastOrDefault<T>(this IEnumerable<T> s);
        public static T LastOrDefault<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static T Max<T>(this IEnumerable<T> s);
        public static R Max<T, R>(this IEnumerable<T> s, Func<T, R> f);
        public static T MaxBy<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static T Min<T>(this IEnumerable<T> s);
        public static R Min<T, R>(this IEnumerable<T> s, Func<T, R> f);
        public static T MinBy<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static IOrderedEnumerable<T> Order<T>(this IEnumerable<T> s);
        public static IOrderedEnumerable<T> OrderBy<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static IOrderedEnumerable<T> OrderBy<T, K>(this IEnumerable<T> s, Func<T, K> f, IComparer<K> comparer);
        public static IOrderedEnumerable<T> OrderByDescending<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static IOrderedEnumerable<T> OrderByDescending<T, K>(this IEnumerable<T> s, Func<T, K> f, IComparer<K> comparer);
        public static IOrderedEnumerable<T> ThenBy<T, K>(this IOrderedEnumerable<T> s, Func<T, K> f);
        public static IOrderedEnumerable<T> ThenByDescending<T, K>(this IOrderedEnumerable<T> s, Func<T, K> f);
        public static IEnumerable<T> Reverse<T>(this IEnumerable<T> s);
        public static IEnumerable<R> Select<T, R>(this IEnumerable<T> s, Func<T, R> f);
        public static IEnumerable<R> Select<T, R>(this IEnumerable<T> s, Func<T, int, R> f);
        public static IEnumerable<R> SelectMany<T, R>(this IEnumerable<T> s, Func<T, IEnumerable<R>> f);
        public static IEnumerable<R> SelectMany<T, R>(this IEnumerable<T> s, Func<T, int, IEnumerable<R>> f);
        public static IEnumerable<R> SelectMany<T, U, R>(this IEnumerable<T> s, Func<T, IEnumerable<U>> f, Func<T, U, R> g);
        public static bool SequenceEqual<T>(this IEnumerable<T> s, IEnumerable<T> t);
        public static bool SequenceEqual<T>(this IEnumerable<T> s, IEnumerable<T> t, IEqualityComparer<T> comparer);
        public static T Single<T>(this IEnumerable<T> s);
        public static T Single<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static T SingleOrDefault<T>(this IEnumerable<T> s);
        public static T SingleOrDefault<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static IEnumerable<T> Skip<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> SkipLast<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> SkipWhile<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static int Sum(this IEnumerable<int> s);
        public static long Sum(this IEnumerable<long> s);
        public static double Sum(this IEnumerable<double> s);
        public static decimal Sum(this IEnumerable<decimal> s);
        public static int Sum<T>(this IEnumerable<T> s, Func<T, int> f);
        public static long Sum<T>(this IEnumerable<T> s, Func<T, long> f);
        public static double Sum<T>(this IEnumerable<T> s, Func<T, double> f);
        public static decimal Sum<T>(this IEnumerable<T> s, Func<T, decimal> f);
        public static IEnumerable<T> Take<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> TakeLast<T>(this IEnumerable<T> s, int n);
        public static IEnumerable<T> TakeWhile<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static T[] ToArray<T>(this IEnumerable<T> s);
        public static List<T> ToList<T>(this IEnumerable<T> s);
        public static HashSet<T> ToHashSet<T>(this IEnumerable<T> s);
        public static HashSet<T> ToHashSet<T>(this IEnumerable<T> s, IEqualityComparer<T> comparer);
        public static Dictionary<K, T> ToDictionary<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static Dictionary<K, T> ToDictionary<T, K>(this IEnumerable<T> s, Func<T, K> f, IEqualityComparer<K> comparer);
        public static Dictionary<K, E> ToDictionary<T, K, E>(this IEnumerable<T> s, Func<T, K> f, Func<T, E> g);
        public static Dictionary<K, E> ToDictionary<T, K, E>(this IEnumerable<T> s, Func<T, K> f, Func<T, E> g, IEqualityComparer<K> comparer);
        public static ILookup<K, T> ToLookup<T, K>(this IEnumerable<T> s, Func<T, K> f);
        public static ILookup<K, E> ToLookup<T, K, E>(this IEnumerable<T> s, Func<T, K> f, Func<T, E> g);
        public static IEnumerable<T> Union<T>(this IEnumerable<T> s, IEnumerable<T> t);
        public static IEnumerable<T> Where<T>(this IEnumerable<T> s, Func<T, bool> f);
        public static IEnumerable<T> Where<T>(this IEnumerable<T> s, Func<T, int, bool> f);
        public static IEnumerable<(A First, B Second)> Zip<A, B>(this IEnumerable<A> s, IEnumerable<B> t);
        public static IEnumerable<R> Zip<A, B, R>(this IEnumerable<A> s, IEnumerable<B> t, Func<A, B, R> f);
    }
}
namespace System.Linq.Expressions
{
    public abstract class Expression { public virtual Type Type { get; } public virtual ExpressionType NodeType { get; } public static ConstantExpression Constant(object value); public static ConstantExpression Constant(object value, Type type); public static ParameterExpression Parameter(Type type); public static ParameterExpression Parameter(Type type, string name); public static Expression<T> Lambda<T>(Expression body, params ParameterExpression[] parameters); public static LambdaExpression Lambda(Expression body, params ParameterExpression[] parameters); }
    public enum ExpressionType { Add, Call, Constant, Convert, Lambda, MemberAccess, Parameter }
    public class LambdaExpression : Expression { public Expression Body { get; } public Delegate Compile(); }
    public sealed class Expression<T> : LambdaExpression { public new T Compile(); }
    public class ParameterExpression : Expression { public string Name { get; } }
    public class ConstantExpression : Expression { public object Value { get; } }
    public class MemberExpression : Expression { public Reflection.MemberInfo Member { get; } public Expression Expression { get; } }
    public class MethodCallExpression : Expression { public Reflection.MethodInfo Method { get; } public System.Collections.ObjectModel.ReadOnlyCollection<Expression> Arguments { get; } }
    public class UnaryExpression : Expression { public Expression Operand { get; } }
    public class BinaryExpression : Expression { public Expression Left { get; } public Expression Right { get; } }
}
namespace System.Threading.Tasks
{
    using System.Collections.Generic;
    public class Task : IAsyncResult, IDisposable
    {
        public Task(Action action);
        public static Task CompletedTask { get; }
        public bool IsCompleted { get; }
        public bool IsFaulted { get; }
        public bool IsCanceled { get; }
        public bool IsCompletedSuccessfully { get; }
        public TaskStatus Status { get; }
        public AggregateException Exception { get; }
        public int Id { get; }
        public object AsyncState { get; }
        public static TaskFactory Factory { get; }
        public static Task Delay(int ms);
        public static Task Delay(int ms, CancellationToken token);
        public static Task Delay(TimeSpan t);
        public static Task Delay(TimeSpan t, CancellationToken token);
        public static Task Run(Action action);
        public static Task Run(Action action, CancellationToken token);
        public static Task Run(Func<Task> f);
        public static Task Run(Func<Task> f, CancellationToken token);
        public static Task<T> Run<T>(Func<T> f);
        public static Task<T> Run<T>(Func<Task<T>> f);
        public static Task<T> FromResult<T>(T value);
        public static Task FromException(Exception e);
        public static Task<T> FromException<T>(Exception e);
        public static Task FromCanceled(CancellationToken token);
        public static Task<T> FromCanceled<T>(CancellationToken token);
        public static Task WhenAll(params Task[] tasks);
        public static Task WhenAll(IEnumerable<Task> tasks);
        public static Task<T[]> WhenAll<T>(params Task<T>[] tasks);
        public static Task<T[]> WhenAll<T>(IEnumerable<Task<T>> tasks);
        public static Task<Task> WhenAny(params Task[] tasks);
        public static Task<Task<T>> WhenAny<T>(params Task<T>[] tasks);
        public static void WaitAll(params Task[] tasks);
        public static System.Runtime.CompilerServices.YieldAwaitable Yield();
        public void Wait();
        public bool Wait(int ms);
        public bool Wait(TimeSpan t);
        public void Start();
        public void RunSynchronously();
        public Task WaitAsync(TimeSpan t);
        public Task WaitAsync(CancellationToken token);
        public Task ContinueWith(Action<Task> f);
        public Task<R> ContinueWith<R>(Func<Task, R> f);
        public System.Runtime.CompilerServices.ConfiguredTaskAwaitable ConfigureAwait(bool capture);
        public System.Runtime.CompilerServices.TaskAwaiter GetAwaiter();
        public void Dispose();
    }
    public class Task<T> : Task
    {
        public Task(Func<T> f);
        public T Result { get; }
        public new System.Runtime.CompilerServices.ConfiguredTaskAwaitable<T> ConfigureAwait(bool capture);
        public new System.Runtime.CompilerServices.TaskAwaiter<T> GetAwaiter();
        public Task ContinueWith(Action<Task<T>> f);
        public Task<R> ContinueWith<R>(Func<Task<T>, R> f);
        public new Task<T> WaitAsync(TimeSpan t);
        public new Task<T> WaitAsync(CancellationToken token);
    }
    public class TaskFactory { public Task StartNew(Action action); public Task<T> StartNew<T>(Func<T> f); }
    public enum TaskStatus { Created, Running, RanToCompletion, Canceled, Faulted, WaitingForActivation, WaitingToRun }
    public struct ValueTask { public ValueTask(Task task); public static ValueTask CompletedTask { get; } public static ValueTask<T> FromResult<T>(T value); public static ValueTask FromException(Exception e); public static ValueTask<T> FromException<T>(Exception e); public bool IsCompleted { get; } public bool IsCompletedSuccessfully { get; } public bool IsFaulted { get; } public bool IsCanceled { get; } public Task AsTask(); public System.Runtime.CompilerServices.ConfiguredTaskAwaitable ConfigureAwait(bool capture); public System.Runtime.CompilerServices.TaskAwaiter GetAwaiter(); }
    public struct ValueTask<T> { public ValueTask(T value); public ValueTask(Task<T> task); public T Result { get; } public bool IsCompleted { get; } public bool IsCompletedSuccessfully { get; } public Task<T> AsTask(); public System.Runtime.CompilerServices.ConfiguredTaskAwaitable<T> ConfigureAwait(bool capture); public System.Runtime.CompilerServices.TaskAwaiter<T> GetAwaiter(); }
    public class TaskCompletionSource { public TaskCompletionSource(); public TaskCompletionSource(TaskCreationOptions options); public Task Task { get; } public void SetResult(); public bool TrySetResult(); public void SetException(Exception e); public void SetCanceled(); }
    public class TaskCompletionSource<T> { public TaskCompletionSource(); public TaskCompletionSource(TaskCreationOptions options); public TaskCompletionSource(object state); public Task<T> Task { get; } public void SetResult(T value); public bool TrySetResult(T value); public void SetException(Exception e); public bool TrySetException(Exception e); public void SetCanceled(); public bool TrySetCanceled(); }
    public enum TaskCreationOptions { None, LongRunning, RunContinuationsAsynchronously }
    public class TaskCanceledException : OperationCanceledException { public TaskCanceledException(); public TaskCanceledException(string message); public Task Task { get; } }
    public abstract class TaskScheduler { public static TaskScheduler Default { get; } public static TaskScheduler Current { get; } }
    public static class Parallel { public static void For(int a, int b, Action<int> f); public static void ForEach<T>(IEnumerable<T> s, Action<T> f); public static void Invoke(params Action[] actions); }
}
namespace System.Threading
{
    public struct CancellationToken { public CancellationToken(bool canceled); public static CancellationToken None { get; } public bool IsCancellationRequested { get; } public bool CanBeCanceled { get; } public void ThrowIfCancellationRequested(); public CancellationTokenRegistration Register(Action action); }
    public struct CancellationTokenRegistration : IDisposable { public void Dispose(); }
    public class CancellationTokenSource : IDisposable { public CancellationTokenSource(); public CancellationTokenSource(int ms); public CancellationTokenSource(TimeSpan t); public CancellationToken Token { get; } public bool IsCancellationRequested { get; } public void Cancel(); public void Cancel(bool now); public System.Threading.Tasks.Task CancelAsync(); public void CancelAfter(int ms); public void CancelAfter(TimeSpan t); public void Dispose(); public static CancellationTokenSource CreateLinkedTokenSource(params CancellationToken[] tokens); }
    public class Thread { public Thread(ThreadStart start); public void Start(); public void Join(); public bool Join(int ms); public static void Sleep(int ms); public static void Sleep(TimeSpan t); public static Thread CurrentThread { get; } public int ManagedThreadId { get; } public string Name { get; set; } public bool IsBackground { get; set; } public System.Globalization.CultureInfo CurrentCulture { get; set; } public System.Globalization.CultureInfo CurrentUICulture { get; set; } public static bool Yield(); }
    public delegate void ThreadStart();
    public delegate void TimerCallback(object state);
    public delegate void WaitCallback(object state);
    public delegate void SendOrPostCallback(object state);
    public class Timer : IDisposable { public Timer(TimerCallback callback); public Timer(TimerCallback callback, object state, int due, int period); public void Dispose(); }
    public class SemaphoreSlim : IDisposable { public SemaphoreSlim(int n); public SemaphoreSlim(int n, int max); public void Wait(); public System.Threading.Tasks.Task WaitAsync(); public int Release(); public void Dispose(); public int CurrentCount { get; } }
    public abstract class WaitHandle : IDisposable { public virtual bool WaitOne(); public virtual bool WaitOne(int ms); public virtual bool WaitOne(TimeSpan t); public void Dispose(); }
    public class EventWaitHandle : WaitHandle { public bool Set(); public bool Reset(); }
    public class ManualResetEvent : EventWaitHandle { public ManualResetEvent(bool set); }
    public class AutoResetEvent : EventWaitHandle { public AutoResetEvent(bool set); }
    public class ManualResetEventSlim : IDisposable { public ManualResetEventSlim(); public ManualResetEventSlim(bool set); public void Set(); public void Reset(); public void Wait(); public bool Wait(int ms); public bool Wait(TimeSpan t); public bool IsSet { get; } public void Dispose(); }
    public class CountdownEvent : IDisposable { public CountdownEvent(int n); public bool Signal(); public void Wait(); public bool Wait(TimeSpan t); public void Dispose(); }
    public class Barrier : IDisposable { public Barrier(int n); public void SignalAndWait(); public void Dispose(); }
    public static class Interlocked { public static int Increment(ref int n); public static long Increment(ref long n); public static int Decrement(ref int n); public static int Add(ref int n, int m); public static T Exchange<T>(ref T a, T b); public static T CompareExchange<T>(ref T a, T b, T c); public static int Exchange(ref int a, int b); public static int CompareExchange(ref int a, int b, int c); public static long Read(ref long n); }
    public static class Volatile { public static T Read<T>(ref T a); public static void Write<T>(ref T a, T b); }
    public static class Monitor { public static void Enter(object o); public static void Exit(object o); public static bool TryEnter(object o); }
    public class AsyncLocal<T> { public AsyncLocal(); public T Value { get; set; } }
    public class ThreadLocal<T> : IDisposable { public ThreadLocal(); public ThreadLocal(Func<T> make); public T Value { get; set; } public void Dispose(); }
    public class SynchronizationContext { public static SynchronizationContext Current { get; } public static void SetSynchronizationContext(SynchronizationContext c); public virtual void Post(SendOrPostCallback callback, object state); public virtual void Send(SendOrPostCallback callback, object state); }
    public class Mutex : WaitHandle { public Mutex(); }
    public class ReaderWriterLockSlim : IDisposable { public ReaderWriterLockSlim(); public void Dispose(); }
    public static class Timeout { public const int Infinite = 0; public static readonly TimeSpan InfiniteTimeSpan; }
    public static class ThreadPool { public static bool QueueUserWorkItem(WaitCallback callback); }
}
namespace System.Runtime.CompilerServices
{
    public struct TaskAwaiter { public bool IsCompleted { get; } public void GetResult(); public void OnCompleted(Action action); }
    public struct TaskAwaiter<T> { public bool IsCompleted { get; } public T GetResult(); public void OnCompleted(Action action); }
    public struct ConfiguredTaskAwaitable { public TaskAwaiter GetAwaiter(); }
    public struct ConfiguredTaskAwaitable<T> { public TaskAwaiter<T> GetAwaiter(); }
    public struct YieldAwaitable { public TaskAwaiter GetAwaiter(); }
    public interface ITuple { int Length { get; } object this[int index] { get; } }
    public class StrongBox<T> { public T Value; public StrongBox(); public StrongBox(T value); }
    public static class Unsafe { public static ref T As<T>(object o); public static int SizeOf<T>(); public static bool AreSame<T>(ref T a, ref T b); public static ref T Add<T>(ref T a, int n); }
    public static class RuntimeHelpers { public static int GetHashCode(object o); public static void RunClassConstructor(RuntimeTypeHandle handle); public static bool IsReferenceOrContainsReferences<T>(); }
    public class ConditionalWeakTable<K, V> { public ConditionalWeakTable(); public bool TryGetValue(K key, out V value); public void Add(K key, V value); public V GetOrCreateValue(K key); }
}
