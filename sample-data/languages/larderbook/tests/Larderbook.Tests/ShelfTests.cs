namespace Larderbook.Tests;

public class ShelfTests
{
    private readonly Shelf<Jar> shelf;
    private readonly Jar plum = new("plum", new Weight(340), 2030);

    public ShelfTests()
    {
        shelf = new Shelf<Jar>();
        shelf.Put(plum);
    }

    [Fact]
    public void PutAll_TakesAnyNumber()
    {
        int count = shelf.PutAll(Jam("quince"), Jam("cherry"));

        Assert.Equal(3, count);
    }

    [Fact]
    public void Indexer_CountsFromTheLeft()
    {
        shelf.Put(Jam("quince"));

        Assert.Same(plum, shelf[0]);
    }

    [Fact]
    public void Find_ByContent()
    {
        shelf.Put(Jam("quince"));

        Jar found = shelf.Find("quince");

        Assert.Equal(2031, found.Year);
    }

    [Fact]
    public void Find_ByWhatIsWanted()
    {
        Jar found = shelf.Find(jar => jar.Year > 2030);

        Assert.Null(found);
    }

    [CellarFact]
    public void TakeSpoiled_LeavesGoodJars()
    {
        shelf.Put(Jam("quince"));

        var spoiled = shelf.TakeSpoiled(2034);

        Assert.Equal(plum, Assert.Single(spoiled));
        Assert.Equal("quince", shelf[0].Content);
    }

    [Fact]
    public void AJarKeepsForThreeYears()
    {
        IStored stored = new Jar("plum", new(340), 2030);

        Assert.True(stored.IsGoodIn(2033));
        Assert.False(stored.IsGoodIn(2034));
    }

    [Fact]
    public void CountAgain_IsKeptInTheEnd()
    {
        using (StockTake walk = shelf.CountAgain())
        {
            walk.See(plum);
            Assert.Equal(0, shelf.Counted);
        }

        Assert.Equal(1, shelf.Counted);
    }

    private static Jar Jam(string fruit)
    {
        return new Jar(fruit, new Weight(340), 2031);
    }
}
