namespace Larderbook;

/// <summary>What cooks do with recipes.</summary>
public static class Cooking
{
    /// <summary>The same recipe for so many times the fruit.</summary>
    public static Recipe Scale(this Recipe recipe, int times)
    {
        var scaled = new Recipe(recipe.Name);
        foreach (var ingredient in recipe.Ingredients)
        {
            scaled.With(ingredient.Key, ingredient.Value.Times(times));
        }

        return scaled;
    }

    /// <summary>The one that weighs most; of several the first.</summary>
    public static T Heaviest<T>(this IEnumerable<T> things, Func<T, Weight> weigh)
    {
        return things.OrderByDescending(it => weigh(it).Grams).First();
    }
}
