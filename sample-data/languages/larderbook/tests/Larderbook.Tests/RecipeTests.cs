namespace Larderbook.Tests;

public class RecipeTests : IClassFixture<Cookbook>
{
    private readonly Recipe marmalade;

    public RecipeTests(Cookbook cookbook)
    {
        marmalade = cookbook.Marmalade;
    }

    [Fact]
    public void Scale_TakesMoreOfEverything()
    {
        Recipe feast = marmalade.Scale(3);

        Assert.Equal(new Weight(5700), feast.Total());
    }

    [Fact]
    public void HeaviestIngredientIsTheFruit()
    {
        var fruit = marmalade.Ingredients.Heaviest(it => it.Value);

        Assert.Equal("oranges", fruit.Key);
    }

    [Fact]
    public void DescribeListsEveryIngredient()
    {
        string text = marmalade.Describe();

        Assert.Equal("marmalade: 1000 g oranges, 900 g sugar", text);
    }

    [Fact(Skip = "nobody has weighed what boils away")]
    public void Total_IsLessAfterBoiling()
    {
        Weight total = marmalade.Total();

        Assert.True(total.Grams < 1900);
    }
}
