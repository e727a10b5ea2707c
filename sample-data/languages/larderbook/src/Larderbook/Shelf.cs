namespace Larderbook;

/// <summary>A shelf for things of one kind, from left to right.</summary>
public class Shelf<T>
    where T : class, IStored
{
    private readonly List<T> items = new();

    /// <summary>How many were seen when the shelf was last counted.</summary>
    public int Counted { get; private set; }

    public T this[int place]
    {
        get { return items[place]; }
    }

    public void Put(T item)
    {
        items.Add(item);
    }

    /// <summary>Puts all of them and says how many there are now.</summary>
    public int PutAll(params T[] more)
    {
        foreach (T item in more)
        {
            Put(item);
        }

        return items.Count;
    }

    public T Find(string content)
    {
        return Find(it => it.Content == content);
    }

    /// <summary>The first that is wanted, or null.</summary>
    public T Find(Func<T, bool> isWanted)
    {
        return items.FirstOrDefault(isWanted);
    }

    /// <summary>Takes away what is no longer good.</summary>
    public IReadOnlyList<T> TakeSpoiled(int year)
    {
        List<T> spoiled = items.Where(it => !it.IsGoodIn(year)).ToList();
        items.RemoveAll(spoiled.Contains);
        return spoiled;
    }

    /// <summary>Begins to count; the count is kept when it is disposed of.</summary>
    public StockTake CountAgain()
    {
        return new StockTake(seen => Counted = seen);
    }
}
