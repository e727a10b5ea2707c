namespace Larderbook.Tests;

/// <summary>Opened once for all tests of recipes.</summary>
public sealed class Cookbook
{
    public Cookbook()
    {
        Marmalade = new Recipe("marmalade")
            .With("oranges", new Weight(1000))
            .With("sugar", new Weight(900));
    }

    public Recipe Marmalade { get; }
}
