// Text, files, reflection, and whatever else tests often hold in their hands.
namespace System.Text
{
    public class StringBuilder { public StringBuilder(); public StringBuilder(int capacity); public StringBuilder(string s); public StringBuilder(string s, int capacity); public int Length { get; set; } public int Capacity { get; set; } public char this[int index] { get; set; } public StringBuilder Append(object o); public StringBuilder Append(string s); public StringBuilder Append(char c); public StringBuilder Append(char c, int n); public StringBuilder Append(string s, int start, int n); public StringBuilder AppendLine(); public StringBuilder AppendLine(string s); public StringBuilder AppendFormat(string format, params object[] args); public StringBuilder AppendFormat(IFormatProvider provider, string format, params object[] args); public StringBuilder AppendJoin(string separator, params object[] values); public StringBuilder Clear(); public StringBuilder Insert(int at, object o); public StringBuilder Remove(int start, int n); public StringBuilder Replace(string a, string b); public StringBuilder Replace(char a, char b); public string ToString(int start, int n); }
    public abstract class Encoding { public static Encoding UTF8 { get; } public static Encoding ASCII { get; } public static Encoding Unicode { get; } public static Encoding UTF32 { get; } public static Encoding Default { get; } public static Encoding Latin1 { get; } public static Encoding BigEndianUnicode { get; } public static Encoding GetEncoding(string name); public static Encoding GetEncoding(int page); public virtual byte[] GetBytes(string s); public virtual string GetString(byte[] b); public virtual string GetString(byte[] b, int start, int n); public virtual int GetByteCount(string s); public virtual byte[] GetPreamble(); public virtual char[] GetChars(byte[] b); public string WebName { get; } }
    public class UTF8Encoding : Encoding { public UTF8Encoding(); public UTF8Encoding(bool bom); public UTF8Encoding(bool bom, bool isStrict); }
    public class UnicodeEncoding : Encoding { public UnicodeEncoding(); }
    public class ASCIIEncoding : Encoding { public ASCIIEncoding(); }
    public struct Rune { public Rune(char c); public Rune(int c); public int Value { get; } }
}
namespace System.Text.RegularExpressions
{
    public class Regex { public Regex(string s); public Regex(string s, RegexOptions options); public bool IsMatch(string s); public Match Match(string s); public MatchCollection Matches(string s); public string Replace(string s, string r); public string[] Split(string s); public static bool IsMatch(string s, string r); public static bool IsMatch(string s, string r, RegexOptions options); public static Match Match(string s, string r); public static MatchCollection Matches(string s, string r); public static string Replace(string s, string r, string t); public static string Replace(string s, string r, string t, RegexOptions options); public static string Escape(string s); public static string[] Split(string s, string r); }
    public enum RegexOptions { None, IgnoreCase, Multiline, Compiled, Singleline, ExplicitCapture, CultureInvariant }
    public class Capture { public string Value { get; } public int Index { get; } public int Length { get; } }
    public class Group : Capture { public bool Success { get; } public string Name { get; } }
    public class Match : Group { public GroupCollection Groups { get; } public Match NextMatch(); }
    public class GroupCollection : System.Collections.Generic.IEnumerable<Group> { public Group this[int index] { get; } public Group this[string name] { get; } public int Count { get; } }
    public class MatchCollection : System.Collections.Generic.IEnumerable<Match> { public Match this[int index] { get; } public int Count { get; } }
}
namespace System.IO
{
    using System.Threading;
    using System.Threading.Tasks;
    public abstract class Stream : IDisposable, IAsyncDisposable { public static readonly Stream Null; public abstract bool CanRead { get; } public abstract bool CanSeek { get; } public abstract bool CanWrite { get; } public abstract long Length { get; } public abstract long Position { get; set; } public abstract int Read(byte[] b, int at, int n); public virtual int Read(Span<byte> b); public abstract void Write(byte[] b, int at, int n); public virtual void Write(ReadOnlySpan<byte> b); public virtual int ReadByte(); public virtual void WriteByte(byte b); public abstract void Flush(); public Task FlushAsync(); public abstract long Seek(long n, SeekOrigin from); public abstract void SetLength(long n); public virtual void Close(); public void Dispose(); protected virtual void Dispose(bool disposing); public ValueTask DisposeAsync(); public void CopyTo(Stream to); public Task CopyToAsync(Stream to); public Task<int> ReadAsync(byte[] b, int at, int n); public Task<int> ReadAsync(byte[] b, int at, int n, CancellationToken token); public ValueTask<int> ReadAsync(Memory<byte> b, CancellationToken token = default); public Task WriteAsync(byte[] b, int at, int n); public Task WriteAsync(byte[] b, int at, int n, CancellationToken token); public ValueTask WriteAsync(ReadOnlyMemory<byte> b, CancellationToken token = default); }
    public enum SeekOrigin { Begin, Current, End }
    public class MemoryStream : Stream { public MemoryStream(); public MemoryStream(int capacity); public MemoryStream(byte[] b); public MemoryStream(byte[] b, bool writable); public virtual byte[] ToArray(); public virtual byte[] GetBuffer(); public virtual void WriteTo(Stream to); }
    public class FileStream : Stream { public FileStream(string path, FileMode mode); public FileStream(string path, FileMode mode, FileAccess access); public FileStream(string path, FileMode mode, FileAccess access, FileShare share); public virtual string Name { get; } }
    public enum FileMode { Append, Create, CreateNew, Open, OpenOrCreate, Truncate }
    public enum FileAccess { Read, Write, ReadWrite }
    public enum FileShare { None, Read, Write, ReadWrite, Delete }
    public abstract class TextWriter : IDisposable, IAsyncDisposable { public static readonly TextWriter Null; public virtual string NewLine { get; set; } public virtual IFormatProvider FormatProvider { get; } public abstract System.Text.Encoding Encoding { get; } public virtual void Write(char c); public virtual void Write(object o); public virtual void Write(string s); public virtual void Write(string format, params object[] args); public virtual void WriteLine(); public virtual void WriteLine(object o); public virtual void WriteLine(string s); public virtual void WriteLine(string format, params object[] args); public virtual Task WriteAsync(string s); public virtual Task WriteLineAsync(string s); public virtual void Flush(); public virtual Task FlushAsync(); public virtual void Close(); public void Dispose(); public virtual ValueTask DisposeAsync(); }
    public class StringWriter : TextWriter { public StringWriter(); public StringWriter(IFormatProvider provider); public StringWriter(System.Text.StringBuilder s); public StringWriter(System.Text.StringBuilder s, IFormatProvider provider); public virtual System.Text.StringBuilder GetStringBuilder(); }
    public class StreamWriter : TextWriter { public StreamWriter(Stream s); public StreamWriter(Stream s, System.Text.Encoding e); public StreamWriter(string path); public StreamWriter(string path, bool append); public virtual bool AutoFlush { get; set; } public virtual Stream BaseStream { get; } }
    public abstract class TextReader : IDisposable { public static readonly TextReader Null; public virtual int Read(); public virtual int Peek(); public virtual int Read(char[] b, int at, int n); public virtual string ReadLine(); public virtual string ReadToEnd(); public virtual Task<string> ReadLineAsync(); public virtual Task<string> ReadToEndAsync(); public virtual void Close(); public void Dispose(); }
    public class StringReader : TextReader { public StringReader(string s); }
    public class StreamReader : TextReader { public StreamReader(Stream s); public StreamReader(Stream s, System.Text.Encoding e); public StreamReader(string path); public bool EndOfStream { get; } public virtual Stream BaseStream { get; } }
    public class BinaryReader : IDisposable { public BinaryReader(Stream s); public virtual byte ReadByte(); public virtual int ReadInt32(); public virtual byte[] ReadBytes(int n); public virtual string ReadString(); public void Dispose(); }
    public class BinaryWriter : IDisposable { public BinaryWriter(Stream s); public virtual void Write(int n); public virtual void Write(string s); public virtual void Write(byte[] b); public virtual void Write(byte b); public virtual void Flush(); public void Dispose(); }
    public static class File { public static bool Exists(string path); public static void Delete(string path); public static string ReadAllText(string path); public static string ReadAllText(string path, System.Text.Encoding e); public static string[] ReadAllLines(string path); public static byte[] ReadAllBytes(string path); public static Task<string> ReadAllTextAsync(string path); public static void WriteAllText(string path, string s); public static void WriteAllBytes(string path, byte[] b); public static void WriteAllLines(string path, System.Collections.Generic.IEnumerable<string> s); public static void AppendAllText(string path, string s); public static FileStream Create(string path); public static FileStream Open(string path, FileMode mode); public static FileStream Open(string path, FileMode mode, FileAccess access); public static FileStream Open(string path, FileMode mode, FileAccess access, FileShare share); public static FileStream OpenRead(string path); public static FileStream OpenWrite(string path); public static StreamReader OpenText(string path); public static StreamWriter CreateText(string path); public static void Copy(string a, string b); public static void Copy(string a, string b, bool overwrite); public static void Move(string a, string b); public static DateTime GetLastWriteTime(string path); }
    public static class Directory { public static bool Exists(string path); public static DirectoryInfo CreateDirectory(string path); public static void Delete(string path); public static void Delete(string path, bool all); public static string[] GetFiles(string path); public static string[] GetFiles(string path, string pattern); public static string[] GetFiles(string path, string pattern, SearchOption option); public static string[] GetDirectories(string path); public static string GetCurrentDirectory(); public static void SetCurrentDirectory(string path); public static System.Collections.Generic.IEnumerable<string> EnumerateFiles(string path); public static System.Collections.Generic.IEnumerable<string> EnumerateFiles(string path, string pattern); public static System.Collections.Generic.IEnumerable<string> EnumerateFiles(string path, string pattern, SearchOption option); public static DirectoryInfo GetParent(string path); }
    public enum SearchOption { TopDirectoryOnly, AllDirectories }
    public static class Path { public static readonly char DirectorySeparatorChar; public static string Combine(params string[] parts); public static string GetFileName(string path); public static string GetFileNameWithoutExtension(string path); public static string GetDirectoryName(string path); public static string GetExtension(string path); public static string GetFullPath(string path); public static string GetTempPath(); public static string GetTempFileName(); public static string GetRandomFileName(); public static string ChangeExtension(string path, string e); public static bool IsPathRooted(string path); public static string GetRelativePath(string a, string b); public static string Join(params string[] parts); }
    public abstract class FileSystemInfo { public virtual string FullName { get; } public abstract string Name { get; } public abstract bool Exists { get; } public abstract void Delete(); }
    public class FileInfo : FileSystemInfo { public FileInfo(string path); public long Length { get; } public DirectoryInfo Directory { get; } public FileStream OpenRead(); public FileStream Create(); }
    public class DirectoryInfo : FileSystemInfo { public DirectoryInfo(string path); public DirectoryInfo Parent { get; } public FileInfo[] GetFiles(); public FileInfo[] GetFiles(string pattern); public DirectoryInfo[] GetDirectories(); public void Create(); public void Delete(bool all); }
    public class IOException : SystemException { public IOException(); public IOException(string message); public IOException(string message, Exception inner); }
    public class FileNotFoundException : IOException { public FileNotFoundException(); public FileNotFoundException(string message); public FileNotFoundException(string message, string name); }
    public class DirectoryNotFoundException : IOException { }
    public class EndOfStreamException : IOException { public EndOfStreamException(); public EndOfStreamException(string message); }
    public class InvalidDataException : SystemException { public InvalidDataException(); public InvalidDataException(string message); }
}
namespace System.Reflection
{
    using System.Collections.Generic;
    public abstract class MemberInfo { public abstract string Name { get; } public abstract Type DeclaringType { get; } public virtual object[] GetCustomAttributes(bool inherit); public virtual object[] GetCustomAttributes(Type type, bool inherit); public abstract bool IsDefined(Type type, bool inherit); }
    public abstract class MethodBase : MemberInfo { public bool IsPublic { get; } public bool IsStatic { get; } public abstract ParameterInfo[] GetParameters(); public object Invoke(object target, object[] args); }
    public abstract class MethodInfo : MethodBase { public virtual Type ReturnType { get; } public virtual MethodInfo MakeGenericMethod(params Type[] args); public virtual Delegate CreateDelegate(Type type); public virtual Delegate CreateDelegate(Type type, object target); }
    public abstract class ConstructorInfo : MethodBase { public object Invoke(object[] args); }
    public abstract class PropertyInfo : MemberInfo { public abstract Type PropertyType { get; } public abstract bool CanRead { get; } public abstract bool CanWrite { get; } public object GetValue(object target); public virtual object GetValue(object target, object[] index); public void SetValue(object target, object value); public MethodInfo GetMethod { get; } public MethodInfo SetMethod { get; } public MethodInfo GetGetMethod(); }
    public abstract class FieldInfo : MemberInfo { public abstract Type FieldType { get; } public abstract object GetValue(object target); public void SetValue(object target, object value); public bool IsStatic { get; } }
    public class ParameterInfo { public virtual string Name { get; } public virtual Type ParameterType { get; } }
    public abstract class Assembly { public static Assembly GetExecutingAssembly(); public static Assembly GetCallingAssembly(); public static Assembly GetEntryAssembly(); public static Assembly Load(string name); public static Assembly LoadFrom(string path); public virtual string Location { get; } public virtual string FullName { get; } public virtual AssemblyName GetName(); public virtual Type[] GetTypes(); public virtual Type GetType(string name); public virtual Type[] GetExportedTypes(); public virtual System.IO.Stream GetManifestResourceStream(string name); public virtual IEnumerable<TypeInfo> DefinedTypes { get; } public virtual IEnumerable<Type> ExportedTypes { get; } }
    public class AssemblyName { public AssemblyName(string name); public string Name { get; set; } public Version Version { get; set; } }
    public abstract class TypeInfo : Type { public virtual IEnumerable<MethodInfo> DeclaredMethods { get; } public virtual IEnumerable<ConstructorInfo> DeclaredConstructors { get; } public virtual IEnumerable<PropertyInfo> DeclaredProperties { get; } }
    [System.Flags] public enum BindingFlags { Default, Instance, Static, Public, NonPublic, FlattenHierarchy, DeclaredOnly }
    public class TargetInvocationException : ApplicationException { }
    public static class CustomAttributeExtensions { public static T GetCustomAttribute<T>(this MemberInfo m); public static T GetCustomAttribute<T>(this Assembly a); public static T GetCustomAttribute<T>(this ParameterInfo p); public static IEnumerable<T> GetCustomAttributes<T>(this MemberInfo m); }
    public static class IntrospectionExtensions { public static TypeInfo GetTypeInfo(this Type type); }
    public static class RuntimeReflectionExtensions { public static MethodInfo GetMethodInfo(this Delegate d); public static IEnumerable<PropertyInfo> GetRuntimeProperties(this Type type); public static IEnumerable<MethodInfo> GetRuntimeMethods(this Type type); }
}
namespace System.Globalization
{
    public class CultureInfo : IFormatProvider { public CultureInfo(string name); public CultureInfo(string name, bool user); public static CultureInfo InvariantCulture { get; } public static CultureInfo CurrentCulture { get; set; } public static CultureInfo CurrentUICulture { get; set; } public static CultureInfo DefaultThreadCurrentCulture { get; set; } public static CultureInfo GetCultureInfo(string name); public virtual string Name { get; } public virtual NumberFormatInfo NumberFormat { get; set; } public virtual DateTimeFormatInfo DateTimeFormat { get; set; } public virtual CultureInfo Parent { get; } public virtual object Clone(); public virtual object GetFormat(Type type); }
    public class NumberFormatInfo : IFormatProvider { public static NumberFormatInfo InvariantInfo { get; } public static NumberFormatInfo CurrentInfo { get; } public string NumberDecimalSeparator { get; set; } public object GetFormat(Type type); }
    public class DateTimeFormatInfo : IFormatProvider { public static DateTimeFormatInfo InvariantInfo { get; } public object GetFormat(Type type); }
    public enum NumberStyles { None, Integer, HexNumber, Any, Float, Number }
    public enum DateTimeStyles { None, RoundtripKind, AssumeUniversal, AdjustToUniversal }
}
namespace System.ComponentModel
{
    public interface INotifyPropertyChanged { event PropertyChangedEventHandler PropertyChanged; }
    public interface INotifyPropertyChanging { event PropertyChangingEventHandler PropertyChanging; }
    public interface INotifyDataErrorInfo { bool HasErrors { get; } event EventHandler<DataErrorsChangedEventArgs> ErrorsChanged; System.Collections.IEnumerable GetErrors(string name); }
    public delegate void PropertyChangedEventHandler(object sender, PropertyChangedEventArgs e);
    public delegate void PropertyChangingEventHandler(object sender, PropertyChangingEventArgs e);
    public class PropertyChangedEventArgs : EventArgs { public PropertyChangedEventArgs(string name); public virtual string PropertyName { get; } }
    public class PropertyChangingEventArgs : EventArgs { public PropertyChangingEventArgs(string name); public virtual string PropertyName { get; } }
    public class DataErrorsChangedEventArgs : EventArgs { public DataErrorsChangedEventArgs(string name); public virtual string PropertyName { get; } }
    public class CancelEventArgs : EventArgs { public CancelEventArgs(); public bool Cancel { get; set; } }
    public class TypeConverter { public object ConvertFrom(object o); public object ConvertTo(object o, Type type); }
}
namespace System.ComponentModel.DataAnnotations
{
    public class ValidationResult { public static readonly ValidationResult Success; public ValidationResult(string message); public ValidationResult(string message, System.Collections.Generic.IEnumerable<string> names); public string ErrorMessage { get; set; } public System.Collections.Generic.IEnumerable<string> MemberNames { get; } }
    public sealed class ValidationContext { public ValidationContext(object o); public object ObjectInstance { get; } public string MemberName { get; set; } }
    public abstract class ValidationAttribute : Attribute { }
}
namespace System.Diagnostics
{
    public class Stopwatch { public Stopwatch(); public static Stopwatch StartNew(); public void Start(); public void Stop(); public void Restart(); public void Reset(); public TimeSpan Elapsed { get; } public long ElapsedMilliseconds { get; } public long ElapsedTicks { get; } public static long GetTimestamp(); public static readonly long Frequency; }
    public static class Debug { public static void WriteLine(object o); public static void Assert(bool b); public static void Assert(bool b, string s); }
    public static class Trace { public static void WriteLine(object o); }
    public class Activity : IDisposable { public Activity(string name); public static Activity Current { get; set; } public Activity Start(); public void Stop(); public Activity SetTag(string key, object value); public ActivityTraceId TraceId { get; } public ActivitySpanId SpanId { get; } public string Id { get; } public string DisplayName { get; set; } public void Dispose(); }
    public struct ActivityTraceId { public static ActivityTraceId CreateRandom(); public static ActivityTraceId CreateFromString(ReadOnlySpan<char> s); public string ToHexString(); }
    public struct ActivitySpanId { public static ActivitySpanId CreateRandom(); public static ActivitySpanId CreateFromString(ReadOnlySpan<char> s); public string ToHexString(); }
    public class Process : IDisposable { public static Process Start(string name); public static Process Start(ProcessStartInfo info); public static Process GetCurrentProcess(); public System.IO.StreamReader StandardOutput { get; } public System.IO.StreamReader StandardError { get; } public void WaitForExit(); public int ExitCode { get; } public int Id { get; } public void Dispose(); }
    public class ProcessStartInfo { public ProcessStartInfo(); public ProcessStartInfo(string name); public ProcessStartInfo(string name, string args); public string FileName { get; set; } public string Arguments { get; set; } }
}
namespace System.Net { public enum HttpStatusCode { OK, BadRequest, NotFound, Created, InternalServerError, Unauthorized, Forbidden, NoContent } }
namespace System.Net.Http
{
    using System.Threading;
    using System.Threading.Tasks;
    public class HttpClient : IDisposable { public HttpClient(); public HttpClient(HttpMessageHandler handler); public Uri BaseAddress { get; set; } public Task<HttpResponseMessage> GetAsync(string uri); public Task<HttpResponseMessage> GetAsync(Uri uri); public Task<HttpResponseMessage> GetAsync(string uri, CancellationToken token); public Task<string> GetStringAsync(string uri); public Task<HttpResponseMessage> PostAsync(string uri, HttpContent content); public Task<HttpResponseMessage> SendAsync(HttpRequestMessage request); public Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken token); public void Dispose(); }
    public abstract class HttpMessageHandler : IDisposable { public void Dispose(); protected abstract Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken token); }
    public abstract class DelegatingHandler : HttpMessageHandler { public HttpMessageHandler InnerHandler { get; set; } }
    public class HttpClientHandler : HttpMessageHandler { public HttpClientHandler(); }
    public class HttpRequestMessage : IDisposable { public HttpRequestMessage(); public HttpRequestMessage(HttpMethod method, string uri); public HttpRequestMessage(HttpMethod method, Uri uri); public HttpMethod Method { get; set; } public Uri RequestUri { get; set; } public HttpContent Content { get; set; } public void Dispose(); }
    public class HttpResponseMessage : IDisposable { public HttpResponseMessage(); public HttpResponseMessage(System.Net.HttpStatusCode code); public System.Net.HttpStatusCode StatusCode { get; set; } public HttpContent Content { get; set; } public bool IsSuccessStatusCode { get; } public HttpRequestMessage RequestMessage { get; set; } public HttpResponseMessage EnsureSuccessStatusCode(); public void Dispose(); }
    public abstract class HttpContent : IDisposable { public Task<string> ReadAsStringAsync(); public Task<byte[]> ReadAsByteArrayAsync(); public Task<System.IO.Stream> ReadAsStreamAsync(); public void Dispose(); }
    public class StringContent : HttpContent { public StringContent(string s); public StringContent(string s, System.Text.Encoding e); public StringContent(string s, System.Text.Encoding e, string type); }
    public class HttpMethod { public static HttpMethod Get { get; } public static HttpMethod Post { get; } public static HttpMethod Put { get; } public static HttpMethod Delete { get; } public HttpMethod(string name); }
    public class HttpRequestException : Exception { public HttpRequestException(); public HttpRequestException(string message); }
}
namespace System.Xml.Linq
{
    using System.Collections.Generic;
    public abstract class XObject { public XElement Parent { get; } }
    public abstract class XNode : XObject { }
    public abstract class XContainer : XNode { public void Add(object o); public void Add(params object[] o); public XElement Element(XName name); public IEnumerable<XElement> Elements(); public IEnumerable<XElement> Elements(XName name); public IEnumerable<XElement> Descendants(); public IEnumerable<XElement> Descendants(XName name); public IEnumerable<XNode> Nodes(); }
    public class XElement : XContainer { public XElement(XName name); public XElement(XName name, object o); public XElement(XName name, params object[] o); public XName Name { get; set; } public string Value { get; set; } public XAttribute Attribute(XName name); public IEnumerable<XAttribute> Attributes(); public static XElement Parse(string s); public static XElement Load(string path); }
    public class XDocument : XContainer { public XDocument(params object[] o); public XElement Root { get; } public static XDocument Parse(string s); public static XDocument Load(string path); public static XDocument Load(System.IO.Stream s); }
    public class XAttribute : XObject { public XAttribute(XName name, object value); public XName Name { get; } public string Value { get; set; } }
    public class XName { public string LocalName { get; } public XNamespace Namespace { get; } public static implicit operator XName(string s); }
    public class XNamespace { public static implicit operator XNamespace(string s); public static XName operator +(XNamespace a, string b); }
}
namespace System.Buffers
{
    public abstract class ArrayPool<T> { public static ArrayPool<T> Shared { get; } public static ArrayPool<T> Create(); public static ArrayPool<T> Create(int n, int m); public abstract T[] Rent(int n); public abstract void Return(T[] array, bool clear = false); }
    public interface IBufferWriter<T> { void Advance(int n); Memory<T> GetMemory(int n = 0); Span<T> GetSpan(int n = 0); }
    public class ArrayBufferWriter<T> : IBufferWriter<T> { public ArrayBufferWriter(); public ArrayBufferWriter(int n); public ReadOnlyMemory<T> WrittenMemory { get; } public ReadOnlySpan<T> WrittenSpan { get; } public int WrittenCount { get; } public int Capacity { get; } public int FreeCapacity { get; } public void Clear(); public void Advance(int n); public Memory<T> GetMemory(int n = 0); public Span<T> GetSpan(int n = 0); }
    public static class BuffersExtensions { public static void Write<T>(this IBufferWriter<T> w, ReadOnlySpan<T> span); public static void CopyTo<T>(this in ReadOnlySequence<T> s, Span<T> to); public static T[] ToArray<T>(this in ReadOnlySequence<T> s); }
    public interface IMemoryOwner<T> : IDisposable { Memory<T> Memory { get; } }
    public interface IPinnable { void Unpin(); }
    public struct MemoryHandle : IDisposable { public void Dispose(); }
    public abstract class MemoryManager<T> : IMemoryOwner<T>, IPinnable { public virtual Memory<T> Memory { get; } public abstract Span<T> GetSpan(); public abstract MemoryHandle Pin(int n = 0); public abstract void Unpin(); protected abstract void Dispose(bool disposing); protected Memory<T> CreateMemory(int n); }
    public abstract class MemoryPool<T> : IDisposable { public static MemoryPool<T> Shared { get; } public abstract IMemoryOwner<T> Rent(int n = -1); public void Dispose(); }
    public struct ReadOnlySequence<T> { public ReadOnlySequence(T[] array); public ReadOnlySequence(ReadOnlyMemory<T> memory); public static readonly ReadOnlySequence<T> Empty; public long Length { get; } public bool IsEmpty { get; } public ReadOnlySpan<T> FirstSpan { get; } public ReadOnlyMemory<T> First { get; } }
}
namespace System.Runtime.InteropServices
{
    public static class MemoryMarshal { public static Span<T> CreateSpan<T>(ref T r, int n); public static ReadOnlySpan<T> CreateReadOnlySpan<T>(ref T r, int n); public static ref T GetReference<T>(Span<T> span); public static ref T GetReference<T>(ReadOnlySpan<T> span); public static Span<byte> AsBytes<T>(Span<T> span); public static ReadOnlySpan<byte> AsBytes<T>(ReadOnlySpan<T> span); public static Span<U> Cast<T, U>(Span<T> span); public static ReadOnlySpan<U> Cast<T, U>(ReadOnlySpan<T> span); public static bool TryGetArray<T>(ReadOnlyMemory<T> memory, out ArraySegment<T> segment); public static ref T GetArrayDataReference<T>(T[] array); }
    public static class CollectionsMarshal { public static Span<T> AsSpan<T>(System.Collections.Generic.List<T> list); }
    public static class RuntimeInformation { public static bool IsOSPlatform(OSPlatform p); public static string FrameworkDescription { get; } }
    public struct OSPlatform { public static OSPlatform Windows { get; } public static OSPlatform Linux { get; } public static OSPlatform OSX { get; } }
}
