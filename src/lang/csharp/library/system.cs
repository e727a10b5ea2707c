// The parts of the framework that types are inferred through. Signatures only; what is left out is unknown, not absent.
namespace System
{
    public class Object
    {
        public Object();
        public virtual bool Equals(object obj);
        public static bool Equals(object a, object b);
        public static bool ReferenceEquals(object a, object b);
        public virtual int GetHashCode();
        public virtual string ToString();
        public Type GetType();
        protected object MemberwiseClone();
    }
    public abstract class ValueType { }
    public abstract class Enum : ValueType, IComparable, IFormattable
    {
        public static object Parse(Type type, string value);
        public static object Parse(Type type, string value, bool ignoreCase);
        public static T Parse<T>(string value) where T : struct;
        public static T Parse<T>(string value, bool ignoreCase) where T : struct;
        public static bool TryParse<T>(string value, out T result) where T : struct;
        public static bool TryParse<T>(string value, bool ignoreCase, out T result) where T : struct;
        public static Array GetValues(Type type);
        public static T[] GetValues<T>() where T : struct;
        public static string[] GetNames(Type type);
        public static string[] GetNames<T>() where T : struct;
        public static string GetName(Type type, object value);
        public static bool IsDefined(Type type, object value);
        public static object ToObject(Type type, object value);
        public static Type GetUnderlyingType(Type type);
        public bool HasFlag(Enum flag);
        public string ToString(string format);
        public int CompareTo(object other);
    }
    public abstract class Delegate
    {
        public object DynamicInvoke(params object[] args);
        public object Target { get; }
        public Reflection.MethodInfo Method { get; }
        public Delegate[] GetInvocationList();
        public static Delegate Combine(Delegate a, Delegate b);
        public static Delegate CreateDelegate(Type type, object target, Reflection.MethodInfo method);
    }
    public abstract class MulticastDelegate : Delegate { }
    public abstract class Attribute { }
    public struct Void { }
    public struct Boolean : IComparable, IComparable<bool>, IEquatable<bool>, IConvertible
    {
        public static bool Parse(string value);
        public static bool TryParse(string value, out bool result);
        public string ToString(IFormatProvider provider);
        public int CompareTo(bool other);
        public bool Equals(bool other);
    }
    public struct Char : IComparable, IComparable<char>, IEquatable<char>, IConvertible
    {
        public static bool IsDigit(char c);
        public static bool IsLetter(char c);
        public static bool IsLetterOrDigit(char c);
        public static bool IsWhiteSpace(char c);
        public static bool IsUpper(char c);
        public static bool IsLower(char c);
        public static char ToUpper(char c);
        public static char ToLower(char c);
        public static char ToUpperInvariant(char c);
        public static char ToLowerInvariant(char c);
        public static string ConvertFromUtf32(int c);
        public static char Parse(string s);
        public static string ToString(char c);
        public int CompareTo(char other);
        public bool Equals(char other);
    }
    public struct SByte : INumber<sbyte> { public const sbyte MinValue = 0; public const sbyte MaxValue = 0; public static sbyte Parse(string s); public static bool TryParse(string s, out sbyte result); }
    public struct Byte : INumber<byte> { public const byte MinValue = 0; public const byte MaxValue = 0; public static byte Parse(string s); public static bool TryParse(string s, out byte result); public string ToString(string format); }
    public struct Int16 : INumber<short> { public const short MinValue = 0; public const short MaxValue = 0; public static short Parse(string s); public static bool TryParse(string s, out short result); }
    public struct UInt16 : INumber<ushort> { public const ushort MinValue = 0; public const ushort MaxValue = 0; public static ushort Parse(string s); public static bool TryParse(string s, out ushort result); }
    public struct Int32 : INumber<int>
    {
        public const int MinValue = 0;
        public const int MaxValue = 0;
        public static int Parse(string s);
        public static int Parse(string s, IFormatProvider provider);
        public static bool TryParse(string s, out int result);
        public string ToString(string format);
        public string ToString(IFormatProvider provider);
        public string ToString(string format, IFormatProvider provider);
    }
    public struct UInt32 : INumber<uint> { public const uint MinValue = 0; public const uint MaxValue = 0; public static uint Parse(string s); public static bool TryParse(string s, out uint result); public string ToString(string format); }
    public struct Int64 : INumber<long> { public const long MinValue = 0; public const long MaxValue = 0; public static long Parse(string s); public static bool TryParse(string s, out long result); public string ToString(string format); }
    public struct UInt64 : INumber<ulong> { public const ulong MinValue = 0; public const ulong MaxValue = 0; public static ulong Parse(string s); public static bool TryParse(string s, out ulong result); public string ToString(string format); }
    public struct IntPtr : INumber<nint> { public static readonly nint Zero; public long ToInt64(); public int ToInt32(); }
    public struct UIntPtr : INumber<nuint> { public static readonly nuint Zero; }
    public struct Single : INumber<float> { public const float MinValue = 0; public const float MaxValue = 0; public const float NaN = 0; public const float Epsilon = 0; public const float PositiveInfinity = 0; public const float NegativeInfinity = 0; public static float Parse(string s); public static bool TryParse(string s, out float result); public static bool IsNaN(float f); }
    public struct Double : INumber<double> { public const double MinValue = 0; public const double MaxValue = 0; public const double NaN = 0; public const double Epsilon = 0; public const double PositiveInfinity = 0; public const double NegativeInfinity = 0; public static double Parse(string s); public static bool TryParse(string s, out double result); public static bool IsNaN(double d); public static bool IsInfinity(double d); public string ToString(string format); public string ToString(IFormatProvider provider); public string ToString(string format, IFormatProvider provider); }
    public struct Decimal : INumber<decimal> { public const decimal MinValue = 0; public const decimal MaxValue = 0; public const decimal Zero = 0; public const decimal One = 0; public static decimal Parse(string s); public static decimal Parse(string s, IFormatProvider provider); public static bool TryParse(string s, out decimal result); public static decimal Round(decimal d, int n); public static int[] GetBits(decimal d); public string ToString(IFormatProvider provider); }
    public struct Half { }
    public struct Int128 { }
    public struct UInt128 { }
    public interface INumber<T> : IComparable, IComparable<T>, IEquatable<T>, IFormattable, IConvertible { }
    public interface IComparable { int CompareTo(object other); }
    public interface IComparable<in T> { int CompareTo(T other); }
    public interface IEquatable<T> { bool Equals(T other); }
    public interface IFormattable { string ToString(string format, IFormatProvider provider); }
    public interface ISpanFormattable : IFormattable { }
    public interface IParsable<T> { }
    public interface IConvertible { }
    public interface ICloneable { object Clone(); }
    public interface IDisposable { void Dispose(); }
    public interface IAsyncDisposable { System.Threading.Tasks.ValueTask DisposeAsync(); }
    public interface IFormatProvider { object GetFormat(Type type); }
    public interface ICustomFormatter { string Format(string format, object arg, IFormatProvider provider); }
    public interface IServiceProvider { object GetService(Type type); }
    public interface IObservable<out T> { IDisposable Subscribe(IObserver<T> observer); }
    public interface IObserver<in T> { void OnNext(T value); void OnError(Exception error); void OnCompleted(); }
    public interface IProgress<in T> { void Report(T value); }
    public interface IAsyncResult { object AsyncState { get; } }
    public class Progress<T> : IProgress<T> { public Progress(); public Progress(Action<T> handler); }
    public struct Nullable<T> where T : struct
    {
        public bool HasValue { get; }
        public T Value { get; }
        public T GetValueOrDefault();
        public T GetValueOrDefault(T value);
    }
    public static class Nullable { public static Type GetUnderlyingType(Type type); }
    public sealed class String : IComparable, IComparable<string>, IEquatable<string>, ICloneable, IConvertible, System.Collections.Generic.IEnumerable<char>
    {
        public static readonly string Empty;
        public String(char c, int n);
        public String(char[] chars);
        public String(char[] chars, int start, int length);
        public String(ReadOnlySpan<char> span);
        public int Length { get; }
        public char this[int index] { get; }
        public static implicit operator ReadOnlySpan<char>(string s);
        public static string Concat(params object[] values);
        public static string Concat(params string[] values);
        public static string Concat(System.Collections.Generic.IEnumerable<string> values);
        public static string Concat<T>(System.Collections.Generic.IEnumerable<T> values);
        public static string Format(string format, params object[] args);
        public static string Format(IFormatProvider provider, string format, params object[] args);
        public static string Join(string separator, params string[] values);
        public static string Join(string separator, params object[] values);
        public static string Join(string separator, System.Collections.Generic.IEnumerable<string> values);
        public static string Join<T>(string separator, System.Collections.Generic.IEnumerable<T> values);
        public static string Join(char separator, params string[] values);
        public static string Join<T>(char separator, System.Collections.Generic.IEnumerable<T> values);
        public static bool IsNullOrEmpty(string s);
        public static bool IsNullOrWhiteSpace(string s);
        public static int Compare(string a, string b);
        public static int Compare(string a, string b, StringComparison how);
        public static int Compare(string a, string b, bool ignoreCase);
        public static int CompareOrdinal(string a, string b);
        public static bool Equals(string a, string b);
        public static bool Equals(string a, string b, StringComparison how);
        public static string Intern(string s);
        public bool Equals(string other);
        public bool Equals(string other, StringComparison how);
        public int CompareTo(string other);
        public bool Contains(string s);
        public bool Contains(char c);
        public bool Contains(string s, StringComparison how);
        public bool StartsWith(string s);
        public bool StartsWith(char c);
        public bool StartsWith(string s, StringComparison how);
        public bool EndsWith(string s);
        public bool EndsWith(char c);
        public bool EndsWith(string s, StringComparison how);
        public int IndexOf(string s);
        public int IndexOf(char c);
        public int IndexOf(string s, int start);
        public int IndexOf(char c, int start);
        public int IndexOf(string s, StringComparison how);
        public int IndexOfAny(char[] chars);
        public int LastIndexOf(string s);
        public int LastIndexOf(char c);
        public string Insert(int at, string s);
        public string PadLeft(int n);
        public string PadLeft(int n, char c);
        public string PadRight(int n);
        public string PadRight(int n, char c);
        public string Remove(int start);
        public string Remove(int start, int n);
        public string Replace(string a, string b);
        public string Replace(char a, char b);
        public string Replace(string a, string b, StringComparison how);
        public string ReplaceLineEndings();
        public string ReplaceLineEndings(string s);
        public string[] Split(params char[] separators);
        public string[] Split(char separator, StringSplitOptions options = StringSplitOptions.None);
        public string[] Split(char[] separators, StringSplitOptions options);
        public string[] Split(string[] separators, StringSplitOptions options);
        public string[] Split(string separator, StringSplitOptions options = StringSplitOptions.None);
        public string Substring(int start);
        public string Substring(int start, int n);
        public char[] ToCharArray();
        public string ToLower();
        public string ToLowerInvariant();
        public string ToUpper();
        public string ToUpperInvariant();
        public string Trim();
        public string Trim(params char[] chars);
        public string TrimEnd(params char[] chars);
        public string TrimStart(params char[] chars);
        public string Normalize();
        public object Clone();
        public void CopyTo(int from, char[] to, int at, int n);
    }
    public enum StringComparison { CurrentCulture, CurrentCultureIgnoreCase, InvariantCulture, InvariantCultureIgnoreCase, Ordinal, OrdinalIgnoreCase }
    public enum StringSplitOptions { None, RemoveEmptyEntries, TrimEntries }
    public abstract class StringComparer : System.Collections.Generic.IComparer<string>, System.Collections.Generic.IEqualityComparer<string>
    {
        public static StringComparer Ordinal { get; }
        public static StringComparer OrdinalIgnoreCase { get; }
        public static StringComparer InvariantCulture { get; }
        public static StringComparer InvariantCultureIgnoreCase { get; }
        public static StringComparer CurrentCulture { get; }
        public static StringComparer CurrentCultureIgnoreCase { get; }
    }
    public class FormattableString : IFormattable { public string Format { get; } public object[] GetArguments(); public static string Invariant(FormattableString s); }
    public abstract class Array : ICloneable, System.Collections.IList
    {
        public int Length { get; }
        public long LongLength { get; }
        public int Rank { get; }
        public object Clone();
        public int GetLength(int dimension);
        public int GetLowerBound(int dimension);
        public int GetUpperBound(int dimension);
        public object GetValue(int index);
        public object GetValue(params int[] indices);
        public void SetValue(object value, int index);
        public static Array CreateInstance(Type type, int n);
        public static void Copy(Array from, Array to, int n);
        public static void Copy(Array from, int start, Array to, int at, int n);
        public void CopyTo(Array to, int at);
        public static T[] Empty<T>();
        public static void Fill<T>(T[] array, T value);
        public static void Resize<T>(ref T[] array, int n);
        public static void Reverse(Array array);
        public static void Reverse<T>(T[] array);
        public static void Sort<T>(T[] array);
        public static void Sort<T>(T[] array, Comparison<T> comparison);
        public static void Sort<T>(T[] array, System.Collections.Generic.IComparer<T> comparer);
        public static void Clear(Array array);
        public static void Clear(Array array, int start, int n);
        public static int IndexOf<T>(T[] array, T value);
        public static T Find<T>(T[] array, Predicate<T> match);
        public static T[] FindAll<T>(T[] array, Predicate<T> match);
        public static bool Exists<T>(T[] array, Predicate<T> match);
        public static void ForEach<T>(T[] array, Action<T> action);
        public static U[] ConvertAll<T, U>(T[] array, Converter<T, U> converter);
        public static int BinarySearch<T>(T[] array, T value);
        public static bool TrueForAll<T>(T[] array, Predicate<T> match);
    }
    public class ArrayOf<T> : Array, System.Collections.Generic.IList<T>, System.Collections.Generic.IReadOnlyList<T>
    {
        public static implicit operator Span<T>(T[] array);
        public static implicit operator ReadOnlySpan<T>(T[] array);
        public static implicit operator Memory<T>(T[] array);
        public static implicit operator ReadOnlyMemory<T>(T[] array);
        public static implicit operator ArraySegment<T>(T[] array);
    }
    public struct ArraySegment<T> : System.Collections.Generic.IList<T>, System.Collections.Generic.IReadOnlyList<T> { public ArraySegment(T[] array); public ArraySegment(T[] array, int start, int n); public T[] Array { get; } public int Offset { get; } public int Count { get; } }
    public ref struct Span<T>
    {
        public Span(T[] array);
        public Span(T[] array, int start, int n);
        public static Span<T> Empty { get; }
        public int Length { get; }
        public bool IsEmpty { get; }
        public T this[int index] { get; }
        public Span<T> Slice(int start);
        public Span<T> Slice(int start, int n);
        public T[] ToArray();
        public void Clear();
        public void Fill(T value);
        public void CopyTo(Span<T> to);
        public bool TryCopyTo(Span<T> to);
        public Enumerator GetEnumerator();
        public ref struct Enumerator { public T Current { get; } public bool MoveNext(); }
        public static implicit operator ReadOnlySpan<T>(Span<T> span);
    }
    public ref struct ReadOnlySpan<T>
    {
        public ReadOnlySpan(T[] array);
        public ReadOnlySpan(T[] array, int start, int n);
        public static ReadOnlySpan<T> Empty { get; }
        public int Length { get; }
        public bool IsEmpty { get; }
        public T this[int index] { get; }
        public ReadOnlySpan<T> Slice(int start);
        public ReadOnlySpan<T> Slice(int start, int n);
        public T[] ToArray();
        public void CopyTo(Span<T> to);
        public bool TryCopyTo(Span<T> to);
        public Enumerator GetEnumerator();
        public ref struct Enumerator { public T Current { get; } public bool MoveNext(); }
    }
    public struct Memory<T>
    {
        public Memory(T[] array);
        public Memory(T[] array, int start, int n);
        public static Memory<T> Empty { get; }
        public int Length { get; }
        public bool IsEmpty { get; }
        public Span<T> Span { get; }
        public Memory<T> Slice(int start);
        public Memory<T> Slice(int start, int n);
        public T[] ToArray();
        public static implicit operator ReadOnlyMemory<T>(Memory<T> memory);
    }
    public struct ReadOnlyMemory<T>
    {
        public ReadOnlyMemory(T[] array);
        public static ReadOnlyMemory<T> Empty { get; }
        public int Length { get; }
        public bool IsEmpty { get; }
        public ReadOnlySpan<T> Span { get; }
        public ReadOnlyMemory<T> Slice(int start);
        public ReadOnlyMemory<T> Slice(int start, int n);
        public T[] ToArray();
    }
    public static class MemoryExtensions
    {
        public static Span<T> AsSpan<T>(this T[] array);
        public static Span<T> AsSpan<T>(this T[] array, int start);
        public static Span<T> AsSpan<T>(this T[] array, int start, int n);
        public static ReadOnlySpan<char> AsSpan(this string s);
        public static ReadOnlySpan<char> AsSpan(this string s, int start);
        public static ReadOnlySpan<char> AsSpan(this string s, int start, int n);
        public static Memory<T> AsMemory<T>(this T[] array);
        public static Memory<T> AsMemory<T>(this T[] array, int start);
        public static Memory<T> AsMemory<T>(this T[] array, int start, int n);
        public static ReadOnlyMemory<char> AsMemory(this string s);
        public static bool SequenceEqual<T>(this Span<T> a, ReadOnlySpan<T> b);
        public static bool SequenceEqual<T>(this ReadOnlySpan<T> a, ReadOnlySpan<T> b);
        public static ReadOnlySpan<char> Trim(this ReadOnlySpan<char> span);
    }
    public struct Index { public Index(int value, bool fromEnd = false); public int Value { get; } public static implicit operator Index(int value); }
    public struct Range { public Range(Index a, Index b); public Index Start { get; } public Index End { get; } public static Range All { get; } }
    public struct Guid : IComparable<Guid>, IEquatable<Guid>, IFormattable { public static readonly Guid Empty; public Guid(string s); public Guid(byte[] b); public static Guid NewGuid(); public static Guid Parse(string s); public static bool TryParse(string s, out Guid result); public string ToString(string format); public byte[] ToByteArray(); }
    public struct DateTime : IComparable<DateTime>, IEquatable<DateTime>, IFormattable, IConvertible
    {
        public static readonly DateTime MinValue;
        public static readonly DateTime MaxValue;
        public static readonly DateTime UnixEpoch;
        public DateTime(long ticks);
        public DateTime(long ticks, DateTimeKind kind);
        public DateTime(int year, int month, int day);
        public DateTime(int year, int month, int day, int hour, int minute, int second);
        public DateTime(int year, int month, int day, int hour, int minute, int second, DateTimeKind kind);
        public DateTime(int year, int month, int day, int hour, int minute, int second, int millisecond);
        public DateTime(int year, int month, int day, int hour, int minute, int second, int millisecond, DateTimeKind kind);
        public static DateTime Now { get; }
        public static DateTime UtcNow { get; }
        public static DateTime Today { get; }
        public DateTime Date { get; }
        public int Year { get; }
        public int Month { get; }
        public int Day { get; }
        public int Hour { get; }
        public int Minute { get; }
        public int Second { get; }
        public int Millisecond { get; }
        public long Ticks { get; }
        public DateTimeKind Kind { get; }
        public DayOfWeek DayOfWeek { get; }
        public TimeSpan TimeOfDay { get; }
        public DateTime Add(TimeSpan t);
        public DateTime AddDays(double n);
        public DateTime AddHours(double n);
        public DateTime AddMinutes(double n);
        public DateTime AddSeconds(double n);
        public DateTime AddMilliseconds(double n);
        public DateTime AddMonths(int n);
        public DateTime AddYears(int n);
        public DateTime AddTicks(long n);
        public TimeSpan Subtract(DateTime other);
        public DateTime Subtract(TimeSpan t);
        public DateTime ToLocalTime();
        public DateTime ToUniversalTime();
        public string ToString(string format);
        public string ToString(IFormatProvider provider);
        public string ToString(string format, IFormatProvider provider);
        public static DateTime Parse(string s);
        public static DateTime Parse(string s, IFormatProvider provider);
        public static DateTime ParseExact(string s, string format, IFormatProvider provider);
        public static DateTime SpecifyKind(DateTime d, DateTimeKind kind);
        public static DateTime operator +(DateTime a, TimeSpan b);
        public static DateTime operator -(DateTime a, TimeSpan b);
        public static TimeSpan operator -(DateTime a, DateTime b);
    }
    public enum DateTimeKind { Unspecified, Utc, Local }
    public enum DayOfWeek { Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday }
    public struct DateTimeOffset : IComparable<DateTimeOffset>, IEquatable<DateTimeOffset>, IFormattable
    {
        public static readonly DateTimeOffset MinValue;
        public static readonly DateTimeOffset MaxValue;
        public static readonly DateTimeOffset UnixEpoch;
        public DateTimeOffset(DateTime d);
        public DateTimeOffset(DateTime d, TimeSpan offset);
        public DateTimeOffset(long ticks, TimeSpan offset);
        public DateTimeOffset(int year, int month, int day, int hour, int minute, int second, TimeSpan offset);
        public DateTimeOffset(int year, int month, int day, int hour, int minute, int second, int millisecond, TimeSpan offset);
        public static DateTimeOffset Now { get; }
        public static DateTimeOffset UtcNow { get; }
        public DateTime DateTime { get; }
        public DateTime UtcDateTime { get; }
        public DateTime LocalDateTime { get; }
        public TimeSpan Offset { get; }
        public long Ticks { get; }
        public int Year { get; }
        public DateTimeOffset Add(TimeSpan t);
        public DateTimeOffset AddDays(double n);
        public DateTimeOffset AddHours(double n);
        public DateTimeOffset AddMinutes(double n);
        public DateTimeOffset AddSeconds(double n);
        public DateTimeOffset AddMilliseconds(double n);
        public DateTimeOffset ToUniversalTime();
        public DateTimeOffset ToLocalTime();
        public long ToUnixTimeSeconds();
        public long ToUnixTimeMilliseconds();
        public static DateTimeOffset FromUnixTimeSeconds(long n);
        public static DateTimeOffset Parse(string s);
        public static DateTimeOffset Parse(string s, IFormatProvider provider);
        public string ToString(string format);
        public string ToString(string format, IFormatProvider provider);
        public static implicit operator DateTimeOffset(DateTime d);
        public static DateTimeOffset operator +(DateTimeOffset a, TimeSpan b);
        public static DateTimeOffset operator -(DateTimeOffset a, TimeSpan b);
        public static TimeSpan operator -(DateTimeOffset a, DateTimeOffset b);
    }
    public struct DateOnly { public DateOnly(int year, int month, int day); public static DateOnly FromDateTime(DateTime d); public static DateOnly Parse(string s); public DateOnly AddDays(int n); }
    public struct TimeOnly { public TimeOnly(int hour, int minute); public TimeOnly(int hour, int minute, int second); public static TimeOnly FromDateTime(DateTime d); }
    public struct TimeSpan : IComparable<TimeSpan>, IEquatable<TimeSpan>, IFormattable
    {
        public static readonly TimeSpan Zero;
        public static readonly TimeSpan MaxValue;
        public static readonly TimeSpan MinValue;
        public const long TicksPerSecond = 0;
        public const long TicksPerMillisecond = 0;
        public TimeSpan(long ticks);
        public TimeSpan(int hours, int minutes, int seconds);
        public TimeSpan(int days, int hours, int minutes, int seconds);
        public TimeSpan(int days, int hours, int minutes, int seconds, int milliseconds);
        public static TimeSpan FromDays(double n);
        public static TimeSpan FromHours(double n);
        public static TimeSpan FromMinutes(double n);
        public static TimeSpan FromSeconds(double n);
        public static TimeSpan FromMilliseconds(double n);
        public static TimeSpan FromTicks(long n);
        public static TimeSpan Parse(string s);
        public int Days { get; }
        public int Hours { get; }
        public int Minutes { get; }
        public int Seconds { get; }
        public int Milliseconds { get; }
        public long Ticks { get; }
        public double TotalDays { get; }
        public double TotalHours { get; }
        public double TotalMinutes { get; }
        public double TotalSeconds { get; }
        public double TotalMilliseconds { get; }
        public TimeSpan Add(TimeSpan t);
        public TimeSpan Subtract(TimeSpan t);
        public TimeSpan Negate();
        public TimeSpan Duration();
        public string ToString(string format);
        public static TimeSpan operator +(TimeSpan a, TimeSpan b);
        public static TimeSpan operator -(TimeSpan a, TimeSpan b);
        public static TimeSpan operator *(TimeSpan a, double b);
        public static TimeSpan operator -(TimeSpan a);
    }
    public class TimeZoneInfo { public static TimeZoneInfo Utc { get; } public static TimeZoneInfo Local { get; } public string Id { get; } public static TimeZoneInfo FindSystemTimeZoneById(string id); public TimeSpan GetUtcOffset(DateTimeOffset d); }
    public abstract class TimeProvider { public static TimeProvider System { get; } public virtual DateTimeOffset GetUtcNow(); public DateTimeOffset GetLocalNow(); public virtual long GetTimestamp(); }
    public class Version : IComparable<Version>, IEquatable<Version> { public Version(); public Version(string s); public Version(int major, int minor); public Version(int major, int minor, int build); public Version(int major, int minor, int build, int revision); public int Major { get; } public int Minor { get; } public int Build { get; } public int Revision { get; } public static Version Parse(string s); }
    public class Uri { public Uri(string s); public Uri(string s, UriKind kind); public Uri(Uri basis, string s); public string AbsoluteUri { get; } public string AbsolutePath { get; } public string Host { get; } public string Scheme { get; } public string Query { get; } public string OriginalString { get; } public int Port { get; } public static bool TryCreate(string s, UriKind kind, out Uri result); public static string EscapeDataString(string s); public static string UnescapeDataString(string s); }
    public enum UriKind { RelativeOrAbsolute, Absolute, Relative }
    public class Random { public Random(); public Random(int seed); public static Random Shared { get; } public virtual int Next(); public virtual int Next(int n); public virtual int Next(int a, int b); public virtual double NextDouble(); public virtual void NextBytes(byte[] b); }
    public class Lazy<T> { public Lazy(); public Lazy(Func<T> make); public Lazy(Func<T> make, bool isSafe); public Lazy(T value); public T Value { get; } public bool IsValueCreated { get; } }
    public class WeakReference { public WeakReference(object target); public virtual object Target { get; set; } public virtual bool IsAlive { get; } }
    public class WeakReference<T> { public WeakReference(T target); public bool TryGetTarget(out T target); public void SetTarget(T target); }
    public class EventArgs { public static readonly EventArgs Empty; public EventArgs(); }
    public delegate void EventHandler(object sender, EventArgs e);
    public delegate void EventHandler<T>(object sender, T e);
    public delegate void AsyncCallback(IAsyncResult result);
    public delegate bool Predicate<in T>(T value);
    public delegate int Comparison<in T>(T a, T b);
    public delegate U Converter<in T, out U>(T value);
    public delegate void Action();
    public delegate void Action<in T>(T a);
    public delegate void Action<in T1, in T2>(T1 a, T2 b);
    public delegate void Action<in T1, in T2, in T3>(T1 a, T2 b, T3 c);
    public delegate void Action<in T1, in T2, in T3, in T4>(T1 a, T2 b, T3 c, T4 d);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5>(T1 a, T2 b, T3 c, T4 d, T5 e);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h);
    public delegate R Func<out R>();
    public delegate R Func<in T, out R>(T a);
    public delegate R Func<in T1, in T2, out R>(T1 a, T2 b);
    public delegate R Func<in T1, in T2, in T3, out R>(T1 a, T2 b, T3 c);
    public delegate R Func<in T1, in T2, in T3, in T4, out R>(T1 a, T2 b, T3 c, T4 d);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, out R>(T1 a, T2 b, T3 c, T4 d, T5 e);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, out R>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, out R>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, out R>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14, in T15>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14, T15 a15);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14, in T15, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14, T15 a15);
    public delegate void Action<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14, in T15, in T16>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14, T15 a15, T16 a16);
    public delegate R Func<in T1, in T2, in T3, in T4, in T5, in T6, in T7, in T8, in T9, in T10, in T11, in T12, in T13, in T14, in T15, in T16, out R>(T1 a1, T2 a2, T3 a3, T4 a4, T5 a5, T6 a6, T7 a7, T8 a8, T9 a9, T10 a10, T11 a11, T12 a12, T13 a13, T14 a14, T15 a15, T16 a16);
    public static class Math { public const double PI = 0; public const double E = 0; public static int Abs(int n); public static long Abs(long n); public static double Abs(double n); public static decimal Abs(decimal n); public static int Max(int a, int b); public static long Max(long a, long b); public static double Max(double a, double b); public static int Min(int a, int b); public static long Min(long a, long b); public static double Min(double a, double b); public static double Pow(double a, double b); public static double Sqrt(double a); public static double Round(double a); public static double Round(double a, int n); public static decimal Round(decimal a, int n); public static double Floor(double a); public static double Ceiling(double a); public static int Sign(int a); public static int Clamp(int v, int a, int b); }
    public static class Convert { public static int ToInt32(object o); public static long ToInt64(object o); public static double ToDouble(object o); public static bool ToBoolean(object o); public static string ToString(object o); public static string ToString(object o, IFormatProvider provider); public static string ToBase64String(byte[] b); public static byte[] FromBase64String(string s); public static string ToHexString(byte[] b); public static object ChangeType(object o, Type type); public static byte ToByte(object o); public static char ToChar(object o); public static decimal ToDecimal(object o); public static DateTime ToDateTime(object o); }
    public static class Console { public static IO.TextWriter Out { get; } public static IO.TextWriter Error { get; } public static IO.TextReader In { get; } public static void WriteLine(); public static void WriteLine(object o); public static void WriteLine(string format, params object[] args); public static void Write(object o); public static void SetOut(IO.TextWriter w); public static void SetError(IO.TextWriter w); public static void SetIn(IO.TextReader r); public static string ReadLine(); }
    public enum ConsoleKey { Enter, Escape, Spacebar, Tab, Backspace, Delete, LeftArrow, RightArrow, UpArrow, DownArrow, Home, End, PageUp, PageDown, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, F1, F2 }
    public enum ConsoleColor { Black, Blue, Cyan, Gray, Green, Magenta, Red, White, Yellow }
    public enum ConsoleModifiers { None, Alt, Shift, Control }
    public struct ConsoleKeyInfo { public ConsoleKeyInfo(char c, ConsoleKey key, bool shift, bool alt, bool control); public ConsoleKey Key { get; } public char KeyChar { get; } public ConsoleModifiers Modifiers { get; } }
    public static class Environment { public static string NewLine { get; } public static string MachineName { get; } public static string CurrentDirectory { get; set; } public static int ProcessorCount { get; } public static int TickCount { get; } public static int CurrentManagedThreadId { get; } public static string GetEnvironmentVariable(string name); public static void SetEnvironmentVariable(string name, string value); public static string StackTrace { get; } public static string UserName { get; } }
    public static class GC { public static void Collect(); public static void Collect(int n); public static void WaitForPendingFinalizers(); public static void SuppressFinalize(object o); public static void KeepAlive(object o); public static long GetTotalMemory(bool force); }
    public static class Activator { public static object CreateInstance(Type type); public static object CreateInstance(Type type, params object[] args); public static T CreateInstance<T>(); }
    public class AppDomain { public static AppDomain CurrentDomain { get; } public string BaseDirectory { get; } public Reflection.Assembly[] GetAssemblies(); }
    public static class AppContext { public static string BaseDirectory { get; } public static bool TryGetSwitch(string name, out bool value); public static void SetSwitch(string name, bool value); }
    public static class BitConverter { public static byte[] GetBytes(int n); public static int ToInt32(byte[] b, int at); public static string ToString(byte[] b); public static readonly bool IsLittleEndian; }
    public static class Buffer { public static void BlockCopy(Array a, int i, Array b, int j, int n); }
    public static class Tuple { public static Tuple<A> Create<A>(A a); public static Tuple<A, B> Create<A, B>(A a, B b); public static Tuple<A, B, C> Create<A, B, C>(A a, B b, C c); public static Tuple<A, B, C, D> Create<A, B, C, D>(A a, B b, C c, D d); }
    public class Tuple<A> { public Tuple(A a); public A Item1 { get; } }
    public class Tuple<A, B> { public Tuple(A a, B b); public A Item1 { get; } public B Item2 { get; } }
    public class Tuple<A, B, C> { public Tuple(A a, B b, C c); public A Item1 { get; } public B Item2 { get; } public C Item3 { get; } }
    public class Tuple<A, B, C, D> { public Tuple(A a, B b, C c, D d); public A Item1 { get; } public B Item2 { get; } public C Item3 { get; } public D Item4 { get; } }
    public struct ValueTuple { public static ValueTuple<A, B> Create<A, B>(A a, B b); }
    public struct ValueTuple<A, B> { public ValueTuple(A a, B b); public A Item1; public B Item2; }
    public struct ValueTuple<A, B, C> { public ValueTuple(A a, B b, C c); public A Item1; public B Item2; public C Item3; }
    public abstract class Type : Reflection.MemberInfo
    {
        public static readonly Type[] EmptyTypes;
        public abstract string FullName { get; }
        public abstract string Namespace { get; }
        public abstract string AssemblyQualifiedName { get; }
        public abstract Type BaseType { get; }
        public abstract Reflection.Assembly Assembly { get; }
        public bool IsGenericType { get; }
        public bool IsAbstract { get; }
        public bool IsInterface { get; }
        public bool IsClass { get; }
        public bool IsEnum { get; }
        public bool IsValueType { get; }
        public bool IsPublic { get; }
        public bool IsArray { get; }
        public Type[] GenericTypeArguments { get; }
        public static Type GetType(string name);
        public Type MakeByRefType();
        public Type MakePointerType();
        public Type MakeArrayType();
        public Type MakeGenericType(params Type[] args);
        public Type[] GetGenericArguments();
        public Type GetGenericTypeDefinition();
        public Type GetElementType();
        public Type[] GetInterfaces();
        public Type GetNestedType(string name);
        public Reflection.ConstructorInfo GetConstructor(Type[] types);
        public Reflection.ConstructorInfo[] GetConstructors();
        public Reflection.MethodInfo GetMethod(string name);
        public Reflection.MethodInfo GetMethod(string name, Type[] types);
        public Reflection.MethodInfo GetMethod(string name, Reflection.BindingFlags flags);
        public Reflection.MethodInfo[] GetMethods();
        public Reflection.MethodInfo[] GetMethods(Reflection.BindingFlags flags);
        public Reflection.PropertyInfo GetProperty(string name);
        public Reflection.PropertyInfo GetProperty(string name, Reflection.BindingFlags flags);
        public Reflection.PropertyInfo[] GetProperties();
        public Reflection.PropertyInfo[] GetProperties(Reflection.BindingFlags flags);
        public Reflection.FieldInfo GetField(string name);
        public Reflection.FieldInfo GetField(string name, Reflection.BindingFlags flags);
        public Reflection.FieldInfo[] GetFields();
        public Reflection.FieldInfo[] GetFields(Reflection.BindingFlags flags);
        public Reflection.MemberInfo[] GetMember(string name);
        public bool IsAssignableFrom(Type other);
        public bool IsAssignableTo(Type other);
        public bool IsInstanceOfType(object o);
        public bool IsSubclassOf(Type other);
    }
    public class Exception
    {
        public Exception();
        public Exception(string message);
        public Exception(string message, Exception inner);
        public virtual string Message { get; }
        public Exception InnerException { get; }
        public virtual string StackTrace { get; }
        public virtual string Source { get; set; }
        public int HResult { get; set; }
        public virtual System.Collections.IDictionary Data { get; }
        public virtual Exception GetBaseException();
    }
    public class SystemException : Exception { public SystemException(); public SystemException(string message); public SystemException(string message, Exception inner); }
    public class ApplicationException : Exception { public ApplicationException(); public ApplicationException(string message); public ApplicationException(string message, Exception inner); }
    public class ArgumentException : SystemException { public ArgumentException(); public ArgumentException(string message); public ArgumentException(string message, Exception inner); public ArgumentException(string message, string name); public virtual string ParamName { get; } }
    public class ArgumentNullException : ArgumentException { public ArgumentNullException(); public ArgumentNullException(string name); public ArgumentNullException(string name, string message); public static void ThrowIfNull(object o, string name = null); }
    public class ArgumentOutOfRangeException : ArgumentException { public ArgumentOutOfRangeException(); public ArgumentOutOfRangeException(string name); public ArgumentOutOfRangeException(string name, string message); public ArgumentOutOfRangeException(string name, object value, string message); public virtual object ActualValue { get; } }
    public class InvalidOperationException : SystemException { public InvalidOperationException(); public InvalidOperationException(string message); public InvalidOperationException(string message, Exception inner); }
    public class ObjectDisposedException : InvalidOperationException { public ObjectDisposedException(string name); }
    public class NotSupportedException : SystemException { public NotSupportedException(); public NotSupportedException(string message); }
    public class NotImplementedException : SystemException { public NotImplementedException(); public NotImplementedException(string message); }
    public class FormatException : SystemException { public FormatException(); public FormatException(string message); }
    public class InvalidCastException : SystemException { public InvalidCastException(); public InvalidCastException(string message); }
    public class NullReferenceException : SystemException { public NullReferenceException(); public NullReferenceException(string message); }
    public class IndexOutOfRangeException : SystemException { public IndexOutOfRangeException(); }
    public class ArithmeticException : SystemException { public ArithmeticException(); public ArithmeticException(string message); }
    public class DivideByZeroException : ArithmeticException { public DivideByZeroException(); public DivideByZeroException(string message); }
    public class OverflowException : ArithmeticException { public OverflowException(); }
    public class TimeoutException : SystemException { public TimeoutException(); public TimeoutException(string message); }
    public class OperationCanceledException : SystemException { public OperationCanceledException(); public OperationCanceledException(string message); public OperationCanceledException(System.Threading.CancellationToken token); public System.Threading.CancellationToken CancellationToken { get; } }
    public class OutOfMemoryException : SystemException { public OutOfMemoryException(); }
    public class StackOverflowException : SystemException { }
    public class MissingMemberException : SystemException { }
    public class MissingMethodException : MissingMemberException { }
    public class TypeLoadException : SystemException { public TypeLoadException(); public TypeLoadException(string message); }
    public class TypeInitializationException : TypeLoadException { }
    public class UnauthorizedAccessException : SystemException { public UnauthorizedAccessException(); public UnauthorizedAccessException(string message); }
    public class PlatformNotSupportedException : NotSupportedException { public PlatformNotSupportedException(); }
    public class AggregateException : Exception { public AggregateException(params Exception[] inner); public AggregateException(string message, params Exception[] inner); public AggregateException(System.Collections.Generic.IEnumerable<Exception> inner); public System.Collections.ObjectModel.ReadOnlyCollection<Exception> InnerExceptions { get; } public AggregateException Flatten(); }
    public class ObsoleteAttribute : Attribute { public ObsoleteAttribute(); public ObsoleteAttribute(string message); }
    public class FlagsAttribute : Attribute { }
    public class SerializableAttribute : Attribute { }
    public class CLSCompliantAttribute : Attribute { }
    public class AttributeUsageAttribute : Attribute { }
    public class ThreadStaticAttribute : Attribute { }
}
