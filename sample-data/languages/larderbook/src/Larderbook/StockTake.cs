namespace Larderbook;

/// <summary>One walk along a shelf.</summary>
public sealed class StockTake : IDisposable
{
    private readonly Action<int> keep;
    private int seen;

    public StockTake(Action<int> keep)
    {
        this.keep = keep;
    }

    public void See(IStored item)
    {
        seen += 1;
    }

    public void Dispose()
    {
        keep(seen);
    }
}
