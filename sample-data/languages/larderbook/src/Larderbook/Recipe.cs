namespace Larderbook;

/// <summary>What goes into a pot.</summary>
public partial class Recipe
{
    private readonly List<KeyValuePair<string, Weight>> ingredients = new();

    public Recipe(string name)
    {
        Name = name;
    }

    public string Name { get; }

    public IEnumerable<KeyValuePair<string, Weight>> Ingredients => ingredients;

    /// <summary>Adds an ingredient, and returns the recipe for more.</summary>
    public Recipe With(string ingredient, Weight weight)
    {
        ingredients.Add(new(ingredient, weight));
        return this;
    }

    public Weight Total()
    {
        Weight total = new(0);
        foreach (var ingredient in ingredients)
        {
            total += ingredient.Value;
        }

        return total;
    }
}
